/**
 * What hand-written code of the hot paths gains over the plain way of the language: each function of src/ beside its plain twin, no
 * sockets, one process. `node bench/micro/tunings.mjs [word …]` runs the rows whose name holds one of the words.
 *
 * Nanoseconds an operation: the best of rounds that alternate, which is what the code costs when nothing else runs. Code that shows no gain here,
 * with the oldest and the newest Node that are maintained, is to go.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ROUNDS = 40;
const ROUND_MS = 4;

/** Compiles the sources that are measured. */
async function loadSources() {
  const folder = mkdtempSync(join(tmpdir(), "zmtp-micro-"));
  const outfile = join(folder, "tunings.mjs");
  try {
    await build({
      stdin: {
        contents: `
          export { View, smallBuffer, textBuffer } from "./src/base/bytes.ts";
          export { putBody } from "./src/codec/encode.ts";
          export { SlabPool } from "./src/codec/slab-pool.ts";
          export { RouteTable } from "./src/routing/route-table.ts";
          export { RadixTree, stepDown } from "./src/routing/radix-tree.ts";
        `,
        resolveDir: ROOT,
      },
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
      logLevel: "error",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { View, smallBuffer, textBuffer, putBody, SlabPool, RouteTable, RadixTree, stepDown } = await loadSources();

/** What the actions give, so that none is left out. @type {unknown} */
let sink;

/** How many calls of `action` take a round. @param {(i: number) => unknown} action */
function calibrate(action) {
  for (let count = 1; ; count *= 2) {
    const start = performance.now();
    for (let i = 0; i < count; i++) sink = action(i);
    if (performance.now() - start > ROUND_MS) return count;
  }
}

/** @param {(i: number) => unknown} action @param {number} count */
function time(action, count) {
  const start = performance.now();
  for (let i = 0; i < count; i++) sink = action(i);
  return ((performance.now() - start) * 1e6) / count;
}

const words = process.argv.slice(2);

/** @param {string} name @param {(i: number) => unknown} ours @param {(i: number) => unknown} plain */
function row(name, ours, plain) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) return;
  const counts = [calibrate(ours), calibrate(plain)];
  let [one, other] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    one = Math.min(one, time(ours, counts[0]));
    other = Math.min(other, time(plain, counts[1]));
  }
  const cells = [one.toFixed(1), other.toFixed(1), `${(other / one).toFixed(2)} ×`].map((cell) => cell.padStart(10));
  console.log(name.padEnd(52) + cells.join(""));
}

console.log(
  `Node ${process.versions.node}`.padEnd(52) + ["ours", "plain", "gain"].map((cell) => cell.padStart(10)).join(""),
);

// Buffers.
{
  const memory = new ArrayBuffer(65536);
  row(
    "a view of memory (View / Buffer.from)",
    (i) => new View(memory, i & 1023, 10),
    (i) => Buffer.from(memory, i & 1023, 10),
  );
  row(
    "a buffer of 10 octets (smallBuffer / allocUnsafe)",
    () => smallBuffer(10),
    () => Buffer.allocUnsafe(10),
  );
  for (const length of [4, 12, 24, 48]) {
    const text = "a topic of a subscriber, and what it said yesterday".slice(0, length);
    row(
      `a text of ${length} as octets (textBuffer / Buffer.from)`,
      () => textBuffer(text),
      () => Buffer.from(text),
    );
  }
  const target = Buffer.alloc(65536);
  for (const length of [1, 5, 8, 10, 16, 32]) {
    const body = Buffer.alloc(length, 7);
    row(
      `copying ${length} octets (putBody / set)`,
      (i) => putBody(target, i & 4095, body),
      (i) => target.set(body, i & 4095),
    );
  }
  const pool = new SlabPool();
  row(
    "memory of 64 KiB for a burst (SlabPool / allocate)",
    () => {
      const slab = pool.open(1, true);
      pool.close(slab);
      return slab;
    },
    () => Buffer.allocUnsafeSlow(65536),
  );
}

// Finding a peer by its id.
for (const length of [5, 16, 40]) {
  const ids = Array.from({ length: 64 }, () => Buffer.alloc(length, 7));
  row(
    `comparing ids of ${length} octets (a loop / equals)`,
    (i) => {
      const one = ids[i & 63];
      const other = ids[(i >> 3) & 63];
      for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
      return true;
    },
    (i) => ids[i & 63].equals(ids[(i >> 3) & 63]),
  );
}
for (const peers of [1, 10, 100, 1000, 10000]) {
  for (const [kind, make] of /** @type {const} */ ([
    ["generated", (/** @type {number} */ i) => Buffer.from([0, 1, i >> 16, (i >> 8) & 255, i & 255])],
    ["16 octets", (/** @type {number} */ i) => Buffer.from(`client-${i}`.padStart(16, "-"))],
  ])) {
    const ids = Array.from({ length: peers }, (_, i) => make(i));
    const table = new RouteTable(0x6b8b4567);
    const map = new Map();
    for (const id of ids) {
      table.add(id, {});
      map.set(id.toString("latin1"), {});
    }
    row(
      `one of ${peers} peers, ${kind} (RouteTable / Map)`,
      (i) => table.get(ids[i % peers]),
      (i) => map.get(ids[i % peers].toString("latin1")),
    );
  }
}

// Going down a tree of topics.
{
  /** As `stepDown`, by the labels of the children. @param {any} node @param {Uint8Array} octets @param {number} position */
  const byLabels = (node, octets, position) => {
    let low = 0;
    let high = node.children.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const child = node.children[middle];
      const found = child.label.charCodeAt(0);
      if (found === octets[position]) {
        const { label } = child;
        if (position + label.length > octets.length) return undefined;
        for (let i = 1; i < label.length; i++) if (label.charCodeAt(i) !== octets[position + i]) return undefined;
        return child;
      }
      if (found < octets[position]) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  };
  /** @param {any} tree @param {Buffer} topic @param {typeof byLabels} step */
  const find = (tree, topic, step) => {
    let node = tree.root;
    for (let position = 0; node !== undefined && position < topic.length; position += node?.label.length ?? 0) {
      node = step(node, topic, position);
    }
    return node;
  };
  for (const count of [10, 1000, 100000]) {
    const tree = new RadixTree();
    const topics = Array.from({ length: count }, (_, i) => Buffer.from(`sensor/${Math.imul(i, 0x9e3779b1) >>> 0}/`));
    for (const topic of topics) tree.insert(topic).value = 1;
    const order = Int32Array.from({ length: 65536 }, (_, i) => (Math.imul(i, 0x85ebca6b) >>> 0) % count);
    row(
      `one of ${count} topics (firsts / labels)`,
      (i) => find(tree, topics[order[i & 65535]], stepDown),
      (i) => find(tree, topics[order[i & 65535]], byLabels),
    );
  }
}

if (sink === undefined) console.log();

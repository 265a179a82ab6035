/**
 * The decoder alone: nanoseconds of processor time a message, and the memory that a message pins which the application keeps.
 *
 *   node bench/micro/decoder.mjs [--rounds 15] [--only stream]
 *   ZMTP_OTHER=/path/to/another/checkout node bench/micro/decoder.mjs
 *
 * Chunks are lent and have up to 64 KiB, as streams read them. `stream` is chunks full of messages of one size, `lone` is one message
 * a chunk, `routed` one message of a short and a long frame a chunk. The decoders take turns, a round each; what is shown is the
 * best round of each, and the median of the rounds' ratios.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { readFlags } from "../lib/arguments.mjs";
import { sizeName, table } from "../lib/report.mjs";
import { median } from "../lib/statistics.mjs";

const CHUNK_BYTES = 65536;
const ROUND_MS = 40;
const KEPT = 2000;

const lent = Buffer.allocUnsafeSlow(CHUNK_BYTES);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const { flags } = readFlags({ values: ["rounds", "only"] });
const rounds = Number(flags.rounds ?? 15);
const ours = fileURLToPath(new URL("../..", import.meta.url));
const roots = [ours, ...(process.env.ZMTP_OTHER === undefined ? [] : [process.env.ZMTP_OTHER])];
/** @type {any[]} */
const decoders = [];
for (const root of roots) decoders.push(await load(root));

const cases = [
  ...[10, 100, 1000, 6000, 65536].map((size) => ({ name: `stream ${sizeName(size)}`, chunks: stream([size]) })),
  ...[1, 10, 100, 400, 1000, 2000, 4000].map((size) => ({ name: `lone ${sizeName(size)}`, chunks: [message([size])] })),
  ...[300, 1000, 10000].map((size) => ({ name: `routed 5 B + ${sizeName(size)}`, chunks: [message([5, size])] })),
].filter(({ name }) => name.startsWith(flags.only ?? ""));

const rows = [
  ["", "ns a message", ...(roots.length > 1 ? ["other", "ours : other"] : []), "kept 1 of 1000", "kept all"],
];
for (const { name, chunks } of cases) {
  /** @type {number[][]} */
  const times = decoders.map(() => []);
  for (const Decoder of decoders) time(Decoder, chunks, 3 * ROUND_MS);
  for (let round = 0; round < rounds; round++) {
    for (const [i, Decoder] of decoders.entries()) times[i].push(time(Decoder, chunks, ROUND_MS));
  }
  const [mine, other] = times;
  const compared = other && [best(other), median(mine.map((one, i) => one / other[i])).toFixed(3)];
  rows.push([
    name,
    best(mine),
    ...(compared ?? []),
    await pinned(decoders[0], chunks, 1000),
    await pinned(decoders[0], chunks, 1),
  ]);
}
console.log(table(rows));

/** @param {string} root @returns {Promise<any>} */
async function load(root) {
  const folder = mkdtempSync(join(tmpdir(), "zmtp-micro-"));
  try {
    const outfile = join(folder, "decoder.mjs");
    const banner = {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    };
    const entryPoints = [join(root, "src/codec/decoder.ts")];
    await build({ entryPoints, bundle: true, format: "esm", platform: "node", target: "node18", outfile, banner });
    return (await import(pathToFileURL(outfile).href)).Decoder;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One message in frames of these sizes. @param {number[]} sizes */
function message(sizes) {
  return Buffer.concat(
    sizes.map((size, i) => {
      const more = i < sizes.length - 1 ? 1 : 0;
      const header = Buffer.alloc(size > 255 ? 9 : 2, 0);
      header[0] = more | (size > 255 ? 2 : 0);
      if (size > 255) header.writeUInt32BE(size, 5);
      else header[1] = size;
      return Buffer.concat([header, Buffer.alloc(size, "A")]);
    }),
  );
}

/** Some chunks full of such messages: they are cut where they come to be. @param {number[]} sizes */
function stream(sizes) {
  const one = message(sizes);
  const octets = Buffer.alloc(16 * CHUNK_BYTES);
  const whole = octets.length - (octets.length % one.length);
  octets.subarray(0, whole).fill(one);
  const chunks = [];
  for (let at = 0; at < whole; at += CHUNK_BYTES) chunks.push(octets.subarray(at, Math.min(at + CHUNK_BYTES, whole)));
  return chunks;
}

/** Nanoseconds a message. @param {any} Decoder @param {Buffer[]} chunks @param {number} duration */
function time(Decoder, chunks, duration) {
  let count = 0;
  const decoder = new Decoder({ onCommand: () => true }, -1);
  decoder.inbox = {
    push() {
      count++;
      return true;
    },
  };
  const before = process.cpuUsage();
  const end = performance.now() + duration;
  do {
    for (let i = 0; i < 64; i++) feed(decoder, chunks);
  } while (performance.now() < end);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / count;
}

/** Memory when the collector has nothing more to do: it frees what lies outside of the heap a little later. */
async function settledMemory() {
  for (let i = 0; i < 3; i++) {
    collect();
    await setTimeout(20);
  }
  return process.memoryUsage();
}

/** Memory outside of the heap, and of the heap, for each message of which one of `every` is kept. @param {any} Decoder @param {Buffer[]} chunks @param {number} every */
async function pinned(Decoder, chunks, every) {
  /** @type {any[]} */
  const kept = [];
  let count = 0;
  const decoder = new Decoder({ onCommand: () => true }, -1);
  decoder.inbox = {
    /** @param {any[]} frames */
    push(frames) {
      if (count++ % every === 0) kept.push(frames[frames.length - 1]);
      return true;
    },
  };
  feed(decoder, chunks);
  kept.length = 0;
  const before = await settledMemory();
  while (kept.length < KEPT) feed(decoder, chunks);
  const after = await settledMemory();
  const bytes = (after.arrayBuffers - before.arrayBuffers + after.heapUsed - before.heapUsed) / kept.length;
  kept.length = 0;
  return `${Math.round(bytes)} B`;
}

/** As a stream does: the memory of a chunk is used again at once. @param {any} decoder @param {Buffer[]} chunks */
function feed(decoder, chunks) {
  for (const chunk of chunks) {
    chunk.copy(lent);
    decoder.push(chunk.length === CHUNK_BYTES ? lent : lent.subarray(0, chunk.length), true);
  }
}

/** @param {number[]} times */
function best(times) {
  return Math.min(...times).toFixed(1);
}

/**
 * The layer check has to fail on what it is there for: each rule with a planted violation, and a tree that keeps them
 * all.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { checkLayers } from "../../scripts/layers.mjs";
import { assert, suite } from "../helpers/test.ts";

const it = suite("scripts/layers");

/** Faults of a tree with these files (path below src to text). */
async function faultsOf(files: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "zmtp-layers-"));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    return await checkLayers(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const VALUE = "export const value = 1;\n";

it("accepts imports that go down, and within a folder", async () => {
  const faults = await faultsOf({
    "base/errors.ts": VALUE,
    "base/ring.ts": 'export { value } from "./errors.ts";\n',
    "codec/a.ts":
      'import type { B } from "./b.ts";\nimport { value } from "../base/errors.ts";\nexport const a: B = value;\n',
    "codec/b.ts": "export type B = number; // no setTimeout, no Date.now\n",
    "transport/tcp.ts": 'import net from "node:net";\nexport const server = net.createServer;\n',
    "loop/clock.ts": 'import * as timers from "node:timers";\nexport const setTimeout = timers.setTimeout;\n',
    "session/session.ts": 'import { setTimeout } from "../loop/clock.ts";\nexport const later = setTimeout;\n',
  });
  assert.equal(faults, []);
});

const planted: [title: string, files: Record<string, string>, fault: RegExp][] = [
  [
    "an import that goes up",
    { "codec/a.ts": 'export { value } from "../session/b.ts";\n', "session/b.ts": VALUE },
    /^codec\/a\.ts imports session\/b\.ts: up/,
  ],
  [
    "a type import that goes up",
    {
      "codec/a.ts": 'import type { V } from "../pipe/pipe.ts";\nexport const a: V = 1;\n',
      "pipe/pipe.ts": "export type V = number;\n",
    },
    /^codec\/a\.ts imports pipe\/pipe\.ts: up/,
  ],
  [
    "an import that goes sideways",
    { "routing/a.ts": 'export { value } from "../codec/b.ts";\n', "codec/b.ts": VALUE },
    /^routing\/a\.ts imports codec\/b\.ts: sideways/,
  ],
  [
    "the pipe importing the connection beside it",
    { "pipe/pipe.ts": 'export { value } from "../connection/b.ts";\n', "connection/b.ts": VALUE },
    /sideways/,
  ],
  [
    "a lazily loaded module above",
    { "codec/a.ts": 'export const a = () => require("../socket/b.ts");\n', "socket/b.ts": VALUE },
    /^codec\/a\.ts imports socket\/b\.ts: up/,
  ],
  ["a file without a layer", { "helpers.ts": VALUE }, /^helpers\.ts belongs to no layer/],
  ["the network outside transport", { "socket/a.ts": 'export { connect } from "node:net";\n' }, /only transport\//],
  [
    "cryptography outside crypto",
    { "session/a.ts": 'export { randomBytes } from "node:crypto";\n' },
    /^session\/a\.ts imports node:crypto/,
  ],
  [
    "a circle of imports",
    {
      "codec/a.ts": 'export { value } from "./b.ts";\n',
      "codec/b.ts": 'export { value } from "./c.ts";\n',
      "codec/c.ts": 'import * as a from "./a.ts";\nexport const value: unknown = a;\n',
      "codec/d.ts": 'export { value } from "./b.ts";\n',
    },
    /^circle of imports: codec\/a\.ts -> codec\/b\.ts -> codec\/c\.ts -> codec\/a\.ts$/,
  ],
  [
    "a circle that a type closes",
    {
      "socket/a.ts": 'export { value } from "./b.ts";\nexport type A = number;\n',
      "socket/b.ts": 'import type { A } from "./a.ts";\nexport const value: A = 1;\n',
    },
    /^circle of imports: socket\/a\.ts -> socket\/b\.ts -> socket\/a\.ts$/,
  ],
  [
    "a circle through a lazily loaded module",
    {
      "socket/a.ts": 'export const a = () => require("./b.ts");\n',
      "socket/b.ts": 'export { a } from "./a.ts";\n',
    },
    /^circle of imports/,
  ],
  [
    "a type of the network outside transport",
    { "session/a.ts": 'import type { Socket } from "node:net";\nexport type A = Socket;\n' },
    /^session\/a\.ts imports node:net: only transport\//,
  ],
  [
    "files read beside transport and auth",
    { "socket/a.ts": 'export { readFileSync } from "node:fs";\n' },
    /^socket\/a\.ts imports node:fs: only transport\/, auth\//,
  ],
  [
    "Node in a sans-io layer",
    { "codec/a.ts": 'export { constants } from "node:buffer";\n' },
    /^codec\/a\.ts imports node:buffer/,
  ],
  [
    "a module that is asked of the process",
    { "session/a.ts": 'export const a = () => process.getBuiltinModule("node:worker_threads");\n' },
    /^session\/a\.ts imports node:worker_threads: only transport\/threads\//,
  ],
  ["a module of Node that nobody uses", { "socket/a.ts": 'export { createContext } from "node:vm";\n' }, /not among/],
  ["a package outside crypto", { "codec/a.ts": 'export { sha256 } from "@noble/hashes";\n' }, /may bundle packages/],
  [
    "a global timer",
    { "session/a.ts": "export const a = () => setTimeout(() => {}, 1);\n" },
    /^session\/a\.ts uses the global setTimeout/,
  ],
  [
    "a global timer beside one of the clock's",
    {
      "session/a.ts": 'import { setTimeout } from "../loop/clock.ts";\nexport const a = [setTimeout, clearTimeout];\n',
      "loop/clock.ts": "export const setTimeout = globalThis.setTimeout;\n",
    },
    /^session\/a\.ts uses the global clearTimeout/,
  ],
  ["a microtask of the globals", { "v5/a.ts": "export const a = queueMicrotask;\n" }, /uses the global queueMicrotask/],
  ["process.nextTick", { "transport/a.ts": "process.nextTick(() => {});\n" }, /uses the global process\.nextTick/],
  [
    "the time of the globals",
    { "session/a.ts": "export const a = performance.now();\n" },
    /uses the global performance/,
  ],
  ["timers of Node", { "session/a.ts": 'export * from "node:timers";\n' }, /imports node:timers: only loop\/clock/],
  [
    "the clock in a sans-io layer",
    {
      "mechanism/a.ts": 'export { now } from "../loop/clock.ts";\n',
      "loop/clock.ts": "export const now = () => performance.now();\n",
    },
    /^mechanism\/a\.ts imports loop\/clock\.ts: the time is handed in/,
  ],
  ["randomness in a sans-io layer", { "routing/a.ts": "export const a = () => Math.random();\n" }, /handed in/],
];

for (const [title, files, fault] of planted) {
  it(`finds ${title}`, async () => {
    const faults = await faultsOf(files);
    assert.is(faults.length, 1, faults.join("; "));
    assert.match(faults[0], fault);
  });
}

it.run();

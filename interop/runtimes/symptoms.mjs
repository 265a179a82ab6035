/**
 * What does not work in a runtime because of the runtime. RUNTIMES.md tells each in full.
 */

/** @typedef {import("./runtimes.mjs").Runtime} Runtime */

/**
 * @typedef {object} Symptom
 * @property {string} runtime a kind or a name
 * @property {string} file
 * @property {string} title of the test that fails
 * @property {string} why
 * @property {boolean} [sometimes] it depends on timing
 */

/** Left out of --ci and --emulated: they take long, and show no more of a runtime. */
export const SLOW = ["lifecycle/", "fuzz/", "crypto/", "scripts/", "twins/", "session/backpressure", "routing/"];

/** @type {{ file: string, runtimes: string[], why: string }[]} */
const EXCLUDED = [
  {
    file: "helpers/test",
    runtimes: ["bun"],
    why: "tests the wrapper of the tests by how Node prints an uncaught error",
  },
  {
    file: "helpers/test",
    runtimes: ["emulated"],
    why: "tests the time limits of tests, which are stretched there",
  },
  {
    file: "security/keys",
    runtimes: ["bun", "deno"],
    why: "replaces node:crypto's randomBytes for every module, which works in Node only",
  },
  {
    file: "session/descriptors",
    runtimes: ["deno"],
    why: "Deno itself panics when it starts with few descriptors",
  },
  {
    file: "session/descriptors",
    runtimes: ["bun"],
    why: "peers that there is no descriptor for are not turned away, but wait in the kernel's queue",
  },
  {
    file: "socket/kept",
    runtimes: ["bun"],
    why: "JavaScriptCore collects conservatively: what lies on a stack or in a register stays for a while",
  },
  {
    file: "lifecycle/leftovers",
    runtimes: ["deno"],
    why: "counts Node's handles and descriptors, and Deno opens its own on first use",
  },
];

const HELD =
  "a write that the kernel has not taken does not hold the event loop; what waits is kept alive by beforeExit alone";
const DENO_ADDRESS = "binding an address that this machine does not have fails with EINVAL instead of EADDRNOTAVAIL";
const DENO_FLUSHED = "a write is never taken by the kernel at once: flushed is said of each, later";
const DENO_PAUSED = "the end of a connection is not told while its socket is paused, but when it reads on";

const BUN_WORDS = "JavaScriptCore has other words than V8 for what the language refuses";
const BUN_TIMERS = "process.getActiveResourcesInfo() names no timers";
const BUN_BACKLOG = "a listener's `backlog` is not kept: the port that should not answer does (connectTimeout works)";
const BUN_DESCRIPTORS = "peers that there is no descriptor for are not turned away, but wait in the kernel's queue";

/** @type {Symptom[]} */
const SYMPTOMS = [
  { runtime: "bun", file: "index", title: "is made of classes, which do not work without new", why: BUN_WORDS },
  {
    runtime: "bun",
    file: "options/values",
    title: "what a sealed socket refuses, it refuses in V8's words",
    why: BUN_WORDS,
  },
  { runtime: "bun", file: "options/values", title: "contexts: defaults, ranges and errors", why: BUN_WORDS },
  { runtime: "bun", file: "socket/proxy", title: "what it says of wrong arguments and moments", why: BUN_WORDS },
  { runtime: "bun", file: "socket/socket", title: "is sealed, and says so in V8's words", why: BUN_WORDS },
  {
    runtime: "bun",
    file: "socket/context",
    title: "holds are counted, and let go at the end of a turn",
    why: BUN_TIMERS,
  },
  { runtime: "bun", file: "socket/proxy", title: "an idle proxy does nothing", why: BUN_TIMERS },
  {
    runtime: "bun",
    file: "transport/connect",
    title: "nobody there: ECONNREFUSED, and ENOENT for a path",
    why: "a path below a file fails with ECONNREFUSED instead of ENOTDIR",
  },
  {
    runtime: "bun",
    file: "transport/connect",
    title: "connectTimeout ends an attempt that gets no answer",
    why: BUN_BACKLOG,
  },
  {
    runtime: "bun",
    file: "transport/connect",
    title: "a connect without an answer does not keep the process alive",
    why: "it does, until the kernel gives it up",
  },
  {
    runtime: "bun",
    file: "transport/connect",
    title: "a write that nobody reads keeps the process alive as long as somebody wants to wait for it",
    why: HELD,
  },
  {
    runtime: "bun",
    file: "session/descriptors",
    title: "a bound socket survives the lack of descriptors",
    why: BUN_DESCRIPTORS,
  },
  {
    runtime: "bun",
    file: "transport/listen",
    title: "more peers than descriptors: the rest is turned away, and it goes on afterwards",
    why: BUN_DESCRIPTORS,
  },
  {
    runtime: "bun",
    file: "transport/listen",
    title: "listenSync without Node's inner function: every interface works, one address is not supported",
    why: "listens at once by itself, on one address too",
  },
  {
    runtime: "bun",
    file: "transport/net-stream",
    title: "what a peer sent before it closed is read although an answer could not be written",
    why: "a socket that is paused gives its data all the same when a write fails",
  },
  {
    runtime: "deno",
    file: "lifecycle/churn",
    title: "links that flap, with events that nobody reads",
    why: "a send in a loop is given input and output only every 30 ms: setImmediate goes round without them, so it takes too long",
    sometimes: true,
  },
  {
    runtime: "deno",
    file: "lifecycle/faked-timers",
    title: "node:test's own mocks do no harm",
    why: "they reach the inside of setImmediate: one that was taken before is faked too",
    sometimes: true,
  },
  {
    runtime: "deno",
    file: "socket/events",
    title: "a bind that fails, by the address without its scheme",
    why: DENO_ADDRESS,
  },
  { runtime: "deno", file: "transport/listen", title: "listen: failures", why: DENO_ADDRESS },
  { runtime: "deno", file: "transport/listen", title: "listen: failures leave no descriptor", why: DENO_ADDRESS },
  { runtime: "deno", file: "transport/listen", title: "listenSync: failures", why: DENO_ADDRESS },
  { runtime: "deno", file: "transport/listen", title: "listenSync: failures leave no descriptor", why: DENO_ADDRESS },
  {
    runtime: "deno",
    file: "transport/listen",
    title: "more peers than descriptors: the rest is turned away, and it goes on afterwards",
    why: "a child behind a shell does not get Deno's permissions",
  },
  {
    runtime: "deno",
    file: "transport/connect",
    title: "leaves from the given source",
    why: "a source that cannot be had fails with EINVAL instead of EADDRINUSE or EADDRNOTAVAIL",
  },
  {
    runtime: "deno",
    file: "transport/connect",
    title: "a connect without an answer does not keep the process alive",
    why: "a connect that gets no answer does not hold the event loop: the process ends before it has failed",
  },
  {
    runtime: "deno",
    file: "transport/connect",
    title: "a write that nobody reads keeps the process alive as long as somebody wants to wait for it",
    why: HELD,
  },
  {
    runtime: "deno",
    file: "transport/net-stream",
    title: "writes one part, several parts and none, and calls done once for each write, later",
    why: DENO_FLUSHED,
  },
  {
    runtime: "deno",
    file: "transport/net-stream",
    title: "does not say flushed while the kernel takes everything at once",
    why: DENO_FLUSHED,
  },
  {
    runtime: "deno",
    file: "transport/net-stream",
    title: "a FIN without data ends a paused stream too",
    why: DENO_PAUSED,
  },
  {
    runtime: "deno",
    file: "transport/net-stream",
    title: "what Node had read before a reset is delivered, also while paused",
    why: DENO_PAUSED,
  },
  {
    runtime: "deno",
    file: "socket/router",
    title: "mandatory waits for a full peer; EAGAIN by sendTimeout, EHOSTUNREACH if it goes (tcp)",
    why: "a peer that closes sometimes makes room before its end is told: a send that waited is taken instead of refused",
    sometimes: true,
  },
  {
    runtime: "deno",
    file: "transport/ipc",
    title: "ipc that cannot be here: connect throws what bind rejects with, and changes nothing",
    why: "the test sets process.platform, and Deno's own code then throws another error",
    sometimes: true,
  },
  {
    runtime: "deno",
    file: "transport/ipc",
    title: "a process that ends without closing leaves nothing behind, nor a listener for its exit after closing",
    why: "an error that nobody caught ends the process without `exit`: the path stays, and the next bind takes it over",
  },
  ...["Publisher", "XPublisher"].map((name) => ({
    runtime: "deno",
    file: "socket/newcomers",
    title: `${name} gives the first peer what was published while it waited to be accepted, nothing older`,
    why: "setImmediate goes round without looking for connections: the peer is accepted when nothing is kept any more",
    sometimes: true,
  })),
];

/** @param {Runtime} runtime @param {string} name */
const concerns = (runtime, name) =>
  name === runtime.kind || name === runtime.name || (name === "emulated" && runtime.emulated !== undefined);

/** Why a file is not run, or undefined. @param {Runtime} runtime @param {string} file */
export function excluded(runtime, file) {
  return EXCLUDED.find((entry) => entry.file === file && entry.runtimes.some((name) => concerns(runtime, name)))?.why;
}

/** @param {Runtime} runtime @param {string} file */
export function symptoms(runtime, file) {
  return SYMPTOMS.filter((symptom) => symptom.file === file && concerns(runtime, symptom.runtime));
}

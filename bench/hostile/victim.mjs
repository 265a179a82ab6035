/**
 * The attacked process: a socket that binds and does what its type does, and a REP beside it that answers. It tells
 * what it has measured of itself again and again, so that it is known when the process dies. impl=zmtp
 * victim={"type":"pull"}
 */

import { fileURLToPath } from "node:url";
import { getHeapStatistics } from "node:v8";
import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { obey, tell } from "../lib/program.mjs";
import { securityOptions } from "../lib/security.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LOOK_EVERY_MS = 1;
const TELL_EVERY_MS = 50;
const PUBLISH_EVERY_MS = 10;

/** Messages of `publishes` octets at a time. */
const BURST = 20;

/** Everything that says that something went wrong, in both implementations. */
const EVENTS = [
  "accept:error",
  "bind:error",
  "close:error",
  "handshake:error:auth",
  "handshake:error:protocol",
  "handshake:error:other",
];

const CLASSES = {
  pull: "Pull",
  pub: "Publisher",
  xpub: "XPublisher",
  router: "Router",
  rep: "Reply",
  sub: "Subscriber",
  pair: "Pair",
};

const { impl, victim } = readPairs();
/** @type {import("./attacks.mjs").Victim} */
const { type, options = {}, unread = false, security, zap, publishes = 0 } = JSON.parse(victim);
const { zmq } = load(impl);

/** The worst of everything, and what happened. */
const seen = {
  heap: 0,
  turn: 0,
  wait: 0,
  got: 0,
  /** @type {Record<string, number>} */
  ended: {},
  /** @type {string[]} */
  trouble: [],
};
for (const name of ["uncaughtException", "unhandledRejection", "warning"]) {
  process.on(name, (reason) => {
    const text = `${name}: ${reason?.stack ?? reason}`.replaceAll(ROOT, "");
    if (seen.trouble.length < 5) seen.trouble.push(text.slice(0, 500));
  });
}

const secured = security === undefined ? {} : securityOptions({ [security]: "1" }, "server");
const socket = new zmq[CLASSES[type]]({ linger: 0, ...secured, ...options });
const beside = new zmq.Reply({ linger: 0 });
for (const name of EVENTS) {
  socket.events.on(name, (/** @type {any} */ { error }) => {
    const what = `${name} ${error?.code ?? error?.message ?? ""}`.trim();
    seen.ended[what] = (seen.ended[what] ?? 0) + 1;
  });
}
const handler = new zmq.Router({ linger: 0 });
if (zap !== undefined) await handler.bind("inproc://zeromq.zap.01");
if (type === "sub") socket.subscribe();
await socket.bind("tcp://127.0.0.1:*");
await beside.bind("tcp://127.0.0.1:*");

async function answer(/** @type {any} */ replier) {
  for await (const request of replier) await replier.send(request).catch(() => {});
}

/** A good client's message has the time at which it was sent; what attackers send has none. */
async function receive() {
  for await (const [, stamp] of socket) {
    if (stamp?.length !== 8) continue;
    seen.got++;
    seen.wait = Math.max(seen.wait, Number(process.hrtime.bigint() - stamp.readBigUInt64BE()) / 1e6);
  }
}

async function readAll() {
  for await (const _ of socket);
}

function publish() {
  const everything = Buffer.alloc(publishes);
  setInterval(() => {
    socket.send(["good", String(Date.now())]).catch(() => {});
    for (let count = 0; publishes > 0 && count < BURST; count++) socket.send(["all", everything]).catch(() => {});
  }, PUBLISH_EVERY_MS);
}

answer(beside);
if (type === "pub" || type === "xpub") publish();
if (!unread) {
  if (type === "pull" || type === "sub") receive();
  if (type === "xpub") readAll();
  if (["router", "rep", "pair"].includes(type)) answer(socket);
}

/**
 * A turn is what lies between two runs of a timer: other timers, the loop's other work, collections. Of a machine
 * with other work the process does not have all the time, so the smaller one counts of the time that passed and the
 * processor time that was used.
 */
function look() {
  let last = performance.now();
  let lastCpu = process.cpuUsage();
  let told = 0;
  const next = () => {
    const now = performance.now();
    const cpu = process.cpuUsage();
    const cpuMs = (cpu.user + cpu.system - lastCpu.user - lastCpu.system) / 1000;
    const turn = Math.min(now - last - LOOK_EVERY_MS, cpuMs);
    last = now;
    lastCpu = cpu;
    const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
    seen.turn = Math.max(seen.turn, turn);
    seen.heap = Math.max(seen.heap, heap + external);
    if (now - told > TELL_EVERY_MS) {
      told = now;
      tell("seen", seen);
    }
    setTimeout(next, LOOK_EVERY_MS);
  };
  next();
}

const portOf = (/** @type {any} */ bound) => Number(bound.lastEndpoint.split(":").at(-1));
// The handler is named so that nobody collects it.
obey({ look: () => ({ ...seen, handlerClosed: handler.closed }) });
tell("ready", { port: portOf(socket), beside: portOf(beside) });
setTimeout(look, 200); // Starting up is not what is measured.

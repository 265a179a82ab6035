/**
 * Every scenario of the full run, in order. What is compared where:
 *
 * - round trips and large streams with raw `net`, which is the limit there;
 * - `zmtp-many` wherever a stream of small messages has a batch form;
 * - `pyzmq` in the plain cases only: it is libzmq with another language in front.
 *
 * `weight` says how many times as long as an ordinary one a scenario takes, for a run with a time limit; `rounds` is the most
 * that it gets.
 */

import { churnMemory, connectionRate, idleMemory, installSize, loadTime } from "./resources.mjs";
import { coldRoundTrip, roundTrip } from "./round-trip.mjs";
import {
  callbacks,
  helloWorld,
  latency,
  poll,
  pushPullBytes,
  ringFlood,
  ringRoundTrip,
  systemCalls,
  throughput,
} from "./seeds.mjs";
import { broker, coldStream, inproc, pubSub, pushPull } from "./streams.mjs";

const PEERS = ["zmtp", "native", "libzmq-c"];
const WITH_MANY = ["zmtp", "zmtp-many", "native", "libzmq-c"];
const WITH_NET = [...PEERS, "net"];
const WITH_PYTHON = [...WITH_MANY, "pyzmq"];

/**
 * What the bars are about, and latency and throughput by size: tables that a reader looks at first.
 *
 * @param {{ smoke?: boolean }} [options]
 * @returns {import("../lib/rounds.mjs").Scenario[]}
 */
function mainScenarios({ smoke = false } = {}) {
  const few = smoke ? 20 : 1000;
  const subscribers = smoke ? 10 : 100;
  return [
    roundTrip({ size: 1, implementations: ["zmtp-polling", ...WITH_NET, "pyzmq"] }),
    roundTrip({ size: 1024, implementations: ["zmtp-polling", ...WITH_NET] }),
    roundTrip({ size: 65_536, implementations: WITH_NET }),
    roundTrip({ size: 1, transport: "ipc", implementations: PEERS }),
    roundTrip({ size: 1, transport: "inproc", implementations: PEERS }),
    pushPull({ size: 1, implementations: PEERS }),
    pushPull({ size: 10, implementations: WITH_PYTHON }),
    pushPull({ size: 100, implementations: WITH_MANY }),
    pushPull({ size: 1024, implementations: WITH_PYTHON }),
    pushPull({ size: 8192, implementations: WITH_NET }),
    pushPull({ size: 65_536, implementations: [...WITH_NET, "pyzmq"] }),
    pushPull({ size: 1_048_576, implementations: WITH_NET }),
    pushPull({ size: 16_777_216, implementations: WITH_NET }),
    ...[10, 1024, 65_536, 1_048_576].map((size) => pushPull({ size, transport: "ipc", implementations: PEERS })),
    ...[10, 1024, 65_536].map((size) => inproc({ size, implementations: size === 10 ? WITH_MANY : PEERS })),
    pubSub({ size: 10, implementations: WITH_MANY }),
    pubSub({ size: 100, implementations: WITH_PYTHON }),
    pubSub({ size: 1024, implementations: WITH_MANY }),
    pubSub({ size: 8192, implementations: PEERS }),
    pubSub({ size: 10, subscribers: 10, implementations: PEERS }),
    ...(smoke ? [] : [pubSub({ size: 10, subscribers, implementations: WITH_MANY })]),
    pubSub({ size: 10, subscribers: smoke ? 20 : 1000, implementations: PEERS, rounds: 3, weight: 2 }),
    pubSub({ size: 10, subscribers, slow: true, implementations: PEERS, rounds: 3 }),
    pushPull({ size: 10, senders: 10, implementations: PEERS }),
    pushPull({ size: 10, senders: subscribers, implementations: PEERS }),
    ...[1, 4, 16].map((workers) => broker({ workers, implementations: PEERS })),
    pushPull({ size: 10, frames: 10, implementations: PEERS }),
    ...[10, 1024, 16_384, 65_536, 1_048_576, 16_777_216].map((size) =>
      pushPull({ size, security: "curve", implementations: PEERS }),
    ),
    pushPull({ size: 10, security: "plain", implementations: PEERS }),
    pushPull({ size: 10, idlePeers: few, implementations: PEERS }),
  ];
}

/**
 * Fresh processes for each sample: what a short program feels.
 *
 * @param {{ smoke?: boolean }} options
 * @returns {import("../lib/rounds.mjs").Scenario[]}
 */
function coldScenarios({ smoke = false }) {
  const k = smoke ? 10 : 1000;
  return [
    ...[k, 10 * k].map((count) => coldStream({ size: 10, count, implementations: PEERS })),
    ...[k, 10 * k].map((count) => coldRoundTrip({ size: 1, count, implementations: PEERS })),
  ];
}

/**
 * @param {{ smoke?: boolean, churn?: number }} options
 * @returns {import("../lib/rounds.mjs").Scenario[]}
 */
function costs({ smoke = false, churn = 20_000 }) {
  const [few, many] = smoke ? [20, 50] : [1000, 5000];
  const settleMs = smoke ? 0 : undefined;
  const topics = smoke ? [10, 100] : [10, 1000, 100_000];
  return [
    ...topics.map((count) => pubSub({ size: 10, topics: count, implementations: PEERS })),
    ...(smoke ? [] : [pubSub({ size: 10, topics: 1_000_000, implementations: PEERS, rounds: 1, weight: 6 })]),
    idleMemory({ connections: few, settleMs, implementations: WITH_NET }),
    idleMemory({ connections: many, settleMs, implementations: WITH_NET }),
    churnMemory({ connections: smoke ? 50 : churn, settleMs, implementations: PEERS }),
    connectionRate({ implementations: WITH_NET }),
    loadTime({ implementations: ["node", "zmtp", "native"] }),
    installSize({ implementations: ["zmtp", "native", "libzmq-c"] }),
  ];
}

/**
 * The published measurements.
 *
 * @param {{ smoke?: boolean }} [options]
 * @returns {import("../lib/rounds.mjs").Scenario[]}
 */
export function seedScenarios({ smoke = false } = {}) {
  const bytes = smoke ? 100_000 : undefined;
  const k = smoke ? 10 : 1000;
  return [
    ...[1, 2, 3].map((clients) => helloWorld({ clients, implementations: PEERS })),
    latency({ implementations: PEERS }),
    throughput({ implementations: PEERS }),
    poll({ implementations: PEERS }),
    ringRoundTrip({ implementations: PEERS }),
    ringFlood({ count: k, implementations: PEERS }),
    ringFlood({ count: 10 * k, rounds: 3, implementations: PEERS }),
    ringFlood({ count: 100 * k, rounds: 2, weight: 2, implementations: PEERS }),
    ringFlood({ count: 1000 * k, rounds: 1, weight: 6, implementations: PEERS }),
    callbacks({ count: smoke ? 1000 : 1_000_000 }),
    systemCalls({ kind: "round-trip", implementations: PEERS }),
    systemCalls({ kind: "stream", implementations: PEERS }),
    pushPullBytes({ transport: "tcp", bytes, implementations: PEERS }),
    pushPullBytes({ transport: "ipc", bytes, implementations: PEERS }),
    pushPullBytes({ transport: "tcp", namespaces: true, bytes, implementations: PEERS }),
    pushPullBytes({ transport: "ipc", namespaces: true, bytes, implementations: PEERS }),
  ];
}

/**
 * @param {{ smoke?: boolean, churn?: number }} [options] `smoke` makes everything that has a count small.
 * @returns {import("../lib/rounds.mjs").Scenario[]}
 */
export function allScenarios(options = {}) {
  return [...mainScenarios(options), ...coldScenarios(options), ...costs(options), ...seedScenarios(options)];
}

/**
 * What runs across a network, to another machine.
 *
 * @param {{ smoke?: boolean }} [options]
 * @returns {import("../lib/rounds.mjs").Scenario[]}
 */
export function remoteScenarios({ smoke = false } = {}) {
  const k = smoke ? 10 : 1000;
  return [
    roundTrip({ size: 1, implementations: PEERS }),
    roundTrip({ size: 1024, implementations: PEERS }),
    ...[10, 100, 1024, 65_536, 1_048_576].map((size) => pushPull({ size, implementations: PEERS })),
    ...[10, 1024, 65_536].map((size) => pushPull({ size, up: true, implementations: PEERS })),
    pubSub({ size: 100, implementations: PEERS }),
    pubSub({ size: 10, subscribers: 10, implementations: PEERS }),
    broker({ workers: 4, implementations: PEERS }),
    pushPull({ size: 1024, security: "curve", implementations: PEERS }),
    ...[1, 2, 3].map((clients) => helloWorld({ clients, implementations: PEERS })),
    ringRoundTrip({ implementations: PEERS }),
    ringFlood({ count: k, implementations: PEERS }),
    ringFlood({ count: 10 * k, rounds: 2, implementations: PEERS }),
  ];
}

/**
 * What runs on a slow processor, confined or emulated: few scenarios, as each takes long.
 *
 * @param {{ smoke?: boolean }} [_options]
 * @returns {import("../lib/rounds.mjs").Scenario[]}
 */
export function confinedScenarios(_options) {
  return [
    roundTrip({ size: 1, implementations: WITH_NET }),
    ...[10, 1024].map((size) => pushPull({ size, implementations: WITH_MANY })),
    pushPull({ size: 65_536, implementations: WITH_NET }),
    pubSub({ size: 100, implementations: PEERS }),
    pubSub({ size: 10, subscribers: 10, implementations: PEERS }),
    pushPull({ size: 1024, security: "curve", implementations: PEERS }),
    inproc({ size: 10, implementations: PEERS }),
    loadTime({ implementations: ["node", "zmtp", "native"] }),
  ];
}

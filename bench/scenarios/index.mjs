/**
 * Every scenario of the full run, in order. What is compared where:
 *
 * - round trips and large streams with raw `net`, which is the limit there;
 * - `zmtp-many` wherever a stream of small messages has a batch form.
 */

import { churnMemory, idleMemory, loadTime } from "./resources.mjs";
import { roundTrip } from "./round-trip.mjs";
import { inproc, pubSub, pushPull } from "./streams.mjs";

const PEERS = ["zmtp", "native", "libzmq-c"];
const WITH_MANY = ["zmtp", "zmtp-many", "native", "libzmq-c"];
const WITH_NET = [...PEERS, "net"];

/** The column order of every table. */
export const COLUMNS = ["zmtp", "zmtp-many", "native", "libzmq-c", "net", "node"];

/**
 * @param {{ smoke?: boolean, churn?: number }} [options] `smoke` makes everything that has a count small.
 * @returns {import("../lib/rounds.mjs").Scenario[]}
 */
export function allScenarios({ smoke = false, churn = 20_000 } = {}) {
  const [few, many] = smoke ? [20, 50] : [1000, 5000];
  const subscribers = smoke ? 10 : 100;
  const settleMs = smoke ? 0 : undefined;
  const topics = smoke ? 100 : 100_000;
  return [
    roundTrip({ size: 1, implementations: WITH_NET }),
    roundTrip({ size: 1024, implementations: WITH_NET }),
    pushPull({ size: 10, implementations: WITH_MANY }),
    pushPull({ size: 100, implementations: WITH_MANY }),
    pushPull({ size: 1024, implementations: WITH_MANY }),
    pushPull({ size: 65_536, implementations: WITH_NET }),
    pushPull({ size: 1_048_576, implementations: WITH_NET }),
    pushPull({ size: 10, transport: "ipc", implementations: PEERS }),
    pushPull({ size: 65_536, transport: "ipc", implementations: PEERS }),
    pubSub({ size: 10, implementations: WITH_MANY }),
    pubSub({ size: 100, implementations: WITH_MANY }),
    pubSub({ size: 1024, implementations: WITH_MANY }),
    pubSub({ size: 10, subscribers, implementations: WITH_MANY }),
    pushPull({ size: 10, curve: true, implementations: PEERS }),
    pushPull({ size: 1024, curve: true, implementations: PEERS }),
    pushPull({ size: 65_536, curve: true, implementations: PEERS }),
    inproc({ size: 10, implementations: WITH_MANY }),
    pushPull({ size: 10, idlePeers: few, implementations: PEERS }),
    pubSub({ size: 10, topics, implementations: PEERS }),
    idleMemory({ connections: few, settleMs, implementations: WITH_NET }),
    idleMemory({ connections: many, settleMs, implementations: WITH_NET }),
    churnMemory({ connections: smoke ? 50 : churn, settleMs, implementations: PEERS }),
    loadTime({ implementations: ["node", "zmtp", "native"] }),
  ];
}

/**
 * Streams between two processes: PUSH/PULL (plain, with CURVE, with idle peers beside it), PUB/SUB and fan-out, and
 * inproc in one process.
 */

import { join } from "node:path";
import { temporaryFolder } from "../lib/process.mjs";
import { sizeName } from "../lib/report.mjs";
import { ask, openSession, rate } from "../lib/session.mjs";

const LOOPBACK = "tcp://127.0.0.1:*";

/** Time for a hundred thousand subscriptions. */
const SYNC_MS = 30_000;

let paths = 0;

/**
 * PUSH to PULL.
 *
 * @param {{ size: number, transport?: "tcp" | "ipc", curve?: boolean, idlePeers?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function pushPull({ size, transport = "tcp", curve = false, idlePeers = 0, implementations }) {
  const suffix = [transport === "tcp" ? "" : transport, curve ? "curve" : "", idlePeers ? `${idlePeers}-idle` : ""];
  const kind = `${curve ? "CURVE " : ""}PUSH/PULL`;
  return {
    id: ["push-pull", size, ...suffix.filter(Boolean)].join("-"),
    title: `${kind} ${sizeName(size)}${transport === "tcp" ? "" : `, ${transport}`}${idlePeers ? `, ${idlePeers} idle peers` : ""}`,
    unit: size >= 65536 ? "bytes/s" : "messages/s",
    size,
    implementations,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const address = transport === "tcp" ? LOOPBACK : `ipc://${join(temporaryFolder(), `bench-${paths++}`)}`;
        const shared = { size, curve: curve ? 1 : undefined };
        const puller = start("puller", { address, ...shared });
        const bound = (await puller.next("ready")).address;
        if (idlePeers > 0) await connectIdle(start, bound, idlePeers);
        const pusher = start("pusher", { address: bound, ...shared });
        await pusher.next("ready");
        return async (durationMs) => {
          const [received, sent] = await Promise.all([
            ask(puller, "run", durationMs),
            ask(pusher, `run ${durationMs}`, durationMs),
          ]);
          return rate(received, sent, { size });
        };
      }),
  };
}

/**
 * PUB to one or more SUB in one other process. Every socket has the default high-water mark, and the publisher waits
 * at it (noDrop), in all implementations.
 *
 * @param {{ size: number, subscribers?: number, topics?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function pubSub({ size, subscribers = 1, topics = 0, implementations }) {
  const one = subscribers === 1;
  return {
    id: ["pub-sub", size, one ? "" : `to-${subscribers}`, topics ? `${topics}-topics` : ""].filter(Boolean).join("-"),
    title: `PUB/SUB ${sizeName(size)}${one ? "" : ` to ${subscribers} SUB`}${topics ? `, ${topics} other topics` : ""}`,
    unit: "messages/s",
    size,
    implementations,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const publisher = start("publisher", { address: LOOPBACK, size, receivers: subscribers });
        const { address } = await publisher.next("ready");
        const subscriber = start("subscriber", { address, sockets: subscribers, topics: topics || undefined });
        await subscriber.next("ready");
        await Promise.all([
          ask(publisher, "sync", SYNC_MS),
          ask(subscriber, "sync", SYNC_MS).then(() => publisher.send("synced")),
        ]);
        return async (durationMs) => {
          const [received, sent] = await Promise.all([
            ask(subscriber, "run", durationMs),
            ask(publisher, `run ${durationMs}`, durationMs),
          ]);
          return rate(received, sent, { size, receivers: subscribers });
        };
      }),
  };
}

/**
 * PUSH to PULL inside one process; in C the sender has its own thread.
 *
 * @param {{ size: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function inproc({ size, implementations }) {
  return {
    id: `inproc-${size}`,
    title: `inproc PUSH/PULL ${sizeName(size)}`,
    unit: "messages/s",
    size,
    implementations,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const both = start("inproc", { size });
        await both.next("ready");
        return async (durationMs) => {
          const result = await ask(both, `run ${durationMs}`, durationMs);
          return rate(result, { count: result.sent }, { size });
        };
      }),
  };
}

/**
 * Silent raw peers, of the same kind whatever the implementation under test is.
 *
 * @param {import("../lib/session.mjs").Start} start
 * @param {string} address
 * @param {number} count
 */
async function connectIdle(start, address, count) {
  const clients = start("idle-clients", { address });
  await clients.next("ready");
  await ask(clients, `connect ${count}`);
}

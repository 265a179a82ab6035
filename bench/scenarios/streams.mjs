/**
 * Streams between two processes: PUSH/PULL (plain, secured, of several frames, from several senders, with idle peers beside
 * it), PUB/SUB and fan-out, a broker, and inproc in one process. What sends is far, so that all timing is on this side; with
 * `up` it is the other way round, and the time is until this side knows that everything has arrived.
 */

import { join } from "node:path";
import { temporaryFolder } from "../lib/process.mjs";
import { sizeName } from "../lib/report.mjs";
import { ask, controlRoundTripMs, isRemote, listenAddress, openSession, rate, reach } from "../lib/session.mjs";

/** Time for a million subscriptions. */
const SYNC_MS = 120_000;

/** A slow subscriber takes one message in so many milliseconds. */
const SLOW_MS = 10;

/**
 * The default high-water mark is a thousand messages: of 16 MiB that is 16 GiB at each end. So for large ones the mark is lower, in
 * every implementation.
 */
const HIGH_WATER = { messages: 1000, bytes: 64 * 1024 * 1024 };

/** Requests in flight in the broker's test. */
const WINDOW = 32;

let paths = 0;

/** @param {(string | false | undefined)[]} parts */
const joinId = (...parts) => parts.filter(Boolean).join("-");

/**
 * PUSH to PULL.
 *
 * @param {object} options
 * @param {number} options.size Of each frame.
 * @param {"tcp" | "ipc"} [options.transport]
 * @param {"curve" | "plain"} [options.security]
 * @param {number} [options.frames]
 * @param {number} [options.senders] PUSH sockets, in one process.
 * @param {number} [options.idlePeers]
 * @param {boolean} [options.up]
 * @param {string[]} options.implementations
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function pushPull(options) {
  const { size, transport = "tcp", security, frames = 1, senders = 1, idlePeers = 0, up = false } = options;
  const whole = size * frames;
  const extra = [
    transport !== "tcp" && transport,
    frames > 1 && `${frames} frames`,
    senders > 1 && `${senders} PUSH`,
    idlePeers > 0 && `${idlePeers} idle peers`,
    up && "upwards",
  ].filter(Boolean);
  const alone = extra.length === (transport === "tcp" ? 0 : 1) && security === undefined;
  return {
    id: joinId(
      "push-pull",
      String(size),
      transport !== "tcp" && transport,
      security,
      frames > 1 && `${frames}-frames`,
      senders > 1 && `from-${senders}`,
      idlePeers > 0 && `${idlePeers}-idle`,
      up && "up",
    ),
    title: [`${security ? `${security.toUpperCase()} ` : ""}PUSH/PULL ${sizeName(size)}`, ...extra].join(", "),
    unit: whole >= 65536 ? "bytes/s" : "messages/s",
    size: whole,
    chart: alone ? { name: `throughput-${transport}`, x: size } : undefined,
    implementations: options.implementations,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const secured = security === undefined ? {} : { [security]: 1 };
        const mark = Math.max(2, Math.floor(HIGH_WATER.bytes / whole));
        const several = {
          frames: frames > 1 ? frames : undefined,
          mark: mark < HIGH_WATER.messages ? mark : undefined,
          ...secured,
        };
        const own = transport === "tcp" ? listenAddress() : `ipc://${join(temporaryFolder(), `bench-${paths++}`)}`;
        const many = senders > 1 ? senders : undefined;
        const puller = start("puller", { address: own, size, senders: many, ...several }, { far: up });
        const bound = reach((await puller.next("ready")).address, up ? "far" : "near");
        if (idlePeers > 0) await connectIdle(start, bound, idlePeers);
        const pusher = start("pusher", { address: bound, size, sockets: many, ...several }, { far: !up });
        await pusher.next("ready");
        return async (durationMs) => {
          const before = performance.now();
          let here = 0;
          const [received, sent] = await Promise.all([
            ask(puller, "run", durationMs).finally(() => {
              here = performance.now() - before;
            }),
            ask(pusher, `run ${durationMs}`, durationMs),
          ]);
          const sample = rate(received, sent, { size: whole });
          if (!up || !isRemote()) return sample;
          const seconds = (here - (await controlRoundTripMs()) / 2) / 1000;
          return { ...sample, value: Number(sample.count) / seconds, seconds };
        };
      }),
  };
}

/**
 * The first messages of two fresh processes, before any compiler has been there.
 *
 * @param {{ size: number, count: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function coldStream({ size, count, implementations }) {
  return {
    id: `cold-push-pull-${size}-${count}`,
    title: `cold: the first ${count} messages of ${sizeName(size)}`,
    unit: "messages/s",
    size,
    implementations,
    once: true,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const puller = start("puller", { address: listenAddress(), size });
        const bound = reach((await puller.next("ready")).address, "near");
        const pusher = start("pusher", { address: bound, size }, { far: true });
        await pusher.next("ready");
        return async () => {
          const [received, sent] = await Promise.all([ask(puller, "run"), ask(pusher, `count ${count}`)]);
          return rate(received, sent, { size });
        };
      }),
  };
}

/**
 * PUB to one or more SUB in one other process. Every socket has the default high-water mark, and the publisher waits
 * at it (noDrop), in all implementations. Only beside a slow subscriber it drops, as PUB does by default: what is measured
 * then is what reaches the others.
 *
 * @param {{ size: number, subscribers?: number, topics?: number, slow?: boolean, implementations: string[], rounds?: number, weight?: number }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function pubSub({ size, subscribers = 1, topics = 0, slow = false, implementations, rounds, weight }) {
  const one = subscribers === 1;
  const extra = `${topics ? `, ${topics} other topics` : ""}${slow ? " and a slow one" : ""}`;
  return {
    id: joinId("pub-sub", String(size), !one && `to-${subscribers}`, topics > 0 && `${topics}-topics`, slow && "slow"),
    title: `PUB/SUB ${sizeName(size)}${one ? "" : ` to ${subscribers} SUB`}${extra}`,
    unit: "messages/s",
    size,
    rounds,
    weight,
    once: slow,
    chart: chartOf(size, subscribers, topics, slow),
    implementations,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const drops = slow ? 1 : undefined;
        const publisher = start(
          "publisher",
          { address: listenAddress(), size, receivers: subscribers, drops },
          { far: true },
        );
        const address = reach((await publisher.next("ready")).address, "far");
        const subscriber = start("subscriber", { address, sockets: subscribers, topics: topics || undefined });
        await subscriber.next("ready");
        if (slow) await start("subscriber", { address, slow: SLOW_MS }).next("ready");
        await Promise.all([
          ask(publisher, "sync", SYNC_MS),
          ask(subscriber, "sync", SYNC_MS).then(() => publisher.send("synced")),
        ]);
        return async (durationMs) => {
          const [received, sent] = await Promise.all([
            ask(subscriber, "run", durationMs).then((result) => {
              if (slow) publisher.send("ended");
              return result;
            }),
            ask(publisher, `run ${durationMs}`, durationMs),
          ]);
          return rate(received, sent, { size, receivers: subscribers, mayDrop: slow });
        };
      }),
  };
}

/** @param {number} size @param {number} subscribers @param {number} topics @param {boolean} slow */
function chartOf(size, subscribers, topics, slow) {
  if (slow || size !== 10) return undefined;
  if (topics > 0) return { name: "topics", x: topics };
  return { name: "fan-out", x: subscribers };
}

/**
 * A ROUTER/DEALER broker between a client that keeps requests in flight and so many REP workers.
 *
 * @param {{ workers: number, size?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function broker({ workers, size = 10, implementations }) {
  return {
    id: `broker-${workers}`,
    title: `ROUTER/DEALER broker, ${workers} worker${workers === 1 ? "" : "s"}, ${WINDOW} in flight`,
    unit: "messages/s",
    size,
    implementations,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const middle = start("broker", { address: listenAddress() }, { far: true });
        const { address, back } = await middle.next("ready");
        await start("workers", { address: reach(back, "far"), workers }).next("ready");
        const client = start("window", { address: reach(address, "far"), size, window: WINDOW });
        await client.next("ready");
        return async (durationMs) => {
          const result = await ask(client, `run ${durationMs}`, durationMs);
          return rate(result, { count: result.count }, { size });
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
    chart: { name: "throughput-inproc", x: size },
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

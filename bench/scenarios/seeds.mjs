/**
 * The five published measurements, by the programs in seeds/ as a person starts them: what is measured is read from what they
 * print. Counts are chosen so that a sample takes the time it should.
 */

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FAR_ADDRESS, namespacesMissing, openNamespaces } from "../lib/namespaces.mjs";
import { Command, temporaryFolder } from "../lib/process.mjs";
import { programCommand } from "../lib/programs.mjs";
import { ask, openSession, reach, startFar } from "../lib/session.mjs";
import { median } from "../lib/statistics.mjs";
import { countSystemCalls, straceMissing } from "../lib/system-calls.mjs";

const PORTS = { first: 20_000, count: 10_000 };
const UP_WITHIN_MS = 10_000;

/** The first sample's guess of a rate; later ones know it. */
const FIRST_ROUND_TRIPS = 2000;
const FIRST_MESSAGES = 20_000;

let ports = process.pid * 7;

/** A port that is free on this machine, and likely so on the other one. */
async function freePort() {
  for (;;) {
    const port = PORTS.first + (ports++ % PORTS.count);
    const server = createServer();
    const free = await new Promise((resolve) => {
      server.on("error", () => resolve(false)).listen(port, () => resolve(true));
    });
    server.close();
    if (free) return port;
  }
}

/** @param {string} address `tcp://host:port`, which a server binds within some time. */
async function untilUp(address) {
  const { hostname, port } = new URL(address.replace("tcp:", "http:"));
  for (const late = performance.now() + UP_WITHIN_MS; performance.now() < late; await sleep(20)) {
    const socket = connect(Number(port), hostname.replace(/[[\]]/g, ""));
    try {
      await once(socket, "connect");
      return;
    } catch {
      // Not yet.
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`nothing listens at ${address}`);
}

/**
 * @param {string} implementation
 * @param {string} program In seeds/.
 * @param {(string | number)[]} args
 * @param {{ wrap?: import("../lib/process.mjs").Wrapper, onLine?: (line: string) => void, env?: Record<string, string> }} [settings]
 */
function startSeed(implementation, program, args, settings) {
  const command = programCommand(implementation, `seeds/${program}`, args.map(String));
  return new Command(`${program} (${implementation})`, ...command, settings);
}

/**
 * The numbers a program printed, by what stands before or behind them.
 *
 * @param {string[]} lines
 * @param {RegExp} pattern With one group.
 */
function numbers(lines, pattern) {
  const found = lines.map((line) => line.match(pattern)?.[1]).filter((text) => text !== undefined);
  if (found.length === 0) throw new Error(`not printed: ${pattern}`);
  return found.map(Number);
}

/**
 * @param {number} rate Expected, a second.
 * @param {number} durationMs
 * @param {number} least
 */
function countFor(rate, durationMs, least) {
  return Math.max(least, Math.round((rate * durationMs) / 1000));
}

/**
 * 1. Hello World and its timing, with so many clients at once.
 *
 * @param {{ clients: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function helloWorld({ clients, implementations }) {
  return {
    id: `seed1-hello-${clients}`,
    title: `1. Hello World, ${clients} client${clients === 1 ? "" : "s"}`,
    unit: "messages/s",
    implementations,
    open: async (implementation) => {
      const port = await freePort();
      const server = startFar(implementation, "hello-world/hwserver_timing", [`tcp://*:${port}`]);
      const address = reach(`tcp://127.0.0.1:${port}`, "far");
      let rate = FIRST_ROUND_TRIPS;
      await untilUp(address);
      return {
        async sample(durationMs) {
          const count = countFor(rate / clients, durationMs, 100);
          const running = Array.from({ length: clients }, () =>
            startSeed(implementation, "hello-world/hwclient_timing", [count, address]),
          );
          const each = (await Promise.all(running.map(({ done }) => done))).map(
            (lines) => numbers(lines, /([\d.]+) messages \/ sec/)[0],
          );
          rate = each.reduce((sum, one) => sum + one, 0);
          return { value: rate, each, messages: count };
        },
        close: () => server.stop(),
      };
    },
  };
}

/**
 * 2. Latency: the mean one way.
 *
 * @param {{ implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function latency({ implementations }) {
  return {
    id: "seed2-latency",
    title: "2. latency, 1 B, both ends in one process",
    unit: "µs",
    implementations,
    open: async (implementation) => {
      let rate = FIRST_ROUND_TRIPS;
      return {
        async sample(durationMs) {
          const count = countFor(rate, durationMs, 100);
          const lines = await startSeed(implementation, "latency", ["tcp://127.0.0.1:*", 1, count]).done;
          const value = numbers(lines, /average latency: ([\d.]+)/)[0];
          rate = 1e6 / (value * 2);
          return { value, roundTrips: count, said: lines.at(-1) };
        },
        async close() {},
      };
    },
  };
}

/**
 * 2. Throughput: PUB/SUB, every message wanted, none lost.
 *
 * @param {{ implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function throughput({ implementations }) {
  return {
    id: "seed2-throughput",
    title: "2. throughput, PUB/SUB, 10 B, both ends in one process",
    unit: "messages/s",
    implementations,
    open: async (implementation) => {
      let rate = FIRST_MESSAGES;
      return {
        async sample(durationMs) {
          const count = countFor(rate, durationMs, 1000);
          const address = `tcp://127.0.0.1:${await freePort()}`;
          const lines = await startSeed(implementation, "throughput", [address, 10, count]).done;
          rate = numbers(lines, /mean throughput: ([\d.]+) \[msg/)[0];
          return { value: rate, messages: count, peakMiB: Math.max(...numbers(lines, /peak memory: ([\d.]+)/)) };
        },
        async close() {},
      };
    },
  };
}

/**
 * 2. Poll: round trips of three pairs in one process. The value is of async iteration (of zmq_poll in C).
 *
 * @param {{ implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function poll({ implementations }) {
  return {
    id: "seed2-poll",
    title: "2. poll, three pairs in one process, round trips",
    unit: "messages/s",
    implementations,
    open: async (implementation) => {
      let rate = FIRST_ROUND_TRIPS;
      return {
        async sample(durationMs) {
          const count = countFor(rate / 3, durationMs / 2, 50);
          const lines = await startSeed(implementation, "poll", ["tcp://127.0.0.1:*", 1, count]).done;
          const [value, withTimeouts] = numbers(lines, /([\d.]+) \[roundtrips\/s\]/);
          rate = value;
          return { value, withTimeouts };
        },
        async close() {},
      };
    },
  };
}

/**
 * The ring: hubs 1 and 3 are far, so that with another machine every hop crosses the network.
 *
 * @param {string} implementation
 * @param {(string | number)[]} masterArgs Laps and floods.
 * @param {(line: string) => void} [onLine]
 */
export async function openRing(implementation, masterArgs, onLine) {
  const [zero, one, two, three] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const bind = (/** @type {number} */ port) => `tcp://*:${port}`;
  const near = (/** @type {number} */ port) => reach(`tcp://127.0.0.1:${port}`, "near");
  const far = (/** @type {number} */ port) => reach(`tcp://127.0.0.1:${port}`, "far");
  const nodes = [
    startFar(implementation, "ring/hub", ["topic1", "topic2", near(zero), bind(one)]),
    startSeed(implementation, "ring/hub", ["topic2", "topic3", far(one), bind(two)]),
    startFar(implementation, "ring/hub", ["topic3", "topic4", near(two), bind(three)]),
  ];
  const master = startSeed(implementation, "ring/master", [far(three), bind(zero), ...masterArgs], { onLine });
  return {
    done: master.done,
    close: async () => {
      await Promise.all([master, ...nodes].map((node) => node.stop()));
    },
  };
}

/**
 * 3. Round trip: milliseconds a lap; the median of ten.
 *
 * @param {{ implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function ringRoundTrip({ implementations }) {
  return ring(
    { id: "seed3-round-trip", title: "3. ring, round trip", unit: "ms", implementations, args: [20] },
    (lines) => {
      const laps = numbers(lines, /round trip: ([\d.]+)/).slice(10); // The first ten warm up four processes.
      return { value: median(laps), laps };
    },
  );
}

/**
 * 3. Flood: seconds from the first sent to the last received.
 *
 * @param {{ count: number, rounds?: number, weight?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function ringFlood({ count, rounds, weight, implementations }) {
  const title = `3. ring, flood of ${count >= 1000 ? `${count / 1000} k` : count}`;
  const args = [1, Math.min(count, 1000), count];
  return ring({ id: `seed3-flood-${count}`, title, unit: "s", implementations, args, rounds, weight }, (lines) => ({
    value: /** @type {number} */ (numbers(lines, /flood \d+: ([\d.]+)/).at(-1)),
  }));
}

/**
 * @param {{ id: string, title: string, unit: "ms" | "s", implementations: string[], args: number[], rounds?: number, weight?: number }} options
 * @param {(lines: string[]) => import("../lib/session.mjs").Sample} read
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
function ring({ args, ...scenario }, read) {
  return {
    ...scenario,
    once: true,
    open: async (implementation) => {
      const running = await openRing(implementation, args);
      return { sample: async () => read(await running.done), close: running.close };
    },
  };
}

/**
 * 4. A million callbacks without delay: the wall time of setImmediate; what else was printed is kept.
 *
 * @param {{ count: number }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function callbacks({ count }) {
  return {
    id: "seed4-callbacks",
    title: `4. ${count >= 1000 ? `${count / 1000} k` : count} callbacks by setImmediate`,
    unit: "s",
    implementations: ["node"],
    once: true,
    open: async (implementation) => ({
      async sample() {
        const lines = await startSeed(implementation, "event-loop/callbacks", [count]).done;
        return { value: numbers(lines, /setImmediate.* ([\d.]+) s wall/)[0], said: lines };
      },
      async close() {},
    }),
  };
}

/**
 * 4. System calls of both ends: of a round trip, or of a thousand streamed messages.
 *
 * @param {{ kind: "round-trip" | "stream", size?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function systemCalls({ kind, size = 10, implementations }) {
  const trips = kind === "round-trip";
  return {
    id: `seed4-syscalls-${kind}`,
    title: trips ? "4. system calls of a round trip" : `4. system calls of 1000 messages of ${size} B`,
    unit: "calls",
    implementations,
    once: true,
    rounds: 2,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const reason = straceMissing();
        if (reason !== undefined) throw new Error(reason);
        const bound = start(trips ? "replier" : "puller", { address: "tcp://127.0.0.1:*", size });
        const { address } = await bound.next("ready");
        const other = start(trips ? "requester" : "pusher", { address, size });
        await other.next("ready");
        const run = async (/** @type {number} */ ms) => {
          const both = await Promise.all([ask(other, `run ${ms}`, ms), trips ? {} : ask(bound, "run", ms)]);
          return both[0].count;
        };
        const pids = [bound, other].map((one) => Number(/** @type {any} */ (one).pid));
        return async (durationMs) => {
          await run(durationMs / 2);
          const { result, calls, byName } = await countSystemCalls(pids, () => run(durationMs));
          return { value: (calls / result) * (trips ? 1 : 1000), messages: result, byName };
        };
      }),
  };
}

/**
 * 5. PUSH/PULL bytes a second, on one network stack or between two.
 *
 * @param {{ transport: "tcp" | "ipc", namespaces?: boolean, bytes?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function pushPullBytes({ transport, namespaces = false, bytes = 10_000_000, implementations }) {
  return {
    id: `seed5-${transport}${namespaces ? "-namespaces" : ""}`,
    title: `5. PUSH/PULL ${bytes / 1e6} MB, ${transport}${namespaces ? ", two network stacks" : ""}`,
    unit: "bytes/s",
    size: bytes,
    implementations,
    open: async (implementation) => {
      const reason = namespaces ? namespacesMissing() : undefined;
      if (reason !== undefined) throw new Error(reason);
      const stacks = namespaces ? await openNamespaces() : undefined;
      const host = namespaces ? FAR_ADDRESS : "127.0.0.1";
      let rate = 20;
      return {
        async sample(durationMs) {
          const port = await freePort();
          const path = `ipc://${join(temporaryFolder(), `bytes-${port}`)}`;
          const args = [bytes, Math.min(1000, countFor(rate, durationMs, 5))];
          const consumer = startSeed(
            implementation,
            "push-pull-bytes/consumer",
            [transport === "tcp" ? `tcp://*:${port}` : path, ...args],
            { wrap: stacks?.far },
          );
          await sleep(300); // A producer that has to connect again loses 100 ms, and memory fills meanwhile.
          const producer = startSeed(
            implementation,
            "push-pull-bytes/producer",
            [transport === "tcp" ? `tcp://${host}:${port}` : path, ...args],
            { wrap: stacks?.near },
          );
          try {
            const [lines] = await Promise.all([consumer.done, producer.done]);
            rate = (numbers(lines, /throughput: ([\d.]+)/)[0] * 2 ** 30) / bytes;
            return { value: rate, messages: args[1] };
          } finally {
            await Promise.all([consumer.stop(), producer.stop()]);
          }
        },
        close: async () => stacks?.close(),
      };
    },
  };
}

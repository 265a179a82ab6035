/**
 * What an implementation costs when it does nothing: memory for each idle connection, memory that connections leave
 * behind, and the time to load it.
 */

import { modulePath } from "../lib/implementation.mjs";
import { Child } from "../lib/process.mjs";
import { ask, openSession } from "../lib/session.mjs";

/** Opened before the first reading, so that code and tables that all connections share are not counted. */
const FIRST_CONNECTIONS = 100;

/** How long a process is left alone, twice, before its memory is read. */
const SETTLE_MS = 200;

const LOOPBACK = "tcp://127.0.0.1:*";

/**
 * Resident octets of the bound process for each of so many silent peers.
 *
 * @param {{ connections: number, settleMs?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function idleMemory({ connections, settleMs = SETTLE_MS, implementations }) {
  return {
    id: `memory-${connections}`,
    title: `memory per connection, ${connections} idle`,
    unit: "bytes",
    implementations,
    once: true,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const { server, clients } = await startPair(start);
        return async () => {
          await ask(clients, `connect ${FIRST_CONNECTIONS}`);
          const before = (await ask(server, `memory ${settleMs}`)).bytes;
          const { held } = await ask(clients, `connect ${connections}`, 60_000);
          const after = (await ask(server, `memory ${settleMs}`)).bytes;
          return { value: (after - before) / connections, before, after, held };
        };
      }),
  };
}

/**
 * Growth of the bound process over so many connections that come and go, in octets each, after as many before.
 *
 * @param {{ connections: number, settleMs?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function churnMemory({ connections, settleMs = SETTLE_MS, implementations }) {
  return {
    id: `churn-${connections}`,
    title: `memory left per connection, ${connections} come and gone`,
    unit: "bytes",
    implementations,
    once: true,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const { server, clients } = await startPair(start);
        return async () => {
          await ask(clients, `churn ${connections}`, 600_000);
          const before = (await ask(server, `memory ${settleMs}`)).bytes;
          await ask(clients, `churn ${connections}`, 600_000);
          const after = (await ask(server, `memory ${settleMs}`)).bytes;
          return { value: (after - before) / connections, before, after };
        };
      }),
  };
}

/**
 * Wall time of a process that does nothing but `require`; "node" is one that requires nothing.
 *
 * @param {{ implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function loadTime({ implementations }) {
  return {
    id: "load",
    title: "process that loads it and ends",
    unit: "ms",
    implementations,
    samples: 5,
    open: async (implementation) => {
      const script = implementation === "node" ? "" : `require(${JSON.stringify(modulePath(implementation))})`;
      const text = `const t = performance.now(); ${script}; console.log(JSON.stringify({ event: "done", requireMs: performance.now() - t })); process.exit()`;
      return {
        async sample() {
          const start = performance.now();
          const child = new Child(`load (${implementation})`, process.execPath, ["-e", text]);
          const { requireMs } = await child.next("done");
          await child.ended;
          return { value: performance.now() - start, requireMs };
        },
        async close() {},
      };
    },
  };
}

/** @param {import("../lib/session.mjs").Start} start */
async function startPair(start) {
  const server = start("idle-server", { address: LOOPBACK }, ["--expose-gc"]);
  const { address } = await server.next("ready");
  const clients = start("idle-clients", { address });
  await clients.next("ready");
  return { server, clients };
}

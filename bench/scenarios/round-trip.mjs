/**
 * REQ/REP, one message in flight. The value is the mean round trip in microseconds; p50, p99, the maximum and more of the
 * distribution are kept. The REP is far.
 */

import { join } from "node:path";
import { temporaryFolder } from "../lib/process.mjs";
import { sizeName } from "../lib/report.mjs";
import { ask, listenAddress, openSession, reach } from "../lib/session.mjs";

let paths = 0;

/**
 * @param {{ size: number, transport?: "tcp" | "ipc" | "inproc", implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function roundTrip({ size, transport = "tcp", implementations }) {
  const other = transport === "tcp" ? "" : transport;
  return {
    id: ["req-rep", size, other].filter(Boolean).join("-"),
    title: `REQ/REP round trip ${sizeName(size)}${other && `, ${other}`}`,
    unit: "µs",
    chart: transport === "tcp" ? { name: "round-trip", x: size } : undefined,
    implementations,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const requester = await (transport === "inproc" ? startInproc(start, size) : startPair(start, size, transport));
        return async (durationMs) => {
          const result = await ask(requester, `run ${durationMs}`, durationMs);
          return { value: result.mean, ...result };
        };
      }),
  };
}

/**
 * The first round trips of two fresh processes, before any compiler has been there.
 *
 * @param {{ size: number, count: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function coldRoundTrip({ size, count, implementations }) {
  return {
    id: `cold-req-rep-${size}-${count}`,
    title: `cold: the first ${count} round trips`,
    unit: "µs",
    implementations,
    once: true,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const requester = await startPair(start, size, "tcp");
        return async () => {
          const result = await ask(requester, `count ${count}`);
          return { value: result.mean, ...result };
        };
      }),
  };
}

/** @param {import("../lib/session.mjs").Start} start @param {number} size */
async function startInproc(start, size) {
  const both = start("inproc-exchange", { size });
  await both.next("ready");
  return both;
}

/** @param {import("../lib/session.mjs").Start} start @param {number} size @param {"tcp" | "ipc"} transport */
async function startPair(start, size, transport) {
  const own = transport === "ipc" ? `ipc://${join(temporaryFolder(), `trip-${paths++}`)}` : listenAddress();
  const replier = start("replier", { address: own }, { far: true });
  const { address } = await replier.next("ready");
  const requester = start("requester", { address: reach(address, "far"), size });
  await requester.next("ready");
  return requester;
}

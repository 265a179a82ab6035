/**
 * REQ/REP, one message in flight. The value is the mean round trip in microseconds; p50, p99 and the maximum are kept.
 */

import { sizeName } from "../lib/report.mjs";
import { ask, openSession } from "../lib/session.mjs";

/**
 * @param {{ size: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function roundTrip({ size, implementations }) {
  return {
    id: `req-rep-${size}`,
    title: `REQ/REP round trip ${sizeName(size)}`,
    unit: "µs",
    implementations,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const replier = start("replier", { address: "tcp://127.0.0.1:*" });
        const { address } = await replier.next("ready");
        const requester = start("requester", { address, size });
        await requester.next("ready");
        return async (durationMs) => {
          const result = await ask(requester, `run ${durationMs}`, durationMs);
          return { value: result.mean, ...result };
        };
      }),
  };
}

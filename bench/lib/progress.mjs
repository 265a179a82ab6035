/**
 * Tells how far a measurement is: one line that rewrites itself on a terminal, plain lines elsewhere.
 */

import { formatValue, medianOf } from "./report.mjs";

/**
 * @param {number} total Samples that will be taken.
 * @param {NodeJS.WriteStream} [out]
 */
export function createProgress(total, out = process.stderr) {
  const start = performance.now();
  let done = 0;
  const seconds = () => `${Math.round((performance.now() - start) / 1000)} s`;
  return {
    /**
     * @param {import("./rounds.mjs").Scenario} scenario
     * @param {string} name
     * @param {number} round
     */
    onStart(scenario, name, round) {
      if (!out.isTTY) return;
      out.write(`\r\x1b[K[${done}/${total}, ${seconds()}] ${scenario.title}: ${name}, round ${round + 1}`);
    },
    onSample() {
      done++;
    },
    /** @param {import("./rounds.mjs").Result} result */
    onResult(result) {
      const values = result.scenario.implementations.map((name) => {
        const value = medianOf(result, name);
        return `${name} ${value === undefined ? "–" : formatValue(value, result.scenario)}`;
      });
      out.write(`${out.isTTY ? "\r\x1b[K" : ""}[${seconds()}] ${result.scenario.title}: ${values.join(", ")}\n`);
    },
  };
}

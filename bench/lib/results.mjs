/**
 * Results as files: one JSON object a line. The first line is the head (machine, settings, label), then one for each sample, as
 * it was taken, and one for each gap.
 */

import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {import("./rounds.mjs").Result} Result
 * @typedef {{ machine: Record<string, string | number>, nodes?: Record<string, string>, far?: Record<string, string | number>, label: string, rounds: number, durationMs?: number, minutes?: number, conditions?: string }} Head
 * @typedef {{ head: Head, results: Result[], path: string }} Measured
 */

const FOLDER = fileURLToPath(new URL("../results", import.meta.url));

/**
 * A file to which lines are added as they come.
 *
 * @param {Head} head
 * @param {boolean} part Of the scenarios or implementations only: not to be committed.
 */
export function createResults(head, part) {
  const folder = part ? join(FOLDER, "partial") : FOLDER;
  mkdirSync(folder, { recursive: true });
  const base = join(folder, `${String(head.machine.date).slice(0, 19).replaceAll(":", "")}-${head.label}`);
  const keep = (/** @type {object} */ line) => appendFileSync(`${base}.jsonl`, `${JSON.stringify(line)}\n`);
  const about = (/** @type {import("./rounds.mjs").Scenario} */ { id, title, unit, size, chart }) => ({
    scenario: id,
    title,
    unit,
    size,
    chart,
  });
  keep(head);
  return {
    base,
    /**
     * @param {import("./rounds.mjs").Scenario} scenario
     * @param {string} implementation
     * @param {number} round
     * @param {object} sample
     */
    onSample(scenario, implementation, round, sample) {
      keep({ ...about(scenario), implementation, round, ...sample });
    },
    /**
     * @param {import("./rounds.mjs").Scenario} scenario
     * @param {string} implementation
     * @param {string} gap
     */
    onGap(scenario, implementation, gap) {
      keep({ ...about(scenario), implementation, gap });
    },
  };
}

/**
 * @param {string} path
 * @returns {Measured}
 */
export function readResults(path) {
  const [head, ...lines] = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  /** @type {Map<string, Result>} */
  const results = new Map();
  for (const { scenario: id, title, unit, size, chart, implementation, round, gap, ...sample } of lines) {
    let result = results.get(id);
    if (result === undefined) {
      const scenario = /** @type {any} */ ({ id, title, unit, size, chart, implementations: [] });
      result = { scenario, samples: new Map(), gaps: new Map() };
      results.set(id, result);
    }
    if (!result.scenario.implementations.includes(implementation)) result.scenario.implementations.push(implementation);
    if (gap !== undefined) result.gaps.set(implementation, gap);
    else result.samples.set(implementation, [...(result.samples.get(implementation) ?? []), { round, ...sample }]);
  }
  return { head, results: [...results.values()], path };
}

/**
 * The newest complete file of each label.
 *
 * @returns {Map<string, Measured>}
 */
export function newestResults() {
  /** @type {Map<string, Measured>} */
  const newest = new Map();
  for (const name of readdirSync(FOLDER).sort()) {
    if (!name.endsWith(".jsonl")) continue;
    const measured = readResults(join(FOLDER, name));
    newest.set(measured.head.label, measured);
  }
  return newest;
}

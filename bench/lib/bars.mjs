/**
 * The goals for speed, each as ratios of medians out of one run, and whether they were met. Nothing here fails a build.
 */

import { formatRatio, medianOf, table } from "./report.mjs";

/**
 * @typedef {import("./rounds.mjs").Result} Result
 *
 * @typedef {object} Bar
 * @property {string} title
 * @property {string[]} scenarios Their ids; the bar is for each of them.
 * @property {Goal[]} goals
 *
 * @typedef {object} Goal
 * @property {string} text The goal in words.
 * @property {string} [subject] Whose median is above the line; `zmtp` unless it says otherwise.
 * @property {string} against Whose is below.
 * @property {number} [atLeast]
 * @property {number} [atMost]
 * @property {string} [base] The scenario the `against` is taken from, when it is not the same one.
 * @property {boolean} [difference] Take the difference, not the ratio.
 */

/** @type {(against: string, atLeast: number) => Goal} */
const atLeast = (against, ratio) => ({ text: `≥ ${ratio} × ${against}`, against, atLeast: ratio });
/** @type {(against: string, atMost: number) => Goal} */
const atMost = (against, ratio) => ({ text: `≤ ${ratio} × ${against}`, against, atMost: ratio });

/** @type {Bar[]} */
const BARS = [
  {
    title: "round trip time",
    scenarios: ["req-rep-1", "req-rep-1024"],
    goals: [atMost("libzmq-c", 0.5), atMost("native", 0.25), atMost("net", 1.15)],
  },
  {
    title: "small messages a second",
    scenarios: ["push-pull-10", "push-pull-100", "pub-sub-10", "pub-sub-100"],
    goals: [atLeast("libzmq-c", 2), atLeast("native", 20)],
  },
  { title: "messages a second", scenarios: ["push-pull-1024", "pub-sub-1024"], goals: [atLeast("libzmq-c", 2)] },
  {
    title: "octets a second",
    scenarios: ["push-pull-65536", "push-pull-1048576"],
    goals: [atLeast("net", 0.85), atLeast("libzmq-c", 1.5)],
  },
  {
    title: "fan-out, deliveries a second",
    scenarios: ["pub-sub-10-to-100"],
    goals: [atLeast("libzmq-c", 1), atLeast("native", 20)],
  },
  {
    title: "CURVE",
    scenarios: ["push-pull-10-curve", "push-pull-1024-curve", "push-pull-65536-curve"],
    goals: [atLeast("libzmq-c", 1)],
  },
  { title: "inproc, same thread", scenarios: ["inproc-10"], goals: [atLeast("native", 20)] },
  { title: "memory a connection", scenarios: ["memory-1000", "memory-5000"], goals: [atMost("native", 0.6)] },
  {
    title: "rate beside idle peers",
    scenarios: ["push-pull-10-1000-idle"],
    goals: [{ text: "≈ 1 × without them", against: "zmtp", base: "push-pull-10", atLeast: 0.9 }],
  },
  {
    title: "rate beside subscriptions that do not match",
    scenarios: ["pub-sub-10-100000-topics"],
    goals: [{ text: "≈ 1 × without them", against: "zmtp", base: "pub-sub-10", atLeast: 0.9 }],
  },
  {
    title: "load time",
    scenarios: ["load"],
    goals: [{ text: "≤ 15 ms over bare Node", against: "node", atMost: 15, difference: true }],
  },
];

/**
 * The table of the bars whose scenarios were run: goal, measured, met or not. One without both of its numbers shows a dash.
 *
 * @param {Result[]} results
 * @returns {string}
 */
export function barTable(results) {
  const byId = new Map(results.map((result) => [result.scenario.id, result]));
  const rows = [["bar", "scenario", "goal", "measured", "met"]];
  for (const bar of BARS) {
    for (const id of bar.scenarios.filter((one) => byId.has(one))) {
      for (const goal of bar.goals)
        rows.push([bar.title, byId.get(id)?.scenario.title ?? id, ...judge(byId, id, goal)]);
    }
  }
  return rows.length === 1 ? "None of the bars' scenarios were run." : table(rows);
}

/**
 * @param {Map<string, Result>} byId
 * @param {string} id
 * @param {Goal} goal
 * @returns {[string, string, string]}
 */
function judge(byId, id, goal) {
  const own = medianOf(byId.get(id), goal.subject ?? "zmtp");
  const theirs = medianOf(byId.get(goal.base ?? id), goal.against);
  if (own === undefined || theirs === undefined) return [goal.text, "–", "–"];
  const measured = goal.difference ? own - theirs : own / theirs;
  const met = measured >= (goal.atLeast ?? -Infinity) && measured <= (goal.atMost ?? Infinity);
  return [goal.text, goal.difference ? `${measured.toFixed(1)} ms` : formatRatio(measured), met ? "yes" : "no"];
}

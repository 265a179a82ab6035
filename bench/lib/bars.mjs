/**
 * The goals for speed, each as ratios of medians out of one run, and whether they were met. Nothing here fails a build.
 */

import { advantage, faultsOfMessage, formatRatio, medianOf, table } from "./report.mjs";

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
 * @property {Judge} [of] What is judged, when it is not the ratio of the two medians.
 *
 * @typedef {(own: Result | undefined, other: Result | undefined, goal: Goal) => number | undefined} Judge
 */

/** @type {(against: string, atLeast: number, more?: Partial<Goal>) => Goal} */
const atLeast = (against, ratio, more) => ({
  text: goalText("≥", ratio, against, more),
  against,
  atLeast: ratio,
  ...more,
});
/** @type {(against: string, atMost: number, more?: Partial<Goal>) => Goal} */
const atMost = (against, ratio, more) => ({
  text: goalText("≤", ratio, against, more),
  against,
  atMost: ratio,
  ...more,
});

/** @type {(sign: string, ratio: number, against: string, more?: Partial<Goal>) => string} */
function goalText(sign, ratio, against, more) {
  const subject = more?.subject === undefined ? "" : `${more.subject} `;
  return `${subject}${sign} ${ratio} × ${against}`;
}

const MANY = { subject: "zmtp-many" };

/** @type {Bar[]} */
const BARS = [
  {
    title: "round trip time",
    scenarios: ["req-rep-1", "req-rep-1024"],
    goals: [atMost("libzmq-c", 0.5), atMost("native", 0.3), atMost("net", 1.3)],
  },
  {
    title: "round trip time, polling",
    scenarios: ["req-rep-1", "req-rep-1024"],
    goals: [atMost("libzmq-c", 0.4, { subject: "zmtp-polling" }), atMost("net", 1, { subject: "zmtp-polling" })],
  },
  {
    title: "small messages a second",
    scenarios: ["push-pull-10", "push-pull-100", "pub-sub-10", "pub-sub-100"],
    goals: [atLeast("libzmq-c", 1), atLeast("native", 20), atLeast("libzmq-c", 2, MANY)],
  },
  {
    title: "messages a second",
    scenarios: ["push-pull-1024", "push-pull-8192", "pub-sub-1024", "pub-sub-8192"],
    goals: [atLeast("libzmq-c", 2)],
  },
  {
    title: "octets a second",
    scenarios: ["push-pull-65536", "push-pull-1048576", "push-pull-16777216"],
    goals: [atLeast("net", 1), atLeast("libzmq-c", 1.5)],
  },
  {
    title: "fan-out, deliveries a second",
    scenarios: ["pub-sub-10-to-100"],
    goals: [atLeast("libzmq-c", 1, MANY), atLeast("libzmq-c", 0.7), atLeast("native", 20)],
  },
  {
    title: "CURVE, small messages",
    scenarios: ["push-pull-10-curve", "push-pull-1024-curve"],
    goals: [atLeast("libzmq-c", 1), atLeast("native", 1)],
  },
  { title: "CURVE, 16 KiB", scenarios: ["push-pull-16384-curve"], goals: [atLeast("native", 1)] },
  {
    title: "CURVE, 64 KiB",
    scenarios: ["push-pull-65536-curve"],
    goals: [atLeast("libzmq-c", 0.7), atLeast("native", 0.75)],
  },
  ...["1048576", "16777216"].map((size) => ({
    title: "CURVE, large messages",
    scenarios: [`push-pull-${size}-curve`],
    goals: [
      atLeast("native", 0.8),
      {
        text: "page faults ≤ 2 × plain's",
        against: "zmtp",
        base: `push-pull-${size}`,
        of: faultsOf,
        atMost: 2,
      },
    ],
  })),
  {
    title: "inproc, same thread",
    scenarios: ["inproc-10"],
    goals: [atLeast("native", 10), atLeast("native", 25, MANY)],
  },
  {
    title: "cold",
    scenarios: [
      "cold-push-pull-10-1000",
      "cold-push-pull-10-10000",
      "cold-req-rep-1-1000",
      "cold-req-rep-1-10000",
      "seed1-hello-1",
      "seed1-hello-2",
      "seed1-hello-3",
    ],
    goals: [{ text: "as fast as native", against: "native", of: advantageOver, atLeast: 1 }],
  },
  { title: "memory a connection", scenarios: ["memory-1000", "memory-5000"], goals: [atMost("native", 0.5)] },
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
];

/** The scenarios that a bar speaks of. */
export const BAR_SCENARIOS = new Set(
  BARS.flatMap(({ scenarios, goals }) => [...scenarios, ...goals.map((one) => one.base)]),
);

/**
 * The table of the bars whose scenarios were run: goal, and for each run what was measured, and whether it met the goal or by how
 * much it missed. One without both of its numbers shows a dash.
 *
 * @param {{ title: string, results: Result[] }[]} runs Such as one for each Node.
 * @returns {string}
 */
export function barTable(runs) {
  const columns = runs.map(({ results }) => new Map(results.map((result) => [result.scenario.id, result])));
  const rows = [["bar", "scenario", "goal", ...runs.map(({ title }) => title)]];
  for (const bar of BARS) {
    for (const id of bar.scenarios) {
      const scenario = columns.map((byId) => byId.get(id)).find((one) => one !== undefined)?.scenario;
      if (scenario === undefined) continue;
      for (const goal of bar.goals)
        rows.push([bar.title, scenario.title, goal.text, ...columns.map((byId) => judge(byId, id, goal))]);
    }
  }
  return rows.length === 1 ? "None of the bars' scenarios were run." : table(rows);
}

/**
 * @param {Map<string, Result>} byId
 * @param {string} id
 * @param {Goal} goal
 * @returns {string}
 */
function judge(byId, id, goal) {
  const { of = ratioOf } = goal;
  const measured = of(byId.get(id), byId.get(goal.base ?? id), goal);
  if (measured === undefined) return "–";
  const short = Math.max((goal.atLeast ?? -Infinity) / measured, measured / (goal.atMost ?? Infinity)) - 1;
  return `${formatRatio(measured)} ${short <= 0 ? "met" : `missed by ${Math.ceil(short * 100)} %`}`;
}

/** @type {Judge} */
function ratioOf(own, other, { subject = "zmtp", against }) {
  return quotient(medianOf(own, subject), medianOf(other, against));
}

/** How many times as good it is, whether its figures are times or rates. @type {Judge} */
function advantageOver(own, _other, { subject = "zmtp", against }) {
  return own === undefined ? undefined : advantage(own, subject, against);
}

/** Page faults a message, of the receiver. @type {Judge} */
function faultsOf(own, other, { subject = "zmtp", against }) {
  return quotient(medianOf(own, subject, faultsOfMessage), medianOf(other, against, faultsOfMessage));
}

/** @param {number | undefined} above @param {number | undefined} below */
function quotient(above, below) {
  return above === undefined || below === undefined || below <= 0 ? undefined : above / below;
}

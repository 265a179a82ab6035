/**
 * Results as Markdown: the long form with everything, and the short one for the README. Both say first where zmtp loses.
 */

import { basename } from "node:path";
import { barTable } from "./bars.mjs";
import { BUSY, isBusy, machineText } from "./machine.mjs";
import { resultsOn } from "./nodes.mjs";
import { PUBLISHED } from "./published.mjs";
import {
  advantage,
  comparison,
  formatRatio,
  formatValue,
  losses,
  medianOf,
  pageFaults,
  processorTimes,
  remarks,
  spreads,
  table,
} from "./report.mjs";

/**
 * @typedef {import("./results.mjs").Head} Head
 * @typedef {import("./results.mjs").Measured} Measured
 * @typedef {import("./rounds.mjs").Result} Result
 * @typedef {{ name: string, title: string }[]} Charts
 */

/** The column order of every table. */
const COLUMNS = ["zmtp", "zmtp-many", "zmtp-polling", "native", "libzmq-c", "pyzmq", "net", "node", "other"];
const AGAINST = ["native", "libzmq-c", "net"];

/** The rows of the README's table. */
const SHORT = [
  "req-rep-1",
  "push-pull-10",
  "push-pull-1024",
  "push-pull-65536",
  "pub-sub-100",
  "pub-sub-10-to-100",
  "push-pull-1024-curve",
  "inproc-10",
  "memory-1000",
  "install-size",
];

const GROUPS = /** @type {[string, RegExp][]} */ ([
  ["Round trips", /^req-rep/],
  ["PUSH/PULL by size", /^push-pull-\d+(-ipc)?$/],
  ["PUSH/PULL in other ways", /^(push-pull-|broker)/],
  ["PUB/SUB", /^pub-sub/],
  ["inproc", /^inproc/],
  ["Cold: fresh processes, no warm-up", /^cold/],
  ["What it costs", /^(memory|churn|connection|load|install)/],
]);

/** @param {Result[]} results */
function columnsOf(results) {
  return COLUMNS.filter((name) => results.some(({ samples }) => samples.has(name)));
}

/** @param {Result[]} results */
function tableOf(results) {
  const columns = columnsOf(results);
  return comparison(results, {
    implementations: columns,
    subject: "zmtp",
    against: AGAINST.filter((one) => columns.includes(one)),
  });
}

/**
 * A run by the Nodes that it compares: one, unless it was told to take several.
 *
 * @param {{ head: Head, results: Result[] }} measured
 * @returns {{ title: string, results: Result[] }[]}
 */
function runsOf({ head, results }) {
  if (head.nodes === undefined) return [{ title: `Node ${String(head.machine.node).replace("v", "")}`, results }];
  return Object.entries(head.nodes).map(([release, version]) => ({
    title: `Node ${version}`,
    results: resultsOn(results, release),
  }));
}

/**
 * What a run prints when it is over: where zmtp loses, every median, the bars.
 *
 * @param {Head} head
 * @param {Result[]} results
 * @returns {string}
 */
export function terminalReport(head, results) {
  const runs = runsOf({ head, results });
  const parts = runs.flatMap((run) => [
    ...(runs.length > 1 ? [`${run.title}: ${losses(run.results)}`] : [losses(run.results)]),
    tableOf(run.results),
  ]);
  return [...parts, barTable(runs)].join("\n\n");
}

/**
 * @param {Measured} full
 * @param {Map<string, Measured>} measured By label.
 * @param {Charts} charts
 * @returns {string}
 */
export function fullReport(full, measured, charts) {
  const { head, results, path } = full;
  const plain = results.filter(({ scenario }) => !scenario.id.startsWith("seed"));
  const sections = [
    `${machineText(head.machine).replaceAll("\n", "  \n")}  \nMeasured ${String(head.machine.date).slice(0, 16).replace("T", " ")}, ${head.rounds} rounds, medians; every sample is in \`results/${basename(path)}\`.`,
    ...(head.conditions === undefined ? [] : [`**Measured ${head.conditions}.**`]),
    ...(isBusy(head.machine) ? [`**${BUSY}**`] : []),
    "## Where zmtp loses",
    losses(results),
    "## The bars",
    "Measured is zmtp's median through the other's: of times and memory where less is better, of rates where more is.",
    barTable(runsOf(measured.get("nodes") ?? full)),
    "## Charts",
    charts.map(({ name, title }) => picture(`charts/${name}`, title)).join("\n\n"),
    "## Every scenario",
    "`zmtp : x` is how many times as fast (or as small) zmtp is as x; above 1 it is the better. How each is measured is said in [README.md](README.md).",
    POLLS,
    ...grouped(plain),
    "## The published measurements",
    "Published figures are other machines' and other years': history, not a comparison.",
    ...published(results),
    "## Spread",
    spreads(results, columnsOf(results)),
    "## Processor time",
    processorTimes(results, columnsOf(results)) ?? "–",
    "## Page faults",
    pageFaults(results, columnsOf(results)) ?? "–",
    ...list("## Remarks", remarks(results)),
    ...[...measured.values()].filter((one) => one !== full).flatMap(otherRun),
  ];
  return sections.join("\n\n");
}

const POLLS =
  "`zmtp-polling` is zmtp with a context's `busyPoll` at 250: it polls for its answers for so many microseconds instead of sleeping. What that takes is in the table of processor time.";

/** @param {Result[]} results */
function grouped(results) {
  const left = new Set(results);
  return GROUPS.flatMap(([title, pattern]) => {
    const own = [...left].filter(({ scenario }) => pattern.test(scenario.id));
    for (const result of own) left.delete(result);
    return own.length === 0 ? [] : [`### ${title}`, tableOf(own)];
  });
}

/** @param {Result[]} results */
function published(results) {
  return PUBLISHED.flatMap(({ title, text, figures, scenarios }) => {
    const own = results.filter(({ scenario }) => scenarios.includes(scenario.id));
    const history = table([["published", "figure"], ...figures]);
    return [`### ${title}`, text, own.length === 0 ? "Not measured." : tableOf(own), history];
  });
}

/** A run under other conditions. @param {Measured} one */
function otherRun({ head, results, path }) {
  if (head.nodes !== undefined) return nodesRun({ head, results, path });
  const far = head.far === undefined ? [] : [`The other machine: ${machineText(head.far).replaceAll("\n", ", ")}`];
  return [
    `## ${TITLES[/** @type {keyof typeof TITLES} */ (head.label)] ?? head.label}`,
    [head.conditions, `${head.rounds} rounds, medians; \`results/${basename(path)}\`.`, ...far]
      .filter(Boolean)
      .join("  \n"),
    ...(head.label === "emulated"
      ? [comparison(results, { implementations: columnsOf(results), subject: "zmtp", against: [] })]
      : [losses(results), tableOf(results)]),
    ...list("", remarks(results)).filter(Boolean),
  ];
}

/** A run that compares Nodes. @param {Measured} one */
function nodesRun({ head, results, path }) {
  const { date, cpu, load } = head.machine;
  return [
    "## On several Nodes, in one run",
    `${cpu}, load ${load}, measured ${String(date).slice(0, 16).replace("T", " ")}, ${head.rounds} rounds in turn, medians; \`results/${basename(path)}\`.`,
    ...runsOf({ head, results }).flatMap((run) => [
      `### ${run.title}`,
      tableOf(run.results),
      processorTimes(run.results, columnsOf(run.results)) ?? "–",
      pageFaults(run.results, columnsOf(run.results)) ?? "–",
    ]),
    ...list("", remarks(results)).filter(Boolean),
  ];
}

const TITLES = {
  "network-plain": "Across two network namespaces",
  "network-pi2": "Across a network like a Raspberry Pi 2's: 100 Mbit/s, 0.3 ms",
  "quota-10": "On a tenth of a core",
  emulated: "Under emulation: it works; the figures are the emulator's and are compared with nothing",
};

/** @param {string} title @param {string[]} lines */
function list(title, lines) {
  return lines.length === 0 ? [] : [title, lines.map((line) => `- ${line}`).join("\n")];
}

/** @param {string} base @param {string} title */
function picture(base, title) {
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${base}-dark.svg"><img alt="${title}" src="${base}.svg"></picture>`;
}

/**
 * @param {Measured} full
 * @param {Charts} charts
 * @returns {string}
 */
export function shortReport({ head, results }, charts) {
  const rows = SHORT.map((id) => results.find(({ scenario }) => scenario.id === id)).filter((one) => one !== undefined);
  const value = (/** @type {Result} */ result, /** @type {string} */ name) => {
    const middle = medianOf(result, name);
    return middle === undefined ? "–" : formatValue(middle, result.scenario);
  };
  const chart = charts.find(({ name }) => name === "throughput-tcp");
  return [
    shortLosses(results),
    table([
      ["median", "zmtp", "native binding", "libzmq from C", "zmtp : native", "zmtp : C"],
      ...rows.map((result) => [
        result.scenario.title,
        ...["zmtp", "native", "libzmq-c"].map((name) => value(result, name)),
        ...["native", "libzmq-c"].map((name) => formatRatio(advantage(result, "zmtp", name))),
      ]),
    ]),
    `Above 1 zmtp is the faster, or the smaller. ${head.machine.cpu}, ${head.machine.cores} cores, Node ${head.machine.node}; both ends are processes of the same kind. Everything else, and where the figures come from: [bench/RESULTS.md](bench/RESULTS.md).`,
    ...(chart === undefined ? [] : [picture(`bench/charts/${chart.name}`, chart.title)]),
  ].join("\n\n");
}

/** So many losses are named in the README. */
const NAMED_LOSSES = 8;

/** Where it loses, in a sentence: each scenario once, against the better of the two. @param {Result[]} results */
function shortLosses(results) {
  const lost = results.flatMap((result) => {
    const ratios = ["native", "libzmq-c"].map((other) => ({
      other,
      ratio: advantage(result, "zmtp", other) ?? Infinity,
    }));
    const worst = ratios[0].ratio < ratios[1].ratio ? ratios[0] : ratios[1];
    return worst.ratio < 0.95
      ? [{ ratio: worst.ratio, text: `${result.scenario.title} (${formatRatio(worst.ratio)} ${worst.other})` }]
      : [];
  });
  if (lost.length === 0) return "It is not slower than either of the two in anything that is measured.";
  lost.sort((one, two) => one.ratio - two.ratio);
  const named = lost.slice(0, NAMED_LOSSES).map(({ text }) => text);
  const more = lost.length - named.length;
  return `It is slower, or bigger, than one of the two in ${lost.length} of ${results.length} scenarios: ${named.join("; ")}${more > 0 ? `; and ${more} more, all of them named in [bench/RESULTS.md](bench/RESULTS.md)` : ""}.`;
}

/**
 * What the attacks did, as tables.
 */

import { ATTACKS } from "./attacks.mjs";

/** @typedef {import("./run.mjs").Outcome} Outcome */

const COLUMNS = [
  "attack",
  "on",
  "sent",
  "heap",
  "rss",
  "turn",
  "waits",
  "gets in",
  "victim",
  "attackers' connections, and the victim's events",
];

/** Before, after, and what to compare with. */
const ORDER = ["other", "zmtp", "native"];

/** @param {number} octets */
function size(octets) {
  if (octets < 1000) return `${octets} B`;
  if (octets < 1e6) return `${(octets / 1e3).toPrecision(3)} kB`;
  return `${octets >= 1e9 ? (octets / 1e6).toFixed(0) : (octets / 1e6).toPrecision(3)} MB`;
}

/** @param {number} ms */
function time(ms) {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${(ms / 1000).toPrecision(3)} s`;
}

/** @param {number} mib */
const memory = (mib) => `${Math.round(mib)}`;

/** @param {Outcome} outcome */
function endOf({ connections, cut, ended }) {
  const events = Object.entries(ended).map(([name, count]) => `${count} × \`${name}\``);
  return [`${connections}${cut > 0 ? `, ${cut} closed` : ""}`, ...events].join("; ");
}

/** @param {Outcome} outcome */
const isServed = ({ served, entered }) => served > 0 && entered > 0;

/** @param {Outcome} outcome @returns {string | undefined} */
export function failureOf(outcome) {
  if (outcome.death !== undefined) return `the victim died: ${outcome.death}`;
  if (outcome.trouble.length > 0) return outcome.trouble[0];
  if (outcome.served === 0) return "the good client that was there before got nothing";
  if (outcome.entered === 0) return "no new good client got in";
  return undefined;
}

/** @param {Outcome} outcome @returns {string[]} */
function cells(outcome) {
  const { death, clientCut, trouble } = outcome;
  const cutOff = clientCut > 0 ? ` (cut off ${clientCut} ×)` : "";
  const state = death === undefined ? "lives" : `**died** (${death.split("\n")[0].slice(0, 60)})`;
  return [
    outcome.attack,
    outcome.implementation,
    size(outcome.octets),
    memory(outcome.heapMiB),
    memory(outcome.rssMiB),
    time(outcome.turnMs),
    death === undefined ? `${outcome.served > 0 ? time(outcome.waitMs) : "never served"}${cutOff}` : "–",
    death === undefined ? (outcome.entered > 0 ? time(outcome.entryMs) : "never") : "–",
    `${state}${trouble.length > 0 ? `, ${trouble[0].split("\n")[0].slice(0, 80)}` : ""}`,
    endOf(outcome),
  ];
}

/** @param {string[][]} rows */
function table(rows) {
  const [head, ...rest] = rows;
  const line = (/** @type {string[]} */ row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rest.map(line)].join("\n");
}

/** @param {Outcome[]} outcomes */
export function attackTable(outcomes) {
  return table([COLUMNS, ...outcomes.map(cells)]);
}

/** @param {Outcome} outcome One line for the terminal. */
export function oneLine(outcome) {
  const [, ...rest] = cells(outcome);
  return `${outcome.attack}: ${rest.join(" | ")}${isServed(outcome) || outcome.death ? "" : " | NOT SERVED"}`;
}

/** @param {any[]} crowds */
export function crowdTable(crowds) {
  return table([
    ["good clients at once", "on", "in", "refused at first", "the last is in after", "heap", "rss", "turn"],
    ...crowds.map((one) => [
      `${one.clients}, ${one.delayMs} ms away`,
      one.implementation,
      `${one.inside}${one.death ? `, died (${one.death})` : ""}`,
      `${one.refused} ×`,
      time(one.worstMs),
      memory(one.heapMiB),
      memory(one.rssMiB),
      time(one.turnMs),
    ]),
  ]);
}

/**
 * The whole report.
 *
 * @typedef {object} Results
 * @property {string} machine
 * @property {number} heap
 * @property {Outcome[]} outcomes
 * @property {any[]} crowds
 * @property {Record<string, string>} nodes
 * @property {string} [other] The commit that `other` was built from.
 *
 * @param {Results} results
 * @returns {string}
 */
export function report({ machine, heap, outcomes: inAnyOrder, crowds, nodes, other }) {
  const places = ATTACKS.map(({ id }) => id);
  const place = (/** @type {Outcome} */ { attack, implementation }) =>
    places.indexOf(attack) * ORDER.length + ORDER.indexOf(implementation.split("@")[0]);
  const outcomes = [...inAnyOrder].sort((one, next) => place(one) - place(next));
  const died = outcomes.filter(({ death }) => death !== undefined);
  const titles = ATTACKS.filter(({ id }) => outcomes.some(({ attack }) => attack === id));
  const onNodes = Object.values(nodes).length > 0 ? ` Nodes: ${Object.values(nodes).join(", ")}.` : "";
  const build = other === undefined ? "" : `  \n\`other\` is zmtp of commit ${other}.`;
  return [
    `# Attacks

Made by \`npm run hostile\`; [bench/README.md](../README.md) says how. Each attack is made on a fresh process with
\`--max-old-space-size=${heap}\` where the attack says nothing else, over tcp.

${machine.split("\n").join("  \n")}${onNodes}${build}

${outcomes.length} runs, of which the victim died in ${died.length}.

- \`heap\` and \`rss\` are the most of a run, in MiB: the heap of JavaScript with the memory of Buffers, and resident memory.
  That of the native binding is in \`rss\` alone.
- \`turn\` is the longest turn of the event loop, in time of the processor.
- \`waits\` is the longest that a good client waited which was there before the attack (where nobody receives, one of
  another socket in the same process); \`gets in\` the longest that a new one needed.
- On a machine with two cores, which the attackers, the good clients and the victim share, times are rough.
`,
    attackTable(outcomes),
    "",
    ...(crowds.length > 0 ? ["## Good clients at once\n", crowdTable(crowds), ""] : []),
    "## The attacks\n",
    table([["attack", "what it does"], ...titles.map(({ id, title }) => [id, title])]),
    "",
  ].join("\n");
}

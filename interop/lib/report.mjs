/**
 * What is shown and what is kept: matrices of scenario × peer, what deviates in words, the failures with their conversation, the
 * reasons of skips.
 */

/**
 * @typedef {object} Result
 * @property {string} scenario
 * @property {string} peer
 * @property {string} variant
 * @property {"passed" | "failed" | "skipped"} status
 * @property {number} [ms]
 * @property {string} [reason] of a skip or a failure
 * @property {string} [seen] of a deviation: what the implementation did
 * @property {Record<string, number>} [measured]
 * @property {string[]} [transcript]
 */

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * @typedef {object} Outcome
 * @property {string} sut
 * @property {string} part
 * @property {Record<string, string>} versions of the implementations that took part
 * @property {string[]} peers
 * @property {string[]} rawPeers
 * @property {Result[]} results
 * @property {Record<string, string>} missing
 * @property {(Counts & { name: string })[]} programs
 * @property {Map<string, import("./raw-world.mjs").Deviation>} deviations by scenario
 * @property {number} seconds
 */

const TRANSCRIPT_KEPT_LINES = 30;
const DEVIATION = "deviation/";

/** @param {Result[]} results @returns {Counts} */
export function tally(results) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { status } of results) counts[status]++;
  return counts;
}

/** @param {Result[]} results */
function cell(results) {
  if (results.length === 0) return "";
  const { passed, failed, skipped } = tally(results);
  if (passed + failed === 0) return "skipped";
  const ran = `${passed}/${passed + failed}`;
  return `${failed > 0 ? "FAILED " : ""}${ran}${skipped > 0 ? ` +${skipped} skipped` : ""}`;
}

/**
 * The matrix as rows of texts, the head first; empty when there is nothing to show.
 * @param {Result[]} results @param {string[]} peers @param {string} corner @param {(result: Result) => string} [rowOf]
 * @param {(results: Result[]) => string} [cellOf]
 */
export function matrix(results, peers, corner, rowOf = ({ scenario }) => scenario, cellOf = cell) {
  const columns = peers.filter((peer) => results.some((result) => result.peer === peer));
  const own = results.filter(({ peer }) => columns.includes(peer));
  const names = [...new Set(own.map(rowOf))];
  const rows = names.map((name) => [
    name,
    ...columns.map((peer) => cellOf(own.filter((result) => rowOf(result) === name && result.peer === peer))),
  ]);
  return rows.length === 0 ? [] : [[corner, ...columns], ...rows];
}

/** What each implementation did, beside what the RFC says. @param {Outcome} outcome */
function deviationRows({ results, versions, deviations }) {
  const own = results.filter(({ scenario }) => scenario.startsWith(DEVIATION));
  const implementations = [...new Set(own.map(({ peer }) => peer))];
  const names = [...new Set(own.map(({ scenario }) => scenario))];
  if (names.length === 0) return [];
  const head = implementations.map((name) => `${name} ${versions[name] ?? ""}`.trim());
  const rows = names.map((name) => [
    name.slice(DEVIATION.length),
    deviations.get(name)?.rfc ?? "",
    ...implementations.map((implementation) => {
      const result = own.find(({ scenario, peer }) => scenario === name && peer === implementation);
      return result?.status === "failed" ? `FAILED ${result.reason}` : (result?.seen ?? "");
    }),
  ]);
  return [["deviation", "the RFC", ...head], ...rows];
}

/** @param {Result[]} results @returns {Map<string, number>} */
function reasons(results) {
  /** @type {Map<string, number>} */
  const counted = new Map();
  for (const { status, reason } of results) {
    if (status === "skipped" && reason !== undefined) counted.set(reason, (counted.get(reason) ?? 0) + 1);
  }
  return counted;
}

/** @param {Outcome} outcome */
function tables(outcome) {
  const plain = outcome.results.filter(({ scenario }) => !scenario.startsWith(DEVIATION));
  return [
    matrix(plain, outcome.peers, `${outcome.sut} with`),
    matrix(plain, outcome.rawPeers, `${outcome.sut} with`),
    deviationRows(outcome),
  ].filter((table) => table.length > 0);
}

/** @param {string[][]} table */
function textLines(table) {
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  return table.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
}

/** @param {string[][]} table */
export function markdownLines([head, ...rows]) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

/** @param {Outcome} outcome */
export function matrixText(outcome) {
  const lines = tables(outcome).flatMap((table) => [...textLines(table), ""]);
  for (const { name, passed, failed, skipped } of outcome.programs) {
    lines.push(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
  for (const [reason, times] of reasons(outcome.results)) lines.push(`skipped ${times}: ${reason}`);
  return lines.join("\n");
}

/** @param {Result} result @param {string} sut */
export function failureText({ scenario, peer, variant, reason, transcript = [] }, sut) {
  const command = [
    "node interop/run.mjs",
    sut === "zmtp" ? "" : `--sut ${sut}`,
    scenario.startsWith(DEVIATION) ? "" : `--peer ${peer}`,
    `--scenario '${scenario}' --variant ${variant}`,
  ].filter(Boolean);
  const talk = transcript.slice(-TRANSCRIPT_KEPT_LINES).map((line) => `    ${line}`);
  return [`FAILED ${scenario} [${peer}: ${variant}]: ${reason}`, ...talk, `  again: ${command.join(" ")}`].join("\n");
}

/** Everything that ran, programs included. @param {Outcome} outcome */
export function total({ results, programs }) {
  const counts = tally(results);
  for (const { passed, failed, skipped } of programs) {
    counts.passed += passed;
    counts.failed += failed;
    counts.skipped += skipped;
  }
  return counts;
}

/** @param {Outcome} outcome */
export function versionsText({ versions, sut }) {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${named.join(", ")}; Node ${process.versions.node}, ${process.platform} ${process.arch}, system under test ${sut}`;
}

/** @param {Outcome} outcome */
export function matrixMarkdown(outcome) {
  const { passed, failed, skipped } = total(outcome);
  const titles = ["Implementations", "Scripted peers, octet for octet", "Where the RFCs, libzmq and zmtp part ways"];
  const intros = [
    "A cell says how many of its cases passed: who plays which role × who binds × tcp and ipc.",
    "A bare socket plays a peer of each version of ZMTP; every octet that comes is compared.",
    "What was seen in this run. Each cell is pinned: the run fails when an implementation changes its mind.",
  ];
  const sections = tables(outcome).flatMap((table, index) => [
    `## ${titles[index]}`,
    "",
    intros[index],
    "",
    ...markdownLines(table),
    "",
  ]);
  const programs = outcome.programs.map(
    (program) => `- ${program.name}: ${program.passed} passed, ${program.failed} failed, ${program.skipped} skipped`,
  );
  return `${[
    "# Interoperation",
    "",
    "Written by `npm run interop`.",
    "",
    `${versionsText(outcome)}.`,
    "",
    `${passed} passed, ${failed} failed, ${skipped} skipped, in ${outcome.seconds} s.`,
    "",
    ...sections,
    ...(programs.length > 0 ? ["## Programs", "", ...programs, ""] : []),
    "## Skipped",
    "",
    ...[...reasons(outcome.results)].map(([reason, times]) => `- ${times}: ${reason}`),
    ...Object.entries(outcome.missing).map(([peer, reason]) => `- ${peer} is missing: ${reason}`),
  ].join("\n")}\n`;
}

/** What is shown and what is kept: a matrix of scenario × peer, the failures with their conversation, the reasons of skips. */

/** @typedef {import("./table.mjs").Case} Case */

/**
 * @typedef {object} Result
 * @property {string} scenario
 * @property {string} peer
 * @property {string} variant
 * @property {"passed" | "failed" | "skipped"} status
 * @property {number} [ms]
 * @property {string} [reason] of a skip or a failure
 * @property {Record<string, number>} [measured]
 * @property {string[]} [transcript]
 */

/** @typedef {{ sut: string, versions: Record<string, string>, results: Result[], missing: Record<string, string> }} Outcome */

const TRANSCRIPT_KEPT_LINES = 30;

/** @param {Result[]} results */
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

/** @param {Outcome} outcome @param {string[]} peers */
function rows({ results }, peers) {
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))];
  return scenarios.map((scenario) => [
    scenario,
    ...peers.map((peer) => cell(results.filter((result) => result.scenario === scenario && result.peer === peer))),
  ]);
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

/** @param {Outcome} outcome @param {string[]} peers */
export function matrixText(outcome, peers) {
  const table = [[`${outcome.sut} with`, ...peers], ...rows(outcome, peers)];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
  for (const [reason, times] of reasons(outcome.results)) lines.push(`skipped ${times}: ${reason}`);
  return lines.join("\n");
}

/** @param {Result} result @param {string} sut */
export function failureText({ scenario, peer, variant, reason, transcript = [] }, sut) {
  const command = [
    "node interop/run.mjs",
    sut === "zmtp" ? "" : `--sut ${sut}`,
    `--peer ${peer} --scenario '${scenario}' --variant ${variant}`,
  ].filter(Boolean);
  const talk = transcript.slice(-TRANSCRIPT_KEPT_LINES).map((line) => `    ${line}`);
  return [`FAILED ${scenario} [${variant}]: ${reason}`, ...talk, `  again: ${command.join(" ")}`].join("\n");
}

/** @param {Outcome} outcome @param {string[]} peers */
export function matrixMarkdown(outcome, peers) {
  const { passed, failed, skipped } = tally(outcome.results);
  const versions = Object.entries(outcome.versions).map(([name, version]) => `${name}: ${version}`);
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return `${[
    "# Interoperation",
    "",
    "Written by `node interop/run.mjs --write`. A cell says how many of its cases passed: who plays which role × who binds × tcp and ipc.",
    "",
    `${versions.join(", ")}, ${process.platform} ${process.arch}. ${passed} passed, ${failed} failed, ${skipped} skipped.`,
    "",
    line(["scenario", ...peers]),
    line(["---", ...peers.map(() => "---")]),
    ...rows(outcome, peers).map(line),
    "",
    ...[...reasons(outcome.results)].map(([reason, times]) => `- skipped ${times}: ${reason}`),
    ...Object.entries(outcome.missing).map(([peer, reason]) => `- ${peer} is missing: ${reason}`),
  ].join("\n")}\n`;
}

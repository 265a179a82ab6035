/** The results of the runtimes as a table. */
import { EMULATED } from "./runtimes.mjs";

/** @typedef {import("./run.mjs").Row} Row */
/** @typedef {import("./run.mjs").Counts} Counts */

/** @param {Counts | undefined} counts */
function cell(counts) {
  if (counts === undefined) return "";
  const { passed, failed, known } = counts;
  const notes = [failed > 0 ? `${failed} FAILED` : "", known > 0 ? `${known} known` : ""].filter(Boolean);
  return `${passed}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

/** @param {string} name */
const label = (name) => (EMULATED.some((runtime) => runtime.name === name) ? `${name}, emulated` : name);

const HEAD = ["runtime", "version", "tests passed", "scenarios passed", "abstract ipc"];

/** @param {Row[]} rows */
const cells = (rows) =>
  rows.map(({ name, version, absent, spec, interop, abstract }) =>
    absent === undefined
      ? [label(name), version, cell(spec), cell(interop), abstract ?? ""]
      : [label(name), absent, "", "", ""],
  );

/** @param {Row[]} rows */
export function table(rows) {
  const lines = [HEAD, ...cells(rows)];
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  return lines.map((line) => line.map((text, i) => text.padEnd(widths[i])).join("  ")).join("\n");
}

/** @param {Row[]} rows @returns {string[]} */
export const markdownLines = (rows) =>
  [HEAD, HEAD.map(() => "---"), ...cells(rows)].map((line) => `| ${line.join(" | ")} |`);

/** @param {Row[]} rows */
export function tableMarkdown(rows) {
  return `# Runtimes

Written by \`npm run runtimes -- --write\` (and \`--emulated\`): the tests that do not depend on Node's internals, and the scenarios
against libzmq ${process.platform === "linux" ? "over tcp and ipc" : ""}. "Known" tests fail because of the runtime, each with its symptom in ../RUNTIMES.md.
The emulated rows are Node for those processors in user-mode emulation, on this machine's kernel, without the slow files.

${markdownLines(rows).join("\n")}
`;
}

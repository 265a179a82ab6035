/** Puts the result of a run into the project's README, between two marks: of the table one line for each family of scenarios. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { markdownLines, matrix, tally, total, versionsText } from "./report.mjs";

const README = fileURLToPath(new URL("../../README.md", import.meta.url));

/** @param {import("./report.mjs").Result} result */
const family = ({ scenario }) => scenario.split("/")[0];

/** @param {import("./report.mjs").Result[]} results */
const ran = (results) => {
  const { passed, failed } = tally(results);
  return passed + failed === 0 ? "-" : `${passed}/${passed + failed}`;
};

/** @param {import("./report.mjs").Outcome} outcome */
function text(outcome) {
  const { passed, failed, skipped } = total(outcome);
  const own = outcome.results.filter(({ scenario }) => !/^(raw|deviation)\//.test(scenario));
  const scripted = outcome.results.filter(({ scenario }) => scenario.startsWith("raw/"));
  const versions = outcome.rawPeers.map((peer) => {
    const counts = scripted.filter((result) => result.peer === peer);
    return `${peer.slice(4)} (${counts.filter(({ status }) => status === "passed").length}/${counts.length})`;
  });
  return [
    "Cases passed, of those that the peer can play; the reasons of those that it cannot stand in the whole table:",
    "",
    ...markdownLines(matrix(own, outcome.peers, "zmtp with", family, ran)),
    "",
    `Scripted peers, octet for octet, of ZMTP ${versions.join(", ")}. ${passed} passed, ${failed} failed, ${skipped} skipped:`,
    `${versionsText(outcome)}.`,
  ];
}

/** @param {string} mark name of the place @param {string[]} lines @returns whether there was a place for them */
export function putIntoReadme(mark, lines) {
  const before = readFileSync(README, "utf8");
  const begin = `<!-- ${mark}:begin -->`;
  const from = before.indexOf(begin);
  const to = before.indexOf(`<!-- ${mark}:end -->`);
  if (from < 0 || to < from) return false;
  writeFileSync(README, `${before.slice(0, from + begin.length)}\n${lines.join("\n")}\n${before.slice(to)}`);
  return true;
}

/** @param {import("./report.mjs").Outcome} outcome */
export const writeReadme = (outcome) => putIntoReadme("interop", text(outcome));

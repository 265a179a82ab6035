/**
 * Turns results into tables and charts: between the markers in bench/RESULTS.md and README.md, and in bench/charts/.
 *
 *   node bench report [results/<file>.jsonl …]
 *
 * Without arguments, the newest file of each label in results/ is taken; with them, those files.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readFlags } from "./lib/arguments.mjs";
import { writeCharts } from "./lib/charts.mjs";
import { newestResults, readResults } from "./lib/results.mjs";
import { fullReport, shortReport } from "./lib/results-text.mjs";

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Puts the text between `<!-- benchmarks:begin -->` and `<!-- benchmarks:end -->`.
 *
 * @param {string} path
 * @param {string} text
 */
function replaceBetweenMarkers(path, text) {
  const old = existsSync(path)
    ? readFileSync(path, "utf8")
    : "# Results\n\n<!-- benchmarks:begin -->\n<!-- benchmarks:end -->\n";
  const pattern = /(<!-- benchmarks:begin -->\n)[\s\S]*?(<!-- benchmarks:end -->)/;
  if (!pattern.test(old)) {
    console.log(`${path} has no markers; nothing was written there`);
    return;
  }
  writeFileSync(
    path,
    old.replace(pattern, (_, start, end) => `${start}\n${text}\n\n${end}`),
  );
  console.log(path);
}

const { rest } = readFlags({});
const measured =
  rest.length > 0
    ? new Map(rest.map((path) => readResults(path)).map((one) => [one.head.label, one]))
    : newestResults();
const full = measured.get("full") ?? [...measured.values()][0];
if (full === undefined) {
  console.error("there are no results yet: node bench run --full");
  process.exit(1);
}
const charts = await writeCharts(full.results, here("charts"));
replaceBetweenMarkers(here("RESULTS.md"), fullReport(full, measured, charts));
replaceBetweenMarkers(here("../README.md"), shortReport(full, charts));

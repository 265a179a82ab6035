/**
 * What got faster or slower between two result files, beyond the spread of both: a median counts as changed when it lies
 * outside of all samples of the other file, and the other way round.
 *
 *   node bench compare results/<before>.jsonl results/<after>.jsonl [--impl zmtp]
 */

import { readFlags, readList } from "./lib/arguments.mjs";
import { machineText } from "./lib/machine.mjs";
import { formatRatio, formatValue, medianOf, rangeOf, table } from "./lib/report.mjs";
import { readResults } from "./lib/results.mjs";

const { flags, rest } = readFlags({ values: ["impl"] });
if (rest.length !== 2) {
  console.error("usage: compare <before>.jsonl <after>.jsonl [--impl zmtp,zmtp-many]");
  process.exit(1);
}
const [before, after] = rest.map(readResults);
const wanted = readList(flags.impl) ?? ["zmtp", "zmtp-many"];
/** @type {Record<"faster" | "slower" | "within", string[][]>} */
const rows = { faster: [], slower: [], within: [] };

for (const result of after.results) {
  const old = before.results.find(({ scenario }) => scenario.id === result.scenario.id);
  if (old === undefined) continue;
  for (const name of wanted) {
    const was = medianOf(old, name);
    const is = medianOf(result, name);
    if (was === undefined || is === undefined) continue;
    const times = result.scenario.unit.endsWith("/s") ? is / was : was / is;
    const { min, max } = rangeOf(result, name);
    const earlier = rangeOf(old, name);
    const beyond = (is < earlier.min || is > earlier.max) && (was < min || was > max);
    const kind = times > 1 ? "faster" : "slower";
    const value = (/** @type {number} */ one) => formatValue(one, result.scenario);
    rows[beyond ? kind : "within"].push([result.scenario.title, name, value(was), value(is), formatRatio(times)]);
  }
}

for (const { head } of [before, after]) console.log(`${head.machine.date}\n${machineText(head.machine)}\n`);
if (before.head.machine.cpu !== after.head.machine.cpu) console.log("The machines differ: this says little.\n");
for (const [kind, title] of /** @type {const} */ ([
  ["slower", "Slower, or bigger, beyond the spread"],
  ["faster", "Faster, or smaller, beyond the spread"],
  ["within", "Within the spread"],
])) {
  console.log(`${title}: ${rows[kind].length === 0 ? "nothing" : ""}`);
  if (rows[kind].length > 0)
    console.log(`\n${table([["median", "of", "before", "after", "times as good"], ...rows[kind]])}`);
  console.log();
}

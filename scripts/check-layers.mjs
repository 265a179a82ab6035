/**
 * Holds the sources to their layers, and ARCHITECTURE.md to the table of them: `npm run layers`. The rules are in layers.mjs.
 * `npm run layers -- --write` writes the table.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { checkLayers, layerTable } from "./layers.mjs";
import { ROOT } from "./lib.mjs";

const MAP = path.join(ROOT, "ARCHITECTURE.md");
const MARKED = /(<!-- layers:begin -->\n)[\s\S]*?(<!-- layers:end -->)/;

const src = path.join(ROOT, "src");
const faults = await checkLayers(src);
const map = readFileSync(MAP, "utf8");
const fresh = map.replace(MARKED, (_, begin, end) => `${begin}\n${layerTable(src)}\n\n${end}`);
if (process.argv.includes("--write")) writeFileSync(MAP, fresh);
else if (fresh !== map || !MARKED.test(map)) {
  faults.push("ARCHITECTURE.md has another table of layers: npm run layers -- --write");
}

for (const fault of faults) console.log(fault);
console.log(faults.length === 0 ? "layers: every import goes down" : `layers: ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Holds the sources to their layers: `npm run layers`. The rules are in layers.mjs. */
import path from "node:path";
import { checkLayers } from "./layers.mjs";
import { ROOT } from "./lib.mjs";

const faults = await checkLayers(path.join(ROOT, "src"));
for (const fault of faults) console.log(fault);
console.log(faults.length === 0 ? "layers: every import goes down" : `layers: ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;

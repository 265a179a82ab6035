/**
 * Runs a benchmark of bench/ on a fresh build: `npm run bench:quick`, with its arguments behind `--`. bench/ is a package of its own,
 * which brings the implementations to compare with; it is installed when needed.
 */
import { install, run } from "./lib.mjs";

const [name, ...args] = process.argv.slice(2);
const built = await run(process.execPath, ["scripts/build.mjs"]);
if (built.code !== 0 || !(await install("bench"))) process.exit(1);
process.exitCode = (await run(process.execPath, [`bench/${name}.mjs`, ...args])).code;

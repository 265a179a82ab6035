/**
 * The package in bundles, in Jest, in workers and in an executable: `npm run bundles`, with the arguments of
 * interop/bundles/run.mjs behind `--`. Builds first, and installs the bundlers when needed.
 */
import { install, run } from "./lib.mjs";

const args = process.argv.slice(2);
const built = await run(process.execPath, ["scripts/build.mjs"]);
if (built.code !== 0 || !(await install("interop/bundles"))) process.exit(1);
process.exitCode = (await run(process.execPath, ["interop/bundles/run.mjs", ...args])).code;

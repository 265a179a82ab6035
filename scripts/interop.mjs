/**
 * `npm run interop`: the whole interoperation table against every implementation that is here. Prints the matrix, and writes it to
 * interop/results and into the README. Arguments go on to interop/run.mjs.
 */
import path from "node:path";
import { install, ROOT, run } from "./lib.mjs";

if (!(await install("interop"))) console.log("the native binding could not be installed: it will be missing");
const { code } = await run(process.execPath, ["run.mjs", "--write", ...process.argv.slice(2)], {
  cwd: path.join(ROOT, "interop"),
});
process.exitCode = code;

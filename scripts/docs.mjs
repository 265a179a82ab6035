/**
 * Holds the documentation of every public name to be there, and every link in it to lead somewhere: TypeDoc reads the entry points,
 * and what it misses is a failure. `npm run docs`. TypeDoc and its TypeScript are in docs/, with a lock file of their own.
 */
import path from "node:path";
import { install, ROOT, run, summary } from "./lib.mjs";

if (await install("docs")) {
  const cwd = path.join(ROOT, "docs");
  const { code } = await run(process.execPath, ["node_modules/typedoc/bin/typedoc"], { cwd });
  console.log(summary({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }));
  process.exitCode = code;
} else {
  console.log("skipped: the packages of docs could not be fetched from npm");
}

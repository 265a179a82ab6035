#!/usr/bin/env node
/**
 * Runs each program of this folder with the original and with this package, and compares what they print line by line. Needs a
 * build. See README.md.
 */
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { patience } from "../../scripts/lib.mjs";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const OURS = new URL("../../dist/index.mjs", import.meta.url);
const HELPERS = ["compare.mjs", "lib.mjs"];
const PROGRAM_MS = 30_000;
const SHOWN = 10;

/** What a program prints; how it ends is its last line. @param {string} name @param {string} module @returns {Promise<string[]>} */
function lines(name, module) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`${FOLDER}${name}`, module],
      { timeout: patience(PROGRAM_MS) },
      (error, stdout, stderr) => {
        const printed = stdout.trimEnd().split("\n");
        if (error === null) resolve([...printed, "(exit 0)"]);
        else resolve([...printed, `(ended by ${error.signal ?? error.code}) ${stderr.trimEnd()}`]);
      },
    );
  });
}

const words = process.argv.slice(2);
if (!existsSync(fileURLToPath(OURS))) {
  console.log("there is no dist/index.mjs: run npm run build");
  console.log("0 passed, 1 failed");
  process.exit(1);
}
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".mjs") && !HELPERS.includes(name))
  .filter((name) => words.every((word) => name.includes(word)));
let failed = 0;
for (const name of names) {
  const [theirs, ours] = await Promise.all([lines(name, "zeromq"), lines(name, OURS.href)]);
  const length = Math.max(theirs.length, ours.length);
  const differ = Array.from({ length }, (_, i) => i).filter((i) => theirs[i] !== ours[i]);
  if (differ.length > 0) failed++;
  console.log(`${differ.length > 0 ? "FAILED" : "ok"} programs/${name} (${ours.length} lines)`);
  for (const i of differ.slice(0, SHOWN)) {
    console.log(`    line ${i + 1}\n      zeromq ${theirs[i]}\n      zmtp   ${ours[i]}`);
  }
}
console.log(`${names.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

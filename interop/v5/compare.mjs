#!/usr/bin/env node
/**
 * Runs programs for version 5 of zeromq with the original's `v5-compat` and with this package's, each in a process of its own,
 * and compares what they print line by line. Needs a build.
 *
 *     node interop/v5/compare.mjs [words of the title …]
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { PROGRAMS } from "./programs.mjs";

const SELF = fileURLToPath(import.meta.url);
const OURS = fileURLToPath(new URL("../../dist/v5-compat.cjs", import.meta.url));
const require = createRequire(import.meta.url);

const PROGRAM_MS = 20_000;

/** What happens here in a child. @param {string} file @param {string} title */
async function play(file, title) {
  /** @param {unknown[]} words */
  const print = (...words) => {
    const texts = words.map((word) => (typeof word === "string" ? word : inspect(word, { breakLength: Infinity })));
    console.log(texts.join(" "));
  };
  process.on("uncaughtException", (error) => print("uncaught", error.message));
  process.on("unhandledRejection", (error) => print("unhandled", /** @type {Error} */ (error).message));
  const program = PROGRAMS.find((one) => one.title === title);
  await program?.run(require(file), print);
  print("end");
}

/** Prints of a program; a failure is a line too. @param {string} file @param {string} title @returns {Promise<string[]>} */
function lines(file, title) {
  return new Promise((resolve) => {
    execFile(process.execPath, [SELF, "--play", file, title], { timeout: PROGRAM_MS }, (error, stdout) => {
      const printed = stdout.trimEnd().split("\n");
      resolve(error ? [...printed, `(ended by ${error.signal ?? error.code})`] : printed);
    });
  });
}

async function compare() {
  const words = process.argv.slice(2);
  const original = require.resolve("zeromq/v5-compat");
  let failed = 0;
  const chosen = PROGRAMS.filter(({ title }) => words.every((word) => title.includes(word)));
  for (const { title } of chosen) {
    const [theirs, ours] = await Promise.all([lines(original, title), lines(OURS, title)]);
    const differ = Array.from({ length: Math.max(theirs.length, ours.length) }, (_, i) => i).filter(
      (i) => theirs[i] !== ours[i],
    );
    if (differ.length > 0) failed++;
    console.log(`${differ.length > 0 ? "FAIL" : "ok  "} ${title} (${ours.length} lines)`);
    for (const i of differ.slice(0, 10)) {
      console.log(`     line ${i + 1}\n       original ${theirs[i]}\n       zmtp     ${ours[i]}`);
    }
  }
  console.log(`${chosen.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

const [, , mode, file = "", title = ""] = process.argv;
if (mode === "--play") {
  await play(file, title);
} else if (existsSync(OURS)) {
  await compare();
} else {
  console.error("there is no dist/v5-compat.cjs: run npm run build");
  process.exitCode = 1;
}

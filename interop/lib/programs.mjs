/** Programs that compare implementations in another way than by scenarios; each ends with a line of counts. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PROGRAM_MS = 240_000;
const COUNTS = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm;

/** @typedef {{ name: string, file: string }} Program */

/** @type {Program[]} */
const PROGRAMS = [
  { name: "programs for version 5, with both packages", file: "v5/compare.mjs" },
  { name: "options of every class, with both packages", file: "options/compare.mjs" },
  { name: "programs with both packages, line by line", file: "programs/compare.mjs" },
  { name: "CURVE certificates of other tools", file: "certificates/check.mjs" },
];

/** @param {Program} program @returns {Promise<import("./report.mjs").Counts & { name: string }>} */
async function runProgram({ name, file }) {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const timer = setTimeout(() => child.kill(), PROGRAM_MS);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  const last = [...output.matchAll(COUNTS)].at(-1);
  const counts = { passed: Number(last?.[1] ?? 0), failed: Number(last?.[2] ?? 0), skipped: Number(last?.[3] ?? 0) };
  if (counts.failed === 0 && (code !== 0 || last === undefined)) counts.failed = 1;
  if (counts.failed > 0) console.log(`FAILED ${name}: node interop/${file}\n${output}`);
  return { name, ...counts };
}

/** Runs those that are there. */
export async function runPrograms() {
  const results = [];
  for (const program of PROGRAMS) {
    if (existsSync(new URL(`../${program.file}`, import.meta.url))) results.push(await runProgram(program));
  }
  return results;
}

#!/usr/bin/env node
/**
 * zmtp in other runtimes: the compiled tests, and the scenarios against libzmq, run by each runtime of runtimes.mjs.
 *
 *   npm run runtimes                    Node 18 to 26, Bun and Deno
 *   npm run runtimes -- --emulated      Node on arm64 and on 32-bit arm, emulated; fewer files, a few scenarios
 *   npm run runtimes -- --ci            the part that fits into a few minutes: oldest and newest Node, Bun, Deno
 *   npm run runtimes -- --only bun,22   those whose name contains one of the words
 *   npm run runtimes -- --file codec/   only test files whose path contains the text, and no scenarios
 *
 * What a runtime fails at because of itself is in symptoms.mjs, by file and title of the test: it counts as known, and
 * as a failure when it passes by now. `--write` keeps the table in interop/results/runtimes.* and, when all of it is there
 * and nothing failed, in the README.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { compile, execute, specFiles } from "../../scripts/spec.mjs";
import { openingComment, readArguments } from "../lib/arguments.mjs";
import { copyBuilt, Missing, prepare } from "../lib/peers.mjs";
import { putIntoReadme } from "../lib/readme.mjs";
import { abstractNames } from "./abstract.mjs";
import { Absent, EMULATED, prepareRuntime, ROOT, RUNTIMES } from "./runtimes.mjs";
import { interop } from "./scenarios.mjs";
import { excluded, SLOW, symptoms } from "./symptoms.mjs";
import { markdownLines, table, tableMarkdown } from "./table.mjs";

/** @typedef {import("./runtimes.mjs").Runtime} Runtime */
/** @typedef {{ passed: number, failed: number, skipped: number, known: number }} Counts */
/** @typedef {{ name: string, package: string, version: string, absent?: string, spec?: Counts, interop?: Counts, abstract?: string }} Row */

const EMULATED_FACTOR = 10;
const FILE_MS = 180_000;

const { values: args } = readArguments(
  {
    options: {
      emulated: { type: "boolean", default: false },
      ci: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      file: { type: "string" },
      jobs: { type: "string", default: "2" },
      write: { type: "boolean", default: false },
    },
  },
  openingComment(import.meta.url),
);

const CI_RUNTIMES = ["node 18", "node 26", "bun", "deno"];
const chosen = (args.emulated ? EMULATED : RUNTIMES)
  .filter(({ name }) => !args.ci || args.emulated || CI_RUNTIMES.includes(name))
  .filter(({ name }) => args.only.split(",").some((word) => name.includes(word)));

/** Titles of the tests that failed. @param {string} output */
const failedTitles = (output) => [...output.matchAll(/^ {3}FAIL {2}.*?"(.*)"$/gm)].map((found) => found[1]);

/**
 * Runs one file and compares with what is known of the runtime.
 * @param {Runtime} runtime @param {string[]} command @param {string} folder @param {string} file @returns {Promise<Counts>}
 */
async function runFile(runtime, command, folder, file) {
  const name = file.replace(/\.test\.ts$/, "");
  const factor = runtime.emulated ? EMULATED_FACTOR : 1;
  const env = { SPEC_TIMEOUT_FACTOR: String(factor) };
  const outcome = await execute(path.join(folder, file.replace(/\.ts$/, ".mjs")), command, env, FILE_MS * factor);
  const { passed, skipped, reason, output, ms } = outcome;
  const expected = symptoms(runtime, name);
  const titles = failedTitles(output);
  const known = titles.filter((title) => expected.some((symptom) => symptom.title === title));
  const problems = titles.filter((title) => !known.includes(title)).map((title) => `"${title}" failed`);
  // A test that failed may have left something open.
  if (reason && !(known.length > 0 && reason.startsWith("did not exit"))) problems.push(reason);
  for (const { title, sometimes } of expected) {
    if (!sometimes && !titles.includes(title)) problems.push(`"${title}" passed: its symptom is out of date`);
  }
  if (problems.length > 0) {
    console.log(`FAILED ${runtime.name}: ${name} (${ms} ms)\n  ${problems.join("\n  ")}`);
    console.log(output.trimEnd().replace(/^/gm, "    "));
  }
  return { passed, failed: problems.length, skipped, known: known.length };
}

/** @param {Runtime} runtime @param {string[]} files @param {string} folder @returns {Promise<Row>} */
async function runRuntime(runtime, files, folder) {
  /** @type {Row} */
  const row = { name: runtime.name, package: runtime.package, version: "" };
  /** @type {string[]} */
  let command;
  try {
    ({ command, version: row.version } = prepareRuntime(runtime));
  } catch (error) {
    if (!(error instanceof Absent)) throw error;
    return { ...row, absent: error.message };
  }
  const started = performance.now();
  const spec = { passed: 0, failed: 0, skipped: 0, known: 0 };
  row.spec = spec;
  const queue = files.filter((file) => excluded(runtime, file.replace(/\.test\.ts$/, "")) === undefined);
  /** @type {string[]} */
  const failed = [];
  /** @param {Counts} counts */
  const add = (counts) => {
    for (const key of /** @type {const} */ (["passed", "failed", "skipped", "known"])) spec[key] += counts[key];
  };
  const work = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const counts = await runFile(runtime, command, folder, file);
      if (counts.failed > 0) failed.push(file);
      else add(counts);
    }
  };
  await Promise.all(Array.from({ length: Number(args.jobs) }, work));
  // What failed beside others is tried once more, alone; the output says so.
  for (const file of failed) {
    const counts = await runFile(runtime, command, folder, file);
    if (counts.failed === 0) console.log(`passed when it ran alone: ${runtime.name}: ${file}`);
    add(counts);
  }
  if (args.file === undefined && peerless === "") {
    const extent = runtime.emulated || args.ci ? "smoke" : "all";
    row.interop = { ...(await interop(runtime.name, command, zmtp, extent, args.jobs)), known: 0 };
    row.abstract = await abstractNames(command, zmtp);
    if (!["meets libzmq", "ENOTSUP"].includes(row.abstract)) row.interop.failed++;
  }
  console.log(`${runtime.name} ${row.version}: ${Math.round((performance.now() - started) / 1000)} s`);
  return row;
}

const files = specFiles(".test.ts")
  .filter((file) => !file.startsWith("package/") && (args.file === undefined || file.includes(args.file)))
  .filter((file) => !(args.ci || args.emulated) || !SLOW.some((slow) => file.startsWith(slow)));
const folder = path.join(ROOT, "build", `runtimes-${process.pid}`);
/** A copy of the built package: a build meanwhile changes nothing. */
const zmtp = path.join(folder, "zmtp");
/** @type {Row[]} */
const rows = [];
/** Why no scenario can be run, or nothing. */
let peerless = "";
try {
  await compile(files, folder);
  if (args.file === undefined) {
    copyBuilt(zmtp);
    try {
      prepare("libzmq-c", { build: false });
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      peerless = error.message;
    }
  }
  for (const runtime of chosen) rows.push(await runRuntime(runtime, files, folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(table(rows));
if (args.write) {
  const results = path.join(ROOT, "interop/results");
  mkdirSync(results, { recursive: true });
  /** @type {Row[]} */
  let former = [];
  try {
    former = JSON.parse(readFileSync(path.join(results, "runtimes.json"), "utf8"));
  } catch {}
  const order = [...RUNTIMES, ...EMULATED].map(({ name }) => name);
  const kept = former.filter(({ name }) => order.includes(name) && !rows.some((row) => row.name === name));
  const all = [...kept, ...rows].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  writeFileSync(path.join(results, "runtimes.json"), `[\n${all.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
  writeFileSync(path.join(results, "runtimes.md"), tableMarkdown(all));
  const isWhole = all.length === order.length && all.every(({ absent }) => absent === undefined);
  const isGreen = all.every(({ spec, interop }) => spec?.failed === 0 && interop?.failed === 0);
  if (isWhole && isGreen) putIntoReadme("runtimes", markdownLines(all));
}

const counts = { passed: 0, failed: 0, skipped: 0 };
for (const { spec, interop } of rows) {
  for (const part of [spec, interop]) {
    counts.passed += part?.passed ?? 0;
    counts.failed += part?.failed ?? 0;
    counts.skipped += (part?.skipped ?? 0) + (part?.known ?? 0);
  }
}
const missing = rows.flatMap(({ name, absent }) => (absent === undefined ? [] : [`the whole of ${name}: ${absent}`]));
if (peerless !== "") missing.push(`the scenarios: ${peerless}`);
for (const what of missing) {
  const fails = process.env.CI === "true";
  console.log(`${fails ? "FAILED" : "skipped"} ${what}`);
  counts[fails ? "failed" : "skipped"]++;
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

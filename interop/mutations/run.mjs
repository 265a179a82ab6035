#!/usr/bin/env node
/**
 * Do the tests see what they should? Breaks the library in one place at a time, in a copy, and runs the tests of that part:
 * at least one has to fail, or the break has survived.
 *
 *   npm run mutations                   all of mutations.mjs, a quarter of an hour
 *   npm run mutations -- nonce trie     those whose description, file or tests contain one of the words
 *   npm run mutations -- --write        keeps the list in interop/results/mutations.md
 *
 * The last line is `N caught, N survived`; exit status 0 when nothing survived.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openingComment, readArguments } from "../lib/arguments.mjs";
import { MUTATIONS } from "./mutations.mjs";

/** @typedef {import("./mutations.mjs").Mutation} Mutation */
/** @typedef {{ mutation: Mutation, caught: string, ms: number }} Result `caught` names the first test; empty when it survived */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** A break that makes a test file hang is caught, too: tests get half of their time, and a file this. */
const FILE_MS = 30_000;
const TIMEOUT_FACTOR = 0.5;

const LIST = path.join(ROOT, "interop/results/mutations.md");
const SURVIVED = "**survived**";

const { values: args, positionals: words } = readArguments(
  {
    allowPositionals: true,
    options: { write: { type: "boolean", default: false } },
  },
  openingComment(import.meta.url),
);

const copy = path.join(ROOT, "build", `mutations-${process.pid}`);

function makeCopy() {
  mkdirSync(copy, { recursive: true });
  for (const entry of ["src", "spec", "scripts", "package.json", "tsconfig.json"]) {
    cpSync(path.join(ROOT, entry), path.join(copy, entry), { recursive: true });
  }
  symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
}

/** Runs the tests of the copy; resolves with their output, and whether all passed. @param {string[]} tests */
function runTests(tests) {
  return new Promise((/** @type {(outcome: { passed: boolean, output: string }) => void} */ resolve, reject) => {
    const child = spawn(process.execPath, ["scripts/spec.mjs", ...tests], {
      cwd: copy,
      env: { ...process.env, SPEC_FILE_TIMEOUT_MS: String(FILE_MS), SPEC_TIMEOUT_FACTOR: String(TIMEOUT_FACTOR) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", reject);
    child.on("close", (status) => resolve({ passed: status === 0, output }));
  });
}

/** Runs the tests, and those files once more that failed: what fails by chance on a busy machine has seen nothing. @param {string[]} tests */
async function runTwice(tests) {
  const first = await runTests(tests);
  const files = [...first.output.matchAll(/^FAILED (\S+) \(/gm)].map((found) => `${found[1]}.test`);
  return first.passed || files.length === 0 ? first : runTests(files);
}

/** What saw it: the first test that failed, or how its file ended. @param {string} output */
function firstFailure(output) {
  const test = /^ +FAIL +(\S*) +"(.*)"$/m.exec(output);
  if (test) return `${test[1]}: ${test[2]}`;
  const file = /^FAILED (\S+) \(.*?\)(?:: (.*))?$/m.exec(output);
  return file ? `${file[1]}: ${file[2] ?? "failed"}` : output.trim().split("\n").slice(-2).join(" ");
}

/** @param {Mutation} mutation @returns {Promise<Result>} */
async function tryOut(mutation) {
  const file = path.join(copy, "src", mutation.file);
  const text = readFileSync(file, "utf8");
  const started = performance.now();
  writeFileSync(
    file,
    text.replace(mutation.from, () => mutation.to),
  );
  try {
    const { passed, output } = await runTwice(mutation.tests);
    const ms = Math.round(performance.now() - started);
    if (/could not be compiled|no spec file matches/.test(output))
      throw new Error(`${mutation.what}: ${output.trim()}`);
    return { mutation, caught: passed ? "" : firstFailure(output), ms };
  } finally {
    writeFileSync(file, text);
  }
}

/** The rows of the former list, by what was broken: a run of some of them replaces those. @returns {Map<string, string>} */
function formerRows() {
  if (!existsSync(LIST)) return new Map();
  const rows = readFileSync(LIST, "utf8").match(/^\| .* \|$/gm) ?? [];
  return new Map(rows.map((row) => [row.split(" | ")[0].slice(2), row]));
}

/** @param {Result[]} results */
function markdown(results) {
  const rows = formerRows();
  for (const { mutation, caught } of results) {
    const by = caught === "" ? SURVIVED : caught.replaceAll("|", "\\|");
    rows.set(mutation.what, `| ${mutation.what} | ${mutation.file} | ${by} |`);
  }
  const all = MUTATIONS.flatMap(({ what }) => rows.get(what) ?? []);
  const survived = all.filter((row) => row.includes(SURVIVED)).length;
  return `# Mutations

Written by \`npm run mutations -- --write\`: the library broken in one place at a time, and the first test that saw it.

| broken | in src/ | caught by |
| --- | --- | --- |
${all.join("\n")}

${all.length - survived} caught, ${survived} survived
`;
}

const chosen = MUTATIONS.filter((mutation) => {
  const text = JSON.stringify(mutation);
  return words.length === 0 || words.some((word) => text.includes(word));
});
for (const { what, file, from } of MUTATIONS) {
  const places = readFileSync(path.join(ROOT, "src", file), "utf8").split(from).length - 1;
  if (places !== 1) throw new Error(`${file} holds what "${what}" breaks ${places} times`);
}
/** @type {Result[]} */
const results = [];
try {
  makeCopy();
  const needed = [...new Set(chosen.flatMap(({ tests }) => tests))];
  const { passed, output } = await runTwice(needed);
  if (!passed) throw new Error(`the tests fail unbroken: ${firstFailure(output)}`);
  for (const mutation of chosen) {
    const result = await tryOut(mutation);
    results.push(result);
    const verdict = result.caught === "" ? "SURVIVED" : "caught  ";
    console.log(`${verdict} ${mutation.what} (${mutation.file}; ${(result.ms / 1000).toFixed(1)} s): ${result.caught}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const survived = results.filter(({ caught }) => caught === "").length;
const last = `${results.length - survived} caught, ${survived} survived`;
if (args.write) writeFileSync(LIST, markdown(results));
console.log(last);
process.exitCode = survived > 0 ? 1 : 0;

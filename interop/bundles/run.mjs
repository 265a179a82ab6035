#!/usr/bin/env node
/**
 * The packed package in other hands: bundled by esbuild and webpack, in Jest, in worker threads, in a single executable.
 *
 *   npm run bundles                 all of it
 *   npm run bundles -- webpack sea  those whose name contains one of the words
 *
 * Each case runs apps/conversation.cjs from a folder of its own that holds no more than it needs: a bundle has no node_modules
 * beside it. The last line is `N passed, N failed`.
 */
import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { prepareRuntime, RUNTIMES } from "../runtimes/runtimes.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = path.join(HERE, "../..");
const require = createRequire(import.meta.url);

/** What apps/conversation.cjs hears. */
const EXPECTED = "a100000 a100000 a100000 a100000 one library";

/** Much for a program, little for an injector of executables on a busy machine. */
const PROGRAM_MS = 180_000;

/** The folder in which the package is installed. */
const project = mkdtempSync(path.join(tmpdir(), "zmtp-bundles-"));
process.on("exit", () => rmSync(project, { recursive: true, force: true }));

/**
 * Runs a program; resolves with what it printed, on both streams.
 * @param {string} command @param {string[]} args @param {string} [cwd] @returns {Promise<string>}
 */
function run(command, args, cwd = project) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_OPTIONS: "", NODE_PATH: "", NO_COLOR: "1", FORCE_COLOR: "0" };
    execFile(command, args, { cwd, env, timeout: PROGRAM_MS }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}${stderr}`));
      else resolve(stdout + stderr);
    });
  });
}

/** A folder for what is built, away from the project's node_modules. @param {string} name */
function outputFolder(name) {
  const folder = mkdtempSync(path.join(tmpdir(), `zmtp-${name}-`));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a bundle and checks what it heard, and that it said nothing else. @param {string} folder @param {string} file */
async function converse(folder, file) {
  const said = await run(process.execPath, [path.join(folder, file)], folder);
  if (said.trim() !== EXPECTED) throw new Error(`it said: ${said}`);
}

/** The program of a Node that stands alone. */
function fetchedNode() {
  const runtime = RUNTIMES.find(({ name }) => name === "node 22");
  if (runtime === undefined) throw new Error("no such runtime");
  return prepareRuntime(runtime).command[0];
}

/** @param {import("esbuild").BuildOptions} options @param {string} outfile @param {string} [entry] */
async function esbuild(options, outfile, entry = "main.cjs") {
  const { build } = await import("esbuild");
  const { warnings } = await build({
    absWorkingDir: project,
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    outfile,
    logLevel: "silent",
    ...options,
  });
  if (warnings.length > 0) throw new Error(`esbuild warns: ${JSON.stringify(warnings, undefined, 1)}`);
}

/** @param {import("webpack").Configuration} configuration @returns {Promise<void>} */
function webpack(configuration) {
  const bundler = require("webpack")({ context: project, entry: "./main.cjs", target: "node18", ...configuration });
  return new Promise((resolve, reject) => {
    bundler.run((/** @type {Error | null} */ error, /** @type {any} */ stats) => {
      bundler.close(() => {
        if (error) reject(error);
        else if (stats.hasErrors() || stats.hasWarnings()) reject(new Error(stats.toString({ colors: false })));
        else resolve();
      });
    });
  });
}

/** @type {Record<string, () => Promise<void>>} */
const CASES = {
  "esbuild, CommonJS in one file": async () => {
    const folder = outputFolder("esbuild");
    await esbuild({}, path.join(folder, "app.cjs"));
    await converse(folder, "app.cjs");
  },
  "esbuild, minified": async () => {
    const folder = outputFolder("esbuild");
    await esbuild({ minify: true }, path.join(folder, "app.cjs"));
    await converse(folder, "app.cjs");
  },
  "esbuild, ES module with a require of its own": async () => {
    // esbuild leaves the require of Node's modules to the program when it writes an ES module.
    const folder = outputFolder("esbuild");
    const js = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
    await esbuild({ format: "esm", banner: { js } }, path.join(folder, "app.mjs"), "main.mjs");
    await converse(folder, "app.mjs");
  },
  "esbuild, the package left outside": async () => {
    await esbuild({ packages: "external" }, path.join(project, "outside.cjs"));
    await converse(project, "outside.cjs");
  },
  "webpack, production": async () => {
    const folder = outputFolder("webpack");
    await webpack({ mode: "production", output: { path: folder, filename: "app.cjs" } });
    const files = readdirSync(folder).filter((file) => !file.endsWith(".txt"));
    if (files.length !== 1) throw new Error(`webpack wrote ${files}`);
    await converse(folder, "app.cjs");
  },
  "webpack, from an ES module": async () => {
    const folder = outputFolder("webpack");
    await webpack({ mode: "production", entry: "./main.mjs", output: { path: folder, filename: "app.cjs" } });
    await converse(folder, "app.cjs");
  },
  "webpack, development": async () => {
    const folder = outputFolder("webpack");
    await webpack({ mode: "development", output: { path: folder, filename: "app.cjs" } });
    await converse(folder, "app.cjs");
  },
  "Jest, modules reset between tests": async () => {
    const bin = path.join(HERE, "node_modules/jest/bin/jest.js");
    const said = await run(process.execPath, [bin, "--ci", "--detectOpenHandles", "--rootDir", project]);
    if (!/Tests: +7 passed, 7 total/.test(said)) throw new Error(said);
    if (/open handle|did not exit|worker process has failed/.test(said)) throw new Error(said);
  },
  "Jest, in its own worker processes": async () => {
    cpSync(path.join(project, "conversation.test.js"), path.join(project, "again.test.js"));
    const bin = path.join(HERE, "node_modules/jest/bin/jest.js");
    const said = await run(process.execPath, [bin, "--ci", "--maxWorkers=2", "--rootDir", project]);
    if (!/Tests: +14 passed, 14 total/.test(said)) throw new Error(said);
    if (/did not exit|worker process has failed|force exited/.test(said)) throw new Error(said);
  },
  "an ES module, unbundled": () => converse(project, "main.mjs"),
  "worker threads": () => converse(project, "worker.cjs"),
  "worker threads, bundled by esbuild": async () => {
    const folder = outputFolder("worker");
    await esbuild({}, path.join(folder, "app.cjs"), "worker.cjs");
    await converse(folder, "app.cjs");
  },
  "a single executable (SEA)": async () => {
    const folder = outputFolder("sea");
    await esbuild({}, path.join(folder, "app.cjs"));
    const configuration = { main: "app.cjs", output: "app.blob", disableExperimentalSEAWarning: true };
    writeFileSync(path.join(folder, "sea.json"), JSON.stringify(configuration));
    // A distribution's Node may have all it is made of in a library: then one from npm.
    const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
    const node = readFileSync(process.execPath).includes(fuse) ? process.execPath : fetchedNode();
    await run(node, ["--experimental-sea-config", "sea.json"], folder);
    const program = path.join(folder, "app");
    copyFileSync(node, program);
    chmodSync(program, 0o755);
    const postject = path.join(HERE, "node_modules/postject/dist/cli.js");
    await run(process.execPath, [postject, program, "NODE_SEA_BLOB", "app.blob", "--sentinel-fuse", fuse], folder);
    rmSync(path.join(folder, "app.cjs"));
    const said = await run(program, [], folder);
    if (said.trim() !== EXPECTED) throw new Error(`it said: ${said}`);
  },
};

function install() {
  const options = /** @type {const} */ ({ cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  writeFileSync(path.join(project, "package.json"), '{ "private": true }\n');
  const packed = execFileSync(
    "npm",
    ["pack", "--ignore-scripts", "--json", "--pack-destination", project, ROOT],
    options,
  );
  const [{ filename }] = JSON.parse(packed);
  execFileSync(
    "npm",
    ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", `./${filename}`],
    options,
  );
  cpSync(path.join(HERE, "apps"), project, { recursive: true });
  writeFileSync(path.join(project, "jest.config.js"), 'module.exports = { testEnvironment: "node" };\n');
}

const words = process.argv.slice(2);
const counts = { passed: 0, failed: 0 };
install();
for (const [name, run] of Object.entries(CASES)) {
  if (words.length > 0 && !words.some((word) => name.toLowerCase().includes(word.toLowerCase()))) continue;
  const started = performance.now();
  try {
    await run();
    counts.passed++;
    console.log(`ok ${name} (${Math.round(performance.now() - started)} ms)`);
  } catch (error) {
    counts.failed++;
    console.log(`FAILED ${name}\n${String(/** @type {Error} */ (error).message).replace(/^/gm, "    ")}`);
  }
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;

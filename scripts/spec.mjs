/**
 * Runs the tests: compiles every spec file to a plain ES module, runs each as a process of its own, and adds up their counts.
 *
 *   npm run spec                     all but spec/package, which needs a build (npm run package)
 *   npm run spec -- codec/decoder    the files whose path holds one of the arguments
 *   npm run spec -- --title "text"   of those files, the tests whose title holds the text
 *   npm run spec -- --watch decoder  again whenever a file of src/ or spec/ changes
 *   npm run spec -- --compile        only writes build/spec, for another runtime: node build/spec/codec/decoder.test.mjs
 *
 * As many files run at a time as there are processors. Their time limits grow on a machine that is busy. A file counts as failed when it prints no summary (it crashed, or the event loop ran empty), when it exits with another
 * code than 0, or when it does not exit. Programs that a test starts as child processes are called *.child.ts; they are
 * compiled beside the tests of their folder. The last line is `N passed, N failed`.
 */
import { spawn } from "node:child_process";
import { readdirSync, rmSync, watch } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { limit, ROOT, summary } from "./lib.mjs";
import { sodiumWasm } from "./sodium-wasm.mjs";

/** One whole file on a quiet machine. Slower work belongs into several files. */
const FILE_TIMEOUT_MS = Number(process.env.SPEC_FILE_TIMEOUT_MS ?? 120_000);
/** How long a file may live on after its summary: whatever keeps it up was left open. */
const EXIT_GRACE_MS = 5_000;
/** One change of an editor is several events. */
const WATCH_SETTLE_MS = 100;

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** Lists spec files with `ending`, relative to spec/. @param {string} ending @returns {string[]} */
export function specFiles(ending) {
  const found = readdirSync(path.join(ROOT, "spec"), { recursive: true, encoding: "utf8" });
  return found
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(ending))
    .sort();
}

/** Compiles `files` (relative to spec/) to `outdir`. @param {string[]} files @param {string} outdir */
export async function compile(files, outdir) {
  const folders = new Set(files.map((file) => path.posix.dirname(file)).concat("helpers"));
  const children = specFiles(".child.ts").filter((file) => folders.has(path.posix.dirname(file)));
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...files, ...children].map((file) => `spec/${file}`),
    outbase: "spec",
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node18",
    sourcemap: true,
    sourcesContent: false,
    external: ["esbuild", "typescript", "zeromq"],
    alias: { zmtp: "./src/index.ts" },
    plugins: [sodiumWasm()],
    logLevel: "error",
  });
}

/** @typedef {Counts & { reason: string, output: string, ms: number }} Outcome `reason` says why it failed when no test did */

/** The groups of processes that run now: a test's own children end with it, and all with the runner. */
const groups = new Set();
/** @param {number | undefined} pid */
function endGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
process.on("exit", () => groups.forEach(endGroup));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

/** What runs a compiled file here. */
const NODE = [process.execPath, "--enable-source-maps", "--expose-gc"];

/**
 * Runs one compiled file to its end.
 * @param {string} file @param {string[]} command what to put in front of it @param {NodeJS.ProcessEnv} [env]
 * @param {number} [milliseconds] its limit
 * @returns {Promise<Outcome>}
 */
export function execute(file, command = NODE, env = {}, milliseconds = FILE_TIMEOUT_MS) {
  return new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(command[0], [...command.slice(1), file], {
      cwd: ROOT,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    groups.add(child.pid);
    let output = "";
    let reason = "";
    /** @param {string} why */
    const kill = (why) => {
      reason = why;
      endGroup(child.pid);
    };
    let callOff = limit(milliseconds, () => kill(`still running after ${Date.now() - started} ms`));
    let done = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
        if (!done && /^ {2}Duration: /m.test(output)) {
          done = true;
          callOff();
          callOff = limit(EXIT_GRACE_MS, () => kill("did not exit after its tests: something was left open"));
        }
      });
    }
    child.on("close", (code, signal) => {
      callOff();
      groups.delete(child.pid);
      endGroup(child.pid);
      const counts = readCounts(output);
      if (!counts && !reason) reason = `ended without a summary (${signal ?? `exit code ${code}`})`;
      const result = counts ?? { passed: 0, failed: 0, skipped: 0 };
      if (!reason && result.failed === 0 && code !== 0)
        reason = `exit code ${code ?? signal} although its tests passed`;
      if (reason) result.failed += 1;
      resolve({ ...result, reason, output, ms: Date.now() - started });
    });
  });
}

/** Runs one compiled file and tells how it went. @param {string} file @param {string} name @returns {Promise<Counts>} */
async function runFile(file, name) {
  const { reason, output, ms, ...result } = await execute(file);
  if (result.failed > 0) {
    console.log(`FAILED ${name} (${summary(result)}; ${ms} ms)${reason ? `: ${reason}` : ""}`);
    console.log(output.trimEnd().replace(/^/gm, "    "));
  } else {
    const skips = output.match(/^.*skipped: .*$/gm)?.map((line) => `\n    ${line.slice(line.indexOf("skipped: "))}`);
    console.log(`ok ${name} (${summary(result)}; ${ms} ms)${skips?.join("") ?? ""}`);
  }
  return result;
}

/** Reads uvu's closing lines. @param {string} output @returns {Counts | undefined} */
function readCounts(output) {
  const found = /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)\n {2}Duration: /m.exec(output);
  if (!found) return undefined;
  const [total, passed, skipped] = found.slice(1).map(Number);
  return { passed, failed: total - passed, skipped };
}

/** Compiles and runs the files that match `filters`. @param {string[]} filters @returns {Promise<Counts>} */
export async function runSpec(filters) {
  const files = specFiles(".test.ts").filter((file) =>
    filters.length === 0 ? !file.startsWith("package/") : filters.some((filter) => file.includes(filter)),
  );
  /** @type {Counts} */
  const sum = { passed: 0, failed: 0, skipped: 0 };
  if (files.length === 0) {
    console.log(`no spec file matches ${filters.join(" ")}`);
    return { ...sum, failed: 1 };
  }
  // A folder of its own for each run: two runs in one checkout do not disturb each other.
  const outdir = path.join(ROOT, "build", `spec-${process.pid}`);
  try {
    await compile(files, outdir);
    const queue = files.slice();
    const worker = async () => {
      for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
        const counts = await runFile(path.join(outdir, file.replace(/\.ts$/, ".mjs")), file.replace(/\.test\.ts$/, ""));
        sum.passed += counts.passed;
        sum.failed += counts.failed;
        sum.skipped += counts.skipped;
      }
    };
    await Promise.all(Array.from({ length: os.cpus().length }, worker));
  } catch (error) {
    console.log(`the tests could not be compiled: ${/** @type {Error} */ (error).message}`);
    sum.failed += 1;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
  return sum;
}

/** Runs them again after each change, until the process is ended. @param {string[]} filters @returns {Promise<never>} */
async function watchSpec(filters) {
  for (;;) {
    /** @type {Promise<void>} */
    const changed = new Promise((resolve) => {
      const watchers = ["src", "spec"].map((folder) =>
        watch(path.join(ROOT, folder), { recursive: true }, () => {
          for (const each of watchers) each.close();
          setTimeout(resolve, WATCH_SETTLE_MS);
        }),
      );
    });
    console.log(`${summary(await runSpec(filters))}\n\nwaiting for a change`);
    await changed;
  }
}

/** What was typed. @param {string[]} argv */
function readArguments(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { compile: { type: "boolean" }, watch: { type: "boolean" }, title: { type: "string" } },
  });
  return { ...values, filters: positionals.map((each) => each.replace(/^(\.\/)?spec\//, "")) };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const wanted = readArguments(process.argv.slice(2));
  // The files read it: spec/helpers/test.ts.
  if (wanted.title !== undefined) process.env.SPEC_TITLE = wanted.title;
  if (wanted.compile) {
    await compile(specFiles(".test.ts"), path.join(ROOT, "build", "spec"));
  } else if (wanted.watch) {
    await watchSpec(wanted.filters);
  } else {
    const sum = await runSpec(wanted.filters);
    if (wanted.title !== undefined && sum.passed + sum.failed === 0) {
      console.log(`no test's title holds "${wanted.title}"`);
      sum.failed = 1;
    }
    console.log(summary(sum));
    process.exitCode = sum.failed > 0 ? 1 : 0;
  }
}

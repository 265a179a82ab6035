/**
 * Runs the project's checks one after the other and adds them up; the last line is `N passed, N failed`.
 *
 *   npm run ok     what a change has to pass: format and lint, types, layers, build, tests, packed tarball
 *   npm test       the tests: build, tests, packed tarball, interop with other implementations; with CI set both of these
 *                  and a short run of the benchmark
 *
 * A check without counts of its own is one pass or one failure. All steps run even if one fails, but for those that need
 * a build that failed.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { BIN, install, ROOT, run, summary } from "./lib.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const PLANS = {
  ok: ["lint", "types", "layers", "build", "spec", "package"],
  test: ["build", "spec", "package", "interop"],
  ci: ["lint", "types", "layers", "build", "spec", "package", "interop", "bench"],
};

/** Runs one of the project's scripts with Node. @param {string[]} args */
const node = (...args) => run(process.execPath, args);

/** A check that only passes or fails. @param {{ code: number }} result @returns {Counts} */
const single = ({ code }) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 });

/** A run of tests: its closing line, and its exit code. @param {{ code: number, output: string }} result @returns {Counts} */
function counted({ code, output }) {
  const lines = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)];
  const last = lines[lines.length - 1];
  const counts = { passed: Number(last?.[1] ?? 0), failed: Number(last?.[2] ?? 0), skipped: Number(last?.[3] ?? 0) };
  if (counts.failed === 0 && (code !== 0 || !last)) counts.failed = 1;
  return counts;
}

/**
 * The scenario table against other implementations, of it the part that fits; a package of its own, so that the main one stays
 * small. The whole is `npm run interop`.
 */
async function interop() {
  if (!existsSync(path.join(ROOT, "interop", "package.json"))) return { passed: 0, failed: 0, skipped: 0 };
  if (!(await install("interop"))) {
    if (process.env.CI) return { passed: 0, failed: 1, skipped: 0 };
    console.log("skipped: interop (its packages could not be installed)");
    return { passed: 0, failed: 0, skipped: 1 };
  }
  return counted(
    await run(process.execPath, ["run.mjs", "--part", "ci", "--jobs", "4"], { cwd: path.join(ROOT, "interop") }),
  );
}

/** Every benchmark once, with tiny counts: that each works and loses nothing. Times are not looked at. */
async function bench() {
  if (!(await install("bench"))) return { passed: 0, failed: 1, skipped: 0 };
  return counted(await run(process.execPath, ["bench/run.mjs", "--smoke"]));
}

/** @type {Record<string, () => Promise<Counts>>} */
const STEPS = {
  lint: async () => single(await node(BIN.biome, process.env.CI ? "ci" : "check", "--error-on-warnings")),
  types: async () => single(await node("scripts/types.mjs")),
  layers: async () => single(await node("scripts/check-layers.mjs")),
  build: async () => single(await node("scripts/build.mjs")),
  spec: async () => counted(await node("scripts/spec.mjs")),
  package: async () => counted(await node("scripts/spec.mjs", "package/")),
  interop,
  bench,
};

/** Steps that use dist. */
const NEED_BUILD = ["package", "interop", "bench"];

const wanted = process.argv[2] === "test" && process.env.CI ? "ci" : process.argv[2];
const plan = PLANS[/** @type {keyof typeof PLANS} */ (wanted)];
if (!plan) throw new Error("usage: gate.mjs ok|test");

/** @type {Counts} */
const sum = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];
for (const name of plan) {
  console.log(`\n== ${name}`);
  const blocked = NEED_BUILD.includes(name) && failures.includes("build");
  if (blocked) console.log("not run: the build failed");
  const counts = blocked ? { passed: 0, failed: 1, skipped: 0 } : await STEPS[name]();
  sum.passed += counts.passed;
  sum.failed += counts.failed;
  sum.skipped += counts.skipped;
  if (counts.failed > 0) failures.push(name);
}
console.log(failures.length > 0 ? `\nfailed: ${failures.join(", ")}` : "");
console.log(summary(sum));
process.exitCode = sum.failed > 0 ? 1 : 0;

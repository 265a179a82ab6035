/**
 * Runs the project's checks one after the other and adds them up; the last line is `N passed, N failed`.
 *
 *   npm run ok     what a change has to pass: format and lint, types, layers, the page of options, documentation, build, tests, packed tarball
 *   npm test       the tests: build, tests, packed tarball, interop with other implementations; with CI set all that `ci` says
 *   node scripts/gate.mjs ci
 *                  both of these, bundles, other runtimes, a short run of the benchmark, and some attacks
 *
 * A check without counts of its own is one pass or one failure. All steps run even if one fails, but for those that need
 * a build that failed; the minutes of each are told at the end. What cannot be installed is skipped by name, and a failure with CI set.
 */
import { BIN, install, run, summary } from "./lib.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const PLANS = {
  ok: ["lint", "types", "layers", "options", "docs", "build", "spec", "package"],
  test: ["build", "spec", "package", "interop"],
  ci: [
    "lint",
    "types",
    "layers",
    "options",
    "docs",
    "build",
    "spec",
    "package",
    "interop",
    "bundles",
    "runtimes",
    "bench",
  ],
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

/** Two runs of one step. @param {Counts} one @param {Counts} other @returns {Counts} */
const added = (one, other) => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

/**
 * A step that needs packages of its own, so that the main one stays small.
 * @param {string} folder @param {() => Promise<{ code: number, output: string }>} step @returns {Promise<Counts>}
 */
async function installed(folder, step) {
  if (await install(folder)) return counted(await step());
  console.log(`${process.env.CI ? "FAILED" : "skipped"}: the packages of ${folder} could not be fetched from npm`);
  return { passed: 0, failed: process.env.CI ? 1 : 0, skipped: process.env.CI ? 0 : 1 };
}

/** @type {Record<string, () => Promise<Counts>>} */
const STEPS = {
  lint: async () => single(await node(BIN.biome, process.env.CI ? "ci" : "check", "--error-on-warnings")),
  types: async () => single(await node("scripts/types.mjs")),
  layers: async () => single(await node("scripts/check-layers.mjs")),
  options: async () => single(await node("scripts/options.mjs")),
  docs: async () => counted(await node("scripts/docs.mjs")),
  build: async () => single(await node("scripts/build.mjs")),
  spec: async () => counted(await node("scripts/spec.mjs")),
  package: async () => counted(await node("scripts/spec.mjs", "package/")),
  /** The scenario table against other implementations, of it the part that fits. The whole is `npm run interop`. */
  interop: () => installed("interop", () => node("interop/run.mjs", "--part", "ci", "--jobs", "4")),
  bundles: () => installed("interop/bundles", () => node("interop/bundles/run.mjs")),
  /** Oldest and newest Node, Bun, Deno, without the slow tests. The whole is `npm run runtimes`. */
  runtimes: async () => counted(await node("interop/runtimes/run.mjs", "--ci", "--jobs", "3")),
  /**
   * Every benchmark once, with tiny counts, and one in two other Nodes side by side: that each works and loses nothing. Then
   * attacks: that the process lives and serves good clients. Times are not looked at.
   */
  bench: async () => {
    const smoke = await installed("bench", () => node("bench/run.mjs", "--smoke"));
    const nodes = await installed("bench", () =>
      node("bench/run.mjs", "--smoke", "--nodes", "18,26", "--only", "cold"),
    );
    const hostile = await installed("bench", () => node("bench/hostile.mjs", "--quick"));
    return added(added(smoke, nodes), hostile);
  },
};

/** Steps that use dist. */
const NEED_BUILD = ["package", "interop", "bundles", "runtimes", "bench"];

const wanted = process.argv[2] === "test" && process.env.CI ? "ci" : process.argv[2];
const plan = PLANS[/** @type {keyof typeof PLANS} */ (wanted)];
if (!plan) throw new Error("usage: gate.mjs ok|test|ci");

/** @type {Counts} */
const sum = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];
/** @type {string[]} */
const minutes = [];
for (const name of plan) {
  console.log(`\n== ${name}`);
  const blocked = NEED_BUILD.includes(name) && failures.includes("build");
  if (blocked) console.log("not run: the build failed");
  const started = performance.now();
  const counts = blocked ? { passed: 0, failed: 1, skipped: 0 } : await STEPS[name]();
  sum.passed += counts.passed;
  sum.failed += counts.failed;
  sum.skipped += counts.skipped;
  if (counts.failed > 0) failures.push(name);
  minutes.push(`${name} ${((performance.now() - started) / 60_000).toFixed(1)}`);
}
console.log(`\nminutes: ${minutes.join(", ")}`);
console.log(failures.length > 0 ? `\nfailed: ${failures.join(", ")}` : "");
console.log(summary(sum));
process.exitCode = sum.failed > 0 ? 1 : 0;

#!/usr/bin/env node
/**
 * Runs the scenario table against every peer that is present. See README.md; `--help` lists the arguments.
 * Exit status 0 when nothing failed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { AgentFailure } from "./lib/agent.mjs";
import { IMPLEMENTATION_NAMES, Missing, prepare } from "./lib/peers.mjs";
import { AgentPool } from "./lib/pool.mjs";
import { failureText, matrixMarkdown, matrixText, tally } from "./lib/report.mjs";
import { expand } from "./lib/table.mjs";
import { World } from "./lib/world.mjs";
import { SCENARIOS } from "./scenarios/index.mjs";

/** @typedef {import("./lib/table.mjs").Case} Case */
/** @typedef {import("./lib/report.mjs").Result} Result */

const CASE_MS = 20_000;

const HELP = `node interop/run.mjs [options]
  --peer a,b        which peers; all that are present unless said (${IMPLEMENTATION_NAMES.join(", ")})
  --sut name        the system under test: zmtp unless said
  --scenario text   only scenarios whose name contains the text
  --variant text    only cases whose variant contains the text, as a=zmtp or bind=b,tcp
  --transport name  only tcp or ipc
  --zmtp folder     load zmtp from there, and build nothing
  --no-build        load zmtp as it is
  --jobs n          cases at a time; 2 unless said
  --repeat n        every case n times
  --fresh           new processes for every case
  --verbose         a line for every case
  --list            show the scenarios and end
  --write           keep the results in interop/results`;

const { values: args } = parseArgs({
  options: {
    peer: { type: "string" },
    sut: { type: "string", default: "zmtp" },
    scenario: { type: "string", default: "" },
    variant: { type: "string", default: "" },
    transport: { type: "string" },
    zmtp: { type: "string" },
    "no-build": { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    repeat: { type: "string", default: "1" },
    fresh: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (args.help || args.list) {
  console.log(args.help ? HELP : SCENARIOS.map(({ name, roles }) => `${name} (${roles.join(", ")})`).join("\n"));
  process.exit(0);
}

const sut = /** @type {string} */ (args.sut);
const wantedPeers = args.peer?.split(",") ?? IMPLEMENTATION_NAMES.filter((name) => name !== sut && name !== "zmtp");
for (const name of [sut, ...wantedPeers]) {
  if (!IMPLEMENTATION_NAMES.includes(name)) throw new Error(`no implementation ${name}: ${IMPLEMENTATION_NAMES}`);
}

/** @type {Map<string, string[]>} */
const commands = new Map();
/** @type {Record<string, string>} */
const missing = {};
for (const name of new Set([sut, ...wantedPeers])) {
  try {
    commands.set(name, prepare(name, { zmtp: args.zmtp, build: !args["no-build"] }));
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    missing[name] = error.message;
  }
}
if (sut in missing) {
  console.log(`FAILED the system under test, ${sut}, is missing: ${missing[sut]}`);
  console.log("0 passed, 1 failed, 0 skipped");
  process.exit(1);
}

const peers = wantedPeers.filter((name) => commands.has(name));
const pool = new AgentPool(commands, !args.fresh);
const folder = mkdtempSync(join(tmpdir(), "interop-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.on(signal, () => process.exit(130));

/** @type {Map<string, import("./lib/pool.mjs").Features>} */
const features = new Map();
for (const name of commands.keys()) features.set(name, await pool.features(name));

/** @type {Case[]} */
const cases = SCENARIOS.filter(({ name }) => name.includes(String(args.scenario)))
  .flatMap((scenario) => peers.flatMap((peer) => expand(scenario, sut, peer, features)))
  .filter(({ variant }) => variant.includes(String(args.variant)))
  .filter(({ transport }) => args.transport === undefined || transport === args.transport)
  .flatMap((testCase) => Array.from({ length: Number(args.repeat) }, () => testCase));

/** @type {(Result | undefined)[]} in the order of the table, whichever ends first */
const results = cases.map(() => undefined);
let folders = 0;

/** @param {Case} testCase @returns {Promise<Result>} */
async function runCase(testCase) {
  const { scenario, peer, variant, skip } = testCase;
  /** @type {Result} */
  const result = { scenario: scenario.name, peer, variant, status: "passed" };
  if (skip !== undefined) return { ...result, status: "skipped", reason: skip };
  const own = join(folder, String(++folders));
  mkdirSync(own);
  const world = new World(testCase, pool, own);
  const started = performance.now();
  const limit = scenario.ms ?? CASE_MS;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished after ${limit} ms`)), limit);
  });
  try {
    await Promise.race([scenario.run(world), timeout]);
    await world.end(true);
  } catch (error) {
    const { message, code } = /** @type {any} */ (error);
    await world.end(false);
    const unsupported = error instanceof AgentFailure && code === "EUNSUPPORTED";
    result.status = unsupported ? "skipped" : "failed";
    result.reason = message;
    if (!unsupported) result.transcript = world.transcript;
  } finally {
    clearTimeout(timer);
  }
  result.ms = Math.round(performance.now() - started);
  if (Object.keys(world.measured).length > 0) result.measured = world.measured;
  return result;
}

let next = 0;
async function work() {
  while (next < cases.length) {
    const at = next++;
    const result = await runCase(cases[at]);
    results[at] = result;
    if (args.verbose) console.log(`${result.status} ${result.scenario} [${result.variant}] ${result.ms ?? 0} ms`);
    if (result.status === "failed") console.log(failureText(result, sut));
  }
}

const started = performance.now();
await Promise.all(Array.from({ length: Number(args.jobs) }, work));
await pool.close();

const finished = /** @type {Result[]} */ (results);
const versions = Object.fromEntries(
  [...features].map(([name, { version, library }]) => [
    name,
    library === "" || library === version ? version : `${version} (libzmq ${library})`,
  ]),
);
const outcome = { sut, versions, results: finished, missing };
console.log(matrixText(outcome, peers));

const counts = tally(finished);
for (const [name, reason] of Object.entries(missing)) {
  const fails = process.env.CI === "true";
  console.log(`${fails ? "FAILED" : "skipped"} the whole of ${name}: ${reason}`);
  counts[fails ? "failed" : "skipped"]++;
}

if (args.write) {
  const target = fileURLToPath(new URL("results", import.meta.url));
  mkdirSync(target, { recursive: true });
  const lines = finished.map(({ transcript: _, ...kept }) => JSON.stringify(kept));
  const head = JSON.stringify({ sut, versions, missing }).slice(0, -1);
  writeFileSync(join(target, "matrix.json"), `${head},"results":[\n${lines.join(",\n")}\n]}\n`);
  writeFileSync(join(target, "matrix.md"), matrixMarkdown(outcome, peers));
}

console.log(`${Math.round((performance.now() - started) / 1000)} s`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

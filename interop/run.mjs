#!/usr/bin/env node
/**
 * Runs the scenario table against every peer that is present. See README.md; `--help` lists the arguments.
 * Exit status 0 when nothing failed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { limit } from "../scripts/lib.mjs";
import { AgentFailure } from "./lib/agent.mjs";
import { readArguments, refuse } from "./lib/arguments.mjs";
import { PARTS, takePart } from "./lib/part.mjs";
import { IMPLEMENTATION_NAMES, Missing, prepare } from "./lib/peers.mjs";
import { AgentPool } from "./lib/pool.mjs";
import { runPrograms } from "./lib/programs.mjs";
import { writeReadme } from "./lib/readme.mjs";
import { failureText, matrixMarkdown, matrixText, total } from "./lib/report.mjs";
import { deviationWork, RAW_PEERS, rawWork, tableWork } from "./lib/work.mjs";
import { deviations } from "./scenarios/deviations.mjs";
import { SCENARIOS } from "./scenarios/index.mjs";
import { raw } from "./scenarios/raw.mjs";

/** @typedef {import("./lib/work.mjs").Work} Work */
/** @typedef {import("./lib/report.mjs").Result} Result */

const HELP = `node interop/run.mjs [options]
  --peer a,b        which peers; all that are present unless said (${IMPLEMENTATION_NAMES.join(", ")},
                    and the scripted ${RAW_PEERS.join(", ")})
  --sut name        the system under test: zmtp unless said
  --scenario text   only scenarios whose name contains the text
  --variant text    only cases whose variant contains the text, as a=zmtp or bind=b,tcp
  --transport name  only tcp or ipc
  --zmtp folder     load zmtp from there, and build nothing
  --no-build        load zmtp as it is
  --jobs n          cases at a time; 2 unless said
  --part name       ${PARTS.join(" or ")}; "ci" is what continuous integration runs
  --programs        the programs too, though something was chosen
  --repeat n        every case n times
  --fresh           new processes for every case
  --verbose         a line for every case
  --list            show the scenarios and end
  --write           keep the results in interop/results and, when all passed, in the README; not when a part was chosen`;

const { values: args } = readArguments(
  {
    options: {
      peer: { type: "string" },
      sut: { type: "string", default: "zmtp" },
      scenario: { type: "string", default: "" },
      variant: { type: "string", default: "" },
      transport: { type: "string" },
      zmtp: { type: "string" },
      "no-build": { type: "boolean", default: false },
      jobs: { type: "string", default: "2" },
      part: { type: "string", default: "all" },
      programs: { type: "boolean", default: false },
      repeat: { type: "string", default: "1" },
      fresh: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  },
  HELP,
);

if (args.list) {
  console.log(SCENARIOS.map(({ name, roles }) => `${name} (${roles.join(", ")})`).join("\n"));
  process.exit(0);
}

const sut = /** @type {string} */ (args.sut);
const wanted = args.peer?.split(",") ?? [...IMPLEMENTATION_NAMES, ...RAW_PEERS];
for (const name of [sut, ...wanted]) {
  if (![...IMPLEMENTATION_NAMES, ...RAW_PEERS].includes(name)) refuse(`no implementation ${name}`);
}
const wantedPeers = IMPLEMENTATION_NAMES.filter((name) => name !== sut && name !== "zmtp" && wanted.includes(name));

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

/** Those whose deviations are looked at: the one under test, and each version of libzmq once. */
const deviants = [sut, ...["native", "libzmq-c"].filter((name) => name !== sut && peers.includes(name))];

if (!PARTS.includes(String(args.part))) refuse(`no part ${args.part}`);

const whole = [
  ...tableWork(SCENARIOS, sut, peers, features),
  ...rawWork(raw, sut, features).filter(({ peer }) => wanted.includes(peer)),
  ...deviationWork(deviations, args.peer === undefined ? deviants : [], features),
];
const work = takePart(whole, String(args.part))
  .filter(({ scenario }) => scenario.includes(String(args.scenario)))
  .filter(({ variant }) => variant.includes(String(args.variant)))
  .filter(({ transport }) => args.transport === undefined || transport === args.transport)
  .flatMap((piece) => Array.from({ length: Number(args.repeat) }, () => piece));

/** @type {(Result | undefined)[]} in the order of the table, whichever ends first */
const results = work.map(() => undefined);
let folders = 0;

/** @param {Work} piece @returns {Promise<Result>} */
async function runPiece(piece) {
  const { scenario, peer, variant, skip } = piece;
  /** @type {Result} */
  const result = { scenario, peer, variant, status: "passed" };
  if (skip !== undefined) return { ...result, status: "skipped", reason: skip };
  const own = join(folder, String(++folders));
  mkdirSync(own);
  const world = piece.open(pool, own);
  const started = performance.now();
  let callOff = () => {};
  const timeout = new Promise((_, reject) => {
    callOff = limit(piece.ms, () => reject(new Error(`not finished after ${piece.ms} ms of a quiet machine`)));
  });
  try {
    const seen = await Promise.race([piece.run(world), timeout]);
    if (typeof seen === "string") result.seen = seen;
    await world.end(true);
  } catch (error) {
    const { message, code } = /** @type {any} */ (error);
    await world.end(false);
    const unsupported = error instanceof AgentFailure && code === "EUNSUPPORTED";
    result.status = unsupported ? "skipped" : "failed";
    result.reason = message;
    if (!unsupported) result.transcript = world.transcript;
  } finally {
    callOff();
  }
  result.ms = Math.round(performance.now() - started);
  if (Object.keys(world.measured).length > 0) result.measured = world.measured;
  return result;
}

let next = 0;
async function worker() {
  while (next < work.length) {
    const at = next++;
    const result = await runPiece(work[at]);
    results[at] = result;
    if (args.verbose) console.log(`${result.status} ${result.scenario} [${result.variant}] ${result.ms ?? 0} ms`);
    if (result.status === "failed") console.log(failureText(result, sut));
  }
}

const started = performance.now();
await Promise.all(Array.from({ length: Number(args.jobs) }, worker));
// Scenarios hold peers to times (three reconnect intervals, a heartbeat), and cases that ran beside them may have taken those.
// What failed gets one more try with the machine to itself, and the report says so.
let alone = 0;
for (const [at, result] of results.entries()) {
  if (result?.status !== "failed") continue;
  const again = await runPiece(work[at]);
  if (again.status !== "passed") continue;
  results[at] = again;
  alone++;
  console.log(`passed when it ran alone: ${again.scenario} [${again.variant}]`);
}
if (alone > 0) console.log(`${alone} failed beside others and passed alone`);
await pool.close();

/** Whether only a part was asked for by name. */
const isChosen =
  [args.peer, args.transport].some(Boolean) || args.scenario !== "" || args.variant !== "" || sut !== "zmtp";
const programs = args.programs || !isChosen ? await runPrograms() : [];

const versions = Object.fromEntries(
  [...features].map(([name, { version, library }]) => [
    name,
    library === "" || library === version ? version : `${version} (libzmq ${library})`,
  ]),
);
/** @type {import("./lib/report.mjs").Outcome} */
const outcome = {
  sut,
  part: String(args.part),
  versions,
  peers,
  rawPeers: RAW_PEERS,
  results: /** @type {Result[]} */ (results),
  missing,
  programs,
  deviations: new Map(
    deviations.flatMap(({ name, deviation }) => (deviation === undefined ? [] : [[name, deviation]])),
  ),
  seconds: Math.round((performance.now() - started) / 1000),
};
console.log(matrixText(outcome));

const counts = total(outcome);
for (const [name, reason] of Object.entries(missing)) {
  const fails = process.env.CI === "true";
  console.log(`${fails ? "FAILED" : "skipped"} the whole of ${name}: ${reason}`);
  counts[fails ? "failed" : "skipped"]++;
}

if (args.write && isChosen) console.log("not kept: the results are those of the whole table");
else if (args.write) {
  const target = fileURLToPath(new URL("results", import.meta.url));
  mkdirSync(target, { recursive: true });
  const lines = outcome.results.map(({ transcript: _, ...kept }) => JSON.stringify(kept));
  const head = JSON.stringify({ sut, part: outcome.part, versions, missing, programs }).slice(0, -1);
  writeFileSync(join(target, "matrix.json"), `${head},"results":[\n${lines.join(",\n")}\n]}\n`);
  writeFileSync(join(target, "matrix.md"), matrixMarkdown(outcome));
  if (outcome.part === "all" && counts.failed === 0) writeReadme(outcome);
}

console.log(`${outcome.seconds} s`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

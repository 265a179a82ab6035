/**
 * What hostile peers do to a socket that strangers reach: each attack on a fresh process, beside the native binding's.
 *
 *   node bench/hostile.mjs [--impl zmtp,native,other] [--nodes 20,22,24,26] [--heap 64] [--only topics,pings-1]
 *   node bench/hostile.mjs --quick     a few attacks: does the victim live, and is the good client served?
 *   node bench/hostile.mjs --only crowd    10,000 good clients at once, 200 ms away
 *   node bench/hostile.mjs --list      the attacks
 *
 * An attack is bounded in octets and in time (`--seconds 4` at most), and comes from raw connections of processes of
 * their own; good clients beside them measure how long they wait. With `--only`, part of a name, results are shown; the
 * whole is kept in results/hostile.md and .json, or where `--out` says, beside those of an earlier run that
 * `--with results.json` names. `other` is another build, at the path in ZMTP_OTHER, for before and after. The heap is
 * what `--max-old-space-size` allows, in MiB.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openingComment } from "../interop/lib/arguments.mjs";
import { ATTACKS } from "./hostile/attacks.mjs";
import { attackTable, crowdTable, failureOf, oneLine, report } from "./hostile/report.mjs";
import { runAttack, runCrowd } from "./hostile/run.mjs";
import { readFlags, readList, refuse } from "./lib/arguments.mjs";
import { BUSY, describeMachine, isBusy, machineText } from "./lib/machine.mjs";
import { prepareNodes } from "./lib/nodes.mjs";
import { findMissing } from "./lib/present.mjs";

const DEFAULT_HEAP_MIB = 64;
const QUICK_SECONDS = 2;
const QUICK_AT_ONCE = 3;
const CROWD_NAME = "crowd";
const NAMES = [...ATTACKS.map(({ id }) => id), CROWD_NAME];
const CROWD = { clients: 10_000, delayMs: 200 };

const { flags } = readFlags({
  values: ["impl", "nodes", "heap", "only", "seconds", "out", "with"],
  switches: ["quick", "list", "help"],
});
if (flags.help !== undefined) {
  console.log(openingComment(import.meta.url));
} else if (flags.list !== undefined) {
  for (const { id, title } of ATTACKS) console.log(`${id.padEnd(20)} ${title}`);
} else {
  await main();
}
process.exit();

async function main() {
  const isQuick = flags.quick !== undefined;
  const only = readList(flags.only) ?? [];
  const isNamed = (/** @type {string} */ id) =>
    only.length === 0 || only.some((name) => (NAMES.includes(name) ? id === name : id.includes(name)));
  const heap = Number(flags.heap ?? DEFAULT_HEAP_MIB);
  const seconds = flags.seconds === undefined ? (isQuick ? QUICK_SECONDS : undefined) : Number(flags.seconds);
  const attacks = ATTACKS.filter(({ id, quick }) => isNamed(id) && (!isQuick || quick === true));
  const withCrowd = isNamed(CROWD_NAME) && !isQuick;
  if (attacks.length === 0 && !withCrowd) refuse(`no attack has "${only.join()}" in its name; --list shows them`);
  const names = readList(flags.impl) ?? (isQuick ? ["zmtp"] : ["zmtp", "native"]);
  const releases = readList(flags.nodes);
  const nodes = releases === undefined ? {} : prepareNodes(releases);
  const wanted = releases === undefined ? names : names.flatMap((name) => releases.map((one) => `${name}@${one}`));
  const missing = await findMissing(wanted);
  for (const [name, reason] of missing) console.log(`${name} is not measured: ${reason}`);
  const implementations = wanted.filter((name) => !missing.has(name));

  /** @type {{ outcomes: import("./hostile/run.mjs").Outcome[], crowds: any[], other?: string }} */
  const { outcomes, crowds, other } =
    flags.with === undefined ? { outcomes: [], crowds: [] } : JSON.parse(readFileSync(flags.with, "utf8"));
  const machine = describeMachine();
  console.log(machineText(machine));
  if (isBusy(machine)) console.log(BUSY);
  const runs = attacks.flatMap((attack) => implementations.map((name) => ({ attack, name })));
  const takeTurns = async () => {
    for (let next = runs.shift(); next !== undefined; next = runs.shift()) {
      const outcome = await runAttack(next.attack, next.name, { heap, seconds });
      outcomes.push(outcome);
      console.log(oneLine(outcome));
    }
  };
  await Promise.all(Array.from({ length: isQuick ? QUICK_AT_ONCE : 1 }, takeTurns));
  for (const name of withCrowd ? implementations : []) {
    crowds.push({ ...(await runCrowd(name, CROWD)), ...CROWD });
    console.log(JSON.stringify(crowds.at(-1)));
  }
  const results = { machine: machineText(machine), heap, outcomes, crowds, nodes, other: otherCommit() ?? other };
  keep(results, only.length === 0 && !isQuick);
  judge(results);
}

/** What `other` was built from. */
function otherCommit() {
  const folder = process.env.ZMTP_OTHER;
  if (folder === undefined) return undefined;
  try {
    return execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: folder, encoding: "utf8" }).trim();
  } catch {
    return "an unknown commit";
  }
}

/** @param {any} results @param {boolean} isWhole */
function keep(results, isWhole) {
  const { outcomes, crowds } = results;
  const place = flags.out ?? (isWhole ? fileURLToPath(new URL("./results/hostile", import.meta.url)) : undefined);
  if (place !== undefined) {
    writeFileSync(`${place}.json`, `${JSON.stringify(results, undefined, 1)}\n`);
    writeFileSync(`${place}.md`, report(results));
    console.log(`\n${place}.md`);
    return;
  }
  if (outcomes.length > 0) console.log(`\n${attackTable(outcomes)}`);
  if (crowds.length > 0) console.log(`\n${crowdTable(crowds)}`);
}

/** Whether each victim of this package lived, and served the good. @param {any} results */
function judge({ outcomes, crowds }) {
  const own = outcomes.filter((/** @type {any} */ { implementation }) => implementation.startsWith("zmtp"));
  let failed = 0;
  for (const outcome of own) {
    const failure = failureOf(outcome);
    if (failure === undefined) continue;
    failed++;
    console.log(`FAILED ${outcome.attack}, ${outcome.implementation}: ${failure}`);
  }
  const crowdsOfOurs = crowds.filter((/** @type {any} */ { implementation }) => implementation.startsWith("zmtp"));
  for (const { inside, clients, implementation } of crowdsOfOurs) {
    if (inside === clients) continue;
    failed++;
    console.log(`FAILED crowd, ${implementation}: ${inside} of ${clients} got in`);
  }
  console.log(`${own.length + crowdsOfOurs.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

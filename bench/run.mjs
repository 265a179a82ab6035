/**
 * The full set: every scenario, every implementation, rounds interleaved. Run it on a machine that does nothing else.
 *
 *   node bench/run.mjs --full [--minutes 25] [--rounds 5] [--only pub-sub] [--impl zmtp,native]
 *   node bench/run.mjs --quick         the short comparison, two minutes
 *   node bench/run.mjs --smoke         does everything run, and lose nothing? Nothing is measured or kept
 *   node bench/run.mjs --nodes 20,22,24,26      several Nodes side by side in the same run, of the scenarios that bars speak of
 *   node bench/run.mjs --host ADDRESS  with the other ends on another machine, where `node bench serve` runs
 *   node bench/run.mjs --quota 10      every process together on a tenth of a core
 *   node bench/run.mjs --node "qemu-aarch64-static /opt/node-arm64/bin/node"    another Node, such as an emulated one
 *
 * `--minutes` makes samples as short as everything needs to fit; `--duration 1000` makes each as long, whatever that takes, with
 * fresh processes for each. `--label` names the results: results/<date>-<label>.jsonl, from which `node bench report` makes the
 * tables and charts. Of a part (--only, --impl) they are kept in results/partial/, which is not committed.
 */

import { readFlags, readList } from "./lib/arguments.mjs";
import { BAR_SCENARIOS } from "./lib/bars.mjs";
import { BUSY, describeMachine, isBusy, machineText } from "./lib/machine.mjs";
import { onEachNode, prepareNodes } from "./lib/nodes.mjs";
import { findMissing } from "./lib/present.mjs";
import { useNode } from "./lib/programs.mjs";
import { createProgress } from "./lib/progress.mjs";
import { confine } from "./lib/quota.mjs";
import { connectRemote, SERVE_PORT } from "./lib/remote.mjs";
import { remarks } from "./lib/report.mjs";
import { createResults } from "./lib/results.mjs";
import { terminalReport } from "./lib/results-text.mjs";
import { measure } from "./lib/rounds.mjs";
import { followRunner } from "./lib/seed.mjs";
import { useRemote } from "./lib/session.mjs";
import { smoke } from "./lib/smoke.mjs";
import { allScenarios, confinedScenarios, remoteScenarios } from "./scenarios/index.mjs";

const DEFAULT_MINUTES = 25;

/** What an emulated Node can run; the native binding is built for this machine's own. */
const INSIDE_ANOTHER_NODE = ["zmtp", "zmtp-many", "net", "node"];

const { flags } = readFlags({
  values: ["rounds", "duration", "minutes", "only", "impl", "churn", "host", "port", "quota", "node", "nodes", "label"],
  switches: ["smoke", "quick", "full"],
});
followRunner();
if (flags.quick !== undefined) {
  process.argv = process.argv.filter((argument) => argument !== "--quick");
  await import("./quick.mjs");
} else {
  await run();
}
process.exit();

async function run() {
  const isSmoke = flags.smoke !== undefined;
  const conditions = [flags.quota && confine(Number(flags.quota)), flags.node && useNode(flags.node)].filter(Boolean);
  const remote =
    flags.host === undefined ? undefined : await connectRemote(flags.host, Number(flags.port ?? SERVE_PORT));
  useRemote(remote);
  const releases = readList(flags.nodes);
  const nodes = releases && prepareNodes(releases);
  const chosen = chooseScenarios({ smoke: isSmoke, churn: Number(flags.churn ?? 20_000) });
  const scenarios = releases === undefined ? chosen : onEachNode(chosen, releases);
  const implementations = [...new Set(scenarios.flatMap((one) => one.implementations))];
  const missing = await findMissing(implementations);
  const far = await remote?.hello(implementations);
  for (const [name, reason] of far?.missing ?? []) missing.set(name, `on the other machine: ${reason}`);
  if (isSmoke) process.exitCode = (await smoke(scenarios, missing)) ? 0 : 1;
  else await keep({ scenarios, missing, nodes, far: far?.machine, conditions: conditions.join("; ") || undefined });
  remote?.close();
}

/** @param {{ smoke: boolean, churn: number }} options */
function chooseScenarios(options) {
  const all = () => {
    if (flags.host !== undefined) return remoteScenarios(options);
    return flags.quota === undefined && flags.node === undefined ? allScenarios(options) : confinedScenarios(options);
  };
  const isWanted = (/** @type {string} */ id) =>
    flags.only === undefined ? flags.nodes === undefined || BAR_SCENARIOS.has(id) : id.includes(flags.only);
  const scenarios = all().filter(({ id }) => isWanted(id));
  const wanted = readList(flags.impl) ?? (flags.node === undefined ? undefined : INSIDE_ANOTHER_NODE);
  if (wanted === undefined) return scenarios;
  for (const scenario of scenarios) {
    scenario.implementations = scenario.implementations.filter((name) => wanted.includes(name));
  }
  return scenarios.filter(({ implementations }) => implementations.length > 0);
}

function label() {
  if (flags.label !== undefined) return flags.label;
  if (flags.host !== undefined) return "network";
  if (flags.node !== undefined) return "emulated";
  if (flags.nodes !== undefined) return "nodes";
  return flags.quota === undefined ? "full" : `quota-${flags.quota}`;
}

/**
 * Measures, keeps every sample, and prints the main tables.
 *
 * @param {{ scenarios: import("./lib/rounds.mjs").Scenario[], missing: Map<string, string>, nodes?: Record<string, string>, far?: Record<string, string | number>, conditions?: string }} what
 */
async function keep({ scenarios, missing, nodes, far, conditions }) {
  const rounds = Number(flags.rounds ?? 5);
  const durationMs = flags.duration === undefined ? undefined : Number(flags.duration);
  const minutes = durationMs === undefined ? Number(flags.minutes ?? DEFAULT_MINUTES) : undefined;
  const machine = describeMachine();
  const head = { machine, nodes, far, label: label(), rounds, durationMs, minutes, conditions };
  const file = createResults(head, flags.only !== undefined || flags.impl !== undefined);
  console.log(`${machineText(machine)}\n`);
  if (far !== undefined) console.log(`the other machine:\n${machineText(far)}\n`);
  if (conditions !== undefined) console.log(`${conditions}\n`);
  if (isBusy(machine)) console.log(`${BUSY}\n`);

  const progress = createProgress(scenarios.length);
  const results = await measure(scenarios, {
    rounds,
    durationMs: durationMs ?? 0,
    totalMs: minutes === undefined ? undefined : minutes * 60_000,
    keep: minutes !== undefined,
    missing,
    onStart: progress.onStart,
    onGap: file.onGap,
    onSample: file.onSample,
    onResult(result) {
      progress.onSample();
      progress.onResult(result);
    },
  });

  console.log(`\n${terminalReport(head, results)}\n`);
  for (const line of remarks(results)) console.log(line);
  console.log(`\n${file.base}.jsonl`);
}

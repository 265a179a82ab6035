/**
 * The short comparison: zmtp against the native binding and libzmq from C over tcp, a minute or so.
 *
 *   node bench/quick.mjs [--rounds 5] [--duration 600] [--only push-pull] [--impl zmtp,native] [--nodes 20,22,24,26]
 *
 * Both ends of a measurement are processes of their own and of the same kind; rounds are interleaved; the table shows
 * medians. On a busy machine look at the ratios, and at the spread below them. With `--nodes` every JavaScript implementation runs
 * in each of those Nodes, side by side.
 */

import { readFlags, readList } from "./lib/arguments.mjs";
import { BUSY, describeMachine, isBusy, machineText } from "./lib/machine.mjs";
import { onEachNode, prepareNodes, resultsOn } from "./lib/nodes.mjs";
import { findMissing } from "./lib/present.mjs";
import { createProgress } from "./lib/progress.mjs";
import { comparison, pageFaults, processorTimes, remarks, spreads } from "./lib/report.mjs";
import { measure } from "./lib/rounds.mjs";
import { roundTrip } from "./scenarios/round-trip.mjs";
import { pubSub, pushPull } from "./scenarios/streams.mjs";

const COLUMNS = ["zmtp", "zmtp-many", "zmtp-polling", "native", "libzmq-c", "net"];
const PEERS = ["zmtp", "native", "libzmq-c"];

const SCENARIOS = [
  roundTrip({ size: 1, implementations: ["zmtp-polling", ...PEERS, "net"] }),
  pushPull({ size: 10, implementations: [...PEERS, "zmtp-many"] }),
  pushPull({ size: 1024, implementations: PEERS }),
  pushPull({ size: 65536, implementations: [...PEERS, "net"] }),
  pushPull({ size: 1_048_576, implementations: [...PEERS, "net"] }),
  pushPull({ size: 1_048_576, security: "curve", implementations: PEERS }),
  pubSub({ size: 100, implementations: PEERS }),
];

const { flags } = readFlags({ values: ["rounds", "duration", "only", "impl", "nodes"] });
const rounds = Number(flags.rounds ?? 5);
const durationMs = Number(flags.duration ?? 600);
const wanted = readList(flags.impl);
const chosen = SCENARIOS.filter(({ id }) => id.includes(flags.only ?? ""));
if (wanted !== undefined) {
  for (const scenario of chosen) {
    const known = scenario.implementations.filter((name) => wanted.includes(name));
    scenario.implementations = wanted.includes("other") ? [...known, "other"] : known;
  }
}

const columns = [...COLUMNS, "other"].filter((name) => chosen.some((one) => one.implementations.includes(name)));
const releases = readList(flags.nodes);
const nodes = releases && prepareNodes(releases);
const scenarios = releases === undefined ? chosen : onEachNode(chosen, releases);
const missing = await findMissing(scenarios.flatMap((one) => one.implementations));
const total =
  rounds * scenarios.reduce((sum, one) => sum + one.implementations.filter((name) => !missing.has(name)).length, 0);

const machine = describeMachine();
console.log(`${machineText(machine)}\n`);
if (isBusy(machine)) console.log(`${BUSY}\n`);
const results = await measure(scenarios, {
  rounds,
  durationMs,
  keep: true,
  missing,
  ...createProgress(total),
});

const against = columns.filter((name) => !name.startsWith("zmtp"));
const runs =
  nodes === undefined
    ? [{ title: "", results }]
    : Object.entries(nodes).map(([release, version]) => ({
        title: `Node ${version}\n\n`,
        results: resultsOn(results, release),
      }));
for (const run of runs) {
  console.log(`\n${run.title}${comparison(run.results, { implementations: columns, subject: "zmtp", against })}`);
  console.log(`\n${spreads(run.results, columns)}`);
  const times = processorTimes(run.results, columns);
  if (times !== undefined) console.log(`\n${times}`);
  const faults = pageFaults(run.results, columns);
  if (faults !== undefined) console.log(`\n${faults}`);
}
console.log(
  "\nzmtp : x is how many times as fast zmtp is as x; above 1 it is the faster. PUB waits at its high-water mark (noDrop).",
);
for (const line of remarks(results)) console.log(line);

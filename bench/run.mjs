/**
 * The full set: every scenario, every implementation, rounds interleaved, fresh processes for every sample. Takes
 * about a quarter of an hour; run it on a machine that does nothing else.
 *
 *   node bench/run.mjs [--rounds 5] [--duration 1000] [--only pub-sub] [--impl zmtp,native] [--churn 20000]
 *   node bench/run.mjs --smoke
 *
 * Keeps each sample as a JSON line in results/<date>.jsonl, and the tables in results/<date>.md; of a part (--only, --impl)
 * in results/partial/, which is not committed.
 *
 * `--smoke` runs every scenario once with tiny counts, and looks only at whether it runs and nothing is lost. It
 * measures nothing and keeps nothing. Its last line is `N passed, N failed`.
 */

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFlags, readList } from "./lib/arguments.mjs";
import { barTable } from "./lib/bars.mjs";
import { BUSY, describeMachine, isBusy, machineText } from "./lib/machine.mjs";
import { findMissing } from "./lib/present.mjs";
import { createProgress } from "./lib/progress.mjs";
import { comparison, processorTimes, remarks, spreads } from "./lib/report.mjs";
import { measure } from "./lib/rounds.mjs";
import { smoke } from "./lib/smoke.mjs";
import { allScenarios, COLUMNS } from "./scenarios/index.mjs";

const { flags } = readFlags({ values: ["rounds", "duration", "only", "impl", "churn"], switches: ["smoke"] });
const isSmoke = flags.smoke !== undefined;
const scenarios = allScenarios({ smoke: isSmoke, churn: Number(flags.churn ?? 20_000) }).filter(({ id }) =>
  id.includes(flags.only ?? ""),
);
const wanted = readList(flags.impl);
if (wanted !== undefined) {
  for (const scenario of scenarios) {
    scenario.implementations = scenario.implementations.filter((name) => wanted.includes(name));
  }
}
const missing = await findMissing(scenarios.flatMap((one) => one.implementations));

if (isSmoke) {
  process.exitCode = (await smoke(scenarios, missing)) ? 0 : 1;
} else {
  await full();
}

async function full() {
  const rounds = Number(flags.rounds ?? 5);
  const durationMs = Number(flags.duration ?? 1000);
  const machine = describeMachine();
  const part = flags.only !== undefined || flags.impl !== undefined;
  const folder = fileURLToPath(new URL(part ? "results/partial" : "results", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const base = join(folder, String(machine.date).slice(0, 19).replaceAll(":", ""));
  const keepLine = (/** @type {object} */ line) => appendFileSync(`${base}.jsonl`, `${JSON.stringify(line)}\n`);
  keepLine({ machine, rounds, durationMs });
  console.log(`${machineText(machine)}\n`);

  const total = scenarios.reduce(
    (sum, { implementations, samples = 1 }) => sum + implementations.length * samples * rounds,
    0,
  );
  const progress = createProgress(total);
  const results = await measure(scenarios, {
    rounds,
    durationMs,
    keep: false,
    missing,
    ...progress,
    onSample(scenario, implementation, round, sample) {
      progress.onSample();
      keepLine({ scenario: scenario.id, implementation, round, unit: scenario.unit, size: scenario.size, ...sample });
    },
  });

  const columns = COLUMNS.filter((name) => scenarios.some((one) => one.implementations.includes(name)));
  const against = columns.filter((name) => name === "native" || name === "libzmq-c" || name === "net");
  const text = [
    `# Benchmarks, ${machine.date}`,
    machineText(machine).replaceAll("\n", "  \n"),
    `${rounds} rounds of ${durationMs} ms, interleaved, fresh processes for each sample, medians. Both ends of a measurement are of the same kind.`,
    ...(isBusy(machine) ? [`**${BUSY}**`] : []),
    "## The bars",
    "Measured is zmtp's median through the other's: of times and memory for the first, of rates for the others.",
    barTable(results),
    "## All scenarios",
    "`zmtp : x` is how many times as fast (or as small) zmtp is as x; above 1 it is the better. PUB waits at its high-water mark (noDrop) in every implementation.",
    comparison(results, { implementations: columns, subject: "zmtp", against }),
    "## Spread",
    spreads(results, columns),
    "## Processor time",
    processorTimes(results, columns) ?? "–",
    ...(remarks(results).length === 0
      ? []
      : [
          "## Remarks",
          remarks(results)
            .map((line) => `- ${line}`)
            .join("\n"),
        ]),
  ].join("\n\n");
  writeFileSync(`${base}.md`, `${text}\n`);
  console.log(`\n${text}\n\n${base}.md\n${base}.jsonl`);
}

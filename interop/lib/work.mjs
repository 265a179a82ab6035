/**
 * What the runner has to do, one piece for each case, whatever kind of scenario it comes from: two agents, an agent and a
 * scripted peer, or a deviation whose outcome is pinned in words.
 */
import { VERSIONS } from "./raw-peer.mjs";
import { expandRaw, RawWorld } from "./raw-world.mjs";
import { expand } from "./table.mjs";
import { equal, World } from "./world.mjs";

/** @typedef {import("./pool.mjs").AgentPool} AgentPool */
/** @typedef {import("./pool.mjs").Features} Features */
/** @typedef {import("./raw-world.mjs").RawCase} RawCase */
/** @typedef {import("./raw-world.mjs").RawScenario} RawScenario */
/** @typedef {import("./table.mjs").Scenario} Scenario */

const CASE_MS = 20_000;

/**
 * @typedef {object} Work
 * @property {string} scenario
 * @property {string} peer
 * @property {string} variant
 * @property {string} transport
 * @property {number} ms the time it may take
 * @property {string} [skip] why it is not run
 * @property {(pool: AgentPool, folder: string) => World | RawWorld} open
 * @property {(world: any) => Promise<string | void>} run gives what was seen, of a deviation
 */

export const RAW_PEERS = VERSIONS.map((version) => `raw-${version}`);

/** @param {Scenario[]} scenarios @param {string} sut @param {string[]} peers @param {Map<string, Features>} features @returns {Work[]} */
export function tableWork(scenarios, sut, peers, features) {
  return scenarios.flatMap((scenario) =>
    peers.flatMap((peer) =>
      expand(scenario, sut, peer, features).map((testCase) => ({
        scenario: scenario.name,
        peer,
        variant: testCase.variant,
        transport: testCase.transport,
        ms: scenario.ms ?? CASE_MS,
        skip: testCase.skip,
        open: (pool, folder) => new World(testCase, pool, folder),
        run: (/** @type {World} */ world) => scenario.run(world),
      })),
    ),
  );
}

/** @param {RawCase} rawCase @param {string} peer @returns {Work} */
function rawPiece(rawCase, peer) {
  const { raw, variant, transport, skip } = rawCase;
  return {
    scenario: raw.name,
    peer,
    variant,
    transport,
    ms: raw.ms ?? CASE_MS,
    skip,
    open: (pool, folder) => new RawWorld(rawCase, pool, folder),
    async run(/** @type {RawWorld} */ world) {
      const seen = await raw.run(world);
      if (raw.deviation !== undefined) equal(seen, pinned(rawCase), "what was seen is");
      return seen;
    },
  };
}

/** What the implementation is known to do. @param {RawCase} rawCase */
function pinned({ raw: { deviation }, features }) {
  if (deviation === undefined) return undefined;
  if (features.library === "") return deviation.zmtp;
  return features.library === "4.3.4" ? (deviation.libzmq434 ?? deviation.libzmq) : deviation.libzmq;
}

/** Scripted peers against `sut`. @param {RawScenario[]} scenarios @param {string} sut @param {Map<string, Features>} features @returns {Work[]} */
export function rawWork(scenarios, sut, features) {
  return scenarios.flatMap((scenario) => expandRaw(scenario, sut, features).map((one) => rawPiece(one, one.peer)));
}

/**
 * The deviations, for each of the implementations.
 * @param {RawScenario[]} scenarios @param {string[]} implementations @param {Map<string, Features>} features @returns {Work[]}
 */
export function deviationWork(scenarios, implementations, features) {
  return scenarios.flatMap((scenario) =>
    implementations.flatMap((name) => expandRaw(scenario, name, features).map((one) => rawPiece(one, name))),
  );
}

/**
 * The scenario table, and its expansion into cases: for each pair (system under test, peer) who plays which role × who
 * binds × transport. A case that an implementation cannot run is kept as a skip with its reason.
 */

/** @typedef {import("./world.mjs").World} World */
/** @typedef {import("./world.mjs").Options} Options */
/** @typedef {import("./pool.mjs").Features} Features */

/** What libzmq has to be told, and zmtp does not. @param {Role} role @param {Options} options @returns {Options} */
export const unlessZmtp = (role, options) => (role.implementation === "zmtp" ? {} : options);

/**
 * @typedef {object} Scenario
 * @property {string} name `family/what`
 * @property {[string, string]} roles the socket types of a and b
 * @property {("a" | "b")[]} [binds] who may bind; both unless said
 * @property {("tcp" | "ipc")[]} [transports] both unless said
 * @property {{ a?: Options, b?: Options }} [options]
 * @property {(testCase: Case) => { a?: Options, b?: Options }} [caseOptions] more options, that depend on the case
 * @property {string[]} [needs] features that both sides must have: "plain", "curve"
 * @property {(testCase: Case) => string | undefined} [except] why a case cannot be run, in words
 * @property {number} [ms] the time a case may take
 * @property {(world: World) => Promise<void>} run
 */

/**
 * @typedef {object} Role
 * @property {string} implementation
 * @property {string} type
 * @property {Features} features
 * @property {Options} options
 */

/**
 * @typedef {object} Case
 * @property {Scenario} scenario
 * @property {string} peer
 * @property {string} variant `a=zmtp,bind=a,tcp`
 * @property {"a" | "b"} binder
 * @property {"tcp" | "ipc"} transport
 * @property {Role} a
 * @property {Role} b
 * @property {string} [skip] why it is not run
 */

const BOTH = /** @type {("a" | "b")[]} */ (["a", "b"]);
const TRANSPORTS = /** @type {("tcp" | "ipc")[]} */ (["tcp", "ipc"]);

/** @param {Case} testCase */
function reasonToSkip(testCase) {
  const { scenario } = testCase;
  for (const role of [testCase.a, testCase.b]) {
    if (!role.features.types.has(role.type)) return `${role.implementation} has no ${role.type}`;
    if (!role.features.transports.has(testCase.transport)) {
      return `${role.implementation} has no ${testCase.transport} that others can meet`;
    }
    for (const need of scenario.needs ?? []) {
      if (!role.features.has.has(need)) return `${role.implementation} has no ${need}`;
    }
  }
  return scenario.except?.(testCase);
}

/** @param {Scenario} scenario @param {string} sut @param {string} peer @param {Map<string, Features>} features @returns {Case[]} */
export function expand(scenario, sut, peer, features) {
  /** @type {Case[]} */
  const cases = [];
  const played = scenario.roles[0] === scenario.roles[1] ? BOTH.slice(0, 1) : BOTH;
  for (const sutRole of played) {
    for (const binder of scenario.binds ?? BOTH) {
      for (const transport of scenario.transports ?? TRANSPORTS) {
        /** @param {"a" | "b"} role @returns {Role} */
        const play = (role) => {
          const implementation = role === sutRole ? sut : peer;
          return {
            implementation,
            type: scenario.roles[role === "a" ? 0 : 1],
            features: /** @type {Features} */ (features.get(implementation)),
            options: { ...scenario.options?.[role] },
          };
        };
        const a = play("a");
        const b = play("b");
        const variant = `a=${a.implementation},b=${b.implementation},bind=${binder},${transport}`;
        /** @type {Case} */
        const testCase = { scenario, peer, variant, binder, transport, a, b };
        const more = scenario.caseOptions?.(testCase);
        Object.assign(a.options, more?.a);
        Object.assign(b.options, more?.b);
        testCase.skip = reasonToSkip(testCase);
        cases.push(testCase);
      }
    }
  }
  return cases;
}

/**
 * What a raw scenario works with: one agent with a socket of the implementation under test, and scripted peers of one version
 * of ZMTP, which the runner plays itself. Either end binds.
 */
import { dial, RawListener, RawPeer, VERSIONS } from "./raw-peer.mjs";
import { Endpoint, patience } from "./world.mjs";

/** @typedef {import("./raw-peer.mjs").Version} Version */
/** @typedef {import("./pool.mjs").AgentPool} AgentPool */

/**
 * @typedef {object} RawScenario
 * @property {string} name `raw/what`
 * @property {string} type the socket of the implementation
 * @property {import("./world.mjs").Options} [options]
 * @property {Version[]} [versions] all unless said
 * @property {("implementation" | "script")[]} [binds] both unless said
 * @property {("tcp" | "ipc")[]} [transports] tcp unless said
 * @property {Deviation} [deviation] what differs, in words; such a scenario runs for libzmq as well
 * @property {string[]} [needs]
 * @property {number} [ms]
 * @property {(world: RawWorld) => Promise<string | void>} run gives what was seen, when there is a deviation
 */

/**
 * @typedef {object} Deviation the words that `run` gives, for each
 * @property {string} rfc
 * @property {string} zmtp
 * @property {string} libzmq
 * @property {string} [libzmq434] where the older one differs
 */

/**
 * @typedef {object} RawCase
 * @property {RawScenario} raw
 * @property {string} peer
 * @property {string} variant
 * @property {Version} version
 * @property {"implementation" | "script"} binder
 * @property {"tcp" | "ipc"} transport
 * @property {string} implementation
 * @property {import("./pool.mjs").Features} features
 * @property {string} [skip]
 */

/**
 * @param {RawScenario} scenario @param {string} implementation @param {Map<string, import("./pool.mjs").Features>} features
 * @returns {RawCase[]}
 */
export function expandRaw(scenario, implementation, features) {
  const own = /** @type {import("./pool.mjs").Features} */ (features.get(implementation));
  const missing = scenario.needs?.find((need) => !own.has.has(need));
  return (scenario.versions ?? VERSIONS).flatMap((version) =>
    (scenario.binds ?? ["implementation", "script"]).flatMap((binder) =>
      (scenario.transports ?? ["tcp"]).map((transport) => ({
        raw: scenario,
        peer: `raw-${version}`,
        variant: `${implementation},bind=${binder},${transport}`,
        version,
        binder: /** @type {RawCase["binder"]} */ (binder),
        transport: /** @type {RawCase["transport"]} */ (transport),
        implementation,
        features: own,
        skip: missing === undefined ? undefined : `${implementation} has no ${missing}`,
      })),
    ),
  );
}

export class RawWorld {
  #pool;
  #agent;
  /** @type {RawPeer[]} */
  #peers = [];
  /** @type {RawListener | undefined} */
  #listener;
  #folder;
  /** @type {string[]} */
  transcript = [];
  /** @type {Record<string, number>} */
  measured = {};
  address = "";

  /** @param {RawCase} testCase @param {AgentPool} pool @param {string} folder for ipc paths */
  constructor(testCase, pool, folder) {
    this.case = testCase;
    this.#pool = pool;
    this.#folder = folder;
    this.#agent = pool.take(testCase.implementation);
    this.#agent.label = testCase.implementation;
    this.#agent.trace = (line) => this.transcript.push(line);
    this.socket = new Endpoint(this.#agent, "s", testCase.raw.type);
  }

  get version() {
    return this.case.version;
  }

  /** Whether the socket under test is libzmq's. */
  get isLibzmq() {
    return this.case.features.library !== "";
  }

  /** Opens the socket and links it with a peer that has sent nothing yet. @param {import("./world.mjs").Options} [options] */
  async meet(options) {
    await this.socket.open({ ...this.case.raw.options, ...options });
    return this.join();
  }

  async join() {
    const wanted = this.case.transport === "tcp" ? "tcp://127.0.0.1:*" : `ipc://${this.#folder}/socket`;
    if (this.case.binder === "implementation") {
      this.address = await this.socket.bind(wanted);
      return this.dial();
    }
    this.#listener = new RawListener(wanted);
    this.address = await this.#listener.listen();
    await this.socket.connect(this.address);
    return this.accept();
  }

  /** One more connection to the bound socket. @param {Version} [version] */
  async dial(version = this.version) {
    return this.#peer(await dial(this.address), version);
  }

  /** The next connection that the socket makes. @param {number} [ms] */
  async accept(ms = patience()) {
    if (this.#listener === undefined) throw new Error("the script does not listen");
    return this.#peer(await this.#listener.accept(ms), this.version);
  }

  /** One more connection, by whichever end makes them. */
  again() {
    return this.case.binder === "implementation" ? this.dial() : this.accept();
  }

  /** @param {import("node:net").Socket} stream @param {Version} version */
  #peer(stream, version) {
    const number = this.#peers.length > 0 ? String(this.#peers.length + 1) : "";
    const peer = new RawPeer(stream, version, (line) => this.transcript.push(line.replace("raw", `raw${number}`)));
    this.#peers.push(peer);
    return peer;
  }

  /** @param {boolean} passed */
  async end(passed) {
    for (const peer of this.#peers) peer.destroy();
    this.#listener?.close();
    if (passed) await this.#pool.giveBack(this.#agent);
    else this.#agent.kill();
  }
}

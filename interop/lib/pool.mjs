/**
 * Agents are used again: starting a process costs more than most scenarios. An agent goes back only after a case that
 * passed and left it alive, so that a failure never spoils the next case.
 */
import { Agent } from "./agent.mjs";

/**
 * @typedef {object} Features what an agent says about itself
 * @property {string} version
 * @property {string} library the version of libzmq under it; empty when there is none
 * @property {boolean} announces whether it speaks ZMTP 3, and so has an event for a finished handshake
 * @property {boolean} observed whether it has events; what has none is given time instead
 * @property {Set<string>} transports
 * @property {Set<string>} types
 * @property {Set<string>} has
 */

/** @param {string[]} words @returns {Features} */
function parseHello(words) {
  const values = Object.fromEntries(words.map((word) => word.split("=")));
  return {
    version: values.version,
    library: values.library ?? "",
    announces: values.zmtp !== "2.0",
    observed: values.events !== "none",
    transports: new Set((values.transports ?? "tcp,ipc").split(",")),
    types: new Set(values.types.split(",")),
    has: new Set((values.has ?? "").split(",").filter(Boolean)),
  };
}

export class AgentPool {
  #commands;
  #reuse;
  /** @type {Map<string, Agent[]>} */
  #idle = new Map();

  /** @param {Map<string, string[]>} commands by implementation @param {boolean} reuse */
  constructor(commands, reuse) {
    this.#commands = commands;
    this.#reuse = reuse;
  }

  /** @param {string} implementation */
  async features(implementation) {
    const agent = this.take(implementation);
    const features = parseHello(await agent.call("hello"));
    await this.giveBack(agent);
    return features;
  }

  /** @param {string} implementation */
  take(implementation) {
    const idle = this.#idle.get(implementation)?.pop();
    if (idle !== undefined && !idle.dead) return idle;
    return new Agent(implementation, /** @type {string[]} */ (this.#commands.get(implementation)));
  }

  /** @param {Agent} agent */
  async giveBack(agent) {
    agent.trace = () => {};
    if (agent.dead || agent.doomed) return;
    if (!this.#reuse) return agent.quit();
    await agent.call("reset");
    const idle = this.#idle.get(agent.implementation) ?? [];
    idle.push(agent);
    this.#idle.set(agent.implementation, idle);
  }

  async close() {
    const all = [...this.#idle.values()].flat();
    this.#idle.clear();
    await Promise.all(all.map((agent) => agent.quit()));
  }
}

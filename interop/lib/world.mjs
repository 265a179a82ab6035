/**
 * What a scenario works with: two sides, each an agent with one main socket (and more where the scenario wants), and the
 * link between them. A scenario says "a" and "b"; which implementation plays them, who binds and over what is the case's.
 */
import { patience as patienceOf } from "../../scripts/lib.mjs";
import { answerFrame, hex, pattern } from "./words.mjs";

/** @typedef {import("./agent.mjs").Agent} Agent */
/** @typedef {import("./pool.mjs").AgentPool} AgentPool */
/** @typedef {string | Uint8Array | { size: number, seed: number }} FrameLike */
/** @typedef {Record<string, string | number | boolean | Uint8Array>} Options */
/** @typedef {{ count: number, first: number, last: number, gaps: number }} Tally */

/** Milliseconds to wait for something that should come: more of them while more processes want a processor than there are. */
export const patience = (milliseconds = 4000) => patienceOf(milliseconds);

/** How long is waited for what should not come. */
export const SILENCE_MS = 150;

/** For what is not told by an agent without events. */
export const UNOBSERVED_MS = 150;

/** Between a connection and the end of a handshake that no event tells of: before ZMTP 3. */
const UNANNOUNCED_MS = 60;

const SYNC_TOPIC = "\u0001sync";
const SYNC_TRY_MS = 40;

/** @param {FrameLike} frame */
function sentWord(frame) {
  if (typeof frame === "string" || frame instanceof Uint8Array) return hex(frame);
  return `p${frame.size}:${frame.seed}`;
}

/** How a frame looks in an answer. @param {FrameLike} frame */
export function heard(frame) {
  if (typeof frame === "string" || frame instanceof Uint8Array) return answerFrame(Buffer.from(frame));
  return answerFrame(pattern(frame.size, frame.seed));
}

/** @param {FrameLike | FrameLike[]} message */
const framesOf = (message) => (Array.isArray(message) ? message : [message]);

/** @param {Options} options */
function optionWords(options) {
  return Object.entries(options).map(([name, value]) => {
    const isBytes = typeof value === "string" || value instanceof Uint8Array;
    return `${name}=${isBytes ? hex(value) : value}`;
  });
}

/** One socket in an agent. */
export class Endpoint {
  /** Whether the link ends with a handshake that is announced; else the event to wait for in its place. @type {string} */
  linkEvent = "handshake";
  isObserved = true;

  /** @param {Agent} agent @param {string} name @param {string} type */
  constructor(agent, name, type) {
    this.agent = agent;
    this.name = name;
    this.type = type;
  }

  /** @param {string} verb @param {(string | number)[]} words @param {number} [ms] */
  call(verb, words = [], ms = 0) {
    return this.agent.call(verb, [this.name, ...words], ms);
  }

  /** @param {Options} options */
  async open(options = {}) {
    await this.call("open", [this.type, ...optionWords(options)]);
  }

  /** @param {Options} options */
  async set(options) {
    await this.call("set", optionWords(options));
  }

  /** @param {string} address @returns {Promise<string>} the resolved address */
  async bind(address) {
    return (await this.call("bind", [address]))[0];
  }

  /** @param {string} address */
  async connect(address) {
    await this.call("connect", [address]);
  }

  /** @param {FrameLike | FrameLike[]} message @param {number} [ms] */
  async send(message, ms = patience()) {
    await this.call("send", [ms, framesOf(message).map(sentWord).join(",")], ms);
  }

  /**
   * Up to `count` messages, fewer when none came for `ms`.
   * @param {number} count @param {number} [ms] @returns {Promise<string[][]>} frames as `heard` writes them
   */
  async receive(count, ms = patience()) {
    const [, ...messages] = await this.call("receive", [count, ms], ms * 2 + count);
    return messages.map((message) => message.split(","));
  }

  /** Receives and compares. @param {(FrameLike | FrameLike[])[]} messages @param {number} [ms] */
  async expect(messages, ms = patience()) {
    const got = await this.receive(messages.length, ms);
    const wanted = messages.map((message) => framesOf(message).map(heard));
    equal(got, wanted, `${this.agent.label} ${this.type} received`);
  }

  /** Nothing comes. */
  async expectSilence() {
    equal(await this.receive(1, SILENCE_MS), [], `${this.agent.label} ${this.type} received`);
  }

  /** @param {string} tag @param {number} from @param {number} count @param {{ size?: number, ms?: number }} [how] */
  async stream(tag, from, count, { size = 0, ms = patience() } = {}) {
    return Number((await this.call("stream", [tag, from, count, size, ms], ms + count * 2))[0]);
  }

  /**
   * As `stream`, without waiting in between. @returns in how many turns of its loop the agent did it: more than one when
   * `send` was busy before the end
   * @param {string} tag @param {number} from @param {number} count @param {number} [size]
   */
  async burst(tag, from, count, size = 0) {
    return Number((await this.call("burst", [tag, from, count, size], patience() + count * 2))[1]);
  }

  /** @param {number} count @param {number} [ms] */
  async count(count, ms = patience()) {
    const [total, ...words] = await this.call("count", [count, ms], ms * 2 + count * 2);
    /** @type {Map<string, Tally>} */
    const tags = new Map();
    for (const word of words) {
      const [tag, numbers] = word.split("=");
      const [howMany, first, last, gaps] = numbers.split("/").map(Number);
      tags.set(tag, { count: howMany, first, last, gaps });
    }
    return { total: Number(total), tags };
  }

  /** All of `stream` or `burst` arrived, in order. @param {string} tag @param {number} from @param {number} count */
  async expectStream(tag, from, count) {
    const { tags } = await this.count(count);
    const wanted = count === 0 ? {} : { [tag]: { count, first: from, last: from + count - 1, gaps: 0 } };
    equal(Object.fromEntries(tags), wanted, `${this.agent.label} ${this.type} counted`);
  }

  /** @param {string} tag @param {number} from @param {number} count @param {number} [size] */
  async ask(tag, from, count, size = 0) {
    await this.call("ask", [tag, from, count, size, patience()], patience() + count * 5);
  }

  /** @param {number} count */
  async answer(count) {
    return Number((await this.call("answer", [count, patience()], patience() * 2 + count * 5))[0]);
  }

  /** @param {...(string | Uint8Array)} topics */
  async subscribe(...topics) {
    await this.call("subscribe", topics.map(hex));
  }

  /** @param {...(string | Uint8Array)} topics */
  async unsubscribe(...topics) {
    await this.call("unsubscribe", topics.map(hex));
  }

  /** Waits until an event was seen `count` times since open. @param {string} event @param {number} count @param {number} [ms] */
  async wait(event, count, ms = patience()) {
    if (!this.isObserved) return pause(UNOBSERVED_MS);
    const isLink = event === "handshake" && this.linkEvent !== event;
    const times = Number((await this.call("wait", [isLink ? this.linkEvent : event, count, ms], ms))[0]);
    if (isLink) await pause(UNANNOUNCED_MS);
    if (times < count) throw new Error(`${this.agent.label}: '${event}' was seen ${times} times, not ${count}`);
  }

  /** @returns {Promise<Record<string, number>>} */
  async events() {
    if (!this.isObserved) return {};
    const words = await this.call("events");
    return Object.fromEntries(words.map((word) => [word.split("=")[0], Number(word.split("=")[1])]));
  }

  async close() {
    await this.call("close");
  }
}

/** @param {unknown} got @param {unknown} wanted @param {string} what */
export function equal(got, wanted, what) {
  const left = JSON.stringify(got);
  const right = JSON.stringify(wanted);
  if (left === right) return;
  const cut = (/** @type {string} */ text) => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text);
  throw new Error(`${what} ${cut(left)}, not ${cut(right)}`);
}

/** @param {boolean} condition @param {string} what */
export function ensure(condition, what) {
  if (!condition) throw new Error(what);
}

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class World {
  /** @type {Set<Agent>} */
  #agents = new Set();
  #pool;
  #folder;
  #extras = 0;
  #syncs = 0;
  /** @type {string[]} */
  transcript = [];
  /** Figures worth keeping in the results, as the time that a reconnect took. @type {Record<string, number>} */
  measured = {};
  /** @type {string} */
  address = "";

  /**
   * @param {import("./table.mjs").Case} testCase @param {AgentPool} pool
   * @param {string} folder for ipc paths, of this case alone
   */
  constructor(testCase, pool, folder) {
    this.case = testCase;
    this.#pool = pool;
    this.#folder = folder;
    this.a = this.#side("a");
    this.b = this.#side("b");
  }

  /** @param {"a" | "b"} role */
  #newAgent(role) {
    const agent = this.#pool.take(this.case[role].implementation);
    agent.label = `${role}(${agent.implementation})`;
    agent.trace = (line) => this.transcript.push(line);
    this.#agents.add(agent);
    return agent;
  }

  /** @param {"a" | "b"} role */
  #side(role) {
    return this.#endpoint(this.#newAgent(role), role, role);
  }

  /** @param {Agent} agent @param {string} name @param {"a" | "b"} role */
  #endpoint(agent, name, role) {
    const endpoint = new Endpoint(agent, name, this.case[role].type);
    const { a, b, binder } = this.case;
    endpoint.isObserved = this.case[role].features.observed;
    if (!a.features.announces || !b.features.announces) endpoint.linkEvent = role === binder ? "accept" : "connect";
    return endpoint;
  }

  /** The side that binds. */
  get bound() {
    return this.case.binder === "a" ? this.a : this.b;
  }

  /** The side that connects. */
  get connected() {
    return this.case.binder === "a" ? this.b : this.a;
  }

  /** Where the bound side is told to bind. */
  get wanted() {
    return this.case.transport === "tcp" ? "tcp://127.0.0.1:*" : `ipc://${this.#folder}/socket`;
  }

  /** Opens both, binds one, connects the other, and waits for the handshake. */
  async link() {
    await this.open();
    await this.join();
  }

  async open() {
    await Promise.all([this.a.open(this.case.a.options), this.b.open(this.case.b.options)]);
  }

  async join() {
    this.address = await this.bound.bind(this.wanted);
    await this.connected.connect(this.address);
    if (this.a.type !== "STREAM") await Promise.all([this.a.wait("handshake", 1), this.b.wait("handshake", 1)]);
  }

  /** One more socket of a role, in the same process as the first. @param {"a" | "b"} role @param {Options} [options] */
  async extra(role, options) {
    const endpoint = this.#endpoint(this[role].agent, `${role}${++this.#extras}`, role);
    await endpoint.open(options ?? this.case[role].options);
    return endpoint;
  }

  /** The bound side dies without a word. */
  async killBound() {
    this.bound.agent.kill();
    await this.bound.agent.exited;
    this.#agents.delete(this.bound.agent);
  }

  /** A new process takes its place on the same address. @returns {Promise<number>} when that was, by performance.now() */
  async restartBound() {
    const role = this.case.binder;
    this[role] = this.#side(role);
    await this.bound.open(this.case[role].options);
    equal(await this.bound.bind(this.address), this.address, "the address bound again is");
    return performance.now();
  }

  /** Kills the connecting side; when the bound one knows, a new process connects in its place. */
  async replaceConnected() {
    const role = this.case.binder === "a" ? "b" : "a";
    const old = this.connected.agent;
    old.kill();
    await old.exited;
    this.#agents.delete(old);
    await this.bound.wait("disconnect", 1);
    // A ROUTER gives an id free inside a call on it, after the event; until then it leaves a second peer of that id mute.
    if (this.bound.type === "ROUTER") await this.bound.expectSilence();
    this[role] = this.#side(role);
    await this.connected.open(this.case[role].options);
    await this.connected.connect(this.address);
  }

  /**
   * Waits until every subscription that `subscriber` has made so far is known to `publisher`: subscriptions stay in
   * order, so that one more topic, made last, tells. Leaves nothing unread.
   * @param {Endpoint} publisher @param {Endpoint} subscriber @param {number} [ms]
   */
  async synchronise(publisher, subscriber, ms = patience()) {
    const topic = `${SYNC_TOPIC}${++this.#syncs}.`;
    await subscriber.subscribe(topic);
    await this.resynchronise(publisher, subscriber, topic, ms);
    return topic;
  }

  /** The same with a topic that is subscribed to already. @param {Endpoint} publisher @param {Endpoint} subscriber @param {string} topic @param {number} [ms] */
  async resynchronise(publisher, subscriber, topic, ms = patience()) {
    const end = performance.now() + ms;
    do {
      if (performance.now() > end)
        throw new Error(`${publisher.agent.label} did not learn the subscriptions in ${ms} ms`);
      await publisher.send(`${topic}try`);
    } while ((await subscriber.receive(1, SYNC_TRY_MS)).length === 0);
    await publisher.send(`${topic}last`);
    for (;;) {
      const messages = await subscriber.receive(1);
      if (messages.length === 0) throw new Error("the last of the synchronising messages did not arrive");
      if (messages[0][0] === heard(`${topic}last`)) return;
    }
  }

  /** @param {boolean} passed */
  async end(passed) {
    for (const agent of this.#agents) {
      if (passed) await this.#pool.giveBack(agent);
      else agent.kill();
    }
  }
}

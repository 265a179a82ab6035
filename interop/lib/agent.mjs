/**
 * One agent process: start it, ask it, kill it. Nothing here knows what the commands mean.
 * A process is ended by its own handle only, and all that are left are killed when the runner exits.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** How long an agent may take beyond the time that its command was given. */
const GRACE_MS = 15_000;
const QUIT_MS = 1000;
const STDERR_KEPT_CHARACTERS = 4000;
const TRACE_WORD_CHARACTERS = 160;

/** @type {Set<Agent>} */
const living = new Set();
process.on("exit", () => {
  for (const agent of living) agent.kill();
});

export class AgentFailure extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** @param {string} line */
const shorten = (line) =>
  line.length <= TRACE_WORD_CHARACTERS ? line : `${line.slice(0, TRACE_WORD_CHARACTERS)}… (${line.length} characters)`;

export class Agent {
  #child;
  #nextId = 1;
  /** @type {Map<string, { resolve: (words: string[]) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #stderr = "";
  /** What is called with every line that goes out or comes in. @type {(line: string) => void} */
  trace = () => {};
  label = "";
  dead = false;
  /** Killed, though its end may not have been seen yet. */
  doomed = false;

  /** @param {string} implementation @param {string[]} command program and arguments @param {Record<string, string>} [env] */
  constructor(implementation, command, env = {}) {
    this.implementation = implementation;
    this.#child = spawn(command[0], command.slice(1), { env: { ...process.env, ...env }, stdio: "pipe" });
    this.exited = once(this.#child, "exit");
    living.add(this);
    this.#child.on("error", (error) => this.#end(`could not be started: ${error.message}`));
    this.#child.on("exit", (status, signal) => this.#end(`ended (${signal ?? `status ${status}`})`));
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.on("data", (chunk) => {
      this.#stderr = (this.#stderr + chunk).slice(-STDERR_KEPT_CHARACTERS);
      this.trace(`${this.label} ! ${String(chunk).trimEnd()}`);
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#hear(line));
  }

  get pid() {
    return this.#child.pid;
  }

  get stderr() {
    return this.#stderr;
  }

  /** @param {string} why */
  #end(why) {
    this.dead = true;
    living.delete(this);
    for (const { reject } of this.#waiting.values()) {
      reject(new AgentFailure("EAGENT", `the ${this.implementation} agent ${why} ${this.#stderr}`.trim()));
    }
    this.#waiting.clear();
  }

  /** @param {string} line */
  #hear(line) {
    const [id, verdict, ...words] = line.split(" ");
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    this.trace(`${this.label} < ${shorten([verdict, ...words].join(" "))}`);
    if (verdict === "ok") waiting.resolve(words);
    else waiting.reject(new AgentFailure(words[0], `${this.label}: ${words.join(" ")}`));
  }

  /**
   * @param {string} verb
   * @param {(string | number)[]} words
   * @param {number} [ms] the time that the command itself is given
   * @returns {Promise<string[]>}
   */
  async call(verb, words = [], ms = 0) {
    if (this.dead) throw new AgentFailure("EAGENT", `the ${this.implementation} agent has ended`);
    const id = String(this.#nextId++);
    const line = [verb, ...words].join(" ");
    this.trace(`${this.label} > ${shorten(line)}`);
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const answer = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new AgentFailure("EHUNG", `${this.label}: no answer to '${shorten(line)}' ${this.#stderr}`.trim()));
      }, ms + GRACE_MS);
    });
    this.#child.stdin.write(`${id} ${line}\n`);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    if (!this.dead) this.#child.kill(signal);
  }

  kill() {
    this.signal("SIGKILL");
    this.doomed = true;
  }

  /** Ends it politely, and by force when it does not go. */
  async quit() {
    if (this.dead || this.doomed) return;
    this.#child.stdin.write("0 quit\n");
    const timer = setTimeout(() => this.kill(), QUIT_MS);
    await this.exited;
    clearTimeout(timer);
  }
}

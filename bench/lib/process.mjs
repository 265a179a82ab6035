/**
 * The processes of a measurement: started here, spoken to by lines, and gone when the runner is gone.
 *
 * Each end of a benchmark is a process of its own. It reads commands from its standard input, a line each, and answers
 * on its standard output with one JSON object a line, `{"event": "ready", …}`. However the runner ends (normally, by
 * an exception, by SIGINT, SIGTERM or SIGHUP), its children are killed first and its temporary folder is removed. A runner
 * that is killed without warning is covered too: a child whose input ends leaves by itself, and so does a small process
 * that then removes the folder.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RUNNER_VARIABLE } from "./seed.mjs";

/** What a child wrote to its standard error is kept up to here, to be shown when it fails. */
const STDERR_KEPT_CHARACTERS = 4000;

/** @typedef {(command: string, args: string[]) => [command: string, args: string[]]} Wrapper Puts a process inside something. */

/** @type {Set<import("node:child_process").ChildProcess>} */
const live = new Set();
/** @type {(() => void)[]} */
const atEnd = [];
/** @type {Wrapper} */
let wrapAll = (command, args) => [command, args];
/** @type {string | undefined} */
let folder;
let guarded = false;

function guard() {
  if (guarded) return;
  guarded = true;
  process.on("exit", () => {
    for (const child of live) child.kill("SIGKILL");
    for (const action of atEnd) action();
  });
  for (const [signal, number] of /** @type {const} */ ([
    ["SIGINT", 2],
    ["SIGTERM", 15],
    ["SIGHUP", 1],
  ])) {
    process.on(signal, () => process.exit(128 + number));
  }
}

/**
 * Something to be done, synchronously, when the runner ends.
 *
 * @param {() => void} action
 */
export function whenRunnerEnds(action) {
  guard();
  atEnd.push(action);
}

/**
 * Every process that is started from now on is put inside something, such as a group with a processor quota.
 *
 * @param {Wrapper} wrapper
 */
export function wrapProcesses(wrapper) {
  wrapAll = wrapper;
}

/**
 * A folder for ipc paths, removed when the runner ends.
 *
 * @returns {string}
 */
export function temporaryFolder() {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), "zmtp-bench-"));
  folder = made;
  whenRunnerEnds(() => rmSync(made, { recursive: true, force: true }));
  // In a group of its own, so that an interrupt at the terminal does not end it before the runner.
  const janitor = spawn("sh", ["-c", 'cat >/dev/null; rm -rf -- "$1"', "sh", made], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  janitor.unref();
  /** @type {any} */ (janitor.stdin).unref?.();
  return made;
}

/**
 * A process that ends with this one.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, wrap?: Wrapper }} [settings] `env` is added to the runner's own.
 * @returns {import("node:child_process").ChildProcessWithoutNullStreams}
 */
export function spawnGuarded(command, args, { env, wrap = (name, rest) => [name, rest] } = {}) {
  guard();
  const child = spawn(...wrapAll(...wrap(command, args)), {
    stdio: "pipe",
    env: { ...process.env, [RUNNER_VARIABLE]: "1", ...env },
  });
  live.add(child);
  child.on("close", () => live.delete(child));
  child.stdin.on("error", () => {}); // It died; its exit says so.
  return child;
}

/**
 * Calls back with each whole line.
 *
 * @param {import("node:stream").Readable} stream
 * @param {(line: string) => void} onLine
 */
export function readLines(stream, onLine) {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) {
      if (line !== "") onLine(line);
    }
  });
}

/** The runner's end of the line protocol: events in the order they came, or the reason why none will come. */
export class Events {
  #name;
  /** @type {any[]} */
  #events = [];
  /** @type {{ resolve: (event: any) => void, reject: (error: Error) => void } | undefined} */
  #waiting;
  /** @type {Error | undefined} */
  #failure;

  /** @param {string} name What it is called in an error. */
  constructor(name) {
    this.#name = name;
  }

  /**
   * The next event, which has to be the one called `name`.
   *
   * @param {string} name
   * @param {number} [timeoutMs]
   * @returns {Promise<any>}
   */
  async next(name, timeoutMs = 30_000) {
    const event = this.#events.shift() ?? (await this.#wait(name, timeoutMs));
    if (event.event !== name) throw new Error(`${this.#name}: expected "${name}", got ${JSON.stringify(event)}`);
    return event;
  }

  /** @param {string} line */
  onLine(line) {
    let event;
    try {
      event = JSON.parse(line);
    } catch {
      this.fail(new Error(`${this.#name} printed ${JSON.stringify(line)}`));
      return;
    }
    if (event.event === "error") {
      this.fail(new Error(`${this.#name}: ${event.message}`));
    } else if (this.#waiting !== undefined) {
      this.#waiting.resolve(event);
    } else {
      this.#events.push(event);
    }
  }

  /** @param {Error} error */
  fail(error) {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
  }

  /**
   * @param {string} name
   * @param {number} timeoutMs
   */
  async #wait(name, timeoutMs) {
    if (this.#failure !== undefined) throw this.#failure;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting = { resolve, reject };
        timer = setTimeout(
          () => reject(new Error(`${this.#name}: no "${name}" within ${timeoutMs / 1000} s`)),
          timeoutMs,
        );
      });
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
    }
  }
}

/** One end of a measurement, in its own process. */
export class Child {
  #process;
  #name;
  #events;
  #stderr = "";
  /** @type {Promise<void>} */
  #gone;

  /**
   * @param {string} name What it is called in an error.
   * @param {string} command
   * @param {string[]} args
   * @param {{ env?: Record<string, string>, wrap?: Wrapper }} [settings]
   */
  constructor(name, command, args, settings) {
    this.#name = name;
    this.#events = new Events(name);
    this.#process = spawnGuarded(command, args, settings);
    this.#process.stderr.setEncoding("utf8").on("data", (text) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT_CHARACTERS);
    });
    this.#gone = new Promise((resolve) => {
      this.#process.on("error", (error) => {
        this.#events.fail(error);
        resolve();
      });
      this.#process.on("close", (code, signal) => {
        this.#events.fail(new Error(`${this.#name} ended (${signal ?? code})${this.stderr ? `: ${this.stderr}` : ""}`));
        resolve();
      });
    });
    readLines(this.#process.stdout, (line) => this.#events.onLine(line));
  }

  get pid() {
    return this.#process.pid;
  }

  /** What it wrote to its standard error, the last of it. */
  get stderr() {
    return this.#stderr.trim();
  }

  /** @param {string} line */
  send(line) {
    this.#process.stdin.write(`${line}\n`);
  }

  /**
   * @param {string} name
   * @param {number} [timeoutMs]
   * @returns {Promise<any>}
   */
  next(name, timeoutMs) {
    return this.#events.next(name, timeoutMs);
  }

  /** Resolves when the process is gone. */
  get ended() {
    return this.#gone;
  }

  /** Kills it, and resolves when it is gone. Nothing is asked of the child: what it measured was told before. */
  async stop() {
    this.#process.kill("SIGKILL");
    await this.#gone;
  }
}

/** A program that prints for a person, and ends by itself. */
export class Command {
  #process;
  /** @type {string[]} */
  #lines = [];
  #stderr = "";
  /** @type {Promise<string[]>} */
  done;

  /**
   * @param {string} name
   * @param {string} command
   * @param {string[]} args
   * @param {{ env?: Record<string, string>, wrap?: Wrapper, onLine?: (line: string) => void }} [settings]
   */
  constructor(name, command, args, settings) {
    this.#process = spawnGuarded(command, args, settings);
    this.#process.stderr.setEncoding("utf8").on("data", (text) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT_CHARACTERS);
    });
    readLines(this.#process.stdout, (line) => {
      this.#lines.push(line);
      settings?.onLine?.(line);
    });
    this.done = new Promise((resolve, reject) => {
      this.#process.on("error", reject);
      this.#process.on("close", (code, signal) => {
        if (code === 0) resolve(this.#lines);
        else reject(new Error(`${name} ended (${signal ?? code}): ${this.#stderr.trim() || this.#lines.at(-1) || ""}`));
      });
    });
    this.done.catch(() => {}); // Whoever waits is told; a server that is stopped has nobody who waits.
  }

  /** @param {NodeJS.Signals} [signal] */
  async stop(signal = "SIGKILL") {
    this.#process.kill(signal);
    await this.done.catch(() => {});
  }
}

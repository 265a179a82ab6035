/**
 * The processes of a measurement: started here, spoken to by lines, and gone when the runner is gone.
 *
 * Each end of a benchmark is a process of its own. It reads commands from its standard input, a line each, and answers
 * on its standard output with one JSON object a line, `{"event": "ready", …}`. However the runner ends (normally, by
 * an exception, by SIGINT, SIGTERM or SIGHUP), its children are killed first and its temporary folder is removed; and a
 * child whose input ends leaves by itself, which covers a runner that was killed without warning.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a child wrote to its standard error is kept up to here, to be shown when it fails. */
const STDERR_KEPT_CHARACTERS = 4000;

/** @type {Set<Child>} */
const live = new Set();
/** @type {string | undefined} */
let folder;
let guarded = false;

function guard() {
  if (guarded) return;
  guarded = true;
  process.on("exit", () => {
    for (const child of live) child.kill();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
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
 * A folder for ipc paths, removed when the runner ends.
 *
 * @returns {string}
 */
export function temporaryFolder() {
  guard();
  folder ??= mkdtempSync(join(tmpdir(), "zmtp-bench-"));
  return folder;
}

/** One end of a measurement, in its own process. */
export class Child {
  /** @type {import("node:child_process").ChildProcessWithoutNullStreams} */
  #process;
  #name;
  /** @type {any[]} */
  #events = [];
  /** @type {{ resolve: (event: any) => void, reject: (error: Error) => void } | undefined} */
  #waiting;
  /** @type {Error | undefined} */
  #failure;
  #stderr = "";
  /** @type {Promise<void>} */
  #gone;

  /**
   * @param {string} name What it is called in an error.
   * @param {string} command
   * @param {string[]} args
   * @param {Record<string, string>} [env] Added to the runner's own.
   */
  constructor(name, command, args, env) {
    guard();
    this.#name = name;
    this.#process = spawn(command, args, { stdio: "pipe", env: { ...process.env, ...env } });
    live.add(this);
    this.#process.stdin.on("error", () => {}); // It died; its exit says so.
    this.#process.stderr.setEncoding("utf8").on("data", (text) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT_CHARACTERS);
    });
    this.#gone = new Promise((resolve) => {
      this.#process.on("error", (error) => {
        this.#fail(error);
        resolve();
      });
      this.#process.on("close", (code, signal) => {
        this.#fail(
          new Error(`${this.#name} ended (${signal ?? code})${this.#stderr ? `: ${this.#stderr.trim()}` : ""}`),
        );
        resolve();
      });
    });
    this.#readLines();
  }

  /** @param {string} line */
  send(line) {
    this.#process.stdin.write(`${line}\n`);
  }

  /**
   * The child's next event, which has to be the one called `name`.
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

  /** Resolves when the process is gone. */
  get ended() {
    return this.#gone;
  }

  kill() {
    live.delete(this);
    this.#process.kill("SIGKILL");
  }

  /** Kills it, and resolves when it is gone. Nothing is asked of the child: what it measured was told before. */
  async stop() {
    this.kill();
    await this.#gone;
  }

  #readLines() {
    let rest = "";
    this.#process.stdout.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = /** @type {string} */ (lines.pop());
      for (const line of lines) {
        if (line !== "") this.#onLine(line);
      }
    });
  }

  /** @param {string} line */
  #onLine(line) {
    let event;
    try {
      event = JSON.parse(line);
    } catch {
      this.#fail(new Error(`${this.#name} printed ${JSON.stringify(line)}`));
      return;
    }
    if (event.event === "error") {
      this.#fail(new Error(`${this.#name}: ${event.message}`));
    } else if (this.#waiting !== undefined) {
      this.#waiting.resolve(event);
    } else {
      this.#events.push(event);
    }
  }

  /** @param {Error} error */
  #fail(error) {
    live.delete(this);
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
    if (this.#process.exitCode === null && this.#process.signalCode === null) this.#process.kill("SIGKILL");
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

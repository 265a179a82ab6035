/**
 * The other machine of a measurement over a network. `serve()` is what runs there: it starts the benchmark's own programs on
 * request, by name, and relays their lines. `connectRemote()` is the runner's end.
 *
 * All requests and lines go over one connection, a JSON object a line. When it ends, everything that was started for it is
 * killed. One runner at a time. Nothing but the programs of this folder can be started, yet there is no authentication: serve
 * on a network that you trust, and only while you measure.
 *
 * No clock of one machine is ever compared with one of the other: see `rate()` in session.mjs.
 */

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { describeMachine } from "./machine.mjs";
import { findMissing } from "./present.mjs";
import { Events, readLines, spawnGuarded } from "./process.mjs";
import { programCommand } from "./programs.mjs";

export const SERVE_PORT = 5599;

const NAME = /^[\w./-]+$/;

/**
 * Serves runners for ever.
 *
 * @param {{ port: number, onRunner: (address: string, came: boolean) => void }} settings
 */
export async function serve({ port, onRunner }) {
  let busy = false;
  const server = createServer({ noDelay: true }, (socket) => {
    const address = socket.remoteAddress ?? "";
    socket.on("error", () => socket.destroy());
    if (busy) {
      socket.end(`${JSON.stringify({ refused: "another runner is connected" })}\n`);
      return;
    }
    busy = true;
    onRunner(address, true);
    const stop = serveRunner(socket);
    socket.on("close", () => {
      stop();
      busy = false;
      onRunner(address, false);
    });
  });
  server.listen({ port, host: "::" }).on("error", (error) => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EAFNOSUPPORT") server.listen({ port });
    else throw error;
  });
  await once(server, "listening");
}

/**
 * @param {import("node:net").Socket} socket
 * @returns {() => void} Ends what was started.
 */
function serveRunner(socket) {
  /** @type {Map<number, import("node:child_process").ChildProcessWithoutNullStreams>} */
  const children = new Map();
  const answer = (/** @type {object} */ message) => socket.writable && socket.write(`${JSON.stringify(message)}\n`);
  const start = (/** @type {any} */ { id, implementation, program, args, nodeFlags }) => {
    if (![implementation, program, ...nodeFlags].every((text) => NAME.test(text)) || program.includes("..")) {
      answer({ id, ended: `no such program: ${program}` });
      return;
    }
    const child = spawnGuarded(...programCommand(implementation, program, args, nodeFlags));
    let stderr = "";
    children.set(id, child);
    readLines(child.stdout, (line) => answer({ id, line }));
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr = (stderr + text).slice(-2000);
    });
    child.on("error", (error) => answer({ id, ended: error.message }));
    child.on("close", (code, signal) => {
      children.delete(id);
      answer({ id, code, ended: `${program} ended (${signal ?? code}) ${stderr.trim()}`.trim() });
    });
  };
  const onRequest = async (/** @type {any} */ request) => {
    if (request.op === "start") start(request);
    else if (request.op === "line") children.get(request.id)?.stdin.write(`${request.line}\n`);
    else if (request.op === "stop") children.get(request.id)?.kill("SIGKILL");
    else if (request.op === "ping") answer({ pong: request.id });
    else if (request.op === "hello") {
      answer({ machine: describeMachine(), missing: [...(await findMissing(request.implementations))] });
    }
  };
  readLines(socket, (line) => {
    try {
      onRequest(JSON.parse(line));
    } catch {
      socket.destroy();
    }
  });
  return () => {
    for (const child of children.values()) child.kill("SIGKILL");
  };
}

/** A process on the other machine, used like a Child. */
class RemoteChild {
  #remote;
  #id;
  #events;
  /** @type {Promise<void>} */
  ended;
  #end = () => {};

  /** @param {Remote} remote @param {number} id @param {string} name */
  constructor(remote, id, name) {
    this.#remote = remote;
    this.#id = id;
    this.#events = new Events(name);
    this.ended = new Promise((resolve) => {
      this.#end = () => resolve(undefined);
    });
  }

  /** @param {any} message */
  onMessage(message) {
    if (message.line !== undefined) this.#events.onLine(message.line);
    if (message.ended === undefined) return;
    this.#events.fail(new Error(`on the other machine, ${message.ended}`));
    this.#end();
  }

  /** @param {string} line */
  send(line) {
    this.#remote.request({ op: "line", id: this.#id, line });
  }

  /** @param {string} name @param {number} [timeoutMs] */
  next(name, timeoutMs) {
    return this.#events.next(name, timeoutMs);
  }

  async stop() {
    this.#remote.request({ op: "stop", id: this.#id });
    await this.ended;
  }
}

/** The runner's connection to the other machine. */
export class Remote {
  #socket;
  #lastId = 0;
  /** @type {Map<number, RemoteChild>} */
  #children = new Map();
  /** @type {((message: any) => void) | undefined} */
  #onAnswer;

  /** @param {import("node:net").Socket} socket */
  constructor(socket) {
    this.#socket = socket;
    readLines(socket, (line) => {
      const message = JSON.parse(line);
      if (message.id === undefined) this.#onAnswer?.(message);
      else this.#children.get(message.id)?.onMessage(message);
    });
    socket.on("close", () => {
      for (const child of this.#children.values()) child.onMessage({ ended: "the connection was lost" });
      this.#onAnswer?.({ refused: "the connection was lost" });
    });
    socket.on("error", () => {});
  }

  /** Where the other machine is, as this one reaches it. */
  get farAddress() {
    return bare(this.#socket.remoteAddress);
  }

  /** Where this machine is, as the other one reaches it. */
  get nearAddress() {
    return bare(this.#socket.localAddress);
  }

  /** @param {object} message */
  request(message) {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * @param {string} implementation
   * @param {string} program
   * @param {string[]} args
   * @param {string[]} nodeFlags
   */
  start(implementation, program, args, nodeFlags) {
    const id = ++this.#lastId;
    const child = new RemoteChild(this, id, `${program} (${implementation}) on ${this.farAddress}`);
    this.#children.set(id, child);
    this.request({ op: "start", id, implementation, program, args, nodeFlags });
    return child;
  }

  /**
   * What the other machine is, and what is missing there.
   *
   * @param {string[]} implementations
   * @returns {Promise<{ machine: Record<string, string | number>, missing: [string, string][] }>}
   */
  async hello(implementations) {
    return this.#ask({ op: "hello", implementations });
  }

  /** The least time of some exchanges over the control connection: what there is to subtract. */
  async roundTripMs() {
    let least = Infinity;
    for (let left = 20; left > 0; left--) {
      const start = performance.now();
      await this.#ask({ op: "ping", id: 0 });
      least = Math.min(least, performance.now() - start);
    }
    return least;
  }

  close() {
    this.#socket.destroy();
  }

  /** @param {object} request @returns {Promise<any>} */
  async #ask(request) {
    const answer = await new Promise((resolve) => {
      this.#onAnswer = resolve;
      this.request(request);
    });
    this.#onAnswer = undefined;
    if (answer.refused) throw new Error(answer.refused);
    return answer;
  }
}

/**
 * @param {string} host
 * @param {number} port
 */
export async function connectRemote(host, port) {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, "connect");
  return new Remote(socket);
}

/** @param {string | undefined} address An IPv4 address may come in IPv6's form. */
function bare(address = "") {
  const plain = address.replace(/^::ffff:/, "");
  return plain.includes(":") ? `[${plain}]` : plain;
}

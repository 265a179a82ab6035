/**
 * Drives a Jupyter kernel: starts one, runs code in it, reads its output, answers its questions, interrupts and restarts it.
 *
 *   node examples/jupyter.mjs [python]
 *
 * Needs ipykernel (Debian: python3-ipykernel). A kernel binds five sockets and writes their ports, and the key that signs every
 * message, into its connection file:
 *
 *   shell    ROUTER   requests to run code, and the replies     <-> DEALER
 *   control  ROUTER   the same, past the queue: interrupt, end  <-> DEALER
 *   stdin    ROUTER   the kernel asks, we answer                <-> DEALER of the same routing id as shell's
 *   iopub    PUB      output, results, busy and idle             -> SUB
 *   hb       REP      echoes                                    <-> REQ
 *
 * A message is [routing ids…, "<IDS|MSG>", signature, header, parent header, metadata, content].
 */
import { spawn } from "node:child_process";
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Dealer, Request, Subscriber } from "zmtp";

const DELIMITER = "<IDS|MSG>";
const STARTING_MS = 30_000;
const ANSWERING_MS = 10_000;
const POLL_MS = 50;

class Kernel {
  #python;
  #folder = mkdtempSync(join(tmpdir(), "kernel-"));
  #file = join(this.#folder, "connection.json");
  /** What the first kernel wrote into it. It takes its file with it, and the next one is to have the same ports and key. */
  #written;
  #session = randomUUID();
  #child;
  #key;
  #input;
  #sockets = [];
  /** What waits for replies and output, by the id of the request. */
  #requests = new Map();

  constructor(python) {
    this.#python = python;
  }

  /** Starts the process and, the first time, connects to it. A restarted kernel is found again by the sockets themselves. */
  async start() {
    if (this.#written !== undefined) writeFileSync(this.#file, this.#written);
    const env = { ...process.env, JPY_PARENT_PID: String(process.pid), PYDEVD_DISABLE_FILE_VALIDATION: "1" };
    const args = ["-m", "ipykernel_launcher", "-f", this.#file];
    this.#child = spawn(this.#python, args, { cwd: this.#folder, env, stdio: ["ignore", "ignore", "pipe"] });
    this.#child.stderr
      .setEncoding("utf8")
      .on("data", (text) => (this.#child.complaint = (this.#child.complaint ?? "") + text));
    if (this.#sockets.length === 0) this.#connect(await this.#connection());
    await this.#settle();
  }

  /** The connection file, as soon as it is written. */
  async #connection() {
    for (const end = Date.now() + STARTING_MS; Date.now() < end; await pause(POLL_MS)) {
      if (this.#child.exitCode !== null) throw new Error(`the kernel does not start: ${this.#child.complaint}`);
      try {
        const text = readFileSync(this.#file, "utf8");
        const connection = JSON.parse(text);
        this.#written = text;
        return connection;
      } catch {
        // Not there yet, or only half of it.
      }
    }
    throw new Error("the kernel writes no connection file");
  }

  #connect({ transport, ip, key, signature_scheme: scheme, ...ports }) {
    if (scheme !== "hmac-sha256") throw new Error(`the signature scheme is ${scheme}`);
    this.#key = key;
    const address = (name) => `${transport}://${ip}:${ports[`${name}_port`]}`;
    const routingId = this.#session;
    this.shell = new Dealer({ routingId, linger: 0 });
    this.control = new Dealer({ linger: 0 });
    this.#input = new Dealer({ routingId, linger: 0 });
    this.output = new Subscriber({ linger: 0 });
    this.heart = new Request({ linger: 0, receiveTimeout: ANSWERING_MS });
    this.shell.connect(address("shell"));
    this.control.connect(address("control"));
    this.#input.connect(address("stdin"));
    this.output.connect(address("iopub"));
    this.output.subscribe("");
    this.heart.connect(address("hb"));
    this.#sockets = [this.shell, this.control, this.#input, this.output, this.heart];
    this.#listen(this.shell, (request, message) => request.resolve(message));
    this.#listen(this.control, (request, message) => request.resolve(message));
    this.#listen(this.output, (request, message) => request.output(message));
    this.#listen(this.#input, async (request, message) => {
      const value = await request.input(message.content.prompt);
      await this.#input.send(this.#encode("input_reply", { value }, message.header));
    });
  }

  /** Hands what comes on a socket to the request that it belongs to. */
  async #listen(socket, take) {
    for await (const frames of socket) {
      const message = this.#decode(frames);
      const request = this.#requests.get(message?.parent_header.msg_id);
      if (request !== undefined) await take(request, message);
    }
  }

  /** A kernel that answers may still not know that we subscribed to its output: asks until both are true. */
  async #settle() {
    let heard = false;
    for (const end = Date.now() + STARTING_MS; Date.now() < end; ) {
      const asked = this.request(this.shell, "kernel_info_request", {}, { output: () => (heard = true) });
      this.info = (await Promise.race([asked, pause(1000)]))?.content ?? this.info;
      for (let wait = 0; wait < 4 && this.info !== undefined && !heard; wait++) await pause(POLL_MS);
      if (this.info !== undefined && heard) return;
    }
    throw new Error("the kernel does not answer");
  }

  #sign(parts) {
    const hmac = createHmac("sha256", this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest("hex");
  }

  #encode(type, content, parent = {}, id = randomUUID()) {
    const header = {
      msg_id: id,
      msg_type: type,
      session: this.#session,
      username: "zmtp",
      date: new Date().toISOString(),
      version: "5.3",
    };
    const parts = [header, parent, {}, content].map((part) => JSON.stringify(part));
    return [DELIMITER, this.#sign(parts), ...parts];
  }

  /** @returns the message, or undefined when its signature is not the kernel's */
  #decode(frames) {
    const at = frames.findIndex((frame) => frame.toString() === DELIMITER);
    const [signature, ...parts] = frames.slice(at + 1);
    const expected = Buffer.from(this.#sign(parts.slice(0, 4)));
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined;
    const [header, parent_header, metadata, content] = parts.slice(0, 4).map((part) => JSON.parse(part));
    return { header, parent_header, metadata, content };
  }

  /** Sends a request and waits for its reply. */
  request(socket, type, content, { output = () => {}, input = () => "" } = {}) {
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      this.#requests.set(id, { resolve, output, input });
      socket.send(this.#encode(type, content, {}, id)).catch(reject);
    });
  }

  /** Runs code. `print` gets its output, `input` answers its questions. @returns its result, or the name of its error */
  async run(code, { print = () => {}, input } = {}) {
    let value;
    let markIdle;
    const idle = new Promise((resolve) => (markIdle = resolve));
    const output = ({ header, content }) => {
      if (header.msg_type === "stream") print(content.text);
      if (header.msg_type === "execute_result") value = content.data["text/plain"];
      if (header.msg_type === "status" && content.execution_state === "idle") markIdle();
    };
    // What comes right after an error is not to be dropped with it.
    const content = { code, silent: false, allow_stdin: input !== undefined, stop_on_error: false };
    const reply = await this.request(this.shell, "execute_request", content, { output, input });
    await idle;
    return reply.content.status === "ok" ? value : reply.content.ename;
  }

  async beat() {
    await this.heart.send("ping");
    return String((await this.heart.receive())[0]);
  }

  interrupt() {
    return this.request(this.control, "interrupt_request", {});
  }

  async shutdown(restart) {
    const exited = once(this.#child, "exit");
    await this.request(this.control, "shutdown_request", { restart });
    await exited;
  }

  async restart() {
    await this.shutdown(true);
    this.info = undefined;
    await this.start();
  }

  /** Ends it by force, when it is still there, and forgets everything. */
  close() {
    for (const socket of this.#sockets) socket.close();
    this.#child?.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const kernel = new Kernel(process.argv[2] ?? "/usr/bin/python3");
try {
  await kernel.start();
  console.log(`language: ${kernel.info.language_info.name}`);
  console.log(`heartbeat: ${await kernel.beat()}`);

  const print = (text) => process.stdout.write(`output: ${text}`);
  await kernel.run("print(6 * 7)", { print });
  console.log(`result: ${await kernel.run("2 ** 100")}`);
  console.log(`error: ${await kernel.run("1 / 0")}`);

  const input = (prompt) => {
    console.log(`question: ${prompt}`);
    return "zmtp";
  };
  await kernel.run('kept = input("Who is there?")\nprint("Hello,", kept)', { print, input });

  let started;
  const isStarted = new Promise((resolve) => (started = resolve));
  const endless = kernel.run('import time\nprint("waiting")\nwhile True: time.sleep(0.05)', {
    print: (text) => {
      print(text);
      started();
    },
  });
  await isStarted;
  await kernel.interrupt();
  console.log(`interrupted: ${await endless}`);
  console.log(`still there: ${await kernel.run("kept")}`);

  await kernel.restart();
  console.log(`after a restart: ${await kernel.run("kept")}`);
  console.log(`heartbeat: ${await kernel.beat()}`);
  await kernel.shutdown(false);
  console.log("shut down");
} finally {
  kernel.close();
}

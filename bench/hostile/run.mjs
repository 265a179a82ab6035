/**
 * Runs one attack on one implementation: a victim, a good client, and the attackers, each a process of its own.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readName } from "../lib/nodes.mjs";
import { readLines, spawnGuarded } from "../lib/process.mjs";
import { nodeCommand } from "../lib/programs.mjs";
import { MOST_SECONDS } from "./attacks.mjs";

/** A victim that takes more is killed, and counts as one that died: the machine has other work. */
const MOST_RSS_MIB = 1536;
const LOOK_AT_RSS_EVERY_MS = 50;

/** What attackers may need beyond their time, and everybody for an answer. */
const GRACE_MS = 30_000;
const BEFORE_MS = 400;
const HELD_MS = 500;
const AFTER_MS = 500;
const LATE_MS = 15_000;

const CROWD_PROCESSES = 4;
const CROWD_MS = 120_000;

const MIB = 1024 * 1024;

/** Which good client fits a victim. */
const FITS = { pull: "PUSH", pub: "SUB", xpub: "SUB", router: "DEALER", rep: "REQ", sub: "PUB", pair: "PAIR" };

/**
 * @typedef {object} Outcome
 * @property {string} attack
 * @property {string} implementation With its Node.
 * @property {number} octets Sent by the attackers.
 * @property {number} connections Made by the attackers.
 * @property {number} cut Of these, closed by the victim before the attackers left.
 * @property {number} heapMiB The most that was in use, with the memory of Buffers.
 * @property {number} rssMiB
 * @property {number} turnMs The longest turn.
 * @property {number} waitMs The longest that the good client waited which was there before.
 * @property {number} served How often it was served.
 * @property {number} clientCut How often it lost its connection.
 * @property {number} entryMs The longest that a new good client needed to get in.
 * @property {number} entered
 * @property {number} refused
 * @property {string} [death] How the victim died, when it did.
 * @property {Record<string, number>} ended The victim's events, while the attackers were there.
 * @property {string[]} trouble Warnings, exceptions and rejections that nobody caught.
 */

/** A process of this run: keeps what it said last under each name. */
class Program {
  /** @type {Record<string, any>} */
  said = {};
  /** @type {Promise<string>} How it ended. */
  gone;
  isGone = false;
  process;
  #errors = "";
  /** @type {{ name: string, resolve: (event: any) => void }[]} */
  #waiting = [];

  /** @param {[command: string, args: string[]]} command */
  constructor([command, args]) {
    this.process = spawnGuarded(command, args);
    this.process.stderr.setEncoding("utf8").on("data", (text) => {
      this.#errors = (this.#errors + text).slice(-4000);
    });
    readLines(this.process.stdout, (line) => this.#onLine(line));
    this.gone = new Promise((resolve) => {
      this.process.on("error", (error) => resolve(String(error)));
      this.process.on("close", (code, signal) => {
        this.isGone = true;
        const isOutOfHeap = /heap out of memory|allocation failure|Mark-Compact/i.test(this.#errors);
        resolve(isOutOfHeap ? "out of heap" : `${signal ?? code} ${this.#errors.trim().slice(0, 300)}`.trim());
      });
    });
  }

  /** @param {string} line */
  #onLine(line) {
    const event = JSON.parse(line);
    this.said[event.event] = event;
    this.#waiting = this.#waiting.filter(({ name, resolve }) => {
      if (name !== event.event && event.event !== "error") return true;
      resolve(event);
      return false;
    });
  }

  /**
   * What it says next under this name, or undefined when it is gone, or silent for too long.
   *
   * @param {string} name @param {number} [withinMs] @returns {Promise<any>}
   */
  async next(name, withinMs = GRACE_MS) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const heard = new Promise((resolve) => this.#waiting.push({ name, resolve }));
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    const event = await Promise.race([heard, late, this.gone.then(() => undefined)]);
    clearTimeout(timer);
    if (event?.event === "error") throw new Error(event.message);
    return event;
  }

  /** @param {string} line @param {number} [withinMs] */
  ask(line, withinMs) {
    this.process.stdin.write(`${line}\n`);
    return this.next("done", withinMs);
  }

  /** @param {string} line */
  send(line) {
    this.process.stdin.write(`${line}\n`);
  }

  async stop() {
    this.process.kill("SIGKILL");
    await this.gone;
  }
}

/** @param {string} name */
const file = (name) => fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));

/** @param {string} name @param {Record<string, string | number>} pairs */
function helper(name, pairs) {
  const args = Object.entries(pairs).map(([key, value]) => `${key}=${value}`);
  return new Program([process.execPath, [file(name), ...args]]);
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {string} implementation @param {import("./attacks.mjs").Victim} victim @param {number} heap */
function startVictim(implementation, victim, heap) {
  const flags = heap > 0 ? [`--max-old-space-size=${heap}`] : [];
  const args = [`impl=${readName(implementation).implementation}`, `victim=${JSON.stringify(victim)}`];
  return new Program(nodeCommand(implementation, [...flags, file("victim"), ...args]));
}

/**
 * The peak of a process's resident memory, as long as it lives; too much ends it.
 *
 * @param {Program} program
 */
function watchMemory(program) {
  const watch = { peakMiB: 0, isTooMuch: false };
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${program.process.pid}/status`, "utf8");
      const kib = (/** @type {string} */ name) => Number(status.match(new RegExp(`${name}:\\s+(\\d+)`))?.[1] ?? 0);
      watch.peakMiB = Math.max(watch.peakMiB, kib("VmHWM") / 1024);
      if (kib("VmRSS") / 1024 > MOST_RSS_MIB) {
        watch.isTooMuch = true;
        program.process.kill("SIGKILL");
      }
    } catch {
      // It is gone, or this system has no /proc.
    }
  }, LOOK_AT_RSS_EVERY_MS);
  program.gone.then(() => clearInterval(timer));
  return watch;
}

/**
 * @param {import("./attacks.mjs").Attack} attack
 * @param {string} implementation
 * @param {{ heap: number, seconds?: number }} settings
 * @returns {Promise<Outcome>}
 */
export async function runAttack(attack, implementation, { heap, seconds }) {
  const { victim: kind, processes = 1 } = attack;
  const victim = startVictim(implementation, kind, attack.heap ?? heap);
  /** @type {Program[]} */
  const others = [];
  const memory = watchMemory(victim);
  try {
    const at = await victim.next("ready");
    if (at === undefined) throw new Error(`${attack.id}, ${implementation}: ${await victim.gone}`);
    const type = FITS[kind.type];
    const isServed = !kind.unread && kind.security === undefined;
    // A PAIR lets no second one in.
    const letsIn = kind.security === undefined && type !== "PAIR";
    const client = helper("client", {
      ...(isServed ? { type, port: at.port } : { type: "REQ", port: at.beside }),
      ...(letsIn ? { entry: type, entryPort: at.port } : { entry: "REQ", entryPort: at.beside }),
    });
    others.push(client);
    const attackers = Array.from({ length: processes }, (_, number) =>
      helper("attack", { attack: attack.id, port: at.port, number, processes, ...(seconds && { seconds }) }),
    );
    others.push(...attackers);
    await Promise.all([client, ...attackers].map((one) => one.said.ready ?? one.next("ready")));
    await pause(BEFORE_MS);
    client.send("begin");
    const servedOf = (/** @type {any} */ counts) =>
      isServed && type === "PUSH" ? (victim.said.seen?.got ?? 0) : (counts?.served ?? 0);
    const servedBefore = servedOf(await client.ask("look"));

    const mostMs = Math.min(attack.seconds ?? MOST_SECONDS, seconds ?? Infinity) * 1000 + GRACE_MS;
    const made = await Promise.race([
      Promise.all(attackers.map((one) => one.ask("run", mostMs))),
      victim.gone.then(() => undefined),
    ]);
    if (made !== undefined) await pause(HELD_MS);
    const looks = made
      ? await Promise.all(attackers.map((one) => one.ask("look")))
      : attackers.map((one) => one.said.seen);
    const ended = { ...victim.said.seen?.ended };
    if (made !== undefined) for (const one of attackers) one.send("leave");
    await pause(AFTER_MS);
    const counts = (await client.ask(victim.isGone ? "look" : "finish")) ?? {};
    if (isServed && type === "PUSH") await untilAllCame(victim, counts.sent);
    if (!victim.isGone) await victim.ask("look");
    const own = victim.isGone ? (victim.said.seen ?? {}) : { ...victim.said.seen, ...victim.said.done };
    const served = (isServed && type === "PUSH" ? (own.got ?? 0) : (counts.served ?? 0)) - servedBefore;
    const sum = (/** @type {"octets" | "connections" | "cut"} */ name) =>
      looks.reduce((total, one) => total + (one?.[name] ?? 0), 0);
    return {
      attack: attack.id,
      implementation,
      octets: sum("octets"),
      connections: sum("connections"),
      cut: sum("cut"),
      heapMiB: round((own.heap ?? 0) / MIB),
      rssMiB: round(memory.peakMiB),
      turnMs: round(own.turn ?? 0),
      waitMs: round(Math.max(counts.wait ?? 0, isServed ? (own.wait ?? 0) : 0)),
      served,
      clientCut: counts.cut ?? 0,
      entryMs: round(counts.entry ?? 0),
      entered: counts.entered ?? 0,
      refused: counts.refused ?? 0,
      ...(victim.isGone && { death: memory.isTooMuch ? `over ${MOST_RSS_MIB} MiB` : await victim.gone }),
      ended,
      trouble: own.trouble ?? [],
    };
  } finally {
    await Promise.all([victim, ...others].map((one) => one.stop()));
  }
}

/**
 * Until a victim has what the good client has sent, or will not get it.
 *
 * @param {Program} victim @param {number} sent
 */
async function untilAllCame(victim, sent) {
  const latest = performance.now() + LATE_MS;
  while (!victim.isGone && (victim.said.seen?.got ?? 0) < sent && performance.now() < latest) await pause(50);
}

/**
 * Ten thousand good clients at the same moment.
 *
 * @param {string} implementation
 * @param {{ clients: number, delayMs: number }} settings
 */
export async function runCrowd(implementation, { clients, delayMs }) {
  const victim = startVictim(implementation, { type: "rep" }, 0);
  const memory = watchMemory(victim);
  /** @type {Program[]} */
  const crowd = [];
  try {
    const { port } = await victim.next("ready");
    for (let number = 0; number < CROWD_PROCESSES; number++) {
      crowd.push(helper("crowd", { count: clients / CROWD_PROCESSES, port, delay: delayMs }));
    }
    await Promise.all(crowd.map((one) => one.said.ready ?? one.next("ready")));
    const done = await Promise.all(
      crowd.map(
        async (one) => (await one.ask("run", CROWD_MS)) ?? one.said.seen ?? { inside: 0, refused: 0, worst: 0 },
      ),
    );
    const total = (/** @type {"inside" | "refused"} */ name) => done.reduce((sum, one) => sum + one[name], 0);
    const own = victim.said.seen ?? {};
    return {
      implementation,
      clients,
      inside: total("inside"),
      refused: total("refused"),
      worstMs: round(Math.max(...done.map((one) => one.worst))),
      heapMiB: round((own.heap ?? 0) / MIB),
      rssMiB: round(memory.peakMiB),
      turnMs: round(own.turn ?? 0),
      ...(victim.isGone && { death: await victim.gone }),
      trouble: own.trouble ?? [],
    };
  } finally {
    await Promise.all([victim, ...crowd].map((one) => one.stop()));
  }
}

/** @param {number} value */
function round(value) {
  return Number(value.toPrecision(3));
}

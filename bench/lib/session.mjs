/**
 * A session: the processes of one implementation in one scenario, ready to be sampled any number of times.
 */

import { fileURLToPath } from "node:url";
import { programPath } from "./compile.mjs";
import { Child } from "./process.mjs";

/** Programs that are the same for every implementation. */
const SHARED = new Set(["idle-clients"]);

/** A run that has not ended this long after it should have is a hang. */
const GRACE_MS = 30_000;

/**
 * @typedef {{ value: number, [detail: string]: unknown }} Sample
 * @typedef {object} Session
 * @property {(durationMs: number) => Promise<Sample>} sample
 * @property {() => Promise<void>} close
 * @typedef {(program: string, options?: Record<string, string | number | undefined>, nodeFlags?: string[]) => Child} Start
 */

/**
 * Opens a session: `prepare` starts its processes and returns the function that takes a sample. When it fails, what
 * it had started is stopped.
 *
 * @param {string} implementation
 * @param {(start: Start) => Promise<(durationMs: number) => Promise<Sample>>} prepare
 * @returns {Promise<Session>}
 */
export async function openSession(implementation, prepare) {
  /** @type {Child[]} */
  const children = [];
  const close = async () => {
    await Promise.all(children.map((child) => child.stop()));
  };
  try {
    const sample = await prepare((program, options, nodeFlags) => {
      const child = startProgram(implementation, program, options, nodeFlags);
      children.push(child);
      return child;
    });
    return { sample, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Starts the program of a role in the implementation's own form.
 *
 * @param {string} implementation
 * @param {string} program
 * @param {Record<string, string | number | undefined>} [options]
 * @param {string[]} [nodeFlags]
 * @returns {Child}
 */
export function startProgram(implementation, program, options = {}, nodeFlags = []) {
  const pairs = Object.entries({ impl: implementation, ...options })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
  const name = `${program} (${implementation})`;
  const shared = SHARED.has(program);
  if (implementation === "libzmq-c" && !shared) return new Child(name, programPath(program), pairs);
  const file = implementation === "net" && !shared ? `net-${program}` : program;
  return new Child(name, process.execPath, [...nodeFlags, scriptPath(file), ...pairs]);
}

/**
 * @param {string} program
 * @returns {string}
 */
function scriptPath(program) {
  return fileURLToPath(new URL(`../programs/${program}.mjs`, import.meta.url));
}

/**
 * Sends a command, and resolves with what it is answered.
 *
 * @param {Child} child
 * @param {string} command
 * @param {number} [expectedMs] How long it may take before it is late.
 * @returns {Promise<any>}
 */
export function ask(child, command, expectedMs = 0) {
  child.send(command);
  return child.next("done", expectedMs + GRACE_MS);
}

/**
 * The rate of a stream, and whether all of it arrived.
 *
 * @param {{ count: number, bytes: number, start: number, end: number, cpuMs: number, peakKb: number }} received
 * @param {{ count: number, cpuMs?: number, peakKb?: number }} sent
 * @param {{ size: number, receivers?: number }} stream
 * @returns {Sample}
 */
export function rate(received, sent, { size, receivers = 1 }) {
  const lost = sent.count * receivers - received.count;
  if (received.bytes !== received.count * size) {
    throw new Error(`${received.bytes} octets in ${received.count} messages of ${size}`);
  }
  const seconds = (received.end - received.start) / 1000;
  const perSecond = Math.max(0, received.count - receivers) / seconds;
  return {
    value: perSecond,
    count: received.count,
    lost,
    seconds,
    receiverCpuMs: received.cpuMs,
    receiverPeakKb: received.peakKb,
    senderCpuMs: sent.cpuMs,
    senderPeakKb: sent.peakKb,
  };
}

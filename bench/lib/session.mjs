/**
 * A session: the processes of one implementation in one scenario, ready to be sampled any number of times. Some of them are
 * `far`: on the other machine, when there is one.
 */

import { readName } from "./nodes.mjs";
import { Child, Command } from "./process.mjs";
import { programCommand } from "./programs.mjs";

/** A run that has not ended this long after it should have is a hang. */
const GRACE_MS = 30_000;

/**
 * @typedef {{ value: number, [detail: string]: unknown }} Sample
 * @typedef {object} Session
 * @property {(durationMs: number) => Promise<Sample>} sample
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Peer A Child, or one on the other machine.
 * @property {(line: string) => void} send
 * @property {(name: string, timeoutMs?: number) => Promise<any>} next
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} StartSettings
 * @property {string[]} [nodeFlags]
 * @property {boolean} [far]
 * @property {import("./process.mjs").Wrapper} [wrap]
 *
 * @typedef {(program: string, options?: Record<string, string | number | undefined>, settings?: StartSettings) => Peer} Start
 */

/** @type {import("./remote.mjs").Remote | undefined} */
let remote;

/**
 * From now on `far` programs are started there.
 *
 * @param {import("./remote.mjs").Remote | undefined} host
 */
export function useRemote(host) {
  remote = host;
}

/** Whether there is another machine. */
export function isRemote() {
  return remote !== undefined;
}

/** The time of an exchange with the other machine over the runner's own connection: it is part of what "done" takes. */
export async function controlRoundTripMs() {
  return (await remote?.roundTripMs()) ?? 0;
}

/** Where a program binds over tcp: on loopback, or where the other machine gets to. */
export function listenAddress() {
  return remote === undefined ? "tcp://127.0.0.1:*" : "tcp://*:*";
}

/**
 * The address of a bound socket as the other side reaches it.
 *
 * @param {string} address
 * @param {"near" | "far"} where It is bound.
 * @returns {string}
 */
export function reach(address, where) {
  if (remote === undefined) return address;
  const host = where === "far" ? remote.farAddress : remote.nearAddress;
  return address.replace(/^tcp:\/\/(0\.0\.0\.0|\[::\]|\*|localhost|127\.0\.0\.1):/, `tcp://${host}:`);
}

/**
 * Opens a session: `prepare` starts its processes and returns the function that takes a sample. When it fails, what
 * it had started is stopped.
 *
 * @param {string} implementation
 * @param {(start: Start) => Promise<(durationMs: number) => Promise<Sample>>} prepare
 * @returns {Promise<Session>}
 */
export async function openSession(implementation, prepare) {
  /** @type {Peer[]} */
  const children = [];
  const close = async () => {
    await Promise.all(children.map((child) => child.stop()));
  };
  try {
    const sample = await prepare((program, options, settings) => {
      const child = startProgram(implementation, program, options, settings);
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
 * @param {StartSettings} [settings]
 * @returns {Peer}
 */
export function startProgram(implementation, program, options = {}, { nodeFlags = [], far = false, wrap } = {}) {
  const pairs = Object.entries({ impl: readName(implementation).implementation, ...options })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
  if (far && remote !== undefined) return remote.start(implementation, program, pairs, nodeFlags);
  return new Child(`${program} (${implementation})`, ...programCommand(implementation, program, pairs, nodeFlags), {
    wrap,
  });
}

/**
 * Starts a program of seeds/ on the other machine, or here when there is none: one that prints nothing and runs until it is
 * stopped.
 *
 * @param {string} implementation
 * @param {string} program
 * @param {string[]} args
 * @returns {{ stop: () => Promise<void> }}
 */
export function startFar(implementation, program, args) {
  if (remote !== undefined) return remote.start(implementation, `seeds/${program}`, args, []);
  return new Command(`${program} (${implementation})`, ...programCommand(implementation, `seeds/${program}`, args));
}

/**
 * Sends a command, and resolves with what it is answered.
 *
 * @param {Peer} child
 * @param {string} command
 * @param {number} [expectedMs] How long it may take before it is late.
 * @returns {Promise<any>}
 */
export function ask(child, command, expectedMs = 0) {
  child.send(command);
  return child.next("done", expectedMs + GRACE_MS);
}

/**
 * The rate of a stream, and whether all of it arrived. Its time is the receiver's, from the first message to the last: a
 * difference of two readings of one clock, so that clocks of two machines need not agree.
 *
 * @param {{ count: number, bytes: number, start: number, end: number, cpuMs: number, faults: number, peakKb: number }} received
 * @param {{ count: number, cpuMs?: number, faults?: number, peakKb?: number }} sent
 * @param {{ size: number, receivers?: number, mayDrop?: boolean }} stream
 * @returns {Sample}
 */
export function rate(received, sent, { size, receivers = 1, mayDrop = false }) {
  const lost = sent.count * receivers - received.count;
  if (received.bytes !== received.count * size) {
    throw new Error(`${received.bytes} octets in ${received.count} messages of ${size}`);
  }
  const seconds = (received.end - received.start) / 1000;
  const perSecond = Math.max(0, received.count - receivers) / seconds;
  return {
    value: perSecond,
    count: received.count,
    [mayDrop ? "dropped" : "lost"]: lost,
    seconds,
    receiverCpuMs: received.cpuMs,
    receiverFaults: received.faults,
    receiverPeakKb: received.peakKb,
    senderCpuMs: sent.cpuMs,
    senderFaults: sent.faults,
    senderPeakKb: sent.peakKb,
  };
}

/**
 * The loops that are measured, written as a user would write them, and shared by every program that streams.
 *
 * A stream is messages of one size, then an empty message, which ends it. In PUB/SUB a message of one octet is a probe (the
 * publisher sends some until the subscription has arrived) and is not counted. The receiver's clock runs from the
 * first message received to the last; rates are over the messages behind the first one.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { MANY } from "./implementation.mjs";
import { usage, usageNow } from "./program.mjs";
import { latencies } from "./statistics.mjs";

/** The empty message that ends a stream. */
export const END = Buffer.alloc(0);

/** The message of one octet that is sent while subscriptions are awaited. */
export const PROBE = Buffer.from("A");

/** The sender looks at the clock once in so many bytes, so that doing so costs nothing. */
const CLOCK_EVERY_BYTES = 262_144;

/** And at least once in so many messages, for an implementation that is slow for each message. */
const CLOCK_EVERY_MESSAGES = 256;

/**
 * How many messages to send between two looks at the clock.
 *
 * @param {number} size
 * @param {number} [receivers]
 * @returns {number}
 */
export function clockEvery(size, receivers = 1) {
  return Math.max(1, Math.min(Math.round(CLOCK_EVERY_BYTES / size), Math.round(CLOCK_EVERY_MESSAGES / receivers)));
}

/**
 * Sends the message for a time, then the end of the stream. Returns how many were sent.
 *
 * @param {any} socket
 * @param {Buffer | Buffer[]} message
 * @param {number} durationMs
 * @param {number} every Messages between two looks at the clock.
 * @returns {Promise<number>}
 */
export async function sendFor(socket, message, durationMs, every) {
  const stop = performance.now() + durationMs;
  let count = 0;
  do {
    for (let left = every; left > 0; left--) await socket.send(message);
    count += every;
  } while (performance.now() < stop);
  await socket.send(END);
  return count;
}

/**
 * Sends so many messages, then the end of the stream. Returns how many were sent.
 *
 * @param {any} socket
 * @param {Buffer | Buffer[]} message
 * @param {number} count
 * @returns {Promise<number>}
 */
export async function sendCount(socket, message, count) {
  for (let left = count; left > 0; left--) await socket.send(message);
  await socket.send(END);
  return count;
}

/**
 * The same for the native binding's publisher with noDrop: where others wait at the high-water mark, its `send()`
 * rejects with EAGAIN, so a program that must not lose anything lets the event loop turn and tries again.
 *
 * @param {any} socket
 * @param {Buffer} message
 * @param {number} durationMs
 * @param {number} every
 * @returns {Promise<number>}
 */
export async function sendRetryingFor(socket, message, durationMs, every) {
  const stop = performance.now() + durationMs;
  let count = 0;
  do {
    for (let left = every; left > 0; left--) await sendRetrying(socket, message);
    count += every;
  } while (performance.now() < stop);
  await sendRetrying(socket, END);
  return count;
}

/**
 * One message, waiting where the native binding's publisher rejects.
 *
 * @param {any} socket
 * @param {Buffer | Buffer[]} message
 */
export async function sendRetrying(socket, message) {
  for (;;) {
    try {
      return await socket.send(message);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") throw error;
      await nextTurn();
    }
  }
}

/**
 * The same by `sendMany()`.
 *
 * @param {any} socket
 * @param {Buffer} message
 * @param {number} durationMs
 * @param {number} every
 * @returns {Promise<number>}
 */
export async function sendManyFor(socket, message, durationMs, every) {
  const messages = new Array(Math.min(every, MANY)).fill(message);
  const stop = performance.now() + durationMs;
  let count = 0;
  do {
    await socket.sendMany(messages);
    count += messages.length;
  } while (performance.now() < stop);
  await socket.send(END);
  return count;
}

/**
 * @typedef {object} Received
 * @property {number} count Messages, without probes and the end.
 * @property {number} bytes
 * @property {number} start Clock at the first one, in milliseconds.
 * @property {number} end Clock at the last one.
 */

/**
 * Receives until the stream's end, or so many senders' ends.
 *
 * @param {any} socket
 * @param {{ least?: number, senders?: number }} [stream] Messages shorter than `least` are probes.
 * @returns {Promise<Received>}
 */
export async function receiveStream(socket, { least = 2, senders = 1 } = {}) {
  let count = 0;
  let bytes = 0;
  let start = 0;
  let open = senders;
  for (;;) {
    const [body] = await socket.receive();
    if (body.length >= least) {
      if (count === 0) start = performance.now();
      count++;
      bytes += body.length;
    } else if (body.length === 0 && --open === 0) {
      return { count, bytes, start, end: performance.now() };
    }
  }
}

/**
 * The same by `receiveMany()`.
 *
 * @param {any} socket
 * @param {{ least?: number, senders?: number }} [stream]
 * @returns {Promise<Received>}
 */
export async function receiveManyStream(socket, { least = 2, senders = 1 } = {}) {
  let count = 0;
  let bytes = 0;
  let start = 0;
  let open = senders;
  for (;;) {
    for (const [body] of await socket.receiveMany(MANY)) {
      if (body.length >= least) {
        if (count === 0) start = performance.now();
        count++;
        bytes += body.length;
      } else if (body.length === 0 && --open === 0) {
        return { count, bytes, start, end: performance.now() };
      }
    }
  }
}

/**
 * A stream of messages of several frames, whose octets are counted in every frame.
 *
 * @param {any} socket
 * @returns {Promise<Received>}
 */
export async function receiveFramesStream(socket) {
  let count = 0;
  let bytes = 0;
  let start = 0;
  for (;;) {
    const message = await socket.receive();
    if (message[0].length === 0) return { count, bytes, start, end: performance.now() };
    if (count === 0) start = performance.now();
    count++;
    for (const frame of message) bytes += frame.length;
  }
}

/** More round trips than any run can do; the run ends when it is reached. */
const MOST_ROUND_TRIPS = 2 ** 21;

/** @type {Float64Array | undefined} */
let times;

/**
 * Round trips of a REQ, one after the other, for a time or up to a count.
 *
 * @param {any} req
 * @param {Buffer} message
 * @param {number} durationMs
 * @param {number} [most]
 */
export async function roundTrips(req, message, durationMs, most = MOST_ROUND_TRIPS) {
  times ??= new Float64Array(MOST_ROUND_TRIPS);
  const atStart = usageNow();
  let before = performance.now();
  const stop = before + durationMs;
  let count = 0;
  do {
    await req.send(message);
    const [body] = await req.receive();
    const now = performance.now();
    if (body.length !== message.length) throw new Error(`got ${body.length} octets back`);
    times[count++] = (now - before) * 1000;
    before = now;
  } while (before < stop && count < most);
  const used = usage(atStart);
  return { ...latencies(times.slice(0, count)), ...used };
}

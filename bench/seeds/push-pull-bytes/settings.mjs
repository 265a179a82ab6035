/**
 * The settings of producer and consumer, from arguments, else from the environment, else by default; and what they send: a
 * frame with the sender's clock and the sequence number, and the payload. The payload changes from message to message: there
 * is a pool of them, made before the clock starts, and each is full of its own number.
 */

import { seedArguments } from "../../lib/seed.mjs";

const POOL_BYTES = 256 * 1024 * 1024;
const POOL_MOST = 16;

/**
 * @param {"producer" | "consumer"} role
 */
export async function readSettings(role) {
  const { zmq, rest } = await seedArguments("bytes", [role]);
  const { ZMQ_ADDR, BYTESIZE, MESSAGES } = process.env;
  return {
    zmq,
    address: rest[0] || ZMQ_ADDR || (role === "producer" ? "tcp://localhost:5556" : "tcp://*:5556"),
    bytes: Number(rest[1] || BYTESIZE || 10_000_000),
    messages: Number(rest[2] || MESSAGES || 1000),
  };
}

/** Messages that may wait at each end: a thousand, the default, would be ten gigabytes. The same in C. */
export const HIGH_WATER_MARK = 16;

/** @param {number} bytes */
export function poolSize(bytes) {
  return Math.min(POOL_MOST, Math.max(2, Math.floor(POOL_BYTES / bytes)));
}

/** Milliseconds since 1970 with fractions, the same clock in every process of a machine. */
export function wallClock() {
  return performance.timeOrigin + performance.now();
}

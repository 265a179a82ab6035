/**
 * What goes around the ring: the topic, and eight octets: the number, to which each hub adds one, and a sequence number,
 * little-endian. The sequence number of a probe is none of a message.
 */

import { sendRetrying } from "../../lib/loops.mjs";

export const HUBS = 3;
export const PROBE = 0xffffffff;

/** @param {number} number @param {number} sequence */
export function body(number, sequence) {
  const octets = Buffer.allocUnsafe(8);
  octets.writeUInt32LE(number, 0);
  octets.writeUInt32LE(sequence, 4);
  return octets;
}

/**
 * The two sockets of a node. PUB waits for its subscriber (noDrop): nothing may be lost in a flood.
 *
 * @param {any} zmq
 * @param {{ topic: string, from: string, to: string }} node
 */
export async function openNode(zmq, { topic, from, to }) {
  const pub = new zmq.Publisher({ noDrop: true });
  await pub.bind(to);
  const sub = new zmq.Subscriber();
  sub.subscribe(topic);
  sub.connect(from);
  return { pub, sub };
}

/**
 * How this implementation publishes: the native binding's `send()` rejects where others wait.
 *
 * @param {string} impl
 * @param {any} pub
 * @returns {(frames: (string | Buffer)[]) => Promise<void>}
 */
export function publisherOf(impl, pub) {
  return impl === "native"
    ? (frames) => sendRetrying(pub, /** @type {Buffer[]} */ (frames))
    : (frames) => pub.send(frames);
}

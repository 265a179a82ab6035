/**
 * As much of ZMTP as an attacker or a plain good client writes by hand, in octets.
 */

import { COMMAND, greeting as greetingOf, LONG, MORE, ready } from "../../interop/lib/raw-peer.mjs";

export const GREETING_BYTES = 64;

/**
 * The greeting of ZMTP 3.1.
 *
 * @param {string} [mechanism]
 * @returns {Buffer}
 */
export const greeting = (mechanism) => greetingOf(1, mechanism);

/**
 * A frame: of a message that ends with it, of one that goes on (`MORE`), or a command.
 *
 * @param {Uint8Array | string} content
 * @param {number} [flags]
 * @returns {Buffer}
 */
export function frame(content, flags = 0) {
  const body = typeof content === "string" ? Buffer.from(content, "latin1") : content;
  return Buffer.concat([frameHeader(body.length, flags), body]);
}

const LONGEST_SHORT = 255;

/**
 * The octets in front of a body, also of one that never comes.
 *
 * @param {number} size
 * @param {number} [flags]
 * @returns {Buffer}
 */
export function frameHeader(size, flags = 0) {
  if (size <= LONGEST_SHORT) return Buffer.from([flags, size]);
  const header = Buffer.alloc(9);
  header[0] = flags | LONG;
  header.writeBigUInt64BE(BigInt(size), 1);
  return header;
}

/**
 * Greeting and READY in one.
 *
 * @param {string} type
 * @param {string} [identity]
 * @returns {Buffer}
 */
export function introduction(type, identity) {
  return Buffer.concat([greeting(), ready(type, identity)]);
}

/**
 * Octets that say the same so many times over.
 *
 * @param {Uint8Array} octets
 * @param {number} count
 * @returns {Buffer}
 */
export function repeated(octets, count) {
  return Buffer.concat(Array.from({ length: count }, () => octets));
}

/** Finds the ends of frames in a stream: calls back for each message that is whole, and each command. */
export class Frames {
  #rest = Buffer.alloc(0);
  #greeted = false;
  #onMessage;
  #onCommand;

  /**
   * @param {(lastFrame: Buffer) => void} onMessage
   * @param {(body: Buffer) => void} onCommand
   */
  constructor(onMessage, onCommand) {
    this.#onMessage = onMessage;
    this.#onCommand = onCommand;
  }

  /** @param {Buffer} chunk */
  write(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    if (!this.#greeted) {
      if (this.#rest.length < GREETING_BYTES) return;
      this.#greeted = true;
      this.#rest = this.#rest.subarray(GREETING_BYTES);
    }
    while (this.#takeFrame()) {}
  }

  /** @returns {boolean} Whether there was a whole one. */
  #takeFrame() {
    const rest = this.#rest;
    if (rest.length < 2) return false;
    const isLong = (rest[0] & LONG) !== 0;
    const headerBytes = isLong ? 9 : 2;
    if (rest.length < headerBytes) return false;
    const end = headerBytes + (isLong ? Number(rest.readBigUInt64BE(1)) : rest[1]);
    if (rest.length < end) return false;
    const body = rest.subarray(headerBytes, end);
    this.#rest = rest.subarray(end);
    if (rest[0] & COMMAND) this.#onCommand(body);
    else if (!(rest[0] & MORE)) this.#onMessage(body);
    return true;
  }
}

/**
 * ZMTP 2.0 and 3.x framing: `flags(1) size(1 or 8) body(size)`, size in network order and without the header.
 *
 * These are the canonical frames of the project: the encoder writes them, the decoder reads them, and a wire transform
 * turns them into whatever else a peer speaks. RFC 23/37 "ZMTP", section "Framing".
 */

import { ProtocolError } from "../base/errors.ts";

/**
 * Thrown for a frame that is larger than allowed. Such a peer is dropped without a handshake event, like in libzmq:
 * only `disconnect` is seen.
 */
export class FrameSizeError extends ProtocolError {}

/** Set when another frame of the same message follows; never on a command. */
export const FLAG_MORE = 1;

/** Set when the size takes eight octets instead of one. */
export const FLAG_LONG = 2;

/** Set on a command (3.x). */
export const FLAG_COMMAND = 4;

/** Bits that the RFC reserves: zero when sent, refused when received. */
export const FLAGS_RESERVED = 0xf8;

/** Says what is wrong with a frame's flags; undefined when they are right. */
export function flagsFault(flags: number): string | undefined {
  if ((flags & FLAGS_RESERVED) !== 0) return "reserved bits in a frame's flags";
  return (flags & FLAG_COMMAND) !== 0 && (flags & FLAG_MORE) !== 0 ? "a command with MORE" : undefined;
}

/** The longest body that goes out with a one-octet size. */
export const SHORT_BODY_BYTES = 255;

/** Header of a frame whose size takes one octet. */
export const SHORT_HEADER_BYTES = 2;

/** Header of a frame whose size takes eight octets. */
export const LONG_HEADER_BYTES = 9;

/** Counts the octets of the header of a frame with such a body. */
export function headerSize(bodyLength: number): 2 | 9 {
  return bodyLength > SHORT_BODY_BYTES ? LONG_HEADER_BYTES : SHORT_HEADER_BYTES;
}

/**
 * Writes a header at `offset`; LONG is set by the length of the body. Returns the offset behind it, where the body
 * goes.
 */
export function writeHeader(target: Uint8Array, offset: number, flags: number, length: number): number {
  if (length <= SHORT_BODY_BYTES) {
    target[offset] = flags;
    target[offset + 1] = length;
    return offset + SHORT_HEADER_BYTES;
  }
  const high = Math.floor(length / 0x100000000);
  target[offset] = flags | FLAG_LONG;
  target[offset + 1] = 0;
  target[offset + 2] = high >>> 16;
  target[offset + 3] = high >>> 8;
  target[offset + 4] = high;
  target[offset + 5] = length >>> 24;
  target[offset + 6] = length >>> 16;
  target[offset + 7] = length >>> 8;
  target[offset + 8] = length;
  return offset + LONG_HEADER_BYTES;
}

/** Reads a size of eight octets. From 2^53 on it is not exact, but never below 2^53 either. */
export function readLongSize(source: Uint8Array, offset: number): number {
  const high =
    source[offset] * 0x1000000 + ((source[offset + 1] << 16) | (source[offset + 2] << 8) | source[offset + 3]);
  const low =
    source[offset + 4] * 0x1000000 + ((source[offset + 5] << 16) | (source[offset + 6] << 8) | source[offset + 7]);
  return high * 0x100000000 + low;
}

/** Encodes one whole frame in a Buffer of its own: for commands and handshakes, not for the message path. */
export function encodeFrame(flags: number, body: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headerSize(body.length) + body.length);
  frame.set(body, writeHeader(frame, 0, flags, body.length));
  return frame;
}

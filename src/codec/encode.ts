/**
 * Messages as canonical frames, the framing of ZMTP 2.0 and later (RFC 23), written into memory that the caller has measured.
 */
import { FLAG_LONG, FLAG_MORE, LONG_HEADER_BYTES } from "./frame.ts";

/** Copying up to this many octets by a loop beats the call into `TypedArray.prototype.set`. */
const LOOP_COPY_BYTES = 24;

/** Octets that `frames` take when encoded. */
export function encodedSize(frames: readonly Uint8Array[]): number {
  let size = 0;
  for (let i = 0; i < frames.length; i++) {
    const length = (frames[i] as Uint8Array).length;
    size += length + (length > 255 ? LONG_HEADER_BYTES : 2);
  }
  return size;
}

/** Writes a message's frame header; returns the offset behind it. */
export function putHeader(target: Uint8Array, at: number, more: number, length: number): number {
  if (length < 256) {
    target[at] = more;
    target[at + 1] = length;
    return at + 2;
  }
  target[at] = more | FLAG_LONG;
  const high = Math.floor(length / 0x100000000);
  target[at + 1] = 0;
  target[at + 2] = 0;
  target[at + 3] = (high >>> 8) & 0xff;
  target[at + 4] = high & 0xff;
  target[at + 5] = length >>> 24;
  target[at + 6] = (length >>> 16) & 0xff;
  target[at + 7] = (length >>> 8) & 0xff;
  target[at + 8] = length & 0xff;
  return at + LONG_HEADER_BYTES;
}

/** Copies `body` to `target`; returns the offset behind it. */
export function putBody(target: Uint8Array, at: number, body: Uint8Array): number {
  const length = body.length;
  if (length <= LOOP_COPY_BYTES) for (let i = 0; i < length; i++) target[at + i] = body[i] as number;
  else target.set(body, at);
  return at + length;
}

/** Encodes a whole message into `target`, which has room for `encodedSize(frames)`; returns the offset behind it. */
export function encodeMessage(target: Uint8Array, at: number, frames: readonly Uint8Array[]): number {
  const last = frames.length - 1;
  let offset = at;
  for (let i = 0; i <= last; i++) {
    const body = frames[i] as Uint8Array;
    offset = putBody(target, putHeader(target, offset, i < last ? FLAG_MORE : 0, body.length), body);
  }
  return offset;
}

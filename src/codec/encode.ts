/**
 * Messages as canonical frames, the framing of ZMTP 2.0 and later (RFC 23), written into memory that the caller has
 * measured.
 */
import { FLAG_MORE, headerSize, writeHeader } from "./frame.ts";

/**
 * Copying up to this many octets by a loop takes two thirds of the time of `TypedArray.prototype.set`
 * (bench/micro/tunings.mjs).
 */
const LOOP_COPY_BYTES = 8;

/** Octets that `frames` take when encoded. */
export function encodedSize(frames: readonly Uint8Array[]): number {
  let size = 0;
  for (let i = 0; i < frames.length; i++) {
    const { length } = frames[i];
    size += headerSize(length) + length;
  }
  return size;
}

/** Copies `body` to `target`; returns the offset behind it. */
export function putBody(target: Uint8Array, at: number, body: Uint8Array): number {
  const length = body.length;
  if (length <= LOOP_COPY_BYTES) for (let i = 0; i < length; i++) target[at + i] = body[i];
  else target.set(body, at);
  return at + length;
}

/** Encodes a whole message into `target`, which has room for `encodedSize(frames)`; returns the offset behind it. */
export function encodeMessage(target: Uint8Array, at: number, frames: readonly Uint8Array[]): number {
  const last = frames.length - 1;
  let offset = at;
  for (let i = 0; i <= last; i++) {
    const body = frames[i];
    offset = putBody(target, writeHeader(target, offset, i < last ? FLAG_MORE : 0, body.length), body);
  }
  return offset;
}

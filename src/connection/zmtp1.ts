/**
 * The wire of ZMTP 1.0 (libzmq 2.x), as a transform of canonical frames.
 *
 *     canonical   flags (1)   size (1)             body          1.0   length (1)             flags (1)   body
 *                 flags (1)   size (8)             body                FF   length (8)        flags (1)   body
 *
 * The length counts the flags octet, and the short form ends at 254. A canonical header is never longer than the 1.0
 * header that it comes from, so that one buffer as large as the input takes the output. RFC 13 "ZMTP 1.0".
 */

import { ProtocolError } from "../base/errors.ts";
import {
  FLAG_LONG,
  FLAG_MORE,
  FrameSizeError,
  LONG_HEADER_BYTES,
  readLongSize,
  SHORT_HEADER_BYTES,
  writeHeader,
} from "../codec/frame.ts";
import type { Wire } from "../mechanism/mechanism.ts";

const LONG_MARK = 0xff;
const SHORT_HEADER_1_0_BYTES = 2;
const LONG_HEADER_1_0_BYTES = 10;

/** The longest body that has the short form. */
const SHORT_BODY_1_0_BYTES = 253;

/** Writes a 1.0 header. Returns the offset behind it. */
export function writeHeader10(target: Uint8Array, offset: number, flags: number, length: number): number {
  if (length <= SHORT_BODY_1_0_BYTES) {
    target[offset] = length + 1;
    target[offset + 1] = flags & FLAG_MORE;
    return offset + SHORT_HEADER_1_0_BYTES;
  }
  const counted = length + 1;
  const high = Math.floor(counted / 0x100000000);
  target[offset] = LONG_MARK;
  for (let i = 0; i < 4; i++) {
    target[offset + 1 + i] = high >>> (24 - 8 * i);
    target[offset + 5 + i] = counted >>> (24 - 8 * i);
  }
  target[offset + 9] = flags & FLAG_MORE;
  return offset + LONG_HEADER_1_0_BYTES;
}

export class Zmtp1Wire implements Wire {
  readonly #head: Uint8Array = new Uint8Array(LONG_HEADER_1_0_BYTES);
  #headBytes = 0;
  /** Octets of the current body that have not come. */
  #bodyLeft = 0;
  failure: ProtocolError | undefined = undefined;

  wrap(parts: Buffer[]): Buffer[] {
    const frames = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const out = Buffer.allocUnsafe(frames.length + wrappedGrowth(frames));
    let at = 0;
    for (let offset = 0; offset < frames.length; ) {
      const { start, end } = frameAt(frames, offset);
      at = writeHeader10(out, at, frames[offset], end - start);
      at += frames.copy(out, at, start, end);
      offset = end;
    }
    return [out.subarray(0, at)];
  }

  /**
   * Leaves the check of sizes to the decoder behind it, and trusts none with memory. A size that is no exact number
   * ends it here: a canonical header could not repeat it, and all that follows would be read as frames of 3.x.
   */
  unwrap(chunk: Buffer): Buffer[] {
    const head = this.#head;
    const out = Buffer.allocUnsafeSlow(this.#headBytes + chunk.length);
    let at = 0;
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#bodyLeft > 0) {
        const count = Math.min(this.#bodyLeft, chunk.length - offset);
        at += chunk.copy(out, at, offset, offset + count);
        this.#bodyLeft -= count;
        offset += count;
        continue;
      }
      head[this.#headBytes++] = chunk[offset++];
      const needed = head[0] === LONG_MARK ? LONG_HEADER_1_0_BYTES : SHORT_HEADER_1_0_BYTES;
      if (this.#headBytes < needed && head[0] !== 0) continue;
      this.#headBytes = 0;
      const counted = needed === SHORT_HEADER_1_0_BYTES ? head[0] : readLongSize(head, 1);
      if (counted === 0) {
        this.failure = new ProtocolError("ERR_ZMTP_UNSPECIFIED", "a length without room for the flags");
        break;
      }
      if (counted > Number.MAX_SAFE_INTEGER) {
        this.failure = new FrameSizeError("ERR_ZMTP_UNSPECIFIED", `a frame of about ${counted} octets`);
        break;
      }
      this.#bodyLeft = counted - 1;
      at = writeHeader(out, at, head[needed - 1] & FLAG_MORE, this.#bodyLeft);
    }
    return [out.subarray(0, at)];
  }
}

/** Finds the body of the frame at `offset`. */
function frameAt(frames: Buffer, offset: number): { start: number; end: number } {
  const isLong = (frames[offset] & FLAG_LONG) !== 0;
  const start = offset + (isLong ? LONG_HEADER_BYTES : SHORT_HEADER_BYTES);
  return { start, end: start + (isLong ? readLongSize(frames, offset + 1) : frames[offset + 1]) };
}

/**
 * Counts how much longer the 1.0 headers may be: by one octet for each long one, by eight for each at the border of the
 * forms.
 */
function wrappedGrowth(frames: Buffer): number {
  let growth = 0;
  for (let offset = 0; offset < frames.length; ) {
    const { start, end } = frameAt(frames, offset);
    if (end - start > SHORT_BODY_1_0_BYTES) growth += LONG_HEADER_1_0_BYTES - (start - offset);
    offset = end;
  }
  return growth;
}

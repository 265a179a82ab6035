/**
 * CURVE's MESSAGEs once more, as RFC 26 and libzmq have them, one frame at a time: what the sealer's and the opener's
 * batches, streams and buffers have to equal.
 */
import { nobleCrypto } from "./noble-crypto.ts";

/** A frame as ZMTP has it: `flags` are its own, 1 MORE and 4 COMMAND. */
export interface Frame {
  readonly flags: number;
  readonly payload: Buffer;
}

/** A frame's octets. */
export function framed(flags: number, body: Uint8Array): Buffer {
  if (body.length < 256) return Buffer.concat([Buffer.of(flags, body.length), body]);
  const header = Buffer.alloc(9);
  header[0] = flags | 2;
  header.writeBigUInt64BE(BigInt(body.length), 1);
  return Buffer.concat([header, body]);
}

export function canonical(frame: Frame): Buffer {
  return framed(frame.flags, frame.payload);
}

export class SlowSealer {
  readonly #key: Buffer;
  readonly #prefix: Buffer;
  counter: bigint;

  /** @param counter the last one used. */
  constructor(key: Buffer, prefix: string, counter: bigint) {
    this.#key = key;
    this.#prefix = Buffer.from(prefix);
    this.counter = counter;
  }

  /** The next frame as a MESSAGE, in a frame with `outer` flags. */
  seal(frame: Frame, outer = 0): Buffer {
    this.counter++;
    const inner = (frame.flags & 1 ? 1 : 0) + (frame.flags & 4 ? 2 : 0);
    return framed(outer, this.body(Buffer.concat([Buffer.of(inner), frame.payload])));
  }

  /** A MESSAGE's body around any sealed octets, with the current counter. */
  body(sealed: Buffer): Buffer {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(this.counter);
    const box = nobleCrypto.box(this.#key, Buffer.concat([this.#prefix, counter]), sealed);
    return Buffer.concat([Buffer.from("\x07MESSAGE"), counter, box]);
  }
}

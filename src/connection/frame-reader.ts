/**
 * Reads the frames of a handshake one by one, and takes no octet behind the frame that is complete: behind the last
 * one, octets may mean something else.
 *
 * - Flags and size are judged as soon as they are here; memory grows with the octets that have come.
 * - A body has memory of its own, for its reader may keep parts of it.
 */
import { EMPTY } from "../base/bytes.ts";
import { HANDSHAKE_BODY_BYTES, HANDSHAKE_COMMAND_BYTES } from "../base/constants.ts";
import { ProtocolError } from "../base/errors.ts";
import {
  FLAG_LONG,
  FrameSizeError,
  flagsFault,
  LONG_HEADER_BYTES,
  readLongSize,
  SHORT_HEADER_BYTES,
} from "../codec/frame.ts";

export class FrameReader {
  /** The frame's body, once it is complete; the next `read` begins the next frame. */
  body: Buffer | undefined = undefined;
  readonly #limit: number;
  readonly #head: Buffer = Buffer.alloc(LONG_HEADER_BYTES);
  #headBytes = 0;
  #octets: Buffer = EMPTY;
  #count = 0;
  /** The size of the body, while its header is complete. */
  #size: number | undefined = undefined;

  /** @param maxMessageSize octets that a body may have, negative for no limit but that of handshakes. */
  constructor(maxMessageSize: number) {
    this.#limit = maxMessageSize < 0 ? HANDSHAKE_COMMAND_BYTES : Math.min(maxMessageSize, HANDSHAKE_COMMAND_BYTES);
  }

  /**
   * Takes octets of the chunk, from `offset` on, up to the end of the frame. Returns the offset behind them.
   * @throws ProtocolError for a header that is not allowed.
   */
  read(chunk: Buffer, offset: number): number {
    this.body = undefined;
    let at = offset;
    while (this.#size === undefined) {
      if (at === chunk.length) return at;
      this.#header(chunk[at++]);
    }
    const size = this.#size;
    const end = Math.min(at + size - this.#count, chunk.length);
    this.#keep(chunk, at, end, size);
    if (this.#count === size) {
      this.body = this.#octets;
      this.#octets = EMPTY;
      this.#headBytes = this.#count = 0;
      this.#size = undefined;
    }
    return end;
  }

  /** The octets of a frame that is not complete. */
  get unfinished(): Buffer {
    return Buffer.concat([this.#head.subarray(0, this.#headBytes), this.#octets.subarray(0, this.#count)]);
  }

  #header(octet: number): void {
    const head = this.#head;
    head[this.#headBytes++] = octet;
    const detail = flagsFault(head[0]);
    if (detail !== undefined) throw new ProtocolError("ERR_ZMTP_UNSPECIFIED", detail);
    const isLong = (head[0] & FLAG_LONG) !== 0;
    if (this.#headBytes < (isLong ? LONG_HEADER_BYTES : SHORT_HEADER_BYTES)) return;
    const size = isLong ? readLongSize(head, 1) : head[1];
    if (size > this.#limit) {
      throw new FrameSizeError("ERR_ZMTP_UNSPECIFIED", `a frame of ${size} octets, the limit is ${this.#limit}`);
    }
    this.#size = size;
  }

  #keep(chunk: Buffer, from: number, to: number, size: number): void {
    const count = this.#count + to - from;
    if (count > this.#octets.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * count, HANDSHAKE_BODY_BYTES), size));
      this.#octets.copy(larger, 0, 0, this.#count);
      this.#octets = larger;
    }
    chunk.copy(this.#octets, this.#count, from, to);
    this.#count = count;
  }
}

/**
 * Opens MESSAGEs: the incoming half of CURVE's wire. Octets in, split anywhere; canonical frames out.
 *
 * Rules
 * - Sizes before contents: header, name, size and counter are judged before anything is opened, and a frame that is too
 *   long before its first octet is kept.
 * - Nothing leaves that is not authentic. A long message is opened as it comes, but stays here until its tag was
 *   compared.
 * - Counters strictly increase, so that nothing can be replayed or reordered.
 * - The first fault ends it: what was good in front of it is still returned, `failure` says why the connection has to
 *   end, and nothing comes out any more.
 *
 * Short messages are opened on the cipher's desk: the chunk is copied there, behind what was kept of the one before,
 * and the frames that come out are put together there and leave by the page, which is as much as a message that the
 * application keeps may pin: so the decoder need not copy them once more. A long message streams through the desk into
 * memory that is allocated as its octets come. Layouts and codes: curve-message.ts; the codes are libzmq's.
 */
import { EMPTY, grown, LARGEST_BUFFER_BYTES, largeBuffer, wipe } from "../base/bytes.ts";
import { GROW_STEP_BYTES, PAGE_BYTES } from "../base/constants.ts";
import { type ProtocolCode, ProtocolError } from "../base/errors.ts";
import {
  FLAG_LONG,
  FLAG_MORE,
  FLAGS_RESERVED,
  FrameSizeError,
  LONG_HEADER_BYTES,
  readLongSize,
  SHORT_HEADER_BYTES,
  writeHeader,
} from "../codec/frame.ts";
import {
  DESK_AREA_BYTES,
  DESK_MESSAGE_BYTES,
  type Desk,
  type MessageCipher,
  type MessageStream,
} from "../crypto/crypto.ts";
import {
  COUNTER_OFFSET,
  canonicalFlags,
  HEAD_BYTES,
  LOOP_COPY_BYTES,
  NAME_HIGH,
  NAME_LOW,
  OVERHEAD_BYTES,
  TAG_OFFSET,
} from "./curve-message.ts";

/** A counter as the peer sent it: any number of 64 bits. */
export interface Counter {
  readonly high: number;
  readonly low: number;
}

export class Opener {
  /** Why the connection has to end. */
  failure: ProtocolError | undefined = undefined;

  readonly #desk: Desk;
  readonly #cipher: MessageCipher;
  readonly #maxBodyBytes: number;

  /** The peer's last counter. */
  #high: number;
  #low: number;

  /** The beginning of a frame whose end has not come. */
  #kept: Buffer = EMPTY;
  #long: LongMessage | undefined = undefined;

  /** Where the next canonical frame goes on the desk. */
  #end: number;
  #out: Buffer[] = [];
  #isWiped = false;

  /**
   * @param counter the last one that the peer used in the handshake.
   * @param maxMessageSize octets of a frame's payload, negative for no limit.
   */
  constructor(desk: Desk, cipher: MessageCipher, counter: Counter, maxMessageSize: number) {
    this.#desk = desk;
    this.#cipher = cipher;
    this.#high = counter.high;
    this.#low = counter.low;
    // A Buffer's limit may be the largest exact number there is: nothing can be added to it.
    const limit = maxMessageSize < 0 ? LARGEST_BUFFER_BYTES : OVERHEAD_BYTES + maxMessageSize;
    this.#maxBodyBytes = Math.min(limit, LARGEST_BUFFER_BYTES);
    this.#end = desk.output;
  }

  /** Octets as they came, canonical octets out. */
  unwrap(chunk: Buffer): Buffer[] {
    if (this.failure !== undefined || this.#isWiped) return [];
    try {
      for (let at = 0; at < chunk.length; ) {
        at = this.#long === undefined ? this.#openShortFrames(chunk, at) : this.#openLong(this.#long, chunk, at);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.failure = error;
      this.wipe();
    }
    this.#flush();
    const out = this.#out;
    this.#out = [];
    return out;
  }

  wipe(): void {
    this.#isWiped = true;
    this.#cipher.wipe();
    this.#long?.wipe();
    this.#long = undefined;
    this.#kept = EMPTY;
  }

  /**
   * Opens frames on the desk. Returns where it stopped in the chunk: at its end, or at the sealed octets of a long
   * message.
   */
  #openShortFrames(chunk: Buffer, from: number): number {
    const { memory, input } = this.#desk;
    const kept = this.#kept;
    this.#kept = EMPTY;
    memory.set(kept, input);
    const taken = Math.min(DESK_AREA_BYTES - kept.length, chunk.length - from);
    chunk.copy(memory, input + kept.length, from, from + taken);
    const end = input + kept.length + taken;
    this.#cipher.select();

    let at = input;
    while (at + SHORT_HEADER_BYTES <= end) {
      const flags = memory[at];
      const isLong = (flags & FLAG_LONG) !== 0;
      const body = at + (isLong ? LONG_HEADER_BYTES : SHORT_HEADER_BYTES);
      if (body > end) break;
      const size = isLong ? readLongSize(memory, at + 1) : memory[at + 1];
      this.#checkHeader(flags, size);
      if (size > HEAD_BYTES + DESK_MESSAGE_BYTES) {
        if (body + HEAD_BYTES > end) break;
        this.#beginLong(body, size);
        return from + (body + HEAD_BYTES - input - kept.length);
      }
      if (body + size > end) break;
      this.#openShort(body, size);
      at = body + size;
    }
    if (from + taken < chunk.length) return from + taken - (end - at);
    if (at < end) this.#kept = Buffer.from(memory.subarray(at, end));
    return chunk.length;
  }

  #openShort(body: number, size: number): void {
    const { memory, output, opened } = this.#desk;
    this.#checkHead(body, size);
    if (!this.#cipher.open(body, size - HEAD_BYTES)) throw forged();
    const length = size - OVERHEAD_BYTES;
    if (this.#end + LONG_HEADER_BYTES + length > output + PAGE_BYTES) this.#flush();
    const payload = opened + 1;
    const at = writeHeader(memory, this.#end, canonicalFlags(memory[opened]), length);
    if (length > LOOP_COPY_BYTES) memory.copyWithin(at, payload, payload + length);
    else for (let i = 0; i < length; i++) memory[at + i] = memory[payload + i];
    this.#end = at + length;
  }

  #beginLong(body: number, size: number): void {
    const { memory } = this.#desk;
    this.#checkHead(body, size);
    const tag = Buffer.from(memory.subarray(body + TAG_OFFSET, body + HEAD_BYTES));
    const stream = this.#cipher.stream(memory.subarray(body + COUNTER_OFFSET, body + TAG_OFFSET));
    this.#long = new LongMessage(stream, tag, size - HEAD_BYTES);
  }

  #openLong(long: LongMessage, chunk: Buffer, from: number): number {
    const at = long.fill(chunk, from);
    if (long.left > 0) return at;
    const frame = long.finish();
    if (frame === undefined) throw forged();
    this.#long = undefined;
    this.#flush();
    this.#out.push(frame);
    return at;
  }

  #checkHeader(flags: number, size: number): void {
    if (size > this.#maxBodyBytes) {
      throw new FrameSizeError(
        "ERR_ZMTP_UNSPECIFIED",
        `a MESSAGE of ${size} octets, the limit is ${this.#maxBodyBytes}`,
      );
    }
    if ((flags & FLAGS_RESERVED) !== 0) throw fault("ERR_ZMTP_UNSPECIFIED", "reserved bits in a frame's flags");
    if ((flags & FLAG_MORE) !== 0) throw fault("ERR_ZMTP_MALFORMED_COMMAND_MESSAGE", "MORE outside of a MESSAGE");
  }

  /** Judges name, size and counter, in libzmq's order, and takes the counter for used. */
  #checkHead(body: number, size: number): void {
    const { memory, view } = this.#desk;
    if (size <= 1 || size <= memory[body]) {
      throw fault("ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED", "a command shorter than its name");
    }
    if (view.getUint32(body) !== NAME_HIGH || view.getUint32(body + 4) !== NAME_LOW) {
      throw fault("ERR_ZMTP_UNEXPECTED_COMMAND", "something else than a MESSAGE behind the handshake");
    }
    if (size < OVERHEAD_BYTES) throw fault("ERR_ZMTP_MALFORMED_COMMAND_MESSAGE", `a MESSAGE of ${size} octets`);
    const high = view.getUint32(body + COUNTER_OFFSET);
    const low = view.getUint32(body + COUNTER_OFFSET + 4);
    if (high < this.#high || (high === this.#high && low <= this.#low)) {
      throw fault("ERR_ZMTP_INVALID_SEQUENCE", "a counter that is not above the one before");
    }
    this.#high = high;
    this.#low = low;
  }

  /** Takes a page off the desk, into memory that it shares with nothing, so that the decoder can view it. */
  #flush(): void {
    const { memory, output } = this.#desk;
    if (this.#end === output) return;
    const page = Buffer.allocUnsafeSlow(this.#end - output);
    memory.copy(page, 0, output, this.#end);
    this.#out.push(page);
    this.#end = output;
  }
}

/**
 * A message that is opened as it comes, into a canonical frame. The sealed flags come first and lie where the last
 * octet of the size will be:
 *
 *     0                       8            9
 *     | flags (1)   size (8)               | payload
 *     |                       | flags (1)  |            until the tag was compared
 *
 * It is one piece of memory, so that the decoder can view the payload where it is: as large as the whole when that is
 * small enough to be promised, else growing with what comes.
 */
class LongMessage {
  /** Sealed octets that have not come. */
  left: number;
  readonly #stream: MessageStream;
  readonly #tag: Buffer;
  readonly #length: number;
  #memory: Buffer;
  /** Octets of it that are used. */
  #filled: number = LONG_HEADER_BYTES - 1;

  /** @param sealed how many octets are sealed: the flags and the payload. */
  constructor(stream: MessageStream, tag: Buffer, sealed: number) {
    this.#stream = stream;
    this.#tag = tag;
    this.left = sealed;
    this.#length = sealed - 1;
    this.#memory = largeBuffer(Math.min(this.#size, LONG_HEADER_BYTES + GROW_STEP_BYTES));
  }

  /** Takes what the chunk has of it. Returns the offset behind. */
  fill(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length && this.left > 0) {
      if (this.#filled === this.#memory.length) this.#grow();
      const count = Math.min(this.left, this.#memory.length - this.#filled, chunk.length - at);
      this.#stream.open(chunk, at, at + count, this.#memory, this.#filled);
      this.#filled += count;
      this.left -= count;
      at += count;
    }
    return at;
  }

  /** The canonical frame; undefined when the message is not authentic. */
  finish(): Buffer | undefined {
    if (!this.#stream.verify(this.#tag)) return undefined;
    const frame = this.#memory;
    writeHeader(frame, 0, canonicalFlags(frame[LONG_HEADER_BYTES - 1]), this.#length);
    return frame;
  }

  wipe(): void {
    wipe(this.#memory);
  }

  /** Octets of the whole frame. */
  get #size(): number {
    return LONG_HEADER_BYTES + this.#length;
  }

  #grow(): void {
    const larger = grown(this.#memory, this.#size);
    if (larger === undefined) throw new FrameSizeError("ERR_ZMTP_UNSPECIFIED", `no memory for ${this.#size} octets`);
    wipe(this.#memory);
    this.#memory = larger;
  }
}

function fault(code: ProtocolCode, detail: string): ProtocolError {
  return new ProtocolError(code, detail);
}

function forged(): ProtocolError {
  return fault("ERR_ZMTP_CRYPTOGRAPHIC", "a MESSAGE that is not authentic");
}

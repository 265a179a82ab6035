/**
 * Seals canonical frames: the outgoing half of CURVE's wire.
 *
 * Short frames are put together on the cipher's desk, header and all, and leave it in one copy per batch. A frame that
 * is long, or that lies in several parts because its body is referenced, streams through the desk into memory of its
 * own. The counter in front of each grows by one. Layouts: curve-message.ts.
 */
import { largeBuffer } from "../base/bytes.ts";
import { FLUSH_LIMIT_BYTES } from "../base/constants.ts";
import {
  FLAG_LONG,
  headerSize,
  LONG_HEADER_BYTES,
  readLongSize,
  SHORT_HEADER_BYTES,
  writeHeader,
} from "../codec/frame.ts";
import { DESK_BYTES, DESK_MESSAGE_BYTES, type Desk, type MessageCipher, type MessageStream } from "../crypto/crypto.ts";
import {
  COUNTER_OFFSET,
  HEAD_BYTES,
  innerFlags,
  LOOP_COPY_BYTES,
  NAME_HIGH,
  NAME_LOW,
  OVERHEAD_BYTES,
  TAG_OFFSET,
} from "./curve-message.ts";

export class Sealer {
  readonly #desk: Desk;
  readonly #cipher: MessageCipher;

  /** The counter that was used last, as two words. */
  #high = 0;
  #low: number;

  /** Where the next frame goes on the desk. */
  #end: number;
  #out: Buffer[] = [];

  /** The octets being sealed, and how far it is. */
  #parts: Buffer[] = [];
  #part = 0;
  #at = 0;
  #isWiped = false;

  /**
   * Memory that long frames were sealed in, and how much of it may not be written yet. Fresh memory for each would be
   * page faults and collections; a weak reference keeps none when the connection is idle.
   */
  #kept: WeakRef<ArrayBufferLike> | undefined = undefined;
  #lent = 0;

  /** @param counter the last one that this side used in the handshake. */
  constructor(desk: Desk, cipher: MessageCipher, counter: number) {
    this.#desk = desk;
    this.#cipher = cipher;
    this.#low = counter;
    this.#end = desk.output;
  }

  /** Whole canonical frames in, whole MESSAGEs out. */
  wrap(parts: Buffer[]): Buffer[] {
    if (this.#isWiped) return [];
    this.#parts = parts;
    this.#part = 0;
    this.#at = 0;
    this.#out = [];
    while (this.#part < parts.length) {
      this.#sealShortFrames(parts[this.#part]);
      if (this.#at < parts[this.#part].length) this.#sealFrame();
      else this.#nextPart();
    }
    this.#flush();
    const out = this.#out;
    this.#parts = this.#out = [];
    return out;
  }

  /** All that left the sealer was written: the memory of long frames is used again. */
  written(): void {
    this.#lent = 0;
  }

  /** Nothing is sealed any more: a key of zeros would protect nothing. */
  wipe(): void {
    this.#isWiped = true;
    this.#cipher.wipe();
  }

  #nextPart(): void {
    this.#part++;
    this.#at = 0;
  }

  /** Seals frames on the desk, up to one that is long or ends in another part. */
  #sealShortFrames(part: Buffer): void {
    const full = this.#desk.output + DESK_BYTES;
    let at = this.#at;
    this.#cipher.select();
    while (at + SHORT_HEADER_BYTES <= part.length) {
      const flags = part[at];
      let start = at + SHORT_HEADER_BYTES;
      let size = part[at + 1];
      if ((flags & FLAG_LONG) !== 0) {
        start = at + LONG_HEADER_BYTES;
        if (start > part.length) break;
        size = readLongSize(part, at + 1);
        if (size >= DESK_MESSAGE_BYTES) break;
      }
      if (start + size > part.length) break;
      if (this.#end >= full) this.#flush();
      this.#sealShort(flags, part, start, size);
      at = start + size;
    }
    this.#at = at;
  }

  #sealShort(flags: number, part: Buffer, start: number, size: number): void {
    const { memory, view } = this.#desk;
    const body = writeHeader(memory, this.#end, 0, OVERHEAD_BYTES + size);
    const payload = body + OVERHEAD_BYTES;
    memory[body + HEAD_BYTES] = innerFlags(flags);
    if (size > LOOP_COPY_BYTES) part.copy(memory, payload, start, start + size);
    else for (let i = 0; i < size; i++) memory[payload + i] = part[start + i];
    this.#count();
    this.#cipher.seal(body, 1 + size, this.#high, this.#low);
    this.#writeNameAndCounter(view, body);
    this.#end = payload + size;
  }

  /** Seals one frame of any size, lying anywhere in the parts. */
  #sealFrame(): void {
    this.#flush();
    const header = Buffer.alloc(LONG_HEADER_BYTES);
    this.#take(header, 0, 1);
    const isLong = (header[0] & FLAG_LONG) !== 0;
    this.#take(header, 1, isLong ? LONG_HEADER_BYTES : SHORT_HEADER_BYTES);
    const size = isLong ? readLongSize(header, 1) : header[1];

    const frame = this.#memory(headerSize(OVERHEAD_BYTES + size) + OVERHEAD_BYTES + size);
    const body = writeHeader(frame, 0, 0, OVERHEAD_BYTES + size);
    this.#count();
    this.#writeNameAndCounter(new DataView(frame.buffer, frame.byteOffset), body);
    const stream = this.#cipher.stream(frame.subarray(body + COUNTER_OFFSET, body + TAG_OFFSET));
    header[0] = innerFlags(header[0]);
    stream.seal(header, 0, 1, frame, body + HEAD_BYTES);
    this.#sealParts(stream, frame, body + OVERHEAD_BYTES);
    frame.set(stream.tag(), body + TAG_OFFSET);
    this.#out.push(frame);
  }

  /** Memory for a sealed frame: where one lay that is written, as long as the collector has left it. */
  #memory(bytes: number): Buffer {
    if (bytes < DESK_MESSAGE_BYTES) return Buffer.allocUnsafeSlow(bytes);
    const kept = this.#kept?.deref();
    const room = kept?.byteLength ?? 0;
    if (kept !== undefined && this.#lent + bytes <= room) {
      const at = this.#lent;
      this.#lent += bytes;
      return Buffer.from(kept, at, bytes);
    }
    const memory = largeBuffer(Math.max(bytes, Math.min(2 * room, FLUSH_LIMIT_BYTES)));
    this.#kept = new WeakRef(memory.buffer);
    this.#lent = bytes;
    return memory.subarray(0, bytes);
  }

  /** Seals what is left of the frame in the parts to `target[from..)`. */
  #sealParts(stream: MessageStream, target: Buffer, from: number): void {
    for (let at = from; at < target.length; ) {
      const part = this.#parts[this.#part];
      const count = Math.min(target.length - at, part.length - this.#at);
      stream.seal(part, this.#at, this.#at + count, target, at);
      at += count;
      this.#at += count;
      if (at < target.length) this.#nextPart();
    }
  }

  /** Copies the next octets of the parts to `target[from..to)`. */
  #take(target: Buffer, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const part = this.#parts[this.#part];
      const count = Math.min(to - at, part.length - this.#at);
      part.copy(target, at, this.#at, this.#at + count);
      at += count;
      this.#at += count;
      if (at < to) this.#nextPart();
    }
  }

  #count(): void {
    this.#low = (this.#low + 1) >>> 0;
    if (this.#low === 0) this.#high++;
  }

  #writeNameAndCounter(view: DataView, body: number): void {
    view.setUint32(body, NAME_HIGH);
    view.setUint32(body + 4, NAME_LOW);
    view.setUint32(body + COUNTER_OFFSET, this.#high);
    view.setUint32(body + COUNTER_OFFSET + 4, this.#low);
  }

  /** Takes the batch off the desk. */
  #flush(): void {
    const { memory, output } = this.#desk;
    if (this.#end === output) return;
    this.#out.push(Buffer.from(memory.subarray(output, this.#end)));
    this.#end = output;
  }
}

/**
 * The way out of a message: `Outbox` keeps whole messages as canonical frames (ZMTP 2.0 framing), ready to be written.
 *
 * Small frames are copied into a slab, one after the other, so that a thousand of them leave in one write; large bodies
 * are referenced. What waits is a list of segments, each a range of some memory:
 *
 *     segment  [ hdr body hdr body hdr ][ large body ][ hdr body … ]
 *     whole            no                    yes            yes        <- the segment ends where a message ends
 *
 * Rules
 * - A message is put in whole or not at all, and `nextBatch()` hands out whole messages only. So nothing half-sent is
 *   ever resent, and a command may be written between any two batches.
 * - `queued` counts messages that the kernel has not taken: those waiting here and those in a write that is under way.
 *   It is what the send high-water mark is compared with.
 * - A referenced body is looked at before it goes out. If its memory is gone the whole message is left out, and counted
 *   as `missing`: what stands there by now is not what was sent.
 * - A slab that was handed to a write is not written again before that write's callback (`settle`).
 * - Publishers encode once: the same range is appended to many outboxes, and consecutive ranges grow together.
 *
 * Pipes may import it, and the classes that fill or empty them.
 */
import { steady } from "../base/bytes.ts";
import { COPY_LIMIT_BYTES, SMALL_SLAB_BYTES } from "../base/constants.ts";
import { Ring } from "../base/ring.ts";
import { encodedSize, encodeMessage, putBody } from "./encode.ts";
import { FLAG_MORE, LONG_HEADER_BYTES, writeHeader } from "./frame.ts";
import { Segment } from "./segment.ts";
import type { Slab, SlabPool } from "./slab-pool.ts";
import { WaitingTopic } from "./waiting-topic.ts";

/** The segments that one `nextBatch()` handed out, until their write is done. */
class Batch {
  readonly segments: Segment[] = [];
  messages = 0;
}

/** The messages of one peer that are to be written. */
export class Outbox {
  /** Messages that the kernel has not taken: those that wait here, and those of a write that is under way. */
  queued = 0;
  /** Octets that wait here; a write that is under way holds others. */
  bytes = 0;
  /** Messages that `nextBatch` left out; whoever tells of them counts from 0 again. */
  missing = 0;
  readonly #pool: SlabPool;
  readonly #waiting = new Ring<Segment>();
  readonly #writing = new Ring<Batch>();
  /** Used again: an answer to each request would make new ones each time. */
  #spare: Batch | undefined;
  readonly #parts: Buffer[] = [];
  #writingMessages = 0;
  #waitingTopics = 0;
  #slab: Slab | undefined;
  #tail: Segment | undefined;
  #large = false;

  constructor(pool: SlabPool) {
    this.#pool = pool;
  }

  /** Subscriptions that wait for a peer. */
  get waitingTopics(): number {
    return this.#waitingTopics;
  }

  /** True while something waits to be handed out. */
  get pending(): boolean {
    return this.#waiting.length > 0;
  }

  /** True when nothing waits but subscriptions for a peer to come, and no write is under way. */
  get idle(): boolean {
    return this.#waiting.length === this.#waitingTopics && this.#writing.length === 0;
  }

  /**
   * Adds one message. Bodies above `copyLimit` are referenced, if their memory can be, and must stay as they are until
   * written.
   */
  write(frames: readonly Uint8Array[], copyLimit: number = COPY_LIMIT_BYTES): void {
    const size = frames.length === 1 ? frames[0].length + LONG_HEADER_BYTES : encodedSize(frames);
    if (size > copyLimit) {
      this.#writeLarge(frames, copyLimit);
    } else {
      const tail = this.#room(size);
      const slab = this.#slab as Slab;
      const end = encodeMessage(slab.bytes, slab.offset, frames);
      this.bytes += end - slab.offset;
      slab.offset = end;
      tail.end = end;
      tail.messages++;
      tail.whole = true;
    }
    this.queued++;
  }

  /** Adds one message in front of all that wait. */
  writeFirst(frames: readonly Uint8Array[]): void {
    const bytes = Buffer.allocUnsafe(encodedSize(frames));
    const segment = new Segment(bytes, undefined, 0, encodeMessage(bytes, 0, frames));
    segment.messages = 1;
    segment.whole = true;
    this.#waiting.unshift(segment);
    this.bytes += segment.end;
    this.queued++;
  }

  /** Adds octets as they are, without a frame around them; they count as one message. */
  writeRaw(body: Uint8Array): void {
    if (body.length > COPY_LIMIT_BYTES) {
      this.#append(steady(body), undefined, 0, body.length, 1);
      this.#tail = undefined;
      this.bytes += body.length;
    } else {
      this.writeUncounted(body);
      (this.#tail as Segment).messages++;
    }
    this.queued++;
  }

  /** Adds octets that hold whole frames but no message that counts: a subscription. */
  writeUncounted(bytes: Uint8Array): void {
    const tail = this.#room(bytes.length);
    const slab = this.#slab as Slab;
    slab.bytes.set(bytes, slab.offset);
    slab.offset += bytes.length;
    this.bytes += bytes.length;
    tail.end = slab.offset;
    tail.whole = true;
  }

  /** Adds a subscription that waits for a peer, in its place among the messages: `encodeTopics` gives it its octets. */
  writeTopic(topic: Buffer, subscribe: boolean): void {
    this.#append(topic, undefined, 0, 0, 0).topic = new WaitingTopic(topic, subscribe);
    this.#tail = undefined;
    this.#waitingTopics++;
  }

  /** There is a peer: what waits for one is encoded, each in its place, by `encode`; without it, dropped. */
  encodeTopics(encode?: (topic: Buffer, subscribe: boolean) => Buffer): void {
    if (this.#waitingTopics === 0) return;
    this.#waitingTopics = 0;
    this.#tail = undefined;
    for (let left = this.#waiting.length; left > 0; left--) {
      const segment = this.#waiting.shift() as Segment;
      if (segment.topic === undefined) {
        this.#waiting.push(segment);
        this.#tail = undefined;
      } else if (encode !== undefined) {
        this.writeUncounted(encode(segment.topic.topic, segment.topic.subscribe));
      }
    }
    this.#tail = undefined;
  }

  /** Adds a message that stands encoded at `start` to `end` of a fan-out's slab. */
  writeShared(slab: Slab, start: number, end: number): void {
    const size = end - start;
    const last = this.#waiting.last();
    if (last !== undefined && last.slab === slab && last.end === start) {
      last.end = end;
      last.messages++;
    } else if (last === undefined || size > COPY_LIMIT_BYTES) {
      this.#append(slab.bytes, slab, start, end, 1);
      this.#tail = undefined;
    } else {
      const tail = this.#room(size);
      const own = this.#slab as Slab;
      own.bytes.set(slab.bytes.subarray(start, end), own.offset);
      own.offset += size;
      tail.end = own.offset;
      tail.messages++;
      tail.whole = true;
    }
    this.bytes += size;
    this.queued++;
  }

  /**
   * Hands out whole messages to be written, at least one and then up to about `limit` octets; `undefined` when there is
   * none. The caller says `settle()` when the write of it has ended. The array is used again by the next call.
   */
  nextBatch(limit: number): Buffer[] | undefined {
    if (this.#waiting.length === 0) return undefined;
    const parts = this.#parts;
    parts.length = 0;
    const batch = this.#spare ?? new Batch();
    this.#spare = undefined;
    let size = 0;
    for (;;) {
      const segment = this.#waiting.shift();
      if (segment === undefined) break;
      if (segment.isMissing) {
        size -= this.#leaveOut(segment, batch, parts);
        continue;
      }
      size += segment.end - segment.start;
      batch.messages += segment.messages;
      batch.segments.push(segment);
      parts.push(segment.view());
      if (size >= limit && segment.whole) break;
    }
    this.#tail = undefined;
    this.bytes -= size;
    if (parts.length === 0) {
      this.#spare = batch;
      if (this.#slab !== undefined && this.idle) this.#letGo();
      return undefined;
    }
    this.#large = size > SMALL_SLAB_BYTES;
    this.#writingMessages += batch.messages;
    this.#writing.push(batch);
    return parts;
  }

  /** The kernel has taken every batch so far: none counts any more. Their memory stays in use until `settle()`. */
  taken(): void {
    // The newest ones: those before were taken earlier.
    for (let i = this.#writing.length - 1; this.#writingMessages > 0; i--) {
      const batch = this.#writing.at(i) as Batch;
      this.#writingMessages -= batch.messages;
      this.queued -= batch.messages;
      batch.messages = 0;
    }
  }

  /** The oldest write has ended. */
  settle(): void {
    const batch = this.#writing.shift();
    if (batch === undefined) return;
    this.#writingMessages -= batch.messages;
    this.queued -= batch.messages;
    for (const segment of batch.segments) if (segment.slab !== undefined) this.#pool.release(segment.slab);
    batch.segments.length = 0;
    batch.messages = 0;
    this.#spare = batch;
    if (this.#slab !== undefined && this.idle) this.#letGo();
  }

  /** The connection is gone: what was being written is lost, its memory left to the collector; what waits, stays. */
  lost(): void {
    this.#writing.clear();
    this.queued -= this.#writingMessages;
    this.#writingMessages = 0;
    this.#slab = undefined;
    this.#tail = undefined;
  }

  /** Moves here what waits in another outbox of the same pool, behind what waits here. */
  adopt(other: Outbox): void {
    this.bytes += other.bytes;
    this.queued += other.queued - other.#writingMessages;
    this.#waitingTopics += other.#waitingTopics;
    for (let segment = other.#waiting.shift(); segment !== undefined; segment = other.#waiting.shift()) {
      this.#waiting.push(segment);
    }
    this.#tail = undefined;
    other.clear();
  }

  /** Drops every message that waits. */
  clear(): void {
    for (;;) {
      const segment = this.#waiting.shift();
      if (segment === undefined) break;
      if (segment.slab !== undefined) this.#pool.release(segment.slab);
    }
    this.#tail = undefined;
    this.queued = this.#writingMessages;
    this.#waitingTopics = 0;
    this.bytes = 0;
    if (this.#slab !== undefined && this.idle) this.#letGo();
  }

  /** Removes the message of `segment` from a batch and from what waits. Returns how much of it was in the batch. */
  #leaveOut(segment: Segment, batch: Batch, parts: Buffer[]): number {
    const { segments } = batch;
    let size = 0;
    while (segments.length > 0 && !(segments.at(-1) as Segment).whole) {
      const before = segments.pop() as Segment;
      parts.pop();
      size += before.end - before.start;
      this.#drop(before);
    }
    let last = segment;
    while (!last.whole) {
      this.#drop(last);
      last = this.#waiting.shift() as Segment;
    }
    this.#drop(last);
    this.queued--;
    this.missing++;
    return size;
  }

  #drop(segment: Segment): void {
    this.bytes -= segment.end - segment.start;
    if (segment.slab !== undefined) this.#pool.release(segment.slab);
  }

  #writeLarge(frames: readonly Uint8Array[], copyLimit: number): void {
    const last = frames.length - 1;
    for (let i = 0; i <= last; i++) {
      const body = frames[i];
      const copied = body.length <= copyLimit;
      // A message starts a segment of its own, so that `nextBatch` can stop before it.
      if (i === 0) this.#tail = undefined;
      const tail = this.#room(LONG_HEADER_BYTES + (copied ? body.length : 0));
      const slab = this.#slab as Slab;
      const start = slab.offset;
      slab.offset = writeHeader(slab.bytes, start, i < last ? FLAG_MORE : 0, body.length);
      if (copied) slab.offset = putBody(slab.bytes, slab.offset, body);
      this.bytes += slab.offset - start + (copied ? 0 : body.length);
      tail.end = slab.offset;
      tail.whole = false;
      if (!copied) {
        this.#append(steady(body), undefined, 0, body.length, 0);
        this.#tail = undefined;
      }
    }
    const end = this.#waiting.last() as Segment;
    end.messages++;
    end.whole = true;
    this.#tail = undefined;
  }

  /** Makes room for `size` octets in the current slab and returns the segment that grows there. */
  #room(size: number): Segment {
    let slab = this.#slab;
    if (slab === undefined || slab.bytes.length - slab.offset < size) {
      if (slab !== undefined) {
        this.#large = true;
        this.#pool.close(slab);
      }
      slab = this.#pool.open(size, this.#large);
      this.#slab = slab;
      this.#tail = undefined;
    }
    if (this.#tail === undefined) this.#tail = this.#append(slab.bytes, slab, slab.offset, slab.offset, 0);
    return this.#tail;
  }

  #append(bytes: Uint8Array, slab: Slab | undefined, start: number, end: number, messages: number): Segment {
    const segment = new Segment(bytes, slab, start, end);
    segment.messages = messages;
    segment.whole = messages > 0;
    if (slab !== undefined) slab.uses++;
    this.#waiting.push(segment);
    return segment;
  }

  #letGo(): void {
    this.#pool.close(this.#slab as Slab);
    this.#slab = undefined;
  }
}

/**
 * The decoder: chunks as the kernel gave them in, whole messages out. It knows the frames of traffic and nothing else.
 *
 * Rules
 * - One explicit loop over the chunk; a frame that spans chunks leaves the loop with its header or its body kept in
 *   fields, and the next chunk begins by finishing it. No recursion, no closure, no object but the body and its array.
 * - Either sink may stop decoding behind what it was given. The rest of the chunk, and every chunk pushed later, stays
 *   raw until `resume()`. Whoever is called may also `close()`; nothing is delivered after that.
 * - A chunk belongs to the decoder from `push()` on: bodies may be views into it.
 *
 * The owner of a body's memory: a view is free but pins all that lies under it, a copy costs time. So
 * - a body lies in its chunk when that pins at most PIN_FACTOR times its size, or when the chunk is no larger than a
 *   page;
 * - any other lies in a *page* with its neighbours: the next octets of the chunk, copied in one go, PAGE_BYTES of them
 *   or PIN_FACTOR times the body that asks for it, whichever is more;
 * - a page with few octets lies in memory that it shares with others of its age, as does a short body that would be
 *   alone in its page, because a long frame follows.
 *
 * Measured by bench/micro/decoder.mjs (two cores, Node 22), a message in chunks that are full: 20 ns for 10 octets, 45
 * for 100, 250 for 1000, 5 µs for 64 KiB. An application that keeps one of each thousand keeps 4.3 KB for each of 10 or
 * 100 octets, and 8.2 KB for one of 1000; with views it would be 64 KiB. One that keeps all of 10 octets keeps 120
 * octets for each, 105 of them objects.
 */
import { EMPTY, keepInThread, LARGEST_BUFFER_BYTES, ownCopy, smallBuffer, View } from "../base/bytes.ts";
import { COMMAND_BYTES, MESSAGE_FRAMES, PAGE_BYTES, PIN_FACTOR, SMALL_BUFFERS_BYTES } from "../base/constants.ts";
import { ProtocolError } from "../base/errors.ts";
import { Backlog } from "./backlog.ts";
import {
  FLAG_COMMAND,
  FLAG_LONG,
  FLAG_MORE,
  FrameSizeError,
  flagsFault,
  LONG_HEADER_BYTES,
  readLongSize,
  SHORT_BODY_BYTES,
  SHORT_HEADER_BYTES,
} from "./frame.ts";
import { GrowingBody } from "./growing-body.ts";

/** Takes messages: a pipe. Must not call `push()` or `resume()` of the decoder. */
export interface Inbox {
  /** Takes a whole message. False: stop decoding behind it, the rest stays raw until `resume()`. */
  push(frames: Buffer[]): boolean;
}

/** Drops messages. */
export const NOWHERE: Inbox = { push: () => true };

/** Takes commands. Must not call `push()` or `resume()` of the decoder. */
export interface CommandSink {
  /**
   * Takes a command's body: a view that is valid during the call only. False: stop decoding behind it, as behind a
   * message. May throw ProtocolError.
   */
  onCommand(body: Buffer): boolean;
}

/** The end of no page: every offset is behind it. */
const NO_PAGE = -1;

/**
 * Pages up to here share memory with others, of which each pins at most PIN_FACTOR times its size. For one message of
 * 1000 octets, or of 10, memory of its own would take twice as long (bench/micro/decoder.mjs: 0.7 and 0.35 µs, `lone`).
 */
const SHARED_PAGE_BYTES = SMALL_BUFFERS_BYTES / PIN_FACTOR;

export class Decoder {
  /** May be replaced at any time. */
  inbox: Inbox = NOWHERE;

  readonly #commands: CommandSink;
  readonly #maxFrameBytes: number;

  #stopped = false;
  #closed = false;
  /** True when the chunk at hand is somebody else's memory as soon as `push` returns. */
  #isBorrowed = false;

  /** Frames of a message whose last frame has not come. */
  #frames: Buffer[] | undefined = undefined;

  /** A header that was cut by the end of a chunk. */
  readonly #head: Uint8Array = new Uint8Array(LONG_HEADER_BYTES);
  #headBytes = 0;

  /** A body that was cut by the end of a chunk. */
  readonly #body: GrowingBody = new GrowingBody();

  /** Chunks that wait while stopped. */
  readonly #backlog: Backlog = new Backlog();

  /** The page of the current chunk: the memory of the chunk's octets `#pageStart` to `#pageEnd`. */
  #page: ArrayBufferLike = EMPTY.buffer;
  #pageStart = 0;
  #pageEnd = NO_PAGE;
  /** Smaller bodies do not go into this page: it would be too much for them to pin. */
  #pageFrom = 0;

  /** @param maxMessageSize octets that a frame's body may have, negative for no limit (ZMQ_MAXMSGSIZE). */
  constructor(commands: CommandSink, maxMessageSize: number) {
    this.#commands = commands;
    this.#maxFrameBytes = maxMessageSize < 0 ? LARGEST_BUFFER_BYTES : Math.min(maxMessageSize, LARGEST_BUFFER_BYTES);
  }

  /** True from a sink's stop until `resume()`. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Octets that wait undecoded while stopped. */
  get backlogBytes(): number {
    return this.#backlog.bytes;
  }

  /**
   * Decodes a chunk, or keeps it while stopped. True when it was decoded to its end.
   * @throws ProtocolError after which the decoder is closed.
   */
  push(chunk: Buffer, isBorrowed = false, from = 0): boolean {
    if (this.#closed) return false;
    this.#isBorrowed = isBorrowed;
    if (this.#stopped) {
      this.#keep(chunk, 0);
      return false;
    }
    const end = chunk.length;
    let offset = from;
    if (this.#body.isOpen) offset = this.#finishBody(chunk, offset);
    else if (this.#headBytes > 0) offset = this.#finishHeader(chunk, offset);
    if (this.#stopped || this.#closed) return this.#leave(chunk, offset);

    const maxFrameBytes = this.#maxFrameBytes;
    if (chunk.buffer.byteLength <= PAGE_BYTES && !this.#isBorrowed) {
      keepInThread(chunk.buffer);
      this.#page = chunk.buffer;
      this.#pageStart = -chunk.byteOffset;
      this.#pageEnd = end;
      this.#pageFrom = 0;
    }
    while (offset < end) {
      const flags = chunk[offset];
      let start = offset + SHORT_HEADER_BYTES;
      let size: number;
      if (flags <= FLAG_MORE && start <= end) {
        size = chunk[offset + 1];
        if (size > maxFrameBytes) this.#checkSize(flags, size);
      } else {
        if ((flags & FLAG_LONG) !== 0) start = offset + LONG_HEADER_BYTES;
        this.#checkFlags(flags);
        if (start > end) {
          this.#keepHeader(chunk, offset);
          break;
        }
        size = (flags & FLAG_LONG) === 0 ? chunk[offset + 1] : readLongSize(chunk, offset + 1);
        this.#checkSize(flags, size);
      }
      const next = start + size;
      if (next > end) {
        this.#beginBody(flags, size, chunk, start);
        break;
      }
      offset = next;
      if (flags > (FLAG_MORE | FLAG_LONG)) {
        this.#deliver(flags, chunk.subarray(start, next));
        if (this.#stopped || this.#closed) return this.#leave(chunk, offset);
        continue;
      }
      const body =
        next <= this.#pageEnd && size >= this.#pageFrom
          ? new View(this.#page, start - this.#pageStart, size)
          : this.#take(chunk, start, size);
      let frames = this.#frames;
      if (frames === undefined) frames = [body];
      else frames.push(body);
      if ((flags & FLAG_MORE) !== 0) {
        this.#frames = frames;
        if (frames.length >= MESSAGE_FRAMES) throw this.#fault("too many frames in a message");
        continue;
      }
      this.#frames = undefined;
      if (!this.inbox.push(frames)) {
        this.#stopped = true;
        return this.#leave(chunk, offset);
      }
      if (this.#closed) return false;
    }
    this.#dropPage();
    return true;
  }

  /** Memory that octets may be read to directly: of a long body that is under way. */
  get target(): Buffer | undefined {
    return this.#stopped ? undefined : this.#body.target;
  }

  /** Takes `count` octets that were read to `target`. */
  filled(count: number): void {
    const body = this.#body;
    try {
      body.filled(count);
    } catch (error) {
      this.close();
      throw error;
    }
    if (body.isComplete) this.#deliver(body.flags, body.take());
  }

  /** Goes on after a stop; true when everything kept was decoded. */
  resume(): boolean {
    if (this.#closed) return false;
    this.#stopped = false;
    this.#isBorrowed = false;
    // Byte streams of the web take memory away from whoever has it, in older versions of Node also what is marked.
    if (this.#page.byteLength === 0) this.#dropPage();
    const backlog = this.#backlog;
    for (let chunk = backlog.shift(); chunk !== undefined; chunk = backlog.shift()) {
      const { offset } = backlog;
      if (chunk.length < offset) throw this.#fault("octets that waited were taken away with a message before them");
      if (!this.push(chunk, false, offset)) return false;
    }
    return true;
  }

  /** Drops everything; nothing is delivered afterwards. */
  close(): void {
    this.#closed = true;
    this.#frames = undefined;
    this.#body.drop();
    this.#backlog.clear();
    this.#dropPage();
  }

  /** Keeps the rest of a chunk in front of those that were kept before, or a whole chunk behind them. */
  #keep(chunk: Buffer, offset: number): void {
    if (chunk.length === offset) return;
    const kept = this.#isBorrowed ? ownCopy(chunk.subarray(offset)) : chunk;
    if (this.#isBorrowed) this.#dropPage();
    if (offset === 0) this.#backlog.push(kept);
    else this.#backlog.putBack(kept, kept === chunk ? offset : 0);
  }

  /** Leaves the loop in mid-chunk. The page stays for what is left of the chunk. */
  #leave(chunk: Buffer, offset: number): boolean {
    if (offset === chunk.length) this.#dropPage();
    if (!this.#closed) this.#keep(chunk, offset);
    return false;
  }

  /** The page lies in the coordinates of one chunk, and is let go with it. */
  #dropPage(): void {
    this.#page = EMPTY.buffer;
    this.#pageEnd = NO_PAGE;
  }

  /** The body of a message that lies in the chunk but in no page. */
  #take(chunk: Buffer, start: number, size: number): Buffer {
    if (size === 0) return EMPTY;
    if (size * PIN_FACTOR >= chunk.buffer.byteLength) {
      const body = chunk.subarray(start, start + size);
      if (this.#isBorrowed) return ownCopy(body);
      keepInThread(chunk.buffer);
      return body;
    }
    const next = start + size;
    // A page would be a copy of 4 KiB of the long frame: 1 µs for a routing id in front of 10 KB
    // (bench/micro/decoder.mjs, `routed`).
    const isAlone = next <= this.#pageEnd || (next < chunk.length && (chunk[next] & FLAG_LONG) !== 0);
    if (size <= SHORT_BODY_BYTES && isAlone) {
      const body = smallBuffer(size);
      for (let i = 0; i < size; i++) body[i] = chunk[start + i];
      return body;
    }
    const pageBytes = Math.min(Math.max(PAGE_BYTES, size * PIN_FACTOR), chunk.length - start);
    this.#pageFrom = pageBytes > PAGE_BYTES ? pageBytes / PIN_FACTOR : 0;
    const isShared = pageBytes <= SHARED_PAGE_BYTES;
    const page = isShared ? smallBuffer(pageBytes) : Buffer.allocUnsafeSlow(pageBytes);
    if (!isShared) keepInThread(page.buffer);
    chunk.copy(page, 0, start, start + pageBytes);
    this.#page = page.buffer;
    this.#pageStart = start - page.byteOffset;
    this.#pageEnd = start + pageBytes;
    return new View(page.buffer, page.byteOffset, size);
  }

  /** Keeps what has come of a header. */
  #keepHeader(chunk: Buffer, offset: number): void {
    this.#headBytes = chunk.length - offset;
    for (let i = 0; i < this.#headBytes; i++) this.#head[i] = chunk[offset + i];
  }

  /** Completes a kept header, and delivers the frame when its body lies in this chunk. Returns the new offset. */
  #finishHeader(chunk: Buffer, from: number): number {
    const head = this.#head;
    let offset = from;
    const needed = (head[0] & FLAG_LONG) === 0 ? SHORT_HEADER_BYTES : LONG_HEADER_BYTES;
    while (this.#headBytes < needed) {
      if (offset === chunk.length) return offset;
      head[this.#headBytes++] = chunk[offset++];
    }
    this.#headBytes = 0;
    const flags = head[0];
    const size = needed === SHORT_HEADER_BYTES ? head[1] : readLongSize(head, 1);
    this.#checkSize(flags, size);
    this.#beginBody(flags, size, chunk, offset);
    return this.#finishBody(chunk, chunk.length < offset + size ? chunk.length : offset + size);
  }

  /** Takes what this chunk has of a body. */
  #beginBody(flags: number, size: number, chunk: Buffer, start: number): void {
    this.#body.begin(flags, size);
    this.#body.fill(chunk, start);
  }

  /** Goes on with a kept body, and delivers its frame when it is complete. Returns the new offset. */
  #finishBody(chunk: Buffer, from: number): number {
    const body = this.#body;
    let offset = from;
    try {
      offset = body.fill(chunk, from);
    } catch (error) {
      this.close();
      throw error;
    }
    if (body.isComplete) this.#deliver(body.flags, body.take());
    return offset;
  }

  /** Delivers a frame outside the fast path. */
  #deliver(flags: number, body: Buffer): void {
    if ((flags & FLAG_COMMAND) !== 0) {
      if (!this.#commands.onCommand(body)) this.#stopped = true;
    } else {
      const frames = this.#frames ?? [];
      frames.push(body);
      if ((flags & FLAG_MORE) !== 0) {
        this.#frames = frames;
        if (frames.length >= MESSAGE_FRAMES) throw this.#fault("too many frames in a message");
        return;
      }
      this.#frames = undefined;
      if (!this.inbox.push(frames)) this.#stopped = true;
    }
  }

  #checkFlags(flags: number): void {
    const detail = flagsFault(flags);
    if (detail !== undefined) throw this.#fault(detail);
  }

  #checkSize(flags: number, size: number): void {
    let limit = this.#maxFrameBytes;
    if ((flags & FLAG_COMMAND) !== 0) limit = Math.min(limit, COMMAND_BYTES);
    if (size > limit) {
      this.close();
      throw new FrameSizeError("ERR_ZMTP_UNSPECIFIED", `a frame of ${size} octets, the limit is ${limit}`);
    }
  }

  /** Makes the error for bad framing and closes the decoder: what follows in the stream means nothing. */
  #fault(detail: string): ProtocolError {
    this.close();
    return new ProtocolError("ERR_ZMTP_UNSPECIFIED", detail);
  }
}

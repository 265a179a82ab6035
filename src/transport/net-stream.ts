/**
 * One byte stream to one peer: a thin adapter over `net.Socket`, the same for tcp and ipc.
 *
 * Rules:
 * - A stream never keeps the process alive; whoever waits for something does that on its own account.
 * - `onEnd` is called exactly once, whoever closed and why, and after it nothing else is.
 * - Bytes that came before the peer's FIN are delivered before `onEnd`, also when the stream was paused in between.
 *   So must `onData` bear being called while paused: what Node had read before a fault comes then, just before `onEnd`.
 * - A failed write does not end the stream, only reading does. A peer that sent, closed and is then answered resets the
 *   connection, and Node would throw away what it had sent, which may be megabytes in the kernel. From the failure on
 *   the stream takes no writes, as if the peer read nothing, until its bytes are read to their end.
 * - The peer's FIN ends the stream in both directions: ZMTP has no half-closed state.
 * - The listeners are shared functions that find their stream through the socket, so that an idle connection does not
 *   pay for closures of its own.
 */

import { Socket as NetSocket } from "node:net";
import { END_WAIT_MS } from "../base/constants.ts";
import { clearTimeout, isTickFaked, queueMicrotask, setTimeout } from "../loop/clock.ts";
import { type HeldRequest, HeldRequests } from "../loop/pending-requests.ts";
import { formatHostPort } from "./endpoint.ts";
import { type DirectReader, READER, SHARED } from "./reading.ts";
import { type Chunks, type WriteCallback, writeMany, writeOne } from "./writing.ts";

/** Takes what comes on a stream, and hears of its end. */
export interface StreamHandler {
  /**
   * Takes bytes of the peer, split anywhere. The chunk belongs to the handler, or is borrowed: then it is valid during
   * the call only.
   */
  onData(chunk: Buffer, isBorrowed: boolean): void;
  /** Memory that the next bytes may be read to directly, without a chunk; `onFilled` then tells how many were. */
  readonly target?: Buffer | undefined;
  onFilled?(count: number): void;
  /** Hears that the kernel has taken everything, after a `write` that it did not take at once. */
  onFlushed(): void;
  /**
   * Hears that the stream is gone; once, the last call. Without an error when the peer or this side closed in order.
   */
  onEnd(error?: Error): void;
}

/** Starts a timer that does not keep the process alive: those of this folder are all made here. */
export function timer(milliseconds: number, fire: () => void): NodeJS.Timeout {
  return setTimeout(fire, milliseconds).unref();
}

/** Connects and writes under way in the whole process. */
export const heldRequests: HeldRequests = new HeldRequests(timer);

const SILENT: StreamHandler = { onData() {}, onFlushed() {}, onEnd() {} };

/** The last view of what was read, kept for the next: answers to like requests are alike in length. */
let lent: Buffer = SHARED;

/** The property by which a socket carries its stream. */
const STREAM = Symbol("stream");

interface StreamSocket extends NetSocket {
  [STREAM]?: NetStream;
  [READER]?: DirectReader | undefined;
}

const OPEN = 0;
/** Our FIN is queued; what still comes in is thrown away. */
const ENDING = 1;
const GONE = 2;

// The listeners at the end of the file reach a stream's private parts by these.
let deliver: (stream: NetStream, chunk: Buffer, isBorrowed: boolean) => void;
let awaitFin: (stream: NetStream) => void;
let finish: (stream: NetStream, error?: Error) => void;
/** Notes that a write failed. True when the stream goes on reading. */
let breaks: (stream: NetStream, error: NodeJS.ErrnoException) => boolean;

export class NetStream implements HeldRequest, DirectReader {
  readonly holdsData = true;
  /** May be replaced at any time. */
  handler: StreamHandler;
  readonly #socket: StreamSocket;
  readonly #path: string | undefined;
  #state = OPEN;
  /** True while the kernel has not taken all of the last write. */
  #blocked = false;
  /** Set when the peer takes nothing any more: the error that showed it. */
  #broken: Error | undefined;
  #done: (() => void) | undefined;
  #callback: ((error?: Error | null) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Takes over a connected socket.
   * @param path the endpoint's text when it is an ipc stream
   */
  constructor(socket: NetSocket, handler: StreamHandler = SILENT, path?: string) {
    this.handler = handler;
    this.#socket = socket;
    this.#path = path;
    this.#socket[STREAM] = this;
    this.#socket[READER] = this;
    socket.unref();
    socket.on("error", onError);
    socket.on("end", onEnd);
    socket.on("close", onClose);
    socket.on("data", onData);
    this.#socket._write = onWrite;
    this.#socket._writev = onWriteMany;
    this.#socket._destroy = destroyOne;
    this.#socket.push = pushOne;
  }

  /**
   * Hands bytes to the kernel, or queues what it does not take. Several parts leave with one system call.
   * @param done called once, later, when the memory of all parts may be used again (also if the stream broke)
   */
  write(parts: Buffer | readonly Buffer[], done?: () => void): void {
    const socket = this.#socket;
    const last = Array.isArray(parts) ? parts.length - 1 : 0;
    if (this.#state !== OPEN || last < 0 || this.#broken !== undefined) {
      if (done !== undefined) queueMicrotask(done);
      return;
    }
    const callback = done === this.#done && this.#callback !== undefined ? this.#callback : this.#callbackFor(done);
    if (!Array.isArray(parts)) {
      socket.write(parts as Buffer, callback);
    } else if (last === 0) {
      socket.write(parts[0], callback);
    } else {
      socket.cork();
      for (let i = 0; i < last; i++) socket.write(parts[i]);
      socket.write(parts[last], callback);
      socket.uncork();
    }
    if (socket.writableLength > 0 && !this.#blocked) {
      this.#blocked = true;
      heldRequests.add(this);
    }
  }

  /** Callers pass the same `done` again and again, so its wrapper is kept. */
  #callbackFor(done: (() => void) | undefined): (error?: Error | null) => void {
    const callback = (error?: Error | null): void => {
      if (done !== undefined) done();
      if (this.#blocked && !error && this.#state === OPEN && this.queuedBytes === 0) {
        this.#blocked = false;
        heldRequests.delete(this);
        this.handler.onFlushed();
      }
    };
    this.#done = done;
    this.#callback = callback;
    return callback;
  }

  /** Bytes that were written and that the kernel has not taken yet; never 0 while the peer takes nothing any more. */
  get queuedBytes(): number {
    const { writableLength } = this.#socket;
    return writableLength === 0 && this.#broken !== undefined && this.#state === OPEN ? 1 : writableLength;
  }

  /** Stops reading; a chunk or two that Node has read already stays with the socket until `resume`. */
  pause(): void {
    if (this.#state === OPEN) this.#socket.pause();
  }

  resume(): void {
    if (this.#state === OPEN) this.#socket.resume();
  }

  /**
   * Sends everything that was written, then FIN, and closes when the peer's FIN comes, or END_WAIT_MS after ours. What
   * the peer sends meanwhile is read and thrown away: closing over unread bytes would reset the connection, and the
   * peer could lose what was just sent. A peer that takes nothing is waited for without limit: `destroy` is for that.
   */
  end(): void {
    if (this.#state !== OPEN) return;
    this.#state = ENDING;
    this.#socket.once("finish", onFinish);
    this.#socket.end();
    this.#socket.resume();
  }

  /** Closes at once; what was queued is dropped. `onEnd` follows. */
  destroy(): void {
    if (this.#state === GONE) return;
    this.#state = ENDING;
    this.#socket.destroy();
  }

  /** Takes what was read: Node calls it, by way of `reading.ts`. */
  readInto(count: number, isShared: boolean): Buffer | undefined {
    if (this.#state !== OPEN) return undefined;
    const { handler } = this;
    if (isShared) {
      if (lent.length !== count) lent = SHARED.subarray(0, count);
      handler.onData(lent, true);
    } else handler.onFilled?.(count);
    return this.handler.target;
  }

  /** Ends: nothing but such streams keeps the process alive, and nobody waits for them. */
  giveUp(): void {
    this.destroy();
  }

  /** This end, as an endpoint: `tcp://127.0.0.1:5555`; "" when the stream is gone. */
  get localAddress(): string {
    if (this.#path !== undefined) return this.#path;
    const { localAddress, localPort } = this.#socket;
    return localAddress === undefined ? "" : `tcp://${formatHostPort(localAddress, localPort as number)}`;
  }

  /** The peer's IP address without its port (`::ffff:a.b.c.d` on a dual-stack socket), `localhost` for ipc. */
  get peerAddress(): string {
    if (this.#path !== undefined) return "localhost";
    return this.#socket.remoteAddress ?? "";
  }

  static {
    deliver = (stream, chunk, isBorrowed) => {
      if (stream.#state === OPEN) stream.handler.onData(chunk, isBorrowed);
    };
    awaitFin = (stream) => {
      if (stream.#state !== ENDING) return;
      stream.#timer = timer(END_WAIT_MS, () => stream.#socket.destroy());
    };
    finish = (stream, error) => stream.#over(error);
    breaks = (stream, error) => {
      if (stream.#state !== OPEN || (error.code !== "EPIPE" && error.code !== "ECONNRESET")) return false;
      stream.#broken = error;
      return true;
    };
  }

  /** Ends the stream, by whatever way, once. A fault after `end` or `destroy` is not told. */
  #over(error: Error | undefined): void {
    if (this.#state === GONE) return;
    const { handler } = this;
    const reason = this.#state === OPEN ? (error ?? this.#broken) : undefined;
    if (error !== undefined && reason !== undefined) this.#deliverRest();
    this.#state = GONE;
    heldRequests.delete(this);
    clearTimeout(this.#timer);
    this.handler = SILENT;
    this.#done = this.#callback = this.#timer = undefined;
    // `error` stays: a socket may report one after it was closed.
    this.#socket.off("data", onData).off("end", onEnd).off("finish", onFinish);
    this.#socket.destroy();
    handler.onEnd(reason);
  }

  /**
   * Delivers bytes that Node has held since a pause, and that came before a fault: it emits no `data` for a broken
   * socket.
   */
  #deliverRest(): void {
    const socket = this.#socket.off("data", onData);
    for (let rest = socket.read(); rest !== null && this.#state === OPEN; rest = socket.read())
      this.handler.onData(rest, false);
  }
}

function onData(this: StreamSocket, chunk: Buffer): void {
  deliver(this[STREAM] as NetStream, chunk, false);
}

function onFinish(this: StreamSocket): void {
  if (this[STREAM] !== undefined) awaitFin(this[STREAM]);
}

function onEnd(this: StreamSocket): void {
  if (this[STREAM] !== undefined) finish(this[STREAM]);
}

function onError(this: StreamSocket, error: Error): void {
  if (this[STREAM] !== undefined) finish(this[STREAM], error);
}

function onClose(this: StreamSocket): void {
  if (this[STREAM] === undefined) return;
  finish(this[STREAM]);
  this.off("close", onClose);
  this[STREAM] = undefined;
  this[READER] = undefined;
}

// Node's hooks for those who implement a stream, in front of the socket's own. The two that tell of an end are here
// since Node's events come by `process.nextTick`: while a test fakes that, they do not come at all.

function destroyOne(this: StreamSocket, error: Error | null, callback: (error?: Error | null) => void): void {
  const stream = this[STREAM];
  NetSocket.prototype._destroy.call(this, error, callback);
  if (stream !== undefined && isTickFaked()) queueMicrotask(() => finish(stream, error ?? undefined));
}

function pushOne(this: StreamSocket, chunk: unknown, encoding?: BufferEncoding): boolean {
  const goesOn = NetSocket.prototype.push.call(this, chunk, encoding);
  const stream = this[STREAM];
  if (chunk === null && stream !== undefined && this.readableLength === 0 && isTickFaked()) {
    queueMicrotask(() => finish(stream));
  }
  return goesOn;
}

function onWrite(this: StreamSocket, chunk: Buffer, _encoding: BufferEncoding, callback: WriteCallback): void {
  writeOne(this, chunk, forgiving(this, callback));
}

function onWriteMany(this: StreamSocket, chunks: Chunks, callback: WriteCallback): void {
  writeMany(this, chunks, forgiving(this, callback));
}

function forgiving(socket: StreamSocket, callback: WriteCallback): WriteCallback {
  return (error) => {
    const stream = socket[STREAM];
    if (error && stream !== undefined && breaks(stream, error)) callback();
    else callback(error);
  };
}

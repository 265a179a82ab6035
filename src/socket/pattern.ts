/**
 * A pattern is what a socket type does with its pipes: who gets a message, whose message is received, what is wrapped
 * around it. Each type is one small class in a file of its own, made of the routing classes; this is what they share.
 *
 * `send` and `receive` never wait: they say that it did not work now, and the pattern wakes the socket's sender or
 * receiver when it might.
 */

import { MESSAGE_FRAMES } from "../base/constants.ts";
import { type ErrnoError, type ErrorCode, invalid } from "../base/errors.ts";
import type { EventSink } from "../base/events.ts";
import type { SlabPool } from "../codec/slab-pool.ts";
import type { Flushable, Turn } from "../loop/turn.ts";
import type { OptionValues } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { Rotation } from "../routing/rotation.ts";
import type { Newcomer, SessionPattern } from "../session/socket-side.ts";

/** The socket, as its pattern sees it. */
export interface PatternSocket {
  readonly options: OptionValues;
  readonly pool: SlabPool;
  readonly events?: EventSink;
  /** Calls `endTurn` when this turn of the event loop ends. */
  schedule(item: Flushable): void;
  /** Hands a message to a receive() that waits. False: nobody waits. */
  readonly receiver: { hand(frames: Buffer[]): boolean };
  /** A receive() that waits may succeed now. */
  wakeReceiver(): void;
  /** A send() that waits may succeed now. */
  wakeSender(): void;
  /** A send() that waits cannot succeed any more. */
  rejectSender(code: ErrorCode): void;
}

/** The socket, as its sender and its receiver see it. */
export interface OperationSocket {
  readonly options: OptionValues;
  readonly context: { readonly turn: Turn };
  readonly isClosed: boolean;
  /** @throws ErrnoError EBADF when closed, EBUSY when blocked */
  assertOpen(): void;
  /** An operation waits, and keeps the process alive until `release`. */
  hold(): void;
  release(): void;
}

/** Common ground: no peer, nothing to send or receive. */
export abstract class Pattern implements SessionPattern {
  protected readonly socket: PatternSocket;
  readonly refills: boolean = false;
  readonly knowsPeers: boolean = false;
  /** The pipe of the message that was received last. */
  last: Pipe | undefined;

  constructor(socket: PatternSocket) {
    this.socket = socket;
  }

  get refusal(): ErrnoError | undefined {
    return undefined;
  }

  /**
   * Frames that a message to be sent may have: with those that the type puts before it, MESSAGE_FRAMES go out. Whoever
   * calls `send` looks here first, so that what no peer would accept changes nothing.
   */
  get frameLimit(): number {
    return MESSAGE_FRAMES;
  }

  /** Goes on without the message that was received last, or was to be sent: a proxy has dropped it. */
  skip(): void {}

  /** Sends a message now. False: it has to wait. */
  send(_frames: Uint8Array[]): boolean {
    return false;
  }

  /** Receives the next message; `undefined` when there is none. */
  receive(): Buffer[] | undefined {
    return undefined;
  }

  /** True when a send would succeed now. */
  get canSend(): boolean {
    return false;
  }

  /** True when a receive would succeed now. */
  get canReceive(): boolean {
    return false;
  }

  /** The error of a send that waited too long. */
  get sendFault(): ErrorCode {
    return "EAGAIN";
  }

  /** The error of a send that need not wait; `undefined`: it may work later. */
  get sendRefusal(): ErrorCode | undefined {
    return undefined;
  }

  /** True when a receive that waits now waits for the answer to what this socket has just asked. */
  get awaitsAnswer(): boolean {
    return false;
  }

  /** The error of a receive that waited too long. */
  get receiveFault(): ErrorCode {
    return "EAGAIN";
  }

  /** An id is given to a new connection. @throws ErrnoError EADDRINUSE */
  reserve(_id: Buffer): void {}

  /** That connection was given up, and its id may be another's. */
  release(_id: Buffer): void {}

  /** The number of distinct topics that are subscribed to, here or by peers. */
  get topicsCount(): number {
    return 0;
  }

  /** Subscribes or unsubscribes. @throws ErrnoError EINVAL where there are no topics */
  setTopic(_topic: Buffer, _subscribe: boolean): void {
    throw invalid("only sockets that subscribe, and a manual XPUB, have topics to set");
  }

  /** The socket was closed. */
  close(): void {}

  abstract attach(pipe: Pipe): void;
  abstract ended(pipe: Pipe): void;

  deliver(_pipe: Pipe, _frames: Buffer[]): boolean {
    return true;
  }

  readable(_pipe: Pipe): void {}

  writable(_pipe: Pipe): void {}

  subscription(_pipe: Pipe, _topic: Buffer, _subscribe: boolean): void {}

  expect(): Newcomer | undefined {
    return undefined;
  }

  connected(_pipe: Pipe): void {}

  disconnected(_pipe: Pipe): void {}
}

/** Drops what waits in the pipes of a rotation. */
export function discardAll(rotation: Rotation<Pipe>): void {
  for (let pipe = rotation.next(); pipe !== undefined; pipe = rotation.next()) {
    pipe.discard();
    rotation.leave(pipe.receiving);
  }
}

/**
 * Receives from the peers that have a message, round robin, one whole message each (libzmq's fq): what every type that
 * receives does (PULL, DEALER, SUB, ROUTER, REP…). A peer that has run empty leaves, and comes back at the end with its
 * next message.
 */
export abstract class ReceivingPattern extends Pattern {
  /** The pipes that have a message. */
  readonly #readable = new Rotation<Pipe>();

  override receive(): Buffer[] | undefined {
    for (;;) {
      const pipe = this.#readable.next();
      if (pipe === undefined) return undefined;
      const frames = pipe.pull();
      if (pipe.waiting === 0) this.#readable.leave(pipe.receiving);
      if (frames === undefined) continue;
      this.last = pipe;
      return frames;
    }
  }

  override get canReceive(): boolean {
    return this.#readable.peek() !== undefined;
  }

  override deliver(pipe: Pipe, frames: Buffer[]): boolean {
    if (!this.socket.receiver.hand(frames)) return false;
    this.last = pipe;
    return true;
  }

  override readable(pipe: Pipe): void {
    this.#readable.join(pipe.receiving);
    this.socket.wakeReceiver();
  }

  /** Keeps what the peer has sent: it can still be read. */
  override ended(pipe: Pipe): void {
    if (pipe.waiting === 0) this.#readable.leave(pipe.receiving);
  }

  /** Drops what nobody has read. */
  override close(): void {
    discardAll(this.#readable);
  }
}

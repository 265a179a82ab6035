/**
 * The receiving half of a socket: one `receive()` at a time. A message that is here resolves it at once; otherwise it
 * waits, for `receiveTimeout` at the longest, and the next message goes to it directly, without passing through a
 * queue.
 */

import { errnoError } from "../base/errors.ts";
import { clearTimeout, queueMicrotask, setTimeout } from "../loop/clock.ts";
import type { OperationSocket, Pattern } from "./pattern.ts";

const BUSY = "Socket is busy reading; only one receive operation may be in progress at any time";

/** A receive that waits. */
interface PendingReceive {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  /** The number of messages to collect at once, 0 for receive(). */
  readonly many: number;
  /** For iteration: the message is wrapped, and closing is the end. */
  readonly iterates: boolean;
  timer: NodeJS.Timeout | undefined;
  isWoken: boolean;
  /** True when it waits for the answer to what its own socket has asked. */
  readonly awaitsAnswer: boolean;
  /** Keeps the user's socket from being collected meanwhile. */
  readonly user: object;
}

export class Receiver {
  readonly #core: OperationSocket;
  readonly #pattern: Pattern;
  #pending: PendingReceive | undefined;
  /** The pattern looks for a message at this moment; what it wakes meanwhile must not look too. */
  #isWaking = false;

  constructor(core: OperationSocket, pattern: Pattern) {
    this.#core = core;
    this.#pattern = pattern;
  }

  receive(user: object): Promise<Buffer[]> {
    this.#check();
    const frames = this.#pattern.receive();
    if (frames === undefined) return this.#wait(0, false, user);
    return this.#core.context.turn.allows() ? Promise.resolve(frames) : this.#core.context.turn.later(frames);
  }

  receiveMany(max: number, user: object): Promise<Buffer[][]> {
    this.#check();
    const { turn } = this.#core.context;
    if (!turn.allows() && this.#pattern.canReceive) {
      const promise = this.#suspend<Buffer[][]>(max, false, user);
      this.#collectLater(this.#pending as PendingReceive);
      return promise;
    }
    const messages = this.#collect(max);
    if (messages.length === 0) return this.#wait(max, false, user);
    turn.count(messages.length);
    return Promise.resolve(messages);
  }

  /** One step of `for await`. */
  next(user: object): Promise<IteratorResult<Buffer[], undefined>> {
    if (this.#core.isClosed) return Promise.resolve({ value: undefined, done: true });
    // An iterator's steps reject; only receive() throws.
    try {
      this.#check();
    } catch (error) {
      return Promise.reject(error);
    }
    const frames = this.#pattern.receive();
    if (frames === undefined) return this.#wait(0, true, user);
    const step = { value: frames, done: false as const };
    return this.#core.context.turn.allows() ? Promise.resolve(step) : this.#core.context.turn.later(step);
  }

  /** True while a receive waits. */
  get isWaiting(): boolean {
    return this.#pending !== undefined;
  }

  /** Gives a message to a receive that waits. False: nobody does, or not for a single one. */
  hand(frames: Buffer[]): boolean {
    const pending = this.#pending;
    if (pending === undefined || pending.many !== 0 || this.#isWaking) return false;
    this.#finish(pending);
    const value = (pending.iterates ? { value: frames, done: false } : frames) as never;
    const { turn } = this.#core.context;
    if (turn.allows()) pending.resolve(value);
    else turn.later(value).then(pending.resolve);
    return true;
  }

  /** A receive that waits may succeed now. */
  wake(): void {
    const pending = this.#pending;
    if (pending === undefined || this.#isWaking) return;
    if (pending.many === 0) {
      this.#isWaking = true;
      const frames = this.#pattern.receive();
      this.#isWaking = false;
      if (frames !== undefined) this.hand(frames);
    } else if (!pending.isWoken) {
      // More of the same chunk is about to arrive: collect it all.
      pending.isWoken = true;
      queueMicrotask(() => this.#resolveMany(pending));
    }
  }

  /** The socket closes. */
  close(): void {
    if (this.#pending !== undefined) this.#fail(this.#pending, true);
  }

  #check(): void {
    this.#core.assertOpen();
    if (this.#pending !== undefined) throw errnoError("EBUSY", undefined, BUSY);
  }

  #wait<T>(many: number, iterates: boolean, user: object): Promise<T> {
    if (this.#core.options.receiveTimeout === 0) return Promise.reject(errnoError(this.#pattern.receiveFault));
    return this.#suspend(many, iterates, user);
  }

  #suspend<T>(many: number, iterates: boolean, user: object): Promise<T> {
    const { context, options } = this.#core;
    return new Promise<T>((resolve, reject) => {
      const pending: PendingReceive = {
        resolve,
        reject,
        many,
        iterates,
        timer: undefined,
        isWoken: false,
        awaitsAnswer: this.#pattern.awaitsAnswer,
        user,
      };
      const timeout = options.receiveTimeout;
      if (timeout > 0) pending.timer = setTimeout(() => this.#expire(pending), timeout);
      this.#pending = pending;
      this.#core.hold();
      context.turn.pendingReceives++;
      if (pending.awaitsAnswer) context.turn.expectAnswer();
    });
  }

  #collect(max: number): Buffer[][] {
    const messages: Buffer[][] = [];
    while (messages.length < max) {
      const frames = this.#pattern.receive();
      if (frames === undefined) break;
      messages.push(frames);
    }
    return messages;
  }

  #resolveMany(pending: PendingReceive): void {
    if (this.#pending !== pending) return;
    const { turn } = this.#core.context;
    if (!turn.allows()) {
      this.#collectLater(pending);
      return;
    }
    pending.isWoken = false;
    // The message may have gone with its peer meanwhile.
    if (!this.#settleMany(pending) && this.#core.options.receiveTimeout === 0) this.#fail(pending, false);
  }

  /** False: nothing is here. */
  #settleMany(pending: PendingReceive): boolean {
    const messages = this.#collect(pending.many);
    if (messages.length === 0) return false;
    this.#core.context.turn.count(messages.length);
    this.#finish(pending);
    pending.resolve(messages as never);
    return true;
  }

  /** The time is up. What was put off is here all the same. */
  #expire(pending: PendingReceive): void {
    if (pending.many === 0 || !this.#settleMany(pending)) this.#fail(pending, false);
  }

  /**
   * Leaves messages beyond the budget of this turn in their pipes, undecoded where possible: decoded for many sockets
   * they would fill the heap.
   */
  #collectLater(pending: PendingReceive): void {
    pending.isWoken = true;
    this.#core.context.turn.afterwards(() => this.#resolveMany(pending));
  }

  #fail(pending: PendingReceive, closing: boolean): void {
    this.#finish(pending);
    const code = this.#pattern.receiveFault;
    if (pending.iterates && closing && code === "EAGAIN") {
      pending.resolve({ value: undefined, done: true } as never);
    } else pending.reject(errnoError(code));
  }

  #finish(pending: PendingReceive): void {
    if (pending.timer !== undefined) clearTimeout(pending.timer);
    this.#pending = undefined;
    const { context } = this.#core;
    this.#core.release();
    context.turn.pendingReceives--;
    if (pending.awaitsAnswer) context.turn.pendingAnswers--;
  }
}

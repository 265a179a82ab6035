/**
 * Sends for a socket of `zmtp/v5-compat`: a queue without a limit in front of the socket's own, since `send`
 * here never waits and never refuses. A message goes on at once when a peer can take it; the rest goes in order, as
 * peers can.
 *
 * Outcomes, a callback or an error nobody has a callback for, are told from a microtask, in the order of the messages.
 * One microtask tells those that were there when it began, and not too many follow each other in a turn of the event
 * loop, so that a program whose callbacks send again does not keep its own input from being read.
 */
import { isMissing } from "../base/bytes.ts";
import { missingMemory } from "../base/errors.ts";
import { Ring } from "../base/ring.ts";
import { queueMicrotask } from "../loop/clock.ts";
import type { SocketCore } from "../socket/core.ts";
import type { Writable } from "../socket/duplex.ts";
import { keep, toFrames, tooManyFrames } from "../socket/message.ts";

/** Told when an operation has ended, with the error when it failed. */
export type Callback = (error?: Error) => void;

/** The sockets that can send. */
export type Sender = Pick<Writable, "send">;

interface Queued {
  frames: readonly unknown[];
  readonly callback: Callback | undefined;
  /** It waits: its frames are octets by now, and must not change. */
  isKept: boolean;
}

/** Keeps a message as it is at this moment. What cannot be sent is refused when its turn comes. */
function hold(message: Queued): void {
  try {
    message.frames = toFrames(message.frames).map(keep);
    message.isKept = true;
  } catch {
    // It is found again.
  }
}

interface Outcome {
  readonly callback: Callback | undefined;
  readonly error: Error | undefined;
}

export class Outgoing {
  readonly #core: SocketCore;
  readonly #socket: Sender | undefined;
  /** Tells an error that no callback takes. */
  readonly #report: (error: Error) => void;
  readonly #queue = new Ring<Queued>();
  readonly #outcomes = new Ring<Outcome>();
  #isPaused = false;
  /** A message waits for a peer inside the socket. */
  #isWaiting = false;
  #isTelling = false;

  constructor(core: SocketCore, socket: Sender | undefined, report: (error: Error) => void) {
    this.#core = core;
    this.#socket = socket;
    this.#report = report;
  }

  add(frames: readonly unknown[], callback: Callback | undefined): void {
    if (this.#core.isClosed) return;
    const message: Queued = { frames, callback, isKept: false };
    this.#queue.push(message);
    this.advance();
    if (this.#queue.last() === message) hold(message);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.advance();
  }

  /** Sends what can be sent. Called again when the socket is no longer blocked by a bind. */
  advance(): void {
    const core = this.#core;
    while (!(this.#isPaused || this.#isWaiting || core.isClosed || core.isBlocked)) {
      const message = this.#queue.shift();
      if (message === undefined) return;
      try {
        this.#send(message);
      } catch (error) {
        this.#settle(message.callback, error as Error);
      }
    }
  }

  /** The socket is closed. Only the message at hand fails; nobody is told of those behind it, as in version 5. */
  end(): void {
    this.#queue.clear();
  }

  #send({ frames, callback, isKept }: Queued): void {
    if (this.#socket === undefined) throw new Error("Cannot send on this socket type.");
    const body = toFrames(frames);
    if (isKept && isMissing(body)) throw missingMemory();
    const limit = this.#core.pattern.frameLimit;
    if (body.length > limit) throw tooManyFrames(body.length, limit);
    if (body.length === 0 || this.#core.pattern.send(body)) {
      if (callback !== undefined) this.#settle(callback, undefined);
      return;
    }
    this.#isWaiting = true;
    const settled = (error?: Error): void => {
      this.#isWaiting = false;
      if (callback !== undefined || error !== undefined) this.#settle(callback, error);
      this.advance();
    };
    this.#socket.send(body).then(() => settled(), settled);
  }

  #settle(callback: Callback | undefined, error: Error | undefined): void {
    this.#outcomes.push({ callback, error });
    if (!this.#isTelling) this.#schedule();
  }

  #schedule(): void {
    this.#isTelling = true;
    const { turn } = this.#core.context;
    if (turn.allows()) queueMicrotask(this.#tell);
    else void turn.later(undefined).then(this.#tell);
  }

  readonly #tell = (): void => {
    let left = this.#outcomes.length;
    try {
      while (left-- > 0) {
        const { callback, error } = this.#outcomes.shift() as Outcome;
        if (error === undefined) callback?.();
        else if (callback !== undefined) callback(error);
        else this.#report(error);
      }
    } finally {
      // The process handles what a callback threw; the others are told nevertheless.
      if (this.#outcomes.length > 0) this.#schedule();
      else this.#isTelling = false;
    }
  };
}

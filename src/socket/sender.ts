/**
 * The sending half of a socket: one `send()` at a time, which resolves at once when the pattern accepted the message
 * and otherwise waits until it can, for `sendTimeout` at the longest.
 */
import { isMissing } from "../base/bytes.ts";
import { type ErrnoError, type ErrorCode, errnoError, missingMemory } from "../base/errors.ts";
import { clearTimeout, setTimeout } from "../loop/clock.ts";
import { keep, missing, toFrames, tooManyFrames } from "./message.ts";
import type { OperationSocket, Pattern } from "./pattern.ts";

/** The answer to a send that did not have to wait. */
const SENT: Promise<void> = Promise.resolve();

function busy(): ErrnoError {
  return errnoError(
    "EBUSY",
    undefined,
    "Socket is busy writing; only one send operation may be in progress at any time",
  );
}

/** A send that waits. */
interface PendingSend {
  frames: Uint8Array[];
  /** The messages behind it, for sendMany. */
  readonly rest: Iterator<unknown> | undefined;
  /** Messages accepted so far. */
  sent: number;
  /** With the number of messages for sendMany, without anything for send. */
  readonly resolve: (sent: number | undefined) => void;
  readonly reject: (error: Error) => void;
  timer: NodeJS.Timeout | undefined;
  /** Keeps the user's socket from being collected meanwhile. */
  readonly user: object;
}

/** The state of a batch that stopped. */
interface Advanced {
  readonly sent: number;
  /** The message that has to wait. */
  readonly blocked: Uint8Array[] | undefined;
  /** The error of the next message, which cannot be sent at all. */
  readonly fault: ErrnoError | undefined;
}

export class Sender {
  readonly #core: OperationSocket;
  readonly #pattern: Pattern;
  #pending: PendingSend | undefined;
  /** The pattern has the message that waits at this moment; what it wakes meanwhile must not send it again. */
  #isWaking = false;

  constructor(core: OperationSocket, pattern: Pattern) {
    this.#core = core;
    this.#pattern = pattern;
  }

  send(message: unknown, user: object): Promise<void> {
    // Faults of the call come before those of the socket.
    if (message === undefined) throw missing();
    this.#core.assertOpen();
    if (this.#pending !== undefined) throw busy();
    const frames = toFrames(message);
    if (frames.length === 0) return SENT;
    const limit = this.#pattern.frameLimit;
    if (frames.length > limit) return Promise.reject(tooManyFrames(frames.length, limit));
    if (this.#pattern.send(frames))
      return this.#core.context.turn.allows() ? SENT : this.#core.context.turn.later(undefined);
    return this.#wait(frames, undefined, 0, user);
  }

  sendMany(messages: Iterable<unknown>, user: object): Promise<number> {
    this.#core.assertOpen();
    if (this.#pending !== undefined) throw busy();
    const rest = messages[Symbol.iterator]();
    const { sent, blocked, fault } = this.#advance(rest, 0);
    if (fault !== undefined) return sent > 0 ? Promise.resolve(sent) : Promise.reject(fault);
    if (blocked !== undefined) return this.#wait(blocked, rest, sent, user);
    return this.#core.context.turn.allowsMany(sent) ? Promise.resolve(sent) : this.#core.context.turn.later(sent);
  }

  /** A send that waits may succeed now. */
  wake(): void {
    const pending = this.#pending;
    if (pending === undefined || this.#isWaking) return;
    this.#isWaking = true;
    this.#goOn(pending);
    this.#isWaking = false;
  }

  #goOn(pending: PendingSend): void {
    let { sent } = pending;
    // The way back of a request may have come since, and the memory may have gone.
    const fault = this.#fault(pending.frames) ?? (isMissing(pending.frames) ? missingMemory() : undefined);
    if (fault !== undefined) {
      this.#fail(pending, fault);
      return;
    }
    if (!this.#pattern.send(pending.frames)) {
      this.#giveUp(pending);
      return;
    }
    sent++;
    if (pending.rest !== undefined) {
      let advanced: Advanced;
      try {
        advanced = this.#advance(pending.rest, sent);
      } catch (error) {
        // Closing the socket has settled it already.
        if (this.#pending !== pending) return;
        this.#finish(pending);
        pending.reject(error as Error);
        return;
      }
      pending.sent = advanced.sent;
      if (advanced.fault !== undefined) {
        this.#fail(pending, advanced.fault);
        return;
      }
      if (advanced.blocked !== undefined) {
        pending.frames = advanced.blocked.map(keep);
        this.#giveUp(pending);
        return;
      }
      sent = advanced.sent;
    }
    this.#finish(pending);
    const result = pending.rest === undefined ? undefined : sent;
    if (this.#core.context.turn.allows()) pending.resolve(result);
    else this.#core.context.turn.later(result).then(pending.resolve);
  }

  /** The socket closes. */
  close(): void {
    this.reject(this.#pattern.sendFault);
  }

  /** A send that waits cannot succeed any more. */
  reject(code: ErrorCode): void {
    if (this.#pending !== undefined) this.#fail(this.#pending, errnoError(code));
  }

  /** The error of a message that no peer would accept. */
  #fault(frames: Uint8Array[]): ErrnoError | undefined {
    const limit = this.#pattern.frameLimit;
    return frames.length > limit ? tooManyFrames(frames.length, limit) : undefined;
  }

  /** Sends from `rest` until something has to wait, or cannot be sent. */
  #advance(rest: Iterator<unknown>, already: number): Advanced {
    let sent = already;
    for (;;) {
      const step = rest.next();
      if (this.#core.isClosed) throw errnoError("EBADF");
      if (step.done === true) return { sent, blocked: undefined, fault: undefined };
      const frames = toFrames(step.value);
      const fault = this.#fault(frames);
      if (fault !== undefined) return { sent, blocked: undefined, fault };
      if (frames.length > 0 && !this.#pattern.send(frames)) return { sent, blocked: frames, fault: undefined };
      sent++;
    }
  }

  #wait<T>(frames: Uint8Array[], rest: Iterator<unknown> | undefined, sent: number, user: object): Promise<T> {
    const timeout = this.#core.options.sendTimeout;
    const refusal = timeout === 0 ? this.#pattern.sendFault : this.#pattern.sendRefusal;
    if (refusal !== undefined) return sent > 0 ? Promise.resolve(sent as T) : Promise.reject(errnoError(refusal));
    return new Promise<T>((resolve, reject) => {
      const kept = frames.map(keep);
      const pending: PendingSend = {
        frames: kept,
        rest,
        sent,
        resolve: resolve as PendingSend["resolve"],
        reject,
        timer: undefined,
        user,
      };
      if (timeout > 0)
        pending.timer = setTimeout(() => this.#fail(pending, errnoError(this.#pattern.sendFault)), timeout);
      this.#pending = pending;
      this.#core.hold();
    });
  }

  /** Ends the wait when it has become pointless. */
  #giveUp(pending: PendingSend): void {
    const refusal = this.#pattern.sendRefusal;
    if (refusal !== undefined) this.#fail(pending, errnoError(refusal));
  }

  #fail(pending: PendingSend, error: ErrnoError): void {
    this.#finish(pending);
    if (pending.sent > 0) pending.resolve(pending.sent);
    else pending.reject(error);
  }

  #finish(pending: PendingSend): void {
    clearTimeout(pending.timer);
    this.#pending = undefined;
    this.#core.release();
  }
}

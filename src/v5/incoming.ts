/**
 * Receives for a socket of `zmtp/v5-compat`: it reads from its creation on, in batches, and gives out each message
 * from `process.nextTick`. A batch is given out before the next one is read, so that the high-water mark of the socket
 * inside still slows down its peers, and `pause` stops right behind the message at hand.
 */

import { Ring } from "../base/ring.ts";
import { nextTick } from "../loop/clock.ts";
import type { SocketCore } from "../socket/core.ts";
import type { Readable } from "../socket/duplex.ts";

/** The sockets that can receive. */
export type Source = Pick<Readable, "receiveMany">;

export class Incoming {
  readonly #core: SocketCore;
  readonly #socket: Source;
  readonly #deliver: (frames: Buffer[]) => void;
  readonly #report: (error: Error) => void;
  readonly #inbox = new Ring<Buffer[]>();
  #isPaused = false;
  #isReading = false;
  #isScheduled = false;

  constructor(core: SocketCore, socket: Source, deliver: (frames: Buffer[]) => void, report: (error: Error) => void) {
    this.#core = core;
    this.#socket = socket;
    this.#deliver = deliver;
    this.#report = report;
  }

  /** Gives out what is here, and reads on. Called again when the socket is no longer blocked by a bind. */
  advance(): void {
    if (this.#isPaused || this.#isScheduled || this.#core.isClosed) return;
    if (this.#inbox.length > 0) {
      this.#isScheduled = true;
      nextTick(this.#giveOut);
    } else if (!(this.#isReading || this.#core.isBlocked)) {
      this.#isReading = true;
      this.#socket.receiveMany().then(this.#arrived, this.#failed);
    }
  }

  /** Nothing is given out until `resume`; a read that is under way still brings what it can. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.advance();
  }

  /** The socket is closed: what was read ahead is dropped. */
  end(): void {
    this.#inbox.clear();
  }

  readonly #arrived = (messages: Buffer[][]): void => {
    this.#isReading = false;
    if (this.#core.isClosed) return;
    for (const message of messages) this.#inbox.push(message);
    this.advance();
  };

  readonly #failed = (error: Error): void => {
    this.#isReading = false;
    if (this.#core.isClosed) return;
    nextTick(() => this.#report(error));
    // Not at once: with a receive timeout of 0 each read fails.
    void this.#core.context.turn.later(undefined).then(() => this.advance());
  };

  readonly #giveOut = (): void => {
    this.#isScheduled = false;
    try {
      while (!(this.#isPaused || this.#core.isClosed)) {
        const frames = this.#inbox.shift();
        if (frames === undefined) break;
        this.#deliver(frames);
      }
    } finally {
      // Also when a listener threw, which is the process's to handle.
      if (this.#core.isClosed) this.#inbox.clear();
      else this.advance();
    }
  };
}

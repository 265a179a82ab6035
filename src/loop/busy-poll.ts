/**
 * Busy polling: a process that has just spoken and waits for the answer asks the kernel for it again and again for a
 * moment, and does not go to sleep. Where both ends of a dialogue sleep, most of a round trip is the time that two
 * processors take to wake up. Each poll is one round of the event loop, so that timers and other handles have their
 * turn as usual.
 *
 * It takes processor time that others could use, so it has to earn it
 * - Only a wait for what should come soon is polled through: the answer to a socket's own question (a REQ's, or that of
 *   a DEALER which asks and is answered in turn), or the next piece of a stream that came in a large one. A stage that
 *   receives, passes on and waits for the next input is not one, nor is a REP: nobody knows when they are spoken to
 *   again.
 * - Waits are timed while they are slept through, and polling begins when several in a row were short.
 * - It ends when answers take too long again, and when the kernel says that it had to take the processor away for
 *   others: where there is more to do than there are processors, the answer cannot come while somebody polls for it.
 *   Each end doubles the number of short waits until it is tried again.
 *
 * Measured (two cores, virtual, Node 20; `bench/micro/busy-poll.mjs`): a round trip between two processes takes 25 µs,
 * and the asking end 20 µs of processor time; asleep 112 and 48 µs. On one core it is 22 and 25 µs.
 */

import {
  BUSY_POLL_CREDIT,
  BUSY_POLL_FAULT,
  BUSY_POLL_PATIENCE,
  BUSY_POLL_PATIENCE_MAX,
  BUSY_POLL_ROUNDS,
  BUSY_POLL_SAMPLE,
} from "../base/constants.ts";
import { now, setImmediate } from "./clock.ts";

/** The option of a context. */
export interface BusyPollOptions {
  /** The longest time to poll for one answer, in microseconds; 0 for never. */
  readonly busyPoll: number;
}

/** The machine, as far as polling depends on it. */
export interface BusyPollMachine {
  /** The time, in milliseconds. */
  now(): number;
  /**
   * The number of times that the kernel took the processor away from this process; NaN where the runtime does not tell.
   */
  interruptions(): number;
}

const MACHINE: BusyPollMachine = {
  now,
  interruptions: () => {
    try {
      return process.resourceUsage().involuntaryContextSwitches;
    } catch {
      return Number.NaN;
    }
  },
};

const NOT_WAITING = -1;

export class BusyPoll {
  readonly #options: BusyPollOptions;
  readonly #machine: BusyPollMachine;
  /** When the wait began that is timed or polled through. */
  #since = NOT_WAITING;
  #isPolling = false;
  #rounds = 0;
  /** Short waits that were slept through, and how many it takes until polling is tried. */
  #shortWaits = 0;
  #patience = BUSY_POLL_PATIENCE;
  /** Answers, less what polls without one have cost; below 0 polling ends. */
  #credit = 0;
  /** Answers since the interruptions were looked at, and how many those were. */
  #sample = 0;
  #interruptions = 0;

  constructor(options: BusyPollOptions, machine: BusyPollMachine = MACHINE) {
    this.#options = options;
    this.#machine = machine;
  }

  /** Something should come soon, and nothing is left to do in this turn. */
  begin(): void {
    if (this.#isPolling || this.#options.busyPoll === 0) return;
    this.#since = this.#machine.now();
    if (this.#shortWaits < this.#patience) return;
    this.#isPolling = true;
    this.#rounds = 0;
    setImmediate(this.#poll);
  }

  /** Something came. */
  end(): void {
    if (this.#since === NOT_WAITING) return;
    if (this.#isPolling) this.#answered();
    else this.#awoke();
    this.#since = NOT_WAITING;
  }

  readonly #poll = (): void => {
    if (!this.#isPolling) return;
    if (++this.#rounds < BUSY_POLL_ROUNDS && this.#isShort) {
      setImmediate(this.#poll);
      return;
    }
    this.#isPolling = false;
    this.#since = NOT_WAITING;
    this.#credit -= BUSY_POLL_FAULT;
    if (this.#credit < 0) this.#giveUp();
  };

  /** True while the wait is worth polling. */
  get #isShort(): boolean {
    return (this.#machine.now() - this.#since) * 1000 < this.#options.busyPoll;
  }

  #answered(): void {
    this.#isPolling = false;
    if (this.#credit < BUSY_POLL_CREDIT) this.#credit++;
    if (++this.#sample < BUSY_POLL_SAMPLE) return;
    const before = this.#interruptions;
    this.#look();
    if (this.#interruptions - before > BUSY_POLL_SAMPLE / 4) this.#giveUp();
    else this.#patience = Math.max(this.#patience / 2, BUSY_POLL_PATIENCE);
  }

  #awoke(): void {
    if (!this.#isShort) this.#shortWaits = Math.max(this.#shortWaits - BUSY_POLL_FAULT, 0);
    else if (++this.#shortWaits === this.#patience) this.#look();
  }

  #giveUp(): void {
    this.#credit = 0;
    this.#shortWaits = 0;
    this.#patience = Math.min(this.#patience * 2, BUSY_POLL_PATIENCE_MAX);
  }

  #look(): void {
    this.#sample = 0;
    this.#interruptions = this.#machine.interruptions();
  }
}

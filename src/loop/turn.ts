/**
 * Acts once per turn of the event loop: outgoing data is flushed in the check phase, and operations that have
 * resolved too often in a row without leaving the microtask queue go on there.
 *
 * A microtask would be too early to flush: `for (;;) await send()` drains the microtask queue at each await, so that
 * every message would be its own system call. The check phase follows the poll phase, where answers are written, at
 * once: it costs nothing in round-trip time.
 *
 * One `Turn` serves all sockets of a context.
 */

import {
  LEAST_OPERATIONS,
  MESSAGES_PER_OPERATION,
  OPERATIONS_PER_INPUT,
  OPERATIONS_PER_TURN,
  SUBSCRIBING_MS,
} from "../base/constants.ts";
import { BusyPoll, type BusyPollOptions } from "./busy-poll.ts";
import { clearTimeout, setImmediate, setTimeout } from "./clock.ts";

/** Something with outgoing data. */
export interface Flushable {
  /** Flushes, and takes stock. */
  endTurn(): void;
  /** Set while it waits for the end of the turn. */
  isScheduled: boolean;
}

export class Turn {
  /** Receives that wait, for anything, and those that wait for the answer to their own socket's question. */
  pendingReceives = 0;
  pendingAnswers = 0;
  readonly #busyPoll: BusyPoll;
  /** Operations of this turn, and how many of them may have resolved at once by now. */
  #operations = 0;
  #allowed = OPERATIONS_PER_INPUT;
  /** Callbacks that wait for the next check phase, and what each of those in this one is granted. */
  #postponed = 0;
  #share = OPERATIONS_PER_INPUT;
  #waiting: Flushable[] = [];
  #spare: Flushable[] = [];
  #isArmed = false;
  #isRunning = false;
  /** A receive began to wait for an answer in this turn, and a large piece came in. */
  #asked = false;
  #streams = false;
  /** Subscribers in the handshake, and those whose first messages go behind their subscriptions. */
  #subscribing = 0;
  #behind: Flushable[] = [];
  #behindTimer: NodeJS.Timeout | undefined;

  constructor(options: BusyPollOptions) {
    this.#busyPoll = new BusyPoll(options);
  }

  /** Ends the turn for `item` too. */
  schedule(item: Flushable): void {
    if (item.isScheduled) return;
    item.isScheduled = true;
    this.#waiting.push(item);
    this.#arm();
  }

  /** A subscriber begins its handshake. */
  subscribing(): void {
    this.#subscribing++;
  }

  /** It is over: the subscriptions are out, or it has failed. */
  subscribed(): void {
    if (--this.#subscribing === 0) this.#scheduleBehind();
  }

  /**
   * Schedules an item with what waited for its connection: behind subscriptions that wait for theirs, if that takes no
   * longer than SUBSCRIBING_MS. A program that subscribes and asks in one turn means to hear what is published when it
   * is asked.
   */
  scheduleFirst(item: Flushable): void {
    if (this.#subscribing === 0) {
      this.schedule(item);
      return;
    }
    this.#behind.push(item);
    this.#behindTimer ??= setTimeout(this.#scheduleBehind, SUBSCRIBING_MS);
  }

  readonly #scheduleBehind = (): void => {
    clearTimeout(this.#behindTimer);
    this.#behindTimer = undefined;
    const items = this.#behind;
    this.#behind = [];
    for (const item of items) this.schedule(item);
  };

  /** A receive begins to wait for the answer to a question of this turn, which goes out when the turn ends. */
  expectAnswer(): void {
    this.pendingAnswers++;
    this.#asked = true;
    this.#arm();
  }

  /** A large piece came in: the next one should come soon. */
  expectMore(): void {
    this.#streams = true;
    if (!this.#isRunning) this.#arm();
  }

  /** Counts one operation that resolves at once. False: it must go through `later` instead. */
  allows(): boolean {
    return ++this.#operations <= this.#allowed;
  }

  /** The same for a batch; a message in it counts less than an operation. */
  allowsMany(messages: number): boolean {
    this.count(messages);
    return this.#operations <= this.#allowed;
  }

  /** Counts a batch that resolves in any case. */
  count(messages: number): void {
    this.#operations += messages / MESSAGES_PER_OPERATION;
  }

  /**
   * The event loop has just delivered something: there may be more operations. One turn may deliver a lot, to many
   * sockets, before timers and others have their chance; so there is a limit to a turn, too, at which sockets stop
   * reading.
   */
  renew(): void {
    this.#busyPoll.end();
    this.#allowed = Math.min(this.#operations + OPERATIONS_PER_INPUT, OPERATIONS_PER_TURN);
    if (this.#operations > OPERATIONS_PER_INPUT) this.#arm();
  }

  /** Resolves with `value` in the check phase. */
  later<T>(value: T): Promise<T> {
    return new Promise((resolve) => this.afterwards(() => resolve(value)));
  }

  /** Calls back in the check phase, which is shared out among those who wait for it. */
  afterwards(callback: () => void): void {
    this.#postponed++;
    this.#arm();
    setImmediate(() => {
      const share = Math.min(this.#share, OPERATIONS_PER_TURN - this.#operations);
      // They come in the same order each time: without this, those at the end might never have their turn.
      this.#allowed = this.#operations + Math.max(LEAST_OPERATIONS, share);
      callback();
    });
  }

  /** Sees to it that this turn ends, and the next has a count of its own. */
  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    const items = this.#waiting;
    this.#waiting = this.#spare;
    this.#spare = items;
    this.#isArmed = false;
    this.#isRunning = true;
    this.#operations = 0;
    this.#allowed = OPERATIONS_PER_INPUT;
    this.#share = Math.min(OPERATIONS_PER_INPUT, OPERATIONS_PER_TURN / this.#postponed);
    this.#postponed = 0;
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      item.isScheduled = false;
      item.endTurn();
    }
    items.length = 0;
    this.#isRunning = false;
    if ((this.#asked && this.pendingAnswers > 0) || (this.#streams && this.pendingReceives > 0)) this.#busyPoll.begin();
    this.#asked = false;
    this.#streams = false;
  };
}

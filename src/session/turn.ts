/**
 * What happens once per turn of the event loop: outgoing data is flushed in the check phase, and operations that have
 * resolved too often in a row without leaving the microtask queue go on there.
 *
 * A microtask would be too early to flush: `for (;;) await send()` drains the microtask queue at each await, so that
 * every message would be its own system call. The check phase follows the poll phase, where answers are written, at
 * once: it costs nothing in round-trip time.
 *
 * One `Turn` serves all sockets of a context.
 */
import { OPERATIONS_PER_TURN } from "../constants.ts";

/** Something with outgoing data. */
export interface Flushable {
  /** Flushes, and takes stock. */
  endTurn(): void;
  /** Set while it waits for the end of the turn. */
  isScheduled: boolean;
}

export class Turn {
  #operations = 0;
  #waiting: Flushable[] = [];
  #spare: Flushable[] = [];
  #isArmed = false;

  /** Ends the turn for `item` too. */
  schedule(item: Flushable): void {
    if (item.isScheduled) return;
    item.isScheduled = true;
    this.#waiting.push(item);
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(this.#run);
  }

  /** Counts one operation that resolves at once. False: it must go through `later` instead. */
  allows(): boolean {
    return ++this.#operations <= OPERATIONS_PER_TURN;
  }

  /** Counts `operations` at once, for batches. */
  allowsMany(operations: number): boolean {
    this.#operations += operations;
    return this.#operations <= OPERATIONS_PER_TURN;
  }

  /** The event loop has just delivered something: timers and input had their chance. */
  renew(): void {
    this.#operations = 0;
  }

  /** Resolves with `value` in the check phase. */
  later<T>(value: T): Promise<T> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#operations = 0;
        resolve(value);
      });
    });
  }

  readonly #run = (): void => {
    const items = this.#waiting;
    this.#waiting = this.#spare;
    this.#spare = items;
    this.#isArmed = false;
    this.#operations = 0;
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as Flushable;
      item.isScheduled = false;
      item.endTurn();
    }
    items.length = 0;
  };
}

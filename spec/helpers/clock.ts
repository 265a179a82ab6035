/**
 * The time of the sockets in the test's hands: it stands still until the test moves it, so that intervals and limits of
 * seconds cost none, end exactly when they should, and do not end because the machine is busy. Timers of the test
 * itself are real.
 */
import { internals } from "../../src/loop/clock.ts";
import type { Suite } from "./test.ts";
import { turns } from "./wait.ts";

const real = { ...internals };

/** Holds a place for a timer that is not real, and never fires. */
const NEVER_MS = 0x7fffffff;

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

export class Clock {
  readonly #timers = new Map<NodeJS.Timeout, Timer>();
  #milliseconds = 0;

  /** The time goes on by itself when a test has ended. */
  constructor(it: Suite) {
    it.afterEach(() => this.release());
  }

  /** Stops the time. Timers that are under way go on. */
  stop(): void {
    this.#milliseconds = Math.floor(real.uptime() * 1000);
    internals.uptime = () => this.#milliseconds / 1000;
    internals.setTimeout = (fire, milliseconds) => {
      const timer = real.setTimeout(() => {}, NEVER_MS);
      this.#timers.set(timer, { due: this.#milliseconds + Math.max(milliseconds, 1), fire });
      return timer;
    };
    internals.clearTimeout = (timer) => {
      if (timer !== undefined) this.#timers.delete(timer);
      real.clearTimeout(timer);
    };
  }

  /** Lets it go on. Timers that were set meanwhile never fire: the sockets of the test are closed. */
  release(): void {
    Object.assign(internals, real);
    for (const timer of this.#timers.keys()) real.clearTimeout(timer);
    this.#timers.clear();
  }

  /** Moves it on; timers fire in their order and at their time, and what each of them brings about is waited for. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#milliseconds + milliseconds;
    await turns();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      const [timer, { due, fire }] = next;
      this.#milliseconds = due;
      internals.clearTimeout(timer);
      fire();
      await turns();
    }
    this.#milliseconds = end;
  }

  /** The timer that is due first, not after `end`. */
  #next(end: number): [NodeJS.Timeout, Timer] | undefined {
    let first: [NodeJS.Timeout, Timer] | undefined;
    for (const entry of this.#timers) {
      const { due } = entry[1];
      if (due <= end && (first === undefined || due < first[1].due)) first = entry;
    }
    return first;
  }
}

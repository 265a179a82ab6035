/**
 * Tells which messages within the process have to wait for the check phase. Over libzmq it is the event loop that wakes
 * a receive, so that an answer takes one turn of the loop more than its question, and programs rely on it: what they
 * set for the check phase before they ask comes before they are answered. Here a message arrives in the call that sends
 * it. So what may be an answer waits, unless nobody else has a callback in the check phase.
 *
 * The first socket that wakes others in a turn only speaks. What another one sends in the same turn may be an answer,
 * and so may be what the first sends after that.
 */
import { countOthers, setImmediate } from "./clock.ts";

/** More than one socket has woken others in this turn. */
const MANY = {};

/** One for all sockets of a context. */
export class Answers {
  /** The socket that has woken others in this turn; MANY when there are several. */
  #speaker: object | undefined;
  /** The count of others' callbacks when our last one was set that has come since: theirs were before it. */
  #passed = Number.NaN;
  /** The count when the one was set that is to come. */
  #next = Number.NaN;

  /** True when a message of `sender` may arrive at once. */
  mayArrive(sender: object): boolean {
    return this.#speaker === undefined || this.#speaker === sender || countOthers() === this.#passed;
  }

  /** `sender` wakes somebody. */
  wakes(sender: object): void {
    if (this.#speaker === undefined) {
      this.#speaker = sender;
      this.#next = countOthers();
      setImmediate(this.#endTurn);
    } else if (this.#speaker !== sender) {
      this.#speaker = MANY;
    }
  }

  readonly #endTurn = (): void => {
    this.#speaker = undefined;
    this.#passed = this.#next;
  };
}

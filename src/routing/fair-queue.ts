/**
 * Whose message is received next: the pipes that have one, in turn (facts: "FQ"), one whole message from each. A pipe that has run
 * empty leaves, and comes back at the end with its next message.
 *
 * Use: `pipe = queue.next()`; nobody there: wait for an `activate`. Read one message; is the pipe empty now: `deactivate(pipe)`.
 */
import { type Link, Rotation } from "./rotation.ts";

/** A pipe that messages can be received from in turn: `receiving = new Link(this)`. */
export interface Queued<P> {
  readonly receiving: Link<P>;
}

export class FairQueue<P extends Queued<P>> {
  readonly #ring = new Rotation<P>();

  /** How many pipes have something to read now. */
  get size(): number {
    return this.#ring.size;
  }

  /** Whether `pipe` counts as having something. */
  has(pipe: P): boolean {
    return this.#ring.has(pipe.receiving);
  }

  /** The pipe has something to read. May be called again without effect. */
  activate(pipe: P): void {
    this.#ring.join(pipe.receiving);
  }

  /** The pipe is empty, or gone. May be called again without effect. */
  deactivate(pipe: P): void {
    this.#ring.leave(pipe.receiving);
  }

  /** The pipe to read the next message from, and moves on by one. */
  next(): P | undefined {
    return this.#ring.take();
  }

  /** The pipe that the next message would come from. */
  peek(): P | undefined {
    return this.#ring.peek();
  }
}

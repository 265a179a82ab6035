/**
 * Who gets the next message, for PUSH, DEALER, REQ and their kind: the pipes that can take one, in turn (facts: "LB"). A pipe that
 * is full leaves, and comes back at the end when it has drained.
 *
 * Use: `pipe = balancer.next()`; nobody there: wait for an `activate`. Write the message; is the pipe full now: `deactivate(pipe)`.
 */
import { type Link, Rotation } from "./rotation.ts";

/** A pipe that messages can be sent to in turn: `sending = new Link(this)`. */
export interface Balanced<P> {
  readonly sending: Link<P>;
}

export class LoadBalancer<P extends Balanced<P>> {
  readonly #ring = new Rotation<P>();

  /** How many pipes can take a message now. */
  get size(): number {
    return this.#ring.size;
  }

  /** Whether `pipe` counts as able to take a message. */
  has(pipe: P): boolean {
    return this.#ring.has(pipe.sending);
  }

  /** The pipe is new, or has room again: it joins at the end. May be called again without effect. */
  activate(pipe: P): void {
    this.#ring.join(pipe.sending);
  }

  /** The pipe is full, or gone. May be called again without effect. */
  deactivate(pipe: P): void {
    this.#ring.leave(pipe.sending);
  }

  /** The pipe for the next message, and moves on by one. */
  next(): P | undefined {
    return this.#ring.take();
  }

  /** The pipe that the next message would go to. */
  peek(): P | undefined {
    return this.#ring.peek();
  }
}

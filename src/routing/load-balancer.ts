/**
 * Chooses the pipe to send to: round robin over the pipes that can take a message (libzmq's lb), for PUSH, DEALER and REQ. A pipe that is
 * met full leaves, is told to say when it has room, and comes back at the end then.
 */
import { type Link, Rotation } from "./rotation.ts";

/** A pipe that messages can be sent to in turn. */
export interface Balanced<P> {
  /** Its place in the rotation: `new Link(this)`. */
  readonly sending: Link<P>;
  /** True when a message would have to wait. Asking may change who takes part: the kernel is offered what waits. */
  readonly full: boolean;
  /** Set when it was met full: it calls back when it has room. */
  writerWaits: boolean;
}

export class LoadBalancer<P extends Balanced<P>> {
  readonly #ready = new Rotation<P>();

  /** Adds a pipe that is new, or has room again, at the end. May be called again without effect. */
  add(pipe: P): void {
    this.#ready.join(pipe.sending);
  }

  /** Removes a pipe that is gone. May be called again without effect. */
  remove(pipe: P): void {
    this.#ready.leave(pipe.sending);
  }

  /** Chooses the pipe for the next message and moves on by one. `undefined`: none can take one. */
  next(): P | undefined {
    return this.canSend ? this.#ready.next() : undefined;
  }

  /** True when some pipe can take a message; those before it, which are full, have left. */
  get canSend(): boolean {
    for (;;) {
      const pipe = this.#ready.peek();
      if (pipe === undefined) return false;
      if (!pipe.full) return true;
      this.#ready.leave(pipe.sending);
      pipe.writerWaits = true;
    }
  }
}

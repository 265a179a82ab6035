/**
 * Chooses the pipe to send to: round robin over the pipes that have room for a message (libzmq's lb), for PUSH, DEALER
 * and REQ. A pipe that is met full leaves, is told to say when it has room, and comes back at the end then.
 */
import { type Link, Rotation } from "./rotation.ts";

/** A pipe that messages can be sent to. */
export interface Balanced<P> {
  /** Its place in the rotation: `new Link(this)`. */
  readonly sending: Link<P>;
  /**
   * True when a message would have to wait. Asking may change who is in the rotation: the kernel is offered what waits.
   */
  readonly full: boolean;
  /** Set when it was met full: it calls back when it has room. */
  writerWaits: boolean;
}

export class LoadBalancer<P extends Balanced<P>> extends Rotation<P> {
  /** Adds a pipe that is new, or has room again, at the end. May be called again without effect. */
  add(pipe: P): void {
    this.join(pipe.sending);
  }

  /** Removes a pipe that is gone. May be called again without effect. */
  remove(pipe: P): void {
    this.leave(pipe.sending);
  }

  /**
   * The pipe for the next message, when some has room for it. Does not move on; those before it, which are full, have
   * left.
   */
  override peek(): P | undefined {
    for (let link = this.current; link !== undefined; link = this.current) {
      const { pipe } = link;
      if (pipe.full) {
        this.leave(link);
        pipe.writerWaits = true;
      } else if (link === this.current) {
        return pipe;
      }
    }
    return undefined;
  }

  /** The same; moves on to the one behind it. */
  override next(): P | undefined {
    const pipe = this.peek();
    if (pipe !== undefined) this.current = pipe.sending.next;
    return pipe;
  }

  /** True when some pipe has room for a message. */
  get canSend(): boolean {
    return this.peek() !== undefined;
  }
}

/**
 * Round robin: a ring of the pipes that take part, one of which is next. Asking for the next one moves the ring on by
 * one; a pipe that joins comes at the end, just before the one that is next. Joining, leaving and moving on are O(1)
 * and allocate nothing; a pipe that does not take part costs nothing.
 *
 * A pipe takes part through a `Link` that it owns: one for each rotation that it can be in at once.
 */

/** A place in a rotation. */
export class Link<P> {
  readonly pipe: P;
  /** Neighbours in the ring; undefined while not in it. */
  next: Link<P> | undefined = undefined;
  previous: Link<P> | undefined = undefined;

  constructor(pipe: P) {
    this.pipe = pipe;
  }
}

export class Rotation<P> {
  /** The link of the pipe that is next. */
  protected current: Link<P> | undefined = undefined;

  /** Adds a link at the end. Does nothing when it is in already. */
  join(link: Link<P>): void {
    if (link.next !== undefined) return;
    const current = this.current;
    if (current === undefined) {
      link.next = link;
      link.previous = link;
      this.current = link;
    } else {
      const last = current.previous!;
      link.next = current;
      link.previous = last;
      last.next = link;
      current.previous = link;
    }
  }

  /** Removes a link; if it was next, the one behind it is now. Does nothing when it is not in. */
  leave(link: Link<P>): void {
    const next = link.next;
    if (next === undefined) return;
    if (next === link) {
      this.current = undefined;
    } else {
      const previous = link.previous!;
      previous.next = next;
      next.previous = previous;
      if (this.current === link) this.current = next;
    }
    link.next = undefined;
    link.previous = undefined;
  }

  /** The pipe that is next. Does not move on. */
  peek(): P | undefined {
    return this.current?.pipe;
  }

  /** The pipe that is next; moves on to the one behind it. */
  next(): P | undefined {
    const current = this.current;
    if (current === undefined) return undefined;
    this.current = current.next;
    return current.pipe;
  }
}

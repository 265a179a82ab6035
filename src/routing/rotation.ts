/**
 * Whose turn it is: a ring of the pipes that can take part, one of which is next. Taking a turn moves the ring on by one; whoever
 * joins comes at the end, that is, just before the one whose turn it is. Joining, leaving and taking are O(1) and allocate
 * nothing, so idle pipes, which are not in the ring, cost nothing.
 *
 * A pipe takes part through a link that it owns: one for each ring it can be in.
 */
import { Link } from "../base/ring.ts";

export { Link };

export class Rotation<P> {
  #current: Link<P> | undefined = undefined;
  #size = 0;

  /** How many take part. */
  get size(): number {
    return this.#size;
  }

  has(link: Link<P>): boolean {
    return link.next !== undefined;
  }

  /** Comes in at the end; nothing happens when it is in already. */
  join(link: Link<P>): void {
    if (link.next !== undefined) return;
    const current = this.#current;
    if (current === undefined) {
      link.next = link;
      link.previous = link;
      this.#current = link;
    } else {
      const last = current.previous!;
      link.next = current;
      link.previous = last;
      last.next = link;
      current.previous = link;
    }
    this.#size++;
  }

  /** Goes out; when it was its turn, the turn passes to the one behind it. Nothing happens when it is not in. */
  leave(link: Link<P>): void {
    const next = link.next;
    if (next === undefined) return;
    if (next === link) {
      this.#current = undefined;
    } else {
      const previous = link.previous!;
      previous.next = next;
      next.previous = previous;
      if (this.#current === link) this.#current = next;
    }
    link.next = undefined;
    link.previous = undefined;
    this.#size--;
  }

  /** The one whose turn it is, without taking the turn. */
  peek(): P | undefined {
    return this.#current?.pipe;
  }

  /** The one whose turn it is; the turn passes to the one behind it. */
  take(): P | undefined {
    const current = this.#current;
    if (current === undefined) return undefined;
    this.#current = current.next;
    return current.pipe;
  }
}

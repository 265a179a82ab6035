/**
 * Counts the topics that a SUB or XSUB subscribes to, so that unsubscribing takes as many calls as subscribing did. New
 * connections are told each distinct topic once, in the order of the octets; SUB also filters by it what arrives.
 */
import { type RadixNode, RadixTree, stepDown } from "./radix-tree.ts";

export class TopicSet {
  readonly #tree = new RadixTree<number>();
  #size = 0;

  /** The number of distinct topics. */
  get size(): number {
    return this.#size;
  }

  /** Adds one subscription; returns how many there are to this topic now. */
  add(topic: Uint8Array): number {
    const node = this.#tree.insert(topic);
    const count = (node.value ?? 0) + 1;
    node.value = count;
    if (count === 1) this.#size++;
    return count;
  }

  /** Cancels one subscription; returns how many are left, or -1 when there was none. */
  remove(topic: Uint8Array): number {
    const node = this.#tree.find(topic);
    if (node?.value === undefined) return -1;
    const count = node.value - 1;
    if (count > 0) {
      node.value = count;
    } else {
      this.#tree.clear(node);
      this.#size--;
    }
    return count;
  }

  /** True when some topic is a prefix of `body`. */
  matches(body: Uint8Array): boolean {
    let node: RadixNode<number> | undefined = this.#tree.root;
    let position = 0;
    while (node !== undefined) {
      if (node.value !== undefined) return true;
      if (position === body.length) return false;
      node = stepDown(node, body, position);
      if (node !== undefined) position += node.label.length;
    }
    return false;
  }

  /** Each distinct topic once, in the order of its octets. Do not add or remove meanwhile. */
  *[Symbol.iterator](): Generator<Buffer> {
    for (const [topic] of this.#tree.entries()) yield topic;
  }
}

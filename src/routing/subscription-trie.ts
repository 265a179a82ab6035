/**
 * Finds the pipes that subscribed to a message, at the publishing side. Topics are prefixes, and each pipe's topics are
 * a set: subscribing twice and cancelling once leaves nothing, since subscribers count by themselves.
 *
 * `match` is what every published message goes through: it costs the length of the topic and the number of matching
 * pipes, and allocates nothing. A pipe is found once, however many of its topics match. A lone matching topic, the
 * usual case, is copied out as it is; only from the second on are pipes marked to tell doubles.
 */
import { type RadixNode, RadixTree, stepDown } from "./radix-tree.ts";

/** The outcome of `remove`: the topic's last subscriber went, others remain, or this pipe had not subscribed to it. */
export type Removal = "last" | "remaining" | "absent";

/** A pipe and the topics it holds; the number is the pipe's place in the topic's list, so that leaving is O(1). */
class Holder<P> {
  readonly pipe: P;
  readonly topics = new Map<RadixNode<Holder<P>[]>, number>();
  mark = 0;

  constructor(pipe: P) {
    this.pipe = pipe;
  }
}

/** Marks are numbers that V8 keeps without a heap object; after this many they start again. */
const LAST_MARK = 0x3fffffff;

export class SubscriptionTrie<P> {
  readonly #tree = new RadixTree<Holder<P>[]>();
  readonly #subscribers = new Map<P, Holder<P>>();
  #mark = 0;
  #size = 0;

  /** The number of distinct topics that have subscribers. */
  get size(): number {
    return this.#size;
  }

  /** Subscribes a pipe to a topic. True when nobody had subscribed to it before. */
  add(topic: Uint8Array, pipe: P): boolean {
    let subscriber = this.#subscribers.get(pipe);
    if (subscriber === undefined) {
      subscriber = new Holder(pipe);
      this.#subscribers.set(pipe, subscriber);
    }
    const node = this.#tree.insert(topic);
    const holders = node.value;
    if (holders === undefined) {
      node.value = [subscriber];
      subscriber.topics.set(node, 0);
      this.#size++;
      return true;
    }
    if (!subscriber.topics.has(node)) {
      subscriber.topics.set(node, holders.length);
      holders.push(subscriber);
    }
    return false;
  }

  /** Ends a pipe's subscription to a topic. */
  remove(topic: Uint8Array, pipe: P): Removal {
    const subscriber = this.#subscribers.get(pipe);
    const node = this.#tree.find(topic);
    if (subscriber === undefined || node === undefined || !subscriber.topics.has(node)) return "absent";
    const last = this.#detach(subscriber, node);
    if (subscriber.topics.size === 0) this.#subscribers.delete(pipe);
    return last ? "last" : "remaining";
  }

  /**
   * Forgets a pipe. `onTopic` is told each topic that it held, and whether nobody else does, in the order they were
   * added.
   */
  removeAll(pipe: P, onTopic?: (topic: Buffer, last: boolean) => void): void {
    const subscriber = this.#subscribers.get(pipe);
    if (subscriber === undefined) return;
    this.#subscribers.delete(pipe);
    for (const node of subscriber.topics.keys()) {
      const topic = onTopic === undefined ? undefined : this.#tree.topicOf(node);
      const last = this.#detach(subscriber, node);
      if (topic !== undefined) onTopic!(topic, last);
    }
  }

  /**
   * Finds the pipes that hold a prefix of `body`: each once, into `out` from index 0. Returns how many; what stood in
   * `out` behind them is left, so an array that is used again still holds pipes of an earlier call.
   */
  match(body: Uint8Array, out: P[]): number {
    let node: RadixNode<Holder<P>[]> | undefined = this.#tree.root;
    let only: Holder<P>[] | undefined;
    let count = 0;
    let mark = 0;
    let position = 0;
    const length = body.length;
    for (;;) {
      const holders: Holder<P>[] | undefined = node.value;
      if (holders !== undefined) {
        if (only === undefined) {
          only = holders;
          for (let i = 0; i < holders.length; i++) out[i] = holders[i].pipe;
          count = holders.length;
        } else {
          if (mark === 0) {
            mark = this.#nextMark();
            for (let i = 0; i < only.length; i++) only[i].mark = mark;
          }
          for (let i = 0; i < holders.length; i++) {
            const subscriber = holders[i];
            if (subscriber.mark === mark) continue;
            subscriber.mark = mark;
            out[count++] = subscriber.pipe;
          }
        }
      }
      if (position === length) return count;
      node = stepDown(node, body, position);
      if (node === undefined) return count;
      position += node.label.length;
    }
  }

  /** True for a pipe that holds any topic. */
  knows(pipe: P): boolean {
    return this.#subscribers.has(pipe);
  }

  /** True for a pipe that holds a prefix of `body`. */
  covers(body: Uint8Array, pipe: P): boolean {
    const topics = this.#subscribers.get(pipe)?.topics;
    if (topics === undefined) return false;
    let node: RadixNode<Holder<P>[]> | undefined = this.#tree.root;
    let position = 0;
    while (node !== undefined && !topics.has(node)) {
      if (position === body.length) return false;
      node = stepDown(node, body, position);
      if (node !== undefined) position += node.label.length;
    }
    return node !== undefined;
  }

  /** The same for inverted matching: those of `pipes` that hold no prefix of `body`, in their order. */
  matchInverted(body: Uint8Array, pipes: Iterable<P>, out: P[]): number {
    const mark = this.#markMatches(body);
    let count = 0;
    for (const pipe of pipes) if (this.#subscribers.get(pipe)?.mark !== mark) out[count++] = pipe;
    return count;
  }

  /** Gives every subscriber that holds a prefix of `body` a new mark, and returns it. */
  #markMatches(body: Uint8Array): number {
    const mark = this.#nextMark();
    let node: RadixNode<Holder<P>[]> | undefined = this.#tree.root;
    let position = 0;
    while (node !== undefined) {
      if (node.value !== undefined) for (const subscriber of node.value) subscriber.mark = mark;
      if (position === body.length) break;
      node = stepDown(node, body, position);
      if (node !== undefined) position += node.label.length;
    }
    return mark;
  }

  #nextMark(): number {
    if (this.#mark === LAST_MARK) {
      this.#mark = 0;
      for (const subscriber of this.#subscribers.values()) subscriber.mark = 0;
    }
    return ++this.#mark;
  }

  /**
   * Removes a subscriber from a topic's list: the list's last one moves into the gap. True when the list is empty now.
   */
  #detach(subscriber: Holder<P>, node: RadixNode<Holder<P>[]>): boolean {
    const holders = node.value!;
    const index = subscriber.topics.get(node)!;
    const moved = holders.pop()!;
    if (moved !== subscriber) {
      holders[index] = moved;
      moved.topics.set(node, index);
    }
    subscriber.topics.delete(node);
    if (holders.length > 0) return false;
    this.#tree.clear(node);
    this.#size--;
    return true;
  }
}

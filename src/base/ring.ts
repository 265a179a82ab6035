/**
 * The one queue of the project: a double-ended ring whose capacity is a power of two, so that an index wraps with a
 * mask. It grows by doubling and gives memory back when it runs empty after a burst.
 */

const INITIAL_CAPACITY = 8;

/** A ring this small is kept when it runs empty; a larger one is let go. */
const KEPT_CAPACITY = 1024;

export class Ring<T> {
  #slots: (T | undefined)[] = [];
  #mask = -1;
  #head = 0;
  #length = 0;

  /** The number of items. */
  get length(): number {
    return this.#length;
  }

  /** Adds an item at the back. */
  push(item: T): void {
    if (this.#length > this.#mask) this.#grow();
    this.#slots[(this.#head + this.#length) & this.#mask] = item;
    this.#length++;
  }

  /** Removes the item at the front and returns it, `undefined` when there is none. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & this.#mask;
    if (--this.#length === 0) this.#reset();
    return item;
  }

  /** The item at the back, left where it is. */
  last(): T | undefined {
    return this.#length === 0 ? undefined : this.#slots[(this.#head + this.#length - 1) & this.#mask];
  }

  /** The item `index` places behind the front. */
  at(index: number): T | undefined {
    return index < this.#length ? this.#slots[(this.#head + index) & this.#mask] : undefined;
  }

  /** Puts an item back at the front. */
  unshift(item: T): void {
    if (this.#length > this.#mask) this.#grow();
    this.#head = (this.#head - 1) & this.#mask;
    this.#slots[this.#head] = item;
    this.#length++;
  }

  /** Drops everything. */
  clear(): void {
    this.#slots = [];
    this.#mask = -1;
    this.#head = 0;
    this.#length = 0;
  }

  #reset(): void {
    this.#head = 0;
    if (this.#mask >= KEPT_CAPACITY) this.clear();
  }

  #grow(): void {
    const capacity = this.#mask === -1 ? INITIAL_CAPACITY : (this.#mask + 1) * 2;
    const slots = new Array<T | undefined>(capacity);
    for (let i = 0; i < this.#length; i++) slots[i] = this.#slots[(this.#head + i) & this.#mask];
    this.#slots = slots;
    this.#mask = capacity - 1;
    this.#head = 0;
  }
}

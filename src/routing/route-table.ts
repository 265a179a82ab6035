/**
 * Routing id to pipe, for ROUTER and STREAM. A hash table over the octets themselves: a `Map` would need a string for
 * every message that is sent, and takes three to eight times as long (bench/micro/tunings.mjs). Chains hang off a power
 * of two of buckets; the seed, random for each table, keeps peers from choosing ids that collide.
 *
 * Peers without an id of their own get one: a zero octet and a counter of four that starts at random.
 */

class Route<P> {
  readonly id: Buffer;
  readonly hash: number;
  pipe: P;
  next: Route<P> | undefined;

  constructor(id: Buffer, hash: number, pipe: P, next: Route<P> | undefined) {
    this.id = id;
    this.hash = hash;
    this.pipe = pipe;
    this.next = next;
  }
}

const FIRST_BUCKETS = 8;
const GENERATED_BYTES = 5;

export class RouteTable<P> {
  readonly #seed: number;
  #buckets: (Route<P> | undefined)[] = new Array(FIRST_BUCKETS).fill(undefined);
  #size = 0;
  /**
   * The number of the first generated id, and the count of those used since; numbers that a peer had chosen were passed
   * over.
   */
  readonly #start: number;
  #used = 0;
  readonly #passedOver = new Set<number>();

  /** @param random any 32-bit number: the generated ids start there, and it seeds the hash */
  constructor(random: number) {
    this.#start = random >>> 0;
    this.#seed = Math.imul(random ^ (random >>> 15), 0x2c1b3c6d) | 0;
  }

  get size(): number {
    return this.#size;
  }

  /** The pipe of an id, undefined when there is none. */
  get(id: Uint8Array): P | undefined {
    const hash = this.#hash(id);
    return findIn(this.#buckets[hash & (this.#buckets.length - 1)], id, hash)?.pipe;
  }

  has(id: Uint8Array): boolean {
    return this.get(id) !== undefined;
  }

  /** Gives an id to a pipe; false, and nothing changes, when another has it. The id's octets are kept, not copied. */
  add(id: Buffer, pipe: P): boolean {
    const hash = this.#hash(id);
    const index = hash & (this.#buckets.length - 1);
    const first = this.#buckets[index];
    if (findIn(first, id, hash) !== undefined) return false;
    this.#buckets[index] = new Route(id, hash, pipe, first);
    if (++this.#size > this.#buckets.length) this.#resize(this.#buckets.length * 2);
    return true;
  }

  /** Frees an id, when it is this pipe's. Returns whether it was. */
  remove(id: Uint8Array, pipe: P): boolean {
    const hash = this.#hash(id);
    const index = hash & (this.#buckets.length - 1);
    const route = findIn(this.#buckets[index], id, hash);
    if (route?.pipe !== pipe) return false;
    let before = this.#buckets[index]!;
    if (before === route) {
      this.#buckets[index] = route.next;
    } else {
      while (before.next !== route) before = before.next!;
      before.next = route.next;
    }
    this.#size--;
    if (this.#buckets.length > FIRST_BUCKETS && this.#size < this.#buckets.length / 8) {
      this.#resize(this.#buckets.length / 2);
    }
    return true;
  }

  /** A new id that nobody has: 5 octets. It counts as generated for good. */
  generate(): Buffer {
    const id = Buffer.alloc(GENERATED_BYTES);
    for (;;) {
      const number = (this.#start + this.#used++) >>> 0;
      id.writeUInt32BE(number, 1);
      if (!this.has(id)) return id;
      this.#passedOver.add(number);
    }
  }

  /** True when `generate` has made this id; its peer may have left. */
  wasGenerated(id: Buffer): boolean {
    if (id.length !== GENERATED_BYTES || id[0] !== 0) return false;
    const number = id.readUInt32BE(1);
    return (number - this.#start) >>> 0 < this.#used && !this.#passedOver.has(number);
  }

  /** The pipes, in no order. */
  *values(): Generator<P> {
    for (const first of this.#buckets) {
      for (let route = first; route !== undefined; route = route.next) yield route.pipe;
    }
  }

  /** FNV-1a, and a last stir so that the low bits depend on all octets. */
  #hash(id: Uint8Array): number {
    let hash = this.#seed;
    for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id[i], 0x01000193);
    return hash ^ (hash >>> 15);
  }

  #resize(length: number): void {
    const buckets: (Route<P> | undefined)[] = new Array(length).fill(undefined);
    for (let first of this.#buckets) {
      while (first !== undefined) {
        const next: Route<P> | undefined = first.next;
        const index = first.hash & (length - 1);
        first.next = buckets[index];
        buckets[index] = first;
        first = next;
      }
    }
    this.#buckets = buckets;
  }
}

function findIn<P>(first: Route<P> | undefined, id: Uint8Array, hash: number): Route<P> | undefined {
  for (let route = first; route !== undefined; route = route.next) {
    if (route.hash === hash && sameOctets(route.id, id)) return route;
  }
  return undefined;
}

/** A loop beats the call into native code up to 16 octets (bench/micro/tunings.mjs), and ids are short. */
export function sameOctets(one: Uint8Array, other: Uint8Array): boolean {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

/**
 * Random numbers that can be had again: a test that goes through random cases names the seed when it fails, and `SEED=…
 * npm run spec` repeats it.
 */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 32 random bits (mulberry32). */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    return this.bits() % limit;
  }

  /** One of several. */
  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)];
  }

  /** Octets below `limit`, as many as `length`. */
  octets(length: number, limit = 256): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(limit)));
  }
}

/** Runs a test's random cases, and names the seed when they fail. */
export function randomly(body: (random: Random) => void): void {
  const seed = process.env.SEED === undefined ? Math.trunc(Math.random() * 2 ** 32) : Number(process.env.SEED);
  try {
    body(new Random(seed));
  } catch (error) {
    console.error(`failed with SEED=${seed}`);
    throw error;
  }
}

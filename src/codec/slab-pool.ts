/**
 * Memory for what goes out. Frames are encoded into slabs; a slab that nothing uses any more is kept for the next
 * burst.
 *
 * An outbox or fan-out holds the slab open that it appends to. It goes back to the pool when it was closed and its last
 * use has ended.
 */
import { POOLED_LARGE_SLABS, POOLED_SMALL_SLABS, SLAB_BYTES, SMALL_SLAB_BYTES } from "../base/constants.ts";

/** Memory that frames are encoded into. `uses` counts the segments, waiting or being written, that lie in it. */
export class Slab {
  readonly bytes: Buffer;
  offset = 0;
  uses = 0;
  /** The outbox or fan-out that still appends to it. */
  open = true;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }
}

/**
 * Slabs out of use, kept for the next burst: new ones take thirty times as long (bench/micro/tunings.mjs). One pool
 * serves all sockets of a context.
 */
export class SlabPool {
  readonly #small: Slab[] = [];
  readonly #large: Slab[] = [];

  /** Opens a slab with room for at least `size` octets; for more than a slab holds, one is made to measure. */
  open(size: number, large: boolean): Slab {
    if (size > SLAB_BYTES) return new Slab(size);
    const wantLarge = large || size > SMALL_SLAB_BYTES;
    const slab = (wantLarge ? this.#large : this.#small).pop() ?? new Slab(wantLarge ? SLAB_BYTES : SMALL_SLAB_BYTES);
    slab.open = true;
    return slab;
  }

  /** Keeps a slab that nothing uses any more, up to a limit. */
  #keep(slab: Slab): void {
    slab.offset = 0;
    if (slab.bytes.length === SLAB_BYTES && this.#large.length < POOLED_LARGE_SLABS) this.#large.push(slab);
    else if (slab.bytes.length === SMALL_SLAB_BYTES && this.#small.length < POOLED_SMALL_SLABS) this.#small.push(slab);
  }

  /** One use of `slab` has ended. */
  release(slab: Slab): void {
    if (--slab.uses > 0) return;
    if (slab.open) slab.offset = 0;
    else this.#keep(slab);
  }

  /** Nobody appends to `slab` any more. */
  close(slab: Slab): void {
    slab.open = false;
    if (slab.uses === 0) this.#keep(slab);
  }
}

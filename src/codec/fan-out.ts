/** Publishing: one message, encoded once, is appended to the outboxes of all who get it. */
import { encodedSize, encodeMessage } from "./encode.ts";
import type { Slab, SlabPool } from "./slab-pool.ts";

/** Encodes messages for many outboxes at once. */
export class FanOut {
  readonly #pool: SlabPool;
  #slab: Slab | undefined;
  /** The place of the last encoded message. */
  start = 0;
  end = 0;

  constructor(pool: SlabPool) {
    this.#pool = pool;
  }

  /** Encodes one message; it lies at `start` to `end` of the slab returned, for `Outbox.writeShared`. */
  encode(frames: readonly Uint8Array[]): Slab {
    const size = encodedSize(frames);
    let slab = this.#slab;
    if (slab === undefined || slab.bytes.length - slab.offset < size) {
      if (slab !== undefined) this.#pool.close(slab);
      slab = this.#pool.open(size, true);
      this.#slab = slab;
    }
    this.start = slab.offset;
    this.end = encodeMessage(slab.bytes, slab.offset, frames);
    slab.offset = this.end;
    return slab;
  }

  /** Lets go of the slab when nothing is using it. */
  close(): void {
    if (this.#slab !== undefined) this.#pool.close(this.#slab);
    this.#slab = undefined;
  }
}

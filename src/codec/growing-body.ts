/**
 * A body that comes in several chunks, in memory of its own. A size that is only announced allocates nothing: the
 * memory grows towards it as its octets come.
 */
import { grown, LARGE_BYTES, largeBuffer } from "../base/bytes.ts";
import { DIRECT_READ_BYTES, GROW_STEP_BYTES } from "../base/constants.ts";
import { FrameSizeError } from "./frame.ts";

export class GrowingBody {
  /** True from `begin` to `take`. */
  isOpen = false;
  /** The flags of its frame. */
  flags = 0;
  #memory: Buffer | undefined = undefined;
  #count = 0;
  #size = 0;

  /** True when all octets have come. */
  get isComplete(): boolean {
    return this.#count === this.#size;
  }

  /** Begins a body of `size` octets. */
  begin(flags: number, size: number): void {
    this.isOpen = true;
    this.flags = flags;
    this.#size = size;
    this.#count = 0;
    this.#memory = size < LARGE_BYTES ? Buffer.allocUnsafe(size) : largeBuffer(Math.min(size, GROW_STEP_BYTES));
  }

  /**
   * Copies octets of the chunk, from `from` on. Returns the offset of the first one behind the body.
   * @throws FrameSizeError when there is no memory for more.
   */
  fill(chunk: Buffer, from: number): number {
    let memory = this.#memory as Buffer;
    let offset = from;
    while (offset < chunk.length && this.#count < this.#size) {
      if (this.#count === memory.length) memory = this.#grow(memory);
      const count = Math.min(memory.length - this.#count, chunk.length - offset);
      chunk.copy(memory, this.#count, offset, offset + count);
      this.#count += count;
      offset += count;
    }
    return offset;
  }

  /**
   * Memory to read octets to directly; undefined when so few are missing that they had better come with what follows
   * them.
   */
  get target(): Buffer | undefined {
    const memory = this.#memory;
    if (memory === undefined || memory.length - this.#count < DIRECT_READ_BYTES) return undefined;
    return memory.subarray(this.#count);
  }

  /**
   * `count` octets were read to `target`.
   * @throws FrameSizeError when there is no memory for more.
   */
  filled(count: number): void {
    const memory = this.#memory as Buffer;
    this.#count += count;
    if (this.#count === memory.length && this.#count < this.#size) this.#grow(memory);
  }

  /** Ends it, and gives the complete body. */
  take(): Buffer {
    const memory = this.#memory as Buffer;
    this.drop();
    return memory;
  }

  /** Lets go of its memory. */
  drop(): void {
    this.isOpen = false;
    this.#memory = undefined;
  }

  #grow(memory: Buffer): Buffer {
    const larger = grown(memory, this.#size);
    if (larger === undefined) {
      throw new FrameSizeError("ERR_ZMTP_UNSPECIFIED", `no memory for a frame of ${this.#size} octets`);
    }
    this.#memory = larger;
    return larger;
  }
}

/** Chunks that wait, undecoded, while a reader has told the decoder to stop. */
import { Ring } from "../base/ring.ts";

export class Backlog {
  readonly #chunks: Ring<Buffer> = new Ring();
  /** The first chunk was decoded up to here. */
  #firstOffset = 0;
  /** The offset at which the chunk begins that `shift` gave last. */
  offset = 0;
  /** Octets that wait. */
  bytes = 0;

  /** Adds a chunk behind all others. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /** Puts a chunk that was decoded up to `offset` in front of all others. */
  putBack(chunk: Buffer, offset: number): void {
    this.#chunks.unshift(chunk);
    this.#firstOffset = offset;
    this.bytes += chunk.length - offset;
  }

  /**
   * Takes the first chunk, which begins at `offset`; that lies behind its end when its memory was taken away meanwhile.
   */
  shift(): Buffer | undefined {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return undefined;
    this.offset = this.#firstOffset;
    this.#firstOffset = 0;
    this.bytes -= chunk.length - this.offset;
    return chunk;
  }

  /** Drops everything. */
  clear(): void {
    this.#chunks.clear();
    this.#firstOffset = 0;
    this.bytes = 0;
  }
}

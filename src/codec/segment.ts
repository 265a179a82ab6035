/** The elements of an outbox's list. */
import { View } from "../base/bytes.ts";
import type { Slab } from "./slab-pool.ts";
import type { WaitingTopic } from "./waiting-topic.ts";

/** A range of some memory that waits to be written. */
export class Segment {
  readonly bytes: Uint8Array;
  readonly slab: Slab | undefined;
  readonly start: number;
  end: number;
  /** The number of messages that end in it. */
  messages = 0;
  /** True when it ends where a message ends. */
  whole = false;
  /** A subscription that has no octets before there is a peer, whose version decides its form. */
  topic: WaitingTopic | undefined = undefined;

  constructor(bytes: Uint8Array, slab: Slab | undefined, start: number, end: number) {
    this.bytes = bytes;
    this.slab = slab;
    this.start = start;
    this.end = end;
  }

  /** Its program has transferred the memory of the body. */
  get isMissing(): boolean {
    return this.bytes.length < this.end;
  }

  view(): Buffer {
    const { bytes, start, end } = this;
    return new View(bytes.buffer, bytes.byteOffset + start, end - start);
  }
}

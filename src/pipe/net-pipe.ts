/**
 * The pipe of a network peer: what is written is encoded into an outbox at once, which a session empties through the
 * link; what a session decodes is pushed into the inbox.
 */

import {
  ALWAYS_COPY_BYTES,
  BURST_FACTOR,
  COPY_LIMIT_BYTES,
  DECODE_AHEAD_MESSAGES,
  SLAB_BYTES,
} from "../base/constants.ts";
import type { ErrnoError } from "../base/errors.ts";
import type { FanOut } from "../codec/fan-out.ts";
import { Outbox } from "../codec/outbox.ts";
import type { Slab, SlabPool } from "../codec/slab-pool.ts";
import { lowWaterOf, Pipe, type PipeOwner } from "./pipe.ts";

/** The network half of a pipe. */
export interface PipeLink {
  /** True when this socket connected to the peer. */
  readonly isOutgoing: boolean;
  /** Offers what waits to the kernel, now. */
  flush(): void;
  /** Something waits: flush at the end of this turn. */
  schedule(): void;
  /** True when that needs no saying again. */
  readonly isScheduled: boolean;
  /** The inbox has room again. */
  resume(): void;
  /** Writes a subscription in the form that the peer reads. Only while there is one. */
  subscribe(topic: Buffer, subscribe: boolean): void;
  /** The pattern refuses this peer: it is cut off, and `error` becomes an event. */
  refuse(error: ErrnoError): void;
  /** The pattern is done with this peer: what waits is written, then the connection ends for good. */
  finish(): void;
}

/** Limits of a pipe to a network peer. */
export interface PipeLimits {
  /** High-water marks, in messages. */
  readonly send: number;
  readonly receive: number;
  /** Messages decoded ahead of the reader. */
  readonly ahead: number;
  readonly conflate: boolean;
}

/** The pipe of a network peer. A connecting session keeps it over reconnects. */
export class NetPipe extends Pipe {
  readonly outbox: Outbox;
  /** True when messages are written, false when pieces of one stream are. */
  readonly isFramed: boolean = true;
  link: PipeLink;
  /** The high-water mark is so low that hardly anything may wait undecoded either. */
  isBounded: boolean;
  readonly #ahead: number;
  #sendLimit: number;
  /** The mark was passed at the end of a turn, and is still. */
  #isSlow = false;

  constructor(owner: PipeOwner, link: PipeLink, pool: SlabPool, limits: PipeLimits) {
    super(owner, Math.min(limits.receive, limits.ahead), limits.conflate, link.isOutgoing);
    this.link = link;
    this.outbox = new Outbox(pool);
    this.#ahead = limits.ahead;
    this.isBounded = limits.receive <= DECODE_AHEAD_MESSAGES;
    this.#sendLimit = limits.send;
  }

  override get full(): boolean {
    if (this.outbox.queued < this.#sendLimit || this.conflates) return false;
    this.link.flush();
    return this.outbox.queued >= this.#sendLimit;
  }

  override get overflows(): boolean {
    if (!this.full) return false;
    // Nobody is there who could read what one turn sends.
    if (!this.isConnected || this.#isSlow) return true;
    // A write above the size of a slab is flushed at once and ends no turn by itself.
    this.link.schedule();
    return this.outbox.queued >= this.#sendLimit * BURST_FACTOR;
  }

  /** The turn in which something was written is over. */
  turnEnded(): void {
    this.#isSlow = this.outbox.queued >= this.#sendLimit;
  }

  override write(frames: readonly Uint8Array[]): void {
    const outbox = this.outbox;
    if (this.conflates) outbox.clear();
    // A message may wait long for a peer: it is not kept twice.
    outbox.write(frames, this.isConnected ? COPY_LIMIT_BYTES : ALWAYS_COPY_BYTES);
    this.written();
  }

  override writeFirst(frames: readonly Uint8Array[]): void {
    this.outbox.writeFirst(frames);
    this.written();
  }

  override writeShared(fanOut: FanOut, slab: Slab, frames: readonly Uint8Array[]): void {
    if (this.conflates) {
      this.write(frames);
      return;
    }
    this.outbox.writeShared(slab, fanOut.start, fanOut.end);
    this.written();
  }

  override subscribe(topic: Buffer, subscribe: boolean): void {
    if (this.isConnected) this.link.subscribe(topic, subscribe);
    else this.outbox.writeTopic(topic, subscribe);
  }

  override get waitingTopics(): number {
    return this.outbox.waitingTopics;
  }

  override dropTopics(): void {
    this.outbox.encodeTopics();
  }

  override moveUnsent(to: Pipe): void {
    if (!(to instanceof NetPipe)) {
      this.dropUnsent();
      return;
    }
    to.outbox.adopt(this.outbox);
    // Not at once: a message may have to come first (`writeFirst`).
    to.link.schedule();
  }

  /** Drops what waits: here end all messages that were accepted for a network peer, and have none any more. */
  dropUnsent(): void {
    this.outbox.lost();
    this.outbox.clear();
  }

  override refuse(error: ErrnoError): void {
    this.link.refuse(error);
  }

  override finish(): void {
    this.link.finish();
  }

  override setReceiveLimit(limit: number): void {
    this.isBounded = limit <= DECODE_AHEAD_MESSAGES;
    super.setReceiveLimit(Math.min(limit, this.#ahead));
  }

  override setSendLimit(limit: number): void {
    this.#sendLimit = limit;
    this.roomMade();
  }

  /** The network half has emptied the outbox somewhat. */
  roomMade(): void {
    if (this.#isSlow) this.turnEnded();
    if (!this.writerWaits || this.outbox.queued > lowWaterOf(this.#sendLimit)) return;
    this.writerWaits = false;
    this.owner.writable(this);
  }

  protected override goOn(): void {
    this.link.resume();
  }

  protected written(): void {
    if (this.outbox.bytes >= SLAB_BYTES) this.link.flush();
    else if (!this.link.isScheduled) this.link.schedule();
  }
}

/** The pipe of a peer that speaks no ZMTP: what is written are octets. */
export class RawPipe extends NetPipe {
  override readonly isFramed: boolean = false;
  /** True when the application is told that the peer came, and that it went. */
  readonly notifies: boolean;

  constructor(owner: PipeOwner, link: PipeLink, pool: SlabPool, limits: PipeLimits, notifies: boolean) {
    super(owner, link, pool, limits);
    this.notifies = notifies;
  }

  override write(frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.outbox.writeRaw(frame);
    this.written();
  }
}

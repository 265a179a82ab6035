/**
 * THE WAIST: one peer, as the two halves of the project see it. Sessions and transports fill and empty a pipe and know no
 * pattern; patterns read and write it and know no transport.
 *
 *     pattern half            |   pipe                          |   network half
 *     write, subscribe   ->   |   outbox, counted by messages   |   -> link.flush()
 *     pull               <-   |   inbox                         |   <- push
 *
 * Contracts
 * - Only whole messages pass. `push` returns false when the receive high-water mark is reached, or
 *   PipeLimits.ahead if that is less: the network half stops then (nothing is ever dropped here), and is told to go on by `link.resume()`
 *   when the reader has drained the inbox to half.
 * - `full` says that a write would pass the send high-water mark after the kernel was offered everything. A writer
 *   that saw `full` is told by `owner.writable()` once there is room. Writing to a full pipe is allowed and queues.
 * - Both sides may call each other back from inside these calls; a pipe changes its own state first.
 * - After `end()` nothing arrives any more, but what waits in the inbox can still be pulled.
 */

import {
  ALWAYS_COPY_BYTES,
  BURST_FACTOR,
  COPY_LIMIT_BYTES,
  DECODE_AHEAD_MESSAGES,
  SLAB_BYTES,
} from "../base/constants.ts";
import type { ErrnoError } from "../base/errors.ts";
import { Ring } from "../base/ring.ts";
import type { FanOut } from "../codec/fan-out.ts";
import { Outbox } from "../codec/outbox.ts";
import type { Slab, SlabPool } from "../codec/slab-pool.ts";
import { Link } from "../routing/rotation.ts";

/** What the handshake told of a peer. */
export interface PeerFacts {
  /** The address it speaks from, without port; empty when unknown. */
  readonly address: string;
  /** READY properties and what authentication added, by name. */
  readonly properties: ReadonlyMap<string, Buffer>;
  /** The routing id it announced; empty means anonymous. */
  readonly identity: Buffer;
}

const NO_BYTES = Buffer.alloc(0);

/** A peer of which nothing is known yet. */
export const UNKNOWN_PEER: PeerFacts = { address: "", properties: new Map(), identity: NO_BYTES };

/** The pattern half of a pipe. */
export interface PipeOwner {
  /** Offers a message that arrives in an empty inbox. True: it was handed over (or dropped) and is not queued. */
  deliver(pipe: Pipe, frames: Buffer[]): boolean;
  /** The inbox was empty and has something now. */
  readable(pipe: Pipe): void;
  /** The pipe was full and has room now. */
  writable(pipe: Pipe): void;
  /** The peer (un)subscribed by a command. */
  subscription(pipe: Pipe, topic: Buffer, subscribe: boolean): void;
  /** A peer stands behind the pipe from now on: at attach, and again after each reconnect. */
  connected(pipe: Pipe): void;
  /** The peer is gone; a connecting session keeps the pipe and looks for it again. */
  disconnected(pipe: Pipe): void;
  /** The pipe has ended for good; its inbox may still hold messages. */
  ended(pipe: Pipe): void;
}

/** The network half of a pipe. */
export interface PipeLink {
  /** Whether this socket connected to the peer. */
  readonly isOutgoing: boolean;
  /** Offers what waits to the kernel, now. */
  flush(): void;
  /** Something waits: flush at the end of this turn. */
  schedule(): void;
  /** The inbox has room again. */
  resume(): void;
  /** Writes a subscription in the form that the peer reads. Only while there is one. */
  subscribe(topic: Buffer, subscribe: boolean): void;
  /** The pattern refuses this peer: it is cut off, and `error` becomes an event. */
  refuse(error: ErrnoError): void;
  /** The pattern is done with this peer: what waits is written, then the connection ends for good. */
  finish(): void;
}

/** What a pipe of a network peer may hold. */
export interface PipeLimits {
  /** High-water marks, in messages. */
  readonly send: number;
  readonly receive: number;
  /** Messages decoded ahead of the reader. */
  readonly ahead: number;
  readonly conflate: boolean;
}

/** Turns a high-water mark option into a limit: 0 means none. */
export function limitOf(highWaterMark: number): number {
  return highWaterMark === 0 ? Number.POSITIVE_INFINITY : highWaterMark;
}

/** Messages left when a stopped peer goes on: libzmq acknowledges in lumps of half the mark. */
function lowWaterOf(limit: number): number {
  return limit === Number.POSITIVE_INFINITY ? limit : limit - Math.floor((limit + 1) / 2);
}

let nextPipe = 0;

/** One peer. */
export abstract class Pipe {
  /** Distinguishes pipes in traces and orders them by age. */
  readonly number: number = nextPipe++;
  owner: PipeOwner;
  peer: PeerFacts = UNKNOWN_PEER;
  /** The id by which ROUTER and STREAM know this peer. */
  routingId: Buffer = NO_BYTES;
  /** Whether the peer announced that id; otherwise it was generated, or given to `connect`. */
  hasOwnId = false;
  /** Its places in the rotations of senders and receivers. */
  readonly sending: Link<Pipe> = new Link<Pipe>(this);
  readonly receiving: Link<Pipe> = new Link<Pipe>(this);
  /** No more messages will arrive or can be written. */
  isEnded = false;
  /** Whether a peer stands behind it at this moment. */
  isConnected = false;
  /** Whether this socket connected to the peer: then the pipe survives a loss. */
  readonly isOutgoing: boolean;
  /** Whether the writer met it full and waits. */
  writerWaits = false;
  /** Whether only the newest message is kept, either way. High-water marks mean nothing then. */
  protected conflates: boolean;
  protected readonly inbox: Ring<Buffer[]> = new Ring<Buffer[]>();
  #receiveLimit: number;
  #lowWater: number;
  #readerIsBehind = false;
  /** A message was pulled and is not delivered yet: what comes in now must not overtake it. */
  #isPulling = false;

  constructor(owner: PipeOwner, receiveLimit: number, conflates: boolean, isOutgoing: boolean) {
    this.owner = owner;
    this.isOutgoing = isOutgoing;
    this.conflates = conflates;
    this.#receiveLimit = receiveLimit;
    this.#lowWater = lowWaterOf(receiveLimit);
  }

  /** Messages that wait to be pulled. */
  get waiting(): number {
    return this.inbox.length;
  }

  /** Whether the network half was told to stop. */
  get readerIsBehind(): boolean {
    return this.#readerIsBehind;
  }

  /** The network half hands over a whole message. False: stop, until `resume()`. */
  push(frames: Buffer[]): boolean {
    if (this.inbox.length === 0) {
      if (this.#isPulling) {
        this.inbox.push(frames);
        return this.#goesOn();
      }
      if (this.owner.deliver(this, frames)) return true;
    } else if (this.conflates) {
      this.inbox.clear();
      this.inbox.push(frames);
      return true;
    }
    this.inbox.push(frames);
    if (this.inbox.length === 1) this.owner.readable(this);
    return this.#goesOn();
  }

  #goesOn(): boolean {
    if (this.inbox.length < this.#receiveLimit || this.conflates) return true;
    this.#readerIsBehind = true;
    return false;
  }

  /**
   * The pattern half takes the oldest message. More may come in inside, even into an empty inbox: `waiting` afterwards
   * tells, and `readable` is not called for it. `undefined` also for one that is lost on the way.
   */
  pull(): Buffer[] | undefined {
    const frames = this.inbox.shift();
    if (this.#readerIsBehind && this.inbox.length <= this.#lowWater) {
      this.#readerIsBehind = false;
      this.#isPulling = true;
      this.goOn();
      this.#isPulling = false;
    }
    return frames;
  }

  /** Drops what waits to be pulled. */
  discard(): void {
    this.inbox.clear();
    if (!this.#readerIsBehind) return;
    this.#readerIsBehind = false;
    if (!this.isEnded) this.goOn();
  }

  /** New high-water marks; they hold at once. */
  setReceiveLimit(limit: number): void {
    this.#receiveLimit = limit;
    this.#lowWater = lowWaterOf(limit);
    if (this.#readerIsBehind && this.inbox.length <= this.#lowWater && !this.isEnded) {
      this.#readerIsBehind = false;
      this.goOn();
    }
  }

  /** Whether a write would pass the send high-water mark, after the kernel was offered everything. */
  abstract get full(): boolean;
  /**
   * For types that drop: whether the next message has to be dropped. A peer of which the mark was reached in this very
   * turn had no chance to read yet; what one turn sends is queued, up to BURST_FACTOR times the mark.
   */
  abstract get overflows(): boolean;
  /** Queues a message; bodies above the copy limit are referenced. */
  abstract write(frames: readonly Uint8Array[]): void;
  /** Queues a message in front of all others: what a connection starts with. */
  abstract writeFirst(frames: readonly Uint8Array[]): void;
  /** Queues a message that a fan-out encoded. */
  abstract writeShared(fanOut: FanOut, slab: Slab, frames: readonly Uint8Array[]): void;
  /** Tells the peer of a subscription; before there is one, it waits in its place among the messages. No mark counts it. */
  abstract subscribe(topic: Buffer, subscribe: boolean): void;
  /** Subscriptions that wait for a peer. */
  abstract get waitingTopics(): number;
  /** Drops them. */
  abstract dropTopics(): void;
  /** What waits goes to another pipe, of the same peer, when that can take it; otherwise it is dropped. */
  abstract moveUnsent(to: Pipe): void;
  /** Refuses this peer: it is cut off, and `error` becomes an event. */
  abstract refuse(error: ErrnoError): void;
  /** Ends the connection for good when what waits is written. */
  abstract finish(): void;
  abstract setSendLimit(limit: number): void;
  protected abstract goOn(): void;
}

/** The pipe of a network peer. A connecting session keeps it over reconnects. */
export class NetPipe extends Pipe {
  readonly outbox: Outbox;
  /** Whether what is written are messages, and not pieces of one stream. */
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
    // What waits for a peer may wait for long: it is not kept twice.
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
    else this.link.schedule();
  }
}

/** The pipe of a peer that speaks no ZMTP: what is written are octets. */
export class RawPipe extends NetPipe {
  override readonly isFramed: boolean = false;
  /** Whether the application is told that the peer came, and that it went. */
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

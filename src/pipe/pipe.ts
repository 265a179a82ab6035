/**
 * THE WAIST: one peer, as the two halves of the project see it. Sessions and transports fill and empty a pipe and know
 * no pattern; patterns read and write it and know no transport.
 *
 *     pattern half            |   pipe                          |   network half
 *     write, subscribe   ->   |   outbox, counted by messages   |   -> link.flush()
 *     pull               <-   |   inbox                         |   <- push
 *
 * Contracts
 * - Only whole messages pass. `push` returns false when the receive high-water mark is reached, or PipeLimits.ahead if
 *   that is less: the network half stops then (nothing is ever dropped here), and is told to go on by `link.resume()`
 *   when the reader has drained the inbox to half.
 * - `full` says that a write would pass the send high-water mark after the kernel was offered everything. A writer
 *   that saw `full` is told by `owner.writable()` once there is room. Writing to a full pipe is allowed and queues.
 * - Both sides may call each other back from inside these calls; a pipe changes its own state first.
 * - After `end()` nothing arrives any more, but what waits in the inbox can still be pulled.
 */

import { EMPTY } from "../base/bytes.ts";
import type { ErrnoError } from "../base/errors.ts";
import { Ring } from "../base/ring.ts";
import type { FanOut } from "../codec/fan-out.ts";
import { type PeerFacts, UNKNOWN_PEER } from "../codec/peer-facts.ts";
import type { Slab } from "../codec/slab-pool.ts";
import { Link } from "../routing/rotation.ts";

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

/** Turns a high-water mark option into a limit: 0 means none. */
export function limitOf(highWaterMark: number): number {
  return highWaterMark === 0 ? Number.POSITIVE_INFINITY : highWaterMark;
}

/** Messages left when a stopped peer goes on: libzmq acknowledges in lumps of half the mark. */
export function lowWaterOf(limit: number): number {
  return limit === Number.POSITIVE_INFINITY ? limit : limit - Math.floor((limit + 1) / 2);
}

/** One peer. */
export abstract class Pipe {
  owner: PipeOwner;
  peer: PeerFacts = UNKNOWN_PEER;
  /** The id by which ROUTER and STREAM know this peer. */
  routingId: Buffer = EMPTY;
  /** A copy of it, which is in the messages that the program gets. */
  label: Buffer = EMPTY;
  /** True when the peer announced that id; otherwise it was generated, or given to `connect`. */
  hasOwnId = false;
  /** Its places in the rotations of senders and receivers. */
  readonly sending: Link<Pipe> = new Link<Pipe>(this);
  readonly receiving: Link<Pipe> = new Link<Pipe>(this);
  /** No more messages will arrive or can be written. */
  isEnded = false;
  /** True while a peer stands behind it. */
  isConnected = false;
  /** True when this socket connected to the peer: then the pipe survives a loss. */
  readonly isOutgoing: boolean;
  /** True when the writer met it full and waits. */
  writerWaits = false;
  /** True when only the newest message is kept, either way. High-water marks mean nothing then. */
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
   * The pattern half removes the oldest message. More may come in inside, even into an empty inbox: `waiting`
   * afterwards tells, and `readable` is not called for it. `undefined` also for one that is lost on the way.
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

  /** True when a write would pass the send high-water mark, after the kernel was offered everything. */
  abstract get full(): boolean;
  /**
   * True when a type that drops has to drop the next message. A peer of which the mark was reached in this very
   * turn had no chance to read yet; what one turn sends is queued, up to BURST_FACTOR times the mark.
   */
  abstract get overflows(): boolean;
  /** Queues a message; bodies above the copy limit are referenced. */
  abstract write(frames: readonly Uint8Array[]): void;
  /** Queues a message in front of all others: what a connection starts with. */
  abstract writeFirst(frames: readonly Uint8Array[]): void;
  /** Queues a message that a fan-out encoded. */
  abstract writeShared(fanOut: FanOut, slab: Slab, frames: readonly Uint8Array[]): void;
  /**
   * Tells the peer of a subscription; before there is one, it waits in its place among the messages. No mark counts it.
   */
  abstract subscribe(topic: Buffer, subscribe: boolean): void;
  /** Subscriptions that wait for a peer. */
  abstract get waitingTopics(): number;
  /** Drops them. */
  abstract dropTopics(): void;
  /** Moves what waits to another pipe, of the same peer; where that cannot hold it, it is dropped. */
  abstract moveUnsent(to: Pipe): void;
  /** Refuses this peer: it is cut off, and `error` becomes an event. */
  abstract refuse(error: ErrnoError): void;
  /** Ends the connection for good when what waits is written. */
  abstract finish(): void;
  abstract setSendLimit(limit: number): void;
  protected abstract goOn(): void;
}

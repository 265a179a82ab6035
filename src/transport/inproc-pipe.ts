/**
 * One end of a pair of pipes that joins two sockets of one context. No octet is encoded: a message that is written to
 * one end arrives at the other in the same moment, but for answers (answers.ts).
 *
 *     socket A  <- owner -  pipe a  <- far ->  pipe b  - owner ->  socket B
 *
 * Before the name is bound there is no far end, and what is written waits here. When either end closes, the pair is
 * gone for good.
 */

import { isMissing, smallBuffer, steady, View } from "../base/bytes.ts";
import { ALWAYS_COPY_BYTES, BURST_FACTOR } from "../base/constants.ts";
import type { ErrnoError } from "../base/errors.ts";
import { type EventSink, reportMissing } from "../base/events.ts";
import { Ring } from "../base/ring.ts";
import { putBody } from "../codec/encode.ts";
import type { FanOut } from "../codec/fan-out.ts";
import type { PeerFacts } from "../codec/peer-facts.ts";
import type { Slab } from "../codec/slab-pool.ts";
import { WaitingTopic } from "../codec/waiting-topic.ts";
import type { Answers } from "../loop/answers.ts";
import { setImmediate } from "../loop/clock.ts";
import { lowWaterOf, Pipe, type PipeOwner } from "../pipe/pipe.ts";

/** A socket, or the asking side of ZAP, as inproc needs it. */
export interface InprocSocket {
  readonly pattern: PipeOwner & { attach(pipe: Pipe): void };
  /** Calls `endTurn` when this turn of the event loop ends. */
  schedule(item: { endTurn(): void; isScheduled: boolean }): void;
  /** The properties that READY would tell of this socket. */
  facts(): PeerFacts;
  /** Decides which sockets may be joined to it; one without a type may be joined to any. */
  readonly socketType?: number;
  /** True while a receive waits: a message wakes it. */
  readonly isWaiting?: boolean;
  /** Hears of a refused peer, the only event of inproc. */
  readonly events?: EventSink;
  readonly limits: { readonly send: number; readonly receive: number; readonly conflate: boolean };
}

/** The names of a context, as a pipe sees them that may wait for one to be bound. */
export interface EarlyNames {
  readonly answers: Answers;
  /** The pipe waits no longer. */
  forget(pipe: InprocPipe): void;
}

/** One end of a pair. What is written to it arrives in the other's inbox. */
export class InprocPipe extends Pipe {
  readonly address: string;
  /** Called once, when the pair is gone. */
  onEnd: (() => void) | undefined;
  readonly #names: EarlyNames;
  readonly socket: InprocSocket;
  /** The facts that the other end is told of this one. */
  readonly #facts: PeerFacts;
  #isClosed = false;
  #far: InprocPipe | undefined;
  /** Messages and subscriptions written before the name was bound. */
  readonly #early = new Ring<Buffer[] | WaitingTopic>();
  #earlyTopics = 0;
  /** Messages and subscriptions of the other end that arrive in the check phase, each by a callback of its own. */
  readonly #late = new Ring<Buffer[] | WaitingTopic>();
  #lateTopics = 0;
  /** True when all that was written early has gone over. */
  #isOpen = false;
  #sendLimit: number;
  #receiveLimit: number;
  isScheduled = false;
  /** The limit was passed at the end of a turn, and is still. */
  #isSlow = false;

  constructor(
    names: EarlyNames,
    address: string,
    socket: InprocSocket,
    isOutgoing: boolean,
    facts: PeerFacts,
    conflates: boolean,
  ) {
    // The inbox has no limit of its own: the writer compares with the sum of both marks.
    super(socket.pattern, Number.POSITIVE_INFINITY, conflates, isOutgoing);
    this.#names = names;
    this.address = address;
    this.socket = socket;
    this.#facts = facts;
    this.#sendLimit = socket.limits.send;
    this.#receiveLimit = socket.limits.receive;
  }

  /** Pairs two ends. */
  join(far: InprocPipe): void {
    this.#far = far;
    far.#far = this;
    this.peer = far.#facts;
    far.peer = this.#facts;
    this.isConnected = true;
    far.isConnected = true;
    // The queue between them is one: it conflates when either end asks for that.
    if (far.conflates) this.conflates = true;
    else if (this.conflates) far.conflates = true;
  }

  /** Both ends are attached: what was written early goes over. */
  joined(): void {
    if (!this.isEnded) this.owner.connected(this);
    for (;;) {
      const early = this.#early.shift();
      if (early === undefined) break;
      if (this.#far !== undefined) this.#far.#arrive(early);
    }
    this.#earlyTopics = 0;
    this.#isOpen = true;
    if (this.isEnded) this.close();
    else this.#roomMade();
  }

  override get full(): boolean {
    return this.#waiting >= this.#limit && !this.conflates;
  }

  /** Messages on their way to the other end. */
  get #waiting(): number {
    const far = this.#far;
    if (far === undefined) return this.#early.length - this.#earlyTopics;
    return far.waiting + far.#late.length - far.#lateTopics;
  }

  /** The number of messages that may be on their way. */
  get #limit(): number {
    return this.#far === undefined ? this.#sendLimit : this.#sendLimit + this.#far.#receiveLimit;
  }

  override get overflows(): boolean {
    if (!this.full) return false;
    // Nobody is there who could read what one turn sends.
    if (this.#far === undefined || this.#isSlow) return true;
    this.socket.schedule(this);
    return this.#waiting >= this.#limit * BURST_FACTOR;
  }

  /** The turn in which the limit was reached is over. */
  endTurn(): void {
    this.#isSlow = this.full;
  }

  override write(frames: readonly Uint8Array[]): void {
    const owned: Buffer[] = new Array(frames.length);
    for (let i = 0; i < frames.length; i++) owned[i] = own(frames[i]);
    if (this.#far !== undefined) this.#far.#deliver(owned);
    else {
      if (this.conflates) this.#early.clear();
      this.#early.push(owned);
    }
  }

  /** It is called before what was written early goes over. */
  override writeFirst(frames: readonly Uint8Array[]): void {
    this.write(frames);
  }

  override writeShared(_fanOut: FanOut, _slab: Slab, frames: readonly Uint8Array[]): void {
    this.write(frames);
  }

  override subscribe(topic: Buffer, subscribe: boolean): void {
    const change = new WaitingTopic(topic, subscribe);
    if (this.#isOpen) {
      if (this.#far !== undefined) this.#far.#deliver(change);
    } else {
      this.#early.push(change);
      this.#earlyTopics++;
    }
  }

  override get waitingTopics(): number {
    return this.#earlyTopics;
  }

  override dropTopics(): void {
    for (let left = this.#early.length; left > 0; left--) {
      const early = this.#early.shift() as Buffer[] | WaitingTopic;
      if (!(early instanceof WaitingTopic)) this.#early.push(early);
    }
    this.#earlyTopics = 0;
  }

  override moveUnsent(): void {
    // Nothing waits here for a peer that was known and is gone: the pair ends with it.
  }

  override refuse(error: ErrnoError): void {
    const { events } = this.socket;
    if (events?.active) events.emit({ type: "handshake:error:other", address: this.address, error });
    this.close();
  }

  /** Ends the pair; received messages can still be read, as from a peer that left. */
  override finish(): void {
    if (!this.isEnded) this.#end(false);
    this.close();
  }

  /** The other end has sent something. What follows an answer stays behind it. */
  #deliver(what: Buffer[] | WaitingTopic): void {
    if (this.isEnded) return;
    if (this.#late.length > 0 || !this.#mayArrive) this.#postpone(what);
    else this.#arrive(what);
  }

  /** Nobody but a socket answers. */
  get #mayArrive(): boolean {
    const far = this.#far;
    if (far === undefined || far.socket.socketType === undefined || this.socket.socketType === undefined) return true;
    return this.#names.answers.mayArrive(far.socket);
  }

  #postpone(what: Buffer[] | WaitingTopic): void {
    if (what instanceof WaitingTopic) this.#lateTopics++;
    else if (this.conflates) this.#dropLate();
    this.#late.push(what);
    setImmediate(this.#arriveLate);
  }

  readonly #arriveLate = (): void => {
    const what = this.#late.shift();
    if (what === undefined) return;
    if (what instanceof WaitingTopic) this.#lateTopics--;
    this.#arrive(what);
    if (this.#far !== undefined) this.#far.#roomMade();
  };

  #arrive(what: Buffer[] | WaitingTopic): void {
    if (this.isEnded) return;
    const far = this.#far;
    if (far?.socket.socketType !== undefined && this.socket.isWaiting) this.#names.answers.wakes(far.socket);
    if (what instanceof WaitingTopic) this.owner.subscription(this, what.topic, what.subscribe);
    else if (isMissing(what)) reportMissing((far ?? this).socket.events, this.address);
    else this.push(what);
  }

  #dropLate(): void {
    this.#late.clear();
    this.#lateTopics = 0;
  }

  override pull(): Buffer[] | undefined {
    const frames = super.pull();
    const far = this.#far;
    if (far !== undefined) far.#roomMade();
    if (frames === undefined || !isMissing(frames)) return frames;
    reportMissing((far ?? this).socket.events, this.address);
    return undefined;
  }

  override discard(): void {
    super.discard();
    if (this.#far !== undefined) this.#far.#roomMade();
  }

  override setSendLimit(limit: number): void {
    this.#sendLimit = limit;
    this.#roomMade();
  }

  override setReceiveLimit(limit: number): void {
    this.#receiveLimit = limit;
    if (this.#far !== undefined) this.#far.#roomMade();
  }

  flush(): void {
    // There is no kernel between the two ends.
  }

  eachPipe(visit: (pipe: Pipe) => void): void {
    visit(this);
  }

  /**
   * False, since messages for a name that is not bound keep no process alive: when it ends, nobody is left who could
   * bind it.
   */
  readonly hasUnsent = false;

  /** True while messages wait for the name to be bound. */
  get hasEarly(): boolean {
    return this.#early.length > this.#earlyTopics;
  }

  /**
   * Ends the pair. The other end keeps what it has received. With a linger other than 0, messages that were written
   * before the name was bound wait for it; whoever asked for that calls `close(0)` when the time is up.
   */
  close(linger = 0): void {
    if (this.#isClosed) return;
    if (!this.isEnded) this.#end(true);
    if (linger !== 0 && this.hasEarly) return;
    this.#isClosed = true;
    this.#early.clear();
    this.#earlyTopics = 0;
    this.#names.forget(this);
    const far = this.#far;
    this.#far = undefined;
    this.onEnd?.();
    if (far === undefined || far.#isClosed) return;
    far.#isClosed = true;
    far.#far = undefined;
    if (!far.isEnded) far.#end(false);
    far.onEnd?.();
  }

  protected override goOn(): void {
    // Nobody was stopped: the limit is the writer's.
  }

  #end(drops: boolean): void {
    if (drops) this.#dropLate();
    while (this.#late.length > 0) this.#arriveLate();
    this.isEnded = true;
    this.isConnected = false;
    // Whoever waits to write to a pair that ends must not be told of room.
    if (drops) super.discard();
    else this.owner.disconnected(this);
    this.owner.ended(this);
  }

  #roomMade(): void {
    if (this.#isSlow) this.endTurn();
    if (!this.writerWaits) return;
    if (this.#waiting > lowWaterOf(this.#limit)) return;
    this.writerWaits = false;
    this.owner.writable(this);
  }
}

/** A body that the receiver may keep: a copy when it is small, the same memory when it is not. */
function own(body: Uint8Array): Buffer {
  const length = body.length;
  if (length > ALWAYS_COPY_BYTES) {
    const kept = steady(body);
    return Buffer.isBuffer(kept) ? kept : new View(kept.buffer, kept.byteOffset, length);
  }
  const copy = smallBuffer(length);
  putBody(copy, 0, body);
  return copy;
}

/**
 * Peers of a publisher that are there and have not said yet what they want. A program that connects a subscriber,
 * subscribes and asks a server in one turn means to hear what that publishes from then on; but its question may be read
 * before its subscriptions are. So what is published meanwhile is kept, once for all such peers, and each gets of it
 * what it subscribed to.
 *
 * Rules
 * - A peer is a newcomer from its connection on, until its first subscriptions are in; for NEWCOMER_TICKS of the
 *   handshake at the longest, and two behind it. It gets what was published since it came, at the end of the turn in
 *   which it subscribed, or before the next message if that is sooner.
 * - The newest messages are kept, up to the send high-water mark and KEPT_BYTES: what a peer gets has no gap before
 *   what follows. Each is kept until the second tick, KEPT_MS apart, and none when there is no newcomer.
 * - Where no peer is there, the next one may wait for its acceptance already, and the program may compute for long:
 *   what is published then is kept until the loop has looked for connections once more.
 * - A tick that comes late counts for nothing, up to LATE_TICKS in a row: a program that computes has read nothing
 *   meanwhile.
 */
import { isMissing } from "../base/bytes.ts";
import { COPY_LIMIT_BYTES, KEPT_BYTES, KEPT_MS, LATE_TICKS, LATE_TIMER_MS, NEWCOMER_TICKS } from "../base/constants.ts";
import { reportMissing } from "../base/events.ts";
import { Ring } from "../base/ring.ts";
import { clearTimeout, now, setTimeout } from "../loop/clock.ts";
import type { Flushable } from "../loop/turn.ts";
import { limitOf, type Pipe } from "../pipe/pipe.ts";
import type { SubscriptionTrie } from "../routing/subscription-trie.ts";
import type { Newcomer } from "../session/socket-side.ts";
import { keep } from "./message.ts";
import type { PatternSocket } from "./pattern.ts";

/** Counted for a frame beside its octets: its object, so that empty messages are bounded too. */
const FRAME_BYTES = 128;

/** One such peer. */
class Waiting implements Newcomer {
  pipe: Pipe | undefined;
  /** Ticks that it has left. */
  ticks: number = NEWCOMER_TICKS;
  /** The number of the first message that may be meant for it. */
  readonly since: number;
  readonly #all: Newcomers;

  constructor(all: Newcomers, since: number) {
    this.#all = all;
    this.since = since;
  }

  joined(pipe: Pipe): void {
    this.#all.joined(this, pipe);
  }

  left(): void {
    this.#all.remove(this);
  }
}

export class Newcomers implements Flushable {
  isScheduled = false;
  readonly #socket: PatternSocket;
  readonly #subscriptions: SubscriptionTrie<Pipe>;
  readonly #peers = new Set<Waiting>();
  readonly #byPipe = new Map<Pipe, Waiting>();
  /** Those that have subscribed by now. */
  readonly #subscribed = new Set<Waiting>();
  readonly #kept = new Ring<Uint8Array[]>();
  #bytes = 0;
  /** The number of the oldest message that is kept, and of the first since the last tick. */
  #first = 0;
  #fresh = 0;
  /** Ends of turns until the loop has looked for connections since the last message for nobody. */
  #turns = 0;
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  #lateTicks = 0;

  constructor(socket: PatternSocket, subscriptions: SubscriptionTrie<Pipe>) {
    this.#socket = socket;
    this.#subscriptions = subscriptions;
  }

  /** True while there is any. */
  get any(): boolean {
    return this.#peers.size > 0;
  }

  /** A peer has come. */
  add(): Newcomer {
    const peer = new Waiting(this, this.#turns > 0 ? this.#first : this.#end);
    this.#peers.add(peer);
    if (this.#timer === undefined) this.#arm();
    return peer;
  }

  joined(peer: Waiting, pipe: Pipe): void {
    if (!this.#peers.has(peer)) return;
    // One that is back after a loss has its place, and gets what is published by it.
    if (this.#subscriptions.knows(pipe)) {
      this.remove(peer);
      return;
    }
    peer.pipe = pipe;
    peer.ticks = 2;
    this.#byPipe.set(pipe, peer);
  }

  /** A peer has subscribed to something; more of it may be about to come. */
  subscribed(pipe: Pipe): void {
    const peer = this.#byPipe.get(pipe);
    if (peer === undefined) return;
    this.#subscribed.add(peer);
    this.#socket.schedule(this);
  }

  endTurn(): void {
    this.welcome();
    if (this.#turns === 0) return;
    if (--this.#turns > 0) this.#socket.schedule(this);
    else if (!this.any) this.#forgetAll();
  }

  /** Gives those that have subscribed what was published since they came. Comes before whatever is published next. */
  welcome(): void {
    for (const peer of this.#subscribed) {
      const { pipe } = peer;
      if (pipe !== undefined) this.#replay(pipe, Math.max(peer.since - this.#first, 0));
      this.remove(peer);
    }
  }

  /** Keeps a message that was published where no peer is. */
  keepForNext(frames: readonly Uint8Array[]): void {
    this.#turns = 2;
    this.#socket.schedule(this);
    this.keep(frames);
  }

  /** Keeps a message that was published. */
  keep(frames: readonly Uint8Array[]): void {
    const bytes = sizeOf(frames);
    if (bytes > KEPT_BYTES) {
      this.#forgetAll();
      // It has a number too: who came before it gets nothing of what was there then.
      this.#first++;
      return;
    }
    this.#kept.push(frames.map((body) => (body.length <= COPY_LIMIT_BYTES ? Buffer.from(body) : keep(body))));
    this.#bytes += bytes;
    const limit = limitOf(this.#socket.options.sendHighWaterMark);
    while (this.#bytes > KEPT_BYTES || this.#kept.length > limit) this.#forget();
  }

  ended(pipe: Pipe): void {
    const peer = this.#byPipe.get(pipe);
    if (peer !== undefined) this.remove(peer);
  }

  remove(peer: Waiting): void {
    if (!this.#peers.delete(peer)) return;
    this.#subscribed.delete(peer);
    if (peer.pipe !== undefined) this.#byPipe.delete(peer.pipe);
    if (this.any) return;
    this.#forgetAll();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    for (const peer of this.#peers) this.remove(peer);
  }

  get #end(): number {
    return this.#first + this.#kept.length;
  }

  #replay(pipe: Pipe, from: number): void {
    const kept = this.#kept;
    for (let i = from; i < kept.length; i++) {
      const frames = kept.at(i) as Uint8Array[];
      if (isMissing(frames)) reportMissing(this.#socket.events, pipe.peer.address);
      else if (this.#subscriptions.covers(frames[0], pipe) && !pipe.overflows) pipe.write(frames);
    }
  }

  #arm(): void {
    this.#due = now() + KEPT_MS;
    this.#timer = setTimeout(this.#tick, KEPT_MS).unref();
  }

  readonly #tick = (): void => {
    const isLate = now() - this.#due > LATE_TIMER_MS;
    this.#arm();
    if (isLate && ++this.#lateTicks <= LATE_TICKS) return;
    this.#lateTicks = 0;
    while (this.#kept.length > 0 && this.#first < this.#fresh) this.#forget();
    this.#fresh = this.#end;
    for (const peer of this.#peers) if (--peer.ticks === 0) this.remove(peer);
  };

  #forget(): void {
    this.#bytes -= sizeOf(this.#kept.shift() as Uint8Array[]);
    this.#first++;
  }

  #forgetAll(): void {
    this.#first = this.#end;
    this.#kept.clear();
    this.#bytes = 0;
  }
}

function sizeOf(frames: readonly Uint8Array[]): number {
  let size = frames.length * FRAME_BYTES;
  for (let i = 0; i < frames.length; i++) size += frames[i].length;
  return size;
}

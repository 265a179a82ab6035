/**
 * PUB: each message to every peer that subscribed to a prefix of its first frame (RFC 29). A peer that is full misses
 * it, unless `noDrop` makes the send wait. What peers send beside subscriptions is dropped.
 */
import { steady } from "../base/bytes.ts";
import { COPY_LIMIT_BYTES } from "../base/constants.ts";
import { FanOut } from "../codec/fan-out.ts";
import type { PublisherOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { SubscriptionTrie } from "../routing/subscription-trie.ts";
import type { Newcomer } from "../session/socket-side.ts";
import { WritableSocket } from "./duplex.ts";
import { Newcomers } from "./newcomers.ts";
import { Pattern } from "./pattern.ts";
import { defineType, type SocketOptions } from "./socket.ts";
import { isSubscription, SUBSCRIBE } from "./topics.ts";

export class PublisherPattern extends Pattern {
  protected readonly trie: SubscriptionTrie<Pipe> = new SubscriptionTrie<Pipe>();
  protected readonly pipes: Set<Pipe> = new Set<Pipe>();
  /** Those whose subscriptions are on their way. */
  protected readonly newcomers: Newcomers = new Newcomers(this.socket, this.trie);
  readonly #fanOut = new FanOut(this.socket.pool);
  /** The pipes that get the message at hand; used again for each, so that matching allocates nothing. */
  readonly #matches: Pipe[] = [];

  override send(frames: Uint8Array[]): boolean {
    const { newcomers } = this;
    if (newcomers.any) newcomers.welcome();
    const matches = this.#matches;
    const count = this.match(frames, matches);
    if (this.socket.options.noDrop && this.#anyFull(matches, count)) return false;
    if (count === 1) {
      const pipe = matches[0];
      if (!pipe.overflows) pipe.write(frames);
    } else if (count > 1) {
      this.#distribute(frames, matches, count);
    }
    if (newcomers.any) newcomers.keep(frames);
    else if (this.pipes.size === 0) newcomers.keepForNext(frames);
    return true;
  }

  override get canSend(): boolean {
    if (!this.socket.options.noDrop) return true;
    for (const pipe of this.pipes) {
      if (!pipe.full) continue;
      pipe.writerWaits = true;
      return false;
    }
    return true;
  }

  override get topicsCount(): number {
    return this.trie.size;
  }

  override attach(pipe: Pipe): void {
    this.pipes.add(pipe);
  }

  /** Messages from peers are subscriptions, or nothing to a PUB. */
  override deliver(pipe: Pipe, frames: Buffer[]): boolean {
    const { onlyFirstSubscribe } = this.socket.options;
    for (let i = 0; i < frames.length; i++) {
      const frame = frames[i];
      if (isSubscription(frame)) this.subscription(pipe, frame.subarray(1), frame[0] === SUBSCRIBE);
      if (onlyFirstSubscribe) break;
    }
    return true;
  }

  override subscription(pipe: Pipe, topic: Buffer, subscribe: boolean): void {
    if (subscribe) this.trie.add(topic, pipe);
    else this.trie.remove(topic, pipe);
    this.newcomers.subscribed(pipe);
  }

  /** With inverted matching a peer that has not subscribed gets everything already. */
  override expect(): Newcomer | undefined {
    return this.socket.options.invertMatching ? undefined : this.newcomers.add();
  }

  override writable(): void {
    this.socket.wakeSender();
  }

  override ended(pipe: Pipe): void {
    this.pipes.delete(pipe);
    this.newcomers.ended(pipe);
    this.trie.removeAll(pipe);
    this.#matches.length = 0;
    if (pipe.writerWaits) this.socket.wakeSender();
  }

  override close(): void {
    this.newcomers.close();
    this.#fanOut.close();
  }

  /** Fills `out` with the peers that get this message; returns how many. */
  protected match(frames: Uint8Array[], out: Pipe[]): number {
    const first = frames[0];
    if (this.socket.options.invertMatching) return this.trie.matchInverted(first, this.pipes, out);
    return this.trie.match(first, out);
  }

  #distribute(frames: Uint8Array[], matches: Pipe[], count: number): void {
    let size = 0;
    for (let i = 0; i < frames.length; i++) size += frames[i].length;
    if (size > COPY_LIMIT_BYTES) {
      // Large bodies are referenced: each peer needs no more than the headers.
      const kept = frames.map(steady);
      for (let i = 0; i < count; i++) {
        const pipe = matches[i];
        if (!pipe.overflows) pipe.write(kept);
      }
      return;
    }
    const fanOut = this.#fanOut;
    const slab = fanOut.encode(frames);
    slab.uses++;
    for (let i = 0; i < count; i++) {
      const pipe = matches[i];
      if (!pipe.overflows) pipe.writeShared(fanOut, slab, frames);
    }
    this.socket.pool.release(slab);
  }

  #anyFull(matches: Pipe[], count: number): boolean {
    let any = false;
    for (let i = 0; i < count; i++) {
      const pipe = matches[i];
      if (!pipe.full) continue;
      pipe.writerWaits = true;
      any = true;
    }
    return any;
  }
}

export interface Publisher extends PublisherOptions {}

/**
 * Sends each message to every {@link Subscriber} that subscribed to a prefix of its first frame. A subscriber whose
 * high-water mark is reached misses messages, unless `noDrop` is set.
 */
export class Publisher extends WritableSocket {
  constructor(options?: SocketOptions<Publisher>) {
    super(SOCKET_TYPES.PUB, options);
  }
}

defineType(Publisher, SOCKET_TYPES.PUB, (socket) => new PublisherPattern(socket));

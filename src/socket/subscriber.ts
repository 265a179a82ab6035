/**
 * SUB: what publishers send under the topics that were subscribed to (RFC 29). Topics are counted here and told to each
 * publisher, again after every reconnect; what arrives is filtered once more, for publishers that know no topics and for
 * messages that were on their way.
 */
import type { SubscriberOptions } from "../option-types.ts";
import { SOCKET_TYPES } from "../options.ts";
import type { Pipe } from "../pipe.ts";
import { TopicSet } from "../routing/topic-set.ts";
import { Pattern, Queueing } from "./pattern.ts";
import { coreOf, installOptions, ReadableSocket, type SocketOptions } from "./socket.ts";

export class SubscriberPattern extends Pattern {
  override readonly refills: boolean = true;
  readonly #in = new Queueing();
  readonly #topics = new TopicSet();
  readonly #pipes = new Set<Pipe>();

  override receive(): Buffer[] | undefined {
    for (;;) {
      const frames = this.#in.next();
      if (frames === undefined || this.#wants(frames)) return frames;
    }
  }

  override get canReceive(): boolean {
    return this.#in.canReceive;
  }

  override get topicsCount(): number {
    return this.#topics.size;
  }

  override setTopic(topic: Buffer, subscribe: boolean): void {
    if (subscribe) this.#topics.add(topic);
    else if (this.#topics.remove(topic) !== 0) return;
    for (const pipe of this.#pipes) if (pipe.isConnected) pipe.subscribe(topic, subscribe);
  }

  override attach(pipe: Pipe): void {
    this.#pipes.add(pipe);
  }

  override connected(pipe: Pipe): void {
    for (const topic of this.#topics) pipe.subscribe(topic, true);
  }

  override take(_pipe: Pipe, frames: Buffer[]): boolean {
    return !this.#wants(frames) || this.host.hand(frames);
  }

  override readable(pipe: Pipe): void {
    this.#in.add(pipe);
    this.host.wakeReceiver();
  }

  override ended(pipe: Pipe): void {
    this.#pipes.delete(pipe);
    this.#in.ended(pipe);
  }

  #wants(frames: Buffer[]): boolean {
    return this.#topics.matches(frames[0] as Buffer) !== this.host.options.invertMatching;
  }
}

export interface Subscriber extends SubscriberOptions {}

/** Receives what {@link Publisher} sockets send under the topics that it subscribed to. */
export class Subscriber extends ReadableSocket {
  constructor(options?: SocketOptions<Subscriber>) {
    super(SOCKET_TYPES.SUB, options, (host) => new SubscriberPattern(host));
  }

  /**
   * Subscribes to messages whose first frame starts with one of `prefixes`; without any, to everything. Subscriptions
   * are counted: the same prefix twice has to be unsubscribed twice (ZMQ_SUBSCRIBE).
   */
  subscribe(...prefixes: (string | Buffer)[]): void {
    setTopics(this, prefixes, true);
  }

  /** Takes subscriptions back; unknown ones are passed over (ZMQ_UNSUBSCRIBE). */
  unsubscribe(...prefixes: (string | Buffer)[]): void {
    setTopics(this, prefixes, false);
  }
}

installOptions(Subscriber, SOCKET_TYPES.SUB);

function setTopics(socket: Subscriber, prefixes: readonly unknown[], subscribe: boolean): void {
  const core = coreOf(socket);
  core.assertOpen();
  const topics = (prefixes.length === 0 ? [""] : prefixes).map(toTopic);
  for (const topic of topics) core.setTopic(topic, subscribe);
}

/** A prefix as octets of its own. */
export function toTopic(prefix: unknown): Buffer {
  if (typeof prefix === "string") return Buffer.from(prefix);
  if (prefix instanceof Uint8Array) return Buffer.from(prefix);
  if (prefix === null) return Buffer.alloc(0);
  throw new TypeError("Option value must be a string or buffer");
}

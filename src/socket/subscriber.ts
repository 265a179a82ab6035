/**
 * SUB: what publishers send under the topics that were subscribed to (RFC 29). Topics are counted here and told to each
 * publisher, again after every reconnect; what arrives is filtered once more, for publishers that know no topics and
 * for messages that were on their way.
 */
import type { SubscriberOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { ReadableSocket } from "./duplex.ts";
import { coreOf, defineType, type SocketOptions } from "./socket.ts";
import { SubscribingPattern } from "./subscribing.ts";
import { setTopics } from "./topics.ts";

class SubscriberPattern extends SubscribingPattern {
  override receive(): Buffer[] | undefined {
    for (;;) {
      const frames = super.receive();
      if (frames === undefined || this.#wants(frames)) return frames;
    }
  }

  override setTopic(topic: Buffer, subscribe: boolean): void {
    if (subscribe) this.topics.add(topic);
    else if (this.topics.remove(topic) !== 0) return;
    this.tell(topic, subscribe);
  }

  override deliver(pipe: Pipe, frames: Buffer[]): boolean {
    return !this.#wants(frames) || super.deliver(pipe, frames);
  }

  #wants(frames: Buffer[]): boolean {
    return this.topics.matches(frames[0]) !== this.socket.options.invertMatching;
  }
}

export interface Subscriber extends SubscriberOptions {}

/** Receives what {@link Publisher} sockets send under the topics that it subscribed to. */
export class Subscriber extends ReadableSocket {
  constructor(options?: SocketOptions<Subscriber>) {
    super(SOCKET_TYPES.SUB, options);
  }

  /**
   * Subscribes to messages whose first frame starts with one of `prefixes`; without any, to everything. Subscriptions
   * are counted: the same prefix twice has to be unsubscribed twice (ZMQ_SUBSCRIBE).
   */
  subscribe(...prefixes: (string | Buffer)[]): void {
    setTopics(coreOf(this), prefixes, true);
  }

  /** Takes subscriptions back; unknown ones are passed over (ZMQ_UNSUBSCRIBE). */
  unsubscribe(...prefixes: (string | Buffer)[]): void {
    setTopics(coreOf(this), prefixes, false);
  }
}

defineType(Subscriber, SOCKET_TYPES.SUB, (socket) => new SubscriberPattern(socket));

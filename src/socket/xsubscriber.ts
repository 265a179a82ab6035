/**
 * XSUB: a SUB whose application subscribes by sending `01 topic` and `00 topic`; it may send other messages too, to all
 * publishers (RFC 29). Nothing is filtered here.
 */
import type { WriterOptions, XSubscriberOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import { DuplexSocket } from "./duplex.ts";
import { defineType, type SocketOptions } from "./socket.ts";
import { SubscribingPattern } from "./subscribing.ts";
import { isSubscription, SUBSCRIBE } from "./topics.ts";

class XSubscriberPattern extends SubscribingPattern {
  override send(frames: Uint8Array[]): boolean {
    if (frames.length === 1 && isSubscription(frames[0])) {
      this.#subscribe(frames[0]);
      return true;
    }
    const { onlyFirstSubscribe } = this.socket.options;
    const rest: Uint8Array[] = [];
    for (let i = 0; i < frames.length; i++) {
      const frame = frames[i];
      // Subscriptions among other frames go out in their place: the publisher finds them there.
      const isPlain = !isSubscription(frame) || (i > 0 && onlyFirstSubscribe);
      if (isPlain || this.#count(frame)) rest.push(frame);
    }
    if (rest.length > 0) for (const pipe of this.pipes) if (!pipe.overflows) pipe.write(rest);
    return true;
  }

  override get canSend(): boolean {
    return true;
  }

  /** Counts what the application does with a topic. True: publishers are to be told. */
  #count(frame: Uint8Array): boolean {
    const topic = frame.subarray(1);
    if (frame[0] !== SUBSCRIBE) return this.topics.remove(topic) === 0 || this.socket.options.verboseUnsubscribe;
    this.topics.add(topic);
    return true;
  }

  #subscribe(frame: Uint8Array): void {
    if (this.#count(frame)) this.tell(Buffer.from(frame.subarray(1)), frame[0] === SUBSCRIBE);
  }
}

export interface XSubscriber extends XSubscriberOptions, WriterOptions {}

/** A {@link Subscriber} that subscribes by sending messages of an octet 1 or 0 and the topic, and may send others. */
export class XSubscriber extends DuplexSocket {
  constructor(options?: SocketOptions<XSubscriber>) {
    super(SOCKET_TYPES.XSUB, options);
  }
}

defineType(XSubscriber, SOCKET_TYPES.XSUB, (socket) => new XSubscriberPattern(socket));

/**
 * zmtp: ZeroMQ sockets over Node's own streams. The names here are those of the `zeromq` package, no more and no less.
 */
import type { ErrnoError as Raised } from "./base/errors.ts";

export type {
  Event,
  EventOfType,
  EventType,
} from "./base/events.ts";
export { capability, curveKeyPair, version } from "./socket/about.ts";
export { Context, context } from "./socket/context.ts";
export { Dealer } from "./socket/dealer.ts";
export type { Readable, Writable } from "./socket/duplex.ts";
export type { Message, MessageLike } from "./socket/message.ts";
export { Pair } from "./socket/pair.ts";
export type { Peer } from "./socket/peer.ts";
export { Proxy, type ProxyCounters } from "./socket/proxy.ts";
export { Publisher } from "./socket/publisher.ts";
export { Pull } from "./socket/pull.ts";
export { Push } from "./socket/push.ts";
export { Reply } from "./socket/reply.ts";
export { Request } from "./socket/request.ts";
export type {
  NamedConnectOptions as RouterConnectOptions,
  NamedConnectOptions as StreamConnectOptions,
  RoutedConnectOptions,
} from "./socket/routed.ts";
export { Router } from "./socket/router.ts";
export { type EventSubscriber, Observer, Socket, type SocketOptions } from "./socket/socket.ts";
export { Stream } from "./socket/stream.ts";
export { Subscriber } from "./socket/subscriber.ts";
export { XPublisher } from "./socket/xpublisher.ts";
export { XSubscriber } from "./socket/xsubscriber.ts";

/** An error with libzmq's code and number. A type only: there is no such class to make instances of. */
export type ErrnoError = Raised;

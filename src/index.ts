/** zmtp: ZeroMQ sockets over Node's own streams. The names here are those of the `zeromq` package, no more and no less. */

export { capability, curveKeyPair, version } from "./about.ts";
export { Context, context } from "./context.ts";
export type { ErrnoError } from "./errors.ts";
export type {
  Event,
  EventOfType,
  EventType,
} from "./events.ts";
export { Proxy, type ProxyCounters } from "./proxy.ts";
export { Dealer } from "./socket/dealer.ts";
export type { Message, MessageLike } from "./socket/message.ts";
export { type EventSubscriber, Observer } from "./socket/observer.ts";
export { Pair } from "./socket/pair.ts";
export type { Peer } from "./socket/peer.ts";
export { Publisher } from "./socket/publisher.ts";
export { Pull } from "./socket/pull.ts";
export { Push } from "./socket/push.ts";
export { Reply } from "./socket/reply.ts";
export { Request } from "./socket/request.ts";
export { Router } from "./socket/router.ts";
export {
  type Readable,
  type RoutedConnectOptions,
  type RoutedConnectOptions as RouterConnectOptions,
  type RoutedConnectOptions as StreamConnectOptions,
  Socket,
  type SocketOptions,
  type Writable,
} from "./socket/socket.ts";
export { Stream } from "./socket/stream.ts";
export { Subscriber } from "./socket/subscriber.ts";
export { XPublisher } from "./socket/xpublisher.ts";
export { XSubscriber } from "./socket/xsubscriber.ts";

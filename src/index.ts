/** zmtp: ZeroMQ sockets over Node's own streams. The names here are those of the `zeromq` package, no more and no less. */

export { capability, version } from "./about.ts";
export { Context, context } from "./context.ts";
export type { ErrnoError } from "./errors.ts";
export type {
  Event,
  EventOfType,
  EventType,
} from "./events.ts";
export type { Message, MessageLike } from "./socket/message.ts";
export { type EventSubscriber, Observer } from "./socket/observer.ts";
export { Publisher } from "./socket/publisher.ts";
export { Pull } from "./socket/pull.ts";
export { Push } from "./socket/push.ts";
export { Reply } from "./socket/reply.ts";
export { Request } from "./socket/request.ts";
export { type Readable, Socket, type SocketOptions, type Writable } from "./socket/socket.ts";
export { Subscriber } from "./socket/subscriber.ts";

/**
 * STREAM: raw TCP (libzmq's own; no RFC). Each connection has an id; messages are `[id, octets]` both ways. `[id,
 * empty]` is received when a connection comes and when it goes (`notify`), and ends the connection when it is sent.
 */
import { EMPTY } from "../base/bytes.ts";
import type { ErrorCode } from "../base/errors.ts";
import type { StreamOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import { RawPipe } from "../pipe/net-pipe.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { DuplexSocket } from "./duplex.ts";
import type { Message, MessageLike } from "./message.ts";
import { connectWithId, type RoutedConnectOptions, RoutedPattern } from "./routed.ts";
import { defineType, type SocketOptions } from "./socket.ts";

class StreamPattern extends RoutedPattern {
  /** They go out as octets, one behind the other. */
  override get frameLimit(): number {
    return Number.POSITIVE_INFINITY;
  }

  override send(frames: Uint8Array[]): boolean {
    // An id alone is no message.
    if (frames.length === 1) return true;
    const pipe = this.ready(frames[0]);
    if (pipe === undefined) return false;
    const octets = frames.slice(1).filter((frame) => frame.length > 0);
    if (octets.length > 0) pipe.write(octets);
    else this.#hangUp(pipe);
    return true;
  }

  /** As libzmq has it: what cannot be sent fails then. */
  override get canSend(): boolean {
    return true;
  }

  /** Ids are only known of connections, so there is none to wait for. */
  override get sendRefusal(): ErrorCode | undefined {
    return this.sendFault === "EHOSTUNREACH" ? "EHOSTUNREACH" : undefined;
  }

  override attach(pipe: Pipe): void {
    if (pipe.routingId.length === 0) pipe.routingId = this.routes.generate();
    this.route(pipe);
  }

  override connected(pipe: Pipe): void {
    if (pipe instanceof RawPipe && pipe.notifies) pipe.push([EMPTY]);
  }

  override disconnected(pipe: Pipe): void {
    if (!(pipe instanceof RawPipe && pipe.notifies)) return;
    if (this.routes.get(pipe.routingId) === pipe) pipe.push([EMPTY]);
  }

  /** Nothing more comes of a connection that this side ended, not even a notice. */
  #hangUp(pipe: Pipe): void {
    this.routes.remove(pipe.routingId, pipe);
    pipe.finish();
  }
}

/** Options of STREAM, and its messages: the id of a connection, and octets. */
export interface Stream extends StreamOptions {
  /**
   * Sends octets on a connection; none end it.
   * @throws ErrnoError as other sockets' `send`; EHOSTUNREACH as rejection when the connection is gone
   */
  send(message: [MessageLike, MessageLike]): Promise<void>;
  /** Sends messages one after the other with one promise: resolves with how many were sent. */
  sendMany(messages: Iterable<[MessageLike, MessageLike]>): Promise<number>;
  /**
   * Receives octets of a connection; none tell that it came, or went.
   * @throws ErrnoError as other sockets' `receive`
   */
  receive(): Promise<[Message, Message]>;
  /** Receives what is here with one promise: at least one message, and `max` at most. Default 128. */
  receiveMany(max?: number): Promise<[Message, Message][]>;
  /** Receives message after message until the socket is closed. */
  [Symbol.asyncIterator](): AsyncIterator<[Message, Message], undefined>;
}

/** Raw TCP connections, each known by an id that is the first frame of its messages. */
export class Stream extends DuplexSocket {
  constructor(options?: SocketOptions<Stream>) {
    super(SOCKET_TYPES.STREAM, options);
  }

  /**
   * Connects; with `routingId`, 1 to 255 octets, the connection has that id, else a generated one
   * (ZMQ_CONNECT_ROUTING_ID).
   * @throws ErrnoError EINVAL, EPROTONOSUPPORT, EADDRINUSE for an id that another connection has
   */
  override connect(address: string, options?: RoutedConnectOptions): void {
    connectWithId(this, arguments, address, options);
  }
}

defineType(Stream, SOCKET_TYPES.STREAM, (socket) => new StreamPattern(socket));

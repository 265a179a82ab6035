/** Sockets by what they do with messages: those that send, those that receive, and those that do both. */

import { BATCH_MESSAGES } from "../base/constants.ts";
import { invalid } from "../base/errors.ts";
import type { ReaderOptions, WriterOptions } from "../options/public.ts";
import type { Message, MessageLike } from "./message.ts";
import { describePeer, type Peer } from "./peer.ts";
import { coreOf, Socket, surplus } from "./socket.ts";

/** One message for most sockets: a frame, or a list of frames. */
export type AnyMessage = MessageLike | readonly MessageLike[];

/**
 * A socket that messages can be sent on. `M` is what it takes as one message, `O` what `send` takes besides (the
 * sockets of libzmq's drafts do).
 */
export interface Writable<M extends AnyMessage = AnyMessage, O extends object[] = []> extends WriterOptions {
  /**
   * Sends one message, of one frame or, given an array, of several. Resolves when the message is queued: at once, or
   * when a peer can take it. Frames up to 128 octets, and those in shared or resizable memory, may be changed as soon
   * as this returns. The memory of larger ones must stay as it is, and not be transferred, until it is written: a peer
   * may have them then, and not before an answer tells so. Over inproc the receiver has the same memory, for as long as
   * it likes. A message whose memory was transferred too early is not sent: the event `handshake:error:other` with
   * ERR_ZMTP_BODY_DETACHED tells it.
   * @throws ErrnoError at once: EBUSY while another send is pending, EBADF when closed
   * @throws ErrnoError as rejection: EAGAIN after sendTimeout or when the socket closes, EFSM when it was not this
   *   socket's turn (a REQ that waits for its reply, a REP that has no request), EHOSTUNREACH when there is no such
   *   peer, ERR_ZMTP_BODY_DETACHED when the message waited and its memory was transferred meanwhile, EMSGSIZE for more
   *   than 1,048,576 frames, counting those that REQ and REP put before it and not the id that ROUTER takes off
   * @throws TypeError for a missing message
   */
  send(message: M, ...options: O): Promise<void>;
  /**
   * Sends messages, one after the other, with one promise for all: resolves with their number when all are queued. When
   * sendTimeout ends that early, or one cannot be sent at all, the number is that of those which were; none rejects, as
   * `send` does.
   */
  sendMany(messages: Iterable<M>): Promise<number>;
}

/** A socket that messages can be received from. `M` is the frames of one. */
export interface Readable<M extends object[] = Message[]> extends ReaderOptions {
  /**
   * Receives one message, as its frames; waits for it up to `receiveTimeout` milliseconds.
   * @throws ErrnoError at once: EBUSY while another receive is pending, EBADF when closed
   * @throws ErrnoError as rejection: EAGAIN after receiveTimeout or when the socket closes, EFSM when it is not this
   *   socket's turn (a REQ that has asked nothing, a REP that has not answered)
   */
  receive(): Promise<M>;
  /**
   * Receives what is here with one promise: at least one message, for which it waits as `receive` does, and `max` at
   * most. Default 128.
   * @throws ErrnoError as `receive`, and EINVAL for a `max` below 1; TypeError for one that is no number
   */
  receiveMany(max?: number): Promise<M[]>;
  /**
   * Sender of the message that was received last, to be read before the next receive; undefined before the first
   * message. It is looked up when it is asked for, and costs nothing otherwise. (An addition, akin to zmq_msg_gets.)
   */
  readonly lastPeer: Peer | undefined;
  /** Receives message after message until the socket is closed. @throws ErrnoError as `receive` */
  [Symbol.asyncIterator](): AsyncIterator<M, undefined>;
}

export interface WritableSocket extends Writable {}

/** A socket that sends. */
export abstract class WritableSocket extends Socket {
  /** Sends one message, of one frame or of several, as {@link Writable.send} tells. */
  send(message: AnyMessage): Promise<void> {
    if (arguments.length > 1) throw surplus(1, arguments.length);
    return coreOf(this).sender.send(message, this);
  }

  /** Sends messages one after the other with one promise, as {@link Writable.sendMany} tells. */
  sendMany(messages: Iterable<AnyMessage>): Promise<number> {
    return coreOf(this).sender.sendMany(messages, this);
  }
}

export interface ReadableSocket extends Readable {}

/** A socket that receives. */
export abstract class ReadableSocket extends Socket {
  /** Receives one message, as {@link Readable.receive} tells. */
  receive(): Promise<Message[]> {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    return coreOf(this).receiver.receive(this);
  }

  /** Receives what is here with one promise, as {@link Readable.receiveMany} tells. */
  receiveMany(max: number = BATCH_MESSAGES): Promise<Message[][]> {
    return coreOf(this).receiver.receiveMany(checkMax(max), this);
  }

  /** Sender of the message that was received last, as {@link Readable.lastPeer} tells. */
  get lastPeer(): Peer | undefined {
    return lastPeerOf(this);
  }

  /** Receives message after message until the socket is closed. */
  [Symbol.asyncIterator](): AsyncIterator<Message[], undefined> {
    return iterate(this);
  }
}

export interface DuplexSocket extends Readable {}

/** A socket that does both. */
export abstract class DuplexSocket extends WritableSocket {
  /** Receives one message, as {@link Readable.receive} tells. */
  receive(): Promise<Message[]> {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    return coreOf(this).receiver.receive(this);
  }

  /** Receives what is here with one promise, as {@link Readable.receiveMany} tells. */
  receiveMany(max: number = BATCH_MESSAGES): Promise<Message[][]> {
    return coreOf(this).receiver.receiveMany(checkMax(max), this);
  }

  /** Sender of the message that was received last, as {@link Readable.lastPeer} tells. */
  get lastPeer(): Peer | undefined {
    return lastPeerOf(this);
  }

  /** Receives message after message until the socket is closed. */
  [Symbol.asyncIterator](): AsyncIterator<Message[], undefined> {
    return iterate(this);
  }
}

function lastPeerOf(socket: Socket): Peer | undefined {
  const { last } = coreOf(socket).pattern;
  return last === undefined ? undefined : describePeer(last.peer);
}

function iterate(socket: Socket): AsyncIterator<Message[], undefined> {
  const { receiver } = coreOf(socket);
  return { next: () => receiver.next(socket) };
}

function checkMax(max: unknown): number {
  if (typeof max !== "number") throw new TypeError("Maximum must be a number");
  if (!(max >= 1)) throw invalid(`at least 1 message can be received, not ${max}`);
  return max;
}

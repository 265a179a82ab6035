/** Sockets by what they do with messages: those that send, those that receive, and those that do both. */

import { BATCH_MESSAGES } from "../base/constants.ts";
import { invalid } from "../base/errors.ts";
import type { ReaderOptions, WriterOptions } from "../options/public.ts";
import type { Message, MessageLike } from "./message.ts";
import { describePeer, type Peer } from "./peer.ts";
import { coreOf, Socket, surplus } from "./socket.ts";

/** What one message is, for most sockets: a frame or a list of frames. */
export type AnyMessage = MessageLike | readonly MessageLike[];

/**
 * A socket that messages can be sent on. `M` is what it takes as one message, `O` what `send` takes besides (the sockets of libzmq's
 * drafts do).
 */
export interface Writable<M extends AnyMessage = AnyMessage, O extends object[] = []> extends WriterOptions {
  /**
   * Sends one message, of one frame or, given an array, of several. Resolves when the message is queued: at once, or when
   * a peer can take it. Frames up to 128 octets, and those in shared or resizable memory, may be changed as soon as this returns. The
   * memory of larger ones must stay as it is, and not be transferred, until it is written: a peer may have them then, and not before
   * an answer tells so. Over inproc the receiver has the same memory, for as long as it likes. A message whose memory was transferred
   * too early is not sent: the event `handshake:error:other` with ERR_ZMTP_BODY_DETACHED tells it.
   * @throws ErrnoError at once: EBUSY while another send is pending, EBADF when closed
   * @throws ErrnoError as rejection: EAGAIN after sendTimeout or when the socket closes, EFSM when it was not this socket's turn, EHOSTUNREACH when there is no such peer,
   *   ERR_ZMTP_BODY_DETACHED when the message waited and its memory was transferred meanwhile,
   *   EMSGSIZE for more than 1,048,576 frames, counting those that REQ and REP put before it and not the id that ROUTER takes off
   * @throws TypeError for a missing message
   */
  send(message: M, ...options: O): Promise<void>;
  /**
   * Sends messages, one after the other, with one promise for all: resolves with their number when all are queued. When
   * sendTimeout ends that early, or one cannot be sent at all, the number is that of those which were; none rejects, as `send` does.
   */
  sendMany(messages: Iterable<M>): Promise<number>;
}

/** A socket that messages can be received from. `M` is the frames of one. */
export interface Readable<M extends object[] = Message[]> extends ReaderOptions {
  /**
   * Receives one message: its frames.
   * @throws ErrnoError at once: EBUSY while another receive is pending, EBADF when closed
   * @throws ErrnoError as rejection: EAGAIN after receiveTimeout or when the socket closes, EFSM when it is not this socket's turn
   */
  receive(): Promise<M>;
  /** Receives what is here, at least one message and `max` at most (128 by default), with one promise for all. */
  receiveMany(max?: number): Promise<M[]>;
  /**
   * Who sent the message that was received last (an addition): to be read before the next receive. Undefined before the
   * first message. It is looked up when it is asked for, and costs nothing otherwise.
   */
  readonly lastPeer: Peer | undefined;
  /** Receives until the socket is closed. */
  [Symbol.asyncIterator](): AsyncIterator<M, undefined>;
}

export interface WritableSocket extends Writable {}

/** A socket that sends. */
export abstract class WritableSocket extends Socket {
  send(message: AnyMessage): Promise<void> {
    if (arguments.length > 1) throw surplus(1, arguments.length);
    return coreOf(this).sender.send(message, this);
  }

  sendMany(messages: Iterable<AnyMessage>): Promise<number> {
    return coreOf(this).sender.sendMany(messages, this);
  }
}

export interface ReadableSocket extends Readable {}

/** A socket that receives. */
export abstract class ReadableSocket extends Socket {
  receive(): Promise<Message[]> {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    return coreOf(this).receiver.receive(this);
  }

  receiveMany(max: number = BATCH_MESSAGES): Promise<Message[][]> {
    return coreOf(this).receiver.receiveMany(checkMax(max), this);
  }

  get lastPeer(): Peer | undefined {
    return lastPeerOf(this);
  }

  [Symbol.asyncIterator](): AsyncIterator<Message[], undefined> {
    return iterate(this);
  }
}

export interface DuplexSocket extends Readable {}

/** A socket that does both. */
export abstract class DuplexSocket extends WritableSocket {
  receive(): Promise<Message[]> {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    return coreOf(this).receiver.receive(this);
  }

  receiveMany(max: number = BATCH_MESSAGES): Promise<Message[][]> {
    return coreOf(this).receiver.receiveMany(checkMax(max), this);
  }

  get lastPeer(): Peer | undefined {
    return lastPeerOf(this);
  }

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

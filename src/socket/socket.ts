/**
 * What users hold: `Socket` with its endpoints, options and events, and on top of it the three kinds of socket, those
 * that send, those that receive, and those that do both. The classes for the types add no more than their options.
 *
 * The objects are thin: all state is in a `SocketCore`, which never refers back to them unless an operation is pending.
 * So one that its program dropped is collected, and its core closed.
 */

import { viewOctets } from "../base/bytes.ts";
import { BATCH_MESSAGES } from "../base/constants.ts";
import { errnoError, invalid } from "../base/errors.ts";
import { defineAccessors, getOption, setOption } from "../options/access.ts";
import type { ReaderOptions, SocketOptionsCommon, WriterOptions } from "../options/public.ts";
import { Context, type ContextCore, coreOf as contextCoreOf, context as defaultContext } from "./context.ts";
import { type PatternFactory, SocketCore } from "./core.ts";
import type { Message, MessageLike } from "./message.ts";
import { findHubsBy, type Observer } from "./observer.ts";
import { describePeer, type Peer } from "./peer.ts";

type IfEqual<A, B, Yes, No> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? Yes : No;

type WritableKeys<T> = {
  // biome-ignore lint/complexity/noBannedTypes: any function at all is meant, to be left out
  [K in keyof T]-?: T[K] extends Function ? never : IfEqual<{ [P in K]: T[K] }, { -readonly [P in K]: T[K] }, K, never>;
}[keyof T];

/** What the constructor of a socket takes: its options, and the context that it belongs to (the process's by default). */
export type SocketOptions<S> = Partial<Pick<S, WritableKeys<S>>> & { context?: Context };

/** An id has this many octets at the most (RFC 23: Identity). */
const ROUTING_ID_BYTES = 255;

/** Closes sockets that were dropped without close(). */
const dropped = new FinalizationRegistry<SocketCore>((core) => core.close());

/** The inner side of a socket; only this package asks for it. */
export let coreOf: (socket: Socket) => SocketCore;

/** How the pattern of each type is made, so that a class of the program's own can be derived from `Socket` itself. */
const patterns = new Map<number, PatternFactory>();

/** Makes a class that of a socket type: its options, and what its sockets do. */
export function defineType(holder: { prototype: Socket }, type: number, makePattern: PatternFactory): void {
  patterns.set(type, makePattern);
  defineAccessors(holder.prototype, type, (socket: Socket) => coreOf(socket));
}

/**
 * Of options that are set one after the other the last one decides who is the server. Here both are given at once, and the
 * order of an object's keys must not decide.
 */
function checkRole({ curveServer, curveServerKey }: { curveServer?: unknown; curveServerKey?: unknown }): void {
  if (curveServer !== true || curveServerKey === undefined) return;
  throw errnoError(
    "EINVAL",
    undefined,
    "curveServer and curveServerKey exclude each other: a server has no server's key",
  );
}

/** The base of all sockets' options. */
export interface Socket extends SocketOptionsCommon {}

/** A socket: endpoints, options and events. Programs make one of the types, which also send or receive. */
export abstract class Socket {
  readonly #core: SocketCore;
  readonly #context: Context;

  static {
    coreOf = (socket) => socket.#core;
  }

  /**
   * @throws TypeError for a type that is no number or options that are no object
   * @throws ErrnoError EINVAL for an unknown type or option value, EMFILE for more sockets than the context allows
   */
  constructor(type: number, options: object = {}) {
    if (arguments.length > 2) throw new TypeError(`Expected 2 arguments but received ${arguments.length}`);
    if (typeof type !== "number") throw new TypeError("Socket type must be a number");
    if (typeof options !== "object" || options === null) throw new TypeError("Options must be an object");
    const makePattern = patterns.get(type);
    if (makePattern === undefined) throw invalid(`there is no socket type ${type} here`);
    const { context = defaultContext, ...values } = options as { context?: unknown };
    if (!(context instanceof Context)) throw new TypeError("Context must be a context object");
    checkRole(values);
    this.#context = context;
    const contextCore: ContextCore = contextCoreOf(context);
    this.#core = new SocketCore(type, contextCore, makePattern);
    Object.seal(this);
    try {
      Object.assign(this, values);
    } catch (error) {
      this.#core.close();
      throw error;
    }
    dropped.register(this, this.#core, this.#core);
  }

  /** What happens to this socket's connections. Events are recorded from the first use of this on. */
  get events(): Observer {
    return this.#core.events.observe(this);
  }

  /** The context that this socket was made in; undefined when it is closed. */
  get context(): Context {
    return (this.#core.isClosed ? undefined : this.#context) as Context;
  }

  /** Whether the socket is closed. */
  get closed(): boolean {
    return this.#core.isClosed;
  }

  /** Whether a receive would succeed now. */
  get readable(): boolean {
    return !this.#core.isClosed && this.#core.pattern.canReceive;
  }

  /** Whether a send would succeed now. */
  get writable(): boolean {
    return !this.#core.isClosed && this.#core.pattern.canSend;
  }

  /**
   * Listens at `address`: `tcp://host:port` (`*` for every interface or any port), `ipc://path`, `inproc://name`.
   * Until the promise settles the socket can do nothing else. `lastEndpoint` then tells the real address.
   * @throws ErrnoError as rejection, with `code` EINVAL, EPROTONOSUPPORT, EADDRINUSE, EADDRNOTAVAIL, ENODEV, ENOENT, ENAMETOOLONG and `address`
   */
  bind(address: string): Promise<void> {
    checkAddress(arguments, address);
    this.#core.assertOpen();
    return this.#core.bind(address);
  }

  /** The same at once; `lastEndpoint` is set when it returns. @throws ErrnoError as bind */
  bindSync(address: string): void {
    checkAddress(arguments, address);
    this.#core.bindSync(address);
  }

  /**
   * Stops listening and ends the connections that were accepted there. `address` is what `lastEndpoint` was after bind.
   * @throws ErrnoError as rejection: ENOENT for an address that is not bound
   */
  unbind(address: string): Promise<void> {
    checkAddress(arguments, address);
    this.#core.assertOpen();
    return this.#core.unbind(address);
  }

  /** The same at once. @throws ErrnoError ENOENT */
  unbindSync(address: string): void {
    checkAddress(arguments, address);
    this.#core.unbindSync(address);
  }

  /**
   * Connects to `address`, now or when there is a peer; a lost connection is made again.
   * @throws ErrnoError EINVAL, EPROTONOSUPPORT, with `address`
   */
  connect(address: string): void {
    checkAddress(arguments, address);
    this.#core.connect(address, undefined);
  }

  /** Ends the connection to `address`; what waits to be sent still is, within the linger time. @throws ErrnoError ENOENT */
  disconnect(address: string): void {
    checkAddress(arguments, address);
    this.#core.disconnect(address);
  }

  /**
   * Closes the socket. What waits to be sent still is, within the linger time; operations that are pending reject, EAGAIN
   * mostly. While a bind is under way, it happens as soon as that ends. Closing twice does nothing.
   */
  close(): void {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    this.#core.close();
    if (this.#core.isClosed) dropped.unregister(this.#core);
  }

  /** Reads an option by libzmq's number. @throws ErrnoError EINVAL for a number that this type does not have */
  getBoolOption(option: number): boolean {
    return getOption(this.#core, "bool", option) as boolean;
  }

  setBoolOption(option: number, value: boolean): void {
    setOption(this.#core, "bool", option, value);
  }

  getInt32Option(option: number): number {
    return getOption(this.#core, "int32", option) as number;
  }

  setInt32Option(option: number, value: number): void {
    setOption(this.#core, "int32", option, value);
  }

  getUint32Option(option: number): number {
    return getOption(this.#core, "uint32", option) as number;
  }

  setUint32Option(option: number, value: number): void {
    setOption(this.#core, "uint32", option, value);
  }

  getInt64Option(option: number): number {
    return getOption(this.#core, "int64", option) as number;
  }

  setInt64Option(option: number, value: number): void {
    setOption(this.#core, "int64", option, value);
  }

  getUint64Option(option: number): number {
    return getOption(this.#core, "uint64", option) as number;
  }

  setUint64Option(option: number, value: number): void {
    setOption(this.#core, "uint64", option, value);
  }

  getStringOption(option: number): string | null {
    return getOption(this.#core, "string", option) as string | null;
  }

  setStringOption(option: number, value: string | Buffer | null): void {
    setOption(this.#core, "string", option, value);
  }
}

defineAccessors(Socket.prototype, "every", (socket: Socket) => coreOf(socket));

findHubsBy((socket) => {
  if (!(socket instanceof Socket)) return undefined;
  const { events } = coreOf(socket);
  events.belongTo(socket);
  return events;
});

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

/** What `connect` takes besides the address, where peers are known by an id. */
export interface RoutedConnectOptions {
  /** The id that this socket knows the peer by: 1 to 255 octets. */
  routingId?: string | Buffer;
}

/** The same, as a program declares it that is to run with the original too. */
export interface NamedConnectOptions {
  /** The id that this socket knows the peer by: 1 to 255 octets. */
  routingId?: string;
}

/** `connect` with an id for the peer. */
export function connectWithId(
  socket: Socket,
  given: ArrayLike<unknown>,
  address: string,
  options: RoutedConnectOptions = {},
): void {
  if (given.length < 1 || given.length > 2) throw new TypeError(`Expected 1 argument but received ${given.length}`);
  if (typeof address !== "string") throw new TypeError("Address must be a string");
  if (typeof options !== "object" || options === null) throw new TypeError("Options must be an object");
  coreOf(socket).connect(address, options.routingId == null ? undefined : toRoutingId(options.routingId));
}

function toRoutingId(id: unknown): Buffer {
  const given = typeof id === "string" ? id : viewOctets(id);
  if (given === undefined) throw new TypeError("Routing id must be a string or buffer");
  const octets = Buffer.from(given as string);
  if (octets.length < 1 || octets.length > ROUTING_ID_BYTES) {
    throw invalid(`routingId takes 1 to ${ROUTING_ID_BYTES} octets, not ${octets.length}`);
  }
  return octets;
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

/** The error for arguments that nothing takes: `expected` is how many are. */
function surplus(expected: 0 | 1, received: number): TypeError {
  return new TypeError(`Expected ${expected} argument${expected === 1 ? "" : "s"} but received ${received}`);
}

function checkAddress(given: ArrayLike<unknown>, address: unknown): void {
  if (given.length > 1) throw surplus(1, given.length);
  if (typeof address !== "string") throw new TypeError("Address must be a string");
}

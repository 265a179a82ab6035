/**
 * The objects that users hold: `Socket` with its endpoints, options and events, and the `Observer` of these.
 * `duplex.ts` adds sending and receiving; the classes for the types add no more than their options.
 *
 * The objects are thin: all state is in a `SocketCore` and an `EventFeed`, which never refer back to them unless an
 * operation is pending. So one that its program dropped is collected, and its core closed.
 */

import { errnoError, invalid } from "../base/errors.ts";
import type { Event, EventOfType, EventType } from "../base/events.ts";
import { defineAccessors, getOption, setOption } from "../options/access.ts";
import type { SocketOptionsCommon } from "../options/public.ts";
import { Context, type ContextCore, coreOf as contextCoreOf, context as defaultContext } from "./context.ts";
import { type PatternFactory, SocketCore } from "./core.ts";
import type { EventFeed } from "./event-feed.ts";

type IfEqual<A, B, Yes, No> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? Yes : No;

type WritableKeys<T> = {
  // biome-ignore lint/complexity/noBannedTypes: any function at all is meant, to be left out
  [K in keyof T]-?: T[K] extends Function ? never : IfEqual<{ [P in K]: T[K] }, { -readonly [P in K]: T[K] }, K, never>;
}[keyof T];

/** Options of a new socket, and the context that it belongs to. */
export type SocketOptions<S> = Partial<Pick<S, WritableKeys<S>>> & {
  /** Context of the socket. Default: the one of the process, `context`. */
  context?: Context;
};

/** Closes sockets that were dropped without close(). */
const dropped = new FinalizationRegistry<SocketCore>((core) => core.close());

/** The inner side of a socket; only this package asks for it. */
export let coreOf: (socket: Socket) => SocketCore;

/** The observer is what `socket.events` gives from now on. */
let observed: (socket: Socket, observer: Observer) => void;

/** Makes the pattern of each type, so that a class of the program's own can be derived from `Socket` itself. */
const patterns = new Map<number, PatternFactory>();

/** Makes a class that of a socket type: its options, and what its sockets do. */
export function defineType(holder: { prototype: Socket }, type: number, makePattern: PatternFactory): void {
  patterns.set(type, makePattern);
  defineAccessors(holder.prototype, type, (socket: Socket) => coreOf(socket));
}

/**
 * Of options that are set one after the other the last one decides who is the server. Here both are given at once, and
 * the order of an object's keys must not decide.
 */
function checkRole({ curveServer, curveServerKey }: { curveServer?: unknown; curveServerKey?: unknown }): void {
  if (curveServer !== true || curveServerKey === undefined) return;
  throw errnoError(
    "EINVAL",
    undefined,
    "curveServer and curveServerKey exclude each other: a server has no server's key",
  );
}

/** Options that all sockets have. */
export interface Socket extends SocketOptionsCommon {}

/** A socket: endpoints, options and events. Programs make one of the types, which also send or receive. */
export abstract class Socket {
  readonly #core: SocketCore;
  readonly #context: Context;
  #observer: Observer | undefined;

  static {
    coreOf = (socket) => socket.#core;
    observed = (socket, observer) => {
      socket.#observer = observer;
    };
  }

  /**
   * Makes a socket of a type by libzmq's number, for classes of a program's own.
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

  /**
   * Observer of what happens to this socket's connections. Events are recorded from the first use of this on.
   * (zmq_socket_monitor)
   */
  get events(): Observer {
    const observer = this.#observer;
    // A closed socket gives the one that it had; an open one a new one for one that was closed.
    if (observer !== undefined && (this.#core.isClosed || !observer.closed)) return observer;
    return new Observer(this);
  }

  /** Context that this socket was made in; undefined once it is closed. */
  get context(): Context {
    return (this.#core.isClosed ? undefined : this.#context) as Context;
  }

  /** True once the socket is closed. */
  get closed(): boolean {
    return this.#core.isClosed;
  }

  /** True while a `receive` would succeed at once. (ZMQ_EVENTS, ZMQ_POLLIN) */
  get readable(): boolean {
    return !this.#core.isClosed && this.#core.pattern.canReceive;
  }

  /** True while a `send` would be taken at once. (ZMQ_EVENTS, ZMQ_POLLOUT) */
  get writable(): boolean {
    return !this.#core.isClosed && this.#core.pattern.canSend;
  }

  /**
   * Listens at `address`: `tcp://host:port` (`*` for every interface or any port), `ipc://path`, `inproc://name`.
   * Until the promise settles the socket can do nothing else. `lastEndpoint` then tells the real address.
   * @throws ErrnoError as rejection, with `address`: EINVAL, EPROTONOSUPPORT, EADDRINUSE, EADDRNOTAVAIL, ENODEV,
   *   ENOENT, ENAMETOOLONG
   * @throws ErrnoError at once: EBADF when closed, EBUSY while another bind or unbind is under way
   */
  bind(address: string): Promise<void> {
    checkAddress(arguments, address);
    this.#core.assertOpen();
    return this.#core.bind(address);
  }

  /** Listens at once, as `bind` does; `lastEndpoint` is set when it returns. @throws ErrnoError as `bind` */
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

  /** Stops listening at once, as `unbind` does. @throws ErrnoError ENOENT */
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

  /**
   * Ends the connection to `address`; what waits to be sent still is, within the linger time.
   * @throws ErrnoError ENOENT
   */
  disconnect(address: string): void {
    checkAddress(arguments, address);
    this.#core.disconnect(address);
  }

  /**
   * Closes the socket. What waits to be sent still is, within the linger time; operations that are pending reject,
   * EAGAIN mostly. While a bind is under way, it happens as soon as that ends. Closing twice does nothing.
   */
  close(): void {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    this.#core.close();
    if (this.#core.isClosed) dropped.unregister(this.#core);
  }

  /**
   * Reads an option by libzmq's number, as a boolean.
   * @throws ErrnoError EINVAL for a number that this type does not have, or that is of another width; ENOTSOCK when
   * closed
   */
  getBoolOption(option: number): boolean {
    return getOption(this.#core, "bool", option) as boolean;
  }

  /**
   * Sets an option by libzmq's number, to a switch. It acts when the property of that option does.
   * @throws ErrnoError as `getBoolOption`, and EINVAL for a value out of range; TypeError for one of another type
   */
  setBoolOption(option: number, value: boolean): void {
    setOption(this.#core, "bool", option, value);
  }

  /**
   * Reads an option by libzmq's number, as a number of 32 bits.
   * @throws ErrnoError EINVAL for a number that this type does not have, or that is of another width; ENOTSOCK when
   * closed
   */
  getInt32Option(option: number): number {
    return getOption(this.#core, "int32", option) as number;
  }

  /**
   * Sets an option by libzmq's number, to a number of 32 bits.
   * @throws ErrnoError as `getInt32Option`, and EINVAL for a value out of range; TypeError for one of another type
   */
  setInt32Option(option: number, value: number): void {
    setOption(this.#core, "int32", option, value);
  }

  /**
   * Reads an option by libzmq's number, as an unsigned number of 32 bits.
   * @throws ErrnoError EINVAL for a number that this type does not have, or that is of another width; ENOTSOCK when
   * closed
   */
  getUint32Option(option: number): number {
    return getOption(this.#core, "uint32", option) as number;
  }

  /**
   * Sets an option by libzmq's number, to an unsigned number of 32 bits.
   * @throws ErrnoError as `getUint32Option`, and EINVAL for a value out of range; TypeError for one of another type
   */
  setUint32Option(option: number, value: number): void {
    setOption(this.#core, "uint32", option, value);
  }

  /**
   * Reads an option by libzmq's number, as a number of 64 bits.
   * @throws ErrnoError EINVAL for a number that this type does not have, or that is of another width; ENOTSOCK when
   * closed
   */
  getInt64Option(option: number): number {
    return getOption(this.#core, "int64", option) as number;
  }

  /**
   * Sets an option by libzmq's number, to a number of 64 bits.
   * @throws ErrnoError as `getInt64Option`, and EINVAL for a value out of range; TypeError for one of another type
   */
  setInt64Option(option: number, value: number): void {
    setOption(this.#core, "int64", option, value);
  }

  /**
   * Reads an option by libzmq's number, as an unsigned number of 64 bits.
   * @throws ErrnoError EINVAL for a number that this type does not have, or that is of another width; ENOTSOCK when
   * closed
   */
  getUint64Option(option: number): number {
    return getOption(this.#core, "uint64", option) as number;
  }

  /**
   * Sets an option by libzmq's number, to an unsigned number of 64 bits.
   * @throws ErrnoError as `getUint64Option`, and EINVAL for a value out of range; TypeError for one of another type
   */
  setUint64Option(option: number, value: number): void {
    setOption(this.#core, "uint64", option, value);
  }

  /**
   * Reads an option by libzmq's number, as text; null for none.
   * @throws ErrnoError EINVAL for a number that this type does not have, or that is of another width; ENOTSOCK when
   * closed
   */
  getStringOption(option: number): string | null {
    return getOption(this.#core, "string", option) as string | null;
  }

  /**
   * Sets an option by libzmq's number, to text or octets; null resets those that can be.
   * @throws ErrnoError as `getStringOption`, and EINVAL for a value out of range; TypeError for one of another type
   */
  setStringOption(option: number, value: string | Buffer | null): void {
    setOption(this.#core, "string", option, value);
  }
}

defineAccessors(Socket.prototype, "every", (socket: Socket) => coreOf(socket));

/** Hears events of a socket. */
export interface EventSubscriber {
  /** Calls `listener` with each event of the type from now on. */
  on<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): EventSubscriber;
  /** Ends what `on` with the same listener began. */
  off<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): EventSubscriber;
}

/**
 * The events of a socket.
 *
 * ```ts
 * for await (const event of socket.events) console.log(event.type);
 * socket.events.on("disconnect", ({ address }) => console.log(`${address} is gone`));
 * ```
 */
export class Observer implements EventSubscriber, AsyncIterable<Event> {
  readonly #feed: EventFeed;

  /**
   * Observes a socket in place of the observer that it had. `socket.events` makes one, and is this one afterwards.
   * @throws TypeError for something that is no object, ErrnoError EINVAL for another object, ENOTSOCK for a closed
   *   socket
   */
  constructor(socket: Socket) {
    if (arguments.length > 1) throw new TypeError(`Expected 1 argument but received ${arguments.length}`);
    if (typeof socket !== "object" || socket === null) throw new TypeError("Socket must be a socket object");
    if (!(socket instanceof Socket)) throw invalid("an observer takes a socket, and this is another object");
    this.#feed = coreOf(socket).events.open(socket);
    observed(socket, this);
  }

  /** True once the observer was closed, or has given out `end`. */
  get closed(): boolean {
    return this.#feed.isClosed;
  }

  /**
   * Stops observing. A pending `receive` rejects with EAGAIN, listeners hear nothing more. May be called again without
   * effect.
   */
  close(): void {
    this.#feed.close();
  }

  /**
   * Waits for the next event, and keeps the process alive meanwhile.
   *
   * @throws ErrnoError as rejection: EBUSY while another `receive` is pending, EBADF when closed, EAGAIN when it is
   *   closed meanwhile
   * @throws Error after `on` was called
   */
  receive(): Promise<Event> {
    return this.#feed.receive();
  }

  /**
   * Calls `listener` with each event of this type, those included that were not read yet. From the first call on,
   * events cannot be read with `receive`. Keeps the process alive as long as a listener is there.
   */
  on<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): EventSubscriber {
    this.#feed.on(type, listener);
    return this;
  }

  /** Ends what `on` with the same listener began. */
  off<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): EventSubscriber {
    this.#feed.off(type, listener);
    return this;
  }

  /** Reads event after event, until the observer is closed. */
  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    return {
      next: async (): Promise<IteratorResult<Event, undefined>> => {
        if (this.closed) return { done: true, value: undefined };
        try {
          return { done: false, value: await this.receive() };
        } catch (error) {
          if (this.closed && (error as { code?: string }).code === "EAGAIN") return { done: true, value: undefined };
          throw error;
        }
      },
    };
  }
}

/** The error for arguments that nothing takes: `expected` is how many are. */
export function surplus(expected: 0 | 1, received: number): TypeError {
  return new TypeError(`Expected ${expected} argument${expected === 1 ? "" : "s"} but received ${received}`);
}

function checkAddress(given: ArrayLike<unknown>, address: unknown): void {
  if (given.length > 1) throw surplus(1, given.length);
  if (typeof address !== "string") throw new TypeError("Address must be a string");
}

/**
 * The socket of version 5: an event emitter with callbacks, over a socket of this package. It receives by itself and
 * emits each message; it sends through a queue without a limit; errors go to the callback, or else become an `error`
 * event.
 */

import { EventEmitter } from "node:events";
import { SAFE_ARGUMENTS } from "../base/constants.ts";
import { type ErrnoError, errnoError } from "../base/errors.ts";
import type { Event, EventType } from "../base/events.ts";
import { nextTick } from "../loop/clock.ts";
import type { SocketCore } from "../socket/core.ts";
import { Dealer } from "../socket/dealer.ts";
import type { MessageLike } from "../socket/message.ts";
import { Pair } from "../socket/pair.ts";
import { Publisher } from "../socket/publisher.ts";
import { Pull } from "../socket/pull.ts";
import { Push } from "../socket/push.ts";
import { Reply } from "../socket/reply.ts";
import { Request } from "../socket/request.ts";
import { Router } from "../socket/router.ts";
import { coreOf, type Socket as Inner, type Observer } from "../socket/socket.ts";
import { Stream } from "../socket/stream.ts";
import { Subscriber } from "../socket/subscriber.ts";
import { XPublisher } from "../socket/xpublisher.ts";
import { XSubscriber } from "../socket/xsubscriber.ts";
import { Incoming, type Source } from "./incoming.ts";
import { STATE_BUSY, STATE_CLOSED, STATE_READY, ZMQ_SNDMORE } from "./libzmq-numbers.ts";
import { type OptionName, type OptionValue, options, readOption, writeOption } from "./options.ts";
import { type Callback, Outgoing, type Sender } from "./outgoing.ts";

const TOO_MANY_ARGUMENTS = "A message was dropped that has more frames than a listener can take as arguments";

/** The types of sockets; `xreq` and `xrep` are old names of `dealer` and `router`. */
export type SocketType =
  | "pair"
  | "req"
  | "rep"
  | "pub"
  | "sub"
  | "dealer"
  | "xreq"
  | "router"
  | "xrep"
  | "pull"
  | "push"
  | "xpub"
  | "xsub"
  | "stream";

const TYPES: Readonly<Record<SocketType, new () => Inner>> = {
  pair: Pair,
  req: Request,
  rep: Reply,
  pub: Publisher,
  sub: Subscriber,
  dealer: Dealer,
  xreq: Dealer,
  router: Router,
  xrep: Router,
  pull: Pull,
  push: Push,
  xpub: XPublisher,
  xsub: XSubscriber,
  stream: Stream,
};

/** The events that `monitor` emits, by the names of the events that it hears. */
const MONITORED = {
  connect: "connect",
  "connect:delay": "connect_delay",
  "connect:retry": "connect_retry",
  bind: "listen",
  "bind:error": "bind_error",
  accept: "accept",
  "accept:error": "accept_error",
  close: "close",
  "close:error": "close_error",
  disconnect: "disconnect",
} as const satisfies Partial<Record<EventType, string>>;

type MonitoredEvent = Extract<Event, { type: keyof typeof MONITORED }>;

/**
 * A base class whose instance is the object that its constructor is given: so what is derived from it can put its
 * private fields onto an object that is there already.
 */
const Given = function Given(self: object): object {
  return self;
} as unknown as new (
  self: object,
) => EventEmitter;
Given.prototype = EventEmitter.prototype;

/**
 * A socket. It emits
 *
 * - `message` with the frames of a message as arguments, each a `Buffer`
 * - `bind` and `unbind` with the address
 * - `error` with what no callback was given for
 * - after `monitor`, with a value, an address and an error: `connect`, `connect_delay`, `connect_retry` (the value is
 *   the interval in milliseconds), `listen`, `bind_error` (the value is the error's number, as in all `_error` events),
 *   `accept`, `accept_error`, `close`, `close_error`, `disconnect`
 *
 * The short names of options are properties: `socket.identity = "worker"`, `socket.linger = 0`.
 */
export class SocketBase extends Given {
  /** The options, and what programs keep on their sockets. */
  // biome-ignore lint/suspicious/noExplicitAny: what programs keep there is of any type, and they compile against it
  [key: string]: any;
  /** The type that the socket was created as. */
  type: SocketType;
  readonly #socket: Inner;
  readonly #core: SocketCore;
  readonly #outgoing: Outgoing;
  readonly #incoming: Incoming | undefined;
  /** The frames that were sent with ZMQ_SNDMORE, until the last of their message comes. */
  #frames: unknown[] = [];
  #monitored: Observer | undefined;
  #hasWarned = false;

  /** Makes a socket of `self`, an event emitter. */
  constructor(self: object, type: SocketType) {
    if (!Object.hasOwn(TYPES, type)) throw new Error(`Invalid socket type: ${type}`);
    super(self);
    this.type = type;
    const socket = new TYPES[type]();
    this.#socket = socket;
    this.#core = coreOf(socket);
    const report = (error: Error): void => {
      this.#report(error);
    };
    const sends = !(socket instanceof Pull || socket instanceof Subscriber);
    this.#outgoing = new Outgoing(this.#core, sends ? (socket as Inner & Sender) : undefined, report);
    if (!(socket instanceof Push || socket instanceof Publisher)) {
      const deliver = (frames: Buffer[]): void => {
        if (frames.length <= SAFE_ARGUMENTS) this.emit("message", ...frames);
        else this.#emitMany(frames);
      };
      this.#incoming = new Incoming(this.#core, socket as Inner & Source, deliver, report);
      this.#incoming.advance();
    }
  }

  /**
   * Listens at an address; emits `bind` and calls back when it does. Until then messages wait.
   * @throws TypeError for a missing address; ErrnoError EBADF when closed, EBUSY while another bind or unbind goes on
   */
  bind(address: string, callback?: Callback): this {
    return this.#endpoint("bind", address, callback);
  }

  /** Stops listening at an address, as `last_endpoint` told it; emits `unbind` and calls back. @throws as `bind` */
  unbind(address: string, callback?: Callback): this {
    return this.#endpoint("unbind", address, callback);
  }

  /** Listens at an address, at once. @throws ErrnoError as `bind` gives to its callback */
  bindSync(address: string): this {
    this.#socket.bindSync(address);
    return this;
  }

  /** Stops listening at an address, at once. @throws ErrnoError ENOENT */
  unbindSync(address: string): this {
    this.#socket.unbindSync(address);
    return this;
  }

  /** Connects to an address, now or when there is a peer. @throws ErrnoError EINVAL, EPROTONOSUPPORT */
  connect(address: string): this {
    this.#socket.connect(address);
    return this;
  }

  /** Ends the connection to an address. @throws ErrnoError ENOENT */
  disconnect(address: string): this {
    this.#socket.disconnect(address);
    return this;
  }

  /**
   * Sends a message of one frame or, given an array, of several. With `ZMQ_SNDMORE` in `flags` the frames wait for
   * those of the next call. The callback is called when the message is queued for a peer, or cannot be.
   */
  send(message: MessageLike | MessageLike[], flags: number | null = 0, callback?: Callback): this {
    if (Array.isArray(message)) for (const frame of message) this.#frames.push(frame);
    else this.#frames.push(message);
    if (((flags ?? 0) & ZMQ_SNDMORE) !== 0) return this;
    const frames = this.#frames;
    this.#frames = [];
    this.#outgoing.add(frames, callback ?? undefined);
    return this;
  }

  /** Not available: messages are emitted. @throws Error always */
  read(): void {
    throw new Error("read() has been removed from compatibility mode; use on('message', ...) instead.");
  }

  /** Stops emitting messages, and sending them, until `resume`. */
  pause(): void {
    this.#incoming?.pause();
    this.#outgoing.pause();
  }

  resume(): void {
    this.#incoming?.resume();
    this.#outgoing.resume();
  }

  /** Closes the socket. What peers can take is still sent, and delivered within the linger time. */
  close(): this {
    this.#socket.close();
    if (this.#core.isClosed) {
      this.#incoming?.end();
      this.#outgoing.end();
    }
    return this;
  }

  get closed(): boolean {
    return this.#socket.closed;
  }

  /** Lets what this socket waits for keep the process alive, as it does from the beginning. */
  ref(): void {
    this.#core.isReferenced = true;
  }

  /** Lets the process end while this socket waits for something, its messages above all. */
  unref(): void {
    this.#core.isReferenced = false;
  }

  /** The native socket of version 5: of it only the state, which programs compare with `STATE_CLOSED`, is left. */
  get _zmq(): { readonly state: number } {
    const isBusy = this.#core.isBlocked;
    return { state: this.#core.isClosed ? STATE_CLOSED : isBusy ? STATE_BUSY : STATE_READY };
  }

  /**
   * Emits what happens to the socket's connections, from now on. The arguments, which had a meaning once, have none.
   * @throws ErrnoError ENOTSOCK when closed
   */
  monitor(interval?: number, count?: number): this {
    if (interval || count) {
      process.emitWarning("monitor() needs no arguments: every event is emitted as it happens");
    }
    const { events } = this.#socket;
    if (events === this.#monitored && !events.closed) return this;
    this.#monitored = events;
    for (const type of Object.keys(MONITORED) as MonitoredEvent["type"][]) {
      events.on(type, (event) => this.#emitMonitored(event));
    }
    return this;
  }

  /** Ends what `monitor` began. */
  unmonitor(): this {
    this.#socket.events.close();
    return this;
  }

  /** Subscribes to messages that start with `filter`. @throws Error for a socket that is no subscriber */
  subscribe(filter: string | Buffer): this {
    this.#subscriber().subscribe(filter);
    return this;
  }

  /** Takes a subscription back. @throws Error for a socket that is no subscriber */
  unsubscribe(filter: string | Buffer): this {
    this.#subscriber().unsubscribe(filter);
    return this;
  }

  /**
   * Sets an option by its short name or its number.
   * @throws Error for an unknown one; TypeError, ErrnoError for the value
   */
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the option
  setsockopt(option: number | OptionName, value: any): this {
    writeOption(this.#socket, option, value);
    return this;
  }

  /** Reads an option by its short name or its number. @throws Error for an unknown one */
  getsockopt(option: number | OptionName): OptionValue {
    return readOption(this.#socket, option);
  }

  #endpoint(method: "bind" | "unbind", address: string, callback: Callback | undefined): this {
    const done = this.#socket[method](address);
    const settled = (error?: Error): void => {
      nextTick(() => {
        if (error === undefined) {
          this.emit(method, address);
          callback?.();
        } else if (callback) callback(error);
        else this.emit("error", error);
      });
      // Whoever waited for it can go on; a close that waited for it has happened.
      this.#incoming?.advance();
      this.#outgoing.advance();
      if (this.#core.isClosed) this.#outgoing.end();
    };
    done.then(() => settled(), settled);
    return this;
  }

  #subscriber(): Subscriber {
    if (!(this.#socket instanceof Subscriber)) throw new Error("Subscriber socket required");
    return this.#socket;
  }

  #emitMonitored(event: MonitoredEvent): void {
    const error = "error" in event ? (event.error as ErrnoError) : undefined;
    const value = event.type === "connect:retry" ? event.interval : error?.errno;
    this.emit(MONITORED[event.type], value, event.address, error);
  }

  /** A peer decides how many frames come: that the stack does not hold them must not end the process. */
  #emitMany(frames: Buffer[]): void {
    try {
      this.emit("message", ...frames);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      const error = errnoError("EMSGSIZE");
      error.cause = cause;
      if (this.listenerCount("error") > 0) this.emit("error", error);
      else if (!this.#hasWarned) process.emitWarning(TOO_MANY_ARGUMENTS, { code: "ZMTP_MESSAGE_DROPPED" });
      this.#hasWarned = true;
    }
  }

  /** A socket that its program has closed has nothing more to tell. */
  #report(error: Error): void {
    if (!this.#core.isClosed) this.emit("error", error);
  }
}

for (const name of Object.keys(options) as OptionName[]) {
  Object.defineProperty(SocketBase.prototype, name, {
    get(this: SocketBase): OptionValue {
      return this.getsockopt(name);
    },
    set(this: SocketBase, value: unknown) {
      this.setsockopt(name, typeof value === "string" ? Buffer.from(value) : value);
    },
  });
}

/**
 * Makes sockets: by `new`, in classes that extend it, and as the function that it was in version 5, when old programs
 * and `util.inherits` derive from it by `Socket.call(this, type)`. Called by itself it gives a new socket.
 */
export interface SocketConstructor extends Omit<typeof EventEmitter, "prototype"> {
  readonly prototype: Socket;
  /** Makes a socket. @throws Error for an unknown type; ErrnoError EMFILE for too many sockets */
  new (type: SocketType): Socket;
  /** Makes a socket as `new` does. @throws Error as `new` */
  (type: SocketType): Socket;
}

/** Socket of version 5: an event emitter that messages come from as events. */
export type Socket = SocketBase;

/** Class of the sockets of version 5, which may also be called without `new`. */
export const Socket: SocketConstructor = function (this: unknown, type: SocketType): Socket | undefined {
  if (!(this instanceof SocketBase)) return new Socket(type);
  EventEmitter.call(this);
  new SocketBase(this, type);
  return undefined;
} as unknown as SocketConstructor;
Object.setPrototypeOf(Socket, EventEmitter);
Object.defineProperty(Socket, "prototype", { value: SocketBase.prototype, writable: false });
// A bundler may have given it another.
Object.defineProperty(Socket, "name", { value: "Socket" });
Object.defineProperty(SocketBase.prototype, "constructor", { value: Socket });

/**
 * Creates a socket. `values` are its options, by their short names.
 * @throws Error for an unknown type; what setting an option throws
 */
export function createSocket(type: SocketType, values: Readonly<Record<string, unknown>> = {}): Socket {
  const socket = new Socket(type);
  try {
    Object.assign(socket, values);
  } catch (error) {
    // It receives already: nobody could close it, and it would keep the process alive.
    socket.close();
    throw error;
  }
  return socket;
}

/**
 * `socket.events`: what happens to a socket's connections, read one by one or heard through listeners.
 *
 * Nothing is recorded before the user first asks for `events`. From then on events are kept until they are read, the newest
 * `KEPT_EVENTS` of them: a link that flaps while nobody reads fills no memory, and what is read later is the recent past.
 * Listeners are called from a microtask, never from inside the code that reports, so that one may close the socket.
 *
 * `ObserverHub` is the socket's end: it is where sessions report, and knows the one observer that hears them. An observer that its
 * user closed is replaced by a new one when `events` is asked for again; until then the same object is given. `new Observer(socket)`
 * takes the place of the one that is there, for which that is the end, as with libzmq's monitors.
 */

import { EventEmitter } from "node:events";
import { KEPT_EVENTS } from "../base/constants.ts";
import { errnoError, invalid } from "../base/errors.ts";
import type { Event, EventOfType, EventSink, EventType } from "../base/events.ts";
import { Ring } from "../base/ring.ts";
import { queueMicrotask } from "../loop/clock.ts";
import type { Socket } from "./socket.ts";

/** Who keeps the process alive: each `hold` is followed by one `release`. */
export interface Keeper {
  hold(): void;
  release(): void;
}

/** Hears events of a socket. */
export interface EventSubscriber {
  /** Calls `listener` with each event of the type from now on. */
  on<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): EventSubscriber;
  /** Ends what `on` with the same listener began. */
  off<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): EventSubscriber;
}

interface Reader {
  resolve(event: Event): void;
  reject(error: Error): void;
}

/** Hands events into an observer; kept apart from it, so that users do not see it. */
interface Intake {
  deliver(event: Event): void;
}

/** What an observer has of the hub. */
interface Connection {
  readonly keeper: Keeper;
  readonly socket: WeakRef<object> | undefined;
  disconnect(): void;
}

/** The hub of a socket; undefined for anything else. */
let findHub: (socket: object) => ObserverHub | undefined = () => undefined;

/** Tells how to find the hub of a socket, whose module this one does not import. */
export function findHubsBy(find: typeof findHub): void {
  findHub = find;
}

function hubOf(socket: unknown): ObserverHub {
  if (socket instanceof ObserverHub) return socket;
  if (typeof socket !== "object" || socket === null) throw new TypeError("Socket must be a socket object");
  const hub = findHub(socket);
  if (hub === undefined) throw invalid("an observer takes a socket, and this is another object");
  return hub;
}

export class ObserverHub implements EventSink {
  /** Whether somebody asked for events. */
  active = false;
  readonly #keeper: Keeper;
  #socket: WeakRef<object> | undefined;
  #observer: Observer | undefined;
  #intake: Intake | undefined;
  #ended = false;

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  /** The observer that `socket.events` is. A closed socket gives the one that it had, and ENOTSOCK when it had none. */
  get observer(): Observer {
    if (this.#observer !== undefined && (this.#ended || !this.#observer.closed)) return this.#observer;
    if (this.#ended) throw errnoError("ENOTSOCK");
    return new Observer(this as unknown as Socket);
  }

  /** From now on `observer` hears the events, by `intake`; the one before it hears `end`. @throws ErrnoError ENOTSOCK */
  connect(observer: Observer, intake: Intake): Connection {
    if (this.#ended) throw errnoError("ENOTSOCK");
    const before = this.#intake;
    this.#observer = observer;
    this.#intake = intake;
    this.active = true;
    before?.deliver({ type: "end" });
    const disconnect = (): void => {
      if (this.#intake !== intake) return;
      this.#intake = undefined;
      this.active = false;
    };
    return { keeper: this.#keeper, socket: this.#socket, disconnect };
  }

  /** The same, for `socket`, which must not be collected while somebody waits for its events. */
  observe(socket: object): Observer {
    this.belongTo(socket);
    return this.observer;
  }

  /** Whose hub it is. */
  belongTo(socket: object): void {
    this.#socket ??= new WeakRef(socket);
  }

  emit(event: Event): void {
    this.#intake?.deliver(event);
  }

  /** The socket was closed: `end` is the last event. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.active = false;
    this.#intake?.deliver({ type: "end" });
    this.#intake = undefined;
  }
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
  readonly #hub: Connection;
  readonly #queue = new Ring<Event>();
  #reader: Reader | undefined;
  #emitter: EventEmitter | undefined;
  /** While somebody waits: what the garbage collector must not take, for a socket that it takes is closed. */
  #held: { socket: object | undefined } | undefined;
  #scheduled = false;
  #closed = false;

  /**
   * Observes a socket in place of the observer that it had. `socket.events` makes one, and is this one afterwards.
   * @throws TypeError for something that is no object, ErrnoError EINVAL for another object, ENOTSOCK for a closed socket
   */
  constructor(socket: Socket) {
    if (arguments.length > 1) throw new TypeError(`Expected 1 argument but received ${arguments.length}`);
    const hub = hubOf(socket);
    this.#hub = hub.connect(this, { deliver: (event) => this.#deliver(event) });
  }

  /** Whether the observer was closed, or has given out `end`. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Stops observing. A pending `receive` rejects with EAGAIN, listeners hear nothing more. May be called again without effect. */
  close(): void {
    if (this.#closed) return;
    this.#shut();
    const reader = this.#reader;
    this.#reader = undefined;
    this.#updateHold();
    reader?.reject(errnoError("EAGAIN"));
  }

  /**
   * Waits for the next event, and keeps the process alive meanwhile.
   *
   * @throws EBUSY at once while another `receive` is pending, EBADF when closed, and an `Error` after `on` was called.
   */
  receive(): Promise<Event> {
    if (this.#emitter !== undefined) {
      throw new Error(
        "Observer is in event emitter mode. After a call to events.on() it is not possible to read events with events.receive().",
      );
    }
    if (this.#closed) throw errnoError("EBADF");
    if (this.#reader !== undefined) {
      throw errnoError(
        "EBUSY",
        undefined,
        "Observer is busy reading; only one receive operation may be in progress at any time",
      );
    }
    const event = this.#queue.shift();
    if (event !== undefined) {
      if (event.type === "end") this.#shut();
      return Promise.resolve(event);
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#updateHold();
    });
  }

  /**
   * Calls `listener` with each event of this type, those included that were not read yet. From the first call on, events cannot be
   * read with `receive`. Keeps the process alive as long as a listener is there.
   */
  on<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): EventSubscriber {
    this.#emitter ??= new EventEmitter();
    this.#emitter.on(type, listener);
    this.#updateHold();
    if (this.#queue.length > 0) this.#schedule();
    return this;
  }

  /** Ends what `on` with the same listener began. */
  off<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): EventSubscriber {
    this.#emitter?.off(type, listener);
    this.#updateHold();
    return this;
  }

  /** Reads event after event, until the observer is closed. */
  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    return {
      next: async (): Promise<IteratorResult<Event, undefined>> => {
        if (this.#closed) return { done: true, value: undefined };
        try {
          return { done: false, value: await this.receive() };
        } catch (error) {
          if (this.#closed && (error as { code?: string }).code === "EAGAIN") return { done: true, value: undefined };
          throw error;
        }
      },
    };
  }

  #deliver(event: Event): void {
    if (this.#closed) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      if (event.type === "end") this.#shut();
      this.#updateHold();
      reader.resolve(event);
      return;
    }
    this.#queue.push(event);
    if (this.#emitter !== undefined) this.#schedule();
    else if (this.#queue.length > KEPT_EVENTS) this.#queue.shift();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#emitQueued());
  }

  /** Calls the listeners. When one throws, the error is the process's to handle, and the rest is delivered after it. */
  #emitQueued(): void {
    this.#scheduled = false;
    try {
      for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
        if (event.type === "end") this.#shut();
        this.#emitter!.emit(event.type, event);
      }
    } finally {
      if (this.#queue.length > 0) this.#schedule();
      this.#updateHold();
    }
  }

  /** Nothing comes in any more. */
  #shut(): void {
    this.#closed = true;
    this.#queue.clear();
    this.#hub.disconnect();
  }

  #updateHold(): void {
    const listening = !this.#closed && this.#emitter !== undefined && this.#emitter.eventNames().length > 0;
    const held = this.#reader !== undefined || listening;
    if (held === (this.#held !== undefined)) return;
    this.#held = held ? { socket: this.#hub.socket?.deref() } : undefined;
    if (held) this.#hub.keeper.hold();
    else this.#hub.keeper.release();
  }
}

/**
 * Carries the events of a socket's connections from the sessions that report them to the observer that hears them.
 *
 * Nothing is recorded before the user first asks for `events`. From then on events are kept until they are read, the
 * newest `KEPT_EVENTS` of them: a link that flaps while nobody reads fills no memory, and what is read later is the
 * recent past. Listeners are called from a microtask, never from inside the code that reports, so that one may close
 * the socket.
 *
 * `EventHub` is the socket's end: sessions report to it, and it knows the one feed that hears them. `EventFeed` is the
 * inner side of an `Observer`. A feed that is opened takes the place of the one before, for which that is the end, as
 * with libzmq's monitors.
 */

import { EventEmitter } from "node:events";
import { KEPT_EVENTS } from "../base/constants.ts";
import { errnoError } from "../base/errors.ts";
import type { Event, EventOfType, EventSink, EventType } from "../base/events.ts";
import { Ring } from "../base/ring.ts";
import { queueMicrotask } from "../loop/clock.ts";

/** Keeps the process alive: each `hold` is followed by one `release`. */
export interface Keeper {
  hold(): void;
  release(): void;
}

interface Reader {
  resolve(event: Event): void;
  reject(error: Error): void;
}

export class EventHub implements EventSink {
  /** True while somebody hears the events. */
  active = false;
  readonly #keeper: Keeper;
  #feed: EventFeed | undefined;
  #isClosed = false;

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  /**
   * Opens a feed that hears the events from now on; the one before it hears `end`. `user` is the socket as its program
   * holds it, which must not be collected while somebody waits for its events.
   * @throws ErrnoError ENOTSOCK when the socket is closed
   */
  open(user: object): EventFeed {
    if (this.#isClosed) throw errnoError("ENOTSOCK");
    const before = this.#feed;
    const feed = new EventFeed(this.#keeper, user, () => {
      if (this.#feed === feed) this.#hear(undefined);
    });
    this.#hear(feed);
    before?.deliver({ type: "end" });
    return feed;
  }

  emit(event: Event): void {
    this.#feed?.deliver(event);
  }

  /** The socket was closed: `end` is the last event. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const feed = this.#feed;
    this.#hear(undefined);
    feed?.deliver({ type: "end" });
  }

  #hear(feed: EventFeed | undefined): void {
    this.#feed = feed;
    this.active = feed !== undefined;
  }
}

export class EventFeed {
  readonly #keeper: Keeper;
  readonly #user: WeakRef<object>;
  /** Tells the hub that nothing is heard any more. */
  readonly #leave: () => void;
  readonly #queue = new Ring<Event>();
  #reader: Reader | undefined;
  #emitter: EventEmitter | undefined;
  /** Keeps the socket reachable while somebody waits: one that is collected is closed. */
  #held: { user: object | undefined } | undefined;
  #isScheduled = false;
  #isClosed = false;

  constructor(keeper: Keeper, user: object, leave: () => void) {
    this.#keeper = keeper;
    this.#user = new WeakRef(user);
    this.#leave = leave;
  }

  /** True when it was closed, or has given out `end`. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#shut();
    const reader = this.#reader;
    this.#reader = undefined;
    this.#updateHold();
    reader?.reject(errnoError("EAGAIN"));
  }

  receive(): Promise<Event> {
    if (this.#emitter !== undefined) {
      throw new Error(
        "Observer is in event emitter mode. After a call to events.on() it is not possible to read events with events.receive().",
      );
    }
    if (this.#isClosed) throw errnoError("EBADF");
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

  on<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): void {
    this.#emitter ??= new EventEmitter();
    this.#emitter.on(type, listener);
    this.#updateHold();
    if (this.#queue.length > 0) this.#schedule();
  }

  off<E extends EventType>(type: E, listener: (event: EventOfType<E>) => void): void {
    this.#emitter?.off(type, listener);
    this.#updateHold();
  }

  /** Gives an event to whoever waits for it, or keeps it. */
  deliver(event: Event): void {
    if (this.#isClosed) return;
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
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#emitQueued());
  }

  /** Calls the listeners. When one throws, the error is the process's to handle, and the rest is delivered after it. */
  #emitQueued(): void {
    this.#isScheduled = false;
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
    this.#isClosed = true;
    this.#queue.clear();
    this.#leave();
  }

  #updateHold(): void {
    const listening = !this.#isClosed && this.#emitter !== undefined && this.#emitter.eventNames().length > 0;
    const held = this.#reader !== undefined || listening;
    if (held === (this.#held !== undefined)) return;
    this.#held = held ? { user: this.#user.deref() } : undefined;
    if (held) this.#keeper.hold();
    else this.#keeper.release();
  }
}

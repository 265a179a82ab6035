/**
 * A context: the inproc names that its sockets share, what they flush with, and what becomes of them when the process
 * ends. There is one for the process, `context`, and programs may make others to keep sockets apart.
 *
 * The end of a process
 * - Handles of this package never keep the process alive; a pending operation does, by `hold()`.
 * - When nothing else keeps it alive, unsent messages do, each for its socket's linger time. Whether that is so is
 *   asked in `beforeExit`, and while a write that the kernel did not take holds the event loop, by `heldRequests`.
 * - On `process.exit()` nothing can wait any more: what is queued is offered to the kernel once (`exit`).
 */

import { EXIT_ASK_GAP_MS, EXIT_POLL_MS, EXIT_WARNING_MS } from "../base/constants.ts";
import { errnoError } from "../base/errors.ts";
import { SlabPool } from "../codec/slab-pool.ts";
import { clearInterval, now, setInterval, setTimeout } from "../loop/clock.ts";
import { type Flushable, Turn } from "../loop/turn.ts";
import { defineContextAccessors, getContextOption, setContextOption } from "../options/access.ts";
import { createContextOptions } from "../options/defaults.ts";
import type { ContextOptions } from "../options/public.ts";
import type { ContextValues } from "../options/values.ts";
import type { SessionContext } from "../session/socket-side.ts";
import { InprocNames } from "../transport/inproc.ts";
import { heldRequests } from "../transport/net-stream.ts";

/** A socket that may be in the way of the process's end. */
export interface Member {
  /** Unsent messages, of this socket or of endpoints that it has already closed. */
  readonly hasUnsent: boolean;
  /** For how long they may keep the process alive: milliseconds, -1 for ever. */
  readonly linger: number;
  /** Offers them to the kernel, now. */
  flush(): void;
}

/** The longest interval there is: the timer is only there to be referenced. */
const LONG_MS = 0x7fffffff;

/** The inner side of a context, which sockets work with. */
export class ContextCore implements SessionContext {
  readonly values: ContextValues = createContextOptions();
  readonly names: InprocNames = new InprocNames();
  readonly turn: Turn = new Turn(this.values);
  /** Network peers of all its sockets. */
  pipes = 0;
  readonly pool: SlabPool = new SlabPool();
  readonly #members = new Set<Member>();
  #open = 0;
  #holds = 0;
  #anchor: NodeJS.Timeout | undefined;
  #isAnchored = false;
  readonly #slack: Flushable = {
    isScheduled: false,
    endTurn: () => {
      if (this.#holds > 0 || !this.#isAnchored) return;
      this.#isAnchored = false;
      this.#anchor?.unref();
    },
  };

  /** Counts a new socket in. @throws ErrnoError EMFILE above maxSockets */
  enter(member: Member): void {
    if (this.#open >= this.values.maxSockets) throw errnoError("EMFILE");
    this.#open++;
    this.#members.add(member);
    if (this.#members.size === 1) processEnd.add(this);
  }

  /** The socket is closed; it may still have messages to deliver. */
  closed(): void {
    this.#open--;
  }

  /** The socket has nothing left to do. */
  leave(member: Member): void {
    if (!this.#members.delete(member) || this.#members.size > 0) return;
    processEnd.delete(this);
    clearInterval(this.#anchor);
    this.#anchor = undefined;
    this.#isAnchored = false;
  }

  hold(): void {
    this.#holds++;
    // Not by their number: an observer may hold on while the last socket leaves, and takes the anchor with it.
    if (this.#isAnchored) return;
    this.#isAnchored = true;
    if (this.#anchor === undefined) this.#anchor = setInterval(() => {}, LONG_MS);
    else this.#anchor.ref();
  }

  /** The anchor is let go when the turn ends: most who wait again do so at once. */
  release(): void {
    if (--this.#holds === 0) this.turn.schedule(this.#slack);
  }

  /**
   * True while a socket has unsent messages that may still keep a process alive which ended `waited` milliseconds ago.
   */
  mustWait(waited: number): boolean {
    for (const { hasUnsent, linger } of this.#members) if (hasUnsent && (linger < 0 || waited < linger)) return true;
    return false;
  }

  /** Offers everything to the kernel, now. */
  flush(): void {
    for (const member of this.#members) member.flush();
  }
}

/**
 * The end of the process, for all contexts that have sockets: process listeners are shared, since Node warns of many.
 */
class ProcessEnd {
  readonly #contexts = new Set<ContextCore>();
  #forget: (() => void) | undefined;
  #endedAt = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #warned = false;

  add(context: ContextCore): void {
    this.#contexts.add(context);
    if (this.#contexts.size > 1) return;
    process.on("beforeExit", this.#onBeforeExit);
    process.on("exit", this.#onExit);
    this.#forget = heldRequests.onHeld(this.#mustWait);
  }

  delete(context: ContextCore): void {
    this.#contexts.delete(context);
    if (this.#contexts.size > 0) return;
    process.off("beforeExit", this.#onBeforeExit);
    process.off("exit", this.#onExit);
    this.#forget?.();
  }

  readonly #mustWait = (): boolean => {
    const time = now();
    // Long not asked: something else kept the process alive meanwhile, and it ends anew.
    if (time - this.#askedAt > EXIT_ASK_GAP_MS) this.#endedAt = time;
    this.#askedAt = time;
    const waited = time - this.#endedAt;
    let waits = false;
    let isBlocky = false;
    for (const context of this.#contexts) {
      if (!context.mustWait(waited)) continue;
      waits = true;
      isBlocky ||= context.values.blocky;
    }
    if (waits && waited >= EXIT_WARNING_MS && !this.#warned) {
      this.#warned = true;
      const advice = isBlocky ? " Set 'context.blocky = false' to change this behaviour." : "";
      process.stderr.write(
        `(node:${process.pid}) WARNING: Waiting for queued ZeroMQ messages to be delivered.${advice}\n`,
      );
    }
    return waits;
  };

  readonly #onBeforeExit = (): void => {
    // The event loop runs empty again after this, and asks again.
    if (this.#mustWait()) setTimeout(() => {}, EXIT_POLL_MS);
  };

  readonly #onExit = (): void => {
    for (const context of this.#contexts) context.flush();
  };
}

const processEnd = new ProcessEnd();

/** The inner side of a context; only this package's sockets ask for it. */
export let coreOf: (context: Context) => ContextCore;

/** Options that every context has. */
export interface Context extends ContextOptions {}

/**
 * Groups sockets: those of one context can reach each other by `inproc://`. It lives as long as it or one of its
 * sockets is used.
 */
export class Context {
  readonly #core = new ContextCore();

  static {
    coreOf = (context) => context.#core;
  }

  /**
   * Makes a context with these options.
   * @throws TypeError for options that are no object, and as setting each of them; ErrnoError EINVAL for values out of
   *   range
   */
  constructor(options: Partial<Omit<ContextOptions, "maxSocketsLimit">> = {}) {
    Object.seal(this);
    if (arguments.length > 1) throw new TypeError(`Expected 1 argument but received ${arguments.length}`);
    if (typeof options !== "object" || options === null) throw new TypeError("Options must be an object");
    Object.assign(this, options);
  }

  /** Reads an option by libzmq's number, as a boolean. @throws ErrnoError EINVAL for an unknown number */
  protected getBoolOption(id: number): boolean {
    return getContextOption(this.#core.values, "bool", id) as boolean;
  }

  /**
   * Sets an option by libzmq's number.
   * @throws ErrnoError EINVAL for an unknown number or value; TypeError for another type
   */
  protected setBoolOption(id: number, value: boolean): void {
    setContextOption(this.#core.values, "bool", id, value);
  }

  /** Reads an option by libzmq's number, as a number. @throws ErrnoError EINVAL for an unknown number */
  protected getInt32Option(id: number): number {
    return getContextOption(this.#core.values, "int32", id) as number;
  }

  /**
   * Sets an option by libzmq's number.
   * @throws ErrnoError EINVAL for an unknown number or value; TypeError for another type
   */
  protected setInt32Option(id: number, value: number): void {
    setContextOption(this.#core.values, "int32", id, value);
  }
}

defineContextAccessors(Context.prototype, (context: Context) => coreOf(context).values);

/** Context of the process: that of sockets which are made without one. */
export const context: Context = new Context();

/**
 * A proxy moves messages between two sockets, each way, until it is terminated: ROUTER and DEALER make a broker, XSUB
 * and XPUB a forwarder, PULL and PUSH a streamer.
 *
 * It works on the sockets' patterns directly, in batches, and is woken by them; nothing polls. A message is received
 * from one side only when the other can send one, so that back-pressure passes through and nothing is buffered here.
 */
import { isMissing } from "../base/bytes.ts";
import { OPERATIONS_PER_INPUT } from "../base/constants.ts";
import { errnoError, invalid } from "../base/errors.ts";
import { reportMissing } from "../base/events.ts";
import { queueMicrotask, setImmediate } from "../loop/clock.ts";
import type { SocketCore } from "./core.ts";
import { coreOf, Socket, surplus } from "./socket.ts";

/** Counts of what has passed through one side of a proxy. */
export interface ProxyCounters {
  /** Messages that were received here and passed on. */
  readonly messagesReceived: number;
  /** Octets of those messages. */
  readonly bytesReceived: number;
  /**
   * Messages that were received here and dropped: their peer is gone, or the other socket may not send so many frames.
   */
  readonly messagesDropped: number;
  /** Messages that were sent here. */
  readonly messagesSent: number;
  /** Octets of those messages. */
  readonly bytesSent: number;
}

/** One way through the proxy. */
class Direction {
  readonly from: SocketCore;
  readonly to: SocketCore;
  readonly capture: SocketCore | undefined;
  messages = 0;
  bytes = 0;
  dropped = 0;
  #hasWarned = false;
  /** Received, but the one peer that it is for has no room yet. */
  #held: Buffer[] | undefined;

  constructor(from: SocketCore, to: SocketCore, capture: SocketCore | undefined) {
    this.from = from;
    this.to = to;
    this.capture = capture;
  }

  /** Moves up to `limit` messages. True: there may be more. */
  move(limit: number): boolean {
    const { pattern } = this.to;
    for (let moved = 0; moved < limit; moved++) {
      if (!pattern.canSend) return false;
      const frames = this.#held ?? this.#receive();
      if (frames === undefined) return false;
      if (this.#held !== undefined && isMissing(frames)) {
        this.#held = undefined;
        this.#drop();
        reportMissing(this.from.events, "");
        continue;
      }
      this.#held = undefined;
      if (frames.length > pattern.frameLimit) {
        this.#drop();
        this.#warn(frames.length, pattern.frameLimit);
        continue;
      }
      if (pattern.send(frames)) {
        this.messages++;
        for (const frame of frames) this.bytes += frame.length;
      } else if (pattern.sendFault !== "EHOSTUNREACH") {
        this.#held = frames;
        return false;
      } else {
        // A message for a peer that is not there is dropped, as by a router that is not mandatory.
        this.#drop();
      }
    }
    return true;
  }

  #drop(): void {
    this.dropped++;
    this.from.pattern.skip();
    this.to.pattern.skip();
  }

  /** Once, since a peer decides how often it happens; `statistics` counts all. */
  #warn(count: number, limit: number): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const text = `A proxy dropped a message of ${count} frames, since the socket that it was for may send ${limit}`;
    process.emitWarning(text, { code: "ZMTP_MESSAGE_DROPPED" });
  }

  #receive(): Buffer[] | undefined {
    const frames = this.from.pattern.receive();
    // The copy of a capture that is full, or has no peer, is dropped: who looks on must not stop the flow.
    const capture = this.capture?.pattern;
    if (frames !== undefined && capture !== undefined && frames.length <= capture.frameLimit) capture.send([...frames]);
    return frames;
  }
}

type State = "new" | "running" | "paused" | "ended";

/**
 * Moves messages from `frontEnd` to `backEnd` and back. While it runs the sockets can do nothing else; when it ends
 * they are closed.
 */
export class Proxy<Front extends Socket = Socket, Back extends Socket = Socket> {
  static {
    // Bundlers call it otherwise, since there is a global of this name.
    Object.defineProperty(Proxy, "name", { value: "Proxy", configurable: true });
  }

  readonly #frontEnd: Front;
  readonly #backEnd: Back;
  readonly #capture: Socket | undefined;
  #forth: Direction | undefined;
  #back: Direction | undefined;
  #state: State = "new";
  #isScheduled = false;
  #finish: () => void = () => {};

  /**
   * Makes a proxy between two sockets. `capture`, in addition to what `zeromq` has, is a socket that is sent a copy of
   * every message: a PUB, PUSH, PAIR or DEALER that stays its owner's.
   * @throws TypeError for something that is no socket
   */
  constructor(frontEnd: Front, backEnd: Back, capture?: Socket) {
    if (arguments.length > 3) throw new TypeError(`Expected 2 arguments but received ${arguments.length}`);
    checkSocket(frontEnd, "Front-end");
    checkSocket(backEnd, "Back-end");
    if (capture !== undefined) checkSocket(capture, "Capture");
    this.#frontEnd = frontEnd;
    this.#backEnd = backEnd;
    this.#capture = capture;
  }

  /** The socket that clients or publishers are at. */
  get frontEnd(): Front {
    return this.#frontEnd;
  }

  /** The socket that workers or subscribers are at. */
  get backEnd(): Back {
    return this.#backEnd;
  }

  /**
   * Starts, and resolves when the proxy is terminated.
   * @throws ErrnoError at once: EINVAL when a socket is closed, or neither bound nor connected; EBUSY when a socket is
   *   in use
   * @throws ErrnoError as rejection: EADDRINUSE when the proxy runs already
   */
  run(): Promise<void> {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    if (this.#state === "running" || this.#state === "paused") return Promise.reject(errnoError("EADDRINUSE"));
    const front = usable(this.#frontEnd, "Front-end");
    const back = usable(this.#backEnd, "Back-end");
    front.assertOpen();
    back.assertOpen();
    front.block();
    if (back !== front) back.block();
    this.#state = "running";
    const capture = this.#capture === undefined ? undefined : coreOf(this.#capture);
    this.#forth = new Direction(front, back, capture);
    this.#back = new Direction(back, front, capture);
    front.tap = this.#wake;
    back.tap = this.#wake;
    front.context.hold();
    for (const { context } of [front, back]) context.turn.pendingReceives++;
    this.#wake();
    return this.#end(front, back);
  }

  /** Waits for the end. */
  async #end(front: SocketCore, back: SocketCore): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    front.context.release();
    for (const { context } of [front, back]) context.turn.pendingReceives--;
    for (const core of [front, back]) {
      core.tap = undefined;
      if (core.isBlocked) core.unblock();
      core.close();
    }
  }

  /** Stops the flow until `resume`: what arrives stays with its sender. @throws ErrnoError EBADF when not running */
  pause(): void {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    this.#assertRunning();
    this.#state = "paused";
  }

  /** Lets messages flow again. @throws ErrnoError EBADF when not running */
  resume(): void {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    this.#assertRunning();
    this.#state = "running";
    this.#wake();
  }

  /** Ends the proxy, and closes its sockets. @throws ErrnoError EBADF when not running */
  terminate(): void {
    if (arguments.length > 0) throw surplus(0, arguments.length);
    this.#assertRunning();
    this.#state = "ended";
    this.#finish();
  }

  /** Counts of what has passed, by side. (An addition, akin to the statistics of zmq_proxy_steerable.) */
  get statistics(): {
    /** Counts at the front end. */
    readonly frontEnd: ProxyCounters;
    /** Counts at the back end. */
    readonly backEnd: ProxyCounters;
  } {
    return { frontEnd: counters(this.#forth, this.#back), backEnd: counters(this.#back, this.#forth) };
  }

  #assertRunning(): void {
    if (this.#state === "new" || this.#state === "ended") throw errnoError("EBADF");
  }

  /** Something can be received or sent on either socket. */
  readonly #wake = (): void => {
    if (this.#isScheduled || this.#state !== "running") return;
    this.#isScheduled = true;
    queueMicrotask(this.#pump);
  };

  readonly #pump = (): void => {
    this.#isScheduled = false;
    if (this.#state !== "running") return;
    const moreForth = (this.#forth as Direction).move(OPERATIONS_PER_INPUT);
    const moreBack = (this.#back as Direction).move(OPERATIONS_PER_INPUT);
    if (!(moreForth || moreBack) || this.#isScheduled) return;
    // The rest waits for the check phase, so that timers and input have their chance.
    this.#isScheduled = true;
    setImmediate(this.#pump);
  };
}

function counters(received: Direction | undefined, sent: Direction | undefined): ProxyCounters {
  return {
    messagesReceived: received?.messages ?? 0,
    bytesReceived: received?.bytes ?? 0,
    messagesDropped: received?.dropped ?? 0,
    messagesSent: sent?.messages ?? 0,
    bytesSent: sent?.bytes ?? 0,
  };
}

function checkSocket(socket: unknown, name: string): void {
  if (typeof socket !== "object" || socket === null) throw new TypeError(`${name} must be a socket object`);
  if (!(socket instanceof Socket)) throw invalid(`${name} is an object, but no socket`);
}

/** The inner side of a socket that can be proxied. */
function usable(socket: Socket, name: string): SocketCore {
  const core = coreOf(socket);
  if (core.isClosed || !core.attached) {
    throw errnoError("EINVAL", undefined, `${name} socket must be bound or connected`);
  }
  return core;
}

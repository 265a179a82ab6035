/**
 * The inner side of a socket. Users hold a `Socket`, a thin object; everything that connections refer to is here, so that
 * a socket which its program has dropped can be collected, and is closed then.
 *
 * It owns the options, the endpoints, the pattern with the two halves that wait for it, and the state:
 *
 *     open <-> blocked (an asynchronous bind or unbind, or a running proxy)        open -> closed, for good
 */

import { EMPTY } from "../base/bytes.ts";
import { DECODE_AHEAD_MESSAGES, DECODED_MESSAGES, LEAST_DECODE_AHEAD_MESSAGES } from "../base/constants.ts";
import { ErrnoError, type ErrorCode, errnoError } from "../base/errors.ts";
import type { PeerFacts } from "../codec/peer-facts.ts";
import type { SlabPool } from "../codec/slab-pool.ts";
import { clearTimeout, setImmediate, setTimeout } from "../loop/clock.ts";
import type { Flushable } from "../loop/turn.ts";
import type { OptionsHost } from "../options/access.ts";
import { createOptions } from "../options/defaults.ts";
import { type OptionValues, SOCKET_TYPES } from "../options/values.ts";
import { NetPipe, type PipeLimits, type PipeLink, RawPipe } from "../pipe/net-pipe.ts";
import { limitOf, type Pipe } from "../pipe/pipe.ts";
import { Dialer } from "../session/dialer.ts";
import { Listener } from "../session/listener.ts";
import type { EndpointHolder, SessionSocket } from "../session/socket-side.ts";
import { type Endpoint, parseEndpoint } from "../transport/endpoint.ts";
import { InprocListener } from "../transport/inproc.ts";
import { InprocPipe, type InprocSocket } from "../transport/inproc-pipe.ts";
import { nodePath } from "../transport/ipc.ts";
import type { ContextCore, Member } from "./context.ts";
import { EventHub } from "./event-feed.ts";
import type { OperationSocket, Pattern, PatternHost } from "./pattern.ts";
import { describeSocket } from "./peer.ts";
import { Receiver } from "./receiver.ts";
import { Sender } from "./sender.ts";

const BLOCKED = "Socket is blocked by a bind or unbind operation";

/** Whose second connect() to the same address changes nothing, as libzmq has it: DEALER, SUB, PUB, REQ. */
const CONNECTS_ONCE: ReadonlySet<number> = new Set([1, 2, 3, 5]);

/** Resolves in the check phase, when what is at hand has been dealt with. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Makes the pattern of a socket type. */
export type PatternFactory = (host: PatternHost) => Pattern;

/** Every endpoint of these kinds reaches a peer by a stream of octets. */
type StreamEndpoint = Extract<Endpoint, { scheme: "tcp" | "ipc" }>;

export class SocketCore implements SessionSocket, PatternHost, InprocSocket, OptionsHost, OperationSocket, Member {
  readonly context: ContextCore;
  readonly socketType: number;
  readonly options: OptionValues;
  readonly events: EventHub;
  readonly pattern: Pattern;
  readonly sender: Sender;
  readonly receiver: Receiver;
  isClosed = false;
  /** A proxy that works on the pattern itself, and is woken in place of the two halves. */
  tap: (() => void) | undefined;
  #holds = 0;
  #isReferenced = true;
  #isBlocked = false;
  #closesLater = false;
  /** What a bind waits for. */
  #binding: Listener | undefined;
  readonly #bound = new Set<EndpointHolder>();
  readonly #connected = new Set<EndpointHolder>();
  /** Given up, but with messages to deliver yet. */
  readonly #leaving = new Set<EndpointHolder>();
  /** Routing ids that were given to connections. */
  readonly #givenIds = new Map<EndpointHolder, Buffer>();

  constructor(type: number, context: ContextCore, makePattern: PatternFactory) {
    this.context = context;
    this.socketType = type;
    this.options = createOptions(type, context.values);
    this.events = new EventHub(this);
    this.pattern = makePattern(this);
    this.sender = new Sender(this, this.pattern);
    this.receiver = new Receiver(this, this.pattern);
    context.enter(this);
  }

  // What users call, by way of Socket.

  /** @throws ErrnoError EBADF when closed, EBUSY when blocked */
  assertOpen(): void {
    if (this.isClosed) throw errnoError("EBADF");
    if (this.#isBlocked) throw errnoError("EBUSY", undefined, BLOCKED);
  }

  /** Blocks the socket until `unblock`: everything but options and close() throws EBUSY, and close() waits. */
  block(): void {
    this.assertOpen();
    this.#isBlocked = true;
  }

  /** Something waits for this socket, and keeps the process alive as long as the socket is referenced. */
  hold(): void {
    this.#holds++;
    if (this.#isReferenced) this.context.hold();
  }

  /** What `hold` told of has ended. */
  release(): void {
    this.#holds--;
    if (this.#isReferenced) this.context.release();
  }

  set isReferenced(isReferenced: boolean) {
    if (isReferenced === this.#isReferenced) return;
    this.#isReferenced = isReferenced;
    for (let i = 0; i < this.#holds; i++) {
      if (isReferenced) this.context.hold();
      else this.context.release();
    }
  }

  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  unblock(): void {
    this.#isBlocked = false;
    if (this.#closesLater) this.close();
  }

  async bind(address: string): Promise<void> {
    this.block();
    try {
      const endpoint = this.#parse(address, "bind");
      if (endpoint.scheme === "inproc") {
        this.#bindInproc(endpoint.address);
      } else {
        const listener = new Listener(this, this.#gone);
        this.#binding = listener;
        await listener.start(endpoint);
        this.#addBound(listener);
      }
    } catch (error) {
      throw this.#bindFailed(error);
    } finally {
      this.#binding = undefined;
      // However it ends, the socket is blocked for this turn: programs find out alike on every transport.
      await nextTurn();
      this.unblock();
    }
  }

  bindSync(address: string): void {
    this.assertOpen();
    try {
      const endpoint = this.#parse(address, "bind");
      if (endpoint.scheme === "inproc") {
        this.#bindInproc(endpoint.address);
        return;
      }
      const listener = new Listener(this, this.#gone);
      listener.startSync(endpoint);
      this.#addBound(listener);
    } catch (error) {
      throw this.#bindFailed(error);
    }
  }

  async unbind(address: string): Promise<void> {
    this.block();
    try {
      this.#giveUp(address, this.#bound, this.#connected);
    } finally {
      await nextTurn();
      this.unblock();
    }
  }

  unbindSync(address: string): void {
    this.assertOpen();
    this.#giveUp(address, this.#bound, this.#connected);
  }

  connect(address: string, routingId: Buffer | undefined): void {
    this.assertOpen();
    const endpoint = this.#parse(address, "connect");
    const { connectRoutingId } = this.options;
    const id = routingId ?? (connectRoutingId.length > 0 ? connectRoutingId : undefined);
    // Whatever is wrong is found before anything changes.
    const dialer = endpoint.scheme === "inproc" ? undefined : new Dialer(this, endpoint, id, this.#gone);
    if (id !== undefined) this.pattern.reserve(id);
    this.options.lastEndpoint = address;
    if (CONNECTS_ONCE.has(this.socketType)) {
      for (const holder of this.#connected) if (holder.address === address) return;
    }
    if (routingId === undefined) this.options.connectRoutingId = EMPTY;
    const holder = dialer ?? this.context.names.connect(address, this, id, this.#gone);
    if (holder instanceof InprocPipe && holder.isEnded) {
      if (id !== undefined) this.pattern.release(id);
      return;
    }
    if (id !== undefined) this.#givenIds.set(holder, id);
    this.#connected.add(holder);
    dialer?.start();
  }

  disconnect(address: string): void {
    this.assertOpen();
    this.#giveUp(address, this.#connected, this.#bound);
  }

  /** Closes; unsent messages are delivered within the linger time. While blocked, as soon as that ends. */
  close(): void {
    if (this.isClosed) return;
    if (this.#isBlocked) {
      this.#closesLater = true;
      this.#binding?.giveUp();
      return;
    }
    this.isClosed = true;
    this.sender.abort();
    this.receiver.abort();
    for (const holder of [...this.#bound, ...this.#connected]) this.#leave(holder);
    for (const holder of [...this.#leaving]) if (holder instanceof InprocListener) holder.close();
    this.pattern.close();
    this.events.end();
    this.context.closed();
    this.#leaveIfDone();
  }

  // What the options ask.

  get closed(): boolean {
    return this.isClosed;
  }

  get attached(): boolean {
    return this.#isBlocked || this.#bound.size > 0 || this.#connected.size > 0;
  }

  get pollEvents(): number {
    return (this.pattern.canReceive ? 1 : 0) | (this.pattern.canSend ? 2 : 0);
  }

  get topicsCount(): number {
    return this.pattern.topicsCount;
  }

  setTopic(topic: Buffer, subscribe: boolean): void {
    this.pattern.setTopic(topic, subscribe);
  }

  sendLimitChanged(): void {
    this.#eachPipe((pipe) => pipe.setSendLimit(this.limits.send));
  }

  receiveLimitChanged(): void {
    this.#eachPipe((pipe) => pipe.setReceiveLimit(this.limits.receive));
  }

  // What the pattern asks.

  get pool(): SlabPool {
    return this.context.pool;
  }

  wakeReceiver(): void {
    if (this.tap === undefined) this.receiver.wake();
    else this.tap();
  }

  wakeSender(): void {
    if (this.tap === undefined) this.sender.wake();
    else this.tap();
  }

  rejectSender(code: ErrorCode): void {
    if (this.tap === undefined) this.sender.reject(code);
    else this.tap();
  }

  // What transports and sessions ask.

  get limits(): PipeLimits {
    const { sendHighWaterMark, receiveHighWaterMark, conflate } = this.options;
    const ahead = Math.max(
      LEAST_DECODE_AHEAD_MESSAGES,
      Math.min(DECODE_AHEAD_MESSAGES, Math.floor(DECODED_MESSAGES / this.context.pipes)),
    );
    return { send: limitOf(sendHighWaterMark), receive: limitOf(receiveHighWaterMark), conflate, ahead };
  }

  createPipe(link: PipeLink, { conflate, notify }: OptionValues): NetPipe {
    this.context.pipes++;
    const limits = { ...this.limits, conflate };
    const { pool } = this.context;
    if (this.socketType === SOCKET_TYPES.STREAM) return new RawPipe(this.pattern, link, pool, limits, notify);
    return new NetPipe(this.pattern, link, pool, limits);
  }

  endPipe(pipe: NetPipe, discards: boolean): void {
    if (pipe.isEnded) return;
    this.context.pipes--;
    pipe.isEnded = true;
    if (discards) pipe.discard();
    this.pattern.ended(pipe);
  }

  schedule(item: Flushable): void {
    this.context.turn.schedule(item);
  }

  get isWaiting(): boolean {
    return this.receiver.isWaiting;
  }

  facts(): PeerFacts {
    return { address: "", routingId: this.options.routingId, properties: describeSocket(this.options) };
  }

  // What the context asks.

  get hasUnsent(): boolean {
    for (const holder of this.#connected) if (holder.hasUnsent) return true;
    for (const holder of this.#bound) if (holder.hasUnsent) return true;
    for (const holder of this.#leaving) if (holder.hasUnsent) return true;
    return false;
  }

  get linger(): number {
    return this.options.linger;
  }

  flush(): void {
    for (const holder of this.#connected) holder.flush();
    for (const holder of this.#bound) holder.flush();
    for (const holder of this.#leaving) holder.flush();
  }

  #parse(address: string, use: "bind" | "connect"): StreamEndpoint | Extract<Endpoint, { scheme: "inproc" }> {
    const endpoint = parseEndpoint(address, use);
    // A name that can never work here is no peer that may come up.
    if (endpoint.scheme === "ipc") nodePath(endpoint);
    if (endpoint.scheme === "udp") throw errnoError("ENOCOMPATPROTO", address);
    if (endpoint.scheme === "ws") throw errnoError("EPROTONOSUPPORT", address);
    return endpoint;
  }

  #bindInproc(address: string): void {
    this.#bound.add(this.context.names.bind(address, this, this.#gone));
    this.options.lastEndpoint = address;
  }

  #addBound(listener: Listener): void {
    this.#bound.add(listener);
    this.options.lastEndpoint = listener.address;
  }

  /** The event names the address without its scheme, and there is none of inproc, as with libzmq. */
  #bindFailed(error: unknown): unknown {
    if (this.events.active && error instanceof ErrnoError) {
      const [, address] = /^(?:tcp|ipc):\/\/(.*)$/s.exec(error.address ?? "") ?? [];
      if (address !== undefined) this.events.emit({ type: "bind:error", address, error });
    }
    return error;
  }

  /**
   * Ends every endpoint of this address, of the first kind or else of the second: libzmq has one call for both.
   * @throws ErrnoError ENOENT, or what is wrong with the address
   */
  #giveUp(address: string, first: Set<EndpointHolder>, second: Set<EndpointHolder>): void {
    const isNamed = (holder: EndpointHolder): boolean => holder.address === address;
    let found = [...first].filter(isNamed);
    if (found.length === 0) found = [...second].filter(isNamed);
    if (found.length === 0) {
      parseEndpoint(address, "bind");
      throw errnoError("ENOENT", address);
    }
    for (const holder of found) {
      if (holder instanceof InprocListener) {
        this.#bound.delete(holder);
        this.#leaving.add(holder);
        holder.release();
      } else {
        this.#leave(holder);
      }
    }
  }

  #leave(holder: EndpointHolder): void {
    this.#bound.delete(holder);
    this.#connected.delete(holder);
    this.#leaving.add(holder);
    this.#releaseId(holder);
    const { linger } = this.options;
    holder.close(linger);
    if (holder instanceof InprocPipe && holder.hasEarly && linger > 0) this.#cutLater(holder, linger);
  }

  /** Ends the wait of messages for a name to be bound. */
  #cutLater(pipe: InprocPipe, milliseconds: number): void {
    const timer = setTimeout(() => pipe.close(0), milliseconds).unref();
    pipe.onEnd = () => {
      clearTimeout(timer);
      this.#gone(pipe);
    };
  }

  readonly #gone = (holder: EndpointHolder): void => {
    this.#bound.delete(holder);
    this.#connected.delete(holder);
    this.#leaving.delete(holder);
    this.#releaseId(holder);
    this.#leaveIfDone();
  };

  #releaseId(holder: EndpointHolder): void {
    const id = this.#givenIds.get(holder);
    if (id === undefined) return;
    this.#givenIds.delete(holder);
    this.pattern.release(id);
  }

  #leaveIfDone(): void {
    if (this.isClosed && this.#leaving.size === 0) this.context.leave(this);
  }

  #eachPipe(visit: (pipe: Pipe) => void): void {
    for (const holder of this.#bound) holder.eachPipe(visit);
    for (const holder of this.#connected) holder.eachPipe(visit);
  }
}

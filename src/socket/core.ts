/**
 * The inner side of a socket. Users hold a `Socket`, a thin object; everything that connections refer to is here, so
 * that a socket which its program has dropped can be collected, and is closed then.
 *
 * It owns the options, the endpoints, the pattern with the two halves that wait for it, and the state:
 *
 *     open <-> blocked (an asynchronous bind or unbind, or a running proxy)        open -> closed, for good
 */

import { DECODE_AHEAD_MESSAGES, DECODED_MESSAGES, LEAST_DECODE_AHEAD_MESSAGES } from "../base/constants.ts";
import { type ErrorCode, errnoError } from "../base/errors.ts";
import type { PeerFacts } from "../codec/peer-facts.ts";
import type { SlabPool } from "../codec/slab-pool.ts";
import { setImmediate } from "../loop/clock.ts";
import type { Flushable } from "../loop/turn.ts";
import type { OptionsHost } from "../options/access.ts";
import { createOptions } from "../options/defaults.ts";
import { type OptionValues, SOCKET_TYPES } from "../options/values.ts";
import { NetPipe, type PipeLimits, type PipeLink, RawPipe } from "../pipe/net-pipe.ts";
import { limitOf } from "../pipe/pipe.ts";
import type { SessionSocket } from "../session/socket-side.ts";
import type { InprocSocket } from "../transport/inproc-pipe.ts";
import type { ContextCore, Member } from "./context.ts";
import { Endpoints } from "./endpoints.ts";
import { EventHub } from "./event-feed.ts";
import type { OperationSocket, Pattern, PatternSocket } from "./pattern.ts";
import { describeSocket } from "./peer.ts";
import { Receiver } from "./receiver.ts";
import { Sender } from "./sender.ts";

const BLOCKED = "Socket is blocked by a bind or unbind operation";

/** Resolves in the check phase, when what is at hand has been dealt with. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Makes the pattern of a socket type. */
export type PatternFactory = (socket: PatternSocket) => Pattern;

export class SocketCore implements SessionSocket, PatternSocket, InprocSocket, OptionsHost, OperationSocket, Member {
  readonly context: ContextCore;
  readonly socketType: number;
  readonly options: OptionValues;
  readonly events: EventHub;
  readonly pattern: Pattern;
  readonly sender: Sender;
  readonly receiver: Receiver;
  isClosed = false;
  /** Wakes a proxy that works on the pattern itself; the two halves are not woken then. */
  tap: (() => void) | undefined;
  #holds = 0;
  #isReferenced = true;
  #isBlocked = false;
  #closesLater = false;
  readonly #endpoints: Endpoints;

  constructor(type: number, context: ContextCore, makePattern: PatternFactory) {
    this.context = context;
    this.socketType = type;
    this.options = createOptions(type, context.values);
    this.events = new EventHub(this);
    this.pattern = makePattern(this);
    this.sender = new Sender(this, this.pattern);
    this.receiver = new Receiver(this, this.pattern);
    this.#endpoints = new Endpoints(this, this.#leaveIfDone);
    context.enter(this);
  }

  // Called by users, by way of Socket.

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

  /** Keeps the process alive until `release`, as long as the socket is referenced: something waits for it. */
  hold(): void {
    this.#holds++;
    if (this.#isReferenced) this.context.hold();
  }

  /** Takes back one `hold`. */
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
      await this.#endpoints.bind(address);
    } finally {
      // However it ends, the socket is blocked for this turn: programs find out alike on every transport.
      await nextTurn();
      this.unblock();
    }
  }

  bindSync(address: string): void {
    this.assertOpen();
    this.#endpoints.bindSync(address);
  }

  async unbind(address: string): Promise<void> {
    this.block();
    try {
      this.#endpoints.unbind(address);
    } finally {
      await nextTurn();
      this.unblock();
    }
  }

  unbindSync(address: string): void {
    this.assertOpen();
    this.#endpoints.unbind(address);
  }

  connect(address: string, routingId: Buffer | undefined): void {
    this.assertOpen();
    this.#endpoints.connect(address, routingId);
  }

  disconnect(address: string): void {
    this.assertOpen();
    this.#endpoints.disconnect(address);
  }

  /** Closes; unsent messages are delivered within the linger time. While blocked, as soon as that ends. */
  close(): void {
    if (this.isClosed) return;
    if (this.#isBlocked) {
      this.#closesLater = true;
      this.#endpoints.giveUpBind();
      return;
    }
    this.isClosed = true;
    this.sender.close();
    this.receiver.close();
    this.#endpoints.close();
    this.pattern.close();
    this.events.close();
    this.context.closed();
    this.#leaveIfDone();
  }

  // Asked by the options.

  get closed(): boolean {
    return this.isClosed;
  }

  get attached(): boolean {
    return this.#isBlocked || this.#endpoints.any;
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
    this.#endpoints.eachPipe((pipe) => pipe.setSendLimit(this.limits.send));
  }

  receiveLimitChanged(): void {
    this.#endpoints.eachPipe((pipe) => pipe.setReceiveLimit(this.limits.receive));
  }

  // Asked by the pattern.

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

  // Asked by transports and sessions.

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

  // Asked by the context.

  get hasUnsent(): boolean {
    return this.#endpoints.hasUnsent;
  }

  get linger(): number {
    return this.options.linger;
  }

  flush(): void {
    this.#endpoints.flush();
  }

  readonly #leaveIfDone = (): void => {
    if (this.isClosed && this.#endpoints.isDone) this.context.leave(this);
  };
}

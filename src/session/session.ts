/**
 * A session pumps one live connection: octets between a stream and the protocol of the peer, messages between that and
 * a pipe. Its owner, a listener or a dialer, decides what becomes of the pipe when it ends.
 *
 *     stream.onData -> handshake.receive  -> established()              once
 *     stream.onData -> traffic.receive    -> decoder -> pipe.push       (stops at the receive high-water mark)
 *     pipe.write    -> turn.schedule      -> flush() -> stream.write    (stops when the kernel takes no more)
 *
 * Rules
 * - Reading: when the pipe is behind, decoding stops and what the stream still delivers stays raw; the stream is paused
 *   only when a second chunk comes in meanwhile, since most readers have caught up by then.
 * - Writing: one batch of whole messages at a time, for as long as the kernel takes everything at once.
 * - A session ends once, in one order: what was received becomes readable, events are raised, the owner gets its pipe
 *   back.
 */

import { EMPTY } from "../base/bytes.ts";
import { LARGE_READ_BYTES, READ_BYTES, TIMER_MAX_MS } from "../base/constants.ts";
import { BODY_DETACHED, type ErrnoError, errnoError, systemError } from "../base/errors.ts";
import { reportMissing } from "../base/events.ts";
import { ZMTP_3_0 } from "../codec/greeting.ts";
import { type PeerFacts, UNKNOWN_PEER } from "../codec/peer-facts.ts";
import type { Failure } from "../connection/failure.ts";
import { type Established, Handshake, type HandshakeHandler } from "../connection/handshake.ts";
import { type AnyTraffic, RawTraffic } from "../connection/raw-traffic.ts";
import type { ZapHook } from "../connection/security.ts";
import { Traffic, type TrafficHandler } from "../connection/traffic.ts";
import { clearTimeout, now, setTimeout } from "../loop/clock.ts";
import type { Flushable } from "../loop/turn.ts";
import type { MechanismFactory } from "../mechanism/mechanism.ts";
import { type OptionValues, SOCKET_TYPES } from "../options/values.ts";
import type { NetPipe, PipeLink } from "../pipe/net-pipe.ts";
import type { NetStream, StreamHandler } from "../transport/net-stream.ts";
import { failureEvent, leftReason } from "./failure-event.ts";
import type { Newcomer, SessionSocket } from "./socket-side.ts";
import { Writer } from "./writer.ts";
import { mayAsk, ZapQuestion } from "./zap-client.ts";

/** Makes sessions, and owns their pipes. */
export interface SessionOwner {
  /** The socket's options as they stood when the endpoint was made. */
  readonly options: OptionValues;
  readonly curve: MechanismFactory | undefined;
  /** Returns the pipe for this peer, whose handshake is done; `undefined` refuses it. */
  ready(session: Session, peer: PeerFacts): NetPipe | undefined;
  /** Ends the session for good after all that waits is written: the pattern is done with this peer. */
  closeSession(session: Session): void;
  /** Hears that the session has ended; `failure` tells why when it was not just a lost connection. */
  ended(session: Session, failure: Failure | undefined): void;
}

type Phase = "handshake" | "traffic" | "closing" | "ended";

/**
 * The legal steps. `closing`: it is about to end by our own wish, and raises no events; `ended`: the stream is gone.
 */
const NEXT: Readonly<Record<Phase, readonly Phase[]>> = {
  handshake: ["traffic", "closing", "ended"],
  traffic: ["closing", "ended"],
  closing: ["ended"],
  ended: [],
};

/** A STREAM's peer has nothing to agree on. */
const RAW: Established = { peer: UNKNOWN_PEER, version: 0, wire: undefined, mechanism: undefined, rest: EMPTY };

export class Session implements HandshakeHandler, TrafficHandler, StreamHandler, PipeLink, Flushable {
  readonly isOutgoing: boolean = false;
  isScheduled = false;
  /** The endpoint that events name. */
  readonly address: string;
  readonly #socket: SessionSocket;
  readonly #owner: SessionOwner;
  readonly #stream: NetStream;
  #phase: Phase = "handshake";
  #handshake: Handshake | undefined;
  #traffic: AnyTraffic | undefined;
  #pipe: NetPipe | undefined;
  #writer: Writer | undefined;
  #failure: Failure | undefined;
  #question: ZapQuestion | undefined;
  #newcomer: Newcomer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  /** True until something comes of the peer that shows its address to somebody. */
  #isUnheard = true;
  /** True while the stream is paused since the pipe is behind. */
  #isPaused = false;
  /** True while decoding goes on in the check phase: there were enough commands for this turn. */
  #isOutOfTime = false;

  constructor(socket: SessionSocket, owner: SessionOwner, stream: NetStream, address: string) {
    this.#socket = socket;
    this.#owner = owner;
    this.#stream = stream;
    this.address = address;
  }

  /** Starts the handshake. */
  start(): void {
    this.#stream.handler = this;
    const { context, pattern, socketType } = this.#socket;
    this.#newcomer = pattern.expect();
    if (pattern.refills) context.turn.subscribing();
    if (socketType === SOCKET_TYPES.STREAM) {
      this.#begin(new RawTraffic(), RAW);
      return;
    }
    const { options, curve } = this.#owner;
    const zap = mayAsk(options) ? this.#ask : undefined;
    const peerAddress = zap === undefined ? "" : this.#stream.peerAddress;
    this.#handshake = new Handshake({ socketType, options, curve, zap, peerAddress }, this);
    const time = now();
    this.#handshake.start(time);
    this.#arm(time);
  }

  /** True once the handshake is done, as long as the connection lives. */
  get isReady(): boolean {
    return this.wasReady && this.#phase !== "ended";
  }

  /** True when the handshake was ever done. */
  get wasReady(): boolean {
    return this.#traffic !== undefined;
  }

  // Called by the stream.

  get target(): Buffer | undefined {
    return this.#traffic?.target;
  }

  onFilled(count: number): void {
    this.#socket.context.turn.renew();
    this.#traffic?.filled(count);
    this.#afterRead(count, false);
  }

  onData(chunk: Buffer, isBorrowed: boolean): void {
    this.#socket.context.turn.renew();
    const traffic = this.#traffic;
    if (traffic === undefined) {
      this.#handshake?.receive(chunk);
      this.#afterRead(chunk.length, false);
      return;
    }
    if (this.#isUnheard) this.#hear();
    const wasStopped = traffic.stopped;
    traffic.receive(chunk, isBorrowed);
    this.#afterRead(chunk.length, wasStopped);
  }

  #afterRead(count: number, wasStopped: boolean): void {
    // Such a peer is near, and sends on.
    if (count >= LARGE_READ_BYTES) this.#socket.context.turn.expectMore();
    const traffic = this.#traffic;
    if (traffic?.stopped) {
      if (!wasStopped) traffic.paused(true);
      else if (!this.#isPaused && (this.#pipe?.isBounded !== false || traffic.backlogBytes >= READ_BYTES)) {
        this.#isPaused = true;
        this.#stream.pause();
      }
    }
    if (this.#deadline < this.#due) this.#arm();
  }

  onFlushed(): void {
    this.#socket.context.turn.renew();
    this.#traffic?.flushed();
    this.#writer?.flushed();
    this.flush();
  }

  onEnd(error?: Error): void {
    if (this.#phase === "ended") return;
    const isSilent = this.#phase === "closing";
    this.#step("ended");
    clearTimeout(this.#timer);
    this.#newcomer?.left();
    if (!this.wasReady && this.#socket.pattern.refills) this.#socket.context.turn.subscribed();
    this.#question?.cancel();
    this.#decodeRest();
    this.#handshake?.close();
    this.#traffic?.close();
    const events = this.#socket.events;
    if ((error as NodeJS.ErrnoException | undefined)?.code === BODY_DETACHED) reportMissing(events, this.address);
    if (events.active && !isSilent) {
      if (!this.wasReady && this.#failure === undefined) {
        const failed =
          error === undefined
            ? errnoError("EPIPE", this.address, undefined, leftReason(this.#owner.options))
            : systemError(error, this.address);
        events.emit({ type: "handshake:error:other", address: this.address, error: failed });
      }
      events.emit({ type: "disconnect", address: this.address });
    }
    this.#owner.ended(this, this.#failure);
    this.#writer?.close();
    this.#pipe = undefined;
  }

  /** Decodes all that was received before the end, so that it stays readable; it is two chunks at the most. */
  #decodeRest(): void {
    const traffic = this.#traffic;
    let before = Number.POSITIVE_INFINITY;
    // Each step decodes a message at least, or closes the connection over a fault.
    while (traffic?.stopped && traffic.backlogBytes < before) {
      before = traffic.backlogBytes;
      traffic.resume();
    }
  }

  // Called by handshake and traffic.

  send(bytes: Buffer): void {
    if (this.#phase !== "ended") this.#stream.write(bytes);
  }

  backedUp(): boolean {
    return this.#stream.queuedBytes > 0;
  }

  hasTime(): boolean {
    const { turn } = this.#socket.context;
    if (turn.allows() || this.#phase === "ended") return true;
    this.#isOutOfTime = true;
    turn.afterwards(() => {
      if (this.#isOutOfTime) this.resume();
    });
    return false;
  }

  established(result: Established): void {
    this.#handshake = undefined;
    const { options } = this.#owner;
    this.#begin(new Traffic({ socketType: this.#socket.socketType, options, clock: now }, this, result), result);
  }

  #begin(traffic: AnyTraffic, { peer, version, rest }: Established): void {
    this.#step("traffic");
    this.#traffic = traffic;
    this.#arm();
    const { events, pattern, context } = this.#socket;
    // Peers of ZMTP 1.0 and 2.0 have no handshake, nor have raw ones.
    if (events.active && version >= ZMTP_3_0) events.emit({ type: "handshake", address: this.address });
    const pipe = this.#owner.ready(this, peer);
    if (pipe === undefined) {
      if (pattern.refills) context.turn.subscribed();
      this.#stream.destroy();
      return;
    }
    this.#pipe = pipe;
    this.#writer = new Writer(pipe, this.#stream, traffic.wire, events, this.address);
    pipe.link = this;
    pipe.isConnected = true;
    pipe.peer = { ...peer, address: pipe.peer.address };
    if (this.#phase === "traffic") traffic.deliverTo(pipe);
    pipe.outbox.encodeTopics((topic, subscribe) => traffic.subscription(topic, subscribe));
    if (!pipe.isEnded) pattern.connected(pipe);
    this.#newcomer?.joined(pipe);
    this.#newcomer = undefined;
    // Subscriptions go ahead of other sockets' messages in the same turn: a peer that is asked by one may publish at
    // once.
    if (this.#phase === "closing" || pattern.refills) this.flush();
    else if (pipe.outbox.pending) context.turn.scheduleFirst(this);
    if (pattern.refills) context.turn.subscribed();
    if (rest.length > 0) this.#hear();
    traffic.begin(rest);
  }

  subscription(topic: Buffer, subscribe: boolean): void {
    if (this.#isUnheard) this.#hear();
    const pipe = this.#pipe;
    if (pipe !== undefined && !pipe.isEnded) pipe.owner.subscription(pipe, topic, subscribe);
  }

  /**
   * Asks for the peer's address, with its first octets of traffic: a peer that comes and leaves should not cost the
   * system call.
   */
  #hear(): void {
    this.#isUnheard = false;
    const pipe = this.#pipe;
    if (pipe !== undefined) pipe.peer = { ...pipe.peer, address: this.#stream.peerAddress };
  }

  fail(failure: Failure): void {
    this.#failure = failure;
    const { events } = this.#socket;
    if (events.active && this.#phase !== "closing") {
      const event = failureEvent(failure, this.address);
      if (event !== undefined) events.emit(event);
    }
    if (failure.flush === true) this.#stream.end();
    else this.#stream.destroy();
  }

  // Called by the pipe.

  flush(): void {
    if (this.#phase === "ended" || this.#writer?.flush() !== true) return;
    if (this.#phase === "closing") this.#stream.end();
    else this.#pipe?.roomMade();
  }

  schedule(): void {
    this.#socket.context.turn.schedule(this);
  }

  endTurn(): void {
    this.flush();
    this.#pipe?.turnEnded();
  }

  resume(): void {
    const traffic = this.#traffic;
    this.#isOutOfTime = false;
    if (this.#phase === "ended" || !traffic?.stopped || !traffic.resume()) return;
    traffic.paused(false);
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#stream.resume();
  }

  subscribe(topic: Buffer, subscribe: boolean): void {
    const pipe = this.#pipe;
    const traffic = this.#traffic;
    if (pipe === undefined || traffic === undefined) return;
    pipe.outbox.writeUncounted(traffic.subscription(topic, subscribe));
    this.schedule();
  }

  refuse(error: ErrnoError): void {
    const { events } = this.#socket;
    if (events.active) events.emit({ type: "handshake:error:other", address: this.address, error });
    this.#failure = { kind: "incompatible", detail: error.message };
    this.#handshake?.close();
    this.#traffic?.close();
    this.#stream.destroy();
  }

  finish(): void {
    this.#owner.closeSession(this);
  }

  /** Ends the connection when all that waits is written; drops all that still comes in. */
  close(): void {
    this.#startClosing();
    if (this.isReady) {
      this.resume();
      this.flush();
    } else {
      this.#stream.destroy();
    }
  }

  /** Ends the connection now. */
  destroy(): void {
    this.#startClosing();
    this.#stream.destroy();
  }

  #startClosing(): void {
    if (this.#phase === "closing" || this.#phase === "ended") return;
    this.#step("closing");
    this.#handshake?.close();
    this.#traffic?.deliverTo(undefined);
  }

  #step(phase: Phase): void {
    if (!NEXT[this.#phase].includes(phase)) throw new Error(`no step from ${this.#phase} to ${phase}`);
    this.#phase = phase;
  }

  /** Carries a question to the ZAP handler. */
  readonly #ask: ZapHook = (frames, answer) => {
    this.#question = new ZapQuestion(this.#socket.context.names, frames, answer);
  };

  get #deadline(): number {
    return (this.#traffic ?? this.#handshake)?.deadline ?? Number.POSITIVE_INFINITY;
  }

  #arm(time?: number): void {
    const due = this.#deadline;
    clearTimeout(this.#timer);
    this.#due = due;
    if (due === Number.POSITIVE_INFINITY || this.#phase === "ended") return;
    const delay = Math.min(Math.max(Math.ceil(due - (time ?? now())), 0), TIMER_MAX_MS);
    this.#timer = setTimeout(this.#tick, delay).unref();
  }

  readonly #tick = (): void => {
    (this.#traffic ?? this.#handshake)?.tick(now());
    this.#arm();
  };
}

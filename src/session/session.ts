/**
 * A session pumps one live connection: octets between a stream and a connection, messages between a connection and a
 * pipe. Who made it (a connector or a binder: its keeper) decides what becomes of the pipe when it ends.
 *
 *     stream.onData -> connection.receive -> message()  -> pipe.push          (stops at the receive high-water mark)
 *     pipe.write    -> turn.schedule      -> flush()    -> stream.write       (stops when the kernel takes no more)
 *
 * Rules
 * - Reading: when the pipe is behind, decoding stops and what the stream still delivers stays raw; the stream is paused
 *   only when a second chunk comes in meanwhile, since most readers have caught up by then.
 * - Writing: one batch of whole messages at a time, for as long as the kernel takes everything at once.
 * - A session ends once, in one order: what was received becomes readable, events are raised, the keeper gets its pipe back.
 */

import { FLUSH_LIMIT_BYTES, LARGE_READ_BYTES, READ_BYTES, TIMER_MAX_MS } from "../base/constants.ts";
import { BODY_DETACHED, type ErrnoError, errnoError, systemError } from "../base/errors.ts";
import { authEventError, protocolEventError, reportMissing } from "../base/events.ts";
import { ZMTP_3_0 } from "../codec/greeting.ts";
import type { ConnectionHandler, Failure, PeerInfo } from "../connection/connection.ts";
import { INCOMPATIBLE_CODE } from "../connection/failure.ts";
import type { PeerConnection } from "../connection/raw.ts";
import type { ZapHook } from "../connection/security.ts";
import { clearTimeout, now, setTimeout } from "../loop/clock.ts";
import type { Flushable } from "../loop/turn.ts";
import type { MechanismFactory } from "../mechanism/mechanism.ts";
import { ZAP_ENDPOINT } from "../mechanism/zap.ts";
import type { OptionValues } from "../options/values.ts";
import type { NetPipe, PipeLink } from "../pipe/pipe.ts";
import type { NetStream, StreamHandler } from "../transport/net-stream.ts";
import type { Newcomer, SessionHost } from "./host.ts";
import { mayAsk, ZapQuestion } from "./zap-client.ts";

/** Who made the session. */
export interface SessionKeeper {
  /** The socket's options as they stood when the endpoint was made. */
  readonly options: OptionValues;
  readonly curve: MechanismFactory | undefined;
  /** The handshake is done: the pipe that serves this peer; `undefined` refuses it. */
  ready(session: Session, peer: PeerInfo): NetPipe | undefined;
  /** The pattern is done with this peer: end the session for good, after what waits is written. */
  drop(session: Session): void;
  /** The session has ended; `failure` says so when it was not just a lost connection. */
  lost(session: Session, failure: Failure | undefined): void;
}

export class Session implements ConnectionHandler, StreamHandler, PipeLink, Flushable {
  readonly isOutgoing: boolean = false;
  isScheduled = false;
  /** The endpoint that events name. */
  readonly address: string;
  readonly #host: SessionHost;
  readonly #keeper: SessionKeeper;
  readonly #stream: NetStream;
  readonly #connection: PeerConnection;
  #pipe: NetPipe | undefined;
  #failure: Failure | undefined;
  #question: ZapQuestion | undefined;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #newcomer: Newcomer | undefined;
  #isReady = false;
  /** Nothing came of the peer that could show its address to anybody. */
  #isUnheard = true;
  #isPaused = false;
  #isBlocked = false;
  #isClosing = false;
  #isEnded = false;

  constructor(host: SessionHost, keeper: SessionKeeper, stream: NetStream, address: string) {
    const { options, curve } = keeper;
    this.#host = host;
    this.#keeper = keeper;
    this.#stream = stream;
    this.address = address;
    const zap = mayAsk(options) ? this.#ask : undefined;
    const peerAddress = zap === undefined ? "" : stream.peerAddress;
    this.#connection = host.createConnection({ options, curve, zap, peerAddress }, this);
  }

  /** Starts the handshake. */
  start(): void {
    this.#stream.handler = this;
    const { loop, pattern } = this.#host;
    this.#newcomer = pattern.expect();
    if (pattern.refills) loop.turn.subscribing();
    const time = now();
    this.#connection.start(time);
    this.#arm(time);
  }

  /** Whether the handshake is done and the connection lives. */
  get isReady(): boolean {
    return this.#isReady && !this.#isEnded;
  }

  /** Whether the handshake was ever done. */
  get wasReady(): boolean {
    return this.#isReady;
  }

  // The stream's side.

  get target(): Buffer | undefined {
    return this.#connection.target;
  }

  onFilled(count: number): void {
    this.#host.loop.turn.renew();
    this.#connection.filled(count);
    this.#afterRead(count, false);
  }

  onData(chunk: Buffer, isBorrowed: boolean): void {
    if (this.#isClosing && !this.#isReady) return;
    this.#host.loop.turn.renew();
    const connection = this.#connection;
    const wasStopped = connection.stopped;
    connection.receive(chunk, undefined, isBorrowed);
    this.#afterRead(chunk.length, wasStopped);
  }

  #afterRead(count: number, wasStopped: boolean): void {
    const connection = this.#connection;
    // From a peer that is near, and sends on.
    if (count >= LARGE_READ_BYTES) this.#host.loop.turn.expectMore();
    if (connection.stopped) {
      if (!wasStopped) connection.paused(undefined, true);
      else if (!this.#isPaused && (this.#pipe?.isBounded !== false || connection.backlogBytes >= READ_BYTES)) {
        this.#isPaused = true;
        this.#stream.pause();
      }
    }
    if (connection.deadline < this.#due) this.#arm();
  }

  onFlushed(): void {
    this.#host.loop.turn.renew();
    this.#isBlocked = false;
    this.#connection.flushed();
    this.#pipe?.outbox.taken();
    this.flush();
  }

  onEnd(error?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#newcomer?.left();
    if (!this.#isReady && this.#host.pattern.refills) this.#host.loop.turn.subscribed();
    this.#question?.cancel();
    const connection = this.#connection;
    this.#decodeRest();
    connection.close();
    const events = this.#host.events;
    if ((error as NodeJS.ErrnoException | undefined)?.code === BODY_DETACHED) reportMissing(events, this.address);
    if (events.active && !this.#isClosing) {
      if (!this.#isReady && this.#failure === undefined) {
        const failed =
          error === undefined
            ? errnoError("EPIPE", this.address, undefined, leftReason(this.#keeper.options))
            : systemError(error, this.address);
        events.emit({ type: "handshake:error:other", address: this.address, error: failed });
      }
      events.emit({ type: "disconnect", address: this.address });
    }
    this.#keeper.lost(this, this.#failure);
    this.#pipe = undefined;
  }

  /** What was received before the end stays readable; it is two chunks at the most. */
  #decodeRest(): void {
    const connection = this.#connection;
    let before = Number.POSITIVE_INFINITY;
    // Each step decodes a message at least, or closes the connection over a fault.
    while (connection.stopped && connection.backlogBytes < before) {
      before = connection.backlogBytes;
      connection.resume();
    }
  }

  // The connection's side.

  send(bytes: Buffer): void {
    if (!this.#isEnded) this.#stream.write(bytes);
  }

  backedUp(): boolean {
    return this.#stream.queuedBytes > 0;
  }

  ready(peer: PeerInfo): void {
    this.#isReady = true;
    this.#arm();
    const { events, pattern, loop } = this.#host;
    // Peers of ZMTP 1.0 and 2.0 have no handshake, nor have raw ones.
    if (events.active && peer.version >= ZMTP_3_0) events.emit({ type: "handshake", address: this.address });
    const pipe = this.#keeper.ready(this, peer);
    if (pipe === undefined) {
      if (pattern.refills) loop.turn.subscribed();
      this.#stream.destroy();
      return;
    }
    this.#pipe = pipe;
    pipe.link = this;
    pipe.isConnected = true;
    pipe.peer = { address: pipe.peer.address, properties: peer.properties, identity: peer.identity };
    pipe.outbox.encodeTopics(this.#encodeTopic);
    if (!pipe.isEnded) pattern.connected(pipe);
    this.#newcomer?.joined(pipe);
    this.#newcomer = undefined;
    // Subscriptions are ahead of what other sockets of this program say in the same turn: who is asked may publish at once.
    if (this.#isClosing || pattern.refills) this.flush();
    else if (pipe.outbox.pending) loop.turn.scheduleFirst(this);
    if (pattern.refills) loop.turn.subscribed();
  }

  message(frames: Buffer[]): boolean {
    if (this.#isUnheard) this.#hear();
    const pipe = this.#pipe;
    return pipe === undefined || pipe.isEnded || this.#isClosing ? true : pipe.push(frames);
  }

  subscription(topic: Buffer, subscribe: boolean): void {
    if (this.#isUnheard) this.#hear();
    const pipe = this.#pipe;
    if (pipe !== undefined && !pipe.isEnded) pipe.owner.subscription(pipe, topic, subscribe);
  }

  /** The peer's address is asked for with its first message: a peer that comes and leaves should not cost the system call. */
  #hear(): void {
    this.#isUnheard = false;
    const pipe = this.#pipe;
    if (pipe !== undefined) pipe.peer = { ...pipe.peer, address: this.#stream.peerAddress };
  }

  group(): void {
    // Only RADIO has groups, and no socket here is one; the command of a stranger means nothing.
  }

  fail(failure: Failure): void {
    this.#failure = failure;
    if (this.#host.events.active && !this.#isClosing) this.#report(failure);
    if (failure.flush === true) this.#stream.end();
    else this.#stream.destroy();
  }

  // The pipe's side.

  flush(): void {
    const pipe = this.#pipe;
    if (pipe === undefined || this.#isBlocked || this.#isEnded) return;
    const outbox = pipe.outbox;
    const stream = this.#stream;
    const wire = this.#connection.wire;
    while (outbox.pending) {
      // What stood in line behind something else could not be looked at when it goes out.
      if (stream.queuedBytes > 0) {
        this.#isBlocked = true;
        pipe.roomMade();
        return;
      }
      const parts = outbox.take(FLUSH_LIMIT_BYTES);
      if (outbox.missing > 0 && !this.#goesOn(pipe)) return;
      if (parts === undefined) break;
      stream.write(wire === undefined ? parts : wire.wrap(parts), this.#settle);
      // The outbox uses the array again: until then it would keep what was sent.
      parts.length = 0;
      if (stream.queuedBytes > 0) {
        this.#isBlocked = true;
        pipe.roomMade();
        return;
      }
      outbox.taken();
    }
    if (this.#isClosing) this.#finish();
    else pipe.roomMade();
  }

  /** Tells of messages that are lost. False: what follows would mean nothing without them. */
  #goesOn(pipe: NetPipe): boolean {
    for (; pipe.outbox.missing > 0; pipe.outbox.missing--) reportMissing(this.#host.events, this.address);
    if (pipe.isFramed) return true;
    this.#stream.destroy();
    return false;
  }

  schedule(): void {
    this.#host.loop.turn.schedule(this);
  }

  endTurn(): void {
    this.flush();
    this.#pipe?.turnEnded();
  }

  resume(): void {
    if (!this.#isEnded) this.#unstop();
  }

  #unstop(): void {
    const connection = this.#connection;
    if (!connection.stopped) return;
    if (!connection.resume()) return;
    connection.paused(undefined, false);
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#stream.resume();
  }

  subscribe(topic: Buffer, subscribe: boolean): void {
    if (this.#pipe === undefined) return;
    this.#pipe.outbox.writeUncounted(this.#encodeTopic(topic, subscribe));
    this.schedule();
  }

  readonly #encodeTopic = (topic: Buffer, subscribe: boolean): Buffer =>
    this.#connection.subscription(topic, subscribe);

  refuse(error: ErrnoError): void {
    const { events } = this.#host;
    if (events.active) events.emit({ type: "handshake:error:other", address: this.address, error });
    this.#failure = { kind: "incompatible", detail: error.message };
    this.#connection.close();
    this.#stream.destroy();
  }

  finish(): void {
    this.#keeper.drop(this);
  }

  /** Ends the connection when all that waits is written. What still comes in is dropped. */
  end(): void {
    this.#isClosing = true;
    if (!this.#isReady || this.#isEnded) {
      this.#stream.destroy();
      return;
    }
    this.#unstop();
    this.flush();
  }

  /** Ends the connection now. */
  destroy(): void {
    this.#isClosing = true;
    this.#stream.destroy();
  }

  #finish(): void {
    this.#stream.end();
  }

  /** Carries a question to the authenticator. */
  readonly #ask: ZapHook = (frames, answer) => {
    this.#question = new ZapQuestion(this.#host.loop.names, frames, answer);
  };

  readonly #settle = (): void => {
    this.#pipe?.outbox.settle();
  };

  #report(failure: Failure): void {
    const { address } = this;
    const events = this.#host.events;
    if (failure.kind === "auth") {
      events.emit({ type: "handshake:error:auth", address, error: authEventError(failure.status) });
    } else if (failure.kind === "protocol" && failure.event) {
      const error = protocolEventError(failure.code, failure.detail);
      events.emit({ type: "handshake:error:protocol", address, error });
    } else if (failure.kind === "incompatible") {
      const error = protocolEventError(INCOMPATIBLE_CODE, failure.detail);
      events.emit({ type: "handshake:error:protocol", address, error });
    } else if (failure.kind === "timeout" && failure.what === "handshake") {
      events.emit({ type: "handshake:error:other", address, error: errnoError("EAGAIN", address) });
    } else if (failure.kind === "no-authenticator") {
      // libzmq has no better code for it.
      const error = errnoError("EFAULT", address, undefined, `no ZAP handler is bound at ${ZAP_ENDPOINT}`);
      events.emit({ type: "handshake:error:other", address, error });
    }
  }

  #arm(time?: number): void {
    const due = this.#connection.deadline;
    clearTimeout(this.#timer);
    this.#due = due;
    if (due === Number.POSITIVE_INFINITY || this.#isEnded) return;
    const delay = Math.min(Math.max(Math.ceil(due - (time ?? now())), 0), TIMER_MAX_MS);
    this.#timer = setTimeout(this.#tick, delay).unref();
  }

  readonly #tick = (): void => {
    this.#connection.tick(now());
    this.#arm();
  };
}

/** What an end without a word in the handshake may mean. A CURVE server that cannot open what it was sent says nothing, as RFC 26 has it. */
function leftReason({ securityMechanism, curveServer }: OptionValues): string {
  const reason = "the peer ended the connection in the handshake";
  if (securityMechanism !== "curve" || curveServer) return reason;
  return `${reason}, as a CURVE server does when curveServerKey is not its key`;
}

/**
 * A dialer keeps one `connect()` alive: it looks for the peer, runs a session while there is one, and looks again
 * when it is lost. Its pipe exists from the start, so that messages may be queued before the peer is up, and survives
 * every loss (`immediate` gives up both).
 *
 * attempt --> session --> lost --> delay --> attempt … closing: goes on until the outbox is empty, or linger ends
 *
 * A loss takes away the write that was under way, and half-received messages. Messages that wait in the pipe, either
 * way, stay; but where a pipe stands for one peer (ROUTER, REP), and another one answers, that one gets a pipe of its
 * own.
 */

import { RECONNECT_FAULT_DOUBLINGS, TIMER_MAX_MS } from "../base/constants.ts";
import type { ErrnoError } from "../base/errors.ts";
import { type PeerFacts, UNKNOWN_PEER } from "../codec/peer-facts.ts";
import type { Failure } from "../connection/failure.ts";
import { clearTimeout, setTimeout } from "../loop/clock.ts";
import type { MechanismFactory } from "../mechanism/mechanism.ts";
import { type OptionValues, snapshot } from "../options/values.ts";
import type { NetPipe, PipeLink } from "../pipe/net-pipe.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { type ConnectHandler, connectStream } from "../transport/connect.ts";
import type { IpcEndpoint, TcpEndpoint } from "../transport/endpoint.ts";
import type { NetStream } from "../transport/net-stream.ts";
import { Session, type SessionOwner } from "./session.ts";
import type { EndpointHolder, SessionSocket } from "./socket-side.ts";
import { curveOf } from "./zap-client.ts";

/** Bits of the option `reconnectStop`: no further attempt after a refusal, a failed handshake, `disconnect`. */
const STOP_AFTER_REFUSED = 1;
const STOP_AFTER_HANDSHAKE = 2;
const STOP_AFTER_DISCONNECT = 4;

export class Dialer implements SessionOwner, PipeLink, ConnectHandler, EndpointHolder {
  readonly isOutgoing: boolean = true;
  readonly address: string;
  readonly #socket: SessionSocket;
  /** The socket's options as they stood at the call; changes hold for later calls. */
  readonly options: OptionValues;
  readonly curve: MechanismFactory | undefined;
  readonly #endpoint: TcpEndpoint | IpcEndpoint;
  readonly #routingId: Buffer | undefined;
  readonly #onClosed: (holder: EndpointHolder) => void;
  #pipe: NetPipe | undefined;
  #session: Session | undefined;
  #attempt: { cancel(): void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lingerTimer: NodeJS.Timeout | undefined;
  /**
   * Attempts that failed in a row, and connections in a row that ended before they were ready or by a breach of the
   * protocol.
   */
  #failures = 0;
  #faults = 0;
  #isClosing = false;
  #isClosed = false;

  constructor(
    socket: SessionSocket,
    endpoint: TcpEndpoint | IpcEndpoint,
    routingId: Buffer | undefined,
    onClosed: (holder: EndpointHolder) => void,
  ) {
    this.#socket = socket;
    this.options = snapshot(socket.options);
    this.curve = curveOf(this.options);
    this.#endpoint = endpoint;
    this.#routingId = routingId;
    this.#onClosed = onClosed;
    this.address = endpoint.address;
  }

  /** Makes the pipe and starts to look for the peer. */
  start(): void {
    if (!this.options.immediate) this.#makePipe();
    if (!this.#isClosed) this.#connect();
  }

  eachPipe(visit: (pipe: Pipe) => void): void {
    if (this.#pipe !== undefined) visit(this.#pipe);
  }

  get hasUnsent(): boolean {
    return this.#hasQueued && !this.#isHopeless;
  }

  get #hasQueued(): boolean {
    return this.#pipe?.outbox.idle === false;
  }

  /** True when there is no connection and no further attempt: messages that wait will never be sent. */
  get #isHopeless(): boolean {
    return this.#session === undefined && this.#attempt === undefined && this.#timer === undefined;
  }

  /** Offers what waits to the kernel, now. */
  flush(): void {
    this.#session?.flush();
  }

  /**
   * Stops. Messages that wait in the pipe are still delivered within `linger` milliseconds (-1: however long it takes),
   * to a peer that may not even be up yet; nothing is received any more.
   */
  close(linger: number): void {
    if (this.#isClosed || this.#isClosing) return;
    this.#isClosing = true;
    const pipe = this.#pipe;
    if (pipe !== undefined) {
      this.#endPipe(pipe);
      this.#session?.flush();
    }
    const session = this.#session;
    const isReady = session?.isReady ?? false;
    const tries = this.hasUnsent && !(this.options.reconnectStop & STOP_AFTER_DISCONNECT);
    if (linger === 0 || !(isReady || tries)) {
      this.#destroy();
      return;
    }
    if (linger > 0) this.#lingerTimer = setTimeout(() => this.#destroy(), linger).unref();
    if (isReady) session?.close();
  }

  // Called by the attempt.

  onConnect(stream: NetStream): void {
    this.#attempt = undefined;
    this.#failures = 0;
    const { events } = this.#socket;
    if (events.active) events.emit({ type: "connect", address: this.address });
    this.#session = new Session(this.#socket, this, stream, this.address);
    this.#session.start();
  }

  onFail(error: ErrnoError): void {
    this.#attempt = undefined;
    const { events } = this.#socket;
    const options = this.options;
    if (events.active) events.emit({ type: "close", address: this.address });
    const stops = error.code === "ECONNREFUSED" && options.reconnectStop & STOP_AFTER_REFUSED;
    if (stops || options.reconnectInterval <= 0) {
      if (this.#isClosing) this.#destroy();
      return;
    }
    this.#retry();
    this.#failures++;
  }

  // Called by the session.

  ready(session: Session, peer: PeerFacts): NetPipe {
    const pipe = this.#pipeOf(peer);
    if (this.#isClosing) session.close();
    return pipe;
  }

  closeSession(): void {
    this.close(this.#socket.options.linger);
  }

  ended(_session: Session, failure: Failure | undefined): void {
    const wasReady = this.#session?.wasReady ?? false;
    this.#session = undefined;
    const pipe = this.#pipe;
    if (pipe?.isConnected) this.#detachSession(pipe);
    if (this.#isClosed) return;
    if (this.#isClosing && !this.#hasQueued) {
      this.#destroy();
      return;
    }
    if (this.#stopsAfter(wasReady, failure)) {
      this.#destroy();
      return;
    }
    const isFault = !wasReady || failure?.kind === "protocol";
    if (!isFault) this.#faults = 0;
    this.#retry();
    if (isFault) this.#faults = Math.min(this.#faults + 1, RECONNECT_FAULT_DOUBLINGS);
  }

  #stopsAfter(wasReady: boolean, failure: Failure | undefined): boolean {
    const { reconnectInterval, reconnectStop, immediate } = this.options;
    if (reconnectInterval <= 0) return true;
    if (this.#isClosing && (immediate || reconnectStop & STOP_AFTER_DISCONNECT)) return true;
    return !wasReady && failure !== undefined && (reconnectStop & STOP_AFTER_HANDSHAKE) !== 0;
  }

  // The pipe's link while there is no peer: messages wait.

  readonly isScheduled = true;

  schedule(): void {
    // Nothing to flush to.
  }

  resume(): void {
    // Nothing to read from.
  }

  subscribe(): void {
    // They wait in the pipe.
  }

  refuse(error: ErrnoError): void {
    const { events } = this.#socket;
    if (events.active) events.emit({ type: "handshake:error:other", address: this.address, error });
    this.#destroy();
  }

  finish(): void {
    this.close(this.#socket.options.linger);
  }

  /**
   * Finds the pipe for the peer that has answered. The pipe of another peer ends: messages that wait for it are
   * dropped, those from it can still be read as its own. Anonymous peers cannot be told apart.
   */
  #pipeOf({ routingId }: PeerFacts): NetPipe {
    const pipe = this.#pipe;
    if (pipe === undefined) return this.#makePipe();
    const isKept = this.#routingId !== undefined || !this.#socket.pattern.knowsPeers;
    if (isKept || pipe.peer === UNKNOWN_PEER || pipe.peer.routingId.equals(routingId)) return pipe;
    pipe.dropUnsent();
    if (this.#isClosing) return pipe;
    this.#endPipe(pipe);
    return this.#makePipe();
  }

  #makePipe(): NetPipe {
    const pipe = this.#socket.createPipe(this, this.options);
    if (this.#routingId !== undefined) pipe.routingId = this.#routingId;
    this.#pipe = pipe;
    this.#socket.pattern.attach(pipe);
    return pipe;
  }

  #detachSession(pipe: NetPipe): void {
    pipe.link = this;
    pipe.isConnected = false;
    pipe.outbox.lost();
    const { pattern } = this.#socket;
    const options = this.options;
    if (this.#isClosing) return;
    if (pattern.refills) pipe.dropUnsent();
    pattern.disconnected(pipe);
    if (options.immediate) {
      this.#pipe = undefined;
      pipe.dropUnsent();
      this.#endPipe(pipe);
    } else {
      pipe.roomMade();
    }
  }

  /** Takes the pipe from the pattern; unread messages are dropped when the endpoint was given up. */
  #endPipe(pipe: NetPipe): void {
    this.#socket.endPipe(pipe, this.#isClosing);
  }

  #connect(): void {
    const { events } = this.#socket;
    const options = this.options;
    // An ipc connection is there, or not, without a delay.
    const isDelayed = this.#endpoint.scheme === "tcp";
    if (events.active && isDelayed) events.emit({ type: "connect:delay", address: this.address });
    this.#attempt = connectStream(this.#endpoint, options, this);
  }

  #retry(): void {
    const delay = this.#delay();
    const { events } = this.#socket;
    if (events.active) events.emit({ type: "connect:retry", address: this.address, interval: delay });
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#connect();
    }, delay).unref();
  }

  /**
   * Doubles `reconnectInterval` up to `reconnectMaxInterval`, when that is set, and after faults in any case; adds
   * jitter.
   */
  #delay(): number {
    const { reconnectInterval: interval, reconnectMaxInterval: maximum } = this.options;
    const doublings = Math.max(maximum > interval ? this.#failures : 0, this.#faults);
    const grown = interval * 2 ** doublings;
    const ceiling = maximum > interval ? maximum : interval * 2 ** RECONNECT_FAULT_DOUBLINGS;
    const base = Math.min(grown, ceiling);
    const delay = Math.min(base + Math.floor(Math.random() * interval), Math.max(ceiling, 2 * interval));
    return Math.min(delay, TIMER_MAX_MS);
  }

  #destroy(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isClosing = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#lingerTimer);
    this.#attempt?.cancel();
    this.#session?.destroy();
    const pipe = this.#pipe;
    if (pipe !== undefined) {
      pipe.dropUnsent();
      this.#endPipe(pipe);
    }
    this.#onClosed(this);
  }
}

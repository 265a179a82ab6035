/**
 * The traffic with one peer, from the end of the handshake on: octets in, messages out into `inbox`, straight from the
 * decoder; subscriptions and heartbeats are dealt with here. It knows no socket and no timer: octets are handed in, and
 * the time.
 *
 * Rules
 * - All that goes wrong inside is thrown, and caught at one place: `fail()` is called once, and nothing after it.
 * - Good octets that wait undecoded are delivered before a fault that the wire finds behind them ends the connection.
 * - The handler may call `close()` at any time, and everything but `receive()` and `resume()` from inside a call.
 */
import { EMPTY } from "../base/bytes.ts";
import { ProtocolError } from "../base/errors.ts";
import { CANCEL, encodeCommand, encodeSubscriptionMessage, isCommand, PING, SUBSCRIBE } from "../codec/command.ts";
import { type CommandSink, Decoder, type Inbox, NOWHERE } from "../codec/decoder.ts";
import { ZMTP_1_0, ZMTP_3_0, ZMTP_3_1 } from "../codec/greeting.ts";
import type { Mechanism, Wire } from "../mechanism/mechanism.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { Established } from "./handshake.ts";
import { Heartbeat, type HeartbeatPort } from "./heartbeat.ts";
import type { HeartbeatOptions } from "./heartbeat-clock.ts";

/** Says all that traffic depends on. */
export interface TrafficSettings {
  readonly socketType: number;
  readonly options: HeartbeatOptions & { readonly maxMessageSize: number };
  /** Milliseconds, on the clock of `tick()`. Asked only when something depends on the time. */
  readonly clock: () => number;
}

/** Serves the traffic with a peer. */
export interface TrafficHandler {
  /** Writes these octets at once: between two batches of messages, never inside one. */
  send(octets: Buffer): void;
  /** True while the kernel has refused something that still waits: a PONG would only queue up behind it. */
  backedUp(): boolean;
  /** Counts a command. False: others have their turn before the next one, and `resume()` is called after them. */
  hasTime(): boolean;
  /** Takes SUBSCRIBE or CANCEL, for PUB and XPUB. (A peer may also subscribe by messages that begin with 01 or 00.) */
  subscription(topic: Buffer, subscribe: boolean): void;
  /** Closes the stream; once, and the last call. */
  fail(failure: Failure): void;
}

export class Traffic implements CommandSink, HeartbeatPort {
  /** The transform for octets to be written; undefined when they go as they are. */
  readonly wire: Wire | undefined;
  readonly #settings: TrafficSettings;
  readonly #handler: TrafficHandler;
  readonly #decoder: Decoder;
  readonly #heartbeat: Heartbeat;
  readonly #version: number;
  readonly #mechanism: Mechanism | undefined;
  #isClosed = false;
  #fault: ProtocolError | undefined = undefined;

  constructor(settings: TrafficSettings, handler: TrafficHandler, { version, wire, mechanism }: Established) {
    const { options, clock } = settings;
    this.wire = wire;
    this.#settings = settings;
    this.#handler = handler;
    this.#decoder = new Decoder(this, options.maxMessageSize);
    this.#heartbeat = new Heartbeat(options, this);
    this.#version = version;
    this.#mechanism = mechanism;
    this.#heartbeat.start(clock(), version >= ZMTP_3_0);
  }

  /** Delivers messages there from now on. Until it is called, and after `undefined`, messages are dropped. */
  deliverTo(inbox: Inbox | undefined): void {
    this.#decoder.inbox = inbox ?? NOWHERE;
  }

  /** Begins with the octets behind the handshake. A subscriber of 1.0 filters by itself, and wants everything. */
  begin(rest: Buffer): void {
    if (this.#version === ZMTP_1_0 && this.#isPublisher && !this.#isClosed) this.#handler.subscription(EMPTY, true);
    if (rest.length > 0) this.receive(rest);
  }

  /**
   * Takes octets of the peer. The chunk belongs to this from here on, unless it is borrowed: then it is used during
   * this call only.
   */
  receive(chunk: Buffer, isBorrowed = false): void {
    if (this.#isClosed) return;
    this.#heartbeat.heard();
    try {
      if (this.wire === undefined) this.#decoder.push(chunk, isBorrowed);
      else this.#unwrap(this.wire, chunk);
      this.#heartbeat.answer();
    } catch (error) {
      this.#fail(failureOf(error, false));
    }
  }

  /** Memory to read octets to directly, in place of a chunk; `filled` then says how many were. */
  get target(): Buffer | undefined {
    return this.wire === undefined ? this.#decoder.target : undefined;
  }

  /** Takes `count` octets that were read to `target`. */
  filled(count: number): void {
    if (this.#isClosed) return;
    this.#heartbeat.heard();
    try {
      this.#decoder.filled(count);
      this.#heartbeat.answer();
    } catch (error) {
      this.#fail(failureOf(error, false));
    }
  }

  /** Goes on decoding after the inbox said stop. True when everything was decoded. */
  resume(): boolean {
    if (this.#isClosed) return false;
    try {
      const isDone = this.#decoder.resume();
      this.#heartbeat.answer();
      if (!isDone) return false;
      if (this.#fault !== undefined) throw this.#fault;
      return true;
    } catch (error) {
      this.#fail(failureOf(error, false));
      return false;
    }
  }

  /** True while decoding has stopped; octets that come in are kept raw. */
  get stopped(): boolean {
    return this.#decoder.stopped;
  }

  /** Octets kept raw. */
  get backlogBytes(): number {
    return this.#decoder.backlogBytes;
  }

  /** Encodes a subscription in the form that this peer reads: to go out in order with messages, and through `wire`. */
  subscription(topic: Uint8Array, subscribe: boolean): Buffer {
    if (this.#version < ZMTP_3_1) return encodeSubscriptionMessage(topic, subscribe);
    return encodeCommand(subscribe ? SUBSCRIBE : CANCEL, topic);
  }

  /** The time at which `tick()` is due next, on the caller's clock; `Infinity` for never. Any call may change it. */
  get deadline(): number {
    return this.#heartbeat.deadline;
  }

  /** Sends what is due, and ends the connection when the peer has been silent for too long. */
  tick(now: number): void {
    const silence = this.#heartbeat.tick(now);
    if (silence !== undefined) this.#fail({ kind: "timeout", what: silence });
  }

  /** Notes that the caller stops, or starts again, to read on purpose; meanwhile silence is no sign of death. */
  paused(isPaused: boolean): void {
    this.#heartbeat.pause(this.#heartbeat.isTimed ? this.#settings.clock() : 0, isPaused);
  }

  /** Goes on: the kernel takes octets again, after `backedUp()` was true. */
  flushed(): void {
    this.#heartbeat.flushed();
  }

  /** Ends it from outside: nothing is called on the handler any more, and no key is left in memory. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#heartbeat.stop();
    this.#decoder.close();
    this.#mechanism?.close();
  }

  onCommand(body: Buffer): boolean {
    if (this.#version < ZMTP_3_0) {
      throw new ProtocolError("ERR_ZMTP_UNEXPECTED_COMMAND", "a command from a peer of ZMTP 1.0 or 2.0");
    }
    if (isCommand(body, PING)) {
      this.#heartbeat.pinged(body, this.#settings.clock());
    } else if (this.#isPublisher) {
      if (isCommand(body, SUBSCRIBE)) this.#handler.subscription(body.subarray(SUBSCRIBE.length), true);
      else if (isCommand(body, CANCEL)) this.#handler.subscription(body.subarray(CANCEL.length), false);
    }
    return this.#handler.hasTime();
  }

  sendFrame(frame: Buffer): void {
    const wire = this.wire;
    if (wire === undefined) this.#handler.send(frame);
    else for (const octets of wire.wrap([frame])) this.#handler.send(octets);
  }

  backedUp(): boolean {
    return this.#handler.backedUp();
  }

  get #isPublisher(): boolean {
    const { socketType } = this.#settings;
    return socketType === SOCKET_TYPES.PUB || socketType === SOCKET_TYPES.XPUB;
  }

  #unwrap(wire: Wire, chunk: Buffer): void {
    if (this.#fault !== undefined) return;
    for (const piece of wire.unwrap(chunk)) this.#decoder.push(piece);
    if (wire.failure === undefined) return;
    if (!this.#decoder.stopped) throw wire.failure;
    this.#fault = wire.failure;
  }

  #fail(failure: Failure): void {
    if (this.#isClosed) return;
    // What came before the fault is good.
    this.#heartbeat.answer();
    if (this.#isClosed) return;
    this.close();
    this.#handler.fail(failure);
  }
}

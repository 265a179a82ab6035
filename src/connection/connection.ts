/**
 * A connection: one peer as bytes in, bytes out. It plays the greeting, runs the security handshake, decodes traffic, answers and
 * sends heartbeats, and says when the peer has to go. It knows no socket and no timer: octets, and the time, are handed in.
 *
 *     idle -> greeting -> security -> traffic            a 3.x peer
 *                     '-> identity -> traffic            a 1.0 or 2.0 peer
 *     and from anywhere -> closed
 *
 * Rules
 * - Handshake output of one `receive()` goes out as one write. It is out before `ready()` or `fail()` is called.
 * - Whatever goes wrong inside is thrown and ends in one place: `fail()` is called once, and nothing after it.
 * - No message is sent or taken before both sides are ready: early traffic is a fault.
 * - The handler may call `close()` at any time, and everything but `receive()` and `resume()` from inside a call.
 */
import { EMPTY } from "../base/bytes.ts";
import { LATE_TIMER_MS } from "../base/constants.ts";
import { ProtocolError } from "../base/errors.ts";
import {
  CANCEL,
  encodeCommand,
  encodeSubscriptionMessage,
  isCommand,
  JOIN,
  LEAVE,
  PING,
  SUBSCRIBE,
} from "../codec/command.ts";
import { Decoder, type DecoderSink, FrameSizeError } from "../codec/decoder.ts";
import { encodeFrame, FLAG_COMMAND } from "../codec/frame.ts";
import { type ProtocolVersion, ZMTP_1_0, ZMTP_3_0, ZMTP_3_1 } from "../codec/greeting.ts";
import type { Mechanism, Wire } from "../mechanism/mechanism.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import { classicTypeName, isClassicType, mayTalk, mismatch } from "./compatibility.ts";
import { type Failure, Refusal } from "./failure.ts";
import { type LifePort, LifeSigns } from "./life-signs.ts";
import { Opening } from "./opening.ts";
import type { ConnectionHandler, ConnectionSettings, PeerInfo } from "./peer.ts";
import {
  checkedIdentity,
  isSecured,
  isSecurityServer,
  mechanismName,
  Security,
  type SecurityOwner,
} from "./security.ts";
import { Zmtp1Wire } from "./zmtp1.ts";

export type { Failure } from "./failure.ts";
export type { ConnectionHandler, ConnectionSettings, PeerInfo } from "./peer.ts";
export type { ZapHook } from "./security.ts";

const PHASES = ["idle", "greeting", "security", "identity", "traffic", "closed"] as const;
type Phase = (typeof PHASES)[number];

/** The legal steps. */
const NEXT: Readonly<Record<Phase, readonly Phase[]>> = {
  idle: ["greeting", "closed"],
  greeting: ["security", "identity", "closed"],
  security: ["traffic", "closed"],
  identity: ["traffic", "closed"],
  traffic: ["closed"],
  closed: [],
};

/** The longest name of a group. */
const GROUP_BYTES = 255;

const NEVER = Number.POSITIVE_INFINITY;
const NO_PROPERTIES: ReadonlyMap<string, Buffer> = new Map();

export class Connection implements DecoderSink, SecurityOwner, LifePort {
  readonly #settings: ConnectionSettings;
  readonly #handler: ConnectionHandler;
  readonly #decoder: Decoder;
  readonly #life: LifeSigns;
  /** The greeting, while it is not complete. */
  #opening: Opening | undefined;
  /** The handshake, while it is not over, and the mechanism as long as it may hold keys. */
  #security: Security | undefined = undefined;
  #mechanism: Mechanism | undefined = undefined;
  /** The socket type in the greeting of a 2.0 peer. */
  #classicType = "";
  #wire: Wire | undefined = undefined;
  #phase: Phase = "idle";
  #version: ProtocolVersion = ZMTP_3_1;
  /** Handshake output of this call. */
  #out: Buffer[] = [];
  /** The time of this call, when it was given. */
  #now: number | undefined = undefined;
  #handshakeEnds = NEVER;
  #isGraced = false;
  /** The octets behind the handshake have to be unwrapped, though the decoder has them. */
  #isRewired = false;
  /** Found by the wire behind good octets that wait undecoded: they are delivered before it ends the connection. */
  #fault: ProtocolError | undefined;

  constructor(settings: ConnectionSettings, handler: ConnectionHandler) {
    const { options } = settings;
    this.#settings = settings;
    this.#handler = handler;
    this.#decoder = new Decoder(this, options.maxMessageSize);
    this.#life = new LifeSigns(options, this);
    const own = {
      mechanism: mechanismName(options),
      asServer: isSecurityServer(options),
      socketType: settings.socketType,
      routingIdLength: settings.routingId.length,
      refusesClassic: isSecured(options),
    };
    this.#opening = new Opening(own, (octets) => this.#out.push(octets));
  }

  /** Begins: the stream is up. Sends the first octets of the greeting. */
  start(now: number): void {
    this.#step("greeting");
    const { handshakeInterval } = this.#settings.options;
    if (handshakeInterval > 0) this.#handshakeEnds = now + handshakeInterval;
    this.#opening!.start();
    this.#flush();
  }

  /** Where octets may be read to directly, in place of a chunk; `filled` then says how many were. */
  get target(): Buffer | undefined {
    return this.#isPlain ? this.#decoder.target : undefined;
  }

  /** `count` octets were read to `target`. */
  filled(count: number, now?: number): void {
    if (this.#isClosed) return;
    this.#now = now;
    this.#life.alive();
    try {
      this.#decoder.filled(count);
    } catch (error) {
      this.#caught(error);
    }
  }

  /**
   * Takes octets of the peer. The chunk is the connection's from here on, unless it is borrowed: then it is used during
   * this call only. `now` may be left out; the clock is read when something needs it.
   */
  receive(chunk: Buffer, now?: number, isBorrowed = false): void {
    if (this.#isClosed) return;
    this.#now = now;
    this.#life.alive();
    try {
      if (this.#isPlain) {
        this.#decoder.push(chunk, isBorrowed);
        return;
      }
      const own = isBorrowed ? Buffer.from(chunk) : chunk;
      if (this.#opening !== undefined) this.#greet(this.#opening, own);
      else this.#feed(own);
      if (this.#isRewired) this.#rewire();
    } catch (error) {
      this.#caught(error);
    }
    this.#flush();
  }

  /** Goes on decoding after `message()` said false. True when everything was decoded. */
  resume(now?: number): boolean {
    if (this.#isClosed) return false;
    this.#now = now;
    try {
      if (!this.#decoder.resume()) return false;
      if (this.#fault !== undefined) throw this.#fault;
      return true;
    } catch (error) {
      this.#caught(error);
      return false;
    }
  }

  /** Decoding has stopped; what comes in is kept raw. */
  get stopped(): boolean {
    return this.#decoder.stopped;
  }

  /** Octets kept raw. */
  get backlogBytes(): number {
    return this.#decoder.backlogBytes;
  }

  /** What traffic has to pass through, from `ready()` on; undefined when it is in the clear. */
  get wire(): Wire | undefined {
    return this.#wire;
  }

  /** A subscription in the form that this peer reads, as canonical octets: to go out in order with messages, and through `wire`. */
  subscription(topic: Uint8Array, subscribe: boolean): Buffer {
    if (this.#version < ZMTP_3_1) return encodeSubscriptionMessage(topic, subscribe);
    return encodeCommand(subscribe ? SUBSCRIBE : CANCEL, topic);
  }

  /** When `tick()` is due next, on the caller's clock; `Infinity` for never. Changes with every call. */
  get deadline(): number {
    return Math.min(this.#handshakeEnds, this.#life.deadline);
  }

  /** Time has passed. */
  tick(now: number): void {
    if (this.#isClosed) return;
    if (now >= this.#handshakeEnds) {
      if (!this.#isGraced && now - this.#handshakeEnds > LATE_TIMER_MS) {
        this.#isGraced = true;
        this.#handshakeEnds = now + LATE_TIMER_MS;
      } else {
        this.#fail({ kind: "timeout", what: "handshake" });
        return;
      }
    }
    const death = this.#life.tick(now);
    if (death !== undefined) this.#fail({ kind: "timeout", what: death });
  }

  /** The caller stops or starts to read on purpose; meanwhile silence is no sign of death. */
  paused(now: number | undefined, isPaused: boolean): void {
    if (this.#phase !== "traffic") return;
    this.#life.pause(now ?? (this.#life.isTimed ? this.#settings.clock() : 0), isPaused);
  }

  /** The kernel takes octets again, after `backedUp()` was true. */
  flushed(): void {
    if (!this.#isClosed) this.#life.flushed();
  }

  /** Ends it from outside: nothing is called on the handler any more, and no key is left in memory. */
  close(): void {
    if (this.#isClosed) return;
    this.#step("closed");
    this.#out = [];
    this.#handshakeEnds = NEVER;
    this.#life.stop();
    this.#decoder.close();
    this.#mechanism?.close();
  }

  // The greeting.

  #greet(opening: Opening, chunk: Buffer): void {
    const rest = chunk.subarray(opening.receive(chunk));
    const version = opening.version;
    if (version === undefined) return;
    this.#opening = undefined;
    this.#version = version;
    if (version < ZMTP_3_0) this.#openClassic(opening);
    else this.#openSecurity(opening);
    if (version === ZMTP_1_0) this.#feed(Buffer.from(opening.taken));
    if (rest.length > 0) this.#feed(rest);
  }

  /** A 3.x peer. Our greeting is out in full even when the mechanisms do not match. */
  #openSecurity(opening: Opening): void {
    const mechanism = mechanismName(this.#settings.options);
    if (opening.mechanism !== mechanism) {
      throw new ProtocolError("ERR_ZMTP_MECHANISM_MISMATCH", `the peer wants another mechanism than ${mechanism}`);
    }
    this.#step("security");
    this.#security = new Security(this.#settings, this, opening.isLibzmq);
    this.#mechanism = this.#security.mechanism;
    this.#mechanism.start();
  }

  /**
   * A peer that knows no security: refused when there is any. In 2.0 it says its socket type, which has to fit; in 1.0 nothing is
   * known of it. The first frame each way is the routing id.
   */
  #openClassic(opening: Opening): void {
    const { options, routingId, socketType } = this.#settings;
    if (isSecured(options)) {
      throw new ProtocolError("ERR_ZMTP_MECHANISM_MISMATCH", "a peer of ZMTP 1.0 or 2.0 where security is wanted");
    }
    if (!isClassicType(socketType)) {
      throw new Refusal({ kind: "incompatible", detail: "a peer of ZMTP 1.0 or 2.0 does not know this socket type" });
    }
    this.#step("identity");
    if (opening.version === ZMTP_1_0) {
      this.#wire = new Zmtp1Wire();
      if (routingId.length > 0) this.#out.push(Buffer.from(routingId));
    } else {
      this.#classicType = classicTypeName(opening.socketType);
      if (!mayTalk(socketType, this.#classicType)) {
        throw new Refusal({ kind: "incompatible", detail: mismatch(socketType, this.#classicType), flush: true });
      }
      this.#out.push(encodeFrame(0, routingId));
    }
  }

  // Octets in.

  #feed(chunk: Buffer): void {
    if (this.#fault !== undefined) return;
    const wire = this.#wire;
    if (wire === undefined) {
      this.#decoder.push(chunk);
    } else {
      for (const piece of wire.unwrap(chunk)) this.#decoder.push(piece);
      if (wire.failure === undefined) return;
      if (!this.#decoder.stopped) throw wire.failure;
      this.#fault = wire.failure;
    }
  }

  /** Takes back what the decoder has beyond the handshake, and reads it through the wire. */
  #rewire(): void {
    this.#isRewired = false;
    for (const rest of this.#decoder.takeRest()) this.#feed(rest);
  }

  onMessage(frames: Buffer[]): boolean {
    return this.#handler.message(frames);
  }

  onHandshakeFrame(_flags: number, body: Buffer): void {
    if (this.#phase === "security") {
      this.#mechanism!.receive(body);
    } else {
      const identity = checkedIdentity(body);
      this.#established({ socketType: this.#classicType, identity, properties: NO_PROPERTIES });
    }
  }

  onCommand(body: Buffer): void {
    if (this.#version < ZMTP_3_0) {
      throw new ProtocolError("ERR_ZMTP_UNEXPECTED_COMMAND", "a command from a peer of ZMTP 1.0 or 2.0");
    }
    if (isCommand(body, PING)) this.#life.pinged(body, this.#time);
    else if (this.#isPublisher) this.#topicCommand(body);
    else if (this.#settings.socketType === SOCKET_TYPES.RADIO) this.#groupCommand(body);
  }

  #topicCommand(body: Buffer): void {
    if (isCommand(body, SUBSCRIBE)) this.#handler.subscription(body.subarray(SUBSCRIBE.length), true);
    else if (isCommand(body, CANCEL)) this.#handler.subscription(body.subarray(CANCEL.length), false);
  }

  #groupCommand(body: Buffer): void {
    const isJoin = isCommand(body, JOIN);
    if (!isJoin && !isCommand(body, LEAVE)) return;
    const name = body.subarray(isJoin ? JOIN.length : LEAVE.length);
    if (name.length <= GROUP_BYTES) this.#handler.group(name, isJoin);
  }

  get #isPublisher(): boolean {
    const { socketType } = this.#settings;
    return socketType === SOCKET_TYPES.PUB || socketType === SOCKET_TYPES.XPUB;
  }

  // The end of the handshake.

  sendCommand(body: Buffer): void {
    this.#out.push(encodeFrame(FLAG_COMMAND, body));
  }

  established(): void {
    const security = this.#security!;
    this.#security = undefined;
    this.#wire = security.mechanism.wire;
    if (this.#wire !== undefined) {
      this.#isRewired = true;
      this.#decoder.stop();
    } else {
      security.mechanism.close();
      this.#mechanism = undefined;
    }
    this.#established(security);
  }

  enter(now: number, action: () => void): void {
    if (this.#isClosed) return;
    this.#now = now;
    try {
      action();
      if (this.#isRewired) this.#rewire();
    } catch (error) {
      this.#caught(error);
    }
    this.#flush();
  }

  #established(peer: Omit<PeerInfo, "version">): void {
    this.#flush();
    this.#step("traffic");
    this.#handshakeEnds = NEVER;
    this.#decoder.handshaking = false;
    const { socketType, identity, properties } = peer;
    // A DISH of libzmq takes a PING for a fault.
    this.#life.start(this.#time, this.#version >= ZMTP_3_0 && socketType !== "DISH");
    this.#handler.ready(Object.freeze({ version: this.#version, socketType, identity, properties }));
    // A subscriber of 1.0 filters by itself, and wants everything.
    if (this.#version === ZMTP_1_0 && this.#isPublisher && !this.#isClosed) this.#handler.subscription(EMPTY, true);
  }

  // Octets out.

  sendFrame(frame: Buffer): void {
    const wire = this.#wire;
    if (wire === undefined) this.#handler.send(frame);
    else for (const octets of wire.wrap([frame])) this.#handler.send(octets);
  }

  backedUp(): boolean {
    return this.#handler.backedUp();
  }

  #flush(): void {
    const out = this.#out;
    if (out.length === 0) return;
    this.#out = [];
    this.#handler.send(out.length === 1 ? out[0] : Buffer.concat(out));
  }

  // The end.

  /** Traffic needs no transform. */
  get #isPlain(): boolean {
    return this.#phase === "traffic" && this.#wire === undefined;
  }

  get #time(): number {
    return this.#now ?? this.#settings.clock();
  }

  get #isClosed(): boolean {
    return this.#phase === "closed";
  }

  #step(phase: Phase): void {
    if (!NEXT[this.#phase].includes(phase)) throw new Error(`no step from ${this.#phase} to ${phase}`);
    this.#phase = phase;
  }

  #caught(error: unknown): void {
    if (error instanceof Refusal) {
      this.#fail(error.failure);
    } else if (error instanceof ProtocolError) {
      const handshake = this.#phase !== "traffic";
      // In traffic libzmq raises what its mechanisms find, and nothing for bad framing.
      const event = !(error instanceof FrameSizeError) && (handshake || error.code !== "ERR_ZMTP_UNSPECIFIED");
      this.#fail({ kind: "protocol", code: error.code, detail: error.message, handshake, event, flush: handshake });
    } else {
      throw error;
    }
  }

  #fail(failure: Failure): void {
    if (this.#isClosed) return;
    this.#flush();
    this.close();
    this.#handler.fail(failure);
  }
}

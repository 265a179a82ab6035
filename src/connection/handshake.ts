/**
 * The handshake with one peer, octets in and octets out: the greeting, then the commands of the security mechanism, or
 * the one identity frame of ZMTP 1.0 and 2.0. It ends once: in a result, which traffic begins with (`established`), or
 * in a failure (`fail`).
 *
 *     idle -> greeting -> security -> over                a 3.x peer
 *                     '-> identity -> over                a 1.0 or 2.0 peer
 *     and from anywhere -> over                           a failure, or `close()`
 *
 * Rules
 * - All octets that one call has to send go out as one write, before `established()` or `fail()` is called.
 * - All that goes wrong inside is thrown, and caught at one place.
 * - Frames are read one at a time. Nothing behind the last one is touched: `rest` are octets as the peer sent them.
 * - No message is taken before both sides are ready: the mechanism takes early traffic for a fault.
 * - A chunk is used during the call only. The handler may call `close()` at any time.
 */
import { EMPTY, ownCopy } from "../base/bytes.ts";
import { LATE_TIMER_MS } from "../base/constants.ts";
import { ProtocolError } from "../base/errors.ts";
import { encodeFrame, FLAG_COMMAND } from "../codec/frame.ts";
import { type ProtocolVersion, ZMTP_1_0, ZMTP_3_0 } from "../codec/greeting.ts";
import { type PeerFacts, UNKNOWN_PEER } from "../codec/peer-facts.ts";
import type { Mechanism, Wire } from "../mechanism/mechanism.ts";
import type { OptionValues } from "../options/values.ts";
import { classicTypeName, isClassicType, mayTalk, mismatch } from "./compatibility.ts";
import { type Failure, failureOf, Refusal } from "./failure.ts";
import { FrameReader } from "./frame-reader.ts";
import { GreetingExchange } from "./greeting-exchange.ts";
import {
  checkedRoutingId,
  isSecured,
  isSecurityServer,
  mechanismName,
  Security,
  type SecurityOptions,
  type SecurityOwner,
  type SecuritySettings,
} from "./security.ts";
import { Zmtp1Wire } from "./zmtp1.ts";

/** The result of a handshake: all that traffic begins with. */
export interface Established {
  /** Its address is not asked for here. */
  readonly peer: PeerFacts;
  /** The version that the peer speaks; 0 when that is no ZMTP at all. */
  readonly version: ProtocolVersion | 0;
  /** The transform of all traffic, both ways; undefined when traffic is in the clear. */
  readonly wire: Wire | undefined;
  /** Holds the keys of `wire`: to be closed with the connection. */
  readonly mechanism: Mechanism | undefined;
  /** Octets that came behind the last frame, as the peer sent them. */
  readonly rest: Buffer;
}

export interface HandshakeSettings extends SecuritySettings {
  readonly options: SecurityOptions & Pick<OptionValues, "handshakeInterval">;
}

/** Serves a handshake. */
export interface HandshakeHandler {
  /** Writes these octets at once. */
  send(octets: Buffer): void;
  /** Begins the traffic in both directions; once, and the last call. */
  established(result: Established): void;
  /** Closes the stream; once, and the last call. */
  fail(failure: Failure): void;
}

type Phase = "idle" | "greeting" | "security" | "identity" | "over";

/** The legal steps. */
const NEXT: Readonly<Record<Phase, readonly Phase[]>> = {
  idle: ["greeting", "over"],
  greeting: ["security", "identity", "over"],
  security: ["over"],
  identity: ["over"],
  over: [],
};

const NEVER = Number.POSITIVE_INFINITY;

export class Handshake implements SecurityOwner {
  readonly #settings: HandshakeSettings;
  readonly #handler: HandshakeHandler;
  readonly #greeting: GreetingExchange;
  readonly #frames: FrameReader;
  #phase: Phase = "idle";
  #security: Security | undefined = undefined;
  /** The framing of a 1.0 peer. */
  #wire: Zmtp1Wire | undefined = undefined;
  /** Set by the last frame, or by the ZAP handler's answer; told when the call is done with its own work. */
  #result: Omit<Established, "rest"> | undefined = undefined;
  #rest: Buffer = EMPTY;
  /** Octets that this call has to send. */
  #out: Buffer[] = [];
  #ends = NEVER;
  #isGraced = false;

  constructor(settings: HandshakeSettings, handler: HandshakeHandler) {
    const { options, socketType } = settings;
    this.#settings = settings;
    this.#handler = handler;
    this.#frames = new FrameReader(options.maxMessageSize);
    const own = {
      mechanism: mechanismName(options),
      asServer: isSecurityServer(options),
      socketType,
      routingIdLength: options.routingId.length,
      refusesClassic: isSecured(options),
    };
    this.#greeting = new GreetingExchange(own, (octets) => this.#out.push(octets));
  }

  /** Begins: the stream is up. Sends the first octets of the greeting. */
  start(now: number): void {
    this.#step("greeting");
    const { handshakeInterval } = this.#settings.options;
    if (handshakeInterval > 0) this.#ends = now + handshakeInterval;
    this.#greeting.start();
    this.#flush();
  }

  /** Takes octets of the peer, which may be somebody else's memory as soon as this returns. */
  receive(chunk: Buffer): void {
    this.enter(() => this.#read(chunk));
  }

  /** Runs an action that the peer or the ZAP handler set off, and then tells what came of it. */
  enter(action: () => void): void {
    if (this.#phase === "over") return;
    try {
      action();
    } catch (error) {
      this.#fail(failureOf(error, true));
      return;
    }
    this.#flush();
    const result = this.#result;
    if (result === undefined) return;
    this.#over();
    const early = this.#frames.unfinished;
    this.#handler.established({ ...result, rest: early.length > 0 ? early : this.#rest });
  }

  /** The time at which `tick()` is due, on the caller's clock; `Infinity` for never. */
  get deadline(): number {
    return this.#ends;
  }

  /**
   * Ends the handshake when its time is over; once a little later, when the process was too busy to read the peer's
   * answer.
   */
  tick(now: number): void {
    if (now < this.#ends) return;
    if (!this.#isGraced && now - this.#ends > LATE_TIMER_MS) {
      this.#isGraced = true;
      this.#ends = now + LATE_TIMER_MS;
    } else {
      this.#fail({ kind: "timeout", what: "handshake" });
    }
  }

  /** Ends it from outside: nothing is called on the handler any more, and no key is left in memory. */
  close(): void {
    if (this.#phase === "over") return;
    this.#over();
    this.#out = [];
    this.#security?.mechanism.close();
  }

  // Octets in.

  #read(chunk: Buffer): void {
    let at = 0;
    if (this.#phase === "greeting") {
      at = this.#greeting.receive(chunk);
      if (this.#greeting.version === undefined) return;
      this.#greeted(this.#greeting);
    }
    while (at < chunk.length && this.#result === undefined) at = this.#readFrame(chunk, at);
    this.#rest = ownCopy(chunk.subarray(at));
  }

  /** Reads at most to the end of one frame. Returns the offset behind what was read. */
  #readFrame(chunk: Buffer, from: number): number {
    const frames = this.#frames;
    const wire = this.#wire;
    let at = from + 1;
    if (wire === undefined) {
      at = frames.read(chunk, from);
    } else {
      // An octet at a time: what is behind the frame has to stay as the peer sent it.
      for (const octets of wire.unwrap(chunk.subarray(from, at))) if (octets.length > 0) frames.read(octets, 0);
      if (wire.failure !== undefined) throw wire.failure;
    }
    const { body } = frames;
    if (body !== undefined) this.#takeFrame(body);
    return at;
  }

  #takeFrame(body: Buffer): void {
    const security = this.#security;
    if (security === undefined) {
      this.#establish({ ...UNKNOWN_PEER, routingId: checkedRoutingId(body) });
    } else {
      security.mechanism.receive(body);
    }
  }

  #greeted(greeting: GreetingExchange): void {
    if (greeting.version! < ZMTP_3_0) this.#beginClassic(greeting);
    else this.#beginSecurity(greeting);
    if (this.#wire === undefined) return;
    const taken = Buffer.from(greeting.taken);
    for (let at = 0; at < taken.length; ) at = this.#readFrame(taken, at);
  }

  /** A 3.x peer. Our greeting is out in full even when the mechanisms do not match. */
  #beginSecurity(greeting: GreetingExchange): void {
    const mechanism = mechanismName(this.#settings.options);
    if (greeting.mechanism !== mechanism) {
      throw new ProtocolError("ERR_ZMTP_MECHANISM_MISMATCH", `the peer wants another mechanism than ${mechanism}`);
    }
    this.#step("security");
    this.#security = new Security(this.#settings, this, greeting.isLibzmq);
    this.#security.mechanism.start();
  }

  /**
   * Goes on with a peer that knows no security; refuses it when there is any. In 2.0 it says its socket type, which has
   * to fit; in 1.0 nothing is known of it. The first frame each way is the routing id.
   */
  #beginClassic(greeting: GreetingExchange): void {
    const { options, socketType } = this.#settings;
    const { routingId } = options;
    if (isSecured(options)) {
      throw new ProtocolError("ERR_ZMTP_MECHANISM_MISMATCH", "a peer of ZMTP 1.0 or 2.0 where security is wanted");
    }
    if (!isClassicType(socketType)) {
      throw new Refusal({ kind: "incompatible", detail: "a peer of ZMTP 1.0 or 2.0 does not know this socket type" });
    }
    this.#step("identity");
    if (greeting.version === ZMTP_1_0) {
      this.#wire = new Zmtp1Wire();
      if (routingId.length > 0) this.#out.push(Buffer.from(routingId));
    } else {
      const type = classicTypeName(greeting.socketType);
      if (!mayTalk(socketType, type)) {
        throw new Refusal({ kind: "incompatible", detail: mismatch(socketType, type), flush: true });
      }
      this.#out.push(encodeFrame(0, routingId));
    }
  }

  // Called by security.

  sendCommand(body: Buffer): void {
    this.#out.push(encodeFrame(FLAG_COMMAND, body));
  }

  secured(): void {
    const security = this.#security!;
    if (security.mechanism.wire === undefined) security.mechanism.close();
    this.#establish({ address: "", routingId: security.routingId, properties: security.properties });
  }

  #establish(peer: PeerFacts): void {
    const mechanism = this.#security?.mechanism;
    this.#result = {
      peer,
      version: this.#greeting.version!,
      wire: this.#wire ?? mechanism?.wire,
      mechanism: mechanism?.wire === undefined ? undefined : mechanism,
    };
  }

  #flush(): void {
    const out = this.#out;
    if (out.length === 0) return;
    this.#out = [];
    this.#handler.send(out.length === 1 ? out[0] : Buffer.concat(out));
  }

  // The end.

  #step(phase: Phase): void {
    if (!NEXT[this.#phase].includes(phase)) throw new Error(`no step from ${this.#phase} to ${phase}`);
    this.#phase = phase;
  }

  #over(): void {
    this.#step("over");
    this.#ends = NEVER;
  }

  #fail(failure: Failure): void {
    this.#flush();
    this.close();
    this.#handler.fail(failure);
  }
}

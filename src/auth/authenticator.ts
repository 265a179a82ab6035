/**
 * A ready-made ZAP handler (RFC 27): decides over peers by address, by PLAIN user and by CURVE key. It is an ordinary
 * ROUTER socket at `inproc://zeromq.zap.01`, so it serves every socket of its context that asks: those with a
 * `zapDomain`, with `plainServer` or with `curveServer`.
 *
 *     request   1.0 | id | domain | address | identity | mechanism | credentials…
 *     reply     1.0 | id | status | text | user id | metadata
 *
 * Rules are looked up at each request, so a change holds for the next handshake; peers that are in stay in. What is not
 * allowed by a rule is denied: a mechanism without rules lets nobody in, except NULL, which has no credentials to
 * check.
 *
 * Passwords are kept and compared as digests: the time of a comparison tells neither where two differ nor how long the
 * right one is, and it is the same for a user who does not exist.
 */

import { EMPTY } from "../base/bytes.ts";
import { errnoError, tellable } from "../base/errors.ts";
import { encodeProperties } from "../codec/command.ts";
import { decodeZ85, encodeZ85 } from "../codec/z85.ts";
import { KEY_BYTES } from "../crypto/crypto.ts";
import { digestOf, sameDigest } from "../crypto/digest.ts";
import { queueMicrotask, setTimeout } from "../loop/clock.ts";
import { ZAP_ENDPOINT } from "../mechanism/zap.ts";
import type { Pipe } from "../pipe/pipe.ts";
import type { Context } from "../socket/context.ts";
import type { SocketCore } from "../socket/core.ts";
import { Router } from "../socket/router.ts";
import { coreOf } from "../socket/socket.ts";
import { AddressRules } from "./address-rules.ts";

/** A peer that asks to come in. */
export interface AuthRequest {
  /** The asking socket's `zapDomain`. */
  readonly domain: string;
  /** The peer's IP address, without port. */
  readonly address: string;
  /** The asking socket's own routing id. */
  readonly identity: Buffer;
  /** Mechanism of the connection, by its name in ZAP. */
  readonly mechanism: "NULL" | "PLAIN" | "CURVE" | string;
  /** PLAIN: user name and password. CURVE: the client's public key, 32 octets. */
  readonly credentials: readonly Buffer[];
}

/** Decision on a peer (RFC 27). */
export interface AuthDecision {
  /** 200: it may come in. 300: not now. 400: no. 500: it could not be decided. */
  readonly status: 200 | 300 | 400 | 500;
  /** Reason, for the logs of both ends. */
  readonly text?: string;
  /** User id that the application sees as `lastPeer.userId`. */
  readonly userId?: string;
  /** Properties that the application sees of the peer. */
  readonly properties?: Readonly<Record<string, string | Buffer>>;
}

/** Options of an authenticator. */
export interface AuthenticatorOptions {
  /** The context whose sockets are served. Default: the process's. */
  context?: Context;
  /** Hears of every decision. */
  onDecision?: (request: AuthRequest, decision: AuthDecision) => void;
  /**
   * Has the last word on peers that the rules let in: what it returns, or resolves to, is answered. When it throws or
   * rejects, the answer is 500. One that has not answered when the handshake ends is not waited for any more.
   */
  check?: (request: AuthRequest) => AuthDecision | Promise<AuthDecision>;
}

/** Any domain. */
const ANY = "*";

/** Octets of a property's name. */
const NAME_BYTES = 255;

const ZAP_VERSION = Buffer.from("1.0");

const STATUSES: readonly unknown[] = [200, 300, 400, 500];

/** Frames of a request in front of the credentials. */
const REQUEST_FRAMES = 6;

const MALFORMED: AuthDecision = { status: 500, text: "Malformed request" };
const FAILED: AuthDecision = { status: 500, text: "Internal error" };
const DENIED: AuthDecision = { status: 400, text: "No access" };

/** Milliseconds between warnings of one authenticator. */
const WARNING_GAP_MS = 1000;

/** One who asks, and how it is answered. */
interface Question {
  readonly core: SocketCore;
  /** The frames in front of a decision. */
  readonly head: Buffer[];
  readonly request: AuthRequest | undefined;
}

/** The password of those who do not exist. */
const NO_PASSWORD = digestOf("");

/** Decides over peers by rules that may change at any time. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #addresses = new AddressRules();
  /** By domain: digests of passwords by user name. */
  readonly #users = new Map<string, ReadonlyMap<string, Buffer>>();
  /** By domain: user ids by public key, in Z85; or anybody with a key. */
  readonly #keys = new Map<string, ReadonlyMap<string, string> | "any">();
  /** Those that wait for the application's promise, as long as their handshakes go on. */
  readonly #waiting = new WeakMap<Pipe, Question>();
  #socket: Router | undefined;
  /** A warning was given less than a second ago. */
  #isQuiet = false;
  /** Failures since, and the last of them. */
  #unsaid = 0;
  #lastFault: unknown;

  /** Makes an authenticator that does not serve yet: `start` begins. */
  constructor(options: AuthenticatorOptions = {}) {
    this.#options = options;
  }

  /** True while it serves. */
  get running(): boolean {
    return this.#socket !== undefined;
  }

  /**
   * Begins to serve, and keeps no process alive by it.
   * @throws ErrnoError EADDRINUSE when the context has an authenticator already
   */
  start(): void {
    if (this.#socket !== undefined) return;
    const { context } = this.#options;
    const socket = new Router(context === undefined ? {} : { context });
    try {
      socket.bindSync(ZAP_ENDPOINT);
    } catch (error) {
      socket.close();
      throw error;
    }
    this.#socket = socket;
    const core = coreOf(socket);
    let isScheduled = false;
    const serve = (): void => {
      isScheduled = false;
      for (let frames = core.pattern.receive(); frames !== undefined; frames = core.pattern.receive()) {
        this.#answer(core, core.pattern.last as Pipe, frames);
      }
    };
    // Served from the pattern: a pending receive() would keep the process alive.
    core.tap = () => {
      if (isScheduled) return;
      isScheduled = true;
      queueMicrotask(serve);
    };
  }

  /**
   * Ceases to serve. As with libzmq that shuts out PLAIN, and the sockets with `zapDomain` and `zapEnforceDomain`;
   * other sockets let peers in without asking from here on.
   */
  stop(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  /** Lets in peers from these addresses or networks ("10.0.0.0/8") only. @throws ErrnoError EINVAL */
  allow(...addresses: string[]): void {
    this.#addresses.allow(addresses);
  }

  /** Keeps out peers from these addresses or networks, whatever else allows them. @throws ErrnoError EINVAL */
  deny(...addresses: string[]): void {
    this.#addresses.deny(addresses);
  }

  /** Forgets all rules about addresses. */
  clearAddresses(): void {
    this.#addresses.clear();
  }

  /**
   * Lets users in by PLAIN, given as passwords by user name, and nobody else in this domain any more; null for nobody.
   * A domain without users of its own has those of "*".
   */
  setUsers(passwords: Readonly<Record<string, string>> | null, domain: string = ANY): void {
    const users = Object.entries(passwords ?? {}).map(([name, word]): [string, Buffer] => [name, digestOf(word)]);
    this.#users.set(domain, new Map(users));
  }

  /**
   * Lets clients in by CURVE, and nobody else in this domain any more: public keys (Z85 or 32 octets), or user ids
   * by key; "any" for everybody who has a key pair, null for nobody. Without user ids the key, in Z85, is the user id.
   * A domain without keys of its own has those of "*".
   * @throws ErrnoError EINVAL for something that is no key
   */
  setKeys(
    keys: Iterable<string | Buffer> | Readonly<Record<string, string>> | "any" | null,
    domain: string = ANY,
  ): void {
    if (keys === null) this.#keys.set(domain, new Map());
    else if (keys === "any") this.#keys.set(domain, "any");
    else if (Symbol.iterator in keys) {
      const list = [...(keys as Iterable<string | Buffer>)].map(toKey);
      this.#keys.set(domain, new Map(list.map((key) => [key, key])));
    } else this.#keys.set(domain, new Map(Object.entries(keys).map(([key, user]) => [toKey(key), user])));
  }

  /** Decides over a peer by the rules alone. */
  decide(request: AuthRequest): AuthDecision {
    if (!this.#addresses.admit(request.address)) return DENIED;
    if (request.mechanism === "NULL") return { status: 200, text: "OK" };
    if (request.mechanism === "PLAIN") return this.#decidePlain(request);
    if (request.mechanism === "CURVE") return this.#decideCurve(request);
    return { status: 400, text: "Security mechanism not supported" };
  }

  #decidePlain({ domain, credentials }: AuthRequest): AuthDecision {
    const [user, password] = credentials;
    if (user === undefined || password === undefined) return DENIED;
    const name = user.toString();
    const expected = (this.#users.get(domain) ?? this.#users.get(ANY))?.get(name);
    const isRight = sameDigest(expected ?? NO_PASSWORD, digestOf(password));
    if (expected === undefined || !isRight) return DENIED;
    return { status: 200, text: "OK", userId: name };
  }

  #decideCurve({ domain, credentials }: AuthRequest): AuthDecision {
    const [key] = credentials;
    const keys = this.#keys.get(domain) ?? this.#keys.get(ANY);
    if (key?.length !== KEY_BYTES || keys === undefined || hasTopBit(key)) return DENIED;
    const text = encodeZ85(key);
    const userId = keys === "any" ? text : keys.get(text);
    return userId === undefined ? DENIED : { status: 200, text: "OK", userId };
  }

  /**
   * Answers one question: the way back to the asker, an empty frame, and the request. A socket asks nothing else; any
   * socket of the process can send anything else here, and what has no id is not worth an answer.
   */
  #answer(core: SocketCore, asker: Pipe, [id, delimiter, ...frames]: Buffer[]): void {
    if (delimiter?.length !== 0 || frames.length < 2) return;
    const request = parseRequest(frames);
    const question: Question = { core, head: [id, delimiter, ZAP_VERSION, frames[1]], request };
    if (request === undefined) reply(question, encodeDecision(MALFORMED));
    else this.#judge(question, request, asker);
  }

  #judge(question: Question, request: AuthRequest, asker: Pipe): void {
    const { check } = this.#options;
    try {
      let decision = this.decide(request);
      if (check !== undefined && decision.status === 200) {
        const verdict = check(request);
        if (isPromise(verdict)) {
          this.#await(question, asker, verdict);
          return;
        }
        decision = verdict;
      }
      this.#decided(question, decision);
    } catch (error) {
      this.#failed(question, error);
    }
  }

  /**
   * The application may hold a promise that never settles: the question goes with the asker's pipe, when its handshake
   * is over.
   */
  #await(question: Question, asker: Pipe, verdict: Promise<AuthDecision>): void {
    this.#waiting.set(asker, question);
    const weak = new WeakRef(question);
    Promise.resolve(verdict).then(
      (decision) => this.#decided(weak.deref(), decision),
      (error) => this.#failed(weak.deref(), error),
    );
  }

  /** Never throws: what goes wrong in the application's own code is a 500. */
  #decided(question: Question | undefined, decision: AuthDecision): void {
    try {
      const answer = encodeDecision(decision);
      if (question === undefined) return;
      this.#options.onDecision?.(question.request as AuthRequest, decision);
      reply(question, answer);
    } catch (error) {
      this.#failed(question, error);
    }
  }

  #failed(question: Question | undefined, error: unknown): void {
    this.#warn(error);
    if (question !== undefined) reply(question, encodeDecision(FAILED));
  }

  /**
   * Peers set the rate of failures, and must not set that of warnings: one a second, with the number of those that it
   * stands for.
   */
  #warn(error: unknown): void {
    if (this.#isQuiet) {
      this.#unsaid++;
      this.#lastFault = error;
      return;
    }
    this.#isQuiet = true;
    process.emitWarning(tellable(error));
    setTimeout(this.#sayRest, WARNING_GAP_MS).unref();
  }

  readonly #sayRest = (): void => {
    const count = this.#unsaid;
    const fault = tellable(this.#lastFault);
    const text = fault instanceof Error ? fault.message : fault;
    this.#isQuiet = false;
    this.#unsaid = 0;
    this.#lastFault = undefined;
    if (count > 0) this.#warn(`${text} (the last of ${count} failures in a second)`);
  };
}

function isPromise(verdict: AuthDecision | Promise<AuthDecision>): verdict is Promise<AuthDecision> {
  return typeof verdict === "object" && verdict !== null && "then" in verdict;
}

function reply({ core, head }: Question, answer: Buffer[]): void {
  if (!core.isClosed) core.pattern.send([...head, ...answer]);
}

/**
 * Curve25519 ignores this bit, and no key pair is made with it: whoever sets it has another's user id, or a second one.
 */
function hasTopBit(key: Uint8Array): boolean {
  return ((key[KEY_BYTES - 1] as number) & 0x80) !== 0;
}

function toKey(key: string | Buffer): string {
  const octets = typeof key === "string" ? decodeZ85(key) : key;
  if (octets.length !== KEY_BYTES) throw errnoError("EINVAL", undefined, "A CURVE key has 32 octets");
  if (hasTopBit(octets)) throw errnoError("EINVAL", undefined, "No key pair has a public key whose top bit is set");
  return encodeZ85(octets);
}

function parseRequest(frames: Buffer[]): AuthRequest | undefined {
  if (frames.length < REQUEST_FRAMES || !frames[0].equals(ZAP_VERSION)) return undefined;
  const [, , domain, address, identity, mechanism, ...credentials] = frames;
  return {
    domain: domain.toString(),
    address: address.toString(),
    identity,
    mechanism: mechanism.toString(),
    credentials,
  };
}

/**
 * A decision as the last four frames of a reply.
 * @throws TypeError when it is none: it may come from code that no compiler has checked
 */
function encodeDecision({ status, text = "", userId = "", properties = {} }: AuthDecision): Buffer[] {
  if (!STATUSES.includes(status)) throw new TypeError(`A decision's status is 200, 300, 400 or 500, not ${status}`);
  const frames = [Buffer.from(String(status)), Buffer.from(text)];
  if (status !== 200) return [...frames, EMPTY, EMPTY];
  const listed = Object.entries(properties).map(([name, value]): [string, Buffer] => {
    if (name.length === 0 || name.length > NAME_BYTES) throw new TypeError("A property's name has 1 to 255 octets");
    return [name, Buffer.from(value as string)];
  });
  return [...frames, Buffer.from(userId), encodeProperties(listed)];
}

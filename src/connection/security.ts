/**
 * The security handshake of a 3.x connection: hosts the mechanism, asks the ZAP handler, and gathers the peer's
 * properties. It sends through its owner, the handshake, and ends it by throwing.
 */
import { EMPTY, ownCopy } from "../base/bytes.ts";
import { ProtocolError } from "../base/errors.ts";
import { encodeProperties, errorBody, parseProperties } from "../codec/command.ts";
import { ROUTING_ID_BYTES } from "../codec/peer-facts.ts";
import type { Mechanism, MechanismFactory, MechanismHost, MechanismName } from "../mechanism/mechanism.ts";
import { NullMechanism } from "../mechanism/null.ts";
import { plainClient, plainServer } from "../mechanism/plain.ts";
import {
  admitsWithoutHandler,
  encodeZapRequest,
  parseZapReply,
  type ZapReply,
  type ZapRequest,
  zapPolicy,
} from "../mechanism/zap.ts";
import { isServer, type OptionValues } from "../options/values.ts";
import { mayTalk, mismatch } from "./compatibility.ts";
import { Refusal } from "./failure.ts";
import { ownProperties } from "./own-properties.ts";

/** The options that decide over security. */
export type SecurityOptions = Pick<
  OptionValues,
  | "securityMechanism"
  | "plainServer"
  | "plainUsername"
  | "plainPassword"
  | "curveServer"
  | "zapDomain"
  | "zapEnforceDomain"
  | "metadata"
  | "routingId"
  | "maxMessageSize"
>;

/**
 * Carries a question to the ZAP handler. `answer` is called at most once, at once or later, with the reply's frames,
 * delimiter first, or with `undefined` when no ZAP handler is bound.
 */
export type ZapHook = (frames: Buffer[], answer: (reply: readonly Buffer[] | undefined) => void) => void;

/** Says all that the handshake depends on. */
export interface SecuritySettings {
  readonly socketType: number;
  readonly options: SecurityOptions;
  /** The peer's IP address without port, for the ZAP handler. */
  readonly peerAddress?: string;
  readonly zap?: ZapHook;
  /** Makes the CURVE side, when the mechanism is CURVE. Its code is not loaded before. */
  readonly curve?: MechanismFactory;
}

/** Carries the security: the handshake. */
export interface SecurityOwner {
  /** Sends a handshake command. */
  sendCommand(body: Buffer): void;
  /** Hears that both sides are content. */
  secured(): void;
  /**
   * Runs an action that the peer's octets or the ZAP handler's answer set off; its throwing ends the handshake. Runs
   * nothing after the end.
   */
  enter(action: () => void): void;
}

/** Properties that only this end knows: a peer that claims them is not believed. */
const RESERVED_PROPERTIES: ReadonlySet<string> = new Set(["User-Id", "Peer-Address"]);

/** Properties that only the peer knows, and the protocol goes by: a ZAP handler cannot set them. */
const PEER_PROPERTIES: ReadonlySet<string> = new Set(["Socket-Type", "Identity"]);

const STATUSES: ReadonlyMap<string, 300 | 400 | 500> = new Map([
  ["300", 300],
  ["400", 400],
  ["500", 500],
]);

const MECHANISM_NAMES: Readonly<Record<NonNullable<SecurityOptions["securityMechanism"]>, MechanismName>> = {
  plain: "PLAIN",
  curve: "CURVE",
  // No option selects it.
  gssapi: "NULL",
};

/** The mechanism that the options select. */
export function mechanismName({ securityMechanism }: SecurityOptions): MechanismName {
  return securityMechanism === null ? "NULL" : MECHANISM_NAMES[securityMechanism];
}

/** True when a peer without security is refused: there is a mechanism, or a domain in which to ask who may come in. */
export function isSecured(options: SecurityOptions): boolean {
  return options.securityMechanism !== null || options.zapDomain.length > 0;
}

/** True when this end is the server of its mechanism. */
export function isSecurityServer(options: SecurityOptions): boolean {
  return isServer(options);
}

/** Copies a peer's routing id. @throws ProtocolError when it is too long */
export function checkedRoutingId(bytes: Uint8Array): Buffer {
  if (bytes.length > ROUTING_ID_BYTES) {
    throw new ProtocolError("ERR_ZMTP_INVALID_METADATA", `an identity of ${bytes.length} octets`);
  }
  return ownCopy(bytes);
}

export class Security implements MechanismHost {
  readonly metadata: Buffer;
  readonly peerIsLibzmq: boolean;
  readonly maxMessageSize: number;
  readonly mechanism: Mechanism;
  /** The peer told them: complete from `done()` on. */
  routingId: Buffer = EMPTY;
  readonly properties: Map<string, Buffer> = new Map();
  readonly #settings: SecuritySettings;
  readonly #owner: SecurityOwner;

  constructor(settings: SecuritySettings, owner: SecurityOwner, peerIsLibzmq: boolean) {
    this.#settings = settings;
    this.#owner = owner;
    this.peerIsLibzmq = peerIsLibzmq;
    this.maxMessageSize = settings.options.maxMessageSize;
    this.metadata = encodeProperties(ownProperties(settings.socketType, settings.options));
    this.mechanism = mechanismFactory(settings)(this);
  }

  send(body: Buffer): void {
    this.#owner.sendCommand(body);
  }

  done(): void {
    this.#owner.secured();
  }

  peerMetadata(bytes: Buffer): void {
    for (const [name, value] of parseProperties(bytes)) {
      if (name === "Identity") this.routingId = checkedRoutingId(value);
      if (!RESERVED_PROPERTIES.has(name) && !this.properties.has(name)) this.properties.set(name, value);
    }
    const type = this.properties.get("Socket-Type")?.toString("latin1");
    const { socketType } = this.#settings;
    if (type === undefined || mayTalk(socketType, type)) return;
    const detail = mismatch(socketType, type);
    throw new Refusal({ kind: "incompatible", detail, flush: true });
  }

  peerError(reason: string): never {
    const status = STATUSES.get(reason);
    if (status !== undefined) throw new Refusal({ kind: "auth", status });
    const detail = `the peer sent ERROR: ${reason}`;
    throw new Refusal({ kind: "protocol", code: "ERR_ZMTP_UNSPECIFIED", detail, handshake: true, event: false });
  }

  authenticate(credentials: readonly Uint8Array[], accepted: () => void): void {
    const { options, peerAddress, zap } = this.#settings;
    const mechanism = mechanismName(options);
    const policy = zapPolicy(mechanism, options.zapDomain, options.zapEnforceDomain);
    if (policy === "admit") {
      accepted();
    } else if (policy === "refuse") {
      throw new Refusal({ kind: "no-zap-handler" });
    } else if (zap === undefined) {
      this.#verdict(undefined, accepted);
    } else {
      const { zapDomain: domain, routingId: identity } = options;
      const request: ZapRequest = { domain, address: peerAddress ?? "", identity, mechanism, credentials };
      this.#ask(zap, request, accepted);
    }
  }

  /**
   * Asks. An answer that comes before `zap` returns is acted on here: it must not enter the handshake a second time.
   */
  #ask(zap: ZapHook, request: ZapRequest, accepted: () => void): void {
    let isAsking = true;
    let early: { reply: readonly Buffer[] | undefined } | undefined;
    zap(encodeZapRequest(request), (reply) => {
      if (isAsking) early = { reply };
      else this.#owner.enter(() => this.#verdict(reply, accepted));
    });
    isAsking = false;
    if (early !== undefined) this.#verdict((early as { reply: readonly Buffer[] | undefined }).reply, accepted);
  }

  /** Acts on the ZAP handler's answer. */
  #verdict(frames: readonly Buffer[] | undefined, accepted: () => void): void {
    const { options } = this.#settings;
    if (frames === undefined) {
      if (!admitsWithoutHandler(mechanismName(options), options.zapEnforceDomain)) {
        throw new Refusal({ kind: "no-zap-handler" });
      }
      accepted();
      return;
    }
    const reply = parseZapReply(frames);
    if (reply.status === 200) {
      this.#grant(reply);
      accepted();
      return;
    }
    if (reply.status !== 300) this.send(errorBody(String(reply.status), this.mechanism.errorPrefix));
    throw new Refusal({ kind: "auth", status: reply.status, flush: true });
  }

  /** Believes the ZAP handler, whatever the peer has claimed before or claims later. */
  #grant({ userId, properties }: ZapReply): void {
    this.properties.set("User-Id", userId);
    const granted = new Set<string>();
    for (const [name, value] of properties) {
      if (RESERVED_PROPERTIES.has(name) || PEER_PROPERTIES.has(name) || granted.has(name)) continue;
      granted.add(name);
      this.properties.set(name, value);
    }
  }
}

function mechanismFactory(settings: SecuritySettings): MechanismFactory {
  const { options, curve } = settings;
  switch (mechanismName(options)) {
    case "PLAIN":
      return options.plainServer ? plainServer() : plainClient(options.plainUsername, options.plainPassword);
    case "CURVE":
      if (curve === undefined) throw new Error("CURVE was not loaded");
      return curve;
    case "NULL":
      return (host) => new NullMechanism(host);
  }
}

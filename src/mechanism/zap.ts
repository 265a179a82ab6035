/**
 * ZAP, the authentication protocol: whom to ask about a peer, the frames of the question, and those of the answer.
 *
 * The ZAP handler is a REP, ROUTER or SERVER socket bound to ZAP_ENDPOINT. Whoever owns the connection carries the
 * frames; here they are only made and read. RFC 27 "ZAP"; libzmq options ZMQ_ZAP_DOMAIN and ZMQ_ZAP_ENFORCE_DOMAIN.
 */

import { type ProtocolCode, ProtocolError } from "../base/errors.ts";
import { parseProperties } from "../codec/command.ts";
import type { MechanismName } from "./mechanism.ts";

/** Where a ZAP handler binds. */
export const ZAP_ENDPOINT = "inproc://zeromq.zap.01";

const VERSION = "1.0";

/**
 * Each connection asks through a pipe of its own, one question at a time, so that the same id serves all. As in libzmq.
 */
const REQUEST_ID = "1";

/** Frames of a reply: delimiter, version, request id, status code, status text, user id, metadata. */
const REPLY_FRAMES = 7;

/** A question about one peer. */
export interface ZapRequest {
  readonly domain: Uint8Array;
  /** The peer's IP address, without port. */
  readonly address: string;
  /** The asking socket's own routing id. */
  readonly identity: Uint8Array;
  readonly mechanism: MechanismName;
  readonly credentials: readonly Uint8Array[];
}

export type ZapStatus = 200 | 300 | 400 | 500;

/** An answer. `userId` and `properties` count only when the status is 200. */
export interface ZapReply {
  readonly status: ZapStatus;
  readonly userId: Buffer;
  readonly properties: readonly (readonly [name: string, value: Buffer])[];
}

/** Text to status; any other text is a fault. */
const STATUSES: ReadonlyMap<string, ZapStatus> = new Map([
  ["200", 200],
  ["300", 300],
  ["400", 400],
  ["500", 500],
]);

/** The ways to treat a peer: let it in without asking, ask, or turn it away without asking. */
export type ZapPolicy = "admit" | "ask" | "refuse";

/**
 * Says whether the ZAP handler is asked. NULL asks for a domain only; PLAIN is nothing without a ZAP handler; CURVE
 * asks with an empty domain too. `enforce` means: an empty domain is never asked about, and a domain without ZAP
 * handler admits nobody.
 */
export function zapPolicy(mechanism: MechanismName, domain: Uint8Array, enforce: boolean): ZapPolicy {
  if (domain.length > 0) return "ask";
  if (mechanism === "NULL") return "admit";
  if (!enforce) return "ask";
  return mechanism === "CURVE" ? "admit" : "refuse";
}

/** True when a peer is let in although no ZAP handler is bound to be asked. */
export function admitsWithoutHandler(mechanism: MechanismName, enforce: boolean): boolean {
  return mechanism !== "PLAIN" && !enforce;
}

/** The frames of a question, delimiter first. */
export function encodeZapRequest(request: ZapRequest): Buffer[] {
  const { domain, address, identity, mechanism, credentials } = request;
  const frames = ["", VERSION, REQUEST_ID, domain, address, identity, mechanism, ...credentials];
  return frames.map((frame) => (typeof frame === "string" ? Buffer.from(frame) : Buffer.from(frame)));
}

/**
 * Reads the frames of an answer, delimiter first.
 * @throws ProtocolError ERR_ZAP_… that names what is wrong.
 */
export function parseZapReply(frames: readonly Buffer[]): ZapReply {
  if (frames.length !== REPLY_FRAMES) throw fault("ERR_ZAP_MALFORMED_REPLY", `${frames.length} frames, not 7`);
  if (frames[0].length > 0) throw fault("ERR_ZAP_UNSPECIFIED", "no empty delimiter");
  if (frames[1].toString("latin1") !== VERSION) throw fault("ERR_ZAP_BAD_VERSION", "a version other than 1.0");
  if (frames[2].toString("latin1") !== REQUEST_ID)
    throw fault("ERR_ZAP_BAD_REQUEST_ID", "an answer to another request");
  const status = STATUSES.get(frames[3].toString("latin1"));
  if (status === undefined) throw fault("ERR_ZAP_INVALID_STATUS_CODE", "a status other than 200, 300, 400, 500");
  return { status, userId: Buffer.from(frames[5]), properties: replyProperties(frames[6]) };
}

function replyProperties(bytes: Buffer): ZapReply["properties"] {
  try {
    return parseProperties(bytes);
  } catch (error) {
    if (error instanceof ProtocolError) throw fault("ERR_ZAP_INVALID_METADATA", error.message);
    throw error;
  }
}

function fault(code: ProtocolCode, detail: string): ProtocolError {
  return new ProtocolError(code, detail);
}

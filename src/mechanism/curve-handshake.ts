/**
 * The common part of both sides of the CURVE handshake: the commands' layouts, their nonces, and how a command is
 * judged.
 *
 * Names of keys are RFC 26's: C/c and S/s are the permanent public and secret keys of client and server, C'/c' and
 * S'/s' those that each makes for this connection only. Box[m](X->Y) is m sealed between X's secret and Y's public key.
 * Offsets are those inside a command's body.
 *
 *     client                                                                                    server
 *     HELLO      0 name | 6 version | 8 zeros (72) | 80 C' | 112 counter | 120 Box[64 zeros](C'->S)      ->
 *            <-  WELCOME    0 name | 8 nonce (16) | 24 Box[S' + cookie (96)](S->C')
 *     INITIATE   0 name | 9 cookie (96) | 105 counter | 113 Box[C + nonce (16) + vouch (80) + metadata](C'->S')  ->
 *            <-  READY      0 name | 6 counter | 14 Box[metadata](S'->C')
 *
 *     cookie   0 nonce (16) | 16 secretbox[C' + s'](K), K known to the server only
 *     vouch    Box[C' + S](C->S')
 *
 * Both sides have forgotten c' and s' when the connection ends: who steals the permanent keys later can not read it.
 */

import { type ProtocolCode, ProtocolError } from "../base/errors.ts";
import { commandPrefix, isCommand } from "../codec/command.ts";
import { type Crypto, NONCE_BYTES } from "../crypto/crypto.ts";
import { loadCrypto, type Random, systemRandom } from "../crypto/load.ts";
import type { Counter } from "./curve-opener.ts";

export const HELLO: Buffer = commandPrefix("HELLO");
export const WELCOME: Buffer = commandPrefix("WELCOME");
export const INITIATE: Buffer = commandPrefix("INITIATE");

export const HELLO_BYTES = 200;
export const WELCOME_BYTES = 168;
/** The smallest: without metadata. */
export const INITIATE_BYTES = 257;
export const READY_BYTES = 30;

export const COUNTER_BYTES = 8;
export const LONG_NONCE_BYTES = 16;
export const COOKIE_BYTES = 96;
export const VOUCH_BYTES = 80;

type NonceKind = "hello" | "welcome" | "cookie" | "initiate" | "vouch" | "ready" | "clientMessage" | "serverMessage";

/** The beginnings of nonces: each kind of box has its own, so that no two boxes under one key share a nonce. */
export const NONCE: Readonly<Record<NonceKind, Buffer>> = {
  hello: Buffer.from("CurveZMQHELLO---"),
  welcome: Buffer.from("WELCOME-"),
  cookie: Buffer.from("COOKIE--"),
  initiate: Buffer.from("CurveZMQINITIATE"),
  vouch: Buffer.from("VOUCH---"),
  ready: Buffer.from("CurveZMQREADY---"),
  clientMessage: Buffer.from("CurveZMQMESSAGEC"),
  serverMessage: Buffer.from("CurveZMQMESSAGES"),
};

/** The cryptography and the random octets that a mechanism uses. Tests put others here. */
export interface CurveTools {
  readonly crypto: Crypto;
  readonly random: Random;
}

export function systemTools(): CurveTools {
  return { crypto: loadCrypto(), random: systemRandom };
}

/** A whole nonce: the beginning that tells the kind of box, and the rest that changes. */
export function nonceOf(prefix: Uint8Array, rest: Uint8Array): Buffer {
  const nonce = Buffer.concat([prefix, rest]);
  if (nonce.length !== NONCE_BYTES) throw new RangeError(`a nonce of ${nonce.length} octets`);
  return nonce;
}

/** A side's own counter, which the handshake takes to 2 at most. */
export function shortCounter(value: number): Buffer {
  const octets = Buffer.alloc(COUNTER_BYTES);
  octets[COUNTER_BYTES - 1] = value;
  return octets;
}

/** A peer's counter. */
export function readCounter(body: Buffer, offset: number): Counter {
  return { high: body.readUInt32BE(offset), low: body.readUInt32BE(offset + 4) };
}

/** True when the body is the command of that name; throws when it is no command at all. */
export function isCommandNamed(body: Buffer, name: Buffer): boolean {
  if (body.length <= 1 || body.length <= body[0]) {
    throw fault("ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED", "a command shorter than its name");
  }
  return isCommand(body, name);
}

/** Gives what a box held; throws when it could not be opened. */
export function opened(message: Buffer | undefined, command: string): Buffer {
  if (message === undefined)
    throw fault("ERR_ZMTP_CRYPTOGRAPHIC", `a ${command} that is not authentic: wrong keys, or forged`);
  return message;
}

/** A key agreed on with a public key of the peer, who may have sent one that agrees with everybody. */
export function agreed(key: Buffer | undefined): Buffer {
  if (key === undefined) throw fault("ERR_ZMTP_CRYPTOGRAPHIC", "a public key that gives everybody the same secret");
  return key;
}

export function fault(code: ProtocolCode, detail: string): ProtocolError {
  return new ProtocolError(code, detail);
}

/**
 * Commands: `nameLength(1) name data`, in the body of a frame. RFC 23/37 "ZMTP", section "Commands".
 *
 * Encoders give command bodies for handshakes (a mechanism does not know how its commands are framed) and whole
 * canonical frames for traffic. Names are matched octet for octet; names of properties are compared without case.
 */
import { lowerAscii, ownCopy } from "../base/bytes.ts";
import { PROPERTIES } from "../base/constants.ts";
import { ProtocolError } from "../base/errors.ts";
import { encodeFrame, FLAG_COMMAND, headerSize, writeHeader } from "./frame.ts";

/** The octets with which a command of that name begins: its length and the name. */
export function commandPrefix(name: string): Buffer {
  return Buffer.from(String.fromCharCode(name.length) + name, "latin1");
}

export const READY: Buffer = commandPrefix("READY");
export const ERROR: Buffer = commandPrefix("ERROR");
export const SUBSCRIBE: Buffer = commandPrefix("SUBSCRIBE");
export const CANCEL: Buffer = commandPrefix("CANCEL");
export const PING: Buffer = commandPrefix("PING");
export const PONG: Buffer = commandPrefix("PONG");

/**
 * The ERROR of PLAIN in libzmq 4.3, which neither writes nor knows another: one octet takes the place of the length and
 * the first letter.
 */
export const SHORT_ERROR: Buffer = Buffer.from("^RROR", "latin1");

/** A PING's context that a PONG repeats is no longer than this. */
const PING_CONTEXT_BYTES = 16;

/** The context of a PING begins here: behind its name and two octets of time to live. */
const PING_CONTEXT_OFFSET = 7;

/** Octets of the reason of an error: one octet tells their length. */
const OCTET_MAX = 255;

/** True when `body` is a command of that name. */
export function isCommand(body: Uint8Array, prefix: Uint8Array): boolean {
  if (body.length < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (body[i] !== prefix[i]) return false;
  return true;
}

/** Encodes a command's body. */
export function commandBody(prefix: Uint8Array, data: Uint8Array): Buffer {
  const body = Buffer.allocUnsafe(prefix.length + data.length);
  body.set(prefix);
  body.set(data, prefix.length);
  return body;
}

/** Encodes a command as a whole frame. LONG goes by the final size, name included. */
export function encodeCommand(prefix: Uint8Array, data: Uint8Array): Buffer {
  const length = prefix.length + data.length;
  const frame = Buffer.allocUnsafe(headerSize(length) + length);
  const start = writeHeader(frame, 0, FLAG_COMMAND, length);
  frame.set(prefix, start);
  frame.set(data, start + prefix.length);
  return frame;
}

/** Encodes a subscription in the form of 3.0 and older: an ordinary message, `01 topic` or `00 topic`. */
export function encodeSubscriptionMessage(topic: Uint8Array, subscribe: boolean): Buffer {
  const body = Buffer.allocUnsafe(topic.length + 1);
  body[0] = subscribe ? 1 : 0;
  body.set(topic, 1);
  return encodeFrame(0, body);
}

/** Encodes a PING without context, like those of libzmq. `ttl` is in tenths of a second, 0 for none. */
export function encodePing(ttl: number): Buffer {
  return encodeCommand(PING, Uint8Array.of(ttl >> 8, ttl & 0xff));
}

/** Encodes the PONG for a PING, with the first 16 octets of its context. */
export function encodePong(ping: Uint8Array): Buffer {
  return encodeCommand(PONG, ping.subarray(PING_CONTEXT_OFFSET, PING_CONTEXT_OFFSET + PING_CONTEXT_BYTES));
}

/**
 * Reads the time to live in a PING's body, in tenths of a second.
 * @throws ProtocolError when its two octets are missing.
 */
export function pingTimeToLive(body: Uint8Array): number {
  if (body.length < PING_CONTEXT_OFFSET) {
    throw new ProtocolError("ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED", "a PING without time to live");
  }
  return (body[PING_CONTEXT_OFFSET - 2] << 8) | body[PING_CONTEXT_OFFSET - 1];
}

/** Encodes the body of an ERROR. `prefix` is SHORT_ERROR for peers that know no other. */
export function errorBody(reason: string, prefix: Buffer = ERROR): Buffer {
  const text = Buffer.from(reason.slice(0, OCTET_MAX), "latin1");
  return Buffer.concat([prefix, Uint8Array.of(text.length), text]);
}

/**
 * Reads the reason in an ERROR's body, whose name takes `offset` octets. Lets octets behind the reason pass, like
 * libzmq.
 * @throws ProtocolError when the length is missing or larger than the rest.
 */
export function errorReason(body: Buffer, offset: number): string {
  if (body.length <= offset || offset + 1 + body[offset] > body.length) {
    throw new ProtocolError("ERR_ZMTP_MALFORMED_COMMAND_ERROR", "an ERROR whose reason is cut off");
  }
  return body.toString("latin1", offset + 1, offset + 1 + body[offset]);
}

/** A property: a name of 1 to 255 octets and a value. */
export type Property = readonly [name: string, value: Uint8Array];

/** Encodes properties in the form of READY, INITIATE and ZAP: `nameLength(1) name valueLength(4) value`. */
export function encodeProperties(properties: readonly Property[]): Buffer {
  let size = 0;
  for (const [name, value] of properties) size += 1 + name.length + 4 + value.length;
  const octets = Buffer.allocUnsafe(size);
  let offset = 0;
  for (const [name, value] of properties) {
    octets[offset] = name.length;
    octets.write(name, offset + 1, "latin1");
    offset = octets.writeUInt32BE(value.length, offset + 1 + name.length);
    octets.set(value, offset);
    offset += value.length;
  }
  return octets;
}

/** The names that have a spelling of their own, by that (almost all peers use it) and by their lower-case form. */
const CANONICAL_NAMES: ReadonlyMap<string, string> = new Map(
  ["Socket-Type", "Identity", "Resource", "User-Id", "Peer-Address"].flatMap((name) => [
    [name, name],
    [lowerAscii(name), name],
  ]),
);

/**
 * Reads properties in the order in which they came; values are copies. Well-known names come out in their canonical
 * spelling, any other name as it was written; an empty name is let pass, like in libzmq.
 * @throws ProtocolError ERR_ZMTP_INVALID_METADATA when a property is cut off, octets are left over, or there are too many.
 */
export function parseProperties(bytes: Buffer): [name: string, value: Buffer][] {
  const properties: [string, Buffer][] = [];
  let offset = 0;
  while (offset < bytes.length) {
    if (properties.length === PROPERTIES) {
      throw new ProtocolError("ERR_ZMTP_INVALID_METADATA", `more than ${PROPERTIES} properties`);
    }
    const nameEnd = offset + 1 + bytes[offset];
    if (nameEnd + 4 > bytes.length) throw invalidMetadata();
    const valueEnd = nameEnd + 4 + bytes.readUInt32BE(nameEnd);
    if (valueEnd > bytes.length) throw invalidMetadata();
    const name = bytes.toString("latin1", offset + 1, nameEnd);
    const canonical = CANONICAL_NAMES.get(name) ?? CANONICAL_NAMES.get(lowerAscii(name)) ?? name;
    properties.push([canonical, ownCopy(bytes.subarray(nameEnd + 4, valueEnd))]);
    offset = valueEnd;
  }
  return properties;
}

function invalidMetadata(): ProtocolError {
  return new ProtocolError("ERR_ZMTP_INVALID_METADATA", "a property is cut off, or octets are left over");
}

/**
 * The greeting: 64 octets that say "ZMTP", a version and a mechanism, and by which older peers are told apart.
 *
 *     0      1              9     10     11     12              32         33          64
 *     | FF | padding (8) | 7F | major | minor | mechanism (20) | as-server | filler (31) |
 *     '----- signature -------'
 *
 * An old peer takes the signature for the head of its own protocol (for 1.0 the head of a long identity frame, whose
 * length is why the padding says the length of our routing id plus one). So it has to be sent in stages: the signature
 * at once, each further octet only when the peer has shown that it will understand it. RFC 23/37 "ZMTP", section
 * "Version Negotiation".
 */
import { ProtocolError } from "../base/errors.ts";

export const SIGNATURE_BYTES = 10;
export const GREETING_BYTES = 64;

/** A 2.0 greeting: the signature, a revision, a socket type. */
export const GREETING_2_0_BYTES = 12;

const SIGNATURE_FIRST = 0xff;
const SIGNATURE_LAST = 0x7f;
export const MAJOR_OFFSET = 10;
const MINOR_OFFSET = 11;
const MECHANISM_OFFSET = 12;
const MECHANISM_BYTES = 20;
const AS_SERVER_OFFSET = 32;

/** The last major version that means ZMTP 2.0. Its own peers send 1; RFC 37 takes 2 for the same. */
const MAJOR_2_0 = 2;

export const ZMTP_1_0 = 0x0100;
export const ZMTP_2_0 = 0x0200;
export const ZMTP_3_0 = 0x0300;
export const ZMTP_3_1 = 0x0301;

/** The version that both sides of a connection speak from the greeting on. */
export type ProtocolVersion = typeof ZMTP_1_0 | typeof ZMTP_2_0 | typeof ZMTP_3_0 | typeof ZMTP_3_1;

/** Encodes the whole greeting of a 3.1 peer. The routing id's length goes into the padding, where libzmq writes it. */
export function encodeGreeting(mechanism: string, asServer: boolean, routingIdLength: number): Buffer {
  const greeting = Buffer.alloc(GREETING_BYTES);
  greeting[0] = SIGNATURE_FIRST;
  greeting.writeUInt32BE(routingIdLength + 1, 5);
  greeting[9] = SIGNATURE_LAST;
  greeting[MAJOR_OFFSET] = ZMTP_3_1 >> 8;
  greeting[MINOR_OFFSET] = ZMTP_3_1 & 0xff;
  greeting.write(mechanism, MECHANISM_OFFSET, MECHANISM_BYTES, "latin1");
  greeting[AS_SERVER_OFFSET] = asServer ? 1 : 0;
  return greeting;
}

/**
 * Tells the version that the first `count` octets of a peer show; `undefined` while more octets are needed to know.
 * Only bit 0 of octet 9 matters, and the padding of a later peer means nothing.
 * @throws ProtocolError for revision 0, which no peer ever spoke.
 */
export function sniffVersion(octets: Uint8Array, count: number): ProtocolVersion | undefined {
  if (count === 0) return undefined;
  if (octets[0] !== SIGNATURE_FIRST) return ZMTP_1_0;
  if (count < SIGNATURE_BYTES) return undefined;
  if ((octets[SIGNATURE_BYTES - 1] & 1) === 0) return ZMTP_1_0;
  if (count <= MAJOR_OFFSET) return undefined;
  const major = octets[MAJOR_OFFSET];
  if (major === 0) throw new ProtocolError("ERR_ZMTP_UNSPECIFIED", "a greeting of revision 0");
  if (major <= MAJOR_2_0) return ZMTP_2_0;
  if (count <= MINOR_OFFSET) return undefined;
  return major === 3 && octets[MINOR_OFFSET] === 0 ? ZMTP_3_0 : ZMTP_3_1;
}

/** Reads the mechanism of a whole greeting: all 20 octets, with only the NULs at their end taken off. */
export function greetingMechanism(greeting: Uint8Array): string {
  let end = MECHANISM_OFFSET + MECHANISM_BYTES;
  while (end > MECHANISM_OFFSET && greeting[end - 1] === 0) end--;
  let name = "";
  for (let i = MECHANISM_OFFSET; i < end; i++) name += String.fromCharCode(greeting[i]);
  return name;
}

/**
 * True when the padding tells a routing id's length plus one. libzmq writes it, most others leave it zero: never a
 * reason to refuse.
 */
export function greetingCountsRoutingId(greeting: Uint8Array): boolean {
  return greeting.subarray(1, 7).every((octet) => octet === 0) && (greeting[7] | greeting[8]) !== 0;
}

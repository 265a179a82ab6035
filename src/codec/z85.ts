/**
 * Z85: keys as text. Four octets, taken as one number with the most significant first, are five digits of base 85.
 * RFC 32 "Z85"; zmq_z85_encode, zmq_z85_decode.
 */
import { invalid } from "../base/errors.ts";

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
const BASE = DIGITS.length;
const GROUP_OCTETS = 4;
const GROUP_DIGITS = 5;
const GROUP_MAX = 0xffffffff;

/**
 * Octets to text. An empty array gives an empty text.
 * @throws ErrnoError EINVAL when the number of octets is no multiple of 4.
 */
export function encodeZ85(bytes: Uint8Array): string {
  if (bytes.length % GROUP_OCTETS !== 0) throw invalid(`${bytes.length} octets, where Z85 takes a multiple of 4`);
  let text = "";
  for (let at = 0; at < bytes.length; at += GROUP_OCTETS) {
    let group = 0;
    for (let i = 0; i < GROUP_OCTETS; i++) group = group * 256 + bytes[at + i];
    let digits = "";
    for (let i = 0; i < GROUP_DIGITS; i++) {
      digits = DIGITS[group % BASE] + digits;
      group = Math.floor(group / BASE);
    }
    text += digits;
  }
  return text;
}

/**
 * Text to octets.
 * @throws ErrnoError EINVAL when the text is empty, its length is no multiple of 5, a character is no digit, or a group
 * of five exceeds 32 bits.
 */
export function decodeZ85(text: string): Buffer {
  if (text.length === 0 || text.length % GROUP_DIGITS !== 0) {
    throw invalid(`${text.length} characters, where Z85 has a multiple of 5`);
  }
  const bytes = Buffer.alloc((text.length / GROUP_DIGITS) * GROUP_OCTETS);
  for (let at = 0, to = 0; at < text.length; at += GROUP_DIGITS, to += GROUP_OCTETS) {
    let group = 0;
    for (let i = 0; i < GROUP_DIGITS; i++) {
      const digit = DIGITS.indexOf(text[at + i]);
      if (digit === -1) throw invalid(`the character at ${at + i} is none of Z85`);
      group = group * BASE + digit;
    }
    if (group > GROUP_MAX) throw invalid(`the five characters at ${at} are no 32 bits`);
    bytes.writeUInt32BE(group, to);
  }
  return bytes;
}

/**
 * The words of the agents' protocol (../README.md) and the bodies that agents build from numbers.
 * Shared by the runner and the Node agent; the C and the Python agent have their own.
 */

/** Longer frames travel in answers as their length and checksum. */
const LITERAL_FRAME_BYTES = 64;

/** Not a divisor of any buffer size, so that octets which move by a page are noticed. */
const PATTERN_PERIOD = 251;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = 0xffffffff;
  for (let index = 0; index < bytes.length; index++) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[index]) & 0xff];
  return (crc ^ 0xffffffff) >>> 0;
}

/** @param {string} word `x<hex>` */
export function unhex(word) {
  return Buffer.from(word.slice(1), "hex");
}

/** @param {string | Uint8Array} bytes */
export function hex(bytes) {
  return `x${Buffer.from(bytes).toString("hex")}`;
}

/** @param {number} size @param {number} seed */
export function pattern(size, seed) {
  const body = Buffer.allocUnsafe(size);
  for (let index = 0; index < size; index++) body[index] = (index % PATTERN_PERIOD) + seed;
  return body;
}

/** @param {string} word a frame to be sent */
function parseFrame(word) {
  if (word.startsWith("x")) return unhex(word);
  const [size, seed] = word.slice(1).split(":");
  return pattern(Number(size), Number(seed));
}

/** @param {string} word a message to be sent */
export function parseMessage(word) {
  return word.split(",").map(parseFrame);
}

/** @param {Uint8Array} bytes a received frame */
export function answerFrame(bytes) {
  if (bytes.length <= LITERAL_FRAME_BYTES) return hex(bytes);
  return `c${bytes.length}:${crc32(bytes).toString(16).padStart(8, "0")}`;
}

/** The body that `stream` sends under a number. @param {string} tag @param {number} number @param {number} size */
export function numberedBody(tag, number, size) {
  return `${tag}:${String(number).padStart(8, "0")}:`.padEnd(size, ".");
}

/** @param {string} prefix @param {number} number */
export function topicName(prefix, number) {
  return prefix + String(number).padStart(5, "0");
}

/** @param {Buffer[]} left @param {Buffer[]} right */
export function sameMessage(left, right) {
  return left.length === right.length && left.every((frame, index) => frame.equals(right[index]));
}

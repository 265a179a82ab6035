/**
 * The ways in which a stream can reach a decoder. Whatever the kernel does to the borders, the outcome has to be the
 * same.
 */
import { Random } from "../helpers/random.ts";

/** Octets from text like "00 0161": what is written for reading is left out. */
export function hex(text: string): Buffer {
  const digits = text.replace(/\s+/g, "");
  const bytes = Buffer.from(digits, "hex");
  if (bytes.length * 2 !== digits.length) throw new Error(`not hexadecimal: ${text}`);
  return bytes;
}

/** An own copy, as a read from the kernel gives it. */
function fresh(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Cuts a stream into random pieces; small ones and large ones. */
export function cut(bytes: Buffer, random: Random): Buffer[] {
  const chunks: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const count = 1 + random.below(random.below(10) < 5 ? 12 : 1 + bytes.length);
    chunks.push(fresh(bytes.subarray(offset, offset + count)));
    offset += count;
  }
  return chunks;
}

/** The stream as one view into a larger buffer. */
function shifted(bytes: Buffer): Buffer[] {
  const padded = Buffer.alloc(bytes.length + 31, 0xee);
  bytes.copy(padded, 13);
  return [padded.subarray(13, 13 + bytes.length)];
}

/** All four deliveries, by name: whole, byte by byte, randomly split, and from a Buffer with an offset. */
export function deliveries(bytes: Buffer, seed = 1): [name: string, chunks: Buffer[]][] {
  return [
    ["whole", [fresh(bytes)]],
    ["byte by byte", Array.from(bytes, (octet) => fresh(Uint8Array.of(octet)))],
    ["randomly split", cut(bytes, new Random(seed))],
    ["with an offset", shifted(bytes)],
  ];
}

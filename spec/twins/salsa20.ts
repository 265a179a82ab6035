/**
 * Salsa20 as its specification writes it down, one block at a time: what the kernel of src/crypto/salsa20.ts has to
 * equal.
 */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

// biome-ignore format: a table.
const QUARTERS = [
  [0, 4, 8, 12], [5, 9, 13, 1], [10, 14, 2, 6], [15, 3, 7, 11],
  [0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14],
];

function rotated(value: number, left: number): number {
  return (value << left) | (value >>> (32 - left));
}

/** 64 octets of the key stream. */
export function salsa20Block(key: Buffer, nonce: Buffer, block: bigint): Buffer {
  const k = (word: number) => key.readInt32LE(4 * word);
  const low = Number(block & 0xffffffffn);
  const high = Number((block >> 32n) & 0xffffffffn);
  const initial = Int32Array.of(
    ...[SIGMA[0], k(0), k(1), k(2), k(3), SIGMA[1], nonce.readInt32LE(0), nonce.readInt32LE(4)],
    ...[low, high, SIGMA[2], k(4), k(5), k(6), k(7), SIGMA[3]],
  );
  const x = Int32Array.from(initial);
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of QUARTERS) {
      x[b] ^= rotated(x[a] + x[d], 7);
      x[c] ^= rotated(x[b] + x[a], 9);
      x[d] ^= rotated(x[c] + x[b], 13);
      x[a] ^= rotated(x[d] + x[c], 18);
    }
  }
  const out = Buffer.alloc(64);
  for (let word = 0; word < 16; word++) out.writeInt32LE((x[word] + initial[word]) | 0, 4 * word);
  return out;
}

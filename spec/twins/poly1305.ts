/**
 * Poly1305 as its paper writes it down, in one large number: what the kernel of src/crypto/poly1305.ts has to equal.
 */
const PRIME = (1n << 130n) - 5n;
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
}

export function poly1305(message: Buffer, key: Buffer): Buffer {
  const r = littleEndian(key.subarray(0, 16)) & CLAMP;
  let h = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = Buffer.concat([message.subarray(at, at + 16), Buffer.of(1)]);
    h = ((h + littleEndian(block)) * r) % PRIME;
  }
  const tag = BigInt.asUintN(128, h + littleEndian(key.subarray(16)));
  return Buffer.from(tag.toString(16).padStart(32, "0"), "hex").reverse();
}

/** Secrets that people choose, kept and compared as digests. */
import { createHash, timingSafeEqual } from "node:crypto";

/** The SHA-256 digest. */
export function digestOf(secret: string | Uint8Array): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** True when two digests are the same; takes a time that tells nothing. */
export function sameDigest(one: Buffer, other: Buffer): boolean {
  return timingSafeEqual(one, other);
}

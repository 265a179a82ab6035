/**
 * Loads the cryptographic library when it is first needed, and makes keys.
 *
 * The library is large, so it is a bundle of its own. Loading it is synchronous, since neither `connect()` nor the
 * setter of an option can wait; it takes about twelve milliseconds, once in a process.
 */
import { randomBytes } from "node:crypto";
import { errnoError } from "../base/errors.ts";
import { type Crypto, KEY_BYTES } from "./crypto.ts";
import type * as Sodium from "./sodium.ts";

/** Gives `size` unpredictable octets. Injected, so that tests can repeat a recorded session. */
export type Random = (size: number) => Buffer;

export const systemRandom: Random = (size) => randomBytes(size);

export interface KeyPair {
  readonly publicKey: Buffer;
  readonly secretKey: Buffer;
}

let loaded: Crypto | undefined;

/**
 * The library.
 * @throws ErrnoError ENOTSUP where there is no WebAssembly (`node --jitless`).
 */
export function loadCrypto(): Crypto {
  if (!("WebAssembly" in globalThis)) throw errnoError("ENOTSUP", undefined, "CURVE needs WebAssembly");
  // The build turns the path into that of the second bundle; tests bundle the file in place. Either way it is evaluated
  // here.
  loaded ??= (require("./sodium.ts") as typeof Sodium).sodium;
  return loaded;
}

/** A new key pair. */
export function keyPair(crypto: Crypto = loadCrypto(), random: Random = systemRandom): KeyPair {
  const secretKey = random(KEY_BYTES);
  return { secretKey, publicKey: crypto.publicKeyOf(secretKey) };
}

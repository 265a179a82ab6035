/**
 * The cryptography once more, by another library and in the plainest way: what src/crypto/sodium.ts is compared with,
 * and the proof that its interface does not depend on WebAssembly. Slow: a stream computes its key stream anew for each
 * piece.
 */
import { poly1305 } from "@noble/ciphers/_poly1305.js";
import { hsalsa, xsalsa20, xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { x25519 } from "@noble/curves/ed25519.js";
import {
  type Crypto,
  DESK_AREA_BYTES,
  MARGIN_BYTES,
  type MessageCipher,
  type MessageStream,
  TAG_BYTES,
} from "../../src/crypto/crypto.ts";

const memory = Buffer.alloc(MARGIN_BYTES + 3 * DESK_AREA_BYTES);
const input = MARGIN_BYTES;

/** Little-endian words. */
function words(bytes: Uint8Array): Uint32Array {
  const copy = Uint8Array.from(bytes);
  return new Uint32Array(copy.buffer);
}

export function hsalsa20(key: Uint8Array, block: Uint8Array): Buffer {
  const out = new Uint32Array(8);
  hsalsa(words(Buffer.from("expand 32-byte k")), words(key), words(block), out);
  return Buffer.from(out.buffer);
}

class NobleStream implements MessageStream {
  readonly #key: Uint8Array;
  readonly #nonce: Uint8Array;
  readonly #sealed: Buffer[] = [];
  #position = MARGIN_BYTES;

  constructor(key: Uint8Array, nonce: Uint8Array) {
    this.#key = key;
    this.#nonce = nonce;
  }

  seal(source: Buffer, from: number, to: number, target: Buffer, offset: number): void {
    const piece = Buffer.from(this.#crypt(source.subarray(from, to)));
    target.set(piece, offset);
    this.#sealed.push(piece);
  }

  open(source: Buffer, from: number, to: number, target: Buffer, offset: number): void {
    const piece = Buffer.from(source.subarray(from, to));
    this.#sealed.push(piece);
    target.set(this.#crypt(piece), offset);
  }

  tag(): Buffer {
    const key = xsalsa20(this.#key, this.#nonce, new Uint8Array(MARGIN_BYTES));
    return Buffer.from(poly1305(Buffer.concat(this.#sealed), key));
  }

  verify(expected: Uint8Array): boolean {
    return this.tag().equals(expected);
  }

  #crypt(piece: Uint8Array): Uint8Array {
    const padded = Buffer.concat([Buffer.alloc(this.#position), piece]);
    const crypted = xsalsa20(this.#key, this.#nonce, padded).subarray(this.#position);
    this.#position += piece.length;
    return crypted;
  }
}

class NobleCipher implements MessageCipher {
  readonly #key: Uint8Array;
  readonly #prefix: Uint8Array;

  constructor(key: Uint8Array, prefix: Uint8Array) {
    this.#key = Uint8Array.from(key);
    this.#prefix = Uint8Array.from(prefix);
  }

  select(): void {}

  seal(at: number, length: number, counterHigh: number, counterLow: number): void {
    const counter = Buffer.alloc(8);
    counter.writeUInt32BE(counterHigh, 0);
    counter.writeUInt32BE(counterLow, 4);
    const start = at + MARGIN_BYTES;
    const message = memory.subarray(start, start + length);
    memory.set(xsalsa20poly1305(this.#key, this.#nonce(counter)).encrypt(message), start - TAG_BYTES);
  }

  open(at: number, length: number): boolean {
    const start = at + MARGIN_BYTES;
    const nonce = this.#nonce(memory.subarray(at + 8, at + 16));
    const message = noble.openSealed(this.#key, nonce, memory.subarray(start - TAG_BYTES, start + length));
    if (message !== undefined) memory.set(message, desk.opened);
    return message !== undefined;
  }

  stream(counter: Uint8Array): MessageStream {
    return new NobleStream(this.#key, this.#nonce(counter));
  }

  wipe(): void {
    this.#key.fill(0);
  }

  #nonce(counter: Uint8Array): Buffer {
    return Buffer.concat([this.#prefix, counter]);
  }
}

const desk = {
  memory,
  view: new DataView(memory.buffer, memory.byteOffset, memory.length),
  input,
  output: input + DESK_AREA_BYTES,
  opened: input + 2 * DESK_AREA_BYTES,
};

const noble = {
  /** The message, undefined when it is not authentic: noble throws. */
  openSealed(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
    try {
      return xsalsa20poly1305(key, nonce).decrypt(sealed);
    } catch {
      return undefined;
    }
  },
  /** The shared secret; undefined when it is zero: noble throws. */
  shared(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
    try {
      return x25519.getSharedSecret(secretKey, publicKey);
    } catch {
      return undefined;
    }
  },
};

export const nobleCrypto: Crypto = {
  desk,
  publicKeyOf: (secretKey) => Buffer.from(x25519.getPublicKey(secretKey)),
  precompute(secretKey, publicKey) {
    const shared = noble.shared(secretKey, publicKey);
    return shared && hsalsa20(shared, Buffer.alloc(16));
  },
  box: (key, nonce, message) => Buffer.from(xsalsa20poly1305(key, nonce).encrypt(message)),
  openBox(key, nonce, sealed) {
    const message = noble.openSealed(key, nonce, sealed);
    return message && Buffer.from(message);
  },
  cipher: (key, noncePrefix) => new NobleCipher(key, noncePrefix),
};

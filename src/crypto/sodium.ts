/**
 * libsodium, compiled to WebAssembly by its own project, without the wrapper that the package puts around it: keys,
 * nonces and messages are written straight into the library's memory. With two kernels of our own for what messages are
 * made of, since the library alone does not keep up with libzmq. This file is the whole of the lazily loaded bundle.
 *
 * | what                                            | by                                             |
 * |-------------------------------------------------|------------------------------------------------|
 * | X25519, HSalsa20, boxes of the handshake        | the library                                    |
 * | Salsa20 of messages, by groups of four blocks   | salsa20.ts; the library where there is no SIMD |
 * | Salsa20 of messages, the one or two blocks over | the library                                    |
 * | Poly1305 of messages                            | poly1305.ts                                    |
 *
 * Memory. The library's own part ends where its memory ended at start. No function used here allocates, so that the
 * pages that are added behind it are ours alone, never move, and hold
 *
 *     KEY 64 | SECRET 64 | NONCE and TAG 64 | AUTHENTICATOR 64 | STATE 64 | 80 | INPUT | 32 | OPENED | OUTPUT
 *
 * CURVE's nonce is 16 octets that never change in one direction and an 8-octet counter, and XSalsa20 is HSalsa20(key,
 * first 16 octets) followed by Salsa20 under that subkey: so the subkey is computed once per connection, not once per
 * message.
 *
 * Measured with bench/micro/crypto.mjs (microseconds to seal one message; Xeon at 2.9 GHz, Node 20, best of seven
 * rounds):
 *
 *     octets                               10     100    1024   65536
 *     this file                          0.20    0.31    1.62      94
 *       with libsodium's Poly1305        0.25    0.37    1.84     106
 *       and with its Salsa20             0.25    0.59    3.2      200
 *     crypto_secretbox in WebAssembly    0.36    0.73    3.4      198
 *     noble (JavaScript)                 5.1     6.0    14.4      561
 *     tweetnacl (JavaScript)             1.5     4.0    12.9      704
 *     node:crypto has X25519, but no Salsa20; one key agreement takes it 651, libsodium here 116
 *
 * With it a message of 10, 1024 or 65536 octets takes both ends of PUSH/PULL together 1.05, 6.8 and 291 microseconds of
 * processor time, and libzmq 1.23, 4.9 and 162: its libsodium uses vectors twice as wide as WebAssembly has. What is
 * left to gain is to let Salsa20 and Poly1305 overlap in one kernel: measured 77 for 65536 octets instead of 87,
 * without the copies.
 */
import { timingSafeEqual } from "node:crypto";
import { base64 } from "sodium:wasm";
import {
  type Crypto,
  DESK_AREA_BYTES,
  DESK_BYTES,
  type Desk,
  KEY_BYTES,
  MARGIN_BYTES,
  type MessageCipher,
  type MessageStream,
  NONCE_BYTES,
  TAG_BYTES,
} from "./crypto.ts";
import { POLY1305_STATE_BYTES, type Poly1305, poly1305Code } from "./poly1305.ts";
import { GROUP_BYTES, type Salsa20, salsa20Code } from "./salsa20.ts";

/** The part of WebAssembly that is used: Node's types do not describe it. */
declare const WebAssembly: {
  validate(source: Uint8Array): boolean;
  Module: new (source: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Addresses and 64-bit lengths as two halves, the low one first; 0 is success. */
type Native = (...values: number[]) => number;

/**
 * Answers what the library could ask of its surroundings: its random source, more memory, the end of the program. None
 * of it is called here.
 */
const NO_IMPORTS = new globalThis.Proxy({}, { get: () => () => 0 });

const PAGE_BYTES = 65536;
const BLOCK_BYTES = 64;
const AUTHENTICATED_BYTES = 16;
const COUNTER_BYTES = 8;

const {
  memory: pages,
  crypto_box_beforenm: beforenm,
  crypto_core_hsalsa20: hsalsa20,
  crypto_scalarmult_base: scalarmultBase,
  crypto_secretbox_easy: secretbox,
  crypto_secretbox_open_easy: secretboxOpen,
  crypto_stream_salsa20_xor_ic: xorLibrary,
} = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(base64, "base64")), { a: NO_IMPORTS })
  .exports as Record<string, Native> & { memory: Memory };

const KEY: number = pages.buffer.byteLength;
const SECRET: number = KEY + 64;
const NONCE: number = SECRET + 64;
const TAG: number = NONCE + COUNTER_BYTES;
const AUTHENTICATOR: number = NONCE + 64;
const STATE: number = AUTHENTICATOR + 64;
/** A state that nobody writes. */
const NO_STATE: number = STATE + 64;
const INPUT: number = NO_STATE + 64 + AUTHENTICATED_BYTES;
const OPENED: number = INPUT + DESK_AREA_BYTES + MARGIN_BYTES;
const OUTPUT: number = OPENED + DESK_AREA_BYTES;
const END: number = OUTPUT + DESK_AREA_BYTES + GROUP_BYTES;

pages.grow(Math.ceil((END - KEY) / PAGE_BYTES));
const memory: Buffer = Buffer.from(pages.buffer);
const view: DataView = new DataView(pages.buffer);

/** Puts one of our kernels into the library's memory. */
function place(code: Uint8Array): unknown {
  return new WebAssembly.Instance(new WebAssembly.Module(code), { "": { memory: pages } }).exports.run;
}

const poly1305 = place(poly1305Code()) as Poly1305;
const salsa20 = placeSalsa20();

/** Undefined where there is no SIMD. */
function placeSalsa20(): Salsa20 | undefined {
  const code = salsa20Code();
  return WebAssembly.validate(code) ? (place(code) as Salsa20) : undefined;
}

/**
 * Xors with the key stream from a block on, under KEY and NONCE. Groups of four blocks go to the faster code, and so
 * does a rest that takes the library longer than a whole group takes that: up to GROUP_BYTES - 1 octets behind the end
 * are destroyed.
 */
function xor(output: number, input: number, length: number, block: number): void {
  const grouped = salsa20 === undefined ? 0 : (length + GROUP_BYTES / 2 - 1) & -GROUP_BYTES;
  if (grouped > 0) salsa20!(output, input, grouped, KEY, NONCE, block, block / 0x100000000);
  if (grouped >= length) return;
  const rest = block + grouped / BLOCK_BYTES;
  xorLibrary(output + grouped, input + grouped, length - grouped, 0, NONCE, rest, rest / 0x100000000, KEY);
}

/** Puts octets on the desk; a wrong size is a mistake of the caller, and must not reach a neighbour. */
function put(bytes: Uint8Array, at: number, size: number): void {
  if (bytes.length !== size) throw new RangeError(`${bytes.length} octets where ${size} belong`);
  memory.set(bytes, at);
}

/** Moves octets off the desk into memory of their own, not the shared pool: most are secret. */
function take(at: number, length: number): Buffer {
  const copy = Buffer.alloc(length);
  memory.copy(copy, 0, at, at + length);
  memory.fill(0, at, at + length);
  return copy;
}

/** Clears what the handshake's functions were given. */
function clear(inputBytes = 0): void {
  memory.fill(0, KEY, STATE);
  memory.fill(0, INPUT, INPUT + inputBytes);
}

class SodiumStream implements MessageStream {
  readonly #subkey: Buffer;
  readonly #counter: Buffer;
  /** The key of the authenticator. */
  readonly #authenticator: Buffer;
  readonly #state: Buffer = Buffer.alloc(POLY1305_STATE_BYTES);
  /** Sealed octets that do not fill a block of the authenticator. */
  readonly #rest: Buffer = Buffer.alloc(AUTHENTICATED_BYTES);
  #restBytes = 0;
  /** Octets of the key stream that are used up; the first 32 are the authenticator's key. */
  #position = MARGIN_BYTES;

  constructor(subkey: Buffer, counter: Uint8Array) {
    this.#subkey = subkey;
    this.#counter = Buffer.from(counter);
    memory.set(subkey, KEY);
    memory.set(counter, NONCE);
    memory.fill(0, AUTHENTICATOR, AUTHENTICATOR + MARGIN_BYTES);
    xor(AUTHENTICATOR, AUTHENTICATOR, MARGIN_BYTES, 0);
    this.#authenticator = take(AUTHENTICATOR, MARGIN_BYTES);
  }

  seal(source: Buffer, from: number, to: number, target: Buffer, offset: number): void {
    this.#select();
    for (let at = from; at < to; at += DESK_BYTES) {
      const length = Math.min(DESK_BYTES, to - at);
      const start = this.#lay(source, at, at + length);
      this.#crypt(start, length);
      this.#authenticate(start, length);
      memory.copy(target, offset + at - from, start, start + length);
    }
    memory.copy(this.#state, 0, STATE, STATE + POLY1305_STATE_BYTES);
  }

  open(source: Buffer, from: number, to: number, target: Buffer, offset: number): void {
    this.#select();
    for (let at = from; at < to; at += DESK_BYTES) {
      const length = Math.min(DESK_BYTES, to - at);
      const start = this.#lay(source, at, at + length);
      this.#authenticate(start, length);
      this.#crypt(start, length);
      memory.copy(target, offset + at - from, start, start + length);
    }
    memory.copy(this.#state, 0, STATE, STATE + POLY1305_STATE_BYTES);
  }

  tag(): Buffer {
    this.#select();
    memory.set(this.#rest, INPUT);
    poly1305(TAG, INPUT, this.#restBytes, AUTHENTICATOR, STATE);
    this.#authenticator.fill(0);
    return take(TAG, TAG_BYTES);
  }

  verify(expected: Uint8Array): boolean {
    return timingSafeEqual(this.tag(), expected);
  }

  #select(): void {
    memory.set(this.#subkey, KEY);
    memory.set(this.#counter, NONCE);
    memory.set(this.#authenticator, AUTHENTICATOR);
    memory.set(this.#state, STATE);
  }

  /**
   * Lays a piece where its first octet is as far into a block as the key stream is: the cipher begins at whole blocks
   * only. What is in front of it there is garbage and comes out as garbage.
   */
  #lay(source: Buffer, from: number, to: number): number {
    const start = INPUT + (this.#position % BLOCK_BYTES);
    source.copy(memory, start, from, to);
    return start;
  }

  #crypt(start: number, length: number): void {
    xor(INPUT, INPUT, start - INPUT + length, Math.floor(this.#position / BLOCK_BYTES));
    this.#position += length;
  }

  /** The authenticator takes whole blocks: what is over waits, and is laid in front of the next piece. */
  #authenticate(start: number, length: number): void {
    const from = start - this.#restBytes;
    const total = this.#restBytes + length;
    const over = total % AUTHENTICATED_BYTES;
    this.#rest.copy(memory, from, 0, this.#restBytes);
    poly1305(0, from, total - over, AUTHENTICATOR, STATE);
    memory.copy(this.#rest, 0, from + total - over, from + total);
    this.#restBytes = over;
  }
}

class SodiumCipher implements MessageCipher {
  readonly #subkey: Buffer;

  constructor(key: Uint8Array, noncePrefix: Uint8Array) {
    put(key, SECRET, KEY_BYTES);
    put(noncePrefix, NONCE, NONCE_BYTES - COUNTER_BYTES);
    hsalsa20(KEY, NONCE, SECRET, 0);
    this.#subkey = take(KEY, KEY_BYTES);
    clear();
  }

  select(): void {
    memory.set(this.#subkey, KEY);
  }

  seal(at: number, length: number, counterHigh: number, counterLow: number): void {
    view.setUint32(NONCE, counterHigh);
    view.setUint32(NONCE + 4, counterLow);
    clearMargin(at);
    xor(at, at, MARGIN_BYTES + length, 0);
    poly1305(at + TAG_BYTES, at + MARGIN_BYTES, length, at, NO_STATE);
  }

  open(at: number, length: number): boolean {
    view.setInt32(NONCE, view.getInt32(at + COUNTER_BYTES));
    view.setInt32(NONCE + 4, view.getInt32(at + COUNTER_BYTES + 4));
    const [tag0, tag1] = [view.getInt32(at + TAG_BYTES), view.getInt32(at + TAG_BYTES + 4)];
    const [tag2, tag3] = [view.getInt32(at + TAG_BYTES + 8), view.getInt32(at + TAG_BYTES + 12)];
    clearMargin(at);
    xor(OPENED - MARGIN_BYTES, at, MARGIN_BYTES + length, 0);
    poly1305(TAG, at + MARGIN_BYTES, length, OPENED - MARGIN_BYTES, NO_STATE);
    // All four words are compared whichever differs: how long it takes tells nothing.
    const differs =
      (tag0 ^ view.getInt32(TAG)) |
      (tag1 ^ view.getInt32(TAG + 4)) |
      (tag2 ^ view.getInt32(TAG + 8)) |
      (tag3 ^ view.getInt32(TAG + 12));
    if (differs === 0) return true;
    memory.fill(0, OPENED, OPENED + length + GROUP_BYTES);
    return false;
  }

  stream(counter: Uint8Array): MessageStream {
    return new SodiumStream(this.#subkey, counter);
  }

  wipe(): void {
    this.#subkey.fill(0);
    clear();
  }
}

/** Zeros, which Salsa20 turns into the authenticator's key. */
function clearMargin(at: number): void {
  view.setFloat64(at, 0);
  view.setFloat64(at + 8, 0);
  view.setFloat64(at + 16, 0);
  view.setFloat64(at + 24, 0);
}

function publicKeyOf(secretKey: Uint8Array): Buffer {
  put(secretKey, SECRET, KEY_BYTES);
  scalarmultBase(KEY, SECRET);
  const publicKey = take(KEY, KEY_BYTES);
  clear();
  return publicKey;
}

function precompute(secretKey: Uint8Array, publicKey: Uint8Array): Buffer | undefined {
  put(secretKey, SECRET, KEY_BYTES);
  put(publicKey, SECRET + KEY_BYTES, KEY_BYTES);
  const failed = beforenm(KEY, SECRET + KEY_BYTES, SECRET) !== 0;
  const key = take(KEY, KEY_BYTES);
  clear();
  return failed ? undefined : key;
}

/** Lays out what both directions of a box need. */
function lay(key: Uint8Array, nonce: Uint8Array, message: Uint8Array): void {
  if (message.length > DESK_BYTES) throw new RangeError(`a box of ${message.length} octets`);
  put(key, KEY, KEY_BYTES);
  put(nonce, NONCE, NONCE_BYTES);
  memory.set(message, INPUT);
}

function box(key: Uint8Array, nonce: Uint8Array, message: Uint8Array): Buffer {
  lay(key, nonce, message);
  secretbox(OPENED, INPUT, message.length, 0, NONCE, KEY);
  clear(message.length);
  return take(OPENED, message.length + TAG_BYTES);
}

function openBox(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  lay(key, nonce, sealed);
  const failed = secretboxOpen(OPENED, INPUT, sealed.length, 0, NONCE, KEY) !== 0;
  clear(sealed.length);
  const message = take(OPENED, sealed.length - TAG_BYTES);
  return failed ? undefined : message;
}

const desk: Desk = { memory, view, input: INPUT, output: OUTPUT, opened: OPENED };

export const sodium: Crypto = {
  desk,
  publicKeyOf,
  precompute,
  box,
  openBox,
  cipher: (key, noncePrefix) => new SodiumCipher(key, noncePrefix),
};

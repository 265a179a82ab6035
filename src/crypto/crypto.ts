/**
 * The cryptography that CURVE needs, as an interface. Everything here is NaCl's: X25519 to agree on a key,
 * XSalsa20-Poly1305 to seal (`box` in NaCl's words, https://nacl.cr.yp.to/box.html). The primitives come from a
 * library; this file says what the mechanism asks of one, so that another can take its place.
 * `spec/twins/noble-crypto.ts` is such another.
 *
 * Two kinds of use, two shapes:
 * - the handshake seals four small things per connection: `box` and `openBox`, a Buffer in, a Buffer out;
 * - messages are sealed by the million: a `MessageCipher` works in place in one fixed piece of memory, the *desk*, so
 *   that sealing allocates nothing, and a batch crosses between JavaScript's memory and the library's once. Long
 *   messages stream through it.
 *
 * This file holds types and sizes only; load.ts loads the library.
 */

/** A public key, a secret key, a precomputed one. */
export const KEY_BYTES = 32;

/** The nonce of a box. Never twice with the same key. */
export const NONCE_BYTES = 24;

/** The authenticator in front of everything sealed. */
export const TAG_BYTES = 16;

/** The part of a message's nonce that stays the same in one direction of a connection. */
export const NONCE_PREFIX_BYTES = 16;

/** Octets in front of a message on the desk: 16 that a cipher may overwrite, then the tag. */
export const MARGIN_BYTES = 32;

export interface Crypto {
  /** The memory that its ciphers work in. */
  readonly desk: Desk;
  /** The public key that belongs to a secret key: any 32 octets are one. */
  publicKeyOf(secretKey: Uint8Array): Buffer;
  /** The key that two parties share; `undefined` when the public key is one of the few that give everybody the same. */
  precompute(secretKey: Uint8Array, publicKey: Uint8Array): Buffer | undefined;
  /** Seals a message of at most DESK_BYTES: tag and ciphertext. */
  box(key: Uint8Array, nonce: Uint8Array, message: Uint8Array): Buffer;
  /** Opens what `box` sealed; `undefined` when it is not authentic. */
  openBox(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Buffer | undefined;
  /** Makes the cipher of one direction of one connection: it seals or opens its messages. */
  cipher(key: Uint8Array, noncePrefix: Uint8Array): MessageCipher;
}

/** Octets of a batch on the desk. */
export const DESK_BYTES = 65536;

/**
 * Messages up to here are sealed and opened on the desk; longer ones stream into memory of their own, which the decoder
 * then views.
 */
export const DESK_MESSAGE_BYTES = 8192;

/** Each area of the desk takes a batch and one more short message with all that is around it. */
export const DESK_AREA_BYTES: number = DESK_BYTES + DESK_MESSAGE_BYTES + 64;

/**
 * Where ciphers work. There is one in the process, for all connections: nothing on it outlives the synchronous call of
 * whoever uses it.
 */
export interface Desk {
  readonly memory: Buffer;
  /** The same octets. */
  readonly view: DataView;
  /** Area for what came from the peer, opened in place. Streams use it too. */
  readonly input: number;
  /** Area where a batch is put together: sealed frames, or opened ones. */
  readonly output: number;
  /** Where `open()` leaves the message that it opened. */
  readonly opened: number;
}

/**
 * A message on the desk, at `at`:
 *
 *     0            8             16        32
 *     | overwritten | counter (8) | tag (16) | message (length)
 *
 * The layout is that of a CURVE MESSAGE's body, whose first eight octets are its name, and at the same time what NaCl's
 * own functions want: 32 octets in front of the message, which become the key of the authenticator.
 */
export interface MessageCipher {
  /** Puts the key on the desk: before the first `seal` or `open` of each batch. */
  select(): void;
  /**
   * Seals in place: the tag is at `at + 16` afterwards, octets `at` to `at + 15` hold nothing. Up to 255 octets behind
   * the message are destroyed.
   */
  seal(at: number, length: number, counterHigh: number, counterLow: number): void;
  /** Opens; the message is at `desk.opened` afterwards. False when it is not authentic. Destroys what was at `at`. */
  open(at: number, length: number): boolean;
  /**
   * Begins a message of any length that passes by in pieces. `counter` is its eight octets. May be used between
   * batches.
   */
  stream(counter: Uint8Array): MessageStream;
  /** Forgets the key. */
  wipe(): void;
}

/** One message on its way. Opening gives octets that nobody vouches for until `tag()` was compared. */
export interface MessageStream {
  /** Seals the next piece, `source[from..to)`, into `target` at `offset`. */
  seal(source: Buffer, from: number, to: number, target: Buffer, offset: number): void;
  /** Opens the next piece, `source[from..to)`, into `target` at `offset`. */
  open(source: Buffer, from: number, to: number, target: Buffer, offset: number): void;
  /** The authenticator of all pieces: ends the stream. */
  tag(): Buffer;
  /** Ends the stream; true when the authenticator is the expected one. Takes the same time for every wrong one. */
  verify(expected: Uint8Array): boolean;
}

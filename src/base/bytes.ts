/**
 * Byte helpers that several layers share. Everything here takes and gives octets; nothing knows what they mean.
 */
import { constants } from "node:buffer";
import { types } from "node:util";
import { GROW_FACTOR, SHORT_TEXT_CHARACTERS, SMALL_BUFFERS_BYTES } from "./constants.ts";
import { IS_NODE } from "./runtime.ts";

/** The empty body. One for all: it has no octet that somebody could change. */
export const EMPTY: Buffer = Buffer.alloc(0);

/** The largest buffer that the runtime can make. */
export const LARGEST_BUFFER_BYTES: number = constants.MAX_LENGTH;

/** Makes a `Buffer` of memory that is there already. */
export type ViewClass = new (memory: ArrayBufferLike, start: number, length: number) => Buffer;

/** For runtimes whose class of buffers cannot be asked for. */
export const CheckedView: ViewClass = function view(memory: ArrayBuffer, start: number, length: number): Buffer {
  return Buffer.from(memory, start, length);
} as unknown as ViewClass;

/**
 * The class that buffers are instances of, by the language's own way of asking for it: without the checks of
 * `Buffer.from()` it makes one in half of the time (bench/micro/tunings.mjs). Where the answer is `Buffer` itself,
 * calling it would be deprecated.
 */
export function viewClass(buffer: typeof Buffer): ViewClass {
  const species: unknown = (buffer as unknown as { [Symbol.species]?: unknown })[Symbol.species];
  const isClass = typeof species === "function" && species !== buffer && species.prototype === buffer.prototype;
  return isClass ? (species as ViewClass) : CheckedView;
}

export const View: ViewClass = viewClass(Buffer);

/**
 * The octets of a view with elements of any kind; `undefined` for what is no view. Asked of the value itself: the
 * classes of another realm, such as a `vm` context or the sandbox of a test runner, are not this one's.
 */
export function viewOctets(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return ArrayBuffer.isView(value) ? new View(value.buffer, value.byteOffset, value.byteLength) : undefined;
}

/** The same, and of memory itself, which may be shared. */
export function octetsOf(value: unknown): Uint8Array | undefined {
  return types.isAnyArrayBuffer(value) ? new View(value, 0, value.byteLength) : viewOctets(value);
}

/** Memory in newer runtimes tells whether it is resizable; memory that threads share tells nothing. */
interface Resizable {
  readonly resizable?: boolean;
}

/** The body itself, to be referenced; or a copy of it, if its memory may shrink, or be changed by another thread. */
export function steady(body: Uint8Array): Uint8Array {
  const memory = body.buffer;
  const { resizable = types.isSharedArrayBuffer(memory) } = memory as Resizable;
  return resizable ? ownCopy(body) : body;
}

/** True when a message has lost memory since it was sent: it was transferred, to a thread for instance. */
export function isMissing(frames: readonly Uint8Array[]): boolean {
  for (let i = 0; i < frames.length; i++) if (frames[i].length === 0 && isDetached(frames[i].buffer)) return true;
  return false;
}

/** `detached` itself is younger than the runtimes that are supported. */
function isDetached(memory: ArrayBufferLike): boolean {
  if (memory.byteLength > 0) return false;
  try {
    return new Uint8Array(memory).length > 0;
  } catch {
    return true;
  }
}

let mark: ((memory: object) => void) | undefined;

/**
 * Finds the function that marks memory; one that does nothing where the runtime has no such mark, or one that only
 * throws.
 */
function findMark(): (memory: object) => void {
  try {
    // Looked for when it is first needed, since it loads all of Node's threads.
    const { markAsUntransferable } = process.getBuiltinModule("node:worker_threads");
    markAsUntransferable({});
    return markAsUntransferable;
  } catch {
    return () => {};
  }
}

/**
 * Marks memory that several buffers lie in, as Node does its pool: a thread that was given one would take all of them.
 */
export function keepInThread(memory: ArrayBufferLike): void {
  mark ??= findMark();
  mark(memory);
}

/** Memory for small buffers, taken from its start on; a new page follows a full one. */
let page = new ArrayBuffer(0);
let pageOffset = 0;

/** A buffer of a few octets, zeros or not, that shares its memory with others of its age. */
export function smallBuffer(length: number): Buffer {
  if (pageOffset + length > page.byteLength) {
    page = new ArrayBuffer(SMALL_BUFFERS_BYTES);
    keepInThread(page);
    pageOffset = 0;
  }
  const buffer = new View(page, pageOffset, length);
  // The next one starts where whole words do.
  pageOffset += (length + 7) & ~7;
  return buffer;
}

/** The octets of a text in UTF-8. */
export function textBuffer(text: string): Buffer {
  const { length } = text;
  if (length > SHORT_TEXT_CHARACTERS) return Buffer.from(text);
  const buffer = smallBuffer(length);
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return Buffer.from(text);
    buffer[i] = code;
  }
  return buffer;
}

/** Lower-cases A to Z and leaves every other octet alone: how ZMTP compares the names of properties. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Overwrites secrets that are no longer needed. */
export function wipe(...secrets: (Uint8Array | undefined)[]): void {
  for (const secret of secrets) secret?.fill(0);
}

/** An own copy that shares memory with nothing, not even with a pool: for octets that stay as long as a connection. */
export function ownCopy(bytes: Uint8Array): Buffer {
  if (bytes.length === 0) return EMPTY;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Any 32-bit number: where counters that peers see start. Nothing secret hangs on it. */
export function randomUint32(): number {
  return Math.floor(Math.random() * 0x100000000);
}

/** Compares two secrets, in a time that tells only their lengths. */
export function sameSecret(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let i = 0; i < one.length; i++) difference |= one[i] ^ other[i];
  return difference === 0;
}

/** From here on glibc maps memory of its own for a piece, and unmaps it when it is let go. */
export const LARGE_BYTES = 131072;

/** Just below the largest piece that raises glibc's thresholds: with its header it has to fit into 32 MiB. */
const RAISING_BYTES = 32 * 1048576 - 65536;

let isRaised = !(IS_NODE && process.platform === "linux");

/**
 * Memory for a large body, with nothing written to it.
 *
 * Before the first one, glibc is shown a larger piece that is let go at once, without being touched: from then on it
 * takes pieces up to that size from the heap, and keeps up to twice as much free memory at its end. Otherwise each body
 * is mapped anew, or the heap is trimmed after it, and every page of 4 KiB is a fault. Measured (Node 20, a receiver of
 * 1 MiB over tcp): 120 faults a message and 2.9 ms of processor time without, 2 and 0.65 ms with; 256 KiB 45 and 1.2
 * ms, 2 and 0.4 ms (bench/micro/page-faults.mjs).
 */
export function largeBuffer(bytes: number): Buffer {
  if (!isRaised && bytes >= LARGE_BYTES) raise();
  return Buffer.allocUnsafeSlow(bytes);
}

function raise(): void {
  isRaised = true;
  try {
    const piece = new ArrayBuffer(RAISING_BYTES) as ArrayBuffer & { transfer?(bytes: number): ArrayBuffer };
    // Lets it go now; before Node 22 the collector does, soon, since so much counts.
    piece.transfer?.(0);
  } catch {
    // So much is not to be had, and large bodies are slower.
  }
}

/** Full memory of a body of `total` octets, in larger memory; undefined when there is not so much. */
export function grown(body: Buffer, total: number): Buffer | undefined {
  for (const factor of [GROW_FACTOR, 2]) {
    try {
      const larger = largeBuffer(Math.min(total, body.length * factor));
      body.copy(larger);
      return larger;
    } catch {
      // Perhaps there is room for less.
    }
  }
  return undefined;
}

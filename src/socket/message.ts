/**
 * Makes frames of what users may send: `Buffer` and other views, `ArrayBuffer`, text as UTF-8, `null` as an empty
 * frame, anything else as its text. An array is one message of several frames.
 */
import { EMPTY, octetsOf, steady, textBuffer } from "../base/bytes.ts";
import { ALWAYS_COPY_BYTES } from "../base/constants.ts";
import { type ErrnoError, errnoError } from "../base/errors.ts";

/** Anything that can be one frame. Text is sent as UTF-8; `null` is an empty frame. */
export type MessageLike = ArrayBufferView | ArrayBuffer | SharedArrayBuffer | string | number | bigint | boolean | null;

/**
 * A received frame. It may share its `ArrayBuffer` with others, which is then not transferred to a worker: send a copy.
 */
export type Message = Buffer;

/**
 * The frames of a message.
 * @throws TypeError for a missing message or a symbol
 */
export function toFrames(message: unknown): Uint8Array[] {
  if (message instanceof Uint8Array) return [message];
  if (typeof message === "string") return [textBuffer(message)];
  if (Array.isArray(message)) return listToFrames(message);
  if (message === undefined) throw missing();
  return [toFrame(message)];
}

/** `map` would leave a list of another shape than a single frame's. */
function listToFrames(parts: readonly unknown[]): Uint8Array[] {
  const { length } = parts;
  const frames: Uint8Array[] = [];
  for (let i = 0; i < length; i++) frames.push(toFrame(parts[i]));
  return frames;
}

/** A body that waits before it is written: small ones belong to the caller again as soon as `send` has returned. */
export function keep(body: Uint8Array): Uint8Array {
  return body.length <= ALWAYS_COPY_BYTES ? Buffer.from(body) : steady(body);
}

/** The error for a message that peers would cut the connection for. */
export function tooManyFrames(count: number, limit: number): ErrnoError {
  const error = errnoError("EMSGSIZE");
  error.cause = new Error(`a message of ${count} frames, and this socket may send ${limit}`);
  return error;
}

/** The error for a message that is not there. */
export function missing(): TypeError {
  return new TypeError("Message must be present");
}

function toFrame(part: unknown): Uint8Array {
  if (part instanceof Uint8Array) return part;
  if (typeof part === "string") return textBuffer(part);
  if (part === null) return EMPTY;
  return octetsOf(part) ?? asText(part);
}

let isWarned = false;

/** Anything else by its text, as in `zeromq`; the first time, numbers and the like apart, with a warning. */
function asText(part: unknown): Buffer {
  // A template refuses symbols, as it should.
  const text = `${part}`;
  const isMeant = typeof part === "number" || typeof part === "bigint" || typeof part === "boolean";
  if (!isMeant && !isWarned) {
    isWarned = true;
    const kind = Object.prototype.toString.call(part);
    process.emitWarning(`${kind} was sent as its text, which is hardly meant`, { code: "ZMTP_SENT_AS_TEXT" });
  }
  return Buffer.from(text);
}

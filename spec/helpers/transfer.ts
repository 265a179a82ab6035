/** Taking the memory of a buffer away, as transferring it to a worker does. */
import { keepInThread } from "../../src/base/bytes.ts";

/**
 * Tries it. Of memory that is marked Node 20 makes a copy; later versions throw, and so does Deno, each its own error.
 */
export function transfer(buffer: Uint8Array): void {
  try {
    structuredClone(null, { transfer: [buffer.buffer as ArrayBuffer] });
  } catch {
    // It is still there.
  }
}

/** Takes it in a way that overcomes the mark in Node before 24. */
export function enqueue(buffer: Uint8Array): void {
  let controller: ReadableByteStreamController | undefined;
  new ReadableStream({
    type: "bytes",
    start(given) {
      controller = given;
    },
  });
  try {
    controller?.enqueue(buffer);
  } catch {
    // It is still there.
  }
}

/** Whether this runtime has memory that stays. */
export function canKeep(): boolean {
  const memory = new Uint8Array(8);
  keepInThread(memory.buffer);
  transfer(memory);
  return memory.length > 0;
}

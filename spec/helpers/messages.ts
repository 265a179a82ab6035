/** Messages in tests, as text: frames are joined by "|". */
import type { Readable } from "../../src/index.ts";

/** A message as one text; octets stay what they are. */
export const joined = (frames: readonly Buffer[]): string => frames.map((frame) => frame.toString("latin1")).join("|");

/** The next message. */
export async function next(socket: Readable): Promise<string> {
  return joined(await socket.receive());
}

/** The next `count` messages. */
export async function take(socket: Readable, count: number): Promise<string[]> {
  const got: string[] = [];
  while (got.length < count) got.push(await next(socket));
  return got;
}

/** Every message that the socket has and gets, until nothing comes for a while. */
export async function drain(socket: Readable, quiet = 100): Promise<string[]> {
  const { receiveTimeout } = socket;
  socket.receiveTimeout = quiet;
  const got: string[] = [];
  try {
    for (;;) got.push(await next(socket));
  } catch (error) {
    if ((error as { code?: string }).code !== "EAGAIN") throw error;
    return got;
  } finally {
    socket.receiveTimeout = receiveTimeout;
  }
}

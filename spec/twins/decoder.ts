/**
 * The decoder once more, slow and obvious: waits for the whole stream, then reads it frame by frame. What it gives is a
 * list of lines, so that two decoders can be compared by their text.
 */
import { constants } from "node:buffer";
import type { CommandSink, Decoder, Inbox } from "../../src/codec/decoder.ts";

export const COMMAND_LIMIT = 1048576;
export const FRAMES_LIMIT = 1048576;

/** Decodes traffic. A breach of the protocol ends the list with "fault"; a cut-off frame at the end is silence. */
export function decodeSlowly(stream: Buffer, maxMessageSize: number): string[] {
  const lines: string[] = [];
  let frames: Buffer[] = [];
  let rest = stream;
  while (rest.length > 0) {
    const flags = rest[0];
    if (flags > 7 || flags === 5 || flags === 7) return [...lines, "fault"];
    const isLong = (flags & 2) !== 0;
    if (rest.length < (isLong ? 9 : 2)) break;
    const size = isLong ? rest.readBigUInt64BE(1) : BigInt(rest[1]);
    if (maxMessageSize >= 0 && size > BigInt(maxMessageSize)) return [...lines, "fault"];
    if (size > BigInt(constants.MAX_LENGTH) || ((flags & 4) !== 0 && size > COMMAND_LIMIT)) return [...lines, "fault"];
    const start = isLong ? 9 : 2;
    const end = start + Number(size);
    if (rest.length < end) break;
    const body = rest.subarray(start, end);
    rest = rest.subarray(end);
    if ((flags & 4) !== 0) {
      lines.push(`command ${body.toString("hex")}`);
      continue;
    }
    frames.push(body);
    if ((flags & 1) !== 0) {
      if (frames.length >= FRAMES_LIMIT) return [...lines, "fault"];
      continue;
    }
    lines.push(line(frames));
    frames = [];
  }
  return lines;
}

/** A message as a line. */
export function line(frames: readonly Buffer[]): string {
  return `message ${frames.map((frame) => frame.toString("hex")).join(",")}`;
}

/** An inbox that writes the same lines. */
export class Recorder implements CommandSink, Inbox {
  readonly lines: string[] = [];
  /** Every body, as the decoder gave it. */
  readonly messages: Buffer[][] = [];
  decoder: Decoder | undefined = undefined;
  /** After how many messages and commands each to stop. 0: never. */
  stopEvery = 0;

  push(frames: Buffer[]): boolean {
    this.messages.push(frames);
    this.lines.push(line(frames));
    return this.#goesOn();
  }

  onCommand(body: Buffer): boolean {
    this.lines.push(`command ${body.toString("hex")}`);
    return this.#goesOn();
  }

  #goesOn(): boolean {
    return this.stopEvery === 0 || this.lines.length % this.stopEvery !== 0;
  }
}

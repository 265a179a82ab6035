/**
 * REQ: one request, then its reply, then the next (RFC 28). Requests go to the peers round robin, behind an empty frame
 * (and an id, with `correlate`); a reply counts only when it comes from the peer that has the request, in that form.
 *
 *     ready --send--> asking --reply arrives--> answered --receive--> ready        relaxed: send is allowed in each
 *
 * Nothing is sent again: when the peer dies with the request, the reply does not come, and the caller's timeout has to
 * notice. Replies nobody asked for are dropped as they come, so the inbox of a peer stays empty.
 */
import { EMPTY, isMissing, randomUint32 } from "../base/bytes.ts";
import { MESSAGE_FRAMES } from "../base/constants.ts";
import { type ErrorCode, errnoError } from "../base/errors.ts";
import { reportMissing } from "../base/events.ts";
import type { RequestOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { LoadBalancer } from "../routing/load-balancer.ts";
import { DuplexSocket } from "./duplex.ts";
import { Pattern, type PatternSocket } from "./pattern.ts";
import { defineType, type SocketOptions } from "./socket.ts";

const ID_BYTES = 4;

class RequestPattern extends Pattern {
  readonly #out = new LoadBalancer<Pipe>();
  #state: "ready" | "asking" | "answered" = "ready";
  /** The pipe that has the request. */
  #asked: Pipe | undefined;
  #reply: Buffer[] | undefined;
  #id: Buffer | undefined;
  #counter: number;

  constructor(socket: PatternSocket) {
    super(socket);
    this.#counter = randomUint32();
  }

  override get frameLimit(): number {
    return MESSAGE_FRAMES - (this.socket.options.correlate ? 2 : 1);
  }

  override send(frames: Uint8Array[]): boolean {
    if (this.#state !== "ready" && !this.socket.options.relaxed) return false;
    const pipe = this.#out.next();
    if (pipe === undefined) return false;
    this.#state = "asking";
    this.#asked = pipe;
    this.#reply = undefined;
    if (this.socket.options.correlate) {
      this.#counter = (this.#counter + 1) >>> 0;
      this.#id = Buffer.allocUnsafe(ID_BYTES);
      this.#id.writeUInt32LE(this.#counter);
      pipe.write([this.#id, EMPTY, ...frames]);
    } else {
      this.#id = undefined;
      pipe.write([EMPTY, ...frames]);
    }
    return true;
  }

  override receive(): Buffer[] | undefined {
    const reply = this.#reply;
    if (reply === undefined) return undefined;
    if (isMissing(reply)) {
      // Lost at the last moment, it is one that does not come.
      this.#reply = undefined;
      this.#state = "asking";
      reportMissing(this.socket.events, "");
      return undefined;
    }
    this.#received();
    return reply;
  }

  override get canSend(): boolean {
    return (this.#state === "ready" || this.socket.options.relaxed) && this.#out.canSend;
  }

  override get canReceive(): boolean {
    return this.#reply !== undefined;
  }

  override get awaitsAnswer(): boolean {
    return this.#state === "asking";
  }

  override get sendFault(): ErrorCode {
    return this.#state === "ready" ? "EAGAIN" : "EFSM";
  }

  override get receiveFault(): ErrorCode {
    return this.#state === "ready" ? "EFSM" : "EAGAIN";
  }

  override attach(pipe: Pipe): void {
    if (this.socket.options.probeRouter) pipe.write([EMPTY]);
    this.#out.add(pipe);
    this.socket.wakeSender();
  }

  override deliver(pipe: Pipe, frames: Buffer[]): boolean {
    const start = envelopeLength(frames);
    if (start === 0) {
      pipe.refuse(errnoError("EPROTO", undefined, "A reply starts with an empty frame, or an id and an empty frame"));
      return true;
    }
    if (pipe !== this.#asked || this.#state !== "asking" || !this.#fits(frames, start)) return true;
    const reply = frames.slice(start);
    this.#state = "answered";
    this.#asked = undefined;
    this.last = pipe;
    if (this.socket.receiver.hand(reply)) {
      this.#received();
    } else {
      this.#reply = reply;
      this.socket.wakeReceiver();
    }
    return true;
  }

  override writable(pipe: Pipe): void {
    this.#out.add(pipe);
    this.socket.wakeSender();
  }

  override ended(pipe: Pipe): void {
    this.#out.remove(pipe);
    if (this.#asked === pipe) this.#asked = undefined;
  }

  override close(): void {
    this.#reply = undefined;
  }

  #received(): void {
    this.#reply = undefined;
    this.#state = "ready";
    this.socket.wakeSender();
  }

  /** True for a reply that carries this request's id, or none when none was sent. */
  #fits(frames: Buffer[], start: number): boolean {
    if (this.#id === undefined) return start === 1;
    return start === 2 && this.#id.equals(frames[0]);
  }
}

/**
 * Frames before the body of a reply: 1 for `[empty, …]`, 2 for `[id, empty, …]`, 0 when it is neither or has no body.
 */
function envelopeLength(frames: Buffer[]): number {
  if (frames[0].length === 0) return frames.length > 1 ? 1 : 0;
  if (frames[0].length !== ID_BYTES || frames.length < 3) return 0;
  return frames[1].length === 0 ? 2 : 0;
}

export interface Request extends RequestOptions {}

/** Asks {@link Reply} (or {@link Router}) sockets, in turn: each `send` is followed by one `receive`. */
export class Request extends DuplexSocket {
  constructor(options?: SocketOptions<Request>) {
    super(SOCKET_TYPES.REQ, options);
  }
}

defineType(Request, SOCKET_TYPES.REQ, (socket) => new RequestPattern(socket));

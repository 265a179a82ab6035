/**
 * REP: one request, then its reply, then the next (RFC 28). Requests come fairly from the peers; what stands before the
 * first empty frame is the way back, kept and put before the reply. A request without an empty frame is dropped.
 *
 *     ready --receive--> answering --send--> ready
 *
 * A reply never waits: when the peer is gone, or full, or another one answers at its endpoint, it is dropped.
 */
import { MESSAGE_FRAMES } from "../base/constants.ts";
import type { ErrorCode } from "../base/errors.ts";
import type { ReplyOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { DuplexSocket } from "./duplex.ts";
import { ReceivingPattern } from "./pattern.ts";
import { defineType, type SocketOptions } from "./socket.ts";

class ReplyPattern extends ReceivingPattern {
  override readonly knowsPeers: boolean = true;
  /** The pipe that asked last, while the answer is due. */
  #asker: Pipe | undefined;
  #envelope: Buffer[] = [];
  #isAnswering = false;

  override get frameLimit(): number {
    return MESSAGE_FRAMES - (this.#isAnswering ? this.#envelope.length : 0);
  }

  override skip(): void {
    if (!this.#isAnswering) return;
    this.#isAnswering = false;
    this.#asker = undefined;
    this.socket.wakeReceiver();
  }

  override send(frames: Uint8Array[]): boolean {
    if (!this.#isAnswering) return false;
    this.#isAnswering = false;
    const asker = this.#asker;
    this.#asker = undefined;
    if (asker !== undefined && !asker.isEnded && !asker.overflows) asker.write([...this.#envelope, ...frames]);
    this.socket.wakeReceiver();
    return true;
  }

  override receive(): Buffer[] | undefined {
    if (this.#isAnswering) return undefined;
    for (;;) {
      const frames = super.receive();
      if (frames === undefined) return undefined;
      const body = this.#open(this.last as Pipe, frames);
      if (body === undefined) continue;
      this.socket.wakeSender();
      return body;
    }
  }

  override get canSend(): boolean {
    return this.#isAnswering;
  }

  override get canReceive(): boolean {
    return !this.#isAnswering && super.canReceive;
  }

  override get sendFault(): ErrorCode {
    return "EFSM";
  }

  override get receiveFault(): ErrorCode {
    return this.#isAnswering ? "EFSM" : "EAGAIN";
  }

  override attach(): void {
    // A peer counts from its first request on.
  }

  override deliver(pipe: Pipe, frames: Buffer[]): boolean {
    if (this.#isAnswering) return false;
    const body = this.#open(pipe, frames);
    if (body === undefined) return true;
    if (super.deliver(pipe, body)) {
      this.socket.wakeSender();
      return true;
    }
    this.#isAnswering = false;
    return false;
  }

  override ended(pipe: Pipe): void {
    super.ended(pipe);
    if (this.#asker === pipe) this.#asker = undefined;
  }

  override close(): void {
    super.close();
    this.#envelope = [];
  }

  /** Keeps the envelope and returns the body; `undefined` when there is no empty frame, or nothing behind it. */
  #open(pipe: Pipe, frames: Buffer[]): Buffer[] | undefined {
    let length = 0;
    while (length < frames.length && frames[length].length > 0) length++;
    length++;
    if (length >= frames.length) return undefined;
    this.#envelope = frames.slice(0, length);
    this.#asker = pipe;
    this.#isAnswering = true;
    return frames.slice(length);
  }
}

export interface Reply extends ReplyOptions {}

/** Answers {@link Request} (or {@link Dealer}) sockets: each `receive` is followed by one `send`. */
export class Reply extends DuplexSocket {
  constructor(options?: SocketOptions<Reply>) {
    super(SOCKET_TYPES.REP, options);
  }
}

defineType(Reply, SOCKET_TYPES.REP, (socket) => new ReplyPattern(socket));

/**
 * DEALER: messages out round robin over the peers, messages in fairly from them; nothing is added or taken off (RFC
 * 28).
 */
import { EMPTY } from "../base/bytes.ts";
import type { DealerOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { LoadBalancer } from "../routing/load-balancer.ts";
import { DuplexSocket } from "./duplex.ts";
import { ReceivingPattern } from "./pattern.ts";
import { defineType, type SocketOptions } from "./socket.ts";

class DealerPattern extends ReceivingPattern {
  readonly #out = new LoadBalancer<Pipe>();
  /** Messages sent since one was received, and true when before that there was one question and one answer. */
  #questions = 0;
  #isInStep = false;

  override send(frames: Uint8Array[]): boolean {
    const pipe = this.#out.next();
    if (pipe === undefined) return false;
    pipe.write(frames);
    this.#questions++;
    return true;
  }

  /** In lock-step, one answer to each question, it is what a REQ is. */
  override get awaitsAnswer(): boolean {
    return this.#isInStep && this.#questions === 1;
  }

  override receive(): Buffer[] | undefined {
    const frames = super.receive();
    if (frames !== undefined) this.#received();
    return frames;
  }

  override deliver(pipe: Pipe, frames: Buffer[]): boolean {
    if (!super.deliver(pipe, frames)) return false;
    this.#received();
    return true;
  }

  #received(): void {
    this.#isInStep = this.#questions === 1;
    this.#questions = 0;
  }

  override get canSend(): boolean {
    return this.#out.canSend;
  }

  override attach(pipe: Pipe): void {
    if (this.socket.options.probeRouter) pipe.write([EMPTY]);
    this.#out.add(pipe);
    this.socket.wakeSender();
  }

  override connected(pipe: Pipe): void {
    const { helloMessage } = this.socket.options;
    if (helloMessage.length > 0) pipe.writeFirst([Buffer.from(helloMessage)]);
  }

  override writable(pipe: Pipe): void {
    this.#out.add(pipe);
    this.socket.wakeSender();
  }

  override disconnected(pipe: Pipe): void {
    const { hiccupMessage } = this.socket.options;
    if (hiccupMessage.length > 0 && pipe.isOutgoing) pipe.push([Buffer.from(hiccupMessage)]);
  }

  override ended(pipe: Pipe): void {
    super.ended(pipe);
    this.#out.remove(pipe);
  }
}

export interface Dealer extends DealerOptions {}

/**
 * Sends to its peers in turn and receives fairly from them: a {@link Request} or {@link Reply} without the order of
 * turns.
 */
export class Dealer extends DuplexSocket {
  constructor(options?: SocketOptions<Dealer>) {
    super(SOCKET_TYPES.DEALER, options);
  }
}

defineType(Dealer, SOCKET_TYPES.DEALER, (socket) => new DealerPattern(socket));

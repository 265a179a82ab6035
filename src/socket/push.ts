/** PUSH: messages out, round robin over the peers (RFC 30). It waits while none has room. */

import type { ConflateOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { LoadBalancer } from "../routing/load-balancer.ts";
import { WritableSocket } from "./duplex.ts";
import { Pattern } from "./pattern.ts";
import { defineType, type SocketOptions } from "./socket.ts";

class PushPattern extends Pattern {
  readonly #out = new LoadBalancer<Pipe>();

  override send(frames: Uint8Array[]): boolean {
    const pipe = this.#out.next();
    if (pipe === undefined) return false;
    pipe.write(frames);
    return true;
  }

  override get canSend(): boolean {
    return this.#out.canSend;
  }

  override attach(pipe: Pipe): void {
    this.#out.add(pipe);
    this.socket.wakeSender();
  }

  override writable(pipe: Pipe): void {
    this.#out.add(pipe);
    this.socket.wakeSender();
  }

  override ended(pipe: Pipe): void {
    this.#out.remove(pipe);
  }
}

export interface Push extends ConflateOptions {}

/**
 * Distributes messages to the {@link Pull} sockets that it is connected with, in turn; `send` waits while none can take
 * one.
 */
export class Push extends WritableSocket {
  constructor(options?: SocketOptions<Push>) {
    super(SOCKET_TYPES.PUSH, options);
  }
}

defineType(Push, SOCKET_TYPES.PUSH, (socket) => new PushPattern(socket));

/** PULL: messages in, fairly from the peers (RFC 30). */

import type { ConflateOptions } from "../option-types.ts";
import { SOCKET_TYPES } from "../options.ts";
import type { Pipe } from "../pipe.ts";
import { Pattern, Queueing } from "./pattern.ts";
import { installOptions, ReadableSocket, type SocketOptions } from "./socket.ts";

export class PullPattern extends Pattern {
  readonly #in = new Queueing();

  override receive(): Buffer[] | undefined {
    return this.#in.next();
  }

  override get canReceive(): boolean {
    return this.#in.canReceive;
  }

  override attach(): void {
    // A peer counts from its first message on.
  }

  override take(_pipe: Pipe, frames: Buffer[]): boolean {
    return this.host.hand(frames);
  }

  override readable(pipe: Pipe): void {
    this.#in.add(pipe);
    this.host.wakeReceiver();
  }

  override ended(pipe: Pipe): void {
    this.#in.ended(pipe);
  }
}

export interface Pull extends ConflateOptions {}

/** Receives what {@link Push} sockets distribute, fairly from all that it is connected with. */
export class Pull extends ReadableSocket {
  constructor(options?: SocketOptions<Pull>) {
    super(SOCKET_TYPES.PULL, options, (host) => new PullPattern(host));
  }
}

installOptions(Pull, SOCKET_TYPES.PULL);

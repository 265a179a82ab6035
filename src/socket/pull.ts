/** PULL: messages in, fairly from the peers (RFC 30). */

import type { ConflateOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import { ReadableSocket } from "./duplex.ts";
import { ReceivingPattern } from "./pattern.ts";
import { defineType, type SocketOptions } from "./socket.ts";

class PullPattern extends ReceivingPattern {
  override attach(): void {
    // A peer counts from its first message on.
  }
}

export interface Pull extends ConflateOptions {}

/** Receives what {@link Push} sockets distribute, fairly from all that it is connected with. */
export class Pull extends ReadableSocket {
  constructor(options?: SocketOptions<Pull>) {
    super(SOCKET_TYPES.PULL, options);
  }
}

defineType(Pull, SOCKET_TYPES.PULL, (socket) => new PullPattern(socket));

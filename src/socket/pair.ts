/** PAIR: exactly one peer (RFC 31). A second one is refused; libzmq would leave it connected and mute. */
import { type ErrnoError, errnoError } from "../base/errors.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { DuplexSocket } from "./duplex.ts";
import { ReceivingPattern } from "./pattern.ts";
import { defineType, type SocketOptions } from "./socket.ts";

class PairPattern extends ReceivingPattern {
  #pipe: Pipe | undefined;

  override send(frames: Uint8Array[]): boolean {
    if (!this.canSend) return false;
    (this.#pipe as Pipe).write(frames);
    return true;
  }

  override get canSend(): boolean {
    const pipe = this.#pipe;
    if (pipe === undefined) return false;
    if (!pipe.full) return true;
    pipe.writerWaits = true;
    return false;
  }

  override get refusal(): ErrnoError | undefined {
    if (this.#pipe === undefined) return undefined;
    return errnoError("EBUSY", undefined, "A PAIR socket has one peer, and this one has it");
  }

  override attach(pipe: Pipe): void {
    const { refusal } = this;
    if (refusal !== undefined) {
      pipe.refuse(refusal);
      return;
    }
    this.#pipe = pipe;
    this.socket.wakeSender();
  }

  override writable(): void {
    this.socket.wakeSender();
  }

  override ended(pipe: Pipe): void {
    super.ended(pipe);
    if (this.#pipe === pipe) this.#pipe = undefined;
  }
}

/** Talks to exactly one other {@link Pair}. */
export class Pair extends DuplexSocket {
  constructor(options?: SocketOptions<Pair>) {
    super(SOCKET_TYPES.PAIR, options);
  }
}

defineType(Pair, SOCKET_TYPES.PAIR, (socket) => new PairPattern(socket));

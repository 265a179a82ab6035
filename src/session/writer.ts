/**
 * The way out of a session: empties the outbox of a pipe into the stream, one batch of whole messages at a time, for as
 * long as the kernel takes everything at once.
 */
import { FLUSH_LIMIT_BYTES } from "../base/constants.ts";
import { type EventSink, reportMissing } from "../base/events.ts";
import type { Wire } from "../mechanism/mechanism.ts";
import type { NetPipe } from "../pipe/net-pipe.ts";
import type { NetStream } from "../transport/net-stream.ts";

/** The part of a stream that is written to. */
export type OutputStream = Pick<NetStream, "write" | "queuedBytes" | "destroy">;

export class Writer {
  /** Undefined once the stream is gone: the pipe may get another, and what is settled then is not ours. */
  #pipe: NetPipe | undefined;
  readonly #stream: OutputStream;
  readonly #wire: Wire | undefined;
  readonly #events: EventSink;
  /** The endpoint that events name. */
  readonly #address: string;
  /** The kernel has refused something that still waits. */
  #isBlocked = false;

  /** @param wire the transform that octets go through; undefined when they go as they are */
  constructor(pipe: NetPipe, stream: OutputStream, wire: Wire | undefined, events: EventSink, address: string) {
    this.#pipe = pipe;
    this.#stream = stream;
    this.#wire = wire;
    this.#events = events;
    this.#address = address;
  }

  /** Writes what waits. True when the kernel took all of it. */
  flush(): boolean {
    const pipe = this.#pipe;
    if (pipe === undefined || this.#isBlocked) return false;
    const stream = this.#stream;
    const wire = this.#wire;
    const { outbox } = pipe;
    while (outbox.pending) {
      // In line behind something else, memory that is gone by the time of its write would go unseen.
      if (stream.queuedBytes > 0) return this.#block(pipe);
      const parts = outbox.nextBatch(FLUSH_LIMIT_BYTES);
      if (outbox.missing > 0 && !this.#survivesLoss(pipe)) return false;
      if (parts === undefined) break;
      wire?.written?.();
      stream.write(wire === undefined ? parts : wire.wrap(parts), this.#settle);
      // The outbox uses the array again: until then it would keep what was sent.
      parts.length = 0;
      if (stream.queuedBytes > 0) return this.#block(pipe);
      outbox.taken();
    }
    return true;
  }

  /** The kernel has taken everything that it had refused. */
  flushed(): void {
    this.#isBlocked = false;
    this.#pipe?.outbox.taken();
  }

  /** The stream is gone. */
  close(): void {
    this.#pipe = undefined;
  }

  #block(pipe: NetPipe): false {
    this.#isBlocked = true;
    pipe.roomMade();
    return false;
  }

  /**
   * Tells of messages that are lost. Octets mean nothing without those before them: then the connection ends, and this
   * is false.
   */
  #survivesLoss({ outbox, isFramed }: NetPipe): boolean {
    for (; outbox.missing > 0; outbox.missing--) reportMissing(this.#events, this.#address);
    if (!isFramed) this.#stream.destroy();
    return isFramed;
  }

  /** The memory of a batch may be used again. */
  readonly #settle = (): void => {
    this.#pipe?.outbox.settle();
  };
}

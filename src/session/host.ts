/**
 * What sessions ask of the socket they work for. The socket implements it; a session knows no socket type beyond its
 * number.
 */

import type { ErrnoError } from "../base/errors.ts";
import type { EventSink } from "../base/events.ts";
import type { SlabPool } from "../codec/slab-pool.ts";
import type { Turn } from "../loop/turn.ts";
import type { OptionValues } from "../options/values.ts";
import type { NetPipe, Pipe, PipeLink, PipeOwner } from "../pipe/pipe.ts";
import type { InprocNames } from "../transport/inproc.ts";

/** The part of a context that sessions use. */
export interface Loop {
  readonly turn: Turn;
  readonly pool: SlabPool;
  readonly names: InprocNames;
  /** Keeps the process alive until `release`. */
  hold(): void;
  release(): void;
}

/** A socket, as its sessions see it. */
export interface SessionHost {
  readonly loop: Loop;
  readonly socketType: number;
  readonly options: OptionValues;
  readonly events: EventSink;
  readonly pattern: SessionPattern;
  /** Makes the pipe for a peer of an endpoint with these options; the high-water marks are the socket's own, as they stand now. */
  createPipe(link: PipeLink, options: OptionValues): NetPipe;
  /** Ends a pipe for good, once, and drops what was received and not read if it `discards`. */
  endPipe(pipe: NetPipe, discards: boolean): void;
}

/** A peer for which a pattern keeps what is sent, until it is known what it wants. */
export interface Newcomer {
  /** The handshake is done, and this is its pipe. */
  joined(pipe: Pipe): void;
  /** It has gone. */
  left(): void;
}

/** The pattern, which takes pipes in. */
export interface SessionPattern extends PipeOwner {
  /** A peer is there, and the handshake begins: it may say soon what it wants. */
  expect(): Newcomer | undefined;
  /** A new peer. Its pipe may be written from now on. */
  attach(pipe: Pipe): void;
  /** Why no further peer is let in at this moment: it is turned away before it could send what would be lost. */
  readonly refusal: ErrnoError | undefined;
  /** Whether a lost connection empties the outbox, which `disconnected` fills anew (subscriptions). */
  readonly refills: boolean;
  /** Whether a pipe stands for one peer, by its identity; otherwise for whoever answers at an endpoint. */
  readonly knowsPeers: boolean;
}

/** Holds an endpoint of a socket: a listener, a dialer, or one end of an inproc name. */
export interface EndpointHolder {
  /** The endpoint, as `unbind` and `disconnect` name it. */
  readonly address: string;
  /** Whether messages wait that the kernel has not taken. */
  readonly hasUnsent: boolean;
  flush(): void;
  eachPipe(visit: (pipe: Pipe) => void): void;
  /** Stops; unsent messages are delivered within `linger` milliseconds (-1: no limit, 0: dropped). */
  close(linger: number): void;
}

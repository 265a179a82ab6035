/**
 * The socket, its context and its pattern as sessions see them: `src/socket` implements these, and a session knows no
 * socket type beyond its number.
 */

import type { ErrnoError } from "../base/errors.ts";
import type { EventSink } from "../base/events.ts";
import type { SlabPool } from "../codec/slab-pool.ts";
import type { Turn } from "../loop/turn.ts";
import type { OptionValues } from "../options/values.ts";
import type { NetPipe, PipeLink } from "../pipe/net-pipe.ts";
import type { Pipe, PipeOwner } from "../pipe/pipe.ts";
import type { InprocNames } from "../transport/inproc.ts";

/** Serves all sockets of a context: the turn of the event loop, memory, and the names of inproc. */
export interface SessionContext {
  readonly turn: Turn;
  readonly pool: SlabPool;
  readonly names: InprocNames;
  /** Keeps the process alive until `release`. */
  hold(): void;
  /** Takes back one `hold`. */
  release(): void;
}

/** Makes and ends the pipes of its sessions, and hears their events. */
export interface SessionSocket {
  readonly context: SessionContext;
  readonly socketType: number;
  readonly options: OptionValues;
  readonly events: EventSink;
  readonly pattern: SessionPattern;
  /** Makes the pipe for a peer of an endpoint with these options; the high-water marks are those of the socket, now. */
  createPipe(link: PipeLink, options: OptionValues): NetPipe;
  /** Ends a pipe for good, once, and drops what was received and not read if it `discards`. */
  endPipe(pipe: NetPipe, discards: boolean): void;
}

/** Keeps what a publisher sends for a peer whose subscriptions are still on their way. */
export interface Newcomer {
  /** The handshake is done, and this is its pipe. */
  joined(pipe: Pipe): void;
  /** It has gone. */
  left(): void;
}

/** Takes pipes in, and serves them as their owner. */
export interface SessionPattern extends PipeOwner {
  /** Hears that a peer is there and its handshake begins: it may soon say what it wants. */
  expect(): Newcomer | undefined;
  /** Takes in a new pipe, which may be written from now on. */
  attach(pipe: Pipe): void;
  /** Set while no further peer is let in: it is turned away by this error before it could send what would be lost. */
  readonly refusal: ErrnoError | undefined;
  /** True when a lost connection empties the outbox, which `disconnected` fills anew (subscriptions). */
  readonly refills: boolean;
  /**
   * True when a pipe stands for one peer, by its routing id; otherwise it stands for any peer that answers at an
   * endpoint.
   */
  readonly knowsPeers: boolean;
}

/** Holds an endpoint of a socket: a listener, a dialer, or one end of an inproc name. */
export interface EndpointHolder {
  /** The endpoint, as `unbind` and `disconnect` name it. */
  readonly address: string;
  /** True while messages wait that the kernel has not taken. */
  readonly hasUnsent: boolean;
  /** Offers what waits to the kernel, now. */
  flush(): void;
  /** Visits the pipes of its peers. */
  eachPipe(visit: (pipe: Pipe) => void): void;
  /** Stops; unsent messages are delivered within `linger` milliseconds (-1: no limit, 0: dropped). */
  close(linger: number): void;
}

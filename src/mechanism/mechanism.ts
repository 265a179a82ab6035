/**
 * A security mechanism: handshake commands in and out, then either clear traffic or a transform of it.
 *
 * A mechanism knows neither frames nor sockets nor clocks. It is given the bodies of the peer's handshake commands and
 * speaks through its host, the connection. Faults are thrown as ProtocolError; the connection ends by them.
 *
 * Contracts
 * - `start()` is called once, when both greetings are complete; `receive()` for each handshake command until
 *   `host.done()`.
 * - `host.authenticate()` answers at once or much later, from outside any `receive()`; it answers only when the peer is
 *   let in. A denied peer has its ERROR and its end from the host, and the mechanism is closed.
 * - `host.peerMetadata()` may throw: the peer's socket type may not fit. It comes before `host.done()`.
 * - Octets behind the handshake's last command go through `wire`, when there is one.
 * - After `close()` nothing is called in either direction, and no key is left in memory.
 */
import type { ProtocolError } from "../base/errors.ts";

/** Turns canonical frames into what the peer reads, and back. */
export interface Wire {
  /** `parts` hold whole canonical frames one after the other; a frame may span parts. Returns the octets to write. */
  wrap(parts: Buffer[]): Buffer[];
  /** All that `wrap` returned was written: its memory may be used again. */
  written?(): void;
  /**
   * Octets as the peer sent them, split anywhere. Returns canonical octets for the decoder, in memory of its own: the
   * chunk is used during the call only. Bounded by maxMessageSize, and never allocates by an announced size.
   * @throws ProtocolError when nothing in the chunk was good.
   */
  unwrap(chunk: Buffer): Buffer[];
  /** The fault behind the octets that `unwrap` returned last: they are delivered, then the connection ends. */
  readonly failure?: ProtocolError | undefined;
}

/** A mechanism's name in greetings and ZAP requests. */
export type MechanismName = "NULL" | "PLAIN" | "CURVE";

/** The connection, as its mechanism sees it. */
export interface MechanismHost {
  /** Our properties for READY or INITIATE, encoded. */
  readonly metadata: Buffer;
  /** True when the peer writes its greeting as libzmq 4.3.3 and later do. */
  readonly peerIsLibzmq: boolean;
  /** Octets that a frame's body may have, negative for no limit: a wire has to bound what it keeps. */
  readonly maxMessageSize: number;
  /** Sends a handshake command. */
  send(body: Buffer): void;
  /** Asks whether the peer may come in, by the rules of `zap.ts`. `accepted` is called when it may. */
  authenticate(credentials: readonly Uint8Array[], accepted: () => void): void;
  /**
   * Hands over the peer's properties, still encoded.
   * @throws ProtocolError when they are malformed; something else, that the mechanism lets pass, when the peer does not
   *   fit.
   */
  peerMetadata(bytes: Buffer): void;
  /** The peer answered with ERROR. Never returns. */
  peerError(reason: string): never;
  /** The handshake is over: traffic flows, through `wire` when there is one. */
  done(): void;
}

/** One side of a security handshake. */
export interface Mechanism {
  /** The transform of the traffic, from `host.done()` on; undefined when traffic is in the clear. */
  readonly wire: Wire | undefined;
  /** The prefix of the ERROR command that this mechanism's peer understands. */
  readonly errorPrefix: Buffer;
  start(): void;
  /** @throws ProtocolError */
  receive(body: Buffer): void;
  /** Forgets everything and overwrites its keys. */
  close(): void;
}

/** Makes one side of a handshake. */
export type MechanismFactory = (host: MechanismHost) => Mechanism;

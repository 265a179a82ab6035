/**
 * The connection of a STREAM socket: no protocol at all. Every chunk is a message of one frame, as it came; there is no
 * greeting, no handshake, no heartbeat. It has the surface of `Connection`, so that a session can pump either.
 */
import { EMPTY } from "../bytes.ts";
import type { Connection, ConnectionHandler, PeerInfo } from "./connection.ts";

/** What a session needs of the protocol side of its connection. */
export type PeerConnection = Pick<
  Connection,
  | "start"
  | "receive"
  | "target"
  | "filled"
  | "resume"
  | "stopped"
  | "backlogBytes"
  | "wire"
  | "subscription"
  | "deadline"
  | "tick"
  | "paused"
  | "flushed"
  | "close"
>;

/** A peer that says nothing of itself. */
const RAW_PEER: PeerInfo = { version: 0, socketType: "", identity: EMPTY, properties: new Map() };

export class RawConnection implements PeerConnection {
  readonly wire: undefined = undefined;
  readonly deadline: number = Number.POSITIVE_INFINITY;
  readonly #handler: ConnectionHandler;
  readonly #chunkBytes: number;
  #backlog: Buffer[] = [];
  #isStopped = false;
  #isClosed = false;

  /** `maxMessageSize`: octets that one message may have; longer chunks are cut. Negative: no limit. */
  constructor(maxMessageSize: number, handler: ConnectionHandler) {
    this.#chunkBytes = maxMessageSize > 0 ? maxMessageSize : Number.POSITIVE_INFINITY;
    this.#handler = handler;
  }

  start(): void {
    this.#handler.ready(RAW_PEER);
  }

  readonly target: undefined = undefined;

  filled(): void {
    // There is no target.
  }

  receive(given: Buffer, _now?: number, isBorrowed = false): void {
    if (this.#isClosed) return;
    const chunk = isBorrowed ? Buffer.from(given) : given;
    for (let at = 0; at < chunk.length; at += this.#chunkBytes) {
      this.#backlog.push(chunk.subarray(at, Math.min(at + this.#chunkBytes, chunk.length)));
    }
    if (!this.#isStopped) this.resume();
  }

  resume(): boolean {
    this.#isStopped = false;
    while (!this.#isStopped && !this.#isClosed) {
      const chunk = this.#backlog.shift();
      if (chunk === undefined) return true;
      this.#isStopped = !this.#handler.message([chunk]);
    }
    return this.#backlog.length === 0;
  }

  get stopped(): boolean {
    return this.#isStopped && !this.#isClosed;
  }

  get backlogBytes(): number {
    let bytes = 0;
    for (const chunk of this.#backlog) bytes += chunk.length;
    return bytes;
  }

  subscription(): Buffer {
    return EMPTY;
  }

  tick(): void {
    // There are no timers.
  }

  paused(): void {
    // There is no life to watch.
  }

  flushed(): void {
    // Nothing waits here.
  }

  close(): void {
    this.#isClosed = true;
    this.#backlog = [];
  }
}

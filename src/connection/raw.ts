/**
 * The connection of a STREAM socket: no protocol at all. Every chunk is a message of one frame, as it came, whatever
 * maxMessageSize says; there is no greeting, no handshake, no heartbeat. It has the surface of `Connection`, so that a session can pump either.
 */
import { EMPTY } from "../base/bytes.ts";
import { Ring } from "../base/ring.ts";
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
  readonly #backlog: Ring<Buffer> = new Ring();
  #backlogBytes = 0;
  #isStopped = false;
  #isClosed = false;

  constructor(handler: ConnectionHandler) {
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
    this.#backlog.push(chunk);
    this.#backlogBytes += chunk.length;
    if (!this.#isStopped) this.resume();
  }

  resume(): boolean {
    this.#isStopped = false;
    while (!this.#isStopped && !this.#isClosed) {
      const chunk = this.#backlog.shift();
      if (chunk === undefined) return true;
      this.#backlogBytes -= chunk.length;
      this.#isStopped = !this.#handler.message([chunk]);
    }
    return this.#backlog.length === 0;
  }

  get stopped(): boolean {
    return this.#isStopped && !this.#isClosed;
  }

  get backlogBytes(): number {
    return this.#backlogBytes;
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
    this.#backlog.clear();
    this.#backlogBytes = 0;
  }
}

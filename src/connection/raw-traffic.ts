/**
 * The traffic of a STREAM socket: no protocol at all. Every chunk is a message of one frame, as it came, whatever
 * maxMessageSize says; there was no handshake, and there is no heartbeat. It has the surface of `Traffic`, so that a
 * session can pump either.
 */
import { EMPTY } from "../base/bytes.ts";
import { Backlog } from "../codec/backlog.ts";
import { type Inbox, NOWHERE } from "../codec/decoder.ts";
import type { Traffic } from "./traffic.ts";

/** Either kind of traffic. */
export type AnyTraffic = Pick<Traffic, keyof Traffic & keyof RawTraffic>;

export class RawTraffic {
  readonly wire: undefined = undefined;
  readonly deadline: number = Number.POSITIVE_INFINITY;
  readonly target: undefined = undefined;
  #inbox: Inbox = NOWHERE;
  readonly #backlog: Backlog = new Backlog();
  #isStopped = false;
  #isClosed = false;

  deliverTo(inbox: Inbox | undefined): void {
    this.#inbox = inbox ?? NOWHERE;
  }

  begin(): void {
    // Nothing has come.
  }

  filled(): void {
    // There is no target.
  }

  receive(given: Buffer, isBorrowed = false): void {
    if (this.#isClosed) return;
    this.#backlog.push(isBorrowed ? Buffer.from(given) : given);
    if (!this.#isStopped) this.resume();
  }

  resume(): boolean {
    this.#isStopped = false;
    while (!this.#isStopped && !this.#isClosed) {
      const chunk = this.#backlog.shift();
      if (chunk === undefined) return true;
      this.#isStopped = !this.#inbox.push([chunk]);
    }
    return this.#backlog.bytes === 0;
  }

  get stopped(): boolean {
    return this.#isStopped && !this.#isClosed;
  }

  get backlogBytes(): number {
    return this.#backlog.bytes;
  }

  subscription(): Buffer {
    return EMPTY;
  }

  tick(): void {
    // There are no timers.
  }

  paused(): void {
    // There is no heartbeat.
  }

  flushed(): void {
    // Nothing waits here.
  }

  close(): void {
    this.#isClosed = true;
    this.#backlog.clear();
  }
}

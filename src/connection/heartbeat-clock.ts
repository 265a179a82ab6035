/**
 * The times of a heartbeat: when to send a PING, and when silence means that the peer is gone. Times are milliseconds
 * on the caller's clock; `Infinity` is a timer that does not run. RFC 37 "ZMTP 3.1", section "Connection Heartbeating";
 * libzmq options ZMQ_HEARTBEAT_IVL, ZMQ_HEARTBEAT_TIMEOUT, ZMQ_HEARTBEAT_TTL.
 *
 * - A PING goes out every interval, whether or not there was traffic. It starts the silence timer, unless that runs.
 * - The peer's PING may carry a time to live: it starts a timer too, unless that runs.
 * - Any octet that comes in stops both. (libzmq waits for a complete frame, so that one huge frame looks like silence.)
 * - While we ourselves do not read, silence proves nothing: both stand still. The peer's PINGs lie unread then, so that
 *   we send PONGs of our own accord, twice as often as it was seen to ask; our own PINGs become such PONGs, for nobody
 *   would read the answers.
 */
import { LATE_TIMER_MS, PING_TTL_MAX_DECISECONDS, SPONTANEOUS_PONG_MS } from "../base/constants.ts";

const NEVER = Number.POSITIVE_INFINITY;

export interface HeartbeatOptions {
  readonly heartbeatInterval: number;
  readonly heartbeatTimeout: number;
  readonly heartbeatTimeToLive: number;
}

/** Due now: nothing, a command to send, or the end because the peer was silent for too long. */
export type HeartbeatAction = "none" | "ping" | "pong" | "heartbeat" | "ttl";

export class HeartbeatClock {
  /** The time to live in our PINGs, in tenths of a second; never more than libzmq reads correctly. */
  readonly timeToLive: number;
  readonly #interval: number;
  readonly #timeout: number;
  #nextPing = NEVER;
  #silenceEnds = NEVER;
  #lifeEnds = NEVER;
  #nextPong = NEVER;
  #isPaused = false;
  /** True when one more turn was granted, since the last octets, because the verdict came late. */
  #isGraced = false;
  /** The time of the peer's last PING, and the shortest time seen between two. */
  #lastPing: number;
  #peerInterval = NEVER;

  /** @param readyAt the time at which the handshake was over. */
  constructor(options: HeartbeatOptions, readyAt: number) {
    this.#lastPing = readyAt;
    this.#interval = options.heartbeatInterval;
    this.#timeout = options.heartbeatTimeout < 0 ? options.heartbeatInterval : options.heartbeatTimeout;
    this.timeToLive = Math.min(Math.floor(options.heartbeatTimeToLive / 100), PING_TTL_MAX_DECISECONDS);
  }

  /** Begins to send PINGs. */
  start(now: number): void {
    this.#nextPing = now + this.#interval;
  }

  /** Notes that octets came in. */
  heard(): void {
    this.#isGraced = false;
    this.#silenceEnds = NEVER;
    this.#lifeEnds = NEVER;
  }

  /** Notes the peer's PING, with a time to live in tenths of a second. */
  pinged(now: number, timeToLive: number): void {
    if (timeToLive > 0 && this.#lifeEnds === NEVER && !this.#isPaused) this.#lifeEnds = now + timeToLive * 100;
    const interval = now - this.#lastPing;
    this.#lastPing = now;
    if (interval >= SPONTANEOUS_PONG_MS) this.#peerInterval = Math.min(this.#peerInterval, interval);
  }

  /** Notes that this end stops, or starts again, to read on purpose. */
  pause(now: number, isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    this.heard();
    this.#nextPong = isPaused ? now + this.#peerInterval / 2 : NEVER;
  }

  /** The time at which `due()` has to be asked next. */
  get deadline(): number {
    return Math.min(this.#nextPing, this.#nextPong, this.#silenceEnds, this.#lifeEnds);
  }

  /** Says what is due now, and takes it as done. */
  due(now: number): HeartbeatAction {
    if (now >= this.#silenceEnds && !this.#postponed(now, this.#silenceEnds)) return "heartbeat";
    if (now >= this.#lifeEnds && !this.#postponed(now, this.#lifeEnds)) return "ttl";
    if (now >= this.#nextPing) {
      this.#nextPing = now + this.#interval;
      if (this.#isPaused) return this.#spontaneous(now);
      if (this.#silenceEnds === NEVER && this.#timeout > 0) this.#silenceEnds = now + this.#timeout;
      return "ping";
    }
    return now >= this.#nextPong ? this.#spontaneous(now) : "none";
  }

  /**
   * Moves the verdict, once: a process that was busy past the end has not yet read the octets that came in meanwhile.
   */
  #postponed(now: number, end: number): boolean {
    if (this.#isGraced || now - end <= LATE_TIMER_MS) return false;
    this.#isGraced = true;
    if (this.#silenceEnds <= now) this.#silenceEnds = now + LATE_TIMER_MS;
    if (this.#lifeEnds <= now) this.#lifeEnds = now + LATE_TIMER_MS;
    return true;
  }

  #spontaneous(now: number): HeartbeatAction {
    this.#nextPong = now + this.#peerInterval / 2;
    return "pong";
  }
}

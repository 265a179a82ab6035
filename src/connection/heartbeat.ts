/**
 * The heartbeat of one connection: sends PING and PONG, and says when the peer is dead. Its clock is made when there is
 * something to time, for most connections never beat.
 *
 * While the kernel takes nothing, one PONG and one PING at the most wait here: the newest, since a peer whose stream is
 * backed up reads them all at once.
 */
import { EMPTY } from "../base/bytes.ts";
import { encodePing, encodePong, pingTimeToLive } from "../codec/command.ts";
import { HeartbeatClock, type HeartbeatOptions } from "./heartbeat-clock.ts";

/** Carries a heartbeat's commands. */
export interface HeartbeatPort {
  /** Sends a command, or several behind each other, in traffic. */
  sendFrame(frame: Buffer): void;
  /** True while the kernel has refused something that still waits. */
  backedUp(): boolean;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #port: HeartbeatPort;
  #clock: HeartbeatClock | undefined = undefined;
  #startedAt = 0;
  #isPaused = false;
  #pong: Buffer | undefined = undefined;
  #ping: Buffer | undefined = undefined;
  /** Answers to what came in at once: they go out together, for a write of its own takes as long as a hundred PONGs. */
  #answers: Buffer[] = [];

  constructor(options: HeartbeatOptions, port: HeartbeatPort) {
    this.#options = options;
    this.#port = port;
  }

  /** Begins when the handshake is over. `mayPing`: the peer knows PING. */
  start(now: number, mayPing: boolean): void {
    this.#startedAt = now;
    if (mayPing && this.#options.heartbeatInterval > 0) this.#clockAt(now).start(now);
  }

  /** True when anything depends on the time. */
  get isTimed(): boolean {
    return this.#clock !== undefined;
  }

  /** Ends with the connection. */
  stop(): void {
    this.#clock = undefined;
    this.#pong = undefined;
    this.#ping = undefined;
    this.#answers = [];
  }

  /** Notes that octets came in. */
  heard(): void {
    this.#clock?.heard();
  }

  /**
   * Takes a PING, to be answered by `answer()`.
   * @throws ProtocolError when it has no time to live.
   */
  pinged(body: Buffer, now: number): void {
    this.#clockAt(now).pinged(now, pingTimeToLive(body));
    const pong = encodePong(body);
    if (this.#port.backedUp()) this.#pong = pong;
    else this.#answers.push(pong);
  }

  /** Answers the PINGs among the octets that were decoded. */
  answer(): void {
    const answers = this.#answers;
    if (answers.length === 0) return;
    this.#answers = [];
    this.#port.sendFrame(answers.length === 1 ? answers[0] : Buffer.concat(answers));
  }

  /** Notes that this end stops, or starts again, to read on purpose. */
  pause(now: number, isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#clock?.pause(now, isPaused);
  }

  /** The time at which `tick()` is due next. */
  get deadline(): number {
    return this.#clock === undefined ? Number.POSITIVE_INFINITY : this.#clock.deadline;
  }

  /** Sends the PING or PONG that is due. Says why the peer is dead, if it is. */
  tick(now: number): "heartbeat" | "ttl" | undefined {
    const clock = this.#clock;
    if (clock === undefined) return undefined;
    for (let action = clock.due(now); action !== "none"; action = clock.due(now)) {
      if (action === "heartbeat" || action === "ttl") return action;
      if (action === "ping") {
        const ping = encodePing(clock.timeToLive);
        if (this.#port.backedUp()) this.#ping = ping;
        else this.#port.sendFrame(ping);
      } else if (!this.#port.backedUp()) {
        this.#port.sendFrame(encodePong(EMPTY));
      }
    }
    return undefined;
  }

  /** Sends what waits: the kernel takes octets again. */
  flushed(): void {
    const pong = this.#pong;
    const ping = this.#ping;
    this.#pong = undefined;
    this.#ping = undefined;
    if (pong !== undefined) this.#port.sendFrame(pong);
    if (ping !== undefined) this.#port.sendFrame(ping);
  }

  #clockAt(now: number): HeartbeatClock {
    if (this.#clock === undefined) {
      this.#clock = new HeartbeatClock(this.#options, this.#startedAt);
      this.#clock.pause(now, this.#isPaused);
    }
    return this.#clock;
  }
}

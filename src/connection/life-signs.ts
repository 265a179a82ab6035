/**
 * The life signs of one connection: sends PING and PONG, and says when the peer is dead. The clockwork is a Heartbeat, made
 * when there is something to time, for most connections never beat.
 *
 * What the kernel would not take now waits here, one PONG and one PING at the most: the newest, since a peer whose stream is
 * backed up reads them all at once.
 */
import { EMPTY } from "../base/bytes.ts";
import { encodePing, encodePong, pingTimeToLive } from "../codec/command.ts";
import { Heartbeat, type HeartbeatOptions } from "./heartbeat.ts";

/** Where commands go. */
export interface LifePort {
  /** Sends a command in traffic. */
  sendFrame(frame: Buffer): void;
  /** Whether the kernel refused something that still waits. */
  backedUp(): boolean;
}

export class LifeSigns {
  readonly #options: HeartbeatOptions;
  readonly #port: LifePort;
  #heartbeat: Heartbeat | undefined = undefined;
  #startedAt = 0;
  #isPaused = false;
  #pong: Buffer | undefined = undefined;
  #ping: Buffer | undefined = undefined;

  constructor(options: HeartbeatOptions, port: LifePort) {
    this.#options = options;
    this.#port = port;
  }

  /** The handshake is over. `mayPing` says that the peer bears it. */
  start(now: number, mayPing: boolean): void {
    this.#startedAt = now;
    if (mayPing && this.#options.heartbeatInterval > 0) this.#clockwork(now).start(now);
  }

  /** Whether anything depends on the time. */
  get isTimed(): boolean {
    return this.#heartbeat !== undefined;
  }

  /** The connection is over. */
  stop(): void {
    this.#heartbeat = undefined;
    this.#pong = undefined;
    this.#ping = undefined;
  }

  /** Octets came in. */
  alive(): void {
    this.#heartbeat?.alive();
  }

  /**
   * A PING came in.
   * @throws ProtocolError when it has no time to live.
   */
  pinged(body: Buffer, now: number): void {
    this.#clockwork(now).pinged(now, pingTimeToLive(body));
    const pong = encodePong(body);
    if (this.#port.backedUp()) this.#pong = pong;
    else this.#port.sendFrame(pong);
  }

  /** We stop or start to read on purpose. */
  pause(now: number, isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#heartbeat?.pause(now, isPaused);
  }

  /** When `tick()` is due next. */
  get deadline(): number {
    return this.#heartbeat === undefined ? Number.POSITIVE_INFINITY : this.#heartbeat.deadline;
  }

  /** Does what is due. Says why the peer is dead, if it is. */
  tick(now: number): "heartbeat" | "ttl" | undefined {
    const heartbeat = this.#heartbeat;
    if (heartbeat === undefined) return undefined;
    for (let action = heartbeat.due(now); action !== "none"; action = heartbeat.due(now)) {
      if (action === "heartbeat" || action === "ttl") return action;
      if (action === "ping") {
        const ping = encodePing(heartbeat.timeToLive);
        if (this.#port.backedUp()) this.#ping = ping;
        else this.#port.sendFrame(ping);
      } else if (!this.#port.backedUp()) {
        this.#port.sendFrame(encodePong(EMPTY));
      }
    }
    return undefined;
  }

  /** The kernel takes octets again. */
  flushed(): void {
    const pong = this.#pong;
    const ping = this.#ping;
    this.#pong = undefined;
    this.#ping = undefined;
    if (pong !== undefined) this.#port.sendFrame(pong);
    if (ping !== undefined) this.#port.sendFrame(ping);
  }

  #clockwork(now: number): Heartbeat {
    if (this.#heartbeat === undefined) {
      this.#heartbeat = new Heartbeat(this.#options, this.#startedAt);
      this.#heartbeat.pause(now, this.#isPaused);
    }
    return this.#heartbeat;
  }
}

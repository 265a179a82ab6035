/**
 * A connection on a bench: what it says is written down, the clock stands where the test puts it.
 */
import type { PeerFacts } from "../../src/codec/peer-facts.ts";
import type { Failure } from "../../src/connection/failure.ts";
import { Handshake } from "../../src/connection/handshake.ts";
import { Traffic } from "../../src/connection/traffic.ts";
import type { MechanismFactory, Wire } from "../../src/mechanism/mechanism.ts";
import { createOptions } from "../../src/options/defaults.ts";
import { type OptionValues, SOCKET_TYPES, type SocketTypeName, selectMechanism } from "../../src/options/values.ts";
import { deliveries, hex } from "../codec/deliveries.ts";
import { line } from "../twins/decoder.ts";

export interface BenchSettings {
  options?: Partial<OptionValues>;
  routingId?: string;
  plain?: "client" | "server";
  curve?: MechanismFactory;
  zap?: (frames: Buffer[], answer: (reply: readonly Buffer[] | undefined, now: number) => void) => void;
  peerAddress?: string;
}

/** Handshake and traffic, one after the other, as a session uses them; calls that take a time set the clock. */
class Connection {
  traffic: Traffic | undefined = undefined;
  now = 0;
  readonly #handshake: Handshake;

  constructor(handshake: Handshake) {
    this.#handshake = handshake;
  }

  start(now: number): void {
    this.#handshake.start(now);
  }

  receive(chunk: Buffer, now = this.now): void {
    this.now = now;
    if (this.traffic === undefined) this.#handshake.receive(chunk);
    else this.traffic.receive(chunk);
  }

  resume(now: number): boolean {
    this.now = now;
    return this.traffic?.resume() ?? false;
  }

  tick(now: number): void {
    this.now = now;
    (this.traffic ?? this.#handshake).tick(now);
  }

  paused(now: number, isPaused: boolean): void {
    this.now = now;
    this.traffic?.paused(isPaused);
  }

  flushed(): void {
    this.traffic?.flushed();
  }

  close(): void {
    (this.traffic ?? this.#handshake).close();
  }

  subscription(topic: Buffer, subscribe: boolean): Buffer {
    return this.traffic?.subscription(topic, subscribe) ?? Buffer.alloc(0);
  }

  get stopped(): boolean {
    return this.traffic?.stopped ?? false;
  }

  get backlogBytes(): number {
    return this.traffic?.backlogBytes ?? 0;
  }

  get deadline(): number {
    return (this.traffic ?? this.#handshake).deadline;
  }

  get wire(): Wire | undefined {
    return this.traffic?.wire;
  }
}

export class Bench {
  readonly connection: Connection;
  readonly sent: Buffer[] = [];
  /** Everything but octets, in order. */
  readonly lines: string[] = [];
  peer: PeerFacts | undefined = undefined;
  failure: Failure | undefined = undefined;
  isBackedUp = false;
  /** What `message()` answers. */
  takes = true;

  constructor(type: SocketTypeName, settings: BenchSettings = {}) {
    const options = { ...createOptions(SOCKET_TYPES[type], { blocky: true, ipv6: false }), ...settings.options };
    if (settings.plain !== undefined) {
      selectMechanism(options, "plain", settings.plain === "server");
      options.plainUsername = Buffer.from("admin");
      options.plainPassword = Buffer.from("secret");
    }
    if (settings.curve !== undefined) selectMechanism(options, "curve", false);
    options.routingId = Buffer.from(settings.routingId ?? "", "latin1");
    const socketType = SOCKET_TYPES[type];
    const { zap } = settings;
    const handler = {
      send: (octets: Buffer): unknown => this.sent.push(octets),
      backedUp: () => this.isBackedUp,
      hasTime: () => true,
      subscription: (topic: Buffer, subscribe: boolean): unknown =>
        this.lines.push(`${subscribe ? "subscribe" : "cancel"} ${topic}`),
      fail: (failure: Failure) => {
        this.failure = failure;
        this.lines.push(describe(failure));
      },
    };
    const handshake = new Handshake(
      {
        socketType,
        options,
        zap:
          zap &&
          ((frames, answer) =>
            zap(frames, (reply, now) => {
              this.connection.now = now;
              answer(reply);
            })),
        curve: settings.curve,
        peerAddress: settings.peerAddress,
      },
      {
        ...handler,
        established: (result) => {
          const { peer, version } = result;
          const { connection } = this;
          const traffic = new Traffic({ socketType, options, clock: () => connection.now }, handler, result);
          connection.traffic = traffic;
          this.peer = peer;
          this.lines.push(`ready ${version.toString(16)} ${this.socketType} ${peer.routingId.toString("hex")}`);
          traffic.deliverTo({
            push: (frames) => {
              this.lines.push(line(frames));
              return this.takes;
            },
          });
          traffic.begin(result.rest);
        },
      },
    );
    this.connection = new Connection(handshake);
  }

  /** The type that the peer's properties tell. */
  get socketType(): string {
    return this.peer?.properties.get("Socket-Type")?.toString() ?? "";
  }

  /** Starts at time 0. */
  start(): this {
    this.connection.start(0);
    return this;
  }

  /** Hands in octets, written in hexadecimal. */
  feed(octets: string, now = 0): this {
    this.connection.receive(hex(octets), now);
    return this;
  }

  /** Everything sent since the last call, in hexadecimal. */
  take(): string {
    return Buffer.concat(this.sent.splice(0)).toString("hex");
  }
}

/** A failure as a line: a protocol fault is its code, with "quiet" when no event is raised. */
export function describe(failure: Failure): string {
  switch (failure.kind) {
    case "protocol":
      return `${failure.event ? "" : "quiet "}${failure.code}`;
    case "auth":
      return `auth ${failure.status}`;
    case "timeout":
      return `timeout ${failure.what}`;
    default:
      return failure.kind;
  }
}

/** Plays a peer's stream to fresh connections, in every delivery. Gives the lines and the octets sent, by delivery. */
export function play(
  type: SocketTypeName,
  settings: BenchSettings,
  stream: string,
): { name: string; lines: string[]; sent: string; bench: Bench }[] {
  return deliveries(hex(stream)).map(([name, chunks]) => {
    const bench = new Bench(type, settings).start();
    for (const chunk of chunks) bench.connection.receive(chunk, 0);
    return { name, lines: bench.lines, sent: bench.take(), bench };
  });
}

/** Carries octets between two connections until both are silent. */
export function converse(a: Bench, b: Bench, now = 0): void {
  while (a.sent.length + b.sent.length > 0) {
    for (const octets of a.sent.splice(0)) b.connection.receive(Buffer.from(octets), now);
    for (const octets of b.sent.splice(0)) a.connection.receive(Buffer.from(octets), now);
  }
}

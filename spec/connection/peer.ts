/**
 * A connection on a bench: what it says is written down, the clock stands where the test puts it.
 */
import { Connection, type ConnectionSettings, type Failure, type PeerInfo } from "../../src/connection/connection.ts";
import type { MechanismFactory } from "../../src/mechanism/mechanism.ts";
import {
  createOptions,
  type OptionValues,
  SOCKET_TYPES,
  type SocketTypeName,
  selectMechanism,
} from "../../src/options/values.ts";
import { deliveries, hex } from "../codec/deliveries.ts";
import { line } from "../twins/decoder.ts";

export interface BenchSettings {
  options?: Partial<OptionValues>;
  routingId?: string;
  plain?: "client" | "server";
  curve?: MechanismFactory;
  zap?: ConnectionSettings["zap"];
  peerAddress?: string;
}

export class Bench {
  readonly connection: Connection;
  readonly sent: Buffer[] = [];
  /** Everything but octets, in order. */
  readonly lines: string[] = [];
  peer: PeerInfo | undefined = undefined;
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
    this.connection = new Connection(
      {
        socketType: SOCKET_TYPES[type],
        routingId: Buffer.from(settings.routingId ?? "", "latin1"),
        options,
        clock: () => 0,
        zap: settings.zap,
        curve: settings.curve,
        peerAddress: settings.peerAddress,
      },
      {
        send: (octets) => this.sent.push(octets),
        backedUp: () => this.isBackedUp,
        ready: (peer) => {
          this.peer = peer;
          this.lines.push(`ready ${peer.version.toString(16)} ${peer.socketType} ${peer.identity.toString("hex")}`);
        },
        message: (frames) => {
          this.lines.push(line(frames));
          return this.takes;
        },
        subscription: (topic, subscribe) => this.lines.push(`${subscribe ? "subscribe" : "cancel"} ${topic}`),
        group: (name, join) => this.lines.push(`${join ? "join" : "leave"} ${name}`),
        fail: (failure) => {
          this.failure = failure;
          this.lines.push(describe(failure));
        },
      },
    );
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

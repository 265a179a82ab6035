/**
 * A peer that knows the security protocols and means harm: the mechanisms of this package play its part, over a bare
 * connection, and the test decides what becomes of each command on its way.
 */
import { decodeZ85 } from "../../src/codec/z85.ts";
import { curveMechanism } from "../../src/mechanism/curve.ts";
import type { Mechanism, MechanismFactory, MechanismHost, Wire } from "../../src/mechanism/mechanism.ts";
import { plainClient, plainServer } from "../../src/mechanism/plain.ts";
import { FLAG_COMMAND, frame, properties, RawPeer } from "../helpers/raw-peer.ts";
import { keys } from "./people.ts";

const GREETING_BYTES = 64;

function greeting(mechanism: string, asServer: boolean): Buffer {
  const octets = Buffer.alloc(GREETING_BYTES);
  octets.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 1]);
  octets.write(mechanism, 12);
  octets[32] = Number(asServer);
  return octets;
}

const NO_KEY = Buffer.alloc(0);

const FACTORIES: Record<string, MechanismFactory> = {
  "CURVE client": curveMechanism({
    curveServer: false,
    curvePublicKey: decodeZ85(keys.client.publicKey),
    curveSecretKey: decodeZ85(keys.client.secretKey),
    curveServerKey: decodeZ85(keys.server.publicKey),
  }),
  "CURVE server": curveMechanism({
    curveServer: true,
    curvePublicKey: NO_KEY,
    curveSecretKey: decodeZ85(keys.server.secretKey),
    curveServerKey: NO_KEY,
  }),
  "PLAIN client": plainClient(Buffer.from("admin"), Buffer.from("secret")),
  "PLAIN server": plainServer(),
};

/** A command as it goes out: a handshake frame. */
export const framed = (body: Buffer): Buffer => frame(FLAG_COMMAND, body);

/** The metadata of a peer of that type. */
export const metadataOf = (type: string, ...more: [string, string | Buffer][]): Buffer =>
  properties(["Socket-Type", type], ...more);

export class Attacker implements MechanismHost {
  readonly peerIsLibzmq = true;
  readonly maxMessageSize = -1;
  readonly metadata: Buffer;
  readonly peer: RawPeer;
  readonly greeting: Buffer;
  readonly #mechanism: Mechanism;
  /** Commands that are ready to go, oldest first. */
  readonly #ready: Buffer[] = [];
  isDone = false;

  /** @param role "CURVE client" and so on */
  constructor(peer: RawPeer, role: string, metadata: Buffer) {
    const [mechanism, side] = role.split(" ");
    this.peer = peer;
    this.metadata = metadata;
    this.greeting = greeting(mechanism, side === "server");
    this.#mechanism = FACTORIES[role](this);
  }

  static async connect(address: string | null, role: string, metadata: Buffer): Promise<Attacker> {
    return new Attacker(await RawPeer.connect(address), role, metadata);
  }

  get wire(): Wire | undefined {
    return this.#mechanism.wire;
  }

  /** Exchanges greetings. */
  async greet(): Promise<this> {
    this.peer.write(this.greeting);
    await this.peer.read(GREETING_BYTES);
    this.#mechanism.start();
    return this;
  }

  /** The next command that an honest peer would send, after reading what it has to wait for. */
  async next(): Promise<Buffer> {
    while (this.#ready.length === 0) await this.hear();
    return this.#ready.shift() as Buffer;
  }

  /** Reads one command, and acts on it. */
  async hear(): Promise<void> {
    const { body } = await this.peer.frame();
    this.#mechanism.receive(body);
  }

  /** Plays on honestly, until `count` commands of its own are sent, or the handshake is over. */
  async play(count = Number.POSITIVE_INFINITY): Promise<this> {
    for (let sent = 0; sent < count && !(this.isDone && this.#ready.length === 0); sent++) {
      while (this.#ready.length === 0 && !this.isDone) await this.hear();
      if (this.#ready.length > 0) this.peer.write(framed(await this.next()));
    }
    return this;
  }

  /** Canonical frames as they go over this connection. */
  sealed(...frames: Buffer[]): Buffer[] {
    const { wire } = this;
    return wire === undefined ? frames : frames.flatMap((frame) => wire.wrap([frame]));
  }

  send(body: Buffer): void {
    this.#ready.push(Buffer.from(body));
  }

  authenticate(_: readonly Uint8Array[], accepted: () => void): void {
    accepted();
  }

  peerMetadata(): void {}

  peerError(reason: string): never {
    throw new Error(reason);
  }

  done(): void {
    this.isDone = true;
  }
}

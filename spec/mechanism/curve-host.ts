/** Plays the connection for one side of a CURVE handshake, and repeats the recorded one. */

import { ProtocolError } from "../../src/base/errors.ts";
import type { Crypto } from "../../src/crypto/crypto.ts";
import { loadCrypto, type Random } from "../../src/crypto/load.ts";
import { curveMechanism } from "../../src/mechanism/curve.ts";
import { nonceOf } from "../../src/mechanism/curve-handshake.ts";
import type { CurveWire } from "../../src/mechanism/curve-wire.ts";
import type { Mechanism, MechanismHost } from "../../src/mechanism/mechanism.ts";
import { assert } from "../helpers/test.ts";
import { nobleCrypto } from "../twins/noble-crypto.ts";
import { frames, initiate, keys, nonces, readyMetadata, sessionKey } from "../vectors/curve.ts";

/** The answer of the peer was an ERROR. */
export class PeerError extends Error {}

export class Host implements MechanismHost {
  readonly metadata: Buffer;
  readonly peerIsLibzmq = true;
  readonly maxMessageSize: number;
  readonly sent: Buffer[] = [];
  /** What the ZAP handler was asked about. */
  readonly asked: Buffer[] = [];
  /** Lets the peer in. Called at once unless `isSlow`. */
  accept: (() => void) | undefined;
  isSlow = false;
  peer: Buffer | undefined;
  isDone = false;

  constructor(metadata: Buffer, maxMessageSize = -1) {
    this.metadata = metadata;
    this.maxMessageSize = maxMessageSize;
  }

  send(body: Buffer): void {
    this.sent.push(Buffer.from(body));
  }

  authenticate(credentials: readonly Uint8Array[], accepted: () => void): void {
    assert.is(credentials.length, 1);
    this.asked.push(Buffer.from(credentials[0]));
    this.accept = accepted;
    if (!this.isSlow) accepted();
  }

  peerMetadata(bytes: Buffer): void {
    this.peer = Buffer.from(bytes);
  }

  peerError(reason: string): never {
    throw new PeerError(reason);
  }

  done(): void {
    assert.not(this.isDone);
    this.isDone = true;
  }
}

export interface Side {
  readonly host: Host;
  readonly mechanism: Mechanism;
  /** What was drawn at random. */
  readonly drawn: readonly Buffer[];
}

/** Gives the recorded octets in their order, copies of them, since a mechanism wipes them. */
export function recorded(...octets: Buffer[]): { random: Random; drawn: Buffer[] } {
  const drawn = octets.map((one) => Buffer.from(one));
  let next = 0;
  const random = (size: number) => {
    const one = drawn[next++];
    assert.is(one?.length, size);
    return one;
  };
  return { random, drawn };
}

const NO_KEY = Buffer.alloc(0);

/** The recorded session's client. */
export function recordedClient(crypto: Crypto = loadCrypto(), maxMessageSize = -1): Side {
  const { random, drawn } = recorded(keys.clientTransient.secretKey, nonces.vouch);
  const host = new Host(initiate.metadata, maxMessageSize);
  const options = {
    curveServer: false,
    curvePublicKey: keys.client.publicKey,
    curveSecretKey: keys.client.secretKey,
    curveServerKey: keys.server.publicKey,
  };
  return { host, drawn, mechanism: curveMechanism(options, { crypto, random })(host) };
}

/** The recorded session's server. */
export function recordedServer(crypto: Crypto = loadCrypto(), maxMessageSize = -1): Side {
  const { random, drawn } = recorded(keys.serverTransient.secretKey, nonces.cookieKey, nonces.cookie, nonces.welcome);
  const host = new Host(readyMetadata, maxMessageSize);
  const options = {
    curveServer: true,
    curvePublicKey: NO_KEY,
    curveSecretKey: keys.server.secretKey,
    curveServerKey: NO_KEY,
  };
  return { host, drawn, mechanism: curveMechanism(options, { crypto, random })(host) };
}

/** The body of a recorded frame. */
export function bodyOf(frame: Buffer): Buffer {
  return Buffer.from(frame.subarray((frame[0] & 2) === 0 ? 2 : 9));
}

export const commands = {
  hello: bodyOf(frames.hello),
  welcome: bodyOf(frames.welcome),
  initiate: bodyOf(frames.initiate),
  ready: bodyOf(frames.ready),
};

/** The recorded INITIATE with some of its parts replaced, sealed again. */
export function initiateWith(parts: { counter?: Buffer; client?: Buffer; vouch?: Buffer; metadata?: Buffer }): Buffer {
  const counter = parts.counter ?? Buffer.from("0000000000000002", "hex");
  const message = Buffer.concat([
    parts.client ?? keys.client.publicKey,
    nonces.vouch,
    parts.vouch ?? initiate.vouchBox,
    parts.metadata ?? initiate.metadata,
  ]);
  const sealed = nobleCrypto.box(sessionKey, nonceOf(Buffer.from("CurveZMQINITIATE"), counter), message);
  return Buffer.concat([commands.initiate.subarray(0, 105), counter, sealed]);
}

/** Sides in the middle of the recorded handshake. */
export const waiting = {
  /** A server that waits for HELLO. */
  hello(): Side {
    const side = recordedServer();
    side.mechanism.start();
    return side;
  },
  /** A client that waits for WELCOME. */
  welcome(): Side {
    const side = recordedClient();
    side.mechanism.start();
    return side;
  },
  /** A server that waits for INITIATE. */
  initiate(): Side {
    const side = waiting.hello();
    side.mechanism.receive(Buffer.from(commands.hello));
    return side;
  },
  /** A client that waits for READY. */
  ready(): Side {
    const side = waiting.welcome();
    side.mechanism.receive(Buffer.from(commands.welcome));
    return side;
  },
};

/** The two wires of the recorded session. */
export function recordedWires(crypto?: Crypto, maxMessageSize = -1): { client: CurveWire; server: CurveWire } {
  const client = recordedClient(crypto, maxMessageSize).mechanism;
  const server = recordedServer(crypto, maxMessageSize).mechanism;
  client.start();
  server.receive(commands.hello);
  client.receive(commands.welcome);
  server.receive(commands.initiate);
  client.receive(commands.ready);
  return { client: client.wire as CurveWire, server: server.wire as CurveWire };
}

/** The code of the fault that `action` throws; "" when it throws none. */
export function faultOf(action: () => void): string {
  try {
    action();
    return "";
  } catch (error) {
    if (error instanceof ProtocolError) return error.code;
    throw error;
  }
}

/**
 * What goes in and out of a connection beside octets: how it is set up, whom it serves, and what it learns of its peer.
 */
import type { ProtocolVersion } from "../codec/greeting.ts";
import type { OptionValues } from "../options/values.ts";
import type { Failure } from "./failure.ts";
import type { HeartbeatOptions } from "./heartbeat.ts";
import type { SecurityOptions, SecuritySettings } from "./security.ts";

/** What is known of a peer once the handshake is over. */
export interface PeerInfo {
  /** 0 when it speaks no ZMTP at all. */
  readonly version: ProtocolVersion | 0;
  /** As the peer names itself; empty when it did not, as in 1.0. */
  readonly socketType: string;
  /** Empty is anonymous. */
  readonly identity: Buffer;
  /** READY's properties, and what the authenticator added. */
  readonly properties: ReadonlyMap<string, Buffer>;
}

export interface ConnectionSettings extends SecuritySettings {
  /** Milliseconds on the clock of all the calls that take a time. Asked only when a call left it out. */
  readonly clock: () => number;
  readonly options: SecurityOptions & HeartbeatOptions & Pick<OptionValues, "handshakeInterval">;
}

/** Whom a connection serves. */
export interface ConnectionHandler {
  /** Write these octets at once: between two batches of messages, never inside one. */
  send(octets: Buffer): void;
  /** Whether the kernel refused something that still waits: a PONG would only queue up behind it. */
  backedUp(): boolean;
  /** Traffic may flow in both directions. */
  ready(peer: PeerInfo): void;
  /** One whole message. False stops decoding behind it. */
  message(frames: Buffer[]): boolean;
  /** SUBSCRIBE or CANCEL, for PUB and XPUB. (A peer may also subscribe by messages that begin with 01 or 00.) */
  subscription(topic: Buffer, subscribe: boolean): void;
  /** JOIN or LEAVE, for RADIO. */
  group(name: Buffer, join: boolean): void;
  /** Close the stream; once, and the last call. */
  fail(failure: Failure): void;
}

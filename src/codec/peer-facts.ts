/**
 * All that is known of a peer beside its pipe: the handshake learns it, or over inproc the options of the other socket
 * tell it.
 */
import { EMPTY } from "../base/bytes.ts";

/** The longest routing id (RFC 23: Identity). */
export const ROUTING_ID_BYTES = 255;

export interface PeerFacts {
  /** The IP address that it speaks from, without port; empty over inproc, and until the peer has sent something. */
  readonly address: string;
  /**
   * The routing id that it announced (the property Identity); empty for a peer that is anonymous, or of a type without
   * one.
   */
  readonly routingId: Buffer;
  /** READY's properties by name, and those that the ZAP handler added; none of ZMTP 1.0 and 2.0. */
  readonly properties: ReadonlyMap<string, Buffer>;
}

/** A peer of which nothing is known. */
export const UNKNOWN_PEER: PeerFacts = { address: "", routingId: EMPTY, properties: new Map() };

/**
 * Facts that sockets tell of each other: READY's properties, of this socket for peers in the same process, and of a
 * peer for the user.
 */
import type { PeerFacts } from "../codec/peer-facts.ts";
import { ownProperties } from "../connection/own-properties.ts";
import type { OptionValues } from "../options/values.ts";

/** Properties of a peer, those that libzmq has by message (zmq_msg_gets). */
export interface Peer {
  /** Its socket type, "DEALER" for instance; empty for peers of ZMTP 1.0 and 2.0 and of STREAM sockets. */
  readonly socketType: string;
  /** Its IP address without port; empty over inproc. */
  readonly address: string;
  /** The routing id that it announced; empty when it is anonymous, or of a type that announces none. */
  readonly identity: Buffer;
  /** User id that the ZAP handler gave it; undefined when none was asked. */
  readonly userId: string | undefined;
  /** All its properties by name, with those of its application ("X-…") and of the authenticator. */
  readonly properties: ReadonlyMap<string, Buffer>;
}

/** The properties that this socket shows to peers in the same process, which exchange no READY. */
export function describeSocket(options: OptionValues): ReadonlyMap<string, Buffer> {
  return new Map(ownProperties(options.type, options));
}

/** A peer as users see it. */
export function describePeer(facts: PeerFacts): Peer {
  const { address, routingId, properties } = facts;
  return {
    socketType: properties.get("Socket-Type")?.toString() ?? "",
    address,
    identity: Buffer.from(routingId),
    userId: properties.get("User-Id")?.toString(),
    properties,
  };
}

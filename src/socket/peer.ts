/** What sockets tell of each other: READY's properties, of this socket for peers in the same process, and of a peer for the user. */
import { type OptionValues, SOCKET_TYPE_NAMES, SOCKET_TYPES } from "../options/values.ts";
import type { PeerFacts } from "../pipe/pipe.ts";

/** The types that announce their routing id. */
const IDENTIFIED: ReadonlySet<number> = new Set([SOCKET_TYPES.REQ, SOCKET_TYPES.DEALER, SOCKET_TYPES.ROUTER]);

/** What is known of a peer: libzmq's message properties (zmq_msg_gets), by connection. */
export interface Peer {
  /** Its socket type, "DEALER" for instance; empty for peers of ZMTP 1.0 and 2.0 and of STREAM sockets. */
  readonly socketType: string;
  /** Its IP address without port; empty over inproc. */
  readonly address: string;
  /** The routing id that it announced; empty when it is anonymous, or of a type that announces none. */
  readonly identity: Buffer;
  /** The user whom the authenticator (ZAP) took it for; undefined when none was asked. */
  readonly userId: string | undefined;
  /** All its properties by name, with those of its application ("X-…") and of the authenticator. */
  readonly properties: ReadonlyMap<string, Buffer>;
}

/** The properties that this socket shows to peers in the same process, which exchange no READY. */
export function ownProperties(options: OptionValues): ReadonlyMap<string, Buffer> {
  const properties = new Map<string, Buffer>();
  properties.set("Socket-Type", Buffer.from(SOCKET_TYPE_NAMES[options.type] ?? ""));
  if (IDENTIFIED.has(options.type)) properties.set("Identity", options.routingId);
  for (const [name, value] of options.metadata) properties.set(name, value);
  return properties;
}

/** A peer as users see it. */
export function describePeer(facts: PeerFacts): Peer {
  const { address, identity, properties } = facts;
  return {
    socketType: properties.get("Socket-Type")?.toString() ?? "",
    address,
    identity,
    userId: properties.get("User-Id")?.toString(),
    properties,
  };
}

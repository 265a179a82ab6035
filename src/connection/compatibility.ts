/**
 * The socket types that may talk to each other: one row for each socket type, by the names that READY carries. The
 * draft types are libzmq's. RFC 23/37 "ZMTP", section "Socket Type Property"; RFC 28 "REQREP", 29 "PUBSUB", 30
 * "PIPELINE", 31 "EXPAIR".
 */
import { SOCKET_TYPE_NAMES, SOCKET_TYPES } from "../options/values.ts";

/** Peers by socket type. STREAM and DGRAM speak no ZMTP, so that nobody may talk to them. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  PAIR: ["PAIR"],
  PUB: ["SUB", "XSUB"],
  SUB: ["PUB", "XPUB"],
  REQ: ["REP", "ROUTER"],
  REP: ["REQ", "DEALER"],
  DEALER: ["REP", "DEALER", "ROUTER"],
  ROUTER: ["REQ", "DEALER", "ROUTER"],
  PULL: ["PUSH"],
  PUSH: ["PULL"],
  XPUB: ["SUB", "XSUB"],
  XSUB: ["PUB", "XPUB"],
  STREAM: [],
  SERVER: ["CLIENT"],
  CLIENT: ["SERVER"],
  RADIO: ["DISH"],
  DISH: ["RADIO"],
  GATHER: ["SCATTER"],
  SCATTER: ["GATHER"],
  DGRAM: [],
  PEER: ["PEER"],
  CHANNEL: ["CHANNEL"],
};

/** True when a socket of type `own` takes a peer that names itself `peer`, octet for octet. */
export function mayTalk(own: number, peer: string): boolean {
  return PEERS[SOCKET_TYPE_NAMES[own]].includes(peer);
}

/** Says why two sockets may not talk. An empty name is a type that nobody knows. */
export function mismatch(own: number, peer: string): string {
  return `${SOCKET_TYPE_NAMES[own]} does not talk to ${peer === "" ? "an unknown socket type" : peer}`;
}

/** True for the types that tell their routing id in READY: always, even when it is empty. */
export function announcesRoutingId(own: number): boolean {
  return own === SOCKET_TYPES.REQ || own === SOCKET_TYPES.DEALER || own === SOCKET_TYPES.ROUTER;
}

/** True for the types that ZMTP 1.0 and 2.0 know. */
export function isClassicType(own: number): boolean {
  return own <= SOCKET_TYPES.XSUB;
}

/** Names the number in a 2.0 greeting; empty when no type has it. */
export function classicTypeName(type: number): string {
  return isClassicType(type) ? SOCKET_TYPE_NAMES[type] : "";
}

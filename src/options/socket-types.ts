/** The types of sockets, by libzmq's names and numbers. */
export const SOCKET_TYPES = {
  PAIR: 0,
  PUB: 1,
  SUB: 2,
  REQ: 3,
  REP: 4,
  DEALER: 5,
  ROUTER: 6,
  PULL: 7,
  PUSH: 8,
  XPUB: 9,
  XSUB: 10,
  STREAM: 11,
  SERVER: 12,
  CLIENT: 13,
  RADIO: 14,
  DISH: 15,
  GATHER: 16,
  SCATTER: 17,
  DGRAM: 18,
  PEER: 19,
  CHANNEL: 20,
} as const;

export type SocketTypeName = keyof typeof SOCKET_TYPES;
export type SocketTypeNumber = (typeof SOCKET_TYPES)[SocketTypeName];

/** The names by number, as a READY command spells them. */
export const SOCKET_TYPE_NAMES: readonly SocketTypeName[] = Object.keys(SOCKET_TYPES) as SocketTypeName[];

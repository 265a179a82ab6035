/**
 * What can be configured: the values. `OptionValues` is one flat object for each socket, always made by the same literal, so
 * that `options.sendHighWaterMark` is a plain field load wherever it is read. The rules for reading and writing the fields from
 * outside (ids, types, ranges, errors, who has which) are rows in `table.ts`; `access.ts` turns the rows into
 * accessors; `public.ts` documents them for users.
 *
 * Stored forms: a number is a number, a switch is a boolean; octets are a `Buffer` and text is a string, both empty while unset.
 */

/** The socket types by libzmq's names and numbers. */
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

/** What protects a connection; `null` is the NULL mechanism. */
export type SecurityMechanism = null | "plain" | "curve" | "gssapi";

/** Which subscriptions an XPUB reports beyond the first and the last of a topic. */
export type Verbosity = null | "allSubs" | "allSubsUnsubs";

/** All options of one socket. Ids, ranges and meaning stand in the table and in `public.ts`. */
export interface OptionValues {
  readonly type: number;
  readonly threadSafe: boolean;
  affinity: number;
  rate: number;
  recoveryInterval: number;
  linger: number;
  reconnectInterval: number;
  reconnectMaxInterval: number;
  reconnectStop: number;
  backlog: number;
  /** Octets of one received frame; negative is no limit. */
  maxMessageSize: number;
  /** The resolved form of the endpoint bound or connected last; empty before. */
  lastEndpoint: string;
  tcpKeepalive: number;
  tcpKeepaliveCount: number;
  tcpKeepaliveIdle: number;
  tcpKeepaliveInterval: number;
  tcpMaxRetransmitTimeout: number;
  /** CIDR texts; a peer has to lie in one of them. Empty admits all. */
  tcpAcceptFilter: readonly string[];
  immediate: boolean;
  ipv6: boolean;
  typeOfService: number;
  interface: string;
  loopbackFastPath: boolean;
  socksProxy: string;
  socksUsername: string;
  socksPassword: string;
  connectTimeout: number;
  handshakeInterval: number;
  heartbeatInterval: number;
  /** A multiple of 100 ms. */
  heartbeatTimeToLive: number;
  /** -1: as long as the interval. */
  heartbeatTimeout: number;
  multicastMaxTransportDataUnit: number;
  multicastHops: number;
  multicastLoop: boolean;

  securityMechanism: SecurityMechanism;
  /** The two roles are views of one switch: set them through `selectMechanism`. */
  plainServer: boolean;
  plainUsername: Buffer;
  plainPassword: Buffer;
  curveServer: boolean;
  /** 32 octets; empty while unset. */
  curvePublicKey: Buffer;
  curveSecretKey: Buffer;
  curveServerKey: Buffer;
  zapDomain: Buffer;
  zapEnforceDomain: boolean;
  /** Application properties for READY, in the order of their names' octets. */
  metadata: ReadonlyMap<string, Buffer>;

  sendBufferSize: number;
  sendHighWaterMark: number;
  sendTimeout: number;
  receiveBufferSize: number;
  receiveHighWaterMark: number;
  receiveTimeout: number;

  routingId: Buffer;
  /** Given to the next outgoing connection, then cleared by whoever made it. */
  connectRoutingId: Buffer;
  probeRouter: boolean;
  correlate: boolean;
  relaxed: boolean;
  conflate: boolean;
  mandatory: boolean;
  handover: boolean;
  routerNotify: number;
  notify: boolean;
  helloMessage: Buffer;
  disconnectMessage: Buffer;
  hiccupMessage: Buffer;

  noDrop: boolean;
  invertMatching: boolean;
  manual: boolean;
  manualLastValue: boolean;
  verbosity: Verbosity;
  welcomeMessage: Buffer;
  onlyFirstSubscribe: boolean;
  verboseUnsubscribe: boolean;
}

/** What a context hands to the sockets made in it. */
export interface SocketDefaults {
  /** False: new sockets start with a linger of 0. */
  readonly blocky: boolean;
  readonly ipv6: boolean;
}

/** The stored form of octets that are not set. */
export const UNSET: Buffer = Buffer.alloc(0);

const NO_FILTERS: readonly string[] = [];
const NO_METADATA: ReadonlyMap<string, Buffer> = new Map();

/** SUB, XSUB and DISH have nothing to say that is worth waiting for. */
const SHORT_LIVED: ReadonlySet<number> = new Set([SOCKET_TYPES.SUB, SOCKET_TYPES.XSUB, SOCKET_TYPES.DISH]);

/** The options of a new socket. */
export function createOptions(type: number, defaults: SocketDefaults): OptionValues {
  return {
    type,
    threadSafe: type >= SOCKET_TYPES.SERVER && type !== SOCKET_TYPES.DGRAM,
    affinity: 0,
    rate: 100,
    recoveryInterval: 10000,
    linger: !defaults.blocky || SHORT_LIVED.has(type) ? 0 : -1,
    reconnectInterval: 100,
    reconnectMaxInterval: 0,
    reconnectStop: 0,
    backlog: 100,
    maxMessageSize: -1,
    lastEndpoint: "",
    tcpKeepalive: -1,
    tcpKeepaliveCount: -1,
    tcpKeepaliveIdle: -1,
    tcpKeepaliveInterval: -1,
    tcpMaxRetransmitTimeout: 0,
    tcpAcceptFilter: NO_FILTERS,
    immediate: false,
    ipv6: defaults.ipv6,
    typeOfService: 0,
    interface: "",
    loopbackFastPath: false,
    socksProxy: "",
    socksUsername: "",
    socksPassword: "",
    connectTimeout: 0,
    handshakeInterval: 30000,
    heartbeatInterval: 0,
    heartbeatTimeToLive: 0,
    heartbeatTimeout: -1,
    multicastMaxTransportDataUnit: 1500,
    multicastHops: 1,
    multicastLoop: true,
    securityMechanism: null,
    plainServer: false,
    plainUsername: UNSET,
    plainPassword: UNSET,
    curveServer: false,
    curvePublicKey: UNSET,
    curveSecretKey: UNSET,
    curveServerKey: UNSET,
    zapDomain: UNSET,
    zapEnforceDomain: false,
    metadata: NO_METADATA,
    sendBufferSize: -1,
    sendHighWaterMark: 1000,
    sendTimeout: -1,
    receiveBufferSize: -1,
    receiveHighWaterMark: 1000,
    receiveTimeout: -1,
    routingId: UNSET,
    connectRoutingId: UNSET,
    probeRouter: false,
    correlate: false,
    relaxed: false,
    conflate: false,
    mandatory: false,
    handover: false,
    routerNotify: 0,
    notify: true,
    helloMessage: UNSET,
    disconnectMessage: UNSET,
    hiccupMessage: UNSET,
    noDrop: false,
    invertMatching: false,
    manual: false,
    manualLastValue: false,
    verbosity: null,
    welcomeMessage: UNSET,
    onlyFirstSubscribe: false,
    verboseUnsubscribe: false,
  };
}

/** The options as they stand now: what a bind or connect goes by, whatever is set later. */
export function snapshot(options: OptionValues): OptionValues {
  return { ...options };
}

/** Chooses the mechanism and this end's role; the last choice wins. */
export function selectMechanism(options: OptionValues, mechanism: SecurityMechanism, asServer: boolean): void {
  options.securityMechanism = mechanism;
  options.plainServer = asServer && mechanism === "plain";
  options.curveServer = asServer && mechanism === "curve";
}

/** All options of one context. */
export interface ContextValues extends SocketDefaults {
  busyPoll: number;
  ioThreads: number;
  maxSockets: number;
  readonly maxSocketsLimit: number;
  threadPriority: number;
  threadSchedulingPolicy: number;
  maxMessageSize: number;
  ipv6: boolean;
  blocky: boolean;
}

/** The options of a new context. */
export function createContextOptions(): ContextValues {
  return {
    // Node 24 takes 1.4 times the processor time for a round trip that is polled for (bench/micro/busy-poll.mjs): who wants that, says so.
    busyPoll: 0,
    ioThreads: 1,
    maxSockets: 1023,
    maxSocketsLimit: 65535,
    threadPriority: 0,
    threadSchedulingPolicy: 0,
    maxMessageSize: 2147483647,
    ipv6: false,
    blocky: true,
  };
}

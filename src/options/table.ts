/**
 * The options: one row each. A row tells libzmq's name and number, the kind, the first value, the range and the unit,
 * which types have it, whether it can be read and written, when it takes effect, and why if it has none here. To add an
 * option, add its row here and its documented type in `public.ts`: the compiler wants both. Values, accessors, warnings
 * and the reference page follow.
 */
import {
  absent,
  bool,
  INT32_MAX,
  int32,
  load,
  loadText,
  NO_NUMBER,
  number,
  type OptionRow,
  type OptionSource,
  octets,
  octetsOrNull,
  type Row,
  row,
  type SocketDefaults,
  text,
  unreadable,
} from "./kinds.ts";
import type { ContextOptions } from "./public.ts";
import { addFilter, credential, key, mechanism, SHORT_TEXT, server } from "./security.ts";
import { SOCKET_TYPES as T } from "./socket-types.ts";
import { asked, metadata, readOnlyText, timeToLive, topic, verbose, verbosity } from "./special.ts";
import type { OptionValues, PublicOptions, Unstored } from "./values.ts";

const BOTH_WAYS: readonly number[] = [T.PAIR, T.REQ, T.REP, T.DEALER, T.ROUTER, T.XPUB, T.XSUB, T.STREAM];
const DRAFT_BOTH_WAYS: readonly number[] = [T.SERVER, T.CLIENT, T.DGRAM, T.PEER, T.CHANNEL];

/** The types that send, and so have the options of sending. */
const WRITERS: readonly number[] = [...BOTH_WAYS, T.PUB, T.PUSH, ...DRAFT_BOTH_WAYS, T.RADIO, T.SCATTER];
/** The types that receive. */
const READERS: readonly number[] = [...BOTH_WAYS, T.SUB, T.PULL, ...DRAFT_BOTH_WAYS, T.DISH, T.GATHER];

const sending = { holders: WRITERS } as const;
const receiving = { holders: READERS } as const;
/** Only set, and at once, by types that alone have it. */
const switchOf = (...types: number[]) => ({ holders: types, stored: types, access: "w", acts: "live" }) as const;
const routed = { holders: [T.REQ, T.REP, T.DEALER, T.ROUTER] } as const;
const router = { holders: [T.ROUTER], stored: [T.ROUTER], acts: "live" } as const;
const publisher = { stored: [T.XPUB, T.PUB], access: "w", acts: "live" } as const;
const xpublisher = { ...publisher, holders: [T.XPUB] } as const;

const NO_MULTICAST = "there is no multicast";
const NOT_IN_NODE = "Node cannot set it";
const NO_THREADS = "there are no I/O threads";

/** SUB, XSUB and DISH have nothing to say that is worth waiting for. */
const SHORT_LIVED: ReadonlySet<number> = new Set([T.SUB, T.XSUB, T.DISH]);
const lingerOf = (type: number, { blocky }: SocketDefaults): number => (!blocky || SHORT_LIVED.has(type) ? 0 : -1);

type Table = { readonly [K in keyof OptionValues]: Row<OptionValues[K]> } & {
  readonly [K in Extract<keyof PublicOptions, Unstored>]: Row;
};

const TABLE: Table = {
  // The socket.
  type: int32("ZMQ_TYPE", 16, (type) => type, { access: "r" }),
  threadSafe: bool("ZMQ_THREAD_SAFE", 81, (type) => type >= T.SERVER && type !== T.DGRAM, { access: "r" }),
  lastEndpoint: readOnlyText("ZMQ_LAST_ENDPOINT", 32),
  linger: int32("ZMQ_LINGER", 17, lingerOf, { least: -1, unit: "ms", acts: "live" }),
  affinity: number("uint64", "ZMQ_AFFINITY", 4, 0, { least: 0, idle: NO_THREADS }),
  metadata: metadata("ZMQ_METADATA", 95),

  // Connections: how they are made, kept and lost.
  backlog: int32("ZMQ_BACKLOG", 19, 100, { least: 0, unit: "connections" }),
  connectTimeout: int32("ZMQ_CONNECT_TIMEOUT", 79, 0, { least: 0, unit: "ms" }),
  handshakeInterval: int32("ZMQ_HANDSHAKE_IVL", 66, 30000, { least: 0, unit: "ms" }),
  heartbeatInterval: int32("ZMQ_HEARTBEAT_IVL", 75, 0, { least: 0, unit: "ms" }),
  heartbeatTimeToLive: timeToLive("ZMQ_HEARTBEAT_TTL", 76),
  heartbeatTimeout: int32("ZMQ_HEARTBEAT_TIMEOUT", 77, -1, { least: 0, unit: "ms" }),
  immediate: bool("ZMQ_IMMEDIATE", 39, false),
  maxMessageSize: number("int64", "ZMQ_MAXMSGSIZE", 22, -1, { unit: "octets" }),
  reconnectInterval: int32("ZMQ_RECONNECT_IVL", 18, 100, { least: -1, unit: "ms" }),
  reconnectMaxInterval: int32("ZMQ_RECONNECT_IVL_MAX", 21, 0, { least: 0, unit: "ms" }),
  reconnectStop: int32("ZMQ_RECONNECT_STOP", 109, 0, { least: 0, most: 7 }),

  // The network.
  interface: text("ZMQ_BINDTODEVICE", 92, { most: 16, idle: NOT_IN_NODE }),
  ipv6: bool("ZMQ_IPV6", 42, (_, context) => context.ipv6),
  loopbackFastPath: bool("ZMQ_LOOPBACK_FASTPATH", 94, false, { idle: "it is an option of Windows" }),
  multicastHops: int32("ZMQ_MULTICAST_HOPS", 25, 1, { ...sending, least: 1, unit: "networks", idle: NO_MULTICAST }),
  multicastLoop: bool("ZMQ_MULTICAST_LOOP", 96, true, { holders: [T.RADIO, T.DGRAM], idle: NO_MULTICAST }),
  multicastMaxTransportDataUnit: int32("ZMQ_MULTICAST_MAXTPDU", 84, 1500, {
    least: 1,
    unit: "octets",
    idle: NO_MULTICAST,
  }),
  rate: int32("ZMQ_RATE", 8, 100, { least: 1, unit: "kbit/s", idle: NO_MULTICAST }),
  receiveBufferSize: int32("ZMQ_RCVBUF", 12, -1, { ...receiving, least: -1, unit: "octets", idle: NOT_IN_NODE }),
  recoveryInterval: int32("ZMQ_RECOVERY_IVL", 9, 10000, { least: 0, unit: "ms", idle: NO_MULTICAST }),
  sendBufferSize: int32("ZMQ_SNDBUF", 11, -1, { ...sending, least: -1, unit: "octets", idle: NOT_IN_NODE }),
  socksPassword: text("ZMQ_SOCKS_PASSWORD", 100, { ...SHORT_TEXT, least: 0 }),
  socksProxy: text("ZMQ_SOCKS_PROXY", 68),
  socksUsername: text("ZMQ_SOCKS_USERNAME", 99, { ...SHORT_TEXT, least: 0 }),
  tcpAcceptFilter: row("ZMQ_TCP_ACCEPT_FILTER", 38, "text", [] as readonly string[], {}, unreadable, addFilter),
  tcpKeepalive: int32("ZMQ_TCP_KEEPALIVE", 34, -1, { least: -1, most: 1 }),
  tcpKeepaliveCount: int32("ZMQ_TCP_KEEPALIVE_CNT", 35, -1, { least: -1, idle: NOT_IN_NODE }),
  tcpKeepaliveIdle: int32("ZMQ_TCP_KEEPALIVE_IDLE", 36, -1, { least: -1, unit: "s" }),
  tcpKeepaliveInterval: int32("ZMQ_TCP_KEEPALIVE_INTVL", 37, -1, { least: -1, unit: "s", idle: NOT_IN_NODE }),
  tcpMaxRetransmitTimeout: int32("ZMQ_TCP_MAXRT", 80, 0, { least: 0, unit: "ms", idle: NOT_IN_NODE }),
  typeOfService: number("uint32", "ZMQ_TOS", 57, 0, { least: 0, most: INT32_MAX }),
  vmciBufferMaxSize: absent("ZMQ_VMCI_BUFFER_MAX_SIZE", 87, "uint64"),
  vmciBufferMinSize: absent("ZMQ_VMCI_BUFFER_MIN_SIZE", 86, "uint64"),
  vmciBufferSize: absent("ZMQ_VMCI_BUFFER_SIZE", 85, "uint64"),
  vmciConnectTimeout: absent("ZMQ_VMCI_CONNECT_TIMEOUT", 88, "int32"),

  // Security.
  securityMechanism: mechanism("ZMQ_MECHANISM", 43),
  plainServer: server("ZMQ_PLAIN_SERVER", 44, "plain"),
  plainUsername: credential("ZMQ_PLAIN_USERNAME", 45, "plain"),
  plainPassword: credential("ZMQ_PLAIN_PASSWORD", 46, "plain"),
  curveServer: server("ZMQ_CURVE_SERVER", 47, "curve"),
  curvePublicKey: key("ZMQ_CURVE_PUBLICKEY", 48),
  curveSecretKey: key("ZMQ_CURVE_SECRETKEY", 49),
  curveServerKey: key("ZMQ_CURVE_SERVERKEY", 50),
  zapDomain: { ...octets("ZMQ_ZAP_DOMAIN", 55, SHORT_TEXT), read: loadText },
  zapEnforceDomain: bool("ZMQ_ZAP_ENFORCE_DOMAIN", 93, false),

  // Messages.
  conflate: {
    ...bool("ZMQ_CONFLATE", 54, false, {
      holders: [T.DEALER, T.PUB, T.SUB, T.PUSH, T.PULL, T.SCATTER, T.GATHER],
      access: "w",
    }),
    read: load,
  },
  receiveHighWaterMark: int32("ZMQ_RCVHWM", 24, 1000, {
    ...receiving,
    least: 0,
    unit: "messages",
    acts: "live",
    changed: (socket: OptionSource) => socket.receiveLimitChanged(),
  }),
  receiveTimeout: int32("ZMQ_RCVTIMEO", 27, -1, { ...receiving, least: -1, unit: "ms", acts: "live" }),
  sendHighWaterMark: int32("ZMQ_SNDHWM", 23, 1000, {
    ...sending,
    least: 0,
    unit: "messages",
    acts: "live",
    changed: (socket: OptionSource) => socket.sendLimitChanged(),
  }),
  sendTimeout: int32("ZMQ_SNDTIMEO", 28, -1, { ...sending, least: -1, unit: "ms", acts: "live" }),

  // One type of socket, or a few.
  connectRoutingId: {
    ...octets("ZMQ_CONNECT_ROUTING_ID", 61, { ...SHORT_TEXT, holders: [], stored: [T.ROUTER, T.STREAM] }),
    read: undefined,
  },
  correlate: bool("ZMQ_REQ_CORRELATE", 52, false, switchOf(T.REQ)),
  disconnectMessage: octetsOrNull("ZMQ_DISCONNECT_MSG", 111, { holders: [T.ROUTER, T.SERVER, T.PEER], acts: "live" }),
  handover: bool("ZMQ_ROUTER_HANDOVER", 56, false, { ...router, access: "w" }),
  helloMessage: octetsOrNull("ZMQ_HELLO_MSG", 110, {
    holders: [T.ROUTER, T.DEALER, T.SERVER, T.CLIENT, T.PEER],
    acts: "live",
  }),
  hiccupMessage: octetsOrNull("ZMQ_HICCUP_MSG", 114, { holders: [T.DEALER, T.CLIENT, T.PEER], acts: "live" }),
  invertMatching: bool("ZMQ_INVERT_MATCHING", 74, false, { holders: [T.PUB, T.SUB, T.XPUB], acts: "live" }),
  mandatory: { ...bool("ZMQ_ROUTER_MANDATORY", 33, false, router), read: unreadable },
  manual: bool("ZMQ_XPUB_MANUAL", 71, false, xpublisher),
  manualLastValue: bool("ZMQ_XPUB_MANUAL_LAST_VALUE", 98, false, xpublisher),
  noDrop: bool("ZMQ_XPUB_NODROP", 69, false, { ...publisher, holders: [T.PUB, T.XPUB] }),
  notify: bool("ZMQ_STREAM_NOTIFY", 73, true, { holders: [T.STREAM], stored: [T.STREAM], access: "w" }),
  onlyFirstSubscribe: bool("ZMQ_ONLY_FIRST_SUBSCRIBE", 108, false, switchOf(T.XPUB, T.XSUB)),
  probeRouter: bool("ZMQ_PROBE_ROUTER", 51, false, switchOf(T.REQ, T.DEALER, T.ROUTER)),
  relaxed: bool("ZMQ_REQ_RELAXED", 53, false, switchOf(T.REQ)),
  routerNotify: int32("ZMQ_ROUTER_NOTIFY", 97, 0, { ...router, least: 0, most: 3 }),
  routingId: octets("ZMQ_ROUTING_ID", 5, { ...SHORT_TEXT, ...routed }),
  topicsCount: asked("ZMQ_TOPICS_COUNT", 116, "topicsCount", [T.PUB, T.SUB, T.XPUB, T.XSUB]),
  verboseUnsubscribe: bool("ZMQ_XSUB_VERBOSE_UNSUBSCRIBE", 115, false, switchOf(T.XSUB)),
  verbosity: verbosity("ZMQ_XPUB_VERBOSE, ZMQ_XPUB_VERBOSER", NO_NUMBER),
  welcomeMessage: octetsOrNull("ZMQ_XPUB_WELCOME_MSG", 72, xpublisher),
};

/** Reached by the calls by number only. */
const UNNAMED: readonly Row[] = [
  topic("ZMQ_SUBSCRIBE", 6, true),
  topic("ZMQ_UNSUBSCRIBE", 7, false),
  row("ZMQ_RCVMORE", 13, "int32", undefined, { holders: [], access: "r" }, () => 0, undefined),
  asked("ZMQ_EVENTS", 15, "pollEvents"),
  verbose("ZMQ_XPUB_VERBOSE", 40, "allSubs"),
  verbose("ZMQ_XPUB_VERBOSER", 78, "allSubsUnsubs"),
];

const CONTEXT_TABLE: { readonly [K in keyof ContextOptions]: Row<ContextOptions[K]> } = {
  // Node 24 takes 1.4 times the processor time for a round trip that is polled for (bench/micro/busy-poll.mjs):
  // programs ask for it.
  busyPoll: int32("", NO_NUMBER, 0, { least: 0, unit: "µs", acts: "live" }),
  ioThreads: int32("ZMQ_IO_THREADS", 1, 1, { least: 0, idle: NO_THREADS }),
  maxSockets: int32("ZMQ_MAX_SOCKETS", 2, 1023, { least: 1, unit: "sockets", acts: "live" }),
  // libzmq gives two options the number 3: it reads one and sets the other.
  maxSocketsLimit: int32("ZMQ_SOCKET_LIMIT", 3, 65535, { access: "r" }),
  threadPriority: int32("ZMQ_THREAD_PRIORITY", 3, 0, { least: 0, access: "w", idle: NO_THREADS }),
  threadSchedulingPolicy: int32("ZMQ_THREAD_SCHED_POLICY", 4, 0, { least: 0, access: "w", idle: NO_THREADS }),
  maxMessageSize: int32("ZMQ_MAX_MSGSZ", 5, INT32_MAX, { least: 0, unit: "octets", idle: "as in libzmq" }),
  ipv6: bool("ZMQ_IPV6", 42, false, { acts: "new sockets" }),
  blocky: bool("ZMQ_BLOCKY", 70, true, { acts: "new sockets" }),
};

const named = (table: object): OptionRow[] => Object.entries(table).map(([name, option]) => ({ ...option, name }));

/** All options of sockets. */
export const OPTIONS: readonly OptionRow[] = [
  ...named(TABLE),
  ...UNNAMED.map((option) => ({ ...option, name: undefined })),
];

/** The same by libzmq's numbers. */
export const OPTION_BY_ID: ReadonlyMap<number, OptionRow> = new Map(OPTIONS.map((option) => [option.id, option]));

/** All options of contexts. */
export const CONTEXT_OPTIONS: readonly OptionRow[] = named(CONTEXT_TABLE);

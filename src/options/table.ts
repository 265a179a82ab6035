/**
 * What can be configured: the table. One row for each option of a socket: its name in JavaScript, libzmq's number, its type, what is
 * accepted, who has it, whether it can be read and written, and whether it takes effect at once. What a row does is in
 * `rows.ts`, the defaults are in `values.ts`, the documentation is in `public.ts`.
 */
import {
  absent,
  addFilter,
  bool,
  credential,
  INT32_MAX,
  INTERFACE_NAME_BYTES,
  key,
  number,
  type OptionRow,
  octets,
  readMetadata,
  row,
  SHORT_TEXT_BYTES,
  server,
  text,
  topic,
  unreadable,
  verbose,
  writeMetadata,
  writeTimeToLive,
  writeVerbosity,
} from "./rows.ts";
import { type SecurityMechanism, SOCKET_TYPES } from "./values.ts";

const T = SOCKET_TYPES;

const BOTH_WAYS: readonly number[] = [T.PAIR, T.REQ, T.REP, T.DEALER, T.ROUTER, T.XPUB, T.XSUB, T.STREAM];
const DRAFT_BOTH_WAYS: readonly number[] = [T.SERVER, T.CLIENT, T.DGRAM, T.PEER, T.CHANNEL];

/** Who sends, and so has the options of sending. */
export const WRITERS: readonly number[] = [...BOTH_WAYS, T.PUB, T.PUSH, ...DRAFT_BOTH_WAYS, T.RADIO, T.SCATTER];
/** Who receives. */
export const READERS: readonly number[] = [...BOTH_WAYS, T.SUB, T.PULL, ...DRAFT_BOTH_WAYS, T.DISH, T.GATHER];

const MECHANISM_NUMBERS: readonly SecurityMechanism[] = [null, "plain", "curve", "gssapi"];

/** The number of a mechanism, as option 43 reads it. */
export function mechanismNumber(mechanism: SecurityMechanism): number {
  return MECHANISM_NUMBERS.indexOf(mechanism);
}

const routed = { holders: [T.REQ, T.REP, T.DEALER, T.ROUTER] };
const probing = {
  holders: [T.REQ, T.DEALER, T.ROUTER],
  stored: [T.REQ, T.DEALER, T.ROUTER],
  access: "w",
  live: true,
} as const;
const conflating = { holders: [T.DEALER, T.PUB, T.SUB, T.PUSH, T.PULL, T.SCATTER, T.GATHER], access: "w" } as const;
const requester = { holders: [T.REQ], stored: [T.REQ], access: "w", live: true } as const;
const router = { holders: [T.ROUTER], stored: [T.ROUTER], live: true };
const publisher = { holders: [T.XPUB], stored: [T.XPUB, T.PUB], access: "w", live: true } as const;
const counted = {
  holders: [T.PUB, T.SUB, T.XPUB, T.XSUB],
  stored: [T.PUB, T.SUB, T.XPUB, T.XSUB],
  access: "r",
} as const;
const greeting = { holders: [T.ROUTER, T.DEALER, T.SERVER, T.CLIENT, T.PEER], live: true };
const parting = { holders: [T.ROUTER, T.SERVER, T.PEER], live: true };
const losing = { holders: [T.DEALER, T.CLIENT, T.PEER], live: true };

/** Every option of a socket, by libzmq's numbers. */
export const OPTIONS: readonly OptionRow[] = [
  number("affinity", 4, 0, { kind: "uint64" }),
  octets("routingId", 5, 1, SHORT_TEXT_BYTES, false, routed),
  topic(6, true),
  topic(7, false),
  number("rate", 8, 1),
  number("recoveryInterval", 9, 0),
  number("sendBufferSize", 11, -1, { holders: WRITERS }),
  number("receiveBufferSize", 12, -1, { holders: READERS }),
  row(undefined, 13, "int32", { access: "r" }, () => 0, undefined),
  row(undefined, 15, "int32", { access: "r" }, (_, source) => source.pollEvents, undefined),
  number("type", 16, 0, { access: "r" }),
  number("linger", 17, -1, { live: true }),
  number("reconnectInterval", 18, -1),
  number("backlog", 19, 0),
  number("reconnectMaxInterval", 21, 0),
  number("maxMessageSize", 22, Number.NEGATIVE_INFINITY, { kind: "int64" }),
  number("sendHighWaterMark", 23, 0, { holders: WRITERS, live: true }),
  number("receiveHighWaterMark", 24, 0, { holders: READERS, live: true }),
  number("multicastHops", 25, 1, { holders: WRITERS }),
  number("receiveTimeout", 27, -1, { holders: READERS, live: true }),
  number("sendTimeout", 28, -1, { holders: WRITERS, live: true }),
  row("lastEndpoint", 32, "text", { access: "r" }, (options) => options.lastEndpoint || null, undefined),
  { ...bool("mandatory", 33, router), read: unreadable("mandatory") },
  number("tcpKeepalive", 34, -1, { maximum: 1 }),
  number("tcpKeepaliveCount", 35, -1),
  number("tcpKeepaliveIdle", 36, -1),
  number("tcpKeepaliveInterval", 37, -1),
  row("tcpAcceptFilter", 38, "text", {}, unreadable("tcpAcceptFilter"), addFilter),
  bool("immediate", 39),
  verbose(40, "allSubs"),
  bool("ipv6", 42),
  row("securityMechanism", 43, "other", { access: "r" }, (options) => options.securityMechanism, undefined),
  server("plainServer", 44, "plain"),
  credential("plainUsername", 45),
  credential("plainPassword", 46),
  server("curveServer", 47, "curve"),
  key("curvePublicKey", 48),
  key("curveSecretKey", 49),
  key("curveServerKey", 50),
  bool("probeRouter", 51, probing),
  bool("correlate", 52, requester),
  bool("relaxed", 53, requester),
  bool("conflate", 54, conflating),
  octets("zapDomain", 55, 1, SHORT_TEXT_BYTES, false),
  bool("handover", 56, { ...router, access: "w" }),
  number("typeOfService", 57, 0, { kind: "uint32", maximum: INT32_MAX }),
  {
    ...octets("connectRoutingId", 61, 1, SHORT_TEXT_BYTES, false, { holders: [], stored: [T.ROUTER, T.STREAM] }),
    read: undefined,
  },
  number("handshakeInterval", 66, 0),
  text("socksProxy", 68, Number.POSITIVE_INFINITY),
  bool("noDrop", 69, { ...publisher, holders: [T.PUB, T.XPUB] }),
  bool("manual", 71, publisher),
  octets("welcomeMessage", 72, 0, Number.POSITIVE_INFINITY, true, publisher),
  bool("notify", 73, { holders: [T.STREAM], stored: [T.STREAM], access: "w" }),
  bool("invertMatching", 74, { holders: [T.PUB, T.SUB, T.XPUB], live: true }),
  number("heartbeatInterval", 75, 0),
  row("heartbeatTimeToLive", 76, "int32", {}, (options) => options.heartbeatTimeToLive, writeTimeToLive),
  number("heartbeatTimeout", 77, 0),
  verbose(78, "allSubsUnsubs"),
  number("connectTimeout", 79, 0),
  number("tcpMaxRetransmitTimeout", 80, 0),
  row("threadSafe", 81, "bool", { access: "r" }, (options) => options.threadSafe, undefined),
  number("multicastMaxTransportDataUnit", 84, 1),
  absent("vmciBufferSize", 85, "uint64"),
  absent("vmciBufferMinSize", 86, "uint64"),
  absent("vmciBufferMaxSize", 87, "uint64"),
  absent("vmciConnectTimeout", 88, "int32"),
  text("interface", 92, INTERFACE_NAME_BYTES),
  bool("zapEnforceDomain", 93),
  bool("loopbackFastPath", 94),
  // From here on: options that libzmq calls drafts.
  row("metadata", 95, "other", {}, readMetadata, writeMetadata),
  bool("multicastLoop", 96, { holders: [T.RADIO, T.DGRAM] }),
  number("routerNotify", 97, 0, { ...router, maximum: 3 }),
  bool("manualLastValue", 98, publisher),
  text("socksUsername", 99, SHORT_TEXT_BYTES),
  text("socksPassword", 100, SHORT_TEXT_BYTES),
  bool("onlyFirstSubscribe", 108, { holders: [T.XPUB, T.XSUB], stored: [T.XPUB, T.XSUB], access: "w", live: true }),
  number("reconnectStop", 109, 0, { maximum: 7 }),
  octets("helloMessage", 110, 0, Number.POSITIVE_INFINITY, true, greeting),
  octets("disconnectMessage", 111, 0, Number.POSITIVE_INFINITY, true, parting),
  octets("hiccupMessage", 114, 0, Number.POSITIVE_INFINITY, true, losing),
  bool("verboseUnsubscribe", 115, { holders: [T.XSUB], stored: [T.XSUB], access: "w", live: true }),
  row("topicsCount", 116, "int32", counted, (_, source) => source.topicsCount, undefined),
  row("verbosity", -1, "other", { holders: [T.XPUB], access: "w", live: true }, undefined, writeVerbosity),
];

/** The rows by libzmq's numbers. */
export const OPTION_BY_ID: ReadonlyMap<number, OptionRow> = new Map(OPTIONS.map((option) => [option.id, option]));

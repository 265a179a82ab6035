/**
 * What can be configured: the rules. One row for each option of a socket: its name in JavaScript, libzmq's number, its type, who
 * has it, whether it can be read and written, what is accepted, and whether it takes effect at once. Defaults are in `options.ts`.
 *
 * A row reads from and writes to the options of a socket; a value that it does not accept is EINVAL. Types are checked before, by
 * `option-access.ts`: a number row gets a number already cut to its width, a text row a `Buffer` or null.
 */
import { decodeZ85, encodeZ85 } from "./codec/z85.ts";
import { errnoError } from "./errors.ts";
import { type OptionValues, type SecurityMechanism, SOCKET_TYPES, selectMechanism, type Verbosity } from "./options.ts";

/** The types of option values: numbers by width, and `text`, which is a string or octets. `other` has a shape of its own. */
export type OptionKind = "bool" | "int32" | "uint32" | "int64" | "uint64" | "text" | "other";

/** What a row may ask of the socket besides its stored options. */
export interface OptionSource {
  /** libzmq's poll flags: 1 readable, 2 writable. */
  readonly pollEvents: number;
  /** How many distinct topics are subscribed to, here or by peers. */
  readonly topicsCount: number;
  /** Subscribes or unsubscribes: options 6 and 7 of libzmq. */
  setTopic(topic: Buffer, subscribe: boolean): void;
}

export interface OptionRow {
  /** The property's name; undefined for what only the calls by number reach. */
  readonly name: string | undefined;
  readonly id: number;
  readonly kind: OptionKind;
  /** The socket types whose class has the property; "every" puts it on the base class. */
  readonly holders: "every" | readonly number[];
  /** The socket types whose number call works; libzmq stores most options for any type. */
  readonly stored: "every" | readonly number[];
  /** Undefined: write-only, and the property has no getter. */
  readonly read: ((options: OptionValues, source: OptionSource) => unknown) | undefined;
  /** Undefined: read-only. */
  readonly write: ((options: OptionValues, value: never, source: OptionSource) => void) | undefined;
  /** Takes effect without a new bind or connect, as far as the warning about it is concerned. */
  readonly live: boolean;
}

const T = SOCKET_TYPES;

const BOTH_WAYS: readonly number[] = [T.PAIR, T.REQ, T.REP, T.DEALER, T.ROUTER, T.XPUB, T.XSUB, T.STREAM];
const DRAFT_BOTH_WAYS: readonly number[] = [T.SERVER, T.CLIENT, T.DGRAM, T.PEER, T.CHANNEL];

/** Who sends, and so has the options of sending. */
export const WRITERS: readonly number[] = [...BOTH_WAYS, T.PUB, T.PUSH, ...DRAFT_BOTH_WAYS, T.RADIO, T.SCATTER];
/** Who receives. */
export const READERS: readonly number[] = [...BOTH_WAYS, T.SUB, T.PULL, ...DRAFT_BOTH_WAYS, T.DISH, T.GATHER];

/** What changes without a new bind or connect, by libzmq's numbers; for others the warning is issued. */
const LIVE: ReadonlySet<number> = new Set([6, 7, 17, 23, 24, 27, 28, 33, 40, 51, 52, 53, 56, 78]);

/** Octets of a user name, a password, a routing id or a ZAP domain. */
const SHORT_TEXT_BYTES = 255;
/** Octets of a network interface's name. */
const INTERFACE_NAME_BYTES = 16;
const KEY_BYTES = 32;
const KEY_CHARACTERS = 40;
/** The most that PING's 16-bit field of tenths of a second can say. */
const TIME_TO_LIVE_MAX_DECISECONDS = 65535;
const INT32_MAX = 0x7fffffff;

type Fields<V> = { [K in keyof OptionValues]-?: OptionValues[K] extends V ? K : never }[keyof OptionValues];
type Holders = "every" | readonly number[];

interface Where {
  /** "every" when absent. */
  holders?: Holders;
  /** What the number call reaches: "every" when absent. */
  stored?: Holders;
  access?: "rw" | "r" | "w";
}

function refuse(): never {
  throw errnoError("EINVAL");
}

function row(
  name: string | undefined,
  id: number,
  kind: OptionKind,
  where: Where,
  read: OptionRow["read"],
  write: OptionRow["write"],
): OptionRow {
  const access = where.access ?? "rw";
  return {
    name,
    id,
    kind,
    holders: where.holders ?? "every",
    stored: where.stored ?? "every",
    read: access === "w" ? undefined : read,
    write: access === "r" ? undefined : write,
    live: LIVE.has(id),
  };
}

/** Stores a value whose type the row's `kind` has made sure of. */
function store(options: OptionValues, name: keyof OptionValues, value: unknown): void {
  (options as unknown as Record<string, unknown>)[name] = value;
}

/** A number from `minimum` to `maximum`. */
function number(
  name: Fields<number> & string,
  id: number,
  minimum: number,
  where: Where & { kind?: OptionKind; maximum?: number } = {},
): OptionRow {
  const maximum = where.maximum ?? Number.POSITIVE_INFINITY;
  return row(
    name,
    id,
    where.kind ?? "int32",
    where,
    (options) => options[name],
    (options, value: number) => {
      if (value < minimum || value > maximum) refuse();
      store(options, name, value);
    },
  );
}

/** A switch. */
function bool(name: Fields<boolean> & string, id: number, where: Where = {}): OptionRow {
  return row(
    name,
    id,
    "bool",
    where,
    (options) => options[name],
    (options, value: boolean) => {
      store(options, name, value);
    },
  );
}

/** Octets, of `least` to `most`; null sets them back when `nullable`. */
function octets(
  name: Fields<Buffer> & string,
  id: number,
  least: number,
  most: number,
  nullable: boolean,
  where: Where = {},
): OptionRow {
  return row(
    name,
    id,
    "text",
    where,
    (options) => textOf(options[name]),
    (options, value: Buffer | null) => {
      options[name] = checkOctets(value, least, most, nullable);
    },
  );
}

/** Text, of 1 to `most` octets; null sets it back. */
function text(name: Fields<string> & string, id: number, most: number, where: Where = {}): OptionRow {
  return row(
    name,
    id,
    "text",
    where,
    (options) => options[name] || null,
    (options, value: Buffer | null) => {
      store(options, name, checkOctets(value, 1, most, true).toString());
    },
  );
}

function checkOctets(value: Buffer | null, least: number, most: number, nullable: boolean): Buffer {
  if (value === null) return nullable ? Buffer.alloc(0) : refuse();
  if (value.length < least || value.length > most) refuse();
  return value;
}

/** Octets as a string, which ends at the first NUL as C has it; null when there are none. */
function textOf(value: Buffer): string | null {
  if (value.length === 0 || (value.length === 1 && value[0] === 0)) return null;
  const end = value.indexOf(0);
  return value.toString("utf8", 0, end < 0 ? value.length : end);
}

/** One of the two switches that say: this end is the server of a mechanism. */
function server(name: "plainServer" | "curveServer", id: number, mechanism: SecurityMechanism): OptionRow {
  return row(
    name,
    id,
    "bool",
    {},
    (options) => options[name],
    (options, value: boolean) => selectMechanism(options, value ? mechanism : null, value),
  );
}

/** A name or password of PLAIN: setting one makes this end a PLAIN client, null takes the mechanism back. */
function credential(name: "plainUsername" | "plainPassword", id: number): OptionRow {
  return row(
    name,
    id,
    "text",
    {},
    (options) => textOf(options[name]),
    (options, value: Buffer | null) => {
      options[name] = checkOctets(value, 1, SHORT_TEXT_BYTES, true);
      selectMechanism(options, value === null ? null : "plain", false);
    },
  );
}

/** A CURVE key: setting one selects CURVE; the server's key makes this end a client. */
function key(name: "curvePublicKey" | "curveSecretKey" | "curveServerKey", id: number): OptionRow {
  return row(
    name,
    id,
    "text",
    {},
    (options) => {
      if (options.securityMechanism !== "curve") refuse();
      return encodeZ85(options[name].length === 0 ? Buffer.alloc(KEY_BYTES) : options[name]);
    },
    (options, value: Buffer | null) => {
      options[name] = keyOctets(value);
      const isServer = name !== "curveServerKey" && (options.curveServer || options.plainServer);
      selectMechanism(options, "curve", isServer);
    },
  );
}

function keyOctets(value: Buffer | null): Buffer {
  if (value?.length === KEY_BYTES) return value;
  const printed = value?.length === KEY_CHARACTERS + 1 && value[KEY_CHARACTERS] === 0;
  if (value?.length !== KEY_CHARACTERS && !printed) refuse();
  return decodeZ85(value!.toString("latin1", 0, KEY_CHARACTERS));
}

/** An option that this build of libzmq, and so this package, knows by name but does not have. */
function absent(name: string, id: number, kind: OptionKind): OptionRow {
  return row(name, id, kind, {}, refuse, refuse);
}

/** `address` or `address/bits`, for IPv4 or IPv6. */
const ADDRESS_RANGE =
  /^(?:(?:\d{1,3}\.){3}\d{1,3}(?:\/(?:[12]?\d|3[0-2]))?|[\da-f:.]*:[\da-f:.]*(?:\/(?:\d{1,2}|1[01]\d|12[0-8]))?)$/i;

function addFilter(options: OptionValues, value: Buffer | null): void {
  if (value === null) {
    options.tcpAcceptFilter = [];
    return;
  }
  const range = value.toString();
  if (!ADDRESS_RANGE.test(range)) refuse();
  options.tcpAcceptFilter = [...options.tcpAcceptFilter, range];
}

/** Application metadata as an object; names start with "X-", as ZMTP reserves all others. */
function readMetadata(options: OptionValues): Record<string, string> {
  const record: Record<string, string> = {};
  for (const [name, value] of options.metadata) record[name] = value.toString();
  return record;
}

const METADATA_NAME = /^X-[A-Za-z\d\-_.+]{0,253}$/;

function writeMetadata(options: OptionValues, value: unknown): void {
  if (value === null) {
    options.metadata = new Map();
  } else if (Buffer.isBuffer(value)) {
    addMetadata(options, value);
  } else if (typeof value === "object") {
    setMetadata(options, metadataEntries(value));
  } else {
    throw new TypeError("Option value must be an object");
  }
}

function metadataEntries(value: object): [string, Buffer][] {
  const entries: [string, Buffer][] = [];
  for (const [name, content] of Object.entries(value)) {
    if (!METADATA_NAME.test(name)) refuse();
    if (typeof content === "string") entries.push([name, Buffer.from(content)]);
    else if (content instanceof Uint8Array) entries.push([name, Buffer.from(content)]);
    else throw new TypeError("Option value must be a string or buffer");
  }
  return entries;
}

/** libzmq's form, by number: "X-name:value", added to what is there. */
function addMetadata(options: OptionValues, line: Buffer): void {
  const colon = line.indexOf(":");
  const name = line.toString("latin1", 0, Math.max(colon, 0));
  if (colon < 0 || colon === line.length - 1 || !METADATA_NAME.test(name)) refuse();
  setMetadata(options, [...options.metadata, [name, line.subarray(colon + 1)]]);
}

function setMetadata(options: OptionValues, entries: [string, Buffer][]): void {
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  options.metadata = new Map(entries);
}

function writeTimeToLive(options: OptionValues, value: number): void {
  const deciseconds = Math.max(0, Math.trunc(value / 100));
  if (deciseconds > TIME_TO_LIVE_MAX_DECISECONDS) refuse();
  options.heartbeatTimeToLive = deciseconds * 100;
}

/** The values that are not known are ignored, as the package that this follows does. */
function writeVerbosity(options: OptionValues, value: unknown): void {
  if (value === null || value === "allSubs" || value === "allSubsUnsubs") options.verbosity = value;
}

/** The two switches of libzmq that `verbosity` stands for. */
function verbose(id: number, level: Verbosity): OptionRow {
  return row(undefined, id, "bool", { stored: [T.XPUB], access: "w" }, undefined, (options, value: boolean) => {
    options.verbosity = value ? level : null;
  });
}

function topic(id: number, subscribe: boolean): OptionRow {
  return row(
    undefined,
    id,
    "text",
    { stored: [T.SUB, T.XPUB], access: "w" },
    undefined,
    (_, value: Buffer | null, source) => source.setTopic(value ?? Buffer.alloc(0), subscribe),
  );
}

const MECHANISM_NUMBERS: readonly SecurityMechanism[] = [null, "plain", "curve", "gssapi"];

/** The number of a mechanism, as option 43 reads it. */
export function mechanismNumber(mechanism: SecurityMechanism): number {
  return MECHANISM_NUMBERS.indexOf(mechanism);
}

const routed = { holders: [T.REQ, T.REP, T.DEALER, T.ROUTER] };
const probing = { holders: [T.REQ, T.DEALER, T.ROUTER], stored: [T.REQ, T.DEALER, T.ROUTER], access: "w" } as const;
const conflating = { holders: [T.DEALER, T.PUB, T.SUB, T.PUSH, T.PULL, T.SCATTER, T.GATHER], access: "w" } as const;
const requester = { holders: [T.REQ], stored: [T.REQ], access: "w" } as const;
const router = { holders: [T.ROUTER], stored: [T.ROUTER] };
const publisher = { holders: [T.XPUB], stored: [T.XPUB, T.PUB], access: "w" } as const;
const counted = {
  holders: [T.PUB, T.SUB, T.XPUB, T.XSUB],
  stored: [T.PUB, T.SUB, T.XPUB, T.XSUB],
  access: "r",
} as const;
const eager = { holders: [T.ROUTER, T.DEALER, T.SERVER, T.CLIENT, T.PEER] };

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
  number("linger", 17, -1),
  number("reconnectInterval", 18, -1),
  number("backlog", 19, 0),
  number("reconnectMaxInterval", 21, 0),
  number("maxMessageSize", 22, Number.NEGATIVE_INFINITY, { kind: "int64" }),
  number("sendHighWaterMark", 23, 0, { holders: WRITERS }),
  number("receiveHighWaterMark", 24, 0, { holders: READERS }),
  number("multicastHops", 25, 1, { holders: WRITERS }),
  number("receiveTimeout", 27, -1, { holders: READERS }),
  number("sendTimeout", 28, -1, { holders: WRITERS }),
  row("lastEndpoint", 32, "text", { access: "r" }, (options) => options.lastEndpoint || null, undefined),
  { ...bool("mandatory", 33, router), read: refuse },
  number("tcpKeepalive", 34, -1, { maximum: 1 }),
  number("tcpKeepaliveCount", 35, -1),
  number("tcpKeepaliveIdle", 36, -1),
  number("tcpKeepaliveInterval", 37, -1),
  row("tcpAcceptFilter", 38, "text", {}, refuse, addFilter),
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
  bool("invertMatching", 74, { holders: [T.PUB, T.SUB, T.XPUB] }),
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
  bool("onlyFirstSubscribe", 108, { holders: [T.XPUB, T.XSUB], stored: [T.XPUB, T.XSUB], access: "w" }),
  number("reconnectStop", 109, 0, { maximum: 7 }),
  octets("helloMessage", 110, 0, Number.POSITIVE_INFINITY, true, eager),
  octets("disconnectMessage", 111, 0, Number.POSITIVE_INFINITY, true, { holders: [T.ROUTER, T.SERVER, T.PEER] }),
  octets("hiccupMessage", 114, 0, Number.POSITIVE_INFINITY, true, { holders: [T.DEALER, T.CLIENT, T.PEER] }),
  bool("verboseUnsubscribe", 115, { holders: [T.XSUB], stored: [T.XSUB], access: "w" }),
  row("topicsCount", 116, "int32", counted, (_, source) => source.topicsCount, undefined),
  row("verbosity", -1, "other", { holders: [T.XPUB], access: "w" }, undefined, writeVerbosity),
];

/** The rows by libzmq's numbers. */
export const OPTION_BY_ID: ReadonlyMap<number, OptionRow> = new Map(OPTIONS.map((option) => [option.id, option]));

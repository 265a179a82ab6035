/**
 * How one option is read, checked and stored: the kinds of rows that the table is made of. A row reads from and writes to the
 * options of a socket; a value that it does not accept is EINVAL. Types are checked before, by `access.ts`: a number row
 * gets a number already cut to its width, a text row a `Buffer` of its own or null.
 */
import { viewOctets } from "../base/bytes.ts";
import { METADATA_BYTES } from "../base/constants.ts";
import { type ErrnoError, invalid } from "../base/errors.ts";
import { decodeZ85, encodeZ85 } from "../codec/z85.ts";
import { KEY_BYTES } from "../crypto/crypto.ts";
import { type OptionValues, type SecurityMechanism, SOCKET_TYPES, selectMechanism, type Verbosity } from "./values.ts";

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
  /** Takes effect without a new bind or connect: its field is read where it matters, not from the copy that an endpoint keeps. */
  readonly live: boolean;
}

/** Octets of a user name, a password, a routing id or a ZAP domain. */
export const SHORT_TEXT_BYTES = 255;
/** Octets of a network interface's name. */
export const INTERFACE_NAME_BYTES = 16;
const KEY_CHARACTERS = 40;
/** The most that PING's 16-bit field of tenths of a second can say. */
const TIME_TO_LIVE_MAX_DECISECONDS = 65535;
/** The most that an option may be which libzmq keeps in a signed number. */
export const INT32_MAX = 0x7fffffff;

type Fields<V> = { [K in keyof OptionValues]-?: OptionValues[K] extends V ? K : never }[keyof OptionValues];
type Holders = "every" | readonly number[];

/** Who has an option, and how. */
export interface Where {
  /** "every" when absent. */
  holders?: Holders;
  /** What the number call reaches: "every" when absent. */
  stored?: Holders;
  access?: "rw" | "r" | "w";
  /** False when absent. */
  live?: boolean;
}

/** What libzmq does not let read, in a row that can be written. */
export function unreadable(name: string): () => never {
  return () => {
    throw invalid(`${name} can be set, and not read`);
  };
}

/** A row with a reader and a writer of its own; what `where.access` excludes of them is left out. */
export function row(
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
    live: where.live ?? false,
  };
}

/** Stores a value whose type the row's `kind` has made sure of. */
function store(options: OptionValues, name: keyof OptionValues, value: unknown): void {
  (options as unknown as Record<string, unknown>)[name] = value;
}

/** A number from `minimum` to `maximum`. */
export function number(
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
      if (value < minimum || value > maximum) throw invalid(`${name} takes ${range(minimum, maximum)}, not ${value}`);
      store(options, name, value);
    },
  );
}

function range(minimum: number, maximum: number): string {
  return maximum === Number.POSITIVE_INFINITY ? `${minimum} or more` : `${minimum} to ${maximum}`;
}

/** A switch. */
export function bool(name: Fields<boolean> & string, id: number, where: Where = {}): OptionRow {
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
export function octets(
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
      options[name] = checkOctets(name, value, least, most, nullable);
    },
  );
}

/** Text, of 1 to `most` octets; null sets it back. */
export function text(name: Fields<string> & string, id: number, most: number, where: Where = {}): OptionRow {
  return row(
    name,
    id,
    "text",
    where,
    (options) => options[name] || null,
    (options, value: Buffer | null) => {
      store(options, name, checkOctets(name, value, 1, most, true).toString());
    },
  );
}

/** The error counts the octets and does not repeat them: they may be a password. */
function checkOctets(name: string, value: Buffer | null, least: number, most: number, nullable: boolean): Buffer {
  if (value === null && nullable) return Buffer.alloc(0);
  if (value !== null && value.length >= least && value.length <= most) return value;
  throw invalid(`${name} takes ${range(least, most)} octets, not ${value === null ? "null" : value.length}`);
}

/** Octets as a string, which ends at the first NUL as C has it; null when there are none. */
function textOf(value: Buffer): string | null {
  if (value.length === 0 || (value.length === 1 && value[0] === 0)) return null;
  const end = value.indexOf(0);
  return value.toString("utf8", 0, end < 0 ? value.length : end);
}

/** One of the two switches that say: this end is the server of a mechanism. */
export function server(name: "plainServer" | "curveServer", id: number, mechanism: SecurityMechanism): OptionRow {
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
export function credential(name: "plainUsername" | "plainPassword", id: number): OptionRow {
  return row(
    name,
    id,
    "text",
    {},
    (options) => textOf(options[name]),
    (options, value: Buffer | null) => {
      options[name] = checkOctets(name, value, 1, SHORT_TEXT_BYTES, true);
      selectMechanism(options, value === null ? null : "plain", false);
    },
  );
}

/** A CURVE key: setting one selects CURVE; the server's key makes this end a client. */
export function key(name: "curvePublicKey" | "curveSecretKey" | "curveServerKey", id: number): OptionRow {
  return row(
    name,
    id,
    "text",
    {},
    (options) => {
      if (options.securityMechanism !== "curve") throw invalid(`${name} cannot be read: the mechanism is not CURVE`);
      return encodeZ85(options[name].length === 0 ? Buffer.alloc(KEY_BYTES) : options[name]);
    },
    (options, value: Buffer | null) => {
      options[name] = keyOctets(name, value);
      const isServer = name !== "curveServerKey" && (options.curveServer || options.plainServer);
      selectMechanism(options, "curve", isServer);
    },
  );
}

/** The error says what libzmq's does, and its cause what a key is: never what was given. */
function keyOctets(name: string, value: Buffer | null): Buffer {
  if (value?.length === KEY_BYTES) return value;
  const printed = value?.length === KEY_CHARACTERS + 1 && value[KEY_CHARACTERS] === 0;
  try {
    if (value?.length === KEY_CHARACTERS || printed) return decodeZ85(value!.toString("latin1", 0, KEY_CHARACTERS));
  } catch {
    // No Z85 either.
  }
  throw invalid(`${name} takes a key of ${KEY_BYTES} octets, or of ${KEY_CHARACTERS} characters in Z85`);
}

/** An option that this build of libzmq, and so this package, knows by name but does not have. */
export function absent(name: string, id: number, kind: OptionKind): OptionRow {
  const refuse = (): never => {
    throw invalid(`${name} is not available`);
  };
  return row(name, id, kind, {}, refuse, refuse);
}

/** `address` or `address/bits`, for IPv4 or IPv6. */
const ADDRESS_RANGE =
  /^(?:(?:\d{1,3}\.){3}\d{1,3}(?:\/(?:[12]?\d|3[0-2]))?|[\da-f:.]*:[\da-f:.]*(?:\/(?:\d{1,2}|1[01]\d|12[0-8]))?)$/i;

/** Adds an address range to those whose peers may connect; null clears them. */
export function addFilter(options: OptionValues, value: Buffer | null): void {
  if (value === null) {
    options.tcpAcceptFilter = [];
    return;
  }
  const given = value.toString();
  if (!ADDRESS_RANGE.test(given)) throw invalid(`"${given}" is neither an IP address nor a network`);
  options.tcpAcceptFilter = [...options.tcpAcceptFilter, given];
}

/** Application metadata as an object; names start with "X-", as ZMTP reserves all others. */
export function readMetadata(options: OptionValues): Record<string, string> {
  const record: Record<string, string> = {};
  for (const [name, value] of options.metadata) record[name] = value.toString();
  return record;
}

const METADATA_NAME = /^X-[A-Za-z\d\-_.+]{0,253}$/;

/** Takes an object, or libzmq's text in octets; null clears all. */
export function writeMetadata(options: OptionValues, value: unknown): void {
  if (value === null) {
    options.metadata = new Map();
    return;
  }
  const line = viewOctets(value);
  if (line !== undefined) addMetadata(options, Buffer.from(line));
  else if (typeof value === "object") setMetadata(options, metadataEntries(value));
  else throw new TypeError("Option value must be an object");
}

function metadataEntries(value: object): [string, Buffer][] {
  const entries: [string, Buffer][] = [];
  for (const [name, content] of Object.entries(value)) {
    if (!METADATA_NAME.test(name)) throw badName(name);
    const octets = typeof content === "string" ? Buffer.from(content) : viewOctets(content);
    if (octets === undefined) throw new TypeError("Option value must be a string or buffer");
    entries.push([name, Buffer.from(octets)]);
  }
  return entries;
}

/** libzmq's form, by number: "X-name:value", added to what is there. */
function addMetadata(options: OptionValues, line: Buffer): void {
  const colon = line.indexOf(":");
  const name = line.toString("latin1", 0, Math.max(colon, 0));
  if (colon < 0 || colon === line.length - 1) throw invalid('metadata by number has the form "X-name:value"');
  if (!METADATA_NAME.test(name)) throw badName(name);
  setMetadata(options, [...options.metadata, [name, line.subarray(colon + 1)]]);
}

function badName(name: string): ErrnoError {
  return invalid(`"${name}" is no name of metadata: X- and up to 253 letters, digits or - _ . +`);
}

function setMetadata(options: OptionValues, entries: [string, Buffer][]): void {
  // A name's length takes one octet, a value's four.
  const size = entries.reduce((sum, [name, value]) => sum + 5 + name.length + value.length, 0);
  if (size > METADATA_BYTES) throw invalid(`metadata of ${size} octets, where ${METADATA_BYTES} are the most`);
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  options.metadata = new Map(entries);
}

/** Cuts to tenths of a second; negative is none. */
export function writeTimeToLive(options: OptionValues, value: number): void {
  const deciseconds = Math.max(0, Math.trunc(value / 100));
  if (deciseconds > TIME_TO_LIVE_MAX_DECISECONDS) {
    throw invalid(`heartbeatTimeToLive takes up to ${TIME_TO_LIVE_MAX_DECISECONDS * 100 + 99}, not ${value}`);
  }
  options.heartbeatTimeToLive = deciseconds * 100;
}

/** The values that are not known are ignored, as the package that this follows does. */
export function writeVerbosity(options: OptionValues, value: unknown): void {
  if (value === null || value === "allSubs" || value === "allSubsUnsubs") options.verbosity = value;
}

/** The two switches of libzmq that `verbosity` stands for. */
export function verbose(id: number, level: Verbosity): OptionRow {
  return row(
    undefined,
    id,
    "bool",
    { stored: [SOCKET_TYPES.XPUB], access: "w", live: true },
    undefined,
    (options, value: boolean) => {
      options.verbosity = value ? level : null;
    },
  );
}

/** One of the two options that subscribe and unsubscribe. */
export function topic(id: number, subscribe: boolean): OptionRow {
  return row(
    undefined,
    id,
    "text",
    { stored: [SOCKET_TYPES.SUB, SOCKET_TYPES.XPUB], access: "w", live: true },
    undefined,
    (_, value: Buffer | null, source) => source.setTopic(value ?? Buffer.alloc(0), subscribe),
  );
}

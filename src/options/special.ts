/**
 * The kinds of options of which there are one or two: metadata, the time to live, verbosity, and subscribing by number.
 */
import { EMPTY, viewOctets } from "../base/bytes.ts";
import { METADATA_BYTES, PROPERTIES } from "../base/constants.ts";
import { type ErrnoError, invalid } from "../base/errors.ts";
import { int32, load, nameOf, type OptionRow, type Row, rangeOf, row } from "./kinds.ts";
import type { Verbosity } from "./public.ts";
import { SOCKET_TYPES } from "./socket-types.ts";
import type { OptionValues } from "./values.ts";

const METADATA_NAME = /^X-[A-Za-z\d\-_.+]{0,253}$/;
/** The most that PING's 16-bit field of tenths of a second can say. */
const TIME_TO_LIVE_MAX_DECISECONDS = 65535;

/** Application metadata as an object; names start with "X-", as ZMTP reserves all others. */
export function metadata(libzmq: string, id: number): Row<ReadonlyMap<string, Buffer>> {
  return row(libzmq, id, "other", new Map(), {}, loadMetadata, storeMetadata);
}

function loadMetadata(values: object): Record<string, string> {
  const record: Record<string, string> = {};
  for (const [name, value] of (values as OptionValues).metadata) record[name] = value.toString();
  return record;
}

/** Takes an object, or libzmq's text in octets; null clears all. */
function storeMetadata(values: object, value: unknown): void {
  const options = values as OptionValues;
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

/** libzmq's form, by number: "X-name:value", added to the others. */
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

/** A socket type and a routing id stand beside them. */
const METADATA_ENTRIES = PROPERTIES - 2;

function setMetadata(options: OptionValues, entries: [string, Buffer][]): void {
  // A name's length takes one octet, a value's four.
  const size = entries.reduce((sum, [name, value]) => sum + 5 + name.length + value.length, 0);
  if (size > METADATA_BYTES) throw invalid(`metadata of ${size} octets, where ${METADATA_BYTES} are the most`);
  if (entries.length > METADATA_ENTRIES) {
    throw invalid(`metadata of ${entries.length} properties, where ${METADATA_ENTRIES} are the most`);
  }
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  options.metadata = new Map(entries);
}

/** Milliseconds that are kept in whole tenths of a second, as PING tells them: so -99 is 0, and -100 is refused. */
export function timeToLive(libzmq: string, id: number): Row<number> {
  const most = TIME_TO_LIVE_MAX_DECISECONDS * 100 + 99;
  return { ...int32(libzmq, id, 0, { least: 0, most, unit: "ms" }), write: storeTimeToLive };
}

function storeTimeToLive(values: object, value: unknown, option: OptionRow): void {
  const deciseconds = Math.trunc((value as number) / 100);
  if (deciseconds < 0 || deciseconds > TIME_TO_LIVE_MAX_DECISECONDS) {
    throw invalid(`${nameOf(option)} takes ${rangeOf(option)}, not ${value}`);
  }
  (values as OptionValues).heartbeatTimeToLive = Math.abs(deciseconds * 100);
}

const XPUB_ONLY = { stored: [SOCKET_TYPES.XPUB], access: "w", acts: "live" } as const;

/** Which subscriptions an XPUB reports. Values that are not known are ignored, as `zeromq` does. */
export function verbosity(libzmq: string, id: number): Row<Verbosity> {
  const where = { ...XPUB_ONLY, holders: [SOCKET_TYPES.XPUB] };
  return row<Verbosity>(libzmq, id, "other", null, where, undefined, (values, value) => {
    if (value === null || value === "allSubs" || value === "allSubsUnsubs") (values as OptionValues).verbosity = value;
  });
}

/** One of the two switches of libzmq that `verbosity` stands for. */
export function verbose(libzmq: string, id: number, level: Verbosity): Row {
  return row(libzmq, id, "bool", undefined, { ...XPUB_ONLY, holders: [] }, undefined, (values, value) => {
    (values as OptionValues).verbosity = value ? level : null;
  });
}

/** One of the two options that subscribe and unsubscribe. */
export function topic(libzmq: string, id: number, subscribes: boolean): Row {
  const where = { holders: [], stored: [SOCKET_TYPES.SUB, SOCKET_TYPES.XPUB], access: "w", acts: "live" } as const;
  return row(libzmq, id, "text", undefined, where, undefined, (_, value, __, source) =>
    source.setTopic((value as Buffer | null) ?? EMPTY, subscribes),
  );
}

/** A number that the socket is asked for when it is read. */
export function asked(libzmq: string, id: number, of: "pollEvents" | "topicsCount", types?: readonly number[]): Row {
  const where = { holders: types ?? [], stored: types ?? "every", access: "r" } as const;
  return row(libzmq, id, "int32", undefined, where, (_, __, source) => source[of], undefined);
}

/** The last endpoint: kept as text, which only the socket itself changes. */
export function readOnlyText(libzmq: string, id: number): Row<string> {
  return row<string>(
    libzmq,
    id,
    "text",
    "",
    { access: "r" },
    (values, option) => load(values, option) || null,
    undefined,
  );
}

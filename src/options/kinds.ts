/**
 * The row of one option, and the usual kinds of options: numbers, switches, octets, text. A row reads from and
 * writes to the values of a socket or a context; a value that it does not accept is EINVAL. Types are checked before,
 * by `access.ts`: a row of numbers gets a number already cut to its width, one of text a `Buffer` of its own or null.
 */
import { EMPTY } from "../base/bytes.ts";
import { invalid } from "../base/errors.ts";

/** The types of values: numbers by width, and `text`, which is a string or octets. `other` has a shape of its own. */
export type OptionKind = "bool" | "int32" | "uint32" | "int64" | "uint64" | "text" | "other";

/** The socket as rows see it, besides its stored values. */
export interface OptionSource {
  /** libzmq's poll flags: 1 readable, 2 writable. */
  readonly pollEvents: number;
  /** How many distinct topics are subscribed to, here or by peers. */
  readonly topicsCount: number;
  /** Subscribes or unsubscribes: options 6 and 7 of libzmq. */
  setTopic(topic: Buffer, subscribe: boolean): void;
  /** Gives the pipes that exist the high-water marks that are stored now. */
  sendLimitChanged(): void;
  receiveLimitChanged(): void;
}

/** The options of a context that decide the first values of its sockets. */
export interface SocketDefaults {
  readonly blocky: boolean;
  readonly ipv6: boolean;
}

/** The value that a new socket has: one for all, or by its type and its context. */
export type Initial<S> = S | ((type: number, context: SocketDefaults) => S);

/** The socket types that have an option, by number. */
export type Types = "every" | readonly number[];

/** Says the rest of a row: all besides libzmq's name and number, the kind and the first value. */
export interface Particulars {
  /** The socket types whose class has the property; "every" (when absent) puts it on the base class. */
  readonly holders?: Types;
  /**
   * The socket types whose calls by number reach it: "every" when absent, since libzmq stores most options for any
   * type.
   */
  readonly stored?: Types;
  /**
   * "w" leaves out the getter, "r" the setter; both are there when absent. The calls by number go by `read` and `write`
   * alone.
   */
  readonly access?: "rw" | "r" | "w";
  /** The least and the greatest number, or count of octets. */
  readonly least?: number;
  readonly most?: number;
  readonly unit?: "ms" | "s" | "µs" | "kbit/s" | "octets" | "messages" | "connections" | "networks" | "sockets";
  /**
   * When it takes effect: "live" at once, since its field is read where it matters; "next" (when absent) with the next
   * bind or connect, which keep a copy of the values; "new sockets" with those made later, for options of a context.
   */
  readonly acts?: "live" | "next" | "new sockets";
  /** Why it has no effect here: it is kept, and read as it was set. */
  readonly idle?: string;
  /** Tells the socket that the value was stored, where something that exists has to follow it. */
  readonly changed?: (source: OptionSource) => void;
}

/**
 * One row: all that there is to say of an option but its name and its documentation. `S` is how its value is stored.
 */
export interface Row<S = unknown> extends Particulars {
  readonly holders: Types;
  readonly stored: Types;
  readonly acts: "live" | "next" | "new sockets";
  /** libzmq's name; empty for an addition of this package. */
  readonly libzmq: string;
  readonly id: number;
  readonly kind: OptionKind;
  /** Absent for what is computed when it is read. */
  readonly initial?: Initial<S>;
  /** Absent: write-only, and the property has no getter. */
  read?(values: object, row: OptionRow, source: OptionSource): unknown;
  /** Absent: read-only. */
  write?(values: object, value: unknown, row: OptionRow, source: OptionSource): void;
  /** The number that the calls by number read in place of the value. */
  toNumber?(value: unknown): number;
}

/** A row with the name of its property; undefined for what only the calls by number reach. */
export interface OptionRow extends Row {
  readonly name: string | undefined;
}

/** The number of options that libzmq does not have. */
export const NO_NUMBER = -1;
/** The most that an option may be which libzmq keeps in a signed number. */
export const INT32_MAX = 0x7fffffff;
/** Octets of a user name, a password, a routing id or a ZAP domain. */
export const SHORT_TEXT_BYTES = 255;

/** The option's name as errors tell it. */
export function nameOf({ name, libzmq }: OptionRow): string {
  return name ?? libzmq;
}

/** A row whose reader and writer are left out as far as its access excludes them. */
export function row<S>(
  libzmq: string,
  id: number,
  kind: OptionKind,
  initial: Initial<S> | undefined,
  particulars: Particulars,
  read: Row["read"],
  write: Row["write"],
): Row<S> {
  const { access, holders = "every", stored = "every", acts = "next" } = particulars;
  return {
    ...particulars,
    holders,
    stored,
    acts,
    libzmq,
    id,
    kind,
    initial,
    read: access === "w" ? undefined : read,
    write: access === "r" ? undefined : write,
  };
}

/** Reads a value as it is stored. */
export function load(values: object, { name }: OptionRow): unknown {
  return (values as Record<string, unknown>)[name as string];
}

/** Stores a value whose type the row's kind has made sure of. */
export function store(values: object, value: unknown, { name }: OptionRow): void {
  (values as Record<string, unknown>)[name as string] = value;
}

/** The reader of what libzmq does not let read, in a row that can be written. */
export function unreadable(_: object, option: OptionRow): never {
  throw invalid(`${nameOf(option)} can be set, and not read`);
}

export function int32(libzmq: string, id: number, initial: Initial<number>, particulars: Particulars): Row<number> {
  return number("int32", libzmq, id, initial, particulars);
}

/** A number of another width. */
export function number(
  kind: OptionKind,
  libzmq: string,
  id: number,
  initial: Initial<number>,
  particulars: Particulars,
): Row<number> {
  return row(libzmq, id, kind, initial, particulars, load, storeNumber);
}

function storeNumber(values: object, value: unknown, option: OptionRow): void {
  if (!isWithin(value as number, option)) throw invalid(`${nameOf(option)} takes ${rangeOf(option)}, not ${value}`);
  store(values, value, option);
}

function isWithin(count: number, { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }: Row): boolean {
  return count >= least && count <= most;
}

/** The range of a row in words; "any" for none. */
export function rangeOf({ least, most }: Row): string {
  if (least === undefined) return most === undefined ? "any" : `up to ${most}`;
  return most === undefined ? `${least} or more` : `${least} to ${most}`;
}

/** A switch. */
export function bool(
  libzmq: string,
  id: number,
  initial: Initial<boolean>,
  particulars: Particulars = {},
): Row<boolean> {
  return row(libzmq, id, "bool", initial, particulars, load, store);
}

/** Octets; null is refused. */
export function octets(libzmq: string, id: number, particulars: Particulars): Row<Buffer> {
  return row(libzmq, id, "text", EMPTY, particulars, loadOctets, storeOctets);
}

/** Octets that null sets back. */
export function octetsOrNull(libzmq: string, id: number, particulars: Particulars): Row<Buffer> {
  return row(libzmq, id, "text", EMPTY, particulars, loadOctets, (values, value, option) =>
    store(values, value === null ? EMPTY : checkedOctets(option, value), option),
  );
}

/** Text, of an octet at least; null sets it back. */
export function text(libzmq: string, id: number, particulars: Particulars = {}): Row<string> {
  return row(libzmq, id, "text", "", { least: 1, ...particulars }, loadText, (values, value, option) =>
    store(values, value === null ? "" : checkedOctets(option, value).toString(), option),
  );
}

/** Octets as text up to the first NUL; null when there are none, and for a NUL alone. */
export function loadOctets(values: object, option: OptionRow): string | null {
  const value = load(values, option) as Buffer;
  return value.length === 1 && value[0] === 0 ? null : loadText(values, option);
}

function storeOctets(values: object, value: unknown, option: OptionRow): void {
  store(values, checkedOctets(option, value), option);
}

/** Text up to the first NUL, where C ends it; null when nothing is stored. */
export function loadText(values: object, option: OptionRow): string | null {
  const value = load(values, option) as string | Buffer;
  return value.length === 0 ? null : upToNul(value.toString());
}

function upToNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/**
 * Octets as many as the row takes. The error counts them and does not repeat them: they may be a password.
 * @throws ErrnoError EINVAL
 */
export function checkedOctets(option: OptionRow, value: unknown): Buffer {
  const given = value as Buffer | null;
  if (given !== null && isWithin(given.length, option)) return given;
  const count = given === null ? "null" : given.length;
  throw invalid(`${nameOf(option)} takes ${rangeOf(option)} octets, not ${count}`);
}

/** An option that this build of libzmq, and so this package, knows by name but does not have. */
export function absent(libzmq: string, id: number, kind: OptionKind): Row {
  const refuse = (option: OptionRow): never => {
    throw invalid(`${nameOf(option)} is not available`);
  };
  const idle = "not available";
  return row(
    libzmq,
    id,
    kind,
    undefined,
    { idle },
    (_, option) => refuse(option),
    (_, __, option) => refuse(option),
  );
}

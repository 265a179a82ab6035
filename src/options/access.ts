/**
 * How options are read and written from outside: as properties of a socket (`socket.linger = 0`), and by libzmq's
 * number and type (`socket.setInt32Option(17, 0)`). Both go through here, so both check and convert alike: the value's
 * type (TypeError), whether the socket is still open (ENOTSOCK), and then the row's own rules (EINVAL).
 *
 * Properties are accessors on the prototypes. Instances are sealed, so V8 itself refuses unknown and read-only ones in
 * its own words.
 */

import { viewOctets } from "../base/bytes.ts";
import { errnoError, invalid } from "../base/errors.ts";
import { nameOf, type OptionKind, type OptionRow, type OptionSource } from "./kinds.ts";
import { SOCKET_TYPE_NAMES } from "./socket-types.ts";
import { CONTEXT_OPTIONS, OPTION_BY_ID, OPTIONS } from "./table.ts";
import type { ContextValues, OptionValues } from "./values.ts";

/** The socket as its accessors see it. */
export interface OptionsHost extends OptionSource {
  readonly options: OptionValues;
  readonly closed: boolean;
  /** An endpoint exists, or is being made or taken away: most options now wait for the next one. */
  readonly attached: boolean;
}

/** The types that the calls by number have. */
export type RawKind = "bool" | "int32" | "uint32" | "int64" | "uint64" | "string";

/** Octets of a number of each type, by which libzmq tells them apart; text has any. */
const WIDTHS: { readonly [kind in RawKind | OptionKind]: number } = {
  bool: 4,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  string: 0,
  text: 0,
  other: 0,
};

const TWO_TO_63 = 2 ** 63;
const TWO_TO_64 = 2 ** 64;

/** The value as an option of this type takes it. Numbers are cut to their width as C would: 1.7 is 1, NaN is 0. */
function coerce(kind: OptionKind | RawKind, value: unknown): unknown {
  if (kind === "other") return value;
  if (kind === "bool") {
    if (typeof value !== "boolean") throw new TypeError("Option value must be a boolean");
    return value;
  }
  if (kind === "text" || kind === "string") return coerceText(value);
  if (typeof value !== "number") throw new TypeError("Option value must be a number");
  if (kind === "int32") return value | 0;
  if (kind === "uint32") return value >>> 0;
  if (kind === "uint64") return coerceUnsigned(value);
  return Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value), -TWO_TO_63), TWO_TO_63) + 0 : 0;
}

function coerceUnsigned(value: number): number {
  if (value > Number.MAX_SAFE_INTEGER) {
    process.emitWarning("Value is larger than Number.MAX_SAFE_INTEGER and may have been rounded inaccurately.");
  }
  return Number.isNaN(value) ? 0 : Math.min(Math.max(Math.trunc(value), 0), TWO_TO_64);
}

/**
 * A string or octets as a buffer of its own; null as null, and octets of which there are none, since C sees no address
 * of them.
 */
function coerceText(value: unknown): Buffer | null {
  if (value === null) return null;
  if (typeof value === "string") return Buffer.from(value);
  const octets = viewOctets(value);
  if (octets !== undefined) return octets.length === 0 ? null : Buffer.from(octets);
  throw new TypeError("Option value must be a string or buffer");
}

function read(host: OptionsHost, option: OptionRow): unknown {
  if (host.closed) throw errnoError("ENOTSOCK");
  if (option.read === undefined) throw invalid(`${nameOf(option)} can be set, and not read`);
  return option.read(host.options, option, host);
}

function write(host: OptionsHost, option: OptionRow, value: unknown): void {
  if (host.closed) throw errnoError("ENOTSOCK");
  if (option.write === undefined) throw invalid(`${nameOf(option)} can be read, and not set`);
  if (option.acts !== "live" && host.attached) {
    process.emitWarning("Socket option will not take effect until next connect/bind.");
  }
  option.write(host.options, value, option, host);
  option.changed?.(host);
}

/** The row of a number, as far as this socket's type has it and its values are as wide as `kind`. */
function rawRow(host: OptionsHost, kind: RawKind, id: unknown): OptionRow {
  if (typeof id !== "number") throw new TypeError("Identifier must be a number");
  const option = OPTION_BY_ID.get(id | 0);
  if (host.closed) throw errnoError("ENOTSOCK");
  if (option === undefined || option.id < 0) throw invalid(`there is no option ${id}`);
  if (option.stored !== "every" && !option.stored.includes(host.options.type)) {
    throw invalid(`${SOCKET_TYPE_NAMES[host.options.type]} has no ${nameOf(option)}`);
  }
  const type = option.toNumber === undefined ? option.kind : "int32";
  if (WIDTHS[type] !== WIDTHS[kind]) throw invalid(`${nameOf(option)} is of type ${type}, not ${kind}`);
  return option;
}

/** `getInt32Option(id)` and the like. */
export function getOption(host: OptionsHost, kind: RawKind, id: unknown): boolean | number | string | null {
  const option = rawRow(host, kind, id);
  const stored = read(host, option);
  const value = option.toNumber === undefined ? stored : option.toNumber(stored);
  if (kind === "string") return typeof value === "string" ? value : null;
  if (kind === "bool") return Boolean(value);
  const number = Number(value);
  if (kind === "uint32") return number >>> 0;
  if (kind === "int64" && option.kind === "uint64") return signed(number);
  return kind === "uint64" && number < 0 ? number + TWO_TO_64 : number;
}

/** `setInt32Option(id, value)` and the like. */
export function setOption(host: OptionsHost, kind: RawKind, id: unknown, value: unknown): void {
  if (typeof id !== "number") throw new TypeError("Identifier must be a number");
  const given = coerce(kind, value);
  const option = rawRow(host, kind, id);
  write(host, option, convert(option, given, kind));
}

/** The octets of an unsigned number as a signed one. The greatest number is 2^64 - 1, which a double rounds up. */
function signed(number: number): number {
  if (number < TWO_TO_63) return number;
  return number === TWO_TO_64 ? -1 : number - TWO_TO_64;
}

/** A value of one numeric type as one of another of the same width. */
function convert({ kind, name }: OptionRow, given: unknown, from: RawKind): unknown {
  if (kind === "bool" && typeof given === "number") {
    if (given !== 0 && given !== 1) throw invalid(`${name} takes 0 or 1, not ${given}`);
    return given === 1;
  }
  if (typeof given === "boolean") return kind === "bool" ? given : Number(given);
  if (kind === "int32" && typeof given === "number") return given | 0;
  if (kind === "uint32" && typeof given === "number") return given >>> 0;
  if (kind === "uint64" && typeof given === "number" && given < 0) return given + TWO_TO_64;
  if (kind === "int64" && typeof given === "number" && from === "uint64") return signed(given);
  return given;
}

/**
 * Installs the options of `holder` on a class's prototype: "every" the ones that all sockets have, a socket type's
 * number those that this type has besides. `hostOf` finds what an instance's accessors work on.
 */
export function defineAccessors(
  prototype: object,
  holder: "every" | number,
  hostOf: (socket: never) => OptionsHost,
): void {
  for (const option of OPTIONS) {
    if (option.name === undefined) continue;
    const holds = typeof holder === "number" && option.holders !== "every" && option.holders.includes(holder);
    if (!holds && option.holders !== holder) continue;
    Object.defineProperty(prototype, option.name, accessor(option, hostOf));
  }
}

function accessor(option: OptionRow, hostOf: (socket: never) => OptionsHost): PropertyDescriptor {
  const descriptor: PropertyDescriptor = { configurable: true, enumerable: false };
  if (option.read !== undefined && option.access !== "w") {
    descriptor.get = function (this: never): unknown {
      return read(hostOf(this), option);
    };
  }
  if (option.write !== undefined) {
    descriptor.set = function (this: never, value: unknown): void {
      write(hostOf(this), option, coerce(option.kind, value));
    };
  }
  return descriptor;
}

/** The socket that rows of a context see: none of them asks it. */
const NO_SOCKET: OptionSource = {
  pollEvents: 0,
  topicsCount: 0,
  setTopic() {},
  sendLimitChanged() {},
  receiveLimitChanged() {},
};

/** Installs a context's options on its class's prototype. */
export function defineContextAccessors(prototype: object, valuesOf: (context: never) => ContextValues): void {
  for (const option of CONTEXT_OPTIONS) {
    const descriptor: PropertyDescriptor = { configurable: true, enumerable: false };
    if (option.read !== undefined) {
      descriptor.get = function (this: never): unknown {
        return option.read?.(valuesOf(this), option, NO_SOCKET);
      };
    }
    if (option.write !== undefined) {
      descriptor.set = function (this: never, value: unknown): void {
        option.write?.(valuesOf(this), coerce(option.kind, value), option, NO_SOCKET);
      };
    }
    Object.defineProperty(prototype, option.name as string, descriptor);
  }
}

/** The row of a number that can be read, or set: libzmq gives two options the number 3. */
function contextRow(id: unknown, use: "read" | "write"): OptionRow {
  if (typeof id !== "number") throw new TypeError("Identifier must be a number");
  const option = CONTEXT_OPTIONS.find((row) => row.id === (id | 0) && row[use] !== undefined);
  if (option === undefined || option.id < 0) throw invalid(`a context has no option ${id} to ${use}`);
  return option;
}

/** `getBoolOption(id)` and `getInt32Option(id)` of a context. */
export function getContextOption(values: ContextValues, kind: "bool" | "int32", id: unknown): boolean | number {
  const option = contextRow(id, "read");
  const value = option.read?.(values, option, NO_SOCKET);
  return kind === "bool" ? Boolean(value) : Number(value);
}

/** `setBoolOption(id, value)` and `setInt32Option(id, value)` of a context. */
export function setContextOption(values: ContextValues, kind: "bool" | "int32", id: unknown, value: unknown): void {
  if (typeof id !== "number") throw new TypeError("Identifier must be a number");
  const given = coerce(kind, value);
  const option = contextRow(id, "write");
  option.write?.(values, convert(option, given, kind), option, NO_SOCKET);
}

/** The kinds of options that protect connections: setting one chooses the mechanism and this end's role too. */
import { EMPTY } from "../base/bytes.ts";
import { invalid } from "../base/errors.ts";
import { decodeZ85, encodeZ85 } from "../codec/z85.ts";
import { KEY_BYTES } from "../crypto/crypto.ts";
import {
  checkedOctets,
  load,
  loadText,
  nameOf,
  type OptionRow,
  type Particulars,
  type Row,
  row,
  SHORT_TEXT_BYTES,
  store,
} from "./kinds.ts";
import { type OptionValues, type SecurityMechanism, selectMechanism } from "./values.ts";

const KEY_CHARACTERS = 40;

/** A name or password: from one octet to what its length field can tell. */
export const SHORT_TEXT: Particulars = { least: 1, most: SHORT_TEXT_BYTES, unit: "octets" };

const MECHANISM_NUMBERS: readonly SecurityMechanism[] = [null, "plain", "curve", "gssapi"];

/** The mechanism in use; the calls by number read its number. */
export function mechanism(libzmq: string, id: number): Row<SecurityMechanism> {
  const read = (values: OptionValues): SecurityMechanism => values.securityMechanism;
  return {
    ...row<SecurityMechanism>(libzmq, id, "other", null, { access: "r" }, read as Row["read"], undefined),
    toNumber: (value) => MECHANISM_NUMBERS.indexOf(value as SecurityMechanism),
  };
}

/** One of the two switches that make this end the server of a mechanism. */
export function server(libzmq: string, id: number, of: SecurityMechanism): Row<boolean> {
  return row(libzmq, id, "bool", false, {}, load, (values, value) =>
    selectMechanism(values as OptionValues, value ? of : null, value as boolean),
  );
}

/** A name or password: setting one chooses the mechanism and makes this end a client, null takes the mechanism back. */
export function credential(libzmq: string, id: number, of: SecurityMechanism): Row<Buffer> {
  return row(libzmq, id, "text", EMPTY, SHORT_TEXT, loadText, (values, value, option) => {
    store(values, value === null ? EMPTY : checkedOctets(option, value), option);
    selectMechanism(values as OptionValues, value === null ? null : of, false);
  });
}

/** A CURVE key: setting one selects CURVE; the server's key makes this end a client. */
export function key(libzmq: string, id: number): Row<Buffer> {
  return row(libzmq, id, "text", EMPTY, {}, loadKey, storeKey);
}

function loadKey(values: object, option: OptionRow): string {
  if ((values as OptionValues).securityMechanism !== "curve") {
    throw invalid(`${nameOf(option)} cannot be read: the mechanism is not CURVE`);
  }
  const octets = load(values, option) as Buffer;
  return encodeZ85(octets.length === 0 ? Buffer.alloc(KEY_BYTES) : octets);
}

function storeKey(values: object, value: unknown, option: OptionRow): void {
  store(values, keyOctets(value as Buffer | null, option), option);
  const options = values as OptionValues;
  const isServer = option.name !== "curveServerKey" && (options.curveServer || options.plainServer);
  selectMechanism(options, "curve", isServer);
}

/** The error says what a key is, and never what was given. @throws ErrnoError EINVAL */
function keyOctets(value: Buffer | null, option: OptionRow): Buffer {
  if (value?.length === KEY_BYTES) return value;
  const isPrinted = value?.length === KEY_CHARACTERS + 1 && value[KEY_CHARACTERS] === 0;
  try {
    if (value?.length === KEY_CHARACTERS || isPrinted) return decodeZ85(value!.toString("latin1", 0, KEY_CHARACTERS));
  } catch {
    // No Z85 either.
  }
  throw invalid(`${nameOf(option)} takes a key of ${KEY_BYTES} octets, or of ${KEY_CHARACTERS} characters in Z85`);
}

/** `address` or `address/bits`, for IPv4 or IPv6. */
const ADDRESS_RANGE =
  /^(?:(?:\d{1,3}\.){3}\d{1,3}(?:\/(?:[12]?\d|3[0-2]))?|[\da-f:]*:[\da-f:]*:[\da-f:.]*(?:\/(?:\d{1,2}|1[01]\d|12[0-8]))?)$/i;

/** Adds an address range to those whose peers may connect; null clears them. */
export function addFilter(values: object, value: unknown): void {
  const options = values as OptionValues;
  if (value === null) {
    options.tcpAcceptFilter = [];
    return;
  }
  const given = String(value);
  if (!ADDRESS_RANGE.test(given)) throw invalid(`"${given}" is neither an IP address nor a network`);
  options.tcpAcceptFilter = [...options.tcpAcceptFilter, given];
}

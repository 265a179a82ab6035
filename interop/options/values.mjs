/** The values that every option is given, each with the name that a report tells it by. */

/** The name of a value. @param {unknown} value */
const nameOf = (value) => {
  if (typeof value === "string") return value.length > 20 ? `${value.length} characters` : JSON.stringify(value);
  return Array.isArray(value) ? "[]" : typeof value === "bigint" ? `${value}n` : String(value);
};

const NUMBERS = [
  0,
  -0,
  1,
  2,
  3,
  4,
  7,
  8,
  100,
  255,
  256,
  1250,
  65535,
  65536,
  6553599,
  6553600,
  -1,
  -2,
  -100,
  0.5,
  -0.5,
  1.7,
  -1.7,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  -(2 ** 31) - 1,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
  2 ** 65,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];
const KEY = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
const TEXTS = [
  "",
  "1",
  "x",
  "näme",
  "a\0b",
  "\0",
  "allSubs",
  "allSubsUnsubs",
  "127.0.0.1",
  "10.0.0.0/8",
  "127.0.0.1:1080",
  "X-a:b",
  KEY,
  `${KEY}\0`,
  "\x7f".repeat(40),
  "x".repeat(16),
  "x".repeat(17),
  "x".repeat(32),
  "x".repeat(255),
  "x".repeat(256),
  "x".repeat(1000),
];

/** @type {[given: string, value: unknown][]} */
export const VALUES = [
  ...[...NUMBERS, ...TEXTS, true, false, undefined, null, 10n, Symbol("symbol")].map(
    (value) => /** @type {[string, unknown]} */ ([nameOf(value), value]),
  ),
  ["a function", () => 1],
  ["an object", {}],
  ["an array", []],
  ["a Number object", Object(1)],
  ["a date", new Date(0)],
  ["no octets", Buffer.alloc(0)],
  ["octets", Buffer.from("octets")],
  ["a NUL", Buffer.alloc(1)],
  ["a key of octets", Buffer.alloc(32, 1)],
  ["256 octets", Buffer.alloc(256, 1)],
  ["a view", new Uint8Array([65, 66, 67, 68]).subarray(1, 3)],
  ["an ArrayBuffer", new Uint8Array([65, 66]).buffer],
];

/** @param {string[]} names */
const named = (...names) => VALUES.filter(([given]) => names.includes(given));

/** Some of each type, and of its edges. */
export const FEW = named(
  "0",
  "1",
  "-1",
  "1.7",
  String(2 ** 31),
  String(2 ** 63),
  '"x"',
  '""',
  "true",
  "null",
  "undefined",
);

/**
 * The few instructions of WebAssembly that our kernels use, as functions that give their code, and the module around a
 * kernel.
 *
 * A kernel is assembled when it is loaded: what is repeated hundreds of times in the result is a loop in its source, no
 * compiler is needed to build the project, and everybody can read what runs. Code is a list of octets; an expression
 * leaves its value on WebAssembly's stack. https://webassembly.github.io/spec/core/binary/
 */

export type Code = readonly number[];

const I32 = 0x7f;
const I64 = 0x7e;
const V128 = 0x7b;

/** Numbers in code are LEB128: seven bits an octet, the lowest first. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  return value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

/** One after the other. */
export function all(...codes: Code[]): Code {
  return codes.flat();
}

// Locals: parameters first.

export const get = (local: number): Code => [0x20, ...unsigned(local)];
/** Leaves the value on the stack too. */
export const tee = (value: Code, local: number): Code => [...value, 0x22, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];

// Control.

/** Runs `body` again while `condition` is not 0. */
export const loopWhile = (body: Code, condition: Code): Code => [0x03, 0x40, ...body, ...condition, 0x0d, 0, 0x0b];
/** Runs `body` when `condition` is not 0. */
export const when = (condition: Code, body: Code): Code => [...condition, 0x04, 0x40, ...body, 0x0b];
/** Either of two. */
export const either = (condition: Code, yes: Code, no: Code): Code => [
  ...condition,
  ...[0x04, 0x40, ...yes, 0x05, ...no, 0x0b],
];

// Numbers of 32 bits.

export const i32 = (value: number): Code => [0x41, ...signed(value)];
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const subtract = (a: Code, b: Code): Code => [...a, ...b, 0x6b];
/** 1 or 0, without sign. */
export const isBelow = (a: Code, b: Code): Code => [...a, ...b, 0x49];
export const isAtLeast = (a: Code, b: Code): Code => [...a, ...b, 0x4f];
// Numbers of 64 bits.

export const i64 = (value: number): Code => [0x42, ...signed(value)];
export const add64 = (first: Code, ...others: Code[]): Code => [
  ...first,
  ...others.flatMap((other) => [...other, 0x7c]),
];
export const subtract64 = (a: Code, b: Code): Code => [...a, ...b, 0x7d];
export const multiply64 = (a: Code, b: Code): Code => [...a, ...b, 0x7e];
export const and64 = (a: Code, b: Code): Code => [...a, ...b, 0x83];
export const xor64 = (a: Code, b: Code): Code => [...a, ...b, 0x85];
export const shiftRight64 = (a: Code, bits: number): Code => [...a, ...i64(bits), 0x88];
/** The lower 32 bits. */
export const low = (a: Code): Code => [...a, 0xa7, 0xad];
/** The upper 32 bits. */
export const high = (a: Code): Code => shiftRight64(a, 32);
export const load64 = (address: Code, offset: number): Code => [...address, 0x29, 0, ...unsigned(offset)];
export const store64 = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  ...[0x37, 0, ...unsigned(offset)],
];
/** 32 bits of memory as a number of 64. */
export const load32 = (address: Code, offset: number): Code => [...address, 0x35, 0, ...unsigned(offset)];
/** The lower 32 bits of a number of 64. */
export const store32 = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  ...[0x3e, 0, ...unsigned(offset)],
];

// Vectors of four words.

const vector = (code: number): Code => [0xfd, ...unsigned(code)];
export const splat = (word: Code): Code => [...word, ...vector(17)];
export const addVectors = (a: Code, b: Code): Code => [...a, ...b, ...vector(174)];
export const subtractVectors = (a: Code, b: Code): Code => [...a, ...b, ...vector(177)];
export const xorVectors = (a: Code, b: Code): Code => [...a, ...b, ...vector(81)];
export const orVectors = (a: Code, b: Code): Code => [...a, ...b, ...vector(80)];
export const shiftVectorLeft = (a: Code, bits: number): Code => [...a, ...i32(bits), ...vector(171)];
export const shiftVectorRight = (a: Code, bits: number): Code => [...a, ...i32(bits), ...vector(173)];
/** All ones in the lanes where `a`, without sign, is below `b`. */
export const vectorIsBelow = (a: Code, b: Code): Code => [...a, ...b, ...vector(58)];
export const loadVector = (address: Code, offset: number): Code => [...address, ...vector(0), 0, ...unsigned(offset)];
/** One word of memory in all lanes. */
export const loadSplat = (address: Code, offset: number): Code => [...address, ...vector(9), 0, ...unsigned(offset)];
export const storeVector = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  ...[...vector(11), 0, ...unsigned(offset)],
];
/** Four words. */
export const words = (...values: number[]): Code => [
  ...vector(12),
  ...values.flatMap((value) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff)),
];
/** Lanes of two vectors: 0 to 3 are those of `a`, 4 to 7 those of `b`. */
export const pick = (a: Code, b: Code, lanes: readonly number[]): Code => [
  ...[...a, ...b, ...vector(13)],
  ...lanes.flatMap((lane) => [4 * lane, 4 * lane + 1, 4 * lane + 2, 4 * lane + 3]),
];

/**
 * A function without result: how many parameters of 32 bits, how many locals of which size behind them, and its code.
 */
export interface Kernel {
  readonly parameters: number;
  readonly locals: { readonly i32: number; readonly i64: number; readonly v128: number };
  readonly body: Code;
}

/** A module that exports the function as `run`, and works in a memory that it is given as `""."memory"`. */
export function assemble({ parameters, locals, body }: Kernel): Uint8Array {
  const counted = (code: Code): Code => [...unsigned(code.length), ...code];
  const named = (name: string): Code => counted([...Buffer.from(name)]);
  const section = (id: number, code: Code): Code => [id, ...counted(code)];
  const groups = [
    [locals.i32, I32],
    [locals.i64, I64],
    [locals.v128, V128],
  ].filter(([count]) => count > 0);
  const declared = [groups.length, ...groups.flatMap(([count, type]) => [...unsigned(count), type])];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, parameters, ...Array<number>(parameters).fill(I32), 0]),
    ...section(2, [1, ...named(""), ...named("memory"), 2, 0, 0]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...named("run"), 0, 0]),
    ...section(10, [1, ...counted([...declared, ...body, 0x0b])]),
  ]);
}

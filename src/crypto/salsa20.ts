/**
 * Salsa20 by four blocks at a time, in WebAssembly's SIMD. The library's own computes one block after the other and
 * takes four fifths of the time that a long message costs (380 MiB/s); this one makes 1050 MiB/s of it. It knows whole
 * groups of four blocks only: the library does the rest, and everything where SIMD is missing.
 *
 * The outline of the code, which has 2.5 KiB:
 *
 *     do {                                       each group: 4 blocks, 256 octets
 *       x[0..15] = the initial words             one vector for each word of the state, one lane for each block
 *       10 times: a column round, a row round
 *       x[i] += the initial word
 *       turn words of four blocks into blocks of words, xor them with the input, store
 *     } while ((length -= 256) != 0)
 *
 * The state (D. J. Bernstein, "Salsa20 specification"; s are the words of "expand 32-byte k"; all are little-endian):
 *
 *      0 s0   1 k0   2 k1   3 k2
 *      4 k3   5 s1   6 n0   7 n1         n: nonce, 8 octets
 *      8 c0   9 c1  10 s2  11 k4         c: number of the block, lane i has that of the first one plus i
 *     12 k5  13 k6  14 k7  15 s3
 *
 * Nothing here branches, or addresses memory, by what is secret: it takes the same time for every key and message.
 */
import {
  add,
  addVectors,
  all,
  assemble,
  type Code,
  get,
  i32,
  isBelow,
  loadSplat,
  loadVector,
  loopWhile,
  orVectors,
  pick,
  set,
  shiftVectorLeft,
  shiftVectorRight,
  splat,
  storeVector,
  subtract,
  subtractVectors,
  tee,
  vectorIsBelow,
  words,
  xorVectors,
} from "./assembler.ts";

/** Octets that the kernel takes at a time. */
export const GROUP_BYTES = 256;

/** All but the length are addresses or words. `length` is a multiple of GROUP_BYTES, not 0; `output` may be `input`. */
export type Salsa20 = (
  output: number,
  input: number,
  length: number,
  key: number,
  nonce: number,
  blockLow: number,
  blockHigh: number,
) => void;

// Parameters, then a counter of rounds, then vectors: the state, two of block numbers, four for turning.
const [OUTPUT, INPUT, LENGTH, KEY, NONCE, LOW, HIGH, ROUNDS] = [0, 1, 2, 3, 4, 5, 6, 7];
const STATE = 8;
const [BLOCKS_LOW, BLOCKS_HIGH, TURNED] = [24, 25, 26];
const PARAMETERS = 7;
const VECTORS = 22;

const ALL_WORDS: readonly number[] = Array.from({ length: 16 }, (_, word) => word);

/** "expand 32-byte k". */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

// biome-ignore format: a table.
const COLUMNS = [[0, 4, 8, 12], [5, 9, 13, 1], [10, 14, 2, 6], [15, 3, 7, 11]];
// biome-ignore format: a table.
const ROWS = [[0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]];

/** An initial word of the state, in all lanes. */
function initial(word: number): Code {
  if (word % 5 === 0) return words(...Array<number>(4).fill(SIGMA[word / 5]));
  if (word <= 4) return loadSplat(get(KEY), 4 * (word - 1));
  if (word <= 7) return loadSplat(get(NONCE), 4 * (word - 6));
  if (word <= 9) return get(word === 8 ? BLOCKS_LOW : BLOCKS_HIGH);
  return loadSplat(get(KEY), 16 + 4 * (word - 11));
}

/** x[target] ^= (x[a] + x[b]) rotated left. */
function step(target: number, a: number, b: number, left: number): Code {
  const sum = tee(addVectors(get(STATE + a), get(STATE + b)), TURNED);
  const rotated = orVectors(shiftVectorLeft(sum, left), shiftVectorRight(get(TURNED), 32 - left));
  return set(STATE + target, xorVectors(get(STATE + target), rotated));
}

/** Four quarter rounds side by side, which do not depend on each other. */
function round(quarters: readonly (readonly number[])[]): Code {
  return all(
    ...quarters.map(([a, b, , d]) => step(b, a, d, 7)),
    ...quarters.map(([a, b, c]) => step(c, b, a, 9)),
    ...quarters.map(([, b, c, d]) => step(d, c, b, 13)),
    ...quarters.map(([a, , c, d]) => step(a, d, c, 18)),
  );
}

/** The numbers of the four blocks, 64 bits in two vectors: a lane whose low word has wrapped carries. */
function numberBlocks(): Code {
  const lanes = words(0, 1, 2, 3);
  return all(
    set(BLOCKS_LOW, addVectors(splat(get(LOW)), lanes)),
    set(BLOCKS_HIGH, subtractVectors(splat(get(HIGH)), vectorIsBelow(get(BLOCKS_LOW), lanes))),
  );
}

/** Four words of four blocks, out of four vectors into 16 octets of each block, xored with the input. */
function output(quarter: number): Code {
  const [a, b, c, d] = [0, 1, 2, 3].map((word) => get(STATE + 4 * quarter + word));
  const block = (number: number, from: number, lanes: number[]): Code => {
    const at = 64 * number + 16 * quarter;
    const stream = pick(get(TURNED + from), get(TURNED + from + 2), lanes);
    return storeVector(get(OUTPUT), at, xorVectors(stream, loadVector(get(INPUT), at)));
  };
  return all(
    set(TURNED, pick(a, b, [0, 4, 1, 5])),
    set(TURNED + 1, pick(a, b, [2, 6, 3, 7])),
    set(TURNED + 2, pick(c, d, [0, 4, 1, 5])),
    set(TURNED + 3, pick(c, d, [2, 6, 3, 7])),
    block(0, 0, [0, 1, 4, 5]),
    block(1, 0, [2, 3, 6, 7]),
    block(2, 1, [0, 1, 4, 5]),
    block(3, 1, [2, 3, 6, 7]),
  );
}

/** Goes on by four blocks. */
function advance(): Code {
  return all(
    set(INPUT, add(get(INPUT), i32(GROUP_BYTES))),
    set(OUTPUT, add(get(OUTPUT), i32(GROUP_BYTES))),
    set(LOW, add(get(LOW), i32(4))),
    set(HIGH, add(get(HIGH), isBelow(get(LOW), i32(4)))),
  );
}

function group(): Code {
  const countdown = tee(subtract(get(ROUNDS), i32(1)), ROUNDS);
  return all(
    numberBlocks(),
    ...ALL_WORDS.map((word) => set(STATE + word, initial(word))),
    set(ROUNDS, i32(10)),
    loopWhile(all(round(COLUMNS), round(ROWS)), countdown),
    ...ALL_WORDS.map((word) => set(STATE + word, addVectors(get(STATE + word), initial(word)))),
    ...[0, 1, 2, 3].map(output),
    advance(),
  );
}

export function salsa20Code(): Uint8Array {
  const left = tee(subtract(get(LENGTH), i32(GROUP_BYTES)), LENGTH);
  return assemble({
    parameters: PARAMETERS,
    locals: { i32: 1, i64: 0, v128: VECTORS },
    body: loopWhile(group(), left),
  });
}

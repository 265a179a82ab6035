/**
 * The kernel by itself, in a memory of its own: each length, in one call and in several, and the numbers at which
 * carries go wrong.
 */
import { poly1305 as noblePoly1305 } from "@noble/ciphers/_poly1305.js";
import { POLY1305_STATE_BYTES, type Poly1305, poly1305Code } from "../../src/crypto/poly1305.ts";
import { Random } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { poly1305 } from "../twins/poly1305.ts";
import { kernelMemory } from "./kernel.ts";

const it = suite("crypto/poly1305");
const { memory, run } = kernelMemory<Poly1305>(poly1305Code());
const [KEY, TAG, STATE, NO_STATE, MESSAGE] = [64, 128, 192, 256, 1024];

/** In one call. Nothing but the tag may change. */
function authenticate(message: Buffer, key: Buffer): Buffer {
  memory.fill(0xa5);
  memory.fill(0, NO_STATE, NO_STATE + POLY1305_STATE_BYTES);
  memory.set(key, KEY);
  memory.set(message, MESSAGE);
  const before = Buffer.from(memory);
  run(TAG, MESSAGE, message.length, KEY, NO_STATE);
  const tag = Buffer.from(memory.subarray(TAG, TAG + 16));
  before.set(tag, TAG);
  assert.ok(memory.equals(before), "something else was written");
  return tag;
}

/** In several calls, cut at multiples of 16. */
function inPieces(message: Buffer, key: Buffer, random: Random): Buffer {
  memory.fill(0, STATE, STATE + POLY1305_STATE_BYTES);
  memory.set(key, KEY);
  memory.set(message, MESSAGE);
  let at = 0;
  while (message.length - at >= 16) {
    const length = 16 * random.below(1 + ((message.length - at) >> 4));
    run(0, MESSAGE + at, length, KEY, STATE);
    at += length;
    if (random.below(4) === 0) break;
  }
  run(TAG, MESSAGE + at, message.length - at, KEY, STATE);
  return Buffer.from(memory.subarray(TAG, TAG + 16));
}

it("each length from 0 to 4096", () => {
  const random = new Random(1);
  const key = random.octets(32);
  const message = random.octets(4096);
  for (let length = 0; length <= message.length; length++) {
    const part = message.subarray(0, length);
    const expected = Buffer.from(noblePoly1305(part, key));
    if (!authenticate(part, key).equals(expected)) assert.unreachable(`${length} octets`);
    if (!inPieces(part, key, random).equals(expected)) assert.unreachable(`${length} octets in pieces`);
  }
});

it("the example of RFC 8439, section 2.5.2", () => {
  const key = Buffer.from("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b", "hex");
  const message = Buffer.from("Cryptographic Forum Research Group");
  const tag = "a8061dc1305136c6c22b8baf0c0127a9";
  assert.is(authenticate(message, key).toString("hex"), tag);
  assert.is(poly1305(message, key).toString("hex"), tag);
});

/** 16 octets, the lowest first. */
function number(value: bigint): Buffer {
  return Buffer.from(BigInt.asUintN(128, value).toString(16).padStart(32, "0"), "hex").reverse();
}

it(
  "sums around 2^128, the modulus and 2^130, where a remainder or a carry is easily forgotten",
  () => {
    const borders = [0n, 1n, 2n, 3n, 4n, 5n, 6n, (1n << 128n) - 1n, (1n << 128n) - 5n, (1n << 128n) - 6n, 1n << 127n];
    const points = [1n, 2n, 4n, 1n | (4n << 64n), 0x0ffffffc0ffffffc0ffffffc0fffffffn, (1n << 128n) - 1n];
    for (const point of points) {
      for (const plus of [0n, 1n, (1n << 128n) - 1n]) {
        const key = Buffer.concat([number(point), number(plus)]);
        for (const first of borders) {
          for (const second of borders) {
            for (const third of [0n, 5n, (1n << 128n) - 1n, (1n << 128n) - 5n]) {
              const message = Buffer.concat([first, second, third].map(number));
              for (const length of [16, 31, 32, 48]) {
                const part = message.subarray(0, length);
                const expected = poly1305(part, key);
                if (!authenticate(part, key).equals(expected)) {
                  assert.unreachable(`${part.toString("hex")} under ${key.toString("hex")}`);
                }
              }
            }
          }
        }
      }
    }
  },
  { timeout: 60_000 },
);

it("the largest pieces there can be: all ones, for a long time", () => {
  for (const fill of [0xff, 0xfe, 0x00, 0x80]) {
    for (const point of [Buffer.alloc(16, 0xff), number(0x0ffffffc0ffffffc0ffffffc0fffffffn), number(0x0ffffffcn)]) {
      const key = Buffer.concat([point, Buffer.alloc(16, 0xff)]);
      for (const length of [16, 160, 1600, 16_384, 16_385, 16_399]) {
        const message = Buffer.alloc(length, fill);
        assert.equal(authenticate(message, key), poly1305(message, key));
      }
    }
  }
});

it("random keys and messages, many of their octets all zeros or all ones", () => {
  const random = new Random(3);
  for (let round = 0; round < 3000; round++) {
    const octets = (length: number) =>
      Buffer.from(Array.from({ length }, () => random.pick([0, 0xff, 0xff, 1, random.below(256)])));
    const [key, message] = [octets(32), octets(random.below(100))];
    const expected = poly1305(message, key);
    if (!authenticate(message, key).equals(expected)) {
      assert.unreachable(`${message.toString("hex")} under ${key.toString("hex")}`);
    }
  }
});

it.run();

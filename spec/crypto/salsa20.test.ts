/**
 * The kernel by itself, in a memory of its own: each group of blocks, the numbers of blocks where they carry, in place
 * and not.
 */
import { salsa20 as nobleSalsa20 } from "@noble/ciphers/salsa.js";
import { GROUP_BYTES, type Salsa20, salsa20Code } from "../../src/crypto/salsa20.ts";
import { Random } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { salsa20Block } from "../twins/salsa20.ts";
import { kernelMemory } from "./kernel.ts";

const it = suite("crypto/salsa20");

const { memory, run: kernel } = kernelMemory<Salsa20>(salsa20Code());
const [KEY, NONCE, INPUT, OUTPUT] = [0, 32, 256, 65_536];
const random = new Random(20);
const key = random.octets(32);
const nonce = random.octets(8);
memory.set(key, KEY);
memory.set(nonce, NONCE);

function expected(message: Buffer, block: bigint): Buffer {
  const stream = Buffer.concat(
    Array.from({ length: message.length / 64 }, (_, i) =>
      salsa20Block(key, nonce, BigInt.asUintN(64, block + BigInt(i))),
    ),
  );
  return stream.map((octet, i) => octet ^ message[i]) as Buffer;
}

it("the twin is Salsa20", () => {
  for (const block of [0, 1, 1000]) {
    const out = nobleSalsa20(key, nonce, new Uint8Array(64), undefined, block);
    assert.equal(salsa20Block(key, nonce, BigInt(block)), Buffer.from(out));
  }
});

it("one group to twelve, into another place and in place, and nothing around it", () => {
  for (let groups = 1; groups <= 12; groups++) {
    const length = groups * GROUP_BYTES;
    const message = random.octets(length);
    for (const output of [OUTPUT, INPUT]) {
      memory.fill(0xcc, 64);
      memory.set(message, INPUT);
      kernel(output, INPUT, length, KEY, NONCE, groups, 0);
      assert.ok(memory.subarray(output, output + length).equals(expected(message, BigInt(groups))), `${groups}`);
      assert.is(memory[output - 1], 0xcc);
      assert.is(memory[output + length], 0xcc);
      assert.is(memory[output + length + 63], 0xcc);
    }
  }
});

it("addresses need not be even", () => {
  const message = random.octets(2 * GROUP_BYTES);
  for (let offset = 0; offset < 20; offset++) {
    memory.set(message, INPUT + offset);
    kernel(OUTPUT + 3 * offset, INPUT + offset, message.length, KEY, NONCE, 0, 0);
    const out = memory.subarray(OUTPUT + 3 * offset, OUTPUT + 3 * offset + message.length);
    assert.ok(out.equals(expected(message, 0n)));
  }
});

it("numbers of blocks carry into the upper half at each lane, and wrap at the end", () => {
  const message = random.octets(3 * GROUP_BYTES);
  for (const high of [0n, 6n, 0xffffffffn]) {
    for (let before = 0n; before <= 9n; before++) {
      const low = 0x100000000n - before;
      const block = BigInt.asUintN(64, (high << 32n) + low);
      memory.set(message, INPUT);
      kernel(OUTPUT, INPUT, message.length, KEY, NONCE, Number(block & 0xffffffffn) | 0, Number(block >> 32n) | 0);
      const out = memory.subarray(OUTPUT, OUTPUT + message.length);
      assert.ok(out.equals(expected(message, block)), `block ${block}`);
    }
  }
});

it("is two and a half thousand octets, and the same at each call", () => {
  assert.equal(salsa20Code(), salsa20Code());
  assert.ok(salsa20Code().length < 3000);
});

it.run();

import { encodeFrame, headerSize, readLongSize, writeHeader } from "../../src/codec/frame.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("codec/frame");

it("takes the short form up to 255 octets", () => {
  for (const [length, size] of [
    [0, 2],
    [255, 2],
    [256, 9],
    [2 ** 40, 9],
  ]) {
    assert.is(headerSize(length), size);
    const target = Buffer.alloc(12, 0xee);
    assert.is(writeHeader(target, 1, 1, length), 1 + size);
    assert.is(target[0], 0xee);
    assert.is(target[1 + size], 0xee);
    assert.is(target[1], size === 9 ? 3 : 1);
    assert.is(size === 9 ? Number(target.readBigUInt64BE(2)) : target[2], length);
  }
});

it("writes and reads every size up to 2^53", () => {
  const target = Buffer.alloc(9);
  for (let bit = 8; bit < 53; bit++) {
    for (const size of [2 ** bit - 1, 2 ** bit, 2 ** bit + 1].filter((each) => each > 255)) {
      writeHeader(target, 0, 4, size);
      assert.is(Number(target.readBigUInt64BE(1)), size);
      assert.is(readLongSize(target, 1), size);
    }
  }
});

it("reads larger sizes as larger", () => {
  for (const octets of ["0020000000000000", "0020000000000001", "8000000000000000", "ffffffffffffffff"]) {
    assert.ok(readLongSize(Buffer.from(octets, "hex"), 0) >= 2 ** 53, octets);
  }
});

it("makes whole frames", () => {
  assert.is(encodeFrame(0, Buffer.alloc(0)).toString("hex"), "0000");
  assert.is(encodeFrame(1, Buffer.from("a")).toString("hex"), "010161");
  assert.is(encodeFrame(4, Buffer.alloc(300)).length, 309);
});

it.run();

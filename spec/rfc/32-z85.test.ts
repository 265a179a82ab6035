/**
 * RFC 32 "Z85", clause by clause, at the functions that read and write keys. Its advice about the size of buffers does
 * not apply: nobody hands one in.
 */
import { decodeZ85, encodeZ85 } from "../../src/codec/z85.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("rfc/32-z85");

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/** The RFC's rule in its own words: by multiplication, most significant first. */
function slowly(octets: Buffer): string {
  let text = "";
  for (let offset = 0; offset < octets.length; offset += 4) {
    for (let power = 4; power >= 0; power--) text += DIGITS[Math.floor(octets.readUInt32BE(offset) / 85 ** power) % 85];
  }
  return text;
}

it("the test case: 86 4F D2 6F B5 59 F7 5B is HelloWorld", () => {
  const octets = Buffer.from("864fd26fb559f75b", "hex");
  assert.is(encodeZ85(octets), "HelloWorld");
  assert.equal(decodeZ85("HelloWorld"), octets);
});

it("octets come in fours, characters in fives", () => {
  for (const length of [1, 2, 3, 5, 33]) assert.throws(() => encodeZ85(Buffer.alloc(length)));
  for (const length of [1, 4, 6, 39]) assert.throws(() => decodeZ85("0".repeat(length)));
  assert.is(encodeZ85(Buffer.alloc(0)), "");
  assert.throws(() => decodeZ85(""));
});

it("each value from 0 to 84 has its character, and every other character is refused", () => {
  for (let value = 0; value < 85; value++) {
    const octets = Buffer.alloc(4);
    octets.writeUInt32BE(value);
    assert.is(encodeZ85(octets), `0000${DIGITS[value]}`);
    assert.equal(decodeZ85(`0000${DIGITS[value]}`), octets);
  }
  for (let code = 0; code < 256; code++) {
    const character = String.fromCharCode(code);
    if (!DIGITS.includes(character)) assert.throws(() => decodeZ85(`0000${character}`), undefined, `character ${code}`);
  }
});

it("four octets are one number, most significant first, in both directions", () => {
  const octets = Buffer.from("00000001 80000000 ffffffff 01020304 00ff00ff".replace(/ /g, ""), "hex");
  assert.is(encodeZ85(octets), slowly(octets));
  assert.equal(decodeZ85(slowly(octets)), octets);
});

it("five characters that are more than 32 bits are refused", () => {
  assert.is(slowly(Buffer.alloc(4, 255)), "%nSc0");
  assert.throws(() => decodeZ85("%nSc1"));
  assert.throws(() => decodeZ85("#####"));
});

it.run();

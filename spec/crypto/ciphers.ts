/**
 * What every implementation of ciphers and streams has to do: the tests of one, to be run for each.
 */
import { type Crypto, DESK_BYTES, DESK_MESSAGE_BYTES, MARGIN_BYTES, TAG_BYTES } from "../../src/crypto/crypto.ts";
import { Random } from "../helpers/random.ts";
import { assert, type Suite } from "../helpers/test.ts";
import { nobleCrypto } from "../twins/noble-crypto.ts";
import { helloSteps, sessionKey } from "../vectors/curve.ts";

const PREFIX = Buffer.from("CurveZMQMESSAGEC");

/** Octets that differ by place and by seed. */
export function pattern(length: number, seed = 0): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => (i * 7 + seed * 31 + (i >> 8)) & 0xff));
}

/** A nonce's last octets. */
function counter(high: number, low: number): Buffer {
  const octets = Buffer.alloc(8);
  octets.writeUInt32BE(high, 0);
  octets.writeUInt32BE(low, 4);
  return octets;
}

function nonceOf(counter: Buffer): Buffer {
  return Buffer.concat([PREFIX, counter]);
}

/** Seals on the desk; gives the 16 octets of the tag and the ciphertext. */
function sealOnDesk(library: Crypto, key: Buffer, message: Buffer, high: number, low: number): Buffer {
  const { memory, output } = library.desk;
  const cipher = library.cipher(key, PREFIX);
  cipher.select();
  memory.fill(0xaa, output, output + MARGIN_BYTES);
  memory.set(message, output + MARGIN_BYTES);
  const end = output + MARGIN_BYTES + message.length;
  memory.fill(0xbb, end + 255, end + 319);
  cipher.seal(output, message.length, high, low);
  assert.ok(memory.subarray(end + 255, end + 319).equals(Buffer.alloc(64, 0xbb)), "writes far behind the message");
  return Buffer.from(memory.subarray(output + TAG_BYTES, end));
}

/** Opens on the desk. */
function openOnDesk(library: Crypto, key: Buffer, sealed: Buffer, nonce: Buffer): Buffer | undefined {
  const { memory, input, opened } = library.desk;
  const cipher = library.cipher(key, PREFIX);
  const length = sealed.length - TAG_BYTES;
  cipher.select();
  memory.set(nonce, input + 8);
  memory.set(sealed, input + TAG_BYTES);
  return cipher.open(input, length) ? Buffer.from(memory.subarray(opened, opened + length)) : undefined;
}

/** Adds the tests. `longest` is the length up to which every single one is tried. */
export function testCiphers(it: Suite, name: string, crypto: Crypto, longest: number): void {
  const everyLength = () => {
    const message = pattern(longest);
    for (let length = 0; length <= longest; length++) {
      const clear = message.subarray(0, length);
      const nonce = counter(length, ~length >>> 0);
      const expected = nobleCrypto.box(sessionKey, nonceOf(nonce), clear);
      const sealed = sealOnDesk(crypto, sessionKey, clear, length, ~length >>> 0);
      if (!sealed.equals(expected)) assert.unreachable(`sealing ${length} octets`);
      const opened = openOnDesk(crypto, sessionKey, expected, nonce);
      if (opened === undefined || !opened.equals(clear)) assert.unreachable(`opening ${length} octets`);
    }
  };
  it(`${name}: every length up to ${longest}`, everyLength, { timeout: 60_000 });

  it(`${name}: the longest on the desk`, () => {
    const clear = pattern(DESK_MESSAGE_BYTES + 1);
    const sealed = sealOnDesk(crypto, sessionKey, clear, 1, 2);
    assert.ok(sealed.equals(nobleCrypto.box(sessionKey, nonceOf(counter(1, 2)), clear)));
    assert.ok(openOnDesk(crypto, sessionKey, sealed, counter(1, 2))?.equals(clear));
  });

  it(`${name}: a message with any flipped bit stays shut, and leaves nothing behind`, () => {
    const { memory, opened } = crypto.desk;
    for (const length of [67, 300]) {
      const sealed = sealOnDesk(crypto, sessionKey, pattern(length), 0, 3);
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        sealed[bit >> 3] ^= 1 << (bit & 7);
        memory.fill(0, opened, opened + length);
        assert.is(openOnDesk(crypto, sessionKey, sealed, counter(0, 3)), undefined, `bit ${bit}`);
        assert.ok(memory.subarray(opened, opened + length).equals(Buffer.alloc(length)));
        sealed[bit >> 3] ^= 1 << (bit & 7);
      }
      for (const nonce of [counter(0, 2), counter(1, 3), counter(0x80000000, 3)]) {
        assert.is(openOnDesk(crypto, sessionKey, sealed, nonce), undefined);
      }
      assert.equal(openOnDesk(crypto, sessionKey, sealed, counter(0, 3)), pattern(length));
    }
  });

  it(`${name}: streams seal and open like the box, however they are cut`, () => {
    const random = new Random(7);
    const cipher = crypto.cipher(sessionKey, PREFIX);
    for (let round = 0; round < 80; round++) {
      const clear = pattern(random.below(round < 60 ? 600 : 20_000), round);
      const nonce = counter(0, round);
      const expected = nobleCrypto.box(sessionKey, nonceOf(nonce), clear);
      const sealed = Buffer.alloc(clear.length);
      const sealing = cipher.stream(nonce);
      const opening = cipher.stream(nonce);
      const opened = Buffer.alloc(clear.length);
      for (let at = 0; at < clear.length; ) {
        const end = Math.min(clear.length, at + random.below(random.pick([20, 300, 3000])));
        sealing.seal(clear, at, end, sealed, at);
        opening.open(expected, TAG_BYTES + at, TAG_BYTES + end, opened, at);
        at = end;
      }
      assert.ok(Buffer.concat([sealing.tag(), sealed]).equals(expected), `sealing ${clear.length} octets`);
      assert.ok(opening.verify(expected.subarray(0, TAG_BYTES)), `opening ${clear.length} octets`);
      assert.ok(opened.equals(clear));
    }
  });

  it(`${name}: a stream longer than the desk, and one that is not authentic`, () => {
    const clear = pattern(3 * DESK_BYTES + 77);
    const cipher = crypto.cipher(sessionKey, PREFIX);
    const sealed = Buffer.alloc(clear.length);
    const sealing = cipher.stream(counter(0, 9));
    sealing.seal(clear, 0, clear.length, sealed, 0);
    const tag = sealing.tag();
    assert.ok(Buffer.concat([tag, sealed]).equals(nobleCrypto.box(sessionKey, nonceOf(counter(0, 9)), clear)));
    for (const flip of [-1, 0, 200_000]) {
      if (flip >= 0) sealed[flip] ^= 1;
      const opening = cipher.stream(counter(0, 9));
      opening.open(sealed, 0, sealed.length, Buffer.alloc(clear.length), 0);
      assert.is(opening.verify(tag), flip < 0);
    }
  });

  it(`${name}: two streams and a batch in turn do not disturb each other`, () => {
    const [one, other] = [sessionKey, helloSteps.key].map((key) => crypto.cipher(key, PREFIX));
    const [first, second] = [pattern(200, 1), pattern(200, 2)];
    const streams = [one.stream(counter(0, 1)), other.stream(counter(0, 1))];
    for (let at = 0; at < 200; at += 20) {
      streams[0].seal(first, at, at + 20, first, at);
      sealOnDesk(crypto, helloSteps.key, pattern(50), 0, at);
      streams[1].seal(second, at, at + 20, second, at);
    }
    const nonce = nonceOf(counter(0, 1));
    assert.equal(Buffer.concat([streams[0].tag(), first]), nobleCrypto.box(sessionKey, nonce, pattern(200, 1)));
    assert.equal(Buffer.concat([streams[1].tag(), second]), nobleCrypto.box(helloSteps.key, nonce, pattern(200, 2)));
  });
}

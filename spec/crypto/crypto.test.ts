/**
 * The cryptography: against recorded values, and against a second library on every length where the two could differ.
 */
import { DESK_BYTES, DESK_MESSAGE_BYTES, MARGIN_BYTES, TAG_BYTES } from "../../src/crypto/crypto.ts";
import { keyPair, loadCrypto } from "../../src/crypto/load.ts";
import { assert, suite } from "../helpers/test.ts";
import { hsalsa20, nobleCrypto } from "../twins/noble-crypto.ts";
import { helloSteps, keys, secretBox, sessionKey } from "../vectors/curve.ts";

const it = suite("crypto/crypto");
const crypto = loadCrypto();
const both = { sodium: crypto, noble: nobleCrypto };
const PREFIX = Buffer.from("CurveZMQMESSAGEC");

/** Octets that differ by place and by seed. */
function pattern(length: number, seed = 0): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => (i * 7 + seed * 31 + (i >> 8)) & 0xff));
}

function range(first: number, length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => first + i));
}

/** A nonce's last octets. */
function counter(high: number, low: number): Buffer {
  const octets = Buffer.alloc(8);
  octets.writeUInt32BE(high, 0);
  octets.writeUInt32BE(low, 4);
  return octets;
}

/** Numbers from 0 up to below `limit`, the same at each run. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x100000000) * limit);
  };
}

for (const [name, library] of Object.entries(both)) {
  it(`${name}: public keys belong to secret keys`, () => {
    for (const { publicKey, secretKey } of Object.values(keys)) {
      assert.equal(library.publicKeyOf(secretKey).toString("hex"), publicKey.toString("hex"));
    }
  });

  it(`${name}: both sides agree on the recorded session's key`, () => {
    const ofClient = library.precompute(keys.clientTransient.secretKey, keys.serverTransient.publicKey);
    const ofServer = library.precompute(keys.serverTransient.secretKey, keys.clientTransient.publicKey);
    assert.equal(ofClient?.toString("hex"), sessionKey.toString("hex"));
    assert.equal(ofServer?.toString("hex"), sessionKey.toString("hex"));
  });

  it(`${name}: the steps to the box in HELLO`, () => {
    const key = library.precompute(keys.clientTransient.secretKey, keys.server.publicKey);
    assert.equal(key?.toString("hex"), helloSteps.key.toString("hex"));
    const sealed = library.box(helloSteps.key, helloSteps.nonce, Buffer.alloc(64));
    assert.equal(sealed.subarray(0, TAG_BYTES).toString("hex"), helloSteps.tag.toString("hex"));
    assert.equal(library.openBox(helloSteps.key, helloSteps.nonce, sealed), Buffer.alloc(64));
  });

  it(`${name}: the recorded secretbox, and the empty one`, () => {
    const message = Buffer.from(Array.from({ length: 131 }, (_, i) => 7 * i));
    for (const [clear, sealed] of [
      [message, secretBox.sealed],
      [Buffer.alloc(0), secretBox.empty],
    ]) {
      assert.equal(library.box(range(0, 32), range(0x64, 24), clear).toString("hex"), sealed.toString("hex"));
      assert.equal(library.openBox(range(0, 32), range(0x64, 24), sealed), clear);
    }
  });

  it(`${name}: public keys that give everybody the same key are refused`, () => {
    const one = Buffer.alloc(32);
    one[0] = 1;
    for (const publicKey of [Buffer.alloc(32), one]) {
      assert.is(library.precompute(keys.server.secretKey, publicKey), undefined);
    }
  });

  it(`${name}: a box with any flipped bit stays shut`, () => {
    const sealed = library.box(sessionKey, range(0, 24), pattern(70));
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      sealed[bit >> 3] ^= 1 << (bit & 7);
      assert.is(library.openBox(sessionKey, range(0, 24), sealed), undefined, `bit ${bit}`);
      sealed[bit >> 3] ^= 1 << (bit & 7);
    }
    for (let length = 0; length < sealed.length; length++) {
      assert.is(library.openBox(sessionKey, range(0, 24), sealed.subarray(0, length)), undefined, `${length} octets`);
    }
    assert.equal(library.openBox(sessionKey, range(0, 24), sealed), pattern(70));
  });
}

it("the twin's HSalsa20 is the step between X25519 and the key", () => {
  assert.equal(hsalsa20(helloSteps.shared, Buffer.alloc(16)).toString("hex"), helloSteps.key.toString("hex"));
  assert.equal(
    hsalsa20(helloSteps.key, helloSteps.nonce.subarray(0, 16)).toString("hex"),
    helloSteps.subkey.toString("hex"),
  );
});

it("a new key pair is random, and its halves belong together", () => {
  const [one, other] = [keyPair(), keyPair()];
  assert.not.equal(one.secretKey, other.secretKey);
  assert.is(one.secretKey.length, 32);
  assert.equal(one.publicKey, crypto.publicKeyOf(one.secretKey));
  assert.equal(keyPair(crypto, () => keys.client.secretKey).publicKey, keys.client.publicKey);
});

it("keys, nonces and messages of a wrong size are refused before they overwrite a neighbour", () => {
  const key = range(0, 32);
  assert.throws(() => crypto.publicKeyOf(range(0, 31)), RangeError);
  assert.throws(() => crypto.precompute(key, range(0, 33)), RangeError);
  assert.throws(() => crypto.box(key, range(0, 23), key), RangeError);
  assert.throws(() => crypto.box(key, range(0, 24), Buffer.alloc(DESK_BYTES + 1)), RangeError);
  assert.throws(() => crypto.cipher(key, range(0, 15)), RangeError);
});

it("nothing of a handshake stays on the desk", () => {
  const { memory } = crypto.desk;
  const sealed = crypto.box(sessionKey, range(0, 24), pattern(100, 3));
  crypto.openBox(sessionKey, range(0, 24), sealed);
  const cipher = crypto.cipher(sessionKey, PREFIX);
  cipher.select();
  cipher.wipe();
  const subkey = hsalsa20(sessionKey, PREFIX);
  for (const secret of [sessionKey, pattern(100, 3), keys.server.secretKey, helloSteps.key, subkey]) {
    assert.is(memory.indexOf(secret.subarray(0, 24)), -1);
  }
});

/** Seals on the desk; gives the 16 octets of the tag and the ciphertext. */
function sealOnDesk(library: typeof crypto, key: Buffer, message: Buffer, high: number, low: number): Buffer {
  const { memory, output } = library.desk;
  const cipher = library.cipher(key, PREFIX);
  cipher.select();
  memory.fill(0xaa, output, output + MARGIN_BYTES);
  memory.set(message, output + MARGIN_BYTES);
  memory.fill(0xbb, output + MARGIN_BYTES + message.length, output + MARGIN_BYTES + message.length + 64);
  cipher.seal(output, message.length, high, low);
  const end = output + MARGIN_BYTES + message.length;
  assert.ok(memory.subarray(end, end + 64).equals(Buffer.alloc(64, 0xbb)), "writes nothing behind the message");
  return Buffer.from(memory.subarray(output + TAG_BYTES, end));
}

/** Opens on the desk. */
function openOnDesk(library: typeof crypto, key: Buffer, sealed: Buffer, nonce: Buffer): Buffer | undefined {
  const { memory, input, opened } = library.desk;
  const cipher = library.cipher(key, PREFIX);
  const length = sealed.length - TAG_BYTES;
  cipher.select();
  memory.set(nonce, input + 8);
  memory.set(sealed, input + TAG_BYTES);
  return cipher.open(input, length) ? Buffer.from(memory.subarray(opened, opened + length)) : undefined;
}

it(
  "ciphers of both libraries agree on every length from 0 to 4096",
  () => {
    const message = pattern(4096);
    for (let length = 0; length <= message.length; length++) {
      const clear = message.subarray(0, length);
      const nonce = Buffer.concat([PREFIX, counter(length, ~length >>> 0)]);
      const expected = nobleCrypto.box(sessionKey, nonce, clear);
      const sealed = sealOnDesk(crypto, sessionKey, clear, length, ~length >>> 0);
      if (!sealed.equals(expected)) assert.unreachable(`sealing ${length} octets`);
      const opened = openOnDesk(crypto, sessionKey, expected, counter(length, ~length >>> 0));
      if (opened === undefined || !opened.equals(clear)) assert.unreachable(`opening ${length} octets`);
    }
  },
  { timeout: 60_000 },
);

it("the twin's desk works as the library's does", () => {
  for (const length of [0, 1, 31, 32, 33, 1000, DESK_MESSAGE_BYTES]) {
    const sealed = sealOnDesk(nobleCrypto, sessionKey, pattern(length), 1, 2);
    assert.equal(sealed, sealOnDesk(crypto, sessionKey, pattern(length), 1, 2));
    assert.equal(openOnDesk(nobleCrypto, sessionKey, sealed, counter(1, 2)), pattern(length));
  }
});

it("a message with any flipped bit stays shut, and leaves nothing behind", () => {
  const sealed = sealOnDesk(crypto, sessionKey, pattern(67), 0, 3);
  const { memory, opened } = crypto.desk;
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    sealed[bit >> 3] ^= 1 << (bit & 7);
    assert.is(openOnDesk(crypto, sessionKey, sealed, counter(0, 3)), undefined, `bit ${bit}`);
    assert.ok(memory.subarray(opened, opened + 67).equals(Buffer.alloc(67)));
    sealed[bit >> 3] ^= 1 << (bit & 7);
  }
  for (const nonce of [counter(0, 2), counter(1, 3), counter(0x80000000, 3)]) {
    assert.is(openOnDesk(crypto, sessionKey, sealed, nonce), undefined);
  }
  assert.equal(openOnDesk(crypto, sessionKey, sealed, counter(0, 3)), pattern(67));
});

for (const [name, library] of Object.entries(both)) {
  it(`${name}: streams seal and open like the box, however they are cut`, () => {
    const random = randomNumbers(7);
    const cipher = library.cipher(sessionKey, PREFIX);
    for (let round = 0; round < 60; round++) {
      const clear = pattern(random(round < 50 ? 600 : 20_000), round);
      const nonce = counter(0, round);
      const expected = nobleCrypto.box(sessionKey, Buffer.concat([PREFIX, nonce]), clear);
      const sealed = Buffer.from(clear);
      const sealing = cipher.stream(nonce);
      const opening = cipher.stream(nonce);
      const opened = Buffer.alloc(clear.length);
      for (let at = 0; at < clear.length; ) {
        const end = Math.min(clear.length, at + random(random(2) === 0 ? 20 : 3000));
        sealing.seal(sealed.subarray(at, end));
        opening.open(expected, TAG_BYTES + at, TAG_BYTES + end, opened, at);
        at = end;
      }
      assert.ok(Buffer.concat([sealing.tag(), sealed]).equals(expected), `sealing ${clear.length} octets`);
      assert.ok(opening.verify(expected.subarray(0, TAG_BYTES)), `opening ${clear.length} octets`);
      assert.ok(opened.equals(clear));
    }
  });
}

it("a stream longer than the desk, and one that is not authentic", () => {
  const clear = pattern(3 * DESK_BYTES + 77);
  const cipher = crypto.cipher(sessionKey, PREFIX);
  const sealed = Buffer.from(clear);
  const sealing = cipher.stream(counter(0, 9));
  sealing.seal(sealed);
  const tag = sealing.tag();
  const expected = nobleCrypto.box(sessionKey, Buffer.concat([PREFIX, counter(0, 9)]), clear);
  assert.ok(Buffer.concat([tag, sealed]).equals(expected));
  for (const flip of [-1, 0, 200_000]) {
    if (flip >= 0) sealed[flip] ^= 1;
    const opened = Buffer.alloc(clear.length);
    const opening = cipher.stream(counter(0, 9));
    opening.open(sealed, 0, sealed.length, opened, 0);
    assert.is(opening.verify(tag), flip < 0);
  }
});

it("two streams and a batch in turn do not disturb each other", () => {
  const one = crypto.cipher(sessionKey, PREFIX);
  const other = crypto.cipher(helloSteps.key, PREFIX);
  const [first, second] = [pattern(200, 1), pattern(200, 2)];
  const streams = [one.stream(counter(0, 1)), other.stream(counter(0, 1))];
  for (let at = 0; at < 200; at += 20) {
    streams[0].seal(first.subarray(at, at + 20));
    sealOnDesk(crypto, helloSteps.key, pattern(50), 0, at);
    streams[1].seal(second.subarray(at, at + 20));
  }
  const nonce = Buffer.concat([PREFIX, counter(0, 1)]);
  assert.equal(Buffer.concat([streams[0].tag(), first]), nobleCrypto.box(sessionKey, nonce, pattern(200, 1)));
  assert.equal(Buffer.concat([streams[1].tag(), second]), nobleCrypto.box(helloSteps.key, nonce, pattern(200, 2)));
});

it.run();

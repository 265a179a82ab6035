/**
 * The cryptography: against recorded values, and against a second library on every length where the two could differ.
 */
import { DESK_BYTES, TAG_BYTES } from "../../src/crypto/crypto.ts";
import { keyPair, loadCrypto } from "../../src/crypto/load.ts";
import { assert, suite } from "../helpers/test.ts";
import { hsalsa20, nobleCrypto } from "../twins/noble-crypto.ts";
import { helloSteps, keys, secretBox, sessionKey } from "../vectors/curve.ts";
import { pattern } from "./ciphers.ts";

const it = suite("crypto/crypto");
const crypto = loadCrypto();
const both = { sodium: crypto, noble: nobleCrypto };
const PREFIX = Buffer.from("CurveZMQMESSAGEC");

function range(first: number, length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => first + i));
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

it("without WebAssembly the error says so", () => {
  const { WebAssembly } = globalThis as { WebAssembly?: unknown };
  Reflect.deleteProperty(globalThis, "WebAssembly");
  try {
    assert.throws(
      () => loadCrypto(),
      (error: NodeJS.ErrnoException) => error.code === "ENOTSUP",
    );
  } finally {
    Object.assign(globalThis, { WebAssembly });
  }
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

it.run();

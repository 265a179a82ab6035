/**
 * Ciphers and streams where the processor or the runtime has no SIMD: the library's Salsa20 does everything.
 */
import { loadCrypto } from "../../src/crypto/load.ts";
import { assert, suite } from "../helpers/test.ts";
import { testCiphers } from "./ciphers.ts";

const it = suite("crypto/without-simd");
const { WebAssembly } = globalThis as unknown as { WebAssembly: { validate(code: Uint8Array): boolean } };

let validated = 0;
WebAssembly.validate = () => {
  validated++;
  return false;
};
const crypto = loadCrypto();

it("was loaded without", () => {
  assert.is(validated, 1);
});

testCiphers(it, "sodium", crypto, 4096);

it.run();

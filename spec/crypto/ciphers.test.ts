/**
 * Ciphers and streams: the library with our own Salsa20, and the twin.
 */
import { loadCrypto } from "../../src/crypto/load.ts";
import { suite } from "../helpers/test.ts";
import { nobleCrypto } from "../twins/noble-crypto.ts";
import { testCiphers } from "./ciphers.ts";

const it = suite("crypto/ciphers");

testCiphers(it, "sodium", loadCrypto(), 4096);
testCiphers(it, "noble", nobleCrypto, 300);

it.run();

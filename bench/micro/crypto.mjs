/**
 * What the libraries that were candidates for CURVE's cryptography do, and what the wire made of the chosen one does: no sockets,
 * one process. `node bench/micro/crypto.mjs`; tweetnacl takes part when it is installed (`npm install --no-save tweetnacl`).
 *
 * Microseconds a message, the best of several rounds: what the code costs when nothing else runs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { build } from "esbuild";
import loadPackage from "libsodium-sumo";
import { sodiumWasm } from "../../scripts/sodium-wasm.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SIZES = [10, 100, 1024, 65536];
const ROUNDS = 7;
const ROUND_MS = 60;
/** What one flush hands to the wire at a time. */
const SLAB_BYTES = 65536;

const KEY = Buffer.alloc(32, 7);
const NONCE = Buffer.from("CurveZMQMESSAGEC\0\0\0\0\0\0\0\x03");

/** Microseconds that one call takes. @param {() => void} action */
function time(action) {
  let count = 1;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; ) {
    const start = performance.now();
    for (let i = 0; i < count; i++) action();
    const took = performance.now() - start;
    if (took < ROUND_MS / 2) {
      count *= 2;
    } else {
      best = Math.min(best, took / count);
      round++;
    }
  }
  return best * 1000;
}

/** @param {string} name @param {(size: number) => number} measure */
function row(name, measure) {
  const cells = SIZES.map((size) => measure(size).toFixed(2).padStart(10));
  console.log(name.padEnd(44) + cells.join(""));
}

/** Compiles the sources that are measured. */
async function loadSources() {
  const folder = mkdtempSync(join(tmpdir(), "zmtp-micro-"));
  const outfile = join(folder, "crypto.mjs");
  try {
    await build({
      stdin: {
        contents: `
          export * from "./src/crypto/crypto.ts";
          export { loadCrypto } from "./src/crypto/load.ts";
          export { Sealer } from "./src/mechanism/curve-sealer.ts";
          export { Opener } from "./src/mechanism/curve-opener.ts";`,
        resolveDir: ROOT,
      },
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
      // The chunk is bundled in place here; its import of node:crypto comes out as a require, which a module does not have.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      plugins: [sodiumWasm()],
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sources = await loadSources();
const started = performance.now();
const crypto = sources.loadCrypto();
console.log(`the library is loaded in ${(performance.now() - started).toFixed(1)} ms`);
console.log("".padEnd(44) + SIZES.map((size) => `${size} B`.padStart(10)).join(""));

const { desk } = crypto;
const cipher = crypto.cipher(KEY, NONCE.subarray(0, 16));

row("chosen: seal", (size) => {
  if (size > sources.DESK_MESSAGE_BYTES) {
    const message = Buffer.alloc(size);
    return time(() => {
      const stream = cipher.stream(NONCE.subarray(16));
      stream.seal(message);
      stream.tag();
    });
  }
  cipher.select();
  return time(() => cipher.seal(desk.output, size, 0, 3));
});

row("chosen: open", (size) => {
  const sealed = crypto.box(KEY, NONCE, Buffer.alloc(Math.min(size, 65000)));
  if (size > sources.DESK_MESSAGE_BYTES) {
    const message = Buffer.alloc(size);
    return time(() => {
      const stream = cipher.stream(NONCE.subarray(16));
      stream.open(sealed, 16, sealed.length, message, 0);
      stream.verify(sealed.subarray(0, 16));
    });
  }
  cipher.select();
  const body = Buffer.concat([Buffer.alloc(8), NONCE.subarray(16), sealed]);
  return time(() => {
    body.copy(desk.memory, desk.input);
    if (!cipher.open(desk.input, size)) throw new Error("not authentic");
  });
});

const library = await loadPackage();
const [key, nonce, clear, sealed] = [32, 24, 65536, 65552].map((size) => library._malloc(size));
library.HEAPU8.set(KEY, key);
library.HEAPU8.set(NONCE, nonce);
row("libsodium in WebAssembly: secretbox", (size) =>
  time(() => library._crypto_secretbox_easy(sealed, clear, size, 0, nonce, key)),
);
row("libsodium in WebAssembly: open", (size) => {
  library._crypto_secretbox_easy(sealed, clear, size, 0, nonce, key);
  return time(() => library._crypto_secretbox_open_easy(clear, sealed, size + 16, 0, nonce, key));
});

row("noble: seal", (size) => {
  const message = Buffer.alloc(size);
  return time(() => xsalsa20poly1305(KEY, NONCE).encrypt(message));
});

try {
  // @ts-expect-error: only when somebody has installed it.
  const { default: nacl } = await import("tweetnacl");
  row("tweetnacl: seal", (size) => {
    const message = Buffer.alloc(size);
    return time(() => nacl.secretbox(message, NONCE, KEY));
  });
} catch {
  console.log("tweetnacl is not installed");
}

/** Whole frames of one size, as many as a slab takes. @param {number} size */
function slab(size) {
  const frame = Buffer.alloc(size > 255 ? 9 + size : 2 + size, 0x61);
  if (size > 255) {
    frame[0] = 2;
    frame.writeBigUInt64BE(BigInt(size), 1);
  } else {
    frame[0] = 0;
    frame[1] = size;
  }
  const count = Math.max(1, Math.floor(SLAB_BYTES / frame.length));
  return { parts: [Buffer.concat(Array.from({ length: count }, () => frame))], count };
}

row("the wire: wrap a slab, each message", (size) => {
  const sealer = new sources.Sealer(desk, cipher, 2);
  const { parts, count } = slab(size);
  return time(() => sealer.wrap(parts)) / count;
});

row("the wire: unwrap chunks of 64 KiB, each message", (size) => {
  const sealer = new sources.Sealer(desk, cipher, 2);
  const { parts, count } = slab(size);
  const stream = Buffer.concat(Array.from({ length: 16 }, () => sealer.wrap(parts)).flat());
  const took = time(() => {
    const opener = new sources.Opener(desk, cipher, { high: 0, low: 2 }, -1);
    for (let at = 0; at < stream.length; at += SLAB_BYTES) opener.unwrap(stream.subarray(at, at + SLAB_BYTES));
    if (opener.failure) throw opener.failure;
  });
  return took / (16 * count);
});

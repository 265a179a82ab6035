/**
 * An esbuild plugin that makes the module "sodium:wasm": the WebAssembly of libsodium, as text.
 *
 * The package instantiates its code behind a promise, for which a socket cannot wait: `connect()` has sent a greeting before
 * the promise is settled. So the package is run here, at build time, and its code is caught on its way to `instantiate`;
 * src/crypto/sodium.ts instantiates it synchronously. One section of the code is written anew: the package exports some six
 * hundred functions under minified names such as "Li". Those that are used get their real names, found by identity, and the
 * others stay inside, since making them callable takes longer than everything else at start-up (6 ms against 0.4).
 */

/** What src/crypto/sodium.ts calls, as the package names it. */
const FUNCTIONS = [
  "crypto_box_beforenm",
  "crypto_core_hsalsa20",
  "crypto_scalarmult_base",
  "crypto_secretbox_easy",
  "crypto_secretbox_open_easy",
  "crypto_stream_salsa20_xor_ic",
];

/** Node's types do not describe it. @type {any} */
const { WebAssembly } = globalThis;

/** Runs the package once; gives its code and the real names of the exports to keep by their minified ones. */
async function extract() {
  const { instantiate } = WebAssembly;
  /** @type {Buffer | undefined} */
  let code;
  /** @type {Record<string, unknown>} */
  let minified = {};
  /** @param {Uint8Array} source @param {object} imports */
  WebAssembly.instantiate = async (source, imports) => {
    const result = await instantiate.call(WebAssembly, source, imports);
    code = Buffer.from(source);
    minified = result.instance.exports;
    return result;
  };
  /** @type {Record<string, unknown>} */
  let library;
  try {
    // @ts-expect-error: the package has no types.
    const { default: load } = await import("libsodium-sumo");
    library = await load();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  if (code === undefined) throw new Error("libsodium-sumo did not instantiate any WebAssembly");

  /** @type {Map<string, string>} */
  const kept = new Map();
  /** @param {string} real @param {(value: unknown) => boolean} test */
  const keep = (real, test) => {
    const row = Object.entries(minified).find(([name, value]) => test(value) && !kept.has(name));
    if (row === undefined) throw new Error(`libsodium-sumo does not export ${real}`);
    kept.set(row[0], real);
  };
  keep("memory", (value) => value instanceof WebAssembly.Memory);
  for (const name of FUNCTIONS) keep(name, (value) => value === library[`_${name}`]);
  return { code, kept };
}

const HEADER_BYTES = 8;
const EXPORT_SECTION = 7;

/**
 * Reads an unsigned LEB128 number; gives it with the offset behind it.
 * @param {Buffer} code @param {number} at @returns {[number, number]}
 */
function readNumber(code, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const octet = code[at++];
    value |= (octet & 0x7f) << shift;
    if (octet < 0x80) return [value, at];
  }
}

/** @param {number} value */
function writeNumber(value) {
  const octets = [];
  for (; value > 0x7f; value >>>= 7) octets.push((value & 0x7f) | 0x80);
  return Buffer.from([...octets, value]);
}

/**
 * Writes the section of exports anew: a count, then of each its name (length, octets), its kind (1), its index (number).
 * @param {Buffer} section @param {Map<string, string>} kept
 */
function renameExports(section, kept) {
  const entries = [];
  let [count, at] = readNumber(section, 0);
  for (; count > 0; count--) {
    const [length, start] = readNumber(section, at);
    const end = start + length;
    [, at] = readNumber(section, end + 1);
    const name = kept.get(section.toString("utf8", start, end));
    if (name !== undefined)
      entries.push(Buffer.concat([writeNumber(name.length), Buffer.from(name), section.subarray(end, at)]));
  }
  return Buffer.concat([writeNumber(entries.length), ...entries]);
}

/** Sections are an id (1), a size (number), and that many octets. @param {Buffer} code @param {Map<string, string>} kept */
function trim(code, kept) {
  const parts = [code.subarray(0, HEADER_BYTES)];
  for (let at = HEADER_BYTES; at < code.length; ) {
    const id = code[at];
    const [size, start] = readNumber(code, at + 1);
    at = start + size;
    const section = code.subarray(start, at);
    const body = id === EXPORT_SECTION ? renameExports(section, kept) : section;
    parts.push(Buffer.from([id]), writeNumber(body.length), body);
  }
  return Buffer.concat(parts);
}

/** @type {Promise<string> | undefined} */
let source;

/** @returns {import("esbuild").Plugin} */
export function sodiumWasm() {
  return {
    name: "sodium-wasm",
    setup(build) {
      build.onResolve({ filter: /^sodium:wasm$/ }, ({ path }) => ({ path, namespace: "sodium-wasm" }));
      build.onLoad({ filter: /.*/, namespace: "sodium-wasm" }, async () => {
        source ??= extract().then(({ code, kept }) => trim(code, kept).toString("base64"));
        return { contents: `export const base64 = "${await source}";\n`, loader: "js" };
      });
    },
  };
}

#!/usr/bin/env node
/**
 * CURVE certificates across tools: files that pyzmq and czmq write are read by `zmtp/auth`, their authenticators let zmtp's
 * sockets in by such files, and zmtp's authenticator theirs. Ends with a line of counts.
 *
 *     node interop/certificates/check.mjs
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL("../..", import.meta.url));
const python = process.env.INTEROP_PYTHON ?? "/usr/bin/python3";
const tools = fileURLToPath(new URL("tools.py", import.meta.url));

const TOOL_MS = 20_000;
const ANSWER_MS = 4000;

/** Long enough for a handshake and the other's refusal. */
const REFUSED_MS = 700;

if (!existsSync(join(root, "dist"))) throw new Error("there is no dist: run npm run build");
const zmq = require(root);
const auth = require(join(root, "dist/auth.cjs"));

const folder = mkdtempSync(join(tmpdir(), "certificates-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** @param {...string} words */
function tool(...words) {
  const output = execFileSync(python, [tools, ...words], {
    encoding: "utf8",
    timeout: TOOL_MS,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // czmq complains of what is no certificate in lines of its own, before the answer.
  return /** @type {string} */ (output.trim().split("\n").at(-1)).split(" ");
}

/** The same while this process goes on serving. @param {...string} words @returns {Promise<string>} */
function toolMeanwhile(...words) {
  return new Promise((resolve, reject) => {
    const child = spawn(python, [tools, ...words], { stdio: ["ignore", "pipe", "inherit"], timeout: TOOL_MS });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.on("close", (code) => (code === 0 ? resolve(output.trim()) : reject(new Error(`${words[0]} failed`))));
  });
}

/** Starts a server; its address, and how to end it. @param {...string} words @returns {Promise<{ address: string, stop: () => void }>} */
async function serve(...words) {
  const child = spawn(python, [tools, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  if (value === undefined) throw new Error(`${words[0]} did not start`);
  // czmq has a handler of its own for the polite signals.
  return { address: value, stop: () => child.kill("SIGKILL") };
}

/** @typedef {{ publicKey: string, secretKey: string, publicFile: string, secretFile: string }} Made */

/** @param {string} maker @param {string} where @param {string} name @returns {Made} */
function make(maker, where, name) {
  mkdirSync(join(folder, where), { recursive: true });
  const [publicKey, secretKey, publicFile, secretFile] = tool(`make-${maker}`, join(folder, where), name);
  return { publicKey, secretKey, publicFile, secretFile };
}

/** @param {unknown} got @param {unknown} wanted @param {string} what */
function same(got, wanted, what) {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) {
    throw new Error(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
  }
}

/**
 * Asks a server as the owner of a certificate. @returns its answer, or "no answer"
 * @param {string} address @param {string} serverKey @param {{ publicKey: string, secretKey: string | undefined }} certificate @param {number} ms
 */
async function askWith(address, serverKey, certificate, ms) {
  const socket = new zmq.Request({
    curveServerKey: serverKey,
    curvePublicKey: certificate.publicKey,
    curveSecretKey: certificate.secretKey,
    sendTimeout: ms,
    receiveTimeout: ms,
    linger: 0,
  });
  try {
    socket.connect(address);
    await socket.send("hello");
    return String((await socket.receive())[0]);
  } catch (error) {
    if (/** @type {any} */ (error).code !== "EAGAIN") throw error;
    return "no answer";
  } finally {
    socket.close();
  }
}

/** @param {string} maker */
function checksFor(maker) {
  const known = `known-${maker}`;
  const client = make(maker, known, "client");
  const server = make(maker, "own", `server-${maker}`);
  const stranger = make(maker, "own", `stranger-${maker}`);
  return {
    [`${maker}: both files are read`]: () => {
      const shown = auth.loadCertificate(client.publicFile);
      const whole = auth.loadCertificate(client.secretFile);
      same([shown.publicKey, shown.secretKey], [client.publicKey, undefined], "the public certificate");
      same([whole.publicKey, whole.secretKey], [client.publicKey, client.secretKey], "the secret certificate");
      // pyzmq leaves what it is told out of its public files.
      if (maker === "pyzmq") same([shown.metadata, whole.metadata], [{}, { tool: "pyzmq" }], "the metadata");
      else same(shown.metadata, { name: "client", email: "someone@example.org" }, "the metadata");
    },
    [`${maker}: its authenticator lets in zmtp with a known certificate, and nobody else`]: async () => {
      const { address, stop } = await serve(`serve-${maker}`, join(folder, known), server.secretFile);
      try {
        const certificate = auth.loadCertificate(client.secretFile);
        same(await askWith(address, server.publicKey, certificate, ANSWER_MS), "served hello", "the known one gets");
        const other = auth.loadCertificate(stranger.secretFile);
        same(await askWith(address, server.publicKey, other, REFUSED_MS), "no answer", "the stranger gets");
      } finally {
        stop();
      }
    },
    [`${maker}: its client with a known certificate is let in by zmtp's authenticator, and nobody else`]: async () => {
      const authenticator = new auth.Authenticator();
      authenticator.start();
      authenticator.setKeys(auth.loadCertificates(join(folder, known)));
      const certificate = auth.loadCertificate(server.secretFile);
      const socket = new zmq.Reply({
        curveServer: true,
        curvePublicKey: certificate.publicKey,
        curveSecretKey: certificate.secretKey,
        linger: 0,
      });
      try {
        await socket.bind("tcp://127.0.0.1:*");
        const served = (async () => {
          for await (const [question] of socket) await socket.send(`served ${question}`);
        })();
        const ask = (/** @type {string} */ file) => toolMeanwhile("ask", file, server.publicKey, socket.lastEndpoint);
        same(await ask(client.secretFile), "served hello", "the known one gets");
        same(await ask(stranger.secretFile), "no answer", "the stranger gets");
        socket.close();
        await served;
      } finally {
        socket.close();
        authenticator.stop();
      }
    },
  };
}

/** A folder's certificates by any name are those that czmq's store has. */
function checkStore() {
  const root = join(folder, "store");
  /** @type {string[]} */
  const made = [];
  const places = [
    "anna.cert",
    "curve_cert",
    "a.b.c",
    "x_secret.key",
    "bob_secret",
    ".hidden",
    "sub/deep/c",
    ".sub/d",
    "d_secret/e",
  ];
  for (const place of places) {
    const { publicKey } = make("czmq", join("store", dirname(place)), basename(place));
    made.push(publicKey);
  }
  writeFileSync(join(root, "junk.key"), "no certificate");
  const found = new Set(tool("store-czmq", root, ...made));
  same(Object.keys(auth.loadCertificates(root)).sort(), made.filter((key) => found.has(key)).sort(), "the keys");
  if (found.size === 0 || found.size === made.length) throw new Error("czmq's store makes no difference");
}

const checks = {
  "keys made by zmtp are a pair to libzmq": () => {
    const { publicKey, secretKey } = zmq.curveKeyPair();
    same(tool("public", secretKey), [publicKey], "the public key");
  },
};

let skipped = 0;
/** @type {string[]} */
let there = [];
try {
  there = tool("has");
} catch (error) {
  console.log(`${python} has no zmq: ${/** @type {Error} */ (error).message.split("\n")[0]}`);
}
for (const maker of ["pyzmq", "czmq"]) {
  if (there.includes(maker)) Object.assign(checks, checksFor(maker));
  else {
    skipped++;
    console.log(`skipped ${maker}: it is not there`);
  }
}
if (there.includes("czmq"))
  Object.assign(checks, { "czmq: a folder's certificates are those of its store": checkStore });
if (there.length === 0) process.exit(process.env.CI === "true" ? 1 : 0);

let passed = 0;
let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    passed++;
    console.log(`ok     ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}: ${/** @type {Error} */ (error).message}`);
  }
}
if (process.env.CI === "true") {
  failed += skipped;
  skipped = 0;
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;

/**
 * What every kind of packaging has to carry: tcp, ipc and inproc, CURVE (whose code is loaded on first use), the sub-path
 * entries, and that all of them are one library.
 */
const { tmpdir } = require("node:os");
const path = require("node:path");
const zmq = require("zmtp");
const { Authenticator } = require("zmtp/auth");
const compat = require("zmtp/v5-compat");

/** @param {string} address @param {object} receiver @param {object} sender */
async function once(address, receiver, sender) {
  const pull = new zmq.Pull(receiver);
  const push = new zmq.Push(sender);
  await pull.bind(address);
  push.connect(/** @type {string} */ (pull.lastEndpoint));
  await push.send(["a", Buffer.alloc(100_000, "b")]);
  const [first, second] = await pull.receive();
  push.close();
  pull.close();
  return `${first}${second.length}`;
}

async function secured() {
  const server = zmq.curveKeyPair();
  const client = zmq.curveKeyPair();
  const authenticator = new Authenticator();
  authenticator.setKeys([client.publicKey]);
  authenticator.start();
  const heard = await once(
    "tcp://127.0.0.1:*",
    { curveServer: true, curvePublicKey: server.publicKey, curveSecretKey: server.secretKey },
    { curveServerKey: server.publicKey, curvePublicKey: client.publicKey, curveSecretKey: client.secretKey },
  );
  authenticator.stop();
  return heard;
}

/** A socket of one entry talks to one of another in the same process only if they share a library. */
async function shared() {
  const pull = new zmq.Pull();
  await pull.bind("inproc://shared");
  const old = compat.socket("push");
  old.connect("inproc://shared").send("one library");
  const [text] = await pull.receive();
  old.close();
  pull.close();
  return String(text);
}

async function conversation() {
  const file = path.join(tmpdir(), `zmtp-${process.pid}-${Math.random().toString(36).slice(2)}`);
  const heard = [];
  for (const address of ["tcp://127.0.0.1:*", `ipc://${file}`, "inproc://one"]) heard.push(await once(address, {}, {}));
  heard.push(await secured(), await shared());
  return heard.join(" ");
}

/** What it has to come to. */
const EXPECTED = "a100000 a100000 a100000 a100000 one library";

module.exports = { conversation, EXPECTED, zmq };

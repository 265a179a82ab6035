/** CURVE: keys, a server, a client with the right key and one with a wrong one. */
import { masked, outcome, print, text, zmq } from "./lib.mjs";

const server = zmq.curveKeyPair();
const client = zmq.curveKeyPair();
print(Object.keys(server), server.publicKey.length, server.secretKey.length);

const pull = new zmq.Pull({ curveServer: true, curveSecretKey: server.secretKey });
await pull.bind("tcp://127.0.0.1:*");
const push = new zmq.Push({
  linger: 0,
  curveServerKey: server.publicKey,
  curvePublicKey: client.publicKey,
  curveSecretKey: client.secretKey,
});
print(pull.securityMechanism, push.securityMechanism);
push.connect(/** @type {string} */ (pull.lastEndpoint));
for (const message of ["secret", ["of", "", "several frames"], Buffer.alloc(100_000, "x")]) {
  await push.send(message);
  print(text(await pull.receive()).slice(0, 50));
}

const wrong = new zmq.Push({
  linger: 0,
  curveServerKey: client.publicKey,
  curvePublicKey: client.publicKey,
  curveSecretKey: client.secretKey,
});
const failed = new Promise((resolve) => pull.events.on("handshake:error:protocol", resolve));
wrong.connect(/** @type {string} */ (pull.lastEndpoint));
const event = /** @type {any} */ (await failed);
print(event.type, masked(event.address), event.error.code, event.error.message);
print(
  await outcome(() => {
    wrong.curvePublicKey = "bad";
  }),
);
for (const socket of [pull, push, wrong]) socket.close();

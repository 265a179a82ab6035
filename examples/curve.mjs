// CURVE with an authenticator: everything is encrypted, and only clients whose keys are known come in.
//   node examples/curve.mjs
import { curveKeyPair, Reply, Request } from "zmtp";
import { Authenticator } from "zmtp/auth";

const serverKeys = curveKeyPair();
const annasKeys = curveKeyPair();
const strangersKeys = curveKeyPair();

const authenticator = new Authenticator();
authenticator.setKeys({ [annasKeys.publicKey]: "anna" });
authenticator.start();

const server = new Reply({ curveServer: true, curveSecretKey: serverKeys.secretKey });
await server.bind("tcp://127.0.0.1:*");

function client(keys) {
  const socket = new Request({
    curveServerKey: serverKeys.publicKey,
    curvePublicKey: keys.publicKey,
    curveSecretKey: keys.secretKey,
    linger: 0,
    reconnectInterval: -1,
  });
  socket.events.on("handshake:error:auth", ({ error }) => console.log(`refused: ${error.status}`));
  socket.connect(server.lastEndpoint);
  return socket;
}

const anna = client(annasKeys);
await anna.send("let me in");
console.log(`${await server.receive()}, says ${server.lastPeer?.userId}`);
await server.send("welcome");
console.log(String(await anna.receive()));

const stranger = client(strangersKeys);
stranger.receiveTimeout = 500;
await stranger.send("me too");
await stranger.receive().catch(({ code }) => console.log(`no answer: ${code}`));

for (const socket of [server, anna, stranger]) socket.close();
authenticator.stop();

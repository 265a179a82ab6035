/** PLAIN with a ZAP handler of the program's own, in a context of its own. */
import { masked, print, text, until, zmq } from "./lib.mjs";

const context = new zmq.Context();
const handler = new zmq.Reply({ context });
await handler.bind("inproc://zeromq.zap.01");
const handling = (async () => {
  for await (const frames of handler) {
    const [version, id, domain, address, identity, mechanism, ...credentials] = frames;
    print("asked", text([version, id, domain, address, identity, mechanism, ...credentials]));
    const status = { "ann:secret": "200", "bob:later": "300", "eve:guess": "400" }[credentials.join(":")] ?? "500";
    await handler.send([version, id, status, "said so", status === "200" ? credentials[0] : "", ""]);
  }
})();

const server = new zmq.Reply({ context, plainServer: true, zapDomain: "global" });
await server.bind("tcp://127.0.0.1:*");
const address = /** @type {string} */ (server.lastEndpoint);
const serving = (async () => {
  for await (const [request] of server) await server.send(`answer to ${request}`);
})();

const client = new zmq.Request({ context, plainUsername: "ann", plainPassword: "secret" });
client.connect(address);
await client.send("question");
print(text(await client.receive()));

/** @type {string[]} */
const told = [];
server.events.on("handshake:error:auth", ({ type, address: at, error }) => {
  told.push([type, masked(at), error.status, error.message].join(" "));
});
for (const [plainUsername, plainPassword] of [
  ["eve", "guess"],
  ["mallory", "x"],
]) {
  const before = told.length;
  const denied = new zmq.Request({ context, plainUsername, plainPassword, linger: 0 });
  denied.connect(address);
  await until(() => told.length > before);
  denied.close();
  print(told[before]);
}
client.close();
server.close();
handler.close();
await Promise.all([serving, handling]);

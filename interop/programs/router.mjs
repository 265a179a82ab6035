/** ROUTER: ids given and generated, mandatory, connect with an id. */
import { outcome, print, sleep, text, zmq } from "./lib.mjs";

const router = new zmq.Router({ mandatory: true });
await router.bind("tcp://127.0.0.1:*");
const address = /** @type {string} */ (router.lastEndpoint);
print("writable without a peer", router.writable);
const named = ["ann", "bob"].map((routingId) => new zmq.Dealer({ routingId }));
for (const dealer of named) {
  dealer.connect(address);
  await dealer.send(["hello", ""]);
  print(text(await router.receive()));
}
print("writable", router.writable);
await router.send(["bob", "for bob"]);
await router.send(["ann", "", "for ann"]);
for (const dealer of named) print(text(await dealer.receive()));
print("unknown", await outcome(() => router.send(["carl", "x"])));
router.sendTimeout = 20;
print("unknown, with a timeout", await outcome(() => router.send(["carl", "x"])));
print("an id alone", await outcome(() => router.send("carl")));

const anonymous = new zmq.Dealer();
anonymous.connect(address);
await anonymous.send("who am I");
const [id, question] = await router.receive();
print(id.length, id[0], String(question));
await router.send([id, "you are 5 octets"]);
print(text(await anonymous.receive()));

const server = new zmq.Dealer();
await server.bind("tcp://127.0.0.1:*");
router.connect(/** @type {string} */ (server.lastEndpoint), { routingId: "given" });
await router.send(["given", "at once"]);
print(text(await server.receive()));
await server.send("back");
print(text(await router.receive()));

named[0].close();
await sleep(100);
print("gone", await outcome(() => router.send(["ann", "x"])));
for (const socket of [router, ...named, anonymous, server]) socket.close();

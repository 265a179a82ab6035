// ROUTER: answers go to whom they belong, in any order, because each message carries its sender's id.
//   node examples/router.mjs
import { Dealer, Router } from "zmtp";

const router = new Router({ mandatory: true, sendTimeout: 0 });
await router.bind("tcp://127.0.0.1:*");

const names = ["ada", "bob", "cleo"];
const dealers = names.map((routingId) => {
  const dealer = new Dealer({ routingId });
  dealer.connect(router.lastEndpoint);
  return dealer;
});

for (const dealer of dealers) await dealer.send("ready");
for (let ready = 0; ready < names.length; ready++) await router.receive();

for (const name of [...names].reverse()) await router.send([name, `hello ${name}`]);
for (const dealer of dealers) console.log(String(await dealer.receive()));

try {
  await router.send(["nobody", "hello"]);
} catch (error) {
  console.log(`nobody: ${error.code}`);
}

for (const socket of [router, ...dealers]) socket.close();

// ROUTER and DEALER: clients at the front, workers at the back, and a proxy that passes requests on and answers back.
//   node examples/broker.mjs
import { Dealer, Proxy, Reply, Request, Router } from "zmtp";

const front = new Router();
const back = new Dealer();
await front.bind("tcp://127.0.0.1:*");
await back.bind("tcp://127.0.0.1:*");
const [clients, workers] = [front.lastEndpoint, back.lastEndpoint];

const proxy = new Proxy(front, back);
const ended = proxy.run();

const replies = ["anna", "bert"].map((name) => {
  const worker = new Reply();
  worker.connect(workers);
  (async () => {
    for await (const [request] of worker) await worker.send(`${request}, says ${name}`);
  })();
  return worker;
});

const client = new Request();
client.connect(clients);
for (const question of ["one", "two", "three", "four"]) {
  await client.send(question);
  console.log(String(await client.receive()));
}

const { frontEnd } = proxy.statistics;
console.log(`${frontEnd.messagesReceived} requests, ${frontEnd.messagesSent} replies`);

client.close();
for (const worker of replies) worker.close();
proxy.terminate();
await ended;

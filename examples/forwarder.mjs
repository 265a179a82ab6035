// XSUB and XPUB: publishers on one side, subscribers on the other, and a proxy between that carries messages one way and
// subscriptions the other; a capture socket sees it all.
//   node examples/forwarder.mjs
import { setTimeout as sleep } from "node:timers/promises";
import { Proxy, Publisher, Pull, Push, Subscriber, XPublisher, XSubscriber } from "zmtp";

const publishers = new XSubscriber();
const subscribers = new XPublisher();
const capture = new Push();
const watcher = new Pull();
await publishers.bind("tcp://127.0.0.1:*");
await subscribers.bind("tcp://127.0.0.1:*");
await watcher.bind("inproc://watcher");
capture.connect("inproc://watcher");
const [inlet, outlet] = [publishers.lastEndpoint, subscribers.lastEndpoint];

const proxy = new Proxy(publishers, subscribers, capture);
const ended = proxy.run();

const publisher = new Publisher();
const subscriber = new Subscriber();
publisher.connect(inlet);
subscriber.connect(outlet);
subscriber.subscribe("news");

const [subscription] = await watcher.receive();
console.log(`the proxy saw a subscription to ${subscription.subarray(1)}`);
// It is on its way to the publisher: one message may still be early, so publish until one has come.
const received = subscriber.receive();
let isHeard = false;
received.then(() => {
  isHeard = true;
});
while (!isHeard) {
  await publisher.send(["news", "all is well"]);
  await sleep(10);
}
const [topic, text] = await received;
console.log(`${topic}: ${text}`);

for (const socket of [publisher, subscriber, capture, watcher]) socket.close();
proxy.terminate();
await ended;

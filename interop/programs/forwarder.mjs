/** XSUB and XPUB by Proxy: subscriptions go up, messages come down. */
import { connected, print, text, zmq } from "./lib.mjs";

const front = new zmq.XSubscriber();
const back = new zmq.XPublisher();
await front.bind("tcp://127.0.0.1:*");
await back.bind("tcp://127.0.0.1:*");
const publishersAt = /** @type {string} */ (front.lastEndpoint);
const subscribersAt = /** @type {string} */ (back.lastEndpoint);
const proxy = new zmq.Proxy(front, back);
const ended = proxy.run();

const publishers = [new zmq.XPublisher(), new zmq.XPublisher()];
for (const publisher of publishers) publisher.connect(publishersAt);
const subscriber = new zmq.Subscriber();
subscriber.subscribe("A");
subscriber.connect(subscribersAt);
for (const publisher of publishers) {
  print((await publisher.receive()).map((frame) => frame.toString("latin1")));
  await connected(publisher, "A setup", [subscriber]);
}
for (const [i, publisher] of publishers.entries()) {
  await publisher.send("B is not wanted");
  await publisher.send(["A", `from ${i}`]);
  print(text(await subscriber.receive()));
}
subscriber.unsubscribe("A");
for (const publisher of publishers) print((await publisher.receive()).map((frame) => frame.toString("latin1")));
proxy.terminate();
await ended;
for (const socket of [...publishers, subscriber]) socket.close();
print(front.closed, back.closed);

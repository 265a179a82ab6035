/** A chain of XPUB/XSUB proxies between publisher and subscribers. */
import { Proxy, Publisher, Subscriber, XPublisher, XSubscriber } from "../../src/index.ts";
import { drain, next } from "../helpers/messages.ts";
import { Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

const it = suite("patterns/forwarders");
const sockets = new Sockets(it);

/** A proxy whose publishers' side connects, and whose subscribers' side binds. */
class Forwarder {
  readonly front = sockets.own(new XSubscriber({ reconnectInterval: 20, linger: 0 }));
  readonly back = sockets.own(new XPublisher({ linger: 0 }));
  readonly #proxy = new Proxy(this.front, this.back);
  #ended = Promise.resolve();

  async start(publisherAt: string, subscribersAt: string): Promise<string> {
    this.front.connect(publisherAt);
    // The port may be held by the last connection for a moment.
    await eventually(async () => (await this.back.bind(subscribersAt).catch((error) => error)) === undefined);
    this.#ended = this.#proxy.run();
    return this.back.lastEndpoint as string;
  }

  async stop(): Promise<void> {
    this.#proxy.terminate();
    await this.#ended;
  }
}

async function chain(
  publisher: Publisher,
  transport: (typeof TRANSPORTS)[number],
): Promise<{ at: string[]; links: Forwarder[] }> {
  const at = [await sockets.bound(publisher, transport)];
  const links = [];
  for (let i = 0; i < 3; i++) {
    const link = new Forwarder();
    links.push(link);
    at.push(await link.start(at[i], sockets.address(transport)));
  }
  return { at, links };
}

for (const transport of TRANSPORTS) {
  it(`three in a row: subscriptions reach the origin, and so does the last unsubscribe (${transport})`, async () => {
    const publisher = sockets.own(new Publisher());
    const { at, links } = await chain(publisher, transport);
    const subscribers = [0, 1].map(() => sockets.own(new Subscriber()));
    for (const [i, subscriber] of subscribers.entries()) {
      // They go out in this order.
      subscriber.subscribe("A", `last of ${i}`);
      subscriber.connect(at[3]);
    }
    subscribers[0].subscribe("B");
    await eventually(() => publisher.topicsCount === 4);
    for (const text of ["A1", "B1", "C1", "A2"]) await publisher.send(text);
    for (const text of ["A1", "B1", "A2"]) assert.is(await next(subscribers[0]), text);
    for (const text of ["A1", "A2"]) assert.is(await next(subscribers[1]), text);
    subscribers[0].unsubscribe("B", "A");
    await eventually(() => publisher.topicsCount === 3);
    await publisher.send("A3");
    assert.is(await next(subscribers[1]), "A3");
    for (const subscriber of subscribers) subscriber.close();
    await eventually(() => publisher.topicsCount === 0);
    for (const link of links) {
      assert.equal([link.front.topicsCount, link.back.topicsCount], [0, 0]);
      await link.stop();
    }
  });
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`a middle that restarts heals (${transport})`, async () => {
    const publisher = sockets.own(new Publisher());
    const { at, links } = await chain(publisher, transport);
    const subscriber = sockets.own(new Subscriber());
    subscriber.subscribe("A", "gone");
    subscriber.connect(at[3]);
    await eventually(() => publisher.topicsCount === 2);
    await publisher.send("A before");
    assert.is(await next(subscriber), "A before");

    await links[1].stop();
    await eventually(() => publisher.topicsCount === 0);
    subscriber.unsubscribe("gone");
    subscriber.subscribe("B");
    const middle = new Forwarder();
    await middle.start(at[1], at[2]);
    await eventually(() => publisher.topicsCount === 2);
    await publisher.send("gone");
    await publisher.send("B after");
    await publisher.send("A after");
    assert.is(await next(subscriber), "B after");
    assert.is(await next(subscriber), "A after");
    assert.equal(await drain(subscriber, 30), []);
    subscriber.close();
    await eventually(() => publisher.topicsCount === 0);
    for (const link of [links[0], middle, links[2]]) await link.stop();
  });
}

it(
  "100,000 topics leave nothing behind",
  async () => {
    const publisher = sockets.own(new Publisher());
    const { at, links } = await chain(publisher, "tcp");
    const subscriber = sockets.own(new Subscriber());
    subscriber.connect(at[3]);
    const topics = Array.from({ length: 100_000 }, (_, i) => `topic/${i % 100}/${i}`);
    subscriber.subscribe(...topics);
    await eventually(() => publisher.topicsCount === topics.length);
    for (const link of links) assert.equal([link.front.topicsCount, link.back.topicsCount], [100_000, 100_000]);
    await publisher.send("topic/99/99999");
    assert.is(await next(subscriber), "topic/99/99999");
    subscriber.unsubscribe(...topics);
    await eventually(() => publisher.topicsCount === 0);
    for (const link of links) {
      assert.equal([link.front.topicsCount, link.back.topicsCount], [0, 0]);
      await link.stop();
    }
  },
  { timeout: 30_000 },
);

it.run();

import { Publisher, Subscriber, XPublisher, XSubscriber } from "../../src/index.ts";
import { take } from "../helpers/messages.ts";
import { freePort } from "../helpers/raw-peer.ts";
import { rejected, Sockets, TRANSPORTS, type Transport, texts, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, stays } from "../helpers/wait.ts";

const it = suite("socket/publish-subscribe");
const sockets = new Sockets(it);

const END = "\u0000end";

/** A publisher and a subscriber that also listens to END, which tells when everything else has arrived. */
class Duo {
  readonly publisher: Publisher;
  readonly subscriber: Subscriber;

  constructor(publisher: Publisher, subscriber: Subscriber) {
    this.publisher = sockets.own(publisher);
    this.subscriber = sockets.own(subscriber);
  }

  /** Waits until the publisher knows what was subscribed to by now. */
  async settle(): Promise<void> {
    const mark = `\u0000${Math.random()}`;
    this.subscriber.subscribe(mark);
    const timeout = this.subscriber.receiveTimeout;
    this.subscriber.receiveTimeout = 20;
    // Those that were sent before the newest one come before it.
    for (let sent = 1, seen = 0; seen < sent; ) {
      const got = await this.subscriber.receive().catch(() => undefined);
      if (got === undefined) await this.publisher.send([mark, String(++sent)]);
      else if (String(got[0]) === mark) seen = Number(got[1]);
    }
    this.subscriber.receiveTimeout = timeout;
    this.subscriber.unsubscribe(mark);
  }

  /** What of `messages` arrives. */
  async deliver(messages: (string | string[])[]): Promise<string[]> {
    this.subscriber.subscribe(END);
    await this.settle();
    for (const message of messages) await this.publisher.send(message);
    await this.publisher.send(END);
    const got: string[] = [];
    for (;;) {
      const text = texts(await this.subscriber.receive()).join("|");
      if (text === END) break;
      got.push(text);
    }
    this.subscriber.unsubscribe(END);
    return got;
  }
}

async function duo(transport: Transport, subscriberBinds = false): Promise<Duo> {
  const pair = new Duo(new Publisher(), new Subscriber());
  if (subscriberBinds) await sockets.join(pair.subscriber, pair.publisher, transport);
  else await sockets.join(pair.publisher, pair.subscriber, transport);
  return pair;
}

const ALL = [["a1", "x"], "b1", "c1", "", ["", "a"], "a"];

for (const transport of TRANSPORTS) {
  for (const subscriberBinds of [false, true]) {
    const who = subscriberBinds ? "SUB" : "PUB";
    it(`subscriptions are counted prefixes of the first frame (${transport}, ${who} binds)`, async () => {
      const pair = await duo(transport, subscriberBinds);
      const { subscriber } = pair;
      assert.equal(await pair.deliver(ALL), []);
      subscriber.subscribe("a", "a", "b");
      assert.equal(await pair.deliver(ALL), ["a1|x", "b1", "a"]);
      subscriber.unsubscribe("a");
      assert.equal(await pair.deliver(ALL), ["a1|x", "b1", "a"]);
      subscriber.unsubscribe("a");
      assert.equal(await pair.deliver(ALL), ["b1"]);
      subscriber.subscribe();
      assert.equal(await pair.deliver(ALL), ["a1|x", "b1", "c1", "", "|a", "a"]);
      subscriber.unsubscribe("b", "never");
      assert.equal(await pair.deliver(ALL), ["a1|x", "b1", "c1", "", "|a", "a"]);
      subscriber.unsubscribe();
      assert.equal(await pair.deliver(ALL), []);
    });
  }

  it(`octets that are no text are topics too (${transport})`, async () => {
    const pair = await duo(transport);
    const topic = Buffer.from([0, 255, 254]);
    pair.subscriber.subscribe(topic);
    topic[0] = 9;
    await pair.settle();
    await pair.publisher.send([Buffer.from([9, 255, 254]), "other"]);
    await pair.publisher.send([Buffer.from([0, 255, 254, 1]), "body"]);
    assert.is(String((await pair.subscriber.receive())[1]), "body");
  });

  it(`each subscriber gets what it asked for, and large messages too (${transport})`, async () => {
    const publisher = sockets.own(new Publisher());
    const address = await sockets.bound(publisher, transport);
    const duos = ["a", "b", ""].map((prefix) => {
      const pair = new Duo(publisher, new Subscriber());
      pair.subscriber.connect(address);
      pair.subscriber.subscribe(prefix);
      return pair;
    });
    for (const pair of duos) await pair.settle();
    const large = "x".repeat(100_000);
    for (const message of ["a1", "b1", ["a2", large], ["", large, ""]]) await publisher.send(message);
    const got = async (index: number, count: number): Promise<string[]> => {
      const seen: string[] = [];
      while (seen.length < count) {
        const message = texts(await duos[index].subscriber.receive());
        if (!message[0].startsWith("\u0000")) seen.push(message.map((text) => text.slice(0, 3)).join("|"));
      }
      return seen;
    };
    assert.equal(await got(0, 2), ["a1", "a2|xxx"]);
    assert.equal(await got(1, 1), ["b1"]);
    assert.equal(await got(2, 4), ["a1", "b1", "a2|xxx", "|xxx|"]);
  });

  it(`invertMatching delivers what does not match, when both ends set it (${transport})`, async () => {
    for (const [ours, theirs] of [
      [true, true],
      [true, false],
      [false, true],
    ]) {
      const publisher = sockets.own(new Publisher({ invertMatching: ours }));
      const subscriber = sockets.own(new Subscriber({ invertMatching: theirs, receiveTimeout: 20 }));
      subscriber.subscribe("a");
      await sockets.join(publisher, subscriber, transport);
      const receive = (): Promise<string | undefined> =>
        subscriber.receive().then(
          ([topic]) => String(topic),
          () => undefined,
        );
      if (ours !== theirs) {
        for (const message of ["a1", "b1", "", "a2"]) {
          await publisher.send(message);
          assert.is(await receive(), undefined);
        }
        continue;
      }
      for (let first: string | undefined; first === undefined; first = await receive()) await publisher.send("b0");
      while (await receive());
      for (const message of ["a1", "b1", "", "a2", "b2"]) await publisher.send(message);
      subscriber.receiveTimeout = -1;
      for (const message of ["b1", "", "b2"]) assert.is(await receive(), message);
    }
  });

  it(`a subscriber that is full misses messages, and others do not (${transport})`, async () => {
    const publisher = sockets.own(new Publisher({ sendHighWaterMark: 2, sendBufferSize: 4096 }));
    const address = await sockets.bound(publisher, transport);
    const slow = new Duo(publisher, new Subscriber({ receiveHighWaterMark: 2, receiveBufferSize: 4096 }));
    const quick = new Duo(publisher, new Subscriber({ receiveHighWaterMark: 2 }));
    for (const { subscriber } of [slow, quick]) {
      subscriber.connect(address);
      subscriber.subscribe("m");
    }
    await slow.settle();
    await quick.settle();
    const body = Buffer.alloc(20_000);
    let seen = 0;
    const total = 500;
    for (let i = 0; i < total; i++) {
      await publisher.send([`m${i}`, body]);
      for (;;) {
        const [topic] = await quick.subscriber.receive();
        if (String(topic) === `m${i}`) break;
      }
      seen++;
    }
    assert.is(seen, total);
    let kept = 0;
    slow.subscriber.receiveTimeout = 100;
    while (await slow.subscriber.receive().catch(() => undefined)) kept++;
    assert.ok(kept > 0 && kept < total, String(kept));
  });

  it(`with noDrop a send waits for the slowest, and nothing is sent twice (${transport})`, async () => {
    const publisher = sockets.own(
      new Publisher({ sendHighWaterMark: 2, noDrop: true, sendTimeout: 0, sendBufferSize: 4096 }),
    );
    const address = await sockets.bound(publisher, transport);
    const duos = [1, 2].map(() => {
      const pair = new Duo(publisher, new Subscriber({ receiveHighWaterMark: 2, receiveBufferSize: 4096 }));
      pair.subscriber.connect(address);
      pair.subscriber.subscribe("m");
      return pair;
    });
    for (const pair of duos) await pair.settle();
    const body = Buffer.alloc(50_000);
    let sent = 0;
    for (;;) {
      const error = await publisher.send([`m${sent}`, body]).catch((reason) => reason);
      if (error !== undefined) {
        assert.is(error.code, "EAGAIN");
        // What the kernel takes a moment later is room again.
        if (await stays(() => !publisher.writable)) break;
        continue;
      }
      sent++;
    }
    assert.is((await rejected(() => publisher.send([`m${sent}`, body]))).code, "EAGAIN");
    publisher.sendTimeout = -1;
    const waiting = publisher.send([`m${sent++}`, body]);
    const readAll = duos.map(async ({ subscriber }) => {
      for (let i = 0; i < sent; i++) assert.is(String((await subscriber.receive())[0]), `m${i}`);
    });
    await waiting;
    await Promise.all(readAll);
    for (const { subscriber } of duos) {
      subscriber.receiveTimeout = 20;
      assert.is((await rejected(() => subscriber.receive())).code, "EAGAIN");
    }
  });

  it(`a burst of one turn to a subscriber that keeps up loses nothing (${transport})`, async () => {
    const pair = await duo(transport);
    pair.subscriber.subscribe("m");
    await pair.settle();
    const total = 5000;
    for (let i = 0; i < total; i++) void pair.publisher.send(`m${i}`);
    for (let i = 0; i < total; i++) assert.is(String((await pair.subscriber.receive())[0]), `m${i}`);
  });
}

it("send never waits without noDrop, with or without a subscriber", async () => {
  const publisher = sockets.own(new Publisher({ sendTimeout: 0 }));
  assert.is(publisher.writable, true);
  await publisher.send("nobody");
  publisher.connect("tcp://127.0.0.1:1");
  await publisher.send("nobody");
});

it("topics are strings, buffers or null", () => {
  const subscriber = sockets.own(new Subscriber());
  const loose = subscriber as unknown as Record<"subscribe" | "unsubscribe", (...topics: unknown[]) => void>;
  for (const name of ["subscribe", "unsubscribe"] as const) {
    for (const topic of [1, undefined, {}, ["a"], new ArrayBuffer(1), true]) {
      const error = thrown(() => loose[name](topic));
      assert.is(error.name, "TypeError");
      assert.is(error.message, "Option value must be a string or buffer");
      assert.is(thrown(() => loose[name]("a", topic)).name, "TypeError");
    }
    loose[name](null);
    loose[name](new Uint8Array(2));
    loose[name]();
    loose[name]("never");
  }
});

it("subscriptions may be made while the socket binds", async () => {
  const pair = new Duo(new Publisher(), new Subscriber());
  const binding = pair.subscriber.bind("tcp://127.0.0.1:*");
  pair.subscriber.subscribe("a");
  await binding;
  pair.publisher.connect(pair.subscriber.lastEndpoint as string);
  assert.equal(await pair.deliver(ALL), ["a1|x", "a"]);
});

it("over inproc a subscription holds at once, also when it was made before the bind", async () => {
  const publisher = sockets.own(new Publisher());
  const subscriber = sockets.own(new Subscriber());
  const address = sockets.address("inproc");
  subscriber.connect(address);
  subscriber.subscribe("a");
  await publisher.bind(address);
  await publisher.send("a1");
  assert.equal(texts(await subscriber.receive()), ["a1"]);
  subscriber.subscribe("b");
  await publisher.send("b1");
  assert.equal(texts(await subscriber.receive()), ["b1"]);
  subscriber.unsubscribe("b");
  await publisher.send("b2");
  await publisher.send("a2");
  assert.equal(texts(await subscriber.receive()), ["a2"]);
});

it("a message that was on its way when its topic was taken back is dropped", async () => {
  const publisher = sockets.own(new Publisher());
  const subscriber = sockets.own(new Subscriber());
  await sockets.join(publisher, subscriber);
  subscriber.subscribe("a", "b");
  await publisher.send("a1");
  await publisher.send("b1");
  subscriber.unsubscribe("a");
  assert.equal(texts(await subscriber.receive()), ["b1"]);
});

it("subscriptions are told again after a reconnect, without those taken back meanwhile", async () => {
  const pair = new Duo(new Publisher(), new Subscriber({ reconnectInterval: 10 }));
  const address = await sockets.join(pair.publisher, pair.subscriber, "tcp");
  pair.subscriber.subscribe("a", "b");
  assert.equal(await pair.deliver(ALL), ["a1|x", "b1", "a"]);
  pair.publisher.close();
  const publisher = new Publisher();
  const second = new Duo(publisher, pair.subscriber);
  pair.subscriber.unsubscribe("b");
  await eventually(async () =>
    publisher.bind(address).then(
      () => true,
      () => false,
    ),
  );
  assert.equal(await second.deliver(ALL), ["a1|x", "a"]);
});

for (const transport of TRANSPORTS) {
  it(`topics made and taken back before the publisher is there are told one by one (${transport})`, async () => {
    const subscriber = sockets.own(new Subscriber({ reconnectInterval: 20 }));
    const address = transport === "tcp" ? `tcp://127.0.0.1:${await freePort()}` : sockets.address(transport);
    subscriber.connect(address);
    subscriber.subscribe("b", "a", "b");
    subscriber.unsubscribe("a", "b");
    subscriber.subscribe("c");
    const publisher = sockets.own(new XPublisher({ verbosity: "allSubsUnsubs" }));
    await publisher.bind(address);
    assert.equal(await take(publisher, 5), ["\x01b", "\x01a", "\x01b", "\x00a", "\x01c"]);
  });
}

it("what a publisher receives beside subscriptions is dropped", async () => {
  const publisher = sockets.own(new Publisher());
  const subscriber = sockets.own(new XSubscriber());
  await sockets.join(publisher, subscriber);
  await subscriber.send("a message");
  await subscriber.send(Buffer.from([1, 97]));
  await publisher.send("a1");
  assert.equal(texts(await subscriber.receive()), ["a1"]);
});

it.run();

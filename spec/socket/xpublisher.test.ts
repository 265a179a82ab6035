import { Publisher, Subscriber, XPublisher, XSubscriber } from "../../src/index.ts";
import { drain, joined, next, take } from "../helpers/messages.ts";
import { message, RawPeer } from "../helpers/raw-peer.ts";
import { rejected, Sockets, TRANSPORTS, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending, stays } from "../helpers/wait.ts";

const it = suite("socket/xpublisher");
const sockets = new Sockets(it);

const SUBSCRIBE = "\x01";
const CANCEL = "\x00";

/** Peers whose subscriptions an XPUB reports one after the other, as they are made. */
class Asking {
  readonly #peer = sockets.own(new XSubscriber({ verboseUnsubscribe: true }));
  readonly #publisher: XPublisher;

  constructor(publisher: XPublisher, address: string) {
    this.#publisher = publisher;
    this.#peer.connect(address);
  }

  /** Connected: its first subscription has come through. */
  async up(name: string): Promise<this> {
    await this.say(SUBSCRIBE + name);
    assert.is(await next(this.#publisher), SUBSCRIBE + name);
    return this;
  }

  say(text: string): Promise<void> {
    return this.#peer.send(Buffer.from(text, "latin1"));
  }

  receive(): Promise<string> {
    return next(this.#peer);
  }

  close(): void {
    this.#peer.close();
  }
}

for (const transport of TRANSPORTS) {
  /** What is told of a fixed story, by verbosity. */
  const STORIES: [null | "allSubs" | "allSubsUnsubs", string[]][] = [
    [null, ["+A", "-A", "+B", "+C", "-C", "-one", "-B", "-two"]],
    ["allSubs", ["+A", "+A", "+A", "-A", "+B", "+B", "+C", "-C", "-one", "-B", "-two"]],
    ["allSubsUnsubs", ["+A", "+A", "+A", "-A", "-A", "+B", "+B", "+C", "-B", "-C", "-one", "-B", "-two"]],
  ];
  for (const [verbosity, story] of STORIES) {
    it(`what is told with verbosity ${verbosity} (${transport})`, async () => {
      const publisher = sockets.own(new XPublisher({ verbosity }));
      const address = await sockets.bound(publisher, transport);
      const one = await new Asking(publisher, address).up("one");
      const two = await new Asking(publisher, address).up("two");
      const mark = async (peer: Asking): Promise<void> => {
        await peer.say(`${SUBSCRIBE}mark`);
        await peer.say(`${CANCEL}mark`);
      };
      const told: string[] = [];
      /** Reads up to the mark. */
      const settled = async (peer: Asking): Promise<void> => {
        await mark(peer);
        for (;;) {
          const text = await next(publisher);
          if (text === `${CANCEL}mark`) return;
          if (text !== `${SUBSCRIBE}mark`) told.push((text[0] === SUBSCRIBE ? "+" : "-") + text.slice(1));
        }
      };
      await one.say(`${SUBSCRIBE}A`);
      await one.say(`${SUBSCRIBE}A`);
      await settled(one);
      await two.say(`${SUBSCRIBE}A`);
      await settled(two);
      await one.say(`${CANCEL}A`);
      await settled(one);
      await two.say(`${CANCEL}A`);
      await settled(two);
      await one.say(`${SUBSCRIBE}B`);
      await settled(one);
      await two.say(`${SUBSCRIBE}B`);
      await settled(two);
      await one.say(`${SUBSCRIBE}C`);
      await settled(one);
      const leaving = story.length - told.length;
      one.close();
      const last = story.slice(-2);
      const first = await take(publisher, leaving - last.length);
      two.close();
      for (const text of [...first, ...(await take(publisher, last.length))]) told.push(`-${text.slice(1)}`);
      assert.equal(told.slice(0, -leaving), story.slice(0, -leaving));
      assert.equal(told.slice(-leaving).sort(), story.slice(-leaving).sort());
      assert.is(publisher.topicsCount, 0);
    });
  }

  it(`cancelling what the peer does not hold is told (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher());
    const address = await sockets.bound(publisher, transport);
    const peer = await new Asking(publisher, address).up("x");
    await peer.say(`${CANCEL}unknown`);
    assert.is(await next(publisher), `${CANCEL}unknown`);
  });

  it(`what peers send besides is received (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher());
    const address = await sockets.bound(publisher, transport);
    const peer = await new Asking(publisher, address).up("T");
    await peer.say("hello");
    await peer.say("");
    assert.equal(await take(publisher, 2), ["hello", ""]);
  });

  it(`a multipart of an XSUB: its subscriptions are made; whole unless it begins with one (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher());
    const subscriber = sockets.own(new XSubscriber());
    await sockets.join(publisher, subscriber, transport);
    await subscriber.send(`${SUBSCRIBE}up`);
    assert.is(await next(publisher), `${SUBSCRIBE}up`);
    await subscriber.send([`${SUBSCRIBE}A`, "rest", "of it"]);
    assert.equal(await take(publisher, 2), [`${SUBSCRIBE}A`, "rest|of it"]);
    await subscriber.send(["data", `${SUBSCRIBE}B`, "more"]);
    assert.equal(await take(publisher, 1), [`data|${SUBSCRIBE}B|more`]);
    await publisher.send("A1");
    await publisher.send("B1");
    assert.equal(await take(subscriber, 2), ["A1", "B1"]);
    assert.is(subscriber.topicsCount, 3);
    assert.is(publisher.topicsCount, 3);
  });

  it(`onlyFirstSubscribe: no frame but the first is a subscription (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher({ onlyFirstSubscribe: true }));
    const subscriber = sockets.own(new XSubscriber({ onlyFirstSubscribe: true }));
    await sockets.join(publisher, subscriber, transport);
    await subscriber.send(`${SUBSCRIBE}up`);
    assert.is(await next(publisher), `${SUBSCRIBE}up`);
    await subscriber.send(["data", `${SUBSCRIBE}B`]);
    await subscriber.send([`${SUBSCRIBE}A`, `${SUBSCRIBE}C`]);
    assert.equal(await take(publisher, 3), [`data|${SUBSCRIBE}B`, `${SUBSCRIBE}A`, `${SUBSCRIBE}C`]);
    assert.is(publisher.topicsCount, 2);
  });

  it(`the welcome message comes first, whatever was subscribed to (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher({ welcomeMessage: "welcome" }));
    const subscriber = sockets.own(new XSubscriber());
    await sockets.join(publisher, subscriber, transport);
    assert.is(await next(subscriber), "welcome");
  });

  it(`manual: the application decides what the peer gets (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher({ manual: true }));
    const address = await sockets.bound(publisher, transport);
    assert.is(thrown(() => publisher.subscribe("x")).code, "EINVAL");
    const one = sockets.own(new Subscriber());
    const two = sockets.own(new Subscriber());
    one.subscribe("A");
    one.connect(address);
    assert.is(await next(publisher), `${SUBSCRIBE}A`);
    publisher.subscribe("A1", "A2");
    two.subscribe("A");
    two.connect(address);
    assert.is(await next(publisher), `${SUBSCRIBE}A`);
    publisher.subscribe("A");
    for (const text of ["A0", "A1", "A2"]) await publisher.send(text);
    assert.equal(await take(two, 3), ["A0", "A1", "A2"]);
    assert.equal(await take(one, 2), ["A1", "A2"]);
    two.unsubscribe("A");
    assert.is(await next(publisher), `${CANCEL}A`);
    await publisher.send("A3");
    publisher.unsubscribe("A");
    await publisher.send("A4");
    await publisher.send("A1");
    assert.is(await next(one), "A1");
    assert.equal(await drain(two, 50), []);
    one.close();
    assert.is(await next(publisher), `${CANCEL}A`);
    assert.is(publisher.topicsCount, 0);
  });

  it(`manualLastValue: the next message goes to the one who asked last (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher({ manualLastValue: true }));
    const address = await sockets.bound(publisher, transport);
    const one = await new Asking(publisher, address).up("one");
    publisher.subscribe("A");
    await publisher.send("A cached");
    await publisher.send("A live");
    assert.equal([await one.receive(), await one.receive()], ["A cached", "A live"]);
    const two = await new Asking(publisher, address).up("two");
    publisher.subscribe("A");
    await publisher.send("A cached 2");
    await publisher.send("A live 2");
    assert.equal([await two.receive(), await two.receive()], ["A cached 2", "A live 2"]);
    assert.is(await one.receive(), "A live 2");
  });

  it(`noDrop: a send waits for the slowest that matches (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher({ noDrop: true, sendHighWaterMark: 2 }));
    const address = await sockets.bound(publisher, transport);
    const slow = sockets.own(new Subscriber({ receiveHighWaterMark: 2 }));
    slow.subscribe("A");
    slow.connect(address);
    assert.is(await next(publisher), `${SUBSCRIBE}A`);
    const body = Buffer.alloc(3_000_000);
    let sent = 0;
    let waiting: Promise<void>;
    for (;;) {
      waiting = publisher.send(["A", String(sent), body]);
      sent++;
      if (await isPending(waiting, 50)) break;
    }
    publisher.sendTimeout = 0;
    for (let i = 0; i < sent; i++) assert.is(String((await slow.receive())[1]), String(i));
    await waiting;
    await publisher.send("B is for nobody");
  });

  it(`close ends what is pending: EAGAIN (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher());
    await sockets.bound(publisher, transport);
    const pending = rejected(() => publisher.receive());
    publisher.close();
    assert.is((await pending).code, "EAGAIN");
  });

  it(`invertMatching delivers what does not match (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher({ invertMatching: true }));
    const subscriber = sockets.own(new Subscriber({ invertMatching: true }));
    subscriber.subscribe("A");
    await sockets.join(publisher, subscriber, transport);
    assert.is(await next(publisher), `${SUBSCRIBE}A`);
    await publisher.send("A no");
    await publisher.send("B yes");
    assert.is(await next(subscriber), "B yes");
  });
}

it("subscriptions are not limited by the mark, messages of peers are", async () => {
  const publisher = sockets.own(new XPublisher({ receiveHighWaterMark: 5, verbosity: "allSubs" }));
  const address = await sockets.bound(publisher, "tcp");
  const peer = await RawPeer.connect(address);
  await peer.handshake("SUB");
  for (let i = 0; i < 1000; i++) peer.write(message(`${SUBSCRIBE}${i}`));
  peer.write(message("user"));
  const got = await take(publisher, 1001);
  assert.is(got[999], `${SUBSCRIBE}999`);
  assert.is(got[1000], "user");

  // Behind the mark its connection is not read, until the application has.
  const body = Buffer.alloc(200_000, "x");
  for (let i = 0; i < 200; i++) peer.write(message(String(i), body));
  await eventually(() => peer.socket.writableLength > 0);
  assert.ok(await stays(() => peer.socket.writableLength > 0));
  for (let i = 0; i < 200; i++) assert.is(joined((await publisher.receive()).slice(0, 1)), String(i));
  peer.destroy();
});

for (const transport of ["tcp", "ipc"] as const) {
  it(`an XPUB that connects keeps its peer's topics over a reconnect (${transport})`, async () => {
    const publisher = sockets.own(new XPublisher({ reconnectInterval: 20 }));
    const subscriber = sockets.own(new Subscriber());
    subscriber.subscribe("A");
    const address = await sockets.join(subscriber, publisher, transport);
    assert.is(await next(publisher), `${SUBSCRIBE}A`);
    subscriber.close();
    const later = sockets.own(new Subscriber());
    later.subscribe("A");
    await later.bind(address);
    await eventually(async () => {
      await publisher.send("A");
      return later.readable;
    });
    assert.is(publisher.topicsCount, 1);
  });
}

it("topicsCount on each side of it, PUB and SUB too", async () => {
  const publisher = sockets.own(new Publisher());
  const subscriber = sockets.own(new Subscriber());
  subscriber.subscribe("a", "b", "b");
  await sockets.join(publisher, subscriber);
  assert.equal([publisher.topicsCount, subscriber.topicsCount], [2, 2]);
  subscriber.unsubscribe("b");
  assert.equal([publisher.topicsCount, subscriber.topicsCount], [2, 2]);
  subscriber.unsubscribe("b");
  assert.equal([publisher.topicsCount, subscriber.topicsCount], [1, 1]);
});

it.run();

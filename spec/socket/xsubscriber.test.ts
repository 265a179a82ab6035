import { WAITING_TOPICS } from "../../src/base/constants.ts";
import { Publisher, XPublisher, XSubscriber } from "../../src/index.ts";
import { drain, next, take } from "../helpers/messages.ts";
import { freePort, GREETING, octets, RawServer } from "../helpers/raw-peer.ts";
import { rejected, Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turn } from "../helpers/wait.ts";
import { READY } from "../vectors/zmtp.ts";

const it = suite("socket/xsubscriber");
const sockets = new Sockets(it);

const SUBSCRIBE = "\x01";
const CANCEL = "\x00";

for (const transport of TRANSPORTS) {
  it(`subscribes by messages, counted, to all publishers, and filters nothing (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber());
    const publishers = [0, 1].map(() => sockets.own(new XPublisher()));
    for (const publisher of publishers) await sockets.join(publisher, subscriber, transport);
    await subscriber.send(`${SUBSCRIBE}A`);
    await subscriber.send(`${SUBSCRIBE}A`);
    for (const publisher of publishers) assert.is(await next(publisher), `${SUBSCRIBE}A`);
    await subscriber.send(`${CANCEL}unknown`);
    await subscriber.send(`${CANCEL}A`);
    for (const [i, publisher] of publishers.entries()) await publisher.send(`A${i}`);
    assert.equal((await take(subscriber, 2)).sort(), ["A0", "A1"]);
    await subscriber.send(`${CANCEL}A`);
    for (const publisher of publishers) assert.is(await next(publisher), `${CANCEL}A`);
    assert.is(subscriber.topicsCount, 0);
  });

  it(`verboseUnsubscribe tells of every end (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber({ verboseUnsubscribe: true }));
    const publisher = sockets.own(new XPublisher({ verbosity: "allSubsUnsubs" }));
    await sockets.join(publisher, subscriber, transport);
    await subscriber.send(`${SUBSCRIBE}A`);
    assert.is(await next(publisher), `${SUBSCRIBE}A`);
    await subscriber.send(`${SUBSCRIBE}A`);
    await subscriber.send(`${CANCEL}A`);
    await subscriber.send(`${CANCEL}A`);
    assert.equal(await take(publisher, 3), [`${SUBSCRIBE}A`, `${CANCEL}A`, `${CANCEL}A`]);
  });

  it(`other messages go to every publisher (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber());
    await subscriber.send("nobody is there: dropped");
    assert.ok(subscriber.writable);
    const publishers = [0, 1].map(() => sockets.own(new XPublisher()));
    for (const publisher of publishers) await sockets.join(publisher, subscriber, transport);
    await subscriber.send(["up", "", "stream"]);
    for (const publisher of publishers) assert.is(await next(publisher), "up||stream");
  });

  it(`messages come fairly from the publishers (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber());
    const publishers = [0, 1].map(() => sockets.own(new XPublisher()));
    for (const publisher of publishers) await sockets.join(publisher, subscriber, transport);
    await subscriber.send(SUBSCRIBE);
    for (const publisher of publishers) assert.is(await next(publisher), SUBSCRIBE);
    for (const [i, publisher] of publishers.entries()) {
      for (let n = 0; n < 5; n++) await publisher.send(`${i}${n}`);
    }
    await eventually(() => subscriber.readable);
    const got = await drain(subscriber);
    for (const i of ["0", "1"]) {
      assert.equal(
        got.filter((text) => text[0] === i),
        ["0", "1", "2", "3", "4"].map((n) => i + n),
      );
    }
  });

  it(`close ends what is pending: EAGAIN (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber());
    await sockets.bound(subscriber, transport);
    const pending = rejected(() => subscriber.receive());
    subscriber.close();
    assert.is((await pending).code, "EAGAIN");
  });
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`topics are told again after a reconnect, without those taken back meanwhile (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber({ reconnectInterval: 20 }));
    const publisher = sockets.own(new XPublisher());
    const address = await sockets.join(publisher, subscriber, transport);
    for (const topic of ["b", "a", "c"]) await subscriber.send(SUBSCRIBE + topic);
    await take(publisher, 3);
    publisher.close();
    await subscriber.send(`${CANCEL}c`);
    const later = sockets.own(new XPublisher());
    await later.bind(address);
    assert.equal(await take(later, 2), [`${SUBSCRIBE}a`, `${SUBSCRIBE}b`]);
    assert.equal(await drain(later, 50), []);
  });
}

/** What an XSUB says in one go, and how an XPUB that hears everything reads it. */
const SAID: (string | string[])[] = [
  ...[`${SUBSCRIBE}A`, "hello", `${SUBSCRIBE}B`, `${SUBSCRIBE}B`, "world", `${CANCEL}A`, `${SUBSCRIBE}A`, `${CANCEL}A`],
  ...[["x", `${SUBSCRIBE}M`, "y"], SUBSCRIBE, "", "z".repeat(20_000), CANCEL, "end"],
];
const READ = SAID.map((said) => (typeof said === "string" ? said : said.join("|")));

/** An address that can be connected to before it is bound. */
async function addressOfNobody(transport: (typeof TRANSPORTS)[number]): Promise<string> {
  return transport === "tcp" ? `tcp://127.0.0.1:${await freePort()}` : sockets.address(transport);
}

for (const transport of TRANSPORTS) {
  it(`what is sent before the publisher is there arrives as it was sent, nothing merged (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber({ reconnectInterval: 20 }));
    const address = await addressOfNobody(transport);
    // This one counts from before the connection: its topic is told first.
    await subscriber.send(`${SUBSCRIBE}Z`);
    subscriber.connect(address);
    for (const message of SAID) await subscriber.send(message);
    const publisher = sockets.own(new XPublisher({ verbosity: "allSubsUnsubs" }));
    await publisher.bind(address);
    assert.equal(await take(publisher, READ.length + 1), [`${SUBSCRIBE}Z`, ...READ]);
    await subscriber.send(`${CANCEL}Z`);
    assert.is(await next(publisher), `${CANCEL}Z`);
  });

  it(`topics that wait for the publisher take no room from messages (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber({ reconnectInterval: 20, sendHighWaterMark: 2 }));
    const address = await addressOfNobody(transport);
    subscriber.connect(address);
    const topics = Array.from({ length: 50 }, (_, i) => `${SUBSCRIBE}${i}`);
    for (const topic of topics) await subscriber.send(topic);
    for (const message of ["one", "two", "three is too many"]) await subscriber.send(message);
    await subscriber.send(`${SUBSCRIBE}end`);
    const publisher = sockets.own(new XPublisher());
    await publisher.bind(address);
    assert.equal(await take(publisher, topics.length + 3), [...topics, "one", "two", `${SUBSCRIBE}end`]);
  });

  it(`changes that pile up while no publisher comes give way to the set (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber({ reconnectInterval: 20 }));
    const address = await addressOfNobody(transport);
    subscriber.connect(address);
    await subscriber.send("first");
    for (const topic of ["b", "a"]) await subscriber.send(`${SUBSCRIBE}${topic}`);
    for (let i = 0; i < WAITING_TOPICS / 2; i++) {
      await subscriber.send(`${SUBSCRIBE}more ${i}`);
      await subscriber.send(`${CANCEL}more ${i}`);
    }
    await subscriber.send("last");
    const publisher = sockets.own(new XPublisher());
    await publisher.bind(address);
    const got: string[] = [];
    while (got.at(-1) !== "last") got.push(await next(publisher));
    assert.equal(got.slice(0, 3), ["first", `${SUBSCRIBE}a`, `${SUBSCRIBE}b`]);
    assert.ok(got.length < 10, String(got.length));
  });
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`after each loss the set as it stood is told, then what was sent since, in order (${transport})`, async () => {
    const subscriber = sockets.own(new XSubscriber({ reconnectInterval: 20 }));
    let losses = 0;
    subscriber.events.on("disconnect", () => losses++);
    let publisher = sockets.own(new XPublisher({ verbosity: "allSubsUnsubs" }));
    const address = await sockets.join(publisher, subscriber, transport);
    for (const topic of ["c", "b", "b"]) await subscriber.send(`${SUBSCRIBE}${topic}`);
    assert.equal(await take(publisher, 3), [`${SUBSCRIBE}c`, `${SUBSCRIBE}b`, `${SUBSCRIBE}b`]);
    let set = ["b", "c"];
    for (let round = 1; round <= 3; round++) {
      publisher.close();
      await eventually(() => losses === round);
      const said = [
        `${SUBSCRIBE}a${round}`,
        "hello",
        `${CANCEL}c`,
        `${SUBSCRIBE}d`,
        `${CANCEL}d`,
        "world",
        `${SUBSCRIBE}c`,
      ];
      for (const message of said) await subscriber.send(message);
      publisher = sockets.own(new XPublisher({ verbosity: "allSubsUnsubs" }));
      await publisher.bind(address);
      const expected = [...set.map((topic) => SUBSCRIBE + topic), ...said];
      assert.equal(await take(publisher, expected.length), expected);
      set = [`a${round}`, ...set].sort();
    }
  });
}

it("what a publisher left unread is not told to the next: the set is, and then what was sent since", async () => {
  const server = await RawServer.listen();
  const subscriber = sockets.own(new XSubscriber({ reconnectInterval: 20, linger: 0 }));
  let losses = 0;
  subscriber.events.on("disconnect", () => losses++);
  subscriber.connect(server.address);
  const first = await server.accept();
  await first.handshake("XPUB");
  first.socket.pause();
  await subscriber.send(`${SUBSCRIBE}a`);
  // More than the kernel takes, so that all behind it waits.
  for (let i = 0; i < 5; i++) await subscriber.send(Buffer.alloc(8_000_000));
  for (let i = 0; i < 5; i++) await turn();
  for (const message of [`${SUBSCRIBE}b`, "for the first", `${CANCEL}a`]) await subscriber.send(message);
  first.destroy();
  await eventually(() => losses === 1);
  await subscriber.send("since");
  const second = await server.accept();
  await second.handshake("XPUB");
  assert.is(await second.command(), "SUBSCRIBEb");
  assert.equal(await second.message(), ["since"]);
  await server.close();
});

it("topics that waited go out in the form that the peer's version has: commands in 3.1, messages in 3.0", async () => {
  for (const minor of [1, 0]) {
    const server = await RawServer.listen();
    const subscriber = sockets.own(new XSubscriber());
    subscriber.connect(server.address);
    for (const message of [`${SUBSCRIBE}A`, "hello", `${CANCEL}A`]) await subscriber.send(message);
    const peer = await server.accept();
    const greeting = Buffer.from(GREETING);
    greeting[11] = minor;
    peer.write(greeting);
    await peer.read(GREETING.length);
    peer.write(octets(READY.XPUB));
    await peer.frame();
    if (minor === 1) {
      assert.is(await peer.command(), "SUBSCRIBEA");
      assert.equal(await peer.message(), ["hello"]);
      assert.is(await peer.command(), "CANCELA");
    } else {
      for (const message of [`${SUBSCRIBE}A`, "hello", `${CANCEL}A`]) assert.equal(await peer.message(), [message]);
    }
    await server.close();
  }
});

it("what a publisher sends without being asked is received", async () => {
  const server = await RawServer.listen();
  const subscriber = sockets.own(new XSubscriber());
  subscriber.connect(server.address);
  const peer = await server.accept();
  await peer.handshake("PUB");
  peer.send("unasked");
  assert.is(await next(subscriber), "unasked");
  await server.close();
});

it("a plain PUB takes no notice of other messages", async () => {
  const subscriber = sockets.own(new XSubscriber());
  const publisher = sockets.own(new Publisher());
  await sockets.join(publisher, subscriber, "tcp");
  await subscriber.send("up");
  await subscriber.send(`${SUBSCRIBE}A`);
  await eventually(async () => {
    await publisher.send("A");
    return subscriber.readable;
  });
});

it.run();

import { Publisher, XPublisher, XSubscriber } from "../../src/index.ts";
import { drain, next, take } from "../helpers/messages.ts";
import { RawServer } from "../helpers/raw-peer.ts";
import { rejected, Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

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

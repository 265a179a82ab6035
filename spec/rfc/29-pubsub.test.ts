/**
 * RFC 29 "Publish-Subscribe", clause by clause: PUB, XPUB, SUB and XSUB against raw peers.
 *
 * Not followed, like libzmq:
 * - SUB and XSUB discard nothing when a queue is full. They stop reading, and it is the publisher that drops.
 * - What SUB, XSUB and XPUB have received of a peer that disconnects stays readable; the RFC has it discarded.
 * - XPUB gives messages and subscriptions out as they come in, so that their order is kept; the RFC has it ask its
 *   peers in turn.
 * - A message of XSUB may not have frames that begin with octet 0 or 1: those are subscriptions.
 * - XSUB sends no CANCEL before it closes a connection (a SHOULD): the publisher forgets its topics with the
 *   connection.
 */
import { Publisher, Subscriber, XPublisher, XSubscriber } from "zmtp";
import { drain, next, take } from "../helpers/messages.ts";
import { command, type RawPeer } from "../helpers/raw-peer.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turn } from "../helpers/wait.ts";
import { gone, happened, Raw } from "./peers.ts";

const it = suite("rfc/29-pubsub");
const sockets = new Sockets(it);
const raw = new Raw(it);

const FRAMES = [Buffer.from("A"), Buffer.alloc(0), Buffer.from([0, 255, 10]), Buffer.alloc(70_000, 7)];
const LARGE = Buffer.alloc(3_000_000);

/** A peer subscribes; it is held to when the socket has read that. */
async function subscribe(peer: RawPeer, ...topics: (string | Buffer)[]): Promise<void> {
  for (const topic of topics) peer.write(command("SUBSCRIBE", topic));
  await peer.answered();
}

/** Accepts a connection that a socket makes. */
async function accepted(
  socket: Publisher | XPublisher | Subscriber | XSubscriber,
  server: Awaited<ReturnType<Raw["listen"]>>,
  type: "SUB" | "XSUB" | "PUB" | "XPUB",
): Promise<RawPeer> {
  const known = happened(socket, "handshake");
  const peer = await server.accept();
  await peer.handshake(type);
  await known;
  return peer;
}

for (const [name, create] of [
  ["PUB", (options = {}) => new Publisher(options)],
  ["XPUB", (options = {}) => new XPublisher(options)],
] as const) {
  const make = (options = {}): Publisher | XPublisher => sockets.own<Publisher | XPublisher>(create(options));

  it(`${name} sends to any number of SUB and XSUB peers, and changes nothing`, async () => {
    const publisher = make();
    const peers = [...(await raw.join(publisher, "SUB", "", "")), ...(await raw.join(publisher, "XSUB", ""))];
    for (const peer of peers) await subscribe(peer, "");
    await publisher.send(FRAMES);
    for (const peer of peers) assert.equal(await peer.message(), FRAMES.map(String));
  });

  it(`${name} compares subscriptions, octet by octet, with the beginning of the first frame`, async () => {
    const publisher = make();
    const [peer] = await raw.join(publisher, "SUB", "");
    await subscribe(peer, "ab", Buffer.from([0, 255]));
    const messages = [
      ["a", "ab"],
      ["AB"],
      ["ab"],
      ["abc", "x"],
      ["xab"],
      [Buffer.from([0])],
      [Buffer.from([0, 255, 1])],
    ];
    for (const message of messages) await publisher.send(message);
    assert.equal([await peer.message(), await peer.message()], [["ab"], ["abc", "x"]]);
    assert.equal((await peer.frame()).body, Buffer.from([0, 255, 1]));
  });

  it(`${name} takes subscribe and unsubscribe as commands of 3.1 and as messages of 3.0`, async () => {
    const publisher = make();
    const [peer] = await raw.join(publisher, "SUB", "");
    await subscribe(peer, "a");
    peer.send("\x01b");
    peer.send("\x01c");
    peer.send("\x00c");
    peer.write(command("CANCEL", "a"));
    await peer.answered();
    for (const topic of ["a", "c", "b"]) await publisher.send(topic);
    assert.equal(await peer.message(), ["b"]);
  });

  it(`${name} never waits: it drops what a subscriber has no room for, and others get theirs`, async () => {
    const publisher = make({ sendHighWaterMark: 1 });
    const [slow, quick] = await raw.join(publisher, "SUB", "", "");
    await subscribe(slow, "");
    await subscribe(quick, "end");
    slow.socket.pause();
    // More than the kernel and the queue take.
    for (let i = 0; i < 40; i++) {
      await publisher.send([String(i), LARGE]);
      await turn();
    }
    await publisher.send("end");
    assert.equal(await quick.message(), ["end"]);
    slow.socket.resume();
    const got: number[] = [];
    // What is sent now comes behind all that was kept.
    const listen = (async () => {
      for (let [first] = await slow.message(); first !== "last"; [first] = await slow.message()) {
        if (first !== "end") got.push(Number(first));
      }
    })();
    let heard = false;
    listen.then(() => {
      heard = true;
    });
    await eventually(async () => {
      await publisher.send("last");
      return heard;
    });
    assert.ok(got.length < 40, `${got.length} arrived`);
    assert.equal(
      got,
      got.map((_, i) => i),
      "the first of them",
    );
  });

  it(`${name} makes a queue when a subscriber connects, thrown away with its messages when that leaves`, async () => {
    const publisher = make({ sendHighWaterMark: 5 });
    const [first] = await raw.join(publisher, "SUB", "");
    await subscribe(first, "");
    first.socket.pause();
    for (let i = 0; i < 4; i++) await publisher.send(LARGE);
    await gone(publisher, first);
    const [second] = await raw.join(publisher, "SUB", "");
    await subscribe(second, "");
    await publisher.send("for the second");
    assert.equal(await second.message(), ["for the second"]);
  });

  it(`${name} keeps the queue of a connection that it makes, and its topics, over a loss`, async () => {
    const publisher = make({ reconnectInterval: 10 });
    const server = await raw.listen();
    publisher.connect(server.address);
    const first = await accepted(publisher, server, "SUB");
    await subscribe(first, "a");
    await gone(publisher, first);
    await publisher.send("b");
    await publisher.send("a");
    const second = await accepted(publisher, server, "SUB");
    assert.equal(await second.message(), ["a"]);
  });
}

it("PUB only sends: it drops what subscribers send without a word, and tells nobody of subscriptions", async () => {
  const publisher = sockets.own(new Publisher());
  assert.not("receive" in publisher);
  const [peer] = await raw.join(publisher, "SUB", "");
  peer.send("a message");
  await subscribe(peer, "");
  await publisher.send("arrives");
  assert.equal(await peer.message(), ["arrives"]);
});

it("XPUB receives what its subscribers send, unchanged", async () => {
  const publisher = sockets.own(new XPublisher());
  const peers = await raw.join(publisher, "XSUB", "", "", "");
  peers[0].send(...FRAMES);
  assert.equal(await publisher.receive(), FRAMES);
  for (const [i, peer] of peers.entries()) {
    for (const number of [1, 2, 3]) peer.send(`${"abc"[i]}${number}`);
    await peer.answered();
  }
  const got = await take(publisher, 9);
  for (const name of ["a", "b", "c"]) {
    assert.equal(
      got.filter((text) => text[0] === name),
      [`${name}1`, `${name}2`, `${name}3`],
    );
  }
});

it("XPUB delivers subscribe and unsubscribe: identical ones once, or each of them when verbosity says so", async () => {
  for (const [verbosity, expected] of [
    [null, ["\x01a", "\x00a"]],
    ["allSubs", ["\x01a", "\x01a", "\x00a"]],
    ["allSubsUnsubs", ["\x01a", "\x01a", "\x00a", "\x00a"]],
  ] as const) {
    const publisher = sockets.own(new XPublisher({ verbosity }));
    const peers = await raw.join(publisher, "SUB", "", "");
    for (const peer of peers) await subscribe(peer, "a");
    for (const peer of peers) {
      peer.write(command("CANCEL", "a"));
      await peer.answered();
    }
    peers[0].send("\x01end");
    assert.equal(await take(publisher, expected.length + 1), [...expected, "\x01end"]);
  }
});

it("XPUB makes an unsubscribe of each topic that a subscriber held when it disconnects", async () => {
  const publisher = sockets.own(new XPublisher());
  const [peer] = await raw.join(publisher, "SUB", "");
  await subscribe(peer, "a", "b");
  assert.equal(await take(publisher, 2), ["\x01a", "\x01b"]);
  await gone(publisher, peer);
  assert.equal((await take(publisher, 2)).sort(), ["\x00a", "\x00b"]);
});

it("XPUB has a queue each way: a subscriber that reads nothing is still heard", async () => {
  const publisher = sockets.own(new XPublisher({ sendHighWaterMark: 1 }));
  const [peer] = await raw.join(publisher, "XSUB", "");
  await subscribe(peer, "");
  assert.is(await next(publisher), "\x01");
  peer.socket.pause();
  for (let i = 0; i < 10; i++) await publisher.send(LARGE);
  peer.send("the other way");
  assert.is(await next(publisher), "the other way");
});

for (const [name, create] of [
  ["SUB", (options = {}) => new Subscriber(options)],
  ["XSUB", (options = {}) => new XSubscriber(options)],
] as const) {
  const make = (options = {}): Subscriber | XSubscriber => {
    const socket = sockets.own<Subscriber | XSubscriber>(create(options));
    return socket;
  };
  const listen = async (socket: Subscriber | XSubscriber, topic: string): Promise<void> => {
    if (socket instanceof Subscriber) socket.subscribe(topic);
    else await socket.send(`\x01${topic}`);
  };

  it(`${name} receives from any number of PUB and XPUB peers, and changes nothing`, async () => {
    const subscriber = make();
    await listen(subscriber, "");
    const peers = [...(await raw.join(subscriber, "PUB", "")), ...(await raw.join(subscriber, "XPUB", ""))];
    for (const peer of peers) {
      peer.send(...FRAMES);
      assert.equal(await subscriber.receive(), FRAMES);
    }
  });

  it(`${name} receives from its publishers in turn, from a queue for each`, async () => {
    const subscriber = make();
    await listen(subscriber, "");
    const peers = await raw.join(subscriber, "PUB", "", "", "");
    for (const [i, peer] of peers.entries()) {
      assert.is(await peer.command(), "SUBSCRIBE");
      for (const number of [1, 2, 3]) peer.send(`${"abc"[i]}${number}`);
      await peer.answered();
    }
    const got = await take(subscriber, 9);
    for (const round of [1, 2, 3]) {
      assert.equal(got.splice(0, 3).sort(), [`a${round}`, `b${round}`, `c${round}`]);
    }
  });

  it(`${name} sends its subscriptions to all publishers: those that are there, and those that come later`, async () => {
    const subscriber = make();
    const [first] = await raw.join(subscriber, "PUB", "");
    await listen(subscriber, "topic");
    assert.is(await first.command(), "SUBSCRIBEtopic");
    const [second] = await raw.join(subscriber, "XPUB", "");
    assert.is(await second.command(), "SUBSCRIBEtopic");
    if (subscriber instanceof Subscriber) subscriber.unsubscribe("topic");
    else await subscriber.send("\x00topic");
    for (const peer of [first, second]) assert.is(await peer.command(), "CANCELtopic");
  });

  it(`${name} keeps the queue of a connection that it makes over a loss, and subscribes again`, async () => {
    const subscriber = make({ reconnectInterval: 10 });
    await listen(subscriber, "");
    const server = await raw.listen();
    subscriber.connect(server.address);
    for (const text of ["before", "after"]) {
      const peer = await accepted(subscriber, server, "PUB");
      assert.is(await peer.command(), "SUBSCRIBE");
      peer.send(text);
      await peer.answered();
      await gone(subscriber, peer);
    }
    assert.equal(await take(subscriber, 2), ["before", "after"]);
  });

  it(`${name} limits its queues to receiveHighWaterMark; what came stays readable without the publisher`, async () => {
    const subscriber = make({ receiveHighWaterMark: 3 });
    await listen(subscriber, "");
    const publisher = sockets.own(new XPublisher({ sendHighWaterMark: 2 }));
    await sockets.join(publisher, subscriber, "inproc");
    for (let i = 0; i < 50; i++) {
      await publisher.send(String(i));
      await turn();
    }
    publisher.close();
    const got = await drain(subscriber, 0);
    assert.ok(got.length >= 3 && got.length < 50, `${got.length} arrived`);
    assert.equal(
      got,
      got.map((_, i) => String(i)),
    );
  });
}

it("SUB only receives, and only what matches a subscription, whatever a publisher sends", async () => {
  const subscriber = sockets.own(new Subscriber());
  assert.not("send" in subscriber);
  subscriber.subscribe("a");
  const [peer] = await raw.join(subscriber, "PUB", "");
  for (const topic of ["b", "ab", "", "end", "a"]) peer.send(topic);
  assert.equal(await take(subscriber, 2), ["ab", "a"]);
});

it("XSUB sends its messages to all publishers unchanged, never waits, and drops what one has no room for", async () => {
  const subscriber = sockets.own(new XSubscriber({ sendHighWaterMark: 1 }));
  await subscriber.send("nobody is there");
  const [slow, quick] = await raw.join(subscriber, "PUB", "", "");
  slow.socket.pause();
  for (let i = 0; i < 10; i++) {
    await subscriber.send([String(i), LARGE]);
    assert.is((await quick.message())[0], String(i));
  }
  await subscriber.send(["A", "", "B"]);
  assert.equal(await quick.message(), ["A", "", "B"]);
});

it.run();

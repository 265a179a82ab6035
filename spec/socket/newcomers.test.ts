/**
 * Peers of a publisher that are there and have not subscribed yet. How long what is published waits for them is the
 * machine's to say: tests of what they get try again, those of what they do not get need not.
 */
import { Socket as NetSocket } from "node:net";
import { Dealer, Publisher, Subscriber, XPublisher } from "../../src/index.ts";
import { Kept } from "../helpers/kept.ts";
import { command, freePort, GREETING, octets, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turn, turns } from "../helpers/wait.ts";
import { curveClient, curveServer } from "../security/people.ts";
import { READY } from "../vectors/zmtp.ts";

const it = suite("socket/newcomers");
const sockets = new Sockets(it);

let ends = 0;

/** Subscribes, and reads until the end, which is published again and again: the subscription may not be in yet. */
async function heard(peer: RawPeer, publisher: Publisher | XPublisher, ...topics: string[]): Promise<string[]> {
  const end = `end ${ends++}.`;
  peer.write(...[...topics, end].map((topic) => command("SUBSCRIBE", topic)));
  const texts: string[] = [];
  let isOver = false;
  const reading = (async () => {
    for (let [text] = await peer.message(); text !== end; [text] = await peer.message()) {
      // One more of an earlier peer may have been on its way.
      if (!text.startsWith("end")) texts.push(text);
    }
    isOver = true;
  })();
  let looks = 0;
  await eventually(async () => {
    // There is a wait first: not every runtime looks for input in each round, and what is kept is the newest.
    if (looks++ === 0) return false;
    // The loop goes round in between: otherwise nothing would come before it.
    for (let i = 0; i < 3; i++) await turn();
    await publisher.send(end);
    return isOver;
  });
  await reading;
  return texts;
}

/** A peer that the publisher has seen, as its greeting tells, and whose handshake is not over. */
async function greeted(address: string): Promise<RawPeer> {
  const peer = await RawPeer.connect(address);
  peer.write(GREETING);
  await peer.read(GREETING.length);
  return peer;
}

async function publish(publisher: Publisher | XPublisher, texts: readonly string[]): Promise<void> {
  for (const text of texts) await publisher.send(text);
}

for (const transport of ["tcp", "ipc"] as const) {
  for (const Type of [Publisher, XPublisher]) {
    it(`${Type.name} gives a peer what came between greeting and subscriptions, in order (${transport})`, async () => {
      const publisher = sockets.own(new Type());
      const address = await sockets.bound(publisher, transport);
      const expected = ["a0", "a1", "b1", "a2", "b2"];
      await eventually(async () => {
        // For this one it is kept, and not for the other.
        const earlier = await greeted(address);
        await publish(publisher, ["a: before"]);
        const peer = await greeted(address);
        await publish(publisher, ["a0"]);
        peer.write(octets(READY.SUB));
        await peer.frame();
        await publish(publisher, ["a1", "b1", "c1", "a2", "b2"]);
        const texts = await heard(peer, publisher, "b", "a", "x");
        for (const each of [earlier, peer]) each.destroy();
        assert.is(texts.includes("a: before"), false);
        // What there is has no gap before what follows.
        assert.equal(texts, expected.slice(expected.length - texts.length));
        return texts.length === expected.length;
      });
    });
  }
}

for (const Type of [Publisher, XPublisher]) {
  it(`${Type.name} gives the first peer what was published while it waited to be accepted, nothing older`, async () => {
    await eventually(async () => {
      const publisher = sockets.own(new Type());
      const address = await sockets.bound(publisher, "tcp");
      const kept = new Kept();
      await publisher.send(kept.track("what was published", Buffer.allocUnsafeSlow(500_000)));
      assert.equal(await kept.left(), []);
      await publish(publisher, ["older"]);
      await turns(4);
      const connecting = RawPeer.connect(address);
      // Then the kernel has the connection.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      await publish(publisher, ["a1", "b1", "a2"]);
      const peer = await connecting;
      await peer.handshake("SUB");
      const texts = await heard(peer, publisher, "a", "older");
      peer.destroy();
      publisher.close();
      assert.is(texts.includes("older"), false);
      return texts.join() === "a1,a2";
    });
  });
}

it("what is kept for a peer is bounded by the mark and by a mebibyte: the newest stay", async () => {
  const half = "h".repeat(500_000);
  const bounds: [number, string[], string[]][] = [
    [2, ["1", "2", "3", "4", "5"], ["4", "5"]],
    [0, [`1${half}`, `2${half}`, `3${half}`], ["2", "3"]],
    [0, ["1", `2${half}${half}${half}`, "3"], ["3"]],
    [0, Array.from({ length: 20_000 }, () => ""), []],
  ];
  for (const [sendHighWaterMark, published, expected] of bounds) {
    const publisher = sockets.own(new Publisher({ sendHighWaterMark }));
    const address = await sockets.bound(publisher, "tcp");
    await eventually(async () => {
      const peer = await RawPeer.connect(address);
      await peer.handshake("SUB");
      // At once: one by one, so many would take a slow runtime longer than they are kept.
      await publisher.sendMany(published);
      const texts = await heard(peer, publisher, "");
      peer.destroy();
      if (expected.length === 0) return texts.length > 0 && texts.length < published.length;
      const numbers = texts.map((text) => text.slice(0, 1));
      assert.equal(numbers, expected.slice(expected.length - numbers.length));
      return numbers.length === expected.length;
    });
  }
});

for (const isReady of [true, false]) {
  const title = isReady ? "has not subscribed" : "does not finish its handshake";
  it(`nothing is kept for long for a peer that ${title}; it gets nothing of what was, though others come`, async () => {
    const publisher = sockets.own(new Publisher());
    const address = await sockets.bound(publisher, "tcp");
    const peers = [await greeted(address)];
    const finish = async (): Promise<void> => {
      peers[0].write(octets(READY.SUB));
      await peers[0].frame();
    };
    if (isReady) await finish();
    const kept = new Kept();
    await publisher.send(["old", kept.track("what was published", Buffer.allocUnsafeSlow(500_000))]);
    await eventually(async () => {
      peers.push(await greeted(address));
      return (await kept.left()).length === 0;
    });
    if (!isReady) await finish();
    assert.equal(await heard(peers[0], publisher, "old"), []);
    for (const peer of peers) peer.destroy();
  });
}

it("what a publisher says when it hears of a subscription comes behind what was kept", async () => {
  const publisher = sockets.own(new XPublisher());
  const address = await sockets.bound(publisher, "tcp");
  await eventually(async () => {
    const peer = await RawPeer.connect(address);
    await peer.handshake("SUB");
    await publisher.send("a1");
    peer.write(command("SUBSCRIBE", "a"));
    assert.equal(String(await publisher.receive()), "\x01a");
    await publisher.send("a2");
    const texts = await heard(peer, publisher, "a");
    // Both ends of both topics.
    peer.destroy();
    for (let i = 0; i < 3; i++) await publisher.receive();
    assert.is(texts.at(-1), "a2");
    return texts.length === 2 && texts[0] === "a1";
  });
});

it("nothing is kept for peers that have left, nor by a publisher that is closed", async () => {
  const publisher = sockets.own(new Publisher());
  const address = await sockets.bound(publisher, "tcp");
  const kept = new Kept();
  for (const leaves of [true, false]) {
    const peer = await RawPeer.connect(address);
    await peer.handshake("SUB");
    await publisher.send(kept.track("what was published", Buffer.allocUnsafeSlow(500_000)));
    if (leaves) peer.destroy();
    else publisher.close();
    await eventually(async () => (await kept.left()).length === 0);
    peer.destroy();
  }
});

it("a message whose memory goes while it is kept is left out", async () => {
  const publisher = sockets.own(new Publisher());
  const address = await sockets.bound(publisher, "tcp");
  const codes: unknown[] = [];
  publisher.events.on("handshake:error:other", ({ error }) => codes.push((error as NodeJS.ErrnoException).code));
  await eventually(async () => {
    const peer = await RawPeer.connect(address);
    await peer.handshake("SUB");
    const body = Buffer.allocUnsafeSlow(50_000).fill("x");
    await publisher.send(body);
    structuredClone(body.buffer, { transfer: [body.buffer] });
    await publisher.send("next");
    const texts = await heard(peer, publisher, "");
    peer.destroy();
    assert.ok(texts.every((text) => text === "next"));
    assert.ok(codes.every((code) => code === "ERR_ZMTP_BODY_DETACHED"));
    return texts.length === 1 && codes.length > 0;
  });
});

it("with inverted matching a peer gets from the handshake on what it has not subscribed to, once", async () => {
  const publisher = sockets.own(new Publisher({ invertMatching: true }));
  const address = await sockets.bound(publisher, "tcp");
  const peer = await RawPeer.connect(address);
  await peer.handshake("SUB");
  await eventually(async () => {
    await publisher.send("a");
    return peer.available > 0;
  });
  assert.equal(await peer.message(), ["a"]);
  peer.write(command("SUBSCRIBE", "a"));
  await eventually(async () => {
    for (let i = 0; i < 3; i++) await turn();
    const before = peer.available;
    await publish(publisher, ["a"]);
    for (let i = 0; i < 3; i++) await turn();
    return peer.available === before;
  });
  peer.destroy();
});

it("a publisher that connects gives each message once to a subscriber that is back after a loss", async () => {
  const publisher = sockets.own(new Publisher({ reconnectInterval: 5 }));
  const server = await RawServer.listen();
  publisher.connect(server.address);
  const first = await server.accept();
  await first.handshake("SUB");
  await heard(first, publisher, "a");
  first.destroy();
  const second = await server.accept();
  second.write(GREETING);
  await second.read(GREETING.length);
  await publish(publisher, ["a1", "a2"]);
  second.write(octets(READY.SUB));
  await second.frame();
  await publish(publisher, ["a3"]);
  const texts = await heard(second, publisher, "a");
  assert.equal(texts, ["a1", "a2", "a3"]);
  await server.close();
});

it("CURVE: nothing is lost between the acceptance of a peer and its subscriptions", async () => {
  const publisher = sockets.own(new Publisher(curveServer));
  const address = await sockets.bound(publisher, "tcp");
  await eventually(async () => {
    const subscriber = sockets.own(new Subscriber(curveClient));
    const accepted = new Promise((resolve) => publisher.events.on("accept", resolve));
    subscriber.connect(address);
    subscriber.subscribe();
    await accepted;
    await publish(publisher, ["1", "2"]);
    const texts: string[] = [];
    const reading = (async () => {
      for await (const [frame] of subscriber) if (texts.push(String(frame)) && texts.at(-1) === "end") break;
    })();
    await eventually(async () => {
      await publisher.send("end");
      return texts.includes("end");
    });
    await reading;
    subscriber.close();
    return texts[0] === "1" && texts[1] === "2";
  });
});

for (const binds of [false, true]) {
  it(`subscriptions go out as soon as the handshake is done (a SUB that ${binds ? "binds" : "connects"})`, async () => {
    const { write } = NetSocket.prototype;
    const subscriber = sockets.own(new Subscriber());
    subscriber.subscribe("news");
    let isWritten = false;
    NetSocket.prototype.write = function (this: NetSocket, ...given: unknown[]) {
      if (String(given[0]).includes("SUBSCRIBEnews")) isWritten = true;
      return Reflect.apply(write, this, given) as boolean;
    } as typeof write;
    try {
      // Everything of that turn but the check phase comes before.
      const handshake = new Promise<boolean>((resolve) => {
        subscriber.events.on("handshake", () => void Promise.resolve().then(() => resolve(isWritten)));
      });
      if (binds) {
        const peer = await RawPeer.connect(await sockets.bound(subscriber, "tcp"));
        await peer.handshake("PUB");
        assert.is(await handshake, true);
        assert.is(await peer.command(), "SUBSCRIBEnews");
        peer.destroy();
      } else {
        const server = await RawServer.listen(await freePort());
        subscriber.connect(server.address);
        const peer = await server.accept();
        await peer.handshake("PUB");
        assert.is(await handshake, true);
        assert.is(await peer.command(), "SUBSCRIBEnews");
        await server.close();
      }
    } finally {
      NetSocket.prototype.write = write;
    }
  });
}

it("a question that waited for its connection goes behind the subscriptions that wait for theirs", async () => {
  const { write } = NetSocket.prototype;
  const questions = await RawServer.listen();
  const topics = await RawServer.listen();
  let written: string[] = [];
  NetSocket.prototype.write = function (this: NetSocket, ...given: unknown[]) {
    for (const what of ["SUBSCRIBEnews", "question"]) if (String(given[0]).includes(what)) written.push(what);
    return Reflect.apply(write, this, given) as boolean;
  } as typeof write;
  try {
    // On a busy machine it need not wait so long.
    await eventually(async () => {
      const dealer = sockets.own(new Dealer({ linger: 0 }));
      const subscriber = sockets.own(new Subscriber());
      const isReady = new Promise((resolve) => dealer.events.on("handshake", resolve));
      dealer.connect(questions.address);
      subscriber.connect(topics.address);
      subscriber.subscribe("news");
      await dealer.send("question");
      const [router, publisher] = await Promise.all([questions.accept(), topics.accept()]);
      written = [];
      await router.handshake("ROUTER");
      await isReady;
      for (let i = 0; i < 3; i++) await turn();
      await publisher.handshake("PUB");
      assert.equal(await router.message(), ["question"]);
      assert.is(await publisher.command(), "SUBSCRIBEnews");
      for (const socket of [dealer, subscriber]) socket.close();
      return written[0] === "SUBSCRIBEnews";
    });
  } finally {
    NetSocket.prototype.write = write;
    await Promise.all([questions.close(), topics.close()]);
  }
});

it("a question goes out though a publisher does not finish its handshake, or has gone", async () => {
  const questions = await RawServer.listen();
  const topics = await RawServer.listen();
  for (const leaves of [true, false]) {
    const dealer = sockets.own(new Dealer({ linger: 0 }));
    const subscriber = sockets.own(new Subscriber({ reconnectInterval: -1 }));
    subscriber.connect(topics.address);
    const publisher = await topics.accept();
    dealer.connect(questions.address);
    await dealer.send("question");
    const router = await questions.accept();
    await router.handshake("ROUTER");
    if (leaves) publisher.destroy();
    assert.equal(await router.message(), ["question"]);
    for (const socket of [dealer, subscriber]) socket.close();
  }
  await Promise.all([questions.close(), topics.close()]);
});

it.run();

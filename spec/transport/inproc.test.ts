import {
  Context,
  Dealer,
  Pair,
  Publisher,
  Pull,
  Push,
  Reply,
  Request,
  Router,
  Subscriber,
  XPublisher,
  XSubscriber,
} from "../../src/index.ts";
import { coreOf } from "../../src/socket/socket.ts";
import { Clock } from "../helpers/clock.ts";
import { rejected, Sockets, texts, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { collectGarbage, eventually, holds, isPending, turn } from "../helpers/wait.ts";

const it = suite("transport/inproc");
const sockets = new Sockets(it);
const clock = new Clock(it);

/** How many messages `push` takes without waiting. */
async function fill(push: Push): Promise<number> {
  push.sendTimeout = 0;
  let sent = 0;
  while (
    await push.send("x").then(
      () => true,
      () => false,
    )
  ) {
    sent++;
  }
  return sent;
}

it("the limit is the sum of both marks", async () => {
  for (const [ours, theirs] of [
    [2, 3],
    [1, 1],
    [5, 10],
  ]) {
    const push = sockets.own(new Push({ sendHighWaterMark: ours }));
    const pull = sockets.own(new Pull({ receiveHighWaterMark: theirs }));
    await sockets.join(pull, push);
    assert.is(await fill(push), ours + theirs);
  }
});

it("no limit on either side is no limit", async () => {
  for (const [ours, theirs] of [
    [0, 3],
    [3, 0],
  ]) {
    const push = sockets.own(new Push({ sendHighWaterMark: ours, sendTimeout: 0 }));
    const pull = sockets.own(new Pull({ receiveHighWaterMark: theirs }));
    await sockets.join(pull, push);
    assert.is(await push.sendMany(Array(5000).fill("x")), 5000);
  }
});

it("before the bind it is the dialer's own mark, and what waits goes over", async () => {
  const push = sockets.own(new Push({ sendHighWaterMark: 2 }));
  const pull = sockets.own(new Pull({ receiveHighWaterMark: 3 }));
  const address = sockets.address("inproc");
  push.connect(address);
  assert.is(await fill(push), 2);
  push.sendTimeout = -1;
  const waiting = push.send("later");
  await pull.bind(address);
  await waiting;
  assert.is(await fill(push), 2);
  assert.equal((await pull.receiveMany()).map(String), ["x", "x", "later", "x", "x"]);
});

it("marks that are set later hold at once, at either end", async () => {
  const push = sockets.own(new Push({ sendHighWaterMark: 1 }));
  const pull = sockets.own(new Pull({ receiveHighWaterMark: 1 }));
  await sockets.join(pull, push);
  assert.is(await fill(push), 2);
  push.sendHighWaterMark = 3;
  assert.is(await fill(push), 2);
  pull.receiveHighWaterMark = 6;
  assert.is(await fill(push), 5);
});

it("names are compared verbatim, in one context", async () => {
  const pull = sockets.own(new Pull());
  await pull.bind("inproc://Name");
  const push = sockets.own(new Push({ sendTimeout: 0 }));
  push.connect("inproc://name");
  await push.send("waits");
  const elsewhere = sockets.own(new Pull({ context: new Context() }));
  await elsewhere.bind("inproc://Name");
  assert.ok(await isPending(Promise.race([pull.receive(), elsewhere.receive()]), 20));
});

it("several early dialers find the listener", async () => {
  const address = sockets.address("inproc");
  const pushes = [1, 2, 3].map(() => sockets.own(new Push()));
  for (const [i, push] of pushes.entries()) {
    push.connect(address);
    await push.send(String(i));
  }
  const pull = sockets.own(new Pull());
  await pull.bind(address);
  assert.equal((await pull.receiveMany()).map(String).sort(), ["0", "1", "2"]);
});

it("early requests and subscriptions", async () => {
  const request = sockets.own(new Request());
  const reply = sockets.own(new Reply());
  const address = sockets.address("inproc");
  request.connect(address);
  await request.send("hello");
  await reply.bind(address);
  assert.equal(texts(await reply.receive()), ["hello"]);
  await reply.send("world");
  assert.equal(texts(await request.receive()), ["world"]);
});

it("when the listener closes, the pair is gone for good; what was received stays", async () => {
  const push = sockets.own(new Push({ sendTimeout: 0 }));
  const pull = new Pull();
  const address = await sockets.join(pull, push);
  await push.send("lost");
  pull.close();
  assert.is(push.writable, false);
  assert.is((await rejected(() => push.send("y"))).code, "EAGAIN");
  const second = sockets.own(new Pull());
  await second.bind(address);
  assert.is((await rejected(() => push.send("z"))).code, "EAGAIN");
  assert.is(thrown(() => push.disconnect(address)).code, "ENOENT");

  const binding = sockets.own(new Push());
  const connecting = sockets.own(new Pull());
  await sockets.join(binding, connecting);
  await binding.send("1");
  await binding.send("2");
  binding.close();
  assert.equal((await connecting.receiveMany()).map(String), ["1", "2"]);
});

it("a name that is given up leaves its pairs alone", async () => {
  const push = sockets.own(new Push({ sendTimeout: 0 }));
  const pull = sockets.own(new Pull());
  const address = await sockets.join(pull, push);
  await push.send("1");
  await pull.unbind(address);
  await push.send("2");
  assert.equal((await pull.receiveMany()).map(String), ["1", "2"]);
  assert.is((await rejected(() => pull.unbind(address))).code, "ENOENT");

  const late = sockets.own(new Push({ sendTimeout: 0 }));
  late.connect(address);
  await late.send("3");
  const other = sockets.own(new Pull());
  await other.bind(address);
  assert.equal((await other.receiveMany()).map(String), ["3"]);

  pull.close();
  assert.is(push.writable, false);
});

it("disconnect ends a pair at once", async () => {
  const push = sockets.own(new Push({ sendTimeout: 0 }));
  const pull = sockets.own(new Pull());
  const address = await sockets.join(pull, push);
  await push.send("1");
  push.disconnect(address);
  assert.is(push.writable, false);
  assert.is((await rejected(() => push.send("2"))).code, "EAGAIN");
  assert.equal((await pull.receiveMany()).map(String), ["1"]);
});

it("what a closed socket sent early waits for the name, within its linger time", async () => {
  for (const linger of [-1, 10_000]) {
    const push = new Push({ linger });
    const address = sockets.address("inproc");
    push.connect(address);
    await push.send("x");
    push.close();
    const pull = sockets.own(new Pull());
    await pull.bind(address);
    assert.equal(texts(await pull.receive()), ["x"]);
  }
  clock.stop();
  for (const linger of [0, 5]) {
    const push = new Push({ linger });
    const address = sockets.address("inproc");
    push.connect(address);
    await push.send("x");
    push.close();
    await clock.advance(linger);
    const pull = sockets.own(new Pull());
    await pull.bind(address);
    assert.ok(await holds(() => !pull.readable));
  }
});

it("types that do not go together are not joined, and both ends say so, whoever comes first", async () => {
  for (const isEarly of [false, true]) {
    const push = sockets.own(new Push({ sendTimeout: 0 }));
    const reply = sockets.own(new Reply());
    const address = sockets.address("inproc");
    const told: string[] = [];
    for (const socket of [push, reply]) {
      socket.events.on("handshake:error:protocol", ({ address: where, error }) => {
        told.push(`${where === address} ${error.code} ${(error.cause as Error).message}`);
      });
    }
    if (isEarly) {
      push.connect(address);
      await push.send("early");
    }
    await reply.bind(address);
    if (!isEarly) push.connect(address);
    await eventually(() => told.length === 2);
    assert.equal(told.sort(), [
      "true ERR_ZMTP_INVALID_METADATA PUSH does not talk to REP",
      "true ERR_ZMTP_INVALID_METADATA REP does not talk to PUSH",
    ]);
    assert.not(reply.readable);
    assert.is((await rejected(() => push.send("x"))).code, "EAGAIN");
    assert.is(thrown(() => push.disconnect(address)).code, "ENOENT");
    // The name is there for those who fit.
    const request = sockets.own(new Request());
    request.connect(address);
    await request.send("q");
    assert.equal(texts(await reply.receive()), ["q"]);
  }
});

/** Who may talk with whom, as the RFCs of the patterns have it. */
const TALK: Record<string, string[]> = {
  Pair: ["Pair"],
  Publisher: ["Subscriber", "XSubscriber"],
  XPublisher: ["Subscriber", "XSubscriber"],
  Subscriber: ["Publisher", "XPublisher"],
  XSubscriber: ["Publisher", "XPublisher"],
  Push: ["Pull"],
  Pull: ["Push"],
  Request: ["Reply", "Router"],
  Reply: ["Request", "Dealer"],
  Dealer: ["Reply", "Dealer", "Router"],
  Router: ["Request", "Dealer", "Router"],
};

it("every pair of types that may talk is joined, and no other", async () => {
  const makers = { Dealer, Pair, Publisher, Pull, Push, Reply, Request, Router, Subscriber, XPublisher, XSubscriber };
  for (const Bound of Object.values(makers)) {
    for (const Connected of Object.values(makers)) {
      const bound = sockets.own(new Bound());
      const connected = sockets.own(new Connected());
      let refusals = 0;
      for (const socket of [bound, connected]) socket.events.on("handshake:error:protocol", () => refusals++);
      await sockets.join(bound, connected);
      await turn();
      const fits = TALK[Bound.name].includes(Connected.name);
      assert.is(refusals, fits ? 0 : 2, `${Bound.name} ${Connected.name}`);
      sockets.closeAll();
    }
  }
});

it("maxMessageSize does not concern it", async () => {
  const push = sockets.own(new Push());
  const pull = sockets.own(new Pull({ maxMessageSize: 10 }));
  await sockets.join(pull, push);
  await push.send("x".repeat(100));
  assert.is((await pull.receive())[0].length, 100);
});

it("a fan-out shares large bodies and copies small ones for each", async () => {
  const publisher = sockets.own(new Publisher());
  const address = await sockets.bound(publisher);
  const subscribers = [1, 2].map(() => sockets.own(new Subscriber()));
  for (const subscriber of subscribers) {
    subscriber.connect(address);
    subscriber.subscribe();
  }
  const small = Buffer.from("small");
  const large = Buffer.alloc(20_000, 1);
  await publisher.send([small, large]);
  const [first, second] = await Promise.all(subscribers.map((subscriber) => subscriber.receive()));
  assert.is(first[1].buffer, large.buffer);
  assert.is(second[1].buffer, large.buffer);
  first[0][0] = 0;
  assert.is(String(second[0]), "small");
  assert.is(String(small), "small");
});

it("a pair that is refused while it is made is no endpoint", async () => {
  const address = sockets.address("inproc");
  const binding = sockets.own(new Pair());
  await binding.bind(address);
  const first = sockets.own(new Pair());
  first.connect(address);
  const second = sockets.own(new Pair());
  second.connect(address);
  assert.is(second.writable, false);
  assert.is(thrown(() => second.disconnect(address)).code, "ENOENT");
  await first.send("x");
  assert.equal(texts(await binding.receive()), ["x"]);
});

it("closed sockets are collected, whichever side closed first", async () => {
  const refs: WeakRef<object>[] = [];
  const context = new Context({ maxSockets: 2 });
  for (let i = 0; i < 4; i++) {
    await (async () => {
      const push = new Push({ context });
      const pull = new Pull({ context });
      const [first, last] = i % 2 === 0 ? [push, pull] : [pull, push];
      await pull.bind("inproc://x");
      push.connect("inproc://x");
      await push.send("x");
      await pull.receive();
      if (i > 1) await pull.unbind("inproc://x");
      first.close();
      last.close();
      for (const socket of [push, pull]) refs.push(new WeakRef(socket), new WeakRef(coreOf(socket)));
    })();
  }
  await eventually(async () => {
    await collectGarbage();
    return refs.every((ref) => ref.deref() === undefined);
  });
});

it("a socket with an early connection can be collected, too", async () => {
  const refs = (() => {
    const push = new Push({ linger: 0 });
    push.connect("inproc://nobody-binds-this");
    return [new WeakRef(push), new WeakRef(coreOf(push))];
  })();
  await eventually(async () => {
    await collectGarbage();
    return refs.every((ref) => ref.deref() === undefined);
  });
});

it.run();

import { createHook } from "node:async_hooks";
import {
  Dealer,
  Proxy,
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
import { drain, next, take } from "../helpers/messages.ts";
import { rejected, Sockets, TRANSPORTS, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending, sleep, turns } from "../helpers/wait.ts";

const it = suite("socket/proxy");
const sockets = new Sockets(it);

/** A running streamer between the two addresses it gives. */
async function streamer(
  capture?: Push,
): Promise<{ proxy: Proxy<Pull, Push>; ended: Promise<void>; into: string; outOf: string }> {
  const pull = sockets.own(new Pull());
  const push = sockets.own(new Push());
  const into = await sockets.bound(pull, "tcp");
  const outOf = await sockets.bound(push, "tcp");
  const proxy = new Proxy(pull, push, capture);
  return { proxy, ended: proxy.run(), into, outOf };
}

for (const transport of TRANSPORTS) {
  it(`a broker: requests and replies find their way (${transport})`, async () => {
    const router = sockets.own(new Router());
    const dealer = sockets.own(new Dealer());
    const clientsAt = await sockets.bound(router, transport);
    const workersAt = await sockets.bound(dealer, transport);
    const proxy = new Proxy(router, dealer);
    assert.equal([proxy.frontEnd === router, proxy.backEnd === dealer], [true, true]);
    const ended = proxy.run();
    const workers = [0, 1].map((i) => {
      const worker = sockets.own(new Reply());
      worker.connect(workersAt);
      void (async () => {
        for await (const [text] of worker) await worker.send([text, `worker ${i}`]);
      })();
      return worker;
    });
    const served = new Set<string>();
    await Promise.all(
      Array.from({ length: 5 }, async (_, i) => {
        const client = sockets.own(new Request());
        client.connect(clientsAt);
        for (let n = 0; n < 20; n++) {
          await client.send(`${i}/${n}`);
          const [echo, worker] = (await next(client)).split("|");
          assert.is(echo, `${i}/${n}`);
          served.add(worker);
        }
      }),
    );
    assert.is(served.size, 2);
    proxy.terminate();
    await ended;
    assert.ok(router.closed && dealer.closed);
    for (const worker of workers) worker.close();
  });

  it(`a forwarder: subscriptions go up, messages come down (${transport})`, async () => {
    const front = sockets.own(new XSubscriber());
    const back = sockets.own(new XPublisher());
    const publishersAt = await sockets.bound(front, transport);
    const subscribersAt = await sockets.bound(back, transport);
    const proxy = new Proxy(front, back);
    const ended = proxy.run();
    const publisher = sockets.own(new Publisher());
    const subscriber = sockets.own(new Subscriber());
    publisher.connect(publishersAt);
    subscriber.subscribe("A");
    subscriber.connect(subscribersAt);
    await eventually(() => publisher.topicsCount === 1);
    await publisher.send("B");
    await publisher.send(["A", "1"]);
    assert.is(await next(subscriber), "A|1");
    subscriber.unsubscribe("A");
    await eventually(() => publisher.topicsCount === 0);
    proxy.terminate();
    await ended;
  });
}

it("its sockets are blocked while it runs, and close() waits for its end", async () => {
  const { proxy, ended } = await streamer();
  const { frontEnd, backEnd } = proxy;
  for (const call of [
    () => frontEnd.receive(),
    () => backEnd.send("x"),
    () => frontEnd.bind("inproc://x"),
    () => frontEnd.connect("inproc://x"),
    () => backEnd.unbindSync(backEnd.lastEndpoint as string),
  ]) {
    assert.is(thrown(call).code, "EBUSY");
  }
  frontEnd.linger = 0;
  assert.is(frontEnd.linger, 0);
  frontEnd.close();
  assert.not(frontEnd.closed);
  assert.is((await rejected(() => proxy.run())).code, "EADDRINUSE");
  assert.is(thrown(() => new Proxy(frontEnd, backEnd).run()).code, "EBUSY");
  proxy.terminate();
  await ended;
  assert.ok(frontEnd.closed && backEnd.closed);
});

it("what it says of wrong arguments and moments", async () => {
  const pull = sockets.own(new Pull());
  const push = sockets.own(new Push());
  const construct = (...given: unknown[]): Proxy => Reflect.construct(Proxy, given);
  assert.is(thrown(() => construct()).message, "Front-end must be a socket object");
  assert.is(thrown(() => construct(pull)).message, "Back-end must be a socket object");
  assert.is(thrown(() => construct(pull, 1)).message, "Back-end must be a socket object");
  assert.is(thrown(() => construct(pull, {})).message, "Invalid argument");
  assert.is(thrown(() => construct(pull, push, 1)).message, "Capture must be a socket object");
  assert.is(thrown(() => construct(pull, push, undefined, 1)).message, "Expected 2 arguments but received 4");
  assert.match(thrown(() => (Proxy as unknown as () => void)()).message, /cannot be invoked without 'new'/);

  const proxy = new Proxy(pull, push);
  assert.is(thrown(() => proxy.run()).message, "Front-end socket must be bound or connected");
  await sockets.bound(pull);
  assert.is(thrown(() => proxy.run()).message, "Back-end socket must be bound or connected");
  await sockets.bound(push);
  for (const method of ["pause", "resume", "terminate"] as const) {
    assert.equal(
      [thrown(() => proxy[method]()).code, thrown(() => proxy[method]()).message],
      ["EBADF", "Socket is closed"],
    );
    assert.is(thrown(() => (proxy[method] as (x: number) => void)(1)).message, "Expected 0 arguments but received 1");
  }
  const ended = proxy.run();
  proxy.terminate();
  await ended;
  for (const method of ["pause", "resume", "terminate"] as const)
    assert.is(thrown(() => proxy[method]()).code, "EBADF");
  assert.is(thrown(() => proxy.run()).code, "EINVAL");
});

it("a proxy that cannot start leaves its sockets as they were", async () => {
  const pull = sockets.own(new Pull());
  const push = sockets.own(new Push());
  await sockets.bound(pull);
  await sockets.bound(push);
  const binding = push.bind("inproc://again");
  const proxy = new Proxy(pull, push);
  assert.is(thrown(() => proxy.run()).code, "EBUSY");
  pull.receiveTimeout = 0;
  assert.is((await rejected(() => pull.receive())).code, "EAGAIN");
  await binding;
  const ended = proxy.run();
  proxy.terminate();
  await ended;
});

it("pause stops the flow, resume starts it, and nothing is lost", async () => {
  const { proxy, ended, into, outOf } = await streamer();
  const producer = sockets.own(new Push());
  const consumer = sockets.own(new Pull());
  producer.connect(into);
  consumer.connect(outOf);
  await producer.send("1");
  assert.is(await next(consumer), "1");
  proxy.pause();
  proxy.pause();
  await producer.send("2");
  const waiting = next(consumer);
  assert.ok(await isPending(waiting));
  proxy.resume();
  assert.is(await waiting, "2");
  proxy.pause();
  proxy.terminate();
  await ended;
});

it("terminate ends it, whatever waits: nobody to send to, or a peer that reads nothing", async () => {
  for (const withConsumer of [false, true]) {
    const { proxy, ended, into, outOf } = await streamer();
    proxy.backEnd.linger = 0;
    const producer = sockets.own(new Push({ linger: 0 }));
    producer.connect(into);
    if (withConsumer) sockets.own(new Pull({ receiveHighWaterMark: 1 })).connect(outOf);
    for (let i = 0; i < 20; i++) await producer.send(Buffer.alloc(500_000));
    await turns();
    proxy.terminate();
    await ended;
  }
});

it("what the consumer does not take stays with the producer", async () => {
  const pull = sockets.own(new Pull({ receiveHighWaterMark: 5 }));
  const push = sockets.own(new Push({ sendHighWaterMark: 5 }));
  const into = await sockets.bound(pull, "tcp");
  const outOf = await sockets.bound(push, "tcp");
  const proxy = new Proxy(pull, push);
  const ended = proxy.run();
  const producer = sockets.own(new Push({ sendHighWaterMark: 5 }));
  producer.connect(into);
  const body = Buffer.alloc(1_000_000);
  let sent = 0;
  let waiting: Promise<void>;
  for (;;) {
    waiting = producer.send([String(sent), body]);
    sent++;
    if (await isPending(waiting, 50)) break;
    assert.ok(sent < 100, "it buffers without an end");
  }
  assert.is(proxy.statistics.frontEnd.messagesReceived, 0);
  const consumer = sockets.own(new Pull());
  consumer.connect(outOf);
  for (let i = 0; i < sent; i++) assert.is(String((await consumer.receive())[0]), String(i));
  await waiting;
  proxy.terminate();
  await ended;
});

it("a mandatory router's full peer is waited for, one that is gone is passed over", async () => {
  const router = sockets.own(new Router({ mandatory: true, sendHighWaterMark: 1 }));
  const dealer = sockets.own(new Dealer());
  const clientsAt = await sockets.bound(router);
  const workersAt = await sockets.bound(dealer);
  const proxy = new Proxy(router, dealer);
  const ended = proxy.run();
  const slow = sockets.own(new Dealer({ routingId: "slow", receiveHighWaterMark: 1 }));
  const quick = sockets.own(new Dealer({ routingId: "quick" }));
  slow.connect(clientsAt);
  quick.connect(clientsAt);
  const worker = sockets.own(new Dealer());
  worker.connect(workersAt);
  for (let i = 0; i < 5; i++) await worker.send(["slow", String(i)]);
  await worker.send(["nobody", "x"]);
  await worker.send(["quick", "after"]);
  const after = next(quick);
  assert.ok(await isPending(after, 30));
  assert.equal(await take(slow, 5), ["0", "1", "2", "3", "4"]);
  assert.is(await after, "after");
  // The peer that is waited for leaves.
  for (let i = 0; i < 5; i++) await worker.send(["slow", String(i)]);
  await worker.send(["quick", "again"]);
  const again = next(quick);
  assert.ok(await isPending(again, 30));
  slow.close();
  assert.is(await again, "again");
  proxy.terminate();
  await ended;
});

it("capture gets a copy of every message, and does not stop the flow", async () => {
  const capture = sockets.own(new Push({ sendHighWaterMark: 3 }));
  const { proxy, ended, into, outOf } = await streamer(capture);
  const producer = sockets.own(new Push());
  const consumer = sockets.own(new Pull());
  producer.connect(into);
  consumer.connect(outOf);
  await producer.send(["nobody", "looks on"]);
  assert.is(await next(consumer), "nobody|looks on");
  const observer = sockets.own(new Pull());
  await sockets.join(capture, observer);
  await producer.send(["a", "", "b"]);
  assert.is(await next(consumer), "a||b");
  assert.is(await next(observer), "a||b");
  for (let i = 0; i < 2000; i++) await producer.send(String(i));
  assert.is((await take(consumer, 2000))[1999], "1999");
  assert.ok((await drain(observer, 20)).length < 2000);
  proxy.terminate();
  await ended;
  assert.not(capture.closed);
});

it("statistics count messages and octets each way", async () => {
  const router = sockets.own(new Router());
  const dealer = sockets.own(new Dealer());
  const clientsAt = await sockets.bound(router);
  const workersAt = await sockets.bound(dealer);
  const proxy = new Proxy(router, dealer);
  const nothing = { messagesReceived: 0, bytesReceived: 0, messagesDropped: 0, messagesSent: 0, bytesSent: 0 };
  assert.equal(proxy.statistics, { frontEnd: nothing, backEnd: nothing });
  const ended = proxy.run();
  const client = sockets.own(new Dealer({ routingId: "me" }));
  const worker = sockets.own(new Dealer());
  client.connect(clientsAt);
  worker.connect(workersAt);
  await client.send(["four", "56"]);
  assert.is(await next(worker), "me|four|56");
  await client.send("7");
  await next(worker);
  await worker.send(["me", "12345"]);
  await next(client);
  assert.equal(proxy.statistics, {
    frontEnd: { messagesReceived: 2, bytesReceived: 11, messagesDropped: 0, messagesSent: 1, bytesSent: 7 },
    backEnd: { messagesReceived: 1, bytesReceived: 7, messagesDropped: 0, messagesSent: 2, bytesSent: 11 },
  });
  proxy.terminate();
  await ended;
});

it("an idle proxy does nothing", async () => {
  const { proxy, ended, into, outOf } = await streamer();
  const producer = sockets.own(new Push());
  const consumer = sockets.own(new Pull());
  producer.connect(into);
  consumer.connect(outOf);
  await producer.send("x");
  await next(consumer);
  await turns();
  const started: string[] = [];
  const hook = createHook({ init: (_, type) => void started.push(type) }).enable();
  await sleep(100);
  hook.disable();
  assert.not(started.includes("Immediate"), started.join());
  assert.not(started.includes("Microtask"), started.join());
  // The one timer is this test's.
  assert.is(started.filter((type) => type === "Timeout").length, 1, started.join());
  proxy.terminate();
  await ended;
});

it("a storm through it does not keep timers waiting", async () => {
  const pull = sockets.own(new Pull());
  const push = sockets.own(new Push());
  const into = await sockets.bound(pull);
  const outOf = await sockets.bound(push);
  const proxy = new Proxy(pull, push);
  const ended = proxy.run();
  const producer = sockets.own(new Push());
  const consumer = sockets.own(new Pull());
  producer.connect(into);
  consumer.connect(outOf);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const sending = (async () => {
    for (let i = 0; i < 20_000; i++) await producer.send(String(i));
  })();
  for (let i = 0; i < 20_000; i++) await consumer.receive();
  await sending;
  clearInterval(timer);
  assert.ok(ticks >= 3, String(ticks));
  proxy.terminate();
  await ended;
});

it.run();

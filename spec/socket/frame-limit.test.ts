/**
 * Frames in one message: what `send` accepts, a receiver takes; what it would not take, `send` says, and nobody is cut
 * off for it.
 */
import {
  Dealer,
  Pair,
  Proxy,
  Publisher,
  Pull,
  Push,
  type Readable,
  Reply,
  Request,
  Router,
  type Socket,
  Subscriber,
  type Writable,
  XPublisher,
  XSubscriber,
} from "zmtp";
import { MESSAGE_FRAMES } from "../../src/base/constants.ts";
import { createSocket } from "../../src/v5-compat.ts";
import { rejected, Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending } from "../helpers/wait.ts";
import { answer, curveClient, curveServer, fresh, handle, plainClient, plainServer } from "../security/people.ts";

const it = suite("socket/frame-limit");
const sockets = new Sockets(it);

/** More than libzmq's users are known to send. */
const MANY = 100_001;

const empty = Buffer.alloc(0);
const message = (count: number): Buffer[] => new Array<Buffer>(count).fill(empty);

type Sending = Socket & Writable;
type Receiving = Socket & Readable;

/** Sending types with the most frames that each may send, and somebody who receives. */
const TYPES: [name: string, limit: number, make: () => [Sending, Receiving]][] = [
  ["PUSH", MESSAGE_FRAMES, () => [new Push(), new Pull()]],
  ["PAIR", MESSAGE_FRAMES, () => [new Pair(), new Pair()]],
  ["DEALER", MESSAGE_FRAMES, () => [new Dealer(), new Dealer()]],
  ["PUB", MESSAGE_FRAMES, () => [new Publisher(), new Subscriber()]],
  ["XPUB", MESSAGE_FRAMES, () => [new XPublisher(), new Subscriber()]],
  ["XSUB", MESSAGE_FRAMES, () => [new XSubscriber(), new XPublisher()]],
  ["REQ", MESSAGE_FRAMES - 1, () => [new Request(), new Reply()]],
  ["REQ with correlate", MESSAGE_FRAMES - 2, () => [new Request({ correlate: true }), new Reply()]],
];

for (const transport of ["tcp", "inproc"] as const) {
  for (const [name, limit, make] of TYPES) {
    it(`${name}: a frame too many is EMSGSIZE, and the peer stays (${transport})`, async () => {
      const [from, to] = make().map((socket) => sockets.own(socket)) as [Sending, Receiving];
      let isLost = false;
      for (const socket of [from, to]) socket.events.on("disconnect", () => (isLost = true));
      if (to instanceof Subscriber) to.subscribe();
      to.connect(await sockets.bound(from, transport));
      if (from instanceof Publisher || from instanceof XPublisher) {
        await eventually(() => from.topicsCount === 1);
      }
      const { code } = await rejected(() => from.send(message(limit + 1)));
      assert.is(code, "EMSGSIZE");
      const got = to.receive();
      await from.send("behind it");
      // What an XSUB sends to nobody is dropped.
      if (from instanceof XSubscriber) while (await isPending(got, 5)) await from.send("behind it");
      assert.equal((await got).map(String), ["behind it"]);
      assert.not(isLost);
    });
  }
}

for (const transport of TRANSPORTS) {
  it(`100,001 frames pass from socket to socket, and through a proxy (${transport})`, async () => {
    const proxy = new Proxy(sockets.own(new Router()), sockets.own(new Dealer()));
    const running = (async () => {
      const [front, back] = [proxy.frontEnd, proxy.backEnd];
      const addresses = [await sockets.bound(front, transport), await sockets.bound(back, transport)];
      return { addresses, ended: proxy.run() };
    })();
    const { addresses, ended } = await running;
    const request = sockets.own(new Request());
    const reply = sockets.own(new Reply());
    request.connect(addresses[0]);
    reply.connect(addresses[1]);
    await request.send(message(MANY));
    const got = await reply.receive();
    assert.is(got.length, MANY);
    await reply.send(got);
    assert.is((await request.receive()).length, MANY);
    assert.is(proxy.statistics.frontEnd.messagesDropped, 0);
    proxy.terminate();
    await ended;
  });
}

it("exactly as many frames as may be arrive, delimiter and all", async () => {
  const request = sockets.own(new Request());
  const reply = sockets.own(new Reply());
  await sockets.join(reply, request, "tcp");
  await request.send(message(MESSAGE_FRAMES - 1));
  assert.is((await reply.receive()).length, MESSAGE_FRAMES - 1);
  await reply.send("answer");
  assert.equal((await request.receive()).map(String), ["answer"]);
});

for (const [mechanism, server, client] of [
  ["PLAIN", plainServer, plainClient],
  ["CURVE", curveServer, curveClient],
] as const) {
  it(`100,001 frames pass under ${mechanism}`, async () => {
    const context = fresh();
    await handle(sockets, context, (request) => answer(request, "200"));
    const pull = sockets.own(new Pull({ context, ...server }));
    const push = sockets.own(new Push(client));
    await sockets.join(pull, push, "tcp");
    await push.send(message(MANY).fill(Buffer.from("x")));
    const got = await pull.receive();
    assert.is(got.length, MANY);
    assert.ok(got.every((frame) => frame.length === 1 && frame[0] === 120));
  });
}

it("a proxy between REP and REQ takes the next request after one that it dropped", async () => {
  const proxy = new Proxy(sockets.own(new Reply()), sockets.own(new Request({ correlate: true })));
  const client = sockets.own(new Dealer());
  const worker = sockets.own(new Reply());
  client.connect(await sockets.bound(proxy.frontEnd));
  worker.connect(await sockets.bound(proxy.backEnd));
  const ended = proxy.run();
  await client.send(message(MESSAGE_FRAMES));
  await client.send(["", "small"]);
  assert.equal((await worker.receive()).map(String), ["small"]);
  assert.is(proxy.statistics.frontEnd.messagesDropped, 1);
  proxy.terminate();
  await ended;
});

it("ROUTER's id and REP's way back count as what goes out", async () => {
  const router = sockets.own(new Router({ mandatory: true }));
  const dealer = sockets.own(new Dealer({ routingId: "me" }));
  await sockets.join(router, dealer, "tcp");
  await dealer.send("here");
  await router.receive();
  const id = Buffer.from("me");
  assert.is((await rejected(() => router.send([id, ...message(MESSAGE_FRAMES + 1)]))).code, "EMSGSIZE");
  await router.send([id, ...message(MESSAGE_FRAMES)]);
  assert.is((await dealer.receive()).length, MESSAGE_FRAMES);

  const reply = sockets.own(new Reply());
  const asker = sockets.own(new Dealer());
  await sockets.join(reply, asker, "tcp");
  await asker.send(["hop", "hop", "", "question"]);
  await reply.receive();
  assert.is((await rejected(() => reply.send(message(MESSAGE_FRAMES - 2)))).code, "EMSGSIZE");
  await reply.send("still its turn");
  assert.equal((await asker.receive()).map(String), ["hop", "hop", "", "still its turn"]);
});

it("a batch stops before such a message, and says how many went", async () => {
  const push = sockets.own(new Push());
  const pull = sockets.own(new Pull());
  await sockets.join(pull, push, "tcp");
  const tooMany = message(MESSAGE_FRAMES + 1);
  assert.is(await push.sendMany(["1", "2", tooMany, "3"]), 2);
  assert.is((await rejected(() => push.sendMany([tooMany]))).code, "EMSGSIZE");
  await push.send("4");
  for (const text of ["1", "2", "4"]) assert.equal((await pull.receive()).map(String), [text]);
});

it("nobody needs to be there for it to be said", async () => {
  const tooMany = message(MESSAGE_FRAMES + 1);
  assert.is((await rejected(() => sockets.own(new Push()).send(tooMany))).code, "EMSGSIZE");
  assert.is((await rejected(() => sockets.own(new Publisher()).send(tooMany))).code, "EMSGSIZE");
});

it("a proxy drops what it may not pass on, counts it, says so once, and lives", async () => {
  const warnings: (string | undefined)[] = [];
  const onWarning = (warning: NodeJS.ErrnoException): void => {
    if (warning.code?.startsWith("ZMTP")) warnings.push(warning.code);
  };
  process.on("warning", onWarning);
  // Out goes one frame more than came in: the id of the router that it came through.
  const proxy = new Proxy(sockets.own(new Router()), sockets.own(new Dealer()));
  const client = sockets.own(new Dealer());
  const worker = sockets.own(new Dealer());
  client.connect(await sockets.bound(proxy.frontEnd, "tcp"));
  worker.connect(await sockets.bound(proxy.backEnd, "tcp"));
  const ended = proxy.run();
  await client.send(message(MESSAGE_FRAMES));
  await client.send(message(MESSAGE_FRAMES));
  await client.send("small");
  assert.equal((await worker.receive()).slice(1).map(String), ["small"]);
  assert.is(proxy.statistics.frontEnd.messagesDropped, 2);
  assert.is(proxy.statistics.backEnd.messagesSent, 1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(warnings, ["ZMTP_MESSAGE_DROPPED"]);
  process.off("warning", onWarning);
  proxy.terminate();
  await ended;
});

it("version 5 tells the callback, and goes on", async () => {
  const push = createSocket("push");
  const pull = createSocket("pull");
  await new Promise<void>((resolve) => pull.bind("tcp://127.0.0.1:*", () => resolve()));
  push.connect(pull.last_endpoint as string);
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    push.send(message(MESSAGE_FRAMES + 1), 0, resolve as (error?: Error) => void);
  });
  assert.is(error?.code, "EMSGSIZE");
  const arrived = new Promise((resolve) => pull.once("message", resolve));
  push.send("behind it");
  assert.is(String(await arrived), "behind it");
  push.close();
  pull.close();
});

it("version 5 survives more frames than a listener can take, told or not", async () => {
  const pull = createSocket("pull");
  await new Promise<void>((resolve) => pull.bind("tcp://127.0.0.1:*", () => resolve()));
  const push = sockets.own(new Push());
  push.connect(pull.last_endpoint as string);
  const seen: number[] = [];
  pull.on("message", (...frames: Buffer[]) => seen.push(frames.length));
  const warned = new Promise<NodeJS.ErrnoException>((resolve) => process.once("warning", resolve));
  await push.send(message(MESSAGE_FRAMES));
  assert.is((await warned).code, "ZMTP_MESSAGE_DROPPED");
  const failed = new Promise<NodeJS.ErrnoException>((resolve) => pull.once("error", resolve));
  await push.send(message(MESSAGE_FRAMES));
  assert.is((await failed).code, "EMSGSIZE");
  await push.send(message(30_000));
  await eventually(() => seen.length > 0);
  assert.equal(seen, [30_000]);
  pull.close();
});

it.run();

/** Heartbeats over real sockets, by a clock that the tests move. */
import { Dealer, Pull, Push, Router } from "zmtp";
import { Clock } from "../helpers/clock.ts";
import { command, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { assert, suite } from "../helpers/test.ts";
import { isPending } from "../helpers/wait.ts";

const it = suite("session/heartbeat");
const clock = new Clock(it);
it.beforeEach(() => clock.stop());

it("a silent peer is dropped, and looked for again; one that answers stays", async () => {
  const server = await RawServer.listen();
  const push = new Push({ heartbeatInterval: 50, heartbeatTimeout: 700, reconnectInterval: 10, linger: 0 });
  const { events } = push;
  const until = async (type: string): Promise<void> => {
    while ((await events.receive()).type !== type);
  };
  push.connect(server.address);
  const silent = await server.accept();
  await silent.handshake("PULL");
  await until("handshake");
  await clock.advance(60);
  assert.is(await silent.command(), "PING\0\0");
  await clock.advance(600);
  assert.is(silent.isClosed, false);
  await clock.advance(110);
  await silent.closed;
  await until("connect:retry");
  await clock.advance(20);

  const lively = await server.accept();
  await lively.handshake("PULL");
  await until("handshake");
  for (let i = 0; i < 25; i++) {
    await clock.advance(60);
    assert.is(await lively.command(), "PING\0\0");
    lively.write(command("PONG"));
  }
  await clock.advance(600);
  assert.is(lively.isClosed, false);
  push.close();
  await server.close();
});

it("any octets are a sign of life: a huge frame in slow transit", async () => {
  const pull = new Pull({ heartbeatInterval: 50, heartbeatTimeout: 700, linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(pull.lastEndpoint);
  await peer.handshake("PUSH");
  const size = 4000;
  peer.write(Buffer.from([2, 0, 0, 0, 0, 0, 0, size >> 8, size & 0xff]));
  for (let i = 0; i < size; i += 200) {
    peer.write(Buffer.alloc(200, "x"));
    await clock.advance(80);
  }
  const [body] = await pull.receive();
  assert.is(body.length, size);
  assert.is(peer.isClosed, false);
  pull.close();
  peer.destroy();
});

it("the peer's time to live ends the connection when it falls silent, and any octet takes it back", async () => {
  const pull = new Pull({ linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(pull.lastEndpoint);
  await peer.handshake("PUSH");
  peer.write(command("PING", "\0\x05"));
  assert.is(await peer.command(), "PONG");
  peer.send("alive");
  await pull.receive();
  await clock.advance(900);
  assert.is(peer.isClosed, false);
  peer.write(command("PING", "\0\x05"));
  assert.is(await peer.command(), "PONG");
  await clock.advance(490);
  assert.is(peer.isClosed, false);
  await clock.advance(20);
  await peer.closed;
  pull.close();
});

it("a PING is answered with its context, heartbeats or not", async () => {
  const pull = new Pull({ linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(pull.lastEndpoint);
  await peer.handshake("PUSH");
  peer.write(command("PING", "\0\0context"));
  assert.is(await peer.command(), "PONGcontext");
  pull.close();
  peer.destroy();
});

it("our own time to live goes out in tenths of a second", async () => {
  const push = new Push({ heartbeatInterval: 30, heartbeatTimeToLive: 1250, linger: 0 });
  await push.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(push.lastEndpoint);
  await peer.handshake("PULL");
  // Its connection knows the peer.
  await push.send("x");
  assert.equal(await peer.message(), ["x"]);
  await clock.advance(40);
  assert.is(await peer.command(), "PING\0\x0c");
  push.close();
  peer.destroy();
});

it("a reader that is slow on purpose does not die, nor does it think its peer dead", async () => {
  const pull = new Pull({ receiveHighWaterMark: 2, heartbeatInterval: 50, heartbeatTimeout: 700, linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const push = new Push({
    sendHighWaterMark: 2,
    heartbeatInterval: 50,
    heartbeatTimeout: 700,
    heartbeatTimeToLive: 700,
    linger: 0,
  });
  const lost: string[] = [];
  push.events.on("disconnect", () => lost.push("push"));
  pull.events.on("disconnect", () => lost.push("pull"));
  push.connect(pull.lastEndpoint as string);
  const body = Buffer.alloc(200_000, "x");
  let accepted = 0;
  while (!(await isPending(push.send(body), 200))) accepted++;
  // Each side is stuck now: one does not read, the other cannot write.
  await clock.advance(2000);
  assert.equal(lost, []);
  for (let i = 0; i <= accepted; i++) {
    assert.is((await pull.receive())[0].length, 200_000);
    if (i % 10 === 0) await clock.advance(60);
  }
  assert.equal(lost, []);
  push.close();
  pull.close();
});

it(
  "a flood of PINGs that are never read back fills no memory",
  async () => {
    const router = new Router({ linger: 0 });
    await router.bind("tcp://127.0.0.1:*");
    const peer = await RawPeer.connect(router.lastEndpoint);
    await peer.handshake("DEALER");
    peer.socket.pause();
    const dealer = new Dealer({ linger: 0 });
    dealer.connect(router.lastEndpoint as string);
    const ping = command("PING", "\0\0abcdefghijklmnop");
    const flood = Buffer.concat(Array.from({ length: 4096 }, () => ping));
    const before = process.memoryUsage();
    // Until all is taken, or the router reads no more.
    let offered = 0;
    let isStopped = false;
    while (offered < 40_000_000 && !isStopped) {
      offered += flood.length;
      isStopped = await isPending(new Promise<void>((fulfil) => peer.socket.write(flood, () => fulfil())));
    }
    assert.ok(offered > 5_000_000, `${offered}`);
    const after = process.memoryUsage();
    const growth = after.rss - before.rss;
    assert.ok(growth < 100_000_000, `${growth} octets for ${offered}`);
    // Others are served meanwhile.
    await dealer.send("hello");
    const [, text] = await router.receive();
    assert.is(String(text), "hello");
    router.close();
    dealer.close();
    peer.destroy();
  },
  { timeout: 20_000 },
);

it.run();

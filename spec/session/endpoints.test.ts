/** unbind, disconnect, and close() as their peers see it. Facts §6.3 and §6.4. */
import { Publisher, Pull, Push, Router, Subscriber } from "zmtp";
import { Clock } from "../helpers/clock.ts";
import { command, FLAG_COMMAND, freePort, GREETING, message, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, holds, isPending, turns } from "../helpers/wait.ts";

const it = suite("session/endpoints");
const clock = new Clock(it);

it("unbind stops listening and ends what was accepted there, after what waits; other endpoints go on", async () => {
  const push = new Push();
  let ready = 0;
  push.events.on("handshake", () => ready++);
  await push.bind("tcp://127.0.0.1:*");
  const first = push.lastEndpoint as string;
  await push.bind("tcp://127.0.0.1:*");
  const second = push.lastEndpoint as string;
  const gone = await RawPeer.connect(first);
  await gone.handshake("PULL");
  const shaking = await RawPeer.connect(first);
  shaking.write(GREETING);
  await shaking.read(64);
  const kept = await RawPeer.connect(second);
  await kept.handshake("PULL");
  await eventually(() => ready === 2);
  for (let i = 0; i < 10; i++) await push.send(`${i}`);
  await push.unbind(first);
  const got: string[] = [];
  while (got.length < 5) got.push(...(await gone.message()));
  await Promise.all([gone.closed, shaking.closed]);
  for (let i = 0; i < 5; i++) got.push(...(await kept.message()));
  assert.equal(got.map(Number).sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (let i = 0; i < 5; i++) await push.send("more");
  for (let i = 0; i < 5; i++) assert.equal(await kept.message(), ["more"]);
  await RawPeer.connect(first).then(
    () => assert.unreachable(),
    (error) => assert.is(error.code, "ECONNREFUSED"),
  );
  push.close();
  await kept.closed;
});

it("unbind: more than the kernel takes is delivered first, and what comes in meanwhile is dropped", async () => {
  const router = new Router({ sendHighWaterMark: 0 });
  await router.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(router.lastEndpoint);
  await peer.handshake("DEALER");
  peer.send("who");
  const [id] = await router.receive();
  peer.socket.pause();
  for (let i = 0; i < 100; i++) await router.send([id, Buffer.alloc(100_000, i)]);
  await router.unbind(router.lastEndpoint as string);
  peer.send("too late");
  peer.write(command("PING", "\0\0hello"));
  await turns();
  peer.socket.resume();
  for (let i = 0; i < 100; ) {
    const { flags, body } = await peer.frame();
    if (flags === FLAG_COMMAND) continue;
    assert.is(body.length, 100_000);
    assert.is(body[50_000], i++);
  }
  await peer.closed;
  assert.is(router.readable, false);
  router.close();
});

it("a subscription that comes while the connection is being ended leaves nothing at the publisher", async () => {
  const pub = new Publisher({ sendHighWaterMark: 0 });
  await pub.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(pub.lastEndpoint);
  await peer.handshake("SUB");
  peer.write(command("SUBSCRIBE", ""));
  await eventually(() => pub.topicsCount === 1);
  peer.socket.pause();
  for (let i = 0; i < 100; i++) await pub.send(Buffer.alloc(100_000));
  await pub.unbind(pub.lastEndpoint as string);
  assert.is(pub.topicsCount, 0);
  peer.write(command("SUBSCRIBE", "late"), message(Buffer.from("\x01later")));
  assert.ok(await holds(() => pub.topicsCount === 0));
  peer.socket.resume();
  await peer.closed;
  pub.close();
});

it("unbind with linger 0 cuts at once", async () => {
  const push = new Push({ linger: 0, sendHighWaterMark: 0 });
  await push.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(push.lastEndpoint);
  await peer.handshake("PULL");
  peer.socket.pause();
  for (let i = 0; i < 100; i++) await push.send(Buffer.alloc(100_000));
  await push.unbind(push.lastEndpoint as string);
  peer.socket.resume();
  await peer.closed;
  assert.ok(peer.available < 100 * 100_000, `${peer.available}`);
  push.close();
});

it("disconnect drops what was received and not read, and still sends what waits", async () => {
  const server = await RawServer.listen();
  const router = new Router();
  router.connect(server.address, { routingId: "peer" });
  await router.send(["peer", "1"]);
  const peer = await server.accept();
  await peer.handshake("DEALER");
  peer.send("unread");
  await eventually(() => router.readable);
  await router.send(["peer", "2"]);
  router.disconnect(server.address);
  assert.is(router.readable, false);
  assert.equal(await peer.message(), ["1"]);
  assert.equal(await peer.message(), ["2"]);
  await peer.closed;
  assert.is(server.accepted, 1);
  router.close();
  await server.close();
});

it("disconnect delivers to a peer that comes up later, and no more than that", async () => {
  clock.stop();
  const port = await freePort();
  const push = new Push({ reconnectInterval: 20 });
  push.connect(`tcp://127.0.0.1:${port}`);
  await push.send("late");
  push.disconnect(`tcp://127.0.0.1:${port}`);
  assert.ok(await isPending(push.send("nobody")));
  const server = await RawServer.listen(port);
  await clock.advance(40);
  const peer = await server.accept();
  await peer.handshake("PULL");
  assert.equal(await peer.message(), ["late"]);
  await peer.closed;
  await clock.advance(10_000);
  assert.is(server.accepted, 1);
  push.close();
  await server.close();
});

it("disconnect of a connection that is lost with messages waiting: they go to the next, which ends there", async () => {
  const server = await RawServer.listen();
  const push = new Push({ reconnectInterval: 20, sendHighWaterMark: 0 });
  push.connect(server.address);
  const first = await server.accept();
  await first.handshake("PULL");
  first.socket.pause();
  for (let i = 0; i < 100; i++) await push.send(Buffer.alloc(100_000, i));
  push.disconnect(server.address);
  first.destroy();
  const second = await server.accept();
  await second.handshake("PULL");
  let next = (await second.frame()).body[0];
  assert.ok(next > 0);
  for (next++; next < 100; next++) assert.is((await second.frame()).body[0], next);
  await second.closed;
  push.close();
  await server.close();
});

for (const [linger, passed] of [
  [200, 199],
  [200, 200],
]) {
  it(`linger limits how long a closed socket sends: ${passed} of ${linger} ms`, async () => {
    clock.stop();
    const server = await RawServer.listen();
    const push = new Push({ reconnectInterval: 20, sendHighWaterMark: 0, linger });
    push.connect(server.address);
    const peer = await server.accept();
    await peer.handshake("PULL");
    peer.socket.pause();
    const all = message(Buffer.alloc(100_000)).length * 100;
    for (let i = 0; i < 100; i++) await push.send(Buffer.alloc(100_000));
    push.close();
    await clock.advance(passed);
    peer.socket.resume();
    await peer.closed;
    if (passed < linger) assert.is(peer.available, all);
    else assert.ok(peer.available < all, `${peer.available}`);
    await server.close();
  });
}

it("unknown endpoints are ENOENT, and one address may be connected twice", async () => {
  const server = await RawServer.listen();
  const push = new Push({ linger: 0 });
  for (const attempt of [() => push.disconnect(server.address), () => push.unbindSync(server.address)]) {
    assert.throws(attempt, (error: { code: string; address: string }) => {
      return error.code === "ENOENT" && error.address === server.address;
    });
  }
  push.connect(server.address);
  push.connect(server.address);
  await server.accept();
  await server.accept();
  push.disconnect(server.address);
  await Promise.all(server.peers.map((peer) => peer.closed));
  assert.throws(() => push.disconnect(server.address));
  push.close();
  await server.close();
});

it("a session that a pattern refuses delivers nothing more", async () => {
  const sub = new Subscriber({ linger: 0 });
  sub.subscribe("");
  await sub.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(sub.lastEndpoint);
  await peer.handshake("PUB");
  assert.is(await peer.command(), "SUBSCRIBE");
  peer.send("before");
  assert.is(String(await sub.receive()), "before");
  sub.close();
  peer.send("after");
  await peer.closed;
});

it("messages written before a close arrive, then the end, and no goodbye", async () => {
  const server = await RawServer.listen();
  const push = new Push();
  push.connect(server.address);
  const peer = await server.accept();
  await peer.handshake("PULL");
  for (let i = 0; i < 1000; i++) push.send(`${i}`).catch(() => {});
  push.close();
  for (let i = 0; i < 1000; i++) assert.equal(await peer.message(), [`${i}`]);
  await peer.closed;
  assert.is(peer.available, 0);
  assert.equal(peer.commands, []);
  await server.close();
});

it("a peer that resets at close is no error of the process", async () => {
  for (let i = 0; i < 30; i++) {
    const pull = new Pull();
    await pull.bind("tcp://127.0.0.1:*");
    const peer = await RawPeer.connect(pull.lastEndpoint);
    await peer.handshake("PUSH");
    peer.send("x");
    if (i % 3 === 0) pull.close();
    peer.reset();
    if (i % 3 === 1) pull.close();
    if (i % 3 === 2) {
      await peer.closed;
      pull.close();
    }
  }
  await turns();
});

it.run();

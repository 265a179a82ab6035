/**
 * What a lost connection takes with it, and what not: the table of facts about ZeroMQ, row by row, against a peer that
 * dies on command.
 */
import { type AddressInfo, connect, createServer, type Socket as NetSocket } from "node:net";
import { Context, curveKeyPair, Publisher, Pull, Push, Reply, Request, Subscriber } from "zmtp";
import { Authenticator } from "../../src/auth.ts";
import { DECODE_AHEAD_MESSAGES } from "../../src/base/constants.ts";
import { command, FLAG_MORE, frame, GREETING, octets, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending, turn } from "../helpers/wait.ts";

const it = suite("session/loss");
const sockets = new Sockets(it);

const QUICK = { reconnectInterval: 10, linger: 0 };
const BODY_BYTES = 65536;

/** A message that shows its number in its first four octets, too large for the kernel to take many. */
function numbered(number: number): Buffer {
  const body = Buffer.alloc(BODY_BYTES, "x");
  body.writeUInt32BE(number);
  return body;
}

/** Sends numbered messages until one has to wait; gives how many were accepted, and the one that waits. */
async function fill(push: Push): Promise<{ accepted: number; waiting: Promise<void> }> {
  for (let accepted = 0; ; accepted++) {
    const waiting = push.send(numbered(accepted));
    if (await isPending(waiting, 300)) return { accepted, waiting };
  }
}

async function number(peer: RawPeer): Promise<number> {
  const { body } = await peer.frame();
  assert.is(body.length, BODY_BYTES);
  assert.is(body.indexOf(Buffer.from("x"), 4), 4);
  return body.readUInt32BE();
}

it("connecting: the pipe exists from connect() on", async () => {
  const server = await RawServer.listen();
  const push = new Push(QUICK);
  push.connect(server.address);
  await push.send("early");
  const peer = await server.accept();
  await peer.handshake("PULL");
  assert.equal(await peer.message(), ["early"]);
  push.close();
  await server.close();
});

it("binding: the pipe exists from the end of the handshake on", async () => {
  const push = new Push(QUICK);
  await push.bind("tcp://127.0.0.1:*");
  const sent = push.send("x");
  const peer = await RawPeer.connect(push.lastEndpoint);
  peer.write(GREETING);
  await peer.read(64);
  assert.ok(await isPending(sent));
  const other = await RawPeer.connect(push.lastEndpoint);
  await other.handshake("PULL");
  await sent;
  assert.equal(await other.message(), ["x"]);
  push.close();
  peer.destroy();
});

for (const reset of [false, true]) {
  const how = reset ? "a reset" : "a close";
  it(
    `connecting: after ${how} what was unsent goes to the next connection, in order, and nothing twice`,
    async () => {
      const server = await RawServer.listen();
      const push = new Push({ ...QUICK, sendHighWaterMark: 10 });
      push.connect(server.address);
      const first = await server.accept();
      await first.handshake("PULL");
      first.socket.pause();
      const { accepted, waiting } = await fill(push);
      assert.ok(accepted >= 10);
      first.socket.resume();
      // Three messages and a half.
      for (let i = 0; i < 3; i++) assert.is(await number(first), i);
      await first.read(1000);
      first.socket.pause();
      if (reset) first.reset();
      else first.destroy();

      const second = await server.accept();
      await second.handshake("PULL");
      await waiting;
      await push.send(numbered(accepted + 1));
      const start = await number(second);
      assert.ok(start > 3, `${start} was sent on the first connection`);
      assert.ok(start <= accepted - 9, `${start} of ${accepted}: more than the write under way was lost`);
      for (let i = start + 1; i <= accepted + 1; i++) assert.is(await number(second), i);
      assert.is(second.available, 0);
      push.close();
      await server.close();
    },
    { timeout: 20_000 },
  );
}

it(
  "binding: what was unsent is dropped",
  async () => {
    const push = new Push({ ...QUICK, sendHighWaterMark: 10 });
    await push.bind("tcp://127.0.0.1:*");
    const first = await RawPeer.connect(push.lastEndpoint);
    await first.handshake("PULL");
    first.socket.pause();
    const { accepted, waiting } = await fill(push);
    first.destroy();
    const second = await RawPeer.connect(push.lastEndpoint);
    await second.handshake("PULL");
    await waiting;
    // The one that waited was never given to the first peer.
    assert.is(await number(second), accepted);
    await push.send("next");
    assert.equal(await second.message(), ["next"]);
    push.close();
    second.destroy();
  },
  { timeout: 20_000 },
);

it(
  "immediate: send waits without a peer, before and after; the queue is dropped with the connection",
  async () => {
    const server = await RawServer.listen();
    const push = new Push({ ...QUICK, immediate: true, sendHighWaterMark: 10 });
    push.connect(server.address);
    const early = push.send("early");
    assert.ok(await isPending(early));
    const first = await server.accept();
    assert.ok(await isPending(early));
    await first.handshake("PULL");
    await early;
    assert.equal(await first.message(), ["early"]);
    first.socket.pause();
    const { accepted, waiting } = await fill(push);
    first.destroy();
    const second = await server.accept();
    assert.ok(await isPending(waiting));
    await second.handshake("PULL");
    await waiting;
    assert.is(await number(second), accepted);
    push.close();
    await server.close();
  },
  { timeout: 20_000 },
);

for (const side of ["connecting", "binding"]) {
  it(`${side}: what was received stays readable, half a message does not show`, async () => {
    const pull = new Pull(QUICK);
    let server: RawServer | undefined;
    let next: () => Promise<RawPeer>;
    if (side === "connecting") {
      const listening = await RawServer.listen();
      server = listening;
      pull.connect(listening.address);
      next = () => listening.accept();
    } else {
      await pull.bind("tcp://127.0.0.1:*");
      next = () => RawPeer.connect(pull.lastEndpoint);
    }
    const first = await next();
    await first.handshake("PUSH");
    first.send("a");
    first.send("b1", "b2");
    first.write(frame(FLAG_MORE, Buffer.from("half")), frame(FLAG_MORE, Buffer.from("of it")));
    first.write(Buffer.from([0, 200, 1, 2, 3]));
    first.socket.end();
    await first.closed;
    const second = await next();
    await second.handshake("PUSH");
    second.send("c");
    const got: string[][] = [];
    for (let i = 0; i < 3; i++) got.push((await pull.receive()).map(String));
    assert.equal(got, [["a"], ["b1", "b2"], ["c"]]);
    assert.ok(await isPending(pull.receive()));
    pull.close();
    second.destroy();
    await server?.close();
  });

  // Few of them come in one piece, and the end while the rest of it waits; many stop the reading.
  for (const count of [100, 1000]) {
    it(`${side}: a peer that leaves behind more than the high-water mark loses none of ${count}`, async () => {
      const pull = new Pull({ ...QUICK, receiveHighWaterMark: 5 });
      let server: RawServer | undefined;
      let first: RawPeer;
      if (side === "connecting") {
        server = await RawServer.listen();
        pull.connect(server.address);
        first = await server.accept();
      } else {
        await pull.bind("tcp://127.0.0.1:*");
        first = await RawPeer.connect(pull.lastEndpoint);
      }
      await first.handshake("PUSH");
      const body = Buffer.alloc(count === 100 ? 5 : 500, "y");
      const messages = Array.from({ length: count }, (_, i) => [frame(FLAG_MORE, Buffer.from(`${i}`)), frame(0, body)]);
      first.write(...messages.flat());
      await new Promise<void>((fulfil) => first.socket.end(fulfil));
      if (count === 100) await first.closed;
      await turn();
      for (let i = 0; i < count; i++) assert.is(String((await pull.receive())[0]), `${i}`);
      assert.ok(await isPending(pull.receive()));
      pull.close();
      await server?.close();
    });
  }
}

it("SUB tells each distinct topic again, in the order of octets, then what has changed since the loss", async () => {
  const server = await RawServer.listen();
  const sub = new Subscriber(QUICK);
  sub.subscribe("b", "a", "b", "c");
  sub.connect(server.address);
  const first = await server.accept();
  await first.handshake("PUB");
  for (const topic of ["a", "b", "c"]) assert.is(await first.command(), `SUBSCRIBE${topic}`);
  sub.subscribe("d", "a");
  assert.is(await first.command(), "SUBSCRIBEd");
  assert.is(await first.command(), "SUBSCRIBEa");
  sub.unsubscribe("a");
  sub.unsubscribe("d");
  assert.is(await first.command(), "CANCELd");
  first.destroy();
  const events = sub.events;
  for await (const { type } of events) if (type === "disconnect" || type === "connect:retry") break;
  sub.unsubscribe("c");
  sub.subscribe("e");
  const second = await server.accept();
  await second.handshake("PUB");
  for (const topic of ["a", "b", "c"]) assert.is(await second.command(), `SUBSCRIBE${topic}`);
  assert.is(await second.command(), "CANCELc");
  assert.is(await second.command(), "SUBSCRIBEe");
  second.send("b1");
  assert.equal((await sub.receive()).map(String), ["b1"]);
  assert.is(second.available, 0);
  sub.close();
  await server.close();
});

it("5,000 topics come again", async () => {
  const server = await RawServer.listen();
  const sub = new Subscriber(QUICK);
  const topics = Array.from({ length: 5000 }, (_, i) => `topic ${String(i).padStart(5, "0")}`);
  sub.subscribe(...topics);
  sub.connect(server.address);
  for (let round = 0; round < 3; round++) {
    const peer = await server.accept();
    await peer.handshake("PUB");
    for (const topic of topics) assert.is(await peer.command(), `SUBSCRIBE${topic}`);
    peer.destroy();
  }
  sub.close();
  await server.close();
});

it("a PUB that connects keeps its peer's topics and sends before they are repeated", async () => {
  const server = await RawServer.listen();
  const pub = new Publisher(QUICK);
  pub.connect(server.address);
  const first = await server.accept();
  await first.handshake("SUB");
  first.write(command("SUBSCRIBE", "a"));
  await eventually(() => pub.topicsCount === 1);
  await pub.send("a1");
  await pub.send("b1");
  assert.equal(await first.message(), ["a1"]);
  first.destroy();
  for await (const { type } of pub.events) if (type === "connect:retry") break;
  await pub.send("a2");
  await pub.send("b2");
  const second = await server.accept();
  await second.handshake("SUB");
  assert.equal(await second.message(), ["a2"]);
  pub.close();
  await server.close();
});

it("a PUB that is bound forgets the topics of a peer that leaves", async () => {
  const pub = new Publisher(QUICK);
  await pub.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(pub.lastEndpoint);
  await peer.handshake("SUB");
  peer.write(command("SUBSCRIBE", "a"), command("SUBSCRIBE", "b"));
  await eventually(() => pub.topicsCount === 2);
  peer.destroy();
  await eventually(() => pub.topicsCount === 0);
  pub.close();
});

it("REQ takes the answer from the next connection; nothing is asked again", async () => {
  const server = await RawServer.listen();
  const req = new Request(QUICK);
  req.connect(server.address);
  await req.send("question");
  const first = await server.accept();
  await first.handshake("REP");
  assert.equal(await first.message(), ["", "question"]);
  const answer = req.receive();
  first.destroy();
  const second = await server.accept();
  await second.handshake("REP");
  assert.ok(await isPending(answer));
  assert.is(second.available, 0);
  second.send("", "answer");
  assert.equal((await answer).map(String), ["answer"]);
  req.close();
  await server.close();
});

it("REP drops the answer to a peer that is gone, and goes on", async () => {
  const rep = new Reply(QUICK);
  await rep.bind("tcp://127.0.0.1:*");
  const first = await RawPeer.connect(rep.lastEndpoint);
  await first.handshake("REQ");
  first.send("", "1");
  assert.equal((await rep.receive()).map(String), ["1"]);
  const gone = (async () => {
    for await (const { type } of rep.events) if (type === "disconnect") return;
  })();
  first.destroy();
  await gone;
  await rep.send("nobody");
  const second = await RawPeer.connect(rep.lastEndpoint);
  await second.handshake("REQ");
  second.send("", "2");
  assert.equal((await rep.receive()).map(String), ["2"]);
  await rep.send("two");
  assert.equal(await second.message(), ["", "two"]);
  rep.close();
  second.destroy();
});

it("a peer that leaves is noticed while what it sent waits undecoded, and all of it can be read", async () => {
  const pull = new Pull({ linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const gone = new Promise<void>((resolve) => pull.events.on("disconnect", () => resolve()));
  const peer = await RawPeer.connect(pull.lastEndpoint);
  await peer.handshake("PUSH");
  // More than are decoded ahead of the reader, below its high-water mark, and in many reads.
  const count = DECODE_AHEAD_MESSAGES * 3;
  for (let i = 0; i < count; i++) {
    peer.socket.write(frame(0, Buffer.from(String(i))));
    if (i % 16 === 0) await turn();
  }
  peer.socket.end();
  await gone;
  for (let i = 0; i < count; i++) assert.is(String((await pull.receive())[0]), String(i));
  pull.close();
});

/** More than are decoded ahead of the reader. */
const WAITING = DECODE_AHEAD_MESSAGES * 3;

async function readAll(pull: Pull): Promise<void> {
  for (let i = 0; i < WAITING; i++) assert.is(String((await pull.receive())[0]), String(i));
}

/** Connects to where a socket is bound. */
function reach(address: string | null): NetSocket {
  const text = String(address);
  return text.startsWith("ipc://") ? connect(text.slice(6)) : connect(Number(text.split(":")[2]), "127.0.0.1");
}

const context = new Context();
const authenticator = new Authenticator({ context });
authenticator.setUsers({ admin: "secret" });
authenticator.start();
it.after(() => authenticator.stop());
const keys = curveKeyPair();
const clientKeys = curveKeyPair();
const SECURED: readonly (readonly [string, object, object])[] = [
  ["NULL", {}, {}],
  ["PLAIN", { context, plainServer: true }, { plainUsername: "admin", plainPassword: "secret" }],
  [
    "CURVE",
    { curveServer: true, curveSecretKey: keys.secretKey },
    { curveServerKey: keys.publicKey, curvePublicKey: clientKeys.publicKey, curveSecretKey: clientKeys.secretKey },
  ],
];

for (const transport of ["tcp", "ipc"] as const) {
  for (const isLeft of [false, true]) {
    const how = `over ${transport}, ${isLeft ? "and the peer leaves" : "and the peer stays"}`;
    for (const [mechanism, server, client] of SECURED) {
      it(`what waits undecoded before a fault is delivered: ${mechanism} ${how}`, async () => {
        const pull = new Pull({ linger: 0, ...server });
        await sockets.bound(pull, transport);
        const gone = new Promise<void>((resolve) => pull.events.on("disconnect", () => resolve()));
        // In between, somebody adds bad octets behind the last good one.
        const between = createServer({ allowHalfOpen: true }, (near) => {
          const far = reach(pull.lastEndpoint);
          far.pipe(near);
          near.pipe(far, { end: false });
          near
            .on("error", () => {})
            .on("end", () => {
              far.write(Buffer.alloc(64, 0xff));
              if (isLeft) far.end();
            });
          far.on("error", () => {});
        });
        await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
        const push = new Push({ ...client });
        push.connect(`tcp://127.0.0.1:${(between.address() as AddressInfo).port}`);
        for (let i = 0; i < WAITING; i++) await push.send(String(i));
        push.close();
        if (isLeft) await gone;
        await readAll(pull);
        await gone;
        pull.close();
        between.close();
      });
    }
    const classic = [
      ["2.0", "ff00000000000000017f 01 08 0000", (body: Buffer) => frame(0, body)],
      ["1.0", "0100", (body: Buffer) => Buffer.concat([Buffer.of(body.length + 1, 0), body])],
    ] as const;
    for (const [version, greeting, frame] of classic) {
      it(`what waits undecoded before a fault is delivered: ZMTP ${version} ${how}`, async () => {
        const pull = new Pull({ linger: 0 });
        await sockets.bound(pull, transport);
        const gone = new Promise<void>((resolve) => pull.events.on("disconnect", () => resolve()));
        const peer = new RawPeer(reach(pull.lastEndpoint));
        peer.write(octets(greeting));
        for (let i = 0; i < WAITING; i++) peer.write(frame(Buffer.from(String(i))));
        // A frame whose flags are reserved, or a length without room for them.
        peer.write(Buffer.alloc(64, version === "1.0" ? 0 : 0xff));
        if (isLeft) {
          peer.socket.end();
          await gone;
        }
        await readAll(pull);
        await gone;
        peer.destroy();
        pull.close();
      });
    }
  }
}

it.run();

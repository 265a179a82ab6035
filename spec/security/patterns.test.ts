/** PLAIN and CURVE under every pattern: who is the server depends neither on who binds nor on who sends. */
import {
  curveKeyPair,
  Dealer,
  Pair,
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
import { decodeZ85 } from "../../src/codec/z85.ts";
import { loadCrypto } from "../../src/crypto/load.ts";
import { Clock } from "../helpers/clock.ts";
import { Sockets, texts } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { answer, curveClient, curveServer, fresh, handle, keys, plainClient, plainServer, quick } from "./people.ts";

const it = suite("security/patterns");
const sockets = new Sockets(it);
const clock = new Clock(it);

type Make = (options: object) => Socket;

interface Pattern {
  name: string;
  one: Make;
  other: Make;
  /** Exchanges messages, bodies of several sizes among them. */
  talk(one: Socket, other: Socket): Promise<void>;
}

const large = Buffer.alloc(100_000, "large");

async function pass(from: Socket, to: Socket): Promise<void> {
  for (const message of [["hello"], ["two", ""], [large, "end"], [""]]) {
    await (from as Socket & Writable).send(message);
    const got = await (to as Socket & Readable).receive();
    assert.equal(got.slice(-message.length).map(String), message.map(String));
  }
}

const oneWay = async (one: Socket, other: Socket): Promise<void> => pass(one, other);
const bothWays = async (one: Socket, other: Socket): Promise<void> => {
  await pass(one, other);
  await pass(other, one);
};

async function publish(one: Socket, other: Socket): Promise<void> {
  const [publisher, subscriber] = [one as Publisher, other as Subscriber];
  subscriber.subscribe("A");
  subscriber.receiveTimeout = 20;
  for (;;) {
    await publisher.send("A sync");
    const got = await subscriber.receive().catch(() => undefined);
    if (got !== undefined) break;
  }
  subscriber.receiveTimeout = -1;
  for (const topic of ["B", "A1", "AA"]) await publisher.send([topic, large]);
  const got: string[] = [];
  while (got.at(-1) !== "AA") got.push(String((await subscriber.receive())[0]));
  assert.equal(
    got.filter((topic) => topic !== "A sync"),
    ["A1", "AA"],
  );
}

const PATTERNS: readonly Pattern[] = [
  { name: "PUSH, PULL", one: (o) => new Push(o), other: (o) => new Pull(o), talk: oneWay },
  { name: "PAIR, PAIR", one: (o) => new Pair(o), other: (o) => new Pair(o), talk: bothWays },
  { name: "DEALER, DEALER", one: (o) => new Dealer(o), other: (o) => new Dealer(o), talk: bothWays },
  {
    name: "DEALER, ROUTER",
    one: (o) => new Dealer({ routingId: "me", ...o }),
    other: (o) => new Router(o),
    async talk(one, other) {
      await pass(one, other);
      await (other as Router).send(["me", "answer", large]);
      assert.equal(texts(await (one as Dealer).receive()), ["answer", String(large)]);
    },
  },
  {
    name: "REQ, REP",
    one: (o) => new Request(o),
    other: (o) => new Reply(o),
    async talk(one, other) {
      const [request, reply] = [one as Request, other as Reply];
      for (const question of [["hello"], [large, ""]]) {
        await request.send(question);
        assert.equal(texts(await reply.receive()), question.map(String));
        await reply.send(["answer", large]);
        assert.equal(texts(await request.receive()), ["answer", String(large)]);
      }
    },
  },
  { name: "PUB, SUB", one: (o) => new Publisher(o), other: (o) => new Subscriber(o), talk: publish },
  {
    name: "XPUB, XSUB",
    one: (o) => new XPublisher(o),
    other: (o) => new XSubscriber(o),
    async talk(one, other) {
      await (other as XSubscriber).send("\x01A");
      assert.equal(texts(await (one as XPublisher).receive()), ["\x01A"]);
      await (one as XPublisher).send("A1");
      assert.equal(texts(await (other as XSubscriber).receive()), ["A1"]);
      await (other as XSubscriber).send("\x00A");
      assert.equal(texts(await (one as XPublisher).receive()), ["\x00A"]);
    },
  },
];

const MECHANISMS = {
  plain: { server: plainServer, client: plainClient },
  curve: { server: curveServer, client: curveClient },
};

for (const [mechanism, { server, client }] of Object.entries(MECHANISMS)) {
  for (const { name, one, other, talk } of PATTERNS) {
    it(`${mechanism}: ${name}, either one the server, either one bound, over tcp and ipc`, async () => {
      const context = fresh();
      await handle(sockets, context, (request) => answer(request, "200"));
      for (const transport of ["tcp", "ipc"] as const) {
        for (const serves of [true, false]) {
          for (const binds of [true, false]) {
            const a = sockets.own(one({ context, ...quick, ...(serves ? server : client) }));
            const b = sockets.own(other({ context, ...quick, ...(serves ? client : server) }));
            await (binds ? sockets.join(a, b, transport) : sockets.join(b, a, transport));
            await talk(a, b);
            assert.equal([a.securityMechanism, b.securityMechanism], [mechanism, mechanism]);
            a.close();
            b.close();
          }
        }
      }
    });
  }

  it(`${mechanism}: heartbeats go on`, async () => {
    const context = fresh();
    await handle(sockets, context, (request) => answer(request, "200"));
    clock.stop();
    const beating = { context, ...quick, heartbeatInterval: 20, heartbeatTimeout: 2000, heartbeatTimeToLive: 2000 };
    const pull = sockets.own(new Pull({ ...beating, ...server }));
    const push = sockets.own(new Push({ ...beating, ...client }));
    let ends = 0;
    pull.events.on("disconnect", () => ends++);
    await sockets.join(pull, push, "tcp");
    for (let i = 0; i < 10; i++) {
      await push.send(String(i));
      assert.equal(texts(await pull.receive()), [String(i)]);
      await clock.advance(500);
    }
    assert.is(ends, 0);
  });
}

it("several clients at once, each with its own keys, and messages before the peer is up", async () => {
  const pull = sockets.own(new Pull({ ...quick, ...curveServer }));
  const address = await sockets.bound(pull, "tcp");
  const count = 20;
  const own = Array.from({ length: count }, () => curveKeyPair());
  for (const [i, { publicKey, secretKey }] of own.entries()) {
    const push = sockets.own(
      new Push({ ...quick, ...curveClient, curvePublicKey: publicKey, curveSecretKey: secretKey }),
    );
    push.connect(address);
    await push.send(String(i));
  }
  const got = new Set<string>();
  while (got.size < count) got.add(String((await pull.receive())[0]));
});

it("large messages arrive as they were while the kernel has not taken the one before", async () => {
  const pull = sockets.own(new Pull({ ...quick, ...curveServer, receiveHighWaterMark: 1 }));
  const push = sockets.own(new Push({ ...quick, ...curveClient }));
  await sockets.join(pull, push, "tcp");
  const sizes = [9_000, 3_000_000, 70_000, 200_000, 65_536, 1_000_000];
  const bodies = Array.from({ length: 48 }, (_, i) => Buffer.alloc(sizes[i % sizes.length] ?? 0, i));
  const sent = bodies.map((body) => push.send([body, String(body.length)]));
  for (const body of bodies) {
    const [got, length] = await pull.receive();
    assert.is(Number(length), body.length);
    assert.ok(got?.equals(body));
  }
  await Promise.all(sent);
});

it("what goes over the wire under CURVE is not to be read", async () => {
  const { createServer, connect } = await import("node:net");
  const pull = sockets.own(new Pull({ ...quick, ...curveServer }));
  const port = Number((await sockets.bound(pull, "tcp")).split(":").pop());
  const heard: Buffer[] = [];
  const tap = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk) => heard.push(chunk) && to.write(chunk)).on("close", () => to.destroy());
      from.on("error", () => {});
    }
  });
  await new Promise<void>((resolve) => tap.listen(0, "127.0.0.1", resolve));
  const push = sockets.own(new Push({ ...quick, ...curveClient, metadata: { "X-Secret": "properties too" } }));
  push.connect(`tcp://127.0.0.1:${(tap.address() as { port: number }).port}`);
  await push.send(["attack at dawn", large]);
  assert.is(String((await pull.receive())[0]), "attack at dawn");
  const all = Buffer.concat(heard);
  assert.ok(all.length > large.length);
  for (const clear of ["attack", "dawn", "largelarge", "PUSH", "X-Secret", "properties"])
    assert.not(all.includes(clear));
  for (const key of [keys.client.publicKey, keys.client.secretKey, keys.server.secretKey]) {
    assert.not(all.includes(decodeZ85(key)), "not even who the client is");
  }
  push.close();
  tap.close();
});

it("curveKeyPair() makes pairs that belong together, each another, in Z85", () => {
  const made = Array.from({ length: 20 }, () => curveKeyPair());
  assert.is(new Set(made.flatMap(({ publicKey, secretKey }) => [publicKey, secretKey])).size, 40);
  for (const { publicKey, secretKey } of made) {
    assert.equal([publicKey.length, secretKey.length], [40, 40]);
    assert.ok(loadCrypto().publicKeyOf(decodeZ85(secretKey)).equals(decodeZ85(publicKey)));
  }
});

it.run();

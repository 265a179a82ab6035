/**
 * Values of another realm: a program may run in a `vm` context, or a test runner's sandbox, whose classes are not those
 * that this package was loaded with. What such a value is has to be asked of the value.
 */
import { runInNewContext } from "node:vm";
import { Dealer, Publisher, Pull, Push, Router, Stream, Subscriber, XPublisher, XSubscriber } from "../../src/index.ts";
import { createSocket } from "../../src/v5-compat.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("socket/realms");
const sockets = new Sockets(it);

/** Kinds of values that hold the octets "ABCDEFGH", or as many of them as were asked for. */
const KINDS = [
  "new Uint8Array(OCTETS)",
  "new Uint8Array(OCTETS).subarray(0)",
  "new Uint8ClampedArray(OCTETS)",
  "new Int8Array(new Uint8Array(OCTETS).buffer)",
  "new Uint16Array(new Uint8Array(OCTETS).buffer)",
  "new Float64Array(new Uint8Array(OCTETS).buffer)",
  "new DataView(new Uint8Array(OCTETS).buffer)",
];
const MEMORY = [
  "new Uint8Array(OCTETS).buffer",
  "((shared) => (new Uint8Array(shared).set(OCTETS), shared))(new SharedArrayBuffer(OCTETS.length))",
];

function foreign<T = Buffer>(expression: string, text = "ABCDEFGH"): T {
  return runInNewContext(expression.replaceAll("OCTETS", JSON.stringify([...Buffer.from(text)]))) as T;
}

for (const length of [8, 128, 136, 8192, 8200, 70_000]) {
  const text = "x".repeat(length - 1).concat("!");
  it(`views and memory of another realm go out as their octets (${length})`, async () => {
    const push = sockets.own(new Push());
    const pull = sockets.own(new Pull());
    await sockets.join(pull, push, "tcp");
    for (const kind of [...KINDS, ...MEMORY]) {
      await push.send(foreign(kind, text));
      await push.send(["a", foreign(kind, text)]);
      await push.send(foreign<Buffer[]>(`[${kind}, "b"]`, text));
      await push.sendMany(foreign<Buffer[]>(`[${kind}, [${kind}]]`, text));
      const got: string[] = [];
      while (got.length < 5) got.push((await pull.receive()).map((frame) => frame.toString()).join("|"));
      assert.equal(got, [text, `a|${text}`, `${text}|b`, text, text], kind);
    }
  });
}

it("the same through the API of version 5", async () => {
  const push = createSocket("push");
  const pull = createSocket("pull");
  push.bindSync("inproc://realms");
  pull.connect("inproc://realms");
  for (const kind of [...KINDS, ...MEMORY]) {
    const got = new Promise<Buffer[]>((resolve) => pull.once("message", (...frames: Buffer[]) => resolve(frames)));
    push.send([foreign(kind), "b"]);
    assert.equal((await got).map(String), ["ABCDEFGH", "b"], kind);
  }
  push.close();
  pull.close();
});

it("views of another realm are subscriptions", async () => {
  for (const kind of KINDS) {
    const pub = sockets.own(new Publisher());
    const sub = sockets.own(new Subscriber());
    sub.subscribe("end", foreign(kind));
    await sockets.join(pub, sub);
    await pub.send("other");
    await pub.send("ABCDEFGHI");
    assert.equal((await sub.receive()).map(String), ["ABCDEFGHI"]);
    sub.unsubscribe(foreign(kind));
    await pub.send("ABCDEFGHI");
    await pub.send("end");
    assert.equal((await sub.receive()).map(String), ["end"]);
  }
});

it("an XSUB subscribes, and a manual XPUB answers, by views of another realm", async () => {
  const xpub = sockets.own(new XPublisher({ manual: true }));
  const xsub = sockets.own(new XSubscriber());
  await sockets.join(xpub, xsub, "tcp");
  await xsub.send(foreign("new Uint8Array([1, ...OCTETS])"));
  assert.equal((await xpub.receive()).map(String), ["\x01ABCDEFGH"]);
  xpub.subscribe(foreign(KINDS[0] as string, "x"));
  await xpub.send("xy");
  assert.equal((await xsub.receive()).map(String), ["xy"]);
});

it("views of another realm are values of options", () => {
  for (const kind of KINDS) {
    const dealer = sockets.own(new Dealer({ routingId: foreign<string>(kind) }));
    assert.is(dealer.routingId, "ABCDEFGH");
    dealer.plainUsername = foreign<string>(kind, "someoneX");
    assert.is(dealer.plainUsername, "someoneX");
    dealer.curveServerKey = foreign<string>(kind, "K".repeat(32));
    assert.is(Buffer.from(dealer.curveServerKey as string).length, 40);
    dealer.metadata = { "X-name": foreign(kind) };
    const router = sockets.own(new Router());
    router.connect("tcp://127.0.0.1:1", { routingId: foreign(kind) });
    const stream = sockets.own(new Stream());
    stream.connect("tcp://127.0.0.1:1", { routingId: foreign(kind) });
    router.close();
    stream.close();
  }
});

it("an id of another realm names a peer", async () => {
  const router = sockets.own(new Router({ mandatory: true }));
  const dealer = sockets.own(new Dealer());
  await dealer.bind("tcp://127.0.0.1:*");
  router.connect(dealer.lastEndpoint as string, { routingId: foreign(KINDS[0] as string) });
  await router.send([foreign(KINDS[0] as string), "hello"]);
  assert.equal((await dealer.receive()).map(String), ["hello"]);
});

it("a value that is no view is refused, of whichever realm", () => {
  for (const value of ["({ length: 2 })", "new Map()", "[1]", "new ArrayBuffer(2)"]) {
    assert.throws(() => sockets.own(new Subscriber()).subscribe(foreign(value)), "Option value must be");
  }
});

it.run();

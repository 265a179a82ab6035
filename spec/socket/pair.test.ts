import { Pair } from "../../src/index.ts";
import { drain, next, take } from "../helpers/messages.ts";
import { rejected, Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending } from "../helpers/wait.ts";

const it = suite("socket/pair");
const sockets = new Sockets(it);

for (const transport of TRANSPORTS) {
  it(`both ways, whole and in order (${transport})`, async () => {
    const a = sockets.own(new Pair());
    const b = sockets.own(new Pair());
    await sockets.join(a, b, transport);
    for (let i = 0; i < 5; i++) {
      await a.send(["a", "", String(i)]);
      await b.send(["b", "", String(i)]);
    }
    assert.equal(await take(a, 5), ["b||0", "b||1", "b||2", "b||3", "b||4"]);
    assert.equal(await take(b, 5), ["a||0", "a||1", "a||2", "a||3", "a||4"]);
  });

  it(`a second peer is refused with an event, and taken when the first has left (${transport})`, async () => {
    const bound = sockets.own(new Pair());
    const { events } = bound;
    const address = await sockets.bound(bound, transport);
    const first = sockets.own(new Pair());
    first.connect(address);
    await first.send("first");
    assert.is(await next(bound), "first");

    const second = sockets.own(new Pair({ reconnectInterval: 20 }));
    const refused = new Promise<string>((resolve) => {
      events.on("handshake:error:other", (event) => resolve(`${event.error.code} ${event.address}`));
    });
    second.connect(address);
    assert.is(await refused, `EBUSY ${address}`);
    await bound.send("for the first");
    assert.is(await next(first), "for the first");

    first.close();
    // Over inproc there is no second try.
    if (transport === "inproc") second.connect(address);
    await second.send("second");
    assert.is(await next(bound), "second");
    await bound.send("for the second");
    assert.is(await next(second), "for the second");
    assert.equal(await drain(second, 20), []);
  });

  it(`a send waits without a peer and at the mark (${transport})`, async () => {
    const a = sockets.own(new Pair({ sendHighWaterMark: 1 }));
    const address = await sockets.bound(a, transport);
    const waiting = a.send("0");
    assert.ok(await isPending(waiting));
    const b = sockets.own(new Pair({ receiveHighWaterMark: 1 }));
    b.connect(address);
    await waiting;
    const body = Buffer.alloc(3_000_000);
    for (let sent = 1; sent < 100; sent++) {
      const sending = a.send([String(sent), body]);
      if (!(await isPending(sending, 50))) continue;
      a.sendTimeout = 0;
      assert.not(a.writable);
      for (let i = 0; i <= sent; i++) assert.is(String((await b.receive())[0]), String(i));
      await sending;
      return;
    }
    assert.unreachable("it never waited");
  });

  it(`close ends what is pending: EAGAIN (${transport})`, async () => {
    const pair = sockets.own(new Pair());
    await sockets.bound(pair, transport);
    const sending = rejected(() => pair.send("x"));
    const receiving = rejected(() => pair.receive());
    pair.close();
    assert.equal([(await sending).code, (await receiving).code], ["EAGAIN", "EAGAIN"]);
  });
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`a connecting PAIR finds its peer again (${transport})`, async () => {
    const a = sockets.own(new Pair({ reconnectInterval: 20 }));
    const b = sockets.own(new Pair());
    const address = await sockets.join(b, a, transport);
    await a.send("1");
    assert.is(await next(b), "1");
    const noticed = new Promise((fulfil) => a.events.on("disconnect", fulfil));
    b.close();
    // What is sent before that goes down with the connection.
    await noticed;
    const c = sockets.own(new Pair());
    await c.bind(address);
    await a.send("2");
    await c.send("3");
    assert.is(await next(c), "2");
    assert.is(await next(a), "3");
  });
}

it("a second connect of its own is refused too", async () => {
  const a = sockets.own(new Pair());
  const b = sockets.own(new Pair());
  const c = sockets.own(new Pair());
  await sockets.join(b, a, "tcp");
  const told: string[] = [];
  a.events.on("handshake:error:other", ({ error }) => told.push(error.code));
  a.connect(await sockets.bound(c, "tcp"));
  await eventually(() => told.length > 0);
  await a.send("x");
  assert.is(await next(b), "x");
  assert.equal(await drain(c, 50), []);
});

it.run();

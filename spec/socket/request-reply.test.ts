import { Dealer, Reply, Request, Router } from "../../src/index.ts";
import { rejected, Sockets, TRANSPORTS, texts } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending, turn } from "../helpers/wait.ts";

const it = suite("socket/request-reply");
const sockets = new Sockets(it);

const OUT_OF_TURN = "Operation cannot be accomplished in current state";

async function pair(
  request: Request = new Request(),
  reply: Reply = new Reply(),
  transport: (typeof TRANSPORTS)[number] = "inproc",
): Promise<{ request: Request; reply: Reply }> {
  await sockets.join(sockets.own(reply), sockets.own(request), transport);
  return { request, reply };
}

for (const transport of TRANSPORTS) {
  it(`a round after the other, whoever binds (${transport})`, async () => {
    for (const requestBinds of [false, true]) {
      const request = sockets.own(new Request());
      const reply = sockets.own(new Reply());
      if (requestBinds) await sockets.join(request, reply, transport);
      else await sockets.join(reply, request, transport);
      for (const message of ["1", "2", "3"]) {
        await request.send(message);
        assert.equal(texts(await reply.receive()), [message]);
        await reply.send(["re", message]);
        assert.equal(texts(await request.receive()), ["re", message]);
      }
    }
  });

  it(`requests go to the peers in turn (${transport})`, async () => {
    const request = sockets.own(new Request());
    const replies = [sockets.own(new Reply()), sockets.own(new Reply())];
    for (const reply of replies) await sockets.join(reply, request, transport);
    for (let i = 0; i < 4; i++) {
      const reply = replies[i % 2];
      await request.send(String(i));
      assert.equal(texts(await reply.receive()), [String(i)]);
      await reply.send("ok");
      await request.receive();
    }
  });

  it(`requests come fairly from the peers, and each gets its own reply (${transport})`, async () => {
    const reply = sockets.own(new Reply());
    const address = await sockets.bound(reply, transport);
    const requests = ["a", "b", "c"].map((name) => ({ name, socket: sockets.own(new Request()) }));
    for (const { name, socket } of requests) {
      socket.connect(address);
      await socket.send(name);
    }
    for (let i = 0; i < 3; i++) {
      const [name] = await reply.receive();
      await reply.send(`re ${name}`);
    }
    for (const { name, socket } of requests) assert.equal(texts(await socket.receive()), [`re ${name}`]);
  });

  it(`empty frames and many frames are the program's own (${transport})`, async () => {
    const { request, reply } = await pair(new Request(), new Reply(), transport);
    for (const message of [[""], ["", ""], ["a", "", "b"], ["", "a"]]) {
      await request.send(message);
      assert.equal(texts(await reply.receive()), message);
      await reply.send(message);
      assert.equal(texts(await request.receive()), message);
    }
  });
}

it("with a timeout, what is out of turn is EFSM", async () => {
  for (const timeout of [0, 10]) {
    const { request, reply } = await pair(
      new Request({ sendTimeout: timeout, receiveTimeout: timeout }),
      new Reply({ sendTimeout: timeout, receiveTimeout: timeout }),
    );
    const isOutOfTurn = async (body: () => Promise<unknown>): Promise<void> => {
      const error = await rejected(body);
      assert.is(error.code, "EFSM");
      assert.is(error.message, OUT_OF_TURN);
    };
    await isOutOfTurn(() => request.receive());
    await isOutOfTurn(() => reply.send("x"));
    assert.is((await rejected(() => reply.receive())).code, "EAGAIN");
    await request.send("1");
    await isOutOfTurn(() => request.send("2"));
    assert.is((await rejected(() => request.receive())).code, "EAGAIN");
    await reply.receive();
    await isOutOfTurn(() => reply.receive());
    await reply.send("re 1");
    await isOutOfTurn(() => reply.send("x"));
    assert.equal(texts(await request.receive()), ["re 1"]);
    await isOutOfTurn(() => request.receive());
  }
});

it("without a timeout, what is out of turn waits for its turn", async () => {
  const { request, reply } = await pair();
  const receiving = request.receive();
  const early = reply.send("re 1");
  assert.ok(await isPending(Promise.race([receiving, early]), 20));
  await request.send("1");
  assert.equal(texts(await reply.receive()), ["1"]);
  await early;
  assert.equal(texts(await receiving), ["re 1"]);

  await request.send("2");
  const third = request.send("3");
  assert.equal(texts(await reply.receive()), ["2"]);
  const next = reply.receive();
  assert.ok(await isPending(Promise.race([third, next]), 20));
  await reply.send("re 2");
  assert.equal(texts(await request.receive()), ["re 2"]);
  await third;
  assert.equal(texts(await next), ["3"]);
});

it("a reply that is waiting when its request arrives goes once", async () => {
  const { request, reply } = await pair();
  const receiving = reply.receive();
  const early = reply.send("re 1");
  await request.send("1");
  assert.equal(texts(await receiving), ["1"]);
  await early;
  assert.equal(texts(await request.receive()), ["re 1"]);
  await request.send("2");
  assert.equal(texts(await reply.receive()), ["2"]);
  await reply.send("re 2");
  assert.equal(texts(await request.receive()), ["re 2"]);
});

it("an early reply does not let a loop lose a request", async () => {
  const reply = sockets.own(new Reply());
  const address = await sockets.bound(reply);
  const requests = [1, 2, 3].map(() => sockets.own(new Request()));
  for (const [i, request] of requests.entries()) {
    request.connect(address);
    await request.send(String(i));
  }
  const early = reply.send("re 0");
  assert.equal(texts(await reply.receive()), ["0"]);
  await early;
  assert.equal(texts(await reply.receive()), ["1"]);
  await reply.send("re 1");
  assert.equal(texts(await reply.receive()), ["2"]);
  await reply.send("re 2");
  for (const [i, request] of requests.entries()) assert.equal(texts(await request.receive()), [`re ${i}`]);
});

it("readable and writable follow the turns", async () => {
  const { request, reply } = await pair();
  const state = (): boolean[] => [request.readable, request.writable, reply.readable, reply.writable];
  assert.equal(state(), [false, true, false, false]);
  await request.send("1");
  assert.equal(state(), [false, false, true, false]);
  await reply.receive();
  assert.equal(state(), [false, false, false, true]);
  await reply.send("re");
  assert.equal(state(), [true, false, false, false]);
  await request.receive();
  assert.equal(state(), [false, true, false, false]);
});

it("sending nothing changes no turn", async () => {
  const { request, reply } = await pair();
  await request.send([]);
  await request.send("1");
  await reply.receive();
  await reply.send([]);
  await reply.send("re");
  assert.equal(texts(await request.receive()), ["re"]);
});

it("without a peer a request waits; a connection counts as a peer at once", async () => {
  const request = sockets.own(new Request({ sendTimeout: 0 }));
  assert.is((await rejected(() => request.send("x"))).code, "EAGAIN");
  request.connect("tcp://127.0.0.1:1");
  await request.send("x");
});

for (const transport of ["tcp", "ipc"] as const) {
  for (const [answersEarly, comesBack] of [
    [true, false],
    [true, true],
    [false, false],
  ]) {
    const who = comesBack ? "is kept for a peer that comes back" : "is not given to another peer";
    const when = answersEarly ? "while nobody is there" : "when that one is there";
    it(`a reply of a connecting REP ${who}, sent ${when} (${transport})`, async () => {
      const reply = sockets.own(new Reply({ reconnectInterval: 20 }));
      const alice = sockets.own(new Dealer({ routingId: "alice" }));
      const address = await sockets.join(alice, reply, transport);
      await alice.send(["", "from alice"]);
      assert.equal(texts(await reply.receive()), ["from alice"]);
      const lost = new Promise((resolve) => reply.events.on("disconnect", resolve));
      const found = new Promise((resolve) =>
        reply.events.on("disconnect", () => reply.events.on("handshake", resolve)),
      );
      alice.close();
      await lost;
      if (answersEarly) await reply.send("for alice");
      const next = sockets.own(new Dealer({ routingId: comesBack ? "alice" : "bob" }));
      await next.bind(address);
      await found;
      if (!answersEarly) await reply.send("for alice");
      await next.send(["", "from the next"]);
      assert.equal(texts(await reply.receive()), ["from the next"]);
      await reply.send("for the next");
      if (comesBack) assert.equal(texts(await next.receive()), ["", "for alice"]);
      assert.equal(texts(await next.receive()), ["", "for the next"]);
    });
  }
}

it("a reply to a peer that is gone is dropped, and the next request answered", async () => {
  const { request, reply } = await pair();
  await request.send("1");
  await reply.receive();
  request.close();
  await turn();
  assert.is(reply.writable, true);
  await reply.send("nobody");
  assert.is(reply.writable, false);
  const other = sockets.own(new Request());
  other.connect(reply.lastEndpoint as string);
  await other.send("2");
  assert.equal(texts(await reply.receive()), ["2"]);
});

it("relaxed: a new request may follow at once; the reply to the latest counts when they are correlated", async () => {
  for (const correlate of [false, true]) {
    const { request, reply } = await pair(new Request({ relaxed: true, correlate }));
    await request.send("1");
    await request.send("2");
    assert.is(request.writable, true);
    for (let i = 0; i < 2; i++) await reply.send(`re ${(await reply.receive())[0]}`);
    assert.equal(texts(await request.receive()), [correlate ? "re 2" : "re 1"]);
    request.receiveTimeout = 0;
    assert.is((await rejected(() => request.receive())).code, "EFSM");
    request.receiveTimeout = -1;
    await request.send("3");
    assert.equal(texts(await reply.receive()), ["3"]);
    await reply.send("re 3");
    assert.equal(texts(await request.receive()), ["re 3"]);
  }
});

it("relaxed: a new request drops the reply that was there", async () => {
  const { request, reply } = await pair(new Request({ relaxed: true }));
  await request.send("1");
  await reply.receive();
  await reply.send("re 1");
  await request.send("2");
  await reply.receive();
  await reply.send("re 2");
  assert.equal(texts(await request.receive()), ["re 2"]);
});

for (const transport of TRANSPORTS) {
  it(`a request stands behind an empty frame, and behind an id when correlated (${transport})`, async () => {
    for (const correlate of [false, true]) {
      const request = sockets.own(new Request({ correlate }));
      const router = sockets.own(new Router());
      await sockets.join(router, request, transport);
      let last: number | undefined;
      for (const body of ["1", "2"]) {
        await request.send(body);
        const [peer, ...frames] = await router.receive();
        assert.is(frames.length, correlate ? 3 : 2);
        if (correlate) {
          assert.is(frames[0].length, 4);
          const id = frames[0].readUInt32LE();
          if (last !== undefined) assert.is(id, (last + 1) >>> 0);
          last = id;
        }
        assert.equal(texts(frames.slice(-2)), ["", body]);
        await router.send([peer, ...frames.slice(0, -1), `re ${body}`]);
        assert.equal(texts(await request.receive()), [`re ${body}`]);
      }
    }
  });

  it(`a reply with another id, or from another peer, is passed over (${transport})`, async () => {
    const request = sockets.own(new Request({ correlate: true }));
    const router = sockets.own(new Router());
    await sockets.join(router, request, transport);
    await request.send("1");
    const [peer, id, empty] = await router.receive();
    await router.send([peer, Buffer.from([1, 2, 3, 4]), empty, "wrong"]);
    await router.send([peer, id, empty, "right"]);
    await router.send([peer, id, empty, "again"]);
    assert.equal(texts(await request.receive()), ["right"]);
    await request.send("2");
    const [, second] = await router.receive();
    await router.send([peer, second, empty, "re 2"]);
    assert.equal(texts(await request.receive()), ["re 2"]);
  });

  it(`the way back may have many frames (${transport})`, async () => {
    const dealer = sockets.own(new Dealer());
    const reply = sockets.own(new Reply());
    await sockets.join(reply, dealer, transport);
    await dealer.send(["id1", "id2", "", "q"]);
    assert.equal(texts(await reply.receive()), ["q"]);
    await reply.send("r");
    assert.equal(texts(await dealer.receive()), ["id1", "id2", "", "r"]);
  });

  it(`a request without an empty frame, or with nothing behind it, is dropped (${transport})`, async () => {
    const dealer = sockets.own(new Dealer());
    const reply = sockets.own(new Reply());
    await sockets.join(reply, dealer, transport);
    await dealer.send(["a", "b"]);
    await dealer.send(["a"]);
    await dealer.send(["", "good"]);
    assert.equal(texts(await reply.receive()), ["good"]);
  });

  it(`probeRouter tells a peer at once, without a word to REP (${transport})`, async () => {
    const router = sockets.own(new Router());
    const probing = sockets.own(new Request({ probeRouter: true }));
    await sockets.join(router, probing, transport);
    const [id, empty, ...rest] = await router.receive();
    assert.ok(id.length > 0);
    assert.is(empty.length, 0);
    assert.is(rest.length, 0);

    const { request, reply } = await pair(new Request({ probeRouter: true }), new Reply(), transport);
    await request.send("x");
    assert.equal(texts(await reply.receive()), ["x"]);
    await reply.send("y");
    assert.equal(texts(await request.receive()), ["y"]);
  });
}

it("the routing id is what ROUTER sees", async () => {
  for (const transport of TRANSPORTS) {
    const router = sockets.own(new Router());
    const request = sockets.own(new Request({ routingId: "me" }));
    await sockets.join(router, request, transport);
    await request.send("x");
    assert.equal(texts(await router.receive()), ["me", "", "x"]);
  }
});

it("a lost peer takes its request along: nothing is sent again, but a reply on the new connection counts", async () => {
  const request = sockets.own(new Request({ reconnectInterval: 10, routingId: "me" }));
  const first = sockets.own(new Router());
  const address = await sockets.join(first, request, "tcp");
  await request.send("1");
  assert.is(String((await first.receive())[2]), "1");
  first.close();
  const second = sockets.own(new Router({ mandatory: true }));
  await eventually(async () =>
    second.bind(address).then(
      () => true,
      () => false,
    ),
  );
  const receiving = request.receive();
  const sent = second.send(["me", "", "re 1"]);
  assert.ok(await isPending(second.receive(), 100));
  await sent;
  assert.equal(texts(await receiving), ["re 1"]);
});

it("a reply of a peer that was not asked is dropped", async () => {
  const request = sockets.own(new Request({ routingId: "me" }));
  const asked = sockets.own(new Router());
  const other = sockets.own(new Router({ mandatory: true }));
  await sockets.join(asked, request);
  await sockets.join(other, request);
  await request.send("1");
  const [, , body] = await asked.receive();
  assert.is(String(body), "1");
  // The other one meets the request's socket only now: the id is known when a send succeeds.
  await eventually(() =>
    other.send(["me", "", "not asked"]).then(
      () => true,
      () => false,
    ),
  );
  const receiving = request.receive();
  assert.ok(await isPending(receiving, 50));
  await asked.send(["me", "", "asked"]);
  assert.equal(texts(await receiving), ["asked"]);
});

for (const transport of TRANSPORTS) {
  it(`a request that comes in while another is answered changes nothing (${transport})`, async () => {
    const reply = sockets.own(new Reply());
    const address = await sockets.bound(reply, transport);
    const [first, second] = [sockets.own(new Request()), sockets.own(new Request())];
    first.connect(address);
    await first.send("1");
    assert.equal(texts(await reply.receive()), ["1"]);
    second.connect(address);
    await second.send("2");
    assert.ok(await isPending(second.receive(), 50));
    await reply.send("re 1");
    assert.equal(texts(await first.receive()), ["re 1"]);
    assert.equal(texts(await reply.receive()), ["2"]);
    await reply.send("re 2");
  });
}

it.run();

import { Context, Dealer, type Event, Request, Router } from "../../src/index.ts";
import { Clock } from "../helpers/clock.ts";
import { drain, joined, next, take } from "../helpers/messages.ts";
import { command, freePort, message, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { rejected, Sockets, TRANSPORTS, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending, turn } from "../helpers/wait.ts";

const it = suite("socket/router");
const sockets = new Sockets(it);
const clock = new Clock(it);

/** READY of a peer that announces an id. */
function ready(type: string, identity: string): Buffer {
  const property = (name: string, value: string): Buffer => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(value.length);
    return Buffer.concat([Buffer.of(name.length), Buffer.from(name), size, Buffer.from(value)]);
  };
  return command("READY", Buffer.concat([property("Socket-Type", type), property("Identity", identity)]));
}

/** A bare DEALER with an id, after its handshake. */
async function rawDealer(address: string, identity: string): Promise<RawPeer> {
  const peer = await RawPeer.connect(address);
  peer.write(Buffer.from(`ff00000000000000017f03014e554c4c${"00".repeat(48)}`, "hex"));
  await peer.read(64);
  peer.write(ready("DEALER", identity));
  await peer.frame();
  return peer;
}

/** A DEALER that announces an id, or none when it is empty. */
function named(id: string | Buffer): Dealer {
  const dealer = sockets.own(new Dealer());
  if (id.length > 0) dealer.routingId = id;
  return dealer;
}

/** Sends to a peer that reads nothing until it takes no more, EAGAIN by sendTimeout; gives how many it took. */
async function fill(router: Router, id: string): Promise<number> {
  const body = Buffer.alloc(500_000);
  router.sendTimeout = 50;
  clock.stop();
  for (let taken = 0; ; taken++) {
    const sending = router.send([id, String(taken), body]);
    // The kernel may find room yet, after a while.
    if (!(await isPending(sending, 200))) continue;
    const refused = rejected(() => sending);
    await clock.advance(50);
    assert.is((await refused).code, "EAGAIN");
    clock.release();
    router.sendTimeout = -1;
    assert.ok(taken >= 2);
    return taken;
  }
}

for (const transport of TRANSPORTS) {
  it(`anonymous and named peers, each by its id (${transport})`, async () => {
    const router = sockets.own(new Router());
    const address = await sockets.bound(router, transport);
    const named = ["Ann", "Bob"].map((routingId) => sockets.own(new Dealer({ routingId })));
    const anonymous = [0, 1].map(() => sockets.own(new Dealer()));
    for (const dealer of [...named, ...anonymous]) {
      dealer.connect(address);
      await dealer.send(["hello", ""]);
    }
    const ids = new Map<string, Buffer>();
    for (let i = 0; i < 4; i++) {
      const [id, ...rest] = await router.receive();
      assert.is(joined(rest), "hello|");
      ids.set(id.toString("latin1"), id);
    }
    const generated = [...ids.values()].filter((id) => id[0] === 0);
    assert.equal(
      generated.map((id) => id.length),
      [5, 5],
    );
    const [low, high] = generated.map((id) => id.readUInt32BE(1)).sort((a, b) => a - b);
    assert.is((low + 1) % 2 ** 32 === high || high - low === 2 ** 32 - 1, true);
    assert.ok(ids.has("Ann") && ids.has("Bob"));
    for (const [text, id] of ids) await router.send([id, "for", text]);
    assert.is(await next(named[0]), "for|Ann");
    assert.is(await next(named[1]), "for|Bob");
    for (const dealer of anonymous) assert.match(await next(dealer), /^for\|\0/);
    // One of them is gone: the others are still reached.
    named[0].close();
    await router.send(["Bob", "again"]);
    assert.is(await next(named[1]), "again");
  });

  it(`without mandatory, what cannot be delivered is dropped (${transport})`, async () => {
    const router = sockets.own(new Router({ sendHighWaterMark: 5 }));
    await router.send(["nobody", "x"]);
    await router.send("an id alone");
    assert.ok(router.writable);
    const dealer = sockets.own(new Dealer({ routingId: "d", receiveHighWaterMark: 5 }));
    await sockets.join(router, dealer, transport);
    await dealer.send("x");
    await router.receive();
    await router.send("d");
    const body = Buffer.alloc(1_000_000);
    for (let i = 0; i < 100; i++) {
      await router.send(["d", String(i), body]);
      if (i % 10 === 9) await turn();
    }
    const got = (await drain(dealer)).map((text) => Number(text.slice(0, text.indexOf("|"))));
    assert.ok(got.length < 100, String(got.length));
    assert.equal(
      got,
      got.slice().sort((a, b) => a - b),
    );
    assert.is(got[0], 0);
  });

  it(`mandatory: an id that nobody has is EHOSTUNREACH (${transport})`, async () => {
    const router = sockets.own(new Router({ mandatory: true }));
    const address = await sockets.bound(router, transport);
    const early = rejected(() => router.send(["a", "x"]));
    assert.ok(await isPending(early), "with no peer at all it waits for one");
    const other = sockets.own(new Dealer({ routingId: "b" }));
    other.connect(address);
    assert.equal([(await early).code, (await early).message], ["EHOSTUNREACH", "Host unreachable"]);
    for (const sendTimeout of [-1, 0, 50]) {
      router.sendTimeout = sendTimeout;
      assert.is((await rejected(() => router.send(["a", "x"]))).code, "EHOSTUNREACH");
    }
    await router.send("an id alone is dropped");
    await router.send(["b", "reaches"]);
    assert.is(await next(other), "reaches");
    assert.is(
      await router.sendMany([
        ["b", "1"],
        ["b", "2"],
        ["a", "3"],
        ["b", "4"],
      ]),
      2,
    );
    assert.equal(await take(other, 2), ["1", "2"]);
  });

  it(`mandatory: with no peer a send waits for its own (${transport})`, async () => {
    const router = sockets.own(new Router({ mandatory: true }));
    const address = await sockets.bound(router, transport);
    const sending = router.send(["a", "x"]);
    const dealer = sockets.own(new Dealer({ routingId: "a" }));
    dealer.connect(address);
    await sending;
    assert.is(await next(dealer), "x");
    dealer.close();
    await eventually(async () => !router.writable);
    router.sendTimeout = 30;
    assert.is((await rejected(() => router.send(["a", "x"]))).code, "EHOSTUNREACH");
    router.sendTimeout = -1;
    const pending = rejected(() => router.send(["a", "x"]));
    router.close();
    assert.is((await pending).code, "EHOSTUNREACH");
  });

  it(`mandatory waits for a full peer; EAGAIN by sendTimeout, EHOSTUNREACH if it goes (${transport})`, async () => {
    const router = sockets.own(new Router({ mandatory: true, sendHighWaterMark: 2 }));
    const address = await sockets.bound(router, transport);
    const full = sockets.own(new Dealer({ routingId: "full", receiveHighWaterMark: 2 }));
    const free = sockets.own(new Dealer({ routingId: "free" }));
    full.connect(address);
    free.connect(address);
    await full.send("");
    await free.send("");
    await take(router, 2);
    const taken = await fill(router, "full");
    await router.send(["free", "others go on"]);
    assert.is(await next(free), "others go on");

    const waiting = router.send(["full", String(taken)]);
    assert.ok(await isPending(waiting, 30));
    for (let i = 0; i <= taken; i++) assert.is(String((await full.receive())[0]), String(i));
    await waiting;

    await fill(router, "full");
    const lost = router.send(["full", "z"]).catch((reason) => reason);
    assert.ok(await isPending(lost, 30));
    full.close();
    assert.is(((await lost) as NodeJS.ErrnoException).code, "EHOSTUNREACH");
  });

  it(`a second peer with the id is refused with an event (${transport})`, async () => {
    const router = sockets.own(new Router());
    const address = await sockets.bound(router, transport);
    const refused = new Promise<Event>((resolve) => router.events.on("handshake:error:other", resolve));
    const first = sockets.own(new Dealer({ routingId: "same" }));
    first.connect(address);
    await first.send("first");
    assert.is(await next(router), "same|first");
    const second = sockets.own(new Dealer({ routingId: "same", reconnectInterval: 2000 }));
    second.connect(address);
    const event = (await refused) as Extract<Event, { type: "handshake:error:other" }>;
    assert.equal([event.error.code, event.address], ["EADDRINUSE", address]);
    await router.send(["same", "x"]);
    assert.is(await next(first), "x");
    assert.equal(await drain(second, 50), []);
  });

  it(`with handover the new peer gets the id, and what the old one sent can be read (${transport})`, async () => {
    const router = sockets.own(new Router({ handover: true, mandatory: true }));
    const address = await sockets.bound(router, transport);
    const first = sockets.own(new Dealer({ routingId: "same", reconnectInterval: 5000 }));
    first.connect(address);
    await first.send("from the first");
    await eventually(() => router.readable);
    const gone = new Promise((resolve) => first.events.on("disconnect", resolve));
    const second = sockets.own(new Dealer({ routingId: "same" }));
    second.connect(address);
    await second.send("from the second");
    // There are no events of inproc: asked is who gets what is sent to the id.
    if (transport !== "inproc") await gone;
    await eventually(async () => {
      await router.send(["same", "x"]);
      return second.readable;
    });
    // An id that ROUTER made may hold any octet, also that of the separator.
    const got = new Map((await take(router, 2)).map((text) => text.split(/\|(?=from)/).reverse() as [string, string]));
    assert.is(got.get("from the second"), "same");
    assert.match(got.get("from the first") as string, /^\0/);
    assert.is(await next(second), "x");
  });

  it(`routerNotify tells who comes and goes, disconnectMessage who goes (${transport})`, async () => {
    const router = sockets.own(new Router({ routerNotify: 3, disconnectMessage: "gone" }));
    const address = await sockets.bound(router, transport);
    const dealer = sockets.own(new Dealer({ routingId: "d" }));
    dealer.connect(address);
    assert.is(await next(router), "d|");
    await dealer.send("x");
    assert.is(await next(router), "d|x");
    dealer.close();
    assert.equal(await take(router, 2), ["d|", "d|gone"]);
  });

  it(`connect with routingId: the peer is known by that at once (${transport})`, async () => {
    const router = sockets.own(new Router({ mandatory: true }));
    const dealer = sockets.own(new Dealer({ routingId: "its own name" }));
    const address = await sockets.bound(dealer, transport);
    router.connect(address, { routingId: "mine" });
    await router.send(["mine", "x"]);
    assert.is(await next(dealer), "x");
    await dealer.send("y");
    assert.is(await next(router), "mine|y");
    assert.is(thrown(() => router.connect(address, { routingId: "mine" })).code, "EADDRINUSE");
    // The same by number, for one connection.
    router.setStringOption(61, "second");
    router.connect(address);
    await router.send(["second", "z"]);
    assert.is(await next(dealer), "z");
    router.connect(address);
    await dealer.send("1");
    await dealer.send("2");
    await dealer.send("3");
    assert.equal(
      (await take(router, 3))
        .map((text) => text.split("|")[0])
        .sort()
        .slice(1),
      ["mine", "second"],
    );
  });
}

for (const transport of TRANSPORTS) {
  for (const handover of [true, false]) {
    it(`a generated id is open to nobody, even without its peer (${transport}, handover ${handover})`, async () => {
      const router = sockets.own(new Router({ handover, mandatory: true }));
      const refusals: string[] = [];
      router.events.on("handshake:error:other", ({ error }) => refusals.push(error.code));
      const address = await sockets.bound(router, transport);
      // With a peer left, an id that nobody has is told at once.
      const other = sockets.own(new Dealer({ routingId: "other" }));
      other.connect(address);
      const anonymous = sockets.own(new Dealer());
      anonymous.connect(address);
      await anonymous.send("question");
      const [id] = await router.receive();
      const first = named(id);
      first.connect(address);
      await eventually(() => refusals.length >= 1);
      await router.send([id, "answer"]);
      assert.is(await next(anonymous), "answer");
      anonymous.close();
      const isGone = (): Promise<boolean> =>
        router.send([id, "nobody's"]).then(
          () => false,
          (error) => error.code === "EHOSTUNREACH",
        );
      await eventually(isGone);
      first.close();
      const before = refusals.length;
      const second = named(id);
      second.connect(address);
      await eventually(() => refusals.length > before);
      assert.ok(refusals.every((code) => code === "EADDRINUSE"));
      assert.ok(await isGone());
      assert.is(second.readable, false);
    });
  }

  it(`an id that the program gave to a connection is open to no announcement (${transport})`, async () => {
    const router = sockets.own(new Router({ handover: true, mandatory: true }));
    const refused = new Promise<Event>((resolve) => router.events.on("handshake:error:other", resolve));
    const address = await sockets.bound(router, transport);
    const mine = sockets.own(new Dealer({ routingId: "mine" }));
    router.connect(await sockets.bound(mine, transport), { routingId: "mine" });
    await router.send(["mine", "1"]);
    assert.is(await next(mine), "1");
    const stranger = sockets.own(new Dealer({ routingId: "mine", reconnectInterval: 100_000 }));
    stranger.connect(address);
    assert.is(((await refused) as Extract<Event, { type: "handshake:error:other" }>).error.code, "EADDRINUSE");
    await router.send(["mine", "2"]);
    assert.is(await next(mine), "2");
    assert.is(stranger.readable, false);
  });

  it(`ids that peers chose stay theirs to hand over, also those that look generated (${transport})`, async () => {
    const router = sockets.own(new Router({ handover: true }));
    const address = await sockets.bound(router, transport);
    for (const id of ["name", "\0", "\0name", "\0\0\0\0\0", "\0".repeat(255)]) {
      for (const text of ["first", "second"]) {
        const peer = named(id);
        peer.connect(address);
        await peer.send(text);
        assert.is(await next(router), `${id}|${text}`);
        await router.send([id, text]);
        assert.is(await next(peer), text);
      }
    }
  });
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`a connecting ROUTER keeps the id over a reconnect, and what waits (${transport})`, async () => {
    const router = sockets.own(new Router({ reconnectInterval: 20, mandatory: true }));
    const dealer = sockets.own(new Dealer());
    const address = await sockets.bound(dealer, transport);
    router.connect(address, { routingId: "peer" });
    await router.send(["peer", "1"]);
    assert.is(await next(dealer), "1");
    let isGone = false;
    router.events.on("disconnect", () => {
      isGone = true;
    });
    dealer.close();
    await eventually(() => isGone);
    await router.send(["peer", "2"]);
    const later = sockets.own(new Dealer({ routingId: "another name" }));
    await later.bind(address);
    assert.is(await next(later), "2");
    await later.send("3");
    assert.is(await next(router), "peer|3");
  });

  it(`who answers at a connected endpoint is known by their own id, with what is theirs (${transport})`, async () => {
    const router = sockets.own(new Router({ reconnectInterval: 20, mandatory: true }));
    let losses = 0;
    router.events.on("disconnect", () => losses++);
    let address = sockets.address(transport);
    const long = "l".repeat(255);
    const ids = ["alice", "bob", "alice", "", "carol", "", "\0carol", long, `${long.slice(1)}m`, "alice"];
    const former: string[] = [];
    let unread: string[] = [];
    for (const [round, id] of ids.entries()) {
      const peer = named(id);
      await peer.bind(address);
      if (round === 0) {
        address = peer.lastEndpoint as string;
        router.connect(address);
      }
      await peer.send("hello");
      // What the former one sent is still theirs.
      assert.equal(await take(router, unread.length), unread);
      const [label, text] = await router.receive();
      const name = label.toString("latin1");
      assert.is(String(text), "hello");
      if (id === "") assert.equal([label.length, label[0]], [5, 0]);
      else assert.is(name, id);
      for (const other of former) {
        if (other === name) continue;
        assert.is((await rejected(() => router.send([Buffer.from(other, "latin1"), "x"]))).code, "EHOSTUNREACH");
      }
      await router.send([label, `for ${round}`]);
      assert.is(await next(peer), `for ${round}`);
      await peer.send("unread");
      await eventually(() => router.readable);
      peer.close();
      await eventually(() => losses === round + 1);
      await router.send([label, "too late"]);
      unread = [`${name}|unread`];
      former.push(name);
    }
  });

  it(`a peer that comes back to its endpoint keeps its id and what waits for it (${transport})`, async () => {
    for (const id of ["alice", "\0alice", "a".repeat(255), ""]) {
      const router = sockets.own(new Router({ reconnectInterval: 20, mandatory: true }));
      let losses = 0;
      router.events.on("disconnect", () => losses++);
      let address = sockets.address(transport);
      let label: Buffer | undefined;
      for (let round = 0; round < 4; round++) {
        const peer = named(id);
        await peer.bind(address);
        if (round === 0) {
          address = peer.lastEndpoint as string;
          router.connect(address);
        } else {
          assert.is(await next(peer), `kept ${round}`);
        }
        await peer.send("hello");
        const [from] = await router.receive();
        assert.is(from.toString("latin1"), (label ?? from).toString("latin1"));
        label = from;
        peer.close();
        await eventually(() => losses === round + 1);
        await router.send([label, `kept ${round + 1}`]);
      }
    }
  });

  it(`a send that waits for a peer fails when another one answers (${transport})`, async () => {
    const router = sockets.own(new Router({ reconnectInterval: 20, mandatory: true, sendHighWaterMark: 1 }));
    const alice = sockets.own(new Dealer({ routingId: "alice" }));
    const address = await sockets.join(alice, router, transport);
    await alice.send("hello");
    assert.is(await next(router), "alice|hello");
    const lost = new Promise((resolve) => router.events.on("disconnect", resolve));
    alice.close();
    await lost;
    await router.send(["alice", "1"]);
    const waiting = rejected(() => router.send(["alice", "2"]));
    const bob = sockets.own(new Dealer({ routingId: "bob" }));
    await bob.bind(address);
    assert.is((await waiting).code, "EHOSTUNREACH");
    await eventually(() =>
      router.send(["bob", "3"]).then(
        () => true,
        () => false,
      ),
    );
    assert.is(await next(bob), "3");
  });

  it(`what an endpoint that was given up still has for one peer is not sent to another (${transport})`, async () => {
    const router = sockets.own(new Router({ reconnectInterval: 20 }));
    const alice = sockets.own(new Dealer({ routingId: "alice" }));
    const address = await sockets.join(alice, router, transport);
    await alice.send("hello");
    assert.is(await next(router), "alice|hello");
    const lost = new Promise((resolve) => router.events.on("disconnect", resolve));
    alice.close();
    await lost;
    await router.send(["alice", "for her alone"]);
    router.disconnect(address);
    const bob = sockets.own(new Dealer({ routingId: "bob" }));
    const left = new Promise((resolve) => bob.events.on("disconnect", resolve));
    await bob.bind(address);
    await left;
    assert.is(bob.readable, false);
  });

  for (const elsewhere of TRANSPORTS) {
    it(`a peer whose endpoint is down may come elsewhere for what waits (${transport}, ${elsewhere})`, async () => {
      const router = sockets.own(new Router({ reconnectInterval: 20, mandatory: true, helloMessage: "welcome" }));
      const here = await sockets.bound(router, elsewhere);
      const refusals: string[] = [];
      router.events.on("handshake:error:other", ({ error }) => refusals.push(error.code));
      const alice = sockets.own(new Dealer({ routingId: "alice" }));
      const there = await sockets.join(alice, router, transport);
      await alice.send("hello");
      assert.is(await next(router), "alice|hello");
      await alice.send("unread");
      await eventually(() => router.readable);
      const lost = new Promise((resolve) => router.events.on("disconnect", resolve));
      alice.close();
      await lost;
      const large = "x".repeat(100_000);
      for (const text of [large, "two"]) await router.send(["alice", text]);

      const moved = sockets.own(new Dealer({ routingId: "alice" }));
      moved.connect(here);
      await moved.send("I am here");
      assert.equal(await take(router, 2), ["alice|unread", "alice|I am here"]);
      await router.send(["alice", "three"]);
      // Over inproc nothing is encoded, so what was cannot go over.
      const waited = elsewhere === "inproc" ? [] : [large, "two"];
      assert.equal(await take(moved, waited.length + 2), ["welcome", ...waited, "three"]);

      // At the endpoint she is a second one now; another peer is welcome.
      const second = sockets.own(new Dealer({ routingId: "alice" }));
      await second.bind(there);
      await eventually(() => refusals.length > 0);
      assert.is(refusals[0], "EADDRINUSE");
      second.close();
      const bob = sockets.own(new Dealer({ routingId: "bob" }));
      await bob.bind(there);
      await bob.send("hello");
      assert.is(await next(router), "bob|hello");
      assert.is(await next(bob), "welcome");
      for (const [name, peer] of [
        ["alice", moved],
        ["bob", bob],
      ] as const) {
        await router.send([name, `for ${name}`]);
        assert.is(await next(peer), `for ${name}`);
      }
      // And she may come back to it when she has left the other place.
      bob.close();
      moved.close();
      const back = sockets.own(new Dealer({ routingId: "alice" }));
      await back.bind(there);
      await back.send("back");
      assert.is(await next(router), "alice|back");
      await router.send(["alice", "home"]);
      assert.equal(await take(back, 2), ["welcome", "home"]);
    });
  }

  it(`an id given to an endpoint with immediate is not open while nobody is there (${transport})`, async () => {
    const router = sockets.own(new Router({ reconnectInterval: 20, immediate: true, handover: true, mandatory: true }));
    const here = await sockets.bound(router, transport);
    const there = sockets.address(transport).replace("*", String(await freePort()));
    router.connect(there, { routingId: "mine" });
    assert.is(thrown(() => router.connect(there, { routingId: "mine" })).code, "EADDRINUSE");
    const refused = new Promise<Event>((resolve) => router.events.on("handshake:error:other", resolve));
    const stranger = sockets.own(new Dealer({ routingId: "mine" }));
    stranger.connect(here);
    assert.is(((await refused) as Extract<Event, { type: "handshake:error:other" }>).error.code, "EADDRINUSE");
    const peer = sockets.own(new Dealer({ routingId: "its own" }));
    await peer.bind(there);
    await peer.send("hello");
    assert.is(await next(router), "mine|hello");
    await router.send(["mine", "x"]);
    assert.is(await next(peer), "x");
    // Given up, the id is anybody's.
    router.disconnect(there);
    await stranger.send("now");
    assert.is(await next(router), "mine|now");
  });

  it(`a peer that leaves in the middle of a multipart is not heard, others are (${transport})`, async () => {
    const router = sockets.own(new Router());
    const address = await sockets.bound(router, transport);
    const half = await rawDealer(address, "half");
    const whole = await rawDealer(address, "whole");
    const all = message("one", "two", "three");
    half.write(message("before"), all.subarray(0, all.length - 3));
    assert.is(await next(router), "half|before");
    half.destroy();
    whole.write(all);
    assert.is(await next(router), "whole|one|two|three");
    // The id is free again, and nothing of the half is left in front.
    await eventually(async () => {
      const again = await rawDealer(address, "half");
      again.send("again");
      return again.answered().then(
        () => true,
        () => false,
      );
    });
    assert.match((await take(router, 1))[0], "half|again");
  });
}

it("handover of a half-dead connection: the new peer is served at once", async () => {
  const router = sockets.own(new Router({ handover: true, mandatory: true, sendHighWaterMark: 2 }));
  const address = await sockets.bound(router, "tcp");
  const dead = await rawDealer(address, "id");
  dead.send("alive");
  assert.is(await next(router), "id|alive");
  // It reads nothing any more: its pipe fills up, and a send waits.
  dead.socket.pause();
  await fill(router, "id");
  const waiting = router.send(["id", "waited"]);
  assert.ok(await isPending(waiting, 30));
  const heir = sockets.own(new Dealer({ routingId: "id" }));
  heir.connect(address);
  await waiting;
  await router.send(["id", "next"]);
  assert.equal(await take(heir, 2), ["waited", "next"]);
  dead.destroy();
});

it("2,000 peers: sending to one looks at no other", async () => {
  const context = new Context({ maxSockets: 3000 });
  const router = sockets.own(new Router({ context, mandatory: true }));
  await router.bind("inproc://many");
  const dealers = Array.from({ length: 2000 }, (_, i) => {
    const dealer = sockets.own(new Dealer({ context, routingId: `d${i}` }));
    dealer.connect("inproc://many");
    return dealer;
  });
  // Each gets its own, whatever the others do; that it costs the same with one peer is for a benchmark to say.
  for (let i = 0; i < 2000; i += 2) await router.send([`d${i}`, String(i)]);
  for (let i = 0; i < 2000; i++) {
    if (i % 2 === 0) assert.is(await next(dealers[i]), String(i));
    else assert.not(dealers[i].readable);
  }
  await dealers[1999].send("last");
  assert.is(await next(router), "d1999|last");
});

it("REQ is addressed through its envelope", async () => {
  const router = sockets.own(new Router());
  const request = sockets.own(new Request({ routingId: "r" }));
  await sockets.join(router, request, "tcp");
  await request.send("q");
  assert.is(await next(router), "r||q");
  await router.send(["r", "", "a"]);
  assert.is(await next(request), "a");
});

it("a probe comes over an outgoing connection, once for each", async () => {
  const server = await RawServer.listen();
  const router = sockets.own(new Router({ probeRouter: true }));
  router.connect(server.address);
  const peer = await server.accept();
  await peer.handshake("ROUTER");
  assert.equal(await peer.message(), [""]);
  await server.close();
});

it.run();

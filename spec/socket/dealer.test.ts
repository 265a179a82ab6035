import { Dealer, Reply, Router } from "../../src/index.ts";
import { drain, next, take } from "../helpers/messages.ts";
import { rejected, Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending } from "../helpers/wait.ts";

const it = suite("socket/dealer");
const sockets = new Sockets(it);

for (const transport of TRANSPORTS) {
  it(`messages go to the peers in turn, and come from them in turn (${transport})`, async () => {
    const dealer = sockets.own(new Dealer());
    const address = await sockets.bound(dealer, transport);
    const peers = [0, 1, 2].map(() => sockets.own(new Dealer()));
    for (const [i, peer] of peers.entries()) {
      peer.connect(address);
      await peer.send(`here ${i}`);
    }
    assert.equal((await take(dealer, 3)).sort(), ["here 0", "here 1", "here 2"]);

    for (let i = 0; i < 9; i++) await dealer.send(["m", String(i)]);
    const turns = [];
    for (const peer of peers) turns.push((await take(peer, 3)).map((text) => Number(text.slice(2))));
    assert.equal(turns.flat().sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (const [a, b, c] of turns) assert.equal([b - a, c - b], [3, 3]);

    for (const [i, peer] of peers.entries()) for (let n = 0; n < 3; n++) await peer.send(String(i));
    await Promise.all(peers.map((peer) => eventually(() => peer.writable)));
    // All are waiting before the first is read.
    await eventually(() => dealer.readable);
    await isPending(new Promise(() => {}), 50);
    const order = await take(dealer, 9);
    for (let i = 0; i < 9; i += 3) assert.equal(order.slice(i, i + 3).sort(), ["0", "1", "2"], order.join());
  });

  it(`a send waits without a peer and at the mark, and nothing is lost (${transport})`, async () => {
    const dealer = sockets.own(new Dealer({ sendHighWaterMark: 2, sendTimeout: 0 }));
    const address = await sockets.bound(dealer, transport);
    assert.is((await rejected(() => dealer.send("nobody"))).code, "EAGAIN");
    dealer.sendTimeout = -1;
    const first = dealer.send("0");
    assert.ok(await isPending(first));
    const peer = sockets.own(new Dealer({ receiveHighWaterMark: 2 }));
    peer.connect(address);
    await first;
    const body = Buffer.alloc(3_000_000);
    let sent = 1;
    for (; sent < 100; sent++) {
      const sending = dealer.send([String(sent), body]);
      if (await isPending(sending, 50)) {
        const received = [];
        while (received.length <= sent) received.push(String((await peer.receive())[0]));
        await sending;
        assert.equal(
          received,
          Array.from({ length: sent + 1 }, (_, i) => String(i)),
        );
        return;
      }
    }
    assert.unreachable("it never waited");
  });

  it(`close ends what is pending: EAGAIN (${transport})`, async () => {
    const dealer = sockets.own(new Dealer());
    await sockets.bound(dealer, transport);
    const sending = rejected(() => dealer.send("x"));
    const receiving = rejected(() => dealer.receive());
    dealer.close();
    assert.is((await sending).code, "EAGAIN");
    assert.is((await receiving).code, "EAGAIN");
  });

  it(`talks to REP with an envelope of its own (${transport})`, async () => {
    const dealer = sockets.own(new Dealer());
    const reply = sockets.own(new Reply());
    await sockets.join(reply, dealer, transport);
    await dealer.send(["no delimiter"]);
    await dealer.send(["way", "back", "", "q"]);
    assert.is(await next(reply), "q");
    await reply.send("r");
    assert.is(await next(dealer), "way|back||r");
  });

  it(`each connection starts with the hello message, probeRouter comes once for each pipe (${transport})`, async () => {
    const router = sockets.own(new Router());
    const address = await sockets.bound(router, transport);
    const dealer = sockets.own(new Dealer({ routingId: "d", helloMessage: "hello", probeRouter: true }));
    dealer.connect(address);
    await dealer.send("first");
    assert.equal(await take(router, 3), ["d|hello", "d|", "d|first"]);
  });
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`what waits is sent to the next peer, behind the hello message (${transport})`, async () => {
    const options = { reconnectInterval: 20, helloMessage: "hello", hiccupMessage: "hiccup" };
    const dealer = sockets.own(new Dealer(options));
    const router = sockets.own(new Router());
    const address = await sockets.join(router, dealer, transport);
    await dealer.send("1");
    assert.equal(
      (await take(router, 2)).map((text) => text.slice(6)),
      ["hello", "1"],
    );
    router.close();
    assert.is(await next(dealer), "hiccup");
    await dealer.send("2");
    await dealer.send("3");
    const later = sockets.own(new Router());
    await later.bind(address);
    assert.equal(
      (await take(later, 3)).map((text) => text.slice(6)),
      ["hello", "2", "3"],
    );
  });
}

it("its own disconnect is no hiccup", async () => {
  for (const transport of TRANSPORTS) {
    const dealer = sockets.own(new Dealer({ hiccupMessage: "hiccup" }));
    const peer = sockets.own(new Dealer());
    const address = await sockets.join(peer, dealer, transport);
    await dealer.send("x");
    await next(peer);
    dealer.disconnect(address);
    assert.equal(await drain(dealer, 50), []);
  }
});

it("connect to the same address again changes nothing", async () => {
  const dealer = sockets.own(new Dealer());
  const peer = sockets.own(new Dealer());
  const address = await sockets.join(peer, dealer, "tcp");
  dealer.connect(address);
  for (let i = 0; i < 4; i++) await dealer.send(String(i));
  assert.equal(await take(peer, 4), ["0", "1", "2", "3"]);
  dealer.disconnect(address);
  assert.is((await rejected(async () => dealer.disconnect(address))).code, "ENOENT");
});

it.run();

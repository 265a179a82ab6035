/**
 * RFC 28 "Request-Reply", clause by clause: REQ, REP, DEALER and ROUTER against raw peers.
 *
 * Not followed, like libzmq: what DEALER and ROUTER have received of a peer that disconnects stays readable; the RFC
 * has it discarded.
 */
import { Dealer, type Readable, Reply, Request, Router } from "zmtp";
import { next, take } from "../helpers/messages.ts";
import { rejected, Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { isPending } from "../helpers/wait.ts";
import { balancingClauses, fill, gone, happened, Raw, sendingClauses } from "./peers.ts";

const it = suite("rfc/28-reqrep");
const sockets = new Sockets(it);
const raw = new Raw(it);

const FRAMES = [Buffer.alloc(0), Buffer.from([0, 255, 10]), Buffer.alloc(70_000, 7), Buffer.alloc(0)];
const TEXTS = FRAMES.map(String);

async function code(action: () => Promise<unknown>): Promise<string | undefined> {
  return (await rejected(action)).code;
}

it("REQ asks any number of REP and ROUTER peers, in turn", async () => {
  const request = sockets.own(new Request());
  const [reply] = await raw.join(request, "REP", "");
  const [router] = await raw.join(request, "ROUTER", "");
  for (const peer of [reply, router, reply, router]) {
    await request.send("q");
    assert.equal(await peer.message(), ["", "q"]);
    peer.send("", "r");
    assert.is(await next(request), "r");
  }
});

it("REQ sends and then receives one message at a time", async () => {
  const request = sockets.own(new Request({ sendTimeout: 0, receiveTimeout: 0 }));
  const [peer] = await raw.join(request, "REP", "");
  assert.is(await code(() => request.receive()), "EFSM");
  await request.send("1");
  assert.is(await code(() => request.send("2")), "EFSM");
  assert.equal(await peer.message(), ["", "1"]);
  peer.send("", "re 1");
  request.receiveTimeout = -1;
  assert.is(await next(request), "re 1");
  await request.send("3");
  assert.equal(await peer.message(), ["", "3"]);
});

it("REQ puts an empty delimiter in front of what it sends, and takes it off what it receives", async () => {
  const request = sockets.own(new Request());
  const [peer] = await raw.join(request, "REP", "");
  await request.send(FRAMES);
  assert.equal(await peer.message(), ["", ...TEXTS]);
  peer.send("", ...FRAMES);
  assert.equal(await request.receive(), FRAMES);
});

it("REQ waits, or says EAGAIN when it may not, while it has no peer; the request is not lost", async () => {
  const request = sockets.own(new Request({ sendTimeout: 0 }));
  assert.is(await code(() => request.send("refused")), "EAGAIN");
  request.sendTimeout = -1;
  const waiting = request.send("waits");
  assert.ok(await isPending(waiting, 20));
  const [peer] = await raw.join(request, "REP", "");
  await waiting;
  assert.equal(await peer.message(), ["", "waits"]);
});

it("REQ takes the reply of the peer that it asked only, and drops what others send without a word", async () => {
  const request = sockets.own(new Request());
  const peers = await raw.join(request, "REP", "", "");
  await request.send("1");
  assert.equal(await peers[0].message(), ["", "1"]);
  peers[1].send("", "not asked");
  await peers[1].answered();
  peers[0].send("", "asked");
  assert.is(await next(request), "asked");
  await request.send("2");
  assert.equal(await peers[1].message(), ["", "2"], "the connection is still there");
  peers[1].send("", "asked now");
  assert.is(await next(request), "asked now");
});

it("REP answers any number of REQ and DEALER peers, each its own request", async () => {
  const reply = sockets.own(new Reply());
  const [request] = await raw.join(reply, "REQ", "");
  const [dealer] = await raw.join(reply, "DEALER", "");
  for (const [peer, name] of [
    [request, "a"],
    [dealer, "b"],
  ] as const) {
    peer.send("", name);
    await peer.answered();
  }
  for (let i = 0; i < 2; i++) await reply.send(`re ${await next(reply)}`);
  assert.equal(
    [await request.message(), await dealer.message()],
    [
      ["", "re a"],
      ["", "re b"],
    ],
  );
});

it("REP receives and then sends one message at a time", async () => {
  const reply = sockets.own(new Reply({ sendTimeout: 0 }));
  const [peer] = await raw.join(reply, "REQ", "");
  assert.is(await code(() => reply.send("nobody asked")), "EFSM");
  peer.send("", "1");
  assert.is(await next(reply), "1");
  reply.receiveTimeout = 0;
  assert.is(await code(() => reply.receive()), "EFSM");
  await reply.send("re 1");
  assert.equal(await peer.message(), ["", "re 1"]);
});

it("REP changes only the envelope: none, one or many frames and the delimiter come off and go back on", async () => {
  const reply = sockets.own(new Reply());
  const [peer] = await raw.join(reply, "DEALER", "");
  for (const envelope of [[], ["id"], ["id1", "id2", "id3"]]) {
    peer.send(...envelope, "", ...FRAMES);
    assert.equal(await reply.receive(), FRAMES);
    await reply.send(FRAMES);
    assert.equal(await peer.message(), [...envelope, "", ...TEXTS]);
  }
});

it("REP drops the reply to a peer that has gone, and answers the next", async () => {
  const reply = sockets.own(new Reply());
  const [first] = await raw.join(reply, "REQ", "");
  first.send("", "1");
  await next(reply);
  await gone(reply, first);
  await reply.send("nobody hears it");
  const [second] = await raw.join(reply, "REQ", "");
  second.send("", "2");
  assert.is(await next(reply), "2");
  await reply.send("re 2");
  assert.equal(await second.message(), ["", "re 2"]);
});

it("REP never waits to send: the reply to a peer that reads nothing is dropped when its queue is full", async () => {
  const reply = sockets.own(new Reply({ sendHighWaterMark: 1 }));
  const [slow, quick] = await raw.join(reply, "DEALER", "", "");
  slow.socket.pause();
  const body = Buffer.alloc(3_000_000);
  for (let i = 0; i < 10; i++) {
    slow.send("", String(i));
    await reply.receive();
    await reply.send(body);
  }
  quick.send("", "q");
  assert.is(await next(reply), "q");
  await reply.send("r");
  assert.equal(await quick.message(), ["", "r"]);
});

const dealer = { sockets, raw, name: "DEALER", peer: "ROUTER", create: (options = {}) => new Dealer(options) } as const;
sendingClauses(it, dealer);
balancingClauses(it, dealer);

it("DEALER talks to any number of REP and ROUTER peers, and changes nothing that it receives", async () => {
  const socket = sockets.own(new Dealer());
  const [reply] = await raw.join(socket, "REP", "");
  const [router] = await raw.join(socket, "ROUTER", "");
  for (const peer of [reply, router]) {
    await socket.send(["", "q"]);
    assert.equal(await peer.message(), ["", "q"]);
    peer.send(...FRAMES);
    assert.equal(await socket.receive(), FRAMES);
  }
});

it("ROUTER talks to REQ, DEALER and ROUTER peers, each by its id, and changes nothing but that frame", async () => {
  const router = sockets.own(new Router());
  for (const type of ["REQ", "DEALER", "ROUTER"] as const) {
    const [peer] = await raw.join(router, type, `a ${type}`);
    peer.send(...FRAMES);
    assert.equal((await router.receive()).map(String), [`a ${type}`, ...TEXTS]);
    await router.send([`a ${type}`, ...FRAMES]);
    assert.equal(await peer.message(), TEXTS);
  }
});

it("ROUTER gives each peer that announces none an id of its own", async () => {
  const router = sockets.own(new Router());
  const peers = await raw.join(router, "DEALER", "", "", "");
  const ids = new Set<string>();
  for (const [i, peer] of peers.entries()) {
    peer.send(String(i));
    const [id, text] = await router.receive();
    assert.is(String(text), String(i));
    ids.add(id.toString("hex"));
    await router.send([id, `re ${i}`]);
    assert.equal(await peer.message(), [`re ${i}`]);
  }
  assert.is(ids.size, 3);
});

it("ROUTER has a queue from connect() on for an id that it is told, and keeps it over a loss", async () => {
  const router = sockets.own(new Router({ reconnectInterval: 10 }));
  const server = await raw.listen();
  router.connect(server.address, { routingId: "it" });
  await router.send(["it", "before"]);
  const first = await server.accept();
  await first.handshake("DEALER");
  assert.equal(await first.message(), ["before"]);
  await gone(router, first);
  await router.send(["it", "between"]);
  const second = await server.accept();
  await second.handshake("DEALER");
  assert.equal(await second.message(), ["between"]);
});

it("ROUTER makes a queue when a peer connects, and throws it away with its messages when that leaves", async () => {
  const router = sockets.own(new Router({ mandatory: true, sendHighWaterMark: 2 }));
  const [first] = await raw.join(router, "DEALER", "it");
  first.socket.pause();
  assert.ok((await fill(router, ["it"])) >= 2);
  await gone(router, first);
  const [second] = await raw.join(router, "DEALER", "it");
  await router.send(["it", "for the second"]);
  assert.equal(await second.message(), ["for the second"]);
});

it("ROUTER drops what it cannot route or queue, or says so with mandatory, and never waits otherwise", async () => {
  const router = sockets.own(new Router({ sendHighWaterMark: 1 }));
  const [slow, quick] = await raw.join(router, "DEALER", "slow", "quick");
  slow.socket.pause();
  await router.send(["nobody", "dropped"]);
  const body = Buffer.alloc(3_000_000);
  for (let i = 0; i < 10; i++) await router.send(["slow", body]);
  await router.send(["quick", "arrives"]);
  assert.equal(await quick.message(), ["arrives"]);
  router.mandatory = true;
  assert.is(await code(() => router.send(["nobody", "x"])), "EHOSTUNREACH");
  // Refused with EAGAIN at last.
  await fill(router, ["slow"]);
});

for (const [name, create, peerType] of [
  ["REP", () => new Reply(), "DEALER"],
  ["DEALER", () => new Dealer(), "ROUTER"],
  ["ROUTER", () => new Router(), "DEALER"],
] as const) {
  it(`${name} receives from its peers in turn, from a queue for each`, async () => {
    const socket = sockets.own(create());
    const peers = await raw.join(socket, peerType, "", "", "");
    for (const [i, peer] of peers.entries()) {
      for (const number of [1, 2, 3]) peer.send("", `${"abc"[i]}${number}`);
      await peer.answered();
    }
    for (const round of [1, 2, 3]) {
      const got: string[] = [];
      for (let i = 0; i < 3; i++) {
        got.push(String((await socket.receive()).at(-1)));
        if (name === "REP") await (socket as Reply).send("");
      }
      assert.equal(got.sort(), [`a${round}`, `b${round}`, `c${round}`]);
    }
  });
}

for (const [name, create, peerType, address] of [
  ["DEALER", () => new Dealer({ sendHighWaterMark: 1 }), "ROUTER", []],
  ["ROUTER", () => new Router({ sendHighWaterMark: 1, mandatory: true }), "DEALER", ["it"]],
] as const) {
  it(`${name} has a queue each way: one that is full does not stop the other`, async () => {
    const socket: Dealer | Router = sockets.own(create());
    const [peer] = await raw.join(socket, peerType, "it");
    peer.socket.pause();
    await fill(socket, [...address]);
    peer.send("the other way");
    assert.is(String((await socket.receive()).at(-1)), "the other way");
  });

  it(`${name} keeps what it received of a peer that has gone`, async () => {
    const socket: Dealer | Router = sockets.own(create());
    const [peer] = await raw.join(socket, peerType, "it");
    peer.send("read later");
    await peer.answered();
    await gone(socket, peer);
    assert.is(String((await socket.receive()).at(-1)), "read later");
  });
}

it("DEALER and ROUTER limit what they receive to receiveHighWaterMark: senders wait, and nothing is lost", async () => {
  for (const socket of [new Dealer({ receiveHighWaterMark: 3 }), new Router({ receiveHighWaterMark: 3 })]) {
    const sender = sockets.own(new Dealer({ sendHighWaterMark: 2, sendTimeout: 0 }));
    await sockets.join(sockets.own<Dealer | Router>(socket), sender, "inproc");
    for (const text of ["1", "2", "3", "4", "5"]) await sender.send(text);
    assert.is(await code(() => sender.send("6")), "EAGAIN");
    const got = await take(socket as Readable, 5);
    assert.equal(
      got.map((text) => text.at(-1)),
      ["1", "2", "3", "4", "5"],
    );
  }
});

it("REP keeps answering a peer that it connects to over a loss", async () => {
  const reply = sockets.own(new Reply({ reconnectInterval: 10 }));
  const server = await raw.listen();
  reply.connect(server.address);
  for (const round of ["1", "2"]) {
    const known = happened(reply, "handshake");
    const peer = await server.accept();
    await peer.handshake("DEALER");
    await known;
    peer.send("", round);
    assert.is(await next(reply), round);
    await reply.send(`re ${round}`);
    assert.equal(await peer.message(), ["", `re ${round}`]);
    await gone(reply, peer);
  }
});

it.run();

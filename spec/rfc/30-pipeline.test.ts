/**
 * RFC 30 "Pipeline", clause by clause: PUSH and PULL against raw peers.
 *
 * Not followed, like libzmq: what PULL has received of a peer that disconnects stays readable; the RFC has it
 * discarded.
 */
import { Pull, Push } from "zmtp";
import { take } from "../helpers/messages.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { balancingClauses, gone, Raw, sendingClauses } from "./peers.ts";

const it = suite("rfc/30-pipeline");
const sockets = new Sockets(it);
const raw = new Raw(it);

const push = { sockets, raw, name: "PUSH", peer: "PULL", create: (options = {}) => new Push(options) } as const;
sendingClauses(it, push);
balancingClauses(it, push);

it("PUSH only sends: what a peer sends is nobody's, and the peer is served on", async () => {
  const socket = sockets.own(new Push());
  assert.not("receive" in socket);
  const [peer] = await raw.join(socket, "PULL", "");
  peer.send("to PUSH");
  await peer.answered();
  await socket.send("from PUSH");
  assert.equal(await peer.message(), ["from PUSH"]);
});

it("PULL only receives, from any number of peers, without changing anything", async () => {
  const pull = sockets.own(new Pull());
  assert.not("send" in pull);
  const peers = await raw.join(pull, "PUSH", "", "", "");
  const frames = [Buffer.alloc(0), Buffer.from([0, 255, 10]), Buffer.alloc(70_000, 7), Buffer.alloc(0)];
  for (const peer of peers) {
    peer.send(...frames);
    assert.equal(await pull.receive(), frames);
  }
});

it("PULL receives from its peers in turn, from a queue for each", async () => {
  const pull = sockets.own(new Pull());
  const peers = await raw.join(pull, "PUSH", "", "", "");
  for (const [i, name] of ["a", "b", "c"].entries()) {
    for (const number of [1, 2, 3]) peers[i].send(name + number);
    await peers[i].answered();
  }
  const got = await take(pull, 9);
  for (const round of [1, 2, 3]) {
    assert.equal(got.splice(0, 3).sort(), [`a${round}`, `b${round}`, `c${round}`]);
  }
});

it("PULL keeps the queue of a connection that it makes over a loss", async () => {
  const pull = sockets.own(new Pull({ reconnectInterval: 10 }));
  const server = await raw.listen();
  pull.connect(server.address);
  const first = await server.accept();
  await first.handshake("PUSH");
  first.send("before");
  await first.answered();
  await gone(pull, first);
  const second = await server.accept();
  await second.handshake("PUSH");
  second.send("after");
  await second.answered();
  assert.equal(await take(pull, 2), ["before", "after"]);
});

it("PULL makes a queue when a peer connects; what it holds can still be read when that peer has gone", async () => {
  const pull = sockets.own(new Pull());
  const [peer] = await raw.join(pull, "PUSH", "");
  peer.send("read later");
  await peer.answered();
  await gone(pull, peer);
  assert.equal(await take(pull, 1), ["read later"]);
});

it("PULL limits its queues to receiveHighWaterMark: a sender has to wait, and nothing is lost", async () => {
  const pull = sockets.own(new Pull({ receiveHighWaterMark: 3 }));
  const sender = sockets.own(new Push({ sendHighWaterMark: 2, sendTimeout: 0 }));
  await sockets.join(pull, sender, "inproc");
  for (const text of ["1", "2", "3", "4", "5"]) await sender.send(text);
  assert.is((await sender.send("6").catch((error) => error)).code, "EAGAIN");
  assert.equal(await take(pull, 5), ["1", "2", "3", "4", "5"]);
});

it.run();

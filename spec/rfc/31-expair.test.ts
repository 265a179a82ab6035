/**
 * RFC 31 "Exclusive Pair", clause by clause: PAIR against raw peers.
 *
 * Not followed, like libzmq: what PAIR has received of a peer that disconnects stays readable; the RFC has it
 * discarded.
 */
import { Pair } from "zmtp";
import { take } from "../helpers/messages.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { fill, gone, happened, Raw, sendingClauses } from "./peers.ts";

const it = suite("rfc/31-expair");
const sockets = new Sockets(it);
const raw = new Raw(it);

sendingClauses(it, { sockets, raw, name: "PAIR", peer: "PAIR", create: (options = {}) => new Pair(options) });

it("PAIR has one peer at most: a second is turned away, and taken when the first has gone", async () => {
  const pair = sockets.own(new Pair());
  const [first] = await raw.join(pair, "PAIR", "");
  const refused = happened(pair, "handshake:error:other");
  const second = await raw.connect(pair);
  // It may be cut off at any moment of this.
  await second.handshake("PAIR").catch(() => {});
  await refused;
  await second.closed;
  await pair.send("for the first");
  assert.equal(await first.message(), ["for the first"]);
  await gone(pair, first);
  const [third] = await raw.join(pair, "PAIR", "");
  await pair.send("for the third");
  assert.equal(await third.message(), ["for the third"]);
});

it("PAIR sends and receives in any order, and changes nothing", async () => {
  const pair = sockets.own(new Pair());
  const [peer] = await raw.join(pair, "PAIR", "");
  const frames = [Buffer.alloc(0), Buffer.from([0, 255, 10]), Buffer.alloc(70_000, 7), Buffer.alloc(0)];
  await pair.send("1");
  await pair.send("2");
  peer.send(...frames);
  peer.send("second");
  assert.equal(await pair.receive(), frames);
  assert.equal(await take(pair, 1), ["second"]);
  assert.equal([await peer.message(), await peer.message()], [["1"], ["2"]]);
});

it("PAIR has a queue each way: one that is full does not stop the other", async () => {
  const pair = sockets.own(new Pair({ sendHighWaterMark: 1 }));
  const [peer] = await raw.join(pair, "PAIR", "");
  peer.socket.pause();
  await fill(pair);
  peer.send("the other way");
  assert.equal(await take(pair, 1), ["the other way"]);
});

it("PAIR limits what it receives to receiveHighWaterMark: the sender has to wait, and nothing is lost", async () => {
  const pair = sockets.own(new Pair({ receiveHighWaterMark: 3 }));
  const sender = sockets.own(new Pair({ sendHighWaterMark: 2, sendTimeout: 0 }));
  await sockets.join(pair, sender, "inproc");
  for (const text of ["1", "2", "3", "4", "5"]) await sender.send(text);
  assert.is((await sender.send("6").catch((error) => error)).code, "EAGAIN");
  assert.equal(await take(pair, 5), ["1", "2", "3", "4", "5"]);
});

it("PAIR makes a queue when its peer connects; what it holds can still be read when that peer has gone", async () => {
  const pair = sockets.own(new Pair());
  const [peer] = await raw.join(pair, "PAIR", "");
  peer.send("read later");
  await peer.answered();
  await gone(pair, peer);
  assert.equal(await take(pair, 1), ["read later"]);
});

it.run();

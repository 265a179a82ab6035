/** Peers of ZMTP 2.0 (libzmq 3) and 1.0 (libzmq 2), played octet by octet, on both sides of a connection. */
import {
  Dealer,
  Publisher,
  Pull,
  Push,
  Reply,
  Request,
  Router,
  type Socket,
  Subscriber,
  XPublisher,
} from "../../src/index.ts";
import { Clock } from "../helpers/clock.ts";
import { next } from "../helpers/messages.ts";
import { message, octets, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending, turns } from "../helpers/wait.ts";

const it = suite("patterns/downgrade");
const sockets = new Sockets(it);
const clock = new Clock(it);

const TYPES = { PUB: 1, SUB: 2, REQ: 3, REP: 4, DEALER: 5, ROUTER: 6, PULL: 7, PUSH: 8 };

/** A peer of revision 1 after its greeting; `identity` is its first frame. */
async function greet2(
  peer: RawPeer,
  type: keyof typeof TYPES,
  own: number,
  identity = "",
  theirs = "",
): Promise<RawPeer> {
  peer.write(octets("ff00000000000000017f"));
  assert.is(
    (await peer.read(10)).toString("hex"),
    `ff00000000000000${(theirs.length + 1).toString(16).padStart(2, "0")}7f`,
  );
  assert.is((await peer.read(1)).toString("hex"), "03");
  peer.write(octets(`010${TYPES[type]}`), message(identity));
  assert.equal([...(await peer.read(1))], [own]);
  assert.equal(await peer.message(), [theirs]);
  return peer;
}

/** Frames of 1.0: a length that counts the flags octet, flags, body. */
function frames1(...frames: string[]): Buffer {
  return Buffer.concat(
    frames.map((text, i) => {
      const body = Buffer.from(text);
      const flags = i < frames.length - 1 ? 1 : 0;
      if (body.length < 254) return Buffer.concat([Buffer.of(body.length + 1, flags), body]);
      const head = Buffer.alloc(10, 0xff);
      head.writeBigUInt64BE(BigInt(body.length + 1), 1);
      head[9] = flags;
      return Buffer.concat([head, body]);
    }),
  );
}

/** The next message of a 1.0 connection. */
async function message1(peer: RawPeer): Promise<string[]> {
  const frames: string[] = [];
  for (;;) {
    let size = (await peer.read(1))[0];
    if (size === 0xff) size = Number((await peer.read(8)).readBigUInt64BE());
    const [flags] = await peer.read(1);
    frames.push(String(size > 1 ? await peer.read(size - 1) : ""));
    if ((flags & 1) === 0) return frames;
  }
}

/** A 1.0 peer after both identities. What we sent as a signature, it reads as a long identity frame. */
async function greet1(peer: RawPeer, identity = "", theirs = ""): Promise<RawPeer> {
  peer.write(frames1(identity));
  assert.is(
    (await peer.read(10)).toString("hex"),
    `ff00000000000000${(theirs.length + 1).toString(16).padStart(2, "0")}7f`,
  );
  if (theirs !== "") assert.is(String(await peer.read(theirs.length)), theirs);
  return peer;
}

/** Runs `body` with an old peer that connected to the socket, and with one that the socket connected to. */
async function bothWays<S extends Socket>(
  make: () => S,
  body: (socket: S, peer: RawPeer) => Promise<void>,
): Promise<void> {
  const bound = sockets.own(make());
  const heard: string[] = [];
  bound.events.on("handshake", () => heard.push("handshake"));
  const peer = await RawPeer.connect(await sockets.bound(bound, "tcp"));
  await body(bound, peer);
  peer.destroy();
  // As libzmq: no such event for a peer that has no handshake.
  assert.equal(heard, []);

  const server = await RawServer.listen();
  const connected = sockets.own(make());
  connected.connect(server.address);
  await body(connected, await server.accept());
  connected.linger = 0;
  connected.close();
  await server.close();
}

it("2.0: PUSH and PULL, long and short frames, several frames", async () => {
  await bothWays(
    () => new Push(),
    async (push, peer) => {
      await greet2(peer, "PULL", TYPES.PUSH);
      await push.send(["a", "", "b".repeat(300)]);
      assert.equal(await peer.message(), ["a", "", "b".repeat(300)]);
      await push.send("c".repeat(70_000));
      assert.equal(await peer.message(), ["c".repeat(70_000)]);
    },
  );
  await bothWays(
    () => new Pull(),
    async (pull, peer) => {
      await greet2(peer, "PUSH", TYPES.PULL);
      peer.send("a", "", "b".repeat(300));
      peer.send("2");
      assert.is(await next(pull), `a||${"b".repeat(300)}`);
      assert.is(await next(pull), "2");
    },
  );
});

it("2.0: a peer that numbers it 2", async () => {
  await bothWays(
    () => new Pull(),
    async (pull, peer) => {
      peer.write(octets("ff00000000000000017f 02 08 0000 000178"));
      assert.is((await peer.read(14)).toString("hex"), `ff00000000000000017f030${TYPES.PULL}0000`);
      assert.is(await next(pull), "x");
    },
  );
});

it("2.0: a peer of a type that does not fit is cut off, told, and not heard", async () => {
  const told: unknown[] = [];
  await bothWays(
    () => {
      const pull = new Pull({ reconnectInterval: 10_000 });
      pull.events.on("handshake:error:protocol", ({ error }) => told.push(error.code, (error.cause as Error).message));
      return pull;
    },
    async (pull, peer) => {
      peer.write(octets("ff00000000000000017f 01 01 0000 000178"));
      await peer.closed;
      await eventually(() => told.length > 0);
      assert.equal(told.splice(0), ["ERR_ZMTP_INVALID_METADATA", "PULL does not talk to PUB"]);
      assert.not(pull.readable);
    },
  );
});

it("2.0: DEALER and ROUTER, both with their ids", async () => {
  await bothWays(
    () => new Router({ routingId: "Us" }),
    async (router, peer) => {
      await greet2(peer, "DEALER", TYPES.ROUTER, "Them", "Us");
      peer.send("hello");
      assert.is(await next(router), "Them|hello");
      await router.send(["Them", "x", "y"]);
      assert.equal(await peer.message(), ["x", "y"]);
    },
  );
  await bothWays(
    () => new Dealer({ routingId: "ID1" }),
    async (dealer, peer) => {
      await greet2(peer, "ROUTER", TYPES.DEALER, "RRR", "ID1");
      await dealer.send(["A", "B".repeat(300)]);
      assert.equal(await peer.message(), ["A", "B".repeat(300)]);
      assert.equal(dealer.lastPeer, undefined);
      peer.send("back");
      assert.is(await next(dealer), "back");
      // libzmq never looks at the type that it announces, nor do we.
      assert.equal([dealer.lastPeer?.socketType, String(dealer.lastPeer?.identity)], ["", "RRR"]);
    },
  );
});

it("2.0: REQ and REP", async () => {
  await bothWays(
    () => new Request(),
    async (request, peer) => {
      await greet2(peer, "REP", TYPES.REQ);
      await request.send("q");
      assert.equal(await peer.message(), ["", "q"]);
      peer.send("", "r");
      assert.is(await next(request), "r");
    },
  );
  await bothWays(
    () => new Reply(),
    async (reply, peer) => {
      await greet2(peer, "REQ", TYPES.REP);
      peer.send("", "q");
      assert.is(await next(reply), "q");
      await reply.send("r");
      assert.equal(await peer.message(), ["", "r"]);
    },
  );
});

it("2.0: subscriptions are messages, both ways", async () => {
  await bothWays(
    () => new Subscriber(),
    async (subscriber, peer) => {
      subscriber.subscribe("A");
      await greet2(peer, "PUB", TYPES.SUB);
      assert.equal(await peer.message(), ["\x01A"]);
      subscriber.subscribe("B");
      assert.equal(await peer.message(), ["\x01B"]);
      subscriber.unsubscribe("A");
      assert.equal(await peer.message(), ["\x00A"]);
      assert.equal(peer.commands, []);
      peer.send("A unwanted");
      peer.send("B wanted");
      assert.is(await next(subscriber), "B wanted");
    },
  );
  await bothWays(
    () => new XPublisher(),
    async (publisher, peer) => {
      await greet2(peer, "SUB", 9);
      peer.send("\x01A");
      assert.is(await next(publisher), "\x01A");
      await publisher.send("B");
      await publisher.send("A1");
      assert.equal(await peer.message(), ["A1"]);
      peer.send("\x00A");
      assert.is(await next(publisher), "\x00A");
    },
  );
});

it("2.0: heartbeats are not for such a peer, and silence does not end it", async () => {
  clock.stop();
  const pull = sockets.own(new Pull({ heartbeatInterval: 20, heartbeatTimeout: 30, handshakeInterval: 100 }));
  const peer = await greet2(await RawPeer.connect(await sockets.bound(pull, "tcp")), "PUSH", TYPES.PULL);
  peer.send("there");
  assert.is(await next(pull), "there");
  await clock.advance(1000);
  assert.equal([peer.isClosed, peer.available], [false, 0]);
  peer.send("still here");
  assert.is(await next(pull), "still here");
  peer.destroy();
});

it("2.0: what waits goes to an old peer as to any other, and survives its loss", async () => {
  const server = await RawServer.listen();
  const push = sockets.own(new Push({ reconnectInterval: 20 }));
  push.connect(server.address);
  await push.send("1");
  const first = await server.accept();
  await greet2(first, "PULL", TYPES.PUSH);
  assert.equal(await first.message(), ["1"]);
  first.destroy();
  const second = await server.accept();
  await push.send("2");
  await greet1(second);
  assert.equal(await message1(second), ["2"]);
  await server.close();
});

it("1.0: PUSH and PULL, short frames up to 253 octets, long ones above", async () => {
  await bothWays(
    () => new Push(),
    async (push, peer) => {
      await greet1(peer);
      await push.send(["A", ""]);
      assert.is((await peer.read(5)).toString("hex"), "0201410100");
      await push.send("x".repeat(253));
      assert.is((await peer.read(2)).toString("hex"), "fe00");
      await peer.read(253);
      await push.send("x".repeat(254));
      assert.is((await peer.read(10)).toString("hex"), "ff00000000000000ff00");
      await peer.read(254);
    },
  );
  await bothWays(
    () => new Pull(),
    async (pull, peer) => {
      await greet1(peer);
      peer.write(octets("0301 6869 0600 7468657265"));
      assert.is(await next(pull), "hi|there");
      peer.write(frames1("", "x".repeat(300), ""));
      assert.is(await next(pull), `|${"x".repeat(300)}|`);
    },
  );
});

it("1.0: an identity in the long form, and one in two chunks", async () => {
  const pull = sockets.own(new Pull());
  const address = await sockets.bound(pull, "tcp");
  const long = await RawPeer.connect(address);
  long.write(octets("ff000000000000000100"), frames1("long"));
  assert.is(await next(pull), "long");
  const slow = await RawPeer.connect(address);
  slow.write(octets("04"));
  await turns();
  slow.write(octets("00 616263"), frames1("slow"));
  assert.is(await next(pull), "slow");
  long.destroy();
  slow.destroy();
});

it("1.0: DEALER and ROUTER, both with their ids", async () => {
  await bothWays(
    () => new Router({ routingId: "ID1" }),
    async (router, peer) => {
      await greet1(peer, "Them", "ID1");
      peer.write(frames1("hello"));
      assert.is(await next(router), "Them|hello");
      await router.send(["Them", "x", "y"]);
      assert.equal(await message1(peer), ["x", "y"]);
    },
  );
  await bothWays(
    () => new Router(),
    async (router, peer) => {
      await greet1(peer);
      peer.write(frames1("hello"));
      const [id, text] = await router.receive();
      assert.equal([id.length, id[0], String(text)], [5, 0, "hello"]);
      await router.send([id, "back"]);
      assert.equal(await message1(peer), ["back"]);
    },
  );
});

it("1.0: REQ and REP", async () => {
  await bothWays(
    () => new Request(),
    async (request, peer) => {
      await greet1(peer);
      await request.send("q");
      assert.equal(await message1(peer), ["", "q"]);
      peer.write(frames1("", "r"));
      assert.is(await next(request), "r");
    },
  );
  await bothWays(
    () => new Reply(),
    async (reply, peer) => {
      await greet1(peer);
      peer.write(frames1("", "q"));
      assert.is(await next(reply), "q");
      await reply.send("r");
      assert.equal(await message1(peer), ["", "r"]);
    },
  );
});

it("1.0: a publisher sends everything, a subscriber filters", async () => {
  await bothWays(
    () => new XPublisher(),
    async (publisher, peer) => {
      await greet1(peer);
      assert.is(await next(publisher), "\x01");
      await publisher.send("hello");
      assert.is((await peer.read(7)).toString("hex"), "060068656c6c6f");
    },
  );
  await bothWays(
    () => new Subscriber(),
    async (subscriber, peer) => {
      subscriber.subscribe("A");
      await greet1(peer);
      assert.is((await peer.read(4)).toString("hex"), "03000141");
      peer.write(frames1("B unwanted"), frames1("A wanted"));
      assert.is(await next(subscriber), "A wanted");
    },
  );
  const publisher = sockets.own(new Publisher());
  const peer = await greet1(await RawPeer.connect(await sockets.bound(publisher, "tcp")));
  await eventually(() => publisher.topicsCount === 1);
  await publisher.send("all");
  assert.equal(await message1(peer), ["all"]);
  peer.destroy();
});

it("no downgrade where a mechanism or a ZAP domain is set", async () => {
  const key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
  const secret = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6";
  const guarded = [
    { plainServer: true },
    { plainUsername: "u", plainPassword: "p" },
    { curveServer: true, curveSecretKey: secret },
    { curvePublicKey: key, curveSecretKey: secret, curveServerKey: key },
    { zapDomain: "global" },
  ];
  const old = {
    "2.0": "ff00000000000000017f 01 08 0000 000178",
    "2.0 by the number 2": "ff00000000000000017f 02",
    "1.0": "0100 020078",
  };
  for (const options of guarded) {
    for (const [version, bytes] of Object.entries(old)) {
      const bound = sockets.own(new Pull(options));
      const peer = await RawPeer.connect(await sockets.bound(bound, "tcp"));
      peer.write(octets(bytes));
      await peer.closed;

      const server = await RawServer.listen();
      const connected = sockets.own(new Pull({ ...options, reconnectInterval: 1000 }));
      connected.connect(server.address);
      const accepted = await server.accept();
      accepted.write(octets(bytes));
      await accepted.closed;
      for (const pull of [bound, connected]) {
        assert.not(pull.readable, `${JSON.stringify(options)} ${version}`);
        assert.ok(
          await isPending(
            pull.receive().catch(() => {}),
            0,
          ),
        );
      }
      sockets.closeAll();
      await server.close();
    }
  }
});

it.run();

/**
 * Scripted peers of ZMTP 1.0, 2.0, 3.0 and 3.1: every octet that the implementation sends is compared with what the version
 * demands (and libzmq sends), and every form that a peer of that version may choose is sent to it.
 */

import { command, frame, greeting, LONG, MORE, octets, RawPeer, ready, TYPE_OCTETS } from "../lib/raw-peer.mjs";
import { pattern, unhex } from "../lib/words.mjs";
import { ensure, equal, heard, patience, SILENCE_MS } from "../lib/world.mjs";

/** @typedef {import("../lib/raw-world.mjs").RawScenario} RawScenario */
/** @typedef {import("../lib/raw-world.mjs").RawWorld} RawWorld */
/** @typedef {import("../lib/raw-peer.mjs").Version} Version */

const KIB = 1024;
const MIB = KIB * KIB;

/** @type {Record<string, string>} */
const PARTNERS = {
  PAIR: "PAIR",
  PUB: "SUB",
  SUB: "PUB",
  REQ: "REP",
  REP: "REQ",
  DEALER: "DEALER",
  ROUTER: "DEALER",
  PULL: "PUSH",
  PUSH: "PULL",
  XPUB: "SUB",
  XSUB: "PUB",
};

const TYPES = Object.keys(PARTNERS);
const THREE = /** @type {Version[]} */ (["3.0", "3.1"]);
const BEFORE_THREE = /** @type {Version[]} */ (["1.0", "2.0"]);
const BOTH_TRANSPORTS = /** @type {("tcp" | "ipc")[]} */ (["tcp", "ipc"]);

/** 253 and 254 are the ends of the short form of 1.0, 255 that of later ones. */
const SIZES = [0, 1, 252, 253, 254, 255, 256, 8191, 8192, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, MIB, 10 * MIB];

/** All types are met, each opened as its RFC says. @type {RawScenario[]} */
const openings = TYPES.map((type) => ({
  name: `raw/opening of ${type}, octet for octet`,
  type,
  transports: BOTH_TRANSPORTS,
  async run(world) {
    const peer = await world.meet();
    await peer.open(PARTNERS[type], type);
    await peer.expectSilence(30);
  },
}));

/**
 * Says each octet of the opening as late as it may be said: what the other has to say without being asked must come first.
 * @param {RawPeer} peer @param {string} type @param {string} otherType
 */
async function openInStages(peer, type, otherType) {
  await peer.expect("ff00000000000000017f", "the signature, unasked");
  if (peer.version === "1.0") {
    await peer.expectSilence(30);
    peer.write(octets("01 00"));
    return;
  }
  peer.write(octets("ff00000000000000017f"));
  await peer.expect("03", "the version");
  if (peer.version === "2.0") {
    peer.write(octets("01"));
    equal((await peer.read(1))[0], TYPE_OCTETS[otherType][0], "the socket type is");
    peer.write(Buffer.of(TYPE_OCTETS[type][0]));
    await peer.expect("0000", "the identity");
    peer.write(octets("0000"));
    return;
  }
  const own = greeting(Number(peer.version[2]));
  peer.write(own.subarray(10, 11));
  await peer.expect(greeting(1).subarray(11), "the rest of the greeting");
  peer.write(own.subarray(11));
  await peer.expect(ready(otherType), "READY");
  peer.write(ready(type));
}

/** What the peer may write in one piece, before it has read anything but READY. @param {RawPeer} peer @param {string} type */
function wholeOpening(peer, type) {
  if (peer.version === "1.0") return octets("01 00");
  if (peer.version === "2.0")
    return Buffer.concat([octets("ff00000000000000017f 01"), Buffer.of(TYPE_OCTETS[type][0], 0, 0)]);
  return Buffer.concat([greeting(Number(peer.version[2])), ready(type)]);
}

/** Reads what a 3.x or 2.0 or 1.0 peer sees of the opening, and compares. @param {RawPeer} peer @param {string} otherType */
async function readOpening(peer, otherType) {
  if (peer.version === "1.0") return peer.expect("ff00000000000000017f", "the identity as 1.0 reads it");
  if (peer.version === "2.0") {
    await peer.expect("ff00000000000000017f 03", "signature and version");
    await peer.expect(Buffer.of(TYPE_OCTETS[otherType][0], 0, 0), "type and identity");
    return;
  }
  await peer.expect(greeting(1), "the greeting");
  await peer.expect(ready(otherType), "READY");
}

/** @param {RawWorld} world @param {RawPeer} peer */
async function proveTraffic({ socket }, peer) {
  peer.send("from", "", "script");
  await socket.expect([["from", "", "script"]]);
  await socket.send(["to", "", "script"]);
  await peer.expect(peer.message("to", "", "script"), "the message");
}

/** @type {RawScenario[]} */
const stages = [
  {
    name: "raw/opening in stages, each as late as it may come",
    type: "DEALER",
    async run(world) {
      const peer = await world.meet();
      await openInStages(peer, "DEALER", "DEALER");
      await proveTraffic(world, peer);
    },
  },
  {
    name: "raw/opening one octet at a time",
    type: "DEALER",
    async run(world) {
      const peer = await world.meet();
      await peer.drip(wholeOpening(peer, "DEALER"));
      await readOpening(peer, "DEALER");
      await peer.drip(peer.message("drip", "", "drop"));
      await world.socket.expect([["drip", "", "drop"]]);
    },
  },
  {
    name: "raw/opening in one piece",
    type: "DEALER",
    async run(world) {
      const peer = await world.meet();
      // Before 3.0 nothing has to be awaited. Later, a message must not overtake the other's READY.
      const message = peer.hasCommands ? Buffer.alloc(0) : peer.message("at", "once");
      peer.write(wholeOpening(peer, "DEALER"), message);
      await readOpening(peer, "DEALER");
      if (peer.hasCommands) peer.send("at", "once");
      await world.socket.expect([["at", "once"]]);
    },
  },
  {
    name: "raw/routing ids in both directions",
    type: "ROUTER",
    options: { routingId: "router" },
    async run(world) {
      const peer = await world.meet();
      await peer.open("DEALER", "ROUTER", { identity: "script", otherIdentity: "router" });
      peer.send("hello");
      await world.socket.expect([["script", "hello"]]);
      await world.socket.send(["script", "", "you"]);
      await peer.expect(peer.message("", "you"), "the message");
    },
  },
  {
    name: "raw/a routing id of 255 octets",
    type: "ROUTER",
    async run(world) {
      const identity = "i".repeat(255);
      const peer = await world.meet();
      await peer.open("DEALER", "ROUTER", { identity });
      peer.send("hello");
      await world.socket.expect([[identity, "hello"]]);
    },
  },
  {
    name: "raw/a nameless peer gets a routing id",
    type: "ROUTER",
    async run(world) {
      const peer = await world.meet();
      await peer.open("DEALER", "ROUTER");
      peer.send("hello");
      const [[id, text]] = await world.socket.receive(1);
      equal(
        [unhex(id).length, unhex(id)[0], text],
        [5, 0, heard("hello")],
        "length and first octet of the id, and the rest, are",
      );
      await world.socket.send([unhex(id), "you"]);
      await peer.expect(peer.message("you"), "the message");
    },
  },
];

/** @type {RawScenario[]} */
const frames = [
  {
    name: "raw/frame lengths, both ways",
    type: "PAIR",
    transports: BOTH_TRANSPORTS,
    ms: 30_000,
    async run(world) {
      const peer = await world.meet();
      await peer.open("PAIR", "PAIR");
      for (const [seed, size] of SIZES.entries()) {
        const wanted = peer.message(pattern(size, seed));
        peer.write(wanted);
        await world.socket.expect([{ size, seed }], 2 * patience());
        await world.socket.send({ size, seed });
        ensure((await peer.read(wanted.length)).equals(wanted), `the octets of a frame of ${size} are others`);
      }
    },
  },
  {
    name: "raw/multipart, both ways",
    type: "DEALER",
    async run(world) {
      const peer = await world.meet();
      await peer.open("DEALER", "DEALER");
      const parts = ["", "a", "", "x".repeat(300), ""];
      peer.send(...parts);
      await world.socket.expect([parts]);
      await world.socket.send(parts);
      await peer.expect(peer.message(...parts), "the message");
    },
  },
  {
    name: "raw/200 messages in one segment, then cut anywhere",
    type: "PULL",
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      const all = Buffer.concat(
        Array.from({ length: 200 }, (_, index) => peer.message(`n${index}`, "x".repeat(index * 3))),
      );
      const wanted = Array.from({ length: 200 }, (_, index) => [`n${index}`, "x".repeat(index * 3)]);
      peer.write(all);
      await world.socket.expect(wanted);
      for (let at = 0; at < all.length; ) {
        const size = 1 + ((at * 7) % 1999);
        peer.write(all.subarray(at, at + size));
        await new Promise((resolve) => setImmediate(resolve));
        at += size;
      }
      await world.socket.expect(wanted);
    },
  },
  {
    name: "raw/commands between the frames of a message",
    type: "PULL",
    versions: THREE,
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      peer.write(frame(MORE, Buffer.from("one")), command("PING", octets("0000 6869")));
      await peer.expect(command("PONG", "hi"), "the answer");
      peer.write(command("PONG"), command("UNKNOWN", "data"), frame(0, Buffer.from("two")));
      await world.socket.expect([["one", "two"]]);
    },
  },
  {
    name: "raw/the long form for a short frame",
    type: "PULL",
    versions: ["2.0", "3.0", "3.1"],
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      peer.write(Buffer.of(LONG, 0, 0, 0, 0, 0, 0, 0, 2), Buffer.from("ok"));
      await world.socket.expect(["ok"]);
    },
  },
];

/** @type {RawScenario[]} */
const envelopes = [
  {
    name: "raw/REQ sends an empty frame first",
    type: "REQ",
    async run(world) {
      const peer = await world.meet();
      await peer.open("REP", "REQ");
      await world.socket.send(["Hello", "World"]);
      await peer.expect(peer.message("", "Hello", "World"), "the request");
      peer.send("", "OK");
      await world.socket.expect(["OK"]);
      await world.socket.send("again");
      await peer.expect(peer.message("", "again"), "the request");
    },
  },
  {
    name: "raw/REP gives the envelope back",
    type: "REP",
    async run(world) {
      const peer = await world.meet();
      await peer.open("REQ", "REP");
      peer.send("id1", "id2", "", "q", "");
      await world.socket.expect([["q", ""]]);
      await world.socket.send(["r", "s"]);
      await peer.expect(peer.message("id1", "id2", "", "r", "s"), "the reply");
      peer.send("no delimiter");
      peer.send("", "q2");
      await world.socket.expect(["q2"]);
      await world.socket.send("r2");
      await peer.expect(peer.message("", "r2"), "the reply");
    },
  },
];

const LONG_TOPIC = "t".repeat(300);

/** @type {RawScenario[]} */
const subscriptions = [
  {
    name: "raw/SUB subscribes in the form of the version",
    type: "SUB",
    async run(world) {
      await world.socket.open();
      await world.socket.subscribe("B", "A", "B", Buffer.from([0]), LONG_TOPIC);
      const peer = await world.join();
      await peer.open("PUB", "SUB");
      const topics = [Buffer.from([0]), "A", "B", LONG_TOPIC];
      await peer.expectSet(
        topics.map((topic) => peer.subscription(topic)),
        "the topics, each once",
      );
      await world.socket.subscribe("");
      await peer.expect(peer.subscription(""), "the empty topic");
      await world.socket.unsubscribe("A");
      await peer.expect(peer.subscription("A", false), "the end of A");
      await world.socket.unsubscribe("B");
      await peer.expectSilence(SILENCE_MS);
      await world.socket.unsubscribe("B", "", LONG_TOPIC);
      for (const topic of ["B", "", LONG_TOPIC])
        await peer.expect(peer.subscription(topic, false), "the end of a topic");
      peer.send("other");
      peer.send(Buffer.from([0, 1]));
      await world.socket.expect([Buffer.from([0, 1])]);
      await world.socket.expectSilence();
    },
  },
  {
    name: "raw/XSUB passes subscriptions on",
    type: "XSUB",
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUB", "XSUB");
      await world.socket.send("\u0001A");
      const { flags, body: form } = await peer.frame();
      const asCommand = flags === 4 && form.equals(Buffer.concat([Buffer.of(9), Buffer.from("SUBSCRIBEA")]));
      ensure(
        (flags === 0 && form.equals(Buffer.from("\u0001A"))) || asCommand,
        `a frame ${flags} ${form.toString("hex")}`,
      );
      await world.socket.send("a message");
      await peer.expect(peer.message("a message"), "the message");
      peer.send("A1");
      await world.socket.expect(["A1"]);
    },
  },
  {
    name: "raw/XPUB takes subscriptions as the version sends them",
    type: "XPUB",
    async run(world) {
      const peer = await world.meet();
      await peer.open("SUB", "XPUB");
      // Who speaks 1.0 filters by himself: everything is subscribed for him.
      if (world.version === "1.0") await world.socket.expect(["\u0001"]);
      peer.write(peer.subscription("A"), peer.subscription(LONG_TOPIC));
      await world.socket.expect(["\u0001A", `\u0001${LONG_TOPIC}`]);
      await world.socket.send(["A1", "x"]);
      await peer.expect(peer.message("A1", "x"), "the message");
      await world.socket.send("B1");
      if (world.version === "1.0") await peer.expect(peer.message("B1"), "the message that nobody asked for");
      peer.write(peer.subscription("A", false));
      await world.socket.expect(["\u0000A"]);
      await world.socket.send("A2");
      if (world.version === "1.0") await peer.expect(peer.message("A2"), "the message that nobody asked for");
      await peer.expectSilence(SILENCE_MS);
    },
  },
  {
    name: "raw/XPUB takes both forms on every version of 3",
    type: "XPUB",
    versions: THREE,
    async run(world) {
      const peer = await world.meet();
      await peer.open("SUB", "XPUB");
      peer.write(peer.message("\u0001A"), command("SUBSCRIBE", "B"), command("CANCEL", "A"), peer.message("\u0000B"));
      await world.socket.expect(["\u0001A", "\u0001B", "\u0000A", "\u0000B"]);
    },
  },
  {
    name: "raw/5000 topics to a publisher",
    type: "SUB",
    ms: 30_000,
    async run(world) {
      await world.socket.open(world.isLibzmq ? { sendHighWaterMark: 0 } : {});
      await world.socket.call("subscribeseq", ["t", 0, 5000]);
      const peer = await world.join();
      await peer.open("PUB", "SUB");
      const wanted = Array.from({ length: 5000 }, (_, index) =>
        peer.subscription(`t${String(index).padStart(5, "0")}`),
      );
      await peer.expectSet(wanted, "5000 topics");
      peer.send("t04999");
      peer.send("u");
      await world.socket.expect(["t04999"]);
    },
  },
];

const BEAT_MS = 100;
/** Long enough for a peer that answers, on a machine with something else to do. */
const DEAD_MS = patience(600);
const beating = { heartbeatInterval: BEAT_MS, heartbeatTimeout: DEAD_MS };

/** @type {RawScenario[]} */
const heartbeats = [
  {
    name: "raw/a silent peer is given up, one that answers is not",
    type: "PUSH",
    versions: THREE,
    options: { ...beating, heartbeatTimeToLive: 1250, reconnectInterval: BEAT_MS },
    async run(world) {
      const peer = await world.meet();
      await peer.open("PULL", "PUSH");
      const ping = command("PING", octets("000c"));
      for (let beat = 0; beat < 8; beat++) {
        await peer.expect(ping, "PING");
        peer.write(command("PONG"));
      }
      const since = performance.now();
      ensure(await peer.ended(DEAD_MS * 4), "a silent peer was kept");
      const took = Math.round(performance.now() - since);
      world.measured.givenUpAfterMs = took;
      ensure(took >= DEAD_MS - BEAT_MS - 20, `it was given up after ${took} ms`);
      // It is looked for again where the socket connects; where it binds, a new one is welcome.
      await (await world.again()).open("PULL", "PUSH");
    },
  },
  {
    name: "raw/traffic counts as life",
    type: "PULL",
    versions: THREE,
    options: beating,
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      for (let beat = 0; beat < 12; beat++) {
        peer.send(`message ${beat}`);
        ensure(!(await peer.ended(BEAT_MS)), "a peer that sends messages, and no PONG, was given up");
      }
      equal((await world.socket.receive(12)).length, 12, "received");
    },
  },
  {
    name: "raw/PING is answered, with its context",
    type: "PULL",
    versions: THREE,
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      peer.write(command("PING", octets("0000")));
      await peer.expect(command("PONG"), "PONG");
      peer.write(command("PING", octets("0000 30313233343536373839616263646566")));
      await peer.expect(command("PONG", "0123456789abcdef"), "PONG");
    },
  },
  {
    name: "raw/silence after a PING with a time to live ends the link",
    type: "PULL",
    versions: THREE,
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      peer.write(command("PING", octets("0003")));
      await peer.expect(command("PONG"), "PONG");
      const since = performance.now();
      ensure(await peer.ended(3000), "the link outlived its time");
      const took = Math.round(performance.now() - since);
      world.measured.endedAfterMs = took;
      ensure(took >= 250, `it ended after ${took} ms`);
    },
  },
  {
    name: "raw/no heartbeats for peers that do not know them",
    type: "PUSH",
    versions: BEFORE_THREE,
    options: { heartbeatInterval: 50, heartbeatTimeout: 100 },
    async run(world) {
      const peer = await world.meet();
      await peer.open("PULL", "PUSH");
      await peer.expectSilence(400);
      await world.socket.send("still here");
      await peer.expect(peer.message("still here"), "the message");
    },
  },
];

/** @type {RawScenario[]} */
const losses = [
  {
    name: "raw/who says nothing is given up",
    type: "PULL",
    options: { handshakeInterval: 300 },
    async run(world) {
      const peer = await world.meet();
      const since = performance.now();
      ensure(await peer.ended(3000), "a silent peer was kept");
      world.measured.givenUpAfterMs = Math.round(performance.now() - since);
      ensure(world.measured.givenUpAfterMs >= 200, `it was given up after ${world.measured.givenUpAfterMs} ms`);
    },
  },
  {
    name: "raw/the link breaks: everything is said again",
    type: "SUB",
    options: { reconnectInterval: 50 },
    async run(world) {
      await world.socket.open(world.case.raw.options);
      await world.socket.subscribe("A", "B");
      let peer = await world.join();
      for (let round = 0; round < 3; round++) {
        await peer.open("PUB", "SUB");
        await peer.expectSet([peer.subscription("A"), peer.subscription("B")], "the topics");
        peer.send(`A${round}`);
        await world.socket.expect([`A${round}`]);
        // In the middle of a frame: what was half received must not show.
        const half = peer.message("A".repeat(50));
        peer.write(half.subarray(0, half.length - 10));
        peer.destroy();
        if (round < 2) peer = await world.again();
      }
      await world.socket.expectSilence();
    },
  },
  {
    name: "raw/what waits for a lost peer goes to the next connection",
    type: "PUSH",
    binds: ["script"],
    options: { reconnectInterval: 50 },
    async run(world) {
      let peer = await world.meet();
      await peer.open("PULL", "PUSH");
      await world.socket.send("first");
      await peer.expect(peer.message("first"), "the first message");
      peer.destroy();
      await world.socket.wait("disconnect", 1);
      await world.socket.send("second");
      await world.socket.send(["third", ""]);
      peer = await world.again();
      await peer.open("PULL", "PUSH");
      await peer.expect(Buffer.concat([peer.message("second"), peer.message("third", "")]), "what had to wait");
    },
  },
  {
    name: "raw/high-water mark: who does not read is not sent to for ever",
    type: "PUSH",
    options: { sendHighWaterMark: 10 },
    ms: 30_000,
    async run(world) {
      const peer = await world.meet();
      await peer.open("PULL", "PUSH");
      peer.pause();
      const size = 64 * KIB;
      const accepted = await world.socket.stream("m", 0, 2000, { size, ms: 300 });
      world.measured.accepted = accepted;
      ensure(accepted >= 10 && accepted < 2000, `${accepted} of 2000 messages were accepted`);
      peer.resume();
      for (let number = 0; number < accepted; number++) {
        const [got] = await peer.receive();
        const head = `m:${String(number).padStart(8, "0")}:`;
        ensure(
          got.length === size && got.toString("latin1", 0, head.length) === head,
          `number ${number} is another one`,
        );
      }
      await peer.expectSilence(SILENCE_MS);
    },
  },
  {
    name: "raw/high-water mark: who is not read from has to wait",
    type: "PULL",
    options: { receiveHighWaterMark: 10 },
    ms: 30_000,
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      const count = 600;
      const size = 64 * KIB;
      for (let number = 0; number < count; number++) {
        peer.quietly(peer.message(`m:${String(number).padStart(8, "0")}:`.padEnd(size, ".")));
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
      ensure(
        peer.waiting > 5 * MIB,
        `all but ${peer.waiting} of ${count * size} octets were taken, though nobody reads`,
      );
      await world.socket.expectStream("m", 0, count);
    },
  },
];

/** @param {string} value */
const text8 = (value) => Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);

/** @type {RawScenario[]} */
const plain = [
  {
    name: "raw/PLAIN client, octet for octet",
    type: "DEALER",
    versions: THREE,
    needs: ["plain"],
    options: { plainUsername: "admin", plainPassword: "secret", routingId: "cli1" },
    async run(world) {
      const peer = await world.meet();
      peer.write(greeting(Number(world.version[2]), "PLAIN"));
      await peer.expect(greeting(1, "PLAIN", 4), "the greeting");
      await peer.expect("04130548454c4c4f0561646d696e06736563726574", "HELLO");
      peer.write(octets("04080757454c434f4d45"));
      const metadata = ready("DEALER", "cli1").subarray(8);
      await peer.expect(command("INITIATE", metadata), "INITIATE");
      peer.write(ready("ROUTER"));
      await proveTraffic(world, peer);
    },
  },
  {
    name: "raw/PLAIN server, octet for octet",
    type: "PULL",
    versions: THREE,
    needs: ["plain"],
    options: { plainServer: true, zapDomain: "global" },
    async run(world) {
      await world.socket.agent.call("zap", ["plain", `x${Buffer.from("admin").toString("hex")}`, "x"]);
      const peer = await world.meet();
      peer.write(greeting(Number(world.version[2]), "PLAIN"));
      const wanted = greeting(1, "PLAIN");
      // libzmq never says that it is the server.
      wanted[32] = world.isLibzmq ? 0 : 1;
      await peer.expect(wanted, "the greeting");
      peer.write(command("HELLO", Buffer.concat([text8("admin"), text8("")])));
      await peer.expect("04080757454c434f4d45", "WELCOME");
      peer.write(command("INITIATE", ready("PUSH").subarray(8)));
      await peer.expect(ready("PULL"), "READY");
      peer.send("let in");
      await world.socket.expect(["let in"]);
    },
  },
];

export const raw = [
  ...openings,
  ...stages,
  ...frames,
  ...envelopes,
  ...subscriptions,
  ...heartbeats,
  ...losses,
  ...plain,
];

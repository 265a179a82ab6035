/**
 * The attacks: whom each is made on, and what it sends. None of them knows more than the protocol.
 */

import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { COMMAND, command, MORE, property, ready } from "../../interop/lib/raw-peer.mjs";
import { load } from "../lib/implementation.mjs";
import { securityOptions } from "../lib/security.mjs";
import { frame, frameHeader, GREETING_BYTES, greeting, introduction, repeated } from "./wire.mjs";

/** @typedef {import("./attacker.mjs").Attacker} Attacker */

/**
 * @typedef {object} Victim
 * @property {"pull" | "pub" | "xpub" | "router" | "rep" | "sub" | "pair"} type It binds.
 * @property {Record<string, unknown>} [options] Of the socket.
 * @property {boolean} [unread] Nobody receives: good clients are measured at another socket of the same process.
 * @property {"curve" | "plain"} [security] Likewise.
 * @property {"silent"} [zap] There is a handler, which never answers.
 * @property {number} [publishes] Octets of the messages, topic "all", twenty of which go out every ten milliseconds.
 *
 * @typedef {object} Attack
 * @property {string} id
 * @property {string} title
 * @property {Victim} victim
 * @property {number} [processes] That attack at the same time.
 * @property {number} [octets] Sent at most, by all of them.
 * @property {number} [seconds] At most.
 * @property {number} [heap] MiB of heap for the victim in the place of `--heap`; 0: Node's own limit.
 * @property {boolean} [quick] Is part of the quick run.
 * @property {(attacker: Attacker) => Promise<void>} run
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** What an attack may send, and for how long, unless it says otherwise. */
export const MOST_OCTETS = 32 * MIB;
export const MOST_SECONDS = 4;

/** CURVE's first commands with their headers. */
const HELLO_BYTES = 202;
const WELCOME_BYTES = 170;

const SUBSCRIBE = "SUBSCRIBE";
const CANCEL = "CANCEL";

/** Commands or messages that are put into one write. */
const IN_ONE_WRITE = 2000;

/** Where topics differ. */
const NUMBER = "0".repeat(8);

/**
 * So many ever new topics of a length, each made into what is sent.
 *
 * @param {number} count @param {number} length @param {(topic: Buffer) => Buffer} make
 * @returns {(index: number) => Buffer}
 */
function everNew(count, length, make) {
  const first = Buffer.alloc(length, "x");
  first.write(NUMBER, "latin1");
  const one = make(first);
  const at = one.indexOf(NUMBER);
  const template = repeated(one, count);
  let next = 0;
  return () => {
    const octets = Buffer.from(template);
    for (let index = 0; index < count; index++) {
      octets.write((next++).toString(36).padStart(NUMBER.length, "0"), index * one.length + at, "latin1");
    }
    return octets;
  };
}

/** @param {Buffer} topic */
const subscribe = (topic) => command(SUBSCRIBE, topic);

/**
 * One connection that sends the same chunk again and again.
 *
 * @param {string} type @param {Buffer} chunk @param {{ reads?: boolean, opening?: Buffer }} [settings]
 */
const repeat =
  (type, chunk, settings = {}) =>
  async (/** @type {Attacker} */ attacker) => {
    const peer = await attacker.connect({ type, ...settings });
    await peer.flood(() => chunk);
  };

/**
 * One connection that sends ever new topics.
 *
 * @param {number} length @param {(topic: Buffer) => Buffer} [make]
 */
const topics =
  (length, make = subscribe) =>
  async (/** @type {Attacker} */ attacker) => {
    const peer = await attacker.connect({ type: "SUB" });
    await peer.flood(everNew(Math.ceil((64 * KIB) / (length + 12)), length, make));
    await attacker.untilOver();
  };

/**
 * So many connections that send something once, and then stay.
 *
 * @param {number} count
 * @param {(index: number) => Parameters<Attacker["connect"]>[0] & { sends?: Buffer[] }} make
 */
const crowdOf = (count, make) => async (/** @type {Attacker} */ attacker) => {
  await attacker.many(count, async (index) => {
    const { sends = [], ...settings } = make(index);
    const peer = await attacker.connect({ ...settings, reads: sends.length === 0 });
    for (const octets of sends) await peer.send(octets);
  });
  await attacker.untilOver();
};

/**
 * Connections one after the other, some at once, as fast as it goes.
 *
 * @param {(attacker: Attacker, index: number) => Promise<unknown>} each
 * @param {number} [atOnce]
 */
const churn =
  (each, atOnce = 20) =>
  async (/** @type {Attacker} */ attacker) =>
    attacker.many(Infinity, (index) => each(attacker, index), atOnce);

/** Ever new connections that begin like this, and end. @param {Parameters<Attacker["connect"]>[0]} [settings] */
const visits = (settings) =>
  churn(async (attacker) => {
    const peer = await attacker.connect(settings);
    await peer.end();
  });

/** @param {number} from @param {number} count */
function million(from, count) {
  return Buffer.concat(
    Array.from({ length: count }, (_, index) =>
      command(SUBSCRIBE, `a topic of 20 ${String(from + index).padStart(6)}`),
    ),
  );
}

/** A peer with 1,000,000 subscriptions, which goes. @param {Attacker} attacker */
async function leaver(attacker) {
  const COUNT = 1_000_000;
  const peer = await attacker.connect({ type: "SUB" });
  for (let from = 0; from < COUNT; from += IN_ONE_WRITE) await peer.send(million(from, IN_ONE_WRITE));
  await peer.send(command("PING", "\0\0"));
  // Its answer comes behind all subscriptions.
  await new Promise((resolve) => {
    peer.socket.once("data", resolve).once("close", resolve);
    setTimeout(resolve, 10_000).unref();
  });
  await peer.end();
  await attacker.pause(2000);
}

/** @param {number} ttl @param {string} context */
const ping = (ttl, context) =>
  command("PING", Buffer.concat([Buffer.from([ttl >> 8, ttl & 255]), Buffer.from(context)]));

/** A client's HELLO for the victim's key, recorded from a client of our own: it may be sent any number of times. */
async function recordHello() {
  const { zmq } = load("zmtp");
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const client = new zmq.Request({ linger: 0, ...securityOptions({ curve: "1" }, "client") });
  client.connect(`tcp://127.0.0.1:${port}`);
  /** @type {Buffer} */
  const hello = await new Promise((resolve) => {
    server.once("connection", (socket) => {
      let all = Buffer.alloc(0);
      socket.on("error", () => {});
      socket.write(greeting("CURVE"));
      socket.on("data", (chunk) => {
        all = Buffer.concat([all, chunk]);
        if (all.length >= GREETING_BYTES + HELLO_BYTES)
          resolve(all.subarray(GREETING_BYTES, GREETING_BYTES + HELLO_BYTES));
      });
    });
  });
  client.close();
  server.close();
  return Buffer.concat([greeting("CURVE"), hello]);
}

/** Octets of a greeting and a HELLO, one a second. @param {number} count */
const drip = (count) => async (/** @type {Attacker} */ attacker) => {
  /** @type {import("./attacker.mjs").Peer[]} */
  const peers = [];
  await attacker.many(count, async () => {
    peers.push(await attacker.connect({ opening: Buffer.alloc(0), waits: false }));
  });
  for (const octet of introduction("REQ")) {
    for (const peer of peers) await peer.send(Buffer.from([octet]));
    await attacker.pause(1000);
  }
};

/** Topics each of which is the beginning of the next. @param {Attacker} attacker */
async function nested(attacker) {
  const peer = await attacker.connect({ type: "SUB" });
  for (let length = 1; (await peer.send(subscribe(Buffer.alloc(length, "n")))) && length < 6000; length++) {}
  await peer.end();
  await attacker.pause(500);
}

/** @param {number} count @param {number} size @param {number} flags */
const frames = (count, size, flags) => repeated(frame(Buffer.alloc(size, "x"), flags), count);

/** A handshake with as many properties as 64 KiB hold. */
const PROPERTIES = Buffer.concat([
  greeting(),
  command(
    "READY",
    Buffer.concat([
      property("Socket-Type", "PUSH"),
      ...Array.from({ length: 6000 }, (_, index) => property(index.toString(36).padStart(4, "X"), "v")),
    ]),
  ),
]);

const HUGE_BYTES = 1024 * MIB;

/** @type {Attack[]} */
export const ATTACKS = [
  {
    id: "nothing",
    title: "No attack: for comparison",
    victim: { type: "pull" },
    seconds: 2,
    run: (attacker) => attacker.untilOver(),
  },
  {
    id: "frames",
    title: "Messages of 65,535 one-octet frames, nobody receives; mark 1000, `maxMessageSize` 1000",
    victim: { type: "pull", unread: true, options: { maxMessageSize: 1000, receiveHighWaterMark: 1000 } },
    run: repeat("PUSH", Buffer.concat([frames(65_534, 1, MORE), frame("x")])),
  },
  {
    id: "frames-empty",
    title: "The same of empty frames: two octets each",
    victim: { type: "pull", unread: true, options: { maxMessageSize: 1000, receiveHighWaterMark: 1000 } },
    run: repeat("PUSH", Buffer.concat([frames(65_534, 0, MORE), frame("")])),
  },
  { id: "topics-pub", title: "Ever new topics of 8, PUB", victim: { type: "pub" }, run: topics(8) },
  {
    id: "topics-xpub",
    title: "Ever new topics of 8, XPUB that nobody reads",
    victim: { type: "xpub", unread: true },
    run: topics(8),
  },
  {
    id: "leaver-pub",
    title: "A peer with 1,000,000 subscriptions of 20 octets leaves a PUB; Node's own heap",
    victim: { type: "pub" },
    heap: 0,
    seconds: 20,
    run: leaver,
  },
  {
    id: "leaver-xpub",
    title: "The same, XPUB that is read",
    victim: { type: "xpub" },
    heap: 0,
    seconds: 20,
    run: leaver,
  },
  {
    id: "pings-1",
    title: "PINGs, one peer",
    victim: { type: "pull" },
    quick: true,
    octets: 64 * MIB,
    run: repeat("PUSH", repeated(ping(0, ""), 8000)),
  },
  {
    id: "pings-8",
    title: "PINGs, eight peers",
    victim: { type: "pull" },
    octets: 256 * MIB,
    async run(attacker) {
      await attacker.many(8, () => repeat("PUSH", repeated(ping(0, ""), 8000))(attacker));
    },
  },
  {
    id: "endless",
    title: "A message that never ends, frames of 64 KiB; `maxMessageSize` 64 KiB, mark 10",
    victim: { type: "pull", options: { maxMessageSize: 64 * KIB, receiveHighWaterMark: 10 } },
    octets: 512 * MIB,
    quick: true,
    run: repeat("PUSH", frames(1, 64 * KIB, MORE)),
  },
  {
    id: "flapping",
    title: "SUBSCRIBE and CANCEL of one topic, XPUB that nobody reads",
    victim: { type: "xpub", unread: true },
    run: repeat("SUB", repeated(Buffer.concat([command(SUBSCRIBE, "t"), command(CANCEL, "t")]), IN_ONE_WRITE)),
  },
  {
    id: "silent",
    title: "5,000 connections that say nothing",
    victim: { type: "rep" },
    run: crowdOf(5000, () => ({ opening: Buffer.alloc(0), waits: false })),
  },
  { id: "drip", title: "5,000 handshakes of an octet a second", victim: { type: "rep" }, seconds: 6, run: drip(5000) },

  {
    id: "huge-bodies",
    title: "300 connections each begin a body of 1 GiB, send 200 KiB of it, and wait",
    victim: { type: "pull" },
    octets: 128 * MIB,
    run: crowdOf(300, () => ({ sends: [frameHeader(HUGE_BYTES), Buffer.alloc(200 * KIB)] })),
  },
  {
    id: "huge-announced",
    title: "5,000 connections each announce a body of 1 GiB, and send one octet",
    victim: { type: "pull" },
    run: crowdOf(5000, () => ({ sends: [Buffer.concat([frameHeader(HUGE_BYTES), Buffer.alloc(1)])] })),
  },
  {
    id: "unread-large",
    title: "100 connections send 4 MiB each in messages of 64 KiB, nobody receives",
    victim: { type: "pull", unread: true },
    octets: 512 * MIB,
    run: crowdOf(100, () => ({ sends: Array.from({ length: 64 }, () => frames(1, 64 * KIB, 0)) })),
  },
  {
    id: "unread-small",
    title: "1,000 connections fill their marks with messages of one octet, nobody receives",
    victim: { type: "pull", unread: true },
    seconds: 6,
    run: crowdOf(1000, () => ({ sends: [frames(3000, 1, 0)] })),
  },
  {
    id: "unfinished-many",
    title: "1,000 connections each begin a message of many one-octet frames, and never end it",
    victim: { type: "pull" },
    seconds: 6,
    run: crowdOf(1000, () => ({ sends: [frames(10_000, 1, MORE)] })),
  },
  {
    id: "leave-together",
    title: "5,000 peers with a subscription each leave at the same moment, XPUB that is read",
    victim: { type: "xpub" },
    seconds: 8,
    async run(attacker) {
      /** @type {import("./attacker.mjs").Peer[]} */
      const peers = [];
      await attacker.many(5000, async (index) => {
        const peer = await attacker.connect({ type: "SUB" });
        await peer.send(command(SUBSCRIBE, `number ${index}`));
        peers.push(peer);
      });
      for (const peer of peers) peer.destroy();
      await attacker.pause(1000);
    },
  },
  {
    id: "subscribe-churn",
    title: "1,000 subscriptions and gone, on ever new connections, XPUB that is read",
    victim: { type: "xpub" },
    octets: 128 * MIB,
    run: churn(async (attacker, index) => {
      const peer = await attacker.connect({ type: "SUB" });
      const own = Array.from({ length: 1000 }, (_, at) => command(SUBSCRIBE, `${index} has ${at}`));
      await peer.send(Buffer.concat(own));
      await peer.end();
    }),
  },
  {
    id: "second-pairs",
    title: "Ever new peers of a PAIR that has one",
    victim: { type: "pair" },
    run: visits({ type: "PAIR" }),
  },
  {
    id: "zap-waits",
    title: "2,000 connections that wait for a ZAP handler which never answers",
    victim: { type: "rep", security: "plain", zap: "silent" },
    async run(attacker) {
      const hello = command("HELLO", "\x05admin\x06secret");
      await crowdOf(2000, () => ({ opening: Buffer.concat([greeting("PLAIN"), hello]) }))(attacker);
    },
  },
  {
    id: "one-octet-writes",
    title: "Messages octet by octet",
    victim: { type: "pull" },
    async run(attacker) {
      const message = frame("a message of one octet after the other");
      await attacker.many(20, async () => {
        const peer = await attacker.connect();
        for (let at = 0; await peer.send(message.subarray(at, at + 1)); at = (at + 1) % message.length) {
          await new Promise(setImmediate);
        }
      });
    },
  },
  {
    id: "empty-messages",
    title: "Empty messages in masses, PULL that is read",
    victim: { type: "pull" },
    octets: 64 * MIB,
    quick: true,
    run: repeat("PUSH", frames(30_000, 0, 0)),
  },
  {
    id: "empty-messages-8",
    title: "The same of eight peers",
    victim: { type: "pull" },
    octets: 256 * MIB,
    async run(attacker) {
      await attacker.many(8, () => repeat("PUSH", frames(30_000, 0, 0))(attacker));
    },
  },
  {
    id: "unknown-commands",
    title: "Unknown commands",
    victim: { type: "pull" },
    octets: 128 * MIB,
    run: repeat("PUSH", repeated(command("NOSUCHCOMMAND", "data"), 4000)),
  },
  {
    id: "unknown-large",
    title: "Unknown commands of 1 MiB",
    victim: { type: "pull" },
    octets: 512 * MIB,
    run: repeat("PUSH", command("NOSUCHCOMMAND", Buffer.alloc(MIB))),
  },
  {
    id: "error-commands",
    title: "ERROR commands after the handshake",
    victim: { type: "pull" },
    octets: 64 * MIB,
    run: repeat("PUSH", repeated(command("ERROR", "\x03why"), 4000)),
  },
  {
    id: "error-handshakes",
    title: "Handshakes that end with ERROR, again and again",
    victim: { type: "rep" },
    run: visits({ opening: Buffer.concat([greeting(), command("ERROR", "\x03why")]) }),
  },
  {
    id: "pings-unread",
    title: "PINGs with the longest context, PONGs never read",
    victim: { type: "pull" },
    octets: 128 * MIB,
    run: repeat("PUSH", repeated(ping(0, "sixteen octets.."), 4000), { reads: false }),
  },
  {
    id: "pings-unread-100",
    title: "The same of 100 peers",
    victim: { type: "pull" },
    octets: 256 * MIB,
    async run(attacker) {
      await attacker.many(100, () =>
        repeat("PUSH", repeated(ping(0, "sixteen octets.."), 4000), { reads: false })(attacker),
      );
    },
  },
  {
    id: "short-ttl",
    title: "1,000 peers that each ask for a time to live of 0.1 s, and fall silent",
    victim: { type: "pull" },
    run: crowdOf(1000, () => ({ sends: [ping(1, "")] })),
  },
  {
    id: "answers-unread",
    title: "Requests to a ROUTER that answers, answers never read",
    victim: { type: "router" },
    octets: 128 * MIB,
    quick: true,
    run: repeat("DEALER", repeated(frame(Buffer.alloc(1000)), 60), { reads: false }),
  },
  {
    id: "answers-unread-100",
    title: "The same of 100 peers",
    victim: { type: "router" },
    octets: 256 * MIB,
    async run(attacker) {
      await attacker.many(100, () =>
        repeat("DEALER", repeated(frame(Buffer.alloc(1000)), 60), { reads: false })(attacker),
      );
    },
  },
  {
    id: "rep-unread",
    title: "Requests to a REP, answers never read",
    victim: { type: "rep" },
    octets: 64 * MIB,
    run: repeat("REQ", repeated(Buffer.concat([frame("", MORE), frame(Buffer.alloc(1000))]), 60), { reads: false }),
  },
  {
    id: "envelopes",
    title: "Requests with an envelope of 10,000 frames to a REP",
    victim: { type: "rep" },
    octets: 64 * MIB,
    run: repeat("DEALER", Buffer.concat([frames(10_000, 5, MORE), frame("", MORE), frame("why")])),
  },
  {
    id: "no-envelope",
    title: "Requests without an envelope to a REP",
    victim: { type: "rep" },
    octets: 64 * MIB,
    run: repeat("DEALER", frames(10_000, 5, 0)),
  },
  {
    id: "same-ids",
    quick: true,
    title: "2,000 connections with one routing id, ROUTER",
    victim: { type: "router" },
    run: crowdOf(2000, () => ({ type: "DEALER", identity: "the same", sends: [frame("hello")] })),
  },
  {
    id: "new-ids",
    title: "Ever new routing ids of 255 octets: connect, a message, close; ROUTER",
    victim: { type: "router" },
    run: churn(async (attacker, index) => {
      const peer = await attacker.connect({
        type: "DEALER",
        identity: `${index} of ${attacker.number} `.padEnd(255, "i"),
      });
      await peer.send(frame("hello"));
      await peer.end();
    }),
  },
  {
    id: "curve-hellos",
    title: "CURVE: a good HELLO on ever new connections, and then nothing",
    victim: { type: "rep", security: "curve" },
    quick: true,
    async run(attacker) {
      const opening = await recordHello();
      await churn(async () => {
        const peer = await attacker.connect({ opening });
        await attacker.wait((wake) => peer.whenReceived(GREETING_BYTES + WELCOME_BYTES, wake));
        peer.destroy();
      }, 50)(attacker);
    },
  },
  {
    id: "curve-initiates",
    title: "CURVE: a good HELLO, and an INITIATE of random octets",
    victim: { type: "rep", security: "curve" },
    async run(attacker) {
      const opening = Buffer.concat([await recordHello(), command("INITIATE", randomBytes(500))]);
      await churn(async () => {
        const peer = await attacker.connect({ opening });
        await peer.end();
      }, 50)(attacker);
    },
  },
  {
    id: "curve-held",
    title: "CURVE: 2,000 connections that stop behind a good HELLO",
    victim: { type: "rep", security: "curve" },
    async run(attacker) {
      const opening = await recordHello();
      await crowdOf(2000, () => ({ opening }))(attacker);
    },
  },
  {
    id: "plain-hellos",
    title: "PLAIN: wrong passwords on ever new connections",
    victim: { type: "rep", security: "plain" },
    run: visits({ opening: Buffer.concat([greeting("PLAIN"), command("HELLO", "\x05admin\x06secret")]) }),
  },
  {
    id: "wrong-mechanism",
    title: "Greetings with another mechanism on ever new connections",
    victim: { type: "rep" },
    run: visits({ opening: greeting("GSSAPI") }),
  },
  {
    id: "churn",
    title: "Connect, shake hands, close, as fast as it goes; two processes",
    victim: { type: "pull" },
    processes: 2,
    quick: true,
    run: visits(),
  },
  {
    id: "half-closed",
    title: "2,000 connections that send a request and a FIN, and never close",
    victim: { type: "rep" },
    async run(attacker) {
      await attacker.many(2000, async () => {
        const peer = await attacker.connect({ type: "REQ" });
        await peer.send(Buffer.concat([frame("", MORE), frame("why")]));
        peer.socket.end();
      });
      await attacker.untilOver();
    },
  },
  {
    id: "resets",
    quick: true,
    title: "Connections reset in the middle of a message",
    victim: { type: "pull" },
    run: churn(async (attacker) => {
      const peer = await attacker.connect();
      await peer.send(Buffer.concat([frame("whole", MORE), frameHeader(100_000), Buffer.alloc(50_000)]));
      peer.reset();
    }),
  },
  {
    id: "resets-at-once",
    title: "Connections reset before they say anything",
    victim: { type: "pull" },
    run: churn(async (attacker) => {
      const peer = await attacker.connect({ opening: Buffer.alloc(0), waits: false });
      peer.reset();
    }, 50),
  },
  {
    id: "long-topics",
    title: "Ever new topics of 60 KiB, PUB",
    victim: { type: "pub" },
    octets: 256 * MIB,
    run: topics(60 * KIB),
  },
  {
    id: "topics-as-messages",
    title: "Ever new topics of 8 as ZMTP 3.0 has them, in messages; PUB",
    victim: { type: "pub" },
    run: topics(8, (topic) => frame(Buffer.concat([Buffer.from([1]), topic]))),
  },
  {
    id: "topics-100",
    title: "100 peers with ever new topics, PUB",
    victim: { type: "pub" },
    octets: 64 * MIB,
    async run(attacker) {
      await attacker.many(100, (index) => topics(16, (topic) => command(SUBSCRIBE, `${topic}${index}`))(attacker));
    },
  },
  {
    id: "cancels",
    title: "CANCEL of topics that nobody subscribed to, PUB",
    victim: { type: "pub" },
    octets: 64 * MIB,
    run: topics(8, (topic) => command(CANCEL, topic)),
  },
  {
    id: "nested-topics",
    title: "6,000 topics, each the beginning of the next, and gone; PUB",
    victim: { type: "pub" },
    run: nested,
  },
  {
    id: "nested-topics-xpub",
    title: "The same, XPUB that is read",
    victim: { type: "xpub" },
    run: nested,
  },
  {
    id: "same-topic",
    title: "One topic subscribed to again and again, PUB",
    victim: { type: "pub" },
    octets: 64 * MIB,
    run: repeat("SUB", repeated(command(SUBSCRIBE, "again"), 4000)),
  },
  {
    id: "messages-to-pub",
    title: "Messages to a PUB",
    victim: { type: "pub" },
    octets: 128 * MIB,
    run: repeat("SUB", Buffer.concat([frames(1000, 30, MORE), frame("end"), frames(1000, 30, 0)])),
  },
  {
    id: "messages-to-xpub",
    title: "Messages to an XPUB that nobody reads",
    victim: { type: "xpub", unread: true },
    octets: 128 * MIB,
    run: repeat("XSUB", Buffer.concat([frame("\x02up"), frames(1000, 30, 0)])),
  },
  {
    id: "slow-subscribers",
    title: "200 subscribers to everything that never read; PUB of 2,000 messages of 1 KiB a second",
    victim: { type: "pub", publishes: KIB },
    run: crowdOf(200, () => ({ type: "SUB", sends: [command(SUBSCRIBE, "all")] })),
  },
  {
    id: "large-ready",
    quick: true,
    title: "READY with 6,000 properties, again and again",
    victim: { type: "pull" },
    octets: 128 * MIB,
    async run(attacker) {
      await churn(async () => {
        const peer = await attacker.connect({ opening: PROPERTIES });
        await peer.end();
      })(attacker);
    },
  },
  {
    id: "large-ready-held",
    quick: true,
    title: "1,000 connections that each announce 6,000 properties, and stay",
    victim: { type: "pull" },
    octets: 128 * MIB,
    run: crowdOf(1000, () => ({ opening: PROPERTIES })),
  },
  {
    id: "endless-handshake",
    title: "100 READY commands announced with 1 GiB, sent until the victim has enough",
    victim: { type: "pull" },
    octets: 256 * MIB,
    async run(attacker) {
      const opening = Buffer.concat([greeting(), frameHeader(HUGE_BYTES, COMMAND), Buffer.from("\x05READY")]);
      await attacker.many(100, async () => {
        const peer = await attacker.connect({ opening });
        await peer.flood(() => Buffer.alloc(64 * KIB));
      });
    },
  },
  {
    id: "two-readys",
    title: "A second READY, on ever new connections",
    victim: { type: "pull" },
    run: visits({ opening: Buffer.concat([introduction("PUSH"), ready("PUSH")]) }),
  },
  {
    id: "wrong-type",
    title: "A socket type that does not fit, on ever new connections",
    victim: { type: "pull" },
    run: visits({ type: "SUB" }),
  },
  {
    id: "http",
    title: "2,000 HTTP requests, which look like ZMTP 1.0",
    victim: { type: "rep" },
    run: crowdOf(2000, () => ({ opening: Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), waits: false })),
  },
  {
    id: "random",
    title: "Random octets on ever new connections",
    victim: { type: "rep" },
    run: churn(async (attacker) => {
      const peer = await attacker.connect({ opening: randomBytes(500), waits: false });
      await peer.end();
    }),
  },
  {
    id: "random-frames",
    title: "Random octets behind a good handshake, on ever new connections",
    victim: { type: "router" },
    run: churn(async (attacker) => {
      const peer = await attacker.connect({ type: "DEALER" });
      await peer.send(randomBytes(2000));
      await peer.end();
    }),
  },
  {
    id: "flooded-sub",
    title: "A hostile publisher: messages of one octet in masses to a SUB that is read slowly",
    victim: { type: "sub", unread: true },
    octets: 128 * MIB,
    run: repeat("PUB", frames(20_000, 1, 0)),
  },
];

/**
 * Peers that mean harm, or no ZMTP at all: their connection goes, an event says why, and nobody else notices. Each is
 * played against a bound and against a connecting socket.
 */
import { connect, type Socket as NetSocket } from "node:net";
import { type Event, Pull, Push, type Socket } from "zmtp";
import { MESSAGE_FRAMES, OPERATIONS_PER_TURN } from "../../src/base/constants.ts";
import { Clock } from "../helpers/clock.ts";
import { command, FLAG_MORE, frame, GREETING, octets, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { assert, suite } from "../helpers/test.ts";
import { collectGarbage, eventually, turns } from "../helpers/wait.ts";
import { READY } from "../vectors/zmtp.ts";

const it = suite("session/hostile");
const clock = new Clock(it);

/** What an event tells, in short. Whether a close is seen as such or as a reset is up to the kernel. */
function short(event: Event): string {
  const { error } = event as { error?: { code?: string } };
  return error === undefined ? event.type : `${event.type} ${error.code?.replace(/EPIPE|ECONNRESET/, "gone")}`;
}

/** Notes the events that are about the end of connections. */
function watch(socket: Socket): string[] {
  const seen: string[] = [];
  (async () => {
    for await (const event of socket.events) if (/^(handshake|disconnect)/.test(event.type)) seen.push(short(event));
  })();
  return seen;
}

/** A greeting with another mechanism. */
const PLAIN_GREETING = Buffer.concat([GREETING.subarray(0, 12), Buffer.from("PLAIN"), GREETING.subarray(17)]);

const INVALID = "handshake:error:protocol";

interface Attack {
  title: string;
  play(peer: RawPeer): unknown;
  /** Events, without `handshake` and with `disconnect` at their end. */
  events: readonly string[];
}

const ready = (peer: RawPeer): Promise<Buffer> => peer.handshake("PUSH");

const ATTACKS: readonly Attack[] = [
  {
    title: "a close before the greeting",
    play: (peer) => peer.destroy(),
    events: ["handshake:error:other gone"],
  },
  {
    title: "half a greeting, then silence",
    play: (peer) => peer.write(GREETING.subarray(0, 33)),
    events: ["handshake:error:other EAGAIN"],
  },
  {
    title: "a greeting, then silence",
    play: (peer) => peer.write(GREETING),
    events: ["handshake:error:other EAGAIN"],
  },
  {
    title: "HTTP",
    play: (peer) => peer.write(Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")),
    events: ["handshake:error:other EAGAIN"],
  },
  {
    title: "another mechanism",
    play: (peer) => peer.write(PLAIN_GREETING),
    events: [`${INVALID} ERR_ZMTP_MECHANISM_MISMATCH`],
  },
  {
    title: "a socket type that does not fit",
    play: (peer) => peer.write(GREETING, octets(READY.PULL)),
    events: [`${INVALID} ERR_ZMTP_INVALID_METADATA`],
  },
  {
    title: "a socket type that does not exist",
    play: (peer) => peer.write(GREETING, octets(READY.PULL.replace("50554c4c", "4e4f4e45"))),
    events: [`${INVALID} ERR_ZMTP_INVALID_METADATA`],
  },
  {
    title: "metadata that is cut off",
    play: (peer) => peer.write(GREETING, command("READY", octets("0b 536f636b65742d54797065 000000ff 50"))),
    events: [`${INVALID} ERR_ZMTP_INVALID_METADATA`],
  },
  {
    title: "an unknown command in the handshake",
    play: (peer) => peer.write(GREETING, command("HELLO", "x")),
    events: [`${INVALID} ERR_ZMTP_UNEXPECTED_COMMAND`],
  },
  {
    title: "traffic in the handshake",
    play: (peer) => peer.write(GREETING, frame(0, Buffer.from("early"))),
    events: [`${INVALID} ERR_ZMTP_UNEXPECTED_COMMAND`],
  },
  {
    title: "a handshake command of 2^40 octets",
    play: (peer) => peer.write(GREETING, octets("06 0000010000000000 05")),
    events: [],
  },
  {
    title: "reserved bits",
    play: async (peer) => {
      await ready(peer);
      peer.write(octets("08 01 61"));
    },
    events: [],
  },
  {
    title: "MORE on a command",
    play: async (peer) => {
      await ready(peer);
      peer.write(octets("05 05 04 50494e47"));
    },
    events: [],
  },
  {
    title: "a frame of 2^63 octets",
    play: async (peer) => {
      await ready(peer);
      peer.write(octets("02 8000000000000000 61"));
    },
    events: [],
  },
  {
    title: "a PING without time to live",
    play: async (peer) => {
      await ready(peer);
      peer.write(command("PING"));
    },
    events: [`${INVALID} ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED`],
  },
  {
    title: "a message that never ends",
    play: async (peer) => {
      await ready(peer);
      peer.write(Buffer.alloc(3 * MESSAGE_FRAMES, octets("01 01 61")));
    },
    events: [],
  },
];

for (const { title, play, events } of ATTACKS) {
  it(`${title}: cut off, told, and others are served`, async () => {
    const expected = [...events, "disconnect"];
    // Short for those who say nothing; the others have to reach their end in time on a busy machine.
    const handshakeInterval = events.some((event) => event.endsWith("EAGAIN")) ? 200 : 30_000;
    const isDone = (seen: string[]): boolean => seen.includes("disconnect");

    const bound = new Pull({ handshakeInterval, linger: 0 });
    await bound.bind("tcp://127.0.0.1:*");
    const seen = watch(bound);
    const attacker = await RawPeer.connect(bound.lastEndpoint);
    await play(attacker);
    await attacker.closed;
    await eventually(() => isDone(seen));
    assert.equal(
      seen.filter((event) => event !== "handshake"),
      expected,
      "bound",
    );
    const honest = new Push({ linger: 0 });
    honest.connect(bound.lastEndpoint as string);
    await honest.send("hello");
    assert.is(String(await bound.receive()), "hello");
    honest.close();
    bound.close();

    const server = await RawServer.listen();
    const connecting = new Pull({ handshakeInterval, reconnectInterval: 20, linger: 0 });
    const told = watch(connecting);
    connecting.connect(server.address);
    const refused = await server.accept();
    await play(refused);
    await refused.closed;
    await eventually(() => isDone(told));
    assert.equal(
      told.filter((event) => event !== "handshake"),
      expected,
      "connecting",
    );
    // It comes again, and a peer that behaves is served.
    const better = await server.accept();
    await better.handshake("PUSH");
    better.send("hello");
    assert.is(String(await connecting.receive()), "hello");
    connecting.close();
    await server.close();
  });
}

it("a peer that closes while its greeting is answered is no fault of ours", async () => {
  const pull = new Pull({ linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const seen = watch(pull);
  for (let length = 0; length <= 64; length += 4) {
    const peer = await RawPeer.connect(pull.lastEndpoint);
    peer.write(GREETING.subarray(0, length));
    peer.reset();
  }
  await eventually(() => seen.filter((event) => event === "disconnect").length === 17);
  assert.is(seen.filter((event) => event === "handshake:error:other gone").length, 17);
  pull.close();
});

it("an announced size takes no memory", async () => {
  const pull = new Pull({ linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const peers: RawPeer[] = [];
  for (let i = 0; i < 200; i++) {
    const peer = await RawPeer.connect(pull.lastEndpoint);
    await ready(peer);
    peers.push(peer);
  }
  const before = await collectGarbage();
  // 2 GiB each: allowed, as long as it comes. The PING in front is read in one go with it.
  for (const peer of peers) {
    peer.write(command("PING", "\0\0"), octets("02 0000000080000000"), Buffer.alloc(100, "x"));
  }
  for (const peer of peers) assert.is(await peer.command(), "PONG");
  const after = await collectGarbage();
  // A step of growth each at most: 1 MiB.
  assert.ok(after.arrayBuffers - before.arrayBuffers < 220 * 1048576, `${after.arrayBuffers - before.arrayBuffers}`);
  assert.ok(after.rss - before.rss < 100 * 1048576, `${after.rss - before.rss}`);
  pull.close();
  for (const peer of peers) peer.destroy();
});

it("a flood of commands leaves others their turn, and each is answered", async () => {
  const pull = new Pull({ linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const flood = await RawPeer.connect(pull.lastEndpoint);
  const good = await RawPeer.connect(pull.lastEndpoint);
  await Promise.all([ready(flood), ready(good)]);
  const ping = command("PING", "\0\0");
  // Deno hands over so many reads at once that one turn takes all it may: OPERATIONS_PER_TURN.
  const count = 6 * OPERATIONS_PER_TURN;
  const answers = count * command("PONG").length;
  flood.write(Buffer.concat(Array.from({ length: count }, () => ping)));
  good.write(ping);
  assert.is(await good.command(), "PONG");
  await turns(3);
  assert.ok(flood.available < answers, `${flood.available}`);
  await eventually(() => flood.available === answers);
  pull.close();
});

it("maxMessageSize cuts off before the body comes", async () => {
  const pull = new Pull({ maxMessageSize: 1000, linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const seen = watch(pull);
  const peer = await RawPeer.connect(pull.lastEndpoint);
  await ready(peer);
  peer.send("y".repeat(1000));
  peer.write(octets("02 00000000000003e9"));
  await peer.closed;
  assert.is((await pull.receive())[0].length, 1000);
  await eventually(() => seen.length === 2);
  assert.equal(seen, ["handshake", "disconnect"]);
  pull.close();
});

it("a long handshake is no longer than its timer allows", async () => {
  clock.stop();
  const pull = new Pull({ handshakeInterval: 300, linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(pull.lastEndpoint);
  // A 1.0 peer with the longest routing id that there is, one octet at a time.
  peer.write(octets("ff 0000000000000100 00"));
  for (let passed = 0; passed < 290; passed += 10) {
    assert.not(peer.isClosed);
    await clock.advance(10);
    peer.write(Buffer.from("x"));
  }
  await clock.advance(20);
  await peer.closed;
  pull.close();
});

/** Two descriptors each in this one process. */
const SILENT = Number(process.env.ZMTP_SILENT_PEERS ?? 2000);

it(
  `${SILENT} connections that say nothing disturb nobody, and go when their time is over`,
  async () => {
    clock.stop();
    const pull = new Pull({ handshakeInterval: 3000, linger: 0 });
    await pull.bind("tcp://127.0.0.1:*");
    const port = Number((pull.lastEndpoint as string).split(":").pop());
    const push = new Push({ linger: 0 });
    push.connect(pull.lastEndpoint as string);
    await push.send("before");
    assert.is(String(await pull.receive()), "before");
    const silent: NetSocket[] = [];
    let accepted = 0;
    pull.events.on("accept", () => accepted++);
    let gone = 0;
    for (let i = 0; i < SILENT; i++) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.on("close", () => gone++);
      socket.resume();
      silent.push(socket);
      if (i % 50 === 0) {
        await push.send("during");
        assert.is(String(await pull.receive()), "during");
        // Faster would overflow the kernel's queue.
        await eventually(() => accepted > i);
      }
    }
    await eventually(() => accepted === SILENT);
    assert.is(gone, 0);
    await clock.advance(3000);
    await eventually(() => gone === SILENT);
    await push.send("after");
    assert.is(String(await pull.receive()), "after");
    push.close();
    pull.close();
  },
  { timeout: 60_000 },
);

it("a frame with MORE costs no more than a message, and there is a limit to them", async () => {
  const pull = new Pull({ linger: 0 });
  await pull.bind("tcp://127.0.0.1:*");
  const chunk = Buffer.concat(Array.from({ length: 60_000 }, () => frame(FLAG_MORE, Buffer.from("a"))));
  const before = await collectGarbage();
  const peers: RawPeer[] = [];
  for (let i = 0; i < 10; i++) {
    const peer = await RawPeer.connect(pull.lastEndpoint);
    await ready(peer);
    peer.write(chunk);
    peers.push(peer);
  }
  await eventually(() => peers.every(({ socket }) => socket.writableLength === 0));
  await turns();
  const after = await collectGarbage();
  const each = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / 600_000;
  assert.ok(each < 250, `${each} octets for a frame of 3`);
  for (let sent = 60_000; sent < MESSAGE_FRAMES; sent += 60_000) peers[0].write(chunk);
  await peers[0].closed;
  assert.not(peers[1].isClosed);
  for (const peer of peers) peer.destroy();
  pull.close();
});

it.run();

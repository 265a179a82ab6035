/**
 * Back-pressure: who sends faster than its peer reads waits (PUSH) or loses messages (PUB), and nobody's memory grows.
 *
 * The reader that stops is a process of its own, as it is in life. `ZMTP_OFFERED_GB=10` makes it the long run.
 */
import { Publisher, Pull, Push, Subscriber } from "zmtp";
import { Child } from "../helpers/child.ts";
import { RawPeer } from "../helpers/raw-peer.ts";
import { assert, suite } from "../helpers/test.ts";
import { collectGarbage, eventually, isPending } from "../helpers/wait.ts";

const it = suite("session/backpressure");
const program = new URL("./reader.child.mjs", import.meta.url);

const OFFERED_BYTES = Number(process.env.ZMTP_OFFERED_GB ?? 1) * 2 ** 30;
const MEBIBYTE = 2 ** 20;

it("PUSH waits at its high-water mark, and wakes in lumps of half of it", async () => {
  const push = new Push({ sendHighWaterMark: 10, linger: 0 });
  await push.bind("tcp://127.0.0.1:*");
  const peer = await RawPeer.connect(push.lastEndpoint);
  await peer.handshake("PULL");
  peer.socket.pause();
  const body = Buffer.alloc(300_000, "x");
  let waiting: Promise<void>;
  for (;;) {
    waiting = push.send(body);
    if (await isPending(waiting, 300)) break;
  }
  assert.throws(
    () => push.send("y"),
    (error: { code: string }) => error.code === "EBUSY",
  );
  assert.is(push.writable, false);
  peer.socket.resume();
  await waiting;
  assert.is(push.writable, true);
  push.close();
  peer.destroy();
});

it(
  "a receiver keeps its high-water mark and two chunks, not more",
  async () => {
    const pull = new Pull({ receiveHighWaterMark: 10, linger: 0 });
    await pull.bind("tcp://127.0.0.1:*");
    const peer = await RawPeer.connect(pull.lastEndpoint);
    await peer.handshake("PUSH");
    const chunk = Buffer.alloc(MEBIBYTE, "x");
    chunk.fill(0);
    const before = await collectGarbage();
    // Empty messages, as many as the kernel takes.
    let written = 0;
    while (
      !(await isPending(new Promise<void>((fulfil) => peer.socket.write(chunk, () => fulfil())), 300)) &&
      written < 64
    )
      written++;
    assert.ok(written < 64);
    const after = await collectGarbage();
    assert.ok(after.heapUsed - before.heapUsed < 2 * MEBIBYTE);
    // The peer's own chunk that waits is one of these.
    assert.ok(after.arrayBuffers - before.arrayBuffers < 2 * MEBIBYTE);
    const total = ((written + 1) * MEBIBYTE) / 2;
    for (let got = 0; got < total; ) got += (await pull.receiveMany()).length;
    pull.close();
    peer.destroy();
  },
  { timeout: 30_000 },
);

it(
  `a reader that stops again and again: ${OFFERED_BYTES / 2 ** 30} GiB arrive in order, memory stays flat`,
  async () => {
    const push = new Push({ sendHighWaterMark: 50, linger: 0 });
    await push.bind("tcp://127.0.0.1:*");
    const child = new Child(program, "pull", push.lastEndpoint as string, "50");
    const size = 65536;
    const body = Buffer.alloc(size, "x");
    let sent = 0;
    const offer = async (): Promise<void> => {
      while (sent * size < OFFERED_BYTES) {
        const message = Buffer.from(body);
        message.writeUInt32BE(sent);
        await push.send(message);
        sent++;
      }
    };
    const offering = offer();
    for (let stops = 0; stops < 3; stops++) {
      child.say("stop");
      const [, rss] = (await child.line()).split(" ").map(Number);
      const stalled = push.send;
      assert.ok(stalled);
      // Stuck: nothing moves any more.
      let last = -1;
      await eventually(async () => {
        const now = sent;
        const isStill = now === last && (await isPending(offering, 200)) && sent === now;
        last = now;
        return isStill;
      });
      const memory = await collectGarbage();
      assert.ok(memory.arrayBuffers < 40 * MEBIBYTE, `sender: ${memory.arrayBuffers} octets after ${sent} messages`);
      assert.ok(rss < 400 * MEBIBYTE, `reader: ${rss}`);
      child.say("go");
    }
    await offering;
    push.send("end");
    assert.is(await child.line(), `read ${sent}`);
    assert.is((await child.ended).code, 0);
    push.close();
  },
  { timeout: 100_000 },
);

it(
  "PUB drops for a subscriber that does not read, and its memory stays flat; others get everything",
  async () => {
    const pub = new Publisher({ linger: 0, sendHighWaterMark: 100 });
    await pub.bind("tcp://127.0.0.1:*");
    const slow = await RawPeer.connect(pub.lastEndpoint);
    await slow.handshake("SUB");
    slow.send(Buffer.of(1));
    const sub = new Subscriber({ linger: 0 });
    sub.subscribe("");
    sub.connect(pub.lastEndpoint as string);
    const count = 4000;
    await eventually(async () => {
      await pub.send("ready");
      return sub.readable;
    });
    slow.socket.pause();
    const before = await collectGarbage();
    let got = 0;
    const reading = (async () => {
      while (got < count) {
        const text = String((await sub.receive())[0].subarray(0, 8)).trim();
        if (text !== "ready") assert.is(Number(text), got++);
      }
    })();
    const body = Buffer.alloc(50_000, " ");
    for (let i = 0; i < count; i++) {
      const message = Buffer.from(body);
      message.write(`${i}`);
      await pub.send(message);
      // No faster than the good one reads: the mark holds for it too.
      await eventually(() => got > i - 50);
    }
    await reading;
    const after = await collectGarbage();
    // A hundred messages, and a batch.
    assert.ok(after.arrayBuffers - before.arrayBuffers < 20 * MEBIBYTE, `${after.arrayBuffers - before.arrayBuffers}`);
    // The slow one goes on where it stood, with whole messages.
    slow.socket.resume();
    let last = -1;
    for (let i = 0; i < 20; i++) {
      const [text] = await slow.message();
      if (text === "ready") continue;
      assert.is(text.length, 50_000);
      assert.ok(Number(text.slice(0, 8)) > last);
      last = Number(text.slice(0, 8));
    }
    pub.close();
    sub.close();
    slow.destroy();
  },
  { timeout: 60_000 },
);

it.run();

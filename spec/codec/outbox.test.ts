/**
 * The outbox against a list of messages: whatever the order of writes, takes and losses, what is handed out is whole
 * messages in order, the counts are right, and no octet changes between `nextBatch` and `settle`.
 */

import { COPY_LIMIT_BYTES, SLAB_BYTES, SMALL_SLAB_BYTES } from "../../src/base/constants.ts";
import { encodedSize, encodeMessage } from "../../src/codec/encode.ts";
import { FanOut } from "../../src/codec/fan-out.ts";
import { encodeFrame, FLAG_MORE } from "../../src/codec/frame.ts";
import { Outbox } from "../../src/codec/outbox.ts";
import { type Slab, SlabPool } from "../../src/codec/slab-pool.ts";
import { type Random, randomly } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { transfer } from "../helpers/transfer.ts";

const it = suite("codec/outbox");

/** The same, slow and obvious. */
function canonical(frames: readonly Buffer[]): Buffer {
  return Buffer.concat(frames.map((body, i) => encodeFrame(i < frames.length - 1 ? FLAG_MORE : 0, body)));
}

function text(...frames: string[]): Buffer[] {
  return frames.map((frame) => Buffer.from(frame));
}

function taken(outbox: Outbox, limit = Number.MAX_SAFE_INTEGER): Buffer {
  return Buffer.concat(outbox.nextBatch(limit) ?? []);
}

const SIZES = [
  0, 1, 2, 10, 24, 25, 254, 255, 256, 257, 1000, 2037, 2048, 4096, 8182, 8183, 8184, 8192, 8193, 20_000, 65_536,
];

it("frames of every length are canonical, alone and in company", () => {
  for (const size of SIZES) {
    const body = Buffer.alloc(size, "x");
    for (const frames of [[body], [body, body], [Buffer.from("a"), body], [body, Buffer.alloc(0)]]) {
      const outbox = new Outbox(new SlabPool());
      outbox.write(frames);
      assert.is(outbox.bytes, encodedSize(frames));
      assert.ok(taken(outbox).equals(canonical(frames)), `${size}`);
      assert.is(outbox.bytes, 0);
      const target = Buffer.alloc(encodedSize(frames) + 7);
      assert.is(encodeMessage(target, 7, frames), target.length);
      assert.ok(target.subarray(7).equals(canonical(frames)));
    }
  }
});

it("small bodies are copied, large ones are the caller's memory", () => {
  const outbox = new Outbox(new SlabPool());
  const small = Buffer.alloc(128, "s");
  const large = Buffer.alloc(COPY_LIMIT_BYTES + 1, "l");
  outbox.write([small]);
  outbox.write([large]);
  small.fill("!");
  const parts = outbox.nextBatch(Number.MAX_SAFE_INTEGER) as Buffer[];
  assert.is(parts.length, 3);
  assert.is(parts[0][2], 0x73);
  assert.is(parts[2].buffer, large.buffer);
});

it("a message whose memory was transferred before it was written is left out whole, and counted", () => {
  const gone = (size: number): Buffer => Buffer.from(new ArrayBuffer(size)).fill(1);
  for (const size of [COPY_LIMIT_BYTES + 1, 20_000, 70_000]) {
    const lost = [
      [gone(size)],
      [Buffer.from("head"), gone(size)],
      [gone(size), Buffer.alloc(20_000, "b"), Buffer.from("tail")],
      [Buffer.alloc(20_000, "b"), gone(size)],
      [Buffer.alloc(20_000, "b"), Buffer.from("mid"), gone(size), gone(size), Buffer.from("tail")],
    ];
    for (const limit of [1, 50_000, Number.MAX_SAFE_INTEGER]) {
      for (const kept of [text("before"), [Buffer.alloc(9000, "k"), Buffer.from("y")]]) {
        const outbox = new Outbox(new SlabPool());
        const sent: Buffer[][] = [];
        for (const message of lost) {
          const own = message.map((frame) => Buffer.from(new Uint8Array(frame)));
          const waits = own.map((frame) =>
            Buffer.from(frame.buffer.slice(frame.byteOffset, frame.byteOffset + frame.length)),
          );
          outbox.write(kept);
          outbox.write(waits);
          sent.push(waits);
        }
        outbox.write(text("after"));
        for (const message of sent) for (const frame of message) if (frame.length === size) transfer(frame);
        const got: Buffer[] = [];
        for (let parts = outbox.nextBatch(limit); parts !== undefined; parts = outbox.nextBatch(limit)) {
          got.push(Buffer.concat(parts));
          outbox.settle();
        }
        const expected = Buffer.concat([...lost.map(() => canonical(kept)), canonical(text("after"))]);
        assert.ok(Buffer.concat(got).equals(expected), `${size} ${limit}`);
        assert.equal([outbox.missing, outbox.queued, outbox.bytes, outbox.idle], [lost.length, 0, 0, true]);
      }
    }
  }
});

it("a body in memory that can shrink or that threads share is copied", () => {
  const resizable = new (ArrayBuffer as unknown as new (size: number, options: object) => ArrayBuffer)(9000, {
    maxByteLength: 20_000,
  });
  for (const memory of [resizable, new SharedArrayBuffer(9000)]) {
    if (memory === resizable && (memory as { resizable?: boolean }).resizable !== true) continue;
    const outbox = new Outbox(new SlabPool());
    const raw = new Outbox(new SlabPool());
    const body = new Uint8Array(memory).fill(7);
    outbox.write([body]);
    raw.writeRaw(body);
    body.fill(9);
    (memory as { resize?: (size: number) => void }).resize?.(0);
    assert.ok(taken(outbox).equals(canonical([Buffer.alloc(9000, 7)])));
    assert.ok(taken(raw).equals(Buffer.alloc(9000, 7)));
  }
});

it("nextBatch hands out whole messages, one at least", () => {
  const outbox = new Outbox(new SlabPool());
  const message = [Buffer.alloc(30_000, "a"), Buffer.alloc(30_000, "b"), Buffer.alloc(10, "c")];
  for (let i = 0; i < 3; i++) outbox.write(message);
  for (let i = 3; i > 0; i--) {
    assert.is(outbox.queued, 3);
    assert.ok(taken(outbox, 1).equals(canonical(message)));
  }
  assert.is(outbox.nextBatch(1), undefined);
});

it("queued counts what waits and what is being written, until it was taken or settled", () => {
  const outbox = new Outbox(new SlabPool());
  for (let i = 0; i < 5; i++) outbox.write(text("x"));
  outbox.writeUncounted(encodeFrame(4, Buffer.from("command")));
  assert.is(outbox.queued, 5);
  outbox.nextBatch(1);
  assert.is(outbox.pending, false);
  assert.is(outbox.idle, false);
  outbox.write(text("y"));
  assert.is(outbox.queued, 6);
  outbox.taken();
  assert.is(outbox.queued, 1);
  outbox.nextBatch(1);
  outbox.settle();
  assert.is(outbox.queued, 1);
  outbox.settle();
  assert.is(outbox.queued, 0);
  assert.is(outbox.idle, true);
  outbox.settle();
  assert.is(outbox.queued, 0);
});

it("subscriptions wait in their place for a form; until they have one they are nothing unsent, and no message", () => {
  const outbox = new Outbox(new SlabPool());
  const topic = Buffer.from("a topic");
  outbox.writeTopic(topic, true);
  assert.is(outbox.idle, true);
  const large = Buffer.alloc(20_000, "x");
  outbox.write(text("first"));
  outbox.writeTopic(topic, false);
  outbox.writeTopic(Buffer.alloc(0), true);
  outbox.write([large]);
  outbox.writeTopic(topic, true);
  assert.equal([outbox.queued, outbox.waitingTopics, outbox.idle], [2, 4, false]);
  outbox.encodeTopics((octets, subscribe) =>
    encodeFrame(4, Buffer.concat([Buffer.from(subscribe ? "+" : "-"), octets])),
  );
  assert.equal([outbox.queued, outbox.waitingTopics], [2, 0]);
  const command = (octets: string): Buffer => encodeFrame(4, Buffer.from(octets));
  const expected = [
    ...[command("+a topic"), canonical(text("first")), command("-a topic"), command("+"), canonical([large])],
    command("+a topic"),
  ];
  assert.is(outbox.bytes, Buffer.concat(expected).length);
  assert.ok(taken(outbox).equals(Buffer.concat(expected)));
  outbox.settle();
  assert.is(outbox.idle, true);
});

it("subscriptions that wait can be dropped, and messages stay", () => {
  const outbox = new Outbox(new SlabPool());
  for (const body of ["a", "b"]) {
    outbox.writeTopic(Buffer.from("topic"), true);
    outbox.write(text(body));
  }
  outbox.encodeTopics();
  assert.is(outbox.waitingTopics, 0);
  assert.ok(taken(outbox).equals(Buffer.concat([canonical(text("a")), canonical(text("b"))])));
  outbox.writeTopic(Buffer.from("topic"), true);
  outbox.clear();
  assert.equal([outbox.waitingTopics, outbox.pending], [0, false]);
});

it("takes over what waits in another outbox, which is empty then and goes on", () => {
  const pool = new SlabPool();
  const large = Buffer.alloc(20_000, "x");
  for (let round = 0; round < 3; round++) {
    const one = new Outbox(pool);
    const other = new Outbox(pool);
    one.write(text("first"));
    for (const body of [text("second"), [large], text("third")]) other.write(body);
    other.writeTopic(Buffer.from("topic"), true);
    one.adopt(other);
    one.write(text("fourth"));
    other.write(text("its own"));
    assert.equal([one.queued, one.waitingTopics, other.queued, other.waitingTopics], [5, 1, 1, 0]);
    one.encodeTopics((octets) => encodeFrame(4, octets));
    const expected = [
      canonical(text("first")),
      canonical(text("second")),
      canonical([large]),
      canonical(text("third")),
    ];
    expected.push(encodeFrame(4, Buffer.from("topic")), canonical(text("fourth")));
    assert.is(one.bytes, Buffer.concat(expected).length);
    assert.ok(taken(one).equals(Buffer.concat(expected)));
    assert.ok(taken(other).equals(canonical(text("its own"))));
    one.settle();
    other.settle();
    assert.equal([one.idle, other.idle, other.bytes], [true, true, 0]);
  }
});

it("a loss takes what was being written and leaves what waits", () => {
  const outbox = new Outbox(new SlabPool());
  outbox.write(text("lost"));
  outbox.nextBatch(1);
  outbox.write(text("kept"));
  outbox.lost();
  assert.is(outbox.queued, 1);
  outbox.write(text("new"));
  // The write that was lost ends late.
  assert.ok(taken(outbox).equals(Buffer.concat([canonical(text("kept")), canonical(text("new"))])));
});

it("memory is not written again before the write of it has ended, also when it was lost", () => {
  const pool = new SlabPool();
  const outbox = new Outbox(pool);
  const held: [Buffer, Buffer][] = [];
  for (let i = 0; i < 200; i++) {
    outbox.write([Buffer.alloc(100, i)]);
    const part = (outbox.nextBatch(1) as Buffer[])[0];
    held.push([part, Buffer.from(part)]);
    if (i % 3 === 0) outbox.lost();
    // A neighbour that uses the same pool.
    const other = new Outbox(pool);
    other.write([Buffer.alloc(1500, "z")]);
    other.nextBatch(1);
    other.settle();
  }
  for (const [part, copy] of held) assert.ok(part.equals(copy));
});

it("slabs go round: a thousand quiet bursts use no new memory", () => {
  const pool = new SlabPool();
  const outbox = new Outbox(pool);
  const memories = new Set<unknown>();
  for (let i = 0; i < 1000; i++) {
    for (let j = 0; j < 10; j++) outbox.write(text("hello"));
    for (const part of outbox.nextBatch(1) as Buffer[]) memories.add(part.buffer);
    outbox.taken();
    outbox.settle();
  }
  assert.is(memories.size, 1);
  assert.is((memories.values().next().value as ArrayBuffer).byteLength, SMALL_SLAB_BYTES);
});

it("a burst changes to large slabs", () => {
  const outbox = new Outbox(new SlabPool());
  for (let i = 0; i < 5000; i++) outbox.write([Buffer.alloc(100)]);
  const parts = outbox.nextBatch(Number.MAX_SAFE_INTEGER) as Buffer[];
  assert.ok(parts.length <= Math.ceil((5000 * 102) / (SLAB_BYTES - 102)) + 1, `${parts.length}`);
});

it("a fan-out is encoded once, and each peer gets its own in order", () => {
  const pool = new SlabPool();
  const fanOut = new FanOut(pool);
  const outboxes = [new Outbox(pool), new Outbox(pool), new Outbox(pool)];
  const expected: Buffer[][] = [[], [], []];
  const share = (frames: Buffer[], ...to: number[]): void => {
    const slab: Slab = fanOut.encode(frames);
    slab.uses++;
    for (const i of to) {
      outboxes[i].writeShared(slab, fanOut.start, fanOut.end);
      expected[i].push(canonical(frames));
    }
    pool.release(slab);
  };
  share(text("all"), 0, 1, 2);
  share(text("some", "parts"), 0, 2);
  share(text("all again"), 0, 1, 2);
  share([Buffer.alloc(5000, "m")], 0, 1);
  const shared = (outboxes[0].nextBatch(Number.MAX_SAFE_INTEGER) as Buffer[])[0];
  assert.ok(shared.equals(Buffer.concat(expected[0])), "one range");
  assert.ok(taken(outboxes[1]).equals(Buffer.concat(expected[1])));
  assert.ok(taken(outboxes[2]).equals(Buffer.concat(expected[2])));
});

it("one peer of a fan-out that is lost does not disturb the others' memory", () => {
  const pool = new SlabPool();
  const fanOut = new FanOut(pool);
  const good = new Outbox(pool);
  const held: [Buffer, Buffer][] = [];
  for (let i = 0; i < 3000; i++) {
    const bad = new Outbox(pool);
    const slab = fanOut.encode([Buffer.alloc(60, i)]);
    slab.uses++;
    bad.writeShared(slab, fanOut.start, fanOut.end);
    good.writeShared(slab, fanOut.start, fanOut.end);
    pool.release(slab);
    if (i % 2 === 0) bad.nextBatch(1);
    bad.lost();
    bad.clear();
    const part = (good.nextBatch(1) as Buffer[])[0];
    held.push([part, Buffer.from(part)]);
    assert.is(part[2], i & 0xff);
    if (held.length > 50) {
      const [octets, copy] = held.shift() as [Buffer, Buffer];
      assert.ok(octets.equals(copy));
      good.settle();
    }
  }
  fanOut.close();
});

// Random orders of everything, against a list.

class Model {
  readonly outbox: Outbox;
  /** Encoded messages that wait; [octets, counts]. */
  waiting: [Buffer, number][] = [];
  writing: { parts: Buffer[]; copy: Buffer; messages: number }[] = [];

  constructor(pool: SlabPool) {
    this.outbox = new Outbox(pool);
  }

  check(): void {
    const waits = this.waiting.reduce((sum, [, count]) => sum + count, 0);
    const writes = this.writing.reduce((sum, { messages }) => sum + messages, 0);
    assert.is(this.outbox.queued, waits + writes);
    assert.is(
      this.outbox.bytes,
      this.waiting.reduce((sum, [octets]) => sum + octets.length, 0),
    );
    assert.is(this.outbox.pending, this.waiting.length > 0);
    assert.is(this.outbox.idle, this.waiting.length + this.writing.length === 0);
  }

  take(limit: number): void {
    const parts = this.outbox.nextBatch(limit)?.slice();
    if (this.waiting.length === 0) {
      assert.is(parts, undefined);
      return;
    }
    const copy = Buffer.concat(parts as Buffer[]);
    let length = 0;
    let messages = 0;
    while (length < copy.length) {
      const [octets, count] = this.waiting.shift() as [Buffer, number];
      assert.ok(copy.subarray(length, length + octets.length).equals(octets), "a whole message, in order");
      length += octets.length;
      messages += count;
    }
    assert.is(length, copy.length, "ends where a message ends");
    this.writing.push({ parts: parts as Buffer[], copy, messages });
  }

  settle(): void {
    const batch = this.writing.shift();
    if (batch !== undefined) assert.ok(Buffer.concat(batch.parts).equals(batch.copy), "unchanged while it was written");
    this.outbox.settle();
  }
}

function randomMessage(random: Random): Buffer[] {
  const count = random.below(4) === 0 ? 1 + random.below(5) : 1;
  return Array.from({ length: count }, () => {
    const size = random.below(8) === 0 ? random.pick(SIZES) : random.below(80);
    return Buffer.alloc(size, random.below(256));
  });
}

it("any order of writes, shares, takes, settles, clears and losses", () => {
  randomly((random) => {
    for (let round = 0; round < 30; round++) {
      const pool = new SlabPool();
      const fanOut = new FanOut(pool);
      const models = Array.from({ length: 3 }, () => new Model(pool));
      for (let step = 0; step < 1500; step++) {
        const model = random.pick(models);
        const { outbox } = model;
        const kind = random.below(100);
        if (kind < 35) {
          const frames = randomMessage(random);
          outbox.write(frames);
          model.waiting.push([canonical(frames), 1]);
        } else if (kind < 55) {
          const frames = randomMessage(random);
          const octets = canonical(frames);
          const slab = fanOut.encode(frames);
          slab.uses++;
          for (const each of models) {
            if (random.below(4) === 0) continue;
            each.outbox.writeShared(slab, fanOut.start, fanOut.end);
            each.waiting.push([octets, 1]);
          }
          pool.release(slab);
        } else if (kind < 58) {
          const octets = encodeFrame(4, Buffer.alloc(random.pick(SIZES), "s"));
          outbox.writeUncounted(octets);
          model.waiting.push([octets, 0]);
        } else if (kind < 75) {
          model.take(random.pick([1, 100, 5000, 100_000]));
        } else if (kind < 95) {
          model.settle();
        } else if (kind < 97) {
          outbox.taken();
          for (const batch of model.writing) batch.messages = 0;
        } else if (kind < 98) {
          outbox.clear();
          model.waiting = [];
        } else {
          const lost = model.writing;
          outbox.lost();
          model.writing = [];
          for (const { parts, copy } of lost) assert.ok(Buffer.concat(parts).equals(copy));
        }
        for (const each of models) each.check();
      }
      for (const model of models) {
        while (model.waiting.length > 0) model.take(1);
        while (model.writing.length > 0) model.settle();
        model.check();
      }
    }
  });
});

it.run();

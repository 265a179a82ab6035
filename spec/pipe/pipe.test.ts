/** The waist: marks, activation, and what may not overtake what. */

import { DECODE_AHEAD_MESSAGES } from "../../src/base/constants.ts";
import { SlabPool } from "../../src/codec/slab-pool.ts";
import { NetPipe, type PipeLimits, type PipeLink } from "../../src/pipe/net-pipe.ts";
import type { Pipe, PipeOwner } from "../../src/pipe/pipe.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("pipe/pipe");

/** Both halves of a pipe, which note what they are told. */
class Bench implements PipeOwner, PipeLink {
  readonly isOutgoing = false;
  readonly calls: string[] = [];
  readonly pool: SlabPool = new SlabPool();
  readonly pipe: NetPipe;
  /** Whether a receive waits. */
  takes = false;
  /** Messages that the kernel takes at a flush. */
  kernel = 0;
  onResume: () => void = () => {};
  onReadable: () => void = () => {};
  onWritable: () => void = () => {};

  constructor(limits: Partial<PipeLimits> = {}) {
    this.pipe = new NetPipe(this, this, this.pool, {
      send: 1000,
      receive: 1000,
      ahead: DECODE_AHEAD_MESSAGES,
      conflate: false,
      ...limits,
    });
    this.pipe.isConnected = true;
  }

  deliver(_pipe: Pipe, frames: Buffer[]): boolean {
    if (this.takes) this.calls.push(`deliver ${frames}`);
    return this.takes;
  }

  readable(): void {
    this.calls.push("readable");
    this.onReadable();
  }

  writable(): void {
    this.calls.push("writable");
    this.onWritable();
  }

  subscription(): void {}
  connected(): void {}
  disconnected(): void {}
  ended(): void {}

  /** As a session: takes batch after batch for as long as the kernel does. */
  flush(): void {
    const { outbox } = this.pipe;
    while (this.kernel > 0 && outbox.pending) {
      this.kernel--;
      outbox.nextBatch(1);
      outbox.taken();
      outbox.settle();
    }
    this.pipe.roomMade();
  }

  readonly isScheduled = false;

  schedule(): void {
    this.calls.push("schedule");
  }

  resume(): void {
    this.calls.push("resume");
    this.onResume();
  }

  subscribe(): void {}
  refuse(): void {}
  finish(): void {}

  push(...texts: string[]): boolean[] {
    return texts.map((text) => this.pipe.push([Buffer.from(text)]));
  }

  pull(): string {
    return String(this.pipe.pull());
  }

  write(count: number): void {
    for (let i = 0; i < count; i++) this.pipe.write([Buffer.alloc(20_000)]);
  }

  told(): string[] {
    return this.calls.splice(0);
  }
}

it("a message goes to a reader that waits, without a queue", () => {
  const bench = new Bench();
  bench.takes = true;
  assert.equal(bench.push("a", "b"), [true, true]);
  assert.equal(bench.told(), ["deliver a", "deliver b"]);
  assert.is(bench.pipe.waiting, 0);
});

it("readable is told once, for the first that waits; behind it nothing is taken out of turn", () => {
  const bench = new Bench();
  bench.push("a");
  bench.takes = true;
  bench.push("b");
  assert.equal(bench.told(), ["readable"]);
  assert.is(bench.pull(), "a");
  assert.is(bench.pull(), "b");
  assert.is(bench.pipe.pull(), undefined);
});

it("a low receive mark is held to, however few messages may be decoded ahead", () => {
  for (const [receive, isBounded] of [
    [1, true],
    [10, true],
    [DECODE_AHEAD_MESSAGES, true],
    [DECODE_AHEAD_MESSAGES + 1, false],
    [Number.POSITIVE_INFINITY, false],
  ] as const) {
    assert.is(new Bench({ receive, ahead: 8 }).pipe.isBounded, isBounded, `${receive}`);
    const { pipe } = new Bench({ ahead: 8 });
    pipe.setReceiveLimit(receive);
    assert.is(pipe.isBounded, isBounded, `${receive}`);
  }
});

it("stops at the receive mark, or at what is decoded ahead, and goes on when half of it is read", () => {
  for (const [mark, limit, left] of [
    [1, 1, 0],
    [2, 2, 1],
    [3, 3, 1],
    [10, 10, 5],
    [DECODE_AHEAD_MESSAGES, DECODE_AHEAD_MESSAGES, DECODE_AHEAD_MESSAGES / 2],
    [1000, DECODE_AHEAD_MESSAGES, DECODE_AHEAD_MESSAGES / 2],
    [Number.POSITIVE_INFINITY, DECODE_AHEAD_MESSAGES, DECODE_AHEAD_MESSAGES / 2],
  ]) {
    const bench = new Bench({ receive: mark });
    for (let i = 1; i < limit; i++) assert.equal(bench.push("x"), [true]);
    assert.equal(bench.push("x"), [false]);
    bench.told();
    while (bench.told().length === 0) bench.pull();
    assert.is(bench.pipe.waiting, left, `${mark}`);
  }
});

it("what comes in while the network goes on inside a pull does not overtake the message being pulled", () => {
  const bench = new Bench({ receive: 1 });
  bench.push("a");
  bench.takes = true;
  bench.onResume = () => assert.equal(bench.push("b"), [false]);
  bench.told();
  assert.is(bench.pull(), "a");
  // Neither handed to the reader nor announced: the one who pulls looks at `waiting`.
  assert.equal(bench.told(), ["resume"]);
  assert.is(bench.pipe.waiting, 1);
  bench.onResume = () => {};
  assert.is(bench.pull(), "b");
});

it("discarding goes on, unless the pipe has ended", () => {
  const bench = new Bench({ receive: 1 });
  bench.push("a");
  bench.pipe.discard();
  assert.equal(bench.told(), ["readable", "resume"]);
  bench.push("b");
  bench.pipe.isEnded = true;
  bench.pipe.discard();
  assert.equal(bench.told(), ["readable"]);
});

it("a higher receive mark goes on at once", () => {
  const bench = new Bench({ receive: 2 });
  bench.push("a", "b");
  bench.told();
  bench.pipe.setReceiveLimit(10);
  assert.equal(bench.told(), ["resume"]);
});

it("conflated: only the newest waits, and nothing stops", () => {
  const bench = new Bench({ receive: 1, conflate: true });
  assert.equal(bench.push("a", "b", "c"), [true, true, true]);
  assert.is(bench.pull(), "c");
  assert.is(bench.pipe.pull(), undefined);
  bench.write(3);
  assert.is(bench.pipe.outbox.queued, 1);
  assert.is(bench.pipe.full, false);
});

it("full is said after the kernel was offered everything", () => {
  const bench = new Bench({ send: 4 });
  bench.write(4);
  bench.kernel = 1;
  assert.is(bench.pipe.full, false);
  bench.write(1);
  assert.is(bench.pipe.full, true);
  assert.is(bench.pipe.outbox.queued, 4);
});

it("a writer that met it full is woken once, when half is gone", () => {
  const bench = new Bench({ send: 10 });
  bench.write(10);
  assert.is(bench.pipe.full, true);
  bench.pipe.writerWaits = true;
  bench.told();
  for (let taken = 1; taken <= 10; taken++) {
    bench.kernel = 1;
    bench.flush();
    assert.equal(bench.told(), taken === 5 ? ["writable"] : [], `${taken}`);
  }
});

it("the woken writer may write and flush inside", () => {
  const bench = new Bench({ send: 2 });
  bench.write(2);
  bench.pipe.writerWaits = true;
  bench.onWritable = () => bench.write(10);
  bench.kernel = 1;
  bench.flush();
  assert.is(bench.pipe.outbox.queued, 11);
  assert.is(bench.pipe.writerWaits, false);
});

it("types that drop: a burst of one turn may pass the mark, a slow peer or an absent one may not", () => {
  const bench = new Bench({ send: 2 });
  bench.write(2);
  assert.is(bench.pipe.overflows, false);
  bench.write(30);
  assert.is(bench.pipe.overflows, true, "16 marks");
  bench.kernel = 20;
  bench.flush();
  assert.is(bench.pipe.outbox.queued, 12);
  assert.is(bench.pipe.overflows, false);
  bench.pipe.turnEnded();
  assert.is(bench.pipe.overflows, true, "slow");
  bench.kernel = 20;
  bench.flush();
  bench.kernel = 0;
  bench.write(2);
  assert.is(bench.pipe.overflows, false, "caught up");
  bench.pipe.isConnected = false;
  assert.is(bench.pipe.overflows, true, "absent");
});

it("whoever asks whether it overflows makes sure that the turn ends", () => {
  const bench = new Bench({ send: 1 });
  // Above a slab, so that it is flushed and not scheduled.
  bench.pipe.write([Buffer.alloc(100_000)]);
  bench.told();
  assert.is(bench.pipe.overflows, false);
  assert.equal(bench.told(), ["schedule"]);
});

it("no mark is no limit", () => {
  const bench = new Bench({ send: Number.POSITIVE_INFINITY });
  for (let i = 0; i < 5000; i++) bench.pipe.write([Buffer.from("x")]);
  assert.is(bench.pipe.full, false);
});

it.run();

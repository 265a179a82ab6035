/**
 * Busy polling: when a wait is polled through, when that ends, and what a program sees of it. The clock is the test's
 * own.
 */
import { Context, Dealer, Proxy, Pull, Push, Reply, Request, Router, Subscriber, XPublisher } from "zmtp";
import { BUSY_POLL_PATIENCE, BUSY_POLL_ROUNDS, BUSY_POLL_SAMPLE } from "../../src/base/constants.ts";
import { BusyPoll } from "../../src/loop/busy-poll.ts";
import { internals as clock } from "../../src/loop/clock.ts";
import { Turn } from "../../src/loop/turn.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("loop/busy-poll");

const SHORT_MS = 0.1;
const LONG_MS = 0.3;

const round = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A dialogue whose clock and whose kernel are the test's. Whoever polls asks for the time in each round. */
class Dialogue {
  time = 1000;
  interruptions = 0;
  asked = 0;
  readonly poll: BusyPoll;

  constructor(busyPoll = 250) {
    this.poll = new BusyPoll(
      { busyPoll },
      {
        now: () => {
          this.asked++;
          return this.time;
        },
        interruptions: () => this.interruptions,
      },
    );
  }

  wait(milliseconds: number): void {
    this.poll.begin();
    this.time += milliseconds;
    this.poll.end();
  }

  async isPolling(): Promise<boolean> {
    this.poll.begin();
    const before = this.asked;
    await round();
    await round();
    return this.asked > before;
  }

  /** Waits that were as short as it takes until one is polled through, which has begun then. */
  async waitsUntilPolling(): Promise<number> {
    for (let waits = 0; waits <= 1024; waits++) {
      if (await this.isPolling()) return waits;
      this.time += SHORT_MS;
      this.poll.end();
    }
    return Number.POSITIVE_INFINITY;
  }

  /** The answer does not come in time. */
  async miss(): Promise<void> {
    this.poll.begin();
    this.time += LONG_MS;
    await round();
    await round();
    this.poll.end();
  }
}

it("a wait is polled through after several short ones", async () => {
  const dialogue = new Dialogue();
  assert.is(await dialogue.waitsUntilPolling(), BUSY_POLL_PATIENCE);
  dialogue.poll.end();
});

it("long waits are slept through, and so are short ones among them", async () => {
  const dialogue = new Dialogue();
  for (let i = 0; i < 100; i++) {
    for (let j = 1; j < BUSY_POLL_PATIENCE; j++) dialogue.wait(SHORT_MS);
    dialogue.wait(LONG_MS);
    assert.not(await dialogue.isPolling());
    dialogue.time += LONG_MS;
    dialogue.poll.end();
  }
});

it("0 is never", async () => {
  const dialogue = new Dialogue(0);
  assert.is(await dialogue.waitsUntilPolling(), Number.POSITIVE_INFINITY);
});

it("polling ends with the answer", async () => {
  const dialogue = new Dialogue();
  await dialogue.waitsUntilPolling();
  dialogue.poll.end();
  const before = dialogue.asked;
  for (let i = 0; i < 5; i++) await round();
  assert.is(dialogue.asked, before);
});

it("polling ends with its time, and also when the clock stands still", async () => {
  const dialogue = new Dialogue();
  await dialogue.waitsUntilPolling();
  for (let i = 0; i < 2 * BUSY_POLL_ROUNDS; i++) await round();
  const before = dialogue.asked;
  for (let i = 0; i < 5; i++) await round();
  assert.is(dialogue.asked, before);
});

it("one that misses its answers is given up, and tried again after twice as many short waits each time", async () => {
  const dialogue = new Dialogue();
  for (const patience of [1, 2, 4, 8]) {
    assert.is(await dialogue.waitsUntilPolling(), patience * BUSY_POLL_PATIENCE);
    dialogue.poll.end();
    await dialogue.miss();
  }
});

it("a miss among many answers is borne", async () => {
  const dialogue = new Dialogue();
  await dialogue.waitsUntilPolling();
  for (let i = 0; i < 100; i++) {
    for (let j = 0; j < 10; j++) dialogue.wait(SHORT_MS);
    await dialogue.miss();
    assert.ok(await dialogue.isPolling());
  }
  dialogue.poll.end();
});

it("it is given up when the kernel has to take the processor away for others", async () => {
  const dialogue = new Dialogue();
  await dialogue.waitsUntilPolling();
  for (let i = 0; i < BUSY_POLL_SAMPLE; i++) {
    dialogue.interruptions++;
    dialogue.wait(SHORT_MS);
  }
  assert.is(await dialogue.waitsUntilPolling(), 2 * BUSY_POLL_PATIENCE);
  dialogue.poll.end();
});

it("interruptions from before it began do not count, nor few, nor what the runtime does not tell", async () => {
  for (const few of [0, 1, Number.NaN]) {
    const dialogue = new Dialogue();
    dialogue.interruptions = 1000;
    await dialogue.waitsUntilPolling();
    for (let i = 0; i < 10 * BUSY_POLL_SAMPLE; i++) {
      if (i % 8 === 0) dialogue.interruptions += few;
      dialogue.wait(SHORT_MS);
    }
    assert.ok(await dialogue.isPolling());
    dialogue.poll.end();
  }
});

/** How often the clock is read meanwhile: nothing else here needs it. */
async function clockReads(act: () => void | Promise<void>): Promise<number> {
  const real = clock.uptime;
  let reads = 0;
  clock.uptime = () => {
    reads++;
    return real();
  };
  try {
    await act();
    await round();
    await round();
  } finally {
    clock.uptime = real;
  }
  return reads;
}

it("only a wait that begins in this turn, for an answer or for more of a large piece, counts", async () => {
  const turn = new Turn({ busyPoll: 250 });
  const item = { isScheduled: false, endTurn: () => {} };
  assert.is(await clockReads(() => turn.expectMore()), 0, "nobody waits");
  turn.pendingReceives = 1;
  assert.is(await clockReads(() => turn.schedule(item)), 0, "nothing was asked");
  assert.is(await clockReads(() => turn.expectMore()), 1, "for more");
  assert.is(await clockReads(() => turn.expectAnswer()), 1, "for an answer");
  assert.is(await clockReads(() => turn.schedule(item)), 0, "for an answer, since an earlier turn");
});

it("the waits of a dialogue count, and those for a peer that sends a lot, but not a subscriber's", async () => {
  for (const busyPoll of [0, 250]) {
    const others = { context: new Context({ busyPoll: 0 }), linger: 0 };
    const own = { context: new Context({ busyPoll }), linger: 0 };
    const reply = new Reply(others);
    const push = new Push(others);
    const publisher = new XPublisher(others);
    const request = new Request(own);
    const pull = new Pull(own);
    const subscriber = new Subscriber(own);
    for (const socket of [reply, push, publisher]) await socket.bind("tcp://127.0.0.1:*");
    request.connect(reply.lastEndpoint as string);
    pull.connect(push.lastEndpoint as string);
    subscriber.connect(publisher.lastEndpoint as string);
    subscriber.subscribe();
    await publisher.receive();
    const ask = async (): Promise<void> => {
      await request.send("question");
      const answer = request.receive();
      await reply.send(await reply.receive());
      await answer;
    };
    const transfer = async (): Promise<void> => {
      const body = pull.receive();
      await push.send(Buffer.alloc(8 << 20));
      await body;
    };
    const publish = async (): Promise<void> => {
      const news = subscriber.receive();
      await publisher.send("news");
      await news;
    };
    for (const act of [ask, transfer, publish]) await act();
    await round();
    assert.is((await clockReads(ask)) > 0, busyPoll > 0, `a dialogue, ${busyPoll}`);
    let reads = await clockReads(transfer);
    // On a busy machine the pieces may come in small ones: not every body has large ones.
    while (busyPoll > 0 && reads === 0) reads = await clockReads(transfer);
    assert.is(reads > 0, busyPoll > 0, `a peer that sends a lot, ${busyPoll}`);
    assert.is(await clockReads(publish), 0, `a subscriber, ${busyPoll}`);
    for (const socket of [reply, push, publisher, request, pull, subscriber]) socket.close();
  }
});

it("a DEALER's waits count while it asks and is answered in turn", async () => {
  const own = { context: new Context({ busyPoll: 250 }), linger: 0 };
  const others = { context: new Context({ busyPoll: 0 }), linger: 0 };
  const dealer = new Dealer(own);
  const reply = new Router(others);
  await reply.bind("tcp://127.0.0.1:*");
  dealer.connect(reply.lastEndpoint as string);
  /** So many questions, then so many answers to the last of them. */
  const talk = async (questions: number, answers: number): Promise<void> => {
    for (let i = 0; i < questions; i++) await dealer.send("question");
    let answer = dealer.receive();
    for (let i = 0; i < questions; i++) {
      const question = await reply.receive();
      if (i === questions - 1) for (let j = 0; j < answers; j++) await reply.send(question);
    }
    for (let i = 1; i < answers; i++) {
      await answer;
      answer = dealer.receive();
    }
    await answer;
  };
  await talk(1, 1);
  await round();
  assert.ok((await clockReads(() => talk(1, 1))) > 0, "in turn");
  assert.is(await clockReads(() => talk(2, 1)), 0, "two questions");
  assert.is(await clockReads(() => talk(1, 1)), 0, "the first in turn again");
  assert.ok((await clockReads(() => talk(1, 1))) > 0, "the second in turn");
  await talk(1, 3);
  assert.is(await clockReads(() => talk(1, 1)), 0, "after three answers to one question");
  dealer.close();
  reply.close();
});

it("who passes on what comes in does not poll: a stage, a REP, a proxy", async () => {
  const own = { context: new Context({ busyPoll: 250 }), linger: 0 };
  const others = { context: new Context({ busyPoll: 0 }), linger: 0 };
  const [source, sink, request] = [new Push(others), new Pull(others), new Request(others)];
  const [pull, push, reply] = [new Pull(own), new Push(own), new Reply(own)];
  for (const socket of [source, sink, reply]) await socket.bind("tcp://127.0.0.1:*");
  pull.connect(source.lastEndpoint as string);
  push.connect(sink.lastEndpoint as string);
  request.connect(reply.lastEndpoint as string);
  const stage = async (): Promise<void> => {
    const input = pull.receive();
    await source.send("input");
    await push.send(await input);
    const next = pull.receive();
    await sink.receive();
    await round();
    await source.send("more");
    await next;
  };
  const answer = async (): Promise<void> => {
    await request.send("question");
    await reply.send(await reply.receive());
    const next = reply.receive();
    await request.receive();
    await request.send("another");
    await next;
    await reply.send("answer");
    await request.receive();
  };
  for (const act of [stage, answer]) await act();
  await round();
  assert.is(await clockReads(stage), 0, "a stage");
  assert.is(await clockReads(answer), 0, "a REP");
  for (const socket of [source, sink, request, pull, push, reply]) socket.close();

  for (const busyPoll of [0, 250]) {
    const own = { context: new Context({ busyPoll }), linger: 0 };
    const proxy = new Proxy(new Router(own), new Dealer(own));
    const request = new Request(others);
    const reply = new Reply(others);
    await proxy.frontEnd.bind("tcp://127.0.0.1:*");
    await proxy.backEnd.bind("tcp://127.0.0.1:*");
    request.connect(proxy.frontEnd.lastEndpoint as string);
    reply.connect(proxy.backEnd.lastEndpoint as string);
    const running = proxy.run();
    const ask = async (): Promise<void> => {
      await request.send("question");
      await reply.send(await reply.receive());
      await request.receive();
    };
    await ask();
    await round();
    assert.is(await clockReads(ask), 0, `a proxy, ${busyPoll}`);
    proxy.terminate();
    await running;
    request.close();
    reply.close();
  }
});

it("a context's busyPoll: 0 by default, never; no number of libzmq's", () => {
  const context = new Context();
  assert.is(context.busyPoll, 0);
  context.busyPoll = 250;
  assert.is(context.busyPoll, 250);
  context.busyPoll = 0;
  assert.is(context.busyPoll, 0);
  assert.is(new Context({ busyPoll: 50 }).busyPoll, 50);
  assert.throws(
    () => {
      context.busyPoll = -1;
    },
    (error: NodeJS.ErrnoException) => error.code === "EINVAL",
  );
  class Open extends Context {
    number(id: number): number {
      return this.getInt32Option(id);
    }
  }
  assert.throws(
    () => new Open().number(-1),
    (error: NodeJS.ErrnoException) => error.code === "EINVAL",
  );
});

it("dialogues go on alike with it and without it", async () => {
  for (const busyPoll of [0, 250, 1_000_000]) {
    const context = new Context({ busyPoll });
    const reply = new Reply({ context, linger: 0 });
    const request = new Request({ context, linger: 0 });
    await reply.bind("tcp://127.0.0.1:*");
    request.connect(reply.lastEndpoint as string);
    for (let i = 0; i < 200; i++) {
      await request.send(String(i));
      await reply.send(await reply.receive());
      assert.is(String(await request.receive()), String(i));
    }
    // Nobody answers this one: it is not polled for longer than said, and the process can do other things meanwhile.
    await request.send("last");
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    const unanswered = request.receive().catch((error: NodeJS.ErrnoException) => error.code);
    while (ticks < 5) await round();
    clearInterval(ticking);
    request.close();
    reply.close();
    assert.is(await unanswered, "EAGAIN");
  }
});

it.run();

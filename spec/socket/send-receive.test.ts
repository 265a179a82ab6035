import { type MessageLike, Publisher, Pull, Push, Reply, Request, Subscriber } from "../../src/index.ts";
import { rejected, Sockets, TRANSPORTS, texts, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { canKeep, transfer } from "../helpers/transfer.ts";
import { collectGarbage, eventually, isPending, turn } from "../helpers/wait.ts";

const it = suite("socket/send-receive");
const sockets = new Sockets(it);

const BUSY_WRITING = "Socket is busy writing; only one send operation may be in progress at any time";
const BUSY_READING = "Socket is busy reading; only one receive operation may be in progress at any time";
const TIMED_OUT = "Operation was not possible or timed out";

async function pushPull(transport: "tcp" | "inproc" = "inproc"): Promise<{ push: Push; pull: Pull }> {
  const push = sockets.own(new Push());
  const pull = sockets.own(new Pull());
  await sockets.join(pull, push, transport);
  return { push, pull };
}

it("accepts what the original accepts, as its octets or its text", async () => {
  const { push, pull } = await pushPull();
  const shared = new SharedArrayBuffer(2);
  new Uint8Array(shared).set([0x68, 0x69]);
  const cases: [unknown, string[]][] = [
    [Buffer.from("buffer"), ["buffer"]],
    ["text", ["text"]],
    ["é", ["é"]],
    ["\ud800x", ["\ufffdx"]],
    [null, [""]],
    [1, ["1"]],
    [-0, ["0"]],
    [Number.NaN, ["NaN"]],
    [1n, ["1"]],
    [true, ["true"]],
    [{ a: 1 }, ["[object Object]"]],
    [{ toString: () => "made" }, ["made"]],
    [new Date(0), [String(new Date(0))]],
    [new Uint16Array([0x4241]), ["AB"]],
    [new DataView(new Uint8Array([65, 66, 67]).buffer, 1, 2), ["BC"]],
    [new Uint8Array([65, 66]).buffer, ["AB"]],
    [shared, ["hi"]],
    [
      ["a", "b"],
      ["a", "b"],
    ],
    [
      [["a", "b"], "c"],
      ["a,b", "c"],
    ],
    [
      [null, null],
      ["", ""],
    ],
    [
      ["x", undefined],
      ["x", "undefined"],
    ],
    [[undefined], ["undefined"]],
    [new Set([1]), ["[object Set]"]],
  ];
  for (const [message, expected] of cases) {
    await push.send(message as MessageLike);
    const frames = await pull.receive();
    assert.ok(frames.every((frame) => Buffer.isBuffer(frame)));
    assert.equal(texts(frames), expected);
  }
});

it("refuses what has no text, and sends nothing of it", async () => {
  const { push, pull } = await pushPull();
  const boom = {
    toString: (): string => {
      throw new Error("boom");
    },
  };
  const send = (message: unknown): Promise<void> => push.send(message as MessageLike);
  assert.is(thrown(() => send(undefined)).message, "Message must be present");
  assert.is(thrown(() => send(Symbol("s"))).name, "TypeError");
  assert.is(thrown(() => send(["a", Symbol("s")])).name, "TypeError");
  assert.is(thrown(() => send(Object.create(null))).name, "TypeError");
  assert.is(thrown(() => send(boom)).message, "boom");
  assert.is(thrown(() => send(["a", boom])).message, "boom");
  await push.send("next");
  assert.equal(texts(await pull.receive()), ["next"]);
});

it("an empty array resolves and sends nothing, even without a peer", async () => {
  const { push, pull } = await pushPull();
  assert.is(await push.send([]), undefined);
  await push.send("next");
  assert.equal(texts(await pull.receive()), ["next"]);
  await sockets.own(new Push()).send([]);
});

it("send resolves with nothing, whether it waited or not", async () => {
  const { push } = await pushPull();
  assert.is(await push.send("x"), undefined);
  const waiting = sockets.own(new Push());
  const sending = waiting.send("late");
  await sockets.join(sockets.own(new Pull()), waiting);
  assert.is(await sending, undefined);
});

it("only one send and one receive at a time", async () => {
  const push = sockets.own(new Push());
  const pull = sockets.own(new Pull());
  const sending = push.send("x");
  for (const use of [() => push.send("y"), () => push.sendMany(["y"])]) {
    const error = thrown(use);
    assert.is(error.code, "EBUSY");
    assert.is(error.message, BUSY_WRITING);
  }
  assert.is(thrown(() => push.send(undefined as unknown as MessageLike)).message, "Message must be present");
  const receiving = pull.receive();
  for (const use of [() => pull.receive(), () => pull.receiveMany()]) {
    const error = thrown(use);
    assert.is(error.code, "EBUSY");
    assert.is(error.message, BUSY_READING);
  }
  await sockets.join(pull, push);
  await sending;
  assert.equal(texts(await receiving), ["x"]);
});

it("timeout 0 tries once", async () => {
  const push = sockets.own(new Push({ sendTimeout: 0 }));
  const pull = sockets.own(new Pull({ receiveTimeout: 0 }));
  for (const use of [() => push.send("x"), () => pull.receive(), () => pull.receiveMany()]) {
    const error = await rejected(use);
    assert.is(error.code, "EAGAIN");
    assert.is(error.message, TIMED_OUT);
  }
  await sockets.join(pull, push);
  await push.send("x");
  assert.equal(texts(await pull.receive()), ["x"]);
});

it("a timeout ends the wait, and the socket can be used again", async () => {
  const push = sockets.own(new Push({ sendTimeout: 10 }));
  const pull = sockets.own(new Pull({ receiveTimeout: 10 }));
  assert.is((await rejected(() => push.send("lost"))).code, "EAGAIN");
  assert.is((await rejected(() => pull.receive())).code, "EAGAIN");
  pull.receiveTimeout = -1;
  await sockets.join(pull, push);
  await push.send("x");
  assert.equal(texts(await pull.receive()), ["x"]);
});

it("timeout -1 waits, and a timeout set later does not concern a wait under way", async () => {
  const push = sockets.own(new Push());
  const pull = sockets.own(new Pull());
  const sending = push.send("x");
  const receiving = pull.receive();
  push.sendTimeout = 5;
  pull.receiveTimeout = 5;
  assert.ok(await isPending(Promise.race([sending, receiving]), 50));
  await sockets.join(pull, push);
  await sending;
  assert.equal(texts(await receiving), ["x"]);
});

it("operations that are pending when the socket closes reject", async () => {
  for (const [socket, start, code] of [
    [new Push(), (s: Push) => s.send("x"), "EAGAIN"],
    [new Pull(), (s: Pull) => s.receive(), "EAGAIN"],
    [new Pull(), (s: Pull) => s.receiveMany(), "EAGAIN"],
    [new Subscriber(), (s: Subscriber) => s.receive(), "EAGAIN"],
    [new Request(), (s: Request) => s.send("x"), "EAGAIN"],
    [new Request(), (s: Request) => s.receive(), "EFSM"],
    [new Reply(), (s: Reply) => s.receive(), "EAGAIN"],
    [new Reply(), (s: Reply) => s.send("x"), "EFSM"],
  ] as [Push, (socket: unknown) => Promise<unknown>, string][]) {
    const pending = start(sockets.own(socket));
    const result = rejected(() => pending);
    socket.close();
    assert.is((await result).code, code, socket.constructor.name);
  }
});

it("small frames are copied at once, large ones stay the caller's memory", async () => {
  const { push, pull } = await pushPull();
  for (const size of [1, 33, 128, 129, 5000, 100_000]) {
    const body = Buffer.alloc(size, 1);
    const sending = push.send(body);
    body[0] = 7;
    await sending;
    const [frame] = await pull.receive();
    const isSame = frame.buffer === body.buffer && frame.byteOffset === body.byteOffset;
    assert.is(isSame, size > 128, String(size));
    assert.is(frame[0], size > 128 ? 7 : 1);
  }
});

it("a send that waits has copied its small frames", async () => {
  const push = sockets.own(new Push());
  const small = Buffer.from("before");
  const large = Buffer.alloc(300, 1);
  const sending = push.send([small, large]);
  small.write("after!");
  large[0] = 7;
  const pull = sockets.own(new Pull());
  await sockets.join(pull, push);
  await sending;
  const frames = await pull.receive();
  assert.is(String(frames[0]), "before");
  assert.is(frames[1][0], 7);
});

for (const transport of TRANSPORTS) {
  it(`of what waits for a peer, small frames are collectable at once, large ones are kept (${transport})`, async () => {
    const push = sockets.own(new Push());
    const address = transport === "tcp" ? "tcp://127.0.0.1:1" : sockets.address(transport);
    push.connect(address);
    const ref = (size: number): WeakRef<Buffer> => {
      const body = Buffer.alloc(size, 5);
      void push.send(body);
      return new WeakRef(body);
    };
    const small = [1, 16, 128].map(ref);
    const large = [129, 1025, 100_000].map(ref);
    await eventually(async () => {
      await collectGarbage();
      return small.every((body) => body.deref() === undefined);
    });
    assert.ok(large.every((body) => body.deref() !== undefined));
    if (transport === "tcp") return;
    const pull = sockets.own(new Pull());
    await pull.bind(address);
    for (const size of [1, 16, 128, 129, 1025, 100_000]) {
      const [frame] = await pull.receive();
      assert.ok(frame.equals(Buffer.alloc(size, 5)));
    }
  });
}

it("views are sent with their offset and length, by reference when they are large", async () => {
  const { push, pull } = await pushPull();
  const part = Buffer.alloc(300, 5).subarray(50, 250);
  await push.send(part);
  const [frame] = await pull.receive();
  assert.is(frame.length, 200);
  assert.is(frame.buffer, part.buffer);
  assert.is(frame.byteOffset, part.byteOffset);
  const words = new Uint16Array(300);
  await push.send(words);
  const [octets] = await pull.receive();
  assert.ok(Buffer.isBuffer(octets));
  assert.is(octets.length, 600);
  assert.is(octets.buffer, words.buffer);
});

it("an iterator has next() and nothing else", async () => {
  const pull = sockets.own(new Pull());
  const iterator = pull[Symbol.asyncIterator]() as AsyncIterator<Buffer[]> & Record<symbol, unknown>;
  assert.equal(Object.keys(iterator), ["next"]);
  assert.is(iterator.return, undefined);
  assert.is(iterator[Symbol.asyncIterator], undefined);
});

it("leaving a loop does not close the socket", async () => {
  const { push, pull } = await pushPull();
  await push.send("1");
  await push.send("2");
  for await (const message of pull) {
    assert.equal(texts(message), ["1"]);
    break;
  }
  assert.is(pull.closed, false);
  assert.equal(texts(await pull.receive()), ["2"]);
});

it("a loop ends when the socket closes", async () => {
  const { push, pull } = await pushPull();
  const seen: string[] = [];
  const loop = (async () => {
    for await (const [message] of pull) seen.push(String(message));
  })();
  await push.send("1");
  await push.send("2");
  await eventually(() => seen.length === 2);
  pull.close();
  await loop;
  assert.equal(seen, ["1", "2"]);
});

it("a loop that closes its own socket ends", async () => {
  const { push, pull } = await pushPull();
  await push.send("1");
  await push.send("2");
  for await (const _ of pull) pull.close();
});

it("a timeout in a loop rejects, and so does what is not this socket's turn", async () => {
  const pull = sockets.own(new Pull({ receiveTimeout: 5 }));
  assert.is((await rejected(() => pull[Symbol.asyncIterator]().next())).code, "EAGAIN");
  const request = sockets.own(new Request({ receiveTimeout: 5 }));
  assert.is((await rejected(() => request[Symbol.asyncIterator]().next())).code, "EFSM");
  const waiting = sockets.own(new Request());
  const step = rejected(() => waiting[Symbol.asyncIterator]().next());
  waiting.close();
  assert.is((await step).code, "EFSM");
});

it("a step that cannot be made rejects", async () => {
  const { push, pull } = await pushPull();
  const iterator = pull[Symbol.asyncIterator]();
  const step = iterator.next();
  assert.is((await rejected(() => iterator.next())).message, BUSY_READING);
  assert.is(thrown(() => pull.receive()).message, BUSY_READING);
  await push.send("x");
  assert.equal(texts((await step).value as Buffer[]), ["x"]);
  const binding = pull.bind("inproc://another");
  assert.is((await rejected(() => iterator.next())).code, "EBUSY");
  await binding;
});

it("sendMany and receiveMany take many messages with one promise", async () => {
  const { push, pull } = await pushPull();
  assert.is(await push.sendMany(["a", ["b", "c"], null]), 3);
  assert.equal((await pull.receiveMany()).map(texts), [["a"], ["b", "c"], [""]]);
  assert.is(await push.sendMany(["1", "2", "3"]), 3);
  assert.equal((await pull.receiveMany(2)).map(texts), [["1"], ["2"]]);
  assert.equal((await pull.receiveMany(2)).map(texts), [["3"]]);
  assert.is(await push.sendMany([]), 0);
});

it("receiveMany waits for the first message", async () => {
  const { push, pull } = await pushPull("tcp");
  const receiving = pull.receiveMany();
  await push.sendMany(["1", "2"]);
  const got = (await receiving).map(String);
  while (got.length < 2) got.push(...(await pull.receiveMany()).map(String));
  assert.equal(got, ["1", "2"]);
  for (const max of [0, -1, Number.NaN]) assert.is(thrown(() => pull.receiveMany(max)).code, "EINVAL");
  assert.is(thrown(() => pull.receiveMany("1" as unknown as number)).name, "TypeError");
});

it("transferring the memory of one received frame takes no other message away", async () => {
  if (!canKeep()) return;
  // Bodies in the memory of several, in a page, in a chunk that waited, and of their own.
  for (const [size, receiveHighWaterMark] of [
    [10, 1000],
    [1000, 3],
    [9000, 3],
    [20_000, 1],
  ]) {
    const push = sockets.own(new Push({ sendHighWaterMark: 0 }));
    const pull = sockets.own(new Pull({ receiveHighWaterMark }));
    await sockets.join(push, pull, "tcp");
    const count = 100;
    for (let i = 0; i < count; i++) await push.send(`${i}`.padEnd(size, "."));
    for (let i = 0; i < count; i++) {
      const [frame] = await pull.receive();
      assert.is(frame.toString(), `${i}`.padEnd(size, "."));
      if (i % 10 !== 5) continue;
      transfer(frame);
      // What comes next is decoded meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
    }
    push.close();
    pull.close();
  }
});

it("what a part's text adds to the list meanwhile is not sent", async () => {
  const { push, pull } = await pushPull();
  const parts: unknown[] = ["a"];
  parts.push({
    toString: () => {
      if (parts.length < 10) parts.push("more", parts[1]);
      return "b";
    },
  });
  await push.send(parts as string[]);
  assert.equal((await pull.receive()).map(String), ["a", "b"]);
});

it("receiveMany takes 128 messages when it is not told how many", async () => {
  const { push, pull } = await pushPull();
  await push.sendMany(Array.from({ length: 300 }, String));
  assert.is((await pull.receiveMany()).length, 128);
  assert.is((await pull.receiveMany(Number.POSITIVE_INFINITY)).length, 172);
});

/** Receives one message at a time until a receiveMany is put off to the next turn of the event loop: that one. */
async function putOff(pull: Pull): Promise<{ receiving: Promise<Buffer[][]> }> {
  for (let i = 0; i < 2000; i++) {
    const receiving = pull.receiveMany(1);
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    receiving.then(settled, settled);
    for (let turn = 0; turn < 5; turn++) await undefined;
    if (!isSettled) return { receiving };
  }
  throw new Error("none was put off");
}

it("a receiveMany that is put off takes what is there when its time is up", async () => {
  const { push, pull } = await pushPull();
  await push.sendMany(Array.from({ length: 1000 }, String));
  await eventually(() => pull.readable);
  pull.receiveTimeout = 1;
  // Timers come before the check phase of the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  const { receiving } = await putOff(pull);
  const until = performance.now() + 5;
  while (performance.now() < until);
  assert.is((await receiving).length, 1);
});

it("a receiveMany that is put off is pending, and ends with what is there by then", async () => {
  const push = sockets.own(new Push({ sendHighWaterMark: 0 }));
  const pull = sockets.own(new Pull({ receiveTimeout: 0, receiveHighWaterMark: 0 }));
  await sockets.join(push, pull, "tcp");
  await push.sendMany(Array.from({ length: 2000 }, String));
  await eventually(() => pull.readable);
  const first = await putOff(pull);
  assert.is(thrown(() => pull.receive()).code, "EBUSY");
  assert.is((await first.receiving).length, 1);

  await eventually(() => pull.readable);
  const second = await putOff(pull);
  pull.disconnect(push.lastEndpoint as string);
  assert.is((await rejected(() => second.receiving)).code, "EAGAIN");

  const { pull: other, push: sender } = await pushPull();
  await sender.sendMany(Array.from({ length: 1000 }, String));
  const third = await putOff(other);
  other.close();
  assert.is((await rejected(() => third.receiving)).code, "EAGAIN");
});

it("sendMany waits in the middle, for as long as the timeout lasts", async () => {
  const push = sockets.own(new Push({ sendHighWaterMark: 2, sendTimeout: 20 }));
  const pull = sockets.own(new Pull({ receiveHighWaterMark: 1 }));
  await sockets.join(pull, push);
  assert.is(await push.sendMany(["1", "2", "3", "4", "5"]), 3);
  push.sendTimeout = 0;
  assert.is((await rejected(() => push.sendMany(["4"]))).code, "EAGAIN");
  push.sendTimeout = -1;
  const sending = push.sendMany(["4", "5", "6", "7", "8"]);
  const got: string[] = [];
  while (got.length < 8) got.push(...texts(await pull.receive()));
  assert.equal(got, ["1", "2", "3", "4", "5", "6", "7", "8"]);
  assert.is(await sending, 5);
});

it("an iterable that closes the socket, or fails, ends sendMany", async () => {
  const { push, pull } = await pushPull();
  function* closing(): Generator<string> {
    yield "1";
    push.close();
    yield "2";
  }
  assert.is(thrown(() => push.sendMany(closing())).code, "EBADF");
  assert.equal((await pull.receiveMany()).map(String), ["1"]);

  const waiting = sockets.own(new Push());
  function* failing(): Generator<string> {
    yield "1";
    throw new Error("boom");
  }
  const sending = rejected(() => waiting.sendMany(failing()));
  await sockets.join(sockets.own(new Pull()), waiting);
  assert.is((await sending).message, "boom");
  await waiting.send("2");
});

for (const transport of ["inproc", "tcp"] as const) {
  it(`many operations in a row leave timers their turn (${transport})`, async () => {
    const { push, pull } = await pushPull(transport);
    push.sendHighWaterMark = 0;
    pull.receiveHighWaterMark = 0;
    let ticks = 0;
    const timer = setInterval(() => {
      ticks++;
    }, 1);
    const tick = async (body: () => Promise<unknown>): Promise<void> => {
      // Busy between operations for long enough that a timer is due: it fires only if the loop is left.
      ticks = 0;
      for (let i = 0; i < 2500; i++) await body();
      assert.ok(ticks > 1, `${ticks} ticks`);
    };
    const busy = (): void => {
      const end = performance.now() + 0.01;
      while (performance.now() < end);
    };
    try {
      await tick(() => {
        busy();
        return push.send("x");
      });
      await tick(() => {
        busy();
        return pull.receive();
      });
    } finally {
      clearInterval(timer);
    }
  });
}

it("readable and writable tell what would succeed now", async () => {
  const push = sockets.own(new Push({ sendHighWaterMark: 1 }));
  const pull = sockets.own(new Pull({ receiveHighWaterMark: 1 }));
  assert.equal([push.writable, pull.readable], [false, false]);
  await sockets.join(pull, push);
  assert.equal([push.writable, pull.readable], [true, false]);
  await push.send("1");
  await push.send("2");
  assert.equal([push.writable, pull.readable], [false, true]);
  await pull.receiveMany();
  assert.equal([push.writable, pull.readable], [true, false]);
  const publisher = sockets.own(new Publisher());
  assert.equal([publisher.writable, publisher.readable], [true, false]);
});

it("what is received is not lost when nobody waits any more", async () => {
  const { push, pull } = await pushPull("tcp");
  pull.receiveTimeout = 5;
  assert.is((await rejected(() => pull.receive())).code, "EAGAIN");
  await push.send("x");
  await eventually(() => pull.readable);
  await turn();
  assert.equal(texts(await pull.receive()), ["x"]);
});

it.run();

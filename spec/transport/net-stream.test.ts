/**
 * The stream adapter: order of effects, backpressure, every way to end, and what may not be left behind.
 */
import { once } from "node:events";
import type { Socket } from "node:net";
import { END_WAIT_MS } from "../../src/base/constants.ts";
import { Clock } from "../helpers/clock.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, holds, stays, turn, turns } from "../helpers/wait.ts";
import { canReset, descriptors, Log, type Pair, pair, reset } from "./pair.ts";

const it = suite("transport/net-stream");
const clock = new Clock(it);

/** More than the kernel's buffers of both ends take. */
const MUCH_BYTES = 32 * 1024 * 1024;

function read(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  return once(socket, "end").then(() => Buffer.concat(chunks));
}

it("delivers chunks, and reports the peer's FIN as the end", async () => {
  const { stream, log, peer } = await pair();
  peer.write("hello");
  await log.until(() => log.text === "hello");
  peer.end(" world");
  await log.ended;
  assert.is(log.text, "hello world");
  assert.equal(log.calls, ["data", "end"]);
  assert.is(log.error, undefined);
  await once(peer, "end");
  stream.destroy();
  peer.destroy();
});

it("writes one part, several parts and none, and calls done once for each write, later", async () => {
  const { stream, log, peer } = await pair();
  const received = read(peer);
  const done: number[] = [];
  stream.write(Buffer.from("a"), () => done.push(1));
  stream.write([Buffer.from("b"), Buffer.from("c"), Buffer.from("d")], () => done.push(2));
  stream.write([Buffer.from("e")], () => done.push(3));
  stream.write([], () => done.push(4));
  stream.write(Buffer.from("f"));
  assert.equal(done, []);
  await eventually(() => done.length === 4);
  assert.equal(done.sort(), [1, 2, 3, 4]);
  stream.end();
  assert.is((await received).toString(), "abcdef");
  peer.end();
  await log.ended;
  assert.equal(log.calls, ["end"]);
});

it("several parts leave as one write", async () => {
  const { stream, peer } = await pair();
  stream.write(Array.from({ length: 100 }, (_, i) => Buffer.from([i])));
  const [chunk] = (await once(peer, "data")) as [Buffer];
  assert.is(chunk.length, 100);
  stream.destroy();
  peer.destroy();
});

it("does not say flushed while the kernel takes everything at once", async () => {
  const { stream, log, peer } = await pair();
  for (let i = 0; i < 10; i++) {
    await new Promise<void>((fulfil) => stream.write(Buffer.alloc(100), fulfil));
    assert.is(stream.queuedBytes, 0);
  }
  assert.equal(log.calls, []);
  stream.destroy();
  peer.destroy();
});

it("counts what the kernel refused, and says flushed once it has taken all", async () => {
  const { stream, log, peer } = await pair();
  peer.pause();
  let done = 0;
  const part = Buffer.alloc(MUCH_BYTES / 4);
  stream.write(part, () => done++);
  stream.write([part, part], () => done++);
  stream.write(part, () => done++);
  assert.ok(await holds(() => stream.queuedBytes > 0 && log.calls.length === 0 && done < 3));
  let received = 0;
  peer.on("data", (chunk) => {
    received += chunk.length;
  });
  peer.resume();
  await log.until(() => log.calls.length > 0);
  assert.equal(log.calls, ["flushed"]);
  assert.is(stream.queuedBytes, 0);
  assert.is(done, 3);
  await eventually(() => received === MUCH_BYTES);
  // And again.
  peer.pause();
  stream.write(Buffer.alloc(MUCH_BYTES));
  peer.resume();
  await log.until(() => log.calls.length > 1);
  assert.equal(log.calls, ["flushed", "flushed"]);
  stream.destroy();
  peer.destroy();
});

it("a handler may write when it is told that all was flushed", async () => {
  const { stream, log, peer } = await pair();
  let rounds = 0;
  let received = 0;
  peer.on("data", (chunk) => {
    received += chunk.length;
  });
  log.onFlushed = () => {
    if (++rounds < 5) stream.write(Buffer.alloc(MUCH_BYTES));
  };
  stream.write(Buffer.alloc(MUCH_BYTES));
  await eventually(() => rounds === 5 && received === 5 * MUCH_BYTES);
  stream.destroy();
  peer.destroy();
});

it("a paused stream stops the peer, and goes on where it was", async () => {
  const { stream, log, peer } = await pair();
  stream.pause();
  let taken = false;
  peer.write(Buffer.alloc(MUCH_BYTES, 7), () => {
    taken = true;
  });
  assert.ok(await holds(() => log.length === 0 && !taken));
  stream.resume();
  await log.until(() => log.length === MUCH_BYTES);
  stream.destroy();
  peer.destroy();
});

it("may be paused and resumed inside onData", async () => {
  const { stream, log, peer } = await pair();
  let calls = 0;
  const handler = new Log();
  handler.onData = (chunk) => {
    Log.prototype.onData.call(handler, chunk);
    calls++;
    stream.pause();
    setImmediate(() => stream.resume());
  };
  stream.handler = handler;
  peer.end(Buffer.alloc(1_000_000));
  await handler.ended;
  assert.is(handler.length, 1_000_000);
  assert.ok(calls > 1);
  assert.equal(log.calls, []);
});

it("data that came before the FIN is delivered after a pause, then the end", async () => {
  for (const size of [1, 1000, 100_000, 1_000_000]) {
    const { stream, log, peer } = await pair();
    stream.pause();
    peer.end(Buffer.alloc(size));
    assert.ok(await holds(() => log.calls.length === 0));
    stream.resume();
    await log.ended;
    assert.is(log.length, size);
    assert.equal(log.calls, ["data", "end"]);
    assert.is(log.error, undefined);
  }
});

it("a FIN without data ends a paused stream too", async () => {
  const { stream, log, peer } = await pair();
  stream.pause();
  peer.end();
  await log.ended;
  assert.equal(log.calls, ["end"]);
  assert.is(stream.queuedBytes, 0);
});

it("what Node had read before a reset is delivered, also while paused", async () => {
  const { stream, log, peer, socket } = await pair();
  stream.pause();
  peer.write("before");
  await eventually(() => socket.bytesRead > 0);
  if (!canReset(peer)) {
    stream.destroy();
    peer.destroy();
    return;
  }
  reset(peer);
  await log.ended;
  assert.is(log.text, "before");
  assert.equal(log.calls, ["data", "end"]);
  assert.is((log.error as NodeJS.ErrnoException).code, "ECONNRESET");
});

it("end sends all that was written, then FIN, and closes on the peer's FIN", async () => {
  const { stream, log, peer } = await pair();
  stream.write(Buffer.alloc(MUCH_BYTES));
  stream.end();
  const received = await read(peer);
  assert.is(received.length, MUCH_BYTES);
  assert.equal(log.calls, []);
  peer.end();
  await log.ended;
  assert.is(log.error, undefined);
});

it("end throws away what comes in, so that the close does not reset the connection", async () => {
  const { stream, log, peer } = await pair();
  stream.pause();
  peer.write(Buffer.alloc(MUCH_BYTES));
  await turns();
  stream.write(Buffer.from("last words"));
  stream.end();
  assert.is((await read(peer)).toString(), "last words");
  peer.end();
  await log.ended;
  assert.equal(log.calls, ["end"]);
});

it("end does not wait for ever for the peer's FIN", async () => {
  const { stream, log, peer } = await pair();
  const before = descriptors();
  clock.stop();
  stream.end();
  await read(peer);
  await clock.advance(END_WAIT_MS - 1);
  assert.equal(log.calls, []);
  await clock.advance(1);
  await log.ended;
  await eventually(() => before === -1 || descriptors() < before);
  peer.destroy();
});

it("end does not read for ever from a peer that goes on sending", async () => {
  const { stream, log, peer } = await pair();
  clock.stop();
  stream.end();
  for (let passed = 0; passed < END_WAIT_MS; passed += 50) {
    assert.equal(log.calls, []);
    peer.write("x");
    await clock.advance(50);
  }
  await log.ended;
  peer.destroy();
  assert.equal(log.calls, ["end"]);
});

it("destroy drops what is queued, and ends without an error", async () => {
  const { stream, log, peer } = await pair();
  let done = 0;
  stream.write(Buffer.alloc(MUCH_BYTES), () => done++);
  stream.destroy();
  stream.destroy();
  assert.equal(log.calls, []);
  await log.ended;
  assert.equal(log.calls, ["end"]);
  assert.is(log.error, undefined);
  await eventually(() => done === 1);
  peer.destroy();
});

it("destroy after end closes at once", async () => {
  const { stream, log, peer } = await pair();
  clock.stop();
  stream.end();
  stream.destroy();
  await log.ended;
  peer.destroy();
});

it("nothing is delivered after destroy, even inside onData", async () => {
  const { stream, log, peer } = await pair();
  const handler = new Log();
  let chunks = 0;
  handler.onData = () => {
    chunks++;
    stream.destroy();
  };
  stream.pause();
  peer.write(Buffer.alloc(1_000_000));
  await turns();
  stream.handler = handler;
  stream.resume();
  await handler.ended;
  assert.ok(await holds(() => chunks === 1));
  assert.equal(handler.calls, ["end"]);
  assert.equal(log.calls, []);
  peer.destroy();
});

it("everything may be called after the end", async () => {
  const { stream, log, peer } = await pair();
  peer.destroy();
  await log.ended;
  let done = 0;
  stream.write(Buffer.from("x"), () => done++);
  stream.write([Buffer.from("x"), Buffer.from("y")], () => done++);
  stream.write([]);
  stream.pause();
  stream.resume();
  stream.end();
  stream.destroy();
  await eventually(() => done === 2);
  await turns();
  assert.is(done, 2);
  assert.equal(log.calls, ["end"]);
  assert.is(stream.queuedBytes, 0);
  assert.is(typeof stream.localAddress, "string");
  assert.is(typeof stream.peerAddress, "string");
});

it("a write to a peer that reset ends the stream with the error, and done is called", async () => {
  const { stream, log, peer } = await pair();
  let done = 0;
  stream.write(Buffer.alloc(MUCH_BYTES), () => done++);
  await turns();
  reset(peer);
  await log.ended;
  if (canReset(peer)) assert.ok(log.error instanceof Error);
  stream.write(Buffer.from("x"), () => done++);
  await eventually(() => done === 2);
  assert.equal(log.calls, ["end"]);
});

it("what a peer sent before it closed is read although an answer could not be written", async () => {
  for (const isPaused of [false, true]) {
    const { stream, log, peer } = await pair();
    stream.pause();
    // Node reads the first half; the rest fits into the kernel.
    const size = 120_000;
    await new Promise<void>((fulfil) => peer.write(Buffer.alloc(size), () => fulfil()));
    peer.destroy();
    await stays(() => log.calls.length === 0, 20);
    // The first answer makes the peer's kernel reset the connection, the second fails.
    let done = 0;
    for (let i = 0; i < 4; i++) {
      if (!isPaused && i === 2) stream.resume();
      stream.write([Buffer.from("an"), Buffer.from("swer")], () => done++);
      // A paused stream does not tell of the reset.
      if (isPaused) await stays(() => log.calls.length === 0, 20);
      else await turn();
    }
    if (isPaused) {
      await eventually(() => stream.queuedBytes > 0);
      assert.equal(log.calls, []);
      stream.resume();
    }
    await log.ended;
    assert.is(log.length, size);
    assert.equal(log.calls, ["data", "end"]);
    assert.is(done, 4);
    if (isPaused) assert.ok(log.error instanceof Error);
  }
});

it("a handler that destroys the stream when it ends does no harm", async () => {
  const { stream, peer } = await pair();
  let ends = 0;
  stream.handler = {
    onData() {},
    onFlushed() {},
    onEnd() {
      ends++;
      stream.destroy();
      stream.end();
    },
  };
  reset(peer);
  await eventually(() => ends > 0);
  assert.ok(await holds(() => ends === 1));
});

/** The events that somebody listens to: `eventNames()` of Node 20.11 has the names of others, too. */
const heard = (socket: Socket) => socket.eventNames().filter((name) => socket.listenerCount(name) > 0);

it("leaves no listener but the one for errors, and lets go of the handler", async () => {
  const ways = [
    ({ peer }: Pair) => peer.end(),
    ({ peer }: Pair) => reset(peer),
    ({ stream }: Pair) => stream.destroy(),
    ({ stream, peer }: Pair) => {
      stream.end();
      peer.resume().end();
    },
  ];
  for (const way of ways) {
    const both = await pair();
    const { stream, log, peer, socket } = both;
    const before = heard(socket).length;
    way(both);
    await log.ended;
    await turns();
    assert.is(log.calls.filter((call) => call === "end").length, 1);
    assert.is.not(stream.handler, log);
    for (const name of ["data", "close", "finish", "drain"]) assert.is(socket.listenerCount(name), 0, name);
    assert.is(socket.listenerCount("error"), 1);
    assert.ok(heard(socket).length < before);
    socket.emit("error", new Error("late"));
    assert.is(log.calls.filter((call) => call === "end").length, 1);
    peer.destroy();
  }
});

it("tells both addresses", async () => {
  const { stream, peer } = await pair();
  assert.is(stream.localAddress, `tcp://127.0.0.1:${peer.remotePort}`);
  assert.is(stream.peerAddress, "127.0.0.1");
  stream.destroy();
  peer.destroy();
});

it.run();

/** The way out of a session, against a stream that takes what the test wants it to take. */
import { FLUSH_LIMIT_BYTES, SLAB_BYTES } from "../../src/base/constants.ts";
import { SlabPool } from "../../src/codec/slab-pool.ts";
import { NetPipe, type PipeLink } from "../../src/pipe/net-pipe.ts";
import type { PipeOwner } from "../../src/pipe/pipe.ts";
import { type OutputStream, Writer } from "../../src/session/writer.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("session/writer");

/** Keeps what is written, and ends the writes when it is told to. */
class Stream implements OutputStream {
  readonly written: Buffer[] = [];
  readonly #ends: (() => void)[] = [];
  queuedBytes = 0;
  /** Octets that stay queued after each write. */
  refuses = 0;
  isDestroyed = false;

  write(parts: Buffer | readonly Buffer[], done?: () => void): void {
    this.written.push(...(parts as readonly Buffer[]));
    this.queuedBytes = this.refuses;
    if (done !== undefined) this.#ends.push(done);
  }

  destroy(): void {
    this.isDestroyed = true;
  }

  /** All writes have ended. */
  end(): void {
    this.queuedBytes = 0;
    for (const done of this.#ends.splice(0)) done();
  }
}

const NOBODY = { active: false, emit(): void {} };
const ADDRESS = "tcp://127.0.0.1:5555";

function makePipe(): NetPipe {
  const link: PipeLink = {
    isOutgoing: true,
    flush() {},
    isScheduled: false,
    schedule() {},
    resume() {},
    subscribe() {},
    refuse() {},
    finish() {},
  };
  const owner: PipeOwner = {
    deliver: () => false,
    readable() {},
    writable() {},
    subscription() {},
    connected() {},
    disconnected() {},
    ended() {},
  };
  const limits = { send: 1000, receive: 1000, ahead: 64, conflate: false };
  const pipe = new NetPipe(owner, link, new SlabPool(), limits);
  pipe.isConnected = true;
  return pipe;
}

it("writes batch after batch for as long as the kernel takes them, and stops when it does not", () => {
  const pipe = makePipe();
  const stream = new Stream();
  const writer = new Writer(pipe, stream, undefined, NOBODY, ADDRESS);
  const bytes = 2 * FLUSH_LIMIT_BYTES;
  for (let left = bytes; left > 0; left -= SLAB_BYTES) pipe.write([Buffer.alloc(SLAB_BYTES)]);
  assert.is(writer.flush(), true);
  assert.ok(Buffer.concat(stream.written).length > bytes);
  stream.refuses = 1;
  for (let i = 0; i < 2; i++) pipe.write([Buffer.alloc(FLUSH_LIMIT_BYTES)]);
  const before = pipe.outbox.queued;
  assert.is(writer.flush(), false);
  assert.is(pipe.outbox.queued, before, "nothing is taken");
  assert.is(writer.flush(), false, "the kernel has not said that it takes more");
  stream.refuses = 0;
  stream.end();
  writer.flushed();
  assert.is(writer.flush(), true);
  assert.is(pipe.outbox.queued, 0);
});

it("a write that ends when the stream is gone settles nothing of the pipe's next connection", () => {
  const pipe = makePipe();
  const [first, second] = [new Stream(), new Stream()];
  const lost = new Writer(pipe, first, undefined, NOBODY, ADDRESS);
  pipe.write([Buffer.from("one")]);
  assert.is(lost.flush(), true);
  lost.close();
  pipe.outbox.lost();
  const writer = new Writer(pipe, second, undefined, NOBODY, ADDRESS);
  pipe.write([Buffer.from("two")]);
  assert.is(writer.flush(), true);
  first.end();
  // Were the memory of "two" free by now, this would lie over it.
  pipe.write([Buffer.from("six")]);
  assert.is(Buffer.concat(second.written).toString("latin1"), "\0\x03two");
  assert.is(lost.flush(), false);
});

it.run();

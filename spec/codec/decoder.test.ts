import { LARGE_BYTES, largeBuffer, ownCopy } from "../../src/base/bytes.ts";
import {
  GROW_STEP_BYTES,
  MESSAGE_FRAMES,
  PAGE_BYTES,
  PIN_FACTOR,
  SMALL_BUFFERS_BYTES,
} from "../../src/base/constants.ts";
import { ProtocolError } from "../../src/base/errors.ts";
import { Decoder } from "../../src/codec/decoder.ts";
import { encodeFrame, FrameSizeError } from "../../src/codec/frame.ts";
import { Random } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { enqueue } from "../helpers/transfer.ts";
import { decodeSlowly, Recorder } from "../twins/decoder.ts";
import { deliveries, hex } from "./deliveries.ts";

const it = suite("codec/decoder");

function make(maxMessageSize = -1): { decoder: Decoder; sink: Recorder } {
  const sink = new Recorder();
  const decoder = new Decoder(sink, maxMessageSize);
  decoder.inbox = sink;
  sink.decoder = decoder;
  return { decoder, sink };
}

/** The lines that a stream gives, the same for every delivery. */
function lines(stream: Buffer, maxMessageSize = -1): string[] {
  const results = deliveries(stream).map(([name, chunks]) => {
    const { decoder, sink } = make(maxMessageSize);
    try {
      for (const chunk of chunks) decoder.push(chunk);
    } catch (error) {
      assert.instance(error, ProtocolError);
      sink.lines.push("fault");
    }
    return [name, sink.lines] as const;
  });
  for (const [name, result] of results) assert.equal(result, results[0][1], name);
  assert.equal(results[0][1], decodeSlowly(stream, maxMessageSize), "the twin");
  return results[0][1];
}

function frames(...list: [flags: number, size: number][]): Buffer {
  const random = new Random(list.length);
  const body = (size: number) => Buffer.from(Array.from({ length: size }, () => random.below(256)));
  return Buffer.concat(list.map(([flags, size]) => encodeFrame(flags, body(size))));
}

it("gives whole messages in all four deliveries", () => {
  assert.equal(lines(hex("0000")), ["message "]);
  assert.equal(lines(hex("000161")), ["message 61"]);
  assert.equal(lines(hex("01000001 78")), ["message ,78"]);
  assert.is(lines(frames([0, 255])).length, 1);
  assert.is(lines(frames([0, 256])).length, 1);
  assert.is(lines(frames([1, 1], [1, 0], [0, 256])).length, 1);
  assert.is(lines(frames([0, 1024], [0, 1025], [0, 0], [1, 5000], [0, 8192], [0, 10], [0, 70000])).length, 6);
});

it("takes LONG with a small size", () => {
  assert.equal(lines(hex("02 0000000000000001 61 03 0000000000000000 0000")), ["message 61", "message ,"]);
});

it("takes a command between two frames of a message", () => {
  assert.equal(lines(hex("010161 0405 04504f4e47 000162")), ["command 04504f4e47", "message 61,62"]);
  assert.equal(lines(hex("0400 06 0000000000000002 0141")), ["command ", "command 0141"]);
});

it("shows nothing of a message whose last frame has not come", () => {
  assert.equal(lines(hex("0000 010161 0102 6263")), ["message "]);
});

it("refuses reserved bits, and MORE on a command", () => {
  for (const flags of [0x08, 0x10, 0x20, 0x40, 0x80, 0xff, 0x05, 0x07]) {
    const stream = Buffer.concat([hex("000161"), Buffer.of(flags), hex("0161000162")]);
    assert.equal(lines(stream), ["message 61", "fault"], flags.toString(16));
  }
});

it("refuses a frame above the limit, whatever the message", () => {
  assert.equal(lines(hex("0003 616263 0004 61626364"), 3), ["message 616263", "fault"]);
  assert.equal(lines(hex("0103 616263 0003 616263"), 3), ["message 616263,616263"]);
  assert.equal(lines(hex("0404 03414243"), 3), ["fault"]);
  assert.equal(lines(hex("0000 0001 61"), 0), ["message ", "fault"]);
});

it("says apart what was too large", () => {
  const { decoder } = make(10);
  assert.throws(
    () => decoder.push(hex("02 00000000ffffffff")),
    (error: unknown) => error instanceof FrameSizeError,
  );
  const other = make();
  assert.throws(
    () => other.decoder.push(hex("0800")),
    (error: unknown) => error instanceof ProtocolError && !(error instanceof FrameSizeError),
  );
});

it("refuses sizes that no buffer can have", () => {
  for (const size of [
    "0020000000000000",
    "7fffffffffffffff",
    "8000000000000000",
    "ffffffffffffffff",
    "4000000000000000",
  ]) {
    assert.equal(lines(hex(`02 ${size} 00`)), ["fault"], size);
  }
});

it("limits commands", () => {
  assert.equal(lines(hex("06 0000000000100001 00")), ["fault"]);
});

it("limits the frames of a message", () => {
  const { decoder, sink } = make();
  const more = Buffer.alloc(2 * (MESSAGE_FRAMES - 1));
  for (let i = 0; i < more.length; i += 2) more[i] = 1;
  decoder.push(Buffer.from(more));
  decoder.push(hex("0000"));
  assert.is(sink.messages[0].length, MESSAGE_FRAMES);
  decoder.push(more);
  assert.throws(
    () => decoder.push(hex("0100")),
    (error: unknown) => error instanceof ProtocolError,
  );
});

it("is closed after a fault", () => {
  const { decoder, sink } = make();
  assert.throws(() => decoder.push(hex("0800")));
  assert.is(decoder.push(hex("000161")), false);
  assert.is(decoder.resume(), false);
  assert.equal(sink.lines, []);
});

it("stops behind a message or a command when told so, and goes on", () => {
  const stream = frames(
    [0, 3],
    [1, 4],
    [0, 300],
    [0, 0],
    [0, 5000],
    [4, 6],
    [4, 9],
    [0, 1],
    [1, 1],
    [6, 300],
    [0, 9000],
  );
  const wanted = decodeSlowly(stream, -1);
  for (const every of [1, 2, 3]) {
    for (const [name, chunks] of deliveries(stream)) {
      const { decoder, sink } = make();
      sink.stopEvery = every;
      let pushed = 0;
      for (const chunk of chunks) {
        const before = sink.lines.length;
        const wasStopped = decoder.stopped;
        pushed += chunk.length;
        assert.is(decoder.push(chunk), !decoder.stopped);
        if (wasStopped) assert.is(sink.lines.length, before);
        assert.ok(decoder.backlogBytes <= pushed);
      }
      for (let turns = 0; decoder.stopped; turns++) {
        assert.ok(turns <= wanted.length);
        const before = sink.lines.length;
        assert.is(decoder.resume(), !decoder.stopped);
        assert.ok(sink.lines.length - before <= every);
      }
      assert.equal(sink.lines, wanted, `${name}, every ${every}`);
      assert.is(decoder.backlogBytes, 0);
    }
  }
});

it("counts what it keeps while stopped", () => {
  const { decoder, sink } = make();
  sink.stopEvery = 1;
  assert.is(decoder.push(hex("000161 000162 000163")), false);
  assert.is(decoder.backlogBytes, 6);
  assert.is(decoder.push(hex("000164")), false);
  assert.is(decoder.backlogBytes, 9);
  assert.is(decoder.resume(), false);
  assert.is(decoder.backlogBytes, 6);
  assert.is(sink.messages.length, 2);
  decoder.close();
  assert.is(decoder.backlogBytes, 0);
});

it("delivers nothing after a close in a callback", () => {
  const stream = hex("000161 010162 000163 040141 000164");
  const wanted = decodeSlowly(stream, -1);
  for (let last = 0; last < wanted.length; last++) {
    for (const [name, chunks] of deliveries(stream)) {
      const { decoder, sink } = make();
      const close = (): void => {
        if (sink.lines.length > last) decoder.close();
      };
      const [message, command] = [sink.push.bind(sink), sink.onCommand.bind(sink)];
      sink.push = (list) => {
        message(list);
        close();
        return true;
      };
      sink.onCommand = (body) => {
        command(body);
        close();
        return true;
      };
      for (const chunk of chunks) decoder.push(chunk);
      assert.equal(sink.lines, wanted.slice(0, last + 1), name);
    }
  }
});

it("allocates by what came, not by what was announced", () => {
  const { decoder } = make();
  // The first large one of a process shows the allocator a larger piece, which the collector takes whenever it likes.
  largeBuffer(LARGE_BYTES);
  const before = process.memoryUsage().arrayBuffers;
  // As much as fits into a Buffer where words have 32 bits, too.
  decoder.push(hex("02 0000000030000000"));
  for (let i = 0; i < 100; i++) decoder.push(Buffer.alloc(1000));
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < 2 * GROW_STEP_BYTES, `${grown}`);
});

it("puts a body that grew together", () => {
  const size = 5 * GROW_STEP_BYTES + 7;
  const body = Buffer.alloc(size);
  for (let i = 0; i < size; i += 997) body[i] = i;
  const stream = Buffer.concat([encodeFrame(0, body), hex("000161")]);
  const { decoder, sink } = make();
  for (let at = 0; at < stream.length; at += 65536) decoder.push(stream.subarray(at, at + 65536));
  assert.is(sink.messages.length, 2);
  assert.is(Buffer.compare(sink.messages[0][0], body), 0);
  assert.is(sink.messages[0][0].length, size);
});

it("a message whose memory a program gave away takes none that waits, or at least ends the connection", () => {
  for (const [size, count, lies] of [
    [100, 200, "in a page"],
    [10, 6, "in the chunk"],
    [10_000, 6, "in the chunk"],
  ] as const) {
    const { decoder, sink } = make();
    sink.stopEvery = 1;
    const body = "x".repeat(size);
    // Not in Node's pool, which would be taken away as well.
    decoder.push(ownCopy(Buffer.concat(Array.from({ length: count }, () => encodeFrame(0, Buffer.from(body))))));
    enqueue(sink.messages[0][0]);
    let isEnded = false;
    try {
      while (!decoder.resume()) if (sink.messages.length > count) break;
    } catch (error) {
      assert.instance(error, ProtocolError);
      isEnded = true;
    }
    assert.ok(isEnded ? lies === "in the chunk" : sink.messages.length === count, `${size}`);
    for (const [later] of sink.messages.slice(1)) assert.is(later.toString(), body);
  }
});

/** Runs `body` where no more than `limit` octets are to be had at once. */
function withMemory(limit: number, body: () => void): void {
  const { allocUnsafeSlow } = Buffer;
  Buffer.allocUnsafeSlow = (size) => {
    if (size > limit) throw new RangeError("Array buffer allocation failed");
    return allocUnsafeSlow(size);
  };
  try {
    body();
  } finally {
    Buffer.allocUnsafeSlow = allocUnsafeSlow;
  }
}

const isFrameSize = (error: unknown): boolean => error instanceof FrameSizeError;

it("a body grows by less where there is less memory, and ends the connection where there is none", () => {
  const header = hex("02 0000000004000000");
  const piece = Buffer.alloc(GROW_STEP_BYTES);
  withMemory(2 * GROW_STEP_BYTES, () => {
    const { decoder, sink } = make();
    decoder.push(header);
    decoder.push(piece);
    assert.not.throws(() => decoder.push(piece));
    assert.throws(() => decoder.push(piece), isFrameSize);
    decoder.push(hex("0000"));
    assert.is(sink.messages.length, 0);
  });
  withMemory(GROW_STEP_BYTES, () => {
    const { decoder } = make();
    decoder.push(header);
    assert.throws(() => decoder.filled((decoder.target as Buffer).length), isFrameSize);
  });
});

it("pins at most a page, or a few times its size, by any body of a large chunk", () => {
  // Bodies at the border of two chunks lie in the memory of small buffers, or in Node's pool, which may be larger than it says.
  const pool = Math.max(SMALL_BUFFERS_BYTES, Buffer.from("x").buffer.byteLength);
  for (const size of [1, 10, 100, 1000, 1023, 1024, 1025, 2000, 4000, 5000, 8191, 8192, 10000, 30000]) {
    const stream = Buffer.concat(
      Array.from({ length: Math.ceil(200000 / size) }, () => encodeFrame(0, Buffer.alloc(size, 1))),
    );
    const { decoder, sink } = make();
    for (let at = 0; at < stream.length; at += 65536) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(65536, stream.length - at));
      stream.copy(chunk, 0, at);
      decoder.push(chunk);
    }
    for (const [body] of sink.messages) {
      const pinned = body.buffer.byteLength;
      assert.ok(pinned <= Math.max(PAGE_BYTES, pool, PIN_FACTOR * size), `${size} pins ${pinned}`);
    }
  }
});

it("lets small bodies share a page, and gives large ones without a copy", () => {
  const small = make();
  const stream = Buffer.concat(Array.from({ length: 5000 }, () => encodeFrame(0, Buffer.alloc(10))));
  const chunk = Buffer.allocUnsafeSlow(stream.length);
  stream.copy(chunk);
  small.decoder.push(chunk);
  const pages = new Set(small.sink.messages.map(([body]) => body.buffer));
  assert.ok(pages.size <= Math.ceil(stream.length / (PAGE_BYTES - 12)) && !pages.has(chunk.buffer), `${pages.size}`);

  const large = make();
  const view = Buffer.allocUnsafeSlow(10009);
  encodeFrame(0, Buffer.alloc(10000)).copy(view);
  large.decoder.push(view);
  assert.is(large.sink.messages[0][0].buffer, view.buffer);
});

it("gives bodies that are no one else's", () => {
  const stream = frames([0, 10], [0, 500], [0, 2000], [0, 9000], [1, 20], [0, 20], [0, 70000]);
  for (const [name, chunks] of deliveries(stream)) {
    const { decoder, sink } = make();
    for (const chunk of chunks) decoder.push(chunk);
    const wanted = [...sink.lines];
    const bodies = sink.messages.flat();
    for (const body of bodies) assert.ok(Buffer.isBuffer(body));
    bodies[1].fill(0);
    bodies[4].fill(0);
    const now = make().sink;
    for (const message of sink.messages) now.push(message);
    for (const index of [0, 2, 3, 5]) assert.is(now.lines[index], wanted[index], `${name} ${index}`);
  }
});

it.run();

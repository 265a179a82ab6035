import { HANDSHAKE_COMMAND_BYTES } from "../../src/base/constants.ts";
import { ProtocolError } from "../../src/base/errors.ts";
import { encodeFrame, FrameSizeError } from "../../src/codec/frame.ts";
import { FrameReader } from "../../src/connection/frame-reader.ts";
import { deliveries, hex } from "../codec/deliveries.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("connection/frame-reader");

it("reads a frame of any kind, in all four deliveries, and takes no octet behind it", () => {
  for (const size of [0, 1, 255, 256, 511, 512, 513, 5000, HANDSHAKE_COMMAND_BYTES]) {
    for (const flags of [0, 1, 4]) {
      const body = Buffer.alloc(size, size % 251);
      const frame = encodeFrame(flags, body);
      for (const [name, chunks] of deliveries(Buffer.concat([frame, hex("ff ff ff")]))) {
        const frames = new FrameReader(-1);
        const rest: Buffer[] = [];
        for (const chunk of chunks) {
          const at = frames.body === undefined ? frames.read(chunk, 0) : 0;
          rest.push(chunk.subarray(at));
        }
        assert.equal(frames.body, body, `${name} ${size}`);
        assert.is(Buffer.concat(rest).toString("hex"), "ffffff", `${name} ${size}`);
      }
    }
  }
});

it("reads one frame after another out of a chunk", () => {
  const frames = new FrameReader(-1);
  const chunk = hex("0401 41 0000 0001 42");
  const bodies: string[] = [];
  for (let at = 0; at < chunk.length; ) {
    at = frames.read(chunk, at);
    bodies.push(String(frames.body));
  }
  assert.equal(bodies, ["A", "", "B"]);
});

it("gives bodies memory of their own", () => {
  const frames = new FrameReader(-1);
  const chunk = hex("0401 41 0401 42");
  const at = frames.read(chunk, 0);
  const first = frames.body;
  frames.read(chunk, at);
  chunk.fill(0);
  assert.equal([String(first), String(frames.body)], ["A", "B"]);
});

it("hands back the octets of a frame that is not complete", () => {
  const frames = new FrameReader(-1);
  for (const [octets, unfinished] of [
    ["04", "04"],
    ["03", "0403"],
    ["4142", "04034142"],
    ["43", ""],
    ["06 00000000", "0600000000"],
  ]) {
    frames.read(hex(octets), 0);
    assert.is(frames.unfinished.toString("hex"), unfinished);
  }
});

it("judges flags by the first octet, and a size as soon as it is complete", () => {
  for (const flags of ["08", "10", "80", "ff", "05", "07"]) {
    assert.throws(
      () => new FrameReader(-1).read(hex(flags), 0),
      (error: unknown) => error instanceof ProtocolError && !(error instanceof FrameSizeError),
    );
  }
  for (const [limit, header] of [
    [-1, "06 0000000000010001"],
    [-1, "02 ffffffffffffffff"],
    [1e9, "06 0000000000010001"],
    [3, "0404"],
    [0, "0001"],
  ] as const) {
    assert.throws(
      () => new FrameReader(limit).read(hex(header), 0),
      (error: unknown) => error instanceof FrameSizeError,
      header,
    );
  }
});

it("keeps no more than has come", () => {
  const frames = new FrameReader(-1);
  frames.read(hex("06 0000000000010000 61"), 0);
  assert.is(frames.unfinished.length, 10);
  assert.is(frames.body, undefined);
});

it.run();

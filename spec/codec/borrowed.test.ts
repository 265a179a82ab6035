/**
 * Chunks that are somebody else's memory as soon as `push` returns: nothing that is delivered, kept or half received
 * may lie in them.
 */
import { Decoder } from "../../src/codec/decoder.ts";
import { encodeFrame } from "../../src/codec/frame.ts";
import { Random } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { decodeSlowly, Recorder } from "../twins/decoder.ts";
import { deliveries } from "./deliveries.ts";

const it = suite("codec/borrowed");

/** Frames with bodies of random octets, of sizes that lie alone, in a page, or in several chunks. */
function someFrames(random: Random): Buffer {
  const list = Array.from({ length: 12 }, () => {
    const body = Buffer.from(
      Array.from({ length: random.below(random.below(4) === 0 ? 9000 : 300) }, () => random.below(256)),
    );
    return encodeFrame(random.below(3) === 0 ? 1 : 0, body);
  });
  return Buffer.concat([...list, encodeFrame(0, Buffer.from("last"))]);
}

it("keeps nothing of borrowed memory, whether it stops or not", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const stream = someFrames(new Random(seed));
    const wanted = decodeSlowly(stream, -1);
    for (const every of [0, 1, 2, 5]) {
      for (const [name, chunks] of deliveries(stream, seed)) {
        const sink = new Recorder();
        const decoder = new Decoder(sink, -1);
        decoder.inbox = sink;
        sink.stopEvery = every;
        for (const chunk of chunks) {
          decoder.push(chunk, true);
          chunk.fill(0xee);
          if (seed % 2 === 0) decoder.resume();
        }
        while (decoder.stopped) decoder.resume();
        assert.equal(sink.lines, wanted, `${name}, seed ${seed}, every ${every}`);
        const bodies = sink.messages.map((frames) => `message ${frames.map((frame) => frame.toString("hex"))}`);
        assert.equal(bodies, wanted, `${name}, seed ${seed}, every ${every}: the bodies afterwards`);
      }
    }
  }
});

it.run();

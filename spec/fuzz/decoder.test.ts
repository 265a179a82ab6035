/**
 * Random and mutated streams: the decoder says what its slow twin says, or refuses by ProtocolError where the twin
 * does. Nothing else may happen. The seed is printed; FUZZ_SEED runs it again, FUZZ_ROUNDS runs more.
 */

import { ProtocolError } from "../../src/base/errors.ts";
import { Decoder } from "../../src/codec/decoder.ts";
import { encodeFrame, FLAG_COMMAND, FLAG_MORE } from "../../src/codec/frame.ts";
import { cut } from "../codec/deliveries.ts";
import { Random } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { decodeSlowly, Recorder } from "../twins/decoder.ts";

const it = suite("fuzz/decoder");

const SEED = Number(process.env.FUZZ_SEED ?? 20240229);
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 3000);

/** Sizes around every border: of the forms, of a page, of what is viewed. */
const SIZES = [0, 1, 2, 10, 100, 254, 255, 256, 1023, 1024, 1025, 4095, 4096, 4097, 8191, 8192, 8193, 20000, 70000];

/** A legal stream. */
function legal(random: Random): Buffer {
  const frames: Buffer[] = [];
  for (let count = 1 + random.below(12); count > 0; count--) {
    const size = random.below(10) < 7 ? random.below(40) : SIZES[random.below(SIZES.length)];
    const body = Buffer.alloc(size, random.below(256));
    const kind = random.below(100);
    frames.push(encodeFrame(kind < 60 ? 0 : kind < 85 ? FLAG_MORE : FLAG_COMMAND, body));
    // LONG is legal with any size.
    if (random.below(10) < 1) frames.push(Buffer.from("020000000000000002abcd", "hex"));
  }
  return Buffer.concat(frames);
}

/** Changes, drops, doubles or inserts a few octets. */
function mutated(stream: Buffer, random: Random): Buffer {
  let bytes = stream;
  for (let count = 1 + random.below(4); count > 0; count--) {
    const at = random.below(bytes.length + 1);
    const kind = random.below(4);
    if (kind === 0 && at < bytes.length) bytes[at] = random.below(256);
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.below(9))]);
    else if (kind === 2)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - random.below(9)))]);
    else bytes = Buffer.concat([bytes.subarray(0, at), Buffer.of(random.below(8)), bytes.subarray(at)]);
  }
  return bytes;
}

/** Decodes in random pieces, with random stops. */
function decode(stream: Buffer, maxMessageSize: number, random: Random): string[] {
  const sink = new Recorder();
  sink.stopEvery = random.below(10) < 5 ? 0 : 1 + random.below(4);
  const decoder = new Decoder(sink, maxMessageSize);
  decoder.inbox = sink;
  try {
    for (const chunk of cut(stream, random)) {
      decoder.push(chunk);
      if (random.below(10) < 5) decoder.resume();
    }
    while (decoder.stopped) decoder.resume();
  } catch (error) {
    assert.instance(error, ProtocolError);
    sink.lines.push("fault");
  }
  return sink.lines;
}

function run(title: string, make: (random: Random) => Buffer): void {
  it(
    title,
    () => {
      console.log(`seed ${SEED}, ${ROUNDS} rounds`);
      for (let round = 0; round < ROUNDS; round++) {
        const random = new Random(SEED + round);
        const stream = make(random);
        const maxMessageSize = random.below(10) < 7 ? -1 : random.below(300);
        const wanted = decodeSlowly(stream, maxMessageSize);
        const got = decode(Buffer.from(stream), maxMessageSize, random);
        if (wanted.join("\n") !== got.join("\n")) assert.equal(got, wanted, `FUZZ_SEED=${SEED + round}`);
      }
    },
    { timeout: 60_000 },
  );
}

run("decodes legal streams as the twin does", legal);
run("accepts mutated streams as the twin does, or refuses them", (random) => mutated(legal(random), random));
run("accepts noise as the twin does, or refuses it", (random) =>
  Buffer.from(
    Array.from({ length: random.below(200) }, () => (random.below(10) < 5 ? random.below(8) : random.below(256))),
  ),
);

it.run();

/**
 * Streams of a whole connection, mutated: what comes out is the same however the stream is cut, the connection ends at
 * most once and by a failure of its own making, and nothing is thrown at the caller.
 */
import { encodeCommand, encodeProperties, PING, READY, SUBSCRIBE } from "../../src/codec/command.ts";
import { encodeFrame } from "../../src/codec/frame.ts";
import type { SocketTypeName } from "../../src/options/values.ts";
import { cut, hex } from "../codec/deliveries.ts";
import { Bench, type BenchSettings } from "../connection/peer.ts";
import { Random } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import * as vectors from "../vectors/zmtp.ts";

const it = suite("fuzz/connection");

const SEED = Number(process.env.FUZZ_SEED ?? 20240301);
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 2500);

const ADMIT = ["", "1.0", "1", "200", "OK", "", ""].map((frame) => Buffer.from(frame));
const TYPES: readonly SocketTypeName[] = ["ROUTER", "XPUB", "PULL", "RADIO", "PAIR"];

interface Scene {
  settings: BenchSettings;
  greeting: string;
  commands: Buffer;
}

function ready(random: Random): Buffer {
  const names = ["Socket-Type", "identity", "X-a", "", "Resource"];
  const values = ["DEALER", "SUB", "PUSH", "DISH", "PAIR", "", "x"];
  const properties = Array.from({ length: random.below(4) }, () => {
    return [names[random.below(names.length)], Buffer.from(values[random.below(values.length)])] as const;
  });
  return encodeProperties(properties);
}

const SCENES: ((random: Random) => Scene)[] = [
  (random) => ({ settings: {}, greeting: vectors.GREETING_NULL, commands: encodeCommand(READY, ready(random)) }),
  (random) => ({
    settings: { plain: "server", zap: (_, answer) => answer(ADMIT, 0) },
    greeting: vectors.GREETING_PLAIN,
    commands: Buffer.concat([hex(vectors.PLAIN.hello), encodeCommand(Buffer.from("\x08INITIATE"), ready(random))]),
  }),
  (random) => ({
    settings: { plain: "client" },
    greeting: vectors.GREETING_PLAIN,
    commands: Buffer.concat([hex(vectors.PLAIN.welcome), encodeCommand(READY, ready(random))]),
  }),
  () => ({ settings: {}, greeting: "ff 0000000000000001 7f 01 05", commands: hex("0002 6964") }),
  () => ({ settings: {}, greeting: "03 00 6964", commands: hex("0301 6869 0600 7468657265") }),
];

function traffic(random: Random): Buffer {
  const kinds = [
    encodeFrame(0, Buffer.alloc(random.below(300), 1)),
    encodeFrame(1, Buffer.alloc(random.below(30), 2)),
    encodeCommand(PING, Buffer.alloc(random.below(6))),
    encodeCommand(SUBSCRIBE, Buffer.from("topic")),
    encodeCommand(Buffer.from("\x04JOIN"), Buffer.from("group")),
    encodeCommand(Buffer.from("\x07unknown"), Buffer.alloc(3)),
  ];
  return Buffer.concat(Array.from({ length: random.below(6) }, () => kinds[random.below(kinds.length)]));
}

function mutate(stream: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(stream);
  for (let count = random.below(3); count > 0; count--) {
    const at = random.below(bytes.length);
    if (random.below(10) < 6) bytes[at] ^= 1 << random.below(8);
    else bytes[at] = random.below(256);
  }
  return random.below(10) < 2 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

/** Plays the chunks to a fresh connection. Gives what it did, without the times at which it did it. */
function play(type: SocketTypeName, settings: BenchSettings, chunks: Buffer[]): { lines: string[]; sent: string } {
  const bench = new Bench(type, settings).start();
  for (const chunk of chunks) bench.connection.receive(chunk, 0);
  const ends = bench.failure === undefined ? 0 : 1;
  assert.ok(bench.lines.filter((line) => /ERR_|incompatible|auth|timeout/.test(line)).length === ends);
  assert.ok(ends === 0 || bench.connection.deadline === Number.POSITIVE_INFINITY);
  const lines = [...bench.lines];
  const sent = bench.take();
  bench.connection.receive(Buffer.alloc(100), 0);
  if (ends === 1) assert.equal(bench.lines, lines);
  bench.connection.close();
  return { lines, sent };
}

it(
  "is the same for every way in which a stream is cut, and throws nothing",
  () => {
    console.log(`seed ${SEED}, ${ROUNDS} rounds`);
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(SEED + round);
      const scene = SCENES[random.below(SCENES.length)](random);
      const type = TYPES[random.below(TYPES.length)];
      const stream = mutate(Buffer.concat([hex(scene.greeting), scene.commands, traffic(random)]), random);
      const maxMessageSize = random.below(10) < 8 ? -1 : random.below(100);
      const settings = { ...scene.settings, options: { maxMessageSize } };
      const whole = play(type, settings, [Buffer.from(stream)]);
      const single = play(
        type,
        settings,
        Array.from(stream, (octet) => Buffer.of(octet)),
      );
      const split = play(type, settings, cut(stream, random));
      assert.equal(single, whole, `FUZZ_SEED=${SEED + round}`);
      assert.equal(split, whole, `FUZZ_SEED=${SEED + round}`);
    }
  },
  { timeout: 60_000 },
);

it.run();

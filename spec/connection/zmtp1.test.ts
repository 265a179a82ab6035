import { encodeFrame, FLAG_MORE } from "../../src/codec/frame.ts";
import { Zmtp1Wire } from "../../src/connection/zmtp1.ts";
import { cut, deliveries, hex } from "../codec/deliveries.ts";
import { Random } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { play } from "./peer.ts";

const it = suite("connection/zmtp1");

/** A frame of 1.0, written the plain way. */
function frame10(flags: number, body: Buffer): Buffer {
  if (body.length < 254) return Buffer.concat([Buffer.of(body.length + 1, flags), body]);
  const head = Buffer.alloc(10, 0xff);
  head.writeBigUInt64BE(BigInt(body.length + 1), 1);
  head[9] = flags;
  return Buffer.concat([head, body]);
}

it("turns canonical frames into those of 1.0 and back, however both are cut", () => {
  const random = new Random(10);
  for (let round = 0; round < 300; round++) {
    const frames = Array.from({ length: 1 + random.below(8) }, () => {
      const size = random.pick([0, 1, 5, 252, 253, 254, 255, 256, 1000, 20000]);
      return [random.below(2) * FLAG_MORE, random.octets(size)] as const;
    });
    const canonical = Buffer.concat(frames.map(([flags, body]) => encodeFrame(flags, body)));
    const old = Buffer.concat(frames.map(([flags, body]) => frame10(flags, body)));
    assert.is(Buffer.compare(Buffer.concat(new Zmtp1Wire().wrap(cut(canonical, random))), old), 0);
    const wire = new Zmtp1Wire();
    const back = Buffer.concat(cut(old, random).flatMap((chunk) => wire.unwrap(chunk)));
    assert.is(Buffer.compare(back, canonical), 0);
  }
});

it("takes a long length for a small body, and no flag but MORE", () => {
  const wire = new Zmtp1Wire();
  const canonical = Buffer.concat(wire.unwrap(hex("ff 0000000000000002 7f 61 02 fe 62")));
  assert.is(canonical.toString("hex"), "010161000162");
  assert.is(wire.failure, undefined);
});

it("leaves its fault behind the good octets", () => {
  for (const fault of ["00", "ff 0000000000000000 00"]) {
    const wire = new Zmtp1Wire();
    assert.is(Buffer.concat(wire.unwrap(hex(`020061 ${fault} 020062`))).toString("hex"), "000161");
    assert.is(wire.failure?.code, "ERR_ZMTP_UNSPECIFIED");
  }
});

it("allocates nothing by an announced length", () => {
  const before = process.memoryUsage().arrayBuffers;
  const wire = new Zmtp1Wire();
  wire.unwrap(hex("ff 7fffffffffffffff 00 61"));
  assert.ok(process.memoryUsage().arrayBuffers - before < 65536);
});

/** Lengths that are no exact numbers, or that a canonical header could not repeat. */
const HUGE = [
  "0020000000000001",
  "00ffffffffffffff",
  "0100000000000000",
  "0100000000000011",
  "4000000000000001",
  "8000000000000000",
  "abcdef0000000003",
  "ffffffffffffffff",
];

it("ends at a length that is no exact number, before a header of it is written", () => {
  for (const length of HUGE) {
    for (const flags of ["00", "01"]) {
      for (const [name, chunks] of deliveries(hex(`020061 ff ${length} ${flags} 020062`))) {
        const wire = new Zmtp1Wire();
        const octets: Buffer[] = [];
        for (const chunk of chunks) if (wire.failure === undefined) octets.push(...wire.unwrap(chunk));
        assert.is(Buffer.concat(octets).toString("hex"), "000161", `${length} ${flags} ${name}`);
        assert.is(wire.failure?.code, "ERR_ZMTP_UNSPECIFIED", `${length} ${flags} ${name}`);
      }
    }
  }
});

it("leaves a peer with such a length quietly, and reads nothing behind it", () => {
  // What follows would be a message and a subscription, were it read as frames of 3.x.
  const behind = "0005 6672616d65 040b 0953554253435249424541";
  for (const maxMessageSize of [-1, 100]) {
    for (const length of HUGE) {
      const played = (stream: string): string[][] =>
        play("XPUB", { options: { maxMessageSize } }, stream).map((run) => run.lines);
      for (const lines of played(`0100 020061 ff ${length} 00 ${behind}`)) {
        assert.equal(lines, ["ready 100  ", "subscribe ", "message 61", "quiet ERR_ZMTP_UNSPECIFIED"], length);
      }
      // As the first frame, its identity.
      for (const lines of played(`ff ${length} 00 ${behind}`)) {
        assert.equal(lines, ["quiet ERR_ZMTP_UNSPECIFIED"], length);
      }
    }
  }
});

it.run();

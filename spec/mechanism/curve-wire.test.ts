/**
 * The traffic of CURVE, RFC 26 "CurveZMQ" as libzmq 4.3 speaks it: canonical frames in, MESSAGEs out, and back.
 */
import { FrameSizeError } from "../../src/codec/frame.ts";
import { DESK_MESSAGE_BYTES } from "../../src/crypto/crypto.ts";
import { loadCrypto } from "../../src/crypto/load.ts";
import { Opener } from "../../src/mechanism/curve-opener.ts";
import { Sealer } from "../../src/mechanism/curve-sealer.ts";
import type { CurveWire } from "../../src/mechanism/curve-wire.ts";
import { deliveries } from "../codec/deliveries.ts";
import { Random } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { canonical, type Frame, framed, SlowSealer } from "../twins/curve-wire.ts";
import { nobleCrypto } from "../twins/noble-crypto.ts";
import { frames, sessionKey } from "../vectors/curve.ts";
import { recordedWires } from "./curve-host.ts";

const it = suite("mechanism/curve-wire");
const libraries = { sodium: loadCrypto(), noble: nobleCrypto };
const { desk } = libraries.sodium;

const UNSPECIFIED = "ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED";
const UNEXPECTED = "ERR_ZMTP_UNEXPECTED_COMMAND";
const MALFORMED = "ERR_ZMTP_MALFORMED_COMMAND_MESSAGE";
const CRYPTOGRAPHIC = "ERR_ZMTP_CRYPTOGRAPHIC";
const SEQUENCE = "ERR_ZMTP_INVALID_SEQUENCE";

/** The recorded request as canonical frames, and the reply. */
const REQUEST = Buffer.from("010568656c6c6f0000", "hex");
const REPLY = Buffer.from("0005776f726c64", "hex");

/** What comes out of `unwrap`, chunk after chunk. */
function unwrapAll(wire: Pick<CurveWire, "unwrap">, chunks: Buffer[]): Buffer {
  return Buffer.concat(chunks.flatMap((chunk) => wire.unwrap(chunk)));
}

function frame(flags: number, length: number, fill = 0x61): Frame {
  return { flags, payload: Buffer.alloc(length, fill) };
}

/** A server's opener that has seen the recorded INITIATE, and a twin of the client's sealer. */
function openerAndTwin(maxMessageSize = -1): { opener: Opener; twin: SlowSealer } {
  const cipher = libraries.sodium.cipher(sessionKey, Buffer.from("CurveZMQMESSAGEC"));
  const opener = new Opener(desk, cipher, { high: 0, low: 2 }, maxMessageSize);
  return { opener, twin: new SlowSealer(sessionKey, "CurveZMQMESSAGEC", 2n) };
}

for (const [name, crypto] of Object.entries(libraries)) {
  it(`${name}: the recorded messages of both sides`, () => {
    const { client, server } = recordedWires(crypto);
    assert.equal(Buffer.concat(client.wrap([REQUEST])).toString("hex"), Buffer.concat(frames.request).toString("hex"));
    assert.equal(Buffer.concat(server.wrap([REPLY])).toString("hex"), frames.reply.toString("hex"));
  });

  it(`${name}: the recorded messages, however they arrive`, () => {
    for (const [delivery, chunks] of deliveries(Buffer.concat(frames.request))) {
      const { server } = recordedWires(crypto);
      assert.equal(unwrapAll(server, chunks).toString("hex"), REQUEST.toString("hex"), delivery);
      assert.is(server.failure, undefined);
    }
    for (const [delivery, chunks] of deliveries(frames.reply)) {
      const { client } = recordedWires(crypto);
      assert.equal(unwrapAll(client, chunks).toString("hex"), REPLY.toString("hex"), delivery);
      assert.is(client.failure, undefined);
    }
  });
}

it("a command is marked by bit 1 inside: SUBSCRIBE, CANCEL, PING, PONG as libzmq seals them", () => {
  const { client, server } = recordedWires();
  const subscribe = framed(4, Buffer.from("\x09SUBSCRIBEA"));
  const sealed = Buffer.concat(client.wrap([subscribe]));
  assert.is(sealed[0], 0);
  const box = sealed.subarray(2 + 16);
  const nonce = Buffer.concat([Buffer.from("CurveZMQMESSAGEC"), sealed.subarray(10, 18)]);
  const inner = nobleCrypto.openBox(sessionKey, nonce, box);
  assert.equal(inner?.toString("latin1"), "\x02\x09SUBSCRIBEA");
  assert.equal(Buffer.concat(server.unwrap(sealed)), subscribe);
});

it("other bits inside mean nothing", () => {
  const { opener, twin } = openerAndTwin();
  twin.counter++;
  const chunk = framed(0, twin.body(Buffer.from("\xfdhi", "latin1")));
  assert.equal(Buffer.concat(opener.unwrap(chunk)), framed(1, Buffer.from("hi")));
});

it("the outer frame may be a command, as the RFC wants", () => {
  const { opener, twin } = openerAndTwin();
  const all = [frame(1, 3), frame(0, 300), frame(4, 20_000)];
  const chunk = Buffer.concat(all.map((one) => twin.seal(one, 4)));
  assert.ok(Buffer.concat(opener.unwrap(chunk)).equals(Buffer.concat(all.map(canonical))));
});

/** Sizes where headers, loops, the desk and the memory of long messages change their ways. */
const BORDERS = [0, 1, 31, 32, 47, 48, 49, 221, 222, 223, 254, 255, 256, 257, 1000].concat(
  [-2, -1, 0, 1].map((more) => DESK_MESSAGE_BYTES + more),
  [65_535, 65_536, 70_000],
);

function randomFrame(random: Random): Frame {
  const length = random.pick([random.below(30), random.below(300), random.pick(BORDERS), random.below(3000)]);
  return { flags: random.pick([0, 1, 4]), payload: pattern(length, random) };
}

/** Octets that differ by place, cheaply. */
function pattern(length: number, random: Random): Buffer {
  return Buffer.alloc(length, random.octets(61));
}

/** Cuts octets anywhere, or between header and body as an outbox does. */
function cut(octets: Buffer, random: Random, pieces: number): Buffer[] {
  const borders = Array.from({ length: pieces - 1 }, () => random.below(octets.length + 1)).sort((a, b) => a - b);
  return [0, ...borders].map((from, i) => octets.subarray(from, borders[i] ?? octets.length));
}

it("each size at a border, sealed and opened", () => {
  const { client, server } = recordedWires();
  const twin = new SlowSealer(sessionKey, "CurveZMQMESSAGEC", 2n);
  for (const length of BORDERS) {
    const one = frame(1, length);
    const sealed = Buffer.concat(client.wrap([canonical(one)]));
    assert.ok(sealed.equals(twin.seal(one)), `sealing ${length} octets`);
    assert.ok(Buffer.concat(server.unwrap(sealed)).equals(canonical(one)), `opening ${length} octets`);
  }
});

it(
  "random frames in random parts, in random chunks: as the twin seals them, and back",
  () => {
    for (let seed = 1; seed <= 25; seed++) {
      const random = new Random(seed);
      const { client, server } = recordedWires();
      const twin = new SlowSealer(sessionKey, "CurveZMQMESSAGEC", 2n);
      for (let batch = 0; batch < 4; batch++) {
        const all = Array.from({ length: 1 + random.below(40) }, () => randomFrame(random));
        const clear = Buffer.concat(all.map(canonical));
        const sealed = Buffer.concat(client.wrap(cut(clear, random, 1 + random.below(6))));
        const expected = Buffer.concat(all.map((one) => twin.seal(one)));
        assert.ok(sealed.equals(expected), `sealing, seed ${seed}`);
        const opened = unwrapAll(server, cut(sealed, random, 1 + random.below(12)));
        assert.is(server.failure, undefined);
        assert.ok(opened.equals(clear), `opening, seed ${seed}`);
      }
    }
  },
  { timeout: 60_000 },
);

it(
  "the four deliveries of a stream with every kind of frame",
  () => {
    const { twin } = openerAndTwin();
    const all = BORDERS.filter((length) => length < 10_000).map((length, i) =>
      frame(i % 3 === 0 ? 4 : i % 2, length, i),
    );
    const sealed = Buffer.concat(all.map((one) => twin.seal(one)));
    const clear = Buffer.concat(all.map(canonical));
    for (const [delivery, chunks] of deliveries(sealed)) {
      const { opener } = openerAndTwin();
      assert.ok(unwrapAll(opener, chunks).equals(clear), delivery);
    }
  },
  { timeout: 60_000 },
);

it("thousands of short frames in one batch, more than the desk takes", () => {
  const { client, server } = recordedWires();
  const clear = Buffer.concat(Array.from({ length: 20_000 }, (_, i) => framed(0, Buffer.from(`${i}`))));
  const sealed = Buffer.concat(client.wrap([clear]));
  assert.ok(Buffer.concat(server.unwrap(sealed)).equals(clear));
});

it("a message of several megabytes: as the twin seals it, and back in chunks", () => {
  const { opener, twin } = openerAndTwin();
  const { client } = recordedWires();
  const one = { flags: 0, payload: Buffer.alloc(3_500_000, Buffer.from("0123456789abcdefghi")) };
  const sealed = Buffer.concat(client.wrap([canonical(one)]));
  assert.ok(sealed.equals(twin.seal(one)));
  const chunks: Buffer[] = [];
  for (let at = 0; at < sealed.length; at += 65_536) chunks.push(sealed.subarray(at, at + 65_536));
  assert.ok(unwrapAll(opener, chunks).equals(canonical(one)));
});

it("chunks and parts are left as they were", () => {
  const { client, server } = recordedWires();
  for (const length of [10, 300, 20_000]) {
    const part = canonical(frame(0, length));
    const kept = Buffer.from(part);
    const sealed = Buffer.concat(client.wrap([part.subarray(0, 5), part.subarray(5)]));
    assert.ok(part.equals(kept));
    const keptSealed = Buffer.from(sealed);
    server.unwrap(sealed);
    assert.ok(sealed.equals(keptSealed));
  }
});

it("what comes out shares memory with nothing, so that the decoder may view it", () => {
  const { client, server } = recordedWires();
  for (const length of [10, 20_000]) {
    for (const octets of server.unwrap(Buffer.concat(client.wrap([canonical(frame(0, length))])))) {
      assert.is(octets.buffer.byteLength, octets.length);
    }
  }
});

it("a chunk is used during the call only, wherever it ends", () => {
  const { client, server } = recordedWires();
  const clear = Buffer.concat([10, 20_000, 300, 9_000, 0].map((length) => canonical(frame(0, length))));
  const sealed = Buffer.concat(client.wrap([clear]));
  const out: Buffer[] = [];
  for (let at = 0; at < sealed.length; at += 777) {
    const chunk = Buffer.from(sealed.subarray(at, at + 777));
    out.push(...server.unwrap(chunk));
    chunk.fill(0xff);
  }
  assert.ok(Buffer.concat(out).equals(clear));
});

it("long frames lie in memory that was used before, once all of it is written, and not earlier", () => {
  const { client, server } = recordedWires();
  const lengths = [20_000, 9_000, 30_000, 100_000, 8_200, 25_000];
  let before = new Set<ArrayBufferLike>();
  for (let round = 0; round < 4; round++) {
    const frames = lengths.map((length, i) => canonical(frame(0, length, 10 * round + i)));
    const sealed = frames.map((one, i) => client.wrap(i % 2 === 0 ? [one] : [one.subarray(0, 9), one.subarray(9)]));
    for (const [i, octets] of sealed.entries()) assert.ok(unwrapAll(server, octets).equals(frames[i]), `frame ${i}`);
    const memory = new Set(sealed.flat().map(({ buffer }) => buffer));
    if (round > 1)
      assert.ok(
        [...memory].every((one) => before.has(one)),
        `round ${round}`,
      );
    before = memory;
    client.written();
  }
});

it("wires of many connections in turn do not disturb each other", () => {
  const wires = Array.from({ length: 5 }, () => recordedWires());
  const long = canonical(frame(0, 30_000, 0x62));
  const sealed = wires.map(({ client }) => Buffer.concat(client.wrap([long])));
  for (let at = 0; at < sealed[0].length; at += 7000) {
    const out = wires.map(({ server }, i) => Buffer.concat(server.unwrap(sealed[i].subarray(at, at + 7000))));
    const isLast = at + 7000 >= sealed[0].length;
    for (const octets of out) assert.ok(octets.equals(isLast ? long : Buffer.alloc(0)));
  }
});

// The counters.

it("counters carry into the upper half", () => {
  const cipher = () => libraries.sodium.cipher(sessionKey, Buffer.from("CurveZMQMESSAGEC"));
  const sealer = new Sealer(desk, cipher(), 0xfffffffe);
  const twin = new SlowSealer(sessionKey, "CurveZMQMESSAGEC", 0xfffffffen);
  const opener = new Opener(desk, cipher(), { high: 0, low: 0xfffffffe }, -1);
  for (let i = 0; i < 4; i++) {
    const sealed = Buffer.concat(sealer.wrap([canonical(frame(0, 5))]));
    assert.equal(sealed.toString("hex"), twin.seal(frame(0, 5)).toString("hex"));
    assert.equal(Buffer.concat(opener.unwrap(sealed)), canonical(frame(0, 5)));
  }
  assert.is(twin.counter, 0x100000002n);
});

it("gaps are fine, up to the last number there is; nothing comes behind that", () => {
  const { opener, twin } = openerAndTwin();
  for (const counter of [2n, 10n, 0xffffffffn, 0x7fffffff00000000n, 0xffffffff00000000n, 0xfffffffffffffffen]) {
    twin.counter = counter;
    assert.equal(Buffer.concat(opener.unwrap(twin.seal(frame(0, 1)))), canonical(frame(0, 1)));
  }
  twin.counter = 0xfffffffffffffffen;
  assert.is(failureOf(opener, twin.seal(frame(0, 1))), SEQUENCE);
});

function failureOf(opener: Opener, chunk: Buffer): string | undefined {
  opener.unwrap(chunk);
  return opener.failure?.code;
}

/**
 * Bad octets behind a good message: whatever the delivery, the good one comes out, the code is that, and then nothing
 * more.
 */
function refused(bad: (twin: SlowSealer) => Buffer, code: string, name: string, maxMessageSize = -1): void {
  const { twin } = openerAndTwin();
  const good = frame(0, 12);
  const octets = Buffer.concat([twin.seal(good), bad(twin)]);
  const behind = twin.seal(frame(0, 3));
  for (const [delivery, chunks] of deliveries(octets)) {
    const { opener } = openerAndTwin(maxMessageSize);
    assert.equal(unwrapAll(opener, chunks).toString("hex"), canonical(good).toString("hex"), `${name}, ${delivery}`);
    assert.is(opener.failure?.code, code, `${name}, ${delivery}`);
    const failure = opener.failure;
    assert.is(opener.unwrap(behind).length, 0);
    assert.is(opener.failure, failure);
  }
}

it("a counter that does not grow: replayed, the handshake's own, none", () => {
  for (const length of [5, 20_000]) {
    for (const counter of [3n, 2n, 1n, 0n]) {
      const bad = (twin: SlowSealer) => {
        twin.counter = counter - 1n;
        return twin.seal(frame(0, length));
      };
      refused(bad, SEQUENCE, `${length} octets with counter ${counter}`);
    }
  }
});

it("two messages in the wrong order: the second is refused", () => {
  for (const length of [5, 20_000]) {
    const { opener, twin } = openerAndTwin();
    const [first, second] = [twin.seal(frame(0, length)), twin.seal(frame(0, length + 1))];
    const out = Buffer.concat(opener.unwrap(Buffer.concat([second, first])));
    assert.ok(out.equals(canonical(frame(0, length + 1))));
    assert.is(opener.failure?.code, SEQUENCE);
  }
});

it("a MESSAGE cut off behind each octet, in a frame of that size", () => {
  const body = (twin: SlowSealer) => {
    twin.counter++;
    return twin.body(Buffer.from("\0hello"));
  };
  for (let length = 0; length < 38; length++) {
    let code = CRYPTOGRAPHIC;
    if (length <= 7) code = UNSPECIFIED;
    else if (length < 33) code = MALFORMED;
    refused((twin) => framed(0, body(twin).subarray(0, length)), code, `${length} octets`);
  }
  refused((twin) => framed(0, Buffer.concat([body(twin), Buffer.of(0)])), CRYPTOGRAPHIC, "one octet too many");
});

it("a MESSAGE with each bit flipped, short and long", () => {
  for (const length of [5, DESK_MESSAGE_BYTES]) {
    for (let octet = 0; octet < 33 + 5; octet++) {
      for (let bit = 0; bit < 8; bit++) {
        const { opener, twin } = openerAndTwin();
        twin.counter = 3n;
        const good = twin.seal(frame(0, length));
        const header = good.length - 33 - length;
        good[header + octet] ^= 1 << bit;
        let code = CRYPTOGRAPHIC;
        if (octet < 8) code = UNEXPECTED;
        if (octet === 0 && good[header] >= 33 + length) code = UNSPECIFIED;
        // The counter is 4, the one before was 2.
        if (octet === 15 && bit === 2) code = SEQUENCE;
        const out = opener.unwrap(good);
        assert.is(out.length, 0);
        assert.is(opener.failure?.code, code, `octet ${octet}, bit ${bit}, of ${length}`);
      }
    }
  }
});

it("a long message that is forged anywhere stays inside", () => {
  const { twin } = openerAndTwin();
  const sealed = twin.seal(frame(0, 100_000));
  for (const octet of [41, 42, 8000, 65_536, 99_999, sealed.length - 1]) {
    const { opener } = openerAndTwin();
    const bad = Buffer.from(sealed);
    bad[octet] ^= 0x10;
    for (let at = 0; at < bad.length; at += 30_000) {
      assert.is(opener.unwrap(bad.subarray(at, at + 30_000)).length, 0);
    }
    assert.is(opener.failure?.code, CRYPTOGRAPHIC);
  }
});

it("the outer flags: MORE and reserved bits are refused", () => {
  for (const outer of [1, 5, 8, 0x10, 0x20, 0x40, 0x80]) {
    const code = outer < 8 ? MALFORMED : "ERR_ZMTP_UNSPECIFIED";
    refused((twin) => twin.seal(frame(0, 5), outer), code, `flags ${outer}`);
    refused((twin) => twin.seal(frame(0, 20_000), outer), code, `flags ${outer}, long`);
  }
});

it("traffic in the clear is refused: a message, a PING, a subscription", () => {
  refused(() => framed(0, Buffer.from("hello")), UNSPECIFIED, "a message whose first octet is more than its size");
  refused(() => framed(0, Buffer.from("\x01A")), UNEXPECTED, "a subscription");
  refused(() => framed(0, Buffer.alloc(300)), UNEXPECTED, "a message");
  refused(() => framed(0, Buffer.alloc(30_000)), UNEXPECTED, "a long message");
  refused(() => framed(0, Buffer.alloc(0)), UNSPECIFIED, "an empty message");
  refused(() => framed(4, Buffer.from("\x04PING\0\0")), UNEXPECTED, "PING");
  refused(() => framed(4, Buffer.from("\x05READY".padEnd(60))), UNEXPECTED, "READY");
});

it("sealed under another key, or by this side itself", () => {
  for (const length of [5, 20_000]) {
    refused(
      (twin) => {
        const other = new SlowSealer(Buffer.alloc(32, 1), "CurveZMQMESSAGEC", twin.counter);
        return other.seal(frame(0, length));
      },
      CRYPTOGRAPHIC,
      "another key",
    );
    refused(
      (twin) => {
        const other = new SlowSealer(sessionKey, "CurveZMQMESSAGES", twin.counter);
        return other.seal(frame(0, length));
      },
      CRYPTOGRAPHIC,
      "reflected",
    );
  }
});

// Limits.

it("maxMessageSize holds for the payload, and is judged by the header alone", () => {
  for (const limit of [0, 100, 254, 255, 9000, 70_000]) {
    const { opener, twin } = openerAndTwin(limit);
    assert.ok(Buffer.concat(opener.unwrap(twin.seal(frame(0, limit)))).equals(canonical(frame(0, limit))));
    const header = twin.seal(frame(0, limit + 1)).subarray(0, limit + 1 + 33 < 256 ? 2 : 9);
    assert.is(opener.failure, undefined);
    opener.unwrap(header);
    assert.instance(opener.failure, FrameSizeError);
    assert.is(opener.failure?.code, "ERR_ZMTP_UNSPECIFIED");
  }
});

it("sizes of 2^53 and more are refused even without a limit", () => {
  for (const size of [1n << 53n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n]) {
    const header = Buffer.alloc(9);
    header[0] = 2;
    header.writeBigUInt64BE(size, 1);
    refused(() => header, "ERR_ZMTP_UNSPECIFIED", `${size}`);
  }
});

it("a size that is only announced takes no more memory than a step", () => {
  const { twin } = openerAndTwin();
  const sealed = twin.seal(frame(0, 20_000));
  const head = sealed.subarray(9, 9 + 32);
  const header = Buffer.alloc(9);
  header[0] = 2;
  header.writeBigUInt64BE(1n << 29n, 1);
  const before = process.memoryUsage().arrayBuffers;
  const openers = Array.from({ length: 4 }, () => {
    const { opener } = openerAndTwin();
    assert.is(opener.unwrap(Buffer.concat([header, head, Buffer.alloc(100)])).length, 0);
    assert.is(opener.failure, undefined);
    return opener;
  });
  const taken = process.memoryUsage().arrayBuffers - before;
  assert.ok(taken < 6 * 1024 * 1024, `${taken} octets for ${openers.length}`);
});

it("a long message leaves nothing behind when it ends early", () => {
  const { opener, twin } = openerAndTwin();
  const sealed = twin.seal(frame(0, 20_000));
  opener.unwrap(sealed.subarray(0, 15_000));
  opener.wipe();
  assert.is(opener.unwrap(sealed.subarray(15_000)).length, 0);
});

it("behind wipe() nothing is sealed or opened: a key of zeros would protect nothing", () => {
  const { client, server } = recordedWires();
  const sealed = Buffer.concat(client.wrap([REQUEST]));
  client.wipe();
  server.wipe();
  assert.is(client.wrap([REQUEST]).length, 0);
  assert.is(server.unwrap(sealed).length, 0);
  assert.is(server.failure, undefined);
});

it("nothing to do gives nothing", () => {
  const { client, server } = recordedWires();
  assert.equal(client.wrap([]), []);
  assert.equal(client.wrap([Buffer.alloc(0), Buffer.alloc(0)]), []);
  assert.equal(server.unwrap(Buffer.alloc(0)), []);
});

it.run();

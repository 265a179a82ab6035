import { type PROTOCOL_CODES, ProtocolError } from "../../src/base/errors.ts";
import { encodeProperties } from "../../src/codec/command.ts";
import { admitsWithoutHandler, encodeZapRequest, parseZapReply, zapPolicy } from "../../src/mechanism/zap.ts";
import { hex } from "../codec/deliveries.ts";
import { Bench, type BenchSettings } from "../connection/peer.ts";
import { assert, suite } from "../helpers/test.ts";
import * as vectors from "../vectors/zmtp.ts";

const it = suite("mechanism/zap");

type Answer = (reply: readonly Buffer[] | undefined, now: number) => void;

function reply(status: string, metadata: Uint8Array = Buffer.alloc(0), userId = ""): Buffer[] {
  return ["", "1.0", "1", status, "text", userId, metadata].map((frame) => Buffer.from(frame as string));
}

/** An answer of 200 with another frame in one place. */
function replaced(index: number, frame: Buffer): Buffer[] {
  const frames = reply("200");
  frames[index] = frame;
  return frames;
}

const GREETING = vectors.GREETING_NULL;
const DOMAIN = { zapDomain: Buffer.from("global") };

/** A PULL with NULL and a domain, or a PLAIN server that has read HELLO, whose question is not answered yet. */
function asked(
  mechanism: "NULL" | "PLAIN",
  settings: BenchSettings = {},
): { bench: Bench; answer: Answer; frames: string[] } {
  let answer: Answer | undefined;
  let frames: string[] = [];
  const zap = (request: Buffer[], respond: Answer): void => {
    frames = request.map(String);
    answer = respond;
  };
  const plain = mechanism === "PLAIN" ? { plain: "server" as const } : {};
  const bench = new Bench("PULL", { options: DOMAIN, zap, peerAddress: "10.1.2.3", ...plain, ...settings }).start();
  if (mechanism === "NULL") bench.feed(GREETING);
  else bench.feed(vectors.GREETING_PLAIN + vectors.PLAIN.hello);
  bench.take();
  return { bench, answer: answer as Answer, frames };
}

it("asks for a domain, and holds READY back until the answer", () => {
  const { bench, answer, frames } = asked("NULL", { routingId: "own" });
  assert.equal(frames, ["", "1.0", "1", "global", "10.1.2.3", "own", "NULL"]);
  bench.feed(vectors.READY.PUSH);
  assert.equal(bench.lines, []);
  answer(reply("200"), 5);
  assert.is(bench.take(), vectors.READY.PULL);
  assert.equal(bench.lines, ["ready 301 PUSH "]);
  bench.feed("000161");
  assert.is(bench.lines.at(-1), "message 61");
});

it("takes an answer before the peer's READY, and at once", () => {
  const late = asked("NULL");
  late.answer(reply("200"), 5);
  assert.is(late.bench.take(), vectors.READY.PULL);
  late.bench.feed(vectors.READY.PUSH);
  assert.equal(late.bench.lines, ["ready 301 PUSH "]);
  const zap = (_: Buffer[], answer: Answer): void => answer(reply("200"), 0);
  const bench = new Bench("PULL", { options: DOMAIN, zap }).start().feed(GREETING + vectors.READY.PUSH);
  assert.equal(bench.lines, ["ready 301 PUSH "]);
});

it("goes on with a frame of which the beginning came before the answer", () => {
  for (const beginning of ["00", "0002", "000261"]) {
    const { bench, answer } = asked("NULL");
    bench.feed(vectors.READY.PUSH + beginning);
    answer(reply("200"), 5);
    assert.equal(bench.lines, ["ready 301 PUSH "]);
    bench.feed("00026162".slice(beginning.length));
    assert.equal(bench.lines, ["ready 301 PUSH ", "message 6162"], beginning);
  }
});

it("adds the user id and the answer's properties, which the peer's own do not replace", () => {
  const { bench, answer } = asked("NULL");
  answer(reply("200", encodeProperties([["X-Role", Buffer.from("admin")]]), "joe"), 0);
  const claims = encodeProperties([
    ["Socket-Type", Buffer.from("PUSH")],
    ["X-Role", Buffer.from("root")],
    ["User-Id", Buffer.from("root")],
  ]);
  bench.feed(`04${(claims.length + 6).toString(16)} 055245414459 ${claims.toString("hex")}`);
  const { properties } = bench.peer!;
  assert.equal([...properties].map(([name, value]) => `${name}=${value}`).sort(), [
    "Socket-Type=PUSH",
    "User-Id=joe",
    "X-Role=admin",
  ]);
});

it("lets its word stand when the peer's claims came first, but not about what only the peer knows", () => {
  const { bench, answer } = asked("NULL");
  const claims = encodeProperties([
    ["Socket-Type", Buffer.from("PUSH")],
    ["X-Role", Buffer.from("root")],
    ["X-Own", Buffer.from("kept")],
  ]);
  bench.feed(`04${(claims.length + 6).toString(16)} 055245414459 ${claims.toString("hex")}`);
  const granted = encodeProperties([
    ["X-Role", Buffer.from("guest")],
    ["X-Role", Buffer.from("second")],
    ["Socket-Type", Buffer.from("PUB")],
    ["Identity", Buffer.from("other")],
    ["User-Id", Buffer.from("root")],
  ]);
  answer(reply("200", granted, "joe"), 0);
  const { properties, routingId } = bench.peer!;
  assert.equal([bench.socketType, routingId.length], ["PUSH", 0]);
  assert.equal([...properties].map(([name, value]) => `${name}=${value}`).sort(), [
    "Socket-Type=PUSH",
    "User-Id=joe",
    "X-Own=kept",
    "X-Role=guest",
  ]);
});

it("says 400 and 500 to the peer and ends, and ends in silence by 300", () => {
  for (const status of ["400", "500"]) {
    const { bench, answer } = asked("NULL");
    answer(reply(status), 0);
    assert.is(bench.take(), `040a054552524f5203${Buffer.from(status).toString("hex")}`);
    assert.equal(bench.lines, [`auth ${status}`]);
    assert.is(bench.failure?.flush, true);
  }
  const { bench, answer } = asked("NULL");
  answer(reply("300"), 0);
  assert.is(bench.take(), "");
  assert.equal(bench.lines, ["auth 300"]);
});

it("writes PLAIN's ERROR in the form that the peer understands", () => {
  const toLibzmq = asked("PLAIN");
  toLibzmq.answer(reply("400"), 0);
  assert.is(toLibzmq.bench.take(), hex(vectors.ERROR_400_SHORT).toString("hex"));
  for (const greeting of [
    vectors.GREETING_PLAIN.replace("0000000000000001", "0000000000000000"),
    vectors.GREETING_PLAIN.replace("03 01", "03 00"),
  ]) {
    let answer: Answer | undefined;
    const zap = (_: Buffer[], respond: Answer): void => {
      answer = respond;
    };
    const bench = new Bench("PULL", { plain: "server", zap }).start().feed(greeting + vectors.PLAIN.hello);
    bench.take();
    answer!(reply("400"), 0);
    assert.is(bench.take(), hex(vectors.ERROR_400).toString("hex"));
    assert.equal(bench.lines, ["auth 400"]);
  }
});

it("ends by an answer that is none, and names what is wrong", () => {
  const faults: [keyof typeof PROTOCOL_CODES, Buffer[]][] = [
    ["ERR_ZAP_MALFORMED_REPLY", reply("200").slice(0, 6)],
    ["ERR_ZAP_MALFORMED_REPLY", [...reply("200"), Buffer.alloc(0)]],
    ["ERR_ZAP_MALFORMED_REPLY", []],
    ["ERR_ZAP_UNSPECIFIED", [Buffer.from("x"), ...reply("200").slice(1)]],
    ["ERR_ZAP_BAD_VERSION", replaced(1, Buffer.from("1.1"))],
    ["ERR_ZAP_BAD_REQUEST_ID", replaced(2, Buffer.from("2"))],
    ["ERR_ZAP_INVALID_STATUS_CODE", reply("201")],
    ["ERR_ZAP_INVALID_STATUS_CODE", reply("")],
    ["ERR_ZAP_INVALID_METADATA", reply("200", Buffer.from("x"))],
  ];
  for (const [code, frames] of faults) {
    assert.throws(
      () => parseZapReply(frames),
      (error: unknown) => error instanceof ProtocolError && error.code === code,
      code,
    );
    for (const mechanism of ["NULL", "PLAIN"] as const) {
      const { bench, answer } = asked(mechanism);
      answer(frames, 0);
      assert.is(bench.take(), "");
      assert.equal(bench.lines, [code]);
    }
  }
});

it("lets NULL in when nobody is bound, unless the domain is enforced, and PLAIN never", () => {
  const open = asked("NULL");
  open.answer(undefined, 0);
  assert.is(open.bench.take(), vectors.READY.PULL);
  const enforced = asked("NULL", { options: { ...DOMAIN, zapEnforceDomain: true } });
  enforced.answer(undefined, 0);
  assert.equal(enforced.bench.lines, ["no-zap-handler"]);
  const plain = asked("PLAIN");
  plain.answer(undefined, 0);
  assert.equal(plain.bench.lines, ["no-zap-handler"]);
  const without = new Bench("PULL", { options: DOMAIN }).start().feed(GREETING);
  assert.ok(without.take().endsWith(vectors.READY.PULL));
});

it("knows whom to ask about", () => {
  const [none, some] = [Buffer.alloc(0), Buffer.from("x")];
  assert.equal([zapPolicy("NULL", none, false), zapPolicy("NULL", none, true)], ["admit", "admit"]);
  assert.equal([zapPolicy("PLAIN", none, false), zapPolicy("PLAIN", none, true)], ["ask", "refuse"]);
  assert.equal([zapPolicy("CURVE", none, false), zapPolicy("CURVE", none, true)], ["ask", "admit"]);
  for (const mechanism of ["NULL", "PLAIN", "CURVE"] as const) {
    assert.is(zapPolicy(mechanism, some, false), "ask");
    assert.is(zapPolicy(mechanism, some, true), "ask");
    assert.is(admitsWithoutHandler(mechanism, true), false);
    assert.is(admitsWithoutHandler(mechanism, false), mechanism !== "PLAIN");
  }
});

it("carries credentials as they are", () => {
  const key = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));
  const request = { domain: Buffer.from("d"), address: "::1", identity: Buffer.alloc(0), mechanism: "CURVE" as const };
  const frames = encodeZapRequest({ ...request, credentials: [key] });
  assert.is(frames.length, 8);
  assert.equal(frames[7], key);
  key.fill(0);
  assert.is(frames[7][0], 255);
});

it("hears no answer after the end, and none after the handshake timer", () => {
  const closed = asked("NULL");
  closed.bench.connection.close();
  closed.answer(reply("400"), 0);
  assert.equal([closed.bench.take(), closed.bench.lines], ["", []]);
  const late = asked("NULL");
  late.bench.connection.tick(30000);
  late.answer(reply("200"), 30001);
  assert.equal([late.bench.take(), late.bench.lines], ["", ["timeout handshake"]]);
});

it("gives a peer that cannot wait for the answer up", () => {
  const { bench } = asked("PLAIN");
  bench.feed(vectors.PLAIN.initiate);
  assert.equal(bench.lines, ["ERR_ZMTP_UNEXPECTED_COMMAND"]);
});

it.run();

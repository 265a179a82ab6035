import { encodePing, encodePong, errorBody, SHORT_ERROR } from "../../src/codec/command.ts";
import { Decoder } from "../../src/codec/decoder.ts";
import { encodeFrame, FLAG_COMMAND, FLAG_MORE } from "../../src/codec/frame.ts";
import { encodeGreeting } from "../../src/codec/greeting.ts";
import { decodeZ85, encodeZ85 } from "../../src/codec/z85.ts";
import { Zmtp1Wire } from "../../src/connection/zmtp1.ts";
import type { SocketTypeName } from "../../src/options/values.ts";
import { deliveries, hex } from "../codec/deliveries.ts";
import { Bench, play } from "../connection/peer.ts";
import { assert, suite } from "../helpers/test.ts";
import { line, Recorder } from "../twins/decoder.ts";
import * as vectors from "./zmtp.ts";

const it = suite("vectors/zmtp");

const plainHex = (text: string): string => hex(text).toString("hex");

function message(frames: readonly string[]): Buffer[] {
  return frames.map((frame) => Buffer.from(frame, "latin1"));
}

function canonical(frames: readonly string[]): Buffer {
  const last = frames.length - 1;
  return Buffer.concat(message(frames).map((body, index) => encodeFrame(index < last ? FLAG_MORE : 0, body)));
}

it("writes libzmq's greetings", () => {
  assert.is(encodeGreeting("NULL", false, 0).toString("hex"), plainHex(vectors.GREETING_NULL));
  assert.is(encodeGreeting("PLAIN", false, 0).toString("hex"), plainHex(vectors.GREETING_PLAIN));
  assert.is(encodeGreeting("CURVE", false, 0).toString("hex"), plainHex(vectors.GREETING_CURVE));
});

it("greets in libzmq's stages", () => {
  const bench = new Bench("DEALER").start();
  assert.is(bench.take(), plainHex(vectors.SIGNATURE));
  bench.feed("ff 0000000000000001");
  assert.is(bench.take(), "");
  bench.feed("7f");
  assert.is(bench.take(), vectors.AFTER_10);
  bench.feed("03");
  assert.is(bench.take(), plainHex(vectors.AFTER_11));
  bench.feed(vectors.AFTER_11);
  assert.is(bench.take(), vectors.READY.DEALER);
});

it("writes a routing id's length and the id as libzmq does", () => {
  const dealer = new Bench("DEALER", { routingId: "abc" }).start();
  assert.is(dealer.take(), plainHex(vectors.SIGNATURE_ID_ABC));
  assert.ok(dealer.feed(vectors.GREETING_NULL).take().endsWith(vectors.READY_DEALER_ID_ABC));
  const router = new Bench("ROUTER", { routingId: "Srv" }).start().feed(vectors.GREETING_NULL);
  assert.ok(router.take().endsWith(vectors.READY_ROUTER_ID_SRV));
  const rep = new Bench("REP", { routingId: "Srv" }).start();
  assert.is(rep.take(), plainHex(vectors.SIGNATURE_ID_ABC));
  assert.ok(rep.feed(vectors.GREETING_NULL).take().endsWith(vectors.READY.REP));
});

for (const [type, ready] of Object.entries(vectors.READY)) {
  it(`writes the READY of ${type}`, () => {
    const bench = new Bench(type as SocketTypeName).start().feed(vectors.GREETING_NULL);
    assert.ok(bench.take().endsWith(ready));
  });
}

it("reads and writes messages", () => {
  for (const [frames, octets] of vectors.MESSAGES) {
    assert.is(canonical(frames).toString("hex"), plainHex(octets));
    for (const [name, chunks] of deliveries(hex(octets))) {
      const sink = new Recorder();
      const decoder = new Decoder(sink, -1);
      decoder.inbox = sink;
      for (const chunk of chunks) decoder.push(chunk);
      assert.equal(sink.lines, [line(message(frames))], name);
    }
  }
});

it("takes the complete streams of REQ and REP", () => {
  for (const run of play("REP", {}, vectors.REQ_STREAM)) {
    assert.equal(run.lines, ["ready 301 REQ ", line(message(["", "Hello", "World"]))], run.name);
    assert.is(run.sent, plainHex(vectors.GREETING_NULL + vectors.READY.REP));
  }
  for (const run of play("REQ", {}, vectors.REP_STREAM)) {
    assert.equal(run.lines, ["ready 301 REP ", line(message(["", "OK"]))], run.name);
    assert.is(run.sent, plainHex(vectors.GREETING_NULL + vectors.READY.REQ));
  }
});

it("subscribes by command on 3.1 and by message on older ones", () => {
  const greeting30 = vectors.GREETING_NULL.replace("03 01", "03 00");
  const new31 = new Bench("SUB").start().feed(vectors.GREETING_NULL + vectors.READY.PUB).connection;
  const old30 = new Bench("SUB").start().feed(greeting30 + vectors.READY.PUB).connection;
  for (const [topic, subscribe, command, plain] of vectors.SUBSCRIPTIONS) {
    assert.is(new31.subscription(Buffer.from(topic), subscribe).toString("hex"), plainHex(command));
    assert.is(old30.subscription(Buffer.from(topic), subscribe).toString("hex"), plainHex(plain));
  }
});

it("understands subscriptions in both forms on both versions", () => {
  for (const minor of ["01", "00"]) {
    const greeting = vectors.GREETING_NULL.replace("03 01", `03 ${minor}`);
    for (const [topic, subscribe, command, plain] of vectors.SUBSCRIPTIONS) {
      for (const run of play("XPUB", {}, greeting + vectors.READY.SUB + command + plain)) {
        const body = Buffer.from(`${subscribe ? "\x01" : "\x00"}${topic}`);
        assert.equal(run.lines.slice(1), [`${subscribe ? "subscribe" : "cancel"} ${topic}`, line([body])], run.name);
      }
    }
  }
});

it("writes PING and answers it", () => {
  assert.is(encodePing(12).toString("hex"), plainHex(vectors.PING_TTL_1250));
  assert.is(encodePing(0).toString("hex"), plainHex(vectors.PING_TTL_0));
  for (const [ping, pong] of vectors.PINGS) {
    assert.is(encodePong(hex(ping).subarray(2)).toString("hex"), plainHex(pong));
    for (const run of play("PULL", {}, vectors.GREETING_NULL + vectors.READY.PUSH + ping)) {
      assert.ok(run.sent.endsWith(plainHex(vectors.READY.PULL + pong)), run.name);
    }
  }
});

it("writes ERROR", () => {
  assert.is(encodeFrame(FLAG_COMMAND, errorBody("400")).toString("hex"), plainHex(vectors.ERROR_400));
  assert.is(
    encodeFrame(FLAG_COMMAND, errorBody("400", SHORT_ERROR)).toString("hex"),
    plainHex(vectors.ERROR_400_SHORT),
  );
});

it("plays PLAIN from both ends", () => {
  const { clientGreeting, hello, welcome, initiate, ready } = vectors.PLAIN;
  for (const run of play("REQ", { plain: "client", routingId: "cli1" }, vectors.GREETING_PLAIN + welcome + ready)) {
    assert.is(run.sent, plainHex(clientGreeting + hello + initiate), run.name);
    assert.equal(run.lines, ["ready 301 REP "]);
  }
  const asked: string[] = [];
  const reply = ["", "1.0", "1", "200", "OK", "admin", ""].map((frame) => Buffer.from(frame));
  const zap = (frames: Buffer[], answer: (reply: Buffer[], now: number) => void): void => {
    asked.push(frames.map((frame) => `"${frame}"`).join(" "));
    answer(reply, 0);
  };
  const options = { zapDomain: Buffer.from("global") };
  const settings = { plain: "server", options, zap, peerAddress: "127.0.0.1" } as const;
  for (const run of play("REP", settings, `${clientGreeting + hello + initiate}0100 00026869`)) {
    // Unlike libzmq we say in the greeting that we are the server, as the RFC wants it.
    const greeting = hex(vectors.GREETING_PLAIN);
    greeting[32] = 1;
    assert.is(run.sent, greeting.toString("hex") + plainHex(welcome + ready), run.name);
    assert.equal(run.lines, [`ready 301 REQ ${Buffer.from("cli1").toString("hex")}`, line(message(["", "hi"]))]);
  }
  assert.is(asked[0], '"" "1.0" "1" "global" "127.0.0.1" "" "PLAIN" "admin" "secret"');
});

it("downgrades to 2.0", () => {
  const { router20, dealer20, sub20, xpub20 } = vectors.DOWNGRADE;
  for (const run of play("DEALER", { routingId: "ID1" }, router20)) {
    assert.ok(plainHex(dealer20).startsWith(run.sent), run.name);
    assert.is(run.sent.length, 2 * 17);
    assert.equal(run.lines, [`ready 200  ${Buffer.from("RR").toString("hex")}`]);
    const sent = canonical(["A", "B".repeat(300)]).toString("hex");
    assert.is(run.sent + sent, plainHex(dealer20));
    assert.is(run.bench.connection.wire, undefined);
  }
  // Real libzmq as the peer: its greeting goes on with 03 until it has seen ours, so only what follows the twelfth
  // octet counts.
  for (const run of play("SUB", {}, "ff 0000000000000000 7f 01 01 0000")) {
    const sent = run.sent + run.bench.connection.subscription(Buffer.from("A"), true).toString("hex");
    assert.is(sent, plainHex(sub20), run.name);
  }
  for (const run of play("XPUB", {}, "ff 0000000000000000 7f 01 02 0000 00020141 00020041")) {
    assert.is(run.sent, plainHex(xpub20), run.name);
    assert.equal(run.lines, ["ready 200  ", "message 0141", "message 0041"]);
  }
});

it("downgrades to 1.0", () => {
  const { anonymous10, anonymousLong10, router10, routerId10 } = vectors.DOWNGRADE;
  for (const identity of [anonymous10, anonymousLong10]) {
    for (const run of play("ROUTER", {}, identity)) {
      assert.is(run.sent, plainHex(router10), run.name);
      assert.equal(run.lines, ["ready 100  "]);
    }
    for (const run of play("ROUTER", { routingId: "ID1" }, identity))
      assert.is(run.sent, plainHex(routerId10), run.name);
  }
  for (const run of play("PULL", {}, anonymous10 + vectors.MESSAGES_10.map(([, octets]) => octets).join(""))) {
    assert.equal(
      run.lines.slice(1),
      vectors.MESSAGES_10.map(([frames]) => line(message(frames))),
      run.name,
    );
  }
  for (const run of play("XPUB", {}, `${anonymous10} 03000141 03000041`)) {
    assert.equal(run.lines.slice(1), ["subscribe ", "message 0141", "message 0041"], run.name);
  }
  for (const run of play("SUB", {}, anonymous10)) {
    const { wire } = run.bench.connection;
    const sent = wire!.wrap([run.bench.connection.subscription(Buffer.from("A"), true)]);
    assert.is(Buffer.concat(sent).toString("hex"), "03000141", run.name);
  }
});

it("writes messages of 1.0, however the parts are cut", () => {
  for (const [frames, octets] of vectors.MESSAGES_10) {
    for (const [name, parts] of deliveries(canonical(frames))) {
      assert.is(Buffer.concat(new Zmtp1Wire().wrap(parts)).toString("hex"), plainHex(octets), name);
    }
  }
});

it("knows Z85", () => {
  for (const [octets, text] of vectors.Z85) {
    assert.is(encodeZ85(hex(octets)), text);
    assert.is(decodeZ85(text).toString("hex"), octets);
  }
  for (const text of vectors.NOT_Z85)
    assert.throws(
      () => decodeZ85(text),
      (error: { code?: string }) => error.code === "EINVAL",
      text,
    );
  assert.is(encodeZ85(Buffer.alloc(0)), "");
  assert.throws(
    () => encodeZ85(Buffer.alloc(3)),
    (error: { code?: string }) => error.code === "EINVAL",
  );
});

it.run();

import { encodeCommand, encodeProperties, READY } from "../../src/codec/command.ts";
import { mayTalk } from "../../src/connection/compatibility.ts";
import { SOCKET_TYPES, type SocketTypeName } from "../../src/options/values.ts";
import { deliveries, hex } from "../codec/deliveries.ts";
import { assert, suite } from "../helpers/test.ts";
import * as vectors from "../vectors/zmtp.ts";
import { Bench, converse, play } from "./peer.ts";

const it = suite("connection/handshake");

const GREETING = vectors.GREETING_NULL;

/** READY with these properties, as a frame in hexadecimal. */
function ready(...properties: [string, string][]): string {
  const encoded = encodeProperties(properties.map(([name, value]) => [name, Buffer.from(value, "latin1")]));
  return encodeCommand(READY, encoded).toString("hex");
}

/** The lines of a stream, which have to be the same in every delivery. */
function lines(type: SocketTypeName, stream: string, settings = {}): string[] {
  const runs = play(type, settings, stream);
  for (const run of runs) assert.equal(run.lines, runs[0].lines, run.name);
  return runs[0].lines;
}

it("sends ten octets at once, and no eleventh before the peer is known", () => {
  const bench = new Bench("PUSH").start();
  assert.is(bench.sent.length, 1);
  assert.is(bench.take(), hex(vectors.SIGNATURE).toString("hex"));
  for (const octet of hex("ff 0000000000000001")) bench.feed(octet.toString(16).padStart(2, "0"));
  assert.is(bench.take(), "");
});

it("answers 64 octets at once with one write", () => {
  const bench = new Bench("PUSH").start();
  bench.take();
  bench.feed(GREETING);
  assert.is(bench.sent.length, 1);
  assert.is(bench.take(), hex(vectors.AFTER_10 + vectors.AFTER_11 + vectors.READY.PUSH).toString("hex"));
});

it("does not read the padding, the as-server octet or the filler", () => {
  for (const greeting of [
    `ff 0000000000000000 7f ${GREETING.slice(22)}`,
    `ff a5a5a5a5a5a5a5a5 7f ${GREETING.slice(22)}`,
    `ff 0000000000000001 01 ${GREETING.slice(22)}`,
    `${GREETING.slice(0, -65)} 01 ${"ee".repeat(31)}`,
  ]) {
    assert.is(hex(greeting).length, 64, greeting);
    assert.equal(lines("PUSH", greeting + vectors.READY.PULL), ["ready 301 PULL "], greeting);
  }
});

it("takes later versions for 3.1", () => {
  for (const [version, known] of [
    ["03 00", "300"],
    ["03 01", "301"],
    ["03 02", "301"],
    ["03 ff", "301"],
    ["04 00", "301"],
    ["ff 00", "301"],
  ]) {
    assert.equal(lines("PUSH", GREETING.replace("03 01", version) + vectors.READY.PULL), [`ready ${known} PULL `]);
  }
  assert.equal(lines("PUSH", GREETING.replace("03 01", "00 00")), ["ERR_ZMTP_UNSPECIFIED"]);
});

it("greets in full before it refuses another mechanism", () => {
  for (const greeting of [vectors.GREETING_PLAIN, vectors.GREETING_CURVE, GREETING.replace("4e554c4c", "6e756c6c")]) {
    for (const run of play("PUSH", {}, greeting)) {
      assert.equal(run.lines, ["ERR_ZMTP_MECHANISM_MISMATCH"]);
      assert.is(run.sent, hex(GREETING).toString("hex"));
      assert.is(run.bench.failure?.flush, true);
    }
  }
  // All 20 octets count.
  const long = GREETING.replace("4e554c4c00", "4e554c4c00".replace("00", "53"));
  assert.equal(lines("PUSH", long), ["ERR_ZMTP_MECHANISM_MISMATCH"]);
  const hidden = GREETING.replace("4e554c4c0000", "4e554c4c0053");
  assert.equal(lines("PUSH", hidden), ["ERR_ZMTP_MECHANISM_MISMATCH"]);
});

it("refuses old peers where security is wanted", () => {
  for (const stream of ["0100", "ff 0000000000000001 7f 01 06 0000", "ff 0000000000000001 7f 02 06 0000"]) {
    assert.equal(lines("DEALER", stream, { plain: "server" }), ["ERR_ZMTP_MECHANISM_MISMATCH"]);
    assert.equal(lines("DEALER", stream, { options: { zapDomain: Buffer.from("x") } }), [
      "ERR_ZMTP_MECHANISM_MISMATCH",
    ]);
    assert.equal(lines("CLIENT", stream), ["incompatible"]);
  }
});

it("waits for the end of what looks like a long identity", () => {
  const bench = new Bench("PULL").start().feed(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n").toString("hex"));
  assert.equal(bench.lines, []);
  assert.is(bench.connection.deadline, 30000);
});

it("talks to itself over every pair that may talk, and to no other", () => {
  const types = Object.keys(SOCKET_TYPES).filter((type) => type !== "STREAM" && type !== "DGRAM") as SocketTypeName[];
  for (const one of types) {
    for (const other of types) {
      const [a, b] = [new Bench(one).start(), new Bench(other).start()];
      converse(a, b);
      if (mayTalk(SOCKET_TYPES[one], other)) {
        assert.is(a.socketType, other);
        assert.is(b.socketType, one);
      } else {
        assert.is(a.failure?.kind, "incompatible", `${one} ${other}`);
        assert.is(b.failure?.kind, "incompatible", `${one} ${other}`);
      }
    }
  }
});

it("lets its READY out before it leaves a peer that does not fit", () => {
  for (const run of play("PUSH", {}, GREETING + vectors.READY.PUB)) {
    assert.equal(run.lines, ["incompatible"]);
    assert.ok(run.sent.endsWith(vectors.READY.PUSH), run.name);
    assert.is(run.bench.failure?.flush, true);
  }
});

it("reads READY as liberally as libzmq, and compares names without case", () => {
  const accepted: [string, string[]][] = [
    [ready(), ["ready 301  "]],
    [ready(["Socket-Type", "DEALER"]), ["ready 301 DEALER "]],
    [ready(["socket-type", "DEALER"], ["IDENTITY", "me"]), ["ready 301 DEALER 6d65"]],
    [ready(["", "x"], ["X-Key", "value"], ["Resource", "a/b"], ["Socket-Type", "ROUTER"]), ["ready 301 ROUTER "]],
    [ready(["Socket-Type", "ROUTER"], ["Identity", "a"], ["Identity", "b"]), ["ready 301 ROUTER 62"]],
    [ready(["Identity", "\0a"]), ["ready 301  0061"]],
    [ready(["Identity", "i".repeat(255)]), [`ready 301  ${"69".repeat(255)}`]],
  ];
  for (const [stream, wanted] of accepted) assert.equal(lines("ROUTER", GREETING + stream), wanted);
  assert.equal(lines("ROUTER", GREETING + ready(["Socket-Type", "router"])), ["incompatible"]);
  assert.equal(lines("ROUTER", GREETING + ready(["Socket-Type", ""])), ["incompatible"]);
});

it("refuses cut-off properties and spare octets", () => {
  for (const data of ["00", "0141", "0141000000", "014100000001", "0141 00000000 00", "0141 ffffffff 00", "05 41"]) {
    const frame = encodeCommand(READY, hex(data)).toString("hex");
    assert.equal(lines("ROUTER", GREETING + frame), ["ERR_ZMTP_INVALID_METADATA"], data);
  }
  assert.equal(lines("ROUTER", GREETING + ready(["Identity", "i".repeat(256)])), ["ERR_ZMTP_INVALID_METADATA"]);
});

it("keeps a peer's properties, the first of each, and believes no claim to what only we know", () => {
  const stream = ready(
    ["Socket-Type", "DEALER"],
    ["X-Key", "1"],
    ["X-Key", "2"],
    ["User-Id", "root"],
    ["peer-address", "1.2.3.4"],
  );
  const bench = new Bench("ROUTER").start().feed(GREETING + stream);
  assert.equal(
    [...bench.peer!.properties].map(([name, value]) => `${name}=${value}`),
    ["Socket-Type=DEALER", "X-Key=1"],
  );
});

it("sends the application's properties after its own", () => {
  const options = {
    metadata: new Map([
      ["X-a", Buffer.from("1")],
      ["X-b", Buffer.alloc(0)],
    ]),
  };
  const bench = new Bench("REQ", { routingId: "me", options }).start().feed(GREETING);
  const wanted = ready(["Socket-Type", "REQ"], ["Identity", "me"], ["X-a", "1"], ["X-b", ""]);
  assert.ok(bench.take().endsWith(wanted));
});

it("takes early traffic, and any command but READY and ERROR, for a fault", () => {
  for (const frame of [
    "0000",
    "000161",
    "010161",
    "0005 48454c4c4f",
    "0407 0450494e47 0000",
    "0400",
    "0401 05",
    "0406 057265616479",
  ]) {
    assert.equal(lines("PULL", `${GREETING}${frame}`), ["ERR_ZMTP_UNEXPECTED_COMMAND"], frame);
  }
});

it("takes a READY whatever kind of frame it comes in, as libzmq does", () => {
  assert.equal(lines("PUSH", `${GREETING} 00${vectors.READY.PULL.slice(2)}`), ["ready 301 PULL "]);
});

it("takes nothing but traffic after READY: a second one is an unknown command", () => {
  const stream = `${GREETING}${vectors.READY.PUSH}${vectors.READY.PUSH} 000161`;
  assert.equal(lines("PULL", stream), ["ready 301 PUSH ", "message 61"]);
});

it("ignores commands that it does not know, an ERROR among them", () => {
  const frames = "0400 0401 05 0404 03414243 040a 054552524f52 03343030 040a 09737562736372696265 000161";
  assert.equal(lines("XPUB", `${GREETING}${vectors.READY.SUB}${frames}`), ["ready 301 SUB ", "message 61"]);
  assert.equal(lines("PULL", `${GREETING}${vectors.READY.PUSH} 040b 09535542534352494245 41 000161`).slice(1), [
    "message 61",
  ]);
});

it("ends by the peer's ERROR, and says which denial it was", () => {
  for (const status of ["300", "400", "500"]) {
    const error = `040a 054552524f52 03${Buffer.from(status).toString("hex")}`;
    assert.equal(lines("PUSH", `${GREETING}${error}`), [`auth ${status}`]);
  }
  assert.equal(lines("PUSH", `${GREETING} 0409 054552524f52 02 6e6f`), ["quiet ERR_ZMTP_UNSPECIFIED"]);
  assert.equal(lines("PUSH", `${GREETING} 0407 054552524f52 00`), ["quiet ERR_ZMTP_UNSPECIFIED"]);
});

it("refuses a malformed ERROR", () => {
  for (const frame of ["0406 054552524f52", "0407 054552524f52 01", "0409 054552524f52 03 3430"]) {
    assert.equal(lines("PUSH", `${GREETING}${frame}`), ["ERR_ZMTP_MALFORMED_COMMAND_ERROR"], frame);
  }
});

it("holds READY to maxMessageSize, without an event", () => {
  const options = { maxMessageSize: 40 };
  assert.equal(lines("ROUTER", GREETING + vectors.READY.DEALER, { options }), ["quiet ERR_ZMTP_UNSPECIFIED"]);
  assert.equal(lines("PULL", GREETING + vectors.READY.PUSH, { options }), ["ready 301 PUSH "]);
});

it("names bad framing in a handshake, and is quiet about it in traffic", () => {
  assert.equal(lines("PULL", `${GREETING} 0801 00`), ["ERR_ZMTP_UNSPECIFIED"]);
  assert.equal(lines("PULL", `${GREETING}${vectors.READY.PUSH} 0801 00`).slice(1), ["quiet ERR_ZMTP_UNSPECIFIED"]);
  assert.equal(lines("PULL", `${GREETING}${vectors.READY.PUSH} 0401`).slice(1), []);
});

it("refuses commands from a peer of 2.0, which has none", () => {
  const stream = "ff 0000000000000001 7f 01 08 0000 0405 04504f4e47";
  assert.equal(lines("PULL", stream), ["ready 200  ", "ERR_ZMTP_UNEXPECTED_COMMAND"]);
});

it("takes versions 1 and 2 for 2.0, and answers both with the socket type", () => {
  for (const version of ["01", "02"]) {
    for (const run of play("PULL", {}, `ff 0000000000000001 7f ${version} 08 0000 000161`)) {
      assert.equal(run.lines, ["ready 200  ", "message 61"], `${version} ${run.name}`);
      assert.is(run.sent, "ff00000000000000017f 03 07 0000".replaceAll(" ", ""), `${version} ${run.name}`);
    }
  }
});

it("takes a peer of 2.0 whose socket type fits, by its number", () => {
  const numbers = ["PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB"];
  for (const own of numbers as SocketTypeName[]) {
    for (let number = 0; number < 256; number++) {
      const octet = number.toString(16).padStart(2, "0");
      const fits = number < numbers.length && mayTalk(SOCKET_TYPES[own], numbers[number]);
      const bench = new Bench(own).start().feed(`ff 0000000000000001 7f 01 ${octet} 0000`);
      assert.is(bench.lines[0], fits ? "ready 200  " : "incompatible", `${own} ${number}`);
    }
  }
});

it("refuses a 1.0 frame without flags, and an identity that is too long", () => {
  assert.equal(lines("PULL", "00"), ["ERR_ZMTP_UNSPECIFIED"]);
  assert.equal(lines("PULL", "0100 00"), ["ready 100  ", "quiet ERR_ZMTP_UNSPECIFIED"]);
  assert.equal(lines("PULL", `ff 0000000000000101 00 ${"61".repeat(256)}`), ["ERR_ZMTP_INVALID_METADATA"]);
  assert.equal(lines("PULL", `ff 0000000000000100 00 ${"61".repeat(255)}`), [`ready 100  ${"61".repeat(255)}`]);
});

it("calls nobody after close()", () => {
  for (const [name, chunks] of deliveries(hex(`${GREETING}${vectors.READY.PUSH} 000161 000162`))) {
    const bench = new Bench("PULL").start();
    const { connection } = bench;
    for (const chunk of chunks) {
      connection.receive(chunk, 0);
      if (bench.peer !== undefined) connection.close();
    }
    const count = bench.lines.length;
    connection.close();
    connection.receive(hex("000163"), 0);
    connection.tick(1e9);
    connection.flushed();
    assert.is(connection.resume(0), false);
    assert.is(connection.deadline, Number.POSITIVE_INFINITY);
    assert.is(bench.lines.length, count, name);
  }
});

it("stops and goes on as the session wants", () => {
  const bench = new Bench("PULL").start().feed(GREETING + vectors.READY.PUSH);
  bench.takes = false;
  bench.feed("000161 000162");
  assert.is(bench.connection.stopped, true);
  assert.is(bench.connection.backlogBytes, 3);
  bench.takes = true;
  assert.is(bench.connection.resume(0), true);
  assert.equal(bench.lines.slice(1), ["message 61", "message 62"]);
  bench.takes = false;
  bench.feed("000161 08");
  bench.takes = true;
  assert.is(bench.connection.resume(0), false);
  assert.is(bench.lines.at(-1), "quiet ERR_ZMTP_UNSPECIFIED");
});

it.run();

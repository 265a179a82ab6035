/**
 * RFC 37 "ZMTP 3.1" (and 23, "ZMTP 3.0", where they agree), clause by clause: what it says a peer must send, accept and
 * refuse. Titles name the section. What a socket does with messages is tested elsewhere; here it is a connection and
 * its octets.
 */
import { encodeCommand, encodeProperties, READY } from "../../src/codec/command.ts";
import type { SocketTypeName } from "../../src/options/values.ts";
import { hex } from "../codec/deliveries.ts";
import { Bench, converse, play } from "../connection/peer.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("rfc/37-zmtp");

/** A greeting by the grammar: the padding is zero, as the RFC wants it of peers that do not look for older ones. */
function greeting(major = "03", minor = "01", mechanism = "NULL", asServer = "00"): string {
  const padded = Buffer.from(mechanism.padEnd(20, "\0"), "latin1").toString("hex");
  return `ff 0000000000000000 7f ${major} ${minor} ${padded} ${asServer} ${"00".repeat(31)}`;
}

function ready(...properties: [string, string][]): string {
  const encoded = encodeProperties(properties.map(([name, value]) => [name, Buffer.from(value, "latin1")]));
  return encodeCommand(READY, encoded).toString("hex");
}

/** What a connection says of a stream, the same for every delivery. */
function lines(type: SocketTypeName, stream: string): string[] {
  const runs = play(type, {}, stream);
  for (const run of runs) assert.equal(run.lines, runs[0].lines, run.name);
  return runs[0].lines;
}

const PUSH = greeting() + ready(["Socket-Type", "PUSH"]);
const SUB = greeting() + ready(["Socket-Type", "SUB"]);

it("Formal Grammar: signature, version, mechanism, as-server and 31 zero octets are 64", () => {
  const bench = new Bench("PULL").start().feed(greeting());
  const sent = hex(bench.take()).subarray(0, 64);
  assert.is(sent[0], 0xff);
  assert.is(sent[9], 0x7f);
  assert.equal([...sent.subarray(10, 12)], [3, 1]);
  assert.is(sent.toString("latin1", 12, 32), "NULL".padEnd(20, "\0"));
  assert.ok(sent.subarray(32).every((octet) => octet === 0));
});

it("Version Negotiation: no significance is assigned to the padding", () => {
  for (const padding of ["0000000000000000", "ffffffffffffffff", "0123456789abcdef"]) {
    assert.equal(lines("PULL", PUSH.replace("0000000000000000", padding)), ["ready 301 PUSH "]);
  }
});

it("Version Negotiation: higher versions are accepted as valid, and spoken to in our own", () => {
  for (const [major, minor] of [
    ["03", "02"],
    ["04", "00"],
    ["7f", "09"],
  ]) {
    const stream = greeting(major, minor) + ready(["Socket-Type", "PUB"]);
    const bench = new Bench("SUB").start().feed(stream);
    assert.is(bench.lines[0], "ready 301 PUB ");
    assert.is(bench.connection.subscription(Buffer.from("A"), true).toString("hex"), "040b0953554253435249424541");
  }
});

it("Version Negotiation: a peer may downgrade to talk to a lower one", () => {
  assert.equal(lines("PULL", greeting("03", "00") + ready(["Socket-Type", "PUSH"])), ["ready 300 PUSH "]);
  assert.equal(lines("PULL", "ff 0000000000000000 7f 01 08 0000"), ["ready 200  "]);
  assert.equal(lines("PULL", "01 00"), ["ready 100  "]);
});

it("Topology: as-server has no significance for NULL, and is zero", () => {
  assert.equal(lines("PULL", greeting("03", "01", "NULL", "01") + ready()), ["ready 301  "]);
});

it("Authentication: a peer that reads a full greeting sends a full greeting, then closes on another mechanism", () => {
  for (const run of play("PULL", {}, greeting("03", "01", "GSSAPI"))) {
    assert.is(hex(run.sent).length, 64, run.name);
    assert.equal(run.lines, ["ERR_ZMTP_MECHANISM_MISMATCH"]);
  }
});

it("Error Handling: an ERROR command is fatal", () => {
  for (const run of play("PULL", {}, `${greeting()} 040a 054552524f52 03 626164 ${ready()}`)) {
    assert.equal(run.lines, ["quiet ERR_ZMTP_UNSPECIFIED"], run.name);
  }
});

it("Framing: bits 7 to 3 of the flags must be zero", () => {
  for (let bit = 3; bit < 8; bit++) {
    const flags = (1 << bit).toString(16).padStart(2, "0");
    assert.equal(lines("PULL", `${PUSH} 000161 ${flags}0161`).slice(1), ["message 61", "quiet ERR_ZMTP_UNSPECIFIED"]);
  }
});

it("Framing: MORE is zero on command frames", () => {
  assert.equal(lines("PULL", `${PUSH} 0500`).slice(1), ["quiet ERR_ZMTP_UNSPECIFIED"]);
});

it("Framing: the size is one octet, or eight in network order, and counts the body alone", () => {
  assert.equal(lines("PULL", `${PUSH} 0000 02 0000000000000000 02 0000000000000001 61`).slice(1), [
    "message ",
    "message ",
    "message 61",
  ]);
  const body = "61".repeat(256);
  assert.equal(lines("PULL", `${PUSH} 02 0000000000000100 ${body}`).slice(1), [`message ${body}`]);
});

it("Messages: all the frames of a message are delivered, or none of them", () => {
  assert.equal(lines("PULL", `${PUSH} 010161 010162`).slice(1), []);
  assert.equal(lines("PULL", `${PUSH} 010161 010162 000163`).slice(1), ["message 61,62,63"]);
});

it("Traffic: commands and messages come intermixed", () => {
  const stream = `${SUB} 040b 0953554253435249424541 000161 0408 0643414e43454c41 000162`;
  assert.equal(lines("XPUB", stream).slice(1), ["subscribe A", "message 61", "cancel A", "message 62"]);
});

it("NULL: the handshake is complete when READY was both sent and received", () => {
  const bench = new Bench("PULL").start().feed(greeting());
  assert.ok(bench.take().endsWith(ready(["Socket-Type", "PULL"])));
  assert.equal(bench.lines, []);
  bench.feed(ready(["Socket-Type", "PUSH"]));
  assert.equal(bench.lines, ["ready 301 PUSH "]);
});

it("NULL: the case of property names is not significant", () => {
  const bench = new Bench("ROUTER").start().feed(greeting() + ready(["SOCKET-TYPE", "DEALER"], ["identity", "me"]));
  assert.equal(bench.lines, ["ready 301 DEALER 6d65"]);
  assert.equal([...bench.peer!.properties.keys()], ["Socket-Type", "Identity"]);
});

it("NULL: values of no octets are allowed, and a size may not pass the command's end", () => {
  assert.equal(lines("ROUTER", greeting() + ready(["X-empty", ""])), ["ready 301  "]);
  const cut = encodeCommand(READY, hex("0141 00000002 00")).toString("hex");
  assert.equal(lines("ROUTER", greeting() + cut), ["ERR_ZMTP_INVALID_METADATA"]);
});

it("Connection Metadata: names starting with X- are for the application", () => {
  const options = { metadata: new Map([["X-hello", Buffer.from("world")]]) };
  const [a, b] = [new Bench("PAIR", { options }).start(), new Bench("PAIR").start()];
  converse(a, b);
  assert.is(String(b.peer?.properties.get("X-hello")), "world");
});

it("Socket-Type: the combinations of the table are legal, and no other", () => {
  const table: Record<string, string> = {
    REQ: "REP ROUTER",
    REP: "REQ DEALER",
    DEALER: "REP DEALER ROUTER",
    ROUTER: "REQ DEALER ROUTER",
    PUB: "SUB XSUB",
    XPUB: "SUB XSUB",
    SUB: "PUB XPUB",
    XSUB: "PUB XPUB",
    PUSH: "PULL",
    PULL: "PUSH",
    PAIR: "PAIR",
    CLIENT: "SERVER",
    SERVER: "CLIENT",
    RADIO: "DISH",
    DISH: "RADIO",
    SCATTER: "GATHER",
    GATHER: "SCATTER",
    PEER: "PEER",
    CHANNEL: "CHANNEL",
  };
  const types = Object.keys(table) as SocketTypeName[];
  for (const own of types) {
    for (const peer of types) {
      const bench = new Bench(own).start().feed(greeting() + ready(["Socket-Type", peer]));
      const legal = table[own].split(" ").includes(peer);
      assert.is(bench.lines[0], legal ? `ready 301 ${peer} ` : "incompatible", `${own} ${peer}`);
    }
  }
});

it("Identity: REQ, DEALER and ROUTER announce it, the others do not", () => {
  for (const type of [
    "REQ",
    "DEALER",
    "ROUTER",
    "REP",
    "PUB",
    "SUB",
    "PUSH",
    "PULL",
    "PAIR",
    "XPUB",
    "XSUB",
  ] as const) {
    const sent = new Bench(type, { routingId: "name" }).start().feed(greeting()).take();
    const announces = type === "REQ" || type === "DEALER" || type === "ROUTER";
    assert.is(sent.includes(Buffer.from("\x08Identity\0\0\0\x04name").toString("hex")), announces, type);
  }
});

it("Identity: 0 to 255 octets", () => {
  assert.equal(lines("ROUTER", greeting() + ready(["Identity", ""])), ["ready 301  "]);
  assert.equal(lines("ROUTER", greeting() + ready(["Identity", "i".repeat(255)])), [`ready 301  ${"69".repeat(255)}`]);
  assert.equal(lines("ROUTER", greeting() + ready(["Identity", "i".repeat(256)])), ["ERR_ZMTP_INVALID_METADATA"]);
});

it("Resource: all requests are accepted", () => {
  const bench = new Bench("REP").start().feed(greeting() + ready(["Socket-Type", "REQ"], ["Resource", "a/b"]));
  assert.is(String(bench.peer?.properties.get("Resource")), "a/b");
});

it("Publish-Subscribe: SUBSCRIBE and CANCEL carry any octets, none too", () => {
  const bench = new Bench("SUB").start().feed(greeting() + ready(["Socket-Type", "PUB"]));
  assert.is(bench.connection.subscription(Buffer.alloc(0), true).toString("hex"), "040a09535542534352494245");
  assert.is(bench.connection.subscription(hex("00ff"), false).toString("hex"), "04090643414e43454c00ff");
});

it("Publish-Subscribe: to a peer of 3.0 both are messages, as RFC 23 has them", () => {
  const bench = new Bench("SUB").start().feed(greeting("03", "00") + ready(["Socket-Type", "PUB"]));
  assert.is(bench.connection.subscription(Buffer.from("A"), true).toString("hex"), "00020141");
  assert.is(bench.connection.subscription(hex("00ff"), false).toString("hex"), "00030000ff");
});

it("Heartbeating: PING is answered by PONG with its context of 0 to 16 octets", () => {
  for (const context of ["", "61", "00".repeat(16)]) {
    const size = (7 + context.length / 2).toString(16).padStart(2, "0");
    const answer = (5 + context.length / 2).toString(16).padStart(2, "0");
    const bench = new Bench("PULL").start().feed(PUSH);
    bench.take();
    bench.feed(`04${size} 0450494e47 0000 ${context}`);
    assert.is(bench.take(), `04${answer}04504f4e47${context}`);
  }
});

it("Heartbeating: no PING before the handshake is complete", () => {
  const bench = new Bench("PULL", { options: { heartbeatInterval: 10 } }).start().feed(greeting());
  assert.is(bench.connection.deadline, 30000);
  assert.equal(lines("PULL", `${greeting()} 0407 0450494e47 0000`), ["ERR_ZMTP_UNEXPECTED_COMMAND"]);
});

it("Heartbeating: any incoming traffic is a sign of life", () => {
  const bench = new Bench("PULL", { options: { heartbeatInterval: 100, heartbeatTimeout: 50 } }).start().feed(PUSH);
  bench.connection.tick(100);
  bench.feed("000161", 149);
  bench.connection.tick(150);
  assert.is(bench.failure, undefined);
});

it("Heartbeating: silence after a PING, or for a peer's TTL, is death", () => {
  const one = new Bench("PULL", { options: { heartbeatInterval: 100, heartbeatTimeout: 50 } }).start().feed(PUSH);
  one.connection.tick(100);
  one.connection.tick(150);
  assert.is(one.lines.at(-1), "timeout heartbeat");
  const other = new Bench("PULL").start().feed(PUSH).feed("0407 0450494e47 0005", 1000);
  other.connection.tick(1500);
  assert.is(other.lines.at(-1), "timeout ttl");
});

it("Backwards Interoperability: the pseudo-signature carries the identity's length plus one", () => {
  const bench = new Bench("DEALER", { routingId: "abcd" }).start();
  assert.is(bench.take(), "ff00000000000000057f");
  bench.feed("05 00 70656572");
  assert.is(bench.take(), Buffer.from("abcd").toString("hex"));
  assert.equal(bench.lines, ["ready 100  70656572"]);
});

it("Backwards Interoperability: with any mechanism but NULL an old peer is left at once", () => {
  const signature = "ff 0000000000000001 7f";
  // Each ends with the octet that gives the peer away.
  for (const stream of ["01", "ff 0000000000000001 00", `${signature} 01`, `${signature} 02`]) {
    for (const plain of ["client", "server"] as const) {
      for (const run of play("DEALER", { plain }, stream)) {
        assert.equal(run.lines, ["ERR_ZMTP_MECHANISM_MISMATCH"], run.name);
      }
    }
  }
});

it("Worked Example: a DEALER meets a ROUTER", () => {
  const server = greeting() + ready(["Socket-Type", "ROUTER"]);
  for (const run of play("DEALER", {}, server)) {
    const wanted = "0429 055245414459 0b536f636b65742d54797065 00000006 4445414c4552 084964656e74697479 00000000";
    assert.ok(run.sent.endsWith(hex(wanted).toString("hex")), run.name);
    assert.equal(run.lines, ["ready 301 ROUTER "]);
  }
});

it("Backwards Interoperability: a peer whose version number is 1 or 2 speaks ZMTP 2.0", () => {
  for (const version of ["01", "02"]) {
    assert.equal(lines("ROUTER", `ff 0000000000000001 7f ${version} 05 0002 6d65 000161`), [
      "ready 200  6d65",
      "message 61",
    ]);
  }
});

it.run();

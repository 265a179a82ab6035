/**
 * CURVE inside a connection: the recorded session as two whole streams, in every delivery, and how the connection ends
 * when something is wrong.
 */
import { loadCrypto } from "../../src/crypto/load.ts";
import { curveMechanism } from "../../src/mechanism/curve.ts";
import { deliveries } from "../codec/deliveries.ts";
import { Bench, type BenchSettings, converse } from "../connection/peer.ts";
import { assert, suite } from "../helpers/test.ts";
import { framed, SlowSealer } from "../twins/curve-wire.ts";
import { frames, keys, nonces, sessionKey } from "../vectors/curve.ts";
import { recorded } from "./curve-host.ts";

const it = suite("mechanism/curve-connection");
const crypto = loadCrypto();

/** A greeting with CURVE; `padding` is the length of the routing id plus one. */
function greeting(padding: number): Buffer {
  const octets = Buffer.alloc(64);
  octets.set([0xff, 0, 0, 0, 0, 0, 0, 0, padding, 0x7f, 3, 1]);
  octets.write("CURVE", 12);
  return octets;
}

function client(settings: BenchSettings = {}): Bench {
  const { random } = recorded(keys.clientTransient.secretKey, nonces.vouch);
  const options = {
    curveServer: false,
    curvePublicKey: keys.client.publicKey,
    curveSecretKey: keys.client.secretKey,
    curveServerKey: keys.server.publicKey,
  };
  const curve = curveMechanism(options, { crypto, random });
  return new Bench("DEALER", { ...settings, routingId: "cli1", curve }).start();
}

function server(settings: BenchSettings = {}): Bench {
  const { random } = recorded(keys.serverTransient.secretKey, nonces.cookieKey, nonces.cookie, nonces.welcome);
  const none = Buffer.alloc(0);
  const options = {
    curveServer: true,
    curvePublicKey: none,
    curveSecretKey: keys.server.secretKey,
    curveServerKey: none,
  };
  return new Bench("ROUTER", { ...settings, curve: curveMechanism(options, { crypto, random }) }).start();
}

/** What libzmq's client sent, and its server, from the first octet to the last. */
const streams = {
  client: Buffer.concat([greeting(5), frames.hello, frames.initiate, ...frames.request]),
  server: Buffer.concat([greeting(1), frames.welcome, frames.ready, frames.reply]),
};

it("the server's part of the recorded session, in every delivery", () => {
  for (const [delivery, chunks] of deliveries(streams.client)) {
    const bench = server();
    for (const chunk of chunks) bench.connection.receive(chunk, 0);
    const sent = Buffer.concat([greeting(1), frames.welcome, frames.ready]);
    assert.is(bench.take(), sent.toString("hex"), delivery);
    assert.is(bench.socketType, "DEALER");
    assert.is(bench.peer?.routingId.toString(), "cli1");
    assert.is(bench.lines.length, 2, delivery);
    assert.is(bench.failure, undefined);
  }
});

it("the client's part of the recorded session, in every delivery: READY and a message may share a chunk", () => {
  for (const [delivery, chunks] of deliveries(streams.server)) {
    const bench = client();
    for (const chunk of chunks) bench.connection.receive(chunk, 0);
    const sent = Buffer.concat([greeting(5), frames.hello, frames.initiate]);
    assert.is(bench.take(), sent.toString("hex"), delivery);
    assert.is(bench.socketType, "ROUTER");
    assert.is(bench.lines.length, 2, delivery);
    assert.is(bench.failure, undefined);
  }
});

it("two connections talk through their wires, commands too", () => {
  const [one, other] = [client(), server()];
  converse(one, other);
  const wire = one.connection.wire;
  assert.ok(wire);
  for (const octets of wire.wrap([framed(0, Buffer.from("hello")), framed(4, Buffer.from("\x04PING\0\0hi"))])) {
    other.connection.receive(octets, 0);
  }
  assert.is(other.lines.length, 2);
  const pong = Buffer.concat(one.connection.wire ? other.sent.splice(0) : []);
  assert.is(Buffer.concat(wire.unwrap(pong)).toString("hex"), framed(4, Buffer.from("\x04PONGhi")).toString("hex"));
});

it("a message behind INITIATE in one chunk waits for nobody: it is out of turn while the ZAP handler is asked", () => {
  const bench = server({ zap: () => {} });
  bench.connection.receive(Buffer.from(streams.client), 0);
  assert.equal(bench.lines, ["ERR_ZMTP_UNEXPECTED_COMMAND"]);
  const early = client();
  early.connection.receive(Buffer.concat([greeting(1), frames.welcome, frames.reply]), 0);
  assert.equal(early.lines, ["ERR_ZMTP_UNEXPECTED_COMMAND"]);
});

it("a message that began before the ZAP handler's answer is read to its end behind it, in every cut", () => {
  const behind = Buffer.concat(frames.request);
  const length = frames.request[0].length;
  const whole = server();
  whole.connection.receive(Buffer.from(streams.client), 0);
  for (let cut = 0; cut < length; cut++) {
    let answer = (_reply: Buffer[], _now: number): void => {};
    const bench = server({
      zap(_, told) {
        answer = told;
      },
    });
    bench.connection.receive(Buffer.concat([greeting(5), frames.hello, frames.initiate, behind.subarray(0, cut)]), 0);
    assert.equal(bench.lines, [], `${cut} octets`);
    answer(
      ["", "1.0", "1", "200", "", "user", ""].map((text) => Buffer.from(text)),
      5,
    );
    bench.connection.receive(behind.subarray(cut), 5);
    assert.equal(bench.lines, whole.lines, `${cut} octets`);
    assert.ok(bench.take().endsWith(frames.ready.toString("hex")), `${cut} octets`);
  }
});

it("the ZAP handler is asked with the client's key in raw octets, and its word is law", () => {
  for (const status of ["200", "300", "400", "500"]) {
    let asked: Buffer[] = [];
    const bench = server({
      zap(question, answer) {
        asked = question;
        answer(
          ["", "1.0", "1", status, "", "user", ""].map((text) => Buffer.from(text)),
          0,
        );
      },
    });
    bench.connection.receive(Buffer.concat([greeting(5), frames.hello, frames.initiate]), 0);
    assert.equal(asked.slice(6).map(String), ["CURVE", keys.client.publicKey.toString()]);
    assert.equal(asked[7], keys.client.publicKey);
    const sent = bench.take().slice((64 + frames.welcome.length) * 2);
    if (status === "200") {
      assert.is(sent, frames.ready.toString("hex"));
      assert.is(bench.peer?.properties.get("User-Id")?.toString(), "user");
    } else {
      assert.is(sent, status === "300" ? "" : Buffer.from(`\x04\x0a\x05ERROR\x03${status}`).toString("hex"));
      assert.equal(bench.lines, [`auth ${status}`]);
    }
  }
});

it("a client that is turned away knows why", () => {
  const bench = client();
  bench.connection.receive(Buffer.concat([greeting(1), frames.welcome, Buffer.from("\x04\x0a\x05ERROR\x03400")]), 0);
  assert.equal(bench.lines, ["auth 400"]);
});

it("what is wrong in traffic raises an event long after the handshake, behind the messages in front of it", () => {
  const bad = Buffer.from(frames.request[1]);
  bad[20] ^= 1;
  for (const [delivery, chunks] of deliveries(Buffer.concat([streams.client, bad]))) {
    const bench = server();
    for (const chunk of chunks) bench.connection.receive(chunk, 0);
    assert.is(bench.lines.length, 3, delivery);
    assert.is(bench.lines[2], "ERR_ZMTP_INVALID_SEQUENCE", delivery);
  }
});

it("a MESSAGE over the limit only disconnects", () => {
  const twin = new SlowSealer(sessionKey, "CurveZMQMESSAGEC", 2n);
  const bench = server({ options: { maxMessageSize: 400 } });
  const large = twin.seal({ flags: 0, payload: Buffer.alloc(401) });
  bench.connection.receive(Buffer.concat([greeting(5), frames.hello, frames.initiate, large.subarray(0, 9)]), 0);
  assert.is(bench.lines[1], "quiet ERR_ZMTP_UNSPECIFIED");
});

it("a connection that stopped decoding goes on where it was", () => {
  const bench = server();
  bench.takes = false;
  const twin = new SlowSealer(sessionKey, "CurveZMQMESSAGEC", 4n);
  const more = Buffer.concat([1, 2, 3].map((n) => twin.seal({ flags: 0, payload: Buffer.of(n) })));
  bench.connection.receive(Buffer.concat([streams.client, more]), 0);
  for (let expected = 2; expected <= 5; expected++) {
    assert.is(bench.lines.length, expected);
    bench.connection.resume(0);
  }
  assert.is(bench.failure, undefined);
});

it("close() forgets the keys", () => {
  const bench = server();
  bench.connection.receive(Buffer.from(streams.client), 0);
  const { wire } = bench.connection;
  bench.connection.close();
  assert.equal(wire?.wrap([framed(0, Buffer.from("hello"))]), []);
});

it.run();

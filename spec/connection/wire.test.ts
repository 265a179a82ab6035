import { EMPTY } from "../../src/base/bytes.ts";
import { ProtocolError } from "../../src/base/errors.ts";
import { ERROR } from "../../src/codec/command.ts";
import type { Mechanism, MechanismFactory, Wire } from "../../src/mechanism/mechanism.ts";
import { deliveries, hex } from "../codec/deliveries.ts";
import { assert, suite } from "../helpers/test.ts";
import * as vectors from "../vectors/zmtp.ts";
import { Bench, converse } from "./peer.ts";

const it = suite("connection/wire");

/** A transform that a reader sees through: every octet is inverted. An octet 0xdd in the clear is a fault. */
class Inverted implements Wire {
  failure: ProtocolError | undefined = undefined;

  wrap(parts: Buffer[]): Buffer[] {
    return parts.map((part) => part.map((octet) => octet ^ 0xff) as Buffer);
  }

  unwrap(chunk: Buffer): Buffer[] {
    const end = chunk.indexOf(0xdd);
    if (end >= 0) this.failure = new ProtocolError("ERR_ZMTP_CRYPTOGRAPHIC", "a spoilt octet");
    return this.wrap([Buffer.from(end >= 0 ? chunk.subarray(0, end) : chunk)]);
  }
}

/** HI each way, the server asks the ZAP handler first; then everything is inverted. */
function inverted(asServer: boolean, log: string[] = []): MechanismFactory {
  return (host): Mechanism => {
    const wire = new Inverted();
    return {
      wire,
      errorPrefix: ERROR,
      start: () => {
        if (!asServer) host.send(Buffer.from("HI"));
      },
      receive: (body) => {
        log.push(`received ${body}`);
        if (!asServer) return host.done();
        host.authenticate([EMPTY], () => {
          host.send(Buffer.from("HI"));
          host.done();
        });
      },
      close: () => log.push("wiped"),
    };
  };
}

const GREETING = vectors.GREETING_CURVE;
const ADMIT = ["", "1.0", "1", "200", "OK", "", ""].map((frame) => Buffer.from(frame));

it("reads through the wire what follows the last handshake command, in the same chunk too", () => {
  const wire = new Inverted();
  const traffic = Buffer.concat(wire.wrap([hex("000161 010162 0407 0450494e47 0000 000163")]));
  const stream = Buffer.concat([hex(`${GREETING} 0402 4849`), traffic]);
  for (const [name, chunks] of deliveries(stream)) {
    const bench = new Bench("PULL", { curve: inverted(false) }).start();
    for (const chunk of chunks) bench.connection.receive(chunk, 0);
    assert.equal(bench.lines, ["ready 301  ", "message 61", "message 62,63"], name);
    const pong = Buffer.concat(wire.wrap([hex("0405 04504f4e47")])).toString("hex");
    assert.ok(bench.take().endsWith(pong), name);
  }
});

it("does the same when the ZAP handler answers at once, and when it answers later", () => {
  const traffic = new Inverted().wrap([hex("000161 000162")])[0];
  for (const isLate of [false, true]) {
    for (const [name, chunks] of deliveries(Buffer.concat([hex(`${GREETING} 0402 4849`), isLate ? EMPTY : traffic]))) {
      let answer = (): void => {};
      const zap = (_: Buffer[], respond: (reply: Buffer[], now: number) => void): void => {
        answer = () => respond(ADMIT, 0);
        if (!isLate) answer();
      };
      const bench = new Bench("PULL", { curve: inverted(true), zap }).start();
      for (const chunk of chunks) bench.connection.receive(chunk, 0);
      if (isLate) {
        assert.equal(bench.lines, []);
        answer();
        bench.connection.receive(Buffer.from(traffic), 0);
      }
      assert.equal(bench.lines, ["ready 301  ", "message 61", "message 62"], `${name} ${isLate}`);
      assert.is(bench.connection.wire instanceof Inverted, true);
    }
  }
});

it("delivers what was good before a fault of the wire", () => {
  const traffic = Buffer.concat([...new Inverted().wrap([hex("000161")]), Buffer.of(0xdd), Buffer.alloc(10)]);
  for (const [name, chunks] of deliveries(Buffer.concat([hex(`${GREETING} 0402 4849`), traffic]))) {
    const log: string[] = [];
    const bench = new Bench("PULL", { curve: inverted(false, log) }).start();
    for (const chunk of chunks) bench.connection.receive(chunk, 0);
    assert.equal(bench.lines, ["ready 301  ", "message 61", "ERR_ZMTP_CRYPTOGRAPHIC"], name);
    assert.equal(log, ["received HI", "wiped"], name);
  }
});

it("keeps a stop of the session while it changes to the wire", () => {
  const traffic = new Inverted().wrap([hex("000161 000162 000163")])[0];
  const bench = new Bench("PULL", { curve: inverted(false) }).start();
  bench.takes = false;
  bench.connection.receive(Buffer.concat([hex(`${GREETING} 0402 4849`), traffic]), 0);
  assert.equal(bench.lines, ["ready 301  ", "message 61"]);
  assert.is(bench.connection.stopped, true);
  bench.takes = true;
  assert.is(bench.connection.resume(0), true);
  assert.equal(bench.lines.slice(2), ["message 62", "message 63"]);
});

it("delivers what waits undecoded before a fault of the wire, then ends, and takes nothing behind it", () => {
  const good = new Inverted().wrap([hex("000161 000162 000163")])[0];
  const behind = new Inverted().wrap([hex("000164")])[0];
  const stream = Buffer.concat([hex(`${GREETING} 0402 4849`), good, Buffer.of(0xdd), behind]);
  for (const [name, chunks] of deliveries(stream)) {
    const log: string[] = [];
    const bench = new Bench("PULL", { curve: inverted(false, log) }).start();
    bench.takes = false;
    for (const chunk of chunks) bench.connection.receive(chunk, 0);
    for (let i = 0; i < 10 && bench.failure === undefined; i++) bench.connection.resume(0);
    const told = ["message 61", "message 62", "message 63", "ERR_ZMTP_CRYPTOGRAPHIC"];
    assert.equal(bench.lines, ["ready 301  ", ...told], name);
    assert.equal(log, ["received HI", "wiped"], name);
  }
});

it("wipes keys however a connection ends", () => {
  for (const end of ["close", "fault", "timeout"]) {
    const log: string[] = [];
    const bench = new Bench("PULL", { curve: inverted(true, log) }).start().feed(GREETING);
    if (end === "close") bench.connection.close();
    if (end === "fault") bench.feed("08");
    if (end === "timeout") bench.connection.tick(30000);
    bench.connection.close();
    assert.equal(log, ["wiped"], end);
  }
});

it("lets two such ends talk", () => {
  const zap = (_: Buffer[], respond: (reply: Buffer[], now: number) => void): void => respond(ADMIT, 0);
  const [client, server] = [
    new Bench("PUSH", { curve: inverted(false) }).start(),
    new Bench("PULL", { curve: inverted(true), zap }).start(),
  ];
  converse(client, server);
  for (const octets of client.connection.wire!.wrap([hex("000161")])) server.connection.receive(octets, 0);
  assert.equal(server.lines, ["ready 301  ", "message 61"]);
});

it.run();

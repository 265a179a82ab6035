import { assert, suite } from "../helpers/test.ts";
import * as vectors from "../vectors/zmtp.ts";
import { Bench } from "./peer.ts";

const it = suite("connection/heartbeat");

const PING = "04070450494e470000";
const PONG = "040504504f4e47";

/** A PULL whose peer is ready at time 0. */
function traffic(options = {}): Bench {
  const bench = new Bench("PULL", { options }).start().feed(vectors.GREETING_NULL + vectors.READY.PUSH);
  bench.take();
  return bench;
}

/** Runs the clock up to `end`, as a timer that is always in time does. Gives what was sent, with its times. */
function run(bench: Bench, end: number): string[] {
  const log: string[] = [];
  while (bench.connection.deadline <= end) {
    const time = bench.connection.deadline;
    bench.connection.tick(time);
    const sent = bench.take();
    if (sent !== "") log.push(`${time} ${sent}`);
    if (bench.failure !== undefined) {
      log.push(`${time} ${bench.lines.at(-1)}`);
      break;
    }
  }
  return log;
}

it("gives up a handshake in time", () => {
  const bench = new Bench("PULL").start();
  assert.is(bench.connection.deadline, 30000);
  bench.feed(vectors.GREETING_NULL, 29999);
  assert.is(bench.connection.deadline, 30000);
  bench.take();
  assert.equal(run(bench, 40000), ["30000 timeout handshake"]);
  const patient = new Bench("PULL", { options: { handshakeInterval: 0 } }).start();
  assert.is(patient.connection.deadline, Number.POSITIVE_INFINITY);
  assert.is(traffic().connection.deadline, Number.POSITIVE_INFINITY);
});

it("stops the handshake timer for old peers too", () => {
  for (const stream of ["0100", "ff 0000000000000001 7f 01 08 0000"]) {
    const bench = new Bench("PULL", { options: { heartbeatInterval: 100 } }).start().feed(stream);
    assert.ok(bench.peer !== undefined);
    assert.is(bench.connection.deadline, Number.POSITIVE_INFINITY);
  }
});

it("pings every interval and gives a silent peer up by the timeout", () => {
  const bench = traffic({ heartbeatInterval: 200, heartbeatTimeout: 500 });
  assert.equal(run(bench, 5000), [`200 ${PING}`, `400 ${PING}`, `600 ${PING}`, "700 timeout heartbeat"]);
});

it("takes the interval for the timeout when none is set", () => {
  const bench = traffic({ heartbeatInterval: 200 });
  assert.equal(run(bench, 5000), [`200 ${PING}`, "400 timeout heartbeat"]);
});

it("never gives up without a timeout", () => {
  const bench = traffic({ heartbeatInterval: 200, heartbeatTimeout: 0 });
  assert.is(run(bench, 2000).length, 10);
});

it("takes every octet for a sign of life", () => {
  const bench = traffic({ heartbeatInterval: 200, heartbeatTimeout: 250 });
  run(bench, 200);
  bench.feed("02", 300).feed("00", 301);
  assert.equal(run(bench, 600), [`400 ${PING}`, `600 ${PING}`]);
  bench.feed("00", 640);
  assert.equal(run(bench, 5000), [`800 ${PING}`, `1000 ${PING}`, "1050 timeout heartbeat"]);
});

it("sends a time to live rounded down, and never one that libzmq misreads", () => {
  for (const [milliseconds, octets] of [
    [0, "0000"],
    [99, "0000"],
    [1250, "000c"],
    [65500, "028f"],
    [65600, "028f"],
    [6553599, "028f"],
  ] as const) {
    const bench = traffic({ heartbeatInterval: 100, heartbeatTimeToLive: milliseconds });
    assert.equal(run(bench, 100), [`100 04070450494e47${octets}`]);
  }
});

it("answers all PINGs of a chunk in one write, those behind a message that stopped it when it goes on, and those before a fault", () => {
  const bench = traffic();
  const pings = "0408 0450494e47 0000 61 0408 0450494e47 0000 62";
  const pongs = "0406 04504f4e47 61 0406 04504f4e47 62".replaceAll(" ", "");
  bench.feed(pings);
  assert.is(bench.sent.length, 1);
  assert.is(bench.take(), pongs);
  bench.takes = false;
  bench.feed(`${pings} 0000 ${pings}`);
  assert.is(bench.sent.length, 1);
  assert.is(bench.take(), pongs);
  assert.is(bench.connection.resume(0), true);
  assert.is(bench.sent.length, 1);
  assert.is(bench.take(), pongs);
  bench.feed(`${pings} ff`);
  assert.ok(bench.failure !== undefined);
  assert.is(bench.take(), pongs);
});

it("closes when the peer's time to live runs out in silence", () => {
  const bench = traffic();
  bench.feed("0407 0450494e47 0003", 1000);
  assert.is(bench.take(), PONG);
  assert.is(bench.connection.deadline, 1300);
  bench.feed("0000", 1200);
  assert.is(bench.connection.deadline, Number.POSITIVE_INFINITY);
  bench.feed("0407 0450494e47 0003", 2000);
  bench.take();
  assert.equal(run(bench, 5000), ["2300 timeout ttl"]);
});

it("refuses a PING without its time to live", () => {
  for (const frame of ["0405 0450494e47", "0406 0450494e47 00"]) {
    const bench = traffic().feed(frame);
    assert.is(bench.lines.at(-1), "ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED");
  }
});

it("answers PINGs though its own heartbeats are off", () => {
  const bench = traffic().feed("0409 0450494e47 0000 6869");
  assert.is(bench.take(), "040704504f4e476869");
});

it("keeps one answer while the stream is backed up: the newest", () => {
  const bench = traffic({ heartbeatInterval: 100 });
  bench.isBackedUp = true;
  bench.feed("0409 0450494e47 0000 6161").feed("0409 0450494e47 0000 6262");
  assert.equal(run(bench, 100), []);
  assert.is(bench.take(), "");
  bench.isBackedUp = false;
  bench.connection.flushed();
  assert.is(bench.take(), `040704504f4e476262${PING}`);
  bench.connection.flushed();
  assert.is(bench.take(), "");
});

it("gives a dead peer up though its own PING could not leave", () => {
  const bench = traffic({ heartbeatInterval: 100, heartbeatTimeout: 150 });
  bench.isBackedUp = true;
  assert.equal(run(bench, 5000), ["250 timeout heartbeat"]);
});

it("takes no silence for death while it does not read itself", () => {
  const bench = traffic({ heartbeatInterval: 100, heartbeatTimeout: 150 });
  bench.feed("0407 0450494e47 0002", 50);
  bench.take();
  bench.connection.paused(60, true);
  const log = run(bench, 1000);
  assert.is(bench.failure, undefined);
  // Its own PINGs would not be answered: signs of life instead.
  assert.ok(log.length >= 9 && log.every((entry) => entry.endsWith(PONG)), log.join("\n"));
  bench.connection.paused(1000, false);
  assert.equal(run(bench, 5000), [`1100 ${PING}`, `1200 ${PING}`, "1250 timeout heartbeat"]);
});

it("gives signs of life while paused to a peer that asks for them, and only then", () => {
  const quiet = traffic();
  quiet.connection.paused(10, true);
  assert.is(quiet.connection.deadline, Number.POSITIVE_INFINITY);
  const asked = traffic();
  asked.feed("0407 0450494e47 0000", 100).feed("0407 0450494e47 0000", 200).feed("0407 0450494e47 0000", 201);
  asked.take();
  asked.connection.paused(210, true);
  assert.equal(run(asked, 400), [`260 ${PONG}`, `310 ${PONG}`, `360 ${PONG}`]);
  asked.isBackedUp = true;
  assert.equal(run(asked, 500), []);
  asked.connection.paused(500, false);
  assert.is(asked.connection.deadline, Number.POSITIVE_INFINITY);
});

it("grants one more turn when the process was too busy to look", () => {
  const bench = traffic({ heartbeatInterval: 100, heartbeatTimeout: 150 });
  bench.connection.tick(100);
  bench.connection.tick(900);
  assert.is(bench.failure, undefined);
  bench.feed("0000", 901);
  bench.connection.tick(1000);
  assert.is(bench.failure, undefined);
  const dead = traffic({ heartbeatInterval: 100, heartbeatTimeout: 150 });
  dead.connection.tick(100);
  dead.connection.tick(900);
  assert.is(run(dead, 5000).at(-1), "920 timeout heartbeat");
  const mute = new Bench("PULL").start();
  mute.connection.tick(31000);
  assert.is(mute.failure, undefined);
  mute.connection.tick(32000);
  assert.is(mute.lines.at(-1), "timeout handshake");
});

it.run();

/** When a dialer tries again: intervals, back-off, and when it does not. The time is in the hands of the tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Event, type EventOfType, Pull, Push, type Socket } from "zmtp";
import { Clock } from "../helpers/clock.ts";
import { freePort, GREETING, octets, RawServer } from "../helpers/raw-peer.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending } from "../helpers/wait.ts";

const it = suite("session/reconnect");
const clock = new Clock(it);
it.beforeEach(() => clock.stop());

/** Longer than every interval here. */
const LONG_MS = 10_000;

async function until<T extends Event["type"]>(socket: Socket, type: T): Promise<EventOfType<T>> {
  for await (const event of socket.events) if (event.type === type) return event as EventOfType<T>;
  throw new Error(`no ${type}`);
}

/** Waits for the next `count` retries, and lets the intervals pass that they announce. */
async function retries(socket: Socket, count = 1): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const { interval } = await until(socket, "connect:retry");
    found.push(interval);
    await clock.advance(interval);
  }
  return found;
}

it("without a maximum each interval is IVL to 2 IVL", async () => {
  const push = new Push({ reconnectInterval: 20, linger: 0 });
  push.connect(`tcp://127.0.0.1:${await freePort()}`);
  const found = await retries(push, 12);
  for (const interval of found) assert.ok(interval >= 20 && interval < 40, `${found}`);
  assert.ok(new Set(found).size > 1, "no jitter");
  push.close();
});

it("with a maximum it doubles up to that, and starts again after a connection", async () => {
  const port = await freePort();
  const push = new Push({ reconnectInterval: 20, reconnectMaxInterval: 100, linger: 0 });
  push.connect(`tcp://127.0.0.1:${port}`);
  const found = await retries(push, 6);
  const floors = [20, 40, 80, 100, 100, 100];
  found.forEach((interval, i) => {
    assert.ok(interval >= floors[i] && interval <= Math.min(100, floors[i] + 20), `${found}`);
  });
  const server = await RawServer.listen(port);
  await retries(push);
  const peer = await server.accept();
  await peer.handshake("PULL");
  await until(push, "handshake");
  await server.close();
  const [first] = await retries(push);
  assert.ok(first < 40, `${first}`);
  push.close();
});

it("a peer that takes connections and drops them causes no storm: the interval grows to 32 IVL", async () => {
  const server = await RawServer.listen();
  const push = new Push({ reconnectInterval: 4, linger: 0 });
  (async () => {
    for (;;) (await server.accept()).destroy();
  })();
  push.connect(server.address);
  const found = await retries(push, 8);
  [4, 8, 16, 32, 64, 128, 128, 128].forEach((floor, i) => {
    assert.ok(found[i] >= floor && found[i] <= 132, `${found}`);
  });
  push.close();
  await server.close();
});

it("nor does one that breaks the protocol after the handshake", async () => {
  const server = await RawServer.listen();
  const push = new Push({ reconnectInterval: 4, linger: 0 });
  (async () => {
    for (;;) {
      const peer = await server.accept();
      peer.handshake("PULL").then(
        () => peer.write(octets("ff ff ff ff")),
        () => {},
      );
    }
  })();
  push.connect(server.address);
  const found = await retries(push, 7);
  [4, 8, 16, 32, 64, 128, 128].forEach((floor, i) => {
    assert.ok(found[i] >= floor, `${found}`);
  });
  push.close();
  await server.close();
});

it("a healthy connection takes the back-off away", async () => {
  const server = await RawServer.listen();
  const push = new Push({ reconnectInterval: 4, linger: 0 });
  push.connect(server.address);
  for (let i = 0; i < 4; i++) {
    (await server.accept()).destroy();
    await retries(push);
  }
  const healthy = await server.accept();
  await healthy.handshake("PULL");
  await until(push, "handshake");
  healthy.destroy();
  const [first] = await retries(push);
  assert.ok(first < 8, `${first}`);
  push.close();
  await server.close();
});

for (const reconnectInterval of [0, -1]) {
  it(`reconnectInterval ${reconnectInterval}: a refusal is final, and so is a loss`, async () => {
    const port = await freePort();
    const push = new Push({ reconnectInterval, linger: 0 });
    const seen: string[] = [];
    (async () => {
      for await (const { type } of push.events) seen.push(type);
    })();
    push.connect(`tcp://127.0.0.1:${port}`);
    await eventually(() => seen.length === 2);
    const server = await RawServer.listen(port);
    await clock.advance(LONG_MS);
    assert.equal(seen, ["connect:delay", "close"]);
    assert.is(server.accepted, 0);
    // The endpoint is still there, with its pipe.
    await push.send("x");
    push.disconnect(server.address);

    push.connect(server.address);
    const peer = await server.accept();
    await peer.handshake("PULL");
    await push.send("y");
    assert.equal(await peer.message(), ["y"]);
    peer.destroy();
    await eventually(() => seen.includes("disconnect"));
    await clock.advance(LONG_MS);
    assert.is(server.accepted, 1);
    // The pipe went with the connection.
    assert.ok(await isPending(push.send("z")));
    assert.throws(
      () => push.disconnect(server.address),
      (error: { code: string }) => error.code === "ENOENT",
    );
    push.close();
    await server.close();
  });
}

it("closing does not wait for what can never be sent", async () => {
  const push = new Push({ reconnectInterval: -1 });
  push.connect(`tcp://127.0.0.1:${await freePort()}`);
  await push.send("x");
  await until(push, "close");
  push.close();
  // Closed while the only attempt is under way.
  const other = new Push({ reconnectInterval: -1 });
  other.connect(`tcp://127.0.0.1:${await freePort()}`);
  await other.send("x");
  other.close();
  await eventually(() => process.listenerCount("beforeExit") === 0);
});

/** `reconnectStop` is an option of the draft API: by its number. */
const RECONNECT_STOP = 109;

it("reconnectStop 1: not after a refusal, but after a loss", async () => {
  const port = await freePort();
  const push = new Push({ reconnectInterval: 10, linger: 0 });
  push.setInt32Option(RECONNECT_STOP, 1);
  push.connect(`tcp://127.0.0.1:${port}`);
  await until(push, "close");
  const server = await RawServer.listen(port);
  await clock.advance(LONG_MS);
  assert.is(server.accepted, 0);
  push.connect(server.address);
  await (await server.accept()).handshake("PULL");
  await until(push, "handshake");
  server.peers[0].destroy();
  await retries(push);
  await server.accept();
  push.close();
  await server.close();
});

it("reconnectStop 2: not after a failed handshake, but after a peer that just left", async () => {
  const server = await RawServer.listen();
  const push = new Push({ reconnectInterval: 10, linger: 0 });
  push.setInt32Option(RECONNECT_STOP, 2);
  push.connect(server.address);
  (await server.accept()).destroy();
  await retries(push);
  const peer = await server.accept();
  await peer.handshake("PULL");
  await until(push, "handshake");
  peer.destroy();
  await retries(push);
  const bad = await server.accept();
  bad.write(GREETING, octets("0405 05 5245414459"));
  await bad.closed;
  await clock.advance(LONG_MS);
  assert.is(server.accepted, 3);
  push.close();
  await server.close();
});

it("reconnectStop 4: what was given up is not looked for again", async () => {
  const port = await freePort();
  const push = new Push({ reconnectInterval: 10 });
  push.setInt32Option(RECONNECT_STOP, 4);
  push.connect(`tcp://127.0.0.1:${port}`);
  await push.send("x");
  await until(push, "connect:retry");
  push.disconnect(`tcp://127.0.0.1:${port}`);
  const server = await RawServer.listen(port);
  await clock.advance(LONG_MS);
  assert.is(server.accepted, 0);
  push.close();
  await server.close();
});

it("connectTimeout ends an attempt, and the next follows", async () => {
  const push = new Push({ reconnectInterval: 10, connectTimeout: 50, linger: 0 });
  const { events } = push;
  // An address of a network for documentation, which no router knows.
  push.connect("tcp://192.0.2.1:1");
  const seen: string[] = [];
  for await (const event of events) {
    seen.push(event.type);
    if (seen.length === 5) break;
    if (event.type === "connect:delay") await clock.advance(50);
    if (event.type === "connect:retry") await clock.advance(event.interval);
  }
  assert.equal(seen, ["connect:delay", "close", "connect:retry", "connect:delay", "close"]);
  push.close();
});

it("handshakeInterval ends a connection that says nothing, on both sides, and the dialer tries again", async () => {
  const server = await RawServer.listen();
  const push = new Push({ reconnectInterval: 10, handshakeInterval: 100, linger: 0 });
  // They are kept from here on.
  void push.events;
  push.connect(server.address);
  const silent = await server.accept();
  await silent.read(10);
  await clock.advance(90);
  assert.not(silent.isClosed);
  await clock.advance(20);
  await silent.closed;
  await retries(push);
  // Half a greeting.
  const half = await server.accept();
  half.write(GREETING.subarray(0, 30));
  await half.read(10);
  await clock.advance(110);
  await half.closed;
  await retries(push);
  const talker = await server.accept();
  await talker.handshake("PULL");
  await push.send("x");
  assert.equal(await talker.message(), ["x"]);
  // Ready in time: the timer is off.
  await clock.advance(LONG_MS);
  assert.not(talker.isClosed);
  push.close();
  await server.close();
});

it("a name that is not known is looked up at each attempt", async () => {
  const push = new Push({ reconnectInterval: 10, linger: 0 });
  const { events } = push;
  push.connect("tcp://nobody.invalid:5555");
  const seen: string[] = [];
  for await (const event of events) {
    seen.push(event.type);
    if (seen.length === 6) break;
    if (event.type === "connect:retry") await clock.advance(event.interval);
  }
  assert.equal(seen.slice(0, 3), ["connect:delay", "close", "connect:retry"]);
  assert.equal(seen.slice(3), seen.slice(0, 3));
  push.close();
});

it("an ipc path that comes later is found", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "zmtp-"));
  const push = new Push({ reconnectInterval: 10 });
  push.connect(`ipc://${folder}/late`);
  await push.send("x");
  const { interval } = await until(push, "connect:retry");
  const pull = new Pull();
  await pull.bind(`ipc://${folder}/late`);
  await clock.advance(interval);
  assert.is(String(await pull.receive()), "x");
  push.close();
  pull.close();
  rmSync(folder, { recursive: true });
});

for (const reconnectInterval of [100, 0x7fffffff]) {
  it(`tries again when the interval is over, and not before: ${reconnectInterval} ms`, async () => {
    const port = await freePort();
    const push = new Push({ reconnectInterval, linger: 0 });
    push.connect(`tcp://127.0.0.1:${port}`);
    const { interval } = await until(push, "connect:retry");
    assert.ok(interval >= reconnectInterval, `${interval}`);
    const server = await RawServer.listen(port);
    await clock.advance(interval - 1);
    assert.is(server.accepted, 0);
    await clock.advance(1);
    await server.accept();
    push.close();
    await server.close();
  });
}

it.run();

/** How a process ends: what keeps it alive, and what is delivered. Each scene is a process of its own. */
import { Pull, Push } from "zmtp";
import { Child } from "../helpers/child.ts";
import { Clock } from "../helpers/clock.ts";
import { freePort, RawServer } from "../helpers/raw-peer.ts";
import { assert, patience, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

const it = suite("lifecycle/exit");
const clock = new Clock(it);
const program = new URL("./exit.child.mjs", import.meta.url);

const WARNING = "Waiting for queued ZeroMQ messages to be delivered.";
const ADVICE = "Set 'context.blocky = false' to change this behaviour.";

/** An address where nobody listens. */
async function deadAddress(): Promise<string> {
  return `tcp://127.0.0.1:${await freePort()}`;
}

/** Runs a scene that says one line; gives the milliseconds from that line to its end. */
async function timeToEnd(child: Child): Promise<number> {
  await child.line();
  const start = performance.now();
  const { code } = await child.ended;
  assert.is(code, 0, child.stderr);
  return performance.now() - start;
}

/**
 * The scene has to deliver 1000 numbered messages to a socket that is there from the start, and then to end by itself.
 */
async function delivers(scene: string): Promise<void> {
  const pull = new Pull();
  await pull.bind("tcp://127.0.0.1:*");
  const child = new Child(program, scene, pull.lastEndpoint as string);
  for (let i = 0; i < 1000; i++) assert.is(String(await pull.receive()), `${i}`);
  assert.is((await child.ended).code, 0, child.stderr);
  assert.is(child.stderr, "");
  pull.close();
}

it("a process with nothing but idle sockets ends", async () => {
  const child = new Child(program, "idle", await deadAddress());
  assert.ok((await timeToEnd(child)) < patience(3000));
  assert.is(child.stderr, "");
});

for (const scene of ["receive", "send", "events", "again"]) {
  const what = scene === "again" ? "receive after all other sockets were closed" : scene;
  it(`a pending ${what} keeps the process alive`, async () => {
    const child = new Child(program, scene, await deadAddress());
    await child.line();
    // A process that nothing keeps alive would end before one that starts now does.
    await new Child(program, "idle", await deadAddress()).ended;
    assert.not(child.isOver, child.stderr);
    await child.kill();
  });
}

it("process.exit() delivers what was sent on a live connection", () => delivers("exit"));
it("process.exit() delivers what a closed socket has not written", () => delivers("exitClosed"));
it("a process that ends by itself delivers first, also to a connection that is not up yet", () => delivers("end"));
it("close() delivers first", () => delivers("close"));

it("process.exit() delivers what a bound socket sent", async () => {
  const child = new Child(program, "bound", "");
  const pull = new Pull();
  pull.connect(await child.line());
  for (let i = 0; i < 1000; i++) assert.is(String(await pull.receive()), `${i}`);
  assert.is((await child.ended).code, 0, child.stderr);
  pull.close();
});

it(
  "close() delivers more than the kernel takes, to a peer that reads late",
  async () => {
    const pull = new Pull({ receiveHighWaterMark: 1 });
    await pull.bind("tcp://127.0.0.1:*");
    const child = new Child(program, "bulk", pull.lastEndpoint as string);
    await eventually(() => child.stderr.includes(WARNING));
    assert.is(child.isOver, false);
    for (let i = 0; i < 200; i++) {
      const [body] = await pull.receive();
      assert.is(body.length, 100_000);
      assert.is(body[99_999], i);
    }
    assert.is((await child.ended).code, 0, child.stderr);
    pull.close();
  },
  { timeout: 20_000 },
);

it(
  "linger ends the wait for a peer that does not read",
  async () => {
    const server = await RawServer.listen();
    const child = new Child(program, "stuck", server.address);
    const peer = await server.accept();
    await peer.handshake("PULL");
    peer.socket.pause();
    const time = await timeToEnd(child);
    assert.ok(time > 200 && time < patience(4000), `${time}`);
    await server.close();
  },
  { timeout: 20_000 },
);

it("linger 0 ends at once", async () => {
  const child = new Child(program, "lingers", await deadAddress(), "0");
  assert.ok((await timeToEnd(child)) < patience(3000));
  assert.is(child.stderr, "");
});

for (const scene of ["lingers", "lingersClosed"]) {
  it(`${scene}: waits that long for an absent peer`, async () => {
    const child = new Child(program, scene, await deadAddress(), "500");
    const time = await timeToEnd(child);
    assert.ok(time > 300 && time < patience(4000), `${time}`);
  });

  it(`${scene}: a peer that comes up in time gets the message`, async () => {
    const port = await freePort();
    const child = new Child(program, scene, `tcp://127.0.0.1:${port}`, "60000");
    await child.line();
    const server = await RawServer.listen(port);
    const peer = await server.accept();
    await peer.handshake("PULL");
    assert.equal(await peer.message(), ["x".repeat(100)]);
    assert.is((await child.ended).code, 0);
    await server.close();
  });
}

for (const [scene, socket] of [
  ["forever", "an open socket"],
  ["foreverClosed", "a closed one of which another endpoint has nothing to deliver"],
] as const) {
  it(`linger -1 waits for ever and says so: ${socket}`, async () => {
    const port = await freePort();
    const child = new Child(program, scene, `tcp://127.0.0.1:${port}`);
    await child.line();
    await eventually(() => child.stderr.endsWith("\n"));
    assert.is(child.isOver, false);
    assert.is(child.stderr, `(node:${child.process.pid}) WARNING: ${WARNING} ${ADVICE}\n`);
    const pull = new Pull();
    await pull.bind(`tcp://127.0.0.1:${port}`);
    assert.is(String(await pull.receive()), "x".repeat(100));
    assert.is((await child.ended).code, 0);
    pull.close();
  });
}

it("context.blocky = false: new sockets linger 0", async () => {
  const child = new Child(program, "quiet", await deadAddress());
  assert.is(await child.line(), "up 0");
  assert.is((await child.ended).code, 0);
  assert.is(child.stderr, "");
});

it("context.blocky = false: a linger of its own is kept, and the warning gives no advice", async () => {
  const child = new Child(program, "quietBlocks", await deadAddress());
  await child.line();
  await eventually(() => child.stderr.endsWith("\n"));
  assert.is(child.isOver, false);
  assert.is(child.stderr, `(node:${child.process.pid}) WARNING: ${WARNING}\n`);
  await child.kill();
});

it("messages to an inproc name that nobody can bind any more keep nothing alive", async () => {
  const child = new Child(program, "inproc", "");
  assert.ok((await timeToEnd(child)) < patience(3000));
});

it("nor do messages to a peer that is not looked for again", async () => {
  const child = new Child(program, "noRetry", await deadAddress());
  assert.ok((await timeToEnd(child)) < patience(3000));
});

it("a closed socket delivers to a peer that comes up later", async () => {
  clock.stop();
  const port = await freePort();
  const push = new Push();
  push.connect(`tcp://127.0.0.1:${port}`);
  await push.send("late");
  push.close();
  // Refused again and again.
  await clock.advance(1000);
  const server = await RawServer.listen(port);
  await clock.advance(200);
  const peer = await server.accept();
  await peer.handshake("PULL");
  assert.equal(await peer.message(), ["late"]);
  await peer.closed;
  await server.close();
});

it.run();

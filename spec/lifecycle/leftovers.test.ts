/** After close() nothing is left: no timer, listener, descriptor, path or entry, whatever was under way. */
import { createHook } from "node:async_hooks";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Context, Dealer, Publisher, Pull, Push, Reply, Request, Router, type Socket, Subscriber } from "zmtp";
import { freePort, GREETING, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { assert, patience, suite } from "../helpers/test.ts";
import { collectGarbage, eventually, isPending, stays, turns } from "../helpers/wait.ts";

const it = suite("lifecycle/leftovers");

const folder = mkdtempSync(path.join(tmpdir(), "zmtp-"));

// A pipe is a handle from its first use on.
process.stdout.write("");
process.stderr.write("");

it.after(() => rmSync(folder, { recursive: true }));

function descriptors(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}

/** Connections and servers, by kind. @types/node of a later release knows it. */
function handles(): string[] {
  const all = (process as { getActiveResourcesInfo?: () => string[] }).getActiveResourcesInfo?.() ?? [];
  return all.filter((name) => name.endsWith("Wrap")).sort();
}

/** Timers that run, those included that keep nothing alive. */
const timers = new Set<number>();
createHook({
  init(id, type) {
    if (type === "Timeout") timers.add(id);
  },
  destroy(id) {
    timers.delete(id);
  },
}).enable();

function listeners(): string {
  return process
    .eventNames()
    .map((name) => `${String(name)} ${process.listenerCount(name)}`)
    .sort()
    .join();
}

/** Runs `scene`, which closes what it opens; then all has to be as before. */
async function leavesNothing(scene: () => unknown): Promise<void> {
  await settle();
  const stock = (): object => ({
    descriptors: descriptors(),
    handles: handles(),
    listeners: listeners(),
    timers: timers.size,
  });
  const before = stock();
  const start = performance.now();
  await scene();
  // Ends of connections may be on their way: as long as a peer that does not answer our FIN is given, and more.
  for (;;) {
    await settle();
    if (JSON.stringify(stock()) === JSON.stringify(before)) return;
    if (performance.now() - start > patience(7000)) break;
    await new Promise((fulfil) => setImmediate(fulfil));
  }
  assert.equal(stock(), before);
}

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((fulfil) => setImmediate(fulfil));
}

it("a conversation of every kind", () =>
  leavesNothing(async () => {
    for (const endpoint of ["tcp://127.0.0.1:*", `ipc://${folder}/all`, "ipc://*", "inproc://all"]) {
      const context = new Context();
      const sockets: Socket[] = [];
      const pairs: [Socket, Socket][] = [
        [new Pull({ context }), new Push({ context })],
        [new Publisher({ context }), new Subscriber({ context })],
        [new Reply({ context }), new Request({ context })],
        [new Router({ context }), new Dealer({ context })],
      ];
      for (const [bound, connected] of pairs) {
        await bound.bind(endpoint);
        connected.connect(bound.lastEndpoint as string);
        if (connected instanceof Push || connected instanceof Request) await connected.send("x");
        if (bound instanceof Pull || bound instanceof Reply) await bound.receive();
        await bound.unbind(bound.lastEndpoint as string);
        sockets.push(bound, connected);
      }
      for (const socket of sockets) socket.close();
    }
  }));

it(
  "close() in each state of a connection",
  () =>
    leavesNothing(async () => {
      const port = await freePort();
      const servers: RawServer[] = [];
      const state: Record<string, (push: Push, server: RawServer) => unknown> = {
        "at once": () => {},
        "in the turn after": () => settle(),
        "connected, before any octet": (_push, server) => server.accept(),
        "in the greeting": async (_push, server) => (await server.accept()).write(GREETING.subarray(0, 20)),
        "in the handshake": async (_push, server) => {
          const peer = await server.accept();
          peer.write(GREETING);
          await peer.read(92);
        },
        ready: async (_push, server) => (await server.accept()).handshake("PULL"),
        "with messages on their way": async (push, server) => {
          await push.send(Buffer.alloc(1000));
          await (await server.accept()).handshake("PULL");
          await push.send(Buffer.alloc(1_000_000));
        },
        "between two attempts": async (push) => {
          const { events } = push;
          push.connect(`tcp://127.0.0.1:${port}`);
          for await (const { type } of events) if (type === "connect:retry") break;
        },
        "while a name is looked up": (push) => push.connect("tcp://nobody.invalid:1"),
      };
      for (const linger of [0, 200]) {
        for (const reach of Object.values(state)) {
          // One for each: a connection that was closed at once may still come in.
          const server = await RawServer.listen();
          const push = new Push({ linger, reconnectInterval: 20 });
          push.connect(server.address);
          await reach(push, server);
          push.close();
          servers.push(server);
        }
      }
      await eventually(() => process.listenerCount("beforeExit") === 0);
      for (const server of servers) await server.close();
    }),
  { timeout: 20_000 },
);

it("close() while peers are in each state of theirs", () =>
  leavesNothing(async () => {
    const pull = new Pull();
    await pull.bind("tcp://127.0.0.1:*");
    const peers: RawPeer[] = [];
    for (let i = 0; i < 3; i++) peers.push(await RawPeer.connect(pull.lastEndpoint));
    peers[1].write(GREETING);
    await peers[2].handshake("PUSH");
    peers[2].write(Buffer.from([1, 3, 1]));
    const pending = pull.receive();
    await turns();
    pull.close();
    await pending.then(
      () => assert.unreachable(),
      (error) => assert.is(error.code, "EAGAIN"),
    );
    await Promise.all(peers.map((peer) => peer.closed));
  }));

it("a receiver that is closed while its peer is stopped lets go of the peer", () =>
  leavesNothing(async () => {
    const pull = new Pull({ receiveHighWaterMark: 1 });
    await pull.bind("tcp://127.0.0.1:*");
    const peer = await RawPeer.connect(pull.lastEndpoint);
    await peer.handshake("PUSH");
    for (let i = 0; i < 100; i++) peer.send(Buffer.alloc(50_000));
    await eventually(() => pull.readable);
    await turns();
    pull.close();
    await peer.closed;
  }));

it("a socket with linger -1 and a peer that reads nothing lives on until the peer goes", () =>
  leavesNothing(async () => {
    const push = new Push({ sendHighWaterMark: 20 });
    await push.bind("tcp://127.0.0.1:*");
    const peer = await RawPeer.connect(push.lastEndpoint);
    await peer.handshake("PULL");
    peer.socket.pause();
    let sent: Promise<void>;
    do sent = push.send(Buffer.alloc(500_000));
    while (!(await isPending(sent, 100)));
    push.close();
    await sent.catch(() => {});
    assert.ok(await stays(() => !peer.isClosed));
    peer.reset();
  }));

it("descriptors are gone with the peer that did not close its end", () =>
  leavesNothing(async () => {
    const pull = new Pull();
    await pull.bind("tcp://127.0.0.1:*");
    const peer = await RawPeer.connect(pull.lastEndpoint);
    await peer.handshake("PUSH");
    // It neither reads nor answers our FIN.
    peer.socket.pause();
    const before = descriptors();
    pull.close();
    await eventually(() => descriptors() <= before - 2);
    peer.destroy();
  }));

it("an ipc path is gone, and a name is free again", async () => {
  const context = new Context();
  for (let i = 0; i < 3; i++) {
    const pull = new Pull({ context });
    await pull.bind(`ipc://${folder}/path`);
    await pull.bind("inproc://name");
    assert.ok(existsSync(`${folder}/path`));
    pull.close();
    assert.not(existsSync(`${folder}/path`));
    // Else this is EADDRINUSE.
    const other = new Pull({ context });
    await other.bind("inproc://name");
    other.close();
  }
});

it("contexts share their process listeners", async () => {
  const before = listeners();
  const warnings: Error[] = [];
  const note = (warning: Error): void => {
    warnings.push(warning);
  };
  process.on("warning", note);
  const sockets = Array.from({ length: 30 }, () => new Push({ context: new Context() }));
  assert.is(process.listenerCount("beforeExit"), 1);
  await settle();
  for (const socket of sockets) socket.close();
  process.off("warning", note);
  assert.equal(warnings, []);
  assert.is(listeners(), before);
});

it("sockets and contexts that are dropped are collected", async () => {
  const references: WeakRef<object>[] = [];
  await (async () => {
    for (let i = 0; i < 20; i++) {
      const context = new Context();
      const pull = new Pull({ context });
      await pull.bind("tcp://127.0.0.1:*");
      const push = new Push({ context });
      push.connect(pull.lastEndpoint as string);
      await push.send("x");
      await pull.receive();
      references.push(new WeakRef(context), new WeakRef(pull), new WeakRef(push));
    }
  })();
  await eventually(async () => {
    await collectGarbage();
    return references.every((reference) => reference.deref() === undefined);
  });
  await eventually(() => process.listenerCount("beforeExit") === 0);
});

it.run();

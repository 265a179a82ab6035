/**
 * What options do: each one is seen to work, here or in the file that the table names, or is documented as without
 * effect.
 */
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket as NetSocket } from "node:net";
import {
  Context,
  Dealer,
  Pair,
  type Peer,
  Publisher,
  Pull,
  Push,
  Reply,
  Request,
  Router,
  Subscriber,
} from "../../src/index.ts";
import { createOptions } from "../../src/options/defaults.ts";
import { OPTIONS } from "../../src/options/table.ts";
import { SOCKET_TYPES } from "../../src/options/values.ts";
import { tune } from "../../src/transport/tune.ts";
import { Clock } from "../helpers/clock.ts";
import { drain, next, take } from "../helpers/messages.ts";
import { freePort, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { rejected, Sockets, TRANSPORTS, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending } from "../helpers/wait.ts";

const it = suite("options/effect");
const sockets = new Sockets(it);
const clock = new Clock(it);

/** The options that do something, and the file below spec that shows it. */
const SEEN: Readonly<Record<string, string>> = {
  backlog: "transport/listen",
  connectTimeout: "session/reconnect",
  conflate: "options/effect",
  correlate: "socket/request-reply",
  curvePublicKey: "mechanism/curve-connection",
  curveSecretKey: "mechanism/curve-connection",
  curveServer: "mechanism/curve-connection",
  curveServerKey: "mechanism/curve-connection",
  connectRoutingId: "socket/router",
  disconnectMessage: "socket/router",
  handover: "socket/router",
  handshakeInterval: "session/reconnect",
  heartbeatInterval: "session/heartbeat",
  heartbeatTimeToLive: "session/heartbeat",
  heartbeatTimeout: "session/heartbeat",
  helloMessage: "socket/dealer",
  hiccupMessage: "socket/dealer",
  immediate: "options/effect",
  invertMatching: "socket/xpublisher",
  ipv6: "options/effect",
  lastEndpoint: "socket/socket",
  linger: "options/effect",
  mandatory: "socket/router",
  manual: "socket/xpublisher",
  manualLastValue: "socket/xpublisher",
  maxMessageSize: "session/hostile",
  metadata: "options/effect",
  noDrop: "socket/xpublisher",
  notify: "socket/stream",
  onlyFirstSubscribe: "socket/xpublisher",
  plainPassword: "options/effect",
  plainServer: "options/effect",
  plainUsername: "options/effect",
  probeRouter: "socket/dealer",
  receiveHighWaterMark: "socket/push-pull",
  receiveTimeout: "options/effect",
  reconnectInterval: "session/reconnect",
  reconnectMaxInterval: "session/reconnect",
  reconnectStop: "session/reconnect",
  relaxed: "socket/request-reply",
  routerNotify: "socket/router",
  routingId: "socket/router",
  securityMechanism: "options/effect",
  sendHighWaterMark: "options/effect",
  sendTimeout: "options/effect",
  socksPassword: "options/effect",
  socksProxy: "options/effect",
  socksUsername: "options/effect",
  tcpAcceptFilter: "socket/events",
  tcpKeepalive: "options/effect",
  tcpKeepaliveIdle: "options/effect",
  threadSafe: "options/values",
  topicsCount: "socket/xpublisher",
  type: "options/values",
  typeOfService: "options/effect",
  verboseUnsubscribe: "socket/xsubscriber",
  verbosity: "socket/xpublisher",
  welcomeMessage: "socket/xpublisher",
  zapDomain: "options/effect",
  zapEnforceDomain: "mechanism/zap",
};

/** Of the draft sockets, which this entry does not have. */
const OTHERS = ["multicastLoop"];

/** The documentation of an option. */
function commentOf(name: string): string {
  const documented = readFileSync("src/options/public.ts", "utf8").split("export interface ContextOptions")[0];
  const [, comment] =
    new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*(?:readonly |[gs]et )?${name}\\b`).exec(documented) ?? [];
  assert.ok(comment, `${name} is documented`);
  return comment;
}

it("each option is seen to work, or said to be without effect", () => {
  for (const { name, idle } of OPTIONS) {
    if (name === undefined || OTHERS.includes(name)) continue;
    const file = SEEN[name];
    if (file === undefined) {
      assert.ok(idle, `${name} is neither seen to work nor said to be without effect`);
      continue;
    }
    const path = `spec/${file}.test.ts`;
    assert.ok(existsSync(path), path);
    assert.match(
      readFileSync(path, "utf8"),
      new RegExp(`\\b(?:${name}|setStringOption\\(61)\\b`),
      `${name} in ${path}`,
    );
  }
});

it("the documentation of each option says what its row says: libzmq's name, with effect or without", () => {
  for (const { name, libzmq, idle, holders } of OPTIONS) {
    if (name === undefined || OTHERS.includes(name) || holders.length === 0) continue;
    const comment = commentOf(name);
    assert.match(comment, `(${libzmq})`, name);
    assert.is(/Without effect:|Not available/.test(comment), idle !== undefined, `${name}: without effect`);
  }
});

it("linger: 0 drops what waits at close, other values let it be delivered", async () => {
  for (const linger of [0, 5000, -1]) {
    const port = await freePort();
    const push = sockets.own(new Push({ reconnectInterval: 20, linger }));
    push.connect(`tcp://127.0.0.1:${port}`);
    await push.send("waited");
    push.close();
    const pull = sockets.own(new Pull());
    await pull.bind(`tcp://127.0.0.1:${port}`);
    if (linger === 0) assert.equal(await drain(pull), []);
    else assert.is(await next(pull), "waited");
  }
});

it("sendTimeout and receiveTimeout: not at all, for a while, for ever", async () => {
  const pair = sockets.own(new Pair());
  for (const timeout of [0, 30]) {
    pair.sendTimeout = timeout;
    pair.receiveTimeout = timeout;
    const told = [await rejected(() => pair.send("x")), await rejected(() => pair.receive())];
    for (const { code, message } of told) {
      assert.equal([code, message], ["EAGAIN", "Operation was not possible or timed out"]);
    }
  }
  pair.sendTimeout = -1;
  pair.receiveTimeout = -1;
  assert.ok(await isPending(pair.send("x").catch(() => {})));
  assert.ok(await isPending(pair.receive().catch(() => {})));
});

it("sendHighWaterMark holds at once: a send that waits goes on", async () => {
  const push = sockets.own(new Push({ sendHighWaterMark: 1 }));
  push.connect(`tcp://127.0.0.1:${await freePort()}`);
  await push.send("1");
  const waiting = push.send("2");
  assert.ok(await isPending(waiting, 30));
  push.sendHighWaterMark = 3;
  await waiting;
  await push.send("3");
  assert.not(push.writable);
  push.sendHighWaterMark = 0;
  assert.ok(push.writable);
});

it("conflate keeps the newest, for each type that has it", async () => {
  const pairs: [Push | Publisher | Dealer, Pull | Subscriber | Dealer, string][] = [
    [new Push({ conflate: true, reconnectInterval: 20 }), new Pull(), "sender"],
    [new Dealer({ conflate: true, reconnectInterval: 20 }), new Dealer(), "sender"],
  ];
  for (const [sender, receiver] of pairs) {
    sockets.own(sender);
    sockets.own(receiver);
    const port = await freePort();
    sender.connect(`tcp://127.0.0.1:${port}`);
    for (let i = 0; i < 5; i++) await sender.send(String(i));
    await receiver.bind(`tcp://127.0.0.1:${port}`);
    assert.equal(await drain(receiver), ["4"]);
  }
  const publisher = sockets.own(new Publisher({ conflate: true }));
  const subscriber = sockets.own(new Subscriber({ conflate: true }));
  subscriber.subscribe();
  await sockets.join(publisher, subscriber, "tcp");
  await eventually(() => publisher.topicsCount === 1);
  for (let i = 0; i < 5; i++) await publisher.send(String(i));
  assert.equal(await drain(subscriber), ["4"]);
});

it("immediate: only who is there counts as a peer", async () => {
  const push = sockets.own(new Push({ immediate: true, reconnectInterval: 20, sendTimeout: 0 }));
  push.connect(`tcp://127.0.0.1:${await freePort()}`);
  assert.is((await rejected(() => push.send("x"))).code, "EAGAIN");
  const pull = sockets.own(new Pull());
  push.connect(await sockets.bound(pull, "tcp"));
  push.sendTimeout = -1;
  for (let i = 0; i < 4; i++) await push.send(String(i));
  assert.equal(await take(pull, 4), ["0", "1", "2", "3"]);
});

it("maxMessageSize limits each frame that is received; the context's limits nothing, as libzmq's", async () => {
  const context = new Context({ maxMessageSize: 10 });
  const pull = sockets.own(new Pull({ context, maxMessageSize: 100 }));
  const push = sockets.own(new Push({ context, reconnectInterval: 5000 }));
  await sockets.join(pull, push, "tcp");
  await push.send(["a".repeat(100), "b".repeat(100)]);
  assert.is((await next(pull)).length, 201);
  const lost = new Promise((resolve) => push.events.on("disconnect", resolve));
  await push.send("c".repeat(101));
  await lost;
  assert.equal(await drain(pull, 30), []);
});

it("ipv6 lets IPv6 addresses be bound; the context's is the default", async () => {
  const plain = sockets.own(new Pull());
  assert.is((await rejected(() => plain.bind("tcp://[::1]:*"))).code, "ENODEV");
  const context = new Context({ ipv6: true });
  const pull = sockets.own(new Pull({ context }));
  assert.is(pull.ipv6, true);
  const error = await pull.bind("tcp://[::1]:*").catch((reason) => reason);
  if (error?.code === "EADDRNOTAVAIL" || error?.code === "ENODEV") return;
  assert.is(error, undefined);
  const push = sockets.own(new Push({ ipv6: true }));
  push.connect(pull.lastEndpoint as string);
  await push.send("six");
  assert.is(await next(pull), "six");
  assert.is(pull.lastPeer?.address, "::1");
});

it("maxSockets, blocky and reading of a context", () => {
  const context = new Context({ maxSockets: 1, blocky: false });
  const first = sockets.own(new Push({ context }));
  assert.is(first.linger, 0);
  assert.is(thrown(() => new Push({ context })).code, "EMFILE");
  first.close();
  sockets.own(new Push({ context }));
});

/** The keep-alive timers of established connections at a port, in ticks: from the kernel's own table. */
function keepalives(port: number): number[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote, state]) => state === "01" && (local?.endsWith(`:${hex}`) || remote?.endsWith(`:${hex}`)))
    .map((fields) => fields[5].split(":"))
    .filter(([kind]) => kind === "02")
    .map(([, ticks]) => Number.parseInt(ticks, 16));
}

if (existsSync("/proc/net/tcp")) {
  it("tcpKeepalive and tcpKeepaliveIdle reach the kernel, on both sides", async () => {
    for (const [tcpKeepalive, sides] of [
      [1, 2],
      [0, 0],
      [-1, 0],
    ] as const) {
      const options = { tcpKeepalive, tcpKeepaliveIdle: 1000 };
      const pull = sockets.own(new Pull(options));
      const push = sockets.own(new Push(options));
      const address = await sockets.join(pull, push, "tcp");
      await push.send("x");
      await next(pull);
      const port = Number(address.split(":")[2]);
      // The timer of a connection may be another one until what was sent is acknowledged.
      if (sides > 0) await eventually(() => keepalives(port).length === sides);
      const ticks = keepalives(port);
      assert.is(ticks.length, sides);
      for (const count of ticks) assert.ok(count > 90_000 && count <= 100_000, String(count));
    }
  });
} else {
  it.skip("tcpKeepalive and tcpKeepaliveIdle reach the kernel, on both sides", "no /proc/net/tcp here");
}

it("typeOfService is set where Node can", () => {
  const calls: [string, ...unknown[]][] = [];
  const record =
    (name: string) =>
    (...given: unknown[]): void => {
      calls.push([name, ...given]);
    };
  const socket = { setNoDelay: record("noDelay"), setTypeOfService: record("tos") } as unknown as NetSocket;
  const options = createOptions(SOCKET_TYPES.PUSH, { blocky: true, ipv6: false });
  for (const typeOfService of [0, 0x10, 256]) tune(socket, { ...options, typeOfService });
  assert.equal(calls, [
    ["noDelay", true],
    ["noDelay", true],
    ["tos", 16],
    ["noDelay", true],
  ]);
  tune({ setNoDelay: record("noDelay") } as unknown as NetSocket, { ...options, typeOfService: 16 });
});

/** A SOCKS5 proxy for one test: what it was asked for, and with which name. */
async function socksProxy(password?: string): Promise<{ address: string; asked: string[]; close(): void }> {
  const asked: string[] = [];
  const open: NetSocket[] = [];
  const server = createServer(async (client) => {
    open.push(client);
    const peer = new RawPeer(client);
    const [, count] = await peer.read(2);
    await peer.read(count);
    client.write(Buffer.of(5, password === undefined ? 0 : 2));
    if (password !== undefined) {
      const [, size] = await peer.read(2);
      const name = await peer.read(size);
      const given = await peer.read((await peer.read(1))[0]);
      asked.push(`${name}:${given}`);
      client.write(Buffer.of(1, String(given) === password ? 0 : 1));
    }
    const [, , , kind] = await peer.read(4);
    const host = kind === 1 ? [...(await peer.read(4))].join(".") : String(await peer.read((await peer.read(1))[0]));
    const port = (await peer.read(2)).readUInt16BE();
    asked.push(kind === 1 ? "an address" : host);
    const target = connect(port, "127.0.0.1");
    open.push(target);
    target.on("error", () => client.destroy());
    target.on("connect", () => {
      client.write(Buffer.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0));
      client.removeAllListeners("data");
      client.pipe(target).pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

it("socksProxy, socksUsername and socksPassword: peers are reached through the proxy", async () => {
  for (const password of [undefined, "secret"]) {
    const proxy = await socksProxy(password);
    const reply = sockets.own(new Reply());
    const address = await sockets.bound(reply, "tcp");
    const request = sockets.own(
      new Request({
        socksProxy: proxy.address,
        ...(password === undefined ? {} : { socksUsername: "name", socksPassword: password }),
      }),
    );
    request.connect(address.replace("127.0.0.1", "peer.invalid"));
    await request.send("q");
    assert.is(await next(reply), "q");
    await reply.send("r");
    assert.is(await next(request), "r");
    assert.equal(proxy.asked, password === undefined ? ["peer.invalid"] : ["name:secret", "peer.invalid"]);
    sockets.closeAll();
    proxy.close();
  }
});

/** Everything that `lastPeer` says, as text. */
function described(peer: Peer | undefined): unknown {
  if (peer === undefined) return undefined;
  const { socketType, address, identity, userId, properties } = peer;
  return [
    socketType,
    address,
    String(identity),
    userId,
    Object.fromEntries([...properties].map(([k, v]) => [k, String(v)])),
  ];
}

for (const transport of TRANSPORTS) {
  it(`metadata and routingId are the peer's to see, through lastPeer (${transport})`, async () => {
    const router = sockets.own(new Router({ metadata: { "X-server": "yes" } }));
    const dealer = sockets.own(new Dealer({ routingId: "me", metadata: { "X-b": "2", "X-a": "1" } }));
    assert.is(router.lastPeer, undefined);
    await sockets.join(router, dealer, transport);
    await dealer.send("hello");
    await router.receive();
    const address = { tcp: "127.0.0.1", ipc: "localhost", inproc: "" }[transport];
    assert.equal(described(router.lastPeer), [
      "DEALER",
      address,
      "me",
      undefined,
      { "Socket-Type": "DEALER", Identity: "me", "X-a": "1", "X-b": "2" },
    ]);
    await router.send(["me", "back"]);
    await next(dealer);
    assert.equal(described(dealer.lastPeer), [
      "ROUTER",
      address,
      "",
      undefined,
      { "Socket-Type": "ROUTER", Identity: "", "X-server": "yes" },
    ]);
  });
}

it("lastPeer is who sent the last message, of several and after it has left", async () => {
  const pull = sockets.own(new Pull());
  const address = await sockets.bound(pull, "tcp");
  const pushes = ["one", "two"].map((name) => {
    const push = sockets.own(new Push({ metadata: { "X-name": name } }));
    push.connect(address);
    return push;
  });
  for (const name of ["two", "one", "two"]) {
    await pushes[name === "one" ? 0 : 1].send(name);
    assert.is(await next(pull), name);
    assert.is(String(pull.lastPeer?.properties.get("X-name")), name);
  }
  const waiting = next(pull);
  await pushes[0].send("again");
  pushes[0].close();
  assert.is(await waiting, "again");
  assert.is(String(pull.lastPeer?.properties.get("X-name")), "one");
  // It was gone before its message was read.
  const last = pushes[1];
  await last.send("last");
  const left = new Promise((resolve) => pull.events.on("disconnect", resolve));
  last.close();
  await left;
  assert.is(await next(pull), "last");
  assert.is(pull.lastPeer?.address, "127.0.0.1");
});

it("plainServer, plainUsername, plainPassword, zapDomain: lastPeer has the handler's user and properties", async () => {
  const context = new Context();
  const zap = sockets.own(new Reply({ context }));
  await zap.bind("inproc://zeromq.zap.01");
  const asked: string[] = [];
  void (async () => {
    for await (const [version, id, domain, , , mechanism, user, password] of zap) {
      asked.push([domain, mechanism, user, password].join(" "));
      const isRight = String(password) === "secret";
      const metadata = Buffer.concat([
        Buffer.of(6),
        Buffer.from("X-Role"),
        Buffer.of(0, 0, 0, 5),
        Buffer.from("admin"),
      ]);
      await zap.send([version, id, isRight ? "200" : "400", "", isRight ? "User 1" : "", isRight ? metadata : ""]);
    }
  })();
  const pull = sockets.own(new Pull({ context, plainServer: true, zapDomain: "global" }));
  assert.is(pull.securityMechanism, "plain");
  const address = await sockets.bound(pull, "tcp");
  const wrong = sockets.own(new Push({ plainUsername: "ann", plainPassword: "guess", reconnectInterval: 5000 }));
  const denied = new Promise<number>((resolve) => {
    wrong.events.on("handshake:error:auth", ({ error }) => resolve(error.status));
  });
  wrong.connect(address);
  assert.is(await denied, 400);
  const right = sockets.own(new Push({ plainUsername: "ann", plainPassword: "secret" }));
  right.connect(address);
  await right.send("x");
  assert.is(await next(pull), "x");
  assert.equal(asked, ["global PLAIN ann guess", "global PLAIN ann secret"]);
  assert.equal(
    [pull.lastPeer?.userId, String(pull.lastPeer?.properties.get("X-Role")), pull.lastPeer?.address],
    ["User 1", "admin", "127.0.0.1"],
  );
});

it("options by number are the options by name", async () => {
  const dealer = sockets.own(new Dealer());
  dealer.setInt32Option(17, 0);
  dealer.setStringOption(5, "me");
  dealer.setInt64Option(22, 1000);
  dealer.setBoolOption(39, true);
  assert.equal([dealer.linger, dealer.routingId, dealer.maxMessageSize, dealer.immediate], [0, "me", 1000, true]);
  dealer.sendHighWaterMark = 7;
  assert.is(dealer.getInt32Option(23), 7);
  assert.is(dealer.getInt32Option(16), 5);
  assert.equal([dealer.getBoolOption(39), dealer.getStringOption(32)], [true, null]);
  const router = sockets.own(new Router());
  const address = await sockets.join(router, dealer, "tcp");
  assert.is(router.getStringOption(32), address);
  assert.is(dealer.getInt32Option(15) & 1, 0);
  await dealer.send("x");
  await eventually(() => (router.getInt32Option(15) & 1) === 1);
  assert.is(await next(router), "me|x");
  assert.is(thrown(() => dealer.getInt32Option(9999)).code, "EINVAL");
  const subscriber = sockets.own(new Subscriber());
  subscriber.setStringOption(6, "A");
  subscriber.setStringOption(6, "B");
  subscriber.setStringOption(7, "B");
  assert.is(subscriber.getInt32Option(116), 1);
});

it("handshakeInterval 0 waits for ever", async () => {
  clock.stop();
  const server = await RawServer.listen();
  const pull = sockets.own(new Pull({ handshakeInterval: 0 }));
  pull.connect(server.address);
  const peer = await server.accept();
  await peer.read(10);
  await clock.advance(100_000);
  assert.not(peer.isClosed);
  await server.close();
});

it.run();

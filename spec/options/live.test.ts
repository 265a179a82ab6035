/**
 * When options act. Those that are read where they matter act at once, on a socket that is bound or connected, and
 * never warn; the others wait for the next bind or connect, and say so. Each one that acts at once is seen to do so
 * here.
 */
import { readFileSync } from "node:fs";
import * as zmtp from "../../src/index.ts";
import type { OptionRow } from "../../src/options/kinds.ts";
import { OPTIONS } from "../../src/options/table.ts";
import { SOCKET_TYPE_NAMES } from "../../src/options/values.ts";
import { drain, joined, next, take } from "../helpers/messages.ts";
import { freePort } from "../helpers/raw-peer.ts";
import { rejected, Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

const { Dealer, Pair, Publisher, Pull, Push, Request, Router, Stream, Subscriber, XPublisher, XSubscriber } = zmtp;

const it = suite("options/live");
const sockets = new Sockets(it);
const own = sockets.own.bind(sockets);

/** Every type of socket. */
const CLASSES = Object.values(zmtp).filter(
  (value): value is typeof Pair => typeof value === "function" && value.prototype instanceof zmtp.Socket,
);

const WARNING = "Socket option will not take effect until next connect/bind.";

type Open = Record<string, unknown>;

const warnings: string[] = [];
const emitWarning = process.emitWarning;
it.before(() => {
  process.emitWarning = ((text: string) => void warnings.push(text)) as typeof process.emitWarning;
});
it.after(() => {
  process.emitWarning = emitWarning;
});

/** Whether `body` warned that an option waits. */
function warned(body: () => void): boolean {
  warnings.length = 0;
  body();
  assert.ok(warnings.every((text) => text === WARNING) && warnings.length < 2, warnings.join());
  return warnings.length > 0;
}

/** Something that the option takes. */
function valueOf({ name, kind }: OptionRow): unknown {
  if (name === "metadata") return { "X-Name": "value" };
  if (name === "verbosity") return "allSubs";
  if (name === "tcpAcceptFilter") return "127.0.0.1";
  if (name?.startsWith("curve") && name.endsWith("Key")) return Buffer.alloc(32, 1);
  if (kind === "bool") return true;
  return kind === "text" ? "text" : 1;
}

function has(option: OptionRow, type: number): boolean {
  if (option.name === undefined || option.write === undefined) return false;
  if (option.name.startsWith("vmci")) return false;
  return option.holders === "every" || option.holders.includes(type);
}

/** What acts at once, by name. The tests below show it of each. */
const LIVE: ReadonlySet<string> = new Set([
  "correlate",
  "disconnectMessage",
  "handover",
  "helloMessage",
  "hiccupMessage",
  "invertMatching",
  "linger",
  "mandatory",
  "manual",
  "manualLastValue",
  "noDrop",
  "onlyFirstSubscribe",
  "probeRouter",
  "receiveHighWaterMark",
  "receiveTimeout",
  "relaxed",
  "routerNotify",
  "sendHighWaterMark",
  "sendTimeout",
  "verboseUnsubscribe",
  "verbosity",
  "welcomeMessage",
]);
/** Tested so far. */
const shown = new Set<string>();

it("every option of every class warns when set on a bound or connected socket, unless it acts at once", async () => {
  for (const Type of CLASSES) {
    for (const state of ["new", "bound", "connected", "binding", "unbound"] as const) {
      const socket = new Type() as unknown as zmtp.Socket & Open;
      let done: Promise<void> | undefined;
      if (state === "bound" || state === "unbound") socket.bindSync(sockets.address("inproc"));
      if (state === "unbound") socket.unbindSync(socket.lastEndpoint as string);
      if (state === "connected") socket.connect(sockets.address("inproc"));
      if (state === "binding") done = socket.bind(sockets.address("inproc"));
      const waits = state !== "new" && state !== "unbound";
      for (const option of OPTIONS.filter((row) => has(row, socket.type))) {
        const name = option.name as string;
        const did = warned(() => {
          socket[name] = valueOf(option);
        });
        assert.is(did, waits && !LIVE.has(name), `${SOCKET_TYPE_NAMES[socket.type]}.${name}, ${state}`);
      }
      await done;
      socket.close();
    }
  }
});

it("the calls by number warn alike", () => {
  const subscriber = own(new Subscriber());
  const publisher = own(new XPublisher());
  const router = own(new Router());
  for (const socket of [subscriber, publisher, router]) socket.bindSync(sockets.address("inproc"));
  for (const id of [6, 7])
    assert.not(
      warned(() => subscriber.setStringOption(id, "topic")),
      String(id),
    );
  for (const id of [40, 69, 71, 74, 78, 98, 108])
    assert.not(
      warned(() => publisher.setBoolOption(id, true)),
      String(id),
    );
  assert.not(warned(() => router.setBoolOption(33, true)));
  assert.ok(
    warned(() => router.setStringOption(61, "id")),
    "it waits for the next connect",
  );
  assert.ok(warned(() => subscriber.setBoolOption(54, true)));
  assert.ok(warned(() => subscriber.setInt32Option(18, 7)));
});

it("the documentation calls live what acts at once, and nothing else", () => {
  const text = readFileSync("src/options/public.ts", "utf8");
  for (const { name, write, holders } of OPTIONS) {
    if (name === undefined || write === undefined || holders.length === 0 || name === "multicastLoop") continue;
    const [, comment = ""] = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*(?:[gs]et )?${name}\\b`).exec(text) ?? [];
    assert.is(/\bLive\b/.test(comment), LIVE.has(name), name);
  }
});

/** Sets an option of a socket that has an endpoint: it has to act at once. */
function set<S extends zmtp.Socket>(socket: S, values: Partial<S>): void {
  for (const [name, value] of Object.entries(values)) {
    assert.not(
      warned(() => Object.assign(socket, { [name]: value })),
      name,
    );
    shown.add(name);
  }
}

it("linger", async () => {
  const address = `tcp://127.0.0.1:${await freePort()}`;
  const push = own(new Push({ reconnectInterval: 10 }));
  push.connect(address);
  await push.send("dropped");
  set(push, { linger: 0 });
  push.close();
  const other = own(new Push({ reconnectInterval: 10 }));
  other.connect(address);
  await other.send("kept");
  const pull = own(new Pull());
  await pull.bind(address);
  assert.is(await next(pull), "kept");
  assert.equal(await drain(pull), []);
});

for (const transport of TRANSPORTS) {
  const bound = <S extends zmtp.Socket>(socket: S): Promise<string> => sockets.bound(own(socket), transport);

  it(`sendTimeout, receiveTimeout (${transport})`, async () => {
    const [push, pull] = [new Push(), new Pull()];
    await bound(push);
    await bound(pull);
    set(push, { sendTimeout: 0 });
    set(pull, { receiveTimeout: 0 });
    assert.is((await rejected(() => push.send(""))).code, "EAGAIN");
    assert.is((await rejected(() => pull.receive())).code, "EAGAIN");
  });

  it(`probeRouter (${transport})`, async () => {
    for (const Type of [Dealer, Request, Router]) {
      const router = new Router();
      const address = await bound(router);
      const prober = new Type({ routingId: "me" });
      await bound(prober);
      set(prober as InstanceType<typeof Dealer>, { probeRouter: true });
      prober.connect(address);
      assert.is(await next(router), "me|", Type.name);
    }
  });

  it(`correlate, relaxed (${transport})`, async () => {
    const request = new Request();
    const router = own(new Router());
    router.connect(await bound(request));
    set(request, { correlate: true, relaxed: true });
    await request.send("one");
    assert.is((await router.receive()).length, 4, "peer, id, delimiter, body");
    await request.send("two");
    assert.match(await next(router), /\|two$/);
  });

  it(`mandatory, routerNotify, handover (${transport})`, async () => {
    const router = new Router({ sendTimeout: 0 });
    const address = await bound(router);
    set(router, { mandatory: true, routerNotify: 1, handover: true });
    assert.is((await rejected(() => router.send(["nobody", ""]))).code, "EHOSTUNREACH");
    const dealers = [0, 1].map(() => own(new Dealer({ routingId: "same" })));
    for (const dealer of dealers) {
      dealer.connect(address);
      assert.is(await next(router), "same|");
    }
    await router.send(["same", "the second"]);
    assert.is(await next(dealers[1]), "the second");
  });

  it(`helloMessage, disconnectMessage, hiccupMessage (${transport})`, async () => {
    for (const Type of [Router, Dealer]) {
      const socket = new Type();
      const address = await bound(socket);
      set(socket as InstanceType<typeof Dealer>, { helloMessage: "hello" });
      const dealer = own(new Dealer());
      dealer.connect(address);
      assert.is(await next(dealer), "hello", Type.name);
      if (!(socket instanceof Router)) continue;
      set(socket, { disconnectMessage: "gone" });
      set(dealer, { hiccupMessage: "lost" });
      dealer.close();
      assert.match(await next(socket), /\|gone$/);
      const other = own(new Dealer());
      other.connect(address);
      assert.is(await next(other), "hello");
      set(other, { hiccupMessage: "lost" });
      if (transport === "inproc") socket.close();
      else socket.unbindSync(address);
      assert.is(await next(other), "lost");
    }
  });

  it(`noDrop (${transport})`, async () => {
    for (const Type of [Publisher, XPublisher]) {
      const publisher = new Type({ sendHighWaterMark: 1, sendTimeout: 0 });
      const address = await bound(publisher);
      set(publisher as InstanceType<typeof Publisher>, { noDrop: true });
      const subscriber = own(new Subscriber({ receiveHighWaterMark: 1 }));
      subscriber.subscribe();
      subscriber.connect(address);
      await eventually(() => (publisher as InstanceType<typeof Publisher>).topicsCount === 1);
      const body = Buffer.alloc(1 << 20);
      const send = async (): Promise<string> => {
        for (let sent = 0; sent < 1000; sent++) await publisher.send(body);
        return "dropped";
      };
      const outcome = await send().catch((error) => error.code);
      assert.is(outcome, "EAGAIN", Type.name);
    }
  });

  it(`welcomeMessage, verbosity, manual, manualLastValue (${transport})`, async () => {
    const publisher = new XPublisher();
    const address = await bound(publisher);
    set(publisher, { welcomeMessage: "welcome", verbosity: "allSubs" });
    const one = own(new Subscriber());
    one.subscribe();
    one.connect(address);
    assert.is(await next(publisher), "\x01");
    assert.is(await next(one), "welcome");
    const two = own(new Subscriber());
    two.subscribe();
    two.connect(address);
    assert.is(await next(publisher), "\x01", "the second one is told of");
    assert.is(await next(two), "welcome");
    set(publisher, { manual: true });
    two.subscribe("asked");
    assert.is(await next(publisher), "\x01asked");
    publisher.subscribe("given");
    set(publisher, { manualLastValue: true });
    publisher.subscribe("last");
    await publisher.send("only for the last");
    assert.is(await next(two), "only for the last");
    assert.equal(await drain(one, 50), []);
  });

  it(`invertMatching (${transport})`, async () => {
    for (const Type of [Publisher, XPublisher]) {
      const publisher = new Type();
      const address = await bound(publisher);
      const subscriber = own(new Subscriber());
      subscriber.connect(address);
      subscriber.subscribe("A");
      set(subscriber, { invertMatching: true });
      set(publisher as InstanceType<typeof Publisher>, { invertMatching: true });
      await eventually(() => (publisher as InstanceType<typeof Publisher>).topicsCount === 1);
      for (const topic of ["A", "B"]) await publisher.send(topic);
      assert.is(await next(subscriber), "B", Type.name);
    }
  });

  it(`onlyFirstSubscribe, verboseUnsubscribe (${transport})`, async () => {
    const publisher = new XPublisher({ verbosity: "allSubsUnsubs" });
    const subscriber = own(new XSubscriber());
    subscriber.connect(await bound(publisher));
    await subscriber.send("\x01ready");
    assert.is(await next(publisher), "\x01ready");
    set(publisher, { onlyFirstSubscribe: true });
    set(subscriber, { onlyFirstSubscribe: true, verboseUnsubscribe: true });
    await subscriber.send(["\x01A", "\x01B"]);
    assert.is(await next(publisher), "\x01A");
    assert.is(await next(publisher), "\x01B", "it is no subscription");
    assert.is(publisher.topicsCount, 2);
    await subscriber.send("\x01A");
    await subscriber.send("\x00A");
    assert.equal(await take(publisher, 2), ["\x01A", "\x00A"], "the first end of two");
  });

  it(`conflate waits for the next bind, and for the next connect (${transport})`, async () => {
    const pull = new Pull();
    const early = await bound(pull);
    assert.ok(warned(() => Object.assign(pull, { conflate: true })));
    const push = own(new Push());
    push.connect(early);
    for (const text of ["1", "2", "3"]) await push.send(text);
    assert.equal(await take(pull, 3), ["1", "2", "3"]);
    const late = await sockets.bound(pull, transport);
    const other = own(new Push());
    other.connect(late);
    for (const text of ["1", "2", "3"]) await other.send(text);
    const got: string[] = [];
    while (got.at(-1) !== "3") got.push(...(await drain(pull, 50)));
    assert.ok(got.length < 3, got.join());

    const waiting = own(new Push());
    const [one, two] = [sockets.address("inproc"), sockets.address("inproc")];
    waiting.connect(one);
    assert.ok(warned(() => Object.assign(waiting, { conflate: true })));
    for (const text of ["1", "2"]) await waiting.send(text);
    waiting.connect(two);
    for (const text of ["3", "4", "5", "6"]) await waiting.send(text);
    const [first, second] = [own(new Pull()), own(new Pull())];
    await first.bind(one);
    await second.bind(two);
    assert.equal((await take(first, 4)).slice(0, 2), ["1", "2"], "and two of the later ones");
    assert.is((await drain(second, 50)).length, 1);
  });

  it(`routingId and metadata wait for the next bind (${transport})`, async () => {
    const router = new Router({ routingId: "old", metadata: { "X-Name": "old" } });
    const address = await bound(router);
    assert.ok(warned(() => Object.assign(router, { routingId: "new" })));
    assert.ok(warned(() => Object.assign(router, { metadata: { "X-Name": "new" } })));
    for (const [where, name] of [
      [address, "old"],
      [await sockets.bound(router, transport), "new"],
    ]) {
      const dealer = own(new Dealer({ routingId: name, probeRouter: true }));
      dealer.connect(where);
      await next(router);
      await router.send([name, "hello"]);
      await next(dealer);
      assert.equal(
        [String(dealer.lastPeer?.identity), String(dealer.lastPeer?.properties.get("X-Name"))],
        [name, name],
      );
    }
  });
}

it("sendHighWaterMark, receiveHighWaterMark", async () => {
  const push = own(new Push({ sendTimeout: 0 }));
  const pull = own(new Pull());
  await sockets.join(pull, push);
  set(push, { sendHighWaterMark: 2 });
  set(pull, { receiveHighWaterMark: 3 });
  for (let sent = 0; sent < 5; sent++) await push.send("");
  assert.is((await rejected(() => push.send(""))).code, "EAGAIN");
});

it("STREAM's notify waits for the next bind, and for the next connect", async () => {
  const server = own(new Stream());
  const told = async (): Promise<string> => (await server.receive())[1].toString();
  const early = await sockets.bound(server, "tcp");
  assert.ok(warned(() => Object.assign(server, { notify: false })));
  const late = await sockets.bound(server, "tcp");
  const speak = async (address: string): Promise<zmtp.Stream> => {
    const client = own(new Stream());
    client.connect(address);
    const [id] = await client.receive();
    await client.send([id, "octets"]);
    return client;
  };
  const client = await speak(early);
  assert.equal([await told(), await told()], ["", "octets"]);
  client.close();
  assert.is(await told(), "", "it left");
  (await speak(late)).close();
  assert.is(await told(), "octets");
  assert.equal(await drain(server, 50), [], "nor is told that it left");

  const quiet = own(new Stream());
  quiet.connect(early);
  assert.ok(warned(() => Object.assign(quiet, { notify: false })));
  const [id, notice] = await quiet.receive();
  assert.is(notice.length, 0, "this one was connected before");
  assert.is(await told(), "");
  await quiet.send([id, ""]);
  assert.is(await told(), "");
  quiet.connect(early, { routingId: "second" });
  assert.is(await told(), "");
  await quiet.send(["second", "octets"]);
  const [from, octets] = await server.receive();
  assert.is(String(octets), "octets");
  await server.send([from, "answer"]);
  assert.is(joined(await quiet.receive()), "second|answer");
});

it("each option that acts at once was seen to", () => {
  assert.equal([...shown].sort(), [...LIVE].sort());
});

it.run();

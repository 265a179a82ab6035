import { EventEmitter, once } from "node:events";
import { inherits } from "node:util";
import * as zmq from "../../src/v5-compat.ts";
import { Child } from "../helpers/child.ts";
import { assert, suite } from "../helpers/test.ts";
import { collectGarbage, eventually, holds, turn, turns } from "../helpers/wait.ts";

const it = suite("v5/socket");

const ANY = "tcp://127.0.0.1:*";

/** Sockets of a test, closed behind it. */
const open: zmq.Socket[] = [];

function make(type: zmq.SocketType, values?: Record<string, unknown>): zmq.Socket {
  const socket = zmq.socket(type, values);
  open.push(socket);
  return socket;
}

it.afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

/** What arrives, frames joined. */
function collect(socket: zmq.Socket): string[] {
  const seen: string[] = [];
  socket.on("message", (...frames: Buffer[]) => seen.push(frames.join("|")));
  return seen;
}

it("is an event emitter with the v5 names of everything", () => {
  assert.is(zmq.socket, zmq.createSocket);
  const socket = make("xreq", { identity: "me", linger: 5, note: "mine" });
  assert.instance(socket, EventEmitter);
  assert.instance(socket, zmq.Socket);
  assert.is(socket.type, "xreq");
  assert.is(socket.identity, "me");
  assert.is(socket.linger, 5);
  assert.is(socket.note, "mine");
  assert.is(socket.getsockopt(zmq.ZMQ_TYPE), zmq.ZMQ_DEALER);
  assert.throws(() => make("foo" as zmq.SocketType), "Invalid socket type: foo");
  assert.throws(() => make("constructor" as zmq.SocketType), "Invalid socket type: constructor");
  assert.throws(() => new zmq.Context());
  assert.throws(() => socket.read());
});

/** Derived as programs for version 5 do it, which know no classes. */
function Derived(this: zmq.Socket, type: zmq.SocketType) {
  zmq.Socket.call(this, type);
  this.mine = this.type;
}

function Applied(this: zmq.Socket, ..._: [zmq.SocketType]) {
  zmq.Socket.apply(this, arguments as unknown as [zmq.SocketType]);
}

type Maker = new (type: zmq.SocketType) => zmq.Socket;

it("makes a socket of the object that a derived constructor gives it", async () => {
  Derived.prototype = Object.create(zmq.Socket.prototype);
  Object.defineProperty(Derived.prototype, "constructor", { value: Derived });
  inherits(Applied, zmq.Socket);
  class Extended extends zmq.Socket {
    twice(text: string): this {
      return this.send(text).send(text);
    }
  }
  for (const Class of [Derived as unknown as Maker, Applied as unknown as Maker, Extended as Maker, zmq.Socket]) {
    const [push, pull] = [new Class("push"), new Class("pull")];
    open.push(push, pull);
    assert.instance(push, Class);
    assert.instance(push, zmq.Socket);
    assert.instance(push, EventEmitter);
    assert.is(push.constructor, Class);
    push.linger = 7;
    assert.equal([push.linger, pull.linger, push.type, pull.type], [7, -1, "push", "pull"]);
    const seen = collect(pull);
    pull.bindSync(ANY);
    push.connect(pull.last_endpoint);
    if (push instanceof Extended) push.twice("x");
    else push.send("x").send("x");
    await eventually(() => seen.length === 2);
    assert.equal([push.mine, push.listenerCount("message")], [Class === (Derived as unknown) ? "push" : undefined, 0]);
    assert.is(push.close().closed, true);
  }
  assert.throws(() => new (Derived as unknown as Maker)("foo" as zmq.SocketType), "Invalid socket type: foo");
});

it("is made by a bare call, too", () => {
  const bare = zmq.Socket;
  for (const socket of [bare("pub"), zmq.Socket("sub"), new bare("rep")]) {
    open.push(socket);
    assert.instance(socket, zmq.Socket);
    assert.is(socket.bindSync(ANY), socket);
  }
  assert.is(zmq.Socket.name, "Socket");
  const context = zmq.Context as unknown as () => void;
  assert.throws(() => context(), "Context cannot be instantiated in compatibility mode");
});

it("shows its state as the native socket of version 5 did", async () => {
  const socket = make("pull");
  assert.is(socket._zmq.state, zmq.STATE_READY);
  socket.bind(ANY);
  assert.is(socket._zmq.state, zmq.STATE_BUSY);
  await once(socket, "bind");
  assert.is(socket._zmq.state, zmq.STATE_READY);
  assert.is(socket.close()._zmq.state, zmq.STATE_CLOSED);
});

for (const methods of ["unref", "unref ref unref", "unref unref"]) {
  it(`does not keep the process alive after ${methods}`, async () => {
    const child = new Child(new URL("./referenced.child.mjs", import.meta.url), methods);
    child.process.stdin?.end();
    await child.line();
    assert.equal(await child.ended, { code: 0, signal: null });
    assert.is(child.stderr, "");
  });
}

for (const methods of ["", "unref ref", "ref"]) {
  it(`keeps the process alive while it waits: ${methods || "as it is"}`, async () => {
    const child = new Child(new URL("./referenced.child.mjs", import.meta.url), methods);
    child.process.stdin?.end();
    const push = make("push");
    push.connect(await child.line());
    // One that nothing holds would have ended before this one does.
    const witness = new Child(new URL("./referenced.child.mjs", import.meta.url), "unref");
    witness.process.stdin?.end();
    await witness.ended;
    push.send("x");
    assert.is(await child.line(), "got x");
    assert.equal(await child.ended, { code: 0, signal: null });
  });
}

it("emits each message with its frames as arguments, from nextTick", async () => {
  const push = make("push");
  const pull = make("pull");
  pull.bindSync(ANY);
  push.connect(pull.last_endpoint);
  push.send(["a", Buffer.from("b"), 3, null]);
  const frames = await once(pull, "message");
  assert.ok(frames.every(Buffer.isBuffer));
  assert.is(frames.join("|"), "a|b|3|");
});

for (const address of [ANY, "inproc://v5-order"]) {
  it(`lets what a listener puts off by nextTick come before promises and the next message: ${address}`, async () => {
    const push = make("push");
    const pull = make("pull");
    await turn();
    pull.bindSync(address);
    const order: string[] = [];
    pull.on("message", (text: Buffer) => {
      order.push(`${text}`);
      void Promise.resolve().then(() => order.push(`${text} promise`));
      process.nextTick(() => order.push(`${text} tick`));
    });
    push.connect(pull.last_endpoint);
    for (const text of "ab") {
      push.send(text);
      await eventually(() => order.includes(`${text} promise`));
    }
    assert.equal(order, ["a", "a tick", "a promise", "b", "b tick", "b promise"]);
  });
}

it("collects frames sent with ZMQ_SNDMORE into one message", async () => {
  const push = make("push");
  const pull = make("pull");
  const seen = collect(pull);
  push.bindSync("inproc://v5-sndmore");
  pull.connect("inproc://v5-sndmore");
  push.send(["a", "b"], zmq.ZMQ_SNDMORE).send("c", zmq.ZMQ_SNDMORE).send(["d"]);
  push.send("e", null);
  await eventually(() => seen.length === 2);
  assert.equal(seen, ["a|b|c|d", "e"]);
});

for (const address of [ANY, "inproc://v5-unbounded"]) {
  it(`sends through a queue without a limit: ${address}`, async () => {
    const push = make("push");
    const pull = make("pull");
    const seen = collect(pull);
    push.setsockopt("linger", 0).setsockopt(zmq.ZMQ_SNDHWM, 5);
    pull.setsockopt(zmq.ZMQ_RCVHWM, 5);
    const called: number[] = [];
    for (let i = 0; i < 3000; i++) push.send(`${i}`, 0, () => called.push(i));
    push.bindSync(address);
    pull.connect(push.last_endpoint);
    await eventually(() => seen.length === 3000 && called.length === 3000);
    assert.ok(seen.every((text, i) => text === `${i}`));
    assert.ok(called.every((value, i) => value === i));
  });
}

it("calls back after send has returned, with nothing on success", async () => {
  const push = make("push");
  make("pull").connect(push.bindSync(ANY).last_endpoint);
  let hasReturned = false;
  const outcome = new Promise<unknown[]>((resolve) => {
    push.send("x", 0, (...given) => resolve([hasReturned, ...given]));
  });
  hasReturned = true;
  assert.equal(await outcome, [true]);
});

it("lets timers and input have their turn while callbacks send again", async () => {
  const push = make("push", { linger: 0 });
  const pull = make("pull");
  const seen = collect(pull);
  push.setsockopt(zmq.ZMQ_SNDHWM, 0);
  push.bindSync(ANY);
  pull.connect(push.last_endpoint);
  let isOver = false;
  const again = () => {
    if (!isOver) push.send("x", 0, again);
  };
  again();
  await eventually(() => seen.length > 0);
  isOver = true;
});

it("tells the callback of a failed send, else emits error", async () => {
  const push = make("push");
  push.setsockopt(zmq.ZMQ_SNDTIMEO, 10);
  push.bindSync(ANY);
  const [error] = await new Promise<unknown[]>((resolve) => push.send("x", 0, (...given) => resolve(given)));
  assert.is((error as NodeJS.ErrnoException).code, "EAGAIN");
  push.send("y");
  const [emitted] = await once(push, "error");
  assert.is(emitted.code, "EAGAIN");
});

it("cannot send on sockets that only receive", async () => {
  for (const type of ["sub", "pull"] as const) {
    const socket = make(type);
    const error = await new Promise<unknown>((resolve) => socket.send("x", 0, resolve));
    assert.is((error as Error).message, "Cannot send on this socket type.");
    socket.send("x");
    await once(socket, "error");
  }
});

it("sends what can be sent before close, and tells only the message at hand that it cannot", async () => {
  const pull = make("pull");
  const seen = collect(pull);
  pull.bindSync(ANY);
  const push = make("push");
  push.connect(pull.last_endpoint);
  for (let i = 0; i < 100; i++) push.send(`${i}`);
  push.close();
  await eventually(() => seen.length === 100);
  for (const type of ["push", "req", "pair"] as const) {
    const alone = make(type);
    const told: unknown[] = [];
    alone.on("error", (error) => told.push(error));
    const tell = (i: number) => (error?: NodeJS.ErrnoException) => told.push(`${i}: ${error?.code}`);
    for (let i = 0; i < 3; i++) alone.send("x", 0, tell(i));
    alone.send("nobody cares");
    alone.close();
    alone.send("x", 0, tell(3));
    alone.send("nobody cares");
    await eventually(() => told.length > 0);
    await turns();
    assert.equal(told, ["0: EAGAIN"], type);
  }
});

it("waits for a bind before it sends and receives on", async () => {
  const pull = make("pull");
  const push = make("push");
  const seen = collect(pull);
  pull.bind(ANY);
  await once(pull, "bind");
  push.connect(pull.last_endpoint);
  push.bind(ANY);
  for (let i = 0; i < 10; i++) push.send(`${i}`);
  await once(push, "bind");
  await eventually(() => seen.length === 10);
  push.unbind(push.last_endpoint);
  push.send("10");
  await eventually(() => seen.length === 11);
});

it("binds and unbinds with an event and a callback, in this order", async () => {
  const socket = make("pull");
  const told: string[] = [];
  socket.on("bind", (address) => told.push(`bind ${address}`));
  socket.on("unbind", (address) => told.push(`unbind ${address}`));
  await new Promise<void>((resolve) => {
    assert.is(
      socket.bind(ANY, (...given) => {
        told.push(`callback ${given.length}`);
        resolve();
      }),
      socket,
    );
    assert.throws(() => socket.bind(ANY), /blocked/);
  });
  const address = socket.last_endpoint;
  await new Promise<void>((resolve) => socket.unbind(address, () => resolve()));
  assert.equal(told, [`bind ${ANY}`, "callback 0", `unbind ${address}`]);
  socket.bindSync(address);
  socket.unbindSync(address);
  socket.unbind(address);
  assert.is((await once(socket, "error"))[0].code, "ENOENT");
  const error = await new Promise<unknown>((resolve) => socket.bind("tcp://x", resolve));
  assert.is((error as NodeJS.ErrnoException).code, "EINVAL");
});

it("closes when a bind that was under way has ended", async () => {
  const socket = make("push");
  socket.send("x", 0, () => {});
  const bound = new Promise<void>((resolve) => socket.bind(ANY, () => resolve()));
  assert.is(socket.close(), socket);
  assert.is(socket.closed, false);
  await bound;
  assert.is(socket.closed, true);
});

it("pauses right behind a message, both ways, until resume", async () => {
  const push = make("push");
  const pull = make("pull");
  pull.bindSync(ANY);
  push.connect(pull.last_endpoint);
  const seen: string[] = [];
  pull.on("message", (text: Buffer) => {
    seen.push(`${text}`);
    if (seen.length === 2) pull.pause();
  });
  for (let i = 0; i < 5; i++) push.send(`${i}`);
  await eventually(() => seen.length === 2);
  assert.ok(await holds(() => seen.length === 2));
  assert.equal(seen, ["0", "1"]);
  pull.resume();
  await eventually(() => seen.length === 5);
  push.pause();
  push.send("5");
  assert.ok(await holds(() => seen.length === 5));
  push.resume();
  await eventually(() => seen.length === 6);
  assert.is(seen.join(""), "012345");
});

it("emits nothing behind close", async () => {
  const push = make("push");
  const pull = make("pull");
  pull.bindSync(ANY);
  push.connect(pull.last_endpoint);
  let seen = 0;
  pull.on("message", () => {
    seen++;
    pull.close();
  });
  for (let i = 0; i < 5; i++) push.send(`${i}`);
  await eventually(() => seen > 0);
  assert.ok(await holds(() => seen === 1));
});

it("goes on behind a listener and a callback that throw", async () => {
  const push = make("push");
  const pull = make("pull");
  pull.bindSync(ANY);
  push.connect(pull.last_endpoint);
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  const thrown: string[] = [];
  process.on("uncaughtException", (error) => thrown.push(error.message));
  const seen: string[] = [];
  pull.on("message", (text: Buffer) => {
    seen.push(`${text}`);
    if (seen.length === 1) throw new Error("listener");
  });
  let called = 0;
  const callback = () => {
    if (called++ === 0) throw new Error("callback");
  };
  for (let i = 0; i < 3; i++) push.send(`${i}`, 0, callback);
  await eventually(() => seen.length === 3 && called === 3);
  process.removeAllListeners("uncaughtException");
  for (const listener of listeners) process.on("uncaughtException", listener);
  assert.equal(thrown.sort(), ["callback", "listener"]);
});

it("asks and answers", async () => {
  const rep = make("rep");
  const req = make("req");
  rep.on("message", (text: Buffer) => rep.send(`re ${text}`));
  rep.bindSync(ANY);
  req.connect(rep.last_endpoint);
  const seen = collect(req);
  for (let i = 0; i < 20; i++) req.send(`${i}`);
  await eventually(() => seen.length === 20);
  assert.ok(seen.every((text, i) => text === `re ${i}`));
});

it("subscribes by method, property and number", async () => {
  const pub = make("pub");
  const sub = make("sub");
  pub.bindSync(ANY);
  sub.connect(pub.last_endpoint);
  assert.is(sub.subscribe("a"), sub);
  sub._subscribe = "b";
  sub.setsockopt(zmq.ZMQ_SUBSCRIBE, Buffer.from("c")).subscribe("d").unsubscribe("d");
  const seen = collect(sub);
  // Until all subscriptions are there.
  await eventually(() => {
    pub.send("c0");
    return seen.includes("c0");
  });
  seen.length = 0;
  for (const topic of ["a1", "b1", "d1", "c1"]) pub.send(topic);
  await eventually(() => seen.includes("c1"));
  assert.equal(
    seen.filter((text) => text.endsWith("1")),
    ["a1", "b1", "c1"],
  );
  assert.throws(() => pub.subscribe("a"), "Subscriber socket required");
  assert.throws(() => make("xsub").unsubscribe("a"), "Subscriber socket required");
});

it("reports receive timeouts, without keeping others from their turn", async () => {
  const pull = make("pull");
  pull.setsockopt(zmq.ZMQ_RCVTIMEO, 0).bindSync(ANY);
  let failed = 0;
  pull.on("error", (error) => {
    assert.is(error.code, "EAGAIN");
    failed++;
  });
  const push = make("push");
  push.connect(pull.last_endpoint);
  const seen = collect(pull);
  // The read that was begun before the timeout was set ends with a message.
  push.send("x");
  await eventually(() => seen.length === 1 && failed > 2);
  push.send("y");
  await eventually(() => seen.length === 2);
});

it("monitors with a value, an address and an error", async () => {
  const rep = make("rep");
  const req = make("req");
  const told: unknown[][] = [];
  for (const name of ["listen", "accept", "disconnect", "close", "bind_error"]) {
    rep.on(name, (...given) => told.push([name, ...given]));
  }
  assert.is(rep.monitor(), rep);
  rep.monitor();
  rep.bindSync(ANY);
  const address = rep.last_endpoint;
  req.monitor();
  req.connect(address);
  await once(req, "connect");
  await eventually(() => told.length === 2);
  req.close();
  await eventually(() => told.length === 3);
  assert.equal(
    told,
    ["listen", "accept", "disconnect"].map((name) => [name, undefined, address, undefined]),
  );
  assert.throws(() => rep.bindSync(address));
  await eventually(() => told.length === 4);
  const [name, value, place, error] = told[3];
  assert.equal([name, value, `tcp://${place}`], ["bind_error", 98, address]);
  assert.is((error as NodeJS.ErrnoException).code, "EADDRINUSE");
  assert.is(rep.unmonitor(), rep);
  rep.unbindSync(address);
  assert.ok(await holds(() => told.length === 4));
  rep.monitor().bindSync(ANY);
  await eventually(() => told.length === 5);
});

it("tells how long the next attempt to connect is away", async () => {
  const req = make("req", { linger: 0 });
  req.monitor().connect("tcp://127.0.0.1:1");
  const [interval, address, error] = await once(req, "connect_retry");
  assert.type(interval, "number");
  assert.equal([address, error], ["tcp://127.0.0.1:1", undefined]);
});

it("refuses what a closed socket cannot do", () => {
  const socket = make("pull");
  socket.close();
  for (const method of ["bind", "unbind", "connect", "disconnect", "bindSync", "unbindSync"]) {
    assert.throws(
      () => socket[method](ANY),
      (error: NodeJS.ErrnoException) => error.code === "EBADF",
    );
  }
  assert.throws(
    () => socket.linger,
    (error: NodeJS.ErrnoException) => error.code === "ENOTSOCK",
  );
  socket.pause();
  socket.resume();
});

it("is not collected while it receives, though nothing refers to it", async () => {
  const seen: string[] = [];
  const address = (() => {
    const socket = zmq.socket("pull");
    socket.bindSync(ANY);
    socket.on("message", (text: Buffer) => {
      seen.push(`${text}`);
      socket.close();
    });
    return socket.last_endpoint;
  })();
  await collectGarbage();
  make("push").connect(address).send("x");
  await eventually(() => seen.length === 1);
});

it.run();

import { existsSync } from "node:fs";
import { Dealer, Publisher, Pull, Push, Reply, Request, Router, Socket, Stream, Subscriber } from "../../src/index.ts";
import { rejected, Sockets, TRANSPORTS, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { collectGarbage, eventually, turn } from "../helpers/wait.ts";

const it = suite("socket/socket");
const sockets = new Sockets(it);

type Loose = Record<string, (...args: unknown[]) => unknown>;

const TYPES = [Push, Pull, Publisher, Subscriber, Request, Reply] as const;
const CONNECT_ROUTING_ID = 61;
const BLOCKED = "Socket is blocked by a bind or unbind operation";

it("a new socket is open, without endpoints", () => {
  for (const Type of TYPES) {
    const socket = sockets.own(new Type());
    assert.is(socket.closed, false);
    assert.is(socket.readable, false);
    assert.is(socket.writable, Type === Publisher);
    assert.is(socket.lastEndpoint, null);
    assert.is(socket.linger, Type === Subscriber ? 0 : -1);
    assert.instance(socket, Socket);
  }
});

for (const transport of TRANSPORTS) {
  for (const Type of [Router, Stream]) {
    if (Type === Stream && transport !== "tcp") continue;
    it(`a connect() that throws has changed nothing (${Type.name}, ${transport})`, async () => {
      const dealer = sockets.own(new Dealer());
      const address = await sockets.bound(dealer, transport);
      const other = sockets.own(new Pull());
      const elsewhere = await sockets.bound(other, transport);
      const socket = sockets.own(new Type({ linger: 0 }));
      socket.connect(address, { routingId: "taken" });
      assert.is(thrown(() => socket.connect(elsewhere, { routingId: "taken" })).code, "EADDRINUSE");
      assert.is(socket.lastEndpoint, address);
      assert.is(thrown(() => socket.disconnect(elsewhere)).code, "ENOENT");

      socket.setStringOption(CONNECT_ROUTING_ID, "taken");
      for (const wrong of [elsewhere, "tcp://nowhere", "no address"]) {
        assert.ok(["EADDRINUSE", "EINVAL"].includes(thrown(() => socket.connect(wrong)).code as string));
        assert.is(socket.lastEndpoint, address);
        assert.is(thrown(() => socket.disconnect(elsewhere)).code, "ENOENT");
      }
      // The id is still the next connection's: it throws until it is free, and is used up then.
      socket.disconnect(address);
      socket.connect(address);
      assert.is(thrown(() => socket.connect(address, { routingId: "taken" })).code, "EADDRINUSE");
      socket.connect(address);
      assert.is(socket.lastEndpoint, address);
    });
  }

  if (transport === "inproc") continue;
  it(`a connect, bind or bindSync that security forbids has changed nothing (${transport})`, async () => {
    const address = await sockets.bound(sockets.own(new Dealer()), transport);
    const router = sockets.own(new Router({ linger: 0, mandatory: true }));
    router.connect(address, { routingId: "first" });
    router.setStringOption(CONNECT_ROUTING_ID, "second");
    router.plainServer = true;
    router.zapEnforceDomain = true;
    const elsewhere = sockets.address(transport);
    const refused = [
      thrown(() => router.connect(address)),
      thrown(() => router.connect(address, { routingId: "third" })),
      thrown(() => router.bindSync(elsewhere)),
      await rejected(() => router.bind(elsewhere)),
    ];
    assert.equal(
      refused.map(({ code }) => code),
      ["EINVAL", "EINVAL", "EINVAL", "EINVAL"],
    );
    assert.is(router.lastEndpoint, address);
    assert.is(thrown(() => router.unbindSync(elsewhere)).code, "ENOENT");
    if (transport === "ipc") assert.is(existsSync(elsewhere.slice("ipc://".length)), false);
    router.plainServer = false;
    router.zapEnforceDomain = false;
    // Both ids may be given, and the one by number was not used up.
    router.connect(address, { routingId: "third" });
    router.connect(address);
    for (const id of ["first", "second", "third"]) await router.send([id, "x"]);
  });
}

for (const transport of ["tcp", "inproc"] as const) {
  for (const isBound of [false, true]) {
    it(`a bind or bindSync of an address in use changes nothing (${transport}, bound before: ${isBound})`, async () => {
      const push = sockets.own(new Push());
      const address = await sockets.bound(push, transport);
      const pull = sockets.own(new Pull());
      const before = isBound ? await sockets.bound(pull, transport) : null;
      assert.is(thrown(() => pull.bindSync(address)).code, "EADDRINUSE");
      assert.is((await rejected(() => pull.bind(address))).code, "EADDRINUSE");
      assert.is(pull.lastEndpoint, before);
      assert.is(thrown(() => pull.unbindSync(address)).code, "ENOENT");
      // Who has it is still there.
      pull.connect(address);
      await push.send("x");
      assert.is(String((await pull.receive())[0]), "x");
    });
  }
}

it("has the number of its type", () => {
  assert.equal(
    TYPES.map((Type) => sockets.own(new Type()).type),
    [8, 7, 1, 2, 3, 4],
  );
});

it("has the methods of its type only", () => {
  const has = (Type: (typeof TYPES)[number]): string =>
    ["send", "sendMany", "receive", "receiveMany", "subscribe", "join"].filter((name) => name in Type.prototype).join();
  assert.equal(TYPES.map(has), [
    "send,sendMany",
    "receive,receiveMany",
    "send,sendMany",
    "receive,receiveMany,subscribe",
    "send,sendMany,receive,receiveMany",
    "send,sendMany,receive,receiveMany",
  ]);
});

it("takes options when it is made", () => {
  const push = sockets.own(new Push({ sendHighWaterMark: 3, linger: 7 }));
  assert.is(push.sendHighWaterMark, 3);
  assert.is(push.linger, 7);
});

it("is sealed, and says so in V8's words", () => {
  const push = sockets.own(new Push());
  assert.ok(Object.isSealed(push));
  assert.equal(Object.keys(push), []);
  const set = (name: string): string => thrown(() => Object.assign(push, { [name]: 1 })).message;
  assert.is(set("foo"), "Cannot add property foo, object is not extensible");
  assert.is(set("receiveTimeout"), "Cannot add property receiveTimeout, object is not extensible");
  for (const name of ["closed", "context", "events", "lastEndpoint", "readable", "type", "writable"]) {
    assert.is(set(name), `Cannot set property ${name} of #<Socket> which has only a getter`);
  }
  assert.throws(() => new Push({ foo: 1 } as object), /Cannot add property foo, object is not extensible/);
});

it("checks what it is made with", () => {
  const Base = Socket as unknown as new (...args: unknown[]) => Socket;
  const Loose = Push as unknown as new (...args: unknown[]) => Push;
  assert.is(thrown(() => new Base()).message, "Socket type must be a number");
  assert.is(thrown(() => new Base("x")).message, "Socket type must be a number");
  assert.is(thrown(() => new Base(999)).code, "EINVAL");
  assert.is(thrown(() => new Base(-1)).code, "EINVAL");
  for (const options of [null, 1, "x"]) {
    assert.is(thrown(() => new Loose(options)).message, "Options must be an object");
    assert.is(thrown(() => new Base(8, options)).message, "Options must be an object");
  }
  assert.is(thrown(() => new Push({ linger: -5 })).code, "EINVAL");
});

it("checks the arguments of its methods", async () => {
  const push = sockets.own(new Push()) as unknown as Loose;
  const pull = sockets.own(new Pull()) as unknown as Loose;
  for (const name of ["bind", "bindSync", "unbind", "unbindSync", "connect", "disconnect"]) {
    const call = (...args: unknown[]): string => thrown(() => push[name](...args)).message;
    assert.is(call(), "Address must be a string", name);
    assert.is(call(1), "Address must be a string", name);
    assert.is(call("tcp://127.0.0.1:1", "x"), "Expected 1 argument but received 2", name);
  }
  assert.is(thrown(() => push.send()).message, "Message must be present");
  assert.is(thrown(() => push.send("a", "b")).message, "Expected 1 argument but received 2");
  assert.is(thrown(() => pull.receive(1)).message, "Expected 0 arguments but received 1");
  assert.is(thrown(() => push.close(1)).message, "Expected 0 arguments but received 1");
});

it("after close every method throws EBADF, and options ENOTSOCK", async () => {
  for (const Type of TYPES) {
    const socket = new Type();
    socket.close();
    socket.close();
    assert.is(socket.closed, true);
    assert.is(socket.readable, false);
    assert.is(socket.writable, false);
    assert.is(socket.context, undefined);
    const loose = socket as unknown as Loose;
    for (const name of ["bind", "bindSync", "unbind", "unbindSync", "connect", "disconnect"]) {
      const error = thrown(() => loose[name]("tcp://127.0.0.1:1"));
      assert.is(error.code, "EBADF", name);
      assert.is(error.message, "Socket is closed");
    }
    if ("send" in socket) assert.is(thrown(() => loose.send("x")).code, "EBADF");
    if ("receive" in socket) {
      assert.is(thrown(() => loose.receive()).code, "EBADF");
      assert.equal(await socket[Symbol.asyncIterator]().next(), { value: undefined, done: true });
    }
    if ("subscribe" in socket) {
      assert.is(thrown(() => socket.subscribe("x")).code, "ENOTSOCK");
      assert.is(thrown(() => socket.unsubscribe("x")).code, "ENOTSOCK");
    }
    for (const use of [
      () => socket.linger,
      () => socket.type,
      () => socket.lastEndpoint,
      () => socket.events,
      () => socket.getInt32Option(17),
      () => {
        socket.linger = 1;
      },
    ]) {
      const error = thrown(use);
      assert.is(error.code, "ENOTSOCK", String(use));
      assert.is(error.message, "Socket operation on non-socket");
    }
  }
});

for (const transport of TRANSPORTS) {
  it(`is blocked while it binds and unbinds (${transport})`, async () => {
    const push = sockets.own(new Push());
    const check = (): void => {
      for (const use of [
        () => push.bind("tcp://127.0.0.1:*"),
        () => push.bindSync("tcp://127.0.0.1:*"),
        () => push.unbind("tcp://127.0.0.1:1"),
        () => push.unbindSync("tcp://127.0.0.1:1"),
        () => push.connect("tcp://127.0.0.1:1"),
        () => push.disconnect("tcp://127.0.0.1:1"),
        () => push.send("x"),
        () => push.sendMany(["x"]),
      ]) {
        const error = thrown(use);
        assert.is(error.code, "EBUSY", String(use));
        assert.is(error.message, BLOCKED);
      }
      push.linger = 10;
      assert.is(push.linger, 10);
      assert.is(push.closed, false);
    };
    const binding = push.bind(sockets.address(transport));
    check();
    await binding;
    const unbinding = push.unbind(push.lastEndpoint as string);
    check();
    await unbinding;
    push.connect("tcp://127.0.0.1:1");
  });

  it(`closes when the bind or unbind under way has ended (${transport})`, async () => {
    const first = new Pull();
    const binding = first.bind(sockets.address(transport));
    first.close();
    assert.is(first.closed, false);
    await binding;
    assert.is(first.closed, true);

    const second = new Pull();
    await sockets.bound(second, transport);
    const unbinding = second.unbind(second.lastEndpoint as string);
    second.close();
    assert.is(second.closed, false);
    await unbinding;
    assert.is(second.closed, true);
  });

  it(`the same address can be bound again after unbind (${transport})`, async () => {
    const pull = sockets.own(new Pull());
    const address = await sockets.bound(pull, transport);
    await pull.unbind(address);
    assert.is(pull.lastEndpoint, address);
    await sockets.own(new Pull()).bind(address);
  });

  it(`bindSync and unbindSync take effect at once (${transport})`, () => {
    const pull = sockets.own(new Pull());
    pull.bindSync(sockets.address(transport));
    const address = pull.lastEndpoint as string;
    pull.unbindSync(address);
    const other = sockets.own(new Pull());
    other.bindSync(address);
    assert.is(other.lastEndpoint, address);
    assert.is(thrown(() => pull.unbindSync(address)).code, "ENOENT");
  });

  it(`bind twice is EADDRINUSE, except that ipc takes over (${transport})`, async () => {
    const address = await sockets.bound(sockets.own(new Pull()), transport);
    const second = sockets.own(new Pull());
    if (transport === "ipc") {
      await second.bind(address);
      return;
    }
    const error = await rejected(() => second.bind(address));
    assert.is(error.code, "EADDRINUSE");
    assert.is(error.message, "Address already in use");
    assert.is(error.address, address);
    assert.is(thrown(() => second.bindSync(address)).code, "EADDRINUSE");
    assert.is(second.lastEndpoint, null);
  });
}

it("a bind that fails blocks no less", async () => {
  const pull = sockets.own(new Pull());
  const binding = pull.bind("foo");
  assert.is(thrown(() => pull.receive()).message, BLOCKED);
  pull.close();
  assert.is(pull.closed, false);
  assert.is((await rejected(() => binding)).code, "EINVAL");
  assert.is(pull.closed, true);
});

it("a receive that waits goes on while the socket binds", async () => {
  const pull = sockets.own(new Pull());
  const push = sockets.own(new Push());
  const receiving = pull.receive();
  push.connect(await sockets.bound(pull, "tcp"));
  await push.send("x");
  assert.is(String(await receiving), "x");
});

it("addresses that cannot be bound or connected", async () => {
  const pull = sockets.own(new Pull());
  for (const [address, code] of [
    ["", "EINVAL"],
    ["foo", "EINVAL"],
    ["inproc://", "EINVAL"],
    ["tcp://127.0.0.1", "EINVAL"],
    ["xyz://a", "EPROTONOSUPPORT"],
    ["TCP://127.0.0.1:1", "EPROTONOSUPPORT"],
    ["udp://127.0.0.1:5555", "ENOCOMPATPROTO"],
  ] as const) {
    const bound = await rejected(() => pull.bind(address));
    assert.is(bound.code, code, `bind ${address}`);
    assert.is(bound.address, address);
    const connected = thrown(() => pull.connect(address));
    assert.is(connected.code, code, `connect ${address}`);
    assert.is(connected.address, address);
    assert.is(thrown(() => pull.bindSync(address)).code, code, `bindSync ${address}`);
  }
  assert.is(pull.lastEndpoint, null);
});

it("unbind and disconnect of what is not there: ENOENT, or what is wrong with the address", async () => {
  const pull = sockets.own(new Pull());
  await pull.bind("tcp://127.0.0.1:*");
  for (const [address, code] of [
    ["tcp://127.0.0.1:*", "ENOENT"],
    ["tcp://127.0.0.1:1", "ENOENT"],
    ["inproc://nowhere", "ENOENT"],
    ["ipc:///nowhere", "ENOENT"],
    ["", "EINVAL"],
    ["foo", "EINVAL"],
    ["xyz://a", "EPROTONOSUPPORT"],
  ] as const) {
    const error = await rejected(() => pull.unbind(address));
    assert.is(error.code, code, address);
    assert.is(error.address, address);
    assert.is(thrown(() => pull.unbindSync(address)).code, code, address);
    assert.is(thrown(() => pull.disconnect(address)).code, code, address);
  }
});

it("unbind and disconnect each end an endpoint of the other kind when there is none of their own", async () => {
  const pull = sockets.own(new Pull());
  await pull.bind("tcp://127.0.0.1:*");
  const address = pull.lastEndpoint as string;
  pull.disconnect(address);
  assert.is(thrown(() => pull.disconnect(address)).code, "ENOENT");
  pull.connect("tcp://127.0.0.1:1");
  await pull.unbind("tcp://127.0.0.1:1");
  assert.is((await rejected(() => pull.unbind("tcp://127.0.0.1:1"))).code, "ENOENT");
});

it("lastEndpoint is the last address, whatever became of it", async () => {
  const pull = sockets.own(new Pull());
  await pull.bind("tcp://127.0.0.1:*");
  const bound = pull.lastEndpoint as string;
  assert.match(bound, /^tcp:\/\/127\.0\.0\.1:\d+$/);
  await pull.unbind(bound);
  assert.is(pull.lastEndpoint, bound);
  pull.connect("tcp://localhost:9");
  assert.is(pull.lastEndpoint, "tcp://localhost:9");
  pull.disconnect("tcp://localhost:9");
  assert.is(pull.lastEndpoint, "tcp://localhost:9");
  await pull.bind("inproc://last");
  assert.is(pull.lastEndpoint, "inproc://last");
});

it("warns of options that wait for the next endpoint", async () => {
  const warnings: string[] = [];
  const note = (warning: Error): void => {
    warnings.push(warning.message);
  };
  process.on("warning", note);
  const count = async (body: () => void): Promise<number> => {
    warnings.length = 0;
    body();
    await turn();
    return warnings.filter((text) => text === "Socket option will not take effect until next connect/bind.").length;
  };
  const push = sockets.own(new Push());
  const set = (): void => {
    push.backlog = 7;
  };
  assert.is(await count(set), 0);
  const binding = push.bind("tcp://127.0.0.1:*");
  assert.is(await count(set), 1);
  await binding;
  assert.is(await count(set), 1);
  assert.is(push.backlog, 7);
  assert.is(
    await count(() => {
      push.linger = 3;
      push.sendHighWaterMark = 3;
      push.sendTimeout = 3;
    }),
    0,
  );
  await push.unbind(push.lastEndpoint as string);
  assert.is(await count(set), 0);
  push.connect("tcp://127.0.0.1:1");
  assert.is(await count(set), 1);
  push.disconnect("tcp://127.0.0.1:1");
  process.off("warning", note);
});

it("a socket that its program drops is collected, and its port is free then", async () => {
  const { ref, address } = await (async () => {
    const pull = new Pull();
    const address = await sockets.bound(pull, "tcp");
    return { ref: new WeakRef(pull), address };
  })();
  const other = sockets.own(new Pull());
  await eventually(async () => {
    await collectGarbage();
    if (ref.deref() !== undefined) return false;
    return other.bind(address).then(
      () => true,
      () => false,
    );
  });
});

for (const [what, watch] of [
  [
    "a pending events.receive()",
    (pull: Pull, seen: string[]) => pull.events.receive().then(({ type }) => seen.push(type)),
  ],
  ["a listener", (pull: Pull, seen: string[]) => pull.events.on("accept", ({ type }) => seen.push(type))],
] as const) {
  it(`one with ${what} is not, until that ends`, async () => {
    const seen: string[] = [];
    const { ref, address } = await (async () => {
      const pull = new Pull();
      const address = await sockets.bound(pull, "tcp");
      watch(pull, seen);
      return { ref: new WeakRef(pull), address };
    })();
    await collectGarbage();
    assert.ok(ref.deref());
    sockets.own(new Push()).connect(address);
    await eventually(() => seen[0] === "accept");
    ref.deref()?.events.close();
    await eventually(async () => {
      await collectGarbage();
      return ref.deref() === undefined;
    });
  });
}

it("one with a pending operation is not", async () => {
  const push = sockets.own(new Push());
  const { ref, receiving } = await (async () => {
    const pull = new Pull();
    await sockets.join(pull, push, "tcp");
    return { ref: new WeakRef(pull), receiving: pull.receive() };
  })();
  await collectGarbage();
  assert.ok(ref.deref());
  await push.send("x");
  assert.is(String(await receiving), "x");
  ref.deref()?.close();
});

it("a class derived from Socket itself: arguments beyond the options are a TypeError, as in the original", () => {
  class Derived extends Socket {
    constructor(...given: unknown[]) {
      super(...(given as [number, object]));
    }
  }
  const derived = new Derived(8, {});
  derived.close();
  for (const extra of [1, undefined, null]) {
    const { name, message } = thrown(() => new Derived(8, {}, extra));
    assert.equal([name, message], ["TypeError", "Expected 2 arguments but received 3"]);
  }
});

it.run();

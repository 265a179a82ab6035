import { coreOf as contextCoreOf } from "../src/context.ts";
import { Context, context, Pull, Push, Socket } from "../src/index.ts";
import { coreOf } from "../src/socket/socket.ts";
import { rejected, Sockets, thrown } from "./helpers/sockets.ts";
import { assert, suite } from "./helpers/test.ts";
import { collectGarbage, eventually, isPending } from "./helpers/wait.ts";

const it = suite("context");
const sockets = new Sockets(it);

type Loose = Record<string, unknown>;

it("has the defaults of the original", () => {
  const fresh = new Context();
  assert.is(fresh.ioThreads, 1);
  assert.is(fresh.maxSockets, 1023);
  assert.is(fresh.maxSocketsLimit, 65535);
  assert.is(fresh.maxMessageSize, 2147483647);
  assert.is(fresh.ipv6, false);
  assert.is(fresh.blocky, true);
});

it("options without a getter read as undefined", () => {
  const fresh = new Context();
  fresh.threadPriority = 1;
  fresh.threadSchedulingPolicy = 1;
  assert.is(fresh.threadPriority, undefined);
  assert.is(fresh.threadSchedulingPolicy, undefined);
});

it("takes options when it is made", () => {
  const made = new Context({ maxSockets: 3, blocky: false });
  assert.is(made.maxSockets, 3);
  assert.is(made.blocky, false);
});

it("is sealed", () => {
  const fresh = new Context() as unknown as Loose;
  assert.ok(Object.isSealed(fresh));
  assert.equal(
    thrown(() => Object.assign(fresh, { foo: 1 })),
    {
      name: "TypeError",
      code: undefined,
      message: "Cannot add property foo, object is not extensible",
      address: undefined,
    },
  );
  assert.is(
    thrown(() => Object.assign(fresh, { maxSocketsLimit: 1 })).message,
    "Cannot set property maxSocketsLimit of #<Context> which has only a getter",
  );
  assert.throws(() => new Context({ foo: 1 } as object), /Cannot add property foo/);
});

it("refuses values of a wrong type or range", () => {
  const fresh = new Context() as unknown as Loose;
  for (const [name, value] of [
    ["ioThreads", -1],
    ["maxSockets", 0],
    ["maxSockets", -1],
    ["maxMessageSize", -1],
    ["threadPriority", -1],
  ] as const) {
    assert.is(thrown(() => Object.assign(fresh, { [name]: value })).code, "EINVAL", name);
  }
  assert.is(thrown(() => Object.assign(fresh, { ioThreads: "1" })).message, "Option value must be a number");
  assert.is(thrown(() => Object.assign(fresh, { ipv6: 1 })).message, "Option value must be a boolean");
});

it("checks what it is made with", () => {
  const Loose = Context as unknown as new (...args: unknown[]) => Context;
  for (const options of [null, 1, "x"]) {
    assert.is(thrown(() => new Loose(options)).message, "Options must be an object");
  }
  assert.is(thrown(() => new Loose({}, 1)).message, "Expected 1 argument but received 2");
});

it("reads and writes options by number, for classes derived from it", () => {
  class Derived extends Context {
    numbers(): unknown[] {
      this.setInt32Option(2, 5);
      this.setBoolOption(70, false);
      return [this.getInt32Option(2), this.getBoolOption(70), this.maxSockets, this.blocky];
    }

    unknown(): number {
      return this.getInt32Option(999);
    }
  }
  const derived = new Derived();
  assert.equal(derived.numbers(), [5, false, 5, false]);
  assert.is(thrown(() => derived.unknown()).code, "EINVAL");
});

it("there is one for sockets that are made without", () => {
  assert.instance(context, Context);
  assert.is(sockets.own(new Push()).context, context);
  assert.is(sockets.own(new Push({ context: undefined })).context, context);
});

it("sockets are made in the one that they are given, and the caller's object stays as it is", () => {
  const own = new Context();
  const options = { context: own, linger: 0 };
  const push = sockets.own(new Push(options));
  assert.is(push.context, own);
  assert.equal(Object.keys(options), ["context", "linger"]);
});

it("a class of one's own gets its context as well", () => {
  class Derived extends Socket {
    constructor(options?: object) {
      super(1, options);
    }
  }
  const own = new Context();
  assert.is(sockets.own(new Derived()).context, context);
  const derived = sockets.own(new Derived({ context: own }));
  assert.is(derived.context, own);
  assert.is(derived.type, 1);
});

it("something else is no context", () => {
  for (const value of [1, null, {}, "x"]) {
    assert.throws(() => new Push({ context: value as unknown as Context }), /context/i);
  }
});

it("limits the number of open sockets (EMFILE)", () => {
  const small = new Context({ maxSockets: 1 });
  const first = sockets.own(new Push({ context: small }));
  const error = thrown(() => new Push({ context: small }));
  assert.is(error.code, "EMFILE");
  assert.is(error.message, "Too many open file descriptors");
  first.close();
  sockets.own(new Push({ context: small }));
});

it("a socket that could not be made does not count", () => {
  const small = new Context({ maxSockets: 1 });
  assert.throws(() => new Push({ context: small, foo: 1 } as object), /Cannot add property foo/);
  assert.throws(() => new Push({ context: small, linger: -5 }));
  sockets.own(new Push({ context: small }));
});

it("its options are the defaults of its sockets", () => {
  const own = new Context({ blocky: false, ipv6: true });
  const push = sockets.own(new Push({ context: own }));
  assert.is(push.linger, 0);
  assert.is(push.ipv6, true);
  assert.is(sockets.own(new Push()).linger, -1);
});

it("keeps inproc names apart", async () => {
  const push = sockets.own(new Push({ context: new Context() }));
  const pull = sockets.own(new Pull());
  await sockets.join(pull, push);
  await push.send("elsewhere");
  assert.ok(await isPending(pull.receive()));
});

it("many contexts with sockets are no leak of listeners", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => {
    warnings.push(warning);
  };
  process.on("warning", note);
  for (let i = 0; i < 20; i++) sockets.own(new Push({ context: new Context() }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("warning", note);
  assert.equal(warnings, []);
});

it("is collected when its sockets are closed", async () => {
  const refs = await (async () => {
    const own = new Context();
    const pull = new Pull({ context: own });
    const push = new Push({ context: own });
    await pull.bind("inproc://here");
    push.connect("inproc://here");
    await pull.bind("tcp://127.0.0.1:*");
    await push.send("x");
    await pull.receive();
    push.close();
    pull.close();
    return [own, contextCoreOf(own), push, coreOf(push), pull, coreOf(pull)].map((held) => new WeakRef<object>(held));
  })();
  await eventually(async () => {
    await collectGarbage();
    return refs.every((ref) => ref.deref() === undefined);
  });
});

it("lives while a socket of it is open", async () => {
  const { push, ref } = (() => {
    const own = new Context({ maxSockets: 7 });
    return { push: sockets.own(new Push({ context: own })), ref: new WeakRef(own) };
  })();
  await collectGarbage();
  assert.is(ref.deref(), push.context);
  assert.is(push.context.maxSockets, 7);
});

it("a bind that fails leaves nothing behind", async () => {
  const own = new Context({ maxSockets: 1 });
  const push = sockets.own(new Push({ context: own }));
  assert.is((await rejected(() => push.bind("foo"))).code, "EINVAL");
  push.close();
  sockets.own(new Push({ context: own }));
});

it.run();

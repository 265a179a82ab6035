/**
 * Tests of programs fake timers (Jest, Vitest, sinon, node:test), and what they fake never comes until they say so. The
 * sockets of the program go on all the same.
 */

import { connect } from "node:net";
import { mock } from "node:test";
import timers from "node:timers";
import { Dealer, Proxy, Publisher, Pull, Push, Reply, Request, Router, type Socket, Subscriber } from "zmtp";
import { IS_NODE } from "../../src/base/runtime.ts";
import { createSocket } from "../../src/v5-compat.ts";
import { Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("lifecycle/faked-timers");
const sockets = new Sockets(it);

const realSetTimeout = setTimeout;
const realSetImmediate = setImmediate;

/** Below the limit of a test: the real ones have to be back when it ends. */
const LIMIT_MS = 8000;

type Fakeable = Record<string, unknown>;

/** What fake-timers replace, and where. A call of one of them comes to nothing. */
const FAKED: [object, string[]][] = [
  [
    globalThis,
    ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate", "queueMicrotask"],
  ],
  [timers, ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate"]],
  // The networks of Bun and Deno themselves stand still without it.
  [process, IS_NODE ? ["nextTick", "hrtime"] : ["hrtime"]],
  [performance, ["now"]],
  [Date, ["now"]],
];

/** Does `act` while everything is faked; `answer` is what the faked ones return. */
async function faked(act: () => Promise<void>, answer: unknown = { unref() {}, ref() {} }): Promise<void> {
  const restore: (() => void)[] = [];
  for (const [holder, names] of FAKED) {
    for (const name of names) {
      const own = Object.getOwnPropertyDescriptor(holder, name);
      // A module's exports stand still in some runtimes.
      if (own !== undefined && !own.configurable && !own.writable) continue;
      const value = name === "now" ? () => 0 : () => answer;
      if (own !== undefined && !own.configurable) (holder as Fakeable)[name] = value;
      else Object.defineProperty(holder, name, { configurable: true, writable: true, value });
      restore.push(() => {
        if (own === undefined) Reflect.deleteProperty(holder, name);
        else if (own.configurable) Object.defineProperty(holder, name, own);
        else (holder as Fakeable)[name] = own.value;
      });
    }
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = realSetTimeout(() => reject(new Error("nothing goes on")), LIMIT_MS);
  });
  try {
    await Promise.race([act(), late]);
  } finally {
    for (const each of restore) each();
    clearTimeout(timer);
  }
}

/** A question and its answer. */
async function ask(request: Request, reply: Reply): Promise<void> {
  await request.send("question");
  assert.equal(String(await reply.receive()), "question");
  await reply.send("answer");
  assert.equal(String(await request.receive()), "answer");
}

for (const transport of TRANSPORTS) {
  it(`sockets bind, connect, speak and close while timers are faked, and go on after it (${transport})`, async () => {
    const reply = sockets.own(new Reply());
    const request = sockets.own(new Request());
    await faked(async () => {
      const address = sockets.address(transport);
      await reply.bind(address);
      request.connect(reply.lastEndpoint as string);
      for (let i = 0; i < 3; i++) await ask(request, reply);
    });
    for (let i = 0; i < 3; i++) await ask(request, reply);
    await faked(async () => {
      await reply.unbind(reply.lastEndpoint as string);
      reply.close();
      request.close();
      assert.ok(reply.closed && request.closed);
    });
  });

  it(`batches, events, subscriptions, a proxy and version 5 go on while timers are faked (${transport})`, async () => {
    await faked(async () => {
      const own = <S extends Socket>(socket: S): S => sockets.own(socket);
      const pull = own(new Pull());
      const push = own(new Push());
      const listening = transport === "inproc" ? undefined : pull.events.receive();
      await pull.bind(sockets.address(transport));
      if (listening !== undefined) assert.is((await listening).type, "bind");
      push.connect(pull.lastEndpoint as string);
      const batch = pull.receiveMany();
      await push.sendMany(["1", "2", "3"]);
      let got = (await batch).length;
      while (got < 3) got += (await pull.receiveMany()).length;

      const publisher = own(new Publisher());
      const subscriber = own(new Subscriber());
      await subscriber.bind(sockets.address(transport));
      subscriber.subscribe("");
      publisher.connect(subscriber.lastEndpoint as string);
      const news = subscriber.receive();
      let isHere = false;
      news.then(() => {
        isHere = true;
      });
      while (!isHere) {
        await publisher.send("news");
        await new Promise((resolve) => realSetImmediate(resolve));
      }

      const proxy = new Proxy(own(new Router()), own(new Dealer()));
      await proxy.frontEnd.bind(sockets.address(transport));
      await proxy.backEnd.bind(sockets.address(transport));
      const running = proxy.run();
      const [client, worker] = [own(new Request()), own(new Reply())];
      client.connect(proxy.frontEnd.lastEndpoint as string);
      worker.connect(proxy.backEnd.lastEndpoint as string);
      await ask(client, worker);
      proxy.terminate();
      await running;

      const [source, sink] = [createSocket("push"), createSocket("pull")];
      const address = sockets.address(transport);
      await new Promise<void>((resolve, reject) => sink.bind(address, (error) => (error ? reject(error) : resolve())));
      source.connect(sink.last_endpoint as string);
      const message = new Promise((resolve) => sink.once("message", resolve));
      await new Promise<void>((resolve) => source.send("message", 0, () => resolve()));
      assert.is(String(await message), "message");
      source.close();
      sink.close();
    });
  });
}

it("a setTimeout that returns a number, as in a browser's page, does no harm", async () => {
  await faked(async () => {
    const reply = sockets.own(new Reply({ receiveTimeout: 10_000, heartbeatInterval: 1000 }));
    const request = sockets.own(new Request({ sendTimeout: 10_000, connectTimeout: 10_000 }));
    await reply.bind("tcp://127.0.0.1:*");
    request.connect(reply.lastEndpoint as string);
    await ask(request, reply);
  }, 1);
});

it("time-outs and reconnects come while timers are faked", async () => {
  await faked(async () => {
    const pull = sockets.own(new Pull({ receiveTimeout: 1 }));
    await pull.bind("tcp://127.0.0.1:*");
    const address = pull.lastEndpoint as string;
    const late = await pull.receive().catch((error: NodeJS.ErrnoException) => error.code);
    assert.is(late, "EAGAIN");
    const push = sockets.own(new Push({ reconnectInterval: 1, sendTimeout: 1 }));
    pull.close();
    push.connect(address);
    const unsent = await push.send("").catch((error: NodeJS.ErrnoException) => error.code);
    assert.is(unsent, undefined, "it waits for the connection, within the mark");
    const second = sockets.own(new Pull());
    await second.bind(address);
    assert.equal(String(await second.receive()), "");
    // The loss of a connection is noticed, too.
    second.close();
    const third = sockets.own(new Pull());
    await third.bind(address);
    const got = third.receive();
    let isThere = false;
    got.then(() => {
      isThere = true;
    });
    while (!isThere) {
      push.sendTimeout = 0;
      await push.send("again").catch(() => {});
      await new Promise((resolve) => realSetImmediate(resolve));
    }
    assert.equal(String(await got), "again");
  });
});

it("a peer that says nothing is given up while timers and the time are faked", async () => {
  const pull = sockets.own(new Pull({ handshakeInterval: 20 }));
  await pull.bind("tcp://127.0.0.1:*");
  const silent = connect(Number((pull.lastEndpoint as string).split(":").at(-1)), "127.0.0.1").on("error", () => {});
  await faked(async () => {
    for await (const { type } of pull.events) if (type === "disconnect" || type === "handshake:error:other") break;
  });
  silent.destroy();
});

if (typeof mock?.timers?.enable === "function") {
  it("node:test's own mocks do no harm", async () => {
    mock.timers.enable();
    try {
      const reply = sockets.own(new Reply());
      const request = sockets.own(new Request());
      await reply.bind("tcp://127.0.0.1:*");
      request.connect(reply.lastEndpoint as string);
      await ask(request, reply);
    } finally {
      mock.timers.reset();
    }
  });
} else {
  it.skip("node:test's own mocks do no harm", "this runtime has none");
}

it.run();

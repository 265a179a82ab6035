/**
 * Names are looked up one after the other, and what waits for its turn is in nobody's way. The system's resolver is the
 * test's.
 */
import { Publisher, Pull, Push, Request, Subscriber } from "zmtp";
import { internals } from "../../src/transport/resolve.ts";
import { Child } from "../helpers/child.ts";
import { Clock } from "../helpers/clock.ts";
import { rejected, Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turn } from "../helpers/wait.ts";

const it = suite("session/look-ups");
const sockets = new Sockets(it);
const clock = new Clock(it);

const real = internals.lookup;

/** Answers when the test says so. */
class Resolver {
  /** Every name that it was asked for, in order. */
  readonly asked: string[] = [];
  readonly #open: {
    host: string;
    answer: (error: Error | null, found: { address: string; family: number }[]) => void;
  }[] = [];

  constructor() {
    internals.lookup = ((host: string, _options: object, answer: never) => {
      this.asked.push(host);
      this.#open.push({ host, answer });
    }) as never;
  }

  get open(): string[] {
    return this.#open.map(({ host }) => host);
  }

  async next(count: number): Promise<void> {
    await eventually(() => this.asked.length >= count);
  }

  fail(): void {
    this.#open.shift()?.answer(new Error("nobody knows it"), []);
  }

  find(address = "127.0.0.1"): void {
    this.#open.shift()?.answer(null, [{ address, family: 4 }]);
  }
}

let resolver: Resolver;
it.beforeEach(() => {
  resolver = new Resolver();
});
it.afterEach(async () => {
  sockets.closeAll();
  while (resolver.open.length > 0) resolver.fail();
  internals.lookup = real;
  await turn();
});

let names = 0;
/** A name that was never looked up before. */
const fresh = (): string => `name-${++names}.invalid`;

it("one name is looked up at a time, and names that failed last come behind the others", async () => {
  const [bad, worse, good] = [fresh(), fresh(), fresh()];
  const pull = sockets.own(new Pull());
  await pull.bind("tcp://127.0.0.1:*");
  const port = new URL((pull.lastEndpoint as string).replace("tcp", "http")).port;
  const push = sockets.own(new Push({ reconnectInterval: 1 }));
  for (const host of [bad, worse]) push.connect(`tcp://${host}:${port}`);
  const failed = push.events;
  let retries = 0;
  failed.on("connect:retry", () => {
    retries++;
  });
  await resolver.next(1);
  assert.equal(resolver.open, [bad]);
  resolver.fail();
  await resolver.next(2);
  assert.equal(resolver.open, [worse]);
  // The first asks again while the second is looked up; the one that comes now passes it by.
  await eventually(() => retries === 1);
  const other = sockets.own(new Push({ reconnectInterval: 1 }));
  other.connect(`tcp://${good}:${port}`);
  await turn();
  assert.equal(resolver.open, [worse]);
  resolver.fail();
  await resolver.next(3);
  assert.equal(resolver.open, [good]);
  await other.send("x");
  resolver.find();
  assert.equal(String(await pull.receive()), "x");
  await resolver.next(4);
  assert.equal(resolver.open, [bad]);
});

it("sockets that ask for the same name share a look-up", async () => {
  const host = fresh();
  const pull = sockets.own(new Pull());
  await pull.bind("tcp://127.0.0.1:*");
  const port = new URL((pull.lastEndpoint as string).replace("tcp", "http")).port;
  for (let i = 0; i < 5; i++) {
    const push = sockets.own(new Push());
    push.connect(`tcp://${host}:${port}`);
    await push.send("x");
  }
  await resolver.next(1);
  resolver.find();
  for (let i = 0; i < 5; i++) await pull.receive();
  assert.equal(resolver.asked, [host]);
});

it("names of bind and socksProxy wait in the same queue; literals, localhost and ipc never do", async () => {
  const [slow, bound, proxy] = [fresh(), fresh(), fresh()];
  const waiting = sockets.own(new Subscriber());
  waiting.connect(`tcp://${slow}:1`);
  await resolver.next(1);
  const late = sockets.own(new Pull());
  const binding = late.bind(`tcp://${bound}:*`);
  const proxied = sockets.own(new Push({ socksProxy: `${proxy}:1080`, reconnectInterval: -1 }));
  proxied.connect("tcp://peer.invalid:1");
  for (const host of ["127.0.0.1", "localhost", "LOCALHOST", "[::ffff:127.0.0.1]"]) {
    const pull = sockets.own(new Pull());
    await pull.bind(host.startsWith("[") ? "tcp://127.0.0.1:*" : `tcp://${host}:*`);
    const push = sockets.own(new Push());
    push.connect((pull.lastEndpoint as string).replace("127.0.0.1", host));
    await push.send("x");
    await pull.receive();
  }
  const [reply, request] = [sockets.own(new Pull()), sockets.own(new Push())];
  await sockets.join(reply, request, "ipc");
  await request.send("x");
  await reply.receive();
  assert.equal(resolver.asked, [slow]);
  resolver.fail();
  await resolver.next(2);
  assert.equal(resolver.open, [bound]);
  resolver.find();
  await binding;
  assert.match(late.lastEndpoint as string, /^tcp:\/\/127\.0\.0\.1:\d+$/);
  await resolver.next(3);
  assert.equal(resolver.open, [proxy]);
});

it("no look-up begins for sockets that were closed, and a bind that waits for one ends", async () => {
  const hosts = Array.from({ length: 6 }, fresh);
  const first = sockets.own(new Publisher());
  first.connect(`tcp://${hosts[0]}:1`);
  await resolver.next(1);
  const others = hosts.slice(1, 4).map((host) => {
    const socket = sockets.own(new Request());
    socket.connect(`tcp://${host}:1`);
    return socket;
  });
  const bound = sockets.own(new Pull());
  const binding = rejected(() => bound.bind(`tcp://${hosts[4]}:*`));
  for (const socket of [first, ...others, bound]) socket.close();
  assert.is((await binding).code, "EBADF");
  await eventually(() => bound.closed);
  resolver.fail();
  // Whatever waited would come before this one.
  const last = sockets.own(new Publisher());
  last.connect(`tcp://${hosts[5]}:1`);
  await resolver.next(2);
  assert.equal(resolver.asked, [hosts[0], hosts[5]]);
});

it("the time for a connect does not run while its name waits", async () => {
  const [slow, host] = [fresh(), fresh()];
  const pull = sockets.own(new Pull());
  await pull.bind("tcp://127.0.0.1:*");
  clock.stop();
  sockets.own(new Publisher()).connect(`tcp://${slow}:1`);
  const push = sockets.own(new Push({ connectTimeout: 1, reconnectInterval: -1 }));
  push.connect((pull.lastEndpoint as string).replace("127.0.0.1", host));
  let ends = 0;
  push.events.on("close", () => {
    ends++;
  });
  await clock.advance(1000);
  assert.is(ends, 0);
  clock.release();
  resolver.fail();
  await resolver.next(2);
  assert.equal(resolver.asked, [slow, host]);
});

for (const scene of ["closed", "open"]) {
  it(`a process with names that wait ends after the look-up that is under way (its sockets are ${scene})`, async () => {
    const child = new Child(new URL("./look-ups.child.mjs", import.meta.url), scene);
    assert.is(await child.line(), "asked 1");
    assert.is((await child.ended).code, 0);
  });
}

it.run();

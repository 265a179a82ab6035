/** The classic patterns of ZeroMQ's guide, written anew and small. */
import { Dealer, Publisher, Pull, Push, Reply, Request, Router, Subscriber, XPublisher } from "../../src/index.ts";
import { next } from "../helpers/messages.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

const it = suite("patterns/guide");
const sockets = new Sockets(it);

it("lazy pirate: a client that gives a silent server up and asks again with a new socket", async () => {
  let server = sockets.own(new Reply());
  const address = await sockets.bound(server, "tcp");
  // It takes the first request and dies over it.
  void server.receive().then(async () => {
    server.close();
    await eventually(() => tries > 1);
    server = sockets.own(new Reply());
    await eventually(async () => (await server.bind(address).catch((error) => error)) === undefined);
    for await (const [text] of server) await server.send(`done ${text}`);
  });

  let tries = 0;
  const ask = async (text: string): Promise<string> => {
    for (;;) {
      tries++;
      const client = sockets.own(new Request({ receiveTimeout: 80, linger: 0, reconnectInterval: 20 }));
      client.connect(address);
      await client.send(text);
      const reply = await client.receive().catch((error) => assert.is(error.code, "EAGAIN"));
      client.close();
      if (reply !== undefined) return String(reply[0]);
    }
  };
  assert.is(await ask("1"), "done 1");
  assert.is(await ask("2"), "done 2");
});

it("lazy pirate with one socket: relaxed and correlated", async () => {
  const server = sockets.own(new Router());
  const client = sockets.own(new Request({ relaxed: true, correlate: true, receiveTimeout: 50 }));
  await sockets.join(server, client, "tcp");
  await client.send("1");
  const late = await server.receive();
  await client.receive().catch((error) => assert.is(error.code, "EAGAIN"));
  await client.send("2");
  const [id, request, empty] = await server.receive();
  await server.send([...late.slice(0, 3), "late reply to 1"]);
  await server.send([id, request, empty, "reply to 2"]);
  client.receiveTimeout = -1;
  assert.is(await next(client), "reply to 2");
});

it("paranoid pirate: workers that beat, a queue that forgets those that do not", async () => {
  const front = sockets.own(new Router());
  const back = sockets.own(new Router());
  const clientsAt = await sockets.bound(front, "tcp");
  const workersAt = await sockets.bound(back, "tcp");
  const BEAT = 20;
  const LIVES = 20;
  const alive = new Map<string, number>();
  const ready: string[] = [];
  const expire = (): void => {
    const now = performance.now();
    for (const [worker, until] of alive) {
      if (until > now) continue;
      alive.delete(worker);
      if (ready.includes(worker)) ready.splice(ready.indexOf(worker), 1);
    }
  };
  const timer = setInterval(() => {
    expire();
    for (const worker of back.closed ? [] : alive.keys()) void back.send([worker, "beat"]);
  }, BEAT).unref();
  void (async () => {
    for await (const [worker, kind, ...rest] of back) {
      const id = String(worker);
      // One that was forgotten, and beats again, is back.
      if (String(kind) !== "beat" || !alive.has(id)) ready.push(id);
      alive.set(id, performance.now() + BEAT * LIVES);
      if (String(kind) === "reply") await front.send(rest);
    }
  })();
  void (async () => {
    for await (const message of front) {
      await eventually(() => {
        expire();
        return ready.length > 0;
      });
      await back.send([ready.shift() as string, "work", ...message]);
    }
  })();

  const work = async (name: string, isMortal: boolean): Promise<void> => {
    const worker = sockets.own(new Dealer({ routingId: name, linger: 0 }));
    worker.connect(workersAt);
    await worker.send("ready");
    const beating = setInterval(() => {
      if (!worker.closed) void worker.send("beat").catch(() => {});
    }, BEAT);
    for await (const [kind, ...rest] of worker) {
      if (String(kind) !== "work") continue;
      if (isMortal) break;
      await worker.send(["reply", ...rest.slice(0, -1), `${name} did ${rest.at(-1)}`]);
    }
    clearInterval(beating);
    worker.close();
  };
  const mortal = work("mortal", true);
  await eventually(() => ready.includes("mortal"));
  void work("immortal", false);
  await eventually(() => ready.includes("immortal"));

  const replies: string[] = [];
  for (const text of ["a", "b", "c"]) {
    for (;;) {
      const client = sockets.own(new Request({ receiveTimeout: 150, linger: 0 }));
      client.connect(clientsAt);
      await client.send(text);
      const reply = await client.receive().catch(() => undefined);
      client.close();
      if (reply === undefined) continue;
      replies.push(String(reply[0]));
      break;
    }
  }
  await mortal;
  assert.equal(replies, ["immortal did a", "immortal did b", "immortal did c"]);
  await eventually(() => !alive.has("mortal") && alive.has("immortal"));
  clearInterval(timer);
  front.close();
  back.close();
});

it("a majordomo-like broker: services by name, requests wait for a worker", async () => {
  const broker = sockets.own(new Router());
  const address = await sockets.bound(broker, "tcp");
  const workers = new Map<string, Buffer[]>();
  const requests = new Map<string, Buffer[][]>();
  const of = <T>(map: Map<string, T[]>, name: string): T[] => {
    const list = map.get(name) ?? [];
    map.set(name, list);
    return list;
  };
  const dispatch = async (service: string): Promise<void> => {
    while (of(workers, service).length > 0 && of(requests, service).length > 0) {
      const worker = of(workers, service).shift() as Buffer;
      const [client, ...body] = of(requests, service).shift() as Buffer[];
      await broker.send([worker, "", "W", "request", client, "", ...body]);
    }
  };
  void (async () => {
    for await (const [sender, , role, ...rest] of broker) {
      if (String(role) === "C") {
        const [service, ...body] = rest;
        if (String(service) === "mmi.service") {
          await broker.send([sender, "", "C", service, workers.has(String(body[0])) ? "200" : "404"]);
          continue;
        }
        of(requests, String(service)).push([sender, ...body]);
        await dispatch(String(service));
      } else if (String(rest[0]) === "ready") {
        of(workers, String(rest[1])).push(sender);
        await dispatch(String(rest[1]));
      } else {
        const [, service, client, , ...body] = rest;
        await broker.send([client, "", "C", service, ...body]);
        of(workers, String(service)).push(sender);
        await dispatch(String(service));
      }
    }
  })();

  const serve = async (service: string, name: string): Promise<void> => {
    const worker = sockets.own(new Dealer());
    worker.connect(address);
    await worker.send(["", "W", "ready", service]);
    for await (const [, , , client, , ...body] of worker) {
      await worker.send(["", "W", "reply", service, client, "", `${name}:${body}`]);
    }
  };
  const call = async (service: string, body: string): Promise<string> => {
    const client = sockets.own(new Request());
    client.connect(address);
    await client.send(["C", service, body]);
    const [, , reply] = await client.receive();
    client.close();
    return String(reply);
  };

  assert.is(await call("mmi.service", "echo"), "404");
  const early = call("echo", "early");
  await eventually(() => of(requests, "echo").length === 1);
  void serve("echo", "e1");
  assert.is(await early, "e1:early");
  void serve("echo", "e2");
  void serve("upper", "u");
  await eventually(() => of(workers, "echo").length === 2 && of(workers, "upper").length === 1);
  const replies = await Promise.all(["1", "2", "3", "4"].map((body) => call("echo", body)));
  assert.equal(
    replies.map((reply) => reply.split(":")[1]),
    ["1", "2", "3", "4"],
  );
  assert.equal([...new Set(replies.map((reply) => reply.split(":")[0]))].sort(), ["e1", "e2"]);
  assert.is(await call("upper", "x"), "u:x");
  assert.is(await call("mmi.service", "echo"), "200");
});

it("clone-like state: a snapshot, then updates by number, from many writers", async () => {
  const state = new Map<string, [number, string]>();
  let sequence = 0;
  const snapshots = sockets.own(new Router());
  const updates = sockets.own(new Publisher());
  const collector = sockets.own(new Pull());
  const snapshotsAt = await sockets.bound(snapshots, "tcp");
  const updatesAt = await sockets.bound(updates, "tcp");
  const collectorAt = await sockets.bound(collector, "tcp");
  void (async () => {
    for await (const [key, value] of collector) {
      state.set(String(key), [++sequence, String(value)]);
      await updates.send([key, String(sequence), value]);
    }
  })();
  void (async () => {
    for await (const [client] of snapshots) {
      for (const [key, [at, value]] of state) await snapshots.send([client, key, String(at), value]);
      await snapshots.send([client, "", String(sequence), "end"]);
    }
  })();

  class Clone {
    readonly state = new Map<string, string>();
    sequence = -1;
    readonly #writer = sockets.own(new Push());

    async start(): Promise<void> {
      const subscriber = sockets.own(new Subscriber());
      subscriber.subscribe();
      subscriber.connect(updatesAt);
      this.#writer.connect(collectorAt);
      const asker = sockets.own(new Dealer());
      asker.connect(snapshotsAt);
      await asker.send("snapshot?");
      for await (const [key, at, value] of asker) {
        this.sequence = Math.max(this.sequence, Number(at));
        if (key.length === 0) break;
        this.state.set(String(key), String(value));
      }
      asker.close();
      void (async () => {
        for await (const [key, at, value] of subscriber) {
          if (Number(at) <= this.sequence) continue;
          this.sequence = Number(at);
          this.state.set(String(key), String(value));
        }
      })();
    }

    set(key: string, value: string): Promise<void> {
      return this.#writer.send([key, value]);
    }
  }
  const first = new Clone();
  await first.start();
  for (let i = 0; i < 50; i++) await first.set(`key${i % 10}`, `first ${i}`);
  await eventually(() => sequence === 50);
  const second = new Clone();
  await second.start();
  await eventually(() => updates.topicsCount === 1);
  for (let i = 0; i < 50; i++) {
    await first.set(`key${i % 10}`, `first ${50 + i}`);
    await second.set(`key${i % 7}`, `second ${i}`);
  }
  await eventually(() => sequence === 150);
  const truth = [...state].map(([key, [, value]]) => [key, value]).sort();
  await first.set("last", "1");
  await eventually(() => [first, second].every((clone) => clone.sequence === 151));
  for (const clone of [first, second]) {
    clone.state.delete("last");
    assert.equal([...clone.state].sort(), truth);
  }
});

it("last-value cache: who subscribes late gets the last value, from a manual XPUB", async () => {
  const updates = sockets.own(new Publisher());
  const front = sockets.own(new Subscriber());
  const back = sockets.own(new XPublisher({ manualLastValue: true }));
  front.subscribe();
  await sockets.join(updates, front, "tcp");
  const address = await sockets.bound(back, "tcp");
  const cache = new Map<string, Buffer[]>();
  void (async () => {
    for await (const frames of front) {
      cache.set(String(frames[0]), frames);
      await back.send(frames);
    }
  })();
  void (async () => {
    for await (const [notice] of back) {
      if (notice[0] !== 1) continue;
      const topic = String(notice.subarray(1));
      back.subscribe(topic);
      const cached = cache.get(topic);
      if (cached !== undefined) await back.send(cached);
    }
  })();
  await eventually(async () => {
    await updates.send(["weather", "rain"]);
    return cache.has("weather");
  });
  await updates.send(["weather", "sun"]);
  await eventually(() => String(cache.get("weather")?.[1]) === "sun");
  const subscribers = [];
  for (let i = 0; i < 3; i++) {
    const subscriber = sockets.own(new Subscriber());
    subscriber.subscribe("weather");
    subscriber.connect(address);
    // Each gets the cached value, and only the one who asked does.
    assert.is(await next(subscriber), "weather|sun");
    subscribers.push(subscriber);
  }
  await updates.send(["weather", "snow"]);
  for (const subscriber of subscribers) assert.is(await next(subscriber), "weather|snow");
});

it("ventilator, workers and sink", async () => {
  const ventilator = sockets.own(new Push());
  const sink = sockets.own(new Pull());
  const tasksAt = await sockets.bound(ventilator, "tcp");
  const resultsAt = await sockets.bound(sink, "tcp");
  for (let i = 0; i < 3; i++) {
    const tasks = sockets.own(new Pull());
    const results = sockets.own(new Push());
    tasks.connect(tasksAt);
    results.connect(resultsAt);
    void (async () => {
      for await (const [number] of tasks) await results.send(String(Number(number) ** 2));
    })();
  }
  for (let i = 0; i < 300; i++) await ventilator.send(String(i));
  let sum = 0;
  for (let i = 0; i < 300; i++) sum += Number(await next(sink));
  assert.is(sum, (299 * 300 * 599) / 6);
});

it.run();

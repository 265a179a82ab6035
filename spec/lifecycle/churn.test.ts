/**
 * Connections come and go for ever: nothing may grow with them. After a warm-up, heap, descriptors, handles and process
 * listeners are compared over many cycles. `ZMTP_CYCLES=100000` makes it the long run.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Context, Publisher, Pull, Push, Reply, Request, type Socket, Subscriber } from "zmtp";
import { KEPT_EVENTS } from "../../src/base/constants.ts";
import { command, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { assert, suite } from "../helpers/test.ts";
import { collectGarbage, eventually, turns } from "../helpers/wait.ts";

const it = suite("lifecycle/churn");

const CYCLES = Number(process.env.ZMTP_CYCLES ?? 2000);
const TIMEOUT = { timeout: Math.max(60_000, CYCLES * 20) };
const folder = mkdtempSync(path.join(tmpdir(), "zmtp-"));

it.after(() => rmSync(folder, { recursive: true }));

interface Stock {
  heap: number;
  buffers: number;
  descriptors: number;
  handles: number;
  listeners: number;
}

function descriptors(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}

/** @types/node of a later release knows it. */
function handles(): number {
  return (process as { getActiveResourcesInfo?: () => string[] }).getActiveResourcesInfo?.().length ?? 0;
}

async function takeStock(): Promise<Stock> {
  // Ends of connections that are still on their way.
  for (let before = 0; before !== descriptors(); await turns()) before = descriptors();
  const { heapUsed, arrayBuffers } = await collectGarbage();
  const listeners = process.listenerCount("exit") + process.listenerCount("beforeExit");
  return { heap: heapUsed, buffers: arrayBuffers, descriptors: descriptors(), handles: handles(), listeners };
}

/**
 * Runs `cycle` by number, 10 at a time; what is left behind must not depend on how often.
 * @param flux descriptors and handles that come and go while stock is taken
 */
async function steady(cycles: number, cycle: (number: number) => Promise<void>, flux = 0): Promise<void> {
  let number = 0;
  const run = async (count: number): Promise<void> => {
    const end = number + count;
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        while (number < end) await cycle(number++);
      }),
    );
  };
  await run(Math.ceil(cycles / 4));
  // What is compiled and cached by and by is no leak: of several growths the smallest counts. A connection is 5 KB and
  // more.
  const stocks = [await takeStock()];
  for (let i = 0; i < 3; i++) {
    await run(Math.ceil(cycles / 4));
    stocks.push(await takeStock());
  }
  const told = stocks.map((stock) => JSON.stringify(stock)).join("\n");
  if (process.env.ZMTP_CYCLES) console.log(told);
  const least = (of: "heap" | "buffers"): number =>
    Math.min(...stocks.slice(1).map((stock, i) => stock[of] - stocks[i][of]));
  assert.ok(least("heap") < Math.max(200_000, 5 * cycles), told);
  assert.ok(least("buffers") < 100_000, told);
  for (const of of ["descriptors", "handles", "listeners"] as const) {
    assert.ok(Math.abs(stocks[3][of] - stocks[0][of]) <= flux, told);
  }
}

/** Ends a connection. A reset leaves no port behind that waits: there are not enough for all. */
function cut(peer: RawPeer, number: number): void {
  if (number % 16 === 0) peer.destroy();
  else peer.reset();
}

for (const endpoint of ["tcp://127.0.0.1:*", `ipc://${folder}/churn`]) {
  const scheme = endpoint.split(":")[0];

  it(
    `${scheme}: peers of a bound PUB, by handshake, subscriptions and close`,
    async () => {
      const pub = new Publisher({ linger: 0 });
      await pub.bind(endpoint);
      await steady(CYCLES, async (number) => {
        const peer = await RawPeer.connect(pub.lastEndpoint);
        await peer.handshake("SUB");
        peer.write(command("SUBSCRIBE", `topic ${number}`));
        await eventuallyFast(() => pub.topicsCount > 0);
        await pub.send(`topic ${number}`);
        cut(peer, number);
      });
      await eventually(() => pub.topicsCount === 0);
      pub.close();
    },
    TIMEOUT,
  );
}

it(
  "peers of a bound PULL that leave in the middle of the handshake, or of a message",
  async () => {
    const pull = new Pull({ linger: 0 });
    await pull.bind("tcp://127.0.0.1:*");
    await steady(CYCLES, async (number) => {
      const peer = await RawPeer.connect(pull.lastEndpoint);
      if (number % 3 === 0) peer.write(Buffer.alloc(20, 0xff));
      else await peer.handshake("PUSH");
      if (number % 3 === 1) peer.write(Buffer.from([1, 200, 1, 2, 3]));
      cut(peer, number);
    });
    pull.close();
  },
  TIMEOUT,
);

it(
  "sockets that connect, send and close",
  async () => {
    const pull = new Pull({ linger: 0 });
    await pull.bind(`ipc://${folder}/sockets`);
    const rep = new Reply();
    await rep.bind(`ipc://${folder}/questions`);
    (async () => {
      for await (const frames of rep) await rep.send(frames);
    })();
    let got = 0;
    (async () => {
      for await (const _ of pull) got++;
    })();
    let sent = 0;
    await steady(CYCLES / 2, async (number) => {
      const push = new Push();
      push.connect(pull.lastEndpoint as string);
      await push.send("x");
      sent++;
      push.close();
      const req = new Request();
      req.connect(rep.lastEndpoint as string);
      await req.send(`${number}`);
      assert.is(String(await req.receive()), `${number}`);
      req.close();
    });
    await eventually(() => got === sent);
    pull.close();
    rep.close();
  },
  TIMEOUT,
);

it(
  "sockets that bind and close, in contexts of their own",
  async () => {
    await steady(CYCLES / 2, async (number) => {
      const context = new Context();
      const sub = new Subscriber({ context });
      sub.subscribe("a");
      sub.bindSync("inproc://a");
      const pub = new Publisher({ context });
      pub.connect("inproc://a");
      await pub.send("a");
      await sub.receive();
      if (number % 8 === 0) await sub.bind("tcp://127.0.0.1:*");
      if (number % 8 === 1) await sub.bind("ipc://*");
      sub.close();
      pub.close();
    });
  },
  TIMEOUT,
);

it(
  "links that flap, with events that nobody reads",
  async () => {
    const server = await RawServer.listen();
    const sockets: Socket[] = [];
    let flaps = 0;
    let isOver = false;
    (async () => {
      for (;;) {
        const peer = await server.accept();
        server.peers.length = 0;
        peer
          .handshake("PULL")
          .then(() => peer.frame())
          .catch(() => {})
          .finally(() => {
            flaps++;
            if (isOver) peer.destroy();
            else peer.reset();
          });
      }
    })();
    const links = 1;
    for (let i = 0; i < links; i++) {
      const push = new Push({ reconnectInterval: 1, linger: 0, sendHighWaterMark: 5 });
      assert.is(push.events.closed, false);
      push.connect(server.address);
      (async () => {
        while (!push.closed) await push.send("x").catch(() => {});
      })();
      sockets.push(push);
    }
    // Until the observers are full: a flap is five events.
    await eventually(() => flaps > (links * KEPT_EVENTS) / 4);
    const start = flaps;
    await steady(
      CYCLES / 8,
      async (number) => {
        await eventually(() => flaps - start >= number);
      },
      4 * links,
    );
    isOver = true;
    for (const socket of sockets) socket.close();
    await server.close();
  },
  TIMEOUT,
);

/** Without a timer for each look: there are thousands. */
async function eventuallyFast(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((fulfil) => setImmediate(fulfil));
}

it.run();

/**
 * The order of messages inside of the process and callbacks of the check phase, as it is over libzmq: a message wakes a
 * receive by way of the event loop there, so that an answer comes one turn later than its question.
 */
import {
  Dealer,
  Pair,
  Proxy,
  Publisher,
  Pull,
  Push,
  type Readable,
  Reply,
  Request,
  Router,
  type Socket,
  Subscriber,
  type Writable,
  XPublisher,
  XSubscriber,
} from "../../src/index.ts";
import { createSocket } from "../../src/v5-compat.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("loop/answers");
const sockets = new Sockets(it);

type Note = (what: string) => void;

async function join<A extends Socket, B extends Socket>(bound: A, connected: B): Promise<[A, B]> {
  await sockets.join(sockets.own(bound), sockets.own(connected));
  return [bound, connected];
}

/** Sends back whatever comes, until the socket is closed. */
async function echo(socket: Readable & Writable): Promise<void> {
  for await (const message of socket) await socket.send(message);
}

/**
 * Runs `act` with a callback set for the check phase before it, from a timer and from the check phase; gives what came
 * in order.
 */
async function order(act: (note: Note) => Promise<unknown>): Promise<string> {
  const orders = new Set<string>();
  for (const begin of [setImmediate, setTimeout]) {
    for (let round = 0; round < 3; round++) {
      await new Promise<void>((resolve) => begin(resolve));
      const seen: string[] = [];
      const passed = new Promise<void>((resolve) => {
        setImmediate(() => {
          seen.push("immediate");
          resolve();
        });
      });
      await act((what) => seen.push(what));
      await passed;
      orders.add(seen.join(" "));
    }
  }
  return [...orders].join(" | ");
}

it("an answer comes after what was set for the check phase before the question", async () => {
  const [reply, request] = await join(new Reply(), new Request());
  const [router, dealer] = await join(new Router(), new Dealer());
  const [pair, other] = await join(new Pair(), new Pair());
  for (const server of [reply, router, pair]) void echo(server);
  for (const client of [request, dealer, other]) {
    const got = await order(async (note) => {
      await client.send("question");
      note("sent");
      await client.receive();
      note("answer");
    });
    assert.is(got, "sent immediate answer");
  }
  const waits = await order(async (note) => {
    const answer = dealer.receive();
    await dealer.send("question");
    await answer;
    note("answer");
  });
  assert.is(waits, "immediate answer");
});

it("what was set between two questions comes between their answers", async () => {
  const [reply, request] = await join(new Reply(), new Request());
  void echo(reply);
  const got = await order(async (note) => {
    for (const name of ["1", "2"]) {
      setImmediate(() => note(`set ${name}`));
      await request.send("question");
      await request.receive();
      note(`answer ${name}`);
    }
  });
  assert.is(got, "immediate set 1 answer 1 set 2 answer 2");
});

it("several answers come in their order, behind what was set first", async () => {
  const [router, dealer] = await join(new Router(), new Dealer());
  void echo(router);
  const got = await order(async (note) => {
    for (const name of ["1", "2", "3"]) await dealer.send(name);
    for (let i = 0; i < 3; i++) note(String(await dealer.receive()));
  });
  assert.is(got, "immediate 1 2 3");
});

it("an answer that goes another way is one too: by a second link, and through a proxy", async () => {
  const [pull, push] = await join(new Pull(), new Push());
  const [results, out] = await join(new Pull(), new Push());
  void (async () => {
    for await (const message of pull) await out.send(message);
  })();
  const chain = await order(async (note) => {
    await push.send("work");
    await results.receive();
    note("answer");
  });
  assert.is(chain, "immediate answer");

  const proxy = new Proxy(sockets.own(new Router()), sockets.own(new Dealer()));
  const [request, reply] = [sockets.own(new Request()), sockets.own(new Reply())];
  await sockets.join(proxy.frontEnd, request);
  await sockets.join(proxy.backEnd, reply);
  const running = proxy.run();
  void echo(reply);
  const through = await order(async (note) => {
    await request.send("question");
    await request.receive();
    note("answer");
  });
  assert.is(through, "immediate answer");
  proxy.terminate();
  await running;
});

it("a message that answers nothing comes before it, whoever waits", async () => {
  const [pull, push] = await join(new Pull(), new Push());
  const alone = await order(async (note) => {
    await push.send("x");
    await pull.receive();
    note("message");
  });
  assert.is(alone, "message immediate");
  const waiting = await order(async (note) => {
    const all = (async () => {
      for (let i = 0; i < 3; i++) note(String(await pull.receive()));
    })();
    for (const name of ["1", "2", "3"]) await push.send(name);
    await all;
  });
  assert.is(waiting, "1 2 3 immediate");

  const [publisher, first] = await join(new Publisher(), new Subscriber());
  const second = sockets.own(new Subscriber());
  second.connect(publisher.lastEndpoint as string);
  for (const subscriber of [first, second]) subscriber.subscribe();
  const fanned = await order(async (note) => {
    const both = [first, second].map(async (subscriber) => note(String(await subscriber.receive())));
    await publisher.send("x");
    await Promise.all(both);
  });
  assert.is(fanned, "x x immediate");
});

it("nobody waits for an answer that was at hand: two peers that cross", async () => {
  const [a, b] = await join(new Pair(), new Pair());
  const got = await order(async (note) => {
    await Promise.all([a.send("b"), b.send("a")]);
    note(String(await a.receive()));
    note(String(await b.receive()));
  });
  assert.is(got, "a b immediate");
});

it("what follows an answer stays behind it, subscriptions too", async () => {
  const [publisher, subscriber] = await join(new XPublisher(), new XSubscriber());
  void (async () => {
    for await (const message of subscriber) {
      if (String(message) !== "question") continue;
      await subscriber.send("answer");
      await subscriber.send("\x01topic");
      await subscriber.send("\x00topic");
      await subscriber.send("end");
    }
  })();
  await subscriber.send("\x01");
  assert.is(String(await publisher.receive()), "\x01");
  const got = await order(async (note) => {
    await publisher.send("question");
    for (;;) {
      const text = String(await publisher.receive());
      note(JSON.stringify(text));
      if (text === "end") break;
    }
  });
  assert.is(got, 'immediate "answer" "\\u0001topic" "\\u0000topic" "end"');
});

it("what its sender sends in the check phase stays behind an answer, too", async () => {
  const [server, client] = await join(new Pair(), new Pair());
  const asked = server.receive();
  await client.send("question");
  await asked;
  setImmediate(() => void server.send("behind"));
  await server.send("answer");
  for (const text of ["answer", "behind"]) assert.is(String(await client.receive()), text);
});

it("an answer on its way arrives if its sender closes, counts towards the mark, goes with its receiver", async () => {
  const [server, client] = await join(new Pair({ sendHighWaterMark: 2 }), new Pair({ receiveHighWaterMark: 1 }));
  server.sendTimeout = 0;
  setImmediate(() => {});
  const asked = server.receive();
  await client.send("question");
  await asked;
  const sent: boolean[] = [];
  for (let i = 0; i < 5; i++) {
    sent.push(
      await server.send(String(i)).then(
        () => true,
        () => false,
      ),
    );
  }
  assert.equal(sent, [true, true, true, false, false]);
  server.close();
  for (const text of ["0", "1", "2"]) assert.is(String(await client.receive()), text);

  const [other, gone] = await join(new Pair(), new Pair());
  const heard = other.receive();
  await gone.send("question");
  await heard;
  await other.send("answer");
  gone.close();
  await new Promise((resolve) => setImmediate(resolve));
});

it("the API of version 5 has the same order", async () => {
  for (const [server, client] of [
    ["rep", "req"],
    ["router", "dealer"],
    ["pair", "pair"],
  ] as const) {
    const [a, b] = [createSocket(server), createSocket(client)];
    const address = sockets.address("inproc");
    a.bindSync(address);
    b.connect(address);
    a.on("message", (...frames: Buffer[]) => a.send(frames));
    const got = await order(async (note) => {
      const answered = new Promise((resolve) => b.once("message", resolve));
      b.send("question");
      await answered;
      note("answer");
    });
    assert.is(got, "immediate answer", server);
    a.close();
    b.close();
  }
});

it.run();

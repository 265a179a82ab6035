/**
 * Nothing that was delivered, or handed to the kernel, is kept: neither while sockets are idle, nor after a loss, nor
 * by sockets that are closed and still held. One large body that every idle connection keeps would add up.
 */
import { Authenticator } from "../../src/auth.ts";
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
  Stream,
  Subscriber,
  type Writable,
  XPublisher,
  XSubscriber,
} from "../../src/index.ts";
import { createSocket, type Socket as Socket5 } from "../../src/v5-compat.ts";
import { Kept } from "../helpers/kept.ts";
import { Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";
import { curveClient, curveServer, plainClient, plainServer } from "../security/people.ts";

const it = suite("socket/kept");
const sockets = new Sockets(it);

/**
 * Octets: what is copied and batched, what is referenced, what is read to where it belongs, what does not fit a
 * socket's buffer.
 */
const SIZES = [200, 9000, 300_000, 6_000_000];

type Sending = Socket & Writable;
type Receiving = Socket & Readable;

/** Two sockets: what `from` sends, `to` receives. */
interface Way {
  readonly from: Sending;
  readonly to: Receiving;
  /** Frames in front of the body. */
  envelope?(): Buffer[];
}

/** One message through it, whose bodies at both ends are tracked. */
async function pass(kept: Kept, { from, to, envelope }: Way, size: number): Promise<void> {
  const body = kept.track("what was sent", Buffer.allocUnsafeSlow(size).fill("x"));
  const [frames] = await Promise.all([to.receive(), from.send([...(envelope?.() ?? []), body])]);
  const last = frames.at(-1) as Buffer;
  assert.is(last.length, size);
  kept.track("what was received", last);
}

/** Ways of each pattern, in the order in which they have to be gone. */
const PATTERNS: Record<string, (join: (binding: Socket, connecting: Socket) => Promise<unknown>) => Promise<Way[]>> = {
  "PUSH and PULL": async (join) => {
    const from = sockets.own(new Push());
    const to = sockets.own(new Pull());
    await join(from, to);
    return [{ from, to }];
  },
  "PAIR and PAIR": async (join) => {
    const one = sockets.own(new Pair());
    const other = sockets.own(new Pair());
    await join(one, other);
    return [
      { from: one, to: other },
      { from: other, to: one },
    ];
  },
  "REQ and REP": async (join) => {
    const one = sockets.own(new Request());
    const other = sockets.own(new Reply());
    await join(other, one);
    return [
      { from: one, to: other },
      { from: other, to: one },
    ];
  },
  "DEALER and ROUTER": async (join) => {
    const dealer = sockets.own(new Dealer({ routingId: "dealer" }));
    const router = sockets.own(new Router());
    await join(router, dealer);
    return [
      { from: dealer, to: router },
      { from: router, to: dealer, envelope: () => [Buffer.from("dealer")] },
    ];
  },
  "XPUB and XSUB": async (join) => {
    const xpub = sockets.own(new XPublisher());
    const xsub = sockets.own(new XSubscriber());
    await join(xpub, xsub);
    await xsub.send("\x01");
    await xpub.receive();
    return [
      { from: xpub, to: xsub },
      { from: xsub, to: xpub },
    ];
  },
};

/** The options of both sides, over tcp. */
const SECURED = { curve: [curveServer, curveClient], plain: [plainServer, plainClient] } as const;

function joiner(transport: (typeof TRANSPORTS)[number] | keyof typeof SECURED) {
  return async (binding: Socket, connecting: Socket): Promise<void> => {
    const isSecured = transport === "curve" || transport === "plain";
    if (isSecured) {
      const [server, client] = SECURED[transport];
      Object.assign(binding, server);
      Object.assign(connecting, client);
    }
    await sockets.join(binding, connecting, isSecured ? "tcp" : transport);
  };
}

const authenticator = new Authenticator();
it.before(() => {
  authenticator.setUsers({ [plainClient.plainUsername]: plainClient.plainPassword });
  authenticator.setKeys("any");
  authenticator.start();
});
it.after(() => authenticator.stop());

for (const transport of [...TRANSPORTS, "curve", "plain"] as const) {
  for (const [pattern, make] of Object.entries(PATTERNS)) {
    it(
      `${pattern} keep nothing that was delivered (${transport})`,
      async () => {
        const kept = new Kept();
        const ways = await make(joiner(transport));
        for (const size of SIZES) {
          for (const way of ways) await pass(kept, way, size);
          assert.equal(await kept.left(), [], `${size} octets`);
        }
        for (const way of ways) await pass(kept, way, 300_000);
        for (const { from, to } of ways) {
          from.close();
          to.close();
        }
        assert.equal(await kept.left(), [], "closed, and held");
        assert.ok(ways.every(({ from }) => from.closed));
      },
      { timeout: 30_000 },
    );
  }
}

for (const transport of TRANSPORTS) {
  it(
    `a PUB keeps nothing of what it sent to many (${transport})`,
    async () => {
      const kept = new Kept();
      const pub = sockets.own(new Publisher());
      const subs = Array.from({ length: 3 }, () => sockets.own(new Subscriber()));
      const address = await sockets.bound(pub, transport);
      for (const sub of subs) {
        sub.subscribe();
        sub.connect(address);
      }
      const publish = async (size: number): Promise<void> => {
        const body = kept.track("what was sent", Buffer.allocUnsafeSlow(size).fill("x"));
        const got = Promise.all(subs.map((sub) => sub.receive()));
        await pub.send(body);
        for (const [frame] of await got) kept.track("what was received", frame as Buffer);
      };
      let isUp = 0;
      const ready = subs.map((sub) => sub.receive().then(() => isUp++));
      await eventually(async () => {
        await pub.send("up?");
        return isUp === subs.length;
      });
      await Promise.all(ready);
      await pub.send("up");
      for (const sub of subs) while (String((await sub.receive())[0]) !== "up");
      for (const size of SIZES) {
        await publish(size);
        assert.equal(await kept.left(), [], `${size} octets`);
      }
      await publish(300_000);
      for (const socket of [pub, ...subs]) socket.close();
      assert.equal(await kept.left(), [], "closed, and held");
      assert.ok(pub.closed && subs.every(({ closed }) => closed));
    },
    { timeout: 30_000 },
  );

  it(
    `neither iteration nor batches keep what they gave (${transport})`,
    async () => {
      const kept = new Kept();
      const push = sockets.own(new Push());
      const pull = sockets.own(new Pull());
      await sockets.join(pull, push, transport);
      const iterator = pull[Symbol.asyncIterator]();
      const make = (): Buffer => kept.track("what was sent", Buffer.allocUnsafeSlow(300_000).fill("x"));
      const iterate = async (): Promise<void> => {
        const step = iterator.next();
        await push.send(make());
        kept.track("a step", (await step).value?.[0] as Buffer);
        await push.send(make());
        await eventually(() => pull.readable);
        kept.track("a step", (await iterator.next()).value?.[0] as Buffer);
      };
      const batch = async (): Promise<void> => {
        let left = 5;
        const sending = push.sendMany(Array.from({ length: left }, make));
        while (left > 0) {
          for (const [frame] of await pull.receiveMany(2)) {
            kept.track("one of a batch", frame as Buffer);
            left--;
          }
        }
        await sending;
      };
      await iterate();
      assert.equal(await kept.left(), [], "iteration");
      await batch();
      assert.equal(await kept.left(), [], "batches");
      await push.send("end");
      assert.equal(String((await iterator.next()).value?.[0]), "end");
    },
    { timeout: 30_000 },
  );

  it(
    `the API of version 5 keeps nothing that was delivered (${transport})`,
    async () => {
      const kept = new Kept();
      const push = createSocket("push");
      const pull = createSocket("pull");
      const address = sockets.address(transport);
      await new Promise<void>((resolve) => pull.bind(address, () => resolve()));
      push.connect(pull.last_endpoint ?? address);
      const once = async (size: number): Promise<void> => {
        const body = kept.track("what was sent", Buffer.allocUnsafeSlow(size).fill("x"));
        const got = new Promise<Buffer>((resolve) => pull.once("message", resolve));
        await new Promise<void>((resolve) => push.send([body], 0, () => resolve()));
        kept.track("what was received", await got);
      };
      for (const size of SIZES) {
        await once(size);
        assert.equal(await kept.left(), [], `${size} octets`);
      }
      await once(300_000);
      const both: Socket5[] = [push, pull];
      for (const socket of both) socket.close();
      assert.equal(await kept.left(), [], "closed, and held");
      assert.is(both.length, 2);
    },
    { timeout: 30_000 },
  );

  it(
    `a proxy keeps nothing of what passed, either way (${transport})`,
    async () => {
      const kept = new Kept();
      const front = sockets.own(new Router());
      const back = sockets.own(new Dealer());
      const capture = sockets.own(new Push());
      const watcher = sockets.own(new Pull());
      const client = sockets.own(new Request());
      const worker = sockets.own(new Reply());
      client.connect(await sockets.bound(front, transport));
      worker.connect(await sockets.bound(back, transport));
      await sockets.join(watcher, capture, transport);
      const proxy = new Proxy(front, back, capture);
      const ended = proxy.run();
      const watch = async (): Promise<void> => {
        kept.track("what was captured", (await watcher.receive()).at(-1) as Buffer);
      };
      for (const size of SIZES) {
        await pass(kept, { from: client, to: worker }, size);
        await watch();
        await pass(kept, { from: worker, to: client }, size);
        await watch();
        assert.equal(await kept.left(), [], `${size} octets`);
      }
      proxy.terminate();
      await ended;
    },
    { timeout: 30_000 },
  );

  it(
    `what nobody received goes with the socket that is closed (${transport})`,
    async () => {
      const kept = new Kept();
      const made: Way[] = [];
      for (const make of Object.values(PATTERNS)) made.push(...(await make(joiner(transport))));
      // A REP cannot speak first.
      const ways = made.filter(({ from }) => !(from instanceof Reply));
      const send = async ({ from, envelope }: Way): Promise<void> => {
        const body = kept.track(`what a ${from.constructor.name} sent`, Buffer.allocUnsafeSlow(300_000).fill("x"));
        await from.send([...(envelope?.() ?? []), body]);
      };
      for (const way of ways) {
        if (way.envelope !== undefined) await eventually(() => way.from.readable || way.to.writable);
        await send(way);
        await eventually(() => way.to.readable);
      }
      sockets.closeAll();
      assert.equal(await kept.left(), [], "closed, and held");
      assert.ok(made.every(({ to }) => to.closed));
    },
    { timeout: 30_000 },
  );
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`what was read of a peer that has gone is kept no longer than until it is received (${transport})`, async () => {
    const kept = new Kept();
    const pull = sockets.own(new Pull());
    const address = await sockets.bound(pull, transport);
    const once = async (): Promise<void> => {
      const push = new Push();
      push.connect(address);
      await push.send(kept.track("what was sent", Buffer.allocUnsafeSlow(300_000).fill("x")));
      await eventually(() => pull.readable);
      push.close();
      const gone = pull.events.receive();
      await gone;
      kept.track("what was received", (await pull.receive())[0] as Buffer);
    };
    pull.events.close();
    await once();
    assert.equal(await kept.left(), []);
  });

  it(`a disconnected endpoint keeps nothing, sent or not (${transport})`, async () => {
    const kept = new Kept();
    const push = sockets.own(new Push({ linger: 0 }));
    const pull = sockets.own(new Pull());
    const address = await sockets.join(pull, push, transport);
    await pass(kept, { from: push, to: pull }, 300_000);
    push.disconnect(address);
    assert.equal(await kept.left(), []);
    await pull.unbind(address);
    push.connect(address);
    const queue = async (): Promise<void> => {
      for (const size of SIZES) await push.send(kept.track("what nobody got", Buffer.allocUnsafeSlow(size).fill("x")));
    };
    await queue();
    push.disconnect(address);
    assert.equal(await kept.left(), []);
    assert.is(push.closed, false);
  });

  it(`a lost link keeps nothing that was handed to it (${transport})`, async () => {
    const kept = new Kept();
    const push = sockets.own(new Push());
    const pull = new Pull();
    const address = await sockets.bound(pull, transport);
    push.connect(address);
    const { events } = push;
    const cut = async (): Promise<void> => {
      // It is never received, and does not fit what the kernel takes.
      await push.send(kept.track("what was lost", Buffer.allocUnsafeSlow(20_000_000).fill("x")));
      await eventually(() => pull.readable);
      pull.close();
    };
    await push.send("first");
    await cut();
    for await (const { type } of events) if (type === "disconnect") break;
    assert.equal(await kept.left(), []);
    assert.is(push.closed, false);
  });
}

it(
  "a STREAM keeps nothing of the octets that it sent and received",
  async () => {
    const kept = new Kept();
    const stream = sockets.own(new Stream({ notify: false }));
    const other = sockets.own(new Stream({ notify: false }));
    const address = await sockets.bound(other, "tcp");
    stream.connect(address, { routingId: "it" });
    const once = async (size: number): Promise<void> => {
      await stream.send(["it", kept.track("what was sent", Buffer.allocUnsafeSlow(size).fill("x"))]);
      for (let got = 0; got < size; ) {
        const [, octets] = await other.receive();
        kept.track("what was received", octets as Buffer);
        got += (octets as Buffer).length;
      }
    };
    for (const size of SIZES) {
      await once(size);
      assert.equal(await kept.left(), [], `${size} octets`);
    }
    await once(300_000);
    stream.close();
    other.close();
    assert.equal(await kept.left(), [], "closed, and held");
    assert.ok(stream.closed && other.closed);
  },
  { timeout: 30_000 },
);

it.run();

/**
 * What holds for every pair of socket types that talk to each other, over every transport: messages arrive whichever
 * side binds, a peer that restarts is found again, and close() ends what is pending. What each type does on its own is
 * in spec/socket.
 */
import {
  Dealer,
  Pair,
  Publisher,
  Pull,
  Push,
  Reply,
  Request,
  Router,
  type Socket,
  Subscriber,
  XPublisher,
  XSubscriber,
} from "../../src/index.ts";
import { joined } from "../helpers/messages.ts";
import { rejected, Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turn } from "../helpers/wait.ts";

const it = suite("patterns/types");
const sockets = new Sockets(it);

type Sending = Socket & { send(frames: (string | Buffer)[]): Promise<void>; sendTimeout: number };
type Receiving = Socket & { receive(): Promise<Buffer[]>; receiveTimeout: number };

interface Pairing {
  readonly title: string;
  sender(): Sending;
  receiver(): Receiving;
  /** What is sent, and what of it arrives. */
  wrap(text: string): string[];
  unwrap(frames: Buffer[]): string;
  /** Lets a type that takes turns go on. */
  answer?(receiver: Receiving, sender: Sending): Promise<void>;
  /** Sends until something arrives: whoever drops without a peer. */
  readonly drops?: boolean;
  /** Error codes of a send and a receive that are pending when the socket closes. */
  readonly pendingSend?: string;
  readonly pendingReceive?: string;
}

const lastFrame = (frames: Buffer[]): string => String(frames[frames.length - 1]);
const fast = { reconnectInterval: 20 };

const PAIRINGS: Pairing[] = [
  {
    title: "PUSH to PULL",
    sender: () => new Push(fast),
    receiver: () => new Pull(fast),
    wrap: (text) => ["", text],
    unwrap: joined,
    pendingSend: "EAGAIN",
    pendingReceive: "EAGAIN",
  },
  {
    title: "PAIR to PAIR",
    sender: () => new Pair(fast),
    receiver: () => new Pair(fast),
    wrap: (text) => ["", text],
    unwrap: joined,
    pendingSend: "EAGAIN",
    pendingReceive: "EAGAIN",
  },
  {
    title: "DEALER to DEALER",
    sender: () => new Dealer(fast),
    receiver: () => new Dealer(fast),
    wrap: (text) => ["", text],
    unwrap: joined,
    pendingSend: "EAGAIN",
    pendingReceive: "EAGAIN",
  },
  {
    title: "DEALER to ROUTER",
    sender: () => new Dealer(fast),
    receiver: () => new Router(fast),
    wrap: (text) => ["", text],
    unwrap: (frames) => joined(frames.slice(1)),
    pendingSend: "EAGAIN",
    pendingReceive: "EAGAIN",
  },
  {
    title: "ROUTER to DEALER",
    sender: () => new Router({ ...fast, mandatory: true }),
    receiver: () => new Dealer({ ...fast, routingId: "peer" }),
    wrap: (text) => ["peer", "", text],
    unwrap: (frames) => joined(frames),
    drops: true,
    pendingSend: "EHOSTUNREACH",
    pendingReceive: "EAGAIN",
  },
  {
    title: "ROUTER to ROUTER",
    sender: () => new Router({ ...fast, mandatory: true }),
    receiver: () => new Router({ ...fast, routingId: "peer" }),
    wrap: (text) => ["peer", "", text],
    unwrap: (frames) => joined(frames.slice(1)),
    drops: true,
    pendingSend: "EHOSTUNREACH",
    pendingReceive: "EAGAIN",
  },
  {
    title: "REQ to REP",
    sender: () => new Request({ ...fast, relaxed: true, correlate: true }),
    receiver: () => new Reply(fast),
    wrap: (text) => ["", text],
    unwrap: joined,
    answer: async (receiver, sender) => {
      await (receiver as Reply).send("answer");
      assert.is(joined(await (sender as Request).receive()), "answer");
    },
    pendingSend: "EAGAIN",
    pendingReceive: "EAGAIN",
  },
  {
    title: "REQ to ROUTER",
    sender: () => new Request({ ...fast, relaxed: true, correlate: true, routingId: "req" }),
    receiver: () => new Router(fast),
    wrap: (text) => ["", text],
    unwrap: (frames) => joined(frames.slice(3)),
    pendingSend: "EAGAIN",
  },
  {
    title: "DEALER to REP",
    sender: () => new Dealer(fast),
    receiver: () => new Reply(fast),
    wrap: (text) => ["id", "", "", text],
    unwrap: joined,
    answer: async (receiver, sender) => {
      await (receiver as Reply).send("answer");
      assert.is(joined(await (sender as Dealer).receive()), "id||answer");
    },
    pendingReceive: "EAGAIN",
  },
  ...[Publisher, XPublisher].flatMap((From) =>
    [Subscriber, XSubscriber].map(
      (To): Pairing => ({
        title: `${From === Publisher ? "PUB" : "XPUB"} to ${To === Subscriber ? "SUB" : "XSUB"}`,
        sender: () => new From(fast) as unknown as Sending,
        receiver: () => {
          const receiver = new To(fast);
          if (receiver instanceof Subscriber) receiver.subscribe("T");
          else void receiver.send("\x01T");
          return receiver;
        },
        wrap: (text) => ["Topic", text],
        unwrap: lastFrame,
        drops: true,
        pendingReceive: "EAGAIN",
      }),
    ),
  ),
];

/** Sends until it arrives; types that wait for their peer need one send. */
async function arrives(pairing: Pairing, sender: Sending, receiver: Receiving, text: string): Promise<void> {
  let isThere = false;
  const send = async (): Promise<void> => {
    await eventually(async () => {
      await sender.send(pairing.wrap(text)).catch((error) => assert.is(error.code, "EHOSTUNREACH"));
      return isThere || !pairing.drops;
    });
  };
  const sending = send();
  for (;;) {
    const got = pairing.unwrap(await receiver.receive());
    if (got.endsWith(text)) break;
    // What was sent more than once before it arrived.
    assert.ok(pairing.drops, got);
  }
  isThere = true;
  await sending;
  await pairing.answer?.(receiver, sender);
}

for (const pairing of PAIRINGS) {
  for (const transport of TRANSPORTS) {
    for (const senderBinds of [true, false]) {
      const who = senderBinds ? "the sender" : "the receiver";
      it(`${pairing.title} (${transport}, ${who} binds)`, async () => {
        const sender = sockets.own(pairing.sender());
        const receiver = sockets.own(pairing.receiver());
        if (senderBinds) await sockets.join(sender, receiver, transport);
        else await sockets.join(receiver, sender, transport);
        for (let i = 0; i < 5; i++) await arrives(pairing, sender, receiver, `#${i}`);
      });

      if (transport === "inproc") continue;
      it(`${pairing.title}: a restart of the one that binds (${transport}, ${who} binds)`, async () => {
        let sender = sockets.own(pairing.sender());
        let receiver = sockets.own(pairing.receiver());
        const address = senderBinds
          ? await sockets.join(sender, receiver, transport)
          : await sockets.join(receiver, sender, transport);
        await arrives(pairing, sender, receiver, "before");
        const [lost, left] = senderBinds ? [sender, receiver] : [receiver, sender];
        // What is sent before the loss is noticed goes down with the connection.
        const noticed = new Promise((fulfil) => left.events.on("disconnect", fulfil));
        lost.close();
        await noticed;
        if (senderBinds) sender = sockets.own(pairing.sender());
        else receiver = sockets.own(pairing.receiver());
        // The port may be held by the last connection for a moment.
        await eventually(
          async () => (await (senderBinds ? sender : receiver).bind(address).catch((e) => e)) === undefined,
        );
        await arrives(pairing, sender, receiver, "after");
      });
    }

    it(`${pairing.title}: close ends what is pending (${transport})`, async () => {
      if (pairing.pendingSend !== undefined) {
        const sender = sockets.own(pairing.sender());
        await sockets.bound(sender, transport);
        const sending = rejected(() => sender.send(pairing.wrap("x")));
        await turn();
        sender.close();
        assert.is((await sending).code, pairing.pendingSend);
      }
      if (pairing.pendingReceive !== undefined) {
        const receiver = sockets.own(pairing.receiver());
        await sockets.bound(receiver, transport);
        const receiving = rejected(() => receiver.receive());
        await turn();
        receiver.close();
        assert.is((await receiving).code, pairing.pendingReceive);
      }
    });
  }
}

it.run();

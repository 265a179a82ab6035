/**
 * Memory that moves after `await send()`: transferred to a thread, shrunk, or changed by one that shares it. A message
 * is sent as it was, or it is not sent and its program is told; zeros and foreign octets never take its place.
 */
import { createServer, type Socket as NetSocket } from "node:net";
import { WRITE_PIECE_BYTES } from "../../src/base/constants.ts";
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
  XPublisher,
  XSubscriber,
} from "../../src/index.ts";
import { createSocket } from "../../src/v5-compat.ts";
import { rejected, Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { transfer } from "../helpers/transfer.ts";
import { eventually, turn } from "../helpers/wait.ts";
import { curveClient, curveServer } from "../security/people.ts";

const it = suite("socket/memory");
const sockets = new Sockets(it);

/** Around every size at which something else is done. */
const SIZES = [
  1, 128, 129, 2039, 2040, 8183, 8184, 8192, 8193, 65_526, 65_527, 65_535, 65_536, 262_144, 524_289, 1_048_575,
  1_048_577, 3_000_000,
];

const make = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(size).fill(0x78);
const isWhole = (body: Uint8Array, size: number): boolean =>
  body.length === size && Buffer.from(body.buffer, body.byteOffset, size).equals(Buffer.alloc(size, "x"));

/** The codes of what could not be sent, as they come, and how often a link was lost. */
function watch(socket: Socket): { codes: string[]; losses: number } {
  const seen = { codes: [] as string[], losses: 0 };
  socket.events.on("handshake:error:other", ({ error }) => seen.codes.push(error.code));
  socket.events.on("disconnect", () => seen.losses++);
  return seen;
}

const LINKS = [...TRANSPORTS, "curve"] as const;

/** Joins two sockets, or has one look for the other before that is bound. */
async function link(how: (typeof LINKS)[number], binding: Socket, connecting: Socket, isUp: boolean): Promise<string> {
  if (how === "curve") {
    Object.assign(binding, curveServer);
    Object.assign(connecting, curveClient);
  }
  const transport = how === "curve" ? "tcp" : how;
  if (isUp) return sockets.join(binding, connecting, transport);
  const address = await sockets.bound(binding, transport);
  await binding.unbind(address);
  connecting.connect(address);
  return address;
}

for (const transport of LINKS) {
  it(`what was transferred after it was sent arrives as it was, or is told (${transport})`, async () => {
    const push = sockets.own(new Push({ reconnectInterval: 10 }));
    const pull = sockets.own(new Pull());
    const seen = watch(push);
    await link(transport, pull, push, true);
    await push.send("up");
    let last = (await pull.receive()).at(-1) as Buffer;
    for (const size of SIZES) {
      const { codes, losses } = seen;
      const before = codes.length;
      const body = make(size);
      await push.send(size % 2 === 0 ? body : ["head", body]);
      transfer(body);
      const got = pull.receive();
      let hasCome = false;
      const arriving = got.then(() => {
        hasCome = true;
      });
      await eventually(() => hasCome || codes.length > before);
      const isTold = codes.length > before;
      if (isTold) await push.send("end");
      await arriving;
      last = (await got).at(-1) as Buffer;
      // What was under way as a whole may have arrived all the same.
      while (isTold && String(last) !== "end") last = (await pull.receive()).at(-1) as Buffer;
      assert.ok(isTold ? size > 128 : isWhole(last, size), `${size} octets: ${last.length}`);
      // Only what the kernel does not take at once can go while it is under way.
      if (size < 100_000) assert.is(seen.losses, losses, `${size} octets`);
    }
    assert.ok(seen.codes.every((code) => code === "ERR_ZMTP_BODY_DETACHED"));
  });

  it(`the same before the link is up (${transport})`, async () => {
    const push = sockets.own(new Push({ reconnectInterval: 10 }));
    const pull = sockets.own(new Pull());
    const seen = watch(push);
    const address = await link(transport, pull, push, false);
    for (const size of SIZES) {
      const body = make(size);
      await push.send(size % 2 === 0 ? body : ["head", body]);
      transfer(body);
    }
    await push.send("end");
    await pull.bind(address);
    const sizes: number[] = [];
    for (;;) {
      const body = (await pull.receive()).at(-1) as Buffer;
      if (String(body) === "end") break;
      assert.ok(isWhole(body, body.length));
      sizes.push(body.length);
    }
    await eventually(() => sizes.length + seen.codes.length === SIZES.length);
    assert.equal(sizes, [1, 128]);
    assert.ok(seen.codes.every((code) => code === "ERR_ZMTP_BODY_DETACHED"));
    assert.is(seen.losses, 0);
  });
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`every type that sends leaves out what it has no memory of (${transport})`, async () => {
    const ways: Record<string, () => Promise<[Socket & { send(m: unknown): Promise<void> }, Buffer[]]>> = {
      pair: async () => {
        const one = sockets.own(new Pair());
        await sockets.join(sockets.own(new Pair()), one, transport);
        return [one, []];
      },
      dealer: async () => {
        const dealer = sockets.own(new Dealer());
        await sockets.join(sockets.own(new Router()), dealer, transport);
        return [dealer, []];
      },
      router: async () => {
        const router = sockets.own(new Router({ mandatory: true }));
        const dealer = sockets.own(new Dealer({ routingId: "d" }));
        await sockets.join(router, dealer, transport);
        await dealer.send("");
        await router.receive();
        return [router, [Buffer.from("d")]];
      },
      request: async () => {
        const request = sockets.own(new Request());
        await sockets.join(sockets.own(new Reply()), request, transport);
        return [request, []];
      },
      reply: async () => {
        const request = sockets.own(new Request());
        const reply = sockets.own(new Reply());
        await sockets.join(reply, request, transport);
        await request.send("");
        await reply.receive();
        return [reply, []];
      },
      xpub: async () => {
        const xpub = sockets.own(new XPublisher());
        const subs = [1, 2].map(() => sockets.own(new Subscriber()));
        for (const sub of subs) sub.subscribe();
        const address = await sockets.bound(xpub, transport);
        for (const sub of subs) sub.connect(address);
        await xpub.receive();
        return [xpub, []];
      },
      pub: async () => {
        const pub = sockets.own(new Publisher());
        const xsubs = [1, 2].map(() => sockets.own(new XSubscriber()));
        const address = await sockets.bound(pub, transport);
        for (const xsub of xsubs) {
          await xsub.send("\x01");
          xsub.connect(address);
        }
        await eventually(async () => {
          await pub.send("up?");
          return xsubs.every(({ readable }) => readable);
        });
        return [pub, []];
      },
      xsub: async () => {
        const xsub = sockets.own(new XSubscriber());
        await sockets.join(sockets.own(new XPublisher()), xsub, transport);
        return [xsub, []];
      },
    };
    for (const [name, way] of Object.entries(ways)) {
      const [socket, envelope] = await way();
      const seen = watch(socket);
      const body = make(50_000);
      await socket.send([...envelope, body]);
      transfer(body);
      await eventually(() => seen.codes.length > 0);
      assert.is(seen.codes[0], "ERR_ZMTP_BODY_DETACHED", name);
      assert.is(seen.losses, 0, name);
    }
  });

  it(`a link ends if memory goes in mid-write; at most a piece of what is there leaves (${transport})`, async () => {
    for (const size of [WRITE_PIECE_BYTES, 4 * WRITE_PIECE_BYTES, 30_000_000]) {
      let peer: NetSocket | undefined;
      const chunks: Buffer[] = [];
      const server = createServer((socket) => {
        peer = socket.pause();
        // A STREAM adds nothing, so that each octet counts.
        socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
      });
      const address = sockets.address(transport);
      const path = address.replace("ipc://", "");
      await new Promise<void>((resolve) =>
        transport === "ipc" ? server.listen(path, resolve) : server.listen(0, "127.0.0.1", resolve),
      );
      const { port } = server.address() as { port: number };
      const stream = sockets.own(new Stream({ notify: true, linger: 0, reconnectInterval: -1 }));
      const seen = watch(stream);
      stream.connect(transport === "ipc" ? address : `tcp://127.0.0.1:${port}`, { routingId: "p" });
      await stream.receive();
      // Fills what the kernel takes, so that the body waits or is under way when its memory goes.
      const body = make(size);
      const filler = transport === "ipc" ? 100_000 : 8_000_000;
      await stream.send(["p", Buffer.alloc(filler, "f")]);
      for (let i = 0; i < 5; i++) await turn();
      await stream.send(["p", body]);
      for (let i = 0; i < 5; i++) await turn();
      // The memory lives on, in other hands.
      const moved = structuredClone(body.buffer, { transfer: [body.buffer] });
      new Uint8Array(moved).fill(0x5a);
      await eventually(() => peer !== undefined);
      const ended = new Promise<void>((resolve) => peer?.on("close", () => resolve()));
      peer?.resume();
      await ended;
      await eventually(() => seen.codes.length > 0);
      assert.equal(seen.codes, ["ERR_ZMTP_BODY_DETACHED"], `${size}`);
      const all = Buffer.concat(chunks);
      let foreign = 0;
      for (const octet of all) if (octet === 0x5a) foreign++;
      assert.ok(foreign < 2 * WRITE_PIECE_BYTES, `${size}: ${foreign}`);
      assert.is(all.includes(0), false);
      assert.is(moved.byteLength, size);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  it(`a message is never taken for whole when its memory went while it was written (${transport})`, async () => {
    const push = sockets.own(new Push({ linger: 0, reconnectInterval: 10 }));
    const pull = sockets.own(new Pull({ receiveHighWaterMark: 1 }));
    const seen = watch(push);
    await sockets.join(pull, push, transport);
    for (let i = 0; i < 4; i++) await push.send(Buffer.alloc(3_000_000, "f"));
    const body = make(30_000_000);
    await push.send(body);
    for (let i = 0; i < 20; i++) await turn();
    const moved = structuredClone(body.buffer, { transfer: [body.buffer] });
    new Uint8Array(moved).fill(0x5a);
    const got: string[] = [];
    let isOver = false;
    const receiving = (async () => {
      for (;;) {
        const [frame] = (await pull.receive()) as [Buffer];
        got.push(`${frame.length}${String.fromCharCode(frame[0] as number, frame.at(-1) as number)}`);
        if (String(frame) === "end") break;
      }
      isOver = true;
    })();
    await eventually(() => seen.codes.length > 0);
    await push.send("end");
    await receiving;
    assert.ok(isOver);
    assert.equal(seen.codes, ["ERR_ZMTP_BODY_DETACHED"]);
    assert.is(got.filter((one) => one.startsWith("30000000")).length, 0);
    assert.is(moved.byteLength, 30_000_000);
  });
}

for (const transport of TRANSPORTS) {
  it(`memory that can shrink, grow or be shared is sent as it stood (${transport})`, async () => {
    const push = sockets.own(new Push());
    const pull = sockets.own(new Pull());
    const pub = sockets.own(new Publisher());
    const subs = [1, 2].map(() => sockets.own(new Subscriber()));
    await sockets.join(pull, push, transport);
    const address = await sockets.bound(pub, transport);
    for (const sub of subs) {
      sub.subscribe("x");
      sub.connect(address);
    }
    await eventually(async () => {
      await pub.send("x");
      await turn();
      return subs.every(({ readable }) => readable);
    });
    type Memory = ArrayBuffer & { resize?(size: number): void; readonly resizable?: boolean };
    const Resizable = ArrayBuffer as unknown as new (size: number, options: object) => Memory;
    const kinds = [
      (size: number) => new SharedArrayBuffer(size) as unknown as Memory,
      (size: number) => new Resizable(size, { maxByteLength: 2 * size }),
    ];
    for (const kind of kinds) {
      for (const size of SIZES.slice(1)) {
        const memory = kind(size);
        const bodies = [new Uint8Array(memory).fill(0x78), memory, new DataView(memory)];
        for (const body of bodies) await push.send(body);
        await pub.send(new Uint8Array(memory));
        // A runtime without memory of this kind made an ordinary one.
        if (memory.resizable === true || memory.constructor.name === "SharedArrayBuffer") {
          new Uint8Array(memory).fill(0);
          memory.resize?.(0);
        }
        for (const _ of bodies) assert.ok(isWhole((await pull.receive())[0] as Buffer, size), `${size}`);
        for (const sub of subs) {
          let body: Buffer;
          do body = (await sub.receive())[0] as Buffer;
          while (body.length === 1);
          assert.ok(isWhole(body, size), `${size}`);
        }
      }
    }
  });

  it(`a send that waits rejects when its memory goes (${transport})`, async () => {
    const push = sockets.own(new Push({ immediate: true }));
    const resizable = new Uint8Array(new SharedArrayBuffer(5000)).fill(0x78);
    const pull = sockets.own(new Pull());
    for (const size of [129, 5000, 1_000_000]) {
      const body = make(size);
      const waiting = push.send(["head", body]);
      transfer(body);
      const address = await sockets.bound(pull, transport);
      const failed = rejected(() => waiting);
      push.connect(address);
      assert.is((await failed).code, "ERR_ZMTP_BODY_DETACHED");
      await push.send("next");
      assert.equal((await pull.receive()).map(String), ["next"]);
      push.disconnect(address);
      await pull.unbind(address);
    }
    const waiting = push.send(resizable);
    resizable.fill(0);
    await sockets.join(pull, push, transport);
    await waiting;
    assert.ok(isWhole((await pull.receive())[0] as Buffer, 5000));
  });

  it(`a queue of version 5 keeps what was sent as it was, or calls back with the error (${transport})`, async () => {
    const push = createSocket("push");
    const pull = createSocket("pull");
    const got: Buffer[] = [];
    pull.on("message", (frame: Buffer) => got.push(frame));
    const address = sockets.address(transport);
    const outcomes: (string | undefined)[] = [];
    const told = (error?: Error): void => {
      outcomes.push((error as { code?: string } | undefined)?.code);
    };
    const bound = new Promise<void>((resolve) => push.bind(address, () => resolve()));
    const small = make(100);
    const large = make(20_000);
    const shared = new Uint8Array(new SharedArrayBuffer(20_000)).fill(0x78);
    push.send(small, 0, told);
    push.send(large, 0, told);
    push.send([shared], 0, told);
    small.fill(0);
    shared.fill(0);
    transfer(large);
    await bound;
    pull.connect(push.last_endpoint as string);
    await eventually(() => outcomes.length === 3 && got.length === 2);
    assert.equal(outcomes, [undefined, "ERR_ZMTP_BODY_DETACHED", undefined]);
    assert.equal(
      got.map((body) => isWhole(body, body.length)),
      [true, true],
    );
    push.close();
    pull.close();
  });
}

/** A message, as it came: what was received is changed at once. */
async function changed(socket: Readable): Promise<string[]> {
  const frames = await socket.receive();
  const texts = frames.map((frame) => frame.toString("latin1"));
  for (const frame of frames) frame.fill("!");
  return texts;
}

for (const transport of TRANSPORTS) {
  it(`a program may change what it received: ids and the messages of options stay (${transport})`, async () => {
    for (const times of [1, 200]) {
      for (const routingId of ["alice", ""]) {
        const [helloMessage, disconnectMessage, welcomeMessage] = ["hello", "gone", "welcome"].map((text) =>
          text.repeat(times),
        );
        const router = sockets.own(new Router({ mandatory: true, helloMessage, disconnectMessage }));
        const address = await sockets.bound(router, transport);
        for (let i = 0; i < 2; i++) {
          const dealer = sockets.own(new Dealer(routingId === "" ? {} : { routingId }));
          dealer.connect(address);
          assert.equal(await changed(dealer), [helloMessage]);
          await dealer.send("1");
          const [id] = await changed(router);
          router.lastPeer?.identity.fill("!");
          await dealer.send("2");
          assert.equal(await changed(router), [id, "2"]);
          assert.is(String(router.lastPeer?.identity), routingId);
          await router.send([Buffer.from(id, "latin1"), "3"]);
          assert.equal(await changed(dealer), ["3"]);
          dealer.close();
          assert.equal(await changed(router), [id, disconnectMessage]);
        }
        const publisher = sockets.own(new XPublisher({ welcomeMessage }));
        const place = await sockets.bound(publisher, transport);
        for (let i = 0; i < 2; i++) {
          const subscriber = sockets.own(new Subscriber());
          subscriber.subscribe("welcome");
          subscriber.connect(place);
          assert.equal(await changed(subscriber), [welcomeMessage]);
        }
      }
    }
  });
}

it("a program may change the id that a STREAM gave it", async () => {
  const stream = sockets.own(new Stream());
  const dealer = sockets.own(new Dealer());
  dealer.connect(await sockets.bound(stream, "tcp"));
  const [id] = await changed(stream);
  const [again] = await changed(stream);
  assert.is(again, id);
  await stream.send([Buffer.from(id, "latin1"), "not a greeting"]);
});

it("octets of a STREAM that are missing end the link: what follows would mean something else", async () => {
  const stream = sockets.own(new Stream({ reconnectInterval: -1 }));
  const seen = watch(stream);
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("data", (chunk) => received.push(chunk)).on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stream.connect(`tcp://127.0.0.1:${(server.address() as { port: number }).port}`, { routingId: "p" });
  await stream.receive();
  const body = make(20_000);
  await stream.send(["p", "begin"]);
  await stream.send(["p", body]);
  await stream.send(["p", "end"]);
  transfer(body);
  await eventually(() => seen.losses === 1);
  assert.equal(seen.codes, ["ERR_ZMTP_BODY_DETACHED"]);
  assert.is(Buffer.concat(received).includes("end"), false);
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

it("what waits inside the process for its receiver is lost, and told, when its memory goes", async () => {
  const told = async (from: Socket, sending: (body: Uint8Array) => Promise<void>, size: number): Promise<void> => {
    const seen = watch(from);
    const body = make(size);
    await sending(body);
    transfer(body);
    if (body.length > 0) return;
    await eventually(() => seen.codes.length > 0);
    assert.equal(seen.codes, ["ERR_ZMTP_BODY_DETACHED"]);
  };
  for (const size of [129, 70_000]) {
    const push = sockets.own(new Push());
    const pull = sockets.own(new Pull());
    await sockets.join(pull, push);
    const pulled = told(push, (body) => push.send(["head", body]), size);
    await turn();
    await push.send("next");
    assert.equal((await pull.receive()).map(String), ["next"]);
    await pulled;

    const router = sockets.own(new Router());
    const dealer = sockets.own(new Dealer());
    await sockets.join(router, dealer);
    const routed = told(dealer, (body) => dealer.send(body), size);
    await turn();
    await dealer.send("next");
    assert.equal(String((await router.receiveMany(9)).at(-1)?.at(-1)), "next");
    await routed;

    const xpub = sockets.own(new XPublisher());
    const xsub = sockets.own(new XSubscriber());
    await sockets.join(xpub, xsub);
    const noticed = told(xpub, (body) => xsub.send(body), size);
    await turn();
    await xsub.send("next");
    assert.equal((await xpub.receive()).map(String), ["next"]);
    await noticed;

    const request = sockets.own(new Request({ receiveTimeout: 20, relaxed: true }));
    const reply = sockets.own(new Reply());
    await sockets.join(reply, request);
    await request.send("?");
    await reply.receive();
    const answered = told(request, (body) => reply.send(body), size);
    await turn();
    assert.is((await rejected(() => request.receive())).code, "EAGAIN");
    await answered;
    await request.send("again?");
    await reply.receive();
    await reply.send("answer");
    assert.equal((await request.receive()).map(String), ["answer"]);
  }
});

it("a proxy drops what it holds when its memory goes", async () => {
  const front = sockets.own(new Pull());
  const back = sockets.own(new Router({ mandatory: true, sendHighWaterMark: 1 }));
  const push = sockets.own(new Push());
  const dealer = sockets.own(new Dealer({ routingId: "d", receiveHighWaterMark: 1 }));
  const other = sockets.own(new Dealer({ routingId: "o" }));
  await sockets.join(front, push);
  const address = await sockets.bound(back);
  dealer.connect(address);
  other.connect(address);
  const seen = watch(front);
  const proxy = new Proxy(front, back);
  const ended = proxy.run();
  for (let i = 0; i < 2; i++) await push.send(["d", `${i}`]);
  const body = make(5000);
  await push.send(["d", body]);
  await turn();
  transfer(body);
  await push.send(["d", "last"]);
  const got: string[] = [];
  while (got.at(-1) !== "last") got.push(String((await dealer.receive())[0]));
  assert.equal(got, ["0", "1", "last"]);
  await eventually(() => seen.codes.length > 0);
  proxy.terminate();
  await ended;
});

it("where nobody hears events a warning tells of it", async () => {
  const push = sockets.own(new Push());
  const pull = sockets.own(new Pull());
  await sockets.join(pull, push, "tcp");
  const warned = new Promise<Error & { code?: string }>((resolve) => process.once("warning", resolve));
  const body = make(9000);
  await push.send(body);
  transfer(body);
  assert.is((await warned).code, "ZMTP_MEMORY_MISSING");
});

it.run();

/**
 * ZAP (RFC 27) as a program sees it: what its own handler is asked, what it may answer, and what becomes of the peer.
 * The events are those of the original, but where it leaves a refused peer hanging: here its connection ends.
 */
import { type Context, Dealer, Pull, Push, Reply, Request, Router, type SocketOptions } from "zmtp";
import { decodeZ85 } from "../../src/codec/z85.ts";
import { properties } from "../helpers/raw-peer.ts";
import { Sockets, texts } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending } from "../helpers/wait.ts";
import {
  answer,
  curveClient,
  curveServer,
  type Frames,
  fresh,
  handle,
  keys,
  plainClient,
  plainServer,
  quick,
  watch,
  ZAP,
} from "./people.ts";

const it = suite("security/zap");
const sockets = new Sockets(it);

const MECHANISMS = {
  null: { server: { zapDomain: "test" }, client: {} },
  plain: { server: plainServer, client: plainClient },
  curve: { server: { ...curveServer, zapDomain: "test" }, client: curveClient },
};

const CREDENTIALS: Record<string, string[]> = {
  null: ["NULL"],
  plain: ["PLAIN", "admin", "secret"],
  curve: ["CURVE", decodeZ85(keys.client.publicKey).toString("hex")],
};

/** A PULL that is the server, and a PUSH with one message for it. */
async function meet(context: Context, server: SocketOptions<Pull>, client: SocketOptions<Push>) {
  const pull = sockets.own(new Pull({ context, ...quick, ...server }));
  const push = sockets.own(new Push({ ...quick, ...client }));
  const [seenBy, seenAt] = [watch(pull), watch(push)];
  await sockets.join(pull, push, "tcp");
  await push.send("message");
  return { pull, push, server: seenBy, client: seenAt };
}

/** The first events of either side, when they are there; nothing was delivered, and it was tried again. */
async function refusedWith(
  { pull, push, server, client }: Awaited<ReturnType<typeof meet>>,
  expected: { server: string; client: string },
): Promise<void> {
  await eventually(() => server.seen.length >= 4 && client.seen.length >= 4);
  const twice = (event: string): string[] => [event, "disconnect", event, "disconnect"];
  assert.equal(server.seen.slice(0, 4), twice(expected.server));
  assert.equal(client.seen.slice(0, 4), twice(expected.client));
  assert.not(pull.readable);
  push.close();
  pull.close();
}

for (const [name, { server, client }] of Object.entries(MECHANISMS)) {
  for (const type of ["REP", "ROUTER"] as const) {
    it(`${name}: a ${type} is asked, and what it grants reaches the receiver`, async () => {
      const context = fresh();
      const granted = properties(["X-Role", "admin"], ["X-Empty", ""]);
      const { requests } = await handle(sockets, context, (request) => answer(request, "200", "joe", granted), type);
      const own = { metadata: { "X-Role": "claimed", "X-Own": "kept" } };
      const { pull, server: seen } = await meet(context, server, { ...client, ...own });
      assert.equal(texts(await pull.receive()), ["message"]);
      assert.equal(requests, [["1.0", "1", "test", "127.0.0.1", "", ...CREDENTIALS[name]]]);
      await eventually(() => seen.seen.length > 0);
      assert.equal(seen.seen, ["handshake"]);
      const peer = pull.lastPeer!;
      assert.equal([peer.socketType, peer.address, peer.userId], ["PUSH", "127.0.0.1", "joe"]);
      const told = [...peer.properties].map(([key, value]) => `${key}=${value}`).sort();
      assert.equal(told, ["Socket-Type=PUSH", "User-Id=joe", "X-Empty=", "X-Own=kept", "X-Role=admin"]);
    });
  }

  for (const status of ["300", "400", "500"]) {
    it(`${name}: ${status} turns the peer away`, async () => {
      const context = fresh();
      await handle(sockets, context, (request) => answer(request, status, "joe"));
      const met = await meet(context, server, client);
      const event = `handshake:error:auth ${status}`;
      // 300 says nothing to the peer.
      await refusedWith(met, { server: event, client: status === "300" ? "handshake:error:other gone" : event });
      const [told] = met.server.events.filter(({ type }) => type === "handshake:error:auth");
      const texts: Record<string, string> = {
        300: "Temporary error",
        400: "Authentication failure",
        500: "Internal error",
      };
      assert.is((told as { error: Error }).error.message, texts[status]);
    });
  }

  const good = (request: Buffer[]): Frames => answer(request, "200", "joe");
  const changed =
    (index: number, frame: string | Buffer) =>
    (request: Buffer[]): Frames =>
      good(request).map((old, i) => (i === index ? frame : old));
  const malformed: [title: string, code: string, (request: Buffer[]) => Frames][] = [
    ["no frames but one", "MALFORMED_REPLY", () => [""]],
    ["a frame short", "MALFORMED_REPLY", (request) => good(request).slice(0, -1)],
    ["a frame too many", "MALFORMED_REPLY", (request) => [...good(request), ""]],
    ["another version", "BAD_VERSION", changed(0, "1.1")],
    ["no version", "BAD_VERSION", changed(0, "")],
    ["another request's id", "BAD_REQUEST_ID", changed(1, "2")],
    ["no id", "BAD_REQUEST_ID", changed(1, "")],
    ["status 201", "INVALID_STATUS_CODE", changed(2, "201")],
    ["status 2000", "INVALID_STATUS_CODE", changed(2, "2000")],
    ["no status", "INVALID_STATUS_CODE", changed(2, "")],
    ["metadata that is cut off", "INVALID_METADATA", changed(5, Buffer.from("\x06X-Role\0\0\0\x09ad"))],
    ["metadata that is none", "INVALID_METADATA", changed(5, "x")],
  ];

  it(`${name}: an answer that is none is named for what is wrong with it, and lets nobody in`, async () => {
    for (const [title, code, decide] of malformed) {
      const context = fresh();
      const { socket } = await handle(sockets, context, decide);
      const met = await meet(context, server, client);
      const expected = { server: `handshake:error:protocol ERR_ZAP_${code}`, client: "handshake:error:other gone" };
      await refusedWith(met, expected).catch((error) => {
        throw Object.assign(error, { message: `${title}: ${error.message}` });
      });
      const [told] = met.server.events.filter(({ type }) => type === "handshake:error:protocol");
      assert.is((told as { error: Error }).error.message, "ZAP protocol error");
      socket.close();
    }
  });

  it(`${name}: a handler that takes too long loses to the handshake timer; its late answer hurts nobody`, async () => {
    const context = fresh();
    let release: (() => void) | undefined;
    let isSlow = true;
    const slow = async (request: Buffer[]): Promise<Frames> => {
      if (isSlow) await new Promise<void>((resolve) => (release = resolve));
      return answer(request, "200");
    };
    await handle(sockets, context, slow, "ROUTER");
    const met = await meet(context, { ...server, handshakeInterval: 150 }, client);
    await eventually(() => met.server.seen.length >= 2);
    assert.equal(met.server.seen.slice(0, 2), ["handshake:error:other EAGAIN", "disconnect"]);
    assert.not(met.pull.readable);
    isSlow = false;
    release?.();
    assert.equal(texts(await met.pull.receive()), ["message"]);
  });

  it(`${name}: a slow handler's answer counts when it is in time, and others wait for nobody`, async () => {
    const context = fresh();
    const wait = new Map<string, () => void>();
    const router = sockets.own(new Router({ context, linger: 0 }));
    await router.bind(ZAP);
    let asked = 0;
    (async () => {
      for await (const [id, delimiter, ...request] of router) {
        const reply = (): Promise<void> => router.send([id, delimiter, ...answer(request, "200", String(asked))]);
        if (asked++ === 0) wait.set("first", reply);
        else await reply();
      }
    })();
    const first = await meet(context, server, client);
    await eventually(() => asked === 1);
    const second = await meet(context, server, client);
    assert.equal(texts(await second.pull.receive()), ["message"]);
    assert.equal(first.server.seen, []);
    wait.get("first")?.();
    assert.equal(texts(await first.pull.receive()), ["message"]);
  });

  it(`${name}: a handler that dies while it is asked lets nobody in, and the peer tries again`, async () => {
    const context = fresh();
    let asked = 0;
    const dying = await handle(sockets, context, () => {
      asked++;
      dying.socket.close();
      return undefined;
    });
    const enforced = { ...server, zapEnforceDomain: true };
    const met = await meet(context, enforced, client);
    await eventually(() => met.server.seen.length >= 4 && met.client.seen.length >= 4);
    assert.is(asked, 1);
    assert.equal(met.server.seen.slice(0, 2), ["handshake:error:auth 300", "disconnect"]);
    assert.is(met.server.seen[2], "handshake:error:other EFAULT", "nobody is there now");
    // A client of libzmq gives up for good after an ERROR: it gets none.
    assert.equal(met.client.seen.slice(0, 2), ["handshake:error:other gone", "disconnect"]);
    assert.not(met.pull.readable);
    await handle(sockets, context, (request) => answer(request, "200"));
    assert.equal(texts(await met.pull.receive()), ["message"]);
  });
}

it("nobody to ask: PLAIN lets nobody in, NULL and CURVE everybody unless the domain is enforced", async () => {
  const outcomes: [keyof typeof MECHANISMS, boolean, boolean][] = [
    ["null", false, true],
    ["null", true, false],
    ["plain", false, false],
    ["plain", true, false],
    ["curve", false, true],
    ["curve", true, false],
  ];
  for (const [name, zapEnforceDomain, isLetIn] of outcomes) {
    const { server, client } = MECHANISMS[name];
    const met = await meet(fresh(), { ...server, zapEnforceDomain }, client);
    if (isLetIn) {
      assert.equal(texts(await met.pull.receive()), ["message"]);
      assert.is(met.pull.lastPeer?.userId, undefined, "nobody has said who it is");
    } else await refusedWith(met, { server: "handshake:error:other EFAULT", client: "handshake:error:other gone" });
  }
});

it("an empty domain: NULL asks nobody, CURVE asks unless the domain is enforced, which PLAIN cannot be", async () => {
  const context = fresh();
  const { requests } = await handle(sockets, context, (request) => answer(request, "400"));
  const open = await meet(context, {}, {});
  assert.equal(texts(await open.pull.receive()), ["message"]);
  const enforcedNull = await meet(context, { zapEnforceDomain: true }, {});
  assert.equal(texts(await enforcedNull.pull.receive()), ["message"]);
  const enforcedCurve = await meet(context, { ...curveServer, zapEnforceDomain: true }, curveClient);
  assert.equal(texts(await enforcedCurve.pull.receive()), ["message"]);
  assert.equal(requests, []);
  const event = "handshake:error:auth 400";
  await refusedWith(await meet(context, curveServer, curveClient), { server: event, client: event });
  assert.equal(requests[0].slice(2, 3), [""]);
  await refusedWith(await meet(context, { plainServer: true }, plainClient), { server: event, client: event });

  // The original aborts the process at the first handshake.
  const pull = sockets.own(new Pull({ context, ...quick, plainServer: true, zapEnforceDomain: true }));
  const refusal = /plainServer with zapEnforceDomain needs zapDomain/;
  assert.throws(() => pull.bindSync("tcp://127.0.0.1:*"), refusal);
  assert.throws(() => pull.connect("tcp://127.0.0.1:9"), refusal);
  pull.zapDomain = "now";
  pull.bindSync("tcp://127.0.0.1:*");
});

it("a request tells the asking socket's own routing id and domain, and the peer's address", async () => {
  const context = fresh();
  const { requests } = await handle(sockets, context, (request) => answer(request, "200"));
  const router = sockets.own(new Router({ context, ...quick, routingId: "server", zapDomain: "domain", ipv6: true }));
  for (const address of ["tcp://127.0.0.1:*", "tcp://[::1]:*", sockets.address("ipc")]) {
    await router.bind(address);
    const dealer = sockets.own(new Dealer({ ...quick, routingId: "client", ipv6: true }));
    dealer.connect(router.lastEndpoint as string);
    await dealer.send("hello");
    assert.equal(texts(await router.receive()), ["client", "hello"]);
    assert.is(String(router.lastPeer?.identity), "client");
    dealer.close();
    router.unbindSync(router.lastEndpoint as string);
  }
  assert.equal(
    requests.map((request) => request.slice(2, 5)),
    [
      ["domain", "::ffff:127.0.0.1", "server"],
      ["domain", "::1", "server"],
      ["domain", "localhost", "server"],
    ],
  );
});

it("both ends may ask, each its own handler", async () => {
  const [near, far] = [fresh(), fresh()];
  const one = await handle(sockets, near, (request) => answer(request, "200", "client"));
  const other = await handle(sockets, far, (request) => answer(request, "200", "server"));
  const reply = sockets.own(new Reply({ context: near, ...quick, zapDomain: "near" }));
  const request = sockets.own(new Request({ context: far, ...quick, zapDomain: "far" }));
  await sockets.join(reply, request, "tcp");
  await request.send("?");
  await reply.receive();
  await reply.send("!");
  await request.receive();
  assert.equal([reply.lastPeer?.userId, request.lastPeer?.userId], ["client", "server"]);
  assert.equal([one.requests.length, other.requests.length], [1, 1]);
});

it("a handler of another context is not asked, and one that denies a socket does not hear of inproc", async () => {
  const { requests } = await handle(sockets, fresh(), (request) => answer(request, "400"));
  const { pull } = await meet(fresh(), { zapDomain: "test" }, {});
  assert.equal(texts(await pull.receive()), ["message"]);
  assert.equal(requests, []);
  const context = fresh();
  const own = await handle(sockets, context, (request) => answer(request, "400"));
  const [push, near] = [new Push({ context }), new Pull({ context, zapDomain: "test" })].map((socket) =>
    sockets.own(socket),
  ) as [Push, Pull];
  await sockets.join(near, push, "inproc");
  await push.send("as in libzmq");
  await near.receive();
  assert.equal(own.requests, []);
});

it("a handler that never answers holds nothing when the socket is closed", async () => {
  const context = fresh();
  const { requests } = await handle(sockets, context, () => undefined, "ROUTER");
  const met = await meet(context, { ...curveServer, zapDomain: "test" }, curveClient);
  await eventually(() => requests.length === 1);
  const waiting = met.pull.receive();
  waiting.catch(() => {});
  assert.ok(await isPending(waiting, 20));
  met.pull.close();
  await eventually(() => met.client.seen.includes("disconnect"));
  assert.equal(met.client.seen.slice(0, 2), ["handshake:error:other gone", "disconnect"]);
});

it.run();

/**
 * What is wrong with security's options is said at once, at the option or at bind and connect, and never lets a peer
 * in.
 */

import { curveKeyPair, Dealer, Pull, Router, Stream } from "zmtp";
import { decodeZ85 } from "../../src/codec/z85.ts";
import { createSocket } from "../../src/v5-compat.ts";
import { rejected, Sockets, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";
import { curveClient, curveServer, keys, plainServer, quick, watch } from "./people.ts";

const it = suite("security/options");
const sockets = new Sockets(it);

const KEYS = ["curvePublicKey", "curveSecretKey", "curveServerKey"] as const;

it("a key of a wrong length, or that is not Z85, is EINVAL at the option, which keeps what it had", () => {
  const { publicKey } = keys.server;
  const wrong: [title: string, key: string | Buffer][] = [
    ["empty", ""],
    ["a character short", publicKey.slice(1)],
    ["a character long", `${publicKey}0`],
    ["five characters short", publicKey.slice(5)],
    ["31 octets", Buffer.alloc(31, 1)],
    ["33 octets", Buffer.alloc(33, 1)],
    ["not of the alphabet", `"${publicKey.slice(1)}`],
    ["a blank", ` ${publicKey.slice(1)}`],
    ["a letter beyond ASCII", `é${publicKey.slice(2)}`],
    ["a group that is too large", `#####${publicKey.slice(5)}`],
    ["hexadecimal", decodeZ85(publicKey).toString("hex")],
  ];
  for (const name of KEYS) {
    for (const [title, key] of wrong) {
      const dealer = sockets.own(new Dealer(curveClient));
      const error = thrown(() => {
        dealer[name] = key as string;
      });
      assert.equal([error.code, error.message], ["EINVAL", "Invalid argument"], `${name}: ${title}`);
      assert.is(dealer[name], curveClient[name], title);
      assert.is(thrown(() => new Dealer({ ...curveClient, [name]: key })).code, "EINVAL", title);
    }
    try {
      new Dealer({ [name]: "my secret words" });
      assert.unreachable();
    } catch (error) {
      assert.is(
        ((error as Error).cause as Error).message,
        `${name} takes a key of 32 octets, or of 40 characters in Z85`,
      );
    }
    assert.is(thrown(() => new Dealer({ [name]: 7 as never })).name, "TypeError");
  }
});

it("keys may be text or octets", async () => {
  const octets = { ...curveClient };
  const dealer = sockets.own(new Dealer(quick));
  for (const name of KEYS) dealer[name] = decodeZ85(octets[name]) as never;
  const router = sockets.own(new Router({ ...quick, ...curveServer }));
  await sockets.join(router, dealer, "tcp");
  await dealer.send("hello");
  assert.is(String((await router.receive())[1]), "hello");
  assert.equal(
    KEYS.map((name) => dealer[name]),
    KEYS.map((name) => curveClient[name]),
  );
});

it("the server's key and the server's role at once, in whatever order, are EINVAL", () => {
  const both = [
    { ...curveServer, curveServerKey: keys.server.publicKey },
    { curveServerKey: keys.server.publicKey, ...curveServer },
    { ...curveClient, curveServer: true },
  ];
  for (const options of both) {
    const error = thrown(() => new Router(options));
    assert.is(error.code, "EINVAL");
    assert.match(error.message, /curveServer and curveServerKey exclude each other/);
  }
  sockets.own(new Router({ ...curveClient, curveServer: false, curveServerKey: keys.server.publicKey }));
});

it("the last one wins, as in libzmq: a socket may serve at one endpoint and be a client at another", async () => {
  const upstream = sockets.own(new Router({ ...quick, ...curveServer }));
  const address = await sockets.bound(upstream, "tcp");
  const own = curveKeyPair();
  const broker = sockets.own(
    new Dealer({ ...quick, curveServer: true, curvePublicKey: own.publicKey, curveSecretKey: own.secretKey }),
  );
  await broker.bind("tcp://127.0.0.1:*");
  const below = broker.lastEndpoint as string;
  broker.curveServerKey = keys.server.publicKey;
  assert.is(broker.curveServer, false);
  broker.connect(address);
  await broker.send("up");
  assert.is(String((await upstream.receive())[1]), "up");

  const client = sockets.own(new Dealer({ ...quick, ...curveClient, curveServerKey: own.publicKey }));
  client.connect(below);
  await client.send("from below");
  assert.is(String(await broker.receive()), "from below");
});

it("a key that is missing is EINVAL at bind and connect, which names it, and the socket goes on", async () => {
  const { publicKey, secretKey } = keys.client;
  const cases: [missing: string, options: object][] = [
    ["curveSecretKey", { curveServer: true }],
    ["curveSecretKey", { curveServer: true, curvePublicKey: publicKey }],
    ["curveSecretKey", { curvePublicKey: publicKey, curveServerKey: keys.server.publicKey }],
    ["curvePublicKey", { curveSecretKey: secretKey, curveServerKey: keys.server.publicKey }],
    ["curveServerKey", { curvePublicKey: publicKey, curveSecretKey: secretKey }],
  ];
  for (const [missing, options] of cases) {
    const pull = sockets.own(new Pull({ ...quick, ...options }));
    for (const error of [
      thrown(() => pull.connect("tcp://127.0.0.1:9")),
      thrown(() => pull.bindSync("tcp://127.0.0.1:*")),
      await rejected(() => pull.bind("tcp://127.0.0.1:*")),
      await rejected(() => pull.bind(sockets.address("ipc"))),
    ]) {
      assert.equal([error.code, error.message], ["EINVAL", `CURVE needs ${missing}`]);
    }
    pull[missing as "curvePublicKey"] = keys.server.publicKey;
    // The way back to no security is a choice that the program has to make by name.
    pull.curveServer = false;
    assert.is(pull.securityMechanism, null);
    await pull.bind("tcp://127.0.0.1:*");
  }
});

it("names, passwords and domains of wrong lengths are EINVAL", () => {
  const pull = sockets.own(new Pull());
  for (const name of ["plainUsername", "plainPassword", "zapDomain"] as const) {
    for (const value of ["", "x".repeat(256), "é".repeat(128)]) {
      const set = (): void => {
        pull[name] = value;
      };
      assert.is(thrown(set).code, "EINVAL", `${name} of ${value.length}`);
    }
    pull[name] = "x".repeat(255);
  }
});

it("what was chosen stands until a program chooses otherwise: a failed option changes nothing", () => {
  const pull = sockets.own(new Pull(plainServer));
  thrown(() => {
    pull.curveServerKey = "short";
  });
  thrown(() => {
    pull.plainUsername = "";
  });
  assert.equal([pull.securityMechanism, pull.plainServer], ["plain", true]);
  const curve = sockets.own(new Pull(curveServer));
  thrown(() => {
    curve.curveSecretKey = Buffer.alloc(5) as never;
  });
  assert.equal([curve.securityMechanism, curve.curveServer], ["curve", true]);
});

it("options that are set after bind hold for the next one only: what is bound stays as safe as it was", async () => {
  const pull = sockets.own(new Pull({ ...quick, ...curveServer }));
  const { seen } = watch(pull);
  const address = await sockets.bound(pull, "tcp");
  pull.curveServer = false;
  const stranger = sockets.own(new Dealer(quick));
  stranger.connect(address);
  await eventually(() => seen.includes("disconnect"));
  assert.is(seen[0], "handshake:error:protocol ERR_ZMTP_MECHANISM_MISMATCH");
});

it("a Buffer that was given as a key may be overwritten at once", async () => {
  const secret = decodeZ85(keys.server.secretKey);
  const router = sockets.own(new Router({ ...quick, curveServer: true, curveSecretKey: secret as never }));
  secret.fill(0);
  const dealer = sockets.own(new Dealer({ ...quick, ...curveClient }));
  await sockets.join(router, dealer, "tcp");
  await dealer.send("hello");
  assert.is(String((await router.receive())[1]), "hello");
});

it("metadata that no handshake has room for is EINVAL, and what has room is carried", async () => {
  const room = 64512 - 5 - "X-Large".length;
  const longest = "r".repeat(255);
  assert.is(thrown(() => new Dealer({ metadata: { "X-Large": "x".repeat(room + 1) } })).code, "EINVAL");
  assert.is(thrown(() => new Dealer({ metadata: { "X-a": "x".repeat(room), "X-b": "x" } })).code, "EINVAL");
  const metadata = { "X-Large": "x".repeat(room) };
  const router = sockets.own(new Router({ ...quick, ...curveServer, routingId: longest, metadata }));
  const dealer = sockets.own(new Dealer({ ...quick, ...curveClient, routingId: longest, metadata }));
  await sockets.join(router, dealer, "tcp");
  await dealer.send("hello");
  await router.receive();
  await router.send([longest, "hello"]);
  await dealer.receive();
  for (const { lastPeer } of [router, dealer]) assert.is(lastPeer?.properties.get("X-Large")?.length, room);
});

it("a STREAM has no handshake: its options of security protect nothing, and break nothing", async () => {
  const stream = sockets.own(new Stream({ ...quick, ...curveServer }));
  await stream.bind("tcp://127.0.0.1:*");
});

it("version 5: the same by its own names", async () => {
  const router = createSocket("router", {
    curve_server: 1,
    curve_publickey: keys.server.publicKey,
    curve_secretkey: keys.server.secretKey,
    linger: 0,
  });
  router.bindSync("tcp://127.0.0.1:*");
  const dealer = createSocket("dealer", {
    curve_serverkey: keys.server.publicKey,
    curve_publickey: keys.client.publicKey,
    curve_secretkey: keys.client.secretKey,
    linger: 0,
  });
  dealer.connect(router.last_endpoint as string);
  const message = new Promise<Buffer[]>((resolve) => router.on("message", (...frames: Buffer[]) => resolve(frames)));
  dealer.send("hello");
  assert.is(String((await message)[1]), "hello");
  assert.is(thrown(() => createSocket("dealer", { curve_serverkey: "short" })).code, "EINVAL");
  router.close();
  dealer.close();
});

it.run();

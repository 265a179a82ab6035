/**
 * What errors say: the original's message, which programs compare, and the words about this very case in `error.cause`.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { inspect } from "node:util";
import * as zmtp from "../../src/index.ts";
import { freePort } from "../helpers/raw-peer.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";

const { Context, Dealer, Pair, Proxy, Publisher, Pull, Push, Router, Stream, Subscriber, XPublisher, curveKeyPair } =
  zmtp;

const it = suite("base/errors");
const sockets = new Sockets(it);

interface Told {
  code: string;
  message: string;
  cause: string;
}

/** What an error says. Its cause is an error, and printed with it. */
function told(error: unknown): Told {
  const { code, message, cause } = error as zmtp.ErrnoError;
  assert.instance(cause, Error, message);
  const words = (cause as Error).message;
  assert.ok(inspect(error).includes(words));
  assert.not(Object.keys(error as Error).includes("cause"), "as that of other errors, it is not listed");
  return { code, message, cause: words };
}

async function failing(body: () => unknown): Promise<Told> {
  try {
    await body();
  } catch (error) {
    return told(error);
  }
  throw new Error("nothing was thrown");
}

const ADDRESSES: [address: string, bind: string, connect: string][] = [
  ["127.0.0.1:5", 'there is no transport in "127.0.0.1:5", as in tcp://host:port', "="],
  ["", 'there is no transport in "", as in tcp://host:port', "="],
  ["tcp://", "there is nothing behind tcp://", "="],
  ["inproc://", "there is nothing behind inproc://", "="],
  ["ipc://a\0b", "there is a NUL in the address", "="],
  ["tcp://127.0.0.1", 'there is no port in "127.0.0.1"', "="],
  ["tcp://[::1]", 'there is no port in "[::1]"', "="],
  ["tcp://[::1", 'the bracket in "[::1" is not closed', "="],
  ["tcp://[::1:5", 'the bracket in "[::1:5" is not closed', "="],
  ["tcp://::1:5", "an IPv6 address stands in brackets: [::1]", "="],
  ["tcp://[host]:5", "there is no IP address in [host]", "="],
  ["tcp://host:", "there is no port behind the colon", "="],
  ["tcp://host:http", 'port "http" is no number', "="],
  ["tcp://host:-1", 'port "-1" is no number', "="],
  ["tcp://host:99999", "port 99999 is not within 0-65535", "="],
  ["tcp://127.0.0.1:65536", "port 65536 is not within 0-65535", "="],
  ["tcp://ho st:5", '"ho st" is no host', "="],
  ["tcp://*:*", "", 'connect takes a port, where "*" is any free one'],
  ["tcp://*:5", "", 'connect takes a host, where "*" is every interface of this one'],
  ["tcp://:5", "", "there is no host in front of the port"],
  ["tcp://127.0.0.1:0;127.0.0.1:5", "bind takes no source address, which stands before a semicolon", ""],
  [
    "tcp://:0;127.0.0.1:5",
    "bind takes no source address, which stands before a semicolon",
    "there is no host in front of the source's port",
  ],
  ["ipc://*", "", 'connect takes a path, where "*" is a fresh one'],
  ["ipc://@", 'there is no name behind the "@"', "="],
];

it("an address: what is wrong with it", async () => {
  for (const [address, bind, connect] of ADDRESSES) {
    const ways: [string, () => unknown, string][] = [
      ["bind", () => sockets.own(new Push()).bind(address), bind],
      ["bindSync", () => sockets.own(new Push()).bindSync(address), bind],
      ["connect", () => sockets.own(new Push()).connect(address), connect === "=" ? bind : connect],
    ];
    for (const [title, way, cause] of ways) {
      if (cause === "") continue;
      assert.equal(await failing(way), { code: "EINVAL", message: "Invalid argument", cause }, `${title} ${address}`);
    }
  }
});

it("an address that is well formed and cannot be", async () => {
  const push = sockets.own(new Push());
  const cause = async (body: () => unknown): Promise<string> => {
    const { code, cause: words } = await failing(body);
    return `${code} ${words}`;
  };
  assert.is(
    await cause(() => push.connect("TCP://host:5")),
    'EPROTONOSUPPORT the transport "TCP" is not tcp, ipc or inproc',
  );
  assert.match(
    await cause(() => push.connect(`ipc://${"x".repeat(200)}`)),
    /^ENAMETOOLONG a path of 200 octets, where the system takes \d+$/,
  );
  const v6 = "ENODEV ::1 is an IPv6 address, and the option ipv6 is false";
  assert.is(await cause(() => push.bind("tcp://[::1]:*")), v6);
  assert.is(await cause(() => push.bindSync("tcp://[::1]:*")), v6);
  assert.is(await cause(() => push.bind("tcp://:5")), "ENODEV there is no host in front of the port");
  assert.is(
    await cause(() => push.bindSync("tcp://no-such-device:5")),
    'ENODEV there is no interface or host "no-such-device" here',
  );
  assert.match(await cause(() => push.bind("tcp://name.invalid:5")), /^ENODEV /);
});

type Open = Record<string, unknown>;

const VALUES: [make: () => unknown, name: string, value: unknown, cause: string][] = [
  [() => new Push(), "linger", -5, "linger takes -1 or more, not -5"],
  [() => new Push(), "sendHighWaterMark", -1, "sendHighWaterMark takes 0 or more, not -1"],
  [() => new Pull(), "receiveTimeout", -2, "receiveTimeout takes -1 or more, not -2"],
  [() => new Push(), "tcpKeepalive", 2, "tcpKeepalive takes -1 to 1, not 2"],
  [() => new Push(), "rate", 0, "rate takes 1 or more, not 0"],
  [() => new Router(), "routerNotify", 4, "routerNotify takes 0 to 3, not 4"],
  [() => new Dealer(), "routingId", "x".repeat(256), "routingId takes 1 to 255 octets, not 256"],
  [() => new Dealer(), "routingId", "", "routingId takes 1 to 255 octets, not 0"],
  [() => new Dealer(), "routingId", null, "routingId takes 1 to 255 octets, not null"],
  [() => new Push(), "plainUsername", "ü".repeat(128), "plainUsername takes 1 to 255 octets, not 256"],
  [() => new Push(), "plainPassword", "secret".repeat(100), "plainPassword takes 1 to 255 octets, not 600"],
  [() => new Push(), "zapDomain", null, "zapDomain takes 1 to 255 octets, not null"],
  [() => new Push(), "socksProxy", "", "socksProxy takes 1 or more octets, not 0"],
  [() => new Push(), "interface", "x".repeat(17), "interface takes 1 to 16 octets, not 17"],
  [() => new Push(), "curveSecretKey", "secret", "curveSecretKey takes a key of 32 octets, or of 40 characters in Z85"],
  [() => new Push(), "heartbeatTimeToLive", 6553600, "heartbeatTimeToLive takes 0 to 6553599, not 6553600"],
  [() => new Push(), "tcpAcceptFilter", "localhost", '"localhost" is neither an IP address nor a network'],
  [
    () => new Push(),
    "metadata",
    { Name: "x" },
    '"Name" is no name of metadata: X- and up to 253 letters, digits or - _ . +',
  ],
  [() => new Push(), "vmciBufferSize", 1, "vmciBufferSize is not available"],
  [() => new Context(), "maxSockets", 0, "maxSockets takes 1 or more, not 0"],
  [() => new Context(), "busyPoll", -1, "busyPoll takes 0 or more, not -1"],
];

it("a value of an option: what it takes, and what it got, but for passwords and keys", async () => {
  for (const [make, name, value, cause] of VALUES) {
    const holder = make() as Open;
    const error = await failing(() => {
      holder[name] = value;
    });
    assert.equal(error, { code: "EINVAL", message: "Invalid argument", cause }, name);
    (holder as { close?(): void }).close?.();
  }
});

const raw =
  (id: number, value: unknown, type = "Int32") =>
  (socket: Open): void =>
    (socket[`set${type}Option`] as (id: number, value: unknown) => void)(id, value);

const CALLS: [Type: new () => object, call: (socket: Open) => unknown, cause: string][] = [
  [Push, raw(9999, 1), "there is no option 9999"],
  [Pull, raw(33, 1), "PULL has no mandatory"],
  [Push, raw(17, 1, "Int64"), "linger is of type int32, not int64"],
  [Push, raw(16, 1), "type can be read, and not set"],
  [Push, raw(39, 2), "immediate takes 0 or 1, not 2"],
  [Push, raw(43, 1), "securityMechanism can be read, and not set"],
  [
    Subscriber,
    (socket) => (socket as unknown as zmtp.Subscriber).getStringOption(6),
    "ZMQ_SUBSCRIBE can be set, and not read",
  ],
  [Router, (socket) => socket.mandatory, "mandatory can be set, and not read"],
  [Push, (socket) => socket.tcpAcceptFilter, "tcpAcceptFilter can be set, and not read"],
  [Push, (socket) => socket.curveSecretKey, "curveSecretKey cannot be read: the mechanism is not CURVE"],
  [
    Router,
    (socket) => (socket as unknown as zmtp.Router).connect("inproc://x", { routingId: "" }),
    "routingId takes 1 to 255 octets, not 0",
  ],
  [
    Stream,
    (socket) => (socket as unknown as zmtp.Stream).connect("tcp://127.0.0.1:9", { routingId: "x".repeat(300) }),
    "routingId takes 1 to 255 octets, not 300",
  ],
  [Pull, (socket) => (socket as unknown as zmtp.Pull).receiveMany(0), "at least 1 message can be received, not 0"],
  [
    XPublisher,
    (socket) => (socket as unknown as zmtp.XPublisher).subscribe("x"),
    "an XPUB makes subscriptions itself unless manual is set",
  ],
  [Push, (socket) => new Proxy(socket as never, {} as never), "Back-end is an object, but no socket"],
];

it("calls: what they take, and what they got", async () => {
  for (const [Type, call, cause] of CALLS) {
    const socket = new Type() as zmtp.Socket;
    const error = await failing(() => call(socket as unknown as Open));
    assert.equal(error, { code: "EINVAL", message: "Invalid argument", cause });
    socket.close();
  }
  class Other extends zmtp.Socket {}
  const error = await failing(() => new (Other as unknown as new (type: number) => zmtp.Socket)(99));
  assert.is(error.cause, "there is no socket type 99 here");
});

it("no EINVAL is without words, anywhere in the sources", () => {
  for (const file of readdirSync("src", { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const text = readFileSync(path.join("src", file), "utf8");
    // The address alone, or nothing, behind the code.
    assert.not.match(text, /errnoError\(\s*"EINVAL"\s*(?:,[^,()]*)?\)/, file);
  }
});

/** The first event of this type at a socket. */
function heard(socket: zmtp.Socket, type: "handshake:error:other"): Promise<Told> {
  return new Promise((fulfil) => socket.events.on(type, ({ error }) => fulfil(told(error))));
}

it("a CURVE server that is silent about a wrong key: EPIPE with a guess at the client", async () => {
  const [server, other, client] = [curveKeyPair(), curveKeyPair(), curveKeyPair()];
  const pull = sockets.own(new Pull({ curveServer: true, curveSecretKey: server.secretKey }));
  const address = await sockets.bound(pull, "tcp");
  const push = sockets.own(
    new Push({ curveServerKey: other.publicKey, curvePublicKey: client.publicKey, curveSecretKey: client.secretKey }),
  );
  const error = heard(push, "handshake:error:other");
  push.connect(address);
  assert.equal(await error, {
    code: "EPIPE",
    message: "Broken pipe",
    cause: "the peer ended the connection in the handshake, as a CURVE server does when curveServerKey is not its key",
  });
});

it("a handler that has to be asked and is not there: EFAULT, with its address in the cause", async () => {
  const expected = {
    code: "EFAULT",
    message: "Context is closed",
    cause: "no ZAP handler is bound at inproc://zeromq.zap.01",
  };
  const closed = new Context();
  const handler = new zmtp.Reply({ context: closed });
  await handler.bind("inproc://zeromq.zap.01");
  handler.close();
  for (const context of [new Context(), closed]) {
    for (const options of [{ plainServer: true }, { zapDomain: "test", zapEnforceDomain: true }]) {
      const pull = sockets.own(new Pull({ context, ...options }));
      const error = heard(pull, "handshake:error:other");
      const push = sockets.own(new Push("plainServer" in options ? { plainUsername: "anna" } : {}));
      push.connect(await sockets.bound(pull, "tcp"));
      assert.equal(await error, expected);
    }
  }
});

it("what is sent as its text without being meant so is warned of, once", async () => {
  const warnings: string[] = [];
  const { emitWarning } = process;
  process.emitWarning = ((text: string, { code }: { code: string }) =>
    void warnings.push(`${code} ${text}`)) as typeof process.emitWarning;
  try {
    const pair = sockets.own(new Pair());
    const other = sockets.own(new Pair());
    await sockets.join(pair, other);
    const send = async (message: unknown): Promise<string> => {
      await pair.send(message as string);
      return String(await other.receive());
    };
    for (const meant of [1, 1n, true, "text", null, Buffer.from("x"), ["a", 2, null]]) await send(meant);
    assert.equal(warnings, []);
    assert.is(await send(Promise.resolve()), "[object Promise]");
    for (const unmeant of [{}, new Map(), () => 1, [undefined], [["a"]]]) await send(unmeant);
    assert.equal(warnings, ["ZMTP_SENT_AS_TEXT [object Promise] was sent as its text, which is hardly meant"]);
  } finally {
    process.emitWarning = emitWarning;
  }
});

it("a peer that is not there keeps Node's error as the cause", async () => {
  const push = sockets.own(new Push());
  await push.bind(`tcp://127.0.0.1:${await freePort()}`);
  const error = await failing(() => sockets.own(new Publisher()).bind(push.lastEndpoint as string));
  assert.equal([error.code, error.message], ["EADDRINUSE", "Address already in use"]);
  assert.match(error.cause, /EADDRINUSE/);
});

it("the page of errors has each code, and no other", () => {
  const [, table] = /const TABLE = \{([^}]*)\}/.exec(readFileSync("src/base/errors.ts", "utf8")) ?? [];
  const raised = [...(table ?? "").matchAll(/^ {2}(E[A-Z]+):/gm)].map(([, code]) => code);
  const page = readFileSync("docs/reference/errors.md", "utf8");
  const told = [...page.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell]) => cell.match(/\bE[A-Z]+\b(?!_)/g) ?? []);
  assert.equal([...new Set(told)].sort(), raised.sort());
});

it.run();

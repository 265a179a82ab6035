/** `zmtp/auth`: the ready-made authenticator, between real sockets. */
import { Dealer, Pull, Push, Router, type SocketOptions } from "zmtp";
import { type AuthDecision, Authenticator, type AuthenticatorOptions, type AuthRequest } from "../../src/auth.ts";
import { decodeZ85, encodeZ85 } from "../../src/codec/z85.ts";
import { Child } from "../helpers/child.ts";
import { Sockets, texts, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { collectGarbage, eventually, turns } from "../helpers/wait.ts";
import {
  curveClient,
  curveClientOf,
  curveServer,
  fresh,
  keys,
  plainClient,
  plainServer,
  quick,
  type Watched,
  watch,
  ZAP,
} from "./people.ts";

const it = suite("security/authenticator");
const sockets = new Sockets(it);
const running = new Set<Authenticator>();

it.afterEach(() => {
  for (const authenticator of running) authenticator.stop();
  running.clear();
});

/** One that runs until the test ends, in a context of its own. */
function authenticator(options: AuthenticatorOptions = {}) {
  const context = options.context ?? fresh();
  const made = new Authenticator({ ...options, context });
  running.add(made);
  made.start();
  return { context, auth: made };
}

interface Outcome {
  /** What the server is told: "handshake", or the fault. */
  told: string;
  userId: string | undefined;
  properties: ReadonlyMap<string, Buffer> | undefined;
}

/** How a client fares with a server. */
async function enter(server: SocketOptions<Pull>, client: SocketOptions<Push>, host = "127.0.0.1"): Promise<Outcome> {
  const ipv6 = host.includes(":");
  const pull = sockets.own(new Pull({ ...quick, ipv6, ...server }));
  const push = sockets.own(new Push({ ...quick, ipv6, ...client }));
  const watched: Watched = watch(pull);
  await pull.bind(`tcp://${host}:*`);
  push.connect(pull.lastEndpoint as string);
  await push.send("hello");
  await eventually(() => watched.seen.length > 0);
  const [told] = watched.seen;
  if (told === "handshake") await pull.receive();
  const peer = pull.lastPeer;
  push.close();
  pull.close();
  return { told, userId: peer?.userId, properties: peer?.properties };
}

const IN = "handshake";
const DENIED = "handshake:error:auth 400";

it("PLAIN: users by domain, replaced as a whole, and nobody by default", async () => {
  const { context, auth } = authenticator();
  const told = async (user: string, password: string, zapDomain = "test"): Promise<string> => {
    const client = { plainUsername: user, plainPassword: password };
    return (await enter({ context, plainServer: true, zapDomain }, client)).told;
  };
  assert.is(await told("admin", "secret"), DENIED, "no users yet");
  auth.setUsers({ admin: "secret", jürgen: "pässword", empty: "" });
  const outcome = await enter({ context, ...plainServer }, plainClient);
  assert.equal([outcome.told, outcome.userId], [IN, "admin"]);
  assert.is(await told("jürgen", "pässword"), IN);
  for (const [user, password] of [
    ["admin", "secre"],
    ["admin", "secrets"],
    ["admin", "Secret"],
    ["Admin", "secret"],
    ["nobody", "secret"],
    ["toString", "secret"],
    ["__proto__", "secret"],
  ]) {
    assert.is(await told(user, password), DENIED, `${user} ${password}`);
  }
  auth.setUsers({ other: "word" }, "special");
  assert.is(await told("admin", "secret", "special"), DENIED, "a domain with users of its own has no others");
  assert.is(await told("other", "word", "special"), IN);
  assert.is(await told("other", "word"), DENIED);
  auth.setUsers(null, "special");
  assert.is(await told("other", "word", "special"), DENIED);
  assert.is(await told("admin", "secret", "special"), DENIED, "nobody, not even the others'");
  auth.setUsers({ admin: "changed" });
  assert.is(await told("admin", "secret"), DENIED);
  assert.is(await told("admin", "changed"), IN);
  auth.setUsers(null);
  assert.is(await told("admin", "changed"), DENIED);
});

it("PLAIN without a password, or a name", async () => {
  const { context, auth } = authenticator();
  auth.setUsers({ guest: "", "": "secret" });
  assert.is((await enter({ context, ...plainServer }, { plainUsername: "guest" })).told, IN);
  assert.is((await enter({ context, ...plainServer }, { plainPassword: "secret" })).told, IN);
  assert.is((await enter({ context, ...plainServer }, { plainUsername: "nobody" })).told, DENIED);
});

it("CURVE: keys in Z85 or octets, with user ids, by domain, any, and nobody by default", async () => {
  const { context, auth } = authenticator();
  const server = { context, ...curveServer, zapDomain: "test" };
  const stranger = curveClientOf(keys.stranger);
  assert.is((await enter(server, curveClient)).told, DENIED, "no keys yet");
  auth.setKeys([keys.client.publicKey]);
  assert.equal((await enter(server, curveClient)).userId, keys.client.publicKey);
  assert.is((await enter(server, stranger)).told, DENIED);
  auth.setKeys(new Set([decodeZ85(keys.stranger.publicKey)]));
  assert.is((await enter(server, curveClient)).told, DENIED);
  assert.is((await enter(server, stranger)).userId, keys.stranger.publicKey);
  auth.setKeys({ [keys.client.publicKey]: "joe" });
  assert.is((await enter(server, curveClient)).userId, "joe");
  auth.setKeys("any");
  assert.is((await enter(server, stranger)).userId, keys.stranger.publicKey);
  auth.setKeys(null, "test");
  assert.is((await enter(server, stranger)).told, DENIED, "nobody in this domain");
  assert.is((await enter({ ...server, zapDomain: "other" }, stranger)).told, IN);
  assert.is((await enter({ context, ...curveServer }, stranger)).told, IN, "the empty domain");
  for (const wrong of ["short", "", `${keys.client.publicKey}00000`, Buffer.alloc(31), '"'.repeat(40)]) {
    assert.is(thrown(() => auth.setKeys([wrong])).code, "EINVAL");
  }
  assert.is(thrown(() => auth.setKeys({ short: "joe" })).code, "EINVAL");
  assert.is((await enter({ ...server, zapDomain: "other" }, stranger)).told, IN, "a refused list changes nothing");
});

it("NULL: who comes from a right address", async () => {
  const { context, auth } = authenticator();
  const server = { context, zapDomain: "test" };
  const outcome = await enter(server, {});
  assert.equal([outcome.told, outcome.userId], [IN, ""]);
  auth.deny("127.0.0.0/8");
  assert.is((await enter(server, {})).told, DENIED);
  auth.clearAddresses();
  assert.is((await enter(server, {})).told, IN);
});

it("addresses: denied before allowed, IPv6, IPv4 in its IPv6 form, and mechanisms after them", async () => {
  const { context, auth } = authenticator();
  auth.setUsers({ admin: "secret" });
  const request = (address: string): AuthRequest => ({
    domain: "test",
    address,
    identity: Buffer.alloc(0),
    mechanism: "NULL",
    credentials: [],
  });
  const admitted = (...addresses: string[]): string[] =>
    addresses.filter((address) => auth.decide(request(address)).status === 200);
  auth.allow("10.0.0.0/8", "2001:db8::/32", "192.168.1.1");
  auth.deny("10.1.0.0/16", "2001:db8:dead::/48", "fe80::/10");
  assert.equal(admitted("10.0.0.1", "10.1.0.1", "10.255.255.255", "11.0.0.1", "192.168.1.1", "192.168.1.2"), [
    "10.0.0.1",
    "10.255.255.255",
    "192.168.1.1",
  ]);
  assert.equal(admitted("2001:db8::1", "2001:db8:dead::1", "2001:DB8:0:0:0:0:0:2", "2001:db9::1", "::1"), [
    "2001:db8::1",
    "2001:DB8:0:0:0:0:0:2",
  ]);
  assert.equal(admitted("::ffff:10.0.0.1", "::ffff:10.1.0.1", "::ffff:11.0.0.1"), ["::ffff:10.0.0.1"]);
  assert.equal(admitted("localhost", "", "10.0.0", "10.0.0.1 ", "10.0.0.01"), [], "what is no address is not allowed");
  auth.clearAddresses();
  auth.deny("fe80::/10", "::ffff:10.0.0.0/104");
  assert.equal(admitted("fe80::1", "fe80::1%eth0", "fec0::1%eth0", "10.2.3.4", "11.2.3.4"), [
    "fec0::1%eth0",
    "11.2.3.4",
  ]);
  for (const wrong of [
    "",
    "localhost",
    "10.0.0.0/33",
    "10.0.0",
    "::/129",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "fe80::1%eth0",
  ]) {
    assert.is(thrown(() => auth.allow(wrong)).code, "EINVAL", wrong);
    assert.is(thrown(() => auth.deny(wrong)).code, "EINVAL", wrong);
  }
  assert.equal(admitted("11.2.3.4"), ["11.2.3.4"], "a refused range allows nobody, and forbids nobody");

  auth.clearAddresses();
  auth.allow("127.0.0.1");
  const server = { context, ...plainServer };
  assert.is((await enter(server, plainClient)).told, IN);
  assert.is(
    (await enter(server, { ...plainClient, plainPassword: "guess" })).told,
    DENIED,
    "an address is no password",
  );
  assert.is((await enter(server, plainClient, "[::ffff:127.0.0.1]")).told, IN);
  assert.is((await enter(server, plainClient, "[::1]")).told, DENIED);
  auth.allow("::1");
  assert.is((await enter(server, plainClient, "[::1]")).told, IN);
});

it("check has the last word on those whom the rules let in, at once or later", async () => {
  const asked: AuthRequest[] = [];
  const decisions: [string, AuthDecision][] = [];
  let answer: AuthDecision | Promise<AuthDecision> = {
    status: 200,
    userId: "checked",
    properties: { "X-Role": "admin" },
  };
  const { context, auth } = authenticator({
    check: (request) => {
      asked.push(request);
      return answer;
    },
    onDecision: (request, decision) => decisions.push([request.mechanism, decision]),
  });
  const server = { context, ...curveServer, zapDomain: "test" };
  assert.is((await enter(server, curveClient)).told, DENIED);
  assert.is(asked.length, 0, "who is denied by a rule is not asked about");
  auth.setKeys("any");
  const outcome = await enter(server, curveClient);
  assert.equal([outcome.told, outcome.userId, String(outcome.properties?.get("X-Role"))], [IN, "checked", "admin"]);
  const [{ domain, address, identity, mechanism, credentials }] = asked;
  assert.equal([domain, address, identity.length, mechanism], ["test", "127.0.0.1", 0, "CURVE"]);
  assert.equal(credentials, [decodeZ85(keys.client.publicKey)]);
  for (const status of [300, 400, 500] as const) {
    answer = { status, userId: "ignored" };
    assert.is((await enter(server, curveClient)).told, `handshake:error:auth ${status}`);
    answer = Promise.resolve({ status });
    assert.is((await enter(server, curveClient)).told, `handshake:error:auth ${status}`);
  }
  answer = turns().then(() => ({ status: 200, userId: "late" }));
  assert.is((await enter(server, curveClient)).userId, "late");
  assert.equal(decisions[0], ["CURVE", { status: 400, text: "No access" }]);
  assert.is(decisions.at(-1)?.[1].userId, "late");
});

/** An error that throws when it is printed. */
function untellable(): Error {
  const error = new Error("never told");
  error.toString = (): string => {
    throw new Error("in toString");
  };
  return error;
}

it("a check that throws, rejects or answers nonsense is 500, with a warning; the authenticator goes on", async () => {
  const warnings: string[] = [];
  const note = (warning: Error): number => warnings.push(warning.message);
  process.on("warning", note);
  let misbehave: () => unknown = () => {};
  const check = (): AuthDecision => misbehave() as AuthDecision;
  const ways: [RegExp, () => unknown][] = [
    [
      /thrown/,
      () => {
        throw new Error("thrown");
      },
    ],
    [/rejected/, () => Promise.reject(new Error("rejected"))],
    [
      /no error/,
      () => {
        throw "no error";
      },
    ],
    [/no text/, () => Promise.reject(Object.create(null))],
    [
      /no text/,
      () => {
        throw { toString: () => Object.create(null) };
      },
    ],
    [/no text/, () => Promise.reject(untellable())],
    [/undefined/, () => Promise.reject()],
    [/undefined/, () => undefined],
    [/null/, () => null],
    [/status is/, () => ({})],
    [/status is/, () => ({ status: 201 })],
    [/status is/, () => ({ status: "200" })],
    [/status is/, () => true],
    [/./, () => ({ status: 200, userId: 7 })],
    [/./, () => ({ status: 200, properties: { "X-Own": 7 } })],
    [/name/, () => ({ status: 200, properties: { "": "x" } })],
    [/name/, () => ({ status: 200, properties: { ["x".repeat(256)]: "x" } })],
  ];
  for (const [text, way] of ways) {
    misbehave = way;
    const before = warnings.length;
    // One of its own for each: one warns once a second.
    const { context, auth } = authenticator({ check });
    auth.setUsers({ admin: "secret" });
    const server = { context, ...plainServer };
    assert.is((await enter(server, plainClient)).told, "handshake:error:auth 500", String(way));
    await eventually(() => warnings.length > before);
    assert.match(warnings[before], text);
    misbehave = () => ({ status: 200 });
    assert.is((await enter(server, plainClient)).told, IN);
  }
  process.off("warning", note);
});

it("an onDecision that throws decides nothing else: 500", async () => {
  const { context } = authenticator({
    onDecision: () => {
      throw new Error("in onDecision");
    },
  });
  process.once("warning", () => {});
  assert.is((await enter({ context, zapDomain: "test" }, {})).told, "handshake:error:auth 500");
});

it("many slow checks run at the same time: none waits for another's end", async () => {
  const count = 100;
  const waiting: (() => void)[] = [];
  const { context, auth } = authenticator({
    check: () =>
      new Promise((resolve) => {
        waiting.push(() => resolve({ status: 200 }));
        // Each ends when all have begun.
        if (waiting.length === count) for (const end of waiting) end();
      }),
  });
  auth.setKeys("any");
  const pull = sockets.own(new Pull({ context, ...quick, ...curveServer, zapDomain: "test" }));
  const address = await sockets.bound(pull, "tcp");
  for (let i = 0; i < count; i++) {
    const push = sockets.own(new Push({ ...quick, ...curveClient }));
    push.connect(address);
    await push.send(String(i));
  }
  const got = new Set<string>();
  while (got.size < count) got.add(String((await pull.receive())[0]));
});

it("starts, stops and starts again; twice is once; a second one in the context is EADDRINUSE", async () => {
  const { context, auth } = authenticator();
  assert.ok(auth.running);
  auth.start();
  const second = new Authenticator({ context });
  assert.is(thrown(() => second.start()).code, "EADDRINUSE");
  assert.not(second.running);
  auth.setKeys("any");
  const enforced = { context, ...curveServer, zapDomain: "test", zapEnforceDomain: true };
  assert.is((await enter(enforced, curveClient)).told, IN);
  auth.stop();
  auth.stop();
  assert.not(auth.running);
  assert.is((await enter(enforced, curveClient)).told, "handshake:error:other EFAULT");
  assert.is((await enter({ context, ...plainServer }, plainClient)).told, "handshake:error:other EFAULT");
  assert.is((await enter({ context, ...curveServer, zapDomain: "test" }, curveClient)).told, IN, "as in libzmq");
  second.start();
  assert.is((await enter(enforced, curveClient)).told, DENIED, "another one, other rules");
  second.stop();
  auth.start();
  assert.is((await enter(enforced, curveClient)).told, IN, "it kept its rules");
});

it("stopped while it is asked: nobody is let in, and who waits comes again", async () => {
  let release: () => void = () => {};
  const { context, auth } = authenticator({
    check: () => new Promise((resolve) => (release = () => resolve({ status: 200 }))),
  });
  auth.setKeys("any");
  const pull = sockets.own(new Pull({ context, ...quick, ...curveServer, zapDomain: "test", zapEnforceDomain: true }));
  const push = sockets.own(new Push({ ...quick, ...curveClient }));
  const { seen } = watch(pull);
  await sockets.join(pull, push, "tcp");
  await push.send("patience");
  const idle = release;
  await eventually(() => release !== idle);
  const early = release;
  auth.stop();
  early();
  await eventually(() => seen.length >= 2);
  assert.equal(seen.slice(0, 2), ["handshake:error:auth 300", "disconnect"]);
  auth.start();
  const asked = setInterval(() => release(), 10);
  assert.equal(texts(await pull.receive()), ["patience"]);
  clearInterval(asked);
});

it("contexts do not see each other's, and without one it serves the process's", async () => {
  const one = authenticator();
  const other = authenticator();
  one.auth.setKeys("any");
  const server = { ...curveServer, zapDomain: "test" };
  assert.is((await enter({ context: one.context, ...server }, curveClient)).told, IN);
  assert.is((await enter({ context: other.context, ...server }, curveClient)).told, DENIED);
  const process = new Authenticator();
  running.add(process);
  process.start();
  assert.is((await enter(server, curveClient)).told, DENIED);
  process.setKeys([keys.client.publicKey]);
  assert.is((await enter(server, curveClient)).told, IN);
});

it("what is no request is answered by 500 when it can be, and hurts nobody", async () => {
  const { context, auth } = authenticator();
  auth.setKeys("any");
  const dealer = sockets.own(new Dealer({ context, ...quick }));
  dealer.connect(ZAP);
  const request = ["1.0", "id", "test", "127.0.0.1", "", "CURVE", decodeZ85(keys.client.publicKey)];
  const unanswered = [["x"], ["", "1.0"], [""], ["x", "1.0", "id"], ["x", ...request]];
  for (const frames of unanswered) await dealer.send(frames);
  const ask = async (...frames: (string | Buffer)[]): Promise<string[]> => {
    await dealer.send(["", ...frames]);
    return texts(await dealer.receive());
  };
  assert.equal((await ask(...request)).slice(0, 4), ["", "1.0", "id", "200"]);
  for (const wrong of [request.slice(0, 2), request.slice(0, 5), ["2.0", ...request.slice(1)]]) {
    assert.equal(await ask(...wrong), ["", "1.0", "id", "500", "Malformed request", "", ""]);
  }
  assert.equal((await ask(...request.slice(0, 6))).slice(3, 4), ["400"], "no key");
  assert.equal((await ask(...request.slice(0, 6), "short")).slice(3, 4), ["400"]);
  assert.equal((await ask(...request.slice(0, 5), "PLAIN", "admin")).slice(3, 4), ["400"]);
  assert.equal((await ask(...request.slice(0, 5), "GSSAPI", "principal")).slice(3, 4), ["400"]);
  assert.equal((await ask(...request)).slice(3), ["200", "OK", keys.client.publicKey, ""]);
});

it("who asks and goes away before the answer disturbs nobody", async () => {
  const { context } = authenticator({ check: () => turns(10).then(() => ({ status: 200 })) });
  const server = { context, zapDomain: "test" };
  const router = sockets.own(new Router({ ...quick, ...server }));
  const address = await sockets.bound(router, "tcp");
  for (let i = 0; i < 20; i++) {
    const dealer = new Dealer(quick);
    dealer.connect(address);
    await turns(i);
    dealer.close();
  }
  assert.is((await enter(server, {})).told, IN);
});

it("it does not keep a process alive", async () => {
  const child = new Child(new URL("./authenticator.child.mjs", import.meta.url));
  assert.is(await child.line(), "bound");
  assert.equal(await child.ended, { code: 0, signal: null });
});

/** What a socket asks of a peer with a PLAIN name. */
const question = (number: number): string[] => [`${number}`, "test", "127.0.0.1", "", "PLAIN", "admin", "secret"];

it("failures of the application's code are warned of once a second, and counted", async () => {
  const warnings: string[] = [];
  const note = (warning: Error): number => warnings.push(warning.message);
  process.on("warning", note);
  const rejections = [true, false];
  const { context, auth } = authenticator({
    check: () => {
      if (rejections.reverse()[0]) return Promise.reject(new Error("rejected"));
      throw new Error("thrown");
    },
  });
  auth.setUsers({ admin: "secret" });
  const asker = sockets.own(new Dealer({ context }));
  asker.connect(ZAP);
  for (let i = 0; i < 100; i++) await asker.send(["", "1.0", ...question(i)]);
  for (let i = 0; i < 100; i++) assert.is(String((await asker.receive())[3]), "500");
  await eventually(() => warnings.length === 2);
  assert.match(warnings[0], /^(?:thrown|rejected)$/);
  assert.match(warnings[1], /^(?:thrown|rejected) \(the last of 99 failures in a second\)$/);
  process.off("warning", note);
});

it("failures without a text are counted as well", async () => {
  const warnings: string[] = [];
  const note = (warning: Error): number => warnings.push(warning.message);
  process.on("warning", note);
  const { context, auth } = authenticator({ check: () => Promise.reject(Object.create(null)) });
  auth.setUsers({ admin: "secret" });
  const asker = sockets.own(new Dealer({ context }));
  asker.connect(ZAP);
  for (let i = 0; i < 3; i++) await asker.send(["", "1.0", ...question(i)]);
  for (let i = 0; i < 3; i++) assert.is(String((await asker.receive())[3]), "500");
  await eventually(() => warnings.some((text) => /no text \(the last of \d failures in a second\)$/.test(text)));
  process.off("warning", note);
});

it("a check that never answers keeps nothing of a peer that is gone", async () => {
  const promises: Promise<AuthDecision>[] = [];
  const asked: WeakRef<AuthRequest>[] = [];
  const { context, auth } = authenticator({
    check: (request) => {
      asked.push(new WeakRef(request));
      const promise = new Promise<AuthDecision>(() => {});
      promises.push(promise);
      return promise;
    },
  });
  auth.setUsers({ admin: "secret" });
  const ask = async (count: number): Promise<void> => {
    const before = asked.length;
    const askers = Array.from({ length: count }, () => new Dealer({ context }));
    for (const [i, asker] of askers.entries()) {
      asker.connect(ZAP);
      await asker.send(["", "1.0", ...question(i)]);
    }
    await eventually(() => asked.length === before + count);
    await collectGarbage();
    assert.is(asked.slice(before).filter((each) => each.deref() !== undefined).length, count, "they wait");
    for (const asker of askers) asker.close();
  };
  await ask(10);
  // The asker that was heard last is known until the next one.
  const last = sockets.own(new Dealer({ context }));
  last.connect(ZAP);
  await last.send(["", "1.0", "last", "test", "127.0.0.1", "", "PLAIN", "nobody", ""]);
  await last.receive();
  await eventually(async () => {
    await collectGarbage();
    return asked.every((each) => each.deref() === undefined);
  });
  assert.is(promises.length, 10, "the promises are still held");
});

it("CURVE: a key with its top bit set is nobody's, and one key pair has one user id", async () => {
  const { context, auth } = authenticator({
    check: (request) => ({ status: 200, userId: String(request.credentials.length) }),
  });
  auth.setKeys("any");
  const octets = decodeZ85(keys.client.publicKey);
  octets[31] |= 0x80;
  const other = { ...curveClient, curvePublicKey: octets as unknown as string };
  const server = { context, ...curveServer, zapDomain: "test" };
  assert.is((await enter(server, other)).told, DENIED);
  assert.is((await enter(server, curveClient)).told, IN);
  for (const list of [[octets], { [encodeZ85(octets)]: "joe" }]) {
    assert.is(thrown(() => auth.setKeys(list as Buffer[])).code, "EINVAL");
  }
});

it.run();

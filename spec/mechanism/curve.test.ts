/**
 * The handshake of CURVE, RFC 26 "CurveZMQ" as libzmq 4.3 speaks it: the recorded session on both sides, and every way
 * in which a command can be wrong.
 */
import { loadCrypto } from "../../src/crypto/load.ts";
import { curveMechanism } from "../../src/mechanism/curve.ts";
import { nonceOf } from "../../src/mechanism/curve-handshake.ts";
import { assert, suite } from "../helpers/test.ts";
import { nobleCrypto } from "../twins/noble-crypto.ts";
import { initiate, keys, nonces, readyMetadata } from "../vectors/curve.ts";
import {
  commands,
  faultOf,
  Host,
  initiateWith,
  PeerError,
  recorded,
  recordedClient,
  recordedServer,
  type Side,
  waiting,
} from "./curve-host.ts";

const it = suite("mechanism/curve");

const UNSPECIFIED = "ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED";
const UNEXPECTED = "ERR_ZMTP_UNEXPECTED_COMMAND";
const CRYPTOGRAPHIC = "ERR_ZMTP_CRYPTOGRAPHIC";
const KEY_EXCHANGE = "ERR_ZMTP_KEY_EXCHANGE";

/** Hands a command over; gives the fault's code. After a fault nothing may have been sent or been told to the host. */
function faultAt(side: Side, body: Buffer): string {
  const sent = side.host.sent.length;
  const code = faultOf(() => side.mechanism.receive(body));
  if (code !== "") {
    assert.is(side.host.sent.length, sent);
    assert.is(side.host.peer, undefined);
    assert.is(side.host.asked.length, 0);
    assert.not(side.host.isDone);
    assert.is(side.mechanism.wire, undefined);
  }
  return code;
}

function hex(octets: Buffer | undefined): string | undefined {
  return octets?.toString("hex");
}

for (const [name, crypto] of Object.entries({ sodium: loadCrypto(), noble: nobleCrypto })) {
  it(`${name}: the client of the recorded session`, () => {
    const { host, mechanism } = recordedClient(crypto);
    mechanism.start();
    assert.equal(host.sent.map(hex), [hex(commands.hello)]);
    mechanism.receive(commands.welcome);
    assert.equal(host.sent.map(hex), [hex(commands.hello), hex(commands.initiate)]);
    assert.not(host.isDone);
    mechanism.receive(commands.ready);
    assert.equal(hex(host.peer), hex(readyMetadata));
    assert.ok(host.isDone);
    assert.is(host.asked.length, 0);
  });

  it(`${name}: the server of the recorded session`, () => {
    const { host, mechanism } = recordedServer(crypto);
    mechanism.start();
    assert.is(host.sent.length, 0);
    mechanism.receive(commands.hello);
    assert.equal(host.sent.map(hex), [hex(commands.welcome)]);
    mechanism.receive(commands.initiate);
    assert.equal(host.sent.map(hex), [hex(commands.welcome), hex(commands.ready)]);
    assert.equal(host.asked.map(hex), [hex(keys.client.publicKey)]);
    assert.equal(hex(host.peer), hex(initiate.metadata));
    assert.ok(host.isDone);
  });
}

it("commands are read where they lie: views with an offset", () => {
  const shifted = (body: Buffer) => Buffer.concat([Buffer.alloc(13, 0xee), body, Buffer.alloc(9)]).subarray(13, -9);
  const client = waiting.welcome();
  client.mechanism.receive(shifted(commands.welcome));
  assert.equal(hex(client.host.sent[1]), hex(commands.initiate));
  const server = waiting.hello();
  server.mechanism.receive(shifted(commands.hello));
  server.mechanism.receive(shifted(commands.initiate));
  assert.equal(hex(server.host.sent[1]), hex(commands.ready));
});

it("nothing is kept of a command's memory: it belongs to the decoder", () => {
  const server = waiting.hello();
  server.host.isSlow = true;
  for (const command of [commands.hello, commands.initiate]) {
    const body = Buffer.from(command);
    server.mechanism.receive(body);
    body.fill(0);
  }
  server.host.accept?.();
  assert.equal(hex(server.host.peer), hex(initiate.metadata));
  assert.equal(hex(server.host.sent[1]), hex(commands.ready));
});

it("the ZAP handler may take its time; until then nothing is accepted, and nothing is told", () => {
  const { host, mechanism } = waiting.initiate();
  host.isSlow = true;
  mechanism.receive(commands.initiate);
  assert.equal(host.asked.map(hex), [hex(keys.client.publicKey)]);
  assert.is(host.sent.length, 1);
  assert.is(host.peer, undefined);
  for (const body of [commands.initiate, commands.hello, Buffer.from("\x07MESSAGE".padEnd(40, "x"))]) {
    assert.is(
      faultOf(() => mechanism.receive(body)),
      UNEXPECTED,
    );
  }
  host.accept?.();
  assert.equal(hex(host.sent[1]), hex(commands.ready));
  assert.ok(host.isDone);
});

/** What a command has of it when it is cut off. */
const truncations: Record<keyof typeof commands, (length: number) => string> = {
  hello: (length) => (length <= 5 ? UNSPECIFIED : "ERR_ZMTP_MALFORMED_COMMAND_HELLO"),
  welcome: (length) => (length <= 7 ? UNSPECIFIED : "ERR_ZMTP_MALFORMED_COMMAND_WELCOME"),
  initiate: (length) =>
    length <= 8 ? UNSPECIFIED : length < 257 ? "ERR_ZMTP_MALFORMED_COMMAND_INITIATE" : CRYPTOGRAPHIC,
  ready: (length) => (length <= 5 ? UNSPECIFIED : length < 30 ? "ERR_ZMTP_MALFORMED_COMMAND_READY" : CRYPTOGRAPHIC),
};

/** What becomes of a command with a flipped bit in that octet. */
const flips: Record<keyof typeof commands, (octet: number, bit: number) => string> = {
  hello(octet, bit) {
    if (octet < 6) return UNEXPECTED;
    if (octet < 8) return "ERR_ZMTP_MALFORMED_COMMAND_HELLO";
    if (octet < 80) return "";
    // X25519 ignores the last bit of a public key: the vouch finds it.
    return octet === 111 && bit === 7 ? "" : CRYPTOGRAPHIC;
  },
  welcome: (octet) => (octet < 8 ? UNEXPECTED : CRYPTOGRAPHIC),
  initiate: (octet) => (octet < 9 ? UNEXPECTED : CRYPTOGRAPHIC),
  ready: (octet) => (octet < 6 ? UNEXPECTED : CRYPTOGRAPHIC),
};

for (const name of Object.keys(commands) as (keyof typeof commands)[]) {
  const command = commands[name];

  it(`${name}, cut off behind each octet, and with one too many`, () => {
    for (let length = 0; length < command.length; length++) {
      const code = faultAt(waiting[name](), Buffer.from(command.subarray(0, length)));
      assert.is(code, truncations[name](length), `${length} octets`);
    }
    const code = faultAt(waiting[name](), Buffer.concat([command, Buffer.of(0)]));
    const isFixed = name === "hello" || name === "welcome";
    assert.is(code, isFixed ? truncations[name](command.length - 1) : CRYPTOGRAPHIC);
  });

  it(
    `${name} with each bit flipped`,
    () => {
      for (let octet = 0; octet < command.length; octet++) {
        for (let bit = 0; bit < 8; bit++) {
          const body = Buffer.from(command);
          body[octet] ^= 1 << bit;
          let expected = flips[name](octet, bit);
          if (octet === 0 && body[0] >= body.length) expected = UNSPECIFIED;
          assert.is(faultAt(waiting[name](), body), expected, `octet ${octet}, bit ${bit}`);
        }
      }
    },
    { timeout: 60_000 },
  );
}

it("every command but the expected one is unexpected", () => {
  const message = Buffer.from("\x07MESSAGE".padEnd(60, "x"));
  const others = { ...commands, message, ping: Buffer.from("\x04PING\0\0"), subscribe: Buffer.from("\x09SUBSCRIBE") };
  for (const expected of Object.keys(waiting) as (keyof typeof waiting)[]) {
    for (const [name, body] of Object.entries(others)) {
      const code = faultAt(waiting[expected](), Buffer.from(body));
      assert.is(code, name === expected ? "" : UNEXPECTED, `${name} instead of ${expected}`);
    }
  }
  assert.is(faultAt(waiting.hello(), Buffer.from("\x05ERROR\x03400")), UNEXPECTED);
  assert.is(faultAt(waiting.initiate(), Buffer.from("\x05ERROR\x03400")), UNEXPECTED);
});

it("names are matched by case, and not by their beginning", () => {
  const lower = Buffer.from(commands.hello);
  lower.write("hello", 1);
  assert.is(faultAt(waiting.hello(), lower), UNEXPECTED);
  const longer = Buffer.concat([Buffer.from("\x06HELLO!"), commands.hello.subarray(6, -1)]);
  assert.is(faultAt(waiting.hello(), longer), UNEXPECTED);
});

it("a client takes ERROR instead of either answer, and names a malformed one", () => {
  for (const side of [waiting.welcome, waiting.ready]) {
    assert.throws(
      () => side().mechanism.receive(Buffer.from("\x05ERROR\x03400")),
      (error: Error) => error instanceof PeerError && error.message === "400",
    );
    for (const body of ["\x05ERROR", "\x05ERROR\x04400"]) {
      assert.is(faultAt(side(), Buffer.from(body)), "ERR_ZMTP_MALFORMED_COMMAND_ERROR");
    }
  }
});

it("counters of HELLO and INITIATE may be anything, as for libzmq", () => {
  const crypto = nobleCrypto;
  for (const counter of ["0000000000000000", "0000000000000001", "ffffffffffffffff"].map((text) =>
    Buffer.from(text, "hex"),
  )) {
    const key = crypto.precompute(keys.clientTransient.secretKey, keys.server.publicKey)!;
    const hello = Buffer.from(commands.hello);
    hello.set(counter, 112);
    hello.set(crypto.box(key, nonceOf(Buffer.from("CurveZMQHELLO---"), counter), Buffer.alloc(64)), 120);
    const side = waiting.hello();
    side.mechanism.receive(hello);
    side.mechanism.receive(initiateWith({ counter }));
    assert.ok(side.host.isDone);
  }
});

/** A vouch between that secret key and S' for these two keys. */
function vouchOf(secretKey: Buffer, clientTransient: Buffer, server: Buffer): Buffer {
  const key = nobleCrypto.precompute(secretKey, keys.serverTransient.publicKey)!;
  return nobleCrypto.box(key, nonceOf(Buffer.from("VOUCH---"), nonces.vouch), Buffer.concat([clientTransient, server]));
}

it("a vouch binds C to C' and to S", () => {
  const { client, clientTransient, server, serverTransient } = keys;
  const good = vouchOf(client.secretKey, clientTransient.publicKey, server.publicKey);
  assert.equal(hex(good), hex(initiate.vouchBox));
  const cases: [string, Buffer, string][] = [
    ["good", good, ""],
    ["for another server", vouchOf(client.secretKey, clientTransient.publicKey, client.publicKey), KEY_EXCHANGE],
    [
      "for S' instead of S",
      vouchOf(client.secretKey, clientTransient.publicKey, serverTransient.publicKey),
      KEY_EXCHANGE,
    ],
    ["for another connection", vouchOf(client.secretKey, client.publicKey, server.publicKey), KEY_EXCHANGE],
    [
      "by somebody else",
      vouchOf(clientTransient.secretKey, clientTransient.publicKey, server.publicKey),
      CRYPTOGRAPHIC,
    ],
  ];
  for (const [name, vouch, code] of cases) {
    assert.is(faultAt(waiting.initiate(), initiateWith({ vouch })), code, name);
  }
  assert.is(faultAt(waiting.initiate(), initiateWith({ client: server.publicKey })), CRYPTOGRAPHIC);
});

it("a C' whose ignored bit differs does not match the vouch", () => {
  const hello = Buffer.from(commands.hello);
  hello[111] ^= 0x80;
  const side = waiting.hello();
  side.mechanism.receive(hello);
  const { cookie } = { cookie: openWelcome(side.host.sent[0]).subarray(32) };
  const body = initiateWith({});
  body.set(cookie, 9);
  assert.is(faultAt(side, body), KEY_EXCHANGE);
});

/** S' and the cookie. */
function openWelcome(body: Buffer): Buffer {
  const key = nobleCrypto.precompute(keys.clientTransient.secretKey, keys.server.publicKey)!;
  return nobleCrypto.openBox(key, nonceOf(Buffer.from("WELCOME-"), body.subarray(8, 24)), body.subarray(24))!;
}

it("public keys that give everybody the same key are refused wherever they come", () => {
  const zero = Buffer.alloc(32);
  const hello = Buffer.from(commands.hello);
  hello.set(zero, 80);
  assert.is(faultAt(waiting.hello(), hello), CRYPTOGRAPHIC);
  assert.is(faultAt(waiting.initiate(), initiateWith({ client: zero })), CRYPTOGRAPHIC);

  const key = nobleCrypto.precompute(keys.server.secretKey, keys.clientTransient.publicKey)!;
  const sealed = nobleCrypto.box(key, nonceOf(Buffer.from("WELCOME-"), nonces.welcome), Buffer.alloc(128));
  const welcome = Buffer.concat([Buffer.from("\x07WELCOME"), nonces.welcome, sealed]);
  assert.is(faultAt(waiting.welcome(), welcome), CRYPTOGRAPHIC);
});

it("a cookie is good for its own connection only", () => {
  const { random } = recorded(keys.serverTransient.secretKey, keys.client.secretKey, nonces.vouch, nonces.welcome);
  const options = { curveServer: true, curveSecretKey: keys.server.secretKey } as Parameters<typeof curveMechanism>[0];
  const host = new Host(readyMetadata);
  const mechanism = curveMechanism(options, { crypto: loadCrypto(), random })(host);
  mechanism.receive(commands.hello);
  assert.is(faultAt({ host, mechanism, drawn: [] }, commands.initiate), CRYPTOGRAPHIC);
});

it("a client with a wrong server key is found out at HELLO", () => {
  const { random } = recorded(keys.clientTransient.secretKey, nonces.vouch);
  const options = {
    curveServer: false,
    curvePublicKey: keys.client.publicKey,
    curveSecretKey: keys.client.secretKey,
    curveServerKey: keys.client.publicKey,
  };
  const host = new Host(initiate.metadata);
  curveMechanism(options, { crypto: loadCrypto(), random })(host).start();
  assert.is(faultAt(waiting.hello(), host.sent[0]), CRYPTOGRAPHIC);
});

it("metadata: none at all, and nearly 64 KiB of it", () => {
  for (const metadata of [Buffer.alloc(0), Buffer.alloc(65_536 - 257, 7)]) {
    const side = waiting.initiate();
    side.mechanism.receive(initiateWith({ metadata }));
    assert.ok(side.host.peer?.equals(metadata));
    assert.ok(side.host.isDone);
  }
});

it("what the host finds wrong with the metadata passes through, and nothing comes after", () => {
  for (const [name, command] of [
    ["initiate", commands.initiate],
    ["ready", commands.ready],
  ] as const) {
    const side = waiting[name]();
    const sent = side.host.sent.length;
    side.host.peerMetadata = () => {
      throw new Error("does not fit");
    };
    assert.throws(() => side.mechanism.receive(command), /does not fit/);
    assert.is(side.host.sent.length, sent);
    assert.not(side.host.isDone);
  }
});

it("keys of the connection are gone behind the handshake, and when it ends early; the owner's stay", () => {
  const client = waiting.ready();
  client.mechanism.receive(commands.ready);
  const server = waiting.initiate();
  server.mechanism.receive(commands.initiate);
  const early = [waiting.welcome(), waiting.initiate()];
  for (const side of early) side.mechanism.close();
  for (const { drawn } of [client, server, ...early]) assert.ok(drawn[0].equals(Buffer.alloc(32)));
  assert.ok(server.drawn[1].equals(Buffer.alloc(32)), "the cookie's key");
  assert.equal(keys.client.publicKey, loadCrypto().publicKeyOf(keys.client.secretKey));
  assert.equal(keys.server.publicKey, loadCrypto().publicKeyOf(keys.server.secretKey));
});

it("a key that is missing is said when the mechanism is made", () => {
  const none = Buffer.alloc(0);
  const all = {
    curveServer: false,
    curvePublicKey: keys.client.publicKey,
    curveSecretKey: keys.client.secretKey,
    curveServerKey: keys.server.publicKey,
  };
  for (const name of ["curvePublicKey", "curveSecretKey", "curveServerKey"]) {
    assert.throws(
      () => curveMechanism({ ...all, [name]: none }),
      (error: NodeJS.ErrnoException) => error.code === "EINVAL" && error.message.includes(name),
    );
  }
  curveMechanism({ ...all, curveServer: true, curvePublicKey: none, curveServerKey: none });
  assert.throws(() => curveMechanism({ ...all, curveServer: true, curveSecretKey: none }), /curveSecretKey/);
});

it("two mechanisms with true randomness understand each other, and never draw the same", () => {
  const sent = new Set<string>();
  for (let round = 0; round < 3; round++) {
    const all = {
      curvePublicKey: keys.client.publicKey,
      curveSecretKey: keys.client.secretKey,
      curveServerKey: keys.server.publicKey,
    };
    const clientHost = new Host(initiate.metadata);
    const serverHost = new Host(readyMetadata);
    const client = curveMechanism({ ...all, curveServer: false })(clientHost);
    const server = curveMechanism({ ...all, curveServer: true, curveSecretKey: keys.server.secretKey })(serverHost);
    client.start();
    server.receive(clientHost.sent[0]);
    client.receive(serverHost.sent[0]);
    server.receive(clientHost.sent[1]);
    client.receive(serverHost.sent[1]);
    assert.ok(clientHost.isDone && serverHost.isDone);
    const [octets] = server.wire?.unwrap(Buffer.concat(client.wire?.wrap([Buffer.from("000161", "hex")]) ?? [])) ?? [];
    assert.equal(hex(octets), "000161");
    for (const body of [...clientHost.sent, ...serverHost.sent]) sent.add(body.toString("hex"));
  }
  assert.is(sent.size, 12);
});

it.run();

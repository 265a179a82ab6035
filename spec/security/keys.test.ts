/**
 * Keys are gone when a connection is. Seen from outside as far as it can be: every secret that is drawn at random, and
 * every key that is agreed on, is looked at again when the connection has ended.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { Pull, Push, type SocketOptions } from "zmtp";
import { loadCrypto, systemRandom } from "../../src/crypto/load.ts";
import { curveMechanism } from "../../src/mechanism/curve.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";
import { Host } from "../mechanism/curve-host.ts";
import { readyMetadata, keys as recorded } from "../vectors/curve.ts";
import { answer, curveClient, curveClientOf, curveServer, fresh, handle, keys, quick, watch } from "./people.ts";

const it = suite("security/keys");
const sockets = new Sockets(it);

const KEY_BYTES = 32;
const isGone = (key: Buffer): boolean => key.every((octet) => octet === 0);

/** Keys that are drawn at random while `body` runs. */
async function drawn(body: () => Promise<void>): Promise<Buffer[]> {
  const real = crypto.randomBytes;
  const found: Buffer[] = [];
  const noting = (size: number): Buffer => {
    const octets = real(size);
    if (size === KEY_BYTES) found.push(octets);
    return octets;
  };
  crypto.randomBytes = noting as typeof real;
  syncBuiltinESMExports();
  try {
    await body();
  } finally {
    crypto.randomBytes = real;
    syncBuiltinESMExports();
  }
  return found;
}

async function connected(server: SocketOptions<Pull>, client: SocketOptions<Push>, isEnough: RegExp): Promise<void> {
  const pull = sockets.own(new Pull({ ...quick, ...server }));
  const push = sockets.own(new Push({ ...quick, reconnectInterval: 1000, ...client }));
  const { seen } = watch(pull);
  await sockets.join(pull, push, "tcp");
  await eventually(() => seen.some((event) => isEnough.test(event)));
  push.close();
  pull.close();
  await eventually(() => push.closed && pull.closed);
}

it("secrets that a connection drew are overwritten: after the handshake, and if it fails or is cut short", async () => {
  const good = await drawn(() => connected(curveServer, curveClient, /^handshake$/));
  assert.is(good.length, 3, "c', s' and the cookie's key");
  await eventually(() => good.every(isGone));

  const wrongKey = curveClientOf(keys.client, keys.stranger.publicKey);
  const refused = await drawn(() => connected(curveServer, wrongKey, /CRYPTOGRAPHIC/));
  assert.is(refused.length, 1);
  await eventually(() => refused.every(isGone));

  const context = fresh();
  await handle(sockets, context, (request) => answer(request, "400"));
  const denied = await drawn(() => connected({ context, ...curveServer }, curveClient, /auth 400/));
  assert.is(denied.length, 3);
  await eventually(() => denied.every(isGone));

  const silent = fresh();
  const { requests } = await handle(sockets, silent, () => undefined, "ROUTER");
  const cut = await drawn(async () => {
    const pull = sockets.own(new Pull({ context: silent, ...quick, ...curveServer }));
    const push = sockets.own(new Push({ ...quick, ...curveClient }));
    await sockets.join(pull, push, "tcp");
    await eventually(() => requests.length === 1);
    pull.close();
    push.close();
  });
  await eventually(() => cut.every(isGone));
});

it("each key that was agreed on is overwritten when the mechanism is closed; the permanent are the socket's", () => {
  const agreed: Buffer[] = [];
  const real = loadCrypto();
  const noting = Object.create(real, {
    precompute: {
      value: (secretKey: Buffer, publicKey: Buffer): Buffer | undefined => {
        const key = real.precompute(secretKey, publicKey);
        if (key !== undefined) agreed.push(key);
        return key;
      },
    },
  }) as typeof real;
  const tools = { crypto: noting, random: systemRandom };
  const client = new Host(readyMetadata);
  const server = new Host(readyMetadata);
  const secrets = [recorded.client.secretKey, recorded.server.secretKey].map((key) => Buffer.from(key));
  const clientSide = curveMechanism(
    {
      curveServer: false,
      curvePublicKey: recorded.client.publicKey,
      curveSecretKey: secrets[0],
      curveServerKey: recorded.server.publicKey,
    },
    tools,
  )(client);
  const none = Buffer.alloc(0);
  const serverSide = curveMechanism(
    { curveServer: true, curvePublicKey: none, curveSecretKey: secrets[1], curveServerKey: none },
    tools,
  )(server);
  clientSide.start();
  serverSide.receive(client.sent[0]);
  clientSide.receive(server.sent[0]);
  serverSide.receive(client.sent[1]);
  clientSide.receive(server.sent[1]);
  assert.ok(client.isDone && server.isDone);
  // C'->S, C'->S' and C->S', once on each side. What messages need has its own copy by now.
  assert.is(agreed.length, 6);
  assert.ok(agreed.every(isGone));
  const [sealed] = clientSide.wire!.wrap([Buffer.from("000161", "hex")]);
  assert.is(Buffer.concat(serverSide.wire!.unwrap(sealed)).toString("hex"), "000161");

  clientSide.close();
  serverSide.close();
  assert.equal(clientSide.wire!.wrap([Buffer.from("000161", "hex")]), [], "no key to seal with");
  assert.equal(serverSide.wire!.unwrap(sealed), []);
  assert.equal(secrets, [recorded.client.secretKey, recorded.server.secretKey]);
});

it.run();

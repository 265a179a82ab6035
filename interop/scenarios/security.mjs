/**
 * PLAIN and CURVE. Who is the server does not depend on who binds, so that each side plays the server as a PUSH and as
 * a PULL, bound and connected. The keys are the pairs from libzmq's documentation: secret to nobody.
 */

import { hex } from "../lib/words.mjs";
import { equal, SILENCE_MS } from "../lib/world.mjs";
import { PAIRS } from "./families.mjs";

/** @typedef {import("../lib/table.mjs").Scenario} Scenario */
/** @typedef {import("../lib/world.mjs").World} World */

const KEYS = {
  clientPublic: Buffer.from("bb88471d65e2659b30c55a5321cebb5aab2b70a398645c26dca2b2fcb43fc518", "hex"),
  clientSecret: Buffer.from("7bb864b489afa3671fbe69101f94b38972f24816dfb01b51656b3fec8dfd0888", "hex"),
  serverPublic: Buffer.from("54fcba24e93249969316fb617c872bb0c1d1ff14800427c594cbfacf1bc2d652", "hex"),
  serverSecret: Buffer.from("8e0bdd697628b91d8f245587ee95c5b04d48963f79259877b49cd9063aead3b7", "hex"),
};

export const curveServer = { curveServer: true, curvePublicKey: KEYS.serverPublic, curveSecretKey: KEYS.serverSecret };
export const curveClient = {
  curveServerKey: KEYS.serverPublic,
  curvePublicKey: KEYS.clientPublic,
  curveSecretKey: KEYS.clientSecret,
};
const plainServer = { plainServer: true, zapDomain: "test" };
const plainClient = { plainUsername: "admin", plainPassword: "secret" };

const bodies = ["", "hello", { size: 255, seed: 1 }, { size: 256, seed: 2 }, { size: 100_000, seed: 3 }];

/** @param {World} world */
async function traffic(world) {
  for (const body of bodies) await world.a.send(body);
  await world.a.send(["two", "", { size: 9000, seed: 4 }]);
  await world.b.expect([...bodies, ["two", "", { size: 9000, seed: 4 }]]);
  await Promise.all([world.a.stream("m", 0, 2000, { size: 100 }), world.b.expectStream("m", 0, 2000)]);
}

/** @param {World} world */
async function refused(world) {
  await world.open();
  world.address = await world.bound.bind(world.wanted);
  await world.connected.connect(world.address);
  await world.a.send("secret", SILENCE_MS).catch(() => {});
  equal(await world.b.receive(1, 2 * SILENCE_MS), [], "received without permission");
}

/** What a ZAP handler is told to let in: mechanism and credentials, as words of the agents' protocol. */
const MECHANISMS = {
  NULL: { server: { zapDomain: "test" }, client: {}, zap: ["null"], need: "plain" },
  PLAIN: { server: plainServer, client: plainClient, zap: ["plain", hex("admin"), hex("secret")], need: "plain" },
  CURVE: {
    server: { ...curveServer, zapDomain: "test" },
    client: curveClient,
    zap: ["curve", hex(KEYS.clientPublic)],
    need: "curve",
  },
};

const SECURED = PAIRS.filter(({ name }) =>
  ["req-rep", "pub-sub", "xpub-xsub", "dealer-router", "push-pull", "pair"].includes(name),
);

/** Every mechanism × pattern × who is the server; the table adds who plays which role, who binds, and over what. @type {Scenario[]} */
const everyMechanism = Object.entries(MECHANISMS).flatMap(([mechanism, { server, client, zap, need }]) =>
  SECURED.flatMap(({ name, roles, options, prove }) =>
    /** @type {const} */ (["a", "b"]).map((role) => ({
      name: `security/${mechanism} and ZAP, ${name}, ${roles[role === "a" ? 0 : 1]}${roles[0] === roles[1] ? ` ${role}` : ""} is the server`,
      roles,
      needs: [need],
      except: ({ a }) =>
        roles[0] === "REQ" && role === "a" && a.features.library !== ""
          ? "REQ of libzmq that asks ZAP never receives a reply, from libzmq neither"
          : undefined,
      options: {
        a: { ...options?.a, ...(role === "a" ? server : client) },
        b: { ...options?.b, ...(role === "b" ? server : client) },
      },
      async run(/** @type {World} */ world) {
        await world[role].agent.call("zap", zap);
        await world.link();
        await prove(world, "first");
        await prove(world, "second");
      },
    })),
  ),
);

/** @type {Scenario[]} */
export const security = [
  ...everyMechanism,
  {
    name: "null/ZAP refuses",
    roles: ["PUSH", "PULL"],
    needs: ["plain"],
    options: { b: { zapDomain: "test" } },
    async run(world) {
      // A handler that lets nobody in who comes without a password.
      await world.b.agent.call("zap", ["plain", hex("admin"), hex("secret")]);
      await refused(world);
      await world.b.wait("handshake:error:auth", 1);
    },
  },
  {
    name: "curve/the sender is the server",
    roles: ["PUSH", "PULL"],
    needs: ["curve"],
    options: { a: curveServer, b: curveClient },
    async run(world) {
      await world.link();
      await traffic(world);
    },
  },
  {
    name: "curve/the receiver is the server",
    roles: ["PUSH", "PULL"],
    needs: ["curve"],
    options: { a: curveClient, b: curveServer },
    async run(world) {
      await world.link();
      await traffic(world);
    },
  },
  {
    name: "curve/subscriptions",
    roles: ["PUB", "SUB"],
    needs: ["curve"],
    options: { a: curveServer, b: curveClient },
    async run(world) {
      await world.link();
      await world.b.subscribe("A");
      await world.synchronise(world.a, world.b);
      for (const message of ["A1", "B1", "A2"]) await world.a.send(message);
      await world.b.expect(["A1", "A2"]);
    },
  },
  {
    name: "curve/a wrong server key opens nothing",
    roles: ["PUSH", "PULL"],
    needs: ["curve"],
    options: { a: { ...curveClient, curveServerKey: KEYS.clientPublic }, b: curveServer },
    run: refused,
  },
  {
    name: "curve/a client without CURVE is refused",
    roles: ["PUSH", "PULL"],
    needs: ["curve"],
    options: { b: curveServer },
    run: refused,
  },
  {
    name: "curve/ZAP lets the known key in",
    roles: ["PUSH", "PULL"],
    needs: ["curve"],
    options: { a: curveClient, b: { ...curveServer, zapDomain: "test" } },
    async run(world) {
      await world.b.agent.call("zap", ["curve", hex(KEYS.clientPublic)]);
      await world.link();
      await traffic(world);
    },
  },
  {
    name: "curve/ZAP refuses an unknown key",
    roles: ["PUSH", "PULL"],
    needs: ["curve"],
    options: { a: curveClient, b: { ...curveServer, zapDomain: "test" } },
    async run(world) {
      await world.b.agent.call("zap", ["curve", hex(KEYS.serverPublic)]);
      await refused(world);
      await world.a.wait("handshake:error:auth", 1);
    },
  },
  {
    name: "plain/the receiver is the server",
    roles: ["PUSH", "PULL"],
    needs: ["plain"],
    options: { a: plainClient, b: plainServer },
    async run(world) {
      await world.b.agent.call("zap", ["plain", hex("admin"), hex("secret")]);
      await world.link();
      await traffic(world);
    },
  },
  {
    name: "plain/the sender is the server",
    roles: ["PUSH", "PULL"],
    needs: ["plain"],
    options: { a: plainServer, b: plainClient },
    async run(world) {
      await world.a.agent.call("zap", ["plain", hex("admin"), hex("secret")]);
      await world.link();
      await traffic(world);
    },
  },
  {
    name: "plain/a wrong password is refused",
    roles: ["PUSH", "PULL"],
    needs: ["plain"],
    options: { a: { ...plainClient, plainPassword: "guess" }, b: plainServer },
    async run(world) {
      await world.b.agent.call("zap", ["plain", hex("admin"), hex("secret")]);
      await refused(world);
      await world.b.wait("handshake:error:auth", 1);
    },
  },
  {
    name: "plain/a client without PLAIN is refused",
    roles: ["PUSH", "PULL"],
    needs: ["plain"],
    options: { b: plainServer },
    async run(world) {
      await world.b.agent.call("zap", ["plain", hex("admin"), hex("secret")]);
      await refused(world);
    },
  },
];

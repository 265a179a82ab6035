/** PAIR, XPUB, XSUB and STREAM. */
import { ensure, equal, heard, pause, SILENCE_MS } from "../lib/world.mjs";

/** @typedef {import("../lib/table.mjs").Scenario} Scenario */

const WAIT_MS = 1000;

/** @type {Scenario[]} */
export const others = [
  {
    name: "pair/20000 messages each way",
    roles: ["PAIR", "PAIR"],
    async run(world) {
      await world.link();
      await Promise.all([world.a.stream("m", 0, 20_000), world.b.expectStream("m", 0, 20_000)]);
      await Promise.all([world.b.stream("n", 0, 20_000), world.a.expectStream("n", 0, 20_000)]);
    },
  },
  {
    name: "xpub-sub/subscriptions are seen",
    roles: ["XPUB", "SUB"],
    async run(world) {
      await world.link();
      await world.b.subscribe("A", "A");
      await world.a.expect(["\u0001A"]);
      await world.b.subscribe("");
      await world.a.expect(["\u0001"]);
      await world.b.unsubscribe("A");
      await world.b.unsubscribe("A");
      await world.a.expect(["\u0000A"]);
      await world.a.send(["anything", "goes"]);
      await world.b.expect([["anything", "goes"]]);
      await world.b.close();
      // A connecting XPUB keeps what its peer had subscribed until the peer is back.
      if (world.case.binder === "a") await world.a.expect(["\u0000"]);
    },
  },
  {
    name: "xpub-xsub/subscriptions as messages",
    roles: ["XPUB", "XSUB"],
    async run(world) {
      await world.link();
      await world.b.send("\u0001A");
      await world.a.expect(["\u0001A"]);
      if (world.b.agent.implementation === "jeromq") {
        const refused = await world.b.send("user message").catch((error) => error);
        ensure(refused instanceof Error, "JeroMQ 0.3.6's XSUB took a message which is no subscription");
      } else {
        await world.b.send("user message");
        await world.a.expect(["user message"]);
      }
      await world.a.send("A1");
      await world.a.send("B1");
      await world.b.expect(["A1"]);
      await world.b.expectSilence();
      await world.b.send("\u0000A");
      await world.a.expect(["\u0000A"]);
    },
  },
  {
    name: "pub-xsub/subscriptions as messages",
    roles: ["PUB", "XSUB"],
    async run(world) {
      await world.link();
      await world.b.send("\u0001A");
      const end = performance.now() + WAIT_MS;
      let got;
      do {
        await world.a.send("A1");
        await world.a.send("B1");
        got = await world.b.receive(1, 40);
      } while (got.length === 0 && performance.now() < end);
      equal(got, [[heard("A1")]], "received");
    },
  },
  {
    name: "xpub-sub/welcome message",
    roles: ["XPUB", "SUB"],
    options: { a: { welcomeMessage: "Welcome" } },
    async run(world) {
      await world.open();
      await world.b.subscribe("W");
      await world.join();
      await world.b.expect(["Welcome"]);
    },
  },
  {
    name: "refusal/types that do not fit",
    roles: ["PUSH", "SUB"],
    except: ({ a, b }) => (a.features.announces && b.features.announces ? undefined : "ZMTP 2.0 peers are not checked"),
    async run(world) {
      await world.open();
      await world.bound.bind(world.wanted).then((address) => world.connected.connect(address));
      await Promise.all([world.a.wait("disconnect", 1), world.b.wait("disconnect", 1)]);
      await pause(SILENCE_MS);
      for (const end of [world.a, world.b]) equal((await end.events()).handshake ?? 0, 0, "handshakes");
    },
  },
  {
    name: "refusal/a message above the limit ends the link",
    roles: ["PUSH", "PULL"],
    options: { b: { maxMessageSize: 1000 } },
    async run(world) {
      await world.link();
      await world.a.send({ size: 1000, seed: 1 });
      await world.b.expect([{ size: 1000, seed: 1 }]);
      await world.a.send({ size: 1001, seed: 2 });
      await world.a.wait("disconnect", 1);
      await world.b.expectSilence();
    },
  },
  {
    name: "stream/octets both ways",
    roles: ["STREAM", "STREAM"],
    transports: ["tcp"],
    async run(world) {
      await world.link();
      const [[toA, emptyB]] = await world.b.receive(1);
      const [[toB, emptyA]] = await world.a.receive(1);
      equal([emptyA, emptyB], ["x", "x"], "the notices are");
      await world.a.send([Buffer.from(toB.slice(1), "hex"), "over"]);
      await world.b.expect([[Buffer.from(toA.slice(1), "hex"), "over"]]);
      await world.b.send([Buffer.from(toA.slice(1), "hex"), "back"]);
      await world.a.expect([[Buffer.from(toB.slice(1), "hex"), "back"]]);
      await world.a.send([Buffer.from(toB.slice(1), "hex"), ""]);
      await world.b.expect([[Buffer.from(toA.slice(1), "hex"), ""]]);
    },
  },
];

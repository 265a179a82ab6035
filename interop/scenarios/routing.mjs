/** DEALER and ROUTER: identities, envelopes, mixing with REQ and REP. */
import { equal } from "../lib/world.mjs";

/** @typedef {import("../lib/table.mjs").Scenario} Scenario */

/** @param {string} word `x<hex>` */
const octets = (word) => Buffer.from(word.slice(1), "hex");

/** @type {Scenario[]} */
export const routing = [
  {
    name: "dealer-router/generated identity",
    roles: ["DEALER", "ROUTER"],
    async run(world) {
      await world.link();
      await world.a.send(["hi", ""]);
      const [[id, ...body]] = await world.b.receive(1);
      equal([octets(id).length, octets(id)[0]], [5, 0], "length and first octet of the identity are");
      equal(body, ["x6869", "x"], "the rest is");
      await world.b.send([octets(id), "you"]);
      await world.a.expect(["you"]);
    },
  },
  {
    name: "dealer-router/three dealers by name",
    roles: ["DEALER", "ROUTER"],
    binds: ["b"],
    options: { a: { routingId: "one" } },
    async run(world) {
      await world.link();
      const dealers = [
        world.a,
        await world.extra("a", { routingId: "two" }),
        await world.extra("a", { routingId: "three" }),
      ];
      for (const dealer of dealers.slice(1)) await dealer.connect(world.address);
      await world.b.wait("handshake", 3);
      for (const name of ["three", "one", "two", "nobody"]) await world.b.send([name, `for ${name}`]);
      await dealers[0].expect(["for one"]);
      await dealers[1].expect(["for two"]);
      await dealers[2].expect(["for three"]);
    },
  },
  {
    name: "dealer-router/routing ids of 1 and 255 octets, of any value",
    roles: ["DEALER", "ROUTER"],
    binds: ["b"],
    options: { a: { routingId: Buffer.of(255) } },
    async run(world) {
      await world.link();
      // JeroMQ 0.3.6 loses those of more than 127 octets, seen from libzmq and from its own ROUTER too.
      const longest = world.a.agent.implementation === "jeromq" ? 127 : 255;
      const ids = [Buffer.of(255), Buffer.alloc(longest, 128), Buffer.from([1, 0, 13, 10, 254])];
      const dealers = [world.a];
      for (const routingId of ids.slice(1)) dealers.push(await world.extra("a", { routingId }));
      for (const dealer of dealers.slice(1)) await dealer.connect(world.address);
      await world.b.wait("handshake", 3);
      for (const [index, id] of ids.entries()) {
        await dealers[index].send("from me");
        await world.b.expect([[id, "from me"]]);
        await world.b.send([id, "", "to you"]);
        await dealers[index].expect([["", "to you"]]);
      }
    },
  },
  {
    name: "dealer-router/a second dealer of the same name is not heard",
    roles: ["DEALER", "ROUTER"],
    binds: ["b"],
    // What a refused one does not give up trying: seldom, so that it does not take the place of the first.
    options: { a: { routingId: "same", linger: 0, reconnectInterval: 5000 } },
    async run(world) {
      await world.link();
      await world.a.send("first");
      await world.b.expect([["same", "first"]]);
      const second = await world.extra("a");
      await second.connect(world.address);
      await second.send("second");
      await world.b.expectSilence();
      await world.b.send(["same", "answer"]);
      await world.a.expect(["answer"]);
    },
  },
  {
    name: "dealer-router/handover: the second takes the name",
    roles: ["DEALER", "ROUTER"],
    binds: ["b"],
    options: { a: { routingId: "same", linger: 0, reconnectInterval: 5000 }, b: { handover: true } },
    async run(world) {
      await world.link();
      await world.a.send("first");
      await world.b.expect([["same", "first"]]);
      const second = await world.extra("a");
      await second.connect(world.address);
      await second.send("second");
      await world.b.expect([["same", "second"]]);
      await world.b.send(["same", "answer"]);
      await second.expect(["answer"]);
    },
  },
  {
    name: "dealer-router/mandatory",
    roles: ["DEALER", "ROUTER"],
    options: { a: { routingId: "dealer" }, b: { mandatory: true } },
    async run(world) {
      await world.link();
      const unroutable = await world.b.send(["nobody", "x"], 0).catch((error) => error);
      equal(unroutable?.code, "EHOSTUNREACH", "the error is");
      await world.b.send(["dealer", "x"]);
      await world.a.expect(["x"]);
    },
  },
  {
    name: "dealer-router/1000 round trips",
    roles: ["DEALER", "ROUTER"],
    async run(world) {
      await world.link();
      await Promise.all([world.b.answer(1000), world.a.ask("q", 0, 1000)]);
    },
  },
  {
    name: "router-router",
    roles: ["ROUTER", "ROUTER"],
    options: { a: { routingId: "A" }, b: { routingId: "B" } },
    async run(world) {
      await world.link();
      await world.a.send(["B", "hello"]);
      await world.b.expect([["A", "hello"]]);
      await world.b.send(["A", "", "world"]);
      await world.a.expect([["B", "", "world"]]);
    },
  },
  {
    name: "req-router/envelope",
    roles: ["REQ", "ROUTER"],
    options: { a: { routingId: "req" } },
    async run(world) {
      await world.link();
      await world.a.send(["q", "2"]);
      await world.b.expect([["req", "", "q", "2"]]);
      await world.b.send(["req", "", "r"]);
      await world.a.expect(["r"]);
      await Promise.all([world.b.answer(50), world.a.ask("q", 0, 50)]);
    },
  },
  {
    name: "req-router/correlate",
    roles: ["REQ", "ROUTER"],
    options: { a: { routingId: "req", correlate: true } },
    async run(world) {
      await world.link();
      await world.a.send("q");
      const [[, id, empty, body]] = await world.b.receive(1);
      equal([octets(id).length, empty, body], [4, "x", "x71"], "the request is");
      await world.b.send(["req", Buffer.from("oops"), "", "wrong id"]);
      await world.b.send(["req", octets(id), "", "right id"]);
      await world.a.expect(["right id"]);
    },
  },
  {
    name: "dealer-rep/envelope is stored and given back",
    roles: ["DEALER", "REP"],
    async run(world) {
      await world.link();
      await world.a.send(["", "q"]);
      await world.b.expect(["q"]);
      await world.b.send("r");
      await world.a.expect([["", "r"]]);
      await world.a.send(["id1", "id2", "", "q", ""]);
      await world.b.expect([["q", ""]]);
      await world.b.send(["r", "s"]);
      await world.a.expect([["id1", "id2", "", "r", "s"]]);
    },
  },
  {
    name: "dealer-rep/a request without a delimiter is dropped",
    roles: ["DEALER", "REP"],
    async run(world) {
      await world.link();
      await world.a.send("no delimiter, dropped");
      await world.a.send(["", "next"]);
      await world.b.expect(["next"]);
      await world.b.send("answer");
      await world.a.expect([["", "answer"]]);
    },
  },
  {
    name: "dealer-dealer/20000 messages in order",
    roles: ["DEALER", "DEALER"],
    async run(world) {
      await world.link();
      await Promise.all([world.a.stream("m", 0, 20_000), world.b.expectStream("m", 0, 20_000)]);
    },
  },
  {
    name: "dealer-router/probe",
    roles: ["DEALER", "ROUTER"],
    options: { a: { routingId: "probe", probeRouter: true } },
    async run(world) {
      await world.link();
      await world.b.expect([["probe", ""]]);
      await world.b.send(["probe", "seen"]);
      await world.a.expect(["seen"]);
    },
  },
  {
    name: "reconnect/dealer-router",
    roles: ["DEALER", "ROUTER"],
    options: { a: { routingId: "dealer" } },
    async run(world) {
      await world.link();
      await world.a.send("before");
      await world.b.expect([["dealer", "before"]]);
      await world.killBound();
      await world.connected.wait("disconnect", 1);
      await world.restartBound();
      await world.a.send("after");
      await world.b.expect([["dealer", "after"]]);
      await world.b.send(["dealer", "back"]);
      await world.a.expect(["back"]);
    },
  },
];

/** REQ and REP beyond plain frames. */
import { ensure, equal } from "../lib/world.mjs";

/** @typedef {import("../lib/table.mjs").Scenario} Scenario */

const ROUNDS = 1000;

/** @type {Scenario[]} */
export const requestReply = [
  {
    name: "req-rep/hello world",
    roles: ["REQ", "REP"],
    async run(world) {
      await world.link();
      for (let round = 0; round < 3; round++) {
        await world.a.send("Hello");
        await world.b.expect(["Hello"]);
        await world.b.send("World");
        await world.a.expect(["World"]);
      }
    },
  },
  {
    name: `req-rep/${ROUNDS} round trips`,
    roles: ["REQ", "REP"],
    async run(world) {
      await world.link();
      const [answered] = await Promise.all([world.b.answer(ROUNDS), world.a.ask("q", 0, ROUNDS, 100)]);
      equal(answered, ROUNDS, "answered");
    },
  },
  {
    name: "req-rep/first request before the peer is up",
    roles: ["REQ", "REP"],
    binds: ["b"],
    async run(world) {
      await world.open();
      world.address = await world.bound.bind(world.wanted);
      await world.killBound();
      await world.connected.connect(world.address);
      await world.a.send("early");
      await world.restartBound();
      await world.b.expect(["early"]);
      await world.b.send("here");
      await world.a.expect(["here"]);
    },
  },
  {
    name: "req-rep/correlate",
    roles: ["REQ", "REP"],
    options: { a: { correlate: true } },
    async run(world) {
      await world.link();
      const [answered] = await Promise.all([world.b.answer(50), world.a.ask("q", 0, 50)]);
      equal(answered, 50, "answered");
    },
  },
  {
    name: "req-rep/relaxed and correlate: a late reply is skipped",
    roles: ["REQ", "REP"],
    options: { a: { correlate: true, relaxed: true } },
    async run(world) {
      await world.link();
      await world.a.send("first");
      await world.b.expect(["first"]);
      await world.a.send("second");
      await world.b.send("late answer");
      await world.b.expect(["second"]);
      await world.b.send("answer");
      await world.a.expect(["answer"]);
      await world.a.send("third");
      await world.b.expect(["third"]);
      await world.b.send("done");
      await world.a.expect(["done"]);
    },
  },
  {
    name: "req-rep/three requesters, one replier",
    roles: ["REQ", "REP"],
    binds: ["b"],
    async run(world) {
      await world.link();
      const requesters = [world.a, await world.extra("a"), await world.extra("a")];
      for (const requester of requesters.slice(1)) await requester.connect(world.address);
      await world.b.wait("handshake", 3);
      for (let round = 0; round < 5; round++) {
        for (const requester of requesters) await requester.send(`${requester.name} ${round}`);
        for (let index = 0; index < 3; index++) {
          const [[question]] = await world.b.receive(1);
          await world.b.send(["re", Buffer.from(question.slice(1), "hex")]);
        }
        for (const requester of requesters) await requester.expect([["re", `${requester.name} ${round}`]]);
      }
    },
  },
  {
    name: "req-rep/one requester, three repliers in turn",
    roles: ["REQ", "REP"],
    binds: ["a"],
    async run(world) {
      await world.link();
      const repliers = [world.b, await world.extra("b"), await world.extra("b")];
      for (const replier of repliers.slice(1)) await replier.connect(world.address);
      await world.a.wait("handshake", 3);
      const order = [];
      for (let round = 0; round < 9; round++) {
        await world.a.send(`q${round}`);
        for (let index = 0; ; index = (index + 1) % 3) {
          if ((await repliers[index].receive(1, 10)).length === 0) continue;
          await repliers[index].send(`r${round}`);
          order.push(index);
          break;
        }
        await world.a.expect([`r${round}`]);
      }
      ensure(new Set(order.slice(0, 3)).size === 3, `the requests went to ${order}`);
      equal(order.slice(3), order.slice(0, 6), "the turns are");
    },
  },
];

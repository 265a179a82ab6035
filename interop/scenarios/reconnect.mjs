/**
 * The bound side is killed and comes back as another process on the same address: traffic goes on by itself, within
 * three reconnect intervals. Each socket type plays the one that is killed, and the one that has to find back.
 */
import { unlessZmtp } from "../lib/table.mjs";
import { ensure, equal, patience, pause } from "../lib/world.mjs";
import { PAIRS } from "./families.mjs";

/** @typedef {import("../lib/table.mjs").Scenario} Scenario */
/** @typedef {import("../lib/world.mjs").World} World */

const INTERVAL_MS = 100;

/** libzmq adds up to one interval by chance to each; the rest is for a machine that does other things as well. */
const SLACK_MS = 1000;
const LIMIT_MS = 3 * INTERVAL_MS + SLACK_MS;

/** @param {World} world @param {number} since */
function inTime(world, since) {
  const took = Math.round(performance.now() - since);
  world.measured.resumedAfterMs = took;
  ensure(took <= LIMIT_MS, `traffic came back after ${took} ms`);
}

/** @param {World} world */
async function lose(world) {
  await world.killBound();
  await world.connected.wait("disconnect", 1);
}

const options = { a: { reconnectInterval: INTERVAL_MS }, b: { reconnectInterval: INTERVAL_MS } };

/** Either end of every pattern is lost, and its place taken by another process. @type {Scenario[]} */
const everyPattern = PAIRS.flatMap(({ name, roles, options: own, prove }) => {
  const both = { a: { ...options.a, ...own?.a }, b: { ...options.b, ...own?.b } };
  return [
    {
      name: `reconnect/${name}, the bound end is lost`,
      roles,
      options: both,
      async run(/** @type {World} */ world) {
        await world.link();
        await prove(world, "before");
        await lose(world);
        await world.restartBound();
        await world.connected.wait("handshake", 2);
        await world.bound.wait("handshake", 1);
        await prove(world, "after");
      },
    },
    {
      name: `reconnect/${name}, the connecting end is lost`,
      roles,
      options: both,
      transports: /** @type {("tcp" | "ipc")[]} */ (["tcp"]),
      async run(/** @type {World} */ world) {
        await world.link();
        await prove(world, "before");
        await world.replaceConnected();
        await world.bound.wait("handshake", 2);
        await prove(world, "after");
      },
    },
  ];
});

/** An interval of 0 or -1: a loss is final, and the next one on the address has no visitor. @type {Scenario[]} */
const never = [0, -1].map((reconnectInterval) => ({
  name: `reconnect/never, with an interval of ${reconnectInterval}`,
  roles: ["PUSH", "PULL"],
  transports: ["tcp"],
  options: { a: { reconnectInterval }, b: { reconnectInterval } },
  async run(/** @type {World} */ world) {
    await world.link();
    await world.a.send("before");
    await world.b.expect(["before"]);
    await lose(world);
    await world.restartBound();
    await pause(5 * INTERVAL_MS);
    equal((await world.bound.events()).accept ?? 0, 0, "connections after the loss");
  },
}));

/** @type {Scenario[]} */
export const reconnect = [
  ...everyPattern,
  ...never,
  {
    name: "reconnect/req-rep",
    roles: ["REQ", "REP"],
    options,
    async run(world) {
      await world.link();
      await Promise.all([world.b.answer(10), world.a.ask("q", 0, 10)]);
      await lose(world);
      const since = await world.restartBound();
      await world.a.send("again");
      await world.b.expect(["again"]);
      inTime(world, since);
      await world.b.send("yes");
      await world.a.expect(["yes"]);
      await Promise.all([world.b.answer(10), world.a.ask("q", 0, 10)]);
    },
  },
  {
    name: "reconnect/req-rep, request sent while down",
    roles: ["REQ", "REP"],
    binds: ["b"],
    options,
    async run(world) {
      await world.link();
      await Promise.all([world.b.answer(10), world.a.ask("q", 0, 10)]);
      await lose(world);
      await world.a.send("waiting");
      const since = await world.restartBound();
      await world.b.expect(["waiting"]);
      inTime(world, since);
      await world.b.send("found");
      await world.a.expect(["found"]);
    },
  },
  {
    name: "reconnect/pub-sub, topics are sent again",
    roles: ["PUB", "SUB"],
    options,
    async run(world) {
      await world.link();
      const topics = ["A", "A", "B", "gone"];
      await world.b.subscribe(...topics);
      await world.b.unsubscribe("gone");
      const sync = await world.synchronise(world.a, world.b);
      await world.a.send("A1");
      await world.b.expect(["A1"]);
      await lose(world);
      const since = await world.restartBound();
      if (world.case.binder === "b") await world.b.subscribe("A", "B", sync);
      await world.resynchronise(world.a, world.b, sync);
      inTime(world, since);
      for (const message of ["A2", "B2", "gone", "other"]) await world.a.send(message);
      await world.b.expect(["A2", "B2"]);
      await world.b.expectSilence();
    },
  },
  {
    name: "reconnect/pub-sub, 5000 topics are sent again",
    roles: ["PUB", "SUB"],
    binds: ["a"],
    transports: ["tcp"],
    options: { a: { sendHighWaterMark: 0 }, b: { ...options.b, receiveHighWaterMark: 0 } },
    caseOptions: ({ b }) => ({ b: unlessZmtp(b, { sendHighWaterMark: 0 }) }),
    async run(world) {
      await world.link();
      await world.b.call("subscribeseq", ["t", 0, 5000]);
      const sync = await world.synchronise(world.a, world.b);
      await lose(world);
      await world.restartBound();
      // The topic that was subscribed last came first this time, as topics are sent in order of their octets: a new one tells.
      await world.b.wait("handshake", 2);
      await world.synchronise(world.a, world.b);
      await world.resynchronise(world.a, world.b, sync);
      await world.a.call("sendseq", ["t", 0, 5001, 1000], 20_000);
      equal((await world.b.receive(5001, 300)).length, 5000, "received");
    },
  },
  {
    name: "reconnect/push-pull",
    roles: ["PUSH", "PULL"],
    options,
    async run(world) {
      await world.link();
      await world.a.send("before");
      await world.b.expect(["before"]);
      await lose(world);
      const since = await world.restartBound();
      equal(await world.a.stream("m", 0, 100), 100, "sent");
      await world.b.expectStream("m", 0, 100);
      inTime(world, since);
    },
  },
  {
    name: "reconnect/push-pull, sent while down",
    roles: ["PUSH", "PULL"],
    binds: ["b"],
    options,
    async run(world) {
      await world.link();
      await world.a.send("before");
      await world.b.expect(["before"]);
      await lose(world);
      equal(await world.a.stream("m", 0, 500), 500, "accepted while down");
      const since = await world.restartBound();
      await world.b.expectStream("m", 0, 500);
      inTime(world, since);
    },
  },
  {
    name: "reconnect/three times",
    roles: ["PUSH", "PULL"],
    transports: ["tcp"],
    options,
    async run(world) {
      await world.link();
      for (let round = 1; round <= 3; round++) {
        await world.a.send(`round ${round}`);
        await world.b.expect([`round ${round}`]);
        await world.killBound();
        await world.connected.wait("disconnect", round);
        await world.restartBound();
        await world.connected.wait("handshake", round + 1, patience());
      }
    },
  },
  {
    name: "reconnect/the connecting side is killed and replaced",
    roles: ["PUSH", "PULL"],
    async run(world) {
      await world.link();
      await world.a.send("before");
      await world.b.expect(["before"]);
      await world.replaceConnected();
      await world.bound.wait("handshake", 2);
      await world.a.send("after");
      await world.b.expect(["after"]);
    },
  },
  {
    name: "reconnect/back-off: the first connection after 1 s of refusals",
    roles: ["PUSH", "PULL"],
    transports: ["tcp"],
    options: {
      a: { reconnectInterval: 50, reconnectMaxInterval: 400 },
      b: { reconnectInterval: 50, reconnectMaxInterval: 400 },
    },
    async run(world) {
      await world.link();
      await lose(world);
      await pause(1000);
      const since = await world.restartBound();
      await world.connected.wait("handshake", 2, 2000);
      world.measured.resumedAfterMs = Math.round(performance.now() - since);
      await world.a.send("after");
      await world.b.expect(["after"]);
    },
  },
];

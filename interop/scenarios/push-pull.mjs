/** PUSH and PULL: order, sharing, back-pressure, the end of links. */
import { ensure, equal, heard, patience, pause, SILENCE_MS } from "../lib/world.mjs";

/** @typedef {import("../lib/table.mjs").Scenario} Scenario */
/** @typedef {import("../lib/world.mjs").World} World */

const MANY = 20_000;
const KIB = 1024;

/** More than the kernel's buffers of one connection ever take. */
const FLOOD_BYTES = 128 * KIB * KIB;
const BLOCKED_MS = 300;

/**
 * The puller does not read: the pusher must stop accepting; then all that it accepted arrives in order, and it goes on.
 * @param {World} world @param {number} size
 */
async function backPressure(world, size) {
  await world.link();
  const most = Math.ceil(FLOOD_BYTES / size);
  const accepted = await world.a.stream("m", 0, most, { size, ms: BLOCKED_MS });
  ensure(accepted < most, `PUSH accepted ${accepted} messages of ${size} octets although nobody reads`);
  ensure(accepted >= 10, `PUSH accepted only ${accepted} messages`);
  world.measured.accepted = accepted;
  await world.b.expectStream("m", 0, accepted);
  await world.b.expectSilence();
  await Promise.all([world.a.stream("m", accepted, 50, { size }), world.b.expectStream("m", accepted, 50)]);
}

/** The other pairs of which the first waits while the second does not read. */
const BLOCKING = /** @type {{ name: string, roles: [string, string] }[]} */ ([
  { name: "pair", roles: ["PAIR", "PAIR"] },
  { name: "dealer-dealer", roles: ["DEALER", "DEALER"] },
  { name: "dealer-router", roles: ["DEALER", "ROUTER"] },
]);

/** As seen from zmtp and from libzmq alike: no FIN comes. @param {import("../lib/table.mjs").Role} role */
const keepsLinks = ({ implementation }) =>
  implementation === "jeromq" ? "JeroMQ 0.3.6 keeps its links after disconnect and unbind" : undefined;

/** @type {Scenario[]} */
export const pushPull = [
  {
    name: `push-pull/${MANY} messages in order`,
    roles: ["PUSH", "PULL"],
    async run(world) {
      await world.link();
      const [sent] = await Promise.all([world.a.stream("m", 0, MANY), world.b.expectStream("m", 0, MANY)]);
      equal(sent, MANY, "sent");
      await world.b.expectSilence();
    },
  },
  {
    name: "push-pull/300 messages of 64 KiB in order",
    roles: ["PUSH", "PULL"],
    async run(world) {
      await world.link();
      await Promise.all([world.a.stream("m", 0, 300, { size: 64 * KIB }), world.b.expectStream("m", 0, 300)]);
    },
  },
  {
    name: "push-pull/back-pressure, 64 KiB",
    roles: ["PUSH", "PULL"],
    options: { a: { sendHighWaterMark: 10 }, b: { receiveHighWaterMark: 10 } },
    run: (world) => backPressure(world, 64 * KIB),
  },
  ...BLOCKING.map(({ name, roles }) => ({
    name: `${name}/back-pressure, 64 KiB`,
    roles,
    transports: /** @type {("tcp" | "ipc")[]} */ (["tcp"]),
    options: { a: { sendHighWaterMark: 10 }, b: { receiveHighWaterMark: 10 } },
    run: (/** @type {World} */ world) => backPressure(world, 64 * KIB),
  })),
  {
    name: "push-pull/back-pressure, 1 KiB",
    roles: ["PUSH", "PULL"],
    options: { a: { sendHighWaterMark: 5 }, b: { receiveHighWaterMark: 5 } },
    run: (world) => backPressure(world, KIB),
  },
  {
    name: "push-pull/round robin over three pullers",
    roles: ["PUSH", "PULL"],
    binds: ["a"],
    async run(world) {
      await world.link();
      const pullers = [world.b, await world.extra("b"), await world.extra("b")];
      for (const puller of pullers.slice(1)) await puller.connect(world.address);
      await world.a.wait("handshake", 3);
      equal(await world.a.stream("m", 0, 300), 300, "sent");
      for (const puller of pullers) {
        const { total, tags } = await puller.count(100);
        const tally = tags.get("m");
        equal(total, 100, "one share");
        ensure(
          tally !== undefined && tally.last === tally.first + 297,
          `a share goes from ${tally?.first} to ${tally?.last}`,
        );
        await puller.expectSilence();
      }
    },
  },
  {
    name: "push-pull/round robin over three endpoints",
    roles: ["PUSH", "PULL"],
    binds: ["b"],
    transports: ["tcp"],
    async run(world) {
      await world.link();
      const pullers = [world.b, await world.extra("b"), await world.extra("b")];
      for (const puller of pullers.slice(1)) await world.a.connect(await puller.bind(world.wanted));
      await world.a.wait("handshake", 3);
      equal(await world.a.stream("m", 0, 300), 300, "sent");
      for (const puller of pullers) equal((await puller.count(100)).total, 100, "one share");
    },
  },
  {
    name: "push-pull/fair queueing of three pushers",
    roles: ["PUSH", "PULL"],
    binds: ["b"],
    async run(world) {
      await world.link();
      const pushers = [world.a, await world.extra("a"), await world.extra("a")];
      for (const pusher of pushers.slice(1)) await pusher.connect(world.address);
      await world.b.wait("handshake", 3);
      for (const pusher of pushers) equal(await pusher.stream(pusher.name, 0, 300), 300, "sent");
      // Everything is on its way; what has not come in yet cannot have its turn.
      await pause(SILENCE_MS);
      const { tags } = await world.b.count(300);
      for (const pusher of pushers) {
        const share = tags.get(pusher.name)?.count ?? 0;
        ensure(share >= 50, `${pusher.name} got ${share} of the first 300 turns`);
      }
      const rest = await world.b.count(600);
      for (const pusher of pushers) {
        const first = tags.get(pusher.name);
        const second = rest.tags.get(pusher.name);
        equal((first?.count ?? 0) + (second?.count ?? 0), 300, `messages of ${pusher.name}`);
        equal((first?.gaps ?? 0) + (second?.gaps ?? 0), 0, `disorder of ${pusher.name}`);
      }
    },
  },
  {
    name: "push-pull/close delivers what was sent",
    roles: ["PUSH", "PULL"],
    async run(world) {
      await world.link();
      equal(await world.a.stream("m", 0, 500, { size: 1000 }), 500, "sent");
      await world.a.close();
      await world.b.expectStream("m", 0, 500);
      await world.b.wait("disconnect", 1);
    },
  },
  {
    name: "push-pull/sent before the connection is up",
    roles: ["PUSH", "PULL"],
    binds: ["b"],
    async run(world) {
      await world.open();
      await world.a.connect(await world.b.bind(world.wanted));
      equal(await world.a.stream("m", 0, 500), 500, "sent");
      await world.b.expectStream("m", 0, 500);
    },
  },
  {
    name: "push-pull/disconnect flushes and ends the link",
    roles: ["PUSH", "PULL"],
    binds: ["b"],
    except: ({ a }) => keepsLinks(a),
    async run(world) {
      await world.link();
      equal(await world.a.stream("m", 0, 500), 500, "sent");
      await world.a.call("disconnect", [world.address]);
      await world.b.expectStream("m", 0, 500);
      await world.b.wait("disconnect", 1);
      const accepted = await world.a.stream("m", 500, 1, { ms: SILENCE_MS });
      equal(accepted, 0, "accepted without a peer");
      await world.a.connect(world.address);
      await world.b.wait("handshake", 2);
      await world.a.send("again");
      await world.b.expect(["again"]);
    },
  },
  {
    name: "push-pull/unbind ends accepted links, bind resumes",
    roles: ["PUSH", "PULL"],
    except: (testCase) => keepsLinks(testCase[testCase.binder]),
    async run(world) {
      await world.link();
      await world.a.send("before");
      await world.b.expect(["before"]);
      await world.bound.call("unbind", [world.address]);
      await world.connected.wait("disconnect", 1);
      equal(await world.bound.bind(world.address), world.address, "bound again");
      await Promise.all([world.a.wait("handshake", 2), world.b.wait("handshake", 2)]);
      await world.a.send("after");
      await world.b.expect(["after"]);
    },
  },
  {
    name: "push-pull/what a gone pusher sent is still readable",
    roles: ["PUSH", "PULL"],
    async run(world) {
      await world.link();
      equal(await world.a.stream("m", 0, 200), 200, "sent");
      await world.b.expectStream("m", 0, 100);
      await pause(SILENCE_MS);
      world.a.agent.kill();
      await world.b.wait("disconnect", 1, patience());
      await world.b.expectStream("m", 100, 100);
    },
  },
  {
    name: "push-pull/immediate waits for a live peer",
    roles: ["PUSH", "PULL"],
    binds: ["b"],
    options: { a: { immediate: true } },
    async run(world) {
      await world.open();
      world.address = await world.b.bind(world.wanted);
      await world.b.call("unbind", [world.address]);
      await world.a.connect(world.address);
      equal(await world.a.stream("m", 0, 1, { ms: SILENCE_MS }), 0, "accepted without a live peer");
      await world.b.bind(world.address);
      await world.a.wait("handshake", 1);
      equal(await world.a.stream("m", 0, 10), 10, "accepted with a live peer");
      equal(await world.b.receive(1), [[heard("m:00000000:")]], "the first is");
    },
  },
];

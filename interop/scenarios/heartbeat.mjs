/** Heartbeats: an idle link stays up, a dead one is found out and comes back. */
import { equal, patience, pause } from "../lib/world.mjs";
import { curveClient, curveServer } from "./security.mjs";

/** @typedef {import("../lib/table.mjs").Scenario} Scenario */
/** @typedef {import("../lib/world.mjs").World} World */

const INTERVAL_MS = 100;
/** Long enough for a peer that answers, on a machine with something else to do. */
const TIMEOUT_MS = patience(600);
/** Of tenths of a second, as PING tells them. */
const TIME_TO_LIVE_MS = 100 * Math.ceil(patience(500) / 100);
const IDLE_MS = 1.5 * TIMEOUT_MS;

const beating = { heartbeatInterval: INTERVAL_MS, heartbeatTimeout: TIMEOUT_MS };

/** Each end in turn: the one that stops is b, which either implementation plays. @param {World} world */
async function stopped(world) {
  await world.link();
  world.b.agent.signal("SIGSTOP");
  try {
    await world.a.wait("disconnect", 1, 5 * TIMEOUT_MS);
  } finally {
    world.b.agent.signal("SIGCONT");
  }
  await world.a.wait("handshake", 2);
}

/** @type {Scenario[]} */
export const heartbeat = [
  {
    name: "heartbeat/an idle link stays up",
    roles: ["PUSH", "PULL"],
    options: {
      a: { ...beating, heartbeatTimeToLive: TIME_TO_LIVE_MS },
      b: { ...beating, heartbeatTimeToLive: TIME_TO_LIVE_MS },
    },
    async run(world) {
      await world.link();
      await pause(IDLE_MS);
      equal((await world.a.events()).disconnect ?? 0, 0, "links lost");
      equal((await world.b.events()).disconnect ?? 0, 0, "links lost");
      await world.a.send("still here");
      await world.b.expect(["still here"]);
    },
  },
  {
    name: "heartbeat/one side beats, the other only answers",
    roles: ["PUSH", "PULL"],
    transports: ["tcp"],
    options: { a: beating },
    async run(world) {
      await world.link();
      await pause(IDLE_MS);
      equal((await world.a.events()).disconnect ?? 0, 0, "links lost");
      await world.a.send("still here");
      await world.b.expect(["still here"]);
    },
  },
  {
    name: "heartbeat/a stopped peer is found out, and found again",
    roles: ["PUSH", "PULL"],
    options: { a: beating, b: beating },
    async run(world) {
      await world.link();
      world.b.agent.signal("SIGSTOP");
      await world.a.wait("disconnect", 1, 5 * TIMEOUT_MS);
      world.b.agent.signal("SIGCONT");
      await world.a.wait("handshake", 2);
      await world.a.send("welcome back");
      await world.b.expect(["welcome back"]);
    },
  },
  ...["REQ-REP", "DEALER-ROUTER", "PUB-SUB", "PAIR-PAIR"].map((pair) => ({
    name: `heartbeat/a stopped peer is found out, ${pair}`,
    roles: /** @type {[string, string]} */ (pair.split("-")),
    transports: /** @type {("tcp" | "ipc")[]} */ (["tcp"]),
    options: { a: beating, b: beating },
    run: stopped,
  })),
  {
    name: "heartbeat/a stopped peer is found out, under CURVE",
    roles: ["PUSH", "PULL"],
    needs: ["curve"],
    options: { a: { ...curveServer, ...beating }, b: { ...curveClient, ...beating } },
    run: stopped,
  },
  {
    name: "heartbeat/an idle link stays up, under CURVE",
    roles: ["PUSH", "PULL"],
    needs: ["curve"],
    transports: ["tcp"],
    options: {
      a: { ...curveClient, ...beating, heartbeatTimeToLive: TIME_TO_LIVE_MS },
      b: { ...curveServer, ...beating },
    },
    async run(world) {
      await world.link();
      await pause(IDLE_MS);
      equal((await world.a.events()).disconnect ?? 0, 0, "links lost");
      equal((await world.b.events()).disconnect ?? 0, 0, "links lost");
      await world.a.send("still here");
      await world.b.expect(["still here"]);
    },
  },
  {
    name: "heartbeat/time to live ends the link on the other side",
    roles: ["PUSH", "PULL"],
    options: { a: { heartbeatInterval: INTERVAL_MS, heartbeatTimeToLive: 300, heartbeatTimeout: 10_000 } },
    async run(world) {
      await world.link();
      await pause(3 * INTERVAL_MS);
      world.a.agent.signal("SIGSTOP");
      try {
        await world.b.wait("disconnect", 1, 3000);
      } finally {
        world.a.agent.signal("SIGCONT");
      }
      await world.b.wait("handshake", 2);
    },
  },
  {
    name: "heartbeat/a large message does not count as silence",
    roles: ["PUSH", "PULL"],
    transports: ["tcp"],
    // The checksum of 8 MB occupies an agent of one thread for a while, in which it answers nothing.
    options: { a: { ...beating, heartbeatTimeout: 2000 }, b: { ...beating, heartbeatTimeout: 2000 } },
    async run(world) {
      await world.link();
      const body = { size: 8_000_000, seed: 1 };
      await world.a.send(body);
      await world.b.expect([body]);
      await pause(IDLE_MS / 2);
      equal((await world.b.events()).disconnect ?? 0, 0, "links lost");
    },
  },
];

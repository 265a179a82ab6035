/**
 * The master of the ring. Round trip: one message at a time, milliseconds a lap. Flood: so many messages without waiting,
 * from the first sent to the last received; each has to come back in order, counted by every hub.
 *
 *   node bench/seeds/ring/master.mjs [--impl zmtp] <connect to> <bind to> [laps=10] [flood …]
 *   node bench/seeds/ring/master.mjs tcp://127.0.0.1:5564 tcp://127.0.0.1:5561 10 1000 10000 100000 1000000
 */

import { setTimeout as sleep } from "node:timers/promises";
import { seedArguments } from "../../lib/seed.mjs";
import { body, HUBS, openNode, PROBE, publisherOf } from "./messages.mjs";

const PROBE_INTERVAL_MS = 20;

const { impl, zmq, rest } = await seedArguments("ring", ["master"]);
const [from, to, laps = "10", ...floods] = rest;
const { pub, sub } = await openNode(zmq, { topic: "topic4", from, to });
const publish = publisherOf(impl, pub);

async function waitForRing() {
  let closed = false;
  const first = sub.receive().then(() => {
    closed = true;
  });
  while (!closed) {
    await publish(["topic1", body(0, PROBE)]);
    await sleep(PROBE_INTERVAL_MS);
  }
  await first;
}

/** @param {number} count */
async function takeAll(count) {
  for (let next = 0; next < count; ) {
    const [, octets] = await sub.receive();
    const sequence = octets.readUInt32LE(4);
    if (sequence === PROBE) continue;
    if (octets.readUInt32LE(0) !== HUBS || sequence !== next) throw new Error(`message ${next} was lost`);
    next++;
  }
}

/** @param {number} count */
async function flood(count) {
  for (let sequence = 0; sequence < count; sequence++) await publish(["topic1", body(0, sequence)]);
}

await waitForRing();
for (let lap = 0; lap < Number(laps); lap++) {
  const start = performance.now();
  await publish(["topic1", body(0, 0)]);
  await takeAll(1);
  console.log(`round trip: ${(performance.now() - start).toFixed(3)} ms`);
}
for (const count of floods.map(Number)) {
  const start = performance.now();
  await Promise.all([takeAll(count), flood(count)]);
  console.log(`flood ${count}: ${((performance.now() - start) / 1000).toFixed(3)} s`);
}
process.exit();

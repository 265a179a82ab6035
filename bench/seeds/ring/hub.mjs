/**
 * A hub of the ring: subscribes to one topic, adds one to the number, and publishes on the next.
 *
 *   node bench/seeds/ring/hub.mjs [--impl zmtp] <in topic> <out topic> <connect to> <bind to>
 *   node bench/seeds/ring/hub.mjs topic1 topic2 tcp://127.0.0.1:5561 tcp://127.0.0.1:5562
 */

import { seedArguments } from "../../lib/seed.mjs";
import { body, openNode, publisherOf } from "./messages.mjs";

const { impl, zmq, rest } = await seedArguments("ring", ["hub"]);
const [topic, out, from, to] = rest;
const { pub, sub } = await openNode(zmq, { topic, from, to });
const publish = publisherOf(impl, pub);
for (;;) {
  const [, octets] = await sub.receive();
  await publish([out, body(octets.readUInt32LE(0) + 1, octets.readUInt32LE(4))]);
}

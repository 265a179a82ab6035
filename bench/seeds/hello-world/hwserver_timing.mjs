/**
 * The silent server of the timing pair.
 *
 *   node bench/seeds/hello-world/hwserver_timing.mjs [--impl zmtp] [address=tcp://*:5555]
 */

import { seedArguments } from "../../lib/seed.mjs";

const { zmq, rest } = await seedArguments("hello", ["server-timing"]);
const server = new zmq.Reply();
await server.bind(rest[0] ?? "tcp://*:5555");
for (;;) {
  await server.receive();
  await server.send("World");
}

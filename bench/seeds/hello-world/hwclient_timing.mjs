/**
 * The client of the timing pair: so many round trips, one after the other, and then how long they took. Start one, two or
 * three of them at once against one server.
 *
 *   node bench/seeds/hello-world/hwclient_timing.mjs [--impl zmtp] [total_messages=100000] [address=tcp://localhost:5555]
 */

import { seedArguments } from "../../lib/seed.mjs";

const { zmq, rest } = await seedArguments("hello", ["timing"]);
const total = Number(rest[0] ?? 100_000);
const client = new zmq.Request();
client.connect(rest[1] ?? "tcp://localhost:5555");
const start = performance.now();
for (let left = total; left > 0; left--) {
  await client.send("Hello");
  await client.receive();
}
const seconds = (performance.now() - start) / 1000;
console.log(`${total} messages in ${seconds.toFixed(2)} secs`);
console.log(`${(total / seconds).toFixed(0)} messages / sec`);

/**
 * Hello World server: REP that prints each request, does one second of "work", and answers "World".
 *
 *   node bench/seeds/hello-world/hwserver.mjs [--impl zmtp] [address=tcp://*:5555] [work in ms=1000]
 */

import { setTimeout as sleep } from "node:timers/promises";
import { seedArguments } from "../../lib/seed.mjs";

const { zmq, rest } = await seedArguments("hello", ["server"]);
const [address = "tcp://*:5555", workMs = "1000"] = rest;
const server = new zmq.Reply();
await server.bind(address);
for await (const [request] of server) {
  console.log(`Received request: ${request}`);
  await sleep(Number(workMs));
  await server.send("World");
}

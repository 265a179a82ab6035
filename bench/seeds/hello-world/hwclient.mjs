/**
 * Hello World client: REQ that sends "Hello" and prints each answer.
 *
 *   node bench/seeds/hello-world/hwclient.mjs [--impl zmtp] [requests=10] [address=tcp://localhost:5555]
 */

import { seedArguments } from "../../lib/seed.mjs";

const { zmq, rest } = await seedArguments("hello", ["client"]);
const [requests = "10", address = "tcp://localhost:5555"] = rest;
console.log("Connecting to hello world server…");
const client = new zmq.Request();
client.connect(address);
for (let request = 0; request < Number(requests); request++) {
  console.log(`Sending request ${request} …`);
  await client.send("Hello");
  const [reply] = await client.receive();
  console.log(`Received reply ${request} [ ${reply} ]`);
}

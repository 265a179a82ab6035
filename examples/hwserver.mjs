// Hello World, the server: answers each request after one second of "work".
//   node examples/hwserver.mjs [address, by default tcp://*:5555]
import { setTimeout as sleep } from "node:timers/promises";
import { Reply } from "zmtp";

const socket = new Reply();
await socket.bind(process.argv[2] ?? "tcp://*:5555");
console.log(`listening at ${socket.lastEndpoint}`);

for await (const [request] of socket) {
  console.log(`Received request: ${request}`);
  await sleep(1000);
  await socket.send("World");
}

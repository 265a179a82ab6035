// STREAM: a small asynchronous TCP server that prints what it receives.
//   node examples/stream-server.mjs [address, by default tcp://127.0.0.1:9999]     then: echo hello | nc 127.0.0.1 9999
import { Stream } from "zmtp";

const server = new Stream();
await server.bind(process.argv[2] ?? "tcp://127.0.0.1:9999");
console.log(`listening at ${server.lastEndpoint}`);

for await (const [connection, octets] of server) {
  const name = connection.toString("hex");
  if (octets.length === 0) console.log(`${name} came or went`);
  else process.stdout.write(`${name}: ${octets}`);
}

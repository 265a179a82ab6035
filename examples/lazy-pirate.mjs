// Lazy pirate: a client that asks again when no answer comes in time. The server ignores the first request.
//   node examples/lazy-pirate.mjs
import { Reply, Request } from "zmtp";

const server = new Reply();
await server.bind("tcp://127.0.0.1:*");
(async () => {
  let requests = 0;
  for await (const [request] of server) {
    // An answer to a request that was given up carries its id, so the client can tell that it is late.
    if (requests++ === 0) await new Promise((resolve) => setTimeout(resolve, 400));
    await server.send(`${request} done`);
  }
})();

const client = new Request({ relaxed: true, correlate: true, receiveTimeout: 250, linger: 0 });
client.connect(server.lastEndpoint);

for (let attempt = 1; ; attempt++) {
  await client.send("task");
  try {
    const [reply] = await client.receive();
    console.log(`attempt ${attempt}: ${reply}`);
    break;
  } catch (error) {
    console.log(`attempt ${attempt}: no answer (${error.code})`);
  }
}

client.close();
server.close();

/** A server of requests, and clients one after the other and at once; what happens out of turn. */
import { outcome, print, text, zmq } from "./lib.mjs";

const server = new zmq.Reply({ routingId: "server" });
await server.bind("tcp://127.0.0.1:*");
const address = /** @type {string} */ (server.lastEndpoint);
const serving = (async () => {
  for await (const frames of server) await server.send(["echo", ...frames]);
})();

const client = new zmq.Request();
client.connect(address);
for (const message of ["hello", ["several", "", "frames"], Buffer.from([1, 2, 3]), ""]) {
  await client.send(message);
  print((await client.receive()).map((frame) => frame.toString("hex")));
}

const answers = await Promise.all(
  Array.from({ length: 5 }, async (_, i) => {
    const one = new zmq.Request();
    one.connect(address);
    const got = [];
    for (let n = 0; n < 10; n++) {
      await one.send(`${i}/${n}`);
      got.push(text(await one.receive()));
    }
    one.close();
    return got.join();
  }),
);
for (const answer of answers) print(answer);

client.receiveTimeout = 0;
client.sendTimeout = 0;
print("receive first", await outcome(() => client.receive()));
await client.send("one");
print("send again", await outcome(() => client.send("two")));
client.receiveTimeout = -1;
print(text(await client.receive()));
print("reply without a request", await outcome(() => new zmq.Reply({ sendTimeout: 0 }).send("x")));
client.close();
server.close();
await serving;
print("served");

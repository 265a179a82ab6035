/** A broker of ROUTER and DEALER by Proxy, with REQ and DEALER clients and REP workers. */
import { outcome, print, text, zmq } from "./lib.mjs";

const proxy = new zmq.Proxy(new zmq.Router(), new zmq.Dealer());
print("unbound", await outcome(() => proxy.run()));
await proxy.frontEnd.bind("tcp://127.0.0.1:*");
await proxy.backEnd.bind("tcp://127.0.0.1:*");
const front = /** @type {string} */ (proxy.frontEnd.lastEndpoint);
const back = /** @type {string} */ (proxy.backEnd.lastEndpoint);
for (const method of /** @type {const} */ (["pause", "resume", "terminate"])) {
  print(method, await outcome(() => proxy[method]()));
}
const ended = proxy.run();
print("blocked", await outcome(() => proxy.frontEnd.send("x")));

const workers = [0, 1].map(() => new zmq.Reply());
for (const worker of workers) {
  worker.connect(back);
  (async () => {
    for await (const [request] of worker) await worker.send(`done ${request}`);
  })();
}
const clients = [0, 1, 2].map(() => new zmq.Request());
const got = await Promise.all(
  clients.map(async (client, i) => {
    client.connect(front);
    const replies = [];
    for (let n = 0; n < 20; n++) {
      await client.send(`${i}.${n}`);
      replies.push(text(await client.receive()));
    }
    return replies.join();
  }),
);
for (const replies of got) print(replies);
const dealer = new zmq.Dealer();
dealer.connect(front);
for (let i = 0; i < 4; i++) await dealer.send(["", `q${i}`]);
const replies = [];
for (let i = 0; i < 4; i++) replies.push(text(await dealer.receive()));
print(replies.sort());

proxy.terminate();
await ended;
print("ended", proxy.frontEnd.closed, proxy.backEnd.closed, await outcome(() => proxy.terminate()));
for (const socket of [...workers, ...clients, dealer]) socket.close();

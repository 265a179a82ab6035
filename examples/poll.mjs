// One process, several sockets: by async iteration, and without waiting, by timeouts of 0.
//   node examples/poll.mjs
import { setImmediate as turn } from "node:timers/promises";
import { Pull, Push } from "zmtp";

const tasks = new Pull();
const orders = new Pull({ receiveTimeout: 0 });
await tasks.bind("tcp://127.0.0.1:*");
await orders.bind("tcp://127.0.0.1:*");

const boss = new Push();
boss.connect(tasks.lastEndpoint);
const chief = new Push();
chief.connect(orders.lastEndpoint);

const iterated = (async () => {
  let seen = 0;
  for await (const _message of tasks) if (++seen === 1000) break;
  return seen;
})();

for (let task = 0; task < 1000; task++) await boss.send(String(task));
await chief.send("stop");

// Nothing waits here: a try that finds nothing rejects with EAGAIN, and the loop does something else.
let tries = 0;
let order;
while (order === undefined) {
  try {
    [order] = await orders.receive();
  } catch (error) {
    if (error.code !== "EAGAIN") throw error;
    tries++;
    await turn();
  }
}
console.log(`order: ${order}${tries > 0 ? ", after some tries" : ""}`);
console.log(`tasks: ${await iterated}`);

const full = new Push({ sendTimeout: 0 });
await full.send("nobody takes this").catch(({ code }) => console.log(`send without peers: ${code}`));

for (const socket of [tasks, orders, boss, chief, full]) socket.close();

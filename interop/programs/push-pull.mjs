/** A producer, three workers and a sink, with plain send and receive and with iteration. */
import { print, text, zmq } from "./lib.mjs";

const producer = new zmq.Push();
const sink = new zmq.Pull();
await producer.bind("tcp://127.0.0.1:*");
await sink.bind("tcp://127.0.0.1:*");
const tasks = /** @type {string} */ (producer.lastEndpoint);
const results = /** @type {string} */ (sink.lastEndpoint);

/** @param {number} number */
async function work(number) {
  const input = new zmq.Pull();
  const output = new zmq.Push();
  input.connect(tasks);
  output.connect(results);
  await output.send(["ready", `worker ${number}`]);
  for await (const [task] of input) {
    if (String(task) === "stop") break;
    await output.send(["result", String(Number(task) ** 2)]);
  }
  input.close();
  output.close();
}

const workers = [0, 1, 2].map(work);
const ready = [];
for (let i = 0; i < 3; i++) ready.push(text(await sink.receive()));
print(ready.sort());

const squares = [];
for (let i = 0; i < 300; i++) {
  await producer.send(String(i));
  squares.push(Number((await sink.receive())[1]));
}
print(
  squares.length,
  squares.reduce((sum, square) => sum + square),
);
for (let i = 0; i < 3; i++) await producer.send("stop");
await Promise.all(workers);
producer.close();
sink.close();
print("closed", producer.closed, sink.closed);

// PUSH and PULL: a ventilator hands out tasks to workers in turn, a sink collects their results.
//   node examples/pipeline.mjs
import { Pull, Push } from "zmtp";

const TASKS = 12;

const ventilator = new Push();
const sink = new Pull();
await ventilator.bind("tcp://127.0.0.1:*");
await sink.bind("tcp://127.0.0.1:*");

/** Squares numbers until its socket is closed. */
async function work(name) {
  const tasks = new Pull();
  const results = new Push();
  tasks.connect(ventilator.lastEndpoint);
  results.connect(sink.lastEndpoint);
  workers.push(tasks, results);
  for await (const [number] of tasks) await results.send([name, String(Number(number) ** 2)]);
}

const workers = [];
const ended = ["first", "second", "third"].map(work);

for (let task = 1; task <= TASKS; task++) await ventilator.send(String(task));

let sum = 0;
for (let results = 0; results < TASKS; results++) sum += Number((await sink.receive())[1]);
console.log(`sum of squares up to ${TASKS}: ${sum}`);

for (const socket of [ventilator, sink, ...workers]) socket.close();
await Promise.all(ended);

/**
 * What polling for an answer gains and costs: round trips between two processes, with a context's `busyPoll` at 0 and at its
 * default, samples interleaved. `node bench/micro/busy-poll.mjs`; under `taskset -c 0`, or beside something else that is busy, it
 * shows that polling gives way.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { load } from "../lib/implementation.mjs";
import { median } from "../lib/statistics.mjs";

const ROUNDS = 9;
const ROUND_TRIPS = 4000;
const LIMITS = [0, 250];

const { zmq } = load("zmtp");
const [, , limit] = process.argv;
if (limit !== undefined) await answer(Number(limit));
else await compare();

/** The other end. @param {number} busyPoll */
async function answer(busyPoll) {
  const reply = new zmq.Reply({ context: new zmq.Context({ busyPoll }), linger: 0 });
  await reply.bind("tcp://127.0.0.1:*");
  process.on("disconnect", () => process.exit());
  process.send?.(reply.lastEndpoint);
  for (;;) await reply.send(await reply.receive());
}

async function compare() {
  const ends = await Promise.all(LIMITS.map(open));
  for (const { measure } of ends) await measure();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { times, costs, measure } of ends) {
      const { time, cost } = await measure();
      times.push(time);
      costs.push(cost);
    }
  }
  for (const { busyPoll, times, costs, child } of ends) {
    console.log(
      `busyPoll ${busyPoll}: a round trip ${median(times).toFixed(1)} µs, processor time of the asking end ${median(costs).toFixed(1)} µs`,
    );
    child.disconnect();
  }
  process.exit();
}

/** @param {number} busyPoll */
async function open(busyPoll) {
  const child = fork(fileURLToPath(import.meta.url), [String(busyPoll)]);
  const address = await new Promise((resolve) => child.once("message", resolve));
  const request = new zmq.Request({ context: new zmq.Context({ busyPoll }), linger: 0 });
  request.connect(address);
  const measure = async () => {
    const before = process.cpuUsage();
    const start = performance.now();
    for (let i = 0; i < ROUND_TRIPS; i++) {
      await request.send("x");
      await request.receive();
    }
    const { user, system } = process.cpuUsage(before);
    return { time: ((performance.now() - start) * 1000) / ROUND_TRIPS, cost: (user + system) / ROUND_TRIPS };
  };
  return { busyPoll, child, measure, times: /** @type {number[]} */ ([]), costs: /** @type {number[]} */ ([]) };
}

/**
 * REQ that connects, and does round trips, one after the other, for each `run <milliseconds>`.
 * impl=zmtp address=tcp://127.0.0.1:5555 size=1
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { obey, tell, usage } from "../lib/program.mjs";
import { latencies } from "../lib/statistics.mjs";

/** More round trips than any run can do; the run ends when it is reached. */
const MOST_ROUND_TRIPS = 2 ** 21;

const { impl, address, size } = readPairs();
const { zmq } = load(impl);
const req = new zmq.Request();
req.connect(address);
const message = Buffer.alloc(Number(size), "A");
const times = new Float64Array(MOST_ROUND_TRIPS);

obey({
  async run(milliseconds) {
    const cpu = process.cpuUsage();
    let before = performance.now();
    const stop = before + Number(milliseconds);
    let count = 0;
    do {
      await req.send(message);
      const [body] = await req.receive();
      const now = performance.now();
      if (body.length !== message.length) throw new Error(`got ${body.length} octets back`);
      times[count++] = (now - before) * 1000;
      before = now;
    } while (before < stop && count < MOST_ROUND_TRIPS);
    const used = usage(cpu);
    return { ...latencies(times.slice(0, count)), ...used };
  },
});
tell("ready");

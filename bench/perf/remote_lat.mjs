/**
 * The asking end of the latency test: REQ that connects, one message in flight. Latency is half a round trip.
 *
 *   node bench/perf/remote_lat.mjs [--impl zmtp] tcp://127.0.0.1:5555 1 10000
 */

import { printLatency } from "../lib/both-ends.mjs";
import { perfArguments } from "../lib/perf.mjs";

const { zmq, address, size, count } = await perfArguments("remote_lat");
const req = new zmq.Request();
req.connect(address);
const message = Buffer.alloc(size);
const times = new Float64Array(count);
let before = performance.now();
for (let trip = 0; trip < count; trip++) {
  await req.send(message);
  const [body] = await req.receive();
  if (body.length !== size) throw new Error(`message of incorrect size received: ${body.length}`);
  const now = performance.now();
  times[trip] = ((now - before) * 1000) / 2;
  before = now;
}
printLatency(size, count, times);
req.close();

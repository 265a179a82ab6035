/**
 * The answering end of the latency test: REP that binds and sends every message back.
 *
 *   node bench/perf/local_lat.mjs [--impl zmtp] tcp://127.0.0.1:5555 1 10000
 */

import { perfArguments } from "../lib/perf.mjs";

const { zmq, address, size, count } = await perfArguments("local_lat");
const rep = new zmq.Reply();
await rep.bind(address);
for (let left = count; left > 0; left--) {
  const [body] = await rep.receive();
  if (body.length !== size) throw new Error(`message of incorrect size received: ${body.length}`);
  await rep.send(body);
}

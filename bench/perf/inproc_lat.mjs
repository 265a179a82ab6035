/**
 * The latency test inside one process.
 *
 *   node bench/perf/inproc_lat.mjs [--impl zmtp] 1 10000
 */

import { exchangeHere } from "../lib/both-ends.mjs";
import { perfArguments } from "../lib/perf.mjs";

const { zmq, address, size, count } = await perfArguments("inproc_lat");
await exchangeHere(zmq, address, size, count);

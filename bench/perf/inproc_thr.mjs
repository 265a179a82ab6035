/**
 * The throughput test inside one process: PUSH to PULL.
 *
 *   node bench/perf/inproc_thr.mjs [--impl zmtp] 100 1000000
 */

import { streamHere } from "../lib/both-ends.mjs";
import { peakMemory, perfArguments } from "../lib/perf.mjs";

const { zmq, address, size, count } = await perfArguments("inproc_thr");
await streamHere(zmq, { address, size, count, pub: false });
console.log(peakMemory());

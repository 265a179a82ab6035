/**
 * The receiving end of the throughput test: PULL (with `--pattern pub` SUB) that binds. The clock runs from the first
 * message received to the last.
 *
 *   node bench/perf/local_thr.mjs [--impl zmtp] [--pattern push|pub] tcp://127.0.0.1:5555 100 1000000
 */

import { printThroughput } from "../lib/both-ends.mjs";
import { MANY } from "../lib/implementation.mjs";
import { peakMemory, perfArguments } from "../lib/perf.mjs";

const { zmq, many, pub, address, size, count } = await perfArguments("local_thr");
const socket = pub ? new zmq.Subscriber() : new zmq.Pull();
await socket.bind(address);
if (pub) socket.subscribe("");

/** @param {Buffer[]} message */
function checkSize([body]) {
  if (body.length !== size) throw new Error(`message of incorrect size received: ${body.length}`);
}

checkSize(await socket.receive());
const start = performance.now();
let left = count - 1;
if (many) {
  while (left > 0) {
    const messages = await socket.receiveMany(Math.min(left, MANY));
    for (const message of messages) checkSize(message);
    left -= messages.length;
  }
} else {
  for (; left > 0; left--) checkSize(await socket.receive());
}
printThroughput(size, count, performance.now() - start);
console.log(peakMemory());
socket.close();

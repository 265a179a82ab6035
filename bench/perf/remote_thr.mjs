/**
 * The sending end of the throughput test: PUSH that connects, or with `--pattern pub` an XPUB that waits for the first
 * subscription, loses nothing (noDrop) and so stays bounded in memory. Ends when everything has been handed over.
 *
 *   node bench/perf/remote_thr.mjs [--impl zmtp] [--pattern push|pub] tcp://127.0.0.1:5555 100 1000000
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { MANY } from "../lib/implementation.mjs";
import { peakMemory, perfArguments } from "../lib/perf.mjs";

const { zmq, many, pub, address, size, count } = await perfArguments("remote_thr");
const socket = pub ? new zmq.XPublisher({ noDrop: true }) : new zmq.Push();
socket.connect(address);
if (pub) await socket.receive();

const message = Buffer.alloc(size);
let left = count;
if (many) {
  const messages = new Array(MANY).fill(message);
  for (; left >= MANY; left -= MANY) await socket.sendMany(messages);
}
while (left > 0) {
  try {
    await socket.send(message);
    left--;
  } catch (error) {
    // The native binding's publisher rejects at its high-water mark where others wait.
    if (!pub || /** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") throw error;
    await nextTurn();
  }
}
console.log(peakMemory());
socket.close();

/**
 * Raw TCP sender: writes buffers of `size` octets, stops at backpressure, goes on at `drain`.
 * address=tcp://127.0.0.1:5555 size=65536
 */

import { once } from "node:events";
import { connect } from "node:net";
import { readPairs } from "../lib/arguments.mjs";
import { clockEvery } from "../lib/loops.mjs";
import { obey, tell, usage, usageNow } from "../lib/program.mjs";

const { address, size } = readPairs();
const message = Buffer.alloc(Number(size), "A");
const every = clockEvery(message.length);

/**
 * @param {import("node:net").Socket} socket
 * @param {number} stop Clock at which to end.
 * @returns {Promise<number>}
 */
function sendUntil(socket, stop) {
  return new Promise((resolve) => {
    let count = 0;
    const pump = () => {
      while (count % every !== 0 || performance.now() < stop) {
        count++;
        if (!socket.write(message)) return;
      }
      socket.off("drain", pump);
      socket.end();
      resolve(count);
    };
    socket.on("drain", pump);
    pump();
  });
}

obey({
  async run(milliseconds) {
    const atStart = usageNow();
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(address).port), noDelay: true });
    await once(socket, "connect");
    const count = await sendUntil(socket, performance.now() + Number(milliseconds));
    return { count, ...usage(atStart) };
  },
});
tell("ready");

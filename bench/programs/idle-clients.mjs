/**
 * Silent peers. `connect <n>` opens that many more and holds them; `churn <n>` opens and closes that many.
 * address=tcp://127.0.0.1:5555
 */

import { once } from "node:events";
import { readPairs } from "../lib/arguments.mjs";
import { obey, tell } from "../lib/program.mjs";
import { connectSilently, handshake } from "../lib/raw-peer.mjs";

/** How many are opened at once: fewer than any accept backlog. */
const AT_ONCE = 50;

const port = Number(new URL(readPairs().address).port);
const hello = handshake("PUSH");
/** @type {import("node:net").Socket[]} */
const held = [];

/**
 * @param {number} count
 * @param {(socket: import("node:net").Socket) => unknown} then
 */
async function connectMany(count, then) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await then(await connectSilently(port, hello));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

obey({
  async connect(count) {
    await connectMany(Number(count), (socket) => held.push(socket));
    return { held: held.length };
  },
  async churn(count) {
    await connectMany(Number(count), (socket) => {
      const closed = once(socket, "close");
      socket.resetAndDestroy?.() ?? socket.destroy(); // A reset: no TIME_WAIT, so ports do not run out.
      return closed;
    });
    return { held: held.length };
  },
});
tell("ready");

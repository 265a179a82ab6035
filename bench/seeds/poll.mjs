/**
 * Poll: one process serves several sockets. Three ROUTER echo, three DEALER ask, one request in flight each, in two ways:
 *
 * - async iteration: one loop for each socket, which waits where there is nothing;
 * - non-blocking: one loop over all sockets, with `receiveTimeout: 0` and `sendTimeout: 0`, that asks each whether it is
 *   readable, and lets the event loop turn when none was.
 *
 *   node bench/seeds/poll.mjs [--impl zmtp] link_address message_size message_count
 *
 * The address has to leave the port to the system: `tcp://127.0.0.1:*`. libzmq-c does the same with zmq_poll().
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { seedArguments } from "../lib/seed.mjs";

const PAIRS = 3;

const { zmq, rest } = await seedArguments("perf", ["poll"]);
const [address = "tcp://127.0.0.1:*", sizeText = "1", countText = "10000"] = rest;
const message = Buffer.alloc(Number(sizeText));
const count = Number(countText);

/** @param {object} [options] */
async function openPairs(options) {
  const routers = Array.from({ length: PAIRS }, () => new zmq.Router(options));
  await Promise.all(routers.map((router) => router.bind(address)));
  const dealers = routers.map((router) => {
    const dealer = new zmq.Dealer(options);
    dealer.connect(router.lastEndpoint);
    return dealer;
  });
  return { routers, dealers, close: () => [...routers, ...dealers].map((socket) => socket.close()) };
}

async function iterate() {
  const { routers, dealers, close } = await openPairs();
  const start = performance.now();
  const serving = routers.map(async (router) => {
    for await (const request of router) await router.send(request);
  });
  await Promise.all(
    dealers.map(async (dealer) => {
      let left = count;
      await dealer.send(message);
      for await (const _ of dealer) {
        if (--left === 0) break;
        await dealer.send(message);
      }
    }),
  );
  report("async iteration", start);
  close();
  await Promise.all(serving);
}

async function poll() {
  const { routers, dealers, close } = await openPairs({ receiveTimeout: 0, sendTimeout: 0 });
  const asked = new Array(PAIRS).fill(0);
  let answered = 0;
  const start = performance.now();
  while (answered < count * PAIRS) {
    let found = false;
    for (let at = 0; at < PAIRS; at++) {
      if (routers[at].readable) {
        found = true;
        await routers[at].send(await routers[at].receive());
      }
      if (asked[at] > 0 && dealers[at].readable) {
        found = true;
        await dealers[at].receive();
        answered++;
        if (asked[at] < count) asked[at] += await trySend(dealers[at]);
      } else if (asked[at] === 0) {
        asked[at] += await trySend(dealers[at]);
      }
    }
    if (!found) await nextTurn();
  }
  report("timeouts of 0", start);
  close();
}

/** @param {any} socket @returns {Promise<0 | 1>} */
async function trySend(socket) {
  try {
    await socket.send(message);
    return 1;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") throw error;
    return 0;
  }
}

/** @param {string} way @param {number} start */
function report(way, start) {
  const rate = (count * PAIRS) / ((performance.now() - start) / 1000);
  console.log(
    `${way}: ${PAIRS} pairs, message size: ${message.length} [B], roundtrip count: ${count * PAIRS}, ${rate.toFixed(0)} [roundtrips/s]`,
  );
}

await iterate();
await poll();

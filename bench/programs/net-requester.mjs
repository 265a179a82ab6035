/**
 * Raw TCP ping-pong of `size` octets, one in flight: the limit for round trips.
 * address=tcp://127.0.0.1:5555 size=1
 */

import { once } from "node:events";
import { connect } from "node:net";
import { readPairs } from "../lib/arguments.mjs";
import { obey, tell, usage, usageNow } from "../lib/program.mjs";
import { latencies } from "../lib/statistics.mjs";

const MOST_ROUND_TRIPS = 2 ** 21;

const { address, size } = readPairs();
const socket = connect({ host: "127.0.0.1", port: Number(new URL(address).port), noDelay: true });
await once(socket, "connect");
const message = Buffer.alloc(Number(size), "A");
const times = new Float64Array(MOST_ROUND_TRIPS);

obey({
  run: (milliseconds) =>
    new Promise((resolve) => {
      const atStart = usageNow();
      let before = performance.now();
      const stop = before + Number(milliseconds);
      let count = 0;
      let got = 0;
      socket.on("data", (chunk) => {
        got += chunk.length;
        if (got < message.length) return;
        got = 0;
        const now = performance.now();
        times[count++] = (now - before) * 1000;
        before = now;
        if (now < stop && count < MOST_ROUND_TRIPS) {
          socket.write(message);
          return;
        }
        socket.removeAllListeners("data");
        const used = usage(atStart);
        resolve({ ...latencies(times.slice(0, count)), ...used });
      });
      socket.write(message);
    }),
});
tell("ready");

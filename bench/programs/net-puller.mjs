/**
 * Raw TCP receiver, one connection for each `run`: the limit for large messages. It counts octets and frames nothing.
 * size=65536
 */

import { createServer } from "node:net";
import { readPairs } from "../lib/arguments.mjs";
import { obey, tell, usage, usageNow } from "../lib/program.mjs";

const size = Number(readPairs().size);
/** @type {((stream: object) => void) | undefined} */
let done;

const server = createServer((socket) => {
  const atStart = usageNow();
  let bytes = 0;
  let start = 0;
  socket.on("data", (chunk) => {
    if (bytes === 0) start = performance.now();
    bytes += chunk.length;
  });
  socket.on("end", () => done?.({ count: bytes / size, bytes, start, end: performance.now(), ...usage(atStart) }));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  tell("ready", { address: `tcp://127.0.0.1:${port}` });
});
obey({
  run: () =>
    new Promise((resolve) => {
      done = resolve;
    }),
});

/**
 * Raw TCP that sends every chunk back: the limit for round trips.
 */

import { createServer } from "node:net";
import { obey, tell } from "../lib/program.mjs";

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("data", (chunk) => socket.write(chunk));
  socket.on("error", () => socket.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  tell("ready", { address: `tcp://127.0.0.1:${port}` });
});
obey({});

/**
 * Raw TCP that answers the greeting and the READY of idle-clients.mjs and holds the connection: the limit for memory.
 */

import { createServer } from "node:net";
import { residentMemory } from "../lib/memory.mjs";
import { obey, tell } from "../lib/program.mjs";
import { HANDSHAKE_BYTES, handshake } from "../lib/raw-peer.mjs";

const answer = handshake("PULL");
/** @type {Set<import("node:net").Socket>} */
const held = new Set();

const server = createServer((socket) => {
  let got = 0;
  held.add(socket);
  socket.on("data", (chunk) => {
    const before = got;
    got += chunk.length;
    if (before < HANDSHAKE_BYTES && got >= HANDSHAKE_BYTES) socket.write(answer);
  });
  socket.on("error", () => {});
  socket.on("close", () => held.delete(socket));
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 }, () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  tell("ready", { address: `tcp://127.0.0.1:${port}` });
});
obey({ memory: residentMemory });

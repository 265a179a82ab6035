/**
 * As much of ZMTP as a peer needs that connects and then says nothing: a greeting for the NULL mechanism and a READY.
 * Such peers cost their own process little, and are the same for every implementation under test.
 */

import { once } from "node:events";
import { connect } from "node:net";

const GREETING_BYTES = 64;

/**
 * The greeting (ZMTP 3.0, NULL, client) and the READY command with the socket's type.
 *
 * @param {string} socketType
 * @returns {Buffer}
 */
export function handshake(socketType) {
  const greeting = Buffer.alloc(GREETING_BYTES);
  greeting[0] = 0xff;
  greeting[9] = 0x7f;
  greeting[10] = 3;
  greeting.write("NULL", 12, "latin1");
  const name = Buffer.from("\x0bSocket-Type", "latin1");
  const value = Buffer.alloc(4 + socketType.length);
  value.writeUInt32BE(socketType.length);
  value.write(socketType, 4, "latin1");
  const body = Buffer.concat([Buffer.from("\x05READY", "latin1"), name, value]);
  return Buffer.concat([greeting, Buffer.from([0x04, body.length]), body]);
}

/** What either side sends at least: its greeting and a READY whose type has four letters. */
export const HANDSHAKE_BYTES = handshake("PULL").length;

/**
 * Connects a silent PUSH peer. Resolves once the other side's READY has begun to arrive behind its greeting.
 *
 * @param {number} port
 * @param {Buffer} hello What `handshake("PUSH")` returned.
 * @returns {Promise<import("node:net").Socket>}
 */
export async function connectSilently(port, hello) {
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(hello);
  let got = 0;
  await new Promise((resolve, reject) => {
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk) => {
      got += chunk.length;
      if (got >= HANDSHAKE_BYTES) resolve(undefined);
    });
  });
  return socket;
}

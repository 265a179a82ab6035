/**
 * Starts one connect, or one write that the peer does not read, and has nothing else to do. Arguments: what, port.
 * Prints what comes of it.
 */
import { connectStream } from "../../src/transport/connect.ts";
import { parseEndpoint, type TcpEndpoint } from "../../src/transport/endpoint.ts";
import { heldRequests } from "../../src/transport/net-stream.ts";
import { optionsWith } from "./pair.ts";

const [what, port] = process.argv.slice(2);
const endpoint = parseEndpoint(`tcp://127.0.0.1:${port}`, "connect") as TcpEndpoint;
process.on("beforeExit", () => console.log("loop empty"));

let asked = 0;
if (what === "asked write") heldRequests.onHeld(() => ++asked < 3);

connectStream(endpoint, optionsWith(), {
  onFail: (error) => console.log(`fail ${error.code}`),
  onConnect(stream) {
    stream.handler = {
      onData() {},
      onFlushed() {},
      onEnd: () => console.log(`end after ${asked}`),
    };
    stream.write(Buffer.alloc(64 * 1024 * 1024));
  },
});

/**
 * Listens and welcomes every peer; prints its port, and ends when its input does. Started with few descriptors to use.
 */
import { parseEndpoint, type TcpEndpoint } from "../../src/transport/endpoint.ts";
import { listenSync } from "../../src/transport/listen.ts";
import { optionsWith } from "./pair.ts";

const endpoint = parseEndpoint("tcp://127.0.0.1:*", "bind") as TcpEndpoint;
const listener = listenSync(endpoint, optionsWith(), {
  onStream(stream) {
    stream.handler = { onData() {}, onFlushed() {}, onEnd() {} };
    stream.write(Buffer.from("welcome"));
  },
  onError() {},
});
console.log(/\d+$/.exec(listener.address)![0]);
process.stdin.resume().on("end", () => process.exit(0));

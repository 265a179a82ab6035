/**
 * A cluster's worker that listens in every way: its listeners have to be its own, not the primary's. Argument: a
 * folder.
 */
import cluster from "node:cluster";
import { type IpcEndpoint, parseEndpoint, type TcpEndpoint } from "../../src/transport/endpoint.ts";
import { listen, listenSync } from "../../src/transport/listen.ts";
import { optionsWith } from "./pair.ts";

const folder = process.argv[2];

if (cluster.isPrimary) {
  cluster.fork().on("exit", (code) => process.exit(code ?? 1));
} else {
  const handler = { onStream() {}, onError() {} };
  const results: string[] = [];
  for (const address of ["tcp://127.0.0.1:*", `ipc://${folder}/a`]) {
    const endpoint = parseEndpoint(address, "bind") as TcpEndpoint | IpcEndpoint;
    for (const start of [listen, listenSync]) {
      const listener = await start(endpoint, optionsWith(), handler);
      results.push(/:0$/.test(listener.address) ? listener.address : "bound");
      listener.close();
    }
  }
  console.log(results.join(" "));
  process.exit(0);
}

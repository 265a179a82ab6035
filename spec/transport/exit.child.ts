/** Binds two ipc endpoints, prints what is in the folder, and ends without closing. Arguments: folder, how to end. */
import { readdirSync } from "node:fs";
import { type IpcEndpoint, parseEndpoint } from "../../src/transport/endpoint.ts";
import { listenSync } from "../../src/transport/listen.ts";
import { optionsWith } from "./pair.ts";

const [folder, how] = process.argv.slice(2);
for (const address of [`ipc://${folder}/a`, "ipc://*"]) {
  listenSync(parseEndpoint(address, "bind") as IpcEndpoint, optionsWith(), { onStream() {}, onError() {} });
}
console.log(readdirSync(folder).sort().join());
if (how === "exit") process.exit(3);
if (how === "error") throw new Error("not caught");

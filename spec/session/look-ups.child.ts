/**
 * Connects to names of which nobody knows any, closes the sockets or not, and tells at its end how many were looked up.
 */
import { Push, Subscriber } from "zmtp";
import { internals } from "../../src/transport/resolve.ts";

let asked = 0;
internals.lookup = ((_host: string, _options: object, answer: (error: Error) => void) => {
  asked++;
  // As the system's does, it keeps the process alive.
  setTimeout(() => answer(new Error("nobody knows it")), 50);
}) as never;

const all = Array.from({ length: 4 }, (_, i) => {
  const socket = i % 2 === 0 ? new Push() : new Subscriber();
  socket.connect(`tcp://name-${i}.invalid:1`);
  return socket;
});
if (process.argv[2] === "closed") for (const socket of all) socket.close();

process.on("exit", () => process.stdout.write(`asked ${asked}\n`));

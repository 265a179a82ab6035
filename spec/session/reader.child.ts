/** Reads and checks numbered messages; "stop" on stdin makes it stop, "go" go on. */
import { createInterface } from "node:readline";
import * as zmq from "zmtp";

const [, address, mark] = process.argv.slice(2) as [string, string, string];
const pull = new zmq.Pull({ receiveHighWaterMark: Number(mark) });
pull.connect(address);

let goOn: (() => void) | undefined;
let stopped: Promise<void> | undefined;
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (line === "go") goOn?.();
  else {
    stopped = new Promise((fulfil) => {
      goOn = fulfil;
    });
    process.stdout.write(`stopped ${process.memoryUsage().rss}\n`);
  }
});

let read = 0;
for await (const [body] of pull) {
  if (body.length === 3) break;
  if (body.readUInt32BE() !== read) throw new Error(`${body.readUInt32BE()} instead of ${read}`);
  read++;
  while (stopped !== undefined) {
    const current = stopped;
    await current;
    if (stopped === current) stopped = undefined;
  }
}
process.stdout.write(`read ${read}\n`);
lines.close();
pull.close();
process.exit(0);

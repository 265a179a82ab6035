/**
 * Connects to the address that it is told while no descriptor is left, says its events, and lets go of the descriptors
 * when told to.
 */
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { Push } from "zmtp";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const address = (await lines.next()).value as string;
// What is needed for the output has to be there before.
process.stdout.write("");

const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // None is left.
}

const push = new Push({ reconnectInterval: 20 });
void (async () => {
  for await (const { type } of push.events) process.stdout.write(`${type}\n`);
})();
push.connect(address);
await lines.next();
for (const descriptor of taken) closeSync(descriptor);
await push.send("here");

/** Counts bursts of numbered messages and says when one is complete. */
import * as zmq from "zmtp";

const [address, count] = process.argv.slice(2) as [string, string];
const sub = new zmq.Subscriber();
sub.subscribe("a");
sub.connect(address);
let expected = 0;
for await (const [, number] of sub) {
  if (Number(String(number).trim()) !== expected) throw new Error(`${number} instead of ${expected}`);
  if (++expected < Number(count)) continue;
  expected = 0;
  process.stdout.write(`all ${count}\n`);
}

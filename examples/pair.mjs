// PAIR over inproc: two parts of one program, in step.
//   node examples/pair.mjs
import { Pair } from "zmtp";

const left = new Pair();
const right = new Pair();
await left.bind("inproc://steps");
right.connect("inproc://steps");

await left.send("ready");
console.log(`right got: ${await right.receive()}`);
await right.send(["go", "now"]);
console.log(`left got: ${await left.receive()}`);

left.close();
right.close();

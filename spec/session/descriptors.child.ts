/** A PULL in a process with few descriptors: it says its address and what it receives. */
import * as zmq from "zmtp";

const pull = new zmq.Pull();
await pull.bind("tcp://127.0.0.1:*");
process.stdout.write(`${pull.lastEndpoint}\n`);
for await (const frames of pull) process.stdout.write(`got ${frames.join("|")}\n`);

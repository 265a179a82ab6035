/**
 * Two sockets wait: one for a message, one for a peer to send to. Argument: the methods that both are to call, in this
 * order. Prints where a message can be sent to, and what comes.
 */
import * as zmq from "../../src/v5-compat.ts";

const [methods = ""] = process.argv.slice(2);
const pull = zmq.socket("pull");
const push = zmq.socket("push");
pull.bindSync("tcp://127.0.0.1:*");
push.setsockopt("linger", 0).send("nobody takes it");
console.log(pull.last_endpoint);
pull.on("message", (text: Buffer) => {
  console.log(`got ${text}`);
  pull.close();
  push.close();
});
pull.monitor();
for (const method of methods.split(" "))
  if (method === "ref" || method === "unref") for (const socket of [pull, push]) socket[method]();

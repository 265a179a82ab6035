/**
 * PUSH and PULL in one thread of one process, over inproc, both loops at once.
 * impl=zmtp size=10
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { clockEvery, receiveManyStream, receiveStream, sendFor, sendManyFor } from "../lib/loops.mjs";
import { obey, tell, usage, usageNow } from "../lib/program.mjs";

const { impl, size } = readPairs();
const { zmq, many } = load(impl);
const pull = new zmq.Pull();
const push = new zmq.Push();
await pull.bind("inproc://bench");
push.connect("inproc://bench");
const message = Buffer.alloc(Number(size), "A");
const every = clockEvery(message.length);

obey({
  async run(milliseconds) {
    const start = usageNow();
    const [sent, received] = await Promise.all([
      (many ? sendManyFor : sendFor)(push, message, Number(milliseconds), every),
      (many ? receiveManyStream : receiveStream)(pull, { least: 1 }),
    ]);
    return { ...received, sent, ...usage(start) };
  },
});
tell("ready");

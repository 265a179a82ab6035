/**
 * PUSH that connects, and sends one stream for each `run <milliseconds>`.
 * impl=zmtp address=tcp://127.0.0.1:5555 size=10 [curve=1]
 */

import { readPairs } from "../lib/arguments.mjs";
import { CURVE_CLIENT } from "../lib/curve-keys.mjs";
import { load } from "../lib/implementation.mjs";
import { clockEvery, sendFor, sendManyFor } from "../lib/loops.mjs";
import { obey, tell, usage } from "../lib/program.mjs";

const { impl, address, size, curve } = readPairs();
const { zmq, many } = load(impl);
const push = new zmq.Push(curve ? CURVE_CLIENT : {});
push.connect(address);
const message = Buffer.alloc(Number(size), "A");
const every = clockEvery(message.length);

obey({
  async run(milliseconds) {
    const start = process.cpuUsage();
    const send = many ? sendManyFor : sendFor;
    return { count: await send(push, message, Number(milliseconds), every), ...usage(start) };
  },
});
tell("ready");

/**
 * One or more PUSH that connect, and send one stream each for each `run <milliseconds>`, messages of one or more frames; or of
 * `count <messages>`, by the first one.
 * impl=zmtp address=tcp://127.0.0.1:5555 size=10 [frames=1] [sockets=1] [mark=1000] [curve=1] [plain=1]
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { clockEvery, sendCount, sendFor, sendManyFor } from "../lib/loops.mjs";
import { obey, tell, usage, usageNow } from "../lib/program.mjs";
import { securityOptions } from "../lib/security.mjs";

const { impl, address, size, frames = "1", sockets = "1", mark = "1000", ...security } = readPairs();
const { zmq, many } = load(impl);
const pushes = Array.from({ length: Number(sockets) }, () => {
  const push = new zmq.Push({ sendHighWaterMark: Number(mark), ...securityOptions(security, "client") });
  push.connect(address);
  return push;
});
const frame = Buffer.alloc(Number(size), "A");
const message = Number(frames) > 1 ? new Array(Number(frames)).fill(frame) : frame;
const every = clockEvery(frame.length * Number(frames), pushes.length);
const send = many ? sendManyFor : sendFor;

obey({
  async run(milliseconds) {
    const start = usageNow();
    const counts = await Promise.all(pushes.map((push) => send(push, message, Number(milliseconds), every)));
    return { count: counts.reduce((sum, one) => sum + one, 0), ...usage(start) };
  },
  async count(messages) {
    const start = usageNow();
    return { count: await sendCount(pushes[0], message, Number(messages)), ...usage(start) };
  },
});
tell("ready");

/**
 * PULL that binds, and receives the streams of so many senders for each `run`.
 * impl=zmtp address=tcp://127.0.0.1:* [senders=1] [frames=1] [mark=1000] [curve=1] [plain=1]
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { receiveFramesStream, receiveManyStream, receiveStream } from "../lib/loops.mjs";
import { obey, tell, usage, usageNow } from "../lib/program.mjs";
import { letEveryoneIn, securityOptions } from "../lib/security.mjs";

const { impl, address, senders = "1", frames = "1", mark = "1000", ...security } = readPairs();
const { zmq, many } = load(impl);
if (security.plain) await letEveryoneIn(zmq);
const pull = new zmq.Pull({ receiveHighWaterMark: Number(mark), ...securityOptions(security, "server") });
await pull.bind(address);
const single = many ? receiveManyStream : receiveStream;
const receive = Number(frames) > 1 ? receiveFramesStream : single;

obey({
  async run() {
    const start = usageNow();
    return { ...(await receive(pull, { least: 1, senders: Number(senders) })), ...usage(start) };
  },
});
tell("ready", { address: pull.lastEndpoint });

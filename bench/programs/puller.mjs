/**
 * PULL that binds, and receives one stream for each `run`.
 * impl=zmtp address=tcp://127.0.0.1:* [curve=1]
 */

import { readPairs } from "../lib/arguments.mjs";
import { CURVE_SERVER } from "../lib/curve-keys.mjs";
import { load } from "../lib/implementation.mjs";
import { receiveManyStream, receiveStream } from "../lib/loops.mjs";
import { obey, tell, usage } from "../lib/program.mjs";

const { impl, address, curve } = readPairs();
const { zmq, many } = load(impl);
const pull = new zmq.Pull(curve ? CURVE_SERVER : {});
await pull.bind(address);

obey({
  async run() {
    const start = process.cpuUsage();
    return { ...(await (many ? receiveManyStream(pull) : receiveStream(pull))), ...usage(start) };
  },
});
tell("ready", { address: pull.lastEndpoint });

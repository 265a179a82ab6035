/**
 * One or more SUB sockets that connect and subscribe to everything. `sync` is done when each has got a probe, `run`
 * when each has got the stream's end.
 * impl=zmtp address=tcp://127.0.0.1:5555 [sockets=1] [topics=0]
 *
 * `topics` adds that many subscriptions that no message matches.
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { receiveManyStream, receiveStream } from "../lib/loops.mjs";
import { obey, tell, usage } from "../lib/program.mjs";

const { impl, address, sockets = "1", topics = "0" } = readPairs();
const { zmq, many } = load(impl);

const subs = Array.from({ length: Number(sockets) }, () => {
  const sub = new zmq.Subscriber();
  sub.connect(address);
  for (let topic = 0; topic < Number(topics); topic++) sub.subscribe(`other.${topic}`);
  sub.subscribe("");
  return sub;
});

obey({
  async sync() {
    await Promise.all(subs.map((sub) => sub.receive()));
    return {};
  },
  async run() {
    const start = process.cpuUsage();
    const streams = await Promise.all(subs.map(many ? receiveManyStream : receiveStream));
    return {
      count: streams.reduce((sum, one) => sum + one.count, 0),
      bytes: streams.reduce((sum, one) => sum + one.bytes, 0),
      least: Math.min(...streams.map((one) => one.count)),
      start: Math.min(...streams.map((one) => one.start)),
      end: Math.max(...streams.map((one) => one.end)),
      ...usage(start),
    };
  },
});
tell("ready");

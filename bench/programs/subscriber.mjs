/**
 * One or more SUB sockets that connect and subscribe to everything. `sync` is done when each has got a probe, `run`
 * when each has got the stream's end.
 * impl=zmtp address=tcp://127.0.0.1:5555 [sockets=1] [topics=0] [slow=0]
 *
 * With `slow` it takes one message in so many milliseconds, until it is killed.
 * `topics` adds that many subscriptions that no message matches. They are made once the connection is there, and slowly:
 * libzmq drops a subscription that does not fit its queue of 1000.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { receiveManyStream, receiveStream } from "../lib/loops.mjs";
import { obey, tell, usage, usageNow } from "../lib/program.mjs";

const TOPICS_AT_ONCE = 500;

const { impl, address, sockets = "1", topics = "0", slow } = readPairs();
const { zmq, many } = load(impl);

const subs = Array.from({ length: Number(sockets) }, () => {
  const sub = new zmq.Subscriber();
  sub.connect(address);
  sub.subscribe("");
  return sub;
});

obey({
  async sync() {
    await Promise.all(subs.map((sub) => sub.receive()));
    for (let topic = 0; topic < Number(topics); topic++) {
      if (topic % TOPICS_AT_ONCE === 0) await sleep(1);
      for (const sub of subs) sub.subscribe(`other.${topic}`);
    }
    return {};
  },
  async run() {
    const start = usageNow();
    const streams = await Promise.all(subs.map((sub) => (many ? receiveManyStream : receiveStream)(sub)));
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

while (slow !== undefined) {
  await subs[0].receive();
  await sleep(Number(slow));
}

/**
 * PUB that binds. `sync` sends probes until `synced` arrives, `run <milliseconds>` sends one stream.
 * impl=zmtp address=tcp://127.0.0.1:* size=100 [receivers=1] [drops=1]
 *
 * With noDrop, in every implementation: at the high-water mark (1000, the default) the publisher waits for the
 * slowest subscriber. So nothing may be lost, memory is bounded, and the receiver's rate is what is measured. With `drops`
 * it never waits, as PUB does by default, and repeats the end of the stream until `ended`, as that may be dropped too.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { clockEvery, END, PROBE, sendFor, sendManyFor, sendRetryingFor } from "../lib/loops.mjs";
import { obey, tell, usage, usageNow, watchFor } from "../lib/program.mjs";

const PROBE_INTERVAL_MS = 5;

const { impl, address, size, receivers = "1", drops } = readPairs();
const { zmq, many } = load(impl);
const pub = new zmq.Publisher({ noDrop: drops === undefined });
await pub.bind(address);
const message = Buffer.alloc(Number(size), "A");
const every = clockEvery(message.length, Number(receivers));
const single = impl === "native" ? sendRetryingFor : sendFor;
const send = many ? sendManyFor : single;

obey({
  async sync() {
    const synced = watchFor("synced");
    while (!synced.arrived) {
      await pub.send(PROBE);
      await sleep(PROBE_INTERVAL_MS);
    }
    return {};
  },
  async run(milliseconds) {
    const start = usageNow();
    const ended = watchFor("ended");
    const count = await send(pub, message, Number(milliseconds), every);
    const used = usage(start);
    while (drops !== undefined && !ended.arrived) {
      await sleep(PROBE_INTERVAL_MS);
      await pub.send(END);
    }
    return { count, ...used };
  },
});
tell("ready", { address: pub.lastEndpoint });

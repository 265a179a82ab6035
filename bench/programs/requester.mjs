/**
 * REQ that connects, and does round trips, one after the other, for each `run <milliseconds>`, or `count <trips>`.
 * impl=zmtp address=tcp://127.0.0.1:5555 size=1
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { roundTrips } from "../lib/loops.mjs";
import { obey, tell } from "../lib/program.mjs";

const { impl, address, size } = readPairs();
const { zmq } = load(impl);
const req = new zmq.Request();
req.connect(address);
const message = Buffer.alloc(Number(size), "A");
obey({
  run: (milliseconds) => roundTrips(req, message, Number(milliseconds)),
  count: (trips) => roundTrips(req, message, Infinity, Number(trips)),
});
tell("ready");

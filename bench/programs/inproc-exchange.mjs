/**
 * REQ and REP over inproc in one thread of one process; round trips for each `run <milliseconds>`.
 * impl=zmtp size=1
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { roundTrips } from "../lib/loops.mjs";
import { obey, tell } from "../lib/program.mjs";

const { impl, size } = readPairs();
const { zmq } = load(impl);
const rep = new zmq.Reply();
const req = new zmq.Request();
await rep.bind("inproc://exchange");
req.connect("inproc://exchange");
const message = Buffer.alloc(Number(size), "A");
obey({ run: (milliseconds) => roundTrips(req, message, Number(milliseconds)) });
tell("ready");
for await (const [body] of rep) await rep.send(body);

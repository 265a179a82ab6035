/**
 * A broker: ROUTER for clients, DEALER for workers, the library's proxy between them.
 * impl=zmtp address=tcp://127.0.0.1:*
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { obey, tell } from "../lib/program.mjs";

const { impl, address } = readPairs();
const { zmq } = load(impl);
const front = new zmq.Router();
const back = new zmq.Dealer();
await front.bind(address);
await back.bind(address);
obey({});
tell("ready", { address: front.lastEndpoint, back: back.lastEndpoint });
await new zmq.Proxy(front, back).run();

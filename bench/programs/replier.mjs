/**
 * REP that binds and answers with what it got.
 * impl=zmtp address=tcp://127.0.0.1:*
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { obey, tell } from "../lib/program.mjs";

const { impl, address } = readPairs();
const { zmq } = load(impl);
const rep = new zmq.Reply();
await rep.bind(address);
obey({});
tell("ready", { address: rep.lastEndpoint });

for (;;) {
  const [body] = await rep.receive();
  await rep.send(body);
}

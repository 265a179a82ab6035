/**
 * So many REP that connect and answer with what they got.
 * impl=zmtp address=tcp://127.0.0.1:5555 workers=4
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { obey, tell } from "../lib/program.mjs";

const { impl, address, workers } = readPairs();
const { zmq } = load(impl);
obey({});

async function work() {
  const rep = new zmq.Reply();
  rep.connect(address);
  for await (const [body] of rep) await rep.send(body);
}

for (let left = Number(workers); left > 0; left--) work();
tell("ready");

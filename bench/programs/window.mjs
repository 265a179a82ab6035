/**
 * DEALER that connects and keeps so many requests in flight for each `run <milliseconds>`: every answer makes room for
 * the next one.
 * impl=zmtp address=tcp://127.0.0.1:5555 size=10 window=32
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { obey, tell, usage, usageNow } from "../lib/program.mjs";

const { impl, address, size, window } = readPairs();
const { zmq } = load(impl);
const dealer = new zmq.Dealer();
dealer.connect(address);
const request = [Buffer.alloc(0), Buffer.alloc(Number(size), "A")];

obey({
  async run(milliseconds) {
    const atStart = usageNow();
    const start = performance.now();
    const stop = start + Number(milliseconds);
    let asked = Number(window);
    let answered = 0;
    let bytes = 0;
    for (let left = asked; left > 0; left--) await dealer.send(request);
    while (answered < asked) {
      const [, body] = await dealer.receive();
      answered++;
      bytes += body.length;
      if (performance.now() >= stop) continue;
      asked++;
      await dealer.send(request);
    }
    return { count: answered, bytes, start, end: performance.now(), ...usage(atStart) };
  },
});
tell("ready");

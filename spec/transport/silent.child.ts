/**
 * A listener that never accepts: it blocks its thread, so the kernel's queue fills up and further connects get no
 * answer. Prints its port.
 */

import { writeSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";

const server = createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  writeSync(1, `${(server.address() as AddressInfo).port}\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
});

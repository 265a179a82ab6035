/**
 * The other machine's part: starts the benchmark's programs for a runner, `node bench run --host <this machine>`.
 *
 *   node bench serve [--port 5599]
 *
 * There is no authentication. Serve on a network that you trust, and only while you measure.
 */

import { readFlags } from "./lib/arguments.mjs";
import { describeMachine, machineText } from "./lib/machine.mjs";
import { SERVE_PORT, serve } from "./lib/remote.mjs";
import { followRunner } from "./lib/seed.mjs";

const { flags } = readFlags({ values: ["port"] });
const port = Number(flags.port ?? SERVE_PORT);
console.log(machineText(describeMachine()));
await serve({ port, onRunner: (address, came) => console.log(`${came ? "a runner came" : "gone"}: ${address}`) });
console.log(`serving on port ${port}`);
followRunner();

/**
 * A PULL that binds and holds connections; each `memory <settle ms>` tells the resident memory.
 * impl=zmtp address=tcp://127.0.0.1:*
 */

import { readPairs } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { residentMemory } from "../lib/memory.mjs";
import { obey, tell } from "../lib/program.mjs";

const { impl, address } = readPairs();
const { zmq } = load(impl);
const pull = new zmq.Pull({ backlog: 1024 });
await pull.bind(address);
obey({ memory: residentMemory });
tell("ready", { address: pull.lastEndpoint });
await pull.receive(); // Nothing comes. It is a server that waits, as a real one does.

/**
 * Throughput: PUB to SUB in one process, every message wanted and none lost. Prints size, count, messages a second, Mb/s, and
 * the peak of memory, which stays bounded whatever the count.
 *
 *   node bench/seeds/throughput.mjs [--impl zmtp] link_address message_size message_count
 *   node bench/seeds/throughput.mjs tcp://127.0.0.1:5555 100 1000000
 */

import { streamHere } from "../lib/both-ends.mjs";
import { peakMemory, seedArguments } from "../lib/seed.mjs";

const { zmq, rest } = await seedArguments("perf", ["throughput"]);
const [address = "tcp://127.0.0.1:5555", size = "100", count = "1000000"] = rest;
await streamHere(zmq, { address, size: Number(size), count: Number(count), pub: true });
console.log(peakMemory());

/**
 * Latency: a REQ/REP pair in one process, one message in flight. Prints size, count, mean latency one way in µs; p50, p99,
 * the maximum.
 *
 *   node bench/seeds/latency.mjs [--impl zmtp] link_address message_size message_count
 *   node bench/seeds/latency.mjs "tcp://127.0.0.1:*" 1 10000
 */

import { exchangeHere } from "../lib/both-ends.mjs";
import { seedArguments } from "../lib/seed.mjs";

const { zmq, rest } = await seedArguments("perf", ["latency"]);
const [address = "tcp://127.0.0.1:*", size = "1", count = "10000"] = rest;
await exchangeHere(zmq, address, Number(size), Number(count));

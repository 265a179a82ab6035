/**
 * Receives them by PULL, checks that the payload changed, and prints the bytes received through the time from the first
 * message's timestamp to the last arrival. Both ends need the same clock: one machine, whatever its network stacks.
 *
 *   node bench/seeds/push-pull-bytes/consumer.mjs [--impl zmtp] [address] [bytes=10000000] [messages=1000]
 */

import { HIGH_WATER_MARK, readSettings, wallClock } from "./settings.mjs";

const { zmq, address, bytes, messages } = await readSettings("consumer");
const pull = new zmq.Pull({ receiveHighWaterMark: HIGH_WATER_MARK });
await pull.bind(address);
let start = 0;
for (let sequence = 0; sequence < messages; sequence++) {
  const [header, payload] = await pull.receive();
  const expected = (sequence % header.readUInt32LE(12)) + 1;
  const holds = payload[0] === expected && payload[bytes >> 1] === expected && payload[bytes - 1] === expected;
  if (header.readUInt32LE(8) !== sequence || payload.length !== bytes || !holds) {
    throw new Error(`message ${sequence} is not what was sent`);
  }
  if (sequence === 0) start = header.readDoubleLE(0);
}
const seconds = (wallClock() - start) / 1000;
console.log(`messages: ${messages} of ${bytes} bytes, each another than the one before`);
console.log(`seconds: ${seconds.toFixed(3)}`);
console.log(`throughput: ${((bytes * messages) / seconds / 2 ** 30).toFixed(3)} GiB/s`);

/**
 * Sends so many messages of so many bytes by PUSH.
 *
 *   node bench/seeds/push-pull-bytes/producer.mjs [--impl zmtp] [address] [bytes=10000000] [messages=1000]
 *   ZMQ_ADDR=ipc:///tmp/bytes BYTESIZE=1000000 MESSAGES=100 node bench/seeds/push-pull-bytes/producer.mjs
 */

import { HIGH_WATER_MARK, poolSize, readSettings, wallClock } from "./settings.mjs";

const { zmq, address, bytes, messages } = await readSettings("producer");
const pool = Array.from({ length: poolSize(bytes) }, (_, at) => Buffer.alloc(bytes, at + 1));
const push = new zmq.Push({ sendHighWaterMark: HIGH_WATER_MARK });
push.connect(address);
for (let sequence = 0; sequence < messages; sequence++) {
  const header = Buffer.allocUnsafe(16);
  header.writeDoubleLE(wallClock(), 0);
  header.writeUInt32LE(sequence, 8);
  header.writeUInt32LE(pool.length, 12);
  await push.send([header, pool[sequence % pool.length]]);
}

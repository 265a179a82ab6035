/**
 * Latency and throughput with both ends in one process, over any transport: the loops of perf/inproc_* and of the latency
 * and throughput programs in seeds/.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { sendRetrying } from "./loops.mjs";
import { latencies } from "./statistics.mjs";

const PROBE_INTERVAL_MS = 5;

/**
 * REQ and REP, one message in flight. Prints the latency one way: half of a round trip.
 *
 * @param {any} zmq
 * @param {string} address
 * @param {number} size
 * @param {number} count
 */
export async function exchangeHere(zmq, address, size, count) {
  const rep = new zmq.Reply();
  await rep.bind(address);
  const req = new zmq.Request();
  req.connect(rep.lastEndpoint);
  const serve = async () => {
    for (let left = count; left > 0; left--) await rep.send((await rep.receive())[0]);
  };
  const served = serve();
  const message = Buffer.alloc(size);
  const times = new Float64Array(count);
  let before = performance.now();
  for (let trip = 0; trip < count; trip++) {
    await req.send(message);
    const [body] = await req.receive();
    if (body.length !== size) throw new Error(`message of incorrect size received: ${body.length}`);
    const now = performance.now();
    times[trip] = ((now - before) * 1000) / 2;
    before = now;
  }
  await served;
  req.close();
  rep.close();
  printLatency(size, count, times);
}

/**
 * @param {number} size
 * @param {number} count
 * @param {Float64Array} times Microseconds one way.
 */
export function printLatency(size, count, times) {
  const { mean, p50, p99, max } = latencies(times);
  console.log(`message size: ${size} [B]`);
  console.log(`roundtrip count: ${count}`);
  console.log(`average latency: ${mean.toFixed(3)} [us]`);
  console.log(`latency p50, p99, max: ${p50.toFixed(3)} ${p99.toFixed(3)} ${max.toFixed(3)} [us]`);
}

/**
 * @param {number} size
 * @param {number} count
 * @param {number} milliseconds
 */
export function printThroughput(size, count, milliseconds) {
  const perSecond = (count / Math.max(milliseconds, 0.001)) * 1000;
  console.log(`message size: ${size} [B]`);
  console.log(`message count: ${count}`);
  console.log(`mean throughput: ${perSecond.toFixed(0)} [msg/s]`);
  console.log(`mean throughput: ${((perSecond * size * 8) / 1e6).toFixed(3)} [Mb/s]`);
}

/**
 * Every message of one sender to one receiver: PUSH to PULL, or PUB to SUB with noDrop, so that nothing is lost and
 * memory stays bounded. The sender closes once the receiver has everything.
 *
 * @param {any} zmq
 * @param {{ address: string, size: number, count: number, pub: boolean }} stream
 */
export async function streamHere(zmq, { address, size, count, pub }) {
  const { sender, receiver } = await (pub ? openPubSub(zmq, address) : openPushPull(zmq, address));
  const message = Buffer.alloc(size);
  const probe = Buffer.alloc(size + 1);
  const send = async () => {
    if (pub) for (let left = count; left > 0; left--) await sendRetrying(sender, message);
    else for (let left = count; left > 0; left--) await sender.send(message);
  };
  let first = receiver.receive();
  if (pub) await sendUntil(sender, probe, first);
  const sent = send();
  while ((await first)[0].length !== size) first = receiver.receive(); // Probes.
  const start = performance.now();
  for (let left = count - 1; left > 0; left--) {
    const [body] = await receiver.receive();
    if (body.length !== size) throw new Error(`message of incorrect size received: ${body.length}`);
  }
  const elapsed = performance.now() - start;
  await sent;
  sender.close();
  receiver.close();
  printThroughput(size, count, elapsed);
}

/** @param {any} zmq @param {string} address */
async function openPushPull(zmq, address) {
  const receiver = new zmq.Pull();
  await receiver.bind(address);
  const sender = new zmq.Push();
  sender.connect(receiver.lastEndpoint);
  return { sender, receiver };
}

/** @param {any} zmq @param {string} address */
async function openPubSub(zmq, address) {
  const sender = new zmq.Publisher({ noDrop: true });
  await sender.bind(address);
  const receiver = new zmq.Subscriber();
  receiver.subscribe();
  receiver.connect(sender.lastEndpoint);
  return { sender, receiver };
}

/**
 * Sends probes until one has been received.
 *
 * @param {any} sender
 * @param {Buffer} probe
 * @param {Promise<unknown>} received
 */
async function sendUntil(sender, probe, received) {
  let arrived = false;
  received.then(() => {
    arrived = true;
  });
  while (!arrived) {
    await sendRetrying(sender, probe);
    await Promise.race([received, sleep(PROBE_INTERVAL_MS)]);
  }
}

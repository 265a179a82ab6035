/**
 * What the event loop costs: so many callbacks without delay, one after the other, each scheduled by the one before. Prints
 * user, system and wall seconds for what this library schedules with. A timer of Node's cannot be shorter than a
 * millisecond, so there are a thousand times fewer of them.
 *
 *   node bench/seeds/event-loop/callbacks.mjs [count=1000000]
 */

import { readFlags } from "../../lib/arguments.mjs";
import { followRunner } from "../../lib/seed.mjs";

const TIMER_SHARE = 1000;

followRunner();
const { rest } = readFlags({ values: ["impl"] });
const count = Number(rest[0] ?? 1_000_000);

/**
 * @param {string} name
 * @param {number} times
 * @param {(callback: () => void) => void} schedule
 */
async function time(name, times, schedule) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await new Promise((resolve) => {
    let left = times;
    const callback = () => {
      if (--left === 0) resolve(undefined);
      else schedule(callback);
    };
    schedule(callback);
  });
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (/** @type {number} */ value) => value.toFixed(3);
  console.log(
    `${times} × ${name}: ${seconds(user / 1e6)} s user, ${seconds(system / 1e6)} s system, ${seconds((performance.now() - start) / 1000)} s wall`,
  );
}

await time("setImmediate", count, (callback) => setImmediate(callback));
await time("queueMicrotask", count, (callback) => queueMicrotask(callback));
await time("process.nextTick", count, (callback) => process.nextTick(callback));
await time("setTimeout(0)", Math.max(1, count / TIMER_SHARE), (callback) => setTimeout(callback, 0));

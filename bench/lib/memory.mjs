/**
 * The resident memory of this process, after a full collection when `--expose-gc` was given.
 */

import { setTimeout as sleep } from "node:timers/promises";

/**
 * @param {string} settleMs Time, twice, for what the collection let go (finalisers, freed pages) to be given back.
 * @returns {Promise<{ bytes: number }>}
 */
export async function residentMemory(settleMs) {
  for (let pass = 0; pass < 2; pass++) {
    globalThis.gc?.();
    await sleep(Number(settleMs));
  }
  return { bytes: process.memoryUsage.rss() };
}

/**
 * The resident memory of this process, after a full collection when `--expose-gc` was given.
 */

import { setTimeout as sleep } from "node:timers/promises";

/** Time for what the collection let go (finalisers, freed pages) to be given back. */
const SETTLE_MS = 200;

/** @returns {Promise<number>} Octets. */
export async function residentBytes() {
  for (let pass = 0; pass < 2; pass++) {
    globalThis.gc?.();
    await sleep(SETTLE_MS);
  }
  return process.memoryUsage.rss();
}

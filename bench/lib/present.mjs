/**
 * Which implementations are here.
 */

import { compileAll } from "./compile.mjs";
import { missing } from "./implementation.mjs";

/**
 * Of the named ones those that cannot be measured, and why.
 *
 * @param {Iterable<string>} names
 * @returns {Promise<Map<string, string>>}
 */
export async function findMissing(names) {
  /** @type {Map<string, string>} */
  const reasons = new Map();
  for (const name of new Set(names)) {
    if (name.split("@")[0] === "node") continue;
    const reason = name === "libzmq-c" ? await compileAll() : missing(name);
    if (reason !== undefined) reasons.set(name, reason);
  }
  return reasons;
}

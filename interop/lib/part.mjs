/**
 * Which part of the table a run takes. All of it, or the part that fits into continuous integration: everything against the
 * native binding, JeroMQ and the scripted peers; the three that share one libzmq share the cases, each taking every third.
 */

/** @typedef {import("./work.mjs").Work} Work */

export const PARTS = ["all", "ci"];

const SHARERS = ["libzmq-c", "pyzmq", "ffi-rzmq"];

/** @param {Work[]} work @param {string} part */
export function takePart(work, part) {
  if (part === "all") return work;
  /** How many cases of a scenario and a peer were seen. @type {Map<string, number>} */
  const seen = new Map();
  return work.filter(({ scenario, peer }) => {
    const turn = SHARERS.indexOf(peer);
    if (turn < 0 || scenario.startsWith("deviation/")) return true;
    const key = `${scenario} ${peer}`;
    const index = seen.get(key) ?? 0;
    seen.set(key, index + 1);
    return index % SHARERS.length === turn;
  });
}

/**
 * What the programs in perf/ share: the arguments of libzmq's own performance programs, so that either end can be
 * libzmq's, and the choice of an implementation.
 */

import { seedArguments } from "./seed.mjs";

export { peakMemory } from "./seed.mjs";

/**
 * Reads `[--impl zmtp] [--pattern push|pub] <address> <size> <count>`, without the address for inproc.
 *
 * @param {"local_lat" | "remote_lat" | "local_thr" | "remote_thr" | "inproc_lat" | "inproc_thr"} role
 * @returns {Promise<{ zmq: any, many: boolean, impl: string, pub: boolean, address: string, size: number, count: number }>}
 */
export async function perfArguments(role) {
  const inside = role.startsWith("inproc");
  const complete = (/** @type {string[]} */ rest) => {
    const all = inside ? ["inproc://perf", ...rest] : rest;
    if (all.length !== 3 || !(Number(all[1]) >= 0) || !(Number(all[2]) > 0)) usage(role, inside);
    const pattern = process.argv.join(" ").match(/--pattern[ =](\w+)/)?.[1];
    return pattern === undefined ? all : [...all, pattern];
  };
  const { flags, rest, ...loaded } = await seedArguments("perf", [role], { values: ["pattern"], complete });
  const [address, size, count] = complete(rest);
  return { ...loaded, pub: flags.pattern === "pub", address, size: Number(size), count: Number(count) };
}

/**
 * @param {string} role
 * @param {boolean} inside
 * @returns {never}
 */
function usage(role, inside) {
  const what = role.endsWith("lat") ? "<roundtrip-count>" : "<message-count>";
  const where = role.startsWith("local") ? "<bind-to> " : "<connect-to> ";
  const pattern = role.endsWith("thr") && !inside ? " [--pattern push|pub]" : "";
  console.error(
    `usage: ${role} [--impl zmtp|zmtp-many|native|libzmq-c]${pattern} ${inside ? "" : where}<message-size> ${what}`,
  );
  process.exit(1);
}

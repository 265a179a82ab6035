/**
 * What the four two-terminal programs in perf/ share: the arguments of libzmq's own performance programs, so that
 * either end can be libzmq's, and the choice of an implementation.
 */

import { spawnSync } from "node:child_process";
import { readFlags } from "./arguments.mjs";
import { compileAll, programPath } from "./compile.mjs";
import { load } from "./implementation.mjs";

/**
 * Reads `[--impl zmtp] [--pattern push|pub] <address> <size> <count>`. For libzmq-c it runs the program in C instead,
 * and ends this one.
 *
 * @param {"local_lat" | "remote_lat" | "local_thr" | "remote_thr"} role
 * @returns {Promise<{ zmq: any, many: boolean, pub: boolean, address: string, size: number, count: number }>}
 */
export async function perfArguments(role) {
  const { flags, rest } = readFlags({ values: ["impl", "pattern"] });
  const [address, size, count] = rest;
  if (rest.length !== 3 || !(Number(size) >= 0) || !(Number(count) > 0)) {
    const what = role.endsWith("lat") ? "<roundtrip-count>" : "<message-count>";
    const where = role.startsWith("local") ? "<bind-to>" : "<connect-to>";
    const pattern = role.endsWith("thr") ? " [--pattern push|pub]" : "";
    console.error(`usage: ${role} [--impl zmtp|zmtp-many|native|libzmq-c]${pattern} ${where} <message-size> ${what}`);
    process.exit(1);
  }
  const pub = flags.pattern === "pub";
  const impl = flags.impl ?? "zmtp";
  if (impl === "libzmq-c") {
    const reason = await compileAll();
    if (reason !== undefined) throw new Error(reason);
    const { status } = spawnSync(programPath("perf"), [role, address, size, count, pub ? "pub" : "push"], {
      stdio: "inherit",
    });
    process.exit(status ?? 1);
  }
  return { ...load(impl), pub, address, size: Number(size), count: Number(count) };
}

/** The peak of resident memory, as a line. */
export function peakMemory() {
  return `peak memory: ${(process.resourceUsage().maxRSS / 1024).toFixed(1)} [MiB]`;
}

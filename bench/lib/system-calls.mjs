/**
 * Counts the system calls of running processes, all their threads included, by `strace -c`. It slows each call down, and a
 * stream gathers messages meanwhile.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, temporaryFolder } from "./process.mjs";

const ATTACHED_WITHIN_MS = 5000;

let files = 0;

/** Why that cannot be done here, or undefined. */
export function straceMissing() {
  try {
    execFileSync("strace", ["-c", "-o", "/dev/null", "true"], { stdio: "pipe" });
    return undefined;
  } catch {
    return "strace is not installed, or may not trace";
  }
}

/**
 * Runs `action` while the processes are traced.
 *
 * @template T
 * @param {number[]} pids
 * @param {() => Promise<T>} action
 * @returns {Promise<{ result: T, calls: number, byName: Record<string, number> }>}
 */
export async function countSystemCalls(pids, action) {
  const traces = pids.map((pid) => {
    const file = join(temporaryFolder(), `strace-${files++}`);
    return { pid, file, command: new Command("strace", "strace", ["-f", "-c", "-o", file, "-p", String(pid)]) };
  });
  try {
    await Promise.all(traces.map(({ pid }) => untilTraced(pid)));
    const result = await action();
    await Promise.all(traces.map(({ command }) => command.stop("SIGINT")));
    /** @type {Record<string, number>} */
    const byName = {};
    for (const { file } of traces) {
      for (const line of readFileSync(file, "utf8").split("\n")) {
        const [, calls, name] = line.match(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+(\w+)$/) ?? [];
        if (name !== undefined && name !== "total") byName[name] = (byName[name] ?? 0) + Number(calls);
      }
    }
    return { result, calls: Object.values(byName).reduce((sum, one) => sum + one, 0), byName };
  } finally {
    for (const { command } of traces) await command.stop();
  }
}

/** @param {number} pid */
async function untilTraced(pid) {
  const late = performance.now() + ATTACHED_WITHIN_MS;
  while (/^TracerPid:\s0$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) {
    if (performance.now() > late) throw new Error("strace does not attach");
    await sleep(10);
  }
  await sleep(50); // The other threads.
}

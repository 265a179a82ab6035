/**
 * A slow processor: every process of a measurement shares a small part of one core, by a control group's quota (version 2 of
 * control groups, or 1). It shows how ratios move when there is little processor time. It is no Raspberry Pi: caches, memory
 * and the cost of a system call stay this machine's.
 */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { whenRunnerEnds, wrapProcesses } from "./process.mjs";

/** Short, so that the share is handed out smoothly. */
const PERIOD_US = 10_000;

const V2 = "/sys/fs/cgroup";
const V1 = "/sys/fs/cgroup/cpu";

/**
 * From now on every process that is started is confined. Throws when this machine does not let us.
 *
 * @param {number} percent Of one core, for all together.
 * @returns {string} What was done, in words.
 */
export function confine(percent) {
  const name = `zmtp-bench-${process.pid}`;
  const quota = Math.round((PERIOD_US * percent) / 100);
  const isV2 =
    existsSync(`${V2}/cgroup.controllers`) && readFileSync(`${V2}/cgroup.controllers`, "utf8").includes("cpu ");
  const folder = `${isV2 ? V2 : V1}/${name}`;
  mkdirSync(folder);
  whenRunnerEnds(() => removeWhenEmpty(folder));
  if (isV2) {
    writeFileSync(`${folder}/cpu.max`, `${quota} ${PERIOD_US}`);
  } else {
    writeFileSync(`${folder}/cpu.cfs_period_us`, String(PERIOD_US));
    writeFileSync(`${folder}/cpu.cfs_quota_us`, String(quota));
  }
  watch(folder);
  wrapProcesses((command, args) => [
    "sh",
    ["-c", `echo $$ > ${folder}/cgroup.procs && exec "$@"`, "sh", command, ...args],
  ]);
  return `all processes together on ${percent} % of one core (control groups ${isV2 ? 2 : 1})`;
}

/** @param {string} folder Killed processes leave it a moment later. */
function removeWhenEmpty(folder) {
  const late = Date.now() + 1000;
  while (Date.now() < late) {
    try {
      rmdirSync(folder);
      return;
    } catch {
      // A process is still on its way out.
    }
  }
}

/** Removes it when the runner was killed without warning. @param {string} folder */
function watch(folder) {
  const script = 'cat >/dev/null; for i in 1 2 3 4 5; do [ -d "$1" ] || exit; rmdir "$1" 2>/dev/null; sleep 1; done';
  const janitor = spawn("sh", ["-c", script, "sh", folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  janitor.unref();
  /** @type {any} */ (janitor.stdin).unref?.();
}

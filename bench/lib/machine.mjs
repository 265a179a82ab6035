/**
 * What has to stand beside a number for it to mean anything: the machine, the versions, the commit.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import { join } from "node:path";
import { PACKAGE_PATH } from "./implementation.mjs";

const require = createRequire(import.meta.url);

/**
 * @param {() => string} read
 * @param {string} [otherwise]
 */
function attempt(read, otherwise = "unknown") {
  try {
    return read().trim() || otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function output(command, args) {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], cwd: PACKAGE_PATH });
}

/** The version in the header that the programs in c/ are compiled with. */
function libzmqVersion() {
  const text = execFileSync(process.env.CC ?? "cc", ["-E", "-dM", "-include", "zmq.h", "-x", "c", "/dev/null"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return ["MAJOR", "MINOR", "PATCH"].map((part) => text.match(`ZMQ_VERSION_${part} (\\d+)`)?.[1]).join(".");
}

/**
 * Everything as plain texts and numbers, for the JSON lines and the head of a report.
 *
 * @returns {Record<string, string | number>}
 */
export function describeMachine() {
  const cpus = os.cpus();
  const changed = attempt(() => output("git", ["status", "--porcelain", "--", "src", "package.json"]), "");
  return {
    date: new Date().toISOString(),
    cpu: cpus[0]?.model.trim() ?? "unknown",
    cores: cpus.length,
    governor: attempt(() => readFileSync("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "utf8")),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    load: Number(os.loadavg()[0].toFixed(2)),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    zmtp: attempt(() => JSON.parse(readFileSync(join(PACKAGE_PATH, "package.json"), "utf8")).version),
    commit: `${attempt(() => output("git", ["rev-parse", "--short=12", "HEAD"]))}${changed ? " with changes" : ""}`,
    zeromq: attempt(
      () => `${require("zeromq/package.json").version} (libzmq ${require("zeromq").version})`,
      "not installed",
    ),
    libzmq: attempt(libzmqVersion, "not known"),
  };
}

/** What is said of a measurement that began on a busy machine. */
export const BUSY =
  "The machine was busy when this began. Rates and ratios mislead then (more threads get more of it): see the CPU times, or measure again.";

/** The share of the cores that others may use before it is said. */
const BUSY_LOAD = 0.5;

/**
 * @param {Record<string, string | number>} machine
 * @returns {boolean}
 */
export function isBusy({ load, cores }) {
  return Number(load) > Number(cores) * BUSY_LOAD;
}

/**
 * The same as a list for a person.
 *
 * @param {Record<string, string | number>} machine
 * @returns {string}
 */
export function machineText(machine) {
  return [
    `${machine.cpu}, ${machine.cores} cores (governor ${machine.governor}), ${machine.memoryGiB} GiB, load ${machine.load}`,
    `${machine.system}, Node ${machine.node}`,
    `zmtp ${machine.zmtp} (${machine.commit}), zeromq ${machine.zeromq}, libzmq from C ${machine.libzmq}`,
  ].join("\n");
}

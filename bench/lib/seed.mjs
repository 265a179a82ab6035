/**
 * What the programs in seeds/ and perf/ share: they are started by a person, with plain arguments and a choice of the
 * implementation, or by the runner, and then end when it ends.
 */

import { spawn } from "node:child_process";
import { readFlags, refuse } from "./arguments.mjs";
import { compileAll, programPath } from "./compile.mjs";
import { load } from "./implementation.mjs";

/** Set by the runner for the programs it starts. Their standard input is then a pipe that ends with it. */
export const RUNNER_VARIABLE = "BENCH_RUNNER";

/** Ends this process when the runner that started it is gone. */
export function followRunner() {
  if (process.env[RUNNER_VARIABLE] === undefined) return;
  process.stdin.on("end", () => process.exit()).resume();
  /** @type {any} */ (process.stdin).unref?.();
}

/**
 * Reads `[--impl zmtp] …`. For libzmq-c it runs the program in C in the place of this one.
 *
 * @param {string} program In c/.
 * @param {string[]} role What the program in C is given first.
 * @param {{ values?: string[], complete?: (rest: string[]) => string[] }} [known] Other flags, which C is given behind
 *   the rest, and how C's arguments are completed.
 * @returns {Promise<{ impl: string, zmq: any, many: boolean, flags: Record<string, string>, rest: string[] }>}
 */
export async function seedArguments(program, role, { values = [], complete = (rest) => rest } = {}) {
  const { flags, rest } = readFlags({ values: ["impl", ...values] });
  const impl = flags.impl ?? "zmtp";
  followRunner();
  if (impl === "libzmq-c") process.exit(await runInC(program, [...role, ...complete(rest)]));
  return { impl, ...loadOrRefuse(impl), flags, rest };
}

/** @param {string} impl */
function loadOrRefuse(impl) {
  try {
    return load(impl);
  } catch (error) {
    return refuse(`--impl ${impl}: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<number>} Its exit code.
 */
export async function runInC(program, args) {
  const reason = await compileAll();
  if (reason !== undefined) refuse(reason);
  const env = { ...process.env, [RUNNER_VARIABLE]: "1" };
  const child = spawn(programPath(program), args, { stdio: ["ignore", "inherit", "inherit"], env });
  process.on("exit", () => child.kill("SIGKILL"));
  return new Promise((resolve) => child.on("close", (code) => resolve(code ?? 1)));
}

/** The peak of resident memory, as a line. */
export function peakMemory() {
  return `peak memory: ${(process.resourceUsage().maxRSS / 1024).toFixed(1)} [MiB]`;
}

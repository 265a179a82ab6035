/**
 * Which command runs the program of a role, for each implementation.
 */

import { fileURLToPath } from "node:url";
import { programPath } from "./compile.mjs";
import { readName } from "./nodes.mjs";

/** Programs that are the same for every implementation. */
const SHARED = new Set(["idle-clients"]);

/** Debian's python3-zmq belongs to this one, whatever comes first in PATH. BENCH_PYTHON names another. */
export const PYTHON = process.env.BENCH_PYTHON ?? "/usr/bin/python3";

/** @type {string[]} */
let node = [process.execPath];

/**
 * Another Node for every program from now on, such as one under an emulator.
 *
 * @param {string} words The command, words separated by spaces.
 * @returns {string} What was done, in words.
 */
export function useNode(words) {
  node = words.split(" ").filter(Boolean);
  return `with ${words.replaceAll(`${process.cwd()}/`, "")}; the runner and libzmq-c are this machine's own`;
}

/**
 * @param {string} name Of an implementation: `zmtp@22` runs in that Node.
 * @param {string[]} args
 * @returns {[command: string, args: string[]]}
 */
export function nodeCommand(name, args) {
  const { program } = readName(name);
  return program === undefined ? [node[0], [...node.slice(1), ...args]] : [program, args];
}

/**
 * @param {string} name Of an implementation.
 * @param {string} program A role of programs/, or a path in seeds/.
 * @param {string[]} args
 * @param {string[]} [nodeFlags]
 * @returns {[command: string, args: string[]]}
 */
export function programCommand(name, program, args, nodeFlags = []) {
  const { implementation } = readName(name);
  if (program.startsWith("seeds/")) {
    return nodeCommand(name, [inBench(`${program}.mjs`), "--impl", implementation, ...args]);
  }
  if (!SHARED.has(program)) {
    if (implementation === "libzmq-c") return [programPath(program), args];
    if (implementation === "pyzmq") return [PYTHON, [inBench("python/program.py"), program, ...args]];
  }
  const file = implementation === "net" && !SHARED.has(program) ? `net-${program}` : program;
  return nodeCommand(name, [...nodeFlags, inBench(`programs/${file}.mjs`), ...args]);
}

/** @param {string} path */
function inBench(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

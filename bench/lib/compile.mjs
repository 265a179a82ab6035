/**
 * Compiles the programs in c/ against the installed libzmq, once for each change of their text.
 */

import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const SOURCE = fileURLToPath(new URL("../c", import.meta.url));
const BUILD = join(SOURCE, "build");

/** What a plain build of a benchmark uses; libzmq itself is what the system installed. */
const FLAGS = ["-O2", "-Wall", "-Wextra", "-pthread"];

/**
 * The compiled program's path.
 *
 * @param {string} program
 * @returns {string}
 */
export function programPath(program) {
  return join(BUILD, program);
}

/**
 * Builds every program that is older than its text. Returns why that could not be done (no compiler, no `zmq.h`), or
 * undefined when all is built.
 *
 * @returns {Promise<string | undefined>}
 */
export async function compileAll() {
  mkdirSync(BUILD, { recursive: true });
  const names = readdirSync(SOURCE);
  const headers = names.filter((name) => name.endsWith(".h"));
  const newestHeader = Math.max(...headers.map((name) => statSync(join(SOURCE, name)).mtimeMs));
  for (const name of names.filter((one) => one.endsWith(".c"))) {
    const source = join(SOURCE, name);
    const target = programPath(name.slice(0, -2));
    const built = statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (built > Math.max(newestHeader, statSync(source).mtimeMs)) continue;
    try {
      await run(process.env.CC ?? "cc", [...FLAGS, source, "-o", target, "-lzmq"]);
    } catch (error) {
      const text = /** @type {{ stderr?: string, message: string }} */ (error);
      if (/zmq\.h/.test(text.stderr ?? "")) return "zmq.h is not installed";
      return (text.stderr || text.message).trim().split("\n", 1)[0];
    }
  }
  return undefined;
}

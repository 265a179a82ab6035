/** The arguments of a runner: what is wrong with them is said in a line, not by a stack. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * As Node's `parseArgs`, with `--help`.
 *
 * @template {import("node:util").ParseArgsConfig} T
 * @param {T} config
 * @param {string} help what `--help` shows
 */
export function readArguments(config, help) {
  if (process.argv.includes("--help")) {
    console.log(help);
    process.exit();
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message);
  }
}

/**
 * Ends the process over a wrong argument.
 * @param {string} message @returns {never}
 */
export function refuse(message) {
  console.error(`${message}\n--help shows what there is.`);
  process.exit(2);
}

/**
 * The comment that a file opens with.
 * @param {string} file its `import.meta.url`
 */
export function openingComment(file) {
  const comment = /\/\*\*\n(.*?)\n \*\//s.exec(readFileSync(fileURLToPath(file), "utf8"))?.[1] ?? "";
  return comment.replace(/^ \* ?/gm, "");
}

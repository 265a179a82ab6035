/**
 * What the scripts share: where the project is, how a count is written, how a program is run.
 */
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The project's root folder. */
export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * The line that closes every run of tests.
 * @param {{ passed: number, failed: number, skipped?: number }} counts
 */
export function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`;
}

/**
 * Runs a program to its end with the output of this process; resolves with its exit code and what it printed.
 * @param {string} command @param {string[]} args @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, ...options, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      process.stdout.write(text);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * How many times as long as on a quiet machine everything may take now: processes that want a processor, for each there is.
 * @returns {number} 1 or more
 */
function crowding() {
  return Math.max(1, os.loadavg()[0] / os.cpus().length);
}

/**
 * @param {number} milliseconds of a quiet machine @returns {number} as many more as it is crowded; whole ones, as child processes
 * want them
 */
export const patience = (milliseconds) => Math.ceil(milliseconds * crowding());

/**
 * Calls `onOver` when `milliseconds` of a quiet machine are over: on a crowded one it waits longer.
 * @param {number} milliseconds @param {() => void} onOver @returns {() => void} calls it off
 */
export function limit(milliseconds, onOver) {
  const started = performance.now();
  /** @type {NodeJS.Timeout} */
  let timer;
  const look = () => {
    const left = patience(milliseconds) - (performance.now() - started);
    if (left > 0) timer = setTimeout(look, left);
    else onOver();
  };
  look();
  return () => clearTimeout(timer);
}

/** Runs a program of a dev dependency by its file, whatever else has put a program of that name on the path. */
export const BIN = {
  biome: path.join(ROOT, "node_modules/@biomejs/biome/bin/biome"),
  tsc: path.join(ROOT, "node_modules/typescript/bin/tsc"),
  tsc5: path.join(ROOT, "node_modules/typescript-5/bin/tsc"),
};

/**
 * Installs a folder that has its own package.json, when its lock file is newer than what is installed. What fails is tried once
 * more: a registry has weak moments.
 * @param {string} folder relative to the root @returns {Promise<boolean>} false when npm failed
 */
export async function install(folder) {
  const lock = path.join(ROOT, folder, "package-lock.json");
  const installed = path.join(ROOT, folder, "node_modules", ".package-lock.json");
  if (existsSync(installed) && existsSync(lock) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return true;
  const command = existsSync(lock) ? "ci" : "install";
  for (let attempt = 1; attempt <= 2; attempt++) {
    const { code } = await run("npm", [command, "--no-audit", "--no-fund"], { cwd: path.join(ROOT, folder) });
    if (code === 0) return true;
    console.log(`npm ${command} in ${folder} failed${attempt === 1 ? ": once more" : ""}`);
  }
  return false;
}

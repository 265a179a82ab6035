/**
 * The implementations that are compared, by name, and where each is found.
 *
 * | name         | what it is                                                                     |
 * |--------------|--------------------------------------------------------------------------------|
 * | `zmtp`       | this package's build, plain `await send()` and `await receive()`               |
 * | `zmtp-polling` | the same as `zmtp`, with `busyPoll: 250`                                     |
 * | `zmtp-many`  | the same, with `sendMany()` and `receiveMany()`                                |
 * | `other`      | another build of it, at the path in ZMTP_OTHER: for before and after           |
 * | `native`     | the npm package `zeromq`, the native binding                                   |
 * | `libzmq-c`   | the programs in c/, linked with the installed libzmq                           |
 * | `pyzmq`      | Python's binding of libzmq                                                     |
 * | `net`        | Node's own sockets without any protocol: the limit of what JavaScript can do   |
 */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { readName } from "./nodes.mjs";
import { PYTHON } from "./programs.mjs";

const require = createRequire(import.meta.url);

/** The folder of the package under test. ZMTP_PATH puts another one, an unpacked tarball for instance, in its place. */
export const PACKAGE_PATH = process.env.ZMTP_PATH ?? fileURLToPath(new URL("../..", import.meta.url));

/** For how long `zmtp-polling` polls for an answer. */
const POLL_MICROSECONDS = 250;

/** Messages given to one `sendMany()`, and taken at most by one `receiveMany()`. */
export const MANY = 128;

/**
 * The library behind a name that is a JavaScript one, and whether its programs send and receive many at once.
 *
 * @param {string} name
 * @returns {{ zmq: any, many: boolean }}
 */
export function load(name) {
  const zmq = require(modulePath(name));
  if (name === "zmtp-polling") zmq.context.busyPoll = POLL_MICROSECONDS;
  return { zmq, many: name === "zmtp-many" };
}

/**
 * What `require` is given for an implementation.
 *
 * @param {string} variant Its name, with or without a Node.
 * @returns {string}
 */
export function modulePath(variant) {
  const name = readName(variant).implementation;
  if (name === "native") return require.resolve("zeromq");
  if (["zmtp", "zmtp-many", "zmtp-polling"].includes(name)) return PACKAGE_PATH;
  if (name === "other" && process.env.ZMTP_OTHER) return process.env.ZMTP_OTHER;
  throw new Error(`no implementation "${name}"`);
}

/**
 * Why an implementation in JavaScript cannot be measured here, or undefined when it can.
 *
 * @param {string} variant Its name, with or without a Node.
 * @returns {string | undefined}
 */
export function missing(variant) {
  const name = readName(variant).implementation;
  if (name === "net") return undefined;
  if (name === "pyzmq") return pyzmqMissing();
  if (name === "other" && !process.env.ZMTP_OTHER) return "ZMTP_OTHER is not set";
  if (name === "native") {
    return existsSync(new URL("../node_modules/zeromq", import.meta.url))
      ? loadError(name)
      : "npm ci was not run in bench/";
  }
  const error = loadError(name);
  if (error !== undefined) return `not built (${error})`;
  if (name === "zmtp-many" && typeof load(name).zmq.Push.prototype.sendMany !== "function") return "has no sendMany()";
  return undefined;
}

function pyzmqMissing() {
  try {
    execFileSync(PYTHON, ["-c", "import zmq"], { stdio: "pipe" });
    return undefined;
  } catch {
    return `${PYTHON} has no zmq`;
  }
}

/** @param {string} name */
function loadError(name) {
  try {
    load(name);
    return undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0];
  }
}

/**
 * The file-system side of ipc: Unix domain sockets have names that outlive their owners.
 *
 * A bind takes over an existing socket's path, as libzmq does, but nothing that is not a socket. A close takes its own
 * path away, and only its own: Node unlinks the name that it was given whoever has it by then, so a path that another
 * process has taken over is moved out of the way for that moment. A process that ends without closing its sockets
 * cleans up too, unless a signal ends it.
 */

import { lstatSync, mkdtempSync, renameSync, rmdirSync, statSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { IPC_PATH_LINUX_BYTES, IPC_PATH_OTHER_BYTES } from "../base/constants.ts";
import { errnoError, systemError } from "../base/errors.ts";
import type { IpcEndpoint } from "./endpoint.ts";

/** A name that is free to be listened on. */
export interface BoundPath {
  /** For `net.Server`. */
  readonly path: string;
  /** As `lastEndpoint` shows it. */
  readonly address: string;
  /** Notes whose file it is; called when the listener is there. */
  bound(): void;
  /** Runs `close`, which makes Node unlink `path`, and leaves nothing of ours behind. */
  release(close: () => void): void;
}

/** The runtime, which decides over the names that work. */
type Host = Pick<NodeJS.Process, "platform" | "versions">;

const PATH_BYTES = process.platform === "linux" ? IPC_PATH_LINUX_BYTES : IPC_PATH_OTHER_BYTES;

/**
 * Makes the `path` for Node.
 * @throws ErrnoError EPROTONOSUPPORT on Windows, ENOTSUP for abstract names where they do not work
 */
export function nodePath(endpoint: IpcEndpoint, host: Host = process): string {
  if (host.platform === "win32") {
    throw errnoError("EPROTONOSUPPORT", endpoint.address, undefined, "there is no ipc on Windows");
  }
  if (endpoint.kind !== "abstract") return endpoint.path;
  if (!hasAbstractNames(host)) {
    const message =
      "Abstract ipc names need Linux and Node 22 or later: this runtime pads them, so that no other peer finds them";
    throw errnoError("ENOTSUP", endpoint.address, message);
  }
  return `\0${endpoint.path}`;
}

/** Before 1.48 libuv padded abstract names with NULs to their full length. */
function hasAbstractNames({ platform, versions }: Host): boolean {
  if (platform !== "linux") return false;
  const [major, minor] = (versions.uv ?? "").split(".").map(Number);
  return major > 1 || (major === 1 && minor >= 48);
}

/**
 * Makes way for a bind.
 * @throws ErrnoError EADDRINUSE (something else is there), ENOENT (no such directory), ENAMETOOLONG
 */
export function claimPath(endpoint: IpcEndpoint): BoundPath {
  const given = nodePath(endpoint);
  if (endpoint.kind === "abstract") {
    return { path: given, address: endpoint.address, bound() {}, release: (close) => close() };
  }
  if (endpoint.kind === "wildcard") return claimWildcard(endpoint);
  const absolute = resolve(given);
  removeStale(absolute, endpoint.address);
  // With an absolute name a later chdir does not lead Node to another file, where it fits.
  const path = Buffer.byteLength(absolute) <= PATH_BYTES ? absolute : given;
  return new OwnedPath(path, absolute, endpoint.address, undefined);
}

function claimWildcard(endpoint: IpcEndpoint): BoundPath {
  let directory: string;
  try {
    directory = mkdtempSync(join(resolve(tmpdir()), "tmp"));
  } catch (error) {
    throw systemError(error as NodeJS.ErrnoException, endpoint.address);
  }
  const path = join(directory, "socket");
  if (Buffer.byteLength(path) > PATH_BYTES) {
    rmdirSync(directory);
    throw errnoError("ENAMETOOLONG", endpoint.address);
  }
  return new OwnedPath(path, path, `ipc://${path}`, directory);
}

function removeStale(path: string, address: string): void {
  let isSocket: boolean | undefined;
  try {
    isSocket = lstatSync(path, { throwIfNoEntry: false })?.isSocket();
    if (isSocket === true) unlinkSync(path);
    // libuv would report a missing directory as EACCES.
    else if (isSocket === undefined) statSync(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") throw errnoError("ENOENT", address);
    throw systemError(error as NodeJS.ErrnoException, address);
  }
  if (isSocket === false) throw errnoError("EADDRINUSE", address);
}

class OwnedPath implements BoundPath {
  readonly path: string;
  readonly address: string;
  readonly #absolute: string;
  readonly #directory: string | undefined;
  #inode = "";

  constructor(path: string, absolute: string, address: string, directory: string | undefined) {
    this.path = path;
    this.address = address;
    this.#absolute = absolute;
    this.#directory = directory;
  }

  bound(): void {
    this.#inode = inode(this.#absolute);
    if (owned.size === 0) process.on("exit", removeAll);
    owned.add(this);
  }

  release(close: () => void): void {
    if (owned.delete(this) && owned.size === 0) process.off("exit", removeAll);
    // Node is about to unlink this: with a relative name it depends on the current directory.
    const victim = resolve(this.path);
    const found = inode(victim);
    if (found === "" || found === this.#inode) close();
    else aside(victim, close);
    this.remove();
  }

  remove(): void {
    if (this.#inode !== "" && inode(this.#absolute) === this.#inode) attempt(() => unlinkSync(this.#absolute));
    if (this.#directory !== undefined) attempt(() => rmdirSync(this.#directory as string));
  }
}

/** Paths that are bound now. */
const owned = new Set<OwnedPath>();

function removeAll(): void {
  for (const path of owned) path.remove();
}

/** Runs `action` while `path` has another name; all within this call, so that hardly anybody finds it gone. */
function aside(path: string, action: () => void): void {
  const other = join(dirname(path), `.${basename(path).slice(0, 200)}.${process.pid}`);
  const moved = attempt(() => renameSync(path, other));
  action();
  if (moved) attempt(() => renameSync(other, path));
}

/** Device and inode; empty when there is nothing. */
function inode(path: string): string {
  try {
    const found = lstatSync(path, { bigint: true });
    return `${found.dev}:${found.ino}`;
  } catch {
    return "";
  }
}

/** True when it went well. */
function attempt(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens a `net.Server` at one target: a path, or a port of one address. `open` waits for Node's event. `openSync` is
 * done when it returns, which Node's documented functions are for two targets only: every interface, and ipc paths. For
 * one address it takes `net._createServerHandle`, on which Node's cluster module is built and which every release has.
 * Where a runtime has neither that nor a `listen` that is done at once, `openSync` on one address fails with ENOTSUP.
 */
import * as net from "node:net";
import { getSystemErrorName } from "node:util";
import { LEAST_BACKLOG } from "../base/constants.ts";
import { errnoError } from "../base/errors.ts";
import type { OptionValues } from "../options/values.ts";
import { isOwn, type Resolved } from "./resolve.ts";

/** Binds, and gives a handle or a negative error number. */
type CreateServerHandle = (address: string, port: number, family: number) => { close(): void } | number;

/** All that is used here of Node beyond its documentation; in one place, where a test can take it away. */
export const internals: { createServerHandle: CreateServerHandle | undefined } = {
  createServerHandle: (net as { _createServerHandle?: CreateServerHandle })._createServerHandle,
};

/** The options that matter here. */
export type OpenOptions = Pick<OptionValues, "ipv6" | "backlog">;

/** Names what to listen on: a path, or a port of one address. */
export type Target = { readonly path: string } | { readonly host: Resolved; readonly port: number };

/** Servers that were asked for every IPv4 interface and listen on every IPv6 one too. */
const everyIpv4: WeakSet<net.Server> = new WeakSet<net.Server>();

/** True for a server that listens on every IPv6 interface too, where only IPv4 was asked for. */
export function isIpv4Forced(server: net.Server): boolean {
  return everyIpv4.has(server);
}

function listenArguments(target: Target, backlog: number): net.ListenOptions {
  const common = { backlog: Math.max(LEAST_BACKLOG, backlog), exclusive: true };
  return "path" in target
    ? { ...common, path: target.path }
    : { ...common, host: target.host.address, port: target.port };
}

/**
 * True when `openSync` works here. It is preferred: the event that `open` waits for does not come while a test fakes
 * `process.nextTick`.
 */
export function isDoneAtOnce(target: Target): boolean {
  return "path" in target || internals.createServerHandle !== undefined;
}

export function open(target: Target, backlog: number): Promise<net.Server> {
  const server = net.createServer({ pauseOnConnect: true }).unref();
  return new Promise((fulfil, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      fulfil(server);
    });
    server.listen(listenArguments(target, backlog));
  });
}

export function openSync(target: Target, options: OpenOptions, address: string): net.Server {
  const server = net.createServer({ pauseOnConnect: true }).unref();
  // A failure is seen at once below; its event comes later.
  server.on("error", ignore);
  if ("path" in target) {
    server.listen(listenArguments(target, options.backlog));
    if (!server.listening) throw pathFailure(target.path);
  } else if (internals.createServerHandle !== undefined) {
    const handle = internals.createServerHandle(target.host.address, target.port, target.host.family);
    if (typeof handle === "number") throw uvError(handle);
    adopt(server, handle, Math.max(LEAST_BACKLOG, options.backlog));
    // The kernel tells at `listen` what `bind` did not: only this.
    if (!server.listening) throw errnoLike("EADDRINUSE");
  } else {
    openAtOnce(server, target, options, address);
  }
  server.off("error", ignore);
  return server;
}

/**
 * Listens by Node's documented functions alone: every interface in Node, and any address where `listen` is done when it
 * returns (Bun).
 */
function openAtOnce(
  server: net.Server,
  target: Exclude<Target, { path: string }>,
  options: OpenOptions,
  address: string,
): void {
  const { host, port } = target;
  const common = { port, backlog: Math.max(LEAST_BACKLOG, options.backlog), exclusive: true };
  if (isAtOnce()) {
    server.listen({ ...common, host: host.address });
    if (!server.listening) throw errnoLike(isOwn(host) ? "EADDRINUSE" : "EADDRNOTAVAIL");
    return;
  }
  const isEvery = host.address === "0.0.0.0" || host.address === "::";
  if (!isEvery)
    throw errnoError("ENOTSUP", address, "bindSync to one address is not supported by this runtime: use bind");
  if (!options.ipv6) everyIpv4.add(server);
  server.listen(common);
  if (!server.listening) throw errnoLike("EADDRINUSE");
}

/** True when this runtime listens on an address before `listen` returns. */
function isAtOnce(): boolean {
  const probe = net.createServer().unref().on("error", ignore);
  // Node 18 goes on with a `listen` although the server was closed meanwhile.
  probe.on("listening", () => probe.close());
  const { listening } = probe.listen({ host: "127.0.0.1", port: 0, exclusive: true });
  if (listening) probe.close();
  return listening;
}

/**
 * Listens on a handle. `server.listen(handle)` would ask the primary in a cluster's worker of Node 18, and crash it.
 */
function adopt(server: net.Server, handle: object, backlog: number): void {
  const inner = server as {
    _handle?: object;
    _listen2?(address: null, port: number, family: number, backlog: number): void;
  };
  if (inner._listen2 === undefined) {
    server.listen(handle, backlog);
  } else {
    inner._handle = handle;
    inner._listen2(null, -1, -1, backlog);
  }
}

/** Asks once more for the reason, which Node tells in an event only. */
function pathFailure(path: string): NodeJS.ErrnoException {
  const handle = internals.createServerHandle?.(path, -1, -1) ?? 0;
  if (typeof handle !== "number") handle.close();
  return typeof handle === "number" && handle < 0 ? uvError(handle) : errnoLike("EADDRINUSE");
}

function uvError(number: number): NodeJS.ErrnoException {
  return errnoLike(getSystemErrorName(number), number);
}

function errnoLike(code: string, errno?: number): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code, errno });
}

function ignore(): void {}

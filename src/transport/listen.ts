/**
 * Listening: from an endpoint to a `net.Server`, in two ways. `listen` may look names up, and where a runtime has only Node's documented
 * functions it waits for their event. `listenSync` is done when it returns, which Node's documented functions are for two targets only: every
 * interface, and ipc paths. For one address it takes `net._createServerHandle`, on which Node's cluster module is built and
 * which every release has. Where a runtime has neither that nor a `listen` that is done at once, `listenSync` on one address
 * fails with ENOTSUP.
 */

import * as net from "node:net";
import { getSystemErrorName } from "node:util";
import { LEAST_BACKLOG } from "../base/constants.ts";
import { ErrnoError, errnoError, systemError } from "../base/errors.ts";
import type { OptionValues } from "../options/values.ts";
import { AddressList } from "./address-list.ts";
import { formatHostPort, type IpcEndpoint, type TcpEndpoint } from "./endpoint.ts";
import { type BoundPath, claimPath } from "./ipc.ts";
import { NetStream, tune } from "./net-stream.ts";
import { readDirectly } from "./reading.ts";
import { bindable, hostSync, interfaceAddress, isOwn, literal, type Resolved, resolve } from "./resolve.ts";

/** The options that matter here. */
export type ListenOptions = Pick<
  OptionValues,
  "ipv6" | "backlog" | "tcpKeepalive" | "tcpKeepaliveIdle" | "tcpAcceptFilter"
>;

/** Who is told what a listener sees. */
export interface ListenHandler {
  /** A peer connected. The stream's `handler` has to be set before this returns. */
  onStream(stream: NetStream): void;
  /**
   * A peer was turned away by `tcpAcceptFilter`, or the runtime tells of a connection that it could not accept; the listener goes on. Node does not
   * tell that no descriptor was left: it closes the connection, and says nothing.
   */
  onError(error: ErrnoError): void;
}

/** Binds, and gives a handle or a negative error number. */
type CreateServerHandle = (address: string, port: number, family: number) => { close(): void } | number;

/** What is used of Node beyond its documentation; in one place, where a test can take it away. */
export const internals: { createServerHandle: CreateServerHandle | undefined } = {
  createServerHandle: (net as { _createServerHandle?: CreateServerHandle })._createServerHandle,
};

/** What `net.Server.listen` is asked for: a path, or a port of one address. */
type Target = { readonly path: string } | { readonly host: Resolved; readonly port: number };

/**
 * Listens; rejects with an ErrnoError that carries the endpoint's address.
 * @param onWait told how to give up, when a name has to be looked up: the promise rejects with EBADF then
 */
export async function listen(
  endpoint: TcpEndpoint | IpcEndpoint,
  options: ListenOptions,
  handler: ListenHandler,
  onWait: (giveUp: () => void) => void = ignore,
): Promise<NetServer> {
  let host: Resolved | undefined;
  if (endpoint.scheme === "tcp") {
    host = knownHost(endpoint, options.ipv6) ?? (await lookUp(endpoint, options.ipv6, onWait));
  }
  const attempt = new ListenAttempt(endpoint, options, handler, host);
  for (const target of attempt.targets) {
    try {
      return attempt.opened(
        isDoneAtOnce(target) ? openSync(target, options, endpoint.address) : await open(target, options.backlog),
      );
    } catch (error) {
      attempt.failed(error as NodeJS.ErrnoException);
    }
  }
  throw attempt.failure();
}

/**
 * Listens before it returns; throws what `listen` rejects with. Host names are searched in the hosts file only, as there is no
 * resolver that answers at once: others fail with ENODEV.
 */
export function listenSync(
  endpoint: TcpEndpoint | IpcEndpoint,
  options: ListenOptions,
  handler: ListenHandler,
): NetServer {
  let host: Resolved | undefined;
  if (endpoint.scheme === "tcp") host = knownHost(endpoint, options.ipv6) ?? hostSync(endpoint.host, options.ipv6);
  const attempt = new ListenAttempt(endpoint, options, handler, host);
  for (const target of attempt.targets) {
    try {
      return attempt.opened(openSync(target, options, endpoint.address));
    } catch (error) {
      attempt.failed(error as NodeJS.ErrnoException);
    }
  }
  throw attempt.failure();
}

/** What both ways share: the targets to try in turn, and what becomes of success and failure. */
class ListenAttempt {
  readonly targets: readonly Target[];
  readonly #endpoint: TcpEndpoint | IpcEndpoint;
  readonly #options: ListenOptions;
  readonly #handler: ListenHandler;
  readonly #filter: AddressList | undefined;
  readonly #path: BoundPath | undefined;
  #failure: NodeJS.ErrnoException | undefined;

  constructor(
    endpoint: TcpEndpoint | IpcEndpoint,
    options: ListenOptions,
    handler: ListenHandler,
    host: Resolved | undefined,
  ) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#handler = handler;
    this.#filter = filterOf(endpoint, options.tcpAcceptFilter);
    if (endpoint.scheme === "ipc") {
      this.#path = claimPath(endpoint);
      this.targets = [{ path: this.#path.path }];
    } else {
      if (host === undefined) throw noDevice(endpoint);
      this.targets = bindable(host, options.ipv6).map((each) => ({ host: each, port: endpoint.port }));
    }
  }

  opened(server: net.Server): NetServer {
    return new NetServer(server, this.#endpoint, this.#options, this.#handler, this.#path, this.#filter);
  }

  /** Returns when the next target may do better: where there is no IPv6, IPv4 will. */
  failed(error: NodeJS.ErrnoException): void {
    this.#failure = error;
    if (error.code !== "EAFNOSUPPORT" && error.code !== "EADDRNOTAVAIL") throw this.failure();
  }

  failure(): ErrnoError {
    this.#path?.release(() => {});
    if (this.#failure instanceof ErrnoError) return this.#failure;
    return systemError(this.#failure as NodeJS.ErrnoException, this.#endpoint.address);
  }
}

export class NetServer {
  readonly address: string;
  readonly #server: net.Server;
  readonly #path: BoundPath | undefined;
  #isClosed = false;

  constructor(
    server: net.Server,
    endpoint: TcpEndpoint | IpcEndpoint,
    options: ListenOptions,
    handler: ListenHandler,
    path: BoundPath | undefined,
    filter: AddressList | undefined,
  ) {
    this.#server = server;
    this.#path = path;
    this.address = path === undefined ? boundAddress(server, endpoint as TcpEndpoint) : path.address;
    path?.bound();
    server.on("error", (error) => {
      if (!this.#isClosed) handler.onError(systemError(error, this.address));
    });
    server.on("connection", (socket) => {
      readDirectly(socket);
      if (filter !== undefined && !filter.has(socket.remoteAddress ?? "")) {
        socket.on("error", ignore).destroy();
        handler.onError(errnoError("EACCES", this.address));
        return;
      }
      if (path === undefined) tune(socket, options);
      const stream = new NetStream(socket, undefined, path?.address);
      handler.onStream(stream);
      stream.resume();
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const close = (): void => {
      this.#server.close();
    };
    if (this.#path === undefined) close();
    else this.#path.release(close);
  }
}

/** Literals and interface names. */
function knownHost(endpoint: TcpEndpoint, ipv6: boolean): Resolved | undefined {
  const found = literal(endpoint, ipv6);
  if (found !== undefined) return found;
  const isName = endpoint.family === 0 && endpoint.host !== "";
  const address = isName ? interfaceAddress(endpoint.host, ipv6) : undefined;
  if (address === undefined && !isName) throw noDevice(endpoint);
  return address;
}

function noDevice({ host, family, address }: TcpEndpoint): ErrnoError {
  const name = host === "" ? "there is no host in front of the port" : `there is no interface or host "${host}" here`;
  const what = family === 6 ? `${host} is an IPv6 address, and the option ipv6 is false` : name;
  return errnoError("ENODEV", address, undefined, what);
}

function lookUp(endpoint: TcpEndpoint, ipv6: boolean, onWait: (giveUp: () => void) => void): Promise<Resolved> {
  return new Promise((fulfil, reject) => {
    const asked = resolve(endpoint.host, ipv6, (error, found) => {
      if (error === null) return fulfil(found[0]);
      reject(errnoError("ENODEV", endpoint.address, undefined, error));
    });
    onWait(() => {
      asked.cancel();
      reject(errnoError("EBADF", endpoint.address));
    });
  });
}

/** The listening server's address; every interface is `::` where only Node's own choice could be had. */
function boundAddress(server: net.Server, endpoint: TcpEndpoint): string {
  const { address, port } = server.address() as net.AddressInfo;
  const isForced = address === "::" && everyIpv4.has(server);
  return `${endpoint.scheme}://${formatHostPort(isForced ? "0.0.0.0" : address, port)}`;
}

/** Servers that were asked for every IPv4 interface and listen on every IPv6 one too. */
const everyIpv4 = new WeakSet<net.Server>();

function listenArguments(target: Target, backlog: number): net.ListenOptions {
  const common = { backlog: Math.max(LEAST_BACKLOG, backlog), exclusive: true };
  return "path" in target
    ? { ...common, path: target.path }
    : { ...common, host: target.host.address, port: target.port };
}

/** Whether `openSync` needs no detour: an event of Node's for the same would not come while a test fakes `process.nextTick`. */
function isDoneAtOnce(target: Target): boolean {
  return "path" in target || internals.createServerHandle !== undefined;
}

function open(target: Target, backlog: number): Promise<net.Server> {
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

function openSync(target: Target, options: ListenOptions, address: string): net.Server {
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

/** By Node's documented functions: every interface in Node, and any address where `listen` is done when it returns (Bun). */
function openAtOnce(
  server: net.Server,
  target: Exclude<Target, { path: string }>,
  options: ListenOptions,
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

/** Whether this runtime listens on an address before `listen` returns. */
function isAtOnce(): boolean {
  const probe = net.createServer().unref().on("error", ignore);
  // Node 18 goes on with a `listen` although the server was closed meanwhile.
  probe.on("listening", () => probe.close());
  const { listening } = probe.listen({ host: "127.0.0.1", port: 0, exclusive: true });
  if (listening) probe.close();
  return listening;
}

/** `server.listen(handle)`, which in a cluster's worker of Node 18 would ask the primary instead, and crash it. */
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

/** Asks again for the reason, which Node tells in an event only. */
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

/** @throws ErrnoError EINVAL when a filter is no address range */
function filterOf(endpoint: TcpEndpoint | IpcEndpoint, ranges: readonly string[]): AddressList | undefined {
  if (endpoint.scheme !== "tcp" || ranges.length === 0) return undefined;
  const list = new AddressList();
  for (const range of ranges) list.add(range);
  return list;
}

function ignore(): void {}

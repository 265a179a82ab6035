/**
 * Listening: from an endpoint to a server. `listen` may look names up; `listenSync` is done when it returns. Both try
 * the targets that an endpoint stands for in turn, and take over what is accepted.
 */

import type { AddressInfo, Server } from "node:net";
import { ErrnoError, errnoError, systemError } from "../base/errors.ts";
import type { OptionValues } from "../options/values.ts";
import { AddressList } from "./address-list.ts";
import { formatHostPort, type IpcEndpoint, type TcpEndpoint } from "./endpoint.ts";
import { type BoundPath, claimPath } from "./ipc.ts";
import { NetStream } from "./net-stream.ts";
import { isDoneAtOnce, isIpv4Forced, open, openSync, type Target } from "./open-server.ts";
import { readDirectly } from "./reading.ts";
import { bindable, hostSync, interfaceAddress, literal, type Resolved, resolve } from "./resolve.ts";
import { tune } from "./tune.ts";

/** The options that matter here. */
export type ListenOptions = Pick<
  OptionValues,
  "ipv6" | "backlog" | "tcpKeepalive" | "tcpKeepaliveIdle" | "tcpAcceptFilter"
>;

/** Takes what a server accepts. */
export interface ListenHandler {
  /** Takes the stream of a peer, whose `handler` has to be set before this returns. */
  onStream(stream: NetStream): void;
  /**
   * Hears that `tcpAcceptFilter` turned a peer away, or that the runtime could not accept a connection; the server goes
   * on. Nobody hears that no descriptor was left: Node closes the connection, and says nothing.
   */
  onError(error: ErrnoError): void;
}

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
 * Listens before it returns; throws what `listen` rejects with. Host names are searched in the hosts file only, as
 * there is no resolver that answers at once: others fail with ENODEV.
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

/** One call of either way: the targets to try in turn, and the outcome. */
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

  opened(server: Server): NetServer {
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
  readonly #server: Server;
  readonly #path: BoundPath | undefined;
  #isClosed = false;

  constructor(
    server: Server,
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

/** Finds the address of a literal or an interface name; undefined for other names. */
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

/** Tells the server's address, with 0.0.0.0 for `::` where only Node's own choice could be had. */
function boundAddress(server: Server, endpoint: TcpEndpoint): string {
  const { address, port } = server.address() as AddressInfo;
  const isForced = address === "::" && isIpv4Forced(server);
  return `${endpoint.scheme}://${formatHostPort(isForced ? "0.0.0.0" : address, port)}`;
}

/** @throws ErrnoError EINVAL when a filter is no address range */
function filterOf(endpoint: TcpEndpoint | IpcEndpoint, ranges: readonly string[]): AddressList | undefined {
  if (endpoint.scheme !== "tcp" || ranges.length === 0) return undefined;
  const list = new AddressList();
  for (const range of ranges) list.add(range);
  return list;
}

function ignore(): void {}

/**
 * One attempt to reach a peer: names are looked up, each address is tried in turn, and the first connection wins.
 * The outcome is told later, never inside `connectStream`, and at most once; after `cancel` never.
 */

import { connect, type LookupFunction, Socket as NetSocket, type Socket } from "node:net";
import { CONNECT_ADDRESS_MS, SOCKS_TIMEOUT_MS } from "../base/constants.ts";
import { type ErrnoError, errnoError, systemError } from "../base/errors.ts";
import { IS_NODE } from "../base/runtime.ts";
import { clearTimeout, isTickFaked, queueMicrotask } from "../loop/clock.ts";
import type { HeldRequest } from "../loop/pending-requests.ts";
import type { OptionValues } from "../options/values.ts";
import { type HostPort, type IpcEndpoint, parseHostPort, type TcpEndpoint } from "./endpoint.ts";
import { nodePath } from "./ipc.ts";
import { heldRequests, NetStream, timer } from "./net-stream.ts";
import { onRead } from "./reading.ts";
import { interfaceAddress, literal, type Resolved, resolve } from "./resolve.ts";
import { SocksHandshake } from "./socks.ts";
import { tune } from "./tune.ts";

/** The options that matter here. */
export type ConnectOptions = Pick<
  OptionValues,
  "ipv6" | "connectTimeout" | "tcpKeepalive" | "tcpKeepaliveIdle" | "socksProxy" | "socksUsername" | "socksPassword"
>;

/** Hears how an attempt ended: by exactly one of the two. */
export interface ConnectHandler {
  /** Takes the stream, whose `handler` has to be set before this returns. */
  onConnect(stream: NetStream): void;
  onFail(error: ErrnoError): void;
}

/** Starts an attempt; `cancel` gives it up, at any time. */
export function connectStream(
  endpoint: TcpEndpoint | IpcEndpoint,
  options: ConnectOptions,
  handler: ConnectHandler,
): { cancel(): void } {
  return new Attempt(endpoint, options, handler);
}

class Attempt implements HeldRequest {
  readonly holdsData = false;
  readonly #endpoint: TcpEndpoint | IpcEndpoint;
  readonly #options: ConnectOptions;
  readonly #handler: ConnectHandler;
  #isOver = false;
  #socket: Socket | undefined;
  /** Addresses that were not tried yet. */
  #addresses: Resolved[] = [];
  #limit: NodeJS.Timeout | undefined;
  #addressLimit: NodeJS.Timeout | undefined;
  #socks: SocksHandshake | undefined;
  #lookUp: { cancel(): void } | undefined;

  constructor(endpoint: TcpEndpoint | IpcEndpoint, options: ConnectOptions, handler: ConnectHandler) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#handler = handler;
    heldRequests.add(this);
    if (endpoint.scheme === "ipc") queueMicrotask(() => this.#startIpc(endpoint));
    else if (options.socksProxy === "") this.#startTcp(endpoint, options.ipv6);
    else queueMicrotask(() => this.#startSocks(endpoint));
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#dropSocket();
  }

  giveUp(): void {
    this.#fail(this.#timedOut());
  }

  #startIpc(endpoint: IpcEndpoint): void {
    if (this.#isOver) return;
    this.#startLimit();
    try {
      this.#watch(connect({ path: nodePath(endpoint), ...onRead() }), undefined);
    } catch (error) {
      this.#fail(systemError(error as NodeJS.ErrnoException, endpoint.address));
    }
  }

  /** Connects to the proxy, which takes the place of the peer until it has connected to it. */
  #startSocks(endpoint: TcpEndpoint): void {
    if (this.#isOver) return;
    const { socksProxy, socksUsername, socksPassword } = this.#options;
    try {
      this.#socks = new SocksHandshake(endpoint.address, endpoint, socksUsername, socksPassword);
      this.#startTcp({ ...endpoint, ...parseHostPort(endpoint.address, socksProxy, "connect") }, true);
    } catch (error) {
      this.#fail(error as ErrnoError);
    }
  }

  #startTcp(endpoint: TcpEndpoint, ipv6: boolean): void {
    if (endpoint.family !== 0) {
      const target = literal(endpoint, ipv6);
      this.#addresses = target === undefined ? [] : [target];
      this.#startLimit();
      queueMicrotask(() => this.#tryNext(endpoint, this.#noAddress("IPv6 is off")));
      return;
    }
    this.#lookUp = resolve(endpoint.host, ipv6, (error, found) => {
      this.#addresses = found;
      this.#startLimit();
      this.#tryNext(endpoint, this.#noAddress(error?.message ?? "", error));
    });
  }

  /** Starts the time limit. It does not run while a name is looked up, like in libzmq. */
  #startLimit(): void {
    const { connectTimeout } = this.#options;
    if (connectTimeout > 0) this.#limit = timer(connectTimeout, () => this.#fail(this.#timedOut()));
  }

  /** Goes on with the next address, or gives up with the error of the last. */
  #tryNext(endpoint: TcpEndpoint, error: ErrnoError): void {
    if (this.#isOver) return;
    const target = this.#addresses.shift();
    if (target === undefined) {
      this.#fail(error);
      return;
    }
    let source: Resolved | undefined;
    if (endpoint.source !== undefined) {
      source = sourceAddress(endpoint.source, target.family === 6);
      if (source === undefined) {
        this.#tryNext(endpoint, errnoError("ENODEV", endpoint.address));
        return;
      }
    }
    try {
      const socket = connect({
        ...known(target),
        port: endpoint.port,
        autoSelectFamily: false,
        // The proxy's answers are read as `data`.
        ...(this.#socks === undefined && onRead()),
        ...(source && { localAddress: source.address, localPort: endpoint.source?.port ?? 0 }),
      });
      this.#watch(socket, endpoint);
    } catch (thrown) {
      this.#tryNext(endpoint, systemError(thrown as NodeJS.ErrnoException, endpoint.address));
      return;
    }
    if (this.#addresses.length > 0) {
      this.#addressLimit = timer(CONNECT_ADDRESS_MS, () => this.#failAddress(endpoint, this.#timedOut()));
    }
  }

  #watch(socket: Socket, endpoint: TcpEndpoint | undefined): void {
    this.#socket = socket;
    const { address } = this.#endpoint;
    socket.unref();
    socket.once("connect", () => {
      if (this.#isOver || this.#socket !== socket) return;
      // An ephemeral port that is its own target: the kernel joins the socket to itself.
      if (endpoint !== undefined && isSelf(socket)) this.#failAddress(endpoint, errnoError("ECONNREFUSED", address));
      else if (this.#socks !== undefined) this.#negotiate(socket, this.#socks);
      else this.#succeed(socket);
    });
    const onError = (error: Error): void => {
      if (this.#isOver || this.#socket !== socket) return;
      const reason = systemError(error, address);
      if (endpoint === undefined) this.#fail(reason);
      else this.#failAddress(endpoint, reason);
    };
    // Stays while the socket is dropped, and ignores what it still reports.
    socket.on("error", onError);
    // The event comes by `process.nextTick`, which a test may fake; Node's hook for those who implement a stream is
    // called at once.
    socket._destroy = (error, callback) => {
      NetSocket.prototype._destroy.call(socket, error, callback);
      if (error !== null && isTickFaked()) queueMicrotask(() => onError(error));
    };
  }

  #negotiate(socket: Socket, socks: SocksHandshake): void {
    clearTimeout(this.#addressLimit);
    this.#addressLimit = timer(SOCKS_TIMEOUT_MS, () => this.#fail(this.#timedOut()));
    const onEnd = (): void => this.#fail(errnoError("ECONNRESET", this.#endpoint.address));
    const onData = (chunk: Buffer): void => {
      if (this.#isOver) return;
      try {
        const answer = socks.receive(chunk);
        if (answer !== undefined) socket.write(answer);
      } catch (error) {
        this.#fail(error as ErrnoError);
        return;
      }
      if (socks.rest === undefined) return;
      socket.off("data", onData).off("end", onEnd).pause();
      if (socks.rest.length > 0) socket.unshift(socks.rest);
      this.#succeed(socket);
    };
    socket.on("data", onData).on("end", onEnd);
    socket.write(socks.start());
  }

  #succeed(socket: Socket): void {
    this.#finish();
    this.#socket = undefined;
    socket.removeAllListeners("error");
    if (this.#endpoint.scheme === "tcp") tune(socket, this.#options);
    const path = this.#endpoint.scheme === "ipc" ? this.#endpoint.address : undefined;
    const stream = new NetStream(socket, undefined, path);
    stream.resume();
    this.#handler.onConnect(stream);
  }

  #failAddress(endpoint: TcpEndpoint, error: ErrnoError): void {
    clearTimeout(this.#addressLimit);
    this.#dropSocket();
    this.#tryNext(endpoint, error);
  }

  #fail(error: ErrnoError): void {
    if (this.#isOver) return;
    this.#finish();
    this.#dropSocket();
    this.#handler.onFail(error);
  }

  #finish(): void {
    this.#isOver = true;
    heldRequests.delete(this);
    this.#lookUp?.cancel();
    clearTimeout(this.#limit);
    clearTimeout(this.#addressLimit);
  }

  #dropSocket(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #timedOut(): ErrnoError {
    return errnoError("ETIMEDOUT", this.#endpoint.address);
  }

  #noAddress(reason: string, cause?: Error | null): ErrnoError {
    return errnoError("EHOSTUNREACH", this.#endpoint.address, `Host unreachable: ${reason}`, cause ?? undefined);
  }
}

/** The name that stands for an address which is known already: any text that is no address. */
const PEER = "peer";

/**
 * Gives `net.connect` the address. Node starts with a literal one in `process.nextTick`, which a test may fake, and
 * with a name at once when its own look-up answers at once.
 */
function known({ address, family }: Resolved): { host: string; lookup?: LookupFunction } {
  return IS_NODE
    ? { host: PEER, lookup: (_host, _options, answer) => answer(null, address, family) }
    : { host: address };
}

/** Finds the address to leave from: an interface's, a literal, or any. */
function sourceAddress(source: HostPort, ipv6: boolean): Resolved | undefined {
  return source.host === "*" || source.family !== 0 ? literal(source, ipv6) : interfaceAddress(source.host, ipv6);
}

function isSelf(socket: Socket): boolean {
  return socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress;
}

/**
 * The endpoints of a socket: those that it has bound or connected, and those that it has given up and that have
 * messages to deliver yet. The socket decides when something may be done with them.
 */

import { EMPTY } from "../base/bytes.ts";
import { ErrnoError, errnoError } from "../base/errors.ts";
import { clearTimeout, setTimeout } from "../loop/clock.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { Dialer } from "../session/dialer.ts";
import { Listener } from "../session/listener.ts";
import type { EndpointHolder, SessionSocket } from "../session/socket-side.ts";
import { type Endpoint, parseEndpoint } from "../transport/endpoint.ts";
import { InprocListener } from "../transport/inproc.ts";
import { InprocPipe, type InprocSocket } from "../transport/inproc-pipe.ts";
import { nodePath } from "../transport/ipc.ts";
import type { Pattern } from "./pattern.ts";

const { PUB, SUB, REQ, DEALER } = SOCKET_TYPES;

/** For these types, a second connect() to the same address changes nothing, as with libzmq. */
const CONNECTS_ONCE: ReadonlySet<number> = new Set([PUB, SUB, REQ, DEALER]);

/** The endpoints that reach a peer by a stream of octets, and those of the same process. */
type UsableEndpoint = Extract<Endpoint, { scheme: "tcp" | "ipc" | "inproc" }>;

/** The socket, as its endpoints see it. */
interface EndpointSocket extends SessionSocket, InprocSocket {
  readonly events: SessionSocket["events"];
  readonly socketType: number;
  readonly pattern: Pattern;
}

export class Endpoints {
  readonly #socket: EndpointSocket;
  readonly #onGone: () => void;
  /** The listener that a bind waits for. */
  #binding: Listener | undefined;
  readonly #bound = new Set<EndpointHolder>();
  readonly #connected = new Set<EndpointHolder>();
  /** Given up, but with messages to deliver yet. */
  readonly #leaving = new Set<EndpointHolder>();
  /** Routing ids that were given to connections. */
  readonly #givenIds = new Map<EndpointHolder, Buffer>();

  /** `onGone` is called whenever one is gone for good. */
  constructor(socket: EndpointSocket, onGone: () => void) {
    this.#socket = socket;
    this.#onGone = onGone;
  }

  /** True while something is bound or connected. */
  get any(): boolean {
    return this.#bound.size > 0 || this.#connected.size > 0;
  }

  /** True when nothing is left to do. */
  get isDone(): boolean {
    return !this.any && this.#leaving.size === 0;
  }

  async bind(address: string): Promise<void> {
    try {
      const endpoint = this.#parse(address, "bind");
      if (endpoint.scheme === "inproc") {
        this.#bindInproc(endpoint.address);
        return;
      }
      const listener = new Listener(this.#socket, this.#gone);
      this.#binding = listener;
      await listener.start(endpoint);
      this.#addBound(listener);
    } catch (error) {
      throw this.#bindFailed(error);
    } finally {
      this.#binding = undefined;
    }
  }

  /** The socket is to be closed: a bind that waits for an address rejects with EBADF. */
  giveUpBind(): void {
    this.#binding?.giveUp();
  }

  bindSync(address: string): void {
    try {
      const endpoint = this.#parse(address, "bind");
      if (endpoint.scheme === "inproc") {
        this.#bindInproc(endpoint.address);
        return;
      }
      const listener = new Listener(this.#socket, this.#gone);
      listener.startSync(endpoint);
      this.#addBound(listener);
    } catch (error) {
      throw this.#bindFailed(error);
    }
  }

  unbind(address: string): void {
    this.#giveUp(address, this.#bound, this.#connected);
  }

  connect(address: string, routingId: Buffer | undefined): void {
    const socket = this.#socket;
    const { options, pattern } = socket;
    const endpoint = this.#parse(address, "connect");
    const { connectRoutingId } = options;
    const id = routingId ?? (connectRoutingId.length > 0 ? connectRoutingId : undefined);
    // Whatever is wrong is found before anything changes.
    const dialer = endpoint.scheme === "inproc" ? undefined : new Dialer(socket, endpoint, id, this.#gone);
    if (id !== undefined) pattern.reserve(id);
    options.lastEndpoint = address;
    if (CONNECTS_ONCE.has(socket.socketType)) {
      for (const holder of this.#connected) if (holder.address === address) return;
    }
    if (routingId === undefined) options.connectRoutingId = EMPTY;
    const holder = dialer ?? socket.context.names.connect(address, socket, id, this.#gone);
    if (holder instanceof InprocPipe && holder.isEnded) {
      if (id !== undefined) pattern.release(id);
      return;
    }
    if (id !== undefined) this.#givenIds.set(holder, id);
    this.#connected.add(holder);
    dialer?.start();
  }

  disconnect(address: string): void {
    this.#giveUp(address, this.#connected, this.#bound);
  }

  /** Gives up all; unsent messages are delivered within the linger time. */
  close(): void {
    for (const holder of [...this.#bound, ...this.#connected]) this.#leave(holder);
    for (const holder of [...this.#leaving]) if (holder instanceof InprocListener) holder.close();
  }

  /** True while messages wait that no kernel has taken. */
  get hasUnsent(): boolean {
    for (const holder of this.#connected) if (holder.hasUnsent) return true;
    for (const holder of this.#bound) if (holder.hasUnsent) return true;
    for (const holder of this.#leaving) if (holder.hasUnsent) return true;
    return false;
  }

  /** Offers what waits to the kernel, now. */
  flush(): void {
    for (const holder of this.#connected) holder.flush();
    for (const holder of this.#bound) holder.flush();
    for (const holder of this.#leaving) holder.flush();
  }

  /** Visits the pipes of all that is bound or connected. */
  eachPipe(visit: (pipe: Pipe) => void): void {
    for (const holder of this.#bound) holder.eachPipe(visit);
    for (const holder of this.#connected) holder.eachPipe(visit);
  }

  #parse(address: string, use: "bind" | "connect"): UsableEndpoint {
    const endpoint = parseEndpoint(address, use);
    // A name that can never work here is no peer that may come up.
    if (endpoint.scheme === "ipc") nodePath(endpoint);
    if (endpoint.scheme === "udp") throw errnoError("ENOCOMPATPROTO", address);
    if (endpoint.scheme === "ws") throw errnoError("EPROTONOSUPPORT", address);
    return endpoint;
  }

  #bindInproc(address: string): void {
    this.#bound.add(this.#socket.context.names.bind(address, this.#socket, this.#gone));
    this.#socket.options.lastEndpoint = address;
  }

  #addBound(listener: Listener): void {
    this.#bound.add(listener);
    this.#socket.options.lastEndpoint = listener.address;
  }

  /** The event names the address without its scheme, and there is none of inproc, as with libzmq. */
  #bindFailed(error: unknown): unknown {
    if (this.#socket.events.active && error instanceof ErrnoError) {
      const [, address] = /^(?:tcp|ipc):\/\/(.*)$/s.exec(error.address ?? "") ?? [];
      if (address !== undefined) this.#socket.events.emit({ type: "bind:error", address, error });
    }
    return error;
  }

  /**
   * Ends every endpoint of this address, of the first kind or else of the second: libzmq has one call for both.
   * @throws ErrnoError ENOENT, or what is wrong with the address
   */
  #giveUp(address: string, first: Set<EndpointHolder>, second: Set<EndpointHolder>): void {
    const isNamed = (holder: EndpointHolder): boolean => holder.address === address;
    let found = [...first].filter(isNamed);
    if (found.length === 0) found = [...second].filter(isNamed);
    if (found.length === 0) {
      parseEndpoint(address, "bind");
      throw errnoError("ENOENT", address);
    }
    for (const holder of found) {
      if (holder instanceof InprocListener) {
        this.#bound.delete(holder);
        this.#leaving.add(holder);
        holder.release();
      } else {
        this.#leave(holder);
      }
    }
  }

  #leave(holder: EndpointHolder): void {
    this.#bound.delete(holder);
    this.#connected.delete(holder);
    this.#leaving.add(holder);
    this.#releaseId(holder);
    const { linger } = this.#socket.options;
    holder.close(linger);
    if (holder instanceof InprocPipe && holder.hasEarly && linger > 0) this.#cutLater(holder, linger);
  }

  /** Ends the wait of messages for a name to be bound. */
  #cutLater(pipe: InprocPipe, milliseconds: number): void {
    const timer = setTimeout(() => pipe.close(0), milliseconds).unref();
    pipe.onEnd = () => {
      clearTimeout(timer);
      this.#gone(pipe);
    };
  }

  readonly #gone = (holder: EndpointHolder): void => {
    this.#bound.delete(holder);
    this.#connected.delete(holder);
    this.#leaving.delete(holder);
    this.#releaseId(holder);
    this.#onGone();
  };

  #releaseId(holder: EndpointHolder): void {
    const id = this.#givenIds.get(holder);
    if (id === undefined) return;
    this.#givenIds.delete(holder);
    this.#socket.pattern.release(id);
  }
}

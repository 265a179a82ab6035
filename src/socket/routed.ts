/**
 * The common part of ROUTER and STREAM: peers known by an id, which is the first frame of every message and may be
 * given to `connect`.
 */
import { ownCopy, randomUint32, viewOctets } from "../base/bytes.ts";
import { type ErrorCode, errnoError, invalid } from "../base/errors.ts";
import { ROUTING_ID_BYTES } from "../codec/peer-facts.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { RouteTable, sameOctets } from "../routing/route-table.ts";
import { ReceivingPattern } from "./pattern.ts";
import { coreOf, type Socket } from "./socket.ts";

export abstract class RoutedPattern extends ReceivingPattern {
  protected readonly routes: RouteTable<Pipe> = new RouteTable<Pipe>(randomUint32());
  /** Ids that the program gave to its connections, whether or not there is a pipe now. */
  readonly #given = new Set<string>();
  #fault: ErrorCode = "EAGAIN";
  /** The peer that a send waits for. */
  #awaited: Pipe | undefined;

  override receive(): Buffer[] | undefined {
    const frames = super.receive();
    if (frames !== undefined) frames.unshift(labelOf(this.last as Pipe));
    return frames;
  }

  /** Messages get their sender's id on the way out of the queue, so all go through it. */
  override deliver(): boolean {
    return false;
  }

  override get canSend(): boolean {
    for (const pipe of this.routes.values()) {
      if (!pipe.full) return true;
      pipe.writerWaits = true;
    }
    return false;
  }

  override get sendFault(): ErrorCode {
    return this.#fault;
  }

  /** Nobody has the id. Only while there is no peer at all may it be the first one's. */
  override get sendRefusal(): ErrorCode | undefined {
    return this.#fault === "EHOSTUNREACH" && this.routes.size > 0 ? this.#fault : undefined;
  }

  /** @throws ErrnoError EADDRINUSE when another peer has the id */
  override reserve(id: Buffer): void {
    if (this.routes.has(id) || this.isGiven(id)) throw errnoError("EADDRINUSE", undefined, "Routing id is in use");
    this.#given.add(id.toString("latin1"));
  }

  override release(id: Buffer): void {
    this.#given.delete(id.toString("latin1"));
  }

  protected isGiven(id: Buffer): boolean {
    return this.#given.has(id.toString("latin1"));
  }

  override writable(): void {
    this.socket.wakeSender();
  }

  override ended(pipe: Pipe): void {
    super.ended(pipe);
    this.routes.remove(pipe.routingId, pipe);
    if (this.#awaited !== pipe) return;
    this.#awaited = undefined;
    this.socket.rejectSender("EHOSTUNREACH");
  }

  /** The pipe can be written under its id from now on. */
  protected route(pipe: Pipe): void {
    this.routes.add(pipe.routingId, pipe);
    this.socket.wakeSender();
  }

  /** The pipe of an id, when it has room for a message now; otherwise the fault is set and it is waited for. */
  protected ready(id: Uint8Array): Pipe | undefined {
    const pipe = this.routes.get(id);
    this.#awaited = undefined;
    if (pipe === undefined) {
      this.#fault = "EHOSTUNREACH";
      return undefined;
    }
    if (!pipe.full) return pipe;
    this.#fault = "EAGAIN";
    pipe.writerWaits = true;
    this.#awaited = pipe;
    return undefined;
  }
}

/**
 * The id in front of a message. The program may change what it received: the one by which the peer is found is not
 * among it.
 */
function labelOf(pipe: Pipe): Buffer {
  if (!sameOctets(pipe.label, pipe.routingId)) pipe.label = ownCopy(pipe.routingId);
  return pipe.label;
}

/** Options of `connect` where peers are known by an id. */
export interface RoutedConnectOptions {
  /** The id that this socket knows the peer by: 1 to 255 octets. */
  routingId?: string | Buffer;
}

/** The same, as a program declares it that is to run with the original too. */
export interface NamedConnectOptions {
  /** The id that this socket knows the peer by: 1 to 255 octets. */
  routingId?: string;
}

/** `connect` with an id for the peer. */
export function connectWithId(
  socket: Socket,
  given: ArrayLike<unknown>,
  address: string,
  options: RoutedConnectOptions = {},
): void {
  if (given.length < 1 || given.length > 2) throw new TypeError(`Expected 1 argument but received ${given.length}`);
  if (typeof address !== "string") throw new TypeError("Address must be a string");
  if (typeof options !== "object" || options === null) throw new TypeError("Options must be an object");
  coreOf(socket).connect(address, options.routingId == null ? undefined : toRoutingId(options.routingId));
}

function toRoutingId(id: unknown): Buffer {
  const given = typeof id === "string" ? id : viewOctets(id);
  if (given === undefined) throw new TypeError("Routing id must be a string or buffer");
  const octets = Buffer.from(given as string);
  if (octets.length < 1 || octets.length > ROUTING_ID_BYTES) {
    throw invalid(`routingId takes 1 to ${ROUTING_ID_BYTES} octets, not ${octets.length}`);
  }
  return octets;
}

/**
 * ROUTER: messages to the peer that their first frame names, messages in fairly, with the sender's id put before
 * (RFC 28). A peer's id is what it announced, or the one given to `connect`, or a generated one.
 *
 * Without `mandatory` what cannot be delivered is dropped. With it, an unknown peer is EHOSTUNREACH and a full one is
 * waited for. A second peer that announces an id in use is refused (libzmq would leave it connected and mute), unless
 * `handover` gives it the id and ends the first, or the first is an endpoint of which the peer is gone. Ids that were
 * generated, ever, or given to `connect` are open to no announcement: whoever took one would take another's messages.
 */
import { EMPTY } from "../base/bytes.ts";
import { MESSAGE_FRAMES } from "../base/constants.ts";
import { errnoError } from "../base/errors.ts";
import type { RouterOptions } from "../options/public.ts";
import { SOCKET_TYPES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { DuplexSocket } from "./duplex.ts";
import { connectWithId, type RoutedConnectOptions, RoutedPattern } from "./routed.ts";
import { defineType, type SocketOptions } from "./socket.ts";

/** Bits of the option `routerNotify`. */
const NOTIFY_CONNECT = 1;
const NOTIFY_DISCONNECT = 2;

class RouterPattern extends RoutedPattern {
  override readonly knowsPeers: boolean = true;

  /** The id is not sent. */
  override get frameLimit(): number {
    return MESSAGE_FRAMES + 1;
  }

  override send(frames: Uint8Array[]): boolean {
    // An id alone is no message.
    if (frames.length === 1) return true;
    const id = frames[0];
    let pipe: Pipe | undefined;
    if (this.socket.options.mandatory) {
      pipe = this.ready(id);
      if (pipe === undefined) return false;
    } else {
      pipe = this.routes.get(id);
      if (pipe === undefined || pipe.overflows) return true;
    }
    pipe.write(frames.slice(1));
    return true;
  }

  override get canSend(): boolean {
    return !this.socket.options.mandatory || super.canSend;
  }

  override attach(pipe: Pipe): void {
    if (pipe.routingId.length > 0) this.route(pipe);
    if (this.socket.options.probeRouter) pipe.write([EMPTY]);
  }

  override connected(pipe: Pipe): void {
    if (!this.#isRouted(pipe) && !this.#name(pipe)) return;
    const { helloMessage, routerNotify } = this.socket.options;
    if (helloMessage.length > 0) pipe.writeFirst([Buffer.from(helloMessage)]);
    if (routerNotify & NOTIFY_CONNECT) pipe.push([EMPTY]);
  }

  override disconnected(pipe: Pipe): void {
    // One without a name was refused, or is somewhere else by now.
    if (pipe.routingId.length === 0 || (pipe.hasOwnId && !this.#isRouted(pipe))) return;
    const { routerNotify, disconnectMessage } = this.socket.options;
    if (routerNotify & NOTIFY_DISCONNECT) pipe.push([EMPTY]);
    if (disconnectMessage.length > 0 && !pipe.isOutgoing) pipe.push([Buffer.from(disconnectMessage)]);
  }

  /** True when messages for its id go to this pipe. */
  #isRouted(pipe: Pipe): boolean {
    return this.routes.get(pipe.routingId) === pipe;
  }

  /** Gives a new peer its id. False: the peer was refused. */
  #name(pipe: Pipe): boolean {
    const { routingId } = pipe.peer;
    if (routingId.length === 0) {
      pipe.routingId = this.routes.generate();
    } else {
      const holder = this.routes.get(routingId);
      if (!this.#isOpen(routingId, holder)) {
        pipe.refuse(errnoError("EADDRINUSE", undefined, "Routing id is in use by another peer"));
        return false;
      }
      pipe.routingId = routingId;
      pipe.hasOwnId = true;
      if (holder !== undefined) {
        this.#handOver(holder, pipe);
        return true;
      }
    }
    this.route(pipe);
    return true;
  }

  /** True when a peer that announces an id may have it. */
  #isOpen(id: Buffer, holder: Pipe | undefined): boolean {
    if (holder === undefined) return !(this.routes.wasGenerated(id) || this.isGiven(id));
    return holder.hasOwnId && (this.socket.options.handover || !holder.isConnected);
  }

  /**
   * An endpoint of which the peer is gone gives up what waits for it, and goes on without a name. A peer that is there
   * ends: what it has sent can still be read, under an id that answers nobody. A send that waits for the id goes to the
   * new one.
   */
  #handOver(holder: Pipe, pipe: Pipe): void {
    this.routes.remove(holder.routingId, holder);
    if (holder.isConnected) {
      holder.routingId = this.routes.generate();
      holder.hasOwnId = false;
    } else {
      holder.moveUnsent(pipe);
    }
    this.route(pipe);
    if (holder.isConnected) holder.finish();
  }
}

export interface Router extends RouterOptions {}

/**
 * Talks to each peer by its id: a received message has the sender's id as first frame, and a message goes to the peer
 * that its first frame names.
 */
export class Router extends DuplexSocket {
  constructor(options?: SocketOptions<Router>) {
    super(SOCKET_TYPES.ROUTER, options);
  }

  /**
   * Connects; with `routingId`, 1 to 255 octets, the peer is known by that at once (ZMQ_CONNECT_ROUTING_ID).
   * @throws ErrnoError EINVAL, EPROTONOSUPPORT, EADDRINUSE for an id that another peer has
   */
  override connect(address: string, options?: RoutedConnectOptions): void {
    connectWithId(this, arguments, address, options);
  }
}

defineType(Router, SOCKET_TYPES.ROUTER, (socket) => new RouterPattern(socket));

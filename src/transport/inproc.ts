/**
 * inproc: the names of a context, and the pairs of pipes that join its sockets through them.
 *
 * Facts kept from libzmq: names are compared verbatim; connect may come before bind, and until then the dialer's own
 * send high-water mark holds; together the limit is the sum of both marks; there is no handshake and no event; when
 * either end closes, the pair is gone for good. Bodies above 128 octets are shared, if their memory can be, smaller
 * ones copied; a message whose memory was transferred before it was received is lost, which the sender is told.
 *
 * Other than in libzmq, sockets whose types do not fit are not joined: both ends are told, and the connection has
 * ended.
 */

import { errnoError } from "../base/errors.ts";
import { protocolEventError } from "../base/events.ts";
import type { PeerFacts } from "../codec/peer-facts.ts";
import { mayTalk, mismatch } from "../connection/compatibility.ts";
import { INCOMPATIBLE_CODE } from "../connection/failure.ts";
import { Answers } from "../loop/answers.ts";
import { SOCKET_TYPE_NAMES } from "../options/values.ts";
import type { Pipe } from "../pipe/pipe.ts";
import { type EarlyNames, InprocPipe, type InprocSocket } from "./inproc-pipe.ts";

/** The names of one context. */
export class InprocNames implements EarlyNames {
  readonly answers: Answers = new Answers();
  readonly #bound = new Map<string, InprocListener>();
  readonly #early = new Map<string, Set<InprocPipe>>();

  /** @throws ErrnoError EADDRINUSE */
  bind(address: string, socket: InprocSocket, onClosed: (listener: InprocListener) => void): InprocListener {
    if (this.#bound.has(address)) throw errnoError("EADDRINUSE", address);
    const listener = new InprocListener(this, address, socket, onClosed);
    this.#bound.set(address, listener);
    const early = this.#early.get(address);
    this.#early.delete(address);
    if (early !== undefined) for (const pipe of early) listener.accept(pipe);
    return listener;
  }

  /** Connects to a name that may not be bound yet. */
  connect(
    address: string,
    socket: InprocSocket,
    routingId: Buffer | undefined,
    onEnd?: (pipe: InprocPipe) => void,
  ): InprocPipe {
    const pipe = new InprocPipe(this, address, socket, true, socket.facts(), socket.limits.conflate);
    if (onEnd !== undefined) pipe.onEnd = () => onEnd(pipe);
    if (routingId !== undefined) pipe.routingId = routingId;
    socket.pattern.attach(pipe);
    const listener = this.#bound.get(address);
    if (listener !== undefined) {
      listener.accept(pipe);
      return pipe;
    }
    const early = this.#early.get(address);
    if (early === undefined) this.#early.set(address, new Set([pipe]));
    else early.add(pipe);
    return pipe;
  }

  /** True while somebody is bound to the name. */
  has(address: string): boolean {
    return this.#bound.has(address);
  }

  unbind(listener: InprocListener): void {
    if (this.#bound.get(listener.address) === listener) this.#bound.delete(listener.address);
  }

  forget(pipe: InprocPipe): void {
    const early = this.#early.get(pipe.address);
    if (early?.delete(pipe) && early.size === 0) this.#early.delete(pipe.address);
  }
}

/** A bound name and the pairs that came through it. */
export class InprocListener {
  readonly address: string;
  readonly #names: InprocNames;
  readonly #socket: InprocSocket;
  /** As they stood when the name was bound: what is set later holds for later calls. */
  readonly #facts: PeerFacts;
  readonly #conflates: boolean;
  readonly #pipes = new Set<InprocPipe>();
  readonly #onClosed: (listener: InprocListener) => void;
  readonly hasUnsent = false;
  #isReleased = false;

  constructor(names: InprocNames, address: string, socket: InprocSocket, onClosed: (listener: InprocListener) => void) {
    this.#names = names;
    this.address = address;
    this.#socket = socket;
    this.#facts = socket.facts();
    this.#conflates = socket.limits.conflate;
    this.#onClosed = onClosed;
  }

  /** Makes this side's end for a dialer's pipe, or ends that. */
  accept(far: InprocPipe): void {
    if (this.#refuses(far.socket)) {
      far.close();
      return;
    }
    const near = new InprocPipe(this.#names, this.address, this.#socket, false, this.#facts, this.#conflates);
    near.onEnd = () => {
      this.#pipes.delete(near);
      this.#closedIfEmpty();
    };
    this.#pipes.add(near);
    near.join(far);
    this.#socket.pattern.attach(near);
    far.joined();
    near.joined();
  }

  flush(): void {
    // Nothing waits here.
  }

  eachPipe(visit: (pipe: Pipe) => void): void {
    for (const pipe of this.#pipes) visit(pipe);
  }

  /** Gives up the name. The pairs that came through it go on, other than over tcp. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#names.unbind(this);
    this.#closedIfEmpty();
  }

  close(): void {
    this.release();
    for (const pipe of [...this.#pipes]) pipe.close();
  }

  /** True when the types do not fit, which both ends are told: each would have refused the other. */
  #refuses(far: InprocSocket): boolean {
    const near = this.#socket;
    if (near.socketType === undefined || far.socketType === undefined) return false;
    if (mayTalk(near.socketType, SOCKET_TYPE_NAMES[far.socketType])) return false;
    this.#tell(near, near.socketType, far.socketType);
    this.#tell(far, far.socketType, near.socketType);
    return true;
  }

  #tell({ events }: InprocSocket, own: number, peer: number): void {
    if (!events?.active) return;
    const error = protocolEventError(INCOMPATIBLE_CODE, mismatch(own, SOCKET_TYPE_NAMES[peer]));
    events.emit({ type: "handshake:error:protocol", address: this.address, error });
  }

  #closedIfEmpty(): void {
    if (this.#isReleased && this.#pipes.size === 0) this.#onClosed(this);
  }
}

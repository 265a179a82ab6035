/**
 * A listener keeps one `bind()`: it listens, runs a session for each peer that comes, and gives a peer a pipe when its
 * handshake is done. Messages that wait for a peer that leaves are dropped; those from it can still be read.
 */

import type { ErrnoError } from "../base/errors.ts";
import type { PeerFacts } from "../codec/peer-facts.ts";
import { clearTimeout, setTimeout } from "../loop/clock.ts";
import type { MechanismFactory } from "../mechanism/mechanism.ts";
import { type OptionValues, snapshot } from "../options/values.ts";
import type { NetPipe } from "../pipe/net-pipe.ts";
import type { Pipe } from "../pipe/pipe.ts";
import type { IpcEndpoint, TcpEndpoint } from "../transport/endpoint.ts";
import { type ListenHandler, listen, listenSync, type NetServer } from "../transport/listen.ts";
import type { NetStream } from "../transport/net-stream.ts";
import { Session, type SessionOwner } from "./session.ts";
import type { EndpointHolder, SessionSocket } from "./socket-side.ts";
import { curveOf } from "./zap-client.ts";

const EVERY_INTERFACE = /^tcp:\/\/(?:0\.0\.0\.0|\[::\]):/;

export class Listener implements SessionOwner, ListenHandler, EndpointHolder {
  /** The endpoint with its real host and port. */
  address = "";
  readonly #socket: SessionSocket;
  /** The socket's options as they stood at the call; changes hold for later calls. */
  readonly options: OptionValues;
  readonly curve: MechanismFactory | undefined;
  readonly #onClosed: (holder: EndpointHolder) => void;
  /** Sessions with their pipes; those in the handshake have none. */
  readonly #sessions = new Map<Session, NetPipe | undefined>();
  #server: NetServer | undefined;
  #lingerTimer: NodeJS.Timeout | undefined;
  #giveUp: () => void = () => {};
  #isClosing = false;
  #isClosed = false;

  constructor(socket: SessionSocket, onClosed: (holder: EndpointHolder) => void) {
    this.#socket = socket;
    this.options = snapshot(socket.options);
    this.curve = curveOf(this.options);
    this.#onClosed = onClosed;
  }

  /** Listens; rejects with the error of `listen`. */
  async start(endpoint: TcpEndpoint | IpcEndpoint): Promise<void> {
    this.#started(
      await listen(endpoint, this.options, this, (giveUp) => {
        this.#giveUp = giveUp;
      }),
    );
  }

  /** Gives up a start that waits for an address, since the socket is to be closed: it rejects with EBADF. */
  giveUp(): void {
    this.#giveUp();
  }

  /** Listens at once. */
  startSync(endpoint: TcpEndpoint | IpcEndpoint): void {
    this.#started(listenSync(endpoint, this.options, this));
  }

  eachPipe(visit: (pipe: Pipe) => void): void {
    for (const pipe of this.#sessions.values()) if (pipe !== undefined) visit(pipe);
  }

  get hasUnsent(): boolean {
    for (const pipe of this.#sessions.values()) if (pipe !== undefined && !pipe.outbox.idle) return true;
    return false;
  }

  /** Offers what waits to the kernel, now. */
  flush(): void {
    for (const session of this.#sessions.keys()) session.flush();
  }

  /**
   * Stops listening and ends every connection accepted here, those with unsent messages within `linger` milliseconds.
   */
  close(linger: number): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#server?.close();
    const { events } = this.#socket;
    if (this.#server !== undefined && events.active) events.emit({ type: "close", address: this.address });
    for (const [session, pipe] of [...this.#sessions]) {
      if (pipe !== undefined) {
        this.#socket.endPipe(pipe, false);
        session.flush();
      }
      if (pipe === undefined || linger === 0) session.destroy();
      else session.close();
    }
    if (linger > 0 && this.#sessions.size > 0)
      this.#lingerTimer = setTimeout(() => this.#destroySessions(), linger).unref();
    this.#closedIfEmpty();
  }

  // Called by the server.

  onStream(stream: NetStream): void {
    if (this.#isClosing) {
      stream.destroy();
      return;
    }
    // The kernel is asked only where it knows more.
    const address = EVERY_INTERFACE.test(this.address) ? stream.localAddress : this.address;
    const { events } = this.#socket;
    if (events.active) events.emit({ type: "accept", address });
    const session = new Session(this.#socket, this, stream, address);
    this.#sessions.set(session, undefined);
    session.start();
    const { refusal } = this.#socket.pattern;
    if (refusal !== undefined) session.refuse(refusal);
  }

  onError(error: ErrnoError): void {
    const { events } = this.#socket;
    if (events.active) events.emit({ type: "accept:error", address: this.address, error });
  }

  // Called by a session.

  ready(session: Session, peer: PeerFacts): NetPipe | undefined {
    if (this.#isClosing) return undefined;
    const pipe = this.#socket.createPipe(session, this.options);
    pipe.peer = peer;
    this.#sessions.set(session, pipe);
    this.#socket.pattern.attach(pipe);
    return pipe;
  }

  closeSession(session: Session): void {
    session.close();
  }

  ended(session: Session): void {
    const pipe = this.#sessions.get(session);
    this.#sessions.delete(session);
    if (pipe?.isConnected) {
      pipe.isConnected = false;
      pipe.dropUnsent();
      if (!pipe.isEnded) this.#socket.pattern.disconnected(pipe);
      this.#socket.endPipe(pipe, false);
    }
    if (this.#isClosing) this.#closedIfEmpty();
  }

  #started(server: NetServer): void {
    this.#server = server;
    this.address = server.address;
    if (this.#isClosing) server.close();
    const { events } = this.#socket;
    if (events.active) events.emit({ type: "bind", address: this.address });
  }

  #destroySessions(): void {
    for (const session of [...this.#sessions.keys()]) session.destroy();
  }

  #closedIfEmpty(): void {
    if (this.#sessions.size > 0 || this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#lingerTimer);
    this.#onClosed(this);
  }
}

/**
 * Both ends of a connection for tests: a NetStream on this side, a bare `net.Socket` as the peer.
 */
import { readdirSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { ConnectOptions } from "../../src/transport/connect.ts";
import type { ListenOptions } from "../../src/transport/listen.ts";
import { NetStream, type StreamHandler } from "../../src/transport/net-stream.ts";

/** Default option values, with changes. */
export function optionsWith(changes: Partial<ListenOptions & ConnectOptions> = {}): ListenOptions & ConnectOptions {
  return {
    ipv6: false,
    backlog: 100,
    connectTimeout: 0,
    tcpKeepalive: -1,
    tcpKeepaliveIdle: -1,
    tcpAcceptFilter: [],
    socksProxy: "",
    socksUsername: "",
    socksPassword: "",
    ...changes,
  };
}

/** Notes every call. */
export class Log implements StreamHandler {
  readonly chunks: Buffer[] = [];
  readonly calls: string[] = [];
  error: Error | undefined;
  readonly ended: Promise<void>;
  #end: () => void = () => {};
  #wake: () => void = () => {};

  constructor() {
    this.ended = new Promise((fulfil) => {
      this.#end = fulfil;
    });
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString("latin1");
  }

  get length(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  onData(chunk: Buffer): void {
    this.chunks.push(chunk);
    if (this.calls.at(-1) !== "data") this.calls.push("data");
    this.#wake();
  }

  onFlushed(): void {
    this.calls.push("flushed");
    this.#wake();
  }

  onEnd(error?: Error): void {
    this.calls.push("end");
    this.error = error;
    this.#end();
    this.#wake();
  }

  /** Waits until something that the handler is told makes `condition` true. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((fulfil) => {
        this.#wake = fulfil;
      });
    }
  }
}

export interface Pair {
  stream: NetStream;
  log: Log;
  peer: Socket;
  /** What `stream` wraps. */
  socket: Socket;
}

/**
 * A stream that was accepted, and the peer that connected; the peer has no listeners but one for errors, and is paused.
 */
export async function pair(): Promise<Pair> {
  const server = createServer();
  await new Promise<void>((fulfil) => server.listen(0, "127.0.0.1", fulfil));
  const accepted = new Promise<Socket>((fulfil) => server.once("connection", fulfil));
  const peer = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  peer.on("error", () => {});
  const log = new Log();
  if (peer.connecting) await new Promise((fulfil) => peer.once("connect", fulfil));
  const socket = await accepted;
  const stream = new NetStream(socket, log);
  server.close();
  return { stream, log, peer, socket };
}

/** Resets the connection; Node below 18.3 can only close it. */
export function reset(peer: Socket): void {
  if (canReset(peer)) peer.resetAndDestroy();
  else peer.destroy();
}

export function canReset(peer: Socket): boolean {
  return typeof (peer as { resetAndDestroy?: unknown }).resetAndDestroy === "function";
}

/** Open descriptors of this process; -1 where that cannot be told. */
export function descriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return -1;
  }
}

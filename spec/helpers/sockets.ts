/** What tests of sockets share: sockets that are closed when their test ends, addresses, and errors as they come. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Socket } from "../../src/index.ts";
import type { Suite } from "./test.ts";

export const TRANSPORTS = ["tcp", "ipc", "inproc"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** The sockets and the folder of one suite. */
export class Sockets {
  readonly #open = new Set<Socket>();
  #folder: string | undefined;
  #names = 0;

  constructor(it: Suite) {
    it.afterEach(() => this.closeAll());
    it.after(() => {
      if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  /** Closes the socket when the test ends. */
  own<S extends Socket>(socket: S): S {
    this.#open.add(socket);
    return socket;
  }

  closeAll(): void {
    for (const socket of this.#open) {
      if (socket.closed) continue;
      socket.linger = 0;
      socket.close();
    }
    this.#open.clear();
  }

  /** An address to bind that nobody has. */
  address(transport: Transport): string {
    if (transport === "tcp") return "tcp://127.0.0.1:*";
    this.#names++;
    if (transport === "inproc") return `inproc://${this.#names}`;
    this.#folder ??= mkdtempSync(path.join(tmpdir(), "zmtp-"));
    return `ipc://${path.join(this.#folder, String(this.#names))}`;
  }

  /** Binds, and returns what peers connect to. */
  async bound(socket: Socket, transport: Transport = "inproc"): Promise<string> {
    await socket.bind(this.address(transport));
    return socket.lastEndpoint as string;
  }

  /** Binds one and connects the other. */
  async join(binding: Socket, connecting: Socket, transport: Transport = "inproc"): Promise<string> {
    const address = await this.bound(binding, transport);
    connecting.connect(address);
    return address;
  }
}

/** What an error says, in a form to compare. */
export interface Told {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
  readonly address: string | undefined;
}

function told(error: unknown): Told {
  const { name, code, message, address } = error as Told;
  return { name, code, message, address };
}

/** What `body` throws. */
export function thrown(body: () => unknown): Told {
  try {
    body();
  } catch (error) {
    return told(error);
  }
  throw new Error("nothing was thrown");
}

/** What the promise that `body` returns rejects with; that `body` itself throws is an error of the test. */
export async function rejected(body: () => Promise<unknown>): Promise<Told> {
  const promise = body();
  try {
    await promise;
  } catch (error) {
    return told(error);
  }
  throw new Error("nothing was rejected");
}

/** A received message as text, frame by frame. */
export const texts = (frames: readonly Buffer[]): string[] => frames.map(String);

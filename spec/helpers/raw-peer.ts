/**
 * A peer without a library: a bare socket that speaks ZMTP octet by octet, so that a test decides what is sent, what is
 * read, and when the connection dies.
 *
 *   const server = await RawServer.listen();            const peer = await RawPeer.connect(push.lastEndpoint);
 *   const peer = await server.accept();                 await peer.handshake("PULL");
 *   await peer.handshake("PULL");                       assert.equal(await peer.message(), ["hello"]);
 */
import { type AddressInfo, createServer, type Server, Socket } from "node:net";
import { GREETING_NULL, READY } from "../vectors/zmtp.ts";

/** A frame as it stood on the wire. */
export interface RawFrame {
  flags: number;
  body: Buffer;
}

export const GREETING: Buffer = octets(GREETING_NULL);

/** Hexadecimal text, with blanks, to octets. */
export function octets(hex: string): Buffer {
  return Buffer.from(hex.replace(/\s+/g, ""), "hex");
}

export const FLAG_MORE = 1;
const FLAG_LONG = 2;
export const FLAG_COMMAND = 4;

/** A frame as short as it can be said. */
export function frame(flags: number, body: Buffer | string): Buffer {
  const octets = Buffer.from(body as string);
  if (octets.length < 256) return Buffer.concat([Buffer.of(flags, octets.length), octets]);
  const head = Buffer.alloc(9);
  head[0] = flags | FLAG_LONG;
  head.writeBigUInt64BE(BigInt(octets.length), 1);
  return Buffer.concat([head, octets]);
}

/** Properties, as READY and a ZAP handler's metadata have them. */
export function properties(...pairs: [string, Buffer | string][]): Buffer {
  const parts = pairs.flatMap(([name, value]) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(Buffer.byteLength(value));
    return [Buffer.of(name.length), Buffer.from(name), size, Buffer.from(value as string)];
  });
  return Buffer.concat(parts);
}

/** A message as canonical frames. */
export function message(...frames: (string | Buffer)[]): Buffer {
  const last = frames.length - 1;
  return Buffer.concat(frames.map((body, i) => frame(i < last ? FLAG_MORE : 0, body)));
}

/** A command as a frame. */
export function command(name: string, data: Buffer | string = ""): Buffer {
  return frame(FLAG_COMMAND, Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.from(data as string)]));
}

export class RawPeer {
  readonly socket: Socket;
  /** Commands that came between messages, as text. */
  readonly commands: string[] = [];
  /** Settles when the connection is gone, by whomever. */
  readonly closed: Promise<void>;
  isClosed = false;
  #chunks: Buffer[] = [];
  #length = 0;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    this.closed = new Promise((fulfil) => {
      const gone = (): void => {
        this.isClosed = true;
        socket.destroy();
        this.#wake();
        fulfil();
      };
      socket.on("end", gone).on("close", gone);
    });
  }

  /** Connects to `tcp://host:port` or `ipc://path`. */
  static async connect(address: string | null): Promise<RawPeer> {
    const socket = new Socket();
    const peer = new RawPeer(socket);
    const text = String(address);
    const at = text.lastIndexOf(":");
    await new Promise<void>((fulfil, reject) => {
      socket.once("connect", fulfil).once("error", reject);
      if (text.startsWith("ipc://")) socket.connect(text.slice(6));
      else socket.connect(Number(text.slice(at + 1)), "127.0.0.1");
    });
    return peer;
  }

  write(...parts: Buffer[]): void {
    this.socket.write(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  }

  /** Octets that came in and were not read. */
  get available(): number {
    return this.#length;
  }

  /** The next `count` octets. @throws when the connection ends before they are there */
  async read(count: number): Promise<Buffer> {
    while (this.#length < count) {
      if (this.isClosed) throw new Error(`the connection ended, ${count - this.#length} octets short`);
      await new Promise<void>((fulfil) => {
        this.#wake = fulfil;
      });
    }
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = all.length > count ? [all.subarray(count)] : [];
    this.#length -= count;
    return all.subarray(0, count);
  }

  /** The next frame, of whatever kind. */
  async frame(): Promise<RawFrame> {
    const [flags] = await this.read(1);
    const size = (flags & FLAG_LONG) === 0 ? (await this.read(1))[0] : Number((await this.read(8)).readBigUInt64BE());
    return { flags, body: size === 0 ? Buffer.alloc(0) : await this.read(size) };
  }

  /** The next message, as text; commands on the way are noted. */
  async message(): Promise<string[]> {
    const frames: string[] = [];
    for (;;) {
      const { flags, body } = await this.frame();
      if ((flags & FLAG_COMMAND) !== 0) {
        this.commands.push(body.toString("latin1", 1));
        continue;
      }
      frames.push(body.toString());
      if ((flags & FLAG_MORE) === 0) return frames;
    }
  }

  /** The next command, as text without its length octet. @throws when a message comes first */
  async command(): Promise<string> {
    const { flags, body } = await this.frame();
    if ((flags & FLAG_COMMAND) === 0) throw new Error(`a message: ${body}`);
    return body.toString("latin1", 1);
  }

  /**
   * Plays greeting and READY (NULL) as a peer of that type, which may announce a routing id; gives the other's READY.
   */
  async handshake(type: keyof typeof READY, routingId = ""): Promise<Buffer> {
    this.write(GREETING);
    await this.read(GREETING.length);
    const named = (): Buffer => command("READY", properties(["Socket-Type", type], ["Identity", routingId]));
    this.write(routingId === "" ? octets(READY[type]) : named());
    return (await this.frame()).body;
  }

  /**
   * Waits until the other has read everything that was sent so far: it answers a PING, which it reads behind that.
   * @throws when a message comes before the answer
   */
  async answered(): Promise<void> {
    this.write(command("PING", Buffer.from("\0\0mark")));
    while ((await this.command()) !== "PONGmark");
  }

  /** Sends one message. */
  send(...frames: (string | Buffer)[]): void {
    this.write(message(...frames));
  }

  /** Cuts the connection, as a killed process does. */
  destroy(): void {
    this.socket.destroy();
  }

  /** Cuts it with a reset; by ipc there is none. */
  reset(): void {
    if (this.socket.remotePort === undefined) this.socket.destroy();
    else this.socket.resetAndDestroy();
  }
}

export class RawServer {
  readonly address: string;
  readonly port: number;
  /** How many connections came in so far. */
  accepted = 0;
  readonly peers: RawPeer[] = [];
  readonly #server: Server;
  readonly #fresh: RawPeer[] = [];
  #wake: () => void = () => {};

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.address = `tcp://127.0.0.1:${this.port}`;
    server.on("connection", (socket) => {
      const peer = new RawPeer(socket);
      this.accepted++;
      this.peers.push(peer);
      this.#fresh.push(peer);
      this.#wake();
    });
  }

  static listen(port = 0): Promise<RawServer> {
    const server = createServer();
    return new Promise((fulfil, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => fulfil(new RawServer(server)));
    });
  }

  /** The next connection. */
  async accept(): Promise<RawPeer> {
    for (;;) {
      const peer = this.#fresh.shift();
      if (peer !== undefined) return peer;
      await new Promise<void>((fulfil) => {
        this.#wake = fulfil;
      });
    }
  }

  /** Stops listening and cuts every connection. */
  async close(): Promise<void> {
    for (const peer of this.peers) peer.destroy();
    await new Promise((fulfil) => this.#server.close(fulfil));
  }
}

/** A port where nobody listens. */
export async function freePort(): Promise<number> {
  const server = await RawServer.listen();
  await server.close();
  return server.port;
}

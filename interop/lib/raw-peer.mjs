/**
 * A peer that is a script: octets over a bare socket, so that a scenario decides what is sent and in which pieces, and sees
 * exactly what comes back. It knows the framing of each version of ZMTP, from the RFCs, and nothing of any library.
 */
import { connect, createServer } from "node:net";
import { patience } from "./world.mjs";

/** @typedef {"1.0" | "2.0" | "3.0" | "3.1"} Version */

export const VERSIONS = /** @type {Version[]} */ (["1.0", "2.0", "3.0", "3.1"]);

export const MORE = 1;
export const LONG = 2;
export const COMMAND = 4;

const SIGNATURE_BYTES = 10;
const GREETING_BYTES = 64;
const TRACED_BYTES = 80;

/** The socket types of ZMTP 2.0, in the order of their numbers. */
const TYPE_NUMBERS = ["PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH"];

/** XPUB and XSUB have numbers of their own in libzmq; the RFC gives them those of PUB and SUB. */
export const TYPE_OCTETS = /** @type {Record<string, number[]>} */ ({
  ...Object.fromEntries(TYPE_NUMBERS.map((type, number) => [type, [number]])),
  XPUB: [9, 1],
  XSUB: [10, 2],
});

const NAMES_ITSELF = ["REQ", "DEALER", "ROUTER"];

/** @param {string} text hexadecimal, with blanks */
export const octets = (text) => Buffer.from(text.replace(/\s+/g, ""), "hex");

/** @param {number} value */
function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** @param {Buffer} bytes */
function shown(bytes) {
  const text = bytes.subarray(0, TRACED_BYTES).toString("hex");
  return bytes.length > TRACED_BYTES ? `${text}… (${bytes.length} octets)` : text;
}

/** A frame of ZMTP 2.0 and later. @param {number} flags @param {Buffer} body */
export function frame(flags, body) {
  if (body.length <= 255) return Buffer.concat([Buffer.of(flags, body.length), body]);
  return Buffer.concat([Buffer.of(flags | LONG), u64(body.length), body]);
}

/** A frame of ZMTP 1.0, whose length counts the octet of flags. @param {number} flags @param {Buffer} body */
function frame1(flags, body) {
  const length = body.length + 1;
  if (length < 255) return Buffer.concat([Buffer.of(length, flags), body]);
  return Buffer.concat([Buffer.of(255), u64(length), Buffer.of(flags), body]);
}

/** @param {string} name @param {Buffer | string} [data] */
export function command(name, data = "") {
  return frame(COMMAND, Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.from(data)]));
}

/** @param {string} name @param {Buffer | string} value */
export function property(name, value) {
  const bytes = Buffer.from(value);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([Buffer.of(name.length), Buffer.from(name), size, bytes]);
}

/** The READY that libzmq sends, octet for octet. @param {string} type @param {string} [identity] */
export function ready(type, identity = "") {
  const properties = [property("Socket-Type", type)];
  if (NAMES_ITSELF.includes(type)) properties.push(property("Identity", identity));
  return command("READY", Buffer.concat(properties));
}

/** @param {number} minor @param {string} [mechanism] @param {number} [idLength] */
export function greeting(minor, mechanism = "NULL", idLength = 0) {
  const bytes = Buffer.alloc(GREETING_BYTES);
  signature(idLength).copy(bytes);
  bytes[10] = 3;
  bytes[11] = minor;
  bytes.write(mechanism, 12, "latin1");
  return bytes;
}

/** @param {number} idLength */
export const signature = (idLength) => Buffer.concat([Buffer.of(0xff), u64(idLength + 1), Buffer.of(0x7f)]);

export class RawPeer {
  #stream;
  /** @type {Buffer[]} */
  #chunks = [];
  #available = 0;
  #wake = () => {};
  closed = false;

  /** @param {import("node:net").Socket} stream @param {Version} version @param {(line: string) => void} trace */
  constructor(stream, version, trace) {
    this.#stream = stream.setNoDelay(true);
    this.version = version;
    this.trace = trace;
    stream.on("error", () => {});
    stream.on("data", (chunk) => {
      this.trace(`raw < ${shown(chunk)}`);
      this.#chunks.push(chunk);
      this.#available += chunk.length;
      this.#wake();
    });
    const gone = () => {
      if (!this.closed) this.trace("raw < (the end)");
      this.closed = true;
      stream.destroy();
      this.#wake();
    };
    stream.on("end", gone).on("close", gone);
  }

  get hasCommands() {
    return this.version.startsWith("3.");
  }

  // ---- octets

  /** @param {...Buffer} parts one segment */
  write(...parts) {
    const bytes = Buffer.concat(parts);
    this.trace(`raw > ${shown(bytes)}`);
    this.#stream.write(bytes);
  }

  /** Each octet in a segment of its own. @param {...Buffer} parts */
  async drip(...parts) {
    for (const octet of Buffer.concat(parts)) {
      this.write(Buffer.of(octet));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Waits until `met`, or `ms` are over. @param {() => boolean} met @param {number} ms */
  async #until(met, ms) {
    const end = performance.now() + ms;
    while (!met()) {
      const left = end - performance.now();
      if (left <= 0) return false;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve(undefined);
        };
      });
    }
    return true;
  }

  /** The next octets. @param {number} count @param {number} [ms] without progress */
  async read(count, ms = patience()) {
    for (let before = -1; this.#available < count && !this.closed && before < this.#available; ) {
      before = this.#available;
      await this.#until(() => this.#available > before || this.closed, ms);
    }
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    if (all.length < count) {
      const why = this.closed ? "the connection ended" : `nothing more came in ${ms} ms`;
      throw new Error(`${why}, after ${all.length} of ${count} octets: ${shown(all)}`);
    }
    this.#chunks = [all.subarray(count)];
    this.#available -= count;
    return all.subarray(0, count);
  }

  /** Reads as many octets as are wanted, and compares. @param {Buffer | string} wanted @param {string} what */
  async expect(wanted, what) {
    const bytes = typeof wanted === "string" ? octets(wanted) : wanted;
    const got = await this.read(bytes.length);
    if (!got.equals(bytes)) throw new Error(`${what}: ${shown(got)}, not ${shown(bytes)}`);
  }

  /** The same when the order of the parts is the other's choice: topics. @param {Buffer[]} parts @param {string} what */
  async expectSet(parts, what) {
    const got = [];
    for (let index = 0; index < parts.length; index++) {
      const { flags, body } = await this.frame();
      got.push(this.#frame(flags & ~LONG, body).toString("hex"));
    }
    const wanted = parts.map((part) => part.toString("hex"));
    const seen = new Set(got);
    const missing = wanted.filter((part) => !seen.has(part));
    if (seen.size < parts.length || missing.length > 0)
      throw new Error(`${what}: ${got.slice(0, 5)}, without ${missing.slice(0, 5)}`);
  }

  /** Nothing comes, and the connection stays. @param {number} ms */
  async expectSilence(ms) {
    await this.#until(() => this.#available > 0 || this.closed, ms);
    if (this.closed) throw new Error("the connection ended");
    if (this.#available > 0) throw new Error(`there came ${shown(Buffer.concat(this.#chunks))}`);
  }

  /** Whether the other end closes within `ms`. What comes before is thrown away. @param {number} [ms] */
  ended(ms = patience()) {
    return this.#until(() => this.closed, ms);
  }

  destroy() {
    this.#stream.destroy();
  }

  /** Reads nothing more, as a program that is busy elsewhere. */
  pause() {
    this.#stream.pause();
  }

  resume() {
    this.#stream.resume();
  }

  /** Writes without a trace. @param {Buffer} bytes */
  quietly(bytes) {
    this.#stream.write(bytes);
  }

  /** Octets that were written, and not taken by the kernel yet. */
  get waiting() {
    return this.#stream.writableLength;
  }

  // ---- frames

  /** @param {number} flags @param {Buffer} body */
  #frame(flags, body) {
    return this.version === "1.0" ? frame1(flags, body) : frame(flags, body);
  }

  /** A message as octets. @param {...(string | Buffer)} frames */
  message(...frames) {
    const last = frames.length - 1;
    return Buffer.concat(frames.map((body, index) => this.#frame(index < last ? MORE : 0, Buffer.from(body))));
  }

  /** @param {...(string | Buffer)} frames */
  send(...frames) {
    this.write(this.message(...frames));
  }

  /** The next frame. @param {number} [ms] @returns {Promise<{ flags: number, body: Buffer }>} */
  async frame(ms = patience()) {
    const [first] = await this.read(1, ms);
    if (this.version === "1.0") {
      const length = first === 255 ? Number((await this.read(8)).readBigUInt64BE()) : first;
      const [flags] = await this.read(1);
      return { flags, body: await this.read(length - 1) };
    }
    const size = first & LONG ? Number((await this.read(8)).readBigUInt64BE()) : (await this.read(1))[0];
    return { flags: first, body: await this.read(size) };
  }

  /** The next message; commands between its frames are not expected. @param {number} [ms] */
  async receive(ms = patience()) {
    const frames = [];
    for (;;) {
      const { flags, body } = await this.frame(ms);
      if (flags & COMMAND) throw new Error(`a command: ${shown(body)}`);
      frames.push(body);
      if ((flags & MORE) === 0) return frames;
    }
  }

  // ---- the opening

  /**
   * Greets and names itself, all that this version sends before traffic, in one piece for each answer that it needs.
   * Compares every octet that comes with what libzmq sends.
   * @param {string} type own @param {string} otherType @param {{ identity?: string, otherIdentity?: string }} [names]
   */
  async open(type, otherType, { identity = "", otherIdentity = "" } = {}) {
    await this.greet(type, otherType, { identity, otherIdentity });
    if (!this.hasCommands) return;
    this.write(ready(type, identity));
    await this.expect(ready(otherType, otherIdentity), "READY");
  }

  /** The same without READY. @param {string} type @param {string} otherType @param {{ identity?: string, otherIdentity?: string }} [names] */
  async greet(type, otherType, { identity = "", otherIdentity = "" } = {}) {
    const id = Buffer.from(identity);
    const otherId = Buffer.from(otherIdentity);
    if (this.version === "1.0") {
      this.write(frame1(0, id));
      await this.expect(Buffer.concat([signature(otherId.length), otherId]), "the identity as 1.0 reads it");
    } else if (this.version === "2.0") {
      this.write(signature(id.length), Buffer.of(1, TYPE_OCTETS[type].at(-1) ?? 0), frame(0, id));
      await this.expect(Buffer.concat([signature(otherId.length), Buffer.of(3)]), "signature and version");
      const [number] = await this.read(1);
      if (number !== TYPE_OCTETS[otherType][0]) throw new Error(`the socket type is ${number}`);
      await this.expect(frame(0, otherId), "the identity");
    } else {
      const minor = Number(this.version[2]);
      this.write(greeting(minor, "NULL", id.length));
      await this.expect(greeting(1, "NULL", otherId.length), "the greeting");
    }
  }

  /** Subscription as this version sends it. @param {string | Buffer} topic @param {boolean} [subscribe] */
  subscription(topic, subscribe = true) {
    if (this.version === "3.1") return command(subscribe ? "SUBSCRIBE" : "CANCEL", topic);
    return this.message(Buffer.concat([Buffer.of(subscribe ? 1 : 0), Buffer.from(topic)]));
  }
}

/** Where a raw peer waits for others. */
export class RawListener {
  /** @type {import("node:net").Socket[]} */
  #fresh = [];
  #wake = () => {};
  address = "";
  accepted = 0;

  /** @param {string} wanted `tcp://127.0.0.1:*` or an ipc path */
  constructor(wanted) {
    this.#wanted = wanted;
    this.#server = createServer((stream) => {
      this.accepted++;
      this.#fresh.push(stream);
      this.#wake();
    });
  }

  #wanted;
  #server;

  async listen() {
    await new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      if (this.#wanted.startsWith("ipc://")) this.#server.listen(this.#wanted.slice(6), () => resolve(undefined));
      else this.#server.listen(0, "127.0.0.1", () => resolve(undefined));
    });
    const found = this.#server.address();
    this.address = typeof found === "string" ? this.#wanted : `tcp://127.0.0.1:${found?.port}`;
    return this.address;
  }

  /** The next connection. @param {number} [ms] */
  async accept(ms = patience()) {
    const end = performance.now() + ms;
    for (;;) {
      const stream = this.#fresh.shift();
      if (stream !== undefined) return stream;
      const left = end - performance.now();
      if (left <= 0) throw new Error(`nobody connected in ${ms} ms`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve(undefined);
        };
      });
    }
  }

  close() {
    for (const stream of this.#fresh) stream.destroy();
    this.#server.close();
  }
}

/** Connects to a bound address. @param {string} address @returns {Promise<import("node:net").Socket>} */
export function dial(address) {
  return new Promise((resolve, reject) => {
    const colon = address.lastIndexOf(":");
    const stream = address.startsWith("ipc://")
      ? connect(address.slice(6))
      : connect(Number(address.slice(colon + 1)), "127.0.0.1");
    stream.once("connect", () => resolve(stream)).once("error", reject);
  });
}

export { SIGNATURE_BYTES };

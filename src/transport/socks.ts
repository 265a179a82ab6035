/**
 * The client's side of SOCKS 5 (RFC 1928, and RFC 1929 for name and password), as bytes in and bytes out: CONNECT only,
 * and names are left to the proxy to resolve.
 *
 *     ours:  05 n methods      [01 name password]     05 01 00 target
 *     its:   05 method         [01 status]            05 code 00 bound, then the peer's bytes
 */

import { type ErrorCode, errnoError, invalid } from "../base/errors.ts";
import type { HostPort } from "./endpoint.ts";

const VERSION = 5;
const AUTH_VERSION = 1;
const METHOD_NONE = 0;
const METHOD_PASSWORD = 2;
const COMMAND_CONNECT = 1;
const TYPE_IPV4 = 1;
const TYPE_NAME = 3;
const TYPE_IPV6 = 4;

/** The errors for reply codes, from 1 on. */
const REFUSALS: readonly [ErrorCode, string][] = [
  ["ECONNREFUSED", "general failure"],
  ["EACCES", "not allowed by its rules"],
  ["ENETUNREACH", "network unreachable"],
  ["EHOSTUNREACH", "host unreachable"],
  ["ECONNREFUSED", "connection refused"],
  ["ETIMEDOUT", "time to live expired"],
  ["ENOTSUP", "command not supported"],
  ["ENOTSUP", "address type not supported"],
];

export class SocksHandshake {
  readonly #address: string;
  readonly #target: Buffer;
  readonly #credentials: Buffer | undefined;
  #received: Buffer = Buffer.alloc(0);
  #expects: "method" | "status" | "reply" | "nothing" = "method";

  /**
   * @param address the endpoint, for errors
   * @param username empty for none
   * @throws ErrnoError EINVAL when a name or password does not fit
   */
  constructor(address: string, target: HostPort, username: string, password: string) {
    this.#address = address;
    const host = hostOctets(target);
    const port = Buffer.from([target.port >> 8, target.port & 255]);
    this.#target = Buffer.concat([Buffer.from([VERSION, COMMAND_CONNECT, 0]), host, port]);
    if (username === "") return;
    this.#credentials = Buffer.concat([Buffer.from([AUTH_VERSION]), this.#counted(username), this.#counted(password)]);
  }

  /** The first bytes to send. */
  start(): Buffer {
    return Buffer.from(
      this.#credentials === undefined ? [VERSION, 1, METHOD_NONE] : [VERSION, 2, METHOD_NONE, METHOD_PASSWORD],
    );
  }

  /**
   * Takes what the proxy sent.
   * @returns bytes to send, or undefined: nothing for now
   * @throws ErrnoError when the proxy refuses or is none
   */
  receive(chunk: Buffer): Buffer | undefined {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    let answer: Buffer | undefined;
    if (this.#expects === "method" && this.#received.length >= 2) answer = this.#onMethod();
    else if (this.#expects === "status" && this.#received.length >= 2) answer = this.#onStatus();
    else if (this.#expects === "reply") this.#onReply();
    return answer;
  }

  /** The peer's first bytes, once the proxy has connected; undefined before. */
  get rest(): Buffer | undefined {
    return this.#expects === "nothing" ? this.#received : undefined;
  }

  #onMethod(): Buffer {
    const [version, method] = this.#take(2);
    if (version !== VERSION) throw this.#error("EPROTO", "is none");
    if (method === METHOD_PASSWORD && this.#credentials !== undefined) {
      this.#expects = "status";
      return this.#credentials;
    }
    if (method !== METHOD_NONE) throw this.#error("EACCES", "wants another way to authenticate");
    this.#expects = "reply";
    return this.#target;
  }

  #onStatus(): Buffer {
    const [, status] = this.#take(2);
    if (status !== 0) throw this.#error("EACCES", "refused name and password");
    this.#expects = "reply";
    return this.#target;
  }

  #onReply(): void {
    const received = this.#received;
    if (received.length >= 2 && (received[0] !== VERSION || received[1] !== 0)) {
      if (received[0] !== VERSION) throw this.#error("EPROTO", "sent a malformed reply");
      const [code, text] = REFUSALS[received[1] - 1] ?? REFUSALS[0];
      throw this.#error(code, text);
    }
    if (received.length < 5) return;
    const type = received[3];
    const hostLength = type === TYPE_IPV4 ? 4 : type === TYPE_IPV6 ? 16 : type === TYPE_NAME ? 1 + received[4] : -1;
    if (hostLength === -1) throw this.#error("EPROTO", "sent a malformed reply");
    if (received.length < 4 + hostLength + 2) return;
    this.#take(4 + hostLength + 2);
    this.#expects = "nothing";
  }

  #take(length: number): Buffer {
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }

  #counted(text: string): Buffer {
    const octets = Buffer.from(text);
    if (octets.length > 255) throw invalid(`${octets.length} octets of text, where SOCKS takes 255`, this.#address);
    return Buffer.concat([Buffer.from([octets.length]), octets]);
  }

  #error(code: ErrorCode, text: string): Error {
    return errnoError(code, this.#address, `SOCKS proxy: ${text}`);
  }
}

/** Encodes type and address. A host name has at most 253 octets here. */
function hostOctets({ host, family }: HostPort): Buffer {
  if (family === 4) return Buffer.from([TYPE_IPV4, ...host.split(".").map(Number)]);
  if (family === 6) return Buffer.from([TYPE_IPV6, ...ipv6Octets(host.replace(/%.*/, ""))]);
  const name = Buffer.from(host);
  return Buffer.concat([Buffer.from([TYPE_NAME, name.length]), name]);
}

/** Reads the 16 octets of an IPv6 address that is known to be one; its last 32 bits may be written as IPv4. */
function ipv6Octets(address: string): number[] {
  const groups = (text: string): number[] =>
    text === ""
      ? []
      : text
          .split(":")
          .flatMap((group) =>
            group.includes(".")
              ? group.split(".").map(Number)
              : [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255],
          );
  const [head, tail] = address.split("::").map(groups);
  if (tail === undefined) return head;
  return [...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail];
}

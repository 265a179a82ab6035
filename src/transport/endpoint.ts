/**
 * Addresses as users write them, read to a tagged value: `tcp://host:port`, `ipc://path`, `inproc://name`.
 *
 * The grammar is strict where libzmq is loose (`tcp://h:5x5` is port 5 there, 70000 wraps to 4464): an address that is
 * not exactly of its form is refused at once with EINVAL. Nothing is looked up here; whether an interface or a host
 * exists is known at `listen` and at each attempt to connect.
 */

import { isIPv4, isIPv6 } from "node:net";
import { IPC_PATH_LINUX_BYTES, IPC_PATH_OTHER_BYTES } from "../base/constants.ts";
import { errnoError, invalid } from "../base/errors.ts";

/** The use of an address: wildcards belong to bind, a source belongs to connect. */
export type EndpointUse = "bind" | "connect";

/** Host and port of one end. */
export interface HostPort {
  /** `*` (every interface), an IPv4 or IPv6 literal without brackets, or a name (host or interface). */
  readonly host: string;
  /** 0 to 65535; 0 is any free port when bound, and what `*` stands for. */
  readonly port: number;
  /** 4 or 6 for a literal, 0 for a name and for `*`. */
  readonly family: 0 | 4 | 6;
}

export interface TcpEndpoint extends HostPort {
  readonly scheme: "tcp";
  /** The text as the user gave it. */
  readonly address: string;
  /** The end that a connection leaves from: `tcp://source:port;host:port`. */
  readonly source?: HostPort;
}

export interface IpcEndpoint {
  readonly scheme: "ipc";
  readonly address: string;
  /** A path in the file system, a name in Linux' abstract namespace, or (bind only) a fresh path. */
  readonly kind: "path" | "abstract" | "wildcard";
  /** The path as given (relative ones stay relative), the name without its `@`, or `*`. */
  readonly path: string;
}

export interface InprocEndpoint {
  readonly scheme: "inproc";
  readonly address: string;
  /** Compared verbatim. */
  readonly name: string;
}

/** An address of the datagram types, which are not there yet. */
export interface UdpEndpoint {
  readonly scheme: "udp";
  readonly address: string;
}

export interface WsEndpoint extends HostPort {
  readonly scheme: "ws";
  readonly address: string;
  /** Begins with `/`. */
  readonly path: string;
}

export type Endpoint = TcpEndpoint | IpcEndpoint | InprocEndpoint | UdpEndpoint | WsEndpoint;

const HOST_NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252})$/;
const PORT = /^[0-9]{1,5}$/;
const PORT_MAX = 65535;
const IPC_PATH_BYTES = process.platform === "linux" ? IPC_PATH_LINUX_BYTES : IPC_PATH_OTHER_BYTES;

/**
 * Reads an address.
 * @throws ErrnoError EINVAL (malformed), EPROTONOSUPPORT (scheme unknown or not in lower case), ENAMETOOLONG (ipc path)
 * @example parseEndpoint("tcp://127.0.0.1:5555", "connect").port // 5555
 */
export function parseEndpoint(address: string, use: EndpointUse): Endpoint {
  const colon = address.indexOf("://");
  const rest = address.slice(colon + 3);
  if (colon < 1) throw invalid(`there is no transport in "${address}", as in tcp://host:port`, address);
  if (rest === "") throw invalid(`there is nothing behind ${address}`, address);
  if (address.includes("\0")) throw invalid("there is a NUL in the address", address);
  const scheme = address.slice(0, colon);
  switch (scheme) {
    case "tcp":
      return parseTcp(address, rest, use);
    case "ipc":
      return parseIpc(address, rest, use);
    case "inproc":
      return { scheme: "inproc", address, name: rest };
    case "udp":
      return { scheme: "udp", address };
    case "ws":
      return parseWs(address, rest, use);
    default:
      throw errnoError("EPROTONOSUPPORT", address, undefined, `the transport "${scheme}" is not tcp, ipc or inproc`);
  }
}

/** Writes a host and port the way `lastEndpoint` shows them after `scheme://`: IPv6 in brackets. */
export function formatHostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseTcp(address: string, rest: string, use: EndpointUse): TcpEndpoint {
  const semicolon = rest.indexOf(";");
  if (semicolon === -1) return { scheme: "tcp", address, ...parseHostPort(address, rest, use) };
  if (use === "bind") throw invalid("bind takes no source address, which stands before a semicolon", address);
  const source = parseHostPort(address, rest.slice(0, semicolon), "bind");
  if (source.host === "") throw invalid("there is no host in front of the source's port", address);
  return { scheme: "tcp", address, ...parseHostPort(address, rest.slice(semicolon + 1), use), source };
}

/**
 * Reads `host:port`. The host may be empty when bound: that names no device, which is another error (ENODEV) and comes
 * from `listen`.
 * @param address what the error names
 */
export function parseHostPort(address: string, text: string, use: EndpointUse): HostPort {
  const colon = text.lastIndexOf(":");
  const bracket = text.lastIndexOf("]");
  if (bracket === -1 && text.includes("[")) throw invalid(`the bracket in "${text}" is not closed`, address);
  if (colon === -1 || colon < bracket) throw invalid(`there is no port in "${text}"`, address);
  const port = parsePort(address, text.slice(colon + 1), use);
  const host = text.slice(0, colon);
  if (host.startsWith("[") && host.endsWith("]")) {
    const inner = host.slice(1, -1);
    if (isIPv6(inner)) return { host: inner, port, family: 6 };
    // libzmq takes the brackets off whatever stands in them.
    if (isIPv4(inner)) return { host: inner, port, family: 4 };
    throw invalid(`there is no IP address in ${host}`, address);
  }
  if (isIPv4(host)) return { host, port, family: 4 };
  if (use === "bind" ? host === "*" || host === "" || HOST_NAME.test(host) : HOST_NAME.test(host))
    return { host, port, family: 0 };
  if (host === "*") throw invalid('connect takes a host, where "*" is every interface of this one', address);
  if (isIPv6(host)) throw invalid(`an IPv6 address stands in brackets: [${host}]`, address);
  throw invalid(host === "" ? "there is no host in front of the port" : `"${host}" is no host`, address);
}

function parsePort(address: string, text: string, use: EndpointUse): number {
  if (text === "*" && use === "bind") return 0;
  if (text === "*") throw invalid('connect takes a port, where "*" is any free one', address);
  if (text === "") throw invalid("there is no port behind the colon", address);
  if (!/^[0-9]+$/.test(text)) throw invalid(`port "${text}" is no number`, address);
  const port = PORT.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (port > PORT_MAX) throw invalid(`port ${text} is not within 0-${PORT_MAX}`, address);
  return port;
}

function parseWs(address: string, rest: string, use: EndpointUse): WsEndpoint {
  const slash = rest.indexOf("/");
  const path = slash === -1 ? "/" : rest.slice(slash);
  const text = slash === -1 ? rest : rest.slice(0, slash);
  if (!/^[\x21-\x7e]+$/.test(path)) throw invalid(`the path "${path}" is not of printable ASCII`, address);
  return { scheme: "ws", address, ...parseHostPort(address, text, use), path };
}

function parseIpc(address: string, rest: string, use: EndpointUse): IpcEndpoint {
  if (rest === "*") {
    if (use === "connect") throw invalid('connect takes a path, where "*" is a fresh one', address);
    return { scheme: "ipc", address, kind: "wildcard", path: rest };
  }
  if (rest === "@") throw invalid('there is no name behind the "@"', address);
  if (Buffer.byteLength(rest) > IPC_PATH_BYTES) {
    const what = `a path of ${Buffer.byteLength(rest)} octets, where the system takes ${IPC_PATH_BYTES}`;
    throw errnoError("ENAMETOOLONG", address, undefined, what);
  }
  if (rest.startsWith("@")) return { scheme: "ipc", address, kind: "abstract", path: rest.slice(1) };
  return { scheme: "ipc", address, kind: "path", path: rest };
}

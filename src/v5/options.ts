/**
 * The options of `zmtp/v5-compat`: short names and libzmq's numbers, each turned into a property of the socket inside. The
 * values are those that version 5 had: switches are 1 or 0, keys and names text or octets.
 *
 * A socket that does not have an option reads as `undefined` and refuses to be written (TypeError), since the socket inside
 * is sealed.
 */
import type { Socket } from "../socket/socket.ts";
import * as zmq from "./constants.ts";

/** The short names of options, which are also properties of sockets, and their numbers. */
export const options = {
  _fd: zmq.ZMQ_FD as number,
  _ioevents: zmq.ZMQ_EVENTS as number,
  _receiveMore: zmq.ZMQ_RCVMORE as number,
  _subscribe: zmq.ZMQ_SUBSCRIBE as number,
  _unsubscribe: zmq.ZMQ_UNSUBSCRIBE as number,
  affinity: zmq.ZMQ_AFFINITY as number,
  backlog: zmq.ZMQ_BACKLOG as number,
  identity: zmq.ZMQ_IDENTITY as number,
  linger: zmq.ZMQ_LINGER as number,
  rate: zmq.ZMQ_RATE as number,
  rcvbuf: zmq.ZMQ_RCVBUF as number,
  last_endpoint: zmq.ZMQ_LAST_ENDPOINT as number,
  reconnect_ivl: zmq.ZMQ_RECONNECT_IVL as number,
  recovery_ivl: zmq.ZMQ_RECOVERY_IVL as number,
  sndbuf: zmq.ZMQ_SNDBUF as number,
  mechanism: zmq.ZMQ_MECHANISM as number,
  plain_server: zmq.ZMQ_PLAIN_SERVER as number,
  plain_username: zmq.ZMQ_PLAIN_USERNAME as number,
  plain_password: zmq.ZMQ_PLAIN_PASSWORD as number,
  curve_server: zmq.ZMQ_CURVE_SERVER as number,
  curve_publickey: zmq.ZMQ_CURVE_PUBLICKEY as number,
  curve_secretkey: zmq.ZMQ_CURVE_SECRETKEY as number,
  curve_serverkey: zmq.ZMQ_CURVE_SERVERKEY as number,
  zap_domain: zmq.ZMQ_ZAP_DOMAIN as number,
  heartbeat_ivl: zmq.ZMQ_HEARTBEAT_IVL as number,
  heartbeat_ttl: zmq.ZMQ_HEARTBEAT_TTL as number,
  heartbeat_timeout: zmq.ZMQ_HEARTBEAT_TIMEOUT as number,
  connect_timeout: zmq.ZMQ_CONNECT_TIMEOUT as number,
};

/** A short name. */
export type OptionName = keyof typeof options;

/** What reading an option gives. */
export type OptionValue = string | number | boolean | null;

/** The socket inside, by the names of its properties: which of them it has depends on its type. */
type Inner = Socket & Record<string, unknown>;

/** How one option is read and written; without one of them, that is refused. */
interface OptionAccess {
  read?(socket: Inner): unknown;
  write?(socket: Inner, value: unknown): void;
}

/** The same value under another name. */
function same(name: string): OptionAccess {
  return {
    read: (socket) => socket[name],
    write: (socket, value) => assign(socket, name, value),
  };
}

/** A switch. */
function flag(name: string): OptionAccess {
  return {
    read: (socket) => (socket[name] ? 1 : 0),
    write: (socket, value) => assign(socket, name, Boolean(value)),
  };
}

/** An option that there is no way to offer. */
function unsupported(name: string): Required<OptionAccess> {
  const refuse = (): never => {
    throw new Error(`${name} is not supported in compatibility mode`);
  };
  return { read: refuse, write: refuse };
}

/** Writes a property by name; an instance without it refuses. */
function assign(socket: Inner, name: string, value: unknown): void {
  (socket as Record<string, unknown>)[name] = value;
}

const MECHANISM_NUMBERS = { plain: 1, curve: 2, gssapi: 3 } as const;

/** Calls a method that only subscribers have. */
function topic(method: "subscribe" | "unsubscribe"): OptionAccess {
  return { write: (socket, value) => (socket[method] as (filter: unknown) => void)(value) };
}

const ACCESS: ReadonlyMap<number, OptionAccess> = new Map<number, OptionAccess>([
  [zmq.ZMQ_AFFINITY, same("affinity")],
  [zmq.ZMQ_IDENTITY, same("routingId")],
  [zmq.ZMQ_SUBSCRIBE, topic("subscribe")],
  [zmq.ZMQ_UNSUBSCRIBE, topic("unsubscribe")],
  [zmq.ZMQ_RATE, same("rate")],
  [zmq.ZMQ_RECOVERY_IVL, same("recoveryInterval")],
  [zmq.ZMQ_SNDBUF, same("sendBufferSize")],
  [zmq.ZMQ_RCVBUF, same("receiveBufferSize")],
  [zmq.ZMQ_RCVMORE, { read: unsupported("ZMQ_RCVMORE").read }],
  [zmq.ZMQ_FD, { read: unsupported("ZMQ_FD").read }],
  [
    zmq.ZMQ_EVENTS,
    { read: ({ readable, writable }) => (readable ? zmq.ZMQ_POLLIN : 0) | (writable ? zmq.ZMQ_POLLOUT : 0) },
  ],
  [zmq.ZMQ_TYPE, { read: (socket) => socket.type }],
  [zmq.ZMQ_LINGER, same("linger")],
  [zmq.ZMQ_RECONNECT_IVL, same("reconnectInterval")],
  [zmq.ZMQ_BACKLOG, same("backlog")],
  [zmq.ZMQ_RECONNECT_IVL_MAX, same("reconnectMaxInterval")],
  [zmq.ZMQ_MAXMSGSIZE, same("maxMessageSize")],
  [zmq.ZMQ_SNDHWM, same("sendHighWaterMark")],
  [zmq.ZMQ_RCVHWM, same("receiveHighWaterMark")],
  [zmq.ZMQ_MULTICAST_HOPS, same("multicastHops")],
  [zmq.ZMQ_RCVTIMEO, same("receiveTimeout")],
  [zmq.ZMQ_SNDTIMEO, same("sendTimeout")],
  [
    zmq.ZMQ_IPV4ONLY,
    {
      read: (socket) => !socket.ipv6,
      write: (socket, value) => assign(socket, "ipv6", !value),
    },
  ],
  [zmq.ZMQ_LAST_ENDPOINT, { read: (socket) => socket.lastEndpoint }],
  [zmq.ZMQ_ROUTER_MANDATORY, flag("mandatory")],
  [zmq.ZMQ_TCP_KEEPALIVE, same("tcpKeepalive")],
  [zmq.ZMQ_TCP_KEEPALIVE_CNT, same("tcpKeepaliveCount")],
  [zmq.ZMQ_TCP_KEEPALIVE_IDLE, same("tcpKeepaliveIdle")],
  [zmq.ZMQ_TCP_KEEPALIVE_INTVL, same("tcpKeepaliveInterval")],
  [zmq.ZMQ_TCP_ACCEPT_FILTER, { write: (socket, value) => assign(socket, "tcpAcceptFilter", value) }],
  [zmq.ZMQ_DELAY_ATTACH_ON_CONNECT, flag("immediate")],
  [
    zmq.ZMQ_XPUB_VERBOSE,
    {
      read: () => {
        throw new Error("Reading ZMQ_XPUB_VERBOSE is not supported");
      },
      write: (socket, value) => assign(socket, "verbosity", value ? "allSubs" : null),
    },
  ],
  [zmq.ZMQ_ROUTER_RAW, unsupported("ZMQ_ROUTER_RAW")],
  [zmq.ZMQ_IPV6, flag("ipv6")],
  [
    zmq.ZMQ_MECHANISM,
    { read: ({ securityMechanism }) => (securityMechanism === null ? 0 : MECHANISM_NUMBERS[securityMechanism]) },
  ],
  [zmq.ZMQ_PLAIN_SERVER, flag("plainServer")],
  [zmq.ZMQ_PLAIN_USERNAME, same("plainUsername")],
  [zmq.ZMQ_PLAIN_PASSWORD, same("plainPassword")],
  [zmq.ZMQ_CURVE_SERVER, flag("curveServer")],
  [zmq.ZMQ_CURVE_PUBLICKEY, same("curvePublicKey")],
  [zmq.ZMQ_CURVE_SECRETKEY, same("curveSecretKey")],
  [zmq.ZMQ_CURVE_SERVERKEY, same("curveServerKey")],
  [zmq.ZMQ_ZAP_DOMAIN, same("zapDomain")],
  [zmq.ZMQ_ROUTER_HANDOVER, { write: (socket, value) => assign(socket, "handover", Boolean(value)) }],
  [zmq.ZMQ_HEARTBEAT_IVL, same("heartbeatInterval")],
  [zmq.ZMQ_HEARTBEAT_TTL, same("heartbeatTimeToLive")],
  [zmq.ZMQ_HEARTBEAT_TIMEOUT, same("heartbeatTimeout")],
  [zmq.ZMQ_CONNECT_TIMEOUT, same("connectTimeout")],
]);

function find(option: number | string): OptionAccess | undefined {
  return ACCESS.get(typeof option === "number" ? option : options[option as OptionName]);
}

/** Reads an option. @throws Error for one that there is not, or that cannot be read */
export function readOption(socket: Socket, option: number | string): OptionValue {
  const access = find(option);
  if (access?.read === undefined) throw new Error("Unknown option");
  return access.read(socket as Inner) as OptionValue;
}

/** Writes an option. @throws Error for one that there is not, or that cannot be written; and what the property throws */
export function writeOption(socket: Socket, option: number | string, value: unknown): void {
  const access = find(option);
  if (access?.write === undefined) throw new Error("Unknown option");
  access.write(socket as Inner, value);
}

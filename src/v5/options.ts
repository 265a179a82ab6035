/**
 * The options of `zmtp/v5-compat`: short names and libzmq's numbers, each turned into a property of the socket inside.
 * The values are those that version 5 had: switches are 1 or 0, keys and names text or octets.
 *
 * The socket inside has properties for what its type can use. Version 5 asked libzmq, which keeps most options for
 * every type and refuses (EINVAL) those that belong to another: so what is no property is read and written by its
 * number.
 */
import { getOption, type RawKind, setOption } from "../options/access.ts";
import { OPTION_BY_ID } from "../options/table.ts";
import { coreOf, type Socket } from "../socket/socket.ts";
import * as zmq from "./libzmq-numbers.ts";

/** The short names of options, which are also properties of sockets, and their numbers. */
export const options = {
  /** Not available. */
  _fd: zmq.ZMQ_FD as number,
  /** State, as a sum of ZMQ_POLLIN and ZMQ_POLLOUT; read-only. (ZMQ_EVENTS) */
  _ioevents: zmq.ZMQ_EVENTS as number,
  /** Not available: a message comes with all its frames. */
  _receiveMore: zmq.ZMQ_RCVMORE as number,
  /** Subscribes to messages that start with the value; write-only. (ZMQ_SUBSCRIBE) */
  _subscribe: zmq.ZMQ_SUBSCRIBE as number,
  /** Takes a subscription back; write-only. (ZMQ_UNSUBSCRIBE) */
  _unsubscribe: zmq.ZMQ_UNSUBSCRIBE as number,
  /** Without effect: there are no I/O threads. Default 0. (ZMQ_AFFINITY) */
  affinity: zmq.ZMQ_AFFINITY as number,
  /** Number of connections that may wait to be accepted. Default 100. (ZMQ_BACKLOG) */
  backlog: zmq.ZMQ_BACKLOG as number,
  /** Number of messages that may wait for, or of, one peer: sets both marks. Default 1000. (ZMQ_SNDHWM, ZMQ_RCVHWM) */
  hwm: 1 as number,
  /** Id by which a router knows this socket, 1 to 255 octets. (ZMQ_ROUTING_ID) */
  identity: zmq.ZMQ_IDENTITY as number,
  /** Milliseconds that unsent messages are kept after `close`, -1 until they are delivered. Default -1. (ZMQ_LINGER) */
  linger: zmq.ZMQ_LINGER as number,
  /** Without effect: there is no multicast. Default 100. (ZMQ_RATE) */
  rate: zmq.ZMQ_RATE as number,
  /** Without effect: Node cannot set it. Default -1. (ZMQ_RCVBUF) */
  rcvbuf: zmq.ZMQ_RCVBUF as number,
  /** Address that was bound or connected last; read-only. (ZMQ_LAST_ENDPOINT) */
  last_endpoint: zmq.ZMQ_LAST_ENDPOINT as number,
  /** Milliseconds between attempts to connect. Default 100. (ZMQ_RECONNECT_IVL) */
  reconnect_ivl: zmq.ZMQ_RECONNECT_IVL as number,
  /** Without effect: there is no multicast. Default 10000. (ZMQ_RECOVERY_IVL) */
  recovery_ivl: zmq.ZMQ_RECOVERY_IVL as number,
  /** Without effect: Node cannot set it. Default -1. (ZMQ_SNDBUF) */
  sndbuf: zmq.ZMQ_SNDBUF as number,
  /** Mechanism of connections: 0 NULL, 1 PLAIN, 2 CURVE; read-only. (ZMQ_MECHANISM) */
  mechanism: zmq.ZMQ_MECHANISM as number,
  /** 1 makes this end the server of PLAIN. Default 0. (ZMQ_PLAIN_SERVER) */
  plain_server: zmq.ZMQ_PLAIN_SERVER as number,
  /** Name for PLAIN, 1 to 255 octets. (ZMQ_PLAIN_USERNAME) */
  plain_username: zmq.ZMQ_PLAIN_USERNAME as number,
  /** Password for PLAIN, 1 to 255 octets. (ZMQ_PLAIN_PASSWORD) */
  plain_password: zmq.ZMQ_PLAIN_PASSWORD as number,
  /** 1 makes this end the server of CURVE. Default 0. (ZMQ_CURVE_SERVER) */
  curve_server: zmq.ZMQ_CURVE_SERVER as number,
  /** This end's public key: 40 characters of Z85, or 32 octets. (ZMQ_CURVE_PUBLICKEY) */
  curve_publickey: zmq.ZMQ_CURVE_PUBLICKEY as number,
  /** This end's secret key: 40 characters of Z85, or 32 octets. (ZMQ_CURVE_SECRETKEY) */
  curve_secretkey: zmq.ZMQ_CURVE_SECRETKEY as number,
  /** Public key of the server to connect to: 40 characters of Z85, or 32 octets. (ZMQ_CURVE_SERVERKEY) */
  curve_serverkey: zmq.ZMQ_CURVE_SERVERKEY as number,
  /** Domain that the ZAP handler is asked with, 1 to 255 octets. (ZMQ_ZAP_DOMAIN) */
  zap_domain: zmq.ZMQ_ZAP_DOMAIN as number,
  /** Milliseconds between PINGs, 0 for none. Default 0. (ZMQ_HEARTBEAT_IVL) */
  heartbeat_ivl: zmq.ZMQ_HEARTBEAT_IVL as number,
  /** Milliseconds after which a silent peer may give this end up. Default 0. (ZMQ_HEARTBEAT_TTL) */
  heartbeat_ttl: zmq.ZMQ_HEARTBEAT_TTL as number,
  /**
   * Milliseconds of silence after a PING that end a connection. Default -1: as `heartbeat_ivl`. (ZMQ_HEARTBEAT_TIMEOUT)
   */
  heartbeat_timeout: zmq.ZMQ_HEARTBEAT_TIMEOUT as number,
  /** Milliseconds that one attempt to connect may take, 0 for no limit. Default 0. (ZMQ_CONNECT_TIMEOUT) */
  connect_timeout: zmq.ZMQ_CONNECT_TIMEOUT as number,
};

/** Short name of an option. */
export type OptionName = keyof typeof options;

/** Values that reading an option gives. */
export type OptionValue = string | number | boolean | null;

/** The socket inside, by the names of its properties: which of them it has depends on its type. */
type Inner = Socket & Record<string, unknown>;

/** How one option is read and written; without one of them, that is refused. */
interface OptionAccess {
  read?(socket: Inner): unknown;
  write?(socket: Inner, value: unknown): void;
}

/** The type of an option's number call. */
function kindOf(id: number): RawKind {
  const kind = OPTION_BY_ID.get(id)?.kind;
  return kind === undefined || kind === "text" || kind === "other" ? "string" : kind;
}

/** Reads a property, or what there is in place of it. */
function read(socket: Inner, name: string, id: number): unknown {
  return name in socket ? socket[name] : getOption(coreOf(socket), kindOf(id), id);
}

/**
 * Writes a property, or what there is in place of it.
 * @throws ErrnoError EINVAL for an option of another type of socket
 */
function write(socket: Inner, name: string, id: number, value: unknown): void {
  if (name in socket) (socket as Record<string, unknown>)[name] = value;
  else setOption(coreOf(socket), kindOf(id), id, value);
}

/** The same value under another name. */
function same(id: number, name: string): [number, OptionAccess] {
  return [id, { read: (socket) => read(socket, name, id), write: (socket, value) => write(socket, name, id, value) }];
}

/** A switch. */
function flag(id: number, name: string): [number, OptionAccess] {
  return [
    id,
    {
      read: (socket) => (read(socket, name, id) ? 1 : 0),
      write: (socket, value) => write(socket, name, id, Boolean(value)),
    },
  ];
}

/** The two that subscribe and unsubscribe. */
function topic(id: number, method: "subscribe" | "unsubscribe"): [number, OptionAccess] {
  return [
    id,
    {
      write: (socket, value) => {
        if (method in socket) (socket[method] as (filter: unknown) => void)(value);
        else setOption(coreOf(socket), "string", id, value);
      },
    },
  ];
}

/** An option that there is no way to offer. */
function unsupported(name: string): Required<OptionAccess> {
  const refuse = (): never => {
    throw new Error(`${name} is not supported in compatibility mode`);
  };
  return { read: refuse, write: refuse };
}

const MECHANISM_NUMBERS = { plain: 1, curve: 2, gssapi: 3 } as const;

const ACCESS: ReadonlyMap<number, OptionAccess> = new Map<number, OptionAccess>([
  [
    options.hwm,
    {
      read: (socket) => ("sendHighWaterMark" in socket ? socket.sendHighWaterMark : socket.receiveHighWaterMark),
      write: (socket, value) => {
        write(socket, "sendHighWaterMark", zmq.ZMQ_SNDHWM, value);
        write(socket, "receiveHighWaterMark", zmq.ZMQ_RCVHWM, value);
      },
    },
  ],
  same(zmq.ZMQ_AFFINITY, "affinity"),
  same(zmq.ZMQ_IDENTITY, "routingId"),
  topic(zmq.ZMQ_SUBSCRIBE, "subscribe"),
  topic(zmq.ZMQ_UNSUBSCRIBE, "unsubscribe"),
  same(zmq.ZMQ_RATE, "rate"),
  same(zmq.ZMQ_RECOVERY_IVL, "recoveryInterval"),
  same(zmq.ZMQ_SNDBUF, "sendBufferSize"),
  same(zmq.ZMQ_RCVBUF, "receiveBufferSize"),
  [zmq.ZMQ_RCVMORE, { read: unsupported("ZMQ_RCVMORE").read }],
  [zmq.ZMQ_FD, { read: unsupported("ZMQ_FD").read }],
  [
    zmq.ZMQ_EVENTS,
    { read: ({ readable, writable }) => (readable ? zmq.ZMQ_POLLIN : 0) | (writable ? zmq.ZMQ_POLLOUT : 0) },
  ],
  [zmq.ZMQ_TYPE, { read: (socket) => socket.type }],
  same(zmq.ZMQ_LINGER, "linger"),
  same(zmq.ZMQ_RECONNECT_IVL, "reconnectInterval"),
  same(zmq.ZMQ_BACKLOG, "backlog"),
  same(zmq.ZMQ_RECONNECT_IVL_MAX, "reconnectMaxInterval"),
  same(zmq.ZMQ_MAXMSGSIZE, "maxMessageSize"),
  same(zmq.ZMQ_SNDHWM, "sendHighWaterMark"),
  same(zmq.ZMQ_RCVHWM, "receiveHighWaterMark"),
  same(zmq.ZMQ_MULTICAST_HOPS, "multicastHops"),
  same(zmq.ZMQ_RCVTIMEO, "receiveTimeout"),
  same(zmq.ZMQ_SNDTIMEO, "sendTimeout"),
  [
    zmq.ZMQ_IPV4ONLY,
    {
      read: (socket) => !socket.ipv6,
      write: (socket, value) => {
        socket.ipv6 = !value;
      },
    },
  ],
  [zmq.ZMQ_LAST_ENDPOINT, { read: (socket) => socket.lastEndpoint }],
  flag(zmq.ZMQ_ROUTER_MANDATORY, "mandatory"),
  same(zmq.ZMQ_TCP_KEEPALIVE, "tcpKeepalive"),
  same(zmq.ZMQ_TCP_KEEPALIVE_CNT, "tcpKeepaliveCount"),
  same(zmq.ZMQ_TCP_KEEPALIVE_IDLE, "tcpKeepaliveIdle"),
  same(zmq.ZMQ_TCP_KEEPALIVE_INTVL, "tcpKeepaliveInterval"),
  [zmq.ZMQ_TCP_ACCEPT_FILTER, { write: same(zmq.ZMQ_TCP_ACCEPT_FILTER, "tcpAcceptFilter")[1].write }],
  flag(zmq.ZMQ_DELAY_ATTACH_ON_CONNECT, "immediate"),
  [
    zmq.ZMQ_XPUB_VERBOSE,
    {
      read: () => {
        throw new Error("Reading ZMQ_XPUB_VERBOSE is not supported");
      },
      write: (socket, value) => {
        if ("verbosity" in socket) (socket as Record<string, unknown>).verbosity = value ? "allSubs" : null;
        else setOption(coreOf(socket), "bool", zmq.ZMQ_XPUB_VERBOSE, Boolean(value));
      },
    },
  ],
  [zmq.ZMQ_ROUTER_RAW, unsupported("ZMQ_ROUTER_RAW")],
  flag(zmq.ZMQ_IPV6, "ipv6"),
  [
    zmq.ZMQ_MECHANISM,
    { read: ({ securityMechanism }) => (securityMechanism === null ? 0 : MECHANISM_NUMBERS[securityMechanism]) },
  ],
  flag(zmq.ZMQ_PLAIN_SERVER, "plainServer"),
  same(zmq.ZMQ_PLAIN_USERNAME, "plainUsername"),
  same(zmq.ZMQ_PLAIN_PASSWORD, "plainPassword"),
  flag(zmq.ZMQ_CURVE_SERVER, "curveServer"),
  same(zmq.ZMQ_CURVE_PUBLICKEY, "curvePublicKey"),
  same(zmq.ZMQ_CURVE_SECRETKEY, "curveSecretKey"),
  same(zmq.ZMQ_CURVE_SERVERKEY, "curveServerKey"),
  same(zmq.ZMQ_ZAP_DOMAIN, "zapDomain"),
  [zmq.ZMQ_ROUTER_HANDOVER, { write: flag(zmq.ZMQ_ROUTER_HANDOVER, "handover")[1].write }],
  same(zmq.ZMQ_HEARTBEAT_IVL, "heartbeatInterval"),
  same(zmq.ZMQ_HEARTBEAT_TTL, "heartbeatTimeToLive"),
  same(zmq.ZMQ_HEARTBEAT_TIMEOUT, "heartbeatTimeout"),
  same(zmq.ZMQ_CONNECT_TIMEOUT, "connectTimeout"),
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

/**
 * Writes an option.
 * @throws Error for one that there is not, or that cannot be written; and what the property throws
 */
export function writeOption(socket: Socket, option: number | string, value: unknown): void {
  const access = find(option);
  if (access?.write === undefined) throw new Error("Unknown option");
  access.write(socket as Inner, value);
}

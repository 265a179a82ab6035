/**
 * The constants of `zmtp/v5-compat`: libzmq's numbers under the names that programs for version 5 of `zeromq` use. Some
 * numbers have two names, an old and a new one.
 */

// Options, for `setsockopt` and `getsockopt`.
/** Number of the option `affinity`. */
export const ZMQ_AFFINITY = 4;
/** Number of the option `routingId`. */
export const ZMQ_IDENTITY = 5;
/** Number of the option that subscribes. */
export const ZMQ_SUBSCRIBE = 6;
/** Number of the option that takes a subscription back. */
export const ZMQ_UNSUBSCRIBE = 7;
/** Number of the option `rate`. */
export const ZMQ_RATE = 8;
/** Number of the option `recoveryInterval`. */
export const ZMQ_RECOVERY_IVL = 9;
/** Old name of the option `recoveryInterval`. */
export const ZMQ_RECOVERY_IVL_MSEC = 9;
/** Number of the option `sendBufferSize`. */
export const ZMQ_SNDBUF = 11;
/** Number of the option `receiveBufferSize`. */
export const ZMQ_RCVBUF = 12;
/** Number of an option that is not available: a message comes with all its frames. */
export const ZMQ_RCVMORE = 13;
/** Number of an option that is not available. */
export const ZMQ_FD = 14;
/** Number of the option that reads ZMQ_POLLIN and ZMQ_POLLOUT, as a sum. */
export const ZMQ_EVENTS = 15;
/** Number of the option that reads the number of the socket's type. */
export const ZMQ_TYPE = 16;
/** Number of the option `linger`. */
export const ZMQ_LINGER = 17;
/** Number of the option `reconnectInterval`. */
export const ZMQ_RECONNECT_IVL = 18;
/** Number of the option `backlog`. */
export const ZMQ_BACKLOG = 19;
/** Number of the option `reconnectMaxInterval`. */
export const ZMQ_RECONNECT_IVL_MAX = 21;
/** Number of the option `maxMessageSize`. */
export const ZMQ_MAXMSGSIZE = 22;
/** Number of the option `sendHighWaterMark`. */
export const ZMQ_SNDHWM = 23;
/** Number of the option `receiveHighWaterMark`. */
export const ZMQ_RCVHWM = 24;
/** Number of the option `multicastHops`. */
export const ZMQ_MULTICAST_HOPS = 25;
/** Number of the option `receiveTimeout`. */
export const ZMQ_RCVTIMEO = 27;
/** Number of the option `sendTimeout`. */
export const ZMQ_SNDTIMEO = 28;
/** Number of the option that is the opposite of `ipv6`. */
export const ZMQ_IPV4ONLY = 31;
/** Number of the option `lastEndpoint`. */
export const ZMQ_LAST_ENDPOINT = 32;
/** Number of the option `mandatory`. */
export const ZMQ_ROUTER_MANDATORY = 33;
/** Number of the option `tcpKeepalive`. */
export const ZMQ_TCP_KEEPALIVE = 34;
/** Number of the option `tcpKeepaliveCount`. */
export const ZMQ_TCP_KEEPALIVE_CNT = 35;
/** Number of the option `tcpKeepaliveIdle`. */
export const ZMQ_TCP_KEEPALIVE_IDLE = 36;
/** Number of the option `tcpKeepaliveInterval`. */
export const ZMQ_TCP_KEEPALIVE_INTVL = 37;
/** Number of the option `tcpAcceptFilter`. */
export const ZMQ_TCP_ACCEPT_FILTER = 38;
/** Number of the option `immediate`. */
export const ZMQ_DELAY_ATTACH_ON_CONNECT = 39;
/** Number of the option that makes `verbosity` "allSubs". */
export const ZMQ_XPUB_VERBOSE = 40;
/** Number of an option that is not available. */
export const ZMQ_ROUTER_RAW = 41;
/** Number of the option `ipv6`. */
export const ZMQ_IPV6 = 42;
/** Number of the option that reads the mechanism: 0 NULL, 1 PLAIN, 2 CURVE. */
export const ZMQ_MECHANISM = 43;
/** Number of the option `plainServer`. */
export const ZMQ_PLAIN_SERVER = 44;
/** Number of the option `plainUsername`. */
export const ZMQ_PLAIN_USERNAME = 45;
/** Number of the option `plainPassword`. */
export const ZMQ_PLAIN_PASSWORD = 46;
/** Number of the option `curveServer`. */
export const ZMQ_CURVE_SERVER = 47;
/** Number of the option `curvePublicKey`. */
export const ZMQ_CURVE_PUBLICKEY = 48;
/** Number of the option `curveSecretKey`. */
export const ZMQ_CURVE_SECRETKEY = 49;
/** Number of the option `curveServerKey`. */
export const ZMQ_CURVE_SERVERKEY = 50;
/** Number of the option `zapDomain`. */
export const ZMQ_ZAP_DOMAIN = 55;
/** Number of the option `heartbeatInterval`. */
export const ZMQ_HEARTBEAT_IVL = 75;
/** Number of the option `heartbeatTimeToLive`. */
export const ZMQ_HEARTBEAT_TTL = 76;
/** Number of the option `heartbeatTimeout`. */
export const ZMQ_HEARTBEAT_TIMEOUT = 77;
/** Number of the option `connectTimeout`. */
export const ZMQ_CONNECT_TIMEOUT = 79;
/** Number of the option `ioThreads` of contexts. */
export const ZMQ_IO_THREADS = 1;
/** Number of the option `maxSockets` of contexts. */
export const ZMQ_MAX_SOCKETS = 2;
/** Number of the option `handover`. */
export const ZMQ_ROUTER_HANDOVER = 56;

// Types of sockets, as option `ZMQ_TYPE` reads them.
/** Number of the type PAIR. */
export const ZMQ_PAIR = 0;
/** Number of the type PUB. */
export const ZMQ_PUB = 1;
/** Number of the type SUB. */
export const ZMQ_SUB = 2;
/** Number of the type REQ. */
export const ZMQ_REQ = 3;
/** Number of the type REP. */
export const ZMQ_REP = 4;
/** Number of the type DEALER. */
export const ZMQ_DEALER = 5;
/** Old name of ZMQ_DEALER. */
export const ZMQ_XREQ = 5;
/** Number of the type ROUTER. */
export const ZMQ_ROUTER = 6;
/** Old name of ZMQ_ROUTER. */
export const ZMQ_XREP = 6;
/** Number of the type PULL. */
export const ZMQ_PULL = 7;
/** Number of the type PUSH. */
export const ZMQ_PUSH = 8;
/** Number of the type XPUB. */
export const ZMQ_XPUB = 9;
/** Number of the type XSUB. */
export const ZMQ_XSUB = 10;
/** Number of the type STREAM. */
export const ZMQ_STREAM = 11;

// The bits of `ZMQ_EVENTS`.
/** A message can be received. */
export const ZMQ_POLLIN = 1;
/** A message can be sent. */
export const ZMQ_POLLOUT = 2;
/** Never set: sockets of this package are not file descriptors. */
export const ZMQ_POLLERR = 4;

// A flag for `send`: more frames of the same message follow.
/** More frames of the same message follow. */
export const ZMQ_SNDMORE = 2;

// The abilities of this package, for programs that ask.
/** 1: `monitor` is there. */
export const ZMQ_CAN_MONITOR = 1;
/** 1: `disconnect` is there. */
export const ZMQ_CAN_DISCONNECT = 1;
/** 1: `unbind` is there. */
export const ZMQ_CAN_UNBIND = 1;
/** 1: options of the context can be set. */
export const ZMQ_CAN_SET_CTX = 1;

// States of a socket; only programs' comparisons refer to them.
/** The socket can be used. */
export const STATE_READY = 0;
/** A bind or unbind is under way. */
export const STATE_BUSY = 1;
/** The socket is closed. */
export const STATE_CLOSED = 2;

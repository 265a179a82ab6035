/**
 * The constants of `zmtp/v5-compat`: libzmq's numbers under the names that programs for version 5 of `zeromq` use. Some
 * numbers have two names, an old and a new one.
 */

// Options, for `setsockopt` and `getsockopt`.
export const ZMQ_AFFINITY = 4;
export const ZMQ_IDENTITY = 5;
export const ZMQ_SUBSCRIBE = 6;
export const ZMQ_UNSUBSCRIBE = 7;
export const ZMQ_RATE = 8;
export const ZMQ_RECOVERY_IVL = 9;
export const ZMQ_RECOVERY_IVL_MSEC = 9;
export const ZMQ_SNDBUF = 11;
export const ZMQ_RCVBUF = 12;
export const ZMQ_RCVMORE = 13;
export const ZMQ_FD = 14;
export const ZMQ_EVENTS = 15;
export const ZMQ_TYPE = 16;
export const ZMQ_LINGER = 17;
export const ZMQ_RECONNECT_IVL = 18;
export const ZMQ_BACKLOG = 19;
export const ZMQ_RECONNECT_IVL_MAX = 21;
export const ZMQ_MAXMSGSIZE = 22;
export const ZMQ_SNDHWM = 23;
export const ZMQ_RCVHWM = 24;
export const ZMQ_MULTICAST_HOPS = 25;
export const ZMQ_RCVTIMEO = 27;
export const ZMQ_SNDTIMEO = 28;
export const ZMQ_IPV4ONLY = 31;
export const ZMQ_LAST_ENDPOINT = 32;
export const ZMQ_ROUTER_MANDATORY = 33;
export const ZMQ_TCP_KEEPALIVE = 34;
export const ZMQ_TCP_KEEPALIVE_CNT = 35;
export const ZMQ_TCP_KEEPALIVE_IDLE = 36;
export const ZMQ_TCP_KEEPALIVE_INTVL = 37;
export const ZMQ_TCP_ACCEPT_FILTER = 38;
export const ZMQ_DELAY_ATTACH_ON_CONNECT = 39;
export const ZMQ_XPUB_VERBOSE = 40;
export const ZMQ_ROUTER_RAW = 41;
export const ZMQ_IPV6 = 42;
export const ZMQ_MECHANISM = 43;
export const ZMQ_PLAIN_SERVER = 44;
export const ZMQ_PLAIN_USERNAME = 45;
export const ZMQ_PLAIN_PASSWORD = 46;
export const ZMQ_CURVE_SERVER = 47;
export const ZMQ_CURVE_PUBLICKEY = 48;
export const ZMQ_CURVE_SECRETKEY = 49;
export const ZMQ_CURVE_SERVERKEY = 50;
export const ZMQ_ZAP_DOMAIN = 55;
export const ZMQ_HEARTBEAT_IVL = 75;
export const ZMQ_HEARTBEAT_TTL = 76;
export const ZMQ_HEARTBEAT_TIMEOUT = 77;
export const ZMQ_CONNECT_TIMEOUT = 79;
export const ZMQ_IO_THREADS = 1;
export const ZMQ_MAX_SOCKETS = 2;
export const ZMQ_ROUTER_HANDOVER = 56;

// Types of sockets, as option `ZMQ_TYPE` reads them.
export const ZMQ_PAIR = 0;
export const ZMQ_PUB = 1;
export const ZMQ_SUB = 2;
export const ZMQ_REQ = 3;
export const ZMQ_REP = 4;
export const ZMQ_DEALER = 5;
export const ZMQ_XREQ = 5;
export const ZMQ_ROUTER = 6;
export const ZMQ_XREP = 6;
export const ZMQ_PULL = 7;
export const ZMQ_PUSH = 8;
export const ZMQ_XPUB = 9;
export const ZMQ_XSUB = 10;
export const ZMQ_STREAM = 11;

// What `ZMQ_EVENTS` is made of.
export const ZMQ_POLLIN = 1;
export const ZMQ_POLLOUT = 2;
export const ZMQ_POLLERR = 4;

// A flag for `send`: more frames of the same message follow.
export const ZMQ_SNDMORE = 2;

// What this package can do, for programs that ask.
export const ZMQ_CAN_MONITOR = 1;
export const ZMQ_CAN_DISCONNECT = 1;
export const ZMQ_CAN_UNBIND = 1;
export const ZMQ_CAN_SET_CTX = 1;

// States of a socket; only programs' comparisons refer to them.
export const STATE_READY = 0;
export const STATE_BUSY = 1;
export const STATE_CLOSED = 2;

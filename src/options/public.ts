/**
 * The options as users see them: what the classes of sockets take over into their types. Units, defaults and the option of libzmq
 * that each one is. Setting one throws a `TypeError` for a value of the wrong type, EINVAL for one out of range, and ENOTSOCK
 * once the socket is closed. What is not marked live holds for the next `bind` or `connect`, and connections made by it.
 */
import type { SocketTypeNumber } from "./socket-types.ts";

/** Which subscriptions an XPUB reports beyond the first and the last of a topic. */
export type Verbosity = null | "allSubs" | "allSubsUnsubs";

/** What every socket has. */
export interface SocketOptionsCommon {
  /** Without effect: there are no I/O threads to choose among. Default 0. (ZMQ_AFFINITY) */
  affinity: number;
  /** Multicast data rate in kilobits a second, at least 1. Default 100. Without effect: there is no multicast. (ZMQ_RATE) */
  rate: number;
  /** Milliseconds that a multicast receiver may be absent. Default 10000. Without effect: there is no multicast. (ZMQ_RECOVERY_IVL) */
  recoveryInterval: number;
  /** The number of the socket's type. (ZMQ_TYPE) */
  readonly type: SocketTypeNumber;
  /**
   * Milliseconds that unsent messages are kept after `close`: -1 until they are delivered, 0 not at all. Default -1, and 0 for SUB,
   * XSUB and DISH, or where `context.blocky` is false. Read at `close`. Live. (ZMQ_LINGER)
   */
  linger: number;
  /**
   * Milliseconds between attempts to connect. 0 or -1: never again, neither after a refusal nor after a loss, with which the endpoint
   * ends. Default 100. (ZMQ_RECONNECT_IVL)
   */
  reconnectInterval: number;
  /** Milliseconds up to which the interval doubles, 0 keeps it constant. Default 0. (ZMQ_RECONNECT_IVL_MAX) */
  reconnectMaxInterval: number;
  /** When not to connect again, as bits: 1 refused, 2 handshake failed, 4 after `disconnect`. Default 0. (ZMQ_RECONNECT_STOP) */
  reconnectStop: number;
  /** Connections that may wait to be accepted; the kernel is asked for 1024 at least. Default 100. (ZMQ_BACKLOG) */
  backlog: number;
  /** Octets of one received frame; a larger one ends the connection. Default -1, no limit. (ZMQ_MAXMSGSIZE) */
  maxMessageSize: number;
  /** The endpoint bound or connected last, with its actual port; null before. (ZMQ_LAST_ENDPOINT) */
  readonly lastEndpoint: string | null;
  /** TCP keep-alive: 1 on, 0 off, -1 as the system has it. Default -1. (ZMQ_TCP_KEEPALIVE) */
  tcpKeepalive: number;
  /** Unanswered probes that end a connection. Default -1, as the system has it. Without effect: Node sets its own. (ZMQ_TCP_KEEPALIVE_CNT) */
  tcpKeepaliveCount: number;
  /** Seconds of silence before the first probe. Default -1, as the system has it. (ZMQ_TCP_KEEPALIVE_IDLE) */
  tcpKeepaliveIdle: number;
  /** Seconds between probes. Default -1, as the system has it. Without effect: Node sets its own. (ZMQ_TCP_KEEPALIVE_INTVL) */
  tcpKeepaliveInterval: number;
  /** Adds an address range ("10.0.0.0/8") whose peers may connect, null admits all again. Reading throws EINVAL. (ZMQ_TCP_ACCEPT_FILTER) */
  tcpAcceptFilter: string | null;
  /** Messages go only to peers that are connected, not to ones that are still being connected to. Default false. (ZMQ_IMMEDIATE) */
  immediate: boolean;
  /** IPv6 addresses are understood, besides IPv4. Default: the context's. (ZMQ_IPV6) */
  ipv6: boolean;
  /** How connections are protected: null not at all. Follows from the options `plain…` and `curve…` set last. (ZMQ_MECHANISM) */
  readonly securityMechanism: null | "plain" | "curve" | "gssapi";
  /** This end checks names and passwords, through the ZAP handler. False returns to no mechanism. Default false. (ZMQ_PLAIN_SERVER) */
  plainServer: boolean;
  /** Name for PLAIN, 1 to 255 octets; makes this end a client. Null resets. Default null. (ZMQ_PLAIN_USERNAME) */
  plainUsername: string | null;
  /** Password for PLAIN, 1 to 255 octets; makes this end a client. Null resets. Default null. (ZMQ_PLAIN_PASSWORD) */
  plainPassword: string | null;
  /** This end is the server of CURVE. False returns to no mechanism. Default false. (ZMQ_CURVE_SERVER) */
  curveServer: boolean;
  /** This end's public key: 40 characters of Z85, or 32 octets. Reading throws EINVAL while the mechanism is not CURVE. (ZMQ_CURVE_PUBLICKEY) */
  get curvePublicKey(): string | null;
  set curvePublicKey(key: string | Buffer | null);
  /** This end's secret key, as `curvePublicKey`. (ZMQ_CURVE_SECRETKEY) */
  get curveSecretKey(): string | null;
  set curveSecretKey(key: string | Buffer | null);
  /** The public key of the server to connect to; makes this end a client. As `curvePublicKey`. (ZMQ_CURVE_SERVERKEY) */
  get curveServerKey(): string | null;
  set curveServerKey(key: string | Buffer | null);
  /** Not available: setting it throws a TypeError, as in `zeromq`; it reads as undefined. (ZMQ_GSSAPI_SERVER) */
  gssapiServer: boolean;
  /** Not available: setting it throws a TypeError, as in `zeromq`; it reads as undefined. (ZMQ_GSSAPI_PRINCIPAL) */
  gssapiPrincipal: string | null;
  /** Not available: setting it throws a TypeError, as in `zeromq`; it reads as undefined. (ZMQ_GSSAPI_SERVICE_PRINCIPAL) */
  gssapiServicePrincipal: string | null;
  /** Not available: setting it throws a TypeError, as in `zeromq`; it reads as undefined. (ZMQ_GSSAPI_PLAINTEXT) */
  gssapiPlainText: boolean;
  /** Not available: setting it throws a TypeError, as in `zeromq`; it reads as undefined. (ZMQ_GSSAPI_PRINCIPAL_NAMETYPE) */
  gssapiPrincipalNameType: "hostBased" | "userName" | "krb5Principal";
  /** Not available: setting it throws a TypeError, as in `zeromq`; it reads as undefined. (ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE) */
  gssapiServicePrincipalNameType: "hostBased" | "userName" | "krb5Principal";
  /** Domain that the ZAP handler is asked with, 1 to 255 octets. Default null. (ZMQ_ZAP_DOMAIN) */
  zapDomain: string | null;
  /** The ZAP handler has to be there when a domain is set, and is not asked without one. Default false. (ZMQ_ZAP_ENFORCE_DOMAIN) */
  zapEnforceDomain: boolean;
  /** Type of service of the IP packets, up to 255. Default 0. Without effect where Node has no `setTypeOfService`, before version 26. (ZMQ_TOS) */
  typeOfService: number;
  /** Milliseconds that a handshake may take, 0 for ever. Default 30000. (ZMQ_HANDSHAKE_IVL) */
  handshakeInterval: number;
  /** SOCKS5 proxy "host:port" for outgoing TCP connections; null none. Default null. (ZMQ_SOCKS_PROXY) */
  socksProxy: string | null;
  /** Name for the SOCKS5 proxy, null none. Default null. (ZMQ_SOCKS_USERNAME) */
  socksUsername: string | null;
  /** Password for the SOCKS5 proxy. Default null. (ZMQ_SOCKS_PASSWORD) */
  socksPassword: string | null;
  /** Milliseconds between PINGs to each peer, 0 none. Default 0. (ZMQ_HEARTBEAT_IVL) */
  heartbeatInterval: number;
  /** Milliseconds, rounded down to tenths of a second, after which the peer may give this end up: 0 to 6553599. Default 0. (ZMQ_HEARTBEAT_TTL) */
  heartbeatTimeToLive: number;
  /** Milliseconds of silence after a PING that end a connection. Default -1: as long as the interval. (ZMQ_HEARTBEAT_TIMEOUT) */
  heartbeatTimeout: number;
  /** Milliseconds that one attempt of TCP to connect may take, 0 as long as the system lets it. Default 0. (ZMQ_CONNECT_TIMEOUT) */
  connectTimeout: number;
  /** Milliseconds that sent data may stay unacknowledged. Default 0, as the system has it. Without effect: Node cannot set it. (ZMQ_TCP_MAXRT) */
  tcpMaxRetransmitTimeout: number;
  /** Whether libzmq lets several threads use this type of socket. (ZMQ_THREAD_SAFE) */
  readonly threadSafe: boolean;
  /** Octets of one multicast packet, at least 1. Default 1500. Without effect: there is no multicast. (ZMQ_MULTICAST_MAXTPDU) */
  multicastMaxTransportDataUnit: number;
  /** Not available: throws EINVAL. (ZMQ_VMCI_BUFFER_SIZE) */
  vmciBufferSize: number;
  /** Not available: throws EINVAL. (ZMQ_VMCI_BUFFER_MIN_SIZE) */
  vmciBufferMinSize: number;
  /** Not available: throws EINVAL. (ZMQ_VMCI_BUFFER_MAX_SIZE) */
  vmciBufferMaxSize: number;
  /** Not available: throws EINVAL. (ZMQ_VMCI_CONNECT_TIMEOUT) */
  vmciConnectTimeout: number;
  /** Network interface, up to 16 octets, null any. Default null. Without effect: Node cannot set it; bind to the interface's address instead, or connect from it ("tcp://source:0;host:port"). (ZMQ_BINDTODEVICE) */
  interface: string | null;
  /** Without effect: an option of Windows. Default false. (ZMQ_LOOPBACK_FASTPATH) */
  loopbackFastPath: boolean;
  /** Properties for the peers to see, by names that start with "X-"; null none. (ZMQ_METADATA) */
  get metadata(): Record<string, string>;
  set metadata(properties: Record<string, string | Uint8Array> | null);
}

/** What sockets that send have. */
export interface WriterOptions {
  /** Octets of the kernel's send buffer. Default -1, as the system has it. Without effect: Node cannot set it. (ZMQ_SNDBUF) */
  sendBufferSize: number;
  /** Messages that may wait for one peer, 0 without limit; beyond, `send` waits or drops, as the type has it. Default 1000. Live. (ZMQ_SNDHWM) */
  sendHighWaterMark: number;
  /** Milliseconds that `send` may wait before it rejects with EAGAIN: -1 for ever, 0 not at all. Default -1. Live. (ZMQ_SNDTIMEO) */
  sendTimeout: number;
  /** Networks that a multicast may cross, at least 1. Default 1. Without effect: there is no multicast. (ZMQ_MULTICAST_HOPS) */
  multicastHops: number;
}

/** What sockets that receive have. */
export interface ReaderOptions {
  /** Octets of the kernel's receive buffer. Default -1, as the system has it. Without effect: Node cannot set it. (ZMQ_RCVBUF) */
  receiveBufferSize: number;
  /** Messages of one peer that may wait to be received, 0 without limit; beyond, its connection is not read. Default 1000. Live. (ZMQ_RCVHWM) */
  receiveHighWaterMark: number;
  /** Milliseconds that `receive` may wait before it rejects with EAGAIN: -1 for ever, 0 not at all. Default -1. Live. (ZMQ_RCVTIMEO) */
  receiveTimeout: number;
}

/** What sockets that routers can know by a name have. */
export interface RoutingIdOptions {
  /** The name that a router peer knows this socket by: 1 to 255 octets. Null while unset. (ZMQ_ROUTING_ID) */
  get routingId(): string | null;
  set routingId(id: string | Buffer | null);
}

export interface ConflateOptions {
  /** Only the newest message is kept, for each peer and direction; for messages of one part. Default false. (ZMQ_CONFLATE) */
  set conflate(value: boolean);
}

export interface ProbeRouterOptions {
  /** Each new connection starts with an empty message, by which a router learns of this socket. Default false. Live. (ZMQ_PROBE_ROUTER) */
  set probeRouter(value: boolean);
}

export interface InvertMatchingOptions {
  /** Messages that match no subscription are delivered, in place of those that do. To be set on both ends. Default false. Live. (ZMQ_INVERT_MATCHING) */
  invertMatching: boolean;
}

export interface NoDropOptions {
  /** `send` waits while a matching subscriber is full, in place of dropping its copy. Default false. Live. (ZMQ_XPUB_NODROP) */
  set noDrop(value: boolean);
}

export interface TopicsCountOptions {
  /** How many distinct topics are subscribed to. (ZMQ_TOPICS_COUNT) */
  readonly topicsCount: number;
}

export interface HelloMessageOptions {
  /** What each new peer is sent first; null nothing. Default null. Live. (ZMQ_HELLO_MSG) */
  get helloMessage(): string | null;
  set helloMessage(message: string | Buffer | null);
}

export interface DisconnectMessageOptions {
  /** What this socket receives when an accepted peer leaves; null nothing. Default null. Live. (ZMQ_DISCONNECT_MSG) */
  get disconnectMessage(): string | null;
  set disconnectMessage(message: string | Buffer | null);
}

export interface HiccupMessageOptions {
  /** What this socket receives when a peer that it connected to is lost; null nothing. Default null. Live. (ZMQ_HICCUP_MSG) */
  get hiccupMessage(): string | null;
  set hiccupMessage(message: string | Buffer | null);
}

export interface RequestOptions extends RoutingIdOptions, ProbeRouterOptions {
  /** Requests carry a number that replies have to repeat. Default false. Live. (ZMQ_REQ_CORRELATE) */
  set correlate(value: boolean);
  /** A new request may be sent before the reply to the last one; it abandons that. Default false. Live. (ZMQ_REQ_RELAXED) */
  set relaxed(value: boolean);
}

export interface ReplyOptions extends RoutingIdOptions {}

export interface DealerOptions
  extends RoutingIdOptions,
    ProbeRouterOptions,
    ConflateOptions,
    HelloMessageOptions,
    HiccupMessageOptions {}

export interface RouterOptions
  extends RoutingIdOptions,
    ProbeRouterOptions,
    HelloMessageOptions,
    DisconnectMessageOptions {
  /** Messages to unknown peers reject with EHOSTUNREACH, to full ones wait; else both are dropped. Default false. Live; reading throws EINVAL. (ZMQ_ROUTER_MANDATORY) */
  mandatory: boolean;
  /**
   * A new peer takes over the routing id that one which is there has announced; else it is refused. Ids that were generated, or given to
   * `connect`, are never taken over. Default false. Live. (ZMQ_ROUTER_HANDOVER)
   */
  set handover(value: boolean);
  /** What is told of peers by messages `[id, empty]`, as bits: 1 that one came, 2 that one went. Default 0. Live. (ZMQ_ROUTER_NOTIFY) */
  routerNotify: number;
}

export interface PublisherOptions extends NoDropOptions, ConflateOptions, InvertMatchingOptions, TopicsCountOptions {}

export interface SubscriberOptions extends ConflateOptions, InvertMatchingOptions, TopicsCountOptions {}

export interface XPublisherOptions extends NoDropOptions, InvertMatchingOptions, TopicsCountOptions {
  /** Subscriptions are only reported; the application makes them with `subscribe`. Default false. Live. (ZMQ_XPUB_MANUAL) */
  set manual(value: boolean);
  /** As `manual`, and the next message goes only to the peer that was reported last. Default false. Live. (ZMQ_XPUB_MANUAL_LAST_VALUE) */
  set manualLastValue(value: boolean);
  /** What each new subscriber is sent first; null nothing. Default null. Live. (ZMQ_XPUB_WELCOME_MSG) */
  get welcomeMessage(): string | null;
  set welcomeMessage(message: string | Buffer | null);
  /** Reports every subscription ("allSubs"), or every end of one too ("allSubsUnsubs"); null the first and last of a topic. Default null. Live. (ZMQ_XPUB_VERBOSE, ZMQ_XPUB_VERBOSER) */
  set verbosity(value: Verbosity);
  /** Only the first part of a message can be a subscription. Default false. Live. (ZMQ_ONLY_FIRST_SUBSCRIBE) */
  set onlyFirstSubscribe(value: boolean);
}

export interface XSubscriberOptions extends TopicsCountOptions {
  /** Only the first part of a message can be a subscription. Default false. Live. (ZMQ_ONLY_FIRST_SUBSCRIBE) */
  set onlyFirstSubscribe(value: boolean);
  /** Every end of a subscription is sent on, not only the last of a topic. Default false. Live. (ZMQ_XSUB_VERBOSE_UNSUBSCRIBE) */
  set verboseUnsubscribe(value: boolean);
}

export interface StreamOptions {
  /** Connections are announced by an empty message when they come and when they go. Default true. (ZMQ_STREAM_NOTIFY) */
  set notify(value: boolean);
}

/** What a context has. */
export interface ContextOptions {
  /**
   * How long a socket polls for the answer to its own question before it sleeps, in microseconds; 0: never. REQ does, DEALER while it asks
   * and is answered in turn, and every socket between the pieces of a large message. It shortens a round trip by the time in which a
   * processor wakes up, and makes the process seem busy; it ends by itself while answers take longer or other processes want the
   * processor. At least 0, default 0. In Bun and Deno it gains nothing. (An addition, akin to ZMQ_BUSY_POLL.)
   */
  busyPoll: number;
  /** Without effect: sockets run on the event loop. At least 0, default 1. (ZMQ_IO_THREADS) */
  ioThreads: number;
  /** Sockets that may be open at a time, at least 1; one more fails with EMFILE. Default 1023. (ZMQ_MAX_SOCKETS) */
  maxSockets: number;
  /** 65535. (ZMQ_SOCKET_LIMIT) */
  readonly maxSocketsLimit: number;
  /** Without effect: there is no thread; write-only. (ZMQ_THREAD_PRIORITY) */
  set threadPriority(value: number);
  /** Without effect: there is no thread; write-only. (ZMQ_THREAD_SCHED_POLICY) */
  set threadSchedulingPolicy(value: number);
  /** Without effect, as in libzmq: the sockets' own `maxMessageSize` limits what they receive. At least 0, default 2147483647. (ZMQ_MAX_MSGSZ) */
  maxMessageSize: number;
  /** New sockets understand IPv6. Default false. (ZMQ_IPV6) */
  ipv6: boolean;
  /** False: new sockets start with a linger of 0, so that the process ends at once. Default true. (ZMQ_BLOCKY) */
  blocky: boolean;
}

/**
 * The options as users see them, which the classes of sockets take over into their types: units, defaults and libzmq's
 * option. Setting one throws a `TypeError` for a value of the wrong type, EINVAL for one out of range, and ENOTSOCK
 * once the socket is closed. Those that are marked live act at once; the others hold for the next `bind` or `connect`,
 * and connections made by it.
 */
import type { SocketTypeNumber } from "./socket-types.ts";

/** Subscriptions that an XPUB reports beyond the first and the last of a topic; null is none. */
export type Verbosity = null | "allSubs" | "allSubsUnsubs";

/** Options of every socket. */
export interface SocketOptionsCommon {
  /**
   * I/O threads that serve this socket in libzmq, as bits. Default 0. Without effect: there are none. (ZMQ_AFFINITY)
   */
  affinity: number;
  /**
   * Multicast data rate in kilobits a second, at least 1. Default 100. Without effect: there is no multicast.
   * (ZMQ_RATE)
   */
  rate: number;
  /**
   * Milliseconds that a multicast receiver may be absent, at least 0. Default 10000. Without effect: there is no
   * multicast. (ZMQ_RECOVERY_IVL)
   */
  recoveryInterval: number;
  /**
   * Number of the socket's type, as libzmq counts: 0 PAIR, 1 PUB, 2 SUB, 3 REQ, 4 REP, 5 DEALER, 6 ROUTER, 7 PULL, 8
   * PUSH, 9 XPUB, 10 XSUB, 11 STREAM. (ZMQ_TYPE)
   */
  readonly type: SocketTypeNumber;
  /**
   * Milliseconds that unsent messages are kept after `close`: -1 until they are delivered, 0 not at all. Default -1,
   * and 0 for SUB, XSUB and DISH, or where `context.blocky` is false. Read at `close`. Live. (ZMQ_LINGER)
   */
  linger: number;
  /**
   * Milliseconds between attempts to connect. 0 or -1: no further attempt, neither after a refusal nor after a loss;
   * the endpoint ends. Default 100. (ZMQ_RECONNECT_IVL)
   */
  reconnectInterval: number;
  /**
   * Milliseconds up to which `reconnectInterval` doubles with each failed attempt; 0 keeps it constant. Default 0.
   * (ZMQ_RECONNECT_IVL_MAX)
   */
  reconnectMaxInterval: number;
  /**
   * Causes that end the attempts to connect, as a sum: 1 connection refused, 2 handshake failed, 4 `disconnect`.
   * Default 0. (ZMQ_RECONNECT_STOP)
   */
  reconnectStop: number;
  /**
   * Number of connections that may wait to be accepted; the kernel is asked for 1024 at least. Default 100.
   * (ZMQ_BACKLOG)
   */
  backlog: number;
  /**
   * Most octets that a received frame may have; a larger one ends the connection. -1 sets no limit. Default -1.
   * (ZMQ_MAXMSGSIZE)
   */
  maxMessageSize: number;
  /** Address that was bound or connected last, with its actual port; null before. (ZMQ_LAST_ENDPOINT) */
  readonly lastEndpoint: string | null;
  /** TCP keep-alive: 1 on, 0 off, -1 leaves it to the system. Default -1. (ZMQ_TCP_KEEPALIVE) */
  tcpKeepalive: number;
  /**
   * Number of unanswered probes that end a connection; -1 leaves it to the system. Default -1. Without effect: Node
   * sets its own. (ZMQ_TCP_KEEPALIVE_CNT)
   */
  tcpKeepaliveCount: number;
  /** Seconds of silence before the first probe; -1 leaves it to the system. Default -1. (ZMQ_TCP_KEEPALIVE_IDLE) */
  tcpKeepaliveIdle: number;
  /**
   * Seconds between probes; -1 leaves it to the system. Default -1. Without effect: Node sets its own.
   * (ZMQ_TCP_KEEPALIVE_INTVL)
   */
  tcpKeepaliveInterval: number;
  /**
   * Adds an address or a network ("10.0.0.0/8") to those whose peers may connect; null admits all again. Reading
   * throws EINVAL. (ZMQ_TCP_ACCEPT_FILTER)
   */
  tcpAcceptFilter: string | null;
  /**
   * Queues messages only for peers that are connected, not for those that are still being connected to. Default
   * false. (ZMQ_IMMEDIATE)
   */
  immediate: boolean;
  /** Understands IPv6 addresses besides IPv4. Default: the context's. (ZMQ_IPV6) */
  ipv6: boolean;
  /**
   * Mechanism that protects connections; null is none. The `plain…` or `curve…` option that was set last decides it.
   * (ZMQ_MECHANISM)
   */
  readonly securityMechanism: null | "plain" | "curve" | "gssapi";
  /**
   * Makes this end the server of PLAIN: the ZAP handler checks names and passwords. False returns to no mechanism.
   * Default false. (ZMQ_PLAIN_SERVER)
   */
  plainServer: boolean;
  /**
   * Name for PLAIN, 1 to 255 octets; makes this end a client. Null returns to no mechanism. Default null.
   * (ZMQ_PLAIN_USERNAME)
   */
  plainUsername: string | null;
  /**
   * Password for PLAIN, 1 to 255 octets; makes this end a client. Null returns to no mechanism. Default null.
   * (ZMQ_PLAIN_PASSWORD)
   */
  plainPassword: string | null;
  /** Makes this end the server of CURVE. False returns to no mechanism. Default false. (ZMQ_CURVE_SERVER) */
  curveServer: boolean;
  /**
   * This end's public key in 40 characters of Z85; zeros while it is not set. Reading throws EINVAL while the
   * mechanism is not CURVE. (ZMQ_CURVE_PUBLICKEY)
   */
  get curvePublicKey(): string | null;
  /**
   * Takes 40 characters of Z85 or 32 octets, and chooses CURVE. @throws ErrnoError EINVAL for anything else, null
   * included
   */
  set curvePublicKey(key: string | Buffer | null);
  /** This end's secret key, read and set like `curvePublicKey`. (ZMQ_CURVE_SECRETKEY) */
  get curveSecretKey(): string | null;
  /** Sets the key like `curvePublicKey`. @throws ErrnoError EINVAL */
  set curveSecretKey(key: string | Buffer | null);
  /**
   * Public key of the server to connect to, read and set like `curvePublicKey`; makes this end a client.
   * (ZMQ_CURVE_SERVERKEY)
   */
  get curveServerKey(): string | null;
  /** Sets the key like `curvePublicKey`, and makes this end a client. @throws ErrnoError EINVAL */
  set curveServerKey(key: string | Buffer | null);
  /** Not available: setting it throws a TypeError, and it reads as undefined. (ZMQ_GSSAPI_SERVER) */
  gssapiServer: boolean;
  /** Not available: setting it throws a TypeError, and it reads as undefined. (ZMQ_GSSAPI_PRINCIPAL) */
  gssapiPrincipal: string | null;
  /** Not available: setting it throws a TypeError, and it reads as undefined. (ZMQ_GSSAPI_SERVICE_PRINCIPAL) */
  gssapiServicePrincipal: string | null;
  /** Not available: setting it throws a TypeError, and it reads as undefined. (ZMQ_GSSAPI_PLAINTEXT) */
  gssapiPlainText: boolean;
  /** Not available: setting it throws a TypeError, and it reads as undefined. (ZMQ_GSSAPI_PRINCIPAL_NAMETYPE) */
  gssapiPrincipalNameType: "hostBased" | "userName" | "krb5Principal";
  /**
   * Not available: setting it throws a TypeError, and it reads as undefined. (ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE)
   */
  gssapiServicePrincipalNameType: "hostBased" | "userName" | "krb5Principal";
  /** Domain that the ZAP handler (RFC 27) is asked with, 1 to 255 octets. Default null. (ZMQ_ZAP_DOMAIN) */
  zapDomain: string | null;
  /**
   * Refuses every peer when `zapDomain` is set and no ZAP handler is bound; without a domain, none is asked. Default
   * false. (ZMQ_ZAP_ENFORCE_DOMAIN)
   */
  zapEnforceDomain: boolean;
  /**
   * Type of service of the IP packets, 0 to 255. Default 0. Acts from Node 26 on, which has `setTypeOfService`; kept
   * before. (ZMQ_TOS)
   */
  typeOfService: number;
  /** Milliseconds that a handshake may take; 0 sets no limit. Default 30000. (ZMQ_HANDSHAKE_IVL) */
  handshakeInterval: number;
  /**
   * Address "host:port" of a SOCKS5 proxy for outgoing TCP connections; null connects directly. Default null.
   * (ZMQ_SOCKS_PROXY)
   */
  socksProxy: string | null;
  /** Name for the SOCKS5 proxy, up to 255 octets; null or empty gives none. Default null. (ZMQ_SOCKS_USERNAME) */
  socksUsername: string | null;
  /** Password for the SOCKS5 proxy, up to 255 octets. Default null. (ZMQ_SOCKS_PASSWORD) */
  socksPassword: string | null;
  /** Milliseconds between PINGs to each peer; 0 sends none. Default 0. (ZMQ_HEARTBEAT_IVL) */
  heartbeatInterval: number;
  /**
   * Milliseconds, rounded down to tenths of a second, after which a silent peer may give this end up: 0 to 6553599.
   * Default 0. (ZMQ_HEARTBEAT_TTL)
   */
  heartbeatTimeToLive: number;
  /**
   * Milliseconds of silence after a PING that end a connection. Default -1: as long as `heartbeatInterval`.
   * (ZMQ_HEARTBEAT_TIMEOUT)
   */
  heartbeatTimeout: number;
  /**
   * Milliseconds that one attempt to connect over TCP may take; 0 leaves it to the system. Default 0.
   * (ZMQ_CONNECT_TIMEOUT)
   */
  connectTimeout: number;
  /**
   * Milliseconds that sent data may stay unacknowledged; 0 leaves it to the system. Default 0. Without effect: Node
   * cannot set it. (ZMQ_TCP_MAXRT)
   */
  tcpMaxRetransmitTimeout: number;
  /** True for the types that several threads may use in libzmq: drafts only, so false here. (ZMQ_THREAD_SAFE) */
  readonly threadSafe: boolean;
  /**
   * Most octets of a multicast packet, at least 1. Default 1500. Without effect: there is no multicast.
   * (ZMQ_MULTICAST_MAXTPDU)
   */
  multicastMaxTransportDataUnit: number;
  /** Not available: reading and setting throw EINVAL. (ZMQ_VMCI_BUFFER_SIZE) */
  vmciBufferSize: number;
  /** Not available: reading and setting throw EINVAL. (ZMQ_VMCI_BUFFER_MIN_SIZE) */
  vmciBufferMinSize: number;
  /** Not available: reading and setting throw EINVAL. (ZMQ_VMCI_BUFFER_MAX_SIZE) */
  vmciBufferMaxSize: number;
  /** Not available: reading and setting throw EINVAL. (ZMQ_VMCI_CONNECT_TIMEOUT) */
  vmciConnectTimeout: number;
  /**
   * Network interface, up to 16 octets; null is any. Default null. Without effect: Node cannot set it; bind to the
   * interface's address instead, or connect from it ("tcp://source:0;host:port"). (ZMQ_BINDTODEVICE)
   */
  interface: string | null;
  /**
   * Fast path of Windows for its own addresses. Default false. Without effect: Node cannot set it.
   * (ZMQ_LOOPBACK_FASTPATH)
   */
  loopbackFastPath: boolean;
  /** Properties that peers see as `lastPeer.properties`, by names that start with "X-". Default none. (ZMQ_METADATA) */
  get metadata(): Record<string, string>;
  /**
   * Replaces all properties; null removes them. @throws ErrnoError EINVAL for a name without "X-" or of more than 255
   * octets, or for too many octets in all; TypeError for values that are neither text nor octets
   */
  set metadata(properties: Record<string, string | Uint8Array> | null);
}

/** Options of sockets that send. */
export interface WriterOptions {
  /**
   * Octets of the kernel's send buffer; -1 leaves it to the system. Default -1. Without effect: Node cannot set it.
   * (ZMQ_SNDBUF)
   */
  sendBufferSize: number;
  /**
   * Number of messages that may wait for one peer; 0 sets no limit. When it is reached, `send` waits (PUSH, DEALER,
   * REQ, PAIR) or drops (PUB, XPUB, ROUTER, REP). Default 1000. Live. (ZMQ_SNDHWM)
   */
  sendHighWaterMark: number;
  /**
   * Milliseconds that `send` may wait before it rejects with EAGAIN: -1 for ever, 0 not at all. Default -1. Live.
   * (ZMQ_SNDTIMEO)
   */
  sendTimeout: number;
  /**
   * Number of networks that a multicast may cross, at least 1. Default 1. Without effect: there is no multicast.
   * (ZMQ_MULTICAST_HOPS)
   */
  multicastHops: number;
}

/** Options of sockets that receive. */
export interface ReaderOptions {
  /**
   * Octets of the kernel's receive buffer; -1 leaves it to the system. Default -1. Without effect: Node cannot set
   * it. (ZMQ_RCVBUF)
   */
  receiveBufferSize: number;
  /**
   * Number of messages of one peer that may wait to be received; 0 sets no limit. When it is reached, its connection
   * is not read. Default 1000. Live. (ZMQ_RCVHWM)
   */
  receiveHighWaterMark: number;
  /**
   * Milliseconds that `receive` may wait before it rejects with EAGAIN: -1 for ever, 0 not at all. Default -1. Live.
   * (ZMQ_RCVTIMEO)
   */
  receiveTimeout: number;
}

/** Options of sockets that a ROUTER can know by an id of their own. */
export interface RoutingIdOptions {
  /**
   * Id by which a ROUTER peer knows this socket, 1 to 255 octets; null while it is not set. Default null.
   * (ZMQ_ROUTING_ID)
   */
  get routingId(): string | null;
  /** Sets the id for the next connections. @throws ErrnoError EINVAL for none, and for more than 255 octets */
  set routingId(id: string | Buffer | null);
}

export interface ConflateOptions {
  /**
   * Keeps only the newest message for each peer and direction; for messages of one part. Default false.
   * (ZMQ_CONFLATE)
   */
  set conflate(value: boolean);
}

export interface ProbeRouterOptions {
  /**
   * Sends an empty message first on each new connection, by which a ROUTER learns of this socket. Default false.
   * Live. (ZMQ_PROBE_ROUTER)
   */
  set probeRouter(value: boolean);
}

export interface InvertMatchingOptions {
  /**
   * Delivers the messages that match no subscription instead of those that do; to be set on both ends. Default false.
   * Live. (ZMQ_INVERT_MATCHING)
   */
  invertMatching: boolean;
}

export interface NoDropOptions {
  /**
   * Makes `send` wait while a matching subscriber is full, instead of dropping its copy. Default false. Live.
   * (ZMQ_XPUB_NODROP)
   */
  set noDrop(value: boolean);
}

export interface TopicsCountOptions {
  /** Number of distinct topics that are subscribed to: here, or by peers. (ZMQ_TOPICS_COUNT) */
  readonly topicsCount: number;
}

export interface HelloMessageOptions {
  /** Message that each new peer is sent first; null is none. Default null. Live. (ZMQ_HELLO_MSG) */
  get helloMessage(): string | null;
  /** Sets the message, or with null none. */
  set helloMessage(message: string | Buffer | null);
}

export interface DisconnectMessageOptions {
  /**
   * Message that this socket receives when an accepted peer leaves; null is none. Default null. Live.
   * (ZMQ_DISCONNECT_MSG)
   */
  get disconnectMessage(): string | null;
  /** Sets the message, or with null none. */
  set disconnectMessage(message: string | Buffer | null);
}

export interface HiccupMessageOptions {
  /**
   * Message that this socket receives when a peer is lost that it connected to; null is none. Default null. Live.
   * (ZMQ_HICCUP_MSG)
   */
  get hiccupMessage(): string | null;
  /** Sets the message, or with null none. */
  set hiccupMessage(message: string | Buffer | null);
}

export interface RequestOptions extends RoutingIdOptions, ProbeRouterOptions {
  /** Sends a number with each request, which its reply has to repeat. Default false. Live. (ZMQ_REQ_CORRELATE) */
  set correlate(value: boolean);
  /**
   * Lets a new request be sent before the reply to the last one, which is then given up; else that is EFSM. Default
   * false. Live. (ZMQ_REQ_RELAXED)
   */
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
  /**
   * Rejects messages to unknown peers with EHOSTUNREACH, and waits for full ones; otherwise both are dropped. Default
   * false. Live; reading throws EINVAL. (ZMQ_ROUTER_MANDATORY)
   */
  mandatory: boolean;
  /**
   * Lets a new peer take over the routing id that a present one has announced; otherwise it is refused. Ids that were
   * generated, or given to `connect`, are never taken over. Default false. Live. (ZMQ_ROUTER_HANDOVER)
   */
  set handover(value: boolean);
  /**
   * Tells of peers by messages `[id, empty]`, as a sum: 1 when one comes, 2 when one goes. Default 0. Live.
   * (ZMQ_ROUTER_NOTIFY)
   */
  routerNotify: number;
}

export interface PublisherOptions extends NoDropOptions, ConflateOptions, InvertMatchingOptions, TopicsCountOptions {}

export interface SubscriberOptions extends ConflateOptions, InvertMatchingOptions, TopicsCountOptions {}

export interface XPublisherOptions extends NoDropOptions, InvertMatchingOptions, TopicsCountOptions {
  /** Only reports subscriptions; the application makes them with `subscribe`. Default false. Live. (ZMQ_XPUB_MANUAL) */
  set manual(value: boolean);
  /**
   * Acts as `manual`, and sends the next message only to the peer that was reported last. Default false. Live.
   * (ZMQ_XPUB_MANUAL_LAST_VALUE)
   */
  set manualLastValue(value: boolean);
  /** Message that each new subscriber is sent first; null is none. Default null. Live. (ZMQ_XPUB_WELCOME_MSG) */
  get welcomeMessage(): string | null;
  /** Sets the message, or with null none. */
  set welcomeMessage(message: string | Buffer | null);
  /**
   * Reports every subscription ("allSubs"), or also every end of one ("allSubsUnsubs"); with null the first and the
   * last of a topic. Default null. Live. (ZMQ_XPUB_VERBOSE, ZMQ_XPUB_VERBOSER)
   */
  set verbosity(value: Verbosity);
  /** Takes only the first part of a message for a subscription. Default false. Live. (ZMQ_ONLY_FIRST_SUBSCRIBE) */
  set onlyFirstSubscribe(value: boolean);
}

export interface XSubscriberOptions extends TopicsCountOptions {
  /** Takes only the first part of a message for a subscription. Default false. Live. (ZMQ_ONLY_FIRST_SUBSCRIBE) */
  set onlyFirstSubscribe(value: boolean);
  /**
   * Sends on every end of a subscription, not only the last of a topic. Default false. Live.
   * (ZMQ_XSUB_VERBOSE_UNSUBSCRIBE)
   */
  set verboseUnsubscribe(value: boolean);
}

export interface StreamOptions {
  /** Announces connections by an empty message when they come and when they go. Default true. (ZMQ_STREAM_NOTIFY) */
  set notify(value: boolean);
}

/** Options of a context. */
export interface ContextOptions {
  /**
   * Microseconds for which a socket polls for the answer to its own question before it sleeps; 0 never polls. REQ
   * polls, DEALER while it asks and is answered in turn, and every socket between the pieces of a large message.
   * Polling shortens a round trip by the time in which a processor wakes up, and makes the process seem busy; it ends
   * by itself while answers take longer or other processes want the processor. At least 0. Default 0. In Bun and Deno
   * it gains nothing. (An addition, akin to ZMQ_BUSY_POLL.)
   */
  busyPoll: number;
  /**
   * Number of I/O threads in libzmq, at least 0. Default 1. Without effect: sockets run on the event loop.
   * (ZMQ_IO_THREADS)
   */
  ioThreads: number;
  /** Number of sockets that may be open at a time, at least 1; one more is EMFILE. Default 1023. (ZMQ_MAX_SOCKETS) */
  maxSockets: number;
  /** Greatest value that `maxSockets` is meant for: 65535. (ZMQ_SOCKET_LIMIT) */
  readonly maxSocketsLimit: number;
  /**
   * Priority of I/O threads in libzmq, at least 0; write-only. Without effect: there are none. (ZMQ_THREAD_PRIORITY)
   */
  set threadPriority(value: number);
  /**
   * Scheduling policy of I/O threads in libzmq, at least 0; write-only. Without effect: there are none.
   * (ZMQ_THREAD_SCHED_POLICY)
   */
  set threadSchedulingPolicy(value: number);
  /**
   * Most octets of a message in libzmq, which does not heed it either; at least 0. Default 2147483647. Without
   * effect: each socket's own `maxMessageSize` limits what it receives. (ZMQ_MAX_MSGSZ)
   */
  maxMessageSize: number;
  /** Lets new sockets understand IPv6 addresses. Default false. (ZMQ_IPV6) */
  ipv6: boolean;
  /**
   * When false, new sockets start with a `linger` of 0, so that the process ends at once. Default true. (ZMQ_BLOCKY)
   */
  blocky: boolean;
}

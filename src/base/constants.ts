/**
 * Every number by which we tune or limit something: name_unit, value, reason. Other trade-offs are made here. Numbers
 * that a protocol, an operating system or an algorithm fixes stand where they are used.
 */

/**
 * Outgoing bodies up to here are copied into a slab, larger ones are referenced. A copy of this size costs what a chunk
 * of a `writev` costs.
 */
export const COPY_LIMIT_BYTES = 8192;

/** The promise of the API: bodies up to here are never referenced, so that callers may reuse small buffers. */
export const ALWAYS_COPY_BYTES = 128;

/** A slab: what one `write` hands to the kernel at a time. One loopback read takes as much. */
export const SLAB_BYTES = 65536;

/** First slab of a quiet peer: a thousand of them that each answer a request must not take 64 MiB. */
export const SMALL_SLAB_BYTES = 2048;

/** Slabs that stay behind after a burst, for the next one: 2 MiB at most of large ones, and 256 KiB of small ones. */
export const POOLED_LARGE_SLABS = 32;
export const POOLED_SMALL_SLABS = 128;

/**
 * The most that one flush hands to the stream before it waits for the kernel: a lost connection can take as much with
 * it.
 */
export const FLUSH_LIMIT_BYTES = 262144;

/**
 * Twice this much and more is handed to the kernel in pieces of about this size, with a look between them whether the
 * memory is still there: what a program that moves it too early can send by mistake is one piece. Each costs a system
 * call, which is little beside the kernel's copy of it.
 */
export const WRITE_PIECE_BYTES = 2097152;

/** The end of such a write, copied: without it, a peer does not take what came before for a message. */
export const WRITE_TAIL_BYTES = 64;

/** A page: what a tiny message that the application keeps can pin. */
export const PAGE_BYTES = 4096;

/** Memory that small buffers are cut from, all of which one that is kept can pin: as much as Node's own pool. */
export const SMALL_BUFFERS_BYTES = 8192;

/**
 * Texts up to here are encoded a character at a time, which is up to twice as fast; longer ones by the runtime
 * (bench/micro/tunings.mjs).
 */
export const SHORT_TEXT_CHARACTERS = 12;

/**
 * A received body is a view into its chunk when what it pins is at most so many times its size: from 8 KiB on in a full
 * chunk.
 */
export const PIN_FACTOR = 8;

/** A body whose size is only announced gets at most this much memory ahead of its bytes. */
export const GROW_STEP_BYTES = 1048576;

/**
 * Full memory of such a body is replaced by so many times as much, and by twice as much where there is less. What
 * nothing was written to is not occupied, but copies take time: by doubling, a body of 10 MB was copied one and a half
 * times.
 */
export const GROW_FACTOR = 16;

/**
 * Frames in one message on the wire, those included that REQ, REP and ROUTER put before it: what `send` accepts here, a
 * receiver of ours takes. libzmq has no limit, and programs pass on some 100,000; a flood of frames must not fill
 * memory without ending a message.
 */
export const MESSAGE_FRAMES = 1048576;

/** Frames that listeners of version 5 certainly get as arguments of their own: the stack of Node holds some 50,000. */
export const SAFE_ARGUMENTS = 32768;

/** A handshake command is never larger: CURVE's INITIATE with 64 KiB of metadata is. */
export const HANDSHAKE_COMMAND_BYTES = 65536;

/**
 * Memory for the first octets of a body in the handshake, which grows as more of them come: a peer may only announce
 * them.
 */
export const HANDSHAKE_BODY_BYTES = 512;

/**
 * Application metadata, encoded: leaves a handshake command room for the keys of CURVE, a socket type and a routing id.
 */
export const METADATA_BYTES = 64512;

/**
 * Properties in a READY, an INITIATE or a ZAP answer: each is a name, a Buffer and a row of a table for as long as the
 * connection lasts, 50 octets and more for one of ten on the wire.
 */
export const PROPERTIES = 256;

/** A command after the handshake (a subscription with its topic is one). */
export const COMMAND_BYTES = 1048576;

/** Operations that may resolve without leaving the microtask queue; the next one waits for the check phase. */
export const OPERATIONS_PER_INPUT = 512;

/**
 * Operations that may resolve in one turn of the event loop, in which every socket may be read from 32 times: without a
 * limit, a hundred that were flooded with 10 octets at a time kept timers waiting for 4 s. This many take 5 to 10 ms.
 */
export const OPERATIONS_PER_TURN = 32768;

/** Operations that each of many that wait for the check phase may do there at least: a batch. */
export const LEAST_OPERATIONS = 16;

/** A message in a batch takes less time than one with a promise of its own. */
export const MESSAGES_PER_OPERATION = 8;

/** Messages that a `receiveMany()` without a limit takes: more at once would live through collections. */
export const BATCH_MESSAGES = 128;

/** libzmq misreads a PING's time to live above this, in tenths of a second. */
export const PING_TTL_MAX_DECISECONDS = 655;

/** The time for which a process that ended by itself waits in silence for unsent messages before it says so. */
export const EXIT_WARNING_MS = 500;

/**
 * `sun_path` of Linux is 108 octets with its closing NUL. Node cuts longer paths without a word, so they are refused
 * before.
 */
export const IPC_PATH_LINUX_BYTES = 107;

/** The same of macOS and the BSDs: 104. */
export const IPC_PATH_OTHER_BYTES = 103;

/**
 * After our FIN: how long the peer may take to send its own before the descriptor is closed anyway. A live peer needs
 * one round trip.
 */
export const END_WAIT_MS = 1000;

/**
 * After connections that end before they are ready, the reconnect interval doubles this often at most: 3.2 s by
 * default.
 */
export const RECONNECT_FAULT_DOUBLINGS = 5;

/**
 * Events kept for an observer that does not read, the newest ones: thousands of connections may drop in one turn, and
 * links may flap for ever.
 */
export const KEPT_EVENTS = 10000;

/**
 * A host with several addresses: how long one of them may stay silent before the next is tried. Above the slowest usual
 * round trip.
 */
export const CONNECT_ADDRESS_MS = 2000;

/** The interval at which a process that ended by itself looks whether its unsent messages are delivered. */
export const EXIT_POLL_MS = 10;

/** PINGs closer together than this were read late in one go, and tell nothing about how often the peer asks. */
export const SPONTANEOUS_PONG_MS = 50;

/**
 * A timer that fires later than this shows a busy process: what it has not read yet may be the sign of life, so one
 * more turn decides.
 */
export const LATE_TIMER_MS = 20;

/** Octets that a publisher keeps for peers whose subscriptions are on their way. */
export const KEPT_BYTES = 1048576;

/** Keeps them for this long at least, and twice as long at most. */
export const KEPT_MS = 25;

/** Times as long a handshake may take: a second, for CURVE on a busy machine. */
export const NEWCOMER_TICKS = 40;

/**
 * Lets a question that waited for its connection wait this long for subscriptions whose connection is a step behind.
 */
export const SUBSCRIBING_MS = 5;

/** Ticks in a row that may come late, since the program computes for longer than they are apart. */
export const LATE_TICKS = 10;

/** Types that drop queue a burst of one turn up to this many high-water marks: nobody could read meanwhile. */
export const BURST_FACTOR = 16;

/**
 * Changes of subscriptions that wait for a publisher, each in its place; beyond, and beyond twice the set, they give
 * way to the set: a publisher that never comes must not fill the memory of a program that goes on to subscribe and
 * unsubscribe. 1 MB.
 */
export const WAITING_TOPICS = 10_000;

/**
 * The interval at which to look whether only our own unfinished connects and writes keep the process alive: it may end
 * so much late.
 */
export const HELD_CHECK_MS = 250;

/**
 * A process that ended and was not asked for so long whether to wait had something else to do: its linger times start
 * anew at the next end.
 */
export const EXIT_ASK_GAP_MS = 2000;

/** The longest delay that `setTimeout` takes; a longer one would fire at once. */
export const TIMER_MAX_MS = 0x7fffffff;

/**
 * Connections that may wait to be accepted, whatever less the option `backlog` says: Node accepts one in a turn of the
 * event loop, and a peer for whom there is no room tries again a second later, when its linger time may be over.
 */
export const LEAST_BACKLOG = 1024;

/**
 * Names without an address that are remembered, so that others are looked up before them: a program has fewer peers
 * with a name.
 */
export const FAILED_NAMES = 1024;

/** The time that a SOCKS proxy may take to connect to the peer, from our connection to it on. */
export const SOCKS_TIMEOUT_MS = 60_000;

/** The most that one read takes; a slab of the sender is as large. All streams share this memory. */
export const READ_BYTES = 65536;

/**
 * A read of so much shows a peer that sends more than 1.5 Gbit/s, or it would not come within the time of a busy poll.
 * On loopback, tcp hands over pieces of almost 64 KiB.
 */
export const LARGE_READ_BYTES = 49152;

/** The rest of a body that is at least this long is read to where it belongs, shorter ones with what follows them. */
export const DIRECT_READ_BYTES = 8192;

/**
 * Messages of one peer that are decoded ahead of the reader, below the receive high-water mark if that is lower; what
 * is behind them waits as octets. Decoded ones live through collections: a hundred SUB sockets with a thousand each
 * spent half of their time in the collector.
 */
export const DECODE_AHEAD_MESSAGES = 64;

/** The same for all peers together; but each may have a few. */
export const DECODED_MESSAGES = 4096;
export const LEAST_DECODE_AHEAD_MESSAGES = 8;

/** Short waits before polling is tried: for the first time, and after it was given up again and again. */
export const BUSY_POLL_PATIENCE = 8;
export const BUSY_POLL_PATIENCE_MAX = 65536;

/**
 * An answer earns 1, and no more than the second number is kept; a poll without an answer costs the first. So nine in
 * ten have to come.
 */
export const BUSY_POLL_FAULT = 8;
export const BUSY_POLL_CREDIT = 32;

/** Answers after which to look whether polling was in the way of others: to ask is a system call. */
export const BUSY_POLL_SAMPLE = 16;

/** Polls of one wait at most, should the clock stand still, as it does where tests fake it. */
export const BUSY_POLL_ROUNDS = 1000;

/*
 * The agent for libzmq itself. The protocol is in ../README.md.
 *
 *   cc -O2 -o libzmq libzmq.c -lzmq -lpthread && ./libzmq
 *
 * One thread reads a command, runs it to its end and answers with one line. Every socket has a monitor, which is read
 * only by `wait` and `events`.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#define MAX_SOCKETS 64
#define MAX_FRAMES 64
#define LITERAL_FRAME_BYTES 64
#define PATTERN_PERIOD 251
#define POLL_MS 5
#define IDLE_MS 20
#define ZAP_ATTEMPTS 200
#define ZAP_ENDPOINT "inproc://zeromq.zap.01"

typedef struct {
    const char *name;
    int value;
} Named;

static const Named TYPES[] = {
    {"PAIR", ZMQ_PAIR}, {"PUB", ZMQ_PUB},   {"SUB", ZMQ_SUB},   {"REQ", ZMQ_REQ},       {"REP", ZMQ_REP},
    {"DEALER", ZMQ_DEALER}, {"ROUTER", ZMQ_ROUTER}, {"PULL", ZMQ_PULL}, {"PUSH", ZMQ_PUSH}, {"XPUB", ZMQ_XPUB},
    {"XSUB", ZMQ_XSUB}, {"STREAM", ZMQ_STREAM}, {NULL, 0}};

typedef struct {
    const char *name;
    int number;
    char kind; /* i: int, l: int64, b: bytes */
} Option;

static const Option OPTIONS[] = {{"routingId", ZMQ_ROUTING_ID, 'b'},
                                 {"linger", ZMQ_LINGER, 'i'},
                                 {"reconnectInterval", ZMQ_RECONNECT_IVL, 'i'},
                                 {"reconnectMaxInterval", ZMQ_RECONNECT_IVL_MAX, 'i'},
                                 {"maxMessageSize", ZMQ_MAXMSGSIZE, 'l'},
                                 {"sendHighWaterMark", ZMQ_SNDHWM, 'i'},
                                 {"receiveHighWaterMark", ZMQ_RCVHWM, 'i'},
                                 {"sendBufferSize", ZMQ_SNDBUF, 'i'},
                                 {"receiveBufferSize", ZMQ_RCVBUF, 'i'},
                                 {"immediate", ZMQ_IMMEDIATE, 'i'},
                                 {"ipv6", ZMQ_IPV6, 'i'},
                                 {"handshakeInterval", ZMQ_HANDSHAKE_IVL, 'i'},
                                 {"heartbeatInterval", ZMQ_HEARTBEAT_IVL, 'i'},
                                 {"heartbeatTimeout", ZMQ_HEARTBEAT_TIMEOUT, 'i'},
                                 {"heartbeatTimeToLive", ZMQ_HEARTBEAT_TTL, 'i'},
                                 {"mandatory", ZMQ_ROUTER_MANDATORY, 'i'},
                                 {"handover", ZMQ_ROUTER_HANDOVER, 'i'},
                                 {"probeRouter", ZMQ_PROBE_ROUTER, 'i'},
                                 {"correlate", ZMQ_REQ_CORRELATE, 'i'},
                                 {"relaxed", ZMQ_REQ_RELAXED, 'i'},
                                 {"conflate", ZMQ_CONFLATE, 'i'},
                                 {"noDrop", ZMQ_XPUB_NODROP, 'i'},
                                 {"invertMatching", ZMQ_INVERT_MATCHING, 'i'},
                                 {"manual", ZMQ_XPUB_MANUAL, 'i'},
                                 {"welcomeMessage", ZMQ_XPUB_WELCOME_MSG, 'b'},
                                 {"notify", ZMQ_STREAM_NOTIFY, 'i'},
                                 {"plainServer", ZMQ_PLAIN_SERVER, 'i'},
                                 {"plainUsername", ZMQ_PLAIN_USERNAME, 'b'},
                                 {"plainPassword", ZMQ_PLAIN_PASSWORD, 'b'},
                                 {"curveServer", ZMQ_CURVE_SERVER, 'i'},
                                 {"curvePublicKey", ZMQ_CURVE_PUBLICKEY, 'b'},
                                 {"curveSecretKey", ZMQ_CURVE_SECRETKEY, 'b'},
                                 {"curveServerKey", ZMQ_CURVE_SERVERKEY, 'b'},
                                 {"zapDomain", ZMQ_ZAP_DOMAIN, 'b'},
                                 {NULL, 0, 0}};

static const Named EVENTS[] = {{"accept", ZMQ_EVENT_ACCEPTED},
                               {"bind", ZMQ_EVENT_LISTENING},
                               {"connect", ZMQ_EVENT_CONNECTED},
                               {"connect:delay", ZMQ_EVENT_CONNECT_DELAYED},
                               {"connect:retry", ZMQ_EVENT_CONNECT_RETRIED},
                               {"close", ZMQ_EVENT_CLOSED},
                               {"disconnect", ZMQ_EVENT_DISCONNECTED},
                               {"handshake", ZMQ_EVENT_HANDSHAKE_SUCCEEDED},
                               {"accept:error", ZMQ_EVENT_ACCEPT_FAILED},
                               {"bind:error", ZMQ_EVENT_BIND_FAILED},
                               {"close:error", ZMQ_EVENT_CLOSE_FAILED},
                               {"handshake:error:auth", ZMQ_EVENT_HANDSHAKE_FAILED_AUTH},
                               {"handshake:error:protocol", ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL},
                               {"handshake:error:other", ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL},
                               {NULL, 0}};
#define EVENT_COUNT (sizeof EVENTS / sizeof EVENTS[0] - 1)

typedef struct {
    char name[32];
    void *handle;
    void *monitor;
    int seen[EVENT_COUNT];
} Socket;

typedef struct {
    size_t length;
    unsigned char *bytes;
} Frame;

static void *context;
static Socket sockets[MAX_SOCKETS];
static int socketCount;
static int monitorNumber;

/* ---- the answer ---- */

static char *answer;
static size_t answerLength, answerRoom;
static char failureCode[32], failureText[256];

static void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    size_t needed = vsnprintf(NULL, 0, format, list) + 1;
    va_end(list);
    if (answerLength + needed > answerRoom) {
        answerRoom = (answerLength + needed) * 2;
        answer = realloc(answer, answerRoom);
    }
    va_start(list, format);
    answerLength += vsnprintf(answer + answerLength, needed, format, list);
    va_end(list);
}

static int fail(const char *code, const char *text) {
    snprintf(failureCode, sizeof failureCode, "%s", code);
    snprintf(failureText, sizeof failureText, "%s", text);
    return -1;
}

static const char *errorName(int number) {
    switch (number) {
        case EAGAIN: return "EAGAIN";
        case EINVAL: return "EINVAL";
        case ENOENT: return "ENOENT";
        case EADDRINUSE: return "EADDRINUSE";
        case EADDRNOTAVAIL: return "EADDRNOTAVAIL";
        case ENODEV: return "ENODEV";
        case ENOTSUP: return "ENOTSUP";
        case EHOSTUNREACH: return "EHOSTUNREACH";
        case EPROTONOSUPPORT: return "EPROTONOSUPPORT";
        case EFSM: return "EFSM";
        case ENOCOMPATPROTO: return "ENOCOMPATPROTO";
        case ETERM: return "ETERM";
        case ENOTSOCK: return "ENOTSOCK";
        default: return "EFAILED";
    }
}

static int failErrno(void) {
    int number = zmq_errno();
    return fail(errorName(number), zmq_strerror(number));
}

/* ---- words ---- */

static char *words[16384];
static int wordCount;

static int nibble(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

static Frame parseFrame(const char *word) {
    Frame frame;
    if (word[0] == 'x') {
        size_t digits = strlen(word) - 1;
        frame.length = digits / 2;
        frame.bytes = malloc(frame.length + 1);
        for (size_t i = 0; i < frame.length; i++)
            frame.bytes[i] = nibble(word[1 + 2 * i]) << 4 | nibble(word[2 + 2 * i]);
    } else {
        unsigned long size = 0, seed = 0;
        sscanf(word + 1, "%lu:%lu", &size, &seed);
        frame.length = size;
        frame.bytes = malloc(size + 1);
        for (size_t i = 0; i < size; i++) frame.bytes[i] = i % PATTERN_PERIOD + seed;
    }
    frame.bytes[frame.length] = 0;
    return frame;
}

static uint32_t crc32of(const unsigned char *bytes, size_t length) {
    static uint32_t table[256];
    if (table[1] == 0)
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t value = i;
            for (int bit = 0; bit < 8; bit++) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
            table[i] = value;
        }
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return crc ^ 0xffffffffu;
}

static void sayFrame(zmq_msg_t *message) {
    const unsigned char *bytes = zmq_msg_data(message);
    size_t length = zmq_msg_size(message);
    if (length > LITERAL_FRAME_BYTES) {
        say("c%zu:%08x", length, crc32of(bytes, length));
        return;
    }
    say("x");
    for (size_t i = 0; i < length; i++) say("%02x", bytes[i]);
}

/* ---- sockets ---- */

static Socket *find(const char *name) {
    for (int i = 0; i < socketCount; i++)
        if (strcmp(sockets[i].name, name) == 0) return &sockets[i];
    fail("ENOTSOCK", "no such socket");
    return NULL;
}

static int setOption(void *handle, const char *word) {
    const char *equals = strchr(word, '=');
    if (equals == NULL) return fail("EINVAL", word);
    for (const Option *option = OPTIONS; option->name != NULL; option++) {
        if (strlen(option->name) != (size_t)(equals - word) || strncmp(option->name, word, equals - word) != 0) continue;
        const char *text = equals + 1;
        int64_t number = strcmp(text, "true") == 0 ? 1 : strcmp(text, "false") == 0 ? 0 : atoll(text);
        int small = (int)number, result;
        if (option->kind == 'i') result = zmq_setsockopt(handle, option->number, &small, sizeof small);
        else if (option->kind == 'l') result = zmq_setsockopt(handle, option->number, &number, sizeof number);
        else {
            Frame frame = parseFrame(text);
            result = zmq_setsockopt(handle, option->number, frame.bytes, frame.length);
            free(frame.bytes);
        }
        return result == 0 ? 0 : failErrno();
    }
    return fail("EUNSUPPORTED", word);
}

static int openSocket(void) {
    if (socketCount == MAX_SOCKETS) return fail("EMFILE", "too many sockets in the agent");
    const Named *type = TYPES;
    while (type->name != NULL && strcmp(type->name, words[3]) != 0) type++;
    if (type->name == NULL) return fail("EUNSUPPORTED", words[3]);
    Socket *opened = &sockets[socketCount];
    memset(opened, 0, sizeof *opened);
    snprintf(opened->name, sizeof opened->name, "%s", words[2]);
    opened->handle = zmq_socket(context, type->value);
    if (opened->handle == NULL) return failErrno();
    socketCount++;
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "inproc://monitor-%d", ++monitorNumber);
    int none = 0;
    opened->monitor = zmq_socket(context, ZMQ_PAIR);
    zmq_setsockopt(opened->monitor, ZMQ_RCVHWM, &none, sizeof none);
    zmq_setsockopt(opened->monitor, ZMQ_LINGER, &none, sizeof none);
    if (zmq_socket_monitor(opened->handle, endpoint, ZMQ_EVENT_ALL) != 0) return failErrno();
    if (zmq_connect(opened->monitor, endpoint) != 0) return failErrno();
    for (int i = 4; i < wordCount; i++)
        if (setOption(opened->handle, words[i]) != 0) return -1;
    return 0;
}

static void closeSocket(Socket *socket) {
    zmq_socket_monitor(socket->handle, NULL, 0);
    zmq_close(socket->monitor);
    zmq_close(socket->handle);
    *socket = sockets[--socketCount];
}

static void readEvents(Socket *socket) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    while (zmq_msg_recv(&message, socket->monitor, ZMQ_DONTWAIT) >= 0) {
        if (!zmq_msg_more(&message)) continue; /* the address */
        uint16_t number;
        memcpy(&number, zmq_msg_data(&message), sizeof number);
        for (size_t i = 0; i < EVENT_COUNT; i++)
            if (EVENTS[i].value == number) socket->seen[i]++;
    }
    zmq_msg_close(&message);
}

/* ---- messages ---- */

static void setTimeout(void *handle, int option, int ms) { zmq_setsockopt(handle, option, &ms, sizeof ms); }

/* Reads one whole message. 1: read, 0: nothing came in time, -1: error. The caller closes the frames. */
static int receiveMessage(void *handle, zmq_msg_t *frames, int *count) {
    *count = 0;
    do {
        zmq_msg_t *frame = &frames[*count];
        zmq_msg_init(frame);
        if (zmq_msg_recv(frame, handle, 0) < 0) {
            zmq_msg_close(frame);
            return zmq_errno() == EAGAIN && *count == 0 ? 0 : failErrno();
        }
        (*count)++;
        if (!zmq_msg_more(frame)) return 1;
    } while (*count < MAX_FRAMES);
    return fail("EMSGSIZE", "too many frames for the agent");
}

static void closeFrames(zmq_msg_t *frames, int count) {
    for (int i = 0; i < count; i++) zmq_msg_close(&frames[i]);
}

static char *numberedBody(const char *tag, long number, long size, size_t *length) {
    size_t needed = strlen(tag) + 32;
    char *body = malloc((size > 0 ? size : 0) + needed);
    *length = sprintf(body, "%s:%08ld:", tag, number);
    while ((long)*length < size) body[(*length)++] = '.';
    return body;
}

static int sendMessage(void) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    setTimeout(socket->handle, ZMQ_SNDTIMEO, atoi(words[3]));
    for (char *word = words[4]; word != NULL;) {
        char *comma = strchr(word, ',');
        if (comma != NULL) *comma = 0;
        Frame frame = parseFrame(word);
        int result = zmq_send(socket->handle, frame.bytes, frame.length, comma == NULL ? 0 : ZMQ_SNDMORE);
        free(frame.bytes);
        if (result < 0) return failErrno();
        word = comma == NULL ? NULL : comma + 1;
    }
    return 0;
}

static int receiveMessages(void) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    int wanted = atoi(words[3]), received = 0, count, result = 0;
    zmq_msg_t frames[MAX_FRAMES];
    setTimeout(socket->handle, ZMQ_RCVTIMEO, atoi(words[4]));
    char *kept = answer;
    size_t keptRoom = answerRoom;
    answer = NULL;
    answerLength = answerRoom = 0;
    while (received < wanted && (result = receiveMessage(socket->handle, frames, &count)) == 1) {
        say(" ");
        for (int i = 0; i < count; i++) {
            if (i > 0) say(",");
            sayFrame(&frames[i]);
        }
        closeFrames(frames, count);
        received++;
    }
    char *list = answer;
    answer = kept;
    answerRoom = keptRoom;
    answerLength = 0;
    if (result >= 0) say(" %d%s", received, list == NULL ? "" : list);
    free(list);
    return result < 0 ? -1 : 0;
}

/* stream NAME TAG FROM COUNT SIZE MS; burst is the same without MS. */
static int sendNumbered(int burst) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    long from = atol(words[4]), count = atol(words[5]), size = atol(words[6]), sent = 0;
    setTimeout(socket->handle, ZMQ_SNDTIMEO, burst ? -1 : atoi(words[7]));
    for (; sent < count; sent++) {
        size_t length;
        char *body = numberedBody(words[3], from + sent, size, &length);
        int result = zmq_send(socket->handle, body, length, 0);
        free(body);
        if (result < 0 && zmq_errno() == EAGAIN) break;
        if (result < 0) return failErrno();
    }
    say(" %ld", sent);
    if (burst) say(" 1");
    return 0;
}

/* subscribeseq NAME PREFIX FROM COUNT; sendseq has MS behind. */
static int topicSequence(int subscribe) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    long from = atol(words[4]), count = atol(words[5]), done = 0;
    if (!subscribe) setTimeout(socket->handle, ZMQ_SNDTIMEO, atoi(words[6]));
    for (; done < count; done++) {
        char topic[300];
        int length = snprintf(topic, sizeof topic, "%s%05ld", words[3], from + done);
        int result = subscribe ? zmq_setsockopt(socket->handle, ZMQ_SUBSCRIBE, topic, length)
                               : zmq_send(socket->handle, topic, length, 0);
        if (result < 0 && zmq_errno() == EAGAIN) break;
        if (result < 0) return failErrno();
    }
    if (!subscribe) say(" %ld", done);
    return 0;
}

typedef struct {
    char name[64];
    long count, first, last, gaps;
} Tag;

static int countMessages(void) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    long wanted = atol(words[3]), received = 0;
    int count, result = 0, tagCount = 0;
    static Tag tags[256];
    zmq_msg_t frames[MAX_FRAMES];
    setTimeout(socket->handle, ZMQ_RCVTIMEO, atoi(words[4]));
    while (received < wanted && (result = receiveMessage(socket->handle, frames, &count)) == 1) {
        const char *bytes = zmq_msg_data(&frames[count - 1]);
        size_t length = zmq_msg_size(&frames[count - 1]);
        const char *colon = memchr(bytes, ':', length);
        char name[64] = "?", digits[9] = "0";
        if (colon != NULL && colon - bytes < 63 && colon + 9 <= bytes + length) {
            memcpy(name, bytes, colon - bytes);
            name[colon - bytes] = 0;
            memcpy(digits, colon + 1, 8);
        }
        long number = atol(digits);
        int at = 0;
        while (at < tagCount && strcmp(tags[at].name, name) != 0) at++;
        if (at == tagCount) {
            if (tagCount == 256) return fail("EMFILE", "too many tags for the agent");
            tagCount++;
            memcpy(tags[at].name, name, sizeof name);
            tags[at].count = tags[at].gaps = 0;
            tags[at].first = number;
            tags[at].last = number - 1;
        }
        if (number != tags[at].last + 1) tags[at].gaps++;
        tags[at].count++;
        tags[at].last = number;
        closeFrames(frames, count);
        received++;
    }
    if (result < 0) return -1;
    say(" %ld", received);
    for (int i = 0; i < tagCount; i++)
        say(" %s=%ld/%ld/%ld/%ld", tags[i].name, tags[i].count, tags[i].first, tags[i].last, tags[i].gaps);
    return 0;
}

static int ask(void) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    long from = atol(words[4]), rounds = atol(words[5]), size = atol(words[6]);
    setTimeout(socket->handle, ZMQ_SNDTIMEO, atoi(words[7]));
    setTimeout(socket->handle, ZMQ_RCVTIMEO, atoi(words[7]));
    for (long i = 0; i < rounds; i++) {
        size_t length;
        int count;
        zmq_msg_t frames[MAX_FRAMES];
        char *body = numberedBody(words[3], from + i, size, &length);
        if (zmq_send(socket->handle, body, length, 0) < 0) {
            free(body);
            return failErrno();
        }
        int result = receiveMessage(socket->handle, frames, &count);
        if (result < 1) {
            free(body);
            return result < 0 ? -1 : fail("EAGAIN", "no answer");
        }
        int same = count == 1 && zmq_msg_size(&frames[0]) == length && memcmp(zmq_msg_data(&frames[0]), body, length) == 0;
        closeFrames(frames, count);
        free(body);
        if (!same) return fail("EMISMATCH", "an answer is not its request");
    }
    say(" %ld", rounds);
    return 0;
}

static int answerMessages(void) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    long wanted = atol(words[3]), answered = 0;
    int count, result = 0;
    zmq_msg_t frames[MAX_FRAMES];
    setTimeout(socket->handle, ZMQ_SNDTIMEO, atoi(words[4]));
    setTimeout(socket->handle, ZMQ_RCVTIMEO, atoi(words[4]));
    while (answered < wanted && (result = receiveMessage(socket->handle, frames, &count)) == 1) {
        for (int i = 0; i < count; i++)
            if (zmq_msg_send(&frames[i], socket->handle, i + 1 < count ? ZMQ_SNDMORE : 0) < 0) return failErrno();
        answered++;
    }
    if (result < 0) return -1;
    say(" %ld", answered);
    return 0;
}

static int subscription(int option) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    for (int i = 3; i < wordCount; i++) {
        Frame topic = parseFrame(words[i]);
        int result = zmq_setsockopt(socket->handle, option, topic.bytes, topic.length);
        free(topic.bytes);
        if (result != 0) return failErrno();
    }
    return 0;
}

/* ---- events ---- */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* libzmq takes up new connections, and ends old ones, only while the application calls it: so an idle agent calls. */
static void poke(void) {
    for (int i = 0; i < socketCount; i++) {
        int events;
        size_t length = sizeof events;
        zmq_getsockopt(sockets[i].handle, ZMQ_EVENTS, &events, &length);
    }
}

static int waitEvent(void) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    size_t at = 0;
    while (at < EVENT_COUNT && strcmp(EVENTS[at].name, words[3]) != 0) at++;
    if (at == EVENT_COUNT) return fail("EUNSUPPORTED", words[3]);
    int wanted = atoi(words[4]);
    int64_t end = now() + atoi(words[5]);
    for (;;) {
        poke();
        readEvents(socket);
        if (socket->seen[at] >= wanted || now() >= end) break;
        zmq_pollitem_t item = {socket->monitor, 0, ZMQ_POLLIN, 0};
        zmq_poll(&item, 1, POLL_MS);
    }
    say(" %d", socket->seen[at]);
    return 0;
}

static int listEvents(void) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    readEvents(socket);
    for (size_t i = 0; i < EVENT_COUNT; i++)
        if (socket->seen[i] > 0) say(" %s=%d", EVENTS[i].name, socket->seen[i]);
    return 0;
}

/* ---- ZAP ---- */

static pthread_t zapThread;
static volatile int zapRuns;
static char zapKind[16];
static Frame zapCredentials[4];
static int zapCredentialCount;
static void *zapSocket;

static void *serveZap(void *unused) {
    (void)unused;
    zmq_msg_t frames[MAX_FRAMES];
    int count;
    setTimeout(zapSocket, ZMQ_RCVTIMEO, 20);
    while (zapRuns) {
        if (receiveMessage(zapSocket, frames, &count) != 1) continue;
        int good = count - 6 == zapCredentialCount && zmq_msg_size(&frames[5]) == strlen(zapKind) &&
                   strncasecmp(zmq_msg_data(&frames[5]), zapKind, strlen(zapKind)) == 0;
        for (int i = 0; good && i < zapCredentialCount; i++)
            good = zmq_msg_size(&frames[6 + i]) == zapCredentials[i].length &&
                   memcmp(zmq_msg_data(&frames[6 + i]), zapCredentials[i].bytes, zapCredentials[i].length) == 0;
        zmq_msg_send(&frames[0], zapSocket, ZMQ_SNDMORE);
        zmq_msg_send(&frames[1], zapSocket, ZMQ_SNDMORE);
        zmq_send(zapSocket, good ? "200" : "400", 3, ZMQ_SNDMORE);
        zmq_send(zapSocket, good ? "OK" : "No", 2, ZMQ_SNDMORE);
        zmq_send(zapSocket, "user", good ? 4 : 0, ZMQ_SNDMORE);
        zmq_send(zapSocket, "", 0, 0);
        closeFrames(frames + 2, count - 2);
    }
    zmq_close(zapSocket);
    return NULL;
}

static void stopZap(void) {
    if (!zapRuns) return;
    zapRuns = 0;
    pthread_join(zapThread, NULL);
}

static int zap(void) {
    stopZap();
    if (strcmp(words[2], "off") == 0) return 0;
    snprintf(zapKind, sizeof zapKind, "%s", words[2]);
    zapCredentialCount = 0;
    for (int i = 3; i < wordCount && zapCredentialCount < 4; i++) zapCredentials[zapCredentialCount++] = parseFrame(words[i]);
    zapSocket = zmq_socket(context, ZMQ_REP);
    if (zapSocket == NULL) return failErrno();
    /* The handler before it may still be on its way out. */
    for (int attempt = 1; zmq_bind(zapSocket, ZAP_ENDPOINT) != 0; attempt++) {
        if (zmq_errno() != EADDRINUSE || attempt == ZAP_ATTEMPTS) return failErrno();
        zmq_poll(NULL, 0, POLL_MS);
    }
    zapRuns = 1;
    pthread_create(&zapThread, NULL, serveZap, NULL);
    return 0;
}

/* ---- commands ---- */

static int hello(void) {
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    say(" impl=libzmq-c version=%d.%d.%d library=%d.%d.%d types=", major, minor, patch, major, minor, patch);
    for (const Named *type = TYPES; type->name != NULL; type++) say("%s%s", type == TYPES ? "" : ",", type->name);
    say(" has=plain%s", zmq_has("curve") ? ",curve" : "");
    return 0;
}

static int reset(void) {
    int none = 0;
    while (socketCount > 0) {
        zmq_setsockopt(sockets[0].handle, ZMQ_LINGER, &none, sizeof none);
        closeSocket(&sockets[0]);
    }
    stopZap();
    return 0;
}

static int endpointCommand(int (*call)(void *, const char *)) {
    Socket *socket = find(words[2]);
    if (socket == NULL) return -1;
    if (call(socket->handle, words[3]) != 0) return failErrno();
    if (call == zmq_bind) {
        char endpoint[512];
        size_t length = sizeof endpoint;
        if (zmq_getsockopt(socket->handle, ZMQ_LAST_ENDPOINT, endpoint, &length) != 0) return failErrno();
        say(" %s", endpoint);
    }
    return 0;
}

static int obey(const char *verb) {
    Socket *socket;
    if (strcmp(verb, "hello") == 0) return hello();
    if (strcmp(verb, "open") == 0) return openSocket();
    if (strcmp(verb, "bind") == 0) return endpointCommand(zmq_bind);
    if (strcmp(verb, "unbind") == 0) return endpointCommand(zmq_unbind);
    if (strcmp(verb, "connect") == 0) return endpointCommand(zmq_connect);
    if (strcmp(verb, "disconnect") == 0) return endpointCommand(zmq_disconnect);
    if (strcmp(verb, "subscribe") == 0) return subscription(ZMQ_SUBSCRIBE);
    if (strcmp(verb, "unsubscribe") == 0) return subscription(ZMQ_UNSUBSCRIBE);
    if (strcmp(verb, "subscribeseq") == 0) return topicSequence(1);
    if (strcmp(verb, "sendseq") == 0) return topicSequence(0);
    if (strcmp(verb, "send") == 0) return sendMessage();
    if (strcmp(verb, "receive") == 0) return receiveMessages();
    if (strcmp(verb, "stream") == 0) return sendNumbered(0);
    if (strcmp(verb, "burst") == 0) return sendNumbered(1);
    if (strcmp(verb, "count") == 0) return countMessages();
    if (strcmp(verb, "ask") == 0) return ask();
    if (strcmp(verb, "answer") == 0) return answerMessages();
    if (strcmp(verb, "wait") == 0) return waitEvent();
    if (strcmp(verb, "events") == 0) return listEvents();
    if (strcmp(verb, "zap") == 0) return zap();
    if (strcmp(verb, "reset") == 0) return reset();
    if (strcmp(verb, "set") == 0) {
        if ((socket = find(words[2])) == NULL) return -1;
        for (int i = 3; i < wordCount; i++)
            if (setOption(socket->handle, words[i]) != 0) return -1;
        return 0;
    }
    if (strcmp(verb, "close") == 0) {
        if ((socket = find(words[2])) == NULL) return -1;
        closeSocket(socket);
        return 0;
    }
    return fail("EUNSUPPORTED", verb);
}

/* The next line without its end, in memory that lasts until the next call; NULL at the end of the input. */
static char *readLine(void) {
    static char *buffer;
    static size_t room, filled, used;
    if (used > 0) memmove(buffer, buffer + used, filled -= used);
    used = 0;
    for (;;) {
        char *end = filled == 0 ? NULL : memchr(buffer, '\n', filled);
        if (end != NULL) {
            *end = 0;
            used = end - buffer + 1;
            return buffer;
        }
        zmq_pollitem_t item = {NULL, 0, ZMQ_POLLIN, 0};
        if (zmq_poll(&item, 1, IDLE_MS) == 0) {
            poke();
            continue;
        }
        if (room - filled < 65536) buffer = realloc(buffer, room = room * 2 + 65536);
        ssize_t got = read(0, buffer + filled, room - filled);
        if (got <= 0) return NULL;
        filled += got;
    }
}

int main(void) {
    char *line;
    context = zmq_ctx_new();
    while ((line = readLine()) != NULL) {
        wordCount = 0;
        for (char *word = strtok(line, " "); word != NULL && wordCount < 16383; word = strtok(NULL, " "))
            words[wordCount++] = word;
        words[wordCount] = NULL;
        if (wordCount < 2) continue;
        if (strcmp(words[1], "quit") == 0) break;
        answerLength = 0;
        int result = obey(words[1]);
        if (result == 0) printf("%s ok%.*s\n", words[0], (int)answerLength, answer == NULL ? "" : answer);
        else printf("%s error %s %s\n", words[0], failureCode, failureText);
        fflush(stdout);
    }
    return 0; /* the context is not terminated: what lingers must not hold up the end */
}

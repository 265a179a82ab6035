/*
 * The two-terminal programs on libzmq's side: perf <role> <address> <size> <count> [push|pub], where a role is
 * local_lat, remote_lat, local_thr or remote_thr; and both ends in one process, a thread each, with the roles inproc_lat,
 * inproc_thr, latency, throughput and poll. The same steps and the same output as ../perf and ../seeds.
 */


#include "common.h"

static void *open_socket (void *context, int type, int binds, const char *address)
{
    void *socket = zmq_socket (context, type);
    check ((binds ? zmq_bind (socket, address) : zmq_connect (socket, address)) == 0, address);
    return socket;
}

static void exchange_with (void *socket, int asks, size_t size, long count)
{
    zmq_msg_t message;
    double *times = malloc ((size_t) count * sizeof *times);
    zmq_msg_init_size (&message, size);
    memset (zmq_msg_data (&message), 0, size);
    double before = now_ms ();
    double start = before;
    for (long i = 0; i < count; i++) {
        if (asks)
            check (zmq_msg_send (&message, socket, 0) == (int) size, "zmq_msg_send");
        check (zmq_msg_recv (&message, socket, 0) == (int) size, "zmq_msg_recv");
        if (!asks)
            check (zmq_msg_send (&message, socket, 0) == (int) size, "zmq_msg_send");
        double now = now_ms ();
        times[i] = (now - before) * 1e3 / 2;
        before = now;
    }
    if (asks) {
        qsort (times, (size_t) count, sizeof *times, by_value);
        printf ("message size: %zu [B]\nroundtrip count: %ld\naverage latency: %.3f [us]\n", size, count,
                (before - start) * 1e3 / (double) count / 2);
        printf ("latency p50, p99, max: %.3f %.3f %.3f [us]\n", times[(count - 1) / 2],
                times[(long) ((double) (count - 1) * 0.99)], times[count - 1]);
    }
    free (times);
    zmq_msg_close (&message);
}

static void exchange (void *context, int asks, const char *address, size_t size, long count)
{
    void *socket = open_socket (context, asks ? ZMQ_REQ : ZMQ_REP, !asks, address);
    exchange_with (socket, asks, size, count);
    zmq_close (socket);
}

static void receive_all (void *context, int pub, const char *address, size_t size, long count)
{
    zmq_msg_t message;
    void *socket = zmq_socket (context, pub ? ZMQ_SUB : ZMQ_PULL);
    check (zmq_bind (socket, address) == 0, address);
    if (pub)
        set_text (socket, ZMQ_SUBSCRIBE, "");
    zmq_msg_init (&message);
    check (zmq_msg_recv (&message, socket, 0) == (int) size, "zmq_msg_recv");
    double start = now_ms ();
    for (long i = 1; i < count; i++)
        check (zmq_msg_recv (&message, socket, 0) == (int) size, "zmq_msg_recv");
    double rate = (double) count / (now_ms () - start) * 1e3;
    printf ("message size: %zu [B]\nmessage count: %ld\nmean throughput: %.0f [msg/s]\nmean throughput: %.3f [Mb/s]\n",
            size, count, rate, rate * (double) size * 8 / 1e6);
    printf ("peak memory: %.1f [MiB]\n", (double) peak_kb () / 1024);
    zmq_msg_close (&message);
    zmq_close (socket);
}

static void send_all (void *context, int pub, const char *address, size_t size, long count)
{
    char *payload = make_payload (size);
    void *socket = zmq_socket (context, pub ? ZMQ_XPUB : ZMQ_PUSH);
    if (pub)
        set_number (socket, ZMQ_XPUB_NODROP, 1);
    check (zmq_connect (socket, address) == 0, address);
    if (pub)
        check (zmq_recv (socket, payload, size, 0) >= 0, "zmq_recv");
    for (long i = 0; i < count; i++)
        send_one (socket, payload, size);
    printf ("peak memory: %.1f [MiB]\n", (double) peak_kb () / 1024);
    zmq_close (socket);
}

/* The other end of a pair in this process. */
struct end
{
    void *context;
    void *socket;
    const char *address;
    size_t size;
    long count;
    int pub;
};

static void *answer_all (void *argument)
{
    struct end *end = argument;
    exchange_with (end->socket, 0, end->size, end->count);
    zmq_close (end->socket);
    return NULL;
}

static void *send_everything (void *argument)
{
    struct end *end = argument;
    send_all (end->context, end->pub, end->address, end->size, end->count);
    return NULL;
}

/* REQ here, REP in a thread. */
static void both_lat (void *context, const char *address, size_t size, long count)
{
    pthread_t thread;
    char bound[256];
    size_t length = sizeof bound;
    struct end end = {.size = size, .count = count, .socket = open_socket (context, ZMQ_REP, 1, address)};
    zmq_getsockopt (end.socket, ZMQ_LAST_ENDPOINT, bound, &length);
    pthread_create (&thread, NULL, answer_all, &end);
    exchange (context, 1, bound, size, count);
    pthread_join (thread, NULL);
}

/* The receiver here, the sender in a thread; the address has to be a definite one. */
static void both_thr (void *context, int pub, const char *address, size_t size, long count)
{
    pthread_t thread;
    struct end end = {.context = context, .address = address, .size = size, .count = count, .pub = pub};
    pthread_create (&thread, NULL, send_everything, &end);
    receive_all (context, pub, address, size, count);
    pthread_join (thread, NULL);
}

#define PAIRS 3

/* Several ROUTER that echo and as many DEALER that ask, in one thread with zmq_poll and without blocking. */
static void poll_pairs (void *context, size_t size, long count)
{
    void *sockets[2 * PAIRS];
    zmq_pollitem_t items[2 * PAIRS];
    char *payload = make_payload (size);
    long asked[PAIRS] = {0};
    long answered = 0;
    for (int i = 0; i < PAIRS; i++) {
        char address[256];
        size_t length = sizeof address;
        sockets[i] = open_socket (context, ZMQ_ROUTER, 1, "tcp://127.0.0.1:*");
        zmq_getsockopt (sockets[i], ZMQ_LAST_ENDPOINT, address, &length);
        sockets[PAIRS + i] = open_socket (context, ZMQ_DEALER, 0, address);
    }
    for (int i = 0; i < 2 * PAIRS; i++)
        items[i] = (zmq_pollitem_t){.socket = sockets[i], .events = ZMQ_POLLIN};
    double start = now_ms ();
    for (int i = 0; i < PAIRS; i++)
        asked[i] += zmq_send (sockets[PAIRS + i], payload, size, ZMQ_DONTWAIT) >= 0;
    while (answered < count * PAIRS) {
        zmq_msg_t message;
        check (zmq_poll (items, 2 * PAIRS, -1) >= 0, "zmq_poll");
        zmq_msg_init (&message);
        for (int i = 0; i < PAIRS; i++) {
            while (items[i].revents && zmq_msg_recv (&message, sockets[i], ZMQ_DONTWAIT) >= 0)
                zmq_msg_send (&message, sockets[i], zmq_msg_more (&message) ? ZMQ_SNDMORE : 0);
            while (items[PAIRS + i].revents && zmq_msg_recv (&message, sockets[PAIRS + i], ZMQ_DONTWAIT) >= 0) {
                answered++;
                if (asked[i] < count)
                    asked[i] += zmq_send (sockets[PAIRS + i], payload, size, ZMQ_DONTWAIT) >= 0;
            }
        }
        zmq_msg_close (&message);
    }
    double seconds = (now_ms () - start) / 1e3;
    printf ("zmq_poll: %d pairs, message size: %zu [B], roundtrip count: %ld, %.0f [roundtrips/s]\n", PAIRS, size,
            answered, (double) answered / seconds);
    for (int i = 0; i < 2 * PAIRS; i++)
        zmq_close (sockets[i]);
}

int main (int argc, char **argv)
{
    if (argc < 5) {
        fprintf (stderr, "usage: perf <role> <address> <size> <count> [push|pub]\n");
        return 1;
    }
    const char *role = argv[1];
    size_t size = (size_t) atol (argv[3]);
    long count = atol (argv[4]);
    int pub = argc > 5 && strcmp (argv[5], "pub") == 0;
    void *context = zmq_ctx_new ();
    begin_alone ();
    if (strcmp (role, "local_lat") == 0 || strcmp (role, "remote_lat") == 0)
        exchange (context, role[0] == 'r', argv[2], size, count);
    else if (strcmp (role, "inproc_lat") == 0 || strcmp (role, "latency") == 0)
        both_lat (context, argv[2], size, count);
    else if (strcmp (role, "inproc_thr") == 0 || strcmp (role, "throughput") == 0)
        both_thr (context, role[0] == 't', argv[2], size, count);
    else if (strcmp (role, "poll") == 0)
        poll_pairs (context, size, count);
    else if (strcmp (role, "local_thr") == 0)
        receive_all (context, pub, argv[2], size, count);
    else
        send_all (context, pub, argv[2], size, count);
    zmq_ctx_term (context);
    return 0;
}

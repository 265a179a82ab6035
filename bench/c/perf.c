/*
 * The four two-terminal programs on libzmq's side: perf <role> <address> <size> <count> [push|pub], where a role is
 * local_lat, remote_lat, local_thr or remote_thr. The same steps and the same output as ../perf.
 */

#include "common.h"

static void exchange (void *context, int asks, const char *address, size_t size, long count)
{
    zmq_msg_t message;
    void *socket = zmq_socket (context, asks ? ZMQ_REQ : ZMQ_REP);
    check ((asks ? zmq_connect (socket, address) : zmq_bind (socket, address)) == 0, address);
    zmq_msg_init_size (&message, size);
    memset (zmq_msg_data (&message), 0, size);
    double start = now_ms ();
    for (long i = 0; i < count; i++) {
        if (asks)
            check (zmq_msg_send (&message, socket, 0) == (int) size, "zmq_msg_send");
        check (zmq_msg_recv (&message, socket, 0) == (int) size, "zmq_msg_recv");
        if (!asks)
            check (zmq_msg_send (&message, socket, 0) == (int) size, "zmq_msg_send");
    }
    double elapsed = now_ms () - start;
    if (asks)
        printf ("message size: %zu [B]\nroundtrip count: %ld\naverage latency: %.3f [us]\n", size, count,
                elapsed * 1e3 / (double) count / 2);
    zmq_msg_close (&message);
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
    if (strcmp (role, "local_lat") == 0 || strcmp (role, "remote_lat") == 0)
        exchange (context, role[0] == 'r', argv[2], size, count);
    else if (strcmp (role, "local_thr") == 0)
        receive_all (context, pub, argv[2], size, count);
    else
        send_all (context, pub, argv[2], size, count);
    zmq_ctx_term (context);
    return 0;
}

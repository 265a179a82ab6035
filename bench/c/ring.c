/*
 * The nodes of the ring on libzmq's side: ring hub <in topic> <out topic> <connect to> <bind to> |
 * ring master <connect to> <bind to> <laps> [flood …]. The same messages and output as ../seeds/ring.
 *
 * A message is the topic, and eight octets: the number (each hub adds one) and the sequence number, little-endian.
 */

#include <stdint.h>

#include "common.h"

#define HUBS 3
#define PROBE 0xffffffffu

static void *publisher (void *context, const char *address)
{
    void *pub = zmq_socket (context, ZMQ_PUB);
    set_number (pub, ZMQ_XPUB_NODROP, 1);
    check (zmq_bind (pub, address) == 0, address);
    return pub;
}

static void *subscriber (void *context, const char *topic, const char *address)
{
    void *sub = zmq_socket (context, ZMQ_SUB);
    set_text (sub, ZMQ_SUBSCRIBE, topic);
    check (zmq_connect (sub, address) == 0, address);
    return sub;
}

static void publish (void *pub, const char *topic, const uint32_t body[2])
{
    check (zmq_send (pub, topic, strlen (topic), ZMQ_SNDMORE) >= 0, "zmq_send");
    check (zmq_send (pub, body, 8, 0) == 8, "zmq_send");
}

static void take (void *sub, uint32_t body[2])
{
    char topic[64];
    check (zmq_recv (sub, topic, sizeof topic, 0) >= 0, "zmq_recv");
    check (zmq_recv (sub, body, 8, 0) == 8, "zmq_recv");
}

static void hub (char **argv)
{
    void *context = zmq_ctx_new ();
    void *pub = publisher (context, argv[5]);
    void *sub = subscriber (context, argv[2], argv[4]);
    uint32_t body[2];
    for (;;) {
        take (sub, body);
        body[0]++;
        publish (pub, argv[3], body);
    }
}

struct flood
{
    void *pub;
    uint32_t count;
};

static void *send_flood (void *argument)
{
    struct flood *flood = argument;
    for (uint32_t i = 0; i < flood->count; i++)
        publish (flood->pub, "topic1", (uint32_t[2]){0, i});
    return NULL;
}

/* Receives messages until so many came; each has to be the next one, and counted by every hub. */
static void take_all (void *sub, uint32_t count)
{
    uint32_t body[2];
    for (uint32_t next = 0; next < count;) {
        take (sub, body);
        if (body[1] == PROBE)
            continue;
        check (body[0] == HUBS && body[1] == next, "a message was lost");
        next++;
    }
}

static void wait_for_ring (void *pub, void *sub)
{
    uint32_t body[2];
    zmq_pollitem_t item = {.socket = sub, .events = ZMQ_POLLIN};
    do
        publish (pub, "topic1", (uint32_t[2]){0, PROBE});
    while (zmq_poll (&item, 1, 20) == 0);
    take (sub, body);
}

static void master (int argc, char **argv)
{
    void *context = zmq_ctx_new ();
    void *pub = publisher (context, argv[3]);
    void *sub = subscriber (context, "topic4", argv[2]);
    wait_for_ring (pub, sub);
    for (long lap = 0, laps = atol (argv[4]); lap < laps; lap++) {
        double start = now_ms ();
        publish (pub, "topic1", (uint32_t[2]){0, 0});
        take_all (sub, 1);
        printf ("round trip: %.3f ms\n", now_ms () - start);
    }
    for (int i = 5; i < argc; i++) {
        pthread_t thread;
        struct flood flood = {.pub = pub, .count = (uint32_t) atol (argv[i])};
        double start = now_ms ();
        pthread_create (&thread, NULL, send_flood, &flood);
        take_all (sub, flood.count);
        printf ("flood %u: %.3f s\n", flood.count, (now_ms () - start) / 1e3);
        pthread_join (thread, NULL);
    }
}

int main (int argc, char **argv)
{
    begin_alone ();
    if (argc == 6 && strcmp (argv[1], "hub") == 0) {
        hub (argv);
    } else if (argc > 4 && strcmp (argv[1], "master") == 0) {
        master (argc, argv);
    } else {
        fprintf (stderr, "usage: ring hub|master …\n");
        return 1;
    }
    return 0;
}

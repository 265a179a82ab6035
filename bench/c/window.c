/*
 * DEALER that connects and keeps so many requests in flight for each `run <ms>`: every answer makes room for the next
 * one: address=tcp://127.0.0.1:5555 size=10 window=32
 */

#include "common.h"

static void request (void *dealer, char *payload, size_t size)
{
    check (zmq_send (dealer, "", 0, ZMQ_SNDMORE) == 0, "zmq_send");
    send_one (dealer, payload, size);
}

static void answer (void *dealer, zmq_msg_t *message, size_t size)
{
    check (zmq_msg_recv (message, dealer, 0) == 0, "delimiter");
    check (zmq_msg_recv (message, dealer, 0) == (int) size, "answer");
}

int main (int argc, char **argv)
{
    char command[32];
    zmq_msg_t message;
    size_t size = (size_t) number_option (argc, argv, "size", 10);
    long window = number_option (argc, argv, "window", 32);
    char *payload = make_payload (size);
    begin ();
    void *dealer = zmq_socket (zmq_ctx_new (), ZMQ_DEALER);
    check (zmq_connect (dealer, text_option (argc, argv, "address", "")) == 0, "zmq_connect");
    zmq_msg_init (&message);
    tell_ready (NULL);
    for (;;) {
        long duration = next_command (command);
        if (strcmp (command, "run") != 0)
            continue;
        struct rusage at_start = usage_now ();
        double start = now_ms ();
        double stop = start + (double) duration;
        long count = 0;
        for (long i = 0; i < window; i++)
            request (dealer, payload, size);
        while (now_ms () < stop) {
            answer (dealer, &message, size);
            request (dealer, payload, size);
            count++;
        }
        for (long i = 0; i < window; i++)
            answer (dealer, &message, size);
        count += window;
        printf ("{\"event\":\"done\",\"count\":%ld,\"bytes\":%ld,\"start\":%f,\"end\":%f", count, count * (long) size, start,
                now_ms ());
        tell_usage (&at_start);
    }
}

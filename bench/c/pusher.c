/*
 * One or more PUSH that connect, and send one stream each for each `run <ms>`, messages of one or more frames; or of
 * `count <messages>`, by the first one:
 * address=tcp://127.0.0.1:5555 size=10 [frames=1] [sockets=1] [mark=1000] [curve=1] [plain=1]
 */

#include "common.h"

static void send_message (void *push, char *payload, size_t size, long frames)
{
    for (long i = 1; i < frames; i++)
        send_frame (push, payload, size, ZMQ_SNDMORE);
    send_frame (push, payload, size, 0);
}

/* Every socket in turn, so that all their streams go on at once. */
static long send_streams (void **pushes, long sockets, char *payload, size_t size, long frames, double duration_ms)
{
    long every = clock_every (size * (size_t) frames, sockets);
    double stop = now_ms () + duration_ms;
    long count = 0;
    do {
        for (long i = 0; i < every; i++)
            for (long j = 0; j < sockets; j++)
                send_message (pushes[j], payload, size, frames);
        count += every * sockets;
    } while (now_ms () < stop);
    for (long j = 0; j < sockets; j++)
        check (zmq_send (pushes[j], "", 0, 0) == 0, "zmq_send");
    return count;
}

static long send_count (void *push, char *payload, size_t size, long count)
{
    for (long i = 0; i < count; i++)
        send_one (push, payload, size);
    check (zmq_send (push, "", 0, 0) == 0, "zmq_send");
    return count;
}

int main (int argc, char **argv)
{
    char command[32];
    size_t size = (size_t) number_option (argc, argv, "size", 10);
    long frames = number_option (argc, argv, "frames", 1);
    long sockets = number_option (argc, argv, "sockets", 1);
    void **pushes = calloc ((size_t) sockets, sizeof *pushes);
    char *payload = make_payload (size);
    begin ();
    void *context = zmq_ctx_new ();
    for (long i = 0; i < sockets; i++) {
        pushes[i] = zmq_socket (context, ZMQ_PUSH);
        set_number (pushes[i], ZMQ_SNDHWM, (int) number_option (argc, argv, "mark", 1000));
        secure (pushes[i], argc, argv, 0);
        check (zmq_connect (pushes[i], text_option (argc, argv, "address", "")) == 0, "zmq_connect");
    }
    tell_ready (NULL);
    for (;;) {
        long argument = next_command (command);
        int by_count = strcmp (command, "count") == 0;
        if (!by_count && strcmp (command, "run") != 0)
            continue;
        struct rusage at_start = usage_now ();
        long count = by_count                      ? send_count (pushes[0], payload, size, argument)
                     : sockets == 1 && frames == 1
                         ? send_stream (pushes[0], payload, size, (double) argument, 1)
                         : send_streams (pushes, sockets, payload, size, frames, (double) argument);
        tell_sent (count, &at_start);
    }
}

/* REQ and REP over inproc, the REP in a thread of its own; round trips for each `run <ms>`: size=1 */


#include "common.h"

#define MOST_ROUND_TRIPS (1 << 21)

static void *reply (void *rep)
{
    zmq_msg_t message;
    zmq_msg_init (&message);
    for (;;) {
        check (zmq_msg_recv (&message, rep, 0) >= 0, "zmq_msg_recv");
        check (zmq_msg_send (&message, rep, 0) >= 0, "zmq_msg_send");
    }
    return NULL;
}

int main (int argc, char **argv)
{
    char command[32];
    pthread_t thread;
    zmq_msg_t message;
    size_t size = (size_t) number_option (argc, argv, "size", 1);
    char *payload = make_payload (size);
    double *times = malloc (MOST_ROUND_TRIPS * sizeof *times);
    begin ();
    void *context = zmq_ctx_new ();
    void *rep = zmq_socket (context, ZMQ_REP);
    void *req = zmq_socket (context, ZMQ_REQ);
    check (zmq_bind (rep, "inproc://exchange") == 0, "zmq_bind");
    check (zmq_connect (req, "inproc://exchange") == 0, "zmq_connect");
    pthread_create (&thread, NULL, reply, rep);
    zmq_msg_init (&message);
    tell_ready (NULL);
    for (;;) {
        long duration = next_command (command);
        if (strcmp (command, "run") != 0)
            continue;
        long count = 0;
        struct rusage at_start = usage_now ();
        double before = now_ms ();
        double stop = before + (double) duration;
        do {
            send_one (req, payload, size);
            check (zmq_msg_recv (&message, req, 0) == (int) size, "zmq_msg_recv");
            double now = now_ms ();
            times[count++] = (now - before) * 1e3;
            before = now;
        } while (before < stop && count < MOST_ROUND_TRIPS);
        tell_times (times, count, &at_start);
    }
}

/* REQ that connects, and does round trips for each `run <ms>`, or `count <trips>`: address=tcp://127.0.0.1:5555 size=1 */

#include <math.h>
#include "common.h"

#define MOST_ROUND_TRIPS (1 << 21)

int main (int argc, char **argv)
{
    char command[32];
    size_t size = (size_t) number_option (argc, argv, "size", 1);
    char *payload = make_payload (size);
    double *times = malloc (MOST_ROUND_TRIPS * sizeof *times);
    zmq_msg_t message;
    begin ();
    void *req = zmq_socket (zmq_ctx_new (), ZMQ_REQ);
    check (zmq_connect (req, text_option (argc, argv, "address", "")) == 0, "zmq_connect");
    zmq_msg_init (&message);
    tell_ready (NULL);
    for (;;) {
        long argument = next_command (command);
        int by_count = strcmp (command, "count") == 0;
        if (!by_count && strcmp (command, "run") != 0)
            continue;
        long most = by_count ? argument : MOST_ROUND_TRIPS;
        long count = 0;
        struct rusage at_start = usage_now ();
        double before = now_ms ();
        double stop = by_count ? HUGE_VAL : before + (double) argument;
        do {
            send_one (req, payload, size);
            check (zmq_msg_recv (&message, req, 0) == (int) size, "zmq_msg_recv");
            double now = now_ms ();
            times[count++] = (now - before) * 1e3;
            before = now;
        } while (before < stop && count < most);
        tell_times (times, count, &at_start);
    }
}

/* PUSH that connects, and sends one stream for each `run <ms>`: address=tcp://127.0.0.1:5555 size=10 [curve=1] */

#include "common.h"

int main (int argc, char **argv)
{
    char command[32];
    size_t size = (size_t) number_option (argc, argv, "size", 10);
    char *payload = make_payload (size);
    begin ();
    void *push = zmq_socket (zmq_ctx_new (), ZMQ_PUSH);
    if (number_option (argc, argv, "curve", 0))
        curve_client (push);
    check (zmq_connect (push, text_option (argc, argv, "address", "")) == 0, "zmq_connect");
    tell_ready (NULL);
    for (;;) {
        long duration = next_command (command);
        if (strcmp (command, "run") != 0)
            continue;
        double cpu = cpu_ms ();
        long count = send_stream (push, payload, size, (double) duration, 1);
        tell_sent (count, cpu_ms () - cpu);
    }
}

/* PULL that binds, and receives one stream for each `run`: address=tcp://127.0.0.1:* [curve=1] */

#include "common.h"

int main (int argc, char **argv)
{
    char command[32];
    struct stream stream;
    begin ();
    void *pull = zmq_socket (zmq_ctx_new (), ZMQ_PULL);
    if (number_option (argc, argv, "curve", 0))
        curve_server (pull);
    check (zmq_bind (pull, text_option (argc, argv, "address", "")) == 0, "zmq_bind");
    tell_ready (pull);
    for (;;) {
        next_command (command);
        if (strcmp (command, "run") != 0)
            continue;
        double cpu = cpu_ms ();
        receive_stream (pull, &stream);
        tell_received (&stream, stream.count, cpu_ms () - cpu);
    }
}

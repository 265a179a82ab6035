/*
 * PULL that binds, and receives the streams of so many senders for each `run`:
 * address=tcp://127.0.0.1:* [senders=1] [mark=1000] [curve=1] [plain=1]
 */

#include "common.h"

int main (int argc, char **argv)
{
    char command[32];
    struct stream stream;
    int senders = (int) number_option (argc, argv, "senders", 1);
    begin ();
    void *context = zmq_ctx_new ();
    void *pull = zmq_socket (context, ZMQ_PULL);
    if (number_option (argc, argv, "plain", 0))
        start_handler (context);
    set_number (pull, ZMQ_RCVHWM, (int) number_option (argc, argv, "mark", 1000));
    secure (pull, argc, argv, 1);
    check (zmq_bind (pull, text_option (argc, argv, "address", "")) == 0, "zmq_bind");
    tell_ready (pull);
    for (;;) {
        next_command (command);
        if (strcmp (command, "run") != 0)
            continue;
        struct rusage at_start = usage_now ();
        receive_streams (pull, &stream, 1, senders);
        tell_received (&stream, stream.count, &at_start);
    }
}

/* PUSH and PULL over inproc, the sender in a thread of its own as libzmq wants it: size=10 */


#include "common.h"

struct sender
{
    void *push;
    char *payload;
    size_t size;
    double duration;
    long count;
};

static void *send_all (void *argument)
{
    struct sender *sender = argument;
    sender->count = send_stream (sender->push, sender->payload, sender->size, sender->duration, 1);
    return NULL;
}

int main (int argc, char **argv)
{
    char command[32];
    struct stream stream;
    struct sender sender = {.size = (size_t) number_option (argc, argv, "size", 10)};
    sender.payload = make_payload (sender.size);
    begin ();
    void *context = zmq_ctx_new ();
    void *pull = zmq_socket (context, ZMQ_PULL);
    sender.push = zmq_socket (context, ZMQ_PUSH);
    check (zmq_bind (pull, "inproc://bench") == 0, "zmq_bind");
    check (zmq_connect (sender.push, "inproc://bench") == 0, "zmq_connect");
    tell_ready (NULL);
    for (;;) {
        pthread_t thread;
        struct rusage at_start = usage_now ();
        sender.duration = (double) next_command (command);
        if (strcmp (command, "run") != 0)
            continue;
        pthread_create (&thread, NULL, send_all, &sender);
        receive_stream (pull, &stream, 1);
        pthread_join (thread, NULL);
        printf ("{\"event\":\"done\",\"count\":%ld,\"bytes\":%ld,\"sent\":%ld,\"start\":%f,\"end\":%f", stream.count,
                stream.bytes, sender.count, stream.start, stream.end);
        tell_usage (&at_start);
    }
}

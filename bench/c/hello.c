/*
 * The Hello World pair on libzmq's side: hello server [address] [work ms] | hello client [requests] [address] |
 * hello timing [total messages] [address]. The same steps and output as ../seeds/hello-world.
 */

#include "common.h"

static void *open_socket (int type, int binds, const char *address)
{
    void *socket = zmq_socket (zmq_ctx_new (), type);
    check ((binds ? zmq_bind (socket, address) : zmq_connect (socket, address)) == 0, address);
    return socket;
}

static int receive_text (void *socket, char *text, size_t room)
{
    int size = zmq_recv (socket, text, room - 1, 0);
    check (size >= 0, "zmq_recv");
    text[size < (int) room ? size : (int) room - 1] = 0;
    return size;
}

static void serve (const char *address, long work_ms, int prints)
{
    char text[64];
    void *rep = open_socket (ZMQ_REP, 1, address);
    for (;;) {
        receive_text (rep, text, sizeof text);
        if (prints)
            printf ("Received request: %s\n", text);
        if (work_ms > 0)
            usleep ((useconds_t) work_ms * 1000);
        check (zmq_send (rep, "World", 5, 0) == 5, "zmq_send");
    }
}

static void greet (long requests, const char *address)
{
    char text[64];
    void *req = open_socket (ZMQ_REQ, 0, address);
    printf ("Connecting to hello world server…\n");
    for (long i = 0; i < requests; i++) {
        printf ("Sending request %ld …\n", i);
        check (zmq_send (req, "Hello", 5, 0) == 5, "zmq_send");
        receive_text (req, text, sizeof text);
        printf ("Received reply %ld [ %s ]\n", i, text);
    }
}

static void time_it (long total, const char *address)
{
    char text[64];
    void *req = open_socket (ZMQ_REQ, 0, address);
    double start = now_ms ();
    for (long i = 0; i < total; i++) {
        check (zmq_send (req, "Hello", 5, 0) == 5, "zmq_send");
        check (receive_text (req, text, sizeof text) == 5, "World");
    }
    double seconds = (now_ms () - start) / 1e3;
    printf ("%ld messages in %.2f secs\n%.0f messages / sec\n", total, seconds, (double) total / seconds);
}

int main (int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "";
    const char *first = argc > 2 ? argv[2] : NULL;
    const char *second = argc > 3 ? argv[3] : NULL;
    begin_alone ();
    if (strcmp (role, "server") == 0)
        serve (first ? first : "tcp://*:5555", second ? atol (second) : 1000, 1);
    else if (strcmp (role, "server-timing") == 0)
        serve (first ? first : "tcp://*:5555", 0, 0);
    else if (strcmp (role, "client") == 0)
        greet (first ? atol (first) : 10, second ? second : "tcp://localhost:5555");
    else
        time_it (first ? atol (first) : 100000, second ? second : "tcp://localhost:5555");
    return 0;
}

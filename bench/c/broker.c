/* A broker: ROUTER for clients, DEALER for workers, zmq_proxy between them: address=tcp://127.0.0.1:* */

#include "common.h"

int main (int argc, char **argv)
{
    char back[256];
    size_t length = sizeof back;
    char front[256];
    size_t front_length = sizeof front;
    begin ();
    void *context = zmq_ctx_new ();
    void *router = zmq_socket (context, ZMQ_ROUTER);
    void *dealer = zmq_socket (context, ZMQ_DEALER);
    check (zmq_bind (router, text_option (argc, argv, "address", "")) == 0, "zmq_bind");
    check (zmq_bind (dealer, text_option (argc, argv, "address", "")) == 0, "zmq_bind");
    zmq_getsockopt (router, ZMQ_LAST_ENDPOINT, front, &front_length);
    zmq_getsockopt (dealer, ZMQ_LAST_ENDPOINT, back, &length);
    printf ("{\"event\":\"ready\",\"address\":\"%s\",\"back\":\"%s\"}\n", front, back);
    zmq_proxy (router, dealer, NULL);
    return 0;
}

/* REP that binds and answers with what it got, without a copy: address=tcp://127.0.0.1:* */

#include "common.h"

int main (int argc, char **argv)
{
    zmq_msg_t message;
    begin ();
    void *rep = zmq_socket (zmq_ctx_new (), ZMQ_REP);
    check (zmq_bind (rep, text_option (argc, argv, "address", "")) == 0, "zmq_bind");
    tell_ready (rep);
    zmq_msg_init (&message);
    for (;;) {
        check (zmq_msg_recv (&message, rep, 0) >= 0, "zmq_msg_recv");
        check (zmq_msg_send (&message, rep, 0) >= 0, "zmq_msg_send");
    }
}

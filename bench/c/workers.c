/* So many REP, a thread each, that connect and answer with what they got: address=tcp://127.0.0.1:5555 workers=4 */


#include "common.h"

static void *work (void *rep)
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
    begin ();
    void *context = zmq_ctx_new ();
    for (long left = number_option (argc, argv, "workers", 1); left > 0; left--) {
        pthread_t thread;
        void *rep = zmq_socket (context, ZMQ_REP);
        check (zmq_connect (rep, text_option (argc, argv, "address", "")) == 0, "zmq_connect");
        pthread_create (&thread, NULL, work, rep);
    }
    tell_ready (NULL);
    for (;;)
        next_command (command);
}

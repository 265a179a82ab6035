/*
 * PUB that binds, with ZMQ_XPUB_NODROP as in ../programs/publisher.mjs. `sync` sends probes until `synced` arrives,
 * `run <ms>` sends one stream: address=tcp://127.0.0.1:* size=100 [receivers=1] [drops=1]
 *
 * With `drops` it never waits, and repeats the end of the stream until a line arrives, as that may be dropped too.
 */

#include "common.h"

#define PROBE_INTERVAL_MS 5

int main (int argc, char **argv)
{
    char command[32];
    size_t size = (size_t) number_option (argc, argv, "size", 100);
    long receivers = number_option (argc, argv, "receivers", 1);
    char *payload = make_payload (size);
    begin ();
    void *pub = zmq_socket (zmq_ctx_new (), ZMQ_PUB);
    int drops = (int) number_option (argc, argv, "drops", 0);
    set_number (pub, ZMQ_XPUB_NODROP, !drops);
    check (zmq_bind (pub, text_option (argc, argv, "address", "")) == 0, "zmq_bind");
    tell_ready (pub);
    for (;;) {
        long duration = next_command (command);
        struct rusage at_start = usage_now ();
        if (strcmp (command, "sync") == 0) {
            do {
                check (zmq_send (pub, "A", 1, 0) == 1, "zmq_send");
            } while (!command_waits (PROBE_INTERVAL_MS));
            tell_sent (0, &at_start);
        } else if (strcmp (command, "run") == 0) {
            long count = send_stream (pub, payload, size, (double) duration, receivers);
            while (drops && !command_waits (PROBE_INTERVAL_MS))
                check (zmq_send (pub, "", 0, 0) == 0, "zmq_send");
            tell_sent (count, &at_start);
        }
    }
}

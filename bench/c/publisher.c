/*
 * PUB that binds, with ZMQ_XPUB_NODROP as in ../programs/publisher.mjs. `sync` sends probes until `synced` arrives,
 * `run <ms>` sends one stream: address=tcp://127.0.0.1:* size=100 [receivers=1]
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
    set_number (pub, ZMQ_XPUB_NODROP, 1);
    check (zmq_bind (pub, text_option (argc, argv, "address", "")) == 0, "zmq_bind");
    tell_ready (pub);
    for (;;) {
        long duration = next_command (command);
        double cpu = cpu_ms ();
        if (strcmp (command, "sync") == 0) {
            do {
                check (zmq_send (pub, "A", 1, 0) == 1, "zmq_send");
            } while (!command_waits (PROBE_INTERVAL_MS));
            tell_sent (0, 0);
        } else if (strcmp (command, "run") == 0) {
            long count = send_stream (pub, payload, size, (double) duration, receivers);
            tell_sent (count, cpu_ms () - cpu);
        }
    }
}

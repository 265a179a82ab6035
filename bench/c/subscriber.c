/*
 * One or more SUB sockets in one thread: address=tcp://127.0.0.1:5555 [sockets=1] [topics=0] [slow=0]
 *
 * With `slow` it takes one message in so many milliseconds, until it is killed.
 *
 * `topics` adds that many subscriptions that no message matches; they are made once the connection is there, and
 * slowly, as libzmq drops one that does not fit its queue of 1000.
 *
 * With several sockets each is emptied without blocking in turn, so many messages at most; when a whole pass found
 * nothing, the program blocks on one that still expects something. That spares it every zmq_poll().
 */

#include "common.h"

#define MOST_IN_A_TURN 256
#define TOPICS_AT_ONCE 500

/* Receives what is there of one socket. Returns how many messages that were. */
static int drain (void *sub, struct stream *stream, zmq_msg_t *message)
{
    int taken = 0;
    while (taken < MOST_IN_A_TURN && !stream->over && zmq_msg_recv (message, sub, ZMQ_DONTWAIT) >= 0) {
        count_message (stream, zmq_msg_size (message));
        taken++;
    }
    return taken;
}

static void receive_all (void **subs, struct stream *streams, long sockets)
{
    zmq_msg_t message;
    zmq_msg_init (&message);
    memset (streams, 0, (size_t) sockets * sizeof *streams);
    for (long i = 0; i < sockets; i++)
        streams[i].least = 2;
    for (;;) {
        long taken = 0;
        long open = -1;
        for (long i = 0; i < sockets; i++) {
            taken += drain (subs[i], &streams[i], &message);
            if (!streams[i].over)
                open = i;
        }
        if (open < 0)
            break;
        if (taken == 0) {
            check (zmq_msg_recv (&message, subs[open], 0) >= 0, "zmq_msg_recv");
            count_message (&streams[open], zmq_msg_size (&message));
        }
    }
    zmq_msg_close (&message);
}

static void run (void **subs, struct stream *streams, long sockets)
{
    struct rusage at_start = usage_now ();
    if (sockets == 1)
        receive_stream (subs[0], streams, 2);
    else
        receive_all (subs, streams, sockets);
    struct stream all = streams[0];
    long least = streams[0].count;
    for (long i = 1; i < sockets; i++) {
        all.count += streams[i].count;
        all.bytes += streams[i].bytes;
        if (streams[i].start < all.start)
            all.start = streams[i].start;
        if (streams[i].end > all.end)
            all.end = streams[i].end;
        if (streams[i].count < least)
            least = streams[i].count;
    }
    tell_received (&all, least, &at_start);
}

static void synchronize (void **subs, long sockets, long topics)
{
    char probe[8];
    char topic[32];
    struct rusage at_start = usage_now ();
    for (long i = 0; i < sockets; i++)
        check (zmq_recv (subs[i], probe, sizeof probe, 0) >= 0, "zmq_recv");
    for (long j = 0; j < topics; j++) {
        if (j % TOPICS_AT_ONCE == 0)
            usleep (1000);
        snprintf (topic, sizeof topic, "other.%ld", j);
        for (long i = 0; i < sockets; i++)
            set_text (subs[i], ZMQ_SUBSCRIBE, topic);
    }
    tell_sent (0, &at_start);
}

static void run_slowly (void *sub, long interval_ms)
{
    zmq_msg_t message;
    zmq_msg_init (&message);
    for (;;) {
        check (zmq_msg_recv (&message, sub, 0) >= 0, "zmq_msg_recv");
        usleep ((useconds_t) interval_ms * 1000);
    }
}

int main (int argc, char **argv)
{
    char command[32];
    long sockets = number_option (argc, argv, "sockets", 1);
    long topics = number_option (argc, argv, "topics", 0);
    void **subs = calloc ((size_t) sockets, sizeof *subs);
    struct stream *streams = calloc ((size_t) sockets, sizeof *streams);
    begin ();
    void *context = zmq_ctx_new ();
    for (long i = 0; i < sockets; i++) {
        subs[i] = zmq_socket (context, ZMQ_SUB);
        check (subs[i] != NULL, "zmq_socket");
        check (zmq_connect (subs[i], text_option (argc, argv, "address", "")) == 0, "zmq_connect");
        set_text (subs[i], ZMQ_SUBSCRIBE, "");
    }
    tell_ready (NULL);
    if (number_option (argc, argv, "slow", 0))
        run_slowly (subs[0], number_option (argc, argv, "slow", 0));
    for (;;) {
        next_command (command);
        if (strcmp (command, "run") == 0) {
            run (subs, streams, sockets);
        } else if (strcmp (command, "sync") == 0) {
            synchronize (subs, sockets, topics);
        }
    }
}

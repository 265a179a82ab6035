/*
 * PUSH/PULL bytes a second on libzmq's side: bytes producer|consumer [address] [bytes] [messages], or ZMQ_ADDR, BYTESIZE
 * and MESSAGES. The same messages and output as ../seeds/push-pull-bytes: a frame with the sender's clock (milliseconds
 * since 1970, a double) and the sequence number, and the payload, which is full of the number of its buffer.
 */

#include <stdint.h>

#include "common.h"

#define POOL_BYTES (256L << 20)
#define POOL_MOST 16
#define HIGH_WATER_MARK 16

struct header
{
    double time;
    uint32_t sequence;
    uint32_t pool;
};

static double wall_ms (void)
{
    struct timespec time;
    clock_gettime (CLOCK_REALTIME, &time);
    return (double) time.tv_sec * 1e3 + (double) time.tv_nsec / 1e6;
}

static long pool_size (long bytes)
{
    long most = POOL_BYTES / bytes;
    return most < 2 ? 2 : most > POOL_MOST ? POOL_MOST : most;
}

static void produce (void *push, long bytes, long messages)
{
    struct header header = {.pool = (uint32_t) pool_size (bytes)};
    char *pool[POOL_MOST];
    for (uint32_t i = 0; i < header.pool; i++) {
        pool[i] = malloc ((size_t) bytes);
        memset (pool[i], (int) i + 1, (size_t) bytes);
    }
    for (long i = 0; i < messages; i++) {
        header.time = wall_ms ();
        header.sequence = (uint32_t) i;
        check (zmq_send (push, &header, sizeof header, ZMQ_SNDMORE) >= 0, "zmq_send");
        send_one (push, pool[header.sequence % header.pool], (size_t) bytes);
    }
}

static void consume (void *pull, long bytes, long messages)
{
    struct header header;
    zmq_msg_t message;
    double start = 0;
    zmq_msg_init (&message);
    for (long i = 0; i < messages; i++) {
        check (zmq_recv (pull, &header, sizeof header, 0) == sizeof header, "header");
        check (zmq_msg_recv (&message, pull, 0) == bytes, "payload of another size");
        const char *data = zmq_msg_data (&message);
        char expected = (char) (header.sequence % header.pool + 1);
        int holds = header.sequence == (uint32_t) i;
        check (holds && data[0] == expected && data[bytes / 2] == expected && data[bytes - 1] == expected, "payload");
        if (i == 0)
            start = header.time;
    }
    double seconds = (wall_ms () - start) / 1e3;
    printf ("messages: %ld of %ld bytes, each another than the one before\n", messages, bytes);
    printf ("seconds: %.3f\nthroughput: %.3f GiB/s\n", seconds,
            (double) bytes * (double) messages / seconds / (double) (1L << 30));
}

static const char *setting (int argc, char **argv, int at, const char *name, const char *otherwise)
{
    const char *text = argc > at ? argv[at] : getenv (name);
    return text && *text ? text : otherwise;
}

int main (int argc, char **argv)
{
    int produces = argc > 1 && strcmp (argv[1], "producer") == 0;
    const char *address = setting (argc, argv, 2, "ZMQ_ADDR", produces ? "tcp://localhost:5556" : "tcp://*:5556");
    long bytes = atol (setting (argc, argv, 3, "BYTESIZE", "10000000"));
    long messages = atol (setting (argc, argv, 4, "MESSAGES", "1000"));
    void *context = zmq_ctx_new ();
    void *socket = zmq_socket (context, produces ? ZMQ_PUSH : ZMQ_PULL);
    begin_alone ();
    set_number (socket, produces ? ZMQ_SNDHWM : ZMQ_RCVHWM, HIGH_WATER_MARK);
    check ((produces ? zmq_connect (socket, address) : zmq_bind (socket, address)) == 0, address);
    (produces ? produce : consume) (socket, bytes, messages);
    zmq_close (socket);
    zmq_ctx_term (context);
    return 0;
}

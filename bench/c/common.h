/*
 * What every program of the libzmq side shares: arguments, the line protocol with the runner, the clock.
 *
 * The programs mirror those in ../programs and speak the same protocol: a command a line on standard input, a JSON
 * object a line on standard output. Loops are as tight as libzmq's own performance programs have them; options are
 * libzmq's defaults (high-water mark 1000, one I/O thread) unless a program says otherwise.
 */

#ifndef ZMTP_BENCH_COMMON_H
#define ZMTP_BENCH_COMMON_H

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* A run takes seconds. A program that is left alone with a dead peer ends itself after this. */
#define WATCHDOG_S 600

/* From here on a message is sent by reference to the one payload, below it is copied: each is the faster there. */
#ifndef REFERENCE_BYTES
#define REFERENCE_BYTES 1024
#endif

/* The sender looks at the clock once in so many bytes, and at least once in so many messages. */
#define CLOCK_EVERY_BYTES 262144
#define CLOCK_EVERY_MESSAGES 256

/* libzmq's manual's sample keys, as in ../lib/security.mjs. */
#define CURVE_SERVER_PUBLIC "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
#define CURVE_SERVER_SECRET "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
#define CURVE_CLIENT_PUBLIC "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
#define CURVE_CLIENT_SECRET "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"

#define UNUSED __attribute__ ((unused))

static UNUSED void check (int holds, const char *what)
{
    if (holds)
        return;
    printf ("{\"event\":\"error\",\"message\":\"%s: %s\"}\n", what, zmq_strerror (zmq_errno ()));
    fflush (stdout);
    exit (1);
}

/* The value of `name=value` among the arguments. */
static UNUSED const char *text_option (int argc, char **argv, const char *name, const char *otherwise)
{
    size_t length = strlen (name);
    for (int i = 1; i < argc; i++)
        if (strncmp (argv[i], name, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    return otherwise;
}

static UNUSED long number_option (int argc, char **argv, const char *name, long otherwise)
{
    const char *text = text_option (argc, argv, name, NULL);
    return text ? atol (text) : otherwise;
}

static UNUSED double now_ms (void)
{
    struct timespec time;
    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec * 1e3 + (double) time.tv_nsec / 1e6;
}

static UNUSED struct rusage usage_now (void)
{
    struct rusage used;
    getrusage (RUSAGE_SELF, &used);
    return used;
}

static double cpu_ms (const struct rusage *used)
{
    return (double) (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1e3
           + (double) (used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e3;
}

static UNUSED long peak_kb (void)
{
    return usage_now ().ru_maxrss;
}

/* The end of an event's line: processor time and minor page faults of this process since then, and its peak memory. */
static UNUSED void tell_usage (const struct rusage *since)
{
    struct rusage used = usage_now ();
    printf (",\"cpuMs\":%.0f,\"faults\":%ld,\"peakKb\":%ld}\n", cpu_ms (&used) - cpu_ms (since),
            used.ru_minflt - since->ru_minflt, used.ru_maxrss);
}

/* Unbuffered input, so that poll() sees what has not been read; and an end together with the runner. */
static UNUSED void begin (void)
{
    setvbuf (stdin, NULL, _IONBF, 0);
    setvbuf (stdout, NULL, _IOLBF, 0);
#ifdef __linux__
    prctl (PR_SET_PDEATHSIG, SIGKILL);
#endif
    alarm (WATCHDOG_S);
}

/* For a program that a person starts as well: output line by line, and the end together with the runner when it is one. */
static UNUSED void begin_alone (void)
{
    setvbuf (stdout, NULL, _IOLBF, 0);
#ifdef __linux__
    if (getenv ("BENCH_RUNNER"))
        prctl (PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static UNUSED void tell_ready (void *socket)
{
    char address[256] = "";
    size_t length = sizeof address;
    if (socket)
        zmq_getsockopt (socket, ZMQ_LAST_ENDPOINT, address, &length);
    printf ("{\"event\":\"ready\",\"address\":\"%s\"}\n", address);
}

/* The next command's name into `name` (32 octets), its number returned. Ends the program with the input. */
static UNUSED long next_command (char *name)
{
    char line[128];
    long argument = 0;
    if (!fgets (line, sizeof line, stdin))
        exit (0);
    name[0] = 0;
    sscanf (line, "%31s %ld", name, &argument);
    alarm (WATCHDOG_S);
    return argument;
}

/* 1 when a line waits on the input, after at most so many milliseconds. */
static UNUSED int command_waits (int milliseconds)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll (&input, 1, milliseconds) > 0;
}

static UNUSED void set_number (void *socket, int option, int value)
{
    check (zmq_setsockopt (socket, option, &value, sizeof value) == 0, "zmq_setsockopt");
}

static UNUSED void set_text (void *socket, int option, const char *value)
{
    check (zmq_setsockopt (socket, option, value, strlen (value)) == 0, "zmq_setsockopt");
}

static UNUSED void curve_server (void *socket)
{
    set_number (socket, ZMQ_CURVE_SERVER, 1);
    set_text (socket, ZMQ_CURVE_SECRETKEY, CURVE_SERVER_SECRET);
}

static UNUSED void curve_client (void *socket)
{
    set_text (socket, ZMQ_CURVE_SERVERKEY, CURVE_SERVER_PUBLIC);
    set_text (socket, ZMQ_CURVE_PUBLICKEY, CURVE_CLIENT_PUBLIC);
    set_text (socket, ZMQ_CURVE_SECRETKEY, CURVE_CLIENT_SECRET);
}

static UNUSED void keep (void *data, void *hint)
{
    (void) data;
    (void) hint;
}

static UNUSED void plain_server (void *socket)
{
    set_number (socket, ZMQ_PLAIN_SERVER, 1);
}

/* PLAIN needs somebody who looks at the password (RFC 27, ZAP): lets everyone in. */
static UNUSED void *let_everyone_in (void *handler)
{
    char version[16];
    char id[256];
    char rest[256];
    for (;;) {
        int more = 1;
        size_t length = sizeof more;
        int version_size = zmq_recv (handler, version, sizeof version, 0);
        int id_size = zmq_recv (handler, id, sizeof id, 0);
        check (version_size >= 0 && id_size >= 0, "zmq_recv");
        for (zmq_getsockopt (handler, ZMQ_RCVMORE, &more, &length); more;
             zmq_getsockopt (handler, ZMQ_RCVMORE, &more, &length))
            zmq_recv (handler, rest, sizeof rest, 0);
        zmq_send (handler, version, (size_t) version_size, ZMQ_SNDMORE);
        zmq_send (handler, id, (size_t) id_size, ZMQ_SNDMORE);
        zmq_send (handler, "200", 3, ZMQ_SNDMORE);
        zmq_send (handler, "OK", 2, ZMQ_SNDMORE);
        zmq_send (handler, "bench", 5, ZMQ_SNDMORE);
        zmq_send (handler, "", 0, 0);
    }
    return NULL;
}

static UNUSED void start_handler (void *context)
{
    pthread_t thread;
    void *handler = zmq_socket (context, ZMQ_REP);
    check (zmq_bind (handler, "inproc://zeromq.zap.01") == 0, "zmq_bind");
    pthread_create (&thread, NULL, let_everyone_in, handler);
}

static UNUSED void plain_client (void *socket)
{
    set_text (socket, ZMQ_PLAIN_USERNAME, "bench");
    set_text (socket, ZMQ_PLAIN_PASSWORD, "bench");
}

/* The options for `curve=1` or `plain=1`. */
static UNUSED void secure (void *socket, int argc, char **argv, int serves)
{
    if (number_option (argc, argv, "curve", 0))
        (serves ? curve_server : curve_client) (socket);
    if (number_option (argc, argv, "plain", 0))
        (serves ? plain_server : plain_client) (socket);
}

static UNUSED void send_frame (void *socket, char *payload, size_t size, int flags)
{
    if (size < REFERENCE_BYTES) {
        check (zmq_send (socket, payload, size, flags) == (int) size, "zmq_send");
        return;
    }
    zmq_msg_t message;
    zmq_msg_init_data (&message, payload, size, keep, NULL);
    check (zmq_msg_send (&message, socket, flags) == (int) size, "zmq_msg_send");
}

static UNUSED void send_one (void *socket, char *payload, size_t size)
{
    send_frame (socket, payload, size, 0);
}

/* Messages between two looks at the clock. */
static UNUSED long clock_every (size_t size, long receivers)
{
    long every = CLOCK_EVERY_BYTES / (long) size;
    if (every > CLOCK_EVERY_MESSAGES / receivers)
        every = CLOCK_EVERY_MESSAGES / receivers;
    return every < 1 ? 1 : every;
}

/* One stream: the message for a time, then the empty one. Returns how many were sent. */
static UNUSED long send_stream (void *socket, char *payload, size_t size, double duration_ms, long receivers)
{
    long every = clock_every (size, receivers);
    double stop = now_ms () + duration_ms;
    long count = 0;
    do {
        for (long i = 0; i < every; i++)
            send_one (socket, payload, size);
        count += every;
    } while (now_ms () < stop);
    check (zmq_send (socket, "", 0, 0) == 0, "zmq_send");
    return count;
}

/* What was received of a stream. Messages shorter than `least` are probes, the empty one is its end. */
struct stream
{
    size_t least;
    long count;
    long bytes;
    double start;
    double end;
    int over;
};

/* Takes one frame into account; the last one of a message counts the message. */
static UNUSED void count_frame (struct stream *stream, size_t size, int more)
{
    if (size >= stream->least) {
        if (stream->count == 0 && stream->bytes == 0)
            stream->start = now_ms ();
        stream->count += !more;
        stream->bytes += (long) size;
    } else if (size == 0) {
        stream->over++;
        stream->end = now_ms ();
    }
}

static UNUSED void count_message (struct stream *stream, size_t size)
{
    count_frame (stream, size, 0);
}

/* Receives until so many senders' ends. */
static UNUSED void receive_streams (void *socket, struct stream *stream, size_t least, int senders)
{
    zmq_msg_t message;
    zmq_msg_init (&message);
    memset (stream, 0, sizeof *stream);
    stream->least = least;
    while (stream->over < senders) {
        check (zmq_msg_recv (&message, socket, 0) >= 0, "zmq_msg_recv");
        count_frame (stream, zmq_msg_size (&message), zmq_msg_more (&message));
    }
    zmq_msg_close (&message);
}

static UNUSED void receive_stream (void *socket, struct stream *stream, size_t least)
{
    receive_streams (socket, stream, least, 1);
}

static UNUSED char *make_payload (size_t size)
{
    char *payload = malloc (size + 1);
    memset (payload, 'A', size);
    return payload;
}

static UNUSED int by_value (const void *left, const void *right)
{
    double difference = *(const double *) left - *(const double *) right;
    return (difference > 0) - (difference < 0);
}

/* Round-trip times in microseconds; sorted in place. The quantiles are those of ../lib/statistics.mjs. */
static UNUSED void tell_times (double *times, long count, const struct rusage *since)
{
    static const double at[] = {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1};
    double sum = 0;
    for (long i = 0; i < count; i++)
        sum += times[i];
    qsort (times, (size_t) count, sizeof *times, by_value);
    printf ("{\"event\":\"done\",\"count\":%ld,\"mean\":%f,\"p50\":%f,\"p99\":%f,\"max\":%f,\"quantiles\":[", count,
            sum / (double) count, times[(count - 1) / 2], times[(long) ((double) (count - 1) * 0.99)],
            times[count - 1]);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        printf ("%s%.2f", i ? "," : "", times[(long) ((double) (count - 1) * at[i])]);
    printf ("]");
    tell_usage (since);
}

static UNUSED void tell_sent (long count, const struct rusage *since)
{
    printf ("{\"event\":\"done\",\"count\":%ld", count);
    tell_usage (since);
}

static UNUSED void tell_received (const struct stream *stream, long least, const struct rusage *since)
{
    printf ("{\"event\":\"done\",\"count\":%ld,\"bytes\":%ld,\"least\":%ld,\"start\":%f,\"end\":%f", stream->count,
            stream->bytes, least, stream->start, stream->end);
    tell_usage (since);
}

#endif

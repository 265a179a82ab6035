/*
 * A slow network between two interfaces of this network namespace, for kernels without netem: forwards every frame from each
 * to the other, at so many bits a second and so much later: wire <interface> <interface> <bits a second> <delay in µs>
 *
 * Frames keep the offload header of the virtual interface (PACKET_VNET_HDR), so that checksums which were left to the
 * hardware stay left to it. Ends with its parent.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#define FRAME_BYTES 66000
#define QUEUE_FRAMES 2048
#define OFFLOAD_HEADER_BYTES 10
#define NANOSECONDS 1000000000LL

struct frame
{
    int64_t due;
    ssize_t size;
    char *data;
};

struct direction
{
    int from;
    int to;
    int64_t bits;
    int64_t delay;
    struct frame queue[QUEUE_FRAMES];
    unsigned head;
    unsigned tail;
    int64_t free_at;
};

static int64_t now_ns (void)
{
    struct timespec time;
    clock_gettime (CLOCK_MONOTONIC, &time);
    return time.tv_sec * NANOSECONDS + time.tv_nsec;
}

static void need (int holds, const char *what)
{
    if (holds)
        return;
    perror (what);
    exit (1);
}

static int open_interface (const char *name)
{
    int one = 1;
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons (ETH_P_ALL)};
    int fd = socket (AF_PACKET, SOCK_RAW, htons (ETH_P_ALL));
    need (fd >= 0, "socket");
    need (setsockopt (fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) == 0, "PACKET_VNET_HDR");
    address.sll_ifindex = (int) if_nametoindex (name);
    need (address.sll_ifindex > 0, name);
    need (bind (fd, (struct sockaddr *) &address, sizeof address) == 0, "bind");
    return fd;
}

/* Takes what has arrived; what does not fit the queue is lost, as in a switch. */
static void take (struct direction *way)
{
    static __thread char spare[FRAME_BYTES];
    for (;;) {
        struct sockaddr_ll source;
        socklen_t length = sizeof source;
        int full = way->tail - way->head == QUEUE_FRAMES;
        struct frame *frame = &way->queue[way->tail % QUEUE_FRAMES];
        ssize_t size = recvfrom (way->from, full ? spare : frame->data, FRAME_BYTES, MSG_DONTWAIT,
                                 (struct sockaddr *) &source, &length);
        if (size < 0)
            return;
        if (full || source.sll_pkttype == PACKET_OUTGOING)
            continue;
        int64_t now = now_ns ();
        int64_t start = now > way->free_at ? now : way->free_at;
        way->free_at = start + (size - OFFLOAD_HEADER_BYTES) * 8 * NANOSECONDS / way->bits;
        frame->size = size;
        frame->due = way->free_at + way->delay;
        way->tail++;
    }
}

static void *forward (void *argument)
{
    struct direction *way = argument;
    struct pollfd input = {.fd = way->from, .events = POLLIN};
    prctl (PR_SET_TIMERSLACK, 1);
    for (;;) {
        int64_t wait = way->head == way->tail ? NANOSECONDS : way->queue[way->head % QUEUE_FRAMES].due - now_ns ();
        struct timespec timeout = {.tv_sec = wait > 0 ? wait / NANOSECONDS : 0, .tv_nsec = wait > 0 ? wait % NANOSECONDS : 0};
        ppoll (&input, 1, &timeout, NULL);
        take (way);
        for (; way->head != way->tail && way->queue[way->head % QUEUE_FRAMES].due <= now_ns (); way->head++) {
            struct frame *frame = &way->queue[way->head % QUEUE_FRAMES];
            send (way->to, frame->data, (size_t) frame->size, 0);
        }
    }
    return NULL;
}

int main (int argc, char **argv)
{
    pthread_t thread;
    if (argc != 5) {
        fprintf (stderr, "usage: wire <interface> <interface> <bits a second> <delay in µs>\n");
        return 1;
    }
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    int ends[2] = {open_interface (argv[1]), open_interface (argv[2])};
    static struct direction ways[2];
    for (int i = 0; i < 2; i++) {
        ways[i] = (struct direction){.from = ends[i], .to = ends[1 - i], .bits = atoll (argv[3]), .delay = atoll (argv[4]) * 1000};
        for (int j = 0; j < QUEUE_FRAMES; j++)
            ways[i].queue[j].data = malloc (FRAME_BYTES);
    }
    printf ("{\"event\":\"ready\"}\n");
    fflush (stdout);
    pthread_create (&thread, NULL, forward, &ways[0]);
    forward (&ways[1]);
    return 0;
}

/* A PULL that binds and holds connections; each `memory <settle ms>` tells the resident memory: address=tcp://127.0.0.1:* */

#include "common.h"

static long resident_bytes (void)
{
    long total = 0;
    long resident = 0;
    FILE *file = fopen ("/proc/self/statm", "r");
    check (file != NULL, "/proc/self/statm");
    check (fscanf (file, "%ld %ld", &total, &resident) == 2, "/proc/self/statm");
    fclose (file);
    return resident * sysconf (_SC_PAGESIZE);
}

int main (int argc, char **argv)
{
    char command[32];
    struct rlimit files;
    begin ();
    getrlimit (RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit (RLIMIT_NOFILE, &files);
    void *pull = zmq_socket (zmq_ctx_new (), ZMQ_PULL);
    set_number (pull, ZMQ_BACKLOG, 1024);
    check (zmq_bind (pull, text_option (argc, argv, "address", "")) == 0, "zmq_bind");
    tell_ready (pull);
    for (;;) {
        long settle_ms = next_command (command);
        if (strcmp (command, "memory") != 0)
            continue;
        usleep ((useconds_t) settle_ms * 1000);
        printf ("{\"event\":\"done\",\"bytes\":%ld}\n", resident_bytes ());
    }
}

/* NetPIPE with one size of messages. It takes the time of one message that NetPIPE reports, and prints that of --repeat of
 * them: "time SECONDS". tests/testbed/outside builds it, with the unchanged sources of NetPIPE, in which main() is called
 * netpipe_main() and gettimeofday() netpipe_clock(): it should read MPI's clock, which is virtual or real. */
#define _GNU_SOURCE
#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

int netpipe_main(int argc, char **argv);
int netpipe_clock(struct timeval *time, void *zone);

int netpipe_clock(struct timeval *time, void *zone)
{
    const double now = MPI_Wtime(), whole = floor(now);
    (void)zone;
    time->tv_sec = (time_t)whole;
    time->tv_usec = (suseconds_t)(1e6 * (now - whole));
    return 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: netpipe --bytes BYTES --repeat NUMBER [--mode ping-pong|stream|both]\n");
    return 2;
}

int main(int argc, char **argv)
{
    char *bytes = NULL, *repeat = NULL, *mode = "ping-pong", file[] = "/tmp/netpipe.XXXXXX";
    char *given[16] = { "netpipe", "-p", "0", "-o", file, "-l" };
    int count = 6, result, out;
    double size, rate, seconds;
    FILE *written;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--bytes") == 0) bytes = argv[i + 1];
        if (strcmp(argv[i], "--repeat") == 0) repeat = argv[i + 1];
        if (strcmp(argv[i], "--mode") == 0) mode = argv[i + 1];
    }
    if (!bytes || !repeat) return usage();
    given[count++] = bytes;
    given[count++] = "-u";
    given[count++] = bytes;
    given[count++] = "-n";
    given[count++] = repeat;
    if (strcmp(mode, "stream") == 0) given[count++] = "-s";
    if (strcmp(mode, "both") == 0) {
        given[count++] = "-2";
        given[count++] = "-a"; /* receives are posted before, else both might wait in their sends */
    }
    out = mkstemp(file); /* each rank makes one; the first rank, which sends, writes into it */
    if (out < 0) {
        perror(file);
        return 2;
    }
    close(out);
    result = netpipe_main(count, given);
    written = fopen(file, "r");
    if (written && fscanf(written, "%lf %lf %lf", &size, &rate, &seconds) == 3)
        printf("time %.6f\n", seconds * atof(repeat));
    if (written) fclose(written);
    remove(file);
    return result;
}

/* What do messages cost on your cluster? Measures with any MPI, between two hosts at a time, and writes a machine file
 * for examples/messages: `mpicc -I. calibrate.c -lm; mpirun -np 8 ./a.out --out my.machine`, one rank on each host.
 *
 *   send      CPU time of the call that sends; a robust line over the size
 *   receive   CPU time of the call that receives a message that has arrived; likewise
 *   watch     additional CPU time of a receiver that waits: the excess of round trips; likewise
 *   latency   half of a round trip of one byte, less these three
 *   bandwidth slope of half a round trip from 8 KiB on; a robust line
 *   look      CPU time of a probe that finds nothing
 *   eager     the largest message that is sent before its receiver is ready; by bisection
 *   early     bytes of a larger message that are sent with its rendezvous request
 *   buffer    bytes of such a message that are still in transit when its send returns
 *
 * Each is measured several times in a row, because programs find warm caches. --quota and --period are for hosts that
 * are containers with such a CPU quota. Values are medians over the pairs (0, k). The bandwidth must be positive and at
 * most --limit MB/s, the capacity of the link: otherwise the hosts were busy, and the measurement must be repeated. */
#define _DEFAULT_SOURCE
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 9, SIZES = 8, POINTS = TURNS * SIZES, MOST_PAIRS = 7, LARGE = 8192, ASKED = 65536, BUFFERED = 100000 };

/* Most implementations send those from ASKED on only when the receiver is ready. */
static const int sizes[SIZES] = { 1, 1024, 8192, 20480, 32768, 60000, 131072, 262144 };

typedef struct found {
    netmodel_line send, receive, both, half; /* the intercept of `half` is the time of one byte */
} found;

static int rank, size;
static char *room;

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until buffers are empty, and a new period has brought a new quota. */
static void rest(void)
{
    usleep(30000);
}

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return a < b ? -1 : a > b;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

/* Number of messages in a row: as many as buffers hold, at most 8. */
static int in_a_row(int bytes)
{
    int most = BUFFERED / (bytes + 1);
    return most < 1 ? 1 : most > 8 ? 8 : most;
}

/* CPU times of sending from 0 to the peer, and of receiving there, long after the messages have arrived. */
static int costs(int peer, double *n, double *send, double *receive)
{
    MPI_Status status;
    int count = 0;
    for (int k = 0; k < POINTS; ++k) {
        const int bytes = sizes[k % SIZES], row = in_a_row(bytes), i = count;
        double used = 0;
        if (bytes >= ASKED) continue;
        n[count++] = bytes;
        if (rank == 0) {
            rest();
            used = processor_time();
            for (int m = 0; m < row; ++m) MPI_Send(room, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
            send[i] = (processor_time() - used) / row;
            MPI_Recv(&receive[i], 1, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &status);
        } else {
            usleep(80000);
            used = processor_time();
            for (int m = 0; m < row; ++m) MPI_Recv(room, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);
            used = (processor_time() - used) / row;
            MPI_Send(&used, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        }
    }
    return count;
}

/* CPU time of round trips, and half of their time. */
static int round_trips(int peer, double *n, double *used, double *half)
{
    MPI_Status status;
    for (int i = 0; i < POINTS; ++i) {
        const int bytes = sizes[i % SIZES], row = bytes < LARGE ? 8 : 1;
        if (rank == 0) rest();
        half[i] = -MPI_Wtime();
        used[i] = -processor_time();
        for (int m = 0; m < row; ++m) {
            if (rank == 0) MPI_Send(room, bytes, MPI_CHAR, peer, 3, MPI_COMM_WORLD);
            MPI_Recv(room, bytes, MPI_CHAR, rank == 0 ? peer : 0, 3, MPI_COMM_WORLD, &status);
            if (rank != 0) MPI_Send(room, bytes, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
        }
        n[i] = bytes;
        half[i] = (half[i] + MPI_Wtime()) / (2 * row);
        used[i] = (used[i] + processor_time()) / row;
    }
    return POINTS;
}

static netmodel_line line_of(const double *n, const double *t, int count)
{
    double scratch[POINTS];
    netmodel_fit fit;
    memset(&fit, 0, sizeof fit);
    if (netmodel_fit_robust(&(netmodel_points){ n, t, (size_t)count, NETMODEL_ERROR_ABSOLUTE }, scratch, &fit, NULL) !=
        NETMODEL_OK)
        return fit.line;
    if (fit.line.intercept < 0) fit.line.intercept = 0;
    if (fit.line.slope < 0) fit.line.slope = 0;
    return fit.line;
}

/* CPU time of a probe that finds nothing. */
static double look(void)
{
    enum { LOOKS = 200 };
    MPI_Status status;
    int flag;
    double used = processor_time();
    for (int i = 0; i < LOOKS; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, &status);
    return (processor_time() - used) / LOOKS;
}

/* Whether a message of this size is sent before its receiver is ready: the peer waits for a while. */
static int is_eager(int peer, int bytes)
{
    MPI_Status status;
    double time = MPI_Wtime();
    if (rank == 0) {
        MPI_Send(room, bytes, MPI_CHAR, peer, 4, MPI_COMM_WORLD);
        time = MPI_Wtime() - time;
        MPI_Recv(NULL, 0, MPI_CHAR, peer, 5, MPI_COMM_WORLD, &status);
    } else {
        usleep(300000);
        MPI_Recv(room, bytes, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &status);
        MPI_Send(NULL, 0, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
    }
    int eager = time < 0.15;
    if (rank == 0) MPI_Send(&eager, 1, MPI_INT, peer, 6, MPI_COMM_WORLD);
    if (rank == peer) MPI_Recv(&eager, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &status);
    return eager;
}

static int eager_limit(int peer, int most)
{
    int low = 0, high = most;
    if (is_eager(peer, most)) return most;
    while (high - low > 64) {
        int middle = low + (high - low) / 2;
        if (is_eager(peer, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Time of sending a message, and time until it has arrived at a waiting receiver. */
static void sending(int peer, int bytes, double *sent, double *went)
{
    double all_sent[TURNS], all_went[TURNS];
    MPI_Status status;
    for (int i = 0; i < TURNS; ++i) {
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_CHAR, peer, 7, MPI_COMM_WORLD, &status);
            rest();
            const double begun = MPI_Wtime();
            MPI_Send(room, bytes, MPI_CHAR, peer, 8, MPI_COMM_WORLD);
            all_sent[i] = MPI_Wtime() - begun;
            MPI_Recv(NULL, 0, MPI_CHAR, peer, 7, MPI_COMM_WORLD, &status);
            all_went[i] = MPI_Wtime() - begun;
        } else {
            MPI_Send(NULL, 0, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
            MPI_Recv(room, bytes, MPI_CHAR, 0, 8, MPI_COMM_WORLD, &status);
            MPI_Send(NULL, 0, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
        }
    }
    if (rank != 0) return;
    *sent = median(all_sent, TURNS);
    *went = median(all_went, TURNS);
}

/* For rendezvous messages: the bytes sent with the request, and the bytes still in transit when the send returns. If a
 * message is only a little larger than the eager limit, buffers hold its rest, so the send takes as long as the first
 * bytes and an answer. */
static void large(int peer, int eager, double latency, double byte_time, double *early, double *buffer)
{
    enum { MORE = 8192, LARGEST = 1 << 20 };
    double sent = 0, went = 0;
    if (eager + MORE > LARGEST) return; /* all messages are eager */
    sending(peer, eager + MORE, &sent, &went);
    *early = fmin(fmax((sent - 2 * latency) / byte_time, 0), eager);
    sending(peer, LARGEST, &sent, &went);
    *buffer = fmin(fmax((went - latency - sent) / byte_time, 0), LARGEST);
}

static void pick(const found *all, int count, size_t place, netmodel_line *line)
{
    double slopes[MOST_PAIRS], intercepts[MOST_PAIRS];
    for (int i = 0; i < count; ++i) {
        netmodel_line one;
        memcpy(&one, (const char *)&all[i] + place, sizeof one);
        slopes[i] = one.slope;
        intercepts[i] = one.intercept;
    }
    memset(line, 0, sizeof *line);
    line->slope = median(slopes, count);
    line->intercept = median(intercepts, count);
}

/* Whether the bandwidth is possible; limit 0: unknown [MB/s]. */
static int possible(const found *all, int pairs, double limit)
{
    netmodel_line half;
    pick(all, pairs, offsetof(found, half), &half);
    if (half.slope > 0 && (limit <= 0 || 1e-6 / half.slope <= limit)) return 1;
    fprintf(stderr, "calibrate: measured a bandwidth of %.4g MB/s, expected more than 0", 1e-6 / half.slope);
    if (limit > 0) fprintf(stderr, " and at most %.4g", limit);
    fprintf(stderr, ": the hosts were busy, repeat the measurement\n");
    return 0;
}

static int write_file(const char *path, const char *name, const char *quota, const char *period, const char *tick,
                      const found *all, int pairs, double looks, int eager, double early, double buffer)
{
    netmodel_line send, receive, both, half;
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!f) return 0;
    pick(all, pairs, offsetof(found, send), &send);
    pick(all, pairs, offsetof(found, receive), &receive);
    pick(all, pairs, offsetof(found, both), &both);
    pick(all, pairs, offsetof(found, half), &half);
    const double watch = fmax(both.intercept - send.intercept - receive.intercept, 0);
    const double latency = fmax(half.intercept - both.intercept, 0);
    fprintf(f,
            "# Measured by examples/messages/programs/calibrate.c: robust lines, medians over %d pairs of hosts.\n\n"
            "[machine]\nname = %s\neager = %d B\nearly = %.0f B\nbuffer = %.0f B\nlook = %.3g us\nprogress = "
            "calls\n\n[network]\nlatency = %.4g us\nsharing = maxmin\n\n"
            "[node node]\ncount = %d\n",
            pairs, name, eager, early, buffer, 1e6 * looks, 1e6 * latency, size);
    if (quota) fprintf(f, "quota = %s\nperiod = %s\ntick = %s\n", quota, period, tick);
    fprintf(f, "bandwidth = %.5g MB/s\n", 1e-6 / half.slope);
    fprintf(f, "send = %.4g us + %.5g MB/s\n", 1e6 * send.intercept, 1e-6 / fmax(send.slope, 1e-13));
    fprintf(f, "receive = %.4g us + %.5g MB/s\n", 1e6 * receive.intercept, 1e-6 / fmax(receive.slope, 1e-13));
    fprintf(f, "watch = %.4g us + %.5g MB/s\n", 1e6 * watch, 1e-6 / fmax(both.slope - send.slope, 1e-13));
    return f == stdout || fclose(f) == 0;
}

int main(int argc, char **argv)
{
    static double n[POINTS], first[POINTS], second[POINTS];
    found all[MOST_PAIRS];
    const char *out = "-", *name = "a cluster", *quota = NULL, *period = "100 ms", *tick = "4 ms", *limit = "0";
    int eager = 0, result = 0;
    double early = 0, buffer = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *const names[] = { "--out", "--name", "--quota", "--period", "--tick", "--limit" };
        const char **const places[] = { &out, &name, &quota, &period, &tick, &limit };
        for (int k = 0; k < 6; ++k)
            if (strcmp(argv[i], names[k]) == 0) *places[k] = argv[i + 1];
    }
    if (size < 2) {
        fprintf(stderr, "calibrate: expected at least two ranks, each on a host of its own\n");
        MPI_Finalize();
        return 2;
    }
    room = calloc(1, 1 << 20);
    int pairs = size - 1 < MOST_PAIRS ? size - 1 : MOST_PAIRS;
    for (int peer = 1; peer <= pairs; ++peer) {
        if (rank == 0 && isatty(STDERR_FILENO)) fprintf(stderr, "\rcalibrate: pair %d of %d", peer, pairs);
        if (rank == 0 || rank == peer) {
            found *one = &all[peer - 1];
            int count = costs(peer, n, first, second), points = 0;
            double least[TURNS];
            one->send = line_of(n, first, count);
            one->receive = line_of(n, second, count);
            count = round_trips(peer, n, first, second);
            one->both = line_of(n, first, count);
            for (int i = 0; i < TURNS; ++i) least[i] = second[i * SIZES];
            for (int i = 0; i < count; ++i) {
                if (n[i] < LARGE) continue;
                n[points] = n[i];
                second[points++] = second[i];
            }
            one->half = line_of(n, second, points);
            one->half.intercept = median(least, TURNS);
            if (peer == 1) eager = eager_limit(1, 1 << 20);
            if (peer == 1) large(1, eager, one->half.intercept, one->half.slope, &early, &buffer);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    rest();
    double looks = look();
    if (rank == 0) {
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\n");
        if (!possible(all, pairs, strtod(limit, NULL))) {
            result = 1;
        } else if (!write_file(out, name, quota, period, tick, all, pairs, looks, eager, early, buffer)) {
            fprintf(stderr, "calibrate: cannot write '%s'\n", out);
            result = 1;
        }
    }
    free(room);
    MPI_Finalize();
    return result;
}

/* What do messages cost on your cluster? Measures with any MPI, between two hosts at a time, and writes a machine file
 * for examples/messages: `mpicc -I. calibrate.c -lm; mpirun -np 8 ./a.out --out my.machine`, one rank on each host.
 *
 *   send      CPU time of the call that sends after a while of computing; a robust line over the size
 *   receive   CPU time of the call that receives a message that has arrived; likewise
 *   repeated  part of the fixed times of these two that a message takes right after another one, while all hosts exchange
 *             messages; `spacing` of computing restores all of it
 *   repeated_receive, watch_busy  with --hosts, of round trips between hosts that share a processor, which is never idle: a
 *             receiver that waits takes two looks more, one before it sleeps; all else that such a round trip takes beside
 *             sending is the part of `receive` that a message takes right after another one
 *   watch     additional CPU time of a receiver that waits: of round trips, less the former; over the size: their excess
 *   wake      time until a sleeping receiver runs, without CPU time: the difference between round trips whose receivers sleep
 *             and round trips whose receivers poll, less `watch`
 *   send_more, receive_more   fixed CPU times of a message that finds others waiting: of 64 in a row, all but the first
 *   latency   half of a round trip of one byte whose receivers poll, less its CPU time
 *   bandwidth slope of half a round trip from 8 KiB on; a robust line
 *   burst     bytes that links that have rested pass at once: what that line says less for one byte than it takes
 *   header    bytes that each message adds on the links, from many round trips; header_more: likewise of one that joins
 *             others in a packet, from the time that long streams take more than short ones. 0 where the processor, not
 *             the link, is what limits them
 *   acknowledge  bytes that each full packet takes on the link of its receiver, if that sends to others meanwhile: from the
 *             time that messages around a ring of all hosts take longer than messages to hosts that only receive; with three
 *             hosts or more
 *   queue     bytes that wait at the sender's link in the order in which they came: what a message is ahead of a second
 *             one to another host, if both are sent at once, less the burst; with three hosts or more
 *   look      CPU time of a probe that finds nothing; look_more: what each rank adds to it that it has messages with
 *   eager     the largest message that is sent before its receiver is ready; by bisection
 *   early     bytes of a larger message that are sent with its rendezvous request
 *   buffer    bytes of such a message that are still in transit when its send returns
 *   ahead     bytes of such a message that the answer to another request waits for: what the other send takes longer while
 *             such a message goes to its sender
 *
 * All are measured in rounds, of each a sample or a few, until no value has a standard error above --precision (2 %, of half a round
 * trip or of the bandwidth) or --seconds (90) have passed, but two rounds at least; calibrate_estimate.h makes the values of the samples,
 * and their standard errors. Values that are not precise enough then are named. --samples FILE keeps the samples. --quota, --period and
 * --tick are for hosts that are containers with such a CPU quota, --hosts N for containers on N processors, on which they are in turn;
 * pairs that share a processor count for `near` alone. The bandwidth must be positive and at most --limit MB/s, the capacity of the link:
 * otherwise the hosts were busy, and the measurement must be repeated.
 *
 * Is the file right? `mpirun -np 8 ./a.out --patterns my.patterns` measures patterns that nothing was fitted to (calibrate_patterns.h), and
 * the same program built with simcc tells how far the prediction of each is off: `simrun -np 8 --machine my.machine ./a.sim --check
 * my.patterns`. */
#define _DEFAULT_SOURCE
#define NETMODEL_STATIC
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "calibrate_estimate.h"
#include "calibrate_patterns.h"

#include <mpi.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_LOOKS = 9, /* before there are messages with others */
    ROW = 64,        /* of small messages, so that the first one does not count */
    POLLS = 8,
    POLLED_ROWS = 8,
    SHORT_MORE = 8, /* rows of one byte: one differs from the next by a quarter, and they take little time */
    LARGE_ROUNDS =
        3, /* large messages take seconds on slow links, so they are only sent in the first rounds and in every third one */
    BLOCKS = 14,      /* of round trips in a row, each a sample; */
    BLOCK = 64,       /* so many in each, because the CPU time of a few differs by half */
    FIRST_BLOCKS = 2, /* of these there is no sample: links have rested, and caches are cold */
    STIRRED = 4 << 20
};

/* From so much computing on nothing is left in caches of a message before [s]. */
static const double spacing = 1e-3;

static int rank, size;
static char *room, *stirred;
static samples found; /* on rank 0 */
static int round_now; /* from 0; -1: what is measured once */

/* A sample, on rank 0. */
static void add(kind kind, int number, int pair, double seconds)
{
    if (rank == 0 && !samples_add(&found, kind, number, pair, round_now, seconds)) MPI_Abort(MPI_COMM_WORLD, 1);
}

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

/* Uses so much memory that messages are in no cache any more, as computing does. */
static void stir(void)
{
    for (size_t i = 0; i < STIRRED; i += 64) ++stirred[i];
}

/* An empty message from the second rank to the first, which both know of. */
static void signal_to(int to, int from, int tag)
{
    MPI_Status status;
    if (rank == from) MPI_Send(NULL, 0, MPI_CHAR, to, tag, MPI_COMM_WORLD);
    if (rank == to) MPI_Recv(NULL, 0, MPI_CHAR, from, tag, MPI_COMM_WORLD, &status);
}

/* CPU times of sending `row` messages from 0 to the peer, and of receiving them there, long after they have arrived. */
static void send_row(int peer, int bytes, int row, double *send, double *receive)
{
    MPI_Status status;
    double used = 0;
    if (rank == 0) {
        rest();
        stir();
        used = processor_time();
        for (int m = 0; m < row; ++m) MPI_Send(room, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
        *send = processor_time() - used;
        MPI_Recv(receive, 1, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &status);
    } else {
        usleep(80000);
        stir();
        used = processor_time();
        for (int m = 0; m < row; ++m) MPI_Recv(room, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);
        used = processor_time() - used;
        MPI_Send(&used, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    }
}

/* Single messages by size, and each of those that follow others. */
static void costs(int peer, int pair)
{
    double first[2] = { 0, 0 }, all[2] = { 0, 0 };
    for (int k = 0; k < SIZES; ++k) {
        if (sizes[k] >= ASKED) continue;
        send_row(peer, sizes[k], 1, &first[0], &first[1]);
        add(SEND_CPU, k, pair, first[0]);
        add(RECEIVE_CPU, k, pair, first[1]);
    }
    send_row(peer, 1, 1, &first[0], &first[1]);
    send_row(peer, 1, ROW, &all[0], &all[1]);
    add(SEND_MORE_CPU, 0, pair, (all[0] - first[0]) / (ROW - 1));
    add(RECEIVE_MORE_CPU, 0, pair, (all[1] - first[1]) / (ROW - 1));
}

/* Receives a message by polling. */
static void poll_for(int bytes, int from)
{
    MPI_Request request;
    MPI_Status status;
    int done = 0;
    MPI_Irecv(room, bytes, MPI_CHAR, from, 3, MPI_COMM_WORLD, &request);
    while (!done) MPI_Test(&request, &done, &status);
}

/* So many round trips, one after another. */
static void trips(int peer, int bytes, int row, int polls)
{
    const int other = rank == 0 ? peer : 0;
    MPI_Status status;
    for (int m = 0; m < row; ++m) {
        if (rank == 0) MPI_Send(room, bytes, MPI_CHAR, peer, 3, MPI_COMM_WORLD);
        if (polls)
            poll_for(bytes, other);
        else
            MPI_Recv(room, bytes, MPI_CHAR, other, 3, MPI_COMM_WORLD, &status);
        if (rank != 0) MPI_Send(room, bytes, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
    }
}

/* Round trips in a row, block by block: the time of one, or the mean CPU time of both ends. */
static void blocks(int peer, int pair, kind kind, int bytes, int row)
{
    double used[FIRST_BLOCKS + BLOCKS], others[FIRST_BLOCKS + BLOCKS];
    const int cpu = kind == LONG_CPU || kind == NEAR_CPU, count = FIRST_BLOCKS + BLOCKS;
    MPI_Status status;
    signal_to(0, peer, 7);
    if (rank == 0) rest();
    for (int i = 0; i < count; ++i) {
        used[i] = cpu ? -processor_time() : -MPI_Wtime();
        trips(peer, bytes, row, 0);
        used[i] = (used[i] + (cpu ? processor_time() : MPI_Wtime())) / row;
        others[i] = used[i];
    }
    if (cpu)
        MPI_Sendrecv(used, count, MPI_DOUBLE, peer - rank, 7, others, count, MPI_DOUBLE, peer - rank, 7, MPI_COMM_WORLD,
                     &status);
    for (int i = FIRST_BLOCKS; i < count; ++i) add(kind, 0, pair, (used[i] + others[i]) / 2);
}

/* Half of a round trip of one byte whose receivers poll. */
static void polled(int peer, int pair)
{
    if (rank == 0) rest(); /* before the peer begins to poll, which would use up its quota */
    signal_to(peer, 0, 7);
    double time = -MPI_Wtime();
    trips(peer, 1, POLLS, 1);
    time += MPI_Wtime();
    add(POLLED, 0, pair, time / (2 * POLLS));
}

/* So many messages of a byte in a row to a receiver that waits, until its answer comes. */
static void stream(int peer, int pair, kind kind, int row)
{
    MPI_Status status;
    signal_to(0, peer, 7);
    if (rank == 0) rest();
    double time = -MPI_Wtime();
    for (int m = 0; m < row; ++m)
        if (rank == 0)
            MPI_Send(room, 1, MPI_CHAR, peer, 8, MPI_COMM_WORLD);
        else
            MPI_Recv(room, 1, MPI_CHAR, 0, 8, MPI_COMM_WORLD, &status);
    signal_to(0, peer, 7);
    time += MPI_Wtime();
    add(kind, 0, pair, time);
}

/* CPU time of round trips, and half of their time, by size. */
static void round_trips(int peer, int pair)
{
    for (int i = 0; i < SIZES + SHORT_MORE; ++i) {
        const int k = i < SIZES ? i : 0, row = sizes[k] < LARGE ? ROW / 2 : 1;
        if (rank == 0) rest();
        double half = -MPI_Wtime(), used = -processor_time();
        trips(peer, sizes[k], row, 0);
        half += MPI_Wtime();
        used += processor_time();
        add(HALF, k, pair, half / (2 * row));
        add(TRIP_CPU, k, pair, used / row);
    }
}

/* The median of a value over all ranks, on rank 0. */
static double over_ranks(double value)
{
    double *all = calloc((size_t)size, sizeof *all), middle = 0;
    if (!all) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) middle = centre_median(all, size);
    free(all);
    return middle;
}

/* CPU time of a message sent, while all hosts exchange messages at once with those at distance 1, 2 and 4. */
static void sending_together(int row)
{
    double used = 0, clock = processor_time();
    MPI_Request requests[2];
    for (int i = 0; i < ROW; ++i) processor_time();
    clock = (processor_time() - clock) / (ROW + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    rest();
    for (int m = 0; m < row; ++m) {
        const int far = 1 + ((1 << m % 3) - 1) % (size - 1);
        MPI_Irecv(room, 1, MPI_CHAR, (rank + size - far) % size, 3, MPI_COMM_WORLD, &requests[0]);
        used -= processor_time();
        MPI_Isend(room + 1, 1, MPI_CHAR, (rank + far) % size, 3, MPI_COMM_WORLD, &requests[1]);
        used += processor_time();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    add(SEND_CPU_TOGETHER, 0, -1, over_ranks(fmax(used / row - clock, 0)));
}

/* A message to host 1, alone or with a larger one to host 2 that is sent at once. */
static void sent_ahead(int others)
{
    enum { SECOND = 60000 };
    MPI_Request requests[2];
    MPI_Status status;
    if (rank == 0) {
        rest();
        double time = -MPI_Wtime();
        MPI_Isend(room, FIRST, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[0]);
        if (others) MPI_Isend(room, SECOND, MPI_CHAR, 2, 4, MPI_COMM_WORLD, &requests[1]);
        MPI_Recv(NULL, 0, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &status);
        time += MPI_Wtime();
        MPI_Waitall(1 + others, requests, MPI_STATUSES_IGNORE);
        if (others) MPI_Recv(NULL, 0, MPI_CHAR, 2, 5, MPI_COMM_WORLD, &status);
        add(others ? AHEAD_BOTH : AHEAD_ALONE, 0, -1, time);
    } else if (rank == 1 || (rank == 2 && others)) {
        MPI_Recv(room, SECOND, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &status);
        MPI_Send(NULL, 0, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
    }
}

/* Time of messages that all hosts send to the next one at once, or that only every other one sends; the mean of those that
 * receive. */
static void around(int everyone)
{
    enum { BYTES = 60000, MESSAGES = 4 };
    const int sends = everyone || (rank % 2 == 0 && rank + 1 < size), receives = everyone || rank % 2 == 1;
    MPI_Request requests[MESSAGES];
    MPI_Status status;
    rest();
    MPI_Barrier(MPI_COMM_WORLD);
    double time = -MPI_Wtime(), all = 0;
    for (int m = 0; m < MESSAGES && sends; ++m)
        MPI_Isend(room, BYTES, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[m]);
    for (int m = 0; m < MESSAGES && receives; ++m)
        MPI_Recv(room + BYTES, BYTES, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &status);
    time = receives ? time + MPI_Wtime() : 0;
    if (sends) MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    MPI_Reduce(&time, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    add(everyone ? AROUND : AROUND_HALF, 0, -1, all / (everyone ? size : size / 2));
}

/* CPU time of a probe that finds nothing. */
static void look(kind kind)
{
    enum { LOOKS = 500 };
    MPI_Status status;
    int flag;
    rest();
    double time = -processor_time();
    for (int k = 0; k < LOOKS; ++k) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, &status);
    time += processor_time();
    add(kind, 0, -1, time / LOOKS);
}

/* True if a message of this size is sent before its receiver is ready: the peer waits for a while. A sender that was interrupted for so long
 * looks as if it had waited, so that is tried once more. */
static int is_eager(int peer, int bytes)
{
    int eager = 0;
    for (int i = 0; i < 2 && !eager; ++i) {
        double time = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(room, bytes, MPI_CHAR, peer, 4, MPI_COMM_WORLD);
            time = MPI_Wtime() - time;
        } else {
            MPI_Status status;
            usleep(300000);
            MPI_Recv(room, bytes, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &status);
        }
        signal_to(0, peer, 5);
        eager = time < 0.15;
        MPI_Status status;
        if (rank == 0) MPI_Send(&eager, 1, MPI_INT, peer, 6, MPI_COMM_WORLD);
        if (rank == peer) MPI_Recv(&eager, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &status);
    }
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

/* The call that sends, and the same until the message has arrived at a waiting receiver. KINDS: of no kind. */
static void sending(int peer, int bytes, kind sent, kind went)
{
    MPI_Status status;
    signal_to(0, peer, 7);
    if (rank == 0) rest();
    const double begun = MPI_Wtime();
    if (rank == 0)
        MPI_Send(room, bytes, MPI_CHAR, peer, 8, MPI_COMM_WORLD);
    else
        MPI_Recv(room, bytes, MPI_CHAR, 0, 8, MPI_COMM_WORLD, &status);
    add(sent, 0, -1, MPI_Wtime() - begun);
    signal_to(0, peer, 7);
    if (went != KINDS) add(went, 0, -1, MPI_Wtime() - begun);
}

/* The call of the peer that sends a message to a receiver that is ready, which sends a large one to the peer or does not. */
static void answering(int peer, int bytes, int large, kind kind)
{
    MPI_Request requests[2];
    MPI_Status status;
    const int other = rank == 0 ? peer : 0;
    double time = 0;
    MPI_Sendrecv(NULL, 0, MPI_CHAR, other, 7, NULL, 0, MPI_CHAR, other, 7, MPI_COMM_WORLD, &status);
    rest();
    if (rank == 0) {
        MPI_Irecv(room, bytes, MPI_CHAR, peer, 8, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(room + bytes, large, MPI_CHAR, peer, 9, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Recv(&time, 1, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, &status);
        add(kind, 0, -1, time);
    } else {
        MPI_Irecv(room + bytes, large, MPI_CHAR, 0, 9, MPI_COMM_WORLD, &requests[0]);
        /* until the rest of it is on its way */
        for (const double begun = MPI_Wtime(); MPI_Wtime() - begun < 0.2;) {
            int done;
            MPI_Test(&requests[0], &done, &status);
            usleep(1000);
        }
        time = -MPI_Wtime();
        MPI_Send(room, bytes, MPI_CHAR, 0, 8, MPI_COMM_WORLD);
        time += MPI_Wtime();
        MPI_Wait(&requests[0], &status);
        MPI_Send(&time, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    }
}

/* For rendezvous messages: the bytes sent with the request, the bytes still in transit when the send returns, and those
 * that an answer waits for. If a message is only a little larger than the eager limit, buffers hold its rest, so the send
 * takes as long as the first bytes and an answer. */
static void large(int peer, int eager)
{
    const int bytes = eager + LARGE;
    sending(peer, bytes, SENT_SMALL, KINDS);
    sending(peer, LARGEST, SENT_LARGEST, WENT_LARGEST);
    answering(peer, bytes, 1, ANSWER_ALONE);
    answering(peer, bytes, LARGEST, ANSWER_AGAINST);
}

/* A number rounded to two digits. */
static double rounded(double x)
{
    const double step = x > 0 ? pow(10, floor(log10(x)) - 1) : 1;
    return floor(x / step + 0.5) * step;
}

/* `NUMBER UNIT +- ERROR UNIT @SOURCE`, as much of it as is known. The source is named after the value with which this one is correlated. */
static const char *shown(const double *v, const double *error, const double *correlation, const int *with, int k,
                         double scale, const char *unit)
{
    static const char *const sources[VALUES] = {
        [LATENCY] = "latency", [SEND] = "send", [RECEIVE] = "receive", [WATCH] = "watch"
    };
    static char texts[VALUES][80];
    int used = snprintf(texts[k], sizeof texts[k], "%.5g %s", v[k] * scale, unit);
    if (error[k] > 0)
        used +=
            snprintf(texts[k] + used, sizeof texts[k] - (size_t)used, " +- %.6g %s", rounded(error[k] * scale), unit);
    if (error[k] > 0 && with[k] < VALUES && error[with[k]] > 0)
        snprintf(texts[k] + used, sizeof texts[k] - (size_t)used, " @%s %.2f", sources[with[k]], correlation[k]);
    else if (error[k] > 0 && sources[k])
        snprintf(texts[k] + used, sizeof texts[k] - (size_t)used, " @%s", sources[k]);
    return texts[k];
}

/* Names values that are not known so well, and what would help. */
static void say_noisy(const double v[VALUES], const double error[VALUES])
{
    const double most = 0.05;
    int noisy = 0;
    for (int i = 0; i < JUDGED; ++i) {
        const int k = judged[i].value;
        const double off = relative_error(v, error, k);
        if (!(off > most)) continue;
        if (!noisy++) fprintf(stderr, "calibrate: the hosts were too busy, or differ too much, for");
        fprintf(stderr, "%s %s (standard error %.0f %% of %s)", noisy > 1 ? "," : "", judged[i].name, 100 * off,
                k == BANDWIDTH || k == HALF_TRIP ? "it" : "half a round trip");
    }
    if (noisy)
        fprintf(stderr,
                "; what would help: no other programs on the hosts and links, or more time (--seconds), of which a "
                "disturbance takes a smaller part\n");
}

typedef struct options {
    const char *out, *name, *quota, *period, *tick, *samples, *patterns, *check;
    double limit, seconds, precision; /* [MB/s], [s], a part */
    int hosts;                        /* processors that the ranks are on in turn; 0: each has its own */
} options;

static int write_file(const options *o, const double v[VALUES], const double error[VALUES],
                      const double correlation[VALUES], const int with[VALUES], double seconds)
{
    FILE *f = strcmp(o->out, "-") == 0 ? stdout : fopen(o->out, "w");
    if (!f) return 0;
#define SHOWN(K, SCALE, UNIT) shown(v, error, correlation, with, K, SCALE, UNIT)
    fprintf(f,
            "# Measured by examples/messages/programs/calibrate.c in %.0f s: %d rounds of %d pairs of hosts.%s\n\n"
            "[machine]\nname = %s\neager = %d B\nearly = %s\n",
            seconds, found.rounds, found.pairs,
            found.pairs * found.rounds > 1
                ? " The errors are\n# standard errors, from how much rounds and pairs differ."
                : "",
            o->name, found.eager, SHOWN(EARLY, 1, "B"));
    fprintf(f, "buffer = %s\nahead = %s\nqueue = %s\n", SHOWN(BUFFER, 1, "B"), SHOWN(AHEAD, 1, "B"),
            SHOWN(QUEUE, 1, "B"));
    fprintf(f, "header = %s\nheader_more = %s\nacknowledge = %s\n", SHOWN(HEADER_BYTES, 1, "B"),
            SHOWN(HEADER_MORE, 1, "B"), SHOWN(ACKNOWLEDGE, 1, "B"));
    fprintf(f, "look = %s\nlook_more = %s\nprogress = calls\n\n", SHOWN(LOOK, 1e6, "us"), SHOWN(LOOK_MORE, 1e6, "us"));
    fprintf(f, "[network]\nlatency = %s\nsharing = maxmin\n\n", SHOWN(LATENCY, 1e6, "us"));
    fprintf(f, "[operation messages]\nspacing = %.4g ms\nrepeated = %s\nrepeated_receive = %s\n\n", 1e3 * spacing,
            SHOWN(REPEATED, 100, "%"), SHOWN(REPEATED_RECEIVE, 100, "%"));
    fprintf(f, "[node node]\ncount = %d\n", size);
    if (o->hosts > 0) fprintf(f, "hosts = %d\n", o->hosts);
    if (o->quota) fprintf(f, "quota = %s\nperiod = %s\ntick = %s\n", o->quota, o->period, o->tick);
    fprintf(f, "bandwidth = %s\nburst = %s\n", SHOWN(BANDWIDTH, 1e-6, "MB/s"), SHOWN(BURST, 1, "B"));
    fprintf(f, "send = %s + %s\n", SHOWN(SEND, 1e6, "us"), SHOWN(SEND_RATE, 1e-6, "MB/s"));
    fprintf(f, "receive = %s + %s\n", SHOWN(RECEIVE, 1e6, "us"), SHOWN(RECEIVE_RATE, 1e-6, "MB/s"));
    fprintf(f, "watch = %s + %s\n", SHOWN(WATCH, 1e6, "us"), SHOWN(WATCH_RATE, 1e-6, "MB/s"));
    if (v[WATCH_BUSY] > 0) fprintf(f, "watch_busy = %s\n", SHOWN(WATCH_BUSY, 1e6, "us"));
    fprintf(f, "wake = %s\nsend_more = %s\nreceive_more = %s\n", SHOWN(WAKE, 1e6, "us"), SHOWN(SEND_MORE, 1e6, "us"),
            SHOWN(RECEIVE_MORE, 1e6, "us"));
#undef SHOWN
    return f == stdout || fclose(f) == 0;
}

/* A head, and a line for each sample: kind, size, pair, round, seconds. */
static int write_samples(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) return 0;
    fprintf(f, "eager %d, partners %d\n", found.eager, found.partners);
    for (size_t i = 0; i < found.count; ++i)
        fprintf(f, "%d %d %d %d %.9g\n", (int)found.of[i].kind, found.of[i].size, found.of[i].pair, found.of[i].round,
                found.of[i].seconds);
    return fclose(f) == 0;
}

/* Other ranks share the processor of rank 0 with it. */
static int is_near(const options *o, int peer)
{
    return o->hosts > 0 && peer % o->hosts == 0;
}

/* All that is measured of a pair in a round. */
static void measure(int peer, int pair)
{
    costs(peer, pair);
    round_trips(peer, pair);
    for (int i = 0; i < POLLED_ROWS; ++i) polled(peer, pair);
    stream(peer, pair, QUARTER, STREAM / 4);
    stream(peer, pair, STREAMED, STREAM);
    blocks(peer, pair, LONG_CPU, 1, BLOCK);
    blocks(peer, pair, SHORT_TRIP, SHORT, BLOCK / 8);
    blocks(peer, pair, MIDDLE_TRIP, MIDDLE, BLOCK / 8);
    blocks(peer, pair, LONGER_TRIP, LONGER, BLOCK / 8);
}

/* Measured once: before rank 0 has messages with others than its first peer, and the eager limit. */
static void measure_first(void)
{
    round_now = -1;
    found.partners = size - 1 < MOST_PAIRS ? size - 1 : MOST_PAIRS;
    if (rank > 1) return;
    trips(1, 1, ROW, 0);
    for (int i = 0; i < FIRST_LOOKS; ++i) look(LOOK_ONE);
    found.eager = eager_limit(1, LARGEST);
    found.largest = found.eager + LARGE <= LARGEST / 2; /* else all messages that matter are sent at once */
}

/* A round of all kinds; rank 0 also says how far it is, on a terminal. */
static void measure_round(const options *o, int round, double begun)
{
    const int last = size - 1 < MOST_PAIRS ? size - 1 : MOST_PAIRS;
    int pair = 0;
    round_now = round;
    for (int peer = 1; peer <= last; ++peer) {
        if (rank == 0 && isatty(STDERR_FILENO))
            fprintf(stderr, "\rcalibrate: round %d, pair %d of %d; %.0f of at most %.0f s ", round + 1, peer, last,
                    MPI_Wtime() - begun, o->seconds);
        if (is_near(o, peer)) {
            if (rank == 0 || rank == peer) blocks(peer, -1, NEAR_CPU, 1, BLOCK);
        } else {
            if (rank == 0 || rank == peer) measure(peer, pair);
            ++pair;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    rest();
    sending_together(ROW);
    look(LOOK_ALL);
    for (int i = 0; i < 2 && size > 2; ++i) {
        around(i);
        sent_ahead(i);
    }
    if (rank <= 1 && found.largest && (round < 2 || round % LARGE_ROUNDS == 0)) large(1, found.eager);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Of all judged values; 0 where nothing is known. */
static double worst_error(const double v[VALUES], const double error[VALUES])
{
    double worst = 0;
    if (!(v[BANDWIDTH] > 0)) return (double)INFINITY;
    for (int i = 0; i < JUDGED; ++i) worst = fmax(worst, or_0(relative_error(v, error, judged[i].value)));
    return worst;
}

/* Measures until the values are precise enough or the time is over, and writes the file. The exit code. */
static int calibrate(const options *o)
{
    enum { FEWEST = 2 };
    double v[VALUES], error[VALUES], correlation[VALUES], last = 0;
    const double begun = MPI_Wtime();
    int with[VALUES], more = 1;
    for (int k = 0; k < VALUES; ++k) with[k] = VALUES;
    with[SEND_RATE] = SEND;
    with[RECEIVE_RATE] = RECEIVE;
    with[WATCH_RATE] = WATCH;
    with[WAKE] = LATENCY;
    measure_first();
    for (int round = 0; more; ++round) {
        const double before = MPI_Wtime();
        measure_round(o, round, begun);
        last = MPI_Wtime() - before;
        if (rank == 0) {
            if (!calibrate_derive(&found, NULL, v) || !calibrate_errors(&found, with, error, correlation))
                MPI_Abort(MPI_COMM_WORLD, 1);
            more = round + 1 < FEWEST || (round + 1 < MOST_ROUNDS && worst_error(v, error) > o->precision &&
                                          MPI_Wtime() - begun + last <= o->seconds);
        }
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank != 0) return 0;
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    if (o->samples && !write_samples(o->samples)) {
        fprintf(stderr, "calibrate: cannot write '%s'\n", o->samples);
        return 1;
    }
    if (!(v[BANDWIDTH] > 0) || (o->limit > 0 && 1e-6 * v[BANDWIDTH] > o->limit)) {
        fprintf(stderr, "calibrate: measured a bandwidth of %.4g MB/s, expected more than 0", 1e-6 * v[BANDWIDTH]);
        if (o->limit > 0) fprintf(stderr, " and at most %.4g", o->limit);
        fprintf(stderr, ": the hosts were busy, repeat the measurement\n");
        return 1;
    }
    say_noisy(v, error);
    if (write_file(o, v, error, correlation, with, MPI_Wtime() - begun)) return 0;
    fprintf(stderr, "calibrate: cannot write '%s'\n", o->out);
    return 1;
}

/* Measures the patterns, and writes them down or compares them. The exit code. */
static int patterns(const options *o)
{
    double real[PATTERNS][PATTERN_SIZES], spread[PATTERNS][PATTERN_SIZES], here[PATTERNS][PATTERN_SIZES],
        other[PATTERNS][PATTERN_SIZES];
    char why[200];
    int right = 1;
    if (o->check && rank == 0 && !patterns_read(o->check, size, real, spread, why)) {
        fprintf(stderr, "calibrate: --check: %s\n", why);
        right = 0;
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!right) return 2;
    if (!patterns_measure(here, o->check ? other : spread)) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank != 0) return 0;
    if (o->check) return patterns_compare(stdout, real, spread, here), 0;
    if (patterns_write(o->patterns, size, here, spread)) return 0;
    fprintf(stderr, "calibrate: cannot write '%s'\n", o->patterns);
    return 1;
}

/* Returns false if an option is wrong, and rank 0 has said which and why. */
static int options_read(options *o, int argc, char **argv)
{
    const struct {
        const char *name;
        const char **text;
        double *number;
        double least, scale;
    } all[] = { { "--out", &o->out, NULL, 0, 1 },
                { "--name", &o->name, NULL, 0, 1 },
                { "--quota", &o->quota, NULL, 0, 1 },
                { "--period", &o->period, NULL, 0, 1 },
                { "--tick", &o->tick, NULL, 0, 1 },
                { "--samples", &o->samples, NULL, 0, 1 },
                { "--patterns", &o->patterns, NULL, 0, 1 },
                { "--check", &o->check, NULL, 0, 1 },
                { "--limit", NULL, &o->limit, 0, 1 },
                { "--seconds", NULL, &o->seconds, 0, 1 },
                { "--precision", NULL, &o->precision, 0, 0.01 },
                { "--hosts", NULL, NULL, 1, 1 } };
    enum { OPTIONS = sizeof all / sizeof *all };
    for (int i = 1; i < argc; i += 2) {
        int k = 0;
        char *end = NULL;
        while (k < OPTIONS && strcmp(argv[i], all[k].name) != 0) ++k;
        const char *wrong = k == OPTIONS ? "unknown option" : i + 1 == argc ? "expected a value" : NULL;
        if (!wrong && !all[k].text) {
            const double number = strtod(argv[i + 1], &end);
            if (end == argv[i + 1] || *end || !(number >= all[k].least) || number > 1e9)
                wrong = all[k].number ? "expected a number from 0 to 1e9" : "expected a number of processors";
            if (!all[k].number && number > floor(number)) wrong = "expected a whole number";
            if (all[k].number)
                *all[k].number = number * all[k].scale;
            else if (!wrong)
                o->hosts = number >= 2 && number < size ? (int)number : 0;
        } else if (!wrong) {
            *all[k].text = argv[i + 1];
        }
        if (!wrong) continue;
        if (rank == 0) {
            fprintf(stderr, "calibrate: %s: %s; the options are", argv[i], wrong);
            for (k = 0; k < OPTIONS; ++k) fprintf(stderr, " %s", all[k].name);
            fprintf(stderr, "\n");
        }
        return 0;
    }
    if (!(o->patterns && o->check)) return 1;
    if (rank == 0)
        fprintf(stderr, "calibrate: --check: expected no --patterns beside it, which writes what it reads\n");
    return 0;
}

int main(int argc, char **argv)
{
    options o = { "-", "a cluster", NULL, "100 ms", "4 ms", NULL, NULL, NULL, 0, 90, 0.02, 0 };
    int result = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "calibrate: expected at least two ranks, each on a host of its own\n");
    } else if (options_read(&o, argc, argv)) {
        room = calloc(1, 2 << 20);
        stirred = calloc(1, STIRRED);
        if (!room || !stirred) MPI_Abort(MPI_COMM_WORLD, 1);
        result = o.patterns || o.check ? patterns(&o) : calibrate(&o);
        free(found.of);
        free(room);
        free(stirred);
    }
    MPI_Finalize();
    return result;
}

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
 * Each is measured several times in a row, because programs find warm caches. --quota and --period are for hosts that
 * are containers with such a CPU quota, --hosts N for containers on N processors, on which they are in turn. Values are
 * medians over the pairs (0, k) that do not share a processor, with standard errors from how much these pairs differ. The bandwidth must be positive and at most --limit MB/s, the
 * capacity of the link: otherwise the hosts were busy, and the measurement must be repeated. */
#define _DEFAULT_SOURCE
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include <mpi.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TURNS = 9,
    SIZES = 8,
    POINTS = TURNS * SIZES,
    MOST_PAIRS = 7,
    LARGE = 8192,
    ASKED = 65536,
    ROW = 64,      /* of small messages, so that the first one does not count */
    TRIPS = 320,   /* of round trips in a row */
    STREAM = 2560, /* of small messages to one receiver: the packets of the first ones are not full */
    LONG = 1024,   /* of round trips whose CPU time counts; that of a few differs by half */
    HEADER = 256,  /* the most that a message may add on the links [B] */
    PACKET = 1460, /* bytes of a full packet on Ethernet */
    STIRRED = 4 << 20
};

/* From so much computing on nothing is left in caches of a message before [s]. */
static const double spacing = 1e-3;

/* Most implementations send those from ASKED on only when the receiver is ready. */
static const int sizes[SIZES] = { 1, 1024, 8192, 20480, 32768, 60000, 131072, 262144 };

typedef struct found {
    netmodel_line send, receive, both, half; /* the intercepts of the last two are those of one byte */
    double burst, send_more, receive_more;
    double polled;      /* half of a round trip of one byte whose receivers poll */
    double trip;        /* time of a round trip of HEADER bytes, in a row of TRIPS */
    double row, stream; /* times of a quarter of STREAM and of STREAM messages of one byte */
} found;

/* What is measured of all hosts at once, and of the first ones. */
typedef struct common {
    double sending; /* CPU time of a message sent while all exchange messages */
    double near;    /* CPU time of a round trip of one byte between hosts that share a processor; 0: none do */
    double look, look_more;
    double queue, acknowledge, early, buffer, ahead;
    int eager;
} common;

static int rank, size;
static char *room, *stirred;

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

/* The same of single messages, by size. */
static int costs(int peer, double *n, double *send, double *receive)
{
    int count = 0;
    for (int k = 0; k < POINTS; ++k) {
        if (sizes[k % SIZES] >= ASKED) continue;
        n[count] = sizes[k % SIZES];
        send_row(peer, sizes[k % SIZES], 1, &send[count], &receive[count]);
        ++count;
    }
    return count;
}

/* And of each message that follows others. */
static void costs_more(int peer, double *send, double *receive)
{
    double sends[TURNS], receives[TURNS];
    for (int i = 0; i < TURNS; ++i) {
        double first[2] = { 0, 0 }, all[2] = { 0, 0 };
        send_row(peer, 1, 1, &first[0], &first[1]);
        send_row(peer, 1, ROW, &all[0], &all[1]);
        sends[i] = fmax(all[0] - first[0], 0) / (ROW - 1);
        receives[i] = fmax(all[1] - first[1], 0) / (ROW - 1);
    }
    *send = median(sends, TURNS);
    *receive = median(receives, TURNS);
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

/* Time of a round trip, of so many in a row. */
static double trip_time(int peer, int bytes, int row, int polls)
{
    double times[TURNS];
    MPI_Status status;
    for (int i = 0; i < TURNS; ++i) {
        if (rank == 0) {
            rest();
            MPI_Send(NULL, 0, MPI_CHAR, peer, 7, MPI_COMM_WORLD);
        } else {
            MPI_Recv(NULL, 0, MPI_CHAR, 0, 7, MPI_COMM_WORLD, &status);
        }
        times[i] = -MPI_Wtime();
        trips(peer, bytes, row, polls);
        times[i] = (times[i] + MPI_Wtime()) / row;
    }
    return median(times, TURNS);
}

/* Time of so many messages of a byte in a row to a receiver that waits, until its answer comes. */
static double stream_time(int peer, int row)
{
    double times[TURNS];
    MPI_Status status;
    for (int i = 0; i < TURNS; ++i) {
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_CHAR, peer, 7, MPI_COMM_WORLD, &status);
            rest();
        } else {
            MPI_Send(NULL, 0, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
        }
        times[i] = -MPI_Wtime();
        for (int m = 0; m < row; ++m)
            if (rank == 0)
                MPI_Send(room, 1, MPI_CHAR, peer, 8, MPI_COMM_WORLD);
            else
                MPI_Recv(room, 1, MPI_CHAR, 0, 8, MPI_COMM_WORLD, &status);
        if (rank == 0)
            MPI_Recv(NULL, 0, MPI_CHAR, peer, 7, MPI_COMM_WORLD, &status);
        else
            MPI_Send(NULL, 0, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
        times[i] += MPI_Wtime();
    }
    return median(times, TURNS);
}

/* CPU time of round trips, and half of their time. */
static int round_trips(int peer, double *n, double *used, double *half)
{
    for (int i = 0; i < POINTS; ++i) {
        const int bytes = sizes[i % SIZES], row = bytes < LARGE ? ROW / 2 : 1;
        if (rank == 0) rest();
        half[i] = -MPI_Wtime();
        used[i] = -processor_time();
        trips(peer, bytes, row, 0);
        n[i] = bytes;
        half[i] = (half[i] + MPI_Wtime()) / (2 * row);
        used[i] = (used[i] + processor_time()) / row;
    }
    return POINTS;
}

/* CPU time of a round trip of one byte, the mean of both sides; of several rows of many. */
static double long_trip(int peer)
{
    double times[TURNS];
    MPI_Status status;
    for (int i = 0; i < TURNS; ++i) {
        double used[2];
        if (rank == 0) rest();
        used[0] = -processor_time();
        trips(peer, 1, LONG, 0);
        used[0] = (used[0] + processor_time()) / LONG;
        MPI_Sendrecv(&used[0], 1, MPI_DOUBLE, peer - rank, 7, &used[1], 1, MPI_DOUBLE, peer - rank, 7, MPI_COMM_WORLD,
                     &status);
        times[i] = (used[0] + used[1]) / 2;
    }
    return median(times, TURNS);
}

/* The median of a value over all ranks, on rank 0. */
static double over_ranks(double value)
{
    double *all = calloc((size_t)size, sizeof *all), middle = 0;
    if (!all) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) middle = median(all, size);
    free(all);
    return middle;
}

/* CPU time of a message sent, while all hosts exchange messages at once with those at distance 1, 2 and 4. */
static double sending_together(int row)
{
    double sends[TURNS], clock = processor_time();
    MPI_Request requests[2];
    for (int i = 0; i < ROW; ++i) processor_time();
    clock = (processor_time() - clock) / (ROW + 1);
    for (int i = 0; i < TURNS; ++i) {
        double used = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        rest();
        for (int m = 0; m < row; ++m) {
            const int far = (1 << m % 3) % size;
            MPI_Irecv(room, 1, MPI_CHAR, (rank + size - far) % size, 3, MPI_COMM_WORLD, &requests[0]);
            used -= processor_time();
            MPI_Isend(room + 1, 1, MPI_CHAR, (rank + far) % size, 3, MPI_COMM_WORLD, &requests[1]);
            used += processor_time();
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        sends[i] = fmax(used / row - clock, 0);
    }
    return over_ranks(median(sends, TURNS));
}

/* What a message to host 1 is ahead of a larger one to host 2 that is sent at once [B]. */
static double queue_ahead(double byte_time, double burst)
{
    enum { FIRST = 32768, SECOND = 60000 };
    double times[2][TURNS];
    MPI_Request requests[2];
    MPI_Status status;
    for (int i = 0; i < 2 * TURNS; ++i) {
        const int others = i % 2;
        if (rank == 0) {
            rest();
            times[others][i / 2] = -MPI_Wtime();
            MPI_Isend(room, FIRST, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[0]);
            if (others) MPI_Isend(room, SECOND, MPI_CHAR, 2, 4, MPI_COMM_WORLD, &requests[1]);
            MPI_Recv(NULL, 0, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &status);
            times[others][i / 2] += MPI_Wtime();
            MPI_Waitall(1 + others, requests, MPI_STATUSES_IGNORE);
            if (others) MPI_Recv(NULL, 0, MPI_CHAR, 2, 5, MPI_COMM_WORLD, &status);
        } else if (rank == 1 || (rank == 2 && others)) {
            MPI_Recv(room, SECOND, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &status);
            MPI_Send(NULL, 0, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
        }
    }
    if (rank != 0) return 0;
    const double later = median(times[1], TURNS) - median(times[0], TURNS);
    return fmin(fmax(FIRST - later / byte_time - burst, 0), FIRST);
}

/* Time of messages that all hosts send to the next one at once, or that only every other one sends; the mean of those that
 * receive. */
static double time_around(int everyone)
{
    enum { BYTES = 60000, MESSAGES = 4 };
    const int sends = everyone || (rank % 2 == 0 && rank + 1 < size), receives = everyone || rank % 2 == 1;
    double times[TURNS];
    MPI_Request requests[MESSAGES];
    MPI_Status status;
    for (int i = 0; i < TURNS; ++i) {
        rest();
        MPI_Barrier(MPI_COMM_WORLD);
        times[i] = -MPI_Wtime();
        for (int m = 0; m < MESSAGES && sends; ++m)
            MPI_Isend(room, BYTES, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[m]);
        for (int m = 0; m < MESSAGES && receives; ++m)
            MPI_Recv(room + BYTES, BYTES, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &status);
        times[i] += MPI_Wtime();
        if (sends) MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    }
    double mine = receives ? median(times, TURNS) : 0, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all / (everyone ? size : size / 2);
}

/* What a full packet takes on the link of its receiver [B]. */
static double acknowledgement(void)
{
    const double everyone = time_around(1), others = time_around(0);
    return fmin(fmax((everyone / others - 1) * PACKET, 0), HEADER);
}

/* Bytes that small messages add on the links; 0: something else takes the time. */
static double header_of(double all_bytes, int messages, double bytes)
{
    const double header = all_bytes / messages - bytes;
    return header > 0 && header <= HEADER ? header : 0;
}

static netmodel_line line_of(const double *n, const double *t, int count)
{
    double scratch[POINTS];
    netmodel_fit fit;
    memset(&fit, 0, sizeof fit);
    if (netmodel_fit_robust(&(netmodel_points){ n, t, (size_t)count, NETMODEL_ERROR_ABSOLUTE }, scratch, &fit, NULL) ==
            NETMODEL_OK &&
        fit.line.slope < 0)
        fit.line.slope = 0;
    return fit.line;
}

/* The same of costs, which are never below 0. */
static netmodel_line costs_of(const double *n, const double *t, int count)
{
    netmodel_line line = line_of(n, t, count);
    if (line.intercept < 0) line.intercept = 0;
    return line;
}

/* The median of the times of one byte. */
static double least_of(const double *t)
{
    double least[TURNS];
    for (int i = 0; i < TURNS; ++i) least[i] = t[i * SIZES];
    return median(least, TURNS);
}

/* CPU time of a probe that finds nothing. */
static double look(void)
{
    enum { LOOKS = 1000 };
    double times[TURNS];
    MPI_Status status;
    int flag;
    for (int i = 0; i < TURNS; ++i) {
        rest();
        times[i] = -processor_time();
        for (int k = 0; k < LOOKS; ++k) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, &status);
        times[i] = (times[i] + processor_time()) / LOOKS;
    }
    return median(times, TURNS);
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

/* Time of sending a message from the peer to a receiver that is ready, while it sends a large one to the peer, or does
 * not. */
static double sending_against(int peer, int bytes, int large)
{
    double times[TURNS] = { 0 };
    MPI_Request requests[2];
    MPI_Status status;
    for (int i = 0; i < TURNS; ++i) {
        const int other = rank == 0 ? peer : 0;
        MPI_Sendrecv(NULL, 0, MPI_CHAR, other, 7, NULL, 0, MPI_CHAR, other, 7, MPI_COMM_WORLD, &status);
        rest();
        if (rank == 0) {
            MPI_Irecv(room, bytes, MPI_CHAR, peer, 8, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(room + bytes, large, MPI_CHAR, peer, 9, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Irecv(room + bytes, large, MPI_CHAR, 0, 9, MPI_COMM_WORLD, &requests[0]);
            /* until the rest of it is on its way */
            for (const double begun = MPI_Wtime(); MPI_Wtime() - begun < 0.2;) {
                int done;
                MPI_Test(&requests[0], &done, &status);
                usleep(1000);
            }
            times[i] = -MPI_Wtime();
            MPI_Send(room, bytes, MPI_CHAR, 0, 8, MPI_COMM_WORLD);
            times[i] += MPI_Wtime();
            MPI_Wait(&requests[0], &status);
        }
    }
    double found = median(times, TURNS);
    if (rank == peer) MPI_Send(&found, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&found, 1, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, &status);
    return found;
}

/* For rendezvous messages: the bytes sent with the request, the bytes still in transit when the send returns, and those
 * that an answer waits for. If a message is only a little larger than the eager limit, buffers hold its rest, so the send
 * takes as long as the first bytes and an answer. */
static void large(int peer, double latency, double byte_time, common *c)
{
    enum { MORE = 8192, LARGEST = 1 << 20 };
    double sent = 0, went = 0;
    const int bytes = c->eager + MORE;
    if (bytes > LARGEST / 2) return; /* all messages are eager */
    sending(peer, bytes, &sent, &went);
    c->early = fmin(fmax((sent - 2 * latency) / byte_time, 0), c->eager);
    sending(peer, LARGEST, &sent, &went);
    c->buffer = fmin(fmax((went - latency - sent) / byte_time, 0), LARGEST);
    const double alone = sending_against(peer, bytes, 1);
    c->ahead = fmin(fmax((sending_against(peer, bytes, LARGEST) - alone) / byte_time, 0), LARGEST);
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

/* The median over pairs of a value. */
static double middle(const found *all, int pairs, size_t place)
{
    double values[MOST_PAIRS];
    for (int i = 0; i < pairs; ++i) memcpy(&values[i], (const char *)&all[i] + place, sizeof values[i]);
    return median(values, pairs);
}

/* The values of the machine file that come from several pairs, in base units. */
enum {
    HEADER_BYTES,
    HEADER_MORE,
    LATENCY,
    REPEATED,
    REPEATED_RECEIVE,
    BANDWIDTH,
    BURST,
    SEND,
    SEND_RATE,
    RECEIVE,
    RECEIVE_RATE,
    WATCH,
    WATCH_RATE,
    WAKE,
    SEND_MORE,
    RECEIVE_MORE,
    VALUES
};

static double watch_busy_of(const common *c)
{
    return 2 * (c->look + c->look_more);
}

static double rate_of(double slope)
{
    return 1 / fmax(slope, 1e-13);
}

/* From medians over these pairs. */
static void derive(const found *all, int pairs, const common *c, double v[VALUES])
{
    netmodel_line send, receive, both, half;
    pick(all, pairs, offsetof(found, send), &send);
    pick(all, pairs, offsetof(found, receive), &receive);
    pick(all, pairs, offsetof(found, both), &both);
    pick(all, pairs, offsetof(found, half), &half);
    v[BURST] = middle(all, pairs, offsetof(found, burst));
    v[SEND_MORE] = middle(all, pairs, offsetof(found, send_more));
    v[RECEIVE_MORE] = middle(all, pairs, offsetof(found, receive_more));
    const double row = middle(all, pairs, offsetof(found, row)), stream = middle(all, pairs, offsetof(found, stream));
    const double trip = middle(all, pairs, offsetof(found, trip));
    const double header = header_of(TRIPS * trip / half.slope + v[BURST], TRIPS, HEADER);
    const double repeated = send.intercept > 0 ? fmin(c->sending / send.intercept, 1) : 1;
    const double received =
        c->near > 0 ? fmax(c->near - c->sending - watch_busy_of(c), 0) : repeated * receive.intercept;
    const double repeated_receive = receive.intercept > 0 ? fmin(received / receive.intercept, 1) : 1;
    const double processed = repeated * send.intercept + repeated_receive * receive.intercept;
    const double polled = middle(all, pairs, offsetof(found, polled));
    v[HEADER_BYTES] = header;
    v[HEADER_MORE] = fmin(header_of((stream - row) / half.slope, STREAM - STREAM / 4, 1), header);
    v[REPEATED] = repeated;
    v[REPEATED_RECEIVE] = repeated_receive;
    v[WATCH] = fmax(both.intercept - processed, 0);
    v[LATENCY] = fmax(polled - processed - fmax(header - v[BURST], 0) * half.slope, 0);
    v[WAKE] = fmax(half.intercept - polled - v[WATCH], 0);
    v[BANDWIDTH] = 1 / half.slope;
    v[SEND] = send.intercept;
    v[SEND_RATE] = rate_of(send.slope);
    v[RECEIVE] = receive.intercept;
    v[RECEIVE_RATE] = rate_of(receive.slope);
    v[WATCH_RATE] = rate_of(both.slope - send.slope);
}

/* Standard errors of the values, and the correlation of some of them with another one, by drawing pairs from those that there are, again
 * and again (the bootstrap). `with`: the other value of each; VALUES: none. All are 0 for one pair. */
static void errors_of(const found *all, int pairs, const common *c, const int with[VALUES], double error[VALUES],
                      double correlation[VALUES])
{
    enum { DRAWS = 400 };
    static double v[DRAWS][VALUES];
    double mean[VALUES] = { 0 };
    uint32_t state = 1;
    found drawn[MOST_PAIRS];
    for (int k = 0; k < VALUES; ++k) error[k] = correlation[k] = 0;
    if (pairs < 2) return;
    for (int i = 0; i < DRAWS; ++i) {
        for (int k = 0; k < pairs; ++k) {
            state = state * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
            drawn[k] = all[(int)((double)state / 4294967296.0 * pairs)];
        }
        derive(drawn, pairs, c, v[i]);
        for (int k = 0; k < VALUES; ++k) mean[k] += v[i][k] / DRAWS;
    }
    for (int k = 0; k < VALUES; ++k) {
        for (int i = 0; i < DRAWS; ++i) error[k] += (v[i][k] - mean[k]) * (v[i][k] - mean[k]) / (DRAWS - 1);
        error[k] = sqrt(error[k]);
    }
    for (int k = 0; k < VALUES; ++k) {
        if (with[k] == VALUES || !(error[k] > 0) || !(error[with[k]] > 0)) continue;
        for (int i = 0; i < DRAWS; ++i)
            correlation[k] += (v[i][k] - mean[k]) * (v[i][with[k]] - mean[with[k]]) / (DRAWS - 1);
        correlation[k] = fmax(fmin(correlation[k] / error[k] / error[with[k]], 1), -1);
    }
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

/* Says which values differ between pairs by so much that predictions will be off, and what would help. */
static void say_noisy(const double v[VALUES], const double error[VALUES], double polled)
{
    static const struct {
        int value;
        const char *name;
    } values[] = { { LATENCY, "latency" }, { SEND, "send" }, { RECEIVE, "receive" },
                   { WATCH, "watch" },     { WAKE, "wake" }, { BANDWIDTH, "bandwidth" } };
    const double most = 0.05;
    int noisy = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        const int k = values[i].value;
        const double off = error[k] / (k == BANDWIDTH ? v[k] : polled);
        if (!(off > most)) continue;
        if (!noisy++) fprintf(stderr, "calibrate: the hosts were too busy, or differ too much, for");
        fprintf(stderr, "%s %s (standard error %.0f %% of %s)", noisy > 1 ? "," : "", values[i].name, 100 * off,
                k == BANDWIDTH ? "it" : "half a round trip");
    }
    if (noisy)
        fprintf(stderr,
                "; what would help: no other programs on the hosts, or more hosts, of which each pair is measured\n");
}

static int write_file(const char *path, const char *name, const char *quota, const char *period, const char *tick,
                      int hosts, const found *all, int pairs, const common *c)
{
    double v[VALUES], error[VALUES], correlation[VALUES];
    int with[VALUES];
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!f) return 0;
    for (int k = 0; k < VALUES; ++k) with[k] = VALUES;
    with[SEND_RATE] = SEND;
    with[RECEIVE_RATE] = RECEIVE;
    with[WATCH_RATE] = WATCH;
    with[WAKE] = LATENCY;
    derive(all, pairs, c, v);
    errors_of(all, pairs, c, with, error, correlation);
    say_noisy(v, error, middle(all, pairs, offsetof(found, polled)));
#define SHOWN(K, SCALE, UNIT) shown(v, error, correlation, with, K, SCALE, UNIT)
    fprintf(f,
            "# Measured by examples/messages/programs/calibrate.c: robust lines, medians over %d pairs of hosts.%s\n\n"
            "[machine]\nname = %s\neager = %d B\nearly = %.0f B\nbuffer = %.0f B\nahead = %.0f B\nqueue = %.0f B\n",
            pairs, pairs > 1 ? " The errors are\n# standard errors, from how much these pairs differ." : "", name,
            c->eager, c->early, c->buffer, c->ahead, c->queue);
    fprintf(f, "header = %s\nheader_more = %s\n", SHOWN(HEADER_BYTES, 1, "B"), SHOWN(HEADER_MORE, 1, "B"));
    fprintf(f, "acknowledge = %.0f B\nlook = %.3g us\nlook_more = %.3g us\nprogress = calls\n\n", c->acknowledge,
            1e6 * c->look, 1e6 * c->look_more);
    fprintf(f, "[network]\nlatency = %s\nsharing = maxmin\n\n", SHOWN(LATENCY, 1e6, "us"));
    fprintf(f, "[operation messages]\nspacing = %.4g ms\nrepeated = %s\nrepeated_receive = %s\n\n", 1e3 * spacing,
            SHOWN(REPEATED, 100, "%"), SHOWN(REPEATED_RECEIVE, 100, "%"));
    fprintf(f, "[node node]\ncount = %d\n", size);
    if (hosts > 0) fprintf(f, "hosts = %d\n", hosts);
    if (quota) fprintf(f, "quota = %s\nperiod = %s\ntick = %s\n", quota, period, tick);
    fprintf(f, "bandwidth = %s\nburst = %s\n", SHOWN(BANDWIDTH, 1e-6, "MB/s"), SHOWN(BURST, 1, "B"));
    fprintf(f, "send = %s + %s\n", SHOWN(SEND, 1e6, "us"), SHOWN(SEND_RATE, 1e-6, "MB/s"));
    fprintf(f, "receive = %s + %s\n", SHOWN(RECEIVE, 1e6, "us"), SHOWN(RECEIVE_RATE, 1e-6, "MB/s"));
    fprintf(f, "watch = %s + %s\n", SHOWN(WATCH, 1e6, "us"), SHOWN(WATCH_RATE, 1e-6, "MB/s"));
    if (c->near > 0) fprintf(f, "watch_busy = %.4g us\n", 1e6 * watch_busy_of(c));
    fprintf(f, "wake = %s\nsend_more = %s\nreceive_more = %s\n", SHOWN(WAKE, 1e6, "us"), SHOWN(SEND_MORE, 1e6, "us"),
            SHOWN(RECEIVE_MORE, 1e6, "us"));
#undef SHOWN
    return f == stdout || fclose(f) == 0;
}

/* What is measured of a pair; *c also has what is measured only of the first one. */
static void measure(int peer, int first_pair, found *one, common *c)
{
    static double n[POINTS], first[POINTS], second[POINTS];
    int count = costs(peer, n, first, second), points = 0;
    one->send = costs_of(n, first, count);
    one->receive = costs_of(n, second, count);
    if (first_pair) c->look = look(); /* of a rank that has messages with one other */
    count = round_trips(peer, n, first, second);
    one->both = costs_of(n, first, count);
    one->both.intercept = long_trip(peer);
    const double least = least_of(second);
    for (int i = 0; i < count; ++i) {
        if (n[i] < LARGE) continue;
        n[points] = n[i];
        second[points++] = second[i];
    }
    one->half = line_of(n, second, points);
    if (one->half.slope > 0) one->burst = fmax(least - one->half.intercept, 0) / one->half.slope;
    one->half.intercept = least;
    costs_more(peer, &one->send_more, &one->receive_more);
    one->trip = trip_time(peer, HEADER, TRIPS, 0);
    one->polled = trip_time(peer, 1, ROW / 8, 1) / 2;
    one->row = stream_time(peer, STREAM / 4);
    one->stream = stream_time(peer, STREAM);
    if (!first_pair) return;
    c->eager = eager_limit(peer, 1 << 20);
    large(peer, one->half.intercept, one->half.slope, c);
}

int main(int argc, char **argv)
{
    found all[MOST_PAIRS];
    double near[MOST_PAIRS];
    const char *out = "-", *name = "a cluster", *quota = NULL, *period = "100 ms", *tick = "4 ms", *limit = "0",
               *on = "0";
    int result = 0, pairs = 0, near_pairs = 0;
    common c;
    memset(&c, 0, sizeof c);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *const names[] = { "--out", "--name", "--quota", "--period", "--tick", "--limit", "--hosts" };
        const char **const places[] = { &out, &name, &quota, &period, &tick, &limit, &on };
        for (int k = 0; k < 7; ++k)
            if (strcmp(argv[i], names[k]) == 0) *places[k] = argv[i + 1];
    }
    if (size < 2) {
        fprintf(stderr, "calibrate: expected at least two ranks, each on a host of its own\n");
        MPI_Finalize();
        return 2;
    }
    int hosts = atoi(on); /* processors that the ranks are on in turn; 0: each has its own */
    if (hosts < 2 || hosts >= size) hosts = 0;
    room = calloc(1, 2 << 20);
    stirred = calloc(1, STIRRED);
    if (!room || !stirred) MPI_Abort(MPI_COMM_WORLD, 1);
    const int last = size - 1 < MOST_PAIRS ? size - 1 : MOST_PAIRS;
    for (int peer = 1; peer <= last; ++peer) {
        const int is_near = hosts > 0 && peer % hosts == 0;
        if (rank == 0 && isatty(STDERR_FILENO)) fprintf(stderr, "\rcalibrate: pair %d of %d", peer, last);
        if ((rank == 0 || rank == peer) && is_near) near[near_pairs] = long_trip(peer);
        if ((rank == 0 || rank == peer) && !is_near) measure(peer, peer == 1, &all[pairs], &c);
        if (is_near)
            ++near_pairs;
        else
            ++pairs;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (near_pairs > 0) c.near = median(near, near_pairs);
    rest();
    c.sending = sending_together(ROW);
    /* Now rank 0 has messages with the last of the pairs, and with those of the barriers. */
    c.look_more = last > 1 ? fmax(look() - c.look, 0) / (last - 1) : 0;
    c.look = fmax(c.look - c.look_more, 0);
    if (size > 2) c.acknowledge = acknowledgement();
    if (size > 2 && rank == 0 && all[0].half.slope > 0)
        c.queue = queue_ahead(all[0].half.slope, all[0].burst);
    else if (size > 2)
        queue_ahead(1, 0);
    if (rank == 0) {
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\n");
        if (!possible(all, pairs, strtod(limit, NULL))) {
            result = 1;
        } else if (!write_file(out, name, quota, period, tick, hosts, all, pairs, &c)) {
            fprintf(stderr, "calibrate: cannot write '%s'\n", out);
            result = 1;
        }
    }
    free(room);
    free(stirred);
    MPI_Finalize();
    return result;
}

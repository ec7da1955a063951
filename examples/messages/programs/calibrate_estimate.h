/* calibrate_estimate.h - the parameters of a machine from what calibrate.c has measured, with their errors.
 *
 * All kinds of measurements are made in rounds, a few of each kind, so that what disturbs the hosts for a while disturbs some samples of
 * every kind. A disturbance makes a time longer and hardly ever shorter, so centre_of() leaves out what is far from where most are. The
 * errors come from drawing rounds and pairs of hosts again and again from those that there are (the bootstrap): samples of one round are
 * disturbed together. Times that only their sum shows well are estimated from the sum, see calibrate_derive(). After netmodel.h and
 * util/netmodel_fit.h. */
#ifndef CALIBRATE_ESTIMATE_H
#define CALIBRATE_ESTIMATE_H

#include "../../centre.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZES = 8,
    LARGE = 8192,
    ASKED = 65536, /* most implementations send messages from here on only when the receiver is ready */
    MOST_PAIRS = 7,
    MOST_ROUNDS = 64,
    MOST_SAMPLES = 4096, /* of all hosts, of a kind */
    STREAM = 2560,       /* of small messages to one receiver: the packets of the first ones are not full */
    HEADER = 256,        /* the most that a message may add on the links [B] */
    PACKET = 1460,       /* bytes of a full packet on Ethernet */
    SHORT = 896,         /* of three sizes that are one packet each [B] */
    MIDDLE = 1088,
    LONGER = 1280,
    FIRST = 32768, /* bytes of a message before a second one, `queue` */
    LARGEST = 1 << 20
};

static const int sizes[SIZES] = { 1, 1024, 8192, 20480, 32768, 60000, 131072, 262144 };

/* Each kind of measurement, in seconds. Those up to OF_PAIRS are of a pair of hosts, and up to OF_SIZES for each size. */
typedef enum kind {
    SEND_CPU,    /* of a message that is sent after computing */
    RECEIVE_CPU, /* of one that has arrived long ago */
    TRIP_CPU,    /* of a round trip, at one end */
    HALF,        /* half of the time of a round trip whose receivers sleep */
    OF_SIZES,
    LONG_CPU = OF_SIZES, /* of a round trip of one byte among many, the mean of both ends */
    POLLED,              /* half of a round trip of one byte whose receivers poll */
    SEND_MORE_CPU,       /* of each message that follows others */
    RECEIVE_MORE_CPU,
    SHORT_TRIP,  /* of a round trip of SHORT bytes, in a long row */
    MIDDLE_TRIP, /* of MIDDLE */
    LONGER_TRIP, /* and of LONGER */
    QUARTER,     /* of STREAM / 4 messages of one byte */
    STREAMED,    /* and of STREAM */
    OF_PAIRS,
    SEND_CPU_TOGETHER = OF_PAIRS, /* of a message while all exchange messages */
    NEAR_CPU,                     /* of a round trip of one byte between hosts that share a processor */
    LOOK_ALL,                     /* of a probe, by a rank that has messages with all */
    AROUND,                       /* messages from all to the next one */
    AROUND_HALF,                  /* from every other one */
    AHEAD_ALONE,                  /* FIRST bytes to one host */
    AHEAD_BOTH,                   /* the same while as many go to another */
    SENT_SMALL,                   /* the call that sends a little more than the eager limit */
    SENT_LARGEST,                 /* the call that sends LARGEST */
    WENT_LARGEST,                 /* the same until it has arrived */
    ANSWER_ALONE,                 /* the call that sends to a ready receiver */
    ANSWER_AGAINST,               /* the same while LARGEST bytes come from there */
    LOOK_ONE,                     /* LOOK_ALL before there were others; measured once */
    KINDS
} kind;

typedef struct sample {
    kind kind;
    int size;  /* its number in sizes; 0 where there is one */
    int pair;  /* from 0; -1: of all hosts */
    int round; /* from 0; -1: measured once */
    double seconds;
} sample;

typedef struct samples {
    sample *of;
    size_t count, room;
    int pairs, rounds;
    int partners; /* hosts that the first one has messages with in the end */
    int eager;    /* bytes of the largest message that is sent at once */
    int largest;  /* whether there are messages that are not */
} samples;

/* The values of the machine file, in base units. */
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
    WATCH_BUSY,
    WAKE,
    SEND_MORE,
    RECEIVE_MORE,
    EARLY,
    BUFFER,
    AHEAD,
    QUEUE,
    ACKNOWLEDGE,
    LOOK,
    LOOK_MORE,
    HALF_TRIP, /* not in the file: what errors are compared with */
    VALUES
};

/* False: no memory. */
static inline int samples_add(samples *s, kind kind, int size, int pair, int round, double seconds)
{
    if (s->count == s->room) {
        const size_t room = s->room ? 2 * s->room : 1024;
        sample *more = realloc(s->of, room * sizeof *more);
        if (!more) return 0;
        s->of = more;
        s->room = room;
    }
    s->of[s->count++] = (sample){ kind, size, pair, round, seconds };
    if (pair >= s->pairs) s->pairs = pair + 1;
    if (round >= s->rounds) s->rounds = round + 1;
    return 1;
}

/* centre[kind][size] of the samples, each as often as times[] says; NULL: once. False: no memory. */
static int centres(const samples *s, const int *times, double centre[KINDS][SIZES])
{
    int count[KINDS][SIZES] = { { 0 } }, first[KINDS][SIZES], all = 0;
    for (size_t i = 0; i < s->count; ++i) count[s->of[i].kind][s->of[i].size] += times ? times[i] : 1;
    for (int k = 0; k < KINDS; ++k) {
        for (int n = 0; n < SIZES; ++n) {
            first[k][n] = all;
            all += count[k][n];
        }
    }
    double *values = malloc((size_t)(all + 1) * sizeof *values);
    if (!values) return 0;
    for (size_t i = 0; i < s->count; ++i)
        for (int more = times ? times[i] : 1; more > 0; --more)
            values[first[s->of[i].kind][s->of[i].size]++] = s->of[i].seconds;
    for (int k = 0; k < KINDS; ++k)
        for (int n = 0; n < SIZES; ++n) centre[k][n] = centre_of(values + first[k][n] - count[k][n], count[k][n]);
    free(values);
    return 1;
}

/* A robust line through the times of these sizes, from `least` bytes on; it does not fall, and costs are not below 0. */
static netmodel_line line_of(const double times[SIZES], int least, int costs)
{
    double n[SIZES], t[SIZES], scratch[SIZES];
    netmodel_fit fit;
    size_t count = 0;
    memset(&fit, 0, sizeof fit);
    for (int i = 0; i < SIZES; ++i) {
        if (sizes[i] < least || isnan(times[i])) continue;
        n[count] = sizes[i];
        t[count++] = times[i];
    }
    const netmodel_points points = { n, t, count, NETMODEL_ERROR_ABSOLUTE };
    if (count >= 3 && netmodel_fit_robust(&points, scratch, &fit, NULL) == NETMODEL_OK && fit.line.slope < 0)
        fit.line.slope = 0;
    if (costs && fit.line.intercept < 0) fit.line.intercept = 0;
    return fit.line;
}

static double or_0(double x)
{
    return isnan(x) ? 0 : x;
}

static double between(double low, double x, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Bytes that small messages add on the links, of their times one after another; 0: something else takes the time. */
static double header_of(double seconds, double bytes, double byte_time)
{
    const double header = seconds / byte_time - bytes;
    return header > 0 && header <= HEADER ? header : 0;
}

static double rate_of(double slope)
{
    return 1 / fmax(slope, 1e-13);
}

/* The values of the samples, each as often as times[] says; NULL: once. False: no memory.
 *
 * Half a round trip of one byte is processing at both ends, the rest of its header on the link, `latency`, `watch` and `wake`; that sum is
 * measured best, and these three are what is left of it, in this order: `watch` is the CPU time that a receiver that waits takes more, and
 * `latency` what round trips without sleep take, but neither can be more than what is left. A header is only known where links are what
 * round trips of one packet wait for: there, bytes that are added take once their time on a link, and nowhere else. */
static int calibrate_derive(const samples *s, const int *times, double v[VALUES])
{
    double c[KINDS][SIZES];
    if (!centres(s, times, c)) return 0;
    const netmodel_line send = line_of(c[SEND_CPU], 0, 1), receive = line_of(c[RECEIVE_CPU], 0, 1);
    const netmodel_line both = line_of(c[TRIP_CPU], 0, 1), half = line_of(c[HALF], LARGE, 0);
    const double byte_time = half.slope, total = or_0(c[HALF][0]), together = or_0(c[SEND_CPU_TOGETHER][0]);
    const double lower = (c[MIDDLE_TRIP][0] - c[SHORT_TRIP][0]) / (MIDDLE - SHORT);
    const double upper = (c[LONGER_TRIP][0] - c[MIDDLE_TRIP][0]) / (LONGER - MIDDLE), added = (lower + upper) / 2;
    double header = 0, header_more = 0;
    memset(v, 0, VALUES * sizeof *v);
    if (fmin(lower, upper) > 0.85 * byte_time && fmax(lower, upper) < 1.15 * byte_time)
        header =
            header_of((c[SHORT_TRIP][0] + c[MIDDLE_TRIP][0] + c[LONGER_TRIP][0]) / 3 - MIDDLE * added, 0, byte_time);
    if (byte_time > 0) header_more = header_of((c[STREAMED][0] - c[QUARTER][0]) / (STREAM - STREAM / 4), 1, byte_time);
    /* The bytes that pass at once include a header. */
    const double burst = byte_time > 0 ? fmax(total - half.intercept, 0) / byte_time + header : 0;
    v[LOOK_MORE] = s->partners > 1 ? fmax(or_0(c[LOOK_ALL][0] - c[LOOK_ONE][0]), 0) / (s->partners - 1) : 0;
    v[LOOK] = fmax(or_0(c[LOOK_ONE][0]) - v[LOOK_MORE], 0);
    v[WATCH_BUSY] = c[NEAR_CPU][0] > 0 ? 2 * (v[LOOK] + v[LOOK_MORE]) : 0;
    v[REPEATED] = send.intercept > 0 ? fmin(together / send.intercept, 1) : 1;
    v[REPEATED_RECEIVE] = v[REPEATED];
    if (c[NEAR_CPU][0] > 0)
        v[REPEATED_RECEIVE] =
            receive.intercept > 0 ? between(0, (c[NEAR_CPU][0] - together - v[WATCH_BUSY]) / receive.intercept, 1) : 1;
    const double processed = v[REPEATED] * send.intercept + v[REPEATED_RECEIVE] * receive.intercept;
    const double fixed = processed + fmax(header - burst, 0) * byte_time, left = fmax(total - fixed, 0);
    v[HALF_TRIP] = total;
    v[HEADER_BYTES] = header;
    v[HEADER_MORE] = fmin(header_more, header);
    v[WATCH] = between(0, or_0(c[LONG_CPU][0]) - processed, left);
    v[LATENCY] = between(0, or_0(c[POLLED][0]) - fixed, left - v[WATCH]);
    v[WAKE] = left - v[WATCH] - v[LATENCY];
    v[BANDWIDTH] = byte_time > 0 ? 1 / byte_time : 0;
    v[BURST] = burst;
    v[SEND] = send.intercept;
    v[SEND_RATE] = rate_of(send.slope);
    v[RECEIVE] = receive.intercept;
    v[RECEIVE_RATE] = rate_of(receive.slope);
    v[WATCH_RATE] = rate_of(both.slope - send.slope);
    v[SEND_MORE] = fmax(or_0(c[SEND_MORE_CPU][0]), 0);
    v[RECEIVE_MORE] = fmax(or_0(c[RECEIVE_MORE_CPU][0]), 0);
    if (!(byte_time > 0)) return 1;
    if (s->largest) {
        v[EARLY] = between(0, (or_0(c[SENT_SMALL][0]) - 2 * total) / byte_time, s->eager);
        v[BUFFER] = between(0, (or_0(c[WENT_LARGEST][0]) - total - or_0(c[SENT_LARGEST][0])) / byte_time, LARGEST);
        v[AHEAD] = between(0, or_0(c[ANSWER_AGAINST][0] - c[ANSWER_ALONE][0]) / byte_time, LARGEST);
    }
    if (!isnan(c[AHEAD_BOTH][0]))
        v[QUEUE] = between(0, FIRST - (c[AHEAD_BOTH][0] - c[AHEAD_ALONE][0]) / byte_time - burst, FIRST);
    if (v[QUEUE] < PACKET / 2) v[QUEUE] = 0; /* less than half a packet is an error of measurement */
    if (c[AROUND_HALF][0] > 0) v[ACKNOWLEDGE] = between(0, (c[AROUND][0] / c[AROUND_HALF][0] - 1) * PACKET, HEADER);
    return 1;
}

/* Counts how often each sample is drawn: as many pairs in a round, with all of their samples, as there are; and of all hosts as many samples of
 * each kind. */
static void calibrate_draw(const samples *s, uint32_t *state, int *times)
{
    int cell[MOST_PAIRS][MOST_ROUNDS] = { { 0 } };
    const int count = s->pairs * s->rounds;
    for (int k = 0; k < count; ++k) {
        const int drawn = centre_pick(state, count);
        ++cell[drawn / s->rounds][drawn % s->rounds];
    }
    for (size_t i = 0; i < s->count; ++i) times[i] = s->of[i].pair < 0 ? 0 : cell[s->of[i].pair][s->of[i].round];
    for (int k = OF_PAIRS; k < KINDS; ++k) {
        size_t of_kind[MOST_SAMPLES];
        int samples_of_kind = 0;
        for (size_t i = 0; i < s->count && samples_of_kind < MOST_SAMPLES; ++i)
            if (s->of[i].kind == (kind)k) of_kind[samples_of_kind++] = i;
        for (int i = 0; i < samples_of_kind; ++i) ++times[of_kind[centre_pick(state, samples_of_kind)]];
    }
}

/* Standard errors of the values, and the correlation of some of them with another one. `with`: the other value of each; VALUES: none. Few
 * cells vary too little among themselves, so each error is made larger, until 1.645 times the error is half of Student's 90 % interval. A
 * value that is only made of samples of all hosts has one of them in each round, so its degrees of freedom are those of the rounds. All
 * errors are 0 for one cell, from which nothing is known. False: no memory. */
static inline int calibrate_errors(const samples *s, const int with[VALUES], double error[VALUES],
                                   double correlation[VALUES])
{
    enum { DRAWS = 300 };
    const int count = s->pairs * s->rounds;
    double sorted[DRAWS];
    uint32_t state = 1;
    for (int k = 0; k < VALUES; ++k) error[k] = correlation[k] = 0;
    if (count < 2) return 1;
    double *v = malloc(DRAWS * VALUES * sizeof *v);
    int *times = malloc(s->count * sizeof *times), done = v && times;
    for (int i = 0; i < DRAWS && done; ++i) {
        calibrate_draw(s, &state, times);
        done = calibrate_derive(s, times, v + i * VALUES);
    }
    if (done) centre_errors(v, DRAWS, VALUES, 1, with, sorted, error, correlation);
    for (int k = 0; k < VALUES; ++k) {
        static const int of_all[] = { REPEATED, EARLY, BUFFER, AHEAD, QUEUE, ACKNOWLEDGE };
        int degrees = count - 1;
        for (size_t i = 0; i < sizeof of_all / sizeof *of_all; ++i)
            if (of_all[i] == k) degrees = s->rounds > 1 ? s->rounds - 1 : 1;
        error[k] *= netmodel_student(0.9, (size_t)degrees) / 1.645;
    }
    free(times);
    free(v);
    return done;
}

/* The values by which predictions are judged, and how large an error is beside what it is a part of: half a round trip, or itself. */
static const struct {
    int value;
    const char *name;
} judged[] = { { LATENCY, "latency" },
               { SEND, "send" },
               { RECEIVE, "receive" },
               { WATCH, "watch" },
               { WAKE, "wake" },
               { BANDWIDTH, "bandwidth" },
               { HALF_TRIP, "half a round trip" } };

enum { JUDGED = sizeof judged / sizeof *judged };

static inline double relative_error(const double v[VALUES], const double error[VALUES], int value)
{
    /* Messages in a row have only a part of the fixed costs of single ones. */
    const double part = value == SEND ? v[REPEATED] : value == RECEIVE ? v[REPEATED_RECEIVE] : 1;
    return part * error[value] / (value == BANDWIDTH ? v[BANDWIDTH] : v[HALF_TRIP]);
}

#endif

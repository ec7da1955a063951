/* calibrate_patterns.h - patterns of messages that calibrate.c fits nothing to, to check a machine file with: an exchange between
 * neighbours, a ring, an incast (all send to one), a pipeline and a transpose (all send to all), each with small messages, with larger ones
 * that are sent at once, and with such as wait for their receiver. Without collectives, so that nothing depends on their algorithms.
 * After mpi.h. */
#ifndef CALIBRATE_PATTERNS_H
#define CALIBRATE_PATTERNS_H

#include "../../centre.h"

#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATTERNS = 5, PATTERN_SIZES = 3, PATTERN_TURNS = 7, PATTERN_ROW = 8 };

static const char *const pattern_names[PATTERNS] = { "exchange", "ring", "incast", "pipeline", "transpose" };
static const int pattern_sizes[PATTERN_SIZES] = { 64, 16384, 131072 };

/* One pattern, PATTERN_ROW times in a row. `in`, `out`: the largest size each for every rank; requests[2 * size]. */
static void pattern_run(int pattern, int bytes, int rank, int size, char *in, char *out, MPI_Request *requests)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size, other = rank ^ 1;
    for (int k = 0; k < PATTERN_ROW; ++k) {
        int count = 0;
        switch (pattern) {
        case 0:
            if (other < size)
                MPI_Sendrecv(out, bytes, MPI_CHAR, other, k, in, bytes, MPI_CHAR, other, k, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Sendrecv(out, bytes, MPI_CHAR, right, k, in, bytes, MPI_CHAR, left, k, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            break;
        case 2:
            if (rank > 0)
                MPI_Send(out, bytes, MPI_CHAR, 0, k, MPI_COMM_WORLD);
            else
                for (int from = 1; from < size; ++from)
                    MPI_Recv(in, bytes, MPI_CHAR, from, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 3:
            if (rank > 0) MPI_Recv(in, bytes, MPI_CHAR, left, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank + 1 < size) MPI_Send(in, bytes, MPI_CHAR, right, k, MPI_COMM_WORLD);
            break;
        default:
            for (int far = 1; far < size; ++far) {
                const int to = (rank + far) % size, from = (rank + size - far) % size;
                MPI_Irecv(in + (size_t)from * (size_t)bytes, bytes, MPI_CHAR, from, k, MPI_COMM_WORLD,
                          &requests[count++]);
                MPI_Isend(out + (size_t)to * (size_t)bytes, bytes, MPI_CHAR, to, k, MPI_COMM_WORLD, &requests[count++]);
            }
            MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        }
    }
}

/* The median time of each pattern and size on rank 0, from its word to begin until all have said that they are done, and in
 * spread[][] how far apart the middle half of the turns are. Patterns take turns. False: no memory. */
static int patterns_measure(double median[PATTERNS][PATTERN_SIZES], double spread[PATTERNS][PATTERN_SIZES])
{
    static double times[PATTERNS][PATTERN_SIZES][PATTERN_TURNS];
    int rank = 0, size = 0, done = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const size_t largest = (size_t)pattern_sizes[PATTERN_SIZES - 1] * (size_t)size;
    char *in = calloc(1, largest), *out = calloc(1, largest);
    MPI_Request *requests = malloc(2 * (size_t)size * sizeof(MPI_Request));
    done = in && out && requests;
    for (int turn = 0; turn < PATTERN_TURNS && done; ++turn) {
        for (int p = 0; p < PATTERNS; ++p) {
            for (int n = 0; n < PATTERN_SIZES; ++n) {
                usleep(30000);
                if (rank == 0 && isatty(STDERR_FILENO))
                    fprintf(stderr, "\rcalibrate: turn %d of %d, %-9s, %6d B ", turn + 1, PATTERN_TURNS,
                            pattern_names[p], pattern_sizes[n]);
                double time = -MPI_Wtime();
                for (int k = 1; k < size && rank == 0; ++k) MPI_Send(NULL, 0, MPI_CHAR, k, 98, MPI_COMM_WORLD);
                if (rank > 0) MPI_Recv(NULL, 0, MPI_CHAR, 0, 98, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                pattern_run(p, pattern_sizes[n], rank, size, in, out, requests);
                if (rank > 0) MPI_Send(NULL, 0, MPI_CHAR, 0, 99, MPI_COMM_WORLD);
                for (int k = 1; k < size && rank == 0; ++k)
                    MPI_Recv(NULL, 0, MPI_CHAR, k, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                times[p][n][turn] = time + MPI_Wtime();
            }
        }
    }
    if (rank == 0 && isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    for (int p = 0; p < PATTERNS; ++p) {
        for (int n = 0; n < PATTERN_SIZES; ++n) {
            median[p][n] = centre_median(times[p][n], PATTERN_TURNS); /* which sorts them */
            spread[p][n] =
                centre_quantile(times[p][n], PATTERN_TURNS, 0.75) - centre_quantile(times[p][n], PATTERN_TURNS, 0.25);
        }
    }
    free(requests);
    free(out);
    free(in);
    return done;
}

/* A head, and a line each: pattern, bytes, time and spread [s]. */
static int patterns_write(const char *path, int ranks, double median[PATTERNS][PATTERN_SIZES],
                          double spread[PATTERNS][PATTERN_SIZES])
{
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!f) return 0;
    fprintf(f, "# Of %d messages in a row: the median of %d turns, and how far apart their middle half is.\nranks %d\n",
            PATTERN_ROW, PATTERN_TURNS, ranks);
    for (int p = 0; p < PATTERNS; ++p)
        for (int n = 0; n < PATTERN_SIZES; ++n)
            fprintf(f, "%s %d %.9g %.3g\n", pattern_names[p], pattern_sizes[n], median[p][n], spread[p][n]);
    return f == stdout || fclose(f) == 0;
}

/* False: there is no such file, or it is none of patterns_write(); why says so. */
static int patterns_read(const char *path, int ranks, double median[PATTERNS][PATTERN_SIZES],
                         double spread[PATTERNS][PATTERN_SIZES], char why[200])
{
    int wrote = 0, bytes = 0, p = 0, n = 0;
    char name[32];
    FILE *f = fopen(path, "r");
    snprintf(why, 200, "cannot read '%.150s'", path);
    if (!f) return 0;
    int right = fscanf(f, "#%*[^\n] ranks %d", &wrote) == 1;
    for (int i = 0; i < PATTERNS * PATTERN_SIZES && right; ++i) {
        p = i / PATTERN_SIZES;
        n = i % PATTERN_SIZES;
        right = fscanf(f, "%31s %d %lf %lf", name, &bytes, &median[p][n], &spread[p][n]) == 4 &&
                strcmp(name, pattern_names[p]) == 0 && bytes == pattern_sizes[n] && median[p][n] > 0;
    }
    fclose(f);
    if (!right)
        snprintf(why, 200, "'%.100s': expected what --patterns writes, with a line for each pattern and size", path);
    else if (wrote != ranks)
        snprintf(why, 200, "'%.100s' has the times of %d ranks, and these are %d", path, wrote, ranks);
    return right && wrote == ranks;
}

/* Prints both times of each pattern and how far the second is from the first; returns the largest difference as a part. */
static double patterns_compare(FILE *f, double real[PATTERNS][PATTERN_SIZES], double spread[PATTERNS][PATTERN_SIZES],
                               double here[PATTERNS][PATTERN_SIZES])
{
    double worst = 0, mean = 0;
    fprintf(f, "%-10s %8s %12s %12s %8s %8s\n", "pattern", "bytes", "measured", "predicted", "error", "spread");
    for (int p = 0; p < PATTERNS; ++p) {
        for (int n = 0; n < PATTERN_SIZES; ++n) {
            const double off = here[p][n] / real[p][n] - 1;
            fprintf(f, "%-10s %8d %10.4g s %10.4g s %+6.1f %% %6.1f %%\n", pattern_names[p], pattern_sizes[n],
                    real[p][n], here[p][n], 100 * off, 100 * spread[p][n] / real[p][n]);
            worst = fmax(worst, fabs(off));
            mean += fabs(off) / (PATTERNS * PATTERN_SIZES);
        }
    }
    fprintf(f,
            "mean |error| %.1f %%, at most %.1f %%; spread: how far apart the middle half of the measured turns is\n",
            100 * mean, 100 * worst);
    return worst;
}

#endif

/* What the benchmarks share: a clock, medians, and a line for a terminal. Needs _POSIX_C_SOURCE 200809L before the first include. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Real time [s], from some moment on. */
static inline double measure_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* For a call that must succeed, of any of the headers. */
static inline void measure_ok(int result)
{
    if (result == 0) return;
    fprintf(stderr, "a call failed: result %d\n", result);
    exit(1);
}

/* On a terminal: which run of how many this is; with 0 runs the line is cleared, before a result is printed. */
static inline void measure_progress(const char *what, int run, int runs)
{
    if (!isatty(STDERR_FILENO)) return;
    if (runs > 0)
        fprintf(stderr, "\r%.50s: run %d of %d\033[K", what, run, runs);
    else
        fprintf(stderr, "\r\033[K");
}

static inline int measure_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts what was measured: least first, median in the middle. */
static inline void measure_sort(double *seconds, size_t count)
{
    qsort(seconds, count, sizeof *seconds, measure_compare);
}

#endif

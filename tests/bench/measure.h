/* What the benchmarks share: a clock, and medians. Needs _POSIX_C_SOURCE 200809L before the first include. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdlib.h>
#include <time.h>

/* Real time [s], from some moment on. */
static inline double measure_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
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

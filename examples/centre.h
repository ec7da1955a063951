/* centre.h - the usual value of times that something disturbed now and then, for programs that measure on machines that are not quiet. */
#ifndef CENTRE_H
#define CENTRE_H

#include <math.h>
#include <stdlib.h>

static inline int centre_ascending(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return a < b ? -1 : a > b;
}

/* Of sorted values, linear between them. */
static inline double centre_quantile(const double *sorted, int count, double level)
{
    const double at = level * (count - 1);
    const int k = (int)at;
    return k + 1 < count ? sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]) : sorted[count - 1];
}

static inline double centre_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, centre_ascending);
    return centre_quantile(values, count, 0.5);
}

/* The usual value of times, of which half or a little more may have been disturbed: where two fifths of them are closest together, and
 * around there as far as undisturbed ones would be, three standard deviations if they are normal; the mean of the middle half of those.
 * NAN: there are none. */
static inline double centre_of(double *values, int count)
{
    if (count == 0) return (double)NAN;
    qsort(values, (size_t)count, sizeof *values, centre_ascending);
    const int close = count < 5 ? (count + 1) / 2 : (2 * count + 4) / 5;
    int first = 0, end = 0;
    for (int i = 1; i + close <= count; ++i)
        if (values[i + close - 1] - values[i] < values[first + close - 1] - values[first]) first = i;
    const double width = values[first + close - 1] - values[first], middle = values[first] + width / 2;
    /* 0.524 standard deviations on both sides of the mean hold two fifths. */
    while (first > 0 && values[first - 1] >= middle - 3 / 0.524 * width / 2) --first;
    for (end = first; end < count && values[end] <= middle + 3 / 0.524 * width / 2; ++end) {
    }
    const int outside = (end - first) / 4;
    double sum = 0;
    for (int i = first + outside; i < end - outside; ++i) sum += values[i];
    return sum / (end - first - 2 * outside);
}

#endif

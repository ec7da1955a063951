/* centre.h - the usual value of times that something disturbed now and then, for programs that measure on machines that are not quiet. */
#ifndef CENTRE_H
#define CENTRE_H

#include <math.h>
#include <stdint.h>
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

/* The usual value of times, of which nearly half may have been disturbed. The two fifths of them that are closest together show where most
 * are and how far they spread; of all that are within three standard deviations from there, the mean of the middle half. Of two times it
 * is the smaller one. NAN: there are none. */
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

/* A random number from 0 to 1, without 1. */
static inline double centre_unit(uint32_t *state)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223); /* Numerical Recipes, 7.1 */
    return *state / 4294967296.0;
}

/* A random number from 0 to count - 1. */
static inline int centre_pick(uint32_t *state, int count)
{
    return (int)(centre_unit(state) * count);
}

/* Standard errors and correlations of values, from bootstrap draws.
 *
 * v[draws * values]: draw by draw. sorted[draws]: scratch. error[values]: half of what holds the middle 68 % of the draws, because a draw
 * of disturbed times alone is far off; times `wider`, and 0 where only rounding differs. correlation[values]: with value with[k]; 0 where
 * that is `values`, or nothing differs. */
static inline void centre_errors(const double *v, int draws, int values, double wider, const int *with, double *sorted,
                                 double *error, double *correlation)
{
    for (int k = 0; k < values; ++k) {
        for (int i = 0; i < draws; ++i) sorted[i] = v[i * values + k];
        qsort(sorted, (size_t)draws, sizeof *sorted, centre_ascending);
        error[k] = wider * (centre_quantile(sorted, draws, 0.84) - centre_quantile(sorted, draws, 0.16)) / 2;
        if (error[k] < 1e-9 * fabs(sorted[draws / 2])) error[k] = 0;
    }
    for (int k = 0; k < values; ++k) {
        double mean = 0, others = 0, square = 0, squares = 0, product = 0;
        correlation[k] = 0;
        if (with[k] == values) continue;
        for (int i = 0; i < draws; ++i) {
            mean += v[i * values + k] / draws;
            others += v[i * values + with[k]] / draws;
        }
        for (int i = 0; i < draws; ++i) {
            const double one = v[i * values + k] - mean, other = v[i * values + with[k]] - others;
            square += one * one;
            squares += other * other;
            product += one * other;
        }
        if (error[k] > 0 && error[with[k]] > 0) correlation[k] = fmax(fmin(product / sqrt(square * squares), 1), -1);
    }
}

#endif

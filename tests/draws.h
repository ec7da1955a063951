/* What the tests of distributions share: how many numbers are drawn, and whether they have their probabilities. */
#ifndef DRAWS_H
#define DRAWS_H

#include <math.h>

enum { DRAWS = 200000 };

/* Pearson's statistic of counts against probabilities, in cells of 20 expected draws and more, in its own deviations. */
static inline double misfit(const int *count, const double *chance, int cells, int draws)
{
    double sum = 0, freedom = -1, expected = 0, seen = 0, rest = draws;
    for (int i = 0; i < cells; ++i) {
        expected += draws * chance[i];
        seen += count[i];
        if ((expected < 20 || rest - expected < 20) && i + 1 < cells) continue;
        sum += (seen - expected) * (seen - expected) / expected;
        rest -= expected;
        freedom += 1;
        expected = seen = 0;
    }
    return (sum - freedom) / sqrt(2 * freedom);
}

#endif

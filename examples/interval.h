/* interval.h - how sure is a prediction? Intervals for the next real run: from how far validated runs of its family were from their
 * predictions (residuals.h), and from what this prediction itself says of its error, such as the spread of its runs. docs/validation.md,
 * "How sure?", has the rule and what it held. */
#ifndef INTERVAL_H
#define INTERVAL_H

#include "residuals.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct interval {
    double low[2], high[2]; /* of 80 % and of 95 % [s] */
} interval;

/* Not known. */
static inline interval interval_none(void)
{
    return (interval){ { (double)NAN, (double)NAN }, { (double)NAN, (double)NAN } };
}

static inline bool interval_known(const interval *in)
{
    return !isnan(in->low[0]);
}

/* A family of validated predictions; NULL: none has this name. */
static inline const residuals *interval_family(const char *name)
{
    for (size_t i = 0; i < sizeof residuals_of / sizeof *residuals_of; ++i)
        if (strcmp(residuals_of[i].name, name) == 0) return &residuals_of[i];
    return NULL;
}

/* Of a predicted time [s]. `deviation`: the standard deviation of its logarithm that the prediction knows of, added to how far its
 * family was off as an independent error. NULL instead of a family: `deviation` is all of the error, which is taken to be normal. */
static inline interval interval_of(const residuals *family, double seconds, double deviation)
{
    static const double normal[2] = { 1.2815515655446004, 1.959963984540054 };
    interval in;
    for (int i = 0; i < 2; ++i) {
        const double far = hypot(family ? family->within[i] : 0, normal[i] * deviation);
        in.low[i] = seconds * exp(-far);
        in.high[i] = seconds * exp(far);
    }
    return in;
}

/* Nothing if it is not known, else `  80 % interval  1.2 s to 1.3 s`, and the same for 95 %. */
static inline void interval_print(FILE *f, const interval *in)
{
    static const int levels[2] = { 80, 95 };
    for (int i = 0; i < 2 && interval_known(in); ++i)
        fprintf(f, "  %d %% interval  %12.6g s to %.6g s\n", levels[i], in->low[i], in->high[i]);
}

#endif

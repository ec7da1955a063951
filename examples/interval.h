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

/* Zeros are not known either: nothing is predicted there. */
static inline bool interval_known(const interval *in)
{
    return in->high[0] > 0;
}

/* A family of validated predictions; NULL: none has this name. */
static inline const residuals *interval_family(const char *name)
{
    for (size_t i = 0; i < sizeof residuals_of / sizeof *residuals_of; ++i)
        if (strcmp(residuals_of[i].name, name) == 0) return &residuals_of[i];
    return NULL;
}

/* Reasons why no validated run of its family is like a prediction; each makes the interval wider. */
enum {
    INTERVAL_LARGER = 1, /* it has more than INTERVAL_MOST times as many ranks, nodes or cores as the largest of them */
    INTERVAL_UNSURE =
        2, /* its machine file does not say how sure any value is: documented, assumed, or measured elsewhere */
    INTERVAL_UNLIKE = 4, /* it is of another kind: nothing like it has been run for comparison */
    INTERVAL_REASONS = 3
};

/* So many times the size of what was validated still counts as validated. */
#define INTERVAL_MOST 10

/* INTERVAL_LARGER or 0 for so many ranks, nodes or cores. */
static inline unsigned interval_larger(const residuals *family, double size)
{
    return family && family->most > 0 && size > INTERVAL_MOST * (double)family->most ? INTERVAL_LARGER : 0;
}

/* How many times as wide the bounds of a family become: twice for each reason. Bounds that are learned from all other families and
 * made twice as wide held at least 91 % and 97 % of the runs of a family, instead of 80 % and 95 %, but for `openmp` and `threads`
 * (tests/residuals). */
static inline double interval_wider(unsigned reasons)
{
    double wider = 1;
    for (int i = 0; i < INTERVAL_REASONS; ++i) wider *= reasons >> i & 1 ? 2 : 1;
    return wider;
}

/* Of a predicted time [s]. `reasons`: those for which the bounds of its family are wider. `deviation`: the standard deviation of
 * its logarithm that the prediction knows of, added to how far its family was off as an independent error. NULL instead of a
 * family: `deviation` is all of the error, which is taken to be normal. */
static inline interval interval_of(const residuals *family, unsigned reasons, double seconds, double deviation)
{
    static const double normal[2] = { 1.2815515655446004, 1.959963984540054 };
    interval in;
    for (int i = 0; i < 2; ++i) {
        const double far = hypot(family ? interval_wider(reasons) * family->within[i] : 0, normal[i] * deviation);
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

/* A line for each reason. `kind`: what is of another kind, as "jobs that are not programs". */
static inline void interval_print_reasons(FILE *f, const residuals *family, unsigned reasons, const char *kind)
{
    const char *twice = "bounds twice as wide";
    if (reasons & INTERVAL_LARGER)
        fprintf(f, "  %s: more than %d times the size of the largest real run for comparison, which had %d\n", twice,
                INTERVAL_MOST, family->most);
    if (reasons & INTERVAL_UNSURE) fprintf(f, "  %s: the machine file does not say how sure its values are\n", twice);
    if (reasons & INTERVAL_UNLIKE) fprintf(f, "  %s: no real run to compare with had %s\n", twice, kind);
}

#endif

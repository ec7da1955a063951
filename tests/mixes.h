/* What the tests of the rooms mix and slowdown of contention.h share: applications drawn at random, and what a mix says of
 * them. Include after contention.h. */
#ifndef MIXES_H
#define MIXES_H

#include "close.h"

static uint64_t dice = 1;

/* Probability that exactly i compute (0) or communicate (1). */
static inline double probability(const contention_mix *mix, int what, size_t i)
{
    if (mix->count == 0) return i == 0;
    return i <= mix->count ? mix->probability[i][what] : 0;
}

/* A part that may be 0, 1, or within 1e-9 of them. */
static inline double part(double most)
{
    const double kind = random_between(&dice, 0, 1);
    double x = random_between(&dice, 0, 1);
    if (kind < 0.1)
        x = 0;
    else if (kind < 0.2)
        x = 1;
    else if (kind < 0.3)
        x = 1e-9 * x;
    else if (kind < 0.4)
        x = 1 - 1e-9 * x;
    else if (kind < 0.5)
        x = 0.5;
    return x < most ? x : most;
}

static inline void add(contention_mix *mix)
{
    const double computing = part(1), communicating = part(1 - computing);
    assert_int_equal(contention_mix_add(mix, computing, communicating), CONTENTION_OK);
}

#endif

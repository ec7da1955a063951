/* What the tests of the rooms scaling and choice of util/netmodel_fit.h share: a model, and runs that are close to it. Include
 * after it. */
#ifndef RUNS_H
#define RUNS_H

#include "close.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Near what the paper measured: 2 GB a process, Ethernet. */
static const netmodel_scaling truth = { .start = 20, .per_work = 0.55, .c = 30, .d = 12, .g = 0.12 };

static inline double normal(uint64_t *seed)
{
    const double u = random_between(seed, 0x1p-60, 1), v = random_between(seed, 0, 1);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Runs on 1, 4 and 8 processes at 1024 and 2048 MB, so many times each, off by a relative error. */
static inline size_t measure(netmodel_run run[], size_t times, double error, uint64_t *seed)
{
    static const size_t processes[] = { 1, 4, 8 };
    size_t count = 0;

    for (size_t i = 0; i < 3; ++i)
        for (int half = 0; half < 2; ++half)
            for (size_t k = 0; k < times; ++k) {
                netmodel_run one = { processes[i], half ? 1024 : 2048, 0 };
                one.seconds = netmodel_scaling_time(&truth, one.processes, one.work);
                if (error > 0) one.seconds *= 1 + error * normal(seed);
                run[count++] = one;
            }
    return count;
}

#endif

/* The work that all rivals do: the same times between events, the same sizes. For C99 and C++11. */
#ifndef WORK_H
#define WORK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define WORK_BANDWIDTH 1.25e8 /* [B/s] of each end of the star's links */
#define WORK_LATENCY 50e-6    /* [s] of the whole path */

enum { WORK_TIMES = 65536 };

/* SplitMix64. */
static inline uint64_t work_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double work_uniform(uint64_t *state)
{
    return (double)(work_bits(state) >> 11) * (1.0 / 9007199254740992.0);
}

/* Exponential times of mean 1, made beforehand: drawing them costs nothing while the clock runs. */
static inline double work_time(void)
{
    static double times[WORK_TIMES];
    static unsigned next;
    if (times[0] == 0) {
        uint64_t state = 1;
        for (unsigned i = 0; i < WORK_TIMES; ++i) times[i] = -log(1 - work_uniform(&state));
    }
    return times[next++ % WORK_TIMES];
}

/* Size of the transfer from one host to another, whole bytes [B]: 1 MB, or uniform in 0.5 .. 1.5 MB. */
static inline double work_size(unsigned hosts, unsigned from, unsigned to, int varied)
{
    uint64_t state = ((uint64_t)hosts << 40) + ((uint64_t)from << 20) + to;
    return varied ? floor(5e5 + 1e6 * work_uniform(&state)) : 1e6;
}

static inline double work_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline void work_report(const char *row, double n, double value, const char *unit)
{
    printf("%s\t%.0f\t%.3f\t%s\n", row, n, value, unit);
}

#endif

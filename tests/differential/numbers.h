/* tests/differential/numbers.h   Random numbers for random programs (splitmix64). */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline int random_below(uint64_t *state, int bound)
{
    return (int)((random_next(state) >> 33) % (uint64_t)bound);
}

static inline double random_unit(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

static inline bool chance(uint64_t *state, double probability)
{
    return random_unit(state) < probability;
}

#endif

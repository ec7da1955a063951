/* memory.c - what a message between two ranks of one host takes on this machine: measured once in a run, in some milliseconds. */
#define _GNU_SOURCE
#include "core.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define UNMEASURED                                                                                                     \
    ((netmodel_link){ 0.2e-6, 1 / 8e9 }) /* where there is no memory for measuring: of usual processors */

enum { LINE = 64, BLOCK = 1 << 20, BLOCKS = 16, LOADS = 2000, TRIALS = 5 };

/* Returns the time of a load from memory [s]; each one has to wait for the one before it. */
static double memory__load_time(const volatile unsigned char *room)
{
    const size_t lines = (size_t)BLOCK * BLOCKS / LINE;
    double best = INFINITY;
    size_t at = 1;
    for (int trial = 0; trial < TRIALS; ++trial) {
        const double begin = direct_clock(CLOCK_MONOTONIC);
        for (int i = 0; i < LOADS; ++i)
            at = (at * 1664525 + 1013904223 + room[at * LINE]) % lines; /* the memory is all zeros */
        best = fmin(best, (direct_clock(CLOCK_MONOTONIC) - begin) / LOADS);
    }
    return best;
}

/* Returns the time of copying a byte, from memory to memory [s]. */
static double memory__byte_time(unsigned char *room)
{
    double best = INFINITY;
    for (size_t i = 0; i < (size_t)TRIALS * BLOCKS / 2; ++i) {
        const size_t block = i % (BLOCKS / 2);
        const double begin = direct_clock(CLOCK_MONOTONIC);
        memcpy(room + (block + BLOCKS / 2) * BLOCK, room + block * BLOCK, BLOCK);
        best = fmin(best, (direct_clock(CLOCK_MONOTONIC) - begin) / BLOCK);
    }
    return best;
}

/* The latency is that of two loads: of the notice that there is a message, and of its first bytes. The minimum of several trials
 * counts, because other processes may delay any of them. */
netmodel_link messages_copy_measured(void)
{
    const size_t bytes = (size_t)BLOCK * BLOCKS;
    unsigned char *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return UNMEASURED;
    memset(room, 0, bytes);
    const netmodel_link measured = { 2 * memory__load_time(room), memory__byte_time(room) };
    munmap(room, bytes);
    return measured;
}

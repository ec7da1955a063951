/* openmp.h - what the programs of this folder have in common: work of known length and known result, and main(). Each file
 * has several programs, `FILE NAME [SCALE]` runs one of them, `FILE all` all. A program takes 0.1 to 0.5 s on one core with the
 * scale 1. It verifies its result and prints a checksum that does not depend on the number of threads, and on the standard
 * error the time by its own clock, which the start of the process is no part of. */
#include <inttypes.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP 1442695040888963407u
#define US 750 /* rounds of work() in about a microsecond: a Xeon of 3 GHz takes four cycles a round */
#define LENGTH(array) ((long)(sizeof(array) / sizeof *(array)))

typedef struct program {
    const char *name;
    uint64_t (*run)(double scale); /* returns the checksum */
} program;

extern const program programs[]; /* the last one has no name */
uint64_t multiplier = 6364136223846793005u; /* a variable, so that no compiler shortens work() */
static bool wrong;

/* Computes for so many rounds, in registers: a linear congruential generator. */
static inline uint64_t work(uint64_t x, long rounds)
{
    const uint64_t factor = multiplier;
    for (long i = 0; i < rounds; ++i) x = factor * x + STEP;
    return x;
}

/* What work() returns, in logarithmic time. */
static inline uint64_t worked(uint64_t x, long rounds)
{
    uint64_t factor = multiplier, step = STEP; /* of 1, 2, 4, 8 ... rounds */
    for (; rounds > 0; rounds /= 2) {
        if (rounds % 2) x = factor * x + step;
        step += factor * step;
        factor *= factor;
    }
    return x;
}

/* A number from 0 to below - 1 that depends on i alone. */
static inline long drawn(long i, long below)
{
    return (long)((worked((uint64_t)i, 5) >> 33) % (uint64_t)below);
}

static inline long repeated(double times, double scale)
{
    return times * scale < 1 ? 1 : (long)(times * scale + 0.5);
}

static inline void verify(bool right)
{
    if (!right) wrong = true;
}

static inline uint64_t checksum(const uint64_t *x, long n)
{
    uint64_t sum = 0;
    for (long i = 0; i < n; ++i) sum = 31 * sum + x[i];
    return sum;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "", *failed = NULL;
    const double scale = argc > 2 ? atof(argv[2]) : 1;
    bool found = false;
    for (const program *p = programs; p->name; ++p) {
        if (strcmp(name, p->name) != 0 && strcmp(name, "all") != 0) continue;
        found = true;
        const double begin = omp_get_wtime();
        const uint64_t sum = p->run(scale);
        const double end = omp_get_wtime();
        printf("%s %016" PRIx64 "\n", p->name, sum);
        fprintf(stderr, "%.6f\n", end - begin);
        if (wrong && !failed) failed = p->name;
    }
    if (failed) fprintf(stderr, "%s: the result is wrong\n", failed);
    if (found) return failed != NULL;
    fprintf(stderr, "usage: %s NAME [SCALE]; names: all", argv[0]);
    for (const program *p = programs; p->name; ++p) fprintf(stderr, " %s", p->name);
    fprintf(stderr, "\n");
    return 2;
}

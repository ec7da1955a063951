/* loops.c - programs of OpenMP: loops. */
#include "openmp.h"

/* Loops of equal iterations, one after another, each of which takes so many microseconds on one core. */
static uint64_t loop(double microseconds, double scale)
{
    uint64_t x[64];
    const long rounds = (long)(microseconds * US / LENGTH(x)), loops = repeated(200000 / microseconds, scale);
    for (int i = 0; i < LENGTH(x); ++i) x[i] = (uint64_t)i;
    for (long n = 0; n < loops; ++n)
#pragma omp parallel for
        for (int i = 0; i < LENGTH(x); ++i) x[i] = work(x[i], rounds);
    for (int i = 0; i < LENGTH(x); ++i) verify(x[i] == worked((uint64_t)i, loops * rounds));
    return checksum(x, LENGTH(x));
}

static uint64_t loop10us(double scale)
{
    return loop(10, scale);
}

static uint64_t loop100us(double scale)
{
    return loop(100, scale);
}

static uint64_t loop1ms(double scale)
{
    return loop(1000, scale);
}

static uint64_t loop10ms(double scale)
{
    return loop(10000, scale);
}

/* Iterations of 1 to 20 us, each given to whoever is idle. */
static uint64_t dynamic(double scale)
{
    static uint64_t x[1000];
    const long loops = repeated(20, scale);
    for (int i = 0; i < LENGTH(x); ++i) x[i] = (uint64_t)i;
    for (long n = 0; n < loops; ++n)
#pragma omp parallel for schedule(dynamic)
        for (int i = 0; i < LENGTH(x); ++i) x[i] = work(x[i], (1 + drawn(i, 20)) * US);
    for (int i = 0; i < LENGTH(x); ++i) verify(x[i] == worked((uint64_t)i, loops * (1 + drawn(i, 20)) * US));
    return checksum(x, LENGTH(x));
}

/* Iterations that grow from nothing to 4 us, in pieces that become smaller. */
static uint64_t guided(double scale)
{
    static uint64_t x[2000];
    const long loops = repeated(50, scale);
    for (int i = 0; i < LENGTH(x); ++i) x[i] = (uint64_t)i;
    for (long n = 0; n < loops; ++n)
#pragma omp parallel for schedule(guided, 4)
        for (int i = 0; i < LENGTH(x); ++i) x[i] = work(x[i], (long)i * US / 500);
    for (int i = 0; i < LENGTH(x); ++i) verify(x[i] == worked((uint64_t)i, loops * ((long)i * US / 500)));
    return checksum(x, LENGTH(x));
}

/* All pairs: the iterations grow, and each thread has a part of the same length, so the last one has most of the work. */
static uint64_t triangular(double scale)
{
    static uint64_t mass[1000], force[1000];
    const long loops = repeated(500, scale);
    for (int i = 0; i < LENGTH(mass); ++i) mass[i] = worked(7, i);
    for (long n = 0; n < loops; ++n) {
        uint64_t sum = 0, squares = 0, forces = 0;
#pragma omp parallel for schedule(static)
        for (int i = 0; i < LENGTH(mass); ++i) {
            uint64_t all = 0;
            for (int j = 0; j < i; ++j) all += mass[i] * mass[j];
            force[i] = all;
        }
        for (int i = 0; i < LENGTH(mass); ++i) {
            sum += mass[i];
            squares += mass[i] * mass[i];
            forces += force[i];
        }
        verify(2 * forces == sum * sum - squares);
        for (int i = 0; i < LENGTH(mass); ++i) mass[i] += force[i];
    }
    return checksum(mass, LENGTH(mass));
}

/* Iterations of 20 us with a part at the end, 2 us, that comes in the order of the loop. */
static uint64_t ordered(double scale)
{
    const long n = repeated(10000, scale);
    uint64_t chain = 1, right = 1;
#pragma omp parallel for ordered schedule(dynamic)
    for (long i = 0; i < n; ++i) {
        const uint64_t x = work((uint64_t)i, 18 * US);
#pragma omp ordered
        chain = work(chain + x, 2 * US);
    }
    for (long i = 0; i < n; ++i) right = worked(right + worked((uint64_t)i, 18 * US), 2 * US);
    verify(chain == right);
    return chain;
}

/* One step of a field: the sum of all cells becomes three times as large. */
#define CELLS 8192
static inline uint64_t cell(const uint64_t *old, int i)
{
    return old[(i + CELLS - 1) % CELLS] + 3 * old[i] - old[(i + 1) % CELLS];
}

/* Two fields that do not depend on each other: between them no thread waits, after each step all do. */
static uint64_t stencil(double scale)
{
    static uint64_t u[2][CELLS], v[2][CELLS];
    const long steps = repeated(6000, scale);
    uint64_t before = 0, after = 0;
    for (int i = 0; i < CELLS; ++i) {
        u[0][i] = worked(1, i);
        v[0][i] = worked(2, i);
        before += u[0][i] + v[0][i];
    }
#pragma omp parallel
    for (long n = 0; n < steps; ++n) {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < CELLS; ++i) u[(n + 1) % 2][i] = cell(u[n % 2], i);
#pragma omp for schedule(static)
        for (int i = 0; i < CELLS; ++i) v[(n + 1) % 2][i] = cell(v[n % 2], i);
    }
    for (int i = 0; i < CELLS; ++i) after += u[steps % 2][i] + v[steps % 2][i];
    for (long n = 0; n < steps; ++n) before *= 3;
    verify(before == after);
    return checksum(u[steps % 2], CELLS) + checksum(v[steps % 2], CELLS);
}

const program programs[] = {
    { "loop10us", loop10us },     { "loop100us", loop100us },
    { "loop1ms", loop1ms },       { "loop10ms", loop10ms },
    { "dynamic", dynamic },       { "guided", guided },
    { "triangular", triangular }, { "ordered", ordered },
    { "stencil", stencil },       { NULL, NULL },
};

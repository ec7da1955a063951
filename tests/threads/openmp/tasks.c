/* tasks.c - programs of OpenMP: tasks. */
#include <math.h>

#include "openmp.h"

/* From 1 us to 1 ms, as many of 1 to 2 us as of 2 to 4 us and of 512 us to 1024 us. */
static long rounds_of(long i)
{
    return (1024 + drawn(i, 1024)) * (US << drawn(i + 1, 10)) / 1024;
}

/* One thread makes tasks, and all do them. */
static uint64_t tasks(double scale)
{
    const long n = repeated(1300, scale);
    uint64_t *x = (uint64_t *)calloc((size_t)n, sizeof *x);
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < n; ++i)
#pragma omp task firstprivate(i)
        x[i] = work((uint64_t)i, rounds_of(i));
    for (long i = 0; i < n; ++i) verify(x[i] == worked((uint64_t)i, rounds_of(i)));
    const uint64_t sum = checksum(x, n);
    free(x);
    return sum;
}

static uint64_t fibonacci_serial(int n)
{
    return n < 2 ? (uint64_t)n : fibonacci_serial(n - 1) + fibonacci_serial(n - 2);
}

/* A task for each call, the smallest of about a microsecond. */
static uint64_t fibonacci(int n)
{
    uint64_t a, b;
    if (n < 15) return fibonacci_serial(n);
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static uint64_t fib(double scale)
{
    const long times = repeated(40, scale);
    uint64_t sum = 0, a = 0, b = 1;
    for (long n = 0; n < times; ++n) {
        uint64_t result = 0;
#pragma omp parallel
#pragma omp single
        result = fibonacci(32);
        sum += result;
    }
    for (int i = 0; i < 32; ++i) {
        const uint64_t next = a + b;
        a = b;
        b = next;
    }
    verify(sum == (uint64_t)times * a);
    return sum;
}

/* Queens on a board: the columns and diagonals that are taken are bits. The first rows make a task for each place. */
#define QUEENS 11
static long place(int row, unsigned columns, unsigned left, unsigned right)
{
    long found = 0;
    if (row == QUEENS) return 1;
    for (unsigned free = ~(columns | left | right) & ((1u << QUEENS) - 1); free; free &= free - 1) {
        const unsigned bit = free & -free;
        if (row < 3) {
#pragma omp task shared(found)
            {
                const long more = place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
#pragma omp atomic
                found += more;
            }
        } else {
            found += place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
        }
    }
#pragma omp taskwait
    return found;
}

static uint64_t queens(double scale)
{
    const long times = repeated(100, scale);
    long found = 0;
    for (long n = 0; n < times; ++n) {
#pragma omp parallel
#pragma omp single
        found += place(0, 0, 0, 0);
    }
    verify(found == times * 2680);
    return (uint64_t)found;
}

/* Loops of 2 ms that become tasks of 40 us. */
static uint64_t taskloop(double scale)
{
    uint64_t x[1000];
    const long loops = repeated(100, scale);
    for (int i = 0; i < LENGTH(x); ++i) x[i] = (uint64_t)i;
#pragma omp parallel
#pragma omp single
    for (long n = 0; n < loops; ++n) {
#pragma omp taskloop grainsize(20) shared(x)
        for (int i = 0; i < LENGTH(x); ++i) x[i] = work(x[i], 2 * US);
    }
    for (int i = 0; i < LENGTH(x); ++i) verify(x[i] == worked((uint64_t)i, loops * 2 * US));
    return checksum(x, LENGTH(x));
}

/* A blocked Cholesky factorization. The factor consists of small whole numbers, so all results are exact. */
enum { BLOCKS = 8, SIDE = 32 };
typedef double block[SIDE][SIDE];

static double factor(int row, int column)
{
    return row < column ? 0 : (double)(1 + (7 * row + 3 * column) % 4);
}

static void factorize(block a)
{
    for (int j = 0; j < SIDE; ++j) {
        for (int k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < SIDE; ++i) {
            for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
}

static void solve(block a, block diagonal)
{
    for (int i = 0; i < SIDE; ++i)
        for (int j = 0; j < SIDE; ++j) {
            for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * diagonal[j][k];
            a[i][j] /= diagonal[j][j];
        }
}

static void subtract(block a, block left, block right)
{
    for (int i = 0; i < SIDE; ++i)
        for (int j = 0; j < SIDE; ++j) {
            double sum = 0;
            for (int k = 0; k < SIDE; ++k) sum += left[i][k] * right[j][k];
            a[i][j] -= sum;
        }
}

static uint64_t cholesky(double scale)
{
    static block original[BLOCKS][BLOCKS], a[BLOCKS][BLOCKS];
    const long times = repeated(90, scale);
    double sum = 0;
    for (int i = 0; i < BLOCKS * SIDE; ++i)
        for (int j = 0; j <= i; ++j)
            for (int k = 0; k <= j; ++k)
                original[i / SIDE][j / SIDE][i % SIDE][j % SIDE] += factor(i, k) * factor(j, k);
    for (long n = 0; n < times; ++n) {
        memcpy(a, original, sizeof a);
#pragma omp parallel
#pragma omp single
        for (int k = 0; k < BLOCKS; ++k) {
#pragma omp task depend(inout : a[k][k])
            factorize(a[k][k]);
            for (int i = k + 1; i < BLOCKS; ++i) {
#pragma omp task depend(in : a[k][k]) depend(inout : a[i][k])
                solve(a[i][k], a[k][k]);
            }
            for (int i = k + 1; i < BLOCKS; ++i)
                for (int j = k + 1; j <= i; ++j) {
#pragma omp task depend(in : a[i][k], a[j][k]) depend(inout : a[i][j])
                    subtract(a[i][j], a[i][k], a[j][k]);
                }
        }
    }
    for (int i = 0; i < BLOCKS * SIDE; ++i)
        for (int j = 0; j <= i; ++j) {
            const double value = a[i / SIDE][j / SIDE][i % SIDE][j % SIDE];
            verify(value == factor(i, j));
            sum += value * (i + 2 * j);
        }
    return (uint64_t)sum;
}

const program programs[] = {
    { "tasks", tasks },       { "fib", fib },           { "queens", queens },
    { "taskloop", taskloop }, { "cholesky", cholesky }, { NULL, NULL },
};

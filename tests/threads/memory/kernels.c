/* kernels.c - threads that are bound by the memory, or by a cache: kernels NAME THREADS [PASSES]
 *
 * copy      to and fro between two arrays, triad  a[i] = b[i] + 3 c[i], both as of STREAM
 * stencil   Jacobi: each point becomes the mean of its four neighbours, from one grid into another one and back
 * sparse    a sparse matrix, 16 elements a row at random columns, times a vector, and the result times the matrix again
 *
 * Arrays have 400 MB together, more than the caches of most processors hold. With -l3 after the name they have 24 MB. With -l2,
 * which copy and triad have, they have 24 MB as well, and pieces of 1.2 MB are passed over again and again before the next one:
 * a piece fits into a second-level cache of 2 MB, two do not. Threads have equal parts. Those of stencil and sparse meet at a
 * barrier after each pass; those of copy and triad need not. The checksum does not depend on the number of threads. The time of
 * the passes, by the program's own clock, goes to the standard error [s]: the pages of the arrays, which the kernel makes
 * before, are no part of it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, IN_A_ROW = 16, SIZES = 3 };

typedef void part_of_pass(int pass, size_t from, size_t to);

static int threads, passes;
static size_t n, width,
    piece; /* elements of an array; those of a line of the grid; those that get all their passes before the next */
static double *a, *b, *c;
static uint32_t *column;
static pthread_barrier_t all;
static part_of_pass *kernel;
static bool meets;

static void copy(int pass, size_t from, size_t to)
{
    const double *x = pass % 2 ? b : a;
    double *y = pass % 2 ? a : b;
    for (size_t i = from; i < to; ++i) y[i] = x[i];
}

static void triad(int pass, size_t from, size_t to)
{
    (void)pass;
    for (size_t i = from; i < to; ++i) a[i] = b[i] + 3 * c[i];
}

static void stencil(int pass, size_t from, size_t to)
{
    const double *x = pass % 2 ? b : a;
    double *y = pass % 2 ? a : b;
    const size_t first = from > 0 ? from / width : 1, last = to < n ? to / width : n / width - 1;
    for (size_t line = first; line < last; ++line)
        for (size_t i = line * width + 1; i < (line + 1) * width - 1; ++i)
            y[i] = 0.25 * (x[i - 1] + x[i + 1] + x[i - width] + x[i + width]);
}

static void sparse(int pass, size_t from, size_t to)
{
    const double *x = pass % 2 ? b : a;
    double *y = pass % 2 ? a : b;
    for (size_t row = from; row < to; ++row) {
        double sum = 0;
        for (size_t k = row * IN_A_ROW; k < (row + 1) * IN_A_ROW; ++k) sum += c[k] * x[column[k]];
        y[row] = sum;
    }
}

static void *work(void *number)
{
    const size_t lines = n / width, t = (size_t)(uintptr_t)number;
    const size_t from = lines * t / (size_t)threads * width, to = lines * (t + 1) / (size_t)threads * width;
    for (size_t at = from; at < to; at += piece)
        for (int pass = 0; pass < passes; ++pass) {
            kernel(pass, at, to - at > piece ? at + piece : to);
            if (meets) pthread_barrier_wait(&all);
        }
    return NULL;
}

static void *array(size_t bytes)
{
    void *x = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (x) return x;
    fprintf(stderr, "kernels: no memory for an array of %zu MB\n", bytes / 1000000);
    exit(2);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static const char *const sizes[SIZES] = { "", "-l3", "-l2" };
    static const size_t bytes[SIZES] = { 400000000, 24000000, 24000000 }, widths[SIZES] = { 4096, 1024, 256 };
    static const struct {
        const char *name;
        part_of_pass *kernel;
        size_t bytes; /* of an element in all arrays */
        bool meets;
        int passes[SIZES]; /* 0: it has no such size */
    } kinds[] = {
        { "copy", copy, 16, false, { 8, 300, 600 } },
        { "triad", triad, 24, false, { 10, 350, 600 } },
        { "stencil", stencil, 16, true, { 8, 200, 0 } },
        { "sparse", sparse, 16 + 12 * IN_A_ROW, true, { 3, 200, 0 } },
    };
    pthread_t others[MOST];
    enum { PIECE = 1200000 }; /* [B] */
    char name[32];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (size_t s = 0; s < SIZES; ++s) {
            snprintf(name, sizeof name, "%s%s", kinds[k].name, sizes[s]);
            if (argc < 3 || strcmp(argv[1], name) != 0 || kinds[k].passes[s] == 0) continue;
            kernel = kinds[k].kernel, meets = kinds[k].meets, passes = kinds[k].passes[s];
            width = widths[s], n = bytes[s] / kinds[k].bytes / width * width;
            piece = s == 2 ? PIECE / kinds[k].bytes : n;
        }
    threads = argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 3) passes = atoi(argv[3]);
    if (!kernel || threads < 1 || threads > MOST || passes < 1) {
        fprintf(stderr,
                "usage: kernels NAME THREADS [PASSES], at most %d threads; names: copy triad stencil sparse, also with "
                "-l3, "
                "copy-l2 triad-l2\n",
                MOST);
        return 2;
    }
    a = array(n * sizeof *a), b = array(n * sizeof *b), c = array(n * sizeof *c * (kernel == sparse ? IN_A_ROW : 1));
    for (size_t i = 0; i < n; ++i) a[i] = b[i] = (double)(i % 97), c[i] = 1;
    if (kernel == sparse) {
        uint64_t state = 1;
        column = array(n * IN_A_ROW * sizeof *column);
        for (size_t k = 0; k < n * IN_A_ROW; ++k) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            column[k] = (uint32_t)((state >> 32) * n >> 32);
            c[k] = 1.0 / IN_A_ROW;
        }
    }
    pthread_barrier_init(&all, NULL, (unsigned)threads);
    const double begin = now();
    for (int t = 1; t < threads; ++t)
        if (pthread_create(&others[t], NULL, work, (void *)(uintptr_t)t) != 0) return 2;
    work(NULL);
    for (int t = 1; t < threads; ++t) pthread_join(others[t], NULL);
    fprintf(stderr, "%.6f\n", now() - begin);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += a[i];
    printf("%s: %.6f\n", argv[1], sum / (double)n);
    return 0;
}

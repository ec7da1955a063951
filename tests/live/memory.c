/* Do programs that share the memory of this machine slow each other down as contention.h says?
 *
 * Four kernels read an array and write another one, 134 MB each, with more or fewer operations for each element; a fifth one stays
 * in the cache. Measured first: the CPU time of each alone, which gives the bytes that it moves in a CPU second, and what the
 * fastest of them moves on all cores at once, which is the bandwidth. From these numbers simkit predicts the CPU time of a kernel
 * while all other cores run another one; then they run, each pinned to a core. All in turn, seven times; medians. CPU time,
 * because others may use the machine. Exits 1 if a prediction is off by more than 10 %. Takes half a minute. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "busy.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 7, LENGTH = 1 << 24, CACHED = 1 << 13, MOST = 16, KERNELS = 5, PAIRS = 9 };

static const char *const names[KERNELS] = { "1 operation", "8 operations", "16 operations", "32 operations", "in the cache" };

/* An element of 8 bytes is read, and its line in the other array is read before it is written. */
static const double bytes = 24.0 * LENGTH;

static int cores[MOST], core_count;
static double *arrays[MOST][2];
static atomic_bool stop;

#define KERNEL(NAME, OPERATIONS, COUNT)                                                                                \
    static void NAME(const double *from, double *to)                                                                   \
    {                                                                                                                  \
        for (size_t i = 0; i < (COUNT); ++i) {                                                                         \
            double x = from[i];                                                                                        \
            for (int k = 0; k < (OPERATIONS); ++k) x = x * 0.999 + 0.001;                                              \
            to[i] = x;                                                                                                 \
        }                                                                                                              \
    }
KERNEL(one, 1, LENGTH)
KERNEL(eight, 8, LENGTH)
KERNEL(sixteen, 16, LENGTH)
KERNEL(thirty_two, 32, LENGTH)
KERNEL(part_in_cache, 8, CACHED)

static void in_cache(const double *from, double *to)
{
    for (int again = 0; again < LENGTH / CACHED && !(again > 99 && atomic_load(&stop)); ++again) part_in_cache(from, to);
}

static void (*const kernels[KERNELS])(const double *, double *) = { one, eight, sixteen, thirty_two, in_cache };

/*=============================================================================
 * MARK: - >>measuring
 *===========================================================================*/
typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *barrier;
    int number, kernel, passes; /* 0: until it is stopped */
    double seconds;             /* CPU time of a pass */
} worker;

static double cpu_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *work(void *user)
{
    worker *w = (worker *)user;
    int done = 0;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cores[w->number], &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    pthread_barrier_wait(w->barrier);
    const double start = cpu_time();
    while (w->passes ? done < w->passes : !atomic_load(&stop)) kernels[w->kernel](arrays[w->number][0], arrays[w->number][1]), ++done;
    w->seconds = (cpu_time() - start) / done;
    if (w->passes) atomic_store(&stop, true);
    return NULL;
}

/* CPU time of a pass of a kernel on one core, while all others run another one; -1: they are idle. */
static double measured(int kernel, int others)
{
    pthread_barrier_t barrier;
    worker workers[MOST];
    const int count = others < 0 ? 1 : core_count;
    atomic_store(&stop, false);
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (int i = 0; i < count; ++i) {
        workers[i] = (worker){ .barrier = &barrier, .number = i, .kernel = i == 0 ? kernel : others, .passes = i == 0 ? 4 : 0 };
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) exit(1);
    }
    for (int i = 0; i < count; ++i) pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&barrier);
    return workers[0].seconds;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, ROUNDS, sizeof *x, ascending);
    return x[ROUNDS / 2];
}

/*=============================================================================
 * MARK: - >>predicting
 *===========================================================================*/
static void note(simkit_world *world, void *user)
{
    *(double *)user = simkit_clock_now(world);
}

static double rate(int kernel, const double *alone)
{
    return kernel == KERNELS - 1 ? 0 : bytes / alone[kernel];
}

/* The same, from the times alone and the bandwidth. */
static double predicted(int kernel, int others, const double *alone, double bandwidth)
{
    simkit_world *world;
    simkit_node node;
    double end = 0;
    const simkit_node_desc machine = { .cores = (unsigned)core_count, .memory_bandwidth = bandwidth };
    simkit_computation_desc work_of = { .seconds = alone[kernel], .memory_rate = rate(kernel, alone), .done = note, .user = &end };
    simkit_computation_desc other = { .seconds = 1e6, .memory_rate = rate(others, alone), .background = true };
    if (simkit_world_open(NULL, &world) != SIMKIT_OK) exit(1);
    bool fine = simkit_node_add(world, &machine, &node) == SIMKIT_OK;
    work_of.node = other.node = node;
    fine = fine && simkit_computation_start(world, &work_of, NULL) == SIMKIT_OK;
    for (int i = 1; i < core_count; ++i) fine = fine && simkit_computation_start(world, &other, NULL) == SIMKIT_OK;
    fine = fine && simkit_world_run(world) == SIMKIT_OK;
    if (!fine) exit((fprintf(stderr, "%s\n", simkit_world_why(world)), 1));
    simkit_world_close(world);
    return end;
}

static bool prepare(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return false;
    for (int core = 0; core < CPU_SETSIZE && core_count < MOST; ++core)
        if (CPU_ISSET((size_t)core, &set)) cores[core_count++] = core;
    for (int i = 0; i < core_count; ++i)
        for (int k = 0; k < 2; ++k) {
            if (!(arrays[i][k] = (double *)malloc(LENGTH * sizeof(double)))) return false;
            for (size_t j = 0; j < LENGTH; ++j) arrays[i][k][j] = 1;
        }
    return core_count > 1;
}

int main(void)
{
    static const int pairs[PAIRS][2] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 }, { 1, 1 }, { 2, 2 }, { 3, 3 }, { 0, 4 } };
    double times[KERNELS + PAIRS + 1][ROUNDS], alone[KERNELS], worst = 0;

    if (!prepare()) {
        printf("skipped: this takes two cores, and 0.3 GB of memory for each\n");
        return 0;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int k = 0; k < KERNELS; ++k) times[k][round] = measured(k, -1);
        times[KERNELS + PAIRS][round] = measured(0, 0); /* for the bandwidth; not the runs that are predicted */
        for (int p = 0; p < PAIRS; ++p) times[KERNELS + p][round] = measured(pairs[p][0], pairs[p][1]);
    }
    for (int k = 0; k < KERNELS; ++k) {
        alone[k] = median(times[k]);
        printf("alone, %-14s %6.1f ms, %5.2f GB/s\n", names[k], 1e3 * alone[k], rate(k, alone) / 1e9);
    }
    const double bandwidth = core_count * bytes / median(times[KERNELS + PAIRS]), full = bandwidth / core_count / rate(0, alone);
    printf("all %d cores together %.1f GB/s, %.2f of what so many alone would move%s\n\n", core_count, bandwidth / 1e9, full,
           full > 0.95 ? ":\nthe memory is no limit here, so this shows only that none is predicted" : "");
    for (int p = 0; p < PAIRS; ++p) {
        const int kernel = pairs[p][0], others = pairs[p][1];
        const double expected = predicted(kernel, others, alone, bandwidth), real = median(times[KERNELS + p]);
        worst = fmax(worst, fabs(expected / real - 1));
        printf("%-14s beside %-14s predicted %6.1f ms   measured %6.1f ms   %+5.1f %%\n", names[kernel], names[others], 1e3 * expected,
               1e3 * real, 100 * (expected / real - 1));
    }
    printf("%s\n", worst <= 0.1 ? "all within 10 %" : "some are off by more than 10 %");
    return worst > 0.1;
}

/* How far off is a measured operation whose data are out of the caches?
 *
 * A tiled Cholesky factorization of 166 MB by one core: the CPU time of the plain program, beside the virtual time with every
 * kernel executed, with kernels measured the first times, and with runs to skip and measurements that are repeated. All in
 * turn, seven times, a minute in all; medians of the errors. Exits 1 if executing, or measuring repeatedly, is off by more than
 * 7 %. Takes OpenBLAS; without it, it says so. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef KERNELS_BLAS
enum { TILE = 64, TILES = 100, ROUNDS = 7 };

static double *all[TILES * TILES]; /* those of the lower triangle, of TILE x TILE elements, column by column */

static double *tile(size_t i, size_t j)
{
    return all[i * TILES + j];
}

/*=============================================================================
 * MARK: - >>kernels
 *===========================================================================*/
typedef struct task {
    const double *a, *b;
    double *c;
} task;

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *, const double *, const int *,
            const double *, double *, const int *);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *, const int *, const double *, double *, const int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *, const double *, const int *, double *,
            const int *);
void dpotrf_(const char *, const int *, double *, const int *, int *);
void openblas_set_num_threads(int);

static const int n = TILE;
static const double one = 1, minus = -1;

static void update(void *of)
{
    const task *t = (const task *)of;
    dgemm_("N", "T", &n, &n, &n, &minus, t->a, &n, t->b, &n, &one, t->c, &n);
}

static void square(void *of)
{
    const task *t = (const task *)of;
    dsyrk_("L", "N", &n, &n, &minus, t->a, &n, &one, t->c, &n);
}

static void solve(void *of)
{
    const task *t = (const task *)of;
    dtrsm_("R", "L", "T", "N", &n, &n, &one, t->a, &n, t->c, &n);
}

static void factor(void *of)
{
    int failed;
    dpotrf_("L", &n, ((const task *)of)->c, &n, &failed);
}
enum { UPDATE, SQUARE, SOLVE, FACTOR, KERNELS };

static void (*const kernels[KERNELS])(void *) = { update, square, solve, factor };

/* Diagonally dominant: it can be factored, also when only some of its kernels have run. */
static void fill(void)
{
    for (size_t i = 0; i < TILES; ++i)
        for (size_t j = 0; j <= i; ++j)
            for (size_t k = 0; k < TILE * TILE; ++k)
                tile(i, j)[k] = i == j && k / TILE == k % TILE ? (double)(TILES * TILE) : (double)((i + 3 * j + k) % 7) / 8;
}

/* All tasks in their order, each run by `run`. */
static void cholesky(void (*run)(void *user, int kernel, task t), void *user)
{
    for (size_t k = 0; k < TILES; ++k) {
        run(user, FACTOR, (task){ NULL, NULL, tile(k, k) });
        for (size_t i = k + 1; i < TILES; ++i) run(user, SOLVE, (task){ tile(k, k), NULL, tile(i, k) });
        for (size_t i = k + 1; i < TILES; ++i) {
            for (size_t j = k + 1; j < i; ++j) run(user, UPDATE, (task){ tile(i, k), tile(j, k), tile(i, j) });
            run(user, SQUARE, (task){ tile(i, k), NULL, tile(i, i) });
        }
    }
}

/*=============================================================================
 * MARK: - >>runs
 *===========================================================================*/
static double processor_time(void *user)
{
    struct timespec time;
    (void)user;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* How long one reading of that clock takes [s]. */
static double reading(void)
{
    enum { READINGS = 10000 };
    const double start = processor_time(NULL);
    for (int i = 0; i < READINGS; ++i) processor_time(NULL);
    return (processor_time(NULL) - start) / READINGS;
}

static void plainly(void *user, int kernel, task t)
{
    (void)user;
    kernels[kernel](&t);
}

typedef struct simulation {
    simkit_world *world;
    simkit_operation operations[KERNELS];
    simkit_operation_desc how;
    bool failed;
} simulation;

static void simulated(void *user, int kernel, task t)
{
    simulation *s = (simulation *)user;
    simkit_computation_desc work = { .name = NULL };
    s->failed = s->failed ||
                simkit_operation_run(s->world, s->operations[kernel], TILE, kernels[kernel], &t, &work.seconds) != SIMKIT_OK ||
                simkit_process_compute(s->world, &work, NULL) != SIMKIT_OK;
}

static void whole(simkit_world *world, void *user)
{
    (void)world;
    cholesky(simulated, user);
}

/* The virtual time; how many of the kernels ran. */
static double predicted(const simkit_operation_desc *how, double *ran)
{
    static simulation s;
    simkit_node node;
    uint64_t runs = 0, uses = 0;
    double time;

    memset(&s, 0, sizeof s);
    s.failed = simkit_world_open(&(simkit_world_desc){ .processor_time = processor_time }, &s.world) != SIMKIT_OK ||
               simkit_node_add(s.world, NULL, &node) != SIMKIT_OK;
    for (int k = 0; k < KERNELS; ++k) s.failed = s.failed || simkit_operation_add(s.world, how, &s.operations[k]) != SIMKIT_OK;
    s.failed = s.failed ||
               simkit_process_start(s.world, &(simkit_process_desc){ .node = node, .body = whole, .user = &s, .stack_bytes = 1 << 20 },
                                    NULL) != SIMKIT_OK ||
               simkit_world_run(s.world) != SIMKIT_OK || s.failed;
    if (s.failed) {
        fprintf(stderr, "%s\n", simkit_world_why(s.world));
        exit(1);
    }
    for (int k = 0; k < KERNELS; ++k) {
        const simkit_operation_tally tally = simkit_operation_progress(s.world, s.operations[k]);
        runs += tally.runs;
        uses += tally.runs + tally.reused;
    }
    *ran = (double)runs / (double)uses;
    time = simkit_clock_now(s.world);
    simkit_world_close(s.world);
    return time;
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

int main(void)
{
    static const struct {
        const char *name;
        double within; /* the limit of the error; 0: not judged */
        simkit_operation_desc how;
    } ways[] = {
        { "execute", 0.07, { .policy = SIMKIT_POLICY_EXECUTE } },
        { "measure", 0, { .policy = SIMKIT_POLICY_MEASURE } },
        { "measure, first 64", 0, { .policy = SIMKIT_POLICY_MEASURE, .first = 64 } },
        { "measure, first 64, skip 1000", 0, { .policy = SIMKIT_POLICY_MEASURE, .first = 64, .skip = 1000 } },
        { "measure, first 1, every 29", 0, { .policy = SIMKIT_POLICY_MEASURE, .first = 1, .every = 29 } },
        { "measure, first 5, skip 5, every 101", 0, { .policy = SIMKIT_POLICY_MEASURE, .skip = 5, .every = 101 } },
        { "measure, first 50, skip 50, every 1009", 0.07, { .policy = SIMKIT_POLICY_MEASURE, .first = 50, .skip = 50, .every = 1009 } },
    };
    enum { WAYS = sizeof ways / sizeof *ways };
    double real[ROUNDS], off[WAYS][ROUNDS], ran[WAYS] = { 0 };
    bool fine = true;

    openblas_set_num_threads(1);
    for (size_t i = 0; i < TILES; ++i)
        for (size_t j = 0; j <= i; ++j)
            if (!(all[i * TILES + j] = (double *)malloc(TILE * TILE * sizeof **all))) return 1;
    for (int round = 0; round < ROUNDS; ++round) {
        fill();
        const double start = processor_time(NULL);
        cholesky(plainly, NULL);
        real[round] = processor_time(NULL) - start;
        for (int way = 0; way < WAYS; ++way) {
            fill();
            off[way][round] = predicted(&ways[way].how, &ran[way]) / real[round] - 1;
        }
    }
    printf("the program takes %.3f s, a kernel %.1f us, one reading of the clock %.2f us\n", median(real),
           1e6 * median(real) / (TILES * (TILES + 1.0) * (TILES + 2.0) / 6), 1e6 * reading());
    for (int way = 0; way < WAYS; ++way) {
        const double error = median(off[way]);
        fine = fine && (ways[way].within <= 0 || fabs(error) <= ways[way].within);
        printf("%-40s %6.2f %% of the kernels run   %+6.1f %% (%+.1f to %+.1f)\n", ways[way].name, 100 * ran[way], 100 * error,
               100 * off[way][0], 100 * off[way][ROUNDS - 1]);
    }
    printf("%s\n", fine ? "all that has to be within 7 % is" : "some are off by more than 7 %: is the machine quiet?");
    return !fine;
}
#else
int main(void)
{
    printf("skipped: this takes OpenBLAS (tests/need openblas)\n");
    return 0;
}
#endif

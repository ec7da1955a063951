/* A tiled Cholesky factorization under StarPU: how long does it take with a scheduling policy?
 *
 * cholesky [--n 4096] [--tile 256] [--workers 2] [--policy NAME, of policy.h or StarPU's] [--check]
 * prints the seconds of the factorization, and how long each worker waited for its core while others had it (the sum of its
 * run delay). --check compares the factor with that of LAPACK, and prints the error. */
#define _GNU_SOURCE
#include "policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* LAPACK and BLAS */
void dpotrf_(const char *, const int *, double *, const int *, int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, double *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void openblas_set_num_threads(int);

static const double one = 1, minus = -1;
static int order; /* of a tile */

static double *tile(void *buffers[], int i)
{
    return (double *)STARPU_MATRIX_GET_PTR(buffers[i]);
}

static void potrf(void *buffers[], void *user)
{
    int info;
    (void)user;
    dpotrf_("L", &order, tile(buffers, 0), &order, &info);
    if (info != 0) fprintf(stderr, "cholesky: the matrix is not positive definite\n"), exit(1);
}

static void trsm(void *buffers[], void *user)
{
    (void)user;
    dtrsm_("R", "L", "T", "N", &order, &order, &one, tile(buffers, 0), &order, tile(buffers, 1), &order);
}

static void syrk(void *buffers[], void *user)
{
    (void)user;
    dsyrk_("L", "N", &order, &order, &minus, tile(buffers, 0), &order, &one, tile(buffers, 1), &order);
}

static void gemm(void *buffers[], void *user)
{
    (void)user;
    dgemm_("N", "T", &order, &order, &order, &minus, tile(buffers, 0), &order, tile(buffers, 1), &order, &one,
           tile(buffers, 2), &order);
}

#define MODEL(name)                                                                                                    \
    {                                                                                                                  \
        .type = STARPU_HISTORY_BASED, .symbol = "cholesky_" name                                                       \
    }
static struct starpu_perfmodel models[] = { MODEL("potrf"), MODEL("trsm"), MODEL("syrk"), MODEL("gemm") };
static struct starpu_codelet codelets[] = {
    { .cpu_funcs = { potrf }, .nbuffers = 1, .modes = { STARPU_RW }, .model = &models[0] },
    { .cpu_funcs = { trsm }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW }, .model = &models[1] },
    { .cpu_funcs = { syrk }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW }, .model = &models[2] },
    { .cpu_funcs = { gemm }, .nbuffers = 3, .modes = { STARPU_R, STARPU_R, STARPU_RW }, .model = &models[3] },
};

static double element(int i, int j, int n)
{
    return i == j ? n : 1 / (1. + abs(i - j));
}

static void must(int result, const char *what)
{
    if (result != 0) fprintf(stderr, "cholesky: %s: %s\n", what, strerror(-result)), exit(1);
}

enum { MOST = 64 };
static long thread_of[MOST]; /* by the number of a worker */

static void note_thread(void *user)
{
    const int id = starpu_worker_get_id();
    (void)user;
    if (id >= 0 && id < MOST) thread_of[id] = syscall(SYS_gettid);
}

/* How long a worker has waited for a core so far [s]; 0 where the kernel does not count it. */
static double waited(int id)
{
    char path[64];
    double ran, delay = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", thread_of[id]);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%lf %lf", &ran, &delay) != 2) delay = 0;
    fclose(file);
    return delay * 1e-9;
}

/* The error against LAPACK's factor, relative to its largest element. */
static double error_of(double *const *tiles, int n, int count)
{
    double *whole = malloc((size_t)n * (size_t)n * sizeof *whole), error = 0, largest = 0;
    int info;

    if (!whole) return NAN;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) whole[(size_t)j * (size_t)n + (size_t)i] = element(i, j, n);
    dpotrf_("L", &n, whole, &n, &info);
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
            const double is = tiles[i / order * count + j / order][j % order * order + i % order];
            const double expected = whole[(size_t)j * (size_t)n + (size_t)i];
            if (!(fabs(is - expected) <= error)) error = fabs(is - expected);
            if (fabs(expected) > largest) largest = fabs(expected);
        }
    free(whole);
    return info == 0 ? error / largest : NAN;
}

static int whole_number(const char *name, const char *text)
{
    char *end = NULL;
    const long value = text ? strtol(text, &end, 10) : 0;
    if (!text || *end || value < 1 || value > 100000)
        fprintf(stderr, "cholesky: %s %s: expected a whole number, 1 to 100000\n", name, text ? text : ""), exit(1);
    return (int)value;
}

int main(int argc, char **argv)
{
    const char *name = "contended";
    int n = 4096, workers = 2, check = 0;
    struct starpu_conf conf;

    order = 256;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--n") == 0)
            n = whole_number(argv[i], argv[i + 1]), ++i;
        else if (strcmp(argv[i], "--tile") == 0)
            order = whole_number(argv[i], argv[i + 1]), ++i;
        else if (strcmp(argv[i], "--workers") == 0)
            workers = whole_number(argv[i], argv[i + 1]), ++i;
        else if (strcmp(argv[i], "--policy") == 0 && i + 1 < argc)
            name = argv[++i];
        else if (strcmp(argv[i], "--check") == 0)
            check = 1;
        else
            return fprintf(stderr, "cholesky: unknown argument %s\n", argv[i]), 1;
    }
    if (n % order != 0) return fprintf(stderr, "cholesky: --n %d is no multiple of --tile %d\n", n, order), 1;
    must(starpu_conf_init(&conf), "starpu_conf_init");
    conf.ncpus = workers, conf.ncuda = conf.nopencl = 0;
    if ((conf.sched_policy = policy_named(name)) == NULL) conf.sched_policy_name = name;
    must(starpu_init(&conf), "starpu_init");
    openblas_set_num_threads(1);

    const int count = n / order;
    double **tiles = calloc((size_t)(count * count), sizeof *tiles);
    starpu_data_handle_t *at = calloc((size_t)(count * count), sizeof *at);
    if (!tiles || !at) return fprintf(stderr, "cholesky: no memory\n"), 1;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j <= i; ++j) {
            double *t = tiles[i * count + j] = malloc((size_t)order * (size_t)order * sizeof *t);
            if (!t) return fprintf(stderr, "cholesky: no memory\n"), 1;
            for (int q = 0; q < order; ++q)
                for (int p = 0; p < order; ++p) t[q * order + p] = element(i * order + p, j * order + q, n);
            starpu_matrix_data_register(&at[i * count + j], STARPU_MAIN_RAM, (uintptr_t)t, (uint32_t)order,
                                        (uint32_t)order, (uint32_t)order, sizeof *t);
        }
#define AT(i, j) at[(i)*count + (j)]
    double before[MOST] = { 0 };
    starpu_execute_on_each_worker(note_thread, NULL, STARPU_CPU);
    for (int i = 0; i < workers && i < MOST; ++i) before[i] = waited(i);
    const double begin = starpu_timing_now();
    for (int k = 0; k < count; ++k) {
        must(starpu_task_insert(&codelets[0], STARPU_RW, AT(k, k), 0), "potrf");
        for (int i = k + 1; i < count; ++i)
            must(starpu_task_insert(&codelets[1], STARPU_R, AT(k, k), STARPU_RW, AT(i, k), 0), "trsm");
        for (int i = k + 1; i < count; ++i) {
            must(starpu_task_insert(&codelets[2], STARPU_R, AT(i, k), STARPU_RW, AT(i, i), 0), "syrk");
            for (int j = k + 1; j < i; ++j)
                must(starpu_task_insert(&codelets[3], STARPU_R, AT(i, k), STARPU_R, AT(j, k), STARPU_RW, AT(i, j), 0),
                     "gemm");
        }
    }
    must(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
    const double seconds = (starpu_timing_now() - begin) * 1e-6;
    for (int i = 0; i < workers && i < MOST; ++i) before[i] = waited(i) - before[i];
    for (int i = 0; i < count; ++i)
        for (int j = 0; j <= i; ++j) starpu_data_unregister(AT(i, j));
    if (check)
        printf("%.1e\n", error_of(tiles, n, count));
    else {
        printf("%.3f", seconds);
        for (int i = 0; i < workers && i < MOST; ++i) printf(" %.3f", before[i]);
        printf("\n");
    }
    starpu_shutdown();
    for (int i = 0; i < count * count; ++i) free(tiles[i]);
    free(tiles);
    free(at);
    return 0;
}

/* Ranks with threads for tests/testbed/hybrid: `layers KIND ROWS COLUMNS TURNS WORK`. The rows of a grid are shared by ranks, those of a rank
 * by its threads. In each turn:
 *   stencil   all points are averaged WORK times with those above and below; a row is exchanged with both neighbors
 *   cg        conjugate gradients for the grid's equations, whose matrix takes WORK times the operations; two sums over all ranks
 *   zones     rows take unequal work, from nothing to 2 WORK; threads take rows as they come (schedule dynamic), ranks a block each
 *   serial    a quarter of a rank's work is done by one of its threads, and a sum over all ranks follows
 * Prints a number that is the same for all splits into ranks and threads, and `time SECONDS` of the turns, of the slowest rank. */
#include <mpi.h>
#include <omp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct layers {
    int rank, np, rows, columns, turns, work;
    int first, count; /* the rows of this rank */
    double *at, *next;
} layers;

static double *layers_memory(const layers *x)
{
    double *memory = calloc(((size_t)x->count + 2) * (size_t)x->columns, sizeof *memory);
    if (!memory) {
        fprintf(stderr, "layers: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* A row; those of the neighbors are -1 and count. */
static double *layers_row(const layers *x, double *of, int row)
{
    return of + ((size_t)row + 1) * (size_t)x->columns;
}

static void layers_exchange(const layers *x, double *of)
{
    const int up = x->rank > 0 ? x->rank - 1 : MPI_PROC_NULL, down = x->rank + 1 < x->np ? x->rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(layers_row(x, of, 0), x->columns, MPI_DOUBLE, up, 0, layers_row(x, of, x->count), x->columns,
                 MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(layers_row(x, of, x->count - 1), x->columns, MPI_DOUBLE, down, 1, layers_row(x, of, -1), x->columns,
                 MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double layers_sum(double part)
{
    double all;
    MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* The row's points, each computed so many times from itself and the two beside it in other rows. */
static void layers_work(const layers *x, int row, int work)
{
    const double *above = layers_row(x, x->at, row - 1), *here = layers_row(x, x->at, row),
                 *below = layers_row(x, x->at, row + 1);
    double *to = layers_row(x, x->next, row);
    for (int j = 0; j < x->columns; ++j) {
        double value = here[j];
        for (int k = 0; k < work; ++k) value = 0.5 * value + 0.25 * (above[j] + below[j]) - 1e-3 * value * value;
        to[j] = value;
    }
}

static void layers_swap(layers *x)
{
    double *was = x->at;
    x->at = x->next;
    x->next = was;
}

static void layers_stencil(layers *x)
{
    layers_exchange(x, x->at);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < x->count; ++i) layers_work(x, i, x->work);
    layers_swap(x);
}

static void layers_zones(layers *x)
{
    layers_exchange(x, x->at);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < x->count; ++i) layers_work(x, i, (int)(2.0 * x->work * (x->first + i) / x->rows));
    layers_swap(x);
}

static void layers_serial(layers *x)
{
    const int alone = x->count / 4;
    double sum = 0;
    layers_exchange(x, x->at);
    for (int i = 0; i < alone; ++i) layers_work(x, i, x->work);
#pragma omp parallel for schedule(static)
    for (int i = alone; i < x->count; ++i) layers_work(x, i, x->work);
    layers_swap(x);
    for (int j = 0; j < x->columns; ++j) sum += layers_row(x, x->at, 0)[j];
    layers_sum(sum);
}

/* One step of conjugate gradients; what it keeps from step to step is static. */
static void layers_cg(layers *x)
{
    static double *direction, *product, *rest, rho;
    double sum = 0, part = 0;
    const size_t n = (size_t)x->count * (size_t)x->columns;
    if (!direction) {
        direction = layers_memory(x), product = layers_memory(x), rest = layers_memory(x);
        memcpy(rest, x->at, (n + 2 * (size_t)x->columns) * sizeof *rest);
        memcpy(direction, rest, (n + 2 * (size_t)x->columns) * sizeof *rest);
        memset(x->at, 0, (n + 2 * (size_t)x->columns) * sizeof *rest);
        for (size_t i = 0; i < n; ++i) part += rest[(size_t)x->columns + i] * rest[(size_t)x->columns + i];
        rho = layers_sum(part);
    }
    layers_exchange(x, direction);
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < x->count; ++i) {
        const double *above = layers_row(x, direction, i - 1), *here = layers_row(x, direction, i),
                     *below = layers_row(x, direction, i + 1);
        double *to = layers_row(x, product, i);
        for (int j = 0; j < x->columns; ++j) {
            double value = 0;
            for (int k = 0; k < x->work; ++k) value = 0.25 * value + 3 * here[j] - above[j] - below[j];
            to[j] = value;
            sum += value * here[j];
        }
    }
    const double alpha = rho / layers_sum(sum);
    sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < x->count; ++i)
        for (int j = 0; j < x->columns; ++j) {
            *(layers_row(x, x->at, i) + j) += alpha * *(layers_row(x, direction, i) + j);
            double *left = layers_row(x, rest, i) + j;
            *left -= alpha * *(layers_row(x, product, i) + j);
            sum += *left * *left;
        }
    const double before = rho;
    rho = layers_sum(sum);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < x->count; ++i)
        for (int j = 0; j < x->columns; ++j) {
            double *d = layers_row(x, direction, i) + j;
            *d = *(layers_row(x, rest, i) + j) + rho / before * *d;
        }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*turn)(layers *x);
    } kinds[] = {
        { "stencil", layers_stencil }, { "cg", layers_cg }, { "zones", layers_zones }, { "serial", layers_serial }
    };
    layers x;
    int provided, kind = 0;
    double sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &x.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &x.np);
    for (; argc == 6 && kind < 4 && strcmp(argv[1], kinds[kind].name) != 0;) ++kind;
    if (argc != 6 || kind == 4) {
        if (x.rank == 0) fprintf(stderr, "usage: layers stencil|cg|zones|serial ROWS COLUMNS TURNS WORK\n");
        MPI_Finalize();
        return 2;
    }
    x.rows = atoi(argv[2]), x.columns = atoi(argv[3]), x.turns = atoi(argv[4]), x.work = atoi(argv[5]);
    x.first = (int)((long)x.rows * x.rank / x.np);
    x.count = (int)((long)x.rows * (x.rank + 1) / x.np) - x.first;
    x.at = layers_memory(&x), x.next = layers_memory(&x);
    for (int i = 0; i < x.count; ++i)
        for (int j = 0; j < x.columns; ++j) layers_row(&x, x.at, i)[j] = 1 + (x.first + i + j) % 7;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    for (int i = 0; i < x.turns; ++i) kinds[kind].turn(&x);
    double took = MPI_Wtime() - began, slowest;
    for (int i = 0; i < x.count; ++i)
        for (int j = 0; j < x.columns; ++j) sum += layers_row(&x, x.at, i)[j];
    sum = layers_sum(sum);
    MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (x.rank == 0)
        printf("sum %.9g by %d threads of %d ranks\ntime %.6f\n", sum, omp_get_max_threads(), x.np, slowest);
    MPI_Finalize();
    return 0;
}

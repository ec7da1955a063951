/* Multigrid for the Poisson equation on a rectangle: V-cycles with red-black Gauss-Seidel, full weighting and bilinear
 * interpolation. Each rank has a strip of rows of the grid, and the rows of coarser grids that lie on them. Its outer
 * rows travel to the neighbours while it computes the inner ones. Where a rank would have less than two rows, the grid
 * is gathered on rank 0, which computes the rest of the cycle alone; so results do not depend on the number of ranks. */
#include <mpi.h>

#include "arguments.h"

#include <stdint.h>

enum { MULTIGRID_LEVELS = 32, MULTIGRID_BEFORE = 2, MULTIGRID_AFTER = 1, MULTIGRID_COARSEST = 32 }; /* sweeps */

typedef struct multigrid_level {
    int rows, columns; /* of the whole grid, from 1; row 0, column 0 and the last ones are the boundary */
    int first, count;  /* rows of this rank */
    int active;        /* number of them that are not boundary */
    int above, below;  /* the ranks of the neighbours */
    double spacing;
    double *u, *f, *r; /* solution, right-hand side and residual; one more row at each side, and column 0 */
} multigrid_level;

typedef struct multigrid {
    int rank, np, rows, columns, cycles, levels;
    int shared;  /* number of levels of which all ranks have rows */
    int gathers; /* whether the last of them is gathered */
    size_t bytes;
    multigrid_level level[MULTIGRID_LEVELS], alone[MULTIGRID_LEVELS]; /* alone: on rank 0, from the gathered one on */
} multigrid;

/*=============================================================================
 * MARK: - >>kernels
 *
 * Each does one row, with the rows beside it in place.
 *===========================================================================*/
static size_t multigrid_width(const multigrid_level *l)
{
    return (size_t)l->columns + 1;
}

typedef void multigrid_kernel(multigrid_level *l, int row, int colour);

static void multigrid_smooth(multigrid_level *l, int row, int colour)
{
    const size_t width = multigrid_width(l);
    const double square = l->spacing * l->spacing, *f = l->f + (size_t)row * width;
    double *u = l->u + (size_t)row * width;
    const double *up = u - width, *down = u + width;
    for (int j = 1 + ((l->first + row + colour) & 1); j < l->columns; j += 2)
        u[j] = 0.25 * (square * f[j] + up[j] + down[j] + u[j - 1] + u[j + 1]);
}

static void multigrid_residual(multigrid_level *l, int row, int colour)
{
    const size_t width = multigrid_width(l);
    const double factor = 1 / (l->spacing * l->spacing), *f = l->f + (size_t)row * width;
    const double *u = l->u + (size_t)row * width, *up = u - width, *down = u + width;
    double *r = l->r + (size_t)row * width;
    (void)colour;
    for (int j = 1; j < l->columns; ++j) r[j] = f[j] + factor * (up[j] + down[j] + u[j - 1] + u[j + 1] - 4 * u[j]);
}

/* Restricts a fine row to the coarse one that lies on it, if any. */
static void multigrid_restrict(multigrid_level *l, int row, int colour)
{
    const size_t width = multigrid_width(l);
    const int global = l->first - 1 + row;
    const double *r = l->r + (size_t)row * width, *up = r - width, *down = r + width;
    multigrid_level *coarse = l + 1;
    double *f = coarse->f + (size_t)(global / 2 - coarse->first + 1) * multigrid_width(coarse);
    (void)colour;
    if (global % 2) return;
    for (int j = 1; j < coarse->columns; ++j) {
        const int k = 2 * j;
        f[j] = (4 * r[k] + 2 * (r[k - 1] + r[k + 1] + up[k] + down[k]) + up[k - 1] + up[k + 1] + down[k - 1] +
                down[k + 1]) /
               16;
    }
}

/* Adds the interpolated correction of the coarse rows to a fine row. */
static void multigrid_correct(multigrid_level *l, int row, int colour)
{
    const int global = l->first - 1 + row;
    const multigrid_level *coarse = l + 1;
    const size_t width = multigrid_width(coarse);
    const double *a = coarse->u + (size_t)(global / 2 - coarse->first + 1) * width, *b = global % 2 ? a + width : a;
    double *u = l->u + (size_t)row * multigrid_width(l);
    (void)colour;
    for (int j = 0; j < coarse->columns; ++j) {
        u[2 * j] += 0.5 * (a[j] + b[j]);
        u[2 * j + 1] += 0.25 * (a[j] + b[j] + a[j + 1] + b[j + 1]);
    }
}

static double multigrid_squares(const multigrid_level *l)
{
    double sum = 0;
    for (int row = 1; row <= l->active; ++row) {
        const double *r = l->r + (size_t)row * multigrid_width(l);
        double part = 0;
        for (int j = 1; j < l->columns; ++j) part += r[j] * r[j];
        sum += part;
    }
    return sum;
}

/*=============================================================================
 * MARK: - >>cycle
 *===========================================================================*/
/* Runs a kernel over all rows of a level. Meanwhile the outer rows of values, of this level or the next coarser one,
 * travel to the neighbours. */
static void multigrid_sweep(const multigrid_level *sends, double *values, multigrid_level *l, multigrid_kernel *kernel,
                            int colour)
{
    const size_t width = multigrid_width(sends), last = (size_t)sends->count * width;
    const int numbers = (int)width;
    MPI_Request requests[4];
    MPI_Irecv(values, numbers, MPI_DOUBLE, sends->above, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(values + last + width, numbers, MPI_DOUBLE, sends->below, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(values + width, numbers, MPI_DOUBLE, sends->above, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(values + last, numbers, MPI_DOUBLE, sends->below, 1, MPI_COMM_WORLD, &requests[3]);
    for (int row = 2; row < l->active; ++row) kernel(l, row, colour);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (l->active > 0) kernel(l, 1, colour);
    if (l->active > 1) kernel(l, l->active, colour);
}

static void multigrid_relax(multigrid_level *l, int sweeps)
{
    for (int i = 0; i < 2 * sweeps; ++i) multigrid_sweep(l, l->u, l, multigrid_smooth, i & 1);
}

/* A cycle from this level on, with this number of coarser levels. */
static void multigrid_descend(multigrid *m, multigrid_level *l, int coarser);

/* The same on rank 0, with the rows of all ranks. */
static void multigrid_gather(multigrid *m, multigrid_level *l, int coarser)
{
    const int width = (int)multigrid_width(l);
    int *counts = (int *)calloc(2 * (size_t)m->np, sizeof *counts), *starts = counts + m->np, mine = l->count * width;
    multigrid_level *all = m->alone;
    if (!counts) {
        fprintf(stderr, "multigrid: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 1; i < m->np; ++i) starts[i] = starts[i - 1] + counts[i - 1];
    MPI_Gatherv(l->f + width, mine, MPI_DOUBLE, m->rank == 0 ? all->f + width : NULL, counts, starts, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    if (m->rank == 0) {
        memset(all->u, 0, (size_t)(all->count + 2) * (size_t)width * sizeof *all->u);
        multigrid_descend(m, all, coarser);
    }
    MPI_Scatterv(m->rank == 0 ? all->u + width : NULL, counts, starts, MPI_DOUBLE, l->u + width, mine, MPI_DOUBLE, 0,
                 MPI_COMM_WORLD);
    free(counts);
}

static void multigrid_descend(multigrid *m, multigrid_level *l, int coarser)
{
    if (m->gathers && l == &m->level[m->shared - 1]) {
        multigrid_gather(m, l, coarser);
        return;
    }
    if (coarser == 0) {
        multigrid_relax(l, MULTIGRID_COARSEST);
        return;
    }
    multigrid_relax(l, MULTIGRID_BEFORE);
    multigrid_sweep(l, l->u, l, multigrid_residual, 0);
    multigrid_sweep(l, l->r, l, multigrid_restrict, 0);
    memset(l[1].u, 0, (size_t)(l[1].count + 2) * multigrid_width(&l[1]) * sizeof *l[1].u);
    multigrid_descend(m, l + 1, coarser - 1);
    multigrid_sweep(l + 1, l[1].u, l, multigrid_correct, 0);
    multigrid_relax(l, MULTIGRID_AFTER);
}

/* The root mean square over the grid. */
static double multigrid_norm(multigrid *m)
{
    multigrid_level *l = &m->level[0];
    double sum;
    multigrid_sweep(l, l->u, l, multigrid_residual, 0);
    double mine = multigrid_squares(l);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(sum / ((double)l->rows * l->columns));
}

/*=============================================================================
 * MARK: - >>problem
 *===========================================================================*/
static const double multigrid_pi = 3.14159265358979323846;

static double multigrid_wave(const multigrid_level *l, int row, int column)
{
    return sin(multigrid_pi * (l->first - 1 + row) / l->rows) * sin(multigrid_pi * column / l->columns);
}

static double multigrid_random(int row, int column) /* from -1 to 1 */
{
    uint64_t x = (uint64_t)row << 32 | (uint64_t)column;
    for (int k = 0; k < 2; ++k) {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        x ^= x >> 31;
    }
    return (double)(x >> 11) / (double)((uint64_t)1 << 52) - 1;
}

/* The smallest eigenvalues of the operator and of its discrete form belong to the same wave. */
static double multigrid_eigenvalue(const multigrid_level *l)
{
    const double width = l->spacing * l->columns, height = l->spacing * l->rows;
    return multigrid_pi * multigrid_pi * (1 / (width * width) + 1 / (height * height));
}

static double multigrid_discrete(const multigrid_level *l)
{
    const double a = sin(multigrid_pi / 2 / l->columns), b = sin(multigrid_pi / 2 / l->rows);
    return 4 * (a * a + b * b) / (l->spacing * l->spacing);
}

/* A wave as the right-hand side, and noise as the initial guess. */
static void multigrid_pose(multigrid_level *l)
{
    const double factor = multigrid_eigenvalue(l);
    for (int row = 1; row <= l->active; ++row)
        for (int j = 1; j < l->columns; ++j) {
            const size_t at = (size_t)row * multigrid_width(l) + (size_t)j;
            l->f[at] = factor * multigrid_wave(l, row, j);
            l->u[at] = multigrid_random(l->first - 1 + row, j);
        }
}

/* Compares with the solution of the discrete equations: whether the error is within the bound from the residual. */
static int multigrid_check(multigrid *m, double residual, double begin)
{
    multigrid_level *l = &m->level[0];
    const double factor = multigrid_eigenvalue(l) / multigrid_discrete(l),
                 bound = 1.001 * residual / multigrid_discrete(l) + 1e-12;
    double mine = 0, sum = 0;

    for (int row = 1; row <= l->active; ++row)
        for (int j = 1; j < l->columns; ++j) {
            const double off = l->u[(size_t)row * multigrid_width(l) + (size_t)j] - factor * multigrid_wave(l, row, j);
            mine += off * off;
        }
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double error = sqrt(sum / ((double)l->rows * l->columns));
    if (m->rank == 0) printf("error %.3e, limit %.3e\n", error, bound);
    return error <= bound && residual < begin;
}

/*=============================================================================
 * MARK: - >>main
 *===========================================================================*/
static double *multigrid_memory(multigrid *m, const multigrid_level *l)
{
    const size_t numbers = (size_t)(l->count + 2) * multigrid_width(l);
    double *memory = (double *)calloc(numbers, sizeof *memory);
    if (!memory) {
        fprintf(stderr, "multigrid: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    m->bytes += numbers * sizeof *memory;
    return memory;
}

/* The rows of a rank on a level: those of the finest grid whose number can be halved often enough. */
static int multigrid_last(const multigrid *m, int level, int rank)
{
    return (int)((long long)m->rows * (rank + 1) / m->np) >> level;
}

static void multigrid_level_open(multigrid *m, multigrid_level *l, int level, int rank, int np)
{
    const int before = np > 1 ? multigrid_last(m, level, rank - 1) : 0;
    const int last = np > 1 ? multigrid_last(m, level, rank) : m->rows >> level;
    l->rows = m->rows >> level;
    l->columns = m->columns >> level;
    l->first = before + 1;
    l->count = last - before;
    l->active = last == l->rows ? l->count - 1 : l->count;
    l->above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    l->below = rank < np - 1 ? rank + 1 : MPI_PROC_NULL;
    l->spacing = (double)(1 << level) / m->columns;
    l->u = multigrid_memory(m, l);
    l->f = multigrid_memory(m, l);
    l->r = multigrid_memory(m, l);
}

static void multigrid_open(multigrid *m)
{
    for (int level = 0; level < m->levels && !m->gathers; ++level) {
        for (int rank = 0; rank < m->np && m->np > 1; ++rank)
            if (multigrid_last(m, level, rank) - multigrid_last(m, level, rank - 1) < 2) m->gathers = 1;
        multigrid_level_open(m, &m->level[m->shared++], level, m->rank, m->np);
    }
    for (int level = m->shared - 1; level < m->levels && m->gathers && m->rank == 0; ++level)
        multigrid_level_open(m, &m->alone[level - m->shared + 1], level, 0, 1);
}

static void multigrid_close(multigrid *m)
{
    for (int i = 0; i < 2 * MULTIGRID_LEVELS; ++i) {
        multigrid_level *l = i < MULTIGRID_LEVELS ? &m->level[i] : &m->alone[i - MULTIGRID_LEVELS];
        free(l->u);
        free(l->f);
        free(l->r);
    }
}

/* Returns the exit status. */
static int multigrid_run(multigrid *m)
{
    double residual, most;
    multigrid_open(m);
    multigrid_pose(&m->level[0]);
    if (m->rank == 0) printf("grid %d x %d, %d levels\n", m->rows, m->columns, m->levels);
    double begin = residual = multigrid_norm(m);
    if (m->rank == 0) printf("cycle 0 residual %.6e\n", residual);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    for (int i = 1; i <= m->cycles; ++i) {
        multigrid_descend(m, &m->level[0], m->levels - 1);
        residual = multigrid_norm(m);
        if (m->rank == 0) printf("cycle %d residual %.6e\n", i, residual);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - seconds;
    int good = multigrid_check(m, residual, begin);
    double mine = (double)m->bytes;
    MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (m->rank == 0) {
        if (!good) fprintf(stderr, "multigrid: the check failed\n");
        printf("memory per rank %.3f MB\n", most / 1e6);
        printf("time %.6f s\n", seconds);
    }
    multigrid_close(m);
    return good ? 0 : 1;
}

static const char multigrid_usage[] =
    "usage: multigrid [OPTION VALUE]...\n"
    "Multigrid for the Poisson equation; each rank has a strip of rows of the grid.\n"
    "  --rows N      of the grid, including one boundary, at least two per rank; default: 1024\n"
    "  --columns N   of the grid; default: 1024\n"
    "  --cycles N    V-cycles; default: 10\n"
    "  --levels N    number of grids, each with half the rows and columns; default: as many as possible\n"
    "  --help        prints this\n";

static argument_answer multigrid_read(int argc, char **argv, multigrid *m, char why[200])
{
    const argument list[] = { { .name = "--rows", .number = &m->rows, .least = 2, .most = 1 << 24 },
                              { .name = "--columns", .number = &m->columns, .least = 2, .most = 1 << 24 },
                              { .name = "--cycles", .number = &m->cycles, .least = 1, .most = 1000000 },
                              { .name = "--levels", .number = &m->levels, .least = 1, .most = MULTIGRID_LEVELS } };
    const argument_answer answer = arguments_read(argc, argv, 1, list, sizeof list / sizeof *list, why);
    int most = 1;

    if (answer != ARGUMENTS_GOOD) return answer;
    while ((m->rows | m->columns) % (1 << most) == 0 && m->rows >> most > 1 && m->columns >> most > 1) ++most;
    if (m->levels == 0) m->levels = most;
    if (m->levels > most)
        snprintf(why, 200, "--levels %d: expected at most %d, as %d x %d cannot be halved more often", m->levels, most,
                 m->rows, m->columns);
    else if (m->np > 1 && m->rows / 2 < m->np)
        snprintf(why, 200, "--rows %d: expected at least two for each of %d ranks", m->rows, m->np);
    else
        return answer;
    return ARGUMENTS_WRONG;
}

int main(int argc, char **argv)
{
    multigrid m = { .rows = 1024, .columns = 1024, .cycles = 10 };
    char why[200];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.np);
    argument_answer answer = multigrid_read(argc, argv, &m, why);
    if (m.rank == 0 && answer == ARGUMENTS_HELP) fputs(multigrid_usage, stdout);
    if (m.rank == 0 && answer == ARGUMENTS_WRONG) fprintf(stderr, "multigrid: %s\n", why);
    int status = answer == ARGUMENTS_GOOD ? multigrid_run(&m) : answer == ARGUMENTS_HELP ? 0 : 2;
    MPI_Finalize();
    return status;
}

/* Dense matrices in a block-cyclic distribution over a grid of processes: product (SUMMA), Cholesky factorization, and
 * LU factorization with partial pivoting, both right-looking. Local matrices are stored by columns and passed to BLAS.
 * Results are checked with a vector; sums are in the order of ranks, so that digits do not depend on the order of
 * messages. */
#include <mpi.h>

#include "arguments.h"

#include <float.h>
#include <limits.h>
#include <stdint.h>

typedef struct matrix_grid {
    int rank, np, rows, columns, row, column; /* row and column: position of this process */
    MPI_Comm along_row, along_column;         /* ranked by column, and by row */
    int n, block;
    int m, k, ld; /* of the local matrix: rows, columns, leading dimension */
} matrix_grid;

static void *matrix_memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "matrix: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static double *matrix_doubles(int rows, int columns)
{
    return (double *)matrix_memory((size_t)rows * (size_t)columns, sizeof(double));
}

/*=============================================================================
 * MARK: - >>kernels
 *===========================================================================*/
/* Fortran: all arguments by reference, the lengths of strings at the end. */
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, double *, const int *, size_t, size_t);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *, size_t, size_t, size_t, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);

/* C = C + sign A B, or with B transposed. */
static void matrix_update(int m, int n, int k, double sign, const double *a, int lda, const char *transposed,
                          const double *b, int ldb, double *c, int ldc)
{
    const double one = 1;
    if (m > 0 && n > 0) dgemm_("N", transposed, &m, &n, &k, &sign, a, &lda, b, &ldb, &one, c, &ldc, 1, 1);
}

/* C = C - A A', the lower triangle. */
static void matrix_update_diagonal(int n, int k, const double *a, int lda, double *c, int ldc)
{
    const double one = 1, minus = -1;
    dsyrk_("L", "N", &n, &k, &minus, a, &lda, &one, c, &ldc, 1, 1);
}

/* A = A inverse of L transposed, for the rows below a diagonal block. */
static void matrix_solve_below(int m, int n, const double *l, int ldl, double *a, int lda)
{
    const double one = 1;
    if (m > 0) dtrsm_("R", "L", "T", "N", &m, &n, &one, l, &ldl, a, &lda, 1, 1, 1, 1);
}

/* A = inverse of L with a unit diagonal A, for the columns right of a diagonal block. */
static void matrix_solve_right(int m, int n, const double *l, int ldl, double *a, int lda)
{
    const double one = 1;
    if (n > 0) dtrsm_("L", "L", "N", "U", &m, &n, &one, l, &ldl, a, &lda, 1, 1, 1, 1);
}

static int matrix_factor_diagonal(int n, double *a, int lda)
{
    int info = 0;
    dpotrf_("L", &n, a, &lda, &info, 1);
    return info == 0;
}

/* The row of the largest element of a column; -1 without rows. */
static int matrix_largest(int m, const double *a)
{
    int best = m > 0 ? 0 : -1;
    for (int i = 1; i < m; ++i)
        if (fabs(a[i]) > fabs(a[best])) best = i;
    return best;
}

/* Replaces column 0 by the multipliers, and eliminates in the other columns. */
static void matrix_eliminate(int m, int columns, const double *pivot, double *a, int lda)
{
    for (int i = 0; i < m; ++i) a[i] /= pivot[0];
    for (int j = 1; j < columns; ++j) {
        double *column = a + (size_t)j * (size_t)lda;
        for (int i = 0; i < m; ++i) column[i] -= a[i] * pivot[j];
    }
}

/*=============================================================================
 * MARK: - >>distribution
 *===========================================================================*/
/* Number of the first n rows that lie in this row of processes, which is also the number of the first local row from
 * row n on. */
static int matrix_count(int n, int block, int mine, int all)
{
    const int blocks = n / block, turn = blocks % all;
    return blocks / all * block + (mine < turn ? block : mine == turn ? n % block : 0);
}

static int matrix_row(const matrix_grid *g, int n)
{
    return matrix_count(n, g->block, g->row, g->rows);
}

static int matrix_column(const matrix_grid *g, int n)
{
    return matrix_count(n, g->block, g->column, g->columns);
}

static int matrix_global(int local, int block, int mine, int all)
{
    return (local / block * all + mine) * block + local % block;
}

static int matrix_block(const matrix_grid *g, int n) /* the length of the block that begins at n */
{
    return g->n - n < g->block ? g->n - n : g->block;
}

static double *matrix_at(const matrix_grid *g, double *a, int row, int column) /* a local row and column */
{
    return a + row + (size_t)column * (size_t)g->ld;
}

static void matrix_copy(int m, int n, const double *from, int ldf, double *to, int ldt)
{
    for (int j = 0; j < n; ++j)
        memcpy(to + (size_t)j * (size_t)ldt, from + (size_t)j * (size_t)ldf, (size_t)m * sizeof *to);
}

static double matrix_random(uint64_t seed, int i, int j) /* from -1/2 to 1/2 */
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + ((uint64_t)i << 32 | (uint64_t)j);
    for (int k = 0; k < 2; ++k) {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        x ^= x >> 31;
    }
    return (double)(x >> 11) / (double)((uint64_t)1 << 53) - 0.5;
}

/* A symmetric one is positive definite. */
static double *matrix_make(const matrix_grid *g, uint64_t seed, int symmetric)
{
    double *a = matrix_doubles(g->ld, g->k);
    for (int l = 0; l < g->k; ++l) {
        const int j = matrix_global(l, g->block, g->column, g->columns);
        for (int r = 0; r < g->m; ++r) {
            const int i = matrix_global(r, g->block, g->row, g->rows);
            *matrix_at(g, a, r, l) = symmetric && i < j ? matrix_random(seed, j, i) : matrix_random(seed, i, j);
            if (symmetric && i == j) *matrix_at(g, a, r, l) += g->n;
        }
    }
    return a;
}

/*=============================================================================
 * MARK: - >>algorithms
 *===========================================================================*/
/* C = C + A B: panels of columns of A are broadcast along the rows, panels of rows of B along the columns. */
static void matrix_multiply(const matrix_grid *g, double *a, double *b, double *c)
{
    double *left = matrix_doubles(g->ld, g->block), *right = matrix_doubles(g->block, g->k);
    for (int at = 0, step = 0; at < g->n; at += g->block, step++) {
        const int wide = matrix_block(g, at), row = step % g->rows, column = step % g->columns;
        double *panel = g->column == column ? matrix_at(g, a, 0, matrix_column(g, at)) : left;
        MPI_Bcast(panel, g->ld * wide, MPI_DOUBLE, column, g->along_row);
        if (g->row == row) matrix_copy(wide, g->k, matrix_at(g, b, matrix_row(g, at), 0), g->ld, right, wide);
        MPI_Bcast(right, wide * g->k, MPI_DOUBLE, row, g->along_column);
        matrix_update(g->m, g->k, wide, 1, panel, g->ld, "N", right, wide, c, g->ld);
    }
    free(left);
    free(right);
}

/* Collects the rows of the panel whose numbers are those of the columns of this process: in each column of processes,
 * each process broadcasts those that it has. */
static void matrix_transpose(const matrix_grid *g, int next, int wide, const double *panel, int m, double *right, int k,
                             double *piece)
{
    for (int row = 0; row < g->rows; ++row)
        for (int pass = 0; pass < 2; ++pass) { /* collect, then store */
            int used = 0;
            for (int j = next; j < g->n; j += g->block) {
                const int high = matrix_block(g, j);
                if (j / g->block % g->rows != row || j / g->block % g->columns != g->column) continue;
                if (pass == 0 && row == g->row)
                    matrix_copy(high, wide, panel + matrix_row(g, j) - matrix_row(g, next), m, piece + used, high);
                if (pass == 1)
                    matrix_copy(high, wide, piece + used, high, right + matrix_column(g, j) - matrix_column(g, next),
                                k);
                used += high * wide;
            }
            if (pass == 0 && used > 0) MPI_Bcast(piece, used, MPI_DOUBLE, row, g->along_column);
        }
}

/* Replaces the lower triangle by L. */
static int matrix_cholesky(const matrix_grid *g, double *a)
{
    double *diagonal = matrix_doubles(g->block, g->block), *panel = matrix_doubles(g->ld, g->block);
    double *right = matrix_doubles(g->k, g->block), *piece = matrix_doubles(g->k, g->block);
    int good = 1;
    for (int at = 0, step = 0; at < g->n; at += g->block, step++) {
        const int wide = matrix_block(g, at), next = at + wide, row = step % g->rows, column = step % g->columns;
        const int below = matrix_row(g, next), m = g->m - below, k = g->k - matrix_column(g, next);
        if (g->column == column) {
            double *own = matrix_at(g, a, 0, matrix_column(g, at));
            if (g->row == row) {
                good = matrix_factor_diagonal(wide, own + matrix_row(g, at), g->ld) && good;
                matrix_copy(wide, wide, own + matrix_row(g, at), g->ld, diagonal, wide);
            }
            MPI_Bcast(diagonal, wide * wide, MPI_DOUBLE, row, g->along_column);
            matrix_solve_below(m, wide, diagonal, wide, own + below, g->ld);
            matrix_copy(m, wide, own + below, g->ld, panel, m);
        }
        MPI_Bcast(panel, m * wide, MPI_DOUBLE, column, g->along_row);
        matrix_transpose(g, next, wide, panel, m, right, k, piece);
        for (int j = next; j < g->n; j += g->block) {
            const int high = matrix_block(g, j), l = matrix_column(g, j);
            const double *other = right + l - matrix_column(g, next);
            int r = matrix_row(g, j);
            if (j / g->block % g->columns != g->column) continue;
            if (j / g->block % g->rows == g->row) {
                matrix_update_diagonal(high, wide, other, k, matrix_at(g, a, r, l), g->ld);
                r += high;
            }
            matrix_update(g->m - r, high, wide, -1, panel + r - below, m, "T", other, k, matrix_at(g, a, r, l), g->ld);
        }
    }
    free(diagonal);
    free(panel);
    free(right);
    free(piece);
    return good;
}

/* Exchanges two rows from one local column to another, but not from skip to resume. */
static void matrix_swap(const matrix_grid *g, double *a, int one, int two, int from, int to, int skip, int resume,
                        double *buffer)
{
    const int first = one / g->block % g->rows, second = two / g->block % g->rows;
    int used = 0;
    if (one == two || (g->row != first && g->row != second)) return;
    if (first == second) {
        for (int l = from; l < to; ++l) {
            double *x = matrix_at(g, a, matrix_row(g, one), l), *y = matrix_at(g, a, matrix_row(g, two), l), z = *x;
            if (l >= skip && l < resume) continue;
            *x = *y;
            *y = z;
        }
        return;
    }
    for (int l = from; l < to; ++l)
        if (l < skip || l >= resume) buffer[used++] = *matrix_at(g, a, matrix_row(g, g->row == first ? one : two), l);
    if (used > 0)
        MPI_Sendrecv_replace(buffer, used, MPI_DOUBLE, g->row == first ? second : first, 1,
                             g->row == first ? second : first, 1, g->along_column, MPI_STATUS_IGNORE);
    used = 0;
    for (int l = from; l < to; ++l)
        if (l < skip || l >= resume) *matrix_at(g, a, matrix_row(g, g->row == first ? one : two), l) = buffer[used++];
}

/* In one column of processes: finds the pivots, exchanges rows of the panel, and eliminates below. */
static int matrix_factor_panel(const matrix_grid *g, double *a, int at, int wide, int *pivots, double *buffer)
{
    const int first = matrix_column(g, at);
    int good = 1;
    for (int j = at; j < at + wide; ++j) {
        const int l = first + j - at, from = matrix_row(g, j), below = matrix_row(g, j + 1),
                  owner = j / g->block % g->rows;
        const int mine = matrix_largest(g->m - from, matrix_at(g, a, from, l));
        struct {
            double size;
            int row;
        } best = { -1, INT_MAX }, all;
        if (mine >= 0) {
            best.size = fabs(*matrix_at(g, a, from + mine, l));
            best.row = matrix_global(from + mine, g->block, g->row, g->rows);
        }
        MPI_Allreduce(&best, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, g->along_column);
        pivots[j] = all.row;
        good = good && all.size > 0;
        matrix_swap(g, a, j, all.row, first, first + wide, 0, 0, buffer);
        for (int i = l; i < first + wide && g->row == owner; ++i) buffer[i - l] = *matrix_at(g, a, from, i);
        MPI_Bcast(buffer, at + wide - j, MPI_DOUBLE, owner, g->along_column);
        if (all.size > 0) matrix_eliminate(g->m - below, at + wide - j, buffer, matrix_at(g, a, below, l), g->ld);
    }
    return good;
}

/* Replaces the matrix by L, without its unit diagonal, and U; row j was exchanged with row pivots[j], in this order. */
static int matrix_lu(const matrix_grid *g, double *a, int *pivots)
{
    double *panel = matrix_doubles(g->ld, g->block), *right = matrix_doubles(g->block, g->k);
    double *buffer = matrix_doubles(1, g->k + g->block);
    int good = 1;
    for (int at = 0, step = 0; at < g->n; at += g->block, step++) {
        const int wide = matrix_block(g, at), next = at + wide, row = step % g->rows, column = step % g->columns;
        const int r = matrix_row(g, at), below = matrix_row(g, next), m = g->m - r;
        const int l = matrix_column(g, at), beyond = matrix_column(g, next), k = g->k - beyond;
        if (g->column == column) {
            good = matrix_factor_panel(g, a, at, wide, pivots, buffer) && good;
            matrix_copy(m, wide, matrix_at(g, a, r, l), g->ld, panel, m);
        }
        MPI_Bcast(pivots + at, wide, MPI_INT, column, g->along_row);
        MPI_Bcast(panel, m * wide, MPI_DOUBLE, column, g->along_row);
        for (int j = at; j < next; ++j) matrix_swap(g, a, j, pivots[j], 0, g->k, l, beyond, buffer);
        if (g->row == row) {
            matrix_solve_right(wide, k, panel, m, matrix_at(g, a, r, beyond), g->ld);
            matrix_copy(wide, k, matrix_at(g, a, r, beyond), g->ld, right, wide);
        }
        MPI_Bcast(right, wide * k, MPI_DOUBLE, row, g->along_column);
        matrix_update(g->m - below, k, wide, -1, panel + below - r, m, "N", right, wide, matrix_at(g, a, below, beyond),
                      g->ld);
    }
    free(panel);
    free(right);
    free(buffer);
    return good;
}

/*=============================================================================
 * MARK: - >>checks
 *===========================================================================*/
typedef enum matrix_part { WHOLE, LOWER, LOWER_UNIT, LOWER_TRANSPOSED, UPPER, DIAGONAL_LOG } matrix_part;

/* y = A x or a part of it, on all ranks; or logarithms of the diagonal. */
static void matrix_apply(const matrix_grid *g, double *a, matrix_part part, const double *x, double *y)
{
    double *mine = matrix_doubles(1, g->n), *all = matrix_doubles(g->rank == 0 ? g->np : 0, g->n);
    for (int l = 0; l < g->k; ++l) {
        const int j = matrix_global(l, g->block, g->column, g->columns);
        for (int r = 0; r < g->m; ++r) {
            const int i = matrix_global(r, g->block, g->row, g->rows);
            const double value = *matrix_at(g, a, r, l);
            if (part == WHOLE || (part == LOWER && i >= j) || (part == LOWER_UNIT && i > j) ||
                (part == UPPER && i <= j))
                mine[i] += value * x[j];
            else if (part == LOWER_TRANSPOSED && i >= j)
                mine[j] += value * x[i];
            else if ((part == LOWER_UNIT || part == DIAGONAL_LOG) && i == j)
                mine[i] += part == LOWER_UNIT ? x[i] : log(fabs(value));
        }
    }
    MPI_Gather(mine, g->n, MPI_DOUBLE, all, g->n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (g->rank == 0) {
        memset(y, 0, (size_t)g->n * sizeof *y);
        for (int p = 0; p < g->np; ++p)
            for (int i = 0; i < g->n; ++i) y[i] += all[(size_t)p * (size_t)g->n + (size_t)i];
    }
    MPI_Bcast(y, g->n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(mine);
    free(all);
}

/* Prints the residual as LINPACK does; returns whether it is small enough. */
static int matrix_compare(const matrix_grid *g, const double *expected, const double *found)
{
    double largest = 0, off = 0;
    for (int i = 0; i < g->n; ++i) {
        const double difference = fabs(expected[i] - found[i]);
        largest = fmax(largest, fabs(expected[i]));
        if (!(difference <= off)) off = difference;
    }
    off /= largest * g->n * DBL_EPSILON;
    if (g->rank == 0) printf("residual %.3e, limit 16\n", off);
    return off <= 16;
}

/* Runs and checks the algorithm; returns the exit status. */
static int matrix_run(const matrix_grid *g, const char *kind, uint64_t seed)
{
    const int multiply = strcmp(kind, "multiply") == 0, cholesky = strcmp(kind, "cholesky") == 0;
    double *a = matrix_make(g, seed, cholesky), *b = multiply ? matrix_make(g, seed + 1, 0) : NULL;
    double *c = multiply ? matrix_doubles(g->ld, g->k) : NULL;
    double *x = matrix_doubles(1, g->n), *y = matrix_doubles(1, g->n), *z = matrix_doubles(1, g->n), sum = 0;
    int *pivots = (int *)matrix_memory((size_t)g->n, sizeof *pivots), done = 1, all;
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    if (multiply)
        matrix_multiply(g, a, b, c);
    else
        done = cholesky ? matrix_cholesky(g, a) : matrix_lu(g, a, pivots);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - seconds;

    for (int i = 0; i < g->n; ++i) x[i] = matrix_random(seed + 2, i, 0);
    matrix_apply(g, multiply ? c : a, multiply ? WHOLE : DIAGONAL_LOG, x, z);
    for (int i = 0; i < g->n; ++i) sum += multiply ? z[i] * z[i] : z[i];
    matrix_apply(g, multiply ? b : a, multiply ? WHOLE : cholesky ? LOWER_TRANSPOSED : UPPER, x, y);
    if (multiply) { /* A (B x) and C x, or A x and L (L' x), or P A x and L (U x) */
        matrix_apply(g, a, WHOLE, y, x);
        memcpy(y, z, (size_t)g->n * sizeof *y);
    } else {
        double *again = matrix_make(g, seed, cholesky);
        matrix_apply(g, a, cholesky ? LOWER : LOWER_UNIT, y, z);
        matrix_apply(g, again, WHOLE, x, y);
        for (int i = 0; i < g->n && !cholesky; ++i) {
            const double moved = y[i];
            y[i] = y[pivots[i]];
            y[pivots[i]] = moved;
        }
        memcpy(x, z, (size_t)g->n * sizeof *x);
        free(again);
    }
    if (g->rank == 0) printf("%s %d, blocks of %d, grid %d x %d\n", kind, g->n, g->block, g->rows, g->columns);
    if (g->rank == 0)
        printf("%s %.9e\n", multiply ? "norm of C x" : "log of determinant",
               multiply ? sqrt(sum) : sum * (1 + cholesky));
    int good = matrix_compare(g, y, x) && done;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (g->rank == 0 && !all) fprintf(stderr, "matrix: the check failed\n");
    if (g->rank == 0) printf("time %.6f s\n", seconds);
    free(a);
    free(b);
    free(c);
    free(x);
    free(y);
    free(z);
    free(pivots);
    return all ? 0 : 1;
}

/*=============================================================================
 * MARK: - >>main
 *===========================================================================*/
static const char matrix_usage[] = "usage: matrix multiply|cholesky|lu [OPTION VALUE]...\n"
                                   "Product or factorization of matrices over a grid of processes.\n"
                                   "  --size N            rows and columns; default: 2000\n"
                                   "  --block N           rows and columns of a block; default: 64\n"
                                   "  --grid ROWSxCOLUMNS of processes; default: as square as possible\n"
                                   "  --seed N            seed of the random matrix; default: 1\n"
                                   "  --help              prints this\n";

static argument_answer matrix_read(int argc, char **argv, matrix_grid *g, int *seed, char why[200])
{
    int grid[2] = { 0, 0 };
    const argument list[] = { { .name = "--size", .number = &g->n, .least = 1, .most = 100000 },
                              { .name = "--block", .number = &g->block, .least = 1, .most = 4096 },
                              { .name = "--grid", .grid = grid, .least = 1, .most = 100000 },
                              { .name = "--seed", .number = seed, .least = 0, .most = INT_MAX } };
    const argument_answer answer = arguments_read(argc, argv, 2, list, sizeof list / sizeof *list, why);
    const char *kind = argc > 1 ? argv[1] : "no argument";

    if (answer == ARGUMENTS_HELP) return answer;
    if (strcmp(kind, "multiply") != 0 && strcmp(kind, "cholesky") != 0 && strcmp(kind, "lu") != 0) {
        snprintf(why, 200, "%.80s: expected multiply, cholesky or lu", kind);
        return ARGUMENTS_WRONG;
    }
    if (answer != ARGUMENTS_GOOD) return answer;
    if (grid[0] == 0) MPI_Dims_create(g->np, 2, grid);
    g->rows = grid[0];
    g->columns = grid[1];
    if ((long long)g->rows * g->columns == g->np) return answer;
    snprintf(why, 200, "--grid %dx%d: expected %d in total, the number of processes", g->rows, g->columns, g->np);
    return ARGUMENTS_WRONG;
}

int main(int argc, char **argv)
{
    matrix_grid g = { .n = 2000, .block = 64 };
    char why[200];
    int seed = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.np);
    argument_answer answer = matrix_read(argc, argv, &g, &seed, why);
    if (g.rank == 0 && answer == ARGUMENTS_HELP) fputs(matrix_usage, stdout);
    if (g.rank == 0 && answer == ARGUMENTS_WRONG) fprintf(stderr, "matrix: %s\n", why);
    int status = answer == ARGUMENTS_WRONG ? 2 : 0;
    if (answer == ARGUMENTS_GOOD) {
        g.row = g.rank / g.columns;
        g.column = g.rank % g.columns;
        MPI_Comm_split(MPI_COMM_WORLD, g.row, g.column, &g.along_row);
        MPI_Comm_split(MPI_COMM_WORLD, g.column, g.row, &g.along_column);
        g.m = matrix_row(&g, g.n);
        g.k = matrix_column(&g, g.n);
        g.ld = g.m > 0 ? g.m : 1;
        status = matrix_run(&g, argv[1], (uint64_t)seed * 3);
        MPI_Comm_free(&g.along_row);
        MPI_Comm_free(&g.along_column);
    }
    MPI_Finalize();
    return status;
}

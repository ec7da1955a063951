/* Programs that are slowed down: SOR, matrix multiplication and multigrid on one node, SOR, Jacobi and multigrid on
 * several. Part of build/contend, see contend.c. Several nodes have a block of rows each, go over it a few times and then
 * exchange the rows at its edges, so that much is computed between two messages, as in the paper's CPU-bound programs. */
#define _POSIX_C_SOURCE 200809L
#include "contend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEVELS = 8 };

/* A block of rows with an edge around it; solves 4 u - (u of the four neighbours) = f. */
typedef struct block {
    size_t rows, columns;
    double *u, *f, *other; /* (rows + 2) x (columns + 2) each */
} block;

static size_t at(const block *b, size_t row, size_t column)
{
    return row * (b->columns + 2) + column;
}

static bool make(block *b, size_t rows, size_t columns)
{
    const size_t all = (rows + 2) * (columns + 2);

    b->rows = rows;
    b->columns = columns;
    b->u = (double *)calloc(3 * all, sizeof *b->u);
    if (!b->u) return fails("no memory for %lu x %lu points", (unsigned long)rows, (unsigned long)columns);
    b->f = b->u + all;
    b->other = b->f + all;
    return true;
}

/* The points of each colour need only those of the other: first all of one, then all of the other. */
static void sor(block *b, double omega)
{
    for (size_t colour = 0; colour < 2; ++colour)
        for (size_t i = 1; i <= b->rows; ++i) {
            double *u = b->u + at(b, i, 0);
            const double *f = b->f + at(b, i, 0), *above = u - (b->columns + 2), *below = u + (b->columns + 2);
            for (size_t j = 1 + (i + colour) % 2; j <= b->columns; j += 2)
                u[j] += omega * (0.25 * (above[j] + below[j] + u[j - 1] + u[j + 1] + f[j]) - u[j]);
        }
}

static void jacobi(block *b)
{
    for (size_t i = 1; i <= b->rows; ++i) {
        const double *u = b->u + at(b, i, 0), *f = b->f + at(b, i, 0);
        double *next = b->other + at(b, i, 0);
        for (size_t j = 1; j <= b->columns; ++j)
            next[j] = 0.25 * (u[j - b->columns - 2] + u[j + b->columns + 2] + u[j - 1] + u[j + 1] + f[j]);
    }
    for (size_t i = 1; i <= b->rows; ++i) memcpy(b->u + at(b, i, 1), b->other + at(b, i, 1), b->columns * sizeof *b->u);
}

/* What is left of f; returns the mean of its absolute values. */
static double residual(block *b)
{
    double sum = 0;

    for (size_t i = 1; i <= b->rows; ++i) {
        const double *u = b->u + at(b, i, 0), *f = b->f + at(b, i, 0);
        double *r = b->other + at(b, i, 0);
        for (size_t j = 1; j <= b->columns; ++j) {
            r[j] = f[j] - 4 * u[j] + u[j - b->columns - 2] + u[j + b->columns + 2] + u[j - 1] + u[j + 1];
            sum += fabs(r[j]);
        }
    }
    return sum / (double)(b->rows * b->columns);
}

/* A V cycle: two sweeps, what is left on half as many rows and columns, its correction, two sweeps. */
static void cycle(block level[], size_t levels)
{
    block *fine = &level[0], *coarse = &level[1];

    sor(fine, 1);
    sor(fine, 1);
    if (levels == 1) {
        for (int i = 0; i < 8; ++i) sor(fine, 1);
        return;
    }
    residual(fine);
    memset(coarse->u, 0, (coarse->rows + 2) * (coarse->columns + 2) * sizeof *coarse->u);
    for (size_t i = 1; i <= coarse->rows; ++i)
        for (size_t j = 1; j <= coarse->columns; ++j) {
            const double *r = fine->other + at(fine, 2 * i, 2 * j);
            const size_t row = fine->columns + 2;
            /* Weights of 1/4, 1/8 and 1/16, times 4, for a step of the coarse grid is twice as long. */
            coarse->f[at(coarse, i, j)] = r[0] + 0.5 * (r[-1] + r[1] + *(r - row) + r[row]) +
                                          0.25 * (*(r - row - 1) + *(r - row + 1) + r[row - 1] + r[row + 1]);
        }
    cycle(coarse, levels - 1);
    for (size_t i = 1; i <= fine->rows; ++i)
        for (size_t j = 1; j <= fine->columns; ++j) {
            const double *c = coarse->u;
            const size_t up = i / 2, down = (i + 1) / 2, left = j / 2, right = (j + 1) / 2;
            if (down > coarse->rows + 1 || right > coarse->columns + 1) continue;
            fine->u[at(fine, i, j)] += 0.25 * (c[at(coarse, up, left)] + c[at(coarse, up, right)] +
                                               c[at(coarse, down, left)] + c[at(coarse, down, right)]);
        }
    sor(fine, 1);
    sor(fine, 1);
}

/* The block and, for multigrid, those with half as many rows and columns each. Returns how many, 0 if memory is out. */
static size_t make_levels(block level[], size_t rows, size_t columns, bool many)
{
    size_t levels = 0;

    do {
        if (!make(&level[levels], rows, columns)) return 0;
        ++levels;
        rows = (rows - 1) / 2; /* so that the last is the edge, or lies within it */
        columns = (columns - 1) / 2;
    } while (many && levels < LEVELS && rows >= 3 && columns >= 3);
    for (size_t i = 1; i <= level[0].rows; ++i)
        for (size_t j = 1; j <= level[0].columns; ++j) level[0].f[at(&level[0], i, j)] = 1e-3 * (double)((i + j) % 7);
    return levels;
}

static void free_levels(block level[], size_t levels)
{
    while (levels > 0) free(level[--levels].u);
}

enum { SOR, JACOBI, MULTIGRID, MATRIX };

static int which(const char *name, const char *const names[])
{
    for (int i = 0; i < 4; ++i)
        if (names[i] && strcmp(name, names[i]) == 0) return i;
    return -1;
}

static void sweep(int what, block level[], size_t levels)
{
    if (what == SOR) sor(&level[0], 1.5);
    if (what == JACOBI) jacobi(&level[0]);
    if (what == MULTIGRID) cycle(level, levels);
}

/* c += a b, row by row, so that the inner loop goes along rows. */
static void multiply(size_t n, const double *a, const double *b, double *c)
{
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < n; ++k) {
            const double factor = a[i * n + k];
            for (size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
        }
}

bool target_serial(const char *name, const settings *s)
{
    static const char *const names[4] = { "sor", NULL, "multigrid", "matrix" };
    const int what = which(name, names);
    const size_t n = (size_t)s->n;
    block level[LEVELS];
    span span;

    if (what < 0) return fails("'%s': there is no such command; --help lists them", name);
    if (n < 4 || n > 20000) return fails("--n %g: 4 to 20000", s->n);
    if (what == MATRIX) {
        if (!make(&level[0], n, n)) return false;
        for (size_t i = 0; i < n * n; ++i) level[0].u[i] = level[0].f[i] = 1e-3 * (double)(i % 13);
        span = begin_span();
        for (double i = 0; i < s->sweeps; ++i) multiply(n, level[0].u, level[0].f, level[0].other);
        span = end_span(span);
        printf("%.6f %.6f  c[0] = %g\n", span.wall, span.processor, level[0].other[0]);
        free(level[0].u);
    } else {
        const size_t levels = make_levels(level, n, n, what == MULTIGRID);
        if (levels == 0) return false;
        span = begin_span();
        for (double i = 0; i < s->sweeps; ++i) sweep(what, level, levels);
        span = end_span(span);
        printf("%.6f %.6f  residual %g\n", span.wall, span.processor, residual(&level[0]));
        free_levels(level, levels);
    }
    return true;
}

/*=============================================================================
 * MARK: - >>jobs
 *===========================================================================*/
/* A rank's neighbours in the chain; < 0: it has none. */
typedef struct chain {
    int up, down;
} chain;

static bool meet(chain *c, const settings *s, size_t rank, size_t nodes)
{
    char address[64];
    int listener = -1;

    c->up = c->down = -1;
    if (rank + 1 < nodes && (listener = net_listen((int)s->port + (int)rank)) < 0) return false;
    if (rank > 0) {
        const char *digit = s->peers ? strstr(s->peers, "%d") : NULL;
        if (!digit) return fails("--peers is needed: addresses with %%d for the rank + 1, such as 10.77.0.%%d");
        snprintf(address, sizeof address, "%.*s%lu%s", (int)(digit - s->peers), s->peers, (unsigned long)rank,
                 digit + 2);
        if ((c->up = net_connect(address, (int)s->port + (int)rank - 1)) < 0) return false;
    }
    if (listener >= 0) {
        c->down = net_accept(listener);
        close(listener);
        if (c->down < 0) return false;
    }
    return true;
}

/* Nobody goes on before all are here: a word goes up the chain, another down. */
static bool together(const chain *c)
{
    char word[WORD] = { 0 };

    return (c->down < 0 || net_receive(c->down, word, WORD)) && (c->up < 0 || net_send(c->up, word, WORD)) &&
           (c->up < 0 || net_receive(c->up, word, WORD)) && (c->down < 0 || net_send(c->down, word, WORD));
}

/* Rows at the edges go to the neighbours; they are small enough to wait in the sockets. */
static bool exchange(const chain *c, block *b)
{
    const size_t bytes = b->columns * sizeof *b->u;

    return (c->up < 0 || net_send(c->up, b->u + at(b, 1, 1), bytes)) &&
           (c->down < 0 || net_send(c->down, b->u + at(b, b->rows, 1), bytes)) &&
           (c->up < 0 || net_receive(c->up, b->u + at(b, 0, 1), bytes)) &&
           (c->down < 0 || net_receive(c->down, b->u + at(b, b->rows + 1, 1), bytes));
}

/* What all have used of their processors goes down the chain to rank 0. */
static bool add_up(const chain *c, double *sum)
{
    double below = 0;

    if (c->down >= 0 && !net_receive(c->down, &below, sizeof below)) return false;
    *sum += below;
    return c->up < 0 || net_send(c->up, sum, sizeof *sum);
}

bool target_job(const char *name, const settings *s)
{
    static const char *const names[4] = { "sor", "jacobi", "multigrid", NULL };
    const int what = which(name, names);
    const size_t n = (size_t)s->n, nodes = (size_t)s->nodes, rank = (size_t)s->rank;
    double fraction[MOST_NODES], before = 0;
    size_t first, end, levels;
    block level[LEVELS];
    bool done = true;
    span span;
    chain c;

    if (what < 0) return fails("job '%s': expected sor, jacobi or multigrid", name);
    if (nodes < 1 || nodes > MOST_NODES || rank >= nodes)
        return fails("--nodes: 1 to %d, and --rank below", MOST_NODES);
    if (n < 8 * nodes || n > 4000) return fails("--n %g: from 8 for each node to 4000", s->n);
    if (!numbers_of("fraction", s->fraction, fraction, nodes)) return false;
    for (size_t i = 0; i < rank; ++i) before += fraction[i];
    first = (size_t)floor((double)n * before + 0.5);
    end = rank + 1 == nodes ? n : (size_t)floor((double)n * (before + fraction[rank]) + 0.5);
    if (end <= first || end > n) return fails("--fraction %s: no rows for rank %g", s->fraction, s->rank);
    levels = make_levels(level, end - first, n, what == MULTIGRID);
    if (levels == 0 || !meet(&c, s, rank, nodes) || !together(&c)) return false;
    span = begin_span();
    for (double i = 0; done && i < s->sweeps; ++i) {
        for (double k = 0; k < s->inner; ++k) sweep(what, level, levels);
        done = exchange(&c, &level[0]);
    }
    done = done && together(&c);
    span = end_span(span);
    done = done && add_up(&c, &span.processor);
    if (rank == 0 && done) printf("%.6f %.6f  residual %g\n", span.wall, span.processor, residual(&level[0]));
    free_levels(level, levels);
    return done || fails("a neighbour of rank %g went away", s->rank);
}

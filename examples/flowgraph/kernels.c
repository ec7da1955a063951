/* The kernels of a block LU factorization, and their times; kernels.h says what each does. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L /* clock_gettime */
#endif
#include "kernels.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* y = y - s x. The inner loop has a fixed length, so compilers vectorise it even at -O2. */
static void kernels__less(size_t n, double s, const double *restrict x, double *restrict y)
{
    for (; n >= 8; n -= 8, x += 8, y += 8)
        for (int i = 0; i < 8; ++i) y[i] -= s * x[i];
    for (size_t i = 0; i < n; ++i) y[i] -= s * x[i];
}

void kernels_subtract(size_t r, const double *p, size_t ldp, double *c, size_t ldc)
{
    for (size_t j = 0; j < r; ++j) kernels__less(r, 1, p + j * ldp, c + j * ldc);
}

#ifdef KERNELS_BLAS
/*=============================================================================
 * MARK: - >>blas
 *===========================================================================*/
/* Fortran: all arguments by reference, the lengths of strings at the end. */
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *, size_t, size_t, size_t, size_t);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dlaswp_(const int *, double *, const int *, const int *, const int *, const int *, const int *);

static const double kernels__zero = 0, kernels__one = 1;

#ifdef __ELF__
/* Before main(), so that every program that links this computes on one core. */
__attribute__((weak)) void openblas_set_num_threads(int threads);

__attribute__((constructor)) static void kernels__one_core(void)
{
    if (openblas_set_num_threads) openblas_set_num_threads(1);
}

const char *kernels_name(void)
{
    return openblas_set_num_threads ? "OpenBLAS" : "BLAS";
}
#else
const char *kernels_name(void)
{
    return "BLAS";
}
#endif

void kernels_multiply(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b, size_t ldb, double *c,
                      size_t ldc)
{
    const int rows = (int)m, columns = (int)n, depth = (int)k, na = (int)lda, nb = (int)ldb, nc = (int)ldc;
    dgemm_("N", "N", &rows, &columns, &depth, &kernels__one, a, &na, b, &nb, &kernels__zero, c, &nc, 1, 1);
}

void kernels_solve(size_t r, const double *l, size_t ldl, double *t, size_t ldt)
{
    const int n = (int)r, nl = (int)ldl, nt = (int)ldt;
    dtrsm_("L", "L", "N", "U", &n, &n, &kernels__one, l, &nl, t, &nt, 1, 1, 1, 1);
}

size_t kernels_panel(size_t m, size_t r, double *a, size_t lda, int *pivots)
{
    const int rows = (int)m, columns = (int)r, na = (int)lda;
    int info = 0;
    dgetrf_(&rows, &columns, a, &na, pivots, &info);
    return info > 0 ? (size_t)info : 0;
}

void kernels_exchange(size_t r, double *a, size_t lda, const int *pivots)
{
    const int n = (int)r, na = (int)lda, one = 1;
    dlaswp_(&n, a, &na, &one, &n, pivots, &one);
}

#else
/*=============================================================================
 * MARK: - >>loops
 *
 * kernels__strip() does most of the work of all kernels; the others reach it by recursive halving.
 *===========================================================================*/
/* Mflop/s as kernels_measure() sees them at r = 81, 162, 324, 648 (Xeon, gcc 12 -O2, so two doubles at once).
 * To multiply, strip x depth: 16 x 96 12680 15240 16000 16680, 32 x 64 12800 14460 15640 16330, 32 x 96 13580 15060
 * 16230 17260, 32 x 128 13540 14980 16570 17260, 64 x 64 10500 15120 15460 16580. A strip of 24 KiB stays in any
 * first-level cache. Recursion ends at this number of columns: for panels of 2592 rows 4 make 7460 10520 13320 14940,
 * 8 7930 10860 13320 14870, 16 8120 11060 13490 15140; to solve 8 make 6130 8930 12150 14030, 16 6930 9650 12850
 * 14410, 24 7570 10300 13270 14610, 48 6920 9770 13130 14540. */
enum { KERNELS__STRIP = 32, KERNELS__DEPTH = 96, KERNELS__COLUMNS = 16, KERNELS__SOLVED = 24 };

const char *kernels_name(void)
{
    return "own loops";
}

/* Adds a strip of A, packed, times two columns of B to two columns of C. Four columns of A at a time: eight numbers of
 * B stay in registers, and each number of A or C that is fetched is used in four or eight operations. */
static void kernels__strip(size_t depth, const double *restrict a, const double *restrict b0, const double *restrict b1,
                           double *restrict c0, double *restrict c1)
{
    for (; depth >= 4; depth -= 4, a += 4 * KERNELS__STRIP, b0 += 4, b1 += 4) {
        const double s0 = b0[0], s1 = b0[1], s2 = b0[2], s3 = b0[3];
        const double t0 = b1[0], t1 = b1[1], t2 = b1[2], t3 = b1[3];
        for (int i = 0; i < KERNELS__STRIP; ++i) {
            const double a0 = a[i], a1 = a[i + KERNELS__STRIP];
            const double a2 = a[i + 2 * KERNELS__STRIP], a3 = a[i + 3 * KERNELS__STRIP];
            c0[i] += a0 * s0 + a1 * s1 + a2 * s2 + a3 * s3;
            c1[i] += a0 * t0 + a1 * t1 + a2 * t2 + a3 * t3;
        }
    }
    for (; depth > 0; depth--, a += KERNELS__STRIP, b0++, b1++)
        for (int i = 0; i < KERNELS__STRIP; ++i) {
            c0[i] += a[i] * *b0;
            c1[i] += a[i] * *b1;
        }
}

/* C[m x n] = C + sign A[m x k] B[k x n]. The last strip is padded with zeros; an odd last column is computed twice and
 * stored once. */
static void kernels__update(size_t m, size_t n, size_t k, double sign, const double *a, size_t lda, const double *b,
                            size_t ldb, double *c, size_t ldc)
{
    double strip[KERNELS__STRIP * KERNELS__DEPTH], sum[2][KERNELS__STRIP];
    for (size_t p = 0; p < k; p += KERNELS__DEPTH) {
        const size_t depth = k - p < KERNELS__DEPTH ? k - p : KERNELS__DEPTH;
        for (size_t i = 0; i < m; i += KERNELS__STRIP) {
            const size_t high = m - i < KERNELS__STRIP ? m - i : KERNELS__STRIP;
            memset(strip, 0, sizeof strip);
            for (size_t q = 0; q < depth; ++q)
                memcpy(strip + q * KERNELS__STRIP, a + i + (p + q) * lda, high * sizeof *strip);
            for (size_t j = 0; j < n; j += 2) {
                const size_t next = j + 1 < n ? j + 1 : j;
                memset(sum, 0, sizeof sum);
                kernels__strip(depth, strip, b + p + j * ldb, b + p + next * ldb, sum[0], sum[1]);
                kernels__less(high, -sign, sum[0], c + i + j * ldc);
                if (next > j) kernels__less(high, -sign, sum[1], c + i + next * ldc);
            }
        }
    }
}

void kernels_multiply(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b, size_t ldb, double *c,
                      size_t ldc)
{
    for (size_t j = 0; j < n; ++j) memset(c + j * ldc, 0, m * sizeof *c);
    kernels__update(m, n, k, 1, a, lda, b, ldb, c, ldc);
}

/* T[k x n] = L^-1 T: solves for the upper half, updates the lower half, solves for the lower half. */
static void kernels__solve(size_t k, size_t n, const double *l, size_t ldl, double *t, size_t ldt)
{
    const size_t half = (k / 2 + 3) / 4 * 4;
    if (k <= KERNELS__SOLVED) {
        for (size_t j = 0; j < n; ++j)
            for (size_t p = 0; p < k; ++p)
                kernels__less(k - p - 1, t[p + j * ldt], l + p + 1 + p * ldl, t + p + 1 + j * ldt);
        return;
    }
    kernels__solve(half, n, l, ldl, t, ldt);
    kernels__update(k - half, n, half, -1, l + half, ldl, t, ldt, t + half, ldt);
    kernels__solve(k - half, n, l + half + half * ldl, ldl, t + half, ldt);
}

void kernels_solve(size_t r, const double *l, size_t ldl, double *t, size_t ldt)
{
    kernels__solve(r, r, l, ldl, t, ldt);
}

/* Exchanges rows from..to - 1 by the pivots. */
static void kernels__exchange(size_t columns, double *a, size_t lda, size_t from, size_t to, const int *pivots)
{
    for (size_t j = 0; j < columns; j++, a += lda)
        for (size_t i = from; i < to; ++i) {
            const size_t p = (size_t)pivots[i] - 1;
            const double keep = a[i];
            a[i] = a[p];
            a[p] = keep;
        }
}

void kernels_exchange(size_t r, double *a, size_t lda, const int *pivots)
{
    kernels__exchange(r, a, lda, 0, r, pivots);
}

/* Factors a narrow panel column by column. */
static size_t kernels__columns(size_t m, size_t n, double *a, size_t lda, int *pivots)
{
    size_t singular = 0;
    for (size_t p = 0; p < n; ++p) {
        double *column = a + p * lda;
        size_t best = p;
        for (size_t i = p + 1; i < m; ++i)
            if (fabs(column[i]) > fabs(column[best])) best = i;
        pivots[p] = (int)best + 1;
        kernels__exchange(n, a, lda, p, p + 1, pivots);
        if (column[p] != 0) {
            const double pivot = column[p];
            for (size_t i = p + 1; i < m; ++i) column[i] /= pivot;
        } else if (singular == 0) {
            singular = p + 1;
        }
        for (size_t j = p + 1; j < n; ++j)
            kernels__less(m - p - 1, a[p + j * lda], column + p + 1, a + p + 1 + j * lda);
    }
    return singular;
}

/* Factors the left half, updates the right half, factors the right half. */
size_t kernels_panel(size_t m, size_t r, double *a, size_t lda, int *pivots)
{
    const size_t left = (r / 2 + 3) / 4 * 4, right = r - left;
    double *beside = a + left * lda;
    if (r <= KERNELS__COLUMNS) return kernels__columns(m, r, a, lda, pivots);
    size_t singular = kernels_panel(m, left, a, lda, pivots);
    kernels__exchange(right, beside, lda, 0, left, pivots);
    kernels__solve(left, right, a, lda, beside, lda);
    kernels__update(m - left, right, left, -1, a + left, lda, beside, lda, beside + left, lda);
    size_t later = kernels_panel(m - left, right, beside + left, lda, pivots + left);
    for (size_t i = left; i < r; ++i) pivots[i] += (int)left;
    kernels__exchange(left, a, lda, left, r, pivots);
    return singular != 0 || later == 0 ? singular : left + later;
}
#endif /* KERNELS_BLAS */

void kernels_pack(size_t m, size_t n, const double *a, size_t lda, double *b)
{
    for (size_t j = 0; j < n; ++j) memcpy(b + j * m, a + j * lda, m * sizeof *b);
}

/*=============================================================================
 * MARK: - >>times
 *===========================================================================*/
/* The measurements of a round, in order: three kernels; panels, then the exchanges by their pivots, both at up to three
 * numbers of rows; two more kernels. */
enum { KERNELS__MULTIPLY, KERNELS__SUBTRACT, KERNELS__SOLVE, KERNELS__PANEL, KERNELS__EXCHANGE = KERNELS__PANEL + 3 };
enum { KERNELS__PACK = KERNELS__EXCHANGE + 3, KERNELS__PART };
enum { KERNELS__ALL = KERNELS__PART + 1, KERNELS__ROUNDS = 99, KERNELS__AREA = 1 << 21 /* doubles */ };

typedef struct kernels__bench {
    size_t n, r, s;        /* s: rows of a part */
    size_t area;           /* doubles in each of the two areas */
    double *source, *work; /* the areas: one is only read, the other written */
    int *pivots;           /* pivots[3][r], of the last panel of each number of rows */
    size_t turn;           /* number of runs so far; successive runs use different blocks */
} kernels__bench;

static double kernels__now(void)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int kernels__compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs and times one kernel, with panels and exchanges of m rows, on the next blocks. */
static double kernels__run(kernels__bench *bench, int which, size_t m)
{
    const size_t n = bench->n, r = bench->r, turn = bench->turn++;
    const size_t columns = bench->area / (n * r), blocks = n / r, packed = bench->area / (r * r);
    const double *a = bench->source + 2 * turn % packed * r * r, *b = bench->source + (2 * turn + 1) % packed * r * r;
    const double *fresh = bench->source + turn % columns * n * r + n - m;
    double *product = bench->work + turn % packed * r * r, *rows = bench->work + (fresh - bench->source);
    double *block = bench->work + turn / blocks % columns * n * r + turn % blocks * r;
    int *pivots = bench->pivots +
                  (which < KERNELS__PANEL || which >= KERNELS__PACK ? 0 : (size_t)(which - KERNELS__PANEL) % 3 * r);

    if (which >= KERNELS__PANEL && which < KERNELS__EXCHANGE)
        for (size_t j = 0; j < r; ++j) memcpy(rows + j * n, fresh + j * n, m * sizeof *rows);
    double start = kernels__now();
    switch (which) {
    case KERNELS__MULTIPLY: kernels_multiply(r, r, r, a, r, b, r, product, r); break;
    case KERNELS__SUBTRACT: kernels_subtract(r, a, r, block, n); break;
    case KERNELS__SOLVE: kernels_solve(r, a, r, block, n); break;
    case KERNELS__PANEL:
    case KERNELS__PANEL + 1:
    case KERNELS__PANEL + 2: (void)kernels_panel(m, r, rows, n, pivots); break;
    case KERNELS__PACK: kernels_pack(r, r, bench->source + (block - bench->work), n, product); break;
    case KERNELS__PART: kernels_multiply(bench->s, bench->s, r, a, bench->s, b, r, product, bench->s); break;
    default: kernels_exchange(r, rows, n, pivots);
    }
    return fmax(kernels__now() - start, 1e-9); /* the resolution of the clock */
}

/* Repeats rounds of all kernels while another one as long as the last would end in time; then computes the medians. */
static void kernels__rounds(kernels__bench *bench, double end, kernels_times *times)
{
    double seconds[KERNELS__ALL][KERNELS__ROUNDS], *median[KERNELS__ALL], start, now = kernels__now();
    median[KERNELS__MULTIPLY] = &times->multiply;
    median[KERNELS__SUBTRACT] = &times->subtract;
    median[KERNELS__SOLVE] = &times->solve;
    median[KERNELS__PACK] = &times->pack;
    median[KERNELS__PART] = &times->part;
    for (size_t i = 0; i < 3; ++i) {
        median[KERNELS__PANEL + i] = i < times->points ? &times->panel[i] : NULL;
        median[KERNELS__EXCHANGE + i] = i < times->points ? &times->exchange[i] : NULL;
    }
    do {
        start = now;
        for (int which = 0; which < KERNELS__ALL; ++which)
            if (median[which]) seconds[which][times->runs] = kernels__run(bench, which, times->rows[which % 3]);
        ++times->runs;
        now = kernels__now();
    } while (times->runs < KERNELS__ROUNDS && now + (now - start) <= end);
    for (int which = 0; which < KERNELS__ALL; ++which) {
        if (!median[which]) continue;
        qsort(seconds[which], times->runs, sizeof **seconds, kernels__compare);
        *median[which] = seconds[which][(times->runs - 1) / 2];
    }
}

/* Fills both areas with numbers between -1/16 and 1/16: with so small an L, repeated solving does not overflow. */
static void kernels__fill(kernels__bench *bench)
{
    uint64_t state = 1;
    for (size_t i = 0; i < bench->area; ++i) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bench->source[i] = ((double)(state >> 11) * 0x1p-53 - 0.5) / 8;
    }
    memcpy(bench->work, bench->source, bench->area * sizeof *bench->work);
}

int kernels_measure(size_t n, size_t r, size_t parts, double budget, kernels_times *times)
{
    const double start = kernels__now();
    kernels__bench bench = { n, r, parts ? r / parts : 0, KERNELS__AREA, NULL, NULL, NULL, 0 };
    memset(times, 0, sizeof *times);
    if (r == 0 || n < r || n > INT_MAX || bench.s == 0 || bench.s * parts != r) return 2;
    if (n > SIZE_MAX / sizeof(double) / r) return 1;
    if (bench.area < n * r) bench.area = n * r;
    bench.source = malloc(bench.area * sizeof *bench.source);
    bench.work = malloc(bench.area * sizeof *bench.work);
    bench.pivots = malloc(3 * r * sizeof *bench.pivots);
    int memory = bench.source && bench.work && bench.pivots;
    if (memory) {
        times->n = n;
        times->r = r;
        times->parts = parts;
        times->rows[times->points++] = r;
        if (n / 2 > r) times->rows[times->points++] = n / 2;
        if (n > r) times->rows[times->points++] = n;
        kernels__fill(&bench);
        kernels__rounds(&bench, start + budget, times);
        times->spent = kernels__now() - start;
    }
    free(bench.source);
    free(bench.work);
    free(bench.pivots);
    return memory ? 0 : 1;
}

/* y[points] at m: linear between the rows, constant beyond. */
static double kernels__between(const kernels_times *times, const double *y, size_t m)
{
    if (times->points == 0 || m < times->rows[0]) return NAN;
    for (size_t i = 1; i < times->points; ++i) {
        const double low = (double)times->rows[i - 1], high = (double)times->rows[i];
        if (m < times->rows[i]) return y[i - 1] + (y[i] - y[i - 1]) * ((double)m - low) / (high - low);
    }
    return y[times->points - 1];
}

static double kernels__panel_flop(size_t r, size_t m)
{
    return (double)r * (double)r * ((double)m - (double)r / 3);
}

static double kernels__apart(double one, double other)
{
    return one > 0 && other > 0 ? fmax(one / other, other / one) - 1 : NAN;
}

double kernels_difference(const kernels_times *one, const kernels_times *other)
{
    double most = kernels__apart(one->multiply, other->multiply);
    if (one->n != other->n || one->r != other->r || one->parts != other->parts || one->points != other->points)
        return NAN;
    for (size_t i = 0; i <= one->points && !isnan(most); ++i) {
        double next =
            i < one->points ? kernels__apart(one->panel[i], other->panel[i]) : kernels__apart(one->solve, other->solve);
        most = isnan(next) ? next : fmax(most, next);
    }
    return most;
}

double kernels_panel_time(const kernels_times *times, size_t m)
{
    double rate[3] = { 0, 0, 0 };
    for (size_t i = 0; i < times->points; ++i)
        rate[i] = kernels__panel_flop(times->r, times->rows[i]) / times->panel[i];
    return kernels__panel_flop(times->r, m) / kernels__between(times, rate, m);
}

double kernels_exchange_time(const kernels_times *times, size_t m)
{
    return kernels__between(times, times->exchange, m);
}

void kernels_save(FILE *file, const kernels_times *times)
{
    if (!times) {
        fputs("n,r,parts,multiply_s,subtract_s,solve_s,pack_s,part_s", file);
        for (int i = 1; i <= 3; ++i) fprintf(file, ",rows_%d,panel_%d_s,exchange_%d_s", i, i, i);
        fputc('\n', file);
        return;
    }
    fprintf(file, "%lu,%lu,%lu,%.9g,%.9g,%.9g,%.9g,%.9g", (unsigned long)times->n, (unsigned long)times->r,
            (unsigned long)times->parts, times->multiply, times->subtract, times->solve, times->pack, times->part);
    for (size_t i = 0; i < 3; ++i) /* all points, then the last one repeated */
        fprintf(file, ",%lu,%.9g,%.9g", (unsigned long)times->rows[i < times->points ? i : times->points - 1],
                times->panel[i < times->points ? i : times->points - 1],
                times->exchange[i < times->points ? i : times->points - 1]);
    fputc('\n', file);
}

static bool kernels__line(const char *line, kernels_times *t)
{
    unsigned long n, r, parts, rows[3];
    memset(t, 0, sizeof *t);
    if (sscanf(line, "%lu,%lu,%lu,%lf,%lf,%lf,%lf,%lf,%lu,%lf,%lf,%lu,%lf,%lf,%lu,%lf,%lf", &n, &r, &parts,
               &t->multiply, &t->subtract, &t->solve, &t->pack, &t->part, &rows[0], &t->panel[0], &t->exchange[0],
               &rows[1], &t->panel[1], &t->exchange[1], &rows[2], &t->panel[2], &t->exchange[2]) != 17)
        return false;
    t->n = n;
    t->r = r;
    t->parts = parts;
    const double times[] = { t->multiply,    t->subtract, t->solve,       t->pack,     t->part,       t->panel[0],
                             t->exchange[0], t->panel[1], t->exchange[1], t->panel[2], t->exchange[2] };
    for (size_t i = 0; i < sizeof times / sizeof *times; ++i)
        if (!(times[i] >= 0 && isfinite(times[i]))) return false;
    for (t->points = 0; t->points < 3 && (t->points == 0 || rows[t->points] > rows[t->points - 1]); ++t->points)
        t->rows[t->points] = rows[t->points];
    return true;
}

int kernels_load(const char *path, size_t n, size_t r, size_t parts, kernels_times *times)
{
    FILE *file = fopen(path, "r");
    char line[512];
    kernels_times read;
    int result = 2;
    if (!file) return 1;
    while (fgets(line, sizeof line, file))
        if (kernels__line(line, &read) && read.n == n && read.r == r && read.parts == parts) {
            *times = read;
            result = 0;
        }
    fclose(file);
    return result;
}

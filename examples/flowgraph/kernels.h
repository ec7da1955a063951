/*
kernels.h - what the nodes of a block LU factorization compute, and how long each piece of it takes here

An n x n matrix is cut into block columns of r columns. A step factors the panel, the lower part of a block column;
then every other block column exchanges rows as the panel did and solves for its block of U; then each block of it is
multiplied with one of the panel's, and the product, which comes back, is subtracted. These five pieces are here,
[dps] section 5 says which node does which, and kernels_measure() runs them on this machine.

USE         compile kernels.c beside your own files and link -lm; with -DKERNELS_BLAS they call the BLAS and LAPACK that
            you link (-lopenblas), without it they are loops in plain C. One core: OpenBLAS is told to use no other.
UNITS       [s] seconds of processor time of the calling thread; [flop] additions and multiplications together
BLOCKS      As in LAPACK: doubles, column by column; element (i, j), from 0, is a[i + j * lda], and the leading dimension
            lda is at least the number of rows. Sizes are >= 1 and, like leading dimensions, at most INT_MAX. Operands
            do not overlap. Nothing is kept.
ERRORS      kernels_panel() and kernels_measure() return nonzero, the formulas NaN.
THREADS     Any; no two at once on one block. At most 40 KiB of stack with the loops.
*/
/** @file */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdio.h>

/*=============================================================================
 * MARK: - >>kernels
 *===========================================================================*/
/** Which kernels these are.
 *
 *  @return  "OpenBLAS", "BLAS" for another one, or "own loops"; static, never NULL.
 */
const char *kernels_name(void);

/** The product of two blocks, the one that is sent back.
 *
 *  `C = A B`, 2 m n k flop
 *
 *  @param[in]  m,n,k        Rows of A and C, columns of B and C, columns of A and rows of B.
 *  @param[in]  a,b          A[m x k] and B[k x n].
 *  @param[out] c            C[m x n]; need not be set before.
 *  @param[in]  lda,ldb,ldc  Leading dimensions.
 */
void kernels_multiply(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b, size_t ldb, double *c,
                      size_t ldc);

/** Copies a block into one without gaps, as it is sent.
 *
 *  `B = A`
 *
 *  @param[in]  m,n  Rows and columns.
 *  @param[in]  a    A[m x n].
 *  @param[in]  lda  Leading dimension of A.
 *  @param[out] b    B[m x n], with leading dimension m.
 */
void kernels_pack(size_t m, size_t n, const double *a, size_t lda, double *b);

/** Takes a product from a block.
 *
 *  `C = C - P`, r^2 flop
 *
 *  @param[in]     r        Rows and columns of each block.
 *  @param[in]     p        P[r x r].
 *  @param[in,out] c        C[r x r].
 *  @param[in]     ldp,ldc  Leading dimensions.
 */
void kernels_subtract(size_t r, const double *p, size_t ldp, double *c, size_t ldc);

/** A block of U, from the factored block on the diagonal.
 *
 *  `T = L^-1 A`, r^3 flop; dtrsm in LAPACK's words
 *
 *  @param[in]     r        Rows and columns of each block.
 *  @param[in]     l        L[r x r]; only what is below the diagonal is read, on it are ones.
 *  @param[in,out] t        A[r x r]; T in its place afterwards.
 *  @param[in]     ldl,ldt  Leading dimensions.
 */
void kernels_solve(size_t r, const double *l, size_t ldl, double *t, size_t ldt);

/** Factors a panel in place, with partial pivoting.
 *
 *  `P A = L U`, r^2 (m - r/3) flop; dgetrf in LAPACK's words
 *
 *  @param[in]     m        Rows of the panel, >= r.
 *  @param[in]     r        Columns of the panel.
 *  @param[in,out] a        A[m x r]; afterwards U, and below its diagonal L without its ones.
 *  @param[in]     lda      Leading dimension.
 *  @param[out]    pivots   pivots[r], counted from 1 as LAPACK does: row i, from 0, changed places with row pivots[i] - 1.
 *  @return  0; or for a singular panel the first column, counted from 1, in which U has a zero on its diagonal. All
 *           columns are factored even so, and L is right, but nothing can be divided by this U.
 *  @errors  Some versions of OpenBLAS divide wrongly by a pivot below 1e-305; the loops do not.
 */
size_t kernels_panel(size_t m, size_t r, double *a, size_t lda, int *pivots);

/** Exchanges rows of another block column, or of an older panel, as a panel did; dlaswp in LAPACK's words.
 *
 *  @param[in]     r        Columns of the block column, and exchanges.
 *  @param[in,out] a        A[m x r], with the m rows of that panel.
 *  @param[in]     lda      Leading dimension.
 *  @param[in]     pivots   pivots[r] from kernels_panel().
 */
void kernels_exchange(size_t r, double *a, size_t lda, const int *pivots);

/*=============================================================================
 * MARK: - >>times
 *===========================================================================*/
/** How long each kernel takes here, for one n and r: medians of what was measured. */
typedef struct kernels_times {
    size_t n;           /**< Rows of the matrix. */
    size_t r;           /**< Columns of a block column. */
    double multiply;    /**< kernels_multiply() [s]. */
    double subtract;    /**< kernels_subtract() [s]. */
    double solve;       /**< kernels_solve() [s]. */
    double pack;        /**< kernels_pack() of an r x r block of a matrix of n rows [s]. */
    size_t parts;       /**< Into how many rows and columns of blocks a product is divided. */
    double part;        /**< kernels_multiply() of r / parts rows and columns, r deep [s]. */
    size_t points;      /**< Numbers of rows at which the next two were measured, 1 to 3. */
    size_t rows[3];     /**< rows[points], ascending: r, n/2, n without those that are no more than the one before. */
    double panel[3];    /**< panel[points], kernels_panel() of so many rows [s]. */
    double exchange[3]; /**< exchange[points], kernels_exchange() of so many rows [s]. */
    size_t runs;        /**< Every time above is a median of so many runs. */
    double spent;       /**< What all of it took, allocation included [s]. */
} kernels_times;

/** Measures every kernel on real blocks.
 *
 *  Rounds of one run of each kernel, at most 99, while another round as long as the last still ends within the
 *  budget. One round may take more than the budget; a single panel of n rows can. Nothing is corrected: a time includes
 *  one reading of the clock.
 *
 *  Caches are as in the application: blocks take turns in two areas of at least 16 MiB, so that what a kernel reads and
 *  writes has left the second level since it was last used. L, the factors and products that are messages there are
 *  packed; what a node stores, T, C, panels and block columns of m rows, lies at the bottom of a block column of n rows.
 *  Only a panel was touched just before: it is filled anew, as it is by the last subtraction there. Values are random,
 *  below 1/16; the exchanges are those of the panel.
 *
 *  @param[in]  n        Rows of the matrix, r to INT_MAX.
 *  @param[in]  r        Columns of a block column, >= 1.
 *  @param[in]  parts    Into how many parts the sides of a product are divided, a divisor of r; 1: not at all.
 *  @param[in]  budget   Time for all of it [s]; 0 is one round.
 *  @param[out] times    The times; all zero unless 0 is returned.
 *  @return  0; 1 where memory ran out; 2 if n, r or parts is not as said.
 *  @cost    32 MiB of memory, or 16 n r bytes where that is more.
 *  @source  [dps] section 7: "the corresponding benchmarked times".
 */
int kernels_measure(size_t n, size_t r, size_t parts, double budget, kernels_times *times);

/** How far two measurements of the same kernels are from each other: products, triangular systems and panels, which take
 *  most of a factorization.
 *
 *  `max(a / b, b / a) - 1` of the one that differs most
 *
 *  @param[in] one,other  The times, of the same n, r and parts.
 *  @return  [1]; NaN for times of other sizes, or where a time is not positive.
 */
double kernels_difference(const kernels_times *one, const kernels_times *other);

/** Time to factor a panel of m rows.
 *
 *  `r^2 (m - r/3) / rate(m)`, the rate [flop/s] linear in m between those measured, and beyond n that of n
 *
 *  @param[in] times  The times.
 *  @param[in] m      Rows.
 *  @return  [s]; NaN for m < r.
 */
double kernels_panel_time(const kernels_times *times, size_t m);

/** Time to exchange rows in a block column of m rows: linear in m between those measured, and beyond n that of n.
 *
 *  @param[in] times  The times.
 *  @param[in] m      Rows.
 *  @return  [s]; NaN for m < r.
 */
double kernels_exchange_time(const kernels_times *times, size_t m);

/** Writes times as a line of comma-separated values, or without times the names of the columns.
 *
 *  @param[in] file   Where to.
 *  @param[in] times  The times; NULL: the names.
 */
void kernels_save(FILE *file, const kernels_times *times);

/** Finds times that were written.
 *
 *  @param[in]  path         The file.
 *  @param[in]  n,r,parts    As they were measured for; of several lines the last counts.
 *  @param[out] times        The times; `runs` and `spent` are 0.
 *  @return  0; 1: there is no such file; 2: no such line in it.
 */
int kernels_load(const char *path, size_t n, size_t r, size_t parts, kernels_times *times);

#endif

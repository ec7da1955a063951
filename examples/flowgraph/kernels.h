/*
kernels.h - the kernels of a block LU factorization, and how long each of them takes on this machine

An n x n matrix is divided into block columns of r columns. A step factors the panel, the lower part of a block column;
then every other block column exchanges rows as the panel did and solves for its block of U; then each of its blocks is
updated with the product of that block of U and a block of the panel. These five kernels are here; [dps] section 5 says
which node runs which, and kernels_measure() times them on this machine.

USE         compile kernels.c beside your own files and link -lm; with -DKERNELS_BLAS they call the BLAS and LAPACK that
            you link (-lopenblas), without it they are loops in plain C. OpenBLAS is set to use one core.
UNITS       [s] seconds of CPU time of the calling thread; [flop] additions plus multiplications
BLOCKS      As in LAPACK: doubles, column by column; element (i, j), from 0, is a[i + j * lda], and the leading dimension
            lda is at least the number of rows. Sizes are >= 1 and, like leading dimensions, at most INT_MAX. Operands
            do not overlap. Nothing is kept between calls.
ERRORS      kernels_panel() and kernels_measure() return nonzero, the formulas NaN.
THREADS     Any, but two threads must not use the same block. The loops need at most 40 KiB of stack.
*/
/** @file */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdio.h>

/*=============================================================================
 * MARK: - >>kernels
 *===========================================================================*/
/** The implementation of the kernels.
 *
 *  @return  "OpenBLAS", "BLAS" for another one, or "own loops"; static, never NULL.
 */
const char *kernels_name(void);

/** The product of two blocks.
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

/** Packs a block into contiguous memory, to be sent.
 *
 *  `B = A`
 *
 *  @param[in]  m,n  Rows and columns.
 *  @param[in]  a    A[m x n].
 *  @param[in]  lda  Leading dimension of A.
 *  @param[out] b    B[m x n], with leading dimension m.
 */
void kernels_pack(size_t m, size_t n, const double *a, size_t lda, double *b);

/** Subtracts a product from a block.
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
 *  `T = L^-1 A`, r^3 flop; LAPACK's dtrsm
 *
 *  @param[in]     r        Rows and columns of each block.
 *  @param[in]     l        L[r x r]; only the part below the diagonal is read; the diagonal is 1.
 *  @param[in,out] t        A[r x r]; T in its place afterwards.
 *  @param[in]     ldl,ldt  Leading dimensions.
 */
void kernels_solve(size_t r, const double *l, size_t ldl, double *t, size_t ldt);

/** Factors a panel in place, with partial pivoting.
 *
 *  `P A = L U`, r^2 (m - r/3) flop; LAPACK's dgetrf
 *
 *  @param[in]     m        Rows of the panel, >= r.
 *  @param[in]     r        Columns of the panel.
 *  @param[in,out] a        A[m x r]; afterwards U, and below its diagonal L without its unit diagonal.
 *  @param[in]     lda      Leading dimension.
 *  @param[out]    pivots   pivots[r], from 1 as in LAPACK: row i, from 0, was exchanged with row pivots[i] - 1.
 *  @return  0; for a singular panel the first column, from 1, in which U has a zero on its diagonal. All columns are
 *           factored and L is correct, but U is singular.
 *  @errors  Some versions of OpenBLAS divide wrongly by a pivot below 1e-305; the loops do not.
 */
size_t kernels_panel(size_t m, size_t r, double *a, size_t lda, int *pivots);

/** Exchanges rows of another block column, or of an earlier panel, as a panel did; LAPACK's dlaswp.
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
/** CPU times of the kernels on this machine, for one n and r: medians. */
typedef struct kernels_times {
    size_t n;           /**< Rows of the matrix. */
    size_t r;           /**< Columns of a block column. */
    double multiply;    /**< kernels_multiply() [s]. */
    double subtract;    /**< kernels_subtract() [s]. */
    double solve;       /**< kernels_solve() [s]. */
    double pack;        /**< kernels_pack() of an r x r block of a matrix of n rows [s]. */
    size_t parts;       /**< Number of parts of each side of a product. */
    double part;        /**< kernels_multiply() of r / parts rows and columns, r deep [s]. */
    size_t points;      /**< Numbers of rows at which the next two were measured, 1 to 3. */
    size_t rows[3];     /**< rows[points], strictly ascending, of r, n/2 and n. */
    double panel[3];    /**< panel[points], kernels_panel() with rows[i] rows [s]. */
    double exchange[3]; /**< exchange[points], kernels_exchange() with rows[i] rows [s]. */
    size_t runs;        /**< Number of runs of which the times are medians. */
    double spent;       /**< Total time of the measurement [s]. */
} kernels_times;

/** Measures every kernel on real blocks.
 *
 *  A round runs each kernel once. Rounds are repeated, at most 99 times, while another round as long as the last one
 *  would end within the budget; the first round is always completed. Times include one reading of the clock.
 *
 *  The state of the caches is that of the application. Blocks alternate between two areas of at least 16 MiB, so that
 *  the operands have left the second-level cache since their last use. Operands that are messages in the application
 *  (L, factors, products) are packed; those that a node stores (T, C, panels, block columns of m rows) are at the bottom
 *  of a block column of n rows. Only the panel is in the cache: it is filled just before, as by the last subtraction in
 *  the application. Values are random, below 1/16; the exchanges are those of the panel.
 *
 *  @param[in]  n        Rows of the matrix, r to INT_MAX.
 *  @param[in]  r        Columns of a block column, >= 1.
 *  @param[in]  parts    Parts of each side of a product, a divisor of r; 1: not divided.
 *  @param[in]  budget   Time budget [s]; 0 means one round.
 *  @param[out] times    The times; all zero after an error.
 *  @return  0; 1 without memory; 2 if n, r or parts is invalid.
 *  @cost    The larger of 32 MiB and 16 n r bytes of memory.
 *  @source  [dps] section 7: "the corresponding benchmarked times".
 */
int kernels_measure(size_t n, size_t r, size_t parts, double budget, kernels_times *times);

/** Relative difference of two measurements of the kernels that take most of a factorization: products, triangular
 *  systems and panels.
 *
 *  The maximum over these kernels of `max(a / b, b / a) - 1`
 *
 *  @param[in] one,other  The times, of the same n, r and parts.
 *  @return  [1]; NaN if the sizes differ or a time is not positive.
 */
double kernels_difference(const kernels_times *one, const kernels_times *other);

/** Time to factor a panel of m rows.
 *
 *  `r^2 (m - r/3) / rate(m)`, where the rate [flop/s] is interpolated linearly in m; above n it is that of n
 *
 *  @param[in] times  The times.
 *  @param[in] m      Rows.
 *  @return  [s]; NaN for m < r.
 */
double kernels_panel_time(const kernels_times *times, size_t m);

/** Time to exchange rows in a block column of m rows, interpolated linearly in m; above n it is that of n.
 *
 *  @param[in] times  The times.
 *  @param[in] m      Rows.
 *  @return  [s]; NaN for m < r.
 */
double kernels_exchange_time(const kernels_times *times, size_t m);

/** Writes times as a line of comma-separated values, or the names of the columns.
 *
 *  @param[in] file   The output file.
 *  @param[in] times  The times; NULL: the names.
 */
void kernels_save(FILE *file, const kernels_times *times);

/** Reads times from a file written by kernels_save().
 *
 *  @param[in]  path         The file.
 *  @param[in]  n,r,parts    The sizes; the last line with these sizes is taken.
 *  @param[out] times        The times; `runs` and `spent` are 0.
 *  @return  0; 1: the file cannot be read; 2: it has no such line.
 */
int kernels_load(const char *path, size_t n, size_t r, size_t parts, kernels_times *times);

#endif

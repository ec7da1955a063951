/*
stencil.h - Jacobi relaxation on a square grid as a flow graph: halo exchange, then relaxation, again and again

An n x n grid of doubles with zeros around it is stored in blocks of neighbouring rows. In each iteration every block
sends its `depth` outermost rows to the blocks beside it, and then relaxes `depth` times without communication: each
cell becomes the mean of the four beside it. The operations of an iteration:

    exchange           ask each block for its borders
    send, take         a block sends its border rows to its neighbours, and these store them
    taken, exchanged   the neighbours of a block have its rows; all blocks have all rows
    compute, relax     each block relaxes, including what it needs of its neighbours' rows
    relaxed            count the blocks; the program is at a point, see points.h

Its efficiency is the same in each iteration, unlike that of the LU factorization.

UNITS   [s] seconds, of CPU time
*/
/** @file */
#ifndef STENCIL_H
#define STENCIL_H

#include "points.h"

/** A relaxation. */
typedef struct stencil_desc {
    size_t n;                  /**< rows and columns of the grid */
    size_t blocks;             /**< blocks of rows, 2 .. n / depth */
    size_t depth;              /**< border rows that are sent, and relaxations in an iteration, >= 1 */
    size_t iterations;         /**< 1 .. STENCIL_ITERATIONS */
    double rate;               /**< of the processor [flop/s], 4 flop for a cell; 0: the kernels are run */
    const points_desc *points; /**< who decides about the nodes after each iteration; NULL: nobody; borrowed for the
                                    call */
} stencil_desc;

/** Maximum number of iterations. */
#define STENCIL_ITERATIONS 1000

/** A relaxation in a graph. */
typedef struct stencil stencil;

/** Adds a relaxation to an empty graph, which owns it.
 *
 *  @param[in]  graph  An empty graph.
 *  @param[in]  desc   Copied.
 *  @param[out] all    The relaxation.
 *  @param[out] why    why[200]: the error as a sentence.
 *  @return  FLOWGRAPH_OK, or an error of the graph.
 */
flowgraph_result stencil_open(flowgraph *graph, const stencil_desc *desc, stencil **all, char why[200]);

/** The operation to start, on thread 0. The time of mark k is the beginning of iteration k.
 *
 *  @param[in] all  The relaxation.
 *  @return  The operation.
 */
flowgraph_operation stencil_entry(const stencil *all);

/** Checks a run.
 *
 *  @param[in] all  The relaxation.
 *  @return  The sum of all cells after the run, block by block; NaN if the grid was never allocated.
 */
double stencil_sum(const stencil *all);

/** What stencil_sum() must return, computed without a graph, slowly.
 *
 *  @param[in] desc  The relaxation.
 *  @return  The sum; NaN without memory.
 */
double stencil_check(const stencil_desc *desc);

#endif

/*
lu.h - the block LU factorization of the DPS paper as a flow graph, and what its pieces cost

An n x n matrix lies in block columns of r columns, block column j on node j mod N. Iteration k factors panel k, solves
for the blocks of U beside it, multiplies (K-1-k)^2 pairs of blocks, K = n / r, all over the cluster, and subtracts the
products. [dps] section 5 and figure 5 give the graph; its letters name the operations here:

    a panel            factor panel k, post a solve request for each later block column, a flip for each earlier one
    b solve            exchange rows as the panel did, solve for the block of U, post it to where the panel is
    c collect, deal    for each block of U, post it with each block of the panel below its diagonal, as a multiplication
    d multiply         anywhere: request number q of the iteration runs on node q mod N
    e subtract         where the block is
    f collect          count the finished blocks; then the next panel, where it is
    g flip             exchange rows in an earlier block column
    h end              collect all flips

In the basic graph c and f are a merge and then a split; in the pipelined graph (P) they are streams, which go on as soon
as one block column is complete. Each node has an execution thread for its block columns and one for multiplications.
Flow control (FC) is a window of c: so many multiplications of an iteration are under way. Parallel sub-block
multiplication (PM) puts the graph of figure 7 in the place of d: r / p columns of the second block stay on p nodes, and
each part of the first block comes by. Nodes can be given back after any iteration.

The same program runs for real, directly executed, or on numbers for its kernels: flowgraph.h says how that is chosen.

USE     compile lu.c, kernels.c and the flowgraph*.c beside your own files; one of those holds the body of simkit.h
UNITS   [s] seconds, processor or virtual; [B] bytes
*/
/** @file */
#ifndef LU_H
#define LU_H

#include "flowgraph.h"
#include "kernels.h"

/*=============================================================================
 * MARK: - >>costs
 *===========================================================================*/
/** Most block columns of a matrix. */
#define LU_ITERATIONS 256

/** Processor times of the pieces, for one n and r. A value. */
typedef struct lu_costs {
    size_t n;                       /**< rows of the matrix */
    size_t r;                       /**< columns of a block column */
    double multiply;                /**< a product of two blocks [s] */
    double subtract;                /**< taking a product from a block [s] */
    double solve;                   /**< a block of U [s] */
    double pack;                    /**< copying a block out of its column, to be sent [s] */
    size_t parts;                   /**< PM: into how many parts the sides of a product are divided; 1: not at all */
    double part;                    /**< PM: a product of two parts [s] */
    double panel[LU_ITERATIONS];    /**< panel[n / r]: panel k, of n - k r rows [s] */
    double exchange[LU_ITERATIONS]; /**< exchange[n / r]: the row exchanges of panel k in another block column [s] */
} lu_costs;

/** Costs from the rates of a machine file.
 *
 *  | piece | cost | key of the file |
 *  |---|---|---|
 *  | multiply | `2 r^3 / rate` | multiply.rate [flop/s] |
 *  | part | `2 r^3 / parts^2 / rate` | multiply.rate |
 *  | solve | `r^3 / rate` | solve.rate [flop/s] |
 *  | subtract | `24 r^2 / rate`: two blocks read, one written | memory.rate [B/s] |
 *  | pack | `16 r^2 / rate`: read and written | memory.rate [B/s] |
 *  | exchange | `32 r^2 / rate`: r rows read and written, twice | memory.rate [B/s] |
 *  | panel k | `r^2 (m - r/3) ((1 - f) / cached + f / streamed)`, m = n - k r | panel.cached, panel.streamed [flop/s] |
 *
 *  where `f = max(0, 1 - cache / (24 r^2))` is the part of three r x r blocks that the cache, memory.cache [B], does not
 *  hold: an unblocked panel factorization streams what does not fit.
 *
 *  @param[in]  machine  The machine.
 *  @param[in]  n,r      Rows of the matrix and columns of a block column, which must divide n.
 *  @param[in]  parts    Of the sides of a product, which must divide r; 1: not divided.
 *  @param[out] costs    The costs.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT if r does not divide n into 1 to LU_ITERATIONS parts, or the machine lacks a
 *           key: then a cost is NaN.
 *  @source  the counts [dps] section 5; the form of the panel is ours, see examples/machines/dps.machine
 */
simkit_result lu_costs_of_machine(const simkit_machine *machine, size_t n, size_t r, size_t parts, lu_costs *costs);

/** Costs as measured: kernels_measure().
 *
 *  @param[in]  times  The times.
 *  @param[out] costs  The costs for the same n and r.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT if r does not divide n into 1 to LU_ITERATIONS parts.
 */
simkit_result lu_costs_of_kernels(const kernels_times *times, lu_costs *costs);

/** The same on a slower processor.
 *
 *  @param[in,out] costs  The costs.
 *  @param[in]     times  By how much everything takes longer.
 */
void lu_costs_slower(lu_costs *costs, double times);

/** Processor time of one iteration, all nodes together.
 *
 *  @param[in] costs      The costs.
 *  @param[in] iteration  From 0 to n / r - 1.
 *  @return  [s]
 */
double lu_costs_iteration(const lu_costs *costs, size_t iteration);

/** Processor time of all iterations: the serial running time.
 *
 *  @param[in] costs  The costs.
 *  @return  [s]
 */
double lu_costs_serial(const lu_costs *costs);

/*=============================================================================
 * MARK: - >>lu
 *===========================================================================*/
/** Nodes given back: the last ones of those that are left. */
typedef struct lu_release {
    size_t after; /**< after so many iterations, >= 1 */
    size_t nodes; /**< how many */
} lu_release;

/** A factorization. */
typedef struct lu_desc {
    size_t n;                   /**< rows of the matrix */
    size_t r;                   /**< columns of a block column; must divide n into at most LU_ITERATIONS */
    bool pipelined;             /**< P: streams instead of merges and splits */
    size_t window;              /**< FC: most multiplications of an iteration under way; 0: any number */
    size_t parts;               /**< PM: parts of each side of a product, a divisor of r; 0 or 1: not divided */
    size_t column_nodes;        /**< block columns lie on so many of the nodes, the first ones; 0: on all */
    const lu_release *releases; /**< releases[release_count], ascending; kept, not copied */
    size_t release_count;       /**< how many */
    const lu_costs *costs;      /**< what the kernels cost, of the same n, r and parts; NULL: they are run; kept */
} lu_desc;

/** What came out. */
typedef struct lu_outcome {
    double seconds;                  /**< running time [s] */
    size_t iterations;               /**< n / r */
    double start[LU_ITERATIONS + 1]; /**< start[iterations + 1]: when each panel began, and the end [s] */
    double
        efficiency[LU_ITERATIONS + 1]; /**< efficiency[iterations + 1]: dynamic efficiency of each, and of all [1]; NaN
                                               if the graph keeps no record */
    double node_seconds;               /**< nodes times how long each was held [s]; NaN without a record */
    char why[640];                     /**< the sentence, if it failed */
} lu_outcome;

/** A factorization in a graph. */
typedef struct lu lu;

/** Puts a factorization into an empty graph. It belongs to the graph, and goes when that is closed.
 *
 *  @param[in]  graph  The graph.
 *  @param[in]  desc   The factorization; borrowed.
 *  @param[out] all    It.
 *  @param[out] why    why[200]: the sentence, if it failed.
 *  @return  FLOWGRAPH_OK, or as the graph answers.
 */
flowgraph_result lu_open(flowgraph *graph, const lu_desc *desc, lu **all, char why[200]);

/** Makes the matrix where it belongs, then factors it, which alone is timed.
 *
 *  @param[in]  all      The factorization.
 *  @param[out] outcome  What came out.
 *  @return  FLOWGRAPH_OK, or as flowgraph_run().
 */
flowgraph_result lu_factor(lu *all, lu_outcome *outcome);

/** How well L and U fit: `|| P A - L U || / (n eps || A ||)`, Frobenius norms.
 *
 *  The factors come to node 0. The norm of the residual is estimated from its products with eight random vectors of ones
 *  and minus ones: the mean square of such a product is the square of the norm.
 *
 *  @param[in]  all       The factorization, after lu_factor().
 *  @param[out] residual  About 1 or less where all is well; NaN if the matrix was never there.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_NO_MEMORY, or as flowgraph_run().
 */
flowgraph_result lu_check(lu *all, double *residual);

/** A factorization on so many nodes of a machine, on numbers for its kernels, in a graph of its own.
 *
 *  @param[in]  machine  Its nodes and network; what the pieces cost there is in `desc->costs`.
 *  @param[in]  nodes    How many nodes, >= 1.
 *  @param[in]  desc     The factorization.
 *  @param[in]  svg      File for the timing diagram; NULL: none.
 *  @param[in]  trace    File for the Chrome trace; NULL: none.
 *  @param[out] outcome  What came out.
 *  @return  As lu_factor(); FLOWGRAPH_WORLD also if a file could not be written.
 */
flowgraph_result lu_predict(const simkit_machine *machine, size_t nodes, const lu_desc *desc, const char *svg,
                            const char *trace, lu_outcome *outcome);

#endif

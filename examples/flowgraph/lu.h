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

In the basic graph c and f are a merge and then a split; in the pipelined graph they are streams, which go on as soon as
one block column is complete. Each node has a thread for its block columns and one for multiplications.

USE     compile lu.c and flowgraph.c beside your own files; one of those holds the body of simkit.h
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
    double panel[LU_ITERATIONS];    /**< panel[n / r]: panel k, of n - k r rows [s] */
    double exchange[LU_ITERATIONS]; /**< exchange[n / r]: the row exchanges of panel k in another block column [s] */
} lu_costs;

/** Costs from the rates of a machine file.
 *
 *  | piece | cost | key of the file |
 *  |---|---|---|
 *  | multiply | `2 r^3 / rate` | multiply.rate [flop/s] |
 *  | solve | `r^3 / rate` | solve.rate [flop/s] |
 *  | subtract | `24 r^2 / rate`: two blocks read, one written | memory.rate [B/s] |
 *  | exchange | `32 r^2 / rate`: r rows read and written, twice | memory.rate [B/s] |
 *  | panel k | `r^2 (m - r/3) ((1 - f) / cached + f / streamed)`, m = n - k r | panel.cached, panel.streamed [flop/s] |
 *
 *  where `f = max(0, 1 - cache / (24 r^2))` is the part of three r x r blocks that the cache, memory.cache [B], does not
 *  hold: an unblocked panel factorization streams what does not fit.
 *
 *  @param[in]  machine  The machine.
 *  @param[in]  n,r      Rows of the matrix and columns of a block column, which must divide n.
 *  @param[out] costs    The costs.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT if r does not divide n into 1 to LU_ITERATIONS parts, or the machine lacks a
 *           key: then a cost is NaN.
 *  @source  the counts [dps] section 5; the form of the panel is ours, see examples/machines/dps.machine
 */
simkit_result lu_costs_of_machine(const simkit_machine *machine, size_t n, size_t r, lu_costs *costs);

/** Costs as measured: kernels_measure().
 *
 *  @param[in]  times  The times.
 *  @param[out] costs  The costs for the same n and r.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT if r does not divide n into 1 to LU_ITERATIONS parts.
 */
simkit_result lu_costs_of_kernels(const kernels_times *times, lu_costs *costs);

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
/** A factorization to simulate. */
typedef struct lu_desc {
    simkit_world *world;      /**< where; its clock should stand at 0 */
    const simkit_node *nodes; /**< nodes[node_count] */
    size_t node_count;        /**< on how many nodes, >= 1 */
    bool pipelined;           /**< which of the two graphs */
    const lu_costs *costs;    /**< n, r and what the pieces cost */
} lu_desc;

/** What came out. */
typedef struct lu_outcome {
    double seconds;                  /**< running time [s] */
    size_t iterations;               /**< n / r */
    double start[LU_ITERATIONS + 1]; /**< start[iterations + 1]: when each panel began, and the end [s] */
    char why[640];                   /**< the sentence, if it failed */
} lu_outcome;

/** Simulates a factorization: builds the graph, runs the world, reads the clock.
 *
 *  @param[in]  desc     The factorization; borrowed.
 *  @param[out] outcome  What came out.
 *  @return  FLOWGRAPH_OK, or as flowgraph_run(); then the world can only be closed.
 */
flowgraph_result lu_run(const lu_desc *desc, lu_outcome *outcome);

/** A factorization on so many nodes of a machine, in a world of its own.
 *
 *  @param[in]  machine    Its nodes and network; what the pieces cost there is in `costs`.
 *  @param[in]  nodes      How many nodes, >= 1.
 *  @param[in]  pipelined  Which of the two graphs.
 *  @param[in]  costs      n, r and what the pieces cost.
 *  @param[in]  svg        File for the timing diagram; NULL: none.
 *  @param[in]  trace      File for the Chrome trace; NULL: none.
 *  @param[out] outcome    What came out.
 *  @return  As lu_run(); FLOWGRAPH_WORLD also if a file could not be written.
 */
flowgraph_result lu_predict(const simkit_machine *machine, size_t nodes, bool pipelined, const lu_costs *costs,
                            const char *svg, const char *trace, lu_outcome *outcome);

/** Dynamic efficiency of an iteration: the part of the nodes' time in which they did its computing.
 *
 *  `E_k = (processor time of iteration k) / (nodes * (start[k+1] - start[k]))`
 *
 *  In the pipelined graph iterations overlap, and the work of one may fall into the next one's time.
 *
 *  @param[in] costs      The costs it ran with.
 *  @param[in] nodes      On how many nodes it ran.
 *  @param[in] outcome    What came out.
 *  @param[in] iteration  From 0 to iterations - 1.
 *  @return  Efficiency [1]; NaN for an iteration that is not there.
 *  @source  [dps] section 8
 */
double lu_efficiency(const lu_costs *costs, size_t nodes, const lu_outcome *outcome, size_t iteration);

#endif

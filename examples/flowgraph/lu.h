/*
lu.h - the block LU factorization of the DPS paper as a flow graph, and the costs of its kernels

An n x n matrix is stored in block columns of r columns, block column j on node j mod N. Iteration k factors panel k,
solves for the blocks of U beside it, multiplies (K-1-k)^2 pairs of blocks, K = n / r, on all nodes, and subtracts the
products. [dps] section 5 and figure 5 give the graph; its letters name the operations here:

    a panel            factor panel k, post a solve request for each later block column, a flip for each earlier one
    b solve            exchange rows as the panel did, solve for the block of U, post it to the node of the panel
    c collect, deal    for each block of U, post it with each block of the panel below its diagonal, as a multiplication
    d multiply         request number q of the iteration runs on node q mod N
    e subtract         on the node of the block
    f collect          count the finished blocks; then the next panel, on its node
    g flip             exchange rows in an earlier block column
    h end              collect all flips

In the basic graph c and f are a merge followed by a split; in the pipelined graph (P) they are streams, which continue
as soon as one block column is complete. Each node has an execution thread for its block columns and one for
multiplications. Flow control (FC) is a window of c: the maximum number of multiplications of an iteration in progress.
Parallel sub-block multiplication (PM) replaces d with the graph of figure 7: r / p columns of the second block stay on
each of p nodes, and each part of the first block visits them. Nodes can be released after any iteration.

The same program runs for real, with direct execution, or with modelled kernels: see MODES in flowgraph.h.

USE     compile lu.c, kernels.c and the flowgraph*.c beside your own files; one of those holds the bodies of the kit
UNITS   [s] seconds, of CPU time or virtual time; [B] bytes
*/
/** @file */
#ifndef LU_H
#define LU_H

#include "flowgraph.h"
#include "kernels.h"
#include "points.h"

/*=============================================================================
 * MARK: - >>costs
 *===========================================================================*/
/** Maximum number of block columns of a matrix. */
#define LU_ITERATIONS 256

/** CPU times of the kernels, for one n and r. A value. */
typedef struct lu_costs {
    size_t n;                       /**< rows of the matrix */
    size_t r;                       /**< columns of a block column */
    double multiply;                /**< a product of two blocks [s] */
    double subtract;                /**< subtracting a product from a block [s] */
    double solve;                   /**< a block of U [s] */
    double pack;                    /**< copying a block out of its column, to be sent [s] */
    size_t parts;                   /**< PM: number of parts of each side of a product; 1: not divided */
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
 *  where `f = max(0, 1 - cache / (24 r^2))` is the fraction of three r x r blocks that does not fit into the cache,
 *  memory.cache [B]: an unblocked panel factorization reads that part from memory.
 *
 *  @param[in]  machine  The machine.
 *  @param[in]  n,r      Rows of the matrix and columns of a block column, which must divide n.
 *  @param[in]  parts    Parts of each side of a product, a divisor of r; 1: not divided.
 *  @param[out] costs    The costs.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT if r does not divide n into 1 to LU_ITERATIONS parts, or if the machine lacks
 *           a key, whose costs are NaN then.
 *  @source  the counts [dps] section 5; the form of the panel is ours, see examples/machines/dps.machine
 */
simkit_result lu_costs_of_machine(const simkit_machine *machine, size_t n, size_t r, size_t parts, lu_costs *costs);

/** Costs measured by kernels_measure().
 *
 *  @param[in]  times  The times.
 *  @param[out] costs  The costs for the same n and r.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT if r does not divide n into 1 to LU_ITERATIONS parts.
 */
simkit_result lu_costs_of_kernels(const kernels_times *times, lu_costs *costs);

/** Scales costs to a slower processor.
 *
 *  @param[in,out] costs  The costs.
 *  @param[in]     times  Factor on all costs.
 */
void lu_costs_slower(lu_costs *costs, double times);

/** CPU time of one iteration, summed over all nodes.
 *
 *  @param[in] costs      The costs.
 *  @param[in] iteration  From 0 to n / r - 1.
 *  @return  [s]
 */
double lu_costs_iteration(const lu_costs *costs, size_t iteration);

/** CPU time of all iterations: the serial running time.
 *
 *  @param[in] costs  The costs.
 *  @return  [s]
 */
double lu_costs_serial(const lu_costs *costs);

/*=============================================================================
 * MARK: - >>lu
 *===========================================================================*/
/** Nodes to release, those with the highest numbers. */
typedef struct lu_release {
    size_t after; /**< iterations before the release, >= 1 */
    size_t nodes; /**< number of nodes */
} lu_release;

/** A factorization. */
typedef struct lu_desc {
    size_t n;                   /**< rows of the matrix */
    size_t r;                   /**< columns of a block column; must divide n into at most LU_ITERATIONS */
    bool pipelined;             /**< P: streams instead of merges and splits */
    size_t window;              /**< FC: maximum number of multiplications of an iteration in progress; 0: any number */
    size_t parts;               /**< PM: parts of each side of a product, a divisor of r; 0 or 1: not divided */
    const uint32_t *places;     /**< lu_predict(): places[nodes] as flowgraph_places() says; NULL: the first nodes */
    size_t column_nodes;        /**< number of nodes that store block columns, the first ones; 0: all */
    const lu_release *releases; /**< releases[release_count], ascending; kept, not copied */
    size_t release_count;       /**< number of releases; 0 if pipelined with parts > 1 */
    /** Basic graph: who decides about the nodes after each iteration; f then runs on node 0, and block columns are spread
     *  over the nodes that there are. NULL: nobody. Borrowed for the call. */
    const points_desc *points;
    const lu_costs *costs; /**< costs of the kernels for the same n, r and parts; NULL: they are run; kept */
} lu_desc;

/** The result of a factorization. */
typedef struct lu_outcome {
    double seconds;                  /**< running time [s] */
    size_t iterations;               /**< n / r */
    double start[LU_ITERATIONS + 1]; /**< start[iterations + 1]: beginning of each panel, and the end [s] */
    /** efficiency[iterations + 1]: dynamic efficiency of each iteration, and of the run [1]; NaN without a record. */
    double efficiency[LU_ITERATIONS + 1];
    double node_seconds; /**< integral of the number of nodes [s]; NaN without a record */
    char why[640];       /**< the error as a sentence */
} lu_outcome;

/** A factorization in a graph. */
typedef struct lu lu;

/** Adds a factorization to an empty graph, which owns it.
 *
 *  @param[in]  graph  The graph.
 *  @param[in]  desc   The factorization; borrowed.
 *  @param[out] all    The new factorization.
 *  @param[out] why    why[200]: the error as a sentence.
 *  @return  FLOWGRAPH_OK, or an error of the graph.
 */
flowgraph_result lu_open(flowgraph *graph, const lu_desc *desc, lu **all, char why[200]);

/** The operations to start, one run after the other, on thread 0: creating the matrix, factoring it. For programs whose
 *  host runs the world; others call lu_factor(). */
typedef struct lu_entries {
    flowgraph_operation create; /**< the first run */
    flowgraph_operation factor; /**< the second; the time of mark k is the beginning of iteration k */
} lu_entries;

/** The operations to start.
 *
 *  @param[in] all  The factorization.
 *  @return  Both.
 */
lu_entries lu_entries_of(const lu *all);

/** Creates the matrix on its nodes. lu_factor() does so unless it was done.
 *
 *  @param[in] all  The factorization.
 *  @return  FLOWGRAPH_OK, or as flowgraph_run().
 */
flowgraph_result lu_create(lu *all);

/** Creates the matrix on its nodes, then factors it; only the factorization is timed.
 *
 *  @param[in]  all      The factorization.
 *  @param[out] outcome  The result.
 *  @return  FLOWGRAPH_OK, or as flowgraph_run().
 */
flowgraph_result lu_factor(lu *all, lu_outcome *outcome);

/** The relative residual `|| P A - L U || / (n eps || A ||)`, in Frobenius norms.
 *
 *  The factors are sent to node 0. The norm of the residual is estimated from its products with eight random vectors of
 *  elements +1 and -1: the mean square of such a product is the square of the norm.
 *
 *  @param[in]  all       The factorization, after lu_factor().
 *  @param[out] residual  About 1 or less for correct factors; NaN if the matrix was never allocated.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_NO_MEMORY, or as flowgraph_run().
 */
flowgraph_result lu_check(lu *all, double *residual);

/** Simulates a factorization with modelled kernels on a machine, in a graph of its own.
 *
 *  @param[in]  machine  Nodes and network; the costs of the kernels there are in `desc->costs`.
 *  @param[in]  nodes    Number of nodes, >= 1.
 *  @param[in]  desc     The factorization.
 *  @param[in]  svg      File for the timing diagram; NULL: none.
 *  @param[in]  trace    File for the Chrome trace; NULL: none.
 *  @param[out] outcome  The result.
 *  @return  As lu_factor(); FLOWGRAPH_WORLD also if a file could not be written.
 */
flowgraph_result lu_predict(const simkit_machine *machine, size_t nodes, const lu_desc *desc, const char *svg,
                            const char *trace, lu_outcome *outcome);

#endif

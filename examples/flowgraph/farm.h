/*
farm.h - an irregular task farm as a flow graph: rounds of independent tasks, fewer from round to round

A master on node 0 hands out tasks to workers in turn, one worker on each node, and collects the results. Each round has
half of the tasks that are left, and the last one the rest, as in a search that narrows. How long a task takes differs
much: its length is from a Pareto distribution with exponent 2, cut off at 20 times the mean. The operations of a round:

    hand out           post the tasks of the round
    search             worker t mod N does task t: it counts the candidates that have a property
    collect            add up what was found; the program is at a point, see points.h

So efficiency falls: within a round workers wait for the one with the longest tasks, and the last rounds have fewer tasks
than there are nodes.

UNITS   [s] seconds, of CPU time
*/
/** @file */
#ifndef FARM_H
#define FARM_H

#include "points.h"

/** A farm. */
typedef struct farm_desc {
    size_t tasks;              /**< number of tasks, 1 .. 1e6 */
    size_t rounds;             /**< 1 .. FARM_ROUNDS, at most `tasks` */
    double candidates;         /**< mean number of candidates of a task, 1 .. 1e12 */
    uint64_t seed;             /**< of the lengths */
    double seconds;            /**< CPU time of a candidate [s]; 0: the tasks are done */
    const points_desc *points; /**< who decides about the nodes after each round; NULL: nobody; borrowed for the call */
} farm_desc;

/** Maximum number of rounds. */
#define FARM_ROUNDS 64

/** A farm in a graph. */
typedef struct farm farm;

/** Adds a farm to an empty graph, which owns it.
 *
 *  @param[in]  graph  An empty graph.
 *  @param[in]  desc   Copied.
 *  @param[out] all    The farm.
 *  @param[out] why    why[200]: the error as a sentence.
 *  @return  FLOWGRAPH_OK, or an error of the graph.
 */
flowgraph_result farm_open(flowgraph *graph, const farm_desc *desc, farm **all, char why[200]);

/** The operation to start, on thread 0. The time of mark k is the beginning of round k.
 *
 *  @param[in] all  The farm.
 *  @return  The operation.
 */
flowgraph_operation farm_entry(const farm *all);

/** How long a task is.
 *
 *  @param[in] desc  The farm.
 *  @param[in] task  0 .. desc->tasks - 1.
 *  @return  Its number of candidates.
 */
uint64_t farm_candidates(const farm_desc *desc, size_t task);

/** How many tasks a round has.
 *
 *  @param[in] desc   The farm.
 *  @param[in] round  0 .. desc->rounds - 1.
 *  @return  Its number of tasks.
 */
size_t farm_round(const farm_desc *desc, size_t round);

/** What was found in all tasks.
 *
 *  @param[in] all  The farm.
 *  @return  The number of candidates with the property; 0 if the tasks were not done.
 */
uint64_t farm_found(const farm *all);

/** The kernel of the graph, for measuring it and for checking what was found.
 *
 *  @param[in] seed        Of the lengths.
 *  @param[in] task        Its number.
 *  @param[in] candidates  How many are looked at.
 *  @return  The number of those with the property.
 */
uint64_t farm_search(uint64_t seed, size_t task, uint64_t candidates);

#endif

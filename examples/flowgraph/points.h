/*
points.h - points at which a program changes its nodes while it runs

A program whose nodes are given and taken by somebody else, such as a cluster server, has points: an operation on node 0
at the end of an iteration. There it asks which nodes it has from now on. Nodes that come join the graph, threads move
to where they belong, with their data, and nodes that go leave when their last thread has left.

Collections of threads are of two kinds. A shared one has more threads than nodes, such as one for each block column of a
matrix; its threads are spread evenly, and as few as possible move. A collection of workers has one thread on each node.

[dps] section 6 releases nodes at such points; that nodes come as well is ours.
*/
/** @file */
#ifndef POINTS_H
#define POINTS_H

#include "flowgraph.h"

/** Who decides, and about what. */
typedef struct points_desc {
    size_t nodes;   /**< nodes of the graph, as flowgraph_desc.nodes */
    size_t maximum; /**< how many of them the program can use at once, 1 .. nodes */
    /** Says which nodes the program has from now on.
     *
     *  @param[in]     task       The operation at the point; it may wait.
     *  @param[in]     iteration  The one that comes next, from 1.
     *  @param[in,out] has        has[nodes]: whether the program has a node. Node 0 must stay.
     *  @return  false: the program must end.
     */
    bool (*ask)(void *user, flowgraph_task *task, size_t iteration, bool *has);
    /** Called when the program has the nodes that it was given; nodes that go may still be leaving, see
     *  flowgraph_host.left. NULL: not called. */
    void (*changed)(void *user);
    void *user; /**< passed to both */
} points_desc;

/** The points of a program. */
typedef struct points points;

/** Opens the points of a graph, which owns them.
 *
 *  @param[in]  graph  An empty graph.
 *  @param[in]  desc   Copied.
 *  @param[out] p      The points.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result points_open(flowgraph *graph, const points_desc *desc, points **p);

/** Adds a collection of `count` threads, spread over the nodes at first as over those that take part later. Its thread 0
 *  stays on node 0.
 *
 *  @param[in]  p          The points.
 *  @param[in]  name       As in flowgraph_threads_desc.
 *  @param[in]  count      Number of threads.
 *  @param[in]  execution  As in flowgraph_threads_desc.
 *  @param[out] threads    The collection.
 *  @return  As flowgraph_threads_add().
 */
flowgraph_result points_share(points *p, const char *name, size_t count, uint32_t execution,
                              flowgraph_threads *threads);

/** Adds a collection of workers, one on each node.
 *
 *  @param[in]  p          The points.
 *  @param[in]  name       As in flowgraph_threads_desc.
 *  @param[in]  execution  As in flowgraph_threads_desc.
 *  @param[out] threads    The collection.
 *  @return  As flowgraph_threads_add().
 */
flowgraph_result points_workers(points *p, const char *name, uint32_t execution, flowgraph_threads *threads);

/** Begins a run. To be called by its first operation, on node 0, before it posts.
 *
 *  @param[in] p     The points.
 *  @param[in] task  The operation.
 *  @return  FLOWGRAPH_OK, or as flowgraph_resize().
 */
flowgraph_result points_begin(points *p, flowgraph_task *task);

/** The program is at a point.
 *
 *  @param[in] p          The points.
 *  @param[in] task       The operation, on node 0.
 *  @param[in] iteration  The one that comes next, from 1.
 *  @param[in] first      Threads of shared collections before this one have no more work; they move only if their node
 *                        leaves.
 *  @return  FLOWGRAPH_OK, or as flowgraph_join() and flowgraph_move().
 */
flowgraph_result points_reach(points *p, flowgraph_task *task, size_t iteration, size_t first);

/** How many nodes the program has.
 *
 *  @param[in] p  The points.
 *  @return  Number of nodes.
 */
size_t points_nodes(const points *p);

#endif

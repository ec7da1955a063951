/*
record.h - analysis of a run of a flow graph: dynamic efficiency, critical path, and pictures

A graph that was opened with `record` keeps every execution of an operation, every message, and which nodes took part.
Real and simulated runs are recorded in the same way, so they can be compared and drawn side by side.

UNITS   [s] seconds since the beginning of the run
*/
/** @file */
#ifndef RECORD_H
#define RECORD_H

#include "flowgraph.h"

/** Dynamic efficiency: the fraction of the nodes' time in which operations computed.
 *
 *  `E = (CPU time of operations between from and to) / (integral of the number of nodes)`
 *
 *  The CPU time of an operation is spread evenly over its duration, and scaled by the speed of its node.
 *
 *  @param[in] graph    The graph, between runs.
 *  @param[in] from,to  The interval [s].
 *  @return  [1]; NaN without a record, or for an empty interval.
 *  @source  [dps] sections 1 and 8
 */
double record_efficiency(const flowgraph *graph, double from, double to);

/** Node seconds: the integral of the number of nodes that took part.
 *
 *  @param[in] graph    The graph, between runs.
 *  @param[in] from,to  The interval [s].
 *  @return  [s]; NaN without a record.
 */
double record_node_seconds(const flowgraph *graph, double from, double to);

/** Kinds of pieces of the critical path. */
typedef enum record_kind {
    RECORD_OPERATION, /**< an operation computes */
    RECORD_MESSAGE,   /**< an object travels */
    RECORD_WAIT       /**< an object waits in the queue of a busy execution thread */
} record_kind;

/** A piece of the critical path. */
typedef struct record_piece {
    record_kind kind; /**< operation, message or wait */
    const char *name; /**< of the operation; for a message or a wait, of the operation that takes the object */
    double begin;     /**< since the beginning of the run [s] */
    double end;       /**< [s] */
    uint32_t node;    /**< the node; for a message, the receiver */
} record_piece;

/** The critical path, found from the end of the run backwards.
 *
 *  An operation begins when its object has arrived and its execution thread is free. If the object came last, the path
 *  continues with its message and the operation that posted it; otherwise with what the thread did before. The pieces
 *  cover the run without gaps or overlaps.
 *
 *  @param[in]  graph   The graph, between runs.
 *  @param[out] pieces  pieces[*count], in order of time; the caller frees it.
 *  @param[out] count   Number of pieces.
 *  @return  false without a record or without memory.
 */
bool record_critical_path(const flowgraph *graph, record_piece **pieces, size_t *count);

/** A run to draw. */
typedef struct record_run {
    const flowgraph *graph; /**< the graph, between runs */
    const char *name;       /**< prefix of the names of its nodes; NULL: none */
} record_run;

/** Draws runs below each other, with the same colours and time axis.
 *
 *  @param[in]  runs   runs[count].
 *  @param[in]  count  Number of runs.
 *  @param[in]  title  Title of the picture.
 *  @param[in]  svg    File for the timing diagram; NULL: none.
 *  @param[in]  trace  File for the Chrome trace; NULL: none.
 *  @param[out] why    why[200]: the error as a sentence.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD (a file could not be written).
 */
flowgraph_result record_draw(const record_run *runs, size_t count, const char *title, const char *svg,
                             const char *trace, char why[200]);

#endif

/*
record.h - what a run of a flow graph was: its efficiency over time, what its length is made of, and its picture

A graph that was opened with `record` keeps what each operation did, each message, and which nodes took part. That is the
same for a real run and a simulated one, so both can be asked and drawn in the same way, and side by side.

UNITS   [s] seconds from the beginning of the run
*/
/** @file */
#ifndef RECORD_H
#define RECORD_H

#include "flowgraph.h"

/** Dynamic efficiency: the part of the nodes' time in which operations computed.
 *
 *  `E = (processor time of operations between from and to) / (integral of the nodes that take part)`
 *
 *  The processor time of an operation counts evenly between its beginning and its end, and at the speed of its node.
 *
 *  @param[in] graph    The graph, between runs.
 *  @param[in] from,to  Between when [s].
 *  @return  [1]; NaN without a record, or where no time goes by.
 *  @source  [dps] sections 1 and 8
 */
double record_efficiency(const flowgraph *graph, double from, double to);

/** How long nodes were held, all together.
 *
 *  @param[in] graph    The graph, between runs.
 *  @param[in] from,to  Between when [s].
 *  @return  [s]; NaN without a record.
 */
double record_node_seconds(const flowgraph *graph, double from, double to);

/** What a piece of the critical path is. */
typedef enum record_kind {
    RECORD_OPERATION, /**< an operation computes */
    RECORD_MESSAGE,   /**< an object travels */
    RECORD_WAIT       /**< an object waits in a queue, although nothing that it needs is missing */
} record_kind;

/** A piece of the critical path. */
typedef struct record_piece {
    record_kind kind; /**< what it is */
    const char *name; /**< of the operation; of a message and a wait, of the one that takes it */
    double begin;     /**< from the beginning of the run [s] */
    double end;       /**< [s] */
    uint32_t node;    /**< where; of a message: where to */
} record_piece;

/** The critical path: what happened just before the end, what had to happen just before that, and so on.
 *
 *  An operation begins when its object has arrived and its execution thread is free. If the object came last, the path
 *  goes on with its way and with who posted it; if the thread did, with what the thread did before. Each instant of the
 *  run is in one piece.
 *
 *  @param[in]  graph   The graph, between runs.
 *  @param[out] pieces  pieces[*count], from the beginning; to be freed by the caller.
 *  @param[out] count   How many.
 *  @return  Whether there is a record, and memory.
 */
bool record_critical_path(const flowgraph *graph, record_piece **pieces, size_t *count);

/** A run to draw. */
typedef struct record_run {
    const flowgraph *graph; /**< the graph, between runs */
    const char *name;       /**< what to write before the names of its nodes; NULL: nothing */
} record_run;

/** Draws runs under each other, in the same colours and on the same axis.
 *
 *  @param[in]  runs   runs[count].
 *  @param[in]  count  How many.
 *  @param[in]  title  Above the picture.
 *  @param[in]  svg    File for the timing diagram; NULL: none.
 *  @param[in]  trace  File for the Chrome trace; NULL: none.
 *  @param[out] why    why[200]: the sentence, if it failed.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD (a file could not be written).
 */
flowgraph_result record_draw(const record_run *runs, size_t count, const char *title, const char *svg,
                             const char *trace, char why[200]);

#endif

/*
flowgraph.h - a parallel program as a graph of operations through which data objects flow, on the virtual clock

Operations run in logical threads, threads are placed on nodes, objects queue at threads. A split cuts one object into
many, leaves work on them wherever routing sends them, a merge collects them again; a stream is a merge that sends on
before it has all. Nothing waits for anything but the objects it needs, so computing and sending overlap by themselves.
[dps] sections 2 to 4 describe such a system; this is its simulated form with given durations.

USE     Compile flowgraph.c beside your own files; one file of the program holds the body of simkit.h. In this order:
        types, threads, operations in the order of the flow, edges; flowgraph_start() once for each input; flowgraph_run().
        lu.c is a whole application.

STEPS   An operation is a function. flowgraph_charge() says how much processor time it would have taken; nothing has
        to be computed. It is cut into atomic steps where it posts an object, waits for the next one, or ends:
        what it was charged until then is computed on its node, beside all else that runs there. Then the object
        travels, after all others that the same node sent to the same node. An operation that waits leaves its thread
        to whatever is next in the queue, and goes on when its own object comes to the head of it.

FRAMES  What one execution of a split (or stream) posts is a frame. A leaf's result stays in the frame of its object; a
        merge takes a whole frame and its result is in the frame of the object that was split. Frames nest, and each
        execution of a split has one of its own. A merge knows that it has all by counting.

UNITS   [s] virtual seconds, [B] bytes
ERRORS  A flowgraph_result, and flowgraph_why() is the sentence. The first error in an operation ends the run; calls after
        it do nothing. A graph that has failed can only be closed.
THREADS As for the world it runs in: one at a time.
*/
/** @file */
#ifndef FLOWGRAPH_H
#define FLOWGRAPH_H

#include "simkit.h"

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
/** What a call can answer. */
typedef enum flowgraph_result {
    FLOWGRAPH_OK = 0,       /**< done */
    FLOWGRAPH_BAD_ARGUMENT, /**< a number is negative, NaN or infinite, a pointer is missing, a number names nothing */
    FLOWGRAPH_BAD_GRAPH,    /**< types that do not match, a merge without a split, a split without a merge, a cycle */
    FLOWGRAPH_BAD_ROUTE,    /**< a routing function named no thread, or sent one frame to two merges */
    FLOWGRAPH_BAD_COUNT,    /**< an operation posted too many objects or too few, or a merge left some behind */
    FLOWGRAPH_BAD_CALL,     /**< not here: a call of operations outside of one, or after a failure */
    FLOWGRAPH_INCOMPLETE,   /**< nothing is left to happen, yet operations wait */
    FLOWGRAPH_NO_MEMORY,    /**< no memory */
    FLOWGRAPH_WORLD         /**< the world said no, or was stopped */
} flowgraph_result;

/** A result in words.
 *
 *  @param[in] result  Any value.
 *  @return  A constant sentence; never NULL.
 */
const char *flowgraph_result_text(flowgraph_result result);

/*=============================================================================
 * MARK: - >>graph
 *===========================================================================*/
/** A graph, its threads, and all that flows in it. */
typedef struct flowgraph flowgraph;

typedef uint32_t flowgraph_type;      /**< Number of a type, from 1; 0 is none. */
typedef uint32_t flowgraph_threads;   /**< Number of a collection of threads, from 1; 0 is none. */
typedef uint32_t flowgraph_operation; /**< Number of an operation, from 1; 0 is none. */
typedef uint32_t flowgraph_edge;      /**< Number of an edge, from 1; 0 is none. */

/** What an operation works with while it runs. */
typedef struct flowgraph_task flowgraph_task;

/** Begins an empty graph.
 *
 *  @param[in]  world  Where it will run; must live as long as the graph runs.
 *  @param[out] graph  The graph; NULL when the call fails.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_open(simkit_world *world, flowgraph **graph);

/** Gives back all that a graph holds. After a failure its operations still lie in the world: do not run that again.
 *
 *  @param[in] graph  The graph; NULL is harmless. Not from inside an operation.
 */
void flowgraph_close(flowgraph *graph);

/** The sentence for the last error: what, with which names and numbers, at which virtual time.
 *
 *  @param[in] graph  The graph.
 *  @return  Valid until the graph is closed or the next error; empty if there was none.
 */
const char *flowgraph_why(const flowgraph *graph);

/** Adds a type of data objects.
 *
 *  @param[in]  graph  The graph.
 *  @param[in]  name   For errors and pictures; copied, up to 31 bytes.
 *  @param[in]  size   What the program itself keeps in one [B], such as a block's indices; what travels is told when
 *                     it is posted.
 *  @param[out] type   Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_type_add(flowgraph *graph, const char *name, size_t size, flowgraph_type *type);

/** Adds a collection of logical threads, each with a queue of its own, and places them.
 *
 *  @param[in]  graph    The graph.
 *  @param[in]  name     For errors and pictures; copied, up to 31 bytes.
 *  @param[in]  nodes    nodes[count]: where each of them is; a node may have several.
 *  @param[in]  count    How many, >= 1.
 *  @param[out] threads  The number of the collection.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_threads_add(flowgraph *graph, const char *name, const simkit_node *nodes, size_t count,
                                       flowgraph_threads *threads);

/** The fundamental kinds of operations, [dps] section 2. */
typedef enum flowgraph_kind {
    FLOWGRAPH_LEAF,  /**< one object in, one out */
    FLOWGRAPH_SPLIT, /**< one object in, one or more out */
    FLOWGRAPH_MERGE, /**< all objects of a frame in, one out */
    FLOWGRAPH_STREAM /**< all objects of a frame in, one or more out, some of them before all are in */
} flowgraph_kind;

/** Most types that an operation can post. */
#define FLOWGRAPH_GIVES 4

/** An operation to add. */
typedef struct flowgraph_operation_desc {
    const char *name;                      /**< for errors and pictures; copied, up to 31 bytes */
    flowgraph_kind kind;                   /**< what it is */
    flowgraph_threads threads;             /**< in which collection it runs */
    flowgraph_type takes;                  /**< the type of its objects */
    flowgraph_type gives[FLOWGRAPH_GIVES]; /**< the types that it posts; 0: no more */
    /** The operation: `object` is the first one, valid until flowgraph_next() or the end. */
    void (*run)(flowgraph_task *task, const void *object, void *user);
    void *user; /**< handed to it */
} flowgraph_operation_desc;

/** Adds an operation. An operation without edges that leave it is an end: what it would post, it does not.
 *
 *  @param[in]  graph      The graph.
 *  @param[in]  desc       The operation; borrowed.
 *  @param[out] operation  Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_operation_add(flowgraph *graph, const flowgraph_operation_desc *desc,
                                         flowgraph_operation *operation);

/** An edge to add. */
typedef struct flowgraph_edge_desc {
    flowgraph_operation from; /**< who posts */
    flowgraph_operation to;   /**< who takes; added after `from` */
    /** On which of the `count` threads of its collection `to` runs for this object, 0 .. count - 1; `from` is the
     *  number of the thread that posts it, so that neighbours can be named. NULL: on thread 0. */
    size_t (*route)(const void *object, size_t from, size_t count, void *user);
    void *user; /**< handed to it */
    /** Objects on this edge go past what `from` opens: to the merge that collects the result of all of it. They are
     *  in the frame of the object that a split or leaf took, or of the one whose frame a merge or stream collects; any
     *  number of them, in addition to the others. */
    bool outer;
} flowgraph_edge_desc;

/** Joins two operations.
 *
 *  @param[in]  graph  The graph.
 *  @param[in]  desc   The edge; borrowed.
 *  @param[out] edge   Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_GRAPH (the type that one takes the other does not
 *           give; or `to` comes before `from`), FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_edge_add(flowgraph *graph, const flowgraph_edge_desc *desc, flowgraph_edge *edge);

/*=============================================================================
 * MARK: - >>run
 *===========================================================================*/
/** Puts an object into the queue of a thread, from outside, at this instant and in a frame of its own.
 *
 *  @param[in] graph      The graph; the first call checks it as a whole, and nothing can be added to it any more.
 *  @param[in] operation  Who takes it: a leaf or a split.
 *  @param[in] thread     On which thread of its collection, from 0.
 *  @param[in] object     What is in it, as large as its type says; copied; may be NULL for size 0.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_GRAPH (a merge that collects nothing, a split that
 *           nobody collects, an operation reached in two depths), FLOWGRAPH_BAD_CALL, FLOWGRAPH_NO_MEMORY,
 *           FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_start(flowgraph *graph, flowgraph_operation operation, size_t thread, const void *object);

/** Runs the world until all objects have arrived at an end.
 *
 *  @param[in] graph  The graph.
 *  @return  FLOWGRAPH_OK; the first failure of an operation; FLOWGRAPH_INCOMPLETE with the operations that wait, each
 *           with how many objects it has of how many; FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_run(flowgraph *graph);

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
/** Adds processor time to the current atomic step of an operation.
 *
 *  @param[in] task     The operation that runs.
 *  @param[in] seconds  At speed 1 with a core of its own [s], >= 0.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_CALL.
 */
flowgraph_result flowgraph_charge(flowgraph_task *task, double seconds);

/** Posts an object: the atomic step ends, and the object begins to travel when it has been computed.
 *
 *  @param[in] task    The operation that runs.
 *  @param[in] edge    Along which edge; must leave this operation.
 *  @param[in] object  What is in it, as large as its type says; copied; may be NULL for size 0.
 *  @param[in] bytes   What travels if it leaves the node [B], >= 0.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_ROUTE, FLOWGRAPH_BAD_COUNT, FLOWGRAPH_BAD_CALL,
 *           FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_post(flowgraph_task *task, flowgraph_edge edge, const void *object, double bytes);

/** Waits for the next object of the frame that a merge or stream collects; the atomic step ends.
 *
 *  @param[in] task  The operation that runs, a merge or stream.
 *  @return  The object, valid until the next call or the end of the operation; NULL when the frame is complete, and
 *           after a failure. What an object of size 0 points to is not to be read.
 */
const void *flowgraph_next(flowgraph_task *task);

/** On which thread an operation runs.
 *
 *  @param[in] task  The operation that runs.
 *  @return  The number of the thread in its collection, from 0.
 */
size_t flowgraph_thread(const flowgraph_task *task);

/** The world in which an operation runs.
 *
 *  @param[in] task  The operation that runs.
 *  @return  The world, to read its clock.
 */
simkit_world *flowgraph_world(const flowgraph_task *task);

#endif

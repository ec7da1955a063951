/*
flowgraph.h - a parallel program as a graph of operations through which data objects flow, run for real or simulated

Operations run in logical threads, threads are placed on nodes, and objects queue at threads. A split turns one object
into many, leaves process them wherever routing sends them, and a merge collects the results; a stream is a merge that
posts results before it has all objects. An operation waits only for the objects it needs, so computation and
communication overlap without further effort. [dps] sections 2 to 4 and 7 describe such a system.

USE     Compile flowgraph.c, flowgraph_net.c and record.c beside your own files and link -lm -pthread (without real mode,
        flowgraph_simulated.c instead of flowgraph_net.c, and no -pthread); one file of the program holds the bodies of
        simkit.h, util/simkit_trace.h and util/simkit_why.h. In this order: flowgraph_open(), types, threads, kernels, operations in the order of the flow, edges;
        flowgraph_start() once for each input; flowgraph_run(). lu.c is a whole application.

MODES   The same program runs in one of three modes, chosen in flowgraph_desc:
        real      one process per node, started by flowgraph_start(); objects travel over TCP. Every process executes
                  the program up to flowgraph_start(); only node 0 continues after it. So an operation may use only
                  what was set up before that call, its objects, and what its thread stores.
        direct    all nodes in one simulated world. Operations really run, one at a time, and their CPU time, scaled by
                  the speed of the node, is their duration.
        partial   likewise, but CPU time comes from kernels only, each by its policy: run it, measure it a few times, or
                  use a model. If no kernel reads data, none is allocated; only its size is counted.

STEPS   An operation is a function. Its atomic steps end where it posts an object, waits for the next one, or returns.
        Objects from one node to another arrive in the order of posting. An operation that waits, for an object or
        because its window is full, leaves its execution thread to the next object in the queue and continues later.

FRAMES  The objects that one execution of a split (or stream) posts form a frame. A leaf's result is in the frame of its
        object; a merge takes a whole frame, and its result is in the frame of the object that was split. Frames nest.
        A merge knows by counting when it has all objects: it registers with the node of the split, which reports how
        many there are.

USERS   In a simulation nodes may have background users (flowgraph_desc.users). Operations share the nodes with them,
        flowgraph_load_average() includes both, and the run ends when the graph has nothing left to do.

UNITS   [s] seconds, virtual or real; [B] bytes
ERRORS  A flowgraph_result; flowgraph_why() explains it. The first error in an operation, on any node, ends the run;
        later calls do nothing. A graph that has failed can only be closed.
THREADS Outside operations, one thread at a time. In real mode operations of different execution threads run in
        parallel, and all of them may call the functions that take a task or data.
*/
/** @file */
#ifndef FLOWGRAPH_H
#define FLOWGRAPH_H

#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
/** The result of a call. */
typedef enum flowgraph_result {
    FLOWGRAPH_OK = 0,       /**< done */
    FLOWGRAPH_BAD_ARGUMENT, /**< a number is negative, NaN or infinite, a pointer is missing, or an index is unknown */
    FLOWGRAPH_BAD_GRAPH,    /**< types that do not match, a merge without a split, a split without a merge, a cycle */
    FLOWGRAPH_BAD_ROUTE,    /**< a routing function named no thread, or sent one frame to two merges */
    FLOWGRAPH_BAD_COUNT,    /**< an operation posted too many or too few objects, or a merge did not take all of them */
    FLOWGRAPH_BAD_CALL,     /**< called in the wrong place: outside an operation, or after a failure */
    FLOWGRAPH_INCOMPLETE,   /**< operations wait, but nothing is left that could wake them */
    FLOWGRAPH_NODE_LOST,    /**< real: a node has failed, or did not start */
    FLOWGRAPH_NO_MEMORY,    /**< memory ran out */
    FLOWGRAPH_WORLD         /**< the world or the system refused a call, or the world was stopped */
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
/** A graph, with its threads and objects. */
typedef struct flowgraph flowgraph;

typedef uint32_t flowgraph_type;      /**< Number of a type, from 1; 0 is none. */
typedef uint32_t flowgraph_threads;   /**< Number of a collection of threads, from 1; 0 is none. */
typedef uint32_t flowgraph_kernel;    /**< Number of a kernel, from 1; 0 is none. */
typedef uint32_t flowgraph_operation; /**< Number of an operation, from 1; 0 is none. */
typedef uint32_t flowgraph_edge;      /**< Number of an edge, from 1; 0 is none. */

/** One execution of an operation. */
typedef struct flowgraph_task flowgraph_task;

/** How a program runs. */
typedef enum flowgraph_mode {
    FLOWGRAPH_PARTIAL = 0, /**< simulated; CPU time comes from kernels, by their policies */
    FLOWGRAPH_DIRECT,      /**< simulated; operations run, and their CPU time is measured */
    FLOWGRAPH_REAL         /**< one process per node, over TCP */
} flowgraph_mode;

/** Maximum number of nodes. */
#define FLOWGRAPH_NODES 1024

/** Where the duration of a kernel comes from in partial mode; see simkit_operation_desc. */
typedef struct flowgraph_policy {
    const char *kernel;   /**< its name; NULL: every kernel that no other policy names */
    simkit_policy policy; /**< execute, measure or model; the kernel's own model precedes `seconds` */
    unsigned first;       /**< measure: how many times; 0 means 5 */
    double seconds;       /**< model: the duration of a kernel without a model of its own [s] */
} flowgraph_policy;

/** What a graph is a part of, such as a cluster server that runs several programs in one world. */
typedef struct flowgraph_host {
    /** Simulated, in a world of the host: a run has ended, or has failed. Called by a step of the world at that instant.
     *  With it the host runs the world, not flowgraph_run(), and may close the graph at any time but in an operation;
     *  what the graph still does in the world ends then. The graph must be closed before the world. NULL: not used. */
    void (*ended)(void *user, flowgraph *graph, flowgraph_result result);
    /** A node has left, and is free. Called by node 0; in real mode by a thread of the graph. NULL: not used. */
    void (*left)(void *user, flowgraph *graph, size_t node);
    int priority; /**< of the step that calls `ended` */
    void *user;   /**< passed to them */
} flowgraph_host;

/** How and where a graph runs. All zero: one node, partial, in a world of its own. */
typedef struct flowgraph_desc {
    flowgraph_mode mode; /**< which of the three */
    size_t nodes;        /**< maximum number of nodes, numbered from 0; 0 means 1 */
    size_t at_first;     /**< how many of them take part from the beginning; 0 means all */
    bool record;         /**< record events, for record.h */

    simkit_world *world;               /**< simulated: the world; NULL: a new one, with nodes made from `machine` */
    const struct flowgraph_host *host; /**< what the graph is a part of; borrowed until it closes; NULL: nothing */
    const simkit_node *world_nodes;    /**< world_nodes[nodes]: nodes of that world; borrowed for the call */
    const simkit_machine *machine;     /**< simulated: nodes, network and message costs; NULL: no costs */
    uint64_t seed;                     /**< simulated: seed of a new world */
    const simkit_population *users;    /**< simulated: background users; node 0 is node 1 of their file; borrowed until
                                           the world closes; NULL: none */
    bool loads;                        /**< simulated: nodes record their load, for flowgraph_load_average(); implied by
                                           `users` */
    const char *link_loads;            /**< simulated, a new world: path of a file, .svg or .csv, into which each run writes
                                            the load of each link over time, simkit_loadmap_write(); borrowed until the
                                            graph closes; NULL: none */
    const flowgraph_policy *policies;  /**< partial: policies[policy_count]; borrowed for the call */
    size_t policy_count;               /**< number of policies */
    /** Direct: CPU time of this thread so far [s], so that a test can replay it; NULL: the system's. */
    double (*processor_time)(void *user);
    void *user; /**< handed to it */

    bool paced;          /**< real, direct: a kernel takes at least the CPU time of its model, in real mode by busy
                              waiting: this imitates a slower processor */
    char **arguments;    /**< real: the argv of main(), to start this program on the other nodes */
    const char *launch;  /**< real: words before it, such as "ssh node%d"; `%d` is the node's number; NULL: none */
    const char *address; /**< real: where a node listens; `%d` is its number, `%e` its number + 1; NULL: "127.0.0.1" */
    /** Where the nodes are: places[nodes], borrowed until the graph closes; NULL: node i is in place i. Simulated: nodes of
     *  `machine`, from 0, all different, as flowgraph_places() says. Real: the numbers that `%d` stands for in
     *  `launch` and `address`. */
    const uint32_t *places;
    /** Real: silence after which a node counts as lost [s], 1 to 1e6; 0 means 20. Starting may take 20 s in any case. A
     *  process that ends is noticed at once, because its connections close; this is for a process that hangs and for a
     *  machine or a network that does not respond. After 4 to 5 s of silence a line on stderr warns. */
    double patience;
} flowgraph_desc;

/** Places nodes on those of a machine, as the option --place of programs says.
 *
 *  @param[in]  machine  The machine.
 *  @param[in]  how      "block", "round-robin" or the path of a file: simkit_machine_placement().
 *  @param[in]  count    How many nodes.
 *  @param[out] places   places[count], for flowgraph_desc; unchanged after an error. Beyond the last node of the machine, or
 *                       of the file, they begin again: flowgraph_places_check().
 *  @param[out] why      why[200]: the error as a sentence.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_places(const simkit_machine *machine, const char *how, size_t count, uint32_t *places,
                                  char why[200]);

/** Checks that the places of nodes are on a machine, and all different.
 *
 *  @param[in]  machine  The machine.
 *  @param[in]  count    How many nodes.
 *  @param[in]  places   places[count]; NULL: node i is in place i.
 *  @param[out] why      why[200]: the error as a sentence.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_places_check(const simkit_machine *machine, size_t count, const uint32_t *places,
                                        char why[200]);

/** Adds the nodes of a machine to a world as simkit_machine_add(), and gives those that are in the places.
 *
 *  @param[in]  world    The world.
 *  @param[in]  machine  The machine.
 *  @param[in]  count    How many nodes.
 *  @param[in]  places   places[count], after flowgraph_places_check(); NULL: node i is in place i.
 *  @param[out] nodes    nodes[count]: their numbers in the world.
 *  @return  As simkit_machine_add(); SIMKIT_NO_MEMORY.
 */
simkit_result flowgraph_places_add(simkit_world *world, const simkit_machine *machine, size_t count,
                                   const uint32_t *places, simkit_node *nodes);

/** Opens an empty graph.
 *
 *  In a machine file, `[operation send]` and `[operation receive]` with the keys `seconds` and `rate` [B/s] give the
 *  CPU time of a message: at the sender as part of the operation that posts it, at the receiver before it is queued.
 *  `[operation join]` with `seconds` gives the time until a node has joined that has not taken part before; one that has is
 *  connected still. Missing sections cost nothing.
 *
 *  @param[in]  desc   Mode, nodes and costs; NULL is the same as all zero.
 *  @param[out] graph  The graph; NULL without memory. After other errors it is there, for flowgraph_why().
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_open(const flowgraph_desc *desc, flowgraph **graph);

/** Closes a graph and its own world. In real mode it ends the processes of the other nodes and waits for them. It waits
 *  up to two seconds for operations on this node; if one of them does not end, the graph stays in memory.
 *
 *  @param[in] graph  The graph; NULL is harmless. Not to be called in an operation.
 */
void flowgraph_close(flowgraph *graph);

/** Registers a function that frees what operations use, such as the memory behind their `user`. In real mode operations
 *  may still run on node 0 after flowgraph_run() has failed, so a program must not free such memory before it closes
 *  the graph.
 *
 *  @param[in] graph    The graph.
 *  @param[in] release  Called by flowgraph_close() after the last operation has ended, in reverse order of
 *                      registration; never if an operation does not end, and only on node 0.
 *  @param[in] user     Passed to it.
 *  @return  FLOWGRAPH_OK; FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY: the memory still belongs to the caller.
 */
flowgraph_result flowgraph_at_close(flowgraph *graph, void (*release)(void *user), void *user);

/** The last error as a sentence, with names, numbers and the time.
 *
 *  @param[in] graph  The graph, or NULL, as flowgraph_open() leaves it without memory.
 *  @return  Valid until the next error, or until the graph is closed; empty without an error.
 */
const char *flowgraph_why(const flowgraph *graph);

/** The world of a simulated graph.
 *
 *  @param[in] graph  The graph.
 *  @return  The world; NULL in real mode.
 */
simkit_world *flowgraph_world(const flowgraph *graph);

/** How many nodes take part from the beginning.
 *
 *  @param[in] graph  The graph.
 *  @return  Nodes.
 */
size_t flowgraph_nodes(const flowgraph *graph);

/** Adds a type of data objects.
 *
 *  @param[in]  graph  The graph.
 *  @param[in]  name   For errors and pictures; copied, up to 31 bytes.
 *  @param[in]  size   Size of the fixed part of an object [B], such as the indices of a block; no pointers; up to
 *                     1 MiB. Data of any length is attached when the object is posted.
 *  @param[out] type   Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_type_add(flowgraph *graph, const char *name, size_t size, flowgraph_type *type);

/** A collection of logical threads to add. */
typedef struct flowgraph_threads_desc {
    const char *name; /**< for errors and pictures; copied, up to 31 bytes */
    size_t count;     /**< number of threads, >= 1; flowgraph_resize() can only lower it */
    /** nodes[count]: the node of each thread, from 0; NULL: round-robin over the nodes that take part at first. */
    const uint32_t *nodes;
    /** Threads with the same number, of any collection, share an execution thread on each node, so one operation runs
     *  at a time; 0: each thread has its own. */
    uint32_t execution;
} flowgraph_threads_desc;

/** Adds a collection of logical threads and places them.
 *
 *  @param[in]  graph    The graph.
 *  @param[in]  desc     The collection; borrowed.
 *  @param[out] threads  Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_threads_add(flowgraph *graph, const flowgraph_threads_desc *desc,
                                       flowgraph_threads *threads);

/** A kernel to add: a computation that operations share. */
typedef struct flowgraph_kernel_desc {
    const char *name;                              /**< for policies and errors; copied, up to 31 bytes */
    double (*model)(double parameter, void *user); /**< its CPU time at speed 1 [s]; may be NULL */
    void *user;                                    /**< passed to it */
} flowgraph_kernel_desc;

/** Adds a kernel.
 *
 *  @param[in]  graph   The graph.
 *  @param[in]  desc    The kernel; borrowed.
 *  @param[out] kernel  Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT (also if its policy is to model it and there is no model),
 *           FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_kernel_add(flowgraph *graph, const flowgraph_kernel_desc *desc, flowgraph_kernel *kernel);

/** The fundamental kinds of operations, [dps] section 2. */
typedef enum flowgraph_kind {
    FLOWGRAPH_LEAF,  /**< one object in, one out */
    FLOWGRAPH_SPLIT, /**< one object in, one or more out */
    FLOWGRAPH_MERGE, /**< all objects of a frame in, one out */
    FLOWGRAPH_STREAM /**< all objects of a frame in, one or more out, possibly before all are in */
} flowgraph_kind;

/** Maximum number of types that an operation can post. */
#define FLOWGRAPH_GIVES 4

/** An operation to add. */
typedef struct flowgraph_operation_desc {
    const char *name;                      /**< for errors and pictures; copied, up to 31 bytes */
    flowgraph_kind kind;                   /**< leaf, split, merge or stream */
    flowgraph_threads threads;             /**< the collection in which it runs */
    flowgraph_type takes;                  /**< the type of its objects */
    flowgraph_type gives[FLOWGRAPH_GIVES]; /**< the types that it posts; 0: unused */
    /** The operation; `object` is the first object, valid until flowgraph_next() or the return. */
    void (*run)(flowgraph_task *task, const void *object, void *user);
    void *user; /**< passed to it; must live until the graph is closed, see flowgraph_at_close() */
    /** Flow control of a split or stream: the maximum number of objects of one execution between it and its merge. When
     *  it is reached, posting waits until the merge has taken one, [dps] section 2. 0: no limit. */
    size_t window;
} flowgraph_operation_desc;

/** Adds an operation. One without outgoing edges is an end of the graph and posts nothing.
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
    flowgraph_operation from; /**< the operation that posts */
    flowgraph_operation to;   /**< the operation that takes; added after `from` */
    /** The thread, of `count` in the collection of `to`, that takes this object: 0 .. count - 1. `from` is the number
     *  of the thread that posts it. NULL: thread 0. */
    size_t (*route)(const void *object, size_t from, size_t count, void *user);
    void *user; /**< passed to it */
    /** Objects on this edge bypass the frame that `from` opens and go to the merge that collects its result. They
     *  belong to the frame of the object that a split or leaf took, or to the frame outside the one that a merge or
     *  stream collects. Any number of them may be posted, before the result. */
    bool outer;
} flowgraph_edge_desc;

/** Adds an edge between two operations.
 *
 *  @param[in]  graph  The graph.
 *  @param[in]  desc   The edge; borrowed.
 *  @param[out] edge   Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_GRAPH (`from` does not give the type that `to` takes,
 *           or `to` was added before `from`), FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_edge_add(flowgraph *graph, const flowgraph_edge_desc *desc, flowgraph_edge *edge);

/*=============================================================================
 * MARK: - >>run
 *===========================================================================*/
/** Puts an input object into the queue of a thread, now, in a frame of its own. In real mode the first call starts the
 *  other nodes and returns on node 0 only.
 *
 *  @param[in] graph      The graph; the first call checks it, and nothing can be added afterwards.
 *  @param[in] operation  The operation that takes it: a leaf or a split.
 *  @param[in] thread     Thread of its collection, from 0.
 *  @param[in] object     Its content, of the size of its type; copied; may be NULL for size 0.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_GRAPH (a merge without a split, a split without a
 *           merge, an operation reached at two depths), FLOWGRAPH_BAD_CALL, FLOWGRAPH_NODE_LOST,
 *           FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_start(flowgraph *graph, flowgraph_operation operation, size_t thread, const void *object);

/** Runs until all objects have reached an end of the graph. Afterwards more can be started and run.
 *
 *  @param[in]  graph    The graph.
 *  @param[out] seconds  Duration of the run; may be NULL.
 *  @return  FLOWGRAPH_OK; the first failure of an operation; FLOWGRAPH_INCOMPLETE, with the waiting operations and the
 *           objects that they wait for; FLOWGRAPH_NODE_LOST; FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_run(flowgraph *graph, double *seconds);

/** CPU time that a node used in the last run: in real mode that of its process, for operations, messages and everything
 *  else; else what was charged, at speed 1.
 *
 *  @param[in] graph  The graph, between runs.
 *  @param[in] node   The node, from 0.
 *  @return  [s]; NaN for an unknown node and, in real mode, for an absent one and before the first run.
 */
double flowgraph_processor_time(const flowgraph *graph, size_t node);

/** The time of a mark.
 *
 *  @param[in] graph   The graph, between runs.
 *  @param[in] number  As passed to flowgraph_mark().
 *  @return  Time of the last such mark since the beginning of the last run [s]; NaN if there is none.
 */
double flowgraph_marked(const flowgraph *graph, uint64_t number);

/*=============================================================================
 * MARK: - >>data
 *===========================================================================*/
/** Bytes that objects and threads share without copying. They are reference-counted, and freed with the graph at the
 *  latest. Once posted they must not change. */
typedef struct flowgraph_data flowgraph_data;

/** Allocates data, with one reference.
 *
 *  @param[in] task   The operation that runs.
 *  @param[in] bytes  Size [B], >= 1.
 *  @return  The data; NULL without memory, which ends the run.
 */
flowgraph_data *flowgraph_data_new(flowgraph_task *task, size_t bytes);

/** The bytes of data.
 *
 *  @param[in] data  The data; NULL has none.
 *  @return  bytes[flowgraph_data_size()], aligned as by malloc(), uninitialised when new; NULL if data is only counted,
 *           in which case kernels do not run.
 */
void *flowgraph_data_bytes(const flowgraph_data *data);

/** The size of data.
 *
 *  @param[in] data  The data; NULL has 0.
 *  @return  [B]
 */
size_t flowgraph_data_size(const flowgraph_data *data);

/** Adds a reference.
 *
 *  @param[in] data  The data; NULL is harmless.
 *  @return  The same.
 */
flowgraph_data *flowgraph_data_keep(flowgraph_data *data);

/** Drops a reference.
 *
 *  @param[in] data  The data; NULL is harmless.
 */
void flowgraph_data_drop(flowgraph_data *data);

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
/** Executes a kernel, by its policy, as part of the current atomic step.
 *
 *  @param[in] task       The operation that runs.
 *  @param[in] kernel     The kernel.
 *  @param[in] parameter  What its duration depends on.
 *  @param[in] body       The function to run.
 *  @param[in] argument   Passed to it.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_CALL, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_compute(flowgraph_task *task, flowgraph_kernel kernel, double parameter,
                                   void (*body)(void *argument), void *argument);

/** Uses CPU time, as part of the current atomic step; in real mode by busy waiting.
 *
 *  @param[in] task     The operation that runs.
 *  @param[in] seconds  CPU time at speed 1 [s], >= 0.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_CALL.
 */
flowgraph_result flowgraph_charge(flowgraph_task *task, double seconds);

/** The load average of the operation's node: the number of computations there, sampled every second and smoothed with
 *  `beta = N / (N + 1)`. Ends the atomic step, so after flowgraph_charge() it is the program frame of [clue].
 *
 *  @param[in] task          The operation that runs.
 *  @param[in] observations  N, the number of samples to smooth over [1], >= 0.
 *  @return  [1]; in real mode the closest of this machine's averages over 1, 5 and 15 minutes. NaN for an invalid N, if
 *           nodes do not record their load or the machine reports none, and after a failure.
 *  @source  [clue] eq. 1
 */
double flowgraph_load_average(flowgraph_task *task, double observations);

/** Posts an object. The atomic step ends here, and the object leaves when the step's CPU time is over. If the
 *  operation's window is full, the call waits first.
 *
 *  @param[in] task    The operation that runs.
 *  @param[in] edge    An outgoing edge of this operation.
 *  @param[in] object  Its content, of the size of its type; copied; may be NULL for size 0.
 *  @param[in] data    data[count]: data to attach; the object adds a reference to each. NULL for count 0.
 *  @param[in] count   How many, up to 255.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_ROUTE, FLOWGRAPH_BAD_COUNT, FLOWGRAPH_BAD_CALL,
 *           FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_post(flowgraph_task *task, flowgraph_edge edge, const void *object,
                                flowgraph_data *const *data, size_t count);

/** Size of an object without data on the network, with its header and frames.
 *
 *  @param[in] graph      The graph, after flowgraph_start().
 *  @param[in] operation  The operation that takes it.
 *  @return  [B]; each piece of data adds its size + 8.
 */
size_t flowgraph_envelope(const flowgraph *graph, flowgraph_operation operation);

/** Waits for the next object of the frame that a merge or stream collects. The atomic step ends here.
 *
 *  @param[in] task  The operation that runs, a merge or stream.
 *  @return  The object, valid until the next call or the return of the operation; NULL when the frame is complete, and
 *           after a failure. The pointer to an object of size 0 must not be dereferenced.
 */
const void *flowgraph_next(flowgraph_task *task);

/** Data attached to the current object.
 *
 *  @param[in] task   The operation that runs.
 *  @param[in] index  Index, from 0, as posted.
 *  @return  Valid as long as the object, or longer with a reference of its own; NULL if the index is too large.
 */
flowgraph_data *flowgraph_part(const flowgraph_task *task, size_t index);

/** Stores data in the operation's thread under a key, for later operations there. It moves with the thread.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] key   The key.
 *  @param[in] data  The data; the thread adds a reference. NULL removes what is stored.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_CALL, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_store(flowgraph_task *task, uint64_t key, flowgraph_data *data);

/** Data stored in the operation's thread.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] key   The key.
 *  @return  Valid while it is stored; NULL if there is none.
 */
flowgraph_data *flowgraph_stored(const flowgraph_task *task, uint64_t key);

/** Marks the current time, for flowgraph_marked() and pictures. Ends the atomic step.
 *
 *  @param[in] task    The operation that runs.
 *  @param[in] number  Any number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_CALL, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_mark(flowgraph_task *task, uint64_t number);

/** Ends the run because an object is invalid. In real mode objects come over the network, so an operation must check
 *  what it uses as an index or a length.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] why   What is wrong: the end of a sentence that names the operation.
 *  @return  FLOWGRAPH_BAD_ARGUMENT.
 */
flowgraph_result flowgraph_refuse(flowgraph_task *task, const char *why);

/** Waits for flowgraph_continue(). Ends the atomic step. Simulated only.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] on    What it waits for, for the sentence about a deadlock; a constant.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT; FLOWGRAPH_BAD_CALL in real mode, and if the run has failed.
 */
flowgraph_result flowgraph_wait(flowgraph_task *task, const char *on);

/** Lets an operation continue that waits in flowgraph_wait().
 *
 *  @param[in] task  The operation; it must wait.
 */
void flowgraph_continue(flowgraph_task *task);

/** The thread on which an operation runs.
 *
 *  @param[in] task  The operation that runs.
 *  @return  The number of the thread in its collection, from 0.
 */
size_t flowgraph_thread(const flowgraph_task *task);

/** The time since the beginning of the run; simulated, at the beginning of the current atomic step.
 *
 *  @param[in] task  The operation that runs.
 *  @return  [s]
 */
double flowgraph_now(const flowgraph_task *task);

/*=============================================================================
 * MARK: - >>nodes
 *===========================================================================*/
/** Sets the number of threads of a collection that routing functions use: here at once, on other nodes as soon as
 *  a message arrives there. Objects already sent to threads beyond that number are still processed there.
 *
 *  @param[in] task     The operation that runs.
 *  @param[in] threads  The collection.
 *  @param[in] count    1 to the number with which it was added.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_CALL, FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_resize(flowgraph_task *task, flowgraph_threads threads, size_t count);

/** Moves a thread to another node, with its queue and stored data, over the network, as soon as no operation runs or
 *  waits on it. Objects sent to it meanwhile are forwarded. It may store up to 65 535 pieces of data.
 *
 *  @param[in] task     The operation that runs.
 *  @param[in] threads  Its collection.
 *  @param[in] thread   Its number, from 0.
 *  @param[in] node     The new node, from 0; it must take part.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_CALL, FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_move(flowgraph_task *task, flowgraph_threads threads, size_t thread, size_t node);

/** Removes a node: its threads move to the remaining nodes, round-robin; after the last one has left, the node is free.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] node  The node, from 1.
 *  @return  As flowgraph_move().
 */
flowgraph_result flowgraph_leave(flowgraph_task *task, size_t node);

/** Adds a node and waits until it has joined. It has no threads until some are moved there.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] node  The node, from 0; it must not take part.
 *  @return  As flowgraph_move(); FLOWGRAPH_NODE_LOST if it does not join.
 */
flowgraph_result flowgraph_join(flowgraph_task *task, size_t node);

#endif

/*
flowgraph.h - a parallel program as a graph of operations through which data objects flow; for real or on the virtual clock

Operations run in logical threads, threads are placed on nodes, objects queue at threads. A split cuts one object into
many, leaves work on them wherever routing sends them, a merge collects them again; a stream is a merge that sends on
before it has all. Nothing waits for anything but the objects it needs, so computing and sending overlap by themselves.
[dps] sections 2 to 4 and 7 describe such a system.

USE     Compile flowgraph.c, flowgraph_net.c and record.c beside your own files and link -lm -pthread; one file of the
        program holds the body of simkit.h. In this order: flowgraph_open(), types, threads, kernels, operations in the
        order of the flow, edges; flowgraph_start() once for each input; flowgraph_run(). lu.c is a whole application.

MODES   The same program text runs in three ways, and which one is a number in flowgraph_desc:
        real      one process a node, which flowgraph_start() starts on all nodes; objects travel over TCP. Every process
                  comes through the same lines of the program up to flowgraph_start(); what stands behind that happens on
                  node 0 alone. So an operation may only use what was set before, its objects, and what its thread keeps.
        direct    all nodes in one world on the virtual clock. Operations really run, one at a time; the processor time
                  that each takes here is what it takes there, by the speed of the node.
        partial   the same, but processor time comes from kernels alone, each by its policy: run it, measure it a few
                  times, or take a number for it. Where no kernel reads data, none is allocated; its size is counted.

STEPS   An operation is a function. It is cut into atomic steps where it posts an object, waits for the next one, or ends.
        A posted object travels after all others that the same node sent to the same node. An operation that waits, for
        an object or because too many are on their way already, leaves its execution thread to whatever is next in the
        queue, and goes on when what it waits for has come.

FRAMES  What one execution of a split (or stream) posts is a frame. A leaf's result stays in the frame of its object; a
        merge takes a whole frame and its result is in the frame of the object that was split. Frames nest, and each
        execution of a split has one of its own. A merge knows that it has all by counting: it tells the node of the
        split where it is, and learns from there how many objects there are.

USERS   Simulated, nodes may have others who use them: flowgraph_desc.users. What operations compute shares the node with
        them, flowgraph_load_average() sees both, and the run ends when the graph has nothing more to do.

UNITS   [s] seconds, virtual or real; [B] bytes
ERRORS  A flowgraph_result, and flowgraph_why() is the sentence. The first error in an operation, on whichever node, ends
        the run; calls after it do nothing. A graph that has failed can only be closed.
THREADS Outside of operations one at a time. In real mode operations of different execution threads run at once, and
        flowgraph_charge(), flowgraph_data_keep() and the like may be called in all of them.
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
    FLOWGRAPH_NODE_LOST,    /**< real: a node has gone, or never came */
    FLOWGRAPH_NO_MEMORY,    /**< no memory */
    FLOWGRAPH_WORLD         /**< the world, or this machine, said no, or was stopped */
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
typedef uint32_t flowgraph_kernel;    /**< Number of a kernel, from 1; 0 is none. */
typedef uint32_t flowgraph_operation; /**< Number of an operation, from 1; 0 is none. */
typedef uint32_t flowgraph_edge;      /**< Number of an edge, from 1; 0 is none. */

/** What an operation works with while it runs. */
typedef struct flowgraph_task flowgraph_task;

/** How a program runs. */
typedef enum flowgraph_mode {
    FLOWGRAPH_PARTIAL = 0, /**< simulated; processor time comes from kernels, by their policies */
    FLOWGRAPH_DIRECT,      /**< simulated; every operation runs, its processor time is its step */
    FLOWGRAPH_REAL         /**< one process a node, over TCP */
} flowgraph_mode;

/** Most nodes. */
#define FLOWGRAPH_NODES 1024

/** What a kernel is known by, and where its duration comes from in partial mode: as in simkit_operation_desc. */
typedef struct flowgraph_policy {
    const char *kernel; /**< its name; NULL: all that no other policy names */
    simkit_policy
        policy;     /**< execute, measure, model: then as the kernel's own model says, or if that has none, as here */
    unsigned first; /**< measure: how many times; 0 means 5 */
    double seconds; /**< model: how long it takes [s]; 0: the kernel's own model */
} flowgraph_policy;

/** How and where a graph runs. All zero: one node, partial, in a world of its own. */
typedef struct flowgraph_desc {
    flowgraph_mode mode; /**< which of the three */
    size_t nodes;        /**< all nodes that can take part, numbered from 0; 0 means 1 */
    size_t at_first;     /**< how many of them take part from the beginning; 0 means all */
    bool record;         /**< keep what happens, for record.h */

    simkit_world *world;            /**< simulated: where; NULL: a world of its own, made of `machine` */
    const simkit_node *world_nodes; /**< world_nodes[nodes]: which nodes of that world; borrowed for the call */
    const simkit_machine *machine;  /**< simulated: nodes, network and what messages cost; NULL: all of it is free */
    uint64_t seed;                  /**< simulated: of a world of its own, simkit_world_desc */
    const simkit_population *users; /**< simulated: who else uses the nodes, of which node 0 is number 1 there; borrowed
                                           until the world closes; NULL: nobody */
    bool loads;                     /**< simulated: nodes keep their past, for flowgraph_load_average(); with users they
                                           do so anyway */
    const flowgraph_policy *policies; /**< partial: policies[policy_count]; borrowed for the call */
    size_t policy_count;              /**< how many */
    /** Direct: processor time of this thread so far [s], so that a test can replay it; NULL: the system's. */
    double (*processor_time)(void *user);
    void *user; /**< handed to it */

    bool paced;          /**< real, direct: a kernel that has a model takes at least the processor time that it says, in
                              real mode by turning in a loop when it is done: a slower processor than this machine has */
    char **arguments;    /**< real: as main() got them, to start this program on the other nodes */
    const char *launch;  /**< real: words before it, such as "ssh node%d"; `%d` is the node's number; NULL: none */
    const char *address; /**< real: where a node listens, `%d` its number, `%e` that plus one; NULL: "127.0.0.1" */
    /** Real: how long a node may be silent before it is given up, [s], 1 to 1e6; 0 means 20; to come, it has at least
     *  20. A node whose process ends is missed at once, because its connections close; this is for one that stands
     *  still, and for a machine or a network that does not answer. After 4 s of silence a line on stderr says so. */
    double patience;
} flowgraph_desc;

/** Begins an empty graph.
 *
 *  With a machine, `[operation send]` and `[operation receive]` with the keys `seconds` and `rate` [B/s] say what a
 *  message takes of the processor of its sender, in the operation that posts it, and of its receiver, before it is
 *  queued there; `[operation join]` with `seconds` what it takes until a node has joined. What is missing is free.
 *
 *  @param[in]  desc   How; NULL is the same as all zero.
 *  @param[out] graph  The graph; NULL when there is no memory for it; else it can tell why the call failed.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_open(const flowgraph_desc *desc, flowgraph **graph);

/** Gives back all that a graph holds; the world, too, if it is its own. In real mode ends the other nodes' processes
 *  and waits for them; and for operations here, but no more than two seconds: one that does not end keeps the graph.
 *
 *  @param[in] graph  The graph; NULL is harmless. Not from inside an operation.
 */
void flowgraph_close(flowgraph *graph);

/** Gives the graph something that its operations use, such as what their `user` points to: flowgraph_close() gives it
 *  back. In real mode operations may still run on node 0 when flowgraph_run() has returned with a failure, so a program
 *  that freed such memory itself, before the graph is closed, would take it away from them.
 *
 *  @param[in] graph    The graph.
 *  @param[in] release  Called by flowgraph_close() when no operation runs any more, the last one given first; never if
 *                      an operation does not end. Not called on the nodes other than 0, whose processes just end.
 *  @param[in] user     Handed to it.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY; then it is still the caller's.
 */
flowgraph_result flowgraph_at_close(flowgraph *graph, void (*release)(void *user), void *user);

/** The sentence for the last error: what, with which names and numbers, at which time.
 *
 *  @param[in] graph  The graph.
 *  @return  Valid until the graph is closed or the next error; empty if there was none.
 */
const char *flowgraph_why(const flowgraph *graph);

/** The world in which it is simulated.
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
 *  @param[in]  size   What every object has [B], such as a block's indices, without pointers; up to 1 MiB. Data, of any
 *                     length, comes besides, when it is posted.
 *  @param[out] type   Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_type_add(flowgraph *graph, const char *name, size_t size, flowgraph_type *type);

/** A collection of logical threads to add. */
typedef struct flowgraph_threads_desc {
    const char *name; /**< for errors and pictures; copied, up to 31 bytes */
    size_t count;     /**< how many, >= 1; flowgraph_resize() can only go below that */
    const uint32_t
        *nodes; /**< nodes[count]: where each of them is, from 0; NULL: in turn on all that take part at first */
    /** Threads of all collections with one such number that are on one node share an execution thread, and so run one
     *  operation at a time; 0: each has one of its own. */
    uint32_t execution;
} flowgraph_threads_desc;

/** Adds a collection of logical threads, and places them.
 *
 *  @param[in]  graph    The graph.
 *  @param[in]  desc     The collection; borrowed.
 *  @param[out] threads  Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_threads_add(flowgraph *graph, const flowgraph_threads_desc *desc,
                                       flowgraph_threads *threads);

/** A kernel to add: a piece of computing that operations have in common. */
typedef struct flowgraph_kernel_desc {
    const char *name;                              /**< for policies and errors; copied, up to 31 bytes */
    double (*model)(double parameter, void *user); /**< how long it takes at speed 1 [s]; may be NULL */
    void *user;                                    /**< handed to it */
} flowgraph_kernel_desc;

/** Adds a kernel.
 *
 *  @param[in]  graph   The graph.
 *  @param[in]  desc    The kernel; borrowed.
 *  @param[out] kernel  Its number.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT (also if it is to be modelled and there is no model),
 *           FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_kernel_add(flowgraph *graph, const flowgraph_kernel_desc *desc, flowgraph_kernel *kernel);

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
    void *user; /**< handed to it; must live until the graph is closed: see flowgraph_at_close() */
    /** Flow control of a split or stream: at most so many objects of each execution between it and its merge; before it
     *  posts another it waits until the merge has taken one, [dps] section 2. 0: no limit. */
    size_t window;
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
     *  number of them, in addition to the others, and before the result. */
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
/** Puts an object into the queue of a thread, from outside, at this instant and in a frame of its own. In real mode the
 *  first call starts the other nodes, and comes back on node 0 alone.
 *
 *  @param[in] graph      The graph; the first call checks it as a whole, and nothing can be added to it any more.
 *  @param[in] operation  Who takes it: a leaf or a split.
 *  @param[in] thread     On which thread of its collection, from 0.
 *  @param[in] object     What is in it, as large as its type says; copied; may be NULL for size 0.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_GRAPH (a merge that collects nothing, a split that
 *           nobody collects, an operation reached in two depths), FLOWGRAPH_BAD_CALL, FLOWGRAPH_NODE_LOST,
 *           FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_start(flowgraph *graph, flowgraph_operation operation, size_t thread, const void *object);

/** Runs until all objects have arrived at an end. More can be started after it, and run.
 *
 *  @param[in]  graph    The graph.
 *  @param[out] seconds  How long it took; may be NULL.
 *  @return  FLOWGRAPH_OK; the first failure of an operation; FLOWGRAPH_INCOMPLETE with the operations that wait, each
 *           with the objects that it waits for; FLOWGRAPH_NODE_LOST; FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_run(flowgraph *graph, double *seconds);

/** Processor time that a node took for the last run: operations, messages, and all else of its process.
 *
 *  @param[in] graph  The graph, between runs; real mode.
 *  @param[in] node   The node, from 0.
 *  @return  [s]; NaN in other modes, for a node that was not there, and before a run.
 */
double flowgraph_processor_time(const flowgraph *graph, size_t node);

/** When something was marked.
 *
 *  @param[in] graph   The graph, between runs.
 *  @param[in] number  As given to flowgraph_mark().
 *  @return  From the beginning of the last run, of the last mark with that number in it [s]; NaN if there is none.
 */
double flowgraph_marked(const flowgraph *graph, uint64_t number);

/*=============================================================================
 * MARK: - >>data
 *===========================================================================*/
/** Bytes that objects and threads share without copying: they are counted, and gone with the last who holds them, or
 *  with the graph. Once posted they must not change. */
typedef struct flowgraph_data flowgraph_data;

/** New bytes, held by the caller.
 *
 *  @param[in] task   The operation that runs.
 *  @param[in] bytes  How many [B], >= 1.
 *  @return  The data; NULL without memory, which ends the run.
 */
flowgraph_data *flowgraph_data_new(flowgraph_task *task, size_t bytes);

/** The bytes themselves.
 *
 *  @param[in] data  The data; NULL has none.
 *  @return  bytes[flowgraph_data_size()], aligned as by malloc(), not set to anything when new; NULL where data is only
 *           counted. A kernel that gets NULL is not run.
 */
void *flowgraph_data_bytes(const flowgraph_data *data);

/** How many bytes.
 *
 *  @param[in] data  The data; NULL has 0.
 *  @return  [B]
 */
size_t flowgraph_data_size(const flowgraph_data *data);

/** One more holds it.
 *
 *  @param[in] data  The data; NULL is harmless.
 *  @return  The same.
 */
flowgraph_data *flowgraph_data_keep(flowgraph_data *data);

/** One less holds it.
 *
 *  @param[in] data  The data; NULL is harmless.
 */
void flowgraph_data_drop(flowgraph_data *data);

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
/** Runs a kernel, or whatever else its policy says, as part of the current atomic step.
 *
 *  @param[in] task       The operation that runs.
 *  @param[in] kernel     Which.
 *  @param[in] parameter  What its duration depends on.
 *  @param[in] body       What to run.
 *  @param[in] argument   Handed to it.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_CALL, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_compute(flowgraph_task *task, flowgraph_kernel kernel, double parameter,
                                   void (*body)(void *argument), void *argument);

/** Takes processor time, as part of the current atomic step; in real mode by turning in a loop.
 *
 *  @param[in] task     The operation that runs.
 *  @param[in] seconds  At speed 1 with a core of its own [s], >= 0.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_CALL.
 */
flowgraph_result flowgraph_charge(flowgraph_task *task, double seconds);

/** The load average of the node on which an operation runs: the number of computations there, its own and others, seen
 *  every second and smoothed with `beta = N / (N + 1)`. Ends the atomic step, so after flowgraph_charge() it is the
 *  program frame of [clue].
 *
 *  @param[in] task          The operation that runs.
 *  @param[in] observations  N: over how many seconds [1], >= 0.
 *  @return  [1]; in real mode that of this machine, of 1, 5 or 15 minutes, what is nearest. NaN for an N that is none,
 *           where nodes keep no past or the machine tells none, and after a failure.
 *  @source  [clue] eq. 1
 */
double flowgraph_load_average(flowgraph_task *task, double observations);

/** Posts an object: the atomic step ends, and the object begins to travel when it has been computed. Waits before that
 *  while the window of the operation is full.
 *
 *  @param[in] task    The operation that runs.
 *  @param[in] edge    Along which edge; must leave this operation.
 *  @param[in] object  What is in it, as large as its type says; copied; may be NULL for size 0.
 *  @param[in] data    data[count]: what comes besides; held by the object as well from now on. NULL for count 0.
 *  @param[in] count   How many, up to 255.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_ROUTE, FLOWGRAPH_BAD_COUNT, FLOWGRAPH_BAD_CALL,
 *           FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_post(flowgraph_task *task, flowgraph_edge edge, const void *object,
                                flowgraph_data *const *data, size_t count);

/** What an object without data takes on the network, where it leaves the node: what it is, to where, its frames.
 *
 *  @param[in] graph      The graph, after flowgraph_start().
 *  @param[in] operation  Who takes it.
 *  @return  [B]; each piece of data adds its size and 8.
 */
size_t flowgraph_envelope(const flowgraph *graph, flowgraph_operation operation);

/** Waits for the next object of the frame that a merge or stream collects; the atomic step ends.
 *
 *  @param[in] task  The operation that runs, a merge or stream.
 *  @return  The object, valid until the next call or the end of the operation; NULL when the frame is complete, and
 *           after a failure. What an object of size 0 points to is not to be read.
 */
const void *flowgraph_next(flowgraph_task *task);

/** Data of the object that the operation has in its hands.
 *
 *  @param[in] task   The operation that runs.
 *  @param[in] index  Which, from 0, as posted.
 *  @return  Valid as long as the object unless kept; NULL if there are not so many.
 */
flowgraph_data *flowgraph_part(const flowgraph_task *task, size_t index);

/** Lets the thread of the operation keep data under a number, for operations that run there later; it moves with it.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] key   The number.
 *  @param[in] data  The data, held by the thread as well from now on; NULL: forget what is there.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_CALL, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_store(flowgraph_task *task, uint64_t key, flowgraph_data *data);

/** What the thread of the operation keeps.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] key   The number.
 *  @return  Valid while the thread keeps it; NULL if there is nothing.
 */
flowgraph_data *flowgraph_stored(const flowgraph_task *task, uint64_t key);

/** Marks this instant, for flowgraph_marked() and pictures. Ends the atomic step.
 *
 *  @param[in] task    The operation that runs.
 *  @param[in] number  Any.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_CALL, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result flowgraph_mark(flowgraph_task *task, uint64_t number);

/** Ends the run because an object is not what the operation can work with. In real mode objects and data come from other
 *  nodes; an operation that uses them as an index or a length looks first.
 *
 *  @param[in] task  The operation.
 *  @param[in] why   What is wrong with it: the end of a sentence that names the operation.
 *  @return  FLOWGRAPH_BAD_ARGUMENT.
 */
flowgraph_result flowgraph_refuse(flowgraph_task *task, const char *why);

/** On which thread an operation runs.
 *
 *  @param[in] task  The operation that runs.
 *  @return  The number of the thread in its collection, from 0.
 */
size_t flowgraph_thread(const flowgraph_task *task);

/** The time: simulated, at which the current atomic step began; for real, now.
 *
 *  @param[in] task  The operation that runs.
 *  @return  From the beginning of the run [s].
 */
double flowgraph_now(const flowgraph_task *task);

/*=============================================================================
 * MARK: - >>nodes
 *===========================================================================*/
/** Says how many threads of a collection routing functions are told of, from here and now; the others learn it by
 *  message. What was sent to a thread beyond that is still done there.
 *
 *  @param[in] task     The operation that runs.
 *  @param[in] threads  The collection.
 *  @param[in] count    1 to as many as it was added with.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_CALL, FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_resize(flowgraph_task *task, flowgraph_threads threads, size_t count);

/** Moves a thread: with its queue and all that it keeps, over the network, as soon as no operation is under way on it.
 *  What is sent to it meanwhile follows it. It may keep up to 65 535 pieces of data.
 *
 *  @param[in] task     The operation that runs.
 *  @param[in] threads  Its collection.
 *  @param[in] thread   Its number, from 0.
 *  @param[in] node     Where to, from 0; one that takes part.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_BAD_CALL, FLOWGRAPH_NO_MEMORY, FLOWGRAPH_WORLD.
 */
flowgraph_result flowgraph_move(flowgraph_task *task, flowgraph_threads threads, size_t thread, size_t node);

/** Gives a node back: its threads move to those that stay, in turn, and when the last has gone, it is free.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] node  Which, from 0; not node 0.
 *  @return  As flowgraph_move().
 */
flowgraph_result flowgraph_leave(flowgraph_task *task, size_t node);

/** Takes another node; comes back when it is there. Its threads are those that are moved to it.
 *
 *  @param[in] task  The operation that runs.
 *  @param[in] node  Which, from 0; one that does not take part.
 *  @return  As flowgraph_move(); FLOWGRAPH_NODE_LOST if it does not come.
 */
flowgraph_result flowgraph_join(flowgraph_task *task, size_t node);

#endif

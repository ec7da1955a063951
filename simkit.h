/*
simkit.h - what happens when: a virtual clock and all that moves on it

How long will this parallel program take on that cluster, and why? Open a world, give it nodes, start
computations, transfers and processes in it, run it, and read the virtual time. Nothing here is global:
open as many worlds as you like, one thread each.

USE      In one C or C++ file:   #define SIMKIT_IMPLEMENTATION
                                 #include "simkit.h"
         In all others only the include. netmodel.h and contention.h lie beside it (their bodies come
         along), and stb_ds.h beside it or as <stb/stb_ds.h>. Link with -lm.

UNITS    Seconds [s], bytes [B], and for CPU: seconds of one core at speed 1. Written out at every number.

ROOMS    (grep 'MARK: - >>' walks them)
    results      what a call can answer
    world        open, run, stop, close; memory and the last error
    clock        the virtual time and the queue of atomic steps
    nodes        computers: speed, cores, a full-duplex link to the switch
    computing    atomic steps that share the CPU of their node
    loads        the Unix load average of a node, for any window
    transfers    bytes on the star; connections; pair models
    mailboxes    messages between whoever posts and whoever waits
    processes    functions with their own stack on the virtual clock
    operations   work that is run, measured a few times, or only charged: what is chosen at run time
    random       streams that give the same bits everywhere
    distributions of times that people and their processes take
    users        background processes: Poisson streams, traces, what a user does
    watch        everything that happens, as callbacks
    reader       lines of `key = value unit` under [section], with mistakes that say where
    machines     machine files, and nodes made from them
    tables       tables of measurements, for the fits of netmodel.h
    workloads    traces of processes, and Unix process accounting
    populations  users files: who uses the nodes of a cluster
    gantt        a timing diagram as SVG
    trace        a trace for Chrome and Perfetto, for Paje's viewers, or as a table
    stb_ds       (private) dynamic arrays, the only room that says stbds_
    memory       (private) the one way to memory
    why          (private) sentences about errors
    queue        (private) when: a radix heap of what is armed, in chunks
    front        (private) the next of them: pushed, popped, dealt out and swept
    timers       (private) what: steps, and what the engine waits for
    watching     (private) who is told
    opening      (private) the body of world and clock
    tags         (private) who of a group is done first
    sharing      (private) the body of nodes and computing
    remembering  (private) the body of loads
    ends         (private) how flows share the two ends they pass
    flows        (private) the body of transfers
    posting      (private) the body of mailboxes
    switching    (private) one stack to another
    stacks       (private) where stacks come from
    scheduling   (private) the body of processes
    choosing     (private) the body of operations
    dice         (private) the body of random
    laws         (private) the body of distributions
    crowding     (private) the body of users
    reading      (private) the body of reader and machines
    columns      (private) the body of tables
    accounting   (private) the body of workloads
    naming       (private) names and their numbers
    peopling     (private) the body of populations
    layout       (private) what gantt and trace share: rows, and files that appear whole
    drawing      (private) the body of gantt
    tracing      (private) the body of trace

OPTIONS  SIMKIT_IMPLEMENTATION and these, defined before the body (the first three: before every include):
    SIMKIT_STATIC          all functions static, body included, in each file that calls them: nothing is exported
    SIMKIT_NO_STDIO        leaves out what touches files: gantt, trace, all that is read from a path
    SIMKIT_NO_PROCESSES    leaves out what needs stacks; the rest is plain ISO C
    SIMKIT_LOWER_ELSEWHERE the bodies of netmodel.h and contention.h are in another file of the program
    SIMKIT_ANY_FLOAT       compiles where doubles are computed with more digits (x87): results differ in their last bits
    SIMKIT_USE_UCONTEXT    switches stacks with ucontext even where there is assembly
    SIMKIT_VALGRIND        tells valgrind of the stacks; needs <valgrind/memcheck.h>
    SIMKIT_ASSERT(x)       what to do when a promise of our own is broken; default assert(x)

ERRORS   A deed in a world returns a simkit_result; simkit_world_why() is the sentence with the name, the
         number and the virtual time. What fails changes nothing. Nothing prints, exits or catches signals.

THREADS  A world belongs to one thread at a time; different worlds share nothing. A world with processes stays on the
         thread that runs it: compilers keep the addresses of errno and of thread-local variables over a wait.

TIME     double seconds: at 1e6 s neighbouring times are 1.2e-10 s apart. Steps are ordered by (time,
RESOLUTION priority, number): two that fall on one instant run in the order in which they were asked for.
         The same inputs give the same bits wherever doubles are IEEE doubles. -ffast-math, -ffinite-math-only and
         x87 arithmetic (i686 without -msse2 -mfpmath=sse) would change that: the body refuses them.

BREAKS   0.1.0 is the first version.
*/
/** @file
 *  What happens when: the virtual clock, nodes, computing, transfers, processes, watching and drawing.
 */
#ifndef SIMKIT_H
#define SIMKIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef SIMKIT_NO_STDIO
#include <stdio.h>
#endif

#if defined(SIMKIT_STATIC) && !defined(NETMODEL_STATIC)
#define NETMODEL_STATIC
#endif
#if defined(SIMKIT_STATIC) && !defined(CONTENTION_STATIC)
#define CONTENTION_STATIC
#endif
#if defined(SIMKIT_ANY_FLOAT) && !defined(NETMODEL_ANY_FLOAT)
#define NETMODEL_ANY_FLOAT
#endif
#if defined(SIMKIT_ANY_FLOAT) && !defined(CONTENTION_ANY_FLOAT)
#define CONTENTION_ANY_FLOAT
#endif
#include "contention.h"
#include "netmodel.h"

#if defined(_WIN32) && !defined(SIMKIT_NO_PROCESSES)
#define SIMKIT_NO_PROCESSES
#endif

#ifndef SIMKIT_API
#if !defined(SIMKIT_STATIC)
#define SIMKIT_API extern
#elif defined(__GNUC__)
#define SIMKIT_API static __attribute__((unused))
#else
#define SIMKIT_API static
#endif
#endif

/** Version of this header. */
#define SIMKIT_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
/** @defgroup simkit_results simkit: results
 *  What a call can answer. @{ */

/** What a deed in a world answers. */
typedef enum simkit_result {
    SIMKIT_OK = 0,          /**< done */
    SIMKIT_STOPPED,         /**< simkit_world_stop() ended the run; call run again to go on */
    SIMKIT_BAD_ARGUMENT,    /**< a number is negative, NaN or infinite, or a pointer is missing */
    SIMKIT_BAD_TIME,        /**< a time before now, or later than doubles can tell */
    SIMKIT_BAD_CALL,        /**< not here: a process's call outside a process, a run inside a run */
    SIMKIT_UNKNOWN_NODE,    /**< no such node in this world */
    SIMKIT_NODE_FAILED,     /**< the node has failed, before or while it was waited for */
    SIMKIT_UNKNOWN_MAILBOX, /**< no such mailbox in this world */
    SIMKIT_UNKNOWN_PROCESS, /**< no such process, or it has ended */
    SIMKIT_NO_RECEIVER,     /**< the mailbox is closed: nobody can receive there */
    SIMKIT_DEADLOCK,        /**< nothing is left to happen, yet processes wait */
    SIMKIT_STACK_OVERFLOW,  /**< a process needed more stack than it was given */
    SIMKIT_NO_MEMORY,       /**< the reallocation hook said no; the world is as it was */
    SIMKIT_BAD_FILE,        /**< a file has a mistake */
    SIMKIT_NO_FILE,         /**< a file could not be read or written */
    SIMKIT_CANCELLED        /**< the computation that was waited for was cancelled */
} simkit_result;

/** A result in words, for any value.
 *
 *  @param[in] result  The result of a call.
 *  @return  A constant sentence; never NULL.
 *  @since   0.1.0
 */
SIMKIT_API const char *simkit_result_text(simkit_result result);
/** @} */

/*=============================================================================
 * MARK: - >>world
 *===========================================================================*/
/** @defgroup simkit_world simkit: world
 *  Open, run, stop, close; memory and the last error. @{ */

/** A world: one virtual clock and all that lives on it. */
typedef struct simkit_world simkit_world;

/** What the world calls: a step that is due, a computation or a transfer that is done, a process's body. */
typedef void simkit_call(simkit_world *world, void *user);

/** The one way to memory: like realloc(), with the old size told; `new_bytes` 0 frees and returns NULL. */
typedef void *simkit_reallocate(void *user, void *pointer, size_t old_bytes, size_t new_bytes);

/** How transfers share the links of the star. */
typedef enum simkit_star {
    SIMKIT_STAR_EQUAL = 0, /**< the smaller of the equal shares at both ends: netmodel_star_rate(), [dps] section 4 */
    SIMKIT_STAR_MAXMIN     /**< what one cannot use others get: netmodel_starmax_rates() */
} simkit_star;

/** How to open a world; all zero is a good one. */
typedef struct simkit_world_desc {
    uint64_t seed;                 /**< of the random streams; 0 is a seed like any other */
    simkit_reallocate *reallocate; /**< memory hook; NULL: the C library's */
    void *reallocate_user;         /**< handed to the hook */
    simkit_star star;              /**< how transfers share */
    /** Processor time of the calling thread so far [s], never less than before; NULL: the C library's clock(), which
     *  counts all threads. The one way in which this machine's time gets into a world: a test can replay it. */
    double (*processor_time)(void *user);
    void *processor_time_user; /**< handed to it */
} simkit_world_desc;

/** Opens a world at time 0.
 *
 *  @param[in]  desc   How; NULL is the same as all zero.
 *  @param[out] world  The new world; NULL when the call fails.
 *  @return  SIMKIT_OK, SIMKIT_NO_MEMORY, SIMKIT_BAD_ARGUMENT.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_world_open(const simkit_world_desc *desc, simkit_world **world);

/** Closes a world and gives back all that it holds; handles into it are void from then on.
 *
 *  The stacks of processes that still wait are freed without unwinding: what they own on their own, they lose.
 *
 *  @param[in] world  The world; NULL is harmless. Not from inside a run: then it stays open, and the run ends with
 *                    SIMKIT_BAD_CALL.
 *  @since   0.1.0
 */
SIMKIT_API void simkit_world_close(simkit_world *world);

/** Runs until nothing is left to happen.
 *
 *  @param[in] world  The world.
 *  @return  SIMKIT_OK when all is done; SIMKIT_STOPPED; SIMKIT_DEADLOCK when processes wait and nothing can wake
 *           them (simkit_world_why() says which, and on what); SIMKIT_STACK_OVERFLOW; SIMKIT_NO_MEMORY for a
 *           user's process; SIMKIT_BAD_TIME when what is under way would end beyond the largest double, or when it is
 *           so late that doubles cannot tell the periods of a quota or the arrivals of a stream apart;
 *           SIMKIT_BAD_CALL inside a run.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_world_run(simkit_world *world);

/** Runs all that is due up to and including a time, then sets the clock to it.
 *
 *  @param[in] world  The world.
 *  @param[in] until  Virtual time [s], not before now.
 *  @return  SIMKIT_OK, or as simkit_world_run(), but never SIMKIT_DEADLOCK; SIMKIT_BAD_TIME.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_world_run_until(simkit_world *world, double until);

/** Ends the run after the step that is now running; what is pending stays pending.
 *
 *  @param[in] world  The world.
 *  @since   0.1.0
 */
SIMKIT_API void simkit_world_stop(simkit_world *world);

/** The sentence for the last error: what, with which name and number, at which virtual time.
 *
 *  @param[in] world  The world.
 *  @return  A sentence, valid until the next call that fails; empty if none has failed.
 *  @since   0.1.0
 */
SIMKIT_API const char *simkit_world_why(const simkit_world *world);

/** Memory that the world holds now, or has held at most.
 *
 *  @param[in]  world  The world.
 *  @param[out] peak   The most it ever held [B]; may be NULL.
 *  @return  What it holds now [B], stacks included: all of their address space, of which the system keeps only the
 *           pages that were touched.
 *  @since   0.1.0
 */
SIMKIT_API size_t simkit_world_memory(const simkit_world *world, size_t *peak);
/** @} */

/*=============================================================================
 * MARK: - >>clock
 *===========================================================================*/
/** @defgroup simkit_clock simkit: clock
 *  The virtual time and the queue of atomic steps, ordered by (time, priority, number). @{ */

/** Handle of a pending step. 0 is none. It may outlive its step: then every call answers that it is gone. */
typedef uint64_t simkit_step;

/** The virtual time.
 *
 *  @param[in] world  The world.
 *  @return  Now [s], >= 0, never going back.
 *  @since   0.1.0
 */
SIMKIT_API double simkit_clock_now(const simkit_world *world);

/** When the next thing happens.
 *
 *  @param[in] world  The world.
 *  @return  Its virtual time [s]; INFINITY if nothing is pending. Now, where a transfer has begun to flow or has ended at
 *           this instant, for at its end the shares of the others change.
 *  @since   0.1.0
 */
SIMKIT_API double simkit_clock_next(const simkit_world *world);

/** How many steps the world has run so far.
 *
 *  @param[in] world  The world.
 *  @return  The number of steps, those inside the engine included.
 *  @since   0.1.0
 */
SIMKIT_API uint64_t simkit_clock_steps(const simkit_world *world);

/** Asks for a call at a virtual time.
 *
 *  @param[in]  world     The world.
 *  @param[in]  time      When [s], finite and not before now; now is allowed.
 *  @param[in]  priority  Among steps of one instant the lower goes first; -32768 .. 32767, the engine's own have 0.
 *  @param[in]  call      What to call.
 *  @param[in]  user      Handed to it.
 *  @param[out] step      Handle to cancel it by; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_TIME, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(log n) in the number of pending steps.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_step_at(simkit_world *world, double time, int priority, simkit_call *call, void *user,
                                        simkit_step *step);

/** Asks for a call after a delay; otherwise as simkit_step_at().
 *
 *  @param[in]  world     The world.
 *  @param[in]  delay     From now [s], >= 0.
 *  @param[in]  priority  Among steps of one instant the lower goes first.
 *  @param[in]  call      What to call.
 *  @param[in]  user      Handed to it.
 *  @param[out] step      Handle to cancel it by; may be NULL.
 *  @return  As simkit_step_at().
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_step_after(simkit_world *world, double delay, int priority, simkit_call *call,
                                           void *user, simkit_step *step);

/** Takes a pending step back; harmless for one that has run, was cancelled or never was.
 *
 *  @param[in] world  The world.
 *  @param[in] step   Its handle.
 *  @return  Whether it was pending.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_step_cancel(simkit_world *world, simkit_step step);

/** Whether a step is still to come.
 *
 *  @param[in] world  The world.
 *  @param[in] step   Its handle.
 *  @return  Whether it is pending.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_step_pending(const simkit_world *world, simkit_step step);
/** @} */

/*=============================================================================
 * MARK: - >>nodes
 *===========================================================================*/
/** @defgroup simkit_nodes simkit: nodes
 *  Computers: speed, cores, a full-duplex link to the switch, and what communication takes of the CPU. @{ */

/** A node of a world: 1, 2, 3, ... in the order of adding; 0 is none. */
typedef uint32_t simkit_node;

/** A computer. Zero is neutral: an idle network that takes no time and no CPU. */
typedef struct simkit_node_desc {
    const char *name;        /**< copied; NULL: "node 1", "node 2", ... */
    double speed;            /**< CPU seconds done per second of one core [1]; 0 means 1 (a real 0 is refused) */
    unsigned cores;          /**< number of cores; 0 means 1 */
    double quota;            /**< processor time that it may take in each period, all cores together [s]; 0: any */
    double period;           /**< how long a period is [s] */
    double tick;             /**< how often is looked whether it has taken too much [s]; 0: always */
    netmodel_link up;        /**< to the switch: latency [s] and byte time [s/B]; 0 is infinitely fast */
    netmodel_link down;      /**< from the switch; a transfer has the latencies of both ends */
    double cpu_per_outgoing; /**< cores taken by each transfer that leaves, while its bytes flow [1] */
    double cpu_per_incoming; /**< cores taken by each transfer that arrives, while its bytes flow [1] */
    contention_nice_rule nice_rule; /**< how nice levels become weights */
} simkit_node_desc;

/** Adds a computer; at any time, also while the world runs.
 *
 *  With a quota it is a container whose processor time is rationed, as Linux does it for cgroups: when what computes
 *  there has taken its quota, nothing goes on before the next period begins. With a tick it is stopped only when the
 *  next tick, a multiple of that, finds it out, when something begins or ends there, or when a period begins whose quota
 *  it has taken already; what it took too much is missing in the next periods. What was not taken in a period is lost. When its periods begin is drawn from the world's seed.
 *
 *  @param[in]  world  The world.
 *  @param[in]  desc   The computer; borrowed; NULL is the same as all zero.
 *  @param[out] node   Its number.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @source  [dps] section 4: star topology, CPU taken per concurrent transfer.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_node_add(simkit_world *world, const simkit_node_desc *desc, simkit_node *node);

/** A node fails: what computes there is lost, its processes end, its transfers break off, its mailboxes close.
 *
 *  Whoever waits for a computation or a transfer of it is told: processes get SIMKIT_NODE_FAILED, hosts the callback
 *  `lost`, as a step of its own at this instant. Later calls that name the node answer SIMKIT_NODE_FAILED.
 *
 *  @param[in] world  The world.
 *  @param[in] node   The node; if the caller is a process there, the call does not return.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_node_fail(simkit_world *world, simkit_node node);

/** How many nodes there are.
 *
 *  @param[in] world  The world.
 *  @return  Their number; they are 1 .. number.
 *  @since   0.1.0
 */
SIMKIT_API simkit_node simkit_node_count(const simkit_world *world);

/** The name of a node.
 *
 *  @param[in] world  The world.
 *  @param[in] node   The node.
 *  @return  Its name, valid until the world closes; "no node" for an unknown one.
 *  @since   0.1.0
 */
SIMKIT_API const char *simkit_node_name(const simkit_world *world, simkit_node node);

/** How many computations are on a node now: what a load average samples.
 *
 *  @param[in] world  The world.
 *  @param[in] node   The node.
 *  @return  The number of computations begun and not done; 0 for an unknown node.
 *  @since   0.1.0
 */
SIMKIT_API size_t simkit_node_running(const simkit_world *world, simkit_node node);
/** @} */

/*=============================================================================
 * MARK: - >>computing
 *===========================================================================*/
/** @defgroup simkit_computing simkit: computing
 *  Atomic steps that share the CPU of their node by the rules of contention.h. @{ */

/** Handle of a computation; 0 is none. It may outlive it. */
typedef uint64_t simkit_computation;

/** A computation to start. */
typedef struct simkit_compute_desc {
    simkit_node node;  /**< where */
    double seconds;    /**< CPU time on one core of speed 1 [s], >= 0 */
    int nice;          /**< -20 .. 19; the weight comes from the node's rule */
    const char *name;  /**< for watchers; kept, not copied: it must live until the computation is done; may be NULL */
    const char *lane;  /**< for watchers: the row to draw it in, such as a thread's name; kept likewise; may be NULL */
    simkit_call *done; /**< called when it is done; may be NULL */
    void *user;        /**< handed to it */
    simkit_call *lost; /**< called instead of `done` if a node fails; may be NULL */
    simkit_computation *computation; /**< where to put its handle, before anything can happen to it; may be NULL */
} simkit_compute_desc;

/** Starts a computation: it shares the cores of its node with all others there until it has had its CPU time.
 *
 *  @param[in] world  The world.
 *  @param[in] desc   What and where; borrowed but for its strings.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(log n) in the computations of the node; the others are not touched.
 *  @source  [dps] section 4; [clue] "WUS scheduling": infinitely small slices.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_compute_start(simkit_world *world, const simkit_compute_desc *desc);

/** Takes a computation back; harmless for one that is done, lost or never was. Nobody is called; a process that waits
 *  for it goes on with SIMKIT_CANCELLED, as a step of its own at this instant.
 *
 *  @param[in]  world        The world.
 *  @param[in]  computation  Its handle.
 *  @return  Whether it was under way.
 *  @cost    O(n) in the computations of its node.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_compute_cancel(simkit_world *world, simkit_computation computation);
/** @} */

/*=============================================================================
 * MARK: - >>loads
 *===========================================================================*/
/** @defgroup simkit_loads simkit: loads
 *  The Unix load average of a node, for any window: the exponentially smoothed number of computations there, by the
 *  formulas of contention.h. A node that keeps its past writes down when that number changes; nothing is sampled before
 *  somebody asks. @{ */

/** Begins to keep the past of a node, so that simkit_load_average() can be asked later; harmless if it does so already.
 *
 *  @param[in] world  The world.
 *  @param[in] node   The node.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NO_MEMORY.
 *  @cost    8 bytes when a computation begins there and when it ends, until the world closes.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_load_keep(simkit_world *world, simkit_node node);

/** The load average now: the number of computations, seen every `interval` seconds and smoothed.
 *
 *  `next = beta * load + (1 - beta) * running` at each multiple of the interval; the load was 0 when the node began to
 *  keep its past. A sample sees what was before its instant. LoadAverage(n) of [clue] is `simkit_load_average(world,
 *  node, contention_load_beta(n), 1)`.
 *
 *  @param[in] world     The world.
 *  @param[in] node      The node.
 *  @param[in] beta      Smoothing constant [1], 0 to 1: contention_load_beta() or contention_load_beta_window() says
 *                       which; with 0 it is the number at the latest sample.
 *  @param[in] interval  Between two samples [s], > 0.
 *  @return  The load [1]; NaN if the node keeps no past or there is none, if an argument is not as said, or if there were
 *           1e15 samples.
 *  @cost    O(log samples) for each change since the same beta and interval were asked for last; the first time, since
 *           the past began.
 *  @source  [clue] eq. 1.
 *  @since   0.1.0
 */
SIMKIT_API double simkit_load_average(simkit_world *world, simkit_node node, double beta, double interval);
/** @} */

/*=============================================================================
 * MARK: - >>transfers
 *===========================================================================*/
/** @defgroup simkit_transfers simkit: transfers
 *  Bytes on the star: start-up, then bytes at the shared rate. @{ */

/** A transfer to start. */
typedef struct simkit_transfer_desc {
    simkit_node from;  /**< sender */
    simkit_node to;    /**< receiver; may be the sender: then it takes no time unless a pair model says so */
    double bytes;      /**< size [B], >= 0 */
    bool in_order;     /**< after all earlier in-order transfers of this ordered pair, as on one TCP connection */
    const char *name;  /**< for watchers; kept, not copied: it must live until the transfer is done; may be NULL */
    simkit_call *done; /**< called when the last byte has arrived; may be NULL */
    void *user;        /**< handed to it */
    simkit_call *lost; /**< called instead of `done` if a node fails; may be NULL */
} simkit_transfer_desc;

/** Starts a transfer. Alone it takes `latency + bytes * byte_time`; those that leave a node share its up link
 *  equally, those that arrive share the down link, and each gets the smaller share; or max-min fair, if the world was
 *  opened so.
 *
 *  @param[in] world  The world.
 *  @param[in] desc   What, whence, whither; borrowed but for its name.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(log n) in the transfers of a link, and a look at the others of both links when their shares change;
 *           max-min: O(n) in all that the change reaches through links and other transfers.
 *  @source  [dps] section 4; the rates are those of netmodel_star_rate() or netmodel_starmax_rates().
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_transfer_start(simkit_world *world, const simkit_transfer_desc *desc);

/** Gives an ordered pair of nodes a link model of its own, instead of the star's; also for a node to itself.
 *
 *  It still shares both ends equally with other transfers: at k times the crowd it gets 1/k of its own rate. In a
 *  max-min world it gets that part of its own rate which the star's links, had it none, would leave it of theirs.
 *  Transfers of a node to itself share with nobody. Transfers that were started before keep what they had, those
 *  too that wait in order.
 *
 *  @param[in] world  The world.
 *  @param[in] from   Sender.
 *  @param[in] to     Receiver; may be the sender.
 *  @param[in] model  Its link; copied.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_transfer_model(simkit_world *world, simkit_node from, simkit_node to,
                                               const netmodel_link *model);
/** @} */

/*=============================================================================
 * MARK: - >>mailboxes
 *===========================================================================*/
/** @defgroup simkit_mailboxes simkit: mailboxes
 *  Messages between whoever posts and whoever waits; first come, first served on both sides. @{ */

/** A mailbox of a world; 0 is none. */
typedef uint32_t simkit_mailbox;

/** What arrives. */
typedef struct simkit_message {
    simkit_node from; /**< who sent it */
    double bytes;     /**< its size [B] */
    double sent;      /**< when it was posted [s] */
    double arrived;   /**< when its last byte arrived [s] */
    void *data;       /**< what the sender handed over; the world never looks inside */
} simkit_message;

/** What a waiting receiver is called with; `message` is NULL if the mailbox was closed. */
typedef void simkit_receive(simkit_world *world, void *user, const simkit_message *message);

/** Opens a mailbox on a node.
 *
 *  @param[in]  world    The world.
 *  @param[in]  node     Where it stands: messages travel to this node.
 *  @param[in]  name     For errors; copied; NULL: "mailbox 1", ...
 *  @param[out] mailbox  Its number.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_mailbox_open(simkit_world *world, simkit_node node, const char *name,
                                             simkit_mailbox *mailbox);

/** Closes a mailbox: its messages are dropped, whoever waits is woken without one, later posts are refused.
 *
 *  @param[in] world    The world.
 *  @param[in] mailbox  The mailbox.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_MAILBOX, SIMKIT_NO_RECEIVER if it is closed already.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_mailbox_close(simkit_world *world, simkit_mailbox mailbox);

/** A message to post. */
typedef struct simkit_post_desc {
    simkit_node from;  /**< who sends */
    simkit_mailbox to; /**< where it goes */
    double bytes;      /**< size [B], >= 0 */
    void *data;        /**< for the receiver; only the pointer travels */
    bool in_order;     /**< as in simkit_transfer_desc */
    const char *name;  /**< for watchers, as in simkit_transfer_desc; may be NULL */
    simkit_call *done; /**< called when it has arrived, received or not; may be NULL */
    void *user;        /**< handed to it */
    simkit_call *lost; /**< called instead of `done` if a node fails; may be NULL */
} simkit_post_desc;

/** Posts a message; it travels as a transfer, then waits in the mailbox for a receiver.
 *
 *  @param[in] world  The world.
 *  @param[in] desc   The message; borrowed but for its name and data.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_UNKNOWN_MAILBOX, SIMKIT_NO_RECEIVER, SIMKIT_BAD_ARGUMENT,
 *           SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_mailbox_post(simkit_world *world, const simkit_post_desc *desc);

/** Asks for the next message; the callback comes once, as a step of its own, at this instant if one is there.
 *
 *  @param[in] world    The world.
 *  @param[in] mailbox  The mailbox.
 *  @param[in] receive  Called with the message.
 *  @param[in] user     Handed to it.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_MAILBOX, SIMKIT_NO_RECEIVER, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_mailbox_take(simkit_world *world, simkit_mailbox mailbox, simkit_receive *receive,
                                             void *user);

/** How many messages lie in a mailbox.
 *
 *  @param[in] world    The world.
 *  @param[in] mailbox  The mailbox.
 *  @return  The messages that have arrived and that nobody has taken; 0 for an unknown mailbox.
 *  @since   0.1.0
 */
SIMKIT_API size_t simkit_mailbox_count(const simkit_world *world, simkit_mailbox mailbox);
/** @} */

#ifndef SIMKIT_NO_PROCESSES
/*=============================================================================
 * MARK: - >>processes
 *===========================================================================*/
/** @defgroup simkit_processes simkit: processes
 *  Direct execution: functions with their own stack that compute, wait, send and receive on the virtual clock.
 *  One runs at a time. All that a process can do is also a call with a callback. @{ */

/** Handle of a process; 0 is none. It may outlive its process. */
typedef uint64_t simkit_process;

/** A process to start. */
typedef struct simkit_process_desc {
    const char *name;   /**< copied, up to 31 bytes; NULL: "process 1", ... */
    simkit_node node;   /**< where it computes and sends from; 0: nowhere, then it can only wait and receive */
    simkit_call *body;  /**< the function; when it returns, the process has ended */
    void *user;         /**< handed to it */
    size_t stack_bytes; /**< its stack [B]; 0 means 64 KiB (256 KiB under a sanitizer); at least 8 KiB; 4 KiB of it are
                             for the engine */
    bool measure_stack; /**< fill the stack beforehand, so that simkit_process_stack() can tell what was used of it */
} simkit_process_desc;

/** Starts a process; its body begins as a step of its own at this instant.
 *
 *  @param[in]  world    The world.
 *  @param[in]  desc     The process; borrowed.
 *  @param[out] process  Its handle; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_process_start(simkit_world *world, const simkit_process_desc *desc,
                                              simkit_process *process);

/** The process that is now running.
 *
 *  @param[in] world  The world.
 *  @return  Its handle; 0 outside processes.
 *  @since   0.1.0
 */
SIMKIT_API simkit_process simkit_process_self(const simkit_world *world);

/** Waits for virtual time to pass. Only inside a process.
 *
 *  @param[in] world    The world.
 *  @param[in] seconds  How long [s], >= 0; 0 lets the others of this instant go first.
 *  @return  SIMKIT_OK, SIMKIT_BAD_CALL, SIMKIT_BAD_TIME.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_process_wait(simkit_world *world, double seconds);

/** Computes on the process's node, sharing its CPU. Only inside a process.
 *
 *  @param[in] world  The world.
 *  @param[in] desc   As for simkit_compute_start(); node 0 means the process's own; done and user are not used.
 *  @return  SIMKIT_OK when the computation is done; SIMKIT_CANCELLED by simkit_compute_cancel(); SIMKIT_NODE_FAILED;
 *           SIMKIT_BAD_CALL, or as simkit_compute_start().
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_process_compute(simkit_world *world, const simkit_compute_desc *desc);

/** Posts a message and waits until it has arrived. Only inside a process.
 *
 *  @param[in] world  The world.
 *  @param[in] desc   As for simkit_mailbox_post(); from 0 means the process's own node; done and user are not used.
 *  @return  SIMKIT_OK when it has arrived; SIMKIT_BAD_CALL, or as simkit_mailbox_post().
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_process_send(simkit_world *world, const simkit_post_desc *desc);

/** Waits for the next message of a mailbox. Only inside a process.
 *
 *  @param[in]  world    The world.
 *  @param[in]  mailbox  The mailbox.
 *  @param[out] message  What arrived; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_CALL, SIMKIT_UNKNOWN_MAILBOX, SIMKIT_NO_MEMORY; SIMKIT_NO_RECEIVER if the mailbox
 *           is closed, now or while waiting.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_process_receive(simkit_world *world, simkit_mailbox mailbox, simkit_message *message);

/** Suspends the process until somebody resumes it. Only inside a process.
 *
 *  @param[in] world  The world.
 *  @param[in] on     What it waits on, for the sentence about a deadlock; kept until it is resumed; may be NULL.
 *  @return  SIMKIT_OK when resumed; SIMKIT_BAD_CALL.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_process_suspend(simkit_world *world, const char *on);

/** How much stack a process has, and has used.
 *
 *  @param[in]  world    The world.
 *  @param[in]  process  Its handle.
 *  @param[out] used     The most it has used so far [B]; 0 if its description did not ask to measure; may be NULL.
 *  @return  The stack it has [B]; 0 for a process that has ended.
 *  @cost    With `used`: reads what was not used of the stack.
 *  @since   0.1.0
 */
SIMKIT_API size_t simkit_process_stack(simkit_world *world, simkit_process process, size_t *used);

/** Makes a result of a stack overflow that hit the guard below a stack. (A call of the kit with less than 4 KiB left is
 *  an overflow, too, and ends the run with SIMKIT_STACK_OVERFLOW without a fault.) For a handler of SIGSEGV and SIGBUS that the
 *  host installs with SA_SIGINFO, SA_ONSTACK and SA_NODEFER, on a stack of its own (sigaltstack): docs/simkit.md.
 *
 *  Stacks have a guard of 16 KiB where the world's memory comes from the C library and the system can protect it: on
 *  Linux, on all of them from 6.13 on, else on the first 1000. A stack without one ends the run with
 *  SIMKIT_STACK_OVERFLOW at its next wait, if its lowest bytes were overwritten.
 *
 *  @param[in] world    The world that ran.
 *  @param[in] address  Where the fault was.
 *  @return  false if the fault is none of ours. Otherwise it does not return: the process has ended, and the run
 *           ends with SIMKIT_STACK_OVERFLOW.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_process_overflow(simkit_world *world, const void *address);

/** Ends a process from outside, wherever it waits; what it asked for is taken back. Nothing is unwound.
 *
 *  A computation is given up; a message that it was sending still arrives; one that it was about to receive goes to
 *  the next receiver.
 *
 *  @param[in] world    The world.
 *  @param[in] process  Its handle; if it is the caller's own, the call does not return.
 *  @return  SIMKIT_OK; SIMKIT_UNKNOWN_PROCESS if it has ended.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_process_kill(simkit_world *world, simkit_process process);

/** Resumes a suspended process, as a step of its own at this instant.
 *
 *  @param[in] world    The world.
 *  @param[in] process  Its handle.
 *  @return  SIMKIT_OK; SIMKIT_UNKNOWN_PROCESS if it has ended; SIMKIT_BAD_CALL if it is not suspended.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_process_resume(simkit_world *world, simkit_process process);
/** @} */
#endif

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
/** @defgroup simkit_operations simkit: operations
 *  Direct execution, in whole or in part: a named piece of work is run and its processor time taken, or it is run a few
 *  times and then not any more, or it is never run and a model says how long it takes. @{ */

/** Number of an operation in its world, from 1; 0 is none. */
typedef uint32_t simkit_operation;

/** Where the duration of an operation comes from. */
typedef enum simkit_policy {
    SIMKIT_EXECUTE = 0, /**< run it each time: the processor time that it took */
    SIMKIT_MEASURE,     /**< run it the first times for each parameter, then only charge the mean of those */
    SIMKIT_MODEL        /**< never run it: a number, or a function of the parameter */
} simkit_policy;

/** An operation to add. */
typedef struct simkit_operation_desc {
    const char *name;                              /**< for errors; copied, up to 31 bytes; NULL: "operation 1", ... */
    simkit_policy policy;                          /**< where its duration comes from */
    unsigned first;                                /**< measure: how many times, up to 64; 0 means 5 */
    double seconds;                                /**< model: how long it takes [s], where there is no function */
    double (*model)(double parameter, void *user); /**< model: how long [s]; may be NULL */
    void *user;                                    /**< handed to it */
} simkit_operation_desc;

/** Adds an operation.
 *
 *  @param[in]  world      The world.
 *  @param[in]  desc       The operation; borrowed.
 *  @param[out] operation  Its number.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_operation_add(simkit_world *world, const simkit_operation_desc *desc,
                                              simkit_operation *operation);

/** Runs an operation or not, as its policy wants, and tells how long it takes; no virtual time goes by.
 *
 *  What is reused are means of the measured times that are no outliers: of those within three scaled median absolute
 *  deviations, 4.4478 median |t - median|, of their median.
 *
 *  @param[in]  world      The world.
 *  @param[in]  operation  Its number.
 *  @param[in]  parameter  What the duration depends on, such as a size; measured times are kept for each. Not NaN.
 *  @param[in]  body       What to run.
 *  @param[in]  argument   Handed to it.
 *  @param[out] seconds    How long it takes: processor time of this machine, or as the model says [s].
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT (also if a model answers no time), SIMKIT_NO_MEMORY.
 *  @source  [dps] section 4, partial direct execution; the rule for outliers is ours.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_operation_run(simkit_world *world, simkit_operation operation, double parameter,
                                              void (*body)(void *argument), void *argument, double *seconds);

/** The same in two steps, for work that is no function: asks whether an operation is to be run now.
 *
 *  @param[in]  world      The world.
 *  @param[in]  operation  Its number.
 *  @param[in]  parameter  As for simkit_operation_run().
 *  @param[out] run        Whether the caller is to run it, and then to call simkit_operation_end().
 *  @param[out] seconds    If not: how long it takes [s].
 *  @return  As simkit_operation_run().
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_operation_begin(simkit_world *world, simkit_operation operation, double parameter,
                                                bool *run, double *seconds);

/** Tells what a run has taken. Runs that began together may all end; those too many are not kept.
 *
 *  @param[in]  world      The world.
 *  @param[in]  operation  Its number.
 *  @param[in]  parameter  As when it began.
 *  @param[in]  seconds    What it has taken [s]; less than 0 counts as 0.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_operation_end(simkit_world *world, simkit_operation operation, double parameter,
                                              double seconds);

/** How many times an operation was run.
 *
 *  @param[in]  world      The world.
 *  @param[in]  operation  Its number.
 *  @param[out] reused     How many times its duration was taken without running it; may be NULL.
 *  @return  Runs; 0 for a number that names none.
 *  @since   0.1.0
 */
SIMKIT_API uint64_t simkit_operation_runs(const simkit_world *world, simkit_operation operation, uint64_t *reused);

/** Processor time of this machine so far, as the world sees it: simkit_world_desc.processor_time.
 *
 *  @param[in] world  The world.
 *  @return  [s]; only differences mean something.
 *  @since   0.1.0
 */
SIMKIT_API double simkit_operation_clock(const simkit_world *world);
/** @} */

/*=============================================================================
 * MARK: - >>random
 *===========================================================================*/
/** @defgroup simkit_random simkit: random
 *  Random numbers that are the same bits on every compiler and processor: integer arithmetic and comparisons only. @{ */

/** A stream of random numbers: a value that you may copy. Any state is a good one. */
typedef struct simkit_random {
    uint64_t state; /**< where the stream stands */
} simkit_random;

/** A stream of its own, made from the world's seed.
 *
 *  All streams are parts of one sequence of 2^64 numbers that begin at random places. Two streams of a thousand million
 *  numbers each overlap with a probability of 1e-10; among a million such streams some do.
 *
 *  @param[in] world   The world.
 *  @param[in] number  Which stream.
 *  @return  The stream at its beginning.
 *  @since   0.1.0
 */
SIMKIT_API simkit_random simkit_random_stream(const simkit_world *world, uint64_t number);

/** 64 random bits.
 *
 *  @param[in,out] random  The stream.
 *  @return  Any 64-bit number, each as likely.
 *  @source  SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
 *  @since   0.1.0
 */
SIMKIT_API uint64_t simkit_random_bits(simkit_random *random);

/** Uniform in [0, 1).
 *
 *  @param[in,out] random  The stream.
 *  @return  A multiple of 2^-53 [1].
 *  @since   0.1.0
 */
SIMKIT_API double simkit_random_uniform(simkit_random *random);

/** Exponentially distributed.
 *
 *  @param[in,out] random  The stream.
 *  @param[in]     mean    Its mean, > 0.
 *  @return  A positive number in the unit of `mean`; NaN if the mean is not positive and finite.
 *  @source  von Neumann's comparison method (1951): no logarithm, so the bits do not depend on a math library.
 *  @since   0.1.0
 */
SIMKIT_API double simkit_random_exponential(simkit_random *random, double mean);
/** @} */

/*=============================================================================
 * MARK: - >>distributions
 *===========================================================================*/
/** @defgroup simkit_distributions simkit: distributions
 *  Of times that people and their processes take, drawn with the same bits everywhere. @{ */

/** A family of distributions on [0, inf). */
typedef enum simkit_law {
    SIMKIT_LAW_CONSTANT = 0,     /**< always `mean` */
    SIMKIT_LAW_EXPONENTIAL,      /**< of `mean` */
    SIMKIT_LAW_HYPEREXPONENTIAL, /**< exponential of mean values[i], with probability weights[i] / sum of weights */
    SIMKIT_LAW_PARETO,           /**< P(X > x) = (least / x)^shape for x >= least; below `most`, unless that is 0 */
    SIMKIT_LAW_SAMPLE            /**< one of values[count], each as likely; by weights[count], if there are any */
} simkit_law;

/** A distribution: a value that you may copy; its arrays are borrowed. All zero is a constant 0. */
typedef struct simkit_distribution {
    simkit_law law;        /**< of which family */
    double mean;           /**< of the constant and the exponential law */
    double shape;          /**< Pareto: its exponent [1], >= 0.01 */
    double least;          /**< Pareto: the least value, > 0 */
    double most;           /**< Pareto: no value is above; 0: no bound */
    const double *values;  /**< values[count], each finite and >= 0 */
    const double *weights; /**< weights[count], each finite and >= 0, some > 0; any sum; NULL: all alike */
    size_t count;          /**< of the hyperexponential law and of a sample */
} simkit_distribution;

/** The mean of a distribution.
 *
 *  @param[in] distribution  The distribution.
 *  @return  Its mean, in its unit; INFINITY for a Pareto law without bound of shape <= 1; NaN if it is none: a number
 *           negative, NaN or infinite, a Pareto law whose bound is not at least 1.01 times its least value, no values.
 *  @since   0.1.0
 */
SIMKIT_API double simkit_distribution_mean(const simkit_distribution *distribution);

/** Draws a number.
 *
 *  @param[in]     distribution  The distribution.
 *  @param[in,out] random        The stream.
 *  @return  A number >= 0 in the distribution's unit; NaN if it is none.
 *  @cost    O(count) with weights; with a bound, a Pareto law is drawn until a number is below.
 *  @since   0.1.0
 */
SIMKIT_API double simkit_distribution_draw(const simkit_distribution *distribution, simkit_random *random);
/** @} */

/*=============================================================================
 * MARK: - >>users
 *===========================================================================*/
/** @defgroup simkit_users simkit: users
 *  People who use a node, too: background processes that take part of its CPU without being run. They come as a Poisson
 *  stream, from a trace, or out of a graph of what a user does. To a computation and to the load average they are
 *  computations like any other. Follows [clue], "The workstation user simulator". The same seed is the same day.
 *
 *  Streams and users without an end go on for ever: run such a world until a time, or stop it. @{ */

/** A source of background processes; 0 is none. */
typedef uint32_t simkit_users;

/** A Poisson stream of processes, with a rate and demands that may change over the day. */
typedef struct simkit_arrivals_desc {
    simkit_node node;             /**< where */
    double rate;                  /**< processes a second [1/s], 0 to 1e6, times the profile too */
    const double *profile;        /**< factors on it, profile[parts], through the parts of a day; copied; NULL: 1 */
    const double *demand_profile; /**< factors on the demands likewise; copied; NULL: 1 */
    size_t parts;                 /**< equal parts of a day, such as 24 hours, each >= 1e-6 s; 0: no profiles */
    double day;                   /**< how long a day is [s]; 0 means 86400 */
    double time_of_day;           /**< at the world's time 0 [s], >= 0 */
    simkit_distribution demand;   /**< CPU time of a process [s]; its arrays are borrowed until the world closes */
    int nice;                     /**< -20 .. 19 */
    const char *name;             /**< of its processes, for watchers; borrowed until the world closes; may be NULL */
    uint64_t stream;              /**< of random numbers: sources of different numbers are independent, those of one
                                       number alike, on whatever node */
} simkit_arrivals_desc;

/** Begins a Poisson stream of background processes.
 *
 *  @param[in]  world  The world.
 *  @param[in]  desc   Which; borrowed but for what it says.
 *  @param[out] users  The source; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY. If memory runs
 *           out when a process is to begin, the run ends with SIMKIT_NO_MEMORY and cannot go on: it is missing.
 *  @cost    A timer; a step for each process that begins, and one for its end.
 *  @source  [clue] "Using WUS": fixed and variable arrival and departure rates.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_users_arrive(simkit_world *world, const simkit_arrivals_desc *desc,
                                             simkit_users *users);

/** A line of a trace: a process wants the CPU. */
typedef struct simkit_arrival {
    double time;      /**< from the beginning of the trace [s] */
    double seconds;   /**< CPU time that it wants from then on [s] */
    int nice;         /**< -20 .. 19 */
    uint32_t process; /**< 0: one of its own; lines of one number, up to 1e8, are one process: the next waits for the
                           last, and those that wait together are one computation, with nice level and name of the last;
                           a replay takes 16 bytes for each number */
    const char *name; /**< for watchers; may be NULL */
} simkit_arrival;

/** A trace to replay. */
typedef struct simkit_replay_desc {
    simkit_node node;               /**< where */
    const simkit_arrival *arrivals; /**< arrivals[count], time never going back; borrowed until the world closes */
    size_t count;                   /**< how many; may be 0 */
    double skip;      /**< time of the trace at which it begins, now [s], >= 0; earlier lines are left out */
    double scale;     /**< factor on all demands, such as the speed of the traced machine; 0 means 1 */
    const char *name; /**< for errors; may be NULL */
} simkit_replay_desc;

/** Begins to replay a trace.
 *
 *  @param[in]  world  The world.
 *  @param[in]  desc   Which; borrowed but for its arrivals.
 *  @param[out] users  The source; may be NULL.
 *  @return  As simkit_users_arrive(); SIMKIT_BAD_ARGUMENT also for a time that goes back.
 *  @source  [clue] "Using WUS": trace files of real processes.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_users_replay(simkit_world *world, const simkit_replay_desc *desc, simkit_users *users);

/** A state of a user: thinks, then runs a command, waits for it, and goes on to another state. */
typedef struct simkit_user_state {
    const char *name;           /**< of its command, for watchers and errors; borrowed; may be NULL */
    simkit_distribution think;  /**< before the command [s] */
    simkit_distribution demand; /**< CPU time of the command [s] */
    int nice;                   /**< -20 .. 19 */
    const double *next;         /**< probability of each state to be next, next[states]; what is missing from 1 is that
                                     of logging out; NULL: logs out */
} simkit_user_state;

/** A user to simulate: a behaviour graph, and when he or she is there. */
typedef struct simkit_behaviour_desc {
    simkit_node node;                /**< where */
    const simkit_user_state *states; /**< states[count], with their arrays; borrowed until the world closes */
    size_t count;                    /**< how many, > 0 */
    size_t first;                    /**< the state to begin in */
    double begin;                    /**< logs in then, virtual time [s]; in the past: now */
    double end;      /**< begins no command from then on, virtual time [s]; 0: logs out by the graph only */
    uint64_t stream; /**< of random numbers, likewise */
} simkit_behaviour_desc;

/** Begins to simulate a user.
 *
 *  @param[in]  world  The world.
 *  @param[in]  desc   Which; borrowed but for its states.
 *  @param[out] users  The source; may be NULL.
 *  @return  As simkit_users_arrive(); SIMKIT_BAD_ARGUMENT also for probabilities that sum to more than 1, and for a
 *           cycle of states with less than 1e-6 s of think time: virtual time might stand still in it.
 *  @source  [clue] "Using WUS": user behaviour graphs.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_users_behave(simkit_world *world, const simkit_behaviour_desc *desc,
                                             simkit_users *users);

/** What a source has done so far. */
typedef struct simkit_users_tally {
    uint64_t begun;  /**< processes that began; of a trace, computations: demands that waited together are one */
    uint64_t ended;  /**< of these, how many have ended */
    double demand;   /**< CPU time that the ended ones had [s] */
    double response; /**< time from beginning to end, summed over the ended ones [s] */
} simkit_users_tally;

/** What a source has done so far.
 *
 *  @param[in] world  The world.
 *  @param[in] users  The source; 0: all of them.
 *  @return  Its tally; all zero for an unknown source.
 *  @since   0.1.0
 */
SIMKIT_API simkit_users_tally simkit_users_count(const simkit_world *world, simkit_users users);

/** Ends a source: no process begins any more; those that compute are finished. Harmless for one that has ended.
 *
 *  @param[in] world  The world.
 *  @param[in] users  The source.
 *  @since   0.1.0
 */
SIMKIT_API void simkit_users_stop(simkit_world *world, simkit_users users);
/** @} */

/*=============================================================================
 * MARK: - >>watch
 *===========================================================================*/
/** @defgroup simkit_watch simkit: watch
 *  Everything that happens, as callbacks: writers and recorders are built on this. @{ */

/** What is observed; a mask chooses several. */
typedef enum simkit_watch_kind {
    SIMKIT_WATCH_STEP = 1,     /**< a step of simkit_step_at() runs */
    SIMKIT_WATCH_COMPUTE = 2,  /**< a computation */
    SIMKIT_WATCH_TRANSFER = 4, /**< a transfer */
    SIMKIT_WATCH_PROCESS = 8,  /**< a process: began, suspended, goes on, ended */
    SIMKIT_WATCH_NODE = 16,    /**< a node was added */
    SIMKIT_WATCH_ALL = 31      /**< all of these */
} simkit_watch_kind;

/** What happened to it. */
typedef enum simkit_watch_phase {
    SIMKIT_WATCH_ASKED, /**< it was asked for; an in-order transfer may have to wait */
    SIMKIT_WATCH_BEGIN, /**< it began; a transfer: its start-up */
    SIMKIT_WATCH_FLOW,  /**< a transfer: its bytes begin to flow */
    SIMKIT_WATCH_WAIT,  /**< a process: it waits */
    SIMKIT_WATCH_GO,    /**< a process: it goes on */
    SIMKIT_WATCH_END,   /**< it is done */
    SIMKIT_WATCH_LOST   /**< it is not done and never will be: a node has failed, or a process was killed */
} simkit_watch_phase;

/** One observation. Strings are borrowed for the call. */
typedef struct simkit_watch_event {
    simkit_watch_kind kind;   /**< of what */
    simkit_watch_phase phase; /**< what happened */
    double time;              /**< now [s] */
    double begin;             /**< when it began [s]; for END the bar to draw is begin .. time */
    double seconds;           /**< a computation: the CPU time asked for [s] */
    double bytes;             /**< a transfer: its size [B] */
    simkit_node node;         /**< where; a transfer: its sender */
    simkit_node to;           /**< a transfer: its receiver; else 0 */
    const char *name;         /**< its name; "" if it has none */
    const char *lane;         /**< its lane; "" if it has none */
    uint64_t number;          /**< tells things of one kind apart while they live */
} simkit_watch_event;

/** Called for each observation. It may read the world, but must not change it. What a process asks for is observed on the
 *  stack of that process, which needs room for the watcher. */
typedef void simkit_watcher(void *user, const simkit_world *world, const simkit_watch_event *event);

/** Adds a watcher; several are called in the order of adding.
 *
 *  @param[in] world    The world.
 *  @param[in] kinds    Which kinds, OR of simkit_watch_kind.
 *  @param[in] watcher  Called for each observation.
 *  @param[in] user     Handed to it; with the watcher, what simkit_watch_remove() knows it by.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_watch_add(simkit_world *world, unsigned kinds, simkit_watcher *watcher, void *user);

/** Tells all watchers of something that happened elsewhere, such as in a real run: it is drawn and traced as if it had
 *  happened here.
 *
 *  @param[in] world  The world.
 *  @param[in] event  What; its time is taken as it is, and need not be now. Missing texts are "".
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT for a kind that there is not or times that are none;
 *           SIMKIT_UNKNOWN_NODE, for `to` also if it is a transfer.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_watch_tell(simkit_world *world, const simkit_watch_event *event);

/** Removes a watcher; harmless if it is not there.
 *
 *  @param[in] world    The world.
 *  @param[in] watcher  As given to simkit_watch_add().
 *  @param[in] user     As given to simkit_watch_add().
 *  @since   0.1.0
 */
SIMKIT_API void simkit_watch_remove(simkit_world *world, simkit_watcher *watcher, void *user);

/** Begins to hash every event of the world, anew if it does so already.
 *
 *  An event is what a watcher of SIMKIT_WATCH_ALL sees, and a message that a receiver gets. Its kind and phase, its
 *  node, its number, its sizes and the bits of its times go into the hash; order counts; names do not. The same run has
 *  the same fingerprint with every compiler and processor of IEEE doubles, whoever watches, in one run or in slices. What
 *  simkit_watch_tell() says is no event.
 *
 *  @param[in] world  The world; best before anything has happened in it.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT.
 *  @cost    Some 25 ns an event; nothing in a world that was not asked.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_fingerprint_begin(simkit_world *world);

/** The hash of all events since simkit_fingerprint_begin().
 *
 *  @param[in] world  The world.
 *  @return  The fingerprint so far; 0 if none was begun.
 *  @since   0.1.0
 */
SIMKIT_API uint64_t simkit_fingerprint_value(const simkit_world *world);
/** @} */

/*=============================================================================
 * MARK: - >>reader
 *===========================================================================*/
/** @defgroup simkit_reader simkit: reader
 *  Files that people write: lines of `key = value unit` under `[section]`, where `#` begins a comment. What machine files
 *  are read with, for files of a host's own. Numbers have a point, whatever the locale says. @{ */

/** Where a mistake stands and what it is. */
typedef struct simkit_mistake {
    unsigned line;   /**< from 1; 0: the file as a whole */
    unsigned column; /**< from 1 */
    char text[240];  /**< FILE:LINE:COLUMN: what was found, what was expected */
} simkit_mistake;

/** A text that is being read, line by line: a value. The text is borrowed. */
typedef struct simkit_reader {
    const char *file;       /**< how to call it in mistakes */
    const char *start;      /**< the line */
    const char *at;         /**< what comes next in it */
    const char *end;        /**< its end, without comment and blanks */
    const char *rest;       /**< the lines after it */
    const char *last;       /**< the end of the text */
    unsigned line;          /**< its number, from 1 */
    simkit_mistake mistake; /**< the latest */
} simkit_reader;

/** Begins to read a text; a byte order mark is passed over.
 *
 *  @param[out] reader  The reader, before the first line.
 *  @param[in]  text    The text; need not end with a zero byte.
 *  @param[in]  length  Its length [B].
 *  @param[in]  file    How to call it in mistakes; borrowed.
 *  @since   0.1.0
 */
SIMKIT_API void simkit_reader_open(simkit_reader *reader, const char *text, size_t length, const char *file);

/** Goes to the next line that says something.
 *
 *  @param[in,out] reader  The reader.
 *  @return  Whether there is one; it stands at its first word.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_line(simkit_reader *reader);

/** Passes over blanks, and over one character if it comes next.
 *
 *  @param[in,out] reader  The reader.
 *  @param[in]     next    The character.
 *  @return  Whether it came; else only the blanks are passed.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_take(simkit_reader *reader, char next);

/** Reads a name of letters, digits, _ and -.
 *
 *  @param[in,out] reader  The reader.
 *  @param[out]    word    The name, word[32], with a zero byte at its end.
 *  @param[in]     what    What is expected, for the mistake.
 *  @return  Whether there is one; else a mistake.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_word(simkit_reader *reader, char word[32], const char *what);

/** Reads a number and its unit.
 *
 *  @param[in,out] reader  The reader.
 *  @param[in]     base    The base unit it must have: "s", "1/s", "B", "B/s", "flop/s" or "1"; NULL: any.
 *  @param[out]    value   The value in the base unit, finite, >= 0.
 *  @param[out]    found   The base unit it has; may be NULL.
 *  @return  Whether there is one; else a mistake.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_quantity(simkit_reader *reader, const char *base, double *value, const char **found);

/** Reads a whole number.
 *
 *  @param[in,out] reader  The reader.
 *  @param[out]    count   The number, 1 .. 1000000.
 *  @return  Whether there is one; else a mistake.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_count(simkit_reader *reader, unsigned *count);

/** Reads the rest of the line as a text.
 *
 *  @param[in,out] reader  The reader.
 *  @param[out]    text    The text, text[room], with a zero byte at its end.
 *  @param[in]     room    Its room [B].
 *  @return  Whether there is one that fits; else a mistake.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_text(simkit_reader *reader, char *text, size_t room);

/** Reads the rest of the line as the path of a file that lies beside this one, unless it begins with /.
 *
 *  @param[in,out] reader  The reader; its file's name says where this one is.
 *  @param[out]    path    The path, path[room], with a zero byte at its end.
 *  @param[in]     room    Its room [B].
 *  @return  Whether there is one that fits; else a mistake.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_path(simkit_reader *reader, char *path, size_t room);

/** Reads how nice levels become weights: linux_today or linux_2_2.
 *
 *  @param[in,out] reader  The reader.
 *  @param[out]    rule    The rule.
 *  @return  Whether there is one; else a mistake.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_nice_rule(simkit_reader *reader, contention_nice_rule *rule);

/** Whether the line is over.
 *
 *  @param[in,out] reader  The reader.
 *  @return  Whether nothing but blanks is left; else a mistake.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_end(simkit_reader *reader);

/** Sets the mistake: file, line and column come before the text.
 *
 *  @param[in,out] reader  The reader.
 *  @param[in]     at      Where in the line; NULL: at its beginning.
 *  @param[in]     text    What was found, what was expected.
 *  @return  false.
 *  @since   0.1.0
 */
SIMKIT_API bool simkit_reader_wrong(simkit_reader *reader, const char *at, const char *text);
/** @} */

/*=============================================================================
 * MARK: - >>machines
 *===========================================================================*/
/** @defgroup simkit_machines simkit: machines
 *  Machine files: a cluster of equal nodes, with units written out, and what operations cost there. @{ */

/** Most operations that one machine can have. */
#define SIMKIT_MACHINE_OPERATIONS 32

/** A number about an operation, such as the rate of a kernel; what it means is between file and application. */
typedef struct simkit_machine_operation {
    char name[32]; /**< of the operation: the section `[operation NAME]` */
    char key[32];  /**< what is told of it */
    char unit[8];  /**< base unit: "s", "1/s", "B", "B/s", "flop/s" or "1" */
    double value;  /**< in the base unit */
} simkit_machine_operation;

/** A cluster of equal nodes: a value that you may copy. */
typedef struct simkit_machine {
    char name[96];            /**< what it is */
    unsigned nodes;           /**< how many nodes it has; 0 if the file does not say */
    simkit_node_desc node;    /**< each of them; the name is NULL */
    unsigned operation_count; /**< how many of the next are set */
    simkit_machine_operation operations[SIMKIT_MACHINE_OPERATIONS]; /**< in the order of the file */
} simkit_machine;

/** Reads a machine from text. See docs/simkit.md for the form.
 *
 *  @param[in]  text     The text; need not end with a zero byte.
 *  @param[in]  length   Its length [B].
 *  @param[in]  file     How to call it in mistakes; NULL: "machine".
 *  @param[out] machine  The machine; untouched if there is a mistake.
 *  @param[out] mistake  The first mistake; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_machine_parse(const char *text, size_t length, const char *file,
                                              simkit_machine *machine, simkit_mistake *mistake);

#ifndef SIMKIT_NO_STDIO
/** Reads a machine from a file of at most 64 KiB, with lines of at most 1023 characters before their comments. It needs no
 *  memory but the stack's, 10 kB.
 *
 *  @param[in]  path     The file.
 *  @param[out] machine  The machine; untouched if the call fails.
 *  @param[out] mistake  What went wrong; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_machine_load(const char *path, simkit_machine *machine, simkit_mistake *mistake);
#endif

/** A number about an operation of a machine.
 *
 *  @param[in] machine  The machine.
 *  @param[in] name     The operation.
 *  @param[in] key      What about it.
 *  @param[in] unit     The base unit it must have: "s", "1/s", "B", "B/s", "flop/s" or "1".
 *  @return  The value in that unit; NaN if the machine does not say, or says it in another unit.
 *  @since   0.1.0
 */
SIMKIT_API double simkit_machine_value(const simkit_machine *machine, const char *name, const char *key,
                                       const char *unit);

/** Adds nodes of a machine to a world.
 *
 *  @param[in]  world    The world.
 *  @param[in]  machine  The machine.
 *  @param[in]  count    How many.
 *  @param[out] nodes    Their numbers, nodes[count]; what was added before a failure stays.
 *  @return  As simkit_node_add().
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_machine_nodes(simkit_world *world, const simkit_machine *machine, size_t count,
                                              simkit_node *nodes);
/** @} */

/*=============================================================================
 * MARK: - >>tables
 *===========================================================================*/
/** @defgroup simkit_tables simkit: tables
 *  Tables of measurements, for the fits of netmodel.h: separated by commas, semicolons or blanks, with a header or
 *  without, all of it or nothing. docs/tables.md has the form. @{ */

/** A table, whole in memory. */
typedef struct simkit_table simkit_table;

/** Reads a table from text.
 *
 *  @param[in]  text     The text; need not end with a zero byte.
 *  @param[in]  length   Its length [B].
 *  @param[in]  file     How to call it in mistakes; NULL: "table".
 *  @param[in]  memory   Where the table's memory comes from: its hook is used, no more; NULL: the C library.
 *  @param[out] table    The table; NULL if the call fails.
 *  @param[out] mistake  The first mistake; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(length); 8 bytes a number, and the text once more.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_table_parse(const char *text, size_t length, const char *file,
                                            const simkit_world_desc *memory, simkit_table **table,
                                            simkit_mistake *mistake);

#ifndef SIMKIT_NO_STDIO
/** Reads a table from a file of at most 1 GiB.
 *
 *  @param[in]  path     The file.
 *  @param[in]  memory   As for simkit_table_parse().
 *  @param[out] table    The table; NULL if the call fails.
 *  @param[out] mistake  What went wrong; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_table_load(const char *path, const simkit_world_desc *memory, simkit_table **table,
                                           simkit_mistake *mistake);
#endif

/** Gives back a table.
 *
 *  @param[in] table  The table; NULL is harmless.
 *  @since   0.1.0
 */
SIMKIT_API void simkit_table_close(simkit_table *table);

/** How many rows a table has.
 *
 *  @param[in] table  The table.
 *  @return  Rows without the header; 0 for NULL.
 *  @since   0.1.0
 */
SIMKIT_API size_t simkit_table_rows(const simkit_table *table);

/** Where a row stands in the file, to say what is wrong with it.
 *
 *  @param[in] table  The table.
 *  @param[in] row    The row, from 0.
 *  @return  Its line, from 1; 0 if there is no such row.
 *  @since   0.1.0
 */
SIMKIT_API unsigned simkit_table_line(const simkit_table *table, size_t row);

/** How many columns a table has.
 *
 *  @param[in] table  The table.
 *  @return  Columns; 0 for NULL.
 *  @since   0.1.0
 */
SIMKIT_API size_t simkit_table_columns(const simkit_table *table);

/** The column of a name.
 *
 *  @param[in] table  The table.
 *  @param[in] name   The name in the header, without its unit.
 *  @return  Its number, from 0, of the first so called; simkit_table_columns() if there is none.
 *  @since   0.1.0
 */
SIMKIT_API size_t simkit_table_find(const simkit_table *table, const char *name);

/** The name of a column.
 *
 *  @param[in] table   The table.
 *  @param[in] column  The column, from 0.
 *  @return  Its name, without its unit; empty without a header or for a column that is not there. As long as the table
 *           is open.
 *  @since   0.1.0
 */
SIMKIT_API const char *simkit_table_name(const simkit_table *table, size_t column);

/** The unit of a column.
 *
 *  @param[in] table   The table.
 *  @param[in] column  The column, from 0.
 *  @return  The base unit, "s", "1/s", "B", "B/s", "flop/s" or "1", if the header said `name [unit]`; else empty.
 *  @since   0.1.0
 */
SIMKIT_API const char *simkit_table_unit(const simkit_table *table, size_t column);

/** The numbers of a column, in its base unit.
 *
 *  @param[in] table   The table.
 *  @param[in] column  The column, from 0.
 *  @return  Its numbers, [simkit_table_rows()], finite, as long as the table is open; NULL if it has text in it, or is
 *           not there.
 *  @since   0.1.0
 */
SIMKIT_API const double *simkit_table_numbers(const simkit_table *table, size_t column);

/** A cell of a column that has text in it.
 *
 *  @param[in] table   The table.
 *  @param[in] column  The column, from 0.
 *  @param[in] row     The row, from 0.
 *  @return  Its text, as long as the table is open; empty for a column of numbers, or a cell that is not there.
 *  @since   0.1.0
 */
SIMKIT_API const char *simkit_table_text(const simkit_table *table, size_t column, size_t row);
/** @} */

/*=============================================================================
 * MARK: - >>workloads
 *===========================================================================*/
/** @defgroup simkit_workloads simkit: workloads
 *  Traces of processes from files: tables of when which process had consumed how much CPU time, and Unix process
 *  accounting as `lastcomm` and `dump-acct` print it. docs/users.md has the forms. @{ */

/** A trace, whole in memory. */
typedef struct simkit_workload simkit_workload;

/** Reads a trace from text, in the form that its first line shows.
 *
 *  A mistake is: time that goes back, a child before its parent, CPU time that is negative or goes back, and what
 *  simkit_table_parse() calls one.
 *
 *  @param[in]  text      The text; need not end with a zero byte.
 *  @param[in]  length    Its length [B].
 *  @param[in]  file      How to call it in mistakes; NULL: "trace".
 *  @param[in]  memory    Where its memory comes from: its hook is used, no more; NULL: the C library.
 *  @param[out] workload  The trace; NULL if the call fails.
 *  @param[out] mistake   The first mistake; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(n log n) in its lines.
 *  @source  [clue] "Sampled workload": time, process, parent, CPU time, name.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_workload_parse(const char *text, size_t length, const char *file,
                                               const simkit_world_desc *memory, simkit_workload **workload,
                                               simkit_mistake *mistake);

#ifndef SIMKIT_NO_STDIO
/** Reads a trace from a file of at most 1 GiB.
 *
 *  @param[in]  path      The file.
 *  @param[in]  memory    As for simkit_workload_parse().
 *  @param[out] workload  The trace; NULL if the call fails.
 *  @param[out] mistake   What went wrong; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_workload_load(const char *path, const simkit_world_desc *memory,
                                              simkit_workload **workload, simkit_mistake *mistake);
#endif

/** Gives back a trace; no world may still replay it.
 *
 *  @param[in] workload  The trace; NULL is harmless.
 *  @since   0.1.0
 */
SIMKIT_API void simkit_workload_close(simkit_workload *workload);

/** The lines of a trace, for simkit_users_replay().
 *
 *  @param[in]  workload  The trace.
 *  @param[out] count     How many there are.
 *  @return  Its lines, arrivals[count], time never going back and counted from its earliest line; as long as it is open.
 *           NULL for NULL.
 *  @since   0.1.0
 */
SIMKIT_API const simkit_arrival *simkit_workload_arrivals(const simkit_workload *workload, size_t *count);
/** @} */

/*=============================================================================
 * MARK: - >>populations
 *===========================================================================*/
/** @defgroup simkit_populations simkit: populations
 *  Users files: who uses the nodes of a cluster, as Poisson streams, traces, behaviour graphs and sessions; the form is
 *  in docs/users.md. One file serves many worlds. @{ */

/** Who uses a cluster, whole in memory. */
typedef struct simkit_population simkit_population;

/** Reads a users file from text. Traces that it names are found beside `file`.
 *
 *  @param[in]  text        The text; need not end with a zero byte.
 *  @param[in]  length      Its length [B].
 *  @param[in]  file        How to call it in mistakes; NULL: "users".
 *  @param[in]  memory      Where its memory comes from: its hook is used, no more; NULL: the C library.
 *  @param[out] population  The population; NULL if the call fails.
 *  @param[out] mistake     The first mistake; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_population_parse(const char *text, size_t length, const char *file,
                                                 const simkit_world_desc *memory, simkit_population **population,
                                                 simkit_mistake *mistake);

#ifndef SIMKIT_NO_STDIO
/** Reads a users file of at most 1 GiB.
 *
 *  @param[in]  path        The file.
 *  @param[in]  memory      As for simkit_population_parse().
 *  @param[out] population  The population; NULL if the call fails.
 *  @param[out] mistake     What went wrong; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_population_load(const char *path, const simkit_world_desc *memory,
                                                simkit_population **population, simkit_mistake *mistake);
#endif

/** Gives back a population; no world may still live with it.
 *
 *  @param[in] population  The population; NULL is harmless.
 *  @since   0.1.0
 */
SIMKIT_API void simkit_population_close(simkit_population *population);

/** Begins all that a users file says of one node of the cluster, and keeps the node's past for its load average.
 *
 *  @param[in] world       The world.
 *  @param[in] population  Who; borrowed until the world closes.
 *  @param[in] place       Which node of the file this is, 1, 2, ...; users of different nodes are independent.
 *  @param[in] node        The node of the world.
 *  @return  As simkit_users_arrive(); after a failure, what had begun goes on.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_population_start(simkit_world *world, const simkit_population *population, size_t place,
                                                 simkit_node node);
/** @} */

#ifndef SIMKIT_NO_STDIO
/*=============================================================================
 * MARK: - >>gantt
 *===========================================================================*/
/** @defgroup simkit_gantt simkit: gantt
 *  A timing diagram as SVG: a row per lane of each node, transfers on the rows of their two ends. @{ */

/** A recording of a world that can be drawn. */
typedef struct simkit_gantt simkit_gantt;

/** Begins to record computations and transfers.
 *
 *  @param[in]  world  The world; the recording takes its memory from there.
 *  @param[out] gantt  The recording; close it before the world.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_gantt_open(simkit_world *world, simkit_gantt **gantt);

/** Draws what was recorded so far. The file appears whole or not at all, beside its place until then; a link, a device or
 *  a pipe is written to directly. Bytes of names that are no UTF-8 appear as U+FFFD.
 *
 *  @param[in] gantt  The recording.
 *  @param[in] title  Heading of the picture; NULL: none.
 *  @param[in] path   The file to write, SVG.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_NO_MEMORY (also if memory ran out while recording).
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_gantt_write(simkit_gantt *gantt, const char *title, const char *path);

/** Ends the recording.
 *
 *  @param[in] gantt  The recording; NULL is harmless.
 *  @since   0.1.0
 */
SIMKIT_API void simkit_gantt_close(simkit_gantt *gantt);
/** @} */

/*=============================================================================
 * MARK: - >>trace
 *===========================================================================*/
/** @defgroup simkit_trace simkit: trace
 *  A trace for chrome://tracing and Perfetto, for ViTE and other viewers of Paje, or as a table; written as the world
 *  runs. @{ */

/** A trace that is being written. */
typedef struct simkit_trace simkit_trace;

/** Begins to write a trace of computations and transfers, in the form that the path's ending asks for.
 *
 *  `.paje` and `.trace`: Paje's form, with states and links. `.csv`: a line for each, kind, name, node, to, lane, begin
 *  [s], end [s], bytes [B]. Anything else: JSON as Chrome has it.
 *
 *  @param[in]  world  The world.
 *  @param[in]  path   The file to write; it appears when the trace is closed.
 *  @param[out] trace  The trace; close it before the world.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_FILE, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_trace_open(simkit_world *world, const char *path, simkit_trace **trace);

/** Ends the trace; the file appears whole or not at all. Where its path was a link, a device or a pipe when the trace
 *  began, it has been written to directly, as the world ran.
 *
 *  @param[in] trace  The trace; NULL is harmless.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_NO_MEMORY.
 *  @since   0.1.0
 */
SIMKIT_API simkit_result simkit_trace_close(simkit_trace *trace);
/** @} */
#endif

#ifdef __cplusplus
}
#endif
#endif /* SIMKIT_H */

#if (defined(SIMKIT_IMPLEMENTATION) || defined(SIMKIT_STATIC)) && !defined(SIMKIT_IMPLEMENTED)
#define SIMKIT_IMPLEMENTED

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "simkit.h: NaN and infinity mean something: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "simkit.h: -fassociative-math and -freciprocal-math change the bits of results: compile without"
#endif
#include <float.h>
#if !defined(SIMKIT_ANY_FLOAT) && defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "simkit.h: x87 gives other bits: compile with -msse2 -mfpmath=sse, or define SIMKIT_ANY_FLOAT"
#endif

#ifndef SIMKIT_LOWER_ELSEWHERE
#ifndef CONTENTION_IMPLEMENTATION
#define CONTENTION_IMPLEMENTATION
#endif
#ifndef NETMODEL_IMPLEMENTATION
#define NETMODEL_IMPLEMENTATION
#endif
#include "contention.h"
#include "netmodel.h"
#endif

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h> /* vsnprintf, for sentences; files only without SIMKIT_NO_STDIO */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef SIMKIT_ASSERT
#include <assert.h>
#define SIMKIT_ASSERT(x) assert(x)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>stb_ds (private)
 *
 * Dynamic arrays. Only the layout and the macros of stb_ds that allocate nothing are used: an array grows in the
 * room memory, checked, before something is put into it. So no function of stb_ds is compiled here, and a host's own
 * stb_ds, of whatever version and in whatever order, links beside us: where the host has not included it yet, its
 * declarations are renamed for our sake and given back at the end of the body.
 *===========================================================================*/
#ifndef INCLUDE_STB_DS_H
#define SIMKIT__STBDS_IS_OURS
#ifndef STBDS_NO_SHORT_NAMES
#define STBDS_NO_SHORT_NAMES
#define SIMKIT__STBDS_HID_SHORT_NAMES
#endif
#define stbds_rand_seed simkit__stbds_rand_seed
#define stbds_hash_bytes simkit__stbds_hash_bytes
#define stbds_hash_string simkit__stbds_hash_string
#define stbds_stralloc simkit__stbds_stralloc
#define stbds_strreset simkit__stbds_strreset
#define stbds_unit_tests simkit__stbds_unit_tests
#define stbds_arrgrowf simkit__stbds_arrgrowf
#define stbds_arrfreef simkit__stbds_arrfreef
#define stbds_hmfree_func simkit__stbds_hmfree_func
#define stbds_hmget_key simkit__stbds_hmget_key
#define stbds_hmget_key_ts simkit__stbds_hmget_key_ts
#define stbds_hmput_default simkit__stbds_hmput_default
#define stbds_hmput_key simkit__stbds_hmput_key
#define stbds_hmdel_key simkit__stbds_hmdel_key
#define stbds_shmode_func simkit__stbds_shmode_func
#define stbds_array_header simkit__stbds_array_header
#define stbds_string_block simkit__stbds_string_block
#define stbds_string_arena simkit__stbds_string_arena
#define STBDS_SH_NONE SIMKIT__STBDS_SH_NONE
#define STBDS_SH_DEFAULT SIMKIT__STBDS_SH_DEFAULT
#define STBDS_SH_STRDUP SIMKIT__STBDS_SH_STRDUP
#define STBDS_SH_ARENA SIMKIT__STBDS_SH_ARENA
#ifdef __cplusplus
#define stbds_arrgrowf_wrapper simkit__stbds_arrgrowf_wrapper
#define stbds_hmget_key_wrapper simkit__stbds_hmget_key_wrapper
#define stbds_hmget_key_ts_wrapper simkit__stbds_hmget_key_ts_wrapper
#define stbds_hmput_default_wrapper simkit__stbds_hmput_default_wrapper
#define stbds_hmput_key_wrapper simkit__stbds_hmput_key_wrapper
#define stbds_hmdel_key_wrapper simkit__stbds_hmdel_key_wrapper
#define stbds_shmode_func_wrapper simkit__stbds_shmode_func_wrapper
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wundef"
#endif
#pragma push_macro("STB_DS_IMPLEMENTATION") /* the host may have asked for the functions in this file: not yet */
#undef STB_DS_IMPLEMENTATION
#ifdef __cplusplus
} /* stb_ds.h has templates */
#endif
#if !defined(__has_include)
#include <stb/stb_ds.h>
#elif __has_include("stb_ds.h")
#include "stb_ds.h"
#else
#include <stb/stb_ds.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif
#pragma pop_macro("STB_DS_IMPLEMENTATION")
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif

#define simkit__count(array) ((array) ? stbds_header(array)->length : 0)
#define simkit__room(array) ((array) ? stbds_header(array)->capacity : 0)
#define simkit__push(array, value) ((array)[stbds_header(array)->length++] = (value)) /* after simkit__reserve() */
#define simkit__last(array) stbds_arrlast(array)
#define simkit__drop(array) ((void)stbds_arrpop(array))
#define simkit__array_bytes(capacity, element) (sizeof(stbds_array_header) + (capacity) * (element))

/* The block that an array lives in, and back. */
static void *simkit__array_block(void *array)
{
    return array ? (void *)stbds_header(array) : NULL;
}

static void *simkit__array_of_block(void *block, size_t length, size_t capacity)
{
    stbds_array_header *header = (stbds_array_header *)block;
    memset(header, 0, sizeof *header);
    header->length = length;
    header->capacity = capacity;
    return header + 1;
}

/*=============================================================================
 * MARK: - >>memory (private)
 *
 * The one way to memory: the world's hook, counted. What can fail is reserved before a deed changes anything, so a
 * refusal leaves the world as it was; nothing that happens later, on the clock, needs memory, but users' processes.
 *===========================================================================*/
#define SIMKIT__NONE UINT32_MAX

#if defined(__GNUC__)
#define SIMKIT__PREFETCH(address) __builtin_prefetch(address)
#define SIMKIT__INLINE static inline __attribute__((always_inline)) /* every event passes there */
#define SIMKIT__COLD static __attribute__((noinline, cold))
#else
#define SIMKIT__PREFETCH(address) ((void)(address))
#define SIMKIT__INLINE static
#define SIMKIT__COLD static
#endif

typedef struct simkit__timer simkit__timer;
typedef struct simkit__chunk simkit__chunk;
typedef struct simkit__near simkit__near;
typedef struct simkit__node simkit__node;
typedef struct simkit__job simkit__job;
typedef struct simkit__average simkit__average;
typedef struct simkit__source simkit__source;
typedef struct simkit__command simkit__command;
typedef struct simkit__flow simkit__flow;
typedef struct simkit__progress simkit__progress;
typedef struct simkit__end simkit__end;
typedef struct simkit__star simkit__star;
typedef struct simkit__mailbox simkit__mailbox;
typedef struct simkit__letter simkit__letter;
typedef struct simkit__taker simkit__taker;
typedef struct simkit__process simkit__process;
typedef struct simkit__seat simkit__seat;
typedef struct simkit__watch simkit__watch;
typedef struct simkit__operation simkit__operation;
typedef struct simkit__context simkit__context;
typedef struct simkit__stacks simkit__stacks;
typedef struct simkit__slab simkit__slab;

typedef struct simkit__entry { /* of the queue: an arming of a timer */
    uint64_t bits;             /* of the time */
    uint32_t timer;
    uint16_t priority; /* + 2^15 */
    uint16_t tag;      /* the lower half of the timer's generation */
} simkit__entry;

typedef struct simkit__chain { /* entries in chunks */
    uint32_t first, last;
    uint32_t used; /* entries in the last chunk */
} simkit__chain;

typedef struct simkit__run { /* entries in order */
    simkit__chain chain;
    uint32_t at; /* of the first, in the first chunk */
    size_t count;
    simkit__entry tail; /* the last */
} simkit__run;

#define SIMKIT__DIGIT_BITS 5
#define SIMKIT__DIGITS 32 /* 2^DIGIT_BITS */
#define SIMKIT__LEVELS 13 /* digits of 64 bits */

typedef struct simkit__queue {
    uint64_t last;  /* buckets are by the difference from it */
    uint64_t limit; /* up to and including this time, entries are in the front: run and near */
    bool alone;     /* there is `sole` */
    simkit__run run;
    simkit__near *near; /* heap of four children, near[near_count] */
    size_t near_count;
    simkit__entry sole;                      /* due now, when all others are due later */
    uint64_t number;                         /* of the next entry there */
    uint32_t levels, digits[SIMKIT__LEVELS]; /* bits: which buckets hold something */
    simkit__chain buckets[SIMKIT__LEVELS][SIMKIT__DIGITS];
    simkit__chunk *chunks;
    uint32_t free_chunk;
    size_t timers, stale; /* timers that there are, entries that no timer stands behind any more */
    size_t room;          /* timers that there is room for */
    bool priorities;      /* some step had one */
    bool least_known;
    uint64_t least; /* in the buckets */
} simkit__queue;

struct simkit_world {
    double now;
    uint64_t steps;
    uint64_t labels;  /* numbers for watchers */
    size_t under_way; /* computations and transfers */
    uint64_t seed;
    simkit_star policy;
    bool running, stopped;
    bool unsettled;       /* flows came or went at this instant */
    simkit_result broken; /* what ends the run from inside */
    simkit_node failing;  /* just now; else 0 */
    bool failing_told;    /* the watchers know */
    bool holed;           /* a background process is missing: no run goes on */
    uint64_t until;       /* of the run, as bits of the time */
    uint32_t handed;      /* a timer that is due: a process has seen it, and left it to the loop; else NONE */

    simkit__queue queue;
    simkit__timer *timers;
    simkit__node *nodes;
    simkit__job *jobs;
    simkit__flow *flows;
    simkit__progress *progress; /* progress[flows] */
    simkit__end *ends;          /* ends[2 * nodes]: up and down of each */
    double *rates;              /* rates[2 * nodes]: what a flow gets of each end [B/s] */
    simkit__star *star;
    simkit__mailbox *mailboxes;
    simkit__letter *letters;
    simkit__taker *takers;
    simkit__source *sources;
    simkit__command *commands;
    uint32_t free_timer, free_job, free_flow, free_letter, free_taker, free_command;

    simkit__watch *watches;
    unsigned watched; /* OR of what the watches and the fingerprint want */
    uint64_t fingerprint;

#ifndef SIMKIT_NO_PROCESSES
    simkit__seat *seats;
    uint32_t free_seat;
    simkit__process *current;
    simkit__process *ended;       /* its stack goes back when it has been left */
    simkit__context *home, *left; /* the host's stack, and which one was left last */
    simkit__stacks *stacks;       /* one of each size */
    simkit__slab *slabs;
    unsigned guarded; /* stacks whose guards cost memory maps */
    size_t page;      /* of memory [B] */
#endif

    simkit__operation *operations;
    double (*processor_time)(void *user);
    void *processor_time_user;

    simkit_reallocate *reallocate;
    void *reallocate_user;
    size_t memory, memory_peak;
    char why[512];
    char shown[4][32];
    unsigned shown_next;
};

static void *simkit__reallocate_c(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(pointer);
        return NULL;
    }
    return realloc(pointer, new_bytes);
}

/* realloc() through the hook; on NULL for a new size the old block stands. */
static void *simkit__resize(simkit_world *w, void *pointer, size_t old_bytes, size_t new_bytes)
{
    void *fresh = w->reallocate(w->reallocate_user, pointer, old_bytes, new_bytes);
    if (!fresh && new_bytes > 0) return NULL;
    w->memory += new_bytes - old_bytes;
    if (w->memory > w->memory_peak) w->memory_peak = w->memory;
    return fresh;
}

static void simkit__release(simkit_world *w, void *pointer, size_t bytes)
{
    if (pointer) simkit__resize(w, pointer, bytes, 0);
}

/* Room for `more` elements in the array whose variable lies at `slot`. */
static bool simkit__array_reserve(simkit_world *w, void *slot, size_t element, size_t more)
{
    void *array;
    memcpy(&array, slot, sizeof array);
    size_t length = simkit__count(array), capacity = simkit__room(array);
    if (length + more <= capacity) return true;
    size_t wanted = capacity < 4 ? 8 : capacity < 4096 ? capacity * 2 : capacity + capacity / 2;
    if (wanted < length + more) wanted = length + more;
    size_t old_bytes = array ? simkit__array_bytes(capacity, element) : 0;
    void *block = simkit__resize(w, simkit__array_block(array), old_bytes, simkit__array_bytes(wanted, element));
    if (!block) return false;
    array = simkit__array_of_block(block, length, wanted);
    memcpy(slot, &array, sizeof array);
    return true;
}
#define simkit__reserve(w, array, more)                                                                                \
    (simkit__count(array) + (more) <= simkit__room(array) ||                                                           \
     simkit__array_reserve((w), &(array), sizeof *(array), (more)))

static void simkit__array_free(simkit_world *w, void *array, size_t element)
{
    if (array) simkit__release(w, simkit__array_block(array), simkit__array_bytes(simkit__room(array), element));
}
#define simkit__discard(w, array) (simkit__array_free((w), (array), sizeof *(array)), (array) = NULL)

/* A pool is an array whose elements begin with a uint32_t that links the free ones. Element `*index` is made
 * available, zeroed, but stays free until simkit__pool_keep(): so several reservations can fail together. */
static bool simkit__pool_reserve(simkit_world *w, void *slot, size_t element, uint32_t *head)
{
    void *array;
    if (*head != SIMKIT__NONE) return true;
    if (!simkit__array_reserve(w, slot, element, 1)) return false;
    memcpy(&array, slot, sizeof array);
    size_t index = stbds_header(array)->length;
    if (index >= SIMKIT__NONE) return false;
    stbds_header(array)->length++;
    memset((char *)array + index * element, 0, element);
    memcpy((char *)array + index * element, head, sizeof *head);
    *head = (uint32_t)index;
    return true;
}

static char *simkit__copy_text(simkit_world *w, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = (char *)simkit__resize(w, NULL, 0, bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

static void simkit__free_text(simkit_world *w, char *text)
{
    if (text) simkit__release(w, text, strlen(text) + 1);
}

/*=============================================================================
 * MARK: - >>why (private)
 *
 * Sentences about errors. Numbers are written with a point whatever the host's locale says.
 *===========================================================================*/
#if defined(__GNUC__)
#define SIMKIT__FORMAT(at, from) __attribute__((format(printf, at, from)))
#else
#define SIMKIT__FORMAT(at, from)
#endif

/* a * b rounded on its own: a compiler that fuses it into a following addition would change bits. */
static double simkit__times(double a, double b)
{
#if defined(__GNUC__) && defined(__x86_64__)
    double product = a * b;
    __asm__("" : "+x"(product));
    return product;
#elif defined(__GNUC__) && defined(__aarch64__)
    double product = a * b;
    __asm__("" : "+w"(product));
    return product;
#else
    volatile double product = a * b;
    return product;
#endif
}

/* Whether two numbers are the same, on purpose: a host may compile with -Wfloat-equal. */
SIMKIT__INLINE bool simkit__same(double a, double b)
{
    return a <= b && a >= b;
}

/* What printf has made of a number, with a point: what is neither a sign, a digit nor a letter is the locale's, of one byte
 * or more. */
static const char *simkit__with_point(char *text)
{
    char *to = text;
    for (const char *c = text; *c; ++c) {
        const bool kept = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || *c == '+' || *c == '-';
        if (kept || to == text || to[-1] != '.') *to++ = kept ? *c : '.';
    }
    *to = 0;
    return text;
}

/* A number for a sentence. Which sign a NaN has depends on the processor and the compiler, and isnan() is a template
   in C++ that an object without optimization would export. */
static const char *simkit__figure(char text[32], int digits, double value)
{
    snprintf(text, 32, "%.*g", digits, simkit__same(value, value) ? value : fabs(value));
    return simkit__with_point(text);
}

/* The same, good for the next four. */
static const char *simkit__show(simkit_world *w, double value)
{
    return simkit__figure(w->shown[w->shown_next++ % 4], 9, value);
}

SIMKIT__FORMAT(3, 4)
static simkit_result simkit__fail(simkit_world *w, simkit_result result, const char *format, ...)
{
    size_t room = sizeof w->why;
    int used = snprintf(w->why, room, "at %s s: ", simkit__show(w, w->now));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->why + used, room - (size_t)used, format, arguments);
    va_end(arguments);
    return result;
}

static simkit_result simkit__no_memory(simkit_world *w, const char *what)
{
    return simkit__fail(w, SIMKIT_NO_MEMORY, "no memory for %s", what);
}

/* A number that must be finite and not negative. */
static bool simkit__is_amount(double value)
{
    return value >= 0 && value < (double)INFINITY;
}

static simkit_result simkit__bad_number(simkit_world *w, const char *what, const char *name, double value)
{
    return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s of '%s' is %s, but must be finite and not negative", what,
                        name ? name : "", simkit__show(w, value));
}

SIMKIT_API const char *simkit_result_text(simkit_result result)
{
    switch (result) {
    case SIMKIT_OK: return "done";
    case SIMKIT_STOPPED: return "the run was stopped";
    case SIMKIT_BAD_ARGUMENT: return "an argument is negative, not a number, infinite or missing";
    case SIMKIT_BAD_TIME: return "a time before now, not a time, or later than doubles can tell";
    case SIMKIT_BAD_CALL: return "this call is not possible here";
    case SIMKIT_UNKNOWN_NODE: return "no such node in this world";
    case SIMKIT_NODE_FAILED: return "the node has failed";
    case SIMKIT_UNKNOWN_MAILBOX: return "no such mailbox in this world";
    case SIMKIT_UNKNOWN_PROCESS: return "no such process, or it has ended";
    case SIMKIT_NO_RECEIVER: return "the mailbox is closed: nobody can receive there";
    case SIMKIT_DEADLOCK: return "nothing is left to happen, yet processes wait";
    case SIMKIT_STACK_OVERFLOW: return "a process needed more stack than it was given";
    case SIMKIT_NO_MEMORY: return "no memory";
    case SIMKIT_BAD_FILE: return "a file has a mistake";
    case SIMKIT_NO_FILE: return "a file could not be read or written";
    case SIMKIT_CANCELLED: return "the computation was cancelled";
    }
    return "not a result of simkit";
}

SIMKIT_API const char *simkit_world_why(const simkit_world *world)
{
    return world ? world->why : "no world";
}

/*=============================================================================
 * MARK: - >>queue (private)
 *
 * What is armed, ordered by (time, priority, order of arming): a monotone radix heap with a sorted front. Times are
 * not negative, so as bits they order like integers, five bits a digit. Buckets hold what lies beyond `limit`, by the
 * highest digit in which it differs from `last`, and by that digit; entries in one bucket stay in order of arming.
 * When the front is empty, the lowest bucket is taken: as the front's sorted run if it is one chunk, otherwise it is
 * dealt out to lower buckets. An entry moves at most once a digit, and mostly streams through memory. What is armed
 * at or before `limit` goes to the end of the run where it belongs there, and else into the small heap `near`.
 *
 * The hold model, [ns] for 1e2, 1e3, 1e4, 1e5, 1e6 pending (make bench; the ladder and the heap: build/bench/queues):
 *     this: digits of 5 bits, chunks of 31     24   25   29   35    60
 *     digits of 3 bits                         25   28   33   41    79
 *     chunks of 15                             25   28   31   39    97
 *     a ladder with a heap in front            42   43   54  110   300
 *     a heap of four children, keys apart      46   69   93  139   271
 *     std::priority_queue, 16-byte entries     40   44   68  102   285
 * A cancelled or moved timer leaves its entry behind, stale; when more than a quarter are, all are swept out.
 *===========================================================================*/
#define SIMKIT__CHUNK 31 /* entries; with its link 512 bytes */
#define SIMKIT__NEAR 64  /* more than this in the heap, and the front is dealt out anew */

struct simkit__timer {
    uint32_t next;       /* of the free ones; else one of the following */
    uint32_t generation; /* of the latest arming */
    simkit_call *call;
    void *user;
};
#define SIMKIT__IDLE (SIMKIT__NONE - 1)
#define SIMKIT__ARMED (SIMKIT__NONE - 2) /* by the engine */
#define SIMKIT__STEP (SIMKIT__NONE - 3)  /* by simkit_step_at(): freed when it runs */

struct simkit__chunk {
    uint32_t next, unused[3];
    simkit__entry entries[SIMKIT__CHUNK];
};

struct simkit__near {
    simkit__entry entry;
    uint64_t number; /* orders equal times and priorities */
};

static const simkit__chain simkit__no_chain = { SIMKIT__NONE, SIMKIT__NONE, SIMKIT__CHUNK };
static const simkit__run simkit__no_run = { { SIMKIT__NONE, SIMKIT__NONE, SIMKIT__CHUNK }, 0, 0, { 0, 0, 0, 0 } };

SIMKIT__INLINE uint64_t simkit__bits(double time)
{
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

SIMKIT__INLINE double simkit__time_of(uint64_t bits)
{
    double time;
    memcpy(&time, &bits, sizeof time);
    return time;
}

SIMKIT__INLINE bool simkit__entry_before(const simkit__entry *a, const simkit__entry *b)
{
    return a->bits < b->bits || (a->bits == b->bits && a->priority < b->priority);
}

/* Places of the highest and the lowest bit that is set. */
SIMKIT__INLINE unsigned simkit__highest(uint64_t x)
{
#if defined(__GNUC__)
    return 63u - (unsigned)__builtin_clzll(x);
#else
    unsigned place = 0;
    while (x >>= 1) ++place;
    return place;
#endif
}

SIMKIT__INLINE unsigned simkit__lowest(uint32_t x)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctz(x);
#else
    unsigned place = 0;
    while (!(x >> place & 1)) ++place;
    return place;
#endif
}

/* A chain is entries in chunks. There is always a chunk: simkit__queue_reserve() saw to it. */
static void simkit__chain_grow(simkit__queue *q, simkit__chain *chain)
{
    uint32_t fresh = q->free_chunk;
    if (fresh != SIMKIT__NONE)
        q->free_chunk = q->chunks[fresh].next;
    else
        fresh = (uint32_t)stbds_header(q->chunks)->length++;
    q->chunks[fresh].next = SIMKIT__NONE;
    if (chain->first == SIMKIT__NONE)
        chain->first = fresh;
    else
        q->chunks[chain->last].next = fresh;
    chain->last = fresh;
    chain->used = 0;
}

SIMKIT__INLINE void simkit__chain_push(simkit__queue *q, simkit__chain *chain, simkit__entry entry)
{
    if (chain->used == SIMKIT__CHUNK) simkit__chain_grow(q, chain);
    q->chunks[chain->last].entries[chain->used++] = entry;
}

/* Frees the first chunk of a chain; the next is its first then. */
SIMKIT__INLINE void simkit__chain_advance(simkit__queue *q, simkit__chain *chain)
{
    uint32_t gone = chain->first;
    chain->first = q->chunks[gone].next;
    q->chunks[gone].next = q->free_chunk;
    q->free_chunk = gone;
}

static uint32_t simkit__chain_used(const simkit__chain *chain, uint32_t chunk)
{
    return chunk == chain->last ? chain->used : SIMKIT__CHUNK;
}

static bool simkit__near_before(const simkit__near *a, const simkit__near *b)
{
    if (a->entry.bits != b->entry.bits || a->entry.priority != b->entry.priority)
        return simkit__entry_before(&a->entry, &b->entry);
    return a->number < b->number;
}

static void simkit__near_push(simkit__queue *q, simkit__near near)
{
    size_t at = q->near_count++;
    for (; at > 0 && simkit__near_before(&near, &q->near[(at - 1) / 4]); at = (at - 1) / 4)
        q->near[at] = q->near[(at - 1) / 4];
    q->near[at] = near;
}

static void simkit__near_pop(simkit__queue *q)
{
    size_t count = --q->near_count, at = 0;
    simkit__near moved = q->near[count];
    for (size_t child; (child = 4 * at + 1) < count;) {
        size_t end = child + 4 < count ? child + 4 : count, least = child;
        for (size_t i = child + 1; i < end; ++i)
            if (simkit__near_before(&q->near[i], &q->near[least])) least = i;
        if (!simkit__near_before(&q->near[least], &moved)) break;
        q->near[at] = q->near[least];
        at = least;
    }
    if (count > 0) q->near[at] = moved;
}

/*=============================================================================
 * MARK: - >>front (private)
 *
 * What happens to the queue: things are pushed to its front or into buckets, the lowest bucket becomes the front, what
 * is due next is popped, what is stale is swept out.
 *===========================================================================*/
SIMKIT__INLINE void simkit__run_push(simkit__queue *q, simkit__run *run, simkit__entry entry)
{
    simkit__chain_push(q, &run->chain, entry);
    run->tail = entry;
    ++run->count;
}

/* The first of the front, which must not be empty. Where a key stands in both parts, the run's is older. */
SIMKIT__INLINE const simkit__entry *simkit__front(const simkit__queue *q, bool *in_run)
{
    const simkit__entry *first = q->run.count ? &q->chunks[q->run.chain.first].entries[q->run.at] : NULL;
    *in_run = first && (q->near_count == 0 || !simkit__entry_before(&q->near[0].entry, first));
    return *in_run ? first : &q->near[0].entry;
}

SIMKIT__INLINE void simkit__front_pop(simkit__queue *q, bool in_run)
{
    if (!in_run) {
        simkit__near_pop(q);
        return;
    }
    --q->run.count;
    if (q->run.count > 0 && ++q->run.at < SIMKIT__CHUNK) return;
    simkit__chain_advance(q, &q->run.chain);
    q->run.at = 0;
    if (q->run.count == 0) q->run.chain = simkit__no_chain;
}

SIMKIT__INLINE void simkit__front_push(simkit__queue *q, simkit__entry entry)
{
    if (q->run.count ? !simkit__entry_before(&entry, &q->run.tail) : q->near_count == 0) {
        simkit__run_push(q, &q->run, entry);
        return;
    }
    simkit__near near;
    near.entry = entry;
    near.number = q->number++;
    simkit__near_push(q, near);
}

SIMKIT__INLINE void simkit__bucket_push(simkit__queue *q, simkit__entry entry)
{
    unsigned level = simkit__highest(entry.bits ^ q->last) / SIMKIT__DIGIT_BITS;
    unsigned digit = (unsigned)(entry.bits >> (level * SIMKIT__DIGIT_BITS)) % SIMKIT__DIGITS;
    q->levels |= UINT32_C(1) << level;
    q->digits[level] |= UINT32_C(1) << digit;
    simkit__chain_push(q, &q->buckets[level][digit], entry);
}

SIMKIT__INLINE bool simkit__is_armed(const simkit__timer *timer)
{
    return timer->next - SIMKIT__STEP <= SIMKIT__ARMED - SIMKIT__STEP;
}

/* How many entries may be stale before they are swept out. */
static size_t simkit__stale_limit(size_t timers)
{
    return timers / 4 + 8;
}

/* Whether an entry is of the latest arming of its timer. */
SIMKIT__INLINE bool simkit__entry_lives(const simkit_world *w, const simkit__entry *entry)
{
    const simkit__timer *timer = &w->timers[entry->timer];
    return simkit__is_armed(timer) && (uint16_t)timer->generation == entry->tag;
}

/* Too many came before the end of the run: deals the front out, relative to now. Only what is due now stays. */
SIMKIT__COLD void simkit__front_deal(simkit_world *w)
{
    simkit__queue *q = &w->queue;
    simkit__run kept = simkit__no_run;
    q->last = q->limit = simkit__bits(w->now);
    q->least_known = false;
    while (q->run.count || q->near_count) {
        bool in_run;
        simkit__entry entry = *simkit__front(q, &in_run);
        simkit__front_pop(q, in_run);
        if (!simkit__entry_lives(w, &entry))
            --q->stale;
        else if (entry.bits == q->limit)
            simkit__run_push(q, &kept, entry);
        else
            simkit__bucket_push(q, entry);
    }
    q->run = kept;
}

SIMKIT__INLINE void simkit__queue_put(simkit_world *w, simkit__entry entry)
{
    simkit__queue *q = &w->queue;
    if (entry.bits > q->limit) {
        if (entry.bits < q->least) q->least = entry.bits;
        simkit__bucket_push(q, entry);
        return;
    }
    simkit__front_push(q, entry);
    size_t most = q->priorities && q->run.count > SIMKIT__NEAR ? q->run.count : SIMKIT__NEAR;
    if (q->near_count > most && simkit__bits(w->now) >= q->last) simkit__front_deal(w);
}

/* What was alone is no longer: it gets into the queue before the next. */
SIMKIT__COLD void simkit__queue_join(simkit_world *w)
{
    w->queue.alone = false;
    simkit__queue_put(w, w->queue.sole);
}

SIMKIT__INLINE void simkit__queue_push(simkit_world *w, simkit__entry entry)
{
    if (w->queue.alone && entry.bits == w->queue.sole.bits) simkit__queue_join(w);
    simkit__queue_put(w, entry);
}

/* For now, without a priority. If nothing else is due now, it waits beside the queue until something is: so it is with a
 * message that takes no time, and then with who waited for it. */
SIMKIT__INLINE void simkit__queue_push_now(simkit_world *w, simkit__entry entry)
{
    simkit__queue *q = &w->queue;
    bool in_run, first = entry.bits <= q->limit && !q->alone;
    if (first && (q->run.count || q->near_count)) first = simkit__entry_before(&entry, simkit__front(q, &in_run));
    if (!first) {
        simkit__queue_push(w, entry);
        return;
    }
    q->alone = true;
    q->sole = entry;
}

/* Sorts one chunk, stable. Times become short integers with the place behind them where that fits: then there is no
 * branch to mispredict. */
static void simkit__chunk_sort(simkit__entry *entries, uint32_t count, unsigned low_bits)
{
    simkit__entry copy[SIMKIT__CHUNK];
    uint64_t keys[SIMKIT__CHUNK];
    uint64_t low = (UINT64_C(1) << low_bits) - 1;
    unsigned mixed = low_bits + 5 > 64;
    for (uint32_t i = 0; i < count; ++i) {
        copy[i] = entries[i];
        keys[i] = (entries[i].bits & low) << 5 | i;
        mixed |= (unsigned)(entries[i].priority ^ entries[0].priority);
    }
    if (mixed) {
        for (uint32_t i = 1, at; i < count; ++i) {
            for (at = i; at > 0 && simkit__entry_before(&copy[i], &entries[at - 1]); --at)
                entries[at] = entries[at - 1];
            entries[at] = copy[i];
        }
        return;
    }
    for (uint32_t i = 1; i < count; ++i) {
        uint64_t most = keys[i];
        for (uint32_t at = 0; at < i; ++at) {
            uint64_t key = keys[at], less = key < most ? key : most;
            most = key < most ? most : key;
            keys[at] = less;
        }
        keys[i] = most;
    }
    for (uint32_t i = 0; i < count; ++i) entries[i] = copy[keys[i] % 32];
}

/* Times that belong into a bucket: from, and up to and including the other. */
static uint64_t simkit__bucket_from(const simkit__queue *q, unsigned level, unsigned digit)
{
    const unsigned shift = level * SIMKIT__DIGIT_BITS, above = shift + SIMKIT__DIGIT_BITS;
    return (above < 64 ? q->last >> above << above : 0) | (uint64_t)digit << shift;
}

static uint64_t simkit__bucket_to(uint64_t from, unsigned level)
{
    return from | ((UINT64_C(1) << (level * SIMKIT__DIGIT_BITS)) - 1);
}

/* Makes a front, which must be empty, of the lowest bucket. May leave it empty when all there was stale. */
static void simkit__front_fill(simkit_world *w)
{
    simkit__queue *q = &w->queue;
    unsigned level = simkit__lowest(q->levels), digit = simkit__lowest(q->digits[level]);
    simkit__chain chain = q->buckets[level][digit];
    q->buckets[level][digit] = simkit__no_chain;
    q->digits[level] &= q->digits[level] - 1;
    if (q->digits[level] == 0) q->levels &= q->levels - 1;

    if (chain.first == chain.last) {
        simkit__entry *entries = q->chunks[chain.first].entries;
        for (uint32_t i = 0; i < chain.used; ++i) SIMKIT__PREFETCH(&w->timers[entries[i].timer]);
        if (chain.used > 1) simkit__chunk_sort(entries, chain.used, level * SIMKIT__DIGIT_BITS);
        q->run.chain = chain;
        q->run.count = chain.used;
        q->run.tail = entries[chain.used - 1];
        q->limit = simkit__bucket_to(simkit__bucket_from(q, level, digit), level);
        return;
    }
    uint64_t least = UINT64_MAX;
    for (uint32_t c = chain.first; c != SIMKIT__NONE; c = q->chunks[c].next)
        for (uint32_t i = 0, end = simkit__chain_used(&chain, c); i < end; ++i)
            if (q->chunks[c].entries[i].bits < least) least = q->chunks[c].entries[i].bits;
    q->last = q->limit = least;
    while (chain.first != SIMKIT__NONE) {
        uint32_t c = chain.first;
        for (uint32_t i = 0, end = simkit__chain_used(&chain, c); i < end; ++i) {
            simkit__entry entry = q->chunks[c].entries[i];
            if (entry.bits == least)
                simkit__front_push(q, entry);
            else
                simkit__bucket_push(q, entry);
        }
        simkit__chain_advance(q, &chain);
    }
}

/* When the first live entry is due, without changing what `last` promises; UINT64_MAX if there is none. */
static uint64_t simkit__queue_least(simkit_world *w)
{
    simkit__queue *q = &w->queue;
    if (q->alone && simkit__entry_lives(w, &q->sole)) return q->sole.bits;
    while (q->run.count || q->near_count) {
        bool in_run;
        const simkit__entry *entry = simkit__front(q, &in_run);
        if (simkit__entry_lives(w, entry)) return entry->bits;
        simkit__front_pop(q, in_run);
        --q->stale;
    }
    if (q->least_known) return q->least;
    q->least = UINT64_MAX;
    q->least_known = true;
    for (uint32_t levels = q->levels; levels; levels &= levels - 1) {
        unsigned level = simkit__lowest(levels);
        for (uint32_t digits = q->digits[level]; digits; digits &= digits - 1) {
            const simkit__chain *chain = &q->buckets[level][simkit__lowest(digits)];
            for (uint32_t c = chain->first; c != SIMKIT__NONE; c = q->chunks[c].next)
                for (uint32_t i = 0, end = simkit__chain_used(chain, c); i < end; ++i) {
                    const simkit__entry *entry = &q->chunks[c].entries[i];
                    if (entry->bits < q->least && simkit__entry_lives(w, entry)) q->least = entry->bits;
                }
            if (q->least < UINT64_MAX) return q->least;
        }
    }
    return q->least;
}

/* Takes out the timer that is due next, if that is not after `until`; NONE otherwise. */
SIMKIT__INLINE uint32_t simkit__queue_pop(simkit_world *w, uint64_t until)
{
    simkit__queue *q = &w->queue;
    if (q->alone) {
        q->alone = false;
        if (simkit__entry_lives(w, &q->sole)) return q->sole.timer;
        --q->stale;
    }
    for (;;) {
        if (q->run.count || q->near_count) {
            bool in_run;
            simkit__entry entry = *simkit__front(q, &in_run);
            bool lives = simkit__entry_lives(w, &entry);
            if (lives && entry.bits > until) return SIMKIT__NONE;
            simkit__front_pop(q, in_run);
            if (lives) {
                w->now = simkit__time_of(entry.bits);
                return entry.timer;
            }
            --q->stale;
        } else if (q->levels == 0) {
            q->last = q->limit = simkit__bits(w->now);
            return SIMKIT__NONE;
        } else {
            unsigned level = simkit__lowest(q->levels);
            uint64_t from = simkit__bucket_from(q, level, simkit__lowest(q->digits[level]));
            if (from > until) return SIMKIT__NONE;
            if (simkit__bucket_to(from, level) > until && simkit__queue_least(w) > until) return SIMKIT__NONE;
            q->least_known = false;
            simkit__front_fill(w);
        }
    }
}

/* Takes the stale entries out of a chain, from place `at` of its first chunk on. How many are left. */
static size_t simkit__chain_sweep(simkit_world *w, simkit__chain *chain, uint32_t at)
{
    simkit__queue *q = &w->queue;
    simkit__chain kept = simkit__no_chain;
    size_t count = 0;
    for (; chain->first != SIMKIT__NONE; at = 0, simkit__chain_advance(q, chain)) {
        const uint32_t c = chain->first;
        for (const uint32_t end = simkit__chain_used(chain, c); at < end; ++at) {
            const simkit__entry entry = q->chunks[c].entries[at];
            if (!simkit__entry_lives(w, &entry)) continue;
            simkit__chain_push(q, &kept, entry);
            ++count;
        }
    }
    *chain = kept;
    return count;
}

SIMKIT__COLD void simkit__queue_sweep(simkit_world *w)
{
    simkit__queue *q = &w->queue;
    size_t count = q->near_count;
    if (q->alone && !simkit__entry_lives(w, &q->sole)) q->alone = false;
    q->near_count = 0;
    for (size_t i = 0; i < count; ++i)
        if (simkit__entry_lives(w, &q->near[i].entry)) simkit__near_push(q, q->near[i]);
    if (q->run.count > 0) {
        q->run.count = simkit__chain_sweep(w, &q->run.chain, q->run.at);
        q->run.at = 0;
        /* What is near came before the old tail, perhaps not before the new one: behind that, younger ones would pass it. */
        if (q->run.count > 0 && q->near_count == 0)
            q->run.tail = q->chunks[q->run.chain.last].entries[q->run.chain.used - 1];
    }
    for (uint32_t levels = q->levels; levels; levels &= levels - 1) {
        unsigned level = simkit__lowest(levels);
        for (uint32_t digits = q->digits[level]; digits; digits &= digits - 1) {
            unsigned digit = simkit__lowest(digits);
            if (simkit__chain_sweep(w, &q->buckets[level][digit], 0) == 0) q->digits[level] &= ~(UINT32_C(1) << digit);
        }
        if (q->digits[level] == 0) q->levels &= ~(UINT32_C(1) << level);
    }
    q->stale = 0;
    q->least_known = false;
}

/* Room for so many timers: chunks for the entries that can be there at once, one for each chain that may be begun, and
 * the few that are being read or written. So arming never fails. */
static bool simkit__queue_reserve(simkit_world *w, size_t timers)
{
    simkit__queue *q = &w->queue;
    if (timers <= q->room) return true;
    timers += timers / 8;
    size_t entries = timers + simkit__stale_limit(timers) + 1;
    const size_t buckets = (size_t)SIMKIT__LEVELS * SIMKIT__DIGITS, chains = buckets < entries ? buckets : entries;
    size_t chunks = entries / SIMKIT__CHUNK + chains + 4;
    size_t near = q->priorities && entries > SIMKIT__NEAR + 2 ? entries : SIMKIT__NEAR + 2;
    if (chunks >= SIMKIT__NONE || !simkit__reserve(w, q->chunks, chunks - simkit__count(q->chunks)) ||
        !simkit__reserve(w, q->near, near)) /* its length is near_count, not stb_ds's */
        return false;
    q->room = timers;
    return true;
}

/* From the first step with a priority on, the heap of the front may hold as much as the run. */
static bool simkit__queue_prioritize(simkit_world *w)
{
    simkit__queue *q = &w->queue;
    if (q->priorities) return true;
    size_t room = q->room;
    q->priorities = true;
    q->room = 0;
    if (simkit__queue_reserve(w, room + 1)) return true;
    q->priorities = false;
    q->room = room;
    return false;
}

static void simkit__queue_init(simkit__queue *q)
{
    for (unsigned level = 0; level < SIMKIT__LEVELS; ++level)
        for (unsigned digit = 0; digit < SIMKIT__DIGITS; ++digit) q->buckets[level][digit] = simkit__no_chain;
    q->run = simkit__no_run;
    q->free_chunk = SIMKIT__NONE;
}

/*=============================================================================
 * MARK: - >>timers (private)
 *
 * Things that can be armed: steps of the host, and what the rooms of the engine wait for. A timer keeps what to call;
 * the queue keeps when. Each arming has a generation of its own: an entry or a handle of an older one is stale.
 *===========================================================================*/
/* Room for so many more timers: then making them does not fail. */
static bool simkit__timers_reserve(simkit_world *w, size_t more)
{
    return simkit__queue_reserve(w, w->queue.timers + more) && simkit__reserve(w, w->timers, more);
}

/* A new timer, or NONE. */
SIMKIT__INLINE uint32_t simkit__timer_new(simkit_world *w, simkit_call *call, void *user)
{
    if (w->queue.timers >= w->queue.room && !simkit__queue_reserve(w, w->queue.timers + 1)) return SIMKIT__NONE;
    if (w->free_timer == SIMKIT__NONE && !simkit__pool_reserve(w, &w->timers, sizeof *w->timers, &w->free_timer))
        return SIMKIT__NONE;
    uint32_t index = w->free_timer;
    simkit__timer *timer = &w->timers[index];
    w->free_timer = timer->next;
    timer->next = SIMKIT__IDLE;
    timer->call = call;
    timer->user = user;
    ++w->queue.timers;
    return index;
}

SIMKIT__INLINE void simkit__timer_disarm(simkit_world *w, uint32_t index)
{
    simkit__queue *q = &w->queue;
    if (!simkit__is_armed(&w->timers[index])) return;
    w->timers[index].next = SIMKIT__IDLE;
    q->least_known = false;
    if (++q->stale > simkit__stale_limit(q->timers)) simkit__queue_sweep(w);
}

/* A new arming of a timer that is not armed. */
SIMKIT__INLINE simkit__entry simkit__timer_entry(simkit_world *w, uint32_t index, double time, int priority,
                                                 uint32_t armed)
{
    simkit__entry entry;
    simkit__timer *timer = &w->timers[index];
    SIMKIT_ASSERT(time >= w->now);
    if ((uint16_t)timer->generation == UINT16_MAX && w->queue.stale > 0) simkit__queue_sweep(w); /* tags come again */
    timer->next = armed;
    entry.bits = simkit__bits(time + 0.0); /* -0 is 0 */
    entry.timer = index;
    entry.priority = (uint16_t)(priority + 32768);
    entry.tag = (uint16_t)++timer->generation;
    return entry;
}

SIMKIT__INLINE void simkit__timer_set(simkit_world *w, uint32_t index, double time, int priority, uint32_t armed)
{
    simkit__queue_push(w, simkit__timer_entry(w, index, time, priority, armed));
}

/* What would be due beyond the last time there is never comes. */
SIMKIT__INLINE void simkit__timer_arm(simkit_world *w, uint32_t index, double time)
{
    simkit__timer_disarm(w, index);
    if (time < (double)INFINITY) simkit__timer_set(w, index, time, 0, SIMKIT__ARMED);
}

SIMKIT__INLINE void simkit__timer_arm_now(simkit_world *w, uint32_t index)
{
    simkit__timer_disarm(w, index);
    simkit__queue_push_now(w, simkit__timer_entry(w, index, w->now, 0, SIMKIT__ARMED));
}

/* Gives a timer back that is not armed. */
SIMKIT__INLINE void simkit__timer_release(simkit_world *w, uint32_t index)
{
    simkit__timer *timer = &w->timers[index];
    --w->queue.timers;
    timer->next = SIMKIT__IDLE;
    if (timer->generation == UINT32_MAX) return; /* worn out: its handles could come again */
    timer->next = w->free_timer;
    w->free_timer = index;
}

static void simkit__timer_free(simkit_world *w, uint32_t index)
{
    simkit__timer_disarm(w, index);
    simkit__timer_release(w, index);
}

static uint32_t simkit__handle_index(uint64_t handle)
{
    return (uint32_t)(handle & UINT32_MAX) - 1;
}

static uint64_t simkit__handle(uint32_t index, uint32_t generation)
{
    return (uint64_t)generation << 32 | (index + 1u);
}

static void *simkit__user_of(uint32_t index)
{
    return (void *)(uintptr_t)index;
}

static uint32_t simkit__index_of(void *user)
{
    return (uint32_t)(uintptr_t)user;
}

/*=============================================================================
 * MARK: - >>watching (private)
 *
 * Who is told. Nobody watching costs one test of a mask.
 *===========================================================================*/
#ifndef SIMKIT_NO_PROCESSES
static void simkit__process_check(simkit_world *w);
/* A process that calls has the stack that the engine needs, or ends here: halfway through it would leave a mess. */
#define simkit__check_stack(w) ((w)->current ? simkit__process_check(w) : (void)0)
#else
#define simkit__check_stack(w) ((void)0)
#endif

struct simkit__watch {
    unsigned kinds;
    simkit_watcher *watcher;
    void *user;
};

static void simkit__tell_as_it_is(simkit_world *w, simkit_watch_event event)
{
    if (!event.name) event.name = "";
    if (!event.lane) event.lane = "";
    for (size_t i = 0; i < simkit__count(w->watches); ++i)
        if (w->watches[i].kinds & (unsigned)event.kind) w->watches[i].watcher(w->watches[i].user, w, &event);
}

/* A kind for the fingerprint alone: a message that a receiver gets. */
#define SIMKIT__WATCH_MESSAGE ((unsigned)SIMKIT_WATCH_ALL + 1)

/* Hashes numbers, not memory: neither byte order nor an address gets in. */
static void simkit__fold(simkit_world *w, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const uint64_t product = (w->fingerprint ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        w->fingerprint = product ^ product >> 32;
    }
}

static void simkit__tell(simkit_world *w, simkit_watch_event event)
{
    event.time = w->now;
    if (w->watched & SIMKIT__WATCH_MESSAGE) {
        /* Of a step only which timer it has: how often that was armed depends on who looked ahead. */
        const uint64_t words[] = { simkit__bits(event.time),
                                   (uint64_t)event.phase << 32 | (uint64_t)event.kind,
                                   (uint64_t)event.to << 32 | event.node,
                                   event.kind == SIMKIT_WATCH_STEP ? (uint32_t)event.number : event.number,
                                   simkit__bits(event.begin),
                                   simkit__bits(event.seconds),
                                   simkit__bits(event.bytes) };
        simkit__fold(w, words, sizeof words / sizeof words[0]);
    }
    simkit__tell_as_it_is(w, event);
}

static simkit_watch_event simkit__event(simkit_watch_kind kind, simkit_watch_phase phase, double begin,
                                        const char *name)
{
    simkit_watch_event event;
    memset(&event, 0, sizeof event);
    event.kind = kind;
    event.phase = phase;
    event.begin = begin;
    event.name = name;
    return event;
}

SIMKIT_API simkit_result simkit_watch_add(simkit_world *world, unsigned kinds, simkit_watcher *watcher, void *user)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!watcher || kinds == 0 || (kinds & ~(unsigned)SIMKIT_WATCH_ALL))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a watcher needs a function and kinds out of %u, not %u",
                            (unsigned)SIMKIT_WATCH_ALL, kinds);
    if (!simkit__reserve(world, world->watches, 1)) return simkit__no_memory(world, "a watcher");
    simkit__watch watch;
    watch.kinds = kinds;
    watch.watcher = watcher;
    watch.user = user;
    simkit__push(world->watches, watch);
    world->watched |= kinds;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_watch_tell(simkit_world *world, const simkit_watch_event *event)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!event || ((unsigned)event->kind & ~(unsigned)SIMKIT_WATCH_ALL) || !event->kind)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "an event to tell of is of no kind");
    if (!simkit__is_amount(event->begin) || !simkit__is_amount(event->time) || event->time < event->begin)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "an event from %s s to %s s cannot be told of",
                            simkit__show(world, event->begin), simkit__show(world, event->time));
    const bool transfer = event->kind == SIMKIT_WATCH_TRANSFER,
               placed = transfer || event->kind == SIMKIT_WATCH_COMPUTE;
    const size_t nodes = simkit_node_count(world);
    if (event->node > nodes || event->to > nodes || (placed && event->node == 0) || (transfer && event->to == 0))
        return simkit__fail(world, SIMKIT_UNKNOWN_NODE, "an event to tell of names nodes %lu and %lu of %lu",
                            (unsigned long)event->node, (unsigned long)event->to, (unsigned long)nodes);
    simkit__tell_as_it_is(world, *event);
    return SIMKIT_OK;
}

SIMKIT_API void simkit_watch_remove(simkit_world *world, simkit_watcher *watcher, void *user)
{
    if (!world) return;
    world->watched = world->watched & SIMKIT__WATCH_MESSAGE ? SIMKIT_WATCH_ALL | SIMKIT__WATCH_MESSAGE : 0;
    size_t kept = 0, count = simkit__count(world->watches);
    for (size_t i = 0; i < count; ++i) {
        simkit__watch watch = world->watches[i];
        if (watch.watcher == watcher && watch.user == user) continue;
        world->watches[kept++] = watch;
        world->watched |= watch.kinds;
    }
    while (count-- > kept) simkit__drop(world->watches);
}

SIMKIT_API simkit_result simkit_fingerprint_begin(simkit_world *world)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    world->watched |= SIMKIT_WATCH_ALL | SIMKIT__WATCH_MESSAGE;
    world->fingerprint = UINT64_C(0x5851f42d4c957f2d); /* not 0, which would stay 0 through words of 0 */
    return SIMKIT_OK;
}

SIMKIT_API uint64_t simkit_fingerprint_value(const simkit_world *world)
{
    return world ? world->fingerprint : 0;
}

/*=============================================================================
 * MARK: - >>opening (private)
 *
 * The body of world and clock: opening, the loop that runs what is due, closing.
 *===========================================================================*/
static void simkit__settle(simkit_world *w);
static void simkit__mailboxes_cut(simkit_world *w, simkit_node failed);
#ifndef SIMKIT_NO_PROCESSES
static void simkit__processes_cut(simkit_world *w, simkit_node failed);
#endif
static void simkit__close_nodes(simkit_world *w);
static void simkit__close_averages(simkit_world *w, simkit__node *node);
static void simkit__close_users(simkit_world *w);
static void simkit__close_operations(simkit_world *w);
static void simkit__close_flows(simkit_world *w);
static void simkit__close_mailboxes(simkit_world *w);
#ifndef SIMKIT_NO_PROCESSES
static void simkit__close_processes(simkit_world *w);
static simkit_result simkit__deadlock(simkit_world *w);
#endif

SIMKIT_API simkit_result simkit_world_open(const simkit_world_desc *desc, simkit_world **world)
{
    simkit_world_desc zero;
    memset(&zero, 0, sizeof zero);
    if (!world) return SIMKIT_BAD_ARGUMENT;
    *world = NULL;
    if (!desc) desc = &zero;
    if (desc->star != SIMKIT_STAR_EQUAL && desc->star != SIMKIT_STAR_MAXMIN) return SIMKIT_BAD_ARGUMENT;
    simkit_reallocate *reallocate = desc->reallocate ? desc->reallocate : simkit__reallocate_c;
    simkit_world *w = (simkit_world *)reallocate(desc->reallocate_user, NULL, 0, sizeof *w);
    if (!w) return SIMKIT_NO_MEMORY;
    memset(w, 0, sizeof *w);
    w->reallocate = reallocate;
    w->reallocate_user = desc->reallocate_user;
    w->seed = desc->seed;
    w->policy = desc->star;
    w->processor_time = desc->processor_time;
    w->processor_time_user = desc->processor_time_user;
    w->memory = w->memory_peak = sizeof *w;
    simkit__queue_init(&w->queue);
    w->handed = SIMKIT__NONE;
    w->free_timer = w->free_job = w->free_flow = w->free_letter = w->free_taker = w->free_command = SIMKIT__NONE;
#ifndef SIMKIT_NO_PROCESSES
    w->free_seat = SIMKIT__NONE;
#endif
    *world = w;
    return SIMKIT_OK;
}

SIMKIT_API void simkit_world_close(simkit_world *world)
{
    if (!world) return;
    if (world->running) {
        world->broken =
            simkit__fail(world, SIMKIT_BAD_CALL, "simkit_world_close was called inside a run; the world stays open");
        return;
    }
#ifndef SIMKIT_NO_PROCESSES
    simkit__close_processes(world);
#endif
    simkit__close_mailboxes(world);
    simkit__close_flows(world);
    simkit__close_nodes(world);
    simkit__close_users(world);
    simkit__close_operations(world);
    simkit__discard(world, world->watches);
    simkit__discard(world, world->queue.chunks);
    simkit__discard(world, world->queue.near);
    simkit__discard(world, world->timers);
    SIMKIT_ASSERT(world->memory == sizeof *world); /* nothing leaks */
    world->reallocate(world->reallocate_user, world, sizeof *world, 0);
}

SIMKIT_API size_t simkit_world_memory(const simkit_world *world, size_t *peak)
{
    if (peak) *peak = world ? world->memory_peak : 0;
    return world ? world->memory : 0;
}

SIMKIT_API double simkit_clock_now(const simkit_world *world)
{
    return world ? world->now : (double)NAN;
}

SIMKIT_API double simkit_clock_next(const simkit_world *world)
{
    simkit_world *w = (simkit_world *)(uintptr_t)world; /* looking ahead may take out what is stale */
    if (w && w->unsettled) return w->now;               /* to settle before the instant is over would change bits */
    uint64_t least = w ? simkit__queue_least(w) : UINT64_MAX;
    return least < UINT64_MAX ? simkit__time_of(least) : (double)INFINITY;
}

SIMKIT_API uint64_t simkit_clock_steps(const simkit_world *world)
{
    return world ? world->steps : 0;
}

SIMKIT__INLINE void simkit__run_timer(simkit_world *w, uint32_t index)
{
    simkit__timer *timer = &w->timers[index];
    simkit_call *call = timer->call;
    void *user = timer->user;
    ++w->steps;
    if (timer->next == SIMKIT__STEP) {
        if (w->watched & SIMKIT_WATCH_STEP) {
            simkit_watch_event event = simkit__event(SIMKIT_WATCH_STEP, SIMKIT_WATCH_BEGIN, w->now, NULL);
            event.number = simkit__handle(index, timer->generation);
            simkit__tell(w, event);
        }
        simkit__timer_release(w, index);
    } else {
        timer->next = SIMKIT__IDLE;
    }
    call(w, user);
}

/* The next timer that is due in this run; NONE when it is at its end. */
SIMKIT__INLINE uint32_t simkit__next(simkit_world *w)
{
    while (!w->stopped && w->broken == SIMKIT_OK) {
        const uint32_t timer = simkit__queue_pop(w, w->unsettled ? simkit__bits(w->now) : w->until);
        if (timer != SIMKIT__NONE) return timer;
        if (!w->unsettled) break;
        simkit__settle(w);
    }
    return SIMKIT__NONE;
}

static simkit_result simkit__loop(simkit_world *w, double until)
{
    if (w->running) return simkit__fail(w, SIMKIT_BAD_CALL, "a run was started inside a run");
    if (w->holed)
        return simkit__fail(w, SIMKIT_NO_MEMORY,
                            "a background process is missing, for there was no memory when it was to begin");
    w->running = true;
    w->stopped = false;
    w->broken = SIMKIT_OK;
    w->until = simkit__bits(until + 0.0);
    for (;;) {
        uint32_t timer = w->handed;
        w->handed = SIMKIT__NONE;
        if (timer == SIMKIT__NONE) timer = simkit__next(w);
        if (timer == SIMKIT__NONE) break;
        simkit__run_timer(w, timer);
    }
    w->running = false;
    if (w->broken != SIMKIT_OK) return w->broken;
    return w->stopped ? SIMKIT_STOPPED : SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_world_run(simkit_world *world)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit_result result = simkit__loop(world, (double)INFINITY);
    if (result == SIMKIT_OK && world->under_way > 0)
        return simkit__fail(world, SIMKIT_BAD_TIME,
                            "%lu computations and transfers are under way, but would end after the last time there is, "
                            "%s s",
                            (unsigned long)world->under_way, simkit__show(world, DBL_MAX));
#ifndef SIMKIT_NO_PROCESSES
    if (result == SIMKIT_OK) return simkit__deadlock(world);
#endif
    return result;
}

SIMKIT_API simkit_result simkit_world_run_until(simkit_world *world, double until)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!(until >= world->now && until < (double)INFINITY))
        return simkit__fail(world, SIMKIT_BAD_TIME, "asked to run until %s s", simkit__show(world, until));
    simkit_result result = simkit__loop(world, until);
    if (result == SIMKIT_OK) world->now = until + 0.0; /* -0 is 0 */
    return result;
}

SIMKIT_API void simkit_world_stop(simkit_world *world)
{
    if (world) world->stopped = true;
}

SIMKIT_API simkit_result simkit_step_at(simkit_world *world, double time, int priority, simkit_call *call, void *user,
                                        simkit_step *step)
{
    if (step) *step = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!call) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a step needs a function to call");
    if (!(time >= world->now && time < (double)INFINITY))
        return simkit__fail(world, SIMKIT_BAD_TIME, "a step was asked for at %s s", simkit__show(world, time));
    if (priority < -32768 || priority > 32767)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "priority %d is not in -32768 .. 32767", priority);
    if (priority != 0 && !simkit__queue_prioritize(world)) return simkit__no_memory(world, "a step");
    uint32_t timer = simkit__timer_new(world, call, user);
    if (timer == SIMKIT__NONE) return simkit__no_memory(world, "a step");
    simkit__timer_set(world, timer, time, priority, SIMKIT__STEP);
    if (step) *step = simkit__handle(timer, world->timers[timer].generation);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_step_after(simkit_world *world, double delay, int priority, simkit_call *call,
                                           void *user, simkit_step *step)
{
    if (step) *step = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!simkit__is_amount(delay))
        return simkit__fail(world, SIMKIT_BAD_TIME, "a step was asked for after %s s", simkit__show(world, delay));
    return simkit_step_at(world, world->now + delay, priority, call, user, step);
}

SIMKIT_API bool simkit_step_pending(const simkit_world *world, simkit_step step)
{
    if (!world || step == 0) return false;
    uint32_t index = simkit__handle_index(step);
    if (index >= simkit__count(world->timers)) return false;
    const simkit__timer *timer = &world->timers[index];
    return timer->next == SIMKIT__STEP && timer->generation == (uint32_t)(step >> 32);
}

SIMKIT_API bool simkit_step_cancel(simkit_world *world, simkit_step step)
{
    if (!simkit_step_pending(world, step)) return false;
    simkit__check_stack(world);
    simkit__timer_free(world, simkit__handle_index(step));
    return true;
}

/*=============================================================================
 * MARK: - >>tags (private)
 *
 * Who of a group is done first. All that share something at one rate have one virtual clock; each has a finish tag, the
 * reading of that clock at which it is done, in a heap of four children. So when one comes or goes, the others are not
 * touched: only the rate of the clock changes. Start-time fair queueing keeps its order that way, too.
 *===========================================================================*/
typedef struct simkit__tag {
    double finish;   /* reading of the clock */
    uint64_t number; /* orders equal tags */
    uint32_t item;
} simkit__tag;

static bool simkit__tag_before(const simkit__tag *a, const simkit__tag *b)
{
    return a->finish < b->finish || (simkit__same(a->finish, b->finish) && a->number < b->number);
}

/* There must be room for it. */
static void simkit__tag_push(simkit__tag *tags, simkit__tag tag)
{
    simkit__push(tags, tag);
    size_t at = simkit__count(tags) - 1;
    for (; at > 0 && simkit__tag_before(&tag, &tags[(at - 1) / 4]); at = (at - 1) / 4) tags[at] = tags[(at - 1) / 4];
    tags[at] = tag;
}

static void simkit__tag_sink(simkit__tag *tags, size_t at, simkit__tag tag)
{
    const size_t count = simkit__count(tags);
    for (size_t child; (child = 4 * at + 1) < count;) {
        size_t end = child + 4 < count ? child + 4 : count, least = child;
        for (size_t i = child + 1; i < end; ++i)
            if (simkit__tag_before(&tags[i], &tags[least])) least = i;
        if (!simkit__tag_before(&tags[least], &tag)) break;
        tags[at] = tags[least];
        at = least;
    }
    tags[at] = tag;
}

static simkit__tag simkit__tag_pop(simkit__tag *tags)
{
    simkit__tag top = tags[0], moved = simkit__last(tags);
    simkit__drop(tags);
    if (simkit__count(tags) > 0) simkit__tag_sink(tags, 0, moved);
    return top;
}

/* Whether an item was there; it is gone now. Looks at all of them. */
static bool simkit__tag_remove(simkit__tag *tags, uint32_t item)
{
    for (size_t at = 0; at < simkit__count(tags); ++at) {
        if (tags[at].item != item) continue;
        const simkit__tag moved = simkit__last(tags);
        simkit__drop(tags);
        if (at == simkit__count(tags)) return true;
        for (; at > 0 && simkit__tag_before(&moved, &tags[(at - 1) / 4]); at = (at - 1) / 4)
            tags[at] = tags[(at - 1) / 4];
        simkit__tag_sink(tags, at, moved);
        return true;
    }
    return false;
}

/*=============================================================================
 * MARK: - >>sharing (private)
 *
 * The body of nodes and computing. The computations of one nice level on a node are a class: they all advance at one
 * rate, so the class has a virtual clock of CPU time received, and a computation ends when that clock reaches its
 * finish tag. When one comes or goes the others are not touched: the rates of the classes change (contention.h says to
 * what), and the node's one timer is set to the earliest finish tag.
 *===========================================================================*/
typedef struct simkit__class {
    int nice;
    double weight;
    double rate;  /* CPU seconds per second of each */
    double clock; /* CPU seconds that each has received since the class was last empty */
    simkit__tag *tags;
} simkit__class;

#define SIMKIT__NICE_LEVELS 40 /* so classes of a node */

typedef struct simkit__pair { /* what is special about the way to one other node */
    simkit_node to;
    bool modeled, busy;
    netmodel_link model;
    uint32_t first, last; /* in-order transfers that wait for their turn */
} simkit__pair;

#define SIMKIT__SPENT SIZE_MAX        /* its quota is */
#define SIMKIT__REFILL (SIZE_MAX - 1) /* a period begins */

struct simkit__node {
    char *name;
    double speed, cores;
    double quota, period, tick; /* rationed, if there is a quota */
    double left;                /* of the quota when `since` was set [s]; less than 0: taken too much */
    double used;                /* cores that are in use since then */
    double refill, refills;     /* when the next period begins, and its number */
    double offset;              /* when period 0 does, in periods */
    netmodel_link up, down;
    double cpu_per_outgoing, cpu_per_incoming;
    contention_nice_rule nice_rule;

    simkit__class *classes;
    size_t running;
    double since; /* when the class clocks were last set */
    size_t due;   /* class that the timer is set for, or one of those above */
    uint32_t timer;
    bool failed;
    uint32_t lost; /* computations that it had when it failed, until somebody is told */

    bool keeps; /* its past */
    double kept_since;
    size_t kept_running; /* computations there were then */
    double *past;        /* when each one came since, or, with a sign, went */
    simkit__average *averages;

    simkit__pair *pairs; /* ordered by `to` */
    bool feels;          /* flows came or went: what they take of the CPU is to be set anew */
};

struct simkit__job {
    uint32_t next;
    simkit_node node; /* 0: there is none in this place */
    double begin, seconds;
    const char *name, *lane;
    simkit_call *done, *lost;
    void *user;
    uint64_t label;
};

/* An end of a node's link, up to the switch or down from it: a group that shares its bandwidth. See >>ends. */
enum { SIMKIT__UP, SIMKIT__DOWN };

typedef struct simkit__member {
    uint32_t other; /* number of the other end; the highest bit tells a flow with a model of its own */
    uint32_t flow;
} simkit__member;

struct simkit__end {
    double bandwidth;        /* [B/s] */
    double clock;            /* virtual time: seconds that a flow would have had this end for itself */
    double since;            /* when the clock was last set */
    double crowd;            /* among how many it is shared; the clock runs at 1 / crowd */
    size_t flowing;          /* how many there are now: the crowd from the end of this instant on */
    size_t promised;         /* flows that have begun, so that there is room for them */
    simkit__member *members; /* those that flow */
    simkit__tag *tags;       /* those whose completion is looked for here */
    double due;              /* what the timer is set for */
    uint32_t timer;
    bool dirty;
};

static simkit__end *simkit__ends_of(const simkit_world *w, const simkit__node *node)
{
    return &w->ends[2 * (node - w->nodes)];
}

#ifndef SIMKIT_NO_PROCESSES
static void simkit__process_lost(simkit_world *w, void *user);
static void simkit__process_cancelled(simkit_world *w, void *user);
#endif
static void simkit__ends_cut(simkit_world *w, simkit_node failed);
static bool simkit__ends_reserve(simkit_world *w, size_t nodes);
static void simkit__ends_add(simkit_world *w, const simkit__node *node);

SIMKIT__INLINE simkit__node *simkit__node_of(const simkit_world *w, simkit_node node)
{
    return node >= 1 && node <= simkit__count(w->nodes) ? &w->nodes[node - 1] : NULL;
}

static simkit_result simkit__failed_node(simkit_world *w, const char *what, const char *name, simkit_node node)
{
    return simkit__fail(w, SIMKIT_NODE_FAILED, "%s '%s' names node '%s', which has failed", what, name ? name : "",
                        w->nodes[node - 1].name);
}

static simkit_result simkit__unknown_node(simkit_world *w, const char *what, const char *name, simkit_node node)
{
    return simkit__fail(w, SIMKIT_UNKNOWN_NODE, "%s '%s' names node %lu, but the nodes are 1 .. %lu", what,
                        name ? name : "", (unsigned long)node, (unsigned long)simkit__count(w->nodes));
}

static double simkit__node_period(const simkit__node *node, double number)
{
    return simkit__times(node->period, number + node->offset);
}

/* Takes what was used from the quota, and gives what has come since: a quota for each period that has begun. */
static void simkit__node_ration(simkit_world *w, simkit__node *node, double passed)
{
    node->left -= simkit__times(passed, node->used);
    if (w->now < node->refill) return;
    double begun = floor((w->now - node->refill) / node->period) + 1;
    double left = node->left + simkit__times(begun, node->quota);
    node->left = left < node->quota ? left : node->quota;
    node->refills += begun;
    node->refill = simkit__node_period(node, node->refills);
    if (node->refill <= w->now) node->refill = simkit__node_period(node, ++node->refills); /* by rounding */
}

/* Sets the class clocks to now; must come before anything that changes a rate. */
static void simkit__node_advance(simkit_world *w, simkit__node *node)
{
    double passed = w->now - node->since;
    node->since = w->now;
    if (passed <= 0) return;
    if (node->quota > 0) simkit__node_ration(w, node, passed);
    for (size_t i = 0; i < simkit__count(node->classes); ++i)
        if (simkit__count(node->classes[i].tags))
            node->classes[i].clock += simkit__times(passed, node->classes[i].rate);
}

static void simkit__node_rates(const simkit_world *w, simkit__node *node)
{
    double weight[SIMKIT__NICE_LEVELS], count[SIMKIT__NICE_LEVELS], share[SIMKIT__NICE_LEVELS];
    const simkit__end *ends = simkit__ends_of(w, node);
    double taken = contention_share_taken((double)ends[SIMKIT__DOWN].flowing, node->cpu_per_incoming,
                                          (double)ends[SIMKIT__UP].flowing, node->cpu_per_outgoing);
    size_t classes = simkit__count(node->classes);
    if (node->quota > 0 && node->left <= 0) {
        node->used = 0; /* nothing goes on before the next period */
        for (size_t i = 0; i < classes; ++i) node->classes[i].rate = 0;
        return;
    }
    if (classes < 2) {
        double each = contention_share_equal(node->cores, taken, (double)node->running);
        node->used = simkit__times(each, (double)node->running);
        node->classes[0].rate = node->speed * each;
        return;
    }
    for (size_t i = 0; i < classes; ++i) {
        weight[i] = node->classes[i].weight;
        count[i] = (double)simkit__count(node->classes[i].tags);
    }
    contention_result result = contention_share_weighted(node->cores, taken, classes, weight, count, share);
    SIMKIT_ASSERT(result == CONTENTION_OK);
    (void)result;
    node->used = 0;
    for (size_t i = 0; i < classes; ++i) {
        node->classes[i].rate = node->speed * share[i];
        node->used += simkit__times(share[i], count[i]);
    }
}

/* It is so late that a time and the next one a double can tell are further apart than what is to happen between them. */
static simkit_result simkit__too_late(simkit_world *w, const char *what, const char *name, double apart)
{
    return simkit__fail(w, SIMKIT_BAD_TIME, "it is so late that %s of '%s', %s s apart, cannot be told apart", what,
                        name, simkit__show(w, apart));
}

/* When a node with a quota that computes is next to be looked at: its quota is found spent, or a period begins. */
static double simkit__node_rationed(simkit_world *w, simkit__node *node)
{
    double found = (double)INFINITY;
    if (node->used > 0) {
        found = w->now + node->left / node->used;
        if (node->tick > 0) found = simkit__times(node->tick, ceil(found / node->tick));
        if (found < w->now) found = w->now; /* by rounding */
    }
    if (node->refill <= w->now) { /* what doubles cannot tell may even be before now */
        w->broken = simkit__too_late(w, "the periods", node->name, node->period);
        node->refill = w->now;
    }
    node->due = found < node->refill ? SIMKIT__SPENT : SIMKIT__REFILL;
    return found < node->refill ? found : node->refill;
}

/* New rates, and the timer to the earliest end under them. */
static void simkit__node_reshare(simkit_world *w, simkit__node *node)
{
    if (node->running == 0) {
        node->used = 0;
        simkit__timer_disarm(w, node->timer);
        return;
    }
    simkit__node_rates(w, node);
    double earliest = node->quota > 0 ? simkit__node_rationed(w, node) : (double)INFINITY;
    uint64_t number = 0;
    for (size_t i = 0; i < simkit__count(node->classes); ++i) {
        const simkit__class *c = &node->classes[i];
        if (simkit__count(c->tags) == 0) continue;
        double left = c->tags[0].finish - c->clock, end = (double)INFINITY;
        if (left <= 0)
            end = w->now;
        else if (c->rate > 0)
            end = w->now + left / c->rate;
        if (end < earliest || (simkit__same(end, earliest) && c->tags[0].number < number)) {
            earliest = end;
            number = c->tags[0].number;
            node->due = i;
        }
    }
    simkit__timer_arm(w, node->timer, earliest); /* INFINITY: communication takes all, somebody will come back here */
}

/* Room for all that can change before the next computation begins: its beginning, and the end of each. */
static bool simkit__past_reserve(simkit_world *w, simkit__node *node)
{
    return simkit__reserve(w, node->past, node->running + 2);
}

/* A computation comes or goes. */
static void simkit__node_counts(const simkit_world *w, simkit__node *node, bool comes)
{
    if (node->keeps) simkit__push(node->past, comes ? w->now : -w->now);
    node->running += comes ? 1 : (size_t)-1;
}

static void simkit__job_free(simkit_world *w, uint32_t index)
{
    --w->under_way;
    w->jobs[index].node = 0;
    w->jobs[index].next = w->free_job;
    w->free_job = index;
}

static void simkit__job_tell(simkit_world *w, const simkit__job *job, simkit_node node, simkit_watch_phase phase)
{
    if (!(w->watched & SIMKIT_WATCH_COMPUTE)) return;
    simkit_watch_event event = simkit__event(SIMKIT_WATCH_COMPUTE, phase, job->begin, job->name);
    event.lane = job->lane;
    event.seconds = job->seconds;
    event.node = node;
    event.number = job->label;
    simkit__tell(w, event);
}

/* Tells of the next computation that a failed node lost. */
static void simkit__node_mourn(simkit_world *w, simkit__node *node)
{
    const uint32_t index = node->lost;
    const simkit__job job = w->jobs[index];
    node->lost = job.next;
    simkit__job_free(w, index);
    if (node->lost != SIMKIT__NONE) simkit__timer_arm(w, node->timer, w->now);
    if (job.lost) job.lost(w, job.user);
}

static void simkit__node_due(simkit_world *w, void *user)
{
    uint32_t place = simkit__index_of(user);
    simkit__node *node = &w->nodes[place];
    if (node->failed) {
        simkit__node_mourn(w, node);
        return;
    }
    simkit__node_advance(w, node);
    if (node->due >= SIMKIT__REFILL) {
        if (node->due == SIMKIT__SPENT && node->left > 0) node->left = 0; /* by rounding */
        simkit__node_reshare(w, node);
        return;
    }
    simkit__class *c = &node->classes[node->due];
    simkit__tag tag = simkit__tag_pop(c->tags);
    c->clock = simkit__count(c->tags) ? tag.finish : 0; /* to the bit, whatever rounding the way there had */
    simkit__node_counts(w, node, false);
    const simkit__job job = w->jobs[tag.item];
    simkit__job_free(w, tag.item);
    simkit__node_reshare(w, node);
    simkit__job_tell(w, &job, place + 1, SIMKIT_WATCH_END);
    if (job.done) job.done(w, job.user);
}

SIMKIT_API simkit_result simkit_node_add(simkit_world *world, const simkit_node_desc *desc, simkit_node *node)
{
    simkit_node_desc zero;
    memset(&zero, 0, sizeof zero);
    if (node) *node = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!desc) desc = &zero;
    const char *name = desc->name;
    double numbers[] = { desc->speed,
                         desc->up.latency,
                         desc->up.byte_time,
                         desc->down.latency,
                         desc->down.byte_time,
                         desc->cpu_per_outgoing,
                         desc->cpu_per_incoming,
                         desc->quota,
                         desc->period,
                         desc->tick };
    static const char *const what[] = {
        "speed", "up latency", "up byte time", "down latency", "down byte time", "cpu per outgoing", "cpu per incoming",
        "quota", "period",     "tick"
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (!simkit__is_amount(numbers[i])) return simkit__bad_number(world, what[i], name, numbers[i]);
    if (desc->quota > 0 && desc->period <= 0)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "'%s' has a quota of %s s, but its period is 0",
                            name ? name : "", simkit__show(world, desc->quota));
    if (!(contention_nice_weight(desc->nice_rule, 0) > 0))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "nice rule %d of '%s' is unknown", (int)desc->nice_rule,
                            name ? name : "");

    char counted[32];
    size_t place = simkit__count(world->nodes);
    if (!name) {
        snprintf(counted, sizeof counted, "node %lu", (unsigned long)place + 1);
        name = counted;
    }
    simkit__node fresh;
    memset(&fresh, 0, sizeof fresh);
    if (!simkit__reserve(world, world->nodes, 1) || !simkit__ends_reserve(world, place) ||
        !simkit__timers_reserve(world, 3) || !(fresh.name = simkit__copy_text(world, name)))
        return simkit__no_memory(world, "a node");
    fresh.timer = simkit__timer_new(world, simkit__node_due, simkit__user_of((uint32_t)place));
    fresh.speed = desc->speed > 0 ? desc->speed : 1;
    fresh.quota = fresh.left = desc->quota;
    fresh.period = desc->period;
    fresh.tick = desc->tick;
    fresh.cores = desc->cores > 0 ? (double)desc->cores : 1;
    fresh.up = desc->up;
    fresh.down = desc->down;
    fresh.cpu_per_outgoing = desc->cpu_per_outgoing;
    fresh.cpu_per_incoming = desc->cpu_per_incoming;
    fresh.nice_rule = desc->nice_rule;
    fresh.since = world->now;
    fresh.lost = SIMKIT__NONE;
    simkit__push(world->nodes, fresh);
    if (fresh.quota > 0) {
        simkit__node *added = &world->nodes[place];
        simkit_random random = simkit_random_stream(world, ~(uint64_t)place);
        added->offset = simkit_random_uniform(&random);
        added->refills = floor(world->now / fresh.period);
        added->refill = simkit__node_period(added, added->refills);
        if (added->refill <= world->now) added->refill = simkit__node_period(added, ++added->refills);
    }
    simkit__ends_add(world, &fresh);
    if (node) *node = (simkit_node)place + 1;
    if (world->watched & SIMKIT_WATCH_NODE) {
        simkit_watch_event event = simkit__event(SIMKIT_WATCH_NODE, SIMKIT_WATCH_BEGIN, world->now, fresh.name);
        event.node = (simkit_node)place + 1;
        simkit__tell(world, event);
    }
    return SIMKIT_OK;
}

SIMKIT_API simkit_node simkit_node_count(const simkit_world *world)
{
    return world ? (simkit_node)simkit__count(world->nodes) : 0;
}

SIMKIT_API const char *simkit_node_name(const simkit_world *world, simkit_node node)
{
    const simkit__node *n = world ? simkit__node_of(world, node) : NULL;
    return n ? n->name : "no node";
}

SIMKIT_API size_t simkit_node_running(const simkit_world *world, simkit_node node)
{
    const simkit__node *n = world ? simkit__node_of(world, node) : NULL;
    return n ? n->running : 0;
}

/* The class of a nice level on a node, with room for one more tag; NULL without memory. */
static simkit__class *simkit__class_for(simkit_world *w, simkit__node *node, int nice, double weight)
{
    for (size_t i = 0; i < simkit__count(node->classes); ++i)
        if (node->classes[i].nice == nice)
            return simkit__reserve(w, node->classes[i].tags, 1) ? &node->classes[i] : NULL;
    simkit__class fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.nice = nice;
    fresh.weight = weight;
    if (!simkit__reserve(w, node->classes, 1) || !simkit__reserve(w, fresh.tags, 1)) return NULL;
    simkit__push(node->classes, fresh);
    return &simkit__last(node->classes);
}

/* The place of a job, from 1, and what tells it from others that were there before. */
static simkit_computation simkit__computation_of(const simkit_world *w, uint32_t index)
{
    return ((uint64_t)index + 1) << 32 | (w->jobs[index].label & UINT32_MAX);
}

static simkit_result simkit__bad_nice(simkit_world *w, const char *name, int nice)
{
    return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "nice level %d of '%s' is not in -20 .. 19", nice, name ? name : "");
}

/* Which job it has become, where somebody wants to know. */
static simkit_result simkit__compute(simkit_world *world, const simkit_compute_desc *desc, uint32_t *index)
{
    simkit__node *node = simkit__node_of(world, desc->node);
    if (!node) return simkit__unknown_node(world, "computation", desc->name, desc->node);
    if (node->failed) return simkit__failed_node(world, "computation", desc->name, desc->node);
    if (!simkit__is_amount(desc->seconds)) return simkit__bad_number(world, "CPU time", desc->name, desc->seconds);
    double weight = contention_nice_weight(node->nice_rule, desc->nice);
    if (!(weight > 0)) return simkit__bad_nice(world, desc->name, desc->nice);
    simkit__class *c = NULL;
    if (!simkit__pool_reserve(world, &world->jobs, sizeof *world->jobs, &world->free_job) ||
        (node->keeps && !simkit__past_reserve(world, node)) ||
        !(c = simkit__class_for(world, node, desc->nice, weight))) /* last: a class would stay */
        return simkit__no_memory(world, "a computation");

    simkit__tag tag;
    tag.item = world->free_job;
    simkit__job *job = &world->jobs[tag.item];
    world->free_job = job->next;
    job->node = desc->node;
    job->begin = world->now;
    job->seconds = desc->seconds;
    job->name = desc->name;
    job->lane = desc->lane;
    job->done = desc->done;
    job->lost = desc->lost;
    job->user = desc->user;
    job->label = world->labels++;
    ++world->under_way;
    if (desc->computation) *desc->computation = simkit__computation_of(world, tag.item);

    simkit__node_advance(world, node);
    tag.finish = c->clock + desc->seconds;
    tag.number = job->label;
    simkit__tag_push(c->tags, tag);
    simkit__node_counts(world, node, true);
    *index = tag.item;
    simkit__node_reshare(world, node);
    simkit__job_tell(world, job, desc->node, SIMKIT_WATCH_BEGIN);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_compute_start(simkit_world *world, const simkit_compute_desc *desc)
{
    uint32_t index;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a computation needs a description");
    return simkit__compute(world, desc, &index);
}

/* Takes back a computation; nobody is told but the watchers, and they last: they may use up the stack of a process. A
 * process that waits for it goes on, if `wakes`. */
static void simkit__compute_cancel(simkit_world *w, simkit_node number, uint32_t index, bool wakes)
{
    simkit__node *node = &w->nodes[number - 1];
    if (node->failed) { /* it is lost already */
        w->jobs[index].lost = NULL;
        return;
    }
    simkit__node_advance(w, node);
    for (size_t i = 0; i < simkit__count(node->classes); ++i) {
        simkit__class *c = &node->classes[i];
        if (!simkit__tag_remove(c->tags, index)) continue;
        if (simkit__count(c->tags) == 0) c->clock = 0;
        simkit__node_counts(w, node, false);
        break;
    }
    const simkit__job job = w->jobs[index];
    simkit__job_free(w, index);
    simkit__node_reshare(w, node);
#ifndef SIMKIT_NO_PROCESSES
    if (wakes && job.lost == simkit__process_lost) simkit__process_cancelled(w, job.user);
#else
    (void)wakes;
#endif
    simkit__job_tell(w, &job, number, SIMKIT_WATCH_LOST);
}

SIMKIT_API bool simkit_compute_cancel(simkit_world *world, simkit_computation computation)
{
    const uint64_t place = computation >> 32;
    if (world) simkit__check_stack(world);
    if (!world || place == 0 || place > simkit__count(world->jobs)) return false;
    const simkit__job *job = &world->jobs[place - 1];
    if (job->node == 0 || simkit__computation_of(world, (uint32_t)(place - 1)) != computation) return false;
    if (world->nodes[job->node - 1].failed) return false; /* lost, and to be told so */
    simkit__compute_cancel(world, job->node, (uint32_t)(place - 1), true);
    return true;
}

/* All that computes there is lost. */
static void simkit__node_cut(simkit_world *w, simkit__node *node)
{
    uint32_t last = SIMKIT__NONE;
    node->failed = true;
    while (node->running > 0) simkit__node_counts(w, node, false);
    for (size_t i = 0; i < simkit__count(node->classes); ++i) {
        simkit__class *c = &node->classes[i];
        while (simkit__count(c->tags)) {
            const uint32_t index = simkit__tag_pop(c->tags).item;
            w->jobs[index].next = SIMKIT__NONE;
            if (last == SIMKIT__NONE)
                node->lost = index;
            else
                w->jobs[last].next = index;
            last = index;
        }
    }
    if (node->lost != SIMKIT__NONE)
        simkit__timer_arm(w, node->timer, w->now);
    else
        simkit__timer_disarm(w, node->timer);
    for (uint32_t i = node->lost; i != SIMKIT__NONE; i = w->jobs[i].next)
        simkit__job_tell(w, &w->jobs[i], (simkit_node)(node - w->nodes) + 1, SIMKIT_WATCH_LOST);
}

/* All else that a failed node takes with it. Goes on where it was, after a watcher has used up the stack of the process that
 * let the node fail. */
static void simkit__node_cut_rest(simkit_world *w)
{
    const simkit_node failed = w->failing;
    simkit__ends_cut(w, failed);
    simkit__mailboxes_cut(w, failed);
    if (w->watched & SIMKIT_WATCH_NODE && !w->failing_told) {
        simkit_watch_event event =
            simkit__event(SIMKIT_WATCH_NODE, SIMKIT_WATCH_LOST, w->now, w->nodes[failed - 1].name);
        event.node = failed;
        w->failing_told = true;
        simkit__tell(w, event);
    }
#ifndef SIMKIT_NO_PROCESSES
    simkit__processes_cut(w, failed); /* last: the caller may be one of them */
#else
    w->failing = 0;
#endif
}

SIMKIT_API simkit_result simkit_node_fail(simkit_world *world, simkit_node node)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    simkit__node *n = simkit__node_of(world, node);
    if (!n) return simkit__unknown_node(world, "failure", "", node);
    if (n->failed) return simkit__failed_node(world, "failure", "", node);
    if (world->unsettled) simkit__settle(world);
    world->failing = node;
    world->failing_told = false;
    simkit__node_cut(world, n);
    simkit__node_cut_rest(world);
    return SIMKIT_OK;
}

static void simkit__close_nodes(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->nodes); ++i) {
        simkit__node *node = &w->nodes[i];
        for (size_t c = 0; c < simkit__count(node->classes); ++c) simkit__discard(w, node->classes[c].tags);
        simkit__discard(w, node->classes);
        simkit__close_averages(w, node);
        simkit__discard(w, node->pairs);
        simkit__free_text(w, node->name);
    }
    simkit__discard(w, w->nodes);
    simkit__discard(w, w->jobs);
}

/*=============================================================================
 * MARK: - >>remembering (private)
 *
 * The body of loads. A node that keeps its past writes down when each of its computations came and went. A load average is
 * brought up to date from there when it is asked for.
 *===========================================================================*/
struct simkit__average {
    double beta, interval;
    double load;
    double samples; /* taken so far, counted from time 0 */
    size_t at;      /* in the past: what comes next */
    size_t running; /* before that */
};

SIMKIT_API simkit_result simkit_load_keep(simkit_world *world, simkit_node node)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    simkit__node *n = simkit__node_of(world, node);
    if (!n) return simkit__unknown_node(world, "load average", NULL, node);
    if (n->keeps) return SIMKIT_OK;
    if (!simkit__past_reserve(world, n)) return simkit__no_memory(world, "the past of a node");
    n->keeps = true;
    n->kept_since = world->now;
    n->kept_running = n->running;
    return SIMKIT_OK;
}

static void simkit__close_averages(simkit_world *w, simkit__node *node)
{
    simkit__discard(w, node->averages);
    simkit__discard(w, node->past);
}

/* How many whole intervals there are until a time, number * interval <= time; NaN if too many to count. */
static double simkit__multiples_until(double time, double interval)
{
    double number = floor(time / interval);
    if (!(number < 1e15)) return (double)NAN;
    while (number > 0 && simkit__times(number, interval) > time) number -= 1; /* by rounding */
    while (simkit__times(number + 1, interval) <= time) number += 1;
    return number;
}

/* Takes the samples until a time; so many have been running since the last. */
static void simkit__average_until(simkit__average *a, double time, size_t running)
{
    const double number = simkit__multiples_until(time, a->interval);
    if (!(number > a->samples)) return;
    a->load = contention_load_after(a->beta, a->load, (double)running, (uint64_t)(number - a->samples));
    a->samples = number;
}

static void simkit__average_catch_up(const simkit_world *w, const simkit__node *node, simkit__average *a)
{
    for (; a->at < simkit__count(node->past); ++a->at) {
        const double change = node->past[a->at];
        simkit__average_until(a, fabs(change), a->running);
        a->running += copysign(1.0, change) < 0 ? (size_t)-1 : 1;
    }
    simkit__average_until(a, w->now, a->running);
}

SIMKIT_API double simkit_load_average(simkit_world *world, simkit_node node, double beta, double interval)
{
    if (world) simkit__check_stack(world);
    simkit__node *n = world ? simkit__node_of(world, node) : NULL;
    if (!n || !n->keeps || !(beta >= 0 && beta <= 1) || !(interval > 0 && world->now / interval < 1e15))
        return (double)NAN;
    for (size_t i = 0; i < simkit__count(n->averages); ++i) {
        simkit__average *known = &n->averages[i];
        if (known->beta < beta || known->beta > beta || known->interval < interval || known->interval > interval)
            continue;
        simkit__average_catch_up(world, n, known);
        return known->load;
    }
    simkit__average fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.beta = beta;
    fresh.interval = interval;
    fresh.samples = simkit__multiples_until(n->kept_since, interval);
    fresh.running = n->kept_running;
    simkit__average_catch_up(world, n, &fresh);
    if (simkit__reserve(world, n->averages, 1)) simkit__push(n->averages, fresh); /* else reckoned anew next time */
    return fresh.load;
}

/*=============================================================================
 * MARK: - >>ends (private)
 *
 * How flows share the two ends they pass, by the rules of netmodel.h. Equal shares: a flow gets the smaller share of its
 * two ends, so it advances with the clock of that end, and only when the shares of its two ends trade places is it
 * accounted for and follows the other clock. Its finish tag stays where it is: as no flow advances faster than the clock of
 * either end, a tag is reached too early or in time, and then what is left gets a new tag. Max-min fair: the flows
 * that a change can reach get new rates, each. What came and went is settled at the end of its instant, once.
 *
 * A flow counts in seconds at its own rate, so that alone it takes exactly what its model says.
 *===========================================================================*/
struct simkit__flow {
    uint32_t next;        /* free list, the queue of a pair, or those that join at this instant */
    simkit_node from, to; /* from 0: free */
    uint32_t timer;
    uint32_t place[2]; /* among the members of its ends */
    bool in_order, modeled, flowing, failed;
    double latency, begin, bytes;
    const char *name;
    simkit_call *done, *lost;
    void *user;
    uint64_t label;
};

struct simkit__progress { /* of a flow; apart from it, for this is what others touch */
    double left;          /* [s] at its own rate, when the clock that it follows stood at `mark` */
    double mark;          /* max-min: the time itself */
    double share;         /* max-min: what it gets of its own rate */
    bool exact;           /* since its tag was made it has followed that clock only */
};

struct simkit__star { /* what settling needs */
    simkit_star policy;
    uint32_t *dirty;      /* ends */
    simkit_node *feeling; /* nodes */
    uint32_t first, last; /* flows that join */
    /* max-min: a problem for netmodel_starmax_rates() */
    uint32_t *number;  /* number[2 * nodes]: of an end; NONE: not in it */
    uint32_t *reached; /* ends; as many as are dirty */
    uint32_t *reached_flows;
    double *up, *down, *amounts, *solution;
    size_t *from, *to, *lists;
};

#define SIMKIT__MODELED UINT32_C(0x80000000)

static uint32_t simkit__end_number(simkit_node node, int side)
{
    return 2 * (node - 1) + (uint32_t)side;
}

static void simkit__end_due(simkit_world *w, void *user);

/* Room for a node more than `nodes`. */
static bool simkit__ends_reserve(simkit_world *w, size_t nodes)
{
    if (!w->star) {
        simkit__star *star = (simkit__star *)simkit__resize(w, NULL, 0, sizeof *star);
        if (!star) return false;
        memset(star, 0, sizeof *star);
        star->policy = w->policy;
        star->first = star->last = SIMKIT__NONE;
        w->star = star;
    }
    simkit__star *star = w->star;
    if (!simkit__reserve(w, w->ends, 2) || !simkit__reserve(w, w->rates, 2)) return false;
    if (!simkit__reserve(w, star->dirty, 2 * (nodes + 1) - simkit__count(star->dirty)) ||
        !simkit__reserve(w, star->feeling, nodes + 1 - simkit__count(star->feeling)))
        return false;
    if (star->policy == SIMKIT_STAR_EQUAL) return true;
    const size_t ends = 2 * (nodes + 1);
    return simkit__reserve(w, star->number, 2) && simkit__reserve(w, star->reached, ends) &&
           simkit__reserve(w, star->up, ends) && simkit__reserve(w, star->down, ends) &&
           simkit__reserve(w, star->amounts, 6 * ends) &&
           simkit__reserve(w, star->lists, 4 * ends + 2 * simkit__count(w->flows));
}

/* The ends of a node that was just added; there is room. */
static void simkit__ends_add(simkit_world *w, const simkit__node *node)
{
    for (int side = SIMKIT__UP; side <= SIMKIT__DOWN; ++side) {
        simkit__end end;
        memset(&end, 0, sizeof end);
        end.bandwidth = netmodel_link_bandwidth(side == SIMKIT__UP ? &node->up : &node->down);
        end.since = w->now;
        end.timer = simkit__timer_new(w, simkit__end_due, simkit__user_of((uint32_t)simkit__count(w->ends)));
        simkit__push(w->ends, end);
        simkit__push(w->rates, end.bandwidth);
        if (w->star->policy == SIMKIT_STAR_EQUAL) continue;
        w->ends[simkit__count(w->ends) - 1].since = 0; /* this clock is the time itself */
        w->ends[simkit__count(w->ends) - 1].crowd = 1;
        simkit__push(w->star->number, SIMKIT__NONE);
    }
}

/* Room for a flow more from one node to another. */
static bool simkit__ends_promise(simkit_world *w, simkit_node from, simkit_node to)
{
    const uint32_t ends[2] = { simkit__end_number(from, SIMKIT__UP), simkit__end_number(to, SIMKIT__DOWN) };
    for (int side = 0; side < 2; ++side) {
        simkit__end *end = &w->ends[ends[side]];
        if (!simkit__reserve(w, end->members, end->promised + 1 - simkit__count(end->members)) ||
            !simkit__reserve(w, end->tags, end->promised + 1 - simkit__count(end->tags)))
            return false;
    }
    simkit__star *star = w->star;
    if (star->policy != SIMKIT_STAR_EQUAL) {
        const size_t flows = simkit__count(w->flows), all_ends = simkit__count(w->ends);
        if (!simkit__reserve(w, star->reached_flows, flows) || !simkit__reserve(w, star->solution, flows) ||
            !simkit__reserve(w, star->from, flows) || !simkit__reserve(w, star->to, flows) ||
            !simkit__reserve(w, star->lists, 4 * all_ends + 2 * flows))
            return false;
    }
    ++w->ends[ends[0]].promised;
    ++w->ends[ends[1]].promised;
    return true;
}

static double simkit__end_clock(const simkit_world *w, const simkit__end *end)
{
    return w->now > end->since && end->crowd > 0 ? end->clock + (w->now - end->since) / end->crowd : end->clock;
}

static void simkit__end_advance(const simkit_world *w, simkit__end *end)
{
    end->clock = simkit__end_clock(w, end);
    end->since = w->now;
}

static void simkit__end_touch(simkit_world *w, uint32_t number)
{
    if (w->ends[number].dirty) return;
    w->ends[number].dirty = true;
    simkit__push(w->star->dirty, number);
    w->unsettled = true;
}

/* Seconds at its own rate that a flow advances in one second of the clock of an end. */
SIMKIT__INLINE double simkit__pull(const simkit__end *end, const simkit__end *other, bool modeled)
{
    if (modeled || end->bandwidth <= other->bandwidth) return 1;
    return end->bandwidth / other->bandwidth;
}

static uint32_t simkit__flow_end_number(const simkit__flow *flow, int side)
{
    return simkit__end_number(side == SIMKIT__UP ? flow->from : flow->to, side);
}

/* The end whose clock a flow follows: that of the smaller share, up where they are equal. */
static int simkit__flow_side(const simkit_world *w, const simkit__flow *flow)
{
    uint32_t up = simkit__flow_end_number(flow, SIMKIT__UP), down = simkit__flow_end_number(flow, SIMKIT__DOWN);
    bool is_up = flow->modeled ? w->ends[up].crowd >= w->ends[down].crowd : w->rates[up] <= w->rates[down];
    return is_up ? SIMKIT__UP : SIMKIT__DOWN;
}

/* Counts what a flow has advanced by the clock of one end; from now on it follows that of another. */
SIMKIT__INLINE void simkit__progress_account(const simkit_world *w, simkit__progress *progress, double pull,
                                             const simkit__end *was, const simkit__end *is)
{
    progress->left -= simkit__times(pull, simkit__end_clock(w, was) - progress->mark);
    progress->mark = simkit__end_clock(w, is);
    progress->exact = false;
}

/* Gives a flow a finish tag at the end that it follows. */
static void simkit__flow_tag(simkit_world *w, uint32_t index)
{
    const simkit__flow *flow = &w->flows[index];
    simkit__progress *progress = &w->progress[index];
    const int side = simkit__flow_side(w, flow);
    const uint32_t number = simkit__flow_end_number(flow, side);
    simkit__end *end = &w->ends[number];
    simkit__tag tag;
    progress->mark = simkit__end_clock(w, end);
    progress->exact = true;
    tag.finish = progress->mark +
                 progress->left / simkit__pull(end, &w->ends[simkit__flow_end_number(flow, !side)], flow->modeled);
    tag.number = flow->label;
    tag.item = index;
    simkit__tag_push(end->tags, tag);
    simkit__end_touch(w, number);
}

static void simkit__member_add(simkit_world *w, uint32_t index)
{
    simkit__flow *flow = &w->flows[index];
    for (int side = SIMKIT__UP; side <= SIMKIT__DOWN; ++side) {
        simkit__end *end = &w->ends[simkit__flow_end_number(flow, side)];
        simkit__member member;
        member.other = simkit__flow_end_number(flow, !side) | (flow->modeled ? SIMKIT__MODELED : 0);
        member.flow = index;
        flow->place[side] = (uint32_t)simkit__count(end->members);
        simkit__push(end->members, member);
    }
}

static void simkit__member_remove(simkit_world *w, const simkit__flow *flow)
{
    for (int side = SIMKIT__UP; side <= SIMKIT__DOWN; ++side) {
        simkit__end *end = &w->ends[simkit__flow_end_number(flow, side)];
        simkit__member moved = simkit__last(end->members);
        end->members[flow->place[side]] = moved;
        w->flows[moved.flow].place[side] = flow->place[side];
        simkit__drop(end->members);
    }
}

enum { SIMKIT__BATCH = 16 };

/* Members that now follow the clock of another end: away from this end, or to it. */
static void simkit__members_turn(simkit_world *w, const simkit__end *end, const simkit__member *turned, size_t count,
                                 bool away)
{
    for (size_t i = 0; i < count; ++i) {
        const simkit__end *other = &w->ends[turned[i].other & ~SIMKIT__MODELED];
        const bool modeled = turned[i].other & SIMKIT__MODELED;
        const simkit__end *was = away ? end : other, *is = away ? other : end;
        simkit__progress_account(w, &w->progress[turned[i].flow], simkit__pull(was, is, modeled), was, is);
    }
}

/* The crowd of an end has changed: those whose smaller share is now at another end follow that, and the other way. */
static void simkit__end_reshare(simkit_world *w, uint32_t number)
{
    simkit__end *end = &w->ends[number];
    const bool up = number % 2 == SIMKIT__UP;
    const double crowd = end->crowd, rate = w->rates[number];
    simkit__end_advance(w, end);
    if (end->flowing == 0) end->clock = 0; /* nobody follows it, so nobody feels it */
    end->crowd = (double)end->flowing;
    w->rates[number] = end->bandwidth / (end->flowing > 0 ? end->crowd : 1);

    /* Where shares are equal a flow follows the clock of its up end. So those turn whose other share lies between the
     * old and the new one, `less <= other < more` seen from an up end and `less < other <= more` from a down end. */
    const bool grew = end->crowd < crowd;
    const double less = grew ? rate : w->rates[number], more = grew ? w->rates[number] : rate;
    const double few = grew ? end->crowd : crowd, many = grew ? crowd : end->crowd;
    simkit__member turned[SIMKIT__BATCH];
    size_t turning = 0;
    for (size_t i = 0, count = simkit__count(end->members); i < count; ++i) {
        const simkit__member member = end->members[i];
        bool turns;
        if (member.other & SIMKIT__MODELED) {
            const double other = w->ends[member.other & ~SIMKIT__MODELED].crowd;
            turns = up ? (few < other) & (other <= many) : (few <= other) & (other < many);
        } else {
            const double other = w->rates[member.other];
            turns = up ? (less <= other) & (other < more) : (less < other) & (other <= more);
        }
        if (!turns) continue;
        SIMKIT__PREFETCH(&w->progress[member.flow]);
        turned[turning++] = member;
        if (turning < SIMKIT__BATCH) continue;
        simkit__members_turn(w, end, turned, turning, grew);
        turning = 0;
    }
    simkit__members_turn(w, end, turned, turning, grew);
}

static void simkit__end_set_timer(simkit_world *w, simkit__end *end)
{
    if (simkit__count(end->tags) == 0) {
        simkit__timer_disarm(w, end->timer);
        return;
    }
    double clock = simkit__end_clock(w, end), due = w->now;
    if (end->tags[0].finish > clock) due += simkit__times(end->tags[0].finish - clock, end->crowd);
    if (simkit__is_armed(&w->timers[end->timer]) && simkit__same(due, end->due)) return;
    end->due = due;
    simkit__timer_arm(w, end->timer, due);
}

/* Max-min: the ends that the dirty ones reach through flows, and with each all its flows. */
static void simkit__star_reach(simkit_world *w)
{
    simkit__star *star = w->star;
    size_t count = 0;
    for (size_t i = 0; i < simkit__count(star->dirty); ++i) {
        star->number[star->dirty[i]] = (uint32_t)count;
        star->reached[count++] = star->dirty[i];
    }
    for (size_t i = 0; i < count; ++i) {
        const simkit__member *members = w->ends[star->reached[i]].members;
        for (size_t m = 0; m < simkit__count(members); ++m) {
            uint32_t other = members[m].other & ~SIMKIT__MODELED;
            if (star->number[other] != SIMKIT__NONE) continue;
            star->number[other] = (uint32_t)count;
            star->reached[count++] = other;
            simkit__end_touch(w, other);
        }
    }
}

/* Max-min: new rates for all that the dirty ends reach. */
static void simkit__star_solve(simkit_world *w)
{
    simkit__star *star = w->star;
    size_t flows = 0;
    simkit__star_reach(w);
    const size_t ends = simkit__count(star->dirty);
    for (size_t i = 0; i < ends; ++i) {
        const simkit__end *end = &w->ends[star->reached[i]];
        const bool is_up = star->reached[i] % 2 == SIMKIT__UP;
        star->up[i] = is_up ? end->bandwidth : 0;
        star->down[i] = is_up ? 0 : end->bandwidth;
        for (size_t m = 0; is_up && m < simkit__count(end->members); ++m) {
            star->reached_flows[flows] = end->members[m].flow;
            star->from[flows] = i;
            star->to[flows++] = star->number[end->members[m].other & ~SIMKIT__MODELED];
        }
    }
    netmodel_result result = netmodel_starmax_rates(ends, star->up, star->down, flows, star->from, star->to, NULL,
                                                    star->solution, star->amounts, star->lists);
    SIMKIT_ASSERT(result == NETMODEL_OK);
    (void)result;
    for (size_t i = 0; i < ends; ++i) {
        simkit__tag *tags = w->ends[star->reached[i]].tags;
        while (simkit__count(tags)) simkit__drop(tags);
        star->number[star->reached[i]] = SIMKIT__NONE;
    }
    for (size_t i = 0; i < flows; ++i) {
        const simkit__flow *flow = &w->flows[star->reached_flows[i]];
        simkit__progress *progress = &w->progress[star->reached_flows[i]];
        const double up = star->up[star->from[i]], down = star->down[star->to[i]], alone = up < down ? up : down;
        const double share = alone < (double)INFINITY ? star->solution[i] / alone : 1;
        if (!simkit__same(share, progress->share)) {
            progress->left -= simkit__times(w->now - progress->mark, progress->share);
            if (progress->left < 0) progress->left = 0;
            progress->mark = w->now;
            progress->share = share;
        }
        simkit__tag tag;
        tag.finish = progress->mark + progress->left / share;
        tag.number = flow->label;
        tag.item = star->reached_flows[i];
        simkit__tag_push(w->ends[simkit__end_number(flow->from, SIMKIT__UP)].tags, tag);
    }
}

/* Settles what came and went at this instant. */
static void simkit__settle(simkit_world *w)
{
    simkit__star *star = w->star;
    const bool equal = star->policy == SIMKIT_STAR_EQUAL;
    for (size_t i = 0; equal && i < simkit__count(star->dirty); ++i)
        if (!simkit__same(w->ends[star->dirty[i]].crowd, (double)w->ends[star->dirty[i]].flowing))
            simkit__end_reshare(w, star->dirty[i]);
    while (star->first != SIMKIT__NONE) {
        uint32_t index = star->first;
        star->first = w->flows[index].next;
        simkit__member_add(w, index);
        if (equal)
            simkit__flow_tag(w, index);
        else
            w->progress[index].mark = w->now;
    }
    star->last = SIMKIT__NONE;
    if (!equal) simkit__star_solve(w);
    for (size_t i = 0; i < simkit__count(star->dirty); ++i) {
        simkit__end *end = &w->ends[star->dirty[i]];
        end->dirty = false;
        simkit__end_set_timer(w, end);
    }
    while (simkit__count(star->dirty)) simkit__drop(star->dirty);
    for (size_t i = 0; i < simkit__count(star->feeling); ++i) {
        simkit__node *node = &w->nodes[star->feeling[i] - 1];
        node->feels = false;
        if (node->failed) continue; /* its timer is for those who are to be told */
        simkit__node_advance(w, node);
        simkit__node_reshare(w, node);
    }
    while (simkit__count(star->feeling)) simkit__drop(star->feeling);
    w->unsettled = false;
}

static void simkit__close_ends(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->ends); ++i) {
        simkit__discard(w, w->ends[i].members);
        simkit__discard(w, w->ends[i].tags);
    }
    simkit__discard(w, w->ends);
    simkit__discard(w, w->rates);
    simkit__star *star = w->star;
    if (!star) return;
    simkit__discard(w, star->dirty);
    simkit__discard(w, star->feeling);
    simkit__discard(w, star->number);
    simkit__discard(w, star->reached);
    simkit__discard(w, star->reached_flows);
    simkit__discard(w, star->up);
    simkit__discard(w, star->down);
    simkit__discard(w, star->amounts);
    simkit__discard(w, star->solution);
    simkit__discard(w, star->from);
    simkit__discard(w, star->to);
    simkit__discard(w, star->lists);
    simkit__release(w, star, sizeof *star);
    w->star = NULL;
}

/*=============================================================================
 * MARK: - >>flows (private)
 *
 * The body of transfers: a flow waits for its turn on its connection, then waits out its latency, then its bytes share
 * both ends.
 *===========================================================================*/
static void simkit__flow_tell(simkit_world *w, const simkit__flow *flow, simkit_watch_phase phase)
{
    if (!(w->watched & SIMKIT_WATCH_TRANSFER)) return;
    simkit_watch_event event = simkit__event(SIMKIT_WATCH_TRANSFER, phase, flow->begin, flow->name);
    event.bytes = flow->bytes;
    event.node = flow->from;
    event.to = flow->to;
    event.number = flow->label;
    simkit__tell(w, event);
}

/* The first pair of a node that does not lie before `to`. */
static size_t simkit__pair_place(const simkit__node *node, simkit_node to)
{
    size_t low = 0, high = simkit__count(node->pairs);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (node->pairs[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static simkit__pair *simkit__pair_find(const simkit__node *node, simkit_node to)
{
    size_t place = simkit__pair_place(node, to);
    return place < simkit__count(node->pairs) && node->pairs[place].to == to ? &node->pairs[place] : NULL;
}

static simkit__pair *simkit__pair_make(simkit_world *w, simkit__node *node, simkit_node to)
{
    simkit__pair *found = simkit__pair_find(node, to);
    if (found) return found;
    if (!simkit__reserve(w, node->pairs, 1)) return NULL;
    simkit__pair fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.to = to;
    fresh.first = fresh.last = SIMKIT__NONE;
    size_t place = simkit__pair_place(node, to), count = simkit__count(node->pairs);
    simkit__push(node->pairs, fresh);
    memmove(&node->pairs[place + 1], &node->pairs[place], (count - place) * sizeof fresh);
    node->pairs[place] = fresh;
    return &node->pairs[place];
}

SIMKIT_API simkit_result simkit_transfer_model(simkit_world *world, simkit_node from, simkit_node to,
                                               const netmodel_link *model)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    simkit__node *node = simkit__node_of(world, from);
    if (!node || !simkit__node_of(world, to)) return simkit__unknown_node(world, "link", "", node ? to : from);
    if (!model || !simkit__is_amount(model->latency) || !simkit__is_amount(model->byte_time))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT,
                            "the link from '%s' to '%s' needs a finite, not negative "
                            "latency and byte time",
                            node->name, simkit_node_name(world, to));
    simkit__pair *pair = simkit__pair_make(world, node, to);
    if (!pair) return simkit__no_memory(world, "a link");
    pair->modeled = true;
    pair->model = *model;
    return SIMKIT_OK;
}

/* A flow has come (+1) or gone (-1) at both its ends. */
static void simkit__flow_count(simkit_world *w, const simkit__flow *flow, int by)
{
    for (int side = SIMKIT__UP; side <= SIMKIT__DOWN; ++side) {
        const uint32_t number = simkit__flow_end_number(flow, side);
        simkit__end *end = &w->ends[number];
        simkit__node *node = &w->nodes[number / 2];
        end->flowing = by > 0 ? end->flowing + 1 : end->flowing - 1;
        simkit__end_touch(w, number);
        if ((side == SIMKIT__UP ? node->cpu_per_outgoing : node->cpu_per_incoming) > 0 && !node->feels) {
            node->feels = true;
            simkit__push(w->star->feeling, number / 2 + 1);
        }
    }
}

static void simkit__flow_join(simkit_world *w, uint32_t index)
{
    simkit__flow *flow = &w->flows[index];
    simkit__star *star = w->star;
    flow->flowing = true;
    flow->next = SIMKIT__NONE;
    if (star->first == SIMKIT__NONE)
        star->first = index;
    else
        w->flows[star->last].next = index;
    star->last = index;
    simkit__flow_count(w, flow, +1);
}

static void simkit__flow_leave(simkit_world *w, uint32_t index)
{
    simkit__member_remove(w, &w->flows[index]);
    simkit__flow_count(w, &w->flows[index], -1);
}

static void simkit__flow_begin(simkit_world *w, uint32_t index)
{
    simkit__flow *flow = &w->flows[index];
    flow->begin = w->now;
    simkit__timer_arm(w, flow->timer, w->now + flow->latency);
    simkit__flow_tell(w, flow, SIMKIT_WATCH_BEGIN);
}

static void simkit__flow_free(simkit_world *w, uint32_t index)
{
    simkit__flow *flow = &w->flows[index];
    if (flow->from != flow->to) {
        --w->ends[simkit__flow_end_number(flow, SIMKIT__UP)].promised;
        --w->ends[simkit__flow_end_number(flow, SIMKIT__DOWN)].promised;
    }
    --w->under_way;
    simkit__timer_free(w, flow->timer);
    flow->from = 0;
    flow->next = w->free_flow;
    w->free_flow = index;
}

static void simkit__flow_end(simkit_world *w, uint32_t index)
{
    if (w->flows[index].flowing && w->flows[index].from != w->flows[index].to) simkit__flow_leave(w, index);
    const simkit__flow flow = w->flows[index];
    simkit__flow_tell(w, &flow, SIMKIT_WATCH_END); /* before the next on its connection begins */
    if (flow.in_order) {
        simkit__pair *pair = simkit__pair_find(&w->nodes[flow.from - 1], flow.to);
        uint32_t following = pair->first;
        if (following == SIMKIT__NONE) {
            pair->busy = false;
        } else {
            pair->first = w->flows[following].next;
            if (pair->first == SIMKIT__NONE) pair->last = SIMKIT__NONE;
            simkit__flow_begin(w, following);
        }
    }
    simkit__flow_free(w, index);
    if (flow.done) flow.done(w, flow.user);
}

static void simkit__flow_due(simkit_world *w, void *user)
{
    uint32_t index = simkit__index_of(user);
    simkit__flow *flow = &w->flows[index];
    const double left = w->progress[index].left;
    if (flow->failed) {
        const simkit__flow lost = *flow;
        simkit__flow_free(w, index);
        if (lost.lost) lost.lost(w, lost.user);
        return;
    }
    if (flow->flowing || left <= 0) { /* all bytes have arrived, or there were none that take time */
        simkit__flow_end(w, index);
        return;
    }
    simkit__flow_tell(w, flow, SIMKIT_WATCH_FLOW);
    if (flow->from != flow->to) {
        simkit__flow_join(w, index);
    } else { /* a node's transfers to itself share with nobody */
        flow->flowing = true;
        simkit__timer_arm(w, flow->timer, w->now + left);
    }
}

/* The first tag of an end is reached. */
static void simkit__end_due(simkit_world *w, void *user)
{
    const uint32_t number = simkit__index_of(user);
    simkit__end *end = &w->ends[number];
    const bool equal = w->star->policy == SIMKIT_STAR_EQUAL;
    if (equal) simkit__end_advance(w, end);
    const simkit__tag tag = simkit__tag_pop(end->tags);
    if (equal && end->clock < tag.finish) end->clock = tag.finish; /* to the bit, whatever rounding the way had */
    if (simkit__count(end->tags) && end->tags[0].finish <= simkit__end_clock(w, end)) {
        end->due = w->now;
        simkit__timer_arm(w, end->timer, w->now);
    } else {
        simkit__end_touch(w, number);
    }
    simkit__progress *progress = &w->progress[tag.item];
    if (equal && !progress->exact) {
        const simkit__flow *flow = &w->flows[tag.item];
        const int side = simkit__flow_side(w, flow);
        const simkit__end *follows = &w->ends[simkit__flow_end_number(flow, side)];
        const simkit__end *other = &w->ends[simkit__flow_end_number(flow, !side)];
        simkit__progress_account(w, progress, simkit__pull(follows, other, flow->modeled), follows, follows);
        if (progress->left > 0) {
            simkit__flow_tag(w, tag.item);
            return;
        }
    }
    simkit__flow_end(w, tag.item);
}

/* The link that a transfer would have to itself. */
static netmodel_link simkit__flow_link(const simkit_world *w, const simkit_transfer_desc *desc, bool *modeled)
{
    const simkit__node *from = &w->nodes[desc->from - 1], *to = &w->nodes[desc->to - 1];
    const simkit__pair *pair = simkit__pair_find(from, desc->to);
    netmodel_link link;
    memset(&link, 0, sizeof link);
    *modeled = pair && pair->modeled;
    if (*modeled) return pair->model;
    if (desc->from == desc->to) return link;
    link.latency = from->up.latency + to->down.latency;
    link.byte_time = from->up.byte_time > to->down.byte_time ? from->up.byte_time : to->down.byte_time;
    return link;
}

static simkit_result simkit__transfer_check(simkit_world *w, const simkit_transfer_desc *desc)
{
    const simkit__node *from = simkit__node_of(w, desc->from), *to = simkit__node_of(w, desc->to);
    if (!from || !to) return simkit__unknown_node(w, "transfer", desc->name, from ? desc->to : desc->from);
    if (from->failed || to->failed)
        return simkit__failed_node(w, "transfer", desc->name, from->failed ? desc->from : desc->to);
    return simkit__is_amount(desc->bytes) ? SIMKIT_OK : simkit__bad_number(w, "size", desc->name, desc->bytes);
}

/* Whether it waits for nothing: not for others on its connection, and it takes no time. */
static bool simkit__transfer_is_instant(const simkit_world *w, const simkit_transfer_desc *desc)
{
    bool modeled;
    if (desc->in_order) return false;
    const netmodel_link link = simkit__flow_link(w, desc, &modeled);
    return link.latency <= 0 && (desc->bytes <= 0 || link.byte_time <= 0);
}

/* Starts a transfer that was checked. */
static simkit_result simkit__transfer(simkit_world *world, const simkit_transfer_desc *desc)
{
    simkit__node *from = simkit__node_of(world, desc->from);
    simkit__pair *pair = NULL;
    if ((desc->in_order && !(pair = simkit__pair_make(world, from, desc->to))) ||
        !simkit__pool_reserve(world, &world->flows, sizeof *world->flows, &world->free_flow) ||
        !simkit__reserve(world, world->progress, simkit__count(world->flows)))
        return simkit__no_memory(world, "a transfer");
    uint32_t index = world->free_flow;
    uint32_t timer = simkit__timer_new(world, simkit__flow_due, simkit__user_of(index));
    if (timer == SIMKIT__NONE) return simkit__no_memory(world, "a transfer");
    if (desc->from != desc->to && !simkit__ends_promise(world, desc->from, desc->to)) {
        simkit__timer_free(world, timer);
        return simkit__no_memory(world, "a transfer");
    }

    simkit__flow *flow = &world->flows[index];
    world->free_flow = flow->next;
    memset(flow, 0, sizeof *flow);
    netmodel_link link = simkit__flow_link(world, desc, &flow->modeled);
    flow->next = SIMKIT__NONE;
    flow->from = desc->from;
    flow->to = desc->to;
    flow->timer = timer;
    flow->latency = link.latency;
    link.latency = 0;
    memset(&world->progress[index], 0, sizeof world->progress[index]);
    world->progress[index].left = netmodel_link_time(&link, desc->bytes);
    flow->bytes = desc->bytes;
    flow->begin = world->now;
    flow->in_order = desc->in_order;
    flow->name = desc->name;
    flow->done = desc->done;
    flow->lost = desc->lost;
    flow->user = desc->user;
    flow->label = world->labels++;
    ++world->under_way;
    const bool begins = !pair || !pair->busy;
    if (begins) {
        if (pair) pair->busy = true;
        simkit__timer_arm(world, timer, world->now + flow->latency);
    } else {
        if (pair->last == SIMKIT__NONE)
            pair->first = index;
        else
            world->flows[pair->last].next = index;
        pair->last = index;
    }
    simkit__flow_tell(world, flow, SIMKIT_WATCH_ASKED); /* last: a watcher may use up the stack of a process */
    if (begins) simkit__flow_tell(world, flow, SIMKIT_WATCH_BEGIN);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_transfer_start(simkit_world *world, const simkit_transfer_desc *desc)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a transfer needs a description");
    const simkit_result result = simkit__transfer_check(world, desc);
    return result == SIMKIT_OK ? simkit__transfer(world, desc) : result;
}

/* All transfers from and to a failed node break off; each is told of at its own timer. */
static void simkit__ends_cut(simkit_world *w, simkit_node failed)
{
    for (uint32_t i = 0; i < simkit__count(w->flows); ++i) {
        simkit__flow *flow = &w->flows[i];
        if (flow->from == 0 || flow->failed || (flow->from != failed && flow->to != failed)) continue;
        if (flow->flowing && flow->from != flow->to) {
            for (int side = SIMKIT__UP; side <= SIMKIT__DOWN; ++side) {
                simkit__end *end = &w->ends[simkit__flow_end_number(flow, side)];
                if (!simkit__tag_remove(end->tags, i)) continue;
                simkit__timer_disarm(w, end->timer); /* it may have been for this one; settling sets it */
                break;
            }
            simkit__flow_leave(w, i);
        }
        if (flow->in_order) { /* those behind it break off, too */
            simkit__pair *pair = simkit__pair_find(&w->nodes[flow->from - 1], flow->to);
            pair->first = pair->last = SIMKIT__NONE;
        }
        flow->failed = true;
        simkit__timer_arm(w, flow->timer, w->now);
        simkit__flow_tell(w, flow, SIMKIT_WATCH_LOST);
    }
}

static void simkit__close_flows(simkit_world *w)
{
    simkit__close_ends(w);
    simkit__discard(w, w->flows);
    simkit__discard(w, w->progress);
}

/*=============================================================================
 * MARK: - >>posting (private)
 *
 * The body of mailboxes: letters that have arrived and takers that wait, never both at once.
 *===========================================================================*/
typedef struct simkit__line { /* a queue through a pool */
    uint32_t first, last;
    size_t count;
} simkit__line;

struct simkit__mailbox {
    char *name;
    simkit_node node;
    bool closed;
    simkit__line letters, takers;
};

struct simkit__letter {
    uint32_t next;
    simkit_mailbox to;
    simkit_message message;
    simkit_call *done, *lost;
    void *user;
    /* What takes no time is no flow, but a step of its own. For that: */
    uint32_t timer; /* 1 + its number, kept for the next letter in this place; 0: none so far */
    bool travels, failed;
    const char *name;
    uint64_t label;
};

struct simkit__taker {
    uint32_t next;
    uint32_t timer;          /* of a process: its own */
    uint32_t letter;         /* what it was given; NONE: the mailbox was closed */
    simkit_receive *receive; /* NULL: a process, which looks after its taker itself */
    void *user;
};

SIMKIT__INLINE simkit__mailbox *simkit__mailbox_of(const simkit_world *w, simkit_mailbox mailbox)
{
    return mailbox >= 1 && mailbox <= simkit__count(w->mailboxes) ? &w->mailboxes[mailbox - 1] : NULL;
}

/* SIMKIT_OK if somebody can receive there. */
SIMKIT__INLINE simkit_result simkit__mailbox_check(simkit_world *w, simkit_mailbox mailbox, const char *what)
{
    const simkit__mailbox *box = simkit__mailbox_of(w, mailbox);
    if (!box)
        return simkit__fail(w, SIMKIT_UNKNOWN_MAILBOX, "%s names mailbox %lu, but the mailboxes are 1 .. %lu", what,
                            (unsigned long)mailbox, (unsigned long)simkit__count(w->mailboxes));
    if (box->closed)
        return simkit__fail(w, SIMKIT_NO_RECEIVER, "%s: mailbox '%s' on node '%s' is closed, nobody can receive there",
                            what, box->name, simkit_node_name(w, box->node));
    return SIMKIT_OK;
}

/* Both pools link through their first member, so one pair of functions serves both. */
SIMKIT__INLINE void simkit__line_add(simkit__line *line, void *pool, size_t element, uint32_t index)
{
    const uint32_t none = SIMKIT__NONE;
    memcpy((char *)pool + index * element, &none, sizeof none);
    if (line->first == SIMKIT__NONE)
        line->first = index;
    else
        memcpy((char *)pool + line->last * element, &index, sizeof index);
    line->last = index;
    ++line->count;
}

SIMKIT__INLINE uint32_t simkit__line_take(simkit__line *line, const void *pool, size_t element)
{
    uint32_t index = line->first;
    if (index == SIMKIT__NONE) return index;
    memcpy(&line->first, (const char *)pool + index * element, sizeof line->first);
    if (line->first == SIMKIT__NONE) line->last = SIMKIT__NONE;
    --line->count;
    return index;
}

#ifndef SIMKIT_NO_PROCESSES
/* Back to the front of a line. */
static void simkit__line_return(simkit__line *line, void *pool, size_t element, uint32_t index)
{
    memcpy((char *)pool + index * element, &line->first, sizeof line->first);
    if (line->first == SIMKIT__NONE) line->last = index;
    line->first = index;
    ++line->count;
}

/* Out of the middle; harmless if it is not there. */
static void simkit__line_remove(simkit__line *line, void *pool, size_t element, uint32_t index)
{
    uint32_t before = SIMKIT__NONE, next;
    for (uint32_t at = line->first; at != SIMKIT__NONE; before = at, at = next) {
        memcpy(&next, (char *)pool + at * element, sizeof next);
        if (at != index) continue;
        if (before == SIMKIT__NONE)
            line->first = next;
        else
            memcpy((char *)pool + before * element, &next, sizeof next);
        if (line->last == index) line->last = before;
        --line->count;
        return;
    }
}
#endif

SIMKIT__INLINE void simkit__letter_free(simkit_world *w, uint32_t index)
{
    w->letters[index].next = w->free_letter;
    w->free_letter = index;
}

SIMKIT__INLINE void simkit__taker_free(simkit_world *w, uint32_t index)
{
    w->takers[index].next = w->free_taker;
    w->free_taker = index;
}

/* What a receiver gets, for the fingerprint; NULL: its mailbox was closed. */
static void simkit__message_tell(simkit_world *w, uint64_t receiver, const simkit_message *message)
{
    if (!(w->watched & SIMKIT__WATCH_MESSAGE)) return;
    const uint64_t words[] = { simkit__bits(w->now),
                               SIMKIT__WATCH_MESSAGE,
                               receiver,
                               message ? message->from : 0,
                               message ? simkit__bits(message->sent) : 0,
                               message ? simkit__bits(message->bytes) : 0 };
    simkit__fold(w, words, sizeof words / sizeof words[0]);
}

static void simkit__taker_due(simkit_world *w, void *user)
{
    uint32_t index = simkit__index_of(user);
    const simkit__taker taker = w->takers[index];
    simkit__timer_free(w, taker.timer);
    simkit__taker_free(w, index);
    if (taker.letter == SIMKIT__NONE) {
        simkit__message_tell(w, index, NULL);
        taker.receive(w, taker.user, NULL);
        return;
    }
    simkit_message message = w->letters[taker.letter].message;
    simkit__letter_free(w, taker.letter);
    simkit__message_tell(w, index, &message);
    taker.receive(w, taker.user, &message);
}

/* Gives a letter to the first who waits, if somebody does. */
SIMKIT__INLINE bool simkit__letter_give(simkit_world *w, simkit__mailbox *box, uint32_t index)
{
    uint32_t taker = simkit__line_take(&box->takers, w->takers, sizeof *w->takers);
    if (taker == SIMKIT__NONE) return false;
    w->takers[taker].letter = index;
    simkit__timer_arm_now(w, w->takers[taker].timer);
    return true;
}

static void simkit__letter_arrived(simkit_world *w, void *user)
{
    uint32_t index = simkit__index_of(user);
    simkit__letter *letter = &w->letters[index];
    simkit_call *done = letter->done;
    void *done_user = letter->user;
    simkit__mailbox *box = &w->mailboxes[letter->to - 1];
    letter->message.arrived = w->now;
    if (box->closed)
        simkit__letter_free(w, index);
    else if (!simkit__letter_give(w, box, index))
        simkit__line_add(&box->letters, w->letters, sizeof *w->letters, index);
    if (done) done(w, done_user);
}

static void simkit__letter_lost(simkit_world *w, void *user)
{
    const simkit__letter letter = w->letters[simkit__index_of(user)];
    simkit__letter_free(w, simkit__index_of(user));
    if (letter.lost) letter.lost(w, letter.user);
}

/* The watchers see the transfer that it stands for. */
SIMKIT__INLINE void simkit__letter_tell(simkit_world *w, const simkit__letter *letter, simkit_watch_phase phase)
{
    if (!(w->watched & SIMKIT_WATCH_TRANSFER)) return;
    simkit_watch_event event = simkit__event(SIMKIT_WATCH_TRANSFER, phase, letter->message.sent, letter->name);
    event.bytes = letter->message.bytes;
    event.node = letter->message.from;
    event.to = w->mailboxes[letter->to - 1].node;
    event.number = letter->label;
    simkit__tell(w, event);
}

/* The step of a letter that takes no time. */
static void simkit__letter_due(simkit_world *w, void *user)
{
    simkit__letter *letter = &w->letters[simkit__index_of(user)];
    letter->travels = false;
    if (letter->failed) {
        simkit__letter_lost(w, user);
        return;
    }
    simkit__letter_tell(w, letter, SIMKIT_WATCH_END);
    simkit__letter_arrived(w, user);
}

#ifndef SIMKIT_NO_PROCESSES
/* Whether nobody is called when it is due, so that it does not matter on which stack. */
SIMKIT__INLINE bool simkit__letter_is_quiet(const simkit_world *w, void *user)
{
    const simkit__letter *letter = &w->letters[simkit__index_of(user)];
    return !letter->done && !letter->failed;
}
#endif

/* Room for a letter, with a timer of its own if it is one that takes no time. */
SIMKIT__INLINE bool simkit__letter_reserve(simkit_world *w, bool instant)
{
    if (w->free_letter == SIMKIT__NONE && !simkit__pool_reserve(w, &w->letters, sizeof *w->letters, &w->free_letter))
        return false;
    simkit__letter *letter = &w->letters[w->free_letter];
    if (!instant || letter->timer) return true;
    letter->timer = 1 + simkit__timer_new(w, simkit__letter_due, simkit__user_of(w->free_letter)); /* 1 + NONE is 0 */
    return letter->timer;
}

SIMKIT_API simkit_result simkit_mailbox_open(simkit_world *world, simkit_node node, const char *name,
                                             simkit_mailbox *mailbox)
{
    if (mailbox) *mailbox = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!mailbox) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a mailbox needs somewhere to put its number");
    if (!simkit__node_of(world, node)) return simkit__unknown_node(world, "mailbox", name, node);
    if (simkit__node_of(world, node)->failed) return simkit__failed_node(world, "mailbox", name, node);
    char counted[32];
    size_t place = simkit__count(world->mailboxes);
    if (!name) {
        snprintf(counted, sizeof counted, "mailbox %lu", (unsigned long)place + 1);
        name = counted;
    }
    simkit__mailbox fresh;
    memset(&fresh, 0, sizeof fresh);
    if (!simkit__reserve(world, world->mailboxes, 1) || !(fresh.name = simkit__copy_text(world, name)))
        return simkit__no_memory(world, "a mailbox");
    fresh.node = node;
    fresh.letters.first = fresh.letters.last = fresh.takers.first = fresh.takers.last = SIMKIT__NONE;
    simkit__push(world->mailboxes, fresh);
    *mailbox = (simkit_mailbox)place + 1;
    return SIMKIT_OK;
}

static void simkit__mailbox_shut(simkit_world *w, simkit__mailbox *box)
{
    box->closed = true;
    for (uint32_t i; (i = simkit__line_take(&box->letters, w->letters, sizeof *w->letters)) != SIMKIT__NONE;)
        simkit__letter_free(w, i);
    while (simkit__letter_give(w, box, SIMKIT__NONE)) {
    }
}

SIMKIT_API simkit_result simkit_mailbox_close(simkit_world *world, simkit_mailbox mailbox)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    simkit_result result = simkit__mailbox_check(world, mailbox, "a call to close");
    if (result == SIMKIT_OK) simkit__mailbox_shut(world, simkit__mailbox_of(world, mailbox));
    return result;
}

static void simkit__mailboxes_cut(simkit_world *w, simkit_node failed)
{
    for (size_t i = 0; i < simkit__count(w->mailboxes); ++i)
        if (w->mailboxes[i].node == failed && !w->mailboxes[i].closed) simkit__mailbox_shut(w, &w->mailboxes[i]);
    for (size_t i = 0; i < simkit__count(w->letters); ++i) {
        simkit__letter *letter = &w->letters[i];
        if (!letter->travels || letter->failed) continue;
        if (letter->message.from != failed && w->mailboxes[letter->to - 1].node != failed) continue;
        letter->failed = true;
        simkit__timer_arm(w, letter->timer - 1, w->now);
        simkit__letter_tell(w, letter, SIMKIT_WATCH_LOST);
    }
}

/* Which letter it has become, where somebody wants to know. */
static simkit_result simkit__post(simkit_world *world, const simkit_post_desc *desc, uint32_t *number)
{
    simkit_result result = simkit__mailbox_check(world, desc->to, "a message");
    if (result != SIMKIT_OK) return result;
    simkit_transfer_desc transfer;
    memset(&transfer, 0, sizeof transfer);
    transfer.from = desc->from;
    transfer.to = simkit__mailbox_of(world, desc->to)->node;
    transfer.bytes = desc->bytes;
    transfer.in_order = desc->in_order;
    transfer.name = desc->name;
    if ((result = simkit__transfer_check(world, &transfer)) != SIMKIT_OK) return result;
    const bool instant = simkit__transfer_is_instant(world, &transfer);
    if (!simkit__letter_reserve(world, instant)) return simkit__no_memory(world, "a message");
    const uint32_t index = world->free_letter;
    simkit__letter *letter = &world->letters[index];
    transfer.done = simkit__letter_arrived;
    transfer.lost = simkit__letter_lost;
    transfer.user = simkit__user_of(index);
    world->free_letter = letter->next;
    letter->to = desc->to;
    letter->message.from = desc->from;
    letter->message.bytes = desc->bytes;
    letter->message.sent = world->now;
    letter->message.arrived = (double)NAN;
    letter->message.data = desc->data;
    letter->done = desc->done;
    letter->lost = desc->lost;
    letter->user = desc->user;
    *number = index;
    if (!instant) {
        result = simkit__transfer(world, &transfer);
        if (result != SIMKIT_OK) simkit__letter_free(world, index);
        return result;
    }
    letter->travels = true;
    letter->failed = false;
    letter->name = desc->name;
    letter->label = world->labels++;
    simkit__timer_arm_now(world, letter->timer - 1);
    simkit__letter_tell(world, letter, SIMKIT_WATCH_ASKED);
    simkit__letter_tell(world, letter, SIMKIT_WATCH_BEGIN);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_mailbox_post(simkit_world *world, const simkit_post_desc *desc)
{
    uint32_t number;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a message needs a description");
    return simkit__post(world, desc, &number);
}

SIMKIT_API simkit_result simkit_mailbox_take(simkit_world *world, simkit_mailbox mailbox, simkit_receive *receive,
                                             void *user)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!receive) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a receiver needs a function to call");
    simkit_result result = simkit__mailbox_check(world, mailbox, "a receiver");
    if (result != SIMKIT_OK) return result;
    if (!simkit__pool_reserve(world, &world->takers, sizeof *world->takers, &world->free_taker))
        return simkit__no_memory(world, "a receiver");
    uint32_t index = world->free_taker;
    uint32_t timer = simkit__timer_new(world, simkit__taker_due, simkit__user_of(index));
    if (timer == SIMKIT__NONE) return simkit__no_memory(world, "a receiver");
    simkit__taker *taker = &world->takers[index];
    world->free_taker = taker->next;
    taker->timer = timer;
    taker->receive = receive;
    taker->user = user;
    simkit__mailbox *box = simkit__mailbox_of(world, mailbox);
    taker->letter = simkit__line_take(&box->letters, world->letters, sizeof *world->letters);
    if (taker->letter == SIMKIT__NONE)
        simkit__line_add(&box->takers, world->takers, sizeof *world->takers, index);
    else
        simkit__timer_arm(world, timer, world->now);
    return SIMKIT_OK;
}

SIMKIT_API size_t simkit_mailbox_count(const simkit_world *world, simkit_mailbox mailbox)
{
    const simkit__mailbox *box = world ? simkit__mailbox_of(world, mailbox) : NULL;
    return box ? box->letters.count : 0;
}

static void simkit__close_mailboxes(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->mailboxes); ++i) simkit__free_text(w, w->mailboxes[i].name);
    simkit__discard(w, w->mailboxes);
    simkit__discard(w, w->letters);
    simkit__discard(w, w->takers);
}

#ifndef SIMKIT_NO_PROCESSES
/*=============================================================================
 * MARK: - >>switching (private)
 *
 * One stack to another: registers that a callee keeps go to the old stack, the stack pointer changes, and the other
 * side goes on. Assembly for x86-64 and aarch64, ucontext elsewhere. Floating-point control words are not switched.
 * Sanitizers are told where a stack begins and ends.
 *===========================================================================*/
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(SIMKIT_USE_UCONTEXT)
#define SIMKIT__ASSEMBLY
#else
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SIMKIT__ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMKIT__ASAN
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SIMKIT__TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIMKIT__TSAN
#endif
#endif
#ifdef SIMKIT__ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SIMKIT__TSAN
#include <sanitizer/tsan_interface.h>
#endif
#ifdef SIMKIT_VALGRIND
#include <valgrind/memcheck.h>
#endif

#if defined(SIMKIT__ASAN) || defined(SIMKIT__TSAN)
#define SIMKIT__STACK_BYTES ((size_t)256 * 1024)
#else
#define SIMKIT__STACK_BYTES ((size_t)64 * 1024)
#endif
#define SIMKIT__STACK_LEAST ((size_t)8 * 1024)
#define SIMKIT__STACK_MARGIN                                                                                           \
    ((size_t)4 * 1024) /* for the engine: 1.7 KiB, without optimization 2.4, for a sentence 3.5 */
#define SIMKIT__STACK_MOST ((size_t)1 << 30)

struct simkit__context {
#ifdef SIMKIT__ASSEMBLY
    void *stack_pointer;
#else
    ucontext_t registers;
#endif
    char *stack; /* lowest byte; of the host's own stack only sanitizers learn it */
    size_t stack_bytes;
#ifdef SIMKIT__ASAN
    void *fake_stack;
#endif
#ifdef SIMKIT__TSAN
    void *fiber;
#endif
};

static void simkit__process_main(void *argument);

#ifdef SIMKIT__ASSEMBLY
#if defined(__AVX512F__)
#define SIMKIT__AVX512_CLOBBERS                                                                                        \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",      \
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define SIMKIT__AVX512_CLOBBERS
#endif

/* Leaves through `from`, enters at `to`; a fresh stack begins in simkit__process_main(argument). It stands where it is
 * called, for a return would be predicted wrongly; so all registers but the stack's and the frame's are clobbered, and
 * the compiler saves what it needs of them, on the old stack. */
SIMKIT__INLINE void simkit__switch_stack(void **from, void *to, void *argument)
{
#if defined(__x86_64__)
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t" /* over the red zone */
                     "pushq %%rbp\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "movq %%rsp, (%0)\n\t"
                     "movq %2, %%rdi\n\t"
                     "movq %1, %%rsp\n\t"
                     "popq %%rax\n\t"
                     "jmpq *%%rax\n\t"
                     "1:\n\t"
                     "popq %%rbp\n\t"
                     "leaq 128(%%rsp), %%rsp\n\t"
                     : "+S"(from), "+d"(to), "+c"(argument)
                     :
                     : "rax", "rbx", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",
                       "st(7)" SIMKIT__AVX512_CLOBBERS);
#else
    __asm__ volatile("stp x29, x30, [sp, #-16]!\n\t"
                     "adr x9, 1f\n\t"
                     "stp x9, x18, [sp, #-16]!\n\t" /* x18: some systems forbid to name it below */
                     "mov x10, sp\n\t"
                     "str x10, [%0]\n\t"
                     "mov x0, %2\n\t"
                     "mov sp, %1\n\t"
                     "ldp x9, x18, [sp], #16\n\t"
                     "br x9\n\t"
                     "1:\n\t"
                     "ldp x29, x30, [sp], #16\n\t"
                     : "+r"(from), "+r"(to), "+r"(argument)
                     :
                     : "x0", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
                       "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "memory", "cc", "v0", "v1",
                       "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
                       "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
                       "v31");
#endif
}
#else
static void simkit__ucontext_main(unsigned high, unsigned low)
{
    simkit__process_main((void *)(uintptr_t)((uint64_t)high << 32 | low));
}
#endif

static void simkit__context_prepare(simkit__context *context, void *argument)
{
#ifdef SIMKIT__TSAN
    context->fiber = __tsan_create_fiber(0);
#endif
#ifdef SIMKIT__ASSEMBLY
    void (*entry)(void *) = simkit__process_main;
    char *top = context->stack + context->stack_bytes;
    top -= (uintptr_t)top % 16 + 32;
    memset(top, 0, 32);
    memcpy(top, &entry, sizeof entry); /* where the first switch goes; behind it a return address of 0 */
    context->stack_pointer = top;
    (void)argument;
#else
    uint64_t bits = (uint64_t)(uintptr_t)argument;
    getcontext(&context->registers);
    context->registers.uc_link = NULL;
    context->registers.uc_stack.ss_sp = context->stack;
    context->registers.uc_stack.ss_size = context->stack_bytes;
    makecontext(&context->registers, (void (*)(void))simkit__ucontext_main, 2, (unsigned)(bits >> 32), (unsigned)bits);
#endif
}

#ifdef SIMKIT__ASAN
/* Tells the sanitizer that the switch is done, and learns where the stack of the other side lies. */
static void simkit__context_arrive(void *fake_stack, simkit__context *other)
{
    const void *stack = NULL;
    __sanitizer_finish_switch_fiber(fake_stack, &stack, &other->stack_bytes);
    memcpy(&other->stack, &stack, sizeof stack);
}
#endif

/* Comes back when somebody switches to `from` again; never if it is `leaving` for good. Then `*left` is where that one
 * came from. */
SIMKIT__INLINE void simkit__context_switch(simkit__context *from, simkit__context *to, void *argument, bool leaving,
                                           simkit__context *const *left)
{
#ifdef SIMKIT__ASAN
    __sanitizer_start_switch_fiber(leaving ? NULL : &from->fake_stack, to->stack, to->stack_bytes);
#endif
#ifdef SIMKIT__TSAN
    __tsan_switch_to_fiber(to->fiber, 0);
#endif
    (void)leaving;
#ifdef SIMKIT__ASSEMBLY
    simkit__switch_stack(&from->stack_pointer, to->stack_pointer, argument);
#else
    (void)argument;
    swapcontext(&from->registers, &to->registers);
#endif
#ifdef SIMKIT__ASAN
    simkit__context_arrive(from->fake_stack, *left);
#endif
    (void)left;
}

/*=============================================================================
 * MARK: - >>stacks (private)
 *
 * Where stacks come from. A block is, from below, a guard, the stack, and the process itself, so that a process that
 * does little stays on one page. From the C library's world blocks are mapped, many at once and without a map of their
 * own each: so there can be a million. The guard is one that needs no map where the kernel has such (Linux 6.13), else
 * a protected page for the first thousand. Elsewhere, and with a hook of the host, there is a canary instead. Blocks
 * are an odd number of pages, and processes begin at different places of a page: else all would share a few cache lines.
 *===========================================================================*/
#if defined(__linux__) && defined(SIMKIT__ASSEMBLY)
#define SIMKIT__MAPPED
#include <sys/mman.h>
#include <unistd.h>
/* What the C library hides under -std=c99; the same on x86-64 and aarch64. */
#define SIMKIT__MAP_FLAGS (0x02 | 0x20 | 0x4000) /* MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE */
#define SIMKIT__NOHUGEPAGE 15
#define SIMKIT__GUARD_INSTALL 102
#ifndef __cplusplus
int madvise(void *, size_t, int);
#endif
#endif

#define SIMKIT__CANARY UINT64_C(0x9d3c5a71e846b2f0) /* at the far end of a stack: gone after an overflow */
#define SIMKIT__PAINT 0xa5
#define SIMKIT__GUARD ((size_t)16 * 1024)
#define SIMKIT__SLAB_MOST 1024 /* blocks */
#define SIMKIT__GUARDED_MOST 1000

typedef enum simkit__state {
    SIMKIT__READY,     /* to begin, or resumed: its timer is set for now */
    SIMKIT__RUNNING,   /* it has the processor */
    SIMKIT__HOLDING,   /* until its timer */
    SIMKIT__COMPUTING, /* until its computation is done */
    SIMKIT__SENDING,   /* until its message has arrived */
    SIMKIT__RECEIVING, /* until a message is there */
    SIMKIT__SUSPENDED, /* until somebody resumes it */
    SIMKIT__ENDED
} simkit__state;

struct simkit__process {
    simkit_world *world;
    simkit__state state;
    uint32_t timer;
    simkit_result answer; /* of the wait */
    bool guarded, measured;
#ifdef SIMKIT_VALGRIND
    unsigned valgrind;
#endif
    simkit__context context;
    uint32_t seat;
    uint32_t item; /* computing, sending, receiving: job, letter, taker */
    uint32_t at;   /* computing: node; receiving: mailbox */
    simkit_node node;
    const char *on; /* suspended on this */
    simkit_call *body;
    void *user;
    char *block;
    size_t block_bytes;
    char name[32]; /* empty: made when it is asked for */
};

struct simkit__stacks { /* of one size */
    size_t block_bytes;
    simkit__process *spare; /* linked through `user` */
    char *fresh;            /* of the latest slab, what was never used */
    size_t fresh_blocks, slab_blocks;
};

struct simkit__slab {
    char *blocks;
    size_t bytes;
};

/* What differs between mapped blocks and those of a hook. */
static bool simkit__is_mapped(const simkit_world *w)
{
#ifdef SIMKIT__MAPPED
    return w->reallocate == simkit__reallocate_c;
#else
    (void)w;
    return false;
#endif
}

static size_t simkit__block_bytes(const simkit_world *w, size_t stack_bytes)
{
    size_t bytes = (stack_bytes + 15) / 16 * 16 + (sizeof(simkit__process) + 63) / 64 * 64 + 64;
#ifdef SIMKIT__MAPPED
    if (simkit__is_mapped(w)) {
        const size_t page = w->page;
        bytes += SIMKIT__GUARD + 2048; /* different places of a page */
        bytes = (bytes + page - 1) / page;
        bytes = (bytes | 1) * page;
    }
#endif
    (void)w;
    return bytes;
}

/* A block that was never used; NULL without memory. */
static char *simkit__block_fresh(simkit_world *w, simkit__stacks *stacks)
{
    if (!simkit__is_mapped(w)) return (char *)simkit__resize(w, NULL, 0, stacks->block_bytes);
#ifdef SIMKIT__MAPPED
    if (stacks->fresh_blocks == 0) {
        simkit__slab slab;
        size_t blocks = stacks->slab_blocks < SIMKIT__SLAB_MOST ? 2 * stacks->slab_blocks + 16 : SIMKIT__SLAB_MOST;
        if (!simkit__reserve(w, w->slabs, 1)) return NULL;
        slab.bytes = blocks * stacks->block_bytes;
        void *blocks_at = mmap(NULL, slab.bytes, PROT_READ | PROT_WRITE, SIMKIT__MAP_FLAGS, -1, 0);
        if (blocks_at == (void *)-1) return NULL;
        slab.blocks = (char *)blocks_at;
        madvise(slab.blocks, slab.bytes, SIMKIT__NOHUGEPAGE); /* a huge page would be a whole slab of small stacks */
        simkit__push(w->slabs, slab);
        stacks->fresh = slab.blocks;
        stacks->fresh_blocks = stacks->slab_blocks = blocks;
    }
    char *block = stacks->fresh;
    stacks->fresh += stacks->block_bytes;
    --stacks->fresh_blocks;
    w->memory += stacks->block_bytes;
    if (w->memory > w->memory_peak) w->memory_peak = w->memory;
    return block;
#else
    return NULL;
#endif
}

#ifdef SIMKIT__MAPPED
static bool simkit__block_guard(simkit_world *w, char *block)
{
    if (madvise(block, SIMKIT__GUARD, SIMKIT__GUARD_INSTALL) == 0) return true;
    if (w->guarded == SIMKIT__GUARDED_MOST || mprotect(block, SIMKIT__GUARD, PROT_NONE) != 0) return false;
    ++w->guarded;
    return true;
}
#endif

/* A process with a stack, all zero else; NULL without memory. */
static simkit__process *simkit__stack_get(simkit_world *w, size_t stack_bytes)
{
    const size_t bytes = simkit__block_bytes(w, stack_bytes);
    size_t which = 0;
    while (which < simkit__count(w->stacks) && w->stacks[which].block_bytes != bytes) ++which;
    if (which == simkit__count(w->stacks)) {
        simkit__stacks fresh;
        memset(&fresh, 0, sizeof fresh);
        fresh.block_bytes = bytes;
        if (!simkit__reserve(w, w->stacks, 1)) return NULL;
        simkit__push(w->stacks, fresh);
    }
    simkit__stacks *stacks = &w->stacks[which];
    simkit__process *process = stacks->spare;
    char *block;
    bool guarded = false;
    if (process) {
        stacks->spare = (simkit__process *)process->user;
        block = process->block;
        guarded = process->guarded;
    } else {
        block = simkit__block_fresh(w, stacks);
        if (!block) return NULL;
        size_t top = bytes - (sizeof *process + 63) / 64 * 64;
        top -= (size_t)((uintptr_t)(block + top) % 64);
#ifdef SIMKIT__MAPPED
        if (simkit__is_mapped(w)) {
            top -= stacks->fresh_blocks % 8 * 256;
            guarded = simkit__block_guard(w, block);
        }
#endif
        process = (simkit__process *)(void *)(block + top);
    }
    memset(process, 0, sizeof *process);
    process->block = block;
    process->block_bytes = bytes;
    process->guarded = guarded;
    process->context.stack = block + (simkit__is_mapped(w) ? SIMKIT__GUARD : 0);
    process->context.stack_bytes = (size_t)((char *)process - process->context.stack);
#ifdef SIMKIT__ASAN
    __asan_unpoison_memory_region(process->context.stack, process->context.stack_bytes); /* what its last owner left */
#endif
#ifdef SIMKIT_VALGRIND
    process->valgrind =
        VALGRIND_STACK_REGISTER(process->context.stack, process->context.stack + process->context.stack_bytes);
#endif
    const uint64_t canary = SIMKIT__CANARY;
    if (!guarded) memcpy(process->context.stack, &canary, sizeof canary);
    return process;
}

static void simkit__stack_put(simkit_world *w, simkit__process *process)
{
#ifdef SIMKIT__TSAN
    __tsan_destroy_fiber(process->context.fiber);
#endif
#ifdef SIMKIT__ASAN
    __asan_unpoison_memory_region(process->context.stack, process->context.stack_bytes);
#endif
#ifdef SIMKIT_VALGRIND
    VALGRIND_STACK_DEREGISTER(process->valgrind);
#endif
    for (size_t i = 0; i < simkit__count(w->stacks); ++i) {
        if (w->stacks[i].block_bytes != process->block_bytes) continue;
        process->user = w->stacks[i].spare;
        w->stacks[i].spare = process;
    }
}

static bool simkit__stack_is_sound(const simkit__process *process)
{
    uint64_t canary;
    if (process->guarded) return true;
    memcpy(&canary, process->context.stack, sizeof canary);
    return canary == SIMKIT__CANARY;
}

/* Whether a call of the engine could run into what lies below the stack of its caller. Not if that is on a stack of its
 * own, as a handler of signals. */
SIMKIT__INLINE bool simkit__stack_is_short(const simkit__process *process)
{
#if defined(__GNUC__)
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
#else
    const char local = 0;
    const uintptr_t here = (uintptr_t)&local;
#endif
    return here - ((uintptr_t)process->context.stack - SIMKIT__GUARD) < SIMKIT__GUARD + SIMKIT__STACK_MARGIN;
}

static void simkit__stack_paint(simkit__process *process)
{
    const size_t from = sizeof(uint64_t); /* over the canary */
    memset(process->context.stack + from, SIMKIT__PAINT, process->context.stack_bytes - from);
    process->measured = true;
}

static size_t simkit__stack_used(const simkit__process *process)
{
    size_t at = sizeof(uint64_t);
    for (; at < process->context.stack_bytes; ++at) {
        unsigned char byte = (unsigned char)process->context.stack[at];
#ifdef SIMKIT_VALGRIND
        (void)VALGRIND_MAKE_MEM_DEFINED(&byte, 1); /* the paint, or what a frame left that is gone */
#endif
        if (byte != SIMKIT__PAINT) break;
    }
    return process->context.stack_bytes - at;
}

static void simkit__close_stacks(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->stacks); ++i)
        for (simkit__process *process = w->stacks[i].spare, *next; process; process = next) {
            next = (simkit__process *)process->user;
            if (simkit__is_mapped(w))
                w->memory -= process->block_bytes;
            else
                simkit__release(w, process->block, process->block_bytes);
        }
#ifdef SIMKIT__MAPPED
    for (size_t i = 0; i < simkit__count(w->slabs); ++i) munmap(w->slabs[i].blocks, w->slabs[i].bytes);
#endif
    simkit__discard(w, w->slabs);
    simkit__discard(w, w->stacks);
}

/*=============================================================================
 * MARK: - >>scheduling (private)
 *
 * The body of processes. The world's loop runs on the host's stack; entering a process switches to its stack until it
 * waits or ends. Then it looks itself what is due next: if that is a process, it switches there at once, or goes on if
 * it is its own turn; all else is left to the loop. Whoever wakes a process does it from a step, so one runs at a time
 * and never inside another. A process that ends gives back its stack when another one stands on its own.
 *===========================================================================*/
struct simkit__seat { /* what a handle points at */
    uint32_t next;
    uint32_t generation;
    simkit__process *process; /* NULL: free */
};

static const char *simkit__process_name(simkit__process *process)
{
    if (!process->name[0])
        snprintf(process->name, sizeof process->name, "process %lu", (unsigned long)process->seat + 1);
    return process->name;
}

static simkit__process *simkit__process_of(const simkit_world *w, simkit_process process)
{
    const uint32_t index = simkit__handle_index(process);
    if (process == 0 || index >= simkit__count(w->seats)) return NULL;
    return w->seats[index].generation == (uint32_t)(process >> 32) ? w->seats[index].process : NULL;
}

static void simkit__process_free(simkit_world *w, simkit__process *process)
{
    simkit__timer_free(w, process->timer);
    simkit__seat *seat = &w->seats[process->seat];
    seat->process = NULL;
    if (++seat->generation != UINT32_MAX) {
        seat->next = w->free_seat;
        w->free_seat = process->seat;
    }
    simkit__stack_put(w, process);
}

SIMKIT__INLINE void simkit__process_tell(simkit__process *process, simkit_watch_phase phase)
{
    simkit_world *w = process->world;
    if (!(w->watched & SIMKIT_WATCH_PROCESS)) return;
    simkit_watch_event event = simkit__event(SIMKIT_WATCH_PROCESS, phase, w->now, simkit__process_name(process));
    event.node = process->node;
    event.number = process->seat + 1;
    simkit__tell(w, event);
}

/* Nothing that a process asked for will look for it. */
static void simkit__process_forget(simkit_world *w, simkit__process *process)
{
    const uint32_t item = process->item;
    if (item == SIMKIT__NONE) return;
    process->item = SIMKIT__NONE;
    simkit__timer_disarm(w, process->timer);
    if (process->state == SIMKIT__COMPUTING) {
        simkit__compute_cancel(w, process->at, item, false);
    } else if (process->state == SIMKIT__SENDING) {
        w->letters[item].done = w->letters[item].lost = NULL;
    } else if (process->state == SIMKIT__RECEIVING) {
        simkit__mailbox *box = &w->mailboxes[process->at - 1];
        const uint32_t letter = w->takers[item].letter;
        simkit__line_remove(&box->takers, w->takers, sizeof *w->takers, item);
        simkit__taker_free(w, item);
        if (letter != SIMKIT__NONE && box->closed)
            simkit__letter_free(w, letter);
        else if (letter != SIMKIT__NONE && !simkit__letter_give(w, box, letter))
            simkit__line_return(&box->letters, w->letters, sizeof *w->letters, letter);
    }
}

/* On a stack again: gives back that of a process that has ended. */
static void simkit__arrived(simkit_world *w)
{
    if (!w->ended) return;
    simkit__process *ended = w->ended;
    w->ended = NULL;
    if (ended->state != SIMKIT__ENDED) { /* by an overflow, wherever it was */
        w->current = NULL;
        simkit__process_forget(w, ended);
        simkit__process_tell(ended, SIMKIT_WATCH_END);
        simkit__fail(w, SIMKIT_STACK_OVERFLOW, "process '%s' has used more than its %lu bytes of stack",
                     simkit__process_name(ended), (unsigned long)ended->context.stack_bytes);
    }
    simkit__process_free(w, ended);
    if (w->failing) simkit__node_cut_rest(w);
}

/* From one stack, the host's or a process's, to another. Comes back when somebody switches here again. */
static void simkit__switch(simkit_world *w, simkit__context *from, simkit__context *to, simkit__process *process,
                           bool leaving)
{
    w->left = from;
    simkit__context_switch(from, to, process, leaving, &w->left);
    simkit__arrived(w);
}

/* Gives the processor to a process, from the host's stack. */
static void simkit__process_enter(simkit_world *w, void *user)
{
    simkit__process *process = (simkit__process *)user;
    SIMKIT_ASSERT(!w->current);
    simkit__process_tell(process, SIMKIT_WATCH_GO);
    process->state = SIMKIT__RUNNING;
    w->current = process;
#ifdef SIMKIT__TSAN
    w->home->fiber = __tsan_get_current_fiber();
#endif
    simkit__switch(w, w->home, &process->context, process, false);
}

/* The current process has used more than its stack: ends it and the run. Does not come back. What is to be done about it
 * is done on the host's stack, for here is none left. */
SIMKIT__COLD void simkit__process_overflows(simkit_world *w)
{
    simkit__process *process = w->current;
    w->broken = SIMKIT_STACK_OVERFLOW;
    w->ended = process; /* it stays the current one until then: a fault in the switch must find it */
    simkit__switch(w, &process->context, w->home, NULL, true);
}

/* Something else is to happen, now that the current process waits or has ended: goes where it happens. */
static void simkit__process_leave(simkit_world *w, bool ends)
{
    simkit__process *process = w->current, *other = NULL;
    if (!simkit__stack_is_sound(process)) simkit__process_overflows(w);
    simkit__process_tell(process, ends ? SIMKIT_WATCH_END : SIMKIT_WATCH_WAIT);
    if (ends) {
        process->state = SIMKIT__ENDED;
        w->ended = process;
    }
    for (uint32_t index; (index = simkit__next(w)) != SIMKIT__NONE;) {
        simkit__timer *timer = &w->timers[index];
        if (w->watched) { /* watchers need stack */
            w->handed = index;
            break;
        }
        if (timer->call == simkit__process_enter && timer->next == SIMKIT__ARMED) {
            timer->next = SIMKIT__IDLE;
            ++w->steps;
            other = (simkit__process *)timer->user;
            break;
        }
        if (timer->call != simkit__letter_due || !simkit__letter_is_quiet(w, timer->user)) {
            w->handed = index;
            break;
        }
        timer->next = SIMKIT__IDLE;
        ++w->steps;
        simkit__letter_due(w, timer->user);
    }
    w->current = other;
    if (!other) {
        simkit__switch(w, &process->context, w->home, NULL, ends);
        return;
    }
    other->state = SIMKIT__RUNNING;
    if (other != process) simkit__switch(w, &process->context, &other->context, other, ends);
}

static void simkit__process_main(void *argument)
{
    simkit__process *process = (simkit__process *)argument;
    simkit_world *w = process->world;
#ifdef SIMKIT__ASAN
    simkit__context_arrive(NULL, w->left);
#endif
    simkit__arrived(w);
    process->body(w, process->user);
    simkit__process_leave(w, true);
    abort(); /* nobody enters a process that has ended, and there is nothing to return to */
}

/* Gives the processor back; what woke it left the answer. */
static simkit_result simkit__process_yield(simkit_world *w, simkit__state state)
{
    simkit__process *process = w->current;
    process->state = state;
    process->answer = SIMKIT_OK;
    simkit__process_leave(w, false);
    return process->answer;
}

/* The node of its computation or of its message has failed. */
static void simkit__process_lost(simkit_world *w, void *user)
{
    simkit__process *process = (simkit__process *)user;
    process->answer =
        simkit__fail(w, SIMKIT_NODE_FAILED, "process '%s' %s a node that has failed", simkit__process_name(process),
                     process->state == SIMKIT__COMPUTING ? "computed on" : "sent from or to");
    simkit__process_enter(w, process);
}

/* Its computation was taken back. */
static void simkit__process_cancelled(simkit_world *w, void *user)
{
    simkit__process *process = (simkit__process *)user;
    process->state = SIMKIT__READY;
    process->answer = SIMKIT_CANCELLED;
    simkit__timer_arm_now(w, process->timer);
}

/* Ends a process that waits. */
static void simkit__process_end(simkit_world *w, simkit__process *process)
{
    simkit__process_forget(w, process);
    simkit__process_tell(process, SIMKIT_WATCH_LOST);
    simkit__process_free(w, process);
}

static void simkit__processes_cut(simkit_world *w, simkit_node failed)
{
    for (size_t i = 0; i < simkit__count(w->seats); ++i) {
        simkit__process *process = w->seats[i].process;
        if (process && process->node == failed && process != w->current) simkit__process_end(w, process);
    }
    w->failing = 0;
    if (w->current && w->current->node == failed) simkit__process_leave(w, true);
}

SIMKIT_API simkit_result simkit_process_kill(simkit_world *world, simkit_process process)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    simkit__process *p = simkit__process_of(world, process);
    if (!p) return simkit__fail(world, SIMKIT_UNKNOWN_PROCESS, "a process to kill does not exist, or has ended");
    if (p == world->current)
        simkit__process_leave(world, true);
    else
        simkit__process_end(world, p);
    return SIMKIT_OK;
}

SIMKIT_API size_t simkit_process_stack(simkit_world *world, simkit_process process, size_t *used)
{
    const simkit__process *p = world ? simkit__process_of(world, process) : NULL;
    if (used) *used = p && p->measured ? simkit__stack_used(p) : 0;
    return p ? p->context.stack_bytes : 0;
}

SIMKIT_API bool simkit_process_overflow(simkit_world *world, const void *address)
{
    simkit__process *process = world ? world->current : NULL;
    if (!process || !process->guarded) return false;
    const uintptr_t fault = (uintptr_t)address, guard = (uintptr_t)process->block;
    if (fault < guard || fault >= guard + SIMKIT__GUARD) return false;
    simkit__process_overflows(world);
    return true;
}

static void simkit__process_check(simkit_world *w)
{
    if (simkit__stack_is_short(w->current)) simkit__process_overflows(w);
}

/* The current process, which has the stack for a call that waits, and has asked for nothing yet. */
SIMKIT__INLINE simkit__process *simkit__process_asks(simkit_world *w)
{
    simkit__process *process = w->current;
    simkit__process_check(w);
    process->item = SIMKIT__NONE;
    return process;
}

static simkit_result simkit__process_refused(simkit__process *process, simkit_result result)
{
    process->state = SIMKIT__RUNNING;
    return result;
}

static simkit_result simkit__not_in_process(simkit_world *w, const char *call)
{
    return simkit__fail(w, SIMKIT_BAD_CALL, "%s was called outside a process", call);
}

SIMKIT_API simkit_result simkit_process_start(simkit_world *world, const simkit_process_desc *desc,
                                              simkit_process *process)
{
    if (process) *process = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!desc || !desc->body) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a process needs a body");
    if (desc->node != 0) {
        const simkit__node *node = simkit__node_of(world, desc->node);
        if (!node) return simkit__unknown_node(world, "process", desc->name, desc->node);
        if (node->failed) return simkit__failed_node(world, "process", desc->name, desc->node);
    }
    const size_t stack_bytes = desc->stack_bytes ? desc->stack_bytes : SIMKIT__STACK_BYTES;
    if (stack_bytes < SIMKIT__STACK_LEAST || stack_bytes > SIMKIT__STACK_MOST)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a stack of %lu bytes for '%s' is not in %lu .. %lu",
                            (unsigned long)desc->stack_bytes, desc->name ? desc->name : "",
                            (unsigned long)SIMKIT__STACK_LEAST, (unsigned long)SIMKIT__STACK_MOST);
    if (!world->home) {
        world->home = (simkit__context *)simkit__resize(world, NULL, 0, sizeof *world->home);
        if (!world->home) return simkit__no_memory(world, "a process");
        memset(world->home, 0, sizeof *world->home);
#ifdef SIMKIT__MAPPED
        world->page = (size_t)sysconf(_SC_PAGESIZE);
#endif
    }
    if (world->free_seat == SIMKIT__NONE &&
        !simkit__pool_reserve(world, &world->seats, sizeof *world->seats, &world->free_seat))
        return simkit__no_memory(world, "a process");
    if (!simkit__timers_reserve(world, 1)) return simkit__no_memory(world, "a process");
    simkit__process *p = simkit__stack_get(world, stack_bytes);
    if (!p) return simkit__no_memory(world, "a process");
    p->timer = simkit__timer_new(world, simkit__process_enter, p);
    p->seat = world->free_seat;
    simkit__seat *seat = &world->seats[p->seat];
    world->free_seat = seat->next;
    seat->process = p;
    p->world = world;
    p->body = desc->body;
    p->user = desc->user;
    p->node = desc->node;
    if (desc->name) {
        size_t length = strlen(desc->name);
        if (length >= sizeof p->name) length = sizeof p->name - 1;
        memcpy(p->name, desc->name, length);
    }
    if (desc->measure_stack) simkit__stack_paint(p);
    simkit__context_prepare(&p->context, p);
    simkit__process_tell(p, SIMKIT_WATCH_BEGIN);
    simkit__timer_arm(world, p->timer, world->now);
    if (process) *process = simkit__handle(p->seat, seat->generation);
    return SIMKIT_OK;
}

SIMKIT_API simkit_process simkit_process_self(const simkit_world *world)
{
    if (!world || !world->current) return 0;
    return simkit__handle(world->current->seat, world->seats[world->current->seat].generation);
}

SIMKIT_API simkit_result simkit_process_wait(simkit_world *world, double seconds)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!world->current) return simkit__not_in_process(world, "simkit_process_wait");
    simkit__process_check(world);
    if (!simkit__is_amount(seconds) || !simkit__is_amount(world->now + seconds))
        return simkit__fail(world, SIMKIT_BAD_TIME, "process '%s' asked to wait for %s s",
                            simkit__process_name(world->current), simkit__show(world, seconds));
    /* who runs has no timer armed */
    simkit__timer_set(world, world->current->timer, world->now + seconds, 0, SIMKIT__ARMED);
    return simkit__process_yield(world, SIMKIT__HOLDING);
}

SIMKIT_API simkit_result simkit_process_compute(simkit_world *world, const simkit_compute_desc *desc)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!world->current) return simkit__not_in_process(world, "simkit_process_compute");
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a computation needs a description");
    simkit__process *process = simkit__process_asks(world);
    simkit_compute_desc own = *desc;
    if (own.node == 0) own.node = process->node;
    own.done = simkit__process_enter;
    own.lost = simkit__process_lost;
    own.user = process;
    process->at = own.node;
    process->state = SIMKIT__COMPUTING;
    simkit_result result = simkit__compute(world, &own, &process->item);
    if (result != SIMKIT_OK) return simkit__process_refused(process, result);
    result = simkit__process_yield(world, SIMKIT__COMPUTING);
    if (result == SIMKIT_CANCELLED)
        simkit__fail(world, result, "computation '%s' of process '%s' was cancelled", own.name ? own.name : "",
                     simkit__process_name(process));
    return result;
}

SIMKIT_API simkit_result simkit_process_send(simkit_world *world, const simkit_post_desc *desc)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!world->current) return simkit__not_in_process(world, "simkit_process_send");
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a message needs a description");
    simkit__process *process = simkit__process_asks(world);
    simkit_post_desc own = *desc;
    if (own.from == 0) own.from = process->node;
    own.done = simkit__process_enter;
    own.lost = simkit__process_lost;
    own.user = process;
    process->state = SIMKIT__SENDING;
    simkit_result result = simkit__post(world, &own, &process->item);
    if (result != SIMKIT_OK) return simkit__process_refused(process, result);
    return simkit__process_yield(world, SIMKIT__SENDING);
}

SIMKIT_API simkit_result simkit_process_receive(simkit_world *world, simkit_mailbox mailbox, simkit_message *message)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!world->current) return simkit__not_in_process(world, "simkit_process_receive");
    simkit__process *process = simkit__process_asks(world);
    simkit_result result = simkit__mailbox_check(world, mailbox, "a receiver");
    if (result != SIMKIT_OK) return result;
    simkit__mailbox *box = simkit__mailbox_of(world, mailbox);
    uint32_t letter = simkit__line_take(&box->letters, world->letters, sizeof *world->letters);
    if (letter == SIMKIT__NONE) {
        if (world->free_taker == SIMKIT__NONE &&
            !simkit__pool_reserve(world, &world->takers, sizeof *world->takers, &world->free_taker))
            return simkit__no_memory(world, "a receiver");
        const uint32_t index = process->item = world->free_taker;
        simkit__taker *taker = &world->takers[index];
        world->free_taker = taker->next;
        taker->timer = process->timer;
        taker->letter = SIMKIT__NONE;
        taker->receive = NULL;
        taker->user = process;
        process->at = mailbox;
        simkit__line_add(&box->takers, world->takers, sizeof *world->takers, index);
        simkit__process_yield(world, SIMKIT__RECEIVING);
        letter = world->takers[index].letter;
        simkit__taker_free(world, index);
        if (letter == SIMKIT__NONE) {
            simkit__message_tell(world, process->seat, NULL);
            return simkit__fail(world, SIMKIT_NO_RECEIVER, "mailbox '%s' was closed while '%s' waited there",
                                world->mailboxes[mailbox - 1].name, simkit__process_name(process));
        }
    }
    simkit__message_tell(world, process->seat, &world->letters[letter].message);
    if (message) *message = world->letters[letter].message;
    simkit__letter_free(world, letter);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_process_suspend(simkit_world *world, const char *on)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!world->current) return simkit__not_in_process(world, "simkit_process_suspend");
    simkit__process_check(world);
    world->current->on = on;
    return simkit__process_yield(world, SIMKIT__SUSPENDED);
}

SIMKIT_API simkit_result simkit_process_resume(simkit_world *world, simkit_process process)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    simkit__process *p = simkit__process_of(world, process);
    if (!p) return simkit__fail(world, SIMKIT_UNKNOWN_PROCESS, "a process to resume does not exist, or has ended");
    if (p->state != SIMKIT__SUSPENDED)
        return simkit__fail(world, SIMKIT_BAD_CALL, "process '%s' is not suspended, so it cannot be resumed",
                            simkit__process_name(p));
    p->state = SIMKIT__READY;
    simkit__timer_arm_now(world, p->timer);
    return SIMKIT_OK;
}

SIMKIT__FORMAT(2, 3)
static void simkit__add_why(simkit_world *w, const char *format, ...)
{
    size_t used = strlen(w->why);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->why + used, sizeof w->why - used, format, arguments);
    va_end(arguments);
}

/* SIMKIT_OK if no process is left; otherwise who waits, and on what. */
static simkit_result simkit__deadlock(simkit_world *w)
{
    enum { NAMED = 5 };
    size_t waiting = 0;
    for (size_t i = 0; i < simkit__count(w->seats); ++i)
        if (w->seats[i].process) ++waiting;
    if (waiting == 0) return SIMKIT_OK;
    simkit__fail(w, SIMKIT_DEADLOCK, "nothing is left to happen, but %lu process%s wait%s:", (unsigned long)waiting,
                 waiting == 1 ? "" : "es", waiting == 1 ? "s" : "");
    size_t named = 0;
    for (size_t i = 0; i < simkit__count(w->seats) && named < NAMED; ++i) {
        simkit__process *process = w->seats[i].process;
        if (!process) continue;
        simkit__add_why(w, "%s '%s'", named++ ? ";" : "", simkit__process_name(process));
        if (process->node) simkit__add_why(w, " on node '%s'", simkit_node_name(w, process->node));
        if (process->state == SIMKIT__RECEIVING)
            simkit__add_why(w, " for a message in mailbox '%s'", w->mailboxes[process->at - 1].name);
        else
            simkit__add_why(w, " is suspended%s%s", process->on ? " on " : "", process->on ? process->on : "");
    }
    if (waiting > NAMED) simkit__add_why(w, "; and %lu more", (unsigned long)(waiting - NAMED));
    return SIMKIT_DEADLOCK;
}

static void simkit__close_processes(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->seats); ++i)
        if (w->seats[i].process) simkit__process_free(w, w->seats[i].process);
    simkit__close_stacks(w);
    simkit__discard(w, w->seats);
    if (w->home) simkit__release(w, w->home, sizeof *w->home);
}
#endif

/*=============================================================================
 * MARK: - >>choosing (private)
 *
 * The body of operations. Times are kept for each parameter, in the order of appearance; the last one found is tried
 * first, because programs go from one size to the next.
 *===========================================================================*/
#define SIMKIT__SAMPLES 64

typedef struct simkit__measure {
    double parameter, mean; /* of all, when there are as many as wanted */
    unsigned count;
    double times[SIMKIT__SAMPLES];
} simkit__measure;

struct simkit__operation {
    char name[32];
    simkit_operation_desc desc;
    uint64_t runs, reused;
    simkit__measure *measures;
    size_t last; /* of them, found */
};

static double simkit__sample_middle(double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static void simkit__sort_doubles(double *values, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        double value = values[i];
        size_t place = i;
        for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
        values[place] = value;
    }
}

/* The mean of what is no outlier; sorts the times. */
static double simkit__robust_mean(double *times, size_t count)
{
    double far[SIMKIT__SAMPLES], sum = 0;
    size_t kept = 0;
    simkit__sort_doubles(times, count);
    const double middle = simkit__sample_middle(times, count);
    for (size_t i = 0; i < count; ++i) far[i] = fabs(times[i] - middle);
    simkit__sort_doubles(far, count);
    const double limit = 4.4478 * simkit__sample_middle(far, count);
    for (size_t i = 0; i < count; ++i) {
        if (fabs(times[i] - middle) > limit) continue;
        sum += times[i];
        ++kept;
    }
    return kept ? sum / (double)kept : middle;
}

SIMKIT_API simkit_result simkit_operation_add(simkit_world *world, const simkit_operation_desc *desc,
                                              simkit_operation *operation)
{
    simkit__operation fresh;
    if (operation) *operation = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!desc || !operation) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "an operation needs a description");
    memset(&fresh, 0, sizeof fresh);
    if (desc->name)
        snprintf(fresh.name, sizeof fresh.name, "%.31s", desc->name);
    else
        snprintf(fresh.name, sizeof fresh.name, "operation %lu", (unsigned long)simkit__count(world->operations) + 1);
    if ((unsigned)desc->policy > SIMKIT_MODEL || desc->first > SIMKIT__SAMPLES)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "operation '%s': no such policy, or more than %u measurements",
                            fresh.name, (unsigned)SIMKIT__SAMPLES);
    if (!simkit__is_amount(desc->seconds)) return simkit__bad_number(world, "duration", fresh.name, desc->seconds);
    fresh.desc = *desc;
    fresh.desc.name = NULL; /* the caller's */
    if (desc->first == 0) fresh.desc.first = 5;
    if (!simkit__reserve(world, world->operations, 1)) return simkit__no_memory(world, "an operation");
    simkit__push(world->operations, fresh);
    *operation = (simkit_operation)simkit__count(world->operations);
    return SIMKIT_OK;
}

/* What is known for a parameter; NULL without memory. */
static simkit__measure *simkit__measure_for(simkit_world *w, simkit__operation *o, double parameter)
{
    size_t count = simkit__count(o->measures);
    for (size_t turn = 0; turn < count; ++turn) {
        size_t i = (o->last + turn) % count;
        if (!(o->measures[i].parameter < parameter) && !(o->measures[i].parameter > parameter)) {
            o->last = i;
            return &o->measures[i];
        }
    }
    simkit__measure fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.parameter = parameter;
    if (!simkit__reserve(w, o->measures, 1)) return NULL;
    simkit__push(o->measures, fresh);
    o->last = count;
    return &simkit__last(o->measures);
}

SIMKIT_API double simkit_operation_clock(const simkit_world *world)
{
    if (!world) return (double)NAN;
    if (world->processor_time) return world->processor_time(world->processor_time_user);
    return (double)clock() / CLOCKS_PER_SEC;
}

static simkit__operation *simkit__operation_of(simkit_world *w, simkit_operation operation, double parameter)
{
    if (operation > 0 && operation <= simkit__count(w->operations) && simkit__same(parameter, parameter))
        return &w->operations[operation - 1];
    simkit__fail(w, SIMKIT_BAD_ARGUMENT, "operation %lu cannot be run: unknown, or without a body or a parameter",
                 (unsigned long)operation);
    return NULL;
}

SIMKIT_API simkit_result simkit_operation_begin(simkit_world *world, simkit_operation operation, double parameter,
                                                bool *run, double *seconds)
{
    if (seconds) *seconds = 0;
    if (run) *run = false;
    if (!world || !run || !seconds) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    simkit__operation *o = simkit__operation_of(world, operation, parameter);
    if (!o) return SIMKIT_BAD_ARGUMENT;
    if (o->desc.policy == SIMKIT_MODEL) {
        double model = o->desc.model ? o->desc.model(parameter, o->desc.user) : o->desc.seconds;
        o = &world->operations[operation - 1]; /* the model may have added some, which moves all */
        if (!simkit__is_amount(model)) return simkit__bad_number(world, "duration", o->name, model);
        ++o->reused;
        *seconds = model;
        return SIMKIT_OK;
    }
    if (o->desc.policy == SIMKIT_MEASURE) {
        const simkit__measure *measure = simkit__measure_for(world, o, parameter);
        if (!measure) return simkit__no_memory(world, "a measurement");
        if (measure->count == o->desc.first) {
            ++o->reused;
            *seconds = measure->mean;
            return SIMKIT_OK;
        }
    }
    ++o->runs;
    *run = true;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_operation_end(simkit_world *world, simkit_operation operation, double parameter,
                                              double seconds)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    simkit__operation *o = simkit__operation_of(world, operation, parameter);
    if (!o) return SIMKIT_BAD_ARGUMENT;
    if (o->desc.policy != SIMKIT_MEASURE) return SIMKIT_OK;
    simkit__measure *measure = simkit__measure_for(world, o, parameter);
    if (!measure) return simkit__no_memory(world, "a measurement");
    if (measure->count == o->desc.first) return SIMKIT_OK;
    measure->times[measure->count++] = seconds > 0 ? seconds : 0;
    if (measure->count == o->desc.first) measure->mean = simkit__robust_mean(measure->times, measure->count);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_operation_run(simkit_world *world, simkit_operation operation, double parameter,
                                              void (*body)(void *argument), void *argument, double *seconds)
{
    bool run;
    if (seconds) *seconds = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__operation *o = simkit__operation_of(world, body && seconds ? operation : 0, parameter);
    if (!o) return SIMKIT_BAD_ARGUMENT;
    simkit_result result = simkit_operation_begin(world, operation, parameter, &run, seconds);
    if (result != SIMKIT_OK || !run) return result;
    double start = simkit_operation_clock(world);
    body(argument);
    double taken = simkit_operation_clock(world) - start;
    *seconds = taken > 0 ? taken : 0;
    return simkit_operation_end(world, operation, parameter, taken);
}

SIMKIT_API uint64_t simkit_operation_runs(const simkit_world *world, simkit_operation operation, uint64_t *reused)
{
    bool known = world && operation > 0 && operation <= simkit__count(world->operations);
    if (reused) *reused = known ? world->operations[operation - 1].reused : 0;
    return known ? world->operations[operation - 1].runs : 0;
}

static void simkit__close_operations(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->operations); ++i) simkit__discard(w, w->operations[i].measures);
    simkit__discard(w, w->operations);
}

/*=============================================================================
 * MARK: - >>dice (private)
 *
 * The body of random.
 *===========================================================================*/
static uint64_t simkit__mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

SIMKIT_API simkit_random simkit_random_stream(const simkit_world *world, uint64_t number)
{
    simkit_random random;
    random.state = simkit__mix(simkit__mix(world ? world->seed : 0) + UINT64_C(0x9e3779b97f4a7c15) * (number + 1));
    return random;
}

SIMKIT_API uint64_t simkit_random_bits(simkit_random *random)
{
    return simkit__mix(random->state += UINT64_C(0x9e3779b97f4a7c15));
}

SIMKIT_API double simkit_random_uniform(simkit_random *random)
{
    return (double)(simkit_random_bits(random) >> 11) * (1.0 / 9007199254740992.0);
}

SIMKIT_API double simkit_random_exponential(simkit_random *random, double mean)
{
    if (!(mean > 0 && mean < (double)INFINITY)) return (double)NAN;
    /* A run of falling uniforms of odd length has probability exp(-first): then `first` is the fraction of an
     * exponential number; each failure adds one to its whole part. */
    for (double whole = 0;; whole += 1) {
        double first = simkit_random_uniform(random), least = first;
        unsigned length = 1;
        for (double next; (next = simkit_random_uniform(random)) < least; least = next) ++length;
        if (length % 2 == 1 && whole + first > 0) return simkit__times(mean, whole + first);
    }
}

/*=============================================================================
 * MARK: - >>laws (private)
 *
 * The body of distributions.
 *===========================================================================*/
/* exp(x) of 0 <= x <= 700 to an ulp or two, the same bits everywhere: no math library is asked. */
static double simkit__exp(double x)
{
    const double high = 0.6931471803691238, low = 1.9082149292705877e-10; /* ln 2 in two parts: n * high is exact */
    const double n = floor(simkit__times(x, 1.4426950408889634) + 0.5);   /* / ln 2 */
    const double rest = x - simkit__times(n, high) - simkit__times(n, low);
    double sum = 1;
    for (int k = 15; k > 0; --k) sum = 1 + simkit__times(sum, rest) / k; /* Taylor, |rest| < 0.35 */
    return ldexp(sum, (int)n);
}

/* Whether values[count] are all finite and not negative, and one is positive if one must be. */
static bool simkit__are_amounts(const double *values, size_t count, bool some)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!simkit__is_amount(values[i])) return false;
        sum += values[i];
    }
    return sum < (double)INFINITY && (!some || sum > 0);
}

/* What is wrong with a distribution; NULL if nothing is. */
static const char *simkit__distribution_wrong(const simkit_distribution *d)
{
    switch (d->law) {
    case SIMKIT_LAW_CONSTANT: return simkit__is_amount(d->mean) ? NULL : "the mean is negative or not finite";
    case SIMKIT_LAW_EXPONENTIAL:
        return simkit__is_amount(d->mean) && d->mean > 0 ? NULL : "the mean is not positive and finite";
    case SIMKIT_LAW_PARETO:
        if (!(d->shape >= 0.01 && d->shape < (double)INFINITY)) return "the shape is not finite and 0.01 or more";
        if (!(d->least > 0 && d->least < (double)INFINITY)) return "the least value is not positive and finite";
        if (!simkit__is_amount(d->most)) return "the bound is negative or not finite";
        if (d->most > 0 && d->most < 1.01 * d->least) return "the bound is not 1.01 times the least value";
        return NULL;
    case SIMKIT_LAW_HYPEREXPONENTIAL:
        if (!d->weights) return "there are no probabilities";
        /* fall through */
    case SIMKIT_LAW_SAMPLE:
        if (!d->values || d->count == 0) return "there are no values";
        if (!simkit__are_amounts(d->values, d->count, false)) return "a value is negative or not finite";
        if (d->weights && !simkit__are_amounts(d->weights, d->count, true))
            return "a weight is negative or not finite, or all are 0";
        return NULL;
    }
    return "there is no such law";
}

SIMKIT_API double simkit_distribution_mean(const simkit_distribution *distribution)
{
    const simkit_distribution *d = distribution;
    if (!d || simkit__distribution_wrong(d)) return (double)NAN;
    double sum = 0, all = 0;
    switch (d->law) {
    case SIMKIT_LAW_PARETO:
        if (d->most > 0) { /* the integral of P(X > x), and what lies below the least value */
            const double q = pow(d->least / d->most, d->shape), a = d->shape;
            const double tail =
                fabs(a - 1) < 1e-9 ? log(d->most / d->least) : (1 - pow(d->least / d->most, a - 1)) / (a - 1);
            return d->least + (d->least * tail - q * (d->most - d->least)) / (1 - q);
        }
        return d->shape > 1 ? d->shape * d->least / (d->shape - 1) : (double)INFINITY;
    case SIMKIT_LAW_HYPEREXPONENTIAL:
    case SIMKIT_LAW_SAMPLE:
        for (size_t i = 0; i < d->count; ++i) {
            const double weight = d->weights ? d->weights[i] : 1;
            sum += simkit__times(weight, d->values[i]);
            all += weight;
        }
        return sum / all;
    default: return d->mean;
    }
}

/* Which of the values, by weight. */
static size_t simkit__distribution_pick(const simkit_distribution *d, simkit_random *random)
{
    const double uniform = simkit_random_uniform(random);
    double all = 0, sum = 0;
    size_t last = 0;
    if (!d->weights) return (size_t)simkit__times(uniform, (double)d->count);
    for (size_t i = 0; i < d->count; ++i) all += d->weights[i];
    const double at = simkit__times(uniform, all);
    for (size_t i = 0; i < d->count; ++i) {
        if (!(d->weights[i] > 0)) continue;
        last = i;
        if ((sum += d->weights[i]) > at) break;
    }
    return last;
}

/* A draw from one that is right. */
static double simkit__distribution_draw(const simkit_distribution *d, simkit_random *random)
{
    double mean = d->mean;
    switch (d->law) {
    case SIMKIT_LAW_CONSTANT: return mean;
    case SIMKIT_LAW_PARETO:
        for (;;) { /* log(X / least) is exponential of mean 1 / shape */
            const double log_ratio = simkit_random_exponential(random, 1 / d->shape);
            const double value = log_ratio < 700 ? simkit__times(d->least, simkit__exp(log_ratio)) : (double)INFINITY;
            if (value <= (d->most > 0 ? d->most : 1.7e308)) return value;
        }
    case SIMKIT_LAW_SAMPLE: return d->values[simkit__distribution_pick(d, random)];
    case SIMKIT_LAW_HYPEREXPONENTIAL: mean = d->values[simkit__distribution_pick(d, random)]; break;
    default: break;
    }
    return mean > 0 ? simkit_random_exponential(random, mean) : 0;
}

SIMKIT_API double simkit_distribution_draw(const simkit_distribution *distribution, simkit_random *random)
{
    if (!distribution || !random || simkit__distribution_wrong(distribution)) return (double)NAN;
    return simkit__distribution_draw(distribution, random);
}

/*=============================================================================
 * MARK: - >>crowding (private)
 *
 * The body of users. A source has one timer, for its next process or its user's next command; a process is a computation
 * whose end comes back here. What cannot begin for want of memory ends the run: a day with a hole would be another day.
 *===========================================================================*/
typedef enum simkit__source_kind { SIMKIT__ARRIVES, SIMKIT__REPLAYS, SIMKIT__BEHAVES } simkit__source_kind;

typedef struct simkit__backlog { /* lines of a process of a trace that came while it computed for others */
    double seconds;              /* what they want; less than 0: it does not compute */
    const simkit_arrival *last;
} simkit__backlog;

struct simkit__source {
    simkit__source_kind kind;
    simkit_node node;
    uint32_t timer; /* NONE: it has ended */
    simkit_random random;
    simkit_users_tally tally;

    simkit_arrivals_desc stream; /* its profiles are ours: values[2 * parts] */
    double *profiles;
    double number; /* of the part that goes on, since midnight before time 0 */
    double a_day;  /* arrivals that a day brings on average */

    simkit_replay_desc tape;
    double tape_begin;        /* when the line at `skip` is due */
    size_t at;                /* the next arrival; a user: the state */
    simkit__backlog *backlog; /* of each process of a trace */

    simkit_behaviour_desc user;
    bool thinks;
};

struct simkit__command { /* a process of a source */
    uint32_t next;
    uint32_t source;
    const simkit_arrival *line; /* of a trace */
    double begin, seconds;
};

static void simkit__source_end(simkit_world *w, simkit__source *s)
{
    if (s->timer == SIMKIT__NONE) return;
    simkit__timer_free(w, s->timer);
    s->timer = SIMKIT__NONE;
}

static void simkit__command_done(simkit_world *w, void *user);
static void simkit__command_lost(simkit_world *w, void *user);

/* A process of a source begins. */
static void simkit__command_begin(simkit_world *w, uint32_t source, double seconds, int nice, const char *name,
                                  const simkit_arrival *line)
{
    simkit_compute_desc desc;
    uint32_t job;
    memset(&desc, 0, sizeof desc);
    simkit__source *s = &w->sources[source];
    if (w->nodes[s->node - 1].failed) {
        simkit__source_end(w, s);
        return;
    }
    if (!simkit__pool_reserve(w, &w->commands, sizeof *w->commands, &w->free_command)) {
        w->broken = simkit__no_memory(w, "a background process");
        w->holed = true;
        return;
    }
    const uint32_t index = w->free_command;
    if (!(seconds < (double)INFINITY)) seconds = 1e300; /* for ever, too */
    desc.node = s->node;
    desc.seconds = seconds;
    desc.nice = nice;
    desc.name = name;
    desc.done = simkit__command_done;
    desc.lost = simkit__command_lost;
    desc.user = simkit__user_of(index);
    const simkit_result result = simkit__compute(w, &desc, &job);
    if (result != SIMKIT_OK) {
        w->broken = result;
        w->holed = true;
        return;
    }
    simkit__command *command = &w->commands[index];
    w->free_command = command->next;
    command->source = source;
    command->line = line;
    command->begin = w->now;
    command->seconds = seconds;
    ++s->tally.begun;
    if (line && line->process) s->backlog[line->process].seconds = 0;
}

static void simkit__command_free(simkit_world *w, uint32_t index)
{
    w->commands[index].next = w->free_command;
    w->free_command = index;
}

static void simkit__user_goes_on(simkit_world *w, uint32_t source);

static void simkit__command_done(simkit_world *w, void *user)
{
    const uint32_t index = simkit__index_of(user);
    const simkit__command command = w->commands[index];
    simkit__source *s = &w->sources[command.source];
    simkit__command_free(w, index);
    ++s->tally.ended;
    s->tally.demand += command.seconds;
    s->tally.response += w->now - command.begin;
    if (s->kind == SIMKIT__BEHAVES) simkit__user_goes_on(w, command.source);
    const simkit_arrival *line = command.line;
    if (!line || line->process == 0) return;
    const simkit__backlog more = s->backlog[line->process];
    s->backlog[line->process].seconds = -1;
    if (more.seconds > 0)
        simkit__command_begin(w, command.source, more.seconds, more.last->nice, more.last->name, more.last);
}

static void simkit__command_lost(simkit_world *w, void *user)
{
    const uint32_t index = simkit__index_of(user);
    const uint32_t source = w->commands[index].source;
    simkit__command_free(w, index);
    simkit__source_end(w, &w->sources[source]);
}

/* Arms the timer for the next arrival of a Poisson stream: an exponential number of expected arrivals from now. */
static void simkit__stream_next(simkit_world *w, simkit__source *s)
{
    const simkit_arrivals_desc *d = &s->stream;
    double expected = simkit_random_exponential(&s->random, 1), from = w->now;
    const double apart = d->parts == 0 ? 1 / d->rate : d->day / s->a_day;
    if (from + apart <= from) w->broken = simkit__too_late(w, "the arrivals", d->name ? d->name : "", apart);
    if (d->parts == 0) {
        const double at = from + expected / d->rate;
        simkit__timer_arm(w, s->timer, at);
        return;
    }
    const double part = d->day / (double)d->parts;
    for (;;) {
        const size_t which = (size_t)fmod(s->number, (double)d->parts);
        const double rate = d->rate * d->profile[which];
        double end = simkit__times(s->number + 1, part) - d->time_of_day;
        if (end < from) end = from; /* by rounding */
        const double here = simkit__times(rate, end - from);
        if (expected <= here && rate > 0) {
            const double at = from + expected / rate;
            simkit__timer_arm(w, s->timer, at < end ? at : end);
            return;
        }
        expected -= here;
        from = end;
        s->number += 1;
        if (expected > s->a_day) { /* whole days at once */
            const double days = floor(expected / s->a_day), later = simkit__times(days, (double)d->parts);
            if (!(s->number + later < 1e15)) return; /* never */
            expected -= simkit__times(days, s->a_day);
            s->number += later;
            from = simkit__times(s->number, part) - d->time_of_day;
            if (from < w->now) from = w->now; /* by rounding */
        }
        if (expected < 0) expected = 0;
    }
}

static void simkit__stream_due(simkit_world *w, uint32_t source)
{
    simkit__source *s = &w->sources[source];
    const simkit_arrivals_desc *d = &s->stream;
    double seconds = simkit__distribution_draw(&d->demand, &s->random);
    if (d->parts > 0) seconds = simkit__times(seconds, d->demand_profile[(size_t)fmod(s->number, (double)d->parts)]);
    simkit__command_begin(w, source, seconds, d->nice, d->name, NULL);
    if (s->timer != SIMKIT__NONE) simkit__stream_next(w, s);
}

static void simkit__tape_due(simkit_world *w, uint32_t source)
{
    simkit__source *s = &w->sources[source];
    const simkit_arrival *a = &s->tape.arrivals[s->at++];
    const double seconds = simkit__times(a->seconds, s->tape.scale);
    if (a->process && s->backlog[a->process].seconds >= 0) {
        s->backlog[a->process].seconds += seconds;
        s->backlog[a->process].last = a;
    } else {
        simkit__command_begin(w, source, seconds, a->nice, a->name, a);
    }
    if (s->timer == SIMKIT__NONE) return;
    if (s->at == s->tape.count) {
        simkit__source_end(w, s);
        return;
    }
    const double at = s->tape_begin + (s->tape.arrivals[s->at].time - s->tape.skip);
    simkit__timer_arm(w, s->timer, at > w->now ? at : w->now);
}

/* Thinks in the state that it is in. */
static void simkit__user_thinks(simkit_world *w, simkit__source *s)
{
    const double at = w->now + simkit__distribution_draw(&s->user.states[s->at].think, &s->random);
    s->thinks = true;
    simkit__timer_arm(w, s->timer, at);
}

static void simkit__user_due(simkit_world *w, uint32_t source)
{
    simkit__source *s = &w->sources[source];
    if (s->user.end > 0 && w->now >= s->user.end) {
        simkit__source_end(w, s);
    } else if (!s->thinks) { /* logs in */
        simkit__user_thinks(w, s);
    } else {
        const simkit_user_state *state = &s->user.states[s->at];
        simkit__command_begin(w, source, simkit__distribution_draw(&state->demand, &s->random), state->nice,
                              state->name, NULL);
    }
}

/* The command is done: on to the next state. */
static void simkit__user_goes_on(simkit_world *w, uint32_t source)
{
    simkit__source *s = &w->sources[source];
    if (s->timer == SIMKIT__NONE) return;
    const double *next = s->user.states[s->at].next;
    const double uniform = simkit_random_uniform(&s->random);
    double sum = 0;
    size_t to = 0;
    while (next && to < s->user.count && (sum += next[to]) <= uniform) ++to;
    if (!next || to == s->user.count || (s->user.end > 0 && w->now >= s->user.end)) {
        simkit__source_end(w, s);
        return;
    }
    s->at = to;
    simkit__user_thinks(w, s);
}

static void simkit__source_due(simkit_world *w, void *user)
{
    const uint32_t source = simkit__index_of(user);
    switch (w->sources[source].kind) {
    case SIMKIT__ARRIVES: simkit__stream_due(w, source); break;
    case SIMKIT__REPLAYS: simkit__tape_due(w, source); break;
    default: simkit__user_due(w, source); break;
    }
}

/* Whether a source can be on a node; then there is room for it, with a timer. */
static simkit_result simkit__source_reserve(simkit_world *w, simkit_node node, const char *name)
{
    const simkit__node *n = simkit__node_of(w, node);
    if (!n) return simkit__unknown_node(w, "users", name, node);
    if (n->failed) return simkit__failed_node(w, "users", name, node);
    if (!simkit__reserve(w, w->sources, 1) || !simkit__timers_reserve(w, 1)) return simkit__no_memory(w, "users");
    return SIMKIT_OK;
}

static uint32_t simkit__source_add(simkit_world *w, simkit__source *fresh, uint64_t stream, simkit_users *users)
{
    const uint32_t index = (uint32_t)simkit__count(w->sources);
    fresh->timer = simkit__timer_new(w, simkit__source_due, simkit__user_of(index));
    fresh->random =
        simkit_random_stream(w, simkit__mix(4 * stream + (uint64_t)fresh->kind + 1)); /* none of the host's */
    simkit__push(w->sources, *fresh);
    if (users) *users = (simkit_users)index + 1;
    return index;
}

static simkit_result simkit__bad_distribution(simkit_world *w, const char *what, const char *name,
                                              const simkit_distribution *d)
{
    const char *wrong = simkit__distribution_wrong(d);
    if (!wrong) return SIMKIT_OK;
    return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "the %s of '%s' is no distribution: %s", what, name ? name : "", wrong);
}

enum { SIMKIT__DAY = 86400 }; /* [s] */

/* What is wrong with the profiles, the rates or the day of a stream that begins `now`, to follow its name; false:
 * nothing. */
static bool simkit__stream_wrong(const simkit_arrivals_desc *d, double now, char *why, size_t size)
{
    const bool profiles = d->profile || d->demand_profile;
    char one[32], two[32];
    why[0] = 0;
    if (profiles && (d->parts == 0 || d->parts > 1000000)) {
        snprintf(why, size, "has a profile of %lu parts, expected 1 to 1000000", (unsigned long)d->parts);
    } else if ((d->profile && !simkit__are_amounts(d->profile, d->parts, false)) ||
               (d->demand_profile && !simkit__are_amounts(d->demand_profile, d->parts, false))) {
        snprintf(why, size, "has a profile with a number that is negative or not finite");
    } else {
        const double day = d->day > 0 ? d->day : (double)SIMKIT__DAY, part = profiles ? day / (double)d->parts : day;
        double busiest = d->rate;
        for (size_t i = 0; d->profile && i < d->parts; ++i)
            if (d->rate * d->profile[i] > busiest) busiest = d->rate * d->profile[i];
        if (!(busiest <= 1e6))
            snprintf(why, size, "has up to %s processes a second, more than 1e6", simkit__figure(one, 9, busiest));
        else if (!(part >= 1e-6 && part <= 1e12 && d->time_of_day <= 1e12) ||
                 (profiles && !(simkit__multiples_until(now + d->time_of_day, part) >= 0)))
            snprintf(why, size, "has parts of the day of %s s, from 1e-6 to 1e12 are possible; it begins at %s s",
                     simkit__figure(one, 9, part), simkit__figure(two, 9, d->time_of_day));
    }
    return why[0] != 0;
}

SIMKIT_API simkit_result simkit_users_arrive(simkit_world *world, const simkit_arrivals_desc *desc, simkit_users *users)
{
    if (users) *users = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a stream of processes needs a description");
    const char *name = desc->name ? desc->name : "";
    if (!simkit__is_amount(desc->rate)) return simkit__bad_number(world, "rate", name, desc->rate);
    if (!simkit__is_amount(desc->day)) return simkit__bad_number(world, "day", name, desc->day);
    if (!simkit__is_amount(desc->time_of_day)) return simkit__bad_number(world, "time of day", name, desc->time_of_day);
    if (desc->nice < -20 || desc->nice > 19) return simkit__bad_nice(world, name, desc->nice);
    simkit_result result = simkit__bad_distribution(world, "demand", name, &desc->demand);
    if (result != SIMKIT_OK) return result;
    char why[160];
    if (simkit__stream_wrong(desc, world->now, why, sizeof why))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "'%s' %s", name, why);

    simkit__source fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.kind = SIMKIT__ARRIVES;
    fresh.node = desc->node;
    fresh.stream = *desc;
    if (!desc->profile && !desc->demand_profile) fresh.stream.parts = 0;
    if (!(desc->day > 0)) fresh.stream.day = SIMKIT__DAY;
    const size_t parts = fresh.stream.parts;
    const double part = fresh.stream.day / (double)(parts > 0 ? parts : 1);
    if (parts > 0) fresh.number = simkit__multiples_until(world->now + desc->time_of_day, part);
    if ((result = simkit__source_reserve(world, desc->node, name)) != SIMKIT_OK) return result;
    if (!simkit__reserve(world, fresh.profiles, 2 * parts + 1)) return simkit__no_memory(world, "users");
    for (size_t i = 0; i < 2 * parts; ++i) {
        const double *from = i < parts ? desc->profile : desc->demand_profile;
        simkit__push(fresh.profiles, from ? from[i % parts] : 1);
        if (i < parts) fresh.a_day += simkit__times(simkit__times(desc->rate, fresh.profiles[i]), part);
    }
    fresh.stream.profile = fresh.profiles;
    fresh.stream.demand_profile = fresh.profiles + parts;
    const uint32_t index = simkit__source_add(world, &fresh, desc->stream, users);
    if (parts > 0 ? fresh.a_day > 0 : desc->rate > 0)
        simkit__stream_next(world, &world->sources[index]);
    else
        simkit__source_end(world, &world->sources[index]);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_users_replay(simkit_world *world, const simkit_replay_desc *desc, simkit_users *users)
{
    if (users) *users = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!desc || (!desc->arrivals && desc->count > 0))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a replay needs a description and arrivals");
    const char *name = desc->name ? desc->name : "";
    if (!simkit__is_amount(desc->skip)) return simkit__bad_number(world, "time to skip", name, desc->skip);
    if (!simkit__is_amount(desc->scale)) return simkit__bad_number(world, "scale", name, desc->scale);
    size_t processes = 0, at = desc->count;
    double work = 0;
    for (size_t i = desc->count; i-- > 0;) {
        const simkit_arrival *a = &desc->arrivals[i];
        if (!simkit__is_amount(a->time) || (i > 0 && a->time < desc->arrivals[i - 1].time))
            return simkit__fail(world, SIMKIT_BAD_ARGUMENT,
                                "arrival %lu of '%s' is at %s s: times must be finite, >= 0 and never go back",
                                (unsigned long)i, name, simkit__show(world, a->time));
        if (!simkit__is_amount(a->seconds)) return simkit__bad_number(world, "CPU time", a->name, a->seconds);
        if (a->nice < -20 || a->nice > 19) return simkit__bad_nice(world, a->name, a->nice);
        work += simkit__times(a->seconds, desc->scale > 0 ? desc->scale : 1);
        if (a->process > processes) processes = a->process;
        if (a->time >= desc->skip) at = i;
    }
    if (!simkit__is_amount(work)) return simkit__bad_number(world, "CPU time of all", name, work);
    if (processes > 100000000)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "'%s' has a process of number %lu, more than 100000000", name,
                            (unsigned long)processes);

    simkit__source fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.kind = SIMKIT__REPLAYS;
    fresh.node = desc->node;
    fresh.tape = *desc;
    if (!(desc->scale > 0)) fresh.tape.scale = 1;
    fresh.at = at;
    fresh.tape_begin = world->now;
    simkit_result result = simkit__source_reserve(world, desc->node, name);
    if (result != SIMKIT_OK) return result;
    if (!simkit__reserve(world, fresh.backlog, processes + 1)) return simkit__no_memory(world, "users");
    const simkit__backlog idle = { -1, NULL };
    for (size_t i = 0; i <= processes; ++i) simkit__push(fresh.backlog, idle);
    const uint32_t index = simkit__source_add(world, &fresh, 0, users);
    if (at < desc->count)
        simkit__timer_arm(world, world->sources[index].timer, world->now + (desc->arrivals[at].time - desc->skip));
    else
        simkit__source_end(world, &world->sources[index]);
    return SIMKIT_OK;
}

#define SIMKIT__LEAST_THINK 1e-6 /* [s], on average: what a clock of some years can tell from none */

/* A state on a cycle of states without think time, `count` if there is none: takes out those from which no other such
 * state can come next, until all that is left goes round. `left` is left[2 * count]: of each state how many of those
 * that are left can come next, NONE for one that is out; then those that were taken out. */
static size_t simkit__graph_stands_still(const simkit_user_state *states, size_t count, uint32_t *left)
{
    uint32_t *out = left + count;
    size_t outs = 0, at = 0;
    for (size_t i = 0; i < count; ++i)
        left[i] = simkit_distribution_mean(&states[i].think) >= SIMKIT__LEAST_THINK ? SIMKIT__NONE : 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t to = 0; to < count && left[i] != SIMKIT__NONE && states[i].next; ++to)
            left[i] += left[to] != SIMKIT__NONE && states[i].next[to] > 0;
    for (size_t i = 0; i < count; ++i)
        if (left[i] == 0) out[outs++] = (uint32_t)i;
    for (size_t o = 0; o < outs; ++o) {
        left[out[o]] = SIMKIT__NONE;
        for (size_t i = 0; i < count; ++i) /* none that is out already: there left[i] is 0 or NONE */
            if (left[i] != SIMKIT__NONE && left[i] > 0 && states[i].next[out[o]] > 0 && --left[i] == 0)
                out[outs++] = (uint32_t)i;
    }
    while (at < count && left[at] == SIMKIT__NONE) ++at;
    for (size_t steps = 0; at < count && steps < count; ++steps) { /* far enough to be on the cycle */
        size_t to = 0;
        while (!(left[to] != SIMKIT__NONE && states[at].next[to] > 0)) ++to;
        at = to;
    }
    return at;
}

/* What is wrong with a state of a graph; NULL if nothing is. */
static const char *simkit__state_wrong(const simkit_user_state *state, size_t count)
{
    double sum = 0;
    if (simkit__distribution_wrong(&state->think)) return simkit__distribution_wrong(&state->think);
    if (simkit__distribution_wrong(&state->demand)) return simkit__distribution_wrong(&state->demand);
    if (state->nice < -20 || state->nice > 19) return "the nice level is not in -20 .. 19";
    if (!state->next) return NULL;
    if (!simkit__are_amounts(state->next, count, false)) return "a probability is negative or not finite";
    for (size_t i = 0; i < count; ++i) sum += state->next[i];
    return sum > 1 + 1e-9 ? "the probabilities of the next states sum to more than 1" : NULL;
}

SIMKIT_API simkit_result simkit_users_behave(simkit_world *world, const simkit_behaviour_desc *desc,
                                             simkit_users *users)
{
    if (users) *users = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit__check_stack(world);
    if (!desc || !desc->states || desc->count == 0 || desc->first >= desc->count)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a user needs states, and one of them to begin in");
    const char *name = desc->states[0].name ? desc->states[0].name : "";
    if (!simkit__is_amount(desc->begin)) return simkit__bad_number(world, "begin", name, desc->begin);
    if (!simkit__is_amount(desc->end)) return simkit__bad_number(world, "end", name, desc->end);
    for (size_t i = 0; i < desc->count; ++i) {
        const char *wrong = simkit__state_wrong(&desc->states[i], desc->count);
        if (wrong)
            return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "state %lu, '%s': %s", (unsigned long)i,
                                desc->states[i].name ? desc->states[i].name : "", wrong);
    }

    simkit__source fresh;
    uint32_t *left = NULL;
    memset(&fresh, 0, sizeof fresh);
    fresh.kind = SIMKIT__BEHAVES;
    fresh.node = desc->node;
    fresh.user = *desc;
    fresh.at = desc->first;
    simkit_result result = simkit__source_reserve(world, desc->node, name);
    if (result != SIMKIT_OK) return result;
    if (!simkit__reserve(world, left, 2 * desc->count)) return simkit__no_memory(world, "a user");
    const size_t still = simkit__graph_stands_still(desc->states, desc->count, left);
    simkit__discard(world, left);
    if (still < desc->count)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "state %lu, '%s', is on a cycle of states without think time",
                            (unsigned long)still, desc->states[still].name ? desc->states[still].name : "");
    const uint32_t index = simkit__source_add(world, &fresh, desc->stream, users);
    simkit__timer_arm(world, world->sources[index].timer, desc->begin > world->now ? desc->begin : world->now);
    return SIMKIT_OK;
}

SIMKIT_API simkit_users_tally simkit_users_count(const simkit_world *world, simkit_users users)
{
    simkit_users_tally all;
    memset(&all, 0, sizeof all);
    const size_t sources = world ? simkit__count(world->sources) : 0;
    for (size_t i = 0; i < sources; ++i) {
        const simkit_users_tally *one = &world->sources[i].tally;
        if (users != 0 && users != i + 1) continue;
        all.begun += one->begun;
        all.ended += one->ended;
        all.demand += one->demand;
        all.response += one->response;
    }
    return all;
}

SIMKIT_API void simkit_users_stop(simkit_world *world, simkit_users users)
{
    if (!world || users == 0 || users > simkit__count(world->sources)) return;
    simkit__check_stack(world);
    simkit__source *s = &world->sources[users - 1];
    simkit__source_end(world, s);
    for (size_t i = 0; i < simkit__count(s->backlog); ++i)
        if (s->backlog[i].seconds > 0) s->backlog[i].seconds = 0;
}

static void simkit__close_users(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->sources); ++i) {
        simkit__discard(w, w->sources[i].profiles);
        simkit__discard(w, w->sources[i].backlog);
    }
    simkit__discard(w, w->sources);
    simkit__discard(w, w->commands);
}

/*=============================================================================
 * MARK: - >>reading (private)
 *
 * The body of reader and machines. Numbers are read here, not by strtod, which asks the locale.
 *===========================================================================*/
typedef struct simkit__unit {
    const char *text, *base;
    double factor;
} simkit__unit;

static const simkit__unit simkit__units[] = {
    { "", "1", 1 },
    { "%", "1", 0.01 },
    { "s", "s", 1 },
    { "ms", "s", 1e-3 },
    { "us", "s", 1e-6 },
    { "ns", "s", 1e-9 },
    { "min", "s", 60 },
    { "h", "s", 3600 },
    { "/s", "1/s", 1 },
    { "/min", "1/s", 1.0 / 60 },
    { "/h", "1/s", 1.0 / 3600 },
    { "B", "B", 1 },
    { "kB", "B", 1e3 },
    { "MB", "B", 1e6 },
    { "GB", "B", 1e9 },
    { "KiB", "B", 1024 },
    { "MiB", "B", 1048576 },
    { "GiB", "B", 1073741824 },
    { "B/s", "B/s", 1 },
    { "kB/s", "B/s", 1e3 },
    { "MB/s", "B/s", 1e6 },
    { "GB/s", "B/s", 1e9 },
    { "Mbit/s", "B/s", 125e3 },
    { "Gbit/s", "B/s", 125e6 },
    { "flop/s", "flop/s", 1 },
    { "Mflop/s", "flop/s", 1e6 },
    { "Gflop/s", "flop/s", 1e9 },
};

SIMKIT__FORMAT(3, 4)
static bool simkit__mistake(simkit_reader *r, const char *at, const char *format, ...)
{
    simkit_mistake *m = &r->mistake;
    m->line = r->line;
    m->column = at ? (unsigned)(at - r->start) + 1 : 1;
    int used = snprintf(m->text, sizeof m->text, "%.100s:%u:%u: ", r->file, m->line, m->column);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->text + used, sizeof m->text - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

SIMKIT_API bool simkit_reader_wrong(simkit_reader *reader, const char *at, const char *text)
{
    return reader && text && simkit__mistake(reader, at, "%s", text);
}

static void simkit__skip_blanks(simkit_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) ++r->at;
}

SIMKIT_API void simkit_reader_open(simkit_reader *reader, const char *text, size_t length, const char *file)
{
    if (!reader) return;
    memset(reader, 0, sizeof *reader);
    reader->file = file ? file : "";
    if (!text) return;
    reader->rest = text;
    reader->last = text + length;
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) reader->rest += 3; /* a byte order mark */
}

SIMKIT_API bool simkit_reader_line(simkit_reader *reader)
{
    while (reader && reader->rest < reader->last) {
        const char *newline = (const char *)memchr(reader->rest, '\n', (size_t)(reader->last - reader->rest));
        reader->start = reader->at = reader->rest;
        reader->end = newline ? newline : reader->last;
        reader->rest = newline ? newline + 1 : reader->last;
        ++reader->line;
        const char *comment = (const char *)memchr(reader->at, '#', (size_t)(reader->end - reader->at));
        if (comment) reader->end = comment;
        while (reader->end > reader->at &&
               (reader->end[-1] == ' ' || reader->end[-1] == '\t' || reader->end[-1] == '\r'))
            --reader->end;
        simkit__skip_blanks(reader);
        if (reader->at < reader->end) return true;
    }
    return false;
}

SIMKIT_API bool simkit_reader_take(simkit_reader *reader, char next)
{
    simkit__skip_blanks(reader);
    if (reader->at == reader->end || *reader->at != next) return false;
    ++reader->at;
    simkit__skip_blanks(reader);
    return true;
}

SIMKIT_API bool simkit_reader_end(simkit_reader *reader)
{
    simkit__skip_blanks(reader);
    return reader->at == reader->end || simkit__mistake(reader, reader->at, "expected the end of the line");
}

SIMKIT_API bool simkit_reader_text(simkit_reader *reader, char *text, size_t room)
{
    simkit__skip_blanks(reader);
    const size_t length = (size_t)(reader->end - reader->at);
    if (length == 0 || length >= room)
        return simkit__mistake(reader, reader->at, "expected 1 to %lu characters", (unsigned long)room - 1);
    memcpy(text, reader->at, length);
    text[length] = 0;
    reader->at = reader->end;
    return true;
}

SIMKIT_API bool simkit_reader_path(simkit_reader *reader, char *path, size_t room)
{
    char name[200];
    const char *slash = strrchr(reader->file, '/'), *from = reader->at;
    if (!simkit_reader_text(reader, name, sizeof name)) return false;
    const size_t folder = slash && name[0] != '/' ? (size_t)(slash - reader->file) + 1 : 0;
    if (folder + strlen(name) >= room) return simkit__mistake(reader, from, "the path is too long");
    memcpy(path, reader->file, folder);
    memcpy(path + folder, name, strlen(name) + 1);
    return true;
}

static bool simkit__is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

SIMKIT_API bool simkit_reader_word(simkit_reader *r, char word[32], const char *what)
{
    const char *from = r->at;
    while (r->at < r->end && simkit__is_word(*r->at)) ++r->at;
    size_t length = (size_t)(r->at - from);
    if (length == 0) return simkit__mistake(r, from, "expected %s", what);
    if (length > 31) return simkit__mistake(r, from, "%s is longer than 31 characters", what);
    memcpy(word, from, length);
    word[length] = 0;
    return true;
}

SIMKIT_API bool simkit_reader_nice_rule(simkit_reader *reader, contention_nice_rule *rule)
{
    const char *from = reader->at;
    char word[32];
    if (!simkit_reader_word(reader, word, "linux_today or linux_2_2")) return false;
    const bool old = strcmp(word, "linux_2_2") == 0;
    *rule = old ? CONTENTION_NICE_LINUX_2_2 : CONTENTION_NICE_LINUX_TODAY;
    return old || strcmp(word, "linux_today") == 0 ||
           simkit__mistake(reader, from, "'%s' is no nice rule, expected linux_today or linux_2_2", word);
}

/* A decimal number >= 0, in any locale: exact to the last bit up to 15 digits and powers of ten to 22. */
static bool simkit__read_number(simkit_reader *r, double *value)
{
    const char *from = r->at;
    uint64_t digits = 0;
    int scale = 0, exponent = 0, sign = 1;
    bool any = false, point = false;
    for (; r->at < r->end; ++r->at) {
        char c = *r->at;
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            any = true;
            if (digits < UINT64_C(100000000000000000)) {
                digits = digits * 10 + (uint64_t)(c - '0');
                if (point) --scale;
            } else if (!point) {
                ++scale;
            }
        } else {
            break;
        }
    }
    if (!any) return simkit__mistake(r, from, "expected a number that is not negative");
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        ++r->at;
        if (r->at < r->end && (*r->at == '-' || *r->at == '+')) sign = *r->at++ == '-' ? -1 : 1;
        if (r->at == r->end || *r->at < '0' || *r->at > '9') return simkit__mistake(r, r->at, "expected an exponent");
        for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; ++r->at)
            if (exponent < 1000) exponent = exponent * 10 + (*r->at - '0');
    }
    scale += sign * exponent;
    double result = (double)digits, power = 1;
    for (int i = scale < 0 ? -scale : scale; i > 0 && power < (double)INFINITY; --i) power *= 10;
    *value = scale < 0 ? result / power : result * power;
    if (digits == 0) *value = 0;
    if (!simkit__is_amount(*value)) return simkit__mistake(r, from, "the number is too large");
    return true;
}

/* Powers of ten below one are not exact, their reciprocals are. */
static double simkit__to_base(double value, double factor)
{
    return factor < 1 ? value / (1 / factor) : value * factor;
}

SIMKIT_API bool simkit_reader_quantity(simkit_reader *r, const char *base, double *value, const char **found)
{
    const char *number = r->at;
    if (!simkit__read_number(r, value)) return false;
    simkit__skip_blanks(r);
    const char *from = r->at;
    while (r->at < r->end && !strchr(" \t,:+", *r->at)) ++r->at;
    size_t length = (size_t)(r->at - from);
    for (size_t i = 0; i < sizeof simkit__units / sizeof *simkit__units; ++i) {
        const simkit__unit *unit = &simkit__units[i];
        if (strlen(unit->text) != length || memcmp(unit->text, from, length) != 0) continue;
        if (base && strcmp(base, unit->base) != 0)
            return simkit__mistake(r, from, "the unit is '%s', expected one of [%s]", unit->text, base);
        *value = simkit__to_base(*value, unit->factor);
        if (!simkit__is_amount(*value)) return simkit__mistake(r, number, "the number is too large");
        if (found) *found = unit->base;
        return true;
    }
    return simkit__mistake(r, from, "'%.*s' is no unit that is known here", length > 20 ? 20 : (int)length, from);
}

SIMKIT_API bool simkit_reader_count(simkit_reader *r, unsigned *count)
{
    const char *from = r->at;
    double value;
    if (!simkit_reader_quantity(r, "1", &value, NULL)) return false;
    if (!(value >= 1 && value <= 1e6) || value > floor(value))
        return simkit__mistake(r, from, "expected a whole number from 1 to 1000000");
    *count = (unsigned)value;
    return true;
}

enum { SIMKIT__MACHINE_KEYS = 12 }; /* of [machine], [node] and [network] */

typedef struct simkit__draft { /* what a file has said so far */
    simkit_machine machine;
    char section[32], operation[32];
    bool said[SIMKIT__MACHINE_KEYS];
    double bandwidth;
} simkit__draft;

static bool simkit__read_section(simkit_reader *r, simkit__draft *d)
{
    const char *from = r->at++;
    simkit__skip_blanks(r);
    if (!simkit_reader_word(r, d->section, "a section: machine, node, network or operation NAME")) return false;
    d->operation[0] = 0;
    if (strcmp(d->section, "operation") == 0) {
        simkit__skip_blanks(r);
        if (!simkit_reader_word(r, d->operation, "the name of an operation")) return false;
    } else if (strcmp(d->section, "machine") != 0 && strcmp(d->section, "node") != 0 &&
               strcmp(d->section, "network") != 0) {
        return simkit__mistake(r, from, "section '%s' is unknown, expected machine, node, network or operation NAME",
                               d->section);
    }
    return simkit_reader_take(r, ']') || simkit__mistake(r, r->at, "expected ']'");
}

static bool simkit__read_operation(simkit_reader *r, simkit__draft *d, const char *key, const char *from)
{
    simkit_machine *m = &d->machine;
    const char *unit;
    for (unsigned i = 0; i < m->operation_count; ++i)
        if (strcmp(m->operations[i].name, d->operation) == 0 && strcmp(m->operations[i].key, key) == 0)
            return simkit__mistake(r, from, "'%s' of operation '%s' was said before", key, d->operation);
    if (m->operation_count == SIMKIT_MACHINE_OPERATIONS)
        return simkit__mistake(r, from, "more than %d numbers about operations", SIMKIT_MACHINE_OPERATIONS);
    simkit_machine_operation *o = &m->operations[m->operation_count];
    if (!simkit_reader_quantity(r, NULL, &o->value, &unit)) return false;
    snprintf(o->name, sizeof o->name, "%s", d->operation);
    snprintf(o->key, sizeof o->key, "%s", key);
    snprintf(o->unit, sizeof o->unit, "%s", unit);
    ++m->operation_count;
    return true;
}

static bool simkit__read_key(simkit_reader *r, simkit__draft *d)
{
    static const char *const keys[SIMKIT__MACHINE_KEYS] = { "machine.name",
                                                            "machine.nodes",
                                                            "node.cores",
                                                            "node.speed",
                                                            "node.cpu_per_outgoing",
                                                            "node.cpu_per_incoming",
                                                            "network.latency",
                                                            "network.bandwidth",
                                                            "node.quota",
                                                            "node.period",
                                                            "node.tick",
                                                            "node.nice_rule" };
    simkit_machine *m = &d->machine;
    const char *from = r->at, *unit;
    char key[32], whole[72];
    if (!simkit_reader_word(r, key, "a key, a [section] or a # comment")) return false;
    if (!simkit_reader_take(r, '=')) return simkit__mistake(r, r->at, "expected '=' after '%s'", key);
    if (d->section[0] == 0) return simkit__mistake(r, from, "'%s' stands before the first [section]", key);
    if (d->operation[0]) return simkit__read_operation(r, d, key, from);

    snprintf(whole, sizeof whole, "%s.%s", d->section, key);
    size_t which = 0;
    while (which < SIMKIT__MACHINE_KEYS && strcmp(keys[which], whole) != 0) ++which;
    if (which == SIMKIT__MACHINE_KEYS) return simkit__mistake(r, from, "section [%s] has no key '%s'", d->section, key);
    if (d->said[which]) return simkit__mistake(r, from, "'%s' was said before", key);
    d->said[which] = true;
    const char *value = r->at;
    switch (which) {
    case 0: return simkit_reader_text(r, m->name, sizeof m->name);
    case 1: return simkit_reader_count(r, &m->nodes);
    case 2: return simkit_reader_count(r, &m->node.cores);
    case 3:
        return simkit_reader_quantity(r, "1", &m->node.speed, &unit) &&
               (m->node.speed > 0 || simkit__mistake(r, value, "a speed of 0 would never end"));
    case 4: return simkit_reader_quantity(r, "1", &m->node.cpu_per_outgoing, &unit);
    case 5: return simkit_reader_quantity(r, "1", &m->node.cpu_per_incoming, &unit);
    case 6: return simkit_reader_quantity(r, "s", &m->node.up.latency, &unit);
    case 8: return simkit_reader_quantity(r, "s", &m->node.quota, &unit);
    case 9: return simkit_reader_quantity(r, "s", &m->node.period, &unit);
    case 10: return simkit_reader_quantity(r, "s", &m->node.tick, &unit);
    case 11: return simkit_reader_nice_rule(r, &m->node.nice_rule);
    default:
        return simkit_reader_quantity(r, "B/s", &d->bandwidth, &unit) &&
               (d->bandwidth > 0 || simkit__mistake(r, value, "a bandwidth of 0 would never end"));
    }
}

static bool simkit__machine_line(simkit_reader *r, simkit__draft *d)
{
    return (*r->at == '[' ? simkit__read_section(r, d) : simkit__read_key(r, d)) && simkit_reader_end(r);
}

static void simkit__machine_finish(simkit__draft *d, simkit_machine *machine)
{
    if (d->bandwidth > 0) d->machine.node.up.byte_time = d->machine.node.down.byte_time = 1 / d->bandwidth;
    *machine = d->machine;
}

SIMKIT_API simkit_result simkit_machine_parse(const char *text, size_t length, const char *file,
                                              simkit_machine *machine, simkit_mistake *mistake)
{
    if (!text || !machine) return SIMKIT_BAD_ARGUMENT;
    simkit_reader reader;
    simkit__draft draft;
    memset(&draft, 0, sizeof draft);
    simkit_reader_open(&reader, text, length, file ? file : "machine");
    while (simkit_reader_line(&reader))
        if (!simkit__machine_line(&reader, &draft)) {
            if (mistake) *mistake = reader.mistake;
            return SIMKIT_BAD_FILE;
        }
    simkit__machine_finish(&draft, machine);
    return SIMKIT_OK;
}

SIMKIT_API double simkit_machine_value(const simkit_machine *machine, const char *name, const char *key,
                                       const char *unit)
{
    for (unsigned i = 0; machine && i < machine->operation_count; ++i) {
        const simkit_machine_operation *o = &machine->operations[i];
        if (strcmp(o->name, name) == 0 && strcmp(o->key, key) == 0)
            return strcmp(o->unit, unit) == 0 ? o->value : (double)NAN;
    }
    return (double)NAN;
}

SIMKIT_API simkit_result simkit_machine_nodes(simkit_world *world, const simkit_machine *machine, size_t count,
                                              simkit_node *nodes)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!machine || (!nodes && count > 0))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "making nodes needs a machine and somewhere to put them");
    for (size_t i = 0; i < count; ++i) {
        simkit_result result = simkit_node_add(world, &machine->node, &nodes[i]);
        if (result != SIMKIT_OK) return result;
    }
    return SIMKIT_OK;
}

#ifndef SIMKIT_NO_STDIO
/* After fopen() or fread() failed; some C libraries do not say why. */
static bool simkit__unreadable(simkit_reader *r)
{
    const int why = errno;
    return simkit__mistake(r, NULL, "the file cannot be read%s%.100s", why ? ": " : "", why ? strerror(why) : "");
}

/* Line by line, so that it needs no memory but the stack's. */
SIMKIT_API simkit_result simkit_machine_load(const char *path, simkit_machine *machine, simkit_mistake *mistake)
{
    enum { MOST = 64 * 1024 };
    simkit_reader reader;
    simkit__draft draft;
    char line[1024];
    size_t total = 0;
    bool fine = true;
    if (!path || !machine) return SIMKIT_BAD_ARGUMENT;
    simkit_result result = SIMKIT_NO_FILE;
    errno = 0;
    FILE *file = fopen(path, "rb");
    memset(&draft, 0, sizeof draft);
    simkit_reader_open(&reader, NULL, 0, path);
    for (int c = '\n'; file && fine && c != EOF;) {
        const unsigned number = reader.line + 1;
        size_t length = 0;
        bool comment = false;
        while ((c = getc(file)) != EOF && c != '\n' && ++total <= MOST && length < sizeof line) {
            comment = comment || c == '#';
            if (!comment) line[length++] = (char)c;
        }
        ++total;
        if (number == 1)
            simkit_reader_open(&reader, line, length, path);
        else
            reader.rest = line;
        reader.last = line + length;
        reader.line = number;
        if (total > MOST + 1) {
            fine = simkit__mistake(&reader, NULL, "the file is longer than %d bytes", MOST);
        } else if (length == sizeof line) {
            fine = simkit__mistake(&reader, NULL, "the line is longer than %d characters", (int)sizeof line - 1);
        } else {
            --reader.line;
            if (simkit_reader_line(&reader)) fine = simkit__machine_line(&reader, &draft);
            reader.line = number;
        }
    }
    if (!file || ferror(file)) {
        reader.line = 0;
        fine = simkit__unreadable(&reader);
    } else {
        result = fine ? SIMKIT_OK : SIMKIT_BAD_FILE;
    }
    if (fine) simkit__machine_finish(&draft, machine);
    if (mistake && !fine) *mistake = reader.mistake;
    if (file) fclose(file);
    return result;
}
#endif

#ifndef SIMKIT_NO_STDIO
typedef struct simkit__whole { /* file in memory */
    char *text;
    size_t length, room;
    simkit_reallocate *reallocate;
    void *user;
} simkit__whole;

/* Reads a file of at most 1 GiB. */
static simkit_result simkit__read_whole(const char *path, const simkit_world_desc *memory, simkit__whole *whole,
                                        simkit_mistake *mistake)
{
    const size_t most = (size_t)1 << 30;
    memset(whole, 0, sizeof *whole);
    whole->reallocate = memory && memory->reallocate ? memory->reallocate : simkit__reallocate_c;
    whole->user = memory ? memory->reallocate_user : NULL;
    if (!path) return SIMKIT_BAD_ARGUMENT;
    simkit_reader reader;
    memset(&reader, 0, sizeof reader);
    reader.file = path;
    simkit_result result = SIMKIT_OK;
    errno = 0;
    FILE *file = fopen(path, "rb");
    for (size_t got = 1; file && got > 0 && whole->length <= most;) {
        if (whole->length == whole->room) {
            size_t larger = whole->room ? 2 * whole->room : 65536;
            char *moved = (char *)whole->reallocate(whole->user, whole->text, whole->room, larger);
            if (!moved) {
                result = SIMKIT_NO_MEMORY;
                break;
            }
            whole->text = moved;
            whole->room = larger;
        }
        got = fread(whole->text + whole->length, 1, whole->room - whole->length, file);
        whole->length += got;
    }
    if (result == SIMKIT_NO_MEMORY) {
        simkit__mistake(&reader, NULL, "no memory to read it");
    } else if (!file || ferror(file)) {
        result = SIMKIT_NO_FILE;
        simkit__unreadable(&reader);
    } else if (whole->length > most) {
        result = SIMKIT_BAD_FILE;
        simkit__mistake(&reader, NULL, "longer than 1 GiB");
    }
    if (mistake && result != SIMKIT_OK) *mistake = reader.mistake;
    if (file) fclose(file);
    return result;
}

static void simkit__whole_free(const simkit__whole *whole)
{
    if (whole->text) whole->reallocate(whole->user, whole->text, whole->room, 0);
}
#endif

/*=============================================================================
 * MARK: - >>columns (private)
 *
 * The body of tables. The first line says how cells are separated and how many there are; a first pass counts the rows,
 * a second fills the columns. The text of all cells is copied into one block, which is no longer than the file.
 *===========================================================================*/
typedef struct simkit__column {
    const char *name, *unit;
    double factor;
    double *numbers; /* numbers[rows], or NULL */
    char **texts;    /* texts[rows], or NULL */
} simkit__column;

struct simkit_table {
    simkit_reallocate *reallocate;
    void *reallocate_user;
    size_t rows, columns;
    simkit__column *column;
    unsigned *line; /* line[rows]: where each row is in the file */
    char *text;
    size_t text_bytes;
};

/* A table being read. */
typedef struct simkit__tabler {
    simkit_reader line;
    const char *next, *end; /* of the whole text */
    char separator;         /* 0: blanks */
    bool pending;           /* a cell is still to come on this line */
    const char *at;         /* a cell, without its quotes */
    size_t length;
    bool quoted;
} simkit__tabler;

typedef enum simkit__cell { SIMKIT__CELL, SIMKIT__CELL_NONE, SIMKIT__CELL_MISTAKEN } simkit__cell;

static bool simkit__is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next line that says something; false at the end. */
static bool simkit__table_line(simkit__tabler *t)
{
    while (t->next < t->end) {
        const char *newline = (const char *)memchr(t->next, '\n', (size_t)(t->end - t->next));
        simkit_reader *r = &t->line;
        r->start = r->at = t->next;
        r->end = newline ? newline : t->end;
        ++r->line;
        t->next = newline ? newline + 1 : t->end;
        while (r->end > r->at && simkit__is_blank(r->end[-1])) --r->end;
        while (r->at < r->end && simkit__is_blank(*r->at)) ++r->at;
        t->pending = r->at < r->end && *r->at != '#';
        if (t->pending) return true;
    }
    return false;
}

/* The next cell of the line. */
static simkit__cell simkit__table_cell(simkit__tabler *t)
{
    simkit_reader *r = &t->line;
    if (!t->pending) return SIMKIT__CELL_NONE;
    while (r->at < r->end && simkit__is_blank(*r->at)) ++r->at;
    const char *open = r->at;
    t->quoted = r->at < r->end && *r->at == '"';
    t->at = open + t->quoted;
    if (t->quoted) {
        for (++r->at; r->at < r->end; ++r->at) {
            if (*r->at != '"') continue;
            if (r->at + 1 == r->end || r->at[1] != '"') break; /* a doubled quote is one that belongs to the cell */
            ++r->at;
        }
        if (r->at == r->end) {
            simkit__mistake(r, open, "the quote is not closed on this line");
            return SIMKIT__CELL_MISTAKEN;
        }
        t->length = (size_t)(r->at++ - t->at);
    } else {
        while (r->at < r->end && (t->separator ? *r->at != t->separator : !simkit__is_blank(*r->at))) ++r->at;
        t->length = (size_t)(r->at - t->at);
        while (t->length > 0 && simkit__is_blank(t->at[t->length - 1])) --t->length;
    }
    while (r->at < r->end && simkit__is_blank(*r->at)) ++r->at;
    t->pending = r->at < r->end;
    if (t->pending && t->separator && *r->at++ != t->separator) { /* else a cell follows, if an empty one */
        simkit__mistake(r, r->at - 1, "expected '%c' or the end of the line after a quoted cell", t->separator);
        return SIMKIT__CELL_MISTAKEN;
    }
    return SIMKIT__CELL;
}

/* Whether the cell is a number. */
static bool simkit__table_number(simkit__tabler *t, double *value)
{
    simkit_reader cell = t->line;
    bool negative = t->length > 0 && *t->at == '-';
    if (t->quoted || t->length == 0) return false;
    cell.at = t->at + (negative || *t->at == '+');
    cell.end = t->at + t->length;
    if (!simkit__read_number(&cell, value) || cell.at != cell.end) return false;
    if (negative) *value = -*value;
    return true;
}

static bool simkit__table_is_no_number(const simkit__tabler *t) /* nan, inf, infinity, with or without a sign */
{
    static const char *const words[] = { "nan", "inf", "infinity" };
    const char *at = t->at;
    size_t length = t->length;
    if (t->quoted) return false;
    if (length > 0 && (*at == '-' || *at == '+')) ++at, --length;
    for (size_t w = 0; w < 3; ++w) {
        size_t i = 0;
        while (i < length && words[w][i] && (at[i] | 0x20) == words[w][i]) ++i;
        if (i == length && length > 0 && !words[w][i]) return true;
    }
    return false;
}

/* Copies a cell to where the texts go, and ends it. */
static char *simkit__table_copy(const simkit__tabler *t, char **to)
{
    char *from = *to;
    for (size_t i = 0; i < t->length; ++i) {
        *(*to)++ = t->at[i];
        if (t->quoted && t->at[i] == '"') ++i; /* a doubled quote is one */
    }
    *(*to)++ = 0;
    return from;
}

static void *simkit__table_memory(simkit_table *table, size_t bytes)
{
    void *memory = table->reallocate(table->reallocate_user, NULL, 0, bytes ? bytes : 1);
    if (memory) memset(memory, 0, bytes ? bytes : 1);
    return memory;
}

static void simkit__table_release(simkit_table *table, void *memory, size_t bytes)
{
    if (memory) table->reallocate(table->reallocate_user, memory, bytes ? bytes : 1, 0);
}

SIMKIT_API void simkit_table_close(simkit_table *table)
{
    if (!table) return;
    for (size_t i = 0; table->column && i < table->columns; ++i) {
        simkit__table_release(table, table->column[i].numbers, table->rows * sizeof(double));
        simkit__table_release(table, table->column[i].texts, table->rows * sizeof(char *));
    }
    simkit__table_release(table, table->column, table->columns * sizeof *table->column);
    simkit__table_release(table, table->line, table->rows * sizeof *table->line);
    simkit__table_release(table, table->text, table->text_bytes);
    table->reallocate(table->reallocate_user, table, sizeof *table, 0);
}

/* A header's cell: a name, and perhaps a unit in brackets at its end. */
static bool simkit__table_header(simkit__tabler *t, simkit__column *column, char **to)
{
    const char *open = t->at;
    if (t->length > 0 && t->at[t->length - 1] == ']')
        for (open += t->length - 1; open > t->at && *open != '['; --open) {
        }
    if (open > t->at) {
        size_t length = (size_t)(t->at + t->length - open) - 2;
        for (size_t i = 0; !column->unit[0]; ++i) {
            if (i == sizeof simkit__units / sizeof *simkit__units)
                return simkit__mistake(&t->line, open + 1, "'%.*s' is no unit that is known here",
                                       length > 20 ? 20 : (int)length, open + 1);
            if (strlen(simkit__units[i].text) != length || memcmp(simkit__units[i].text, open + 1, length) != 0)
                continue;
            column->unit = simkit__units[i].base;
            column->factor = simkit__units[i].factor;
        }
        t->length = (size_t)(open - t->at);
        while (t->length > 0 && simkit__is_blank(t->at[t->length - 1])) --t->length;
    }
    column->name = simkit__table_copy(t, to);
    return true;
}

/* Of the first line: how its cells are separated, how many there are, and whether it is a header: no cell is a number. */
static bool simkit__table_first(simkit__tabler *t, size_t *cells, bool *header)
{
    const simkit_reader line = t->line;
    simkit__cell found;
    double value;
    bool inside = false, commas = false, semicolons = false;
    for (const char *c = line.at; c < line.end; ++c) {
        if (*c == '"') inside = !inside;
        if (*c == ',' && !inside) commas = true;
        if (*c == ';' && !inside) semicolons = true;
    }
    t->separator = commas ? ',' : semicolons ? ';' : (char)0;
    *cells = 0;
    *header = true;
    for (; (found = simkit__table_cell(t)) == SIMKIT__CELL; ++*cells)
        if (simkit__table_number(t, &value) || simkit__table_is_no_number(t)) *header = false;
    t->line.at = line.at;
    t->pending = true;
    return found == SIMKIT__CELL_NONE;
}

/* Fills a row. The first one decides which columns are of numbers. */
static simkit_result simkit__table_row(simkit__tabler *t, simkit_table *table, size_t row, char **to)
{
    for (size_t i = 0; i < table->columns; ++i) {
        simkit__column *column = &table->column[i];
        double value = 0;
        switch (simkit__table_cell(t)) {
        case SIMKIT__CELL: break;
        case SIMKIT__CELL_NONE:
            simkit__mistake(&t->line, t->line.end, "the line ends after %lu cells, expected %lu", (unsigned long)i,
                            (unsigned long)table->columns);
            return SIMKIT_BAD_FILE;
        default: return SIMKIT_BAD_FILE;
        }
        bool number = simkit__table_number(t, &value);
        int shown = t->length > 20 ? 20 : (int)t->length;
        if (row == 0 && number) column->numbers = (double *)simkit__table_memory(table, table->rows * sizeof(double));
        if (row == 0 && !number) column->texts = (char **)simkit__table_memory(table, table->rows * sizeof(char *));
        if (!column->numbers && !column->texts) return SIMKIT_NO_MEMORY;
        if (simkit__table_is_no_number(t)) {
            simkit__mistake(&t->line, t->at, "'%.*s' is not finite", shown, t->at);
            return SIMKIT_BAD_FILE;
        }
        if (column->texts) {
            column->texts[row] = simkit__table_copy(t, to);
        } else if (number) {
            column->numbers[row] = simkit__to_base(value, column->factor);
            if (!simkit__is_amount(fabs(column->numbers[row]))) {
                simkit__mistake(&t->line, t->at, "'%.*s' is too large", shown, t->at);
                return SIMKIT_BAD_FILE;
            }
        } else {
            if (t->length == 0 && !t->quoted)
                simkit__mistake(&t->line, t->at, "the cell is empty, expected a number");
            else
                simkit__mistake(&t->line, t->at, "'%.*s' is no number", shown, t->at);
            return SIMKIT_BAD_FILE;
        }
    }
    if (!t->pending) return SIMKIT_OK;
    simkit__mistake(&t->line, t->line.at, "more than %lu cells", (unsigned long)table->columns);
    return SIMKIT_BAD_FILE;
}

/* Names the columns by the header, if that is one, and counts the rows. */
static simkit_result simkit__table_shape(simkit__tabler *t, simkit_table *table, char **to)
{
    bool header;
    if (!simkit__table_line(t)) {
        t->line.line = 0;
        simkit__mistake(&t->line, NULL, "there is nothing in it");
        return SIMKIT_BAD_FILE;
    }
    if (!simkit__table_first(t, &table->columns, &header)) return SIMKIT_BAD_FILE;
    table->column = (simkit__column *)simkit__table_memory(table, table->columns * sizeof *table->column);
    if (!table->column) return SIMKIT_NO_MEMORY;
    for (size_t i = 0; i < table->columns; ++i) {
        table->column[i].name = table->column[i].unit = "";
        table->column[i].factor = 1;
    }
    for (size_t i = 0; header && i < table->columns; ++i)
        if (simkit__table_cell(t) != SIMKIT__CELL || !simkit__table_header(t, &table->column[i], to))
            return SIMKIT_BAD_FILE;
    simkit__tabler rest = *t;
    for (table->rows = !header; simkit__table_line(&rest); ++table->rows) {
    }
    /* A whole row is at least a byte for each of its cells, so one of these first rows is too short if there are more:
     * it is refused before columns as long as all rows have cost memory that has nothing to do with the file's length. */
    const size_t whole = table->text_bytes / table->columns + 1;
    if (table->rows > whole) table->rows = whole;
    if (table->rows > 0) {
        table->line = (unsigned *)simkit__table_memory(table, table->rows * sizeof *table->line);
        return table->line ? SIMKIT_OK : SIMKIT_NO_MEMORY;
    }
    simkit__mistake(&t->line, NULL, "there is a header, but no row");
    return SIMKIT_BAD_FILE;
}

static simkit_result simkit__table_fill(simkit__tabler *t, simkit_table *table)
{
    table->text = (char *)simkit__table_memory(table, table->text_bytes);
    if (!table->text) return SIMKIT_NO_MEMORY;
    char *to = table->text;
    simkit_result result = simkit__table_shape(t, table, &to);
    /* without a header the line that has been looked at is the first row */
    for (size_t row = 0; result == SIMKIT_OK && row < table->rows; ++row) {
        if (!t->pending && !simkit__table_line(t)) break;
        table->line[row] = t->line.line;
        result = simkit__table_row(t, table, row, &to);
    }
    return result;
}

SIMKIT_API simkit_result simkit_table_parse(const char *text, size_t length, const char *file,
                                            const simkit_world_desc *memory, simkit_table **table,
                                            simkit_mistake *mistake)
{
    if (!table) return SIMKIT_BAD_ARGUMENT;
    *table = NULL;
    if (!text) return SIMKIT_BAD_ARGUMENT;
    simkit_reallocate *reallocate = memory && memory->reallocate ? memory->reallocate : simkit__reallocate_c;
    void *user = memory ? memory->reallocate_user : NULL;
    simkit__tabler tabler;
    memset(&tabler, 0, sizeof tabler);
    tabler.line.file = file ? file : "table";
    tabler.next = text;
    tabler.end = text + length;
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) tabler.next += 3; /* a byte order mark */
    simkit_table *made = (simkit_table *)reallocate(user, NULL, 0, sizeof *made);
    simkit_result result = SIMKIT_NO_MEMORY;
    if (made) {
        memset(made, 0, sizeof *made);
        made->reallocate = reallocate;
        made->reallocate_user = user;
        made->text_bytes = length + 1; /* a zero for each separator */
        result = simkit__table_fill(&tabler, made);
    }
    if (result == SIMKIT_NO_MEMORY) {
        tabler.line.line = 0;
        simkit__mistake(&tabler.line, NULL, "no memory for the table");
    }
    if (result == SIMKIT_OK)
        *table = made;
    else
        simkit_table_close(made);
    if (mistake && result != SIMKIT_OK) *mistake = tabler.line.mistake;
    return result;
}

SIMKIT_API size_t simkit_table_rows(const simkit_table *table)
{
    return table ? table->rows : 0;
}

SIMKIT_API unsigned simkit_table_line(const simkit_table *table, size_t row)
{
    return table && row < table->rows ? table->line[row] : 0;
}

SIMKIT_API size_t simkit_table_columns(const simkit_table *table)
{
    return table ? table->columns : 0;
}

SIMKIT_API size_t simkit_table_find(const simkit_table *table, const char *name)
{
    size_t i = 0;
    while (i < simkit_table_columns(table) && !(name && strcmp(table->column[i].name, name) == 0)) ++i;
    return i;
}

SIMKIT_API const char *simkit_table_name(const simkit_table *table, size_t column)
{
    return column < simkit_table_columns(table) ? table->column[column].name : "";
}

SIMKIT_API const char *simkit_table_unit(const simkit_table *table, size_t column)
{
    return column < simkit_table_columns(table) ? table->column[column].unit : "";
}

SIMKIT_API const double *simkit_table_numbers(const simkit_table *table, size_t column)
{
    return column < simkit_table_columns(table) ? table->column[column].numbers : NULL;
}

SIMKIT_API const char *simkit_table_text(const simkit_table *table, size_t column, size_t row)
{
    bool there = column < simkit_table_columns(table) && row < table->rows && table->column[column].texts;
    return there ? table->column[column].texts[row] : "";
}

#ifndef SIMKIT_NO_STDIO
SIMKIT_API simkit_result simkit_table_load(const char *path, const simkit_world_desc *memory, simkit_table **table,
                                           simkit_mistake *mistake)
{
    simkit__whole whole;
    if (!table) return SIMKIT_BAD_ARGUMENT;
    *table = NULL;
    simkit_result result = simkit__read_whole(path, memory, &whole, mistake);
    if (result == SIMKIT_OK) result = simkit_table_parse(whole.text, whole.length, path, memory, table, mistake);
    simkit__whole_free(&whole);
    return result;
}
#endif

/*=============================================================================
 * MARK: - >>accounting (private)
 *
 * The body of workloads. A trace's memory is that of a world of its own, in which nothing ever happens. Lines are read
 * as events: so much CPU time was consumed by a process since its last line; then put in order of time.
 *===========================================================================*/
struct simkit_workload {
    simkit_world *memory;
    simkit_arrival *arrivals;
    char **names;
};

typedef struct simkit__event_line { /* of a trace that is being read */
    double time, cpu;
    double pid, parent; /* as they stand there: whole numbers */
    const char *name;
    int nice;
    size_t line; /* of the file, or row of the table */
    uint32_t process;
} simkit__event_line;

SIMKIT_API void simkit_workload_close(simkit_workload *workload)
{
    if (!workload) return;
    simkit_world *w = workload->memory;
    for (size_t i = 0; i < simkit__count(workload->names); ++i) simkit__free_text(w, workload->names[i]);
    simkit__discard(w, workload->names);
    simkit__discard(w, workload->arrivals);
    simkit__release(w, workload, sizeof *workload);
    simkit_world_close(w);
}

SIMKIT_API const simkit_arrival *simkit_workload_arrivals(const simkit_workload *workload, size_t *count)
{
    if (count) *count = workload ? simkit__count(workload->arrivals) : 0;
    return workload ? workload->arrivals : NULL;
}

typedef bool simkit__before(const simkit__event_line *a, const simkit__event_line *b);

static bool simkit__earlier(const simkit__event_line *a, const simkit__event_line *b)
{
    return a->time < b->time || (!(b->time < a->time) && a->line < b->line);
}

static bool simkit__by_pid(const simkit__event_line *a, const simkit__event_line *b)
{
    return a->pid < b->pid || (!(b->pid < a->pid) && simkit__earlier(a, b));
}

/* Heap sort: qsort() may ask for memory of its own. */
static void simkit__sort_lines(simkit__event_line *lines, size_t count, simkit__before *before)
{
    for (size_t heaped = count / 2, end = count; end > 1;) {
        simkit__event_line moved;
        if (heaped > 0) {
            moved = lines[--heaped];
        } else {
            moved = lines[--end];
            lines[end] = lines[0];
        }
        size_t at = heaped;
        for (size_t child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && before(&lines[child], &lines[child + 1])) ++child;
            if (!before(&moved, &lines[child])) break;
            lines[at] = lines[child];
        }
        lines[at] = moved;
    }
}

/* A trace that is being read. */
typedef struct simkit__tracer {
    simkit_workload *made;
    simkit__tabler text;
    simkit__event_line *lines;
    simkit_table *table; /* NULL: accounting */
    const char *begin;   /* of the text */
    bool grows;          /* cpu is what a process has consumed so far */
    double slack;        /* how far a beginning may be off [s] */
} simkit__tracer;

/* The mistake in a line of a trace: a row of a table, or the line itself. */
SIMKIT__FORMAT(3, 4)
static simkit_result simkit__bad_line(simkit__tracer *t, size_t line, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    t->text.line.line = t->table ? simkit_table_line(t->table, line) : (unsigned)line;
    simkit__mistake(&t->text.line, NULL, "%s", text);
    return SIMKIT_BAD_FILE;
}

/* A name that is kept, once if it is among the last 64 others. A zero byte ends it. */
static const char *simkit__trace_name(simkit__tracer *t, const char *name, size_t length)
{
    simkit_workload *made = t->made;
    const size_t count = simkit__count(made->names);
    const void *zero = memchr(name, 0, length);
    if (zero) length = (size_t)((const char *)zero - name);
    for (size_t i = count; i > 0 && count - i-- < 64;)
        if (strlen(made->names[i]) == length && memcmp(made->names[i], name, length) == 0) return made->names[i];
    char *copy = (char *)simkit__resize(made->memory, NULL, 0, length + 1);
    if (copy && !simkit__reserve(made->memory, made->names, 1)) {
        simkit__release(made->memory, copy, length + 1);
        return NULL;
    }
    if (!copy) return NULL;
    memcpy(copy, name, length);
    copy[length] = 0;
    simkit__push(made->names, copy);
    return copy;
}

/* The numbers of a column of a trace; an empty one where a place is given but there is none. */
static const double *simkit__trace_column(const simkit__tracer *t, const char *name, size_t place)
{
    const size_t columns = simkit_table_columns(t->table);
    return simkit_table_numbers(t->table, simkit_table_name(t->table, 0)[0] ? simkit_table_find(t->table, name)
                                          : place < columns                 ? place
                                                                            : columns);
}

static simkit_result simkit__trace_table(simkit__tracer *t)
{
    enum { TIME, PID, PARENT, CPU, SECONDS, NICE, COLUMNS };
    static const char *const names[COLUMNS] = { "time", "pid", "parent", "cpu", "seconds", "nice" };
    const double *column[COLUMNS];
    const size_t rows = simkit_table_rows(t->table), none = simkit_table_columns(t->table);
    const bool header = simkit_table_name(t->table, 0)[0] != 0;
    /* without a header: time, pid, parent, cpu, name */
    for (size_t i = 0; i < COLUMNS; ++i) column[i] = simkit__trace_column(t, names[i], i < SECONDS ? i : none);
    size_t text = header ? simkit_table_find(t->table, "name") : none - 1;
    if (simkit_table_numbers(t->table, text)) text = none;
    t->grows = !column[SECONDS];
    for (size_t i = 0; i < COLUMNS; ++i) {
        const bool needed = i == TIME || (t->grows && (i == PID || i == CPU));
        if (needed && !column[i]) {
            simkit__table_line(&t->text); /* the first */
            simkit__mistake(&t->text.line, NULL,
                            "there is no column '%s' of numbers: expected time, and seconds or pid and cpu", names[i]);
            return SIMKIT_BAD_FILE;
        }
    }
    if (!simkit__reserve(t->made->memory, t->lines, rows)) return SIMKIT_NO_MEMORY;
    for (size_t i = 0; i < rows; ++i) {
        simkit__event_line line;
        char one[32], two[32];
        memset(&line, 0, sizeof line);
        line.time = column[TIME][i];
        line.pid = column[PID] ? column[PID][i] : -1;
        line.parent = column[PARENT] ? column[PARENT][i] : -1;
        line.cpu = column[t->grows ? CPU : SECONDS][i];
        line.line = i;
        if (i > 0 && line.time < column[TIME][i - 1])
            return simkit__bad_line(t, i, "time goes back, from %s s to %s s",
                                    simkit__figure(one, 15, column[TIME][i - 1]), simkit__figure(two, 15, line.time));
        if ((t->grows && line.pid < 0) || line.pid > floor(line.pid))
            return simkit__bad_line(t, i, "%s is no number of a process", simkit__figure(one, 15, line.pid));
        if (line.parent > floor(line.parent))
            return simkit__bad_line(t, i, "%s is no number of a process", simkit__figure(one, 15, line.parent));
        if (line.time < 0)
            return simkit__bad_line(t, i, "the time is negative: %s s", simkit__figure(one, 15, line.time));
        if (line.cpu < 0)
            return simkit__bad_line(t, i, "the CPU time is negative: %s s", simkit__figure(one, 15, line.cpu));
        if (column[NICE]) {
            if (!(column[NICE][i] >= -20 && column[NICE][i] <= 19) || column[NICE][i] > floor(column[NICE][i]))
                return simkit__bad_line(t, i, "nice level %s is not one of -20 .. 19",
                                        simkit__figure(one, 9, column[NICE][i]));
            line.nice = (int)column[NICE][i];
        }
        const char *name = simkit_table_text(t->table, text, i);
        if (!(line.name = simkit__trace_name(t, name, strlen(name)))) return SIMKIT_NO_MEMORY;
        simkit__push(t->lines, line);
    }
    return SIMKIT_OK;
}

/* Seconds since 1970 of a date like `Tue Nov 14 22:13:20 2023`, or without seconds and year, which is then 2000. Goes
 * behind it. */
static bool simkit__read_date(simkit_reader *r, double *time)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char word[32];
    double number[4] = { 0, 0, 0, 0 }, year = 2000; /* day, hour, minute, second */
    const char *from = r->at;
    unsigned month = 0;
    if (!simkit_reader_word(r, word, "a day of the week")) return false;
    simkit__skip_blanks(r);
    if (!simkit_reader_word(r, word, "a month")) return false;
    while (month < 12 && strncmp(word, months + (size_t)3 * month, 3) != 0) ++month;
    if (month == 12 || strlen(word) != 3) return simkit__mistake(r, from, "'%s' is no month", word);
    for (int i = 0; i < 4; ++i) {
        simkit__skip_blanks(r);
        if (!simkit__read_number(r, &number[i])) return false;
        if (i == 2 && (r->at == r->end || *r->at != ':')) break;
        if ((i == 1 || i == 2) && !simkit_reader_take(r, ':')) return simkit__mistake(r, r->at, "expected ':'");
        if (i == 3) {
            simkit__skip_blanks(r);
            if (!simkit__read_number(r, &year)) return false;
        }
    }
    if (!(number[0] >= 1 && number[0] <= 31 && number[1] < 24 && number[2] < 60 && number[3] < 61 && year >= 1970 &&
          year < 10000))
        return simkit__mistake(r, from, "there is no such date");
    /* days, with years that begin in March */
    const long y = (long)year - (month < 2), shifted = (long)(month + 10) % 12;
    const long days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * shifted + 2) / 5 + (long)number[0] - 1 - 719468;
    *time = (double)days * 86400 + number[1] * 3600 + number[2] * 60 + number[3];
    return true;
}

/* A line of dump-acct: name |v3| user| system| elapsed| uid| gid| memory| io| pid| parent| flags| exit| tty|date. Times
 * are in ticks, 100 a second. */
static bool simkit__read_dump(simkit__tracer *t, simkit__event_line *line, size_t *name_length)
{
    simkit_reader *r = &t->text.line;
    const char *field[16] = { r->at };
    size_t fields = 1;
    double user, system;
    for (const char *c = r->at; c < r->end && fields < 16; ++c)
        if (*c == '|') field[fields++] = c + 1;
    if (fields < 9)
        return simkit__mistake(r, NULL, "%lu fields between '|', expected 9 or more", (unsigned long)fields);
    line->name = field[0];
    *name_length = (size_t)(field[1] - field[0]) - 1;
    for (int i = 2; i < 4; ++i) {
        r->at = field[i];
        simkit__skip_blanks(r);
        if (!simkit__read_number(r, i == 2 ? &user : &system)) return false;
    }
    line->cpu = (user + system) / 100;
    if (!simkit__is_amount(line->cpu)) return simkit__mistake(r, field[2], "the CPU time is too large");
    if (fields >= 15 && memcmp(field[1], "v3|", 3) == 0)
        for (int i = 9; i < 11; ++i) {
            r->at = field[i];
            simkit__skip_blanks(r);
            if (!simkit__read_number(r, i == 9 ? &line->pid : &line->parent)) return false;
        }
    r->at = field[fields - 1];
    simkit__skip_blanks(r);
    return simkit__read_date(r, &line->time);
}

/* A line of lastcomm: name, flags, user, tty, `0.02 secs`, date, and with --pid the numbers of process and parent. */
static bool simkit__read_lastcomm(simkit__tracer *t, simkit__event_line *line, size_t *name_length)
{
    simkit_reader *r = &t->text.line;
    const char *secs = NULL;
    for (const char *c = r->at; c + 6 < r->end; ++c)
        if (memcmp(c, " secs ", 6) == 0) secs = c;
    if (!secs) return simkit__mistake(r, NULL, "expected a number of 'secs'");
    line->name = r->at;
    *name_length = r->end - r->at < 16 ? (size_t)(r->end - r->at) : 16;
    for (r->at = secs; r->at > r->start && !simkit__is_blank(r->at[-1]);) --r->at;
    if (!simkit__read_number(r, &line->cpu)) return false;
    r->at = secs + 6;
    simkit__skip_blanks(r);
    if (!simkit__read_date(r, &line->time)) return false;
    simkit__skip_blanks(r);
    if (r->at == r->end) return true;
    if (!simkit__read_number(r, &line->pid)) return false;
    simkit__skip_blanks(r);
    return simkit__read_number(r, &line->parent);
}

/* Process accounting: a line for each process that has ended, in any order. Beginnings are off by up to a second, for the
 * kernel subtracts the time that a process took from the time of its end, both in whole seconds; or by a minute, for
 * lastcomm prints no more. */
static simkit_result simkit__trace_accounting(simkit__tracer *t, bool dump)
{
    t->slack = dump ? 1 : 60;
    while (simkit__table_line(&t->text)) {
        simkit__event_line line;
        size_t length;
        memset(&line, 0, sizeof line);
        line.pid = line.parent = -1;
        line.line = t->text.line.line;
        if (!(dump ? simkit__read_dump : simkit__read_lastcomm)(t, &line, &length)) return SIMKIT_BAD_FILE;
        while (length > 0 && simkit__is_blank(line.name[length - 1])) --length;
        if (!(line.name = simkit__trace_name(t, line.name, length)) || !simkit__reserve(t->made->memory, t->lines, 1))
            return SIMKIT_NO_MEMORY;
        simkit__push(t->lines, line);
    }
    return SIMKIT_OK;
}

/* The first line of a process, where lines are sorted by process; NULL if it has none. */
static const simkit__event_line *simkit__first_of(const simkit__tracer *t, double pid)
{
    size_t low = 0, high = simkit__count(t->lines);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->lines[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < simkit__count(t->lines) && !(t->lines[low].pid > pid) ? &t->lines[low] : NULL;
}

/* Sorts lines by process, checks parents, and turns what a process has consumed so far into what it has since. */
static simkit_result simkit__trace_processes(simkit__tracer *t)
{
    const size_t count = simkit__count(t->lines);
    double before = 0;
    uint32_t processes = 0;
    simkit__sort_lines(t->lines, count, simkit__by_pid);
    for (size_t i = 0; i < count; ++i) {
        simkit__event_line *line = &t->lines[i];
        const simkit__event_line *last = i > 0 && !(t->lines[i - 1].pid < line->pid) ? line - 1 : NULL;
        char one[32], two[32];
        if (line->pid < 0) continue; /* not told */
        if (line->parent >= 0 && !(t->grows && last)) {
            const simkit__event_line *parent = simkit__first_of(t, line->parent);
            if (parent && parent->time > line->time + t->slack)
                return simkit__bad_line(t, line->line, "process %.0f begins at %s s, before its parent %.0f at %s s",
                                        line->pid, simkit__figure(one, 15, line->time), line->parent,
                                        simkit__figure(two, 15, parent->time));
        }
        if (!t->grows) continue;
        const double so_far = line->cpu;
        if (last && so_far < before && strcmp(last->name, line->name) == 0)
            return simkit__bad_line(t, line->line, "the CPU time of process %.0f goes back, from %s s to %s s",
                                    line->pid, simkit__figure(one, 15, before), simkit__figure(two, 15, so_far));
        if (!last || so_far < before) { /* a new process, if under an old number */
            before = 0;
            ++processes;
        }
        line->process = processes;
        line->cpu = so_far - before;
        before = so_far;
    }
    return SIMKIT_OK;
}

static simkit_result simkit__trace_read(simkit__tracer *t, const char *text, size_t length, const char *file)
{
    simkit_world_desc memory;
    simkit_world *w = t->made->memory;
    simkit_result result;
    size_t bars = 0;
    bool secs = false;
    memset(&memory, 0, sizeof memory);
    memory.reallocate = w->reallocate;
    memory.reallocate_user = w->reallocate_user;
    if (simkit__table_line(&t->text))
        for (const char *c = t->text.line.at; c < t->text.line.end; ++c) {
            bars += *c == '|';
            if (t->text.line.end - c > 6 && memcmp(c, " secs ", 6) == 0) secs = true;
        }
    t->text.next = t->begin;
    t->text.line.line = 0;
    if (bars >= 8 || secs) {
        result = simkit__trace_accounting(t, bars >= 8);
    } else {
        result = simkit_table_parse(text, length, file, &memory, &t->table, &t->text.line.mistake);
        if (result == SIMKIT_OK) result = simkit__trace_table(t);
    }
    if (result == SIMKIT_OK) result = simkit__trace_processes(t);
    if (result != SIMKIT_OK) return result;

    const size_t count = simkit__count(t->lines);
    simkit__sort_lines(t->lines, count, simkit__earlier);
    if (!simkit__reserve(w, t->made->arrivals, count + 1)) return SIMKIT_NO_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        const simkit__event_line *line = &t->lines[i];
        simkit_arrival arrival;
        memset(&arrival, 0, sizeof arrival);
        if (t->grows && !(line->cpu > 0)) continue; /* nothing new */
        arrival.time = line->time - t->lines[0].time;
        arrival.seconds = line->cpu;
        arrival.nice = line->nice;
        arrival.process = line->process;
        arrival.name = line->name;
        simkit__push(t->made->arrivals, arrival);
    }
    return SIMKIT_OK;
}

/* The memory of something that stands by itself: a world in which nothing happens. NULL if there is none. */
static simkit_world *simkit__store_open(const simkit_world_desc *memory)
{
    simkit_world_desc desc;
    simkit_world *store;
    memset(&desc, 0, sizeof desc);
    if (memory) {
        desc.reallocate = memory->reallocate;
        desc.reallocate_user = memory->reallocate_user;
    }
    return simkit_world_open(&desc, &store) == SIMKIT_OK ? store : NULL;
}

SIMKIT_API simkit_result simkit_workload_parse(const char *text, size_t length, const char *file,
                                               const simkit_world_desc *memory, simkit_workload **workload,
                                               simkit_mistake *mistake)
{
    if (!workload) return SIMKIT_BAD_ARGUMENT;
    *workload = NULL;
    if (!text) return SIMKIT_BAD_ARGUMENT;
    simkit__tracer t;
    memset(&t, 0, sizeof t);
    t.text.line.file = file = file ? file : "trace";
    t.begin = t.text.next = text;
    t.text.end = text + length;
    simkit_result result = SIMKIT_NO_MEMORY;
    simkit_world *store = simkit__store_open(memory);
    if (store && (t.made = (simkit_workload *)simkit__resize(store, NULL, 0, sizeof *t.made))) {
        memset(t.made, 0, sizeof *t.made);
        t.made->memory = store;
        result = simkit__trace_read(&t, text, length, file);
        simkit_table_close(t.table);
        simkit__discard(store, t.lines);
    } else {
        simkit_world_close(store);
    }
    if (result == SIMKIT_NO_MEMORY) {
        t.text.line.line = 0;
        simkit__mistake(&t.text.line, NULL, "no memory for the trace");
    }
    if (result == SIMKIT_OK)
        *workload = t.made;
    else
        simkit_workload_close(t.made);
    if (mistake && result != SIMKIT_OK) *mistake = t.text.line.mistake;
    return result;
}

#ifndef SIMKIT_NO_STDIO
SIMKIT_API simkit_result simkit_workload_load(const char *path, const simkit_world_desc *memory,
                                              simkit_workload **workload, simkit_mistake *mistake)
{
    simkit__whole whole;
    if (!workload) return SIMKIT_BAD_ARGUMENT;
    *workload = NULL;
    simkit_result result = simkit__read_whole(path, memory, &whole, mistake);
    if (result == SIMKIT_OK) result = simkit_workload_parse(whole.text, whole.length, path, memory, workload, mistake);
    simkit__whole_free(&whole);
    return result;
}
#endif

/*=============================================================================
 * MARK: - >>naming (private)
 *
 * Names and other keys, found at a cost that does not grow with their number: an index of open addressing, with at most
 * half of its slots in use, beside the array whose elements it finds.
 *===========================================================================*/
typedef struct simkit__slot {
    uint32_t hash;
    uint32_t number; /* of the element, from 1; 0: free */
} simkit__slot;

typedef struct simkit__index {
    simkit__slot *slots;
    size_t size; /* a power of two, or 0 */
    size_t used;
} simkit__index;

static uint32_t simkit__hash_number(uint64_t number)
{
    number = (number ^ number >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(number >> 32 ^ number);
}

static uint32_t simkit__hash_text(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *text; ++text) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return simkit__hash_number(hash);
}

/* There must be room. */
static void simkit__index_put(simkit__index *x, uint32_t hash, uint32_t number)
{
    size_t at = hash & (x->size - 1);
    while (x->slots[at].number) at = (at + 1) & (x->size - 1);
    x->slots[at].hash = hash;
    x->slots[at].number = number + 1;
    ++x->used;
}

/* Room for one more. */
static bool simkit__index_reserve(simkit_world *w, simkit__index *x)
{
    simkit__index larger = { NULL, x->size ? 2 * x->size : 16, 0 };
    if (2 * (x->used + 1) <= x->size) return true;
    larger.slots = (simkit__slot *)simkit__resize(w, NULL, 0, larger.size * sizeof *larger.slots);
    if (!larger.slots) return false;
    memset(larger.slots, 0, larger.size * sizeof *larger.slots);
    for (size_t i = 0; i < x->size; ++i)
        if (x->slots[i].number) simkit__index_put(&larger, x->slots[i].hash, x->slots[i].number - 1);
    simkit__release(w, x->slots, x->size * sizeof *x->slots);
    *x = larger;
    return true;
}

/* The next element of this hash, from *at on, which begins as the hash; NONE behind the last. */
static uint32_t simkit__index_next(const simkit__index *x, uint32_t hash, size_t *at)
{
    if (x->size == 0) return SIMKIT__NONE;
    for (;;) {
        const simkit__slot slot = x->slots[*at & (x->size - 1)];
        if (slot.number == 0) return SIMKIT__NONE;
        ++*at;
        if (slot.hash == hash) return slot.number - 1;
    }
}

#ifndef SIMKIT_NO_STDIO
/* What is in the slots behind the one that becomes free moves up, unless its hash leads behind that one. */
static void simkit__index_drop(simkit__index *x, uint32_t hash, uint32_t number)
{
    const size_t last = x->size - 1;
    size_t hole = hash & last;
    while (x->slots[hole].number != number + 1) hole = (hole + 1) & last;
    for (size_t at = (hole + 1) & last; x->slots[at].number; at = (at + 1) & last) {
        if (((at - x->slots[at].hash) & last) < ((at - hole) & last)) continue;
        x->slots[hole] = x->slots[at];
        hole = at;
    }
    x->slots[hole].number = 0;
    --x->used;
}
#endif

static void simkit__index_free(simkit_world *w, simkit__index *x)
{
    simkit__release(w, x->slots, x->size * sizeof *x->slots);
    memset(x, 0, sizeof *x);
}

typedef struct simkit__names {
    char **texts; /* texts[number], in order of first appearance */
    simkit__index index;
} simkit__names;

/* The number of a name; NONE if it is not there. */
static uint32_t simkit__name_find(const simkit__names *names, const char *text)
{
    const uint32_t hash = simkit__hash_text(text);
    uint32_t number;
    for (size_t at = hash; (number = simkit__index_next(&names->index, hash, &at)) != SIMKIT__NONE;)
        if (strcmp(names->texts[number], text) == 0) break;
    return number;
}

/* The number of a name, which is there afterwards; NONE without memory. */
static uint32_t simkit__name_add(simkit_world *w, simkit__names *names, const char *text)
{
    char *copy;
    const uint32_t found = simkit__name_find(names, text), number = (uint32_t)simkit__count(names->texts);
    if (found != SIMKIT__NONE) return found;
    if (!simkit__reserve(w, names->texts, 1) || !simkit__index_reserve(w, &names->index) ||
        !(copy = simkit__copy_text(w, text)))
        return SIMKIT__NONE;
    simkit__push(names->texts, copy);
    simkit__index_put(&names->index, simkit__hash_text(text), number);
    return number;
}

static void simkit__names_free(simkit_world *w, simkit__names *names)
{
    for (size_t i = 0; i < simkit__count(names->texts); ++i) simkit__free_text(w, names->texts[i]);
    simkit__discard(w, names->texts);
    simkit__index_free(w, &names->index);
}

/*=============================================================================
 * MARK: - >>peopling (private)
 *
 * The body of populations: a users file, read with the reader. What a section describes is what the calls of >>users
 * take; names of states become their numbers when the user's last state has been read.
 *===========================================================================*/
typedef enum simkit__dweller_kind {
    SIMKIT__STREAM,
    SIMKIT__USER,
    SIMKIT__TRACE,
    SIMKIT__SESSIONS
} simkit__dweller_kind;

enum { SIMKIT__STATES = 1000 }; /* of a user, at most: their probabilities are a matrix */

/* What can be said of a section, and what of the sections of streams, users, traces and sessions alike. */
typedef enum simkit__habit {
    SIMKIT__DAY_LENGTH,
    SIMKIT__DAY_BEGIN,
    SIMKIT__STREAM_RATE,
    SIMKIT__STREAM_DEMAND,
    SIMKIT__STREAM_SCALE,
    SIMKIT__STREAM_NICE,
    SIMKIT__USER_BEGIN,
    SIMKIT__USER_END,
    SIMKIT__USER_COPIES,
    SIMKIT__STATE_THINK,
    SIMKIT__STATE_DEMAND,
    SIMKIT__STATE_NICE,
    SIMKIT__STATE_NEXT,
    SIMKIT__TRACE_FILE,
    SIMKIT__TRACE_SKIP,
    SIMKIT__TRACE_SCALE,
    SIMKIT__SESSIONS_USER,
    SIMKIT__SESSIONS_FILE,
    SIMKIT__HABITS, /* how many */
    SIMKIT__NODES = SIMKIT__HABITS
} simkit__habit;

typedef struct simkit__span { /* of nodes */
    unsigned from, to;
} simkit__span;

typedef struct simkit__stay { /* from when till when somebody is there */
    double begin, end;
} simkit__stay;

typedef struct simkit__follow { /* from a state to one that is named, perhaps later */
    size_t state;
    char to[32];
    double probability;
    unsigned line, column;
} simkit__follow;

typedef struct simkit__dweller { /* a section: a stream, a user, a trace, or sessions */
    simkit__dweller_kind kind;
    char *name;
    unsigned line;
    uint32_t said;       /* bits: its keys, or those of its last state */
    simkit__span *nodes; /* none: all */
    simkit_arrivals_desc stream;
    double *profile, *demand_profile;
    simkit_user_state *states;
    unsigned *state_lines;
    simkit__follow *follows;
    double *next; /* next[states * states] */
    unsigned copies;
    simkit__stay stay;
    bool visits;         /* a user who is there in sessions only */
    simkit__stay *stays; /* sessions */
    size_t user;         /* sessions: whose */
    simkit_workload *trace;
    double skip, scale;
} simkit__dweller;

struct simkit_population {
    simkit_world *memory;
    double day, time_of_day;
    simkit__dweller *dwellers;
    double **lists; /* of distributions */
    char **texts;
};

/* A users file that is being read. */
typedef struct simkit__peopler {
    simkit_reader reader;
    simkit_population *made;
    const simkit_world_desc *memory;
    char section[32];
    uint32_t said;        /* bits: keys of the day */
    simkit_result failed; /* why nothing more can be read, when it is not a mistake in this file */
    simkit__names states; /* of the last user: their numbers are those of its states */
    simkit__names users;  /* and users[number]: which dweller that is */
    size_t *user;
} simkit__peopler;

SIMKIT_API void simkit_population_close(simkit_population *population)
{
    if (!population) return;
    simkit_world *w = population->memory;
    for (size_t i = 0; i < simkit__count(population->dwellers); ++i) {
        simkit__dweller *d = &population->dwellers[i];
        simkit__discard(w, d->nodes);
        simkit__discard(w, d->profile);
        simkit__discard(w, d->demand_profile);
        simkit__discard(w, d->states);
        simkit__discard(w, d->state_lines);
        simkit__discard(w, d->follows);
        simkit__discard(w, d->next);
        simkit__discard(w, d->stays);
        simkit_workload_close(d->trace);
    }
    for (size_t i = 0; i < simkit__count(population->lists); ++i) simkit__discard(w, population->lists[i]);
    for (size_t i = 0; i < simkit__count(population->texts); ++i) simkit__free_text(w, population->texts[i]);
    simkit__discard(w, population->dwellers);
    simkit__discard(w, population->lists);
    simkit__discard(w, population->texts);
    simkit__release(w, population, sizeof *population);
    simkit_world_close(w);
}

static bool simkit__peopler_no_memory(simkit__peopler *p)
{
    p->failed = SIMKIT_NO_MEMORY;
    return false;
}

/* A text that lives as long as the population; NULL without memory. */
static char *simkit__peopler_text(simkit__peopler *p, const char *text)
{
    simkit_population *made = p->made;
    if (!simkit__reserve(made->memory, made->texts, 1)) return NULL;
    char *copy = simkit__copy_text(made->memory, text);
    if (copy) simkit__push(made->texts, copy);
    return copy;
}

/* Numbers of a unit, separated by commas, appended to an array whose variable this points at. */
static bool simkit__read_list(simkit__peopler *p, const char *base, double **list)
{
    do {
        double value;
        if (!simkit_reader_quantity(&p->reader, base, &value, NULL)) return false;
        if (!simkit__reserve(p->made->memory, *list, 1)) return simkit__peopler_no_memory(p);
        simkit__push(*list, value);
    } while (simkit_reader_take(&p->reader, ','));
    return true;
}

/* `exponential 2 s`, `constant 1 s`, `pareto 1.5: 0.1 s, 100 s`, `hyperexponential 0.9: 0.2 s, 0.1: 8 s` or
 * `sample 0.1 s, 0.4 s, 3 s`. */
static bool simkit__read_distribution(simkit__peopler *p, simkit_distribution *d)
{
    static const char *const laws[] = { "constant", "exponential", "hyperexponential", "pareto", "sample" };
    simkit_reader *r = &p->reader;
    simkit_world *w = p->made->memory;
    const char *from = r->at;
    char word[32];
    size_t law = 0;
    double *values = NULL, *weights = NULL;
    bool fine = true;
    if (!simkit_reader_word(r, word, "a distribution: constant, exponential, hyperexponential, pareto or sample"))
        return false;
    while (law < 5 && strcmp(laws[law], word) != 0) ++law;
    if (law == 5)
        return simkit__mistake(r, from,
                               "'%s' is no distribution: expected constant, exponential, hyperexponential, pareto "
                               "or sample",
                               word);
    simkit__skip_blanks(r);
    memset(d, 0, sizeof *d);
    d->law = (simkit_law)law;
    if (d->law == SIMKIT_LAW_CONSTANT || d->law == SIMKIT_LAW_EXPONENTIAL) {
        if (!simkit_reader_quantity(r, "s", &d->mean, NULL)) return false;
    } else if (d->law == SIMKIT_LAW_PARETO) {
        if (!simkit_reader_quantity(r, "1", &d->shape, NULL)) return false;
        if (!simkit_reader_take(r, ':')) return simkit__mistake(r, r->at, "expected ':' and the least value");
        if (!simkit_reader_quantity(r, "s", &d->least, NULL)) return false;
        if (simkit_reader_take(r, ',') && !simkit_reader_quantity(r, "s", &d->most, NULL)) return false;
    } else {
        if (!simkit__reserve(w, p->made->lists, 2)) return simkit__peopler_no_memory(p);
        do {
            double weight = 1, value = 0;
            if (d->law == SIMKIT_LAW_HYPEREXPONENTIAL)
                fine = simkit_reader_quantity(r, "1", &weight, NULL) &&
                       (simkit_reader_take(r, ':') || simkit__mistake(r, r->at, "expected ':' and a mean"));
            fine = fine && simkit_reader_quantity(r, "s", &value, NULL);
            if (fine && (!simkit__reserve(w, values, 1) || !simkit__reserve(w, weights, 1)))
                fine = simkit__peopler_no_memory(p);
            if (fine) {
                simkit__push(values, value);
                simkit__push(weights, weight);
            }
        } while (fine && simkit_reader_take(r, ','));
        simkit__push(p->made->lists, values);
        simkit__push(p->made->lists, weights);
        d->values = values;
        d->count = simkit__count(values);
        if (!fine) return false;
        if (d->law == SIMKIT_LAW_HYPEREXPONENTIAL) {
            double sum = 0;
            for (size_t i = 0; i < d->count; ++i) sum += weights[i];
            if (!(fabs(sum - 1) <= 1e-9))
                return simkit__mistake(r, from, "the probabilities sum to %s, not 1", simkit__figure(word, 9, sum));
            d->weights = weights;
        }
    }
    const char *wrong = simkit__distribution_wrong(d);
    return !wrong || simkit__mistake(r, from, "%s", wrong);
}

/* `1-4, 7` */
static bool simkit__read_nodes(simkit__peopler *p, simkit__dweller *d)
{
    do {
        const char *from = p->reader.at;
        char one[32], two[32];
        double first, last;
        simkit__span span;
        if (!simkit__read_number(&p->reader, &first)) return false;
        last = first;
        if (simkit_reader_take(&p->reader, '-') && !simkit__read_number(&p->reader, &last)) return false;
        if (!(first >= 1 && first <= last && last <= 1e9) || first > floor(first) || last > floor(last))
            return simkit__mistake(&p->reader, from, "nodes %s-%s are none", simkit__figure(one, 9, first),
                                   simkit__figure(two, 9, last));
        span.from = (unsigned)first;
        span.to = (unsigned)last;
        if (!simkit__reserve(p->made->memory, d->nodes, 1)) return simkit__peopler_no_memory(p);
        simkit__push(d->nodes, span);
    } while (simkit_reader_take(&p->reader, ','));
    return true;
}

static bool simkit__read_nice(simkit_reader *r, int *nice)
{
    const char *from = r->at;
    const bool negative = simkit_reader_take(r, '-');
    double value;
    if (!simkit_reader_quantity(r, "1", &value, NULL)) return false;
    if (value > floor(value) || value > (negative ? 20 : 19))
        return simkit__mistake(r, from, "expected a whole number from -20 to 19");
    *nice = negative ? -(int)value : (int)value;
    return true;
}

/* `compile 0.3, edit 0.7` */
static bool simkit__read_next(simkit__peopler *p, simkit__dweller *d)
{
    simkit_reader *r = &p->reader;
    do {
        simkit__follow follow;
        follow.state = simkit__count(d->states) - 1;
        follow.line = r->line;
        follow.column = (unsigned)(r->at - r->start) + 1;
        if (!simkit_reader_word(r, follow.to, "the name of a state, or logout")) return false;
        simkit__skip_blanks(r);
        if (!simkit_reader_quantity(r, "1", &follow.probability, NULL)) return false;
        if (!simkit__reserve(p->made->memory, d->follows, 1)) return simkit__peopler_no_memory(p);
        simkit__push(d->follows, follow);
    } while (simkit_reader_take(r, ','));
    return true;
}

#ifndef SIMKIT_NO_STDIO
static bool simkit__read_trace(simkit__peopler *p, simkit__dweller *d)
{
    char path[1024];
    simkit_mistake mistake;
    if (!simkit_reader_path(&p->reader, path, sizeof path)) return false;
    const simkit_result result = simkit_workload_load(path, p->memory, &d->trace, &mistake);
    if (result == SIMKIT_OK) return true;
    p->failed = result;
    p->reader.mistake = mistake;
    return false;
}

/* Sessions: a table of begin [s] and end [s]. */
static bool simkit__read_sessions(simkit__peopler *p, simkit__dweller *d)
{
    char path[1024];
    simkit_mistake mistake;
    simkit_table *table;
    if (!simkit_reader_path(&p->reader, path, sizeof path)) return false;
    const simkit_result result = simkit_table_load(path, p->memory, &table, &mistake);
    if (result != SIMKIT_OK) {
        p->failed = result;
        p->reader.mistake = mistake;
        return false;
    }
    const bool header = simkit_table_name(table, 0)[0] != 0;
    const double *begin = simkit_table_numbers(table, header ? simkit_table_find(table, "begin") : 0);
    const double *end = simkit_table_numbers(table, header ? simkit_table_find(table, "end") : 1);
    const size_t rows = simkit_table_rows(table);
    bool fine = begin && end;
    if (!fine) simkit__mistake(&p->reader, NULL, "%.80s has no columns 'begin' and 'end' of numbers", path);
    for (size_t i = 0; fine && i < rows; ++i) {
        simkit__stay stay = { begin[i], end[i] };
        simkit_reader row; /* to say where */
        char one[32], two[32];
        memset(&row, 0, sizeof row);
        row.file = path;
        row.line = simkit_table_line(table, i);
        if (!(stay.begin >= 0 && stay.end > stay.begin))
            fine = simkit__mistake(&row, NULL, "the session is from %s s to %s s", simkit__figure(one, 9, stay.begin),
                                   simkit__figure(two, 9, stay.end));
        else if (i > 0 && stay.begin < begin[i - 1])
            fine = simkit__mistake(&row, NULL, "time goes back, from %s s to %s s",
                                   simkit__figure(one, 9, begin[i - 1]), simkit__figure(two, 9, stay.begin));
        else if (!simkit__reserve(p->made->memory, d->stays, 1))
            fine = simkit__peopler_no_memory(p);
        else
            simkit__push(d->stays, stay);
        if (!fine && p->failed == SIMKIT_OK) p->reader.mistake = row.mistake;
    }
    simkit_table_close(table);
    return fine;
}
#endif

/* When all states of a user are known: who can follow whom. */
static bool simkit__finish_user(simkit__peopler *p, simkit__dweller *d)
{
    simkit_world *w = p->made->memory;
    simkit_reader *r = &p->reader;
    const size_t count = simkit__count(d->states);
    uint32_t *left = NULL;
    double *sums = NULL;
    bool fine = true;
    r->line = d->line;
    if (count == 0) return simkit__mistake(r, NULL, "user '%s' has no states", d->name);
    if (!simkit__reserve(w, d->next, count * count)) return simkit__peopler_no_memory(p);
    for (size_t i = 0; i < count * count; ++i) simkit__push(d->next, 0);
    if (!simkit__reserve(w, sums, count)) return simkit__peopler_no_memory(p);
    for (size_t i = 0; i < count; ++i) simkit__push(sums, -1); /* nothing said: whoever comes there is gone next */
    for (size_t i = 0; fine && i < simkit__count(d->follows); ++i) {
        const simkit__follow *follow = &d->follows[i];
        const uint32_t to = simkit__name_find(&p->states, follow->to);
        sums[follow->state] = (sums[follow->state] < 0 ? 0 : sums[follow->state]) + follow->probability;
        if (strcmp(follow->to, "logout") == 0) continue;
        r->line = follow->line;
        if (to == SIMKIT__NONE)
            fine =
                simkit__mistake(r, r->start + follow->column - 1, "user '%s' has no state '%s'", d->name, follow->to);
        else
            d->next[follow->state * count + to] += follow->probability;
    }
    for (size_t i = 0; fine && i < count; ++i) {
        char sum[32];
        r->line = d->state_lines[i];
        d->states[i].next = d->next + i * count;
        if (!(sums[i] < 0) && fabs(sums[i] - 1) > 1e-9)
            fine = simkit__mistake(r, NULL, "the probabilities of what comes after state '%s' sum to %s, expected 1",
                                   d->states[i].name, simkit__figure(sum, 9, sums[i]));
    }
    simkit__discard(w, sums);
    if (!fine) return false;
    if (!simkit__reserve(w, left, 2 * count)) return simkit__peopler_no_memory(p);
    const size_t still = simkit__graph_stands_still(d->states, count, left);
    simkit__discard(w, left);
    if (still < count) {
        r->line = d->state_lines[still];
        return simkit__mistake(r, NULL, "state '%s' of user '%s' is on a cycle of states without think time",
                               d->states[still].name, d->name);
    }
    return true;
}

/* What must be said in every section. */
static bool simkit__finish_dweller(simkit__peopler *p, simkit__dweller *d)
{
    simkit_reader *r = &p->reader;
    const unsigned here = r->line;
    const size_t rates = simkit__count(d->profile), demands = simkit__count(d->demand_profile);
    const size_t parts = rates > demands ? rates : demands;
    char one[32], two[32];
    r->line = d->line;
    switch (d->kind) {
    case SIMKIT__STREAM:
        if (rates == 0) return simkit__mistake(r, NULL, "stream '%s' has no rate", d->name);
        if (demands > 1 && rates > 1 && demands != rates)
            return simkit__mistake(r, NULL, "stream '%s' has %lu rates, but %lu scales", d->name, (unsigned long)rates,
                                   (unsigned long)demands);
        if (!(d->said >> SIMKIT__STREAM_DEMAND & 1))
            return simkit__mistake(r, NULL, "stream '%s' has no demand", d->name);
        /* one holds for the whole day */
        if (!simkit__reserve(p->made->memory, d->profile, parts - rates) ||
            !simkit__reserve(p->made->memory, d->demand_profile, parts - demands))
            return simkit__peopler_no_memory(p);
        for (size_t i = rates; i < parts; ++i) simkit__push(d->profile, d->profile[0]);
        for (size_t i = demands; i < parts; ++i)
            simkit__push(d->demand_profile, demands > 0 ? d->demand_profile[0] : 1);
        break;
    case SIMKIT__USER:
        if (d->stay.end > 0 && d->stay.end <= d->stay.begin)
            return simkit__mistake(r, NULL, "user '%s' ends at %s s, but begins at %s s", d->name,
                                   simkit__figure(one, 9, d->stay.end), simkit__figure(two, 9, d->stay.begin));
        if (!simkit__finish_user(p, d)) return false;
        break;
    case SIMKIT__TRACE:
        if (!d->trace) return simkit__mistake(r, NULL, "trace '%s' names no file", d->name);
        break;
    case SIMKIT__SESSIONS:
        if (!d->stays) return simkit__mistake(r, NULL, "sessions '%s' name no file", d->name);
        if (d->user == SIZE_MAX) return simkit__mistake(r, NULL, "sessions '%s' name no user", d->name);
        break;
    }
    r->line = here;
    return true;
}

static bool simkit__finish_last(simkit__peopler *p)
{
    return simkit__count(p->made->dwellers) == 0 || simkit__finish_dweller(p, &simkit__last(p->made->dwellers));
}

static bool simkit__read_dwelling(simkit__peopler *p)
{
    static const char *const kinds[] = { "arrivals", "user", "trace", "sessions" };
    simkit_reader *r = &p->reader;
    simkit_world *w = p->made->memory;
    const char *from = r->at++;
    char name[32];
    size_t kind = 0;
    simkit__skip_blanks(r);
    if (!simkit_reader_word(r, p->section, "a section: day, arrivals, user, state, trace or sessions")) return false;
    while (kind < 4 && strcmp(kinds[kind], p->section) != 0) ++kind;
    const bool state = strcmp(p->section, "state") == 0, day = strcmp(p->section, "day") == 0;
    if (kind == 4 && !state && !day)
        return simkit__mistake(
            r, from, "section '%s' is unknown, expected day, arrivals, user, state, trace or sessions", p->section);
    simkit__skip_blanks(r);
    if (!day && !simkit_reader_word(r, name, "a name")) return false;
    if (!simkit_reader_take(r, ']')) return simkit__mistake(r, r->at, "expected ']'");
    if (day) return true;
    if (state) {
        simkit__dweller *d = simkit__count(p->made->dwellers) ? &simkit__last(p->made->dwellers) : NULL;
        simkit_user_state fresh;
        if (!d || d->kind != SIMKIT__USER) return simkit__mistake(r, from, "state '%s' stands under no user", name);
        if (strcmp(name, "logout") == 0) return simkit__mistake(r, from, "logout is no state: who comes there is gone");
        if (simkit__name_find(&p->states, name) != SIMKIT__NONE)
            return simkit__mistake(r, from, "user '%s' has a state '%s' already", d->name, name);
        if (simkit__count(d->states) == SIMKIT__STATES)
            return simkit__mistake(r, from, "user '%s' has more than %d states", d->name, SIMKIT__STATES);
        memset(&fresh, 0, sizeof fresh);
        if (!simkit__reserve(w, d->states, 1) || !simkit__reserve(w, d->state_lines, 1) ||
            !(fresh.name = simkit__peopler_text(p, name)) || simkit__name_add(w, &p->states, name) == SIMKIT__NONE)
            return simkit__peopler_no_memory(p);
        d->said = 0;
        simkit__push(d->states, fresh);
        simkit__push(d->state_lines, r->line);
        return true;
    }
    simkit__dweller fresh;
    if (!simkit__finish_last(p)) return false;
    memset(&fresh, 0, sizeof fresh);
    fresh.kind = (simkit__dweller_kind)kind;
    fresh.line = r->line;
    fresh.copies = 1;
    fresh.user = SIZE_MAX;
    if (!simkit__reserve(w, p->made->dwellers, 1) || !(fresh.name = simkit__peopler_text(p, name)))
        return simkit__peopler_no_memory(p);
    if (fresh.kind == SIMKIT__USER) { /* of two with one name, the first is meant by it */
        simkit__names_free(w, &p->states);
        if (!simkit__reserve(w, p->user, 1) || simkit__name_add(w, &p->users, name) == SIMKIT__NONE)
            return simkit__peopler_no_memory(p);
        if (simkit__count(p->users.texts) > simkit__count(p->user))
            simkit__push(p->user, simkit__count(p->made->dwellers));
    }
    simkit__push(p->made->dwellers, fresh);
    return true;
}

/* The value of a key; the reader stands at it. */
static bool simkit__read_habit(simkit__peopler *p, simkit__dweller *d, simkit__habit habit)
{
    simkit_reader *r = &p->reader;
    const char *from = r->at;
    simkit_user_state *state = d && simkit__count(d->states) ? &simkit__last(d->states) : NULL;
    char word[32];
    uint32_t user;
    switch (habit) {
    case SIMKIT__DAY_LENGTH:
        return simkit_reader_quantity(r, "s", &p->made->day, NULL) &&
               (p->made->day > 0 || simkit__mistake(r, from, "a day of 0 s is none"));
    case SIMKIT__DAY_BEGIN: return simkit_reader_quantity(r, "s", &p->made->time_of_day, NULL);
    case SIMKIT__STREAM_RATE: return simkit__read_list(p, "1/s", &d->profile);
    case SIMKIT__STREAM_DEMAND: return simkit__read_distribution(p, &d->stream.demand);
    case SIMKIT__STREAM_SCALE: return simkit__read_list(p, "1", &d->demand_profile);
    case SIMKIT__STREAM_NICE: return simkit__read_nice(r, &d->stream.nice);
    case SIMKIT__USER_BEGIN: return simkit_reader_quantity(r, "s", &d->stay.begin, NULL);
    case SIMKIT__USER_END: return simkit_reader_quantity(r, "s", &d->stay.end, NULL);
    case SIMKIT__USER_COPIES: return simkit_reader_count(r, &d->copies);
    case SIMKIT__STATE_THINK: return simkit__read_distribution(p, &state->think);
    case SIMKIT__STATE_DEMAND: return simkit__read_distribution(p, &state->demand);
    case SIMKIT__STATE_NICE: return simkit__read_nice(r, &state->nice);
    case SIMKIT__STATE_NEXT: return simkit__read_next(p, d);
#ifndef SIMKIT_NO_STDIO
    case SIMKIT__TRACE_FILE: return simkit__read_trace(p, d);
    case SIMKIT__SESSIONS_FILE: return simkit__read_sessions(p, d);
#endif
    case SIMKIT__TRACE_SKIP: return simkit_reader_quantity(r, "s", &d->skip, NULL);
    case SIMKIT__TRACE_SCALE:
        return simkit_reader_quantity(r, "1", &d->scale, NULL) &&
               (d->scale > 0 || simkit__mistake(r, from, "a scale of 0 leaves nothing"));
    case SIMKIT__SESSIONS_USER:
        if (!simkit_reader_word(r, word, "the name of a user")) return false;
        if ((user = simkit__name_find(&p->users, word)) == SIMKIT__NONE)
            return simkit__mistake(r, from, "there is no user '%s' above", word);
        d->user = p->user[user];
        p->made->dwellers[d->user].visits = true;
        return true;
    case SIMKIT__NODES: return simkit__read_nodes(p, d);
    default: return simkit__mistake(r, from, "files cannot be read in this program");
    }
}

static bool simkit__read_habit_line(simkit__peopler *p)
{
    static const char *const habits[SIMKIT__HABITS] = {
        "day.length", "day.begin",  "arrivals.rate", "arrivals.demand", "arrivals.scale", "arrivals.nice",
        "user.begin", "user.end",   "user.copies",   "state.think",     "state.demand",   "state.nice",
        "state.next", "trace.file", "trace.skip",    "trace.scale",     "sessions.user",  "sessions.file"
    };
    simkit_reader *r = &p->reader;
    simkit__dweller *d = simkit__count(p->made->dwellers) ? &simkit__last(p->made->dwellers) : NULL;
    const char *from = r->at;
    char key[32], whole[72];
    unsigned habit = 0;
    if (!simkit_reader_word(r, key, "a key, a [section] or a # comment")) return false;
    if (!simkit_reader_take(r, '=')) return simkit__mistake(r, r->at, "expected '=' after '%s'", key);
    if (p->section[0] == 0) return simkit__mistake(r, from, "'%s' stands before the first [section]", key);
    snprintf(whole, sizeof whole, "%s.%s", p->section, key);
    while (habit < SIMKIT__HABITS && strcmp(habits[habit], whole) != 0) ++habit;
    const bool nodes = strcmp(key, "nodes") == 0 && strcmp(p->section, "day") != 0 && strcmp(p->section, "state") != 0;
    if (habit == SIMKIT__HABITS && !nodes)
        return simkit__mistake(r, from, "section [%s] has no key '%s'", p->section, key);
    uint32_t *said = d && strcmp(p->section, "day") != 0 ? &d->said : &p->said;
    if (*said >> habit & 1) return simkit__mistake(r, from, "'%s' was said before", key);
    *said |= (uint32_t)1 << habit;
    return simkit__read_habit(p, d, (simkit__habit)habit) && simkit_reader_end(r);
}

static simkit_arrivals_desc simkit__dweller_stream(const simkit_population *p, const simkit__dweller *d)
{
    simkit_arrivals_desc stream = d->stream;
    stream.name = d->name;
    stream.day = p->day;
    stream.time_of_day = p->time_of_day;
    stream.rate = 1;
    stream.parts = simkit__count(d->profile);
    stream.profile = d->profile;
    stream.demand_profile = d->demand_profile;
    return stream;
}

/* Streams, when the whole day is known. */
static bool simkit__finish_streams(simkit__peopler *p)
{
    for (size_t i = 0; i < simkit__count(p->made->dwellers); ++i) {
        const simkit__dweller *d = &p->made->dwellers[i];
        char why[160];
        if (d->kind != SIMKIT__STREAM) continue;
        const simkit_arrivals_desc stream = simkit__dweller_stream(p->made, d);
        if (!simkit__stream_wrong(&stream, 0, why, sizeof why)) continue;
        p->reader.line = d->line;
        return simkit__mistake(&p->reader, NULL, "stream '%s' %s", d->name, why);
    }
    return true;
}

SIMKIT_API simkit_result simkit_population_parse(const char *text, size_t length, const char *file,
                                                 const simkit_world_desc *memory, simkit_population **population,
                                                 simkit_mistake *mistake)
{
    if (!population) return SIMKIT_BAD_ARGUMENT;
    *population = NULL;
    if (!text) return SIMKIT_BAD_ARGUMENT;
    simkit__peopler p;
    memset(&p, 0, sizeof p);
    simkit_reader_open(&p.reader, text, length, file ? file : "users");
    p.memory = memory;
    simkit_world *store = simkit__store_open(memory);
    bool fine = false;
    p.failed = SIMKIT_NO_MEMORY;
    if (store && (p.made = (simkit_population *)simkit__resize(store, NULL, 0, sizeof *p.made))) {
        memset(p.made, 0, sizeof *p.made);
        p.made->memory = store;
        p.failed = SIMKIT_OK;
        for (fine = true; fine && simkit_reader_line(&p.reader);)
            fine = *p.reader.at == '[' ? simkit__read_dwelling(&p) && simkit_reader_end(&p.reader)
                                       : simkit__read_habit_line(&p);
        fine = fine && simkit__finish_last(&p) && simkit__finish_streams(&p);
        simkit__names_free(store, &p.states);
        simkit__names_free(store, &p.users);
        simkit__discard(store, p.user);
    } else {
        simkit_world_close(store);
    }
    if (p.failed == SIMKIT_NO_MEMORY) {
        p.reader.line = 0;
        simkit__mistake(&p.reader, NULL, "no memory for the users");
    }
    if (fine) {
        *population = p.made;
        return SIMKIT_OK;
    }
    simkit_population_close(p.made);
    if (mistake) *mistake = p.reader.mistake;
    return p.failed != SIMKIT_OK ? p.failed : SIMKIT_BAD_FILE;
}

static simkit_result simkit__dweller_start(simkit_world *w, const simkit_population *p, const simkit__dweller *d,
                                           uint64_t number, simkit_node node)
{
    simkit_result result = SIMKIT_OK;
    if (d->kind == SIMKIT__STREAM) {
        simkit_arrivals_desc stream = simkit__dweller_stream(p, d);
        stream.node = node;
        stream.stream = number;
        return simkit_users_arrive(w, &stream, NULL);
    }
    if (d->kind == SIMKIT__TRACE) {
        simkit_replay_desc replay;
        memset(&replay, 0, sizeof replay);
        replay.node = node;
        replay.arrivals = simkit_workload_arrivals(d->trace, &replay.count);
        replay.skip = d->skip;
        replay.scale = d->scale;
        replay.name = d->name;
        return simkit_users_replay(w, &replay, NULL);
    }
    const simkit__dweller *user = d->kind == SIMKIT__USER ? d : &p->dwellers[d->user];
    const size_t count = d->kind == SIMKIT__USER ? (d->visits ? 0 : d->copies) : simkit__count(d->stays);
    for (size_t i = 0; i < count && result == SIMKIT_OK; ++i) {
        const simkit__stay stay = d->kind == SIMKIT__USER ? d->stay : d->stays[i];
        simkit_behaviour_desc behaviour;
        memset(&behaviour, 0, sizeof behaviour);
        if (stay.end > 0 && stay.end <= p->time_of_day) continue; /* has left before the world began */
        behaviour.node = node;
        behaviour.states = user->states;
        behaviour.count = simkit__count(user->states);
        behaviour.begin = stay.begin > p->time_of_day ? stay.begin - p->time_of_day : 0;
        behaviour.end = stay.end > 0 ? stay.end - p->time_of_day : 0;
        behaviour.stream = number << 20 | i;
        result = simkit_users_behave(w, &behaviour, NULL);
    }
    return result;
}

SIMKIT_API simkit_result simkit_population_start(simkit_world *world, const simkit_population *population, size_t place,
                                                 simkit_node node)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!population || place == 0)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a node's users need a population, and a place from 1 on");
    simkit_result result = simkit_load_keep(world, node);
    for (size_t i = 0; i < simkit__count(population->dwellers) && result == SIMKIT_OK; ++i) {
        const simkit__dweller *d = &population->dwellers[i];
        bool here = simkit__count(d->nodes) == 0;
        for (size_t n = 0; n < simkit__count(d->nodes); ++n)
            if (place >= d->nodes[n].from && place <= d->nodes[n].to) here = true;
        if (here) result = simkit__dweller_start(world, population, d, (uint64_t)place << 16 | i, node);
    }
    return result;
}

#ifndef SIMKIT_NO_STDIO
SIMKIT_API simkit_result simkit_population_load(const char *path, const simkit_world_desc *memory,
                                                simkit_population **population, simkit_mistake *mistake)
{
    simkit__whole whole;
    if (!population) return SIMKIT_BAD_ARGUMENT;
    *population = NULL;
    simkit_result result = simkit__read_whole(path, memory, &whole, mistake);
    if (result == SIMKIT_OK)
        result = simkit_population_parse(whole.text, whole.length, path, memory, population, mistake);
    simkit__whole_free(&whole);
    return result;
}
#endif

#ifndef SIMKIT_NO_STDIO
/*=============================================================================
 * MARK: - >>layout (private)
 *
 * What gantt and trace share. Both lay bars out in rows: one for each lane of a node, one for what it sends and one for
 * what it receives; where bars of a row overlap, the row gets another line below. A file is written beside its place
 * and moved there when it is whole; a link, a device or a pipe stays what it is, and is written to.
 *===========================================================================*/
typedef enum simkit__row_kind { SIMKIT__ROW_COMPUTE, SIMKIT__ROW_SEND, SIMKIT__ROW_RECEIVE } simkit__row_kind;

typedef struct simkit__row { /* a line of a group */
    uint32_t group;
    uint32_t line; /* 0: the first of its group */
} simkit__row;

typedef struct simkit__group { /* all lines of a kind and lane of a node */
    simkit_node node;
    simkit__row_kind kind;
    uint32_t lane;  /* name */
    uint32_t *rows; /* rows[lines] */
    double
        *ends;   /* ends[2 * size]: the end of the last bar of line i at size + i, +inf behind the last line; above, the
                       least of the two below: so the first line that is free is found in a few steps */
    size_t size; /* a power of two, at least the lines */
} simkit__group;

typedef struct simkit__layout {
    simkit_world *world;
    simkit__row *rows;
    simkit__group *groups;
    simkit__index index; /* of groups */
    simkit__names lanes;
    bool no_memory;
} simkit__layout;

static uint32_t simkit__layout_name(simkit__layout *l, simkit__names *names, const char *text)
{
    const uint32_t number = simkit__name_add(l->world, names, text);
    if (number == SIMKIT__NONE) l->no_memory = true;
    return number;
}

/* The group of a row, which is there afterwards; NONE without memory. */
static uint32_t simkit__layout_group(simkit__layout *l, simkit_node node, simkit__row_kind kind, uint32_t lane)
{
    const uint32_t hash = simkit__hash_number(((uint64_t)node << 32 | lane) * 3 + (uint64_t)kind);
    uint32_t number;
    for (size_t at = hash; (number = simkit__index_next(&l->index, hash, &at)) != SIMKIT__NONE;) {
        const simkit__group *group = &l->groups[number];
        if (group->node == node && group->kind == kind && group->lane == lane) return number;
    }
    simkit__group fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.node = node;
    fresh.kind = kind;
    fresh.lane = lane;
    if (!simkit__reserve(l->world, l->groups, 1) || !simkit__index_reserve(l->world, &l->index)) return SIMKIT__NONE;
    number = (uint32_t)simkit__count(l->groups);
    simkit__push(l->groups, fresh);
    simkit__index_put(&l->index, hash, number);
    return number;
}

/* When the last bar of a row ends. */
static void simkit__row_ends(simkit__layout *l, uint32_t row, double end)
{
    simkit__group *group = &l->groups[l->rows[row].group];
    size_t at = group->size + l->rows[row].line;
    for (group->ends[at] = end; at > 1; at /= 2)
        group->ends[at / 2] = group->ends[at] < group->ends[at ^ 1] ? group->ends[at] : group->ends[at ^ 1];
}

/* Room for another line of a group. */
static bool simkit__group_reserve(simkit_world *w, simkit__group *group)
{
    const size_t size = group->size ? 2 * group->size : 1;
    if (!simkit__reserve(w, group->rows, 1)) return false;
    if (simkit__count(group->rows) < group->size) return true;
    double *ends = (double *)simkit__resize(w, NULL, 0, 2 * size * sizeof *ends);
    if (!ends) return false;
    for (size_t i = 0; i < size; ++i)
        ends[size + i] = i < group->size ? group->ends[group->size + i] : (double)INFINITY;
    for (size_t i = size - 1; i > 0; --i) ends[i] = ends[2 * i] < ends[2 * i + 1] ? ends[2 * i] : ends[2 * i + 1];
    simkit__release(w, group->ends, 2 * group->size * sizeof *ends);
    group->ends = ends;
    group->size = size;
    return true;
}

/* The row for a bar: the first of its kind and lane whose last bar ended before; bars come in the order of their ends. */
static uint32_t simkit__layout_row(simkit__layout *l, simkit_node node, simkit__row_kind kind, uint32_t lane,
                                   double begin, double end)
{
    const uint32_t number = l->no_memory ? SIMKIT__NONE : simkit__layout_group(l, node, kind, lane);
    simkit__group *group = number == SIMKIT__NONE ? NULL : &l->groups[number];
    uint32_t row;
    if (group && group->size > 0 && group->ends[1] <= begin) {
        size_t at = 1;
        while (at < group->size) at = 2 * at + !(group->ends[2 * at] <= begin);
        row = group->rows[at - group->size];
    } else {
        simkit__row fresh;
        if (!group || !simkit__reserve(l->world, l->rows, 1) || !simkit__group_reserve(l->world, group)) {
            l->no_memory = true;
            return 0;
        }
        row = (uint32_t)simkit__count(l->rows);
        fresh.group = number;
        fresh.line = (uint32_t)simkit__count(group->rows);
        simkit__push(l->rows, fresh);
        simkit__push(group->rows, row);
    }
    simkit__row_ends(l, row, end);
    return row;
}

static void simkit__layout_free(simkit__layout *l)
{
    for (size_t i = 0; i < simkit__count(l->groups); ++i) {
        simkit__discard(l->world, l->groups[i].rows);
        simkit__release(l->world, l->groups[i].ends, 2 * l->groups[i].size * sizeof *l->groups[i].ends);
    }
    simkit__names_free(l->world, &l->lanes);
    simkit__index_free(l->world, &l->index);
    simkit__discard(l->world, l->groups);
    simkit__discard(l->world, l->rows);
}

static const char *simkit__group_label(const simkit__layout *l, const simkit__group *group)
{
    if (group->kind == SIMKIT__ROW_SEND) return "sends";
    if (group->kind == SIMKIT__ROW_RECEIVE) return "receives";
    const char *lane = l->lanes.texts[group->lane];
    return lane[0] ? lane : "computes";
}

static const simkit__group *simkit__group_of(const simkit__layout *l, size_t row)
{
    return &l->groups[l->rows[row].group];
}

/* printf("%.*f") whatever the locale says. */
static const char *simkit__number_text(char text[400], double value, int decimals)
{
    snprintf(text, 400, "%.*f", decimals, value);
    return simkit__with_point(text);
}

static void simkit__put_number(FILE *file, double value, int decimals)
{
    char text[400];
    fputs(simkit__number_text(text, value, decimals), file);
}

/* Names are bytes of whoever gave them. How many of them are the next character of UTF-8, or 0 if they are none. */
static size_t simkit__character(const char *text)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *byte = (const unsigned char *)text;
    const size_t length = *byte < 0x80   ? 1
                          : *byte < 0xC0 ? 0
                          : *byte < 0xE0 ? 2
                          : *byte < 0xF0 ? 3
                          : *byte < 0xF8 ? 4
                                         : 0;
    uint32_t code = length < 2 ? *byte : *byte & (0x7Fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte[i] & 0xC0) != 0x80) return 0; /* the zero at the end, too */
        code = code << 6 | (byte[i] & 0x3F);
    }
    /* too long for it, a half of a pair, more than there is, or what XML forbids */
    if (code < least[length] || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return 0;
    return code == 0xFFFE || code == 0xFFFF ? 0 : length;
}

/* The next character, or the sign for one that cannot be shown instead of a byte that belongs to none; goes behind it. */
static const char *simkit__put_character(FILE *file, const char *text)
{
    const size_t length = simkit__character(text);
    if (length == 0) fputs("\xEF\xBF\xBD", file);
    fwrite(text, 1, length, file);
    return text + (length ? length : 1);
}

static void simkit__put_xml(FILE *file, const char *text)
{
    while (*text) {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity) fputs(entity, file);
        if (entity || (unsigned char)*text < ' ')
            ++text;
        else
            text = simkit__put_character(file, text);
    }
}

static void simkit__put_json(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text++);
        else
            text = simkit__put_character(file, text);
    }
    fputc('"', file);
}

/* So many bytes of a text at most, and no half of a character. */
static int simkit__cut(const char *text, size_t most)
{
    size_t length = strlen(text);
    if (length <= most) return (int)length;
    for (length = most; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80 && most - length < 3;) --length;
    return (int)length;
}

typedef struct simkit__draft_file {
    FILE *file;
    int nameless;                 /* descriptor of what is written, while it has no name; -1: it has one */
    char path[1024], draft[1056]; /* the second is empty: what is written goes straight to the first */
} simkit__draft_file;

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef __cplusplus /* what the C library hides under -std=c99 */
extern ssize_t readlink(const char *, char *, size_t);
#endif
#if !defined(O_TMPFILE) && defined(__O_TMPFILE)
#define SIMKIT__NAMELESS __O_TMPFILE
#elif defined(O_TMPFILE)
#define SIMKIT__NAMELESS O_TMPFILE
#endif

/* Whether a path is something that a file must not be put in the place of: a link, a device, a pipe. */
static bool simkit__path_is_special(const char *path)
{
    struct stat what;
    char target[1];
    return readlink(path, target, sizeof target) >= 0 || (stat(path, &what) == 0 && !S_ISREG(what.st_mode));
}

/* A path from the root, where that fits: so a file that is closed after chdir() stays in the folder it was opened in. */
static void simkit__path_whole(char *whole, size_t bytes, const char *path)
{
    size_t folder = 0;
    if (path[0] != '/' && getcwd(whole, bytes)) folder = strlen(whole);
    if (folder > 0 && folder + strlen(path) + 2 <= bytes)
        whole[folder++] = '/';
    else
        folder = 0;
    memcpy(whole + folder, path, strlen(path) + 1);
}

static uint64_t simkit__run_number(void)
{
    return (uint64_t)getpid();
}
#else
static void simkit__path_whole(char *whole, size_t bytes, const char *path)
{
    (void)bytes;
    memcpy(whole, path, strlen(path) + 1);
}

static bool simkit__path_is_special(const char *path)
{
    (void)path;
    return false;
}

static uint64_t simkit__run_number(void)
{
    return 0;
}
#endif

#ifdef _WIN32
#define SIMKIT__WRITE_NEW "wb" /* its oldest C library knows no x */
#else
#define SIMKIT__WRITE_NEW "wbx"
#endif

/* What nobody guesses: the system's dice, or what differs from run to run. */
static uint64_t simkit__guess_me(const void *somewhere)
{
    uint64_t number = 0;
    FILE *dice = fopen("/dev/urandom", "rb");
    if (dice) {
        setvbuf(dice, NULL, _IONBF, 0);
        if (fread(&number, sizeof number, 1, dice) != 1) number = 0;
        fclose(dice);
    }
    number ^= (uint64_t)time(NULL) << 32 ^ (uint64_t)clock() << 12 ^ (uint64_t)(uintptr_t)somewhere;
    return (number ^ simkit__run_number() << 20) * UINT64_C(0x9E3779B97F4A7C15);
}

#if defined(SIMKIT__NAMELESS) && !defined(SIMKIT__NAMED_DRAFTS)
#ifndef __cplusplus
extern int linkat(int, const char *, int, const char *, int);
#endif

/* Linux has files without a name, which are gone if the run is killed. Where the file system has none: false. */
static bool simkit__nameless_open(simkit__draft_file *d)
{
    char place[1056];
    memcpy(place, d->path, sizeof d->path);
    char *slash = strrchr(place, '/');
    memcpy(slash ? slash + 1 : place, ".", 2);
    d->nameless = open(place, SIMKIT__NAMELESS | O_WRONLY, 0666);
    if (d->nameless < 0) return false;
    snprintf(place, sizeof place, "/proc/self/fd/%d", d->nameless);
    d->file = fopen(place, "wb");
    if (d->file) return true;
    close(d->nameless);
    d->nameless = -1;
    return false;
}

/* Gives it the draft's name, if it is whole. */
static bool simkit__nameless_close(simkit__draft_file *d, bool whole)
{
    enum { HERE = -100, FOLLOW = 0x400 }; /* AT_FDCWD, AT_SYMLINK_FOLLOW */
    char place[32];
    snprintf(place, sizeof place, "/proc/self/fd/%d", d->nameless);
    if (whole && linkat(HERE, place, HERE, d->draft, FOLLOW) != 0) whole = false;
    close(d->nameless);
    return whole;
}
#else
static bool simkit__nameless_open(simkit__draft_file *d)
{
    (void)d;
    return false;
}

static bool simkit__nameless_close(simkit__draft_file *d, bool whole)
{
    (void)d;
    return whole;
}
#endif

/* Beside its place, under a name that nobody knows and nothing has, or without a name until it is whole: so no two runs
 * write into one file, and no link that lies there is followed. */
static bool simkit__draft_open(simkit__draft_file *d, const char *path)
{
    d->file = NULL;
    d->nameless = -1;
    d->draft[0] = 0;
    if (strlen(path) >= sizeof d->path) return false;
    simkit__path_whole(d->path, sizeof d->path, path);
    const char *name = d->path; /* its last part: with what comes behind it, no longer than the 255 bytes of a name */
    if (simkit__path_is_special(path)) {
        d->file = fopen(path, "wb");
        return d->file != NULL;
    }
    for (const char *c = d->path; *c; ++c)
        if (*c == '/' || *c == '\\') name = c + 1;
    snprintf(d->draft, sizeof d->draft, "%.*s.%012llx.part", (int)(name - d->path) + simkit__cut(name, 200), d->path,
             (unsigned long long)(simkit__guess_me(&d) >> 16));
    if (!simkit__nameless_open(d)) d->file = fopen(d->draft, SIMKIT__WRITE_NEW);
    return d->file != NULL;
}

/* Puts the file in its place, or away if it is not whole. */
static bool simkit__draft_close(simkit__draft_file *d, bool whole)
{
    if (ferror(d->file)) whole = false;
    if (fclose(d->file) != 0) whole = false;
    if (!d->draft[0]) return whole;
    if (d->nameless >= 0) whole = simkit__nameless_close(d, whole);
#ifdef _WIN32
    if (whole) remove(d->path); /* there, nothing is renamed onto a file */
#endif
    if (whole && rename(d->draft, d->path) == 0) return true;
    remove(d->draft);
    return false;
}

/*=============================================================================
 * MARK: - >>drawing (private)
 *
 * The body of gantt: bars are kept until somebody wants the picture.
 *===========================================================================*/
typedef struct simkit__bar {
    uint32_t row, name;
    double begin, end, bytes;
    simkit_node other; /* of a transfer: the far end; else 0 */
} simkit__bar;

struct simkit_gantt {
    simkit__layout layout;
    simkit__names names; /* of bars; their numbers choose the colours */
    simkit__bar *bars;
    double end;
    double left; /* where bars begin in the picture */
};

static void simkit__gantt_add(simkit_gantt *g, const simkit_watch_event *event, simkit_node node, simkit__row_kind kind,
                              simkit_node other)
{
    simkit__bar bar;
    uint32_t lane = simkit__layout_name(&g->layout, &g->layout.lanes, event->lane);
    bar.name = simkit__layout_name(&g->layout, &g->names, event->name);
    bar.row = simkit__layout_row(&g->layout, node, kind, lane, event->begin, event->time);
    bar.begin = event->begin;
    bar.end = event->time;
    bar.bytes = event->bytes;
    bar.other = other;
    if (!simkit__reserve(g->layout.world, g->bars, 1)) g->layout.no_memory = true;
    if (g->layout.no_memory) return;
    simkit__push(g->bars, bar);
    if (bar.end > g->end) g->end = bar.end;
}

static void simkit__gantt_watch(void *user, const simkit_world *world, const simkit_watch_event *event)
{
    simkit_gantt *g = (simkit_gantt *)user;
    (void)world;
    if (g->layout.no_memory) return;
    if (event->phase ==
        SIMKIT_WATCH_BEGIN) { /* bars come as they end; rows and colours are in the order of beginning */
        bool computes = event->kind == SIMKIT_WATCH_COMPUTE;
        uint32_t lane = simkit__layout_name(&g->layout, &g->layout.lanes, event->lane);
        if (computes || event->node != event->to) simkit__layout_name(&g->layout, &g->names, event->name);
        if (computes) simkit__layout_row(&g->layout, event->node, SIMKIT__ROW_COMPUTE, lane, event->time, event->time);
    }
    if (event->phase < SIMKIT_WATCH_END || g->layout.no_memory) return;
    if (event->kind == SIMKIT_WATCH_COMPUTE) {
        simkit__gantt_add(g, event, event->node, SIMKIT__ROW_COMPUTE, 0);
    } else if (event->node != event->to) {
        simkit__gantt_add(g, event, event->node, SIMKIT__ROW_SEND, event->to);
        simkit__gantt_add(g, event, event->to, SIMKIT__ROW_RECEIVE, event->node);
    }
}

SIMKIT_API simkit_result simkit_gantt_open(simkit_world *world, simkit_gantt **gantt)
{
    if (!gantt) return SIMKIT_BAD_ARGUMENT;
    *gantt = NULL;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit_gantt *g = (simkit_gantt *)simkit__resize(world, NULL, 0, sizeof *g);
    if (!g) return simkit__no_memory(world, "a timing diagram");
    memset(g, 0, sizeof *g);
    g->layout.world = world;
    simkit_result result =
        simkit_watch_add(world, SIMKIT_WATCH_COMPUTE | SIMKIT_WATCH_TRANSFER, simkit__gantt_watch, g);
    if (result != SIMKIT_OK) {
        simkit__release(world, g, sizeof *g);
        return result;
    }
    *gantt = g;
    return SIMKIT_OK;
}

SIMKIT_API void simkit_gantt_close(simkit_gantt *gantt)
{
    if (!gantt) return;
    simkit_world *w = gantt->layout.world;
    simkit_watch_remove(w, simkit__gantt_watch, gantt);
    simkit__discard(w, gantt->bars);
    simkit__names_free(w, &gantt->names);
    simkit__layout_free(&gantt->layout);
    simkit__release(w, gantt, sizeof *gantt);
}

/* Twelve colours that differ for most eyes; transfers get them paler. */
static const char *const simkit__colours[] = { "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377",
                                               "#ee7733", "#009988", "#997700", "#882255", "#999933", "#777777" };

static const char *simkit__colour(uint32_t name)
{
    return simkit__colours[name % 12];
}

/* Of a drawing [px]. */
static const double simkit__width = 1100, simkit__top = 64;

typedef struct simkit__place { /* where a row is drawn */
    double top, height;
} simkit__place;

/* Groups from the first node to the last: lanes in the order of appearance, then sends, then receives. `begin` is
 * begin[3 * nodes + 1], for numbers. */
static void simkit__gantt_order(const simkit_gantt *g, uint32_t *order, uint32_t *begin)
{
    const size_t kinds = (size_t)3 * simkit_node_count(g->layout.world), count = simkit__count(g->layout.groups);
    memset(begin, 0, (kinds + 1) * sizeof *begin);
    for (size_t i = 0; i < count; ++i)
        ++begin[3 * (size_t)(g->layout.groups[i].node - 1) + (size_t)g->layout.groups[i].kind + 1];
    for (size_t k = 0; k < kinds; ++k) begin[k + 1] += begin[k];
    for (size_t i = 0; i < count; ++i)
        order[begin[3 * (size_t)(g->layout.groups[i].node - 1) + (size_t)g->layout.groups[i].kind]++] = (uint32_t)i;
}

static double simkit__gantt_place(const simkit_gantt *g, const uint32_t *order, simkit__place *places)
{
    double y = simkit__top;
    const size_t count = simkit__count(g->layout.groups);
    for (size_t i = 0; i < count; ++i) {
        const simkit__group *group = &g->layout.groups[order[i]];
        for (size_t line = 0; line < simkit__count(group->rows); ++line) {
            simkit__place *place = &places[group->rows[line]];
            place->top = y;
            place->height = group->kind == SIMKIT__ROW_COMPUTE ? 14 : line == 0 ? 10 : 5;
            y += place->height + 1;
        }
        y += 2;
        if (i + 1 == count || g->layout.groups[order[i + 1]].node != group->node) y += 8;
    }
    return y;
}

/* A step for an axis: 1, 2 or 5 times a power of ten, about `count` of them in `range`. */
static double simkit__axis_step(double range, double count)
{
    double step = 1;
    while (step * count > range) step /= 10;
    while (step * count * 10 <= range) step *= 10;
    if (step * 5 * count <= range) return step * 5;
    return step * 2 * count <= range ? step * 2 : step;
}

static void simkit__svg_text(FILE *f, double x, double y, const char *more, const char *text)
{
    fputs("<text x=\"", f);
    simkit__put_number(f, x, 1);
    fputs("\" y=\"", f);
    simkit__put_number(f, y, 1);
    fprintf(f, "\" %s>", more);
    simkit__put_xml(f, text);
    fputs("</text>\n", f);
}

static void simkit__svg_box(FILE *f, double x, double y, double width, double height, const char *fill,
                            const char *more)
{
    fputs("<rect x=\"", f);
    simkit__put_number(f, x, 2);
    fputs("\" y=\"", f);
    simkit__put_number(f, y, 1);
    fputs("\" width=\"", f);
    simkit__put_number(f, width, 2);
    fputs("\" height=\"", f);
    simkit__put_number(f, height, 1);
    fprintf(f, "\" fill=\"%s\"%s", fill, more);
}

static void simkit__gantt_axis(const simkit_gantt *g, FILE *f, double end, double bottom)
{
    double step = simkit__axis_step(end, 8);
    int decimals = 0;
    for (double s = step; s < 0.99 && decimals < 12; s *= 10) ++decimals;
    for (int i = 0; i * step - end <= 1e-9 * end; ++i) {
        double x = g->left + i * (step / end) * simkit__width;
        char label[404];
        simkit__svg_box(f, x, simkit__top - 6, 0.6, bottom - simkit__top + 6, "#bbb", "/>\n");
        simkit__number_text(label, i * step, decimals);
        strcat(label, " s");
        simkit__svg_text(f, x, simkit__top - 10, "text-anchor=\"middle\" fill=\"#555\"", label);
    }
}

static void simkit__gantt_label(const simkit_gantt *g, const simkit__group *group, char label[128])
{
    const char *name = simkit_node_name(g->layout.world, group->node), *row = simkit__group_label(&g->layout, group);
    snprintf(label, 128, "%.*s: %.*s", simkit__cut(name, 60), name, simkit__cut(row, 60), row);
}

/* Where the bars begin: right of the longest label, as wide as such letters are at most. */
static double simkit__gantt_left(const simkit_gantt *g)
{
    char label[128];
    size_t longest = 24;
    for (size_t i = 0; i < simkit__count(g->layout.groups); ++i) {
        simkit__gantt_label(g, &g->layout.groups[i], label);
        if (strlen(label) > longest) longest = strlen(label);
    }
    return 20 + 6.25 * (double)longest;
}

static void simkit__gantt_labels(const simkit_gantt *g, FILE *f, const simkit__place *places)
{
    for (size_t i = 0; i < simkit__count(g->layout.groups); ++i) {
        const simkit__place *place = &places[g->layout.groups[i].rows[0]];
        char label[128];
        simkit__gantt_label(g, &g->layout.groups[i], label);
        simkit__svg_text(f, g->left - 8, place->top + place->height - 2, "text-anchor=\"end\"", label);
    }
}

static void simkit__gantt_bars(const simkit_gantt *g, FILE *f, const simkit__place *places, double end)
{
    for (size_t i = 0; i < simkit__count(g->bars); ++i) {
        const simkit__bar *bar = &g->bars[i];
        const simkit__place *place = &places[bar->row];
        double x = g->left + bar->begin / end * simkit__width;
        double width = (bar->end - bar->begin) / end * simkit__width;
        simkit__svg_box(f, x, place->top, width < 0.3 ? 0.3 : width, place->height, simkit__colour(bar->name),
                        bar->other ? " fill-opacity=\"0.45\"><title>" : "><title>");
        simkit__put_xml(f, g->names.texts[bar->name]);
        if (bar->other) {
            fputs(simkit__group_of(&g->layout, bar->row)->kind == SIMKIT__ROW_SEND ? " to " : " from ", f);
            simkit__put_xml(f, simkit_node_name(g->layout.world, bar->other));
            fputs(", ", f);
            simkit__put_number(f, bar->bytes, 0);
            fputs(" B", f);
        }
        fputs(", ", f);
        simkit__put_number(f, bar->begin, 6);
        fputs(" to ", f);
        simkit__put_number(f, bar->end, 6);
        fputs(" s</title></rect>\n", f);
    }
}

/* What the colours mean: a patch and a word for each name of a bar, in lines; gives the bottom. NULL: only that. */
static double simkit__gantt_legend(const simkit_gantt *g, FILE *f, double y)
{
    double x = g->left;
    for (uint32_t number = 0; number <= simkit__count(g->names.texts); ++number) {
        bool last = number == simkit__count(g->names.texts);
        const char *name = last ? "pale: on the network" : g->names.texts[number];
        double width = 34 + 6.5 * (double)strlen(name);
        if (!name[0]) continue;
        if (x > g->left && x + width > g->left + simkit__width) {
            x = g->left;
            y += 18;
        }
        if (f && !last) simkit__svg_box(f, x, y, 10, 10, simkit__colour(number), "/>\n");
        if (f) simkit__svg_text(f, last ? x : x + 14, y + 9, last ? "fill=\"#555\"" : "", name);
        x += width;
    }
    return y + 22;
}

static void simkit__gantt_draw(simkit_gantt *g, const char *title, const uint32_t *order, simkit__place *places,
                               FILE *f)
{
    const double bottom = simkit__gantt_place(g, order, places);
    const double end =
        g->end > 1e-300 ? g->end : 1; /* what is shorter has no axis: not even a step of it is a number */
    char wide[400], high[400];
    g->left = simkit__gantt_left(g);
    const double width = floor(g->left + simkit__width) + 40, height = floor(simkit__gantt_legend(g, NULL, bottom + 8));
    simkit__number_text(wide, width, 0);
    simkit__number_text(high, height, 0);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n",
            wide, high, wide, high);
    simkit__svg_box(f, 0, 0, width, height, "white", "/>\n");
    if (title) simkit__svg_text(f, g->left, 22, "font-size=\"16\"", title);
    simkit__gantt_axis(g, f, end, bottom);
    simkit__gantt_labels(g, f, places);
    simkit__gantt_bars(g, f, places, end);
    simkit__gantt_legend(g, f, bottom + 8);
    fputs("</svg>\n", f);
}

SIMKIT_API simkit_result simkit_gantt_write(simkit_gantt *gantt, const char *title, const char *path)
{
    if (!gantt || !path) return SIMKIT_BAD_ARGUMENT;
    simkit_world *w = gantt->layout.world;
    if (gantt->layout.no_memory) return simkit__no_memory(w, "all bars of a timing diagram");
    simkit__draft_file draft;
    simkit__place *places = NULL;
    uint32_t *order = NULL, *begin = NULL;
    simkit_result result = SIMKIT_OK;
    if (!simkit__reserve(w, places, simkit__count(gantt->layout.rows) + 1) ||
        !simkit__reserve(w, order, simkit__count(gantt->layout.groups) + 1) ||
        !simkit__reserve(w, begin, (size_t)3 * simkit_node_count(w) + 1))
        result = simkit__no_memory(w, "a timing diagram");
    else if (!simkit__draft_open(&draft, path))
        result = simkit__fail(w, SIMKIT_NO_FILE, "cannot write '%s'", path);
    if (result == SIMKIT_OK) {
        simkit__gantt_order(gantt, order, begin);
        simkit__gantt_draw(gantt, title, order, places, draft.file);
        if (!simkit__draft_close(&draft, true)) result = simkit__fail(w, SIMKIT_NO_FILE, "cannot write '%s'", path);
    }
    simkit__discard(w, places);
    simkit__discard(w, order);
    simkit__discard(w, begin);
    return result;
}

/*=============================================================================
 * MARK: - >>tracing (private)
 *
 * The body of trace: a bar goes to the file when it ends, so the length of a run costs no memory.
 *===========================================================================*/
typedef enum simkit__form { SIMKIT__CHROME, SIMKIT__PAJE, SIMKIT__CSV } simkit__form;

struct simkit_trace {
    simkit__layout layout;
    simkit__form form;
    size_t told;         /* rows that the file knows */
    uint64_t *shown;     /* Paje: shown[rows], the number of the computation that has begun there */
    simkit__index index; /* Paje: of rows, by that number */
    bool *known;         /* Paje: known[nodes + 1] */
    simkit__draft_file draft;
};

static void simkit__trace_rows(simkit_trace *t)
{
    for (; t->told < simkit__count(t->layout.rows); ++t->told) {
        const simkit__group *group = simkit__group_of(&t->layout, t->told);
        FILE *f = t->draft.file;
        fprintf(f, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%lu,\"args\":{\"name\":",
                (unsigned long)group->node);
        simkit__put_json(f, simkit_node_name(t->layout.world, group->node));
        fprintf(f, "}},\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%lu,\"tid\":%lu,\"args\":{\"name\":",
                (unsigned long)group->node, (unsigned long)t->told + 1);
        simkit__put_json(f, simkit__group_label(&t->layout, group));
        fputs("}}", f);
    }
}

/* JSON has no word for infinity. */
static void simkit__put_microseconds(FILE *file, double seconds)
{
    simkit__put_number(file, seconds < 1e302 ? seconds * 1e6 : 1e308, 3);
}

static void simkit__chrome_add(simkit_trace *t, const simkit_watch_event *event, simkit_node node,
                               simkit__row_kind kind, simkit_node other)
{
    FILE *f = t->draft.file;
    uint32_t lane = simkit__layout_name(&t->layout, &t->layout.lanes, event->lane);
    uint32_t row = simkit__layout_row(&t->layout, node, kind, lane, event->begin, event->time);
    if (t->layout.no_memory) return;
    simkit__trace_rows(t);
    fputs(",\n{\"ph\":\"X\",\"name\":", f);
    simkit__put_json(f,
                     event->name[0] ? event->name : simkit__group_label(&t->layout, simkit__group_of(&t->layout, row)));
    fprintf(f, ",\"cat\":\"%s\",\"pid\":%lu,\"tid\":%lu,\"ts\":", other ? "transfer" : "compute", (unsigned long)node,
            (unsigned long)row + 1);
    simkit__put_microseconds(f, event->begin);
    fputs(",\"dur\":", f);
    simkit__put_microseconds(f, event->time - event->begin);
    if (other) {
        fprintf(f, ",\"args\":{\"%s\":", kind == SIMKIT__ROW_SEND ? "to" : "from");
        simkit__put_json(f, simkit_node_name(t->layout.world, other));
        fputs(",\"bytes\":", f);
        simkit__put_number(f, event->bytes, 0);
        fputs("}", f);
    }
    fputs("}", f);
}

static void simkit__chrome_watch(simkit_trace *t, const simkit_watch_event *event)
{
    if (event->phase < SIMKIT_WATCH_END) return;
    if (event->kind == SIMKIT_WATCH_COMPUTE) {
        simkit__chrome_add(t, event, event->node, SIMKIT__ROW_COMPUTE, 0);
    } else if (event->node != event->to) {
        simkit__chrome_add(t, event, event->node, SIMKIT__ROW_SEND, event->to);
        simkit__chrome_add(t, event, event->to, SIMKIT__ROW_RECEIVE, event->node);
    }
}

/* A text in a form that has one line for each event and quotes without escapes. */
static void simkit__put_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text) {
        if ((unsigned char)*text < ' ' || *text == '"') {
            fputc('\'', file);
            ++text;
        } else {
            text = simkit__put_character(file, text);
        }
    }
    fputc('"', file);
}

static void simkit__csv_watch(simkit_trace *t, const simkit_watch_event *event)
{
    FILE *f = t->draft.file;
    const bool transfer = event->kind == SIMKIT_WATCH_TRANSFER;
    if (event->phase < SIMKIT_WATCH_END) return;
    fputs(transfer ? "transfer," : "compute,", f);
    simkit__put_quoted(f, event->name);
    fputc(',', f);
    simkit__put_quoted(f, simkit_node_name(t->layout.world, event->node));
    fputc(',', f);
    simkit__put_quoted(f, transfer ? simkit_node_name(t->layout.world, event->to) : "");
    fputc(',', f);
    simkit__put_quoted(f, event->lane);
    fputc(',', f);
    simkit__put_number(f, event->begin, 12);
    fputc(',', f);
    simkit__put_number(f, event->time, 12);
    fputc(',', f);
    simkit__put_number(f, transfer ? event->bytes : 0, 0);
    fputc('\n', f);
}

/* The definitions that a file in Paje's form begins with: which fields each event has, and what there is to see. */
static void simkit__paje_begin(FILE *f)
{
    static const char *const events[][6] = {
        { "PajeDefineContainerType", "Alias string", "Type string", "Name string", NULL, NULL },
        { "PajeDefineStateType", "Alias string", "Type string", "Name string", NULL, NULL },
        { "PajeDefineLinkType", "Alias string", "Type string", "StartContainerType string", "EndContainerType string",
          "Name string" },
        { "PajeCreateContainer", "Time date", "Alias string", "Type string", "Container string", "Name string" },
        { "PajePushState", "Time date", "Type string", "Container string", "Value string", NULL },
        { "PajePopState", "Time date", "Type string", "Container string", NULL, NULL },
        { "PajeStartLink", "Time date", "Type string", "Container string", "StartContainer string", "Value string" },
        { "PajeEndLink", "Time date", "Type string", "Container string", "EndContainer string", "Value string" },
        { "PajeDestroyContainer", "Time date", "Type string", "Name string", NULL, NULL },
    };
    for (int i = 0; i < (int)(sizeof events / sizeof *events); ++i) {
        fprintf(f, "%%EventDef %s %d\n", events[i][0], i);
        for (int k = 1; k < 6 && events[i][k]; ++k) fprintf(f, "%% %s\n", events[i][k]);
        if (i == 6 || i == 7) fputs("% Key string\n", f);
        fputs("%EndEventDef\n", f);
    }
    fputs("0 CW 0 \"world\"\n0 CN CW \"node\"\n0 CL CN \"lane\"\n1 S CL \"doing\"\n2 L CW CN CN \"message\"\n"
          "3 0.000000000000 W CW 0 \"world\"\n",
          f);
}

static void simkit__paje_time(simkit_trace *t, int event, double time)
{
    fprintf(t->draft.file, "%d ", event);
    simkit__put_number(t->draft.file, time, 12);
}

static bool simkit__paje_node(simkit_trace *t, simkit_node node, double time)
{
    simkit_world *w = t->layout.world;
    size_t count = simkit__count(t->known), wanted = (size_t)node + 1;
    if (wanted > count) {
        if (!simkit__reserve(w, t->known, wanted - count)) {
            t->layout.no_memory = true;
            return false;
        }
        for (; count < wanted; ++count) simkit__push(t->known, false);
    }
    if (t->known[node]) return true;
    t->known[node] = true;
    simkit__paje_time(t, 3, time);
    fprintf(t->draft.file, " N%lu CN W ", (unsigned long)node);
    simkit__put_quoted(t->draft.file, simkit_node_name(w, node));
    fputc('\n', t->draft.file);
    return true;
}

static void simkit__paje_compute(simkit_trace *t, const simkit_watch_event *event)
{
    FILE *f = t->draft.file;
    const uint32_t hash = simkit__hash_number(event->number);
    uint32_t row;
    if (event->phase == SIMKIT_WATCH_BEGIN) {
        const uint32_t lane = simkit__layout_name(&t->layout, &t->layout.lanes, event->lane);
        row = simkit__layout_row(&t->layout, event->node, SIMKIT__ROW_COMPUTE, lane, event->time, (double)INFINITY);
        const size_t more = simkit__count(t->layout.rows) - simkit__count(t->shown);
        if (!simkit__reserve(t->layout.world, t->shown, more) || !simkit__index_reserve(t->layout.world, &t->index))
            t->layout.no_memory = true;
        if (t->layout.no_memory || !simkit__paje_node(t, event->node, event->time)) return;
        while (simkit__count(t->shown) < simkit__count(t->layout.rows)) simkit__push(t->shown, 0);
        t->shown[row] = event->number;
        simkit__index_put(&t->index, hash, row);
        for (; t->told < simkit__count(t->layout.rows); ++t->told) {
            const simkit__group *group = simkit__group_of(&t->layout, t->told);
            simkit__paje_time(t, 3, event->time);
            fprintf(f, " R%lu CL N%lu ", (unsigned long)t->told, (unsigned long)group->node);
            simkit__put_quoted(f, simkit__group_label(&t->layout, group));
            fputc('\n', f);
        }
        simkit__paje_time(t, 4, event->time);
        fprintf(f, " S R%lu ", (unsigned long)row);
        simkit__put_quoted(f, event->name[0] ? event->name : "computes");
        fputc('\n', f);
        return;
    }
    if (event->phase < SIMKIT_WATCH_END) return;
    for (size_t at = hash; (row = simkit__index_next(&t->index, hash, &at)) != SIMKIT__NONE;) {
        if (t->shown[row] != event->number) continue;
        simkit__row_ends(&t->layout, row, event->time);
        simkit__paje_time(t, 5, event->time);
        fprintf(f, " S R%lu\n", (unsigned long)row);
        simkit__index_drop(&t->index, hash, row);
        return;
    }
}

static void simkit__paje_transfer(simkit_trace *t, const simkit_watch_event *event)
{
    const bool begins = event->phase == SIMKIT_WATCH_BEGIN;
    if (event->node == event->to || (!begins && event->phase < SIMKIT_WATCH_END)) return;
    const simkit_node node = begins ? event->node : event->to;
    if (!simkit__paje_node(t, node, event->time)) return;
    simkit__paje_time(t, begins ? 6 : 7, event->time);
    fprintf(t->draft.file, " L W N%lu \"", (unsigned long)node);
    simkit__put_number(t->draft.file, event->bytes, 0);
    fprintf(t->draft.file, " B\" M%llu\n", (unsigned long long)event->number);
}

static void simkit__trace_watch(void *user, const simkit_world *world, const simkit_watch_event *event)
{
    simkit_trace *t = (simkit_trace *)user;
    (void)world;
    if (t->layout.no_memory) return;
    if (t->form == SIMKIT__CHROME)
        simkit__chrome_watch(t, event);
    else if (t->form == SIMKIT__CSV)
        simkit__csv_watch(t, event);
    else if (event->kind == SIMKIT_WATCH_COMPUTE)
        simkit__paje_compute(t, event);
    else
        simkit__paje_transfer(t, event);
}

static bool simkit__ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), less = strlen(end);
    return length >= less && strcmp(text + length - less, end) == 0;
}

SIMKIT_API simkit_result simkit_trace_open(simkit_world *world, const char *path, simkit_trace **trace)
{
    if (!trace) return SIMKIT_BAD_ARGUMENT;
    *trace = NULL;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!path) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a trace needs a path");
    simkit_trace *t = (simkit_trace *)simkit__resize(world, NULL, 0, sizeof *t);
    if (!t) return simkit__no_memory(world, "a trace");
    memset(t, 0, sizeof *t);
    t->layout.world = world;
    if (simkit__ends_with(path, ".paje") || simkit__ends_with(path, ".trace"))
        t->form = SIMKIT__PAJE;
    else if (simkit__ends_with(path, ".csv"))
        t->form = SIMKIT__CSV;
    simkit_result result = SIMKIT_OK;
    if (!simkit__draft_open(&t->draft, path))
        result = simkit__fail(world, SIMKIT_NO_FILE, "cannot write '%s'", path);
    else if ((result = simkit_watch_add(world, SIMKIT_WATCH_COMPUTE | SIMKIT_WATCH_TRANSFER, simkit__trace_watch, t)) !=
             SIMKIT_OK)
        simkit__draft_close(&t->draft, false);
    if (result != SIMKIT_OK) {
        simkit__release(world, t, sizeof *t);
        return result;
    }
    if (t->form == SIMKIT__PAJE)
        simkit__paje_begin(t->draft.file);
    else if (t->form == SIMKIT__CSV)
        fputs("kind,name,node,to,lane,begin [s],end [s],bytes [B]\n", t->draft.file);
    else
        fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
              "{\"ph\":\"M\",\"name\":\"simkit\",\"pid\":0,\"args\":{}}",
              t->draft.file);
    *trace = t;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_trace_close(simkit_trace *trace)
{
    if (!trace) return SIMKIT_OK;
    simkit_world *w = trace->layout.world;
    simkit_result result = SIMKIT_OK;
    bool whole = !trace->layout.no_memory;
    simkit_watch_remove(w, simkit__trace_watch, trace);
    if (trace->form == SIMKIT__CHROME) fputs("\n]}\n", trace->draft.file);
    if (!simkit__draft_close(&trace->draft, whole))
        result = whole ? simkit__fail(w, SIMKIT_NO_FILE, "cannot write '%s'", trace->draft.path)
                       : simkit__no_memory(w, "all rows of a trace");
    simkit__discard(w, trace->shown);
    simkit__index_free(w, &trace->index);
    simkit__discard(w, trace->known);
    simkit__layout_free(&trace->layout);
    simkit__release(w, trace, sizeof *trace);
    return result;
}
#endif

#ifdef __cplusplus
}
#endif

#ifdef SIMKIT__STBDS_IS_OURS /* the host may include its own from here on */
#undef INCLUDE_STB_DS_H
#ifdef SIMKIT__STBDS_HID_SHORT_NAMES
#undef STBDS_NO_SHORT_NAMES
#endif
#undef stbds_rand_seed
#undef stbds_hash_bytes
#undef stbds_hash_string
#undef stbds_stralloc
#undef stbds_strreset
#undef stbds_unit_tests
#undef stbds_arrgrowf
#undef stbds_arrfreef
#undef stbds_hmfree_func
#undef stbds_hmget_key
#undef stbds_hmget_key_ts
#undef stbds_hmput_default
#undef stbds_hmput_key
#undef stbds_hmdel_key
#undef stbds_shmode_func
#undef stbds_array_header
#undef stbds_string_block
#undef stbds_string_arena
#undef STBDS_SH_NONE
#undef STBDS_SH_DEFAULT
#undef STBDS_SH_STRDUP
#undef STBDS_SH_ARENA
#ifdef __cplusplus
#undef stbds_arrgrowf_wrapper
#undef stbds_hmget_key_wrapper
#undef stbds_hmget_key_ts_wrapper
#undef stbds_hmput_default_wrapper
#undef stbds_hmput_key_wrapper
#undef stbds_hmdel_key_wrapper
#undef stbds_shmode_func_wrapper
#endif
#endif

#endif /* SIMKIT_IMPLEMENTATION */

/*
MIT No Attribution

Copyright 2026 the simkit authors

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/

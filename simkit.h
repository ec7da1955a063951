/*
simkit.h - what happens when: a virtual clock, and what computes, travels and waits on it

How long will this parallel program take on that cluster, and why? Open a world, add nodes, start computations, transfers
and processes, run it, and read the virtual time:

    #define SIMKIT_IMPLEMENTATION
    #include "simkit.h"
    static simkit_world_desc network;
    static simkit_node_desc computer;
    static simkit_transfer_desc message;
    int main(void)
    {
        simkit_world *world;
        network.latency = 60e-6;
        computer.up_bandwidth = computer.down_bandwidth = 12.5e6;
        simkit_result result = simkit_world_open(&network, &world);
        if (!result) result = simkit_node_add(world, &computer, &message.from);
        if (!result) result = simkit_node_add(world, &computer, &message.to);
        message.bytes = 1e6;
        if (!result) result = simkit_transfer_start(world, &message, NULL);
        if (!result) result = simkit_world_run(world);
        if (result) puts(simkit_world_why(world));
        else printf("1 MB over Fast Ethernet: %.5f s\n", simkit_clock_now(world));
        simkit_world_close(world);
        return result != SIMKIT_OK;
    }

USE      Define SIMKIT_IMPLEMENTATION in one C or C++ file, as above; all other files just include the header.
         netmodel.h and contention.h lie beside it, and their bodies come along. stb_ds.h lies beside it or is found as
         <stb/stb_ds.h>; the body includes it as the file's options for it say, such as STBDS_NO_SHORT_NAMES, but never
         its implementation. Link with -lm. Nothing is global: open as many worlds as you like.

UNITS    Seconds [s], bytes [B], bandwidths [B/s]; CPU time in seconds of one core at speed 1 [s].

ZERO     A description that is all zero is neutral: a network without latency and of infinite bandwidth, a computer with one
         core of speed 1. Set only what differs.

VERBS    open and close   what owns memory: a world, a mailbox, a resource
         add              permanent parts of a world: a node, an operation, a watcher
         start, cancel    what takes virtual time: a computation, a transfer, a process
         A handle that a call makes is its last argument, and may be NULL where it is not needed. A parameter is
         described where a room first has it, and not at all if its type says enough.

ROOMS    grep 'MARK: - >>' walks them:
    results      what a call returns
    memory       where memory comes from; stores and arrays for things of your own
    world        open, run, stop, close; the last error
    clock        the virtual time, and steps: calls at a time
    nodes        computers: speed, cores, memory bandwidth, quota, bandwidths of links
    computing    computations that share the CPU of their node
    loads        the Unix load average of a node, for any window
    links        networks: links that transfers cross on routes, and that change, fail and return
    transfers    bytes between nodes; connections; pairs with a link of their own
    mailboxes    messages: posted here, taken there
    waiting      resources with a capacity (mutexes and semaphores are resources), conditions, barriers
    processes    functions with a stack of their own on the virtual clock
    operations   work that is run, measured a few times, or modelled
    watch        everything that happens, as callbacks; fingerprints
    probe        for observers: who asked for an event, the rates of transfers, changes of links
    log          lines of text with the virtual time and the process, to a callback
    random       streams of random numbers with the same bits everywhere
    names        names and their numbers; what is found by a key
  The bodies follow in the same order, but for that of the world, which comes last. No room calls one that stands on it, so
  there is an order from the simple to the rest: tests/check/rooms draws it. Private rooms are before the first body that
  needs them:
    stb_ds       (private) dynamic arrays, the only room that uses stbds_
    state        (private) the data of a world
    switching    (private) switching from one stack to another
    stacks       (private) allocation of stacks
    texts        (private) names and arrays that a world keeps
    queue        (private) a radix heap of the times of armed timers, in chunks
    front        (private) the earliest of them: pushing, popping, dealing out, sweeping
    observers    (private) calls of the probes: events, rates of transfers, changes of links
    timers       (private) what is due: steps, and the engine's own
    reports      (private) what watchers and the fingerprint are told
    groups       (private) which member of a group with a common rate is done first
    shares       (private) how the computations of a node share its CPU
    places       (private) lists of waiters: one per resource, condition, barrier, or thing that ends
    network      (private) what the network consists of, and how shares are computed: begin here
    dues         (private) when the first tags of the ports are reached
    levels       (private) what max-min fair shares knows of a port
    ports        (private) one direction of a link, and the transfers that cross it
    routed       (private) transfers over any number of ports: routes, limits, weights
    following    (private) a transfer and the port that holds it back
    equal        (private) equal shares: which port each transfer follows
    ranks        (private) max-min fair shares: which ports are computed anew, in which order
    sums         (private) what a port holds back, and what only passes
    quiet        (private) ports that need not be looked at
    bottlenecks  (private) max-min fair shares: where each transfer is held back
    filling      (private) the same from scratch, and max-min fair shares at the end of an instant
    flows        (private) the life of a transfer
    settling     (private) all changes of one instant together
    wires        (private) links as ports; those of a topology
    ways         (private) how a transfer gets from one node to another
    profiles     (private) bandwidths of links that follow tables
    deliveries   (private) messages in transit and in mailboxes
    waiters      (private) who gets what: messages, units, signals, ends
    overflows    (private) the handler of a stack overflow, if there is one
    scheduling   (private) which process runs
    sentences    (private) what processes wait for, in words
    waits        (private) how a process waits
    events       (private) timers that are due, and the ends of computations, transfers and messages

OPTIONS  Define them before the body; the first three, which leave out declarations, before every include. The body, with those
         of the lower headers, has 277 KB of code and takes gcc 12 -O2 9 s of CPU time to compile on a slow machine; with all of
         util/ it is 485 KB and 14 s. What an option saves there, by tests/bench/sizes:
    SIMKIT_STATIC          all functions are static, in each file that calls them: nothing is exported, unused code is dropped
    SIMKIT_NO_PROCESSES    44 KB, 2.6 s: processes and their stacks; the rest is plain ISO C
    SIMKIT_NO_STDIO        nothing here, which opens no files; util/simkit_files.h reads texts only
    SIMKIT_LOWER_ELSEWHERE 54 KB, 1.9 s: the bodies of netmodel.h and contention.h are in another file of the program
    SIMKIT_ASSERT(x)       checks of the engine's invariants, default assert(x); 3 KB with NDEBUG
    SIMKIT_ANY_FLOAT       nothing; accepts x87, whose results differ in their last bits
    SIMKIT_USE_UCONTEXT    1 KB; switches stacks with ucontext even where there is assembly
    SIMKIT_CATCH_OVERFLOW  1 KB; a stack overflow ends the run with a result: handles SIGSEGV and SIGBUS during a run
    SIMKIT_VALGRIND        nothing; tells valgrind where stacks are; needs <valgrind/memcheck.h>

ERRORS   A call in a world returns a simkit_result; simkit_world_why() is the sentence with the name, the number and the
         virtual time. A failed call changes nothing. Compilers warn where a result is ignored. Nothing prints, exits or
         catches signals, except that SIMKIT_CATCH_OVERFLOW does. Every callback must return: after a longjmp() or a C++
         exception out of one, the world stays inside its run for ever. It cannot run, be reset or be closed any more.

OWNED    A call copies what it takes, or uses it only until it returns: descriptions, names of any length, arrays. What stays
         yours and is kept as it is: functions, and the pointers that are passed back to you, `user` and `data`. Values that
         you hold yourself, such as a topology, point to your arrays.

THREADS  A world belongs to one thread at a time; different worlds share nothing. A world with processes stays on the
         thread that runs it: compilers keep the addresses of errno and of thread-local variables across a wait.

TIME     double seconds: at 1e6 s neighbouring times are 1.2e-10 s apart. Steps run in the order of (time, priority,
         number): those of one instant and priority in the order in which they were asked for. The same inputs give the same
         bits wherever doubles are IEEE doubles. -ffast-math, -ffinite-math-only and x87 arithmetic (i686 without
         -msse2 -mfpmath=sse) would change that: the body refuses them.

ON TOP   Single headers of util/, each copied alone, on public calls:
    simkit_statistics.h  distributions, tallies, quantiles, batch means, intervals
    simkit_files.h       a reader with tables of keys, machine files, tables of measurements
    simkit_users.h       other people's work: arrivals, traces of processes, users with a behaviour graph, and their files
    simkit_trace.h       timing diagrams (SVG), and traces for Perfetto, for Paje's viewers, or as a table
    simkit_why.h         why a run took so long: its critical path, what its nodes did, how much of each link it used

SINCE    0.1.0, the first version: all of it.
*/
/** @file
 *  A simulation engine: the virtual clock, nodes, computations, transfers, processes, and callbacks for what happens.
 */
#ifndef SIMKIT_H
#define SIMKIT_H

#include <stdarg.h>
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

/* Where no way is known to switch stacks: WebAssembly without Emscripten, and Windows unless for x86-64 with gcc or clang. */
#if !defined(SIMKIT_NO_PROCESSES) && ((defined(__wasm__) && !defined(__EMSCRIPTEN__)) ||                               \
                                      (defined(_WIN32) && !(defined(__GNUC__) && defined(__x86_64__))))
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

/* A compiler warns where a result is ignored. With [[nodiscard]], in C++17 and C23, a cast to void says: on purpose. */
#if (defined(__cplusplus) && __cplusplus >= 201703L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L)
#define SIMKIT__CHECKED [[nodiscard]] SIMKIT_API
#elif defined(__GNUC__)
#define SIMKIT__CHECKED __attribute__((warn_unused_result)) SIMKIT_API
#else
#define SIMKIT__CHECKED SIMKIT_API
#endif

#if defined(__GNUC__)
#define SIMKIT__FORMAT(at, from) __attribute__((format(printf, at, from)))
#else
#define SIMKIT__FORMAT(at, from)
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
 *  What a call returns. @{ */

/** What a call in a world returns. */
typedef enum simkit_result {
    SIMKIT_OK = 0,          /**< done */
    SIMKIT_STOPPED,         /**< simkit_world_stop() ended the run; run again to continue */
    SIMKIT_BAD_ARGUMENT,    /**< a number is negative, NaN or infinite, or a pointer is missing */
    SIMKIT_BAD_TIME,        /**< a time before now, or too late for a double */
    SIMKIT_BAD_CALL,        /**< not possible here: a process's call outside a process, a run inside a run */
    SIMKIT_UNKNOWN_NODE,    /**< no such node in this world */
    SIMKIT_NODE_FAILED,     /**< the node has failed, before the call or during the wait */
    SIMKIT_UNKNOWN_MAILBOX, /**< no such mailbox in this world */
    SIMKIT_UNKNOWN_PROCESS, /**< no such process, or it has ended */
    SIMKIT_MAILBOX_CLOSED,  /**< the mailbox is closed */
    SIMKIT_DEADLOCK,        /**< processes wait, but only background is left */
    SIMKIT_STACK_OVERFLOW,  /**< a process needed more stack than it has */
    SIMKIT_NO_MEMORY,       /**< there is no memory; the world is unchanged */
    SIMKIT_BAD_FILE,        /**< a file has a parse error */
    SIMKIT_NO_FILE,         /**< a file could not be read or written */
    SIMKIT_CANCELLED,       /**< the computation or transfer that a process waited for was cancelled */
    SIMKIT_TIMED_OUT,       /**< the time limit of a wait has passed: simkit_process_limit() */
    SIMKIT_INTERRUPTED,     /**< simkit_process_interrupt() ended the wait */
    SIMKIT_CLOSED,          /**< the resource, condition or barrier was closed during the wait */
    SIMKIT_UNKNOWN_PLACE,   /**< no such resource, condition or barrier in this world, or it is closed */
    SIMKIT_STANDSTILL,      /**< the clock stands still: too many events at one instant */
    SIMKIT_UNKNOWN_LINK,    /**< no such link in this world */
    SIMKIT_LINK_FAILED,     /**< a link on the way has failed, before the call or during the wait */
    SIMKIT_BAD_TOPOLOGY     /**< netmodel_topology_check() refuses the topology, or a bandwidth in it is below 1 B/s */
} simkit_result;

/** A sentence for a result, also for an unknown one; constant, never NULL. */
SIMKIT_API const char *simkit_result_text(simkit_result result);

/** vsnprintf() for sentences: the same text in every locale, and on every processor.
 *
 *  @param[out] text    text[size], with a zero at its end; what does not fit is cut.
 *  @param[in]  format  With %s, %c, %d, %u, %x, %e, %f and %g, a width, a precision, `-` or `0` before them, l before d, u
 *                      and x, and z before u and x. A %g without a precision has 9 digits.
 *  @return  How long the whole text is; 0 for an error.
 */
SIMKIT_API size_t simkit_text_format(char *text, size_t size, const char *format, va_list values);
/** @} */

/*=============================================================================
 * MARK: - >>memory
 *===========================================================================*/
/** @defgroup simkit_memory_hook simkit: memory
 *  Where memory comes from: one value for worlds, and for whatever is read from files. @{ */

/** Like realloc(), with the old size given. With `new_bytes` 0 it frees and returns NULL. A NULL for another size means
 *  that there is no memory; the old block is still valid then. */
typedef void *simkit_reallocate(void *user, void *pointer, size_t old_bytes, size_t new_bytes);

/** Where memory comes from. All zero is the C library's allocator. */
typedef struct simkit_memory {
    simkit_reallocate *reallocate; /**< the hook; NULL: realloc() and free() */
    void *user;                    /**< passed to it */
} simkit_memory;

/** What an owner has taken from a hook. All zero is right for memory of the C library. The kit's own things have one each; so may
 *  yours, for arrays and names of your own: simkit_world_store() is that of a world. */
typedef struct simkit_store {
    simkit_memory memory; /**< where it comes from */
    size_t bytes;         /**< in use [B] */
    size_t peak;          /**< the most that was in use [B] */
} simkit_store;

/** A struct of your own, zeroed, whose first member is a store, which counts the struct as well.
 *
 *  @param[in] memory  Where it comes from; NULL: the C library.
 *  @param[in] bytes   Size of the struct [B].
 *  @return  The struct; NULL without memory.
 */
SIMKIT_API void *simkit_store_open(const simkit_memory *memory, size_t bytes);

/** Frees such a struct. All else that the store has given must have been freed: SIMKIT_ASSERT() looks. */
SIMKIT_API void simkit_store_close(simkit_store *store, size_t bytes);

/** realloc() from a store, which counts it; frees if `new_bytes` is 0.
 *
 *  @param[in] pointer    What simkit_store_resize() gave; NULL for something new.
 *  @param[in] old_bytes  Its size [B]; 0 for something new.
 *  @param[in] new_bytes  What it is to have [B].
 *  @return  The block, uninitialized where it is new; NULL for 0 bytes, and where there is no memory: the old block is still
 *           valid then.
 */
SIMKIT_API void *simkit_store_resize(simkit_store *store, void *pointer, size_t old_bytes, size_t new_bytes);

/** Makes room for more elements in an array, which is a pointer, NULL at first, to elements of one size. How many it has is kept
 *  with it: simkit_array_count(). It may move. Use simkit_array_reserve(), which knows the size.
 *
 *  @param[in] slot     The address of the pointer.
 *  @param[in] element  Size of an element [B].
 *  @param[in] more     So many can be added without asking again.
 *  @return  False without memory; nothing has changed then.
 *  @cost    Amortized O(1) for each element that is added.
 */
SIMKIT_API bool simkit_array_grow(simkit_store *store, void *slot, size_t element, size_t more);

/** The number of elements of an array; 0 for NULL. */
SIMKIT_API size_t simkit_array_count(const void *array);

/** Counts one more element, for which there must be room, and gives its place. Use simkit_array_push(), which sets it. */
SIMKIT_API size_t simkit_array_add(void *array);

/** Takes elements away from the end of an array, down to so many; the memory stays. NULL is harmless. */
SIMKIT_API void simkit_array_cut(void *array, size_t count);

/** Frees an array; NULL is harmless. Use simkit_array_discard(), which knows the size. */
SIMKIT_API void simkit_array_free(simkit_store *store, void *array, size_t element);

/** Whether there is room for so many more elements. */
#define simkit_array_reserve(store, array, more) simkit_array_grow((store), &(array), sizeof *(array), (more))
/** Adds an element, for which there is room. */
#define simkit_array_push(array, value) ((array)[simkit_array_add(array)] = (value))
/** Frees an array, which is then NULL. */
#define simkit_array_discard(store, array) (simkit_array_free((store), (array), sizeof *(array)), (array) = NULL)
/** @} */

/*=============================================================================
 * MARK: - >>world
 *===========================================================================*/
/** @defgroup simkit_world simkit: world
 *  Open, run, stop, close; memory and the last error. @{ */

/** A world: one virtual clock, and everything on it. */
typedef struct simkit_world simkit_world;

/** A callback: a step that is due, a computation or transfer that has ended, the body of a process. It must return: see ERRORS
 *  at the top. Within a process, longjmp() to a setjmp() of the same process works. */
typedef void simkit_call(simkit_world *world, void *user);

/** How transfers share links. */
typedef enum simkit_sharing {
    SIMKIT_SHARING_EQUAL, /**< the smaller of the equal shares of both links: netmodel_star_rate(), [dps] */
    SIMKIT_SHARING_MAXMIN /**< others get what one cannot use: netmodel_maxmin_rates() */
} simkit_sharing;

/** A world to open; all zero is a good one. */
typedef struct simkit_world_desc {
    uint64_t seed;          /**< of all random numbers; 0 is a seed like any other */
    simkit_memory memory;   /**< where the world's memory comes from */
    simkit_sharing sharing; /**< how transfers share */
    double latency;         /**< of the whole path between two different nodes [s] */
    /** CPU time of the calling thread so far [s], never decreasing; NULL: the C library's clock(), which counts all
     *  threads. This machine's time enters a world only here, so a test can replay it. */
    double (*processor_time)(void *user);
    void *processor_time_user; /**< passed to it */
    /** A run ends when at least so many events have run at one instant, at most twice as many; 0: 10 million. */
    uint64_t instant_limit;
    /** Accept links and memories of less than 1 B/s, those of nodes down to 1e-3 B/s. They are refused otherwise: a byte
     *  time was given in place of a bandwidth, or a bandwidth in place of a byte time. */
    bool slow_links;
    /** Window of each TCP connection [B]: a transfer gets at most netmodel_window_rate(); 0: no limit. */
    double window;
    /** How the two directions between two nodes share [1], 1 to 2; 0 means 2: each is independent. Together they get at most
     *  `max + (pair_duplex - 1) * min` of the smallest bandwidths on the two ways, so that many times the bandwidth if both
     *  have the same: see netmodel_duplex(). Where a route or the link of a pair is set during a run, transfers that have been
     *  started keep the limit that they had. */
    double pair_duplex;
    /** The network; copied. NULL: one switch. Its links become the first links of the world: link i + 1 is its link i. Nodes
     *  are attached to its hosts, see `place` of simkit_node_desc. */
    const netmodel_topology *topology;
} simkit_world_desc;

/** Opens a world at time 0.
 *
 *  @param[in]  desc   Its description; NULL is the same as all zero.
 *  @param[out] world  The new world; NULL if the call fails.
 *  @return  SIMKIT_OK, SIMKIT_NO_MEMORY, SIMKIT_BAD_ARGUMENT, SIMKIT_BAD_TOPOLOGY. There is no world yet to ask for the
 *           reason: netmodel_topology_check() says what is wrong with a topology, and where. It accepts bandwidths below
 *           1 B/s, which need `slow_links`.
 */
SIMKIT__CHECKED simkit_result simkit_world_open(const simkit_world_desc *desc, simkit_world **world);

/** The description of a world as it is now, for what is added to it: with what simkit_world_topology() and its neighbours have
 *  set.
 *
 *  @return  The description; all zero for NULL. Its topology is that of the world, valid until it is reset or closes.
 */
SIMKIT_API simkit_world_desc simkit_world_get(const simkit_world *world);

/** Gives a world a network, as `topology` of its description does, while it has neither nodes nor links.
 *
 *  @param[in] topology  The network; copied.
 *  @return  SIMKIT_OK; SIMKIT_BAD_TOPOLOGY; SIMKIT_BAD_ARGUMENT for a world that has nodes, links or a topology; SIMKIT_NO_MEMORY,
 *           also for a topology with a route of more than #SIMKIT_ROUTE_LINKS.
 */
SIMKIT__CHECKED simkit_result simkit_world_topology(simkit_world *world, const netmodel_topology *topology);

/** Sets `window` of the description of a world that has no nodes yet; simkit_world_reset() forgets it.
 *
 *  @param[in] window  Of each TCP connection [B]; 0: no limit.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT.
 */
SIMKIT__CHECKED simkit_result simkit_world_window(simkit_world *world, double window);

/** Sets `pair_duplex` of the description of a world that has no nodes yet; simkit_world_reset() forgets it.
 *
 *  @param[in] factor  How the two directions between two nodes share [1], 1 to 2; 0 means 2.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT.
 */
SIMKIT__CHECKED simkit_result simkit_world_pair_duplex(simkit_world *world, double factor);

/** Closes a world and frees everything in it; its handles become invalid.
 *
 *  The stacks of processes that still wait are freed without unwinding, so memory that only they know is lost.
 *
 *  @param[in] world  The world; NULL is harmless. Inside a run the world stays open and the run ends with
 *                    SIMKIT_BAD_CALL. Called by a watcher or the logger outside a run, the world stays open as well, and
 *                    simkit_world_why() says so.
 */
SIMKIT_API void simkit_world_close(simkit_world *world);

/** Makes a world as new, as simkit_world_open() gives it, but keeps its memory: for many runs one after another.
 *
 *  Everything in it ends as in simkit_world_close(): no callback is called, what observes it is closed, watchers and the
 *  logger are gone. The next run gives the same bits as in a new world. Only the values of handles differ: those of
 *  before the reset stay invalid, except nodes and mailboxes, which are numbers.
 *
 *  @param[in] world  The world.
 *  @param[in] desc   Its new description, whose `memory` is ignored; NULL: the one that it has.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT or SIMKIT_BAD_TOPOLOGY for an impossible description and SIMKIT_BAD_CALL
 *           inside a run or in a watcher, which change nothing; SIMKIT_NO_MEMORY for a new topology, and then the world has none.
 *           Nothing else needs memory.
 */
SIMKIT__CHECKED simkit_result simkit_world_reset(simkit_world *world, const simkit_world_desc *desc);

/** Runs until only background is left.
 *
 *  Background is the work of the sources of >>background, computations whose description says so, and steps after
 *  simkit_step_background(). It competes like any other work but never keeps a run alive: the clock stays at the end of
 *  the last work in the foreground. A run of nothing but background ends at once; use simkit_world_run_until(). The
 *  next run continues the same background.
 *
 *  @return  SIMKIT_OK when everything is done; SIMKIT_STOPPED; SIMKIT_DEADLOCK when processes wait and only background
 *           is left (simkit_world_why() says which, and for what); SIMKIT_STACK_OVERFLOW; SIMKIT_NO_MEMORY for a
 *           background process; SIMKIT_BAD_TIME when something would end beyond the largest double, or when the time is so
 *           large that doubles cannot tell the periods of a quota or the arrivals of a source apart, or the end of a quota
 *           from its beginning; SIMKIT_STANDSTILL after too many events at one instant (see `instant_limit`;
 *           simkit_world_why() names what ran last, and the next run goes on); SIMKIT_BAD_CALL inside a run or in a watcher.
 */
SIMKIT__CHECKED simkit_result simkit_world_run(simkit_world *world);

/** Runs everything that is due up to and including a time, background or not, then sets the clock to it.
 *
 *  @param[in] until  Virtual time [s], not before now.
 *  @return  As simkit_world_run(), but never SIMKIT_DEADLOCK; SIMKIT_BAD_TIME for a time before now.
 */
SIMKIT__CHECKED simkit_result simkit_world_run_until(simkit_world *world, double until);

/** Ends the run after the current step; pending events stay pending. */
SIMKIT_API void simkit_world_stop(simkit_world *world);

/** Whether a run is under way, of which the caller is a step, a process, a callback or an observer. */
SIMKIT_API bool simkit_world_running(const simkit_world *world);

/** The sentence for the last error: what went wrong, with its name and number, and the virtual time.
 *
 *  What has no name is called by its number: "node 2", "process 3", "the transfer from node 1 to node 2". A call that
 *  succeeds leaves the sentence as it is, so read it only after a failure, as errno.
 *
 *  @return  A sentence, valid until the next call that fails; empty if none has failed. After a run that was stopped: of
 *           the last call that failed in it, or that it was stopped. For NULL: that there is no world.
 */
SIMKIT_API const char *simkit_world_why(const simkit_world *world);

/** Memory in use, and its maximum so far.
 *
 *  @param[out] peak   The maximum so far [B]; may be NULL.
 *  @return  Memory in use [B]. Stacks count with all of their address space, of which the system keeps only the pages
 *           that were touched.
 */
SIMKIT_API size_t simkit_world_memory(const simkit_world *world, size_t *peak);

/** The store of a world, for what belongs to it: it must be empty again when the world closes. NULL for NULL. */
SIMKIT_API simkit_store *simkit_world_store(simkit_world *world);

/** Fails a call of your own as calls of the kit fail: simkit_world_why() then says the sentence, with the virtual time.
 *
 *  @param[in] result  Why.
 *  @param[in] format  Format of the sentence, as for simkit_text_format(); without a newline at its end.
 *  @return  `result`, so that `return simkit_world_fail(...)` is all.
 */
SIMKIT__CHECKED simkit_result simkit_world_fail(simkit_world *world, simkit_result result, const char *format, ...)
    SIMKIT__FORMAT(3, 4);

/** Ends the run with an error. Every later run fails with the same sentence, until simkit_world_reset(). For an event that could
 *  not take place, for instance because there was no memory: everything after it would be wrong.
 *
 *  @param[in] result  Why; not SIMKIT_OK.
 *  @param[in] format  Format of the sentence, as for simkit_text_format(). NULL keeps the sentence of the call that has just
 *                     failed.
 */
SIMKIT_API void simkit_world_break(simkit_world *world, simkit_result result, const char *format, ...)
    SIMKIT__FORMAT(3, 4);

/** Copies an array, or a name with the zero at its end, into the world, which keeps the copy until it closes or is reset. Equal
 *  arrays share one copy. They are compared byte by byte, so set the padding of structs to zero.
 *
 *  @param[in] data   What to copy.
 *  @param[in] bytes  How many [B], > 0.
 *  @return  The copy; NULL without memory.
 */
SIMKIT_API const void *simkit_world_keep(simkit_world *world, const void *data, size_t bytes);
/** @} */

/*=============================================================================
 * MARK: - >>clock
 *===========================================================================*/
/** @defgroup simkit_clock simkit: clock
 *  The virtual time, and steps: calls at a time, in the order of (time, priority, number). @{ */

/** Handle of a step; 0 is none. It may outlive its step, and is never reused. */
typedef uint64_t simkit_step;

/** The virtual time now [s], >= 0; it never goes back. */
SIMKIT_API double simkit_clock_now(const simkit_world *world);

/** The time of the next event.
 *
 *  @return  Its virtual time [s]; INFINITY if nothing is pending. Now, if a transfer has begun to flow or has ended at
 *           this instant: the shares of the others change at the end of the instant.
 */
SIMKIT_API double simkit_clock_next(const simkit_world *world);

/** The number of events so far, internal ones of the world included. */
SIMKIT_API uint64_t simkit_clock_events(const simkit_world *world);

/** Schedules a call at a virtual time.
 *
 *  @param[in] time       When [s], finite and not before now; now is allowed.
 *  @param[in] priority   Lower goes first among events of one instant; -32768 .. 32767; the engine's own events have 0.
 *  @param[in] call       The function to call.
 *  @param[in] user       Passed to it.
 *  @return  SIMKIT_OK, SIMKIT_BAD_TIME, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(log n) in the number of pending events.
 */
SIMKIT__CHECKED simkit_result simkit_step_at(simkit_world *world, double time, int priority, simkit_call *call,
                                             void *user, simkit_step *step);

/** Schedules a call after a delay; otherwise as simkit_step_at().
 *
 *  @param[in] delay   From now [s], >= 0.
 *  @return  As simkit_step_at().
 */
SIMKIT__CHECKED simkit_result simkit_step_after(simkit_world *world, double delay, int priority, simkit_call *call,
                                                void *user, simkit_step *step);

/** Cancels a pending step. False if it was not pending: it has run or was cancelled; that is harmless. */
SIMKIT_API bool simkit_step_cancel(simkit_world *world, simkit_step step);

/** Whether a step is pending: it has not run, and was not cancelled. */
SIMKIT_API bool simkit_step_pending(const simkit_world *world, simkit_step step);

/** Makes a pending step background: it does not keep a run alive, see simkit_world_run().
 *
 *  For what repeats without an end, such as a step that takes a sample and schedules the next one. Not for a step that
 *  something waits for: the run would end before it.
 *
 *  @return  Whether it was pending.
 */
SIMKIT_API bool simkit_step_background(simkit_world *world, simkit_step step);

/** A timer that calls a library on top of the engine: 1, 2, 3, ...; 0 is no timer. */
typedef uint32_t simkit_timer;

/** Opens a timer, which a library can set again and again. Unlike a step it is not reported to watchers and does not keep a run
 *  alive, and critical paths treat what it starts as work from outside the program.
 *
 *  @param[in] name    Its name in error messages, such as "source 3"; copied.
 *  @param[in] call    The function to call when it is due; it may set the timer again, or close it.
 *  @param[in] user    Passed to it.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_timer_open(simkit_world *world, const char *name, simkit_call *call, void *user,
                                                simkit_timer *timer);

/** Sets a timer, in place of the time that it was set for. Nothing can fail.
 *
 *  @param[in] time  When [s]; now if it has passed; INFINITY or NaN: not at all.
 */
SIMKIT_API void simkit_timer_set(simkit_world *world, simkit_timer timer, double time);

/** Closes a timer; its number may be given again. Harmless for 0. Timers of a world end with it, and with its reset. */
SIMKIT_API void simkit_timer_close(simkit_world *world, simkit_timer timer);
/** @} */

/*=============================================================================
 * MARK: - >>nodes
 *===========================================================================*/
/** @defgroup simkit_nodes simkit: nodes
 *  Computers: speed, cores, memory bandwidth, quota, a full-duplex link to the switch, and the CPU that communication
 *  takes. @{ */

/** A node of a world: 1, 2, 3, ... in the order of adding; 0 is none. */
typedef uint32_t simkit_node;

/** A computer. All zero is neutral: one core of speed 1, a network that takes no time and no CPU. */
typedef struct simkit_node_desc {
    const char *name;        /**< copied; NULL: "node 1", "node 2", ... */
    double speed;            /**< CPU seconds that one core does in a second [1]; 0 means 1 */
    unsigned cores;          /**< cores [1]; 0 means 1 */
    double memory_bandwidth; /**< of its memory, which the cores share [B/s], at least 1; 0: infinitely fast */
    double quota;            /**< CPU time of all cores together in each period [s]; 0: not rationed */
    double period;           /**< length of a period [s] */
    double tick;             /**< how often use is checked against the quota [s], as by a timer tick; 0: continuously */
    double slice;            /**< CPU time that it draws from the quota at a time, and keeps when a period ends [s] */
    double kept;             /**< how much of a slice it keeps when it stops computing [s], <= slice */
    unsigned host;           /**< nodes of one host share its cores; 0: it is a computer of its own */
    double up_bandwidth;     /**< of its link to the switch [B/s], at least 1; 0: infinitely fast */
    double down_bandwidth;   /**< of its link from the switch [B/s], likewise */
    double burst;            /**< bytes that each of these links passes at once after a rest [B] */
    double cpu_per_outgoing; /**< cores that each leaving transfer takes while its bytes flow [1] */
    double cpu_per_incoming; /**< cores that each arriving transfer takes while its bytes flow [1] */
    contention_nice_rule nice_rule; /**< the weights of nice levels */
    double duplex;  /**< both directions of its link together carry at most so many times the faster [1], 1 to 2;
                              *   0 means 2: full duplex. See netmodel_duplex() */
    unsigned place; /**< its host in the topology of the world, from 1; 0: the one after that of the node before */
} simkit_node_desc;

/** Adds a computer; at any time, also while the world runs.
 *
 *  A node with a quota is a container whose CPU time is rationed, as Linux does for cgroups: when its computations
 *  have used the quota, they stop until the next period begins. With a tick, overuse is noticed only at the next
 *  multiple of the tick, when a computation starts or ends there, or when a period begins whose quota is used already;
 *  the excess is deducted from the following periods. Quota that is not used in its period is lost, except what is left
 *  of the slice that was drawn last: all of it while the node computes, up to `kept` when it has stopped. (Linux draws
 *  slices of 5 ms and keeps 1 ms.) When periods begin is drawn from the world's seed.
 *
 *  A computer whose cores have a quota each is a node for each core, with one core, on which the threads that are bound to it compute.
 *
 *  Nodes of one host are containers: each can have as many cores as it says, and the host has as many as the largest of
 *  them. Nodes that compute share these equally; what one cannot use goes to the others.
 *
 *  Computations that move bytes (`memory_rate` of their descriptions) share the memory bandwidth. Those that wait for it
 *  keep their core and use up the quota as if they computed. Nodes of one host have each its own memory bandwidth.
 *
 *  A link with a burst is a token bucket: it fills at the link's bandwidth while nothing flows there, and so many bytes
 *  of the next transfer pass at once, if both links of its path have them.
 *
 *  @param[in] desc   The computer; copied. NULL is the same as all zero.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @source  [dps] section 4: star topology, CPU taken per concurrent transfer.
 */
SIMKIT__CHECKED simkit_result simkit_node_add(simkit_world *world, const simkit_node_desc *desc, simkit_node *node);

/** A node fails: its computations and transfers are lost, its processes end, its mailboxes close.
 *
 *  Everything that waits for one of them is notified by an event of its own at this instant: a process resumes with
 *  SIMKIT_NODE_FAILED or SIMKIT_MAILBOX_CLOSED, a callback `lost` is called. Later calls that name the node return
 *  SIMKIT_NODE_FAILED. If the caller is a process there, the call does not return.
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_node_fail(simkit_world *world, simkit_node node);

/** The number n of nodes; they are 1 .. n. */
SIMKIT_API simkit_node simkit_node_count(const simkit_world *world);

/** Whether a node has failed; false for an unknown one. */
SIMKIT_API bool simkit_node_failed(const simkit_world *world, simkit_node node);

/** Whether something can happen on a node: it is there, and has not failed.
 *
 *  @param[in] what  What names the node, for the sentence, such as "job".
 *  @param[in] name  Its name; NULL: none.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_BAD_ARGUMENT.
 */
SIMKIT__CHECKED simkit_result simkit_node_check(simkit_world *world, simkit_node node, const char *what,
                                                const char *name);

/** A node as it was added, with what zeros in its description mean: its speed, its cores, its place.
 *
 *  @return  Its description; all zero for an unknown one. Bandwidths that are 0 are infinite. The name is valid until the world
 *           closes.
 */
SIMKIT_API simkit_node_desc simkit_node_get(const simkit_world *world, simkit_node node);

/** The name of a node, valid until the world closes; "no node" for an unknown one. */
SIMKIT_API const char *simkit_node_name(const simkit_world *world, simkit_node node);

/** The number of computations on a node now, which a load average samples; 0 for an unknown node. */
SIMKIT_API size_t simkit_node_running(const simkit_world *world, simkit_node node);
/** @} */

/*=============================================================================
 * MARK: - >>computing
 *===========================================================================*/
/** @defgroup simkit_computing simkit: computing
 *  Computations that share the CPU of their node by the rules of contention.h. @{ */

/** Handle of a computation; 0 is none. It may outlive its computation. */
typedef uint64_t simkit_computation;

/** A computation to start. */
typedef struct simkit_computation_desc {
    simkit_node node;   /**< where */
    double seconds;     /**< CPU time on one core of speed 1 [s], >= 0 */
    double memory_rate; /**< bytes that it moves to and from memory in a second of that CPU time [B/s]; 0: none */
    int nice;           /**< -20 .. 19; the node's rule turns it into a weight */
    bool background;    /**< does not keep a run alive, see simkit_world_run(); not if something waits for it */
    const char *name;   /**< for watchers that are there when it starts; may be NULL */
    const char *lane;   /**< likewise: its row in a diagram, such as a thread; may be NULL */
    simkit_call *done;  /**< called when it has ended; may be NULL */
    void *user;         /**< passed to it */
    simkit_call *lost;  /**< called instead of `done` if a node fails; may be NULL */
} simkit_computation_desc;

/** Starts a computation. It shares the cores of its node with all others there until it has received its CPU time.
 *
 *  On a node with a memory bandwidth it also shares that: `rate = speed * share * min(1, level / (speed * memory_rate))`,
 *  with the level of contention_memory_level() for all that compute there. Without competition `seconds` is what it
 *  takes, so the bytes that it moves in all are `seconds * memory_rate`.
 *
 *  @param[in] desc   The computation; copied.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(log n) in the computations of the node; the others are not touched. With a memory bandwidth, also linear in
 *           the number of different pairs of nice level and memory rate there.
 *  @source  [dps] section 4; [clue] "WUS scheduling": infinitely small slices; [roofline].
 */
SIMKIT__CHECKED simkit_result simkit_computation_start(simkit_world *world, const simkit_computation_desc *desc,
                                                       simkit_computation *computation);

/** Cancels a computation; harmless if it has ended or was lost. No callback is called; a process that waits for it
 *  resumes with SIMKIT_CANCELLED, by an event of its own at this instant. Watchers see SIMKIT_PHASE_LOST.
 *
 *  @return  Whether it was in progress.
 *  @cost    O(n) in the computations of its node.
 */
SIMKIT_API bool simkit_computation_cancel(simkit_world *world, simkit_computation computation);
/** @} */

/*=============================================================================
 * MARK: - >>loads
 *===========================================================================*/
/** @defgroup simkit_loads simkit: loads
 *  The Unix load average of a node, for any window: the exponentially smoothed number of computations there, by the
 *  formulas of contention.h. A recorded node keeps the times at which that number changes; nothing is sampled until the
 *  load is asked for. @{ */

/** Starts to record the number of computations on a node, for simkit_load_average(); harmless if it is recorded
 *  already.
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NO_MEMORY.
 *  @cost    8 bytes for each begin and each end of a computation there, until the world closes.
 */
SIMKIT__CHECKED simkit_result simkit_load_record(simkit_world *world, simkit_node node);

/** The load average now: the number of computations, sampled every `interval` seconds and smoothed.
 *
 *  `next = beta * load + (1 - beta) * running` at each multiple of the interval; the load was 0 when recording began. A
 *  sample sees the state just before its instant. LoadAverage(n) of [clue] is `simkit_load_average(world, node,
 *  contention_load_beta(n), 1)`.
 *
 *  @param[in] beta       Smoothing constant [1], 0 to 1, from contention_load_beta() or contention_load_beta_window();
 *                        with 0 the result is the number at the latest sample.
 *  @param[in] interval   Between two samples [s], > 0.
 *  @return  The load [1]; NaN if the node does not exist or is not recorded, if an argument is out of range, or after
 *           1e15 samples.
 *  @cost    O(log samples) for each change since the last call with the same beta and interval; for the first call,
 *           since recording began.
 *  @source  [clue] eq. 1.
 */
SIMKIT_API double simkit_load_average(simkit_world *world, simkit_node node, double beta, double interval);
/** @} */

/*=============================================================================
 * MARK: - >>links
 *===========================================================================*/
/** @defgroup simkit_links simkit: links
 *  Networks beyond one switch: links, and the routes of pairs of nodes over them, set by hand or computed from the topology
 *  of the world. A transfer between two nodes with a route crosses the link of its sender, the links of the route, and the
 *  link of its receiver. Pairs without a route are still connected by the switch. @{ */

/** A link of a world: 1, 2, 3, ... in the order of adding; 0 is no link. */
typedef uint32_t simkit_link;

/** Links of a route, at most; also of the longest one of a topology. */
#define SIMKIT_ROUTE_LINKS 30000

/** A link to add. */
typedef struct simkit_link_desc {
    const char *name; /**< copied; NULL: "link 1", "link 2", ... */
    double bandwidth; /**< in each direction [B/s], at least 1; 0: infinitely fast */
    double latency;   /**< of each direction [s] */
    double duplex;    /**< both directions together carry at most so many times the bandwidth [1], 1 to 2; 0 means 2 */
} simkit_link_desc;

/** Adds a link, which joins two places. Routes say which nodes use it.
 *
 *  @param[in]  desc   The link; copied.
 *  @param[out] link   Its number; 0 on error. May be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_link_add(simkit_world *world, const simkit_link_desc *desc, simkit_link *link);

/** The number n of links; they are 1 .. n. */
SIMKIT_API simkit_link simkit_link_count(const simkit_world *world);

/** The name of a link, valid until the world closes; "no link" for an unknown one.
 *
 *  @return  A name. Links of a topology are called by their ends, as "host 3 to switch 1.1": switch 1 of level 1, all
 *           counted from 1. */
SIMKIT_API const char *simkit_link_name(const simkit_world *world, simkit_link link);

/** A link on a route, and the direction in which the route crosses it. */
typedef struct simkit_hop {
    simkit_link link; /**< the link */
    bool back;        /**< from its second end to its first */
} simkit_hop;

/** Sets the route from one node to another, in place of any they had. Transfers that have been started keep theirs.
 *
 *  A transfer then takes the world's latency, those of all links of its route, and the time of its bytes. Its rate is the
 *  smallest of its shares of the links, as netmodel_network_equal() computes it; or max-min fair, if the world was opened so,
 *  as netmodel_network_maxmin().
 *
 *  @param[in] hops   The links in their order, `hops[count]`, none twice; copied.
 *  @param[in] count  Their number [1]; 0: the route is removed.
 *  @param[in] both   Also set the route from `to` back to `from`: the same links in reverse.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_UNKNOWN_LINK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_route_set(simkit_world *world, simkit_node from, simkit_node to,
                                               const simkit_hop *hops, size_t count, bool both);

/** As simkit_route_set(), for a cable of their own between two nodes, such as a second network or a link between two
 *  accelerators: transfers cross the links of the route and not those of the nodes, and take the latencies of these links and not
 *  that of the world. They take CPU at the nodes as others do.
 *
 *  @return  As simkit_route_set(); SIMKIT_BAD_ARGUMENT also without a link.
 */
SIMKIT__CHECKED simkit_result simkit_route_direct(simkit_world *world, simkit_node from, simkit_node to,
                                                  const simkit_hop *hops, size_t count, bool both);

/** The route from one node to another, as it is now: one that was set, or that of the topology.
 *
 *  @param[out] hops  Its links in their order, `hops[room]`; NULL if `room` is 0.
 *  @param[in]  room  How many there is room for [1].
 *  @return  How many there are [1], which may be more than `room`; 0 without a route.
 *  @cost    O(n) in the links.
 */
SIMKIT_API size_t simkit_route_get(const simkit_world *world, simkit_node from, simkit_node to, simkit_hop *hops,
                                   size_t room);

/** Changes a link, now. Transfers on it go on at the new bandwidth; a new latency counts for later transfers.
 *
 *  @param[in] bandwidth  In each direction [B/s], finite, at least 1 unless the world was opened with `slow_links`. A link
 *                        without bandwidth is a link that has failed: simkit_link_fail().
 *  @param[in] latency    Of each direction [s].
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_LINK, SIMKIT_BAD_ARGUMENT.
 */
SIMKIT__CHECKED simkit_result simkit_link_change(simkit_world *world, simkit_link link, double bandwidth,
                                                 double latency);

/** A link fails: the transfers that cross it are lost, with all that wait behind them on their connections. What waits for
 *  one of them is notified by an event of its own at this instant: a process resumes with SIMKIT_LINK_FAILED, a callback
 *  `lost` is called. The other transfers get their new rates when nothing else is due at this instant. Transfers over it
 *  are refused with SIMKIT_LINK_FAILED until simkit_link_repair().
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_LINK, SIMKIT_LINK_FAILED if it has failed already.
 */
SIMKIT__CHECKED simkit_result simkit_link_fail(simkit_world *world, simkit_link link);

/** A link that has failed works again; harmless if it works.
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_LINK.
 */
SIMKIT__CHECKED simkit_result simkit_link_repair(simkit_world *world, simkit_link link);

/** The bandwidth of a link now.
 *
 *  @param[out] failed  Whether it has failed; may be NULL.
 *  @return  In each direction [B/s]; INFINITY if it is infinitely fast; of a link that has failed, what it had; NaN if there is
 *           no such link.
 */
SIMKIT_API double simkit_link_bandwidth(const simkit_world *world, simkit_link link, bool *failed);

/** A row of a table of bandwidths over time. */
typedef struct simkit_link_point {
    double time;      /**< when this begins [s], >= 0 */
    double bandwidth; /**< from then on, in each direction [B/s], as in simkit_link_change(); 0: the link has failed */
} simkit_link_point;

/** A link follows a table of bandwidths over time. At a bandwidth of 0 it fails, as by simkit_link_fail(), and at the next
 *  row with a bandwidth it works again. Of the rows up to now, the last one takes effect at once.
 *
 *  The table is background: it keeps no run alive. Changes by other calls last until its next row.
 *
 *  @param[in] points  `points[count]`, their times ascending; copied, in place of a table that the link had.
 *  @param[in] count   Their number [1]; 0: the link follows no table any more, and stays as it is.
 *  @param[in] period  The table repeats with this period [s], which is longer than the time from its first row to its last;
 *                     0: it does not repeat, and its last row stays.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_LINK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY; SIMKIT_BAD_TIME, also of a run, when the
 *           time is so large that doubles cannot tell the rows apart.
 *  @source  [clue]: parameters of the network that change during a run.
 */
SIMKIT__CHECKED simkit_result simkit_link_follow(simkit_world *world, simkit_link link, const simkit_link_point *points,
                                                 size_t count, double period);
/** @} */

/*=============================================================================
 * MARK: - >>transfers
 *===========================================================================*/
/** @defgroup simkit_transfers simkit: transfers
 *  Bytes from node to node: first the latency, then bytes at a shared rate. @{ */

/** Handle of a transfer; 0 is none. It may outlive its transfer. */
typedef uint64_t simkit_transfer;

/** A transfer to start. */
typedef struct simkit_transfer_desc {
    simkit_node from;  /**< sender */
    simkit_node to;    /**< receiver; may be the sender: then it takes no time, unless the pair has its own link */
    double bytes;      /**< size [B], >= 0 */
    bool in_order;     /**< after all earlier in-order transfers of this pair, as on one TCP connection */
    const char *name;  /**< for watchers that are there when it starts; may be NULL */
    simkit_call *done; /**< called when the last byte has arrived; may be NULL */
    void *user;        /**< passed to it */
    simkit_call *lost; /**< called instead of `done` if a node or a link on the way fails; may be NULL */
    double rate_limit; /**< it gets at most so much [B/s], at least 1 unless the world has `slow_links`; 0: no limit */
    double weight;     /**< its share is so many times that of a transfer of weight 1 [1], 1e-6 to 1e6; 0 means 1 */
} simkit_transfer_desc;

/** Starts a transfer. Alone it takes `latency + bytes / bandwidth`, with the smallest bandwidth on its way: that of the two
 *  nodes, and of the links of its route, if it has one. The transfers that leave a node share its up link equally, those
 *  that arrive share its down link, likewise those on each link, and each gets the smallest share; or they share max-min
 *  fair, if the world was opened so. The bytes that a link with a burst passes at once are for transfers of weight 1
 *  without a route or a limit.
 *
 *  @param[in] desc   The transfer; copied.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_LINK_FAILED, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(log n) in the transfers of a link, and a look at the others of both links when their shares change;
 *           max-min: O(log n), and O(1) for each transfer whose rate changes.
 *  @source  [dps] section 4; the rates are those of netmodel_star_rate() or netmodel_maxmin_rates(), with routes or weights
 *  those of netmodel_network_equal() or netmodel_network_maxmin().
 */
SIMKIT__CHECKED simkit_result simkit_transfer_start(simkit_world *world, const simkit_transfer_desc *desc,
                                                    simkit_transfer *transfer);

/** Cancels a transfer in any state: its bytes stop at once, the other transfers get their shares back, and the next one
 *  on its connection begins. No callback is called; a process that waits for it resumes with SIMKIT_CANCELLED, by an
 *  event of its own at this instant. A cancelled message never arrives. Watchers see SIMKIT_PHASE_LOST. Harmless if the
 *  transfer has ended or was lost.
 *
 *  @return  Whether it was in progress.
 *  @cost    O(n) in the transfers of its two links, or of those that wait on its connection.
 */
SIMKIT_API bool simkit_transfer_cancel(simkit_world *world, simkit_transfer transfer);

/** A transfer as it is now. */
typedef struct simkit_transfer_state {
    simkit_node from; /**< sender */
    simkit_node to;   /**< receiver */
    double bytes;     /**< size [B] */
    double left;      /**< of them still to come [B] */
    double rate;      /**< what it gets [B/s], by the shares that were settled last; 0 before its bytes flow */
    bool flows;       /**< its bytes flow: its latency has passed */
    bool lost;        /**< a node or a link on its way has failed; an event of this instant reports it */
} simkit_transfer_state;

/** How far a transfer is, and how fast. What begins and ends at an instant changes the rates of others at the end of it.
 *
 *  @param[in]  transfer  Its handle.
 *  @param[out] state     All zero if it is not under way.
 *  @return  Whether it is under way: it has been started, and neither ended nor been cancelled.
 *  @cost    O(1); with a route, O(n) in its links.
 *  @source  The rates are those of simkit_transfer_start().
 */
SIMKIT_API bool simkit_transfer_get(const simkit_world *world, simkit_transfer transfer, simkit_transfer_state *state);

/** One direction of a link that a transfer crosses: of a link of the network, or of the link that a node has. */
typedef struct simkit_crossing {
    simkit_link link; /**< a link of the network; 0: that of `node` */
    simkit_node node; /**< whose link it is; 0: that of `link` */
    bool back;        /**< from the second end of `link` to its first; of a node: down to it */
} simkit_crossing;

/** Which links a transfer crosses, of those that have a bandwidth now: the up link of its sender, the links of its route, the
 *  down link of its receiver; not the link of its pair. None for a transfer of a node to itself.
 *
 *  @param[in]  transfer   Its handle.
 *  @param[out] crossings  `crossings[room]`, in any order; NULL if `room` is 0.
 *  @param[in]  room       How many there is room for [1].
 *  @return  How many there are [1], which may be more than `room`; 0 if the transfer is not under way.
 *  @cost    O(n) in the links of its route.
 */
SIMKIT_API size_t simkit_transfer_crosses(const simkit_world *world, simkit_transfer transfer,
                                          simkit_crossing *crossings, size_t room);

/** Latency and byte time of a transfer that has its way to itself: of the links of both nodes, of its route and of its pair, with
 *  the window of the world and the transfer's `rate_limit`. Of the description, `from`, `to` and `rate_limit` count.
 *
 *  @return  Its link; NaN if a node is unknown.
 *  @cost    O(n) in the links of its route.
 */
SIMKIT_API netmodel_link simkit_transfer_alone(const simkit_world *world, const simkit_transfer_desc *desc);

/** For simkit_pair_set(): take this value from the nodes and the route of the pair. */
#define SIMKIT_OF_WAY (-1e300)

/** Gives an ordered pair of nodes a link of its own, which only the transfers from the one to the other cross, besides the links
 *  of the nodes and those of the route: so together they get at most its bandwidth. Its latency replaces that of the way.
 *
 *  A node and itself may have such a link as well; their transfers take no time otherwise, and do not share it.
 *
 *  A link that is faster than the way would not make it faster, and is refused: a cable beside the links of the nodes is a link on
 *  a direct route (simkit_route_direct()). Transfers that have been started keep what the pair had before.
 *
 *  @param[in] from   Sender.
 *  @param[in] to     Receiver; may be the sender.
 *  @param[in] link   Its link, with at most 1 s/B unless the world was opened with `slow_links`; copied. A latency of
 *                    SIMKIT_OF_WAY stands for the latency that the way has now; a byte time of SIMKIT_OF_WAY sets the latency only.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_pair_set(simkit_world *world, simkit_node from, simkit_node to,
                                              const netmodel_link *link);
/** @} */

/*=============================================================================
 * MARK: - >>mailboxes
 *===========================================================================*/
/** @defgroup simkit_mailboxes simkit: mailboxes
 *  Messages: posted here, taken there; first come, first served on both sides. @{ */

/** A mailbox of a world; 0 is none. */
typedef uint32_t simkit_mailbox;

/** A message that has arrived. */
typedef struct simkit_message {
    simkit_node from; /**< its sender */
    double bytes;     /**< its size [B] */
    double sent;      /**< when it was posted [s] */
    double arrived;   /**< when its last byte arrived [s] */
    void *data;       /**< the sender's pointer; the world never follows it */
} simkit_message;

/** Called with a message; `message` is NULL if the mailbox was closed. */
typedef void simkit_message_call(simkit_world *world, void *user, const simkit_message *message);

/** Handle of a wait with a callback: for a message here, or for something in >>waiting; 0 is none. It may outlive its
 *  wait. */
typedef uint64_t simkit_wait;

/** Cancels a wait before its callback was called, which then never is; harmless if it has been called. With a step, this
 *  is a time limit: the step cancels the wait, and if this call returns true, the time was up first.
 *
 *  A message that the wait had been given goes to the next receiver, as do units of a resource.
 *
 *  @return  Whether the wait was cancelled.
 *  @cost    O(1); for a message O(n) in the receivers of its mailbox.
 */
SIMKIT_API bool simkit_wait_cancel(simkit_world *world, simkit_wait wait);

/** Opens a mailbox on a node.
 *
 *  @param[in] node   Its node: messages travel there.
 *  @param[in] name   For error messages; copied. NULL: "mailbox 1", ...
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_mailbox_open(simkit_world *world, simkit_node node, const char *name,
                                                  simkit_mailbox *mailbox);

/** Bounds a mailbox: at most so many messages wait in it. Another one that arrives waits outside, in order of arrival,
 *  until there is room, and only then counts as arrived for its sender: simkit_process_send() returns then, and `done`
 *  is called then. So a fast sender is slowed down to the pace of its receiver.
 *
 *  @param[in] messages   The bound; 0: none. Messages that are in the mailbox already stay there.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_MAILBOX, SIMKIT_MAILBOX_CLOSED, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_mailbox_bound(simkit_world *world, simkit_mailbox mailbox, size_t messages);

/** Closes a mailbox: messages in it and on their way to it are dropped, receivers that wait get none, later posts are
 *  refused. A process whose message waits outside gets SIMKIT_MAILBOX_CLOSED. To end a stream of messages without loss,
 *  send a last one that says so.
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_MAILBOX, SIMKIT_MAILBOX_CLOSED if it is closed already.
 */
SIMKIT__CHECKED simkit_result simkit_mailbox_close(simkit_world *world, simkit_mailbox mailbox);

/** A message to post. */
typedef struct simkit_post_desc {
    simkit_node from;  /**< sender */
    simkit_mailbox to; /**< receiver */
    double bytes;      /**< size [B], >= 0 */
    void *data;        /**< for the receiver; a pointer, not copied */
    bool in_order;     /**< as in simkit_transfer_desc */
    const char *name;  /**< for watchers, as in simkit_transfer_desc; may be NULL */
    simkit_call *done; /**< called when it has arrived, received or not; may be NULL */
    void *user;        /**< passed to it */
    simkit_call *lost; /**< called instead of `done` if a node or a link fails; may be NULL */
} simkit_post_desc;

/** Posts a message. It travels as a transfer, then waits in the mailbox for a receiver.
 *
 *  @param[in]  desc      The message; copied, except what `data` points to.
 *  @param[out] transfer  The handle of its transfer, for simkit_transfer_cancel(); may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_UNKNOWN_MAILBOX, SIMKIT_MAILBOX_CLOSED,
 *           SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_mailbox_post(simkit_world *world, const simkit_post_desc *desc,
                                                  simkit_transfer *transfer);

/** Takes the next message. The callback is called once, by an event of its own: at this instant if a message is there.
 *
 *  @param[in]  receive   Called with the message.
 *  @param[in]  user      Passed to it.
 *  @param[out] wait      Its handle, for simkit_wait_cancel(); may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_MAILBOX, SIMKIT_MAILBOX_CLOSED, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_mailbox_take(simkit_world *world, simkit_mailbox mailbox,
                                                  simkit_message_call *receive, void *user, simkit_wait *wait);

/** The number of messages that are in a mailbox and have not been taken; 0 for an unknown mailbox. */
SIMKIT_API size_t simkit_mailbox_messages(const simkit_world *world, simkit_mailbox mailbox);
/** @} */

/*=============================================================================
 * MARK: - >>waiting
 *===========================================================================*/
/** @defgroup simkit_waiting simkit: waiting
 *  What several share or wait for. A resource has units that are acquired and released: with one unit it is a mutex, and
 *  a semaphore is a resource whose units anybody releases. A signal of a condition ends one wait for it, the last arrival at a
 *  barrier ends all waits there. The calls here take a callback; simkit_process_acquire() and its neighbours wait. @{ */

/** Called once when a wait ends, by an event of its own at that instant.
 *
 *  @param[in] world    Where it waited.
 *  @param[in] user     What was given with the callback.
 *  @param[in] result   SIMKIT_OK; SIMKIT_CLOSED if what it waited for was closed.
 */
typedef void simkit_wait_call(simkit_world *world, void *user, simkit_result result);

/** Handle of a resource; 0 is none. It may outlive its resource. */
typedef uint64_t simkit_resource;

/** A resource to open. */
typedef struct simkit_resource_desc {
    const char *name;  /**< for error messages; copied; NULL: "resource 1", ... */
    uint64_t capacity; /**< its units; 0 means 1 */
    uint64_t taken;    /**< how many of them are taken at the start */
} simkit_resource_desc;

/** Opens a resource, such as a counter with three clerks, a pool of licences, or a mutex.
 *
 *  @param[in] desc   The resource; copied. NULL is the same as all zero: one unit, a mutex.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_resource_open(simkit_world *world, const simkit_resource_desc *desc,
                                                   simkit_resource *resource);

/** Opens a semaphore: a resource of which `value` units are free at the start, and any number may be released.
 *
 *  @param[in] name    For error messages; copied; NULL: "resource 1", ...
 *  @param[in] value   Free units.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_semaphore_open(simkit_world *world, const char *name, uint64_t value,
                                                    simkit_resource *resource);

/** Closes a resource: every wait for it ends with SIMKIT_CLOSED, later calls are refused.
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PLACE.
 */
SIMKIT__CHECKED simkit_result simkit_resource_close(simkit_world *world, simkit_resource resource);

/** Acquires units of a resource. The callback is called once, by an event of its own: at this instant if the units are
 *  free and nothing waits for the resource. Otherwise the request waits: behind those of smaller or equal priority, and
 *  before those of larger priority. The first in the queue never lets another pass, even one that needs fewer units.
 *
 *  @param[in]  units      How many, 1 to the capacity.
 *  @param[in]  priority   Smaller goes first; equal ones in order of their requests.
 *  @param[in]  acquired   Called when the units are the caller's.
 *  @param[in]  user       Passed to it.
 *  @param[out] wait       Its handle, for simkit_wait_cancel(); may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PLACE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(1); O(n) in the requests of larger priority.
 */
SIMKIT__CHECKED simkit_result simkit_resource_acquire(simkit_world *world, simkit_resource resource, uint64_t units,
                                                      int priority, simkit_wait_call *acquired, void *user,
                                                      simkit_wait *wait);

/** Releases units of a resource; whatever waits for them gets them at once, and resumes by an event of its own.
 *
 *  @param[in] units   How many, not more than are taken. They need not be the caller's.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PLACE; SIMKIT_BAD_CALL if fewer are taken, SIMKIT_BAD_ARGUMENT for 0.
 */
SIMKIT__CHECKED simkit_result simkit_resource_release(simkit_world *world, simkit_resource resource, uint64_t units);

/** The number of free units; 0 for an unknown resource. */
SIMKIT_API uint64_t simkit_resource_available(const simkit_world *world, simkit_resource resource);

/** The number of requests that wait; 0 for an unknown resource. */
SIMKIT_API size_t simkit_resource_waiting(const simkit_world *world, simkit_resource resource);

/** Handle of a condition; 0 is none. It may outlive its condition. */
typedef uint64_t simkit_condition;

/** Opens a condition. It has no memory: a signal without a wait has no effect.
 *
 *  @param[in] name   For error messages; copied; NULL: "condition 1", ...
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_condition_open(simkit_world *world, const char *name, simkit_condition *condition);

/** Closes a condition: every wait for it ends with SIMKIT_CLOSED, later calls are refused.
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PLACE.
 */
SIMKIT__CHECKED simkit_result simkit_condition_close(simkit_world *world, simkit_condition condition);

/** Waits for a signal. The callback is called once, by an event of its own.
 *
 *  @param[in] signalled   Called after the signal.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PLACE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_condition_wait(simkit_world *world, simkit_condition condition,
                                                    simkit_wait_call *signalled, void *user, simkit_wait *wait);

/** Ends the wait that began first, if there is one.
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PLACE.
 */
SIMKIT__CHECKED simkit_result simkit_condition_signal(simkit_world *world, simkit_condition condition);

/** Ends all waits for a condition, in the order in which they began.
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PLACE.
 */
SIMKIT__CHECKED simkit_result simkit_condition_broadcast(simkit_world *world, simkit_condition condition);

/** The number of waits for a condition; 0 for an unknown one. */
SIMKIT_API size_t simkit_condition_waiting(const simkit_world *world, simkit_condition condition);

/** Handle of a barrier; 0 is none. It may outlive its barrier. */
typedef uint64_t simkit_barrier;

/** Opens a barrier: each wait at it ends when `count` have arrived; then it serves the next `count`.
 *
 *  @param[in] name    For error messages; copied; NULL: "barrier 1", ...
 *  @param[in] count   How many must arrive, at least 1.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_barrier_open(simkit_world *world, const char *name, size_t count,
                                                  simkit_barrier *barrier);

/** Closes a barrier: every wait at it ends with SIMKIT_CLOSED, later calls are refused.
 *
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PLACE.
 */
SIMKIT__CHECKED simkit_result simkit_barrier_close(simkit_world *world, simkit_barrier barrier);

/** Arrives at a barrier. The callback is called once, by an event of its own, after the last has arrived. A wait that is
 *  cancelled has not arrived.
 *
 *  @param[in] released   Called when all have arrived.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PLACE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_barrier_arrive(simkit_world *world, simkit_barrier barrier,
                                                    simkit_wait_call *released, void *user, simkit_wait *wait);

/** The number that have arrived and wait for the others; 0 for an unknown barrier. */
SIMKIT_API size_t simkit_barrier_waiting(const simkit_world *world, simkit_barrier barrier);
/** @} */
#if defined(SIMKIT_NO_PROCESSES) && defined(__has_attribute)
#if __has_attribute(unavailable)
/* Who uses a process where they are left out reads why. */
#define SIMKIT__LEFT_OUT                                                                                               \
    __attribute__((unavailable("processes are left out by SIMKIT_NO_PROCESSES, which is also set where simkit.h "      \
                               "cannot switch stacks; calls with callbacks do the same")))
typedef uint64_t simkit_process SIMKIT__LEFT_OUT;
typedef struct simkit_process_desc simkit_process_desc SIMKIT__LEFT_OUT;
SIMKIT__LEFT_OUT simkit_result simkit_process_start(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_self(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_wait(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_compute(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_send(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_receive(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_suspend(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_stack(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_overflow(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_kill(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_resume(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_user(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_limit(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_acquire(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_listen(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_arrive(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_join(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_ended(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_choose(const simkit_world *, ...);
SIMKIT__LEFT_OUT simkit_result simkit_process_interrupt(const simkit_world *, ...);
typedef struct simkit_choice simkit_choice SIMKIT__LEFT_OUT;
#endif
#endif

#ifndef SIMKIT_NO_PROCESSES
/*=============================================================================
 * MARK: - >>processes
 *===========================================================================*/
/** @defgroup simkit_processes simkit: processes
 *  Direct execution: functions with their own stack that compute, wait, send and receive on the virtual clock.
 *  One runs at a time. Everything that a process can do is also a call with a callback. Each call that waits can be given
 *  a time limit, simkit_process_limit(), and be interrupted, simkit_process_interrupt(). With Emscripten, link with
 *  -sASYNCIFY, and let functions that JavaScript calls return void if they run a world with processes. @{ */

/** Handle of a process; 0 is none. It may outlive its process. */
typedef uint64_t simkit_process;

/** A process to start. */
typedef struct simkit_process_desc {
    const char *name;   /**< copied; NULL: "process 1", ... */
    simkit_node node;   /**< where it computes and sends from; 0: none, then it can only wait and receive */
    simkit_call *body;  /**< its function; the process ends when it returns */
    void *user;         /**< passed to it */
    size_t stack_bytes; /**< its stack [B]; 0 means 64 KiB (256 KiB under a sanitizer); at least 8 KiB; 4 KiB of it are
                             for the engine */
    bool measure_stack; /**< fill the stack first, so that simkit_process_stack() knows how much was used */
} simkit_process_desc;

/** Starts a process; its body begins by an event of its own at this instant.
 *
 *  @param[in] desc   The process; copied.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_process_start(simkit_world *world, const simkit_process_desc *desc,
                                                   simkit_process *process);

/** The handle of the process that is running now; 0 outside processes. */
SIMKIT_API simkit_process simkit_process_self(const simkit_world *world);

/** The user pointer of a process, from its description.
 *
 *  @param[in] process   Its handle; 0 means the one that is running now.
 *  @return  The pointer; NULL if the process has ended, or outside processes.
 */
SIMKIT_API void *simkit_process_user(const simkit_world *world, simkit_process process);

/** Limits the next call of this process that waits: if it would last longer, it returns SIMKIT_TIMED_OUT after `seconds`,
 *  and what it waited for is cancelled as by simkit_process_interrupt(). The limit holds for one call, waiting or
 *  not: one that is refused, for want of memory or for another reason, has used it up. Only inside a process.
 *
 *  @param[in] seconds  The limit [s], >= 0; with 0 the call gives up after the other events of this instant.
 *  @return  SIMKIT_OK, SIMKIT_BAD_CALL, SIMKIT_BAD_TIME, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_process_limit(simkit_world *world, double seconds);

/** Waits for virtual time to pass. Only inside a process.
 *
 *  @param[in] seconds  How long [s], >= 0; with 0 the others of this instant go first.
 *  @return  SIMKIT_OK, SIMKIT_BAD_CALL, SIMKIT_BAD_TIME, SIMKIT_TIMED_OUT, SIMKIT_INTERRUPTED.
 */
SIMKIT__CHECKED simkit_result simkit_process_wait(simkit_world *world, double seconds);

/** Computes on the process's node and waits for the end. Only inside a process.
 *
 *  @param[in]  desc         As for simkit_computation_start(); node 0 means the process's own, and without a lane its lane
 *                           is the process's name. Its callbacks and `background` are not used.
 *  @param[out] computation  Its handle, for others to cancel it by meanwhile; may be NULL.
 *  @return  SIMKIT_OK when the computation has ended; SIMKIT_CANCELLED by simkit_computation_cancel();
 *           SIMKIT_TIMED_OUT, SIMKIT_INTERRUPTED: then it was cancelled; SIMKIT_BAD_CALL, or as
 *           simkit_computation_start().
 */
SIMKIT__CHECKED simkit_result simkit_process_compute(simkit_world *world, const simkit_computation_desc *desc,
                                                     simkit_computation *computation);

/** Posts a message and waits until it has arrived. Only inside a process.
 *
 *  @param[in]  desc      As for simkit_mailbox_post(); from 0 means the process's own node. Its callbacks are not used.
 *  @param[out] transfer  The handle of its transfer, for others to cancel it by meanwhile; may be NULL.
 *  @return  SIMKIT_OK when it has arrived; SIMKIT_CANCELLED by simkit_transfer_cancel(); SIMKIT_TIMED_OUT,
 *           SIMKIT_INTERRUPTED: the message still arrives, unless it waited outside a full mailbox; SIMKIT_MAILBOX_CLOSED
 *           if it waited there, and the mailbox was closed; SIMKIT_BAD_CALL, or as simkit_mailbox_post().
 */
SIMKIT__CHECKED simkit_result simkit_process_send(simkit_world *world, const simkit_post_desc *desc,
                                                  simkit_transfer *transfer);

/** Waits for the next message of a mailbox. Only inside a process.
 *
 *  @param[out] message   The message; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_CALL, SIMKIT_UNKNOWN_MAILBOX, SIMKIT_NO_MEMORY; SIMKIT_MAILBOX_CLOSED if the mailbox
 *           is closed, now or while waiting; SIMKIT_TIMED_OUT, SIMKIT_INTERRUPTED.
 */
SIMKIT__CHECKED simkit_result simkit_process_receive(simkit_world *world, simkit_mailbox mailbox,
                                                     simkit_message *message);

/** Acquires units of a resource, and waits until they are free, as simkit_resource_acquire() says. Only inside a process.
 *
 *  @param[in] units     How many [1].
 *  @param[in] priority  Smaller goes first.
 *  @return  SIMKIT_OK when they are the process's; SIMKIT_CLOSED, SIMKIT_BAD_CALL, SIMKIT_UNKNOWN_PLACE,
 *           SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY; SIMKIT_TIMED_OUT, SIMKIT_INTERRUPTED: it has none of them.
 *  @cost    As simkit_resource_acquire(); if they are free, no event.
 */
SIMKIT__CHECKED simkit_result simkit_process_acquire(simkit_world *world, simkit_resource resource, uint64_t units,
                                                     int priority);

/** Waits for the signal of a condition. A mutex is released meanwhile and acquired again before the call returns,
 *  whatever it returns, except when the mutex itself was closed. Only inside a process.
 *
 *  @param[in] mutex   A resource, of which the process has one unit; 0: none.
 *  @return  SIMKIT_OK after the signal; SIMKIT_CLOSED, SIMKIT_BAD_CALL, SIMKIT_UNKNOWN_PLACE, SIMKIT_NO_MEMORY,
 *           SIMKIT_TIMED_OUT, SIMKIT_INTERRUPTED. A time limit is for the signal; the mutex is waited for without one.
 */
SIMKIT__CHECKED simkit_result simkit_process_listen(simkit_world *world, simkit_condition condition,
                                                    simkit_resource mutex);

/** Arrives at a barrier and waits for the others. Only inside a process.
 *
 *  @return  SIMKIT_OK when all have arrived; SIMKIT_CLOSED, SIMKIT_BAD_CALL, SIMKIT_UNKNOWN_PLACE, SIMKIT_NO_MEMORY;
 *           SIMKIT_TIMED_OUT, SIMKIT_INTERRUPTED: then it has not arrived.
 */
SIMKIT__CHECKED simkit_result simkit_process_arrive(simkit_world *world, simkit_barrier barrier);

/** Waits for the end of another process, by its return, a kill, or the failure of its node. Only inside a process.
 *
 *  @param[in] process  Its handle; if it has ended, the call returns at once.
 *  @return  SIMKIT_OK when it has ended; SIMKIT_BAD_CALL, also for the process itself; SIMKIT_UNKNOWN_PROCESS for a handle
 *           that never was one; SIMKIT_NO_MEMORY, SIMKIT_TIMED_OUT, SIMKIT_INTERRUPTED.
 */
SIMKIT__CHECKED simkit_result simkit_process_join(simkit_world *world, simkit_process process);

/** The same with a callback, which is called once, by an event of its own.
 *
 *  @param[in]  ended   Called when the process has ended, at this instant if it has already.
 *  @param[in]  user    Passed to it.
 *  @param[out] wait    Its handle, for simkit_wait_cancel(); may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_PROCESS, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_process_ended(simkit_world *world, simkit_process process, simkit_wait_call *ended,
                                                   void *user, simkit_wait *wait);

/** One of several things to wait for: one of the first six members says which, the others are 0. */
typedef struct simkit_choice {
    simkit_mailbox mailbox;         /**< the next message there */
    simkit_resource resource;       /**< units of it */
    simkit_condition condition;     /**< its signal */
    simkit_process process;         /**< its end */
    simkit_computation computation; /**< its end */
    simkit_transfer transfer;       /**< its end; that of a message is when it reaches its mailbox, even a full one */
    uint64_t units;                 /**< of a resource; 0 means 1 */
    int priority;                   /**< of the request for a resource */
} simkit_choice;

/** Waits for the first of several things, and cancels the requests for the others. Only inside a process.
 *
 *  If several are there at once, the first in the array is taken. What has ended already counts as there; an ended
 *  computation or transfer does not tell any more how it ended.
 *
 *  A cancelled request for a resource may let others pass there. If units of a resource were the first to come, all pass that
 *  can pass at that resource; then the other resources are served in the order of the array, those of the process that got
 *  its units last before those of others. In all other cases they are served from the last in the array to the first.
 *
 *  @param[in]  choices   What to wait for, choices[count]; copied.
 *  @param[in]  count     How many, at least 1.
 *  @param[out] which     Which one it was; `count` if none was; may be NULL.
 *  @param[out] message   The message, if it was a mailbox; may be NULL.
 *  @return  SIMKIT_OK; of the one it was, SIMKIT_MAILBOX_CLOSED, SIMKIT_CLOSED, SIMKIT_CANCELLED, SIMKIT_NODE_FAILED,
 *           SIMKIT_LINK_FAILED; SIMKIT_TIMED_OUT, SIMKIT_INTERRUPTED; SIMKIT_BAD_CALL, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY,
 *           SIMKIT_UNKNOWN_MAILBOX, SIMKIT_UNKNOWN_PLACE, SIMKIT_UNKNOWN_PROCESS.
 *  @cost    O(count); cancelling a request for a message is O(n) in the receivers of its mailbox.
 */
SIMKIT__CHECKED simkit_result simkit_process_choose(simkit_world *world, const simkit_choice *choices, size_t count,
                                                    size_t *which, simkit_message *message);

/** Suspends the process until simkit_process_resume(). Only inside a process. A resume that came before the suspend is
 *  remembered: then the call returns at once.
 *
 *  @param[in] on     What it waits for, for the sentence about a deadlock; used until the call returns; may be
 *                    NULL.
 *  @return  SIMKIT_OK when resumed; SIMKIT_BAD_CALL, SIMKIT_TIMED_OUT, SIMKIT_INTERRUPTED.
 */
SIMKIT__CHECKED simkit_result simkit_process_suspend(simkit_world *world, const char *on);

/** The size of a process's stack, and how much of it was used.
 *
 *  @param[out] used   The maximum used so far [B]; 0 if its description did not ask to measure; may be NULL.
 *  @return  The size [B]; 0 for a process that has ended.
 *  @cost    With `used`: reads the unused part of the stack.
 */
SIMKIT_API size_t simkit_process_stack(simkit_world *world, simkit_process process, size_t *used);

/** Turns a stack overflow that hit the guard below a stack into a result, for hosts with handlers of their own; otherwise
 *  define SIMKIT_CATCH_OVERFLOW before the body. Call it from a handler of SIGSEGV and SIGBUS that was installed with
 *  SA_SIGINFO, SA_ONSTACK and SA_NODEFER, on a stack of its own (sigaltstack).
 *
 *  With the C library's allocator each stack ends in a protected guard of 16 KiB: all stacks on Windows and on Linux from
 *  kernel 6.13 on, the first 1000 on older Linux, macOS and the BSDs. On Windows the handler is one of
 *  AddVectoredExceptionHandler(), which hears of EXCEPTION_STACK_OVERFLOW: docs/packages.md. Without a guard, a run ends
 *  with SIMKIT_STACK_OVERFLOW at the next wait of a process whose lowest bytes were overwritten. A call of the kit with
 *  less than 4 KiB left is an overflow as well, and needs no handler.
 *
 *  @param[in] world    The world that ran.
 *  @param[in] address  Where the fault was.
 *  @return  false if the address is neither in the guard of the process that runs nor up to 1 MiB below it. Otherwise it
 *           does not return: the process has ended, and the run ends with SIMKIT_STACK_OVERFLOW.
 */
SIMKIT_API bool simkit_process_overflow(simkit_world *world, const void *address);

/** Ends a process, wherever it waits, and cancels what it waits for. Nothing is unwound.
 *
 *  Its computation is cancelled. A message that it was sending still arrives; one that waits outside a full mailbox is
 *  withdrawn. A message that it was about to receive goes to the next receiver. Units of resources that it has stay taken.
 *
 *  @param[in] process  Its handle; if it is the caller's own, the call does not return.
 *  @return  SIMKIT_OK; SIMKIT_UNKNOWN_PROCESS if it has ended.
 */
SIMKIT__CHECKED simkit_result simkit_process_kill(simkit_world *world, simkit_process process);

/** Resumes a suspended process, by an event of its own at this instant. If it is not suspended, its next
 *  simkit_process_suspend() returns at once; several such calls count as one.
 *
 *  @param[in] process  Its handle.
 *  @return  SIMKIT_OK; SIMKIT_UNKNOWN_PROCESS if it has ended.
 */
SIMKIT__CHECKED simkit_result simkit_process_resume(simkit_world *world, simkit_process process);

/** Interrupts a process: its wait returns SIMKIT_INTERRUPTED, by an event of its own at this instant. If it does not wait,
 *  or what it waits for has come already, its next call that waits does; several interrupts before that count as one.
 *
 *  What it waited for is cancelled as by simkit_process_kill(). To stop a message that still travels, cancel its transfer.
 *
 *  @param[in] process  Its handle.
 *  @return  SIMKIT_OK; SIMKIT_UNKNOWN_PROCESS if it has ended.
 */
SIMKIT__CHECKED simkit_result simkit_process_interrupt(simkit_world *world, simkit_process process);
/** @} */
#endif

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
/** @defgroup simkit_operations simkit: operations
 *  Direct execution, complete or partial: a named piece of work is run and its CPU time measured, or it is run a few
 *  times only, or never run, when a model gives its duration. @{ */

/** Number of an operation in its world, from 1; 0 is none. */
typedef uint32_t simkit_operation;

/** The source of an operation's duration. */
typedef enum simkit_policy {
    SIMKIT_POLICY_EXECUTE = 0, /**< run it each time: its CPU time */
    SIMKIT_POLICY_MEASURE,     /**< run it the first times, or some of each so many times; else reuse what these took */
    SIMKIT_POLICY_MODEL        /**< never run it: a number or a function of the parameter */
} simkit_policy;

/** An operation to add. */
typedef struct simkit_operation_desc {
    const char *name;                              /**< for errors; copied; NULL: "operation 1", ... */
    simkit_policy policy;                          /**< the source of its duration */
    unsigned first;                                /**< measure: how many times, at most 64; 0 means 5 */
    unsigned skip;                                 /**< measure: runs before these, which do not count */
    unsigned every;                                /**< measure: after so many uses, skip and measure again; 0: never */
    double quantile;                               /**< measure: of the times, up to 1; 0: their robust mean */
    unsigned classes;                              /**< measure: size classes from each power of two to the next, at
                                                        most 64; 0: each parameter is a class of its own */
    unsigned power;                                /**< measure: within a size class times grow as this power of the
                                                        parameter, at most 8; 0: they do not grow */
    double seconds;                                /**< model: its duration [s], if there is no function */
    double (*model)(double parameter, void *user); /**< model: its duration [s]; may be NULL */
    void *user;                                    /**< passed to it */
} simkit_operation_desc;

/** Adds an operation.
 *
 *  @param[in] desc   The operation; copied.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_operation_add(simkit_world *world, const simkit_operation_desc *desc,
                                                   simkit_operation *operation);

/** Runs the operation, or not, as its policy says, and returns its duration. Does not advance the clock.
 *
 *  Each run takes its own time. To measure, the operation is run `skip + first` times. The uses after that take what the
 *  last `first` of these runs took: the mean of the times within three scaled median absolute deviations, 4.4478 median
 *  |t - median|, of their median (the others are outliers), or a quantile, interpolated between the two times beside it.
 *  After `every` uses, counting these runs, it skips and measures again, because later runs can differ from the first, for
 *  example when data have left the caches. The skipped runs bring back into the caches what would be there if every use
 *  had been a run. With `every` at most `skip + first`, every use is a run.
 *
 *  @param[in]  parameter   What the duration depends on, such as a size. Not NaN. Each has measurements of its own; or,
 *                          with `classes` n, 0 and each range `2^e (1 + i/n)` up to `2^e (1 + (i+1)/n)` has; it must
 *                          then be finite and not negative.
 *  @param[in]  body        The function to run.
 *  @param[in]  argument    Passed to it.
 *  @param[out] seconds     Its duration: CPU time of this machine, or from the model [s].
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT (also if a model returns no duration), SIMKIT_NO_MEMORY.
 *  @source  [dps] section 4, partial direct execution; the rule for outliers is ours.
 */
SIMKIT__CHECKED simkit_result simkit_operation_run(simkit_world *world, simkit_operation operation, double parameter,
                                                   void (*body)(void *argument), void *argument, double *seconds);

/** The same in two steps, for work that is not a function: asks whether the operation is to be run now.
 *
 *  @param[out] run       Whether the caller is to run it, and then to call simkit_operation_end().
 *  @param[out] seconds   If not: its duration [s].
 *  @return  As simkit_operation_run().
 */
SIMKIT__CHECKED simkit_result simkit_operation_begin(simkit_world *world, simkit_operation operation, double parameter,
                                                     bool *run, double *seconds);

/** Reports a measured run. Several may be in progress; the first results are those to skip, and results beyond the number
 *  wanted are discarded.
 *
 *  @param[in] parameter   As when it began.
 *  @param[in] seconds     Its duration [s]; negative counts as 0.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_operation_end(simkit_world *world, simkit_operation operation, double parameter,
                                                   double seconds);

/** How often an operation was used so far. */
typedef struct simkit_operation_tally {
    uint64_t runs;   /**< times that it was run */
    uint64_t reused; /**< times that its duration was taken without running it */
} simkit_operation_tally;

/** How often an operation was used so far; all zero for an unknown one. */
SIMKIT_API simkit_operation_tally simkit_operation_progress(const simkit_world *world, simkit_operation operation);
/** @} */

/*=============================================================================
 * MARK: - >>watch
 *===========================================================================*/
/** @defgroup simkit_watch simkit: watch
 *  Everything that happens, as callbacks: traces and recorders are built on this. @{ */

/** What an event is about; a mask selects several. */
typedef enum simkit_watch_kind {
    SIMKIT_WATCH_STEP = 1,     /**< a step of simkit_step_at() runs */
    SIMKIT_WATCH_COMPUTE = 2,  /**< a computation */
    SIMKIT_WATCH_TRANSFER = 4, /**< a transfer */
    SIMKIT_WATCH_PROCESS = 8,  /**< a process: it begins, waits, resumes, ends */
    SIMKIT_WATCH_NODE = 16,    /**< a node: it was added, or has failed */
    SIMKIT_WATCH_ALL = 31      /**< all of these */
} simkit_watch_kind;

/** What happened to it. */
typedef enum simkit_phase {
    SIMKIT_PHASE_REQUESTED, /**< it was requested; an in-order transfer may have to wait */
    SIMKIT_PHASE_BEGIN,     /**< it begins; a transfer: its latency */
    SIMKIT_PHASE_FLOW,      /**< a transfer: its bytes begin to flow */
    SIMKIT_PHASE_WAIT,      /**< a process: it waits */
    SIMKIT_PHASE_RESUME,    /**< a process: it resumes */
    SIMKIT_PHASE_END,       /**< it has ended */
    SIMKIT_PHASE_LOST       /**< it will never finish: it was cancelled, a node has failed, or a process was killed */
} simkit_phase;

/** An event. Its strings are valid during the call. */
typedef struct simkit_watch_event {
    simkit_watch_kind kind; /**< what it is about */
    simkit_phase phase;     /**< what happened */
    double time;            /**< now [s] */
    double begin;           /**< when it began [s]; the bar of an END is begin .. time */
    double seconds;         /**< a computation: its CPU time [s] */
    double bytes;           /**< a transfer: its size [B] */
    simkit_node node;       /**< its node; a transfer: its sender */
    simkit_node to;         /**< a transfer: its receiver; otherwise 0 */
    const char *name;       /**< its name; "" if it has none */
    const char *lane;       /**< its lane; "" if it has none */
    uint64_t number;        /**< identifies it among those of its kind */
    bool background;        /**< a computation or step: whether it is background */
    bool in_order;          /**< a transfer: whether it waits for those before it, as in simkit_transfer_desc */
} simkit_watch_event;

/** Called for each event, also outside runs: a transfer is REQUESTED when it is started. It may read the world, but must not
 *  change it: simkit_world_run(), simkit_world_run_until() and simkit_world_reset() return SIMKIT_BAD_CALL, and
 *  simkit_world_close() leaves the world open. It must return, as all callbacks. Requests of a process are reported on its
 *  own stack, which must be large enough for the watcher. */
typedef void simkit_watcher(const simkit_world *world, void *user, const simkit_watch_event *event);

/** Adds a watcher. Several are called in the order in which they were added.
 *
 *  @param[in] kinds    Which kinds, OR of simkit_watch_kind.
 *  @param[in] watcher  Called for each event.
 *  @param[in] user     Passed to it; with the watcher it identifies what simkit_watch_remove() removes.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_watch_add(simkit_world *world, unsigned kinds, simkit_watcher *watcher,
                                               void *user);

/** Reports to all watchers an event that happened elsewhere, such as in a real run: it is drawn and traced like the
 *  world's own.
 *
 *  @param[in] event  The event; its time is used as it is, and need not be now. Missing strings are "".
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT for an unknown kind or an invalid time; SIMKIT_UNKNOWN_NODE, for `to` only
 *           if it is a transfer.
 */
SIMKIT__CHECKED simkit_result simkit_watch_emit(simkit_world *world, const simkit_watch_event *event);

/** For a watcher: whether the event that it is being called for came from simkit_watch_emit(). */
SIMKIT_API bool simkit_watch_emitted(const simkit_world *world);

/** Removes a watcher; harmless if there is none. */
SIMKIT_API void simkit_watch_remove(simkit_world *world, simkit_watcher *watcher, void *user);

/** Starts to hash every event of the world, from now on if it does so already.
 *
 *  The hash covers what a watcher of SIMKIT_WATCH_ALL sees, and each message that a receiver gets: its kind and phase,
 *  node, number, sizes and the bits of its times, in their order; names are not included. The same run has the same
 *  fingerprint with every compiler and processor of IEEE doubles, with and without watchers, in one run or in slices.
 *  Events of simkit_watch_emit() do not count.
 *
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT.
 *  @cost    Some 25 ns an event; nothing in a world without a fingerprint.
 */
SIMKIT__CHECKED simkit_result simkit_fingerprint_begin(simkit_world *world);

/** The hash of all events since simkit_fingerprint_begin(); 0 before it. */
SIMKIT_API uint64_t simkit_fingerprint_value(const simkit_world *world);
/** @} */

/*=============================================================================
 * MARK: - >>probe
 *===========================================================================*/
/** @defgroup simkit_probe_of simkit: probe
 *  For observers that need more than watchers see: who asked for an event, the rate of each transfer whenever it changes, what
 *  happens to links, and the end of the world. Critical paths and maps of loads, in util/simkit_why.h, are such observers.
 *  A world may have several, and pays nothing without one. @{ */

/** An event that somebody asked for: a step, or what the engine does at this instant for what runs now, such as resuming a
 *  process that waits, or reporting a loss. */
typedef struct simkit_probe_event {
    uint64_t number; /**< no other event of the world ever has it; of a step: its handle */
    uint32_t place;  /**< no other event has it until this one runs or is cancelled; a small number, for arrays */
    bool background; /**< a step that keeps no run alive */
} simkit_probe_event;

/** What is about to happen to a link. */
typedef enum simkit_probe_change {
    SIMKIT_PROBE_BANDWIDTH, /**< it gets another bandwidth */
    SIMKIT_PROBE_FAILURE,   /**< it fails */
    SIMKIT_PROBE_REPAIR     /**< it works again */
} simkit_probe_change;

/** Things that one leaves for another, who takes them later, perhaps without an event and without a wait: so they join two
 *  courses of events. */
typedef enum simkit_probe_thing {
    SIMKIT_PROBE_MESSAGE,  /**< a message that has arrived at a mailbox */
    SIMKIT_PROBE_RECEIVER, /**< a request for a message */
    SIMKIT_PROBE_WAIT,     /**< a request for anything else */
    SIMKIT_PROBE_UNITS,    /**< free units of a resource */
    SIMKIT_PROBE_BARRIER,  /**< an arrival at a barrier; taken: all have arrived */
    SIMKIT_PROBE_RESUME,   /**< a resume that came before the suspend */
    SIMKIT_PROBE_END,      /**< the end of a process */
    SIMKIT_PROBE_ORDER /**< nothing; but what happens now depends on which of several things came first, as with a choice, a
                                time limit, a signal, or something that is cancelled or closed */
} simkit_probe_thing;

/** Something is left or taken. */
typedef struct simkit_probe_pass {
    simkit_probe_thing thing; /**< what it is */
    bool taken;               /**< it is taken; otherwise it is left */
    uint32_t place; /**< which one: a small number, for arrays, that may come again when it has been taken; SIMKIT_NONE:
                                   a request that is served at once */
    uint32_t of;    /**< messages and receivers: their mailbox; what is taken for a wait: 1 + its place; a barrier that
                                   is left: 1 when whoever came last goes on without the others; otherwise 0 */
    uint64_t count; /**< units: how many; the end of a process: its handle */
    uint64_t available; /**< units: how many were free before */
} simkit_probe_pass;

/** The functions of an observer, each of which may be NULL. Each gets the `user` of simkit_probe_add(). They may read the world,
 *  but must not change it, as a simkit_watcher, and must not add or remove probes, except that `reset` may remove its own, and
 *  `close` any.
 *
 *  An observer has a number of its own in each transfer, which is 0 at first: `*own`. Where there is no memory for it, `own` is
 *  NULL, and the run goes on. */
typedef struct simkit_probe {
    /** What runs now, or the program between two runs, asks for an event. */
    void (*armed)(const simkit_world *world, void *user, const simkit_probe_event *event);
    /** An event is about to run: one that was armed, or one of the engine's own, such as the end of a computation. Watchers are
     *  called after it. */
    void (*due)(const simkit_world *world, void *user, const simkit_probe_event *event);
    /** The rate of a transfer [B/s] has changed: its bytes begin to flow, or those that share links with it have changed.
     *  Called at the end of an instant, with the rate that counts from now on; INFINITY if it ends at this instant. The order
     *  is the same in each run. */
    void (*rate)(const simkit_world *world, void *user, simkit_transfer transfer, double rate, uint64_t *own);
    /** All bytes of a transfer have arrived, before anybody else is told. */
    void (*ended)(const simkit_world *world, void *user, simkit_transfer transfer, uint64_t *own);
    /** A transfer was cancelled, or a node or a link on its way has failed. Its bytes flow no more. */
    void (*lost)(const simkit_world *world, void *user, simkit_transfer transfer, uint64_t *own);
    /** A link is about to change; simkit_link_bandwidth() still gives what it was. */
    void (*link)(const simkit_world *world, void *user, simkit_link link, simkit_probe_change change);
    /** simkit_world_reset() has made the world as new. Without this function the probe ends there, as if the world closed;
     *  with it the probe stays, and the numbers of transfers with it are gone. Its watchers are gone, as all are. */
    void (*reset)(simkit_world *world, void *user);
    /** The world closes, and everything in it is still there. The probe is removed already. Of several, the one that was added
     *  last comes first. */
    void (*close)(simkit_world *world, void *user);
    /** What runs now, or the program between two runs, leaves something for others or takes what was left. */
    void (*passed)(const simkit_world *world, void *user, const simkit_probe_pass *pass);
} simkit_probe;

/** Adds an observer to a world.
 *
 *  @param[in] probe  Its functions; they stay yours, and have to stay where they are.
 *  @param[in] user   Passed to them, and identifies the observer: no two of a world have the same.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    16 bytes for each transfer under way, if it looks at transfers; a call for each event, if it looks at events.
 */
SIMKIT__CHECKED simkit_result simkit_probe_add(simkit_world *world, const simkit_probe *probe, void *user);

/** Removes an observer, whose `close` is not called; harmless if it is not there. */
SIMKIT_API void simkit_probe_remove(simkit_world *world, void *user);

/** Who observes a world with these functions.
 *
 *  @return  The `user` of the observer that was added last; NULL if there is none.
 */
SIMKIT_API void *simkit_probe_find(const simkit_world *world, const simkit_probe *probe);

/** Calls `rate` of an observer for each transfer whose bytes flow now: to begin while transfers are under way, or to bring sums
 *  up to now. Nothing changes. */
SIMKIT_API void simkit_probe_rates(simkit_world *world, void *user);
/** @} */

/*=============================================================================
 * MARK: - >>log
 *===========================================================================*/
/** @defgroup simkit_log_lines simkit: log
 *  Lines of text with the virtual time and the process, to a callback. Nothing is printed or formatted without one. @{ */

/** How important a line is; others are possible, larger is less important. */
typedef enum simkit_log_level {
    SIMKIT_LOG_NONE = 0,    /**< no line has this level; as a threshold: no lines */
    SIMKIT_LOG_ERROR = 1,   /**< something is wrong */
    SIMKIT_LOG_WARNING = 2, /**< something may be wrong */
    SIMKIT_LOG_INFO = 3,    /**< what happens */
    SIMKIT_LOG_DEBUG = 4    /**< in detail */
} simkit_log_level;

/** A line. Its strings are valid during the call. */
typedef struct simkit_log_line {
    int level;           /**< its level */
    double time;         /**< now [s] */
    const char *process; /**< name of the process that is running; "" outside processes */
    const char *text;    /**< at most 511 characters; a longer line is cut */
} simkit_log_line;

/** Called for each line up to the threshold. It may read the world, but must not change it, nor log: as a watcher, it cannot
 *  run, reset or close the world. */
typedef void simkit_logger(const simkit_world *world, void *user, const simkit_log_line *line);

/** Sets where lines go, in place of where they went before.
 *
 *  @param[in] most     The threshold: lines of a larger level are left out.
 *  @param[in] logger   Called for each line; NULL: none.
 *  @param[in] user     Passed to it.
 */
SIMKIT_API void simkit_log_to(simkit_world *world, int most, simkit_logger *logger, void *user);

/** Whether a line of this level goes anywhere: for lines whose arguments take time to compute. */
SIMKIT_API bool simkit_log_wants(const simkit_world *world, int level);

/** Logs a line.
 *
 *  @param[in] level    Its level, > 0.
 *  @param[in] format   As for printf(), which writes decimal points as the locale says.
 *  @cost    A call and a comparison where the line is left out. Formatting takes about 1 KiB of stack, printf() more.
 */
SIMKIT_API void simkit_log(simkit_world *world, int level, const char *format, ...) SIMKIT__FORMAT(3, 4);
/** @} */

/*=============================================================================
 * MARK: - >>random
 *===========================================================================*/
/** @defgroup simkit_random simkit: random
 *  Random numbers with the same bits on every compiler and processor: integer arithmetic and comparisons only. @{ */

/** A stream of random numbers; a value that you may copy. Any state is valid. */
typedef struct simkit_random {
    uint64_t state; /**< position of the stream */
} simkit_random;

/** An independent stream, made from the world's seed.
 *
 *  All streams are parts of one sequence of 2^64 numbers and begin at random places. Two streams of 1e9 numbers each
 *  overlap with a probability of 1e-10; among a million such streams some do.
 *
 *  @param[in] number  Which stream.
 *  @return  The stream at its beginning.
 */
SIMKIT_API simkit_random simkit_random_stream(const simkit_world *world, uint64_t number);

/** 64 random bits.
 *
 *  @return  A 64-bit number; all are equally likely.
 *  @source  SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
 */
SIMKIT_API uint64_t simkit_random_bits(simkit_random *random);

/** A uniform number in [0, 1), a multiple of 2^-53. */
SIMKIT_API double simkit_random_uniform(simkit_random *random);

/** An exponentially distributed number.
 *
 *  @param[in]     mean    Its mean, > 0.
 *  @return  A positive number in the unit of `mean`; NaN if the mean is not positive and finite.
 *  @source  von Neumann's comparison method (1951): no logarithm, so the bits do not depend on a math library.
 */
SIMKIT_API double simkit_random_exponential(simkit_random *random, double mean);

/** A normally distributed number.
 *
 *  @param[in] mean       Its mean, finite.
 *  @param[in] deviation  Its standard deviation, >= 0, finite.
 *  @return  A number of either sign; NaN if an argument is out of range.
 *  @source  von Neumann (1951): of two exponential numbers, the first is the distance from the mean if the second exceeds
 *           half the square of that distance less 1. No logarithm, as above.
 *  @cost    Some 60 ns.
 */
SIMKIT_API double simkit_random_normal(simkit_random *random, double mean, double deviation);

/** A whole number from 0 to `bound` - 1; each is equally likely.
 *
 *  @param[in] bound  One more than the largest.
 *  @return  The number; 0 if the bound is 0.
 */
SIMKIT_API uint64_t simkit_random_below(simkit_random *random, uint64_t bound);
/** @} */

/*=============================================================================
 * MARK: - >>names
 *===========================================================================*/
/** @defgroup simkit_names_of simkit: names
 *  Names and other keys, found at a cost that does not grow with their number. For whoever reads files or gives numbers to what a
 *  world tells: all memory is that of a store. @{ */

/** The result of a search that finds nothing. */
#define SIMKIT_NONE UINT32_MAX

/** A place of an index. */
typedef struct simkit_index_slot {
    uint32_t hash;   /**< of the key */
    uint32_t number; /**< of the element, from 1; 0: free */
} simkit_index_slot;

/** Finds the elements of an array of yours by their keys, of which it keeps the hashes; zeroed, it is empty. At most half of its
 *  slots are in use. */
typedef struct simkit_index {
    simkit_index_slot *slots; /**< slots[size] */
    size_t size;              /**< a power of two, or 0 */
    size_t used;              /**< of them */
} simkit_index;

/** A hash of a text; the same everywhere. */
SIMKIT_API uint32_t simkit_hash_text(const char *text);

/** A hash of a number; the same everywhere. */
SIMKIT_API uint32_t simkit_hash_number(uint64_t number);

/** Adds an element; equal ones are not searched for. False without memory. */
SIMKIT_API bool simkit_index_put(simkit_store *store, simkit_index *index, uint32_t hash, uint32_t number);

/** The next element with this hash, of which one has to see whether its key is the one that is looked for.
 *
 *  @param[in,out] at  Where the search goes on. It begins with the hash.
 *  @return  Its number; SIMKIT_NONE behind the last.
 */
SIMKIT_API uint32_t simkit_index_next(const simkit_index *index, uint32_t hash, size_t *at);

/** Takes an element out, which is there. */
SIMKIT_API void simkit_index_drop(simkit_index *index, uint32_t hash, uint32_t number);

/** Frees what it has: then it is empty. */
SIMKIT_API void simkit_index_free(simkit_store *store, simkit_index *index);

/** A set of names, numbered 0, 1, 2, ... in the order in which they were added. All zero is the empty set. */
typedef struct simkit_names {
    char **texts;       /**< an array of copies, by number: simkit_array_count() */
    simkit_index index; /**< by their hashes */
} simkit_names;

/** The number of a name; SIMKIT_NONE if it is not there. */
SIMKIT_API uint32_t simkit_names_find(const simkit_names *names, const char *text);

/** The number of a name, which is there afterwards; SIMKIT_NONE without memory. */
SIMKIT_API uint32_t simkit_names_add(simkit_store *store, simkit_names *names, const char *text);

/** Frees what it has: then there is no name. */
SIMKIT_API void simkit_names_free(simkit_store *store, simkit_names *names);
/** @} */

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
#if defined(SIMKIT_CATCH_OVERFLOW) && !defined(SIMKIT_NO_PROCESSES) && !defined(_WIN32) && !defined(__EMSCRIPTEN__)
#include <signal.h>
#ifndef SA_ONSTACK
#error "simkit.h: SIMKIT_CATCH_OVERFLOW needs -std=gnu99, or _XOPEN_SOURCE defined as 700 before the first include"
#endif
#endif

#ifndef SIMKIT_ASSERT
#include <assert.h>
#define SIMKIT_ASSERT(x) assert(x)
#endif

/* A cast that C and C++ both accept is an old-style one in C++. Hosts that ask for -Wold-style-cast or -Wuseless-cast
 * mean their own code, so these two are off in this body, and only there. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif
#ifdef _WIN32 /* <windows.h> defines these words */
#pragma push_macro("near")
#pragma push_macro("far")
#undef near
#undef far
#endif

/*=============================================================================
 * MARK: - >>stb_ds (private)
 *
 * Dynamic arrays: the layout of those of stb_ds, and its macros that allocate nothing. An array grows in the room
 * memory, checked, before something is put into it. So no function of stb_ds is needed here, and none is compiled,
 * even if the host asks for them with STB_DS_IMPLEMENTATION: they come where the host itself includes stb_ds.h.
 *===========================================================================*/
#ifndef INCLUDE_STB_DS_H
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wundef"
#endif
#pragma push_macro("STB_DS_IMPLEMENTATION")
#undef STB_DS_IMPLEMENTATION
#if !defined(__has_include)
#include <stb/stb_ds.h>
#elif __has_include("stb_ds.h")
#include "stb_ds.h"
#else
#if !__has_include(<stb/stb_ds.h>)
#error                                                                                                                 \
    "simkit.h: stb_ds.h is missing: put it beside the headers (github.com/nothings/stb), install Debian's libstb-dev, or use the one file that `make amalgam` makes, which needs none"
#endif
#include <stb/stb_ds.h>
#endif
#pragma pop_macro("STB_DS_IMPLEMENTATION")
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define simkit__length(array) (stbds_header(array)->length) /* of one that is not NULL */
#define simkit__count(array) ((array) ? simkit__length(array) : 0)
#define simkit__capacity(array) ((array) ? stbds_header(array)->capacity : 0)
#define simkit__push(array, value) ((array)[simkit__length(array)++] = (value)) /* after simkit__reserve() */
#define simkit__last(array) stbds_arrlast(array)
#define simkit__drop(array) ((void)stbds_arrpop(array))
/* simkit__left() counts the elements that a reset has left in the memory of an array, from its beginning: those beyond its length
 * own memory. */
#define simkit__left(array) ((array) ? (size_t)stbds_header(array)->temp : 0)
#define simkit__extent(array) (simkit__count(array) > simkit__left(array) ? simkit__count(array) : simkit__left(array))
#define simkit__array_bytes(capacity, element) (sizeof(stbds_array_header) + (capacity) * (element))

/* The block that an array lives in, and back. */
static void *simkit__array_block(void *array)
{
    return array ? (void *)stbds_header(array) : NULL;
}

static void *simkit__array_of_block(void *block, size_t length, size_t capacity, size_t left)
{
    stbds_array_header *header = (stbds_array_header *)block;
    memset(header, 0, sizeof *header);
    header->length = length;
    header->capacity = capacity;
    header->temp = (ptrdiff_t)left;
    return header + 1;
}

/* No elements, but the memory stays, with what is in it. */
static void simkit__array_leave(void *array)
{
    if (!array) return;
    stbds_header(array)->temp = (ptrdiff_t)simkit__extent(array);
    simkit__length(array) = 0;
}

/* Empties an array; nothing that was in it is kept. */
static void simkit__array_clear(void *array)
{
    if (array) simkit__length(array) = 0;
}

/*=============================================================================
 * MARK: - >>state (private)
 *
 * What a world consists of. The other types are defined in the rooms that work with them.
 *===========================================================================*/
#if defined(SIMKIT_CATCH_OVERFLOW) && (defined(SA_ONSTACK) || defined(_WIN32)) && !defined(SIMKIT_NO_PROCESSES)
#define SIMKIT__CATCHES
#endif

#if defined(__GNUC__)
#define SIMKIT__PREFETCH(address) __builtin_prefetch(address)
#define SIMKIT__INLINE static inline __attribute__((always_inline)) /* every event passes there */
#define SIMKIT__COLD static __attribute__((noinline, cold))
#define SIMKIT__APART static __attribute__((noinline)) /* the caller has loops that need all registers */
#else
#define SIMKIT__PREFETCH(address) ((void)(address))
#define SIMKIT__INLINE static
#define SIMKIT__COLD static
#define SIMKIT__APART static
#endif

/* Elements that never move, in chunks of 8, 8, 16, 32 ...: see the room memory. */
typedef struct simkit__pool {
    size_t count, capacity; /* of elements, free ones as well */
    uintptr_t chunks[30];   /* where element 0 would be, if it were in this chunk */
    void *blocks[30];       /* that they lie in; the first lies in that of the pool */
} simkit__pool;

typedef struct simkit__entry { /* of the queue: an arming of a timer */
    uint64_t bits;             /* of the time */
    uint32_t timer;
    uint16_t priority; /* + 2^15 */
    uint16_t tag;      /* the lower half of the timer's generation */
} simkit__entry;

/* What is due: see >>events. */
typedef enum simkit__timer_kind {
    SIMKIT__NODE_TIMER,
    SIMKIT__PORT_TIMER,  /* equal shares: a tag of a port is reached */
    SIMKIT__PORTS_TIMER, /* max-min fair shares: a tag of any port is */
    SIMKIT__FLOW_TIMER,
    SIMKIT__COURSE_TIMER,
    SIMKIT__DELIVERY_TIMER,
    SIMKIT__RECEIVER_TIMER,
    SIMKIT__WAITER_TIMER,
    SIMKIT__PROCESS_TIMER,
    SIMKIT__LIMIT_TIMER, /* of a process that waits */
    SIMKIT__ALARM_TIMER
} simkit__timer_kind;

typedef enum simkit__whom {
    SIMKIT__HOST,    /* the host, who may not want to know */
    SIMKIT__PROCESS, /* a process that waits for it */
    SIMKIT__MESSAGE, /* a message of which it is the transfer: its place among the deliveries */
    SIMKIT__PLACE    /* processes that wait at a place, and then the `end` of that place: its number */
} simkit__whom;

typedef struct simkit__end {  /* who is told when a computation, a transfer or a message ends */
    simkit_call *done, *lost; /* of the host; may be NULL */
    void *user;               /* the host's; else the process or the number */
    simkit__whom whom;
} simkit__end;

/* A room in which something ends calls the host, and gives back who else is to be told, and how it ended: >>events does so. */
typedef struct simkit__told { /* so small that it is returned in registers */
    void *user;
    uint32_t whom; /* HOST: nobody else */
    uint32_t how;  /* a simkit_result; OK: it is done; CANCELLED: no callback of the host is called */
} simkit__told;

static const simkit__told simkit__nobody = { NULL, SIMKIT__HOST, SIMKIT_OK };
static const simkit__end simkit__no_end = { NULL, NULL, NULL, SIMKIT__HOST };

/* Calls the host's done or lost, and returns who else is to be told (>>events). Comes last, when what has ended is free. */
SIMKIT__INLINE simkit__told simkit__tells(simkit_world *w, const simkit__end *end, simkit_result how)
{
    const simkit__told told = { end->user, (uint32_t)end->whom, (uint32_t)how };
    simkit_call *call = how == SIMKIT_OK ? end->done : end->lost;
    if (end->whom == SIMKIT__HOST && call && how != SIMKIT_CANCELLED) call(w, end->user);
    return told;
}

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
    struct simkit__near *near; /* heap of four children, near[near_count] */
    size_t near_count;
    simkit__entry sole;                      /* due now, when all others are due later */
    uint64_t number;                         /* of the next entry there */
    uint32_t levels, digits[SIMKIT__LEVELS]; /* bits: which buckets hold something */
    simkit__chain buckets[SIMKIT__LEVELS][SIMKIT__DIGITS];
    struct simkit__chunk *chunks;
    uint32_t free_chunk;
    size_t timers, stale; /* existing timers; entries whose arming has been cancelled or replaced */
    size_t room;          /* timers that the memory suffices for */
    bool priorities;      /* a step had one */
    bool least_known;
    uint64_t least; /* in the buckets */
} simkit__queue;

typedef struct simkit__line { /* a queue through a pool, whose elements begin with the number of the next */
    uint32_t first, last;
    size_t count;
} simkit__line;

typedef struct simkit__settling { /* what changes the shares of flows at the end of an instant */
    uint32_t *ports;              /* that have changed: see simkit__port_change() */
    simkit_node *affected;        /* nodes whose CPU is taken by transfers that came or went */
    simkit__line joining;         /* flows */
} simkit__settling;

enum {
    /* So many marked ports need no ranks; without this star-turn with 1024 hosts takes 1.2 times as long. */
    SIMKIT__FEW = 12,
    SIMKIT__DUE_LEVELS = 12 /* of a tree of eight branches for 2^32 ports */
};

typedef struct simkit__maxmin { /* max-min fair shares, see >>bottlenecks; arrays by port unless said otherwise */
    struct simkit__bottleneck *ports;
    struct simkit__sums *sums;
    uint32_t *order;           /* by rank: the port */
    unsigned char *marked;     /* by rank: to be computed anew */
    unsigned char *blocks;     /* of 64 ranks: perhaps some are marked */
    uint32_t first;            /* no rank before it is, unless there are few */
    uint32_t few[SIMKIT__FEW]; /* the marked ports, while there are few */
    uint32_t few_count;        /* of them; FEW + 1: there are more */
    uint32_t *heap;            /* of filling */
    uint32_t *fresh;           /* flows that have no finish tag yet */
    size_t members;            /* flows that are members of ports */
    bool fill;                 /* everything that can be reached is to be computed anew */
} simkit__maxmin;

typedef struct simkit__dues {                        /* see >>dues */
    struct simkit__due *entries[SIMKIT__DUE_LEVELS]; /* which tag is reached first: by port, by eight ports, ... */
    double time;                                     /* what the timer is set for */
    uint32_t timer;
    uint32_t stale; /* a port whose first tag was just reached, and whose entry is not put right yet; NONE */
} simkit__dues;

typedef struct simkit__alarm { /* what a timer of a library calls */
    uint32_t next;
    uint32_t timer; /* NONE: it is closed */
    simkit_call *call;
    void *user;
    const char *name;
} simkit__alarm;

#ifndef SIMKIT_NO_PROCESSES
typedef enum simkit__state {
    SIMKIT__READY,     /* to begin, or resumed: its timer is set for now */
    SIMKIT__RUNNING,   /* it has the processor */
    SIMKIT__HOLDING,   /* until its timer */
    SIMKIT__COMPUTING, /* until its computation is done */
    SIMKIT__SENDING,   /* until its message has arrived */
    SIMKIT__RECEIVING, /* until a message is there */
    SIMKIT__SUSPENDED, /* until somebody resumes it */
    SIMKIT__WAITING,   /* until one of its waiters is woken */
    SIMKIT__ENDED
} simkit__state;

typedef struct simkit__noted {
    uint32_t place, generation;
    simkit_mailbox mailbox; /* 0: the place */
    uint64_t number;        /* of units, or of arrivals */
} simkit__noted;

/* The last wait that was ended by a time limit or an interrupt. These are no errors of the program, and may be many: the
 * sentence is only made when it is asked for. */
typedef struct simkit__unsaid {
    simkit_result result; /* OK: there is none, or its sentence is made */
    double now, limit;
    simkit__state state; /* of the process */
    bool before, outside;
    char process[32], on[64];
    size_t count; /* what it waited for; the first of that */
    simkit__noted things[3];
} simkit__unsaid;
#endif

struct simkit_world {
    /* A reset keeps these members and their memory, and empties the arrays. */
    simkit_store store;
    uint64_t gone; /* labels before the latest reset: handles have those, too */
    struct simkit__timer *timers;
    struct simkit__node *nodes;
    struct simkit__job *jobs;
    simkit__pool *flows;
    simkit__pool *requests; /* of each flow */
    struct simkit__port *ports;
    double *rates;               /* rates[ports], with equal shares: the level of each that somebody shares [B/s] */
    struct simkit__wire *wires;  /* links */
    struct simkit__hop *hops;    /* of the flows that have routes, in blocks */
    netmodel_topology *topology; /* NULL: none */
    size_t *channels;            /* channels[longest route]: scratch for it */
    uint32_t *route;             /* likewise */
    uint32_t *listed;            /* scratch: ports of a transfer that is being started */
    simkit__settling settling;
    simkit__dues dues;
    simkit__maxmin maxmin;
    struct simkit__mailbox *mailboxes;
    struct simkit__delivery *deliveries;
    struct simkit__receiver *receivers;
    struct simkit__place *places;
    struct simkit__waiter *waiters;
    struct simkit__watch *watches;
    struct simkit__attached *probes;
    struct simkit__text **texts; /* texts[text_slots] */
    size_t text_slots, text_count;
#ifndef SIMKIT_NO_PROCESSES
    struct simkit__process_slot *slots;
    struct simkit__context *home;   /* the host's stack */
    struct simkit__catch *catching; /* with SIMKIT_CATCH_OVERFLOW */
    struct simkit__stacks *stacks;  /* one of each size */
    struct simkit__slab *slabs;
    unsigned guarded; /* stacks whose guards cost memory maps */
    size_t page;      /* of memory [B] */
#endif
    simkit__queue queue;

    /* A reset sets these members to zero; simkit__world_begin() then sets some of them. */
    double now;
    uint64_t steps, mark; /* events; their number at which simkit__stand() looks whether the clock has advanced */
    uint64_t labels;      /* numbers of computations, transfers and what else watchers are told about, in their order */
    size_t foreground; /* what a run goes on for: computations, transfers, armed timers; a time to end at is one more */
    simkit_world_desc desc;
    uint64_t seed;
    double latency; /* between two nodes [s] */
    simkit_sharing policy;
    bool running;
    bool unsettled; /* something in `settling` */
    bool bursts;    /* a node's links have bursts */
    bool slow_links;
    simkit_result ending; /* what ends the run from inside; OK: it goes on */
    simkit_node failing;  /* just now; else 0 */
    bool failing_told;    /* the watchers know */
    simkit_result spoilt; /* a library could not go on, so no run does; else OK */
    uint64_t until;       /* of the run, as bits of the time */
    uint32_t deferred;    /* a timer that is due, which a process has left to the loop; else NONE */
    uint32_t *free_hops;  /* blocks of each size class */
    uint32_t free_port;   /* ports of rate limits, windows and earlier links of pairs, which nobody uses now */
    double window, pair_duplex;
    unsigned placed;    /* the host of the last node */
    bool duplexes;      /* some node or pair has no full duplex */
    size_t broken;      /* links that have failed */
    uint64_t opened[4]; /* places of each kind so far, for their names */
    uint32_t serve;     /* resources whose units may go to those that wait; NONE */
    bool serves;
    struct simkit__alarm *alarms; /* timers of libraries */
    uint32_t free_timer, free_job, free_flow, free_delivery, free_receiver, free_place, free_waiter, free_alarm;

    unsigned watched; /* OR of what the watches, the fingerprint and the observers want */
    unsigned probed;  /* OR of what the observers want: SIMKIT__PROBE_EVENTS ... */
    bool reporting;   /* a watcher or the logger is being called */
    bool elsewhere;   /* what watchers are told happened elsewhere: simkit_watch_emit() */
    uint64_t fingerprint;
    int log_most; /* the largest level that is logged */
    simkit_logger *logger;
    void *logger_user;

#ifndef SIMKIT_NO_PROCESSES
    uint32_t free_slot;
    struct simkit__process *current;
    struct simkit__process *ended; /* its stack goes back when it has been left */
    struct simkit__context *left;  /* which stack was left last */
    bool catches;                  /* in this run */
    simkit__unsaid unsaid;
    simkit_world *self; /* for the sentence of the note */
#endif

    struct simkit__operation *operations;
    double (*processor_time)(void *user);
    void *processor_time_user;

    uint64_t instant_limit;
    double marked;    /* the time at the latest mark */
    unsigned sampled; /* of a clock that stands: events whose names are in `standing` */
    char standing[192];
    size_t text_limit;

    char why[512];
    char spoilt_why[256]; /* of `spoilt` */
    bool told;            /* a call has failed in this run, and `why` says so */
    char shown[4][32], phrases[4][128];
    unsigned shown_next, phrases_next;
};

/* Where elements are. */
#define simkit__timer_at(world, index) (&(world)->timers[index])

typedef struct simkit__watch {
    unsigned kinds;
    simkit_watcher *watcher;
    void *user;
} simkit__watch;

/* Kinds of events for the fingerprint only: a message that a receiver gets; a wait with a callback that ends, which is
   selected by the same bit. */
#define SIMKIT__WATCH_MESSAGE ((unsigned)SIMKIT_WATCH_ALL + 1)
#define SIMKIT__WATCH_WAIT (SIMKIT__WATCH_MESSAGE << 1)
/* Observers look at events. */
#define SIMKIT__WATCH_DUE (SIMKIT__WATCH_MESSAGE << 2)

/* Bits of `probed`: an observer looks at events, transfers, links, passes. Each function of >>observers is called if its bit is
 * set. */
enum { SIMKIT__PROBE_EVENTS = 1, SIMKIT__PROBE_TRANSFERS = 2, SIMKIT__PROBE_LINKS = 4, SIMKIT__PROBE_PASSES = 8 };

/*=============================================================================
 * MARK: - >>results (body)
 *
 * Sentences about errors. Numbers have a decimal point in every locale.
 *===========================================================================*/
/* a * b rounded on its own: a compiler that fuses it into a following addition would change bits. */
static double simkit__product(double a, double b)
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

/* Returns true if two numbers are the same, which is asked on purpose: a host may compile with -Wfloat-equal. */
SIMKIT__INLINE bool simkit__same(double a, double b)
{
    return a <= b && a >= b;
}

/* The text of a number with a decimal point: what is neither a sign, a digit nor a letter is the locale's separator, of
 * one byte or more. */
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

/* Writes a number for a sentence; the text is valid until the fourth call from now. */
static const char *simkit__show(simkit_world *w, double value)
{
    return simkit__figure(w->shown[w->shown_next++ % 4], 9, value);
}

/* A width or a precision in a format, if there is one. */
static int simkit__format_number(const char **format, va_list *values, int otherwise)
{
    if (**format == '*') {
        ++*format;
        return va_arg(*values, int);
    }
    for (int number = 0; **format >= '0' && **format <= '9' && number < 1000; otherwise = number)
        number = 10 * number + (*(*format)++ - '0');
    return otherwise;
}

/* One conversion of a format, behind its %. Gives the length of what stands there. */
static size_t simkit__format_one(char *text, size_t size, const char **format, va_list *values)
{
    char number[400];
    const char *at = *format;
    const bool left = *at == '-', zeros = *at == '0';
    if (left || zeros) ++at;
    int width = simkit__format_number(&at, values, 0), precision = -1, length = 0;
    if (left) width = -width;
    if (*at == '.') ++at, precision = simkit__format_number(&at, values, 0);
    const bool is_long = *at == 'l', is_size = *at == 'z';
    if (is_long || is_size) ++at;
    const char verb = *at;
    if (verb == 's') {
        length = snprintf(text, size, "%*.*s", width, precision, va_arg(*values, const char *));
    } else if (verb == 'c') {
        length = snprintf(text, size, "%*c", width, va_arg(*values, int));
    } else if (verb == 'd') {
        length = snprintf(text, size, "%*ld", width, is_long ? va_arg(*values, long) : (long)va_arg(*values, int));
    } else if (verb == 'u' || verb == 'x') {
        const unsigned long whole = is_size   ? (unsigned long)va_arg(*values, size_t)
                                    : is_long ? va_arg(*values, unsigned long)
                                              : va_arg(*values, unsigned);
        length = verb == 'u' ? snprintf(text, size, zeros ? "%0*lu" : "%*lu", width, whole)
                             : snprintf(text, size, zeros ? "%0*lx" : "%*lx", width, whole);
    } else if (verb == 'e' || verb == 'f' || verb == 'g') {
        double value = va_arg(*values, double);
        if (!simkit__same(value, value)) value = fabs(value);
        if (verb == 'g')
            snprintf(number, sizeof number, "%.*g", precision < 0 ? 9 : precision, value);
        else
            snprintf(number, sizeof number, verb == 'e' ? "%.*e" : "%.*f", precision < 0 ? 6 : precision, value);
        length = snprintf(text, size, "%*s", width, simkit__with_point(number));
    } else {
        length = snprintf(text, size, "%%");
    }
    *format = verb ? at + 1 : at;
    return length > 0 ? (size_t)length : 0;
}

SIMKIT_API size_t simkit_text_format(char *text, size_t size, const char *format, va_list values)
{
    size_t used = 0;
    va_list rest;
    if (!format || (!text && size > 0)) return 0;
    va_copy(rest, values);
    while (*format) {
        const size_t plain = strcspn(format, "%"), left = used < size ? size - used : 0;
        const size_t fits = plain < left ? plain : left;
        if (fits > 0) memcpy(text + used, format, fits);
        used += plain;
        format += plain;
        if (!*format++) break;
        const size_t after = used < size ? size - used : 0;
        used += simkit__format_one(after > 0 ? text + used : NULL, after, &format, &rest);
    }
    va_end(rest);
    if (size > 0) text[used < size ? used : size - 1] = 0;
    return used;
}

static void simkit__begin_sentence(simkit_world *w)
{
    w->told = true;
#ifndef SIMKIT_NO_PROCESSES
    w->unsaid.result = SIMKIT_OK;
#endif
}

/* A sentence begins with the time; gives its length. */
static size_t simkit__begin_why(simkit_world *w, double time)
{
    simkit__begin_sentence(w);
    return (size_t)snprintf(w->why, sizeof w->why, "at %s s: ", simkit__show(w, time));
}

SIMKIT__FORMAT(3, 4)
SIMKIT__COLD simkit_result simkit__fail(simkit_world *w, simkit_result result, const char *format, ...)
{
    const size_t used = simkit__begin_why(w, w->now);
    va_list arguments;
    va_start(arguments, format);
    simkit_text_format(w->why + used, sizeof w->why - used, format, arguments);
    va_end(arguments);
    return result;
}

SIMKIT__CHECKED simkit_result simkit_world_fail(simkit_world *world, simkit_result result, const char *format, ...)
{
    if (!world || !format) return result;
    const size_t used = simkit__begin_why(world, world->now);
    va_list arguments;
    va_start(arguments, format);
    simkit_text_format(world->why + used, sizeof world->why - used, format, arguments);
    va_end(arguments);
    return result;
}

SIMKIT__COLD simkit_result simkit__no_memory(simkit_world *w, const char *what)
{
    return simkit__fail(w, SIMKIT_NO_MEMORY, "no memory for %s", what);
}

SIMKIT_API void simkit_world_break(simkit_world *world, simkit_result result, const char *format, ...)
{
    if (!world || result == SIMKIT_OK) return;
    if (format) {
        const size_t used = simkit__begin_why(world, world->now);
        va_list arguments;
        va_start(arguments, format);
        simkit_text_format(world->why + used, sizeof world->why - used, format, arguments);
        va_end(arguments);
    }
    const char *sentence = strstr(world->why, " s: ");
    snprintf(world->spoilt_why, sizeof world->spoilt_why, "%.255s", sentence ? sentence + 4 : world->why);
    world->spoilt = result;
    if (world->running) world->ending = result;
}

/* A part of a sentence; valid until the fourth call from now. */
SIMKIT__FORMAT(2, 3)
static const char *simkit__words(simkit_world *w, const char *format, ...)
{
    char *text = w->phrases[w->phrases_next++ % 4];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof w->phrases[0], format, arguments);
    va_end(arguments);
    return text;
}

/* Says what something is called in sentences: "node 'server'" by its name, else by its number, "node 2", and "a node" without
 * one. A name that the kit has made, such as "node 2", is no name. */
static const char *simkit__called(simkit_world *w, const char *kind, const char *name, size_t number)
{
    const size_t length = strlen(kind);
    if (name && strncmp(name, kind, length) == 0 && name[length] == ' ' && name[length + 1] &&
        !name[length + 1 + strspn(name + length + 1, "0123456789")])
        return simkit__words(w, "%s", name);
    if (name && *name) return simkit__words(w, "%s '%.100s'", kind, name);
    return number > 0 ? simkit__words(w, "%s %lu", kind, (unsigned long)number) : simkit__words(w, "a %s", kind);
}

/* A number that must be finite and not negative. */
static bool simkit__is_amount(double value)
{
    return value >= 0 && value < (double)INFINITY;
}

/* Returns true if both directions of a link can carry `factor` times one of them together; 0 stands for 2. */
static bool simkit__is_duplex(double factor)
{
    return (factor >= 1 && factor <= 2) || (factor <= 0 && factor >= 0);
}

/* A bandwidth, or 0. Below 1 B/s it looks like a byte time. */
SIMKIT__INLINE bool simkit__is_bandwidth(const simkit_world *w, double value)
{
    return ((value >= 1 || (w->slow_links && value > 1e-3)) && value < (double)INFINITY) || (value <= 0 && value >= 0);
}

/* `of` what: as simkit__called() says it. */
SIMKIT__COLD simkit_result simkit__bad_number(simkit_world *w, const char *what, const char *of, double value)
{
    return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s of %s is %s, but must be finite and not negative", what, of,
                        simkit__show(w, value));
}

/* Says what is wrong with a bandwidth. `zero` says what 0 means, if that is not a link that has failed. */
SIMKIT__COLD simkit_result simkit__bad_bandwidth(simkit_world *w, const char *what, const char *of, double value,
                                                 const char *zero)
{
    if (zero && value > 0 && !(value < (double)INFINITY))
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s of %s is %s, but must be finite and not negative; 0 means %s",
                            what, of, simkit__show(w, value), zero);
    if (!simkit__is_amount(value)) return simkit__bad_number(w, what, of, value);
    if (!w->slow_links)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT,
                            "%s of %s is %s B/s, which looks like a byte time: its bandwidth would be %s B/s "
                            "(simkit_world_desc.slow_links allows less than 1 B/s)",
                            what, of, simkit__show(w, value), simkit__show(w, 1 / value));
    return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s of %s is %s B/s, expected more than 0.001, or 0", what, of,
                        simkit__show(w, value));
}

SIMKIT__COLD simkit_result simkit__bad_duplex(simkit_world *w, const char *of, double value)
{
    return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "duplex factor of %s is %s, but must be from 1 to 2, or 0", of,
                        simkit__show(w, value));
}

SIMKIT_API const char *simkit_result_text(simkit_result result)
{
    switch (result) {
    case SIMKIT_OK: return "success";
    case SIMKIT_STOPPED: return "the run was stopped";
    case SIMKIT_BAD_ARGUMENT: return "an argument is missing, or out of range";
    case SIMKIT_BAD_TIME: return "a time before now, NaN, or too late for a double";
    case SIMKIT_BAD_CALL: return "this call is not possible here";
    case SIMKIT_UNKNOWN_NODE: return "no such node in this world";
    case SIMKIT_NODE_FAILED: return "the node has failed";
    case SIMKIT_UNKNOWN_MAILBOX: return "no such mailbox in this world";
    case SIMKIT_UNKNOWN_PROCESS: return "no such process, or it has ended";
    case SIMKIT_MAILBOX_CLOSED: return "the mailbox is closed";
    case SIMKIT_DEADLOCK: return "processes wait, but nothing will wake them";
    case SIMKIT_STACK_OVERFLOW: return "a process needed more stack than it has";
    case SIMKIT_NO_MEMORY: return "no memory";
    case SIMKIT_BAD_FILE: return "a file has a parse error";
    case SIMKIT_NO_FILE: return "a file could not be read or written";
    case SIMKIT_CANCELLED: return "the computation or the transfer was cancelled";
    case SIMKIT_TIMED_OUT: return "the time limit of the wait has passed";
    case SIMKIT_INTERRUPTED: return "the wait was interrupted";
    case SIMKIT_CLOSED: return "what was waited for was closed";
    case SIMKIT_UNKNOWN_PLACE: return "no such resource, condition or barrier in this world, or it is closed";
    case SIMKIT_STANDSTILL: return "the clock stands still: too many events at one instant";
    case SIMKIT_UNKNOWN_LINK: return "no such link in this world";
    case SIMKIT_LINK_FAILED: return "a link on the way has failed";
    case SIMKIT_BAD_TOPOLOGY:
        return "the topology is impossible: netmodel_topology_check() says why; or a bandwidth in it is below 1 B/s";
    }
    return "not a result of simkit";
}

/*=============================================================================
 * MARK: - >>memory (body)
 *
 * All memory comes from a hook, and the bytes in use are counted. Each call reserves its memory before it changes
 * anything, so a failed call leaves the world unchanged. Later events allocate nothing, except when a background
 * process starts.
 *===========================================================================*/
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

static void simkit__store_count(simkit_store *store, size_t old_bytes, size_t new_bytes)
{
    store->bytes += new_bytes - old_bytes;
    if (store->bytes > store->peak) store->peak = store->bytes;
}

SIMKIT_API void *simkit_store_resize(simkit_store *store, void *pointer, size_t old_bytes, size_t new_bytes)
{
    simkit_reallocate *hook = store->memory.reallocate ? store->memory.reallocate : simkit__reallocate_c;
    void *fresh = hook(store->memory.user, pointer, old_bytes, new_bytes);
    if (fresh || new_bytes == 0) simkit__store_count(store, old_bytes, new_bytes);
    return fresh;
}

static void simkit__release(simkit_store *store, void *pointer, size_t bytes)
{
    if (pointer) simkit_store_resize(store, pointer, bytes, 0);
}

SIMKIT_API void *simkit_store_open(const simkit_memory *memory, size_t bytes)
{
    simkit_store store;
    memset(&store, 0, sizeof store);
    if (memory) store.memory = *memory;
    void *owner = simkit_store_resize(&store, NULL, 0, bytes);
    if (!owner) return NULL;
    memset(owner, 0, bytes);
    memcpy(owner, &store, sizeof store);
    return owner;
}

SIMKIT_API void simkit_store_close(simkit_store *store, size_t bytes)
{
    SIMKIT_ASSERT(store->bytes == bytes); /* nothing leaks */
    simkit_store own = *store;
    simkit_store_resize(&own, store, bytes, 0);
}

SIMKIT_API bool simkit_array_grow(simkit_store *store, void *slot, size_t element, size_t more)
{
    void *array;
    memcpy(&array, slot, sizeof array);
    size_t length = simkit__count(array), capacity = simkit__capacity(array), left = simkit__left(array);
    if (more <= capacity - length) return true;
    size_t wanted = capacity < 4 ? 8 : capacity < 4096 ? capacity * 2 : capacity + capacity / 2;
    if (wanted - length < more) wanted = length + more;
    if (wanted < more || wanted > (SIZE_MAX / 2 - simkit__array_bytes((size_t)0, (size_t)1)) / element) return false;
    size_t old_bytes = array ? simkit__array_bytes(capacity, element) : 0;
    void *block =
        simkit_store_resize(store, simkit__array_block(array), old_bytes, simkit__array_bytes(wanted, element));
    if (!block) return false;
    array = simkit__array_of_block(block, length, wanted, left);
    memcpy(slot, &array, sizeof array);
    return true;
}
/* `owner` is anything with a store: a world, a table, ... */
#define simkit__reserve(owner, array, more)                                                                            \
    (simkit__count(array) + (more) <= simkit__capacity(array) ||                                                       \
     simkit_array_grow(&(owner)->store, &(array), sizeof *(array), (more)))

SIMKIT_API size_t simkit_array_count(const void *array)
{
    void *own = (void *)(uintptr_t)array;
    return simkit__count(own);
}

SIMKIT_API size_t simkit_array_add(void *array)
{
    SIMKIT_ASSERT(simkit__count(array) < simkit__capacity(array)); /* simkit_array_reserve() makes room */
    return simkit__length(array)++;
}

SIMKIT_API void simkit_array_cut(void *array, size_t count)
{
    if (simkit__count(array) > count) simkit__length(array) = count;
}

SIMKIT_API void simkit_array_free(simkit_store *store, void *array, size_t element)
{
    if (array)
        simkit__release(store, simkit__array_block(array), simkit__array_bytes(simkit__capacity(array), element));
}
#define simkit__discard(owner, array) (simkit_array_free(&(owner)->store, (array), sizeof *(array)), (array) = NULL)

/* Places of the highest and the lowest bit that is set. */
SIMKIT__INLINE unsigned simkit__highest(uint64_t x)
{
#if defined(__GNUC__)
    return 63u - (unsigned)__builtin_clzll(x);
#else
    unsigned place = 0;
    for (unsigned part = 32; part > 0; part /= 2)
        if (x >> part) {
            place += part;
            x >>= part;
        }
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

/* A pool has elements of one size, which begin with a uint32_t that links the free ones. It grows by a chunk as large as
 * all before it, so elements never move, and the highest bit of an index tells its chunk. Transfers live so: starting
 * one in a new world takes 70 ns instead of 120. What is small and touched by every event lives in arrays that move
 * when they grow: with timers, messages and waiters in pools too, processes took 1.1 to 1.3 times as long. */
SIMKIT__INLINE void *simkit__pool_element(const simkit__pool *pool, size_t index, size_t element)
{
    return (void *)(pool->chunks[simkit__highest(index | 7) - 2] + index * element);
}
#define simkit__element(type, pool, index) ((type *)simkit__pool_element((pool), (index), sizeof(type)))
#define simkit__flow_at(world, index) simkit__element(simkit__flow, (world)->flows, index)
#define simkit__request_at(world, index) simkit__element(simkit__request, (world)->requests, index)
#define simkit__pool_count(pool) ((pool) ? (pool)->count : 0)
#define simkit__pool_capacity(pool) ((pool) ? (pool)->capacity : 0)

#define SIMKIT__LINE 64 /* of a cache: chunks begin with one */

static uintptr_t simkit__line_of(const void *block)
{
    return ((uintptr_t)block + SIMKIT__LINE - 1) / SIMKIT__LINE * SIMKIT__LINE;
}

/* The first chunk lies behind the pool itself, each other one in a block of its own. */
static size_t simkit__pool_bytes(size_t element)
{
    return sizeof(simkit__pool) + SIMKIT__LINE + 8 * element;
}

static bool simkit__pool_extend(simkit_store *store, simkit__pool **slot, size_t element, size_t capacity)
{
    simkit__pool *pool = *slot;
    if (!pool) {
        pool = (simkit__pool *)simkit_store_resize(store, NULL, 0, simkit__pool_bytes(element));
        if (!pool) return false;
        memset(pool, 0, sizeof *pool);
        pool->capacity = 8;
        pool->chunks[0] = simkit__line_of(pool + 1);
        *slot = pool;
    }
    while (pool->capacity < capacity) {
        const size_t first = pool->capacity; /* of the new chunk */
        if (first > SIMKIT_NONE / 2 || first > (SIZE_MAX - SIMKIT__LINE) / element) return false;
        void *block = simkit_store_resize(store, NULL, 0, SIMKIT__LINE + first * element);
        if (!block) return false;
        pool->blocks[simkit__highest(first) - 2] = block;
        pool->chunks[simkit__highest(first) - 2] = simkit__line_of(block) - first * element;
        pool->capacity = 2 * first;
    }
    return true;
}

/* Capacity for `more` elements. */
#define simkit__pool_room(owner, pool, type, more)                                                                     \
    (simkit__pool_count((owner)->pool) + (more) <= simkit__pool_capacity((owner)->pool) ||                             \
     simkit__pool_extend(&(owner)->store, &(owner)->pool, sizeof(type), simkit__pool_count((owner)->pool) + (more)))

/* One more free element, zeroed. */
static bool simkit__pool_grow(simkit_store *store, simkit__pool **slot, size_t element, uint32_t *head)
{
    const size_t index = simkit__pool_count(*slot);
    if (index >= simkit__pool_capacity(*slot) && !simkit__pool_extend(store, slot, element, index + 1)) return false;
    void *fresh = simkit__pool_element(*slot, index, element);
    memset(fresh, 0, element);
    memcpy(fresh, head, sizeof *head);
    *head = (uint32_t)index;
    (*slot)->count++;
    return true;
}

/* Makes sure that one is free, but does not take it: so several reservations can fail together. */
#define simkit__pool_reserve(owner, pool, type, head)                                                                  \
    ((owner)->head != SIMKIT_NONE || simkit__pool_grow(&(owner)->store, &(owner)->pool, sizeof(type), &(owner)->head))

static void simkit__pool_free(simkit_store *store, simkit__pool *pool, size_t element)
{
    if (!pool) return;
    for (size_t first = pool->capacity / 2; first >= 8; first /= 2)
        simkit__release(store, pool->blocks[simkit__highest(first) - 2], SIMKIT__LINE + first * element);
    simkit__release(store, pool, simkit__pool_bytes(element));
}
#define simkit__pool_discard(owner, pool, type)                                                                        \
    (simkit__pool_free(&(owner)->store, (owner)->pool, sizeof(type)), (owner)->pool = NULL)

/* Grows an array of slots, which begin with the number of the next free one, and may move. A slot that a reset has left keeps
 * its generation, the second number of those that have one, so that handles of before stay invalid. */
static bool simkit__slots_grow(simkit_store *store, void *slot, size_t element, uint32_t *head)
{
    void *array;
    if (!simkit_array_grow(store, slot, element, 1)) return false;
    memcpy(&array, slot, sizeof array);
    size_t index = simkit__length(array);
    if (index >= SIMKIT_NONE) return false;
    simkit__length(array)++;
    uint32_t start[2] = { *head, 0 };
    char *fresh = (char *)array + index * element;
    if (index < simkit__left(array)) memcpy(&start[1], fresh + sizeof start[0], sizeof start[1]);
    if (start[1] == SIMKIT_NONE) start[1] = 0; /* worn out */
    memset(fresh, 0, element);
    memcpy(fresh, start, sizeof start);
    *head = (uint32_t)index;
    return true;
}

#define simkit__slots_reserve(owner, pool, head)                                                                       \
    ((owner)->head != SIMKIT_NONE ||                                                                                   \
     simkit__slots_grow(&(owner)->store, &(owner)->pool, sizeof *(owner)->pool, &(owner)->head))

static const simkit__line simkit__no_line = { SIMKIT_NONE, SIMKIT_NONE, 0 };

/* The pool or the array that holds the elements of a line. Each begins with the number of the next. */
typedef struct simkit__lined {
    const simkit__pool *pool; /* NULL: the array */
    char *array;
    size_t element;
} simkit__lined;

SIMKIT__INLINE simkit__lined simkit__lined_in(const simkit__pool *pool, void *array, size_t element)
{
    const simkit__lined in = { pool, (char *)array, element };
    return in;
}
#define simkit__in_array(array) simkit__lined_in(NULL, (array), sizeof *(array))
#define simkit__in_flows(world) simkit__lined_in((world)->flows, NULL, sizeof(simkit__flow))

/* The next of an element in its line. */
SIMKIT__INLINE uint32_t *simkit__line_next(simkit__lined in, uint32_t index)
{
    return (uint32_t *)(in.pool ? simkit__pool_element(in.pool, index, in.element)
                                : (void *)(in.array + index * in.element));
}

SIMKIT__INLINE void simkit__line_add(simkit__line *line, simkit__lined in, uint32_t index)
{
    *simkit__line_next(in, index) = SIMKIT_NONE;
    *(line->first == SIMKIT_NONE ? &line->first : simkit__line_next(in, line->last)) = index;
    line->last = index;
    ++line->count;
}

SIMKIT__INLINE uint32_t simkit__line_take(simkit__line *line, simkit__lined in)
{
    const uint32_t index = line->first;
    if (index == SIMKIT_NONE) return index;
    line->first = *simkit__line_next(in, index);
    if (line->first == SIMKIT_NONE) line->last = SIMKIT_NONE;
    --line->count;
    return index;
}

/* Back to the front of a line. */
SIMKIT__INLINE void simkit__line_return(simkit__line *line, simkit__lined in, uint32_t index)
{
    *simkit__line_next(in, index) = line->first;
    if (line->first == SIMKIT_NONE) line->last = index;
    line->first = index;
    ++line->count;
}

/* Removes an element anywhere in a line. Returns whether it was there. */
static bool simkit__line_remove(simkit__line *line, simkit__lined in, uint32_t index)
{
    uint32_t before = SIMKIT_NONE;
    for (uint32_t *at = &line->first; *at != SIMKIT_NONE; before = *at, at = simkit__line_next(in, before)) {
        if (*at != index) continue;
        *at = *simkit__line_next(in, index);
        if (line->last == index) line->last = before;
        --line->count;
        return true;
    }
    return false;
}

/* After a reset, what lies in an array with generations: handles of before are not given again. */
static void simkit__generations_end(void *array, size_t count, size_t element)
{
    for (size_t i = 0; i < count; ++i) {
        char *at = (char *)array + i * element + sizeof(uint32_t);
        uint32_t generation;
        memcpy(&generation, at, sizeof generation);
        if (generation != SIMKIT_NONE) ++generation;
        memcpy(at, &generation, sizeof generation);
    }
}

static char *simkit__copy_text(simkit_store *store, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = (char *)simkit_store_resize(store, NULL, 0, bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

static void simkit__free_text(simkit_store *store, char *text)
{
    if (text) simkit__release(store, text, strlen(text) + 1);
}

/* A copy of a name for a place that had the name `left` before a reset, or NULL; that one is used or freed. */
static char *simkit__name_again(simkit_store *store, char *left, const char *name)
{
    if (left && strcmp(left, name) == 0) return left;
    char *copy = simkit__copy_text(store, name);
    if (copy) simkit__free_text(store, left);
    return copy;
}

static uint32_t simkit__handle_index(uint64_t handle)
{
    return (uint32_t)(handle & UINT32_MAX) - 1;
}

static uint64_t simkit__handle(uint32_t index, uint32_t generation)
{
    return (uint64_t)generation << 32 | (index + 1u);
}

/* The handle of something that has a label. */
static uint64_t simkit__labelled(const simkit_world *w, uint32_t index, uint64_t label)
{
    return simkit__handle(index, (uint32_t)(w->gone + label));
}

static void *simkit__user_of(uint32_t index)
{
    return (void *)(uintptr_t)index;
}

static uint32_t simkit__index_of(void *user)
{
    return (uint32_t)(uintptr_t)user;
}

#ifndef SIMKIT_NO_PROCESSES
/*=============================================================================
 * MARK: - >>switching (private)
 *
 * One stack to another: registers that a callee keeps go to the old stack, the stack pointer changes, and the other
 * side goes on. Assembly for x86-64 and aarch64, fibers with Emscripten, ucontext elsewhere. Floating-point control words
 * are not switched. Sanitizers are told where a stack begins and ends. WebAssembly keeps return addresses and registers
 * where no program can reach them; with -sASYNCIFY the calls of a fiber write theirs into its frames when it is left, and
 * read them when it is entered again.
 *===========================================================================*/
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(SIMKIT_USE_UCONTEXT)
#define SIMKIT__ASSEMBLY
#define SIMKIT__FRAMES_BYTES ((size_t)0)
#elif defined(__EMSCRIPTEN__)
#define SIMKIT__FIBERS
#define SIMKIT__FRAMES_BYTES ((size_t)8 * 1024) /* a call takes what its variables do; a fiber without room is a trap */
#include <emscripten/fiber.h>
#else
#define SIMKIT__FRAMES_BYTES ((size_t)0)
#if defined(__has_include)
#if !__has_include(<ucontext.h>)
#error                                                                                                                 \
    "simkit.h: processes need ucontext.h on this processor, and it is missing: define SIMKIT_NO_PROCESSES to leave them out"
#endif
#endif
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

typedef struct simkit__context {
#ifdef SIMKIT__ASSEMBLY
    void *stack_pointer;
#ifdef _WIN32
    char *lowest; /* of the block of the stack, its guard too */
#endif
#elif defined(SIMKIT__FIBERS)
    emscripten_fiber_t fiber;
    char *frames; /* of a process, above its stack; of the host, behind its context */
#else
    ucontext_t registers;
    void (*entry)(void *); /* of a fresh stack */
    void *argument;
#endif
    char *stack; /* lowest byte; of the host's own stack only sanitizers learn it */
    size_t stack_bytes;
#ifdef SIMKIT__ASAN
    void *fake_stack;
#endif
#ifdef SIMKIT__TSAN
    void *fiber;
#endif
} simkit__context;

#ifdef SIMKIT__ASSEMBLY
#if defined(__AVX512F__)
#define SIMKIT__AVX512_CLOBBERS                                                                                        \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",      \
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define SIMKIT__AVX512_CLOBBERS
#endif

/* Windows keeps in the thread's own block what it knows of the stack in use: a list of handlers on it, where it begins,
 * how far it is open, and where it was allocated. Exceptions and guards are looked up there, so all four are switched. */
#ifdef _WIN32
#define SIMKIT__SAVE_STACK_ENDS "pushq %%gs:0x00\n\tpushq %%gs:0x08\n\tpushq %%gs:0x10\n\tpushq %%gs:0x1478\n\t"
#define SIMKIT__LOAD_STACK_ENDS "popq %%gs:0x1478\n\tpopq %%gs:0x10\n\tpopq %%gs:0x08\n\tpopq %%gs:0x00\n\t"
#else
#define SIMKIT__SAVE_STACK_ENDS ""
#define SIMKIT__LOAD_STACK_ENDS ""
#endif

/* Leaves through `from`, enters at `to`; a fresh stack begins with a call of its entry. It is always inlined,
 * because its return would be mispredicted; so it clobbers all registers but the stack's and the frame's, and the
 * compiler saves what it needs of them on the old stack. */
SIMKIT__INLINE void simkit__switch_stack(void **from, void *to, void *argument)
{
#if defined(__x86_64__)
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t" /* over the red zone */
                     "pushq %%rbp\n\t" SIMKIT__SAVE_STACK_ENDS "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "movq %%rsp, (%0)\n\t"
                     "movq %2, %%rdi\n\t" /* the first argument of a function; on Windows that is %2 itself, rcx */
                     "movq %1, %%rsp\n\t"
                     "popq %%rax\n\t" SIMKIT__LOAD_STACK_ENDS "jmpq *%%rax\n\t"
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
#elif !defined(SIMKIT__FIBERS)
static void simkit__ucontext_main(unsigned high, unsigned low)
{
    const simkit__context *context = (const simkit__context *)(uintptr_t)((uint64_t)high << 32 | low);
    context->entry(context->argument);
}
#endif

/* A fresh stack begins with a call of `entry`, which does not return. */
static void simkit__context_prepare(simkit__context *context, void (*entry)(void *), void *argument)
{
#ifdef SIMKIT__TSAN
    context->fiber = __tsan_create_fiber(0);
#endif
#ifdef SIMKIT__ASSEMBLY
    char *top = context->stack + context->stack_bytes;
#ifdef _WIN32
    /* between the two: what SIMKIT__LOAD_STACK_ENDS loads, with a list of handlers that is empty; at the end the 32
     * bytes that a function may use above its return address */
    const uintptr_t ends[] = { (uintptr_t)context->lowest, (uintptr_t)context->stack, (uintptr_t)top, UINTPTR_MAX };
    top -= (uintptr_t)top % 16 + 80;
    memset(top, 0, 80);
    memcpy(top + sizeof entry, ends, sizeof ends);
#else
    top -= (uintptr_t)top % 16 + 32;
    memset(top, 0, 32);
#endif
    memcpy(top, &entry, sizeof entry); /* where the first switch goes; behind it a return address of 0 */
    context->stack_pointer = top;
    (void)argument;
#elif defined(SIMKIT__FIBERS)
    context->frames = context->stack + context->stack_bytes;
    emscripten_fiber_init(&context->fiber, entry, argument, context->stack, context->stack_bytes, context->frames,
                          SIMKIT__FRAMES_BYTES);
#else
    const uint64_t bits = (uint64_t)(uintptr_t)context;
    context->entry = entry;
    context->argument = argument;
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
#elif defined(SIMKIT__FIBERS)
    (void)argument;
    emscripten_fiber_swap(&from->fiber, &to->fiber);
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
 * does little stays on one page. With the C library's allocator blocks are mapped, many at once, without a memory map
 * for each: so there can be a million. The guard needs no map where the kernel supports that (Linux 6.13); on Windows it is
 * that of any stack; otherwise the first thousand have a protected page. Elsewhere, and with a hook of the host, there is a
 * canary instead. Blocks are an odd number of pages, and processes begin at different places of a page; otherwise all
 * would share a few cache lines.
 *===========================================================================*/
#if defined(SIMKIT__ASSEMBLY) &&                                                                                       \
    (defined(__linux__) || defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__))
#define SIMKIT__MAPPED
#include <sys/mman.h>
#include <unistd.h>
#ifdef __linux__
/* Hidden by the C library under -std=c99; the same on x86-64 and aarch64. */
#define SIMKIT__MAP_FLAGS (0x02 | 0x20 | 0x4000) /* MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE */
#define SIMKIT__NOHUGEPAGE 15
#define SIMKIT__GUARD_INSTALL 102
#ifndef __cplusplus
int madvise(void *, size_t, int);
#endif
#elif defined(__OpenBSD__)                         /* wants to know where stacks are */
#define SIMKIT__MAP_FLAGS (0x02 | 0x1000 | 0x4000) /* MAP_PRIVATE, MAP_ANON, MAP_STACK */
#else /* MAP_STACK is FreeBSD's for a single stack that grows. Some of these are hidden under _XOPEN_SOURCE. */
#define SIMKIT__MAP_FLAGS (0x02 | 0x1000) /* MAP_PRIVATE, MAP_ANON */
#endif
#elif defined(SIMKIT__ASSEMBLY) && defined(_WIN32)
#define SIMKIT__MAPPED
/* Declared here as in <windows.h>, whose other names would be in the host's way. */
__declspec(dllimport) void *__stdcall VirtualAlloc(void *, size_t, unsigned long, unsigned long);
__declspec(dllimport) int __stdcall VirtualFree(void *, size_t, unsigned long);
__declspec(dllimport) int __stdcall VirtualProtect(void *, size_t, unsigned long, unsigned long *);
#endif

#define SIMKIT__LEAP ((size_t)1024 * 1024)          /* below a guard: what a large frame may reach, jumping over it */
#define SIMKIT__CANARY UINT64_C(0x9d3c5a71e846b2f0) /* at the far end of a stack: gone after an overflow */
#define SIMKIT__PAINT 0xa5
#define SIMKIT__GUARD ((size_t)16 * 1024)
#define SIMKIT__SLAB_MOST 1024 /* blocks */
#define SIMKIT__GUARDED_MOST 1000

typedef struct simkit__process {
    simkit_world *world;
    simkit__state state;
    uint32_t timer;
    simkit_result answer; /* of the wait */
    bool guarded, measured;
    bool resumed;     /* and has not returned from its suspend */
    bool interrupted; /* when it did not wait: its next call that does */
    bool limits;      /* there is a limit for that call */
    bool noted;       /* either of the two */
    bool limited;     /* the call that waits now */
    bool deaf;        /* acquires a mutex again, which nobody interrupts */
    bool unlocked;    /* waits for a condition, and has released a mutex */
#ifdef SIMKIT_VALGRIND
    unsigned valgrind;
#endif
    simkit__context context;
    uint32_t slot;
    uint32_t item;            /* computing, sending, receiving: job, delivery, receiver */
    uint32_t waiters, chosen; /* its waiters; the one that was woken; NONE */
    uint32_t ending;          /* 1 + the place where others wait for its end; 0 */
    uint32_t limit_timer;     /* 1 + its number; 0: none so far */
    double limit;             /* of the next call that waits, or of the one that does now [s] */
    simkit_node node;
    const char *on; /* suspended on this */
    simkit_call *body;
    void *user;
    char *block;
    size_t stacks;    /* number of its size */
    const char *name; /* NULL: it has none */
    char counted[24]; /* "process 1", when it is asked for */
} simkit__process;

typedef struct simkit__stacks { /* of one size */
    size_t block_bytes;
    simkit__process *spare; /* linked through `user` */
    char *fresh;            /* of the latest slab, what was never used */
    size_t fresh_blocks, slab_blocks;
} simkit__stacks;

typedef struct simkit__slab {
    char *blocks;
    size_t bytes;
} simkit__slab;

/* Returns true if blocks of stacks are mapped; else the hook of the host allocates them. */
static bool simkit__is_mapped(const simkit_world *w)
{
#ifdef SIMKIT__MAPPED
    return w->store.memory.reallocate == NULL;
#else
    (void)w;
    return false;
#endif
}

static size_t simkit__block_bytes(const simkit_world *w, size_t stack_bytes)
{
    size_t bytes = (stack_bytes + SIMKIT__FRAMES_BYTES + 15) / 16 * 16 + (sizeof(simkit__process) + 63) / 64 * 64 + 64;
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

#ifdef SIMKIT__MAPPED
#ifdef _WIN32
static size_t simkit__page_bytes(void)
{
    return 4096;
}

static char *simkit__pages_map(size_t bytes)
{
    return (char *)VirtualAlloc(NULL, bytes, 0x3000, 0x04); /* MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE */
}

static void simkit__pages_unmap(char *pages, size_t bytes)
{
    (void)bytes;
    VirtualFree(pages, 0, 0x8000); /* MEM_RELEASE */
}

/* Protects the lowest four pages of a block. A touch of the highest one raises the exception of a stack overflow, whose
 * handlers use the next two; the lowest cannot be accessed. Windows opens the first by itself and protects the second in its
 * place. */
static bool simkit__block_guard(simkit_world *w, char *block)
{
    unsigned long before;
    (void)w;
    return VirtualProtect(block, 4096, 0x01, &before) && VirtualProtect(block + 4096, 8192, 0x04, &before) &&
           VirtualProtect(block + 12288, 4096, 0x104, &before); /* NOACCESS, READWRITE, READWRITE | GUARD */
}
#else
static size_t simkit__page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static char *simkit__pages_map(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, SIMKIT__MAP_FLAGS, -1, 0);
    if (pages == (void *)-1) return NULL;
#ifdef SIMKIT__NOHUGEPAGE
    madvise(pages, bytes, SIMKIT__NOHUGEPAGE); /* a huge page would be a whole slab of small stacks */
#endif
    return (char *)pages;
}

static void simkit__pages_unmap(char *pages, size_t bytes)
{
    munmap(pages, bytes);
}

static bool simkit__block_guard(simkit_world *w, char *block)
{
#ifdef SIMKIT__GUARD_INSTALL
    if (madvise(block, SIMKIT__GUARD, SIMKIT__GUARD_INSTALL) == 0) return true;
#endif
    if (w->guarded == SIMKIT__GUARDED_MOST || mprotect(block, SIMKIT__GUARD, PROT_NONE) != 0) return false;
    ++w->guarded;
    return true;
}
#endif
#endif

/* A block that was never used; NULL without memory. */
static char *simkit__block_fresh(simkit_world *w, simkit__stacks *stacks)
{
    if (!simkit__is_mapped(w)) return (char *)simkit_store_resize(&w->store, NULL, 0, stacks->block_bytes);
#ifdef SIMKIT__MAPPED
    if (stacks->fresh_blocks == 0) {
        simkit__slab slab;
        size_t blocks = stacks->slab_blocks < SIMKIT__SLAB_MOST ? 2 * stacks->slab_blocks + 16 : SIMKIT__SLAB_MOST;
        if (!simkit__reserve(w, w->slabs, 1)) return NULL;
        slab.bytes = blocks * stacks->block_bytes;
        slab.blocks = simkit__pages_map(slab.bytes);
        if (!slab.blocks) return NULL;
        simkit__push(w->slabs, slab);
        stacks->fresh = slab.blocks;
        stacks->fresh_blocks = stacks->slab_blocks = blocks;
    }
    char *block = stacks->fresh;
    stacks->fresh += stacks->block_bytes;
    --stacks->fresh_blocks;
    simkit__store_count(&w->store, 0, stacks->block_bytes);
    return block;
#else
    return NULL;
#endif
}

/* A process with a stack, all zero else; NULL without memory. */
static simkit__process *simkit__stack_get(simkit_world *w, size_t stack_bytes)
{
    const size_t bytes = simkit__block_bytes(w, stack_bytes);
    size_t which = 0;
    while (which < simkit__count(w->stacks) && w->stacks[which].block_bytes != bytes) ++which;
    if (which == simkit__count(w->stacks)) {
        const simkit__stacks fresh = { bytes, NULL, NULL, 0, 0 };
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
    process->stacks = which;
    process->guarded = guarded;
    process->context.stack = block + (simkit__is_mapped(w) ? SIMKIT__GUARD : 0);
#ifdef _WIN32
    process->context.lowest = block;
#endif
    process->context.stack_bytes = (size_t)((char *)process - process->context.stack) - SIMKIT__FRAMES_BYTES;
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
    process->user = w->stacks[process->stacks].spare;
    w->stacks[process->stacks].spare = process;
}

static bool simkit__stack_is_sound(const simkit__process *process)
{
    uint64_t canary;
    if (process->guarded) return true;
    memcpy(&canary, process->context.stack, sizeof canary);
    return canary == SIMKIT__CANARY;
}

/* Returns true if a call of the engine could overrun the stack of its caller; not if that has a stack of its own, like a
 * signal handler. */
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
                simkit__store_count(&w->store, w->stacks[i].block_bytes, 0);
            else
                simkit__release(&w->store, process->block, w->stacks[i].block_bytes);
        }
#ifdef SIMKIT__MAPPED
    for (size_t i = 0; i < simkit__count(w->slabs); ++i) simkit__pages_unmap(w->slabs[i].blocks, w->slabs[i].bytes);
#endif
    simkit__discard(w, w->slabs);
    simkit__discard(w, w->stacks);
}

/* The current process has used more than its stack: ends it and the run, and does not return. The rest happens on the
 * host's stack, because this one is used up. */
SIMKIT__COLD void simkit__process_overflows(simkit_world *w)
{
    simkit__process *process = w->current;
    w->ending = SIMKIT_STACK_OVERFLOW;
    w->ended = process; /* it stays the current one until then: a fault in the switch must find it */
    w->left = &process->context;
    simkit__context_switch(&process->context, w->home, NULL, true, &w->left);
}

typedef struct simkit__process_slot { /* what a handle points at */
    uint32_t next;
    uint32_t generation;
    simkit__process *process; /* NULL: free */
} simkit__process_slot;

static const char *simkit__process_name(simkit__process *process)
{
    if (process->name) return process->name;
    if (!process->counted[0])
        snprintf(process->counted, sizeof process->counted, "process %lu", (unsigned long)process->slot + 1);
    return process->counted;
}

static uint64_t simkit__process_number(const void *user)
{
    const simkit__process *process = (const simkit__process *)user;
    return simkit__handle(process->slot, process->world->slots[process->slot].generation);
}

/* Ends the current process if a fault at this address is an overflow of its stack; else returns false. */
static bool simkit__process_overflowed(simkit_world *w, const void *address)
{
    simkit__process *process = w ? w->current : NULL;
    if (!process || !process->guarded) return false;
    const uintptr_t fault = (uintptr_t)address, guard = (uintptr_t)process->block;
    if (fault >= guard + SIMKIT__GUARD || (fault < guard && guard - fault > SIMKIT__LEAP)) return false;
    simkit__process_overflows(w);
    return true;
}

static void simkit__process_check(simkit_world *w)
{
    if (simkit__stack_is_short(w->current)) simkit__process_overflows(w);
}
#endif

/* Returns true if a call can begin, because there is a world. A process without the stack that the engine needs ends here,
 * because halfway through the call it would leave the world inconsistent. */
SIMKIT__INLINE bool simkit__ready(simkit_world *world)
{
#ifndef SIMKIT_NO_PROCESSES
    if (world && world->current) simkit__process_check(world);
#endif
    return world;
}

/*=============================================================================
 * MARK: - >>texts (private)
 *
 * Names and arrays that callers have given and the world keeps: each once, however often it is given. Those of permanent
 * things stay until the world closes. The others, names of computations, transfers and processes, count what has them;
 * those that nothing has any more are swept when many new ones have come.
 *===========================================================================*/
typedef struct simkit__text {
    struct simkit__text *next; /* with the same slot */
    uint64_t hash;
    size_t bytes;
    uint32_t uses;        /* by things that are not permanent */
    bool permanent, kept; /* until the world closes; until the next reset */
    /* the text or the array follows */
} simkit__text;

#define SIMKIT__TEXTS_LEAST 64 /* slots, a power of two */

static uint64_t simkit__text_hash(const void *data, size_t bytes)
{
    const char *at = (const char *)data;
    uint64_t hash = bytes, word;
    for (; bytes > 0; hash ^= hash >> 29) {
        const size_t part = bytes < sizeof word ? bytes : sizeof word;
        word = 0;
        memcpy(&word, at, part);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        at += part;
        bytes -= part;
    }
    return hash;
}

static bool simkit__texts_grow(simkit_world *w)
{
    const size_t slots = w->text_slots > 0 ? 2 * w->text_slots : SIMKIT__TEXTS_LEAST;
    simkit__text **fresh = (simkit__text **)simkit_store_resize(&w->store, NULL, 0, slots * sizeof *fresh);
    if (!fresh) return false;
    for (size_t i = 0; i < slots; ++i) fresh[i] = NULL;
    for (size_t i = 0; i < w->text_slots; ++i)
        for (simkit__text *text = w->texts[i], *next; text; text = next) {
            next = text->next;
            text->next = fresh[text->hash & (slots - 1)];
            fresh[text->hash & (slots - 1)] = text;
        }
    simkit__release(&w->store, w->texts, w->text_slots * sizeof *fresh);
    w->texts = fresh;
    w->text_slots = slots;
    return true;
}

/* The world's own copy of so many bytes, > 0; NULL without memory. */
static const void *simkit__keep(simkit_world *w, const void *data, size_t bytes, bool permanent)
{
    const uint64_t hash = simkit__text_hash(data, bytes);
    if (w->text_count >= w->text_slots && !simkit__texts_grow(w)) return NULL;
    simkit__text **slot = &w->texts[hash & (w->text_slots - 1)], *text = *slot;
    while (text && !(text->hash == hash && text->bytes == bytes && memcmp(text + 1, data, bytes) == 0))
        text = text->next;
    if (!text) {
        text = (simkit__text *)simkit_store_resize(&w->store, NULL, 0, sizeof *text + bytes);
        if (!text) return NULL;
        memset(text, 0, sizeof *text);
        text->next = *slot;
        text->hash = hash;
        text->bytes = bytes;
        memcpy(text + 1, data, bytes);
        *slot = text;
        ++w->text_count;
    }
    text->permanent |= permanent;
    return text + 1;
}

SIMKIT_API const void *simkit_world_keep(simkit_world *world, const void *data, size_t bytes)
{
    return world && data && bytes > 0 ? simkit__keep(world, data, bytes, true) : NULL;
}

/* Replaces a name by the world's own copy, and an empty one by NULL. False without memory. */
static bool simkit__keep_name(simkit_world *w, const char **name, bool permanent)
{
    if (!*name || !**name) {
        *name = NULL;
        return true;
    }
    *name = (const char *)simkit__keep(w, *name, strlen(*name) + 1, permanent);
    return *name;
}

/* Something has a name, which may be NULL; simkit__text_drop() when it ends. */
SIMKIT__INLINE void simkit__text_use(const char *name)
{
    if (name) ++((simkit__text *)(uintptr_t)name - 1)->uses;
}

SIMKIT__INLINE void simkit__text_drop(const char *name)
{
    if (name) --((simkit__text *)(uintptr_t)name - 1)->uses;
}

/* Frees what nothing has, and what is not to be kept. */
static void simkit__texts_free(simkit_world *w)
{
    for (size_t i = 0; i < w->text_slots; ++i)
        for (simkit__text **at = &w->texts[i], *text; (text = *at);) {
            if (text->permanent || text->kept || text->uses > 0) {
                text->kept = false;
                at = &text->next;
                continue;
            }
            *at = text->next;
            --w->text_count;
            simkit__release(&w->store, text, sizeof *text + text->bytes);
        }
}

SIMKIT__COLD void simkit__texts_sweep(simkit_world *w)
{
    simkit__texts_free(w);
    w->text_limit = 2 * w->text_count + 1024;
}

/* Before names are kept that are not permanent. */
SIMKIT__INLINE void simkit__texts_tidy(simkit_world *w)
{
    if (w->text_count > w->text_limit) simkit__texts_sweep(w);
}

/* Keeps those that were permanent, until the next reset: runs are often alike. */
static void simkit__reset_texts(simkit_world *w)
{
    for (size_t i = 0; i < w->text_slots; ++i)
        for (simkit__text *text = w->texts[i]; text; text = text->next) {
            text->kept = text->permanent;
            text->permanent = false;
            text->uses = 0;
        }
    simkit__texts_free(w);
}

static void simkit__close_texts(simkit_world *w)
{
    for (size_t i = 0; i < w->text_slots; ++i)
        for (simkit__text *text = w->texts[i], *next; text; text = next) {
            next = text->next;
            simkit__release(&w->store, text, sizeof *text + text->bytes);
        }
    simkit__release(&w->store, w->texts, w->text_slots * sizeof *w->texts);
}

/*=============================================================================
 * MARK: - >>queue (private)
 *
 * The armed timers, ordered by (time, priority, order of arming): a monotone radix heap with a sorted front. Times are
 * not negative, so their bits order like integers, five bits a digit. Buckets hold what lies beyond `limit`, by the
 * highest digit in which it differs from `last`, and by that digit; entries in a bucket stay in order of arming.
 * When the front is empty, the lowest bucket is taken: as the front's sorted run if it is one chunk, otherwise it is
 * distributed to lower buckets. An entry moves at most once a digit, mostly through consecutive memory. What is armed
 * at or before `limit` goes to the end of the run if it belongs there, and otherwise into the small heap `near`.
 *
 * The hold model, [ns] for 1e2, 1e3, 1e4, 1e5, 1e6 pending (make bench; the ladder and the heap: build/bench/queues):
 *     this: digits of 5 bits, chunks of 31     24   25   29   35    60
 *     digits of 3 bits                         25   28   33   41    79
 *     chunks of 15                             25   28   31   39    97
 *     a ladder with a heap in front            42   43   54  110   300
 *     a heap of four children, keys apart      46   69   93  139   271
 *     std::priority_queue, 16-byte entries     40   44   68  102   285
 * A cancelled or moved timer leaves a stale entry behind; when more than a quarter are stale, all of them are removed.
 *===========================================================================*/
#define SIMKIT__CHUNK 31     /* entries; with its link 512 bytes */
#define SIMKIT__PLACE_BITS 5 /* of a place in a chunk */
#define SIMKIT__NEAR 64      /* with more than this in the heap, the front is distributed again */

typedef struct simkit__timer {
    uint32_t next;       /* of the free ones; else one of the following */
    uint32_t generation; /* of the latest arming */
    union {
        simkit_call *call; /* of a step */
        simkit__timer_kind kind;
    } of;
    void *user; /* of a step: the caller's; else the number of the element, or the process */
} simkit__timer;
#define SIMKIT__IDLE (SIMKIT_NONE - 1)
#define SIMKIT__ARMED (SIMKIT_NONE - 2)           /* by the engine */
#define SIMKIT__STEP (SIMKIT_NONE - 3)            /* by simkit_step_at(): freed when it runs */
#define SIMKIT__BACKGROUND_STEP (SIMKIT_NONE - 4) /* likewise; keeps no run alive, nor does the next */
#define SIMKIT__BACKGROUND (SIMKIT_NONE - 5)      /* by the engine: of a source, or of a node */

typedef struct simkit__chunk {
    uint32_t next, unused[3];
    simkit__entry entries[SIMKIT__CHUNK];
} simkit__chunk;

typedef struct simkit__near {
    simkit__entry entry;
    uint64_t number; /* orders equal times and priorities */
} simkit__near;

static const simkit__chain simkit__no_chain = { SIMKIT_NONE, SIMKIT_NONE, SIMKIT__CHUNK };
static const simkit__run simkit__no_run = { { SIMKIT_NONE, SIMKIT_NONE, SIMKIT__CHUNK }, 0, 0, { 0, 0, 0, 0 } };

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

/* There is always a free chunk: simkit__queue_reserve() has reserved enough. */
static void simkit__chain_grow(simkit__queue *q, simkit__chain *chain)
{
    uint32_t fresh = q->free_chunk;
    if (fresh != SIMKIT_NONE)
        q->free_chunk = q->chunks[fresh].next;
    else
        fresh = (uint32_t)simkit__length(q->chunks)++;
    q->chunks[fresh].next = SIMKIT_NONE;
    if (chain->first == SIMKIT_NONE)
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

/* Frees the first chunk of a chain; the next one becomes its first. */
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

SIMKIT__INLINE void simkit__run_push(simkit__queue *q, simkit__run *run, simkit__entry entry)
{
    simkit__chain_push(q, &run->chain, entry);
    run->tail = entry;
    ++run->count;
}

SIMKIT__INLINE void simkit__bucket_push(simkit__queue *q, simkit__entry entry)
{
    unsigned level = simkit__highest(entry.bits ^ q->last) / SIMKIT__DIGIT_BITS;
    unsigned digit = (unsigned)(entry.bits >> (level * SIMKIT__DIGIT_BITS)) % SIMKIT__DIGITS;
    q->levels |= UINT32_C(1) << level;
    q->digits[level] |= UINT32_C(1) << digit;
    simkit__chain_push(q, &q->buckets[level][digit], entry);
}

/* Sorts one chunk, stably. Where it fits, the place is appended to the time as an integer: then no branch is
 * mispredicted. */
static void simkit__chunk_sort(simkit__entry *entries, uint32_t count, unsigned low_bits)
{
    simkit__entry copy[SIMKIT__CHUNK];
    uint64_t keys[SIMKIT__CHUNK];
    uint64_t low = (UINT64_C(1) << low_bits) - 1;
    unsigned mixed = low_bits + SIMKIT__PLACE_BITS > 64; /* 0: all keys fit, and all have one priority */
    for (uint32_t i = 0; i < count; ++i) {
        copy[i] = entries[i];
        keys[i] = (entries[i].bits & low) << SIMKIT__PLACE_BITS | i;
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
    for (uint32_t i = 0; i < count; ++i) entries[i] = copy[keys[i] % (1u << SIMKIT__PLACE_BITS)];
}

/* The first and the last time that belong into a bucket. */
static uint64_t simkit__bucket_from(const simkit__queue *q, unsigned level, unsigned digit)
{
    const unsigned shift = level * SIMKIT__DIGIT_BITS, above = shift + SIMKIT__DIGIT_BITS;
    return (above < 64 ? q->last >> above << above : 0) | (uint64_t)digit << shift;
}

static uint64_t simkit__bucket_to(uint64_t from, unsigned level)
{
    return from | ((UINT64_C(1) << (level * SIMKIT__DIGIT_BITS)) - 1);
}

/* The kinds of armed timers are neighbours, ARMED the highest and BACKGROUND the lowest: one comparison. */
SIMKIT__INLINE bool simkit__is_armed(const simkit__timer *timer)
{
    return timer->next - SIMKIT__BACKGROUND <= SIMKIT__ARMED - SIMKIT__BACKGROUND;
}

/* Returns true if a run goes on for a timer that is armed in this way. */
SIMKIT__INLINE bool simkit__is_foreground(uint32_t armed)
{
    return armed - SIMKIT__STEP <= SIMKIT__ARMED - SIMKIT__STEP;
}

/* Of so many timers, the number of entries that may be stale before all of them are removed. */
static size_t simkit__stale_limit(size_t timers)
{
    return timers / 4 + 8;
}

/* Returns true if an entry belongs to the latest arming of its timer. */
SIMKIT__INLINE bool simkit__entry_lives(const simkit_world *w, const simkit__entry *entry)
{
    const simkit__timer *timer = simkit__timer_at(w, entry->timer);
    return simkit__is_armed(timer) && (uint16_t)timer->generation == entry->tag;
}

/*=============================================================================
 * MARK: - >>front (private)
 *
 * The operations of the queue: entries are pushed to its front or into buckets, the lowest bucket becomes the front,
 * the next entry is popped, stale entries are swept out.
 *===========================================================================*/
/* The first entry of the front, which must not be empty. Of equal keys, that of the run is older. */
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
    const simkit__near near = { entry, q->number++ };
    simkit__near_push(q, near);
}

/* Too many entries came before the end of the run: distributes the front to buckets, except what is due now. */
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

/* The sole entry is not alone any more: it enters the queue, before the next one. */
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

/* For an entry that is due now, without a priority. If nothing else is due now, it waits beside the queue: so does a
 * message that takes no time, and then the process that receives it. */
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

/* Turns the lowest bucket into the front, which must be empty. It may stay empty if all entries were stale. */
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
        for (uint32_t i = 0; i < chain.used; ++i) SIMKIT__PREFETCH(simkit__timer_at(w, entries[i].timer));
        if (chain.used > 1) simkit__chunk_sort(entries, chain.used, level * SIMKIT__DIGIT_BITS);
        q->run.chain = chain;
        q->run.count = chain.used;
        q->run.tail = entries[chain.used - 1];
        q->limit = simkit__bucket_to(simkit__bucket_from(q, level, digit), level);
        return;
    }
    uint64_t least = UINT64_MAX;
    for (uint32_t c = chain.first; c != SIMKIT_NONE; c = q->chunks[c].next)
        for (uint32_t i = 0, end = simkit__chain_used(&chain, c); i < end; ++i)
            if (q->chunks[c].entries[i].bits < least) least = q->chunks[c].entries[i].bits;
    q->last = q->limit = least;
    while (chain.first != SIMKIT_NONE) {
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

/* The time of the first entry that is not stale, as bits; UINT64_MAX if there is none. Does not change `last`. */
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
            for (uint32_t c = chain->first; c != SIMKIT_NONE; c = q->chunks[c].next)
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
            if (lives && entry.bits > until) return SIMKIT_NONE;
            simkit__front_pop(q, in_run);
            if (lives) {
                w->now = simkit__time_of(entry.bits);
                return entry.timer;
            }
            --q->stale;
        } else if (q->levels == 0) {
            q->last = q->limit = simkit__bits(w->now);
            return SIMKIT_NONE;
        } else {
            unsigned level = simkit__lowest(q->levels);
            uint64_t from = simkit__bucket_from(q, level, simkit__lowest(q->digits[level]));
            if (from > until) return SIMKIT_NONE;
            if (simkit__bucket_to(from, level) > until && simkit__queue_least(w) > until) return SIMKIT_NONE;
            q->least_known = false;
            simkit__front_fill(w);
        }
    }
}

/* Removes the stale entries of a chain, from place `at` of its first chunk on. Returns how many are left. */
static size_t simkit__chain_sweep(simkit_world *w, simkit__chain *chain, uint32_t at)
{
    simkit__queue *q = &w->queue;
    simkit__chain kept = simkit__no_chain;
    size_t count = 0;
    for (; chain->first != SIMKIT_NONE; at = 0, simkit__chain_advance(q, chain)) {
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
        /* Entries of `near` were before the old tail, perhaps not before a new one: younger ones would pass them. */
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

/* The number of entries that so many timers can have at once. */
static size_t simkit__queue_entries(size_t timers)
{
    return timers + simkit__stale_limit(timers) + 1;
}

/* Reserves memory for so many timers: chunks for all their entries, one for each chain that may have begun, and the few
 * that are being read or written. So arming never fails. */
static bool simkit__queue_reserve(simkit_world *w, size_t timers)
{
    simkit__queue *q = &w->queue;
    if (timers <= q->room) return true;
    timers += timers / 8;
    size_t entries = simkit__queue_entries(timers);
    const size_t buckets = (size_t)SIMKIT__LEVELS * SIMKIT__DIGITS, chains = buckets < entries ? buckets : entries;
    size_t chunks = entries / SIMKIT__CHUNK + chains + 4;
    size_t near = SIMKIT__NEAR + 2 + (q->priorities ? entries : 0);
    if (chunks >= SIMKIT_NONE || !simkit__reserve(w, q->chunks, chunks - simkit__count(q->chunks)) ||
        !simkit__reserve(w, q->near, near)) /* its length is near_count, not stb_ds's */
        return false;
    q->room = timers;
    return true;
}

/* From the first step with a priority on, the heap of the front may hold as many entries as the run. */
static bool simkit__queue_prioritize(simkit_world *w)
{
    simkit__queue *q = &w->queue;
    if (!q->priorities) q->priorities = simkit__reserve(w, q->near, SIMKIT__NEAR + 2 + simkit__queue_entries(q->room));
    return q->priorities;
}

/* An empty queue, which keeps its memory. */
static void simkit__queue_begin(simkit__queue *q)
{
    simkit__chunk *chunks = q->chunks;
    simkit__near *near = q->near;
    const size_t room = q->room;
    memset(q, 0, sizeof *q);
    q->chunks = chunks;
    q->near = near;
    q->room = room;
    for (unsigned level = 0; level < SIMKIT__LEVELS; ++level)
        for (unsigned digit = 0; digit < SIMKIT__DIGITS; ++digit) q->buckets[level][digit] = simkit__no_chain;
    q->run = simkit__no_run;
    q->free_chunk = SIMKIT_NONE;
}

/*=============================================================================
 * MARK: - >>observers (private)
 *
 * Observers, the latest first. The engine knows none of them: a world without one pays for a test of a bit. The numbers
 * that they have in transfers lie beside the flows, with the rates that were reported, in an array for each observer. It
 * grows when rates are reported.
 *===========================================================================*/
typedef struct simkit__kept { /* of an observer in a flow */
    uint64_t own;
    double told; /* its rate, when that was reported last; negative: not yet */
} simkit__kept;

typedef struct simkit__attached { /* an observer */
    struct simkit__attached *next;
    const simkit_probe *probe;
    void *user;
    simkit__kept *kept; /* kept[flow] */
} simkit__attached;

static simkit_probe_event simkit__probe_event(const simkit_world *w, uint32_t index)
{
    const simkit__timer *timer = simkit__timer_at(w, index);
    const simkit_probe_event event = { simkit__handle(index, timer->generation), index,
                                       timer->next == SIMKIT__BACKGROUND_STEP };
    return event;
}

/* Somebody asks for what a timer is armed for. */
SIMKIT__APART void simkit__probes_armed(simkit_world *w, uint32_t timer)
{
    const simkit_probe_event event = simkit__probe_event(w, timer);
    const bool reporting = w->reporting;
    w->reporting = true;
    for (const simkit__attached *a = w->probes; a; a = a->next)
        if (a->probe->armed) a->probe->armed(w, a->user, &event);
    w->reporting = reporting;
}

SIMKIT__APART void simkit__probes_due(simkit_world *w, uint32_t timer)
{
    const simkit_probe_event event = simkit__probe_event(w, timer);
    const bool reporting = w->reporting;
    w->reporting = true;
    for (const simkit__attached *a = w->probes; a; a = a->next)
        if (a->probe->due) a->probe->due(w, a->user, &event);
    w->reporting = reporting;
}

SIMKIT__APART void simkit__probes_passed(simkit_world *w, const simkit_probe_pass *pass)
{
    const bool reporting = w->reporting;
    w->reporting = true;
    for (const simkit__attached *a = w->probes; a; a = a->next)
        if (a->probe->passed) a->probe->passed(w, a->user, pass);
    w->reporting = reporting;
}

/* Something is left or taken: SIMKIT__LEFT, SIMKIT__TAKEN. */
enum { SIMKIT__LEFT = false, SIMKIT__TAKEN = true };
SIMKIT__INLINE void simkit__pass(simkit_world *w, simkit_probe_thing thing, bool taken, uint32_t place, uint32_t of)
{
    const simkit_probe_pass pass = { thing, taken, place, of, 0, 0 };
    if (w->probed & SIMKIT__PROBE_PASSES) simkit__probes_passed(w, &pass);
}

/* What happens now depends on the order of things. */
SIMKIT__INLINE void simkit__pass_order(simkit_world *w)
{
    simkit__pass(w, SIMKIT_PROBE_ORDER, SIMKIT__TAKEN, SIMKIT_NONE, 0);
}

/* Units of a resource, of which so many were free. */
SIMKIT__INLINE void simkit__pass_units(simkit_world *w, bool taken, uint32_t place, uint32_t of, uint64_t units,
                                       uint64_t available)
{
    const simkit_probe_pass pass = { SIMKIT_PROBE_UNITS, taken, place, of, units, available };
    if (w->probed & SIMKIT__PROBE_PASSES) simkit__probes_passed(w, &pass);
}

#ifndef SIMKIT_NO_PROCESSES
/* The end of a process. */
SIMKIT__INLINE void simkit__pass_end(simkit_world *w, bool taken, uint32_t slot, uint32_t of, simkit_process process)
{
    const simkit_probe_pass pass = { SIMKIT_PROBE_END, taken, slot, of, process, 0 };
    if (w->probed & SIMKIT__PROBE_PASSES) simkit__probes_passed(w, &pass);
}
#endif

/* Makes room for what an observer has in flows, in all that there are. */
SIMKIT__APART bool simkit__probe_reserve(simkit_world *w, simkit__attached *a)
{
    const simkit__kept none = { 0, -1 };
    const size_t count = simkit__count(a->kept), flows = simkit__pool_count(w->flows);
    if (!simkit__reserve(w, a->kept, flows - count)) return false;
    while (simkit__count(a->kept) < flows) simkit__push(a->kept, none);
    return true;
}

/* The record that an observer has of a flow; NULL without memory. */
SIMKIT__INLINE simkit__kept *simkit__probe_kept(simkit_world *w, simkit__attached *a, uint32_t flow)
{
    return flow < simkit__count(a->kept) || simkit__probe_reserve(w, a) ? &a->kept[flow] : NULL;
}

/* A flow ends, or is lost; then a new one may take its place. */
SIMKIT__APART void simkit__probes_gone(simkit_world *w, uint32_t flow, uint64_t label, bool whole)
{
    const simkit_transfer transfer = simkit__labelled(w, flow, label);
    const bool reporting = w->reporting;
    w->reporting = true;
    for (simkit__attached *a = w->probes; a; a = a->next) {
        void (*const call)(const simkit_world *, void *, simkit_transfer, uint64_t *) =
            whole ? a->probe->ended : a->probe->lost;
        simkit__kept *kept = call || flow < simkit__count(a->kept) ? simkit__probe_kept(w, a, flow) : NULL;
        if (call) call(w, a->user, transfer, kept ? &kept->own : NULL);
        if (!kept) continue;
        kept->own = 0;
        kept->told = -1;
    }
    w->reporting = reporting;
}

SIMKIT__COLD void simkit__probes_link(simkit_world *w, simkit_link link, simkit_probe_change change)
{
    const bool reporting = w->reporting;
    w->reporting = true;
    for (const simkit__attached *a = w->probes; a; a = a->next)
        if (a->probe->link) a->probe->link(w, a->user, link, change);
    w->reporting = reporting;
}

/* Notes what the observers want. */
static void simkit__probes_note(simkit_world *w)
{
    w->probed = 0;
    for (const simkit__attached *a = w->probes; a; a = a->next) {
        const simkit_probe *probe = a->probe;
        if (probe->armed || probe->due) w->probed |= SIMKIT__PROBE_EVENTS;
        if (probe->rate || probe->ended || probe->lost) w->probed |= SIMKIT__PROBE_TRANSFERS;
        if (probe->link) w->probed |= SIMKIT__PROBE_LINKS;
        if (probe->passed) w->probed |= SIMKIT__PROBE_PASSES;
    }
    w->watched = (w->watched & ~SIMKIT__WATCH_DUE) | (w->probed & SIMKIT__PROBE_EVENTS ? SIMKIT__WATCH_DUE : 0);
}

/*=============================================================================
 * MARK: - >>timers (private)
 *
 * Things that can be armed: steps of the host, and what the rooms of the engine wait for. A timer keeps what to call;
 * the queue keeps when. Each arming has a generation of its own: an entry or a handle of an older one is stale.
 *===========================================================================*/
/* Reserves memory for so many more timers, so that making them does not fail. */
static bool simkit__timers_reserve(simkit_world *w, size_t more)
{
    return simkit__queue_reserve(w, w->queue.timers + more) && simkit__reserve(w, w->timers, more);
}

SIMKIT__INLINE bool simkit__is_step(const simkit__timer *timer)
{
    return timer->next == SIMKIT__STEP || timer->next == SIMKIT__BACKGROUND_STEP;
}

/* A new timer, or NONE. */
SIMKIT__INLINE uint32_t simkit__timer_new(simkit_world *w, simkit__timer_kind kind, void *user)
{
    if (w->queue.timers >= w->queue.room && !simkit__queue_reserve(w, w->queue.timers + 1)) return SIMKIT_NONE;
    if (!simkit__slots_reserve(w, timers, free_timer)) return SIMKIT_NONE;
    uint32_t index = w->free_timer;
    simkit__timer *timer = simkit__timer_at(w, index);
    w->free_timer = timer->next;
    timer->next = SIMKIT__IDLE;
    timer->of.kind = kind;
    timer->user = user;
    ++w->queue.timers;
    return index;
}

SIMKIT__INLINE void simkit__timer_idle(simkit_world *w, simkit__timer *timer)
{
    w->foreground -= simkit__is_foreground(timer->next);
    timer->next = SIMKIT__IDLE;
}

SIMKIT__INLINE void simkit__timer_disarm(simkit_world *w, uint32_t index)
{
    simkit__queue *q = &w->queue;
    if (!simkit__is_armed(simkit__timer_at(w, index))) return;
    simkit__timer_idle(w, simkit__timer_at(w, index));
    q->least_known = false;
    if (++q->stale > simkit__stale_limit(q->timers)) simkit__queue_sweep(w);
}

/* A new arming of a timer that is not armed. */
SIMKIT__INLINE simkit__entry simkit__timer_entry(simkit_world *w, uint32_t index, double time, int priority,
                                                 uint32_t armed)
{
    simkit__entry entry;
    simkit__timer *timer = simkit__timer_at(w, index);
    SIMKIT_ASSERT(time >= w->now);
    if ((uint16_t)timer->generation == UINT16_MAX && w->queue.stale > 0) simkit__queue_sweep(w); /* tags come again */
    timer->next = armed;
    w->foreground += simkit__is_foreground(armed);
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

/* Nothing is due beyond the largest time. */
SIMKIT__INLINE void simkit__timer_arm_as(simkit_world *w, uint32_t index, double time, uint32_t armed)
{
    simkit__timer_disarm(w, index);
    if (time < (double)INFINITY) simkit__timer_set(w, index, time, 0, armed);
}
#define simkit__timer_arm(w, index, time) simkit__timer_arm_as(w, index, time, SIMKIT__ARMED)
/* Arms a timer that keeps no run alive: that of a source, or that of a node, whose computations are counted. */
#define simkit__timer_arm_background(w, index, time) simkit__timer_arm_as(w, index, time, SIMKIT__BACKGROUND)

/* For now; it is not armed. */
SIMKIT__INLINE void simkit__timer_arm_now(simkit_world *w, uint32_t index)
{
    simkit__queue_push_now(w, simkit__timer_entry(w, index, w->now, 0, SIMKIT__ARMED));
    if (w->probed & SIMKIT__PROBE_EVENTS) simkit__probes_armed(w, index);
}

/* Frees a timer that is not armed. */
SIMKIT__INLINE void simkit__timer_release(simkit_world *w, uint32_t index)
{
    simkit__timer *timer = simkit__timer_at(w, index);
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

/* Sets the next mark. */
static void simkit__mark(simkit_world *w)
{
    w->marked = w->now;
    w->sampled = 0;
    w->standing[0] = 0;
    w->mark = w->instant_limit < UINT64_MAX - w->steps ? w->steps + w->instant_limit : UINT64_MAX;
}

/* One more name, unless it is there or does not fit. */
static void simkit__stand_name(simkit_world *w, const char *called)
{
    const size_t used = strlen(w->standing);
    if (!strstr(w->standing, called) && used + strlen(called) + 3 < sizeof w->standing)
        snprintf(w->standing + used, sizeof w->standing - used, "%s%s", used ? ", " : "", called);
}

/*=============================================================================
 * MARK: - >>reports (private)
 *
 * What watchers and the fingerprint are told. Without them an event costs one test of a mask.
 *===========================================================================*/
static void simkit__emit_unchanged(simkit_world *w, simkit_watch_event event)
{
    if (!event.name) event.name = "";
    if (!event.lane) event.lane = "";
    const bool reporting = w->reporting;
    w->reporting = true;
    for (size_t i = 0; i < simkit__count(w->watches); ++i)
        if (w->watches[i].kinds & (unsigned)event.kind) w->watches[i].watcher(w, w->watches[i].user, &event);
    w->reporting = reporting;
}

/* Hashes numbers, not memory: independent of byte order and of addresses. */
static void simkit__fold(simkit_world *w, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const uint64_t product = (w->fingerprint ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        w->fingerprint = product ^ product >> 32;
    }
}

static void simkit__emit(simkit_world *w, simkit_watch_event event)
{
    event.time = w->now;
    if (w->watched & SIMKIT__WATCH_MESSAGE) {
        /* Of a step only the index of its timer: how often that was armed depends on what looked ahead. */
        const uint64_t words[] = { simkit__bits(event.time),
                                   (uint64_t)event.phase << 32 | (uint64_t)event.kind,
                                   (uint64_t)event.to << 32 | event.node,
                                   event.kind == SIMKIT_WATCH_STEP ? (uint32_t)event.number : event.number,
                                   simkit__bits(event.begin),
                                   simkit__bits(event.seconds),
                                   simkit__bits(event.bytes) };
        simkit__fold(w, words, sizeof words / sizeof words[0]);
    }
    simkit__emit_unchanged(w, event);
}

static simkit_watch_event simkit__event(simkit_watch_kind kind, simkit_phase phase, double begin, const char *name,
                                        simkit_node node, uint64_t number)
{
    simkit_watch_event event;
    memset(&event, 0, sizeof event);
    event.node = node;
    event.number = number;
    event.kind = kind;
    event.phase = phase;
    event.begin = begin;
    event.name = name;
    return event;
}

/*=============================================================================
 * MARK: - >>clock (body)
 *
 * The virtual time, and steps of the host.
 *===========================================================================*/
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

SIMKIT_API uint64_t simkit_clock_events(const simkit_world *world)
{
    return world ? world->steps : 0;
}

SIMKIT_API simkit_result simkit_step_at(simkit_world *world, double time, int priority, simkit_call *call, void *user,
                                        simkit_step *step)
{
    if (step) *step = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!call) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a step needs a function to call");
    if (!(time >= world->now && time < (double)INFINITY))
        return simkit__fail(world, SIMKIT_BAD_TIME, "a step at %s s: expected a finite time, not before now",
                            simkit__show(world, time));
    uint32_t timer = SIMKIT_NONE;
    if (priority != 0 && (priority < -32768 || priority > 32767))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "priority %d is not in -32768 .. 32767", priority);
    if (priority == 0 || simkit__queue_prioritize(world)) timer = simkit__timer_new(world, SIMKIT__NODE_TIMER, user);
    if (timer == SIMKIT_NONE) return simkit__no_memory(world, "a step");
    simkit__timer_at(world, timer)->of.call = call;
    simkit__timer_set(world, timer, time, priority, SIMKIT__STEP);
    if (world->probed & SIMKIT__PROBE_EVENTS) simkit__probes_armed(world, timer);
    if (step) *step = simkit__handle(timer, simkit__timer_at(world, timer)->generation);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_step_after(simkit_world *world, double delay, int priority, simkit_call *call,
                                           void *user, simkit_step *step)
{
    if (step) *step = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!simkit__is_amount(delay))
        return simkit__fail(world, SIMKIT_BAD_TIME, "a step after %s s: expected a finite delay, not negative",
                            simkit__show(world, delay));
    return simkit_step_at(world, world->now + delay, priority, call, user, step);
}

SIMKIT_API bool simkit_step_pending(const simkit_world *world, simkit_step step)
{
    if (!world || step == 0) return false;
    uint32_t index = simkit__handle_index(step);
    if (index >= simkit__count(world->timers)) return false;
    const simkit__timer *timer = simkit__timer_at(world, index);
    return simkit__is_step(timer) && timer->generation == (uint32_t)(step >> 32);
}

SIMKIT_API bool simkit_step_background(simkit_world *world, simkit_step step)
{
    if (!simkit_step_pending(world, step)) return false;
    simkit__timer *timer = simkit__timer_at(world, simkit__handle_index(step));
    simkit__timer_idle(world, timer);
    timer->next = SIMKIT__BACKGROUND_STEP;
    return true;
}

SIMKIT_API bool simkit_step_cancel(simkit_world *world, simkit_step step)
{
    if (!simkit__ready(world) || !simkit_step_pending(world, step)) return false;
    simkit__pass_order(world);
    simkit__timer_free(world, simkit__handle_index(step));
    return true;
}

static void simkit__alarm_due(simkit_world *w, uint32_t index)
{
    const simkit__alarm *alarm = &w->alarms[index];
    alarm->call(w, alarm->user);
}

static simkit__alarm *simkit__alarm_of(simkit_world *w, simkit_timer timer)
{
    simkit__alarm *alarm = w && timer > 0 && timer <= simkit__count(w->alarms) ? &w->alarms[timer - 1] : NULL;
    return alarm && alarm->timer != SIMKIT_NONE ? alarm : NULL;
}

SIMKIT_API simkit_result simkit_timer_open(simkit_world *world, const char *name, simkit_call *call, void *user,
                                           simkit_timer *timer)
{
    if (timer) *timer = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!name || !*name || !call || !timer)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT,
                            "a timer needs a name, a function to call, and its number a place");
    if (!simkit__keep_name(world, &name, true) || !simkit__slots_reserve(world, alarms, free_alarm))
        return simkit__no_memory(world, "a timer");
    const uint32_t index = world->free_alarm,
                   its = simkit__timer_new(world, SIMKIT__ALARM_TIMER, simkit__user_of(index));
    if (its == SIMKIT_NONE) return simkit__no_memory(world, "a timer");
    simkit__alarm *alarm = &world->alarms[index];
    world->free_alarm = alarm->next;
    alarm->timer = its;
    alarm->call = call;
    alarm->user = user;
    alarm->name = name;
    *timer = index + 1;
    return SIMKIT_OK;
}

SIMKIT_API void simkit_timer_set(simkit_world *world, simkit_timer timer, double time)
{
    const simkit__alarm *alarm = simkit__alarm_of(world, timer);
    if (alarm) simkit__timer_arm_background(world, alarm->timer, time < world->now ? world->now : time);
}

SIMKIT_API void simkit_timer_close(simkit_world *world, simkit_timer timer)
{
    simkit__alarm *alarm = simkit__alarm_of(world, timer);
    if (!alarm) return;
    simkit__timer_free(world, alarm->timer);
    alarm->timer = SIMKIT_NONE;
    alarm->next = world->free_alarm;
    world->free_alarm = timer - 1;
}

/*=============================================================================
 * MARK: - >>groups (private)
 *
 * All that share something at one rate are a group: the computations of one nice level on a node, and the flows that one port
 * holds back. A group has a virtual clock, which tells how much each of its members has received, and each member has a finish
 * tag: the reading of that clock at which it is done, in a heap of four children. So when one comes or goes, the others
 * are not touched: only the rate of the clock changes. Start-time fair queueing keeps its order that way, too.
 *===========================================================================*/
typedef struct simkit__tag {
    double finish;   /* reading of the clock */
    uint32_t number; /* orders equal tags: the lower half of a label */
    uint32_t item;
} simkit__tag;

/* The label of which this is the lower half, unless 2^32 others came after it. */
static uint64_t simkit__label_of(const simkit_world *w, uint32_t number)
{
    return w->labels - (uint32_t)(w->labels - number);
}

/* Returns true if label a came before label b, even where the lower half began again at 0 between them. */
SIMKIT__INLINE bool simkit__number_before(uint32_t a, uint32_t b)
{
    return a - b > UINT32_MAX / 2;
}

static bool simkit__tag_before(const simkit__tag *a, const simkit__tag *b)
{
    return a->finish < b->finish || (simkit__same(a->finish, b->finish) && simkit__number_before(a->number, b->number));
}

/* Adds a tag, for which memory has been reserved. */
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

/* Removes an item. Returns whether it was there. Looks at all of them. */
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

typedef struct simkit__group {
    double clock;    /* CPU seconds, or bytes by weight, that each had received since the group was idle, */
    double since;    /* at this time */
    double rate;     /* of the clock [1/s]; 0: it stands */
    double pace;     /* seconds that the clock takes for 1, where that is known to the bit; 0: as the rate says */
    double finish;   /* the first tag; INFINITY: there is none */
    uint64_t number; /* and its label */
    simkit__tag *tags;
} simkit__group;

static const simkit__group simkit__idle_group = { 0, 0, 0, (double)INFINITY, (double)INFINITY, UINT64_MAX, NULL };

/* From now on each member receives so much in a second. */
SIMKIT__INLINE void simkit__group_rate(simkit__group *group, double rate)
{
    group->rate = rate;
    group->pace = 0;
}

SIMKIT__INLINE double simkit__group_clock(const simkit_world *w, const simkit__group *group)
{
    return w->now > group->since ? group->clock + simkit__product(w->now - group->since, group->rate) : group->clock;
}

/* Sets the clock to now; must come before its rate changes. */
SIMKIT__INLINE void simkit__group_advance(const simkit_world *w, simkit__group *group)
{
    group->clock = simkit__group_clock(w, group);
    group->since = w->now;
}

/* Its tags have changed. */
SIMKIT__INLINE void simkit__group_tagged(const simkit_world *w, simkit__group *group)
{
    const bool some = simkit__count(group->tags) > 0;
    group->finish = some ? group->tags[0].finish : (double)INFINITY;
    group->number = some ? simkit__label_of(w, group->tags[0].number) : UINT64_MAX;
}

/* Gives a member its tag, for which memory has been reserved: it is done when it has received so much. Returns the clock. */
SIMKIT__INLINE double simkit__group_tag(const simkit_world *w, simkit__group *group, double left, uint64_t label,
                                        uint32_t item)
{
    const double clock = simkit__group_clock(w, group);
    const simkit__tag tag = { clock + left, (uint32_t)label, item };
    simkit__tag_push(group->tags, tag);
    if (group->tags[0].item == item) simkit__group_tagged(w, group);
    return clock;
}

/* The first tag is reached: takes it away, and returns its item. */
SIMKIT__INLINE uint32_t simkit__group_reached(const simkit_world *w, simkit__group *group)
{
    const simkit__tag tag = simkit__tag_pop(group->tags);
    simkit__group_advance(w, group);
    if (group->clock < tag.finish) group->clock = tag.finish; /* exactly, in spite of rounding */
    simkit__group_tagged(w, group);
    return tag.item;
}

/* Takes a tag away before its time. Returns whether it was there. */
static bool simkit__group_untag(const simkit_world *w, simkit__group *group, uint32_t item)
{
    if (!simkit__tag_remove(group->tags, item)) return false;
    simkit__group_tagged(w, group);
    return true;
}

/* When the first tag is reached; INFINITY without tags. */
SIMKIT__INLINE double simkit__group_due(const simkit_world *w, const simkit__group *group)
{
    if (!(group->finish < (double)INFINITY)) return (double)INFINITY;
    const double left = group->finish - simkit__group_clock(w, group);
    if (!(left > 0)) return w->now;
    return w->now + (group->pace > 0 ? simkit__product(left, group->pace) : left / group->rate);
}

/*=============================================================================
 * MARK: - >>shares (private)
 *
 * How the computations of a node share its CPU. Those of one nice level are a class: they all advance at one rate, so
 * they are a group (>>groups), whose clock tells CPU time received. When one comes or goes, the rates of the classes change, as
 * contention.h says, and the node's one timer is set to the earliest finish tag. Where the memory has a bandwidth, those of a class
 * also move the same number of bytes in each second of CPU time. With a quota the timer also finds out that the quota is spent, or
 * that a period begins. When a node of a host begins or stops to use cores, the others there get more or fewer.
 *===========================================================================*/
typedef struct simkit__class {
    int nice;
    double weight;
    double demand; /* bytes that each moves in a CPU second; 0 where the memory is infinitely fast */
    simkit__group group;
} simkit__class;

#define SIMKIT__NICE_LEVELS 40 /* so classes of a node whose memory is infinitely fast */

#define SIMKIT__SPENT SIZE_MAX        /* its quota is */
#define SIMKIT__REFILL (SIZE_MAX - 1) /* a period begins */

typedef struct simkit__average { /* a load average that was asked for */
    double beta, interval;
    double load;
    double samples; /* taken so far, counted from time 0 */
    size_t at;      /* in the past: what comes next */
    size_t running; /* before that */
} simkit__average;

typedef struct simkit__node {
    simkit_node_desc desc; /* with its defaults filled in, but without the name */
    char *name;
    double left;            /* of the quota when `since` was set [s]; negative: overused */
    double held;            /* how much of that is of the slice that was drawn last */
    bool spent;             /* the quota was, when this was last looked at */
    double cores;           /* that it can have: fewer than in its description if other nodes use those of its host */
    double demand;          /* how many of them it would use */
    uint32_t beside;        /* the next node of its host, in a ring; itself: it is alone there */
    double used;            /* cores that are in use since then */
    double refill, refills; /* when the next period begins, and its number */
    double offset;          /* when period 0 began, in periods */
    double byte_time[2];    /* of its links, up and down [s/B] */
    double tokens[2];       /* bytes that its links pass at once, as of the time of their ports; INFINITY: all */
    uint32_t ports[3];      /* up, down, and both together, or NONE */
    uint32_t direct[2];     /* ports without a bandwidth, for what takes CPU on direct routes from and to it; NONE */
    uint32_t place;         /* its host in the topology, from 1; 0 without a topology */

    simkit__class *classes;
    double *scratch; /* scratch[4 * classes], if it has a memory bandwidth */
    size_t running;
    double since; /* when the class clocks were last set */
    size_t due;   /* class that the timer is set for, or one of those above */
    uint32_t timer;
    bool failed;
    simkit__line lost; /* computations that it had when it failed, and that have not been reported */

    double recorded_since;
    size_t recorded_running; /* computations there were then */
    double *past;            /* when each one has begun since, or, negated, ended; NULL: nothing is recorded */
    simkit__average *averages;

    struct simkit__pair *pairs; /* ordered by `to` */
    bool affected;              /* flows came or went: the CPU that they take has changed */
} simkit__node;

typedef struct simkit__job { /* a computation */
    uint32_t next;
    simkit_node node; /* 0: there is none in this place */
    bool background;
    double seconds, begin;
    const char *name, *lane;
    simkit__end end;
    uint64_t label;
} simkit__job;

/* The two ports of a node: of its link up to the switch, and of that down from it. */
enum { SIMKIT__UP, SIMKIT__DOWN, SIMKIT__BOTH };

static double simkit__flowing(const simkit_world *w, const simkit__node *node, int side);

SIMKIT__INLINE simkit__node *simkit__node_of(const simkit_world *w, simkit_node node)
{
    return node >= 1 && node <= simkit__count(w->nodes) ? &w->nodes[node - 1] : NULL;
}

/* The next period of the quota, the first after now from `number` on. */
static void simkit__node_refill(const simkit_world *w, simkit__node *node, double number)
{
    node->refills = number;
    node->refill = simkit__product(node->desc.period, number + node->offset);
    if (node->refill > w->now) return;
    node->refill =
        simkit__product(node->desc.period, ++node->refills + node->offset); /* by rounding, or at the beginning */
}

/* Deducts what was used from the quota and from the slice that was drawn last; another is drawn when that is empty. */
static void simkit__node_use(simkit__node *node, double used)
{
    node->left -= used;
    node->held -= used;
    if (node->held <= 0) node->held = node->desc.slice > 0 ? node->desc.slice - fmod(-node->held, node->desc.slice) : 0;
    if (node->held > node->left) node->held = node->left > 0 ? node->left : 0;
}

/* Brings the quota up to date: what was used, and a quota for each period that has begun. */
static void simkit__node_ration(simkit_world *w, simkit__node *node, double passed)
{
    if (node->running > 0)
        simkit__node_use(node, simkit__product(passed, node->used));
    else if (node->held > node->desc.kept)
        node->held = node->desc.kept;
    if (w->now < node->refill) return;
    double begun = floor((w->now - node->refill) / node->desc.period) + 1;
    double left = node->left + simkit__product(begun, node->desc.quota), most = node->desc.quota + node->held;
    node->left = left < most ? left : most;
    simkit__node_refill(w, node, node->refills + begun);
}

/* Sets the class clocks to now; must come before anything that changes a rate. */
static void simkit__node_advance(simkit_world *w, simkit__node *node)
{
    double passed = w->now - node->since;
    node->since = w->now;
    if (passed <= 0) return;
    if (node->desc.quota > 0) simkit__node_ration(w, node, passed);
    for (size_t i = 0; i < simkit__count(node->classes); ++i) simkit__group_advance(w, &node->classes[i].group);
}

/* The CPU is shared as on any node; what a class does with its share is less while its bytes wait for the memory. */
static void simkit__node_memory_rates(simkit__node *node, double taken)
{
    const size_t classes = simkit__count(node->classes);
    double *weight = node->scratch, *count = weight + classes, *share = count + classes, *demand = share + classes;
    for (size_t i = 0; i < classes; ++i) {
        weight[i] = node->classes[i].weight;
        count[i] = (double)simkit__count(node->classes[i].group.tags);
        demand[i] = node->desc.speed * node->classes[i].demand;
    }
    contention_result result = contention_share_weighted(node->cores, taken, classes, weight, count, share);
    SIMKIT_ASSERT(result == CONTENTION_OK);
    (void)result;
    node->used = 0;
    for (size_t i = 0; i < classes; ++i) {
        count[i] = simkit__product(count[i], share[i]); /* cores of the class */
        node->used += count[i];
    }
    const double level = contention_memory_level(node->desc.memory_bandwidth, classes, count, demand);
    for (size_t i = 0; i < classes; ++i)
        simkit__group_rate(&node->classes[i].group,
                           node->desc.speed * share[i] * contention_memory_progress(level, demand[i]));
}

static void simkit__node_rates(const simkit_world *w, simkit__node *node)
{
    double weight[SIMKIT__NICE_LEVELS], count[SIMKIT__NICE_LEVELS], share[SIMKIT__NICE_LEVELS];
    double taken = contention_share_taken(simkit__flowing(w, node, SIMKIT__DOWN), node->desc.cpu_per_incoming,
                                          simkit__flowing(w, node, SIMKIT__UP), node->desc.cpu_per_outgoing);
    size_t classes = simkit__count(node->classes);
    if (node->spent) {
        node->used = 0; /* nothing goes on before the next period */
        for (size_t i = 0; i < classes; ++i) simkit__group_rate(&node->classes[i].group, 0);
        return;
    }
    if (node->desc.memory_bandwidth > 0) {
        simkit__node_memory_rates(node, taken);
        return;
    }
    if (classes < 2) {
        double each = contention_share_equal(node->cores, taken, (double)node->running);
        node->used = simkit__product(each, (double)node->running);
        simkit__group_rate(&node->classes[0].group, node->desc.speed * each);
        return;
    }
    for (size_t i = 0; i < classes; ++i) {
        weight[i] = node->classes[i].weight;
        count[i] = (double)simkit__count(node->classes[i].group.tags);
    }
    contention_result result = contention_share_weighted(node->cores, taken, classes, weight, count, share);
    SIMKIT_ASSERT(result == CONTENTION_OK);
    (void)result;
    node->used = 0;
    for (size_t i = 0; i < classes; ++i) {
        simkit__group_rate(&node->classes[i].group, node->desc.speed * share[i]);
        node->used += simkit__product(share[i], count[i]);
    }
}

/* The time is so large that neighbouring doubles are further apart than the coming events. */
static simkit_result simkit__too_late(simkit_world *w, const char *what, const char *of, double apart)
{
    return simkit__fail(w, SIMKIT_BAD_TIME, "the time is too large to distinguish %s of %s, %s s apart", what, of,
                        simkit__show(w, apart));
}

/* The time at which the quota of a node is found spent; INFINITY while nothing uses it. */
static double simkit__node_spends(const simkit_world *w, const simkit__node *node)
{
    if (!(node->used > 0)) return (double)INFINITY;
    double found = w->now + (node->left > 0 ? node->left / node->used : 0);
    const double ticks = node->desc.tick > 0 ? found / node->desc.tick : (double)INFINITY;
    if (ticks < (double)INFINITY) found = simkit__product(node->desc.tick, ceil(ticks)); /* else too fine to count */
    return found > w->now ? found : w->now; /* by rounding it may be before */
}

/* When a node with a quota that computes is next to be looked at: its quota is found spent, or a period begins. */
static double simkit__node_rationed(simkit_world *w, simkit__node *node)
{
    const double found = simkit__node_spends(w, node);
    if (node->refill <= w->now) { /* what doubles cannot tell may even be before now */
        w->ending = simkit__too_late(w, "the periods", simkit__called(w, "node", node->name, 0), node->desc.period);
        node->refill = w->now;
    }
    node->due = found < node->refill ? SIMKIT__SPENT : SIMKIT__REFILL;
    return found < node->refill ? found : node->refill;
}

/* New rates, and the timer to the earliest end under them. */
static void simkit__node_pace(simkit_world *w, simkit__node *node)
{
    if (node->running == 0) {
        node->used = 0;
        simkit__timer_disarm(w, node->timer);
        return;
    }
    simkit__node_rates(w, node);
    double earliest = node->desc.quota > 0 ? simkit__node_rationed(w, node) : (double)INFINITY;
    uint64_t first = 0;
    for (size_t i = 0; i < simkit__count(node->classes); ++i) {
        const simkit__group *group = &node->classes[i].group;
        const double end = simkit__group_due(w, group);
        if (end < earliest || (simkit__same(end, earliest) && group->number < first)) {
            earliest = end;
            first = group->number;
            node->due = i;
        }
    }
    /* INFINITY: communication takes all of the CPU; its end reshares */
    simkit__timer_arm_background(w, node->timer, earliest);
}

/* The number of cores that a node of a host can have if it would use more: those that would use fewer have what they want, and
 * the others share the rest. */
static double simkit__host_level(const simkit_world *w, uint32_t first)
{
    for (double level = 0;;) {
        double cores = 0, used = 0;
        size_t wanting = 0;
        uint32_t i = first;
        do {
            const simkit__node *node = &w->nodes[i];
            if (cores < (double)node->desc.cores) cores = (double)node->desc.cores;
            if (node->demand <= level)
                used += node->demand;
            else
                ++wanting;
            i = node->beside;
        } while (i != first);
        const double higher = wanting > 0 ? (cores - used) / (double)wanting : (double)INFINITY;
        if (higher <= level || wanting == 0) return higher;
        level = higher;
    }
}

/* A node of a host may have begun to use cores or stopped: what the nodes there can have from now on. */
static void simkit__host_reshare(simkit_world *w, simkit__node *node)
{
    const double running = (double)node->running, most = (double)node->desc.cores;
    const double demand = node->failed || node->spent ? 0 : running < most ? running : most;
    if (simkit__same(demand, node->demand)) return;
    node->demand = demand;
    const double level = simkit__host_level(w, node->beside);
    for (simkit__node *other = &w->nodes[node->beside];; other = &w->nodes[other->beside]) {
        const double cores = other->demand > level ? level : (double)other->desc.cores;
        if (other->demand > 0 && !simkit__same(cores, other->cores)) {
            if (other != node) simkit__node_advance(w, other);
            other->cores = cores;
            if (other != node) simkit__node_pace(w, other);
        }
        if (other == node) break;
    }
}

/* Shares a CPU anew, because other computations run on the node, or its quota allows another rate. It has been advanced. */
static void simkit__node_reshare(simkit_world *w, simkit__node *node)
{
    node->spent = node->desc.quota > 0 && node->left <= 0;
    if (node->desc.host > 0) simkit__host_reshare(w, node);
    simkit__node_pace(w, node);
}

/* Room for all that can change before the next computation begins: its beginning, and the end of each. */
static bool simkit__past_reserve(simkit_world *w, simkit__node *node)
{
    return simkit__reserve(w, node->past, node->running + 2);
}

/* A computation comes or goes. */
static void simkit__node_counts(const simkit_world *w, simkit__node *node, bool comes)
{
    if (node->past) simkit__push(node->past, comes ? w->now : -w->now);
    node->running += comes ? 1 : (size_t)-1;
}

/*=============================================================================
 * MARK: - >>places (private)
 *
 * Lists of waiters. A place is a resource, a condition, a barrier, or the end of a process, a computation or a transfer;
 * its waiters are a list in both directions, so that one leaves it in constant time. A waiter is a callback with a timer of
 * its own, or one of the things that a process waits for.
 *===========================================================================*/
typedef enum simkit__place_kind {
    SIMKIT__NO_PLACE, /* free */
    SIMKIT__RESOURCE,
    SIMKIT__CONDITION,
    SIMKIT__BARRIER,
    SIMKIT__END
} simkit__place_kind;

typedef struct simkit__place {
    uint32_t next;
    uint32_t generation;
    simkit__place_kind kind;
    uint32_t first, last; /* waiters */
    size_t waiting;
    uint64_t capacity, units; /* of a resource, and those that are free; of a barrier, how many must arrive */
    uint64_t holder;          /* of a resource of one unit: the process that has it; 0: unknown */
    bool serving;             /* is in the list of resources to serve */
    uint32_t serve_next;
    char *name;
    simkit__end end; /* of a computation or transfer: who is told besides */
} simkit__place;

typedef struct simkit__waiter {
    uint32_t next, generation;
    uint32_t before;
    uint32_t place; /* where it waits, or what woke it; NONE for a message */
    bool waits;     /* is in the list of its place */
    bool signalled; /* alone, not by a broadcast */
    uint8_t kind;   /* of its place, for sentences */
    uint32_t place_generation;
    uint32_t timer;    /* of a callback */
    uint32_t receiver; /* in a mailbox; else NONE */
    uint32_t delivery; /* the message it was given; NONE */
    simkit_mailbox mailbox;
    uint32_t sibling; /* the next of the same process */
    uint32_t choice;  /* its number among them */
    int priority;
    simkit_result result;
    uint64_t units;
    simkit_wait_call *call; /* NULL: a process */
    void *user;             /* or the process */
} simkit__waiter;

static const char *const simkit__place_kinds[] = { "", "resource", "condition", "barrier", "end" };

/* A new place, or NONE. */
static uint32_t simkit__place_new(simkit_world *w, simkit__place_kind kind)
{
    if (!simkit__slots_reserve(w, places, free_place)) return SIMKIT_NONE;
    const uint32_t index = w->free_place;
    simkit__place *place = &w->places[index];
    const uint32_t generation = place->generation;
    w->free_place = place->next;
    memset(place, 0, sizeof *place);
    place->generation = generation;
    place->kind = kind;
    place->first = place->last = SIMKIT_NONE;
    return index;
}

static void simkit__place_free(simkit_world *w, uint32_t index)
{
    simkit__place *place = &w->places[index];
    simkit__free_text(&w->store, place->name);
    place->name = NULL;
    place->kind = SIMKIT__NO_PLACE;
    if (++place->generation == UINT32_MAX) return; /* worn out: its handles could come again */
    place->next = w->free_place;
    w->free_place = index;
}

/* The place of a handle, or NULL. */
SIMKIT__INLINE simkit__place *simkit__place_of(const simkit_world *w, simkit__place_kind kind, uint64_t handle)
{
    const uint32_t index = simkit__handle_index(handle);
    if (handle == 0 || index >= simkit__count(w->places)) return NULL;
    simkit__place *place = &w->places[index];
    return place->kind == kind && place->generation == (uint32_t)(handle >> 32) ? place : NULL;
}

static const char *simkit__called_place(simkit_world *w, const simkit__place *place)
{
    return simkit__called(w, simkit__place_kinds[place->kind], place->name, 0);
}

SIMKIT__COLD simkit_result simkit__unknown_place(simkit_world *w, simkit__place_kind kind, uint64_t handle)
{
    const char *what = simkit__place_kinds[kind];
    const uint32_t index = simkit__handle_index(handle);
    if (handle == 0) return simkit__fail(w, SIMKIT_UNKNOWN_PLACE, "a call names no %s: the handle is 0", what);
    if (index < simkit__count(w->places) && w->places[index].generation == (uint32_t)(handle >> 32) &&
        w->places[index].kind != SIMKIT__NO_PLACE)
        return simkit__fail(w, SIMKIT_UNKNOWN_PLACE, "a call wants a %s, but the handle is that of a %s", what,
                            simkit__place_kinds[w->places[index].kind]);
    return simkit__fail(w, SIMKIT_UNKNOWN_PLACE, "a call names a %s that is closed, or was never in this world", what);
}

static void simkit__waiter_free(simkit_world *w, uint32_t index)
{
    simkit__waiter *waiter = &w->waiters[index];
    waiter->user = NULL;
    waiter->call = NULL;
    if (++waiter->generation == UINT32_MAX) return; /* worn out */
    waiter->next = w->free_waiter;
    w->free_waiter = index;
}

/* A new waiter, for which there is memory; it waits nowhere so far. */
SIMKIT__INLINE uint32_t simkit__waiter_take(simkit_world *w, simkit_wait_call *call, void *user)
{
    const uint32_t index = w->free_waiter;
    simkit__waiter *waiter = &w->waiters[index];
    w->free_waiter = waiter->next;
    waiter->place = waiter->timer = waiter->receiver = waiter->delivery = waiter->sibling = SIMKIT_NONE;
    waiter->mailbox = 0;
    waiter->waits = waiter->signalled = false;
    waiter->choice = 0;
    waiter->priority = 0;
    waiter->result = SIMKIT_OK;
    waiter->units = 0;
    waiter->call = call;
    waiter->user = user;
    return index;
}

/* Puts a waiter into the list of a place: before those of larger priority, behind all others. */
static void simkit__waiter_join(simkit_world *w, uint32_t place_index, uint32_t index)
{
    simkit__place *place = &w->places[place_index];
    simkit__waiter *waiter = &w->waiters[index];
    uint32_t before = place->last;
    while (before != SIMKIT_NONE && w->waiters[before].priority > waiter->priority) before = w->waiters[before].before;
    if (place->kind == SIMKIT__CONDITION || waiter->priority != 0) simkit__pass_order(w);
    waiter->place = place_index;
    waiter->place_generation = place->generation;
    waiter->kind = (uint8_t)place->kind;
    waiter->waits = true;
    waiter->before = before;
    waiter->next = before == SIMKIT_NONE ? place->first : w->waiters[before].next;
    *(before == SIMKIT_NONE ? &place->first : &w->waiters[before].next) = index;
    *(waiter->next == SIMKIT_NONE ? &place->last : &w->waiters[waiter->next].before) = index;
    ++place->waiting;
}

static void simkit__waiter_leave(simkit_world *w, uint32_t index)
{
    simkit__waiter *waiter = &w->waiters[index];
    if (!waiter->waits) return;
    simkit__place *place = &w->places[waiter->place];
    waiter->waits = false;
    *(waiter->before == SIMKIT_NONE ? &place->first : &w->waiters[waiter->before].next) = waiter->next;
    *(waiter->next == SIMKIT_NONE ? &place->last : &w->waiters[waiter->next].before) = waiter->before;
    --place->waiting;
}

/*=============================================================================
 * MARK: - >>nodes (body)
 *
 * Nodes are added, asked for, and fail: then each room takes away what it had there.
 *===========================================================================*/
static bool simkit__ports_reserve(simkit_world *w, size_t more);
static void simkit__ports_add(simkit_world *w, simkit__node *node);

/* Says what a node is called in sentences, also one that does not exist. */
static const char *simkit__called_node(simkit_world *w, simkit_node node)
{
    return simkit__called(w, "node", node > 0 && node <= simkit__count(w->nodes) ? w->nodes[node - 1].name : NULL,
                          node);
}

SIMKIT__COLD simkit_result simkit__failed_node(simkit_world *w, const char *what, const char *name, simkit_node node)
{
    return simkit__fail(w, SIMKIT_NODE_FAILED, "%s names %s, which has failed", simkit__called(w, what, name, 0),
                        simkit__called_node(w, node));
}

SIMKIT__COLD simkit_result simkit__unknown_node(simkit_world *w, const char *what, const char *name, simkit_node node)
{
    const unsigned long nodes = (unsigned long)simkit__count(w->nodes);
    const char *called = simkit__called(w, what, name, 0);
    if (nodes > 1)
        return simkit__fail(w, SIMKIT_UNKNOWN_NODE, "%s names node %lu, but the nodes are 1 .. %lu", called,
                            (unsigned long)node, nodes);
    return simkit__fail(w, SIMKIT_UNKNOWN_NODE, "%s names node %lu, but there is %s", called, (unsigned long)node,
                        nodes ? "only node 1" : "none");
}

/* Says what a node would be called that is to be added. */
static const char *simkit__called_fresh(simkit_world *w, const simkit_node_desc *desc)
{
    return simkit__called(w, "node", desc->name, simkit__count(w->nodes) + 1);
}

static simkit_result simkit__node_check(simkit_world *w, const simkit_node_desc *desc)
{
    static const struct {
        const char *what;
        size_t offset;
        bool is_bandwidth;
    } numbers[] = { { "speed", offsetof(simkit_node_desc, speed), false },
                    { "memory bandwidth", offsetof(simkit_node_desc, memory_bandwidth), true },
                    { "up bandwidth", offsetof(simkit_node_desc, up_bandwidth), true },
                    { "down bandwidth", offsetof(simkit_node_desc, down_bandwidth), true },
                    { "CPU per outgoing transfer", offsetof(simkit_node_desc, cpu_per_outgoing), false },
                    { "CPU per incoming transfer", offsetof(simkit_node_desc, cpu_per_incoming), false },
                    { "quota", offsetof(simkit_node_desc, quota), false },
                    { "period", offsetof(simkit_node_desc, period), false },
                    { "tick", offsetof(simkit_node_desc, tick), false },
                    { "slice", offsetof(simkit_node_desc, slice), false },
                    { "kept part of a slice", offsetof(simkit_node_desc, kept), false },
                    { "burst", offsetof(simkit_node_desc, burst), false } };
    if (!simkit__is_duplex(desc->duplex)) return simkit__bad_duplex(w, simkit__called_fresh(w, desc), desc->duplex);
    const size_t hosts = w->topology ? netmodel_topology_hosts(w->topology) : 0;
    if (hosts == 0 && desc->place > 0)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s has place %u, but the world has no topology",
                            simkit__called_fresh(w, desc), desc->place);
    if (hosts > 0 && (desc->place > 0 ? desc->place : w->placed + 1) > hosts)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s would have place %u, but the topology has %lu host%s",
                            simkit__called_fresh(w, desc), desc->place > 0 ? desc->place : w->placed + 1,
                            (unsigned long)hosts, hosts == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        double number;
        memcpy(&number, (const char *)desc + numbers[i].offset, sizeof number);
        if (numbers[i].is_bandwidth && !simkit__is_bandwidth(w, number))
            return simkit__bad_bandwidth(w, numbers[i].what, simkit__called_fresh(w, desc), number, "infinitely fast");
        if (!simkit__is_amount(number))
            return simkit__bad_number(w, numbers[i].what, simkit__called_fresh(w, desc), number);
    }
    if (desc->quota > 0 && desc->period <= 0)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s has a quota of %s s, but its period is 0",
                            simkit__called_fresh(w, desc), simkit__show(w, desc->quota));
    if (desc->kept > desc->slice)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s keeps %s s of a slice of %s s, expected at most the slice",
                            simkit__called_fresh(w, desc), simkit__show(w, desc->kept), simkit__show(w, desc->slice));
    if (!(contention_nice_weight(desc->nice_rule, 0) > 0))
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "nice rule %d of %s is unknown", (int)desc->nice_rule,
                            simkit__called_fresh(w, desc));
    return SIMKIT_OK;
}

/* Puts a node, which was just added, into the ring of its host. */
static void simkit__host_join(simkit_world *w, uint32_t place)
{
    simkit__node *node = &w->nodes[place];
    for (uint32_t i = place; i-- > 0;) {
        if (w->nodes[i].desc.host != node->desc.host) continue;
        node->beside = w->nodes[i].beside;
        w->nodes[i].beside = place;
        return;
    }
}

/* When the periods of its quota begin is drawn from the world's seed. */
static void simkit__node_ration_begin(const simkit_world *w, simkit__node *node)
{
    simkit_random random = simkit_random_stream(w, ~(uint64_t)(node - w->nodes));
    node->left = node->desc.quota;
    node->offset = simkit_random_uniform(&random);
    simkit__node_refill(w, node, floor(w->now / node->desc.period));
}

SIMKIT_API simkit_result simkit_node_add(simkit_world *world, const simkit_node_desc *desc, simkit_node *node)
{
    simkit__node fresh;
    memset(&fresh, 0, sizeof fresh);
    if (node) *node = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (desc) fresh.desc = *desc;
    const simkit_result result = simkit__node_check(world, &fresh.desc);
    if (result != SIMKIT_OK) return result;
    char counted[32];
    const size_t place = simkit__count(world->nodes);
    snprintf(counted, sizeof counted, "node %lu", (unsigned long)place + 1);
    const char *name = fresh.desc.name && *fresh.desc.name ? fresh.desc.name : counted;
    if (!simkit__reserve(world, world->nodes, 1) || !simkit__ports_reserve(world, 3) ||
        !simkit__timers_reserve(world, 4) ||
        !(fresh.name = simkit__name_again(&world->store,
                                          place < simkit__left(world->nodes) ? world->nodes[place].name : NULL, name)))
        return simkit__no_memory(world, "a node");
    if (place < simkit__left(world->nodes)) {
        const simkit__node *left = &world->nodes[place]; /* by a reset */
        fresh.classes = left->classes;
        fresh.scratch = left->scratch;
        fresh.averages = left->averages;
        fresh.pairs = left->pairs;
    }
    fresh.timer = simkit__timer_new(world, SIMKIT__NODE_TIMER, simkit__user_of((uint32_t)place));
    fresh.desc.name = NULL; /* the caller's */
    if (fresh.desc.speed <= 0) fresh.desc.speed = 1;
    if (fresh.desc.cores == 0) fresh.desc.cores = 1;
    if (fresh.desc.up_bandwidth > 0) fresh.byte_time[SIMKIT__UP] = 1 / fresh.desc.up_bandwidth;
    if (fresh.desc.down_bandwidth > 0) fresh.byte_time[SIMKIT__DOWN] = 1 / fresh.desc.down_bandwidth;
    fresh.since = world->now;
    fresh.lost = simkit__no_line;
    fresh.cores = (double)fresh.desc.cores;
    fresh.beside = (uint32_t)place;
    if (world->topology) fresh.place = world->placed = fresh.desc.place > 0 ? fresh.desc.place : world->placed + 1;
    simkit__push(world->nodes, fresh);
    if (fresh.desc.host > 0) simkit__host_join(world, (uint32_t)place);
    if (fresh.desc.burst > 0) world->bursts = true;
    if (fresh.desc.quota > 0) simkit__node_ration_begin(world, &world->nodes[place]);
    simkit__ports_add(world, &world->nodes[place]);
    if (node) *node = (simkit_node)place + 1;
    if (world->watched & SIMKIT_WATCH_NODE)
        simkit__emit(world, simkit__event(SIMKIT_WATCH_NODE, SIMKIT_PHASE_BEGIN, world->now, fresh.name,
                                          (simkit_node)place + 1, 0));
    return SIMKIT_OK;
}

SIMKIT_API simkit_node simkit_node_count(const simkit_world *world)
{
    return world ? (simkit_node)simkit__count(world->nodes) : 0;
}

SIMKIT_API bool simkit_node_failed(const simkit_world *world, simkit_node node)
{
    return node > 0 && node <= simkit_node_count(world) && world->nodes[node - 1].failed;
}

SIMKIT_API simkit_result simkit_node_check(simkit_world *world, simkit_node node, const char *what, const char *name)
{
    if (!simkit__ready(world) || !what) return SIMKIT_BAD_ARGUMENT;
    if (!simkit__node_of(world, node)) return simkit__unknown_node(world, what, name, node);
    return simkit_node_failed(world, node) ? simkit__failed_node(world, what, name, node) : SIMKIT_OK;
}

SIMKIT_API simkit_node_desc simkit_node_get(const simkit_world *world, simkit_node node)
{
    simkit_node_desc desc;
    memset(&desc, 0, sizeof desc);
    if (node > 0 && node <= simkit_node_count(world)) {
        desc = world->nodes[node - 1].desc;
        desc.name = world->nodes[node - 1].name;
    }
    return desc;
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

static void simkit__reset_nodes(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->nodes); ++i) {
        simkit__node *node = &w->nodes[i];
        for (size_t c = 0; c < simkit__count(node->classes); ++c) simkit__array_clear(node->classes[c].group.tags);
        simkit__array_leave(node->classes);
        simkit__array_clear(node->scratch);
        simkit__array_clear(node->averages);
        simkit__discard(w, node->past);
    }
    simkit__array_leave(w->nodes);
    simkit__array_clear(w->jobs);
}

static void simkit__close_nodes(simkit_world *w)
{
    for (size_t i = 0; i < simkit__extent(w->nodes); ++i) {
        simkit__node *node = &w->nodes[i];
        for (size_t c = 0; c < simkit__extent(node->classes); ++c) simkit__discard(w, node->classes[c].group.tags);
        simkit__discard(w, node->classes);
        simkit__discard(w, node->scratch);
        simkit__discard(w, node->averages);
        simkit__discard(w, node->past);
        simkit__free_text(&w->store, node->name);
    }
    simkit__discard(w, w->nodes);
    simkit__discard(w, w->jobs);
}

/*=============================================================================
 * MARK: - >>computing (body)
 *
 * Computations from their start to their end, also those of processes.
 *===========================================================================*/

static void simkit__job_free(simkit_world *w, uint32_t index)
{
    simkit__job *job = &w->jobs[index];
    w->foreground -= !job->background;
    simkit__text_drop(job->name);
    simkit__text_drop(job->lane);
    job->node = 0;
    job->next = w->free_job;
    w->free_job = index;
}

static void simkit__job_emit(simkit_world *w, const simkit__job *job, simkit_phase phase)
{
    if (!(w->watched & SIMKIT_WATCH_COMPUTE)) return;
    simkit_watch_event event = simkit__event(SIMKIT_WATCH_COMPUTE, phase, job->begin, job->name, job->node, job->label);
    event.lane = job->lane;
    event.seconds = job->seconds;
    event.background = job->background;
    simkit__emit(w, event);
}

/* A failed node has a computation to report, now. */
static void simkit__node_report_next(simkit_world *w, const simkit__node *node)
{
    simkit__timer_arm_background(w, node->timer, w->now);
    if (w->probed & SIMKIT__PROBE_EVENTS) simkit__probes_armed(w, node->timer);
}

/* Reports the next computation that a failed node lost. */
static simkit__told simkit__node_report_lost(simkit_world *w, simkit__node *node)
{
    const uint32_t index = simkit__line_take(&node->lost, simkit__in_array(w->jobs));
    const simkit__job job = w->jobs[index];
    simkit__job_free(w, index);
    if (node->lost.count > 0) simkit__node_report_next(w, node);
    return simkit__tells(w, &job.end, SIMKIT_NODE_FAILED);
}

static simkit__told simkit__node_due(simkit_world *w, uint32_t index)
{
    simkit__node *node = &w->nodes[index];
    if (node->failed) return simkit__node_report_lost(w, node);
    simkit__node_advance(w, node);
    if (node->due >= SIMKIT__REFILL) {
        const bool begins = node->due == SIMKIT__REFILL;
        if (!begins && node->left > 0) node->left = 0; /* by rounding */
        simkit__node_reshare(w, node);
        if (begins && node->refill > w->now && node->left >= node->desc.quota && simkit__node_spends(w, node) <= w->now)
            w->ending = simkit__too_late(w, "begin and end of the quota", simkit__called(w, "node", node->name, 0),
                                         node->left / node->used);
        return simkit__nobody;
    }
    simkit__class *c = &node->classes[node->due];
    const uint32_t ended = simkit__group_reached(w, &c->group);
    simkit__node_counts(w, node, false);
    const simkit__job job = w->jobs[ended];
    simkit__job_free(w, ended);
    simkit__node_reshare(w, node);
    simkit__job_emit(w, &job, SIMKIT_PHASE_END);
    return simkit__tells(w, &job.end, SIMKIT_OK);
}

static simkit__class *simkit__class_add(simkit_world *w, simkit__node *node, int nice, double weight, double demand)
{
    simkit__class fresh = { nice, weight, demand, simkit__idle_group };
    const size_t place = simkit__count(node->classes);
    if (!simkit__reserve(w, node->classes, 1)) return NULL;
    if (place < simkit__left(node->classes)) fresh.group.tags = node->classes[place].group.tags; /* by a reset */
    if (!simkit__reserve(w, fresh.group.tags, 1)) return NULL;
    simkit__push(node->classes, fresh);
    return &simkit__last(node->classes);
}

/* The class of a nice level on a node, with room for one more tag; NULL without memory. */
static simkit__class *simkit__class_for(simkit_world *w, simkit__node *node, int nice, double weight)
{
    for (size_t i = 0; i < simkit__count(node->classes); ++i)
        if (node->classes[i].nice == nice)
            return simkit__reserve(w, node->classes[i].group.tags, 1) ? &node->classes[i] : NULL;
    return simkit__class_add(w, node, nice, weight, 0);
}

/* The class of a nice level and a demand on a node with a memory bandwidth, with room for one more tag; NULL without memory.
 * Demands may be many: an empty class becomes that of another one. */
static simkit__class *simkit__class_for_demand(simkit_world *w, simkit__node *node, int nice, double weight,
                                               double demand)
{
    const size_t classes = simkit__count(node->classes);
    simkit__class *empty = NULL;
    for (size_t i = 0; i < classes; ++i) {
        simkit__class *c = &node->classes[i];
        if (c->nice == nice && simkit__same(c->demand, demand)) return simkit__reserve(w, c->group.tags, 1) ? c : NULL;
        if (!empty && simkit__count(c->group.tags) == 0) empty = c;
    }
    if (!empty)
        return simkit__reserve(w, node->scratch, 4 * (classes + 1)) ? simkit__class_add(w, node, nice, weight, demand)
                                                                    : NULL;
    empty->nice = nice;
    empty->weight = weight;
    empty->demand = demand;
    return empty;
}

SIMKIT__COLD simkit_result simkit__bad_nice(simkit_world *w, const char *of, int nice)
{
    return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "nice level %d of %s is not in -20 .. 19", nice, of);
}

static const char *simkit__called_computation(simkit_world *w, const simkit_computation_desc *desc)
{
    return desc->name && *desc->name ? simkit__called(w, "computation", desc->name, 0)
                                     : simkit__words(w, "a computation on %s", simkit__called_node(w, desc->node));
}

/* Starts a computation; `end` is told at its end. Gives its place and its handle before anything can happen to it. */
static simkit_result simkit__compute(simkit_world *world, const simkit_computation_desc *desc, const simkit__end *end,
                                     uint32_t *index, simkit_computation *computation)
{
    simkit__node *node = simkit__node_of(world, desc->node);
    if (!node) return simkit__unknown_node(world, "computation", desc->name, desc->node);
    if (node->failed) return simkit__failed_node(world, "computation", desc->name, desc->node);
    if (!simkit__is_amount(desc->seconds))
        return simkit__bad_number(world, "CPU time", simkit__called_computation(world, desc), desc->seconds);
    double weight = contention_nice_weight(node->desc.nice_rule, desc->nice);
    if (!(weight > 0)) return simkit__bad_nice(world, simkit__called_computation(world, desc), desc->nice);
    if (!simkit__is_amount(node->desc.speed * desc->memory_rate))
        return simkit__bad_number(world, "memory rate", simkit__called_computation(world, desc), desc->memory_rate);
    if (!simkit__slots_reserve(world, jobs, free_job) || (node->past && !simkit__past_reserve(world, node)))
        return simkit__no_memory(world, "a computation");
    const char *name = NULL, *lane = NULL;
    if (world->watched & SIMKIT_WATCH_COMPUTE) {
        simkit__texts_tidy(world);
        name = desc->name;
        lane = desc->lane;
        if (!simkit__keep_name(world, &name, false) || !simkit__keep_name(world, &lane, false))
            return simkit__no_memory(world, "the names of a computation");
    }
    simkit__class *c = node->desc.memory_bandwidth > 0 /* last: a class would stay */
                           ? simkit__class_for_demand(world, node, desc->nice, weight, desc->memory_rate)
                           : simkit__class_for(world, node, desc->nice, weight);
    if (!c) return simkit__no_memory(world, "a computation");

    *index = world->free_job;
    simkit__job *job = &world->jobs[*index];
    world->free_job = job->next;
    job->node = desc->node;
    job->background = desc->background;
    job->seconds = desc->seconds;
    job->name = name;
    job->lane = lane;
    simkit__text_use(name);
    simkit__text_use(lane);
    job->end = *end;
    job->begin = world->now;
    job->label = world->labels++;
    world->foreground += !desc->background;
    if (computation) *computation = simkit__labelled(world, *index, job->label);

    simkit__node_advance(world, node);
    if (simkit__count(c->group.tags) == 0) { /* it was idle */
        c->group.clock = 0;
        c->group.since = world->now;
    }
    (void)simkit__group_tag(world, &c->group, desc->seconds, job->label, *index);
    simkit__node_counts(world, node, true);
    simkit__node_reshare(world, node);
    simkit__job_emit(world, job, SIMKIT_PHASE_BEGIN);
    return SIMKIT_OK;
}

/* The place of a computation; NONE: it has ended. */
static uint32_t simkit__computation_of(const simkit_world *w, simkit_computation computation)
{
    const uint32_t index = simkit__handle_index(computation);
    if (computation == 0 || index >= simkit__count(w->jobs)) return SIMKIT_NONE;
    const simkit__job *job = &w->jobs[index];
    return job->node != 0 && simkit__labelled(w, index, job->label) == computation ? index : SIMKIT_NONE;
}

SIMKIT_API simkit_result simkit_computation_start(simkit_world *world, const simkit_computation_desc *desc,
                                                  simkit_computation *computation)
{
    uint32_t index;
    if (computation) *computation = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a computation needs a description");
    const simkit__end end = { desc->done, desc->lost, desc->user, SIMKIT__HOST };
    return simkit__compute(world, desc, &end, &index, computation);
}

/* Cancels a computation on a node that works. Gives what it was: the caller tells its end, and then the watchers, who may
 * use up the stack of a process. */
static simkit__job simkit__compute_cancel(simkit_world *w, uint32_t index)
{
    simkit__node *node = &w->nodes[w->jobs[index].node - 1];
    simkit__node_advance(w, node);
    for (size_t i = 0; i < simkit__count(node->classes); ++i) {
        simkit__class *c = &node->classes[i];
        if (!simkit__group_untag(w, &c->group, index)) continue;
        simkit__node_counts(w, node, false);
        break;
    }
    const simkit__job job = w->jobs[index];
    simkit__job_free(w, index);
    simkit__node_reshare(w, node);
    return job;
}

/* All computations there are lost. */
static void simkit__node_cut(simkit_world *w, simkit__node *node)
{
    node->failed = true;
    while (node->running > 0) simkit__node_counts(w, node, false);
    for (size_t i = 0; i < simkit__count(node->classes); ++i) {
        simkit__class *c = &node->classes[i];
        while (simkit__count(c->group.tags))
            simkit__line_add(&node->lost, simkit__in_array(w->jobs), simkit__group_reached(w, &c->group));
    }
    if (node->lost.count > 0)
        simkit__node_report_next(w, node);
    else
        simkit__timer_disarm(w, node->timer);
    if (node->desc.host > 0) simkit__host_reshare(w, node);
    for (uint32_t i = node->lost.first; i != SIMKIT_NONE; i = w->jobs[i].next)
        simkit__job_emit(w, &w->jobs[i], SIMKIT_PHASE_LOST);
}

/*=============================================================================
 * MARK: - >>loads (body)
 *
 * A recorded node keeps the times at which its computations began and ended. A load average is brought up to date from
 * them when it is asked for.
 *===========================================================================*/
SIMKIT_API simkit_result simkit_load_record(simkit_world *world, simkit_node node)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__node *n = simkit__node_of(world, node);
    if (!n) return simkit__unknown_node(world, "load average", NULL, node);
    if (n->past) return SIMKIT_OK;
    if (!simkit__past_reserve(world, n)) return simkit__no_memory(world, "the past of a node");
    n->recorded_since = world->now;
    n->recorded_running = n->running;
    return SIMKIT_OK;
}

/* The number of whole intervals until a time, number * interval <= time; NaN if they are too many to count. */
static double simkit__multiples_until(double time, double interval)
{
    double number = floor(time / interval);
    if (!(number < 1e15)) return (double)NAN;
    while (number > 0 && simkit__product(number, interval) > time) number -= 1; /* by rounding */
    while (simkit__product(number + 1, interval) <= time) number += 1;
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
    simkit__node *n = simkit__ready(world) ? simkit__node_of(world, node) : NULL;
    if (!n || !n->past || !(beta >= 0 && beta <= 1) || !(interval > 0 && world->now / interval < 1e15))
        return (double)NAN;
    for (size_t i = 0; i < simkit__count(n->averages); ++i) {
        simkit__average *known = &n->averages[i];
        if (!simkit__same(known->beta, beta) || !simkit__same(known->interval, interval)) continue;
        simkit__average_catch_up(world, n, known);
        return known->load;
    }
    const double before = simkit__multiples_until(n->recorded_since, interval);
    simkit__average fresh = { beta, interval, 0, before, 0, n->recorded_running };
    simkit__average_catch_up(world, n, &fresh);
    if (simkit__reserve(world, n->averages, 1)) simkit__push(n->averages, fresh); /* else computed anew next time */
    return fresh.load;
}

/*=============================================================================
 * MARK: - >>network (private)
 *
 * What the network consists of. A port is one direction of a link, or what limits several: both directions together, a pair of
 * nodes, or one transfer. A flow is a transfer whose bytes move, and passes any number of ports. Most pass two, the ends of a
 * transfer through the switch, and keep them in themselves; the others have a list of them (simkit__is_routed()).
 *
 * At any time a flow is held back by one port on its way, which it follows: the one that gives it least. All that follow a port
 * are a group (>>groups), whose clock tells how many bytes a flow of weight 1 has received; a flow of weight 2 receives twice
 * as many. What a port gives is its level, in bytes per second for a weight of 1; >>equal and >>bottlenecks are the two rules
 * for it. What both share is in >>following. A flow that begins to follow another port leaves its tag where it is, except if it
 * has not advanced since it got it (simkit__flow_move()), or if the port holds back nobody any more (simkit__bottleneck_finish()).
 * It never advances faster than a clock on its way, so the tag can only be reached early or in time, and an early one is computed
 * anew (simkit__flow_is_early()).
 *
 * Whatever comes, ends, changes or fails, its ports are noted at first (simkit__port_count(), simkit__port_change()); what ends
 * or fails leaves them at once, and the others keep the rates that they have. When nothing else is due at that instant, all
 * changes are settled together (simkit__settle()): the rule of sharing computes the levels of the ports that have changed and of
 * those that depend on them, lets flows follow other ports, and gives tags to those that have joined. Then the times are computed
 * at which the first tags are reached (>>dues); at such a time a flow ends (simkit__port_due()).
 *
 * A third rule of sharing is a third member of simkit_sharing, a third function beside simkit__equal_settle() and
 * simkit__bottlenecks_settle(), and an answer at each test of `w->policy`: a timer for each port or one for all, sums of its own
 * or none. Such a function takes the flows from settling.joining, makes each a member of its ports
 * (simkit__flow_enter()) and lets it follow one; sets rate and pace of the group of each port whose level changes, after
 * simkit__port_touch(); lets other flows turn (simkit__flow_follow()); and gives tags to those that have joined
 * (simkit__flow_tag()).
 *===========================================================================*/
typedef struct simkit__member {
    uint32_t other; /* number of the other port; or: it is ROUTED */
    uint32_t flow;
} simkit__member;

#define SIMKIT__ROUTED UINT32_C(0x80000000) /* the rest is the place of this port in the list of the flow */

typedef struct simkit__hop { /* of a flow */
    uint32_t place;          /* among the members of the port */
    uint32_t port;
} simkit__hop;

typedef struct simkit__port { /* two cache lines */
    simkit__group group;
    double bandwidth, byte_time; /* [B/s], [s/B]: each the inverse of the other, but for rounding */
    double load;                 /* the weight of those that flow; it counts from the next settling on */
    double rounded;              /* the rounding error of that sum, which is load + rounded exactly */
    simkit__member *members;     /* those that flow; max-min: first those that are held back here */
    double due;                  /* what its timer is set for, with equal shares */
    uint32_t timer;
    uint32_t flowing;  /* flows whose weight is in `load` */
    uint32_t promised; /* flows that were started and are not over: memory for their members and tags is reserved */
    union {
        uint32_t next;    /* of a limit that is free: the next */
        uint32_t channel; /* of one direction of a link: 2 * link + whether it leads back; of other ports 0 */
    } of;
    simkit_node node; /* whose CPU its flows take; 0: nobody's */
    bool down;        /* the direction from the switch to the node */
    bool is_limit;    /* of flows that have started, and of no other: free when the last of them has ended */
    bool changed;     /* it is in settling.ports: see simkit__port_change() */
} simkit__port;

typedef struct simkit__flow { /* a line of a cache: what changes while it lives; the rest is in simkit__request */
    /* Up and down. If it is routed, ends[0].port is where its list begins in w->hops; the weight stands before the list.
     * If it is routed, or no member yet, ends[0].place is the next in a line (see simkit__flow_next()): of the free ones,
     * of a pair's queue, of those that join at this instant, or of those that a failing link loses. */
    simkit__hop ends[2];
    uint32_t timer;
    uint16_t hop_count; /* its ports; 0 from a node to itself */
    bool routed : 1;    /* they are in a list */
    bool failed : 1;
    bool link_failed : 1, told : 1; /* a link did; the watchers know */
    bool flowing : 1;               /* its bytes are; a member of its ports from the end of that instant on */
    bool member : 1;
    bool in_order : 1;
    bool exact : 1;   /* since its tag was made it has followed that clock only */
    simkit_node from; /* 0: free */
    simkit_node to;
    double left;      /* [B] when the clock that it follows stood at `mark`; 0: they take no time */
    double mark;      /* before its bytes flow: its latency */
    uint32_t follows; /* of a member: a port; NONE: it has none yet */
    union {
        uint32_t becomes; /* max-min, while all is filled: what it will follow; NONE */
        uint32_t watched; /* else, if routed: so many ports on its way are not quiet, the first ones of its list */
    } now;
    uint64_t label;
} simkit__flow;

typedef struct simkit__request { /* the rest: what is needed only when it begins and ends; as in simkit_transfer_desc */
    double begin, bytes;
    double byte_time; /* alone */
    const char *name;
    simkit__end end;
} simkit__request;

typedef struct simkit__wire { /* a link */
    char *name;
    double bandwidth, latency, duplex;
    uint32_t ports[3]; /* forth, back, and both together, or NONE */
    bool failed;
    struct simkit__course *course; /* the table that it follows; NULL: none */
} simkit__wire;

/* The weight of a flow: before its list. */
SIMKIT__INLINE double simkit__flow_weight(const simkit_world *w, const simkit__flow *flow)
{
    double weight = 1;
    if (flow->routed) memcpy(&weight, &w->hops[flow->ends[0].port - 1], sizeof weight);
    return weight;
}

/* The ports of a flow, one after the other, and its places among their members. */
SIMKIT__INLINE const simkit__hop *simkit__flow_hops(const simkit_world *w, const simkit__flow *flow)
{
    return flow->routed ? &w->hops[flow->ends[0].port] : flow->ends;
}

/* The next of a line. */
SIMKIT__INLINE uint32_t *simkit__flow_next(simkit__flow *flow)
{
    return &flow->ends[0].place;
}

/*=============================================================================
 * MARK: - >>dues (private)
 *
 * When the first tags of the ports are reached. With equal shares few ports change in an instant, and each has a timer. With
 * max-min fair shares all may, and setting many timers would take longer than computing all levels: there one timer serves all
 * ports, and a tree of eight branches tells which tag is reached first, that of the transfer that was started first where
 * several are at one time. With equal shares that tree makes star-turn take 1.9 times as long (make bench).
 *===========================================================================*/
typedef struct simkit__due { /* of the tree: the first tag */
    double time;             /* when it is reached */
    uint64_t number;         /* the label of its transfer */
} simkit__due;

#define SIMKIT__STALE (UINT64_MAX - 1) /* the number of an entry that is to be computed */

/* Memory for so many ports. */
static bool simkit__dues_reserve(simkit_world *w, size_t ports)
{
    if (w->policy == SIMKIT_SHARING_EQUAL) return true;
    simkit__dues *d = &w->dues;
    for (size_t level = 0, entries = ports;; ++level, entries = (entries + 7) / 8) {
        if (!simkit__reserve(w, d->entries[level], entries - simkit__count(d->entries[level]))) return false;
        if (entries == 1) return true;
    }
}

/* Computes an entry of the tree from those below, without branches. Returns whether it changes. */
SIMKIT__INLINE bool simkit__due_compute(simkit__dues *d, size_t level, size_t place)
{
    const size_t count = simkit__length(d->entries[level - 1]), end = 8 * place + 8 < count ? 8 * place + 8 : count;
    const simkit__due *below = d->entries[level - 1];
    simkit__due least = below[8 * place], *entry = &d->entries[level][place];
    for (size_t i = 8 * place + 1; i < end; ++i) {
        const bool before =
            (below[i].time < least.time) | ((below[i].time <= least.time) & (below[i].number < least.number));
        least.time = before ? below[i].time : least.time;
        least.number = before ? below[i].number : least.number;
    }
    if (simkit__same(entry->time, least.time) && entry->number == least.number) return false;
    *entry = least;
    return true;
}

/* When the first tag of a port is reached. Returns whether this changes. */
static bool simkit__due_set(simkit_world *w, uint32_t number)
{
    const simkit__group *group = &w->ports[number].group;
    const simkit__due due = { simkit__group_due(w, group), group->number };
    simkit__due *entry = &w->dues.entries[0][number];
    if (simkit__same(entry->time, due.time) && entry->number == due.number) return false;
    *entry = due;
    return true;
}

/* The first tag of a port has changed. Above, nothing changes where another one was first and still is. */
static void simkit__due_change(simkit_world *w, uint32_t number)
{
    simkit__dues *d = &w->dues;
    simkit__due was = d->entries[0][number];
    if (d->stale == number) d->stale = SIMKIT_NONE;
    if (!simkit__due_set(w, number)) return;
    simkit__due is = d->entries[0][number];
    for (size_t level = 1, place = number; simkit__length(d->entries[level - 1]) > 1; ++level) {
        simkit__due *entry = &d->entries[level][place /= 8];
        const simkit__due before = *entry;
        if (is.time < before.time || (is.time <= before.time && is.number < before.number))
            *entry = is;
        else if (before.number != was.number || !simkit__due_compute(d, level, place))
            return;
        was = before;
        is = *entry;
    }
}

/* The first tags of all ports in a list have changed. The list is used up. */
static void simkit__due_change_all(simkit_world *w, uint32_t *list, size_t count)
{
    simkit__dues *d = &w->dues;
    size_t kept = 0;
    d->stale = SIMKIT_NONE; /* it is one of them: its flow has left */
    for (size_t i = 0; count <= 8 && i < count; ++i) simkit__due_change(w, list[i]);
    for (size_t i = 0; count > 8 && i < count; ++i)
        if (simkit__due_set(w, list[i])) list[kept++] = list[i];
    for (size_t level = 1; kept > 0 && simkit__length(d->entries[level - 1]) > 1; ++level) {
        simkit__due *entries = d->entries[level];
        count = kept;
        kept = 0;
        for (size_t i = 0; i < count; ++i) {
            const uint32_t place = list[i] / 8;
            if (entries[place].number == SIMKIT__STALE) continue;
            entries[place].number = SIMKIT__STALE;
            list[kept++] = place;
        }
        for (size_t i = 0; i < kept; ++i) (void)simkit__due_compute(d, level, list[i]);
    }
}

/* When the first of all tags is reached. */
static double simkit__due_time(const simkit__dues *d)
{
    size_t level = 0;
    while (simkit__length(d->entries[level]) > 1) ++level;
    return d->entries[level][0].time;
}

/* The port where it is, and whether another one is reached at the same time. */
static uint32_t simkit__due_port(const simkit__dues *d, bool *tied)
{
    size_t level = 0, place = 0;
    while (simkit__length(d->entries[level]) > 1) ++level;
    const simkit__due first = d->entries[level][0];
    unsigned same = 0;
    for (size_t levels = level; level-- > 0;) {
        const simkit__due *entries = d->entries[level];
        const size_t count = simkit__length(entries), end = 8 * place + 8 < count ? 8 * place + 8 : count;
        size_t found = 0;
        for (size_t i = 8 * place; i < end; ++i) {
            same += entries[i].time <= first.time;
            found = entries[i].number == first.number ? i : found;
        }
        place = found;
        if (level == 0) *tied = same > levels;
    }
    return (uint32_t)place;
}

/* Arms the timer for the first of all tags. */
static void simkit__due_arm(simkit_world *w)
{
    simkit__dues *d = &w->dues;
    if (d->stale != SIMKIT_NONE) simkit__due_change(w, d->stale);
    const double time = simkit__due_time(d);
    if (simkit__is_armed(simkit__timer_at(w, d->timer)) && simkit__same(time, d->time)) return;
    d->time = time;
    simkit__timer_arm(w, d->timer, time);
}

/* The pace or the tags of a port have changed, with equal shares. */
static void simkit__port_arm(simkit_world *w, simkit__port *port)
{
    const double due = simkit__group_due(w, &port->group);
    if (simkit__is_armed(simkit__timer_at(w, port->timer)) && simkit__same(due, port->due)) return;
    port->due = due;
    simkit__timer_arm(w, port->timer, due); /* INFINITY: not at all */
}

/* The first tag of a port has changed between two settlings. */
static void simkit__due_update(simkit_world *w, uint32_t number)
{
    if (w->policy == SIMKIT_SHARING_EQUAL) {
        simkit__port_arm(w, &w->ports[number]);
    } else {
        simkit__due_change(w, number);
        simkit__due_arm(w);
    }
}

/* All that have changed in this instant. The list is used up. */
static void simkit__dues_settle(simkit_world *w, uint32_t *ports, size_t count)
{
    if (w->policy != SIMKIT_SHARING_EQUAL) {
        simkit__due_change_all(w, ports, count);
        if (simkit__count(w->ports)) simkit__due_arm(w);
        return;
    }
    for (size_t i = 0; i < count; ++i) simkit__port_arm(w, &w->ports[ports[i]]);
}

/* The place of a new port; there is memory. */
static void simkit__due_add(simkit_world *w, uint32_t number)
{
    simkit__dues *d = &w->dues;
    const simkit__due due = { (double)INFINITY, UINT64_MAX };
    size_t place = number;
    if (w->policy == SIMKIT_SHARING_EQUAL) {
        w->ports[number].timer = simkit__timer_new(w, SIMKIT__PORT_TIMER, simkit__user_of(number));
        return;
    }
    if (number == 0) d->timer = simkit__timer_new(w, SIMKIT__PORTS_TIMER, NULL);
    if (number == 0) d->stale = SIMKIT_NONE;
    for (size_t level = 0;; ++level, place /= 8) {
        if (simkit__count(d->entries[level]) <= place) simkit__push(d->entries[level], due);
        if (level > 0) (void)simkit__due_compute(d, level, place);
        if (simkit__count(d->entries[level]) == 1) break;
    }
}

/*=============================================================================
 * MARK: - >>levels (private)
 *
 * The data that max-min fair shares keeps for each port (>>bottlenecks).
 *===========================================================================*/
typedef struct simkit__bottleneck { /* what many others touch */
    double passing;                 /* rates of the flows that only pass, in sum [B/s] */
    double level; /* what a flow of weight 1 gets that is held back here [B/s]; INFINITY: nobody is, or by nothing */
    double most;  /* no flow that passes has a higher level */
    uint32_t rank;
    uint32_t held; /* so many of its members are held back here: the first ones */
} simkit__bottleneck;

typedef struct simkit__sums { /* what only its own computation touches */
    double weight;            /* of the members that are held back here */
    uint32_t members;         /* all, also those that only pass */
    uint32_t routed;          /* so many of them have lists of ports */
    uint32_t age;             /* how often it was computed, or looked at, since its sums were made anew */
    bool alone;               /* its one flow came in this instant and has no other on its way */
    bool quiet;               /* it holds back nobody: `passing` is with the bounds of levels */
    double bandwidth;         /* a copy of that of the port */
    double bound;             /* not below its level, if it holds back routed flows [B/s] */
    uint32_t covers;          /* so many quiet ports are covered by this one */
    uint32_t covered;         /* quiet: by a port, not wider, that all its members pass as well; NONE */
    double growing;           /* filling: weight of those that have no bottleneck yet */
    uint32_t growers;         /* their number */
} simkit__sums;

/* Memory for so many ports. */
static bool simkit__bottlenecks_reserve(simkit_world *w, size_t ports)
{
    simkit__maxmin *m = &w->maxmin;
    const size_t more = ports - simkit__count(m->ports);
    return w->policy == SIMKIT_SHARING_EQUAL ||
           (simkit__reserve(w, m->ports, more) && simkit__reserve(w, m->sums, more) &&
            simkit__reserve(w, m->order, more) && simkit__reserve(w, m->heap, ports) &&
            simkit__reserve(w, m->marked, ports + 511 - simkit__count(m->marked)) &&
            simkit__reserve(w, m->blocks, ports / 64 + 8 - simkit__count(m->blocks)));
}

/* Memory for all flows. */
static bool simkit__bottlenecks_promise(simkit_world *w)
{
    simkit__maxmin *m = &w->maxmin;
    return w->policy == SIMKIT_SHARING_EQUAL ||
           simkit__reserve(w, m->fresh, simkit__pool_count(w->flows) - simkit__count(m->fresh));
}

/* The part of a new port; there is memory. */
static void simkit__bottleneck_add(simkit_world *w)
{
    simkit__maxmin *m = &w->maxmin;
    const uint32_t number = (uint32_t)simkit__count(m->ports);
    const simkit__bottleneck port = { 0, (double)INFINITY, 0, number, 0 };
    simkit__sums sums;
    memset(&sums, 0, sizeof sums);
    sums.covered = SIMKIT_NONE;
    simkit__push(m->ports, port);
    simkit__push(m->sums, sums);
    simkit__push(m->order, number);
    while (simkit__count(m->marked) <= number) {
        for (int i = 0; i < 512; ++i) simkit__push(m->marked, 0);
        for (int i = 0; i < 8; ++i) simkit__push(m->blocks, 0);
    }
}

/*=============================================================================
 * MARK: - >>ports (private)
 *
 * Ports, their members, and how many flow there.
 *===========================================================================*/
/* The number of transfers that flow from a node, or to it. */
static double simkit__flowing(const simkit_world *w, const simkit__node *node, int side)
{
    uint32_t flowing = w->ports[node->ports[side]].flowing;
    if (node->direct[side] != SIMKIT_NONE) flowing += w->ports[node->direct[side]].flowing;
    return (double)flowing;
}

/* Memory for more ports. */
static bool simkit__ports_reserve(simkit_world *w, size_t more)
{
    simkit__settling *settling = &w->settling;
    const size_t ports = simkit__count(w->ports) + more;
    return simkit__timers_reserve(w, more) && simkit__reserve(w, w->ports, more) &&
           simkit__reserve(w, w->rates, more) &&
           simkit__reserve(w, settling->ports, ports - simkit__count(settling->ports)) &&
           simkit__reserve(w, settling->affected, simkit__count(w->nodes) + 1 - simkit__count(settling->affected)) &&
           simkit__dues_reserve(w, ports) && simkit__bottlenecks_reserve(w, ports);
}

/* The bandwidth of a port, without telling those that share it. */
static void simkit__port_bandwidth(simkit_world *w, uint32_t number, double bandwidth)
{
    simkit__port *port = &w->ports[number];
    port->bandwidth = bandwidth;
    port->byte_time = 1 / bandwidth;
    if (w->policy != SIMKIT_SHARING_EQUAL) w->maxmin.sums[number].bandwidth = bandwidth;
}

/* The bandwidth of a link whose bytes take so long, finite even where the inverse is not. */
static double simkit__bandwidth_of(double byte_time)
{
    const double bandwidth = 1 / byte_time;
    return byte_time > 0 && !(bandwidth < (double)INFINITY) ? DBL_MAX : bandwidth;
}

/* A new port; there is room. */
static uint32_t simkit__port_add(simkit_world *w, double bandwidth)
{
    simkit__port port;
    const uint32_t number = (uint32_t)simkit__count(w->ports);
    memset(&port, 0, sizeof port);
    port.group = simkit__idle_group;
    if (number < simkit__left(w->ports)) { /* by a reset */
        port.members = w->ports[number].members;
        port.group.tags = w->ports[number].group.tags;
    }
    port.group.since = w->now;
    simkit__push(w->ports, port);
    simkit__push(w->rates, bandwidth);
    simkit__due_add(w, number);
    if (w->policy != SIMKIT_SHARING_EQUAL) simkit__bottleneck_add(w);
    simkit__port_bandwidth(w, number, bandwidth);
    return number;
}

/* A port that nobody uses any more, or else a new one; there is room. The level of one that was a limit until now is computed at
 * the next settling, as that of a limit: so a port that limits nobody is new. */
static uint32_t simkit__port_again(simkit_world *w, double bandwidth)
{
    const uint32_t number = w->free_port;
    if (number == SIMKIT_NONE || !(bandwidth < (double)INFINITY)) return simkit__port_add(w, bandwidth);
    w->free_port = w->ports[number].of.next;
    w->ports[number].is_limit = false;
    w->ports[number].of.channel = 0;
    simkit__port_bandwidth(w, number, bandwidth);
    return number;
}

/* The ports of a node that was just added; there is room for three. */
static void simkit__ports_add(simkit_world *w, simkit__node *node)
{
    for (int side = SIMKIT__UP; side <= SIMKIT__DOWN; ++side) {
        /* Not the given number, which may differ in the last bit: transfers are computed from the times of bytes. */
        node->ports[side] = simkit__port_add(w, simkit__bandwidth_of(node->byte_time[side]));
        simkit__port *port = &w->ports[node->ports[side]];
        port->byte_time = node->byte_time[side];
        node->tokens[side] = node->byte_time[side] > 0 ? node->desc.burst : (double)INFINITY;
        port->node = (simkit_node)(node - w->nodes) + 1;
        port->down = side == SIMKIT__DOWN;
    }
    const double up = w->ports[node->ports[SIMKIT__UP]].bandwidth, down = w->ports[node->ports[SIMKIT__DOWN]].bandwidth;
    node->ports[SIMKIT__BOTH] = node->direct[SIMKIT__UP] = node->direct[SIMKIT__DOWN] = SIMKIT_NONE;
    if (node->desc.duplex > 0 && node->desc.duplex < 2 && up < (double)INFINITY && down < (double)INFINITY)
        node->ports[SIMKIT__BOTH] = simkit__port_add(w, netmodel_duplex(up, down, node->desc.duplex));
    if (node->ports[SIMKIT__BOTH] != SIMKIT_NONE) w->duplexes = true;
}

/* Memory for one more flow at a port. */
static bool simkit__port_promise(simkit_world *w, simkit__port *port)
{
    return simkit__reserve(w, port->members, port->promised + 1 - simkit__count(port->members)) &&
           simkit__reserve(w, port->group.tags, port->promised + 1 - simkit__count(port->group.tags));
}

/* Counts one more flow that is started from one node to another, and reserves its memory. */
static bool simkit__ports_promise(simkit_world *w, const simkit__node *from, const simkit__node *to)
{
    simkit__port *up = &w->ports[from->ports[SIMKIT__UP]], *down = &w->ports[to->ports[SIMKIT__DOWN]];
    if (!simkit__port_promise(w, up) || !simkit__port_promise(w, down)) return false;
    if (!simkit__bottlenecks_promise(w)) return false;
    ++up->promised;
    ++down->promised;
    return true;
}

/* Notes for the next settling that flows have come or gone at a port, or that its bandwidth is another one. */
SIMKIT__INLINE void simkit__port_change(simkit_world *w, uint32_t number)
{
    if (w->ports[number].changed) return;
    w->ports[number].changed = true;
    simkit__push(w->settling.ports, number);
    w->unsettled = true;
}

/* While shares are settled, notes that the rate or the tags of a port change as well, and sets its clock, as simkit__settle() has
 * done for those that had changed before. */
SIMKIT__INLINE void simkit__port_touch(simkit_world *w, uint32_t number)
{
    simkit__port *port = &w->ports[number];
    if (port->changed) return;
    port->changed = true;
    simkit__push(w->settling.ports, number);
    simkit__group_advance(w, &port->group);
}

/* A flow has come (+1) or gone (-1) at a port. */
SIMKIT__INLINE void simkit__port_count(simkit_world *w, uint32_t number, int by, double weight)
{
    simkit__port *port = &w->ports[number];
    const double change = by > 0 ? weight : -weight, sum = port->load + change;
    if (simkit__same(weight, 1) && simkit__same(port->load, (double)port->flowing)) { /* nothing is rounded */
        port->load = sum;
    } else { /* a light flow that stays after a heavy one has left would have what was rounded away beside that */
        const double part = sum - port->load;
        const double rest = port->rounded + ((port->load - (sum - part)) + (change - part));
        port->load = sum + rest;
        port->rounded = rest - (port->load - sum);
    }
    port->flowing = by > 0 ? port->flowing + 1 : port->flowing - 1;
    simkit__port_change(w, number);
    if (port->node == 0) return;
    simkit__node *node = &w->nodes[port->node - 1];
    if ((port->down ? node->desc.cpu_per_incoming : node->desc.cpu_per_outgoing) > 0 && !node->affected) {
        node->affected = true;
        simkit__push(w->settling.affected, port->node);
    }
}

/* A member of a port has come to a place among the others. */
SIMKIT__INLINE void simkit__member_placed(simkit_world *w, const simkit__port *port, uint32_t place)
{
    const simkit__member member = port->members[place];
    simkit__flow *flow = simkit__flow_at(w, member.flow);
    if (member.other & SIMKIT__ROUTED)
        w->hops[flow->ends[0].port + (member.other & ~SIMKIT__ROUTED)].place = place;
    else
        flow->ends[port->down ? SIMKIT__DOWN : SIMKIT__UP].place = place;
}

/* Removes a member of a port: the last takes its place. */
SIMKIT__INLINE void simkit__member_remove(simkit_world *w, uint32_t number, uint32_t place)
{
    simkit__port *port = &w->ports[number];
    port->members[place] = simkit__last(port->members);
    simkit__member_placed(w, port, place);
    simkit__drop(port->members);
}

/* Nobody shares the port: no rounding errors stay. */
static void simkit__port_rest(simkit__port *port)
{
    port->group.clock = 0;
    port->load = port->rounded = 0;
}

/*=============================================================================
 * MARK: - >>routed (private)
 *
 * Flows that pass other ports than the two ends of a transfer through the switch, or weigh more or less than others. Each has
 * a list of its ports, in one array of all hops; its weight stands before the list.
 *===========================================================================*/
enum { SIMKIT__HOP_CLASSES = 48, SIMKIT__HOP_EXACT = 32 }; /* sizes of lists: 1 to 32, then powers of two */

static uint32_t simkit__hop_class(uint32_t count, uint32_t *size)
{
    uint32_t number = SIMKIT__HOP_EXACT;
    *size = count;
    if (count <= SIMKIT__HOP_EXACT) return count - 1;
    for (*size = 2 * SIMKIT__HOP_EXACT; *size < count; *size *= 2) ++number;
    return number;
}

/* Memory for a list of ports. */
static bool simkit__hops_reserve(simkit_world *w, uint32_t count)
{
    uint32_t size;
    if (!w->free_hops) {
        if (!simkit__reserve(w, w->free_hops, SIMKIT__HOP_CLASSES)) return false;
        for (int i = 0; i < SIMKIT__HOP_CLASSES; ++i) simkit__push(w->free_hops, SIMKIT_NONE);
    }
    if (w->free_hops[simkit__hop_class(count, &size)] != SIMKIT_NONE) return true;
    return simkit__count(w->hops) + size < SIMKIT_NONE && simkit__reserve(w, w->hops, size);
}

/* A list of ports, for which there is memory. */
static uint32_t simkit__hops_take(simkit_world *w, uint32_t count)
{
    uint32_t size;
    const uint32_t number = simkit__hop_class(count, &size);
    uint32_t at = w->free_hops[number];
    if (at != SIMKIT_NONE) {
        w->free_hops[number] = w->hops[at].port;
        return at;
    }
    at = (uint32_t)simkit__count(w->hops);
    for (uint32_t i = 0; i < size; ++i) {
        const simkit__hop none = { 0, SIMKIT_NONE };
        simkit__push(w->hops, none);
    }
    return at;
}

static void simkit__hops_give(simkit_world *w, uint32_t at, uint32_t count)
{
    uint32_t size;
    const uint32_t number = simkit__hop_class(count, &size);
    w->hops[at].port = w->free_hops[number];
    w->free_hops[number] = at;
}

/* Its ports have one less that was started; gives back the port that is its limit, and its list. */
static void simkit__hops_free(simkit_world *w, const simkit__flow *flow)
{
    const simkit__hop *hops = simkit__flow_hops(w, flow);
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        simkit__port *port = &w->ports[hops[i].port];
        if (--port->promised > 0 || !port->is_limit) continue;
        port->of.next = w->free_port;
        w->free_port = hops[i].port;
    }
    if (flow->routed) simkit__hops_give(w, flow->ends[0].port - 1, flow->hop_count + 1u);
}

/* A flow has come or gone at its ports. */
static void simkit__flow_count(simkit_world *w, const simkit__flow *flow, int by)
{
    const simkit__hop *hops = simkit__flow_hops(w, flow);
    const double weight = simkit__flow_weight(w, flow);
    for (uint32_t i = 0; i < flow->hop_count; ++i) simkit__port_count(w, hops[i].port, by, weight);
}

/* A flow becomes a member of its ports. */
SIMKIT__INLINE void simkit__flow_enter(simkit_world *w, uint32_t index, simkit__flow *flow)
{
    simkit__hop *hops = flow->routed ? &w->hops[flow->ends[0].port] : flow->ends;
    flow->member = true;
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        const simkit__member member = { flow->routed ? i | SIMKIT__ROUTED : hops[!i].port, index };
        simkit__port *port = &w->ports[hops[i].port];
        hops[i].place = (uint32_t)simkit__count(port->members);
        simkit__push(port->members, member);
    }
}

static void simkit__flow_leave(simkit_world *w, const simkit__flow *flow)
{
    const simkit__hop *hops = simkit__flow_hops(w, flow);
    for (uint32_t i = 0; i < flow->hop_count; ++i) simkit__member_remove(w, hops[i].port, hops[i].place);
    simkit__flow_count(w, flow, -1);
}

/*=============================================================================
 * MARK: - >>following (private)
 *
 * A flow and the port that it follows, by either rule of sharing.
 *===========================================================================*/
/* Brings the progress of a flow up to date with the clock that it follows. */
SIMKIT__INLINE void simkit__flow_account(const simkit_world *w, simkit__flow *flow)
{
    const double clock = simkit__group_clock(w, &w->ports[flow->follows].group);
    flow->left -= simkit__product(simkit__flow_weight(w, flow), clock - flow->mark);
    flow->mark = clock;
    flow->exact = false;
}

/* Gives a flow its tag at the port that it follows. */
SIMKIT__INLINE void simkit__flow_tag(simkit_world *w, uint32_t index, simkit__flow *flow)
{
    simkit__group *group = &w->ports[flow->follows].group;
    const double left = flow->routed ? flow->left / simkit__flow_weight(w, flow) : flow->left;
    flow->mark = simkit__group_tag(w, group, left, flow->label, index);
    flow->exact = true;
}

/* A flow that has not advanced since it got its tag takes it along to the port that it now follows: so flows that
 * are alike and began at one instant are tagged in one group, and end in the order in which they began. */
SIMKIT__COLD void simkit__flow_move(simkit_world *w, uint32_t index, uint32_t to)
{
    simkit__flow *flow = simkit__flow_at(w, index);
    simkit__port_touch(w, flow->follows);
    simkit__port_touch(w, to);
    (void)simkit__group_untag(w, &w->ports[flow->follows].group, index);
    flow->follows = to;
    simkit__flow_tag(w, index, flow);
}

/* From now on a flow follows another port. */
SIMKIT__INLINE void simkit__flow_follow(simkit_world *w, uint32_t index, uint32_t to)
{
    simkit__flow *flow = simkit__flow_at(w, index);
    if (flow->exact && simkit__same(flow->mark, simkit__group_clock(w, &w->ports[flow->follows].group))) {
        simkit__flow_move(w, index, to);
        return;
    }
    simkit__flow_account(w, flow);
    flow->follows = to;
    flow->mark = simkit__group_clock(w, &w->ports[to].group);
}

/* The tag of a flow is reached. Returns true if bytes are left, because it has followed other ports meanwhile: then it gets
 * another tag. */
static bool simkit__flow_is_early(simkit_world *w, uint32_t index)
{
    simkit__flow *flow = simkit__flow_at(w, index);
    if (flow->exact) return false;
    simkit__flow_account(w, flow);
    if (flow->left <= 0) return false;
    simkit__flow_tag(w, index, flow);
    simkit__due_update(w, flow->follows);
    return true;
}

/* Takes the tag of a flow away, which is at one of its ports. */
static void simkit__flow_untag(simkit_world *w, uint32_t index)
{
    const simkit__flow *flow = simkit__flow_at(w, index);
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        if (!simkit__group_untag(w, &w->ports[number].group, index)) continue;
        simkit__due_update(w, number);
        return;
    }
}

/*=============================================================================
 * MARK: - >>equal (private)
 *
 * Equal shares: a port gives all that flow there the same by weight, level = bandwidth / weight, whether or not they can use
 * it. When flows have come or gone, its level is another one, and some of its members follow it from now on, or no longer do.
 *===========================================================================*/
/* Members that turn, whose flows are fetched together. One at a time, star-once-random with 1024 hosts takes 1.34 times as long,
 * 64 at a time 1.02 times. */
enum { SIMKIT__BATCH = 16 };

/* The port that gives a flow the smallest share: up where both are equal. */
SIMKIT__INLINE uint32_t simkit__flow_tightest(const simkit_world *w, const simkit__flow *flow)
{
    uint32_t tightest = simkit__flow_hops(w, flow)[0].port;
    for (uint32_t i = 1; i < flow->hop_count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        if (w->rates[number] < w->rates[tightest]) tightest = number;
    }
    return tightest;
}

/* The level of a port has risen, or fallen: a member with a list of ports may now follow another, or this one. */
static void simkit__routed_turn(simkit_world *w, uint32_t number, uint32_t index, bool risen)
{
    const simkit__flow *flow = simkit__flow_at(w, index);
    if (risen == (flow->follows != number)) return;
    const uint32_t tightest = risen ? simkit__flow_tightest(w, flow) : number;
    if (w->rates[tightest] < w->rates[flow->follows]) simkit__flow_follow(w, index, tightest);
}

typedef struct
    simkit__turning { /* members that follow another port, until there are enough to fetch their flows together */
    simkit__member members[SIMKIT__BATCH];
    size_t count;
} simkit__turning;

/* They follow their other ports, or this one. */
SIMKIT__INLINE void simkit__members_turn(simkit_world *w, uint32_t number, bool away, simkit__turning *turning)
{
    for (size_t i = 0; i < turning->count; ++i)
        simkit__flow_follow(w, turning->members[i].flow, away ? turning->members[i].other : number);
    turning->count = 0;
}

SIMKIT__INLINE void simkit__member_turns(simkit_world *w, uint32_t number, simkit__member member, bool away,
                                         simkit__turning *turning)
{
    SIMKIT__PREFETCH(simkit__flow_at(w, member.flow));
    turning->members[turning->count++] = member;
    if (turning->count == SIMKIT__BATCH) simkit__members_turn(w, number, away, turning);
}

/* The level of a port is another one: members turn to the port of their smaller share. */
static void simkit__port_turn(simkit_world *w, uint32_t number, double was, double is)
{
    const simkit__port *port = &w->ports[number];
    const bool up = !port->down;

    /* Where shares are equal a flow follows its up end. So those turn whose other share lies between the
     * old and the new one, `less <= other < more` seen from an up end and `less < other <= more` from a down end. */
    const bool risen = is > was;
    const double less = risen ? was : is, more = risen ? is : was;
    simkit__turning turning;
    turning.count = 0;
    /* Few turn: four at a time are only looked at first. Shares are not negative, so their bits order like integers, and
     * one comparison tells whether one lies between. */
    const uint64_t first = simkit__bits(less) + !up, span = simkit__bits(more) - simkit__bits(less);
    const simkit__member *members = port->members;
    const double *rates = w->rates;
#define SIMKIT__TURNS(member) (simkit__bits(rates[(member).other]) - first < span)
    for (size_t i = 0, end = 0, count = simkit__count(members); i < count; i = end) {
        const simkit__member *m = &members[i];
        SIMKIT__PREFETCH(
            (const void *)((uintptr_t)m + 64 * sizeof *m)); /* may lie behind the end, where no pointer may */
        end = i + 4 < count ? i + 4 : count;
        if (end == i + 4 && (m[0].other | m[1].other | m[2].other | m[3].other) < SIMKIT__ROUTED &&
            !((int)SIMKIT__TURNS(m[0]) | (int)SIMKIT__TURNS(m[1]) | (int)SIMKIT__TURNS(m[2]) |
              (int)SIMKIT__TURNS(m[3])))
            continue;
        for (; m < members + end; ++m) {
            if (m->other & SIMKIT__ROUTED)
                simkit__routed_turn(w, number, m->flow, risen);
            else if (SIMKIT__TURNS(*m))
                simkit__member_turns(w, number, *m, risen, &turning);
        }
    }
#undef SIMKIT__TURNS
    simkit__members_turn(w, number, risen, &turning);
}

/* Computes the share that a port gives, because flows have come or gone there or its bandwidth is another one, and lets its
 * members turn. */
static void simkit__port_reshare(simkit_world *w, uint32_t number)
{
    simkit__port *port = &w->ports[number];
    const bool flows = port->flowing > 0 && port->bandwidth < (double)INFINITY;
    const double pace = flows ? simkit__product(port->load, port->byte_time) : (double)INFINITY;
    if (port->flowing == 0) simkit__port_rest(port);
    if (simkit__same(port->group.pace, pace)) return;
    const double was = w->rates[number], is = flows ? port->bandwidth / port->load : port->bandwidth;
    port->group.pace = pace; /* to the bit as its link says, where one flows */
    port->group.rate = flows ? is : 0;
    w->rates[number] = is;
    simkit__port_turn(w, number, was, is);
}

/* Settles what came and went at this instant, by equal shares. */
static void simkit__equal_settle(simkit_world *w)
{
    simkit__settling *settling = &w->settling;
    for (size_t i = 0; i < simkit__count(settling->ports); ++i) simkit__port_reshare(w, settling->ports[i]);
    for (uint32_t i; (i = simkit__line_take(&settling->joining, simkit__in_flows(w))) != SIMKIT_NONE;) {
        simkit__flow *flow = simkit__flow_at(w, i);
        simkit__flow_enter(w, i, flow);
        flow->follows = simkit__flow_tightest(w, flow);
        simkit__flow_tag(w, i, flow);
    }
}

/*=============================================================================
 * MARK: - >>ranks (private)
 *
 * Max-min fair shares: which ports are to be computed anew, and in which order. `rank` is the order of all ports by level, as far
 * as it is known. The result does not depend on it, but fattree-all takes 1.4 times as long in any other order, and
 * star-once-maxmin-random with 128 hosts 2.2 times (make bench). While few ports are marked, they are a list.
 *===========================================================================*/
static void simkit__bottleneck_mark_rank(simkit__maxmin *m, uint32_t rank)
{
    m->marked[rank] = m->blocks[rank / 64] = 1;
    if (rank < m->first) m->first = rank;
}

/* There are no longer few marked ports. */
static void simkit__bottlenecks_many(simkit__maxmin *m)
{
    if (m->few_count > SIMKIT__FEW) return;
    for (uint32_t i = 0; i < m->few_count; ++i) simkit__bottleneck_mark_rank(m, m->ports[m->few[i]].rank);
    m->few_count = SIMKIT__FEW + 1;
}

/* A port is to be computed. */
SIMKIT__INLINE void simkit__bottleneck_mark(simkit__maxmin *m, uint32_t number)
{
    const uint32_t rank = m->ports[number].rank;
    if (m->few_count == SIMKIT__FEW && !m->marked[rank]) simkit__bottlenecks_many(m);
    if (m->few_count > SIMKIT__FEW) {
        simkit__bottleneck_mark_rank(m, rank);
    } else if (!m->marked[rank]) {
        m->marked[rank] = 1;
        m->few[m->few_count++] = number;
    }
}

/* Sees to it that a port ranks after another one: if not, they swap their ranks. */
static void simkit__bottleneck_later(simkit__maxmin *m, uint32_t number, uint32_t than)
{
    const uint32_t early = m->ports[number].rank, late = m->ports[than].rank;
    if (early > late || m->few_count <= SIMKIT__FEW) return;
    const unsigned char marked = m->marked[early];
    m->order[early] = than;
    m->order[late] = number;
    m->ports[than].rank = early;
    m->ports[number].rank = late;
    m->marked[early] = m->marked[late];
    m->marked[late] = marked;
    m->blocks[early / 64] = m->blocks[late / 64] = 1;
    if (early < m->first) m->first = early;
}

/* The marked port of the lowest level, of few, which is then no longer marked; NONE. */
static uint32_t simkit__bottleneck_next_of_few(simkit__maxmin *m)
{
    uint32_t lowest = 0;
    if (m->few_count == 0) return SIMKIT_NONE;
    for (uint32_t i = 1; i < m->few_count; ++i)
        if (m->ports[m->few[i]].level < m->ports[m->few[lowest]].level) lowest = i;
    const uint32_t number = m->few[lowest];
    m->few[lowest] = m->few[--m->few_count];
    m->marked[m->ports[number].rank] = 0;
    return number;
}

/* The first rank that is marked, which is then no longer; NONE. */
static uint32_t simkit__bottleneck_next_rank(simkit__maxmin *m)
{
    const uint32_t count = (uint32_t)simkit__count(m->marked);
    const unsigned char *marked = m->marked;
    for (uint32_t at = m->first; at < count;) {
        if (marked[at]) {
            m->marked[at] = 0;
            m->first = at + 1;
            return at;
        }
        if (at % 8 != 0) {
            ++at;
            continue;
        }
        uint64_t word;
        const uint32_t block = at / 64;
        if (at % 64 == 0 && !m->blocks[block]) {
            word = 1;
            if (block % 8 == 0) memcpy(&word, &m->blocks[block], sizeof word);
            at += word ? 64 : 512;
            continue;
        }
        memcpy(&word, &marked[at], sizeof word);
        at += word ? 1 : 8;
        if (!word && at % 64 == 0) m->blocks[block] = 0;
    }
    m->first = count;
    m->few_count = 0;
    return SIMKIT_NONE;
}

/* A port that is to be computed, nearly always that of the lowest level; NONE. */
SIMKIT__INLINE uint32_t simkit__bottleneck_next(simkit__maxmin *m)
{
    if (m->few_count <= SIMKIT__FEW) return simkit__bottleneck_next_of_few(m);
    const uint32_t rank = simkit__bottleneck_next_rank(m);
    return rank == SIMKIT_NONE ? rank : m->order[rank];
}

/* Moves a port among the ranks towards its place by level: not far, so that this stays cheap. */
static void simkit__bottleneck_rank(simkit__maxmin *m, uint32_t number)
{
    enum { REACH = 32 }; /* with 4, fattree-all with 1024 hosts takes 1.19 times as long */
    const double level = m->ports[number].level;
    const uint32_t rank = m->ports[number].rank, count = (uint32_t)simkit__count(m->ports);
    uint32_t at = rank;
    for (; at > 0 && rank - at < REACH && m->ports[m->order[at - 1]].level > level; --at) {
        m->order[at] = m->order[at - 1];
        m->ports[m->order[at]].rank = at;
    }
    for (; at >= rank && at + 1 < count && at - rank < REACH && m->ports[m->order[at + 1]].level < level; ++at) {
        m->order[at] = m->order[at + 1];
        m->ports[m->order[at]].rank = at;
    }
    m->order[at] = number;
    m->ports[number].rank = at;
}

/*=============================================================================
 * MARK: - >>sums (private)
 *
 * Max-min fair shares: the two kinds of members of a port, those that it holds back and those that only pass, and the sums that
 * are kept of them.
 *===========================================================================*/
#define SIMKIT__NEARLY (1 - 1e-6) /* what passes is a sum with rounding errors */
/* A new bound is so much higher than the level. With 1.2, fattree-all with 1024 hosts takes 1.67 times as long and
 * dragonfly-all 1.26 times, because fewer ports are quiet; with 1.02 they differ by 6 and 2 %. */
#define SIMKIT__HIGH 1.05
/* A level below so much of its bound gets a new one. With 0.95, fattree-all takes 1.07 times as long, with 0.6 1.01 times. */
#define SIMKIT__LOW 0.85
#ifndef SIMKIT__AGE
/* So often a port is computed, or looked at, before its sums are made anew; tests have less. With 256, torus-all with 1024 hosts
 * takes 1.19 times as long, because ports get quiet later; with 16, 1.03 times. */
#define SIMKIT__AGE 64
#endif
#define SIMKIT__HEAVY                                                                                                  \
    32 /* a weight so many times the rest leaves rounding errors behind, for which the sum is made anew */
#define SIMKIT__TIE (1 + 1e-12) /* levels that differ by less are equal: a flow stays where it is */

/* Marks a port, because another sum of rates passes it. A port that holds back nobody is marked only if too much passes, and now
 * and then to see if it can be quiet. */
SIMKIT__INLINE void simkit__bottleneck_passed(simkit__maxmin *m, uint32_t number)
{
    simkit__sums *sums = &m->sums[number];
    const simkit__bottleneck *b = &m->ports[number];
    if (b->held > 0 || b->level < (double)INFINITY ||
        (!sums->quiet && (b->passing > SIMKIT__NEARLY * sums->bandwidth || ++sums->age > SIMKIT__AGE)))
        simkit__bottleneck_mark(m, number);
}

/* A flow that the port does not hold back passes at another rate: by so much more, with this level. */
SIMKIT__INLINE void simkit__bottleneck_pass(simkit__bottleneck *b, double more, double level)
{
    b->passing += more;
    if (level > b->most) b->most = level;
}

/* From now on a port holds a flow back, which may have just joined. */
static void simkit__bottleneck_follow(simkit_world *w, uint32_t index, uint32_t number)
{
    simkit__flow *flow = simkit__flow_at(w, index);
    simkit__port_touch(w, number);
    if (flow->follows == SIMKIT_NONE) {
        flow->follows = number;
        flow->mark = w->ports[number].group.clock;
        return;
    }
    simkit__port_touch(w, flow->follows);
    simkit__flow_follow(w, index, number);
}

static void simkit__members_swap(simkit_world *w, uint32_t number, uint32_t a, uint32_t b)
{
    simkit__port *port = &w->ports[number];
    const simkit__member moved = port->members[a];
    if (a == b) return;
    port->members[a] = port->members[b];
    port->members[b] = moved;
    simkit__member_placed(w, port, a);
    simkit__member_placed(w, port, b);
}

/* A port begins to hold back a member, or lets it go. */
static void simkit__bottleneck_hold(simkit_world *w, uint32_t number, uint32_t place, double weight)
{
    simkit__members_swap(w, number, place, w->maxmin.ports[number].held++);
    w->maxmin.sums[number].weight += weight;
}

static void simkit__bottleneck_release(simkit_world *w, uint32_t number, uint32_t place, double weight)
{
    simkit__bottleneck *b = &w->maxmin.ports[number];
    simkit__members_swap(w, number, place, --b->held);
    simkit__sums *sums = &w->maxmin.sums[number];
    sums->weight = b->held > 0 ? sums->weight - weight : 0;
    if (weight > SIMKIT__HEAVY * sums->weight && b->held > 0) sums->age = SIMKIT__AGE; /* the sum has lost digits */
}

/* The level of a flow that only passes. */
SIMKIT__INLINE double simkit__member_level(const simkit_world *w, const simkit__member *member)
{
    const uint32_t number = member->other & SIMKIT__ROUTED ? simkit__flow_at(w, member->flow)->follows : member->other;
    return w->maxmin.ports[number].level;
}

SIMKIT__INLINE double simkit__member_weight(const simkit_world *w, const simkit__member *member)
{
    return member->other & SIMKIT__ROUTED ? simkit__flow_weight(w, simkit__flow_at(w, member->flow)) : 1;
}

/* Computes the sums of a port from their terms. */
static void simkit__bottleneck_sum(simkit_world *w, uint32_t number)
{
    const simkit__bottleneck *all = w->maxmin.ports;
    const simkit__member *members = w->ports[number].members;
    simkit__bottleneck *b = &w->maxmin.ports[number];
    simkit__sums *sums = &w->maxmin.sums[number];
    const size_t held = b->held, count = sums->members;
    double passing = 0, most = 0, weight = 0;
    if (sums->routed == 0) {
        for (size_t i = held; i < count; ++i) {
            const double level = all[members[i].other].level;
            passing += level;
            most = level > most ? level : most;
        }
        weight = (double)held;
    } else {
        for (size_t i = 0; i < held; ++i) weight += simkit__member_weight(w, &members[i]);
        for (size_t i = held; i < count; ++i) {
            const double level = simkit__member_level(w, &members[i]);
            passing += simkit__product(simkit__member_weight(w, &members[i]), level);
            most = level > most ? level : most;
        }
    }
    b->passing = passing;
    b->most = most;
    sums->weight = weight;
    sums->age = 0;
}

/*=============================================================================
 * MARK: - >>quiet (private)
 *
 * Max-min fair shares: ports that need not be looked at. Most ports on a route hold back nobody, for long; without this room
 * torus-all takes 1.9 times as long and fattree-all 4 times (make bench, 1024 hosts). Such a port is marked only if too much
 * passes. After a while it gets quiet, and what passes there is no longer kept exactly, but only at most: each port that holds
 * back flows has a bound, a little above its level, that seldom changes, and even if all that pass a quiet port had the bounds
 * of their levels they would not fill it. Or a quiet port is covered by another one, not wider, that all its members pass as
 * well. A flow has its quiet ports at the end of its list; the others are watched.
 *===========================================================================*/
/* The ports of a flow that are not quiet. */
SIMKIT__INLINE uint32_t simkit__watched_count(const simkit__flow *flow)
{
    return flow->routed ? flow->now.watched : flow->hop_count;
}

static void simkit__hops_swap(simkit_world *w, uint32_t index, uint32_t a, uint32_t b)
{
    simkit__hop *hops = &w->hops[simkit__flow_at(w, index)->ends[0].port];
    const simkit__hop moved = hops[a];
    if (a == b) return;
    hops[a] = hops[b];
    hops[b] = moved;
    w->ports[hops[a].port].members[hops[a].place].other = a | SIMKIT__ROUTED;
    w->ports[hops[b].port].members[hops[b].place].other = b | SIMKIT__ROUTED;
}

static bool simkit__flow_passes(const simkit_world *w, const simkit__flow *flow, uint32_t number)
{
    for (uint32_t i = 0; i < flow->hop_count; ++i)
        if (simkit__flow_hops(w, flow)[i].port == number) return true;
    return false;
}

/* A port that is not quiet nor wider than this one, and that all pass that pass this one; NONE. */
static uint32_t simkit__quiet_cover(const simkit_world *w, uint32_t number)
{
    const simkit__maxmin *m = &w->maxmin;
    const simkit__sums *sums = &m->sums[number];
    const simkit__member *members = w->ports[number].members;
    const simkit__flow *first = simkit__flow_at(w, members[0].flow);
    for (uint32_t k = 0; k < first->now.watched; ++k) {
        const uint32_t other = simkit__flow_hops(w, first)[k].port;
        if (other == number || m->sums[other].members < sums->members || !(m->sums[other].bandwidth <= sums->bandwidth))
            continue;
        size_t i = 1;
        while (i < sums->members && simkit__flow_passes(w, simkit__flow_at(w, members[i].flow), other)) ++i;
        if (i == sums->members) return other;
    }
    return SIMKIT_NONE;
}

/* The sum of the rates that would pass a port if all had the bounds of their levels. */
static double simkit__quiet_highest(const simkit_world *w, uint32_t number)
{
    const simkit__member *members = w->ports[number].members;
    double passing = 0;
    for (size_t i = 0; i < w->maxmin.sums[number].members; ++i) {
        if (!(members[i].other & SIMKIT__ROUTED)) return (double)INFINITY;
        passing += simkit__product(simkit__member_weight(w, &members[i]),
                                   w->maxmin.sums[simkit__flow_at(w, members[i].flow)->follows].bound);
    }
    return passing;
}

/* A port that holds back nobody gets quiet, if it can. */
static void simkit__quiet_begin(simkit_world *w, uint32_t number)
{
    const simkit__port *port = &w->ports[number];
    simkit__sums *sums = &w->maxmin.sums[number];
    const double highest = simkit__quiet_highest(w, number);
    if (!(highest < (double)INFINITY) || sums->members == 0) return;
    if (highest > SIMKIT__NEARLY * sums->bandwidth) {
        sums->covered = simkit__quiet_cover(w, number);
        if (sums->covered == SIMKIT_NONE) return;
        ++w->maxmin.sums[sums->covered].covers;
    }
    w->maxmin.ports[number].passing = highest;
    sums->quiet = true;
    for (size_t i = 0; i < sums->members; ++i) {
        const simkit__member member = port->members[i];
        simkit__hops_swap(w, member.flow, member.other & ~SIMKIT__ROUTED,
                          --simkit__flow_at(w, member.flow)->now.watched);
    }
}

/* Returns true if a port that holds back nobody is quiet, or gets quiet. That is not tried often, because it takes long. */
SIMKIT__COLD bool simkit__quiet_try(simkit_world *w, uint32_t number)
{
    const simkit__sums *sums = &w->maxmin.sums[number];
    if (!sums->quiet && sums->routed > 0 && sums->age > SIMKIT__AGE) simkit__quiet_begin(w, number);
    return sums->quiet;
}

/* A port is no longer quiet; its sums are unknown. */
static void simkit__quiet_end(simkit_world *w, uint32_t number)
{
    const simkit__port *port = &w->ports[number];
    simkit__sums *sums = &w->maxmin.sums[number];
    sums->quiet = false;
    if (sums->covered != SIMKIT_NONE) --w->maxmin.sums[sums->covered].covers;
    sums->covered = SIMKIT_NONE;
    for (size_t i = 0; i < sums->members; ++i) {
        const simkit__member member = port->members[i];
        simkit__hops_swap(w, member.flow, member.other & ~SIMKIT__ROUTED,
                          simkit__flow_at(w, member.flow)->now.watched++);
    }
}

/* A quiet port is no longer quiet: its sums are computed. */
static void simkit__bottleneck_watch(simkit_world *w, uint32_t number)
{
    if (!w->maxmin.sums[number].quiet) return;
    simkit__quiet_end(w, number);
    simkit__bottleneck_sum(w, number);
    simkit__bottleneck_passed(&w->maxmin, number);
}

/* The bandwidth of a port is another one: those that count on it are no longer quiet. */
static void simkit__bottleneck_changed(simkit_world *w, uint32_t number)
{
    const simkit__sums *sums = &w->maxmin.sums[number];
    const simkit__port *port = &w->ports[number];
    simkit__bottleneck_watch(w, number);
    for (size_t i = 0; sums->covers > 0 && i < sums->members; ++i) {
        const simkit__flow *flow = simkit__flow_at(w, port->members[i].flow);
        for (uint32_t k = simkit__watched_count(flow); k < flow->hop_count; ++k) {
            const uint32_t other = simkit__flow_hops(w, flow)[k].port;
            if (w->maxmin.sums[other].covered == number) simkit__bottleneck_watch(w, other);
        }
    }
}

/* A flow is about to become a member of ports: those that are covered by others that it does not pass are no longer
 * quiet. Neither are those of a flow without a list, which has no quiet ports at its end. */
static void simkit__quiet_joined(simkit_world *w, const simkit__flow *flow)
{
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port, by = w->maxmin.sums[number].covered;
        if (!flow->routed || (by != SIMKIT_NONE && !simkit__flow_passes(w, flow, by)))
            simkit__bottleneck_watch(w, number);
    }
}

/* Adds to the bounds of the quiet ports on the way of a flow. */
static void simkit__quiet_pass(simkit_world *w, uint32_t index, double more)
{
    const simkit__flow *flow = simkit__flow_at(w, index);
    for (uint32_t i = simkit__watched_count(flow); i < flow->hop_count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        const simkit__sums *sums = &w->maxmin.sums[number];
        w->maxmin.ports[number].passing += more;
        if (w->maxmin.ports[number].passing > SIMKIT__NEARLY * sums->bandwidth && sums->covered == SIMKIT_NONE)
            simkit__bottleneck_watch(w, number); /* another is at this place now, which has been looked at */
    }
}

/* The level of a port is above its bound, or far below. */
SIMKIT__COLD void simkit__bottleneck_new_bound(simkit_world *w, uint32_t number)
{
    simkit__sums *sums = &w->maxmin.sums[number];
    const double bound = SIMKIT__HIGH * w->maxmin.ports[number].level, change = bound - sums->bound;
    sums->bound = bound;
    for (size_t i = 0; i < w->maxmin.ports[number].held; ++i) {
        const uint32_t index = w->ports[number].members[i].flow;
        simkit__quiet_pass(w, index, simkit__product(simkit__flow_weight(w, simkit__flow_at(w, index)), change));
    }
}

SIMKIT__INLINE void simkit__bottleneck_bound(simkit_world *w, uint32_t number)
{
    const double level = w->maxmin.ports[number].level;
    const simkit__sums *sums = &w->maxmin.sums[number];
    if (sums->routed > 0 && (level > sums->bound || level < SIMKIT__LOW * sums->bound))
        simkit__bottleneck_new_bound(w, number);
}

/*=============================================================================
 * MARK: - >>bottlenecks (private)
 *
 * Max-min fair shares. Each flow has one bottleneck: the port on its way with the lowest level. A port divides among the
 * flows that it holds back, by weight, what is left by those that only pass it and are held back elsewhere:
 *
 *     level = (bandwidth - passing) / weight
 *
 * A flow follows its bottleneck (>>network). The clock of a port that holds back nobody stands; tags there are moved.
 *
 * When flows come and go, ports are marked (>>ranks) and computed anew, the lowest level first, because a level depends on
 * lower ones only: so most are computed once. A new level changes what passes elsewhere, and marks the ports there. A port
 * that falls below the level of a flow that only passes captures it; one that rises above that of another port on the way of
 * a flow releases it. Where this does not come to an end, many flows came at once, or a link without a bandwidth has got one, all
 * that can be reached is computed anew by progressive filling.
 *
 * Levels that differ by 1e-12 are equal, and changes below are left out. Sums are computed anew from their terms now and
 * then. So errors do not add up: a rate is that of a recomputation within some 1e-12. Which ports a change can reach:
 * [bottlenecks].
 *===========================================================================*/
/* A flow gets another bottleneck. */
static void simkit__bottleneck_turn(simkit_world *w, uint32_t index, uint32_t to)
{
    simkit__maxmin *m = &w->maxmin;
    const simkit__flow *flow = simkit__flow_at(w, index);
    const uint32_t from = flow->follows;
    const double weight = simkit__flow_weight(w, flow), was = m->ports[from].level, is = m->ports[to].level;
    simkit__bottleneck_bound(w, to);
    simkit__bottleneck_follow(w, index, to);
    for (uint32_t i = 0; i < simkit__watched_count(flow); ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        if (number == to) {
            simkit__bottleneck_hold(w, number, simkit__flow_hops(w, flow)[i].place, weight);
            m->ports[number].passing -= simkit__product(weight, was);
        } else if (number == from) {
            simkit__bottleneck_release(w, number, simkit__flow_hops(w, flow)[i].place, weight);
            simkit__bottleneck_pass(&m->ports[number], simkit__product(weight, is), is);
        } else {
            simkit__bottleneck_pass(&m->ports[number], simkit__product(weight, is - was), is);
        }
        simkit__bottleneck_passed(m, number);
    }
    if (flow->routed) simkit__quiet_pass(w, index, simkit__product(weight, m->sums[to].bound - m->sums[from].bound));
}

/* The level of a port: what the others leave of it, divided among those that it holds back; minus infinity if more passes than
 * it can carry. */
static double simkit__bottleneck_level(const simkit__maxmin *m, uint32_t number)
{
    const simkit__sums *sums = &m->sums[number];
    const double left = sums->bandwidth - m->ports[number].passing;
    if (m->ports[number].held > 0) return left / sums->weight;
    return left < -1e-12 * sums->bandwidth ? -(double)INFINITY : (double)INFINITY;
}

/* The level of a port if it held back also all that pass at a higher one. */
static double simkit__bottleneck_lower(const simkit_world *w, uint32_t number, double level)
{
    const simkit__bottleneck *b = &w->maxmin.ports[number];
    const simkit__sums *sums = &w->maxmin.sums[number];
    const simkit__member *members = w->ports[number].members;
    for (;;) {
        double weight = sums->weight, left = sums->bandwidth - b->passing;
        for (size_t i = b->held; i < sums->members; ++i) {
            const double other = simkit__member_level(w, &members[i]);
            if (!(other > level)) continue;
            const double share = simkit__member_weight(w, &members[i]);
            weight += share;
            left += simkit__product(share, other);
        }
        if (!(weight > 0 && left / weight > level * SIMKIT__TIE)) return level;
        level = left / weight;
    }
}

/* A port captures the flows that pass at a level above its own. Returns its level then. */
static double simkit__bottleneck_capture(simkit_world *w, uint32_t number)
{
    simkit__bottleneck *b = &w->maxmin.ports[number];
    double level = simkit__bottleneck_level(&w->maxmin, number);
    while (b->most > level * SIMKIT__TIE) {
        simkit__bottleneck_sum(w, number); /* `most` may be too high, and the sum inexact */
        level = simkit__bottleneck_level(&w->maxmin, number);
        if (!(b->most > level * SIMKIT__TIE)) break;
        level = simkit__bottleneck_lower(w, number, level);
        if (b->held == 0) b->level = level;
        const uint32_t before = b->held;
        for (size_t i = before; i < w->maxmin.sums[number].members; ++i) {
            const simkit__member member = w->ports[number].members[i];
            if (simkit__member_level(w, &member) > level * SIMKIT__TIE) simkit__bottleneck_turn(w, member.flow, number);
        }
        if (b->held == before) break; /* what is left beside them may be all rounding: its members get what those get */
        level = simkit__bottleneck_level(&w->maxmin, number);
    }
    return b->held > 0 ? level : (double)INFINITY;
}

/* The lowest level on the way of a flow besides that of its bottleneck, and where it is. */
static double simkit__bottleneck_other(const simkit_world *w, const simkit__member *member, uint32_t own,
                                       uint32_t *where)
{
    const simkit__bottleneck *all = w->maxmin.ports;
    *where = member->other;
    if (!(member->other & SIMKIT__ROUTED)) return all[*where].level;
    const simkit__flow *flow = simkit__flow_at(w, member->flow);
    double least = (double)INFINITY;
    *where = own;
    for (uint32_t i = 0; i < flow->now.watched; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        if (number == own || !(all[number].level < least)) continue;
        least = all[number].level;
        *where = number;
    }
    return least;
}

/* simkit__bottleneck_spread() for few marked ports, or with routed flows: one flow and one port at a time. */
SIMKIT__APART bool simkit__bottleneck_spread_each(simkit_world *w, uint32_t number, double change)
{
    simkit__maxmin *m = &w->maxmin;
    simkit__bottleneck *all = m->ports;
    const simkit__member *members = w->ports[number].members;
    const size_t held = all[number].held;
    const double level = all[number].level, limit = level / SIMKIT__TIE;
    bool lower = false;
    for (size_t i = 0; i < held; ++i) {
        if (!(members[i].other & SIMKIT__ROUTED)) {
            const uint32_t other = members[i].other;
            simkit__bottleneck_pass(&all[other], change, level);
            lower |= all[other].level < limit;
            simkit__bottleneck_mark(m, other);
            continue;
        }
        const simkit__flow *flow = simkit__flow_at(w, members[i].flow);
        if (flow->now.watched < 2) continue; /* only this port */
        const simkit__hop *hops = simkit__flow_hops(w, flow);
        double weight;
        memcpy(&weight, hops - 1, sizeof weight);
        const double more = simkit__product(weight, change);
        for (uint32_t k = 0; k < flow->now.watched; ++k) {
            const uint32_t other = hops[k].port;
            if (other == number) continue;
            simkit__bottleneck_pass(&all[other], more, level);
            lower |= all[other].level < limit;
            simkit__bottleneck_passed(m, other);
        }
    }
    return lower;
}

/* The level of a port has changed: so has what the flows that it holds back take elsewhere. Returns whether one of them has
 * a lower level there. Here are the innermost loops: nearly all rates change when one flow of many comes or goes. */
static bool simkit__bottleneck_spread(simkit_world *w, uint32_t number, double change)
{
    simkit__maxmin *m = &w->maxmin;
    simkit__bottleneck *all = m->ports;
    const simkit__member *members = w->ports[number].members;
    const size_t held = all[number].held;
    const double level = all[number].level, limit = level / SIMKIT__TIE;
    bool lower = false;
    if (m->few_count <= SIMKIT__FEW && held >= SIMKIT__FEW) simkit__bottlenecks_many(m);
    if (m->sums[number].routed == 0 && m->few_count > SIMKIT__FEW) {
        unsigned char *marked = m->marked;
        uint32_t first = m->first;
        if (held < simkit__count(m->blocks))
            for (size_t i = 0; i < held; ++i) m->blocks[all[members[i].other].rank / 64] = 1;
        else
            memset(m->blocks, 1, simkit__count(m->blocks));
        for (size_t i = 0; change < 0 && i < held; ++i) {
            simkit__bottleneck *other = &all[members[i].other];
            const uint32_t rank = other->rank;
            other->passing += change;
            marked[rank] = 1;
            first = rank < first ? rank : first;
        }
        for (size_t i = 0; change > 0 && i < held; ++i) {
            simkit__bottleneck *other = &all[members[i].other];
            const uint32_t rank = other->rank;
            simkit__bottleneck_pass(other, change, level);
            lower |= other->level < limit;
            marked[rank] = 1;
            first = rank < first ? rank : first;
        }
        m->first = first;
        return lower;
    }
    return simkit__bottleneck_spread_each(w, number, change);
}

/* A port has risen above others: what has its bottleneck there now is let go. */
static void simkit__bottleneck_release_above(simkit_world *w, uint32_t number)
{
    const double limit = w->maxmin.ports[number].level / SIMKIT__TIE;
    for (uint32_t i = 0; i < w->maxmin.ports[number].held;) {
        const simkit__member member = w->ports[number].members[i];
        uint32_t where;
        if (simkit__bottleneck_other(w, &member, number, &where) < limit) {
            simkit__bottleneck_turn(w, member.flow, where); /* another is at this place now */
            simkit__bottleneck_later(&w->maxmin, number, where);
        } else {
            ++i;
        }
    }
}

/* Computes a port anew. */
static void simkit__bottleneck_compute(simkit_world *w, uint32_t number)
{
    simkit__bottleneck *b = &w->maxmin.ports[number];
    simkit__sums *sums = &w->maxmin.sums[number];
    if (!(sums->bandwidth < (double)INFINITY)) return;
    if (b->held == 0 && !(b->level < (double)INFINITY) && simkit__quiet_try(w, number)) return;
    if (++sums->age > SIMKIT__AGE) simkit__bottleneck_sum(w, number);
    if (b->held == sums->members) b->passing = b->most = 0;
    const double level = simkit__bottleneck_capture(w, number), change = level - b->level;
    if (!(level < (double)INFINITY) || !(b->level < (double)INFINITY)) { /* it held back nobody, or does now */
        if (level < b->level || level > b->level) simkit__port_touch(w, number);
        b->level = level;
        return;
    }
    if (fabs(change) <= (SIMKIT__TIE - 1) * b->level) return;
    simkit__port_touch(w, number);
    b->level = level;
    const bool lower = simkit__bottleneck_spread(w, number, change);
    simkit__bottleneck_bound(w, number);
    if (lower && change > 0) simkit__bottleneck_release_above(w, number);
}

/* A flow joins: first it has its bottleneck where it would get least, if each port gave it an equal share or, if that is more,
 * a share of what those leave that only pass there. */
static void simkit__bottleneck_join(simkit_world *w, uint32_t index)
{
    simkit__maxmin *m = &w->maxmin;
    const simkit__flow *flow = simkit__flow_at(w, index);
    const double weight = simkit__flow_weight(w, flow);
    uint32_t tightest = 0;
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        const simkit__sums *sums = &m->sums[number];
        double level = sums->quiet ? 0 : (sums->bandwidth - m->ports[number].passing) / (sums->weight + weight);
        const double equal = sums->bandwidth / w->ports[number].load;
        if (equal > level) level = equal;
        if (!(sums->bandwidth < (double)INFINITY) || !(level < least)) continue;
        least = level;
        tightest = i;
    }
    const uint32_t to = simkit__flow_hops(w, flow)[tightest].port;
    const bool was_quiet = m->sums[to].quiet;
    if (was_quiet) simkit__quiet_end(w, to);
    for (tightest = 0; simkit__flow_hops(w, flow)[tightest].port != to;) ++tightest; /* it may be at another place */
    simkit__bottleneck_follow(w, index, to);
    if (m->ports[to].held == 0) m->ports[to].level = least;
    if (least < (double)INFINITY) simkit__bottleneck_bound(w, to);
    simkit__bottleneck_hold(w, to, simkit__flow_hops(w, flow)[tightest].place, weight);
    if (was_quiet) simkit__bottleneck_sum(w, to);
    simkit__bottleneck_mark(m, to);
    if (!(least < (double)INFINITY)) return; /* no port on its way has a bandwidth */
    const double level = m->ports[to].level;
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        if (i == tightest) continue;
        if (m->sums[number].quiet) continue;
        simkit__bottleneck_pass(&m->ports[number], simkit__product(weight, level), level);
        simkit__bottleneck_passed(m, number);
    }
    simkit__quiet_pass(w, index, simkit__product(weight, m->sums[to].bound));
}

/* A member is about to leave its ports. */
static void simkit__bottleneck_leave(simkit_world *w, uint32_t index)
{
    simkit__maxmin *m = &w->maxmin;
    const simkit__flow *flow = simkit__flow_at(w, index);
    const uint32_t bottleneck = flow->follows;
    const double weight = simkit__flow_weight(w, flow), level = m->ports[bottleneck].level;
    --m->members;
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        m->sums[number].routed -= flow->routed;
        --m->sums[number].members;
        if (number == bottleneck)
            simkit__bottleneck_release(w, number, simkit__flow_hops(w, flow)[i].place, weight);
        else if (level < (double)INFINITY)
            m->ports[number].passing -=
                simkit__product(weight, m->sums[number].quiet ? m->sums[bottleneck].bound : level);
    }
}

/*=============================================================================
 * MARK: - >>filling (private)
 *
 * Bottlenecks from scratch, by progressive filling, for all that some ports reach: where many flows come at once, or where
 * changes do not come to an end. Also how an instant is settled with max-min fair shares.
 *===========================================================================*/
/* Filling: a heap of ports by the level at which each is full, if nothing else stops growing. */
static bool simkit__filling_before(const simkit__maxmin *m, uint32_t a, uint32_t b)
{
    const double level = m->ports[a].level, other = m->ports[b].level;
    return level < other || (simkit__same(level, other) && a < b);
}

static void simkit__filling_sink(simkit__maxmin *m, size_t count, size_t at)
{
    const uint32_t moved = m->heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && simkit__filling_before(m, m->heap[child + 1], m->heap[child])) ++child;
        if (!simkit__filling_before(m, m->heap[child], moved)) break;
        m->heap[at] = m->heap[child];
    }
    m->heap[at] = moved;
}

/* All that the changed ports reach: ports are touched, their flows have no bottleneck yet. */
static void simkit__filling_reach(simkit_world *w)
{
    simkit__maxmin *m = &w->maxmin;
    for (size_t i = 0; i < simkit__count(w->settling.ports); ++i) {
        const uint32_t number = w->settling.ports[i];
        const simkit__port *port = &w->ports[number];
        simkit__sums *sums = &m->sums[number];
        sums->growing = 0;
        sums->growers = sums->members;
        sums->quiet = false;
        sums->covered = SIMKIT_NONE;
        sums->covers = 0;
        for (size_t k = 0; k < sums->members; ++k) {
            const simkit__member *member = &port->members[k];
            simkit__flow_at(w, member->flow)->now.becomes = SIMKIT_NONE;
            sums->growing += simkit__member_weight(w, member);
            if (!(member->other & SIMKIT__ROUTED)) {
                simkit__port_touch(w, member->other);
                continue;
            }
            const simkit__flow *flow = simkit__flow_at(w, member->flow);
            for (uint32_t at = 0; at < flow->hop_count; ++at)
                simkit__port_touch(w, simkit__flow_hops(w, flow)[at].port);
        }
        m->ports[number].passing = m->ports[number].most = 0;
        m->ports[number].held = 0;
        m->ports[number].level = sums->growers > 0 ? sums->bandwidth / sums->growing : (double)INFINITY;
        m->heap[i] = number;
    }
}

/* Returns true if a port is the next that is full; else its level has risen, or no flow grows there any more. */
static bool simkit__filling_is_full(simkit_world *w, uint32_t number, double reached)
{
    simkit__sums *sums = &w->maxmin.sums[number];
    simkit__bottleneck *b = &w->maxmin.ports[number];
    const simkit__member *members = w->ports[number].members;
    double level = (double)INFINITY;
    if (sums->growers > 0) {
        double growing = 0; /* anew: a difference may be all rounding */
        if (sums->routed == 0) growing = sums->growers;
        for (size_t i = 0; i < (sums->routed ? simkit__count(members) : 0); ++i)
            if (simkit__flow_at(w, members[i].flow)->now.becomes == SIMKIT_NONE)
                growing += simkit__member_weight(w, &members[i]);
        sums->growing = growing;
        level = (sums->bandwidth - b->passing) / growing;
    }
    const bool full = !(level > b->level * SIMKIT__TIE);
    if (level > b->level) b->level = level;
    if (full && b->level < reached * SIMKIT__TIE)
        b->level = reached; /* else rounding would make several of one level */
    return full;
}

/* At a port that is full, a flow stops growing: another port on its way has one less. */
SIMKIT__INLINE void simkit__filling_pass(simkit__maxmin *m, uint32_t number, double weight, double level)
{
    --m->sums[number].growers;
    simkit__bottleneck_pass(&m->ports[number], simkit__product(weight, level), level);
}

/* The flows of a port that is full stop growing. */
static void simkit__filling_stop(simkit_world *w, uint32_t number)
{
    simkit__maxmin *m = &w->maxmin;
    const double level = m->ports[number].level;
    const simkit__member *members = w->ports[number].members;
    m->sums[number].weight = m->sums[number].growing;
    m->sums[number].growers = 0;
    for (size_t i = 0; i < simkit__count(members); ++i) {
        simkit__flow *flow = simkit__flow_at(w, members[i].flow);
        if (flow->now.becomes != SIMKIT_NONE) continue;
        flow->now.becomes = number;
        if (!(members[i].other & SIMKIT__ROUTED)) {
            simkit__filling_pass(m, members[i].other, 1, level);
            continue;
        }
        for (uint32_t at = 0; at < flow->hop_count; ++at)
            if (simkit__flow_hops(w, flow)[at].port != number)
                simkit__filling_pass(m, simkit__flow_hops(w, flow)[at].port, simkit__flow_weight(w, flow), level);
    }
}

/* The flows of a port get their bottlenecks; those that it holds back become its first members. */
static void simkit__filling_end(simkit_world *w, uint32_t number)
{
    const simkit__member *members = w->ports[number].members;
    uint32_t held = 0, end = (uint32_t)simkit__count(members);
    for (uint32_t i = 0; i < end; ++i) {
        simkit__flow *flow = simkit__flow_at(w, members[i].flow);
        const uint32_t becomes = flow->now.becomes;
        flow->now.becomes = SIMKIT_NONE;
        if (becomes != SIMKIT_NONE && becomes != flow->follows) simkit__bottleneck_follow(w, members[i].flow, becomes);
    }
    for (;;) {
        while (held < end && simkit__flow_at(w, members[held].flow)->follows == number) ++held;
        while (held < end && simkit__flow_at(w, members[end - 1].flow)->follows != number) --end;
        if (held >= end) break;
        simkit__members_swap(w, number, held, end - 1);
    }
    w->maxmin.ports[number].held = held;
    w->maxmin.sums[number].bound = held > 0 ? SIMKIT__HIGH * w->maxmin.ports[number].level : 0;
}

/* All ports of its flows are watched. */
static void simkit__filling_watch(simkit_world *w, uint32_t number)
{
    const simkit__member *members = w->ports[number].members;
    for (size_t i = 0; w->maxmin.sums[number].routed > 0 && i < simkit__count(members); ++i) {
        simkit__flow *flow = simkit__flow_at(w, members[i].flow);
        flow->now.watched = flow->hop_count;
    }
}

/* The reached ports get their ranks by the order in which they are in the heap, from its end. */
static void simkit__filling_rank(simkit__maxmin *m, size_t count)
{
    simkit__bottlenecks_many(m);
    for (size_t i = 0; i < count; ++i) simkit__bottleneck_mark(m, m->heap[i]);
    while (count-- > 0) {
        const uint32_t number = m->heap[count], rank = simkit__bottleneck_next_rank(m);
        m->order[rank] = number;
        m->ports[number].rank = rank;
    }
    (void)simkit__bottleneck_next_rank(m);
}

/* The bottlenecks of all flows that the changed ports reach, by progressive filling: [networks] section 6.5.2. */
static void simkit__filling(simkit_world *w)
{
    simkit__maxmin *m = &w->maxmin;
    for (uint32_t number; (number = simkit__bottleneck_next(m)) != SIMKIT_NONE;) simkit__port_touch(w, number);
    simkit__filling_reach(w);
    const size_t ports = simkit__count(w->settling.ports);
    size_t count = ports;
    for (size_t i = count; i-- > 0;) simkit__filling_sink(m, count, i);
    for (double level = 0; count > 0;) {
        const uint32_t number = m->heap[0];
        if (!(m->ports[number].level < (double)INFINITY)) break;
        if (simkit__filling_is_full(w, number, level)) {
            level = m->ports[number].level;
            simkit__filling_stop(w, number);
            m->heap[0] = m->heap[--count];
            m->heap[count] = number;
        }
        if (count > 0) simkit__filling_sink(m, count, 0);
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t number = m->heap[i];
        const simkit__member *members = w->ports[number].members;
        m->sums[number].weight = 0;
        for (size_t k = 0; m->sums[number].growers > 0 && k < simkit__count(members); ++k) {
            simkit__flow *flow = simkit__flow_at(w, members[k].flow);
            if (flow->now.becomes == SIMKIT_NONE) /* no port on its way is ever full */
                flow->now.becomes = simkit__flow_hops(w, flow)[0].port;
        }
    }
    for (size_t i = 0; i < ports; ++i) {
        m->sums[w->settling.ports[i]].age = 0;
        simkit__filling_end(w, w->settling.ports[i]);
    }
    for (size_t i = 0; i < ports; ++i) simkit__filling_watch(w, w->settling.ports[i]);
    simkit__filling_rank(m, ports);
}

/* Sets the rate of a port to its level; where it holds back nobody, its tags go where their flows are. */
static void simkit__bottleneck_finish(simkit_world *w, uint32_t number)
{
    simkit__port *port = &w->ports[number];
    simkit__sums *sums = &w->maxmin.sums[number];
    simkit__bottleneck *b = &w->maxmin.ports[number];
    sums->alone = false;
    simkit__group_rate(&port->group, b->held > 0 ? b->level : 0);
    if (b->held > 0) { /* to the bit as its link says, where nothing else passes */
        if (b->held == sums->members) port->group.pace = simkit__product(sums->weight, port->byte_time);
        return;
    }
    while (simkit__count(port->group.tags)) {
        const uint32_t index = simkit__last(port->group.tags).item;
        simkit__flow *flow = simkit__flow_at(w, index);
        simkit__drop(port->group.tags);
        simkit__flow_account(w, flow);
        simkit__port_touch(w, flow->follows);
        simkit__flow_tag(w, index, flow);
    }
    simkit__group_tagged(w, &port->group);
    if (sums->members > 0) return;
    simkit__port_rest(port);
    b->passing = b->most = 0;
}

/* A flow becomes a member of its ports. */
static void simkit__bottleneck_enter(simkit_world *w, uint32_t index)
{
    simkit__maxmin *m = &w->maxmin;
    simkit__flow *flow = simkit__flow_at(w, index);
    simkit__flow_enter(w, index, flow);
    ++m->members;
    flow->follows = SIMKIT_NONE;
    flow->now.watched = 0;
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        simkit__sums *sums = &m->sums[simkit__flow_hops(w, flow)[i].port];
        sums->routed += flow->routed;
        ++sums->members;
        if (flow->routed && !sums->quiet) simkit__hops_swap(w, index, i, flow->now.watched++);
    }
    simkit__push(m->fresh, index);
}

/* Returns true if a flow shares none of its ports, and one of them has a bandwidth. Then its rate is known: without this,
 * star-turn-maxmin with 64 hosts takes 1.4 times as long. */
static bool simkit__flow_is_alone(const simkit_world *w, const simkit__flow *flow)
{
    bool limited = false;
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        if (w->ports[number].flowing != 1) return false;
        limited |= w->maxmin.sums[number].bandwidth < (double)INFINITY;
    }
    return limited;
}

/* A flow that shares none of its ports is held back by the narrowest of them. */
static void simkit__bottleneck_alone(simkit_world *w, uint32_t index)
{
    simkit__maxmin *m = &w->maxmin;
    const simkit__flow *flow = simkit__flow_at(w, index);
    const uint32_t count = flow->hop_count;
    uint32_t narrowest = simkit__flow_hops(w, flow)[0].port;
    for (uint32_t i = 1; i < count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        if (m->sums[number].bandwidth < m->sums[narrowest].bandwidth) narrowest = number;
    }
    const double bandwidth = m->sums[narrowest].bandwidth, weight = simkit__flow_weight(w, flow);
    const double level = bandwidth / weight;
    simkit__bottleneck_follow(w, index, narrowest);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t number = simkit__flow_hops(w, flow)[i].port;
        const bool holds = number == narrowest;
        const simkit__bottleneck passed = { bandwidth, (double)INFINITY, level, m->ports[number].rank, 0 };
        const simkit__bottleneck holding = { 0, level, 0, m->ports[number].rank, 1 };
        simkit__sums *sums = &m->sums[number];
        m->ports[number] = holds ? holding : passed;
        sums->weight = holds ? weight : 0;
        sums->bound = holds ? SIMKIT__HIGH * level : 0;
        sums->age = 0;
        sums->alone = true;
    }
}

/* A port that has changed is perhaps to be computed, unless it is known without. */
static void simkit__bottleneck_look(simkit__maxmin *m, uint32_t number)
{
    simkit__bottleneck *b = &m->ports[number];
    if (m->sums[number].alone) return;
    if (m->sums[number].members > 0) {
        simkit__bottleneck_passed(m, number);
    } else {
        b->passing = b->most = 0;
        b->level = (double)INFINITY;
    }
}

/* Settles what came and went at this instant, by max-min fair shares. */
static void simkit__bottlenecks_settle(simkit_world *w)
{
    simkit__maxmin *m = &w->maxmin;
    simkit__settling *settling = &w->settling;
    const size_t changed = simkit__count(settling->ports);
    size_t sharing = 0, done = 0;
    for (size_t i = 0; i < changed; ++i)
        if (m->sums[settling->ports[i]].members == 0) simkit__bottleneck_watch(w, settling->ports[i]);
    for (uint32_t i = settling->joining.first; i != SIMKIT_NONE; i = *simkit__flow_next(simkit__flow_at(w, i)))
        sharing += !simkit__flow_is_alone(w, simkit__flow_at(w, i));
    bool fill = m->fill || (sharing > 8 && sharing > m->members / 4);
    for (uint32_t i; (i = simkit__line_take(&settling->joining, simkit__in_flows(w))) != SIMKIT_NONE;) {
        if (!fill) simkit__quiet_joined(w, simkit__flow_at(w, i));
        simkit__bottleneck_enter(w, i);
        if (simkit__flow_is_alone(w, simkit__flow_at(w, i)))
            simkit__bottleneck_alone(w, i);
        else if (!fill)
            simkit__bottleneck_join(w, i);
    }
    for (size_t i = 0; i < changed; ++i) simkit__bottleneck_look(m, settling->ports[i]);
    for (; !fill; ++done) {
        const uint32_t number = simkit__bottleneck_next(m);
        if (number == SIMKIT_NONE) break;
        simkit__bottleneck_compute(w, number);
        fill = done > 64 + 32 * simkit__count(settling->ports);
    }
    if (fill) simkit__filling(w);
    m->fill = false;
    for (size_t i = 0; i < simkit__count(m->fresh); ++i)
        simkit__flow_tag(w, m->fresh[i], simkit__flow_at(w, m->fresh[i]));
    while (simkit__count(m->fresh)) simkit__drop(m->fresh);
    for (size_t i = 0; done > 4 && i < simkit__count(settling->ports); ++i)
        simkit__bottleneck_rank(m, settling->ports[i]);
    for (size_t i = 0; i < simkit__count(settling->ports); ++i) simkit__bottleneck_finish(w, settling->ports[i]);
}

/*=============================================================================
 * MARK: - >>flows (private)
 *
 * The life of a flow: it waits for its turn on its connection, then its latency passes, then its bytes share the ports on
 * its way. Before its time, simkit__flow_break() takes its tag and its membership away; simkit__flow_cut() does so, and lets its
 * timer report that it is lost.
 *===========================================================================*/
typedef struct simkit__pair { /* what is special about the path to one other node */
    simkit_node to;
    bool busy;
    bool special;         /* it has a link of its own: */
    netmodel_link link;   /* instead of the latency of the way, and besides the links there; byte time 0: only that */
    uint32_t port;        /* of that link; NONE */
    uint32_t both;        /* of the smaller node's pair: the port of both directions; NONE */
    simkit__line waiting; /* in-order transfers, for their turn */
    bool direct;          /* its route does not cross the links of the nodes */
    uint32_t *route;      /* 2 * (link - 1) + whether it is crossed backwards */
} simkit__pair;

#define SIMKIT__INSTANT UINT32_C(0x80000000) /* in a handle: the place of a message that takes no time, not of a flow */
#define SIMKIT__FOR_MESSAGE UINT32_C(0x80000000) /* in the handle of a wait: a receiver, not a waiter */

SIMKIT__COLD void simkit__flow_tell(simkit_world *w, const simkit__flow *flow, const simkit__request *request,
                                    simkit_phase phase)
{
    simkit_watch_event event =
        simkit__event(SIMKIT_WATCH_TRANSFER, phase, request->begin, request->name, flow->from, flow->label);
    event.bytes = request->bytes;
    event.to = flow->to;
    event.in_order = flow->in_order;
    simkit__emit(w, event);
}

SIMKIT__INLINE void simkit__flow_emit(simkit_world *w, uint32_t index, simkit_phase phase)
{
    if (w->watched & SIMKIT_WATCH_TRANSFER)
        simkit__flow_tell(w, simkit__flow_at(w, index), simkit__request_at(w, index), phase);
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
    fresh.waiting = simkit__no_line;
    fresh.port = fresh.both = SIMKIT_NONE;
    size_t place = simkit__pair_place(node, to), count = simkit__count(node->pairs);
    simkit__push(node->pairs, fresh);
    memmove(&node->pairs[place + 1], &node->pairs[place], (count - place) * sizeof fresh);
    node->pairs[place] = fresh;
    return &node->pairs[place];
}

/* The rate that a transfer of a node to itself has [B/s]. */
static double simkit__flow_own_rate(const simkit__request *request)
{
    const netmodel_link bytes_only = { 0, request->byte_time };
    return request->bytes / netmodel_link_time(&bytes_only, request->bytes);
}

/* The rate that a member has now [B/s]; INFINITY: it ends at this instant. */
static double simkit__flow_rate(const simkit_world *w, uint32_t index)
{
    const simkit__flow *flow = simkit__flow_at(w, index);
    if (flow->follows == SIMKIT_NONE) return 0;
    const double level =
        w->policy == SIMKIT_SHARING_EQUAL ? w->rates[flow->follows] : w->maxmin.ports[flow->follows].level;
    return simkit__product(simkit__flow_weight(w, flow), level);
}

/* Bytes of a flow that are still to come. A transfer of a node to itself began to flow when its latency had passed. */
static double simkit__flow_left(const simkit_world *w, uint32_t index)
{
    const simkit__flow *flow = simkit__flow_at(w, index);
    const simkit__request *request = simkit__request_at(w, index);
    if (!flow->flowing) return request->bytes;
    double left = flow->left;
    if (flow->from == flow->to)
        left -= simkit__product(w->now - (request->begin + flow->mark), simkit__flow_own_rate(request));
    else if (flow->member && flow->follows != SIMKIT_NONE)
        left -= simkit__product(simkit__flow_weight(w, flow),
                                simkit__group_clock(w, &w->ports[flow->follows].group) - flow->mark);
    return left > 0 ? fmin(left, request->bytes) : 0;
}

/* A flow that is a member leaves before its time. */
static void simkit__flow_break(simkit_world *w, uint32_t index)
{
    simkit__flow *flow = simkit__flow_at(w, index);
    simkit__flow_untag(w, index);
    if (w->policy != SIMKIT_SHARING_EQUAL) simkit__bottleneck_leave(w, index);
    simkit__flow_leave(w, flow);
    flow->member = false;
}

/* A flow is lost, which its own timer reports. */
static void simkit__flow_cut(simkit_world *w, uint32_t index, bool by_link)
{
    simkit__flow *flow = simkit__flow_at(w, index);
    if (w->probed & SIMKIT__PROBE_TRANSFERS) simkit__probes_gone(w, index, flow->label, false);
    if (flow->member) simkit__flow_break(w, index);
    flow->failed = true;
    flow->link_failed = by_link;
    simkit__timer_arm(w, flow->timer, w->now);
    if (w->probed & SIMKIT__PROBE_EVENTS) simkit__probes_armed(w, flow->timer);
}

/* A transfer that had its turn on its connection is over: the next one begins. Returns it, or NONE. */
static uint32_t simkit__connection_next(simkit_world *w, const simkit__flow *flow)
{
    if (!flow->in_order) return SIMKIT_NONE;
    simkit__pair *pair = simkit__pair_find(&w->nodes[flow->from - 1], flow->to);
    const uint32_t next = simkit__line_take(&pair->waiting, simkit__in_flows(w));
    pair->busy = next != SIMKIT_NONE;
    if (!pair->busy) return next;
    const simkit__flow *behind = simkit__flow_at(w, next);
    simkit__request_at(w, next)->begin = w->now;
    simkit__timer_arm(w, behind->timer, w->now + behind->mark);
    return next;
}

/* Takes a transfer out of those that wait for their turn. Returns whether it was one. */
static bool simkit__flow_unqueue(simkit_world *w, uint32_t index)
{
    const simkit__flow *flow = simkit__flow_at(w, index);
    if (!flow->in_order) return false;
    simkit__pair *pair = simkit__pair_find(&w->nodes[flow->from - 1], flow->to);
    return simkit__line_remove(&pair->waiting, simkit__in_flows(w), index);
}

static void simkit__flow_free(simkit_world *w, uint32_t index, simkit__flow *flow)
{
    simkit__hops_free(w, flow);
    --w->foreground;
    simkit__timer_free(w, flow->timer);
    simkit__text_drop(simkit__request_at(w, index)->name);
    flow->from = 0;
    *simkit__flow_next(flow) = w->free_flow;
    w->free_flow = index;
}

static simkit__told simkit__flow_end(simkit_world *w, uint32_t index, simkit__flow *flow)
{
    if (w->probed & SIMKIT__PROBE_TRANSFERS) simkit__probes_gone(w, index, flow->label, true);
    if (flow->flowing && flow->from != flow->to) {
        if (w->policy != SIMKIT_SHARING_EQUAL) simkit__bottleneck_leave(w, index);
        simkit__flow_leave(w, flow);
    }
    simkit__flow_emit(w, index, SIMKIT_PHASE_END); /* before the next on its connection begins */
    const uint32_t next = simkit__connection_next(w, flow);
    if (next != SIMKIT_NONE) simkit__flow_emit(w, next, SIMKIT_PHASE_BEGIN);
    const simkit__end end = simkit__request_at(w, index)->end;
    simkit__flow_free(w, index, flow);
    return simkit__tells(w, &end, SIMKIT_OK);
}

/* Bytes that the link of a node passes at once: its tokens, which it gets while nothing flows. */
static double simkit__node_tokens(const simkit_world *w, simkit__node *node, int side)
{
    simkit__port *port = &w->ports[node->ports[side]];
    double *tokens = &node->tokens[side];
    if (port->flowing > 0 || !(port->bandwidth < (double)INFINITY)) return *tokens;
    if (!port->changed) *tokens += simkit__product(w->now - port->group.since, port->bandwidth);
    simkit__group_advance(w, &port->group);
    if (*tokens > node->desc.burst) *tokens = node->desc.burst;
    return *tokens;
}

/* Bytes of a flow that pass at once, before the others begin to share its ports. Those with a list of ports never do; but what
 * the links of their nodes have got in tokens until now is noted. */
static void simkit__flow_burst(simkit_world *w, uint32_t index, simkit__flow *flow)
{
    simkit__node *from = &w->nodes[flow->from - 1], *to = &w->nodes[flow->to - 1];
    double tokens = simkit__node_tokens(w, from, SIMKIT__UP);
    const double others = simkit__node_tokens(w, to, SIMKIT__DOWN);
    if (others < tokens) tokens = others;
    const double bytes = simkit__request_at(w, index)->bytes;
    if (tokens > bytes) tokens = bytes;
    if (!(tokens > 0) || flow->routed) return;
    from->tokens[SIMKIT__UP] -= tokens;
    to->tokens[SIMKIT__DOWN] -= tokens;
    flow->left = bytes - tokens;
}

/* The bytes of a flow would take no time when it was started. While its latency passed, a link on its way may have got a
 * bandwidth: then they take time after all. */
SIMKIT__COLD void simkit__flow_slowed(simkit_world *w, uint32_t index, simkit__flow *flow)
{
    for (uint32_t i = 0; i < flow->hop_count; ++i)
        if (w->ports[simkit__flow_hops(w, flow)[i].port].bandwidth < (double)INFINITY)
            flow->left = simkit__request_at(w, index)->bytes;
}

static simkit__told simkit__flow_due(simkit_world *w, uint32_t index)
{
    simkit__flow *flow = simkit__flow_at(w, index);
    if (w->bursts && !flow->flowing && !flow->failed && flow->from != flow->to) simkit__flow_burst(w, index, flow);
    if (flow->left <= 0 && flow->routed && !flow->flowing) simkit__flow_slowed(w, index, flow);
    const double left = flow->left;
    if (flow->failed) {
        const simkit__end end = simkit__request_at(w, index)->end;
        const simkit_result how = flow->link_failed ? SIMKIT_LINK_FAILED : SIMKIT_NODE_FAILED;
        simkit__flow_free(w, index, flow);
        return simkit__tells(w, &end, how);
    }
    if (flow->flowing || left <= 0) /* all bytes have arrived, or there were none that take time */
        return simkit__flow_end(w, index, flow);
    simkit__flow_emit(w, index, SIMKIT_PHASE_FLOW);
    flow->flowing = true;
    if (flow->from == flow->to) { /* a node's transfers to itself share with nobody */
        const netmodel_link bytes_only = { 0, simkit__request_at(w, index)->byte_time };
        simkit__timer_arm(w, flow->timer, w->now + netmodel_link_time(&bytes_only, left));
        return simkit__nobody;
    }
    simkit__line_add(&w->settling.joining, simkit__in_flows(w), index);
    simkit__flow_count(w, flow, +1);
    return simkit__nobody;
}

/* The first tag of a port is reached; `more`: others are at this time. */
static simkit__told simkit__port_due(simkit_world *w, uint32_t number, bool more)
{
    simkit__group *group = &w->ports[number].group;
    SIMKIT__PREFETCH(simkit__flow_at(w, group->tags[0].item));
    const uint32_t index = simkit__group_reached(w, group);
    const bool early = simkit__flow_is_early(w, index);
    if (early || more || group->finish <= group->clock) simkit__due_update(w, number); /* else settling does it */
    return early ? simkit__nobody : simkit__flow_end(w, index, simkit__flow_at(w, index));
}

/* The first of all tags is reached: max-min fair shares. */
static simkit__told simkit__ports_due(simkit_world *w)
{
    bool more = false;
    const uint32_t number = simkit__due_port(&w->dues, &more);
    w->dues.stale = number;
    return simkit__port_due(w, number, more);
}

/*=============================================================================
 * MARK: - >>settling (private)
 *
 * What has changed at an instant is settled when nothing else is due then, or before a link changes or a link or a node fails:
 * equal shares port by port, max-min fair shares for all flows that the change can reach.
 *===========================================================================*/
/* Reports a rate if it is another one, or anyway. */
SIMKIT__INLINE void simkit__probe_rate(simkit_world *w, simkit__attached *a, uint32_t index, bool anyway)
{
    const double rate = simkit__flow_rate(w, index);
    simkit__kept *kept = simkit__probe_kept(w, a, index);
    if (kept && simkit__same(kept->told, rate) && !anyway) return;
    if (kept) kept->told = rate;
    const simkit_transfer transfer = simkit__labelled(w, index, simkit__flow_at(w, index)->label);
    a->probe->rate(w, a->user, transfer, rate, kept ? &kept->own : NULL);
}

static void simkit__probe_rate_all(simkit_world *w, simkit__attached *a, bool anyway)
{
    for (uint32_t i = 0; i < simkit__pool_count(w->flows); ++i)
        if (simkit__flow_at(w, i)->from != 0 && simkit__flow_at(w, i)->member) simkit__probe_rate(w, a, i, anyway);
}

/* With equal shares, only the members of ports that were settled can have other rates now. */
static void simkit__probe_rate_changed(simkit_world *w, simkit__attached *a)
{
    for (size_t i = 0; i < simkit__count(w->settling.ports); ++i) {
        const simkit__port *port = &w->ports[w->settling.ports[i]];
        for (size_t k = 0; k < simkit__count(port->members); ++k)
            simkit__probe_rate(w, a, port->members[k].flow, false);
    }
}

/* The shares of this instant are settled. */
SIMKIT__APART void simkit__probes_settled(simkit_world *w)
{
    const bool reporting = w->reporting;
    w->reporting = true;
    for (simkit__attached *a = w->probes; a; a = a->next) {
        if (!a->probe->rate) continue;
        if (w->policy == SIMKIT_SHARING_EQUAL)
            simkit__probe_rate_changed(w, a);
        else
            simkit__probe_rate_all(w, a, false);
    }
    w->reporting = reporting;
}

/* Settles what has changed at this instant. */
static void simkit__settle(simkit_world *w)
{
    simkit__settling *settling = &w->settling;
    const size_t changed = simkit__count(settling->ports);
    for (size_t i = 0; i < changed; ++i) simkit__group_advance(w, &w->ports[settling->ports[i]].group);
    if (w->policy == SIMKIT_SHARING_EQUAL)
        simkit__equal_settle(w);
    else
        simkit__bottlenecks_settle(w);
    if (w->probed & SIMKIT__PROBE_TRANSFERS) simkit__probes_settled(w);
    for (size_t i = 0; i < simkit__count(settling->ports); ++i) w->ports[settling->ports[i]].changed = false;
    simkit__dues_settle(w, settling->ports, simkit__count(settling->ports));
    while (simkit__count(settling->ports)) simkit__drop(settling->ports);
    for (size_t i = 0; i < simkit__count(settling->affected); ++i) {
        simkit__node *node = &w->nodes[settling->affected[i] - 1];
        node->affected = false;
        if (node->failed) continue; /* its timer is for reports of what it lost */
        simkit__node_advance(w, node);
        simkit__node_reshare(w, node);
    }
    while (simkit__count(settling->affected)) simkit__drop(settling->affected);
    w->unsettled = false;
}

/* The next timer that is due in this run; NONE at its end. A run without a time limit ends when only background is
 * left. */
SIMKIT__INLINE uint32_t simkit__next(simkit_world *w)
{
    while (w->ending == SIMKIT_OK && w->foreground > 0) {
        const uint32_t timer = simkit__queue_pop(w, w->unsettled ? simkit__bits(w->now) : w->until);
        if (timer != SIMKIT_NONE) return timer;
        if (!w->unsettled) break;
        simkit__settle(w);
    }
    return SIMKIT_NONE;
}

/*=============================================================================
 * MARK: - >>wires (private)
 *
 * A link is two ports, one for each direction, and a third where both share something. The links of a topology are the first of
 * a world, with names that say where they lead.
 *===========================================================================*/
static const char *simkit__called_link(simkit_world *w, simkit_link link)
{
    return simkit__called(w, "link", link > 0 && link <= simkit__count(w->wires) ? w->wires[link - 1].name : NULL,
                          link);
}

SIMKIT__COLD simkit_result simkit__unknown_link(simkit_world *w, const char *what, simkit_link link)
{
    const unsigned long links = (unsigned long)simkit__count(w->wires);
    if (links > 1)
        return simkit__fail(w, SIMKIT_UNKNOWN_LINK, "%s names link %lu, but the links are 1 .. %lu", what,
                            (unsigned long)link, links);
    return simkit__fail(w, SIMKIT_UNKNOWN_LINK, "%s names link %lu, but there is %s", what, (unsigned long)link,
                        links ? "only link 1" : "none");
}

static simkit__wire *simkit__wire_of(simkit_world *w, simkit_link link)
{
    return link >= 1 && link <= simkit__count(w->wires) ? &w->wires[link - 1] : NULL;
}

/* A bandwidth and a latency that a link may have; `called` only names it, `zero` is what a bandwidth of 0 means. */
static simkit_result simkit__link_check(simkit_world *w, const char *called, double bandwidth, double latency,
                                        const char *zero)
{
    if (!simkit__is_bandwidth(w, bandwidth)) return simkit__bad_bandwidth(w, "bandwidth", called, bandwidth, zero);
    if (!simkit__is_amount(latency)) return simkit__bad_number(w, "latency", called, latency);
    return SIMKIT_OK;
}

/* A link, for which there is memory. */
static void simkit__wire_add(simkit_world *w, char *name, double bandwidth, double latency, double duplex)
{
    simkit__wire fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.name = name;
    fresh.bandwidth = bandwidth > 0 ? bandwidth : (double)INFINITY;
    fresh.latency = latency;
    fresh.duplex = duplex > 0 ? duplex : 2;
    fresh.ports[0] = simkit__port_add(w, fresh.bandwidth);
    fresh.ports[1] = simkit__port_add(w, fresh.bandwidth);
    for (uint32_t back = 0; back < 2; ++back)
        w->ports[fresh.ports[back]].of.channel = 2 * ((uint32_t)simkit__count(w->wires) + 1) + back;
    fresh.ports[SIMKIT__BOTH] = SIMKIT_NONE;
    if (fresh.duplex < 2)
        fresh.ports[SIMKIT__BOTH] =
            simkit__port_add(w, netmodel_duplex(fresh.bandwidth, fresh.bandwidth, fresh.duplex));
    simkit__push(w->wires, fresh);
}

static bool simkit__same_place(netmodel_place a, netmodel_place b)
{
    return a.level == b.level && a.number == b.number;
}

/* Writes what a link of a topology is called; `same` links before it join the same two ends. */
static void simkit__link_called(const netmodel_place end[2], size_t same, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < 2; ++i) {
        const unsigned long number = (unsigned long)end[i].number + 1;
        if (end[i].level == 0)
            used += (size_t)snprintf(text + used, room - used, "%shost %lu", i ? " to " : "", number);
        else
            used += (size_t)snprintf(text + used, room - used, "%sswitch %lu.%lu", i ? " to " : "",
                                     (unsigned long)end[i].level, number);
    }
    if (same > 0) snprintf(text + used, room - used, ", cable %lu", (unsigned long)same + 1);
}

/* Says which entry of a topology netmodel_topology_check() refuses, as part of a sentence; empty if it names none. */
static const char *simkit__topology_entry(simkit_world *w, const netmodel_topology *topology, netmodel_result wrong,
                                          size_t where)
{
    const char *what = NULL;
    if (topology->kind == NETMODEL_TOPOLOGY_FAT_TREE) what = "level";
    if (topology->kind == NETMODEL_TOPOLOGY_TORUS || topology->kind == NETMODEL_TOPOLOGY_MESH) what = "dimension";
    if (topology->kind == NETMODEL_TOPOLOGY_CLUSTERS) what = wrong == NETMODEL_BAD_JOINT ? "joint" : "cluster";
    if (wrong == NETMODEL_BAD_CABLE && topology->kind == NETMODEL_TOPOLOGY_CLUSTERS && topology->clusters.joints > 0)
        what = "cluster or joint";
    return what && (wrong == NETMODEL_BAD_SIZE || wrong == NETMODEL_BAD_CABLE || wrong == NETMODEL_BAD_JOINT ||
                    wrong == NETMODEL_NOT_JOINED)
               ? simkit__words(w, " (%s %lu, counted from 0)", what, (unsigned long)where)
               : "";
}

/* Checks that a world can have a topology. */
static simkit_result simkit__topology_check(simkit_world *w, const netmodel_topology *topology, bool slow_links)
{
    size_t where;
    netmodel_place end[2];
    char called[96];
    const netmodel_result wrong = netmodel_topology_check(topology, &where);
    if (wrong != NETMODEL_OK)
        return simkit__fail(w, SIMKIT_BAD_TOPOLOGY, "the topology is impossible: %s%s", netmodel_result_text(wrong),
                            simkit__topology_entry(w, topology, wrong, where));
    const size_t links = netmodel_topology_links(topology);
    const bool slow = w->slow_links;
    simkit_result result = SIMKIT_OK;
    w->slow_links = slow_links; /* a reset may bring another rule */
    for (size_t i = 0; i < links && result == SIMKIT_OK; ++i) {
        const double bandwidth = netmodel_topology_link(topology, i).bandwidth;
        if (!(bandwidth < (double)INFINITY) || simkit__is_bandwidth(w, bandwidth)) continue;
        netmodel_topology_link_ends(topology, i, end);
        simkit__link_called(end, 0, called, sizeof called);
        (void)simkit__bad_bandwidth(w, "bandwidth", simkit__called(w, "link", called, 0), bandwidth, NULL);
        result = SIMKIT_BAD_TOPOLOGY;
    }
    w->slow_links = slow;
    return result;
}

/* The links of a topology. */
static bool simkit__topology_open(simkit_world *w, const netmodel_topology *topology)
{
    const size_t links = netmodel_topology_links(topology), longest = netmodel_topology_hops_max(topology);
    size_t duplexes = 0, same = 0;
    netmodel_place end[2], last[2] = { { 0, 0 }, { 0, 0 } };
    char called[96];
    for (size_t i = 0; i < links; ++i) duplexes += netmodel_topology_link(topology, i).duplex < 2;
    if (links >= SIMKIT__ROUTED || longest > SIMKIT_ROUTE_LINKS || !simkit__reserve(w, w->wires, links) ||
        !simkit__ports_reserve(w, 2 * links + duplexes) || !simkit__reserve(w, w->route, longest) ||
        !simkit__reserve(w, w->channels, longest))
        return false;
    for (size_t i = 0; i < longest; ++i) simkit__push(w->route, 0);
    const bool again = w->topology && memcmp(w->topology, topology, sizeof *topology) == 0; /* after a reset */
    for (size_t i = 0; i < links; ++i) {
        char *name = i < simkit__left(w->wires) ? w->wires[i].name : NULL;
        const netmodel_cable cable = netmodel_topology_link(topology, i);
        if (!again) {
            netmodel_topology_link_ends(topology, i, end);
            same = i > 0 && simkit__same_place(end[0], last[0]) && simkit__same_place(end[1], last[1]) ? same + 1 : 0;
            memcpy(last, end, sizeof last);
            simkit__link_called(end, same, called, sizeof called);
            if (!(name = simkit__name_again(&w->store, name, called))) return false;
        }
        simkit__wire_add(w, name, cable.bandwidth < (double)INFINITY ? cable.bandwidth : 0, cable.latency,
                         cable.duplex);
    }
    if (!w->topology) w->topology = (netmodel_topology *)simkit_store_resize(&w->store, NULL, 0, sizeof *topology);
    if (w->topology) *w->topology = *topology;
    return w->topology != NULL;
}

/*=============================================================================
 * MARK: - >>ways (private)
 *
 * How a transfer gets from one node to another: its latency, and the ports that it passes.
 *===========================================================================*/
/* The way of a transfer from one node to another. */
typedef struct simkit__way {
    netmodel_link link;       /* if it had everything to itself */
    const simkit__pair *pair; /* what is special about its two nodes; NULL: nothing */
    double limit;             /* INFINITY: none */
    const uint32_t *route;    /* route[count] */
    size_t count;
} simkit__way;

/* The links between two nodes, by number and direction as in simkit__pair. */
static const uint32_t *simkit__route_of(const simkit_world *w, const simkit__pair *pair, const simkit__node *from,
                                        const simkit__node *to, size_t *count)
{
    *count = pair ? simkit__count(pair->route) : 0;
    if (*count > 0 || !w->topology) return *count > 0 ? pair->route : NULL;
    const size_t room = simkit__count(w->route);
    *count = netmodel_topology_route(w->topology, from->place - 1, to->place - 1, w->channels, room);
    for (size_t i = 0; i < *count; ++i) w->route[i] = (uint32_t)w->channels[i];
    return w->route;
}

/* Adds the links of its route. */
static void simkit__way_route(const simkit_world *w, const simkit_transfer_desc *desc, simkit__way *way)
{
    way->route = simkit__route_of(w, way->pair, &w->nodes[desc->from - 1], &w->nodes[desc->to - 1], &way->count);
    for (size_t i = 0; i < way->count; ++i) {
        const simkit__wire *wire = &w->wires[way->route[i] / 2];
        way->link.latency += wire->latency;
        if (1 / wire->bandwidth > way->link.byte_time) way->link.byte_time = 1 / wire->bandwidth;
    }
}

static void simkit__way_limit(const simkit_world *w, const simkit_transfer_desc *desc, simkit__way *way)
{
    if (desc->rate_limit > 0) way->limit = desc->rate_limit;
    if (w->window > 0) {
        const double limit = netmodel_window_rate(w->window, way->link.latency);
        if (limit < way->limit) way->limit = limit;
    }
    if (1 / way->limit > way->link.byte_time) way->link.byte_time = 1 / way->limit;
}

/* Finds the way over the links of the nodes and of the route. */
SIMKIT__INLINE void simkit__way_links(const simkit_world *w, const simkit_transfer_desc *desc, const simkit__pair *pair,
                                      simkit__way *way)
{
    const simkit__node *from = &w->nodes[desc->from - 1], *to = &w->nodes[desc->to - 1];
    way->pair = pair;
    way->limit = (double)INFINITY;
    way->route = NULL;
    way->count = 0;
    way->link.latency = way->link.byte_time = 0;
    if (desc->from == desc->to) return;
    if (!pair || !pair->direct) {
        const double up = from->byte_time[SIMKIT__UP], down = to->byte_time[SIMKIT__DOWN];
        way->link.latency = w->latency;
        way->link.byte_time = up > down ? up : down;
    }
    if (w->wires) simkit__way_route(w, desc, way);
}

/* Adds the link that the pair has of its own, which its transfers cross besides. */
static void simkit__way_special(simkit__way *way)
{
    way->link.latency = way->pair->link.latency;
    if (way->pair->link.byte_time > way->link.byte_time) way->link.byte_time = way->pair->link.byte_time;
}

SIMKIT__INLINE void simkit__way_of(const simkit_world *w, const simkit_transfer_desc *desc, simkit__way *way)
{
    simkit__way_links(w, desc, simkit__pair_find(&w->nodes[desc->from - 1], desc->to), way);
    if (way->pair && way->pair->special) simkit__way_special(way);
    if (w->window > 0 || desc->rate_limit > 0) simkit__way_limit(w, desc, way);
}

/* The bandwidth that both directions between two nodes get together; INFINITY: no limit. */
static double simkit__pair_limit(const simkit_world *w, simkit_node a, simkit_node b)
{
    double bandwidth[2];
    simkit_transfer_desc desc;
    memset(&desc, 0, sizeof desc);
    for (int back = 0; back < 2; ++back) {
        simkit__way way;
        desc.from = back ? b : a;
        desc.to = back ? a : b;
        simkit__way_links(w, &desc, simkit__pair_find(&w->nodes[desc.from - 1], desc.to), &way);
        if (way.pair && way.pair->special) simkit__way_special(&way);
        bandwidth[back] = 1 / way.link.byte_time;
    }
    return netmodel_duplex(bandwidth[0], bandwidth[1], w->pair_duplex);
}

/* Returns true if a transfer needs a list of ports. */
SIMKIT__INLINE bool simkit__is_routed(const simkit_world *w, const simkit_transfer_desc *desc, const simkit__way *way)
{
    if (desc->from == desc->to) return false;
    return way->count > 0 || (desc->weight > 0 && !simkit__same(desc->weight, 1)) || way->limit < (double)INFINITY ||
           w->duplexes || (way->pair && way->pair->port != SIMKIT_NONE);
}

/* Both directions between two nodes: a port that is made when it is first needed; NONE. False without memory. */
static bool simkit__pair_both(simkit_world *w, simkit_node a, simkit_node b, uint32_t *port)
{
    *port = SIMKIT_NONE;
    if (!(w->pair_duplex > 0 && w->pair_duplex < 2)) return true;
    simkit__pair *pair = simkit__pair_make(w, &w->nodes[(a < b ? a : b) - 1], a < b ? b : a);
    if (!pair) return false;
    if (pair->both == SIMKIT_NONE) {
        if (!simkit__ports_reserve(w, 1)) return false;
        pair->both = simkit__port_again(w, simkit__pair_limit(w, a, b));
    }
    *port = pair->both;
    return true;
}

typedef struct simkit__list { /* of the ports that a transfer is going to pass */
    uint32_t *ports;          /* ports[count]; NONE, the last: its limit */
    size_t count;
    double limit; /* INFINITY: none */
} simkit__list;

/* Lists the ports of a transfer: those of the nodes if they limit it, or feel it. The list is valid until the next one. */
static bool simkit__routed_list(simkit_world *w, const simkit_transfer_desc *desc, const simkit__way *way,
                                simkit__list *list)
{
    const simkit__node *from = &w->nodes[desc->from - 1], *to = &w->nodes[desc->to - 1];
    const uint32_t own = way->pair ? way->pair->port : SIMKIT_NONE;
    const bool direct = way->pair && way->pair->direct;
    uint32_t both;
    while (simkit__count(w->listed)) simkit__drop(w->listed);
    if (!simkit__reserve(w, w->listed, 2 * way->count + 7)) return false;
    if (from->desc.cpu_per_outgoing > 0 || (!direct && from->byte_time[SIMKIT__UP] > 0))
        simkit__push(w->listed, direct ? from->direct[SIMKIT__UP] : from->ports[SIMKIT__UP]);
    if (!direct && from->ports[SIMKIT__BOTH] != SIMKIT_NONE) simkit__push(w->listed, from->ports[SIMKIT__BOTH]);
    for (size_t i = 0; i < way->count; ++i) {
        const simkit__wire *wire = &w->wires[way->route[i] / 2];
        simkit__push(w->listed, wire->ports[way->route[i] % 2]);
        if (wire->ports[SIMKIT__BOTH] != SIMKIT_NONE) simkit__push(w->listed, wire->ports[SIMKIT__BOTH]);
    }
    if (!direct && to->ports[SIMKIT__BOTH] != SIMKIT_NONE) simkit__push(w->listed, to->ports[SIMKIT__BOTH]);
    if (to->desc.cpu_per_incoming > 0 || (!direct && to->byte_time[SIMKIT__DOWN] > 0))
        simkit__push(w->listed, direct ? to->direct[SIMKIT__DOWN] : to->ports[SIMKIT__DOWN]);
    if (own != SIMKIT_NONE) simkit__push(w->listed, own);
    if (!simkit__pair_both(w, desc->from, desc->to, &both)) return false;
    if (both != SIMKIT_NONE) simkit__push(w->listed, both);
    if (way->limit < (double)INFINITY) simkit__push(w->listed, SIMKIT_NONE);
    list->ports = w->listed;
    list->count = simkit__count(w->listed);
    list->limit = way->limit;
    return true;
}

/* Memory for a flow with these ports; makes its limit a port. */
static bool simkit__routed_reserve(simkit_world *w, const simkit__list *list)
{
    const bool limited = list->limit < (double)INFINITY;
    if (!simkit__hops_reserve(w, (uint32_t)list->count + 1)) return false;
    if (limited && w->free_port == SIMKIT_NONE) {
        if (!simkit__ports_reserve(w, 1)) return false;
        const uint32_t number = simkit__port_add(w, (double)INFINITY);
        w->ports[number].is_limit = true;
        w->ports[number].of.next = SIMKIT_NONE;
        w->free_port = number;
    }
    for (size_t i = 0; i < list->count; ++i) {
        const uint32_t number = list->ports[i] == SIMKIT_NONE ? w->free_port : list->ports[i];
        if (!simkit__port_promise(w, &w->ports[number])) return false;
    }
    return simkit__bottlenecks_promise(w);
}

/* Gives a flow its ports, for which there is memory. */
static void simkit__routed_take(simkit_world *w, uint32_t index, const simkit__list *list, double weight)
{
    simkit__flow *flow = simkit__flow_at(w, index);
    flow->routed = true;
    flow->hop_count = (uint16_t)list->count;
    flow->ends[0].port = simkit__hops_take(w, flow->hop_count + 1u) + 1;
    memcpy(&w->hops[flow->ends[0].port - 1], &weight, sizeof weight);
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        uint32_t number = list->ports[i];
        if (number == SIMKIT_NONE) {
            number = w->free_port;
            simkit__port *port = &w->ports[number];
            w->free_port = port->of.next;
            simkit__port_bandwidth(w, number, list->limit);
        }
        w->hops[flow->ends[0].port + i].port = number;
        ++w->ports[number].promised;
    }
}

/*=============================================================================
 * MARK: - >>links (body)
 *
 * Adding links, routes over them, and what changes during a run: their bandwidths, failures and returns. A route is a list of
 * links in the pair of its nodes.
 *===========================================================================*/
SIMKIT_API simkit_result simkit_link_add(simkit_world *world, const simkit_link_desc *desc, simkit_link *link)
{
    simkit_link_desc given;
    char counted[32], *name;
    memset(&given, 0, sizeof given);
    if (link) *link = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (desc) given = *desc;
    const size_t place = simkit__count(world->wires);
    const char *called = simkit__called(world, "link", given.name, place + 1);
    const simkit_result result = simkit__link_check(world, called, given.bandwidth, given.latency, "infinitely fast");
    if (result != SIMKIT_OK) return result;
    if (!simkit__is_duplex(given.duplex)) return simkit__bad_duplex(world, called, given.duplex);
    snprintf(counted, sizeof counted, "link %lu", (unsigned long)place + 1);
    if (place >= SIMKIT__ROUTED || !simkit__reserve(world, world->wires, 1) || !simkit__ports_reserve(world, 3) ||
        !(name = simkit__name_again(&world->store, place < simkit__left(world->wires) ? world->wires[place].name : NULL,
                                    given.name && *given.name ? given.name : counted)))
        return simkit__no_memory(world, "a link");
    simkit__wire_add(world, name, given.bandwidth, given.latency, given.duplex);
    if (link) *link = (simkit_link)place + 1;
    return SIMKIT_OK;
}

SIMKIT_API simkit_link simkit_link_count(const simkit_world *world)
{
    return world ? (simkit_link)simkit__count(world->wires) : 0;
}

SIMKIT_API const char *simkit_link_name(const simkit_world *world, simkit_link link)
{
    return world && link >= 1 && link <= simkit__count(world->wires) ? world->wires[link - 1].name : "no link";
}

/* Later transfers of a pair cross another port than those that have started, which keep theirs. */
static void simkit__pair_port_drop(simkit_world *w, uint32_t *port)
{
    if (*port == SIMKIT_NONE) return;
    w->ports[*port].is_limit = true;
    if (w->ports[*port].promised == 0) {
        w->ports[*port].of.next = w->free_port;
        w->free_port = *port;
    }
    *port = SIMKIT_NONE;
}

/* The way between two nodes is another one: so is what both its directions get together. */
static void simkit__pair_both_drop(simkit_world *w, simkit_node a, simkit_node b)
{
    simkit__pair *pair = simkit__pair_find(&w->nodes[(a < b ? a : b) - 1], a < b ? b : a);
    if (pair) simkit__pair_port_drop(w, &pair->both);
}

static simkit_result simkit__route_check(simkit_world *w, simkit_node from, simkit_node to, const simkit_hop *hops,
                                         size_t count)
{
    if (!simkit__node_of(w, from) || !simkit__node_of(w, to))
        return simkit__unknown_node(w, "route", "", simkit__node_of(w, from) ? to : from);
    const char *called =
        simkit__words(w, "the route from %s to %s", simkit__called_node(w, from), simkit__called_node(w, to));
    if (from == to)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "a route leads from %s to itself", simkit__called_node(w, from));
    if (count > 0 && !hops) return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s needs its links", called);
    if (count > SIMKIT_ROUTE_LINKS)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s has %lu links, but may have at most %lu", called,
                            (unsigned long)count, (unsigned long)SIMKIT_ROUTE_LINKS);
    for (size_t i = 0; i < count; ++i) {
        if (!simkit__wire_of(w, hops[i].link)) return simkit__unknown_link(w, called, hops[i].link);
        for (size_t k = 0; k < i; ++k)
            if (hops[k].link == hops[i].link)
                return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s crosses %s twice", called,
                                    simkit__called_link(w, hops[i].link));
    }
    return SIMKIT_OK;
}

/* Writes a route for which there is memory. */
static void simkit__route_write(simkit__pair *pair, const simkit_hop *hops, size_t count, bool back, bool direct)
{
    while (simkit__count(pair->route)) simkit__drop(pair->route);
    for (size_t i = 0; i < count; ++i) {
        const simkit_hop hop = hops[back ? count - 1 - i : i];
        simkit__push(pair->route, 2 * (hop.link - 1) + (hop.back != back));
    }
    pair->direct = direct;
}

static simkit_result simkit__route_set(simkit_world *world, simkit_node from, simkit_node to, const simkit_hop *hops,
                                       size_t count, bool both, bool direct)
{
    const int directions = both ? 2 : 1;
    for (int back = 0; back < directions; ++back) { /* first the memory for both */
        simkit__pair *pair = simkit__pair_make(world, &world->nodes[(back ? to : from) - 1], back ? from : to);
        if (!pair || !simkit__reserve(world, pair->route, count > 0 ? count : 1))
            return simkit__no_memory(world, "a route");
    }
    for (int back = 0; back < directions; ++back)
        simkit__route_write(simkit__pair_find(&world->nodes[(back ? to : from) - 1], back ? from : to), hops, count,
                            back != 0, direct);
    simkit__pair_both_drop(world, from, to);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_route_set(simkit_world *world, simkit_node from, simkit_node to, const simkit_hop *hops,
                                          size_t count, bool both)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    const simkit_result result = simkit__route_check(world, from, to, hops, count);
    return result == SIMKIT_OK ? simkit__route_set(world, from, to, hops, count, both, false) : result;
}

/* The ports of a node at which transfers on direct routes are counted, because they take its CPU. False without memory. */
static bool simkit__direct_open(simkit_world *w, simkit__node *node)
{
    for (int side = SIMKIT__UP; side <= SIMKIT__DOWN; ++side) {
        const double cpu = side == SIMKIT__UP ? node->desc.cpu_per_outgoing : node->desc.cpu_per_incoming;
        if (!(cpu > 0) || node->direct[side] != SIMKIT_NONE) continue;
        if (!simkit__ports_reserve(w, 1)) return false;
        node->direct[side] = simkit__port_add(w, (double)INFINITY);
        w->ports[node->direct[side]].node = (simkit_node)(node - w->nodes) + 1;
        w->ports[node->direct[side]].down = side == SIMKIT__DOWN;
    }
    return true;
}

SIMKIT_API size_t simkit_route_get(const simkit_world *world, simkit_node from, simkit_node to, simkit_hop *hops,
                                   size_t room)
{
    const simkit_node nodes = simkit_node_count(world);
    size_t count;
    if (from == 0 || from > nodes || to == 0 || to > nodes || from == to || !world->wires) return 0;
    const simkit__node *node = &world->nodes[from - 1];
    const uint32_t *route = simkit__route_of(world, simkit__pair_find(node, to), node, &world->nodes[to - 1], &count);
    for (size_t i = 0; i < count && i < room; ++i) {
        hops[i].link = route[i] / 2 + 1;
        hops[i].back = route[i] % 2 != 0;
    }
    return count;
}

SIMKIT_API simkit_result simkit_route_direct(simkit_world *world, simkit_node from, simkit_node to,
                                             const simkit_hop *hops, size_t count, bool both)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    const simkit_result result = simkit__route_check(world, from, to, hops, count);
    if (result != SIMKIT_OK) return result;
    if (count == 0)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "the direct route from %s to %s needs a link",
                            simkit__called_node(world, from), simkit__called_node(world, to));
    if (!simkit__direct_open(world, &world->nodes[from - 1]) || !simkit__direct_open(world, &world->nodes[to - 1]))
        return simkit__no_memory(world, "a route");
    return simkit__route_set(world, from, to, hops, count, both, true);
}

/* A port gets another bandwidth during a run. */
static void simkit__port_set(simkit_world *w, uint32_t number, double bandwidth)
{
    if (!(w->ports[number].bandwidth < (double)INFINITY))
        w->maxmin.fill = true; /* nothing is known of those that pass */
    simkit__port_bandwidth(w, number, bandwidth);
    if (w->policy != SIMKIT_SHARING_EQUAL) simkit__bottleneck_changed(w, number);
    simkit__port_change(w, number);
}

/* Computes the limits of both directions between two nodes anew, because a link has changed. */
static void simkit__pairs_change(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->nodes); ++i)
        for (size_t k = 0; k < simkit__count(w->nodes[i].pairs); ++k) {
            const simkit__pair *pair = &w->nodes[i].pairs[k];
            if (pair->both == SIMKIT_NONE) continue;
            const simkit__port *port = &w->ports[pair->both];
            const double limit = simkit__pair_limit(w, (simkit_node)i + 1, pair->to);
            if (limit < (double)INFINITY && !simkit__same(port->bandwidth, limit))
                simkit__port_set(w, pair->both, limit);
        }
}

SIMKIT_API simkit_result simkit_link_change(simkit_world *world, simkit_link link, double bandwidth, double latency)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__wire *wire = simkit__wire_of(world, link);
    if (!wire) return simkit__unknown_link(world, "a change", link);
    const char *called = simkit__called_link(world, link);
    const simkit_result result = simkit__link_check(world, called, bandwidth, latency, NULL);
    if (result != SIMKIT_OK) return result;
    if (!(bandwidth > 0))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT,
                            "bandwidth of %s would be 0: a link that carries nothing has failed (simkit_link_fail())",
                            called);
    wire->latency = latency;
    if (simkit__same(wire->bandwidth, bandwidth)) return SIMKIT_OK;
    if (world->unsettled) simkit__settle(world);
    if (world->probed & SIMKIT__PROBE_LINKS) simkit__probes_link(world, link, SIMKIT_PROBE_BANDWIDTH);
    wire->bandwidth = bandwidth;
    simkit__port_set(world, wire->ports[0], bandwidth);
    simkit__port_set(world, wire->ports[1], bandwidth);
    if (wire->ports[SIMKIT__BOTH] != SIMKIT_NONE)
        simkit__port_set(world, wire->ports[SIMKIT__BOTH], netmodel_duplex(bandwidth, bandwidth, wire->duplex));
    if (world->pair_duplex > 0 && world->pair_duplex < 2) simkit__pairs_change(world);
    return SIMKIT_OK;
}

static bool simkit__flow_crosses(const simkit_world *w, const simkit__flow *flow, const simkit__wire *wire)
{
    for (uint32_t i = 0; i < flow->hop_count; ++i)
        if (simkit__flow_hops(w, flow)[i].port == wire->ports[0] ||
            simkit__flow_hops(w, flow)[i].port == wire->ports[1])
            return true;
    return false;
}

/* Two lists of flows, each in the order in which they were started, become one. */
static uint32_t simkit__flows_merge(simkit_world *w, uint32_t one, uint32_t other)
{
    uint32_t first = SIMKIT_NONE, *end = &first;
    while (one != SIMKIT_NONE && other != SIMKIT_NONE) {
        uint32_t *next = simkit__flow_at(w, one)->label < simkit__flow_at(w, other)->label ? &one : &other;
        *end = *next;
        end = simkit__flow_next(simkit__flow_at(w, *end));
        *next = *end;
    }
    *end = one != SIMKIT_NONE ? one : other;
    return first;
}

/* Puts a list of flows into the order in which they were started: list i is empty or has 2^i of those before. */
static uint32_t simkit__flows_sort(simkit_world *w, uint32_t first)
{
    uint32_t lists[32], sorted = SIMKIT_NONE;
    for (int i = 0; i < 32; ++i) lists[i] = SIMKIT_NONE;
    while (first != SIMKIT_NONE) {
        uint32_t list = first;
        int i = 0;
        first = *simkit__flow_next(simkit__flow_at(w, first));
        *simkit__flow_next(simkit__flow_at(w, list)) = SIMKIT_NONE;
        for (; i < 31 && lists[i] != SIMKIT_NONE; lists[i++] = SIMKIT_NONE)
            list = simkit__flows_merge(w, lists[i], list);
        lists[i] = simkit__flows_merge(w, lists[i], list);
    }
    for (int i = 0; i < 32; ++i) sorted = simkit__flows_merge(w, lists[i], sorted);
    return sorted;
}

/* Adds a flow that crosses a failing link to those that are lost, with all that wait behind it on its connection. */
static void simkit__flow_lose(simkit_world *w, uint32_t index, simkit__line *lost)
{
    const simkit__flow *flow = simkit__flow_at(w, index);
    if (flow->in_order) {
        simkit__pair *pair = simkit__pair_find(&w->nodes[flow->from - 1], flow->to);
        simkit__line before = simkit__no_line, *waiting = &pair->waiting;
        bool waits = false;
        for (uint32_t k = waiting->first; k != SIMKIT_NONE && !waits; k = *simkit__flow_next(simkit__flow_at(w, k)))
            waits = k == index;
        while (waits && waiting->first != index)
            simkit__line_add(&before, simkit__in_flows(w), simkit__line_take(waiting, simkit__in_flows(w)));
        if (waits) (void)simkit__line_take(waiting, simkit__in_flows(w));
        for (uint32_t k; (k = simkit__line_take(waiting, simkit__in_flows(w))) != SIMKIT_NONE;) {
            simkit__flow_at(w, k)->failed = true; /* it is on the list */
            simkit__line_add(lost, simkit__in_flows(w), k);
        }
        *waiting = before;
        if (!waits) pair->busy = false; /* it was in progress */
    }
    simkit__flow_at(w, index)->failed = true;
    simkit__line_add(lost, simkit__in_flows(w), index);
}

SIMKIT_API simkit_result simkit_link_fail(simkit_world *world, simkit_link link)
{
    simkit__line lost = simkit__no_line;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__wire *wire = simkit__wire_of(world, link);
    if (!wire) return simkit__unknown_link(world, "a failure", link);
    if (wire->failed)
        return simkit__fail(world, SIMKIT_LINK_FAILED, "%s has failed already", simkit__called_link(world, link));
    if (world->unsettled) simkit__settle(world); /* no flow joins now: `lost` is a line of the same kind */
    if (world->probed & SIMKIT__PROBE_LINKS) simkit__probes_link(world, link, SIMKIT_PROBE_FAILURE);
    wire->failed = true;
    ++world->broken;
    for (uint32_t i = 0; i < simkit__pool_count(world->flows); ++i) {
        const simkit__flow *flow = simkit__flow_at(world, i);
        if (flow->from == 0 || flow->failed || !simkit__flow_crosses(world, flow, wire)) continue;
        simkit__flow_lose(world, i, &lost);
    }
    for (uint32_t i = simkit__flows_sort(world, lost.first), next; i != SIMKIT_NONE; i = next) {
        next = *simkit__flow_next(simkit__flow_at(world, i));
        simkit__flow_cut(world, i, true); /* its timer calls `lost` at this instant, before the shares are settled */
    }
    for (uint32_t i = 0; i < simkit__pool_count(world->flows);
         ++i) { /* last: watchers may use up the stack of a process */
        simkit__flow *flow = simkit__flow_at(world, i);
        if (flow->from == 0 || !flow->link_failed || flow->told) continue;
        flow->told = true;
        simkit__flow_emit(world, i, SIMKIT_PHASE_LOST);
    }
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_link_repair(simkit_world *world, simkit_link link)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__wire *wire = simkit__wire_of(world, link);
    if (!wire) return simkit__unknown_link(world, "a repair", link);
    if (wire->failed && world->probed & SIMKIT__PROBE_LINKS) simkit__probes_link(world, link, SIMKIT_PROBE_REPAIR);
    if (wire->failed) --world->broken;
    wire->failed = false;
    return SIMKIT_OK;
}

SIMKIT_API double simkit_link_bandwidth(const simkit_world *world, simkit_link link, bool *failed)
{
    const bool there = world && link >= 1 && link <= simkit__count(world->wires);
    if (failed) *failed = there && world->wires[link - 1].failed;
    return there ? world->wires[link - 1].bandwidth : (double)NAN;
}

/*=============================================================================
 * MARK: - >>profiles (private)
 *
 * Bandwidths of links that follow tables: each row is a change, a failure or a return, by a timer that keeps no run alive.
 *===========================================================================*/
/* The table that a link follows; its rows come behind it. */
typedef struct simkit__course {
    size_t count, at; /* rows; the next */
    double period;    /* 0: none */
    double round;     /* of the next: how many periods later */
    uint32_t timer;
} simkit__course;

static size_t simkit__course_bytes(size_t count)
{
    return sizeof(simkit__course) + count * sizeof(simkit_link_point);
}

static void simkit__course_free(simkit_world *w, simkit__wire *wire)
{
    if (wire->course) simkit__release(&w->store, wire->course, simkit__course_bytes(wire->course->count));
    wire->course = NULL;
}

static simkit_link_point *simkit__course_rows(simkit__course *course)
{
    return (simkit_link_point *)(course + 1);
}

/* When its next row counts; INFINITY after the last. */
static double simkit__course_time(simkit__course *course)
{
    if (course->at == course->count) return (double)INFINITY;
    return simkit__course_rows(course)[course->at].time + simkit__product(course->round, course->period);
}

/* Takes the next row. */
static double simkit__course_next(simkit__course *course)
{
    const double bandwidth = simkit__course_rows(course)[course->at++].bandwidth;
    if (course->at == course->count && course->period > 0) {
        course->at = 0;
        course->round += 1;
    }
    return bandwidth;
}

/* A link gets the bandwidth of a row. */
static void simkit__course_take(simkit_world *w, simkit_link link, double bandwidth)
{
    simkit_result result = SIMKIT_OK;
    if (bandwidth > 0) {
        result = simkit_link_repair(w, link);
        if (result == SIMKIT_OK) result = simkit_link_change(w, link, bandwidth, w->wires[link - 1].latency);
    } else if (!w->wires[link - 1].failed) {
        result = simkit_link_fail(w, link); /* last: watchers may use up the stack of a process */
    }
    SIMKIT_ASSERT(result == SIMKIT_OK);
    (void)result;
}

static void simkit__course_due(simkit_world *w, uint32_t index)
{
    const simkit_link link = index + 1;
    simkit__course *course = w->wires[link - 1].course;
    const double bandwidth = simkit__course_next(course), next = simkit__course_time(course);
    if (next <= w->now)
        w->ending = simkit__too_late(w, "the rows of the table", simkit__called_link(w, link), course->period);
    else
        simkit__timer_arm_background(w, course->timer, next);
    simkit__course_take(w, link, bandwidth);
}

/* Skips the rows before now. Gives the bandwidth of the last; negative: there is none. */
static double simkit__course_begin(const simkit_world *w, simkit__course *course)
{
    const double first = simkit__course_rows(course)[0].time;
    double bandwidth = -1;
    if (course->period > 0 && w->now >= first + course->period) {
        course->round = floor((w->now - first) / course->period);
        if (simkit__course_time(course) > w->now) { /* by rounding */
            course->round -= 1;
            course->at = course->count - 1;
        }
    }
    for (size_t i = 0; i <= course->count && simkit__course_time(course) <= w->now; ++i)
        bandwidth = simkit__course_next(course);
    return bandwidth;
}

static simkit_result simkit__course_check(simkit_world *w, simkit_link link, const simkit_link_point *points,
                                          size_t count, double period)
{
    if (!simkit__wire_of(w, link)) return simkit__unknown_link(w, "a table", link);
    if (count > 0 && !points)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "the table of %s needs its rows", simkit__called_link(w, link));
    for (size_t i = 0; i < count; ++i) {
        const char *row =
            simkit__words(w, "row %lu of the table of %s", (unsigned long)i + 1, simkit__called_link(w, link));
        const double time = points[i].time;
        if (!simkit__is_amount(time)) return simkit__bad_number(w, "time", row, time);
        if (i > 0 && !(time > points[i - 1].time))
            return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "time of %s is %s s, expected more than the %s s before it",
                                row, simkit__show(w, time), simkit__show(w, points[i - 1].time));
        const simkit_result result = simkit__link_check(w, row, points[i].bandwidth, 0, NULL);
        if (result != SIMKIT_OK) return result;
    }
    const char *called = simkit__called_link(w, link); /* late: there is room for a few such texts */
    if (!simkit__is_amount(period)) return simkit__bad_number(w, "period of the table", called, period);
    if (count > 0 && period > 0 && !(period > points[count - 1].time - points[0].time))
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "the table of %s has a period of %s s, but is %s s long", called,
                            simkit__show(w, period), simkit__show(w, points[count - 1].time - points[0].time));
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_link_follow(simkit_world *world, simkit_link link, const simkit_link_point *points,
                                            size_t count, double period)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    const simkit_result result = simkit__course_check(world, link, points, count, period);
    if (result != SIMKIT_OK) return result;
    simkit__wire *wire = simkit__wire_of(world, link);
    simkit__course *course = NULL;
    double bandwidth = -1;
    if (count > 0) {
        if (count <= (SIZE_MAX - sizeof *course) / sizeof *points && simkit__timers_reserve(world, 1))
            course = (simkit__course *)simkit_store_resize(&world->store, NULL, 0, simkit__course_bytes(count));
        if (!course) return simkit__no_memory(world, "a table of bandwidths");
        memset(course, 0, sizeof *course);
        course->count = count;
        course->period = period;
        memcpy(simkit__course_rows(course), points, count * sizeof *points);
        bandwidth = simkit__course_begin(world, course);
        if (simkit__course_time(course) <= world->now) {
            simkit__release(&world->store, course, simkit__course_bytes(count));
            return simkit__too_late(world, "the rows of the table", simkit__called_link(world, link), period);
        }
    }
    if (wire->course) simkit__timer_free(world, wire->course->timer);
    simkit__course_free(world, wire);
    wire->course = course;
    if (!course) return SIMKIT_OK;
    course->timer = simkit__timer_new(world, SIMKIT__COURSE_TIMER, simkit__user_of(link - 1));
    simkit__timer_arm_background(world, course->timer, simkit__course_time(course));
    if (bandwidth >= 0) simkit__course_take(world, link, bandwidth);
    return SIMKIT_OK;
}

/*=============================================================================
 * MARK: - >>transfers (body)
 *
 * Transfers as the host asks for them: a flow each.
 *===========================================================================*/
SIMKIT_API netmodel_link simkit_transfer_alone(const simkit_world *world, const simkit_transfer_desc *desc)
{
    simkit__way way;
    way.link.latency = way.link.byte_time = (double)NAN;
    const simkit_node nodes = simkit_node_count(world);
    if (desc && desc->from > 0 && desc->from <= nodes && desc->to > 0 && desc->to <= nodes)
        simkit__way_of(world, desc, &way);
    return way.link;
}

/* A pair cannot have a link of its own that is faster than its way, because its transfers cross both. */
SIMKIT__COLD simkit_result simkit__pair_too_fast(simkit_world *w, const simkit_transfer_desc *pair, double byte_time,
                                                 double way)
{
    return simkit__fail(
        w, SIMKIT_BAD_ARGUMENT,
        "the link from %s to %s would be faster than the way between them, which carries %s B/s: a "
        "cable beside the links of the nodes is a link on a direct route (simkit_route_direct(), or 'direct "
        "= yes' in a machine file)%s",
        simkit__called_node(w, pair->from), simkit__called_node(w, pair->to), simkit__show(w, 1 / way),
        byte_time > 0 ? "" : "; a byte time of SIMKIT_OF_WAY sets the latency only");
}

SIMKIT_API simkit_result simkit_pair_set(simkit_world *world, simkit_node from, simkit_node to,
                                         const netmodel_link *link)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__node *node = simkit__node_of(world, from);
    if (!node || !simkit__node_of(world, to)) return simkit__unknown_node(world, "link", "", node ? to : from);
    const bool as_the_way[2] = { link && simkit__same(link->latency, SIMKIT_OF_WAY),
                                 link && simkit__same(link->byte_time, SIMKIT_OF_WAY) };
    if (!link || !(simkit__is_amount(link->latency) || as_the_way[0]) ||
        !(simkit__is_amount(link->byte_time) || as_the_way[1]))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT,
                            "the link from %s to %s needs a latency and a byte time that are finite and not negative",
                            simkit__called_node(world, from), simkit__called_node(world, to));
    if (link->byte_time > 1 && !world->slow_links)
        return simkit__fail(
            world, SIMKIT_BAD_ARGUMENT,
            "the link from %s to %s has a byte time of %s s/B, which looks like a bandwidth: its byte time "
            "would be %s s/B (simkit_world_desc.slow_links allows more than 1 s/B)",
            simkit__called_node(world, from), simkit__called_node(world, to), simkit__show(world, link->byte_time),
            simkit__show(world, 1 / link->byte_time));
    simkit__pair *pair = simkit__pair_make(world, node, to);
    if (!pair) return simkit__no_memory(world, "a link");
    simkit__way way;
    simkit_transfer_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.from = from;
    desc.to = to;
    simkit__way_links(world, &desc, pair, &way);
    const netmodel_link own = { as_the_way[0] ? way.link.latency : link->latency, as_the_way[1] ? 0 : link->byte_time };
    const bool shared = from != to && !as_the_way[1] && own.byte_time > 0; /* it is a port */
    if (from != to && !as_the_way[1] && own.byte_time < way.link.byte_time * (1 - 1e-12))
        return simkit__pair_too_fast(world, &desc, own.byte_time, way.link.byte_time);
    if (shared && !simkit__ports_reserve(world, 1)) return simkit__no_memory(world, "a link");
    simkit__pair_port_drop(world, &pair->port);
    simkit__pair_both_drop(world, from, to);
    if (shared) pair->port = simkit__port_again(world, simkit__bandwidth_of(own.byte_time));
    pair->special = true;
    pair->link = own;
    return SIMKIT_OK;
}

static const char *simkit__called_transfer(simkit_world *w, const char *name, simkit_node from, simkit_node to)
{
    return name && *name ? simkit__called(w, "transfer", name, 0)
                         : simkit__words(w, "the transfer from %s to %s", simkit__called_node(w, from),
                                         simkit__called_node(w, to));
}

SIMKIT__INLINE bool simkit__is_weight(double weight)
{
    return (weight >= 1e-6 && weight <= 1e6) || (weight <= 0 && weight >= 0);
}

SIMKIT__COLD simkit_result simkit__bad_size(simkit_world *w, const simkit_transfer_desc *desc)
{
    const char *called = simkit__called_transfer(w, desc->name, desc->from, desc->to);
    if (!simkit__is_bandwidth(w, desc->rate_limit))
        return simkit__bad_bandwidth(w, "rate limit", called, desc->rate_limit, "no limit");
    if (!simkit__is_weight(desc->weight))
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "weight of %s is %s, but must be from 1e-6 to 1e6, or 0", called,
                            simkit__show(w, desc->weight));
    return simkit__bad_number(w, "size", simkit__called_transfer(w, desc->name, desc->from, desc->to), desc->bytes);
}

/* Some link of the world has failed: perhaps one on this way. */
SIMKIT__COLD simkit_result simkit__way_check(simkit_world *w, const simkit_transfer_desc *desc, const simkit__way *way)
{
    for (size_t i = 0; i < way->count; ++i)
        if (w->wires[way->route[i] / 2].failed)
            return simkit__fail(w, SIMKIT_LINK_FAILED, "%s crosses %s, which has failed",
                                simkit__called_transfer(w, desc->name, desc->from, desc->to),
                                simkit__called_link(w, way->route[i] / 2 + 1));
    return SIMKIT_OK;
}

/* Checks that a transfer can begin, and finds its way. */
SIMKIT__INLINE simkit_result simkit__transfer_check(simkit_world *w, const simkit_transfer_desc *desc, simkit__way *way)
{
    const simkit__node *from = simkit__node_of(w, desc->from), *to = simkit__node_of(w, desc->to);
    if (!from || !to) return simkit__unknown_node(w, "transfer", desc->name, from ? desc->to : desc->from);
    if (from->failed || to->failed)
        return simkit__failed_node(w, "transfer", desc->name, from->failed ? desc->from : desc->to);
    if (!simkit__is_amount(desc->bytes) || !simkit__is_bandwidth(w, desc->rate_limit) ||
        !simkit__is_weight(desc->weight))
        return simkit__bad_size(w, desc);
    simkit__way_of(w, desc, way);
    return w->broken > 0 ? simkit__way_check(w, desc, way) : SIMKIT_OK;
}

/* Returns true if a transfer takes no time, and waits for no others on its connection. */
SIMKIT__INLINE bool simkit__transfer_is_instant(const simkit_transfer_desc *desc, const simkit__way *way)
{
    return !desc->in_order && way->link.latency <= 0 && (desc->bytes <= 0 || way->link.byte_time <= 0);
}

/* Starts a transfer that was checked; `end` is told at its end. Gives its handle before anything can happen to it. */
static simkit_result simkit__transfer(simkit_world *world, const simkit_transfer_desc *desc, const simkit__end *end,
                                      const simkit__way *way, simkit_transfer *transfer)
{
    simkit__node *from = simkit__node_of(world, desc->from), *to = simkit__node_of(world, desc->to);
    simkit__pair *pair = NULL;
    bool routed = simkit__is_routed(world, desc, way);
    simkit__list list = { NULL, 0, (double)INFINITY };
    if (routed && !simkit__routed_list(world, desc, way, &list)) return simkit__no_memory(world, "a transfer");
    routed = list.count > 0;
    if ((desc->in_order && !(pair = simkit__pair_make(world, from, desc->to))) ||
        !simkit__pool_reserve(world, flows, simkit__flow, free_flow) ||
        !simkit__pool_room(world, requests, simkit__request, simkit__pool_count(world->flows)) ||
        !simkit__timers_reserve(world, 2) || /* one for the port of a limit */
        (routed ? !simkit__routed_reserve(world, &list)
                : desc->from != desc->to && !simkit__ports_promise(world, from, to)))
        return simkit__no_memory(world, "a transfer");
    const char *name = NULL;
    if (world->watched & SIMKIT_WATCH_TRANSFER) {
        simkit__texts_tidy(world);
        name = desc->name;
        if (!simkit__keep_name(world, &name, false)) return simkit__no_memory(world, "the name of a transfer");
    }

    const uint32_t index = world->free_flow,
                   timer = simkit__timer_new(world, SIMKIT__FLOW_TIMER, simkit__user_of(index));
    simkit__flow *flow = simkit__flow_at(world, index);
    world->free_flow = *simkit__flow_next(flow);
    memset(flow, 0, sizeof *flow);
    flow->from = desc->from;
    flow->to = desc->to;
    flow->in_order = desc->in_order;
    flow->timer = timer;
    flow->hop_count = desc->from == desc->to ? 0 : 2;
    flow->ends[SIMKIT__UP].port = from->ports[SIMKIT__UP];
    flow->ends[SIMKIT__DOWN].port = to->ports[SIMKIT__DOWN];
    flow->mark = way->link.latency;
    flow->left = way->link.byte_time > 0 ? desc->bytes : 0;
    simkit__request *request = simkit__request_at(world, index);
    request->begin = world->now;
    request->bytes = desc->bytes;
    request->byte_time = way->link.byte_time;
    request->name = name;
    simkit__text_use(name);
    request->end = *end;
    if (routed) simkit__routed_take(world, index, &list, desc->weight > 0 ? desc->weight : 1);
    flow->label = world->labels++;
    if (transfer) *transfer = simkit__labelled(world, index, flow->label);
    ++world->foreground;
    const bool begins = !pair || !pair->busy;
    if (begins) {
        if (pair) pair->busy = true;
        simkit__timer_arm(world, timer, world->now + flow->mark);
    } else {
        simkit__line_add(&pair->waiting, simkit__in_flows(world), index);
    }
    simkit__flow_emit(world, index, SIMKIT_PHASE_REQUESTED); /* last: a watcher may use up the stack of a process */
    if (begins) simkit__flow_emit(world, index, SIMKIT_PHASE_BEGIN);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_transfer_start(simkit_world *world, const simkit_transfer_desc *desc,
                                               simkit_transfer *transfer)
{
    if (transfer) *transfer = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a transfer needs a description");
    simkit__way way;
    const simkit__end end = { desc->done, desc->lost, desc->user, SIMKIT__HOST };
    const simkit_result result = simkit__transfer_check(world, desc, &way);
    return result == SIMKIT_OK ? simkit__transfer(world, desc, &end, &way, transfer) : result;
}

/* Cancels a transfer. Gives the next on its connection, which begins then; NONE. */
static uint32_t simkit__flow_cancel(simkit_world *w, uint32_t index)
{
    const simkit__flow flow = *simkit__flow_at(w, index);
    uint32_t next = SIMKIT_NONE;
    if (w->probed & SIMKIT__PROBE_TRANSFERS) simkit__probes_gone(w, index, simkit__flow_at(w, index)->label, false);
    if (flow.member)
        simkit__flow_break(w, index);
    else if (simkit__line_remove(&w->settling.joining, simkit__in_flows(w), index))
        simkit__flow_count(w, &flow, -1);
    if (!simkit__flow_unqueue(w, index)) next = simkit__connection_next(w, &flow);
    simkit__flow_free(w, index, simkit__flow_at(w, index));
    return next;
}

/* The flow of a transfer; NONE: it has ended, or takes no time. */
SIMKIT__INLINE uint32_t simkit__flow_of(const simkit_world *w, simkit_transfer transfer)
{
    const uint32_t index = simkit__handle_index(transfer);
    if (!w || transfer == 0 || index >= simkit__pool_count(w->flows)) return SIMKIT_NONE;
    const simkit__flow *flow = simkit__flow_at(w, index);
    return flow->from != 0 && simkit__labelled(w, index, flow->label) == transfer ? index : SIMKIT_NONE;
}

SIMKIT_API bool simkit_transfer_get(const simkit_world *world, simkit_transfer transfer, simkit_transfer_state *state)
{
    const uint32_t index = simkit__flow_of(world, transfer);
    if (!state) return index != SIMKIT_NONE;
    memset(state, 0, sizeof *state);
    if (index == SIMKIT_NONE) return false;
    const simkit__flow *flow = simkit__flow_at(world, index);
    const simkit__request *request = simkit__request_at(world, index);
    state->from = flow->from;
    state->to = flow->to;
    state->bytes = request->bytes;
    state->lost = flow->failed;
    state->flows = flow->flowing && !flow->failed;
    state->left = simkit__flow_left(world, index);
    if (flow->member)
        state->rate = simkit__flow_rate(world, index);
    else if (state->flows && flow->from == flow->to)
        state->rate = simkit__flow_own_rate(request);
    return true;
}

/* The direction of a link that a port is; false if it is none that has a bandwidth. */
static bool simkit__port_crossing(const simkit__port *port, simkit_crossing *crossing)
{
    const uint32_t channel = port->is_limit ? 0 : port->of.channel;
    crossing->node = port->node;
    crossing->link = channel / 2;
    crossing->back = channel ? channel % 2 != 0 : port->down;
    return (port->node != 0 || channel != 0) && port->bandwidth < (double)INFINITY;
}

SIMKIT_API size_t simkit_transfer_crosses(const simkit_world *world, simkit_transfer transfer,
                                          simkit_crossing *crossings, size_t room)
{
    simkit_crossing crossing;
    size_t count = 0;
    const uint32_t index = simkit__flow_of(world, transfer);
    if (index == SIMKIT_NONE) return 0;
    const simkit__flow *flow = simkit__flow_at(world, index);
    for (uint32_t i = 0; i < flow->hop_count; ++i) {
        if (!simkit__port_crossing(&world->ports[simkit__flow_hops(world, flow)[i].port], &crossing)) continue;
        if (count < room) crossings[count] = crossing;
        ++count;
    }
    return count;
}

/* All transfers from and to a failed node are lost, with those behind them. */
static void simkit__transfers_cut(simkit_world *w, simkit_node failed)
{
    for (uint32_t i = 0; i < simkit__pool_count(w->flows); ++i) {
        const simkit__flow *flow = simkit__flow_at(w, i);
        if (flow->from == 0 || flow->failed || (flow->from != failed && flow->to != failed)) continue;
        if (flow->in_order) simkit__pair_find(&w->nodes[flow->from - 1], flow->to)->waiting = simkit__no_line;
        simkit__flow_cut(w, i, false);
        simkit__flow_emit(w, i, SIMKIT_PHASE_LOST);
    }
}

/* All that flows need is empty, or at the end of a world free. */
static void simkit__flows_empty(simkit_world *w, bool close)
{
    simkit__maxmin *m = &w->maxmin;
#define SIMKIT__EMPTY(array) (void)(close ? (void)simkit__discard(w, array) : simkit__array_clear(array))
    for (size_t i = 0; i < simkit__extent(w->nodes); ++i) {
        for (size_t k = 0; k < simkit__count(w->nodes[i].pairs); ++k) simkit__discard(w, w->nodes[i].pairs[k].route);
        SIMKIT__EMPTY(w->nodes[i].pairs);
    }
    for (size_t i = 0; i < simkit__extent(w->ports); ++i) {
        SIMKIT__EMPTY(w->ports[i].members);
        SIMKIT__EMPTY(w->ports[i].group.tags);
    }
    for (size_t i = 0; i < simkit__count(w->wires); ++i) simkit__course_free(w, &w->wires[i]);
    for (size_t level = 0; level < SIMKIT__DUE_LEVELS; ++level) SIMKIT__EMPTY(w->dues.entries[level]);
    simkit__discard(w, w->free_hops); /* its presence says that some flow was routed */
    SIMKIT__EMPTY(w->hops);
    SIMKIT__EMPTY(w->listed);
    SIMKIT__EMPTY(w->route);
    SIMKIT__EMPTY(w->channels);
    SIMKIT__EMPTY(w->rates);
    SIMKIT__EMPTY(w->settling.affected);
    SIMKIT__EMPTY(w->settling.ports);
    SIMKIT__EMPTY(m->ports);
    SIMKIT__EMPTY(m->sums);
    SIMKIT__EMPTY(m->order);
    SIMKIT__EMPTY(m->marked);
    SIMKIT__EMPTY(m->blocks);
    SIMKIT__EMPTY(m->heap);
    SIMKIT__EMPTY(m->fresh);
#undef SIMKIT__EMPTY
}

static void simkit__reset_flows(simkit_world *w)
{
    simkit__maxmin *m = &w->maxmin;
    simkit__flows_empty(w, false);
    simkit__array_leave(w->wires);
    simkit__array_leave(w->ports);
    m->first = m->few_count = 0;
    m->members = 0;
    m->fill = false;
    if (w->flows) w->flows->count = 0;
}

static void simkit__close_flows(simkit_world *w)
{
    simkit__flows_empty(w, true);
    for (size_t i = 0; i < simkit__extent(w->wires); ++i) simkit__free_text(&w->store, w->wires[i].name);
    simkit__discard(w, w->wires);
    simkit__discard(w, w->ports);
    simkit__release(&w->store, w->topology, sizeof *w->topology);
    simkit__pool_discard(w, flows, simkit__flow);
    simkit__pool_discard(w, requests, simkit__request);
}

/*=============================================================================
 * MARK: - >>deliveries (private)
 *
 * Messages on their way and in mailboxes. A mailbox has messages that have arrived or receivers that wait, never both.
 * A message that takes time is a flow; one that takes none is a step of its own.
 *===========================================================================*/
typedef struct simkit__mailbox {
    char *name;
    simkit_node node;
    bool closed;
    simkit__line deliveries, receivers;
    size_t bound;         /* of the deliveries; 0: none so far */
    size_t entering;      /* deliveries that have been let in, by an event of their own */
    simkit__line outside; /* deliveries that wait for room */
} simkit__mailbox;

typedef struct simkit__delivery {
    uint32_t next;
    simkit_mailbox to;
    simkit_message message;
    simkit__end end;
    /* A message that takes no time is no flow, but an event of its own, with: */
    uint32_t timer; /* 1 + its number, kept for the next message in this place; 0: none so far */
    bool travels, failed;
    bool outside, enters; /* of a bounded mailbox: waits for room, has been let in */
    const char *name;
    uint64_t label;
} simkit__delivery;

typedef struct simkit__receiver {
    uint32_t next;
    uint32_t generation;
    uint32_t timer;    /* of a process: the process's own */
    uint32_t delivery; /* the message it was given; NONE: the mailbox was closed */
    uint32_t waiter;   /* of a wait for any of several: 1 + its number; else 0 */
    simkit_mailbox at;
    simkit_message_call *receive; /* NULL: a process, which frees its receiver itself */
    void *user;
} simkit__receiver;

SIMKIT__INLINE simkit__mailbox *simkit__mailbox_of(const simkit_world *w, simkit_mailbox mailbox)
{
    return mailbox >= 1 && mailbox <= simkit__count(w->mailboxes) ? &w->mailboxes[mailbox - 1] : NULL;
}

SIMKIT__COLD simkit_result simkit__mailbox_refuses(simkit_world *w, simkit_mailbox mailbox, const char *what)
{
    const simkit__mailbox *box = simkit__mailbox_of(w, mailbox);
    const unsigned long mailboxes = (unsigned long)simkit__count(w->mailboxes);
    if (box)
        return simkit__fail(w, SIMKIT_MAILBOX_CLOSED, "%s: %s on %s is closed", what,
                            simkit__called(w, "mailbox", box->name, mailbox), simkit__called_node(w, box->node));
    if (mailboxes > 1)
        return simkit__fail(w, SIMKIT_UNKNOWN_MAILBOX, "%s names mailbox %lu, but the mailboxes are 1 .. %lu", what,
                            (unsigned long)mailbox, mailboxes);
    return simkit__fail(w, SIMKIT_UNKNOWN_MAILBOX, "%s names mailbox %lu, but there is %s", what,
                        (unsigned long)mailbox, mailboxes ? "only mailbox 1" : "none");
}

/* SIMKIT_OK if the mailbox exists and is open. */
SIMKIT__INLINE simkit_result simkit__mailbox_check(simkit_world *w, simkit_mailbox mailbox, const char *what)
{
    const simkit__mailbox *box = simkit__mailbox_of(w, mailbox);
    return box && !box->closed ? SIMKIT_OK : simkit__mailbox_refuses(w, mailbox, what);
}

SIMKIT__INLINE void simkit__delivery_free(simkit_world *w, uint32_t index)
{
    w->deliveries[index].next = w->free_delivery;
    w->free_delivery = index;
}

/* That of a process, which has no handle. */
SIMKIT__INLINE void simkit__receiver_put(simkit_world *w, uint32_t index)
{
    w->receivers[index].next = w->free_receiver;
    w->free_receiver = index;
}

SIMKIT__INLINE void simkit__receiver_free(simkit_world *w, uint32_t index)
{
    if (++w->receivers[index].generation == UINT32_MAX) return; /* worn out: its handles could come again */
    simkit__receiver_put(w, index);
}

/* Adds the message that a receiver gets to the fingerprint; NULL: its mailbox was closed. */
static void simkit__message_emit(simkit_world *w, uint64_t receiver, const simkit_message *message)
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

/* A receiver, for which there is memory. */
SIMKIT__INLINE uint32_t simkit__receiver_new(simkit_world *w, uint32_t timer, simkit_mailbox at,
                                             simkit_message_call *receive, void *user)
{
    const uint32_t index = w->free_receiver;
    simkit__receiver *receiver = &w->receivers[index];
    w->free_receiver = receiver->next;
    simkit__pass(w, SIMKIT_PROBE_RECEIVER, SIMKIT__LEFT, index, at);
    receiver->timer = timer;
    receiver->delivery = SIMKIT_NONE;
    receiver->waiter = 0;
    receiver->receive = receive;
    receiver->user = user;
    receiver->at = at;
    return index;
}

/* Lets messages that wait outside into a bounded mailbox, as far as there is room; all of them if it is closed. */
SIMKIT__COLD void simkit__deliveries_enter(simkit_world *w, simkit__mailbox *box)
{
    while (box->outside.count && (box->closed || !box->bound || box->deliveries.count + box->entering < box->bound)) {
        simkit__delivery *delivery = &w->deliveries[simkit__line_take(&box->outside, simkit__in_array(w->deliveries))];
        delivery->outside = false;
        delivery->enters = true;
        ++box->entering;
        simkit__timer_arm_now(w, delivery->timer - 1);
    }
}

/* Takes the first message out of a mailbox, or NONE. */
SIMKIT__INLINE uint32_t simkit__delivery_take(simkit_world *w, simkit__mailbox *box)
{
    const uint32_t index = simkit__line_take(&box->deliveries, simkit__in_array(w->deliveries));
    if (box->outside.count) simkit__deliveries_enter(w, box);
    return index;
}

/* Watchers see a transfer. */
SIMKIT__INLINE void simkit__delivery_emit(simkit_world *w, const simkit__delivery *delivery, simkit_phase phase)
{
    if (!(w->watched & SIMKIT_WATCH_TRANSFER)) return;
    simkit_watch_event event = simkit__event(SIMKIT_WATCH_TRANSFER, phase, delivery->message.sent, delivery->name,
                                             delivery->message.from, delivery->label);
    event.bytes = delivery->message.bytes;
    event.to = w->mailboxes[delivery->to - 1].node;
    simkit__emit(w, event);
}

/* A message that takes no time; NONE: it is not in transit, or the handle is not its own. */
static uint32_t simkit__delivery_of(const simkit_world *w, uint32_t index, simkit_transfer transfer)
{
    if (index >= simkit__count(w->deliveries)) return SIMKIT_NONE;
    const simkit__delivery *delivery = &w->deliveries[index];
    const bool its = simkit__labelled(w, index | SIMKIT__INSTANT, delivery->label) == transfer;
    return delivery->travels && its ? index : SIMKIT_NONE;
}

#ifndef SIMKIT_NO_PROCESSES
/* Returns true if a delivery calls nobody when it is due: then it can run on any stack. */
SIMKIT__INLINE bool simkit__delivery_is_quiet(const simkit_world *w, uint32_t index)
{
    const simkit__delivery *delivery = &w->deliveries[index];
    return delivery->end.whom == SIMKIT__HOST && !delivery->end.done && !delivery->failed;
}
#endif

static bool simkit__delivery_timer(simkit_world *w, uint32_t index)
{
    simkit__delivery *delivery = &w->deliveries[index];
    if (!delivery->timer)
        delivery->timer = 1 + simkit__timer_new(w, SIMKIT__DELIVERY_TIMER, simkit__user_of(index)); /* 1 + NONE is 0 */
    return delivery->timer;
}

/* Reserves memory for a message, and a timer if it takes no time or may have to wait outside the mailbox. */
SIMKIT__INLINE bool simkit__delivery_reserve(simkit_world *w, bool timed)
{
    if (!simkit__slots_reserve(w, deliveries, free_delivery)) return false;
    return !timed || w->deliveries[w->free_delivery].timer || simkit__delivery_timer(w, w->free_delivery);
}

/*=============================================================================
 * MARK: - >>waiters (private)
 *
 * Who gets what. Waking a waiter arms a timer and calls nobody, so it can happen anywhere. Of the things that a process waits
 * for, the first that comes withdraws the others; what one of them was given goes on to the next, who may be woken in turn.
 * So all that can be waited for stands here together: messages in a mailbox, units of a resource, signals, ends.
 *===========================================================================*/
static void simkit__waiter_wake(simkit_world *w, uint32_t index, simkit_result result);
static void simkit__waiter_withdraw(simkit_world *w, uint32_t index);

static void simkit__waiter_due(simkit_world *w, uint32_t index)
{
    const simkit__waiter waiter = w->waiters[index];
    simkit__timer_free(w, waiter.timer);
    simkit__waiter_free(w, index);
    simkit__pass(w, SIMKIT_PROBE_WAIT, SIMKIT__TAKEN, index, 0);
    if (w->watched & SIMKIT__WATCH_MESSAGE) {
        const uint64_t words[] = { simkit__bits(w->now), SIMKIT__WATCH_WAIT, index, (uint64_t)waiter.result };
        simkit__fold(w, words, sizeof words / sizeof words[0]);
    }
    waiter.call(w, waiter.user, waiter.result);
}

/* A new waiter with a callback, or NONE. */
static uint32_t simkit__waiter_new(simkit_world *w, simkit_wait_call *call, void *user)
{
    if (!simkit__slots_reserve(w, waiters, free_waiter)) return SIMKIT_NONE;
    const uint32_t timer = simkit__timer_new(w, SIMKIT__WAITER_TIMER, simkit__user_of(w->free_waiter));
    if (timer == SIMKIT_NONE) return SIMKIT_NONE;
    const uint32_t index = simkit__waiter_take(w, call, user);
    simkit__pass(w, SIMKIT_PROBE_WAIT, SIMKIT__LEFT, index, 0);
    w->waiters[index].timer = timer;
    return index;
}

/* A message for one of several things that a process waits for; NONE: the mailbox was closed. */
static void simkit__waiter_receives(simkit_world *w, uint32_t index, uint32_t delivery)
{
    simkit__waiter *waiter = &w->waiters[index];
    simkit__receiver_free(w, waiter->receiver);
    waiter->receiver = SIMKIT_NONE;
    waiter->delivery = delivery;
    simkit__waiter_wake(w, index, delivery == SIMKIT_NONE ? SIMKIT_MAILBOX_CLOSED : SIMKIT_OK);
}

/* Gives a message to the first receiver, if there is one; NONE: the mailbox was closed. */
SIMKIT__INLINE bool simkit__delivery_give(simkit_world *w, simkit__mailbox *box, uint32_t index)
{
    uint32_t receiver = simkit__line_take(&box->receivers, simkit__in_array(w->receivers));
    if (receiver == SIMKIT_NONE) return false;
    if (w->receivers[receiver].waiter) {
        simkit__waiter_receives(w, w->receivers[receiver].waiter - 1, index);
        return true;
    }
    w->receivers[receiver].delivery = index;
    simkit__timer_arm_now(w, w->receivers[receiver].timer);
    return true;
}

/* A message has come into a mailbox, if that is open. */
static void simkit__delivery_put(simkit_world *w, simkit__mailbox *box, uint32_t index)
{
    if (box->closed) {
        simkit__delivery_free(w, index);
        return;
    }
    simkit__pass(w, SIMKIT_PROBE_MESSAGE, SIMKIT__LEFT, index, w->deliveries[index].to);
    if (!simkit__delivery_give(w, box, index))
        simkit__line_add(&box->deliveries, simkit__in_array(w->deliveries), index);
}

/* Takes back a message that its receiver has not seen: the next receiver gets it, or it is the first in the mailbox. */
static void simkit__delivery_return(simkit_world *w, uint32_t index)
{
    simkit__mailbox *box = &w->mailboxes[w->deliveries[index].to - 1];
    if (box->closed)
        simkit__delivery_free(w, index);
    else if (!simkit__delivery_give(w, box, index))
        simkit__line_return(&box->deliveries, simkit__in_array(w->deliveries), index);
}

/* Cancels a receiver that has not seen its message, if it has one already. */
static void simkit__receiver_withdraw(simkit_world *w, uint32_t index)
{
    const simkit__receiver receiver = w->receivers[index];
    if (receiver.delivery == SIMKIT_NONE) { /* it may have been told that the mailbox was closed */
        simkit__line_remove(&w->mailboxes[receiver.at - 1].receivers, simkit__in_array(w->receivers), index);
        simkit__receiver_free(w, index);
        return;
    }
    simkit__receiver_free(w, index);
    simkit__delivery_return(w, receiver.delivery);
}

#ifndef SIMKIT_NO_PROCESSES
/* Cancels all that a process waits for, except one. */
static void simkit__process_withdraw(simkit_world *w, simkit__process *process, uint32_t except)
{
    uint32_t index = process->waiters;
    process->waiters = SIMKIT_NONE;
    while (index != SIMKIT_NONE) {
        const uint32_t next = w->waiters[index].sibling;
        if (index != except) simkit__waiter_withdraw(w, index);
        index = next;
    }
}

/* One of the things that it waits for has come: the process runs by an event of its own. */
static void simkit__process_chosen(simkit_world *w, void *user, uint32_t waiter, simkit_result result)
{
    simkit__process *process = (simkit__process *)user;
    process->state = SIMKIT__READY;
    process->answer = result;
    process->chosen = waiter;
    simkit__timer_arm_now(w, process->timer);
    simkit__process_withdraw(w, process, waiter);
}
#endif

static void simkit__waiter_wake(simkit_world *w, uint32_t index, simkit_result result)
{
    simkit__waiter *waiter = &w->waiters[index];
    simkit__waiter_leave(w, index);
    waiter->result = result;
    if (waiter->call) {
        simkit__timer_arm_now(w, waiter->timer);
        return;
    }
#ifndef SIMKIT_NO_PROCESSES
    simkit__process_chosen(w, waiter->user, index, result);
#endif
}

static void simkit__place_wake_all(simkit_world *w, uint32_t place, simkit_result result)
{
    while (w->places[place].first != SIMKIT_NONE) simkit__waiter_wake(w, w->places[place].first, result);
}

/* Whoever waits there is told, and the place is free again. */
static void simkit__place_close(simkit_world *w, uint32_t place, simkit_result result)
{
    w->places[place].units = 0; /* a process that asks there twice withdraws the other request: it lets none pass */
    simkit__place_wake_all(w, place, result);
    simkit__place_free(w, place);
}

/* Gives free units to those at the head of the queue. That a process gets some can make it leave other queues, whose
 * heads can then be served: a list instead of a recursion. */
static void simkit__resource_serve(simkit_world *w, uint32_t index)
{
    if (!w->places[index].serving) {
        w->places[index].serving = true;
        w->places[index].serve_next = w->serve;
        w->serve = index;
    }
    if (w->serves) return;
    w->serves = true;
    while (w->serve != SIMKIT_NONE) {
        const uint32_t now = w->serve;
        w->serve = w->places[now].serve_next;
        w->places[now].serving = false;
        for (uint32_t first;
             (first = w->places[now].first) != SIMKIT_NONE && w->waiters[first].units <= w->places[now].units;) {
            simkit__place *place = &w->places[now];
            simkit__pass_units(w, SIMKIT__TAKEN, now, 1 + first, w->waiters[first].units, place->units);
            place->units -= w->waiters[first].units;
#ifndef SIMKIT_NO_PROCESSES
            if (place->capacity == 1 && !w->waiters[first].call)
                place->holder = simkit__process_number(w->waiters[first].user);
#endif
            simkit__waiter_wake(w, first, SIMKIT_OK);
        }
    }
    w->serves = false;
}

SIMKIT__INLINE void simkit__resource_free_units(simkit_world *w, uint32_t index, uint64_t units)
{
    simkit__place *place = &w->places[index];
    simkit__pass_units(w, SIMKIT__LEFT, index, 0, units, place->units);
    place->units += units;
    place->holder = 0;
    if (place->first != SIMKIT_NONE) simkit__resource_serve(w, index);
}

static void simkit__condition_signal(simkit_world *w, uint32_t index)
{
    const uint32_t first = w->places[index].first;
    if (first == SIMKIT_NONE) return;
    w->waiters[first].signalled = true;
    simkit__waiter_wake(w, first, SIMKIT_OK);
}

/* Cancels a waiter that has not run, and frees it. What it was given goes to the next. */
static void simkit__waiter_withdraw(simkit_world *w, uint32_t index)
{
    const simkit__waiter waiter = w->waiters[index];
    simkit__waiter_leave(w, index);
    if (waiter.timer != SIMKIT_NONE) simkit__timer_free(w, waiter.timer);
    simkit__waiter_free(w, index);
    if (waiter.receiver != SIMKIT_NONE) simkit__receiver_withdraw(w, waiter.receiver);
    if (waiter.delivery != SIMKIT_NONE) simkit__delivery_return(w, waiter.delivery);
    if (waiter.place == SIMKIT_NONE || w->places[waiter.place].generation != waiter.place_generation) return;
    const simkit__place *place = &w->places[waiter.place];
    const simkit__place_kind kind = place->kind;
    const uint64_t taken = place->capacity - place->units; /* somebody else may have released what this one was given */
    if (kind == SIMKIT__RESOURCE && waiter.waits)
        simkit__resource_serve(w, waiter.place); /* it may have been first, and the next may need fewer units */
    else if (kind == SIMKIT__RESOURCE && waiter.result == SIMKIT_OK)
        simkit__resource_free_units(w, waiter.place, waiter.units < taken ? waiter.units : taken);
    else if (kind == SIMKIT__CONDITION && waiter.signalled)
        simkit__condition_signal(w, waiter.place);
}

static bool simkit__waiter_cancel(simkit_world *w, uint32_t index, uint32_t generation)
{
    if (index >= simkit__count(w->waiters) || w->waiters[index].generation != generation) return false;
    if (!w->waiters[index].call) return false;
    simkit__waiter_withdraw(w, index);
    return true;
}

/* A transfer has ended, but the process whose own it is waits on; others that waited at a place are woken. */
static void simkit__end_detach(simkit_world *w, simkit__end *end)
{
    if (end->whom != SIMKIT__PLACE) return;
    const uint32_t place = simkit__index_of(end->user);
    const simkit__end besides = w->places[place].end;
    simkit__place_close(w, place, SIMKIT_OK);
    *end = besides;
}

/*=============================================================================
 * MARK: - >>mailboxes (body)
 *
 * Opening, closing, posting and taking.
 *===========================================================================*/
static void simkit__receiver_due(simkit_world *w, uint32_t index)
{
    const simkit__receiver receiver = w->receivers[index];
    simkit__timer_free(w, receiver.timer);
    simkit__receiver_free(w, index);
    simkit__pass(w, SIMKIT_PROBE_RECEIVER, SIMKIT__TAKEN, index, receiver.at);
    if (receiver.delivery == SIMKIT_NONE) {
        simkit__message_emit(w, index, NULL);
        receiver.receive(w, receiver.user, NULL);
        return;
    }
    simkit_message message = w->deliveries[receiver.delivery].message;
    simkit__pass(w, SIMKIT_PROBE_MESSAGE, SIMKIT__TAKEN, receiver.delivery, receiver.at);
    simkit__delivery_free(w, receiver.delivery);
    simkit__message_emit(w, index, &message);
    receiver.receive(w, receiver.user, &message);
}

/* Leaves a message outside a bounded mailbox if that is full, or others wait there. */
SIMKIT__COLD bool simkit__delivery_waits_outside(simkit_world *w, simkit__mailbox *box, uint32_t index)
{
    simkit__delivery *delivery = &w->deliveries[index];
    if (box->closed || (!box->entering && box->deliveries.count < box->bound)) return false;
    delivery->outside = true;
    simkit__line_add(&box->outside, simkit__in_array(w->deliveries), index);
    simkit__end_detach(w, &delivery->end); /* its transfer has ended */
    return true;
}

static simkit__told simkit__delivery_arrived(simkit_world *w, uint32_t index)
{
    simkit__delivery *delivery = &w->deliveries[index];
    const simkit__end end = delivery->end;
    simkit__mailbox *box = &w->mailboxes[delivery->to - 1];
    delivery->message.arrived = w->now;
    if (box->bound) {
        simkit__pass_order(w);
        if (simkit__delivery_waits_outside(w, box, index)) return simkit__nobody;
    }
    simkit__delivery_put(w, box, index);
    return simkit__tells(w, &end, SIMKIT_OK);
}

/* The transfer of a message was lost; `how` says why. */
static simkit__told simkit__delivery_lost(simkit_world *w, uint32_t index, simkit_result how)
{
    const simkit__end end = w->deliveries[index].end;
    simkit__delivery_free(w, index);
    return simkit__tells(w, &end, how);
}

/* A message has come into a bounded mailbox, in which there is room for it; or the mailbox was closed meanwhile. */
SIMKIT__COLD simkit__told simkit__delivery_enters(simkit_world *w, uint32_t index)
{
    const simkit__delivery delivery = w->deliveries[index];
    simkit__mailbox *box = &w->mailboxes[delivery.to - 1];
    w->deliveries[index].enters = false;
    --box->entering;
    simkit__delivery_put(w, box, index);
    simkit__deliveries_enter(w, box);
    return simkit__tells(w, &delivery.end,
                         box->closed && delivery.end.whom == SIMKIT__PROCESS ? SIMKIT_MAILBOX_CLOSED : SIMKIT_OK);
}

/* The event of a message that takes no time, or of one that comes into a bounded mailbox. */
static simkit__told simkit__delivery_due(simkit_world *w, uint32_t index)
{
    simkit__delivery *delivery = &w->deliveries[index];
    if (delivery->enters) return simkit__delivery_enters(w, index);
    delivery->travels = false;
    simkit__text_drop(delivery->name);
    if (delivery->failed) return simkit__delivery_lost(w, index, SIMKIT_NODE_FAILED);
    simkit__delivery_emit(w, delivery, SIMKIT_PHASE_END);
    return simkit__delivery_arrived(w, index);
}

SIMKIT_API simkit_result simkit_mailbox_open(simkit_world *world, simkit_node node, const char *name,
                                             simkit_mailbox *mailbox)
{
    if (mailbox) *mailbox = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!mailbox) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a mailbox needs a pointer for its handle");
    if (!simkit__node_of(world, node)) return simkit__unknown_node(world, "mailbox", name, node);
    if (simkit__node_of(world, node)->failed) return simkit__failed_node(world, "mailbox", name, node);
    char counted[32];
    size_t place = simkit__count(world->mailboxes);
    if (!name || !*name) {
        snprintf(counted, sizeof counted, "mailbox %lu", (unsigned long)place + 1);
        name = counted;
    }
    simkit__mailbox fresh;
    memset(&fresh, 0, sizeof fresh);
    if (!simkit__reserve(world, world->mailboxes, 1) ||
        !(fresh.name = simkit__name_again(
              &world->store, place < simkit__left(world->mailboxes) ? world->mailboxes[place].name : NULL, name)))
        return simkit__no_memory(world, "a mailbox");
    fresh.node = node;
    fresh.deliveries = fresh.receivers = fresh.outside = simkit__no_line;
    simkit__push(world->mailboxes, fresh);
    *mailbox = (simkit_mailbox)place + 1;
    return SIMKIT_OK;
}

static void simkit__mailbox_shut(simkit_world *w, simkit__mailbox *box)
{
    box->closed = true;
    simkit__pass_order(w);
    for (uint32_t i; (i = simkit__line_take(&box->deliveries, simkit__in_array(w->deliveries))) != SIMKIT_NONE;)
        simkit__delivery_free(w, i);
    while (simkit__delivery_give(w, box, SIMKIT_NONE)) {
    }
    simkit__deliveries_enter(w, box);
}

SIMKIT_API simkit_result simkit_mailbox_bound(simkit_world *world, simkit_mailbox mailbox, size_t messages)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    const simkit_result result = simkit__mailbox_check(world, mailbox, "a bound");
    if (result != SIMKIT_OK) return result;
    for (uint32_t i = 0; messages && i < simkit__count(world->deliveries);
         ++i) /* those on their way may have to wait */
        if (world->deliveries[i].to == mailbox && !simkit__delivery_timer(world, i))
            return simkit__no_memory(world, "the bound of a mailbox");
    simkit__mailbox *box = simkit__mailbox_of(world, mailbox);
    box->bound = messages || !box->bound ? messages : SIZE_MAX; /* so those outside still come first */
    simkit__pass_order(world);
    simkit__deliveries_enter(world, box);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_mailbox_close(simkit_world *world, simkit_mailbox mailbox)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit_result result = simkit__mailbox_check(world, mailbox, "a call to close");
    if (result == SIMKIT_OK) simkit__mailbox_shut(world, simkit__mailbox_of(world, mailbox));
    return result;
}

static void simkit__mailboxes_cut(simkit_world *w, simkit_node failed)
{
    for (size_t i = 0; i < simkit__count(w->mailboxes); ++i)
        if (w->mailboxes[i].node == failed && !w->mailboxes[i].closed) simkit__mailbox_shut(w, &w->mailboxes[i]);
    for (size_t i = 0; i < simkit__count(w->deliveries); ++i) {
        simkit__delivery *delivery = &w->deliveries[i];
        if (!delivery->travels || delivery->failed) continue;
        if (delivery->message.from != failed && w->mailboxes[delivery->to - 1].node != failed) continue;
        delivery->failed = true;
        simkit__timer_arm(w, delivery->timer - 1, w->now);
        if (w->probed & SIMKIT__PROBE_EVENTS) simkit__probes_armed(w, delivery->timer - 1);
        simkit__delivery_emit(w, delivery, SIMKIT_PHASE_LOST);
    }
}

/* Posts a message; `end` is told at its end. Gives its place among the deliveries, and its handle. */
static simkit_result simkit__post(simkit_world *world, const simkit_post_desc *desc, const simkit__end *end,
                                  uint32_t *number, simkit_transfer *handle)
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
    simkit__way way;
    if ((result = simkit__transfer_check(world, &transfer, &way)) != SIMKIT_OK) return result;
    const bool instant = simkit__transfer_is_instant(&transfer, &way);
    const char *name = NULL;
    if (!simkit__delivery_reserve(world, instant || simkit__mailbox_of(world, desc->to)->bound))
        return simkit__no_memory(world, "a message");
    if (instant && world->watched & SIMKIT_WATCH_TRANSFER) {
        simkit__texts_tidy(world);
        name = desc->name;
        if (!simkit__keep_name(world, &name, false)) return simkit__no_memory(world, "the name of a message");
    }
    const uint32_t index = world->free_delivery;
    simkit__delivery *delivery = &world->deliveries[index];
    world->free_delivery = delivery->next;
    delivery->to = desc->to;
    delivery->message.from = desc->from;
    delivery->message.bytes = desc->bytes;
    delivery->message.sent = world->now;
    delivery->message.arrived = (double)NAN;
    delivery->message.data = desc->data;
    delivery->end = *end;
    delivery->travels = false;
    delivery->outside = delivery->enters = false;
    *number = index;
    if (!instant) {
        const simkit__end message = { NULL, NULL, simkit__user_of(index), SIMKIT__MESSAGE };
        result = simkit__transfer(world, &transfer, &message, &way, handle);
        if (result != SIMKIT_OK) simkit__delivery_free(world, index);
        return result;
    }
    delivery->travels = true;
    delivery->failed = false;
    delivery->name = name;
    simkit__text_use(name);
    delivery->label = world->labels++;
    if (handle) *handle = simkit__labelled(world, index | SIMKIT__INSTANT, delivery->label);
    simkit__timer_arm_now(world, delivery->timer - 1);
    if (world->watched & SIMKIT_WATCH_TRANSFER) {
        simkit__delivery_emit(world, delivery, SIMKIT_PHASE_REQUESTED);
        simkit__delivery_emit(world, delivery, SIMKIT_PHASE_BEGIN);
    }
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_mailbox_post(simkit_world *world, const simkit_post_desc *desc,
                                             simkit_transfer *transfer)
{
    uint32_t number;
    if (transfer) *transfer = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a message needs a description");
    const simkit__end end = { desc->done, desc->lost, desc->user, SIMKIT__HOST };
    return simkit__post(world, desc, &end, &number, transfer);
}

SIMKIT_API simkit_result simkit_mailbox_take(simkit_world *world, simkit_mailbox mailbox, simkit_message_call *receive,
                                             void *user, simkit_wait *wait)
{
    if (wait) *wait = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!receive) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a receiver needs a function to call");
    simkit_result result = simkit__mailbox_check(world, mailbox, "a receiver");
    if (result != SIMKIT_OK) return result;
    uint32_t timer = SIMKIT_NONE;
    if (simkit__slots_reserve(world, receivers, free_receiver))
        timer = simkit__timer_new(world, SIMKIT__RECEIVER_TIMER, simkit__user_of(world->free_receiver));
    if (timer == SIMKIT_NONE) return simkit__no_memory(world, "a receiver");
    const uint32_t index = simkit__receiver_new(world, timer, mailbox, receive, user);
    simkit__mailbox *box = simkit__mailbox_of(world, mailbox);
    const uint32_t delivery = simkit__delivery_take(world, box);
    world->receivers[index].delivery = delivery;
    if (wait) *wait = simkit__handle(index | SIMKIT__FOR_MESSAGE, world->receivers[index].generation);
    if (delivery == SIMKIT_NONE)
        simkit__line_add(&box->receivers, simkit__in_array(world->receivers), index);
    else
        simkit__timer_arm_now(world, timer);
    return SIMKIT_OK;
}

SIMKIT_API bool simkit_wait_cancel(simkit_world *world, simkit_wait wait)
{
    if (!simkit__ready(world) || wait == 0) return false;
    uint32_t index = simkit__handle_index(wait);
    const uint32_t generation = (uint32_t)(wait >> 32);
    if (!(index & SIMKIT__FOR_MESSAGE)) {
        if (!simkit__waiter_cancel(world, index, generation)) return false;
    } else {
        index ^= SIMKIT__FOR_MESSAGE;
        if (index >= simkit__count(world->receivers) || world->receivers[index].generation != generation) return false;
        simkit__timer_free(world, world->receivers[index].timer);
        simkit__receiver_withdraw(world, index);
    }
    simkit__pass_order(world);
    return true;
}

SIMKIT_API size_t simkit_mailbox_messages(const simkit_world *world, simkit_mailbox mailbox)
{
    const simkit__mailbox *box = world ? simkit__mailbox_of(world, mailbox) : NULL;
    return box ? box->deliveries.count : 0;
}

/* Takes away what else is lost with a node that fails, but its processes. Continues where it was, if a watcher has used up the
 * stack of the process that let the node fail. */
static void simkit__node_cut_others(simkit_world *w)
{
    const simkit_node failed = w->failing;
    simkit__transfers_cut(w, failed);
    simkit__mailboxes_cut(w, failed);
    if (!(w->watched & SIMKIT_WATCH_NODE) || w->failing_told) return;
    w->failing_told = true;
    simkit__emit(w, simkit__event(SIMKIT_WATCH_NODE, SIMKIT_PHASE_LOST, w->now, w->nodes[failed - 1].name, failed, 0));
}

static void simkit__reset_mailboxes(simkit_world *w)
{
    simkit__array_leave(w->mailboxes);
    simkit__array_clear(w->deliveries);
    simkit__generations_end(w->receivers, simkit__count(w->receivers), sizeof *w->receivers);
    simkit__array_leave(w->receivers);
}

static void simkit__close_mailboxes(simkit_world *w)
{
    for (size_t i = 0; i < simkit__extent(w->mailboxes); ++i) simkit__free_text(&w->store, w->mailboxes[i].name);
    simkit__discard(w, w->mailboxes);
    simkit__discard(w, w->deliveries);
    simkit__discard(w, w->receivers);
}

/*=============================================================================
 * MARK: - >>waiting (body)
 *
 * Resources, conditions and barriers, and waits for them with a callback.
 *===========================================================================*/
/* A place with a name, for which the caller gives a handle. */
static simkit_result simkit__place_open(simkit_world *w, simkit__place_kind kind, const char *name, uint64_t *handle,
                                        uint32_t *index)
{
    char counted[32];
    if (!handle)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "a %s needs a pointer for its handle", simkit__place_kinds[kind]);
    char *copy = NULL;
    *index = simkit__place_new(w, kind);
    if (*index != SIMKIT_NONE) {
        if (!name) {
            snprintf(counted, sizeof counted, "%s %lu", simkit__place_kinds[kind], (unsigned long)w->opened[kind] + 1);
            name = counted;
        }
        copy = simkit__copy_text(&w->store, name);
        if (!copy) simkit__place_free(w, *index);
    }
    if (!copy) return simkit__no_memory(w, simkit__place_kinds[kind]);
    w->places[*index].name = copy;
    ++w->opened[kind];
    *handle = simkit__handle(*index, w->places[*index].generation);
    return SIMKIT_OK;
}

static simkit_result simkit__place_shut(simkit_world *w, simkit__place_kind kind, uint64_t handle)
{
    if (!simkit__ready(w)) return SIMKIT_BAD_ARGUMENT;
    if (!simkit__place_of(w, kind, handle)) return simkit__unknown_place(w, kind, handle);
    simkit__pass_order(w);
    simkit__place_close(w, simkit__handle_index(handle), SIMKIT_CLOSED);
    return SIMKIT_OK;
}

static size_t simkit__place_waiting(const simkit_world *w, simkit__place_kind kind, uint64_t handle)
{
    const simkit__place *place = w ? simkit__place_of(w, kind, handle) : NULL;
    return place ? place->waiting : 0;
}

static simkit_result simkit__units_check(simkit_world *w, const simkit__place *place, uint64_t units)
{
    if (units >= 1 && units <= place->capacity) return SIMKIT_OK;
    return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%.0f units of %s were asked for, expected 1 to %.0f", (double)units,
                        simkit__called_place(w, place), (double)place->capacity);
}

/* A waiter with a callback at a place, or NONE; gives its handle. */
static simkit_result simkit__place_wait(simkit_world *w, simkit__place_kind kind, uint64_t handle, uint64_t units,
                                        simkit_wait_call *call, void *user, simkit_wait *wait, uint32_t *index)
{
    if (wait) *wait = 0;
    if (!simkit__ready(w)) return SIMKIT_BAD_ARGUMENT;
    const simkit__place *place = simkit__place_of(w, kind, handle);
    if (!place) return simkit__unknown_place(w, kind, handle);
    if (!call)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "a wait for %s needs a function to call",
                            simkit__called_place(w, place));
    if (kind == SIMKIT__RESOURCE) {
        const simkit_result result = simkit__units_check(w, place, units);
        if (result != SIMKIT_OK) return result;
    }
    *index = simkit__waiter_new(w, call, user);
    if (*index == SIMKIT_NONE) return simkit__no_memory(w, "a wait");
    if (wait) *wait = simkit__handle(*index, w->waiters[*index].generation);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_resource_open(simkit_world *world, const simkit_resource_desc *desc,
                                              simkit_resource *resource)
{
    uint32_t index;
    simkit_resource_desc zero;
    memset(&zero, 0, sizeof zero);
    if (resource) *resource = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!desc) desc = &zero;
    const uint64_t capacity = desc->capacity ? desc->capacity : 1;
    if (desc->taken > capacity)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "%s has %.0f units, but %.0f are taken at the start",
                            simkit__called(world, "resource", desc->name, 0), (double)capacity, (double)desc->taken);
    const simkit_result result = simkit__place_open(world, SIMKIT__RESOURCE, desc->name, resource, &index);
    if (result != SIMKIT_OK) return result;
    world->places[index].capacity = capacity;
    world->places[index].units = capacity - desc->taken;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_semaphore_open(simkit_world *world, const char *name, uint64_t value,
                                               simkit_resource *resource)
{
    simkit_resource_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = name;
    desc.capacity = UINT64_MAX;
    desc.taken = UINT64_MAX - value;
    return simkit_resource_open(world, &desc, resource);
}

SIMKIT_API simkit_result simkit_resource_close(simkit_world *world, simkit_resource resource)
{
    return simkit__place_shut(world, SIMKIT__RESOURCE, resource);
}

SIMKIT_API simkit_result simkit_resource_acquire(simkit_world *world, simkit_resource resource, uint64_t units,
                                                 int priority, simkit_wait_call *acquired, void *user,
                                                 simkit_wait *wait)
{
    uint32_t index;
    const simkit_result result =
        simkit__place_wait(world, SIMKIT__RESOURCE, resource, units, acquired, user, wait, &index);
    if (result != SIMKIT_OK) return result;
    world->waiters[index].units = units;
    world->waiters[index].priority = priority;
    simkit__waiter_join(world, simkit__handle_index(resource), index);
    simkit__resource_serve(world, simkit__handle_index(resource));
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_resource_release(simkit_world *world, simkit_resource resource, uint64_t units)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    const simkit__place *place = simkit__place_of(world, SIMKIT__RESOURCE, resource);
    if (!place) return simkit__unknown_place(world, SIMKIT__RESOURCE, resource);
    if (units == 0)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "0 units of %s were released",
                            simkit__called_place(world, place));
    const uint64_t taken = place->capacity - place->units;
    if (units > taken)
        return simkit__fail(world, SIMKIT_BAD_CALL,
                            "%.0f units of %s were released, but only %.0f of its %.0f are taken", (double)units,
                            simkit__called_place(world, place), (double)taken, (double)place->capacity);
    simkit__resource_free_units(world, simkit__handle_index(resource), units);
    return SIMKIT_OK;
}

SIMKIT_API uint64_t simkit_resource_available(const simkit_world *world, simkit_resource resource)
{
    const simkit__place *place = world ? simkit__place_of(world, SIMKIT__RESOURCE, resource) : NULL;
    return place ? place->units : 0;
}

SIMKIT_API size_t simkit_resource_waiting(const simkit_world *world, simkit_resource resource)
{
    return simkit__place_waiting(world, SIMKIT__RESOURCE, resource);
}

SIMKIT_API simkit_result simkit_condition_open(simkit_world *world, const char *name, simkit_condition *condition)
{
    uint32_t index;
    if (condition) *condition = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    return simkit__place_open(world, SIMKIT__CONDITION, name, condition, &index);
}

SIMKIT_API simkit_result simkit_condition_close(simkit_world *world, simkit_condition condition)
{
    return simkit__place_shut(world, SIMKIT__CONDITION, condition);
}

SIMKIT_API simkit_result simkit_condition_wait(simkit_world *world, simkit_condition condition,
                                               simkit_wait_call *signalled, void *user, simkit_wait *wait)
{
    uint32_t index;
    const simkit_result result =
        simkit__place_wait(world, SIMKIT__CONDITION, condition, 0, signalled, user, wait, &index);
    if (result == SIMKIT_OK) simkit__waiter_join(world, simkit__handle_index(condition), index);
    return result;
}

SIMKIT_API simkit_result simkit_condition_signal(simkit_world *world, simkit_condition condition)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!simkit__place_of(world, SIMKIT__CONDITION, condition))
        return simkit__unknown_place(world, SIMKIT__CONDITION, condition);
    simkit__condition_signal(world, simkit__handle_index(condition));
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_condition_broadcast(simkit_world *world, simkit_condition condition)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!simkit__place_of(world, SIMKIT__CONDITION, condition))
        return simkit__unknown_place(world, SIMKIT__CONDITION, condition);
    simkit__place_wake_all(world, simkit__handle_index(condition), SIMKIT_OK);
    return SIMKIT_OK;
}

SIMKIT_API size_t simkit_condition_waiting(const simkit_world *world, simkit_condition condition)
{
    return simkit__place_waiting(world, SIMKIT__CONDITION, condition);
}

SIMKIT_API simkit_result simkit_barrier_open(simkit_world *world, const char *name, size_t count,
                                             simkit_barrier *barrier)
{
    uint32_t index;
    if (barrier) *barrier = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (count == 0)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "%s has a count of 0, expected at least 1",
                            simkit__called(world, "barrier", name, 0));
    const simkit_result result = simkit__place_open(world, SIMKIT__BARRIER, name, barrier, &index);
    if (result == SIMKIT_OK) world->places[index].capacity = count;
    return result;
}

SIMKIT_API simkit_result simkit_barrier_close(simkit_world *world, simkit_barrier barrier)
{
    return simkit__place_shut(world, SIMKIT__BARRIER, barrier);
}

SIMKIT_API simkit_result simkit_barrier_arrive(simkit_world *world, simkit_barrier barrier, simkit_wait_call *released,
                                               void *user, simkit_wait *wait)
{
    uint32_t index;
    const simkit_result result = simkit__place_wait(world, SIMKIT__BARRIER, barrier, 0, released, user, wait, &index);
    if (result != SIMKIT_OK) return result;
    const uint32_t place = simkit__handle_index(barrier);
    simkit__waiter_join(world, place, index);
    simkit__pass(world, SIMKIT_PROBE_BARRIER, SIMKIT__LEFT, place, 0);
    if (world->places[place].waiting < world->places[place].capacity) return SIMKIT_OK;
    simkit__pass(world, SIMKIT_PROBE_BARRIER, SIMKIT__TAKEN, place, 0);
    simkit__place_wake_all(world, place, SIMKIT_OK);
    simkit__pass(world, SIMKIT_PROBE_BARRIER, SIMKIT__LEFT, place, 1);
    return SIMKIT_OK;
}

SIMKIT_API size_t simkit_barrier_waiting(const simkit_world *world, simkit_barrier barrier)
{
    return simkit__place_waiting(world, SIMKIT__BARRIER, barrier);
}

static void simkit__reset_places(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->places); ++i) {
        simkit__free_text(&w->store, w->places[i].name);
        w->places[i].name = NULL;
    }
    simkit__generations_end(w->places, simkit__count(w->places), sizeof *w->places);
    simkit__array_leave(w->places);
    simkit__generations_end(w->waiters, simkit__count(w->waiters), sizeof *w->waiters);
    simkit__array_leave(w->waiters);
}

static void simkit__close_places(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->places); ++i) simkit__free_text(&w->store, w->places[i].name);
    simkit__discard(w, w->places);
    simkit__discard(w, w->waiters);
}

#ifndef SIMKIT_NO_PROCESSES
/*=============================================================================
 * MARK: - >>overflows (private)
 *
 * With SIMKIT_CATCH_OVERFLOW, a handler of SIGSEGV and SIGBUS, on Windows of exceptions, turns the fault of an overflow into
 * a result, from the first process of a run to the end of the run. Signals belong to the program and not to a world, so this is
 * the only state of the kit outside worlds: how many runs there are, the handlers before the first of them, and the world that
 * runs in each thread.
 *===========================================================================*/
#if defined(SIMKIT__CATCHES) && defined(_WIN32)
/* Windows asks a list of handlers, on the stack that has overflowed; what is left of its guard is enough for this one. */
struct _EXCEPTION_POINTERS;
typedef long(__stdcall simkit__catch_handler)(struct _EXCEPTION_POINTERS *);
__declspec(dllimport) void *__stdcall AddVectoredExceptionHandler(unsigned long, simkit__catch_handler *);
__declspec(dllimport) unsigned long __stdcall RemoveVectoredExceptionHandler(void *);

#define SIMKIT__CATCH_STACK ((size_t)0)

typedef struct simkit__catch {
    simkit_world *below; /* the world whose process runs this one, or NULL */
    void *handler;
} simkit__catch;

typedef struct simkit__catch_record { /* as in <winnt.h> */
    uint32_t code, flags;
    void *next, *address;
    uint32_t count;
    uintptr_t information[15];
} simkit__catch_record;

static __thread simkit_world *simkit__catch_world;

static long __stdcall simkit__catch_fault(struct _EXCEPTION_POINTERS *found)
{
    const simkit__catch_record *record;
    memcpy(&record, (void *)found, sizeof record);
    const bool fault = record->code == UINT32_C(0xc00000fd) || record->code == UINT32_C(0xc0000005);
    for (simkit_world *w = fault ? simkit__catch_world : NULL; w; w = w->catching->below)
        simkit__process_overflowed(w, (const void *)record->information[1]); /* does not return if it is one */
    return 0;                                                                /* to the next handler */
}

static bool simkit__catch_reserve(simkit_world *w)
{
    if (!w->catching) w->catching = (simkit__catch *)simkit_store_resize(&w->store, NULL, 0, sizeof *w->catching);
    if (w->catching) memset(w->catching, 0, sizeof *w->catching);
    return w->catching;
}

static void simkit__catch_begin(simkit_world *w)
{
    w->catching->below = simkit__catch_world;
    w->catching->handler = AddVectoredExceptionHandler(1, simkit__catch_fault);
    w->catches = true;
    simkit__catch_world = w;
}

static void simkit__catch_end(simkit_world *w)
{
    for (simkit_world *top = simkit__catch_world; w->catches; top = simkit__catch_world) {
        top->catches = false;
        simkit__catch_world = top->catching->below;
        RemoveVectoredExceptionHandler(top->catching->handler);
    }
}
#elif defined(SIMKIT__CATCHES)
#define SIMKIT__CATCH_STACK ((size_t)32 * 1024)
#define SIMKIT__CATCH_LEAST ((size_t)16 * 1024) /* of a stack that the host has installed */

typedef struct simkit__catch {
    simkit_world *below; /* the world whose process runs this one, or NULL */
    stack_t before;      /* the thread's stack for signals */
    bool own_stack;
    /* a stack for signals follows */
} simkit__catch;

static const int simkit__catch_signals[] = { SIGSEGV, SIGBUS };
static struct sigaction simkit__catch_before[2];
static size_t simkit__catch_runs;
static bool simkit__catch_lock;
static __thread simkit_world *simkit__catch_world;

static void simkit__catch_fault(int number, siginfo_t *info, void *context)
{
    const bool fault = info->si_code > 0; /* or somebody has sent it */
    for (simkit_world *w = fault ? simkit__catch_world : NULL; w; w = w->catching->below)
        simkit__process_overflowed(w, info->si_addr); /* does not return if it is one */
    const struct sigaction *before = &simkit__catch_before[number != SIGSEGV];
    const bool informs = (before->sa_flags & SA_SIGINFO) != 0;
    if (!informs && before->sa_handler == SIG_IGN && !fault) return;
    if (!informs && (before->sa_handler == SIG_DFL || before->sa_handler == SIG_IGN)) { /* happens again, and ends it */
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = SIG_DFL;
        sigaction(number, &action, NULL);
        if (!fault) raise(number);
        return;
    }
    sigset_t blocked = before->sa_mask, unblocked;
    if (!(before->sa_flags & SA_NODEFER)) sigaddset(&blocked, number);
    sigprocmask(SIG_BLOCK, &blocked, &unblocked);
    if (informs)
        before->sa_sigaction(number, info, context);
    else
        before->sa_handler(number);
    sigprocmask(SIG_SETMASK, &unblocked, NULL);
}

static bool simkit__catch_is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == simkit__catch_fault;
}

/* One more run, or one less. The handlers of before come back after the last, unless the host has installed others. */
static void simkit__catch_count(bool more)
{
    while (__atomic_test_and_set(&simkit__catch_lock, __ATOMIC_ACQUIRE)) continue;
    const bool changes = more ? simkit__catch_runs++ == 0 : --simkit__catch_runs == 0;
    for (size_t i = 0; i < 2 && changes; ++i) {
        struct sigaction now, ours;
        memset(&ours, 0, sizeof ours);
        ours.sa_sigaction = simkit__catch_fault;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        if (sigaction(simkit__catch_signals[i], NULL, &now) != 0 || simkit__catch_is_ours(&now) == more) continue;
        if (more) simkit__catch_before[i] = now;
        sigaction(simkit__catch_signals[i], more ? &ours : &simkit__catch_before[i], NULL);
    }
    __atomic_clear(&simkit__catch_lock, __ATOMIC_RELEASE);
}

/* Memory for it, before the first process. */
static bool simkit__catch_reserve(simkit_world *w)
{
    if (!w->catching)
        w->catching =
            (simkit__catch *)simkit_store_resize(&w->store, NULL, 0, sizeof *w->catching + SIMKIT__CATCH_STACK);
    if (w->catching) memset(w->catching, 0, sizeof *w->catching);
    return w->catching;
}

static void simkit__catch_begin(simkit_world *w)
{
    simkit__catch *c = w->catching;
    stack_t own;
    memset(&own, 0, sizeof own);
    own.ss_sp = (char *)(c + 1);
    own.ss_size = SIMKIT__CATCH_STACK;
    c->own_stack = sigaltstack(NULL, &c->before) == 0 &&
                   ((c->before.ss_flags & SS_DISABLE) != 0 || c->before.ss_size < SIMKIT__CATCH_LEAST) &&
                   sigaltstack(&own, NULL) == 0;
    c->below = simkit__catch_world;
    w->catches = true;
    simkit__catch_world = w;
    simkit__catch_count(true);
}

/* Ends it for this world, and for those that were run by a process of it that has overflowed. */
static void simkit__catch_end(simkit_world *w)
{
    for (simkit_world *top = simkit__catch_world; w->catches; top = simkit__catch_world) {
        simkit__catch *c = top->catching;
        top->catches = false;
        simkit__catch_world = c->below;
        if (c->own_stack) sigaltstack(&c->before, NULL);
        simkit__catch_count(false);
    }
}
#endif

/*=============================================================================
 * MARK: - >>scheduling (private)
 *
 * Which process runs. The world's loop runs on the host's stack; entering a process switches to its stack until it
 * waits or ends. Then it looks up itself what is due next: if that is a process, it switches there at once, or goes
 * on if it is its own turn; everything else is left to the loop. Processes are woken by steps, so one runs at a time
 * and never inside another. The stack of a process that has ended is freed when the next one runs on its own.
 *===========================================================================*/
static const char *simkit__called_process(simkit__process *process)
{
    return simkit__called(process->world, "process", simkit__process_name(process), 0);
}

static simkit__process *simkit__process_of(const simkit_world *w, simkit_process process)
{
    const uint32_t index = simkit__handle_index(process);
    if (process == 0 || index >= simkit__count(w->slots)) return NULL;
    return w->slots[index].generation == (uint32_t)(process >> 32) ? w->slots[index].process : NULL;
}

/* Wakes those who wait for its end. */
static void simkit__process_tell_end(simkit_world *w, simkit__process *process)
{
    if (process->ending) simkit__place_close(w, process->ending - 1, SIMKIT_OK);
    process->ending = 0;
}

static void simkit__process_free(simkit_world *w, simkit__process *process)
{
    simkit__timer_free(w, process->timer);
    if (process->limit_timer) simkit__timer_free(w, process->limit_timer - 1);
    simkit__process_tell_end(w, process);
    simkit__text_drop(process->name);
    simkit__process_slot *slot = &w->slots[process->slot];
    slot->process = NULL;
    if (++slot->generation != UINT32_MAX) {
        slot->next = w->free_slot;
        w->free_slot = process->slot;
    }
    simkit__stack_put(w, process);
}

SIMKIT__INLINE void simkit__process_emit(simkit__process *process, simkit_phase phase)
{
    simkit_world *w = process->world;
    if (!(w->watched & SIMKIT_WATCH_PROCESS)) return;
    simkit__emit(w, simkit__event(SIMKIT_WATCH_PROCESS, phase, w->now, simkit__process_name(process), process->node,
                                  process->slot + 1));
}

/* Whose own it is does not wait for its end any more; others at a place may. */
static void simkit__end_silence(simkit_world *w, simkit__end *end)
{
    *(end->whom == SIMKIT__PLACE ? &w->places[simkit__index_of(end->user)].end : end) = simkit__no_end;
}

/* The process whose own computation it is does not wait any more for one that is lost already, and only not reported. */
static void simkit__compute_forget(simkit_world *w, simkit__job *job)
{
    simkit__end_silence(w, &job->end);
    if (job->end.whom == SIMKIT__PLACE) return; /* somebody else waits for it */
    w->foreground -= !job->background;
    job->background = true;
}

/* Cancels what a process waits for, or gives back what it was given and has not seen. */
static void simkit__process_forget(simkit_world *w, simkit__process *process)
{
    const uint32_t item = process->item, chosen = process->chosen;
    simkit__timer_disarm(w, process->timer);
    process->item = process->chosen = SIMKIT_NONE;
    simkit__process_withdraw(w, process, SIMKIT_NONE);
    if (chosen != SIMKIT_NONE) simkit__waiter_withdraw(w, chosen);
    if (item == SIMKIT_NONE) return;
    if (process->state == SIMKIT__COMPUTING) {
        if (w->nodes[w->jobs[item].node - 1].failed) {
            simkit__compute_forget(w, &w->jobs[item]);
            return;
        }
        const simkit__job job = simkit__compute_cancel(w, item);
        if (job.end.whom == SIMKIT__PLACE) simkit__place_close(w, simkit__index_of(job.end.user), SIMKIT_CANCELLED);
        simkit__job_emit(w, &job, SIMKIT_PHASE_LOST);
    } else if (process->state == SIMKIT__SENDING) {
        simkit__delivery *delivery = &w->deliveries[item];
        simkit__end_silence(w, &delivery->end);
        if (!delivery->outside) return;
        simkit__line_remove(&w->mailboxes[delivery->to - 1].outside, simkit__in_array(w->deliveries), item);
        delivery->outside = false;
        simkit__delivery_free(w, item);
    } else if (process->state == SIMKIT__RECEIVING) {
        simkit__receiver_withdraw(w, item);
    }
}

static void simkit__processes_cut(simkit_world *w, simkit_node failed);

/* After a switch: frees the stack of a process that has ended. */
static void simkit__arrived(simkit_world *w)
{
    if (!w->ended) return;
    simkit__process *ended = w->ended;
    w->ended = NULL;
    if (ended->state != SIMKIT__ENDED) { /* by an overflow, wherever it was */
        w->current = NULL;
        simkit__process_forget(w, ended);
        simkit__process_emit(ended, SIMKIT_PHASE_END);
        simkit__fail(w, SIMKIT_STACK_OVERFLOW, "%s has used more than its %lu bytes of stack",
                     simkit__called_process(ended), (unsigned long)ended->context.stack_bytes);
#if defined(_WIN32) && defined(SIMKIT__MAPPED)
        if (ended->guarded) ended->guarded = simkit__block_guard(w, ended->block); /* the alarm sounds once */
#endif
    }
    simkit__process_free(w, ended);
    if (!w->failing) return;
    simkit__node_cut_others(w);
    simkit__processes_cut(w, w->failing);
}

/* From one stack, the host's or a process's, to another. Returns when somebody switches back. */
static void simkit__switch(simkit_world *w, simkit__context *from, simkit__context *to, simkit__process *process,
                           bool leaving)
{
    w->left = from;
    simkit__context_switch(from, to, process, leaving, &w->left);
    simkit__arrived(w);
}

/* Gives the processor to a process, from the host's stack. */
static void simkit__process_enter(simkit_world *w, simkit__process *process)
{
    SIMKIT_ASSERT(!w->current);
#ifdef SIMKIT__CATCHES
    if (!w->catches) simkit__catch_begin(w);
#endif
    simkit__process_emit(process, SIMKIT_PHASE_RESUME);
    process->state = SIMKIT__RUNNING;
    w->current = process;
#ifdef SIMKIT__TSAN
    w->home->fiber = __tsan_get_current_fiber();
#endif
#ifdef SIMKIT__FIBERS
    emscripten_fiber_init_from_current_context(&w->home->fiber, w->home->frames, SIMKIT__FRAMES_BYTES);
#endif
    simkit__switch(w, w->home, &process->context, process, false);
}

/* The current process waits or has ended: switches to where the next event happens. */
static void simkit__process_leave(simkit_world *w, bool ends)
{
    simkit__process *process = w->current, *other = NULL;
    if (!simkit__stack_is_sound(process)) simkit__process_overflows(w);
    simkit__process_emit(process, ends ? SIMKIT_PHASE_END : SIMKIT_PHASE_WAIT);
    if (ends) {
        process->state = SIMKIT__ENDED;
        w->ended = process;
        simkit__pass_end(w, SIMKIT__LEFT, process->slot, 0, simkit__process_number(process));
        simkit__process_tell_end(w, process); /* now: the next event may be at a later time */
    }
    for (uint32_t index; (index = simkit__next(w)) != SIMKIT_NONE;) {
        simkit__timer *timer = simkit__timer_at(w, index);
        if (w->steps >= w->mark && w->now <= w->marked) simkit__stand_name(w, simkit__called_process(process));
        const bool here = !w->watched && w->steps < w->mark && !simkit__is_step(timer); /* watchers need stack */
        const bool enters = here && timer->of.kind == SIMKIT__PROCESS_TIMER;
        if (!enters && !(here && timer->of.kind == SIMKIT__DELIVERY_TIMER &&
                         simkit__delivery_is_quiet(w, simkit__index_of(timer->user)))) {
            w->deferred = index;
            break;
        }
        simkit__timer_idle(w, timer);
        ++w->steps;
        if (enters) {
            other = (simkit__process *)timer->user;
            break;
        }
        (void)simkit__delivery_due(w, simkit__index_of(timer->user));
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

/* Notes what a waiter waits for. */
static simkit__noted simkit__waiter_noted(const simkit_world *w, const simkit__waiter *waiter)
{
    simkit__noted noted = { waiter->place, waiter->place_generation, waiter->mailbox, waiter->units };
    if (!waiter->mailbox && w->places[waiter->place].kind == SIMKIT__BARRIER)
        noted.number = w->places[waiter->place].waiting;
    return noted;
}

/* A text, or as much of it as there is room for. */
static void simkit__note_text(char *note, size_t room, const char *text)
{
    const size_t length = strlen(text);
    const size_t kept = length < room ? length : room - 1;
    memcpy(note, text, kept);
    note[kept] = 0;
}

static void simkit__process_note_wait(const simkit_world *w, const simkit__process *process, simkit__unsaid *note)
{
    note->state = process->state;
    note->count = 0;
    if (process->state == SIMKIT__RECEIVING) {
        note->count = 1;
        note->things[0].mailbox = w->receivers[process->item].at;
    } else if (process->state == SIMKIT__SENDING) {
        note->outside = w->deliveries[process->item].outside;
        note->things[0].mailbox = w->deliveries[process->item].to;
    } else if (process->state == SIMKIT__SUSPENDED) {
        simkit__note_text(note->on, sizeof note->on, process->on ? process->on : "");
    } else if (process->state == SIMKIT__WAITING) {
        for (uint32_t i = process->waiters; i != SIMKIT_NONE; i = w->waiters[i].sibling) { /* the last choice first */
            ++note->count;
            if (w->waiters[i].choice < sizeof note->things / sizeof note->things[0])
                note->things[w->waiters[i].choice] = simkit__waiter_noted(w, &w->waiters[i]);
        }
    }
}

/* Keeps for a sentence that a time limit or an interrupt has ended a wait, or that an interrupt came `before` it. */
static void simkit__process_note(simkit_world *w, simkit__process *process, simkit_result result, bool before)
{
    w->told = true;
    w->unsaid.result = result;
    w->unsaid.now = w->now;
    w->unsaid.limit = process->limit;
    w->unsaid.before = before;
    simkit__note_text(w->unsaid.process, sizeof w->unsaid.process, simkit__process_name(process));
    simkit__process_note_wait(w, process, &w->unsaid);
}

/* Returns true if a process waits, and nothing that ends the wait has come. */
static bool simkit__process_waits(const simkit_world *w, const simkit__process *process)
{
    if (process->state == SIMKIT__HOLDING) return true;
    if (process->state == SIMKIT__SENDING && w->deliveries[process->item].enters) return false;
    return process->state >= SIMKIT__COMPUTING && process->state <= SIMKIT__WAITING &&
           !simkit__is_armed(simkit__timer_at(w, process->timer));
}

/* The time limit of a process has passed. */
static void simkit__process_late(simkit_world *w, simkit__process *process)
{
    if (!simkit__process_waits(w, process)) return; /* at the same instant what it waits for has come */
    simkit__process_note(w, process, SIMKIT_TIMED_OUT, false);
    simkit__process_forget(w, process);
    process->answer = SIMKIT_TIMED_OUT;
    simkit__process_enter(w, process);
}

SIMKIT__COLD void simkit__process_arm_limit(simkit_world *w, simkit__process *process)
{
    simkit__timer_arm(w, process->limit_timer - 1, w->now + process->limit);
}

SIMKIT__COLD void simkit__process_disarm_limit(simkit_world *w, simkit__process *process)
{
    simkit__timer_disarm(w, process->limit_timer - 1);
    process->limited = false; /* the mutex of a condition is waited for without one */
}

/* Lets others run; what wakes the process has set the answer. */
SIMKIT__INLINE simkit_result simkit__process_yield(simkit_world *w, simkit__state state)
{
    simkit__process *process = w->current;
    process->state = state;
    process->answer = SIMKIT_OK;
    if (process->limited) simkit__process_arm_limit(w, process);
    simkit__process_leave(w, false);
    if (process->limited) simkit__process_disarm_limit(w, process);
    if (process->answer == SIMKIT_INTERRUPTED) simkit__process_note(w, process, SIMKIT_INTERRUPTED, false);
    return process->answer;
}

/* The node of its computation or of its message has failed, or a link that its message crossed. */
static void simkit__process_lost(simkit_world *w, simkit__process *process, simkit_result how)
{
    if (how == SIMKIT_LINK_FAILED)
        process->answer =
            simkit__fail(w, SIMKIT_LINK_FAILED, "%s sent over a link that has failed", simkit__called_process(process));
    else
        process->answer =
            simkit__fail(w, SIMKIT_NODE_FAILED, "%s %s a node that has failed", simkit__called_process(process),
                         process->state == SIMKIT__COMPUTING ? "computed on" : "sent from or to");
    simkit__process_enter(w, process);
}

/* The bounded mailbox at which its message waited for room was closed. */
static void simkit__process_sent_nowhere(simkit_world *w, simkit__process *process)
{
    const simkit__mailbox *box = &w->mailboxes[w->deliveries[process->item].to - 1];
    process->answer = simkit__fail(w, SIMKIT_MAILBOX_CLOSED, "%s was closed while a message of %s waited there",
                                   simkit__called(w, "mailbox", box->name, 0), simkit__called_process(process));
    simkit__process_enter(w, process);
}

/* The computation or the message of a process was cancelled. */
static void simkit__process_cancelled(simkit_world *w, simkit__process *process)
{
    process->state = SIMKIT__READY;
    process->answer = SIMKIT_CANCELLED;
    simkit__timer_arm_now(w, process->timer);
}

/* The computation or the message that a process waits for has ended. */
SIMKIT__INLINE void simkit__process_told(simkit_world *w, simkit__process *process, simkit_result how)
{
    if (how == SIMKIT_OK)
        simkit__process_enter(w, process);
    else if (how == SIMKIT_CANCELLED)
        simkit__process_cancelled(w, process);
    else if (how == SIMKIT_MAILBOX_CLOSED)
        simkit__process_sent_nowhere(w, process);
    else
        simkit__process_lost(w, process, how);
}

/* Ends a process that waits. */
static void simkit__process_end(simkit_world *w, simkit__process *process)
{
    simkit__process_forget(w, process);
    simkit__process_emit(process, SIMKIT_PHASE_LOST);
    simkit__pass_end(w, SIMKIT__LEFT, process->slot, 0, simkit__process_number(process));
    simkit__process_free(w, process);
}

static void simkit__processes_cut(simkit_world *w, simkit_node failed)
{
    for (size_t i = 0; i < simkit__count(w->slots); ++i) {
        simkit__process *process = w->slots[i].process;
        if (process && process->node == failed && process != w->current) simkit__process_end(w, process);
    }
    w->failing = 0;
    if (w->current && w->current->node == failed) simkit__process_leave(w, true);
}

/*=============================================================================
 * MARK: - >>sentences (private)
 *
 * What processes wait for, in words: when nothing else is left to happen, and when a wait has ended before its time.
 *===========================================================================*/
SIMKIT__FORMAT(2, 3)
static void simkit__add_why(simkit_world *w, const char *format, ...)
{
    size_t used = strlen(w->why);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->why + used, sizeof w->why - used, format, arguments);
    va_end(arguments);
}

static void simkit__add_noted(simkit_world *w, const simkit__noted *noted)
{
    if (noted->mailbox) {
        simkit__add_why(w, " for a message in %s",
                        simkit__called(w, "mailbox", w->mailboxes[noted->mailbox - 1].name, 0));
        return;
    }
    const simkit__place *place = &w->places[noted->place];
    if (place->generation != noted->generation) {
        simkit__add_why(w, " for what has been closed or has ended since");
    } else if (place->kind == SIMKIT__RESOURCE) {
        simkit__add_why(w, " for %.0f unit%s of %s", (double)noted->number, noted->number == 1 ? "" : "s",
                        simkit__called_place(w, place));
        simkit__process *holder = simkit__process_of(w, place->holder);
        if (holder) simkit__add_why(w, ", which %s has", simkit__called_process(holder));
        if (!holder && place->holder) simkit__add_why(w, ", which a process had that has ended");
    } else if (place->kind == SIMKIT__CONDITION) {
        simkit__add_why(w, " for %s", simkit__called_place(w, place));
    } else if (place->kind == SIMKIT__BARRIER) {
        simkit__add_why(w, " at %s, where %.0f of %.0f have arrived", simkit__called_place(w, place),
                        (double)noted->number, (double)place->capacity);
    } else {
        for (size_t i = 0; i < simkit__count(w->slots); ++i)
            if (w->slots[i].process && w->slots[i].process->ending == noted->place + 1) {
                simkit__add_why(w, " for the end of %s", simkit__called_process(w->slots[i].process));
                return;
            }
        simkit__add_why(w, " for the end of a computation or a transfer");
    }
}

/* Adds to a sentence what a process waits for, or waited for. */
static void simkit__add_wait(simkit_world *w, const simkit__unsaid *note)
{
    enum { NAMED = sizeof note->things / sizeof note->things[0] };
    for (size_t i = 0; i < note->count && i < NAMED; ++i) {
        simkit__add_why(w, "%s", i ? ", or" : "");
        simkit__add_noted(w, &note->things[i]);
    }
    if (note->count > NAMED) simkit__add_why(w, ", or for %lu more", (unsigned long)(note->count - NAMED));
    if (note->state == SIMKIT__SUSPENDED && note->on[0]) simkit__add_why(w, " on %s", note->on);
    if (note->state == SIMKIT__SENDING && note->outside)
        simkit__add_why(w, " for room in %s",
                        simkit__called(w, "mailbox", w->mailboxes[note->things[0].mailbox - 1].name, 0));
    else if (note->state == SIMKIT__COMPUTING || note->state == SIMKIT__SENDING)
        simkit__add_why(w, " for the end of its %s", note->state == SIMKIT__SENDING ? "message" : "computation");
}

static void simkit__unsaid_say(simkit_world *w)
{
    const simkit__unsaid note = w->unsaid;
    const char *process = simkit__called(w, "process", note.process, 0);
    simkit__begin_why(w, note.now);
    if (note.result == SIMKIT_INTERRUPTED) {
        simkit__add_why(w, "%s was interrupted%s", process, note.before ? " before this call" : "");
        return;
    }
    simkit__add_why(w, "%s waited", process);
    simkit__add_wait(w, &note);
    simkit__add_why(w, ", until its time limit of %s s had passed", simkit__show(w, note.limit));
}

/* SIMKIT_OK if no process is left; otherwise which processes wait, and for what. */
static simkit_result simkit__deadlock(simkit_world *w)
{
    enum { NAMED = 5 };
    size_t waiting = 0;
    for (size_t i = 0; i < simkit__count(w->slots); ++i)
        if (w->slots[i].process) ++waiting;
    if (waiting == 0) return SIMKIT_OK;
    simkit__fail(w, SIMKIT_DEADLOCK, "no event is left, but %lu process%s wait%s:", (unsigned long)waiting,
                 waiting == 1 ? "" : "es", waiting == 1 ? "s" : "");
    size_t named = 0;
    for (size_t i = 0; i < simkit__count(w->slots) && named < NAMED; ++i) {
        simkit__process *process = w->slots[i].process;
        if (!process) continue;
        simkit__add_why(w, "%s %s", named++ ? ";" : "", simkit__called_process(process));
        if (process->node) simkit__add_why(w, " on %s", simkit__called_node(w, process->node));
        if (process->state == SIMKIT__SUSPENDED) simkit__add_why(w, " is suspended");
        simkit__unsaid note;
        simkit__process_note_wait(w, process, &note);
        simkit__add_wait(w, &note);
    }
    if (waiting > NAMED) simkit__add_why(w, "; and %lu more", (unsigned long)(waiting - NAMED));
    return SIMKIT_DEADLOCK;
}

/*=============================================================================
 * MARK: - >>waits (private)
 *
 * With what each call of a process begins, and how one waits: for an end, at a place, or for the first of several things.
 *===========================================================================*/
/* A new waiter of a process, or NONE. */
static uint32_t simkit__process_waiter(simkit_world *w, simkit__process *process, size_t choice)
{
    if (!simkit__slots_reserve(w, waiters, free_waiter)) return SIMKIT_NONE;
    const uint32_t index = simkit__waiter_take(w, NULL, process);
    simkit__pass(w, SIMKIT_PROBE_WAIT, SIMKIT__LEFT, index, 0);
    w->waiters[index].choice = (uint32_t)choice;
    w->waiters[index].sibling = process->waiters;
    process->waiters = index;
    return index;
}

/* Waits until one of the waiters of a process is woken; gives a copy of it. */
static simkit_result simkit__process_wait_any(simkit_world *w, simkit__process *process, simkit__waiter *woken)
{
    const simkit_result result = simkit__process_yield(w, SIMKIT__WAITING);
    const uint32_t index = process->chosen;
    if (index == SIMKIT_NONE) return result;
    simkit__pass(w, SIMKIT_PROBE_WAIT, SIMKIT__TAKEN, index, 0);
    process->chosen = SIMKIT_NONE;
    *woken = w->waiters[index];
    simkit__waiter_free(w, index);
    if (result == SIMKIT_CLOSED)
        return simkit__fail(w, result, "the %s that %s waited for was closed", simkit__place_kinds[woken->kind],
                            simkit__called_process(process));
    if (result == SIMKIT_CANCELLED)
        return simkit__fail(w, result, "what %s waited for was cancelled", simkit__called_process(process));
    if (result == SIMKIT_NODE_FAILED || result == SIMKIT_LINK_FAILED)
        return simkit__fail(w, result, "what %s waited for is lost, because a %s has failed",
                            simkit__called_process(process), result == SIMKIT_LINK_FAILED ? "link" : "node");
    return result;
}

/* Waits at one place. */
static simkit_result simkit__process_wait_at(simkit_world *w, simkit__process *process, uint32_t place, uint64_t units,
                                             int priority)
{
    simkit__waiter woken;
    const uint32_t index = simkit__process_waiter(w, process, 0);
    if (index == SIMKIT_NONE) return simkit__no_memory(w, "a wait");
    w->waiters[index].units = units;
    w->waiters[index].priority = priority;
    simkit__waiter_join(w, place, index);
    return simkit__process_wait_any(w, process, &woken);
}

/* Takes units if they are free and nobody is before the request. */
SIMKIT__INLINE bool simkit__units_take(simkit_world *w, simkit__place *place, uint64_t units, int priority,
                                       uint64_t holder)
{
    if (units > place->units) return false;
    if (place->first != SIMKIT_NONE && w->waiters[place->first].priority <= priority) return false;
    simkit__pass_units(w, SIMKIT__TAKEN, (uint32_t)(place - w->places), 0, units, place->units);
    if (priority != 0) simkit__pass_order(w);
    place->units -= units;
    if (place->capacity == 1) place->holder = holder;
    return true;
}

static simkit_result simkit__process_acquire(simkit_world *w, simkit__process *process, uint32_t index, uint64_t units,
                                             int priority)
{
    if (simkit__units_take(w, &w->places[index], units, priority, simkit__process_number(process))) return SIMKIT_OK;
    return simkit__process_wait_at(w, process, index, units, priority);
}

/* The place where others wait for the end of a process; NONE without memory. */
static uint32_t simkit__process_end_place(simkit_world *w, simkit__process *process)
{
    if (!process->ending) process->ending = 1 + simkit__place_new(w, SIMKIT__END); /* 1 + NONE is 0 */
    return process->ending - 1;
}

/* Whom a computation tells at its end; NULL: it has ended. */
static simkit__end *simkit__computation_end(simkit_world *w, simkit_computation computation)
{
    const uint32_t index = simkit__computation_of(w, computation);
    return index != SIMKIT_NONE ? &w->jobs[index].end : NULL;
}

static simkit__end *simkit__transfer_end(simkit_world *w, simkit_transfer transfer)
{
    const uint32_t place = simkit__handle_index(transfer);
    if (place & SIMKIT__INSTANT) {
        const uint32_t message = simkit__delivery_of(w, place ^ SIMKIT__INSTANT, transfer);
        return message != SIMKIT_NONE ? &w->deliveries[message].end : NULL;
    }
    const uint32_t index = simkit__flow_of(w, transfer);
    if (index == SIMKIT_NONE) return NULL;
    simkit__end *end = &simkit__request_at(w, index)->end;
    return end->whom == SIMKIT__MESSAGE ? &w->deliveries[simkit__index_of(end->user)].end : end;
}

/* The place where others wait for that end; NONE without memory. */
static uint32_t simkit__end_place(simkit_world *w, simkit__end *end)
{
    if (end->whom == SIMKIT__PLACE) return simkit__index_of(end->user);
    const uint32_t index = simkit__place_new(w, SIMKIT__END);
    if (index == SIMKIT_NONE) return index;
    const simkit__end at_place = { NULL, NULL, simkit__user_of(index), SIMKIT__PLACE };
    w->places[index].end = *end;
    *end = at_place;
    return index;
}

/* The current process has a time limit, or was interrupted; NULL: that was before this call. */
SIMKIT__COLD simkit__process *simkit__process_asks_noted(simkit_world *w, simkit__process *process)
{
    const bool interrupted = process->interrupted;
    process->limited = process->limits;
    process->noted = process->limits = process->interrupted = false;
    if (!interrupted) return process;
    simkit__process_note(w, process, SIMKIT_INTERRUPTED, true);
    return NULL;
}

/* The current process, which has the stack for a call that waits, and has asked for nothing yet; NULL if it was
 * interrupted before. */
SIMKIT__INLINE simkit__process *simkit__process_asks(simkit_world *w)
{
    simkit__process *process = w->current;
    simkit__process_check(w);
    process->item = SIMKIT_NONE;
    process->limited = false;
    return process->noted ? simkit__process_asks_noted(w, process) : process;
}

/* Waits for the end of what was started, if it was. */
SIMKIT__INLINE simkit_result simkit__process_await(simkit__process *process, simkit_result started, simkit__state state,
                                                   const char *what, const char *name)
{
    simkit_world *w = process->world;
    if (started != SIMKIT_OK) {
        process->state = SIMKIT__RUNNING;
        return started;
    }
    const simkit_result result = simkit__process_yield(w, state);
    if (result == SIMKIT_CANCELLED)
        simkit__fail(w, result, "%s of %s was cancelled", simkit__called(w, what, name, 0),
                     simkit__called_process(process));
    return result;
}

SIMKIT__COLD simkit_result simkit__not_in_process(simkit_world *w, const char *call)
{
    return w ? simkit__fail(w, SIMKIT_BAD_CALL, "%s was called outside a process", call) : SIMKIT_BAD_ARGUMENT;
}

SIMKIT__COLD simkit_result simkit__nowhere(simkit__process *process, const char *what)
{
    return simkit__fail(process->world, SIMKIT_UNKNOWN_NODE,
                        "%s is on no node, so it cannot %s: set `node` of simkit_process_desc",
                        simkit__called_process(process), what);
}

/* A process takes its message. */
SIMKIT__INLINE void simkit__process_message(simkit_world *w, const simkit__process *process, uint32_t delivery,
                                            simkit_message *message)
{
    simkit__message_emit(w, process->slot, &w->deliveries[delivery].message);
    simkit__pass(w, SIMKIT_PROBE_MESSAGE, SIMKIT__TAKEN, delivery, w->deliveries[delivery].to);
    if (message) *message = w->deliveries[delivery].message;
    simkit__delivery_free(w, delivery);
}

SIMKIT__COLD simkit_result simkit__receives_nothing(simkit_world *w, simkit__process *process, simkit_mailbox mailbox)
{
    simkit__message_emit(w, process->slot, NULL);
    return simkit__fail(w, SIMKIT_MAILBOX_CLOSED, "%s was closed while %s waited there",
                        simkit__called(w, "mailbox", w->mailboxes[mailbox - 1].name, 0),
                        simkit__called_process(process));
}

/* Returns true if there is such a process, or was. */
static bool simkit__process_existed(const simkit_world *w, simkit_process process)
{
    const uint32_t index = simkit__handle_index(process);
    if (process == 0 || index >= simkit__count(w->slots)) return false;
    const uint32_t generation = (uint32_t)(process >> 32);
    return generation < w->slots[index].generation || simkit__process_of(w, process);
}

SIMKIT__COLD simkit_result simkit__never_a_process(simkit_world *w)
{
    return simkit__fail(w, SIMKIT_UNKNOWN_PROCESS, "a call waits for the end of a process that never existed");
}

/* SIMKIT_OK if a choice can be waited for. */
static simkit_result simkit__choice_check(simkit_world *w, const simkit_choice *c, size_t number)
{
    const int named = (c->mailbox != 0) + (c->resource != 0) + (c->condition != 0) + (c->process != 0) +
                      (c->computation != 0) + (c->transfer != 0);
    if (named != 1)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "choice %lu names %d things to wait for, but must name one",
                            (unsigned long)number, named);
    if (c->mailbox) return simkit__mailbox_check(w, c->mailbox, "a choice");
    if (c->resource) {
        const simkit__place *place = simkit__place_of(w, SIMKIT__RESOURCE, c->resource);
        if (!place) return simkit__unknown_place(w, SIMKIT__RESOURCE, c->resource);
        return simkit__units_check(w, place, c->units ? c->units : 1);
    }
    if (c->condition && !simkit__place_of(w, SIMKIT__CONDITION, c->condition))
        return simkit__unknown_place(w, SIMKIT__CONDITION, c->condition);
    if (c->process && !simkit__process_existed(w, c->process)) return simkit__never_a_process(w);
    if (c->process && simkit__process_of(w, c->process) == w->current)
        return simkit__fail(w, SIMKIT_BAD_CALL, "%s cannot wait for its own end", simkit__called_process(w->current));
    return SIMKIT_OK;
}

/* Takes a thing if it is there already. */
static bool simkit__choice_take(simkit_world *w, const simkit_choice *c, simkit_message *message)
{
    if (c->mailbox) {
        const uint32_t delivery = simkit__delivery_take(w, simkit__mailbox_of(w, c->mailbox));
        if (delivery == SIMKIT_NONE) return false;
        simkit__pass(w, SIMKIT_PROBE_RECEIVER, SIMKIT__LEFT, SIMKIT_NONE, c->mailbox);
        simkit__process_message(w, w->current, delivery, message);
        return true;
    }
    if (c->resource)
        return simkit__units_take(w, simkit__place_of(w, SIMKIT__RESOURCE, c->resource), c->units ? c->units : 1,
                                  c->priority, simkit__process_number(w->current));
    if (c->process) {
        if (simkit__process_of(w, c->process)) return false;
        simkit__pass_end(w, SIMKIT__TAKEN, simkit__handle_index(c->process), 0, c->process);
        return true;
    }
    if (!c->computation && !c->transfer) return false;
    if (c->computation ? simkit__computation_end(w, c->computation) : simkit__transfer_end(w, c->transfer))
        return false;
    simkit__pass_order(w); /* nothing says when it ended */
    return true;
}

/* Begins to wait for a thing; false without memory. */
static bool simkit__choice_begin(simkit_world *w, simkit__process *process, const simkit_choice *c, size_t number)
{
    const uint32_t index = simkit__process_waiter(w, process, number);
    if (index == SIMKIT_NONE) return false;
    if (c->mailbox) {
        if (!simkit__slots_reserve(w, receivers, free_receiver)) return false;
        const uint32_t receiver = simkit__receiver_new(w, process->timer, c->mailbox, NULL, process);
        w->receivers[receiver].waiter = index + 1;
        w->waiters[index].receiver = receiver;
        w->waiters[index].mailbox = c->mailbox;
        simkit__line_add(&simkit__mailbox_of(w, c->mailbox)->receivers, simkit__in_array(w->receivers), receiver);
        return true;
    }
    uint32_t place = SIMKIT_NONE;
    if (c->resource) {
        w->waiters[index].units = c->units ? c->units : 1;
        w->waiters[index].priority = c->priority;
        place = simkit__handle_index(c->resource);
    } else if (c->condition) {
        place = simkit__handle_index(c->condition);
    } else if (c->process) {
        place = simkit__process_end_place(w, simkit__process_of(w, c->process));
    } else {
        place = simkit__end_place(w, c->computation ? simkit__computation_end(w, c->computation)
                                                    : simkit__transfer_end(w, c->transfer));
    }
    if (place == SIMKIT_NONE) return false;
    simkit__waiter_join(w, place, index);
    return true;
}

/*=============================================================================
 * MARK: - >>processes (body)
 *
 * What a process can ask for, and what others can do to it.
 *===========================================================================*/
SIMKIT_API simkit_result simkit_process_kill(simkit_world *world, simkit_process process)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__process *p = simkit__process_of(world, process);
    if (!p) return simkit__fail(world, SIMKIT_UNKNOWN_PROCESS, "the process to kill does not exist, or has ended");
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
    return simkit__process_overflowed(world, address);
}

SIMKIT_API simkit_result simkit_process_start(simkit_world *world, const simkit_process_desc *desc,
                                              simkit_process *process)
{
    if (process) *process = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!desc || !desc->body) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a process needs a body");
    if (desc->node != 0) {
        const simkit__node *node = simkit__node_of(world, desc->node);
        if (!node) return simkit__unknown_node(world, "process", desc->name, desc->node);
        if (node->failed) return simkit__failed_node(world, "process", desc->name, desc->node);
    }
    const size_t stack_bytes = desc->stack_bytes ? desc->stack_bytes : SIMKIT__STACK_BYTES;
    if (stack_bytes < SIMKIT__STACK_LEAST || stack_bytes > SIMKIT__STACK_MOST)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a stack of %lu bytes for %s is not in %lu .. %lu",
                            (unsigned long)desc->stack_bytes, simkit__called(world, "process", desc->name, 0),
                            (unsigned long)SIMKIT__STACK_LEAST, (unsigned long)SIMKIT__STACK_MOST);
#ifdef SIMKIT__CATCHES
    if (!world->catching && !simkit__catch_reserve(world)) return simkit__no_memory(world, "a process");
#endif
    if (!world->home) {
        world->home =
            (simkit__context *)simkit_store_resize(&world->store, NULL, 0, sizeof *world->home + SIMKIT__FRAMES_BYTES);
        if (!world->home) return simkit__no_memory(world, "a process");
        memset(world->home, 0, sizeof *world->home);
#ifdef SIMKIT__FIBERS
        world->home->frames = (char *)(world->home + 1);
#endif
#ifdef SIMKIT__MAPPED
        world->page = simkit__page_bytes();
#endif
    }
    simkit__process *p = NULL;
    const char *name = desc->name;
    simkit__texts_tidy(world);
    if (simkit__keep_name(world, &name, false) && simkit__slots_reserve(world, slots, free_slot) &&
        simkit__timers_reserve(world, 1))
        p = simkit__stack_get(world, stack_bytes);
    if (!p) return simkit__no_memory(world, "a process");
    p->timer = simkit__timer_new(world, SIMKIT__PROCESS_TIMER, p);
    p->slot = world->free_slot;
    simkit__process_slot *slot = &world->slots[p->slot];
    world->free_slot = slot->next;
    slot->process = p;
    p->world = world;
    p->body = desc->body;
    p->user = desc->user;
    p->node = desc->node;
    p->item = p->waiters = p->chosen = SIMKIT_NONE;
    p->name = name;
    simkit__text_use(name);
    if (desc->measure_stack) simkit__stack_paint(p);
    simkit__context_prepare(&p->context, simkit__process_main, p);
    simkit__process_emit(p, SIMKIT_PHASE_BEGIN);
    simkit__timer_arm(world, p->timer, world->now);
    if (process) *process = simkit__handle(p->slot, slot->generation);
    return SIMKIT_OK;
}

SIMKIT_API simkit_process simkit_process_self(const simkit_world *world)
{
    if (!world || !world->current) return 0;
    return simkit__handle(world->current->slot, world->slots[world->current->slot].generation);
}

SIMKIT_API simkit_result simkit_process_wait(simkit_world *world, double seconds)
{
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_wait");
    if (!simkit__process_asks(world)) return SIMKIT_INTERRUPTED;
    if (!simkit__is_amount(seconds) || !simkit__is_amount(world->now + seconds))
        return simkit__fail(world, SIMKIT_BAD_TIME, "%s cannot wait for %s s: expected a finite time, not negative",
                            simkit__called_process(world->current), simkit__show(world, seconds));
    /* the timer of a process that runs is not armed */
    simkit__timer_set(world, world->current->timer, world->now + seconds, 0, SIMKIT__ARMED);
    return simkit__process_yield(world, SIMKIT__HOLDING);
}

SIMKIT_API simkit_result simkit_process_compute(simkit_world *world, const simkit_computation_desc *desc,
                                                simkit_computation *computation)
{
    if (computation) *computation = 0;
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_compute");
    simkit__process *process = simkit__process_asks(world);
    if (!process) return SIMKIT_INTERRUPTED;
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a computation needs a description");
    simkit_computation_desc own = *desc;
    if (own.node == 0) own.node = process->node;
    own.background = false; /* somebody waits for it */
    if (own.node == 0) return simkit__nowhere(process, "compute");
    if (!own.lane && world->watched & SIMKIT_WATCH_COMPUTE) own.lane = simkit__process_name(process);
    process->state = SIMKIT__COMPUTING;
    const simkit__end end = { NULL, NULL, process, SIMKIT__PROCESS };
    const simkit_result started = simkit__compute(world, &own, &end, &process->item, computation);
    return simkit__process_await(process, started, SIMKIT__COMPUTING, "computation", own.name);
}

SIMKIT_API simkit_result simkit_process_send(simkit_world *world, const simkit_post_desc *desc,
                                             simkit_transfer *transfer)
{
    if (transfer) *transfer = 0;
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_send");
    simkit__process *process = simkit__process_asks(world);
    if (!process) return SIMKIT_INTERRUPTED;
    if (!desc) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a message needs a description");
    simkit_post_desc own = *desc;
    if (own.from == 0) own.from = process->node;
    if (own.from == 0 && simkit__mailbox_check(world, own.to, "a message") == SIMKIT_OK)
        return simkit__nowhere(process, "send");
    process->state = SIMKIT__SENDING;
    const simkit__end end = { NULL, NULL, process, SIMKIT__PROCESS };
    const simkit_result started = simkit__post(world, &own, &end, &process->item, transfer);
    return simkit__process_await(process, started, SIMKIT__SENDING, "message", own.name);
}

SIMKIT_API simkit_result simkit_process_receive(simkit_world *world, simkit_mailbox mailbox, simkit_message *message)
{
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_receive");
    simkit__process *process = simkit__process_asks(world);
    if (!process) return SIMKIT_INTERRUPTED;
    simkit_result result = simkit__mailbox_check(world, mailbox, "a receiver");
    if (result != SIMKIT_OK) return result;
    uint32_t delivery = simkit__delivery_take(world, simkit__mailbox_of(world, mailbox));
    if (delivery == SIMKIT_NONE) {
        if (!simkit__slots_reserve(world, receivers, free_receiver)) return simkit__no_memory(world, "a receiver");
        const uint32_t index = simkit__receiver_new(world, process->timer, mailbox, NULL, process);
        process->item = index;
        simkit__line_add(&simkit__mailbox_of(world, mailbox)->receivers, simkit__in_array(world->receivers), index);
        result = simkit__process_yield(world, SIMKIT__RECEIVING);
        if (result != SIMKIT_OK) return result;
        delivery = world->receivers[index].delivery;
        simkit__receiver_put(world, index);
        if (delivery == SIMKIT_NONE) return simkit__receives_nothing(world, process, mailbox);
    } else {
        simkit__pass(world, SIMKIT_PROBE_RECEIVER, SIMKIT__LEFT, SIMKIT_NONE, mailbox);
    }
    simkit__process_message(world, process, delivery, message);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_process_suspend(simkit_world *world, const char *on)
{
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_suspend");
    simkit__process *process = simkit__process_asks(world);
    if (!process) return SIMKIT_INTERRUPTED;
    process->on = on;
    if (process->resumed) simkit__pass(world, SIMKIT_PROBE_RESUME, SIMKIT__TAKEN, process->slot, 0);
    const simkit_result result = process->resumed ? SIMKIT_OK : simkit__process_yield(world, SIMKIT__SUSPENDED);
    if (result == SIMKIT_OK) process->resumed = false;
    return result;
}

SIMKIT_API simkit_result simkit_process_resume(simkit_world *world, simkit_process process)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__process *p = simkit__process_of(world, process);
    if (!p) return simkit__fail(world, SIMKIT_UNKNOWN_PROCESS, "the process to resume does not exist, or has ended");
    if (p->resumed)
        simkit__pass_order(world); /* the first of them counts */
    else if (p->state != SIMKIT__SUSPENDED)
        simkit__pass(world, SIMKIT_PROBE_RESUME, SIMKIT__LEFT, p->slot, 0);
    p->resumed = true; /* for the suspend that it is in, or for the next */
    if (p->state != SIMKIT__SUSPENDED) return SIMKIT_OK;
    p->state = SIMKIT__READY;
    simkit__timer_arm_now(world, p->timer);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_process_interrupt(simkit_world *world, simkit_process process)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__process *p = simkit__process_of(world, process);
    if (!p) return simkit__fail(world, SIMKIT_UNKNOWN_PROCESS, "the process to interrupt does not exist, or has ended");
    simkit__pass_order(world);
    if (p->deaf || !simkit__process_waits(world, p)) {
        p->interrupted = p->noted = true;
        return SIMKIT_OK;
    }
    if (p->unlocked) { /* keeps its waiter: so it needs no memory to acquire its mutex again */
        simkit__waiter_wake(world, p->waiters, SIMKIT_INTERRUPTED);
        return SIMKIT_OK;
    }
    simkit__process_forget(world, p);
    p->state = SIMKIT__READY;
    p->answer = SIMKIT_INTERRUPTED;
    simkit__timer_arm_now(world, p->timer);
    return SIMKIT_OK;
}

SIMKIT_API void *simkit_process_user(const simkit_world *world, simkit_process process)
{
    const simkit__process *p = NULL;
    if (world) p = process ? simkit__process_of(world, process) : world->current;
    return p ? p->user : NULL;
}

SIMKIT_API simkit_result simkit_process_limit(simkit_world *world, double seconds)
{
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_limit");
    simkit__process *process = world->current;
    simkit__process_check(world);
    if (!simkit__is_amount(seconds))
        return simkit__fail(world, SIMKIT_BAD_TIME,
                            "%s cannot limit a wait to %s s: expected a finite time, not negative",
                            simkit__called_process(process), simkit__show(world, seconds));
    if (!process->limit_timer) process->limit_timer = 1 + simkit__timer_new(world, SIMKIT__LIMIT_TIMER, process);
    if (!process->limit_timer) return simkit__no_memory(world, "the time limit of a process"); /* 1 + NONE is 0 */
    simkit__pass_order(world);
    process->limit = seconds;
    process->limits = process->noted = true;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_process_acquire(simkit_world *world, simkit_resource resource, uint64_t units,
                                                int priority)
{
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_acquire");
    simkit__process *process = simkit__process_asks(world);
    if (!process) return SIMKIT_INTERRUPTED;
    const simkit__place *place = simkit__place_of(world, SIMKIT__RESOURCE, resource);
    if (!place) return simkit__unknown_place(world, SIMKIT__RESOURCE, resource);
    const simkit_result result = simkit__units_check(world, place, units);
    if (result != SIMKIT_OK) return result;
    return simkit__process_acquire(world, process, simkit__handle_index(resource), units, priority);
}

SIMKIT_API simkit_result simkit_process_listen(simkit_world *world, simkit_condition condition, simkit_resource mutex)
{
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_listen");
    simkit__process *process = simkit__process_asks(world);
    if (!process) return SIMKIT_INTERRUPTED;
    if (!simkit__place_of(world, SIMKIT__CONDITION, condition))
        return simkit__unknown_place(world, SIMKIT__CONDITION, condition);
    const simkit__place *lock = simkit__place_of(world, SIMKIT__RESOURCE, mutex);
    if (mutex && !lock) return simkit__unknown_place(world, SIMKIT__RESOURCE, mutex);
    if (lock && lock->units == lock->capacity)
        return simkit__fail(world, SIMKIT_BAD_CALL, "%s waits for %s, but %s is not taken",
                            simkit__called_process(process),
                            simkit__called_place(world, &world->places[simkit__handle_index(condition)]),
                            simkit__called_place(world, lock));
    if (lock && lock->holder && lock->holder != simkit__process_number(process)) {
        simkit__process *holder = simkit__process_of(world, lock->holder);
        return simkit__fail(
            world, SIMKIT_BAD_CALL, "%s waits for %s with %s, which %s has", simkit__called_process(process),
            simkit__called_place(world, &world->places[simkit__handle_index(condition)]),
            simkit__called_place(world, lock), holder ? simkit__called_process(holder) : "a process that has ended");
    }
    if (!simkit__slots_reserve(world, waiters, free_waiter)) return simkit__no_memory(world, "a wait");
    if (lock) simkit__resource_free_units(world, simkit__handle_index(mutex), 1);
    process->unlocked = lock;
    const simkit_result result = simkit__process_wait_at(world, process, simkit__handle_index(condition), 0, 0);
    process->unlocked = false;
    if (!mutex) return result;
    if (!simkit__place_of(world, SIMKIT__RESOURCE, mutex))
        return simkit__fail(world, SIMKIT_CLOSED, "the mutex of %s was closed while it waited for a condition",
                            simkit__called_process(process));
    const uint64_t steps = world->steps;
    process->deaf = true;
    const simkit_result again = simkit__process_acquire(world, process, simkit__handle_index(mutex), 1, 0);
    process->deaf = false;
    if (again != SIMKIT_OK) return again;
    if (result != SIMKIT_OK && world->steps != steps) /* others may have written their sentences */
        simkit__fail(world, result, "%s waited for a condition: %s; then it waited for its mutex",
                     simkit__called_process(process), simkit_result_text(result));
    return result;
}

SIMKIT_API simkit_result simkit_process_arrive(simkit_world *world, simkit_barrier barrier)
{
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_arrive");
    simkit__process *process = simkit__process_asks(world);
    if (!process) return SIMKIT_INTERRUPTED;
    const simkit__place *place = simkit__place_of(world, SIMKIT__BARRIER, barrier);
    if (!place) return simkit__unknown_place(world, SIMKIT__BARRIER, barrier);
    simkit__pass(world, SIMKIT_PROBE_BARRIER, SIMKIT__LEFT, simkit__handle_index(barrier), 0);
    if (place->waiting + 1 < place->capacity)
        return simkit__process_wait_at(world, process, simkit__handle_index(barrier), 0, 0);
    simkit__pass(world, SIMKIT_PROBE_BARRIER, SIMKIT__TAKEN, simkit__handle_index(barrier), 0);
    simkit__place_wake_all(world, simkit__handle_index(barrier), SIMKIT_OK);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_process_join(simkit_world *world, simkit_process process)
{
    simkit_choice choice;
    memset(&choice, 0, sizeof choice);
    choice.process = process;
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_join");
    if (process == 0) choice.process = UINT64_MAX; /* no choice at all would be 0 */
    return simkit_process_choose(world, &choice, 1, NULL, NULL);
}

SIMKIT_API simkit_result simkit_process_ended(simkit_world *world, simkit_process process, simkit_wait_call *ended,
                                              void *user, simkit_wait *wait)
{
    if (wait) *wait = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!ended)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a wait for the end of a process needs a function to call");
    if (!simkit__process_existed(world, process)) return simkit__never_a_process(world);
    simkit__process *p = simkit__process_of(world, process);
    const uint32_t place = p ? simkit__process_end_place(world, p) : SIMKIT_NONE;
    if (p && place == SIMKIT_NONE) return simkit__no_memory(world, "a wait");
    const uint32_t index = simkit__waiter_new(world, ended, user);
    if (index == SIMKIT_NONE) return simkit__no_memory(world, "a wait");
    if (wait) *wait = simkit__handle(index, world->waiters[index].generation);
    if (p) {
        simkit__waiter_join(world, place, index);
    } else {
        simkit__pass_end(world, SIMKIT__TAKEN, simkit__handle_index(process), 1 + index, process);
        simkit__timer_arm_now(world, world->waiters[index].timer);
    }
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_process_choose(simkit_world *world, const simkit_choice *choices, size_t count,
                                               size_t *which, simkit_message *message)
{
    simkit__waiter woken;
    if (which) *which = count;
    if (!world || !world->current) return simkit__not_in_process(world, "simkit_process_choose");
    simkit__process *process = simkit__process_asks(world);
    if (!process) return SIMKIT_INTERRUPTED;
    if (!choices || count == 0 || count >= UINT32_MAX)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a wait for any of several needs at least one choice");
    if (count > 1) simkit__pass_order(world);
    for (size_t i = 0; i < count; ++i) {
        const simkit_result result = simkit__choice_check(world, &choices[i], i);
        if (result == SIMKIT_MAILBOX_CLOSED && which) *which = i;
        if (result != SIMKIT_OK) return result;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!simkit__choice_take(world, &choices[i], message)) continue;
        if (which) *which = i;
        return SIMKIT_OK;
    }
    for (size_t i = 0; i < count; ++i) {
        if (simkit__choice_begin(world, process, &choices[i], i)) continue;
        simkit__process_withdraw(world, process, SIMKIT_NONE);
        return simkit__no_memory(world, "a wait");
    }
    woken.choice = (uint32_t)count;
    woken.mailbox = 0;
    woken.delivery = SIMKIT_NONE;
    const simkit_result result = simkit__process_wait_any(world, process, &woken);
    if (which) *which = woken.choice;
    if (result == SIMKIT_MAILBOX_CLOSED) return simkit__receives_nothing(world, process, woken.mailbox);
    if (woken.delivery != SIMKIT_NONE) simkit__process_message(world, process, woken.delivery, message);
    return result;
}

static void simkit__reset_processes(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->slots); ++i) /* nobody is told of these ends */
        if (w->slots[i].process) w->slots[i].process->ending = 0;
    for (size_t i = 0; i < simkit__count(w->slots); ++i)
        if (w->slots[i].process) simkit__process_free(w, w->slots[i].process);
    simkit__array_leave(w->slots);
}

static void simkit__close_processes(simkit_world *w)
{
    simkit__reset_processes(w);
    simkit__close_stacks(w);
    simkit__discard(w, w->slots);
    if (w->home) simkit__release(&w->store, w->home, sizeof *w->home + SIMKIT__FRAMES_BYTES);
#ifdef SIMKIT__CATCHES
    if (w->catching) simkit__release(&w->store, w->catching, sizeof *w->catching + SIMKIT__CATCH_STACK);
#endif
}
#endif

/*=============================================================================
 * MARK: - >>operations (body)
 *
 * Times are kept for each parameter or size class, in the order of appearance; the last one found is tried first, because
 * programs go from one size to the next.
 *===========================================================================*/
#define SIMKIT__SAMPLES 64

typedef struct simkit__measure {
    double parameter; /* or the smallest of its size class */
    double typical;   /* of the times, when there are as many as wanted */
    unsigned skipped, count;
    unsigned uses; /* since this measurement began */
    double times[SIMKIT__SAMPLES];
} simkit__measure;

typedef struct simkit__operation {
    const char *name;
    simkit_operation_desc desc;
    simkit_operation_tally tally;
    simkit__measure *measures;
    size_t last; /* of them, found */
} simkit__operation;

static double simkit__sample_middle(const double *sorted, size_t count)
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

/* The mean of the times that are no outliers. */
static double simkit__robust_mean(const double *times, size_t count)
{
    double far[SIMKIT__SAMPLES], sum = 0;
    size_t kept = 0;
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

static double simkit__sample_quantile(const double *sorted, size_t count, double quantile)
{
    const double place = simkit__product(quantile, (double)(count - 1)), below = floor(place);
    const size_t at = (size_t)below, next = at + 1 < count ? at + 1 : at;
    return sorted[at] + simkit__product(place - below, sorted[next] - sorted[at]);
}

/* The time that stands for those that were measured: their robust mean, or a quantile. */
static double simkit__measure_typical(const simkit__measure *measure, double quantile)
{
    double sorted[SIMKIT__SAMPLES];
    memcpy(sorted, measure->times, measure->count * sizeof *sorted);
    simkit__sort_doubles(sorted, measure->count);
    return quantile > 0 ? simkit__sample_quantile(sorted, measure->count, quantile)
                        : simkit__robust_mean(sorted, measure->count);
}

/* The smallest parameter of a size class; without classes, the parameter itself. */
static double simkit__size_class(const simkit_operation_desc *desc, double parameter)
{
    int exponent;
    if (desc->classes == 0 || parameter <= 0) return parameter;
    const double half = frexp(parameter, &exponent); /* from 1/2 up to 1 */
    return ldexp(1 + floor((2 * half - 1) * desc->classes) / desc->classes, exponent - 1);
}

/* The time of an operation, over that for the smallest parameter of its class. */
static double simkit__size_factor(const simkit_operation_desc *desc, double parameter)
{
    const double least = simkit__size_class(desc, parameter);
    double factor = 1;
    for (unsigned i = 0; i < desc->power && least > 0; ++i) factor *= parameter / least;
    return factor;
}

/* A description that cannot be measured: a sentence about it. */
static simkit_result simkit__operation_check(simkit_world *w, const simkit_operation_desc *desc, const char *called)
{
    if ((unsigned)desc->policy > SIMKIT_POLICY_MODEL)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s has the unknown policy %d", called, (int)desc->policy);
    if (!simkit__is_amount(desc->seconds)) return simkit__bad_number(w, "duration", called, desc->seconds);
    if (desc->first > SIMKIT__SAMPLES)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s is to be measured %u times first, expected at most %u", called,
                            desc->first, (unsigned)SIMKIT__SAMPLES);
    if (!(desc->quantile >= 0 && desc->quantile <= 1))
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "quantile %s of %s is not in 0 .. 1",
                            simkit__show(w, desc->quantile), called);
    if (desc->classes > 64 || desc->power > 8)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT,
                            "%s has %u size classes and power %u, expected at most 64, and at most 8", called,
                            desc->classes, desc->power);
    if (desc->power > 0 && desc->classes == 0)
        return simkit__fail(w, SIMKIT_BAD_ARGUMENT, "%s has power %u, but no size classes for it to be used in", called,
                            desc->power);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_operation_add(simkit_world *world, const simkit_operation_desc *desc,
                                              simkit_operation *operation)
{
    simkit__operation fresh;
    if (operation) *operation = 0;
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!desc || !operation) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "an operation needs a description");
    memset(&fresh, 0, sizeof fresh);
    char counted[32];
    snprintf(counted, sizeof counted, "operation %lu", (unsigned long)simkit__count(world->operations) + 1);
    fresh.name = desc->name && *desc->name ? desc->name : counted;
    const simkit_result result =
        simkit__operation_check(world, desc, simkit__called(world, "operation", fresh.name, 0));
    if (result != SIMKIT_OK) return result;
    if (!simkit__keep_name(world, &fresh.name, true)) return simkit__no_memory(world, "an operation");
    fresh.desc = *desc;
    fresh.desc.name = NULL; /* the caller's */
    if (desc->first == 0) fresh.desc.first = 5;
    if (!simkit__reserve(world, world->operations, 1)) return simkit__no_memory(world, "an operation");
    simkit__push(world->operations, fresh);
    *operation = (simkit_operation)simkit__count(world->operations);
    return SIMKIT_OK;
}

/* The measurements for a parameter or its size class; NULL without memory. */
static simkit__measure *simkit__measure_for(simkit_world *w, simkit__operation *o, double parameter)
{
    const size_t count = simkit__count(o->measures);
    const double least = simkit__size_class(&o->desc, parameter);
    for (size_t turn = 0; turn < count; ++turn) {
        size_t i = (o->last + turn) % count;
        if (!(o->measures[i].parameter < least) && !(o->measures[i].parameter > least)) {
            o->last = i;
            return &o->measures[i];
        }
    }
    simkit__measure fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.parameter = least;
    if (!simkit__reserve(w, o->measures, 1)) return NULL;
    simkit__push(o->measures, fresh);
    o->last = count;
    return &simkit__last(o->measures);
}

static double simkit__processor_time(const simkit_world *w)
{
    if (w->processor_time) return w->processor_time(w->processor_time_user);
    return (double)clock() / CLOCKS_PER_SEC;
}

static simkit__operation *simkit__operation_of(simkit_world *w, simkit_operation operation, double parameter)
{
    if (operation == 0 || operation > simkit__count(w->operations) || !simkit__same(parameter, parameter)) {
        simkit__fail(w, SIMKIT_BAD_ARGUMENT, "operation %lu is unknown, or its parameter is NaN",
                     (unsigned long)operation);
        return NULL;
    }
    simkit__operation *o = &w->operations[operation - 1];
    if (o->desc.policy != SIMKIT_POLICY_MEASURE || o->desc.classes == 0 || simkit__is_amount(parameter)) return o;
    simkit__bad_number(w, "size", simkit__called(w, "operation", o->name, 0), parameter);
    return NULL;
}

/* Returns true if the coming use has to be a run. */
static bool simkit__measure_runs(const simkit_operation_desc *desc, simkit__measure *measure)
{
    if (measure->count == desc->first && desc->every > 0 && measure->uses >= desc->every)
        measure->skipped = measure->count = measure->uses = 0;
    if (desc->every > 0 && measure->uses < desc->every) ++measure->uses;
    return measure->count < desc->first;
}

SIMKIT_API simkit_result simkit_operation_begin(simkit_world *world, simkit_operation operation, double parameter,
                                                bool *run, double *seconds)
{
    if (seconds) *seconds = 0;
    if (run) *run = false;
    if (!run || !seconds || !simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__operation *o = simkit__operation_of(world, operation, parameter);
    if (!o) return SIMKIT_BAD_ARGUMENT;
    if (o->desc.policy == SIMKIT_POLICY_MODEL) {
        double model = o->desc.model ? o->desc.model(parameter, o->desc.user) : o->desc.seconds;
        o = &world->operations[operation - 1]; /* the model may have added operations, which moves all */
        if (!simkit__is_amount(model))
            return simkit__bad_number(world, "duration", simkit__called(world, "operation", o->name, 0), model);
        ++o->tally.reused;
        *seconds = model;
        return SIMKIT_OK;
    }
    if (o->desc.policy == SIMKIT_POLICY_MEASURE) {
        simkit__measure *measure = simkit__measure_for(world, o, parameter);
        if (!measure) return simkit__no_memory(world, "a measurement");
        if (!simkit__measure_runs(&o->desc, measure)) {
            ++o->tally.reused;
            *seconds = measure->typical * simkit__size_factor(&o->desc, parameter);
            return SIMKIT_OK;
        }
    }
    ++o->tally.runs;
    *run = true;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_operation_end(simkit_world *world, simkit_operation operation, double parameter,
                                              double seconds)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__operation *o = simkit__operation_of(world, operation, parameter);
    if (!o) return SIMKIT_BAD_ARGUMENT;
    if (o->desc.policy != SIMKIT_POLICY_MEASURE) return SIMKIT_OK;
    simkit__measure *measure = simkit__measure_for(world, o, parameter);
    if (!measure) return simkit__no_memory(world, "a measurement");
    if (measure->skipped < o->desc.skip) {
        ++measure->skipped;
        return SIMKIT_OK;
    }
    if (measure->count == o->desc.first) return SIMKIT_OK;
    measure->times[measure->count++] = seconds > 0 ? seconds / simkit__size_factor(&o->desc, parameter) : 0;
    if (measure->count == o->desc.first) measure->typical = simkit__measure_typical(measure, o->desc.quantile);
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_operation_run(simkit_world *world, simkit_operation operation, double parameter,
                                              void (*body)(void *argument), void *argument, double *seconds)
{
    bool run;
    if (seconds) *seconds = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!body || !seconds)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT,
                            "an operation to run needs a body and a pointer for the seconds");
    simkit_result result = simkit_operation_begin(world, operation, parameter, &run, seconds);
    if (result != SIMKIT_OK || !run) return result;
    double start = simkit__processor_time(world);
    body(argument);
    double taken = simkit__processor_time(world) - start;
    *seconds = taken > 0 ? taken : 0;
    return simkit_operation_end(world, operation, parameter, taken);
}

SIMKIT_API simkit_operation_tally simkit_operation_progress(const simkit_world *world, simkit_operation operation)
{
    simkit_operation_tally tally = { 0, 0 };
    if (world && operation > 0 && operation <= simkit__count(world->operations))
        tally = world->operations[operation - 1].tally;
    return tally;
}

static void simkit__close_operations(simkit_world *w)
{
    for (size_t i = 0; i < simkit__count(w->operations); ++i) simkit__discard(w, w->operations[i].measures);
    simkit__discard(w, w->operations);
}

/*=============================================================================
 * MARK: - >>watch (body)
 *
 * Watchers and the fingerprint, and events of programs that are told like those of the world.
 *===========================================================================*/
SIMKIT_API simkit_result simkit_watch_add(simkit_world *world, unsigned kinds, simkit_watcher *watcher, void *user)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!watcher || kinds == 0 || (kinds & ~(unsigned)SIMKIT_WATCH_ALL))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a watcher needs a function and kinds out of %u, not %u",
                            (unsigned)SIMKIT_WATCH_ALL, kinds);
    if (!simkit__reserve(world, world->watches, 1)) return simkit__no_memory(world, "a watcher");
    const simkit__watch watch = { kinds, watcher, user };
    simkit__push(world->watches, watch);
    world->watched |= kinds;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_watch_emit(simkit_world *world, const simkit_watch_event *event)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    const unsigned kind = event ? (unsigned)event->kind : 0;
    if (kind == 0 || kind > (unsigned)SIMKIT_WATCH_ALL || (kind & (kind - 1)) != 0) /* one bit */
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "the kind of an event is unknown");
    if (!simkit__is_amount(event->begin) || !simkit__is_amount(event->time) || event->time < event->begin)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT,
                            "event times %s s to %s s must be finite, not negative and in order",
                            simkit__show(world, event->begin), simkit__show(world, event->time));
    const bool transfer = event->kind == SIMKIT_WATCH_TRANSFER,
               placed = transfer || event->kind == SIMKIT_WATCH_COMPUTE;
    const size_t nodes = simkit_node_count(world);
    if (event->node > nodes || event->to > nodes || (placed && event->node == 0) || (transfer && event->to == 0))
        return simkit__fail(world, SIMKIT_UNKNOWN_NODE, "an event names nodes %lu and %lu, but the nodes are 1 .. %lu",
                            (unsigned long)event->node, (unsigned long)event->to, (unsigned long)nodes);
    const bool elsewhere = world->elsewhere;
    world->elsewhere = true;
    simkit__emit_unchanged(world, *event);
    world->elsewhere = elsewhere;
    return SIMKIT_OK;
}

SIMKIT_API bool simkit_watch_emitted(const simkit_world *world)
{
    return world && world->elsewhere;
}

SIMKIT_API void simkit_watch_remove(simkit_world *world, simkit_watcher *watcher, void *user)
{
    if (!world) return;
    const unsigned hashed = world->watched & SIMKIT__WATCH_MESSAGE ? SIMKIT_WATCH_ALL | SIMKIT__WATCH_MESSAGE : 0;
    world->watched = hashed | (world->watched & SIMKIT__WATCH_DUE);
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
 * MARK: - >>probe (body)
 *
 * Observers come and go; each is told of a reset, and of the end of the world.
 *===========================================================================*/
/* The link of the list that leads to an observer, or to its end. */
static simkit__attached **simkit__probe_link(simkit_world *w, const void *user)
{
    simkit__attached **link = &w->probes;
    while (*link && (*link)->user != user) link = &(*link)->next;
    return link;
}

static void simkit__probe_free(simkit_world *w, simkit__attached **link)
{
    simkit__attached *a = *link;
    *link = a->next;
    simkit__discard(w, a->kept);
    simkit__release(&w->store, a, sizeof *a);
    simkit__probes_note(w);
}

SIMKIT_API simkit_result simkit_probe_add(simkit_world *world, const simkit_probe *probe, void *user)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!probe) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a probe needs its functions");
    if (*simkit__probe_link(world, user))
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "a probe has the same user as another one of this world");
    simkit__attached *a = (simkit__attached *)simkit_store_resize(&world->store, NULL, 0, sizeof *a);
    if (!a) return simkit__no_memory(world, "a probe");
    a->next = world->probes;
    a->probe = probe;
    a->user = user;
    a->kept = NULL;
    world->probes = a;
    simkit__probes_note(world);
    return SIMKIT_OK;
}

SIMKIT_API void simkit_probe_remove(simkit_world *world, void *user)
{
    simkit__attached **link = world ? simkit__probe_link(world, user) : NULL;
    if (link && *link) simkit__probe_free(world, link);
}

SIMKIT_API void *simkit_probe_find(const simkit_world *world, const simkit_probe *probe)
{
    const simkit__attached *a = world ? world->probes : NULL;
    while (a && a->probe != probe) a = a->next;
    return a ? a->user : NULL;
}

SIMKIT_API void simkit_probe_rates(simkit_world *world, void *user)
{
    simkit__attached *a = world ? *simkit__probe_link(world, user) : NULL;
    if (!a || !a->probe->rate) return;
    const bool reporting = world->reporting;
    world->reporting = true;
    simkit__probe_rate_all(world, a, true);
    world->reporting = reporting;
}

/* Ends observers before the world does; at a reset, those that cannot go on in a new world. One may remove others. */
static void simkit__close_probes(simkit_world *w, bool resets)
{
    simkit__attached **link = &w->probes;
    while (*link) {
        const simkit_probe *probe = (*link)->probe;
        void *user = (*link)->user;
        if (resets && probe->reset) {
            simkit__array_clear((*link)->kept);
            link = &(*link)->next;
            continue;
        }
        simkit__probe_free(w, link);
        if (probe->close) probe->close(w, user);
        link = &w->probes;
    }
}

/* Tells observers that they are in a new world. */
static void simkit__reset_probes(simkit_world *w)
{
    simkit__probes_note(w);
    for (simkit__attached *a = w->probes, *next; a; a = next) {
        next = a->next;
        a->probe->reset(w, a->user);
    }
}

/*=============================================================================
 * MARK: - >>log (body)
 *
 * Lines of the program, which change nothing.
 *===========================================================================*/
SIMKIT_API void simkit_log_to(simkit_world *world, int most, simkit_logger *logger, void *user)
{
    if (!world) return;
    world->log_most = logger ? most : SIMKIT_LOG_NONE;
    world->logger = logger;
    world->logger_user = user;
}

SIMKIT_API bool simkit_log_wants(const simkit_world *world, int level)
{
    return world && level > 0 && level <= world->log_most;
}

SIMKIT_API void simkit_log(simkit_world *world, int level, const char *format, ...)
{
    if (!simkit_log_wants(world, level) || !simkit__ready(world) || !format) return;
    simkit_log_line line;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) text[0] = 0;
    va_end(arguments);
    line.level = level;
    line.time = world->now;
    line.process = "";
#ifndef SIMKIT_NO_PROCESSES
    if (world->current) line.process = simkit__process_name(world->current);
#endif
    line.text = text;
    const bool reporting = world->reporting;
    world->reporting = true;
    world->logger(world, world->logger_user, &line);
    world->reporting = reporting;
}

/*=============================================================================
 * MARK: - >>random (body)
 *
 * Integer arithmetic and comparisons only.
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
        if (length % 2 == 1 && whole + first > 0) return simkit__product(mean, whole + first);
    }
}

SIMKIT_API double simkit_random_normal(simkit_random *random, double mean, double deviation)
{
    if (!(fabs(mean) < (double)INFINITY && deviation >= 0 && deviation < (double)INFINITY)) return (double)NAN;
    for (;;) { /* the density of |X| is that of an exponential number times a factor exp(-(x - 1)^2 / 2) <= 1 */
        const double x = simkit_random_exponential(random, 1), rest = simkit_random_exponential(random, 1);
        if (2 * rest < simkit__product(x - 1, x - 1)) continue;
        const double away = simkit__product(deviation, x);
        return simkit_random_bits(random) >> 63 ? mean - away : mean + away;
    }
}

SIMKIT_API uint64_t simkit_random_below(simkit_random *random, uint64_t bound)
{
    if (bound == 0) return 0;
    for (const uint64_t over = (0 - bound) % bound;;) { /* 2^64 mod bound numbers too many: the first are drawn again */
        const uint64_t bits = simkit_random_bits(random);
        if (bits >= over) return bits % bound;
    }
}

/*=============================================================================
 * MARK: - >>names (body)
 *
 * Names and other keys, found at a cost that does not grow with their number: an index of open addressing, with at most
 * half of its slots in use, beside the array whose elements it finds.
 *===========================================================================*/
SIMKIT_API uint32_t simkit_hash_number(uint64_t number)
{
    number = (number ^ number >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(number >> 32 ^ number);
}

SIMKIT_API uint32_t simkit_hash_text(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *text; ++text) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return simkit_hash_number(hash);
}

/* There must be room. */
static void simkit__index_set(simkit_index *x, uint32_t hash, uint32_t number)
{
    size_t at = hash & (x->size - 1);
    while (x->slots[at].number) at = (at + 1) & (x->size - 1);
    x->slots[at].hash = hash;
    x->slots[at].number = number + 1;
    ++x->used;
}

/* Twice as many slots. */
static bool simkit__index_grow(simkit_store *store, simkit_index *x)
{
    simkit_index larger = { NULL, x->size ? 2 * x->size : 16, 0 };
    larger.slots = (simkit_index_slot *)simkit_store_resize(store, NULL, 0, larger.size * sizeof *larger.slots);
    if (!larger.slots) return false;
    memset(larger.slots, 0, larger.size * sizeof *larger.slots);
    for (size_t i = 0; i < x->size; ++i)
        if (x->slots[i].number) simkit__index_set(&larger, x->slots[i].hash, x->slots[i].number - 1);
    simkit__release(store, x->slots, x->size * sizeof *x->slots);
    *x = larger;
    return true;
}

SIMKIT_API bool simkit_index_put(simkit_store *store, simkit_index *index, uint32_t hash, uint32_t number)
{
    if (2 * (index->used + 1) > index->size && !simkit__index_grow(store, index)) return false;
    simkit__index_set(index, hash, number);
    return true;
}

SIMKIT_API uint32_t simkit_index_next(const simkit_index *index, uint32_t hash, size_t *at)
{
    if (index->size == 0) return SIMKIT_NONE;
    for (;;) {
        const simkit_index_slot slot = index->slots[*at & (index->size - 1)];
        if (slot.number == 0) return SIMKIT_NONE;
        ++*at;
        if (slot.hash == hash) return slot.number - 1;
    }
}

/* Elements in the slots behind the one that becomes free move up, unless their hashes lead behind that one. */
SIMKIT_API void simkit_index_drop(simkit_index *index, uint32_t hash, uint32_t number)
{
    const size_t last = index->size - 1;
    size_t hole = hash & last;
    while (index->slots[hole].hash != hash || index->slots[hole].number != number + 1) hole = (hole + 1) & last;
    for (size_t at = (hole + 1) & last; index->slots[at].number; at = (at + 1) & last) {
        if (((at - index->slots[at].hash) & last) < ((at - hole) & last)) continue;
        index->slots[hole] = index->slots[at];
        hole = at;
    }
    index->slots[hole].number = 0;
    --index->used;
}

SIMKIT_API void simkit_index_free(simkit_store *store, simkit_index *index)
{
    simkit__release(store, index->slots, index->size * sizeof *index->slots);
    memset(index, 0, sizeof *index);
}

SIMKIT_API uint32_t simkit_names_find(const simkit_names *names, const char *text)
{
    const uint32_t hash = simkit_hash_text(text);
    uint32_t number;
    for (size_t at = hash; (number = simkit_index_next(&names->index, hash, &at)) != SIMKIT_NONE;)
        if (strcmp(names->texts[number], text) == 0) break;
    return number;
}

SIMKIT_API uint32_t simkit_names_add(simkit_store *store, simkit_names *names, const char *text)
{
    char *copy;
    const uint32_t found = simkit_names_find(names, text), number = (uint32_t)simkit__count(names->texts);
    if (found != SIMKIT_NONE) return found;
    if (!simkit_array_grow(store, &names->texts, sizeof *names->texts, 1) || !(copy = simkit__copy_text(store, text)))
        return SIMKIT_NONE;
    if (!simkit_index_put(store, &names->index, simkit_hash_text(text), number)) {
        simkit__free_text(store, copy);
        return SIMKIT_NONE;
    }
    simkit__push(names->texts, copy);
    return number;
}

SIMKIT_API void simkit_names_free(simkit_store *store, simkit_names *names)
{
    for (size_t i = 0; i < simkit__count(names->texts); ++i) simkit__free_text(store, names->texts[i]);
    simkit_array_free(store, names->texts, sizeof *names->texts);
    names->texts = NULL;
    simkit_index_free(store, &names->index);
}

/*=============================================================================
 * MARK: - >>events (private)
 *
 * What happens when a timer is due, and who is told when something ends: the rooms that know are called from here, and none
 * of them calls this one. Also what ends before its time: computations and transfers that are cancelled, nodes that fail.
 *===========================================================================*/
/* Tells whoever waits for an end; a message and a place name who is told next. */
static void simkit__tell(simkit_world *w, simkit__told told)
{
    while (told.whom != SIMKIT__HOST) {
        const uint32_t index = simkit__index_of(told.user);
        const simkit_result how = (simkit_result)told.how;
#ifndef SIMKIT_NO_PROCESSES
        if (told.whom == SIMKIT__PROCESS) {
            simkit__process_told(w, (simkit__process *)told.user, how);
            return;
        }
#endif
        if (told.whom == SIMKIT__PLACE) {
            const simkit__end besides = w->places[index].end;
            simkit__place_close(w, index, how);
            told = simkit__tells(w, &besides, how);
        } else {
            if (how == SIMKIT_CANCELLED) return; /* who cancels the transfer of a message does the rest */
            told = how == SIMKIT_OK ? simkit__delivery_arrived(w, index) : simkit__delivery_lost(w, index, how);
        }
    }
}

/* Does what a timer of the engine is for. */
static void simkit__due_now(simkit_world *w, simkit__timer_kind kind, void *user)
{
    const uint32_t index = simkit__index_of(user);
    switch (kind) {
    case SIMKIT__NODE_TIMER: simkit__tell(w, simkit__node_due(w, index)); break;
    case SIMKIT__PORT_TIMER: simkit__tell(w, simkit__port_due(w, index, false)); break;
    case SIMKIT__PORTS_TIMER: simkit__tell(w, simkit__ports_due(w)); break;
    case SIMKIT__FLOW_TIMER: simkit__tell(w, simkit__flow_due(w, index)); break;
    case SIMKIT__COURSE_TIMER: simkit__course_due(w, index); break;
    case SIMKIT__DELIVERY_TIMER: simkit__tell(w, simkit__delivery_due(w, index)); break;
    case SIMKIT__RECEIVER_TIMER: simkit__receiver_due(w, index); break;
    case SIMKIT__WAITER_TIMER: simkit__waiter_due(w, index); break;
#ifndef SIMKIT_NO_PROCESSES
    case SIMKIT__PROCESS_TIMER: simkit__process_enter(w, (simkit__process *)user); break;
    case SIMKIT__LIMIT_TIMER: simkit__process_late(w, (simkit__process *)user); break;
#else
    case SIMKIT__PROCESS_TIMER:
    case SIMKIT__LIMIT_TIMER: break;
#endif
    case SIMKIT__ALARM_TIMER: simkit__alarm_due(w, index); break;
    }
}

/* Says what a timer that is due is called in sentences. */
static const char *simkit__called_timer(simkit_world *w, uint32_t index)
{
    const simkit__timer *timer = simkit__timer_at(w, index);
    const uint32_t place = simkit__index_of(timer->user);
    const simkit__flow *flow;
    simkit_mailbox to;
    if (simkit__is_step(timer)) return "steps of the program";
    switch (timer->of.kind) {
    case SIMKIT__NODE_TIMER:
        return simkit__words(w, "computations on %s", simkit__called_node(w, (simkit_node)place + 1));
    case SIMKIT__FLOW_TIMER:
        flow = simkit__flow_at(w, place);
        return simkit__called_transfer(w, simkit__request_at(w, place)->name, flow->from, flow->to);
    case SIMKIT__COURSE_TIMER: return simkit__called_link(w, (simkit_link)place + 1);
    case SIMKIT__DELIVERY_TIMER:
        to = w->deliveries[place].to;
        return simkit__words(w, "messages to %s", simkit__called(w, "mailbox", w->mailboxes[to - 1].name, to));
    case SIMKIT__RECEIVER_TIMER: return "receivers of the program";
    case SIMKIT__ALARM_TIMER: return w->alarms[place].name;
#ifndef SIMKIT_NO_PROCESSES
    case SIMKIT__PROCESS_TIMER: return simkit__called_process((simkit__process *)timer->user);
#endif
    default: return "events of the engine";
    }
}

SIMKIT_API bool simkit_computation_cancel(simkit_world *world, simkit_computation computation)
{
    if (!simkit__ready(world)) return false;
    const uint32_t index = simkit__computation_of(world, computation);
    if (index == SIMKIT_NONE || world->nodes[world->jobs[index].node - 1].failed) return false; /* will be reported */
    const simkit__job job = simkit__compute_cancel(world, index);
    simkit__tell(world, simkit__tells(world, &job.end, SIMKIT_CANCELLED));
    simkit__job_emit(world, &job, SIMKIT_PHASE_LOST);
    return true;
}

/* Cancels a message that takes no time; its place among the deliveries. */
static void simkit__delivery_cancel(simkit_world *w, uint32_t index)
{
    const simkit__delivery gone = w->deliveries[index];
    w->deliveries[index].travels = false;
    simkit__text_drop(gone.name);
    simkit__timer_disarm(w, gone.timer - 1);
    simkit__tell(w, simkit__tells(w, &gone.end, SIMKIT_CANCELLED));
    simkit__delivery_free(w, index);
    simkit__delivery_emit(w, &gone, SIMKIT_PHASE_LOST);
}

SIMKIT_API bool simkit_transfer_cancel(simkit_world *world, simkit_transfer transfer)
{
    if (!simkit__ready(world) || transfer == 0) return false;
    const uint32_t place = simkit__handle_index(transfer);
    if (place & SIMKIT__INSTANT) {
        const uint32_t message = simkit__delivery_of(world, place ^ SIMKIT__INSTANT, transfer);
        if (message == SIMKIT_NONE || world->deliveries[message].failed) return false;
        simkit__delivery_cancel(world, message);
        return true;
    }
    const uint32_t index = simkit__flow_of(world, transfer);
    if (index == SIMKIT_NONE || simkit__flow_at(world, index)->failed) return false;
    const simkit__flow flow = *simkit__flow_at(world, index);
    const simkit__request request = *simkit__request_at(world, index);
    const uint32_t next = simkit__flow_cancel(world, index), message = simkit__index_of(request.end.user);
    if (request.end.whom == SIMKIT__MESSAGE) {
        simkit__tell(world, simkit__tells(world, &world->deliveries[message].end, SIMKIT_CANCELLED));
        simkit__delivery_free(world, message);
    } else {
        simkit__tell(world, simkit__tells(world, &request.end, SIMKIT_CANCELLED));
    }
    /* Last: a watcher may use up the stack of a process. */
    if (world->watched & SIMKIT_WATCH_TRANSFER) simkit__flow_tell(world, &flow, &request, SIMKIT_PHASE_LOST);
    if (next != SIMKIT_NONE) simkit__flow_emit(world, next, SIMKIT_PHASE_BEGIN);
    return true;
}

SIMKIT_API simkit_result simkit_node_fail(simkit_world *world, simkit_node node)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    simkit__node *n = simkit__node_of(world, node);
    if (!n) return simkit__unknown_node(world, "failure", "", node);
    if (n->failed)
        return simkit__fail(world, SIMKIT_NODE_FAILED, "%s has failed already", simkit__called_node(world, node));
    if (world->unsettled) simkit__settle(world);
    world->failing = node;
    world->failing_told = false;
    simkit__node_cut(world, n);
    simkit__node_cut_others(world);
#ifndef SIMKIT_NO_PROCESSES
    simkit__processes_cut(world, node); /* last: the caller may be one of them */
#else
    world->failing = 0;
#endif
    return SIMKIT_OK;
}

/*=============================================================================
 * MARK: - >>world (body)
 *
 * Opening, the loop that runs what is due, closing.
 *===========================================================================*/
#define SIMKIT__INSTANT_LIMIT 10000000

static bool simkit__world_check(const simkit_world_desc *desc)
{
    return (unsigned)desc->sharing <= SIMKIT_SHARING_MAXMIN && simkit__is_amount(desc->latency) &&
           simkit__is_amount(desc->window) && simkit__is_duplex(desc->pair_duplex);
}

static void simkit__world_pairs(simkit_world *w, double pair_duplex)
{
    w->pair_duplex = pair_duplex;
    w->duplexes = pair_duplex > 0 && pair_duplex < 2;
}

/* A run begins: that part of the world is zero. */
static void simkit__world_begin(simkit_world *w, const simkit_world_desc *desc)
{
    w->desc = *desc;
    w->desc.topology = NULL; /* the caller's */
    w->seed = desc->seed;
    w->policy = desc->sharing;
    w->latency = desc->latency;
    w->slow_links = desc->slow_links;
    w->window = desc->window;
    simkit__world_pairs(w, desc->pair_duplex);
    w->free_port = SIMKIT_NONE;
    w->processor_time = desc->processor_time;
    w->processor_time_user = desc->processor_time_user;
    w->instant_limit = desc->instant_limit > 0 ? desc->instant_limit : SIMKIT__INSTANT_LIMIT;
    simkit__queue_begin(&w->queue);
    w->deferred = SIMKIT_NONE;
    w->settling.joining = simkit__no_line;
    w->free_timer = w->free_job = w->free_flow = w->free_delivery = w->free_receiver = w->free_alarm = SIMKIT_NONE;
    w->free_place = w->free_waiter = w->serve = SIMKIT_NONE;
#ifndef SIMKIT_NO_PROCESSES
    w->self = w;
    w->free_slot = SIMKIT_NONE;
#endif
}

SIMKIT_API simkit_result simkit_world_open(const simkit_world_desc *desc, simkit_world **world)
{
    simkit_world_desc zero;
    memset(&zero, 0, sizeof zero);
    if (!world) return SIMKIT_BAD_ARGUMENT;
    *world = NULL;
    if (!desc) desc = &zero;
    if (!simkit__world_check(desc)) return SIMKIT_BAD_ARGUMENT;
    simkit_world *w = (simkit_world *)simkit_store_open(&desc->memory, sizeof *w);
    if (!w) return SIMKIT_NO_MEMORY;
    simkit__world_begin(w, desc);
    simkit_result result = desc->topology ? simkit__topology_check(w, desc->topology, desc->slow_links) : SIMKIT_OK;
    if (result == SIMKIT_OK && desc->topology && !simkit__topology_open(w, desc->topology)) result = SIMKIT_NO_MEMORY;
    if (result != SIMKIT_OK) {
        simkit_world_close(w);
        return result;
    }
    *world = w;
    return SIMKIT_OK;
}

/* Names the place of a call that needs the world for itself; ends a sentence. */
static const char *simkit__inside(const simkit_world *w)
{
    return w->running ? "inside a run" : "by a watcher or the logger";
}

SIMKIT_API simkit_result simkit_world_reset(simkit_world *world, const simkit_world_desc *desc)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (world->running || world->reporting)
        return simkit__fail(world, SIMKIT_BAD_CALL, "simkit_world_reset was called %s", simkit__inside(world));
    if (desc && !simkit__world_check(desc))
        return simkit__fail(
            world, SIMKIT_BAD_ARGUMENT,
            "the description of the world is impossible: it needs a known kind of sharing, a latency and "
            "a window that are finite and not negative, and a duplex of 1 to 2");
    simkit_result result =
        desc && desc->topology ? simkit__topology_check(world, desc->topology, desc->slow_links) : SIMKIT_OK;
    if (result != SIMKIT_OK) return result;
    simkit_world_desc next = desc ? *desc : world->desc;
    next.memory = world->desc.memory;
    if (!desc) next.topology = world->topology;
    simkit__close_probes(world, true);
#ifndef SIMKIT_NO_PROCESSES
    simkit__reset_processes(world);
#endif
    simkit__reset_places(world);
    simkit__reset_mailboxes(world);
    simkit__reset_flows(world);
    simkit__reset_nodes(world);
    simkit__close_operations(world);
    simkit__reset_texts(world);
    simkit__discard(world, world->alarms);
    simkit__array_clear(world->watches);
    simkit__array_clear(world->queue.chunks);
    simkit__array_leave(world->timers);

    world->gone += world->labels;
    world->store.peak = world->store.bytes;
    memset((char *)world + offsetof(struct simkit_world, now), 0, sizeof *world - offsetof(struct simkit_world, now));
    simkit__world_begin(world, &next);
    if (next.topology && !simkit__topology_open(world, next.topology)) {
        next.topology = NULL;
        result = simkit_world_reset(world, &next);
        return result == SIMKIT_OK ? simkit__no_memory(world, "a topology") : result;
    }
    if (!next.topology) {
        simkit__release(&world->store, world->topology, sizeof *world->topology);
        world->topology = NULL;
        world->store.peak = world->store.bytes;
    }
    simkit__reset_probes(world);
    return SIMKIT_OK;
}

SIMKIT_API simkit_world_desc simkit_world_get(const simkit_world *world)
{
    simkit_world_desc desc;
    memset(&desc, 0, sizeof desc);
    if (!world) return desc;
    desc = world->desc;
    desc.topology = world->topology;
    desc.window = world->window;
    desc.pair_duplex = world->pair_duplex;
    return desc;
}

SIMKIT_API simkit_result simkit_world_topology(simkit_world *world, const netmodel_topology *topology)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!topology) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "the topology of a world is missing");
    if (world->topology) return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "the world has a topology already");
    if (simkit__count(world->nodes) > 0 || simkit__count(world->wires) > 0)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "the world has %s without a topology already",
                            simkit__count(world->nodes) > 0 ? "nodes" : "links");
    const simkit_result result = simkit__topology_check(world, topology, world->slow_links);
    if (result != SIMKIT_OK) return result;
    if (simkit__topology_open(world, topology)) return SIMKIT_OK;
    simkit__array_leave(world->wires); /* their names are for the next ones */
    return simkit__no_memory(world, "a topology");
}

SIMKIT_API simkit_result simkit_world_window(simkit_world *world, double window)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!simkit__is_amount(window)) return simkit__bad_number(world, "window", "the world", window);
    if (simkit__count(world->nodes) > 0)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "the window of a world is set before it has nodes");
    world->window = window;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_world_pair_duplex(simkit_world *world, double factor)
{
    if (!simkit__ready(world)) return SIMKIT_BAD_ARGUMENT;
    if (!simkit__is_duplex(factor)) return simkit__bad_duplex(world, "pairs of nodes", factor);
    if (simkit__count(world->nodes) > 0)
        return simkit__fail(world, SIMKIT_BAD_ARGUMENT, "the duplex factor of pairs is set before a world has nodes");
    simkit__world_pairs(world, factor);
    return SIMKIT_OK;
}

SIMKIT_API void simkit_world_close(simkit_world *world)
{
    if (!world) return;
    if (world->running || world->reporting) {
        const simkit_result result = simkit__fail(
            world, SIMKIT_BAD_CALL, "simkit_world_close was called %s; the world stays open", simkit__inside(world));
        if (world->running) world->ending = result;
        return;
    }
    simkit__close_probes(world, false);
#ifndef SIMKIT_NO_PROCESSES
    simkit__close_processes(world);
#endif
    simkit__close_places(world);
    simkit__close_mailboxes(world);
    simkit__close_flows(world);
    simkit__close_nodes(world);
    simkit__close_operations(world);
    simkit__close_texts(world);
    simkit__discard(world, world->alarms);
    simkit__discard(world, world->watches);
    simkit__discard(world, world->queue.chunks);
    simkit__discard(world, world->queue.near);
    simkit__discard(world, world->timers);
    simkit_store_close(&world->store, sizeof *world);
}

SIMKIT_API simkit_store *simkit_world_store(simkit_world *world)
{
    return world ? &world->store : NULL;
}

SIMKIT_API size_t simkit_world_memory(const simkit_world *world, size_t *peak)
{
    if (peak) *peak = world ? world->store.peak : 0;
    return world ? world->store.bytes : 0;
}

/* A timer is due, and somebody watches. */
SIMKIT__COLD void simkit__tell_timer(simkit_world *w, uint32_t index)
{
    const simkit__timer *timer = simkit__timer_at(w, index);
    if (w->probed & SIMKIT__PROBE_EVENTS) simkit__probes_due(w, index);
    if (!simkit__is_step(timer) || !(w->watched & SIMKIT_WATCH_STEP)) return;
    simkit_watch_event event =
        simkit__event(SIMKIT_WATCH_STEP, SIMKIT_PHASE_BEGIN, w->now, NULL, 0, simkit__handle(index, timer->generation));
    event.background = timer->next == SIMKIT__BACKGROUND_STEP;
    simkit__emit(w, event);
}

SIMKIT__INLINE void simkit__run_timer(simkit_world *w, uint32_t index)
{
    ++w->steps;
    if (w->watched) simkit__tell_timer(w, index);
    simkit__timer *timer = simkit__timer_at(w, index);
    void *user = timer->user;
    const bool is_step = simkit__is_step(timer);
    simkit__timer_idle(w, timer);
    if (is_step) {
        simkit_call *call = timer->of.call;
        simkit__timer_release(w, index);
        call(w, user);
    } else {
        simkit__due_now(w, timer->of.kind, user);
    }
}

/* At a mark, when this timer is about to run. If the clock has not advanced since the last mark, the run ends after a
 * few more events, which are named. A mark every so many events costs less than a look at the clock at each. */
SIMKIT__COLD void simkit__stand(simkit_world *w, uint32_t timer)
{
    enum { SAMPLES = 12 };
    if (w->now > w->marked) {
        simkit__mark(w);
        return;
    }
    simkit__stand_name(w, simkit__called_timer(w, timer));
    if (++w->sampled < SAMPLES) return;
    w->ending = simkit__fail(w, SIMKIT_STANDSTILL,
                             "the clock stands still: more than %s events at this instant, the latest of %s",
                             simkit__show(w, (double)w->instant_limit), w->standing);
}

static simkit_result simkit__loop(simkit_world *w, double until)
{
    if (w->running || w->reporting) return simkit__fail(w, SIMKIT_BAD_CALL, "a run was started %s", simkit__inside(w));
    if (w->spoilt != SIMKIT_OK) return simkit__fail(w, w->spoilt, "%s", w->spoilt_why);
    w->running = true;
    w->ending = SIMKIT_OK;
    w->told = false;
    w->until = simkit__bits(until + 0.0);
    simkit__mark(w);
    w->foreground += until < (double)INFINITY;
    for (;;) {
        uint32_t timer = w->deferred;
        if (timer == SIMKIT_NONE)
            timer = simkit__next(w);
        else
            w->deferred = SIMKIT_NONE;
        if (timer == SIMKIT_NONE) break;
        if (w->steps >= w->mark) simkit__stand(w, timer);
        simkit__run_timer(w, timer);
    }
    w->running = w->reporting = w->elsewhere = false; /* a watcher may have used up the stack of a process */
#ifdef SIMKIT__CATCHES
    if (w->catches) simkit__catch_end(w);
#endif
    w->foreground -= until < (double)INFINITY;
    if (w->ending == SIMKIT_STOPPED && !w->told) {
        simkit__begin_sentence(w);
        strcpy(w->why, simkit_result_text(w->ending)); /* hosts may stop at every event */
    }
    return w->ending;
}

SIMKIT_API simkit_result simkit_world_run(simkit_world *world)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    simkit_result result = simkit__loop(world, (double)INFINITY);
    if (result == SIMKIT_OK && world->foreground > 0)
        return simkit__fail(world, SIMKIT_BAD_TIME,
                            "%lu computations and transfers are under way, but would end after the last time there is, "
                            "%s s",
                            (unsigned long)world->foreground, simkit__show(world, DBL_MAX));
#ifndef SIMKIT_NO_PROCESSES
    if (result == SIMKIT_OK) return simkit__deadlock(world);
#endif
    return result;
}

SIMKIT_API simkit_result simkit_world_run_until(simkit_world *world, double until)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!(until >= world->now && until < (double)INFINITY))
        return simkit__fail(world, SIMKIT_BAD_TIME, "a run until %s s: expected a finite time, not before now",
                            simkit__show(world, until));
    simkit_result result = simkit__loop(world, until);
    if (result == SIMKIT_OK) world->now = until + 0.0; /* -0 is 0 */
    return result;
}

SIMKIT_API void simkit_world_stop(simkit_world *world)
{
    if (world && world->ending == SIMKIT_OK) world->ending = SIMKIT_STOPPED;
}

SIMKIT_API bool simkit_world_running(const simkit_world *world)
{
    return world && world->running;
}

SIMKIT_API const char *simkit_world_why(const simkit_world *world)
{
#ifndef SIMKIT_NO_PROCESSES
    if (world && world->unsaid.result != SIMKIT_OK) simkit__unsaid_say(world->self);
#endif
    return world ? world->why : "there is no world: it got no memory, or its description is invalid";
}

#ifdef __cplusplus
}
#endif

#ifdef _WIN32
#pragma pop_macro("far")
#pragma pop_macro("near")
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
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

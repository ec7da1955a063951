/*
simkit_users.h - other people's work on the nodes

Poisson arrivals, recorded traces of processes, and users with a behaviour graph, who take part of the CPU of a node and raise its load
average. Follows [clue], "The workstation user simulator". Part of simkit; stands on simkit.h and util/simkit_statistics.h. Where
util/simkit_files.h came before, it also reads traces and users files.

    #define SIMKIT_IMPLEMENTATION
    #include "simkit.h"
    #include "util/simkit_statistics.h"
    #include "util/simkit_users.h"
    static simkit_arrivals_desc others;
    static simkit_computation_desc mine;
    int main(void)
    {
        simkit_world *world;
        simkit_result result = simkit_world_open(NULL, &world);
        if (!result) result = simkit_node_add(world, NULL, &others.node);
        others.rate = 0.5; // processes per second, 0.8 s each on average
        others.demand.law = SIMKIT_LAW_EXPONENTIAL, others.demand.mean = 0.8;
        if (!result) result = simkit_arrivals_start(world, &others, NULL);
        mine.node = others.node, mine.seconds = 100;
        if (!result) result = simkit_computation_start(world, &mine, NULL);
        if (!result) result = simkit_world_run(world);
        if (result) puts(simkit_world_why(world));
        else printf("100 s of CPU time took %.1f s\n", simkit_clock_now(world));
        simkit_world_close(world);
        return result != SIMKIT_OK;
    }

prints `100 s of CPU time took 170.9 s`.

USE      Copy it and simkit_statistics.h beside simkit.h, or into a folder util/ there, and include them in the order above.
         SIMKIT_IMPLEMENTATION in one C or C++ file makes the bodies of all. Others just include the headers. Link with -lm.

ROOMS    grep 'MARK: - >>' walks them; bodies follow in the same order, private rooms before the body that needs them
    background   arrivals, replayed traces, users with a behaviour graph
  With util/simkit_files.h:
    workloads    traces of processes
    populations  users files: who uses the nodes of a cluster
  Private:
    sources      (private) sources of background processes: arrivals, traces, users
    values       (private) distributions and lists in users files
    grammar      (private) the sections and keys of users files

OPTIONS  Those of simkit.h, defined before all headers: SIMKIT_STATIC, SIMKIT_ANY_FLOAT. Besides:
    SIMKIT_USERS_IMPLEMENTATION  this body alone; those of simkit.h and simkit_statistics.h are elsewhere in the program

ERRORS, OWNED, THREADS  As in simkit.h: what was started belongs to the world, and ends with it.

SINCE    0.1.0, the first version, in which all of it was a part of simkit.h.
*/
/** @file simkit_users.h
 *  Other people's work: arrivals, traces of processes, users with a behaviour graph, and their files.
 *  @since 0.1.0 */
#ifndef SIMKIT_USERS_H
#define SIMKIT_USERS_H

#ifndef SIMKIT_H
#error "include simkit.h before util/simkit_users.h"
#endif
#ifndef SIMKIT_STATISTICS_H
#error "include util/simkit_statistics.h before util/simkit_users.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>background
 *===========================================================================*/
/** @defgroup simkit_background simkit: background
 *  Background processes: other people's work that takes part of a node's CPU. Their sources are Poisson arrivals, recorded
 *  traces, and users with a behaviour graph. For the node's CPU and its load average they are computations like any other. Follows [clue], "The workstation user
 *            simulator". The same seed gives the same day.
 *
 *  None of it keeps simkit_world_run() going, so a source needs no end. @{ */

/** A source of background processes; 0 is none. */
typedef uint32_t simkit_source;

/** Poisson arrivals, with a rate and demands that may change over the day. */
typedef struct simkit_arrivals_desc {
    simkit_node node;             /**< where */
    double rate;                  /**< arrivals per second [1/s]; 0 to 1e6, also times the profile */
    const double *profile;        /**< factors on the rate, profile[parts], over the parts of a day; copied; NULL: 1 */
    const double *demand_profile; /**< factors on the demand, demand_profile[parts]; copied; NULL: 1 */
    size_t parts;                 /**< equal parts of a day, such as 24 hours, each >= 1e-6 s; 0: no profiles */
    double day;                   /**< length of a day [s]; 0 means 86400 */
    double time_of_day;           /**< at the world's time 0 [s], >= 0 */
    simkit_distribution demand;   /**< CPU time of a process [s]; copied with its arrays */
    int nice;                     /**< -20 .. 19 */
    const char *name;             /**< of the processes, for watchers; copied; may be NULL */
    uint64_t stream;              /**< random stream: sources with different numbers are independent; equal numbers give
                                       equal draws, on any node */
} simkit_arrivals_desc;

/** Starts Poisson arrivals.
 *
 *  @param[in] desc   The arrivals; copied with all arrays.
 *  @return  SIMKIT_OK, SIMKIT_UNKNOWN_NODE, SIMKIT_NODE_FAILED, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY. If memory runs
 *           out as a process is to start, the run ends with SIMKIT_NO_MEMORY and cannot be resumed, since that process
 *           would be missing.
 *  @cost    A timer; an event for the start of each process, and one for its end.
 *  @source  [clue] "Using WUS": fixed and variable arrival and departure rates.
 */
SIMKIT__CHECKED simkit_result simkit_arrivals_start(simkit_world *world, const simkit_arrivals_desc *desc,
                                                    simkit_source *source);

/** A line of a trace: a process demands CPU time. */
typedef struct simkit_arrival {
    double time;    /**< from the beginning of the trace [s] */
    double seconds; /**< CPU time that it demands from then on [s] */
    int nice;       /**< -20 .. 19 */
    /** 0: a separate process. Otherwise lines with the same number (at most 1e8) are one process and run in turn; lines
     *  that queue up meanwhile are merged into one computation with the nice level and name of the last. A replay takes
     *  16 bytes for each number up to the largest. */
    uint32_t process;
    const char *name; /**< for watchers; may be NULL */
} simkit_arrival;

/** A trace to replay. */
typedef struct simkit_replay_desc {
    simkit_node node;               /**< where */
    const simkit_arrival *arrivals; /**< arrivals[count], in order of time; copied */
    size_t count;                   /**< how many; may be 0 */
    double skip;                    /**< time of the trace that is now [s], >= 0; earlier lines are left out */
    double scale;                   /**< factor on all demands, such as the speed of the traced machine; 0 means 1 */
    const char *name;               /**< for errors; may be NULL */
} simkit_replay_desc;

/** Starts to replay a trace.
 *
 *  @param[in] desc   The trace; copied with its arrivals, once for all replays of a world.
 *  @return  As simkit_arrivals_start(); SIMKIT_BAD_ARGUMENT also if times decrease.
 *  @source  [clue] "Using WUS": trace files of real processes.
 */
SIMKIT__CHECKED simkit_result simkit_replay_start(simkit_world *world, const simkit_replay_desc *desc,
                                                  simkit_source *source);

/** A state of a user, who thinks, runs a command, waits for its end, and goes to another state. */
typedef struct simkit_user_state {
    const char *name;           /**< of its command, for watchers and errors; may be NULL */
    simkit_distribution think;  /**< time before the command [s] */
    simkit_distribution demand; /**< CPU time of the command [s] */
    int nice;                   /**< -20 .. 19 */
    const double *next; /**< next[states], the probability that each state comes next; the user logs out with the
                                     probability that is missing from 1; NULL: always */
} simkit_user_state;

/** A user: a behaviour graph and a time of presence. */
typedef struct simkit_user_desc {
    simkit_node node;                /**< where */
    const simkit_user_state *states; /**< states[count], copied with their arrays */
    size_t count;                    /**< how many, > 0 */
    size_t first;                    /**< the first state */
    double begin;                    /**< virtual time of the login [s]; in the past: now */
    double end;      /**< virtual time from which no command is started [s]; 0: only the graph ends the session */
    uint64_t stream; /**< random stream, as in simkit_arrivals_desc */
} simkit_user_desc;

/** Starts a user.
 *
 *  @param[in] desc   The user; copied with all states, once for all users of a world who have them.
 *  @return  As simkit_arrivals_start(); SIMKIT_BAD_ARGUMENT also if probabilities sum to more than 1, or a cycle of
 *           states has less than 1e-6 s of think time: virtual time could stand still there.
 *  @source  [clue] "Using WUS": user behaviour graphs.
 */
SIMKIT__CHECKED simkit_result simkit_user_start(simkit_world *world, const simkit_user_desc *desc,
                                                simkit_source *source);

/** What a source has done so far. */
typedef struct simkit_source_tally {
    uint64_t begun;  /**< processes that have started; of a trace, computations: merged demands are one */
    uint64_t ended;  /**< those that have ended */
    double demand;   /**< CPU time of those that have ended [s] */
    double response; /**< their times from start to end, summed [s] */
} simkit_source_tally;

/** What a source has done so far.
 *
 *  @param[in] source  The source; 0: all sources.
 *  @return  Its tally; all zero for an unknown source.
 */
SIMKIT_API simkit_source_tally simkit_source_progress(const simkit_world *world, simkit_source source);

/** Stops a source: it starts no more processes; those that are running are completed. Harmless if it has ended.
 *
 *  @param[in] source  The source.
 */
SIMKIT_API void simkit_source_stop(simkit_world *world, simkit_source source);
/** @} */

#ifdef SIMKIT_FILES_H
/*=============================================================================
 * MARK: - >>workloads
 *===========================================================================*/
/** @defgroup simkit_workloads simkit: workloads
 *  Traces of processes: tables of when which process had used how much CPU time. docs/users.md has the format;
 *  examples/tools/accounting.c makes such a table from Unix process accounting. @{ */

/** A trace in memory, for simkit_replay_start(). */
typedef struct simkit_workload {
    const simkit_arrival *arrivals; /**< arrivals[count], in order of time, counted from the earliest line */
    size_t count;                   /**< how many */
} simkit_workload;

/** Reads a trace.
 *
 *  Errors are also: time that goes back, a child before its parent, CPU time that is negative or goes back.
 *
 *  @param[out] workload   The trace; NULL if the call fails.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(n log n) in its lines.
 *  @source  [clue] "Sampled workload": time, process, parent, CPU time, name.
 */
SIMKIT__CHECKED simkit_result simkit_workload_read(const simkit_input *input, simkit_workload **workload,
                                                   simkit_parse_error *error);

/** Frees a trace, at any time: a replay has a copy. NULL is harmless. */
SIMKIT_API void simkit_workload_close(simkit_workload *workload);
/** @} */

/*=============================================================================
 * MARK: - >>populations
 *===========================================================================*/
/** @defgroup simkit_populations simkit: populations
 *  Users files: who uses the nodes of a cluster, as Poisson streams, traces, behaviour graphs and sessions. docs/users.md
 *  has the format. One population can serve many worlds. @{ */

/** Everybody who uses a cluster, in memory. */
typedef struct simkit_population simkit_population;

/** Reads a users file. The files that it names are looked for in its folder.
 *
 *  @param[out] population   The population; NULL if the call fails.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_population_read(const simkit_input *input, simkit_population **population,
                                                     simkit_parse_error *error);

/** Frees a population, at any time: worlds have copies. NULL is harmless. */
SIMKIT_API void simkit_population_close(simkit_population *population);

/** Starts everything that a users file has for one node of the cluster, and records the node's load for its load average.
 *
 *  @param[in] population  The population; may be closed afterwards.
 *  @param[in] place       Which node of the file this is, 1, 2, ...; users of different nodes are independent.
 *  @param[in] node        The node of the world.
 *  @return  As simkit_arrivals_start(); after a failure, what has started goes on.
 */
SIMKIT__CHECKED simkit_result simkit_population_start(simkit_world *world, const simkit_population *population,
                                                      size_t place, simkit_node node);
/** @} */
#endif /* SIMKIT_FILES_H */

#ifdef __cplusplus
}
#endif
#endif /* SIMKIT_USERS_H */

/*
 *  The body, once per file.
 */
#if (defined(SIMKIT_USERS_IMPLEMENTATION) || defined(SIMKIT_IMPLEMENTATION) || defined(SIMKIT_STATIC)) &&              \
    !defined(SIMKIT_USERS_IMPLEMENTED)
#define SIMKIT_USERS_IMPLEMENTED

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "util/simkit_users.h: NaN and infinity mean something: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "util/simkit_users.h: -fassociative-math and -freciprocal-math change the bits of results: compile without"
#endif
#include <float.h>
#if !defined(SIMKIT_ANY_FLOAT) && defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "util/simkit_users.h: x87 gives other bits: compile with -msse2 -mfpmath=sse, or define SIMKIT_ANY_FLOAT"
#endif
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A cast that C and C++ both accept is an old-style one in C++. Hosts that ask for -Wold-style-cast or -Wuseless-cast
 * mean their own code, so these two are off in this body, and only there. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>sources (private)
 *
 * What a source does when its timer is due: an arrival, a line of a trace, or the next step of a user; and its background
 * processes: computations whose end comes back to their source. If there is no memory to start one, the run
 * ends: without that process, it would be another day.
 *===========================================================================*/
/* a * b rounded on its own: a compiler that fuses it into a following addition would change bits. */
static double simkit__users_product(double a, double b)
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

static bool simkit__users_amount(double value)
{
    return value >= 0 && value < (double)INFINITY;
}

/* Whether values[count] are all finite and not negative. */
static bool simkit__users_amounts(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!simkit__users_amount(values[i])) return false;
        sum += values[i];
    }
    return sum < (double)INFINITY;
}

/* How many multiples of an interval are up to a time; NaN if doubles cannot tell them apart. */
static double simkit__users_multiples(double time, double interval)
{
    double number = floor(time / interval);
    if (!(number < 1e15)) return (double)NAN;
    while (number > 0 && simkit__users_product(number, interval) > time) number -= 1; /* by rounding */
    while (simkit__users_product(number + 1, interval) <= time) number += 1;
    return number;
}

static uint64_t simkit__users_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

typedef enum simkit__source_kind { SIMKIT__ARRIVES, SIMKIT__REPLAYS, SIMKIT__BEHAVES } simkit__source_kind;

typedef struct simkit__backlog { /* lines of a process of a trace that came while it was running */
    double seconds;              /* their demand; < 0: the process is idle */
    const simkit_arrival *last;
} simkit__backlog;

typedef struct simkit__source {
    simkit__source_kind kind;
    simkit_node node;
    simkit_timer timer; /* 0: it has ended */
    simkit_random random;
    simkit_source_tally tally;

    simkit_arrivals_desc stream; /* its profiles are ours: values[2 * parts] */
    double *profiles;
    double number; /* of the part that goes on, since midnight before time 0 */
    double a_day;  /* arrivals that a day brings on average */

    simkit_replay_desc replay;
    double replay_begin;      /* when the line at `skip` is due */
    size_t at;                /* next arrival; of a user: the state */
    simkit__backlog *backlog; /* of each process of a trace */

    simkit_user_desc user;
    bool thinks;
} simkit__source;

typedef struct simkit__command { /* a process of a source */
    uint32_t next;
    uint32_t source;
    const simkit_arrival *line; /* of a trace */
    double begin, seconds;
} simkit__command;

typedef struct simkit__users { /* of a world */
    simkit__source *sources;
    simkit__command *commands;
    uint32_t free_command;
} simkit__users;

static void simkit__users_close(simkit_world *w, void *user)
{
    simkit__users *u = (simkit__users *)user;
    simkit_store *store = simkit_world_store(w);
    for (size_t i = 0; i < simkit_array_count(u->sources); ++i) {
        simkit_array_discard(store, u->sources[i].profiles);
        simkit_array_discard(store, u->sources[i].backlog);
    }
    simkit_array_discard(store, u->sources);
    simkit_array_discard(store, u->commands);
    simkit_store_resize(store, u, sizeof *u, 0);
}

/* It observes nothing, but hears of the end of a world, or of its reset. */
static const simkit_probe simkit__users_probe = { NULL, NULL, NULL, NULL, NULL, NULL, NULL, simkit__users_close, NULL };

/* NULL: the world has no sources. */
static simkit__users *simkit__users_of(const simkit_world *w)
{
    return (simkit__users *)simkit_probe_find(w, &simkit__users_probe);
}

/* Likewise, but made; NULL without memory. */
static simkit__users *simkit__users_make(simkit_world *w)
{
    simkit__users *u = simkit__users_of(w);
    if (u) return u;
    u = (simkit__users *)simkit_store_resize(simkit_world_store(w), NULL, 0, sizeof *u);
    if (!u) return NULL;
    memset(u, 0, sizeof *u);
    u->free_command = SIMKIT_NONE;
    if (simkit_probe_add(w, &simkit__users_probe, u) == SIMKIT_OK) return u;
    simkit_store_resize(simkit_world_store(w), u, sizeof *u, 0);
    return NULL;
}

static void *simkit__users_pointer(uint32_t number)
{
    return (void *)(uintptr_t)number;
}

static uint32_t simkit__users_number(void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

/* snprintf() with a decimal point in every locale. */
SIMKIT__FORMAT(3, 4)
static void simkit__users_say(char *text, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    simkit_text_format(text, size, format, values);
    va_end(values);
}

/* "source 'x'" by its name, else by its number. */
static const char *simkit__source_called(char called[128], const char *name, size_t number)
{
    if (name && *name)
        simkit__users_say(called, 128, "source '%.100s'", name);
    else
        simkit__users_say(called, 128, "source %lu", (unsigned long)number);
    return called;
}

static void simkit__source_end(simkit_world *w, simkit__source *s)
{
    if (s->timer == 0) return;
    simkit_timer_close(w, s->timer);
    s->timer = 0;
}

static void simkit__command_done(simkit_world *w, void *user);
static void simkit__command_lost(simkit_world *w, void *user);

/* Starts a process of a source. */
static void simkit__command_begin(simkit_world *w, uint32_t source, double seconds, int nice, const char *name,
                                  const simkit_arrival *line)
{
    simkit_computation_desc desc;
    memset(&desc, 0, sizeof desc);
    simkit__users *u = simkit__users_of(w);
    simkit__source *s = &u->sources[source];
    if (simkit_node_failed(w, s->node)) {
        simkit__source_end(w, s);
        return;
    }
    if (u->free_command == SIMKIT_NONE) {
        const simkit__command fresh = { SIMKIT_NONE, 0, NULL, 0, 0 };
        if (!simkit_array_reserve(simkit_world_store(w), u->commands, 1)) {
            simkit_world_break(w, SIMKIT_NO_MEMORY, "no memory for a background process");
            return;
        }
        u->free_command = (uint32_t)simkit_array_count(u->commands);
        simkit_array_push(u->commands, fresh);
    }
    const uint32_t index = u->free_command;
    if (!(seconds < (double)INFINITY)) seconds = 1e300; /* as good as infinite */
    desc.node = s->node;
    desc.seconds = seconds;
    desc.nice = nice;
    desc.background = true;
    desc.name = name;
    desc.done = simkit__command_done;
    desc.lost = simkit__command_lost;
    desc.user = simkit__users_pointer(index);
    const simkit_result result = simkit_computation_start(w, &desc, NULL);
    if (result != SIMKIT_OK) {
        simkit_world_break(w, result, NULL);
        return;
    }
    simkit__command *command = &u->commands[index];
    u->free_command = command->next;
    command->source = source;
    command->line = line;
    command->begin = simkit_clock_now(w);
    command->seconds = seconds;
    ++s->tally.begun;
    if (line && line->process) s->backlog[line->process].seconds = 0;
}

static void simkit__command_free(simkit__users *u, uint32_t index)
{
    u->commands[index].next = u->free_command;
    u->free_command = index;
}

static void simkit__user_next(simkit_world *w, uint32_t source);

static void simkit__command_done(simkit_world *w, void *user)
{
    simkit__users *u = simkit__users_of(w);
    const uint32_t index = simkit__users_number(user);
    const simkit__command command = u->commands[index];
    simkit__source *s = &u->sources[command.source];
    simkit__command_free(u, index);
    ++s->tally.ended;
    s->tally.demand += command.seconds;
    s->tally.response += simkit_clock_now(w) - command.begin;
    if (s->kind == SIMKIT__BEHAVES) simkit__user_next(w, command.source);
    const simkit_arrival *line = command.line;
    if (!line || line->process == 0) return;
    const simkit__backlog more = s->backlog[line->process];
    s->backlog[line->process].seconds = -1;
    if (more.seconds > 0)
        simkit__command_begin(w, command.source, more.seconds, more.last->nice, more.last->name, more.last);
}

static void simkit__command_lost(simkit_world *w, void *user)
{
    simkit__users *u = simkit__users_of(w);
    const uint32_t index = simkit__users_number(user), source = u->commands[index].source;
    simkit__command_free(u, index);
    simkit__source_end(w, &u->sources[source]);
}

/* Arms the timer for the next Poisson arrival, after an exponentially distributed number of expected arrivals. */
static void simkit__arrivals_next(simkit_world *w, simkit__users *u, simkit__source *s)
{
    const simkit_arrivals_desc *d = &s->stream;
    double expected = simkit_random_exponential(&s->random, 1), from = simkit_clock_now(w);
    const double apart = d->parts == 0 ? 1 / d->rate : d->day / s->a_day;
    if (from + apart <= from) {
        char called[128];
        simkit_world_break(w, SIMKIT_BAD_TIME, "the time is too large to distinguish the arrivals of %s, %g s apart",
                           simkit__source_called(called, d->name, (size_t)(s - u->sources) + 1), apart);
    }
    if (d->parts == 0) {
        const double at = from + expected / d->rate;
        simkit_timer_set(w, s->timer, at);
        return;
    }
    const double part = d->day / (double)d->parts;
    for (;;) {
        const size_t which = (size_t)fmod(s->number, (double)d->parts);
        const double rate = d->rate * d->profile[which];
        double end = simkit__users_product(s->number + 1, part) - d->time_of_day;
        if (end < from) end = from; /* by rounding */
        const double here = simkit__users_product(rate, end - from);
        if (expected <= here && rate > 0) {
            const double at = from + expected / rate;
            simkit_timer_set(w, s->timer, at < end ? at : end);
            return;
        }
        expected -= here;
        from = end;
        s->number += 1;
        if (expected > s->a_day) { /* whole days at once */
            const double days = floor(expected / s->a_day), later = simkit__users_product(days, (double)d->parts);
            if (!(s->number + later < 1e15)) return; /* never */
            expected -= simkit__users_product(days, s->a_day);
            s->number += later;
            from = simkit__users_product(s->number, part) - d->time_of_day;
            if (from < simkit_clock_now(w)) from = simkit_clock_now(w); /* by rounding */
        }
        if (expected < 0) expected = 0;
    }
}

static void simkit__arrivals_due(simkit_world *w, uint32_t source)
{
    simkit__users *u = simkit__users_of(w);
    simkit__source *s = &u->sources[source];
    const simkit_arrivals_desc *d = &s->stream;
    double seconds = simkit_distribution_next(&d->demand, &s->random);
    if (d->parts > 0)
        seconds = simkit__users_product(seconds, d->demand_profile[(size_t)fmod(s->number, (double)d->parts)]);
    simkit__command_begin(w, source, seconds, d->nice, d->name, NULL);
    if (s->timer != 0) simkit__arrivals_next(w, u, s);
}

static void simkit__replay_due(simkit_world *w, uint32_t source)
{
    simkit__users *u = simkit__users_of(w);
    simkit__source *s = &u->sources[source];
    const simkit_arrival *a = &s->replay.arrivals[s->at++];
    const double seconds = simkit__users_product(a->seconds, s->replay.scale);
    if (a->process && s->backlog[a->process].seconds >= 0) {
        s->backlog[a->process].seconds += seconds;
        s->backlog[a->process].last = a;
    } else {
        simkit__command_begin(w, source, seconds, a->nice, a->name, a);
    }
    if (s->timer == 0) return;
    if (s->at == s->replay.count) {
        simkit__source_end(w, s);
        return;
    }
    const double at = s->replay_begin + (s->replay.arrivals[s->at].time - s->replay.skip);
    simkit_timer_set(w, s->timer, at > simkit_clock_now(w) ? at : simkit_clock_now(w));
}

/* Arms the timer for the end of the think time. */
static void simkit__user_thinks(simkit_world *w, simkit__source *s)
{
    const double at = simkit_clock_now(w) + simkit_distribution_next(&s->user.states[s->at].think, &s->random);
    s->thinks = true;
    simkit_timer_set(w, s->timer, at);
}

static void simkit__user_due(simkit_world *w, uint32_t source)
{
    simkit__users *u = simkit__users_of(w);
    simkit__source *s = &u->sources[source];
    if (s->user.end > 0 && simkit_clock_now(w) >= s->user.end) {
        simkit__source_end(w, s);
    } else if (!s->thinks) { /* logs in */
        simkit__user_thinks(w, s);
    } else {
        const simkit_user_state *state = &s->user.states[s->at];
        simkit__command_begin(w, source, simkit_distribution_next(&state->demand, &s->random), state->nice, state->name,
                              NULL);
    }
}

/* After a command, goes to the next state. */
static void simkit__user_next(simkit_world *w, uint32_t source)
{
    simkit__users *u = simkit__users_of(w);
    simkit__source *s = &u->sources[source];
    if (s->timer == 0) return;
    const double *next = s->user.states[s->at].next;
    const double uniform = simkit_random_uniform(&s->random);
    double sum = 0;
    size_t to = 0;
    while (next && to < s->user.count && (sum += next[to]) <= uniform) ++to;
    if (!next || to == s->user.count || (s->user.end > 0 && simkit_clock_now(w) >= s->user.end)) {
        simkit__source_end(w, s);
        return;
    }
    s->at = to;
    simkit__user_thinks(w, s);
}

static void simkit__source_due(simkit_world *w, void *user)
{
    const uint32_t source = simkit__users_number(user);
    switch (simkit__users_of(w)->sources[source].kind) {
    case SIMKIT__ARRIVES: simkit__arrivals_due(w, source); break;
    case SIMKIT__REPLAYS: simkit__replay_due(w, source); break;
    default: simkit__user_due(w, source); break;
    }
}

/*=============================================================================
 * MARK: - >>background (body)
 *
 * Sources are checked and started. Each has one timer, for its next process or its user's next command.
 *===========================================================================*/
/* Checks the node, and makes room for a source. */
static simkit_result simkit__source_reserve(simkit_world *w, simkit__users **users, simkit_node node, const char *name)
{
    const simkit_result result = simkit_node_check(w, node, "source", name);
    if (result != SIMKIT_OK) return result;
    *users = simkit__users_make(w);
    if (*users && simkit_array_reserve(simkit_world_store(w), (*users)->sources, 1)) return SIMKIT_OK;
    return simkit_world_fail(w, SIMKIT_NO_MEMORY, "no memory for a source");
}

/* Replaces a name by the world's own copy, and an empty one by NULL. False without memory. */
static bool simkit__users_keep_name(simkit_world *w, const char **name)
{
    const char *text = *name && **name ? *name : NULL;
    *name = text ? (const char *)simkit_world_keep(w, text, strlen(text) + 1) : NULL;
    return *name || !text;
}

/* Likewise an array of numbers, if there is one. */
static bool simkit__users_keep_numbers(simkit_world *w, const double **numbers, size_t count)
{
    if (!*numbers || count == 0) return true;
    *numbers = (const double *)simkit_world_keep(w, *numbers, count * sizeof **numbers);
    return *numbers;
}

/* A distribution without what lies between its members, which may never have been set; then its arrays as the world's own. */
static bool simkit__users_keep_distribution(simkit_world *w, simkit_distribution *d)
{
    simkit_distribution plain;
    memset(&plain, 0, sizeof plain);
    plain.law = d->law;
    const size_t from = offsetof(simkit_distribution, mean),
                 to = offsetof(simkit_distribution, count) + sizeof d->count;
    memcpy((char *)&plain + from, (const char *)d + from, to - from);
    memcpy(d, &plain, sizeof plain);
    if (d->law != SIMKIT_LAW_HYPEREXPONENTIAL && d->law != SIMKIT_LAW_SAMPLE) return true;
    return simkit__users_keep_numbers(w, &d->values, d->count) && simkit__users_keep_numbers(w, &d->weights, d->count);
}

/* Adds a source; 0 without memory, and then its arrays are freed. */
static simkit_source simkit__source_add(simkit_world *w, simkit__users *u, simkit__source *fresh, uint64_t stream,
                                        simkit_source *source)
{
    const uint32_t index = (uint32_t)simkit_array_count(u->sources);
    char name[32];
    snprintf(name, sizeof name, "source %lu", (unsigned long)index + 1);
    if (simkit_timer_open(w, name, simkit__source_due, simkit__users_pointer(index), &fresh->timer) != SIMKIT_OK) {
        simkit_array_discard(simkit_world_store(w), fresh->profiles);
        simkit_array_discard(simkit_world_store(w), fresh->backlog);
        return 0;
    }
    const uint64_t number = simkit__users_mix(4 * stream + (uint64_t)fresh->kind + 1); /* none of the host's */
    fresh->random = simkit_random_stream(w, number);
    simkit_array_push(u->sources, *fresh);
    if (source) *source = index + 1;
    return index + 1;
}

static simkit_result simkit__users_bad_number(simkit_world *w, const char *what, const char *of, double value)
{
    return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT, "%s of %s is %g, but must be finite and not negative", what, of,
                             value);
}

static simkit_result simkit__users_bad_nice(simkit_world *w, const char *of, int nice)
{
    return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT, "nice level %d of %s is not in -20 .. 19", nice, of);
}

static simkit_result simkit__users_bad_distribution(simkit_world *w, const char *what, const char *of,
                                                    const simkit_distribution *d)
{
    const char *wrong = simkit_distribution_wrong(d);
    if (!wrong) return SIMKIT_OK;
    return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT, "the %s of %s: %s", what, of, wrong);
}

enum { SIMKIT__DAY = 86400 }; /* [s] */

/* Whether the profiles, the rates or the day of arrivals that start now are wrong; then `why` follows their name. */
static bool simkit__arrivals_wrong(const simkit_arrivals_desc *d, double now, char *why, size_t size)
{
    const bool profiles = d->profile || d->demand_profile;
    why[0] = 0;
    if (profiles && (d->parts == 0 || d->parts > 1000000)) {
        simkit__users_say(why, size, "has a profile of %lu parts, expected 1 to 1000000", (unsigned long)d->parts);
    } else if ((d->profile && !simkit__users_amounts(d->profile, d->parts)) ||
               (d->demand_profile && !simkit__users_amounts(d->demand_profile, d->parts))) {
        simkit__users_say(why, size, "has a profile with a number that is negative or not finite");
    } else {
        const double day = d->day > 0 ? d->day : (double)SIMKIT__DAY, part = profiles ? day / (double)d->parts : day;
        double busiest = d->rate;
        for (size_t i = 0; d->profile && i < d->parts; ++i)
            if (d->rate * d->profile[i] > busiest) busiest = d->rate * d->profile[i];
        if (!(busiest <= 1e6))
            simkit__users_say(why, size, "has up to %g processes per second, expected at most 1e6", busiest);
        else if (!(part >= 1e-6 && part <= 1e12))
            simkit__users_say(why, size, "has parts of the day of %g s, expected 1e-6 to 1e12 s", part);
        else if (!(d->time_of_day <= 1e12) || (profiles && !(simkit__users_multiples(now + d->time_of_day, part) >= 0)))
            simkit__users_say(why, size, "begins at %g s of the day, too late for parts of %g s", d->time_of_day, part);
    }
    return why[0] != 0;
}

SIMKIT_API simkit_result simkit_arrivals_start(simkit_world *world, const simkit_arrivals_desc *desc,
                                               simkit_source *source)
{
    if (source) *source = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    (void)simkit_step_cancel(world, 0); /* a process without the stack for this ends here */
    if (!desc) return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "arrivals need a description");
    char called[128];
    simkit__users *u = simkit__users_of(world);
    simkit__source_called(called, desc->name, u ? simkit_array_count(u->sources) + 1 : 1);
    if (!simkit__users_amount(desc->rate)) return simkit__users_bad_number(world, "rate", called, desc->rate);
    if (!simkit__users_amount(desc->day)) return simkit__users_bad_number(world, "day", called, desc->day);
    if (!simkit__users_amount(desc->time_of_day))
        return simkit__users_bad_number(world, "time of day", called, desc->time_of_day);
    if (desc->nice < -20 || desc->nice > 19) return simkit__users_bad_nice(world, called, desc->nice);
    simkit_result result = simkit__users_bad_distribution(world, "demand", called, &desc->demand);
    if (result != SIMKIT_OK) return result;
    char why[160];
    if (simkit__arrivals_wrong(desc, simkit_clock_now(world), why, sizeof why))
        return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "%s %s", called, why);

    simkit__source fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.kind = SIMKIT__ARRIVES;
    fresh.node = desc->node;
    fresh.stream = *desc;
    if (!desc->profile && !desc->demand_profile) fresh.stream.parts = 0;
    if (!(desc->day > 0)) fresh.stream.day = SIMKIT__DAY;
    const size_t parts = fresh.stream.parts;
    const double part = fresh.stream.day / (double)(parts > 0 ? parts : 1);
    if (parts > 0) fresh.number = simkit__users_multiples(simkit_clock_now(world) + desc->time_of_day, part);
    if ((result = simkit__source_reserve(world, &u, desc->node, desc->name)) != SIMKIT_OK) return result;
    if (!simkit__users_keep_name(world, &fresh.stream.name) ||
        !simkit__users_keep_distribution(world, &fresh.stream.demand))
        return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a source");
    if (!simkit_array_reserve(simkit_world_store(world), fresh.profiles, 2 * parts + 1))
        return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a source");
    for (size_t i = 0; i < 2 * parts; ++i) {
        const double *from = i < parts ? desc->profile : desc->demand_profile;
        simkit_array_push(fresh.profiles, from ? from[i % parts] : 1);
        if (i < parts) fresh.a_day += simkit__users_product(simkit__users_product(desc->rate, fresh.profiles[i]), part);
    }
    fresh.stream.profile = fresh.profiles;
    fresh.stream.demand_profile = fresh.profiles + parts;
    const simkit_source number = simkit__source_add(world, u, &fresh, desc->stream, source);
    if (number == 0) return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a source");
    if (parts > 0 ? fresh.a_day > 0 : desc->rate > 0)
        simkit__arrivals_next(world, u, &u->sources[number - 1]);
    else
        simkit__source_end(world, &u->sources[number - 1]);
    return SIMKIT_OK;
}

/* The lines of a trace with their names, as the world's own. */
static bool simkit__keep_arrivals(simkit_world *w, const simkit_arrival **arrivals, size_t count)
{
    if (count == 0) return true;
    simkit_arrival *copy = (simkit_arrival *)simkit_store_resize(simkit_world_store(w), NULL, 0, count * sizeof *copy);
    bool fine = copy;
    if (copy) memset(copy, 0, count * sizeof *copy);
    for (size_t i = 0; fine && i < count; ++i) {
        const simkit_arrival *from = &(*arrivals)[i];
        copy[i].time = from->time;
        copy[i].seconds = from->seconds;
        copy[i].nice = from->nice;
        copy[i].process = from->process;
        copy[i].name = from->name;
        fine = simkit__users_keep_name(w, &copy[i].name);
    }
    if (fine) *arrivals = (const simkit_arrival *)simkit_world_keep(w, copy, count * sizeof *copy);
    if (copy) simkit_store_resize(simkit_world_store(w), copy, count * sizeof *copy, 0);
    return fine && *arrivals;
}

static const char *simkit__arrival_called(char text[128], size_t place, const char *name, const char *of)
{
    if (name && *name)
        simkit__users_say(text, 128, "arrival %lu, '%.60s', of %.50s", (unsigned long)place, name, of);
    else
        simkit__users_say(text, 128, "arrival %lu of %s", (unsigned long)place, of);
    return text;
}

SIMKIT_API simkit_result simkit_replay_start(simkit_world *world, const simkit_replay_desc *desc, simkit_source *source)
{
    if (source) *source = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    (void)simkit_step_cancel(world, 0); /* a process without the stack for this ends here */
    if (!desc || (!desc->arrivals && desc->count > 0))
        return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "a replay needs a description and arrivals");
    char called[128], one[128];
    simkit__users *u = simkit__users_of(world);
    simkit__source_called(called, desc->name, u ? simkit_array_count(u->sources) + 1 : 1);
    if (!simkit__users_amount(desc->skip)) return simkit__users_bad_number(world, "time to skip", called, desc->skip);
    if (!simkit__users_amount(desc->scale)) return simkit__users_bad_number(world, "scale", called, desc->scale);
    size_t processes = 0, at = desc->count;
    double work = 0;
    for (size_t i = desc->count; i-- > 0;) {
        const simkit_arrival *a = &desc->arrivals[i];
        if (!simkit__users_amount(a->time) || (i > 0 && a->time < desc->arrivals[i - 1].time))
            return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT,
                                     "arrival %lu of %s is at %g s: expected finite times >= 0 in order",
                                     (unsigned long)i, called, a->time);
        if (!simkit__users_amount(a->seconds))
            return simkit__users_bad_number(world, "CPU time", simkit__arrival_called(one, i, a->name, called),
                                            a->seconds);
        if (a->nice < -20 || a->nice > 19)
            return simkit__users_bad_nice(world, simkit__arrival_called(one, i, a->name, called), a->nice);
        work += simkit__users_product(a->seconds, desc->scale > 0 ? desc->scale : 1);
        if (a->process > processes) processes = a->process;
        if (a->time >= desc->skip) at = i;
    }
    if (!simkit__users_amount(work)) return simkit__users_bad_number(world, "CPU time of all arrivals", called, work);
    if (processes > 100000000)
        return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "%s has process number %lu, expected at most 100000000",
                                 called, (unsigned long)processes);

    simkit__source fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.kind = SIMKIT__REPLAYS;
    fresh.node = desc->node;
    fresh.replay = *desc;
    if (!(desc->scale > 0)) fresh.replay.scale = 1;
    fresh.at = at;
    fresh.replay_begin = simkit_clock_now(world);
    simkit_result result = simkit__source_reserve(world, &u, desc->node, desc->name);
    if (result != SIMKIT_OK) return result;
    if (!simkit__users_keep_name(world, &fresh.replay.name) ||
        !simkit__keep_arrivals(world, &fresh.replay.arrivals, fresh.replay.count) ||
        !simkit_array_reserve(simkit_world_store(world), fresh.backlog, processes + 1))
        return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a source");
    const simkit__backlog idle = { -1, NULL };
    for (size_t i = 0; i <= processes; ++i) simkit_array_push(fresh.backlog, idle);
    const simkit_source number = simkit__source_add(world, u, &fresh, 0, source);
    if (number == 0) return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a source");
    if (at < desc->count)
        simkit_timer_set(world, u->sources[number - 1].timer,
                         simkit_clock_now(world) + (desc->arrivals[at].time - desc->skip));
    else
        simkit__source_end(world, &u->sources[number - 1]);
    return SIMKIT_OK;
}

#define SIMKIT__MINIMUM_THINK 1e-6 /* [s], mean: what a clock can resolve after some years */

/* A state on a cycle of states without think time; `count` if there is none. Removes the states from which no other such
 * state can follow, until only cycles are left. `left` is left[2 * count]: for each state the number of remaining states
 * that can follow, NONE once it is removed; then the removed states. */
static size_t simkit__graph_find_stall(const simkit_user_state *states, size_t count, uint32_t *left)
{
    uint32_t *out = left + count;
    size_t outs = 0, at = 0;
    for (size_t i = 0; i < count; ++i)
        left[i] = simkit_distribution_mean(&states[i].think) >= SIMKIT__MINIMUM_THINK ? SIMKIT_NONE : 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t to = 0; to < count && left[i] != SIMKIT_NONE && states[i].next; ++to)
            left[i] += left[to] != SIMKIT_NONE && states[i].next[to] > 0;
    for (size_t i = 0; i < count; ++i)
        if (left[i] == 0) out[outs++] = (uint32_t)i;
    for (size_t o = 0; o < outs; ++o) {
        left[out[o]] = SIMKIT_NONE;
        for (size_t i = 0; i < count; ++i) /* not those that are removed already: left[i] is 0 or NONE there */
            if (left[i] != SIMKIT_NONE && left[i] > 0 && states[i].next[out[o]] > 0 && --left[i] == 0)
                out[outs++] = (uint32_t)i;
    }
    while (at < count && left[at] == SIMKIT_NONE) ++at;
    for (size_t steps = 0; at < count && steps < count; ++steps) { /* far enough to be on the cycle */
        size_t to = 0;
        while (!(left[to] != SIMKIT_NONE && states[at].next[to] > 0)) ++to;
        at = to;
    }
    return at;
}

/* What is wrong with a state of a graph; NULL if nothing is. */
static const char *simkit__state_wrong(const simkit_user_state *state, size_t count)
{
    double sum = 0;
    if (simkit_distribution_wrong(&state->think)) return simkit_distribution_wrong(&state->think);
    if (simkit_distribution_wrong(&state->demand)) return simkit_distribution_wrong(&state->demand);
    if (state->nice < -20 || state->nice > 19) return "the nice level is not from -20 to 19";
    if (!state->next) return NULL;
    if (!simkit__users_amounts(state->next, count)) return "a probability is negative or not finite";
    for (size_t i = 0; i < count; ++i) sum += state->next[i];
    return sum > 1 + 1e-9 ? "the probabilities of the next states sum to more than 1" : NULL;
}

/* The states of a user with all that they point to, as the world's own. */
static bool simkit__keep_states(simkit_world *w, const simkit_user_state **states, size_t count)
{
    simkit_user_state *copy =
        (simkit_user_state *)simkit_store_resize(simkit_world_store(w), NULL, 0, count * sizeof *copy);
    bool fine = copy;
    if (copy) memset(copy, 0, count * sizeof *copy);
    for (size_t i = 0; fine && i < count; ++i) {
        copy[i].name = (*states)[i].name;
        copy[i].think = (*states)[i].think;
        copy[i].demand = (*states)[i].demand;
        copy[i].nice = (*states)[i].nice;
        copy[i].next = (*states)[i].next;
        fine = simkit__users_keep_name(w, &copy[i].name) && simkit__users_keep_distribution(w, &copy[i].think) &&
               simkit__users_keep_distribution(w, &copy[i].demand) &&
               simkit__users_keep_numbers(w, &copy[i].next, count);
    }
    if (fine) *states = (const simkit_user_state *)simkit_world_keep(w, copy, count * sizeof *copy);
    if (copy) simkit_store_resize(simkit_world_store(w), copy, count * sizeof *copy, 0);
    return fine && *states;
}

static const char *simkit__state_called(char text[128], const simkit_user_desc *desc, size_t state)
{
    const char *name = desc->states[state].name;
    if (name && *name)
        simkit__users_say(text, 128, "state '%.100s'", name);
    else
        simkit__users_say(text, 128, "state %lu of a user", (unsigned long)state);
    return text;
}

SIMKIT_API simkit_result simkit_user_start(simkit_world *world, const simkit_user_desc *desc, simkit_source *source)
{
    if (source) *source = 0;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    (void)simkit_step_cancel(world, 0); /* a process without the stack for this ends here */
    if (!desc || !desc->states || desc->count == 0 || desc->first >= desc->count)
        return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "a user needs states, and one of them as the first");
    const char *name = desc->states[0].name;
    char called[128], one[128];
    simkit__users *u = simkit__users_of(world);
    simkit__source_called(called, name, u ? simkit_array_count(u->sources) + 1 : 1);
    if (!simkit__users_amount(desc->begin)) return simkit__users_bad_number(world, "begin", called, desc->begin);
    if (!simkit__users_amount(desc->end)) return simkit__users_bad_number(world, "end", called, desc->end);
    for (size_t i = 0; i < desc->count; ++i) {
        const char *wrong = simkit__state_wrong(&desc->states[i], desc->count);
        if (wrong)
            return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "%s: %s", simkit__state_called(one, desc, i), wrong);
    }

    simkit__source fresh;
    uint32_t *left = NULL;
    memset(&fresh, 0, sizeof fresh);
    fresh.kind = SIMKIT__BEHAVES;
    fresh.node = desc->node;
    fresh.user = *desc;
    fresh.at = desc->first;
    simkit_result result = simkit__source_reserve(world, &u, desc->node, name);
    if (result != SIMKIT_OK) return result;
    if (!simkit_array_reserve(simkit_world_store(world), left, 2 * desc->count))
        return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a user");
    const size_t still = simkit__graph_find_stall(desc->states, desc->count, left);
    simkit_array_discard(simkit_world_store(world), left);
    if (still < desc->count)
        return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "%s is on a cycle of states without think time",
                                 simkit__state_called(one, desc, still));
    if (!simkit__keep_states(world, &fresh.user.states, desc->count))
        return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a user");
    const simkit_source number = simkit__source_add(world, u, &fresh, desc->stream, source);
    if (number == 0) return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a user");
    simkit_timer_set(world, u->sources[number - 1].timer,
                     desc->begin > simkit_clock_now(world) ? desc->begin : simkit_clock_now(world));
    return SIMKIT_OK;
}

SIMKIT_API simkit_source_tally simkit_source_progress(const simkit_world *world, simkit_source source)
{
    simkit_source_tally all;
    memset(&all, 0, sizeof all);
    const simkit__users *u = simkit__users_of(world);
    for (size_t i = 0; u && i < simkit_array_count(u->sources); ++i) {
        const simkit_source_tally *one = &u->sources[i].tally;
        if (source != 0 && source != i + 1) continue;
        all.begun += one->begun;
        all.ended += one->ended;
        all.demand += one->demand;
        all.response += one->response;
    }
    return all;
}

SIMKIT_API void simkit_source_stop(simkit_world *world, simkit_source source)
{
    (void)simkit_step_cancel(world, 0); /* as above */
    simkit__users *u = simkit__users_of(world);
    if (!u || source == 0 || source > simkit_array_count(u->sources)) return;
    simkit__source *s = &u->sources[source - 1];
    simkit__source_end(world, s);
    for (size_t i = 0; i < simkit_array_count(s->backlog); ++i)
        if (s->backlog[i].seconds > 0) s->backlog[i].seconds = 0;
}

#ifdef SIMKIT_FILES_H
/*=============================================================================
 * MARK: - >>workloads (body)
 *
 * A trace is a table. Its lines are read as demands: the CPU time that a process has used since its previous line. Then
 * they are put in order of time.
 *===========================================================================*/
typedef struct simkit__workload {
    simkit_store store;
    simkit_workload workload;
    simkit_arrival *arrivals;
    simkit_names names;
} simkit__workload;

typedef struct simkit__trace_line {
    double time, cpu;
    double pid, parent; /* as they stand there: whole numbers */
    const char *name;
    int nice;
    size_t row;
    uint32_t process;
} simkit__trace_line;

static void simkit__workload_close(void *made)
{
    simkit__workload *w = (simkit__workload *)made;
    simkit_names_free(&w->store, &w->names);
    simkit_array_discard(&w->store, w->arrivals);
    simkit_store_close(&w->store, sizeof *w);
}

SIMKIT_API void simkit_workload_close(simkit_workload *workload)
{
    if (workload) simkit__workload_close((char *)workload - offsetof(simkit__workload, workload));
}

typedef bool simkit__before(const simkit__trace_line *a, const simkit__trace_line *b);

static bool simkit__earlier(const simkit__trace_line *a, const simkit__trace_line *b)
{
    return a->time < b->time || (!(b->time < a->time) && a->row < b->row);
}

static bool simkit__by_pid(const simkit__trace_line *a, const simkit__trace_line *b)
{
    return a->pid < b->pid || (!(b->pid < a->pid) && simkit__earlier(a, b));
}

/* Heap sort: qsort() may allocate memory of its own. */
static void simkit__sort_lines(simkit__trace_line *lines, size_t count, simkit__before *before)
{
    for (size_t heaped = count / 2, end = count; end > 1;) {
        simkit__trace_line moved;
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
typedef struct simkit__trace_parser {
    simkit_reader *r;
    simkit__workload *made;
    simkit_table *table;
    simkit__trace_line *lines;
    bool grows; /* cpu is what a process has used so far */
} simkit__trace_parser;

/* Says where a row is, for the error. */
static simkit_reader *simkit__at_row(simkit__trace_parser *p, size_t row)
{
    p->r->line = p->table->line[row];
    return p->r;
}

/* The numbers of a column: by its name, or without a header by its place. */
static const double *simkit__trace_column(const simkit_table *table, const char *name, size_t place)
{
    const simkit_column *column = table->column[0].name[0] ? simkit_table_column(table, name)
                                  : place < table->columns ? &table->column[place]
                                                           : NULL;
    return column ? column->numbers : NULL;
}

static bool simkit__trace_line_wrong(simkit__trace_parser *p, const simkit__trace_line *line, double before,
                                     double nice)
{
    simkit_reader *r = simkit__at_row(p, line->row);
    if (line->time < before)
        return !simkit_reader_error(r, NULL, "time goes back, from %.15g s to %.15g s", before, line->time);
    if ((p->grows && line->pid < 0) || line->pid > floor(line->pid))
        return !simkit_reader_error(r, NULL, "'%.15g' is not a process number", line->pid);
    if (line->parent > floor(line->parent))
        return !simkit_reader_error(r, NULL, "'%.15g' is not a process number", line->parent);
    if (line->time < 0) return !simkit_reader_error(r, NULL, "the time is negative: %.15g s", line->time);
    if (line->cpu < 0) return !simkit_reader_error(r, NULL, "the CPU time is negative: %.15g s", line->cpu);
    if (!(nice >= -20 && nice <= 19) || nice > floor(nice))
        return !simkit_reader_error(r, NULL, "nice level %g, expected a whole number from -20 to 19", nice);
    return false;
}

/* The lines, as they stand in the table. */
static simkit_result simkit__trace_lines(simkit__trace_parser *p)
{
    enum { TIME, PID, PARENT, CPU, SECONDS, NICE, COLUMNS };
    static const char *const names[COLUMNS] = { "time", "pid", "parent", "cpu", "seconds", "nice" };
    const simkit_table *table = p->table;
    const double *column[COLUMNS];
    const bool header = table->column[0].name[0] != 0;
    /* without a header: time, pid, parent, cpu, name */
    for (size_t i = 0; i < COLUMNS; ++i)
        column[i] = simkit__trace_column(table, names[i], i < SECONDS ? i : table->columns);
    const simkit_column *text = header ? simkit_table_column(table, "name") : &table->column[table->columns - 1];
    p->grows = !column[SECONDS];
    for (size_t i = 0; i < COLUMNS; ++i) {
        const bool needed = i == TIME || (p->grows && (i == PID || i == CPU));
        if (!needed || column[i]) continue;
        simkit_reader_row(p->r);
        simkit_reader_error(p->r, NULL, "no column '%s' of numbers, expected time, and seconds or pid and cpu",
                            names[i]);
        return SIMKIT_BAD_FILE;
    }
    if (!simkit_array_reserve(&p->made->store, p->lines, table->rows)) return SIMKIT_NO_MEMORY;
    for (size_t i = 0; i < table->rows; ++i) {
        simkit__trace_line line;
        memset(&line, 0, sizeof line);
        line.time = column[TIME][i];
        line.pid = column[PID] ? column[PID][i] : -1;
        line.parent = column[PARENT] ? column[PARENT][i] : -1;
        line.cpu = column[p->grows ? CPU : SECONDS][i];
        line.row = i;
        const double nice = column[NICE] ? column[NICE][i] : 0;
        if (simkit__trace_line_wrong(p, &line, i > 0 ? column[TIME][i - 1] : line.time, nice)) return SIMKIT_BAD_FILE;
        line.nice = (int)nice;
        const uint32_t name =
            simkit_names_add(&p->made->store, &p->made->names, text && text->texts ? text->texts[i] : "");
        if (name == SIMKIT_NONE) return SIMKIT_NO_MEMORY;
        line.name = p->made->names.texts[name];
        simkit_array_push(p->lines, line);
    }
    return SIMKIT_OK;
}

/* The first line of a process, where lines are sorted by process; NULL if it has none. */
static const simkit__trace_line *simkit__first_of(const simkit__trace_parser *p, double pid)
{
    size_t low = 0, high = simkit_array_count(p->lines);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->lines[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < simkit_array_count(p->lines) && !(p->lines[low].pid > pid) ? &p->lines[low] : NULL;
}

/* Sorts lines by process, checks parents, and turns what a process has used so far into what it has used since. */
static simkit_result simkit__trace_processes(simkit__trace_parser *p)
{
    const size_t count = simkit_array_count(p->lines);
    double before = 0;
    uint32_t processes = 0;
    simkit__sort_lines(p->lines, count, simkit__by_pid);
    for (size_t i = 0; i < count; ++i) {
        simkit__trace_line *line = &p->lines[i];
        const simkit__trace_line *last = i > 0 && !(p->lines[i - 1].pid < line->pid) ? line - 1 : NULL;
        if (line->pid < 0) continue; /* unknown */
        if (line->parent >= 0 && !(p->grows && last)) {
            const simkit__trace_line *parent = simkit__first_of(p, line->parent);
            if (parent && parent->time > line->time) {
                simkit_reader_error(simkit__at_row(p, line->row), NULL,
                                    "process %.0f begins at %.15g s, before its parent %.0f at %.15g s", line->pid,
                                    line->time, line->parent, parent->time);
                return SIMKIT_BAD_FILE;
            }
        }
        if (!p->grows) continue;
        const double so_far = line->cpu;
        if (last && so_far < before && strcmp(last->name, line->name) == 0) {
            simkit_reader_error(simkit__at_row(p, line->row), NULL,
                                "the CPU time of process %.0f goes back, from %.15g s to %.15g s", line->pid, before,
                                so_far);
            return SIMKIT_BAD_FILE;
        }
        if (!last || so_far < before) { /* a new process, perhaps with an old number */
            before = 0;
            ++processes;
        }
        line->process = processes;
        line->cpu = so_far - before;
        before = so_far;
    }
    return SIMKIT_OK;
}

static simkit_result simkit__trace_arrivals(simkit__trace_parser *p)
{
    simkit__workload *w = p->made;
    const size_t count = simkit_array_count(p->lines);
    simkit__sort_lines(p->lines, count, simkit__earlier);
    if (!simkit_array_reserve(&w->store, w->arrivals, count + 1)) return SIMKIT_NO_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        const simkit__trace_line *line = &p->lines[i];
        simkit_arrival arrival;
        memset(&arrival, 0, sizeof arrival);
        if (p->grows && !(line->cpu > 0)) continue; /* nothing new */
        arrival.time = line->time - p->lines[0].time;
        arrival.seconds = line->cpu;
        arrival.nice = line->nice;
        arrival.process = line->process;
        arrival.name = line->name;
        simkit_array_push(w->arrivals, arrival);
    }
    w->workload.arrivals = w->arrivals;
    w->workload.count = simkit_array_count(w->arrivals);
    return SIMKIT_OK;
}

static simkit_result simkit__workload_parse(void *made, const simkit_input *input, simkit_reader *r)
{
    (void)input;
    simkit__trace_parser p;
    simkit_input table;
    memset(&p, 0, sizeof p);
    memset(&table, 0, sizeof table);
    p.r = r;
    p.made = (simkit__workload *)made;
    table.text = r->rest;
    table.length = (size_t)(r->last - r->rest);
    table.name = r->file;
    table.memory = p.made->store.memory;
    simkit_result result = simkit_table_read(&table, &p.table, &r->error);
    if (result == SIMKIT_OK) result = simkit__trace_lines(&p);
    if (result == SIMKIT_OK) result = simkit__trace_processes(&p);
    if (result == SIMKIT_OK) result = simkit__trace_arrivals(&p);
    simkit_table_close(p.table);
    simkit_array_discard(&p.made->store, p.lines);
    return result;
}

SIMKIT_API simkit_result simkit_workload_read(const simkit_input *input, simkit_workload **workload,
                                              simkit_parse_error *error)
{
    void *made;
    if (!workload) return SIMKIT_BAD_ARGUMENT;
    static const simkit_input_format format = { "trace", sizeof(simkit__workload), simkit__workload_parse,
                                                simkit__workload_close };
    const simkit_result result = simkit_input_read(input, &format, &made, error);
    *workload = made ? &((simkit__workload *)made)->workload : NULL;
    return result;
}

/*=============================================================================
 * MARK: - >>values (private)
 *
 * What a users file describes, and how distributions, lists of rates and lists of nodes are written.
 *===========================================================================*/
/* The last element of an array that has some. */
#define simkit__users_last(array) ((array)[simkit_array_count(array) - 1])

typedef enum simkit__section_kind {
    SIMKIT__STREAM,
    SIMKIT__USER,
    SIMKIT__TRACE,
    SIMKIT__SESSIONS
} simkit__section_kind;

enum { SIMKIT__STATES = 1000 }; /* of a user, at most: their probabilities are a matrix */

typedef struct simkit__span { /* of nodes */
    unsigned from, to;
} simkit__span;

typedef struct simkit__interval {
    double begin, end;
} simkit__interval;

typedef struct simkit__follower { /* a state after another; it may be defined later in the file */
    size_t state;
    char to[32];
    double probability;
    unsigned line, column;
} simkit__follower;

typedef struct simkit__section { /* a stream, a user, a trace, or sessions */
    simkit__section_kind kind;
    char *name;
    unsigned line;
    simkit__span *nodes; /* none: all */
    simkit_arrivals_desc stream;
    double *profile, *demand_profile;
    simkit_user_state *states;
    unsigned *state_lines;
    simkit__follower *followers;
    double *next; /* next[states * states] */
    unsigned copies;
    simkit__interval present;
    bool visits; /* a user who is present in sessions only */
    simkit__interval *sessions;
    size_t user; /* sessions: whose */
    simkit_workload *trace;
    double skip, scale;
} simkit__section;

struct simkit_population {
    simkit_store store;
    double day, time_of_day;
    simkit__section *sections;
    double **lists; /* of distributions */
    simkit_names texts;
};

/* A users file that is being read. */
typedef struct simkit__parser {
    simkit_reader *r;
    const char *path; /* of the file; of a text, its name */
    simkit_population *made;
    simkit_keys keys;
    simkit_result failed; /* why nothing more can be read, if it is not an error in this file */
    simkit_names states;  /* of the last user: their numbers are those of its states */
    simkit_names users;   /* and users[number]: the section of that user */
    size_t *user;
} simkit__parser;

static bool simkit__parser_no_memory(simkit__parser *p)
{
    p->failed = SIMKIT_NO_MEMORY;
    return false;
}

/* A text that lives as long as the population; NULL without memory. */
static char *simkit__parser_text(simkit__parser *p, const char *text)
{
    const uint32_t number = simkit_names_add(&p->made->store, &p->made->texts, text);
    return number != SIMKIT_NONE ? p->made->texts.texts[number] : NULL;
}

/* Numbers of a unit, separated by commas, appended to an array whose variable this points at. */
static bool simkit__read_list(simkit__parser *p, const char *base, double **list)
{
    do {
        double value;
        if (!simkit_reader_quantity(p->r, base, &value, NULL)) return false;
        if (!simkit_array_reserve(&p->made->store, *list, 1)) return simkit__parser_no_memory(p);
        simkit_array_push(*list, value);
    } while (simkit_reader_accept(p->r, ','));
    return true;
}

/* The values of a sample, or `probability: mean` of a hyperexponential distribution. */
static bool simkit__read_values(simkit__parser *p, simkit_distribution *d)
{
    simkit_population *made = p->made;
    simkit_reader *r = p->r;
    const bool weighted = d->law == SIMKIT_LAW_HYPEREXPONENTIAL;
    double *values = NULL, *weights = NULL;
    bool fine = true;
    if (!simkit_array_reserve(&made->store, made->lists, 2)) return simkit__parser_no_memory(p);
    do {
        double weight = 1, value = 0;
        if (weighted)
            fine = simkit_reader_quantity(r, "1", &weight, NULL) &&
                   (simkit_reader_accept(r, ':') || simkit_reader_error(r, r->at, "expected ':' and a mean"));
        fine = fine && simkit_reader_quantity(r, "s", &value, NULL);
        if (fine && (!simkit_array_reserve(&made->store, values, 1) || !simkit_array_reserve(&made->store, weights, 1)))
            fine = simkit__parser_no_memory(p);
        if (fine) {
            simkit_array_push(values, value);
            simkit_array_push(weights, weight);
        }
    } while (fine && simkit_reader_accept(r, ','));
    simkit_array_push(made->lists, values);
    simkit_array_push(made->lists, weights);
    d->values = values;
    d->count = simkit_array_count(values);
    if (weighted) d->weights = weights;
    return fine;
}

/* A comma and a time, which the message names. */
static bool simkit__read_further(simkit_reader *r, const char *what, double *value)
{
    return (simkit_reader_accept(r, ',') || simkit_reader_error(r, r->at, "expected ',' and the %s", what)) &&
           simkit_reader_quantity(r, "s", value, NULL);
}

/* A shape, a colon, and a time, which the message names. */
static bool simkit__read_shaped(simkit_reader *r, const char *what, simkit_distribution *d, double *value)
{
    return simkit_reader_quantity(r, "1", &d->shape, NULL) &&
           (simkit_reader_accept(r, ':') || simkit_reader_error(r, r->at, "expected ':' and the %s", what)) &&
           simkit_reader_quantity(r, "s", value, NULL);
}

/* `exponential 2 s`, `constant 1 s`, `pareto 1.5: 0.1 s, 100 s`, `hyperexponential 0.9: 0.2 s, 0.1: 8 s`,
 * `sample 0.1 s, 0.4 s, 3 s`, `normal 2 s, 0.5 s`, `lognormal 2 s, 1 s`, `gamma 2.5: 2 s`, `erlang 3: 2 s`,
 * `weibull 1.5: 2 s`, `triangular 1 s, 2 s, 4 s`, or `uniform 1 s, 3 s`: in the order of simkit_law. */
static bool simkit__read_distribution(simkit__parser *p, simkit_distribution *d)
{
    static const char *const laws[] = { "constant", "exponential", "hyperexponential", "pareto",
                                        "sample",   "normal",      "lognormal",        "gamma",
                                        "erlang",   "weibull",     "triangular",       "uniform" };
    simkit_reader *r = p->r;
    const char *from = r->at;
    size_t law;
    bool fine;
    if (!simkit_reader_choice(r, laws, sizeof laws / sizeof laws[0], &law)) return false;
    simkit_reader_blanks(r);
    memset(d, 0, sizeof *d);
    d->law = (simkit_law)law;
    switch (d->law) {
    case SIMKIT_LAW_HYPEREXPONENTIAL:
    case SIMKIT_LAW_SAMPLE: fine = simkit__read_values(p, d); break;
    case SIMKIT_LAW_PARETO:
        fine = simkit__read_shaped(r, "minimum", d, &d->minimum) &&
               (!simkit_reader_accept(r, ',') || simkit_reader_quantity(r, "s", &d->maximum, NULL));
        break;
    case SIMKIT_LAW_NORMAL:
    case SIMKIT_LAW_LOGNORMAL:
        fine = simkit_reader_quantity(r, "s", &d->mean, NULL) &&
               simkit__read_further(r, "standard deviation", &d->deviation);
        break;
    case SIMKIT_LAW_GAMMA:
    case SIMKIT_LAW_ERLANG: fine = simkit__read_shaped(r, "mean", d, &d->mean); break;
    case SIMKIT_LAW_WEIBULL: fine = simkit__read_shaped(r, "scale", d, &d->scale); break;
    case SIMKIT_LAW_TRIANGULAR:
    case SIMKIT_LAW_UNIFORM:
        fine = simkit_reader_quantity(r, "s", &d->minimum, NULL) &&
               (d->law == SIMKIT_LAW_UNIFORM || simkit__read_further(r, "mode", &d->mode)) &&
               simkit__read_further(r, "maximum", &d->maximum);
        break;
    default: fine = simkit_reader_quantity(r, "s", &d->mean, NULL); break;
    }
    if (!fine) return false;
    double sum = 0;
    for (size_t i = 0; d->weights && i < d->count; ++i) sum += d->weights[i];
    if (d->weights && !(fabs(sum - 1) <= 1e-9))
        return simkit_reader_error(r, from, "the probabilities sum to %g, expected 1", sum);
    const char *wrong = simkit_distribution_wrong(d);
    return !wrong || simkit_reader_error(r, from, "%s", wrong);
}

/* `1-4, 7` */
static bool simkit__read_nodes(simkit__parser *p, simkit__span **nodes)
{
    do {
        const char *from = p->r->at;
        double first, last;
        simkit__span span;
        if (!simkit_reader_number(p->r, &first)) return false;
        last = first;
        if (simkit_reader_accept(p->r, '-') && !simkit_reader_number(p->r, &last)) return false;
        if (!(first >= 1 && first <= last && last <= 1e9) || first > floor(first) || last > floor(last))
            return simkit_reader_error(p->r, from, "nodes %g-%g, expected whole numbers from 1 to 1e9 in order", first,
                                       last);
        span.from = (unsigned)first;
        span.to = (unsigned)last;
        if (!simkit_array_reserve(&p->made->store, *nodes, 1)) return simkit__parser_no_memory(p);
        simkit_array_push(*nodes, span);
    } while (simkit_reader_accept(p->r, ','));
    return true;
}

static bool simkit__read_nice(simkit_reader *r, int *nice)
{
    const char *from = r->at;
    const bool negative = simkit_reader_accept(r, '-');
    double value;
    if (!simkit_reader_quantity(r, "1", &value, NULL)) return false;
    if (value > floor(value) || value > (negative ? 20 : 19))
        return simkit_reader_error(r, from, "expected a whole number from -20 to 19");
    *nice = negative ? -(int)value : (int)value;
    return true;
}

/*=============================================================================
 * MARK: - >>grammar (private)
 *
 * What can be written in the sections of a users file.
 *===========================================================================*/
/* `compile 0.3, edit 0.7` */
static bool simkit__read_next(simkit__parser *p, simkit__section *s)
{
    simkit_reader *r = p->r;
    do {
        simkit__follower follower;
        follower.state = simkit_array_count(s->states) - 1;
        follower.line = r->line;
        follower.column = (unsigned)(r->at - r->start) + 1;
        if (!simkit_reader_word(r, follower.to, "the name of a state, or logout")) return false;
        simkit_reader_blanks(r);
        if (!simkit_reader_quantity(r, "1", &follower.probability, NULL)) return false;
        if (!simkit_array_reserve(&p->made->store, s->followers, 1)) return simkit__parser_no_memory(p);
        simkit_array_push(s->followers, follower);
    } while (simkit_reader_accept(r, ','));
    return true;
}

/* A file beside this one. */
static bool simkit__read_beside(simkit__parser *p, char path[200], simkit_input *input)
{
    memset(input, 0, sizeof *input);
    input->path = path;
    input->beside = p->path;
    input->memory = p->made->store.memory;
    return simkit_reader_text(p->r, path, 200);
}

static bool simkit__read_trace(simkit__parser *p, simkit__section *s)
{
    char path[200];
    simkit_input input;
    if (!simkit__read_beside(p, path, &input)) return false;
    p->failed = simkit_workload_read(&input, &s->trace, &p->r->error);
    return p->failed == SIMKIT_OK;
}

/* Sessions: a table of begin [s] and end [s]. */
static bool simkit__read_sessions(simkit__parser *p, simkit__section *s)
{
    char name[200], path[1024];
    simkit_input input;
    simkit_table *table;
    if (!simkit__read_beside(p, name, &input)) return false;
    p->failed = simkit_table_read(&input, &table, &p->r->error);
    if (p->failed != SIMKIT_OK) return false;
    const double *begin = simkit__trace_column(table, "begin", 0), *end = simkit__trace_column(table, "end", 1);
    bool fine = begin && end;
    simkit_reader row; /* for errors */
    memset(&row, 0, sizeof row);
    row.file = simkit_input_path(&input, path);
    if (!fine) simkit_reader_error(p->r, NULL, "%.80s has no columns 'begin' and 'end' of numbers", row.file);
    for (size_t i = 0; fine && i < table->rows; ++i) {
        const simkit__interval session = { begin[i], end[i] };
        row.line = table->line[i];
        if (!(session.begin >= 0 && session.end > session.begin))
            fine = simkit_reader_error(&row, NULL, "the session is from %g s to %g s, expected 0 <= begin < end",
                                       session.begin, session.end);
        else if (i > 0 && session.begin < begin[i - 1])
            fine = simkit_reader_error(&row, NULL, "time goes back, from %g s to %g s", begin[i - 1], session.begin);
        else if (!simkit_array_reserve(&p->made->store, s->sessions, 1))
            fine = simkit__parser_no_memory(p);
        else
            simkit_array_push(s->sessions, session);
        if (!fine) p->r->error = row.error;
    }
    simkit_table_close(table);
    return fine;
}

static bool simkit__read_user(simkit__parser *p, simkit__section *s)
{
    const char *from = p->r->at;
    char name[32];
    if (!simkit_reader_word(p->r, name, "the name of a user")) return false;
    const uint32_t user = simkit_names_find(&p->users, name);
    if (user == SIMKIT_NONE) return simkit_reader_error(p->r, from, "there is no user '%s' above", name);
    s->user = p->user[user];
    p->made->sections[s->user].visits = true;
    return true;
}

/* Kinds of values beyond those of >>keys. */
enum {
    SIMKIT__KEY_RATES = SIMKIT_KEY_OTHER,
    SIMKIT__KEY_DISTRIBUTION,
    SIMKIT__KEY_NICE,
    SIMKIT__KEY_NODES,
    SIMKIT__KEY_NEXT,
    SIMKIT__KEY_TRACE,
    SIMKIT__KEY_SESSIONS,
    SIMKIT__KEY_USER
};

/* In the order of simkit__section_kind, then those that describe none. */
static const char *const simkit__users_sections[] = { "arrivals", "user", "trace", "sessions", "day", "state" };

static const simkit_key simkit__users_keys[] = {
    { "day", "length", SIMKIT_KEY_POSITIVE, "s", offsetof(simkit_population, day) },
    { "day", "begin", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit_population, time_of_day) },
    { "arrivals", "rate", SIMKIT__KEY_RATES, "1/s", offsetof(simkit__section, profile) },
    { "arrivals", "scale", SIMKIT__KEY_RATES, "1", offsetof(simkit__section, demand_profile) },
    { "arrivals", "demand", SIMKIT__KEY_DISTRIBUTION, "s", offsetof(simkit__section, stream.demand) },
    { "arrivals", "nice", SIMKIT__KEY_NICE, "1", offsetof(simkit__section, stream.nice) },
    { "arrivals", "nodes", SIMKIT__KEY_NODES, "1", offsetof(simkit__section, nodes) },
    { "user", "begin", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit__section, present.begin) },
    { "user", "end", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit__section, present.end) },
    { "user", "copies", SIMKIT_KEY_INTEGER, "1", offsetof(simkit__section, copies) },
    { "user", "nodes", SIMKIT__KEY_NODES, "1", offsetof(simkit__section, nodes) },
    { "state", "think", SIMKIT__KEY_DISTRIBUTION, "s", offsetof(simkit_user_state, think) },
    { "state", "demand", SIMKIT__KEY_DISTRIBUTION, "s", offsetof(simkit_user_state, demand) },
    { "state", "nice", SIMKIT__KEY_NICE, "1", offsetof(simkit_user_state, nice) },
    { "state", "next", SIMKIT__KEY_NEXT, "1", 0 },
    { "trace", "file", SIMKIT__KEY_TRACE, NULL, 0 },
    { "trace", "skip", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit__section, skip) },
    { "trace", "scale", SIMKIT_KEY_POSITIVE, "1", offsetof(simkit__section, scale) },
    { "trace", "nodes", SIMKIT__KEY_NODES, "1", offsetof(simkit__section, nodes) },
    { "sessions", "user", SIMKIT__KEY_USER, NULL, 0 },
    { "sessions", "file", SIMKIT__KEY_SESSIONS, NULL, 0 },
    { "sessions", "nodes", SIMKIT__KEY_NODES, "1", offsetof(simkit__section, nodes) },
};

enum {
    SIMKIT__USERS_KEYS = sizeof simkit__users_keys / sizeof *simkit__users_keys,
    SIMKIT__USERS_SECTIONS = sizeof simkit__users_sections / sizeof *simkit__users_sections
};

static bool simkit__read_users_key(simkit__parser *p)
{
    simkit_population *made = p->made;
    simkit__section *s = simkit_array_count(made->sections) ? &simkit__users_last(made->sections) : NULL;
    char name[32];
    const char *from = p->r->at;
    const simkit_key *key;
    if (!simkit_keys_next(&p->keys, p->r, name, &key)) return false;
    if (!key) return simkit_keys_unknown(&p->keys, p->r, from, name, NULL);
    char *base = (char *)s;
    if (strcmp(p->keys.section, "day") == 0) base = (char *)made;
    if (strcmp(p->keys.section, "state") == 0) base = (char *)&simkit__users_last(s->states);
    void *place = base + key->offset;
    switch (key->kind) {
    case SIMKIT__KEY_RATES: return simkit__read_list(p, key->unit, (double **)place);
    case SIMKIT__KEY_DISTRIBUTION: return simkit__read_distribution(p, (simkit_distribution *)place);
    case SIMKIT__KEY_NICE: return simkit__read_nice(p->r, (int *)place);
    case SIMKIT__KEY_NODES: return simkit__read_nodes(p, (simkit__span **)place);
    case SIMKIT__KEY_NEXT: return simkit__read_next(p, s);
    case SIMKIT__KEY_TRACE: return simkit__read_trace(p, s);
    case SIMKIT__KEY_SESSIONS: return simkit__read_sessions(p, s);
    case SIMKIT__KEY_USER: return simkit__read_user(p, s);
    default: return simkit_keys_value(key, p->r, base);
    }
}

/*=============================================================================
 * MARK: - >>populations (body)
 *
 * Sections become descriptions of >>background, complete once their last line has been read.
 *===========================================================================*/
static void simkit__population_close(void *made)
{
    simkit_population *p = (simkit_population *)made;
    for (size_t i = 0; i < simkit_array_count(p->sections); ++i) {
        simkit__section *s = &p->sections[i];
        simkit_array_discard(&p->store, s->nodes);
        simkit_array_discard(&p->store, s->profile);
        simkit_array_discard(&p->store, s->demand_profile);
        simkit_array_discard(&p->store, s->states);
        simkit_array_discard(&p->store, s->state_lines);
        simkit_array_discard(&p->store, s->followers);
        simkit_array_discard(&p->store, s->next);
        simkit_array_discard(&p->store, s->sessions);
        simkit_workload_close(s->trace);
    }
    for (size_t i = 0; i < simkit_array_count(p->lists); ++i) simkit_array_discard(&p->store, p->lists[i]);
    simkit_array_discard(&p->store, p->sections);
    simkit_array_discard(&p->store, p->lists);
    simkit_names_free(&p->store, &p->texts);
    simkit_store_close(&p->store, sizeof *p);
}

SIMKIT_API void simkit_population_close(simkit_population *population)
{
    if (population) simkit__population_close(population);
}

/* Fills in who can follow whom, when all states of a user are known. */
static bool simkit__fill_graph(simkit__parser *p, simkit__section *s, double *sums)
{
    simkit_reader *r = p->r;
    const size_t count = simkit_array_count(s->states);
    for (size_t i = 0; i < simkit_array_count(s->followers); ++i) {
        const simkit__follower *f = &s->followers[i];
        const uint32_t to = simkit_names_find(&p->states, f->to);
        sums[f->state] = (sums[f->state] < 0 ? 0 : sums[f->state]) + f->probability;
        if (strcmp(f->to, "logout") == 0) continue;
        r->line = f->line;
        if (to == SIMKIT_NONE)
            return simkit_reader_error(r, r->start + f->column - 1, "user '%s' has no state '%s'", s->name, f->to);
        s->next[f->state * count + to] += f->probability;
    }
    for (size_t i = 0; i < count; ++i) {
        r->line = s->state_lines[i];
        s->states[i].next = s->next + i * count;
        if (!(sums[i] < 0) && fabs(sums[i] - 1) > 1e-9)
            return simkit_reader_error(r, NULL, "the probabilities after state '%s' sum to %g, expected 1",
                                       s->states[i].name, sums[i]);
    }
    return true;
}

static bool simkit__finish_user(simkit__parser *p, simkit__section *s)
{
    simkit_population *made = p->made;
    const size_t count = simkit_array_count(s->states);
    uint32_t *left = NULL;
    double *sums = NULL;
    if (count == 0) return simkit_reader_error(p->r, NULL, "user '%s' has no states", s->name);
    if (!simkit_array_reserve(&made->store, s->next, count * count)) return simkit__parser_no_memory(p);
    for (size_t i = 0; i < count * count; ++i) simkit_array_push(s->next, 0);
    if (!simkit_array_reserve(&made->store, sums, count)) return simkit__parser_no_memory(p);
    for (size_t i = 0; i < count; ++i) simkit_array_push(sums, -1); /* a state without followers: logs out */
    const bool fine = simkit__fill_graph(p, s, sums);
    simkit_array_discard(&made->store, sums);
    if (!fine) return false;
    if (!simkit_array_reserve(&made->store, left, 2 * count)) return simkit__parser_no_memory(p);
    const size_t still = simkit__graph_find_stall(s->states, count, left);
    simkit_array_discard(&made->store, left);
    if (still == count) return true;
    p->r->line = s->state_lines[still];
    return simkit_reader_error(p->r, NULL, "state '%s' of user '%s' is on a cycle of states without think time",
                               s->states[still].name, s->name);
}

static bool simkit__finish_stream(simkit__parser *p, simkit__section *s)
{
    simkit_population *made = p->made;
    const size_t rates = simkit_array_count(s->profile), demands = simkit_array_count(s->demand_profile);
    const size_t parts = rates > demands ? rates : demands;
    if (rates == 0) return simkit_reader_error(p->r, NULL, "stream '%s' has no rate", s->name);
    if (demands > 1 && rates > 1 && demands != rates)
        return simkit_reader_error(p->r, NULL, "stream '%s' has %lu rates, but %lu scales", s->name,
                                   (unsigned long)rates, (unsigned long)demands);
    if (simkit_keys_line(&p->keys, "arrivals", "demand") == 0)
        return simkit_reader_error(p->r, NULL, "stream '%s' has no demand", s->name);
    if (!simkit_array_reserve(&made->store, s->profile, parts - rates) ||
        !simkit_array_reserve(&made->store, s->demand_profile, parts - demands))
        return simkit__parser_no_memory(p);
    for (size_t i = rates; i < parts; ++i)
        simkit_array_push(s->profile, s->profile[0]); /* a single one is for the whole day */
    for (size_t i = demands; i < parts; ++i)
        simkit_array_push(s->demand_profile, demands > 0 ? s->demand_profile[0] : 1);
    return true;
}

/* Completes the last section, and checks that it is complete. */
static bool simkit__finish_section(simkit__parser *p)
{
    simkit_reader *r = p->r;
    const unsigned here = r->line;
    bool fine = true;
    if (simkit_array_count(p->made->sections) == 0) return true;
    simkit__section *s = &simkit__users_last(p->made->sections);
    r->line = s->line;
    switch (s->kind) {
    case SIMKIT__STREAM: fine = simkit__finish_stream(p, s); break;
    case SIMKIT__USER:
        if (s->present.end > 0 && s->present.end <= s->present.begin)
            fine = simkit_reader_error(r, NULL, "user '%s' ends at %g s, but begins at %g s", s->name, s->present.end,
                                       s->present.begin);
        else
            fine = simkit__finish_user(p, s);
        break;
    case SIMKIT__TRACE:
        if (!s->trace) fine = simkit_reader_error(r, NULL, "trace '%s' has no file", s->name);
        break;
    case SIMKIT__SESSIONS:
        if (!s->sessions)
            fine = simkit_reader_error(r, NULL, "sessions '%s' have no file", s->name);
        else if (s->user == SIZE_MAX)
            fine = simkit_reader_error(r, NULL, "sessions '%s' have no user", s->name);
        break;
    }
    if (fine) r->line = here;
    return fine;
}

static bool simkit__add_state(simkit__parser *p, const char *from, const char *name)
{
    simkit_population *made = p->made;
    simkit__section *s = simkit_array_count(made->sections) ? &simkit__users_last(made->sections) : NULL;
    simkit_user_state fresh;
    if (!s || s->kind != SIMKIT__USER) return simkit_reader_error(p->r, from, "state '%s' is not under a [user]", name);
    if (strcmp(name, "logout") == 0)
        return simkit_reader_error(p->r, from, "'logout' is reserved: it ends the user's session");
    if (simkit_names_find(&p->states, name) != SIMKIT_NONE)
        return simkit_reader_error(p->r, from, "user '%s' has a state '%s' already", s->name, name);
    if (simkit_array_count(s->states) == SIMKIT__STATES)
        return simkit_reader_error(p->r, from, "user '%s' has more than %d states", s->name, SIMKIT__STATES);
    memset(&fresh, 0, sizeof fresh);
    if (!simkit_array_reserve(&made->store, s->states, 1) || !simkit_array_reserve(&made->store, s->state_lines, 1) ||
        !(fresh.name = simkit__parser_text(p, name)) || simkit_names_add(&made->store, &p->states, name) == SIMKIT_NONE)
        return simkit__parser_no_memory(p);
    simkit_array_push(s->states, fresh);
    simkit_array_push(s->state_lines, p->r->line);
    return true;
}

static bool simkit__add_section(simkit__parser *p, simkit__section_kind kind, const char *name)
{
    simkit_population *made = p->made;
    simkit__section fresh;
    if (!simkit__finish_section(p)) return false;
    memset(&fresh, 0, sizeof fresh);
    fresh.kind = kind;
    fresh.line = p->r->line;
    fresh.copies = 1;
    fresh.user = SIZE_MAX;
    if (!simkit_array_reserve(&made->store, made->sections, 1) || !(fresh.name = simkit__parser_text(p, name)))
        return simkit__parser_no_memory(p);
    if (kind == SIMKIT__USER) { /* of two with one name, the first has it */
        simkit_names_free(&made->store, &p->states);
        if (!simkit_array_reserve(&made->store, p->user, 1) ||
            simkit_names_add(&made->store, &p->users, name) == SIMKIT_NONE)
            return simkit__parser_no_memory(p);
        if (simkit_array_count(p->users.texts) > simkit_array_count(p->user))
            simkit_array_push(p->user, simkit_array_count(made->sections));
    }
    simkit_array_push(made->sections, fresh);
    return true;
}

static bool simkit__read_users_section(simkit__parser *p)
{
    enum { DAY = SIMKIT__SESSIONS + 1, STATE }; /* simkit__users_sections */
    const char *from = p->r->at;
    char name[32] = "";
    size_t kind;
    if (!simkit_keys_section(&p->keys, p->r, &kind)) return false;
    if (kind != DAY && !simkit_reader_word(p->r, name, "a name")) return false;
    if (!simkit_reader_accept(p->r, ']')) return simkit_reader_error(p->r, p->r->at, "expected ']'");
    if (kind == STATE && !simkit__add_state(p, from, name)) return false;
    if (kind < DAY && !simkit__add_section(p, (simkit__section_kind)kind, name)) return false;
    if (kind != DAY) simkit_keys_again(&p->keys); /* there is one day, whatever else comes again */
    return true;
}

static simkit_arrivals_desc simkit__section_stream(const simkit_population *p, const simkit__section *s)
{
    simkit_arrivals_desc stream = s->stream;
    stream.name = s->name;
    stream.day = p->day;
    stream.time_of_day = p->time_of_day;
    stream.rate = 1;
    stream.parts = simkit_array_count(s->profile);
    stream.profile = s->profile;
    stream.demand_profile = s->demand_profile;
    return stream;
}

/* Checks the streams, when the whole day is known. */
static bool simkit__check_streams(simkit__parser *p)
{
    for (size_t i = 0; i < simkit_array_count(p->made->sections); ++i) {
        const simkit__section *s = &p->made->sections[i];
        char why[160];
        if (s->kind != SIMKIT__STREAM) continue;
        const simkit_arrivals_desc stream = simkit__section_stream(p->made, s);
        if (!simkit__arrivals_wrong(&stream, 0, why, sizeof why)) continue;
        p->r->line = s->line;
        return simkit_reader_error(p->r, NULL, "stream '%s' %s", s->name, why);
    }
    return true;
}

static simkit_result simkit__population_parse(void *made, const simkit_input *input, simkit_reader *r)
{
    simkit__parser p;
    unsigned lines[SIMKIT__USERS_KEYS];
    const simkit_keys keys = {
        simkit__users_keys, SIMKIT__USERS_KEYS, simkit__users_sections, SIMKIT__USERS_SECTIONS, lines, NULL
    };
    memset(&p, 0, sizeof p);
    memset(lines, 0, sizeof lines); /* of the keys of this section */
    p.keys = keys;
    p.r = r;
    p.path = input->path ? input->path : r->file;
    p.made = (simkit_population *)made;
    bool fine = true;
    while (fine && simkit_reader_line(r))
        fine = (*r->at == '[' ? simkit__read_users_section(&p) : simkit__read_users_key(&p)) && simkit_reader_end(r);
    fine = fine && simkit__finish_section(&p) && simkit__check_streams(&p);
    simkit_names_free(&p.made->store, &p.states);
    simkit_names_free(&p.made->store, &p.users);
    simkit_array_discard(&p.made->store, p.user);
    return fine ? SIMKIT_OK : p.failed != SIMKIT_OK ? p.failed : SIMKIT_BAD_FILE;
}

SIMKIT_API simkit_result simkit_population_read(const simkit_input *input, simkit_population **population,
                                                simkit_parse_error *error)
{
    void *made;
    if (!population) return SIMKIT_BAD_ARGUMENT;
    static const simkit_input_format format = { "users", sizeof(simkit_population), simkit__population_parse,
                                                simkit__population_close };
    const simkit_result result = simkit_input_read(input, &format, &made, error);
    *population = (simkit_population *)made;
    return result;
}

static simkit_result simkit__section_start(simkit_world *w, const simkit_population *p, const simkit__section *s,
                                           uint64_t number, simkit_node node)
{
    simkit_result result = SIMKIT_OK;
    if (s->kind == SIMKIT__STREAM) {
        simkit_arrivals_desc stream = simkit__section_stream(p, s);
        stream.node = node;
        stream.stream = number;
        return simkit_arrivals_start(w, &stream, NULL);
    }
    if (s->kind == SIMKIT__TRACE) {
        simkit_replay_desc replay;
        memset(&replay, 0, sizeof replay);
        replay.node = node;
        replay.arrivals = s->trace->arrivals;
        replay.count = s->trace->count;
        replay.skip = s->skip;
        replay.scale = s->scale;
        replay.name = s->name;
        return simkit_replay_start(w, &replay, NULL);
    }
    const simkit__section *user = s->kind == SIMKIT__USER ? s : &p->sections[s->user];
    const size_t count = s->kind == SIMKIT__USER ? (s->visits ? 0 : s->copies) : simkit_array_count(s->sessions);
    for (size_t i = 0; i < count && result == SIMKIT_OK; ++i) {
        const simkit__interval present = s->kind == SIMKIT__USER ? s->present : s->sessions[i];
        simkit_user_desc behaviour;
        memset(&behaviour, 0, sizeof behaviour);
        if (present.end > 0 && present.end <= p->time_of_day) continue; /* has left before the world began */
        behaviour.node = node;
        behaviour.states = user->states;
        behaviour.count = simkit_array_count(user->states);
        behaviour.begin = present.begin > p->time_of_day ? present.begin - p->time_of_day : 0;
        behaviour.end = present.end > 0 ? present.end - p->time_of_day : 0;
        behaviour.stream = number << 20 | i;
        result = simkit_user_start(w, &behaviour, NULL);
    }
    return result;
}

SIMKIT_API simkit_result simkit_population_start(simkit_world *world, const simkit_population *population, size_t place,
                                                 simkit_node node)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!population || place == 0)
        return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "the users of a node need a population, and a place >= 1");
    simkit_result result = simkit_load_record(world, node);
    for (size_t i = 0; i < simkit_array_count(population->sections) && result == SIMKIT_OK; ++i) {
        const simkit__section *s = &population->sections[i];
        bool here = simkit_array_count(s->nodes) == 0;
        for (size_t n = 0; n < simkit_array_count(s->nodes); ++n)
            if (place >= s->nodes[n].from && place <= s->nodes[n].to) here = true;
        if (here) result = simkit__section_start(world, population, s, (uint64_t)place << 16 | i, node);
    }
    return result;
}
#endif /* SIMKIT_FILES_H */

#ifdef __cplusplus
}
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif /* SIMKIT_USERS_IMPLEMENTED */

/*
    MIT No Attribution

    Copyright 2026 the simkit authors

    Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
    documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
    rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
    permit persons to whom the Software is furnished to do so.

    THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
    WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS
    OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
    OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/

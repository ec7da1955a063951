/* start.c - the beginning and the end of a run: settings, calibration, the processor, what a fork() changes, and the
 * calls that end the process. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TRIALS = 401 };

/*=============================================================================
 * MARK: - >>settings
 *===========================================================================*/

static double start__number(const char *name, double unset, const char *unit)
{
    const char *text = getenv(name);
    char *end;
    if (!text) return unset;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0) || !(value < THREADS_MOST_SECONDS))
        threads_die("%s=%s: expected a number of %s >= 0", name, text, unit);
    return value;
}

static double start__seconds(const char *name, double unset)
{
    return start__number(name, unset, "seconds");
}

/* Threads of the predicted machine are scheduled as this process is: with real-time priority, by turns of 100 ms or none. The turns of
 * others are not longer than a quantum. */
static double start__slice(void)
{
    struct timespec turn;
    const int policy = sched_getscheduler(0);
    if (policy == SCHED_FIFO) return (double)INFINITY;
    if (policy != SCHED_RR || sched_rr_get_interval(0, &turn) != 0) return 0;
    return (double)turn.tv_sec + 1e-9 * (double)turn.tv_nsec;
}

static void start__settings(void)
{
    const char *text = getenv("SIMTHREADS_CORES"), *charged = getenv("SIMTHREADS_CHARGE");
    if (text) {
        char *end;
        const long value = strtol(text, &end, 10);
        if (end == text || *end || value < 1 || value > THREADS_MOST_CORES)
            threads_die("SIMTHREADS_CORES=%s: expected a whole number from 1 to %d", text, THREADS_MOST_CORES);
        threads_set.cores = (unsigned)value;
    }
    threads_set.fixed = charged && strcmp(charged, "measured") != 0;
    if (threads_set.fixed) threads_set.charge = start__seconds("SIMTHREADS_CHARGE", 0);
    threads_set.path = getenv("SIMTHREADS_WHY") != NULL;
    threads_set.call_cost = start__seconds("SIMTHREADS_CALL", 0);
    threads_set.wake_delay = start__seconds("SIMTHREADS_WAKE", threads_set.fixed ? 0 : 20e-6);
    threads_set.spin_delay = start__seconds("SIMTHREADS_SPIN", 0);
    threads_set.reload = start__seconds("SIMTHREADS_RELOAD", 0);
    threads_set.slice = start__slice();
    threads_set.memory_rate = start__number("SIMTHREADS_MEMORY_RATE", 0, "bytes a second");
    threads_set.memory_bandwidth = start__number("SIMTHREADS_MEMORY_BANDWIDTH", 0, "bytes a second");
    threads_set.timer_delay = start__seconds("SIMTHREADS_TIMER", threads_set.fixed ? 0 : 50e-6);
    threads_set.quantum = start__seconds("SIMTHREADS_QUANTUM", threads_set.fixed ? 0 : threads_set.quantum);
    threads_disks_describe(start__number("SIMTHREADS_DISK_CACHE", 0, "bytes"),
                           start__number("SIMTHREADS_DISK_BANDWIDTH", 0, "bytes a second"),
                           start__seconds("SIMTHREADS_DISK_LATENCY", 0));
    threads_set.begin = start__seconds("SIMTHREADS_BEGIN", 0);
    unsetenv("SIMTHREADS_BEGIN");
    threads_set.adapts = !threads_set.fixed && !getenv("SIMTHREADS_QUANTUM");
    threads_set.polls = (uint64_t)start__seconds("SIMTHREADS_POLLS", (double)threads_set.polls);
}

/*=============================================================================
 * MARK: - >>calibration
 *===========================================================================*/

static int start__order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the CPU time of a call that takes or releases a mutex of the C library for which nobody waits [s]. The minimum counts, because
 * other processes may delay any trial. */
static double start__call_time(void)
{
    enum { ROUNDS = 8, PAIRS = 500 };
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int (*take)(pthread_mutex_t *), (*release)(pthread_mutex_t *);
    double best = (double)INFINITY;
    *(void **)(void *)&take = threads_real_function("pthread_mutex_lock");
    *(void **)(void *)&release = threads_real_function("pthread_mutex_unlock");
    for (int i = 0; i < ROUNDS; ++i) {
        const double begin = direct_clock(CLOCK_MONOTONIC);
        for (int k = 0; k < PAIRS; ++k) take(&mutex), release(&mutex);
        best = fmin(best, (direct_clock(CLOCK_MONOTONIC) - begin) / (2 * PAIRS));
    }
    return best;
}

/* Measures the CPU time that measuring itself takes: a call in which nothing happens, and a notice. */
static void start__calibrate(threads_thread *t)
{
    static double spent[TRIALS];
    for (int i = 0; i < TRIALS; ++i) {
        t->pending = 0;
        t->inside = 1;
        threads_leave(t);
        threads_enter("calibration");
        spent[i] = t->pending;
    }
    qsort(spent, TRIALS, sizeof *spent, start__order);
    threads_set.overhead = spent[TRIALS / 2];
    double before = 0;
    for (int signal = 0; signal <= THREADS_NOTICE && threads_set.quantum > 0; signal += THREADS_NOTICE) {
        for (int i = 0; i < TRIALS; ++i) {
            t->pending = 0;
            threads_watch.calibrating = true;
            t->inside = 1;
            threads_leave(t);
            threads_real.syscall(SYS_tgkill, getpid(), t->task->thread, signal);
            threads_enter("calibration");
            spent[i] = t->pending;
        }
        qsort(spent, TRIALS, sizeof *spent, start__order);
        if (signal == 0)
            before = spent[TRIALS / 2];
        else
            threads_watch.overhead = spent[TRIALS / 2] > before ? spent[TRIALS / 2] - before : 0;
    }
    threads_watch.calibrating = false;
    t->pending = 0;
    if (!getenv("SIMTHREADS_CALL")) threads_set.call_cost = start__call_time();
}

/*=============================================================================
 * MARK: - >>the beginning
 *===========================================================================*/

void threads_rank_hush(void)
{
    threads_off = threads_hushed = true;
}

void threads_start_forked(void)
{
    if (threads_rank) { /* a child of a rank is not part of the run; a child of the launcher begins when it attaches */
        threads_rank_hush();
        return;
    }
    if (!threads_forked()) return;
    threads_turn.forked = true;
    threads_watch_spread(true);
    threads_files_forget();
    threads_timers_forget();
    threads_report_forget();
    if (threads_turn.trapping) threads_trap(threads_self());
}

__attribute__((noreturn)) static void start__no_memory(size_t most)
{
    threads_die("no memory: simthreads needs more than %zu MB for its own data", most >> 20);
}

/* The memory for the world and for the records of threads. */
static void start__arena_make(void)
{
    size_t space = (size_t)(threads_rank ? 1 : 1024) << 26; /* [B] of addresses, of which only used pages take memory */
    direct_no_memory = start__no_memory;
    if (!direct_arena_make(sizeof *direct, &space, NULL)) threads_die("no memory");
}

/* In a program of ranks once for all of them. */
static void start__modules_look(void)
{
    static bool looked;
    if (looked) return;
    looked = true;
    threads_watch_prepare();
    threads_objects_prepare();
    threads_pipes_prepare();
    threads_streams_prepare();
    threads_children_prepare();
    threads_trap_look();
}

static void start__run(void)
{
    threads_clock_start();
    threads_thread *t = threads_main();
    start__modules_look();
    if (direct->shared || !threads_rank) threads_trap_prepare(); /* not before main() of a rank */
    if (!threads_rank) threads_watch_pin();
    if (!threads_set.fixed && !threads_rank) start__calibrate(t);
    t->pending = 0;
    t->inside = 1;
    threads_leave(t);
}

/* Of thousands of ranks, only those with threads have a thread that watches them, and measure what measuring takes. */
static void start__several(void)
{
    threads_thread *t = threads_self();
    if (!threads_rank || threads_turn.watched) return;
    threads_turn.watched = true;
    threads_watch_start();
    if (threads_set.fixed) return;
    const double pending = t->pending;
    const int inside = t->inside;
    start__calibrate(t);
    t->pending = pending;
    t->inside = inside;
}

/* What runs before main() in a program of ranks, such as a library that makes threads, has a run of its own, without a report and
 * without measured times, until threads_rank_hush(). */
static void start__prepare(void)
{
    fenv_t flags;
    if (threads_turn.prepared) return;
    threads_turn.prepared = true;
    fegetenv(&flags);
    threads_real_find();
    pthread_atfork(NULL, NULL, threads_start_forked);
    if (threads_rank ? threads_sanitized() : threads_report_child()) {
        threads_rank_hush();
        return;
    }
    start__arena_make();
    if (threads_rank) {
        const char *cores = getenv("SIMKIT_HOST_CORES"); /* for libraries that look before main() */
        threads_set.cores = cores ? (unsigned)strtoul(cores, NULL, 10) : 1;
        threads_set.fixed = true;
    } else {
        start__settings();
    }
    if (!threads_rank) threads_machine_tell();
    threads_engine_open();
    start__run();
    fesetenv(&flags); /* Fortran's STOP tells floating-point exceptions */
}

void threads_rank_begin(unsigned cores, bool measured)
{
    start__settings();
    threads_set.cores = cores;
    threads_machine_tell();
    threads_set.fixed = !measured;
    if (!measured) threads_set.wake_delay = threads_set.timer_delay = threads_set.call_cost = threads_set.quantum = 0;
    threads_off = threads_hushed = threads_turn.watched = false;
    start__run();
}

__attribute__((constructor(101))) static void start__constructed(void)
{
    start__prepare();
}

/*=============================================================================
 * MARK: - >>the end
 *===========================================================================*/

/* The run is over: the rest of the CPU time, and the report. Of a rank only if its process ends at once, with a status; else that
 * library has seen it itself. */
static void start__finish(const int *status)
{
    threads_thread *t = threads_self();
    if (!t || threads_off || threads_turn.running != t) return;
    if (threads_rank && status && threads_engine->exits && t->inside == 0) threads_engine->exits(*status);
    if (threads_rank || threads_report_borrowed()) return;
    t->inside = 0;
    threads_begin("exit");
    if (threads_turn.forked) threads_children_end();
    threads_report(true);
    threads_off = true;
}

__attribute__((destructor(101))) static void start__destructed(void)
{
    start__finish(NULL);
}

THREADS_PUBLIC void _exit(int status)
{
    start__finish(&status);
    if (!threads_real.end) start__prepare();
    threads_real.end(status);
    abort();
}

THREADS_PUBLIC void _Exit(int status)
{
    _exit(status);
}

THREADS_PUBLIC void quick_exit(int status)
{
    void (*real)(int);
    *(void **)(void *)&real = dlsym(RTLD_NEXT, "quick_exit");
    start__finish(&status);
    if (real) real(status);
    _exit(status);
}

/*=============================================================================
 * MARK: - >>upwards
 *===========================================================================*/

/* The table of calls from lower files to those above them; core.h says what each is for. */

static void start__polled(void)
{
    threads_report(false);
}

static void start__ended(threads_thread *t)
{
    if (t->number > 0) threads_group_add(t);
    threads_robust_left(t);
}

const threads_above_calls threads_above = {
    .prepare = start__prepare,
    .several = start__several,
    .write = write,
    .outside_waited = threads_files_waited,
    .outside_look = threads_files_look,
    .outside_wake = threads_files_wake,
    .outside_await = threads_files_await,
    .outside_signal = threads_files_signal,
    .stopped = threads_deadlock,
    .polled = start__polled,
    .ended = start__ended,
    .expired = threads_timers_expire,
    .cpu_left = threads_timers_left,
    .trap = threads_trap,
    .call = threads_call,
    .called = threads_called,
};

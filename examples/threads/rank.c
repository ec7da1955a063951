/* rank.c - the threads of a rank of examples/messages: they stand on its engine instead of one of their own. Until the rank begins, and
 * in the launcher, calls go to the C library. */
#define _GNU_SOURCE
#include "core.h"

static double rank__enter(const char *call)
{
    threads_thread *t = threads_enter(call);
    if (!t) return 0;
    const double seconds = t->pending;
    t->pending = 0;
    threads_turn.polls = 0;
    return seconds;
}

static void rank__leave(void)
{
    threads_leave(threads_self());
}

static void rank__resumed(void)
{
    threads_turn.running = threads_self();
}

static void rank__ended(void)
{
    threads_off = true;
}

static const direct_threads calls = {
    .enter = rank__enter, .leave = rank__leave, .resumed = rank__resumed, .ended = rank__ended
};

/* For examples/messages: without an engine, where a process has no run; NULL if it cannot have one. Else where a rank has its first turn, on a node with so many
 * cores. measured: CPU time is charged. */
THREADS_PUBLIC const direct_threads *simthreads_attach(const direct_engine *engine, unsigned cores, bool measured);
const direct_threads *simthreads_attach(const direct_engine *engine, unsigned cores, bool measured)
{
    if (!engine || threads_sanitized()) { /* whose functions would wait for a turn while they hold their locks */
        threads_rank_hush();
        return NULL;
    }
    direct = engine->arena;
    direct_locked = engine->locked;
    direct_number = engine->number;
    threads_engine = engine;
    threads_rank_begin(cores, measured);
    return &calls;
}

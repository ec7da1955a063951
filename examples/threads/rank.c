/* rank.c - the threads of a rank of examples/messages: they stand on its engine instead of one of their own. In the
 * launcher, and where ranks share a process, calls go to the C library. */
#define _GNU_SOURCE
#include "core.h"

static double rank__enter(const char *call)
{
    threads_thread *t = threads_enter(call);
    if (!t) return 0;
    threads_turn.polls = 0;
    return threads_charged(t);
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

/* For examples/messages. A rank calls it at its first turn, with the cores of its node; measured: CPU time is charged. NULL: the program
 * has a sanitizer, and its threads stay off the virtual clock. A process without a run calls it with engine = NULL. */
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

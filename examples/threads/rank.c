/* rank.c - the threads of a rank of examples/messages: they stand on its engine instead of one of their own. In the
 * launcher, and where ranks share a process, calls go to the C library. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { OPENBLAS_THREAD = 1 }; /* openblas_get_parallel(): it makes its threads itself; 2: OpenMP does */

/* OpenBLAS makes its threads when it is loaded. The launcher has told it to make none (launch.c), and each rank gives it its own here. An
 * OpenBLAS that has been built with OpenMP takes the threads of OpenMP instead. */
static void rank__begin(void)
{
    const char *wanted = getenv("SIMKIT_BLAS_THREADS");
    void (*set)(int);
    int (*kind)(void);
    const long threads = wanted ? strtol(wanted, NULL, 10) : 1;
    if (threads <= 1) return;
    *(void **)(void *)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    *(void **)(void *)&kind = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
    if (set && kind && kind() == OPENBLAS_THREAD)
        set((int)(threads < (long)threads_set.cores ? threads : (long)threads_set.cores));
}

static void rank__computed(double seconds)
{
    if (threads_self()) threads_self()->times.cpu += seconds;
    threads_cpu += seconds;
}

static double rank__enter(const char *call)
{
    threads_thread *t = threads_enter(call);
    if (!t) return 0;
    const double seconds = threads_charged(t);
    rank__computed(seconds);
    threads_turn.polls = 0;
    if (t->inside == 1) t->cancel.shielded = true;
    return seconds;
}

static void rank__leave(void)
{
    threads_thread *t = threads_self();
    if (t && t->inside == 1) {
        t->cancel.shielded = false;
        if (t->cancel.deferred) threads_real.cancel(t->pthread);
        t->cancel.deferred = false;
    }
    threads_leave(t);
}

static void rank__resumed(void)
{
    threads_turn.running = threads_self();
}

static direct_loop *rank__loop(void)
{
    static direct_loop none; /* the run is over */
    return threads_self() ? &threads_self()->loop : &none;
}

static void rank__ended(void)
{
    threads_off = true;
}

static const direct_threads calls = {
    .begin = rank__begin,
    .enter = rank__enter,
    .leave = rank__leave,
    .resumed = rank__resumed,
    .loop = rank__loop,
    .computed = rank__computed,
    .ended = rank__ended,
};

/* For examples/messages. A rank calls it at its first turn, with the cores of its node; measured: CPU time is charged. NULL: the program
 * has a sanitizer, and its threads stay off the virtual clock. A process without a run calls it with engine = NULL, and cores > 0 if ranks
 * share it. */
THREADS_PUBLIC const direct_threads *simthreads_attach(const direct_engine *engine, unsigned cores, bool measured);
const direct_threads *simthreads_attach(const direct_engine *engine, unsigned cores, bool measured)
{
    if (!engine || threads_sanitized()) { /* whose functions would wait for a turn while they hold their locks */
        threads_rank_hush();
        threads_shared = !engine && cores > 0;
        return NULL;
    }
    if (engine->bytes != sizeof *engine)
        threads_die("the program was linked with another version of this library: link it again with simcc");
    direct = engine->arena;
    direct_locked = engine->locked;
    direct_number = engine->number;
    threads_engine = engine;
    threads_rank_begin(cores, measured);
    return &calls;
}

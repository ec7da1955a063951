/* engine.c - the engine of a program that runs alone: one node with so many cores, and the virtual clock. It has no thread of its
 * own, but runs in the thread that gives up its turn. */
#define _GNU_SOURCE
#include "core.h"

#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread, as the engine knows it. */
typedef struct engine_task {
    direct_task base;
    struct engine_task *next;
    simkit_computation computation; /* its current or last one */
    simkit_step deadline;           /* of its wait; 0: none */
    double over;                    /* virtual time at which its last wait was over [s] */
    double alone;                   /* virtual time in which no other one computed [s] */
    bool waits, spins, gone;
} engine_task;

threads_tally threads_tallied;

static simkit_node node;
static engine_task *all, *spare;
static unsigned computing;
static uintptr_t computing_which; /* exclusive or of those that compute */
static double tally_since;

static void engine__must(simkit_result result)
{
    if (result != SIMKIT_OK) threads_die("%s: %s", simkit_result_text(result), simkit_world_why(direct->world));
}

/* The world stops where a thread is ready. All that happens at that instant comes before its turn. */
static void engine__run_until(double time)
{
    simkit_result result;
    do result = simkit_world_run_until(direct->world, time);
    while (result == SIMKIT_STOPPED);
    engine__must(result);
}

static void engine__tally(const engine_task *t, int change)
{
    const double now = threads_now(), passed = now - tally_since;
    if (passed > 0) {
        if (computing >= threads_tallied.room) {
            const size_t room = 2 * (size_t)computing + 64;
            threads_tallied.running = direct_reallocate(NULL, threads_tallied.running,
                                                        threads_tallied.room * sizeof(double), room * sizeof(double));
            memset(threads_tallied.running + threads_tallied.room, 0, (room - threads_tallied.room) * sizeof(double));
            threads_tallied.room = room;
        }
        threads_tallied.running[computing] += passed;
        if (computing == 1) ((engine_task *)computing_which)->alone += passed;
    }
    tally_since = now;
    computing = change > 0 ? computing + 1 : computing - 1;
    computing_which ^= (uintptr_t)t;
}

double threads_alone(const threads_thread *t)
{
    return ((const engine_task *)(const void *)t->task)->alone;
}

/*=============================================================================
 * MARK: - >>the turn
 *===========================================================================*/

/* The next thread in virtual time. */
static direct_task *engine__next(void)
{
    direct_task *ready;
    while (!(ready = direct_ready_take())) {
        const double now = threads_now(), next = simkit_clock_next(direct->world);
        const bool none = !(next < DIRECT_FOREVER / 2);
        if (threads_above.outside_waited() && (none || computing == 0)) {
            const double most = none ? (double)INFINITY : next - now, passed = threads_above.outside_await(most);
            if (passed < most) {
                if (!none || !threads_set.fixed) engine__run_until(now + passed);
                threads_above.outside_wake();
                continue;
            }
        } else if (none) {
            if (threads_above.outside_signal()) continue;
            threads_above.stopped();
        }
        engine__run_until(next);
    }
    return ready;
}

static void engine__give(direct_task *t)
{
    direct_task *next = engine__next();
    if (next == t) return;
    direct_turn_give(&next->turn, DIRECT_TURN_GO);
    (void)direct_turn_wait(&t->turn, 0);
}

static void engine__yield(direct_task *t)
{
    direct_ready(t);
    engine__give(t);
}

static void engine__ready(simkit_world *world, void *user)
{
    engine_task *t = user;
    (void)world;
    if (!t->gone) direct_ready(&t->base);
}

/* A core that is idle takes a moment to wake up. */
static void engine__get_ready(engine_task *t, double delay)
{
    t->waits = false;
    t->over = threads_now();
    if (delay > 0 && computing < threads_set.cores)
        engine__must(simkit_step_after(direct->world, delay, 0, engine__ready, t, NULL));
    else
        direct_ready(&t->base);
}

/*=============================================================================
 * MARK: - >>computing and waiting
 *===========================================================================*/

static void engine__computed(simkit_world *world, void *user)
{
    engine_task *t = user;
    engine__tally(t, -1);
    engine__ready(world, t);
}

static void engine__compute_start(engine_task *t, double seconds, double memory_rate)
{
    engine__must(direct_compute(direct->world, node, seconds, memory_rate, engine__computed, t, &t->computation));
    engine__tally(t, 1);
}

static void engine__compute(direct_task *task, double seconds)
{
    engine__compute_start((engine_task *)(void *)task, seconds, threads_set.memory_rate);
    engine__give(task);
}

/* A thread that spins goes on at once. */
static void engine__spun(engine_task *t)
{
    simkit_computation_cancel(direct->world, t->computation);
    engine__tally(t, -1);
    t->waits = t->spins = false;
    t->over = threads_now();
    direct_ready(&t->base);
}

static void engine__late(simkit_world *world, void *user)
{
    engine_task *t = user;
    (void)world;
    if (t->gone) return;
    if (t->spins)
        engine__spun(t);
    else
        engine__get_ready(t, threads_set.wake_delay);
}

static double engine__wait(direct_task *task, double until, bool spins, const char *call)
{
    (void)call;
    engine_task *t = (engine_task *)(void *)task;
    t->waits = true;
    t->spins = spins;
    t->deadline = 0;
    if (until < DIRECT_FOREVER) engine__must(simkit_step_at(direct->world, until, 0, engine__late, t, &t->deadline));
    if (spins) engine__compute_start(t, DIRECT_FOREVER, 0);
    engine__give(task);
    return t->over;
}

static void engine__wake(direct_task *task, double delay)
{
    engine_task *t = (engine_task *)(void *)task;
    if (!t->waits) return; /* it is late, and has not run yet */
    simkit_step_cancel(direct->world, t->deadline);
    if (t->spins)
        engine__spun(t);
    else
        engine__get_ready(t, delay);
}

/*=============================================================================
 * MARK: - >>threads
 *===========================================================================*/

static direct_task *engine__task_new(void)
{
    engine_task *t = spare;
    const bool first = !all;
    if (t)
        spare = t->next;
    else
        t = direct_new(sizeof *t);
    memset(t, 0, sizeof *t);
    t->next = all;
    all = t;
    t->waits = true;
    if (first) t->base.turn = DIRECT_TURN_GO;
    return &t->base;
}

static void engine__drop(direct_task *task)
{
    engine_task **place = &all;
    while (&(*place)->base != task) place = &(*place)->next;
    engine_task *t = *place;
    *place = t->next;
    t->next = spare;
    spare = t;
}

static void engine__identify(direct_task *task)
{
    task->process = getpid();
    task->thread = (pid_t)threads_real.syscall(SYS_gettid);
}

static void engine__first(direct_task *task)
{
    engine__identify(task);
    (void)direct_turn_wait(&task->turn, 0);
}

static void engine__end(direct_task *task)
{
    direct_task *next = engine__next();
    engine__drop(task);
    direct_turn_give(&next->turn, DIRECT_TURN_GO);
}

static void engine__forked(direct_task *task)
{
    for (engine_task *t = all; t; t = t->next) t->gone = &t->base != task;
    direct->first_ready = direct->last_ready = NULL;
    engine__identify(task);
}

static double engine__now(void)
{
    return simkit_clock_now(direct->world);
}

static double engine__due(void)
{
    return simkit_clock_next(direct->world);
}

static double engine__share(void)
{
    return direct_share(direct->world, node, threads_set.cores);
}

static const direct_engine own = {
    .bytes = sizeof own,
    .now = engine__now,
    .next = engine__due,
    .share = engine__share,
    .task_new = engine__task_new,
    .drop = engine__drop,
    .first = engine__first,
    .compute = engine__compute,
    .wait = engine__wait,
    .wake = engine__wake,
    .yield = engine__yield,
    .end = engine__end,
    .forked = engine__forked,
};

const direct_engine *threads_engine = &own;

void threads_engine_open(void)
{
    simkit_world_desc desc;
    simkit_node_desc cores;
    memset(&desc, 0, sizeof desc);
    memset(&cores, 0, sizeof cores);
    desc.memory.reallocate = direct_reallocate;
    if (simkit_world_open(&desc, &direct->world) != SIMKIT_OK) threads_die("no memory for a world");
    cores.cores = threads_set.cores;
    cores.memory_bandwidth = threads_set.memory_bandwidth;
    engine__must(simkit_node_add(direct->world, &cores, &node));
    if (threads_set.begin > 0) engine__run_until(threads_set.begin);
}

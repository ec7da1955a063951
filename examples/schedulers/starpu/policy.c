/* A ready task goes to the worker where it ends first, its length multiplied by the slowdown of the worker's core, because
 * others compute there: 1 / share, by contention.h, from what sampler.h sees. */
#define _GNU_SOURCE /* sched_getcpu() */
#include "policy.h"

#include "../sampler.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { MOST = STARPU_NMAXWORKERS };

static const double interval = 0.02, window = 0.1; /* of the sampler [s] */

typedef struct worker {
    int id, core;
    double queued, running; /* lengths, alone, of the tasks assigned, and of the one it executes [s] */
    double begin;           /* of that one [s] */
    double ready;           /* by plan: when all that is assigned has ended [s] */
    double slowdown;
} worker;

static struct {
    starpu_pthread_mutex_t lock;
    worker worker[MOST];
    int workers;
    sampler *look;
    sampler_view view;
    unsigned long number; /* of the view */
    int follows;          /* the work, not the plan */
} policy;

static double now(void)
{
    return starpu_timing_now() * 1e-6;
}

/* What the cores give to workers now: asked again when there is a new view. */
static void ask(void)
{
    const unsigned long number = policy.look ? sampler_latest(policy.look, policy.number, &policy.view) : policy.number;
    static double mine[SAMPLER_CORES];

    if (number == policy.number) return;
    policy.number = number;
    //! [ask]
    for (size_t core = 0; core < policy.view.cores; ++core) mine[core] = 0;
    for (int i = 0; i < policy.workers; ++i) mine[policy.worker[i].core] += 1;
    for (int i = 0; i < policy.workers; ++i) {
        const double share = sampler_share(&policy.view, mine, (size_t)policy.worker[i].core);
        policy.worker[i].slowdown = share > 0.01 ? 1 / share : 100;
    }
    //! [ask]
}

static int push(struct starpu_task *task)
{
    double best = INFINITY, length = 1e-3;
    int where = 0;

    STARPU_PTHREAD_MUTEX_LOCK(&policy.lock);
    ask();
    const double begin = now();
    for (int i = 0; i < policy.workers; ++i) {
        const worker *w = &policy.worker[i];
        const double alone =
            starpu_task_expected_length(task, starpu_worker_get_perf_archtype(w->id, task->sched_ctx), 0) * 1e-6;
        const double seconds = alone > 0 ? alone : 1e-3; /* not measured yet */
        double end = w->ready, length_there = seconds;
        if (policy.follows) {
            end = w->running > 0 ? w->begin + w->running * w->slowdown : begin;
            length_there += w->queued;
        }
        if (end < begin) end = begin;
        end += length_there * w->slowdown;
        if (end < best) best = end, where = i, length = seconds;
    }
    task->predicted = length * 1e6;
    policy.worker[where].queued += length;
    policy.worker[where].ready = best;
    STARPU_PTHREAD_MUTEX_UNLOCK(&policy.lock);
    return starpu_push_local_task(policy.worker[where].id, task, 0);
}

static worker *self(void)
{
    const int id = starpu_worker_get_id();
    for (int i = 0; i < policy.workers; ++i)
        if (policy.worker[i].id == id) return &policy.worker[i];
    return NULL;
}

static void starts(struct starpu_task *task, unsigned context)
{
    const double length = task->predicted > 0 ? task->predicted * 1e-6 : 0; /* NaN: StarPU's own, pushed past push() */
    (void)context;
    STARPU_PTHREAD_MUTEX_LOCK(&policy.lock);
    worker *w = self();
    if (w) {
        const int core = sched_getcpu();
        if (core >= 0 && core < SAMPLER_CORES) w->core = core;
        w->running = length;
        w->queued = w->queued > length ? w->queued - length : 0;
        w->begin = now();
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&policy.lock);
}

static void ends(struct starpu_task *task, unsigned context)
{
    (void)task, (void)context;
    STARPU_PTHREAD_MUTEX_LOCK(&policy.lock);
    worker *w = self();
    if (w) w->running = 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&policy.lock);
}

static void add_workers(unsigned context, int *ids, unsigned count)
{
    (void)context;
    STARPU_PTHREAD_MUTEX_LOCK(&policy.lock);
    for (unsigned i = 0; i < count && policy.workers < MOST; ++i) {
        const int core = starpu_worker_get_bindid(ids[i]);
        policy.worker[policy.workers++] =
            (worker){ .id = ids[i], .core = core >= 0 && core < SAMPLER_CORES ? core : 0, .slowdown = 1 };
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&policy.lock);
}

static void begin_with(int follows, int slowdowns)
{
    policy.workers = 0, policy.number = 0, policy.look = NULL, policy.follows = follows;
    STARPU_PTHREAD_MUTEX_INIT(&policy.lock, NULL);
    if (!slowdowns ||
        (sampler_open(&(sampler_desc){ .window = window }, &policy.look) && sampler_start(policy.look, interval)))
        return;
    fprintf(stderr, "contended: slowdowns are unknown: %s\n", sampler_why(policy.look));
    sampler_close(policy.look);
    policy.look = NULL;
}

static void end(unsigned context)
{
    (void)context;
    sampler_close(policy.look);
    policy.look = NULL;
    STARPU_PTHREAD_MUTEX_DESTROY(&policy.lock);
}

#define BEGIN(name, follows, slowdowns)                                                                                \
    static void name(unsigned context)                                                                                 \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        begin_with(follows, slowdowns);                                                                                \
    }
BEGIN(begin_contended, 1, 1)
BEGIN(begin_blind, 1, 0)
BEGIN(begin_contended_plan, 0, 1)
BEGIN(begin_blind_plan, 0, 0)

#define POLICY(name, start)                                                                                            \
    {                                                                                                                  \
        .init_sched = start, .deinit_sched = end, .add_workers = add_workers, .push_task = push,                       \
        .pre_exec_hook = starts, .post_exec_hook = ends, .policy_name = name, .policy_description = "earliest end",    \
        .worker_type = STARPU_WORKER_LIST                                                                              \
    }

static struct starpu_sched_policy all[] = { POLICY("contended", begin_contended), POLICY("blind", begin_blind),
                                            POLICY("contended-plan", begin_contended_plan),
                                            POLICY("blind-plan", begin_blind_plan) };

struct starpu_sched_policy *policy_named(const char *name)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (strcmp(all[i].policy_name, name) == 0) return &all[i];
    return NULL;
}

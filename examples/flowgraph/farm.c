/* farm.c - the body of farm.h */
#include "farm.h"

#include "builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct farm__task {
    uint64_t number, found;
} farm__task;

typedef struct farm__round {
    farm *all;
    size_t number, first, count; /* its tasks */
    flowgraph_operation hand_out, search, collect;
    flowgraph_edge to_search, to_collect, on;
} farm__round;

struct farm {
    farm_desc desc;
    points *points; /* NULL: none */
    farm__round rounds[FARM_ROUNDS];
    flowgraph_kernel search;
    flowgraph_operation start;
    flowgraph_edge begin;
    uint64_t found;
};

/*=============================================================================
 * MARK: - >>tasks
 *===========================================================================*/
static uint64_t farm__mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t farm_candidates(const farm_desc *desc, size_t task)
{
    const uint64_t random = farm__mix(farm__mix(desc->seed + UINT64_C(0x9e3779b97f4a7c15)) ^ (task + 1));
    const double u = ((double)(random >> 11) + 1) * 0x1p-53; /* 0 < u <= 1 */
    const double length = fmin(0.5 / sqrt(u), 20);           /* in means */
    return (uint64_t)(desc->candidates * length) + 1;
}

size_t farm_round(const farm_desc *desc, size_t round)
{
    size_t left = desc->tasks, count = 0;
    for (size_t i = 0; i <= round; ++i) {
        const size_t later = desc->rounds - 1 - i; /* each needs a task */
        count = later == 0 ? left : (left + 1) / 2;
        if (count > left - later) count = left - later;
        left -= count;
    }
    return count;
}

uint64_t farm_search(uint64_t seed, size_t task, uint64_t candidates)
{
    const uint64_t base = farm__mix(seed ^ ((uint64_t)task << 40));
    uint64_t found = 0;
    for (uint64_t i = 0; i < candidates; ++i) found += farm__mix(base + i) >> 54 == 0; /* one in 1024 */
    return found;
}

typedef struct farm__work {
    const farm_desc *desc;
    farm__task *task;
} farm__work;

static void farm__run_search(void *argument)
{
    const farm__work *w = (const farm__work *)argument;
    const size_t number = (size_t)w->task->number;
    w->task->found = farm_search(w->desc->seed, number, farm_candidates(w->desc, number));
}

static double farm__time(double candidates, void *user)
{
    return candidates * ((const farm *)user)->desc.seconds;
}

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
static size_t farm__in_turn(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return (size_t)((const farm__task *)object)->number % count;
}

static void farm__start(flowgraph_task *task, const void *object, void *user)
{
    const farm *all = (const farm *)user;
    const farm__task nothing = { 0, 0 };
    (void)object;
    if (all->points) points_begin(all->points, task);
    flowgraph_post(task, all->begin, &nothing, NULL, 0);
}

static void farm__hand_out(flowgraph_task *task, const void *object, void *user)
{
    const farm__round *round = (const farm__round *)user;
    (void)object;
    flowgraph_mark(task, round->number);
    for (size_t i = 0; i < round->count; ++i)
        flowgraph_post(task, round->to_search, &(farm__task){ round->first + i, 0 }, NULL, 0);
}

static void farm__search(flowgraph_task *task, const void *object, void *user)
{
    const farm__round *round = (const farm__round *)user;
    const farm *all = round->all;
    farm__task it = *(const farm__task *)object;
    farm__work work = { &all->desc, &it };
    if (it.number >= all->desc.tasks) {
        flowgraph_refuse(task, "it names a task that does not exist");
        return;
    }
    it.found = 0;
    flowgraph_compute(task, all->search, (double)farm_candidates(&all->desc, (size_t)it.number), farm__run_search,
                      &work);
    flowgraph_post(task, round->to_collect, &it, NULL, 0);
}

static void farm__collect(flowgraph_task *task, const void *object, void *user)
{
    const farm__round *round = (const farm__round *)user;
    farm *all = round->all;
    const farm__task nothing = { 0, 0 };
    for (; object; object = flowgraph_next(task)) all->found += ((const farm__task *)object)->found;
    if (all->points && round->number + 1 < all->desc.rounds) points_reach(all->points, task, round->number + 1, 0);
    flowgraph_post(task, round->on, &nothing, NULL, 0);
}

static void farm__end(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    while (object) object = flowgraph_next(task);
}

/*=============================================================================
 * MARK: - >>building
 *===========================================================================*/
static flowgraph_result farm__build(farm *all, flowgraph *graph)
{
    builder b = { graph, FLOWGRAPH_OK };
    const flowgraph_type type = builder_type(&b, "task", sizeof(farm__task)), begin = builder_type(&b, "begin", 0);
    const size_t rounds = all->desc.rounds;
    flowgraph_threads master = builder_threads(&b, "master", 1, 1), workers = 0; /* all on node 0 */
    if (all->points)
        b.result = b.result == FLOWGRAPH_OK ? points_workers(all->points, "workers", 2, &workers) : b.result;
    else
        workers = builder_threads(&b, "workers", flowgraph_nodes(graph), 2);
    all->search = builder_kernel(&b, "search", all->desc.seconds > 0 ? farm__time : NULL, all);
    all->start = builder_operation(&b, "start", FLOWGRAPH_SPLIT, farm__start, all, begin, type, 0, master, 0);
    for (size_t i = 0; i < rounds; ++i) {
        farm__round *r = &all->rounds[i];
        r->hand_out = builder_operation(&b, "hand out", FLOWGRAPH_SPLIT, farm__hand_out, r, type, type, 0, master, 0);
        r->search = builder_operation(&b, "search", FLOWGRAPH_LEAF, farm__search, r, type, type, 0, workers, 0);
        r->collect = builder_operation(&b, "collect", FLOWGRAPH_MERGE, farm__collect, r, type, type, 0, master, 0);
    }
    const flowgraph_operation end =
        builder_operation(&b, "end", FLOWGRAPH_MERGE, farm__end, all, type, 0, 0, master, 0);
    all->begin = builder_edge(&b, all->start, all->rounds[0].hand_out, NULL, NULL, false);
    for (size_t i = 0; i < rounds; ++i) {
        farm__round *r = &all->rounds[i];
        r->to_search = builder_edge(&b, r->hand_out, r->search, farm__in_turn, NULL, false);
        r->to_collect = builder_edge(&b, r->search, r->collect, NULL, NULL, false);
        r->on = builder_edge(&b, r->collect, i + 1 < rounds ? r[1].hand_out : end, NULL, NULL, false);
    }
    return b.result;
}

/* The error in a description; NULL: none. */
static const char *farm__error(const farm_desc *d)
{
    if (d->tasks == 0 || d->tasks > 1000000) return "tasks must be 1 to 1000000";
    if (d->rounds == 0 || d->rounds > FARM_ROUNDS || d->rounds > d->tasks)
        return "rounds must be 1 to 64, and at most the number of tasks";
    if (!(d->candidates >= 1 && d->candidates <= 1e12)) return "candidates must be 1 to 1e12";
    if (!(d->seconds >= 0 && d->seconds < INFINITY)) return "the time of a candidate must be finite and not negative";
    return NULL;
}

flowgraph_result farm_open(flowgraph *graph, const farm_desc *desc, farm **opened, char why[200])
{
    const char *error = farm__error(desc);
    *opened = NULL;
    if (error) {
        snprintf(why, 200, "tasks = %lu, rounds = %lu, candidates = %g: %s", (unsigned long)desc->tasks,
                 (unsigned long)desc->rounds, desc->candidates, error);
        return FLOWGRAPH_BAD_ARGUMENT;
    }
    farm *all = (farm *)calloc(1, sizeof *all);
    if (!all || flowgraph_at_close(graph, free, all) != FLOWGRAPH_OK) {
        free(all);
        snprintf(why, 200, "no memory for a farm");
        return FLOWGRAPH_NO_MEMORY;
    }
    all->desc = *desc;
    for (size_t i = 0, first = 0; i < desc->rounds; ++i) {
        const size_t count = farm_round(desc, i);
        all->rounds[i] = (farm__round){ .all = all, .number = i, .first = first, .count = count };
        first += count;
    }
    flowgraph_result result = FLOWGRAPH_OK;
    if (desc->points) result = points_open(graph, desc->points, &all->points);
    if (result == FLOWGRAPH_OK) result = farm__build(all, graph);
    if (result != FLOWGRAPH_OK) {
        snprintf(why, 200, "%.190s", *flowgraph_why(graph) ? flowgraph_why(graph) : flowgraph_result_text(result));
        return result;
    }
    *opened = all;
    return FLOWGRAPH_OK;
}

flowgraph_operation farm_entry(const farm *all)
{
    return all->start;
}

uint64_t farm_found(const farm *all)
{
    return all->found;
}

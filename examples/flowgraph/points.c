/* points.c - the body of points.h */
#include "points.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4 }; /* collections */

typedef struct points__collection {
    flowgraph_threads threads;
    size_t count;
    bool shared;
    uint32_t *place; /* place[count]: the node of each thread */
    bool *moves;     /* moves[count]: whether it does at this point */
} points__collection;

struct points {
    points_desc desc;
    flowgraph *graph;
    bool *has, *had;  /* of nodes */
    uint32_t *order;  /* order[has_count]: its nodes; worker i is on node order[i] */
    size_t has_count; /* how many */
    size_t *load;     /* load[nodes]: threads of a shared collection */
    points__collection collections[MOST];
    size_t count;
};

static void points__free(void *user)
{
    points *p = (points *)user;
    for (size_t c = 0; c < p->count; ++c) {
        free(p->collections[c].place);
        free(p->collections[c].moves);
    }
    free(p->has);
    free(p->had);
    free(p->order);
    free(p->load);
    free(p);
}

flowgraph_result points_open(flowgraph *graph, const points_desc *desc, points **opened)
{
    if (!graph || !desc || !desc->ask || desc->maximum == 0 || desc->maximum > desc->nodes ||
        flowgraph_nodes(graph) > desc->maximum)
        return FLOWGRAPH_BAD_ARGUMENT;
    points *p = (points *)calloc(1, sizeof *p);
    if (!p) return FLOWGRAPH_NO_MEMORY;
    p->desc = *desc;
    p->graph = graph;
    p->has = (bool *)calloc(desc->nodes, sizeof *p->has);
    p->had = (bool *)calloc(desc->nodes, sizeof *p->had);
    p->order = (uint32_t *)malloc(desc->nodes * sizeof *p->order);
    p->load = (size_t *)malloc(desc->nodes * sizeof *p->load);
    if (!p->has || !p->had || !p->order || !p->load || flowgraph_at_close(graph, points__free, p) != FLOWGRAPH_OK) {
        points__free(p);
        return FLOWGRAPH_NO_MEMORY;
    }
    p->has_count = flowgraph_nodes(graph);
    for (uint32_t i = 0; i < p->has_count; ++i) {
        p->order[i] = i;
        p->has[i] = true;
    }
    *opened = p;
    return FLOWGRAPH_OK;
}

static flowgraph_result points__add(points *p, const char *name, size_t count, uint32_t execution, bool shared,
                                    flowgraph_threads *threads)
{
    points__collection *c = &p->collections[p->count];
    const flowgraph_threads_desc desc = { .name = name, .count = count, .execution = execution };
    if (p->count == MOST) return FLOWGRAPH_BAD_ARGUMENT;
    c->place = (uint32_t *)malloc((count ? count : 1) * sizeof *c->place);
    c->moves = (bool *)malloc(count ? count : 1);
    ++p->count;
    if (!c->place || !c->moves) return FLOWGRAPH_NO_MEMORY;
    for (size_t i = 0; i < count; ++i) c->place[i] = (uint32_t)(i % p->has_count); /* as flowgraph_threads_add() */
    c->count = count;
    c->shared = shared;
    const flowgraph_result result = flowgraph_threads_add(p->graph, &desc, &c->threads);
    *threads = c->threads;
    return result;
}

flowgraph_result points_share(points *p, const char *name, size_t count, uint32_t execution, flowgraph_threads *threads)
{
    return points__add(p, name, count, execution, true, threads);
}

flowgraph_result points_workers(points *p, const char *name, uint32_t execution, flowgraph_threads *threads)
{
    return points__add(p, name, p->desc.maximum, execution, false, threads);
}

flowgraph_result points_begin(points *p, flowgraph_task *task)
{
    flowgraph_result result = FLOWGRAPH_OK;
    for (size_t c = 0; c < p->count && result == FLOWGRAPH_OK; ++c)
        if (!p->collections[c].shared && p->has_count < p->collections[c].count)
            result = flowgraph_resize(task, p->collections[c].threads, p->has_count);
    return result;
}

size_t points_nodes(const points *p)
{
    return p->has_count;
}

static flowgraph_result points__move(flowgraph_task *task, points__collection *c, size_t thread, uint32_t node)
{
    if (c->place[thread] == node) return FLOWGRAPH_OK;
    c->place[thread] = node;
    return flowgraph_move(task, c->threads, thread, node);
}

/* Worker i goes to node order[i]; those that have no node wait on node 0. */
static flowgraph_result points__place_workers(points *p, flowgraph_task *task, points__collection *c)
{
    flowgraph_result result = FLOWGRAPH_OK;
    for (size_t i = 0; i < c->count && result == FLOWGRAPH_OK; ++i) {
        const bool works = i < p->has_count;
        if (works || !p->has[c->place[i]]) result = points__move(task, c, i, works ? p->order[i] : 0);
    }
    return result == FLOWGRAPH_OK ? flowgraph_resize(task, c->threads, p->has_count) : result;
}

/* Takes one more thread on a node if that is within its share; `extra` nodes may have one above it. */
static bool points__takes(points *p, uint32_t node, size_t share, size_t *extra)
{
    if (!p->has[node] || p->load[node] > share || (p->load[node] == share && *extra == 0)) return false;
    *extra -= p->load[node] == share;
    ++p->load[node];
    return true;
}

/* Threads from `first` on are spread evenly: each stays unless its node leaves or has its share already. */
static flowgraph_result points__spread(points *p, flowgraph_task *task, points__collection *c, size_t first)
{
    flowgraph_result result = FLOWGRAPH_OK;
    const size_t live = first < c->count ? c->count - first : 0, share = live / p->has_count;
    size_t extra = live % p->has_count, next = 0;
    memset(p->load, 0, p->desc.nodes * sizeof *p->load);
    for (size_t t = 0; t < c->count; ++t) {
        c->moves[t] = t < first ? !p->has[c->place[t]] : !points__takes(p, c->place[t], share, &extra);
        if (t == 0) c->moves[t] = false; /* it is where the points are */
    }
    for (size_t t = 0; t < c->count && result == FLOWGRAPH_OK; ++t) {
        if (!c->moves[t]) continue;
        if (t < first) {
            result = points__move(task, c, t, p->order[t % p->has_count]);
            continue;
        }
        while (!points__takes(p, p->order[next], share, &extra)) next = (next + 1) % p->has_count;
        result = points__move(task, c, t, p->order[next]);
    }
    return result;
}

/* Nodes that go leave their places in the order to the last ones; those that come follow. */
static void points__reorder(points *p)
{
    for (size_t i = 0; i < p->has_count;) {
        if (p->has[p->order[i]])
            ++i;
        else
            p->order[i] = p->order[--p->has_count];
    }
    for (uint32_t n = 0; n < p->desc.nodes; ++n)
        if (p->has[n] && !p->had[n]) p->order[p->has_count++] = n;
}

flowgraph_result points_reach(points *p, flowgraph_task *task, size_t iteration, size_t first)
{
    flowgraph_result result = FLOWGRAPH_OK;
    size_t count = 0;
    bool differs = false;
    memcpy(p->had, p->has, p->desc.nodes * sizeof *p->has);
    if (!p->desc.ask(p->desc.user, task, iteration, p->has)) return flowgraph_refuse(task, "the run must end");
    for (size_t n = 0; n < p->desc.nodes; ++n) {
        count += p->has[n];
        differs = differs || p->has[n] != p->had[n];
    }
    if (!p->has[0] || count > p->desc.maximum)
        return flowgraph_refuse(task, "node 0 has to stay, and there may not be more nodes than the maximum");
    for (uint32_t n = 0; n < p->desc.nodes && result == FLOWGRAPH_OK; ++n)
        if (p->has[n] && !p->had[n]) result = flowgraph_join(task, n);
    if (!differs || result != FLOWGRAPH_OK) return result;
    points__reorder(p);
    for (size_t c = 0; c < p->count && result == FLOWGRAPH_OK; ++c)
        result = p->collections[c].shared ? points__spread(p, task, &p->collections[c], first)
                                          : points__place_workers(p, task, &p->collections[c]);
    for (uint32_t n = 0; n < p->desc.nodes && result == FLOWGRAPH_OK; ++n)
        if (p->had[n] && !p->has[n]) result = flowgraph_leave(task, n);
    if (p->desc.changed && result == FLOWGRAPH_OK) p->desc.changed(p->desc.user);
    return result;
}

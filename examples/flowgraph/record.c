/* record.c - the body of record.h */
#include "record.h"

#include "flowgraph_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*=============================================================================
 * MARK: - >>efficiency
 *===========================================================================*/
static double record__overlap(double begin, double end, double from, double to)
{
    const double first = begin > from ? begin : from, last = end < to ? end : to;
    return last > first ? last - first : 0;
}

double record_node_seconds(const flowgraph *g, double from, double to)
{
    double sum = 0;
    if (!g || !g->record) return NAN;
    for (size_t i = 0; i < g->records.event_count; ++i) {
        const flowgraph__event *event = &g->records.events[i];
        double until = to;
        if (event->kind != 1) continue;
        for (size_t k = i + 1; k < g->records.event_count; ++k) /* until it is free; events of a node are in order */
            if (g->records.events[k].kind == 2 && g->records.events[k].node == event->node) {
                until = g->records.events[k].time;
                break;
            }
        sum += record__overlap(event->time, until, from, to);
    }
    return sum;
}

double record_efficiency(const flowgraph *g, double from, double to)
{
    double work = 0;
    if (!g || !g->record) return NAN;
    for (size_t i = 0; i < g->records.activation_count; ++i) {
        const flowgraph__activation *a = &g->records.activations[i];
        if (a->end > a->begin) work += a->work * record__overlap(a->begin, a->end, from, to) / (a->end - a->begin);
    }
    return work / g->speed / record_node_seconds(g, from, to);
}

/*=============================================================================
 * MARK: - >>path
 *===========================================================================*/
/* Records by their number, and activations by where and when they ended. */
typedef struct record__index {
    const flowgraph__activation **by_id, **by_end;
    const flowgraph__passage **passages;
    size_t activations, messages;
} record__index;

static int record__order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int record__by_id(const void *a, const void *b)
{
    return record__order((*(const flowgraph__activation *const *)a)->id,
                         (*(const flowgraph__activation *const *)b)->id);
}

static int record__by_number(const void *a, const void *b)
{
    return record__order((*(const flowgraph__passage *const *)a)->id, (*(const flowgraph__passage *const *)b)->id);
}

static int record__by_end(const void *a, const void *b)
{
    const flowgraph__activation *x = *(const flowgraph__activation *const *)a;
    const flowgraph__activation *y = *(const flowgraph__activation *const *)b;
    const uint64_t place = (uint64_t)x->node << 32 | x->executor, other = (uint64_t)y->node << 32 | y->executor;
    if (place != other) return record__order(place, other);
    if (x->end < y->end || x->end > y->end) return x->end < y->end ? -1 : 1;
    return record__order(x->id, y->id);
}

static void record__index_free(record__index *index)
{
    free((void *)(uintptr_t)index->by_id);
    free((void *)(uintptr_t)index->by_end);
    free((void *)(uintptr_t)index->passages);
}

static bool record__index_make(const flowgraph *g, record__index *index)
{
    const flowgraph__records *r = &g->records;
    index->activations = r->activation_count;
    index->messages = r->passage_count;
    index->by_id = (const flowgraph__activation **)malloc((r->activation_count + 1) * sizeof *index->by_id);
    index->by_end = (const flowgraph__activation **)malloc((r->activation_count + 1) * sizeof *index->by_end);
    index->passages = (const flowgraph__passage **)malloc((r->passage_count + 1) * sizeof *index->passages);
    if (!index->by_id || !index->by_end || !index->passages) return false;
    for (size_t i = 0; i < r->activation_count; ++i) index->by_id[i] = index->by_end[i] = &r->activations[i];
    for (size_t i = 0; i < r->passage_count; ++i) index->passages[i] = &r->passages[i];
    qsort((void *)(uintptr_t)index->by_id, r->activation_count, sizeof *index->by_id, record__by_id);
    qsort((void *)(uintptr_t)index->by_end, r->activation_count, sizeof *index->by_end, record__by_end);
    qsort((void *)(uintptr_t)index->passages, r->passage_count, sizeof *index->passages, record__by_number);
    return true;
}

static const flowgraph__activation *record__activation(const record__index *index, uint64_t id)
{
    const flowgraph__activation key = { .id = id }, *pointer = &key;
    const flowgraph__activation **found = (const flowgraph__activation **)bsearch(
        (const void *)&pointer, (const void *)index->by_id, index->activations, sizeof pointer, record__by_id);
    return found ? *found : NULL;
}

static const flowgraph__passage *record__passage(const record__index *index, uint64_t id)
{
    const flowgraph__passage key = { .id = id }, *pointer = &key;
    const flowgraph__passage **found = (const flowgraph__passage **)bsearch(
        (const void *)&pointer, (const void *)index->passages, index->messages, sizeof pointer, record__by_number);
    return found ? *found : NULL;
}

/* The previous activation of the same execution thread. */
static const flowgraph__activation *record__before(const record__index *index, const flowgraph__activation *a)
{
    const flowgraph__activation **found = (const flowgraph__activation **)bsearch(
        (const void *)&a, (const void *)index->by_end, index->activations, sizeof a, record__by_end);

    if (!found || found == index->by_end) return NULL;
    return found[-1]->node == a->node && found[-1]->executor == a->executor ? found[-1] : NULL;
}

typedef struct record__path {
    record_piece *pieces; /* from the end */
    size_t count;
    double at; /* where the path has arrived, going back in time [s] */
    bool memory;
} record__path;

static void record__add(record__path *path, record_kind kind, const char *name, double begin, uint32_t node)
{
    if (!(begin < path->at) || !path->memory) return;
    path->memory = flowgraph__grow(&path->pieces, path->count, sizeof *path->pieces);
    if (!path->memory) return;
    path->pieces[path->count++] = (record_piece){ kind, name, begin, path->at, node };
    path->at = begin;
}

bool record_critical_path(const flowgraph *g, record_piece **pieces, size_t *count)
{
    record__index index = { NULL, NULL, NULL, 0, 0 };
    record__path path = { NULL, 0, 0, true };
    const flowgraph__activation *a = NULL;
    size_t activations, messages; /* those left to visit: an invalid record of another node could be cyclic */

    *pieces = NULL;
    *count = 0;
    if (!g || !g->record) return false;
    if (!record__index_make(g, &index)) {
        record__index_free(&index);
        return false;
    }
    for (size_t i = 0; i < index.activations; ++i)
        if (!a || g->records.activations[i].end > a->end) a = &g->records.activations[i];
    path.at = a ? a->end : 0;
    activations = index.activations;
    messages = index.messages;
    for (; a && path.memory && activations > 0; --activations) {
        const char *name = g->operations[a->operation].name;
        const flowgraph__activation *before = record__before(&index, a);
        const flowgraph__passage *message = record__passage(&index, a->cause);
        record__add(&path, RECORD_OPERATION, name, a->begin, a->node);
        if (before && (!message || before->end > a->ready)) { /* the thread came last */
            record__add(&path, RECORD_WAIT, name, before->end, a->node);
            a = before;
            continue;
        }
        if (message) record__add(&path, RECORD_WAIT, name, message->arrived, a->node);
        a = NULL;
        for (; message && !a && messages > 0; --messages) { /* notices may follow from each other */
            record__add(&path, RECORD_MESSAGE, g->operations[message->operation].name, message->posted, message->to);
            a = record__activation(&index, message->by);
            if (!a) message = record__passage(&index, message->by);
        }
    }
    record__add(&path, RECORD_WAIT, "the beginning", 0, 0);
    record__index_free(&index);
    if (!path.memory) {
        free(path.pieces);
        return false;
    }
    for (size_t i = 0; i < path.count / 2; ++i) {
        const record_piece piece = path.pieces[i];
        path.pieces[i] = path.pieces[path.count - 1 - i];
        path.pieces[path.count - 1 - i] = piece;
    }
    *pieces = path.pieces;
    *count = path.count;
    return true;
}

/*=============================================================================
 * MARK: - >>drawing
 *
 * In a world of its own, whose watchers receive the recorded events.
 *===========================================================================*/
/* The recorded items of one run, in the order in which they began, which determines rows and colours. */
typedef struct record__bar {
    double begin, end;
    const flowgraph__activation *activation; /* or */
    const flowgraph__passage *passage;       /* or */
    const flowgraph__guest *guest;
    size_t number; /* in the order of the record, which decides at equal times: qsort() keeps no order of its own */
} record__bar;

static int record__by_begin(const void *a, const void *b)
{
    const record__bar *x = (const record__bar *)a, *y = (const record__bar *)b;
    if (x->begin < y->begin || x->begin > y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static simkit_result record__tell_bar(simkit_world *world, const flowgraph *g, const record__bar *bar,
                                      simkit_node first)
{
    simkit_watch_event event = { 0 };
    event.begin = bar->begin;
    event.time = bar->end;
    if (bar->activation) {
        const flowgraph__operation *operation = &g->operations[bar->activation->operation];
        event.kind = SIMKIT_WATCH_COMPUTE;
        event.name = operation->name;
        event.lane = g->collections[operation->desc.threads - 1].threads[bar->activation->thread].name;
        event.seconds = bar->activation->work;
        event.node = first + bar->activation->node;
    } else if (bar->guest) {
        event.kind = SIMKIT_WATCH_COMPUTE;
        event.name = bar->guest->name;
        event.lane = "users";
        event.seconds = bar->end - bar->begin;
        event.node = first + bar->guest->node;
    } else {
        const flowgraph__operation *operation = &g->operations[bar->passage->operation];
        event.kind = SIMKIT_WATCH_TRANSFER;
        event.name = g->types[operation->desc.takes - 1].name;
        event.bytes = bar->passage->bytes;
        event.node = first + bar->passage->from;
        event.to = first + bar->passage->to;
    }
    event.phase = SIMKIT_PHASE_BEGIN;
    event.time = event.begin;
    simkit_result told = simkit_watch_emit(world, &event);
    event.phase = SIMKIT_PHASE_END;
    event.time = bar->end;
    return told == SIMKIT_OK ? simkit_watch_emit(world, &event) : told;
}

static simkit_result record__tell_run(simkit_world *world, const flowgraph *g, simkit_node first)
{
    const flowgraph__records *r = &g->records;
    record__bar *bars =
        (record__bar *)calloc(r->activation_count + r->passage_count + r->guest_count + 1, sizeof *bars);
    simkit_result told = bars ? SIMKIT_OK : SIMKIT_NO_MEMORY;
    size_t count = 0;

    for (size_t i = 0; i < r->activation_count && bars; ++i)
        bars[count++] = (record__bar){ .begin = r->activations[i].begin,
                                       .end = r->activations[i].end,
                                       .activation = &r->activations[i] };
    for (size_t i = 0; i < r->guest_count && bars; ++i)
        bars[count++] = (record__bar){ .begin = r->guests[i].begin, .end = r->guests[i].end, .guest = &r->guests[i] };
    for (size_t i = 0; i < r->passage_count && bars; ++i)
        if (r->passages[i].kind == FLOWGRAPH__OBJECT && r->passages[i].from != r->passages[i].to)
            bars[count++] = (record__bar){ .begin = r->passages[i].posted,
                                           .end = r->passages[i].arrived,
                                           .passage = &r->passages[i] };
    for (size_t i = 0; i < count; ++i) bars[i].number = i;
    if (bars) qsort(bars, count, sizeof *bars, record__by_begin);
    for (size_t i = 0; i < count && told == SIMKIT_OK; ++i)
        if (bars[i].begin >= 0 && bars[i].end >= bars[i].begin) told = record__tell_bar(world, g, &bars[i], first);
    free(bars);
    return told;
}

/* Adds the nodes of a run; returns the number of the first. */
static simkit_result record__nodes(simkit_world *world, const record_run *run, simkit_node *first)
{
    simkit_result result = SIMKIT_OK;
    *first = 0;
    for (size_t i = 0; i < run->graph->node_count && result == SIMKIT_OK; ++i) {
        char name[48];
        simkit_node node;
        const simkit_node_desc desc = { .name = name, .cores = run->graph->cores };
        snprintf(name, sizeof name, "%.20s%snode %lu", run->name ? run->name : "", run->name ? " " : "",
                 (unsigned long)i);
        result = simkit_node_add(world, &desc, &node);
        if (i == 0) *first = node;
    }
    return result;
}

flowgraph_result record_draw(const record_run *runs, size_t count, const char *title, const char *svg,
                             const char *trace, char why[200])
{
    simkit_world *world = NULL;
    const char *const paths[2] = { svg, trace };
    simkit_trace *traces[2] = { NULL, NULL };
    simkit_result result = simkit_world_open(NULL, &world);
    simkit_node first[2] = { 0, 0 };
    for (size_t i = 0; i < count && i < 2 && result == SIMKIT_OK; ++i)
        result = record__nodes(world, &runs[i], &first[i]);
    for (int i = 0; i < 2; ++i)
        if (paths[i] && result == SIMKIT_OK)
            result = simkit_trace_open(world, &(simkit_trace_desc){ .path = paths[i], .title = title }, &traces[i]);
    for (size_t i = 0; i < count && i < 2 && result == SIMKIT_OK; ++i)
        result = record__tell_run(world, runs[i].graph, first[i]);
    for (int i = 0; i < 2; ++i) {
        simkit_result closed = simkit_trace_close(traces[i]);
        if (result == SIMKIT_OK) result = closed;
    }
    if (result != SIMKIT_OK) snprintf(why, 200, "%.190s", world ? simkit_world_why(world) : "no memory");
    simkit_world_close(world);
    return result == SIMKIT_OK ? FLOWGRAPH_OK : result == SIMKIT_NO_MEMORY ? FLOWGRAPH_NO_MEMORY : FLOWGRAPH_WORLD;
}

/* flowgraph.c - the body of flowgraph.h: every execution of an operation is a process of the world */
#include "flowgraph.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct flowgraph__frame flowgraph__frame;
typedef struct flowgraph__thread flowgraph__thread;

typedef enum flowgraph__what { FLOWGRAPH__OBJECT, FLOWGRAPH__FRAME, FLOWGRAPH__TASK } flowgraph__what;

/* All objects, frames and tasks begin with this: what a graph holds is a ring, so that closing it finds them. */
typedef struct flowgraph__link {
    struct flowgraph__link *before, *after;
    flowgraph__what what;
} flowgraph__link;

/* A data object: on its way, in a queue, or in the hands of an operation. */
typedef struct flowgraph__object {
    flowgraph__link link;
    struct flowgraph__object *next; /* in the queue */
    flowgraph__frame *frame;        /* in which it counts; NULL: from outside */
    flowgraph__thread *thread;      /* where it goes */
    uint32_t operation;             /* who takes it, from 0 */
    bool marker;                    /* no object: tells a waiting merge that its frame is complete */
    double payload[];               /* as its type says */
} flowgraph__object;

/* What one execution of a split or stream posts. */
struct flowgraph__frame {
    flowgraph__link link;
    flowgraph__frame *parent;  /* of the object that was split */
    uint32_t opener;           /* operation that opened it, from 0 */
    bool sealed;               /* the opener has ended: no more will come, but from outer edges */
    uint64_t posted, taken;    /* objects in it; those that its merge has taken */
    flowgraph__thread *thread; /* where its first object to be merged went, and so all of them must */
    uint32_t merger;           /* operation that merges it, from 0; meaningless while thread is NULL */
    flowgraph_task *task;      /* that execution; NULL: not yet */
};

/* One execution of an operation. */
struct flowgraph_task {
    flowgraph__link link;
    flowgraph *graph;
    uint32_t operation;        /* from 0 */
    flowgraph__thread *thread; /* where it runs */
    flowgraph__object *object; /* the one in its hands; NULL: none */
    flowgraph__frame *merged;  /* the frame that it collects */
    flowgraph__frame *opened;  /* the frame that it fills */
    flowgraph__frame *outer;   /* where its result counts, and what it posts on outer edges */
    uint64_t results;          /* posted, but for outer edges */
    double charged;            /* [s], in the current step */
    simkit_process process;    /* which it is */
    bool waits;                /* for its next object, its thread given up */
};

struct flowgraph__thread {
    flowgraph *graph;
    simkit_node node;
    size_t number; /* in its collection, from 0 */
    char name[48];
    flowgraph__object *head, *tail; /* its queue */
    flowgraph_task *task;           /* which holds it; NULL: free */
};

typedef struct flowgraph__collection {
    char name[32];
    size_t count;
    flowgraph__thread *threads;
} flowgraph__collection;

typedef struct flowgraph__type {
    char name[32];
    size_t size;
} flowgraph__type;

typedef struct flowgraph__operation {
    flowgraph_operation_desc desc;
    char name[32];
    uint32_t edges; /* which leave it */
    int depth;      /* how many frames its objects are in; -1: nothing leads here */
} flowgraph__operation;

struct flowgraph {
    simkit_world *world;
    flowgraph__type *types;
    flowgraph__collection *collections;
    flowgraph__operation *operations;
    flowgraph_edge_desc *edges;
    uint32_t type_count, collection_count, operation_count, edge_count;
    flowgraph__link ring;    /* all objects, frames and tasks */
    flowgraph_result result; /* the first failure of an operation */
    bool started;            /* nothing can be added any more */
    char why[640];
};

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
const char *flowgraph_result_text(flowgraph_result result)
{
    switch (result) {
    case FLOWGRAPH_OK: return "done";
    case FLOWGRAPH_BAD_ARGUMENT:
        return "a number is negative, NaN or infinite, or names nothing, or a pointer is missing";
    case FLOWGRAPH_BAD_GRAPH: return "the graph does not fit together";
    case FLOWGRAPH_BAD_ROUTE: return "a routing function sent an object where it cannot go";
    case FLOWGRAPH_BAD_COUNT: return "an operation posted or took the wrong number of objects";
    case FLOWGRAPH_BAD_CALL: return "not possible here";
    case FLOWGRAPH_INCOMPLETE: return "nothing is left to happen, yet operations wait";
    case FLOWGRAPH_NO_MEMORY: return "no memory";
    case FLOWGRAPH_WORLD: return "the world in which the graph runs failed or was stopped";
    }
    return "unknown result";
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static flowgraph_result
flowgraph__fail(flowgraph *g, flowgraph_result result, const char *format, ...)
{
    const int length = snprintf(g->why, sizeof g->why, "at %.9g s: ", simkit_clock_now(g->world));
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(g->why + length, sizeof g->why - (size_t)length, format, arguments);
    va_end(arguments);
    return result;
}

static flowgraph_result flowgraph__no_memory(flowgraph *g)
{
    return flowgraph__fail(g, FLOWGRAPH_NO_MEMORY, "no memory");
}

/* What the world said. Its sentences have the time already. */
static flowgraph_result flowgraph__world_failed(flowgraph *g, simkit_result result)
{
    const char *why = simkit_world_why(g->world);
    snprintf(g->why, sizeof g->why, "%s", *why ? why : simkit_result_text(result));
    return result == SIMKIT_NO_MEMORY ? FLOWGRAPH_NO_MEMORY : FLOWGRAPH_WORLD;
}

/* A failure in an operation: the first counts, and ends the run. */
static flowgraph_result flowgraph__end(flowgraph *g, flowgraph_result result)
{
    if (result != FLOWGRAPH_OK && g->result == FLOWGRAPH_OK) {
        g->result = result;
        simkit_world_stop(g->world);
    }
    return result;
}

const char *flowgraph_why(const flowgraph *g)
{
    return g ? g->why : "no graph";
}

/*=============================================================================
 * MARK: - >>memory
 *===========================================================================*/
static void *flowgraph__new(flowgraph *g, flowgraph__what what, size_t bytes)
{
    flowgraph__link *link = (flowgraph__link *)calloc(1, bytes);

    if (link == NULL) return NULL;
    link->before = g->ring.before;
    link->after = &g->ring;
    link->what = what;
    link->before->after = link;
    g->ring.before = link;
    return link;
}

static void flowgraph__free(void *item)
{
    flowgraph__link *link = (flowgraph__link *)item;

    if (link == NULL) return;
    link->before->after = link->after;
    link->after->before = link->before;
    free(link);
}

/* Makes room for one more of `bytes` each; the rooms double, so the count alone tells when they are full. */
static bool flowgraph__grow(void *array, uint32_t count, size_t bytes)
{
    void **items = (void **)array, *larger;

    if ((count & (count - 1)) != 0) return true;
    larger = realloc(*items, (count ? 2 * (size_t)count : 1) * bytes);
    if (larger != NULL) *items = larger;
    return larger != NULL;
}

/*=============================================================================
 * MARK: - >>graph
 *===========================================================================*/
flowgraph_result flowgraph_open(simkit_world *world, flowgraph **graph)
{
    flowgraph *g;

    if (graph == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    *graph = NULL;
    if (world == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    g = (flowgraph *)calloc(1, sizeof *g);
    if (g == NULL) return FLOWGRAPH_NO_MEMORY;
    g->world = world;
    g->ring.before = g->ring.after = &g->ring;
    *graph = g;
    return FLOWGRAPH_OK;
}

void flowgraph_close(flowgraph *g)
{
    if (g == NULL) return;
    while (g->ring.after != &g->ring) flowgraph__free(g->ring.after);
    for (uint32_t i = 0; i < g->collection_count; i++) free(g->collections[i].threads);
    free(g->types);
    free(g->collections);
    free(g->operations);
    free(g->edges);
    free(g);
}

static const char *flowgraph__kind_text(flowgraph_kind kind)
{
    static const char *const texts[] = { "leaf", "split", "merge", "stream" };
    return texts[kind];
}

/* Whether something can be added, and is called something. */
static flowgraph_result flowgraph__addable(flowgraph *g, const char *what, const char *name)
{
    if (g->started)
        return flowgraph__fail(g, FLOWGRAPH_BAD_CALL, "a %s cannot be added to a graph that has begun", what);
    if (name == NULL || *name == 0 || strlen(name) > 31)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "a %s needs a name of 1 to 31 bytes", what);
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_type_add(flowgraph *g, const char *name, size_t size, flowgraph_type *type)
{
    flowgraph_result result;

    if (g == NULL || type == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    *type = 0;
    result = flowgraph__addable(g, "type", name);
    if (result != FLOWGRAPH_OK) return result;
    if (size > 1u << 20)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "type '%s': more than 1 MiB in every object", name);
    if (!flowgraph__grow(&g->types, g->type_count, sizeof *g->types)) return flowgraph__no_memory(g);
    strcpy(g->types[g->type_count].name, name);
    g->types[g->type_count].size = size;
    *type = ++g->type_count;
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_threads_add(flowgraph *g, const char *name, const simkit_node *nodes, size_t count,
                                       flowgraph_threads *threads)
{
    flowgraph_result result;
    flowgraph__thread *items;

    if (g == NULL || threads == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    *threads = 0;
    result = flowgraph__addable(g, "collection of threads", name);
    if (result != FLOWGRAPH_OK) return result;
    if (nodes == NULL || count == 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "threads '%s' need at least one node", name);
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == 0 || nodes[i] > simkit_node_count(g->world))
            return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "thread %lu of '%s' is on node %lu, which does not exist",
                                   (unsigned long)i, name, (unsigned long)nodes[i]);
    if (!flowgraph__grow(&g->collections, g->collection_count, sizeof *g->collections)) return flowgraph__no_memory(g);
    items = (flowgraph__thread *)calloc(count, sizeof *items);
    if (items == NULL) return flowgraph__no_memory(g);
    for (size_t i = 0; i < count; i++) {
        items[i].graph = g;
        items[i].node = nodes[i];
        items[i].number = i;
        snprintf(items[i].name, sizeof items[i].name, "%s %lu", name, (unsigned long)i);
    }
    strcpy(g->collections[g->collection_count].name, name);
    g->collections[g->collection_count].count = count;
    g->collections[g->collection_count].threads = items;
    *threads = ++g->collection_count;
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_operation_add(flowgraph *g, const flowgraph_operation_desc *desc,
                                         flowgraph_operation *operation)
{
    flowgraph_result result;
    flowgraph__operation *item;

    if (g == NULL || desc == NULL || operation == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    *operation = 0;
    result = flowgraph__addable(g, "operation", desc->name);
    if (result != FLOWGRAPH_OK) return result;
    if (desc->kind > FLOWGRAPH_STREAM || desc->run == NULL)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "operation '%s' needs a kind and a function", desc->name);
    if (desc->threads == 0 || desc->threads > g->collection_count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "operation '%s' runs in threads %lu, which do not exist",
                               desc->name, (unsigned long)desc->threads);
    for (int i = -1; i < FLOWGRAPH_GIVES; i++) {
        const flowgraph_type type = i < 0 ? desc->takes : desc->gives[i];
        if (type > g->type_count || (i < 0 && type == 0))
            return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "operation '%s' %s type %lu, which does not exist",
                                   desc->name, i < 0 ? "takes" : "gives", (unsigned long)type);
    }
    if (!flowgraph__grow(&g->operations, g->operation_count, sizeof *g->operations)) return flowgraph__no_memory(g);
    item = &g->operations[g->operation_count];
    memset(item, 0, sizeof *item);
    item->desc = *desc;
    item->desc.name = NULL; /* the caller's */
    item->depth = -1;
    strcpy(item->name, desc->name);
    *operation = ++g->operation_count;
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_edge_add(flowgraph *g, const flowgraph_edge_desc *desc, flowgraph_edge *edge)
{
    const flowgraph__operation *from, *to;
    bool given = false;

    if (g == NULL || desc == NULL || edge == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    *edge = 0;
    if (g->started) return flowgraph__fail(g, FLOWGRAPH_BAD_CALL, "an edge cannot be added to a graph that has begun");
    if (desc->from == 0 || desc->from > g->operation_count || desc->to == 0 || desc->to > g->operation_count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "an edge from operation %lu to operation %lu: there are %lu",
                               (unsigned long)desc->from, (unsigned long)desc->to, (unsigned long)g->operation_count);
    from = &g->operations[desc->from - 1];
    to = &g->operations[desc->to - 1];
    if (desc->from >= desc->to)
        return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH,
                               "edge '%s' -> '%s' goes back: operations are added in the order of the flow", from->name,
                               to->name);
    for (int i = 0; i < FLOWGRAPH_GIVES; i++) given = given || from->desc.gives[i] == to->desc.takes;
    if (!given)
        return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH, "edge '%s' -> '%s': '%s' takes '%s', which '%s' does not give",
                               from->name, to->name, to->name, g->types[to->desc.takes - 1].name, from->name);
    if (!flowgraph__grow(&g->edges, g->edge_count, sizeof *g->edges)) return flowgraph__no_memory(g);
    g->edges[g->edge_count] = *desc;
    g->operations[desc->from - 1].edges++;
    *edge = ++g->edge_count;
    return FLOWGRAPH_OK;
}

static bool flowgraph__collects(const flowgraph__operation *operation)
{
    return operation->desc.kind == FLOWGRAPH_MERGE || operation->desc.kind == FLOWGRAPH_STREAM;
}

static bool flowgraph__opens(const flowgraph__operation *operation)
{
    return operation->desc.kind == FLOWGRAPH_SPLIT || operation->desc.kind == FLOWGRAPH_STREAM;
}

/* Follows the flow from an entry and counts the frames around every object. Edges go forward, so one pass does. */
static flowgraph_result flowgraph__check(flowgraph *g, uint32_t entry)
{
    if (g->operations[entry].depth > 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH, "'%s' cannot be started: it is inside a split",
                               g->operations[entry].name);
    g->operations[entry].depth = 0;
    for (uint32_t o = entry; o < g->operation_count; o++) {
        const flowgraph__operation *from = &g->operations[o];
        const char *kind = flowgraph__kind_text(from->desc.kind);
        const int outer = from->depth - flowgraph__collects(from), depth = outer + flowgraph__opens(from);
        bool results = false;
        if (from->depth < 0) continue;
        if (outer < 0)
            return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH, "%s '%s' collects nothing: no split is before it", kind,
                                   from->name);
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const flowgraph_edge_desc *edge = &g->edges[e];
            flowgraph__operation *to = &g->operations[edge->to - 1];
            if (edge->from - 1 != o) continue;
            results = results || !edge->outer;
            if (to->depth < 0) to->depth = edge->outer ? outer : depth;
            if (to->depth != (edge->outer ? outer : depth))
                return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH,
                                       "edge '%s' -> '%s' is inside %d splits, another that leads there inside %d",
                                       from->name, to->name, edge->outer ? outer : depth, to->depth);
        }
        if (!results && from->edges > 0)
            return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH, "%s '%s' has only outer edges: its result goes nowhere",
                                   kind, from->name);
        if (!results && depth > 0)
            return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH, "%s '%s' is an end inside a split: a merge is missing", kind,
                                   from->name);
    }
    return FLOWGRAPH_OK;
}

/*=============================================================================
 * MARK: - >>queues
 *===========================================================================*/
static bool flowgraph__complete(const flowgraph__frame *frame)
{
    return frame->sealed && frame->taken == frame->posted;
}

static flowgraph__object *flowgraph__pop(flowgraph__thread *thread)
{
    flowgraph__object *object = thread->head;
    thread->head = object->next;
    return object;
}

static void flowgraph__execute(simkit_world *world, void *user);

/* The task with which an object begins, in a process of its own. */
static flowgraph_result flowgraph__begin(flowgraph__thread *thread, flowgraph__object *object)
{
    flowgraph *g = thread->graph;
    flowgraph__operation *operation = &g->operations[object->operation];
    flowgraph_task *task = (flowgraph_task *)flowgraph__new(g, FLOWGRAPH__TASK, sizeof *task);
    const simkit_process_desc process = {
        .name = operation->name, .node = thread->node, .body = flowgraph__execute, .user = task
    };
    simkit_result started;

    thread->task = task;
    if (task == NULL) return flowgraph__no_memory(g);
    task->graph = g;
    task->operation = object->operation;
    task->thread = thread;
    task->object = object;
    task->outer = object->frame;
    if (flowgraph__collects(operation)) {
        task->merged = object->frame;
        task->merged->task = task;
        task->merged->taken++;
        task->outer = task->merged->parent;
    }
    if (flowgraph__opens(operation)) {
        task->opened = (flowgraph__frame *)flowgraph__new(g, FLOWGRAPH__FRAME, sizeof *task->opened);
        if (task->opened == NULL) return flowgraph__no_memory(g);
        task->opened->parent = task->outer;
        task->opened->opener = object->operation;
    }
    started = simkit_process_start(g->world, &process, &task->process);
    return started == SIMKIT_OK ? FLOWGRAPH_OK : flowgraph__world_failed(g, started);
}

/* Hands the next object of a free thread to the operation that waits for it, or to a new one. */
static void flowgraph__dispatch(flowgraph__thread *thread)
{
    flowgraph__object *object;
    flowgraph_task *task;

    if (thread->task != NULL || thread->head == NULL) return;
    object = flowgraph__pop(thread);
    task = object->frame != NULL && flowgraph__collects(&thread->graph->operations[object->operation])
               ? object->frame->task
               : NULL;
    if (task == NULL) {
        flowgraph__end(thread->graph, flowgraph__begin(thread, object));
        return;
    }
    thread->task = task;
    if (object->marker) {
        flowgraph__free(object);
    } else {
        task->object = object;
        task->merged->taken++;
    }
    task->waits = false;
    simkit_process_resume(thread->graph->world, task->process); /* it is suspended, and resuming takes no memory */
}

static void flowgraph__queue(flowgraph__object *object)
{
    flowgraph__thread *thread = object->thread;

    object->next = NULL;
    if (thread->head == NULL)
        thread->head = object;
    else
        thread->tail->next = object;
    thread->tail = object;
    flowgraph__dispatch(thread);
}

static void flowgraph__arrive(simkit_world *world, void *object)
{
    (void)world;
    flowgraph__queue((flowgraph__object *)object);
}

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
static const char *flowgraph__name(const flowgraph_task *task)
{
    return task->graph->operations[task->operation].name;
}

/* Ends the current atomic step: what it was charged is computed. */
static flowgraph_result flowgraph__step(flowgraph_task *task)
{
    simkit_compute_desc compute = { 0 };
    simkit_result computed;

    if (!(task->charged > 0)) return FLOWGRAPH_OK;
    compute.seconds = task->charged;
    compute.name = flowgraph__name(task);
    compute.lane = task->thread->name;
    task->charged = 0;
    computed = simkit_process_compute(task->graph->world, &compute);
    return computed == SIMKIT_OK ? FLOWGRAPH_OK : flowgraph__world_failed(task->graph, computed);
}

flowgraph_result flowgraph_charge(flowgraph_task *task, double seconds)
{
    if (task == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    if (task->graph->result != FLOWGRAPH_OK) return FLOWGRAPH_BAD_CALL;
    if (!(seconds >= 0 && seconds <= HUGE_VAL) || isinf(task->charged + seconds))
        return flowgraph__end(task->graph,
                              flowgraph__fail(task->graph, FLOWGRAPH_BAD_ARGUMENT, "'%s' on %s is charged %g s",
                                              flowgraph__name(task), task->thread->name, seconds));
    task->charged += seconds;
    return FLOWGRAPH_OK;
}

/* What is wrong with a post, before it takes place. */
static flowgraph_result flowgraph__postable(flowgraph_task *task, flowgraph_edge edge, const void *object, double bytes)
{
    flowgraph *g = task->graph;
    const flowgraph__operation *from = &g->operations[task->operation], *to;
    const flowgraph_edge_desc *desc;

    if (edge == 0 || edge > g->edge_count || g->edges[edge - 1].from - 1 != task->operation)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' on %s posts on edge %lu, which does not leave it",
                               from->name, task->thread->name, (unsigned long)edge);
    desc = &g->edges[edge - 1];
    to = &g->operations[desc->to - 1];
    if (!(bytes >= 0 && bytes <= HUGE_VAL) || isinf(bytes))
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "edge '%s' -> '%s': '%s' on %s posts %g bytes", from->name,
                               to->name, from->name, task->thread->name, bytes);
    if (object == NULL && g->types[to->desc.takes - 1].size > 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "edge '%s' -> '%s': '%s' on %s posts a '%s' without content",
                               from->name, to->name, from->name, task->thread->name, g->types[to->desc.takes - 1].name);
    if (!desc->outer && !flowgraph__opens(from) && task->results > 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_COUNT, "edge '%s' -> '%s': %s '%s' on %s posts a second result",
                               from->name, to->name, flowgraph__kind_text(from->desc.kind), from->name,
                               task->thread->name);
    return FLOWGRAPH_OK;
}

/* To which thread an object goes; all of a frame must come together on one thread of one merge. */
static flowgraph_result flowgraph__route(flowgraph_task *task, const flowgraph_edge_desc *edge, const void *object,
                                         flowgraph__frame *frame, flowgraph__thread **thread)
{
    flowgraph *g = task->graph;
    const flowgraph__operation *from = &g->operations[edge->from - 1], *to = &g->operations[edge->to - 1];
    const flowgraph__collection *threads = &g->collections[to->desc.threads - 1];
    const size_t number = edge->route ? edge->route(object, task->thread->number, threads->count, edge->user) : 0;

    if (number >= threads->count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ROUTE,
                               "edge '%s' -> '%s' routes a '%s' to thread %lu of '%s', which has %lu", from->name,
                               to->name, g->types[to->desc.takes - 1].name, (unsigned long)number, threads->name,
                               (unsigned long)threads->count);
    *thread = &threads->threads[number];
    if (!flowgraph__collects(to)) return FLOWGRAPH_OK;
    if (frame->thread == NULL) {
        frame->thread = *thread;
        frame->merger = edge->to - 1;
    }
    if (frame->thread != *thread || frame->merger != edge->to - 1)
        return flowgraph__fail(
            g, FLOWGRAPH_BAD_ROUTE,
            "edge '%s' -> '%s' routes to %s, but earlier objects of the same '%s' went to '%s' on %s", from->name,
            to->name, (*thread)->name, g->operations[frame->opener].name, g->operations[frame->merger].name,
            frame->thread->name);
    return FLOWGRAPH_OK;
}

static flowgraph_result flowgraph__send(flowgraph_task *task, flowgraph_edge edge, const void *content, double bytes)
{
    flowgraph *g = task->graph;
    flowgraph_result result = flowgraph__postable(task, edge, content, bytes);
    const flowgraph_edge_desc *desc;
    flowgraph__object *object;
    simkit_transfer_desc transfer = { 0 };
    simkit_result sent;
    size_t size;

    if (result == FLOWGRAPH_OK) result = flowgraph__step(task);
    if (result != FLOWGRAPH_OK) return result;
    desc = &g->edges[edge - 1];
    size = g->types[g->operations[desc->to - 1].desc.takes - 1].size;
    object = (flowgraph__object *)flowgraph__new(g, FLOWGRAPH__OBJECT, sizeof *object + size);
    if (object == NULL) return flowgraph__no_memory(g);
    if (size > 0) memcpy(object->payload, content, size);
    object->operation = desc->to - 1;
    object->frame = task->opened && !desc->outer ? task->opened : task->outer;
    result = flowgraph__route(task, desc, object->payload, object->frame, &object->thread);
    if (result != FLOWGRAPH_OK) return result;
    if (object->frame != NULL && (task->opened || desc->outer)) object->frame->posted++;
    task->results += !desc->outer;
    transfer.from = task->thread->node;
    transfer.to = object->thread->node;
    transfer.bytes = bytes;
    transfer.in_order = true;
    transfer.name = g->types[g->operations[object->operation].desc.takes - 1].name;
    transfer.done = flowgraph__arrive;
    transfer.user = object;
    sent = simkit_transfer_start(g->world, &transfer);
    return sent == SIMKIT_OK ? FLOWGRAPH_OK : flowgraph__world_failed(g, sent);
}

flowgraph_result flowgraph_post(flowgraph_task *task, flowgraph_edge edge, const void *object, double bytes)
{
    if (task == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    if (task->graph->result != FLOWGRAPH_OK) return FLOWGRAPH_BAD_CALL;
    return flowgraph__end(task->graph, flowgraph__send(task, edge, object, bytes));
}

const void *flowgraph_next(flowgraph_task *task)
{
    flowgraph__thread *thread;

    if (task == NULL || task->merged == NULL || task->graph->result != FLOWGRAPH_OK) return NULL;
    if (flowgraph__end(task->graph, flowgraph__step(task)) != FLOWGRAPH_OK) return NULL;
    thread = task->thread;
    flowgraph__free(task->object);
    task->object = NULL;
    if (flowgraph__complete(task->merged)) return NULL;
    task->waits = true;
    thread->task = NULL;
    if (thread->head != NULL && thread->head->frame == task->merged && thread->head->operation == task->operation) {
        task->waits = false;
        thread->task = task;
        task->object = flowgraph__pop(thread);
        task->merged->taken++;
        return task->object->payload;
    }
    flowgraph__dispatch(thread);
    simkit_process_suspend(task->graph->world, "its next object");
    if (task->graph->result != FLOWGRAPH_OK || task->object == NULL) return NULL;
    return task->object->payload;
}

size_t flowgraph_thread(const flowgraph_task *task)
{
    return task->thread->number;
}

simkit_world *flowgraph_world(const flowgraph_task *task)
{
    return task->graph->world;
}

/* An operation has returned: has it done what its kind promises? */
static flowgraph_result flowgraph__returned(flowgraph_task *task)
{
    flowgraph *g = task->graph;
    const flowgraph__operation *operation = &g->operations[task->operation];
    const char *kind = flowgraph__kind_text(operation->desc.kind);
    const flowgraph__frame *merged = task->merged;
    flowgraph_result result = flowgraph__step(task);

    if (result != FLOWGRAPH_OK) return result;
    if (merged != NULL && !flowgraph__complete(merged))
        return flowgraph__fail(g, FLOWGRAPH_BAD_COUNT, "%s '%s' on %s has ended with %lu of %s%lu objects", kind,
                               operation->name, task->thread->name, (unsigned long)merged->taken,
                               merged->sealed ? "" : "at least ", (unsigned long)merged->posted);
    if (operation->edges > 0 && task->results == 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_COUNT,
                               "%s '%s' on %s has ended without a result: the merge after it would never complete",
                               kind, operation->name, task->thread->name);
    return FLOWGRAPH_OK;
}

/* No more objects will come into a frame; a merge that waits for the next one learns it in its turn. That costs no
 * message: most splits end at the very instant of their last post. */
static flowgraph_result flowgraph__seal(flowgraph *g, flowgraph__frame *frame)
{
    flowgraph__object *marker;

    frame->sealed = true;
    if (!flowgraph__complete(frame) || !frame->task->waits) return FLOWGRAPH_OK;
    marker = (flowgraph__object *)flowgraph__new(g, FLOWGRAPH__OBJECT, sizeof *marker);
    if (marker == NULL) return flowgraph__no_memory(g);
    marker->marker = true;
    marker->frame = frame;
    marker->operation = frame->merger;
    marker->thread = frame->thread;
    flowgraph__queue(marker);
    return FLOWGRAPH_OK;
}

/* The body of a process: one execution of an operation. */
static void flowgraph__execute(simkit_world *world, void *user)
{
    flowgraph_task *task = (flowgraph_task *)user;
    flowgraph *g = task->graph;
    const flowgraph_operation_desc *desc = &g->operations[task->operation].desc;
    flowgraph__thread *thread = task->thread;

    (void)world;
    desc->run(task, task->object->payload, desc->user);
    if (g->result != FLOWGRAPH_OK) return;
    if (flowgraph__end(g, flowgraph__returned(task)) != FLOWGRAPH_OK) return;
    if (task->opened && flowgraph__end(g, flowgraph__seal(g, task->opened)) != FLOWGRAPH_OK) return;
    flowgraph__free(task->object);
    flowgraph__free(task->merged);
    flowgraph__free(task);
    thread->task = NULL;
    flowgraph__dispatch(thread);
}

/*=============================================================================
 * MARK: - >>run
 *===========================================================================*/
flowgraph_result flowgraph_start(flowgraph *g, flowgraph_operation operation, size_t thread, const void *content)
{
    const flowgraph__operation *entry;
    const flowgraph__collection *threads;
    flowgraph__object *object;
    flowgraph_result result;
    size_t size;

    if (g == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    if (g->result != FLOWGRAPH_OK) return FLOWGRAPH_BAD_CALL;
    if (operation == 0 || operation > g->operation_count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "operation %lu cannot be started: there are %lu",
                               (unsigned long)operation, (unsigned long)g->operation_count);
    entry = &g->operations[operation - 1];
    threads = &g->collections[entry->desc.threads - 1];
    size = g->types[entry->desc.takes - 1].size;
    if (thread >= threads->count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' cannot be started on thread %lu of '%s', which has %lu",
                               entry->name, (unsigned long)thread, threads->name, (unsigned long)threads->count);
    if (content == NULL && size > 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' is started with a '%s' without content", entry->name,
                               g->types[entry->desc.takes - 1].name);
    if (entry->depth != 0) {
        result = flowgraph__check(g, operation - 1);
        for (uint32_t i = 0; result != FLOWGRAPH_OK && i < g->operation_count; i++) g->operations[i].depth = -1;
        if (result != FLOWGRAPH_OK) return result;
    }
    object = (flowgraph__object *)flowgraph__new(g, FLOWGRAPH__OBJECT, sizeof *object + size);
    if (object == NULL) return flowgraph__no_memory(g);
    if (size > 0) memcpy(object->payload, content, size);
    object->operation = operation - 1;
    object->thread = &threads->threads[thread];
    g->started = true;
    flowgraph__queue(object);
    return g->result;
}

/* Names the operations that have begun and not ended, as many as the sentence holds. */
static flowgraph_result flowgraph__incomplete(flowgraph *g)
{
    flowgraph_result result = flowgraph__fail(g, FLOWGRAPH_INCOMPLETE, "nothing is left to happen, yet ");
    size_t length = strlen(g->why), more = 0;
    const char *between = "";

    for (const flowgraph__link *link = g->ring.after; link != &g->ring; link = link->after) {
        const flowgraph_task *task = (const flowgraph_task *)link;
        char text[160];
        if (link->what != FLOWGRAPH__TASK) continue;
        if (task->waits)
            snprintf(text, sizeof text, "%s '%s' on %s has %lu of %s%lu objects",
                     flowgraph__kind_text(g->operations[task->operation].desc.kind), flowgraph__name(task),
                     task->thread->name, (unsigned long)task->merged->taken, task->merged->sealed ? "" : "at least ",
                     (unsigned long)task->merged->posted);
        else
            snprintf(text, sizeof text, "%s '%s' on %s waits for something that is not an object",
                     flowgraph__kind_text(g->operations[task->operation].desc.kind), flowgraph__name(task),
                     task->thread->name);
        if (length + strlen(text) + 24 < sizeof g->why)
            length += (size_t)snprintf(g->why + length, sizeof g->why - length, "%s%s", between, text);
        else
            more++;
        between = "; ";
    }
    if (more > 0) snprintf(g->why + length, sizeof g->why - length, "; and %lu more", (unsigned long)more);
    return result;
}

flowgraph_result flowgraph_run(flowgraph *g)
{
    simkit_result ran;
    bool tasks = false;

    if (g == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    if (g->result != FLOWGRAPH_OK) return FLOWGRAPH_BAD_CALL;
    ran = simkit_world_run(g->world);
    if (g->result != FLOWGRAPH_OK) return g->result;
    for (const flowgraph__link *link = g->ring.after; link != &g->ring; link = link->after)
        tasks = tasks || link->what == FLOWGRAPH__TASK;
    if (ran == SIMKIT_DEADLOCK && tasks) return flowgraph__end(g, flowgraph__incomplete(g));
    return ran == SIMKIT_OK ? FLOWGRAPH_OK : flowgraph__world_failed(g, ran);
}

/* flowgraph.c - the body of flowgraph.h without the network: graphs, tasks, frames and queues
 *
 * Every execution of an operation is a process of a world: in a simulation of the simulated world, in real mode of a
 * world that its execution thread uses only for this. In real mode one lock protects all of this; it is released while
 * operations compute. */
#define _DEFAULT_SOURCE 1 /* getloadavg() */
#define _POSIX_C_SOURCE 200809L
#include "flowgraph_core.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
const char *flowgraph_result_text(flowgraph_result result)
{
    switch (result) {
    case FLOWGRAPH_OK: return "success";
    case FLOWGRAPH_BAD_ARGUMENT:
        return "a number is negative, NaN or infinite, an index is unknown, or a required pointer is NULL";
    case FLOWGRAPH_BAD_GRAPH: return "the graph is inconsistent";
    case FLOWGRAPH_BAD_ROUTE: return "a routing function returned an invalid thread";
    case FLOWGRAPH_BAD_COUNT: return "an operation posted or took the wrong number of objects";
    case FLOWGRAPH_BAD_CALL: return "a call in the wrong place, or after a failure";
    case FLOWGRAPH_INCOMPLETE: return "deadlock: operations wait, but nothing is left that could wake them";
    case FLOWGRAPH_NODE_LOST: return "a node was lost, or did not join";
    case FLOWGRAPH_NO_MEMORY: return "no memory";
    case FLOWGRAPH_WORLD: return "the world in which the graph runs failed or was stopped";
    }
    return "unknown result";
}

static const char *const flowgraph__kinds[] = { "leaf", "split", "merge", "stream" };

static double flowgraph__wall(void)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double flowgraph__thread_time(void *user)
{
    struct timespec now = { 0, 0 };
    (void)user;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double flowgraph__time(const flowgraph *g)
{
    return (g->mode == FLOWGRAPH_REAL ? flowgraph__wall() : simkit_clock_now(g->world)) - g->began;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
flowgraph_result
flowgraph__fail(flowgraph *g, flowgraph_result result, const char *format, ...)
{
    int length = 0;
    va_list arguments;
    if (g->result != FLOWGRAPH_OK) return result; /* the first error is kept */
    if (g->started) length = snprintf(g->why, sizeof g->why, "at %.9g s: ", flowgraph__time(g));
    va_start(arguments, format);
    vsnprintf(g->why + length, sizeof g->why - (size_t)length, format, arguments);
    va_end(arguments);
    return result;
}

flowgraph_result flowgraph__no_memory(flowgraph *g)
{
    return flowgraph__fail(g, FLOWGRAPH_NO_MEMORY, "no memory");
}

/* An error of the world, whose message contains the time already. */
static flowgraph_result flowgraph__world_failed(flowgraph *g, simkit_world *world, simkit_result result)
{
    const char *why = world ? simkit_world_why(world) : "";
    if (g->result == FLOWGRAPH_OK) snprintf(g->why, sizeof g->why, "%s", *why ? why : simkit_result_text(result));
    return result == SIMKIT_NO_MEMORY ? FLOWGRAPH_NO_MEMORY : FLOWGRAPH_WORLD;
}

/* Tells the host that the run has ended. This is a step of its own, because the host may close the graph in it. */
static void flowgraph__report(simkit_world *world, void *user)
{
    flowgraph *g = (flowgraph *)user;
    (void)world;
    g->reports = 0;
    g->host.ended(g->host.user, g, g->result);
}

static void flowgraph__tell_host(flowgraph *g)
{
    if (g->reports) return;
    const simkit_result told =
        simkit_step_at(g->world, simkit_clock_now(g->world), g->host.priority, flowgraph__report, g, &g->reports);
    if (told != SIMKIT_OK) simkit_world_stop(g->world); /* without memory for a step nothing goes on */
}

flowgraph_result flowgraph__end(flowgraph *g, flowgraph_result result)
{
    if (result == FLOWGRAPH_OK || g->result != FLOWGRAPH_OK) return result;
    g->result = result;
    if (g->mode == FLOWGRAPH_REAL)
        flowgraph__net_failed(g);
    else if (g->host.ended)
        flowgraph__tell_host(g);
    else
        simkit_world_stop(g->world);
    return result;
}

const char *flowgraph_why(const flowgraph *g)
{
    return g ? g->why : "no graph: no memory for one, or none was opened";
}

simkit_world *flowgraph_world(const flowgraph *g)
{
    return g && g->mode != FLOWGRAPH_REAL ? g->world : NULL;
}

size_t flowgraph_nodes(const flowgraph *g)
{
    return g ? g->at_first : 0;
}

/*=============================================================================
 * MARK: - >>memory
 *===========================================================================*/
bool flowgraph__grow(void *array, size_t count, size_t bytes)
{
    void **items = (void **)array;
    if ((count & (count - 1)) != 0) return true;
    void *larger = realloc(*items, (count ? 2 * count : 1) * bytes);
    if (larger) *items = larger;
    return larger;
}

static size_t flowgraph__map_place(const flowgraph__map *map, uint64_t key)
{
    size_t place = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 17) & (map->room - 1);
    while (map->values[place] && map->keys[place] != key) place = (place + 1) & (map->room - 1);
    return place;
}

void *flowgraph__map_get(const flowgraph__map *map, uint64_t key)
{
    return map->count ? map->values[flowgraph__map_place(map, key)] : NULL;
}

bool flowgraph__map_put(flowgraph__map *map, uint64_t key, void *value)
{
    size_t place;
    if (2 * (map->count + 1) > map->room) {
        flowgraph__map larger = { NULL, NULL, map->room ? 2 * map->room : 8, map->count };
        larger.keys = (uint64_t *)malloc(larger.room * sizeof *larger.keys);
        larger.values = (void **)calloc(larger.room, sizeof *larger.values);
        if (!larger.keys || !larger.values) {
            free(larger.keys);
            free(larger.values);
            return false;
        }
        for (size_t i = 0; i < map->room; ++i) {
            if (!map->values[i]) continue;
            place = flowgraph__map_place(&larger, map->keys[i]);
            larger.keys[place] = map->keys[i];
            larger.values[place] = map->values[i];
        }
        flowgraph__map_free(map);
        *map = larger;
    }
    place = flowgraph__map_place(map, key);
    map->count += !map->values[place];
    map->keys[place] = key;
    map->values[place] = value;
    return true;
}

void *flowgraph__map_take(flowgraph__map *map, uint64_t key)
{
    if (map->count == 0) return NULL;
    size_t hole = flowgraph__map_place(map, key);
    void *value = map->values[hole];
    if (!value) return NULL;
    --map->count;
    map->values[hole] = NULL;
    for (size_t place = (hole + 1) & (map->room - 1); map->values[place]; place = (place + 1) & (map->room - 1)) {
        const uint64_t other = map->keys[place]; /* the removed entry may have displaced it */
        void *moved = map->values[place];
        map->values[place] = NULL;
        hole = flowgraph__map_place(map, other);
        map->keys[hole] = other;
        map->values[hole] = moved;
    }
    return value;
}

void flowgraph__map_free(flowgraph__map *map)
{
    free(map->keys);
    free(map->values);
    memset(map, 0, sizeof *map);
}

/*=============================================================================
 * MARK: - >>data
 *===========================================================================*/
/* Large blocks without references are kept for the next request of their size: new memory would come from the system
 * page by page, and would not be in any cache. */
static flowgraph_data *flowgraph__spare_take(flowgraph *g, size_t size)
{
    for (size_t i = 0; i < FLOWGRAPH__SPARE_SIZES; ++i) {
        flowgraph_data *data = g->spare[i];
        if (!data || data->size != size) continue;
        g->spare[i] = data->after;
        g->spare_bytes -= size;
        return data;
    }
    return NULL;
}

/* Blocks of up to four sizes are kept, 64 MiB in total. */
static bool flowgraph__spare_put(flowgraph *g, flowgraph_data *data)
{
    if (!data->bytes || data->size < 4096 || g->spare_bytes + data->size > (size_t)64 << 20) return false;
    for (size_t i = 0; i < FLOWGRAPH__SPARE_SIZES; ++i) {
        if (g->spare[i] && g->spare[i]->size != data->size) continue;
        data->after = g->spare[i];
        g->spare[i] = data;
        g->spare_bytes += data->size;
        return true;
    }
    return false;
}

static void flowgraph__spare_free(flowgraph *g)
{
    for (size_t i = 0; i < FLOWGRAPH__SPARE_SIZES; ++i)
        while (g->spare[i]) {
            flowgraph_data *data = g->spare[i];
            g->spare[i] = data->after;
            free(data);
        }
}

/* All data of a graph is in a ring, so that closing the graph frees the data of operations that never returned because
 * the run failed while they waited. */
flowgraph_data *flowgraph__data_make(flowgraph *g, size_t size, bool bytes)
{
    const size_t head = (sizeof(flowgraph_data) + 15) / 16 * 16;
    if (size > SIZE_MAX / 2) return NULL;
    pthread_mutex_lock(&g->data_lock);
    flowgraph_data *data = bytes ? flowgraph__spare_take(g, size) : NULL;
    pthread_mutex_unlock(&g->data_lock);
    if (!data) data = (flowgraph_data *)malloc(head + (bytes ? size : 0));
    if (!data) return NULL;
    data->graph = g;
    data->references = 1;
    data->size = size;
    data->bytes = bytes ? (char *)data + head : NULL;
    pthread_mutex_lock(&g->data_lock);
    data->before = g->data_ring.before;
    data->after = &g->data_ring;
    data->before->after = data;
    g->data_ring.before = data;
    pthread_mutex_unlock(&g->data_lock);
    return data;
}

static void flowgraph__data_free(flowgraph_data *data)
{
    flowgraph *g = data->graph;
    pthread_mutex_lock(&g->data_lock);
    data->before->after = data->after;
    data->after->before = data->before;
    bool kept = flowgraph__spare_put(g, data);
    pthread_mutex_unlock(&g->data_lock);
    if (!kept) free(data);
}

flowgraph_data *flowgraph_data_new(flowgraph_task *task, size_t bytes)
{
    if (!task || bytes == 0) return NULL;
    flowgraph_data *data = flowgraph__data_make(task->graph, bytes, task->graph->data);
    if (data) return data;
    flowgraph__lock(task->graph);
    flowgraph__end(task->graph, flowgraph__fail(task->graph, FLOWGRAPH_NO_MEMORY, "no memory for %lu bytes of data",
                                                (unsigned long)bytes));
    flowgraph__unlock(task->graph);
    return NULL;
}

void *flowgraph_data_bytes(const flowgraph_data *data)
{
    return data ? data->bytes : NULL;
}

size_t flowgraph_data_size(const flowgraph_data *data)
{
    return data ? data->size : 0;
}

flowgraph_data *flowgraph_data_keep(flowgraph_data *data)
{
    if (data) __atomic_add_fetch(&data->references, 1, __ATOMIC_RELAXED);
    return data;
}

void flowgraph_data_drop(flowgraph_data *data)
{
    if (data && __atomic_sub_fetch(&data->references, 1, __ATOMIC_ACQ_REL) == 0) flowgraph__data_free(data);
}

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/
flowgraph__message *flowgraph__message_new(flowgraph *g, flowgraph__kind kind, size_t depth, size_t data,
                                           size_t content)
{
    const size_t words = depth + data + (content + 7) / 8;
    flowgraph__message *m = (flowgraph__message *)malloc(sizeof *m + 8 * words);
    if (!m) return NULL;
    memset(m, 0, sizeof *m + 8 * (depth + data));
    if (content > 0) m->trail[words - 1] = 0; /* no uninitialised bytes go over the network */
    m->graph = g;
    m->header.kind = (uint8_t)kind;
    m->header.depth = (uint8_t)depth;
    m->header.data = (uint16_t)data;
    m->header.content = (uint32_t)content;
    m->before = g->ring.before;
    m->after = &g->ring;
    m->before->after = m;
    g->ring.before = m;
    return m;
}

void flowgraph__message_free(flowgraph__message *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->header.data; ++i) flowgraph_data_drop(flowgraph__data(m)[i]);
    m->before->after = m->after;
    m->after->before = m->before;
    free(m);
}

size_t flowgraph__wire(flowgraph__message *m)
{
    size_t bytes = sizeof m->header + 8 * ((size_t)m->header.depth + m->header.data) + (m->header.content + 7u) / 8 * 8;
    for (size_t i = 0; i < m->header.data; ++i) bytes += flowgraph__data(m)[i]->size;
    return bytes;
}

size_t flowgraph_envelope(const flowgraph *g, flowgraph_operation operation)
{
    if (!g || operation == 0 || operation > g->operation_count) return 0;
    const flowgraph__operation *o = &g->operations[operation - 1];
    return sizeof(flowgraph__header) + 8 * (size_t)(o->depth > 0 ? o->depth : 0) +
           (g->types[o->desc.takes - 1].size + 7) / 8 * 8;
}

uint64_t flowgraph__next_id(flowgraph__instance *instance)
{
    return (uint64_t)instance->number << 48 | ++instance->serial;
}

/* A notice from an instance, with `number` as its content; NULL without memory, which ends the run. */
static flowgraph__message *flowgraph__note_for(flowgraph__instance *from, uint32_t to, flowgraph__kind kind,
                                               uint64_t cookie, uint64_t number)
{
    flowgraph__message *m = flowgraph__message_new(from->graph, kind, 0, 0, sizeof number);
    if (!m) {
        flowgraph__end(from->graph, flowgraph__no_memory(from->graph));
        return NULL;
    }
    m->header.from = (uint16_t)from->number;
    m->header.to = (uint16_t)to;
    m->header.cookie = cookie;
    memcpy(flowgraph__content(m), &number, sizeof number);
    return m;
}

static uint64_t flowgraph__number(flowgraph__message *m)
{
    uint64_t number;
    memcpy(&number, flowgraph__content(m), sizeof number);
    return number;
}

static void flowgraph__push(flowgraph__message **head, flowgraph__message **tail, flowgraph__message *m)
{
    m->next = NULL;
    if (*head)
        (*tail)->next = m;
    else
        *head = m;
    *tail = m;
}

static flowgraph__message *flowgraph__pop(flowgraph__message **head)
{
    flowgraph__message *m = *head;
    *head = m->next;
    return m;
}

/* What part of its fixed CPU time a message takes on a node, or a post: less soon after another one, because caches are
 * warm and nobody has to be woken. */
static double flowgraph__part_of_cost(const flowgraph *g, uint32_t node)
{
    const double gap = simkit_clock_now(g->world) - g->handled[node];
    return gap < g->spacing ? g->repeated + (1 - g->repeated) * gap / g->spacing : 1;
}

/* CPU time of a message at one end [s]. */
static double flowgraph__cost_of(const flowgraph *g, const flowgraph__cost *cost, uint32_t node, flowgraph__message *m)
{
    const double bytes = (double)flowgraph__wire(m);
    netmodel_link line = bytes < cost->large ? cost->small : cost->big;
    line.latency *= flowgraph__part_of_cost(g, node);
    return netmodel_link_time(&line, bytes);
}

/* CPU time that a message takes of a node, beside what is computed there [s]. */
static void flowgraph__handles(flowgraph *g, uint32_t node, double seconds)
{
    g->processor_times[node] += seconds;
    g->handled[node] = simkit_clock_now(g->world);
}

static void flowgraph__receive(flowgraph__instance *instance);

static void flowgraph__received(simkit_world *world, void *user)
{
    flowgraph__message *m = (flowgraph__message *)user;
    flowgraph__instance *instance = &m->graph->instances[m->header.to];
    m->way = FLOWGRAPH__NO_WAY;
    instance->receiving = false;
    m->graph->handled[m->header.to] = simkit_clock_now(world);
    flowgraph__deliver(instance, m);
    flowgraph__receive(instance);
}

/* Receives what has arrived, one message after the other; that takes CPU time. */
static void flowgraph__receive(flowgraph__instance *instance)
{
    flowgraph *g = instance->graph;
    while (instance->come && !instance->receiving && g->result == FLOWGRAPH_OK) {
        flowgraph__message *m = flowgraph__pop(&instance->come);
        simkit_computation_desc compute = { 0 };
        compute.seconds = flowgraph__cost_of(g, &g->receive, instance->number, m);
        if (!(compute.seconds > 0)) {
            flowgraph__deliver(instance, m);
            continue;
        }
        compute.node = instance->node;
        flowgraph__handles(g, instance->number, compute.seconds);
        compute.name = "receive";
        compute.lane = "network";
        compute.done = flowgraph__received;
        compute.user = m;
        m->way = FLOWGRAPH__COMPUTATION;
        const simkit_result result = simkit_computation_start(g->world, &compute, &m->handle);
        instance->receiving = result == SIMKIT_OK;
        if (result == SIMKIT_OK) return;
        m->way = FLOWGRAPH__NO_WAY;
        flowgraph__end(g, flowgraph__world_failed(g, g->world, result));
    }
}

/* All of its bytes have arrived. */
static void flowgraph__arrived(simkit_world *world, void *user)
{
    flowgraph__message *m = (flowgraph__message *)user;
    flowgraph__instance *instance = &m->graph->instances[m->header.to];
    (void)world;
    m->way = FLOWGRAPH__NO_WAY;
    flowgraph__push(&instance->come, &instance->come_last, m);
    flowgraph__receive(instance);
}

/* A notice takes CPU time of its sender, beside what is computed there. (What an object takes, its operation takes.) */
static flowgraph_result flowgraph__charge_notice(flowgraph__message *m)
{
    flowgraph *g = m->graph;
    simkit_computation_desc compute = { 0 };
    compute.seconds = flowgraph__cost_of(g, &g->send, m->header.from, m);
    if (!(compute.seconds > 0)) return FLOWGRAPH_OK;
    compute.node = g->instances[m->header.from].node;
    flowgraph__handles(g, m->header.from, compute.seconds);
    compute.name = "send";
    compute.lane = "network";
    compute.background = true;
    const simkit_result result = simkit_computation_start(g->world, &compute, NULL);
    return result == SIMKIT_OK ? FLOWGRAPH_OK : flowgraph__world_failed(g, g->world, result);
}

flowgraph_result flowgraph__ship(flowgraph__message *m)
{
    flowgraph *g = m->graph;
    simkit_transfer_desc transfer = { 0 };
    if (m->header.to == m->header.from) {
        flowgraph__deliver(&g->instances[m->header.to], m);
        return FLOWGRAPH_OK;
    }
    if (g->mode == FLOWGRAPH_REAL) {
        flowgraph__net_send(g, m);
        return FLOWGRAPH_OK;
    }
    if (m->header.kind != FLOWGRAPH__OBJECT) {
        const flowgraph_result charged = flowgraph__charge_notice(m);
        if (charged != FLOWGRAPH_OK) {
            flowgraph__message_free(m);
            return charged;
        }
    }
    transfer.from = g->instances[m->header.from].node;
    transfer.to = g->instances[m->header.to].node;
    transfer.bytes = (double)flowgraph__wire(m);
    transfer.in_order = true;
    transfer.name = m->header.kind == FLOWGRAPH__OBJECT
                        ? g->types[g->operations[m->header.operation].desc.takes - 1].name
                    : m->header.kind == FLOWGRAPH__STATE ? "a thread moves"
                                                         : "notice";
    transfer.done = flowgraph__arrived;
    transfer.user = m;
    m->way = FLOWGRAPH__TRANSFER;
    simkit_result sent = simkit_transfer_start(g->world, &transfer, &m->handle);
    if (sent == SIMKIT_OK) return FLOWGRAPH_OK;
    flowgraph__message_free(m);
    return flowgraph__world_failed(g, g->world, sent);
}

/* A notice from one instance to another; unused members are 0. */
typedef struct flowgraph__notice {
    flowgraph__kind kind;
    uint32_t to;
    uint64_t cookie, number;
    uint32_t operation, thread, adds;
    uint64_t by; /* its cause, for records: an activation or a message */
} flowgraph__notice;

static void flowgraph__tell(flowgraph__instance *from, flowgraph__notice n)
{
    flowgraph__message *m = flowgraph__note_for(from, n.to, n.kind, n.cookie, n.number);
    if (!m) return;
    m->header.operation = n.operation;
    m->header.thread = n.thread;
    m->header.adds = n.adds;
    if (from->graph->record && n.by != 0) {
        m->header.id = flowgraph__next_id(from);
        m->header.by = n.by;
        m->header.posted = flowgraph__time(from->graph);
    }
    flowgraph__end(from->graph, flowgraph__ship(m));
}

/* Sends it to all other nodes that take part. */
static void flowgraph__tell_all(flowgraph__instance *from, flowgraph__notice n)
{
    for (n.to = 0; n.to < from->graph->node_count; ++n.to)
        if (n.to != from->number && from->taking_part[n.to]) flowgraph__tell(from, n);
}

/*=============================================================================
 * MARK: - >>records
 *===========================================================================*/
bool flowgraph__note(flowgraph *g, uint32_t kind, uint32_t node, uint64_t number)
{
    flowgraph__records *r = &g->records;
    if (!flowgraph__grow(&r->events, r->event_count, sizeof *r->events)) return false;
    r->events[r->event_count++] = (flowgraph__event){ number, flowgraph__time(g), node, kind };
    return true;
}

/* A task gets its execution thread, because of a message. */
static void flowgraph__activate(flowgraph_task *task, const flowgraph__message *cause)
{
    flowgraph *g = task->graph;
    task->executor->task = task;
    task->id = flowgraph__next_id(task->instance);
    task->begin = flowgraph__time(g);
    task->work = 0;
    task->cause = cause->header.id;
    task->ready = cause->arrived;
}

/* A task gives up its execution thread. Without memory for the record the run fails. */
static void flowgraph__passivate(flowgraph_task *task)
{
    flowgraph *g = task->graph;
    flowgraph__records *r = &g->records;
    task->executor->task = NULL;
    if (!g->record) return;
    if (!flowgraph__grow(&r->activations, r->activation_count, sizeof *r->activations)) {
        flowgraph__end(g, flowgraph__no_memory(g));
        return;
    }
    r->activations[r->activation_count++] = (flowgraph__activation){
        task->id,
        task->cause,
        task->begin,
        flowgraph__time(g),
        task->work,
        task->instance->number,
        task->executor->number,
        task->operation,
        task->thread->number,
        task->ready,
    };
}

static void flowgraph__note_passage(flowgraph__message *m)
{
    flowgraph *g = m->graph;
    flowgraph__records *r = &g->records;
    if (!g->record || m->header.id == 0) return;
    if (!flowgraph__grow(&r->passages, r->passage_count, sizeof *r->passages)) {
        flowgraph__end(g, flowgraph__no_memory(g));
        return;
    }
    r->passages[r->passage_count++] = (flowgraph__passage){
        m->header.id,   m->header.by, m->header.posted,    m->arrived,     (double)flowgraph__wire(m),
        m->header.from, m->header.to, m->header.operation, m->header.kind,
    };
}

/*=============================================================================
 * MARK: - >>queues
 *===========================================================================*/
static bool flowgraph__collects(const flowgraph__operation *operation)
{
    return operation->desc.kind == FLOWGRAPH_MERGE || operation->desc.kind == FLOWGRAPH_STREAM;
}

static bool flowgraph__opens(const flowgraph__operation *operation)
{
    return operation->desc.kind == FLOWGRAPH_SPLIT || operation->desc.kind == FLOWGRAPH_STREAM;
}

/* The number of a frame contains the node that opened it, and whether that node counts the objects taken (a window).
 * In an object the number also contains its generation in the frame: 0 for objects posted by the opener; an object
 * that an operation adds to the frame is one generation later than the object the operation took. */
#define FLOWGRAPH__WINDOWED (UINT64_C(1) << 47)
#define FLOWGRAPH__GENERATION (UINT64_C(1) << 43)

static unsigned flowgraph__generation(uint64_t frame)
{
    return (unsigned)(frame / FLOWGRAPH__GENERATION) % FLOWGRAPH__GENERATIONS;
}

/* The objects of a generation carry the number of objects in the next one. So the size of a generation is known only
 * when all objects of the previous one have been taken. */
static bool flowgraph__complete(const flowgraph__gather *gather)
{
    uint64_t all = gather->count;
    if (!gather->sealed) return false;
    for (unsigned i = 0; i < FLOWGRAPH__GENERATIONS; ++i) {
        if (gather->taken_of[i] != all) return false;
        if (all == 0) return true;
        all = gather->adds_of[i];
    }
    return true;
}

/* Number of objects known so far. */
static uint64_t flowgraph__known(const flowgraph__gather *gather)
{
    uint64_t sum = gather->count;
    for (unsigned i = 0; i < FLOWGRAPH__GENERATIONS; ++i) sum += gather->adds_of[i];
    return sum;
}

static uint64_t flowgraph__frame_of(flowgraph__message *m)
{
    if (m->header.depth == 0) return 0;
    return flowgraph__frames(m)[m->header.depth - 1] & ~(FLOWGRAPH__GENERATION * (FLOWGRAPH__GENERATIONS - 1));
}

static uint32_t flowgraph__home(uint64_t frame)
{
    return (uint32_t)(frame >> 48);
}

/* A task takes the next object of its frame. */
static void flowgraph__hand(flowgraph_task *task, flowgraph__message *m)
{
    flowgraph__gather *gather = task->gather;
    task->object = m;
    task->waits = false;
    if (!gather) return;
    unsigned generation = flowgraph__generation(flowgraph__frames(m)[m->header.depth - 1]);
    ++gather->taken;
    ++gather->taken_of[generation];
    gather->adds_of[generation] += m->header.adds;
    if (gather->id & FLOWGRAPH__WINDOWED && generation == 0) /* the window counts objects of the opener only */
        flowgraph__tell(task->instance, (flowgraph__notice){ .kind = FLOWGRAPH__ACK,
                                                             .to = flowgraph__home(gather->id),
                                                             .cookie = gather->id,
                                                             .number = gather->taken_of[0],
                                                             .operation = task->operation,
                                                             .thread = task->thread->number,
                                                             .by = task->id });
}

/* Creates the task that takes an object first. */
static flowgraph_task *flowgraph__begin(flowgraph__executor *executor, flowgraph__message *m, flowgraph__gather *gather)
{
    flowgraph__instance *instance = executor->instance;
    flowgraph *g = instance->graph;
    flowgraph__operation *operation = &g->operations[m->header.operation];
    const size_t outer = m->header.depth - (gather ? 1u : 0u);
    flowgraph_task *task = (flowgraph_task *)calloc(1, sizeof *task + 8 * outer);
    if (!task) return NULL;
    task->before = g->tasks.before;
    task->after = &g->tasks;
    task->before->after = task;
    g->tasks.before = task;
    task->graph = g;
    task->instance = instance;
    task->executor = executor;
    task->thread = &g->collections[operation->desc.threads - 1].threads[m->header.thread];
    ++task->thread->tasks;
    task->operation = m->header.operation;
    task->joining = FLOWGRAPH__NOWHERE;
    task->gather = gather;
    task->outer_depth = (uint32_t)outer;
    memcpy(task->frames, flowgraph__frames(m), 8 * outer);
    if (gather)
        gather->task = task;
    else
        task->adds = m->header.adds;
    flowgraph__activate(task, m);
    flowgraph__hand(task, m);
    if (flowgraph__opens(operation)) {
        flowgraph__frame *frame = (flowgraph__frame *)calloc(1, sizeof *frame);
        if (!frame) return NULL;
        frame->id = flowgraph__next_id(instance) | (operation->desc.window ? FLOWGRAPH__WINDOWED : 0);
        frame->task = task;
        frame->operation = task->operation;
        frame->node = FLOWGRAPH__NOWHERE;
        frame->merger = FLOWGRAPH__NOWHERE;
        if (!flowgraph__map_put(&instance->frames, frame->id, frame)) {
            free(frame);
            return NULL;
        }
        task->opened = frame;
    }
    return task;
}

flowgraph_task *flowgraph__take(flowgraph__executor *executor, bool *fresh)
{
    flowgraph *g = executor->instance->graph;
    *fresh = false;
    while (!executor->task && executor->head && g->result == FLOWGRAPH_OK) {
        flowgraph__message *m = flowgraph__pop(&executor->head);
        flowgraph__gather *gather = NULL;
        flowgraph_task *task;
        if (m->header.kind == FLOWGRAPH__WAKE) {
            task = m->task;
            task->woken = task->waits = task->blocked = false;
            flowgraph__activate(task, m);
            flowgraph__message_free(m);
            return task;
        }
        if (flowgraph__collects(&g->operations[m->header.operation]))
            gather = (flowgraph__gather *)flowgraph__map_get(&executor->instance->gathers, flowgraph__frame_of(m));
        task = gather ? gather->task : NULL;
        if (!task) {
            *fresh = true;
            task = flowgraph__begin(executor, m, gather);
            if (!task) flowgraph__end(g, flowgraph__no_memory(g));
            return task;
        }
        if (!task->waits || task->blocked) { /* for something else */
            flowgraph__push(&task->first, &task->last, m);
            continue;
        }
        flowgraph__activate(task, m);
        flowgraph__hand(task, m);
        return task;
    }
    return NULL;
}

static void flowgraph__execute(simkit_world *world, void *task);

simkit_result flowgraph__go_on(flowgraph_task *task, bool fresh, simkit_world *world, simkit_node node)
{
    const flowgraph *g = task->graph;
    const simkit_process_desc process = {
        .name = g->operations[task->operation].name,
        .node = node,
        .body = flowgraph__execute,
        .user = task,
        .stack_bytes = g->data ? (size_t)512 << 10 : 0, /* kernels of a library may need much stack */
    };

    return fresh ? simkit_process_start(world, &process, &task->process) : simkit_process_resume(world, task->process);
}

static void flowgraph__go(flowgraph_task *task, bool fresh)
{
    flowgraph *g = task->graph;
    const simkit_result result = flowgraph__go_on(task, fresh, g->world, task->instance->node);
    if (result != SIMKIT_OK) flowgraph__end(g, flowgraph__world_failed(g, g->world, result));
}

/* Runs an executor if it has something to do. */
static void flowgraph__kick(flowgraph__executor *executor)
{
    bool fresh;
    if (executor->instance->graph->mode == FLOWGRAPH_REAL) {
        pthread_cond_signal(&executor->work);
        return;
    }
    flowgraph_task *task = flowgraph__take(executor, &fresh);
    if (task) flowgraph__go(task, fresh);
}

/* Resumes a task that waits for something other than an object, at once or in its turn. */
static void flowgraph__wake(flowgraph_task *task, bool at_once, const flowgraph__message *cause)
{
    flowgraph__executor *executor = task->executor;
    if (task->woken) return;
    flowgraph__message *m = flowgraph__message_new(task->graph, FLOWGRAPH__WAKE, 0, 0, 0);
    if (!m) {
        flowgraph__end(task->graph, flowgraph__no_memory(task->graph));
        return;
    }
    m->task = task;
    m->arrived = flowgraph__time(task->graph);
    if (cause) m->header.id = cause->header.id;
    task->woken = true;
    if (!at_once || !executor->head) {
        flowgraph__push(&executor->head, &executor->tail, m);
    } else {
        m->next = executor->head;
        executor->head = m;
    }
    flowgraph__kick(executor);
}

/* Gives up the execution thread until the task is woken or an object arrives for it. */
static void flowgraph__suspend(flowgraph_task *task, const char *on)
{
    flowgraph *g = task->graph;
    flowgraph__executor *executor = task->executor;
    bool fresh;
    if (g->mode == FLOWGRAPH_REAL) {
        task->work += flowgraph__thread_time(NULL) - task->clock;
        flowgraph__passivate(task);
        flowgraph__unlock(g);
        const simkit_result result = simkit_process_suspend(executor->world, on);
        flowgraph__lock(g);
        if (result != SIMKIT_OK) flowgraph__end(g, flowgraph__world_failed(g, executor->world, result));
        task->clock = flowgraph__thread_time(NULL);
        return;
    }
    flowgraph__passivate(task);
    flowgraph_task *next = flowgraph__take(executor, &fresh);
    if (next == task) return; /* its object was in the queue already */
    if (next) flowgraph__go(next, fresh);
    const simkit_result result = simkit_process_suspend(g->world, on);
    if (result != SIMKIT_OK) flowgraph__end(g, flowgraph__world_failed(g, g->world, result));
}

/*=============================================================================
 * MARK: - >>threads
 *===========================================================================*/
/* The execution thread for a thread that moves to an instance; NULL without memory. */
static flowgraph__executor *flowgraph__executor_for(flowgraph__instance *instance, const flowgraph__thread *thread)
{
    flowgraph *g = instance->graph;
    const uint32_t execution = g->collections[thread->collection].execution;
    flowgraph__executor *executor;
    for (executor = instance->executors; executor; executor = executor->next)
        if (executor->execution == execution && (execution > 0 || executor->threads == 0)) return executor;
    executor = (flowgraph__executor *)calloc(1, sizeof *executor);
    if (!executor) return NULL;
    executor->instance = instance;
    executor->execution = execution;
    executor->number = instance->executor_count++;
    executor->next = instance->executors;
    instance->executors = executor;
    if (g->mode == FLOWGRAPH_REAL && flowgraph__end(g, flowgraph__executor_open(executor)) != FLOWGRAPH_OK) return NULL;
    return executor;
}

static bool flowgraph__settle(flowgraph__instance *instance, flowgraph__thread *thread)
{
    thread->executor = flowgraph__executor_for(instance, thread);
    if (!thread->executor) return false;
    ++thread->executor->threads;
    thread->node = instance->number;
    thread->move_to = FLOWGRAPH__NOWHERE;
    ++instance->hosted;
    instance->where[thread->collection][thread->number] = instance->number;
    instance->moves[thread->collection][thread->number] = thread->moves;
    return true;
}

/* One of the nodes that remain, as far as this instance knows. */
static uint32_t flowgraph__stays(const flowgraph__instance *instance, uint32_t number)
{
    const flowgraph *g = instance->graph;
    size_t staying = 0;
    for (uint32_t i = 0; i < g->node_count; ++i) staying += instance->taking_part[i];
    number %= (uint32_t)staying; /* node 0 always does */
    for (uint32_t i = 0; i < g->node_count; ++i)
        if (instance->taking_part[i] && number-- == 0) return i;
    return 0;
}

/* A leaving node is free when its last thread has moved away. */
static void flowgraph__left(flowgraph__instance *instance)
{
    if (!instance->leaving || instance->hosted > 0 || !instance->active) return;
    instance->active = false;
    if (!flowgraph__note(instance->graph, 2, instance->number, 0))
        flowgraph__end(instance->graph, flowgraph__no_memory(instance->graph));
    if (instance->graph->host.left)
        flowgraph__tell(instance, (flowgraph__notice){ .kind = FLOWGRAPH__LEFT, .cookie = instance->number });
}

static bool flowgraph__collected_by(const flowgraph *g, const flowgraph__gather *gather, const flowgraph__thread *t)
{
    return g->operations[gather->operation].desc.threads - 1 == t->collection && gather->thread == t->number;
}

/* A thread as a message: the keys of its stored data, then the frames that it collects. */
static flowgraph__message *flowgraph__pack(flowgraph__instance *instance, flowgraph__thread *thread)
{
    flowgraph *g = instance->graph;
    flowgraph__map *gathers = &instance->gathers;
    size_t frames = 0, keys = 0, taken = 0;
    flowgraph__packed *packed;
    for (size_t i = 0; i < gathers->room; ++i)
        frames += gathers->values[i] && flowgraph__collected_by(g, (flowgraph__gather *)gathers->values[i], thread);
    flowgraph__message *m = flowgraph__message_new(g, FLOWGRAPH__STATE, 0, thread->kept.count,
                                                   8 * thread->kept.count + frames * sizeof *packed);
    if (!m) return NULL;
    uint64_t *key = (uint64_t *)flowgraph__content(m);
    packed = (flowgraph__packed *)(void *)(key + thread->kept.count);
    for (size_t i = 0; i < thread->kept.room; ++i) {
        if (!thread->kept.values[i]) continue;
        key[keys] = thread->kept.keys[i];
        flowgraph__data(m)[keys++] = (flowgraph_data *)thread->kept.values[i];
    }
    flowgraph__map_free(&thread->kept);
    for (size_t i = 0; i < gathers->room && taken < frames;) {
        flowgraph__gather *gather = (flowgraph__gather *)gathers->values[i];
        if (!gather || !flowgraph__collected_by(g, gather, thread)) {
            ++i;
            continue;
        }
        packed[taken++] =
            (flowgraph__packed){ gather->id, gather->count, gather->operation, gather->outer_adds, gather->sealed, 0 };
        flowgraph__map_take(gathers, gather->id); /* another entry may move to this place: look there again */
        free(gather);
    }
    return m;
}

static bool flowgraph__is_here(const flowgraph__instance *instance, uint32_t collection, uint32_t thread)
{
    const flowgraph__thread *it = &instance->graph->collections[collection].threads[thread];
    return it->executor && it->node == instance->number;
}

/* Forwards a message for a thread that is not here. If the thread is expected here, the message waits for it. */
static bool flowgraph__follows(flowgraph__instance *instance, flowgraph__message *m)
{
    const flowgraph *g = instance->graph;
    const bool moves = m->header.kind == FLOWGRAPH__MOVE;
    if (!moves && m->header.kind != FLOWGRAPH__OBJECT && m->header.kind != FLOWGRAPH__SEAL) return false;
    uint32_t collection = moves ? m->header.operation : g->operations[m->header.operation].desc.threads - 1;
    if (flowgraph__is_here(instance, collection, m->header.thread)) return false;
    uint32_t to = instance->where[collection][m->header.thread];
    if (to == instance->number) {
        flowgraph__push(&instance->early, &instance->early_last, m);
        return true;
    }
    m->header.from = (uint16_t)instance->number;
    m->header.to = (uint16_t)to;
    flowgraph__end(instance->graph, flowgraph__ship(m));
    return true;
}

/* Moves a thread that is to move, if no operation is in progress on it. */
static void flowgraph__try_move(flowgraph__thread *thread)
{
    flowgraph *g = thread->graph;
    flowgraph__executor *executor = thread->executor;
    flowgraph__message *kept = NULL, *last = NULL, *gone = NULL, *gone_last = NULL;
    if (!executor || thread->move_to == FLOWGRAPH__NOWHERE || thread->tasks > 0) return;
    flowgraph__instance *instance = executor->instance;
    if (thread->kept.count > UINT16_MAX) {
        flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                                          "%s cannot be moved: it stores %lu pieces of data, expected up to %d",
                                          thread->name, (unsigned long)thread->kept.count, UINT16_MAX));
        return;
    }
    flowgraph__message *m = flowgraph__pack(instance, thread);
    if (!m) {
        flowgraph__end(g, flowgraph__no_memory(g));
        return;
    }
    m->header.from = (uint16_t)instance->number;
    m->header.to = (uint16_t)thread->move_to;
    m->header.operation = thread->collection;
    m->header.thread = thread->number;
    m->header.cookie = ++thread->moves;
    for (flowgraph__message *queue = executor->head; queue;) {
        flowgraph__message *next = queue->next;
        const bool goes = queue->header.kind == FLOWGRAPH__OBJECT && queue->header.thread == thread->number &&
                          g->operations[queue->header.operation].desc.threads - 1 == thread->collection;
        if (goes)
            flowgraph__push(&gone, &gone_last, queue);
        else
            flowgraph__push(&kept, &last, queue);
        queue = next;
    }
    executor->head = kept;
    executor->tail = last;
    instance->where[thread->collection][thread->number] = thread->move_to;
    instance->moves[thread->collection][thread->number] = thread->moves;
    --executor->threads;
    thread->executor = NULL;
    thread->node = FLOWGRAPH__NOWHERE;
    thread->move_to = FLOWGRAPH__NOWHERE;
    --instance->hosted;
    flowgraph__end(g, flowgraph__ship(m));
    while (gone && g->result == FLOWGRAPH_OK) {
        flowgraph__message *follows = flowgraph__pop(&gone);
        follows->header.from = (uint16_t)instance->number;
        follows->header.to = (uint16_t)instance->where[thread->collection][thread->number];
        flowgraph__end(g, flowgraph__ship(follows));
    }
    flowgraph__left(instance);
}

/* An instance gives up its threads, and those that still arrive. */
static void flowgraph__give_up(flowgraph__instance *instance)
{
    flowgraph *g = instance->graph;
    instance->leaving = true;
    for (uint32_t c = 0; c < g->collection_count; ++c)
        for (uint32_t t = 0; t < g->collections[c].count; ++t) {
            flowgraph__thread *thread = &g->collections[c].threads[t];
            if (!flowgraph__is_here(instance, c, t)) continue;
            thread->move_to = flowgraph__stays(instance, t);
            flowgraph__try_move(thread);
        }
    flowgraph__left(instance);
}

/* A thread has arrived. */
static void flowgraph__unpack(flowgraph__instance *instance, flowgraph__message *m)
{
    flowgraph *g = instance->graph;
    flowgraph__thread *thread = &g->collections[m->header.operation].threads[m->header.thread];
    const uint64_t *key = (const uint64_t *)flowgraph__content(m);
    const flowgraph__packed *packed = (const flowgraph__packed *)(const void *)(key + m->header.data);
    const size_t frames = (m->header.content - 8u * m->header.data) / sizeof *packed;
    flowgraph__message *early = instance->early;
    thread->moves = (uint32_t)m->header.cookie;
    bool room = flowgraph__settle(instance, thread);
    for (size_t i = 0; i < m->header.data && room; ++i) {
        room = flowgraph__map_put(&thread->kept, key[i], flowgraph__data(m)[i]);
        if (room) flowgraph_data_keep(flowgraph__data(m)[i]);
    }
    for (size_t i = 0; i < frames && room; ++i) {
        flowgraph__gather *gather = (flowgraph__gather *)calloc(1, sizeof *gather);
        room = gather;
        if (!room) break;
        gather->id = packed[i].id;
        gather->operation = packed[i].operation;
        gather->thread = thread->number;
        gather->count = packed[i].count;
        gather->outer_adds = packed[i].outer_adds;
        gather->sealed = packed[i].sealed != 0; /* its objects follow and are counted again */
        room = flowgraph__map_put(&instance->gathers, gather->id, gather);
        if (!room) free(gather);
    }
    if (!room) flowgraph__end(g, flowgraph__no_memory(g));
    flowgraph__tell_all(instance, (flowgraph__notice){ .kind = FLOWGRAPH__WHERE,
                                                       .cookie = thread->moves,
                                                       .operation = m->header.operation,
                                                       .thread = m->header.thread });
    instance->early = NULL;
    while (early) { /* messages for other threads wait again */
        flowgraph__message *waited = flowgraph__pop(&early);
        flowgraph__deliver(instance, waited);
    }
    if (!instance->leaving) return;
    thread->move_to = flowgraph__stays(instance, thread->number);
    flowgraph__try_move(thread);
}

/*=============================================================================
 * MARK: - >>delivery
 *===========================================================================*/
/* A frame can be freed when its merge knows the count and no opener waits for its window. */
static void flowgraph__frame_done(flowgraph__instance *instance, flowgraph__frame *frame)
{
    if (!frame->sealed || !frame->told || frame->task) return;
    if (frame->id & FLOWGRAPH__WINDOWED && frame->taken < frame->posted) return;
    flowgraph__map_take(&instance->frames, frame->id);
    free(frame);
}

/* Reports the number of objects to the merge, as soon as number and merge are known. */
static void flowgraph__frame_tell(flowgraph__instance *instance, flowgraph__frame *frame, uint64_t by)
{
    if (!frame->sealed || frame->told || frame->node == FLOWGRAPH__NOWHERE) return;
    frame->told = true;
    flowgraph__tell(instance, (flowgraph__notice){ .kind = FLOWGRAPH__SEAL,
                                                   .to = frame->node,
                                                   .cookie = frame->id,
                                                   .number = frame->posted,
                                                   .operation = frame->merger,
                                                   .thread = frame->thread,
                                                   .adds = frame->adds,
                                                   .by = by });
}

/* The first edge that leads to an operation, as text. */
static const char *flowgraph__edge_to(const flowgraph *g, uint32_t operation, char text[96])
{
    const char *from = "";
    for (uint32_t e = g->edge_count; e-- > 0;)
        if (g->edges[e].to - 1 == operation) from = g->operations[g->edges[e].from - 1].name;
    snprintf(text, 96, "edge '%s' -> '%s'", from, g->operations[operation].name);
    return text;
}

static const char *flowgraph__thread_of(const flowgraph *g, uint32_t operation, uint32_t thread)
{
    return g->collections[g->operations[operation].desc.threads - 1].threads[thread].name;
}

static flowgraph_result flowgraph__two_merges(const flowgraph *g, const flowgraph__frame *frame, uint32_t operation,
                                              uint32_t thread)
{
    char edge[96];
    return flowgraph__fail((flowgraph *)(uintptr_t)g, FLOWGRAPH_BAD_ROUTE,
                           "%s routes to %s, but earlier objects of the same '%s' went to '%s' on %s",
                           flowgraph__edge_to(g, operation, edge), flowgraph__thread_of(g, operation, thread),
                           g->operations[frame->operation].name, g->operations[frame->merger].name,
                           flowgraph__thread_of(g, frame->merger, frame->thread));
}

static void flowgraph__queue_object(flowgraph__instance *instance, flowgraph__message *m)
{
    flowgraph *g = instance->graph;
    const flowgraph__operation *operation = &g->operations[m->header.operation];
    const uint32_t collection = operation->desc.threads - 1;
    flowgraph__thread *thread = &g->collections[collection].threads[m->header.thread];
    const uint64_t frame = flowgraph__frame_of(m);
    if (flowgraph__collects(operation)) {
        flowgraph__gather *gather = (flowgraph__gather *)flowgraph__map_get(&instance->gathers, frame);
        if (!gather) {
            gather = (flowgraph__gather *)calloc(1, sizeof *gather);
            if (!gather || !flowgraph__map_put(&instance->gathers, frame, gather)) {
                free(gather);
                flowgraph__end(g, flowgraph__no_memory(g));
                return;
            }
            gather->id = frame;
            gather->operation = m->header.operation;
            gather->thread = m->header.thread;
            flowgraph__push(&thread->executor->head, &thread->executor->tail, m);
            flowgraph__tell(instance, (flowgraph__notice){ .kind = FLOWGRAPH__REGISTER,
                                                           .to = flowgraph__home(frame),
                                                           .cookie = frame,
                                                           .operation = m->header.operation,
                                                           .thread = m->header.thread,
                                                           .by = m->header.id });
            flowgraph__kick(thread->executor);
            return;
        }
        if (gather->operation != m->header.operation || gather->thread != m->header.thread) {
            char edge[96];
            flowgraph__end(g,
                           flowgraph__fail(g, FLOWGRAPH_BAD_ROUTE,
                                           "%s routes to %s, but earlier objects of the same split went to '%s' on %s",
                                           flowgraph__edge_to(g, m->header.operation, edge), thread->name,
                                           g->operations[gather->operation].name,
                                           flowgraph__thread_of(g, gather->operation, gather->thread)));
            flowgraph__message_free(m);
            return;
        }
    }
    flowgraph__push(&thread->executor->head, &thread->executor->tail, m);
    flowgraph__kick(thread->executor);
}

static void flowgraph__registered(flowgraph__instance *instance, flowgraph__message *m)
{
    flowgraph *g = instance->graph;
    flowgraph__frame *frame = (flowgraph__frame *)flowgraph__map_get(&instance->frames, m->header.cookie);
    char edge[96];
    if (!frame || (frame->merger != FLOWGRAPH__NOWHERE &&
                   (frame->merger != m->header.operation || frame->thread != m->header.thread))) {
        if (!frame)
            flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_BAD_ROUTE,
                                              "%s routes to %s, but another thread has merged that frame already",
                                              flowgraph__edge_to(g, m->header.operation, edge),
                                              flowgraph__thread_of(g, m->header.operation, m->header.thread)));
        else
            flowgraph__end(g, flowgraph__two_merges(g, frame, m->header.operation, m->header.thread));
        return;
    }
    frame->merger = m->header.operation;
    frame->thread = m->header.thread;
    frame->node = m->header.from;
    flowgraph__frame_tell(instance, frame, m->header.id);
    flowgraph__frame_done(instance, frame);
}

static void flowgraph__sealed(flowgraph__instance *instance, flowgraph__message *m)
{
    flowgraph__gather *gather = (flowgraph__gather *)flowgraph__map_get(&instance->gathers, m->header.cookie);
    if (!gather) return;
    gather->sealed = true;
    gather->count = flowgraph__number(m);
    gather->outer_adds = m->header.adds;
    if (!gather->task || !gather->task->waits) return;
    if (gather->task->blocked || flowgraph__complete(gather)) flowgraph__wake(gather->task, false, m);
}

static void flowgraph__acknowledged(flowgraph__instance *instance, flowgraph__message *m)
{
    flowgraph__frame *frame = (flowgraph__frame *)flowgraph__map_get(&instance->frames, m->header.cookie);
    if (!frame) return;
    frame->taken = flowgraph__number(m);
    if (frame->task && frame->task->blocked && !frame->task->waits) flowgraph__wake(frame->task, true, m);
    flowgraph__frame_done(instance, frame);
}

/* An object has reached an end of the graph; node 0 counts them. */
static void flowgraph__ended(flowgraph *g)
{
    ++g->ended;
    if (g->ended < g->expected || g->complete) return;
    g->complete = true;
    g->finished = flowgraph__time(g);
    if (g->mode == FLOWGRAPH_REAL)
        flowgraph__net_finished(g);
    else if (g->host.ended)
        flowgraph__tell_host(g);
}

static void flowgraph__joined(flowgraph__instance *instance, flowgraph__message *m)
{
    const uint32_t node = (uint32_t)m->header.cookie;
    const flowgraph *g = instance->graph;
    instance->taking_part[node] = true;
    for (uint32_t c = 0; c < g->collection_count && node != instance->number; ++c) /* the new node may not know */
        if (instance->resized[c])
            flowgraph__tell(
                instance, (flowgraph__notice){
                              .kind = FLOWGRAPH__RESIZE, .to = node, .operation = c, .thread = instance->resized[c] });
    for (flowgraph_task *task = g->tasks.after; task != &g->tasks; task = task->after)
        if (task->joining == node && task->instance == instance && task->blocked) flowgraph__wake(task, false, m);
}

void flowgraph__heard(flowgraph__instance *instance, uint32_t collection, uint32_t thread, uint32_t where,
                      uint32_t moves)
{
    if (moves <= instance->moves[collection][thread]) return;
    instance->where[collection][thread] = where;
    instance->moves[collection][thread] = moves;
}

void flowgraph__deliver(flowgraph__instance *instance, flowgraph__message *m)
{
    flowgraph *g = instance->graph;
    flowgraph__thread *thread;
    if (g->result != FLOWGRAPH_OK) {
        flowgraph__message_free(m);
        return;
    }
    if (flowgraph__follows(instance, m)) return;
    m->arrived = flowgraph__time(g);
    flowgraph__note_passage(m);
    switch (m->header.kind) {
    case FLOWGRAPH__OBJECT: flowgraph__queue_object(instance, m); return;
    case FLOWGRAPH__REGISTER: flowgraph__registered(instance, m); break;
    case FLOWGRAPH__SEAL: flowgraph__sealed(instance, m); break;
    case FLOWGRAPH__ACK: flowgraph__acknowledged(instance, m); break;
    case FLOWGRAPH__END: flowgraph__ended(g); break;
    case FLOWGRAPH__RESIZE: instance->count[m->header.operation] = m->header.thread; break;
    case FLOWGRAPH__MOVE:
        thread = &g->collections[m->header.operation].threads[m->header.thread];
        thread->move_to = m->header.cookie == instance->number ? FLOWGRAPH__NOWHERE : (uint32_t)m->header.cookie;
        flowgraph__try_move(thread);
        break;
    case FLOWGRAPH__STATE: flowgraph__unpack(instance, m); break;
    case FLOWGRAPH__WHERE:
        flowgraph__heard(instance, m->header.operation, m->header.thread, m->header.from, (uint32_t)m->header.cookie);
        break;
    case FLOWGRAPH__LEAVE:
        instance->taking_part[m->header.cookie] = false;
        if (m->header.cookie == instance->number) flowgraph__give_up(instance);
        break;
    case FLOWGRAPH__LEFT:
        if (g->host.left) g->host.left(g->host.user, g, (size_t)m->header.cookie);
        break;
    case FLOWGRAPH__JOINED: flowgraph__joined(instance, m); break;
    default: flowgraph__net_deliver(g, m); return;
    }
    flowgraph__message_free(m);
}

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
static const char *flowgraph__name(const flowgraph_task *task)
{
    return task->graph->operations[task->operation].name;
}

/* Every call made by an operation begins and ends with these two: in direct mode the CPU time between calls is
 * charged. */
static void flowgraph__enter(flowgraph_task *task)
{
    flowgraph *g = task->graph;
    flowgraph__lock(g);
    if (g->mode == FLOWGRAPH_DIRECT) task->charged += fmax(g->processor_time(g->processor_time_user) - task->clock, 0);
}

static void flowgraph__leave(flowgraph_task *task)
{
    flowgraph *g = task->graph;
    if (g->mode == FLOWGRAPH_DIRECT) task->clock = g->processor_time(g->processor_time_user);
    flowgraph__unlock(g);
}

/* Ends the current atomic step: the CPU time charged to it is computed on the node; in real mode it has been used. */
static flowgraph_result flowgraph__step(flowgraph_task *task)
{
    flowgraph *g = task->graph;
    simkit_computation_desc compute = { 0 };
    if (!(task->charged > 0)) return FLOWGRAPH_OK;
    compute.seconds = task->charged;
    compute.name = flowgraph__name(task);
    compute.lane = task->thread->name;
    task->work += task->charged;
    g->processor_times[task->instance->number] += task->charged;
    task->charged = 0;
    simkit_result computed = simkit_process_compute(g->world, &compute, NULL);
    return computed == SIMKIT_OK ? FLOWGRAPH_OK : flowgraph__world_failed(g, g->world, computed);
}

/* When the frame of a merge or stream is complete, the number of objects added to the outer frame is known. */
static void flowgraph__settle_adds(flowgraph_task *task)
{
    if (!task->gather || !flowgraph__complete(task->gather)) return;
    task->adds += task->gather->outer_adds;
    task->gather->outer_adds = 0;
}

/* Waits until the merge knows how many objects there are. */
static flowgraph_result flowgraph__learn(flowgraph_task *task)
{
    while (!task->gather->sealed) {
        flowgraph_result result = flowgraph__step(task);
        if (result != FLOWGRAPH_OK) return result;
        if (task->gather->sealed) break;
        task->waits = task->blocked = true;
        flowgraph__suspend(task, "the number of its objects");
        if (task->graph->result != FLOWGRAPH_OK) return FLOWGRAPH_BAD_CALL;
    }
    flowgraph__settle_adds(task);
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_charge(flowgraph_task *task, double seconds)
{
    flowgraph_result result = FLOWGRAPH_OK;
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph *g = task->graph;
    flowgraph__enter(task);
    if (g->result != FLOWGRAPH_OK) {
        result = FLOWGRAPH_BAD_CALL;
    } else if (!(seconds >= 0 && seconds <= HUGE_VAL) || isinf(task->charged + seconds)) {
        result = flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                                                   "'%s' on %s is charged %g s, expected a finite time >= 0",
                                                   flowgraph__name(task), task->thread->name, seconds));
    } else if (g->mode == FLOWGRAPH_REAL) {
        const double until = flowgraph__thread_time(NULL) + seconds;
        flowgraph__unlock(g);
        while (flowgraph__thread_time(NULL) < until) {
        }
        flowgraph__lock(g);
    } else {
        task->charged += seconds;
    }
    flowgraph__leave(task);
    return result;
}

/* This machine's load average: the closest of those over 60, 300 and 900 s. */
static double flowgraph__machine_load(double observations)
{
    const int which = observations < 134 ? 0 : observations < 520 ? 1 : 2;
    double loads[3];
    return observations >= 0 && getloadavg(loads, 3) > which ? loads[which] : NAN;
}

double flowgraph_load_average(flowgraph_task *task, double observations)
{
    flowgraph *g = task ? task->graph : NULL;
    double load = NAN;
    if (!g) return NAN;
    if (g->mode == FLOWGRAPH_REAL) return flowgraph__machine_load(observations);
    flowgraph__enter(task);
    if (g->result == FLOWGRAPH_OK && flowgraph__end(g, flowgraph__step(task)) == FLOWGRAPH_OK)
        load = simkit_load_average(g->world, task->instance->node, contention_load_beta(observations), 1);
    flowgraph__leave(task);
    return load;
}

/* Runs a kernel in the operation's time. If `paced`, the rest of its modelled time is added. */
static void flowgraph__run_kernel(flowgraph_task *task, const flowgraph_kernel_desc *desc, double parameter,
                                  void (*body)(void *argument), void *argument)
{
    flowgraph *g = task->graph;
    const bool paced = g->paced && desc->model;
    if (!paced) {
        body(argument);
        return;
    }
    double until = g->processor_time(g->processor_time_user) + desc->model(parameter, desc->user);
    body(argument);
    if (g->mode == FLOWGRAPH_DIRECT) {
        task->charged += fmax(until - g->processor_time(g->processor_time_user), 0);
        return;
    }
    while (flowgraph__thread_time(NULL) < until) {
    }
}

flowgraph_result flowgraph_compute(flowgraph_task *task, flowgraph_kernel kernel, double parameter,
                                   void (*body)(void *argument), void *argument)
{
    flowgraph_result result = FLOWGRAPH_OK;
    double seconds = 0;
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph *g = task->graph;
    if (g->result != FLOWGRAPH_OK) return FLOWGRAPH_BAD_CALL;
    if (kernel == 0 || kernel > g->kernel_count || !body) {
        flowgraph__enter(task);
        result = flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' on %s runs kernel %lu of %lu%s",
                                                   flowgraph__name(task), task->thread->name, (unsigned long)kernel,
                                                   (unsigned long)g->kernel_count, body ? "" : ", but body is NULL"));
        flowgraph__leave(task);
        return result;
    }
    if (g->mode != FLOWGRAPH_PARTIAL) {
        flowgraph__run_kernel(task, &g->kernels[kernel - 1].desc, parameter, body, argument);
        return FLOWGRAPH_OK;
    }
    simkit_result ran =
        simkit_operation_run(g->world, g->kernels[kernel - 1].operation, parameter, body, argument, &seconds);
    if (ran != SIMKIT_OK) return flowgraph__end(g, flowgraph__world_failed(g, g->world, ran));
    task->charged += seconds;
    return FLOWGRAPH_OK;
}

/* Checks a post. */
static flowgraph_result flowgraph__postable(flowgraph_task *task, flowgraph_edge edge, const void *object,
                                            flowgraph_data *const *data, size_t count)
{
    flowgraph *g = task->graph;
    const flowgraph__operation *from = &g->operations[task->operation];
    if (edge == 0 || edge > g->edge_count || g->edges[edge - 1].from - 1 != task->operation)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' on %s posts on edge %lu, which does not leave it",
                               from->name, task->thread->name, (unsigned long)edge);
    const flowgraph_edge_desc *desc = &g->edges[edge - 1];
    const flowgraph__operation *to = &g->operations[desc->to - 1];
    if (!object && g->types[to->desc.takes - 1].size > 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "edge '%s' -> '%s': '%s' on %s posts a '%s' without content",
                               from->name, to->name, from->name, task->thread->name, g->types[to->desc.takes - 1].name);
    if (count > 255 || (count > 0 && !data))
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "edge '%s' -> '%s': '%s' on %s posts %lu pieces of data%s",
                               from->name, to->name, from->name, task->thread->name, (unsigned long)count,
                               count > 255 ? ", expected up to 255" : ", but the array is NULL");
    for (size_t i = 0; i < count; ++i)
        if (!data[i])
            return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                                   "edge '%s' -> '%s': piece %lu of the data that '%s' on %s posts is NULL", from->name,
                                   to->name, (unsigned long)i, from->name, task->thread->name);
    if (!desc->outer && !flowgraph__opens(from) && task->results > 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_COUNT, "edge '%s' -> '%s': %s '%s' on %s posts a second result",
                               from->name, to->name, flowgraph__kinds[from->desc.kind], from->name, task->thread->name);
    if (desc->outer && flowgraph__generation(task->frames[task->outer_depth - 1]) + 1 == FLOWGRAPH__GENERATIONS)
        return flowgraph__fail(g, FLOWGRAPH_BAD_COUNT,
                               "edge '%s' -> '%s': an object added to a frame adds objects to it, %d times over",
                               from->name, to->name, FLOWGRAPH__GENERATIONS - 1);
    if (desc->outer && !flowgraph__opens(from) && task->results > 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_COUNT,
                               "edge '%s' -> '%s': '%s' on %s posts on an outer edge after its result", from->name,
                               to->name, from->name, task->thread->name);
    return FLOWGRAPH_OK;
}

/* Routes an object. All objects of a frame must go to one thread of one merge. */
static flowgraph_result flowgraph__route(flowgraph_task *task, const flowgraph_edge_desc *edge, const void *object,
                                         uint64_t frame, uint32_t *thread)
{
    flowgraph *g = task->graph;
    const flowgraph__operation *from = &g->operations[edge->from - 1], *to = &g->operations[edge->to - 1];
    const flowgraph__collection *threads = &g->collections[to->desc.threads - 1];
    const size_t count = task->instance->count[to->desc.threads - 1];
    const size_t number = edge->route ? edge->route(object, task->thread->number, count, edge->user) : 0;
    if (number >= threads->count) /* a thread beyond `count` is allowed for a frame that it collects already */
        return flowgraph__fail(g, FLOWGRAPH_BAD_ROUTE,
                               "edge '%s' -> '%s' routes a '%s' to thread %lu of '%s', which has %lu", from->name,
                               to->name, g->types[to->desc.takes - 1].name, (unsigned long)number, threads->name,
                               (unsigned long)threads->count);
    *thread = (uint32_t)number;
    if (!flowgraph__collects(to)) return FLOWGRAPH_OK;
    if (flowgraph__home(frame) != task->instance->number) return FLOWGRAPH_OK; /* that node checks it */
    const flowgraph__frame *known = (const flowgraph__frame *)flowgraph__map_get(&task->instance->frames, frame);
    if (known && known->merger != FLOWGRAPH__NOWHERE && (known->merger != edge->to - 1 || known->thread != *thread))
        return flowgraph__two_merges(g, known, edge->to - 1, *thread);
    return FLOWGRAPH_OK;
}

/* Waits while the window of an operation is full. */
static flowgraph_result flowgraph__wait_for_window(flowgraph_task *task)
{
    const size_t window = task->graph->operations[task->operation].desc.window;
    while (task->opened->posted - task->opened->taken >= window) {
        task->blocked = true;
        flowgraph__suspend(task, "its window");
        if (task->graph->result != FLOWGRAPH_OK) return FLOWGRAPH_BAD_CALL;
    }
    return FLOWGRAPH_OK;
}

/* A merge posts its result last, when it has all objects. */
static flowgraph_result flowgraph__may_end(flowgraph_task *task, const flowgraph__operation *from,
                                           const flowgraph__operation *to)
{
    const flowgraph_result result = flowgraph__learn(task);
    if (result != FLOWGRAPH_OK || flowgraph__complete(task->gather)) return result;
    return flowgraph__fail(task->graph, FLOWGRAPH_BAD_COUNT,
                           "edge '%s' -> '%s': merge '%s' on %s posts its result before it has all objects", from->name,
                           to->name, from->name, task->thread->name);
}

/* An object on its way along an edge, an `inner` one within what the task has opened; NULL without memory. */
static flowgraph__message *flowgraph__object_new(flowgraph_task *task, const flowgraph_edge_desc *desc, bool inner,
                                                 const void *content, flowgraph_data *const *data, size_t count)
{
    flowgraph *g = task->graph;
    const size_t size = g->types[g->operations[desc->to - 1].desc.takes - 1].size;
    flowgraph__message *m = flowgraph__message_new(g, FLOWGRAPH__OBJECT, task->outer_depth + inner, count, size);
    if (!m) return NULL;
    memcpy(flowgraph__frames(m), task->frames, 8 * (size_t)task->outer_depth);
    if (inner) flowgraph__frames(m)[task->outer_depth] = task->opened->id;
    for (size_t i = 0; i < count; ++i) flowgraph__data(m)[i] = flowgraph_data_keep(data[i]);
    if (size > 0) memcpy(flowgraph__content(m), content, size);
    m->header.operation = desc->to - 1;
    return m;
}

/* What a post takes of the processor, before the object leaves. */
static flowgraph_result flowgraph__charge_post(flowgraph_task *task, const flowgraph__operation *to,
                                               flowgraph__message *m)
{
    flowgraph *g = task->graph;
    const uint32_t here = (uint32_t)task->instance->number;
    if (g->mode == FLOWGRAPH_REAL) return FLOWGRAPH_OK;
    double seconds = flowgraph__part_of_cost(g, here) * g->post_seconds;
    if (task->instance->where[to->desc.threads - 1][m->header.thread] != here)
        seconds += flowgraph__cost_of(g, &g->send, here, m);
    task->charged += seconds;
    const flowgraph_result result = flowgraph__step(task);
    g->handled[here] = simkit_clock_now(g->world);
    return result;
}

static flowgraph_result flowgraph__send(flowgraph_task *task, flowgraph_edge edge, const void *content,
                                        flowgraph_data *const *data, size_t count)
{
    flowgraph *g = task->graph;
    const flowgraph__operation *from = &g->operations[task->operation];
    flowgraph_result result = flowgraph__postable(task, edge, content, data, count);
    if (result == FLOWGRAPH_OK) result = flowgraph__step(task);
    if (result != FLOWGRAPH_OK) return result;
    const flowgraph_edge_desc *desc = &g->edges[edge - 1];
    const flowgraph__operation *to = &g->operations[desc->to - 1];
    const bool inner = task->opened && !desc->outer;
    if (inner && from->desc.window > 0) result = flowgraph__wait_for_window(task);
    if (result == FLOWGRAPH_OK && !inner && !desc->outer && task->gather) result = flowgraph__may_end(task, from, to);
    if (result != FLOWGRAPH_OK) return result;
    flowgraph__message *m = flowgraph__object_new(task, desc, inner, content, data, count);
    if (!m) return flowgraph__no_memory(g);
    result = flowgraph__route(task, desc, flowgraph__content(m), flowgraph__frame_of(m), &m->header.thread);
    if (result == FLOWGRAPH_OK) result = flowgraph__charge_post(task, to, m);
    if (result != FLOWGRAPH_OK) {
        flowgraph__message_free(m);
        return result;
    }
    if (inner) {
        ++task->opened->posted;
    } else if (desc->outer) {
        flowgraph__frames(m)[m->header.depth - 1] += FLOWGRAPH__GENERATION;
        ++task->adds;
    } else {
        m->header.adds = task->adds;
        task->adds = 0;
    }
    task->results += !desc->outer;
    m->header.from = (uint16_t)task->instance->number;
    m->header.to = (uint16_t)task->instance->where[to->desc.threads - 1][m->header.thread];
    if (g->record) {
        m->header.id = flowgraph__next_id(task->instance);
        m->header.by = task->id;
        m->header.posted = flowgraph__time(g);
    }
    return flowgraph__ship(m);
}

flowgraph_result flowgraph_post(flowgraph_task *task, flowgraph_edge edge, const void *object,
                                flowgraph_data *const *data, size_t count)
{
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph__enter(task);
    flowgraph_result result = task->graph->result != FLOWGRAPH_OK
                                  ? FLOWGRAPH_BAD_CALL
                                  : flowgraph__end(task->graph, flowgraph__send(task, edge, object, data, count));
    flowgraph__leave(task);
    return result;
}

/* Drops the current object and takes the next one; false: there is none. */
static bool flowgraph__fetch(flowgraph_task *task)
{
    flowgraph *g = task->graph;
    flowgraph__executor *executor = task->executor;
    flowgraph__message_free(task->object);
    task->object = NULL;
    if (flowgraph__end(g, flowgraph__step(task)) != FLOWGRAPH_OK) return false;
    if (task->first) {
        flowgraph__hand(task, flowgraph__pop(&task->first));
        return true;
    }
    if (flowgraph__complete(task->gather)) {
        flowgraph__settle_adds(task);
        return false;
    }
    flowgraph__message *head = executor->head;
    if (head && head->header.kind == FLOWGRAPH__OBJECT && head->header.operation == task->operation &&
        flowgraph__frame_of(head) == task->gather->id) { /* without giving up the execution thread */
        flowgraph__hand(task, flowgraph__pop(&executor->head));
        return true;
    }
    task->waits = true;
    flowgraph__suspend(task, "its next object");
    if (g->result == FLOWGRAPH_OK && !task->object) flowgraph__settle_adds(task);
    return g->result == FLOWGRAPH_OK && task->object;
}

const void *flowgraph_next(flowgraph_task *task)
{
    const void *content = NULL;
    if (!task || !task->gather) return NULL;
    flowgraph__enter(task);
    if (task->graph->result == FLOWGRAPH_OK && flowgraph__fetch(task)) content = flowgraph__content(task->object);
    flowgraph__leave(task);
    return content;
}

flowgraph_data *flowgraph_part(const flowgraph_task *task, size_t index)
{
    if (!task || !task->object || index >= task->object->header.data) return NULL;
    return flowgraph__data(task->object)[index];
}

flowgraph_result flowgraph_store(flowgraph_task *task, uint64_t key, flowgraph_data *data)
{
    flowgraph_result result = FLOWGRAPH_OK;
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph *g = task->graph;
    flowgraph__map *kept = &task->thread->kept;
    flowgraph__enter(task);
    if (g->result != FLOWGRAPH_OK) {
        result = FLOWGRAPH_BAD_CALL;
    } else {
        flowgraph_data *before = (flowgraph_data *)flowgraph__map_take(kept, key);
        if (data && !flowgraph__map_put(kept, key, data))
            result = flowgraph__end(g, flowgraph__no_memory(g));
        else
            flowgraph_data_keep(data);
        flowgraph_data_drop(before);
    }
    flowgraph__leave(task);
    return result;
}

flowgraph_data *flowgraph_stored(const flowgraph_task *task, uint64_t key)
{
    if (!task) return NULL;
    flowgraph__lock(task->graph);
    flowgraph_data *data = (flowgraph_data *)flowgraph__map_get(&task->thread->kept, key);
    flowgraph__unlock(task->graph);
    return data;
}

flowgraph_result flowgraph_mark(flowgraph_task *task, uint64_t number)
{
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph *g = task->graph;
    flowgraph__enter(task);
    flowgraph_result result = g->result != FLOWGRAPH_OK ? FLOWGRAPH_BAD_CALL : flowgraph__end(g, flowgraph__step(task));
    if (result == FLOWGRAPH_OK && !flowgraph__note(g, 0, task->instance->number, number))
        result = flowgraph__end(g, flowgraph__no_memory(g));
    flowgraph__leave(task);
    return result;
}

flowgraph_result flowgraph_refuse(flowgraph_task *task, const char *why)
{
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph *g = task->graph;
    flowgraph__enter(task);
    flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' on %s refuses its object: %s",
                                      flowgraph__name(task), task->thread->name, why ? why : ""));
    flowgraph__leave(task);
    return FLOWGRAPH_BAD_ARGUMENT;
}

flowgraph_result flowgraph_wait(flowgraph_task *task, const char *on)
{
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    const flowgraph *g = task->graph;
    flowgraph__enter(task);
    flowgraph_result result = g->mode == FLOWGRAPH_REAL ? FLOWGRAPH_BAD_CALL : flowgraph__step(task);
    task->held = result == FLOWGRAPH_OK;
    while (task->held) {
        task->blocked = true;
        flowgraph__suspend(task, on);
    }
    if (g->result != FLOWGRAPH_OK) result = FLOWGRAPH_BAD_CALL;
    flowgraph__leave(task);
    return result;
}

void flowgraph_continue(flowgraph_task *task)
{
    if (!task || !task->held) return;
    task->held = false;
    flowgraph__wake(task, false, NULL);
}

size_t flowgraph_thread(const flowgraph_task *task)
{
    return task->thread->number;
}

double flowgraph_now(const flowgraph_task *task)
{
    return flowgraph__time(task->graph);
}

/* Checks that an operation that has returned has posted and taken what its kind requires. */
static flowgraph_result flowgraph__returned(flowgraph_task *task)
{
    flowgraph *g = task->graph;
    const flowgraph__operation *operation = &g->operations[task->operation];
    flowgraph_result result = flowgraph__step(task);
    if (result == FLOWGRAPH_OK && task->gather) result = flowgraph__learn(task);
    if (result != FLOWGRAPH_OK) return result;
    if (task->gather && !flowgraph__complete(task->gather))
        return flowgraph__fail(g, FLOWGRAPH_BAD_COUNT, "%s '%s' on %s ended with %lu of %lu objects",
                               flowgraph__kinds[operation->desc.kind], operation->name, task->thread->name,
                               (unsigned long)task->gather->taken, (unsigned long)flowgraph__known(task->gather));
    if (operation->edges > 0 && task->results == 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_COUNT,
                               "%s '%s' on %s ended without a result: the merge after it would never complete",
                               flowgraph__kinds[operation->desc.kind], operation->name, task->thread->name);
    return FLOWGRAPH_OK;
}

static void flowgraph__task_free(flowgraph_task *task)
{
    task->before->after = task->after;
    task->after->before = task->before;
    flowgraph__message_free(task->object);
    while (task->first) flowgraph__message_free(flowgraph__pop(&task->first));
    free(task);
}

/* Ends a task: seals its frame, frees its execution thread, lets its thread move. */
static void flowgraph__finish(flowgraph_task *task)
{
    flowgraph *g = task->graph;
    flowgraph__instance *instance = task->instance;
    flowgraph__executor *executor = task->executor;
    flowgraph__thread *thread = task->thread;
    flowgraph__frame *opened = task->opened;
    if (g->mode == FLOWGRAPH_REAL) task->work += flowgraph__thread_time(NULL) - task->clock;
    if (opened) {
        opened->sealed = true;
        opened->adds = task->adds;
        opened->task = NULL;
        flowgraph__frame_tell(instance, opened, task->id);
        flowgraph__frame_done(instance, opened);
    } else if (g->operations[task->operation].edges == 0) {
        flowgraph__tell(instance, (flowgraph__notice){ .kind = FLOWGRAPH__END,
                                                       .operation = task->operation,
                                                       .thread = thread->number,
                                                       .by = task->id });
    }
    if (task->gather) {
        flowgraph__map_take(&instance->gathers, task->gather->id);
        free(task->gather);
    }
    flowgraph__passivate(task);
    --thread->tasks;
    flowgraph__task_free(task);
    flowgraph__try_move(thread);
    if (g->mode == FLOWGRAPH_REAL)
        flowgraph__net_idle(g);
    else
        flowgraph__kick(executor);
}

static void flowgraph__execute(simkit_world *world, void *user)
{
    flowgraph_task *task = (flowgraph_task *)user;
    flowgraph *g = task->graph;
    const flowgraph_operation_desc *desc = &g->operations[task->operation].desc;
    (void)world;
    if (g->mode == FLOWGRAPH_REAL) task->clock = flowgraph__thread_time(NULL);
    if (g->mode == FLOWGRAPH_DIRECT) task->clock = g->processor_time(g->processor_time_user);
    desc->run(task, flowgraph__content(task->object), desc->user);
    flowgraph__enter(task);
    if (g->result == FLOWGRAPH_OK && flowgraph__end(g, flowgraph__returned(task)) == FLOWGRAPH_OK)
        flowgraph__finish(task);
    flowgraph__unlock(g);
}

/*=============================================================================
 * MARK: - >>nodes
 *===========================================================================*/
/* Checks a call about a thread or a node, and ends the atomic step. */
static flowgraph_result flowgraph__changeable(flowgraph_task *task, flowgraph_threads threads, size_t thread,
                                              size_t node, const char *what)
{
    flowgraph *g = task->graph;
    if (g->result != FLOWGRAPH_OK) return FLOWGRAPH_BAD_CALL;
    if (threads > g->collection_count || (threads > 0 && thread >= g->collections[threads - 1].count))
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                               "'%s' on %s cannot %s: there is no thread %lu of collection %lu", flowgraph__name(task),
                               task->thread->name, what, (unsigned long)thread, (unsigned long)threads);
    if (node >= g->node_count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' on %s cannot %s: node is %lu, expected 0 to %lu",
                               flowgraph__name(task), task->thread->name, what, (unsigned long)node,
                               (unsigned long)g->node_count - 1);
    return flowgraph__step(task);
}

flowgraph_result flowgraph_resize(flowgraph_task *task, flowgraph_threads threads, size_t count)
{
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph__enter(task);
    flowgraph_result result =
        flowgraph__changeable(task, threads ? threads : UINT32_MAX, count - 1, 0, "resize a collection");
    if (result == FLOWGRAPH_OK) {
        task->instance->count[threads - 1] = task->instance->resized[threads - 1] = (uint32_t)count;
        flowgraph__tell_all(
            task->instance,
            (flowgraph__notice){ .kind = FLOWGRAPH__RESIZE, .operation = threads - 1, .thread = (uint32_t)count });
    }
    flowgraph__end(task->graph, result);
    flowgraph__leave(task);
    return result;
}

flowgraph_result flowgraph_move(flowgraph_task *task, flowgraph_threads threads, size_t thread, size_t node)
{
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph__enter(task);
    flowgraph_result result =
        flowgraph__changeable(task, threads ? threads : UINT32_MAX, thread, node, "move a thread");
    if (result == FLOWGRAPH_OK && !task->instance->taking_part[node])
        result = flowgraph__fail(task->graph, FLOWGRAPH_BAD_ARGUMENT,
                                 "'%s' on %s cannot move a thread to node %lu, which does not take part",
                                 flowgraph__name(task), task->thread->name, (unsigned long)node);
    if (result == FLOWGRAPH_OK)
        flowgraph__tell(task->instance, (flowgraph__notice){ .kind = FLOWGRAPH__MOVE,
                                                             .to = task->instance->where[threads - 1][thread],
                                                             .cookie = node,
                                                             .operation = threads - 1,
                                                             .thread = (uint32_t)thread });
    flowgraph__end(task->graph, result);
    flowgraph__leave(task);
    return result;
}

flowgraph_result flowgraph_leave(flowgraph_task *task, size_t node)
{
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph *g = task->graph;
    flowgraph__instance *instance = task->instance;
    flowgraph__enter(task);
    flowgraph_result result = flowgraph__changeable(task, 0, 0, node, "release a node");
    if (result == FLOWGRAPH_OK && (node == 0 || !instance->taking_part[node]))
        result = flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' on %s cannot release node %lu, %s",
                                 flowgraph__name(task), task->thread->name, (unsigned long)node,
                                 node == 0 ? "which always takes part" : "which does not take part");
    if (result == FLOWGRAPH_OK) {
        instance->taking_part[node] = false;
        const flowgraph__notice leave = { .kind = FLOWGRAPH__LEAVE, .to = (uint32_t)node, .cookie = node };
        flowgraph__tell(instance, leave);
        flowgraph__tell_all(instance, leave);
    }
    flowgraph__end(g, result);
    flowgraph__leave(task);
    return result;
}

/* A node has joined; it learns the places of all threads from the node that asked for it. */
static void flowgraph__came(simkit_world *world, void *user)
{
    flowgraph__message *m = (flowgraph__message *)user;
    flowgraph *g = m->graph;
    flowgraph__instance *asked = &g->instances[m->header.to], *fresh = &g->instances[m->header.cookie];
    (void)world;
    m->way = FLOWGRAPH__NO_WAY;
    if (g->result != FLOWGRAPH_OK) return;
    fresh->active = fresh->known = true;
    fresh->leaving = false;
    for (uint32_t c = 0; c < g->collection_count; ++c) {
        for (uint32_t t = 0; t < g->collections[c].count; ++t)
            flowgraph__heard(fresh, c, t, asked->where[c][t], asked->moves[c][t]);
        fresh->count[c] = asked->count[c];
    }
    memcpy(fresh->taking_part, asked->taking_part, g->node_count * sizeof *fresh->taking_part);
    fresh->taking_part[fresh->number] = true;
    if (!flowgraph__note(g, 1, fresh->number, 0)) flowgraph__end(g, flowgraph__no_memory(g));
    flowgraph__tell_all(fresh, (flowgraph__notice){ .kind = FLOWGRAPH__JOINED, .cookie = fresh->number });
    flowgraph__deliver(asked, m);
}

flowgraph_result flowgraph_join(flowgraph_task *task, size_t node)
{
    flowgraph__message *m = NULL;
    if (!task) return FLOWGRAPH_BAD_ARGUMENT;
    flowgraph *g = task->graph;
    flowgraph__instance *instance = task->instance;
    flowgraph__enter(task);
    flowgraph_result result = flowgraph__changeable(task, 0, 0, node, "add a node");
    if (result == FLOWGRAPH_OK && instance->taking_part[node])
        result = flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' on %s cannot add node %lu, which takes part already",
                                 flowgraph__name(task), task->thread->name, (unsigned long)node);
    if (result == FLOWGRAPH_OK) {
        const bool real = g->mode == FLOWGRAPH_REAL;
        m = flowgraph__note_for(instance, real ? 0 : instance->number, real ? FLOWGRAPH__JOIN : FLOWGRAPH__JOINED, node,
                                0);
        if (!m) result = FLOWGRAPH_NO_MEMORY;
    }
    if (result == FLOWGRAPH_OK) {
        task->joining = (uint32_t)node;
        if (g->mode == FLOWGRAPH_REAL) {
            result = flowgraph__ship(m);
        } else {
            const double seconds = g->instances[node].known ? 0 : g->join_seconds;
            m->way = FLOWGRAPH__STEP;
            const simkit_result stepped = simkit_step_after(g->world, seconds, 0, flowgraph__came, m, &m->handle);
            if (stepped != SIMKIT_OK) m->way = FLOWGRAPH__NO_WAY;
            if (stepped != SIMKIT_OK) result = flowgraph__world_failed(g, g->world, stepped);
        }
    }
    while (result == FLOWGRAPH_OK && !instance->taking_part[node]) {
        task->blocked = true;
        flowgraph__suspend(task, "a node that joins");
        if (g->result != FLOWGRAPH_OK) result = FLOWGRAPH_BAD_CALL;
    }
    task->joining = FLOWGRAPH__NOWHERE;
    flowgraph__end(g, result);
    flowgraph__leave(task);
    return result;
}

/*=============================================================================
 * MARK: - >>graph
 *===========================================================================*/
static char *flowgraph__copy(const char *text)
{
    char *copy = text ? (char *)malloc(strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

/* Two numbers of `[operation NAME]` as a link; missing keys are 0. */
static netmodel_link flowgraph__link_of(const simkit_machine *machine, const char *name, const char *start,
                                        const char *per_byte)
{
    const double seconds = simkit_machine_value(machine, name, start, "s");
    const double rate = simkit_machine_value(machine, name, per_byte, "B/s");
    netmodel_link link = { 0, 0 };
    if (seconds > 0) link.latency = seconds;
    if (rate > 0) link.byte_time = 1 / rate;
    return link;
}

static flowgraph__cost flowgraph__cost_on(const simkit_machine *machine, const char *name)
{
    const double large = simkit_machine_value(machine, name, "large", "B");
    const flowgraph__cost cost = { flowgraph__link_of(machine, name, "seconds", "rate"),
                                   flowgraph__link_of(machine, name, "large_seconds", "large_rate"),
                                   large > 0 ? large : (double)INFINITY };
    return cost;
}

/* The long-run speed of a core of a node. */
static double flowgraph__speed(const simkit_node_desc *node)
{
    const double speed = node->speed > 0 ? node->speed : 1, cores = node->cores ? (double)node->cores : 1;
    return node->quota > 0 ? speed * fmin(node->quota / (node->period * cores), 1) : speed;
}

/* Copies what is needed of a description; false without memory. */
static bool flowgraph__keep(flowgraph *g, const flowgraph_desc *desc)
{
    g->arguments = desc->arguments;
    g->places = desc->places;
    g->launch = flowgraph__copy(desc->launch);
    g->address = flowgraph__copy(desc->address ? desc->address : "127.0.0.1");
    g->instances = (flowgraph__instance *)calloc(g->node_count, sizeof *g->instances);
    g->policies = (flowgraph_policy *)calloc(desc->policy_count + 1, sizeof *g->policies);
    g->processor_times = (double *)calloc(g->node_count, sizeof *g->processor_times);
    g->handled = (double *)calloc(g->node_count, sizeof *g->handled);
    if (!g->processor_times || !g->handled || (desc->launch && !g->launch) || !g->address || !g->instances ||
        !g->policies)
        return false;
    for (size_t i = 0; i < desc->policy_count; ++i) {
        g->policies[i] = desc->policies[i];
        g->policies[i].kernel = flowgraph__copy(desc->policies[i].kernel);
        ++g->policy_count;
        if (desc->policies[i].kernel && !g->policies[i].kernel) return false;
    }
    for (uint32_t i = 0; i < g->node_count; ++i) {
        flowgraph__instance *instance = &g->instances[i];
        instance->graph = g;
        instance->number = i;
        instance->active = instance->known = i < g->at_first;
        instance->taking_part = (bool *)calloc(g->node_count, sizeof *instance->taking_part);
        if (!instance->taking_part) return false;
        for (size_t k = 0; k < g->at_first; ++k) instance->taking_part[k] = true;
    }
    return true;
}

/* How many nodes there are to place so many on. */
static size_t flowgraph__available(const simkit_machine *machine, size_t count)
{
    if (machine->nodes > 0) return machine->nodes;
    const size_t before = machine->kind_count > 0 ? machine->kinds[machine->kind_count - 1].first : 0;
    return before + (count > FLOWGRAPH_NODES ? count : FLOWGRAPH_NODES); /* the last kind has any number */
}

flowgraph_result flowgraph_places(const simkit_machine *machine, const char *how, size_t count, uint32_t *places,
                                  char why[200])
{
    simkit_parse_error error = { 0 };
    size_t *nodes = (size_t *)malloc((count > 0 ? count : 1) * sizeof *nodes);
    const simkit_result result = nodes ? simkit_machine_placement(machine, how, flowgraph__available(machine, count),
                                                                  false, count, nodes, &error)
                                       : SIMKIT_NO_MEMORY;
    for (size_t i = 0; i < count && result == SIMKIT_OK; ++i) places[i] = (uint32_t)nodes[i];
    free(nodes);
    if (result == SIMKIT_OK) return FLOWGRAPH_OK;
    snprintf(why, 200, "%.150s%s", error.text[0] ? error.text : simkit_result_text(result),
             result == SIMKIT_NO_FILE ? "; expected block, round-robin or a file" : "");
    return result == SIMKIT_NO_MEMORY ? FLOWGRAPH_NO_MEMORY : FLOWGRAPH_BAD_ARGUMENT;
}

flowgraph_result flowgraph_places_check(const simkit_machine *machine, size_t count, const uint32_t *places,
                                        char why[200])
{
    const size_t available = flowgraph__available(machine, count);
    if (!places) return FLOWGRAPH_OK;
    for (size_t i = 0; i < count; ++i)
        if (places[i] >= available) {
            snprintf(why, 200, "node %lu is in place %lu, but the last node of the machine is %lu", (unsigned long)i,
                     (unsigned long)places[i], (unsigned long)available - 1);
            return FLOWGRAPH_BAD_ARGUMENT;
        }
    size_t *taken = (size_t *)calloc(available, sizeof *taken); /* 1 + the node that is there; 0: none */
    if (!taken) {
        snprintf(why, 200, "no memory for places");
        return FLOWGRAPH_NO_MEMORY;
    }
    size_t i = 0;
    while (i < count && taken[places[i]] == 0) taken[places[i]] = i + 1, ++i;
    if (i < count) {
        char name[32];
        const char *called = simkit_machine_node(machine, places[i], name).name;
        snprintf(why, 200, "nodes %lu and %lu are both in place %lu of the machine%s%s",
                 (unsigned long)taken[places[i]] - 1, (unsigned long)i, (unsigned long)places[i], called ? ": " : "",
                 called ? called : "");
    }
    free(taken);
    return i < count ? FLOWGRAPH_BAD_ARGUMENT : FLOWGRAPH_OK;
}

simkit_result flowgraph_places_add(simkit_world *world, const simkit_machine *machine, size_t count,
                                   const uint32_t *places, simkit_node *nodes)
{
    size_t most = count;
    if (!places) return simkit_machine_add(world, machine, count, nodes);
    for (size_t i = 0; i < count; ++i)
        if (places[i] >= most) most = (size_t)places[i] + 1;
    simkit_node *all = (simkit_node *)calloc(most, sizeof *all);
    if (!all) return SIMKIT_NO_MEMORY;
    const simkit_result result = simkit_machine_add(world, machine, most, all);
    for (size_t i = 0; i < count; ++i) nodes[i] = all[places[i]];
    free(all);
    return result;
}

/* Writes the load of links over time, if that is wanted. */
static simkit_result flowgraph__write_loads(flowgraph *g)
{
    const simkit_loadmap_desc file = { g->link_loads, "Load of the links", 0 };
    return g->loadmap ? simkit_loadmap_write(g->loadmap, &file) : SIMKIT_OK;
}

/* Begins to record the load of links; writes the file, so that a wrong path is told before the run. */
static simkit_result flowgraph__record_loads(flowgraph *g, const char *path)
{
    if (!path) return SIMKIT_OK;
    g->link_loads = path;
    const simkit_result result = simkit_loadmap_open(g->world, &g->loadmap);
    return result == SIMKIT_OK ? flowgraph__write_loads(g) : result;
}

/* The world and the nodes in it. */
static flowgraph_result flowgraph__settle_world(flowgraph *g, const flowgraph_desc *desc)
{
    const simkit_world_desc world = { .seed = desc->seed,
                                      .latency = desc->machine ? desc->machine->latency : 0,
                                      .sharing = desc->machine ? desc->machine->sharing : SIMKIT_SHARING_EQUAL,
                                      .processor_time = g->processor_time,
                                      .processor_time_user = desc->user };
    const simkit_node_desc free_of_charge = { 0 };
    simkit_node nodes[FLOWGRAPH_NODES];
    simkit_result result = SIMKIT_OK;

    if (desc->world) {
        g->world = desc->world;
        for (size_t i = 0; i < g->node_count; ++i) {
            nodes[i] = desc->world_nodes ? desc->world_nodes[i] : (simkit_node)(i + 1);
            if (nodes[i] == 0 || nodes[i] > simkit_node_count(g->world))
                return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                                       "node %lu is node %lu of the world, expected 1 to %lu", (unsigned long)i,
                                       (unsigned long)nodes[i], (unsigned long)simkit_node_count(g->world));
        }
    } else {
        char why[200];
        const flowgraph_result placed =
            desc->machine ? flowgraph_places_check(desc->machine, g->node_count, g->places, why) : FLOWGRAPH_OK;
        if (placed != FLOWGRAPH_OK) return flowgraph__fail(g, placed, "%s", why);
        result = simkit_world_open(&world, &g->world);
        g->own_world = result == SIMKIT_OK;
        if (result == SIMKIT_OK && desc->machine)
            result = flowgraph_places_add(g->world, desc->machine, g->node_count, g->places, nodes);
        for (size_t i = 0; i < g->node_count && !desc->machine && result == SIMKIT_OK; ++i)
            result = simkit_node_add(g->world, &free_of_charge, &nodes[i]);
        if (result == SIMKIT_OK) result = flowgraph__record_loads(g, desc->link_loads);
        if (result != SIMKIT_OK) return flowgraph__world_failed(g, g->world, result);
    }
    for (size_t i = 0; i < g->node_count && result == SIMKIT_OK; ++i) {
        g->instances[i].node = nodes[i];
        const size_t place = g->places && desc->machine && !desc->world ? g->places[i] : i;
        if (desc->users) result = simkit_population_start(g->world, desc->users, place + 1, nodes[i]);
        if (desc->loads && result == SIMKIT_OK) result = simkit_load_record(g->world, nodes[i]);
    }
    g->users = desc->users;
    return result == SIMKIT_OK ? FLOWGRAPH_OK : flowgraph__world_failed(g, g->world, result);
}

static flowgraph *flowgraph__make(const flowgraph_desc *desc)
{
    flowgraph *g = (flowgraph *)calloc(1, sizeof *g);
    if (!g) return NULL;
    g->ring.before = g->ring.after = &g->ring;
    g->tasks.before = g->tasks.after = &g->tasks;
    g->data_ring.before = g->data_ring.after = &g->data_ring;
    g->mode = desc->mode;
    g->node_count = desc->nodes ? desc->nodes : 1;
    g->at_first = desc->at_first ? desc->at_first : g->node_count;
    g->record = desc->record;
    g->speed = 1;
    g->paced = desc->paced;
    if (desc->host) g->host = *desc->host;
    g->processor_time =
        desc->processor_time && desc->mode != FLOWGRAPH_REAL ? desc->processor_time : flowgraph__thread_time;
    g->processor_time_user = desc->user;
    g->patience = desc->patience > 0 ? desc->patience : 20;
    pthread_mutex_init(&g->lock, NULL);
    pthread_mutex_init(&g->data_lock, NULL);
    return g;
}

static flowgraph_result flowgraph__desc_check(flowgraph *g, const flowgraph_desc *desc)
{
    if (desc->policy_count > 0 && !desc->policies)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "policy_count is %lu, but `policies` is NULL",
                               (unsigned long)desc->policy_count);
    if ((unsigned)g->mode > FLOWGRAPH_REAL || g->node_count > FLOWGRAPH_NODES || g->at_first > g->node_count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                               "%lu nodes, %lu of them at first; expected at most %d, and one of the three modes",
                               (unsigned long)desc->nodes, (unsigned long)desc->at_first, FLOWGRAPH_NODES);
    if (desc->host && desc->host->ended && (!desc->world || g->mode == FLOWGRAPH_REAL))
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                               "a host hears of the end of a run only if it simulates the graph in its own world");
    if (!(desc->patience >= 0 && desc->patience <= 1e6) || g->patience < 1)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "patience is %g s, expected 1 to 1e6 s", desc->patience);
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_open(const flowgraph_desc *desc, flowgraph **graph)
{
    const flowgraph_desc zero = { 0 };
    if (!graph) return FLOWGRAPH_BAD_ARGUMENT;
    *graph = NULL;
    if (!desc) desc = &zero;
    flowgraph *g = *graph = flowgraph__make(desc);
    if (!g) return FLOWGRAPH_NO_MEMORY;
    const flowgraph_result result = flowgraph__desc_check(g, desc);
    if (result != FLOWGRAPH_OK) {
        g->node_count = 0;
        return result;
    }
    if (!flowgraph__keep(g, desc)) {
        flowgraph_close(g);
        *graph = NULL;
        return FLOWGRAPH_NO_MEMORY;
    }
    if (desc->machine) {
        const double join = simkit_machine_value(desc->machine, "join", "seconds", "s");
        if (desc->machine->kind_count > 0) { /* all nodes are of the first kind */
            g->speed = flowgraph__speed(&desc->machine->kinds[0].node);
            g->cores = desc->machine->kinds[0].node.cores;
        }
        const double post = simkit_machine_value(desc->machine, "post", "seconds", "s");
        g->send = flowgraph__cost_on(desc->machine, "send");
        g->receive = flowgraph__cost_on(desc->machine, "receive");
        const double spacing = simkit_machine_value(desc->machine, "messages", "spacing", "s");
        const double repeated = simkit_machine_value(desc->machine, "messages", "repeated", "1");
        g->post_seconds = post > 0 ? post : 0;
        if (spacing > 0 && repeated >= 0) {
            g->spacing = spacing;
            g->repeated = repeated;
        }
        g->join_seconds = join > 0 ? join : 0;
    }
    if (g->mode == FLOWGRAPH_REAL) return FLOWGRAPH_OK;
    return flowgraph__settle_world(g, desc);
}

static void flowgraph__instance_free(flowgraph__instance *instance)
{
    for (size_t i = 0; i < instance->frames.room; ++i) free(instance->frames.values[i]);
    for (size_t i = 0; i < instance->gathers.room; ++i) free(instance->gathers.values[i]);
    flowgraph__map_free(&instance->frames);
    flowgraph__map_free(&instance->gathers);
    while (instance->executors) {
        flowgraph__executor *next = instance->executors->next;
        if (instance->executors->world) {
            simkit_world_close(instance->executors->world);
            pthread_cond_destroy(&instance->executors->work);
        }
        free(instance->executors);
        instance->executors = next;
    }
    for (uint32_t c = 0; instance->where && c < instance->graph->collection_count; ++c) free(instance->where[c]);
    for (uint32_t c = 0; instance->moves && c < instance->graph->collection_count; ++c) free(instance->moves[c]);
    free(instance->where);
    free(instance->moves);
    free(instance->count);
    free(instance->resized);
    free(instance->taking_part);
}

/* Ends what a graph does in the world of its host. */
static void flowgraph__withdraw(flowgraph *g)
{
    if (g->reports) simkit_step_cancel(g->world, g->reports);
    for (flowgraph_task *task = g->tasks.after; task != &g->tasks; task = task->after)
        if (simkit_process_kill(g->world, task->process) != SIMKIT_OK) task->process = 0; /* it has ended already */
    for (flowgraph__message *m = g->ring.after; m != &g->ring; m = m->after) switch (m->way) {
        case FLOWGRAPH__TRANSFER: simkit_transfer_cancel(g->world, m->handle); break;
        case FLOWGRAPH__COMPUTATION: simkit_computation_cancel(g->world, m->handle); break;
        case FLOWGRAPH__STEP: simkit_step_cancel(g->world, m->handle); break;
        case FLOWGRAPH__NO_WAY: break;
        }
}

void flowgraph_close(flowgraph *g)
{
    if (!g) return;
    if (!flowgraph__net_close(g)) return; /* an operation still uses it */
    while (g->belonging_count > 0) {
        const flowgraph__belonging *last = &g->belongings[--g->belonging_count];
        last->release(last->user);
    }
    free(g->belongings);
    if (g->own_world) simkit_world_close(g->world);
    if (g->host.ended) flowgraph__withdraw(g);
    while (g->tasks.after != &g->tasks) flowgraph__task_free(g->tasks.after);
    while (g->ring.after != &g->ring) flowgraph__message_free(g->ring.after);
    for (size_t i = 0; g->instances && i < g->node_count; ++i) flowgraph__instance_free(&g->instances[i]);
    for (uint32_t c = 0; c < g->collection_count; ++c) {
        for (size_t t = 0; t < g->collections[c].count; ++t) {
            flowgraph__map *kept = &g->collections[c].threads[t].kept;
            for (size_t i = 0; i < kept->room; ++i) flowgraph_data_drop((flowgraph_data *)kept->values[i]);
            flowgraph__map_free(kept);
        }
        free(g->collections[c].threads);
    }
    for (size_t i = 0; i < g->policy_count; ++i) free((void *)(uintptr_t)g->policies[i].kernel);
    free(g->policies);
    free(g->types);
    free(g->collections);
    free(g->kernels);
    free(g->operations);
    free(g->edges);
    free(g->instances);
    free(g->processor_times);
    free(g->handled);
    free(g->launch);
    free(g->address);
    free(g->records.activations);
    free(g->records.passages);
    free(g->records.events);
    free(g->records.guests);
    while (g->data_ring.after != &g->data_ring) flowgraph__data_free(g->data_ring.after);
    flowgraph__spare_free(g);
    pthread_mutex_destroy(&g->data_lock);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

flowgraph_result flowgraph_at_close(flowgraph *g, void (*release)(void *user), void *user)
{
    if (!g || !release) return FLOWGRAPH_BAD_ARGUMENT;
    if (!flowgraph__grow(&g->belongings, g->belonging_count, sizeof *g->belongings)) return flowgraph__no_memory(g);
    g->belongings[g->belonging_count++] = (flowgraph__belonging){ release, user };
    return FLOWGRAPH_OK;
}

/* Checks that something can be added and has a name. */
static flowgraph_result flowgraph__addable(flowgraph *g, const char *what, const char *name)
{
    if (g->started) return flowgraph__fail(g, FLOWGRAPH_BAD_CALL, "a %s cannot be added after flowgraph_start()", what);
    if (!name || *name == 0 || strlen(name) > 31)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "a %s needs a name of 1 to 31 bytes", what);
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_type_add(flowgraph *g, const char *name, size_t size, flowgraph_type *type)
{
    if (!g || !type) return FLOWGRAPH_BAD_ARGUMENT;
    *type = 0;
    flowgraph_result result = flowgraph__addable(g, "type", name);
    if (result != FLOWGRAPH_OK) return result;
    if (size > 1u << 20)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "type '%s' has %lu bytes, expected up to 1 MiB", name,
                               (unsigned long)size);
    if (!flowgraph__grow(&g->types, g->type_count, sizeof *g->types)) return flowgraph__no_memory(g);
    strcpy(g->types[g->type_count].name, name);
    g->types[g->type_count].size = size;
    *type = ++g->type_count;
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_threads_add(flowgraph *g, const flowgraph_threads_desc *desc, flowgraph_threads *threads)
{
    if (!g || !threads || !desc) return FLOWGRAPH_BAD_ARGUMENT;
    *threads = 0;
    flowgraph_result result = flowgraph__addable(g, "collection of threads", desc->name);
    if (result != FLOWGRAPH_OK) return result;
    if (desc->count == 0 || desc->count > UINT32_MAX / 2)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "threads '%s': count is %lu, expected 1 to %lu", desc->name,
                               (unsigned long)desc->count, (unsigned long)(UINT32_MAX / 2));
    for (size_t i = 0; i < desc->count && desc->nodes; ++i)
        if (desc->nodes[i] >= g->at_first)
            return flowgraph__fail(
                g, FLOWGRAPH_BAD_ARGUMENT, "thread %lu of '%s' is on node %lu, expected 0 to %lu: those at first",
                (unsigned long)i, desc->name, (unsigned long)desc->nodes[i], (unsigned long)g->at_first - 1);
    if (!flowgraph__grow(&g->collections, g->collection_count, sizeof *g->collections)) return flowgraph__no_memory(g);
    flowgraph__collection *item = &g->collections[g->collection_count];
    memset(item, 0, sizeof *item);
    item->threads = (flowgraph__thread *)calloc(desc->count, sizeof *item->threads);
    if (!item->threads) return flowgraph__no_memory(g);
    for (size_t i = 0; i < desc->count; ++i) {
        flowgraph__thread *thread = &item->threads[i];
        thread->graph = g;
        thread->collection = g->collection_count;
        thread->number = (uint32_t)i;
        thread->node = desc->nodes ? desc->nodes[i] : (uint32_t)(i % g->at_first);
        thread->move_to = FLOWGRAPH__NOWHERE;
        snprintf(thread->name, sizeof thread->name, "%s %lu", desc->name, (unsigned long)i);
    }
    strcpy(item->name, desc->name);
    item->count = desc->count;
    item->execution = desc->execution;
    *threads = ++g->collection_count;
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_kernel_add(flowgraph *g, const flowgraph_kernel_desc *desc, flowgraph_kernel *kernel)
{
    const flowgraph_policy *policy = NULL;
    simkit_operation_desc operation = { 0 };
    if (!g || !desc || !kernel) return FLOWGRAPH_BAD_ARGUMENT;
    *kernel = 0;
    flowgraph_result result = flowgraph__addable(g, "kernel", desc->name);
    if (result != FLOWGRAPH_OK) return result;
    for (size_t i = 0; i < g->policy_count; ++i) /* a policy of its own precedes that for all */
        if (g->policies[i].kernel ? strcmp(g->policies[i].kernel, desc->name) == 0 : !policy) policy = &g->policies[i];
    if (!flowgraph__grow(&g->kernels, g->kernel_count, sizeof *g->kernels)) return flowgraph__no_memory(g);
    flowgraph__kernel *item = &g->kernels[g->kernel_count];
    memset(item, 0, sizeof *item);
    strcpy(item->name, desc->name);
    item->desc = *desc;
    item->desc.name = NULL; /* the caller's */
    operation.name = item->name;
    operation.policy = policy ? policy->policy : desc->model ? SIMKIT_POLICY_MODEL : SIMKIT_POLICY_EXECUTE;
    operation.first = policy ? policy->first : 0;
    operation.seconds = policy ? policy->seconds : 0;
    operation.model = operation.seconds > 0 ? NULL : desc->model;
    operation.user = desc->user;
    if (operation.policy == SIMKIT_POLICY_MODEL && !operation.model && !(operation.seconds > 0))
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                               "kernel '%s' has the policy model, but neither a model nor a duration", desc->name);
    if (g->mode == FLOWGRAPH_PARTIAL) {
        const simkit_result added = simkit_operation_add(g->world, &operation, &item->operation);
        if (added != SIMKIT_OK) return flowgraph__world_failed(g, g->world, added);
        g->data = g->data || operation.policy != SIMKIT_POLICY_MODEL;
    }
    *kernel = ++g->kernel_count;
    return FLOWGRAPH_OK;
}

flowgraph_result flowgraph_operation_add(flowgraph *g, const flowgraph_operation_desc *desc,
                                         flowgraph_operation *operation)
{
    if (!g || !desc || !operation) return FLOWGRAPH_BAD_ARGUMENT;
    *operation = 0;
    flowgraph_result result = flowgraph__addable(g, "operation", desc->name);
    if (result != FLOWGRAPH_OK) return result;
    if ((unsigned)desc->kind > FLOWGRAPH_STREAM || !desc->run)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "operation '%s' needs a kind and a function", desc->name);
    if (desc->threads == 0 || desc->threads > g->collection_count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "operation '%s' runs in threads %lu, which do not exist",
                               desc->name, (unsigned long)desc->threads);
    if (desc->window > 0 && (desc->kind == FLOWGRAPH_LEAF || desc->kind == FLOWGRAPH_MERGE))
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "operation '%s' has a window, but opens no frame",
                               desc->name);
    for (int i = -1; i < FLOWGRAPH_GIVES; ++i) {
        const flowgraph_type type = i < 0 ? desc->takes : desc->gives[i];
        if (type > g->type_count || (i < 0 && type == 0))
            return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "operation '%s' %s type %lu, which does not exist",
                                   desc->name, i < 0 ? "takes" : "gives", (unsigned long)type);
    }
    if (!flowgraph__grow(&g->operations, g->operation_count, sizeof *g->operations)) return flowgraph__no_memory(g);
    flowgraph__operation *item = &g->operations[g->operation_count];
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
    bool given = false;
    if (!g || !desc || !edge) return FLOWGRAPH_BAD_ARGUMENT;
    *edge = 0;
    if (g->started) return flowgraph__fail(g, FLOWGRAPH_BAD_CALL, "an edge cannot be added after flowgraph_start()");
    if (desc->from == 0 || desc->from > g->operation_count || desc->to == 0 || desc->to > g->operation_count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "edge from operation %lu to operation %lu, expected 1 to %lu",
                               (unsigned long)desc->from, (unsigned long)desc->to, (unsigned long)g->operation_count);
    const flowgraph__operation *from = &g->operations[desc->from - 1];
    const flowgraph__operation *to = &g->operations[desc->to - 1];
    if (desc->from >= desc->to)
        return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH,
                               "edge '%s' -> '%s' goes back: operations are added in the order of the flow", from->name,
                               to->name);
    for (int i = 0; i < FLOWGRAPH_GIVES; ++i) given = given || from->desc.gives[i] == to->desc.takes;
    if (!given)
        return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH, "edge '%s' -> '%s': '%s' takes '%s', which '%s' does not give",
                               from->name, to->name, to->name, g->types[to->desc.takes - 1].name, from->name);
    if (!flowgraph__grow(&g->edges, g->edge_count, sizeof *g->edges)) return flowgraph__no_memory(g);
    g->edges[g->edge_count] = *desc;
    ++g->operations[desc->from - 1].edges;
    *edge = ++g->edge_count;
    return FLOWGRAPH_OK;
}

/* Computes the depth of frames at each operation from an entry. Edges go forward, so one pass suffices. */
static flowgraph_result flowgraph__check(flowgraph *g, uint32_t entry)
{
    if (g->operations[entry].depth > 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH, "'%s' cannot be started: it is inside a split",
                               g->operations[entry].name);
    g->operations[entry].depth = 0;
    for (uint32_t o = entry; o < g->operation_count; ++o) {
        const flowgraph__operation *from = &g->operations[o];
        const char *kind = flowgraph__kinds[from->desc.kind];
        const int outer = from->depth - flowgraph__collects(from), depth = outer + flowgraph__opens(from);
        bool results = false;
        if (from->depth < 0) continue;
        if (outer < 0)
            return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH, "%s '%s' has no split before it", kind, from->name);
        for (uint32_t e = 0; e < g->edge_count; ++e) {
            const flowgraph_edge_desc *edge = &g->edges[e];
            flowgraph__operation *to = &g->operations[edge->to - 1];
            if (edge->from - 1 != o) continue;
            results = results || !edge->outer;
            if (edge->outer && outer == 0)
                return flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH,
                                       "edge '%s' -> '%s' is an outer edge, but '%s' is not inside a split", from->name,
                                       to->name, from->name);
            if (to->depth < 0) to->depth = edge->outer ? outer : depth;
            if (to->depth != (edge->outer ? outer : depth))
                return flowgraph__fail(
                    g, FLOWGRAPH_BAD_GRAPH,
                    "edge '%s' -> '%s' is inside %d splits, another edge to the same operation inside %d", from->name,
                    to->name, edge->outer ? outer : depth, to->depth);
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

/* Checks the graph from an entry; after an error depths are unchanged. */
static flowgraph_result flowgraph__check_all(flowgraph *g, uint32_t entry)
{
    const flowgraph_result result = flowgraph__check(g, entry);
    for (uint32_t i = 0; result != FLOWGRAPH_OK && !g->started && i < g->operation_count; ++i)
        g->operations[i].depth = -1;
    return result;
}

/* Node 0 checks each entry when it is used. The other nodes do not know the entries and assume all possible ones. */
void flowgraph__depths(flowgraph *g)
{
    for (uint32_t o = 0; o < g->operation_count; ++o) {
        bool led_to = false;
        for (uint32_t e = 0; e < g->edge_count; ++e) led_to = led_to || g->edges[e].to - 1 == o;
        if (!led_to && g->operations[o].depth < 0) flowgraph__check_all(g, o);
    }
    *g->why = 0; /* an impossible entry is no error */
}

/*=============================================================================
 * MARK: - >>run
 *===========================================================================*/
flowgraph_result flowgraph__place(flowgraph *g)
{
    for (uint32_t i = 0; i < g->node_count; ++i) {
        flowgraph__instance *instance = &g->instances[i];
        const bool here = g->mode != FLOWGRAPH_REAL || i == g->me;
        if (!here) continue;
        instance->where = (uint32_t **)calloc(g->collection_count + 1, sizeof *instance->where);
        instance->moves = (uint32_t **)calloc(g->collection_count + 1, sizeof *instance->moves);
        instance->count = (uint32_t *)calloc(g->collection_count + 1, sizeof *instance->count);
        instance->resized = (uint32_t *)calloc(g->collection_count + 1, sizeof *instance->resized);
        if (!instance->where || !instance->moves || !instance->count || !instance->resized)
            return flowgraph__no_memory(g);
        for (uint32_t c = 0; c < g->collection_count; ++c) {
            flowgraph__collection *collection = &g->collections[c];
            instance->count[c] = (uint32_t)collection->count;
            instance->where[c] = (uint32_t *)malloc(collection->count * sizeof **instance->where);
            instance->moves[c] = (uint32_t *)calloc(collection->count, sizeof **instance->moves);
            if (!instance->where[c] || !instance->moves[c]) return flowgraph__no_memory(g);
            for (uint32_t t = 0; t < collection->count; ++t) {
                const uint32_t node = collection->threads[t].node;
                if (node == i && !flowgraph__settle(instance, &collection->threads[t])) return flowgraph__no_memory(g);
                instance->where[c][t] = node;
            }
        }
    }
    return FLOWGRAPH_OK;
}

/* Before the first object: nothing can be added any more, and in real mode the other nodes start. */
static flowgraph_result flowgraph__begin_all(flowgraph *g)
{
    if (g->kernel_count == 0 || g->mode != FLOWGRAPH_PARTIAL) g->data = true;
    if (g->mode != FLOWGRAPH_REAL) return flowgraph__place(g);
    g->began = flowgraph__wall();
    return flowgraph__net_open(g); /* finds out which node this is; returns on node 0 only */
}

/* Records the computations of users. */
static void flowgraph__watch(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    flowgraph *g = (flowgraph *)user;
    flowgraph__records *r = &g->records;
    const double begin = fmax(event->begin - g->began, 0);
    size_t at = r->guest_count;
    uint32_t node = 0;
    (void)world;
    while (node < g->node_count && g->instances[node].node != event->node) ++node;
    if (!event->background || node == g->node_count || g->result != FLOWGRAPH_OK) return;
    if (event->phase == SIMKIT_PHASE_END)
        while (at > 0 && !(r->guests[at - 1].open && r->guests[at - 1].number == event->number)) --at;
    else if (event->phase != SIMKIT_PHASE_BEGIN)
        return;
    if (event->phase == SIMKIT_PHASE_END && at > 0) {
        r->guests[at - 1].open = false;
        r->guests[at - 1].end = event->time - g->began;
    } else if (flowgraph__grow(&r->guests, r->guest_count, sizeof *r->guests)) {
        flowgraph__guest *guest = &r->guests[r->guest_count++];
        *guest = (flowgraph__guest){ begin, event->time - g->began, event->number, node, false, "" };
        guest->open = event->phase == SIMKIT_PHASE_BEGIN;
        snprintf(guest->name, sizeof guest->name, "%s", event->name);
    } else {
        flowgraph__end(g, flowgraph__no_memory(g));
    }
}

/* Keeps the computations of the last run that have not ended. */
static void flowgraph__guests_stay(flowgraph *g)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->records.guest_count; ++i) {
        if (!g->records.guests[i].open) continue;
        g->records.guests[kept] = g->records.guests[i];
        g->records.guests[kept++].begin = 0;
    }
    g->records.guest_count = kept;
}

/* Runs the world until only background is left. */
static simkit_result flowgraph__run_world(flowgraph *g)
{
    const bool watch = g->record && g->users;
    simkit_result ran = watch ? simkit_watch_add(g->world, SIMKIT_WATCH_COMPUTE, flowgraph__watch, g) : SIMKIT_OK;
    if (ran == SIMKIT_OK) ran = simkit_world_run(g->world);
    if (watch) simkit_watch_remove(g->world, flowgraph__watch, g);
    for (size_t i = 0; i < g->records.guest_count; ++i)
        if (g->records.guests[i].open) g->records.guests[i].end = flowgraph__time(g);
    return ran == SIMKIT_OK ? flowgraph__write_loads(g) : ran;
}

/* Forgets the previous run. */
static void flowgraph__new_run(flowgraph *g)
{
    const bool real = g->mode == FLOWGRAPH_REAL;
    g->complete = false;
    g->expected = g->ended = 0;
    g->records.activation_count = g->records.passage_count = g->records.event_count = 0;
    flowgraph__guests_stay(g);
    g->began = real ? flowgraph__wall() : simkit_clock_now(g->world);
    for (uint32_t i = 0; i < g->node_count; ++i) {
        const bool here = real ? g->instances[g->me].taking_part[i] : g->instances[i].active;
        if (here && !flowgraph__note(g, 1, i, 0)) flowgraph__end(g, flowgraph__no_memory(g));
    }
    if (real)
        flowgraph__net_begin(g);
    else
        for (size_t i = 0; i < g->node_count; ++i) {
            g->processor_times[i] = 0;
            g->handled[i] = -(double)INFINITY;
        }
}

/* Sends an input object to its thread. */
static void flowgraph__enter_graph(flowgraph *g, flowgraph__message *m)
{
    const uint32_t collection = g->operations[m->header.operation].desc.threads - 1;
    m->header.to = (uint16_t)g->instances[g->me].where[collection][m->header.thread];
    m->header.from = g->mode == FLOWGRAPH_REAL ? (uint16_t)g->me : m->header.to;
    ++g->expected;
    flowgraph__end(g, flowgraph__ship(m));
}

flowgraph_result flowgraph_start(flowgraph *g, flowgraph_operation operation, size_t thread, const void *content)
{
    flowgraph_result result;
    if (!g) return FLOWGRAPH_BAD_ARGUMENT;
    if (g->result != FLOWGRAPH_OK) return FLOWGRAPH_BAD_CALL;
    if (operation == 0 || operation > g->operation_count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "operation %lu cannot be started, expected 1 to %lu",
                               (unsigned long)operation, (unsigned long)g->operation_count);
    const flowgraph__operation *entry = &g->operations[operation - 1];
    const flowgraph__collection *threads = &g->collections[entry->desc.threads - 1];
    size_t size = g->types[entry->desc.takes - 1].size;
    if (thread >= threads->count)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' cannot be started on thread %lu of '%s', which has %lu",
                               entry->name, (unsigned long)thread, threads->name, (unsigned long)threads->count);
    if (!content && size > 0)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "'%s' is started with a '%s' without content", entry->name,
                               g->types[entry->desc.takes - 1].name);
    if (!g->started || entry->depth != 0) {
        result = flowgraph__check_all(g, operation - 1);
        if (result != FLOWGRAPH_OK) return result;
    }
    if (!g->started) {
        g->started = true;
        g->complete = true; /* nothing has been started */
        result = flowgraph__begin_all(g);
        flowgraph__lock(g);
        flowgraph__end(g, result);
        flowgraph__unlock(g);
        if (result != FLOWGRAPH_OK) return result;
    }
    flowgraph__lock(g);
    flowgraph__message *m = flowgraph__message_new(g, FLOWGRAPH__OBJECT, 0, 0, size);
    if (!m) {
        flowgraph__end(g, flowgraph__no_memory(g));
    } else {
        if (size > 0) memcpy(flowgraph__content(m), content, size);
        m->header.operation = operation - 1;
        m->header.thread = (uint32_t)thread;
        if (g->mode == FLOWGRAPH_REAL) { /* inputs are sent when the run begins */
            flowgraph__push(&g->starts, &g->starts_last, m);
        } else {
            if (g->complete) flowgraph__new_run(g);
            flowgraph__enter_graph(g, m);
        }
    }
    flowgraph__unlock(g);
    return g->result;
}

/* Appends an item to a sentence if it fits; else counts it. */
static void flowgraph__add_text(char *text, size_t room, size_t *more, const char *item)
{
    const size_t length = strlen(text);
    if (length + strlen(item) + 24 < room)
        snprintf(text + length, room - length, "%s%s", length ? "; " : "", item);
    else
        ++*more;
}

void flowgraph__waiting(const flowgraph *g, char *text, size_t room)
{
    size_t more = 0;
    *text = 0;
    for (const flowgraph_task *task = g->tasks.after; task != &g->tasks; task = task->after) {
        const flowgraph__operation *operation = &g->operations[task->operation];
        char item[200];
        int length = snprintf(item, sizeof item, "%s '%s' on %s ", flowgraph__kinds[operation->desc.kind],
                              operation->name, task->thread->name);
        const size_t left = sizeof item - (size_t)length;
        if (task->waits && task->gather->sealed)
            snprintf(item + length, left, "has %lu of %lu objects and waits for a '%s'",
                     (unsigned long)task->gather->taken, (unsigned long)flowgraph__known(task->gather),
                     g->types[operation->desc.takes - 1].name);
        else if (task->waits)
            snprintf(item + length, left, "has %lu objects and waits for a '%s' or for their total number",
                     (unsigned long)task->gather->taken, g->types[operation->desc.takes - 1].name);
        else if (task->blocked && task->opened)
            snprintf(item + length, left,
                     "has posted %lu objects, of which %lu were taken, and waits for its window of %lu",
                     (unsigned long)task->opened->posted, (unsigned long)task->opened->taken,
                     (unsigned long)operation->desc.window);
        else
            snprintf(item + length, left, "waits for something other than an object");
        flowgraph__add_text(text, room, &more, item);
    }
    if (more > 0) snprintf(text + strlen(text), room - strlen(text), "; and %lu more", (unsigned long)more);
}

flowgraph_result flowgraph_run(flowgraph *g, double *seconds)
{
    if (seconds) *seconds = 0;
    if (!g) return FLOWGRAPH_BAD_ARGUMENT;
    if (g->result != FLOWGRAPH_OK || !g->started || g->host.ended) return FLOWGRAPH_BAD_CALL;
    if (g->mode == FLOWGRAPH_REAL) {
        flowgraph__lock(g);
        if (g->starts) flowgraph__new_run(g);
        while (g->starts && g->result == FLOWGRAPH_OK) flowgraph__enter_graph(g, flowgraph__pop(&g->starts));
        flowgraph__unlock(g);
        flowgraph_result waited = flowgraph__net_wait(g);
        if (waited != FLOWGRAPH_OK) return flowgraph__end(g, waited);
    } else {
        simkit_result ran = flowgraph__run_world(g);
        if (g->result != FLOWGRAPH_OK) return g->result;
        if (ran != SIMKIT_OK && (ran != SIMKIT_DEADLOCK || g->complete || g->tasks.after == &g->tasks))
            return flowgraph__world_failed(g, g->world, ran);
        if (!g->complete) {
            char waiting[480];
            flowgraph__waiting(g, waiting, sizeof waiting);
            return flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_INCOMPLETE, "deadlock: %s",
                                                     *waiting ? waiting : "no object has reached an end of the graph"));
        }
    }
    if (seconds) *seconds = g->finished;
    return FLOWGRAPH_OK;
}

double flowgraph_processor_time(const flowgraph *g, size_t node)
{
    return g && node < g->node_count ? g->processor_times[node] : NAN;
}

double flowgraph_marked(const flowgraph *g, uint64_t number)
{
    double time = NAN;
    for (size_t i = 0; g && i < g->records.event_count; ++i) {
        const flowgraph__event *event = &g->records.events[i];
        if (event->kind == 0 && event->number == number) time = fmax(event->time, isnan(time) ? event->time : time);
    }
    return time;
}

/* lu.c - the body of lu.h: the operations (a) to (h) of [dps] figure 5, once for each iteration */
#include "lu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*=============================================================================
 * MARK: - >>costs
 *===========================================================================*/
static bool lu__divides(size_t n, size_t r)
{
    return r > 0 && n > 0 && n % r == 0 && n / r <= LU_ITERATIONS;
}

simkit_result lu_costs_of_machine(const simkit_machine *machine, size_t n, size_t r, lu_costs *costs)
{
    const double b = (double)r, multiply = simkit_machine_value(machine, "multiply", "rate", "flop/s");
    const double solve = simkit_machine_value(machine, "solve", "rate", "flop/s");
    const double memory = simkit_machine_value(machine, "memory", "rate", "B/s");
    const double cache = simkit_machine_value(machine, "memory", "cache", "B");
    const double cached = simkit_machine_value(machine, "panel", "cached", "flop/s");
    const double streamed = simkit_machine_value(machine, "panel", "streamed", "flop/s");
    const double beyond = 1 - cache / (24 * b * b), f = beyond < 0 ? 0 : beyond;

    memset(costs, 0, sizeof *costs);
    if (!lu__divides(n, r)) return SIMKIT_BAD_ARGUMENT;
    costs->n = n;
    costs->r = r;
    costs->multiply = 2 * b * b * b / multiply;
    costs->solve = b * b * b / solve;
    costs->subtract = 24 * b * b / memory;
    for (size_t k = 0; k < n / r; k++) {
        costs->panel[k] = b * b * ((double)(n - k * r) - b / 3) * ((1 - f) / cached + f / streamed);
        costs->exchange[k] = 32 * b * b / memory;
    }
    return isfinite(lu_costs_serial(costs)) ? SIMKIT_OK : SIMKIT_BAD_ARGUMENT;
}

simkit_result lu_costs_of_kernels(const kernels_times *times, lu_costs *costs)
{
    memset(costs, 0, sizeof *costs);
    if (!lu__divides(times->n, times->r)) return SIMKIT_BAD_ARGUMENT;
    costs->n = times->n;
    costs->r = times->r;
    costs->multiply = times->multiply;
    costs->subtract = times->subtract;
    costs->solve = times->solve;
    for (size_t k = 0; k < times->n / times->r; k++) {
        costs->panel[k] = kernels_panel_time(times, times->n - k * times->r);
        costs->exchange[k] = kernels_exchange_time(times, times->n - k * times->r);
    }
    return isfinite(lu_costs_serial(costs)) ? SIMKIT_OK : SIMKIT_BAD_ARGUMENT;
}

double lu_costs_iteration(const lu_costs *costs, size_t iteration)
{
    const double all = (double)(costs->n / costs->r), later = all - 1 - (double)iteration;

    return costs->panel[iteration] + (all - 1) * costs->exchange[iteration] + later * costs->solve +
           later * later * (costs->multiply + costs->subtract);
}

double lu_costs_serial(const lu_costs *costs)
{
    double sum = 0;

    for (size_t k = 0; k < costs->n / costs->r; k++) sum += lu_costs_iteration(costs, k);
    return sum;
}

/*=============================================================================
 * MARK: - >>objects
 *===========================================================================*/
/* What the program keeps in its objects: no matrix, only which piece of it. */
typedef struct lu__column {
    size_t j; /* block column */
} lu__column;

typedef struct lu__block {
    size_t i, j;   /* block row and column */
    size_t number; /* of the request, in its iteration */
} lu__block;

static double lu__bytes(const lu_costs *costs, double blocks, double pivots)
{
    const double r = (double)costs->r;
    return 8 * r * r * blocks + 4 * r * pivots;
}

static const double lu__notice = 16; /* [B]: says that something is done, and what */

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
typedef struct lu lu;

/* What the operations of one iteration share. */
typedef struct lu__iteration {
    lu *all;
    size_t k, later; /* its number, and how many block columns come after it */
    flowgraph_operation panel, solve, collect, deal, multiply, subtract, count, flip;
    flowgraph_edge to_solve, to_collect, to_deal, to_multiply, to_subtract, to_count, to_panel, to_flip, to_end,
        flipped;
    size_t requests; /* posted so far */
    size_t *blocks;  /* blocks[K]: finished blocks of each block column */
} lu__iteration;

struct lu {
    const lu_desc *desc;
    lu_outcome *outcome;
    size_t count; /* K */
    lu__iteration *iterations;
    flowgraph_operation start, end;
    flowgraph_edge begin;
};

/* (start) One object that becomes panel 0: all that follows is inside this split. */
static void lu__start(flowgraph_task *task, const void *object, void *user)
{
    flowgraph_post(task, ((lu *)user)->begin, object, lu__notice);
}

/* (a) The panel: its processor time, then what follows from its pivots. In the pipelined graph only the block columns
 * that iteration k - 1 has finished can be solved. */
static void lu__factor(flowgraph_task *task, lu__iteration *iteration)
{
    const lu_costs *costs = iteration->all->desc->costs;
    const lu__iteration *before = iteration->k > 0 && iteration->all->desc->pipelined ? iteration - 1 : NULL;

    iteration->all->outcome->start[iteration->k] = simkit_clock_now(flowgraph_world(task));
    flowgraph_charge(task, costs->panel[iteration->k]);
    for (size_t j = iteration->k + 1; j < iteration->all->count; j++)
        if (before == NULL || before->blocks[j] == before->later)
            flowgraph_post(task, iteration->to_solve, &(lu__column){ j }, lu__bytes(costs, 1, 1));
    for (size_t j = 0; j < iteration->k; j++)
        flowgraph_post(task, iteration->to_flip, &(lu__column){ j }, lu__bytes(costs, 0, 1));
}

static void lu__panel(flowgraph_task *task, const void *object, void *user)
{
    lu__iteration *iteration = (lu__iteration *)user;

    lu__factor(task, iteration);
    if (iteration->later == 0) flowgraph_post(task, iteration->to_end, object, lu__notice);
}

/* (b) The rows of a block column, and its block of U. */
static void lu__solve(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *iteration = (const lu__iteration *)user;
    const lu_costs *costs = iteration->all->desc->costs;

    flowgraph_charge(task, costs->exchange[iteration->k] + costs->solve);
    flowgraph_post(task, iteration->to_collect, object, lu__bytes(costs, 1, 0));
}

/* (c) A block of U meets all blocks of the panel. */
static void lu__deal_column(flowgraph_task *task, lu__iteration *iteration, size_t j)
{
    for (size_t i = iteration->k + 1; i < iteration->all->count; i++) {
        const lu__block factors = { i, j, iteration->requests++ };
        flowgraph_post(task, iteration->to_multiply, &factors, lu__bytes(iteration->all->desc->costs, 2, 0));
    }
}

static void lu__collect_and_deal(flowgraph_task *task, const void *object, void *user)
{
    for (; object != NULL; object = flowgraph_next(task))
        lu__deal_column(task, (lu__iteration *)user, ((const lu__column *)object)->j);
}

static void lu__collect(flowgraph_task *task, const void *object, void *user)
{
    while (object != NULL) object = flowgraph_next(task);
    flowgraph_post(task, ((lu__iteration *)user)->to_deal, NULL, lu__notice);
}

static void lu__deal(flowgraph_task *task, const void *object, void *user)
{
    lu__iteration *iteration = (lu__iteration *)user;

    (void)object;
    for (size_t j = iteration->k + 1; j < iteration->all->count; j++) lu__deal_column(task, iteration, j);
}

/* (d) */
static void lu__multiply(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *iteration = (const lu__iteration *)user;
    const lu_costs *costs = iteration->all->desc->costs;

    flowgraph_charge(task, costs->multiply);
    flowgraph_post(task, iteration->to_subtract, object, lu__bytes(costs, 1, 0));
}

/* (e) */
static void lu__subtract(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *iteration = (const lu__iteration *)user;

    flowgraph_charge(task, iteration->all->desc->costs->subtract);
    flowgraph_post(task, iteration->to_count, object, lu__notice);
}

/* (f), basic: all blocks, then the next panel begins. */
static void lu__count(flowgraph_task *task, const void *object, void *user)
{
    while (object != NULL) object = flowgraph_next(task);
    flowgraph_post(task, ((lu__iteration *)user)->to_panel, NULL, lu__notice);
}

/* (f), pipelined: the next panel when its block column is complete, and a request for each that is complete after it. */
static void lu__count_and_factor(flowgraph_task *task, const void *object, void *user)
{
    lu__iteration *iteration = (lu__iteration *)user, *next = iteration + 1;
    const lu_costs *costs = iteration->all->desc->costs;
    bool factored = false;

    for (; object != NULL; object = flowgraph_next(task)) {
        const size_t j = ((const lu__block *)object)->j;
        if (++iteration->blocks[j] < iteration->later) continue;
        if (j == next->k) {
            lu__factor(task, next);
            factored = true;
        } else if (factored) {
            flowgraph_post(task, next->to_solve, &(lu__column){ j }, lu__bytes(costs, 1, 1));
        }
    }
    if (next->later == 0) flowgraph_post(task, next->to_end, NULL, lu__notice);
}

/* (g) */
static void lu__flip(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *iteration = (const lu__iteration *)user;

    (void)object;
    flowgraph_charge(task, iteration->all->desc->costs->exchange[iteration->k]);
    flowgraph_post(task, iteration->flipped, NULL, lu__notice);
}

/* (h) */
static void lu__end(flowgraph_task *task, const void *object, void *user)
{
    lu *all = (lu *)user;

    while (object != NULL) object = flowgraph_next(task);
    all->outcome->seconds = simkit_clock_now(flowgraph_world(task));
}

/*=============================================================================
 * MARK: - >>routes
 *===========================================================================*/
static size_t lu__to_column(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return ((const lu__column *)object)->j % count;
}

static size_t lu__to_block(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return ((const lu__block *)object)->j % count;
}

static size_t lu__in_turn(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return ((const lu__block *)object)->number % count;
}

static size_t lu__to_panel(const void *object, size_t from, size_t count, void *user)
{
    (void)object;
    (void)from;
    return ((const lu__iteration *)user)->k % count;
}

/*=============================================================================
 * MARK: - >>building
 *===========================================================================*/
/* The graph while it is built: after a failure nothing more is added. */
typedef struct lu__builder {
    flowgraph *graph;
    flowgraph_result result;
    flowgraph_type notice, request, solved, factors, product, done, flip;
    flowgraph_threads columns, multipliers;
} lu__builder;

typedef void lu__run(flowgraph_task *task, const void *object, void *user);
typedef size_t lu__route(const void *object, size_t from, size_t count, void *user);

static flowgraph_type lu__type(lu__builder *builder, const char *name, size_t size)
{
    flowgraph_type type = 0;
    if (builder->result == FLOWGRAPH_OK) builder->result = flowgraph_type_add(builder->graph, name, size, &type);
    return type;
}

static flowgraph_threads lu__threads(lu__builder *builder, const char *name, const lu_desc *desc)
{
    flowgraph_threads threads = 0;
    if (builder->result == FLOWGRAPH_OK)
        builder->result = flowgraph_threads_add(builder->graph, name, desc->nodes, desc->node_count, &threads);
    return threads;
}

/* An operation on the block columns' threads; `also`: what it gives besides, or 0. */
static flowgraph_operation lu__operation(lu__builder *builder, const char *name, flowgraph_kind kind, lu__run *run,
                                         void *user, flowgraph_type takes, flowgraph_type gives, flowgraph_type also)
{
    flowgraph_operation_desc desc = { name, kind, builder->columns, takes, { gives, also }, run, user };
    flowgraph_operation operation = 0;

    if (run == lu__multiply) desc.threads = builder->multipliers;
    if (builder->result == FLOWGRAPH_OK) builder->result = flowgraph_operation_add(builder->graph, &desc, &operation);
    return operation;
}

static flowgraph_edge lu__edge(lu__builder *builder, flowgraph_operation from, flowgraph_operation to, lu__route *route,
                               void *user, bool outer)
{
    const flowgraph_edge_desc desc = { from, to, route, user, outer };
    flowgraph_edge edge = 0;

    if (builder->result == FLOWGRAPH_OK) builder->result = flowgraph_edge_add(builder->graph, &desc, &edge);
    return edge;
}

/* The operations, in the order of the flow. In the pipelined graph (f) factors the next panel itself. */
static void lu__operations(lu *all, lu__builder *b)
{
    const bool pipelined = all->desc->pipelined;

    all->start = lu__operation(b, "start", FLOWGRAPH_SPLIT, lu__start, all, b->notice, b->notice, 0);
    for (size_t k = 0; k < all->count; k++) {
        lu__iteration *it = &all->iterations[k], *next = it + 1;
        if (!pipelined || k == 0)
            it->panel = lu__operation(b, "panel", it->later ? FLOWGRAPH_SPLIT : FLOWGRAPH_LEAF, lu__panel, it,
                                      b->notice, it->later ? b->request : b->notice, b->flip);
        it->flip = lu__operation(b, "flip", FLOWGRAPH_LEAF, lu__flip, it, b->flip, b->notice, 0);
        if (it->later == 0) break;
        it->solve = lu__operation(b, "solve", FLOWGRAPH_LEAF, lu__solve, it, b->request, b->solved, 0);
        if (pipelined) {
            it->collect =
                lu__operation(b, "deal", FLOWGRAPH_STREAM, lu__collect_and_deal, it, b->solved, b->factors, 0);
        } else {
            it->collect = lu__operation(b, "collect", FLOWGRAPH_MERGE, lu__collect, it, b->solved, b->notice, 0);
            it->deal = lu__operation(b, "deal", FLOWGRAPH_SPLIT, lu__deal, it, b->notice, b->factors, 0);
        }
        it->multiply = lu__operation(b, "multiply", FLOWGRAPH_LEAF, lu__multiply, it, b->factors, b->product, 0);
        it->subtract = lu__operation(b, "subtract", FLOWGRAPH_LEAF, lu__subtract, it, b->product, b->done, 0);
        if (pipelined)
            it->count = next->panel =
                lu__operation(b, "panel", next->later ? FLOWGRAPH_STREAM : FLOWGRAPH_MERGE, lu__count_and_factor, it,
                              b->done, next->later ? b->request : b->notice, b->flip);
        else
            it->count = lu__operation(b, "count", FLOWGRAPH_MERGE, lu__count, it, b->done, b->notice, 0);
    }
    all->end = lu__operation(b, "end", FLOWGRAPH_MERGE, lu__end, all, b->notice, 0, 0);
}

static void lu__edges(lu *all, lu__builder *b)
{
    all->begin = lu__edge(b, all->start, all->iterations[0].panel, lu__to_panel, &all->iterations[0], false);
    for (size_t k = 0; k < all->count; k++) {
        lu__iteration *it = &all->iterations[k], *next = it + 1;
        it->to_flip = lu__edge(b, it->panel, it->flip, lu__to_column, NULL, true);
        it->flipped = lu__edge(b, it->flip, all->end, NULL, NULL, false);
        if (it->later == 0) {
            it->to_end = lu__edge(b, it->panel, all->end, NULL, NULL, false);
            break;
        }
        it->to_solve = lu__edge(b, it->panel, it->solve, lu__to_column, NULL, false);
        it->to_collect = lu__edge(b, it->solve, it->collect, lu__to_panel, it, false);
        if (it->deal) it->to_deal = lu__edge(b, it->collect, it->deal, lu__to_panel, it, false);
        it->to_multiply = lu__edge(b, it->deal ? it->deal : it->collect, it->multiply, lu__in_turn, NULL, false);
        it->to_subtract = lu__edge(b, it->multiply, it->subtract, lu__to_block, NULL, false);
        it->to_count = lu__edge(b, it->subtract, it->count, lu__to_panel, next, false);
        if (it->count != next->panel) it->to_panel = lu__edge(b, it->count, next->panel, lu__to_panel, next, false);
    }
}

static flowgraph_result lu__build(lu *all, flowgraph *graph)
{
    lu__builder b = { 0 };

    b.graph = graph;
    b.notice = lu__type(&b, "notice", 0);
    b.request = lu__type(&b, "solve request", sizeof(lu__column));
    b.solved = lu__type(&b, "block of U", sizeof(lu__column));
    b.factors = lu__type(&b, "two factors", sizeof(lu__block));
    b.product = lu__type(&b, "product", sizeof(lu__block));
    b.done = lu__type(&b, "block is done", sizeof(lu__block));
    b.flip = lu__type(&b, "row flips", sizeof(lu__column));
    b.columns = lu__threads(&b, "columns", all->desc);
    b.multipliers = lu__threads(&b, "multiply", all->desc);
    lu__operations(all, &b);
    lu__edges(all, &b);
    return b.result;
}

/*=============================================================================
 * MARK: - >>lu
 *===========================================================================*/
flowgraph_result lu_run(const lu_desc *desc, lu_outcome *outcome)
{
    flowgraph *graph = NULL;
    flowgraph_result result;
    lu all = { desc, outcome, 0, NULL, 0, 0, 0 };
    size_t *blocks;

    if (outcome == NULL) return FLOWGRAPH_BAD_ARGUMENT;
    memset(outcome, 0, sizeof *outcome);
    if (desc == NULL || desc->costs == NULL || !lu__divides(desc->costs->n, desc->costs->r)) {
        snprintf(outcome->why, sizeof outcome->why, "r must divide n into 1 to %d parts", LU_ITERATIONS);
        return FLOWGRAPH_BAD_ARGUMENT;
    }
    all.count = outcome->iterations = desc->costs->n / desc->costs->r;
    all.iterations = (lu__iteration *)calloc(all.count, sizeof *all.iterations);
    blocks = (size_t *)calloc(all.count * all.count, sizeof *blocks);
    result = all.iterations && blocks ? flowgraph_open(desc->world, &graph) : FLOWGRAPH_NO_MEMORY;
    for (size_t k = 0; all.iterations && k < all.count; k++) {
        all.iterations[k].all = &all;
        all.iterations[k].k = k;
        all.iterations[k].later = all.count - 1 - k;
        all.iterations[k].blocks = blocks + k * all.count;
    }
    if (result == FLOWGRAPH_OK) result = lu__build(&all, graph);
    if (result == FLOWGRAPH_OK) result = flowgraph_start(graph, all.start, 0, NULL);
    if (result == FLOWGRAPH_OK) result = flowgraph_run(graph);
    if (result != FLOWGRAPH_OK)
        snprintf(outcome->why, sizeof outcome->why, "%s", graph ? flowgraph_why(graph) : flowgraph_result_text(result));
    outcome->start[all.count] = outcome->seconds;
    flowgraph_close(graph);
    free(blocks);
    free(all.iterations);
    return result;
}

/* Runs it in an open world that has its nodes, and draws it. */
static flowgraph_result lu__drawn(const lu_desc *desc, const char *svg, const char *trace, lu_outcome *outcome)
{
    simkit_gantt *gantt = NULL;
    simkit_trace *events = NULL;
    simkit_result drawn = SIMKIT_OK;
    flowgraph_result result = FLOWGRAPH_OK;
    char title[120];

    if (svg) drawn = simkit_gantt_open(desc->world, &gantt);
    if (trace && drawn == SIMKIT_OK) drawn = simkit_trace_open(desc->world, trace, &events);
    if (drawn == SIMKIT_OK) result = lu_run(desc, outcome);
    if (gantt && drawn == SIMKIT_OK && result == FLOWGRAPH_OK) {
        snprintf(title, sizeof title, "LU factorization, n = %lu, r = %lu, %s graph, %lu nodes: %.4g s",
                 (unsigned long)desc->costs->n, (unsigned long)desc->costs->r, desc->pipelined ? "pipelined" : "basic",
                 (unsigned long)desc->node_count, outcome->seconds);
        drawn = simkit_gantt_write(gantt, title, svg);
    }
    simkit_gantt_close(gantt);
    if (events) {
        const simkit_result closed = simkit_trace_close(events);
        if (drawn == SIMKIT_OK) drawn = closed;
    }
    if (result != FLOWGRAPH_OK || drawn == SIMKIT_OK) return result;
    snprintf(outcome->why, sizeof outcome->why, "%s", simkit_world_why(desc->world));
    return drawn == SIMKIT_NO_MEMORY ? FLOWGRAPH_NO_MEMORY : FLOWGRAPH_WORLD;
}

flowgraph_result lu_predict(const simkit_machine *machine, size_t nodes, bool pipelined, const lu_costs *costs,
                            const char *svg, const char *trace, lu_outcome *outcome)
{
    flowgraph_result result = FLOWGRAPH_NO_MEMORY;
    simkit_world *world = NULL;
    simkit_node *numbers = (simkit_node *)calloc(nodes ? nodes : 1, sizeof *numbers);

    memset(outcome, 0, sizeof *outcome);
    if (numbers && simkit_world_open(NULL, &world) == SIMKIT_OK) {
        const lu_desc desc = { world, numbers, nodes, pipelined, costs };
        if (simkit_machine_nodes(world, machine, nodes, numbers) == SIMKIT_OK) {
            result = lu__drawn(&desc, svg, trace, outcome);
        } else {
            result = FLOWGRAPH_WORLD;
            snprintf(outcome->why, sizeof outcome->why, "%s", simkit_world_why(world));
        }
    }
    if (result == FLOWGRAPH_NO_MEMORY) snprintf(outcome->why, sizeof outcome->why, "no memory");
    simkit_world_close(world);
    free(numbers);
    return result;
}

double lu_efficiency(const lu_costs *costs, size_t nodes, const lu_outcome *outcome, size_t iteration)
{
    if (iteration >= outcome->iterations) return NAN;
    return lu_costs_iteration(costs, iteration) /
           ((double)nodes * (outcome->start[iteration + 1] - outcome->start[iteration]));
}

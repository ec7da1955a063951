/* lu.c - the body of lu.h: the operations (a) to (h) of [dps] figure 5, once for each iteration */
#include "lu.h"

#include "builder.h"
#include "record.h"

#include <float.h>
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

simkit_result lu_costs_of_machine(const simkit_machine *machine, size_t n, size_t r, size_t parts, lu_costs *costs)
{
    const double b = (double)r, multiply = simkit_machine_value(machine, "multiply", "rate", "flop/s");
    const double solve = simkit_machine_value(machine, "solve", "rate", "flop/s");
    const double memory = simkit_machine_value(machine, "memory", "rate", "B/s");
    const double cache = simkit_machine_value(machine, "memory", "cache", "B");
    const double cached = simkit_machine_value(machine, "panel", "cached", "flop/s");
    const double streamed = simkit_machine_value(machine, "panel", "streamed", "flop/s");
    const double beyond = 1 - cache / (24 * b * b), f = beyond < 0 ? 0 : beyond;
    memset(costs, 0, sizeof *costs);
    if (!lu__divides(n, r) || parts == 0 || r % parts != 0) return SIMKIT_BAD_ARGUMENT;
    costs->n = n;
    costs->r = r;
    costs->parts = parts;
    costs->multiply = 2 * b * b * b / multiply;
    costs->part = costs->multiply / (double)(parts * parts);
    costs->pack = 16 * b * b / memory;
    costs->solve = b * b * b / solve;
    costs->subtract = 24 * b * b / memory;
    for (size_t k = 0; k < n / r; ++k) {
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
    costs->parts = times->parts;
    costs->multiply = times->multiply;
    costs->part = times->part;
    costs->pack = times->pack;
    costs->subtract = times->subtract;
    costs->solve = times->solve;
    for (size_t k = 0; k < times->n / times->r; ++k) {
        costs->panel[k] = kernels_panel_time(times, times->n - k * times->r);
        costs->exchange[k] = kernels_exchange_time(times, times->n - k * times->r);
    }
    return isfinite(lu_costs_serial(costs)) ? SIMKIT_OK : SIMKIT_BAD_ARGUMENT;
}

void lu_costs_slower(lu_costs *costs, double times)
{
    costs->multiply *= times;
    costs->subtract *= times;
    costs->solve *= times;
    costs->pack *= times;
    costs->part *= times;
    for (size_t k = 0; k < costs->n / costs->r; ++k) {
        costs->panel[k] *= times;
        costs->exchange[k] *= times;
    }
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
    for (size_t k = 0; k < costs->n / costs->r; ++k) sum += lu_costs_iteration(costs, k);
    return sum;
}

/*=============================================================================
 * MARK: - >>objects
 *===========================================================================*/
/* The content of objects, besides their data. */
typedef struct lu__column {
    uint64_t j; /* block column */
} lu__column;

typedef struct lu__block {
    uint32_t i, j;        /* block row and column */
    uint32_t number;      /* of the multiplication, in its iteration */
    uint32_t home;        /* PM: the thread that divides it */
    uint32_t row, column; /* PM: the part of the product */
} lu__block;

/* Keys of stored data: block column j under j, its pivots under LU__PIVOTS + j, and for PM parts of blocks. */
#define LU__PIVOTS (UINT64_C(1) << 32)
#define LU__DUE (UINT64_C(2) << 32)   /* + j: the number of its next flip */
#define LU__EARLY (UINT64_C(3) << 32) /* + j LU_ITERATIONS + k: the pivots of flip k, which is early */

static uint64_t lu__part_key(size_t k, const lu__block *block, size_t column)
{
    return UINT64_C(1) << 63 | (uint64_t)k << 40 | (uint64_t)block->number << 16 | (uint64_t)column;
}

/*=============================================================================
 * MARK: - >>kernels
 *
 * The kernels as operations call them. If only the size of data is counted, no kernel runs.
 *===========================================================================*/
typedef struct lu__work {
    size_t n, r, k, m, columns; /* m rows of `columns` columns */
    size_t row, column;         /* position in a */
    flowgraph_data *a, *b, *c;
    const int *pivots;
} lu__work;

static double *lu__at(flowgraph_data *data, size_t offset)
{
    return (double *)flowgraph_data_bytes(data) + offset;
}

/* Element (i, j) of the matrix, between -1/2 and 1/2. */
static double lu__element(uint64_t i, uint64_t j)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (j + 1) * UINT64_C(0xd1b54a32d192ed03);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53 - 0.5;
}

/* Block column k into a. */
static void lu__run_generate(void *argument)
{
    lu__work *w = (lu__work *)argument;
    for (size_t j = 0; j < w->r; ++j)
        for (size_t i = 0; i < w->n; ++i) *lu__at(w->a, i + j * w->n) = lu__element(i, w->k * w->r + j);
}

/* Factors the panel in the lower m rows of a; writes the pivots to b. */
static void lu__run_panel(void *argument)
{
    lu__work *w = (lu__work *)argument;
    (void)kernels_panel(w->m, w->r, lu__at(w->a, w->n - w->m), w->n, (int *)flowgraph_data_bytes(w->b));
}

/* Exchanges rows in the lower m rows of a, by the pivots b. */
static void lu__run_exchange(void *argument)
{
    lu__work *w = (lu__work *)argument;
    kernels_exchange(w->r, lu__at(w->a, w->n - w->m), w->n, (const int *)flowgraph_data_bytes(w->b));
}

/* Solves for the upper block of the lower m rows of a, by L in b. */
static void lu__run_solve(void *argument)
{
    lu__work *w = (lu__work *)argument;
    kernels_solve(w->r, lu__at(w->b, 0), w->r, lu__at(w->a, w->n - w->m), w->n);
}

/* Packs m rows of `columns` columns of a, which has n rows, from (row, column) on, into b. */
static void lu__run_pack(void *argument)
{
    lu__work *w = (lu__work *)argument;
    kernels_pack(w->m, w->columns, lu__at(w->a, w->row + w->column * w->n), w->n, lu__at(w->b, 0));
}

/* c = a b, where a is m x r and b is r x m. */
static void lu__run_multiply(void *argument)
{
    lu__work *w = (lu__work *)argument;
    kernels_multiply(w->m, w->m, w->r, lu__at(w->a, 0), w->m, lu__at(w->b, 0), w->r, lu__at(w->c, 0), w->m);
}

/* Subtracts b from the block of a at `row`. */
static void lu__run_subtract(void *argument)
{
    lu__work *w = (lu__work *)argument;
    kernels_subtract(w->r, lu__at(w->b, 0), w->r, lu__at(w->a, w->row), w->n);
}

/* Copies the part a, m x m, to (row, column) of b, r x r. */
static void lu__run_build(void *argument)
{
    lu__work *w = (lu__work *)argument;
    for (size_t j = 0; j < w->m; ++j)
        memcpy(lu__at(w->b, w->row + (w->column + j) * w->r), lu__at(w->a, j * w->m), w->m * sizeof(double));
}

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
/* Data of the operations of one iteration; each variable that changes belongs to one operation. */
typedef struct lu__iteration {
    lu *all;
    size_t k, later; /* its number, and the number of block columns after it */
    flowgraph_operation panel, solve, collect, deal, multiply, subtract, count, flip;
    flowgraph_operation divide, keep, kept, lines, part, build;
    flowgraph_edge to_solve, to_collect, to_deal, to_multiply, to_subtract, to_count, to_panel, to_flip, to_end,
        flipped;
    flowgraph_edge to_keep, to_kept, to_lines, to_part, to_build;
    uint32_t requests;      /* (c): posted so far */
    flowgraph_data **lower; /* (c): lower[later], the blocks of L, packed once */
    size_t *blocks;         /* (f): blocks[K], finished ones of each block column */
} lu__iteration;

struct lu {
    lu_desc desc;
    flowgraph *graph;
    size_t count; /* K */
    lu__iteration *iterations;
    flowgraph_threads columns, multipliers;
    points *points; /* NULL: none */
    size_t nodes;
    bool ready; /* its matrix is there */
    flowgraph_kernel generate, panel, exchange, solve, pack, product, part, subtract;
    flowgraph_operation create, start, end, gather;
    flowgraph_edge creating, created, begin, gathering, gathered;
    flowgraph_data **factors; /* node 0, to check: factors[2 K], block columns and pivots */
};

static lu__work lu__work_for(const lu *all)
{
    const lu__work work = { .n = all->desc.n, .r = all->desc.r, .m = all->desc.r, .columns = all->desc.r };
    return work;
}

static size_t lu__square(const lu *all)
{
    return all->desc.r * all->desc.r * sizeof(double);
}

/* Objects and data come from other nodes. Indices and lengths are checked before use, so that invalid input leads to a
 * wrong result or a refusal, and to nothing else. */
static bool lu__fits(flowgraph_task *task, bool fits)
{
    if (!fits) flowgraph_refuse(task, "it names a block that does not exist");
    return fits;
}

/* Checks the size of data; NULL: it has another size, or is missing. */
static flowgraph_data *lu__sized(flowgraph_task *task, flowgraph_data *data, size_t bytes)
{
    if (data && flowgraph_data_size(data) == bytes) return data;
    flowgraph_refuse(task, "its data is missing or has the wrong size");
    return NULL;
}

/* A block column that is stored here. */
static flowgraph_data *lu__stored_column(flowgraph_task *task, const lu *all, uint64_t j)
{
    if (!lu__fits(task, j < all->count)) return NULL;
    return lu__sized(task, flowgraph_stored(task, j), all->desc.n * all->desc.r * sizeof(double));
}

/* A block that came with the object. */
static flowgraph_data *lu__square_part(flowgraph_task *task, const lu *all, size_t index)
{
    return lu__sized(task, flowgraph_part(task, index), lu__square(all));
}

/* Pivots of panel k: row i is exchanged with row i or a later one. */
static flowgraph_data *lu__pivots(flowgraph_task *task, const lu *all, size_t k, flowgraph_data *pivots)
{
    const size_t r = all->desc.r, rows = all->desc.n - k * r;
    const int *pivot;
    pivots = lu__sized(task, pivots, r * sizeof *pivot);
    pivot = (const int *)flowgraph_data_bytes(pivots);
    for (size_t i = 0; pivot && i < r; ++i)
        if (pivot[i] <= (int)i || pivot[i] > (int)rows) {
            flowgraph_refuse(task, "its pivots name rows that do not exist");
            return NULL;
        }
    return pivots;
}

/* A block of a, from (row, column), as new data. The time is proportional to its size. */
static flowgraph_data *lu__packed(flowgraph_task *task, const lu *all, flowgraph_data *a, size_t rows, size_t row,
                                  size_t column, size_t m, size_t columns)
{
    const size_t bytes = m * columns * sizeof(double);
    lu__work work = lu__work_for(all);
    work.a = a;
    work.b = flowgraph_data_new(task, bytes);
    work.n = rows;
    work.row = row;
    work.column = column;
    work.m = m;
    work.columns = columns;
    if (work.b) flowgraph_compute(task, all->pack, (double)bytes / (double)lu__square(all), lu__run_pack, &work);
    return work.b;
}

/* Posts data and drops it; NULL has failed already. */
static void lu__post(flowgraph_task *task, flowgraph_edge edge, const void *object, flowgraph_data *data)
{
    if (data) flowgraph_post(task, edge, object, &data, 1);
    flowgraph_data_drop(data);
}

/* (create) Posts a request for each block column to its node. */
static void lu__create(flowgraph_task *task, const void *object, void *user)
{
    const lu *all = (const lu *)user;
    (void)object;
    for (uint64_t j = 0; j < all->count; ++j) flowgraph_post(task, all->creating, &(lu__column){ j }, NULL, 0);
}

static void lu__creating(flowgraph_task *task, const void *object, void *user)
{
    const lu *all = (const lu *)user;
    lu__work work = lu__work_for(all);
    work.k = ((const lu__column *)object)->j;
    if (!lu__fits(task, work.k < all->count)) return;
    work.a = flowgraph_data_new(task, work.n * work.r * sizeof(double));
    if (!work.a) return;
    flowgraph_compute(task, all->generate, 0, lu__run_generate, &work);
    flowgraph_store(task, work.k, work.a);
    flowgraph_data_drop(work.a);
    flowgraph_post(task, all->created, NULL, NULL, 0);
}

static void lu__collect_all(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    while (object) object = flowgraph_next(task);
}

/* (start) Posts one object, for panel 0: everything that follows is inside this split. */
static void lu__start(flowgraph_task *task, const void *object, void *user)
{
    if (((lu *)user)->points) points_begin(((lu *)user)->points, task);
    flowgraph_post(task, ((lu *)user)->begin, object, NULL, 0);
}

/* Releases the nodes that are no longer needed from iteration k on. */
static void lu__release_nodes(flowgraph_task *task, const lu *all, size_t k)
{
    size_t left = all->nodes;
    for (size_t i = 0; i < all->desc.release_count; ++i) {
        const lu_release *release = &all->desc.releases[i];
        if (release->after == k) {
            flowgraph_resize(task, all->multipliers, left - release->nodes);
            for (size_t node = left; node-- > left - release->nodes;) flowgraph_leave(task, node);
        }
        left -= release->nodes;
    }
}

/* (a) Factors the panel, then posts solve requests and flips. In the pipelined graph only the block columns that
 * iteration k - 1 has finished can be solved. Returns the data of a solve request, with a reference to each. */
static void lu__factor(flowgraph_task *task, lu__iteration *it, flowgraph_data *request[2])
{
    const lu *all = it->all;
    const lu__iteration *before = it->k > 0 && all->desc.pipelined ? it - 1 : NULL;
    lu__work work = lu__work_for(all);
    lu__release_nodes(task, all, it->k);
    flowgraph_mark(task, it->k);
    work.m = work.n - it->k * work.r;
    work.a = lu__stored_column(task, all, it->k);
    work.b = flowgraph_data_new(task, work.r * sizeof(int));
    request[0] = NULL;
    request[1] = work.b;
    if (!work.a || !work.b) return;
    flowgraph_compute(task, all->panel, (double)it->k, lu__run_panel, &work);
    flowgraph_store(task, LU__PIVOTS + it->k, work.b);
    if (it->later > 0) request[0] = lu__packed(task, all, work.a, work.n, it->k * work.r, 0, work.r, work.r);
    for (uint64_t j = it->k + 1; j < all->count; ++j)
        if ((!before || before->blocks[j] == before->later) && request[0])
            flowgraph_post(task, it->to_solve, &(lu__column){ j }, request, 2);
    for (uint64_t j = 0; j < it->k; ++j) flowgraph_post(task, it->to_flip, &(lu__column){ j }, &request[1], 1);
}

static void lu__panel(flowgraph_task *task, const void *object, void *user)
{
    lu__iteration *it = (lu__iteration *)user;
    flowgraph_data *request[2];
    lu__factor(task, it, request);
    flowgraph_data_drop(request[0]);
    flowgraph_data_drop(request[1]);
    if (it->later == 0) flowgraph_post(task, it->to_end, object, NULL, 0);
}

/* Exchanges rows of a block column as panel k did; `a` is NULL if the object is invalid. */
static lu__work lu__exchange(flowgraph_task *task, const lu__iteration *it, uint64_t j, flowgraph_data *pivots)
{
    lu__work work = lu__work_for(it->all);
    work.m = work.n - it->k * work.r;
    work.a = lu__stored_column(task, it->all, j);
    work.b = lu__pivots(task, it->all, it->k, pivots);
    if (!work.b) work.a = NULL;
    if (work.a) flowgraph_compute(task, it->all->exchange, (double)it->k, lu__run_exchange, &work);
    return work;
}

/* (b) Exchanges the rows of a block column, and solves for its block of U. */
static void lu__solve(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    const lu *all = it->all;
    lu__work work = lu__exchange(task, it, ((const lu__column *)object)->j, flowgraph_part(task, 1));
    work.b = lu__square_part(task, all, 0);
    if (!work.a || !work.b) return;
    flowgraph_compute(task, all->solve, 0, lu__run_solve, &work);
    lu__post(task, it->to_collect, object, lu__packed(task, all, work.a, work.n, it->k * work.r, 0, work.r, work.r));
}

/* (c) Posts a block of U with each block of the panel, which are packed on first use. */
static void lu__deal_column(flowgraph_task *task, lu__iteration *it, uint64_t j, flowgraph_data *upper)
{
    const lu *all = it->all;
    const size_t r = all->desc.r;
    flowgraph_data *panel = lu__stored_column(task, all, it->k);
    upper = lu__sized(task, upper, lu__square(all));
    if (!panel || !upper || !lu__fits(task, j < all->count)) return;
    for (size_t i = it->k + 1; i < all->count; ++i) {
        flowgraph_data **lower = &it->lower[i - it->k - 1];
        const lu__block block = { (uint32_t)i, (uint32_t)j, it->requests++, 0, 0, 0 };
        if (!*lower) *lower = lu__packed(task, all, panel, all->desc.n, i * r, 0, r, r);
        if (!*lower) return; /* has failed */
        flowgraph_post(task, it->to_multiply, &block, (flowgraph_data *[]){ *lower, upper }, 2);
    }
}

static void lu__deal_begin(lu__iteration *it)
{
    it->requests = 0;
    memset(it->lower, 0, it->later * sizeof *it->lower);
}

static void lu__deal_end(lu__iteration *it)
{
    for (size_t i = 0; i < it->later; ++i) {
        flowgraph_data_drop(it->lower[i]);
        it->lower[i] = NULL;
    }
}

static void lu__collect_and_deal(flowgraph_task *task, const void *object, void *user)
{
    lu__iteration *it = (lu__iteration *)user;
    lu__deal_begin(it);
    for (; object; object = flowgraph_next(task))
        lu__deal_column(task, it, ((const lu__column *)object)->j, flowgraph_part(task, 0));
    lu__deal_end(it);
}

/* Basic: blocks of U are kept until all are there. */
static void lu__collect(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    for (; object; object = flowgraph_next(task)) {
        const uint64_t j = ((const lu__column *)object)->j;
        if (!lu__fits(task, j < it->all->count)) return;
        flowgraph_store(task, lu__part_key(it->k, &(lu__block){ 0, 0, 0, 0, 0, 0 }, j), flowgraph_part(task, 0));
    }
    flowgraph_post(task, it->to_deal, NULL, NULL, 0);
}

static void lu__deal(flowgraph_task *task, const void *object, void *user)
{
    lu__iteration *it = (lu__iteration *)user;
    (void)object;
    lu__deal_begin(it);
    for (uint64_t j = it->k + 1; j < it->all->count; ++j) {
        const uint64_t key = lu__part_key(it->k, &(lu__block){ 0, 0, 0, 0, 0, 0 }, j);
        lu__deal_column(task, it, j, flowgraph_stored(task, key));
        flowgraph_store(task, key, NULL);
    }
    lu__deal_end(it);
}

/* (d) */
//! [multiply]
static void lu__multiply(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    const lu *all = it->all;
    lu__work work = lu__work_for(all);
    work.a = lu__square_part(task, all, 0);
    work.b = lu__square_part(task, all, 1);
    if (!work.a || !work.b) return;
    work.c = flowgraph_data_new(task, lu__square(all));
    if (work.c) flowgraph_compute(task, all->product, 0, lu__run_multiply, &work);
    lu__post(task, it->to_subtract, object, work.c);
}
//! [multiply]

/* (e) */
static void lu__subtract(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    const lu__block *block = (const lu__block *)object;
    lu__work work = lu__work_for(it->all);
    work.a = lu__stored_column(task, it->all, block->j);
    work.b = lu__square_part(task, it->all, 0);
    work.row = block->i * work.r;
    if (!work.a || !work.b || !lu__fits(task, block->i < it->all->count)) return;
    flowgraph_compute(task, it->all->subtract, 0, lu__run_subtract, &work);
    flowgraph_post(task, it->to_count, object, NULL, 0);
}

/* (f), basic: waits for all blocks, then starts the next panel. */
static void lu__count(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    while (object) object = flowgraph_next(task);
    if (it->all->points) points_reach(it->all->points, task, it->k + 1, it->k + 1);
    flowgraph_post(task, it->to_panel, NULL, NULL, 0);
}

/* (f), pipelined: factors the next panel when its block column is complete, then posts a request for each later column
 * when that is complete. */
static void lu__count_and_factor(flowgraph_task *task, const void *object, void *user)
{
    lu__iteration *it = (lu__iteration *)user, *next = it + 1;
    flowgraph_data *request[2] = { NULL, NULL };
    bool factored = false;
    memset(it->blocks, 0, it->all->count * sizeof *it->blocks);
    for (; object; object = flowgraph_next(task)) {
        const uint64_t j = ((const lu__block *)object)->j;
        if (!lu__fits(task, j < it->all->count)) break;
        if (++it->blocks[j] < it->later) continue;
        if (j == next->k) {
            lu__factor(task, next, request);
            factored = true;
        } else if (factored && request[0]) {
            flowgraph_post(task, next->to_solve, &(lu__column){ j }, request, 2);
        }
    }
    flowgraph_data_drop(request[0]);
    flowgraph_data_drop(request[1]);
    if (next->later == 0) flowgraph_post(task, next->to_end, NULL, NULL, 0);
}

/* (g) Flips of different panels may come from different nodes, but must be applied in order: an early one is stored
 * until all earlier ones have been applied. */
static void lu__flip(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    const uint64_t j = ((const lu__column *)object)->j;
    flowgraph_data *due = flowgraph_stored(task, LU__DUE + j), *pivots = flowgraph_part(task, 0);
    uint64_t *next;
    if (!lu__fits(task, j < it->k)) return;
    if (!due) {
        due = flowgraph_data_new(task, sizeof *next);
        if (!due) return;
        if (flowgraph_data_bytes(due)) *(uint64_t *)flowgraph_data_bytes(due) = j + 1;
        flowgraph_store(task, LU__DUE + j, due);
        flowgraph_data_drop(due);
    }
    if (!lu__sized(task, due, sizeof *next)) return;
    next = (uint64_t *)flowgraph_data_bytes(due);
    if (next && *next != it->k) {
        flowgraph_store(task, LU__EARLY + j * LU_ITERATIONS + it->k, pivots);
        pivots = NULL;
    }
    while (pivots) {
        if (!lu__exchange(task, it, j, pivots).a) return;
        if (!next) break; /* only sizes are counted: the order does not matter */
        flowgraph_store(task, LU__EARLY + j * LU_ITERATIONS + it->k, NULL);
        if (++*next >= it->all->count) break;
        ++it;
        pivots = flowgraph_stored(task, LU__EARLY + j * LU_ITERATIONS + *next);
    }
    flowgraph_post(task, ((const lu__iteration *)user)->flipped, NULL, NULL, 0);
}

/*=============================================================================
 * MARK: - >>parts
 *
 * Parallel sub-block multiplication, [dps] figure 7: the parts of a divided multiplication.
 *===========================================================================*/
/* (a) Stores the first block, and sends columns of the second. */
static void lu__divide(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    const lu *all = it->all;
    const size_t r = all->desc.r, s = r / all->desc.parts;
    flowgraph_data *second = lu__square_part(task, all, 1);
    lu__block block = *(const lu__block *)object;
    if (!second) return;
    block.home = (uint32_t)flowgraph_thread(task);
    flowgraph_store(task, lu__part_key(it->k, &block, UINT16_MAX), flowgraph_part(task, 0));
    for (block.column = 0; block.column < all->desc.parts; ++block.column)
        lu__post(task, it->to_keep, &block, lu__packed(task, all, second, r, 0, block.column * s, r, s));
}

/* (b) Stores the columns. */
static void lu__keep(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    const lu__block *block = (const lu__block *)object;
    if (!lu__fits(task, block->column < it->all->desc.parts)) return;
    flowgraph_store(task, lu__part_key(it->k, block, block->column), flowgraph_part(task, 0));
    flowgraph_post(task, it->to_kept, block, NULL, 0);
}

/* (c) Waits until all columns are stored. */
static void lu__kept(flowgraph_task *task, const void *object, void *user)
{
    lu__block block = *(const lu__block *)object;
    while (object) object = flowgraph_next(task);
    flowgraph_post(task, ((const lu__iteration *)user)->to_lines, &block, NULL, 0);
}

/* (d) Sends rows of the first block to all columns of the second. */
static void lu__lines(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    const lu *all = it->all;
    const size_t r = all->desc.r, s = r / all->desc.parts;
    lu__block block = *(const lu__block *)object;
    const uint64_t key = lu__part_key(it->k, &block, UINT16_MAX);
    flowgraph_data *first = lu__sized(task, flowgraph_stored(task, key), lu__square(all));
    for (block.row = 0; first && block.row < all->desc.parts; ++block.row) {
        flowgraph_data *line = lu__packed(task, all, first, r, block.row * s, 0, s, r);
        for (block.column = 0; block.column < all->desc.parts && line; ++block.column)
            flowgraph_post(task, it->to_part, &block, &line, 1);
        flowgraph_data_drop(line);
    }
    flowgraph_store(task, key, NULL);
}

/* (e) Multiplies a line by the column that is stored here; lines arrive in order, so the last one is known. */
static void lu__part(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    const lu *all = it->all;
    const lu__block *block = (const lu__block *)object;
    const uint64_t key = lu__part_key(it->k, block, block->column);
    lu__work work = lu__work_for(all);
    work.m = work.r / all->desc.parts;
    if (!lu__fits(task, block->row < all->desc.parts && block->column < all->desc.parts)) return;
    work.a = lu__sized(task, flowgraph_part(task, 0), work.m * work.r * sizeof(double));
    work.b = lu__sized(task, flowgraph_stored(task, key), work.m * work.r * sizeof(double));
    if (!work.a || !work.b) return;
    work.c = flowgraph_data_new(task, work.m * work.m * sizeof(double));
    if (!work.c) return;
    flowgraph_compute(task, all->part, 0, lu__run_multiply, &work);
    if (block->row + 1 == all->desc.parts) flowgraph_store(task, key, NULL);
    lu__post(task, it->to_build, block, work.c);
}

/* (f) Builds the product. */
static void lu__build_product(flowgraph_task *task, const void *object, void *user)
{
    const lu__iteration *it = (const lu__iteration *)user;
    const lu *all = it->all;
    lu__block block = *(const lu__block *)object;
    lu__work work = lu__work_for(all);
    work.m = work.r / all->desc.parts;
    work.b = flowgraph_data_new(task, lu__square(all));
    for (; object && work.b; object = flowgraph_next(task)) {
        const lu__block *part = (const lu__block *)object;
        work.a = lu__sized(task, flowgraph_part(task, 0), work.m * work.m * sizeof(double));
        if (!work.a || !lu__fits(task, part->row < all->desc.parts && part->column < all->desc.parts)) break;
        work.row = part->row * work.m;
        work.column = part->column * work.m;
        flowgraph_compute(task, all->pack, 1 / (double)(all->desc.parts * all->desc.parts), lu__run_build, &work);
    }
    lu__post(task, it->to_subtract, &block, work.b);
}

/*=============================================================================
 * MARK: - >>checking
 *===========================================================================*/
/* (gather) Asks for all block columns and pivots. */
static void lu__gather(flowgraph_task *task, const void *object, void *user)
{
    const lu *all = (const lu *)user;
    (void)object;
    for (uint64_t j = 0; j < all->count; ++j) flowgraph_post(task, all->gathering, &(lu__column){ j }, NULL, 0);
}

static void lu__gathering(flowgraph_task *task, const void *object, void *user)
{
    const lu *all = (const lu *)user;
    const uint64_t j = ((const lu__column *)object)->j;
    if (!lu__fits(task, j < all->count)) return;
    /* Pivots are stored where the panel was factored, on the thread of its block column. */
    flowgraph_data *const data[2] = { flowgraph_stored(task, j), flowgraph_stored(task, LU__PIVOTS + j) };

    flowgraph_post(task, all->gathered, object, data, 2);
}

static void lu__gathered(flowgraph_task *task, const void *object, void *user)
{
    lu *all = (lu *)user;
    for (; object; object = flowgraph_next(task)) {
        const uint64_t j = ((const lu__column *)object)->j;
        flowgraph_data *column = lu__sized(task, flowgraph_part(task, 0), all->desc.n * all->desc.r * sizeof(double)),
                       *pivots;
        if (!column || !lu__fits(task, j < all->count && !all->factors[j])) return;
        pivots = lu__pivots(task, all, j, flowgraph_part(task, 1));
        if (!pivots) return;
        all->factors[j] = flowgraph_data_keep(column);
        all->factors[all->count + j] = flowgraph_data_keep(pivots);
    }
}

/* y = L U x, from the factors; z is scratch. */
static void lu__times_factors(const lu *all, const double *x, double *y, double *z)
{
    const size_t n = all->desc.n, r = all->desc.r;
    memset(z, 0, n * sizeof *z);
    for (size_t j = 0; j < n; ++j) {
        const double *column = lu__at(all->factors[j / r], j % r * n);
        for (size_t i = 0; i <= j; ++i) z[i] += column[i] * x[j];
    }
    memcpy(y, z, n * sizeof *y);
    for (size_t j = 0; j < n; ++j) {
        const double *column = lu__at(all->factors[j / r], j % r * n);
        for (size_t i = j + 1; i < n; ++i) y[i] += column[i] * z[j];
    }
}

/* y = P A x; returns the square of the norm of A. */
static double lu__times_matrix(const lu *all, const double *x, double *y)
{
    const size_t n = all->desc.n, r = all->desc.r;
    double square = 0;
    memset(y, 0, n * sizeof *y);
    for (size_t j = 0; j < n; ++j)
        for (size_t i = 0; i < n; ++i) {
            const double a = lu__element(i, j);
            y[i] += a * x[j];
            square += a * a;
        }
    for (size_t i = 0; i < n; ++i) {
        const int *pivots = (const int *)flowgraph_data_bytes(all->factors[all->count + i / r]);
        const size_t other = i / r * r + (size_t)pivots[i % r] - 1;
        const double keep = y[i];
        y[i] = y[other];
        y[other] = keep;
    }
    return square;
}

/* || P A - L U || / (n eps || A ||); NaN if the matrix was never allocated. */
static flowgraph_result lu__residual(const lu *all, double *residual)
{
    enum { VECTORS = 8 };
    const size_t n = all->desc.n;

    if (!flowgraph_data_bytes(all->factors[0])) return FLOWGRAPH_OK;
    double *x = (double *)malloc(4 * n * sizeof *x), sum = 0, square = 0;
    if (!x) return FLOWGRAPH_NO_MEMORY;
    for (uint64_t v = 0; v < VECTORS; ++v) {
        for (size_t i = 0; i < n; ++i) x[i] = lu__element(n + v, i) < 0 ? -1 : 1;
        lu__times_factors(all, x, x + n, x + 3 * n);
        square = lu__times_matrix(all, x, x + 2 * n);
        for (size_t i = 0; i < n; ++i) sum += pow(x[n + i] - x[2 * n + i], 2);
    }
    free(x);
    *residual = sqrt(sum / VECTORS / square) / ((double)n * DBL_EPSILON);
    return FLOWGRAPH_OK;
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

/* Columns of a divided block are stored on the threads from the dividing one on. They must be found again, so the
 * number of threads is that of the beginning, not the current one. */
static size_t lu__to_part(const void *object, size_t from, size_t count, void *user)
{
    const lu__block *block = (const lu__block *)object;
    (void)from;
    (void)count;
    return (block->home + block->column) % ((const lu__iteration *)user)->all->nodes;
}

static size_t lu__to_home(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)count;
    (void)user;
    return ((const lu__block *)object)->home;
}

/*=============================================================================
 * MARK: - >>building
 *===========================================================================*/
/* What the graph is made of. */
typedef struct lu__builder {
    builder to;
    flowgraph_type notice, column, request, solved, factors, part, product, done, flip;
    flowgraph_threads columns, multipliers;
} lu__builder;

static flowgraph_kernel lu__kernel(lu__builder *b, const lu *all, const char *name, builder_model *model)
{
    return builder_kernel(&b->to, name, all->desc.costs ? model : NULL, (void *)(uintptr_t)all->desc.costs);
}

static void lu__multiplication(lu *all, lu__builder *b, lu__iteration *it)
{
    const flowgraph_threads m = b->multipliers;
    if (all->desc.parts <= 1) {
        it->multiply =
            builder_operation(&b->to, "multiply", FLOWGRAPH_LEAF, lu__multiply, it, b->factors, b->product, 0, m, 0);
        return;
    }
    it->divide = builder_operation(&b->to, "divide", FLOWGRAPH_SPLIT, lu__divide, it, b->factors, b->part, 0, m, 0);
    it->keep = builder_operation(&b->to, "keep", FLOWGRAPH_LEAF, lu__keep, it, b->part, b->done, 0, m, 0);
    it->kept = builder_operation(&b->to, "all kept", FLOWGRAPH_MERGE, lu__kept, it, b->done, b->done, 0, m, 0);
    it->lines = builder_operation(&b->to, "lines", FLOWGRAPH_SPLIT, lu__lines, it, b->done, b->part, 0, m, 0);
    it->part = builder_operation(&b->to, "multiply", FLOWGRAPH_LEAF, lu__part, it, b->part, b->part, 0, m, 0);
    it->build =
        builder_operation(&b->to, "build", FLOWGRAPH_MERGE, lu__build_product, it, b->part, b->product, 0, m, 0);
}

/* The operations, in the order of the flow. In the pipelined graph (f) factors the next panel itself. */
static void lu__operations(lu *all, lu__builder *b)
{
    const bool pipelined = all->desc.pipelined;
    const flowgraph_threads c = b->columns;
    const size_t window = all->desc.window;
    all->start = builder_operation(&b->to, "start", FLOWGRAPH_SPLIT, lu__start, all, b->notice, b->notice, 0, c, 0);
    for (size_t k = 0; k < all->count; ++k) {
        lu__iteration *it = &all->iterations[k], *next = it + 1;
        if (!pipelined || k == 0)
            it->panel = builder_operation(&b->to, "panel", it->later ? FLOWGRAPH_SPLIT : FLOWGRAPH_LEAF, lu__panel, it,
                                          b->notice, it->later ? b->request : b->notice, b->flip, c, 0);
        it->flip = builder_operation(&b->to, "flip", FLOWGRAPH_LEAF, lu__flip, it, b->flip, b->notice, 0, c, 0);
        if (it->later == 0) break;
        it->solve = builder_operation(&b->to, "solve", FLOWGRAPH_LEAF, lu__solve, it, b->request, b->solved, 0, c, 0);
        if (pipelined) {
            it->collect = builder_operation(&b->to, "deal", FLOWGRAPH_STREAM, lu__collect_and_deal, it, b->solved,
                                            b->factors, 0, c, window);
        } else {
            it->collect =
                builder_operation(&b->to, "collect", FLOWGRAPH_MERGE, lu__collect, it, b->solved, b->notice, 0, c, 0);
            it->deal =
                builder_operation(&b->to, "deal", FLOWGRAPH_SPLIT, lu__deal, it, b->notice, b->factors, 0, c, window);
        }
        lu__multiplication(all, b, it);
        it->subtract =
            builder_operation(&b->to, "subtract", FLOWGRAPH_LEAF, lu__subtract, it, b->product, b->done, 0, c, 0);
        if (pipelined)
            it->count = next->panel = builder_operation(
                &b->to, "panel", next->later ? FLOWGRAPH_STREAM : FLOWGRAPH_MERGE, lu__count_and_factor, it, b->done,
                next->later ? b->request : b->notice, b->flip, c, 0);
        else
            it->count = builder_operation(&b->to, "count", FLOWGRAPH_MERGE, lu__count, it, b->done, b->notice, 0, c, 0);
    }
    all->end = builder_operation(&b->to, "end", FLOWGRAPH_MERGE, lu__collect_all, all, b->notice, 0, 0, c, 0);
}

static void lu__edges(lu *all, lu__builder *b)
{
    all->begin = builder_edge(&b->to, all->start, all->iterations[0].panel, lu__to_panel, &all->iterations[0], false);
    for (size_t k = 0; k < all->count; ++k) {
        lu__iteration *it = &all->iterations[k], *next = it + 1;
        const bool divided = it->divide != 0;
        it->to_flip = builder_edge(&b->to, it->panel, it->flip, lu__to_column, NULL, true);
        it->flipped = builder_edge(&b->to, it->flip, all->end, NULL, NULL, false);
        if (it->later == 0) {
            it->to_end = builder_edge(&b->to, it->panel, all->end, NULL, NULL, false);
            break;
        }
        it->to_solve = builder_edge(&b->to, it->panel, it->solve, lu__to_column, NULL, false);
        it->to_collect = builder_edge(&b->to, it->solve, it->collect, lu__to_panel, it, false);
        if (it->deal) it->to_deal = builder_edge(&b->to, it->collect, it->deal, lu__to_panel, it, false);
        it->to_multiply = builder_edge(&b->to, it->deal ? it->deal : it->collect, divided ? it->divide : it->multiply,
                                       lu__in_turn, NULL, false);
        if (divided) {
            it->to_keep = builder_edge(&b->to, it->divide, it->keep, lu__to_part, it, false);
            it->to_kept = builder_edge(&b->to, it->keep, it->kept, lu__to_home, NULL, false);
            it->to_lines = builder_edge(&b->to, it->kept, it->lines, lu__to_home, NULL, false);
            it->to_part = builder_edge(&b->to, it->lines, it->part, lu__to_part, it, false);
            it->to_build = builder_edge(&b->to, it->part, it->build, lu__to_home, NULL, false);
        }
        it->to_subtract =
            builder_edge(&b->to, divided ? it->build : it->multiply, it->subtract, lu__to_block, NULL, false);
        it->to_count = builder_edge(&b->to, it->subtract, it->count, all->points ? NULL : lu__to_panel, next, false);
        if (it->count != next->panel)
            it->to_panel = builder_edge(&b->to, it->count, next->panel, lu__to_panel, next, false);
    }
}

/* The graphs before and after the factorization: they create the matrix and gather the factors. */
static void lu__around(lu *all, lu__builder *b)
{
    const flowgraph_threads c = b->columns;
    all->create = builder_operation(&b->to, "create", FLOWGRAPH_SPLIT, lu__create, all, b->notice, b->column, 0, c, 0);
    flowgraph_operation leaf =
        builder_operation(&b->to, "create column", FLOWGRAPH_LEAF, lu__creating, all, b->column, b->notice, 0, c, 0);
    flowgraph_operation merge =
        builder_operation(&b->to, "created", FLOWGRAPH_MERGE, lu__collect_all, all, b->notice, 0, 0, c, 0);
    all->creating = builder_edge(&b->to, all->create, leaf, lu__to_column, NULL, false);
    all->created = builder_edge(&b->to, leaf, merge, NULL, NULL, false);
    all->gather = builder_operation(&b->to, "gather", FLOWGRAPH_SPLIT, lu__gather, all, b->notice, b->column, 0, c, 0);
    leaf =
        builder_operation(&b->to, "gather column", FLOWGRAPH_LEAF, lu__gathering, all, b->column, b->column, 0, c, 0);
    merge = builder_operation(&b->to, "gathered", FLOWGRAPH_MERGE, lu__gathered, all, b->column, 0, 0, c, 0);
    all->gathering = builder_edge(&b->to, all->gather, leaf, lu__to_column, NULL, false);
    all->gathered = builder_edge(&b->to, leaf, merge, NULL, NULL, false);
}

/* Models of the kernels: CPU time by parameter. */
static double lu__nothing(double parameter, void *costs)
{
    (void)parameter;
    (void)costs;
    return 0;
}

static double lu__panel_time(double k, void *costs)
{
    return ((const lu_costs *)costs)->panel[(size_t)k];
}

static double lu__exchange_time(double k, void *costs)
{
    return ((const lu_costs *)costs)->exchange[(size_t)k];
}

static double lu__solve_time(double parameter, void *costs)
{
    (void)parameter;
    return ((const lu_costs *)costs)->solve;
}

static double lu__pack_time(double blocks, void *costs)
{
    return ((const lu_costs *)costs)->pack * blocks;
}

static double lu__product_time(double parameter, void *costs)
{
    (void)parameter;
    return ((const lu_costs *)costs)->multiply;
}

static double lu__part_time(double parameter, void *costs)
{
    (void)parameter;
    return ((const lu_costs *)costs)->part;
}

static double lu__subtract_time(double parameter, void *costs)
{
    (void)parameter;
    return ((const lu_costs *)costs)->subtract;
}

static flowgraph_result lu__build(lu *all)
{
    lu__builder b = { 0 };
    b.to.graph = all->graph;
    b.notice = builder_type(&b.to, "notice", 0);
    b.column = builder_type(&b.to, "block column", sizeof(lu__column));
    b.request = builder_type(&b.to, "solve request", sizeof(lu__column));
    b.solved = builder_type(&b.to, "block of U", sizeof(lu__column));
    b.factors = builder_type(&b.to, "two factors", sizeof(lu__block));
    b.part = builder_type(&b.to, "part of a block", sizeof(lu__block));
    b.product = builder_type(&b.to, "product", sizeof(lu__block));
    b.done = builder_type(&b.to, "block is done", sizeof(lu__block));
    b.flip = builder_type(&b.to, "row flips", sizeof(lu__column));
    if (all->points) {
        if (b.to.result == FLOWGRAPH_OK) b.to.result = points_share(all->points, "columns", all->count, 1, &b.columns);
        if (b.to.result == FLOWGRAPH_OK) b.to.result = points_workers(all->points, "multiply", 2, &b.multipliers);
    } else {
        b.columns = builder_threads(&b.to, "columns", all->desc.column_nodes ? all->desc.column_nodes : all->nodes, 1);
        b.multipliers = builder_threads(&b.to, "multiply", all->nodes, 2);
    }
    all->columns = b.columns;
    all->multipliers = b.multipliers;
    all->generate = lu__kernel(&b, all, "generate", lu__nothing);
    all->panel = lu__kernel(&b, all, "panel", lu__panel_time);
    all->exchange = lu__kernel(&b, all, "exchange", lu__exchange_time);
    all->solve = lu__kernel(&b, all, "solve", lu__solve_time);
    all->pack = lu__kernel(&b, all, "pack", lu__pack_time);
    all->product = lu__kernel(&b, all, "multiply", lu__product_time);
    all->part = lu__kernel(&b, all, "multiply part", lu__part_time);
    all->subtract = lu__kernel(&b, all, "subtract", lu__subtract_time);
    lu__operations(all, &b);
    lu__edges(all, &b);
    lu__around(all, &b);
    return b.to.result;
}

/*=============================================================================
 * MARK: - >>lu
 *===========================================================================*/
/* The error in a description; NULL: none. */
static const char *lu__error(const lu_desc *desc, size_t nodes)
{
    size_t after = 0, left = nodes;
    if (!lu__divides(desc->n, desc->r)) return "r must divide n into 1 to 256 block columns";
    if (desc->parts > 1 && desc->r % desc->parts != 0) return "the parts of a product must divide r";
    if (desc->column_nodes > nodes) return "column_nodes is larger than the number of nodes";
    if (desc->parts >= UINT16_MAX) return "expected at most 65534 parts";
    if (desc->costs && (desc->costs->n != desc->n || desc->costs->r != desc->r))
        return "the costs are for another n or r";
    if (desc->costs && desc->parts > 1 && desc->costs->parts != desc->parts)
        return "the costs are for another number of parts";
    if (desc->points && (desc->pipelined || desc->release_count > 0 || desc->column_nodes > 0))
        return "points need the basic graph, without releases and column_nodes";
    if (desc->pipelined && desc->parts > 1 && desc->release_count > 0)
        return "divided products of the next iteration are in progress when nodes of the pipelined graph are released: "
               "take the basic graph, or one part";
    for (size_t i = 0; i < desc->release_count; ++i) {
        if (desc->releases[i].after <= after || desc->releases[i].after >= desc->n / desc->r)
            return "nodes must be released after 1 to n / r - 1 iterations, in ascending order";
        if (desc->releases[i].nodes >= left) return "at least one node must remain";
        after = desc->releases[i].after;
        left -= desc->releases[i].nodes;
    }
    return NULL;
}

/* Called when the graph closes. */
static void lu__free(void *user)
{
    lu *all = (lu *)user;
    for (size_t k = 0; all->iterations && k < all->count; ++k) {
        if (all->iterations[k].lower) lu__deal_end(&all->iterations[k]);
        free(all->iterations[k].lower);
        free(all->iterations[k].blocks);
    }
    for (size_t i = 0; all->factors && i < 2 * all->count; ++i) flowgraph_data_drop(all->factors[i]);
    free(all->factors);
    free(all->iterations);
    free(all);
}

flowgraph_result lu_open(flowgraph *graph, const lu_desc *desc, lu **all, char why[200])
{
    const size_t nodes = flowgraph_nodes(graph);
    const char *error = lu__error(desc, nodes);
    flowgraph_result result = FLOWGRAPH_NO_MEMORY;
    lu *fresh;
    *all = NULL;
    if (error) {
        snprintf(why, 200, "n = %lu, r = %lu: %s", (unsigned long)desc->n, (unsigned long)desc->r, error);
        return FLOWGRAPH_BAD_ARGUMENT;
    }
    fresh = (lu *)calloc(1, sizeof *fresh);
    if (!fresh || flowgraph_at_close(graph, lu__free, fresh) != FLOWGRAPH_OK) {
        free(fresh);
        snprintf(why, 200, "no memory for a factorization");
        return FLOWGRAPH_NO_MEMORY;
    }
    fresh->desc = *desc;
    fresh->graph = graph;
    fresh->nodes = nodes;
    fresh->count = desc->n / desc->r;
    fresh->iterations = (lu__iteration *)calloc(fresh->count, sizeof *fresh->iterations);
    fresh->factors = (flowgraph_data **)calloc(2 * fresh->count, sizeof *fresh->factors);
    if (fresh->iterations && fresh->factors) result = FLOWGRAPH_OK;
    for (size_t k = 0; result == FLOWGRAPH_OK && k < fresh->count; ++k) {
        lu__iteration *it = &fresh->iterations[k];
        it->all = fresh;
        it->k = k;
        it->later = fresh->count - 1 - k;
        it->lower = (flowgraph_data **)calloc(it->later + 1, sizeof *it->lower);
        it->blocks = (size_t *)calloc(fresh->count, sizeof *it->blocks);
        if (!it->lower || !it->blocks) result = FLOWGRAPH_NO_MEMORY;
    }
    if (result == FLOWGRAPH_OK && desc->points) result = points_open(graph, desc->points, &fresh->points);
    if (result == FLOWGRAPH_OK) result = lu__build(fresh);
    if (result != FLOWGRAPH_OK) {
        snprintf(why, 200, "%.190s", *flowgraph_why(graph) ? flowgraph_why(graph) : flowgraph_result_text(result));
        return result;
    }
    *all = fresh;
    return FLOWGRAPH_OK;
}

lu_entries lu_entries_of(const lu *all)
{
    return (lu_entries){ all->create, all->start };
}

static flowgraph_result lu__once(lu *all, flowgraph_operation entry, double *seconds)
{
    const flowgraph_result result = flowgraph_start(all->graph, entry, 0, NULL);
    return result == FLOWGRAPH_OK ? flowgraph_run(all->graph, seconds) : result;
}

flowgraph_result lu_create(lu *all)
{
    const flowgraph_result result = all->ready ? FLOWGRAPH_OK : lu__once(all, all->create, NULL);
    all->ready = result == FLOWGRAPH_OK;
    return result;
}

flowgraph_result lu_factor(lu *all, lu_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->iterations = all->count;
    flowgraph_result result = lu_create(all);
    all->ready = false; /* it is overwritten */
    if (result == FLOWGRAPH_OK) result = lu__once(all, all->start, &outcome->seconds);
    if (result != FLOWGRAPH_OK) {
        snprintf(outcome->why, sizeof outcome->why, "%s", flowgraph_why(all->graph));
        return result;
    }
    for (size_t k = 0; k < all->count; ++k) outcome->start[k] = flowgraph_marked(all->graph, k);
    outcome->start[all->count] = outcome->seconds;
    for (size_t k = 0; k < all->count; ++k)
        outcome->efficiency[k] = record_efficiency(all->graph, outcome->start[k], outcome->start[k + 1]);
    outcome->efficiency[all->count] = record_efficiency(all->graph, 0, outcome->seconds);
    outcome->node_seconds = record_node_seconds(all->graph, 0, outcome->seconds);
    return FLOWGRAPH_OK;
}

flowgraph_result lu_check(lu *all, double *residual)
{
    *residual = NAN;
    flowgraph_result result = lu__once(all, all->gather, NULL);
    if (result == FLOWGRAPH_OK) result = lu__residual(all, residual);
    return result;
}

flowgraph_result lu_predict(const simkit_machine *machine, size_t nodes, const lu_desc *desc, const char *svg,
                            const char *trace, lu_outcome *outcome)
{
    /* The record of a large factorization would need more memory than all the rest. */
    const flowgraph_desc how = {
        .nodes = nodes, .machine = machine, .places = desc->places, .record = desc->n / desc->r <= 64
    };
    flowgraph *graph = NULL;
    flowgraph_result result = flowgraph_open(&how, &graph);
    lu *all = NULL;
    char title[120];

    memset(outcome, 0, sizeof *outcome);
    if (result != FLOWGRAPH_OK)
        snprintf(outcome->why, sizeof outcome->why, "%s", graph ? flowgraph_why(graph) : "no memory");
    if (result == FLOWGRAPH_OK) result = lu_open(graph, desc, &all, outcome->why);
    if (result == FLOWGRAPH_OK) result = lu_factor(all, outcome);
    if (result == FLOWGRAPH_OK && (svg || trace)) {
        snprintf(title, sizeof title, "LU factorization, n = %lu, r = %lu, %s graph, %lu nodes: %.4g s",
                 (unsigned long)desc->n, (unsigned long)desc->r, desc->pipelined ? "pipelined" : "basic",
                 (unsigned long)nodes, outcome->seconds);
        result = record_draw(&(record_run){ graph, NULL }, 1, title, svg, trace, outcome->why);
    }
    flowgraph_close(graph);
    return result;
}

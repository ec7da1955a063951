/* stencil.c - the body of stencil.h */
#include "stencil.h"

#include "builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Content of objects. */
typedef struct stencil__notice {
    uint32_t block; /* the object is for it */
    uint32_t home;  /* borders: the block whose rows they are */
    double sum;     /* of the cells of a block */
} stencil__notice;

typedef struct stencil__iteration {
    stencil *all;
    size_t number;
    flowgraph_operation exchange, send, take, taken, exchanged, compute, relax, relaxed;
    flowgraph_edge to_send, to_take, to_taken, to_exchanged, to_compute, to_relax, to_relaxed, on;
} stencil__iteration;

struct stencil {
    stencil_desc desc;
    points *points; /* NULL: none */
    stencil__iteration *iterations;
    flowgraph_threads threads;
    flowgraph_kernel generate, border, relax;
    flowgraph_operation start;
    flowgraph_edge begin;
    double *sums; /* sums[blocks] */
};

/* Keys of stored data. */
enum { STENCIL__CELLS, STENCIL__ABOVE, STENCIL__BELOW };

/*=============================================================================
 * MARK: - >>grid
 *===========================================================================*/
/* Blocks differ by a row at most. */
static size_t stencil__first_row(const stencil_desc *d, size_t block)
{
    return block * d->n / d->blocks;
}

static size_t stencil__rows(const stencil_desc *d, size_t block)
{
    return stencil__first_row(d, block + 1) - stencil__first_row(d, block);
}

/* Rows of the neighbours that a block relaxes with its own: above and below. */
static size_t stencil__above(const stencil_desc *d, size_t block)
{
    return block > 0 ? d->depth : 0;
}

static size_t stencil__below(const stencil_desc *d, size_t block)
{
    return block + 1 < d->blocks ? d->depth : 0;
}

/* A cell at the beginning, between 0 and 1. */
static double stencil__element(uint64_t row, uint64_t column)
{
    uint64_t x = (row + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (column + 1) * UINT64_C(0xd1b54a32d192ed03);
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x ^= x >> 27;
    return (double)(x >> 11) * 0x1p-53;
}

/* Relaxes rows `first` .. `last - 1` of a field of `rows` rows once; beyond the field there are zeros. */
static void stencil__relax(const double *from, double *to, size_t rows, size_t n, size_t first, size_t last)
{
    for (size_t i = first; i < last; ++i) {
        const double *row = from + i * n, *up = i > 0 ? row - n : NULL, *down = i + 1 < rows ? row + n : NULL;
        double *result = to + i * n;
        for (size_t j = 0; j < n; ++j) {
            const double left = j > 0 ? row[j - 1] : 0, right = j + 1 < n ? row[j + 1] : 0;
            result[j] = 0.25 * (((up ? up[j] : 0) + (down ? down[j] : 0)) + (left + right));
        }
    }
}

/* Relaxes a field `depth` times, with so many rows of neighbours above and below of it, of which each time one row less is
 * right. Returns where the result is: in `field` or in `other`. */
static double *stencil__relax_field(double *field, double *other, size_t rows, size_t n, size_t depth, size_t above,
                                    size_t below)
{
    for (size_t step = 1; step <= depth; ++step) {
        stencil__relax(field, other, rows, n, above > 0 ? step : 0, rows - (below > 0 ? step : 0));
        double *swap = field;
        field = other;
        other = swap;
    }
    return field;
}

static double stencil__sum(const double *cells, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += cells[i];
    return sum;
}

/* Cells that a block relaxes in an iteration. */
static double stencil__cells(const stencil_desc *d, size_t block)
{
    const double depth = (double)d->depth, sides = (block > 0) + (block + 1 < d->blocks);
    return (double)d->n * depth * ((double)stencil__rows(d, block) + sides * (depth - 1) / 2);
}

double stencil_check(const stencil_desc *d)
{
    const size_t cells = d->n * d->n;
    double *field = (double *)malloc(2 * cells * sizeof *field), sum = 0;
    if (!field) return NAN;
    for (size_t i = 0; i < cells; ++i) field[i] = stencil__element(i / d->n, i % d->n);
    const double *result = stencil__relax_field(field, field + cells, d->n, d->n, d->depth * d->iterations, 0, 0);
    for (size_t b = 0; b < d->blocks; ++b)
        sum += stencil__sum(result + stencil__first_row(d, b) * d->n, stencil__rows(d, b) * d->n);
    free(field);
    return sum;
}

/*=============================================================================
 * MARK: - >>kernels
 *===========================================================================*/
typedef struct stencil__work {
    const stencil_desc *desc;
    size_t block;
    flowgraph_data *cells, *above, *below, *other, *result;
    size_t row, rows; /* of the border */
    double sum;
} stencil__work;

static double *stencil__at(const flowgraph_data *data)
{
    return (double *)flowgraph_data_bytes(data);
}

static void stencil__run_generate(void *argument)
{
    const stencil__work *w = (const stencil__work *)argument;
    const size_t n = w->desc->n, first = stencil__first_row(w->desc, w->block), rows = stencil__rows(w->desc, w->block);
    for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < n; ++j) stencil__at(w->cells)[i * n + j] = stencil__element(first + i, j);
}

static void stencil__run_border(void *argument)
{
    const stencil__work *w = (const stencil__work *)argument;
    memcpy(stencil__at(w->result), stencil__at(w->cells) + w->row * w->desc->n, w->rows * w->desc->n * sizeof(double));
}

static void stencil__run_relax(void *argument)
{
    stencil__work *w = (stencil__work *)argument;
    const size_t n = w->desc->n, rows = stencil__rows(w->desc, w->block), above = stencil__above(w->desc, w->block),
                 below = stencil__below(w->desc, w->block), all = above + rows + below;
    double *field = stencil__at(w->other);
    if (above) memcpy(field, stencil__at(w->above), above * n * sizeof *field);
    memcpy(field + above * n, stencil__at(w->cells), rows * n * sizeof *field);
    if (below) memcpy(field + (above + rows) * n, stencil__at(w->below), below * n * sizeof *field);
    field = stencil__relax_field(field, field + all * n, all, n, w->desc->depth, above, below) + above * n;
    memcpy(stencil__at(w->result), field, rows * n * sizeof *field);
    w->sum = stencil__sum(field, rows * n);
}

/* Models: the parameter is the number of cells that are relaxed; copying a cell takes half of that, making it as much. */
static double stencil__relax_time(double cells, void *user)
{
    return 4 * cells / ((const stencil *)user)->desc.rate;
}

static double stencil__border_time(double cells, void *user)
{
    return 2 * cells / ((const stencil *)user)->desc.rate;
}

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
static size_t stencil__to_block(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return ((const stencil__notice *)object)->block % count;
}

static size_t stencil__to_home(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return ((const stencil__notice *)object)->home % count;
}

static flowgraph_data *stencil__sized(flowgraph_task *task, flowgraph_data *data, size_t rows, size_t n)
{
    if (data && flowgraph_data_size(data) == rows * n * sizeof(double)) return data;
    flowgraph_refuse(task, "its rows are missing or have the wrong size");
    return NULL;
}

static bool stencil__fits(flowgraph_task *task, const stencil *all, const stencil__notice *notice)
{
    if (notice->block < all->desc.blocks && notice->home < all->desc.blocks) return true;
    flowgraph_refuse(task, "it names a block that does not exist");
    return false;
}

static void stencil__start(flowgraph_task *task, const void *object, void *user)
{
    const stencil *all = (const stencil *)user;
    const stencil__notice notice = { 0 };
    (void)object;
    if (all->points) points_begin(all->points, task);
    flowgraph_post(task, all->begin, &notice, NULL, 0);
}

static void stencil__ask_all(flowgraph_task *task, const stencil *all, flowgraph_edge edge)
{
    for (uint32_t b = 0; b < all->desc.blocks; ++b)
        flowgraph_post(task, edge, &(stencil__notice){ .block = b }, NULL, 0);
}

static void stencil__exchange(flowgraph_task *task, const void *object, void *user)
{
    const stencil__iteration *it = (const stencil__iteration *)user;
    (void)object;
    flowgraph_mark(task, it->number);
    stencil__ask_all(task, it->all, it->to_send);
}

/* Sends so many rows of a block, from `row` on, to a neighbour. */
static void stencil__send_rows(flowgraph_task *task, const stencil__iteration *it, stencil__work *w, size_t to)
{
    const size_t n = w->desc->n;
    w->rows = w->desc->depth;
    w->result = flowgraph_data_new(task, w->rows * n * sizeof(double));
    if (!w->result) return;
    flowgraph_compute(task, it->all->border, (double)(w->rows * n), stencil__run_border, w);
    flowgraph_post(task, it->to_take, &(stencil__notice){ (uint32_t)to, (uint32_t)w->block, 0 }, &w->result, 1);
    flowgraph_data_drop(w->result);
}

static void stencil__send(flowgraph_task *task, const void *object, void *user)
{
    const stencil__iteration *it = (const stencil__iteration *)user;
    const stencil *all = it->all;
    const stencil__notice *notice = (const stencil__notice *)object;
    if (!stencil__fits(task, all, notice)) return;
    stencil__work w = { .desc = &all->desc, .block = notice->block };
    const size_t rows = stencil__rows(&all->desc, w.block), n = all->desc.n;
    if (it->number == 0) {
        w.cells = flowgraph_data_new(task, rows * n * sizeof(double));
        if (!w.cells) return;
        flowgraph_compute(task, all->generate, (double)(rows * n), stencil__run_generate, &w);
        flowgraph_store(task, STENCIL__CELLS + 3 * (uint64_t)w.block, w.cells);
        flowgraph_data_drop(w.cells);
    }
    w.cells = stencil__sized(task, flowgraph_stored(task, STENCIL__CELLS + 3 * (uint64_t)w.block), rows, n);
    if (!w.cells) return;
    if (w.block > 0) stencil__send_rows(task, it, &w, w.block - 1);
    w.row = rows - all->desc.depth;
    if (w.block + 1 < all->desc.blocks) stencil__send_rows(task, it, &w, w.block + 1);
}

static void stencil__take(flowgraph_task *task, const void *object, void *user)
{
    const stencil__iteration *it = (const stencil__iteration *)user;
    const stencil *all = it->all;
    const stencil__notice *notice = (const stencil__notice *)object;
    if (!stencil__fits(task, all, notice)) return;
    flowgraph_data *rows = stencil__sized(task, flowgraph_part(task, 0), all->desc.depth, all->desc.n);
    const uint64_t side = notice->home < notice->block ? STENCIL__ABOVE : STENCIL__BELOW;
    if (!rows) return;
    flowgraph_store(task, side + 3 * (uint64_t)notice->block, rows);
    flowgraph_post(task, it->to_taken, notice, NULL, 0);
}

static void stencil__taken(flowgraph_task *task, const void *object, void *user)
{
    const stencil__notice notice = *(const stencil__notice *)object;
    while (object) object = flowgraph_next(task);
    flowgraph_post(task, ((const stencil__iteration *)user)->to_exchanged, &notice, NULL, 0);
}

static void stencil__exchanged(flowgraph_task *task, const void *object, void *user)
{
    const stencil__notice notice = { 0 };
    while (object) object = flowgraph_next(task);
    flowgraph_post(task, ((const stencil__iteration *)user)->to_compute, &notice, NULL, 0);
}

static void stencil__compute(flowgraph_task *task, const void *object, void *user)
{
    const stencil__iteration *it = (const stencil__iteration *)user;
    (void)object;
    stencil__ask_all(task, it->all, it->to_relax);
}

static void stencil__relax_block(flowgraph_task *task, const void *object, void *user)
{
    const stencil__iteration *it = (const stencil__iteration *)user;
    const stencil *all = it->all;
    stencil__notice notice = *(const stencil__notice *)object;
    const size_t n = all->desc.n;
    if (!stencil__fits(task, all, &notice)) return;
    stencil__work w = { .desc = &all->desc, .block = notice.block, .sum = NAN };
    const size_t rows = stencil__rows(&all->desc, w.block), above = stencil__above(&all->desc, w.block),
                 below = stencil__below(&all->desc, w.block);
    const uint64_t key = 3 * (uint64_t)w.block;
    w.cells = stencil__sized(task, flowgraph_stored(task, key + STENCIL__CELLS), rows, n);
    if (above) w.above = stencil__sized(task, flowgraph_stored(task, key + STENCIL__ABOVE), above, n);
    if (below) w.below = stencil__sized(task, flowgraph_stored(task, key + STENCIL__BELOW), below, n);
    if (!w.cells || (above && !w.above) || (below && !w.below)) return;
    w.other = flowgraph_data_new(task, 2 * (above + rows + below) * n * sizeof(double));
    w.result = flowgraph_data_new(task, rows * n * sizeof(double));
    if (w.other && w.result) {
        flowgraph_compute(task, all->relax, stencil__cells(&all->desc, w.block), stencil__run_relax, &w);
        flowgraph_store(task, key + STENCIL__CELLS, w.result);
        notice.sum = w.sum;
        flowgraph_post(task, it->to_relaxed, &notice, NULL, 0);
    }
    flowgraph_data_drop(w.other);
    flowgraph_data_drop(w.result);
}

static void stencil__relaxed(flowgraph_task *task, const void *object, void *user)
{
    const stencil__iteration *it = (const stencil__iteration *)user;
    stencil *all = it->all;
    const stencil__notice nothing = { 0 };
    for (; object; object = flowgraph_next(task)) {
        const stencil__notice *notice = (const stencil__notice *)object;
        if (!stencil__fits(task, all, notice)) return;
        all->sums[notice->block] = notice->sum;
    }
    if (all->points && it->number + 1 < all->desc.iterations) points_reach(all->points, task, it->number + 1, 0);
    flowgraph_post(task, it->on, &nothing, NULL, 0);
}

static void stencil__end(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    while (object) object = flowgraph_next(task);
}

/*=============================================================================
 * MARK: - >>building
 *===========================================================================*/
static flowgraph_result stencil__build(stencil *all, flowgraph *graph)
{
    builder b = { graph, FLOWGRAPH_OK };
    const flowgraph_type notice = builder_type(&b, "notice", sizeof(stencil__notice));
    const flowgraph_type rows = builder_type(&b, "rows", sizeof(stencil__notice)), begin = builder_type(&b, "begin", 0);
    const bool modelled = all->desc.rate > 0;
    if (!all->points)
        all->threads = builder_threads(&b, "blocks", all->desc.blocks, 1);
    else if (b.result == FLOWGRAPH_OK)
        b.result = points_share(all->points, "blocks", all->desc.blocks, 1, &all->threads);
    const flowgraph_threads t = all->threads;
    all->generate = builder_kernel(&b, "generate", modelled ? stencil__relax_time : NULL, all);
    all->border = builder_kernel(&b, "border", modelled ? stencil__border_time : NULL, all);
    all->relax = builder_kernel(&b, "relax", modelled ? stencil__relax_time : NULL, all);
    all->start = builder_operation(&b, "start", FLOWGRAPH_SPLIT, stencil__start, all, begin, notice, 0, t, 0);
    for (size_t i = 0; i < all->desc.iterations; ++i) {
        stencil__iteration *it = &all->iterations[i];
        it->exchange =
            builder_operation(&b, "exchange", FLOWGRAPH_SPLIT, stencil__exchange, it, notice, notice, 0, t, 0);
        it->send = builder_operation(&b, "send", FLOWGRAPH_SPLIT, stencil__send, it, notice, rows, 0, t, 0);
        it->take = builder_operation(&b, "take", FLOWGRAPH_LEAF, stencil__take, it, rows, notice, 0, t, 0);
        it->taken = builder_operation(&b, "taken", FLOWGRAPH_MERGE, stencil__taken, it, notice, notice, 0, t, 0);
        it->exchanged =
            builder_operation(&b, "exchanged", FLOWGRAPH_MERGE, stencil__exchanged, it, notice, notice, 0, t, 0);
        it->compute = builder_operation(&b, "compute", FLOWGRAPH_SPLIT, stencil__compute, it, notice, notice, 0, t, 0);
        it->relax = builder_operation(&b, "relax", FLOWGRAPH_LEAF, stencil__relax_block, it, notice, notice, 0, t, 0);
        it->relaxed = builder_operation(&b, "relaxed", FLOWGRAPH_MERGE, stencil__relaxed, it, notice, notice, 0, t, 0);
    }
    const flowgraph_operation end =
        builder_operation(&b, "end", FLOWGRAPH_MERGE, stencil__end, all, notice, 0, 0, t, 0);
    all->begin = builder_edge(&b, all->start, all->iterations[0].exchange, NULL, NULL, false);
    for (size_t i = 0; i < all->desc.iterations; ++i) {
        stencil__iteration *it = &all->iterations[i];
        it->to_send = builder_edge(&b, it->exchange, it->send, stencil__to_block, NULL, false);
        it->to_take = builder_edge(&b, it->send, it->take, stencil__to_block, NULL, false);
        it->to_taken = builder_edge(&b, it->take, it->taken, stencil__to_home, NULL, false);
        it->to_exchanged = builder_edge(&b, it->taken, it->exchanged, NULL, NULL, false);
        it->to_compute = builder_edge(&b, it->exchanged, it->compute, NULL, NULL, false);
        it->to_relax = builder_edge(&b, it->compute, it->relax, stencil__to_block, NULL, false);
        it->to_relaxed = builder_edge(&b, it->relax, it->relaxed, NULL, NULL, false);
        it->on = builder_edge(&b, it->relaxed, i + 1 < all->desc.iterations ? it[1].exchange : end, NULL, NULL, false);
    }
    return b.result;
}

/* The error in a description; NULL: none. */
static const char *stencil__error(const stencil_desc *d)
{
    if (d->n == 0 || d->depth == 0 || d->n > 1u << 20) return "n and depth must be at least 1, n at most 1048576";
    if (d->blocks < 2 || d->blocks > d->n / d->depth)
        return "blocks must be 2 to n / depth, so that each has the rows it sends";
    if (d->iterations == 0 || d->iterations > STENCIL_ITERATIONS) return "iterations must be 1 to 1000";
    if (!(d->rate >= 0 && d->rate < INFINITY)) return "the rate must be finite and not negative";
    return NULL;
}

static void stencil__free(void *user)
{
    stencil *all = (stencil *)user;
    free(all->iterations);
    free(all->sums);
    free(all);
}

flowgraph_result stencil_open(flowgraph *graph, const stencil_desc *desc, stencil **opened, char why[200])
{
    const char *error = stencil__error(desc);
    *opened = NULL;
    if (error) {
        snprintf(why, 200, "n = %lu, blocks = %lu, depth = %lu, iterations = %lu: %s", (unsigned long)desc->n,
                 (unsigned long)desc->blocks, (unsigned long)desc->depth, (unsigned long)desc->iterations, error);
        return FLOWGRAPH_BAD_ARGUMENT;
    }
    stencil *all = (stencil *)calloc(1, sizeof *all);
    if (!all || flowgraph_at_close(graph, stencil__free, all) != FLOWGRAPH_OK) {
        free(all);
        snprintf(why, 200, "no memory for a relaxation");
        return FLOWGRAPH_NO_MEMORY;
    }
    all->desc = *desc;
    all->iterations = (stencil__iteration *)calloc(desc->iterations, sizeof *all->iterations);
    all->sums = (double *)malloc(desc->blocks * sizeof *all->sums);
    flowgraph_result result = all->iterations && all->sums ? FLOWGRAPH_OK : FLOWGRAPH_NO_MEMORY;
    for (size_t b = 0; result == FLOWGRAPH_OK && b < desc->blocks; ++b) all->sums[b] = NAN;
    for (size_t i = 0; result == FLOWGRAPH_OK && i < desc->iterations; ++i)
        all->iterations[i] = (stencil__iteration){ .all = all, .number = i };
    if (result == FLOWGRAPH_OK && desc->points) result = points_open(graph, desc->points, &all->points);
    if (result == FLOWGRAPH_OK) result = stencil__build(all, graph);
    if (result != FLOWGRAPH_OK) {
        snprintf(why, 200, "%.190s", *flowgraph_why(graph) ? flowgraph_why(graph) : flowgraph_result_text(result));
        return result;
    }
    *opened = all;
    return FLOWGRAPH_OK;
}

flowgraph_operation stencil_entry(const stencil *all)
{
    return all->start;
}

double stencil_sum(const stencil *all)
{
    double sum = 0;
    for (size_t b = 0; b < all->desc.blocks; ++b) sum += all->sums[b];
    return sum;
}

/* profile.c - see profile.h */
#include "profile.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* 20 000 jobs at load 2 on 128 nodes, estimates of up to four times the run times: 4.5 s with 16 spans, 3.3 s with 32, 2.8 s with 64,
 * 3.6 s with 128. */
enum { SPANS = 64 };

typedef struct profile_block {
    size_t count;       /* of spans, > 0 */
    double time[SPANS]; /* when each span begins */
    int free[SPANS];
} block;

/* A span. */
typedef struct place {
    size_t block, span;
} place;

/*=============================================================================
 * MARK: - >>blocks
 *===========================================================================*/
void profile_free(profile *p)
{
    for (size_t i = 0; i < p->count; ++i) free(p->blocks[i]);
    free(p->blocks);
    free(p->begins);
    free(p->least);
    for (size_t i = 0; i < PROFILE_LEVELS; ++i) free(p->longest[i]);
    memset(p, 0, sizeof *p);
}

static void out_of_memory(profile *p)
{
    profile_free(p);
    p->no_memory = true;
}

static bool reserve_blocks(profile *p)
{
    const size_t space = p->space ? 2 * p->space : 16;
    block **blocks = (block **)realloc(p->blocks, space * sizeof *blocks);
    if (blocks) p->blocks = blocks;
    double *begins = (double *)realloc(p->begins, space * sizeof *begins);
    if (begins) p->begins = begins;
    int *least = (int *)realloc(p->least, space * sizeof *least);
    if (least) p->least = least;
    if (!blocks || !begins || !least) return false;
    for (size_t i = 0; i < PROFILE_LEVELS; ++i) {
        double *longest = (double *)realloc(p->longest[i], space * sizeof *longest);
        if (!longest) return false;
        p->longest[i] = longest;
    }
    p->space = space;
    return true;
}

/* Moves what is known of the blocks from `from` on to `to`. */
static void move_blocks(profile *p, size_t to, size_t from)
{
    memmove(p->blocks + to, p->blocks + from, (p->count - from) * sizeof *p->blocks);
    memmove(p->begins + to, p->begins + from, (p->count - from) * sizeof *p->begins);
    memmove(p->least + to, p->least + from, (p->count - from) * sizeof *p->least);
    for (size_t i = 0; i < p->levels; ++i)
        memmove(p->longest[i] + to, p->longest[i] + from, (p->count - from) * sizeof *p->longest[i]);
    p->count = p->count - from + to;
}

/* A new block at a place; its spans are undefined. */
static block *insert_block(profile *p, size_t at)
{
    if (p->count == p->space && !reserve_blocks(p)) return NULL;
    block *b = (block *)malloc(sizeof *b);
    if (!b) return NULL;
    move_blocks(p, at + 1, at);
    p->blocks[at] = b;
    return b;
}

static void drop_blocks(profile *p, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; ++i) free(p->blocks[i]);
    move_blocks(p, at, at + count);
}

/* The spans of a block have changed. */
static void bound(profile *p, size_t at)
{
    const block *b = p->blocks[at];
    int least = b->free[0];
    for (size_t i = 1; i < b->count; ++i) least = b->free[i] < least ? b->free[i] : least;
    p->begins[at] = b->time[0];
    p->least[at] = least;
}

/* Drops spans of a block: its first ones, or one that is like the one before. */
static void drop_spans(profile *p, size_t at, size_t first, size_t count)
{
    block *b = p->blocks[at];
    b->count -= count;
    if (b->count == 0) {
        drop_blocks(p, at, 1);
        return;
    }
    memmove(b->time + first, b->time + first + count, (b->count - first) * sizeof *b->time);
    memmove(b->free + first, b->free + first + count, (b->count - first) * sizeof *b->free);
    if (first == 0) bound(p, at);
}

/* The level of so many nodes, rounded down. */
static size_t level_of(unsigned nodes)
{
    size_t level = 0;
    while (level + 1 < PROFILE_LEVELS && nodes >> (level + 1)) ++level;
    return level;
}

void profile_reset(profile *p, double now, int nodes)
{
    if (p->no_memory) return;
    if (p->count > 1) drop_blocks(p, 1, p->count - 1);
    p->levels = level_of(nodes > 1 ? (unsigned)nodes : 1) + 1;
    if (p->count == 0 && !insert_block(p, 0)) {
        out_of_memory(p);
        return;
    }
    *p->blocks[0] = (block){ .count = 1, .time = { now }, .free = { nodes } };
    bound(p, 0);
    for (size_t i = 0; i < p->levels; ++i) p->longest[i][0] = INFINITY;
}

/*=============================================================================
 * MARK: - >>spans
 *===========================================================================*/
/* The last of times[count] that is not after a time; the first if all are. */
static size_t last_until(const double *times, size_t count, double time)
{
    size_t first = 0;
    while (count > 1) {
        const size_t half = count / 2;
        first += half & -(size_t)(times[first + half] <= time);
        count -= half;
    }
    return first;
}

static place span_of(profile *p, double time)
{
    size_t at = p->found;
    if (at >= p->count || p->begins[at] > time || (at + 1 < p->count && p->begins[at + 1] <= time))
        at = p->found = last_until(p->begins, p->count, time);
    return (place){ at, last_until(p->blocks[at]->time, p->blocks[at]->count, time) };
}

/* The span of a time, if it is this one or shortly behind it. */
static place span_after(const profile *p, place at, double time)
{
    for (; at.block + 1 < p->count && p->begins[at.block + 1] <= time; at.span = 0) ++at.block;
    const block *b = p->blocks[at.block];
    while (at.span + 1 < b->count && b->time[at.span + 1] <= time) ++at.span;
    return at;
}

/* Moves the second half of a full block into a new one. */
static bool split(profile *p, size_t at)
{
    block *next = insert_block(p, at + 1), *b = p->blocks[at];
    if (!next) return false;
    b->count = SPANS / 2;
    next->count = SPANS - b->count;
    memcpy(next->time, b->time + b->count, next->count * sizeof *b->time);
    memcpy(next->free, b->free + b->count, next->count * sizeof *b->free);
    bound(p, at);
    bound(p, at + 1);
    for (size_t i = 0; i < p->levels; ++i) p->longest[i][at + 1] = p->longest[i][at];
    return true;
}

/* Makes a span begin at a time that is in this one: the place becomes that of the new one. False without memory. */
static bool cut(profile *p, double time, place *at)
{
    block *b = p->blocks[at->block];
    if (!(b->time[at->span] < time)) return true;
    if (b->count == SPANS) {
        if (!split(p, at->block)) return false;
        if (at->span >= SPANS / 2) *at = (place){ at->block + 1, at->span - SPANS / 2 };
        b = p->blocks[at->block];
    }
    const size_t k = ++at->span, after = b->count++ - k;
    memmove(b->time + k + 1, b->time + k, after * sizeof *b->time);
    memmove(b->free + k + 1, b->free + k, after * sizeof *b->free);
    b->time[k] = time;
    b->free[k] = b->free[k - 1];
    return true;
}

/* Drops a span if as many nodes are free in the one before. */
static void join(profile *p, place at)
{
    const block *b = p->blocks[at.block];
    if (at.block == 0 && at.span == 0) return;
    const block *before = at.span > 0 ? b : p->blocks[at.block - 1];
    const size_t last = at.span > 0 ? at.span - 1 : before->count - 1;
    if (before->free[last] == b->free[at.span]) drop_spans(p, at.block, at.span, 1);
}

/*=============================================================================
 * MARK: - >>runs
 *===========================================================================*/
/* A run of a level is a time without a break in which at least 2^level nodes are free. For each block and level, `longest` is an upper
 * bound of the length of every run that begins in the block, or is under way at the block's begin, from there to its end. Reservations
 * and splits leave it valid, so only freed nodes raise it. A search that finds it too high measures that block again: one test in
 * twenty does, with 10 000 jobs at load 2. The length is no less than any that holds() accepts, in spite of rounding. */
static double length_of(double from, double until)
{
    return until * (1 + 2 * DBL_EPSILON) - from;
}

/* The time from which fewer nodes are free, at or after a place: the end of the run there; the time of the place if it has no run. */
static double run_end(const profile *p, place at, int nodes)
{
    const block *b = p->blocks[at.block];
    for (; at.span < b->count; ++at.span)
        if (b->free[at.span] < nodes) return b->time[at.span];
    while (++at.block < p->count && p->least[at.block] >= nodes) {}
    if (at.block == p->count) return INFINITY;
    b = p->blocks[at.block];
    for (at.span = 0; b->free[at.span] >= nodes;) ++at.span;
    return b->time[at.span];
}

static void measure(const profile *p, size_t level, size_t at)
{
    const block *b = p->blocks[at];
    const int nodes = 1 << level;
    double until = run_end(p, (place){ at, b->count }, nodes), longest = 0;
    for (size_t k = b->count; k-- > 0;) {
        until = b->free[k] < nodes ? b->time[k] : until;
        const double length = length_of(b->time[k], until);
        longest = length > longest ? length : longest;
    }
    p->longest[level][at] = longest;
}

/* More nodes are free from one place until another, so runs there are longer, and those that reach it from before. */
static void lengthen(const profile *p, size_t level, place first, place last)
{
    const int nodes = 1 << level;
    double until = last.block < p->count ? run_end(p, last, nodes) : INFINITY;
    for (place at = last; at.block > 0 || at.span > 0;) {
        if (at.span == 0) at.span = p->blocks[--at.block]->count;
        const double time = p->blocks[at.block]->time[--at.span];
        double *longest = &p->longest[level][at.block];
        if (p->blocks[at.block]->free[at.span] >= nodes) {
            const double length = length_of(time, until);
            if (length > *longest) *longest = length;
        } else if (at.block < first.block || (at.block == first.block && at.span < first.span)) {
            return;
        } else {
            until = time;
        }
    }
}

void profile_add(profile *p, double from, double to, int nodes)
{
    int least = INT_MAX, most = 0;
    if (p->no_memory || p->count == 0) return;
    if (from < p->begins[0]) from = p->begins[0];
    if (!(from < to)) return;
    place first = span_of(p, from), last = { SIZE_MAX, 0 };
    bool cuts = cut(p, from, &first);
    if (cuts && to < INFINITY) {
        last = span_after(p, first, to);
        cuts = cut(p, to, &last);
    }
    if (!cuts) {
        out_of_memory(p);
        return;
    }
    if (last.block > p->count) last.block = p->count;
    if (first.span >= p->blocks[first.block]->count) /* the second cut has split its block */
        first = (place){ first.block + 1, first.span - p->blocks[first.block]->count };
    for (size_t i = first.block; i <= last.block && i < p->count; ++i) {
        block *b = p->blocks[i];
        const size_t begin = i == first.block ? first.span : 0, end = i == last.block ? last.span : b->count;
        int fewest = INT_MAX;
        for (size_t k = begin; k < end; ++k) {
            fewest = b->free[k] < fewest ? b->free[k] : fewest;
            b->free[k] += nodes;
            most = b->free[k] > most ? b->free[k] : most;
        }
        if (nodes < 0 && fewest + nodes < p->least[i]) p->least[i] = fewest + nodes;
        if (nodes > 0 && fewest == p->least[i]) bound(p, i);
        least = fewest < least ? fewest : least;
    }
    for (size_t i = 0; nodes > 0 && i < p->levels && 1 << i <= most; ++i) {
        if (p->count == 1)
            p->longest[i][0] = INFINITY; /* one block is searched sooner than measured */
        else if (1 << i > least)
            lengthen(p, i, first, last);
    }
    if (to < INFINITY) join(p, last);
    join(p, first);
}

void profile_advance(profile *p, double now)
{
    if (p->no_memory || p->count == 0) return;
    const place at = span_of(p, now);
    if (at.block > 0) drop_blocks(p, 0, at.block);
    if (at.span > 0) drop_spans(p, 0, 0, at.span);
    p->begins[0] = p->blocks[0]->time[0] = now;
}

/*=============================================================================
 * MARK: - >>searches
 *===========================================================================*/
bool profile_fits(const profile *p, unsigned nodes, double seconds, double start)
{
    const int wanted = (int)nodes;
    if (p->count == 0) return false;
    const double until = fmin(p->begins[0] + seconds, start);
    for (size_t i = 0; i < p->count && (i == 0 || p->begins[i] < until); ++i) {
        const block *b = p->blocks[i];
        for (size_t k = 0; p->least[i] < wanted && k < b->count; ++k) {
            if (i + k > 0 && b->time[k] >= until) return true;
            if (b->free[k] < wanted) return false;
        }
    }
    return true;
}

/* A window from one time until another holds a job if it is long enough, and not empty. */
static bool holds(double from, double until, double seconds)
{
    return until >= from + seconds && until > from;
}

/* The first run of a block that holds a job; INFINITY: none does. */
static double first_run(const profile *p, size_t at, int nodes, double seconds)
{
    const block *b = p->blocks[at];
    double from = b->time[0];
    for (size_t k = 0; p->least[at] < nodes && k < b->count; ++k) {
        if (b->free[k] >= nodes) continue;
        if (holds(from, b->time[k], seconds)) return from;
        from = k + 1 < b->count ? b->time[k + 1] : INFINITY;
    }
    return from < INFINITY && holds(from, run_end(p, (place){ at, b->count }, nodes), seconds) ? from : INFINITY;
}

/* The run that lasts until `start` needs no length: the job itself goes on from there. Any earlier one has to be long enough. */
double profile_earlier(profile *p, unsigned nodes, double seconds, double start)
{
    const int wanted = (int)nodes;
    if (p->count == 0 || !(p->begins[0] < start)) return start;
    const size_t highest = level_of(nodes), level = highest < p->levels ? highest : p->levels - 1;
    place at = span_of(p, start);
    size_t before = at.span + (p->blocks[at.block]->time[at.span] < start); /* spans of this block that begin before `start` */
    double from = start;
    for (; start < INFINITY; before = p->blocks[--at.block]->count) { /* the last run is as long as any */
        const block *b = p->blocks[at.block];
        while (before > 0 && b->free[before - 1] >= wanted) from = b->time[--before];
        if (before > 0 || at.block == 0) break;
    }
    const double *longest = p->longest[level];
    for (size_t i = 0; i <= at.block; ++i) {
        while (i < at.block && longest[i] < seconds) ++i;
        if (longest[i] < seconds) break;
        if (p->count > 1) measure(p, level, i);
        if (longest[i] < seconds) continue;
        const double found = first_run(p, i, wanted, seconds);
        if (found < from) return found;
    }
    return from;
}

double profile_fit(profile *p, unsigned nodes, double seconds)
{
    return profile_earlier(p, nodes, seconds, INFINITY);
}

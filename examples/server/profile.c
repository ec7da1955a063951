/* profile.c - see profile.h */
#include "profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 20 000 jobs at load 2 on 128 nodes take as long with 8, 16 and 32 spans, within 5 %. */
enum { SPANS = 16 };

typedef struct profile_block {
    size_t count;       /* of spans, > 0 */
    int more;           /* counts for all spans */
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
    free(p->most);
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
    int *most = (int *)realloc(p->most, space * sizeof *most);
    if (most) p->most = most;
    if (!blocks || !begins || !least || !most) return false;
    p->space = space;
    return true;
}

/* Moves what is known of the blocks from `from` on to `to`. */
static void move_blocks(profile *p, size_t to, size_t from)
{
    memmove(p->blocks + to, p->blocks + from, (p->count - from) * sizeof *p->blocks);
    memmove(p->begins + to, p->begins + from, (p->count - from) * sizeof *p->begins);
    memmove(p->least + to, p->least + from, (p->count - from) * sizeof *p->least);
    memmove(p->most + to, p->most + from, (p->count - from) * sizeof *p->most);
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
    int least = b->free[0], most = b->free[0];
    for (size_t i = 1; i < b->count; ++i) {
        least = b->free[i] < least ? b->free[i] : least;
        most = b->free[i] > most ? b->free[i] : most;
    }
    p->begins[at] = b->time[0];
    p->least[at] = least + b->more;
    p->most[at] = most + b->more;
}

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
    bound(p, at);
}

void profile_reset(profile *p, double now, int nodes)
{
    if (p->no_memory) return;
    if (p->count > 1) drop_blocks(p, 1, p->count - 1);
    if (p->count == 0 && !insert_block(p, 0)) {
        out_of_memory(p);
        return;
    }
    *p->blocks[0] = (block){ .count = 1, .time = { now }, .free = { nodes } };
    bound(p, 0);
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
        first = times[first + half] <= time ? first + half : first;
        count -= half;
    }
    return first;
}

static place span_of(const profile *p, double time)
{
    const size_t at = last_until(p->begins, p->count, time);
    return (place){ at, last_until(p->blocks[at]->time, p->blocks[at]->count, time) };
}

/* Moves the second half of a full block into a new one. */
static bool split(profile *p, size_t at)
{
    block *next = insert_block(p, at + 1), *b = p->blocks[at];
    if (!next) return false;
    next->more = b->more;
    b->count = SPANS / 2;
    next->count = SPANS - b->count;
    memcpy(next->time, b->time + b->count, next->count * sizeof *b->time);
    memcpy(next->free, b->free + b->count, next->count * sizeof *b->free);
    bound(p, at);
    bound(p, at + 1);
    return true;
}

/* A span begins at this time, which is not before the profile; where it is. False without memory. */
static bool cut(profile *p, double time, place *found)
{
    place at = span_of(p, time);
    if (p->blocks[at.block]->time[at.span] < time) {
        if (p->blocks[at.block]->count == SPANS) {
            if (!split(p, at.block)) return false;
            if (at.span >= SPANS / 2) at = (place){ at.block + 1, at.span - SPANS / 2 };
        }
        block *b = p->blocks[at.block];
        const size_t after = b->count++ - ++at.span;
        memmove(b->time + at.span + 1, b->time + at.span, after * sizeof *b->time);
        memmove(b->free + at.span + 1, b->free + at.span, after * sizeof *b->free);
        b->time[at.span] = time;
        b->free[at.span] = b->free[at.span - 1];
    }
    *found = at;
    return true;
}

/* Drops a span if as many nodes are free in the one before. */
static void join(profile *p, place at)
{
    const block *b = p->blocks[at.block];
    if (at.block == 0 && at.span == 0) return;
    const block *before = at.span > 0 ? b : p->blocks[at.block - 1];
    const size_t last = at.span > 0 ? at.span - 1 : before->count - 1;
    if (before->free[last] + before->more == b->free[at.span] + b->more) drop_spans(p, at.block, at.span, 1);
}

void profile_add(profile *p, double from, double to, int nodes)
{
    place first, last;
    if (p->no_memory || p->count == 0) return;
    if (from < p->begins[0]) from = p->begins[0];
    if (!(from < to)) return;
    if (!cut(p, from, &first) || (to < INFINITY && !cut(p, to, &last))) {
        out_of_memory(p);
        return;
    }
    if (!(to < INFINITY))
        last = (place){ p->count, 0 };
    else if (first.span >= p->blocks[first.block]->count) /* the second cut has split its block */
        first = (place){ first.block + 1, first.span - p->blocks[first.block]->count };
    for (size_t i = first.block; i <= last.block && i < p->count; ++i) {
        block *b = p->blocks[i];
        const size_t begin = i == first.block ? first.span : 0, end = i == last.block ? last.span : b->count;
        if (begin == 0 && end == b->count) {
            b->more += nodes;
            p->least[i] += nodes;
            p->most[i] += nodes;
        } else {
            for (size_t k = begin; k < end; ++k) b->free[k] += nodes;
            bound(p, i);
        }
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
            if (b->free[k] + b->more < wanted) return false;
        }
    }
    return true;
}

/* A window from one time until another holds a job if it is long enough, and not empty. */
static bool holds(double from, double until, double seconds)
{
    return until >= from + seconds && until > from;
}

/* A window begins in a block, or later in those behind it in which all spans have enough nodes: a block is searched only if there is
 * time enough from its begin to the end of the first one that has too few. */
double profile_earlier(const profile *p, unsigned nodes, double seconds, double start)
{
    const int wanted = (int)nodes;
    for (size_t i = 0, behind; i < p->count && p->begins[i] < start; i = behind) {
        behind = i + 1;
        if (p->most[i] < wanted) continue;
        while (behind < p->count && p->least[behind] >= wanted) ++behind;
        const bool part = behind < p->count && p->most[behind] >= wanted;
        const double full = behind < p->count ? p->begins[behind] : INFINITY;
        const double limit = !part ? full : behind + 1 < p->count ? p->begins[behind + 1] : INFINITY;
        if (limit < start && !holds(p->begins[i], limit, seconds)) continue;
        double from = p->begins[i];
        const block *b = p->blocks[i];
        for (size_t k = 0; p->least[i] < wanted && k < b->count; ++k) {
            if (b->free[k] + b->more >= wanted) continue;
            if (b->time[k] >= start || holds(from, b->time[k], seconds)) return from < start ? from : start;
            from = k + 1 < b->count ? b->time[k + 1] : i + 1 < p->count ? p->begins[i + 1] : INFINITY;
        }
        if (full >= start || holds(from, full, seconds)) return from < start ? from : start;
        if (!part || !(from < full)) continue;
        size_t k = 0;
        for (b = p->blocks[behind]; b->free[k] + b->more >= wanted;) ++k;
        if (b->time[k] >= start || holds(from, b->time[k], seconds)) return from < start ? from : start;
    }
    return start;
}

double profile_fit(const profile *p, unsigned nodes, double seconds)
{
    return profile_earlier(p, nodes, seconds, INFINITY);
}

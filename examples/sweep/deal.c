/* deal.c - which runs are made next
 *
 * A run is point * most + seed. They are dealt in this order. With an interval, a point gets more seeds when those that it
 * has been asked for have all ended: how many depends on their results alone, not on who made them or when. */
#include "core.h"

#include <math.h>
#include <stdlib.h>

/* Whether a run is of this shard: runs in turn, or points in turn where a point decides about its seeds. */
static bool is_ours(const sweep *s, size_t run)
{
    return s->shards < 2 || (s->asked ? run / s->most : run) % s->shards == s->shard - 1;
}

simkit_interval sweep_interval_of(const sweep *s, size_t point, size_t result, size_t seeds)
{
    simkit_tally tally = { 0 };
    for (size_t i = 0; i < seeds; ++i) {
        const double found = sweep_found(s, point, i, result);
        if (!isnan(found)) simkit_tally_add(&tally, found);
    }
    return simkit_tally_interval(&tally, 0.95);
}

/* The interval of the watched result at a point, over its first seeds. */
static simkit_interval point_interval(const sweep *s, size_t point, size_t seeds)
{
    return sweep_interval_of(s, point, s->watched, seeds);
}

/* Seeds that a point needs, as far as its results of the first `asked` say. */
static uint32_t seeds_needed(const sweep *s, size_t point, size_t asked)
{
    const simkit_interval i = point_interval(s, point, asked);
    const double half = i.high - i.mean, wanted = s->interval * fabs(i.mean), times = half / wanted;
    if (i.count == 0 || (i.count > 1 && half <= wanted)) return (uint32_t)asked; /* all failed, or it is narrow */
    double more = 2.0 * (double)asked; /* at most: few seeds say little about how many it takes */
    if (i.count > 1 && times * times < 2) more = fmax(ceil((double)asked * times * times), (double)asked + 1);
    return (uint32_t)fmin(more, (double)s->most);
}

void sweep_deal_ended(sweep *s, size_t point)
{
    if (s->ended[point] < s->asked[point]) return;
    for (size_t seed = 0; seed < s->asked[point]; ++seed) /* lines of other seeds may have come from another file */
        if (s->state[point * s->most + seed] < SWEEP_DONE) return;
    uint32_t before = s->asked[point];
    const uint32_t at_first = before;
    for (uint32_t next; (next = seeds_needed(s, point, s->asked[point])) > s->asked[point];) {
        size_t missing = 0;
        for (size_t seed = s->asked[point]; seed < next; ++seed)
            missing += s->state[point * s->most + seed] < SWEEP_DONE;
        s->asked[point] = next;
        if (is_ours(s, point * s->most)) {
            s->tally.planned += next - before;
            before = next;
            s->missing += missing;
        }
        if (missing > 0) break;
    }
    if (s->asked[point] > at_first && s->cursor > point * s->most && !s->listed[point]) {
        s->listed[point] = 1;
        s->again[s->agains++] = point;
    }
}

void sweep_deal_begin(sweep *s)
{
    while (s->agains > 0) s->listed[s->again[--s->agains]] = 0;
    s->cursor = s->missing = s->dealt = 0;
    s->tally.planned = 0;
    for (size_t point = 0; point < s->points; ++point) {
        const size_t seeds = s->asked ? s->asked[point] : s->seeds;
        for (size_t run = point * s->most; run < point * s->most + seeds; ++run) {
            if (!is_ours(s, run)) continue;
            if (s->state[run] == SWEEP_DEALT) s->state[run] = SWEEP_MISSING; /* a run that was stopped */
            s->tally.planned++;
            s->missing += s->state[run] == SWEEP_MISSING;
        }
    }
}

/* Deals missing runs, of one point or of several. */
static size_t deal_point(sweep *s, size_t from, size_t to, uint64_t *run, size_t most)
{
    size_t count = 0;
    for (; from < to && count < most; ++from)
        if (s->state[from] == SWEEP_MISSING && is_ours(s, from)) {
            s->state[from] = SWEEP_DEALT;
            run[count++] = from;
        }
    return count;
}

size_t sweep_deal(sweep *s, uint64_t *run, size_t most)
{
    size_t count = 0;
    while (count < most && s->agains > 0) { /* these first: others wait for them */
        const size_t point = s->again[s->agains - 1],
                     got = deal_point(s, point * s->most, point * s->most + s->asked[point], run + count, most - count);
        count += got;
        if (count == most) break; /* it may have more */
        s->listed[point] = 0;
        s->agains--;
    }
    const size_t runs = s->points * s->most;
    while (count < most && s->cursor < runs) {
        const size_t point = s->cursor / s->most, seeds = s->asked ? s->asked[point] : s->seeds;
        if (s->cursor - point * s->most >= seeds) {
            s->cursor = (point + 1) * s->most;
            continue;
        }
        count += deal_point(s, s->cursor, s->cursor + 1, run + count, 1);
        s->cursor++;
    }
    s->missing -= count < s->missing ? count : s->missing;
    s->dealt += count;
    return count;
}

void sweep_deal_back(sweep *s, const uint64_t *run, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (s->state[run[i]] != SWEEP_DEALT) continue;
        s->state[run[i]] = SWEEP_MISSING;
        s->missing++;
        s->dealt--;
        if (run[i] < s->cursor) s->cursor = (size_t)run[i];
    }
}

size_t sweep_wide(const sweep *s)
{
    size_t wide = 0;
    for (size_t point = 0; point < s->points && s->asked; ++point) {
        if (s->asked[point] < s->most || s->ended[point] < s->most) continue;
        const simkit_interval i = point_interval(s, point, s->most);
        wide += i.count > 0 && !(i.high - i.mean <= s->interval * fabs(i.mean));
    }
    return wide;
}

size_t sweep_batch(double seconds, size_t runs, size_t left, size_t makers)
{
    const double enough = 0.25, share = (double)left / (4.0 * (double)makers);
    double wanted = seconds > 0 ? enough / (seconds / (double)runs) : 1;
    if (wanted > 8 * (double)runs && runs > 0) wanted = 8 * (double)runs; /* one batch says little about the next */
    return (size_t)fmax(1, fmin(fmin(wanted, share), SWEEP_BATCH));
}

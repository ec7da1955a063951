/* tests/slow_rates.h   Rates of transfers by their definitions, all of them anew, in long double: what random networks are held
 * against, in tests/test_simkit_links_random.c and tests/differential/networks.c. */
#ifndef SLOW_RATES_H
#define SLOW_RATES_H

#include <math.h>
#include <stdbool.h>

enum { SLOW_SHARED = 256 };

typedef struct slow_shared { /* what transfers share: a direction of a link, both together, or one transfer's limit */
    double capacity;         /* [B/s]; INFINITY: it limits nobody */
} slow_shared;

typedef struct slow_flow {
    bool flows;
    double weight;
    int count, shared[32]; /* what it crosses: shared[count], numbers */
    long double rate;      /* the result [B/s] */
} slow_flow;

/* Each gets the smallest of its shares, by weight. */
static inline void slow_equal(const slow_shared *shared, const long double *sum, slow_flow *f)
{
    f->rate = INFINITY;
    for (int k = 0; k < f->count; ++k) {
        const long double all = (long double)shared[f->shared[k]].capacity;
        const long double rate = all / sum[f->shared[k]] * (long double)f->weight;
        if (rate < f->rate) f->rate = rate;
    }
}

/* The sum of the weights of those that flow, or still grow, at each place. */
static inline void slow_sums(long double *sum, int places, const slow_flow *flows, int count)
{
    for (int c = 0; c < places; ++c) sum[c] = 0;
    for (int i = 0; i < count; ++i)
        for (int k = 0; flows[i].flows && flows[i].rate < 0 && k < flows[i].count; ++k)
            sum[flows[i].shared[k]] += (long double)flows[i].weight;
}

/* Rates of flows[count], which share shared[places]. */
static inline void slow_rates(const slow_shared *shared, int places, slow_flow *flows, int count, bool maxmin)
{
    long double left[SLOW_SHARED], sum[SLOW_SHARED];
    for (int c = 0; c < places; ++c) left[c] = (long double)shared[c].capacity;
    for (int i = 0; i < count; ++i) flows[i].rate = flows[i].flows ? -1 : 0; /* -1: it still grows */
    slow_sums(sum, places, flows, count);
    for (int i = 0; i < count && !maxmin; ++i)
        if (flows[i].flows) slow_equal(shared, sum, &flows[i]);
    while (maxmin) { /* progressive filling */
        int full = -1;
        for (int c = 0; c < places; ++c)
            if (sum[c] > 0 && (full < 0 || left[c] / sum[c] < left[full] / sum[full])) full = c;
        if (full < 0) break;
        const long double level = left[full] > 0 ? left[full] / sum[full] : 0;
        for (int i = 0; i < count; ++i) {
            bool here = false;
            for (int k = 0; flows[i].rate < 0 && k < flows[i].count; ++k) here |= flows[i].shared[k] == full;
            if (!here) continue;
            flows[i].rate = level * (long double)flows[i].weight;
            for (int k = 0; flows[i].rate < INFINITY && k < flows[i].count; ++k) left[flows[i].shared[k]] -= flows[i].rate;
        }
        slow_sums(sum, places, flows, count);
    }
    for (int i = 0; i < count && maxmin; ++i)
        if (flows[i].rate < 0) flows[i].rate = INFINITY; /* nothing on its way is ever full */
}

#endif

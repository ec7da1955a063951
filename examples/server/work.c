/* work.c - see work.h */
#include "work.h"

#include <math.h>

const char *const work_programs[WORK_PROGRAMS] = { "lu", "stencil", "farm" };

/* Downey's speed-up for low variation (sigma <= 1) and for high. */
static double downey(double a, double sigma, double n)
{
    if (sigma <= 1) {
        if (n <= a) return a * n / (a + sigma / 2 * (n - 1));
        if (n <= 2 * a - 1) return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
        return a;
    }
    const double limit = a + a * sigma - sigma;
    return n <= limit ? n * a * (sigma + 1) / (sigma * (n + a - 1) + a) : a;
}

static double interpolate(const work *w, unsigned nodes)
{
    if (w->count == 0 || !w->nodes || !w->speedup) return NAN;
    size_t i = 0;
    while (i < w->count && w->nodes[i] < nodes) ++i;
    if (i == w->count) return w->speedup[i - 1];
    if (i == 0 || w->nodes[i] == nodes) return w->speedup[i];
    const double part = (double)(nodes - w->nodes[i - 1]) / (double)(w->nodes[i] - w->nodes[i - 1]);
    return w->speedup[i - 1] + part * (w->speedup[i] - w->speedup[i - 1]);
}

double work_speedup(const work *w, unsigned nodes)
{
    if (!w || nodes == 0) return NAN;
    switch (w->kind) {
    case WORK_AMDAHL: return 1 / (w->serial + (1 - w->serial) / nodes);
    case WORK_DOWNEY: return downey(w->parallelism, w->variation, nodes);
    case WORK_TABLE: return interpolate(w, nodes);
    default: return NAN;
    }
}

double work_seconds(const work *w, unsigned iteration, unsigned nodes)
{
    if (!w || nodes == 0) return NAN;
    const double parts = w->iterations > 0 ? w->iterations : 1;
    if (w->kind == WORK_SKELETON) return w->seconds / parts / nodes;
    if (w->kind == WORK_PROGRAM)
        return w->table && iteration < parts && nodes <= w->sizes ? w->table[(size_t)iteration * w->sizes + nodes - 1]
                                                                  : NAN;
    return w->seconds / parts / work_speedup(w, nodes);
}

double work_efficiency(const work *w, unsigned iteration, unsigned nodes)
{
    return work_seconds(w, iteration, 1) / (nodes * work_seconds(w, iteration, nodes));
}

double work_move_seconds(const work *w, unsigned from, unsigned to, double latency, double bandwidth)
{
    if (!w || !(w->data > 0) || from == to || from == 0 || to == 0) return 0;
    const unsigned most = from > to ? from : to, least = from > to ? to : from;
    const double leaving = w->data / most, staying = w->data / least - w->data / most;
    return latency + (leaving > staying ? leaving : staying) / bandwidth;
}

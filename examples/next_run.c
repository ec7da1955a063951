/* Processor hours for measurements are few: which run should come next, so that a large one is predicted best?
 * cc -O2 -DNETMODEL_STATIC -I. examples/next_run.c -o next_run -lm && ./next_run        (--svg FILE draws it)
 *
 * A program on 256 processes of 1 GB each, to be predicted from runs on at most 32. Before a run it is known by how much
 * it will narrow the interval, since that depends on where runs are and not on what they measure. Two plans spend the
 * same budget: one asks for the next run each time, the other sweeps over all runs from small to large. Here the truth
 * is known, and a run is off by 2 %. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "svg.h"

#include <stdio.h>

enum { FIRST = 6, MOST = 100, NUMBERS = 5, SIZES = 3, CANDIDATES = NUMBERS * SIZES, TARGET = 256, MEMORY = 1024 };

static const netmodel_scaling truth = { .start = 16, .per_work = 0.5, .c = 30, .d = 15, .g = 0.08 };
static const double budget = 8 * 3600; /* processor seconds */
static netmodel_candidate candidates[CANDIDATES];

typedef struct plan {
    const char *name;
    netmodel_run run[MOST];
    size_t count;
    double spent[MOST], width[MOST]; /* after each run: processor seconds, half the interval as a part of the time */
    netmodel_prediction p;
    uint64_t dice;
} plan;

/* Runs the program once more, predicts again; false if the budget is spent. */
static bool measure(plan *x, size_t processes, double work)
{
    static const netmodel_scaling_desc desc = { NETMODEL_SCALING_EXACT, 0.02 };
    const double cost = (double)processes * netmodel_scaling_time(&truth, processes, work);
    const double before = x->count > 0 ? x->spent[x->count - 1] : 0;
    netmodel_scaling model;
    double error = -6; /* the sum of twelve uniform numbers is nearly normal around 6 */

    if (x->count == MOST || before + cost > budget) return false;
    for (int k = 0; k < 12; ++k) {
        x->dice = x->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        error += (double)(x->dice >> 33) / 2147483648.0;
    }
    x->run[x->count] = (netmodel_run){ processes, work, cost / (double)processes * (1 + 0.02 * error) };
    x->spent[x->count++] = before + cost;
    if (x->count < FIRST) return true;
    if (netmodel_scaling_fit(x->run, x->count, &desc, &model, NULL) != NETMODEL_OK) return false;
    x->p = netmodel_scaling_predict(&model, TARGET, MEMORY, 0.95);
    x->width[x->count - 1] = (x->p.mean_high - x->p.time) / x->p.time;
    return true;
}

/* The run that narrows the interval most for its cost; false if none does. */
static bool ask(const plan *x, size_t *best, netmodel_gain gains[])
{
    //! [next]
    const netmodel_scaling_desc desc = { NETMODEL_SCALING_EXACT, 0.02 };
    netmodel_scaling model;
    return netmodel_scaling_fit(x->run, x->count, &desc, &model, NULL) == NETMODEL_OK &&
           netmodel_scaling_next(&model, TARGET, MEMORY, 0.95, candidates, CANDIDATES, gains, best, NULL) ==
               NETMODEL_OK &&
           *best < CANDIDATES;
    //! [next]
}

static void print_run(const plan *x, const netmodel_gain *gain)
{
    const size_t i = x->count - 1;
    char bar[41] = { 0 };
    for (int k = 0; k < 40 && k < 200 * x->width[i]; ++k) bar[k] = '#';
    printf("%9lu %8.0f MB %8.1f h %8.1f h", (unsigned long)x->run[i].processes, x->run[i].work,
           (x->spent[i] - x->spent[i - 1]) / 3600, x->spent[i] / 3600);
    printf("   +- %4.1f %%  %5.1f %%  %s\n", 100 * x->width[i], gain ? 100 * gain->narrows : 0, bar);
}

static bool draw(const char *path, const plan plans[2])
{
    svg s;
    svg_open(&s, path, "Two plans of measurements with one budget", 860, 420);
    svg_plot(&s, 90, 660, (svg_axis){ .label = "processor hours", .from = 0, .to = budget / 3600 },
             (svg_axis){ .label = "95 % interval, +- %", .from = 0, .to = 10 });
    for (int k = 0; k < 2; ++k) {
        svg_begin(&s, SVG_LINE, svg_colours[k], plans[k].name);
        for (size_t i = FIRST - 1; i < plans[k].count; ++i)
            svg_at(&s, plans[k].spent[i] / 3600, 100 * plans[k].width[i]);
        svg_end(&s);
    }
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    static const size_t first[FIRST] = { 1, 1, 2, 2, 4, 4 };
    plan plans[2] = { { .name = "planned", .dice = 5 }, { .name = "sweep", .dice = 5 } };
    netmodel_gain gains[CANDIDATES];
    size_t best;

    for (size_t i = 0; i < CANDIDATES; ++i)
        candidates[i] = (netmodel_candidate){ (size_t)2 << i / SIZES, (double)(256 << i % SIZES), 1, 0 };
    for (size_t i = 0; i < 2 * FIRST; ++i) measure(&plans[i / FIRST], first[i % FIRST], i % 2 ? 512 : 256);
    printf("processes     memory      cost      spent  interval   promised\n");
    while (ask(&plans[0], &best, gains) && measure(&plans[0], candidates[best].processes, candidates[best].work))
        print_run(&plans[0], &gains[best]);
    for (size_t i = 0, refused = 0; refused < CANDIDATES; i = (i + 1) % CANDIDATES) /* until none is affordable */
        refused = measure(&plans[1], candidates[i].processes, candidates[i].work) ? 0 : refused + 1;
    printf("\n%d processes of %d MB take, by\n", TARGET, MEMORY);
    for (int k = 0; k < 2; ++k)
        printf("%-8s %6.0f s +- %.1f %%, 95 %% within [%4.0f, %4.0f], from %lu runs of %.1f processor hours\n",
               plans[k].name, plans[k].p.time, 100 * plans[k].width[plans[k].count - 1], plans[k].p.mean_low,
               plans[k].p.mean_high, (unsigned long)plans[k].count, plans[k].spent[plans[k].count - 1] / 3600);
    printf("%-8s %6.0f s\n", "truth", netmodel_scaling_time(&truth, TARGET, MEMORY));
    return !draw(svg_asked(argc, argv), plans);
}

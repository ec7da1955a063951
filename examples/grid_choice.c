/* Two clusters, 32 processors free on each: which to take, for how fine a grid, and what does it cost?
 * cc -O2 -DNETMODEL_STATIC -I. examples/grid_choice.c -o grid_choice -lm && ./grid_choice        (--svg FILE draws it)
 *
 * Scenario 2 of the multigrid paper, which printed no runs on few processes. Those below are made up, off by half a percent,
 * such that predictions come near the paper's own: for one cluster 739, 629, 452 and 260 s, for the finer grid 1686 s. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "svg.h"

#include <stdio.h>

enum { CLUSTERS = 4, GRIDS = 2, RUNS = 6, LIST = 20 };

static const char *const names[CLUSTERS] = { "A, Ethernet", "A, Myrinet", "B, Ethernet", "B, Myrinet" };

/* Seconds on 1, 4 and 8 processes, each with half of the memory and with all of it: 512 and 1024 MB, 1024 and 2048 MB. */
static const double runs[GRIDS][CLUSTERS][RUNS] = {
    { { 276.8, 537.5, 379.7, 678.9, 396.5, 696.9 },
      { 276.8, 537.5, 324.8, 611.1, 331.2, 615.4 },
      { 108.3, 209.8, 230.9, 392.1, 250.3, 411.3 },
      { 108.3, 209.8, 133.8, 247.6, 137.2, 253.7 } },
    { { 443.0, 858.0, 871.6, 1593.6, 899.4, 1624.3 },
      { 443.0, 858.0, 511.0, 952.1, 515.3, 962.6 },
      { 228.4, 439.6, 515.3, 888.7, 553.4, 918.6 },
      { 228.4, 439.6, 290.4, 537.9, 297.5, 536.7 } },
};
static netmodel_scaling models[GRIDS][CLUSTERS];
static netmodel_choice list[LIST];

//! [choices]
static netmodel_result fit(size_t grid, size_t cluster)
{
    const netmodel_scaling_desc desc = { NETMODEL_SCALING_EXACT, 0.005 }; /* a run is off by half a percent */
    const size_t processes[RUNS] = { 1, 1, 4, 4, 8, 8 };
    netmodel_run run[RUNS];

    for (size_t i = 0; i < RUNS; ++i)
        run[i] = (netmodel_run){ processes[i], (i % 2 ? 1024 : 512) << grid, runs[grid][cluster][i] };
    return netmodel_scaling_fit(run, RUNS, &desc, &models[grid][cluster], NULL);
}

/* 2 GB for each processor; A costs 1 an hour, B 2; a job cannot span the clusters by Myrinet. */
static netmodel_result choose(size_t *count)
{
    const netmodel_cluster clusters[CLUSTERS] = { { .free = 32, .memory = 2048, .price = 1 },
                                                  { .free = 32, .memory = 2048, .price = 1, .alone = 1 },
                                                  { .free = 32, .memory = 2048, .price = 2 },
                                                  { .free = 32, .memory = 2048, .price = 2, .alone = 1 } };
    const netmodel_grid grids[GRIDS] = { { 32768, 32 * 1024, models[0] }, { 65536, 64 * 2048, models[1] } };
    const netmodel_choice_desc desc = { clusters, CLUSTERS, grids, GRIDS, NETMODEL_SPLIT_BALANCED, 0.95 };

    return netmodel_choice_list(&desc, LIST, list, count, NULL);
}
//! [choices]

static const char *name_of(const netmodel_choice *choice)
{
    for (int k = 0; k < CLUSTERS; ++k)
        if (choice->processes[k] > 0) return choice->processes[(k + 2) % CLUSTERS] > 0 ? "A and B, Ethernet" : names[k];
    return "";
}

/* A column of the bar is 40 s. */
static void print_choice(const netmodel_choice *c)
{
    printf("%.0f^2  %-17s %5.0f s  [%4.0f, %4.0f]%c %6.2f  %.*s\n", c->side, name_of(c), c->time, c->low, c->high,
           c->outside ? '*' : ' ', c->cost, (int)(c->time / 40 + 0.5),
           "##################################################");
}

static void print_best(const char *what, size_t best)
{
    printf("%-25s%.0f^2 on %s: %.0f s for %.2f\n", what, list[best].side, name_of(&list[best]), list[best].time,
           list[best].cost);
}

static bool draw(const char *path, size_t count)
{
    char text[LIST][64];
    const char *names_of_rows[LIST];
    double time[LIST], low[LIST], high[LIST], cost[LIST];
    svg s;

    for (size_t i = 0; i < count; ++i) {
        snprintf(text[i], sizeof text[i], "%.0f x %.0f on %s", list[i].side, list[i].side, name_of(&list[i]));
        names_of_rows[i] = text[i];
        time[i] = list[i].time, low[i] = list[i].low, high[i] = list[i].high;
        cost[i] = list[i].cost;
    }
    const svg_axis rows = { .rows = true, .to = (double)count, .names = names_of_rows };
    svg_open(&s, path, "Every choice: its time, where 95 % of runs fall (black), and its cost", 900, 400);
    svg_plot(&s, 260, 610, (svg_axis){ .label = "time [s]", .to = 2000 }, rows);
    svg_bars(&s, (int)count, time, low, high, "%.0f", svg_colours[0]);
    for (size_t i = 0; i < count; ++i)
        svg_box(&s, list[i].low, (double)i + 0.47, list[i].high, (double)i + 0.53, "black");
    svg_plot(&s, 640, 870, (svg_axis){ .label = "cost [hours of a processor of A]", .to = 60 },
             (svg_axis){ .rows = true, .to = (double)count });
    svg_bars(&s, (int)count, cost, NULL, NULL, "%.2f", svg_colours[6]);
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    size_t count;

    for (size_t i = 0; i < GRIDS * CLUSTERS; ++i)
        if (fit(i / CLUSTERS, i % CLUSTERS) != NETMODEL_OK) return 1;
    if (choose(&count) != NETMODEL_OK) return 1;
    printf("grid     on                   time   95 %% of runs     cost\n");
    for (size_t i = 0; i < count; ++i) print_choice(&list[i]);
    printf("* outside the runs: more processes, or less work of each\n\n");
    print_best("fastest for 32768^2:", netmodel_choice_fastest(list, count, 0, INFINITY));
    print_best("cheapest for 32768^2:", netmodel_choice_cheapest(list, count, 0, INFINITY));
    print_best("finest for 50:", netmodel_choice_finest(list, count, 50, INFINITY));
    print_best("finest for 20:", netmodel_choice_finest(list, count, 20, INFINITY));
    return !draw(svg_asked(argc, argv), count);
}

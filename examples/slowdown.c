/* Others use our cluster too: how much slower will our program be, and how should its work be divided?
 * cc -O2 -DCONTENTION_STATIC -I. examples/slowdown.c -o slowdown -lm && ./slowdown        (--svg FILE draws it)
 *
 * Four nodes; the first two are three times as fast as the others. For the competing applications on each we know
 * which part of their time they compute and communicate. From that a slowdown for each node, and from those one for the program. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "svg.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 4 };

static const double benchmark[NODES] = { 12, 12, 36, 36 }; /* [s], of one task alone on each */
static const double bandwidth = 0.45;                      /* that is available [Mword/s] */

/* What i that communicate cost one that computes, on a cluster of Alphas with a fast network: [slowdown], figure 2. */
static const contention_delay delays[] = { { 2.37, -0.20, 0.49, 1.38, -0.06 }, { 1.74, -0.50, 1.37, 2.48, 0 } };

static bool draw(const char *path, const double *sd, const double *fraction)
{
    static const char *const rows[NODES] = { "node 1", "node 2", "node 3", "node 4" };
    const svg_axis nodes = { .rows = true, .to = NODES, .names = rows }, same = { .rows = true, .to = NODES };
    double percent[NODES];
    svg s;

    for (int i = 0; i < NODES; ++i) percent[i] = 100 * fraction[i];
    svg_open(&s, path, "How much slower each node is, and the part of the work that it should get", 700, 320);
    svg_plot(&s, 80, 360, (svg_axis){ .label = "slowdown [1]", .to = 4 }, nodes);
    svg_bars(&s, NODES, sd, NULL, NULL, "%.2f", svg_colours[1]);
    svg_plot(&s, 390, 670, (svg_axis){ .label = "part of the work [%]", .to = 60 }, same);
    svg_bars(&s, NODES, percent, NULL, NULL, "%.0f", svg_colours[0]);
    return svg_close(&s);
}

/* Tables 12, 14 and 15 of [slowdown], from its inputs in tests/published; table 13 is the dedicated use of the last two. */
static int print_tables(void)
{
    FILE *file = fopen("tests/published/slowdown_tables12_15.csv", "r");
    double weight[NODES], sd[NODES], fraction[NODES], dedicated[NODES], over, under, term;
    char line[200], name[16], printed[16];
    int table, row = 0;

    if (!file) return 0;
    printf("The paper's tables: f is the part of the work, w the weight, sd the slowdown of a node; of %d nodes\n"
           "table  node       w     sd      f   computed: %d f sd / w   in the paper\n",
           NODES, NODES);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%d,%15[^,],%lf,%lf,%lf/%lf,%lf,%15s", &table, name, &weight[row], &sd[row], &over, &under,
                   &term, printed) != 8)
            continue; /* the names of the columns */
        fraction[row] = over / under;
        if (table == 13) dedicated[row] = fraction[row];
        printf("%5d  %-7s %4.2f   %4.2f   %4.2f %21.2f %14.2f\n", table, name, weight[row], sd[row], fraction[row],
               fraction[row] * NODES * sd[row] / weight[row], term);
        if (++row < NODES) continue;
        row = 0;
        if (table == 13) continue;
        printf("%5d  slowdown of the program %25.2f %14s\n", table,
               contention_slowdown_by_partition(NODES, weight, sd, fraction, table == 12 ? NULL : dedicated), printed);
    }
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    static const double evenly[NODES] = { 0.25, 0.25, 0.25, 0.25 };
    contention_mix mixes[NODES];
    double weight[NODES], sd[NODES], fraction[NODES], alone[NODES], none[NODES];

    memset(mixes, 0, sizeof mixes);
    //! [mix]
    if (contention_mix_add(&mixes[0], 0.55, 0.45) != CONTENTION_OK || /* node 1: 55 % computing, else communicating */
        contention_mix_add(&mixes[1], 1, 0) != CONTENTION_OK ||       /* on node 2 two that only compute */
        contention_mix_add(&mixes[1], 1, 0) != CONTENTION_OK ||
        contention_mix_add(&mixes[2], 0.3, 0.5) != CONTENTION_OK) /* on node 3 one that is idle 20 % of its time */
        return 1;
    for (int i = 0; i < NODES; ++i) sd[i] = contention_slowdown_local(&mixes[i], delays, 2, bandwidth);
    //! [mix]

    printf("node   weight   competing   slowdown\n");
    if (contention_weights(NODES, benchmark, weight) != CONTENTION_OK) return 1;
    for (int i = 0; i < NODES; ++i) {
        printf("%4d   %6.2f   %9lu   %8.2f   %.*s\n", i + 1, weight[i], (unsigned long)mixes[i].count, sd[i],
               (int)(8 * sd[i] + 0.5), "########################################");
        none[i] = 1;
    }

    //! [aggregate]
    if (contention_partition(NODES, weight, sd, fraction) != CONTENTION_OK || /* so that all end together */
        contention_partition(NODES, weight, none, alone) != CONTENTION_OK)    /* the same without the others */
        return 1;
    double by_load = contention_slowdown_by_load(NODES, weight, sd);
    double as_before = contention_slowdown_by_partition(NODES, weight, sd, alone, alone);
    double uniform = contention_slowdown_by_partition(NODES, weight, sd, evenly, alone);
    //! [aggregate]
    printf("\nA program that takes 100 s on the idle cluster, its work divided by the weights, takes:\n");
    printf("  divided by load (%.0f %%, %.0f %%, %.0f %%, %.0f %%)     %5.0f s, eq. 5\n", 100 * fraction[0],
           100 * fraction[1], 100 * fraction[2], 100 * fraction[3], 100 * by_load);
    printf("  divided by weights (%.0f %%, %.0f %%, %.0f %%, %.0f %%)  %5.0f s, eq. 8: the slowest node counts\n",
           100 * alone[0], 100 * alone[1], 100 * alone[2], 100 * alone[3], 100 * as_before);
    printf("  divided evenly                           %5.0f s, eq. 9\n\n", 100 * uniform);

    if (!draw(svg_asked(argc, argv), sd, fraction)) return 1;

    if (contention_mix_remove(&mixes[1], 0) != CONTENTION_OK) return 1; /* one of node 2 has ended */
    sd[1] = contention_slowdown_local(&mixes[1], delays, 2, bandwidth);
    printf("When one of those on node 2 has ended, dividing by load takes %.0f s.\n\n",
           100 * contention_slowdown_by_load(NODES, weight, sd));
    if (!print_tables()) return perror("slowdown: its data, tests/published from the top of the project"), 1;
    return 0;
}

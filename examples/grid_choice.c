/* Two clusters, and a grid as fine as we can afford: where should it run, how long will that take, and what will it cost?
 * cc -O2 -I. examples/grid_choice.c -o grid_choice -lm && ./grid_choice        (--svg FILE draws it for a slide)
 *
 * Six short runs on each cluster, on 1, 4 and 8 processes at two sizes, say what a run on 32 or 64 will take: computing as
 * on one process, and an overhead that grows with the logarithm of the processes. Both clusters together take as long as
 * the slower one. The grid has N x N points; each process holds as many megabytes of it as `work` says. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include <stdio.h>
#include <string.h>

enum { RUNS = 6, CHOICES = 5 };

/* Say that these were measured: processes, work [MB], time [s]. A is slower than B, and cheaper. */
static const netmodel_run runs_a[RUNS] = { { 1, 500, 122.1 },  { 1, 1000, 243.8 }, { 4, 500, 133.9 },
                                           { 4, 1000, 262.6 }, { 8, 500, 137.2 },  { 8, 1000, 266.1 } };
static const netmodel_run runs_b[RUNS] = { { 1, 500, 61.2 },   { 1, 1000, 121.9 }, { 4, 500, 65.4 },
                                           { 4, 1000, 128.4 }, { 8, 500, 66.3 },   { 8, 1000, 129.9 } };

static const double budget = 15; /* of the currency in which a processor hour on A costs 1 */

static const char *const names[CHOICES] = { "32 of A", "64 of A", "32 of B", "64 of B", "64 of A, 64 of B" };

static void print_bar(double value, double most)
{
    for (int i = 0; i < (int)(24 * value / most + 0.5); i++) putchar('#');
    printf("\n");
}

static int write_svg(const char *path, const netmodel_choice *choices)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) return 0;
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 330' font-family='sans-serif' font-size='13'>\n"
            "<rect width='720' height='330' fill='white'/>\n"
            "<text x='70' y='30' font-size='18'>Time and cost of every choice</text>\n"
            "<path d='M70 50 V280 H680' fill='none' stroke='black'/>\n<text x='380' y='312' text-anchor='middle'>"
            "cost</text>\n<text x='20' y='89'>300 s</text>\n<text x='38' y='284'>0 s</text>\n"
            "<path d='M%.0f 50 V280' stroke='#ee6677' stroke-dasharray='5'/>\n<text x='%.0f' y='270' fill='#ee6677'>"
            "budget</text>\n",
            70 + 30 * budget, 76 + 30 * budget);
    for (int i = 0; i < CHOICES; i++) {
        const netmodel_choice *x = &choices[i];
        const double across = 70 + 30 * x->cost;
        if (!x->possible) continue;
        fprintf(file,
                "<path d='M%.1f %.1f V%.1f' stroke='#4477aa'/>\n<circle cx='%.1f' cy='%.1f' r='%g' fill='#4477aa'/>\n"
                "<text x='%.1f' y='%.1f'>%s</text>\n",
                across, 280 - 0.65 * x->low, 280 - 0.65 * x->high, across, 280 - 0.65 * x->seconds, x->grid / 8000,
                across + 10, (i % 2 ? 296 : 270) - 0.65 * x->seconds, names[i]);
    }
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    netmodel_scaling a, b;

    //! [fit]
    if (netmodel_fit_scaling(&a, runs_a, RUNS, 0.01, NULL) != NETMODEL_OK) return 1; /* measured to 1 % */
    if (netmodel_fit_scaling(&b, runs_b, RUNS, 0.01, NULL) != NETMODEL_OK) return 1;
    //! [fit]
    printf("overhead        c [s]          d [s]          g [s/MB]\n"
           "  A     %6.2f +- %4.2f   %5.2f +- %4.2f   %7.4f +- %6.4f\n  B     %6.2f +- %4.2f   %5.2f +- %4.2f   "
           "%7.4f +- %6.4f\n\n",
           a.c, a.c_error, a.d, a.d_error, a.g, a.g_error, b.c, b.c_error, b.d, b.d_error, b.g, b.g_error);

    //! [choices]
    const netmodel_part parts[] = { { &a, 32, 64, 2000, 1 }, { &a, 64, 64, 2000, 1 }, { &b, 32, 64, 4000, 2 },
                                    { &b, 64, 48, 4000, 2 }, { &a, 64, 64, 2000, 1 }, { &b, 64, 64, 4000, 2 } };
    netmodel_choice choices[CHOICES] = { { &parts[0], 1, 32768, 0, 0, 0, 0, 0 },
                                         { &parts[1], 1, 46340, 0, 0, 0, 0, 0 },
                                         { &parts[2], 1, 32768, 0, 0, 0, 0, 0 },
                                         { &parts[3], 1, 46340, 0, 0, 0, 0, 0 },
                                         { &parts[4], 2, 65536, 0, 0, 0, 0, 0 } };
    netmodel_choices(choices, CHOICES, 0.95);
    const size_t fastest = netmodel_choices_best(choices, CHOICES, NETMODEL_FASTEST, INFINITY, INFINITY);
    const size_t cheapest = netmodel_choices_best(choices, CHOICES, NETMODEL_CHEAPEST, INFINITY, INFINITY);
    const size_t finest = netmodel_choices_best(choices, CHOICES, NETMODEL_FINEST, budget, INFINITY);
    //! [choices]

    printf("choice                grid      time     95 %% within      cost\n");
    for (int i = 0; i < CHOICES; i++) {
        const netmodel_choice *x = &choices[i];
        printf("%-18s %7.0f  %6.1f s   [%5.1f, %5.1f]   %6.2f   ", names[i], x->grid, x->seconds, x->low, x->high,
               x->cost);
        if (x->possible)
            print_bar(x->cost, 16);
        else
            printf("not so many are free\n");
    }
    printf("\nfastest: %s.  cheapest: %s.  finest grid for %g: ", names[fastest], names[cheapest], budget);
    printf("%s.\n", finest < CHOICES ? names[finest] : "none");
    if (argc == 3 && strcmp(argv[1], "--svg") == 0 && !write_svg(argv[2], choices))
        return fprintf(stderr, "cannot write %s\n", argv[2]), 1;
    return 0;
}

/* The program was run on few nodes. How long will it take on many, and how far can that be trusted?
 * cc -O2 -DNETMODEL_STATIC -I. examples/extrapolate.c -o extrapolate -lm && ./extrapolate     (--svg FILE draws it)
 *
 * Two programs on a cluster of 16 nodes, measured three times each: lu-18-p-20 and stencil-512 of tests/series/scaling.csv.
 * Several laws are fitted to those on up to four nodes. A forecast blends them; its interval grows with the distance and
 * where the laws disagree, and flags say what to doubt. The runs on more nodes are there only to compare. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "svg.h"

#include <stdio.h>

enum { PROGRAMS = 2, NUMBERS = 8, REPEATS = 3, FEW = 4, MOST = 16 };

static const size_t nodes[NUMBERS] = { 1, 2, 3, 4, 6, 8, 12, 16 };

static const struct {
    const char *name;
    double seconds[NUMBERS][REPEATS];
} programs[PROGRAMS] = {
    { "LU, pipelined",
      {
          { 11.22, 11.27, 11.15 },
          { 7.74, 7.99, 7.74 },
          { 5.88, 5.93, 5.98 },
          { 5.14, 4.98, 4.89 },
          { 4.04, 4.27, 3.93 },
          { 3.48, 3.25, 3.81 },
          { 2.91, 2.88, 2.92 },
          { 2.67, 2.48, 2.34 },
      } },
    { "stencil, 512 x 512",
      {
          { 2.92, 2.95, 2.92 },
          { 2.21, 2.16, 2.32 },
          { 1.84, 1.88, 2.31 },
          { 1.43, 1.54, 1.41 },
          { 1.23, 1.18, 1.16 },
          { 1.04, 1.10, 1.12 },
          { 1.26, 1.27, 1.24 },
          { 1.22, 1.13, 1.06 },
      } },
};

static double median(const double t[REPEATS])
{
    return fmax(fmin(t[0], t[1]), fmin(fmax(t[0], t[1]), t[2]));
}

/* Fits the laws to the runs on up to four nodes. All nodes together always do the same work: none is given. */
//! [fit]
static netmodel_result fit(size_t program, netmodel_laws *laws)
{
    netmodel_run run[NUMBERS * REPEATS], scratch[NUMBERS * REPEATS];
    size_t count = 0;

    for (size_t i = 0; i < NUMBERS && nodes[i] <= FEW; ++i)
        for (size_t k = 0; k < REPEATS; ++k)
            run[count++] = (netmodel_run){ .processes = nodes[i], .seconds = programs[program].seconds[i][k] };
    return netmodel_laws_fit(run, count, NULL, scratch, laws, NULL);
}
//! [fit]

/* Each law, then the blend, beside what was measured. */
static void print(size_t program, const netmodel_laws *laws)
{
    printf("%s\nnodes  measured", programs[program].name);
    for (int k = 0; k < NETMODEL_LAWS; ++k) printf("%9s", netmodel_law_name((netmodel_law_kind)k));
    printf("  forecast, 95 %% within\n");
    for (size_t i = 0; i < NUMBERS; ++i) {
        const double p = (double)nodes[i];
        //! [forecast]
        const netmodel_forecast f = netmodel_laws_forecast(laws, nodes[i], 0, 0.95);
        //! [forecast]
        printf("%5lu %7.2f s", (unsigned long)nodes[i], median(programs[program].seconds[i]));
        for (int k = 0; k < NETMODEL_LAWS; ++k)
            printf("%7.2f s", netmodel_law_time((netmodel_law_kind)k, &laws->law[k], nodes[i], 1 / p));
        printf("%7.2f s  [%5.2f, %5.2f]\n", f.time, f.low, f.high);
    }
    for (unsigned left = netmodel_laws_forecast(laws, MOST, 0, 0.95).doubts; left > 0; left &= left - 1)
        printf("on %d nodes: %s\n", MOST, netmodel_doubt_text(left));
    printf("\n");
}

static bool draw(const char *path, const netmodel_laws laws[PROGRAMS])
{
    svg s;
    svg_open(&s, path, "Forecasts from runs on up to four nodes", 860, 420);
    svg_plot(&s, 90, 620, (svg_axis){ .label = "nodes", .from = 0, .to = MOST },
             (svg_axis){ .label = "time", .from = 0.2, .to = 20, .unit = "s" });
    for (size_t i = 0; i < PROGRAMS; ++i) {
        svg_begin(&s, SVG_BAND, svg_colours[i], "95 %");
        for (size_t p = 1; p <= MOST; ++p) svg_at(&s, (double)p, netmodel_laws_forecast(&laws[i], p, 0, 0.95).low);
        for (size_t p = MOST; p >= 1; --p) svg_at(&s, (double)p, netmodel_laws_forecast(&laws[i], p, 0, 0.95).high);
        svg_end(&s);
        svg_begin(&s, SVG_LINE, svg_colours[i], programs[i].name);
        for (size_t p = 1; p <= MOST; ++p) svg_at(&s, (double)p, netmodel_laws_forecast(&laws[i], p, 0, 0.95).time);
        svg_end(&s);
        svg_begin(&s, SVG_POINTS, svg_colours[i], NULL);
        for (size_t k = 0; k < NUMBERS; ++k) svg_at(&s, (double)nodes[k], median(programs[i].seconds[k]));
        svg_end(&s);
    }
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    netmodel_laws laws[PROGRAMS];

    for (size_t i = 0; i < PROGRAMS; ++i) {
        const netmodel_result result = fit(i, &laws[i]);
        if (result != NETMODEL_OK) return printf("extrapolate: %s\n", netmodel_result_text(result)), 1;
        print(i, &laws[i]);
    }
    return !draw(svg_asked(argc, argv), laws);
}

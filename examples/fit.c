/* From the times of small messages, one of them disturbed: how long will a large one take, and how sure is that?
 * cc -O2 -DNETMODEL_STATIC -I. examples/fit.c -o fit -lm && ./fit        (--svg FILE draws it)
 *
 * Here the truth is known, a link of 50 us and 100 MB/s, measured with errors of 3 %; and during one measurement something
 * else ran. Least squares believe every point; a robust fit asks what most of them say. Where no line is known to be true, a
 * measured curve goes straight from size to size, and its interval is as wide as sizes are off their neighbours. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "svg.h"

#include <stdio.h>
#include <string.h>

enum { SIZES = 15, DISTURBED = 9 };

static const netmodel_link truth = { 50e-6, 1 / 100e6 };
static double bytes[SIZES], seconds[SIZES]; /* 64 B to 1 MiB, doubled each time */

static void measure(void)
{
    uint64_t dice = 12;

    for (int i = 0; i < SIZES; ++i) {
        double error = -6; /* the sum of twelve uniform numbers is nearly normal around 6 */
        for (int k = 0; k < 12; ++k) {
            dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            error += (double)(dice >> 33) / 2147483648.0;
        }
        bytes[i] = 64.0 * (1 << i);
        seconds[i] = netmodel_link_time(&truth, bytes[i]) * (1 + 0.03 * error);
    }
    seconds[DISTURBED] *= 20;
}

static void print_fit(const char *name, const netmodel_fit *fit)
{
    const netmodel_prediction p = netmodel_fit_predict(fit, 16e6, 0.95);

    printf("%-14s %9.1f us  %8.1f MB/s  %8.1f %%   %8.4f s  [%8.4f, %7.4f]\n", name, fit->line.intercept * 1e6,
           1e-6 / fit->line.slope, 100 * fit->deviation, p.time, p.low, p.high);
}

/* Every point by how much it misses the robust line, in percent. */
static void print_points(const netmodel_fit *fit)
{
    printf("   bytes      seconds   off the robust line\n");
    for (int i = 0; i < SIZES; ++i) {
        const double off = 100 * (seconds[i] / netmodel_line_time(&fit->line, bytes[i]) - 1);
        char scale[32] = "         |         |         |";
        if (off > -14.5 && off < 14.5) scale[(int)(off + 14.5) + 5] = 'o';
        printf("%8.0f  %10.6f s  %+7.1f %%  %.30s%s\n", bytes[i], seconds[i], off, scale, off > 14.5 ? " ->" : "");
    }
    printf("                                      -10 %%      0      +10 %%\n\n");
}

/* Both axes logarithmic: the fits go on to 16 MB, far beyond the points. */
static bool draw(const char *path, const netmodel_fit *line, const netmodel_fit *robust)
{
    enum { STEPS = 60 };
    const netmodel_fit *const fits[] = { line, robust };
    const double from = 40, to = 16e6, factor = pow(to / from, 1.0 / STEPS);
    svg s;

    svg_open(&s, path, "Times of small messages, and what they say about large ones", 860, 420);
    svg_plot(&s, 90, 660, (svg_axis){ .label = "size of a message", .from = from, .to = to, .unit = "B" },
             (svg_axis){ .label = "time", .from = 10e-6, .to = 1, .unit = "s" });
    for (int k = 0; k < 2; ++k) { /* where 95 % of the times fall, by each fit */
        svg_begin(&s, SVG_BAND, svg_colours[k ? 0 : 6], k ? "95 %, robust" : "95 %, least squares");
        for (int i = 0; i <= STEPS; ++i)
            svg_at(&s, from * pow(factor, i), netmodel_fit_predict(fits[k], from * pow(factor, i), 0.95).high);
        for (int i = STEPS; i >= 0; --i)
            svg_at(&s, from * pow(factor, i), netmodel_fit_predict(fits[k], from * pow(factor, i), 0.95).low);
        svg_end(&s);
    }
    svg_begin(&s, SVG_LINE, svg_colours[0], "robust fit");
    for (int i = 0; i <= STEPS; ++i)
        svg_at(&s, from * pow(factor, i), netmodel_line_time(&robust->line, from * pow(factor, i)));
    svg_end(&s);
    svg_begin(&s, SVG_POINTS, svg_colours[2], "measured");
    for (int i = 0; i < SIZES; ++i)
        if (i != DISTURBED) svg_at(&s, bytes[i], seconds[i]);
    svg_begin(&s, SVG_POINTS, svg_colours[1], "disturbed");
    svg_at(&s, bytes[DISTURBED], seconds[DISTURBED]);
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    double scratch[SIZES], n[SIZES + NETMODEL_BENDS_MAX], t[SIZES + NETMODEL_BENDS_MAX],
        miss[SIZES + NETMODEL_BENDS_MAX];
    netmodel_measured curve;
    netmodel_fit line, robust;

    measure();
    //! [fit]
    const netmodel_points points = { bytes, seconds, SIZES, NETMODEL_ERROR_RELATIVE };
    if (netmodel_fit_line(&points, &line, NULL) != NETMODEL_OK) return 1;
    if (netmodel_fit_robust(&points, scratch, &robust, NULL) != NETMODEL_OK) return 1;
    netmodel_prediction large = netmodel_fit_predict(&robust, 16e6, 0.95);
    //! [fit]
    //! [measured]
    if (netmodel_measured_fit(&points, n, t, miss, &curve, NULL) != NETMODEL_OK) return 1;
    const netmodel_prediction between = netmodel_measured_predict(&curve, 3000, 0.95);
    //! [measured]
    print_points(&robust);
    printf("                  latency     bandwidth  deviation    16 MB take   95 %% of the time within\n");
    print_fit("least squares", &line);
    print_fit("robust", &robust);
    printf("%-14s %9.1f us  %8.1f MB/s  %20.4f s\n\n", "the truth", truth.latency * 1e6, 1e-6 / truth.byte_time,
           netmodel_link_time(&truth, 16e6));
    printf("The robust fit has set %lu of %d points aside.%s\n", (unsigned long)robust.outliers, SIZES,
           large.outside ? " 16 MB are beyond what was measured." : "");
    printf("3000 B, between two sizes: by the measured curve %.1f us, 95 %% within [%.1f, %.1f]; the truth %.1f us.\n",
           1e6 * between.time, 1e6 * between.low, 1e6 * between.high, 1e6 * netmodel_link_time(&truth, 3000));
    return !draw(svg_asked(argc, argv), &line, &robust);
}

/* From the times of small messages, one of them disturbed: how long will a large one take, and how sure is that?
 * cc -O2 -DNETMODEL_STATIC -I. examples/fit.c -o fit -lm && ./fit        (--svg FILE draws it)
 *
 * Here the truth is known, a link of 50 us and 100 MB/s, measured with errors of 3 %; and during one measurement something
 * else ran. Least squares believe every point; a robust fit asks what most of them say. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include <stdio.h>
#include <string.h>

enum { SIZES = 15, DISTURBED = 9 };

static const netmodel_link truth = { 50e-6, 1 / 100e6 };
static double bytes[SIZES], seconds[SIZES]; /* 64 B to 1 MiB, doubled each time */

static void measure(void)
{
    uint64_t dice = 12;

    for (int i = 0; i < SIZES; i++) {
        double error = -6; /* the sum of twelve uniform numbers is nearly normal around 6 */
        for (int k = 0; k < 12; k++) {
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
    for (int i = 0; i < SIZES; i++) {
        const double off = 100 * (seconds[i] / netmodel_line_time(&fit->line, bytes[i]) - 1);
        char scale[32] = "         |         |         |";
        if (off > -14.5 && off < 14.5) scale[(int)(off + 14.5) + 5] = 'o';
        printf("%8.0f  %10.6f s  %+7.1f %%  %.30s%s\n", bytes[i], seconds[i], off, scale, off > 14.5 ? " ->" : "");
    }
    printf("                                      -10 %%      0      +10 %%\n\n");
}

/* Both axes logarithmic: 64 B to 16 MB, 30 us to 1 s. */
static double x_of(double n)
{
    return 70 + 600 * log(n / 64) / log(16e6 / 64);
}

static double y_of(double t)
{
    return 370 - 310 * log(t / 30e-6) / log(1 / 30e-6);
}

static int write_svg(const char *path, const netmodel_fit *fit)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) return 0;
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 420' font-family='sans-serif' font-size='13'>\n"
            "<rect width='720' height='420' fill='white'/>\n<text x='70' y='35' font-size='18'>Times of small "
            "messages, and what they say of large ones</text>\n<polygon fill='#4477aa' opacity='0.3' points='");
    for (double n = 64; n <= 16e6; n *= 1.25)
        fprintf(file, "%.1f,%.1f ", x_of(n), y_of(netmodel_fit_predict(fit, n, 0.95).high));
    for (double n = 16e6; n >= 64; n /= 1.25)
        fprintf(file, "%.1f,%.1f ", x_of(n), y_of(netmodel_fit_predict(fit, n, 0.95).low));
    fprintf(file, "'/>\n<polyline fill='none' stroke='#4477aa' points='");
    for (double n = 64; n <= 16e6; n *= 1.25)
        fprintf(file, "%.1f,%.1f ", x_of(n), y_of(netmodel_line_time(&fit->line, n)));
    fprintf(file, "'/>\n<path d='M70 60 V370 H670' fill='none' stroke='black'/>\n");
    for (int i = 0; i < SIZES; i++)
        fprintf(file, "<circle cx='%.1f' cy='%.1f' r='4' fill='#ee6677'/>\n", x_of(bytes[i]), y_of(seconds[i]));
    for (double n = 100; n <= 1e7; n *= 10)
        fprintf(file, "<text x='%.1f' y='388' text-anchor='middle'>%g B</text>\n", x_of(n), n);
    for (double t = 1e-4; t <= 1; t *= 10)
        fprintf(file, "<text x='62' y='%.1f' text-anchor='end'>%g s</text>\n", y_of(t) + 4, t);
    fprintf(file, "<text x='440' y='330'>the line and where 95 %% fall</text>\n</svg>\n");
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    double scratch[SIZES];
    netmodel_fit line, robust;

    measure();
    //! [fit]
    if (netmodel_fit_line(&line, bytes, seconds, SIZES, NETMODEL_ERROR_RELATIVE, NULL) != NETMODEL_OK) return 1;
    if (netmodel_fit_robust(&robust, bytes, seconds, SIZES, NETMODEL_ERROR_RELATIVE, scratch, NULL) != NETMODEL_OK) return 1;
    netmodel_prediction large = netmodel_fit_predict(&robust, 16e6, 0.95);
    //! [fit]
    print_points(&robust);
    printf("                  latency     bandwidth  deviation    16 MB take   95 %% of the time within\n");
    print_fit("least squares", &line);
    print_fit("robust", &robust);
    printf("%-14s %9.1f us  %8.1f MB/s  %20.4f s\n\n", "the truth", truth.latency * 1e6, 1e-6 / truth.byte_time,
           netmodel_link_time(&truth, 16e6));
    printf("The robust fit has set %lu of %d points aside.%s\n", (unsigned long)robust.set_aside, SIZES,
           large.outside ? " 16 MB are beyond what was measured." : "");
    if (argc == 3 && strcmp(argv[1], "--svg") == 0 && !write_svg(argv[2], &robust))
        return fprintf(stderr, "cannot write %s\n", argv[2]), 1;
    return 0;
}

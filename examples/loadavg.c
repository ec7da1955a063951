/* Two processes run for ten minutes, then stop: how long does the load average remember them?
 * cc -O2 -DCONTENTION_STATIC -I. examples/loadavg.c -o loadavg -lm && ./loadavg        (--svg FILE draws it)
 *
 * Four averages watch the same machine: equation (1) over 60 seconds, sampled every second, and the Linux kernel's own
 * three, sampled every five. After a minute a "one minute" load average shows 63 % of a change; after five, all of it. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "svg.h"

#include <stdio.h>
#include <string.h>

enum { MINUTES = 20, SAMPLES = MINUTES * 12, AVERAGES = 4 };

static const char *const names[AVERAGES] = { "60 s, eq. (1)", "kernel 1 min", "kernel 5 min", "kernel 15 min" };
static const char *const colours[AVERAGES] = { "#f5b8a8", "#4477aa", "#228833", "#ee7733" };
static const char marks[] = "*1ox";
static double loads[SAMPLES + 1][AVERAGES]; /* every five seconds */

static int running(int second)
{
    return second < MINUTES * 60 / 2 ? 2 : 0;
}

static void watch(void)
{
    const double beta = contention_load_beta_window(60, 1); /* 60/61 */
    contention_kernel_load kernel = { { 0, 0, 0 } };
    double load = 0;

    for (int second = 0; second < MINUTES * 60; ++second) {
        load = contention_load_next(beta, load, running(second));
        if (second % 5 == 4) contention_kernel_load_next(&kernel, (uint64_t)running(second));
        if (second % 5 == 4) {
            double *row = loads[(second + 1) / 5];
            row[0] = load;
            for (int i = 0; i < 3; ++i) row[1 + i] = contention_kernel_load_value(&kernel, i);
        }
    }
}

static void print_table(void)
{
    printf("minute  running");
    for (int i = 0; i < AVERAGES; ++i) printf("  %13s", names[i]);
    for (int minute = 0; minute <= MINUTES; ++minute) {
        printf("\n%6d %8d", minute, running(minute * 60));
        for (int i = 0; i < AVERAGES; ++i) printf("  %13.2f", loads[minute * 12][i]);
    }
    printf("\n\n");
}

static void print_chart(void)
{
    enum { ROWS = 11, COLUMNS = 3 * MINUTES + 1 };
    char chart[ROWS][COLUMNS];

    memset(chart, ' ', sizeof chart);
    for (int i = AVERAGES - 1; i >= 0; --i)
        for (int column = 0; column < COLUMNS; ++column)
            chart[(int)(loads[4 * column][i] * 5 + 0.5)][column] = marks[i];
    for (int row = ROWS - 1; row >= 0; --row) {
        int end = COLUMNS;
        while (end > 0 && chart[row][end - 1] == ' ') --end;
        printf("%4.1f |%.*s\n", row * 0.2, end, chart[row]);
    }
    printf("     +%.*s\n      ", COLUMNS, "-------------------------------------------------------------");
    for (int minute = 0; minute <= MINUTES; minute += 5) printf(minute < MINUTES ? "%-15d" : "%d min\n\n", minute);
    for (int i = 0; i < AVERAGES; ++i) printf("      %c  %s\n", marks[i], names[i]);
}

static bool draw(const char *path)
{
    svg s;

    svg_open(&s, path, "Load average: two processes for ten minutes", 860, 380);
    svg_plot(&s, 70, 660, (svg_axis){ .label = "time [min]", .to = MINUTES },
             (svg_axis){ .label = "load [processes]", .to = 2.2 });
    svg_begin(&s, SVG_AREA, "#e8e8e8", "running");
    svg_at(&s, 0, 0);
    svg_at(&s, 0, 2);
    svg_at(&s, MINUTES / 2.0, 2);
    svg_at(&s, MINUTES / 2.0, 0);
    svg_end(&s);
    for (int i = 0; i < AVERAGES; ++i) { /* two averages nearly agree: a wide line below a narrow one */
        svg_begin(&s, i == 0 ? SVG_WIDE : SVG_LINE, colours[i], names[i]);
        for (int sample = 0; sample <= SAMPLES; ++sample) svg_at(&s, sample / 12.0, loads[sample][i]);
        svg_end(&s);
    }
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    FILE *proc = fopen("/proc/loadavg", "r");
    char now[64];

    watch();
    print_table();
    print_chart();
    if (proc && fgets(now, sizeof now, proc) != NULL) printf("this machine now, over 1, 5 and 15 minutes: %s", now);
    if (proc) fclose(proc);
    return !draw(svg_asked(argc, argv));
}

/* Two processes run for ten minutes, then stop: how long does the load average remember them?
 * cc -O2 -DCONTENTION_STATIC -I. examples/loadavg.c -o loadavg -lm && ./loadavg        (--svg FILE draws it)
 *
 * Four averages watch the same machine: equation (1) over 60 seconds, sampled every second, and the Linux kernel's own
 * three, sampled every five. After a minute a "one minute" load average shows 63 % of a change; after five, all of it. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include <stdio.h>
#include <string.h>

enum { MINUTES = 20, SAMPLES = MINUTES * 12, AVERAGES = 4 };

static const char *const names[AVERAGES] = { "60 s, eq. (1)", "kernel 1 min", "kernel 5 min", "kernel 15 min" };
static const char *const colours[AVERAGES] = { "#d95f02", "#7570b3", "#1b9e77", "#666666" };
static const char marks[] = "*1ox";
static double loads[SAMPLES + 1][AVERAGES]; /* every five seconds */

static int running(int second)
{
    return second < MINUTES * 60 / 2 ? 2 : 0;
}

static void watch(void)
{
    //! [watch]
    const double beta = contention_load_beta_window(60, 1); /* 60/61 */
    contention_kernel_load kernel = { { 0, 0, 0 } };
    double load = 0;

    for (int second = 0; second < MINUTES * 60; second++) {
        load = contention_load_next(beta, load, running(second));
        if (second % 5 == 4) contention_kernel_load_next(&kernel, (uint64_t)running(second));
        //! [watch]
        if (second % 5 == 4) {
            double *row = loads[(second + 1) / 5];
            row[0] = load;
            for (int i = 0; i < 3; i++) row[1 + i] = contention_kernel_load_value(&kernel, i);
        }
    }
}

static void print_table(void)
{
    printf("minute  running");
    for (int i = 0; i < AVERAGES; i++) printf("  %13s", names[i]);
    for (int minute = 0; minute <= MINUTES; minute++) {
        printf("\n%6d %8d", minute, running(minute * 60));
        for (int i = 0; i < AVERAGES; i++) printf("  %13.2f", loads[minute * 12][i]);
    }
    printf("\n\n");
}

static void print_chart(void)
{
    enum { ROWS = 11, COLUMNS = 3 * MINUTES + 1 };
    char chart[ROWS][COLUMNS];

    memset(chart, ' ', sizeof chart);
    for (int i = AVERAGES - 1; i >= 0; i--)
        for (int column = 0; column < COLUMNS; column++)
            chart[(int)(loads[4 * column][i] * 5 + 0.5)][column] = marks[i];
    for (int row = ROWS - 1; row >= 0; row--) {
        int end = COLUMNS;
        while (end > 0 && chart[row][end - 1] == ' ') end--;
        printf("%4.1f |%.*s\n", row * 0.2, end, chart[row]);
    }
    printf("     +%.*s\n      ", COLUMNS, "-------------------------------------------------------------");
    for (int minute = 0; minute <= MINUTES; minute += 5) printf(minute < MINUTES ? "%-15d" : "%d min\n\n", minute);
    for (int i = 0; i < AVERAGES; i++) printf("      %c  %s\n", marks[i], names[i]);
}

static int write_svg(const char *path)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) return 0;
    fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 320' font-family='sans-serif'>\n"
                  "<rect width='720' height='320' fill='white'/>\n"
                  "<text x='60' y='30' font-size='18'>Load average: two processes for ten minutes</text>\n"
                  "<path d='M60 50 V270 H660' fill='none' stroke='black'/>\n"
                  "<path d='M60 70 H360 V270' fill='none' stroke='black' stroke-dasharray='4'/>\n");
    for (int load = 0; load <= 2; load++)
        fprintf(file, "<text x='40' y='%d' font-size='14'>%d</text>\n", 275 - 100 * load, load);
    for (int minute = 0; minute <= MINUTES; minute += 5)
        fprintf(file, "<text x='%d' y='290' font-size='14'>%d min</text>\n", 50 + 30 * minute, minute);
    for (int i = 0; i < AVERAGES; i++) {
        fprintf(file, "<text x='540' y='%d' font-size='14' fill='%s'>%s</text>\n", 70 + 20 * i, colours[i], names[i]);
        fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='%d' points='", colours[i], i > 0 ? 2 : 6);
        for (int sample = 0; sample <= SAMPLES; sample++)
            fprintf(file, "%.1f,%.1f ", 60 + 2.5 * sample, 270 - 100 * loads[sample][i]);
        fprintf(file, "'/>\n");
    }
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    FILE *proc = fopen("/proc/loadavg", "r");
    char now[64];

    watch();
    print_table();
    print_chart();
    if (proc != NULL && fgets(now, sizeof now, proc) != NULL)
        printf("this machine now, over 1, 5 and 15 minutes: %s", now);
    if (proc != NULL) fclose(proc);
    if (argc == 3 && strcmp(argv[1], "--svg") == 0 && !write_svg(argv[2]))
        return fprintf(stderr, "cannot write %s\n", argv[2]), 1;
    return 0;
}

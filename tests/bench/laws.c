/* How well do the scaling laws of util/netmodel_fit.h extrapolate, and how often do their intervals hold? On measured series:
 *
 *   laws [--list] [FILE.csv...]    columns series, program, setting, processes, work (of all processes), seconds; a line
 *                                  for each run; the project's own unless said
 *
 * In each series, for every number P of processes from the third smallest on, the laws are fitted to the runs on at most P,
 * and the runs on 2 P and 4 P are forecast, where there are some. The constants of the laws come from every other series, beginning with the
 * first; what counts are the others. Errors are geometric means of predicted over measured time, or the reverse. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char own[] = "tests/series/scaling.csv";

enum { MOST_SERIES = 200, MOST_RUNS = 100, LINE = 400, METHODS = NETMODEL_LAWS + 3 };

static struct {
    char name[64];
    netmodel_run run[MOST_RUNS];
    size_t count;
} series[MOST_SERIES];
static size_t series_count;

/* Errors of a method at twice (0) and four times (1) the processes. */
typedef struct errors {
    double logs[2];
    size_t count[2];
} errors;

/* Of forecasts: how many there are, hold, are within 20 %; of all, and of those that nothing but distance makes doubtful. */
typedef struct counts {
    size_t all, hold, undoubted, close;
} counts;

/* Of fits: their CPU time [s], and the number of sizes that were fitted. */
static double fit_seconds, fit_sizes;

static const char *const others[] = { "held back", "median", "blend" };

static int fail(const char *what, const char *where)
{
    fprintf(stderr, "laws: %s: %s\n", where, what);
    return 1;
}

static bool read_series(const char *path)
{
    char line[LINE];
    FILE *in = fopen(path, "r");
    unsigned long number = 1;

    if (!in || !fgets(line, sizeof line, in)) return false;
    while (fgets(line, sizeof line, in)) {
        char name[64], rest[LINE];
        netmodel_run run;
        unsigned long processes;
        size_t i = 0;

        ++number;
        if (sscanf(line, "%63[^,],%*[^,],%[^,],%lu,%lf,%lf", name, rest, &processes, &run.work, &run.seconds) != 5) {
            fprintf(stderr, "laws: %s:%lu: expected series,program,setting,processes,work,seconds\n", path, number);
            exit(1);
        }
        run.processes = processes;
        run.work /= (double)processes;
        while (i < series_count && strcmp(series[i].name, name) != 0) ++i;
        if (i == MOST_SERIES || series[i].count == MOST_RUNS) exit(fail("too many series, or runs of one", path));
        if (i == series_count) memcpy(series[series_count++].name, name, sizeof name);
        series[i].run[series[i].count++] = run;
    }
    return fclose(in) == 0;
}

/* The median of the runs on so many processes; their work. 0: there are none. */
static double measured(size_t s, size_t processes, double *work)
{
    double times[MOST_RUNS];
    size_t count = 0;

    for (size_t i = 0; i < series[s].count; ++i) {
        size_t at = count;
        if (series[s].run[i].processes != processes) continue;
        for (; at > 0 && times[at - 1] > series[s].run[i].seconds; --at) times[at] = times[at - 1];
        times[at] = series[s].run[i].seconds;
        *work = series[s].run[i].work;
        ++count;
    }
    if (count == 0) return 0;
    return count % 2 ? times[count / 2] : (times[count / 2] + times[count / 2 - 1]) / 2;
}

static void add_error(errors *to, size_t far, double time, double real)
{
    if (!(time > 0 && time < HUGE_VAL)) time = 1e-3 * real; /* a time that is not > 0 counts as a thousandth */
    to->logs[far] += fabs(log(time / real));
    ++to->count[far];
}

static void judge(size_t s, size_t most, errors method[METHODS], counts *count, bool list)
{
    static netmodel_run run[MOST_RUNS], scratch[MOST_RUNS];
    netmodel_laws laws[3];
    size_t runs = 0;

    for (size_t i = 0; i < series[s].count; ++i)
        if (series[s].run[i].processes <= most) run[runs++] = series[s].run[i];
    for (int i = 0; i < 3; ++i) {
        const netmodel_laws_desc desc = { (netmodel_law_choice)i, 0 };
        const clock_t began = clock();
        if (netmodel_laws_fit(run, runs, &desc, scratch, &laws[i], NULL) != NETMODEL_OK) return;
        fit_seconds += (double)(clock() - began) / CLOCKS_PER_SEC;
        fit_sizes += (double)laws[i].sizes;
    }
    for (size_t far = 0; far < 2; ++far) {
        const size_t processes = most * (far ? 4 : 2);
        double work = 0;
        const double real = measured(s, processes, &work);
        if (!(real > 0)) continue;
        for (int i = 0; i < NETMODEL_LAWS; ++i)
            add_error(&method[i], far, netmodel_law_time((netmodel_law_kind)i, &laws[0].law[i], processes, work), real);
        const netmodel_forecast held_back =
            netmodel_laws_forecast(&laws[NETMODEL_CHOOSE_HELD_BACK], processes, work, 0.95);
        const netmodel_forecast median = netmodel_laws_forecast(&laws[NETMODEL_CHOOSE_MEDIAN], processes, work, 0.95);
        const netmodel_forecast blend = netmodel_laws_forecast(&laws[NETMODEL_CHOOSE_BLEND], processes, work, 0.95);
        const bool doubted = (blend.doubts & ~(unsigned)NETMODEL_DOUBT_OUTSIDE) != 0;
        add_error(&method[NETMODEL_LAWS], far, held_back.time, real);
        add_error(&method[NETMODEL_LAWS + 1], far, median.time, real);
        add_error(&method[NETMODEL_LAWS + 2], far, blend.time, real);
        ++count->all;
        count->hold += real >= blend.low && real <= blend.high;
        count->undoubted += !doubted;
        count->close += !doubted && fabs(blend.time / real - 1) <= 0.2;
        if (list)
            printf("%-20s %2lu -> %2lu  %10.5f s  %+7.1f %%  in %9.5f .. %9.5f %s %s\n", series[s].name,
                   (unsigned long)most, (unsigned long)processes, real, 100 * (blend.time / real - 1), blend.low,
                   blend.high, real >= blend.low && real <= blend.high ? "  " : "NO",
                   netmodel_doubt_text(blend.doubts & ~(unsigned)NETMODEL_DOUBT_OUTSIDE));
    }
}

int main(int count, char **arguments)
{
    const bool list = count > 1 && strcmp(arguments[1], "--list") == 0;

    for (int i = 1 + list; i < count; ++i)
        if (!read_series(arguments[i])) return fail("cannot be read", arguments[i]);
    if (count == 1 + list && !read_series(own)) return fail("cannot be read", own);
    for (size_t half = 0; half < 2; ++half) {
        errors method[METHODS] = { { { 0 }, { 0 } } };
        counts all = { 0 };
        for (size_t s = half; s < series_count; s += 2)
            for (size_t i = 0; i < series[s].count; ++i) {
                bool first = true;
                for (size_t k = 0; k < i; ++k)
                    first = first && series[s].run[k].processes != series[s].run[i].processes;
                if (first) judge(s, series[s].run[i].processes, method, &all, list);
            }
        printf("%s%lu series %s\n  law             twice  four times\n", half ? "\n" : "",
               (unsigned long)(series_count - half + 1) / 2,
               half ? "that had no part in it" : "that the constants come from");
        for (int i = 0; i < METHODS; ++i) {
            printf("  %-12s", i < NETMODEL_LAWS ? netmodel_law_name((netmodel_law_kind)i) : others[i - NETMODEL_LAWS]);
            for (int far = 0; far < 2; ++far)
                printf(" %6.1f %% of %-3lu", 100 * (exp(method[i].logs[far] / (double)method[i].count[far]) - 1),
                       (unsigned long)method[i].count[far]);
            printf("\n");
        }
        printf(
            "  intervals at 95 %% hold %.1f %% of %lu; without a flag (but for distance) %lu, %.1f %% within 20 %%\n",
            100 * (double)all.hold / (double)all.all, (unsigned long)all.all, (unsigned long)all.undoubted,
            100 * (double)all.close / (double)all.undoubted);
    }
    printf("\na fit takes %.0f us for each size\n", 1e6 * fit_seconds / fit_sizes);
    return 0;
}

/* How well do the scaling laws of util/netmodel_fit.h extrapolate, by kind of scaling and distance, beside simpler rules, and how
 * often do their intervals hold? On measured series:
 *
 *   laws [--list] [--cross] [FILE.csv...]    columns series, program, setting, processes, work (of all processes), seconds; a
 *                                            line for each run; the project's own unless said
 *
 * In each series, for every number P of processes from the third smallest on, the laws are fitted to the runs on at most P; they
 * forecast the runs nearest to 2 P (1.5 to 3 times as many), to 4 P (3 to 6 times), and on the most processes beyond 6 P. Errors
 * are geometric means of forecast over median, or the reverse. Series of one program are a family. With --cross, the constants of
 * the blend and of the intervals are chosen anew for each family, from all other families: what is printed then are errors on
 * families that had no part in any constant. */
#define NETMODEL_FIT__CONSTANT static
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char own[] = "tests/series/scaling.csv";

enum { MOST_SERIES = 400, MOST_RUNS = 100, LINE = 400, MOST_CASES = 4000, RATIOS = 3, KINDS = 4 };

/* Methods beside the laws. */
enum { BLEND, HELD_BACK, MEDIAN, USL, KEPT, METHODS };

static const char *const kinds[KINDS] = { "strong", "weak", "collective", "all" };
static const char *const methods[METHODS] = { "the default", "held back", "median", "USL", "kept efficiency" };

typedef enum { STRONG, WEAK, COLLECTIVE } kind;

static struct {
    char name[64], program[64];
    netmodel_run run[MOST_RUNS];
    size_t count;
    kind kind;
} series[MOST_SERIES];
static size_t series_count;

/* A forecast that a run can judge: the fit, the rivals' times, and the run. */
typedef struct forecast_case {
    size_t series, ratio, most, processes;
    double work, real, usl, kept;
    netmodel_laws laws[3];
} forecast_case;

static forecast_case cases[MOST_CASES];
static size_t case_count;

/* Of fits: their CPU time [s], and the number of sizes that were fitted. */
static double fit_seconds, fit_sizes;

static int fail(const char *what, const char *where)
{
    fprintf(stderr, "laws: %s: %s\n", where, what);
    return 1;
}

/*=============================================================================
 * Series
 *===========================================================================*/
static bool read_series(const char *path)
{
    char line[LINE];
    FILE *in = fopen(path, "r");
    unsigned long number = 1;

    if (!in || !fgets(line, sizeof line, in)) return false;
    while (fgets(line, sizeof line, in)) {
        char name[64], program[64], setting[LINE];
        netmodel_run run;
        unsigned long processes;
        size_t i = 0;

        ++number;
        if (sscanf(line, "%63[^,],%63[^,],%[^,],%lu,%lf,%lf", name, program, setting, &processes, &run.work,
                   &run.seconds) != 6) {
            fprintf(stderr, "laws: %s:%lu: expected series,program,setting,processes,work,seconds\n", path, number);
            exit(1);
        }
        run.processes = processes;
        run.work /= (double)processes;
        while (i < series_count && strcmp(series[i].name, name) != 0) ++i;
        if (i == MOST_SERIES || series[i].count == MOST_RUNS) exit(fail("too many series, or runs of one", path));
        if (i == series_count) {
            const size_t length = strlen(setting);
            memcpy(series[series_count].name, name, sizeof name);
            memcpy(series[series_count].program, program, sizeof program);
            series[series_count++].kind = length > 1 && strcmp(setting + length - 2, " B") == 0 ? COLLECTIVE : STRONG;
            if (series[i].kind == COLLECTIVE) strcpy(series[i].program, "collectives"); /* one family */
        } else if (series[i].kind == STRONG && processes != series[i].run[0].processes &&
                   fabs(run.work - series[i].run[0].work) < 1e-6) {
            series[i].kind = WEAK;
        }
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

/* The smallest number of processes above this one; 0: none. */
static size_t next_number(size_t s, size_t above)
{
    size_t next = 0;
    for (size_t i = 0; i < series[s].count; ++i)
        if (series[s].run[i].processes > above && (next == 0 || series[s].run[i].processes < next))
            next = series[s].run[i].processes;
    return next;
}

/* The number of processes that a forecast at this ratio is judged by; 0: none. */
static size_t target(size_t s, size_t most, size_t ratio)
{
    const double wanted = ratio == 0 ? 2 : 4, from = ratio == 0 ? 1.5 : 3, to = ratio == 0 ? 3 : 6;
    size_t best = 0;
    for (size_t p = most; (p = next_number(s, p)) > 0;) {
        const double times = (double)p / (double)most;
        if (ratio == 2) {
            if (times > 6) best = p;
        } else if (times >= from && times <= to &&
                   (best == 0 || fabs(log(times / wanted)) < fabs(log((double)best / (double)most / wanted)))) {
            best = p;
        }
    }
    return best;
}

/*=============================================================================
 * Rivals
 *===========================================================================*/
/* The universal scalability law, `b / p + c + e (p - 1)`, by relative least squares without negative parameters: one parameter
 * after the other, until nothing changes. */
static double usl_time(size_t s, size_t most, size_t processes)
{
    double a[3] = { 0 }, p[MOST_RUNS], t[MOST_RUNS], work;
    size_t count = 0;
    for (size_t at = 0; (at = next_number(s, at)) > 0 && at <= most;) {
        p[count] = (double)at;
        t[count++] = measured(s, at, &work);
    }
    for (int round = 0; round < 20000; ++round) {
        double change = 0;
        for (int k = 0; k < 3; ++k) {
            double up = 0, down = 0;
            for (size_t i = 0; i < count; ++i) {
                const double f[3] = { 1 / p[i], 1, p[i] - 1 };
                double rest = t[i];
                for (int j = 0; j < 3; ++j)
                    if (j != k) rest -= a[j] * f[j];
                up += rest * f[k] / t[i] / t[i];
                down += f[k] * f[k] / t[i] / t[i];
            }
            const double before = a[k];
            a[k] = down > 0 ? fmax(up / down, 0) : 0;
            change += fabs(a[k] - before) / (a[k] + 1e-300);
        }
        if (change < 1e-9) break;
    }
    return a[0] / (double)processes + a[1] + a[2] * ((double)processes - 1);
}

static void add_cases(size_t s)
{
    static netmodel_run run[MOST_RUNS], scratch[MOST_RUNS];

    for (size_t most = 0; (most = next_number(s, most)) > 0;) {
        netmodel_laws laws[3];
        size_t runs = 0;
        double work;
        for (size_t i = 0; i < series[s].count; ++i)
            if (series[s].run[i].processes <= most) run[runs++] = series[s].run[i];
        for (int i = 0; i < 3; ++i) {
            const netmodel_laws_desc desc = { .choice = (netmodel_law_choice)i };
            const clock_t began = clock();
            if (netmodel_laws_fit(run, runs, &desc, scratch, &laws[i], NULL) != NETMODEL_OK) break;
            fit_seconds += (double)(clock() - began) / CLOCKS_PER_SEC;
            fit_sizes += (double)laws[i].sizes;
        }
        if (laws[0].sizes == 0) continue; /* too few */
        for (size_t ratio = 0; ratio < RATIOS; ++ratio) {
            forecast_case *x = &cases[case_count];
            const size_t processes = target(s, most, ratio);
            if (processes == 0) continue;
            if (++case_count == MOST_CASES) exit(fail("too many forecasts", "laws"));
            x->series = s;
            x->ratio = ratio;
            x->most = most;
            x->processes = processes;
            x->real = measured(s, processes, &x->work);
            x->usl = usl_time(s, most, processes);
            x->kept = measured(s, most, &work) * (series[s].kind == STRONG ? (double)most / (double)processes : 1);
            memcpy(x->laws, laws, sizeof laws);
        }
    }
}

/*=============================================================================
 * Errors
 *===========================================================================*/
static double method_time(const forecast_case *x, int method)
{
    switch (method) {
    case USL: return x->usl;
    case KEPT: return x->kept;
    case BLEND:
    case HELD_BACK:
    case MEDIAN: return netmodel_laws_forecast(&x->laws[method], x->processes, x->work, 0.95).time;
    default: {
        const netmodel_law_kind law = (netmodel_law_kind)(method - METHODS);
        return netmodel_law_time(law, &x->laws[0].law[law], x->processes, x->work);
    }
    }
}

/* The logarithm of forecast over run; a time that is not > 0 counts as a thousandth. */
static double off(double time, double real)
{
    return time > 0 && time < HUGE_VAL ? log(time / real) : log(1e-3);
}

/* Sums of amounts by kind (or all) and ratio. */
typedef struct sums {
    double sum[KINDS][RATIOS];
    size_t count[KINDS][RATIOS];
} sums;

static void sums_add(sums *to, const forecast_case *x, double amount)
{
    const kind own_kind = series[x->series].kind;
    to->sum[own_kind][x->ratio] += amount;
    ++to->count[own_kind][x->ratio];
    to->sum[KINDS - 1][x->ratio] += amount;
    ++to->count[KINDS - 1][x->ratio];
}

static void print_row(const char *name, const sums *x, bool logs)
{
    printf("  %-16s", name);
    for (int k = 0; k < KINDS; ++k) {
        printf(" |");
        for (int r = 0; r < RATIOS; ++r) {
            if (x->count[k][r] == 0)
                printf("      -");
            else
                printf(" %6.1f", 100 * (logs ? exp(x->sum[k][r] / (double)x->count[k][r]) - 1
                                             : x->sum[k][r] / (double)x->count[k][r]));
        }
    }
    printf("\n");
}

static void print_head(const char *what)
{
    printf("%s\n  %-16s", what, "");
    for (int k = 0; k < KINDS; ++k) printf(" | %-20s", kinds[k]);
    printf("\n  %-16s", "");
    for (int k = 0; k < KINDS; ++k) printf(" |    2 P    4 P  > 6 P");
    printf("\n");
}

/* A forecast beside the measured time: how far it is off, and whether its two intervals hold that time. */
typedef struct verdict {
    double log_time;
    bool hold95, hold80;
} verdict;

static verdict judge(const forecast_case *x)
{
    const netmodel_forecast wide = netmodel_laws_forecast(&x->laws[BLEND], x->processes, x->work, 0.95),
                            narrow = netmodel_laws_forecast(&x->laws[BLEND], x->processes, x->work, 0.8);
    const verdict v = { off(wide.time, x->real), x->real >= wide.low && x->real <= wide.high,
                        x->real >= narrow.low && x->real <= narrow.high };
    return v;
}

static void print_verdicts(const char *what, const verdict *v)
{
    sums errors, hold95, hold80, count;
    memset(&errors, 0, sizeof errors);
    memset(&hold95, 0, sizeof hold95);
    memset(&hold80, 0, sizeof hold80);
    memset(&count, 0, sizeof count);
    for (size_t i = 0; i < case_count; ++i) {
        sums_add(&errors, &cases[i], fabs(v[i].log_time));
        sums_add(&hold95, &cases[i], v[i].hold95);
        sums_add(&hold80, &cases[i], v[i].hold80);
        sums_add(&count, &cases[i], 0);
    }
    print_row(what, &errors, true);
    print_row("in 95 % interval", &hold95, false);
    print_row("in 80 % interval", &hold80, false);
    printf("  %-16s", "forecasts");
    for (int k = 0; k < KINDS; ++k) {
        printf(" |");
        for (int r = 0; r < RATIOS; ++r) printf(" %6lu", (unsigned long)count.count[k][r]);
    }
    printf("\n");
}

/* The families, each with its errors: how far one speaks for another. */
static void print_families(const verdict *v)
{
    printf("\nfamilies                   errors at 2 P, 4 P, > 6 P; share in the 95 and 80 %% intervals\n");
    for (size_t s = 0; s < series_count; ++s) {
        double sum[RATIOS] = { 0 }, hold95 = 0, hold80 = 0;
        size_t count[RATIOS] = { 0 }, all = 0, first = 0;
        while (strcmp(series[first].program, series[s].program) != 0) ++first;
        if (first < s) continue;
        for (size_t i = 0; i < case_count; ++i) {
            if (strcmp(series[cases[i].series].program, series[s].program) != 0) continue;
            sum[cases[i].ratio] += fabs(v[i].log_time);
            ++count[cases[i].ratio];
            hold95 += v[i].hold95;
            hold80 += v[i].hold80;
            ++all;
        }
        if (all == 0) continue;
        printf("  %-20s", series[s].program);
        for (int r = 0; r < RATIOS; ++r)
            if (count[r] > 0)
                printf(" %6.1f of %-3lu", 100 * (exp(sum[r] / (double)count[r]) - 1), (unsigned long)count[r]);
            else
                printf("      -       ");
        printf("  %5.1f %5.1f\n", 100 * hold95 / (double)all, 100 * hold80 / (double)all);
    }
}

/*=============================================================================
 * Constants
 *===========================================================================*/
/* The constants that --cross chooses, and what it may choose. */
static const struct constant {
    double *at;
    double value[6];
} constants[] = {
    { &netmodel_fit__laws_power[0], { 0.15, 0.25, 0.35, 0.5 } },
    { &netmodel_fit__laws_power[1], { 0.1, 0.2, 0.3, 0.4, 0.5 } },
    { &netmodel_fit__laws_floor, { 0.03, 0.05, 0.07, 0.1 } },
    { &netmodel_fit__laws_factor, { 1, 2, 3 } },
    { &netmodel_fit__laws_unknown, { 0.3, 0.5, 0.7, 1 } },
    { &netmodel_fit__laws_prior[0][NETMODEL_LAW_AMDAHL], { 1, 2, 4, 6 } },
    { &netmodel_fit__laws_prior[1][NETMODEL_LAW_LATE], { 0.5, 1, 2, 4 } },
};
enum { CONSTANTS = sizeof constants / sizeof *constants };

static const struct constant widths[] = {
    { &netmodel_fit__laws_rate, { 0.1, 0.12, 0.14, 0.17, 0.2 } },
    { &netmodel_fit__laws_weak, { 0.1, 0.15, 0.2, 0.25, 0.3 } },
    { &netmodel_fit__laws_misfit, { 0.2, 0.3, 0.4, 0.5 } },
    { &netmodel_fit__laws_part, { 0.1, 0.2, 0.3, 0.5 } },
};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* The mean error of the forecasts of all families but one: a family, kind and ratio counts by the root of its size. */
static double loss(const char *without)
{
    static const double far[RATIOS] = { 1, 0.7, 0.4 };
    double sum[KINDS][RATIOS] = { { 0 } }, weight[KINDS][RATIOS] = { { 0 } }, all = 0, weights = 0;
    for (size_t s = 0; s < series_count; ++s) {
        double own_sum[RATIOS] = { 0 };
        size_t count[RATIOS] = { 0 }, first = 0;
        while (strcmp(series[first].program, series[s].program) != 0 || series[first].kind != series[s].kind) ++first;
        if (first < s || strcmp(series[s].program, without) == 0) continue;
        for (size_t i = 0; i < case_count; ++i) {
            const forecast_case *x = &cases[i];
            if (strcmp(series[x->series].program, series[s].program) != 0 || series[x->series].kind != series[s].kind)
                continue;
            own_sum[x->ratio] += fabs(off(method_time(x, BLEND), x->real));
            ++count[x->ratio];
        }
        for (int r = 0; r < RATIOS; ++r) {
            if (count[r] == 0) continue;
            sum[series[s].kind][r] += own_sum[r] / sqrt((double)count[r]);
            weight[series[s].kind][r] += sqrt((double)count[r]);
        }
    }
    for (int k = 0; k < KINDS; ++k)
        for (int r = 0; r < RATIOS; ++r) {
            if (!(weight[k][r] > 0)) continue;
            all += far[r] * sum[k][r] / weight[k][r];
            weights += far[r];
        }
    return all / weights;
}

/* The mean logarithm of the density of the runs of all families but one, less what is constant, by the intervals: Student's
 * distribution. A family counts by the root of its size. */
static double surprise(const char *without)
{
    const double t = netmodel_student(0.95, netmodel_fit__laws_freedom), freedom = (double)netmodel_fit__laws_freedom;
    double all = 0, weights = 0;
    for (size_t s = 0; s < series_count; ++s) {
        double sum = 0;
        size_t count = 0, first = 0;
        while (strcmp(series[first].program, series[s].program) != 0) ++first;
        if (first < s || strcmp(series[s].program, without) == 0) continue;
        for (size_t i = 0; i < case_count; ++i) {
            const forecast_case *x = &cases[i];
            if (strcmp(series[x->series].program, series[s].program) != 0) continue;
            const netmodel_forecast f = netmodel_laws_forecast(&x->laws[BLEND], x->processes, x->work, 0.95);
            const double deviation = log(f.high / f.time) / t, z = log(f.time / x->real) / deviation;
            sum += log(deviation) + (freedom + 1) / 2 * log(1 + z * z / freedom);
            ++count;
        }
        if (count == 0) continue;
        all += sum / sqrt((double)count);
        weights += sqrt((double)count);
    }
    return all / weights;
}

/* Chooses constants from all families but one, one after the other, twice. */
static void choose(const struct constant *which, int count, double (*cost)(const char *), const char *without)
{
    double best = cost(without);
    for (int round = 0; round < 2; ++round)
        for (int c = 0; c < count; ++c)
            for (int k = 0; k < 6 && which[c].value[k] > 0; ++k) {
                const double before = *which[c].at;
                *which[c].at = which[c].value[k];
                const double next = cost(without);
                if (next < best - 1e-6)
                    best = next;
                else
                    *which[c].at = before;
            }
}

static void cross(verdict *v)
{
    double usual[CONSTANTS], usual_width[WIDTHS];
    for (int c = 0; c < CONSTANTS; ++c) usual[c] = *constants[c].at;
    for (int c = 0; c < WIDTHS; ++c) usual_width[c] = *widths[c].at;
    for (size_t s = 0; s < series_count; ++s) {
        size_t first = 0;
        while (strcmp(series[first].program, series[s].program) != 0) ++first;
        if (first < s) continue;
        choose(constants, CONSTANTS, loss, series[s].program);
        choose(widths, WIDTHS, surprise, series[s].program);
        for (size_t i = 0; i < case_count; ++i)
            if (strcmp(series[cases[i].series].program, series[s].program) == 0) v[i] = judge(&cases[i]);
        for (int c = 0; c < CONSTANTS; ++c) *constants[c].at = usual[c];
        for (int c = 0; c < WIDTHS; ++c) *widths[c].at = usual_width[c];
    }
}

int main(int count, char **arguments)
{
    static verdict v[MOST_CASES];
    bool list = false, crossed = false;
    int first = 1;

    for (; first < count && strncmp(arguments[first], "--", 2) == 0; ++first) {
        list = list || strcmp(arguments[first], "--list") == 0;
        crossed = crossed || strcmp(arguments[first], "--cross") == 0;
    }
    for (int i = first; i < count; ++i)
        if (!read_series(arguments[i])) return fail("cannot be read", arguments[i]);
    if (count == first && !read_series(own)) return fail("cannot be read", own);
    for (size_t s = 0; s < series_count; ++s) add_cases(s);
    for (size_t i = 0; i < case_count; ++i) v[i] = judge(&cases[i]);

    print_head("errors [%], by kind of scaling and by how many times the processes of any run");
    for (int i = 1; i < METHODS + NETMODEL_LAWS; ++i) {
        sums errors;
        memset(&errors, 0, sizeof errors);
        for (size_t k = 0; k < case_count; ++k)
            sums_add(&errors, &cases[k], fabs(off(method_time(&cases[k], i), cases[k].real)));
        print_row(i < METHODS ? methods[i] : netmodel_law_name((netmodel_law_kind)(i - METHODS)), &errors, true);
    }
    print_verdicts(methods[BLEND], v);
    if (crossed) {
        printf("\nthe constants chosen from all other families\n");
        cross(v);
        print_verdicts(methods[BLEND], v);
    }
    print_families(v);
    for (size_t i = 0; list && i < case_count; ++i) {
        const forecast_case *x = &cases[i];
        const netmodel_forecast f = netmodel_laws_forecast(&x->laws[BLEND], x->processes, x->work, 0.95);
        printf("%-24s %4lu -> %4lu  %10.5g s  %+7.1f %%  in %9.4g .. %9.4g %s %s\n", series[x->series].name,
               (unsigned long)x->most, (unsigned long)x->processes, x->real, 100 * (f.time / x->real - 1), f.low,
               f.high, v[i].hold95 ? "  " : "NO", netmodel_doubt_text(f.doubts & ~(unsigned)NETMODEL_DOUBT_OUTSIDE));
    }
    printf("\na fit takes %.0f us for each size\n", 1e6 * fit_seconds / fit_sizes);
    return 0;
}

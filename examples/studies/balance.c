/* A parallel program has jobs for 16 workstations that others use: on which should each compute?
 * cc -O2 -DSIMKIT_STATIC -I. examples/studies/balance.c -o balance -lm && ./balance     (four seconds; --svg FILE draws it)
 *
 * Through a working day bags of eight jobs arrive, and each job is sent to a workstation at once, where it stays.
 * balance.h describes the day and the strategies: in turn; by load average; by the load of others and the number of own
 * jobs; by a forecast from the load of others and the remaining work of own jobs. All have the same users and jobs.
 * Not better: one beta for all jobs (0: 2 % longer, 60/61: 1 %); moving the load of others towards its mean of the day
 * before, more for longer jobs (1 %). The difference comes from knowing the program's own jobs. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "../svg.h"
#include "balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DAYS = 1000 };
enum { RESPONSE, SLOWDOWN, BAG, USERS, HERD, MEASURES }; /* [s], [1], [s], [%], [%] */
enum { STRATEGIES = BALANCE_STRATEGIES };

static double results[STRATEGIES][MEASURES][MOST_DAYS];

/* A day with each strategy, and one without the program to compare with: one simkit_world_open() each. */
static bool live(int day, const simkit_population *population)
{
    balance_desc desc = { .seed = (uint64_t)day + 1, .population = population };
    balance_outcome o;
    simkit_result result = balance_alone(&desc, &desc.alone, o.why);

    for (int s = STRATEGIES - 1; s >= 0 && result == SIMKIT_OK; --s) {
        desc.strategy = (balance_strategy)s;
        result = balance_day(&desc, &o);
        const double measures[MEASURES] = { o.response, o.slowdown, o.bag, o.users, o.herded };
        for (int m = 0; m < MEASURES; ++m) results[s][m][day] = measures[m];
    }
    if (result != SIMKIT_OK) fprintf(stderr, "balance: %s\n", o.why);
    return result == SIMKIT_OK;
}

/*=============================================================================
 * Results
 *===========================================================================*/
/* Mean of a measure, or of its difference from another strategy on the same day (`than` >= 0), with its 95 % interval. */
static simkit_interval over_days(int of, int than, int measure, int days)
{
    simkit_tally tally = { 0 };
    for (int day = 0; day < days; ++day)
        simkit_tally_add(&tally, results[of][measure][day] - (than < 0 ? 0 : results[than][measure][day]));
    return simkit_tally_interval(&tally, 0.95);
}

static void print_tables(int days)
{
    static const char *const units[MEASURES] = { "a job takes [s]", "its slowdown [1]", "a bag takes [s]",
                                                 "users slower [%]", "herded [%]" };

    printf("Mean of %d days with 95 %% confidence intervals\n\n              ", days);
    for (int m = 0; m < MEASURES; ++m) printf("  %16s", units[m]);
    for (int s = 0; s < STRATEGIES; ++s) {
        printf("\n%-14s", balance_names[s]);
        for (int m = 0; m < MEASURES; ++m) {
            const simkit_interval i = over_days(s, -1, m, days);
            printf("  %8.2f +- %4.2f", i.mean, i.high - i.mean);
        }
    }
    printf(
        "\n\nslowdown: of a job, against an idle fast workstation; users slower: against the same day without the "
        "program;\nherded: jobs sent to a workstation that received another one within the last minute and still has "
        "it\n");
    printf("\nDifference from the row above, on the same days\n");
    for (int s = 1; s < STRATEGIES; ++s) {
        printf("\n%-14s", balance_names[s]);
        for (int m = 0; m < MEASURES; ++m) {
            const simkit_interval i = over_days(s, s - 1, m, days);
            printf("  %+8.2f +- %4.2f", i.mean, i.high - i.mean);
        }
    }
    printf("\n\nTime of a job, with its interval\n");
    for (int s = 0; s < STRATEGIES; ++s) {
        const simkit_interval i = over_days(s, -1, RESPONSE, days);
        char bar[100];
        memset(bar, 0, sizeof bar);
        for (int c = 0; c < 99 && c < i.high - 0.5; ++c) bar[c] = c < i.low - 0.5 ? '#' : '=';
        printf("%-14s|%s\n", balance_names[s], bar);
    }
    printf("              +");
    for (int c = 20; c <= 80; c += 20) printf("%19d%s", c, c < 80 ? "|" : "| s\n");
}

/* Means over the days with their 95 % confidence intervals. */
static bool draw(const char *path, int days)
{
    static const struct {
        const char *label;
        int what;
    } plots[] = { { "a job takes [s]", RESPONSE },
                  { "a bag of eight takes [s]", BAG },
                  { "users are slower by [%]", USERS } };
    char title[100];
    svg s;

    snprintf(title, sizeof title,
             "Jobs for 16 shared workstations: where should each compute? (%d days, 95 %% intervals)", days);
    svg_open(&s, path, title, 900, 320);
    for (int k = 0; k < 3; ++k) {
        const double left = 110 + 265 * k;
        double most = 0, mean[STRATEGIES], low[STRATEGIES], high[STRATEGIES];
        for (int i = 0; i < STRATEGIES; ++i) {
            const simkit_interval in = over_days(i, -1, plots[k].what, days);
            mean[i] = in.mean, low[i] = in.low, high[i] = in.high;
            most = fmax(most, high[i]);
        }
        svg_plot(&s, left, left + 235, (svg_axis){ .label = plots[k].label, .to = 1.25 * most },
                 (svg_axis){ .rows = true, .to = STRATEGIES, .names = k == 0 ? balance_names : NULL });
        svg_bars(&s, STRATEGIES, mean, low, high, "%.1f", svg_colours[k]);
    }
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    static const char usage[] = "balance [--days N] [--users FILE] [--svg FILE]\n"
                                "  --days   number of days, each with other random numbers, 2 to 1000 (30)\n"
                                "  --users  users of the workstations (examples/users/office.users)\n";
    static const char where[] = "\nbalance: run it from the top of the project, or name a file with --users";
    const char *users = "examples/users/office.users", *picture = NULL;
    long days = 30;
    simkit_population *population;
    simkit_parse_error error;

    for (int i = 1; i < argc; i += 2) {
        char *rest = NULL;
        if (i + 1 < argc && strcmp(argv[i], "--users") == 0)
            users = argv[i + 1];
        else if (i + 1 < argc && strcmp(argv[i], "--svg") == 0)
            picture = argv[i + 1];
        else if (i + 1 == argc || strcmp(argv[i], "--days") != 0 || (days = strtol(argv[i + 1], &rest, 10)) < 2 ||
                 days > MOST_DAYS || *rest)
            return fputs(usage, stderr), 1;
    }
    if (simkit_population_read(&(simkit_input){ .path = users }, &population, &error) != SIMKIT_OK)
        return fprintf(stderr, "balance: %s%s\n", error.text, error.line ? "" : where), 1;
    for (int day = 0; day < days; ++day)
        if (!live(day, population)) return 1;
    simkit_population_close(population);
    print_tables((int)days);
    if (!draw(picture, (int)days)) return 1;
    return 0;
}

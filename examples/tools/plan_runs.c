/* Which runs of my program should I measure next, to predict a large one for the fewest processor hours?
 * cc -O2 -I. examples/tools/plan_runs.c -o plan_runs -lm && ./plan_runs runs.csv --target 256 1024 --most 32 1024
 *
 * Reads the runs measured so far, a table with columns processes, work (of each process, in any unit) and seconds. Fits
 * the model of scaling of util/netmodel_fit.h, all runs on more than one process together, and predicts the target. Then it takes,
 * again and again, the run that narrows the 95 % interval of that prediction most for its processor time, as if each
 * took what the model predicts. Candidates are powers of two up to the limit and the limit itself, with all of the limit of
 * work, a half and a quarter. Measure the first ones, add them to the table, and ask again.
 *
 * State the error of a run if you know it: while it is estimated from few runs, what narrows the interval most is any run
 * at all, since it tells more about the error. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/netmodel_fit.h"
#include "util/simkit_files.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHARES = 3, MOST_CANDIDATES = 32 * SHARES };

static const char sample[] = "processes,work [MB],seconds\n"
                             "1,256,146.3\n1,512,268.4\n2,256,205.1\n2,512,354.9\n4,256,219.6\n4,512,367.4\n";

typedef struct plan {
    const char *name; /* of the table */
    netmodel_run *run;
    size_t count;
    double target, target_work, most, most_work, error, runs;
} plan;

static bool complain(const char *text)
{
    fprintf(stderr, "plan_runs: %s\n", text);
    return false;
}

/* A column of numbers >= `least`, whole ones if `whole`. */
static const simkit_column *column_of(const simkit_table *table, const char *file, const char *name, double least,
                                      bool whole)
{
    const simkit_column *column = simkit_table_column(table, name);
    char text[300];
    if (!column || !column->numbers) {
        snprintf(text, sizeof text, "%s: expected columns processes, work and seconds, of numbers: %s '%s'", file,
                 column ? "there are texts in column" : "there is no column", name);
        return complain(text), NULL;
    }
    for (size_t i = 0; i < table->rows; ++i) {
        const double value = column->numbers[i];
        if (value >= least && value <= 1e40 && (value >= 1e-40 || value <= 0) &&
            (!whole || (value <= 1e9 && value <= floor(value))))
            continue;
        snprintf(text, sizeof text, "%s:%u: column '%s': expected a %s %s, found %g", file, table->line[i], name,
                 whole ? "whole number" : "number",
                 whole       ? "from 1 to 1e9"
                 : least > 0 ? "from 1e-40 to 1e40"
                             : "that is 0 or from 1e-40 to 1e40",
                 value);
        return complain(text), NULL;
    }
    return column;
}

/* Reads the runs; a table without errors has at least one. */
static bool read_runs(plan *p, const simkit_input *input)
{
    simkit_table *table;
    simkit_parse_error error;
    const simkit_column *processes = NULL, *work = NULL, *seconds = NULL;

    if (simkit_table_read(input, &table, &error) != SIMKIT_OK) return complain(error.text);
    p->name = input->name ? input->name : input->path;
    if ((processes = column_of(table, p->name, "processes", 1, true)) != NULL &&
        (work = column_of(table, p->name, "work", 0, false)) != NULL &&
        (seconds = column_of(table, p->name, "seconds", 1e-40, false)) != NULL)
        p->run = (netmodel_run *)malloc(table->rows * sizeof *p->run);
    p->count = p->run ? table->rows : 0;
    for (size_t i = 0; i < p->count; ++i) /* work in the unit of the table, as the options have it */
        p->run[i] =
            (netmodel_run){ (size_t)processes->numbers[i], work->numbers[i] / work->factor, seconds->numbers[i] };
    if (seconds && !p->run) complain("out of memory");
    simkit_table_close(table);
    return p->run != NULL;
}

static bool fit(const plan *p, netmodel_scaling *model)
{
    const netmodel_scaling_desc desc = { NETMODEL_SCALING_EXACT, p->error / 100 };
    const netmodel_result result = netmodel_scaling_fit(p->run, p->count, &desc, model, NULL);
    char text[300];

    if (result == NETMODEL_OK && model->degrees_of_freedom > 0) return true;
    if (result == NETMODEL_OK)
        snprintf(text, sizeof text,
                 "%s: 5 runs leave no errors to estimate: state the error of a run, such as --error 2", p->name);
    else if (result == NETMODEL_TOO_FEW)
        snprintf(
            text, sizeof text,
            "%s: expected runs on one process with two different amounts of work, and three on more than one, with "
            "two numbers of processes and two amounts of work that do not grow together",
            p->name);
    else
        snprintf(text, sizeof text, "%s: %s", p->name, netmodel_result_text(result));
    return complain(text);
}

static size_t list(const plan *p, netmodel_candidate candidate[])
{
    size_t count = 0;
    for (double processes = 1; count + SHARES <= MOST_CANDIDATES; processes *= 2) {
        const double own = processes < p->most ? processes : p->most;
        for (int share = 0; share < SHARES; ++share)
            candidate[count++] = (netmodel_candidate){ (size_t)own, p->most_work / (1 << share), 1, 0 };
        if (processes >= p->most) break;
    }
    return count;
}

static void print_prediction(const char *when, const netmodel_prediction *now, bool other_work)
{
    printf("%s: %.4g s, 95 %% within [%.4g, %.4g], +- %.1f %%%s\n", when, now->time, now->mean_low, now->mean_high,
           100 * (now->mean_high - now->time) / now->time,
           other_work ? "; more or less work than was measured: an extrapolation" : "");
}

static bool print_plan(const plan *p)
{
    static netmodel_candidate candidate[MOST_CANDIDATES];
    static netmodel_gain gain[MOST_CANDIDATES];
    const size_t count = list(p, candidate), target = (size_t)p->target;
    netmodel_scaling model;
    double spent = 0;

    if (!fit(p, &model)) return false;
    netmodel_prediction now = netmodel_scaling_predict(&model, target, p->target_work, 0.95);
    if (!(now.time > 0))
        return complain("the model predicts no time > 0 for the target: measure runs that are more like it");
    printf("%lu runs, off by %.2g %% each; %lu processes, each with work %g\n", (unsigned long)p->count,
           100 * model.deviation, (unsigned long)target, p->target_work);
    print_prediction("now", &now, p->target_work < model.low || p->target_work > model.high);
    printf("\nnext  processes       work    seconds  processor h   interval   narrower\n");
    for (int i = 1; i <= (int)p->runs; ++i) {
        size_t best;
        //! [next]
        if (netmodel_scaling_next(&model, target, p->target_work, 0.95, candidate, count, gain, &best, NULL) !=
                NETMODEL_OK ||
            best == count)
            break; /* no run that is allowed says anything about the target */
        model = netmodel_scaling_after(&model, &candidate[best]);
        //! [next]
        spent += gain[best].cost / 3600;
        printf("%4d %10lu %10.4g %10.4g %12.3g  +- %5.1f %%   %5.1f %%\n", i, (unsigned long)candidate[best].processes,
               candidate[best].work, gain[best].time, gain[best].cost / 3600, 100 * gain[best].interval / now.time,
               100 * gain[best].narrows);
    }
    now = netmodel_scaling_predict(&model, target, p->target_work, 0.95);
    printf("\n");
    print_prediction("if they take what is predicted", &now, p->target_work < model.low || p->target_work > model.high);
    printf("for %.3g processor hours\n", spent);
    return true;
}

static const char usage[] =
    "plan_runs                     plans for six runs that it brings along, off by 2 %\n"
    "plan_runs FILE --target PROCESSES WORK\n"
    "  --most PROCESSES WORK       limits of the runs that can be measured; default: those of the table\n"
    "  --error PERCENT             error of a run; default: estimated from the runs\n"
    "  --runs COUNT                how many runs to plan; default: 5\n"
    "Work is that of each process, in the unit of the table.\n";

/* Reads `count` numbers > 0 after an option. */
static bool numbers_of(char **argv, int count, double *first, double *second)
{
    for (int i = 0; i < count; ++i) {
        char *end = NULL, text[300];
        double *value = i == 0 ? first : second;
        *value = argv[i + 1] ? strtod(argv[i + 1], &end) : 0;
        if (argv[i + 1] && end != argv[i + 1] && *end == '\0' && *value > 0 && *value <= 1e9) continue;
        snprintf(text, sizeof text, "%s: expected %s > 0, found '%s'", argv[0], count == 1 ? "a number" : "two numbers",
                 argv[i + 1] ? argv[i + 1] : "");
        return complain(text);
    }
    return true;
}

int main(int argc, char **argv)
{
    simkit_input input = { .name = "sample", .text = sample, .length = sizeof sample - 1 };
    plan p = { .runs = 5 };
    bool fine = true;

    for (int i = 1; i < argc && fine; ++i) {
        if (strcmp(argv[i], "--target") == 0)
            fine = numbers_of(argv + i, 2, &p.target, &p.target_work), i += 2;
        else if (strcmp(argv[i], "--most") == 0)
            fine = numbers_of(argv + i, 2, &p.most, &p.most_work), i += 2;
        else if (strcmp(argv[i], "--error") == 0)
            fine = numbers_of(argv + i, 1, &p.error, NULL), i += 1;
        else if (strcmp(argv[i], "--runs") == 0)
            fine = numbers_of(argv + i, 1, &p.runs, NULL), i += 1;
        else if (argv[i][0] != '-' && !input.path)
            input = (simkit_input){ .path = argv[i] };
        else
            return fputs(usage, strcmp(argv[i], "--help") == 0 ? stdout : stderr), strcmp(argv[i], "--help") != 0;
    }
    if (!fine) return 1;
    if (!input.path && !(p.target > 0)) {
        p.target = 256, p.target_work = p.most_work = 512, p.most = 32;
        if (!(p.error > 0)) p.error = 2;
    }
    if (!(p.target >= 1) || p.target > floor(p.target) || p.most > floor(p.most))
        return complain("expected --target PROCESSES WORK, with a whole number of processes, also of --most"), 1;
    if (!read_runs(&p, &input)) return 1;
    const bool limited = p.most > 0;
    for (size_t i = 0; i < p.count && !limited; ++i) {
        p.most = fmax(p.most, (double)p.run[i].processes);
        p.most_work = fmax(p.most_work, p.run[i].work);
    }
    fine = print_plan(&p);
    free(p.run);
    return !fine;
}

/* How long does an LU factorization take, and why? The same program runs for real, with direct execution, or with
 * modelled kernels; only --mode differs.
 *
 * build/factor --help lists the options. */
#define _POSIX_C_SOURCE 200809L
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "forecast.h"
#include "lu.h"
#include "options.h"
#include "record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RELEASES = 32 };

/* The command line: what to factor, and what to show. */
typedef struct job {
    options how;
    lu_desc what;
    lu_release releases[MOST_RELEASES];
    lu_costs costs;
    const char *kernels, *svg, *trace, *beside;
    lu_release question;
    bool csv, path, check;
    double slower;
    size_t seeds;
    interval next;            /* of the run, if it is known */
    unsigned doubts, reasons; /* of the forecast */
} job;

static const char usage[] =
    "factor [OPTIONS]: LU factorization with partial pivoting, in block columns, as a flow graph\n"
    "  --n ROWS --r COLUMNS         size of the matrix and of a block column; default: 2592 and 216\n"
    "  --pipelined                  P: streams instead of merges and splits\n"
    "  --window W                   FC: maximum number of multiplications of an iteration in progress\n"
    "  --parts P                    PM: products divided into P x P parts\n"
    "  --columns-on NODES           block columns are stored on the first NODES nodes; default: on all\n"
    "  --release NODES@ITERATION    release NODES nodes after ITERATION iterations; can be repeated\n"
    "  --ask NODES@ITERATION        does it pay to release them? Predicts the run with and without\n"
    "  --kernels FILE               costs of the kernels, as build/calibrate writes them; default: rates of the "
    "machine\n"
    "  --slower TIMES               with --kernels: processors that are slower by this factor; in real mode kernels\n"
    "                               fill their time by busy waiting\n"
    "  --seeds N                    simulated, on nodes with a quota or users: the median of N runs with different "
    "seeds,\n"
    "                               with intervals of the run: from these, from [operation calibration], and from "
    "draws\n"
    "                               of the machine's values that have an error, as '58 us +- 2 us'\n"
    "  --svg FILE, --trace FILE     timing diagram, and Chrome trace\n"
    "  --beside FILE                after a run, predicts it and draws both, on one axis\n"
    "  --path                       the critical path; with --beside also that of the prediction\n"
    "  --no-check                   skip the check of the factors, which gathers them on node 0\n"
    "  --csv                        one line: seconds, node seconds, efficiency, residual, 80 % and 95 % intervals, "
    "doubts\n";

/* Prints only the first of several errors, which is the cause. */
static bool fails(const char *why)
{
    static bool said;

    if (!said) fprintf(stderr, "factor: %s\n", *why ? why : "no memory");
    said = true;
    return false;
}

static bool wrong(const char *name, const char *value, const char *expected)
{
    fprintf(stderr, "factor: %s %s: expected %s\n", name, value ? value : "", expected);
    return false;
}

/*=============================================================================
 * MARK: - >>arguments
 *===========================================================================*/
static bool release(const char *text, lu_release *out)
{
    char nodes[12] = "";
    const char *at = text ? strchr(text, '@') : NULL;
    if (!at || at - text > 10) return false;
    memcpy(nodes, text, (size_t)(at - text));
    return options_number(nodes, 1, &out->nodes) && options_number(at + 1, 1, &out->after);
}

/* Takes an argument with a value; false: it is unknown or its value is invalid. */
static bool take_value(job *j, const char *name, const char *value)
{
    const struct {
        const char *name;
        size_t *number;
        size_t least;
    } numbers[] = {
        { "--n", &j->what.n, 1 },
        { "--r", &j->what.r, 1 },
        { "--window", &j->what.window, 1 },
        { "--parts", &j->what.parts, 1 },
        { "--columns-on", &j->what.column_nodes, 1 },
        { "--seeds", &j->seeds, 1 },
    };
    const struct {
        const char *name;
        const char **text;
    } texts[] = {
        { "--kernels", &j->kernels },
        { "--svg", &j->svg },
        { "--trace", &j->trace },
        { "--beside", &j->beside },
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (strcmp(name, numbers[i].name) == 0)
            return options_number(value, numbers[i].least, numbers[i].number) ||
                   wrong(name, value, "a whole number >= 1");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].text = value;
            return value || wrong(name, value, "a file");
        }
    if (strcmp(name, "--release") == 0) {
        if (j->what.release_count == MOST_RELEASES) return wrong(name, value, "at most 32 of them");
        return release(value, &j->releases[j->what.release_count++]) || wrong(name, value, "NODES@ITERATION");
    }
    if (strcmp(name, "--slower") == 0)
        return options_amount(value, 1, &j->slower) || wrong(name, value, "a number >= 1");
    if (strcmp(name, "--ask") == 0) return release(value, &j->question) || wrong(name, value, "NODES@ITERATION");
    fprintf(stderr, "factor: %s: unknown option; --help lists all\n", name);
    return false;
}

static bool take_arguments(job *j, int count, char **arguments)
{
    char why[200];
    for (int i = 1; i < count;) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
        const int taken = options_take(&j->how, name, value, why);
        bool *const flag = strcmp(name, "--pipelined") == 0 ? &j->what.pipelined
                           : strcmp(name, "--csv") == 0     ? &j->csv
                           : strcmp(name, "--path") == 0    ? &j->path
                                                            : NULL;
        if (taken < 0) return fails(why);
        if (taken > 0) {
            i += taken;
        } else if (flag) {
            *flag = true;
            ++i;
        } else if (strcmp(name, "--no-check") == 0) {
            j->check = false;
            ++i;
        } else {
            if (!take_value(j, name, value)) return false;
            i += 2;
        }
    }
    return true;
}

/* Finds the costs of the kernels, for modes that model them. */
static bool find_costs(job *j)
{
    const size_t parts = j->what.parts ? j->what.parts : 1;
    kernels_times times;
    char why[400];
    if (j->kernels) {
        int found = kernels_load(j->kernels, j->what.n, j->what.r, parts, &times);
        snprintf(why, sizeof why, "%.200s: %s n = %lu, r = %lu, parts = %lu", j->kernels,
                 found == 1 ? "cannot be read, for" : "has no line for", (unsigned long)j->what.n,
                 (unsigned long)j->what.r, (unsigned long)parts);
        if (found != 0 || lu_costs_of_kernels(&times, &j->costs) != SIMKIT_OK) return fails(why);
        lu_costs_slower(&j->costs, j->slower);
        j->what.costs = &j->costs;
        j->how.desc.paced = true;
    } else if (j->how.desc.machine &&
               lu_costs_of_machine(j->how.desc.machine, j->what.n, j->what.r, parts, &j->costs) == SIMKIT_OK) {
        j->what.costs = &j->costs;
    }
    return true;
}

/*=============================================================================
 * MARK: - >>answers
 *===========================================================================*/
static void print_outcome(const job *j, const lu_outcome *o, double residual)
{
    if (j->csv) {
        printf("%.9g,%.9g,%.6g,%.4g,%.9g,%.9g,%.9g,%.9g,%s\n", o->seconds, o->node_seconds,
               o->efficiency[o->iterations], residual, j->next.low[0], j->next.high[0], j->next.low[1], j->next.high[1],
               forecast_doubt_text(j->doubts));
        return;
    }
    printf("n = %lu, r = %lu, %s%s%s graph, %lu nodes; %s\n", (unsigned long)j->what.n, (unsigned long)j->what.r,
           j->what.pipelined ? "pipelined" : "basic", j->what.window ? ", flow control" : "",
           j->what.parts > 1 ? ", divided products" : "",
           (unsigned long)(j->how.desc.at_first ? j->how.desc.at_first : j->how.desc.nodes),
           options_mode_text(&j->how));
    printf("  running time   %12.6g s\n", o->seconds);
    if (interval_known(&j->next) || options_predict(&j->how))
        forecast_print(stdout, &j->next, j->reasons, j->what.costs ? NULL : "--kernels FILE or a machine with rates");
    if (j->doubts) printf("  doubtful: %s\n", forecast_doubt_text(j->doubts));
    printf("  node seconds   %12.6g s\n  efficiency     %11.1f %%\n", o->node_seconds,
           100 * o->efficiency[o->iterations]);
    if (!isnan(residual)) printf("  || P A - L U || / (n eps || A ||) = %.3g\n", residual);
    printf("  iteration   begins at [s]   efficiency\n");
    for (size_t k = 0; k < o->iterations; ++k) {
        char bar[41] = "";
        const double e = o->efficiency[k];
        memset(bar, '#', (size_t)(40 * (e > 0 ? fmin(e, 1) : 0) + 0.5));
        printf("  %9lu %15.6g %10.1f %%  %s\n", (unsigned long)k + 1, o->start[k], 100 * e, bar);
    }
}

/* One kind of piece of a critical path: its total length in this run and in the prediction. */
typedef struct share {
    record_kind kind;
    const char *name;
    double seconds[2];
} share;

enum { SHARES = 64 };

/* Adds up the pieces of a path by kind and name; returns the length of the path, or NaN. */
static double add_path(const flowgraph *graph, int run, share shares[SHARES], size_t *count)
{
    record_piece *pieces;
    size_t found;
    if (!record_critical_path(graph, &pieces, &found) || found == 0) return NAN;
    double end = pieces[found - 1].end;
    for (size_t i = 0; i < found; ++i) {
        size_t k = 0;
        while (k < *count && (shares[k].kind != pieces[i].kind || strcmp(shares[k].name, pieces[i].name) != 0)) ++k;
        if (k == SHARES) continue;
        if (k == *count) shares[(*count)++] = (share){ pieces[i].kind, pieces[i].name, { 0, 0 } };
        shares[k].seconds[run] += pieces[i].end - pieces[i].begin;
    }
    free(pieces);
    return end;
}

/* Prints the pieces of the critical path, the longest first, beside those of another run, if there is one. */
static bool print_path(const flowgraph *graph, const flowgraph *other, size_t nodes)
{
    static const char *const kinds[] = { "computing", "on the way to", "in the queue for" };
    share shares[SHARES];
    size_t count = 0;
    const double end = add_path(graph, 0, shares, &count), other_end = other ? add_path(other, 1, shares, &count) : 1;

    if (isnan(end) || isnan(other_end)) return fails("no record of the run");
    for (int i = 0; i < (other ? 2 : 1); ++i) {
        printf("  CPU time of nodes [s]%s", i ? ", predicted" : "");
        for (size_t node = 0; node < nodes; ++node) printf(" %.4g", flowgraph_processor_time(i ? other : graph, node));
        printf("\n");
    }
    printf("  critical path                     %10s%s\n", "this run", other ? "               predicted" : "");
    while (count > 0) {
        size_t most = 0;
        for (size_t k = 1; k < count; ++k)
            if (fmax(shares[k].seconds[0], shares[k].seconds[1]) >
                fmax(shares[most].seconds[0], shares[most].seconds[1]))
                most = k;
        if (fmax(shares[most].seconds[0] / end, shares[most].seconds[1] / other_end) < 1e-3) break;
        printf("    %-17s %-12s %10.4f s %5.1f %%", kinds[shares[most].kind], shares[most].name,
               shares[most].seconds[0], 100 * shares[most].seconds[0] / end);
        if (other) printf(" %12.4f s %5.1f %%", shares[most].seconds[1], 100 * shares[most].seconds[1] / other_end);
        printf("\n");
        shares[most] = shares[--count];
    }
    return true;
}

/* Simulates the run with modelled kernels, without output. */
static bool predict(const job *j, const lu_desc *what, uint64_t seed, lu_outcome *outcome)
{
    flowgraph_desc how = options_simulated(&j->how);
    flowgraph *graph = NULL;
    lu *all = NULL;
    char why[200] = "";
    how.seed = seed;
    how.record = what->n / what->r <= 64; /* a large run's record would need more memory than all the rest */
    bool done = flowgraph_open(&how, &graph) == FLOWGRAPH_OK && lu_open(graph, what, &all, why) == FLOWGRAPH_OK &&
                lu_factor(all, outcome) == FLOWGRAPH_OK;
    if (!done) fails(*why ? why : graph ? flowgraph_why(graph) : "no memory");
    flowgraph_close(graph);
    return done;
}

/* Answers --ask: does it pay to release nodes? */
static bool answer(const job *j)
{
    lu_release releases[MOST_RELEASES + 1];
    lu_desc with = j->what, without = j->what;
    lu_outcome keep, give;
    size_t place = 0;
    if (!j->what.costs) return fails("--ask needs --kernels FILE or a machine with rates");
    while (place < j->what.release_count && j->releases[place].after < j->question.after) ++place;
    memcpy(releases, j->releases, sizeof j->releases);
    memmove(releases + place + 1, releases + place, (j->what.release_count - place) * sizeof *releases);
    releases[place] = j->question;
    with.releases = releases;
    ++with.release_count;
    if (!predict(j, &without, j->how.desc.seed, &keep) || !predict(j, &with, j->how.desc.seed, &give)) return false;
    printf("%lu of %lu nodes released after iteration %lu\n"
           "             running time   node seconds   efficiency\n"
           "  kept       %10.5g s   %10.5g s   %8.1f %%\n"
           "  released   %10.5g s   %10.5g s   %8.1f %%\n"
           "  %+.2f %% time for %+.2f %% node seconds: %s\n",
           (unsigned long)j->question.nodes, (unsigned long)j->how.desc.nodes, (unsigned long)j->question.after,
           keep.seconds, keep.node_seconds, 100 * keep.efficiency[keep.iterations], give.seconds, give.node_seconds,
           100 * give.efficiency[give.iterations], 100 * (give.seconds / keep.seconds - 1),
           100 * (give.node_seconds / keep.node_seconds - 1),
           give.node_seconds < keep.node_seconds ? "it pays for the cluster" : "it does not pay");
    puts("  no interval: without --ask, --seeds N prints that of either run");
    return true;
}

/*=============================================================================
 * MARK: - >>running
 *===========================================================================*/
static bool predict_seed(void *user, uint64_t seed, double *seconds)
{
    const job *j = (const job *)user;
    lu_outcome outcome;
    if (!predict(j, &j->what, seed, &outcome)) return false;
    *seconds = outcome.seconds;
    return true;
}

static bool draw_machine(void *user, unsigned draw)
{
    job *j = (job *)user;
    char why[200];
    return (options_draw(&j->how, draw, why) || fails(why)) && (j->kernels || find_costs(j));
}

/* Chooses the seed that has the median running time. */
static bool choose_seed(job *j)
{
    const forecast_desc desc = { .seeds = j->seeds,
                                 .machine = j->how.machine,
                                 .simulate = predict_seed,
                                 .user = j,
                                 .draw = draw_machine,
                                 .nodes = j->how.desc.nodes };
    forecast found;

    if (!j->what.costs) return fails("--seeds needs --kernels FILE or a machine with rates");
    if (!forecast_make(&desc, &found)) return fails("no memory"); /* unless a simulation has failed, and said why */
    j->how.desc.seed = found.seed;
    j->next = found.next;
    j->doubts = found.doubts;
    j->reasons = found.reasons;
    return true;
}

/* Predicts the same run and draws both. */
static bool draw_beside(const job *j, const flowgraph *graph, double seconds)
{
    flowgraph_desc desc = options_simulated(&j->how);
    flowgraph *predicted = NULL;
    lu *all = NULL;
    lu_outcome outcome;
    char why[200] = "", title[160];
    bool done = false;
    if (!j->what.costs) return fails("--beside needs --kernels FILE or a machine with rates");
    desc.record = true;
    if (flowgraph_open(&desc, &predicted) == FLOWGRAPH_OK && lu_open(predicted, &j->what, &all, why) == FLOWGRAPH_OK &&
        lu_factor(all, &outcome) == FLOWGRAPH_OK) {
        const record_run runs[2] = { { graph, "run:" }, { predicted, "predicted:" } };
        snprintf(title, sizeof title, "LU, n = %lu, r = %lu: %.4g s, predicted %.4g s (%+.1f %%)",
                 (unsigned long)j->what.n, (unsigned long)j->what.r, seconds, outcome.seconds,
                 100 * (outcome.seconds / seconds - 1));
        done = record_draw(runs, 2, title, j->beside, NULL, why) == FLOWGRAPH_OK;
        if (j->path) done = print_path(graph, predicted, j->how.desc.nodes) && done;
    }
    if (!done) fails(*why ? why : flowgraph_why(predicted));
    flowgraph_close(predicted);
    return done;
}

static bool run(job *j)
{
    flowgraph *graph = NULL;
    lu *all = NULL;
    lu_outcome outcome;
    lu_desc what = j->what;
    double residual = NAN;
    char why[200] = "", title[160];
    bool done = false;
    memset(&outcome, 0, sizeof outcome);
    if (j->seeds > 1 && !j->beside && !choose_seed(j)) return false;
    j->how.desc.record = what.n / what.r <= 64 || j->path || j->svg || j->trace;
    if (flowgraph_open(&j->how.desc, &graph) == FLOWGRAPH_OK && lu_open(graph, &what, &all, why) == FLOWGRAPH_OK &&
        lu_create(all) == FLOWGRAPH_OK) {
        options_rest(&j->how);
        done = lu_factor(all, &outcome) == FLOWGRAPH_OK;
    }
    if (done) {
        snprintf(title, sizeof title, "LU factorization, n = %lu, r = %lu, %s: %.4g s", (unsigned long)what.n,
                 (unsigned long)what.r, options_mode_text(&j->how), outcome.seconds);
        if (j->svg || j->trace)
            done = record_draw(&(record_run){ graph, NULL }, 1, title, j->svg, j->trace, why) == FLOWGRAPH_OK;
        if (j->path && !j->beside) done = print_path(graph, NULL, j->how.desc.nodes) && done;
        if (j->beside && j->seeds > 1) done = choose_seed(j) && done; /* of the prediction */
        if (j->beside) done = draw_beside(j, graph, outcome.seconds) && done;
        if (j->check) {
            const flowgraph_result checked = lu_check(all, &residual);
            if (checked == FLOWGRAPH_NO_MEMORY && !*why) snprintf(why, sizeof why, "no memory to check the factors");
            done = checked == FLOWGRAPH_OK && done;
        }
        print_outcome(j, &outcome, residual);
        if (residual > 16) done = fails("the factors are wrong: the residual is larger than 16");
    }
    if (!done) fails(*why ? why : graph ? flowgraph_why(graph) : "no memory");
    flowgraph_close(graph);
    return done;
}

int main(int count, char **arguments)
{
    static job j;

    options_begin(&j.how, arguments);
    j.what.n = 2592;
    j.what.r = 216;
    j.what.releases = j.releases;
    j.check = true;
    j.slower = 1;
    j.next = interval_none();
    if (count == 2 && strcmp(arguments[1], "--help") == 0) {
        printf("%s%s", usage, options_usage);
        return 0;
    }
    bool done = take_arguments(&j, count, arguments) && find_costs(&j);
    if (j.how.desc.nodes == 0) j.how.desc.nodes = 1;
    done = done && (j.question.nodes ? answer(&j) : run(&j));
    options_end(&j.how);
    return !done;
}

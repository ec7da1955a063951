/* How long does a program of the cluster server take by itself? It runs for real, with direct execution, or with modelled
 * kernels; only --mode differs.
 *
 * build/alone --help lists the options. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "../flowgraph/forecast.h"
#include "../flowgraph/options.h"
#include "../flowgraph/record.h"
#include "programs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct task {
    options how;
    const char *name;
    char arguments[200]; /* of the program */
    size_t seeds;
    bool csv;
} task;

static const char usage[] =
    "alone PROGRAM [KEY=VALUE ...] [OPTIONS]: a program of the cluster server by itself\n"
    "  lu n=1296 r=162, stencil n=1024 blocks=16 depth=8 iterations=10, or farm tasks=64 rounds=6\n"
    "  candidates=1000000 seed=1; these are the defaults. Rates of kernels are in the machine file.\n"
    "  --seeds N                    predicted: the median of N simulations, with intervals of the next run; these "
    "carry\n"
    "                               through the machine's values that have an error, as '58 us +- 2 us'\n"
    "  --csv                        one line: seconds, 80 % and 95 % intervals, doubts\n";

static bool fails(const char *why)
{
    static bool said; /* only the first of several errors is printed, which is the cause */

    if (!said) fprintf(stderr, "alone: %s\n", why);
    said = true;
    return false;
}

/* Runs the program once; the last of its stages is timed. */
static bool run(const task *t, const flowgraph_desc *how, double *seconds)
{
    const program_desc desc = { .name = t->name, .arguments = t->arguments, .machine = how->machine };
    flowgraph *graph = NULL;
    program p;
    char why[200] = "";
    flowgraph_result result = flowgraph_open(how, &graph);

    if (result == FLOWGRAPH_OK) result = program_open(graph, &desc, &p, why);
    for (unsigned i = 0; result == FLOWGRAPH_OK && i < p.stages; ++i) {
        result = flowgraph_start(graph, p.entries[i], 0, NULL); /* nodes have come */
        if (i + 1 == p.stages && how->mode == t->how.desc.mode) options_rest(&t->how);
        if (result == FLOWGRAPH_OK) result = flowgraph_run(graph, seconds);
    }
    if (result != FLOWGRAPH_OK) fails(*why ? why : graph ? flowgraph_why(graph) : "no memory");
    flowgraph_close(graph);
    return result == FLOWGRAPH_OK;
}

static bool simulate(void *user, uint64_t seed, double *seconds)
{
    const task *t = (const task *)user;
    flowgraph_desc how = options_simulated(&t->how);
    how.seed = seed;
    return run(t, &how, seconds);
}

static bool draw_machine(void *user, unsigned draw)
{
    char why[200];
    return options_draw(&((task *)user)->how, draw, why) || fails(why);
}

static bool take_arguments(task *t, int count, char **arguments)
{
    char why[200];

    for (int i = 1; i < count;) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
        const int taken = options_take(&t->how, name, value, why);
        const size_t length = strlen(t->arguments);
        if (taken < 0) return fails(why);
        i += taken;
        if (taken > 0) continue;
        i += strcmp(name, "--seeds") == 0 ? 2 : 1;
        if (strcmp(name, "--seeds") == 0) {
            if (!options_number(value, 1, &t->seeds)) return fails("--seeds: expected a whole number >= 1");
        } else if (strcmp(name, "--csv") == 0) {
            t->csv = true;
        } else if (name[0] == '-') {
            snprintf(why, sizeof why, "%.60s: unknown option; --help lists all", name);
            return fails(why);
        } else if (!t->name) {
            t->name = name;
        } else if (length + strlen(name) + 2 > sizeof t->arguments) {
            return fails("the arguments of the program are too long");
        } else {
            snprintf(t->arguments + length, sizeof t->arguments - length, "%s%s", length > 0 ? " " : "", name);
        }
    }
    return t->name ? program_check(t->name, t->arguments, NULL, NULL, why) || fails(why)
                   : fails("a program is needed; --help lists them");
}

int main(int count, char **arguments)
{
    static task t;
    forecast found = { .seconds = NAN, .next = interval_none() };
    bool done;

    options_begin(&t.how, arguments);
    if (count == 2 && strcmp(arguments[1], "--help") == 0) {
        printf("%s%s", usage, options_usage);
        return 0;
    }
    done = take_arguments(&t, count, arguments);
    if (done && t.seeds > 0 && !t.how.machine) done = fails("--seeds needs --machine");
    t.how.desc.paced = t.how.machine != NULL; /* real kernels take the times of its rates */
    if (t.how.desc.nodes == 0) t.how.desc.nodes = 1;
    if (done && t.seeds > 0) {
        const forecast_desc desc = { .seeds = t.seeds,
                                     .machine = t.how.machine,
                                     .simulate = simulate,
                                     .user = &t,
                                     .draw = draw_machine,
                                     .nodes = t.how.desc.nodes };
        done = forecast_make(&desc, &found) || fails("no memory");
    } else if (done) {
        done = run(&t, &t.how.desc, &found.seconds);
    }
    if (done && t.csv) {
        printf("%.9g,%.9g,%.9g,%.9g,%.9g,%s\n", found.seconds, found.next.low[0], found.next.high[0], found.next.low[1],
               found.next.high[1], forecast_doubt_text(found.doubts));
    } else if (done) {
        printf("%s %s, %lu nodes; %s\n  running time   %12.6g s\n", t.name, t.arguments,
               (unsigned long)t.how.desc.nodes, options_mode_text(&t.how), found.seconds);
        if (interval_known(&found.next) || options_predict(&t.how))
            forecast_print(stdout, &found.next, found.reasons, t.how.machine ? NULL : "--machine FILE");
        if (found.doubts) printf("  doubtful: %s\n", forecast_doubt_text(found.doubts));
    }
    options_end(&t.how);
    return !done;
}

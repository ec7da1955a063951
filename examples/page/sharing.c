/* sharing.c - Sharing: who slows whom down on one processor, or on one link? */
#include "module.h"

#include "simkit.h"

#include "../svg.h"

#include <string.h>

enum { JOBS = 3 };
enum { PROCESSOR, LINK };
enum { RESOURCE, B_START, B_SIZE, C_START, C_SIZE, CONTROLS };

static const char *const resources[] = { "processor", "link into one node" };
static const char *const names[JOBS] = { "a", "b", "c" };
static const char *const end_keys[JOBS] = { "a_end", "b_end", "c_end" };
static const char *const lost_keys[JOBS] = { "a_lost", "b_lost", "c_lost" };
static const double bandwidth = 12.5e6; /* of the link [B/s] */

static const module_control controls[CONTROLS] = {
    { "what", "What is shared", MODULE_CHOICE, NULL, "processor", 0, 1, false, resources, NULL },
    { "b_start", "b starts at", MODULE_QUANTITY, "s", "1 s", 0, 10, false, NULL, NULL },
    { "b_size", "b takes, alone", MODULE_QUANTITY, "s", "2 s", 0.1, 10, false, NULL, NULL },
    { "c_start", "c starts at", MODULE_QUANTITY, "s", "4 s", 0, 10, false, NULL, NULL },
    { "c_size", "c takes, alone", MODULE_QUANTITY, "s", "1 s", 0.1, 10, false, NULL, NULL },
};

/*=============================================================================
 * MARK: - >>jobs
 *===========================================================================*/

/* A job that computes, or a transfer. */
typedef struct job {
    double start, size, end; /* [s]; size: alone */
    bool link;
    simkit_node from, to;
    const char *name;
} job;

static void sharing__ends(simkit_world *world, void *user)
{
    ((job *)user)->end = simkit_clock_now(world);
}

static void sharing__begins(simkit_world *world, void *user)
{
    job *j = (job *)user;
    simkit_result result;
    if (j->link) {
        const simkit_transfer_desc desc = { .from = j->from,
                                            .to = j->to,
                                            .bytes = j->size * bandwidth,
                                            .name = j->name,
                                            .done = sharing__ends,
                                            .user = j };
        result = simkit_transfer_start(world, &desc, NULL);
    } else {
        const simkit_computation_desc desc = {
            .node = j->to, .seconds = j->size, .name = j->name, .done = sharing__ends, .user = j
        };
        result = simkit_computation_start(world, &desc, NULL);
    }
    if (result != SIMKIT_OK) simkit_world_stop(world);
}

static bool sharing__simulate(job jobs[JOBS], module_answer *a)
{
    const simkit_node_desc computer = { .up_bandwidth = bandwidth, .down_bandwidth = bandwidth };
    simkit_world *world;
    simkit_node shared;
    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return module_fail(a, "no memory for a world");
    simkit_result result = simkit_node_add(world, &computer, &shared);
    for (int i = 0; i < JOBS && result == SIMKIT_OK; ++i) {
        jobs[i].to = shared;
        result = simkit_node_add(world, &computer, &jobs[i].from);
        if (result == SIMKIT_OK) result = simkit_step_at(world, jobs[i].start, 0, sharing__begins, &jobs[i], NULL);
    }
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (result != SIMKIT_OK) module_fail(a, "%s", simkit_world_why(world));
    simkit_world_close(world);
    return result == SIMKIT_OK;
}

static double sharing__slowdown(const job *j)
{
    return (j->end - j->start) / j->size;
}

/* Counts the jobs that run just after a time. */
static int sharing__running(const job jobs[JOBS], double time)
{
    int k = 0;
    for (int i = 0; i < JOBS; ++i) k += jobs[i].start <= time && time < jobs[i].end;
    return k;
}

/* Gives the times at which a job begins or ends, ascending. */
static void sharing__moments(const job jobs[JOBS], double times[2 * JOBS])
{
    for (int i = 0; i < 2 * JOBS; ++i) {
        const double time = i < JOBS ? jobs[i].start : jobs[i - JOBS].end;
        int k = i;
        for (; k > 0 && times[k - 1] > time; --k) times[k] = times[k - 1];
        times[k] = time;
    }
}

/*=============================================================================
 * MARK: - >>picture and data
 *===========================================================================*/

/* Draws a row for each job, as high as its share. */
static bool sharing__draw(const module_run *run, const job jobs[JOBS], const double times[2 * JOBS])
{
    char path[512];
    svg s;
    svg_open(&s, module_path(run, "picture.svg", path),
             jobs[0].link ? "Three transfers into one node: the share of the link that each has"
                          : "Three jobs on one processor: the share of it that each has",
             900, 330);
    s.legend_left = 750;
    svg_plot(&s, 60, 720, (svg_axis){ .label = "time [s]", .to = times[2 * JOBS - 1] },
             (svg_axis){ .rows = true, .to = JOBS, .names = names });
    for (int i = 0; i < JOBS; ++i) {
        const double base = i + 0.95, high = 0.85;
        svg_begin(&s, SVG_AREA, svg_colours[i], names[i]);
        svg_at(&s, jobs[i].start, base);
        for (int m = 0; m + 1 < 2 * JOBS; ++m) {
            if (times[m] < jobs[i].start || times[m] >= jobs[i].end) continue;
            const double share = 1. / sharing__running(jobs, times[m]);
            svg_at(&s, times[m], base - high * share);
            svg_at(&s, times[m + 1], base - high * share);
        }
        svg_at(&s, jobs[i].end, base);
        svg_end(&s);
    }
    return svg_close(&s);
}

static bool sharing__write_data(const module_run *run, const job jobs[JOBS], module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "job,start [s],alone [s],end [s],slowdown [1]\n");
    for (int i = 0; i < JOBS; ++i)
        fprintf(file, "%s,%.17g,%.17g,%.17g,%.17g\n", names[i], jobs[i].start, jobs[i].size, jobs[i].end,
                sharing__slowdown(&jobs[i]));
    return module_close(file, "data.csv", a);
}

/*=============================================================================
 * MARK: - >>answer
 *===========================================================================*/

/* Adds the formula and the numbers. */
static void sharing__add_numbers(const job jobs[JOBS], double idle, module_answer *a)
{
    size_t used = 0;
    for (int i = 0; i < JOBS; ++i)
        used += (size_t)snprintf(a->formula + used, sizeof a->formula - used,
                                 "%sslowdown of %s = (end - start) / alone = (%s - %s) / %s = %.3g", i > 0 ? "\n" : "",
                                 names[i], module_word(a, jobs[i].end, "s"), module_word(a, jobs[i].start, "s"),
                                 module_word(a, jobs[i].size, "s"), sharing__slowdown(&jobs[i]));
    for (int i = 0; i < JOBS; ++i) module_add(a, end_keys[i], "s", jobs[i].end, "%s ends at", names[i]);
    for (int i = 0; i < JOBS; ++i)
        module_add(a, lost_keys[i], "s", jobs[i].end - jobs[i].start - jobs[i].size, "%s loses to the others",
                   names[i]);
    module_add(a, "idle", "s", idle, "Nobody runs, between the first start and the last end");
}

/* Gives the three sentences, and describes the picture. `most` is the maximum number of jobs at once. */
static void sharing__explain(const job jobs[JOBS], int most, module_answer *a)
{
    const char *const what = jobs[0].link ? "link" : "processor";
    double slowest = 0, work = 0;
    int worst = 0;
    for (int i = 0; i < JOBS; ++i) {
        const double slowdown = sharing__slowdown(&jobs[i]);
        if (slowdown > slowest) slowest = slowdown, worst = i;
        work += jobs[i].size;
    }
    module_because(a, 0, "While k jobs are there, each gets 1/k of the %s; here there are up to %d at once.", what,
                   most);
    if (slowest > 1 + 1e-9)
        module_because(
            a, 1,
            "%s suffers most, %.3g times as long as alone: what one job loses depends on when the others come, "
            "not only on how large they are.",
            names[worst], slowest);
    else
        module_because(a, 1, "No two jobs are there at the same time, so nobody is slowed down.");
    module_because(
        a, 2, "Sharing loses nothing as a whole: the %s works for %s, the sum of the three, in any order of starts.",
        what, module_word(a, work, "s"));
    module_show(
        a, "picture.svg",
        "A row for each of three jobs over time; the height is the share it gets. a runs from 0 s to %s, b from "
        "%s to %s, c from %s to %s.",
        module_word(a, jobs[0].end, "s"), module_word(a, jobs[1].start, "s"), module_word(a, jobs[1].end, "s"),
        module_word(a, jobs[2].start, "s"), module_word(a, jobs[2].end, "s"));
}

static bool sharing__answer(const module_run *run, module_answer *a)
{
    const double *v = run->values->value;
    job jobs[JOBS] = { { .start = 0, .size = 3 },
                       { .start = v[B_START], .size = v[B_SIZE] },
                       { .start = v[C_START], .size = v[C_SIZE] } };
    double times[2 * JOBS], idle = 0;
    int most = 0;

    for (int i = 0; i < JOBS; ++i) {
        jobs[i].link = (int)v[RESOURCE] == LINK;
        jobs[i].name = names[i];
    }
    if (!sharing__simulate(jobs, a)) return false;
    sharing__moments(jobs, times);
    for (int m = 0; m < 2 * JOBS; ++m) {
        const int k = sharing__running(jobs, times[m]);
        if (k > most) most = k;
        if (m + 1 < 2 * JOBS && k == 0) idle += times[m + 1] - times[m];
    }
    sharing__add_numbers(jobs, idle, a);
    if (!sharing__draw(run, jobs, times)) return module_fail(a, "cannot write the picture");
    if (!sharing__write_data(run, jobs, a)) return false;
    sharing__explain(jobs, most, a);
    return true;
}

const module module_sharing = { "sharing", controls, CONTROLS, false, sharing__answer, NULL, NULL };

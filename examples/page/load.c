/* load.c - Load average: people come and go; what does the machine report, and does it predict the time of a job? */
#include "module.h"

#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"

#include "../svg.h"

#include <string.h>

/* The job starts after five hours, when the longest window is full, and a run ends five minutes after it and its prediction,
 * or six hours after its start. A sample is taken every five seconds, from half an hour before the job. */
static const double starts = 5 * 3600, before = 1800, after = 300, most_after = 6 * 3600, interval = 5;
enum { SAMPLES = 720 / 2 + 6 * 720 + 2 };

static const module_control controls[] = {
    { "every", "A process comes every (mean)", MODULE_QUANTITY, "s", "60 s", 1, 3600, true, NULL, NULL },
    { "each", "and needs CPU time (mean)", MODULE_QUANTITY, "s", "45 s", 0.1, 3600, true, NULL, NULL },
    { "window", "Window of the load average", MODULE_QUANTITY, "s", "60 s", 1, 3600, true, NULL, NULL },
    { "job", "Our job needs CPU time", MODULE_QUANTITY, "s", "300 s", 1, 3600, true, NULL, NULL },
    { "seed", "Day number", MODULE_WHOLE, "days", "3", 1, 1000, false, NULL, NULL },
};

/* What happens on a day. */
typedef struct day {
    simkit_world *world;
    simkit_node node;
    const double *windows; /* windows[count] of the load averages [s] */
    double *loads;         /* loads[count] when the job starts [1] */
    size_t count;
    double job, took; /* the job: CPU time [s]; how long it takes [s], NaN: too long */
    simkit_step next;
    size_t samples;                            /* of the next two; none of a study */
    bool draws;                                /* whether they are kept */
    double running[SAMPLES], average[SAMPLES]; /* every `interval` */
    bool failed;
} day;

static void ends(simkit_world *world, void *user)
{
    ((day *)user)->took = simkit_clock_now(world) - starts;
}

static double load_of(const day *d, double window)
{
    return simkit_load_average(d->world, d->node, contention_load_beta_window(window, 1), 1);
}

static void comes(simkit_world *world, void *user)
{
    day *d = (day *)user;
    for (size_t i = 0; i < d->count; ++i) d->loads[i] = load_of(d, d->windows[i]);
    d->failed |= simkit_computation_start(
                     world, &(simkit_computation_desc){ .node = d->node, .seconds = d->job, .done = ends, .user = d },
                     NULL) != SIMKIT_OK;
}

static void sample(simkit_world *world, void *user)
{
    day *d = (day *)user;
    if (d->samples == SAMPLES) return;
    d->running[d->samples] = simkit_load_average(world, d->node, 0, 1);
    d->average[d->samples++] = load_of(d, d->windows[0]);
    d->failed |= simkit_step_after(world, interval, 0, sample, d, &d->next) != SIMKIT_OK;
    simkit_step_background(world, d->next);
}

/* One day; the sentence of what failed is in the answer. */
static bool live(day *d, double every, double each, double job, uint64_t seed, module_answer *a)
{
    const simkit_world_desc desc = { .seed = seed };
    if (simkit_world_open(&desc, &d->world) != SIMKIT_OK) return module_fail(a, "no memory for a world");
    d->samples = 0;
    d->failed = false;
    d->job = job;
    d->took = (double)NAN;
    simkit_result result = simkit_node_add(d->world, NULL, &d->node);
    const simkit_arrivals_desc people = { .node = d->node,
                                          .rate = 1 / every,
                                          .demand = { .law = SIMKIT_LAW_EXPONENTIAL, .mean = each } };
    if (result == SIMKIT_OK) result = simkit_load_record(d->world, d->node);
    if (result == SIMKIT_OK) result = simkit_arrivals_start(d->world, &people, NULL);
    if (result == SIMKIT_OK) result = simkit_step_at(d->world, starts, 0, comes, d, NULL);
    if (result == SIMKIT_OK && d->draws) result = simkit_step_at(d->world, starts - before, 0, sample, d, NULL);
    double until = 0;
    for (int slice = 0; result == SIMKIT_OK && until < most_after; ++slice) {
        const double wanted = fmax(d->took, job * (1 + d->loads[0]));
        if (slice > 0 && !isnan(d->took) && (!d->draws || until >= wanted + after)) break;
        until = fmin((slice + 1) * after, most_after);
        result = simkit_world_run_until(d->world, starts + until);
    }
    if (result != SIMKIT_OK) module_fail(a, "%s", simkit_world_why(d->world));
    if (result == SIMKIT_OK && d->failed) module_fail(a, "no memory for a day");
    simkit_world_close(d->world);
    return result == SIMKIT_OK && !d->failed;
}

/* Minutes since the job came. */
static double minutes(size_t sample)
{
    return ((double)sample * interval - before) / 60;
}

static bool draw(const module_run *run, const day *d, double predicted)
{
    char path[512], name[64], text[MODULE_TEXT];
    const double until = minutes(d->samples - 1);
    double most = 2;
    svg s;
    for (size_t i = 0; i < d->samples; ++i) most = fmax(most, d->running[i]);
    svg_open(&s, module_path(run, "picture.svg", path),
             "Processes on a workstation, and the load average that it reports", 1000, 380);
    s.legend_left = 800;
    svg_plot(&s, 60, 770, (svg_axis){ .label = "time since our job came [min]", .from = -before / 60, .to = until },
             (svg_axis){ .label = "processes", .to = 1.1 * most });
    svg_begin(&s, SVG_AREA, "#bbbbbb", "on the machine");
    svg_at(&s, minutes(0), 0);
    for (size_t i = 0; i < d->samples; ++i) {
        if (i > 0) svg_at(&s, minutes(i), d->running[i - 1]);
        svg_at(&s, minutes(i), d->running[i]);
    }
    svg_at(&s, until, 0);
    svg_end(&s);
    snprintf(name, sizeof name, "load, %s", module_text(d->windows[0], "s", text));
    svg_begin(&s, SVG_LINE, svg_colours[1], name);
    for (size_t i = 0; i < d->samples; ++i) svg_at(&s, minutes(i), d->average[i]);
    svg_end(&s);
    svg_begin(&s, SVG_WIDE, svg_colours[0], "our job");
    svg_at(&s, 0, 0.04 * most);
    svg_at(&s, isnan(d->took) ? until : d->took / 60, 0.04 * most);
    svg_end(&s);
    svg_begin(&s, SVG_DASHED, svg_colours[0], "its prediction");
    svg_at(&s, 0, 0.12 * most);
    svg_at(&s, fmin(predicted / 60, until), 0.12 * most);
    svg_end(&s);
    return svg_close(&s);
}

static bool write_data(const module_run *run, const day *d, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "time since our job came [s],processes [1],load average [1]\n");
    for (size_t i = 0; i < d->samples; ++i)
        fprintf(file, "%.17g,%.17g,%.17g\n", (double)i * interval - before, d->running[i], d->average[i]);
    return module_close(file, "data.csv", a);
}

static bool answer(const module_run *run, module_answer *a)
{
    static day d; /* large, and used by one run at a time */
    const double *v = run->values->value, every = v[0], each = v[1], window = v[2], job = v[3];
    double load = 0;

    memset(&d, 0, sizeof d);
    d.windows = &window;
    d.loads = &load;
    d.count = 1;
    d.draws = true;
    if (!live(&d, every, each, job, (uint64_t)v[4], a)) return false;
    const double predicted = job * (1 + load), took = d.took, beta = contention_load_beta_window(window, 1),
                 busy = each / every;
    if (!draw(run, &d, predicted)) return module_fail(a, "cannot write the picture");
    if (!write_data(run, &d, a)) return false;

    const char *const c = module_word(a, job, "s"), *const t = module_word(a, predicted, "s"),
                      *const l = module_word(a, load, "1");
    snprintf(a->formula, sizeof a->formula,
             "load(t + 1 s) = beta load(t) + (1 - beta) processes(t),  beta = N / (N + 1) = %.5g for N = %.4g\n"
             "T = c (1 + load) = %s x (1 + %s) = %s",
             beta, window, c, l, t);
    module_add(a, "load", "1", load, "Load average when our job comes");
    module_add(a, "predicted", "s", predicted, "Predicted time of our job");
    module_add(a, "took", "s", took, "It took");
    module_add(a, "error", "%", predicted / took - 1, "Error of the prediction");
    module_add(a, "busy", "%", busy, "Processor time that the others want");
    module_because(
        a, 0, "A load of %s means that so many processes share the processor with us: each gets 1 / (1 + load).", l);
    if (isnan(took) && busy >= 1)
        module_because(a, 1,
                       "The job did not end within six hours: the others want %s of the processor, so ever more of "
                       "them wait.",
                       module_word(a, busy, "%"));
    else if (isnan(took))
        module_because(a, 1, "The job did not end within six hours: the others want %s of the processor.",
                       module_word(a, busy, "%"));
    else
        module_because(a, 1, "The prediction is %s: it takes the load of the past %s for that of the next %s.",
                       fabs(predicted / took - 1) < 0.05 ? "right within 5 %"
                       : predicted < took                ? "too short"
                                                         : "too long",
                       module_word(a, window, "s"), module_word(a, took, "s"));
    const char *reason = "The window is about as long as the job, which is a fair choice when nothing else is known.";
    if (window > 3 * job)
        reason =
            "The window is long compared with the job: it shows the mean over that time, but not who is there now.";
    else if (window < 0.3 * job && load < 0.05)
        reason = "The window is short compared with the job: it shows that almost nobody is there now, but not who "
                 "will come.";
    else if (window < 0.3 * job && each < 0.3 * job)
        reason = "The window is short compared with the job: it shows who is there now, and many of them leave before "
                 "the job "
                 "ends.";
    else if (window < 0.3 * job)
        reason = "The window is short compared with the job: it shows who is there now, and they stay, because they "
                 "need as much "
                 "CPU time as the job or nearly so.";
    module_because(a, 2, "%s", reason);
    module_show(a, "picture.svg",
                "Processes on the machine over time, as an area, with the load average as a line. Our job comes when "
                "the load is "
                "%s; it was predicted to take %s.",
                l, t);
    return true;
}

/*=============================================================================
 * MARK: - >>study
 *===========================================================================*/
enum { WINDOWS = 9, DAYS = 400 };
static const double windows[WINDOWS] = { 1, 5, 15, 60, 180, 300, 900, 1800, 3600 };

static bool study(const module_run *run, module_answer *a)
{
    static day d;
    static double loads[WINDOWS];
    double error[WINDOWS] = { 0 }, best = (double)INFINITY, ended = 0, most = 0;
    const double *v = run->values->value, job = v[3];
    char path[512], name[40];
    int which = 0;
    svg s;

    memset(&d, 0, sizeof d);
    d.windows = windows;
    d.loads = loads;
    d.count = WINDOWS;
    for (int i = 0; i < DAYS; ++i) {
        if (run->progress) run->progress(run->user, (double)i / DAYS);
        if (!live(&d, v[0], v[1], job, (uint64_t)v[4] + (uint64_t)i, a)) return false;
        if (isnan(d.took)) continue;
        ++ended;
        for (int w = 0; w < WINDOWS; ++w) error[w] += fabs(job * (1 + loads[w]) / d.took - 1);
    }
    if (run->progress) run->progress(run->user, 1);
    if (2 * ended < DAYS)
        return module_fail(
            a, "the job ends within six hours on %.0f of %d days only: let others come less often, or need less", ended,
            DAYS);
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "window [s],mean error [1]\n");
    for (int w = 0; w < WINDOWS; ++w) {
        error[w] /= ended;
        fprintf(file, "%.17g,%.17g\n", windows[w], error[w]);
        most = fmax(most, error[w]);
        if (error[w] < best) best = error[w], which = w;
    }
    if (!module_close(file, "data.csv", a)) return false;
    svg_open(&s, module_path(run, "picture.svg", path), "Error of the prediction by the window of the load average",
             900, 380);
    svg_plot(&s, 80, 720, (svg_axis){ .label = "window", .from = 1, .to = 3600, .unit = "s" },
             (svg_axis){ .label = "mean error [%]", .to = 110 * most });
    snprintf(name, sizeof name, "mean of %.0f days", ended);
    svg_begin(&s, SVG_LINE, svg_colours[0], name);
    for (int w = 0; w < WINDOWS; ++w) svg_at(&s, windows[w], 100 * error[w]);
    svg_end(&s);
    svg_begin(&s, SVG_POINTS, svg_colours[1], "the best");
    svg_at(&s, windows[which], 100 * best);
    svg_end(&s);
    if (!svg_close(&s)) return module_fail(a, "cannot write the picture");

    snprintf(a->formula, sizeof a->formula, "mean of |c (1 + load) / T - 1| over %.0f days; best window: %s", ended,
             module_word(a, windows[which], "s"));
    for (int w = 0; w < WINDOWS; ++w)
        module_add(a, "window", "%", error[w], "Mean error with a window of %s", module_word(a, windows[w], "s"));
    module_because(a, 0, "A short window sees who is there now, a long one the mean of the time before.");
    module_because(a, 1, "For a job of %s, whose competitors need %s each, a window of %s errs least.",
                   module_word(a, job, "s"), module_word(a, v[1], "s"), module_word(a, windows[which], "s"));
    if (ended < DAYS)
        module_because(
            a, 2,
            "No window is right: %s of error remain, without %.0f days on which the job did not end within six "
            "hours.",
            module_word(a, best, "%"), DAYS - ended);
    else
        module_because(a, 2, "No window is right: the future is not known, %s of error remain.",
                       module_word(a, best, "%"));
    module_show(a, "picture.svg",
                "The mean error of the prediction over the window of the load average: smallest, %s, at %s.",
                module_word(a, best, "%"), module_word(a, windows[which], "s"));
    return true;
}

const module module_load = { "load", controls, sizeof controls / sizeof *controls, false,
                             answer, study,    "Try nine windows on 400 days" };

/* load.c - Load average: people come and go; what does the machine report, and does it predict the time of a job? */
#include "module.h"

#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"

#include "../svg.h"

#include <string.h>

enum { EVERY, EACH, WINDOW, JOB, SEED, CONTROLS };

static const module_control controls[CONTROLS] = {
    { "every", "A process comes every (mean)", MODULE_QUANTITY, "s", "60 s", 1, 3600, true, NULL, NULL },
    { "each", "and needs CPU time (mean)", MODULE_QUANTITY, "s", "45 s", 0.1, 3600, true, NULL, NULL },
    { "window", "Window of the load average", MODULE_QUANTITY, "s", "60 s", 1, 3600, true, NULL, NULL },
    { "job", "Our job needs CPU time", MODULE_QUANTITY, "s", "300 s", 1, 3600, true, NULL, NULL },
    { "seed", "Day number", MODULE_WHOLE, "days", "3", 1, 1000, false, NULL, NULL },
};

/*=============================================================================
 * MARK: - >>a day
 *===========================================================================*/

/* The job starts after five hours, when the longest window is full. A run ends five minutes after the job and its
 * prediction, or six hours after the start of the job. A sample is taken every five seconds, from half an hour before
 * the job. */
static const double starts = 5 * 3600, before = 1800, after = 300, most_after = 6 * 3600, interval = 5;
enum { SAMPLES = 720 / 2 + 6 * 720 + 2 };

/* A day of the machine, on which our job comes. */
typedef struct day {
    simkit_world *world;
    simkit_node node;
    const double *windows; /* windows[count] of the load averages [s] */
    double *loads;         /* loads[count] when the job starts [1] */
    size_t count;
    double job, took; /* the job: CPU time [s]; how long it takes [s], NaN: too long */
    simkit_step next;
    size_t samples;                            /* of the next two; none of a study */
    bool draws;                                /* samples are kept */
    double running[SAMPLES], average[SAMPLES]; /* every `interval` */
    bool failed;
} day;

static void load__ends(simkit_world *world, void *user)
{
    ((day *)user)->took = simkit_clock_now(world) - starts;
}

static double load__average(const day *d, double window)
{
    return simkit_load_average(d->world, d->node, contention_load_beta_window(window, 1), 1);
}

static void load__comes(simkit_world *world, void *user)
{
    day *d = (day *)user;
    for (size_t i = 0; i < d->count; ++i) d->loads[i] = load__average(d, d->windows[i]);
    const simkit_computation_desc desc = { .node = d->node, .seconds = d->job, .done = load__ends, .user = d };
    d->failed |= simkit_computation_start(world, &desc, NULL) != SIMKIT_OK;
}

static void load__sample(simkit_world *world, void *user)
{
    day *d = (day *)user;
    if (d->samples == SAMPLES) return;
    d->running[d->samples] = simkit_load_average(world, d->node, 0, 1);
    d->average[d->samples++] = load__average(d, d->windows[0]);
    d->failed |= simkit_step_after(world, interval, 0, load__sample, d, &d->next) != SIMKIT_OK;
    simkit_step_background(world, d->next);
}

/* The time that a load average predicts for a job [s]. */
static double load__predicted(double job, double load)
{
    return job * (1 + load);
}

/* Simulates a day with the values v[CONTROLS]; after an error the answer has its sentence. */
static bool load__live(day *d, const double *v, uint64_t seed, module_answer *a)
{
    const simkit_world_desc desc = { .seed = seed };
    if (simkit_world_open(&desc, &d->world) != SIMKIT_OK) return module_fail(a, "no memory for a world");
    d->samples = 0;
    d->failed = false;
    d->job = v[JOB];
    d->took = (double)NAN;
    simkit_result result = simkit_node_add(d->world, NULL, &d->node);
    const simkit_arrivals_desc people = { .node = d->node,
                                          .rate = 1 / v[EVERY],
                                          .demand = { .law = SIMKIT_LAW_EXPONENTIAL, .mean = v[EACH] } };
    if (result == SIMKIT_OK) result = simkit_load_record(d->world, d->node);
    if (result == SIMKIT_OK) result = simkit_arrivals_start(d->world, &people, NULL);
    if (result == SIMKIT_OK) result = simkit_step_at(d->world, starts, 0, load__comes, d, NULL);
    if (result == SIMKIT_OK && d->draws) result = simkit_step_at(d->world, starts - before, 0, load__sample, d, NULL);
    double until = 0;
    for (int slice = 0; result == SIMKIT_OK && until < most_after; ++slice) {
        const double wanted = fmax(d->took, load__predicted(d->job, d->loads[0]));
        if (slice > 0 && !isnan(d->took) && (!d->draws || until >= wanted + after)) break;
        until = fmin((slice + 1) * after, most_after);
        result = simkit_world_run_until(d->world, starts + until);
    }
    if (result != SIMKIT_OK) module_fail(a, "%s", simkit_world_why(d->world));
    if (result == SIMKIT_OK && d->failed) module_fail(a, "no memory for a day");
    simkit_world_close(d->world);
    return result == SIMKIT_OK && !d->failed;
}

/*=============================================================================
 * MARK: - >>picture and data
 *===========================================================================*/

/* Minutes from the start of the job to a sample. */
static double load__minutes(size_t sample)
{
    return ((double)sample * interval - before) / 60;
}

static bool load__draw(const module_run *run, const day *d, double predicted)
{
    char path[512], name[64], text[MODULE_TEXT];
    const double until = load__minutes(d->samples - 1);
    double most = 2;
    svg s;
    for (size_t i = 0; i < d->samples; ++i) most = fmax(most, d->running[i]);
    svg_open(&s, module_path(run, "picture.svg", path),
             "Processes on a workstation, and the load average that it reports", 1000, 380);
    s.legend_left = 800;
    svg_plot(&s, 60, 770, (svg_axis){ .label = "time since our job came [min]", .from = -before / 60, .to = until },
             (svg_axis){ .label = "processes", .to = 1.1 * most });
    svg_begin(&s, SVG_AREA, "#bbbbbb", "on the machine");
    svg_at(&s, load__minutes(0), 0);
    for (size_t i = 0; i < d->samples; ++i) {
        if (i > 0) svg_at(&s, load__minutes(i), d->running[i - 1]);
        svg_at(&s, load__minutes(i), d->running[i]);
    }
    svg_at(&s, until, 0);
    svg_end(&s);
    snprintf(name, sizeof name, "load, %s", module_text(d->windows[0], "s", text));
    svg_begin(&s, SVG_LINE, svg_colours[1], name);
    for (size_t i = 0; i < d->samples; ++i) svg_at(&s, load__minutes(i), d->average[i]);
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

static bool load__write_data(const module_run *run, const day *d, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "time since our job came [s],processes [1],load average [1]\n");
    for (size_t i = 0; i < d->samples; ++i)
        fprintf(file, "%.17g,%.17g,%.17g\n", (double)i * interval - before, d->running[i], d->average[i]);
    return module_close(file, "data.csv", a);
}

/*=============================================================================
 * MARK: - >>answer
 *===========================================================================*/

/* Adds the formula and the numbers of a day with the values v[CONTROLS]. */
static void load__add_numbers(module_answer *a, const double *v, double load, double took)
{
    const double predicted = load__predicted(v[JOB], load);
    snprintf(a->formula, sizeof a->formula,
             "load(t + 1 s) = beta load(t) + (1 - beta) processes(t),  beta = N / (N + 1) = %.5g for N = %.4g\n"
             "T = c (1 + load) = %s x (1 + %s) = %s",
             contention_load_beta_window(v[WINDOW], 1), v[WINDOW], module_word(a, v[JOB], "s"),
             module_word(a, load, "1"), module_word(a, predicted, "s"));
    module_add(a, "load", "1", load, "Load average when our job comes");
    module_add(a, "predicted", "s", predicted, "Predicted time of our job");
    module_add(a, "took", "s", took, "It took");
    module_add(a, "error", "%", predicted / took - 1, "Error of the prediction");
    module_add(a, "busy", "%", v[EACH] / v[EVERY], "Processor time that the others want");
}

/* Compares the prediction with the time that the job took. */
static void load__explain_error(module_answer *a, const double *v, double predicted, double took)
{
    const double busy = v[EACH] / v[EVERY];
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
                       module_word(a, v[WINDOW], "s"), module_word(a, took, "s"));
}

/* A sentence on the window of the load average beside the length of the job. */
static const char *load__window_reason(const double *v, double load)
{
    if (v[WINDOW] > 3 * v[JOB])
        return "The window is long compared with the job: it shows the mean over that time, but not who is there now.";
    if (v[WINDOW] >= 0.3 * v[JOB])
        return "The window is about as long as the job, which is a fair choice when nothing else is known.";
    if (load < 0.05)
        return "The window is short compared with the job: it shows that almost nobody is there now, but not who will "
               "come.";
    if (v[EACH] < 0.3 * v[JOB])
        return "The window is short compared with the job: it shows who is there now, and many of them leave before "
               "the job ends.";
    return "The window is short compared with the job: it shows who is there now, and they stay, because they need as "
           "much CPU time as the job or nearly so.";
}

static bool load__answer(const module_run *run, module_answer *a)
{
    static day d; /* large, and used by one run at a time */
    const double *v = run->values->value;
    double load = 0;

    memset(&d, 0, sizeof d);
    d.windows = &v[WINDOW];
    d.loads = &load;
    d.count = 1;
    d.draws = true;
    if (!load__live(&d, v, (uint64_t)v[SEED], a)) return false;
    const double predicted = load__predicted(v[JOB], load);
    if (!load__draw(run, &d, predicted)) return module_fail(a, "cannot write the picture");
    if (!load__write_data(run, &d, a)) return false;
    load__add_numbers(a, v, load, d.took);
    module_because(a, 0,
                   "A load of %s means that so many processes share the processor with us: each gets 1 / (1 + load).",
                   module_word(a, load, "1"));
    load__explain_error(a, v, predicted, d.took);
    module_because(a, 2, "%s", load__window_reason(v, load));
    module_show(a, "picture.svg",
                "Processes on the machine over time, as an area, with the load average as a line. Our job comes when "
                "the load is %s; it was predicted to take %s.",
                module_word(a, load, "1"), module_word(a, predicted, "s"));
    return true;
}

/*=============================================================================
 * MARK: - >>study
 *===========================================================================*/

enum { WINDOWS = 9, DAYS = 400 };
static const double windows[WINDOWS] = { 1, 5, 15, 60, 180, 300, 900, 1800, 3600 };

/* The errors of the windows on many days. */
typedef struct survey {
    double error[WINDOWS]; /* mean [1] */
    double ended;          /* number of days on which the job ended */
    int best;              /* the window whose error is smallest */
} survey;

static bool load__survey(const module_run *run, survey *all, module_answer *a)
{
    static day d;
    static double loads[WINDOWS];
    const double *v = run->values->value;

    memset(&d, 0, sizeof d);
    d.windows = windows;
    d.loads = loads;
    d.count = WINDOWS;
    for (int i = 0; i < DAYS; ++i) {
        if (run->progress) run->progress(run->user, (double)i / DAYS);
        if (!load__live(&d, v, (uint64_t)v[SEED] + (uint64_t)i, a)) return false;
        if (isnan(d.took)) continue;
        ++all->ended;
        for (int w = 0; w < WINDOWS; ++w) all->error[w] += fabs(load__predicted(v[JOB], loads[w]) / d.took - 1);
    }
    if (run->progress) run->progress(run->user, 1);
    if (2 * all->ended < DAYS)
        return module_fail(
            a, "the job ends within six hours on %.0f of %d days only: let others come less often, or need less",
            all->ended, DAYS);
    for (int w = 0; w < WINDOWS; ++w) {
        all->error[w] /= all->ended;
        if (all->error[w] < all->error[all->best]) all->best = w;
    }
    return true;
}

static bool load__write_survey(const module_run *run, const survey *all, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "window [s],mean error [1]\n");
    for (int w = 0; w < WINDOWS; ++w) fprintf(file, "%.17g,%.17g\n", windows[w], all->error[w]);
    return module_close(file, "data.csv", a);
}

static bool load__draw_survey(const module_run *run, const survey *all)
{
    char path[512], name[40];
    double most = 0;
    svg s;
    for (int w = 0; w < WINDOWS; ++w) most = fmax(most, all->error[w]);
    svg_open(&s, module_path(run, "picture.svg", path), "Error of the prediction by the window of the load average",
             900, 380);
    svg_plot(&s, 80, 720, (svg_axis){ .label = "window", .from = 1, .to = 3600, .unit = "s" },
             (svg_axis){ .label = "mean error [%]", .to = 110 * most });
    snprintf(name, sizeof name, "mean of %.0f days", all->ended);
    svg_begin(&s, SVG_LINE, svg_colours[0], name);
    for (int w = 0; w < WINDOWS; ++w) svg_at(&s, windows[w], 100 * all->error[w]);
    svg_end(&s);
    svg_begin(&s, SVG_POINTS, svg_colours[1], "the best");
    svg_at(&s, windows[all->best], 100 * all->error[all->best]);
    svg_end(&s);
    return svg_close(&s);
}

static bool load__study(const module_run *run, module_answer *a)
{
    const double *v = run->values->value;
    survey all;

    memset(&all, 0, sizeof all);
    if (!load__survey(run, &all, a)) return false;
    if (!load__write_survey(run, &all, a)) return false;
    if (!load__draw_survey(run, &all)) return module_fail(a, "cannot write the picture");

    const char *const window = module_word(a, windows[all.best], "s"), *const error =
                                                                           module_word(a, all.error[all.best], "%");
    snprintf(a->formula, sizeof a->formula, "mean of |c (1 + load) / T - 1| over %.0f days; best window: %s", all.ended,
             window);
    for (int w = 0; w < WINDOWS; ++w)
        module_add(a, "window", "%", all.error[w], "Mean error with a window of %s", module_word(a, windows[w], "s"));
    module_because(a, 0, "A short window sees who is there now, a long one the mean of the time before.");
    module_because(a, 1, "For a job of %s, whose competitors need %s each, a window of %s errs least.",
                   module_word(a, v[JOB], "s"), module_word(a, v[EACH], "s"), window);
    if (all.ended < DAYS)
        module_because(
            a, 2,
            "No window is right: %s of error remain, without %.0f days on which the job did not end within six "
            "hours.",
            error, DAYS - all.ended);
    else
        module_because(a, 2, "No window is right: the future is not known, %s of error remain.", error);
    module_show(a, "picture.svg",
                "The mean error of the prediction over the window of the load average: smallest, %s, at %s.", error,
                window);
    return true;
}

const module module_load = {
    "load", controls, CONTROLS, false, load__answer, load__study, "Try nine windows on 400 days"
};

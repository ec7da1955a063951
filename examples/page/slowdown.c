/* slowdown.c - Slowdown: others use our four machines; how should the work be divided, and where should tasks run? */
#include "module.h"

#include "contention.h"

#include "../svg.h"

#include <string.h>

enum { MACHINES = 4, TASKS = 8, EDGES = 12 };
enum { BY_LOAD, BY_SPEED, EVENLY, WAYS };
enum { COMPUTING = MACHINES, CONTROLS }; /* before it: the competitors on each machine */

static const module_control controls[CONTROLS] = {
    { "on1", "Competitors on machine 1 (fast)", MODULE_WHOLE, "applications", "2", 0, 8, false, NULL, NULL },
    { "on2", "on machine 2 (fast)", MODULE_WHOLE, "applications", "1", 0, 8, false, NULL, NULL },
    { "on3", "on machine 3", MODULE_WHOLE, "applications", "0", 0, 8, false, NULL, NULL },
    { "on4", "on machine 4", MODULE_WHOLE, "applications", "0", 0, 8, false, NULL, NULL },
    { "computing", "Each computes so much of its time", MODULE_WHOLE, "percent", "70", 0, 100, false, NULL, NULL },
};

static const char *const machines[MACHINES] = { "machine 1", "machine 2", "machine 3", "machine 4" };
static const char *const ways[WAYS] = { "by load", "by speed", "evenly" };
static const double benchmark[MACHINES] = { 12, 12, 36, 36 }; /* [s], of the same task, alone */
static const double bandwidth = 0.45;                         /* available [Mword/s] */
static const double alone = 100;                              /* the program on idle machines, divided by speed [s] */

/* Costs, for one that computes, of one and of two that communicate. More cost as much as two: nobody has measured them.
 * @source [slowdown] figure 2: Alphas with a fast network */
static const contention_delay delays[] = { { 2.37, -0.20, 0.49, 1.38, -0.06 }, { 1.74, -0.50, 1.37, 2.48, 0 } };

/* One task prepares, six work, the last collects; data take a second to another machine. */
static const contention_edge edges[EDGES] = { { 0, 1, 1 }, { 0, 2, 1 }, { 0, 3, 1 }, { 0, 4, 1 },
                                              { 0, 5, 1 }, { 0, 6, 1 }, { 1, 7, 1 }, { 2, 7, 1 },
                                              { 3, 7, 1 }, { 4, 7, 1 }, { 5, 7, 1 }, { 6, 7, 1 } };
static const double work[TASKS] = { 2, 6, 6, 6, 6, 6, 6, 2 }; /* on a fast machine [s] */

/*=============================================================================
 * MARK: - >>plan
 *===========================================================================*/

/* The division of the program, and the placement of the tasks. */
typedef struct plan {
    double weight[MACHINES], slowdown[MACHINES];
    double fraction[WAYS][MACHINES]; /* of the work, by each way of dividing it */
    double seconds[WAYS];            /* of the program [s] */
    size_t machine[TASKS];           /* of each task */
    double begin[TASKS], end[TASKS]; /* [s] */
    double makespan, bound, unaware; /* of the tasks [s]; unaware: placed as if nobody else were there */
} plan;

/* Runs the tasks in the order of a schedule with other slowdowns, each when its machine and its data are there; gives
 * the end of the last [s]. */
static double slowdown__replay(const contention_graph *graph, const contention_schedule *schedule,
                               const double slowdown[])
{
    double end[TASKS], ready[MACHINES] = { 0 }, last = 0;
    bool done[TASKS] = { false };
    for (size_t n = 0; n < TASKS; ++n) {
        size_t i = TASKS;
        for (size_t k = 0; k < TASKS; ++k) /* the order of a schedule: by begin */
            if (!done[k] && (i == TASKS || schedule->begin[k] < schedule->begin[i])) i = k;
        const size_t m = schedule->machine[i];
        double begin = ready[m];
        for (size_t e = 0; e < EDGES; ++e)
            if (graph->edge[e].to == i) {
                const size_t from = graph->edge[e].from;
                begin = fmax(begin, end[from] + (schedule->machine[from] == m ? 0 : graph->edge[e].transfer));
            }
        done[i] = true;
        end[i] = ready[m] = begin + graph->time[i * MACHINES + m] * slowdown[m];
        last = fmax(last, end[i]);
    }
    return last;
}

static bool slowdown__place(plan *p)
{
    static const double none[MACHINES] = { 1, 1, 1, 1 };
    double time[TASKS * MACHINES], link[MACHINES * MACHINES], scratch[2 * TASKS + MACHINES];
    for (size_t i = 0; i < TASKS * MACHINES; ++i) time[i] = work[i / MACHINES] * p->weight[0] / p->weight[i % MACHINES];
    for (size_t i = 0; i < MACHINES * MACHINES; ++i) link[i] = 1;
    contention_graph graph = { TASKS, MACHINES, EDGES, edges, time, none, link };
    contention_schedule schedule = { p->machine, p->begin, p->end, 0, 0 };
    if (contention_graph_scratch(&graph) > sizeof scratch / sizeof *scratch) return false;
    if (contention_graph_place(&graph, scratch, &schedule) != CONTENTION_OK) return false;
    p->unaware = slowdown__replay(&graph, &schedule, p->slowdown);
    graph.slowdown = p->slowdown;
    if (contention_graph_place(&graph, scratch, &schedule) != CONTENTION_OK) return false;
    p->makespan = schedule.seconds;
    p->bound = schedule.bound;
    return true;
}

static bool slowdown__make(plan *p, const double *v)
{
    static const double none[MACHINES] = { 1, 1, 1, 1 };
    for (int i = 0; i < MACHINES; ++i) {
        contention_mix mix;
        memset(&mix, 0, sizeof mix);
        for (int k = 0; k < (int)v[i]; ++k)
            if (contention_mix_add(&mix, v[COMPUTING] / 100, 1 - v[COMPUTING] / 100) != CONTENTION_OK) return false;
        p->slowdown[i] = contention_slowdown_local(&mix, delays, 2, bandwidth);
        p->fraction[EVENLY][i] = 1. / MACHINES;
    }
    if (contention_weights(MACHINES, benchmark, p->weight) != CONTENTION_OK ||
        contention_partition(MACHINES, p->weight, p->slowdown, p->fraction[BY_LOAD]) != CONTENTION_OK ||
        contention_partition(MACHINES, p->weight, none, p->fraction[BY_SPEED]) != CONTENTION_OK)
        return false;
    p->seconds[BY_LOAD] = alone * contention_slowdown_by_load(MACHINES, p->weight, p->slowdown);
    for (int w = BY_SPEED; w < WAYS; ++w)
        p->seconds[w] = alone * contention_slowdown_by_partition(MACHINES, p->weight, p->slowdown, p->fraction[w],
                                                                 p->fraction[BY_SPEED]);
    return slowdown__place(p);
}

/*=============================================================================
 * MARK: - >>pictures and data
 *===========================================================================*/

static bool slowdown__draw(const module_run *run, const plan *p)
{
    const svg_axis named = { .rows = true, .to = MACHINES, .names = machines }, rows = { .rows = true, .to = MACHINES };
    double percent[MACHINES], slowest = 2;
    char path[512];
    svg s;
    for (int i = 0; i < MACHINES; ++i) {
        percent[i] = 100 * p->fraction[BY_LOAD][i];
        slowest = fmax(slowest, p->slowdown[i]);
    }
    svg_open(&s, module_path(run, "picture.svg", path),
             "How much slower each machine is, the part of the work it should get, and the time of the program", 1060,
             330);
    svg_plot(&s, 90, 350, (svg_axis){ .label = "slowdown [1]", .to = 1.25 * slowest }, named);
    svg_bars(&s, MACHINES, p->slowdown, NULL, NULL, "%.2f", svg_colours[1]);
    svg_plot(&s, 390, 640, (svg_axis){ .label = "part of the work [%]", .to = 120 }, rows);
    svg_bars(&s, MACHINES, percent, NULL, NULL, "%.0f", svg_colours[0]);
    svg_plot(&s, 740, 1020,
             (svg_axis){ .label = "time [s]",
                         .to = 1.25 * fmax(fmax(p->seconds[BY_LOAD], p->seconds[BY_SPEED]), p->seconds[EVENLY]) },
             (svg_axis){ .rows = true, .to = WAYS, .names = ways });
    svg_bars(&s, WAYS, p->seconds, NULL, NULL, "%.0f", svg_colours[2]);
    return svg_close(&s);
}

static bool slowdown__draw_tasks(const module_run *run, const plan *p)
{
    char path[512], name[4];
    svg s;
    svg_open(&s, module_path(run, "tasks.svg", path), "Eight tasks, placed with the slowdowns known", 900, 320);
    if (!s.file) return false;
    svg_plot(&s, 90, 860, (svg_axis){ .label = "time [s]", .to = p->makespan },
             (svg_axis){ .rows = true, .to = MACHINES, .names = machines });
    for (size_t i = 0; i < TASKS; ++i)
        svg_box(&s, p->begin[i], (double)p->machine[i] + 0.15, p->end[i], (double)p->machine[i] + 0.85,
                svg_colours[i == 0 || i + 1 == TASKS ? 6 : 4]);
    fputs("<g fill=\"#000000\">\n", s.file); /* on light boxes, in every theme */
    for (size_t i = 0; i < TASKS; ++i) {
        snprintf(name, sizeof name, "%lu", (unsigned long)i + 1);
        svg_text(&s, svg_x(&s, (p->begin[i] + p->end[i]) / 2), svg_y(&s, (double)p->machine[i] + 0.5) + 4.5, "middle",
                 name);
    }
    fputs("</g>\n", s.file);
    return svg_close(&s);
}

static bool slowdown__write_data(const module_run *run, const plan *p, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "machine,weight [1],slowdown [1],part by load [1],part by speed [1]\n");
    for (int i = 0; i < MACHINES; ++i)
        fprintf(file, "%d,%.17g,%.17g,%.17g,%.17g\n", i + 1, p->weight[i], p->slowdown[i], p->fraction[BY_LOAD][i],
                p->fraction[BY_SPEED][i]);
    return module_close(file, "data.csv", a);
}

/*=============================================================================
 * MARK: - >>answer
 *===========================================================================*/

/* Names the machines that have this value: "Machines 1 and 2". */
static const char *slowdown__those(const double values[], double value, char text[40])
{
    size_t used = 0, count = 0, named = 0;
    for (int i = 0; i < MACHINES; ++i) count += fabs(values[i] - value) < 1e-9;
    used += (size_t)snprintf(text, 40, count > 1 ? "Machines" : "Machine");
    for (int i = 0; i < MACHINES; ++i)
        if (fabs(values[i] - value) < 1e-9) {
            ++named;
            used += (size_t)snprintf(text + used, 40 - used, "%s %d",
                                     named == 1       ? ""
                                     : named == count ? " and"
                                                      : ",",
                                     i + 1);
        }
    return text;
}

/* Says whether a text of slowdown__those() names several machines. */
static bool slowdown__several(const char *named)
{
    return strchr(named, 's') != NULL;
}

/* The machine with the largest of these values. */
static int slowdown__largest(const double values[MACHINES])
{
    int largest = 0;
    for (int i = 1; i < MACHINES; ++i)
        if (values[i] > values[largest]) largest = i;
    return largest;
}

/* Adds the formula and the numbers. */
static void slowdown__add_numbers(const plan *p, module_answer *a)
{
    const double *const sd = p->slowdown, *const part = p->fraction[BY_LOAD];
    snprintf(a->formula, sizeof a->formula,
             "sd = sum w / sum (w / sd_i) = (3 + 3 + 1 + 1) / (3/%.3g + 3/%.3g + 1/%.3g + 1/%.3g) = %.3g\n"
             "part_i = (w_i / sd_i) / sum (w / sd) = %.0f, %.0f, %.0f, %.0f %%\nT = 100 s x sd = %s",
             sd[0], sd[1], sd[2], sd[3], p->seconds[BY_LOAD] / alone, 100 * part[0], 100 * part[1], 100 * part[2],
             100 * part[3], module_word(a, p->seconds[BY_LOAD], "s"));
    module_add(a, "by_load", "s", p->seconds[BY_LOAD], "Program of 100 s, divided by load");
    module_add(a, "by_speed", "s", p->seconds[BY_SPEED], "divided by speed alone");
    module_add(a, "evenly", "s", p->seconds[EVENLY], "divided evenly");
    module_add(a, "tasks", "s", p->makespan, "Eight tasks, placed with the slowdowns known (a heuristic)");
    module_add(a, "unaware", "s", p->unaware, "placed as if nobody else were there");
    module_add(a, "bound", "s", p->bound, "No placement takes less than");
}

/* Gives the three sentences. */
static void slowdown__explain(const plan *p, module_answer *a)
{
    const double slowest = p->slowdown[slowdown__largest(p->slowdown)], *const part = p->fraction[BY_LOAD],
                 most = part[slowdown__largest(part)];
    char text[2][40];
    const char *const slow = slowdown__those(p->slowdown, slowest, text[0]);
    const char *const busy = slowdown__those(part, most, text[1]);
    if (slowest - 1 < 1e-9)
        module_because(a, 0, "Nobody else uses the machines, so none is slowed down.");
    else
        module_because(
            a, 0,
            "%s %s slowed down most, %.3g times: a competitor that computes takes a share of the processor, one that "
            "communicates delays us by what its messages cost.",
            slow, slowdown__several(slow) ? "are" : "is", slowest);
    if (p->seconds[BY_SPEED] > 1.005 * p->seconds[BY_LOAD])
        module_because(
            a, 1,
            "Divided by load, all machines end together; divided by speed alone, all wait for the slowest: %s "
            "instead of %s.",
            module_word(a, p->seconds[BY_SPEED], "s"), module_word(a, p->seconds[BY_LOAD], "s"));
    else
        module_because(
            a, 1,
            "All machines are slowed down alike, so dividing by speed alone is right; divided evenly, all wait "
            "for the slow machines: %s.",
            module_word(a, p->seconds[EVENLY], "s"));
    module_because(a, 2, "%s %s most of the work, %.0f %%%s: what counts is speed over slowdown, not speed.", busy,
                   slowdown__several(busy) ? "get" : "gets", 100 * most, slowdown__several(busy) ? " each" : "");
}

/* Describes the two pictures. */
static void slowdown__show(const plan *p, module_answer *a)
{
    const double *const sd = p->slowdown, *const part = p->fraction[BY_LOAD];
    module_show(
        a, "picture.svg",
        "Bars for four machines: slowdowns %.3g, %.3g, %.3g, %.3g; parts of the work %.0f, %.0f, %.0f, %.0f %%; the "
        "program takes %s divided by load, %s by speed, %s evenly.",
        sd[0], sd[1], sd[2], sd[3], 100 * part[0], 100 * part[1], 100 * part[2], 100 * part[3],
        module_word(a, p->seconds[BY_LOAD], "s"), module_word(a, p->seconds[BY_SPEED], "s"),
        module_word(a, p->seconds[EVENLY], "s"));
    module_show(a, "tasks.svg",
                "A row for each machine with the tasks that run there: one that prepares, six that work, one that "
                "collects. The last ends at %s.",
                module_word(a, p->makespan, "s"));
}

static bool slowdown__answer(const module_run *run, module_answer *a)
{
    plan p;
    memset(&p, 0, sizeof p);
    if (!slowdown__make(&p, run->values->value)) return module_fail(a, "the slowdown formulas refuse these numbers");
    if (!slowdown__draw(run, &p) || !slowdown__draw_tasks(run, &p)) return module_fail(a, "cannot write the pictures");
    if (!slowdown__write_data(run, &p, a)) return false;
    slowdown__add_numbers(&p, a);
    slowdown__explain(&p, a);
    slowdown__show(&p, a);
    return true;
}

const module module_slowdown = { "slowdown", controls, CONTROLS, false, slowdown__answer, NULL, NULL };

/* program.c - A parallel program: how long does the LU factorization of the DPS paper take, and why? */
#include "module.h"

#include "../flowgraph/lu.h"
#include "../flowgraph/paper.h"

#include "../svg.h"

#include <stdlib.h>
#include <string.h>

enum { SIZES = 6, GRAPHS = 2, FLOWS = 5, PARTS = 2, HALVES = 5, MOST_NODES = 16, FILE_NODES = 8 };
enum { R, NODES, GRAPH, FLOW, PM, HALF, LATENCY, BANDWIDTH, SPEED, CONTROLS };
enum { STORE, COMPUTE, LEAVE }; /* the task of half of the nodes; LEAVE + k: they leave after iteration k + 1 */

static const char *const sizes[SIZES] = { "81", "108", "162", "216", "324", "648" };
static const char *const graphs[GRAPHS] = { "basic", "pipelined" };
static const char *const flows[FLOWS] = { "none", "8", "16", "32", "64" };
static const char *const parts[PARTS] = { "1", "3" };
static const char *const halves[HALVES] = { "stores and computes", "only computes", "leaves after iteration 1",
                                            "leaves after iteration 2", "leaves after iteration 3" };

static const module_control controls[CONTROLS] = {
    { "r", "Columns of a block r", MODULE_CHOICE, NULL, "216", 0, SIZES - 1, false, sizes, "Program" },
    { "nodes", "Nodes", MODULE_WHOLE, "nodes", "8", 1, MOST_NODES, false, NULL, "Cluster" },
    { "graph", "Flow graph", MODULE_CHOICE, NULL, "basic", 0, GRAPHS - 1, false, graphs, "Program" },
    { "flow", "Flow control: products in progress", MODULE_CHOICE, NULL, "none", 0, FLOWS - 1, false, flows,
      "Program" },
    { "parts", "Parts of each side of a product", MODULE_CHOICE, NULL, "1", 0, PARTS - 1, false, parts, "Program" },
    { "half", "Half of the nodes", MODULE_CHOICE, NULL, "stores and computes", 0, HALVES - 1, false, halves,
      "Program" },
    { "latency", "Latency", MODULE_QUANTITY, "s", "0.5 ms", 1e-7, 0.1, true, NULL, "Cluster" },
    { "bandwidth", "Bandwidth", MODULE_QUANTITY, "B/s", "11 MB/s", 1e5, 1e11, true, NULL, "Cluster" },
    { "speed", "Processor speed, of an UltraSparc II", MODULE_QUANTITY, "1", "1", 0.1, 1000, true, NULL, "Cluster" },
};

/*=============================================================================
 * MARK: - >>forecast
 *===========================================================================*/

/* A run of the program, as the controls say. */
typedef struct setting {
    size_t r, nodes, half; /* half: nodes that may leave */
    lu_release release;
    lu_costs costs;
    lu_desc what;
} setting;

/* The answer of the engine, with all that it is compared with. */
typedef struct forecast {
    setting s;
    lu_outcome o;
    double serial;       /* CPU time of the program [s] */
    double alone;        /* shortest time on one node without communication, of all block sizes [s] */
    const char *r_alone; /* the block size that takes it */
    paper_figure figures[PAPER_FIGURES];
    size_t count; /* number of figures */
} forecast;

static size_t program__number(const char *text)
{
    return (size_t)strtoul(text, NULL, 10);
}

/* Sets a run with the values v[CONTROLS]. The setting points to itself, so it stays where it is. */
static bool program__prepare(setting *s, const double *v, const simkit_machine *machine, module_answer *a)
{
    const int half = (int)v[HALF];
    memset(s, 0, sizeof *s);
    s->r = program__number(sizes[(int)v[R]]);
    s->nodes = (size_t)v[NODES];
    s->half = half == STORE ? 0 : s->nodes / 2;
    s->release = (lu_release){ (size_t)(half - LEAVE) + 1, s->half };
    s->what = (lu_desc){ .n = PAPER_N,
                         .r = s->r,
                         .pipelined = (int)v[GRAPH] == 1,
                         .window = program__number(flows[(int)v[FLOW]]),
                         .parts = program__number(parts[(int)v[PM]]),
                         .column_nodes = s->half > 0 ? s->nodes - s->half : 0,
                         .releases = &s->release,
                         .release_count = half >= LEAVE && s->half > 0 ? 1 : 0,
                         .costs = &s->costs };
    return lu_costs_of_machine(machine, PAPER_N, s->r, s->what.parts, &s->costs) == SIMKIT_OK ||
           module_fail(a, "a product of %lu columns cannot be divided into %lu parts", (unsigned long)s->r,
                       (unsigned long)s->what.parts);
}

/* Prepares and predicts one run. With a picture it writes the timing diagram to that path. */
static bool program__predict(setting *s, const double *v, const simkit_machine *machine, const char *picture,
                             lu_outcome *o, module_answer *a)
{
    if (!program__prepare(s, v, machine, a)) return false;
    return lu_predict(machine, s->nodes, &s->what, picture, NULL, o) == FLOWGRAPH_OK ||
           module_fail(a, "%.200s", o->why);
}

/* Writes the machine file and reads it again, so that it is known to be right. */
static simkit_machine *program__machine(const module_run *run, module_answer *a)
{
    const module_values *v = run->values;
    const unsigned nodes = (unsigned)v->value[NODES];
    simkit_parse_error error;
    simkit_machine *machine = NULL;
    char path[512];
    if (!module_write_machine(run, v->text[LATENCY], v->text[BANDWIDTH], v->text[SPEED],
                              nodes > FILE_NODES ? nodes : FILE_NODES, a))
        return NULL;
    const simkit_input input = { .path = module_path(run, "cluster.machine", path), .name = "cluster.machine" };
    if (simkit_machine_read(&input, &machine, &error) != SIMKIT_OK) module_fail(a, "%s", error.text);
    return machine;
}

/* Finds the shortest time on one node without communication, over all block sizes. */
static void program__find_alone(forecast *f, double speed, const simkit_machine *machine)
{
    f->alone = (double)INFINITY;
    f->r_alone = sizes[0];
    for (int z = 0; z < SIZES; ++z) {
        static lu_costs costs; /* large */
        if (lu_costs_of_machine(machine, PAPER_N, program__number(sizes[z]), 1, &costs) != SIMKIT_OK) continue;
        const double seconds = lu_costs_serial(&costs) / speed;
        if (seconds < f->alone) f->alone = seconds, f->r_alone = sizes[z];
    }
}

static bool program__forecast(const module_run *run, forecast *f, module_answer *a)
{
    const double *v = run->values->value;
    char path[512], why[200];
    f->count = paper_load("tests/published", f->figures, why);
    if (f->count == 0) return module_fail(a, "%.180s", why);
    simkit_machine *machine = program__machine(run, a);
    if (!machine) return false;
    const bool done = program__predict(&f->s, v, machine, module_path(run, "picture.svg", path), &f->o, a);
    if (done) {
        f->serial = lu_costs_serial(&f->s.costs) / v[SPEED];
        program__find_alone(f, v[SPEED], machine);
    }
    simkit_machine_close(machine);
    return done;
}

/* The number that the paper gives for these controls; NULL if the paper did something else. */
static const paper_figure *program__measured(const forecast *f, const module_run *run, paper_quantity quantity,
                                             size_t iteration)
{
    const double *v = run->values->value;
    const size_t r = program__number(sizes[(int)v[R]]);
    const int half = quantity == PAPER_EFFICIENCY && v[NODES] > 4 ? COMPUTE : STORE;
    module_values usual;
    module_defaults(&module_program, &usual);
    bool same = (int)v[HALF] == half;
    for (int i = LATENCY; i <= SPEED; ++i) same = same && fabs(v[i] / usual.value[i] - 1) < 1e-12;
    for (int i = GRAPH; i <= PM; ++i) same = same && v[i] < 0.5;
    for (size_t i = 0; i < f->count && same; ++i) {
        const paper_figure *figure = &f->figures[i];
        if (figure->quantity == quantity && figure->nodes == (size_t)v[NODES] && figure->r == r &&
            figure->iteration == iteration)
            return figure;
    }
    return NULL;
}

/*=============================================================================
 * MARK: - >>picture and data
 *===========================================================================*/

/* Draws the dynamic efficiency by iteration, with the numbers of the paper. */
static bool program__draw(const module_run *run, const forecast *f)
{
    const lu_outcome *o = &f->o;
    const paper_figure *paper[LU_ITERATIONS];
    char path[512];
    bool any = false;
    svg s;
    for (size_t k = 0; k < o->iterations; ++k) {
        paper[k] = program__measured(f, run, PAPER_EFFICIENCY, k + 1);
        any = any || paper[k];
    }
    svg_open(&s, module_path(run, "efficiency.svg", path),
             "Dynamic efficiency: how much of its nodes each iteration uses", 1000, 320);
    s.legend_left = 820;
    svg_plot(&s, 70, 790, (svg_axis){ .label = "iteration", .from = 0.5, .to = (double)o->iterations + 0.5 },
             (svg_axis){ .label = "efficiency [%]", .to = 100 });
    svg_legend(&s, SVG_AREA, svg_colours[4], "predicted");
    for (size_t k = 0; k < o->iterations; ++k)
        svg_box(&s, (double)k + 0.6, 0, (double)k + 1.4, 100 * fmin(o->efficiency[k], 1), svg_colours[4]);
    if (any) {
        svg_begin(&s, SVG_POINTS, svg_colours[1], "measured in 2006");
        for (size_t k = 0; k < o->iterations; ++k)
            if (paper[k]) svg_at(&s, (double)k + 1, 100 * paper[k]->measured);
        svg_end(&s);
    }
    return svg_close(&s);
}

static bool program__write_data(const module_run *run, const lu_outcome *o, const lu_costs *costs, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "iteration,begin [s],end [s],CPU time at speed 1 [s],efficiency [1]\n");
    for (size_t k = 0; k < o->iterations; ++k)
        fprintf(file, "%lu,%.17g,%.17g,%.17g,%.17g\n", (unsigned long)k + 1, o->start[k], o->start[k + 1],
                lu_costs_iteration(costs, k), o->efficiency[k]);
    return module_close(file, "data.csv", a);
}

/*=============================================================================
 * MARK: - >>answer
 *===========================================================================*/

/* Adds a number that was measured, and how far the predicted one is from it. */
static void program__add_measured(module_answer *a, const char *key, const char *unit, const paper_figure *figure,
                                  double predicted)
{
    if (!figure) return;
    module_add(a, key, unit, figure->measured, "Measured by the paper's authors");
    module_add(a, strcmp(unit, "s") == 0 ? "error" : "efficiency_error", "%", predicted / figure->measured - 1,
               figure->calibrates ? "Difference: the machine was calibrated with it" : "Error of the prediction");
}

/* Adds the formula and the numbers. */
static void program__add_numbers(const module_run *run, const forecast *f, module_answer *a)
{
    const lu_outcome *o = &f->o;
    const size_t nodes = f->s.nodes;
    const double all = o->efficiency[o->iterations], first = o->efficiency[0], speedup = f->alone / o->seconds;
    snprintf(a->formula, sizeof a->formula,
             "speedup = T(1) / T(%lu) = %s / %s = %.3g\n"
             "efficiency = CPU time / node-seconds = %s / %s = %s",
             (unsigned long)nodes, module_word(a, f->alone, "s"), module_word(a, o->seconds, "s"), speedup,
             module_word(a, f->serial, "s"), module_word(a, o->node_seconds, "s"), module_word(a, all, "%"));
    module_add(a, "seconds", "s", o->seconds, "Running time");
    program__add_measured(a, "measured", "s", program__measured(f, run, PAPER_TIME, 0), o->seconds);
    module_add(a, "alone", "s", f->alone, "T(1): on one node, without communication, r = %s", f->r_alone);
    module_add(a, "speedup", "1", speedup, "Speedup");
    module_add(a, "serial", "s", f->serial, "CPU time of the program");
    if (nodes == 1)
        program__add_measured(a, "serial_measured", "s", program__measured(f, run, PAPER_SERIAL, 0), f->serial);
    module_add(a, "efficiency", "%", all, "Efficiency");
    module_add(a, "first", "%", first, "Efficiency of the first iteration");
    program__add_measured(a, "first_measured", "%", program__measured(f, run, PAPER_EFFICIENCY, 1), first);
    module_add(a, "last", "%", o->efficiency[o->iterations - 1], "Efficiency of the last iteration");
    module_add(a, "node_seconds", "s", o->node_seconds, "Node-seconds held");
}

/* CPU time of an iteration, as a text. */
static const char *program__iteration(const module_run *run, const forecast *f, size_t k, module_answer *a)
{
    return module_word(a, lu_costs_iteration(&f->s.costs, k) / run->values->value[SPEED], "s");
}

/* CPU time of all panels, as a text. */
static const char *program__panels(const module_run *run, const forecast *f, module_answer *a)
{
    double panels = 0;
    for (size_t k = 0; k < f->o.iterations; ++k) panels += f->s.costs.panel[k] / run->values->value[SPEED];
    return module_word(a, panels, "s");
}

/* Gives the three sentences of a run on one node. */
static void program__explain_one(const module_run *run, const forecast *f, module_answer *a)
{
    const lu_outcome *o = &f->o;
    module_because(a, 0, "One node waits for nobody: it computes for %s of the %s, and %s of that are panels.",
                   module_word(a, f->serial, "s"), module_word(a, o->seconds, "s"), program__panels(run, f, a));
    module_because(a, 1, "The work of an iteration falls with the square of what is left of the matrix, from %s to %s.",
                   program__iteration(run, f, 0, a), program__iteration(run, f, o->iterations - 1, a));
    module_because(a, 2, "The rest, %s, is the CPU time of the objects that operations pass to each other.",
                   module_word(a, o->seconds - f->serial, "s"));
}

/* Says where the node-seconds of a run on several nodes go. */
static void program__explain_use(const forecast *f, module_answer *a)
{
    const lu_outcome *o = &f->o;
    const size_t nodes = f->s.nodes;
    if (o->seconds > f->alone)
        module_because(a, 2, "One node alone would be faster, with r = %s: it takes %s.", f->r_alone,
                       module_word(a, f->alone, "s"));
    else if (f->s.what.release_count > 0)
        module_because(
            a, 2,
            "Half of the nodes leave early: the run holds %s of node-seconds, where %lu nodes that stay to its "
            "end would hold %s.",
            module_word(a, o->node_seconds, "s"), (unsigned long)nodes,
            module_word(a, o->seconds * (double)nodes, "s"));
    else
        module_because(
            a, 2,
            "%s of the node-seconds compute, the rest waits: for blocks on the network, for a panel, or for the "
            "slowest node at the end of an iteration.",
            module_word(a, o->efficiency[o->iterations], "%"));
}

/* Gives the three sentences of a run on several nodes. */
static void program__explain_several(const module_run *run, const forecast *f, module_answer *a)
{
    const lu_outcome *o = &f->o;
    const size_t end = o->iterations - 1;
    module_because(a, 0, "The panels, one after another, take %s of the %s: while a panel is factored, %s.",
                   program__panels(run, f, a), module_word(a, o->seconds, "s"),
                   f->s.what.pipelined ? "the other nodes have only what is left of the iteration before"
                                       : "all other nodes wait");
    module_because(
        a, 1,
        "The work of an iteration falls with the square of what is left of the matrix, from %s of CPU time to %s, "
        "but messages and panels fall more slowly: its efficiency is %s at first and %s at the end.",
        program__iteration(run, f, 0, a), program__iteration(run, f, end, a), module_word(a, o->efficiency[0], "%"),
        module_word(a, o->efficiency[end], "%"));
    program__explain_use(f, a);
}

static bool program__answer(const module_run *run, module_answer *a)
{
    static forecast f; /* large, and used by one run at a time */
    const lu_outcome *o = &f.o;
    if (!program__forecast(run, &f, a)) return false;
    if (!program__draw(run, &f)) return module_fail(a, "cannot write the picture");
    if (!program__write_data(run, o, &f.s.costs, a)) return false;
    module_show(
        a, "picture.svg",
        "A timing diagram: for each of %lu nodes what it computes, sends and receives over %s. Panels, products and "
        "messages have colours of their own.",
        (unsigned long)f.s.nodes, module_word(a, o->seconds, "s"));
    module_show(a, "efficiency.svg", "A bar for each of %lu iterations: dynamic efficiency from %s to %s.",
                (unsigned long)o->iterations, module_word(a, o->efficiency[0], "%"),
                module_word(a, o->efficiency[o->iterations - 1], "%"));
    program__add_numbers(run, &f, a);
    if (f.s.nodes == 1)
        program__explain_one(run, &f, a);
    else
        program__explain_several(run, &f, a);
    return true;
}

/*=============================================================================
 * MARK: - >>study
 *===========================================================================*/

enum { CLUSTERS = 4, TRIALS = CLUSTERS * GRAPHS * SIZES };
static const size_t clusters[CLUSTERS] = { 1, 2, 4, 8 };

/* The running times of all trials [s], and the trial that is shortest. */
typedef struct trials {
    double seconds[CLUSTERS][GRAPHS][SIZES];
    size_t cluster, graph, size;
} trials;

static const char *program__nodes(size_t nodes, char text[16])
{
    snprintf(text, 16, "%lu node%s", (unsigned long)nodes, nodes == 1 ? "" : "s");
    return text;
}

static bool program__try_all(const module_run *run, trials *t, module_answer *a)
{
    static setting s;
    static lu_outcome o;
    double v[CONTROLS];
    simkit_machine *machine = program__machine(run, a);
    bool done = machine != NULL;
    memcpy(v, run->values->value, sizeof v);
    v[HALF] = STORE;
    for (size_t i = 0; i < TRIALS && done; ++i) {
        const size_t c = i % CLUSTERS, g = i / CLUSTERS % GRAPHS, z = i / CLUSTERS / GRAPHS;
        v[R] = (double)z;
        v[NODES] = (double)clusters[c];
        v[GRAPH] = (double)g;
        if (run->progress) run->progress(run->user, (double)i / TRIALS);
        done = program__predict(&s, v, machine, NULL, &o, a);
        if (!done) break;
        t->seconds[c][g][z] = o.seconds;
        if (o.seconds < t->seconds[t->cluster][t->graph][t->size]) t->cluster = c, t->graph = g, t->size = z;
    }
    simkit_machine_close(machine);
    if (done && run->progress) run->progress(run->user, 1);
    return done;
}

static bool program__write_trials(const module_run *run, const trials *t, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "nodes,graph,r,running time [s]\n");
    for (size_t c = 0; c < CLUSTERS; ++c)
        for (size_t g = 0; g < GRAPHS; ++g)
            for (size_t z = 0; z < SIZES; ++z)
                fprintf(file, "%lu,%s,%s,%.17g\n", (unsigned long)clusters[c], graphs[g], sizes[z],
                        t->seconds[c][g][z]);
    return module_close(file, "data.csv", a);
}

static bool program__draw_trials(const module_run *run, const trials *t)
{
    char path[512], name[40], text[16];
    double slowest = 0;
    svg p;
    for (size_t i = 0; i < TRIALS; ++i)
        slowest = fmax(slowest, t->seconds[i % CLUSTERS][i / CLUSTERS % GRAPHS][i / CLUSTERS / GRAPHS]);
    svg_open(&p, module_path(run, "picture.svg", path), "Running time by block size, nodes and graph", 960, 400);
    p.legend_left = 760;
    svg_plot(&p, 80, 730, (svg_axis){ .label = "columns of a block r", .from = 60, .to = 700 },
             (svg_axis){ .label = "running time [s]", .to = 1.05 * slowest });
    for (size_t c = 0; c < CLUSTERS; ++c)
        for (size_t g = 0; g < GRAPHS; ++g) {
            snprintf(name, sizeof name, "%s, %s", program__nodes(clusters[c], text), graphs[g]);
            svg_begin(&p, g == 0 ? SVG_LINE : SVG_DASHED, svg_colours[c], name);
            for (size_t z = 0; z < SIZES; ++z) svg_at(&p, strtod(sizes[z], NULL), t->seconds[c][g][z]);
            svg_end(&p);
        }
    return svg_close(&p);
}

/* Adds the shortest time of each cluster, and gives them. */
static void program__add_shortest(const trials *t, double shortest[CLUSTERS], module_answer *a)
{
    char text[16];
    for (size_t c = 0; c < CLUSTERS; ++c) {
        size_t g = 0, z = 0;
        for (size_t i = 0; i < GRAPHS * SIZES; ++i)
            if (t->seconds[c][i / SIZES][i % SIZES] < t->seconds[c][g][z]) g = i / SIZES, z = i % SIZES;
        shortest[c] = t->seconds[c][g][z];
        module_add(a, "best", "s", shortest[c], "%s: best with r = %s, %s", program__nodes(clusters[c], text), sizes[z],
                   graphs[g]);
    }
}

/* Names the best block size on 8 nodes, and the cost of the smallest and of the largest one. */
static void program__explain_size(const trials *t, module_answer *a)
{
    const double *const eight = t->seconds[CLUSTERS - 1][0];
    const size_t last = SIZES - 1;
    char smaller[160] = "", larger[160] = "";
    size_t best = 0;
    for (size_t z = 1; z < SIZES; ++z)
        if (eight[z] < eight[best]) best = z;
    if (best > 0)
        snprintf(smaller, sizeof smaller, "; smaller blocks mean more messages, so r = %s takes %s", sizes[0],
                 module_word(a, eight[0], "s"));
    if (best < last)
        snprintf(larger, sizeof larger, "; larger ones mean fewer pieces and longer panels, so r = %s takes %s",
                 sizes[last], module_word(a, eight[last], "s"));
    module_because(a, 0, "On 8 nodes (basic graph) r = %s is best, %s%s%s.", sizes[best],
                   module_word(a, eight[best], "s"), smaller, larger);
}

static void program__explain_nodes(const double shortest[CLUSTERS], module_answer *a)
{
    const double four = shortest[2], eight = shortest[3];
    if (eight < four)
        module_because(
            a, 1, "From 4 to 8 nodes the shortest time falls from %s to %s: twice the nodes, %.3g times the speed.",
            module_word(a, four, "s"), module_word(a, eight, "s"), four / eight);
    else
        module_because(a, 1,
                       "8 nodes take %s, no less than 4 nodes with %s: they send more, and that takes what they save.",
                       module_word(a, eight, "s"), module_word(a, four, "s"));
}

/* Says where pipelining saves most, and how often it loses. */
static void program__explain_pipelining(const trials *t, module_answer *a)
{
    double gain = 0;
    size_t cluster = 0, size = 0, loses = 0;
    char text[16];
    for (size_t c = 0; c < CLUSTERS; ++c)
        for (size_t z = 0; z < SIZES; ++z) {
            const double saved = 1 - t->seconds[c][1][z] / t->seconds[c][0][z];
            loses += saved < 0;
            if (saved > gain) gain = saved, cluster = c, size = z;
        }
    if (gain > 0)
        module_because(a, 2,
                       "Pipelining saves up to %s, with r = %s on %s, because nodes need not wait for the whole of an "
                       "iteration; in %lu of %d cases it is slower.",
                       module_word(a, gain, "%"), sizes[size], program__nodes(clusters[cluster], text),
                       (unsigned long)loses, CLUSTERS * SIZES);
    else
        module_because(a, 2, "Pipelining saves nothing here.");
}

static bool program__study(const module_run *run, module_answer *a)
{
    double shortest[CLUSTERS];
    trials t;
    char text[16];

    memset(&t, 0, sizeof t);
    if (!program__try_all(run, &t, a)) return false;
    if (!program__write_trials(run, &t, a)) return false;
    if (!program__draw_trials(run, &t)) return module_fail(a, "cannot write the picture");

    const char *const fastest = module_word(a, t.seconds[t.cluster][t.graph][t.size], "s"), *const r = sizes[t.size],
                      *const where = program__nodes(clusters[t.cluster], text);
    snprintf(a->formula, sizeof a->formula, "shortest of %d: %s with r = %s, %s, %s graph", TRIALS, fastest, r, where,
             graphs[t.graph]);
    program__add_shortest(&t, shortest, a);
    program__explain_size(&t, a);
    program__explain_nodes(shortest, a);
    program__explain_pipelining(&t, a);
    module_show(a, "picture.svg",
                "Lines of running time over the block size for 1, 2, 4 and 8 nodes, basic and pipelined; the "
                "shortest is %s at r = %s with %s.",
                fastest, r, where);
    return true;
}

const module module_program = {
    "program", controls, CONTROLS, true, program__answer, program__study, "Try all block sizes on 1, 2, 4 and 8 nodes"
};

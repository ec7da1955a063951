/* program.c - A parallel program: how long does the LU factorization of the DPS paper take, and why? */
#include "module.h"

#include "../flowgraph/lu.h"
#include "../flowgraph/paper.h"

#include "../svg.h"

#include <stdlib.h>
#include <string.h>

enum { SIZES = 6, GRAPHS = 2, FLOWS = 5, PARTS = 2, HALVES = 5, MOST_NODES = 16, FILE_NODES = 8 };
enum { R, NODES, GRAPH, FLOW, PM, HALF, LATENCY, BANDWIDTH, SPEED, CONTROLS };
enum { STORE, COMPUTE, LEAVE }; /* what half of the nodes do; LEAVE + k: leave after iteration k + 1 */

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

/* A run of the program, as the controls say. */
typedef struct setting {
    size_t r, nodes, half; /* half: nodes that may leave */
    lu_release release;
    lu_costs costs;
    lu_desc what;
} setting;

static bool prepare(setting *s, const double *v, const simkit_machine *machine, module_answer *a)
{
    const int half = (int)v[HALF];
    memset(s, 0, sizeof *s);
    s->r = (size_t)strtoul(sizes[(int)v[R]], NULL, 10);
    s->nodes = (size_t)v[NODES];
    s->half = half == STORE ? 0 : s->nodes / 2;
    s->release = (lu_release){ (size_t)(half - LEAVE) + 1, s->half };
    s->what = (lu_desc){ .n = PAPER_N,
                         .r = s->r,
                         .pipelined = (int)v[GRAPH] == 1,
                         .window = (size_t)strtoul(flows[(int)v[FLOW]], NULL, 10),
                         .parts = (size_t)strtoul(parts[(int)v[PM]], NULL, 10),
                         .column_nodes = s->half > 0 ? s->nodes - s->half : 0,
                         .releases = &s->release,
                         .release_count = half >= LEAVE && s->half > 0 ? 1 : 0,
                         .costs = &s->costs };
    return lu_costs_of_machine(machine, PAPER_N, s->r, s->what.parts, &s->costs) == SIMKIT_OK ||
           module_fail(a, "a product of %lu columns cannot be divided into %lu parts", (unsigned long)s->r,
                       (unsigned long)s->what.parts);
}

/* The machine file that was written, read again: so it is known to be right. */
static simkit_machine *machine_of(const module_run *run, module_answer *a)
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

/* What the paper has measured, if the controls say what the paper did; NULL otherwise. */
static const paper_figure *measured(const paper_figure *figures, size_t count, const module_run *run,
                                    paper_quantity quantity, size_t iteration)
{
    const double *v = run->values->value;
    const size_t r = (size_t)strtoul(sizes[(int)v[R]], NULL, 10);
    const int half = quantity == PAPER_EFFICIENCY && v[NODES] > 4 ? COMPUTE : STORE;
    module_values usual;
    module_defaults(&module_program, &usual);
    bool same = (int)v[HALF] == half;
    for (int i = LATENCY; i <= SPEED; ++i) same = same && fabs(v[i] / usual.value[i] - 1) < 1e-12;
    for (int i = GRAPH; i <= PM; ++i) same = same && v[i] < 0.5;
    for (size_t i = 0; i < count && same; ++i)
        if (figures[i].quantity == quantity && figures[i].nodes == (size_t)v[NODES] && figures[i].r == r &&
            figures[i].iteration == iteration)
            return &figures[i];
    return NULL;
}

/* Dynamic efficiency by iteration, with what the paper has measured. */
static bool draw(const module_run *run, const lu_outcome *o, const paper_figure *const *paper)
{
    char path[512];
    bool any = false;
    svg s;
    svg_open(&s, module_path(run, "efficiency.svg", path),
             "Dynamic efficiency: how much of its nodes each iteration uses", 1000, 320);
    s.legend_left = 820;
    svg_plot(&s, 70, 790, (svg_axis){ .label = "iteration", .from = 0.5, .to = (double)o->iterations + 0.5 },
             (svg_axis){ .label = "efficiency [%]", .to = 100 });
    svg_legend(&s, SVG_AREA, svg_colours[4], "predicted");
    for (size_t k = 0; k < o->iterations; ++k)
        svg_box(&s, (double)k + 0.6, 0, (double)k + 1.4, 100 * fmin(o->efficiency[k], 1), svg_colours[4]);
    for (size_t k = 0; k < o->iterations; ++k) any = any || paper[k];
    if (any) {
        svg_begin(&s, SVG_POINTS, svg_colours[1], "measured in 2006");
        for (size_t k = 0; k < o->iterations; ++k)
            if (paper[k]) svg_at(&s, (double)k + 1, 100 * paper[k]->measured);
        svg_end(&s);
    }
    return svg_close(&s);
}

static bool write_data(const module_run *run, const lu_outcome *o, const lu_costs *costs, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "iteration,begin [s],end [s],CPU time at speed 1 [s],efficiency [1]\n");
    for (size_t k = 0; k < o->iterations; ++k)
        fprintf(file, "%lu,%.17g,%.17g,%.17g,%.17g\n", (unsigned long)k + 1, o->start[k], o->start[k + 1],
                lu_costs_iteration(costs, k), o->efficiency[k]);
    return module_close(file, "data.csv", a);
}

/* Adds a number that was measured, and how far the predicted one is from it. */
static void add_measured(module_answer *a, const char *key, const char *unit, const paper_figure *figure,
                         double predicted)
{
    if (!figure) return;
    module_add(a, key, unit, figure->measured, "Measured by the paper's authors");
    module_add(a, strcmp(unit, "s") == 0 ? "error" : "efficiency_error", "%", predicted / figure->measured - 1,
               figure->calibrates ? "Difference: the machine was calibrated with it" : "Error of the prediction");
}

/* The shortest time on one node without communication, over all block sizes; gives the size as well. */
static double serial_best(const module_run *run, const simkit_machine *machine, const char **r)
{
    double best = (double)INFINITY;
    for (int z = 0; z < SIZES; ++z) {
        static lu_costs costs; /* large */
        if (lu_costs_of_machine(machine, PAPER_N, (size_t)strtoul(sizes[z], NULL, 10), 1, &costs) != SIMKIT_OK)
            continue;
        const double seconds = lu_costs_serial(&costs) / run->values->value[SPEED];
        if (seconds < best) best = seconds, *r = sizes[z];
    }
    return best;
}

/* The numbers and the three sentences. `alone` is the shortest time on one node, with blocks of `r_alone` columns. */
static bool explain(const module_run *run, const setting *s, const lu_outcome *o, double alone, const char *r_alone,
                    const paper_figure *figures, size_t count, module_answer *a)
{
    const double speed = run->values->value[SPEED], serial = lu_costs_serial(&s->costs) / speed,
                 all = o->efficiency[o->iterations], first = o->efficiency[0], last = o->efficiency[o->iterations - 1];
    double panels = 0;
    for (size_t k = 0; k < o->iterations; ++k) panels += s->costs.panel[k] / speed;
    const char *const t = module_word(a, o->seconds, "s"), *const work = module_word(a, serial, "s"),
                      *const one = module_word(a, alone, "s"), *const panel = module_word(a, panels, "s"),
                      *const begin = module_word(a, lu_costs_iteration(&s->costs, 0) / speed, "s"),
                      *const end = module_word(a, lu_costs_iteration(&s->costs, o->iterations - 1) / speed, "s");
    snprintf(a->formula, sizeof a->formula,
             "speedup = T(1) / T(%lu) = %s / %s = %.3g\n"
             "efficiency = CPU time / node-seconds = %s / %s = %s",
             (unsigned long)s->nodes, one, t, alone / o->seconds, work, module_word(a, o->node_seconds, "s"),
             module_word(a, all, "%"));
    module_add(a, "seconds", "s", o->seconds, "Running time");
    add_measured(a, "measured", "s", measured(figures, count, run, PAPER_TIME, 0), o->seconds);
    module_add(a, "alone", "s", alone, "T(1): on one node, without communication, r = %s", r_alone);
    module_add(a, "speedup", "1", alone / o->seconds, "Speedup");
    module_add(a, "serial", "s", serial, "CPU time of the program");
    if (s->nodes == 1) add_measured(a, "serial_measured", "s", measured(figures, count, run, PAPER_SERIAL, 0), serial);
    module_add(a, "efficiency", "%", all, "Efficiency");
    module_add(a, "first", "%", first, "Efficiency of the first iteration");
    add_measured(a, "first_measured", "%", measured(figures, count, run, PAPER_EFFICIENCY, 1), first);
    module_add(a, "last", "%", last, "Efficiency of the last iteration");
    module_add(a, "node_seconds", "s", o->node_seconds, "Node-seconds held");
    if (s->nodes == 1) {
        module_because(a, 0, "One node waits for nobody: it computes for %s of the %s, and %s of that are panels.",
                       work, t, panel);
        module_because(a, 1,
                       "The work of an iteration falls with the square of what is left of the matrix, from %s to %s.",
                       begin, end);
        module_because(a, 2, "The rest, %s, is the CPU time of the objects that operations pass to each other.",
                       module_word(a, o->seconds - serial, "s"));
        return true;
    }
    if (s->what.pipelined)
        module_because(
            a, 0,
            "The panels, one after another, take %s of the %s: while a panel is factored, the other nodes have "
            "only what is left of the iteration before.",
            panel, t);
    else
        module_because(
            a, 0, "The panels, one after another, take %s of the %s: while a panel is factored, all other nodes wait.",
            panel, t);
    module_because(
        a, 1,
        "The work of an iteration falls with the square of what is left of the matrix, from %s of CPU time to %s, "
        "but messages and panels fall more slowly: its efficiency is %s at first and %s at the end.",
        begin, end, module_word(a, first, "%"), module_word(a, last, "%"));
    if (o->seconds > alone)
        module_because(a, 2, "One node alone would be faster, with r = %s: it takes %s.", r_alone, one);
    else if (s->what.release_count > 0)
        module_because(
            a, 2,
            "Half of the nodes leave early: the run holds %s of node-seconds, where %lu nodes that stay to its "
            "end would hold %s.",
            module_word(a, o->node_seconds, "s"), (unsigned long)s->nodes,
            module_word(a, o->seconds * (double)s->nodes, "s"));
    else
        module_because(
            a, 2,
            "%s of the node-seconds compute, the rest waits: for blocks on the network, for a panel, or for the "
            "slowest node at the end of an iteration.",
            module_word(a, all, "%"));
    return true;
}

static bool answer(const module_run *run, module_answer *a)
{
    static setting s; /* large, and used by one run at a time */
    static lu_outcome o;
    paper_figure figures[PAPER_FIGURES];
    const paper_figure *paper[LU_ITERATIONS];
    const char *r_alone = sizes[0];
    char why[200], path[512];
    const size_t count = paper_load("tests/published", figures, why);
    if (count == 0) return module_fail(a, "%.180s", why);
    simkit_machine *machine = machine_of(run, a);
    if (!machine) return false;
    bool done = prepare(&s, run->values->value, machine, a);
    if (done && lu_predict(machine, s.nodes, &s.what, module_path(run, "picture.svg", path), NULL, &o) != FLOWGRAPH_OK)
        done = module_fail(a, "%.200s", o.why);
    const double alone = serial_best(run, machine, &r_alone);
    simkit_machine_close(machine);
    if (!done) return false;
    for (size_t k = 0; k < o.iterations; ++k) paper[k] = measured(figures, count, run, PAPER_EFFICIENCY, k + 1);
    if (!draw(run, &o, paper)) return module_fail(a, "cannot write the picture");
    if (!write_data(run, &o, &s.costs, a)) return false;
    module_show(
        a, "picture.svg",
        "A timing diagram: for each of %lu nodes what it computes, sends and receives over %s. Panels, products and "
        "messages have colours of their own.",
        (unsigned long)s.nodes, module_word(a, o.seconds, "s"));
    module_show(a, "efficiency.svg", "A bar for each of %lu iterations: dynamic efficiency from %s to %s.",
                (unsigned long)o.iterations, module_word(a, o.efficiency[0], "%"),
                module_word(a, o.efficiency[o.iterations - 1], "%"));
    return explain(run, &s, &o, alone, r_alone, figures, count, a);
}

/*=============================================================================
 * MARK: - >>study
 *===========================================================================*/
enum { CLUSTERS = 4 };
static const size_t clusters[CLUSTERS] = { 1, 2, 4, 8 };

static const char *nodes_text(size_t nodes, char text[16])
{
    snprintf(text, 16, "%lu node%s", (unsigned long)nodes, nodes == 1 ? "" : "s");
    return text;
}

static bool study(const module_run *run, module_answer *a)
{
    static setting s;
    static lu_outcome o;
    double seconds[CLUSTERS][GRAPHS][SIZES], slowest = 0, fastest = (double)INFINITY, shortest[CLUSTERS], v[CONTROLS];
    size_t best[3] = { 0, 0, 0 }; /* cluster, graph, size */
    char path[512], text[2][16];
    svg p;
    simkit_machine *machine = machine_of(run, a);
    if (!machine) return false;
    memcpy(v, run->values->value, sizeof v);
    v[HALF] = STORE;
    bool done = true;
    for (size_t i = 0; i < CLUSTERS * GRAPHS * SIZES && done; ++i) {
        const size_t c = i % CLUSTERS, g = i / CLUSTERS % GRAPHS, z = i / CLUSTERS / GRAPHS;
        v[R] = (double)z;
        v[NODES] = (double)clusters[c];
        v[GRAPH] = (double)g;
        if (run->progress) run->progress(run->user, (double)i / (CLUSTERS * GRAPHS * SIZES));
        done = prepare(&s, v, machine, a);
        if (done && lu_predict(machine, clusters[c], &s.what, NULL, NULL, &o) != FLOWGRAPH_OK)
            done = module_fail(a, "%.200s", o.why);
        if (!done) break;
        seconds[c][g][z] = o.seconds;
        slowest = fmax(slowest, o.seconds);
        if (o.seconds < fastest) fastest = o.seconds, best[0] = c, best[1] = g, best[2] = z;
    }
    simkit_machine_close(machine);
    if (!done) return false;
    if (run->progress) run->progress(run->user, 1);
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "nodes,graph,r,running time [s]\n");
    for (size_t c = 0; c < CLUSTERS; ++c)
        for (size_t g = 0; g < GRAPHS; ++g)
            for (size_t z = 0; z < SIZES; ++z)
                fprintf(file, "%lu,%s,%s,%.17g\n", (unsigned long)clusters[c], graphs[g], sizes[z], seconds[c][g][z]);
    if (!module_close(file, "data.csv", a)) return false;
    svg_open(&p, module_path(run, "picture.svg", path), "Running time by block size, nodes and graph", 960, 400);
    p.legend_left = 760;
    svg_plot(&p, 80, 730, (svg_axis){ .label = "columns of a block r", .from = 60, .to = 700 },
             (svg_axis){ .label = "running time [s]", .to = 1.05 * slowest });
    for (size_t c = 0; c < CLUSTERS; ++c)
        for (size_t g = 0; g < GRAPHS; ++g) {
            char name[40];
            snprintf(name, sizeof name, "%s, %s", nodes_text(clusters[c], text[0]), graphs[g]);
            svg_begin(&p, g == 0 ? SVG_LINE : SVG_DASHED, svg_colours[c], name);
            for (size_t z = 0; z < SIZES; ++z) svg_at(&p, strtod(sizes[z], NULL), seconds[c][g][z]);
            svg_end(&p);
        }
    if (!svg_close(&p)) return module_fail(a, "cannot write the picture");

    const char *const where = nodes_text(clusters[best[0]], text[0]);
    snprintf(a->formula, sizeof a->formula, "shortest of %d: %s with r = %s, %s, %s graph", CLUSTERS * GRAPHS * SIZES,
             module_word(a, fastest, "s"), sizes[best[2]], where, graphs[best[1]]);
    for (size_t c = 0; c < CLUSTERS; ++c) {
        size_t z = 0, g = 0;
        for (size_t i = 0; i < GRAPHS * SIZES; ++i)
            if (seconds[c][i / SIZES][i % SIZES] < seconds[c][g][z]) g = i / SIZES, z = i % SIZES;
        shortest[c] = seconds[c][g][z];
        module_add(a, "best", "s", shortest[c], "%s: best with r = %s, %s", nodes_text(clusters[c], text[1]), sizes[z],
                   graphs[g]);
    }
    double gain = 0;
    size_t gains[2] = { 0, 0 }, loses = 0; /* cluster and size where pipelining saves most */
    for (size_t c = 0; c < CLUSTERS; ++c)
        for (size_t z = 0; z < SIZES; ++z) {
            const double saved = 1 - seconds[c][1][z] / seconds[c][0][z];
            loses += saved < 0;
            if (saved > gain) gain = saved, gains[0] = c, gains[1] = z;
        }
    const double *const eight = seconds[CLUSTERS - 1][0];
    size_t good = 0;
    for (size_t z = 1; z < SIZES; ++z)
        if (eight[z] < eight[good]) good = z;
    module_because(a, 0, "On 8 nodes (basic graph) r = %s is best, %s%s%s%s%s%s%s%s%s.", sizes[good],
                   module_word(a, eight[good], "s"), good > 0 ? "; smaller blocks mean more messages, so r = " : "",
                   good > 0 ? sizes[0] : "", good > 0 ? " takes " : "", good > 0 ? module_word(a, eight[0], "s") : "",
                   good + 1 < SIZES ? "; larger ones mean fewer pieces and longer panels, so r = " : "",
                   good + 1 < SIZES ? sizes[SIZES - 1] : "", good + 1 < SIZES ? " takes " : "",
                   good + 1 < SIZES ? module_word(a, eight[SIZES - 1], "s") : "");
    if (shortest[3] < shortest[2])
        module_because(
            a, 1, "From 4 to 8 nodes the shortest time falls from %s to %s: twice the nodes, %.3g times the speed.",
            module_word(a, shortest[2], "s"), module_word(a, shortest[3], "s"), shortest[2] / shortest[3]);
    else
        module_because(a, 1,
                       "8 nodes take %s, no less than 4 nodes with %s: they send more, and that takes what they save.",
                       module_word(a, shortest[3], "s"), module_word(a, shortest[2], "s"));
    if (gain > 0)
        module_because(a, 2,
                       "Pipelining saves up to %s, with r = %s on %s, because nodes need not wait for the whole of an "
                       "iteration; in %lu of %d cases it is slower.",
                       module_word(a, gain, "%"), sizes[gains[1]], nodes_text(clusters[gains[0]], text[1]),
                       (unsigned long)loses, CLUSTERS * SIZES);
    else
        module_because(a, 2, "Pipelining saves nothing here.");
    module_show(a, "picture.svg",
                "Lines of running time over the block size for 1, 2, 4 and 8 nodes, basic and pipelined; the "
                "shortest is %s at r = %s with %s.",
                module_word(a, fastest, "s"), sizes[best[2]], where);
    return true;
}

const module module_program = {
    "program", controls, CONTROLS, true, answer, study, "Try all block sizes on 1, 2, 4 and 8 nodes"
};

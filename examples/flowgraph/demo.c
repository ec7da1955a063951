/* How long does the LU factorization of a 2592 x 2592 matrix take on 4 and on 8 nodes, and why?
 *
 * make demo builds and runs this: first for the cluster of the DPS paper, compared with the measurements there; then
 * for a cluster of machines like this one, whose kernels are measured for two seconds, or longer until two measurements
 * agree. Each part draws a timing diagram and writes a trace. */
#define _POSIX_C_SOURCE 200809L
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "kernels.h"
#include "lu.h"
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZES = 6, CLUSTERS = 2, GRAPHS = 2 };

static const size_t sizes[SIZES] = { 81, 108, 162, 216, 324, 648 };
static const size_t clusters[CLUSTERS] = { 4, 8 };
static const char *const graphs[GRAPHS] = { "basic", "pipelined" };

/* The run that is drawn, and whose iterations are listed. */
enum { DRAWN_SIZE = 4, DRAWN_CLUSTER = 0 };

/* Two measurements of the kernels agree when they differ by no more than this; the maximum number of measurements. */
static const double agreement = 0.1;
enum { MEASUREMENTS = 6 };

/* All runs on one machine. */
typedef struct table {
    lu_costs costs[SIZES];
    lu_outcome outcomes[CLUSTERS][GRAPHS][SIZES];
} table;

/*=============================================================================
 * MARK: - >>running
 *===========================================================================*/
static void progress(const char *text, size_t r)
{
    if (!isatty(STDERR_FILENO)) return;
    if (text)
        fprintf(stderr, "\r%s, r = %lu ...\033[K", text, (unsigned long)r);
    else
        fprintf(stderr, "\r\033[K");
}

static bool fails(const char *why)
{
    progress(NULL, 0);
    fprintf(stderr, "demo: %s\n", why);
    return false;
}

/* Predicts all runs, and writes one of them to DIRECTORY/lu-NAME.svg and .json. */
static bool run_all(const simkit_machine *machine, table *all, const char *directory, const char *name)
{
    char svg[600], json[600];
    snprintf(svg, sizeof svg, "%s/lu-%s.svg", directory, name);
    snprintf(json, sizeof json, "%s/lu-%s.json", directory, name);
    for (size_t s = 0; s < SIZES; ++s)
        for (size_t c = 0; c < CLUSTERS; ++c)
            for (size_t g = 0; g < GRAPHS; ++g) {
                const bool drawn = s == DRAWN_SIZE && c == DRAWN_CLUSTER && g == 0;
                const lu_desc what = { .n = PAPER_N, .r = sizes[s], .pipelined = g == 1, .costs = &all->costs[s] };
                lu_outcome *outcome = &all->outcomes[c][g][s];
                progress("predicting", sizes[s]);
                if (lu_predict(machine, clusters[c], &what, drawn ? svg : NULL, drawn ? json : NULL, outcome) !=
                    FLOWGRAPH_OK)
                    return fails(outcome->why);
            }
    progress(NULL, 0);
    return true;
}

/*=============================================================================
 * MARK: - >>printing
 *===========================================================================*/
static double measured(const paper_figure *figures, size_t count, paper_quantity quantity, size_t nodes, size_t r)
{
    for (size_t i = 0; i < count; ++i)
        if (figures[i].quantity == quantity && figures[i].nodes == nodes && figures[i].r == r)
            return figures[i].measured;
    return NAN;
}

/* Prints a line of measurements, if there are any. */
static void print_measured(const paper_figure *figures, size_t count, paper_quantity quantity, size_t nodes)
{
    bool any = false;
    for (size_t s = 0; s < SIZES; ++s) any = any || !isnan(measured(figures, count, quantity, nodes, sizes[s]));
    if (!any) return;
    printf("  %-20s", "  in the paper");
    for (size_t s = 0; s < SIZES; ++s) {
        const double value = measured(figures, count, quantity, nodes, sizes[s]);
        if (isnan(value))
            printf("%9s", "");
        else
            printf("%9.1f", value);
    }
    printf("\n");
}

static void print_times(const table *all, int decimals, const paper_figure *figures, size_t count)
{
    printf("  running time [s]  r =");
    for (size_t s = 0; s < SIZES; ++s) printf("%*lu", s ? 9 : 8, (unsigned long)sizes[s]);
    printf("\n  %-20s", "one node");
    for (size_t s = 0; s < SIZES; ++s) printf("%9.*f", decimals, lu_costs_serial(&all->costs[s]));
    printf("\n");
    print_measured(figures, count, PAPER_SERIAL, 1);
    for (size_t c = 0; c < CLUSTERS; ++c)
        for (size_t g = 0; g < GRAPHS; ++g) {
            printf("  %lu nodes, %-11s", (unsigned long)clusters[c], graphs[g]);
            for (size_t s = 0; s < SIZES; ++s) printf("%9.*f", decimals, all->outcomes[c][g][s].seconds);
            printf("\n");
            if (g == 0) print_measured(figures, count, PAPER_TIME, clusters[c]);
        }
    printf("\n");
}

/* Efficiency of every iteration of the basic graph, as number and bar. */
static void print_efficiency(const table *all)
{
    enum { WIDTH = 40 };
    printf(
        "  efficiency of every iteration (time spent computing / time of all nodes), r = %lu, basic graph\n  iteration",
        (unsigned long)sizes[DRAWN_SIZE]);
    for (size_t c = 0; c < CLUSTERS; ++c)
        printf("  %lu nodes%*s", (unsigned long)clusters[c], c + 1 < CLUSTERS ? WIDTH : 0, "");
    printf("\n");
    for (size_t k = 0; k < all->outcomes[0][0][DRAWN_SIZE].iterations; ++k) {
        printf("  %9lu", (unsigned long)k + 1);
        for (size_t c = 0; c < CLUSTERS; ++c) {
            const double e = all->outcomes[c][0][DRAWN_SIZE].efficiency[k];
            char bar[WIDTH + 1] = "";
            memset(bar, '#', (size_t)(fmin(e, 1) * WIDTH + 0.5));
            printf("  %5.1f %% %-*s", 100 * e, c + 1 < CLUSTERS ? WIDTH : 0, bar);
        }
        printf("\n");
    }
    printf("\n");
}

static const char *figure_text(const paper_figure *figure, char text[80])
{
    const unsigned long nodes = figure->nodes, r = figure->r, iteration = figure->iteration;
    switch (figure->quantity) {
    case PAPER_SERIAL: snprintf(text, 80, "one node, r = %lu [s]", r); break;
    case PAPER_TIME: snprintf(text, 80, "%lu nodes, r = %lu, basic [s]", nodes, r); break;
    case PAPER_EFFICIENCY:
        snprintf(text, 80, "efficiency, %lu nodes, r = %lu, iteration %lu", nodes, r, iteration);
        break;
    case PAPER_SHARE:
        snprintf(text, 80, "share of the time, %lu nodes, r = %lu, iteration %lu", nodes, r, iteration);
        break;
    case PAPER_RATIO:
        snprintf(text, 80, "efficiency of iteration %lu, %lu nodes over %lu", iteration, nodes, 2 * nodes);
        break;
    }
    return text;
}

static bool print_figures(const simkit_machine *machine, const paper_figure *figures, size_t count)
{
    char text[80];
    printf("  %-48s in paper     model    error\n", "published figure");
    for (int calibrates = 1; calibrates >= 0; --calibrates)
        for (size_t i = 0; i < count; ++i) {
            lu_outcome outcome;
            if (figures[i].calibrates != (calibrates == 1)) continue;
            double model = paper_predict(machine, &figures[i], &outcome);
            if (isnan(model)) return fails(outcome.why);
            double miss = 100 * (model / figures[i].measured - 1);
            printf("  %-48s %8.4g  %8.4g  %+5.1f %%  %s\n", figure_text(&figures[i], text), figures[i].measured, model,
                   fabs(miss) < 0.05 ? 0 : miss, calibrates ? "calibrated" : "predicted");
        }
    printf("\n");
    return true;
}

/* [dps] figure 12: products on eight nodes, block columns on four of them. Does it pay to release nodes? */
static bool print_releases(const simkit_machine *machine, const table *all)
{
    static const lu_release early[] = { { 1, 4 } }, later[] = { { 2, 4 } }, latest[] = { { 4, 4 } },
                            halves[] = { { 1, 2 }, { 2, 2 } }, singles[] = { { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 } };
    static const struct {
        const char *name;
        size_t nodes, count;
        const lu_release *releases;
    } strategies[] = {
        { "8 nodes", 8, 0, NULL },
        { "4 after iteration 4", 8, 1, latest },
        { "4 after iteration 2", 8, 1, later },
        { "1 after each of 1 to 4", 8, 4, singles },
        { "2 after 1, 2 after 2", 8, 2, halves },
        { "4 after iteration 1", 8, 1, early },
        { "4 nodes", 4, 0, NULL },
    };
    double first = 0, held = 0;

    printf("  nodes released during the run, r = %lu, basic graph, block columns on 4 nodes\n"
           "    %-24s running time        node seconds         efficiency\n",
           (unsigned long)sizes[DRAWN_SIZE], "");
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; ++i) {
        const lu_desc what = { .n = PAPER_N,
                               .r = sizes[DRAWN_SIZE],
                               .column_nodes = 4,
                               .releases = strategies[i].releases,
                               .release_count = strategies[i].count,
                               .costs = &all->costs[DRAWN_SIZE] };
        lu_outcome outcome;
        if (lu_predict(machine, strategies[i].nodes, &what, NULL, NULL, &outcome) != FLOWGRAPH_OK)
            return fails(outcome.why);
        if (i == 0) first = outcome.seconds, held = outcome.node_seconds;
        printf("    %-24s %8.4g s %+6.1f %%   %8.4g s %+6.1f %%   %6.1f %%\n", strategies[i].name, outcome.seconds,
               100 * (outcome.seconds / first - 1), outcome.node_seconds, 100 * (outcome.node_seconds / held - 1),
               100 * outcome.efficiency[outcome.iterations]);
    }
    printf("\n");
    return true;
}

/* Prints the best choice of r and graph, and the speedup. */
static void print_shape(const table *all)
{
    double alone = HUGE_VAL;
    for (size_t s = 0; s < SIZES; ++s) alone = fmin(alone, lu_costs_serial(&all->costs[s]));
    for (size_t c = 0; c < CLUSTERS; ++c) {
        size_t best[GRAPHS] = { 0, 0 }, loses = 0;
        double gain = 0;
        for (size_t s = 0; s < SIZES; ++s) {
            const double basic = all->outcomes[c][0][s].seconds, pipelined = all->outcomes[c][1][s].seconds;
            for (size_t g = 0; g < GRAPHS; ++g)
                if (all->outcomes[c][g][s].seconds < all->outcomes[c][g][best[g]].seconds) best[g] = s;
            loses += pipelined > basic;
            gain = fmax(gain, 1 - pipelined / basic);
        }
        double fastest = fmin(all->outcomes[c][0][best[0]].seconds, all->outcomes[c][1][best[1]].seconds);
        char verdict[120];
        if (fastest < alone)
            snprintf(verdict, sizeof verdict, "%.2f times as fast as one node", alone / fastest);
        else
            snprintf(verdict, sizeof verdict,
                     "one node is %.2f times as fast: the network is too slow for such processors", fastest / alone);
        printf("  %lu nodes: best r = %lu (basic), %lu (pipelined); pipelining saves up to %.1f %%, and is slower for "
               "%lu of %d sizes;\n           %s\n",
               (unsigned long)clusters[c], (unsigned long)sizes[best[0]], (unsigned long)sizes[best[1]], 100 * gain,
               (unsigned long)loses, SIZES, verdict);
    }
    printf("\n");
}

/*=============================================================================
 * MARK: - >>chapters
 *===========================================================================*/
static bool load(const char *path, simkit_machine **machine)
{
    simkit_parse_error error;
    return simkit_machine_read(&(simkit_input){ .path = path }, machine, &error) == SIMKIT_OK || fails(error.text);
}

/* Predicts for a machine file with rates, compares with measurements, if any, and writes DIRECTORY/lu-NAME.*. */
static bool predict_machine(const char *path, const paper_figure *figures, size_t count, const char *directory,
                            const char *name)
{
    simkit_machine *machine;
    table *all;
    if (!load(path, &machine)) return false;
    all = (table *)calloc(1, sizeof *all);
    if (!all) return fails("no memory");
    bool done = true;
    for (size_t s = 0; s < SIZES && done; ++s)
        if (lu_costs_of_machine(machine, PAPER_N, sizes[s], 1, &all->costs[s]) != SIMKIT_OK) {
            char why[400];
            snprintf(why, sizeof why, "%.200s: a rate is missing; examples/machines/dps.machine has all of them", path);
            done = fails(why);
        }
    done = done && run_all(machine, all, directory, name);
    if (done) {
        printf("%s (%s)\n\n", machine->name, path);
        print_times(all, 1, figures, count);
        print_efficiency(all);
        done = print_releases(machine, all) && (count == 0 || print_figures(machine, figures, count));
        print_shape(all);
    }
    free(all);
    simkit_machine_close(machine);
    return done;
}

/* Measures the kernels until any two measurements agree, because other programs may disturb them. `differ`: relative
 * difference of the last two if none agree, otherwise 0. */
static bool measure(size_t r, kernels_times *times, double *differ, double *spent)
{
    kernels_times all[MEASUREMENTS];
    for (size_t i = 0; i < MEASUREMENTS; ++i) {
        progress(i < 2 ? "measuring the kernels" : "measuring the kernels again, as no two measurements agree", r);
        if (kernels_measure(PAPER_N, r, 1, 1.0 / SIZES, &all[i]) != 0) return fails("no memory for the kernels");
        *spent += all[i].spent;
        *times = all[i];
        *differ = 0;
        for (size_t k = i; k-- > 0;)
            if (kernels_difference(&all[k], times) <= agreement) return true;
        if (i > 0) *differ = kernels_difference(&all[i - 1], times);
    }
    return true;
}

/* Predicts for this machine: kernels as measured, network from a file. */
static bool predict_here(const char *path, const char *directory)
{
    simkit_machine *machine;
    kernels_times times[SIZES];
    double differ[SIZES], spent = 0;
    table *all;
    if (!load(path, &machine)) return false;
    all = (table *)calloc(1, sizeof *all);
    if (!all) return fails("no memory");
    bool done = true;
    for (size_t s = 0; s < SIZES && done; ++s) {
        done = measure(sizes[s], &times[s], &differ[s], &spent);
        done = done && (lu_costs_of_kernels(&times[s], &all->costs[s]) == SIMKIT_OK ||
                        fails("the time of a kernel is not positive"));
    }
    done = done && run_all(machine, all, directory, "here");
    if (done) {
        printf("a cluster of nodes like this machine, one core each, measured now; %s (%s)\n\n", machine->name, path);
        printf("  Gflop/s, %-10s r =", kernels_name());
        for (size_t s = 0; s < SIZES; ++s) printf("%*lu", s ? 9 : 8, (unsigned long)sizes[s]);
        for (int row = 0; row < 3; ++row) {
            printf("\n  %-20s", row == 0 ? "multiply" : row == 1 ? "solve" : "panel of all rows");
            for (size_t s = 0; s < SIZES; ++s) {
                const double r = (double)sizes[s], flop = row == 0   ? 2 * r * r * r
                                                          : row == 1 ? r * r * r
                                                                     : r * r * (PAPER_N - r / 3);
                const double seconds = row == 0   ? times[s].multiply
                                       : row == 1 ? times[s].solve
                                                  : kernels_panel_time(&times[s], PAPER_N);
                printf("%9.2f", flop / seconds * 1e-9);
            }
        }
        printf("\n  measured in %.1f s on real blocks\n", spent);
        for (size_t s = 0; s < SIZES; ++s)
            if (differ[s] > 0)
                printf(
                    "  DISTURBED: r = %lu was measured %d times, but no two times agree within %.0f %%: the last two "
                    "differ by %.0f %%;\n             its predictions may be off by as much. Try again when nothing "
                    "else runs.\n",
                    (unsigned long)sizes[s], MEASUREMENTS, 100 * agreement, 100 * differ[s]);
        printf("\n");
        print_times(all, 3, NULL, 0);
        print_efficiency(all);
        done = print_releases(machine, all);
        print_shape(all);
    }
    free(all);
    simkit_machine_close(machine);
    return done;
}

static bool calibrate(const paper_figure *figures, size_t count, const char *path)
{
    simkit_machine *machine;
    if (!load(path, &machine)) return false;
    if (!paper_calibrate(figures, count, machine)) return fails("no machine meets all three figures at once");
    printf("[node] cpu_per_outgoing = %.4g\n[node] cpu_per_incoming = %.4g\n", machine->kinds[0].node.cpu_per_outgoing,
           machine->kinds[0].node.cpu_per_incoming);
    for (size_t i = 0; i < machine->operation_count; ++i)
        if (strcmp(machine->operations[i].unit, "flop/s") == 0)
            printf("[operation %s] %s = %.4g Mflop/s\n", machine->operations[i].name, machine->operations[i].key,
                   machine->operations[i].value * 1e-6);
    simkit_machine_close(machine);
    return true;
}

static const char usage[] =
    "demo [--out DIR] [--machine FILE | --network FILE | --calibrate]\n"
    "  --out DIR       directory for diagrams and traces; default: the current one\n"
    "  --machine FILE  predict for this machine only; its file needs the rates of examples/machines/dps.machine\n"
    "  --network FILE  nodes and network for the kernels of this machine; default: examples/machines/gigabit.machine\n"
    "  --calibrate     solve the paper's machine for three published figures and print the keys for its file\n";

static void print_written(const char *directory, const char *name)
{
    printf("  %s/lu-%s.svg   timing diagram, for a browser\n"
           "  %s/lu-%s.json  the same as a trace, for chrome://tracing or https://ui.perfetto.dev\n",
           directory, name, directory, name);
}

int main(int count, char **arguments)
{
    const char *directory = ".", *paper = "examples/machines/dps.machine", *machine = NULL;
    const char *network = "examples/machines/gigabit.machine";
    bool calibrating = false;
    paper_figure figures[PAPER_FIGURES];
    char why[200];
    for (int i = 1; i < count; ++i) {
        const char **value = strcmp(arguments[i], "--out") == 0       ? &directory
                             : strcmp(arguments[i], "--machine") == 0 ? &machine
                             : strcmp(arguments[i], "--network") == 0 ? &network
                                                                      : NULL;
        if (strcmp(arguments[i], "--calibrate") == 0) {
            calibrating = true;
        } else if (value && i + 1 < count) {
            *value = arguments[++i];
        } else {
            fprintf(strcmp(arguments[i], "--help") == 0 ? stdout : stderr, "%s", usage);
            return strcmp(arguments[i], "--help") != 0;
        }
    }
    size_t known = paper_load("tests/published", figures, why);
    if (known == 0) return !fails(why);
    if (calibrating) return !calibrate(figures, known, paper);
    printf(
        "How long does the LU factorization of a %d x %d matrix take on a cluster? All times are\npredicted, except in "
        "the lines `in the paper`, which were measured there. The matrix is divided into\nblock columns of r columns; "
        "the pipelined flow graph overlaps its iterations.\n\n",
        PAPER_N, PAPER_N);
    if (machine) {
        if (!predict_machine(machine, NULL, 0, directory, "machine")) return 1;
    } else {
        if (!predict_machine(paper, figures, known, directory, "paper")) return 1;
        if (!predict_here(network, directory)) return 1;
    }
    printf("Wrote these files, for %lu nodes, r = %lu, basic graph:\n", (unsigned long)clusters[DRAWN_CLUSTER],
           (unsigned long)sizes[DRAWN_SIZE]);
    if (machine) {
        print_written(directory, "machine");
    } else {
        print_written(directory, "paper");
        print_written(directory, "here");
        printf("Try next:\n"
               "  what would a faster network buy here?  Copy %s, change it, and: %s --network COPY\n"
               "  and on the cluster of the paper?       The same with %s, and --machine COPY\n"
               "  how does the kit work?                 examples/clock.c is the first of the lessons in README.md\n",
               network, arguments[0], paper);
    }
    return 0;
}

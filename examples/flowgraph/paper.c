/* paper.c - the body of paper.h */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*=============================================================================
 * MARK: - >>figures
 *===========================================================================*/
/* The figures that calibrate the machine file; all others are predictions. */
static bool paper__calibrates(const paper_figure *figure)
{
    switch (figure->quantity) {
    case PAPER_SERIAL: return figure->r == 216;
    case PAPER_TIME: return figure->nodes == 4 && figure->r == 648;
    case PAPER_EFFICIENCY: return figure->nodes == 4 && figure->iteration == 1;
    default: return false;
    }
}

/* A line of dps_lu_runs.csv: nodes,r,graph,measured_s,predicted_s,note. A run has one line per prediction method. */
static bool paper__run(const char *line, paper_figure *figure)
{
    unsigned long nodes, r;
    char graph[16];
    if (sscanf(line, "%lu,%lu,%15[a-z],%lf,", &nodes, &r, graph, &figure->measured) != 4) return false;
    figure->quantity = strcmp(graph, "serial") == 0 ? PAPER_SERIAL : PAPER_TIME;
    figure->nodes = nodes;
    figure->r = r;
    return figure->quantity == PAPER_SERIAL || strcmp(graph, "basic") == 0;
}

/* A line of dps_efficiency.csv: what,nodes,iteration,value. All were measured at r = 324. */
static bool paper__efficiency(const char *line, paper_figure *figure)
{
    unsigned long nodes, iteration;
    char what[100];
    if (sscanf(line, "%99[^,],%lu,%lu,%lf", what, &nodes, &iteration, &figure->measured) != 4) return false;
    figure->quantity = strncmp(what, "efficiency", 10) == 0 ? PAPER_EFFICIENCY
                       : strncmp(what, "share", 5) == 0     ? PAPER_SHARE
                                                            : PAPER_RATIO;
    figure->nodes = nodes;
    figure->r = 324;
    figure->iteration = iteration;
    return figure->quantity != PAPER_RATIO || strncmp(what, "ratio", 5) == 0;
}

static size_t paper__read(const char *directory, const char *name, bool (*read)(const char *, paper_figure *),
                          paper_figure *figures, size_t count, char *why)
{
    char path[512], line[512];
    size_t number = 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(why, 200, "cannot read %.120s: run this from the top of the project", path);
        return 0;
    }
    while (count < PAPER_FIGURES && fgets(line, sizeof line, file)) {
        paper_figure figure = { PAPER_SERIAL, 0, 0, 0, 0, false };
        bool known = false;
        if (++number == 1) continue; /* the names of the columns */
        if (!read(line, &figure)) {
            snprintf(why, 200, "%.120s:%lu: this line cannot be parsed", path, (unsigned long)number);
            count = 0;
            break;
        }
        for (size_t i = 0; i < count; ++i)
            known = known || (figures[i].quantity == figure.quantity && figures[i].nodes == figure.nodes &&
                              figures[i].r == figure.r && figures[i].iteration == figure.iteration);
        figure.calibrates = paper__calibrates(&figure);
        if (!known) figures[count++] = figure;
    }
    fclose(file);
    return count;
}

size_t paper_load(const char *directory, paper_figure figures[PAPER_FIGURES], char why[200])
{
    size_t count = paper__read(directory, "dps_lu_runs.csv", paper__run, figures, 0, why);
    if (count > 0) count = paper__read(directory, "dps_efficiency.csv", paper__efficiency, figures, count, why);
    return count;
}

/*=============================================================================
 * MARK: - >>predictions
 *===========================================================================*/
double paper_predict(const simkit_machine *machine, const paper_figure *figure, lu_outcome *outcome)
{
    const size_t k = figure->iteration - 1;
    lu_costs costs;
    /* Efficiencies were measured with the block columns on four nodes, [dps] section 8. */
    const bool time = figure->quantity == PAPER_TIME;
    const lu_desc what = { .n = PAPER_N, .r = figure->r, .column_nodes = time ? 0 : 4, .costs = &costs };

    memset(outcome, 0, sizeof *outcome);
    if (lu_costs_of_machine(machine, PAPER_N, figure->r, 1, &costs) != SIMKIT_OK) {
        snprintf(outcome->why, sizeof outcome->why, "machine '%s' lacks a rate that the LU factorization needs",
                 machine->name);
        return NAN;
    }
    if (figure->quantity == PAPER_SERIAL) return lu_costs_serial(&costs);
    if (lu_predict(machine, figure->nodes, &what, NULL, NULL, outcome) != FLOWGRAPH_OK) return NAN;
    if (figure->quantity == PAPER_TIME) return outcome->seconds;
    if (figure->iteration == 0 || figure->iteration > outcome->iterations) return NAN;
    double efficiency = outcome->efficiency[k];
    if (figure->quantity == PAPER_EFFICIENCY) return efficiency;
    if (figure->quantity == PAPER_SHARE) return (outcome->start[k + 1] - outcome->start[k]) / outcome->seconds;
    if (lu_predict(machine, 2 * figure->nodes, &what, NULL, NULL, outcome) != FLOWGRAPH_OK) return NAN;
    return efficiency / outcome->efficiency[k];
}

/*=============================================================================
 * MARK: - >>calibration
 *===========================================================================*/
typedef struct paper__solver {
    const paper_figure *figures;
    size_t count;
    simkit_machine *machine;
} paper__solver;

static void paper__set(simkit_machine *machine, const char *name, const char *key, double value)
{
    for (size_t i = 0; i < machine->operation_count; ++i) {
        simkit_machine_operation *operation = &machine->operations[i];
        if (strcmp(operation->name, name) == 0 && strcmp(operation->key, key) == 0) operation->value = value;
    }
}

/* Predicted over measured, for the calibrating figure of that quantity; NaN if there is none. */
static double paper__met(const paper__solver *solver, paper_quantity quantity)
{
    lu_outcome outcome;
    for (size_t i = 0; i < solver->count; ++i)
        if (solver->figures[i].calibrates && solver->figures[i].quantity == quantity)
            return paper_predict(solver->machine, &solver->figures[i], &outcome) / solver->figures[i].measured;
    return NAN;
}

static void paper__multiply(paper__solver *solver, double rate)
{
    paper__set(solver->machine, "multiply", "rate", rate);
    paper__set(solver->machine, "solve", "rate", 0.7 * rate);
    paper__set(solver->machine, "panel", "cached", 0.5 * rate);
}

static void paper__streamed(paper__solver *solver, double rate)
{
    double low = 20e6, high = 1e9; /* [flop/s] a faster processor shortens the serial time */

    paper__set(solver->machine, "panel", "streamed", rate);
    for (int i = 0; i < 50; ++i) {
        const double middle = sqrt(low * high);
        paper__multiply(solver, middle);
        if (paper__met(solver, PAPER_SERIAL) > 1)
            low = middle;
        else
            high = middle;
    }
}

static void paper__incoming(paper__solver *solver, double part)
{
    double low = 1e6, high = 100e6; /* [flop/s] faster panels shorten the time at the largest r */

    solver->machine->kinds[0].node.cpu_per_incoming = part;
    solver->machine->kinds[0].node.cpu_per_outgoing = part / 4;
    for (int i = 0; i < 40; ++i) {
        const double middle = sqrt(low * high);
        paper__streamed(solver, middle);
        if (paper__met(solver, PAPER_TIME) > 1)
            low = middle;
        else
            high = middle;
    }
}

bool paper_calibrate(const paper_figure *figures, size_t count, simkit_machine *machine)
{
    paper__solver solver = { figures, count, machine };
    double low = 0, high = 0.6; /* [1] more expensive transfers lower the efficiency */

    if (machine->kind_count == 0) return false;
    for (int i = 0; i < 30; ++i) {
        const double middle = (low + high) / 2;
        paper__incoming(&solver, middle);
        if (paper__met(&solver, PAPER_EFFICIENCY) > 1)
            low = middle;
        else
            high = middle;
    }
    return fabs(paper__met(&solver, PAPER_SERIAL) - 1) < 1e-3 && fabs(paper__met(&solver, PAPER_TIME) - 1) < 1e-3 &&
           fabs(paper__met(&solver, PAPER_EFFICIENCY) - 1) < 1e-3;
}

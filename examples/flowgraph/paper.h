/*
paper.h - the measurements of the DPS paper, and what the model predicts for them

The paper's LU factorization ran on eight Sun workstations. Three of the published figures calibrate the machine file
examples/machines/dps.machine; the others are predicted. The figures are read from tests/published.
*/
/** @file */
#ifndef PAPER_H
#define PAPER_H

#include "lu.h"

/** Quantities of the published figures. */
typedef enum paper_quantity {
    PAPER_SERIAL,     /**< running time on one node without communication [s] */
    PAPER_TIME,       /**< running time [s] */
    PAPER_EFFICIENCY, /**< dynamic efficiency of an iteration [1] */
    PAPER_SHARE,      /**< fraction of the running time spent in an iteration [1] */
    PAPER_RATIO       /**< efficiency of an iteration on `nodes` nodes divided by that on twice as many [1] */
} paper_quantity;

/** A published figure of the 2592 x 2592 factorization. */
typedef struct paper_figure {
    paper_quantity quantity; /**< the quantity */
    size_t nodes;            /**< number of nodes */
    size_t r;                /**< columns of a block column */
    size_t iteration;        /**< iteration, from 1; 0: none */
    double measured;         /**< [s] or [1] */
    bool calibrates;         /**< the machine file is calibrated with it; all others are predictions */
} paper_figure;

/** Rows of the matrix in all figures. */
#define PAPER_N 2592

/** Maximum number of figures. */
#define PAPER_FIGURES 16

/** Reads the figures.
 *
 *  @param[in]  directory  Where dps_lu_runs.csv and dps_efficiency.csv are.
 *  @param[out] figures    figures[PAPER_FIGURES].
 *  @param[out] why        why[200]: the error, with file and line.
 *  @return  Number of figures; 0 if a file is missing or has a line that cannot be parsed.
 */
size_t paper_load(const char *directory, paper_figure figures[PAPER_FIGURES], char why[200]);

/** Predicts a figure.
 *
 *  @param[in]  machine  The machine.
 *  @param[in]  figure   The figure; all are of the basic graph.
 *  @param[out] outcome  The simulated run, with the error if it failed.
 *  @return  [s] or [1] as the figure; NaN if a run failed.
 */
double paper_predict(const simkit_machine *machine, const paper_figure *figure, lu_outcome *outcome);

/** Solves a machine for the figures that calibrate, by nested bisection:
 *
 *  - multiply.rate from the serial time, solve.rate = 0.7 and panel.cached = 0.5 of it;
 *  - panel.streamed from the time at the largest r, where hardly anything but panels takes time;
 *  - cpu_per_incoming from the efficiency of an iteration, cpu_per_outgoing = a quarter of it.
 *
 *  @param[in]     figures  figures[count].
 *  @param[in]     count    How many.
 *  @param[in,out] machine  The machine; its other values are unchanged.
 *  @return  Whether all figures that calibrate are met within 0.1 %.
 */
bool paper_calibrate(const paper_figure *figures, size_t count, simkit_machine *machine);

#endif

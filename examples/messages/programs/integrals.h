/* integrals.h - a bag of definite integrals of different difficulty, after the test of CLUE, and the adaptive
 * quadrature that computes them. The number of evaluations of a task is not known in advance: some tens to some tens of
 * thousands, or more at a higher accuracy. No state is kept between calls. */
#ifndef INTEGRALS_H
#define INTEGRALS_H

#include <stdint.h>
#include <stdio.h>

#include "arguments.h"

enum { INTEGRALS_FAMILIES = 21, INTEGRALS_OPTIONS = 6 };

typedef struct integrals_options {
    int tasks, bytes, points, seed, scale;
    double tau; /* the estimated error of each integral is at most this */
} integrals_options;

typedef struct integrals_task {
    int family;
    double alpha; /* from 0, easy, to 1, hard */
} integrals_task;

typedef struct integrals_result {
    double value, error;
    double evaluations; /* a whole number */
} integrals_result;

/* Working memory for computing one integral after another. */
typedef struct quadrature quadrature;

void integrals_begin(integrals_options *o, argument list[INTEGRALS_OPTIONS]);
int integrals_wrong(const integrals_options *o, char why[200]); /* whether a value is invalid */
extern const char integrals_usage[];

/* All tasks of the bag; NULL without memory. */
integrals_task *integrals_bag(const integrals_options *o);

/* The exact integral; NaN if it is not known. */
double integrals_known(integrals_task task);

/* Prints sums over all results in the order of the tasks; returns whether they agree with the known values. */
int integrals_report(const integrals_options *o, const integrals_task *tasks, const integrals_result *results);

quadrature *quadrature_open(const integrals_options *o); /* NULL without memory */
void quadrature_close(quadrature *q);
integrals_result quadrature_integrate(quadrature *q, integrals_task task);

#endif

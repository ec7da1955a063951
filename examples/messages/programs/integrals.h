/* integrals.h - a bag of definite integrals that are more or less hard, after the test of CLUE, and the adaptive
 * quadrature that computes them. How many evaluations a task takes is known only once it is done: between some tens and
 * some tens of thousands, unless they are more exact. Nothing is kept between calls. */
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

/* What one integral after the other is computed in. */
typedef struct quadrature quadrature;

void integrals_begin(integrals_options *o, argument list[INTEGRALS_OPTIONS]);
int integrals_wrong(const integrals_options *o, char why[200]); /* whether values do not fit */
extern const char integrals_usage[];

/* All tasks of the bag, and room for the results; NULL when memory is short. */
integrals_task *integrals_bag(const integrals_options *o);

/* The integral, or NaN where it is not known. */
double integrals_known(integrals_task task);

/* Prints sums over all in the order of the tasks; gives whether results agree with the values that are known. */
int integrals_report(const integrals_options *o, const integrals_task *tasks, const integrals_result *results);

quadrature *quadrature_open(const integrals_options *o); /* NULL when memory is short */
void quadrature_close(quadrature *q);
integrals_result quadrature_integrate(quadrature *q, integrals_task task);

#endif

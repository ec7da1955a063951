/* How long do customers wait in a queue of one server? A model of your own for build/sweep: one file, one function.
 * cc -O2 -shared -fPIC -I. -Iexamples/sweep examples/sweep/own/waiting.c -o examples/sweep/own/waiting.so
 *
 * Then build/sweep examples/sweep/own/waiting.sweep runs it. Arrivals are Poisson, service times exponential or constant. */
#include "sweep.h"

#include <math.h>

/* What it can be asked, and what it answers: names, units, and what a parameter is if the sweep does not say. */
enum { LOAD, SERVICE, LAW, CUSTOMERS, PARAMETERS };
static const sweep_quantity parameters[PARAMETERS] = { { "load", "1", 0.5, NULL, "arrivals * service" },
                                                       { "service", "s", 1, NULL, "mean service time" },
                                                       { "law", "1", 0, "exponential,constant", "of service times" },
                                                       { "customers", "1", 10000, NULL, "in a run" } };
static const sweep_quantity results[] = { { "wait", "s", 0, NULL, "mean of a customer" } };

/* A run: it depends on the point and its seed, and on nothing else. */
static int run(const sweep_point *point, double *result)
{
    const double mean = point->value[SERVICE], load = point->value[LOAD];
    simkit_random random = { point->seed }; /* where the stream begins */
    double wait = 0, sum = 0;
    if (!(load > 0 && load < 1)) return sweep_fail(point, "the load is %g: expected a number between 0 and 1", load);
    for (double i = 0; i < point->value[CUSTOMERS]; ++i) { /* Lindley's recursion */
        const double served = point->value[LAW] > 0 ? mean : simkit_random_exponential(&random, mean);
        sum += wait;
        wait = fmax(0, wait + served - simkit_random_exponential(&random, mean / load));
    }
    result[0] = sum / point->value[CUSTOMERS];
    return 0;
}

const sweep_model sweep_export = { .name = "waiting",
                                   .version = 1, /* to be raised whenever run() changes: old results are refused then */
                                   .parameters = parameters,
                                   .parameter_count = PARAMETERS,
                                   .results = results,
                                   .result_count = 1,
                                   .run = run };

/* What the tests of background, loads and distributions share: worlds with a seed, sources that must start, distributions to
 * draw from, and whether the mean of several runs is what theory says. Include after simkit.h. */
#ifndef BACKGROUND_H
#define BACKGROUND_H

#include "world.h"

static inline simkit_world *open_seeded(uint64_t seed)
{
    const simkit_world_desc desc = { .seed = seed };
    simkit_world *w = NULL;
    assert_int_equal(simkit_world_open(&desc, &w), SIMKIT_OK);
    return w;
}

static inline simkit_node node_of(simkit_world *w, const simkit_node_desc *desc)
{
    simkit_node node = 0;
    assert_int_equal(simkit_node_add(w, desc, &node), SIMKIT_OK);
    return node;
}

static inline simkit_source arrive(simkit_world *w, simkit_arrivals_desc desc)
{
    simkit_source users = 0;
    if (simkit_arrivals_start(w, &desc, &users) != SIMKIT_OK) fail_msg("%s", simkit_world_why(w));
    return users;
}

static inline simkit_source behave(simkit_world *w, simkit_user_desc desc)
{
    simkit_source users = 0;
    if (simkit_user_start(w, &desc, &users) != SIMKIT_OK) fail_msg("%s", simkit_world_why(w));
    return users;
}

/* Until nothing is pending, background or not. */
static inline void run_all(simkit_world *w)
{
    while (simkit_clock_next(w) < INFINITY) assert_int_equal(simkit_world_run_until(w, simkit_clock_next(w)), SIMKIT_OK);
}

/* The mean of several runs lies within the 95 % interval around what theory says, and the interval is narrow. */
static inline void assert_within_95(const double *means, size_t runs, double theory, double narrow)
{
    static const double student_19 = 2.093; /* 97.5 % point, 19 degrees of freedom */
    double sum = 0, squares = 0;
    assert_int_equal(runs, 20);
    for (size_t i = 0; i < runs; ++i) sum += means[i];
    const double mean = sum / (double)runs;
    for (size_t i = 0; i < runs; ++i) squares += (means[i] - mean) * (means[i] - mean);
    const double half = student_19 * sqrt(squares / (double)(runs - 1) / (double)runs);
    if (!(fabs(mean - theory) <= half)) fail_msg("mean %.6g +- %.2g, theory %.6g", mean, half, theory);
    if (!(half <= narrow * theory)) fail_msg("the interval is %.2g of %.6g", half, theory);
}

static const double branches[] = { 0.5, 4, 20 }, chances[] = { 0.7, 0.2, 0.1 }, sample[] = { 0, 1, 1, 7 };

static const simkit_distribution laws[] = {
    { .law = SIMKIT_LAW_CONSTANT, .mean = 3 },
    { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 0.25 },
    { .law = SIMKIT_LAW_HYPEREXPONENTIAL, .values = branches, .weights = chances, .count = 3 },
    { .law = SIMKIT_LAW_PARETO, .shape = 2.5, .minimum = 0.1 },
    { .law = SIMKIT_LAW_PARETO, .shape = 1, .minimum = 0.1, .maximum = 50 },
    { .law = SIMKIT_LAW_PARETO, .shape = 0.6, .minimum = 0.1, .maximum = 100 },
    { .law = SIMKIT_LAW_SAMPLE, .values = sample, .count = 4 },
    { .law = SIMKIT_LAW_SAMPLE, .values = sample, .weights = sample, .count = 4 },
};
enum { LAWS = sizeof laws / sizeof *laws };

#endif

/* Room experiments of util/netmodel_fit.h: what a run would do to a prediction, against fits with that run. */
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "close.h"

static uint64_t dice = 1;

/*=============================================================================
 * Lines
 *===========================================================================*/
/* The points of a fit, and room for more. */
typedef struct points {
    double n[64], t[64];
    size_t count;
    netmodel_error_metric error;
} points;

static netmodel_fit fit_of(const points *p)
{
    const netmodel_points all = { p->n, p->t, p->count, p->error };
    netmodel_fit fit;
    assert_int_equal(netmodel_fit_line(&all, &fit, NULL), NETMODEL_OK);
    return fit;
}

static points draw_points(size_t count, netmodel_error_metric error)
{
    points p;
    memset(&p, 0, sizeof p);
    p.count = count, p.error = error;
    for (size_t i = 0; i < count; ++i) {
        p.n[i] = floor(random_between(&dice, 0, 100)) + (double)i;
        p.t[i] = (5 + 0.3 * p.n[i]) * (1 + 0.05 * random_normal(&dice));
    }
    return p;
}

/* The fit with points that lie where the line already is. Their error is 0, which makes the deviation smaller than that of
 * the plan: it is what the fit had before. */
static netmodel_fit refit(points p, const netmodel_candidate *candidate)
{
    const netmodel_fit before = fit_of(&p);
    for (size_t k = 0; k < candidate->repeats; ++k, ++p.count) {
        p.n[p.count] = candidate->work;
        p.t[p.count] = netmodel_line_time(&before.line, candidate->work);
    }
    netmodel_fit after = fit_of(&p);
    const double ratio = before.deviation / after.deviation;
    after.slope_error *= ratio, after.intercept_error *= ratio;
    after.deviation = before.deviation;
    return after;
}

static void a_line_after_a_run_is_the_fit_with_it(void **state)
{
    (void)state;
    for (int trial = 0; trial < 400; ++trial) {
        const points p =
            draw_points(3 + (size_t)trial % 9, trial % 2 ? NETMODEL_ERROR_RELATIVE : NETMODEL_ERROR_ABSOLUTE);
        const netmodel_fit fit = fit_of(&p);
        const netmodel_candidate candidate = { 0, random_between(&dice, 0, 200), 1 + (size_t)trial % 5, 0 };
        if (!(netmodel_line_time(&fit.line, candidate.work) > 0)) continue;
        const netmodel_fit expected = refit(p, &candidate), after = netmodel_fit_after(&fit, &candidate);
        assert_close(after.line.slope, expected.line.slope, 1e-7);
        assert_int_equal(after.count, expected.count);
        assert_close(after.weight, expected.weight, 1e-7);
        assert_close(after.mean, expected.mean, 1e-7);
        assert_close(after.spread, expected.spread, 1e-7);
        assert_close(after.slope_error, expected.slope_error, 1e-7);
        assert_close(after.intercept_error, expected.intercept_error, 1e-7);
        assert_equal(after.deviation, fit.deviation);
        assert_equal(after.low, expected.low);
        assert_equal(after.high, expected.high);
        assert_close(netmodel_fit_predict(&after, 300, 0.9).mean_high,
                     netmodel_fit_predict(&expected, 300, 0.9).mean_high, 1e-7);
    }
}

static void the_best_point_is_that_of_all_fits(void **state)
{
    enum { CANDIDATES = 12 };
    (void)state;
    for (int trial = 0; trial < 200; ++trial) {
        const points p =
            draw_points(3 + (size_t)trial % 9, trial % 2 ? NETMODEL_ERROR_RELATIVE : NETMODEL_ERROR_ABSOLUTE);
        const netmodel_fit fit = fit_of(&p);
        const double target = random_between(&dice, 0, 400);
        const netmodel_prediction now = netmodel_fit_predict(&fit, target, 0.95);
        netmodel_candidate candidate[CANDIDATES];
        netmodel_gain gain[CANDIDATES];
        size_t best, expected = CANDIDATES;
        double largest = 0;
        if (!(fit.line.intercept > 0 && fit.line.slope > 0)) continue;
        for (size_t i = 0; i < CANDIDATES; ++i) {
            candidate[i].processes = 0;
            candidate[i].work = random_between(&dice, 0, 200);
            candidate[i].repeats = 1 + i % 3;
            candidate[i].cost = i % 2 ? random_between(&dice, 1, 100) : 0;
        }
        assert_int_equal(netmodel_fit_next(&fit, target, 0.95, candidate, CANDIDATES, gain, &best, NULL), NETMODEL_OK);
        for (size_t i = 0; i < CANDIDATES; ++i) {
            const netmodel_fit with = refit(p, &candidate[i]);
            const netmodel_prediction then = netmodel_fit_predict(&with, target, 0.95);
            const double time = netmodel_line_time(&fit.line, candidate[i].work);
            const double cost = candidate[i].cost > 0 ? candidate[i].cost : time * (double)candidate[i].repeats;
            const double narrows = 1 - (then.mean_high - then.time) / (now.mean_high - now.time);
            assert_close(gain[i].time, time, 1e-12);
            assert_close(gain[i].cost, cost, 1e-12);
            assert_close(gain[i].interval, then.mean_high - then.time, 1e-6);
            assert_true(fabs(gain[i].narrows - narrows) < 1e-6);
            assert_equal(gain[i].per_cost, gain[i].narrows / gain[i].cost);
            if (gain[i].per_cost > largest) largest = gain[i].per_cost, expected = i;
        }
        assert_int_equal(best, expected);
    }
}

/*=============================================================================
 * Scaling
 *===========================================================================*/
static const netmodel_scaling_desc known = { NETMODEL_SCALING_EXACT, 0.02 };

static double truth_of(size_t processes, double work)
{
    return 3 + 0.4 * work + (processes > 1 ? 2 + 1.5 * log2((double)processes) + 0.05 * work : 0);
}

/* Runs on 1, 2, 4 and so on processes, of various work. */
static size_t draw_runs(netmodel_run run[], size_t count, double noise)
{
    static const size_t processes[] = { 1, 1, 2, 2, 4, 4, 8, 8, 16 };
    for (size_t i = 0; i < count; ++i) {
        run[i].processes = processes[i % 9];
        run[i].work = floor(random_between(&dice, 10, 100)) + 100. * (double)(i % 2);
        run[i].seconds = truth_of(run[i].processes, run[i].work) * (1 + noise * random_normal(&dice));
    }
    return count;
}

static netmodel_scaling scaling_of(const netmodel_run run[], size_t count, const netmodel_scaling_desc *desc)
{
    netmodel_scaling scaling;
    assert_int_equal(netmodel_scaling_fit(run, count, desc, &scaling, NULL), NETMODEL_OK);
    return scaling;
}

/* The model with the candidate run as often as it says, with the time that the model predicts. */
static netmodel_scaling scaling_with(const netmodel_run run[], size_t count, const netmodel_candidate *candidate,
                                     const netmodel_scaling_desc *desc)
{
    const netmodel_scaling before = scaling_of(run, count, desc);
    netmodel_run all[64];
    memcpy(all, run, count * sizeof *run);
    for (size_t k = 0; k < candidate->repeats; ++k, ++count) {
        all[count].processes = candidate->processes;
        all[count].work = candidate->work;
        all[count].seconds = netmodel_scaling_time(&before, candidate->processes, candidate->work);
    }
    return scaling_of(all, count, desc);
}

static void covariances_are_close(const netmodel_scaling *a, const netmodel_scaling *b, double rel)
{
    for (int i = 0; i < 6; ++i) {
        if (i != 1 && i != 3 && i != 4) assert_close(a->one[i], b->one[i], rel);
        assert_close(a->many[i], b->many[i], rel);
    }
}

/* Without errors the refit is the same model, so all must agree; with errors of 2 % its weights change a little. */
static void a_model_after_a_run_is_the_fit_with_it(void **state)
{
    (void)state;
    for (int trial = 0; trial < 300; ++trial) {
        const int noisy = trial % 2;
        netmodel_run run[18];
        const size_t count = draw_runs(run, 8 + (size_t)trial % 11, noisy ? 0.02 : 0);
        const netmodel_candidate candidate = { (size_t)1 << trial % 7, random_between(&dice, 1, 400),
                                               1 + (size_t)trial % 4, 0 };
        const netmodel_scaling now = scaling_of(run, count, &known);
        const netmodel_scaling after = netmodel_scaling_after(&now, &candidate);
        const netmodel_scaling expected = scaling_with(run, count, &candidate, &known);
        if (!noisy) covariances_are_close(&after, &expected, 1e-6);
        assert_int_equal(after.degrees_of_freedom, NETMODEL_DEVIATION_KNOWN);
        assert_equal(after.deviation, 0.02);
        assert_equal(after.d, now.d);
        assert_close(after.c_error, expected.c_error, noisy ? 0.1 : 1e-6);
        assert_close(after.d_error, expected.d_error, noisy ? 0.1 : 1e-6);
        assert_close(after.g_error, expected.g_error, noisy ? 0.1 : 1e-6);
        assert_equal(after.low, expected.low);
        assert_equal(after.high, expected.high);
        assert_close(netmodel_scaling_predict(&after, 256, 50, 0.95).high,
                     netmodel_scaling_predict(&expected, 256, 50, 0.95).high, noisy ? 0.1 : 1e-7);
    }
}

/* Many runs one after another lose nothing against all at once. */
static void runs_add_up(void **state)
{
    netmodel_run run[18];
    const size_t count = draw_runs(run, 18, 0.02);
    const netmodel_scaling now = scaling_of(run, count, &known);
    const netmodel_candidate one = { 32, 50, 1, 0 }, thousand = { 32, 50, 1000, 0 };
    netmodel_scaling after = now;
    (void)state;
    for (int i = 0; i < 1000; ++i) after = netmodel_scaling_after(&after, &one);
    const netmodel_scaling expected = netmodel_scaling_after(&now, &thousand);
    covariances_are_close(&after, &expected, 1e-9);
    for (int i = 0; i < 6; ++i) assert_equal(after.one[i], now.one[i]);
    /* what is left at the run itself is the error of the mean of all of them, or less */
    const netmodel_prediction p = netmodel_scaling_predict(&after, 32, 50, 0.95);
    assert_true(p.mean_high - p.time < 1.96 * 0.02 * p.time / sqrt(1000));
}

static void the_best_run_is_that_of_all_fits(void **state)
{
    enum { CANDIDATES = 16 };
    (void)state;
    for (int trial = 0; trial < 200; ++trial) {
        netmodel_run run[18];
        const size_t count = draw_runs(run, 8 + (size_t)trial % 11, 0);
        const size_t processes = trial % 5 ? 256 : 1;
        const double work = random_between(&dice, 10, 300);
        const netmodel_scaling now = scaling_of(run, count, &known);
        const netmodel_prediction before = netmodel_scaling_predict(&now, processes, work, 0.9);
        netmodel_candidate candidate[CANDIDATES];
        netmodel_gain gain[CANDIDATES];
        size_t best, expected = CANDIDATES;
        double largest = 0;
        for (size_t i = 0; i < CANDIDATES; ++i) {
            candidate[i].processes = (size_t)1 << i % 6;
            candidate[i].work = floor(random_between(&dice, 10, 300));
            candidate[i].repeats = 1 + i % 3;
            candidate[i].cost = i % 4 == 3 ? random_between(&dice, 1, 1000) : 0;
        }
        assert_int_equal(netmodel_scaling_next(&now, processes, work, 0.9, candidate, CANDIDATES, gain, &best, NULL),
                         NETMODEL_OK);
        for (size_t i = 0; i < CANDIDATES; ++i) {
            const netmodel_scaling with = scaling_with(run, count, &candidate[i], &known);
            const netmodel_prediction then = netmodel_scaling_predict(&with, processes, work, 0.9);
            const double time = netmodel_scaling_time(&now, candidate[i].processes, candidate[i].work);
            const double cost = candidate[i].cost > 0
                                    ? candidate[i].cost
                                    : time * (double)candidate[i].processes * (double)candidate[i].repeats;
            const double narrows = 1 - (then.mean_high - then.time) / (before.mean_high - before.time);
            assert_close(gain[i].cost, cost, 1e-12);
            assert_close(gain[i].interval, then.mean_high - then.time, 1e-6);
            assert_true(fabs(gain[i].narrows - narrows) < 1e-6);
            if ((candidate[i].processes == 1) != (processes == 1)) assert_equal(gain[i].narrows, 0);
            if (gain[i].per_cost > largest) largest = gain[i].per_cost, expected = i;
        }
        assert_int_equal(best, expected);
    }
}

/* Where the deviation is estimated, any run makes the estimate better. */
static void runs_tell_the_deviation_too(void **state)
{
    const netmodel_scaling_desc estimated = { NETMODEL_SCALING_EXACT, 0 };
    const netmodel_candidate one = { 1, 50, 2, 0 };
    netmodel_run run[18];
    netmodel_gain gain;
    size_t best;
    (void)state;
    const netmodel_scaling now = scaling_of(run, draw_runs(run, 9, 0.02), &estimated);
    assert_int_equal(now.degrees_of_freedom, 4);
    assert_int_equal(netmodel_scaling_after(&now, &one).degrees_of_freedom, 6);
    assert_int_equal(netmodel_scaling_next(&now, 256, 50, 0.95, &one, 1, &gain, &best, NULL), NETMODEL_OK);
    assert_close(gain.narrows, 1 - netmodel_student(0.95, 6) / netmodel_student(0.95, 4), 1e-9);
    assert_int_equal(best, 0);
}

/* Where it cannot be estimated yet, the standard error decides. */
static void without_a_deviation_the_standard_error_counts(void **state)
{
    const netmodel_scaling_desc estimated = { NETMODEL_SCALING_EXACT, 0 };
    const netmodel_candidate candidate[] = { { 8, 50, 1, 1 }, { 16, 50, 1, 1 }, { 1, 50, 1, 1 } };
    const double n[] = { 1, 2 }, t[] = { 1, 3 };
    const netmodel_points two = { n, t, 2, NETMODEL_ERROR_ABSOLUTE };
    netmodel_run run[] = { { 1, 10, 7 }, { 1, 100, 43 }, { 2, 10, 11 }, { 4, 100, 53 }, { 8, 30, 25 } };
    netmodel_gain gain[3];
    netmodel_fit line;
    size_t best;
    (void)state;
    const netmodel_scaling now = scaling_of(run, 5, &estimated), stated = scaling_of(run, 5, &known);
    assert_int_equal(now.degrees_of_freedom, 0);
    assert_int_equal(netmodel_scaling_next(&now, 64, 50, 0.95, candidate, 3, gain, &best, NULL), NETMODEL_OK);
    assert_int_equal(best, 1);
    assert_equal(gain[0].interval, HUGE_VAL);
    assert_equal(gain[2].narrows, 0);
    netmodel_gain same[3];
    assert_int_equal(netmodel_scaling_next(&stated, 64, 50, 0.95, candidate, 3, same, &best, NULL), NETMODEL_OK);
    for (int i = 0; i < 2; ++i) assert_close(gain[i].narrows, same[i].narrows, 1e-9);
    assert_int_equal(netmodel_fit_line(&two, &line, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_fit_next(&line, 10, 0.95, candidate, 1, gain, &best, NULL), NETMODEL_OK);
    assert_int_equal(best, 0);
    assert_equal(gain[0].interval, HUGE_VAL);
    assert_true(gain[0].narrows > 0.9 && gain[0].narrows < 1);
    /* points that all lie on the line: the deviation is 0, the standard error in units of it is not */
    const double n3[] = { 1, 2, 3 }, t3[] = { 1, 3, 5 };
    const netmodel_points exact = { n3, t3, 3, NETMODEL_ERROR_ABSOLUTE };
    assert_int_equal(netmodel_fit_line(&exact, &line, NULL), NETMODEL_OK);
    assert_equal(line.deviation, 0);
    assert_int_equal(netmodel_fit_next(&line, 10, 0.95, candidate, 1, gain, &best, NULL), NETMODEL_OK);
    assert_int_equal(best, 0);
    assert_equal(gain[0].interval, 0);
}

/* Intervals of models that were measured as planned, run by run, cover the truth as often as they say. */
static void intervals_of_planned_runs_cover(void **state)
{
#ifdef TESTS_SLOW
    const int sets = 100;
#else
    const int sets = 1000;
#endif
    static const size_t np[] = { 1, 1, 2, 2, 4, 4 };
    int inside = 0;
    double planned = 0, found = 0;
    (void)state;
    for (int set = 0; set < sets; ++set) {
        netmodel_run run[16];
        netmodel_candidate candidate[12];
        size_t count = 6, best;
        for (size_t i = 0; i < 6; ++i) run[i].processes = np[i], run[i].work = i % 2 ? 100 : 20;
        for (size_t i = 0; i < 6; ++i)
            run[i].seconds = truth_of(run[i].processes, run[i].work) * (1 + 0.02 * random_normal(&dice));
        for (size_t i = 0; i < 12; ++i) {
            candidate[i].processes = (size_t)1 << i % 4;
            candidate[i].work = i % 3 == 0 ? 20 : i % 3 == 1 ? 60 : 100;
            candidate[i].repeats = 1;
            candidate[i].cost = 0;
        }
        while (count < 12) {
            const netmodel_scaling now = scaling_of(run, count, &known);
            netmodel_gain gain[12];
            assert_int_equal(netmodel_scaling_next(&now, 64, 60, 0.9, candidate, 12, gain, &best, NULL), NETMODEL_OK);
            assert_true(best < 12);
            run[count].processes = candidate[best].processes;
            run[count].work = candidate[best].work;
            run[count].seconds = truth_of(run[count].processes, run[count].work) * (1 + 0.02 * random_normal(&dice));
            ++count;
            planned = gain[best].interval;
        }
        const netmodel_scaling last = scaling_of(run, count, &known);
        const netmodel_prediction p = netmodel_scaling_predict(&last, 64, 60, 0.9);
        inside += truth_of(64, 60) >= p.mean_low && truth_of(64, 60) <= p.mean_high;
        found += (p.mean_high - p.time) / planned / sets;
    }
    assert_true(fabs((double)inside / sets - 0.9) < (sets >= 1000 ? 0.03 : 0.1));
    assert_true(fabs(found - 1) < 0.05); /* what was planned is what comes out */
}

static void bad_input_is_refused(void **state)
{
    const points p = draw_points(5, NETMODEL_ERROR_RELATIVE);
    const netmodel_fit fit = fit_of(&p);
    netmodel_run run[18];
    const netmodel_scaling scaling = scaling_of(run, draw_runs(run, 9, 0), &known);
    const netmodel_candidate good = { 8, 50, 1, 0 };
    const netmodel_candidate bad[] = { { 8, -1, 1, 0 },   { 8, NAN, 1, 0 },       { 8, INFINITY, 1, 0 },
                                       { 8, 1e50, 1, 0 }, { 8, 50, 0, 0 },        { 8, 50, 1, -1 },
                                       { 8, 50, 1, NAN }, { 8, 50, 1, INFINITY }, { 0, 50, 1, 0 } };
    netmodel_candidate two[2];
    netmodel_gain gain[2];
    size_t best = 9, where = 9;
    (void)state;
    two[0] = good;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        two[1] = bad[i];
        best = where = 9;
        assert_int_equal(netmodel_scaling_next(&scaling, 64, 50, 0.9, two, 2, gain, &best, &where),
                         NETMODEL_BAD_CANDIDATE);
        assert_int_equal(where, 1);
        assert_int_equal(best, 2);
        assert_equal(gain[0].cost, 0);
        assert_nan(netmodel_scaling_after(&scaling, &bad[i]).start);
        if (bad[i].processes == 0) continue;
        assert_int_equal(netmodel_fit_next(&fit, 50, 0.9, two, 2, gain, &best, NULL), NETMODEL_BAD_CANDIDATE);
        assert_nan(netmodel_fit_after(&fit, &bad[i]).line.slope);
    }
    assert_int_equal(netmodel_scaling_next(&scaling, 0, 50, 0.9, &good, 1, gain, &best, &where),
                     NETMODEL_BAD_CANDIDATE);
    assert_int_equal(where, 1);
    assert_int_equal(netmodel_scaling_next(&scaling, 8, NAN, 0.9, &good, 1, gain, &best, NULL), NETMODEL_BAD_CANDIDATE);
    assert_int_equal(netmodel_fit_next(&fit, -1, 0.9, &good, 1, gain, &best, &where), NETMODEL_BAD_CANDIDATE);
    assert_int_equal(netmodel_scaling_next(&scaling, 8, 50, 0, &good, 1, gain, &best, NULL), NETMODEL_BAD_LEVEL);
    assert_int_equal(netmodel_fit_next(&fit, 50, 1, &good, 1, gain, &best, NULL), NETMODEL_BAD_LEVEL);
    assert_int_equal(netmodel_fit_next(&fit, 50, 0.9, &good, 0, gain, &best, NULL), NETMODEL_EMPTY);
    assert_int_equal(netmodel_fit_next(NULL, 50, 0.9, &good, 1, gain, &best, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_next(&fit, 50, 0.9, NULL, 1, gain, &best, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_next(&fit, 50, 0.9, &good, 1, gain, NULL, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_next(&fit, 50, 0.9, &good, 1, NULL, &best, NULL), NETMODEL_OK);
    assert_int_equal(best, 0);

    /* A model that predicts no time there: no candidate. */
    netmodel_scaling negative = scaling;
    negative.start = -1000;
    assert_nan(netmodel_scaling_after(&negative, &good).start);
    assert_int_equal(netmodel_scaling_next(&negative, 64, 50, 0.9, &good, 1, gain, &best, NULL), NETMODEL_OK);
    assert_int_equal(best, 1);
    assert_nan(gain[0].cost);
    assert_nan(gain[0].narrows);
    netmodel_fit below = fit;
    below.line.intercept = -1000;
    assert_nan(netmodel_fit_after(&below, &good).line.slope);
    /* A model filled by hand has no variance that a run could narrow. */
    memset(&negative, 0, sizeof negative);
    negative.start = 1;
    assert_int_equal(netmodel_scaling_next(&negative, 64, 50, 0.9, &good, 1, gain, &best, NULL), NETMODEL_OK);
    assert_int_equal(best, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_after_a_run_is_the_fit_with_it),
        cmocka_unit_test(the_best_point_is_that_of_all_fits),
        cmocka_unit_test(a_model_after_a_run_is_the_fit_with_it),
        cmocka_unit_test(runs_add_up),
        cmocka_unit_test(the_best_run_is_that_of_all_fits),
        cmocka_unit_test(runs_tell_the_deviation_too),
        cmocka_unit_test(without_a_deviation_the_standard_error_counts),
        cmocka_unit_test(intervals_of_planned_runs_cover),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("experiments", tests, NULL, NULL);
}
